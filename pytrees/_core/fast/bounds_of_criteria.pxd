"""Bounds of the scores of cuts inside a bin.

Whatever the order of a bin's samples, the left child's class counts at a cut inside the bin lie in a box: between the
counts at the bin's left edge and the counts at its right edge. Scores are convex functions of the counts, so the
corners of the box bound them. Sums of targets have separate bounds.
"""

from libc.math cimport INFINITY, fabs, log2, sqrt

from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan, NominalGiniScan, OrdinalGiniScan
from pytrees._core.criteria.quadratic_form cimport cumulated_on_left, move_cumulated
from pytrees._core.criteria.ranking cimport BinaryRankingScan
from pytrees._core.criteria.squared_error cimport SquaredErrorScan, difference_of
from pytrees._core.criteria.wide cimport BoxedScan, WideBinaryScan, gain_at
from pytrees._core.fast.histogram cimport BinSums


# ----------------------------------------------------------------------------------------------------------------- Gini

cdef inline float64_t highest_rise_of_gini(const NominalGiniScan* scan, int64_t total) noexcept nogil:
    """Bound the rise of the score inside a bin of weight `total`: a sample that moves raises sum over k of left_k**2 /
    left_total by 1 at most, and the same of the right child too; inside a bin no cut is more than half of its samples
    away from an edge."""
    if NominalGiniScan is GiniScan:
        return <float64_t> total
    else:
        return <float64_t> total * 0.5 * <float64_t> scan.total


cdef inline float64_t bound_of_gini(
    const NominalGiniScan* scan, const int32_t* counts, int64_t total, float64_t to_reach
) noexcept nogil:
    cdef float64_t bound
    if NominalGiniScan is BinaryGiniScan:
        return max(_corner_of_binary_gini(scan, counts[0], 0), _corner_of_binary_gini(scan, counts[1], 1))
    else:
        if scan.left_total == 0 or scan.left_total + total == scan.total:
            bound = _bound_of_gini_at_end(scan, counts, total)
        else:
            bound = _bound_of_gini_inside(scan, counts, total)
        # With many classes, the other bound is rarely the lower one.
        return bound if bound < to_reach else min(bound, _bound_of_gini_by_groups(scan, counts, total))


cdef inline float64_t bound_of_group(
    float64_t total, float64_t left_total, float64_t in_bin, float64_t in_group, float64_t on_left, float64_t inside
) noexcept nogil:
    """Bound the score of Gini of two classes, which are a group of classes and all others, inside a bin of weight
    `in_bin`. The group weighs `in_group`: `on_left` of it on the left of the bin, and `inside` in it."""
    cdef float64_t difference = on_left * total - in_group * left_total
    cdef float64_t of_group = difference + inside * (total - in_group)
    cdef float64_t of_others = difference - (in_bin - inside) * in_group
    # The best cut moves all samples of the group, or all others. A side without samples has no difference.
    return max(
        of_group * of_group / max((left_total + inside) * (total - left_total - inside), 1.0),
        of_others * of_others / max((left_total + in_bin - inside) * (total - left_total - in_bin + inside), 1.0),
    )


cdef inline float64_t _bound_of_gini_by_groups(
    const GiniScan* scan, const int32_t* counts, int64_t total
) noexcept nogil:
    """Bound the score inside a bin: it is a constant and, for every class, the score of Gini of two classes, which are
    this class and all others, divided by all samples. The best cut of each bounds the sum."""
    cdef float64_t bound = <float64_t> scan.total_squares
    cdef index_t label
    for label in range(scan.n_classes):
        bound += bound_of_group(
            <float64_t> scan.total, <float64_t> scan.left_total, <float64_t> total,
            <float64_t> scan.total_counts[label], <float64_t> scan.left_counts[label], <float64_t> counts[label],
        )
    return bound / <float64_t> scan.total


cdef inline float64_t _corner_of_binary_gini(const BinaryGiniScan* scan, int64_t count, int64_t label) noexcept nogil:
    """Return the score after only the samples of one class have moved."""
    cdef int64_t left_total = scan.left_total + count
    cdef int64_t difference = scan.difference + count * scan.steps[label]
    cdef float64_t product = <float64_t> left_total * <float64_t> (scan.total - left_total)
    return <float64_t> difference * <float64_t> difference / product if product > 0.0 else 0.0


