"""Gain of a categorical split: what is kept while the classes of the children are counted, one child after another."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums, are_numbers
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.logarithms cimport SplitLogs
from pytrees._core.criteria.wide cimport WideScan


cdef struct Quotient:
    int64_t numerator, denominator


cdef struct Square:
    # The square of the sum of a child's targets, by its weight.
    int128_t sum
    int64_t weight


cdef struct QuotientSum:
    # A sum of quotients, which are not negative, or of squares if classes are numbers.
    Quotient* terms
    Square* squares
    index_t n_terms
    float64_t value     # approximately; of squares see `add_square`


cdef struct ChildrenSplit:
    # The split of a node by a categorical feature. If gains are sums of fractions, `terms` are kept until the next node
    # is searched, and the gain is written once the best split is known.
    index_t feature     # NONE if none is allowed
    index_t n_children
    index_t division    # into two sets of categories, by its number: see CategoryCounts; NONE: a child for every one
    Gain gain
    bint is_large       # the gain is a fraction of more than 128 bits: see ChildCounts.large_gain
    QuotientSum terms
    SplitLogs logs      # for criteria that compare entropies: kept as long
    int64_t* counts     # of all children, one after the other, if they are kept


@cython.final
cdef class ChildCounts:
    """The class counts of a child while its samples are counted, and what the children before it add to the gain."""

    cdef ClassCounts node
    cdef index_t n_children, n_ended
    # Whether the counts of all children are kept, and the gain is computed from them.
    cdef bint keeps_counts
    cdef bint sums_fractions            # the gain is (`scale` * sum - `base`) / the node's total count
    cdef int64_t[::1] counts            # of the child

    # The node.
    cdef int64_t total, scale
    cdef Quotient base
    cdef int64_t node_sum               # n log2 n of its classes, its ordinal form, or its score as one class
    cdef WideScan scan                  # of wide counts

    # The children so far.
    cdef int64_t joint_sum, size_sum    # sums of n log2 n: of each class in each child, of each child's samples
    cdef int128_t cost                  # the children's ordinal forms, or their sums of distances to medians
    cdef index_t label_of_all           # the class that is the best for every child, or NONE
    cdef int64_t score, least_loss      # with each child's best class; the least loss if one child takes another class
    cdef int64_t[::1] cluster_sizes, cluster_counts     # by majority class: samples of its children, and those in it
    cdef Quotient exchange              # the best similarity if one child stands for another class than all others
    cdef float64_t[:, ::1] table        # class counts of all children, for a user's criterion

    cdef Quotient[:, ::1] memory        # of the terms of the present split and of the best one
    cdef int64_t[:, ::1] memory_of_squares
    cdef int64_t[:, ::1] log_counts     # of their logs
    cdef int64_t[:, :, ::1] kept_counts     # of their children
    cdef ChildrenSplit present, best
    cdef int128_t best_cost             # of sequences, what the children's efforts cost; or `cost` of the best split
    cdef object large_gain              # of class counts, of the best split if it is large: see large_gain_of_best
    cdef object user_criterion


cdef inline void add_quotient(QuotientSum* total, int64_t numerator, int64_t denominator) noexcept nogil:
    total.terms[total.n_terms] = Quotient(numerator, denominator)
    total.n_terms += 1
    total.value += <float64_t> numerator / <float64_t> denominator


cdef inline bint sums_squares(ChildCounts children) noexcept nogil:
    """Whether the gain is the sum over the children of sum**2 / weight, less the same of the node, by its weight."""
    return children.sums_fractions and are_numbers(children.node)


cdef inline void add_square(
    ChildCounts children, QuotientSum* total, int128_t target_sum, int64_t weight
) noexcept nogil:
    """Add a child of these sums. The `value` adds up difference**2 / weight, and the difference is the node's weight
    times the child's sum less the child's weight times the node's sum. The value is the node's weight**3 times the gain
    of the split, and no number in it cancels another."""
    cdef float64_t difference = <float64_t> (target_sum * children.total - children.node.sums.sum * weight)
    total.squares[total.n_terms] = Square(target_sum, weight)
    total.n_terms += 1
    total.value += difference * difference / <float64_t> weight


cdef int offer_sum(ChildCounts children) except -1 nogil
cdef int offer_gain(ChildCounts children, index_t feature, index_t n_children, const Gain* gain) except -1 nogil
cdef int complete_best(ChildCounts children) except -1 nogil
cdef int compare_squares_to_cut(ChildCounts children, const Gain* gain) except -2 nogil
cdef object large_gain_of_best(ChildCounts children)     # total count of the node times the gain of a large split
cdef object exact_fraction(const Gain* gain)     # total count of the node times the gain of an exact criterion
