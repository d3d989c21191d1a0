"""Growth of a tree from its root: depth-first, or best-first where the number of leaves is limited."""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free
from libc.string cimport memmove

from pytrees._core.gain cimport is_greater_priority
from pytrees._core.growth_bins cimport divide_counts, take_root, uses_bins
from pytrees._core.histogram cimport MAX_BINS, Bins, Histograms, give_back, mark_by_bins
from pytrees._core.memory cimport reserve
from pytrees._core.node_rows cimport count_classes, is_pure, start_block
from pytrees._core.partition cimport (
    Features,
    RowPartition,
    is_ranked,
    mark_first,
    split_entries,
    split_rows,
)
from pytrees._core.scanner cimport (
    NodeRows,
    Scanner,
    find_split,
    mix64,
    offer_to_user,
    take_user_cut,
)
from pytrees._core.types cimport (
    LEAF,
    NONE,
    UNDEFINED,
    UNLIMITED,
    float64_t,
    index_t,
    int64_t,
    uint64_t,
)
from pytrees._core.user_criterion cimport UserCut, judge_table

from pytrees._core.criteria import is_rational, judges_sequence, parameters_of

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
    take_root(growth, leaf.node)
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
        if leaf.is_searched or _search(growth, &leaf):
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
        take_user_cut(growth.scanner, &growth.nodes[leaf.node].rows, &growth.user_cuts[i], &leaf.split)
        if not _gains_enough(growth, leaf):
            _close(growth, leaf.node)
            _remove_open(growth, i)
    return 0


cdef index_t _best_open_leaf(Growth growth) noexcept nogil:
    """The leaf whose split gains most, counted in rows; of equal ones the leftmost, which is the first in preorder."""
    cdef index_t i, best = growth.n_open - 1
    for i in range(growth.n_open - 2, -1, -1):
        if is_greater_priority(&growth.open_leaves[i].split.gain, &growth.open_leaves[best].split.gain):
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
    node.left = LEAF
    node.right = LEAF
    node.feature = UNDEFINED
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
    if rows.slot != NULL and rows.slot != growth.drawn_slot:
        give_back(growth.histograms, rows.slot)


cdef int _search(Growth growth, OpenLeaf* leaf) except -1 nogil:
    """Find the split of leaf.node: 1 where there is one and it gains enough, else 0."""
    cdef NodeRows* rows = _rows_to_search(growth, leaf.node)
    find_split(growth.scanner, rows, growth.nodes[leaf.node].random_state, &leaf.split)
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
    if not rows.in_block and not uses_bins(growth, node):
        start_block(growth.scanner, rows)
    return rows


cdef int _split_leaf(Growth growth, const OpenLeaf* leaf, index_t place) except -1 nogil:
    """Split the leaf, and put those children that may be split in turn at its place among the open leaves."""
    cdef NodeRows rows = growth.nodes[leaf.node].rows
    cdef index_t feature = leaf.split.feature, middle = rows.start + leaf.split.n_left
    cdef index_t depth = growth.nodes[leaf.node].depth + 1
    cdef uint64_t random_state = growth.nodes[leaf.node].random_state
    cdef OpenLeaf left, right
    cdef bint left_may_split, right_may_split
    growth.nodes[leaf.node].feature = feature
    growth.nodes[leaf.node].threshold = leaf.split.threshold
    growth.nodes[leaf.node].gain = leaf.split.gain.value
    if rows.in_block:
        mark_first(
            growth.partition, rows.block, feature, rows.start, rows.stop, leaf.split.n_left, leaf.split.last_left
        )
    else:
        mark_by_bins(
            growth.histograms, feature, leaf.split.bin, leaf.split.threshold, rows.start, rows.stop
        )
    split_rows(growth.partition, rows.start, rows.stop)
    right.node = _add_node(growth, &rows, middle, rows.stop, depth, mix64(random_state + 2))
    left.node = _add_node(growth, &rows, rows.start, middle, depth, mix64(random_state + 1))
    growth.nodes[leaf.node].right = right.node
    growth.nodes[leaf.node].left = left.node
    growth.n_leaves += 1
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


# --------------------------------------------------------------------------------------------- the tree's arrays

cdef dict _in_preorder(Growth growth):
    """The arrays of the tree, its nodes numbered in preorder, left first."""
    cdef Py_ssize_t i, n_nodes = growth.n_nodes
    cdef index_t[::1] order = np.empty(n_nodes, dtype=np.int32)
    cdef index_t[::1] number = np.empty(n_nodes, dtype=np.int32)
    cdef int64_t[::1] children_left = np.empty(n_nodes, dtype=np.int64)
    cdef int64_t[::1] children_right = np.empty(n_nodes, dtype=np.int64)
    cdef int64_t[::1] feature = np.empty(n_nodes, dtype=np.int64)
    cdef int64_t[::1] n_node_samples = np.empty(n_nodes, dtype=np.int64)
    cdef float64_t[::1] threshold = np.empty(n_nodes)
    cdef float64_t[::1] gain = np.empty(n_nodes)
    cdef const Node* node
    _number_in_preorder(growth, order, number, np.empty(n_nodes, dtype=np.int32))
    for i in range(n_nodes):
        node = &growth.nodes[order[i]]
        children_left[i] = LEAF if node.left == LEAF else number[node.left]
        children_right[i] = LEAF if node.right == LEAF else number[node.right]
        feature[i] = node.feature
        threshold[i] = node.threshold
        n_node_samples[i] = node.rows.stop - node.rows.start
        gain[i] = node.gain
    return {
        "children_left": np.asarray(children_left),
        "children_right": np.asarray(children_right),
        "feature": np.asarray(feature),
        "threshold": np.asarray(threshold),
        "n_node_samples": np.asarray(n_node_samples),
        "value": _class_counts(growth, order, children_left, children_right),
        "gain": np.asarray(gain),
    }