cdef inline float64_t _bound_of_gini_inside(const GiniScan* scan, const int32_t* counts, int64_t total) noexcept nogil:
    """Bound the score inside a bin: with d_k samples of class k moved, v to the left in all, and any slope, the score
    is sum over k of ((left_k + d_k)**2 / v + (right_k - d_k)**2 / (total - v) - slope d_k) + slope (v - left_total).
    The best d_k of every class on its own bounds it at a given v. This bound is convex in v, so its greater value at
    the two edges bounds all cuts."""
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> (scan.total - scan.left_total)
    # The slope at which moving rows of all classes alike changes nothing.
    cdef float64_t slope = (
        <float64_t> scan.left_squares / (left_total * left_total)
        - <float64_t> scan.right_squares / (right_total * right_total)
    )
    return max(
        _bound_of_gini_at(scan, counts, slope, left_total, 0.0),
        _bound_of_gini_at(scan, counts, slope, left_total + <float64_t> total, <float64_t> total),
    )


cdef inline float64_t _bound_of_gini_at(
    const GiniScan* scan, const int32_t* counts, float64_t slope, float64_t left_total, float64_t moved
) noexcept nogil:
    cdef float64_t left_share = 1.0 / left_total, right_share = 1.0 / (<float64_t> scan.total - left_total)
    cdef float64_t bound = slope * moved, left, right, count
    cdef index_t label
    for label in range(scan.n_classes):
        left = <float64_t> scan.left_counts[label]
        right = <float64_t> scan.total_counts[label] - left
        count = <float64_t> counts[label]
        bound += max(
            left * left * left_share + right * right * right_share,
            (left + count) * (left + count) * left_share + (right - count) * (right - count) * right_share
            - slope * count,
        )
    return bound


cdef inline float64_t _bound_of_gini_at_end(const GiniScan* scan, const int32_t* counts, int64_t total) noexcept nogil:
    """Bound the score if one side has only samples d of the bin: sum d_k**2 / sum d_k is at most the greatest d_k. The
    other side lacks v of all rows, and sum (n_k - d_k)**2 is at most sum n_k**2 - v min (2 n_k - count_k); over its
    rows this is monotone in v."""
    cdef int64_t label, largest = 0, least = 2 * scan.total
    cdef float64_t bound, all_squares = <float64_t> scan.total_squares, others = <float64_t> (scan.total - total)
    for label in range(scan.n_classes):
        if counts[label] > 0:
            largest = max(largest, <int64_t> counts[label])
            least = min(least, 2 * scan.total_counts[label] - counts[label])
    bound = all_squares / <float64_t> scan.total
    if others > 0.0:
        bound = max(bound, (all_squares - <float64_t> total * <float64_t> least) / others)
    else:
        bound = <float64_t> scan.total
    return bound + <float64_t> largest


# --------------------------------------------------------------------------------------------------------- ordinal Gini

cdef inline void move_counts_by_ordinal_gini(OrdinalGiniScan* scan, const int32_t* counts) noexcept nogil:
    """Move samples of these class counts to the left child."""
    cdef int64_t weight = 0, lost = 0, added = move_cumulated(&scan.rows, counts, &weight, &lost)
    scan.left_total += weight
    scan.left_squares += added
    scan.right_squares += added - lost


cdef inline int64_t left_ranks_by_ordinal_gini(const OrdinalGiniScan* scan) noexcept nogil:
    """Return the sum of the ranks of the left child's classes."""
    cdef index_t t
    cdef int64_t total = 0
    for t in range(scan.n_classes - 1):
        total += scan.left_total - cumulated_on_left(&scan.rows, t)
    return total


# The score is a constant and, for every class t but the highest, the score of Gini of two classes, which are the
# classes up to t and all others, divided by all samples. The best cut of each bounds the sum.

cdef inline float64_t highest_rise_of_ordinal_gini(const OrdinalGiniScan* scan, int64_t total) noexcept nogil:
    """Bound the rise of the score inside a bin of weight `total`: a sample that moves raises the scores of two classes
    by 1 at most, and inside a bin no cut is more than half of its samples away from an edge."""
    return 0.5 * <float64_t> total * <float64_t> (scan.n_classes - 1)


cdef inline float64_t bound_of_ordinal_gini(
    const OrdinalGiniScan* scan, const int32_t* counts, int64_t total
) noexcept nogil:
    cdef float64_t bound = <float64_t> scan.total_squares
    cdef int64_t up_to = 0, inside = 0
    cdef index_t t
    for t in range(scan.n_classes - 1):
        up_to += scan.total_counts[t]
        inside += counts[t]
        bound += bound_of_group(
            <float64_t> scan.total, <float64_t> scan.left_total, <float64_t> total, <float64_t> up_to,
            <float64_t> cumulated_on_left(&scan.rows, t), <float64_t> inside,
        )
    return bound / <float64_t> scan.total


# -------------------------------------------------------------------------------------------------------------- entropy

