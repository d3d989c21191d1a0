"""Gain ratio and normalised variation of information: what the clustering by the cut says of that by the classes.

F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 1.1. Both divide the information gain, by
the entropy of the cut or by that of cut and classes together.
"""

from libc.math cimport log2

from pytrees._core.base.types cimport float64_t, index_t, int64_t, int128_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_n_log2_n
from pytrees._core.criteria.entropy cimport information_of_children
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.criteria.weighted cimport WeightedScan


cdef struct RatioScan:
    # Gain(Y, T) / H(T), or Gain(Y, T) / H(T, Y): T is the cut, Y the classes. Times the node's rows both are whole
    # multiples of 2**-30 bit. Of up to 2**28 rows, n log2 n is below 2**63, and the gain is below 2**59.
    index_t n_classes
    bint is_joint
    const int64_t* table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_sum, left_total, left_sum, right_sum
    bint has_best
    int64_t best_numerator, best_denominator


cdef inline void start_ratio(RatioScan* scan, ClassCounts counts, bint is_joint) noexcept nogil:
    scan.is_joint = is_joint
    scan.table = &counts.table[0]
    scan.total_sum = sum_of_n_log2_n(&counts.table[0], &counts.total_counts[0], counts.n_classes)
    scan.has_best = False


cdef inline bint offer_ratio(RatioScan* scan) noexcept nogil:
    cdef int64_t joint_sum = scan.left_sum + scan.right_sum
    cdef int64_t cut_sum = scan.table[scan.left_total] + scan.table[scan.total - scan.left_total]
    cdef int64_t numerator = scan.table[scan.total] - scan.total_sum + joint_sum - cut_sum
    cdef int64_t denominator = scan.table[scan.total] - (joint_sum if scan.is_joint else cut_sum)
    if scan.has_best and (
        <int128_t> numerator * scan.best_denominator <= <int128_t> scan.best_numerator * denominator
    ):
        return False
    scan.has_best = True
    scan.best_numerator = numerator
    scan.best_denominator = denominator
    return True


cdef inline bint is_perfect_ratio(const RatioScan* scan) noexcept nogil:
    """No ratio exceeds 1, for n log2 n, rounded as it is, of a sum of counts is not less than the sum of theirs."""
    return scan.has_best and scan.best_numerator == scan.best_denominator


cdef inline Gain gain_of_ratio(const RatioScan* scan) noexcept nogil:
    return _ratio_gain(scan.best_numerator, scan.best_denominator, scan.total)


cdef inline Gain _ratio_gain(int64_t numerator, int64_t denominator, int64_t total) noexcept nogil:
    cdef Gain gain = exact_gain(<int128_t> numerator * total, denominator, total)
    # As of entropy: the rounding of the table can take a gain of nothing below zero.
    if gain.value < 0.0:
        gain.value = 0.0
    return gain


cdef inline Gain ratio_gain_of_children(ChildCounts children, bint is_joint) noexcept nogil:
    return _ratio_gain(
        information_of_children(children),
        children.node.table[children.total] - (children.joint_sum if is_joint else children.size_sum),
        children.total,
    )


# ------------------------------------------------------------------------------ weights that are not whole numbers

cdef inline float64_t _term(float64_t weight, float64_t total) noexcept nogil:
    """Return p log2 p of a share of the node's weight."""
    if total <= 0.0 or weight <= 0.0:
        return 0.0
    return weight / total * log2(weight / total)


cdef inline float64_t entropy_of_classes(const WeightedScan* scan) noexcept nogil:
    """Return the entropy of the classes in the node."""
    cdef index_t label
    cdef float64_t entropy = 0.0
    for label in range(scan.n_classes):
        entropy -= _term(scan.total_counts[label], scan.total)
    return entropy


cdef inline float64_t weighted_ratio(const WeightedScan* scan, bint is_joint) noexcept nogil:
    cdef index_t label
    cdef float64_t of_cut = 0.0, joint = 0.0, denominator
    of_cut -= _term(scan.left_total, scan.total)
    of_cut -= _term(scan.total - scan.left_total, scan.total)
    for label in range(scan.n_classes):
        joint -= _term(scan.left_counts[label], scan.total)
    for label in range(scan.n_classes):
        joint -= _term(scan.total_counts[label] - scan.left_counts[label], scan.total)
    denominator = joint if is_joint else of_cut
    return (scan.node_impurity + of_cut - joint) / denominator if denominator > 0.0 else 0.0


cdef inline void end_weighted_ratio_child(ChildCounts children) noexcept nogil:
    cdef index_t label
    children.of_split -= _term(children.weight, children.scan.total)
    for label in range(children.node.n_classes):
        children.joint -= _term(children.weights[label], children.scan.total)


cdef inline float64_t weighted_ratio_of_children(ChildCounts children, bint is_joint) noexcept nogil:
    cdef float64_t denominator = children.joint if is_joint else children.of_split
    cdef float64_t gained = children.scan.node_impurity + children.of_split - children.joint
    return gained / denominator if denominator > 0.0 else 0.0
