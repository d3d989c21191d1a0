"""Variation of information: how far the clustering by the cut is from the classes, in bits.

H(T | Y) + H(Y | T), T being the cut and Y the classes (M. Meila, "Comparing clusterings - an information based
distance", Journal of Multivariate Analysis 98, 2007). For the uncut node it is H(Y), so that the gain is twice the
information gain less H(T): below zero if a cut tells less about the classes than half of its own entropy.
"""

from libc.stdint cimport INT64_MIN

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport NLOGN_FRACTION_BITS, ClassCounts, sum_of_n_log2_n
from pytrees._core.criteria.entropy cimport margin_of_children
from pytrees._core.criteria.gain cimport Gain, information_gain
from pytrees._core.criteria.logarithms cimport BestCut, offer_score, signed_units, signed_units_of_best


cdef struct VariationScan:
    # The gain grows with twice the sum of n log2 n over the classes in the children, less the sum over the children.
    index_t n_classes
    const int64_t* table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_sum, left_total, left_sum, right_sum
    BestCut* best
    int64_t floor       # cuts of lower scores are worse than the best one


cdef inline void start_variation(VariationScan* scan, ClassCounts counts) noexcept nogil:
    scan.table = &counts.table[0]
    scan.total_sum = sum_of_n_log2_n(&counts.table[0], &counts.total_counts[0], counts.n_classes)
    scan.best = &counts.best
    scan.best.is_known = False
    scan.floor = INT64_MIN


cdef inline int offer_variation(VariationScan* scan) except -1 nogil:
    cdef int64_t score = (
        2 * (scan.left_sum + scan.right_sum) - scan.table[scan.left_total] - scan.table[scan.total - scan.left_total]
    )
    if score < scan.floor or not offer_score(scan.best, score, scan.left_counts):
        return False
    scan.floor = score - scan.best.margin
    return True


cdef inline int gain_of_variation(const VariationScan* scan, Gain* gain) except -1 nogil:
    cdef int64_t gained = scan.table[scan.total] - 2 * scan.total_sum + scan.best.score
    gain[0] = information_gain(
        signed_units_of_best(scan.best, gained), 1 << NLOGN_FRACTION_BITS, 1, scan.total, scan.best.margin
    )
    return 0


cdef inline bint is_perfect_variation(const VariationScan* scan) noexcept nogil:
    """The distance is zero if the children are the classes: then the rounded numbers cancel too."""
    return scan.best.is_known and scan.best.score == scan.total_sum


cdef inline int64_t minus_variation_of_children(ChildCounts children) noexcept nogil:
    """Return minus the distance of the children to the classes, times the node's samples, in units of 2**-30 bit."""
    return 2 * children.joint_sum - children.size_sum - children.node_sum


cdef inline int variation_gain_of_children(ChildCounts children, Gain* gain) except -1 nogil:
    cdef int64_t margin = margin_of_children(children)
    cdef int64_t units = (
        children.node.table[children.total] - children.node_sum + minus_variation_of_children(children)
    )
    units = signed_units(
        units, margin, children.node.form, &children.node.total_counts[0], children.node.n_classes,
        &children.present.logs,
    )
    gain[0] = information_gain(units, 1 << NLOGN_FRACTION_BITS, 1, children.total, margin)
    return 0
