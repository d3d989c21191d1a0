"""Squared error: the mean square of the targets less their mean.

A class is a target, a whole number; its code is its rank. The score of a cut is D**2 / (L R), with L and R the weights
of the children, and D = total left_sum - left_total sum, which is (L R) times the difference of the children's means.
Whole numbers are compared exactly, with a filter in floating point.
"""

from pytrees._core.base.doubled cimport Doubled, doubled_of, is_certain, product_of, quotient_of, sum_of
from pytrees._core.base.fractions cimport exact_integer, is_greater_square, nearest_double
from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums
from pytrees._core.criteria.gain cimport Gain, squared_gain


cdef struct SquaredErrorScan:
    const int64_t* targets      # by class
    int64_t total, sum, left_total, left_sum
    int64_t least, greatest     # targets of the node
    float64_t square_unit       # of the squares that bins hold
    int64_t best_left_total
    int128_t best_difference
    # D**2 and L R of the best cut, 0 before the first one, as in `gini`: their products are each rounded by less than
    # 2e-15, and `to_beat` is the best D**2 lowered by the factor 1 - 1e-14.
    float64_t to_beat, best_product


# The same if sums of targets do not fit 64 bits. There are no scores in vectors then, and no bins.
cdef struct WideSquaredErrorScan:
    const int64_t* targets
    int64_t total, left_total
    int128_t sum, left_sum
    int64_t best_left_total
    int128_t best_difference
    float64_t to_beat, best_product


ctypedef fused AnySquaredErrorScan:
    SquaredErrorScan
    WideSquaredErrorScan


cdef inline void start_squared_error(AnySquaredErrorScan* scan, ClassCounts counts) noexcept nogil:
    scan.targets = &counts.targets[0]
    scan.total = counts.sums.weight
    if AnySquaredErrorScan is WideSquaredErrorScan:
        scan.sum = counts.sums.sum
    else:
        scan.sum = <int64_t> counts.sums.sum
        scan.least, scan.greatest = counts.least, counts.greatest
        scan.square_unit = counts.square_unit
    forget_best_squared_error(scan)


cdef inline void move_weighted_left(
    AnySquaredErrorScan* scan, int64_t weight, int128_t weighted, int64_t sign
) noexcept nogil:
    """Move samples of this weight and this weighted sum of targets to the left child or, with the sign -1, back."""
    scan.left_total += sign * weight
    if AnySquaredErrorScan is WideSquaredErrorScan:
        scan.left_sum += sign * weighted
    else:
        scan.left_sum += sign * <int64_t> weighted


cdef inline void forget_best_squared_error(AnySquaredErrorScan* scan) noexcept nogil:
    scan.best_left_total = scan.best_difference = 0
    scan.to_beat = scan.best_product = 0.0


cdef inline int128_t difference_of(const AnySquaredErrorScan* scan) noexcept nogil:
    return <int128_t> scan.total * scan.left_sum - <int128_t> scan.left_total * scan.sum


cdef inline bint offer_squared_error(AnySquaredErrorScan* scan) noexcept nogil:
    cdef int64_t right_total = scan.total - scan.left_total
    cdef int128_t difference = difference_of(scan)
    cdef float64_t root = <float64_t> difference
    cdef float64_t score = root * root, product = <float64_t> scan.left_total * <float64_t> right_total
    cdef float64_t present = score * scan.best_product, best = scan.to_beat * product
    if present < best:
        return False
    if present <= best * (1.0 + 3e-14) and scan.best_product > 0.0 and (
        # Most near ties are the same samples, divided by another feature.
        scan.left_total == scan.best_left_total and difference == scan.best_difference
        or not is_greater_square(
            difference, scan.left_total, right_total, 1, scan.best_difference, scan.best_left_total,
            scan.total - scan.best_left_total, 1,
        )
    ):
        return False
    scan.to_beat = score * (1.0 - 1e-14)
    scan.best_product = product
    scan.best_left_total = scan.left_total
    scan.best_difference = difference
    return True


cdef inline int gain_of_squared_error(const AnySquaredErrorScan* scan, Gain* gain) except -1 nogil:
    return squared_gain(scan.best_difference, scan.best_left_total, scan.total - scan.best_left_total, gain)


cdef inline float64_t nearest_squared_error(const TargetSums* sums) except -1.0 nogil:
    """Return the double nearest to the impurity of a node that has samples: (weight spread - sum**2) / weight**2."""
    cdef int128_t middle, sum, spread
    cdef Doubled quotient, mean
    if _fits(sums.spread, sums.weight):
        return _nearest_squared_error(sums.spread, sums.sum, sums.weight)
    # The targets less a whole number next to their mean have the same impurity.
    middle = sums.sum // sums.weight
    sum = sums.sum - middle * sums.weight
    spread = sums.spread - middle * (sums.sum + sum)
    if _fits(spread, sums.weight):
        return _nearest_squared_error(spread, sum, sums.weight)
    # The weight is at most 2**45, so that spread / weight is above 2**35, and the square of the mean is below 1.
    mean = quotient_of(doubled_of(sum), doubled_of(sums.weight))
    mean = product_of(mean, mean)
    mean.high, mean.low = -mean.high, -mean.low
    quotient = sum_of(quotient_of(doubled_of(spread), doubled_of(sums.weight)), mean)
    if is_certain(quotient):
        return quotient.high
    with gil:
        return _exact_squared_error(spread, sum, sums.weight)


cdef inline bint _fits(int128_t spread, int64_t weight) noexcept nogil:
    """Whether weight spread, which is at least sum**2, fits 127 bits."""
    return <float64_t> spread * <float64_t> weight < 2.0**126


cdef inline float64_t _nearest_squared_error(int128_t spread, int128_t sum, int64_t weight) noexcept nogil:
    cdef int128_t numerator = <int128_t> weight * spread - sum * sum, square = <int128_t> weight * weight
    cdef Doubled quotient
    if numerator == 0:
        return 0.0      # most nodes of a tree are leaves of one target
    quotient = quotient_of(doubled_of(numerator), doubled_of(square))
    return quotient.high if is_certain(quotient) else nearest_double(numerator, <uint128_t> square)


cdef inline float64_t _exact_squared_error(int128_t spread, int128_t sum, int64_t weight) except -1.0:
    """Return the impurity by way of Python's integers, whose quotient is the nearest double."""
    return (int(weight) * exact_integer(spread) - exact_integer(sum) ** 2) / int(weight) ** 2
