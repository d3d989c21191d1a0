"""Growth of a tree whose splits are judged by a distance between clusterings: locally, globally, or both in turn."""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport NAN, ldexp
from libc.stdlib cimport free
from libc.string cimport memmove

from pytrees._core.distances cimport Clusters, ClusterMemory, change_cluster, distance_of, separates
from pytrees._core.gain cimport Gain, exceeds_by_tolerance
from pytrees._core.leaf_scan cimport (
    LeafScan,
    Step,
    decreases,
    end_leaf,
    is_lower,
    precedes,
    scan_feature,
    start_leaf,
)
from pytrees._core.memory cimport reserve
from pytrees._core.node_rows cimport count_classes, start_block
from pytrees._core.partition cimport (
    Features,
    RowPartition,
    has_cut,
    mark_first,
    split_entries,
    split_rows,
    wide_entries,
)
from pytrees._core.scanner cimport NodeRows, Scanner, Split, draw_features, find_split, mix64
from pytrees._core.sides cimport (
    Merit,
    count_sides,
    is_greater_merit,
    merit_of_counts,
    merit_of_weights,
    total_of,
)
from pytrees._core.types cimport (
    ACCURACY,
    ENTROPY,
    GAIN_RATIO,
    GINI,
    JACCARD,
    LEAF,
    MAE,
    NONE,
    UNDEFINED,
    UNLIMITED,
    float64_t,
    index_t,
    int64_t,
    uint64_t,
    uint128_t,
)

from pytrees._core.criteria import is_rational
from pytrees._core.distances import DISTANCES
from pytrees._core.growth import _check

cdef enum:
    ENTRIES_BETWEEN_SIGNALS = 10000000

# Sums of squares of so many rows are exact in floating point.
MOST_ROWS = 2**26


@cython.final
cdef class Growth:
    def __dealloc__(self):
        free(self.nodes)
        free(self.values)
        free(self.open_leaves)


# ------------------------------------------------------------------------------------------------------------- growth

cdef int _grow(Growth growth, uint64_t seed) except -1 nogil:
    cdef NodeRows rows
    cdef Step step
    cdef float64_t gain
    cdef index_t n_steps = 0
    rows.start = 0
    rows.stop = <index_t> growth.partition.n_rows
    rows.slot = NULL
    start_block(growth.scanner, &rows)
    _add_node(growth, &rows, rows.start, rows.stop, 0, NONE, mix64(seed))
    if growth.is_global:
        _move_rows(growth, 0, 1)
    growth.n_leaves = 1
    _open(growth, 0, 0)
    while growth.n_leaves < growth.max_leaf_nodes:
        if not _find_step(growth, &step, &gain):
            break
        _split_leaf(growth, &step, gain, n_steps)
        n_steps += 1
    return 0


cdef index_t _add_node(
    Growth growth, const NodeRows* parent, index_t start, index_t stop, index_t depth, index_t label,
    uint64_t random_state
) except -1 nogil:
    """A leaf of its parent's block, of this label or where that is NONE of its majority's."""
    cdef index_t i, number = growth.n_nodes
    cdef Node* node
    cdef float64_t* value
    reserve(<void**> &growth.nodes, &growth.node_capacity, number + 1, sizeof(Node))
    reserve(
        <void**> &growth.values, &growth.value_capacity, (<Py_ssize_t> number + 1) * growth.n_classes,
        sizeof(float64_t),
    )
    node = &growth.nodes[number]
    node.rows = parent[0]
    node.rows.start = start
    node.rows.stop = stop
    value = &growth.values[<Py_ssize_t> number * growth.n_classes]
    count_classes(growth.scanner, &node.rows, value)
    node.label = label
    if label == NONE:
        node.label = 0
        for i in range(1, growth.n_classes):
            if value[i] > value[node.label]:
                node.label = i
    node.left = LEAF
    node.right = LEAF
    node.feature = UNDEFINED
    node.step = NONE
    node.threshold = UNDEFINED
    node.gain = 0.0
    node.depth = depth
    node.random_state = random_state
    node.knows_local = False
    node.knows_global = False
    growth.n_nodes += 1
    return number


