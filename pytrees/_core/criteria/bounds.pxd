"""How good a cut inside a bin can be at most: bounds on its score, inlined where they are cimported.

Whatever the order of a bin's rows, the left child's class counts at a cut inside it lie in a box: between those at the
bin's left edge and those at its right edge. The scores are convex functions of these counts, so that the corners of
the box bound them. All bounds are on the scale of `best_score_of`.
"""

from libc.math cimport log2

from pytrees._core.criteria.counts cimport BinnedScan, EntropyScan
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan
from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t


cdef inline float64_t best_score_of(const BinnedScan* scan) noexcept nogil:
    """The score of the best cut so far, of which there is one."""
    if BinnedScan is EntropyScan:
        return <float64_t> scan.best_score
    else:
        return scan.to_beat / scan.best_product


cdef inline float64_t highest_rise(const BinnedScan* scan, int64_t total) noexcept nogil:
    """How far the score of a cut inside a bin of so many rows can exceed those at both of the bin's edges. A row that
    moves raises sum over k of left_k**2 / left_total by 1 at most, and the same of the right child too; inside a bin
    no cut is more than half of its rows away from an edge. Entropy in units of 2**-30 bit: for every row that leaves
    it, less than log2 of its rows and 2 bits more on one side, and nothing on the other."""
    if BinnedScan is EntropyScan:
        return <float64_t> (total // 2 + 1) * (log2(<float64_t> scan.total) + 2.0) * 2.0**30
    elif BinnedScan is GiniScan:
        return <float64_t> total
    else:
        return <float64_t> total * 0.5 * <float64_t> scan.total


cdef inline float64_t upper_bound(const BinnedScan* scan, const int32_t* counts, int64_t total) noexcept nogil:
    """Bound on the score of every cut inside a bin of these class counts, `total` in all, whose left edge is the
    present cut."""
    if BinnedScan is EntropyScan:
        return _bound_of_entropy(scan, counts, total)
    elif BinnedScan is GiniScan:
        if scan.left_total == 0 or scan.left_total + total == scan.total:
            return _bound_of_gini_at_end(scan, counts, total)
        return _bound_of_gini(scan, counts, total)
    else:
        return max(_corner_of_binary_gini(scan, counts[0], 0), _corner_of_binary_gini(scan, counts[1], 1))


cdef inline float64_t _corner_of_binary_gini(const BinaryGiniScan* scan, int64_t count, int64_t label) noexcept nogil:
    """The score where only the rows of one class have moved."""
    cdef int64_t left_total = scan.left_total + count
    cdef int64_t difference = scan.difference + count * scan.steps[label]
    cdef float64_t product = <float64_t> left_total * <float64_t> (scan.total - left_total)
    return <float64_t> difference * <float64_t> difference / product if product > 0.0 else 0.0


cdef inline float64_t _bound_of_gini(const GiniScan* scan, const int32_t* counts, int64_t total) noexcept nogil:
    """With d_k rows of class k moved, v to the left in all, and any slope, the score is
    sum over k of ((left_k + d_k)**2 / v + (right_k - d_k)**2 / (total - v) - slope d_k) + slope (v - left_total).
    The best d_k of every class for itself bounds it at a given v; this bound is convex in v, so that the greater of
    those at the two edges bounds them all."""
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
    """Where one side has nothing but rows d of the bin: there sum d_k**2 / sum d_k is at most the greatest d_k. The
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


cdef inline float64_t _bound_of_entropy(const EntropyScan* scan, const int32_t* counts, int64_t total) noexcept nogil:
    """With h(n) = n log2 n the score is sum over k of (h(left_k + d_k) + h(right_k - d_k)) - h(v) - h(total - v). Each
    term of the sum is convex in d_k, and the chord of the convex h(v) + h(total - v) beside the bin's middle lies
    below it at all other whole v: the best d_k of every class for itself bounds the score."""
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
    # The table is rounded by half a unit: that moves the chord by two units for every row of the bin, and the sums
    # by one for every class.
    return <float64_t> (bound + 2 * total + 2 * scan.n_classes + 8)
