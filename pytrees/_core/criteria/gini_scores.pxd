"""Scores of Gini impurity in vectors: of sorted entries, of a node's bins, and of all pairs of samples.

Scores are in single precision. They choose the cuts that are worth an exact look.
"""

from pytrees._core.base.simd cimport (
    BY_GINI, edges_of_rows, mark_edges, mark_rows, node_weights, score_classes, score_edges, score_squares, score_sums,
    score_two_classes, sum_squares_of_few, sum_squares_of_pairs, sum_up_rows, write_factors,
)
from pytrees._core.base.sizes cimport MOST_OF_FEW, MOST_PAIRED
from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.gini cimport AnyGiniScan, BinaryGiniScan, GiniScan
from pytrees._core.rows.node_bins cimport NodeBins, NodeFeature, PairedSamples


cdef inline node_weights weights_of_binary_gini(const BinaryGiniScan* scan) noexcept nogil:
    cdef node_weights node
    # A sample of class 1 adds the samples of class 0 to the difference; a sample of class 0 subtracts those of class 1.
    node.of_0, node.of_1 = <int32_t> scan.steps[1], <int32_t> -scan.steps[0]
    node.judge = BY_GINI
    return node


cdef inline float64_t perfect_score_of_gini(const AnyGiniScan* scan) noexcept nogil:
    """Return the score of a cut that leaves one class in each child."""
    if AnyGiniScan is BinaryGiniScan:
        return -<float64_t> scan.steps[0] * <float64_t> scan.steps[1]
    else:
        return <float64_t> scan.total


# --------------------------------------------------------------------------------------------------- sorted entries

# Arrays that the scores of sorted entries read and write. The factors of cuts that are not allowed are 0.
cdef struct EntryScores:
    float* left_factors     # by the samples on the left, less one: see simd_sorted.h
    float* right_factors
    uint64_t* steps         # by class
    uint32_t* found         # cuts that could be the best
    uint64_t* squares_of_found


cdef inline void allow_entries_by_gini(
    const AnyGiniScan* scan, const EntryScores* scores, index_t n, index_t fewest_left, index_t most_left
) noexcept nogil:
    """Write the factors of the cuts that leave a number of samples on the left which is allowed."""
    if AnyGiniScan is BinaryGiniScan:
        write_factors(n, fewest_left, most_left, scores.left_factors, NULL)
    else:
        write_factors(n, fewest_left, most_left, scores.left_factors, scores.right_factors)


cdef inline float score_entries_by_gini(
    const AnyGiniScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n, index_t first_of_1,
    const uint16_t* labels
) noexcept nogil:
    """Return the greatest score of a feature's cuts, 0 if none is allowed or gains anything."""
    if AnyGiniScan is BinaryGiniScan:
        return score_two_classes(
            entries, n, first_of_1, weights_of_binary_gini(scan), scores.left_factors, 0.0, NULL, NULL
        )
    else:
        return score_classes(
            entries, n, labels, scan.total_counts, scan.n_classes, scores.left_factors, scores.right_factors,
            scores.steps, 0.0, NULL, NULL, NULL,
        )


cdef inline index_t find_entries_by_gini(
    const AnyGiniScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n, index_t first_of_1,
    const uint16_t* labels, float to_reach
) noexcept nogil:
    """List the cuts whose scores reach `to_reach`, in ascending order; return their number."""
    cdef index_t n_found
    if AnyGiniScan is BinaryGiniScan:
        score_two_classes(
            entries, n, first_of_1, weights_of_binary_gini(scan), scores.left_factors, to_reach, scores.found, &n_found
        )
    else:
        score_classes(
            entries, n, labels, scan.total_counts, scan.n_classes, scores.left_factors, scores.right_factors,
            scores.steps, to_reach, scores.found, scores.squares_of_found, &n_found,
        )
    return n_found


