"""Scores of ranking impurity of two classes in vectors: of a node's bins, and of all pairs of samples.

Scores are in single precision. They choose the cuts that are worth an exact look.
"""

from pytrees._core.base.simd cimport (
    BY_RANKING, BY_WEIGHED_RANKING, mark_edges, node_weights, score_edges, score_sums,
)
from pytrees._core.base.types cimport index_t, int32_t, uint16_t, uint32_t
from pytrees._core.criteria.ranking cimport BinaryRankingScan
from pytrees._core.rows.node_bins cimport NodeBins, NodeFeature


cdef inline node_weights _node_weights(const BinaryRankingScan* scan) noexcept nogil:
    cdef node_weights node
    node.of_0, node.of_1 = <int32_t> scan.total_counts[0], <int32_t> scan.total_counts[1]
    node.judge = BY_WEIGHED_RANKING if scan.weighs_children else BY_RANKING
    return node


cdef inline float score_bins_by_ranking(
    const BinaryRankingScan* scan, NodeFeature* feature, index_t first, index_t last
) noexcept nogil:
    """Score the cuts behind counted bins, and return the greatest score of the bins [first, last)."""
    return score_edges(
        <const uint32_t*> feature.counts, feature.n_bins, first, last, _node_weights(scan), feature.scores
    )


cdef inline index_t mark_bins_by_ranking(
    const BinaryRankingScan* scan, NodeBins bins, const NodeFeature* feature, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score; return their number."""
    return mark_edges(
        <const uint32_t*> feature.counts, feature.n_bins, _node_weights(scan), to_reach, &bins.is_marked[0]
    )


cdef inline float score_pairs_by_ranking(
    const BinaryRankingScan* scan, NodeFeature* feature, index_t n
) noexcept nogil:
    """Score the cuts behind all samples, whose sums are known; return the greatest score."""
    return score_sums(<const uint16_t*> feature.counts, n, _node_weights(scan), feature.scores)
