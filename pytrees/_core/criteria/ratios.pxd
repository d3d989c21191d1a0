"""Gain ratio and normalised variations of information: how well the clustering by the cut agrees with the classes.

All divide the information gain: by the entropy of the cut, or by the joint entropy of cut and classes (F. Späh and S.
Kosub, "Global Evaluation for Decision Tree Learning", Section 1.1); by the mean or by the greater of the entropies of
cut and classes (N. X. Vinh, J. Epps and J. Bailey, "Information theoretic measures for clusterings comparison", Journal
of Machine Learning Research 11, 2010, Table 2).
"""

from pytrees._core.base.types cimport index_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_n_log2_n
from pytrees._core.criteria.entropy cimport information_of_children, margin_of_children
from pytrees._core.criteria.gain cimport Gain, information_gain
from pytrees._core.criteria.logarithms cimport (
    BY_JOINT, BY_MEAN, BY_SPLIT, BestCut, InformationForm, doubled, offer_information_ratio, units_of_best,
)


cdef struct RatioScan:
    # Gain(Y, T) / H(T), Gain(Y, T) / H(T, Y), 2 Gain(Y, T) / (H(T) + H(Y)) or Gain(Y, T) / max(H(T), H(Y)): T is the
    # cut, Y the classes. Times the node's samples, both parts are whole multiples of 2**-30 bit. For up to 2**28
    # samples, n log2 n is below 2**63, and the gain is below 2**59.
    index_t n_classes
    InformationForm form
    const int64_t* table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_sum, left_total, left_sum, right_sum
    BestCut* best
    # No denominator is below `least_denominator`. A ratio that is not above lowered_numerator / best_denominator is
    # worse than the best, even with the errors of the table.
    int64_t least_denominator, lowered_numerator, best_denominator


cdef inline void start_ratio(RatioScan* scan, ClassCounts counts) noexcept nogil:
    scan.form = counts.form
    scan.table = &counts.table[0]
    scan.total_sum = sum_of_n_log2_n(&counts.table[0], &counts.total_counts[0], counts.n_classes)
    scan.best = &counts.best
    scan.best.is_known = False
    # Every ratio exceeds this start.
    scan.lowered_numerator = -1
    scan.best_denominator = 0
    # One sample to the left splits with the least entropy; a single sample has no cuts.
    scan.least_denominator = max(scan.table[scan.total] - scan.table[max(scan.total - 1, 0)], 1)


cdef inline int64_t divisor_of_gain(
    InformationForm form, int64_t whole, int64_t joint_sum, int64_t size_sum, int64_t class_sum
) noexcept nogil:
    """Return the divisor of the gain (of twice the gain for `BY_MEAN`) from sums of n log2 n: over all samples, the
    classes in the children, the children, and the classes."""
    if form == BY_JOINT:
        return whole - joint_sum
    if form == BY_SPLIT:
        return whole - size_sum
    if form == BY_MEAN:
        return 2 * whole - size_sum - class_sum
    return whole - min(size_sum, class_sum)


cdef inline int offer_ratio(RatioScan* scan) except -1 nogil:
    cdef int64_t joint_sum = scan.left_sum + scan.right_sum
    cdef int64_t cut_sum = scan.table[scan.left_total] + scan.table[scan.total - scan.left_total]
    cdef int64_t numerator = scan.table[scan.total] - scan.total_sum + joint_sum - cut_sum
    cdef int64_t denominator = divisor_of_gain(scan.form, scan.table[scan.total], joint_sum, cut_sum, scan.total_sum)
    if scan.form == BY_MEAN:
        numerator *= 2
    if (
        <int128_t> numerator * scan.best_denominator <= <int128_t> scan.lowered_numerator * denominator
        or not offer_information_ratio(scan.best, numerator, denominator, scan.left_counts)
    ):
        return False
    scan.best_denominator = denominator
    # If all four parts are wrong by the margin, the products that compare two ratios, which are at most 1, are by at
    # most this times the other denominator.
    scan.lowered_numerator = numerator - 2 * scan.best.margin * (
        3 + (denominator + 2 * scan.best.margin) // scan.least_denominator
    )
    return True


cdef inline bint is_perfect_ratio(const RatioScan* scan) noexcept nogil:
    """No ratio exceeds 1, for n log2 n, rounded as it is, of a sum of counts is not less than the sum of theirs."""
    return scan.best.is_known and scan.best.numerator == scan.best.denominator


cdef inline Gain gain_of_ratio(const RatioScan* scan) noexcept nogil:
    return information_gain(
        units_of_best(scan.best, scan.best.numerator), scan.best.denominator, scan.total, scan.total, scan.best.margin
    )


cdef inline int ratio_gain_of_children(ChildCounts children, Gain* gain) except -1 nogil:
    cdef InformationForm form = children.node.form
    cdef int64_t units, denominator = divisor_of_gain(
        form, children.node.table[children.total], children.joint_sum, children.size_sum, children.node_sum
    )
    information_of_children(children, doubled(form), &units)
    gain[0] = information_gain(units, denominator, children.total, children.total, margin_of_children(children))
