"""Squared error: the mean square of the targets less their mean.

A class is a target, a whole number; its code is its rank. The score of a cut is D**2 / (L R), with L and R the weights
of the children, and D = total left_sum - left_total sum, which is (L R) times the difference of the children's means.
Whole numbers are compared exactly, with a filter in floating point. In front of it, scores in vectors use residuals of
32 bits.
"""

from libc.math cimport INFINITY, fabs, sqrt

from pytrees._core.base.doubled cimport Doubled, doubled_of, is_certain, product_of, quotient_of, sum_of
from pytrees._core.base.fractions cimport exact_integer, is_greater_square, nearest_double
from pytrees._core.base.types cimport float64_t, index_t, int16_t, int32_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums
from pytrees._core.criteria.gain cimport Gain, squared_gain
from pytrees._core.rows.histogram cimport BinSums


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
    scan.best_left_total = 0
    scan.best_difference = 0
    scan.to_beat = scan.best_product = 0.0


cdef inline int128_t _difference(const AnySquaredErrorScan* scan) noexcept nogil:
    return <int128_t> scan.total * scan.left_sum - <int128_t> scan.left_total * scan.sum


cdef inline bint offer_squared_error(AnySquaredErrorScan* scan) noexcept nogil:
    cdef int64_t right_total = scan.total - scan.left_total
    cdef int128_t difference = _difference(scan)
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


# --------------------------------------------------------------------------------------------------- scores in vectors

# Residual i stands for x_i = scale weight_i (target_i - mean), with the scale 2**31 / (total range), so that the sum of
# any samples' x is at most 2**29 in magnitude. Residuals are the steps of the running sum of x, rounded to the nearest
# whole number. Errors of double precision add up to less than 2**-6 for 2**16 samples. So a residual differs from x by
# less than 1.01, and the residuals of the node add up to the rounded sum of all x, which is 0.
#
# Let P be the sum of the residuals on the left of a cut. P differs from the sum of their x by less than 1.01 for every
# sample on the left and, because all add up to 0, for every sample on the right: by less than 1.01 min(L, R). So the
# root of the score P**2 / (L R) is wrong by less than 1.01 min(L, R) / sqrt(L R) <= 1.01 at every cut. The score itself
# is computed in single precision: at most eight roundings of 2**-24.

cdef inline void write_residuals(
    const SquaredErrorScan* scan, const index_t* places, index_t n, const int64_t* targets, const int64_t* counts,
    int32_t* residuals
) noexcept nogil:
    """Write the residuals of the node's samples, whose targets differ, by place. Without weights `counts` is NULL; with
    weights, each residual is followed by the weight."""
    cdef int64_t middle = scan.sum // scan.total, weight = 1
    cdef float64_t mean = <float64_t> (scan.sum - middle * scan.total) / <float64_t> scan.total
    cdef float64_t range_of_sums = <float64_t> scan.total * <float64_t> (scan.greatest - scan.least)
    cdef float64_t scale = 2147483648.0 / range_of_sums
    # 2**30 more than a running sum is positive, so that the conversion rounds down.
    cdef float64_t running = 1073741824.5
    cdef int32_t rounded, last = 1073741824
    cdef index_t i, place
    for i in range(n):
        place = places[i]
        if counts != NULL:
            weight = counts[place]
        running += scale * <float64_t> weight * (<float64_t> (targets[place] - middle) - mean)
        rounded = <int32_t> running
        if counts == NULL:
            residuals[place] = rounded - last
        else:
            residuals[2 * place] = rounded - last
            residuals[2 * place + 1] = <int32_t> weight
        last = rounded