cdef bint _may_split(Growth growth, index_t number) noexcept nogil:
    cdef Node* node = &growth.nodes[number]
    cdef index_t label, n_present = 0
    for label in range(growth.n_classes):
        n_present += growth.values[<Py_ssize_t> number * growth.n_classes + label] > 0.0
    return (
        n_present > 1
        and node.rows.stop - node.rows.start >= growth.min_samples_split
        and node.depth < growth.max_depth
    )


cdef int _open(Growth growth, index_t node, index_t place) except -1 nogil:
    """Put the leaf at this place among the open leaves, if it may be split: 1, otherwise 0."""
    if not _may_split(growth, node):
        return 0
    reserve(<void**> &growth.open_leaves, &growth.open_capacity, growth.n_open + 1, sizeof(index_t))
    memmove(&growth.open_leaves[place + 1], &growth.open_leaves[place], (growth.n_open - place) * sizeof(index_t))
    growth.open_leaves[place] = node
    growth.n_open += 1
    return 1


cdef void _close(Growth growth, index_t place) noexcept nogil:
    growth.n_open -= 1
    memmove(&growth.open_leaves[place], &growth.open_leaves[place + 1], (growth.n_open - place) * sizeof(index_t))


cdef int64_t* _whole_counts(Growth growth, index_t node) noexcept nogil:
    cdef index_t label
    for label in range(growth.n_classes):
        growth.counts[0, label] = <int64_t> growth.values[<Py_ssize_t> node * growth.n_classes + label]
    return &growth.counts[0, 0]


cdef void _move_rows(Growth growth, index_t node, int sign) noexcept nogil:
    """Add the leaf's rows to the cluster of its label, or take them away."""
    change_cluster(&growth.memory.clusters, growth.nodes[node].label, _whole_counts(growth, node), sign)


cdef int _split_leaf(Growth growth, const Step* step, float64_t gain, index_t number) except -1 nogil:
    """Put two leaves in the place of one. Of a global step the gain is not known before."""
    cdef NodeRows rows = growth.nodes[step.leaf].rows
    cdef index_t left, right, place = 0, middle = rows.start + step.n_left, depth = growth.nodes[step.leaf].depth + 1
    cdef uint64_t random_state = growth.nodes[step.leaf].random_state
    cdef bint left_opens, right_opens
    while growth.open_leaves[place] != step.leaf:
        place += 1
    mark_first(growth.partition, rows.block, step.feature, rows.start, rows.stop, step.n_left, step.last_left)
    split_rows(growth.partition, rows.start, rows.stop)
    right = _add_node(growth, &rows, middle, rows.stop, depth, step.right_label, mix64(random_state + 2))
    left = _add_node(growth, &rows, rows.start, middle, depth, step.left_label, mix64(random_state + 1))
    if growth.is_global:
        gain = _change_clusters(growth, step.leaf, left, right, gain)
    growth.nodes[step.leaf].left = left
    growth.nodes[step.leaf].right = right
    growth.nodes[step.leaf].feature = step.feature
    growth.nodes[step.leaf].threshold = step.threshold
    growth.nodes[step.leaf].gain = gain
    growth.nodes[step.leaf].step = number
    growth.n_leaves += 1
    _close(growth, place)
    right_opens = _open(growth, right, place)
    left_opens = _open(growth, left, place)
    if left_opens or right_opens:
        split_entries(growth.partition, rows.block, rows.start, rows.stop, left_opens, right_opens)
    return 0


cdef float64_t _change_clusters(
    Growth growth, index_t leaf, index_t left, index_t right, float64_t gain
) noexcept nogil:
    """Take a leaf's rows to the clusters of its sides. Of a global step, whose gain is NaN, return by how much the
    distance decreases, by the leaf's share of the rows."""
    cdef Clusters* clusters = &growth.memory.clusters
    cdef float64_t before = distance_of(clusters), after, total = 0.0
    cdef index_t label
    _move_rows(growth, leaf, -1)
    _move_rows(growth, left, 1)
    _move_rows(growth, right, 1)
    if gain == gain:
        return gain
    after = distance_of(clusters)
    for label in range(growth.n_classes):
        total += growth.values[<Py_ssize_t> leaf * growth.n_classes + label]
    if growth.code == ENTROPY or growth.code == GAIN_RATIO:
        before, after = after, before
    return (before - after) * <float64_t> clusters.total / total


