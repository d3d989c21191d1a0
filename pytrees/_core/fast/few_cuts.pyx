"""The best cut of few samples whose classes are numbers: all pairs of samples, eight features side by side.

Nodes of few samples are most of a tree whose leaves have one target each. They have no sorted entries, which would take
longer to divide than to search; the partition keeps the ranks of their places.
"""

from libc.math cimport INFINITY

from pytrees._core.base.sizes cimport MOST_IN_FEW, MOST_SORTED_IN_FEW, MOST_WEIGHT_OF_FEW
from pytrees._core.base.types cimport index_t, int16_t, int64_t
from pytrees._core.criteria.table cimport best_gain, offer_cut
from pytrees._core.fast.bounds cimport FewScan
from pytrees._core.fast.entry_scores cimport write_few_residuals
from pytrees._core.fast.score_table cimport lowered, put_left
from pytrees._core.fast.simd cimport few_samples, find_few, first_difference, score_few, score_of_few
from pytrees._core.fast.state cimport FastState
from pytrees._core.rows.partition cimport ranks_of_place
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split, first_place, threshold_of


# Beside what the scores take: the exact numbers of the samples, and the sides of the best cut so far. A bit of the
# sides is set if a sample goes to the right.
cdef struct FewTargets:
    int64_t targets[MOST_IN_FEW]
    int64_t weights[MOST_IN_FEW]
    int sides
    # The cuts of the samples in the order of their targets, one of which no other cut beats: scores and sides.
    index_t n_in_order
    float scores_in_order[MOST_IN_FEW]
    int sides_in_order[MOST_IN_FEW]


cdef bint find_few_cut(
    FastState fast, NodeSearch search, FewScan* scan, const NodeRows* node, Split* best
) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started. False: the scores tell nothing, or do not
    hold the weights."""
    cdef few_samples few
    cdef FewTargets exact
    cdef float to_reach, enough = INFINITY, best_score = 0.0
    cdef float* scores = &fast.entry_scores.scores_of_few[0]
    cdef const int16_t* is_drawn = &fast.entry_scores.is_drawn[0]
    cdef index_t* found = &fast.entry_scores.found_features[0]
    cdef index_t k, n_found, first = 0, stop = 0, stride = <index_t> search.partition.rank_stride
    _lay_out(fast, search, node, &few, &exact)
    if few.n == 2:
        k = first_difference(few.ranks[0], few.ranks[1], stride, is_drawn)
        if k >= 0:
            _offer_cut(search, scan, node, &few, &exact, k, 2 if few.ranks[0][k] < few.ranks[1][k] else 1, best)
            _complete(fast, search, scan, node, best)
        return True
    if scan.total > MOST_WEIGHT_OF_FEW:
        return False
    few.total = <int> scan.total
    for k in range(few.n):
        few.weights[k] = <int16_t> exact.weights[k]
    write_few_residuals(scan, exact.targets, few.weights, few.n, few.residuals)
    if few.n <= MOST_SORTED_IN_FEW and stride > 8:
        enough = _enough(scan, &few, &exact)
    while stop < stride:
        first = stop
        best_score = max(best_score, score_few(&few, stride, is_drawn, first, enough, scores, &stop))
        to_reach = lowered(scan, best_score, True)
        if to_reach <= 0.0:
            return False        # nothing has been offered yet
        n_found = find_few(few.n, stride, scores, first, stop, to_reach, found)
        for k in range(n_found):
            _offer_feature(fast, search, scan, node, &few, &exact, found[k], to_reach, best)
        if stop < stride and _is_greatest(search, scan, &few, &exact, enough):
            break       # no later feature has a better cut
    _complete(fast, search, scan, node, best)
    return True


cdef inline float _enough(const FewScan* scan, const few_samples* few, FewTargets* exact) noexcept nogil:
    """List the cuts in the order of the targets. Return the score that the best cut of all may reach; infinity if the
    errors swallow it."""
    cdef index_t order[MOST_IN_FEW], i, hole
    cdef int sum_of_left = 0, weight = 0, sides = (1 << few.n) - 1
    cdef float score, greatest = 0.0
    for i in range(few.n):
        hole = i
        while hole > 0 and exact.targets[order[hole - 1]] > exact.targets[i]:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = i
    exact.n_in_order = 0
    for i in range(few.n - 1):
        sum_of_left += few.residuals[order[i]]
        weight += few.weights[order[i]]
        sides -= 1 << order[i]
        if exact.targets[order[i]] == exact.targets[order[i + 1]]:
            continue
        score = score_of_few(sum_of_left, weight, few.total)
        exact.scores_in_order[exact.n_in_order] = score
        exact.sides_in_order[exact.n_in_order] = sides
        exact.n_in_order += 1
        greatest = max(greatest, score)
    score = lowered(scan, greatest, True)
    return score if score > 0.0 else INFINITY


cdef bint _is_greatest(
    NodeSearch search, const FewScan* scan, const few_samples* few, const FewTargets* exact, float enough
) except -1 nogil:
    """Whether no cut at all is better than the best so far, exactly."""
    cdef FewScan other
    cdef index_t k, i
    cdef int64_t weight, sum_of_left
    for k in range(exact.n_in_order):
        if exact.scores_in_order[k] < enough or _are_same(exact.sides_in_order[k], exact.sides, few.n):
            continue
        other = scan[0]
        weight = sum_of_left = 0
        for i in range(few.n):
            if not exact.sides_in_order[k] >> i & 1:
                weight += exact.weights[i]
                sum_of_left += exact.weights[i] * exact.targets[i]
        put_left(&other, weight, sum_of_left)
        if offer_cut(&other, search.counts, False):
            return False
    return True


cdef inline bint _are_same(int sides, int others, index_t n) noexcept nogil:
    """Whether two cuts divide the samples alike, whichever side is on the left."""
    return sides == others or sides == (1 << n) - 1 - others


cdef inline void _lay_out(
    FastState fast, NodeSearch search, const NodeRows* node, few_samples* few, FewTargets* exact
) noexcept nogil:
    """Lay out the node's samples, and mark the features that are drawn."""
    cdef index_t i, place, first = first_place(search, node)
    cdef int16_t* is_drawn = &fast.entry_scores.is_drawn[0]
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
    FastState fast, NodeSearch search, FewScan* scan, const NodeRows* node, const few_samples* few, FewTargets* exact,
    index_t feature, float to_reach, Split* best
) except -1 nogil:
    """Offer the cuts of a feature whose scores reach what is asked, in ascending order: fewer and fewer samples go to
    the right."""
    cdef int found[MOST_IN_FEW], sides
    cdef index_t i, k, hole, n_found = 0
    # found[:n_found] are the sides of the cuts met so far: each has those of its cut which go to the right after it.
    for i in range(few.n):
        if fast.entry_scores.scores_of_few[i * search.partition.rank_stride + feature] < to_reach:
            continue
        sides = 0
        for k in range(few.n):
            sides |= (few.ranks[k][feature] > few.ranks[i][feature]) << k
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
        if not _are_same(found[i], exact.sides, few.n):
            _offer_cut(search, scan, node, few, exact, feature, found[i], best)


cdef inline int _offer_cut(
    NodeSearch search, FewScan* scan, const NodeRows* node, const few_samples* few, FewTargets* exact,
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


cdef inline int _complete(
    FastState fast, NodeSearch search, FewScan* scan, const NodeRows* node, Split* best
) except -1 nogil:
    if not fast.defers_thresholds:
        best.threshold = threshold_of(search, node, best)
    return best_gain(scan, &best.gain)