cdef inline float64_t highest_rise_of_entropy(const EntropyScan* scan, int64_t total) noexcept nogil:
    """Bound the rise of the score inside a bin, in units of 2**-30 bit: a sample that changes sides adds less than
    log2(total) + 2 bits on one side, and nothing on the other."""
    return <float64_t> (total // 2 + 1) * (log2(<float64_t> scan.total) + 2.0) * 2.0**30


cdef inline float64_t bound_of_entropy(const EntropyScan* scan, const int32_t* counts, int64_t total) noexcept nogil:
    """Bound the score inside a bin: with h(n) = n log2 n it is sum over k of (h(left_k + d_k) + h(right_k - d_k)) -
    h(v) - h(total - v). Each term of the sum is convex in d_k, and the chord of the convex h(v) + h(total - v) beside
    the bin's middle lies below it at all other whole v: the best d_k of every class on its own bounds the score."""
    cdef const int64_t* table = scan.table
    cdef int64_t middle = scan.left_total + total // 2, left, right, count, label, slope, bound
    # total >= 2, so that middle + 1 is at most the right edge.
    slope = table[middle + 1] - table[middle] + table[scan.total - middle - 1] - table[scan.total - middle]
    bound = slope * (middle - scan.left_total) - table[middle] - table[scan.total - middle]
    for label in range(scan.n_classes):
        left = scan.left_counts[label]
        right = scan.total_counts[label] - left
        count = counts[label]
        bound += max(table[left] + table[right], table[left + count] + table[right - count] - slope * count)
    # The table is rounded by half a unit: this moves the chord by two units for every sample of the bin, and the sums
    # by one for every class.
    return <float64_t> (bound + 2 * total + 2 * scan.n_classes + 8)


# ----------------------------------------------------------------------------------------------- ranking of two classes

# The score is minus the cost. As a function of l_0 and l_1 it is a polynomial of the second degree, because the cubes
# of both children cancel out, and its terms of the second degree are negative. The score is therefore below its
# tangents at both edges of the bin, and below their mean. That mean is linear, so it is greatest if every class of the
# bin moves wholly or not at all.

cdef inline float64_t highest_rise_of_binary_ranking(const BinaryRankingScan* scan, int64_t total) noexcept nogil:
    """Bound the rise of the score inside a bin of weight `total`: no cut is more than half of it away from an edge, by
    the steepest slopes."""
    cdef float64_t greater = <float64_t> max(scan.total_counts[0], scan.total_counts[1])
    return <float64_t> total * greater * (2.0 * <float64_t> scan.total if scan.weighs_children else 1.0)


cdef inline float64_t bound_of_binary_ranking(
    const BinaryRankingScan* scan, const int32_t* counts, int64_t total
) noexcept nogil:
    cdef float64_t left_0 = <float64_t> scan.left_counts[0], left_1 = <float64_t> scan.left_counts[1]
    cdef float64_t next_0 = left_0 + <float64_t> counts[0], next_1 = left_1 + <float64_t> counts[1]
    cdef float64_t size = <float64_t> scan.total, bound
    bound = -0.5 * (_binary_cost(scan, left_0, left_1) + _binary_cost(scan, next_0, next_1)) + 0.5 * (
        <float64_t> counts[0] * max(_slope(scan, left_0, left_1, 0), -_slope(scan, next_0, next_1, 0))
        + <float64_t> counts[1] * max(_slope(scan, left_0, left_1, 1), -_slope(scan, next_0, next_1, 1))
    )
    # Add what rounding may have taken away.
    return bound + 1e-13 * size * size * (size if scan.weighs_children else 1.0)


cdef inline float64_t _binary_cost(const BinaryRankingScan* scan, float64_t left_0, float64_t left_1) noexcept nogil:
    cdef float64_t right_0 = <float64_t> scan.total_counts[0] - left_0
    cdef float64_t right_1 = <float64_t> scan.total_counts[1] - left_1
    if scan.weighs_children:
        return (left_0 + left_1) * left_0 * left_1 + (right_0 + right_1) * right_0 * right_1
    return left_0 * left_1 + right_0 * right_1


cdef inline float64_t _slope(
    const BinaryRankingScan* scan, float64_t left_0, float64_t left_1, index_t label
) noexcept nogil:
    """Return by how much the score rises with samples of a class that move to the left."""
    cdef float64_t of_0 = <float64_t> scan.total_counts[0], of_1 = <float64_t> scan.total_counts[1]
    cdef float64_t other = left_0 if label == 1 else left_1, of_other = of_0 if label == 1 else of_1
    if not scan.weighs_children:
        return of_other - 2.0 * other
    return (of_0 + of_1 - left_0 - left_1) * of_other + of_0 * of_1 - left_0 * of_1 - left_1 * of_0 - (
        (of_0 + of_1) * other
    )


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