cdef void _number_in_preorder(Growth growth, index_t[::1] order, index_t[::1] number, index_t[::1] stack) noexcept:
    cdef index_t i, node, n_stacked = 1
    stack[0] = 0
    for i in range(growth.n_nodes):
        n_stacked -= 1
        node = stack[n_stacked]
        order[i] = node
        number[node] = i
        if growth.nodes[node].left != LEAF:
            stack[n_stacked] = growth.nodes[node].right
            stack[n_stacked + 1] = growth.nodes[node].left
            n_stacked += 2


cdef _class_counts(
    Growth growth, const index_t[::1] order, const int64_t[::1] children_left, const int64_t[::1] children_right
):
    """Class counts of the leaves as they were closed; of an inner node, left child plus right child."""
    cdef float64_t[:, ::1] value = np.empty((growth.n_nodes, growth.n_classes))
    cdef Py_ssize_t i, label
    # Children stand behind their parent in preorder.
    for i in range(growth.n_nodes - 1, -1, -1):
        for label in range(growth.n_classes):
            if children_left[i] == LEAF:
                value[i, label] = growth.values[<Py_ssize_t> order[i] * growth.n_classes + label]
            else:
                value[i, label] = value[children_left[i], label] + value[children_right[i], label]
    return np.asarray(value)


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
    max_bins=MAX_BINS,
):
    """Prepare X for `grow_tree`: sort what has to be sorted once for all trees of these parameters."""
    cdef SharedFeatures shared = SharedFeatures()
    shared.arguments = (
        np.asarray(X), n_classes, criterion, weights_are_whole, max_features, max_candidates, block_rows, max_bins
    )
    # Sequences can hold a row more than once, which then has several places.
    ranks = not judges_sequence(criterion) and FEATURES_PER_RANKED * max_features <= X.shape[1]
    shared.features = Features(X, ranks)
    allows_bins = (
        criterion in ("gini", "entropy")
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


def grow_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, weights, Py_ssize_t n_classes, criterion, *, index_t max_depth,
    index_t min_samples_split, index_t min_samples_leaf, index_t max_leaf_nodes, float64_t min_gain,
    index_t max_candidates, index_t max_features, uint64_t seed, rows=None, SharedFeatures shared=None,
    index_t n_threads=1, block_rows=None, max_bins=MAX_BINS,
):
    """Grow a tree: a dict of its arrays. Limits that do not apply are 2**31 - 1, for min_gain -inf.

    `weights` is None, int64 (compared exactly) or float64 (compared with a tolerance), and positive in all rows that
    are used: those of `rows`, in their order, or all. `shared` comes from `share_features` with the same parameters. Up
    to `n_threads` threads scan the features of a node together, where sequences are scanned.
    `block_rows` and `max_bins` do not change the tree, only the way to it: subtrees of more rows than `block_rows` look
    at `max_bins` bins of every feature first, where the criterion allows it. By default the number of rows decides.
    """
    _check(X.shape[0], y, weights, n_classes, criterion)
    name = parameters_of(criterion, n_classes)[0]
    if not is_rational(criterion, n_classes) and name not in ("wig", "user_counts"):
        # Compared with a tolerance, as weights that are not whole numbers are. So are these two, which take counts.
        weights = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
    weights_are_whole = weights is None or weights.dtype != np.float64
    if shared is None:
        shared = share_features(
            X, n_classes, criterion, weights_are_whole, max_features, max_candidates, block_rows, max_bins
        )
    rows = np.arange(X.shape[0]) if rows is None else rows
    cdef Growth growth = Growth()
    can_use_bins = shared.bins is not None and weights_are_whole
    growth.block_rows = min(shared.block_rows, len(rows)) if can_use_bins else len(rows)
    n_places = X.shape[0] if is_ranked(shared.features) else growth.block_rows
    is_wide = max(n_places, n_classes) > NARROW_LIMIT
    growth.partition = RowPartition(shared.features, rows, growth.block_rows, max_leaf_nodes < UNLIMITED, is_wide)
    if growth.block_rows < len(rows):
        growth.histograms = Histograms(growth.partition, shared.bins, y, weights, n_classes)
    growth.scanner = Scanner(
        growth.partition, growth.histograms, y, weights, n_classes, criterion, min_samples_leaf, max_candidates,
        max_features, n_threads,
    )
    growth.max_depth = max_depth
    growth.min_samples_split = min_samples_split
    growth.max_leaf_nodes = max_leaf_nodes
    growth.n_classes = <index_t> n_classes
    growth.min_gain = min_gain
    growth.searches_together = name == "user_counts"
    with nogil:
        _grow(growth, seed)
    return _in_preorder(growth)
