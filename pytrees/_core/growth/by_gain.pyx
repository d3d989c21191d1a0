"""Growth of a tree from its root: depth-first, or best-first where the number of leaves is limited."""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free
from libc.string cimport memmove

from pytrees._core.growth.growth_arrays cimport add_up_counts, is_multiway, list_children, number_in_preorder
from pytrees._core.growth.growth_bins cimport divide_counts, drop_counts, take_counts, uses_bins
from pytrees._core.growth.growth_order cimport is_better
from pytrees._core.rows.histogram cimport MAX_BINS, Bins, Histograms, mark_by_bins
from pytrees._core.base.memory cimport reserve
from pytrees._core.split.scanner cimport count_classes, is_pure, row_at, start_block
from pytrees._core.rows.partition cimport (
    Features,
    RowPartition,
    is_categorical,
    is_ranked,
    mark_first,
    split_entries,
    split_rows,
)
from pytrees._core.rows.partition cimport mark_children, split_entries_among, split_rows_among
from pytrees._core.split.find cimport find_split, offer_to_user, take_user_cut
from pytrees._core.split.scanner cimport NodeRows, Scanner, mix64
from pytrees._core.base.types cimport (
    LEAF,
    MULTIWAY,
    NO_CATEGORY,
    NONE,
    UNDEFINED,
    UNLIMITED,
    float64_t,
    index_t,
    int64_t,
    uint64_t,
)
from pytrees._core.criteria.user cimport UserCut, judge_table

from pytrees._core.criteria.counts import parameters_of, user_criterion_of
from pytrees._core.split.find import make_scanner
from pytrees._core.split.scan import has_bounds, judges_sequence, weights_as_compared

cdef enum:
    ENTRIES_BETWEEN_SIGNALS = 10000000

# Features of more rows than these are cut into bins, and sorted only in subtrees of few rows: so many, or so many for
# every class where these are more, because every bin counts every class.
ROWS_WITHOUT_BINS = 16384
BLOCK_ROWS = 1024
BLOCK_ROWS_PER_CLASS = 400
MOST_CLASSES_IN_BINS = 128
# Up to here the entropy bounds, sums of some n log2 n in units of 2**-30, stay below 2**63.
MOST_ROWS_IN_BINS = 2**26
# Where nodes look at one of so many features or fewer, all are ranked once and those looked at sorted by rank in the
# node: that costs less than keeping all of them sorted.
FEATURES_PER_RANKED = 4
# Places, ranks and classes of entries in 32 bits have 16.
NARROW_LIMIT = 2**16


@cython.final
cdef class Growth:
    def __dealloc__(self):
        free(self.nodes)
        free(self.values)
        free(self.open_leaves)
        free(self.spare_leaves)
        free(self.user_cuts)


cdef int _grow(Growth growth, uint64_t seed) except -1 nogil:
    cdef index_t chosen
    cdef OpenLeaf leaf
    cdef NodeRows outside
    cdef bint is_best_first = growth.max_leaf_nodes < UNLIMITED
    outside.in_block = False
    growth.n_leaves = 1
    leaf.node = _add_node(growth, &outside, 0, <index_t> growth.partition.n_rows, 0, mix64(seed))
    _open(growth, &leaf, _may_split(growth, leaf.node), 0)
    if growth.searches_together and not is_best_first:
        _grow_in_rounds(growth)
    while growth.n_open > 0 and growth.n_leaves < growth.max_leaf_nodes:
        if growth.searches_together:
            _search_together(growth)
            if growth.n_open == 0:
                break
        chosen = _best_open_leaf(growth) if is_best_first else growth.n_open - 1
        leaf = growth.open_leaves[chosen]
        _remove_open(growth, chosen)
        # With too many children the leaf stays one; the split of another may still have few enough.
        if (
            (leaf.is_searched or _search(growth, &leaf))
            and growth.n_leaves - 1 + leaf.split.n_children <= growth.max_leaf_nodes
        ):
            _split_leaf(growth, &leaf, chosen)
        else:
            _close(growth, leaf.node)
    for chosen in range(growth.n_open):
        _close(growth, growth.open_leaves[chosen].node)
    return 0


cdef int _grow_in_rounds(Growth growth) except -1 nogil:
    """Split all open leaves, then all of their children, until none is left."""
    cdef index_t i, n_leaves
    cdef OpenLeaf* leaves
    while growth.n_open > 0:
        _search_together(growth)
        # The leaves to split now and the children that come of them take turns in two arrays.
        leaves = growth.open_leaves
        n_leaves = growth.n_open
        growth.open_leaves, growth.spare_leaves = growth.spare_leaves, leaves
        growth.open_capacity, growth.spare_capacity = growth.spare_capacity, growth.open_capacity
        growth.n_open = 0
        for i in range(n_leaves):
            _split_leaf(growth, &leaves[i], growth.n_open)
    return 0


