"""Gini from whole counts: what it keeps while rows move, inlined where it is cimported."""

from pytrees._core.base.fractions cimport is_greater_fraction
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.base.types cimport float64_t, index_t, int64_t, int128_t, uint128_t


cdef struct BinaryGiniScan:
    # Of two classes the gain grows with D**2 / (L R): L and R are the children's rows, and the difference
    # D = left_ones total - left_total ones changes by steps[k] with every row of class k.
    int64_t total, left_total, difference, best_left_total, best_difference
    int64_t steps[2]
    # D**2 and L R of the best cut, 0 before the first one. Each product of theirs is rounded by less than 1e-15: in
    # `to_beat` the square is smaller by 1e-14, so that what does not reach it is not better.
    float64_t to_beat, best_product


cdef struct GiniScan:
    # The gain grows with left_squares / left_total + right_squares / right_total.
    index_t n_classes
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_squares, left_total, left_squares, right_squares
    int64_t best_left_total, best_left_squares, best_right_squares
    float64_t to_beat, best_product         # as above, with left_squares R + right_squares L in place of D**2


# ------------------------------------------------------------------------------------------------ gini of two classes

cdef inline bint offer_binary_gini(BinaryGiniScan* scan) noexcept nogil:
    cdef float64_t square = <float64_t> scan.difference * <float64_t> scan.difference
    cdef float64_t product = <float64_t> (scan.left_total * (scan.total - scan.left_total))
    cdef float64_t present = square * scan.best_product, best = scan.to_beat * product
    if present < best:
        return False
    if present <= best * (1.0 + 3e-14) and scan.best_product > 0.0 and not _is_better_binary_gini(scan):
        return False
    scan.to_beat = square * (1.0 - 1e-14)
    scan.best_product = product
    scan.best_left_total = scan.left_total
    scan.best_difference = scan.difference
    return True


cdef inline bint _is_better_binary_gini(const BinaryGiniScan* scan) noexcept nogil:
    return is_greater_fraction(
        <int128_t> scan.difference * scan.difference,
        <uint128_t> scan.left_total * <uint128_t> (scan.total - scan.left_total),
        <int128_t> scan.best_difference * scan.best_difference,
        <uint128_t> scan.best_left_total * <uint128_t> (scan.total - scan.best_left_total),
    )


cdef inline Gain gain_of_binary_gini(const BinaryGiniScan* scan) noexcept nogil:
    """total * gain = 2 D**2 / (total L R)."""
    cdef int128_t left = scan.best_left_total, right = scan.total - scan.best_left_total
    cdef int128_t square = <int128_t> scan.best_difference * scan.best_difference
    return exact_gain(2 * square, <uint128_t> (scan.total * left * right), scan.total)


# ---------------------------------------------------------------------------------------------- gini of any classes

cdef inline bint offer_gini(GiniScan* scan) noexcept nogil:
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> (scan.total - scan.left_total)
    cdef float64_t score = (
        <float64_t> scan.left_squares * right_total + <float64_t> scan.right_squares * left_total
    )
    cdef float64_t product = left_total * right_total
    cdef float64_t present = score * scan.best_product, best = scan.to_beat * product
    if present < best:
        return False
    if present <= best * (1.0 + 3e-14) and scan.best_product > 0.0 and not _is_better_gini(scan):
        return False
    scan.to_beat = score * (1.0 - 1e-14)
    scan.best_product = product
    scan.best_left_total = scan.left_total
    scan.best_left_squares = scan.left_squares
    scan.best_right_squares = scan.right_squares
    return True


cdef inline bint _is_better_gini(const GiniScan* scan) noexcept nogil:
    cdef uint128_t left = scan.left_total, right = scan.total - scan.left_total
    cdef uint128_t best_left = scan.best_left_total, best_right = scan.total - scan.best_left_total
    return is_greater_fraction(
        scan.left_squares * right + scan.right_squares * left, left * right,
        scan.best_left_squares * best_right + scan.best_right_squares * best_left, best_left * best_right,
    )


cdef inline Gain gain_of_gini(const GiniScan* scan) noexcept nogil:
    cdef int128_t total = scan.total, left = scan.best_left_total, right = total - left
    return exact_gain(
        total * (scan.best_left_squares * right + scan.best_right_squares * left)
        - left * right * scan.total_squares,
        <uint128_t> (total * left * right), scan.total,
    )
