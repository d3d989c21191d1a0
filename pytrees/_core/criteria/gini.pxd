"""Gini impurity: 1 - sum of p_k**2.

Whole counts are compared exactly, with a filter in floating point. Two classes have a form of their own, which keeps
one number fewer a cut.
"""

from pytrees._core.base.fractions cimport is_greater_fraction
from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t
from pytrees._core.criteria.children cimport ChildCounts, add_quotient
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_counts, sum_of_squares
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.criteria.quadratic_form cimport FormRows


cdef struct BinaryGiniScan:
    # With two classes, the gain grows with D**2 / (L R). L and R are the children's samples, and the difference D =
    # left_ones total - left_total ones changes by steps[k] with every sample of class k.
    int64_t total, left_total, difference, best_left_total, best_difference
    int64_t n_terms         # terms p (1 - p) in the impurity: both classes or, ordinal Gini, one
    int64_t steps[2]
    # D**2 and L R of the best cut, 0 before the first one. Their products are each rounded by less than 1e-15.
    # `to_beat` is the best D**2, lowered by the factor 1 - 1e-14: a ratio below to_beat / best_product is not better.
    float64_t to_beat, best_product


cdef struct GiniScan:
    # The gain grows with left_squares / left_total + right_squares / right_total.
    index_t n_classes
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_squares, left_total, left_squares, right_squares
    int64_t best_left_total, best_left_squares, best_right_squares
    float64_t to_beat, best_product         # as above, with left_squares R + right_squares L in place of D**2


cdef struct OrdinalGiniScan:
    # As GiniScan, with C_q, the samples of the classes up to q, for class counts. Sums of C_q**2 are forms of the
    # kernel 2 (classes - max(i, j)), which the rows keep as samples move.
    index_t n_classes
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_squares, left_total, left_squares, right_squares
    int64_t best_left_total, best_left_squares, best_right_squares
    float64_t to_beat, best_product
    FormRows rows


cdef inline void start_binary_gini(BinaryGiniScan* scan, ClassCounts counts, int64_t n_terms) noexcept nogil:
    scan.n_terms = n_terms
    scan.total = counts.total_counts[0] + counts.total_counts[1]
    scan.steps[0] = -counts.total_counts[1]
    scan.steps[1] = counts.total_counts[0]


ctypedef fused NominalGiniScan:
    BinaryGiniScan
    GiniScan


ctypedef fused AnyGiniScan:
    NominalGiniScan
    OrdinalGiniScan


cdef inline void forget_best_gini(AnyGiniScan* scan) noexcept nogil:
    scan.to_beat = scan.best_product = 0.0
    scan.best_left_total = 0
    if AnyGiniScan is BinaryGiniScan:
        scan.best_difference = 0
    else:
        scan.best_left_squares = scan.best_right_squares = 0


# --------------------------------------------------------------------------------------------------- cuts of a node

cdef inline bint offer_gini(AnyGiniScan* scan) noexcept nogil:
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> (scan.total - scan.left_total)
    cdef float64_t score, product, present, best
    if AnyGiniScan is BinaryGiniScan:
        score = <float64_t> scan.difference * <float64_t> scan.difference
        product = <float64_t> (scan.left_total * (scan.total - scan.left_total))
    else:
        score = <float64_t> scan.left_squares * right_total + <float64_t> scan.right_squares * left_total
        product = left_total * right_total
    present = score * scan.best_product
    best = scan.to_beat * product
    if present < best:
        return False
    if present <= best * (1.0 + 3e-14) and scan.best_product > 0.0 and not _is_better_gini(scan):
        return False
    scan.to_beat = score * (1.0 - 1e-14)
    scan.best_product = product
    scan.best_left_total = scan.left_total
    if AnyGiniScan is BinaryGiniScan:
        scan.best_difference = scan.difference
    else:
        scan.best_left_squares = scan.left_squares
        scan.best_right_squares = scan.right_squares
    return True


cdef inline bint _is_better_gini(const AnyGiniScan* scan) noexcept nogil:
    cdef uint128_t left = scan.left_total, right = scan.total - scan.left_total
    cdef uint128_t best_left = scan.best_left_total, best_right = scan.total - scan.best_left_total
    if AnyGiniScan is BinaryGiniScan:
        return is_greater_fraction(
            <int128_t> scan.difference * scan.difference, left * right,
            <int128_t> scan.best_difference * scan.best_difference, best_left * best_right,
        )
    else:
        return is_greater_fraction(
            <int128_t> (scan.left_squares * right + scan.right_squares * left), left * right,
            <int128_t> (scan.best_left_squares * best_right + scan.best_right_squares * best_left),
            best_left * best_right,
        )


cdef inline Gain gain_of_gini(const AnyGiniScan* scan) noexcept nogil:
    """The gain of two classes, times all samples, is n_terms D**2 / (total L R)."""
    cdef int128_t total = scan.total, left = scan.best_left_total, right = total - left, numerator
    if AnyGiniScan is BinaryGiniScan:
        numerator = scan.n_terms * (<int128_t> scan.best_difference * scan.best_difference)
    else:
        numerator = (
            total * (scan.best_left_squares * right + scan.best_right_squares * left)
            - left * right * scan.total_squares
        )
    return exact_gain(numerator, <uint128_t> (total * left * right), scan.total)


cdef inline bint is_perfect_gini(const AnyGiniScan* scan) noexcept nogil:
    cdef int64_t left_total = scan.best_left_total, right_total = scan.total - scan.best_left_total, largest
    if AnyGiniScan is BinaryGiniScan:
        # |D| of any cut is at most ones (total - ones), the product of the steps.
        largest = -scan.steps[0] * scan.steps[1]
        return scan.best_product > 0.0 and (scan.best_difference == largest or scan.best_difference == -largest)
    else:
        return (
            scan.best_product > 0.0
            and scan.best_left_squares == left_total * left_total
            and scan.best_right_squares == right_total * right_total
        )


cdef inline Gain impurity_by_gini(ClassCounts node) noexcept nogil:
    """Return the impurity of a node whose classes are counted, and which has samples."""
    cdef int64_t total = sum_of_counts(&node.total_counts[0], node.n_classes)
    cdef int128_t square = <int128_t> total * total
    return exact_gain(square - sum_of_squares(&node.total_counts[0], node.n_classes), <uint128_t> total, total)


# ------------------------------------------------------------------------------------ children of a categorical split

cdef inline void start_gini_node(ChildCounts children) noexcept nogil:
    children.base.numerator = sum_of_squares(&children.node.total_counts[0], children.node.n_classes)


cdef inline void end_gini_child(ChildCounts children, int64_t total) noexcept nogil:
    add_quotient(&children.present.terms, sum_of_squares(&children.counts[0], children.node.n_classes), total)
