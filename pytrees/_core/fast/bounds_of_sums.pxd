"""Bounds of the scores of cuts inside a bin, from sums: squared error, and weights of two classes on a fine grid."""

from libc.math cimport INFINITY, fabs, log2, sqrt

from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.squared_error cimport SquaredErrorScan, difference_of
from pytrees._core.criteria.wide cimport BoxedScan, WideBinaryScan, gain_at
from pytrees._core.fast.histogram cimport BinSums


# -------------------------------------------------------------------------------------------------------- squared error

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
    cdef float64_t at_edge = <float64_t> difference_of(scan)
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


# ------------------------------------------------------------------------------------------- two classes on a fine grid

# Bins of two classes are boxes. Their scores are D**2 / (L R) for Gini, and gains for entropies.

cdef inline float64_t highest_rise_of_wide(const BoxedScan* scan, int64_t total) noexcept nogil:
    """Bound the rise of the score inside a bin of weight `total`: no cut is more than half of it away from an edge. For
    Gini see `highest_rise_of_gini`. For entropies let a weight d change sides. The entropy of one side, times its
    weight, does not fall. The same of the other side falls by the entropy of the moved samples, which is at most one
    bit, times d, and by the entropy of what is moved or not, which is most if it is a share of the node."""
    cdef float64_t moved, share
    if BoxedScan is WideBinaryScan:
        return <float64_t> total * 0.5 * (scan.of_0 + scan.of_1) * (1.0 + 1e-12)
    else:
        moved = 0.5 * <float64_t> total
        share = moved / <float64_t> scan.total
        return (share - share * log2(share) - (1.0 - share) * log2(1.0 - share)) * (1.0 + 1e-12) + 4.0 * scan.error


cdef inline float64_t bound_of_wide(
    const BoxedScan* scan, int64_t zeros, int64_t ones, float64_t to_reach
) noexcept nogil:
    """Bound the score of every cut inside a bin of these class weights whose left edge is the present cut. A bound
    below `to_reach` may be a coarse one."""
    cdef int64_t left_0, left_1
    cdef float64_t bound
    if BoxedScan is WideBinaryScan:
        return _greatest_score(scan.of_0, scan.of_1, scan.left_0, scan.left_1, <float64_t> zeros, <float64_t> ones)
    else:
        left_0, left_1 = scan.left_counts[0], scan.left_counts[1]
        bound = _greatest_score(
            <float64_t> scan.total_counts[0], <float64_t> scan.total_counts[1], <float64_t> left_0, <float64_t> left_1,
            <float64_t> zeros, <float64_t> ones,
        )
        if bound < to_reach * scan.score_of_gain:
            return bound / scan.score_of_gain
        bound = max(gain_at(scan, left_0, left_1), gain_at(scan, left_0 + zeros, left_1 + ones))
        bound = max(bound, max(gain_at(scan, left_0 + zeros, left_1), gain_at(scan, left_0, left_1 + ones)))
        return bound + scan.margin


cdef inline float64_t _greatest_score(
    float64_t of_0, float64_t of_1, float64_t left_0, float64_t left_1, float64_t zeros, float64_t ones
) noexcept nogil:
    """Return the greatest D**2 / (L R) at the corners of a box, or a little more."""
    cdef float64_t at_edges = max(
        _score_at(of_0, of_1, left_0, left_1), _score_at(of_0, of_1, left_0 + zeros, left_1 + ones)
    )
    return max(
        at_edges, max(_score_at(of_0, of_1, left_0 + zeros, left_1), _score_at(of_0, of_1, left_0, left_1 + ones))
    )


cdef inline float64_t _score_at(float64_t of_0, float64_t of_1, float64_t left_0, float64_t left_1) noexcept nogil:
    """Return D**2 / (L R), or a little more; 0 if a child is empty."""
    cdef float64_t left = left_0 + left_1, product = left * (of_0 + of_1 - left)
    cdef float64_t root = fabs(left_1 * (of_0 - left_0) - left_0 * (of_1 - left_1)) + product * 2.0**-51
    return root * root / product * (1.0 + 1e-14) if product > 0.0 else 0.0
