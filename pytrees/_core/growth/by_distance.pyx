"""Growth of a tree whose splits are judged by a distance between clusterings: locally, globally, or both in turn."""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport NAN, ldexp
from libc.stdlib cimport free

from pytrees._core.growth.distances cimport ClusterMemory, separates
from pytrees._core.base.exact_sums cimport Term
from pytrees._core.criteria.gain cimport exceeds_by_tolerance
from pytrees._core.growth.global_arrays cimport list_children, list_nodes, put_in_preorder
from pytrees._core.growth.leaf_categories cimport offer_children
from pytrees._core.growth.leaf_merits cimport comes_nearer, judge_split
from pytrees._core.growth.leaf_scan cimport (
    LeafScan,
    Step,
    decreases,
    end_leaf,
    is_lower,
    precedes,
    scan_feature,
    start_leaf,
)
from pytrees._core.split.scanner cimport start_block
from pytrees._core.growth.open_leaves cimport (
    add_node,
    close_leaf,
    exchange,
    has_room,
    is_open,
    move_rows,
    open_leaves,
    whole_counts,
)
from pytrees._core.rows.partition cimport (
    Features,
    RowPartition,
    block_row,
    has_cut,
    is_categorical,
    mark_first,
    split_entries,
    split_rows,
    wide_entries,
)
from pytrees._core.rows.partition cimport (
    count_children,
    mark_children,
    split_entries_among,
    split_rows_among,
)
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split, draw_features, mix64
from pytrees._core.split.find cimport find_split
from pytrees._core.base.types cimport (NONE, UNLIMITED, float64_t, index_t, int64_t, uint64_t)
from pytrees._core.split.scan cimport (ACCURACY, GINI, JACCARD, MAE)

from pytrees._core.criteria.counts import user_criterion_of
from pytrees._core.split.find import make_scanner
from pytrees._core.split.scan import weights_as_compared
from pytrees._core.growth.distances import DISTANCES
from pytrees._core.growth.by_gain import _check

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
    add_node(growth, &rows, rows.start, rows.stop, 0, NONE, mix64(seed))
    if growth.is_global:
        move_rows(growth, 0, 1)
    growth.n_leaves = 1
    open_leaves(growth, 0, 1, 0)
    while growth.n_leaves < growth.max_leaf_nodes and _find_step(growth, &step, &gain):
        _split_leaf(growth, &step, gain, n_steps)
        n_steps += 1
    return 0


cdef int _split_leaf(Growth growth, const Step* step, float64_t gain, index_t number) except -1 nogil:
    """Put leaves in the place of one. Of a global step the gain is not known before."""
    cdef index_t place = 0, first = growth.n_nodes
    while growth.open_leaves[place] != step.leaf:
        place += 1
    if is_categorical(growth.partition.features, step.feature):
        _add_categories(growth, step)
    else:
        _add_sides(growth, step)
    if growth.is_global:
        gain = exchange(growth, step.leaf, first, growth.n_nodes, gain)
    growth.nodes[step.leaf].first_child = first
    growth.nodes[step.leaf].n_children = growth.n_nodes - first
    growth.nodes[step.leaf].feature = step.feature
    growth.nodes[step.leaf].threshold = step.threshold
    growth.nodes[step.leaf].gain = gain
    growth.nodes[step.leaf].step = number
    growth.n_leaves += growth.n_nodes - first - 1
    close_leaf(growth, place)
    open_leaves(growth, first, growth.n_nodes, place)
    return 0


cdef int _add_sides(Growth growth, const Step* step) except -1 nogil:
    cdef NodeRows rows = growth.nodes[step.leaf].rows
    cdef index_t left, right, middle = rows.start + step.n_left, depth = growth.nodes[step.leaf].depth + 1
    cdef uint64_t random_state = growth.nodes[step.leaf].random_state
    cdef bint left_opens, right_opens
    mark_first(growth.partition, rows.block, step.feature, rows.start, rows.stop, step.n_left, step.last_left)
    split_rows(growth.partition, rows.start, rows.stop)
    left = add_node(growth, &rows, rows.start, middle, depth, step.left_label, mix64(random_state + 1))
    right = add_node(growth, &rows, middle, rows.stop, depth, step.right_label, mix64(random_state + 2))
    left_opens, right_opens = is_open(growth, left), is_open(growth, right)
    if left_opens or right_opens:
        split_entries(growth.partition, rows.block, rows.start, rows.stop, left_opens, right_opens)
    return 0