cdef void _remove_open(Growth growth, index_t place) noexcept nogil:
    memmove(
        &growth.open_leaves[place], &growth.open_leaves[place + 1], (growth.n_open - place - 1) * sizeof(OpenLeaf)
    )
    growth.n_open -= 1


cdef int _search_together(Growth growth) except -1 nogil:
    """Find the splits of all open leaves whose splits are not known, and close those that have none."""
    cdef index_t i
    cdef OpenLeaf* leaf
    cdef NodeRows* rows
    reserve(<void**> &growth.user_cuts, &growth.user_cut_capacity, growth.n_open, sizeof(UserCut))
    for i in range(growth.n_open):
        leaf = &growth.open_leaves[i]
        if not leaf.is_searched:
            rows = _rows_to_search(growth, leaf.node)
            offer_to_user(growth.scanner, rows, growth.nodes[leaf.node].random_state, i, growth.user_cuts)
    judge_table(growth.scanner.table, growth.user_cuts)
    for i in range(growth.n_open - 1, -1, -1):
        leaf = &growth.open_leaves[i]
        if leaf.is_searched:
            continue
        leaf.is_searched = True
        rows = &growth.nodes[leaf.node].rows
        take_user_cut(
            growth.scanner, rows, growth.nodes[leaf.node].random_state, &growth.user_cuts[i], &leaf.split
        )
        if not _gains_enough(growth, leaf):
            _close(growth, leaf.node)
            _remove_open(growth, i)
    return 0


cdef index_t _best_open_leaf(Growth growth) except -1 nogil:
    """The leaf whose split gains most, counted in rows; of equal ones the leftmost, which is the first in preorder."""
    cdef index_t i, best = growth.n_open - 1
    for i in range(growth.n_open - 2, -1, -1):
        if is_better(growth, &growth.open_leaves[i], &growth.open_leaves[best]):
            best = i
    return best


cdef index_t _add_node(
    Growth growth, const NodeRows* parent, index_t start, index_t stop, index_t depth, uint64_t random_state
) except -1 nogil:
    """A leaf, in its parent's block where that is in one."""
    cdef index_t number = growth.n_nodes
    cdef Node* node
    reserve(<void**> &growth.nodes, &growth.node_capacity, number + 1, sizeof(Node))
    reserve(
        <void**> &growth.values, &growth.value_capacity, (<Py_ssize_t> number + 1) * growth.n_classes,
        sizeof(float64_t),
    )
    node = &growth.nodes[number]
    node.rows = parent[0]
    node.rows.start = start
    node.rows.stop = stop
    node.rows.slot = NULL
    node.first_child = LEAF
    node.n_children = 0
    node.feature = UNDEFINED
    node.category = NO_CATEGORY
    node.threshold = UNDEFINED
    node.gain = 0.0
    node.depth = depth
    node.random_state = random_state
    growth.n_nodes += 1
    return number


cdef bint _may_split(Growth growth, index_t node) noexcept nogil:
    cdef NodeRows* rows = &growth.nodes[node].rows
    return (
        rows.stop - rows.start >= growth.min_samples_split
        and growth.nodes[node].depth < growth.max_depth
        and not is_pure(growth.scanner, rows)
    )


cdef int _open(Growth growth, OpenLeaf* leaf, bint may_split, index_t place) except -1 nogil:
    """Put the leaf at this place among the open leaves if it may and can be split: 1; otherwise close it: 0."""
    leaf.is_searched = False
    if may_split and growth.max_leaf_nodes < UNLIMITED and not growth.searches_together:
        may_split = leaf.is_searched = _search(growth, leaf)
    if not may_split:
        _close(growth, leaf.node)
        return 0
    reserve(<void**> &growth.open_leaves, &growth.open_capacity, growth.n_open + 1, sizeof(OpenLeaf))
    memmove(
        &growth.open_leaves[place + 1], &growth.open_leaves[place], (growth.n_open - place) * sizeof(OpenLeaf)
    )
    growth.open_leaves[place] = leaf[0]
    growth.n_open += 1
    return 1


cdef void _close(Growth growth, index_t node) noexcept nogil:
    """The node stays a leaf."""
    cdef NodeRows* rows = &growth.nodes[node].rows
    count_classes(growth.scanner, rows, &growth.values[<Py_ssize_t> node * growth.n_classes])
    drop_counts(growth, rows.slot)