# -------------------------------------------------------------------------------------------------------------- steps

cdef int _find_step(Growth growth, Step* step, float64_t* gain) except -1 nogil:
    """Write the next split as the evaluation wants it: 1, or 0 where growth stops."""
    cdef bint must_decrease = growth.must_decrease or growth.is_local
    if growth.is_global:
        gain[0] = NAN
        if _find_global(growth, step) and (not must_decrease or decreases(&growth.scan, step)):
            return 1
    if growth.is_local:
        return _find_local(growth, step, gain)
    return 0


cdef int _look_at_the_keyboard(Growth growth, const NodeRows* rows) except -1 nogil:
    growth.n_scanned += <int64_t> (rows.stop - rows.start) * growth.partition.n_features
    if growth.n_scanned >= ENTRIES_BETWEEN_SIGNALS:
        growth.n_scanned = 0
        with gil:
            PyErr_CheckSignals()
    return 0


cdef int _find_global(Growth growth, Step* best) except -1 nogil:
    """Of all open leaves, cuts and labels those of the nearest whole tree (Algorithm 3); 0 where there are none."""
    cdef index_t place = 0, leaf
    cdef Node* node
    cdef bint is_kept = separates(growth.code)
    best.leaf = NONE
    while place < growth.n_open:
        leaf = growth.open_leaves[place]
        node = &growth.nodes[leaf]
        if not node.knows_global or not is_kept:
            node.global_step.leaf = NONE
            if not _scan_leaf(growth, leaf, &node.global_step if is_kept else best):
                _close(growth, place)
                continue
            node.knows_global = True
        if is_kept and (best.leaf == NONE or precedes(&node.global_step, best)):
            best[0] = node.global_step
        place += 1
    return best.leaf != NONE


cdef int _scan_leaf(Growth growth, index_t leaf, Step* best) except -1 nogil:
    """Offer all cuts of the leaf; return 0 where there are none."""
    cdef Node* node = &growth.nodes[leaf]
    cdef NodeRows rows = node.rows
    cdef index_t i, feature
    cdef const uint64_t* entries
    cdef bint can_cut = False
    _look_at_the_keyboard(growth, &rows)
    draw_features(growth.scanner, &rows, node.random_state)
    start_leaf(&growth.scan, leaf, node.label, _whole_counts(growth, leaf))
    for i in range(growth.scanner.n_drawn):
        feature = growth.scanner.drawn[i]
        if has_cut(growth.partition, rows.block, feature, rows.start, rows.stop, growth.scan.min_samples_leaf):
            can_cut = True
            entries = wide_entries(growth.partition, rows.block, feature, rows.start, rows.stop)
            scan_feature(&growth.scan, growth.partition, rows.block, entries, rows.stop - rows.start, feature, best)
    end_leaf(&growth.scan)
    return can_cut


cdef int _find_local(Growth growth, Step* best, float64_t* gain) except -1 nogil:
    """Of all open leaves the one whose best split comes nearest to the classes within it (Algorithm 2)."""
    cdef index_t place = 0
    cdef Node* node
    cdef Node* best_node = NULL
    while place < growth.n_open:
        node = &growth.nodes[growth.open_leaves[place]]
        if not node.knows_local:
            _search(growth, growth.open_leaves[place])
        if node.local_step.leaf == NONE:
            if growth.is_global:
                place += 1
            else:
                _close(growth, place)
            continue
        if (
            best_node == NULL
            or is_greater_merit(&node.merit, &best_node.merit)
            or not is_greater_merit(&best_node.merit, &node.merit)
            and is_lower(&node.local_step, &best_node.local_step)
        ):
            best_node = node
        place += 1
    if best_node == NULL:
        return 0
    best[0] = best_node.local_step
    gain[0] = best_node.local_gain
    return 1


