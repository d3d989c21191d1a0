"""The class counts of a node and of its left child, and the arrays that criteria on counts share."""

cimport cython
from libc.string cimport memcpy

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint32_t, uint64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.absolute_error cimport MedianErrors
from pytrees._core.criteria.logarithms cimport BestCut, InformationForm, SplitLogs

cdef enum:
    NLOGN_FRACTION_BITS = 30
    LOG2_TABLE_BITS = 10
    LOG2_TABLE_SIZE = 1024


cdef struct TargetSums:
    # The sums of samples whose classes are targets, whole numbers: their weight, their weight times the value that a
    # leaf of them has, and the weighted sum of the targets' squares (squared error) or distances to the median.
    int64_t weight
    int128_t sum, spread


@cython.final
cdef class ClassCounts:
    """The class counts of a node, and of its left child while the cuts of a feature are scanned."""

    cdef index_t n_classes
    cdef int code                                   # a CriterionCode
    cdef bint weighs_children
    cdef InformationForm form                       # of a criterion that compares entropies
    cdef const int64_t[::1] table                   # n log2 n, for entropies
    cdef BestCut best                               # of a criterion that compares entropies, and scratch for it
    cdef SplitLogs[2] logs
    cdef int64_t[:, ::1] log_counts
    cdef const int64_t[:, ::1] kernel               # of quadratic forms: see FormRows
    cdef int64_t[::1] node_rows, left_rows
    cdef const uint32_t[:, ::1] narrow_kernel
    cdef uint32_t[:, ::1] narrow_left_rows          # one row
    # Sums that are too great for the narrow arithmetic of the criterion: see `wide`. The costs of pairs of classes are
    # given as shares of the greatest one, and exactly.
    cdef bint is_wide
    cdef int wide_kind
    cdef float64_t[:, ::1] shares_of_costs
    cdef object exact_costs
    # The unit of the weights, a quotient of two: a user's criterion sees floating-point numbers in this unit.
    cdef float64_t scale, divisor
    cdef const int64_t[::1] targets                 # by class, ascending; empty if classes are no numbers
    # If classes are numbers: of the node, and of its samples that lack a value of the scanned feature.
    cdef TargetSums sums, missing_sums
    cdef bint has_wide_sums                         # sums of the targets of all samples do not fit 64 bits
    cdef int64_t least, greatest                    # targets of the node, if sums of targets are judged
    cdef float64_t square_unit                      # of the squares of targets that bins hold
    cdef MedianErrors errors                        # None unless distances to medians are judged
    cdef bint has_costs                             # of pairs of classes, which class scores do not tell
    cdef const float64_t[:, ::1] mode_distances     # by mode and class; if not empty, each node's weights are these,
    cdef float64_t[:, ::1] mode_weights             # normalised over the node's classes
    cdef int64_t[::1] total_counts, left_counts, best_left_counts
    cdef float64_t[::1] log2_table
    # The scanned feature, which conditions on cuts may depend on, and whether some of its cuts are forbidden.
    cdef index_t feature
    cdef bint forbids_cuts
    # The node's samples that lack a value of the scanned feature: their classes and, by class, their weight.
    cdef index_t n_missing_classes
    cdef index_t[::1] missing_classes
    cdef int64_t[::1] missing_counts
    cdef Py_ssize_t n_rows


cdef inline float64_t in_unit(ClassCounts counts, int64_t count) noexcept nogil:
    """Return a count as a user's criterion sees it."""
    return <float64_t> count * counts.scale / counts.divisor


# Class counts, whole or as sums of weights.
ctypedef fused Count:
    int64_t
    float64_t


cdef inline Count sum_of_counts(const Count* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef Count total = 0
    for label in range(n_classes):
        total += counts[label]
    return total


cdef inline int64_t sum_of_squares(const int64_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(n_classes):
        total += counts[label] * counts[label]
    return total


cdef inline int64_t log_margin(index_t n_classes) noexcept nogil:
    """Bound by how much the difference of two gains of a node may be wrong, in units of 2**-30 bit. Each gain takes at
    most two numbers a class and two more from the table, which rounds by half a unit; the node adds one number a class
    and one more."""
    return 2 * <int64_t> n_classes + 2


cdef inline int64_t sum_of_n_log2_n(const int64_t* table, const int64_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(n_classes):
        total += table[counts[label]]
    return total


cdef inline float64_t nearly_n_log2_n(const float64_t* log2_table, float64_t weight) noexcept nogil:
    """Return x log2 x of a positive number. log2 is right to 2e-7: from the exponent and a table of the significand's
    first bits, between whose entries it is nearly straight."""
    cdef uint64_t bits
    cdef index_t entry
    cdef float64_t fraction
    memcpy(&bits, &weight, sizeof(bits))
    entry = <index_t> (bits >> (52 - LOG2_TABLE_BITS)) & (LOG2_TABLE_SIZE - 1)
    fraction = <float64_t> (bits & ((<uint64_t> 1 << (52 - LOG2_TABLE_BITS)) - 1)) * 2.0**(LOG2_TABLE_BITS - 52)
    return weight * (
        <float64_t> (<int64_t> (bits >> 52) - 1023) + log2_table[entry]
        + fraction * (log2_table[entry + 1] - log2_table[entry])
    )


cdef inline bint are_numbers(ClassCounts counts) noexcept nogil:
    """Whether the classes are targets of regression: numbers whose sums are kept in place of class counts."""
    return counts.targets.shape[0] > 0


cdef inline TargetSums less_sums(const TargetSums* whole, const TargetSums* part) noexcept nogil:
    """Return the sums of the samples that are not in a part."""
    return TargetSums(whole.weight - part.weight, whole.sum - part.sum, whole.spread - part.spread)


cdef inline void add_target(TargetSums* sums, int64_t target, int64_t weight) noexcept nogil:
    cdef int128_t product = <int128_t> weight * target
    sums.weight += weight
    sums.sum += product
    sums.spread += product * target