cdef int _search(Growth growth, OpenLeaf* leaf) except -1 nogil:
    """Find the split of leaf.node: 1 where there is one and it gains enough, else 0."""
    cdef NodeRows* rows = _rows_to_search(growth, leaf.node)
    find_split(growth.scanner, rows, growth.nodes[leaf.node].random_state, &leaf.split)
    if leaf.split.is_large and growth.max_leaf_nodes < UNLIMITED:
        with gil:
            growth.large_gains[leaf.node] = growth.scanner.children.large_gain
    return _gains_enough(growth, leaf)


cdef inline bint _gains_enough(Growth growth, const OpenLeaf* leaf) noexcept nogil:
    return leaf.split.feature != NONE and leaf.split.gain.value >= growth.min_gain


cdef NodeRows* _rows_to_search(Growth growth, index_t node) except NULL nogil:
    """The node's rows, in a block or with bins."""
    cdef NodeRows* rows = &growth.nodes[node].rows
    growth.n_scanned += <int64_t> (rows.stop - rows.start) * growth.partition.n_features
    if growth.n_scanned >= ENTRIES_BETWEEN_SIGNALS:
        growth.n_scanned = 0
        with gil:
            PyErr_CheckSignals()
    if not rows.in_block and uses_bins(growth, node):
        take_counts(growth, rows)
    elif not rows.in_block:
        start_block(growth.scanner, rows)
    return rows


cdef int _split_leaf(Growth growth, const OpenLeaf* leaf, index_t place) except -1 nogil:
    """Split the leaf, and put those children that may be split in turn at its place among the open leaves."""
    cdef index_t first_child = growth.n_nodes
    if is_categorical(growth.partition.features, leaf.split.feature):
        _split_by_category(growth, leaf, place)
    else:
        _split_in_two(growth, leaf, place)
    growth.nodes[leaf.node].first_child = first_child
    growth.nodes[leaf.node].n_children = leaf.split.n_children
    growth.nodes[leaf.node].feature = leaf.split.feature
    growth.nodes[leaf.node].threshold = leaf.split.threshold
    growth.nodes[leaf.node].gain = leaf.split.gain.value
    growth.n_leaves += leaf.split.n_children - 1
    return 0


cdef int _split_in_two(Growth growth, const OpenLeaf* leaf, index_t place) except -1 nogil:
    cdef NodeRows rows = growth.nodes[leaf.node].rows
    cdef index_t middle = rows.start + leaf.split.n_left, depth = growth.nodes[leaf.node].depth + 1
    cdef uint64_t random_state = growth.nodes[leaf.node].random_state
    cdef OpenLeaf left, right
    cdef bint left_may_split, right_may_split
    if rows.in_block:
        mark_first(
            growth.partition, rows.block, leaf.split.feature, rows.start, rows.stop, leaf.split.n_left,
            leaf.split.last_left,
        )
    else:
        mark_by_bins(
            growth.histograms, leaf.split.feature, leaf.split.bin, leaf.split.threshold, rows.start, rows.stop
        )
    split_rows(growth.partition, rows.start, rows.stop)
    left.node = _add_node(growth, &rows, rows.start, middle, depth, mix64(random_state + 1))
    right.node = _add_node(growth, &rows, middle, rows.stop, depth, mix64(random_state + 2))
    left_may_split = _may_split(growth, left.node)
    right_may_split = _may_split(growth, right.node)
    if rows.in_block:
        if left_may_split or right_may_split:
            split_entries(growth.partition, rows.block, rows.start, rows.stop, left_may_split, right_may_split)
    else:
        divide_counts(
            growth, rows.slot, left.node, right.node, left_may_split and uses_bins(growth, left.node),
            right_may_split and uses_bins(growth, right.node),
        )
    place += _open(growth, &right, right_may_split, place)
    _open(growth, &left, left_may_split, place)
    return 0