cdef int _search(Growth growth, index_t leaf) except -1 nogil:
    """Find the best split within the leaf."""
    cdef Node* node = &growth.nodes[leaf]
    cdef Split split
    cdef Step* step = &node.local_step
    node.knows_local = True
    step.leaf = NONE
    _look_at_the_keyboard(growth, &node.rows)
    find_split(growth.scanner, &node.rows, node.random_state, &split)
    if split.feature == NONE or growth.must_decrease and not _gains(&split.gain):
        return 0
    step.leaf = leaf
    step.feature = split.feature
    step.n_left = split.n_left
    step.last_left = split.last_left
    step.left_label = NONE
    step.right_label = NONE
    step.threshold = split.threshold
    node.local_gain = split.gain.value
    node.merit = _merit_of_split(growth, leaf, &split)
    return 0


cdef inline bint _gains(const Gain* gain) noexcept nogil:
    return gain.numerator > 0 if gain.denominator > 0 else exceeds_by_tolerance(gain.value, 0.0)


cdef Merit _merit_of_split(Growth growth, index_t leaf, const Split* split) noexcept nogil:
    """Of a criterion that knows no distance, its gain."""
    cdef NodeRows* rows = &growth.nodes[leaf].rows
    cdef Merit merit
    cdef int64_t* counts = &growth.counts[0, 0]
    cdef float64_t* weights = &growth.weights[0, 0]
    cdef index_t k = growth.n_classes
    growth.counts[:] = 0
    growth.weights[:] = 0.0
    count_sides(growth.scanner, rows, split, k, counts, weights)
    if not growth.knows_distance:
        merit.numerator = split.gain.numerator
        merit.denominator = split.gain.denominator * <uint128_t> max(1, total_of(counts, 2 * k))
        merit.value = split.gain.value
        return merit
    if growth.scanner.float_weights.shape[0] == 0:
        return merit_of_counts(growth.code, counts, counts + k, k, &growth.scanner.counts.table[0])
    return merit_of_weights(growth.code, weights, weights + k, k)


# ---------------------------------------------------------------------------------------------------- the tree's arrays

cdef dict _as_arrays(Growth growth):
    cdef index_t[::1] order = np.empty(growth.n_nodes, dtype=np.int32)
    cdef Py_ssize_t i, label, n_nodes = growth.n_nodes, k = growth.n_classes
    cdef int64_t[:, ::1] whole = np.empty((6, n_nodes), dtype=np.int64)
    cdef int64_t[::1] number = np.empty(n_nodes, dtype=np.int64)
    cdef float64_t[:, ::1] real = np.empty((2, n_nodes))
    cdef float64_t[:, ::1] value = np.empty((n_nodes, k))
    cdef const Node* node
    put_in_preorder(growth.nodes, growth.n_nodes, &order[0], np.empty(growth.n_nodes, dtype=np.int32))
    for i in range(n_nodes):
        number[order[i]] = i
    for i in range(n_nodes):
        node = &growth.nodes[order[i]]
        whole[0, i] = LEAF if node.left == LEAF else number[node.left]
        whole[1, i] = LEAF if node.right == LEAF else number[node.right]
        whole[2, i] = node.feature
        whole[3, i] = node.rows.stop - node.rows.start
        whole[4, i] = node.label
        whole[5, i] = node.step
        real[0, i] = node.threshold
        real[1, i] = node.gain
    # Children stand behind their parent; an inner node's weights are those of its children, added.
    for i in range(n_nodes - 1, -1, -1):
        for label in range(k):
            if whole[0, i] == LEAF:
                value[i, label] = growth.values[order[i] * k + label]
            else:
                value[i, label] = value[whole[0, i], label] + value[whole[1, i], label]
    names = ("children_left", "children_right", "feature", "n_node_samples", "label", "split_step")
    arrays = dict(zip(names, np.asarray(whole), strict=True))
    return arrays | {"threshold": np.asarray(real[0]), "gain": np.asarray(real[1]), "value": np.asarray(value)}


# --------------------------------------------------------------------------------------------------------- from Python

