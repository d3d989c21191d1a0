"""The best cut of few samples whose classes are numbers: all pairs of samples, eight features side by side.

Nodes of few samples are most of a tree whose leaves have one target each. They have no sorted entries, which would take
longer to divide than to search; the partition keeps the ranks of their places.
"""

from pytrees._core.base.simd cimport few_samples, find_few, first_difference, score_few
from pytrees._core.base.sizes cimport MOST_IN_FEW, MOST_WEIGHT_OF_FEW
from pytrees._core.base.types cimport index_t, int16_t, int64_t, uint16_t
from pytrees._core.criteria.score_table cimport lay_out_few, lowered, put_left
from pytrees._core.criteria.table cimport BinnedScan, best_gain, offer_cut
from pytrees._core.rows.partition cimport ranks_of_place
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split, first_place, threshold_of


# Beside what the scores take: the exact numbers of the samples, and the sides of the best cut so far.
cdef struct FewTargets:
    int64_t targets[MOST_IN_FEW]
    int64_t weights[MOST_IN_FEW]
    int sides


cdef bint find_few_cut(NodeSearch search, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started. False: the scores tell nothing, or do not
    hold the weights."""
    cdef few_samples few
    cdef FewTargets exact
    cdef float to_reach
    cdef float* scores = &search.entry_scores.scores_of_few[0]
    cdef uint16_t* sides = &search.entry_scores.sides_of_few[0]
    cdef const int16_t* is_drawn = &search.entry_scores.is_drawn[0]
    cdef index_t k, n_found, stride = <index_t> search.partition.rank_stride
    _lay_out(search, node, &few, &exact)
    if few.n == 2:
        k = first_difference(few.ranks[0], few.ranks[1], stride, is_drawn)
        if k >= 0:
            _offer_cut(search, scan, node, &few, &exact, k, 2 if few.ranks[0][k] < few.ranks[1][k] else 1, best)
            _complete(search, scan, node, best)
        return True
    if scan.total > MOST_WEIGHT_OF_FEW:
        return False
    few.total = <int> scan.total
    for k in range(few.n):
        few.weights[k] = <int16_t> exact.weights[k]
    lay_out_few(scan, exact.targets, few.weights, few.n, few.residuals)
    to_reach = lowered(scan, score_few(&few, stride, is_drawn, scores, sides), True)
    if to_reach <= 0.0:
        return False
    n_found = find_few(few.n, stride, scores, to_reach, &search.entry_scores.found_features[0])
    for k in range(n_found):
        _offer_feature(search, scan, node, &few, &exact, search.entry_scores.found_features[k], to_reach, best)
    _complete(search, scan, node, best)
    return True


cdef inline void _lay_out(
    NodeSearch search, const NodeRows* node, few_samples* few, FewTargets* exact
) noexcept nogil:
    """Lay out the node's samples, and mark the features that are drawn."""
    cdef index_t i, place, first = first_place(search, node)
    cdef int16_t* is_drawn = &search.entry_scores.is_drawn[0]
    few.n = node.stop - node.start
    exact.sides = 0
    for i in range(few.n):
        place = search.partition.rows[node.start + i]
        few.ranks[i] = ranks_of_place(search.partition, node.block, place)
        exact.targets[i] = search.place_targets[first + place]
        exact.weights[i] = search.place_counts[first + place] if search.count_weights.shape[0] > 0 else 1
    if search.max_features >= search.partition.n_features:
        return      # all are drawn
    for i in range(<index_t> search.partition.n_features):
        is_drawn[i] = 0
    for i in range(search.n_drawn):
        is_drawn[search.drawn[i]] = -1


cdef inline int _offer_feature(
    NodeSearch search, BinnedScan* scan, const NodeRows* node, const few_samples* few, FewTargets* exact,
    index_t feature, float to_reach, Split* best
) except -1 nogil:
    """Offer the cuts of a feature whose scores reach what is asked, in ascending order: fewer and fewer samples go to
    the right."""
    cdef int found[MOST_IN_FEW]
    cdef int sides
    cdef index_t i, k, hole, n_found = 0
    # found[:n_found] are the sides of the cuts met so far: each has those of its cut which go to the right after it.
    for i in range(few.n):
        if search.entry_scores.scores_of_few[i * search.partition.rank_stride + feature] < to_reach:
            continue
        sides = search.entry_scores.sides_of_few[i * search.partition.rank_stride + feature]
        hole = n_found
        while hole > 0 and found[hole - 1] & ~sides == 0:
            hole -= 1
        if hole < n_found and found[hole] == sides:
            continue
        for k in range(n_found, hole, -1):
            found[k] = found[k - 1]
        found[hole] = sides
        n_found += 1
    for i in range(n_found):
        # Most features have a cut that divides the samples as the best one so far, and gains no more.
        if found[i] != exact.sides and found[i] != (1 << few.n) - 1 - exact.sides:
            _offer_cut(search, scan, node, few, exact, feature, found[i], best)
    return 0


cdef inline int _offer_cut(
    NodeSearch search, BinnedScan* scan, const NodeRows* node, const few_samples* few, FewTargets* exact,
    index_t feature, int sides, Split* best
) except -1 nogil:
    """Offer the cut that sends the samples whose bits are set to the right; there are samples on both sides."""
    cdef index_t i, n_left = 0, last_left = -1, first_right = -1
    cdef int64_t weight = 0, sum_of_left = 0
    for i in range(few.n):
        if not sides >> i & 1:
            n_left += 1
            weight += exact.weights[i]
            sum_of_left += exact.weights[i] * exact.targets[i]
            if last_left < 0 or few.ranks[i][feature] > few.ranks[last_left][feature]:
                last_left = i
        elif first_right < 0 or few.ranks[i][feature] < few.ranks[first_right][feature]:
            first_right = i
    put_left(scan, weight, sum_of_left)
    if not offer_cut(scan, search.counts, False):
        return 0
    exact.sides = sides
    best.feature = feature
    best.n_left = n_left
    best.last_left = search.partition.rows[node.start + last_left]
    best.first_right = search.partition.rows[node.start + first_right]
    return 0


cdef inline int _complete(
    NodeSearch search, BinnedScan* scan, const NodeRows* node, Split* best
) except -1 nogil:
    if not search.defers_thresholds:
        best.threshold = threshold_of(search, node, best)
    return best_gain(scan, &best.gain)
