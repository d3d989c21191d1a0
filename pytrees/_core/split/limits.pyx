"""All limits on splits: samples and weights of children, monotonic constraints, and thresholds to try."""

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport MISSING_LEFT, MISSING_RIGHT, index_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.counts cimport are_numbers
from pytrees._core.rows.category_splits cimport count_children
from pytrees._core.split.allowed_cuts cimport AllowedCuts, choose_candidates, last_cut
from pytrees._core.split.monotonic cimport NodeValue, joined, keeps_order, less
from pytrees._core.split.node_search cimport (
    NodeRows, NodeSearch, direction_of, first_place, label_of_place, value_of_counted, value_of_missing, weight_of_node,
    weight_of_place,
)


# --------------------------------------------------------------------------------------------------- cuts of a feature

cdef void _allow_by_weight(
    NodeSearch search, const NodeRows* node, const Entry* entries, index_t n_missing, AllowedCuts* allowed
) noexcept nogil:
    cdef index_t i, side, first = first_place(search, node), n_known = node.stop - node.start - n_missing
    cdef index_t[2] light_left, heavy_right
    cdef int64_t known = 0, missing = 0, left, total = weight_of_node(search)
    for i in range(n_missing):
        missing += weight_of_place(search, first + <index_t> place_of(entries[n_known + i]))
    light_left[0] = light_left[1] = heavy_right[0] = heavy_right[1] = 0
    # entries[:i + 1] weigh `known`. The first light_left of these beginnings weigh too little, and the first
    # heavy_right leave enough on the right: without missing values, and with them.
    for i in range(n_known):
        known += weight_of_place(search, first + <index_t> place_of(entries[i]))
        for side in range(2):
            left = known + missing if side == MISSING_LEFT else known
            light_left[side] += left < search.limits.min_leaf_weight
            heavy_right[side] += total - left >= search.limits.min_leaf_weight
    for side in range(2):
        allowed.fewest[side] = max(allowed.fewest[side], light_left[side] + 1)
        allowed.most[side] = min(allowed.most[side], heavy_right[side])


cdef void allow_by_order(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* entries, index_t n_missing,
    AllowedCuts* allowed
) noexcept nogil:
    """Allow only cuts that keep the feature's monotonic constraint, and choose anew which cuts are tried. The classes
    of samples that lack the value are tallied, and medians of the cuts are known if these are the values."""
    cdef int side
    for side in range(2):
        allowed.keeps_order[side] = &search.keeps_order[side, 0]
    if search.counts.errors is not None:
        _compare_medians(search, feature, entries, n_missing, allowed)
    else:
        _compare_means(search, feature, entries, first_place(search, node), n_missing, allowed)
    choose_candidates(allowed, entries, search.limits.max_candidates)


cdef inline void _compare_means(
    NodeSearch search, index_t feature, const Entry* entries, index_t first, index_t n_missing, AllowedCuts* allowed
) noexcept nogil:
    cdef int side, direction = direction_of(search, feature)
    cdef index_t i, place
    cdef int64_t weight = 1
    cdef NodeValue node_value = value_of_counted(search), missing = NodeValue(0, 0), left = missing, right
    cdef NodeValue[2] on_left
    if n_missing > 0:
        missing = value_of_missing(search)
    # The places of entries[:i + 1] have moved to the left.
    for i in range(last_cut(allowed)):
        place = first + <index_t> place_of(entries[i])
        if search.count_weights.shape[0] > 0:
            weight = search.place_counts[place]
        left.weight += weight
        left.total += <int128_t> weight * (
            search.place_targets[place] if are_numbers(search.counts) else label_of_place(search, place, entries)
        )
        if key_of(entries[i]) == key_of(entries[i + 1]):
            continue
        on_left[MISSING_RIGHT] = left
        on_left[MISSING_LEFT] = joined(&left, &missing)
        for side in range(2 if n_missing > 0 else 1):
            right = less(&node_value, &on_left[side])
            search.keeps_order[side, i + 1] = keeps_order(direction, &on_left[side], &right, &search.bounds)


cdef inline void _compare_medians(
    NodeSearch search, index_t feature, const Entry* entries, index_t n_missing, AllowedCuts* allowed
) noexcept nogil:
    cdef int side, direction = direction_of(search, feature)
    cdef index_t i
    cdef NodeValue left, right
    for i in range(1, last_cut(allowed) + 1):
        if key_of(entries[i - 1]) == key_of(entries[i]):
            continue
        for side in range(2 if n_missing > 0 else 1):
            left = NodeValue(search.counts.errors.left_medians[side, i], 1)
            right = NodeValue(search.counts.errors.right_medians[side, i], 1)
            search.keeps_order[side, i] = keeps_order(direction, &left, &right, &search.bounds)


# -------------------------------------------------------------------------------------------------- splits by category

cdef index_t allowed_children(NodeSearch search, const NodeRows* node, const Entry* entries) noexcept nogil:
    """Return how many children the categories of sorted entries make, 0 if a limit forbids one of them."""
    cdef index_t n_children = count_children(entries, node.stop - node.start, search.limits.min_samples_leaf)
    if search.limits.min_leaf_weight > 0 and not _children_weigh_enough(search, node, entries):
        return 0
    return n_children


cdef inline bint _children_weigh_enough(NodeSearch search, const NodeRows* node, const Entry* entries) noexcept nogil:
    """Whether every child of a node, which is in a block, has the least weight of a leaf."""
    cdef index_t i, first = first_place(search, node)
    cdef int64_t weight = 0
    # `weight` is the weight of the last child's samples in entries[:i]; the children before it weigh enough.
    for i in range(node.stop - node.start):
        if i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            if weight < search.limits.min_leaf_weight:
                return False
            weight = 0
        weight += weight_of_place(search, first + <index_t> place_of(entries[i]))
    return weight >= search.limits.min_leaf_weight


cdef bint may_divide(NodeSearch search, index_t n) noexcept nogil:
    """Whether the n samples of the node that was counted last suffice for two sets of categories."""
    return 2 * <int64_t> search.limits.min_samples_leaf <= n and (
        search.limits.min_leaf_weight <= 0 or 2 * search.limits.min_leaf_weight <= weight_of_node(search)
    )


cdef bint allows_division(NodeSearch search, index_t n_left, int64_t left_weight, index_t n) noexcept nogil:
    """Whether both sides of a division of the n samples into two sets of categories have samples enough, and weigh
    enough."""
    if not search.limits.min_samples_leaf <= n_left <= n - search.limits.min_samples_leaf:
        return False
    return search.limits.min_leaf_weight <= 0 or (
        left_weight >= search.limits.min_leaf_weight
        and weight_of_node(search) - left_weight >= search.limits.min_leaf_weight
    )