cdef int _split_by_category(Growth growth, const OpenLeaf* leaf, index_t place) except -1 nogil:
    cdef NodeRows rows = growth.nodes[leaf.node].rows
    cdef index_t feature = leaf.split.feature, n_children = leaf.split.n_children, first_child = growth.n_nodes
    cdef index_t child, first_row, depth = growth.nodes[leaf.node].depth + 1
    cdef uint64_t random_state = growth.nodes[leaf.node].random_state
    cdef bint any_may_split = False
    cdef OpenLeaf opened
    mark_children(growth.partition, rows.in_block, rows.block, feature, rows.start, rows.stop)
    split_rows_among(growth.partition, n_children, rows.start, rows.stop)
    for child in range(n_children):
        opened.node = _add_node(
            growth, &rows, rows.start + growth.partition.child_starts[child],
            rows.start + growth.partition.child_starts[child + 1], depth, mix64(random_state + 1 + child),
        )
        first_row = row_at(growth.scanner, &rows, growth.nodes[opened.node].rows.start)
        growth.nodes[opened.node].category = <index_t> growth.partition.X[first_row, feature]
        any_may_split = any_may_split or _may_split(growth, opened.node)
    if rows.in_block and any_may_split:
        split_entries_among(growth.partition, n_children, rows.block, rows.start, rows.stop)
    # Children's bins are counted when it is their turn: of many children few are then in memory at once.
    drop_counts(growth, rows.slot)
    for child in range(n_children - 1, -1, -1):
        opened.node = first_child + child
        place += _open(growth, &opened, _may_split(growth, opened.node), place)
    return 0


# --------------------------------------------------------------------------------------------- the tree's arrays

cdef dict _in_preorder(Growth growth):
    """The arrays of the tree, its nodes numbered in preorder, the first child first."""
    cdef Py_ssize_t i, n_nodes = growth.n_nodes
    cdef index_t[::1] order = np.empty(n_nodes, dtype=np.int32), number = np.empty(n_nodes, dtype=np.int32)
    cdef int64_t[::1] children_left = np.full(n_nodes, LEAF, dtype=np.int64)
    cdef int64_t[::1] children_right = np.full(n_nodes, LEAF, dtype=np.int64)
    cdef int64_t[::1] feature = np.empty(n_nodes, dtype=np.int64)
    cdef int64_t[::1] n_node_samples = np.empty(n_nodes, dtype=np.int64)
    cdef float64_t[::1] threshold = np.empty(n_nodes)
    cdef float64_t[::1] gain = np.empty(n_nodes)
    cdef float64_t[:, ::1] value = np.empty((n_nodes, growth.n_classes))
    cdef const Node* node
    number_in_preorder(growth, order, number, np.empty(n_nodes, dtype=np.int32))
    add_up_counts(growth, order, number, value)
    for i in range(n_nodes):
        node = &growth.nodes[order[i]]
        if is_multiway(growth, node):
            children_left[i] = children_right[i] = MULTIWAY
        elif node.n_children > 0:
            children_left[i] = number[node.first_child]
            children_right[i] = number[node.first_child + 1]
        feature[i] = node.feature
        threshold[i] = node.threshold
        n_node_samples[i] = node.rows.stop - node.rows.start
        gain[i] = node.gain
    arrays = {
        "children_left": np.asarray(children_left),
        "children_right": np.asarray(children_right),
        "feature": np.asarray(feature),
        "threshold": np.asarray(threshold),
        "n_node_samples": np.asarray(n_node_samples),
        "value": np.asarray(value),
        "gain": np.asarray(gain),
    }
    if growth.partition.features.n_categories.shape[0] > 0:
        arrays |= _children(growth, order, number)
    return arrays


cdef dict _children(Growth growth, const index_t[::1] order, const index_t[::1] number):
    """The further arrays of a tree that may have more children than two."""
    arrays = {
        "child_offsets": np.empty(growth.n_nodes + 1, dtype=np.int64),
        "children": np.empty(growth.n_nodes - 1, dtype=np.int64),
        "category": np.empty(growth.n_nodes, dtype=np.int64),
    }
    list_children(growth, order, number, arrays["child_offsets"], arrays["children"], arrays["category"])
    return arrays


# --------------------------------------------------------------------------------------------------------- from Python

@cython.final
cdef class SharedFeatures:
    """What the trees of a forest share; where it is pickled, it is made anew."""

    cdef Features features
    cdef Bins bins              # None where the features are not cut into bins
    cdef Py_ssize_t block_rows
    cdef tuple arguments

    def __reduce__(self):
        return share_features, self.arguments