cdef inline void write_few_residuals(
    const SquaredErrorScan* scan, const int64_t* targets, const int16_t* weights, index_t n, int16_t* residuals
) noexcept nogil:
    """Write the residuals of a few samples, whose targets differ, at a scale of 2**16 in place of 2**31: their sums are
    at most 2**14 in magnitude, but for the rounding."""
    cdef int64_t middle = scan.sum // scan.total
    cdef float64_t mean = <float64_t> (scan.sum - middle * scan.total) / <float64_t> scan.total
    cdef float64_t scale = 65536.0 / (<float64_t> scan.total * <float64_t> (scan.greatest - scan.least))
    cdef float64_t running = 32768.5
    cdef int32_t rounded, last = 32768
    cdef index_t i
    for i in range(n):
        running += scale * <float64_t> weights[i] * (<float64_t> (targets[i] - middle) - mean)
        rounded = <int32_t> running
        residuals[i] = <int16_t> (rounded - last)
        last = rounded


cdef inline float64_t lowered_squared_error(float64_t score) noexcept nogil:
    """Lower the best score by its error: another cut whose score does not reach the lowered score is not better. The
    lowered score is 0 if the errors swallow the best score."""
    cdef float64_t root = sqrt(score) * (1.0 - 2.0**-19) - 2.05
    return root * root * (1.0 - 2.0**-19) if root > 0.0 else 0.0


# -------------------------------------------------------------------------------------------------------------- bounds

cdef inline float64_t best_score_of_squared_error(const SquaredErrorScan* scan) noexcept nogil:
    return scan.to_beat / scan.best_product


cdef inline void move_sums_left(SquaredErrorScan* scan, const BinSums* sums) noexcept nogil:
    scan.left_total += sums.weight
    scan.left_sum += sums.sum


cdef inline float64_t bound_of_squared_error(const SquaredErrorScan* scan, const BinSums* bin) noexcept nogil:
    """Bound the score of every cut inside a bin whose left edge is the present cut.

    Let the bin have the weight m, and its targets the spread S, the weighted sum of their squared distances to their
    mean. A part of the weight k has k / m of the bin's sum, and by Cauchy and Schwarz at most sqrt(S k (m - k) / m)
    more or less. So the pairs of k and D of the cuts inside lie in an ellipse about the line between the edges. The
    score is a convex function of k and D: its greatest value at the corners of an octagon around the ellipse bounds it.
    At an end of the node, where this function has no bound, the two terms of the part's sum, squared and divided by k,
    add up to at most D**2 / m + total**2 S.
    """
    cdef float64_t m = <float64_t> bin.weight, total = <float64_t> scan.total
    cdef float64_t left = <float64_t> scan.left_total
    cdef int64_t right_total = scan.total - scan.left_total - bin.weight
    cdef float64_t at_edge = <float64_t> _difference(scan)
    cdef float64_t across = <float64_t> (<int128_t> scan.total * bin.sum - <int128_t> bin.weight * scan.sum)
    # Squares are rounded up. Factors and terms beyond the formulas make up for errors in double precision.
    cdef float64_t spread = (
        <float64_t> bin.squares * scan.square_unit * (1.0 + 1e-12) - <float64_t> bin.sum * <float64_t> bin.sum / m
    )
    cdef float64_t reach, near, bound
    spread = max(spread, 0.0)
    if scan.left_total == 0 and right_total == 0:
        return INFINITY
    if scan.left_total == 0 or right_total == 0:
        return (across * across / m + total * total * spread) / (total - m) * (1.0 + 1e-12)
    reach = 0.5 * total * sqrt(spread * m) + 1e-15 * (fabs(at_edge) + fabs(across))
    near = 0.41421357 * reach      # tan(pi / 8), rounded up
    bound = max(_corner(at_edge, near, left, total), _corner(at_edge + across, near, left + m, total))
    bound = max(bound, _corner(at_edge + 0.29289 * across, reach, left + 0.29289 * m, total))
    return max(bound, _corner(at_edge + 0.70711 * across, reach, left + 0.70711 * m, total)) * (1.0 + 1e-12)


cdef inline float64_t _corner(float64_t middle, float64_t reach, float64_t left, float64_t total) noexcept nogil:
    """Return the greater score of two corners that lie on both sides of a point between the edges."""
    cdef float64_t difference = fabs(middle) + reach
    return difference * difference / (left * (total - left))