cdef inline index_t take_entries_left_by_gini(AnyGiniScan* scan, const EntryScores* scores, index_t i) noexcept nogil:
    """Put the samples of the i-th cut that was found into the left child; return how many there are."""
    cdef uint64_t squares
    if AnyGiniScan is BinaryGiniScan:
        scan.left_total = scores.found[i] >> 16
        scan.difference = (scores.found[i] & 0xFFFF) * scan.total + scan.left_total * scan.steps[0]
    else:
        squares = scores.squares_of_found[i]
        scan.left_total = scores.found[i]
        scan.left_squares = <int64_t> (squares & <uint64_t> 0xFFFFFFFF)
        scan.right_squares = scan.total_squares - <int64_t> (squares >> 32)
    return <index_t> scan.left_total


# ------------------------------------------------------------------------------------------------- bins of the node

cdef inline edges_of_rows _edges(const NodeFeature* feature) noexcept nogil:
    cdef edges_of_rows edges
    edges.scores, edges.weights = feature.scores, feature.weights
    edges.left_squares, edges.right_squares = feature.left_squares, feature.right_squares
    return edges


cdef inline float score_bins_by_gini(
    const AnyGiniScan* scan, NodeBins bins, NodeFeature* feature, index_t first, index_t last
) noexcept nogil:
    """Score the cuts behind counted bins, and return the greatest score of the bins [first, last)."""
    cdef edges_of_rows edges
    if AnyGiniScan is BinaryGiniScan:
        return score_edges(
            <const uint32_t*> feature.counts, feature.n_bins, first, last, weights_of_binary_gini(scan), feature.scores
        )
    else:
        edges = _edges(feature)
        (feature.scores - 1)[0] = <float> scan.total_squares / <float> scan.total
        (feature.right_squares - 1)[0] = <float> scan.total_squares
        return sum_up_rows(
            <uint16_t*> feature.counts, feature.n_bins, bins.n_lanes, &bins.node_row[0], <float> scan.total, first,
            last, &edges,
        )


cdef inline index_t mark_bins_by_gini(
    const AnyGiniScan* scan, NodeBins bins, const NodeFeature* feature, bint allows_all, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score; return their number."""
    cdef edges_of_rows edges
    if AnyGiniScan is BinaryGiniScan:
        return mark_edges(
            <const uint32_t*> feature.counts, feature.n_bins, weights_of_binary_gini(scan), to_reach,
            &bins.is_marked[0],
        )
    else:
        edges = _edges(feature)
        return mark_rows(
            <const uint16_t*> feature.counts, feature.n_bins, bins.n_lanes, &bins.node_row[0], <float> scan.total,
            to_reach, allows_all, &edges, &bins.is_marked[0],
        )


# -------------------------------------------------------------------------------------------------------- all pairs

cdef inline float score_pairs_by_gini(
    const AnyGiniScan* scan, NodeFeature* feature, const PairedSamples* samples, const uint16_t* keys, index_t n
) noexcept nogil:
    """Score the cuts behind all samples, whose sums of two classes are known; return the greatest score."""
    cdef uint16_t* sums = <uint16_t*> feature.counts
    cdef uint16_t* right_squares = sums + MOST_PAIRED
    cdef uint16_t* left = right_squares + MOST_PAIRED
    if AnyGiniScan is BinaryGiniScan:
        return score_sums(sums, n, weights_of_binary_gini(scan), feature.scores)
    else:
        if n <= MOST_OF_FEW:
            sum_squares_of_few(keys, samples.few, &samples.classes, n, sums, right_squares, left)
        else:
            sum_squares_of_pairs(keys, samples.weights, &samples.classes, n, sums, right_squares, left)
        return score_squares(sums, right_squares, left, n, <float> scan.total, feature.scores)


cdef inline void take_pair_left_by_gini(GiniScan* scan, const NodeFeature* feature, index_t i) noexcept nogil:
    """Put the samples of no greater key than the i-th one into the left child: their sums are known."""
    cdef const uint16_t* sums = <const uint16_t*> feature.counts
    scan.left_squares = sums[i]
    scan.right_squares = sums[MOST_PAIRED + i]
    scan.left_total = sums[2 * MOST_PAIRED + i]