def share_features(
    const float64_t[:, ::1] X, n_classes, criterion, weights_are_whole, max_features, max_candidates, block_rows=None,
    max_bins=MAX_BINS, n_categories=None,
):
    """Prepare X for `grow_tree`: sort what has to be sorted once for all trees of these parameters."""
    cdef SharedFeatures shared = SharedFeatures()
    shared.arguments = (
        np.asarray(X), n_classes, criterion, weights_are_whole, max_features, max_candidates, block_rows, max_bins,
        n_categories,
    )
    # Sequences can hold a row more than once, which then has several places.
    ranks = not judges_sequence(criterion) and FEATURES_PER_RANKED * max_features <= X.shape[1]
    shared.features = Features(X, ranks, n_categories)
    allows_bins = (
        has_bounds(criterion)
        and weights_are_whole
        and max_candidates == UNLIMITED
        and n_classes <= MOST_CLASSES_IN_BINS
        and X.shape[0] <= MOST_ROWS_IN_BINS
    )
    if not allows_bins or block_rows is None and X.shape[0] <= ROWS_WITHOUT_BINS:
        shared.block_rows = X.shape[0]
    else:
        shared.block_rows = max(BLOCK_ROWS, BLOCK_ROWS_PER_CLASS * n_classes) if block_rows is None else block_rows
    if shared.block_rows < X.shape[0]:
        shared.bins = Bins(shared.features, max_bins)
    return shared


def _check(n_rows, const index_t[::1] y, weights, n_classes, criterion):
    cdef Py_ssize_t i
    if y.shape[0] != n_rows or weights is not None and len(weights) != n_rows:
        raise ValueError(f"Labels and weights must have {n_rows} rows, as X has.")
    if judges_sequence(criterion) and weights is not None:
        raise ValueError("A label sequence has no weights.")
    for i in range(y.shape[0]):
        if not 0 <= y[i] < n_classes:
            raise ValueError(f"Class code {y[i]} of row {i} is outside 0..{n_classes - 1}.")


def _check_criterion(criterion, SharedFeatures shared):
    """Raise ValueError where there are categorical features that a user's criterion has no method for."""
    if user_criterion_of(criterion)[0] is not None and np.any(shared.features.n_categories):
        user_criterion_of(criterion)[0].check_children()


def grow_by_gain(
    const float64_t[:, ::1] X, const index_t[::1] y, weights, Py_ssize_t n_classes, criterion, *, index_t max_depth,
    index_t min_samples_split, index_t min_samples_leaf, index_t max_leaf_nodes, float64_t min_gain,
    index_t max_candidates, index_t max_features, uint64_t seed, rows=None, SharedFeatures shared=None,
    index_t n_threads=1, n_categories=None, block_rows=None, max_bins=MAX_BINS,
):
    """Grow a tree: a dict of its arrays. Limits that do not apply are 2**31 - 1, for min_gain -inf.

    A feature of which `n_categories` is above 0 holds codes 0, 1, ..., n_categories - 1, and splits into one child a
    category; None: no feature does, and the dict has only the arrays of a binary tree.

    `weights` is None, int64 (compared exactly) or float64 (compared with a tolerance), and positive in all rows that
    are used: those of `rows`, in their order, or all. `shared` comes from `share_features` with the same parameters. Up
    to `n_threads` threads scan the features of a node together, where sequences are scanned.
    `block_rows` and `max_bins` do not change the tree, only the way to it: subtrees of more rows than `block_rows` look
    at `max_bins` bins of every feature first, where the criterion allows it. By default the number of rows decides.
    """
    _check(X.shape[0], y, weights, n_classes, criterion)
    name = parameters_of(criterion, n_classes)[0]
    weights = weights_as_compared(criterion, n_classes, X.shape[0], weights)
    weights_are_whole = weights is None or weights.dtype != np.float64
    if shared is None:
        shared = share_features(
            X, n_classes, criterion, weights_are_whole, max_features, max_candidates, block_rows, max_bins, n_categories
        )
    _check_criterion(criterion, shared)
    rows = np.arange(X.shape[0]) if rows is None else rows
    cdef Growth growth = Growth()
    can_use_bins = shared.bins is not None and weights_are_whole
    growth.block_rows = min(shared.block_rows, len(rows)) if can_use_bins else len(rows)
    n_places = X.shape[0] if is_ranked(shared.features) else growth.block_rows
    is_wide = max(n_places, n_classes) > NARROW_LIMIT
    growth.partition = RowPartition(shared.features, rows, growth.block_rows, max_leaf_nodes < UNLIMITED, is_wide)
    if growth.block_rows < len(rows):
        growth.histograms = Histograms(growth.partition, shared.bins, y, weights, n_classes)
    growth.scanner = make_scanner(
        growth.partition, growth.histograms, y, weights, n_classes, criterion, min_samples_leaf, max_candidates,
        max_features, n_threads,
    )
    growth.max_depth = max_depth
    growth.min_samples_split = min_samples_split
    growth.max_leaf_nodes = max_leaf_nodes
    growth.n_classes = <index_t> n_classes
    growth.min_gain = min_gain
    growth.searches_together = name == "user_counts"
    growth.large_gains = {}
    with nogil:
        _grow(growth, seed)
    return _in_preorder(growth)