cdef int _add_categories(Growth growth, const Step* step) except -1 nogil:
    cdef NodeRows rows = growth.nodes[step.leaf].rows
    cdef index_t b, child, place, depth = growth.nodes[step.leaf].depth + 1
    cdef const index_t* starts = &growth.partition.child_starts[0]
    cdef uint64_t random_state = growth.nodes[step.leaf].random_state
    cdef bint one_opens = False
    mark_children(growth.partition, True, rows.block, step.feature, rows.start, rows.stop)
    split_rows_among(growth.partition, step.n_children, rows.start, rows.stop)
    for b in range(step.n_children):
        child = add_node(
            growth, &rows, rows.start + starts[b], rows.start + starts[b + 1], depth,
            step.left_label if b == 0 else step.right_label, mix64(random_state + 1 + <uint64_t> b),
        )
        place = growth.partition.rows[rows.start + starts[b]]
        growth.nodes[child].category = <index_t> growth.partition.X[
            block_row(growth.partition, rows.block, place), step.feature
        ]
        one_opens = one_opens or is_open(growth, child)
    if one_opens:
        split_entries_among(growth.partition, step.n_children, rows.block, rows.start, rows.stop)
    return 0


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
        if not is_kept or not node.knows_global or not has_room(growth, node.global_step.n_children):
            node.global_step.leaf = NONE
            if not _scan_leaf(growth, leaf, &node.global_step if is_kept else best):
                close_leaf(growth, place)
                continue
            node.knows_global = True
        if is_kept and (best.leaf == NONE or precedes(&node.global_step, best)):
            best[0] = node.global_step
        place += 1
    return best.leaf != NONE


cdef int _scan_leaf(Growth growth, index_t leaf, Step* best) except -1 nogil:
    """Offer all splits of the leaf; return 0 where there are none."""
    cdef Node* node = &growth.nodes[leaf]
    cdef NodeRows rows = node.rows
    cdef index_t i, feature, n_children, n_categorical = 0, n = rows.stop - rows.start
    cdef const uint64_t* entries
    cdef bint can_split = False
    _look_at_the_keyboard(growth, &rows)
    draw_features(growth.scanner, &rows, node.random_state)
    start_leaf(&growth.scan, leaf, node.label, whole_counts(growth, leaf))
    for i in range(growth.scanner.n_drawn + growth.scanner.n_drawn_categories):
        feature = _drawn_feature(growth.scanner, i, &n_categorical)
        entries = wide_entries(growth.partition, rows.block, feature, rows.start, rows.stop)
        growth.scan.is_categorical = is_categorical(growth.partition.features, feature)
        n_children = 2
        if growth.scan.is_categorical:
            n_children = count_children(entries, n, growth.scan.min_samples_leaf)
            if n_children == 0 or not has_room(growth, n_children):
                continue
        elif not has_cut(growth.partition, rows.block, feature, rows.start, rows.stop, growth.scan.min_samples_leaf):
            continue
        can_split = True
        if n_children > 2:
            offer_children(&growth.scan, entries, n, feature, n_children, best)
        else:
            scan_feature(&growth.scan, growth.partition, rows.block, entries, n, feature, best)
    end_leaf(&growth.scan)
    return can_split


