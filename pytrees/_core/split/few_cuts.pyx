"""The best cut of few samples whose classes are numbers: all pairs of samples, eight features side by side.

Nodes of few samples are most of a tree whose leaves have one target each. They have no sorted entries, which would take
longer to divide than to search; the partition keeps the ranks of their places.
"""

from pytrees._core.base.simd cimport few_samples, find_few, first_difference, score_few
from pytrees._core.base.sizes cimport MOST_IN_FEW, MOST_WEIGHT_OF_FEW
from pytrees._core.base.types cimport index_t, int16_t, int64_t
from pytrees._core.criteria.squared_error cimport SquaredErrorScan, lowered_squared_error, write_few_residuals
from pytrees._core.criteria.table cimport best_gain, offer_cut
from pytrees._core.rows.partition cimport ranks_of_place
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split, first_place, threshold_of


# Beside what the scores take: the exact numbers of the samples.
cdef struct FewTargets:
    int64_t targets[MOST_IN_FEW]
    int64_t weights[MOST_IN_FEW]


cdef bint find_few_cut(NodeSearch search, SquaredErrorScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started. False: the scores tell nothing, or do not
    hold the weights."""
    cdef few_samples few
    cdef FewTargets exact
    cdef float to_reach
    cdef float* scores = &search.entry_scores.scores_of_few[0]
    cdef index_t k, n_found, stride = <index_t> search.partition.rank_stride
    _lay_out(search, node, &few, &exact)
    if few.n == 2:
        n_found = first_difference(few.ranks[0], few.ranks[1], stride, &search.entry_scores.is_drawn[0])
        if n_found >= 0:
            _offer_feature(search, scan, node, &few, &exact, n_found, 0.0, NULL, best)
            _complete(search, scan, node, best)
        return True
    if scan.total > MOST_WEIGHT_OF_FEW:
        return False
    few.total = <int> scan.total
    for k in range(few.n):
        few.weights[k] = <int16_t> exact.weights[k]
    write_few_residuals(scan, exact.targets, few.weights, few.n, few.residuals)
    to_reach = <float> lowered_squared_error(score_few(&few, stride, &search.entry_scores.is_drawn[0], scores))
    if to_reach <= 0.0:
        return False
    n_found = find_few(few.n, stride, scores, to_reach, &search.entry_scores.found_features[0])
    for k in range(n_found):
        _offer_feature(
            search, scan, node, &few, &exact, search.entry_scores.found_features[k], to_reach, scores, best
        )
    _complete(search, scan, node, best)
    return True


cdef inline void _lay_out(
    NodeSearch search, const NodeRows* node, few_samples* few, FewTargets* exact
) noexcept nogil:
    """Lay out the node's samples, and mark the features that are drawn."""
    cdef index_t i, place, first = first_place(search, node)
    cdef int16_t* is_drawn = &search.entry_scores.is_drawn[0]
    few.n = node.stop - node.start
    for i in range(few.n):
        place = search.partition.rows[node.start + i]
        few.ranks[i] = ranks_of_place(search.partition, node.block, place)
        exact.targets[i] = search.place_targets[first + place]
        exact.weights[i] = search.place_counts[first + place] if search.count_weights.shape[0] > 0 else 1
    for i in range(<index_t> search.partition.n_features):
        is_drawn[i] = 0
    for i in range(search.n_drawn):
        is_drawn[search.drawn[i]] = -1


cdef inline int _offer_feature(
    NodeSearch search, SquaredErrorScan* scan, const NodeRows* node, const few_samples* few, const FewTargets* exact,
    index_t feature, float to_reach, const float* scores, Split* best
) except -1 nogil:
    """Offer the cuts of a feature whose scores reach what is asked, in ascending order; all cuts without scores."""
    cdef index_t found[MOST_IN_FEW]
    cdef index_t i, k, hole, n_found = 0
    cdef int16_t rank
    # found[:n_found] are samples of those met so far, in ascending order of their ranks, one for each rank.
    for i in range(few.n):
        if scores != NULL and scores[i * search.partition.rank_stride + feature] < to_reach:
            continue
        rank = few.ranks[i][feature]
        hole = n_found
        while hole > 0 and few.ranks[found[hole - 1]][feature] > rank:
            hole -= 1
        if hole > 0 and few.ranks[found[hole - 1]][feature] == rank:
            continue
        for k in range(n_found, hole, -1):
            found[k] = found[k - 1]
        found[hole] = i
        n_found += 1
    for i in range(n_found):
        _offer_cut(search, scan, node, few, exact, feature, found[i], best)
    return 0


cdef inline int _offer_cut(
    NodeSearch search, SquaredErrorScan* scan, const NodeRows* node, const few_samples* few, const FewTargets* exact,
    index_t feature, index_t last, Split* best
) except -1 nogil:
    """Offer the cut behind a sample, which has the greatest rank on the left. Behind the greatest rank there is none.
    """
    cdef int16_t last_rank = few.ranks[last][feature], rank, next_rank = 0
    cdef index_t i, n_left = 0, first_right = -1
    scan.left_total = scan.left_sum = 0
    for i in range(few.n):
        rank = few.ranks[i][feature]
        if rank <= last_rank:
            n_left += 1
            scan.left_total += exact.weights[i]
            scan.left_sum += exact.weights[i] * exact.targets[i]
        elif first_right < 0 or rank < next_rank:
            first_right, next_rank = i, rank
    if first_right < 0 or not offer_cut(scan, search.counts, False):
        return 0
    best.feature = feature
    best.n_left = n_left
    best.last_left = search.partition.rows[node.start + last]
    best.first_right = search.partition.rows[node.start + first_right]
    return 0


cdef inline int _complete(
    NodeSearch search, SquaredErrorScan* scan, const NodeRows* node, Split* best
) except -1 nogil:
    if not search.defers_thresholds:
        best.threshold = threshold_of(search, node, best)
    return best_gain(scan, &best.gain)
