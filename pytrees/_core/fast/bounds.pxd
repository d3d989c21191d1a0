"""Bounds of the scores of cuts inside a bin, of every criterion that has them: all are on the scale of `best_score_of`.
`bounds_of_criteria` has the formulas."""

from libc.math cimport INFINITY

from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan, OrdinalGiniScan
from pytrees._core.criteria.ranking cimport BinaryRankingScan, RankingScan
from pytrees._core.criteria.squared_error cimport SquaredErrorScan
from pytrees._core.criteria.table cimport move_left
from pytrees._core.criteria.wide cimport BoxedScan, WideBinaryScan, WideScan, move_box_left
from pytrees._core.fast.bounds_of_criteria cimport (
    bound_of_binary_ranking, bound_of_entropy, bound_of_gini, bound_of_ordinal_gini, bound_of_squared_error,
    bound_of_wide, highest_rise_of_binary_ranking, highest_rise_of_entropy, highest_rise_of_gini,
    highest_rise_of_ordinal_gini, highest_rise_of_wide, left_ranks_by_ordinal_gini, move_counts_by_ordinal_gini,
)
from pytrees._core.fast.histogram cimport BinSums, zeros_of


# Criteria that bound the scores of cuts inside a bin.
ctypedef fused BinnedScan:
    BinaryGiniScan
    GiniScan
    EntropyScan
    OrdinalGiniScan
    BinaryRankingScan
    SquaredErrorScan


# Criteria that have scores in vectors, of bins or of sorted entries.
ctypedef fused ScoredScan:
    BinnedScan
    RankingScan


# Criteria with bounds and, for two classes, sums of weights on a fine grid.
ctypedef fused BoundedScan:
    BinnedScan
    WideBinaryScan
    WideScan


# Criteria that compare few samples in pairs.
ctypedef fused FewScan:
    SquaredErrorScan


cdef inline void move_bin_left(BoundedScan* scan, const int32_t* counts, index_t n_classes) noexcept nogil:
    """Move samples of these class counts, or sums of targets, to the left child."""
    cdef index_t label
    if BoundedScan is SquaredErrorScan:
        scan.left_total += (<const BinSums*> counts).weight
        scan.left_sum += (<const BinSums*> counts).sum
    elif BoundedScan in BoxedScan:
        move_box_left(scan, zeros_of(<const BinSums*> counts), (<const BinSums*> counts).sum)
    elif BoundedScan is BinaryGiniScan or BoundedScan is BinaryRankingScan:
        move_left(scan, 0, counts[0])
        move_left(scan, 1, counts[1])
    elif BoundedScan is OrdinalGiniScan:
        move_counts_by_ordinal_gini(scan, counts)
    else:
        for label in range(n_classes):
            if counts[label] > 0:
                move_left(scan, label, counts[label])


cdef inline int64_t left_total_of(const BoundedScan* scan) noexcept nogil:
    if BoundedScan is WideBinaryScan:
        return <int64_t> (scan.left_0 + scan.left_1)
    else:
        return scan.left_total


cdef inline float64_t best_score_of(const BoundedScan* scan) noexcept nogil:
    """Return the score of the best cut so far; there is one."""
    if BoundedScan is EntropyScan:
        return <float64_t> scan.best.score
    elif BoundedScan is BinaryRankingScan:
        return -<float64_t> scan.best_cost
    elif BoundedScan is WideBinaryScan:
        return scan.to_beat
    elif BoundedScan is WideScan:
        return scan.to_reach
    else:
        return scan.to_beat / scan.best_product


cdef inline float64_t tie_margin(const BoundedScan* scan) noexcept nogil:
    """Return how much a score may be below another one and still be as good."""
    if BoundedScan is EntropyScan:
        return 2.0 * <float64_t> scan.best.margin
    elif BoundedScan is WideScan:
        return 4.0 * scan.error
    else:
        return 0.0


cdef inline float64_t highest_rise(const BoundedScan* scan, int64_t total) noexcept nogil:
    """Return by how much the score of a cut inside a bin of `total` samples can exceed the scores at its edges."""
    if BoundedScan is EntropyScan:
        return highest_rise_of_entropy(scan, total)
    elif BoundedScan is BinaryRankingScan:
        return highest_rise_of_binary_ranking(scan, total)
    elif BoundedScan is SquaredErrorScan:
        return INFINITY
    elif BoundedScan in BoxedScan:
        return highest_rise_of_wide(scan, total)
    elif BoundedScan is OrdinalGiniScan:
        return highest_rise_of_ordinal_gini(scan, total)
    else:
        return highest_rise_of_gini(scan, total)


cdef inline float64_t upper_bound(
    const BoundedScan* scan, const int32_t* counts, int64_t total, float64_t to_reach
) noexcept nogil:
    """Bound the score of every cut inside a bin of these class counts, `total` in all, or of these sums of targets. The
    bin's left edge is the present cut. A bound below `to_reach` may be a coarse one."""
    if BoundedScan is EntropyScan:
        return bound_of_entropy(scan, counts, total)
    elif BoundedScan is BinaryRankingScan:
        return bound_of_binary_ranking(scan, counts, total)
    elif BoundedScan is SquaredErrorScan:
        return bound_of_squared_error(scan, <const BinSums*> counts)
    elif BoundedScan in BoxedScan:
        return bound_of_wide(scan, zeros_of(<const BinSums*> counts), (<const BinSums*> counts).sum, to_reach)
    elif BoundedScan is OrdinalGiniScan:
        return bound_of_ordinal_gini(scan, counts, total)
    else:
        return bound_of_gini(scan, counts, total, to_reach)


cdef inline int64_t left_ranks(const BoundedScan* scan) noexcept nogil:
    """Return the sum of the ranks of the left child's classes, or of its targets: of two classes, the samples of the
    second."""
    cdef index_t label
    cdef int64_t total = 0
    if BoundedScan is BinaryGiniScan:
        total = (scan.difference - scan.left_total * scan.steps[0]) // scan.total
    elif BoundedScan is BinaryRankingScan:
        total = scan.left_counts[1]
    elif BoundedScan is SquaredErrorScan:
        total = scan.left_sum
    elif BoundedScan is WideBinaryScan:
        total = <int64_t> scan.left_1
    elif BoundedScan is OrdinalGiniScan:
        total = left_ranks_by_ordinal_gini(scan)
    else:
        for label in range(scan.n_classes):
            total += label * scan.left_counts[label]
    return total