cdef inline index_t _drawn_feature(Scanner scanner, index_t i, index_t* n_categorical) noexcept nogil:
    """Of the drawn features, ascending, that of number i; among those before it are so many categorical ones."""
    cdef index_t n_numeric = i - n_categorical[0]
    if n_categorical[0] == scanner.n_drawn_categories or (
        n_numeric < scanner.n_drawn and scanner.drawn[n_numeric] < scanner.drawn_categories[n_categorical[0]]
    ):
        return scanner.drawn[n_numeric]
    n_categorical[0] += 1
    return scanner.drawn_categories[n_categorical[0] - 1]


cdef int _find_local(Growth growth, Step* best, float64_t* gain) except -1 nogil:
    """Of all open leaves the one whose best split comes nearest to the classes within it (Algorithm 2)."""
    cdef index_t place = 0
    cdef Node* node
    cdef Node* best_node = NULL
    while place < growth.n_open:
        node = &growth.nodes[growth.open_leaves[place]]
        if not node.knows_local:
            _search(growth, growth.open_leaves[place])
        if node.local_step.leaf == NONE or not has_room(growth, node.local_step.n_children):
            if growth.is_global:
                place += 1
            else:
                close_leaf(growth, place)
            continue
        if (
            best_node == NULL
            or comes_nearer(growth, node, best_node)
            or not comes_nearer(growth, best_node, node)
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
    if split.feature == NONE or growth.must_decrease and not _gains(growth, &split):
        return 0
    step.leaf = leaf
    step.n_children = split.n_children
    step.feature = split.feature
    step.n_left = split.n_left
    step.last_left = split.last_left
    step.left_label = NONE
    step.right_label = NONE
    step.threshold = split.threshold
    node.local_gain = split.gain.value
    return judge_split(growth, leaf, &split)


cdef inline bint _gains(Growth growth, const Split* split) except -1 nogil:
    if split.is_large:
        with gil:
            return growth.scanner.children.large_gain > 0
    return split.gain.numerator > 0 if split.gain.denominator > 0 else exceeds_by_tolerance(split.gain.value, 0.0)


# ---------------------------------------------------------------------------------------------------- the tree's arrays

cdef dict _as_arrays(Growth growth):
    cdef index_t[::1] order = np.empty(growth.n_nodes, dtype=np.int32)
    cdef int64_t[:, ::1] whole = np.empty((6, growth.n_nodes), dtype=np.int64)
    cdef int64_t[::1] number = np.empty(growth.n_nodes, dtype=np.int64)
    cdef float64_t[:, ::1] real = np.empty((2, growth.n_nodes))
    cdef float64_t[:, ::1] value = np.empty((growth.n_nodes, growth.n_classes))
    put_in_preorder(growth, order, number, np.empty(growth.n_nodes, dtype=np.int32))
    list_nodes(growth, order, number, whole, real, value)
    names = ("children_left", "children_right", "feature", "n_node_samples", "label", "split_step")
    arrays = dict(zip(names, np.asarray(whole), strict=True))
    arrays |= {"threshold": np.asarray(real[0]), "gain": np.asarray(real[1]), "value": np.asarray(value)}
    if growth.has_categories:
        offsets = np.empty(growth.n_nodes + 1, dtype=np.int64)
        children, category = np.empty((2, growth.n_nodes), dtype=np.int64)
        list_children(growth, order, number, offsets, children, category)
        arrays |= {"child_offsets": offsets, "children": children[:growth.n_nodes - 1], "category": category}
    return arrays


# --------------------------------------------------------------------------------------------------------- from Python

cdef _prepare_scan(Growth growth, const index_t[::1] y, weights, const int64_t[::1] rows, index_t min_samples_leaf):
    """What global steps need: the clusters of the tree before its root, and the memory of a leaf's scan."""
    cdef LeafScan* scan = &growth.scan
    cdef index_t i, k = growth.n_classes, n_terms = 4 * growth.n_classes + 4
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
    # A step has at most a term more than twice the classes; two of them are compared.
    growth.terms = np.empty((3 * n_terms, 2), dtype=np.int64)
    growth.signs = np.empty(3 * n_terms, dtype=np.intc)
    for i in range(3):
        growth.term_sums[i].terms = <Term*> &growth.terms[i * n_terms, 0]
        growth.term_sums[i].signs = &growth.signs[i * n_terms]
    scan.changes = &growth.term_sums[0]
    scan.best_changes = &growth.term_sums[1]
    scan.difference = &growth.term_sums[2]
    if growth.has_categories:
        growth.merged = np.zeros((k + 2, k), dtype=np.int64)
        scan.merged = &growth.merged[0, 0]
        scan.merged_totals = &growth.merged[k, 0]
        scan.child_counts = &growth.merged[k + 1, 0]
    scan.labels = &growth.scanner.wide_labels[0]
    scan.weights = NULL if weights is None else &growth.scanner.place_counts[0]
    scale = {JACCARD: 1, MAE: k * scan.clusters.total, ACCURACY: scan.clusters.total, GINI: scan.clusters.total}
    # Scores are sums of a few terms of this size, each of which is rounded; those of categorical splits of up to
    # 2 k + 1, whose sums have the size of k.
    scan.margin = ldexp(scale.get(growth.code, growth.memory.table[growth.memory.table.shape[0] - 1]), -44)
    if growth.has_categories:
        scan.margin *= max(1.0, ldexp((k + 2.0) * (k + 2.0), -6))


def grow_by_distance(
    const float64_t[:, ::1] X, const index_t[::1] y, weights, Py_ssize_t n_classes, distance, *, evaluation, labels,
    stop, index_t max_depth, index_t min_samples_split, index_t min_samples_leaf, index_t max_leaf_nodes,
    index_t max_features, uint64_t seed, rows=None, shared=None, n_threads=1, n_categories=None,
):
    """Grow a tree: a dict of its arrays. Limits that do not apply are 2**31 - 1.

    `weights` is None, int64 or, for local evaluation, float64, and positive in all rows that are used: those of `rows`,
    in their order, or all. `label` is what the tree predicts, or predicted while the node was a leaf; `split_step`
    counts the splits in the order in which they were made, and is -1 at leaves. A feature of which `n_categories` is
    above 0 holds codes 0, 1, ..., n_categories - 1, and splits into one child a category; None: no feature does, and
    the dict has only the arrays of a binary tree.
    """
    cdef Growth growth = Growth()
    criterion = "entropy" if distance == "information_gain" else distance
    _check(X.shape[0], y, weights, n_classes, criterion)
    growth.knows_distance = isinstance(distance, str) and distance in DISTANCES
    growth.is_global = evaluation != "local"
    growth.is_local = evaluation != "global"
    growth.must_decrease = stop == "no_decrease"
    growth.large_merits = {}
    if growth.is_global and weights is not None and weights.dtype == np.float64:
        raise ValueError("Global evaluation counts rows: their weights must be whole numbers.")
    weights = weights_as_compared(criterion, n_classes, X.shape[0], weights)
    rows = np.arange(X.shape[0]) if rows is None else np.asarray(rows, dtype=np.int64)
    growth.code = DISTANCES[distance] if growth.knows_distance else GINI
    growth.n_classes = <index_t> n_classes
    growth.has_categories = n_categories is not None
    growth.max_depth = max_depth
    growth.min_samples_split = min_samples_split
    growth.max_leaf_nodes = max_leaf_nodes
    growth.counts = np.zeros((2, n_classes), dtype=np.int64)
    growth.weights = np.zeros((2, n_classes))
    growth.partition = RowPartition(Features(X, False, n_categories), rows, len(rows), True, True)
    if user_criterion_of(criterion)[0] is not None and np.any(growth.partition.features.n_categories):
        user_criterion_of(criterion)[0].check_children()
    growth.scanner = make_scanner(
        growth.partition, None, y, weights, n_classes, criterion, min_samples_leaf, UNLIMITED, max_features, n_threads
    )
    growth.scan.all_labels = labels == "all"
    if growth.is_global:
        _prepare_scan(growth, y, weights, rows, min_samples_leaf)
    with nogil:
        _grow(growth, seed)
    return _as_arrays(growth)