cdef _prepare_scan(Growth growth, const index_t[::1] y, weights, const int64_t[::1] rows, index_t min_samples_leaf):
    """What global steps need: the clusters of the tree before its root, and the memory of a leaf's scan."""
    cdef LeafScan* scan = &growth.scan
    cdef index_t k = growth.n_classes
    counted = np.asarray(y)[np.asarray(rows)]
    counted = np.bincount(counted, None if weights is None else weights[np.asarray(rows)], minlength=k)
    if counted.sum() >= MOST_ROWS:
        raise ValueError(f"Global evaluation counts at most {MOST_ROWS - 1} rows, got {counted.sum():.0f}.")
    growth.memory = ClusterMemory(growth.code, counted.astype(np.int64))
    growth.scan_counts = np.zeros((5, k), dtype=np.int64)
    growth.scan_scores = np.zeros((3, k))
    scan.clusters = &growth.memory.clusters
    scan.min_samples_leaf = min_samples_leaf
    scan.leaf_sums = &growth.scan_counts[0, 0]
    scan.left.counts = &growth.scan_counts[1, 0]
    scan.left.sums = &growth.scan_counts[2, 0]
    scan.right.counts = &growth.scan_counts[3, 0]
    scan.right.sums = &growth.scan_counts[4, 0]
    scan.values = &growth.scan_scores[0, 0]
    scan.left_scores = &growth.scan_scores[1, 0]
    scan.right_scores = &growth.scan_scores[2, 0]
    scan.labels = &growth.scanner.wide_labels[0]
    scan.weights = NULL if weights is None else &growth.scanner.place_counts[0]
    scan.best_terms = &growth.best_terms
    scale = {JACCARD: 1, MAE: k * scan.clusters.total, ACCURACY: scan.clusters.total, GINI: scan.clusters.total}
    # Scores are sums of a few terms of this size, each of which is rounded.
    scan.margin = ldexp(scale.get(growth.code, growth.memory.table[growth.memory.table.shape[0] - 1]), -44)


def grow_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, weights, Py_ssize_t n_classes, distance, *, evaluation, labels,
    stop, index_t max_depth, index_t min_samples_split, index_t min_samples_leaf, index_t max_leaf_nodes,
    index_t max_features, uint64_t seed, rows=None, shared=None, n_threads=1,
):
    """Grow a tree: a dict of its arrays. Limits that do not apply are 2**31 - 1.

    `weights` is None, int64 or, for local evaluation, float64, and positive in all rows that are used: those of `rows`,
    in their order, or all. `label` is what the tree predicts, or predicted while the node was a leaf; `split_step`
    counts the splits in the order in which they were made, and is -1 at leaves.
    """
    cdef Growth growth = Growth()
    criterion = "entropy" if distance == "information_gain" else distance
    _check(X.shape[0], y, weights, n_classes, criterion)
    growth.knows_distance = isinstance(distance, str) and distance in DISTANCES
    growth.is_global = evaluation != "local"
    growth.is_local = evaluation != "global"
    growth.must_decrease = stop == "no_decrease"
    if growth.is_global and weights is not None and weights.dtype == np.float64:
        raise ValueError("Global evaluation counts rows: their weights must be whole numbers.")
    if not is_rational(criterion, n_classes):
        weights = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
    rows = np.arange(X.shape[0]) if rows is None else np.asarray(rows, dtype=np.int64)
    growth.code = DISTANCES[distance] if growth.knows_distance else GINI
    growth.n_classes = <index_t> n_classes
    growth.max_depth = max_depth
    growth.min_samples_split = min_samples_split
    growth.max_leaf_nodes = max_leaf_nodes
    growth.counts = np.zeros((2, n_classes), dtype=np.int64)
    growth.weights = np.zeros((2, n_classes))
    growth.partition = RowPartition(Features(X, False), rows, len(rows), True, True)
    growth.scanner = Scanner(
        growth.partition, None, y, weights, n_classes, criterion, min_samples_leaf, UNLIMITED, max_features, n_threads
    )
    growth.scan.all_labels = labels == "all"
    if growth.is_global:
        _prepare_scan(growth, y, weights, rows, min_samples_leaf)
    with nogil:
        _grow(growth, seed)
    return _as_arrays(growth)
