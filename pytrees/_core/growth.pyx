"""Growth of a tree from its root: depth-first, or best-first where the number of leaves is limited."""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free, malloc
from libc.string cimport memmove

from pytrees._core.criteria cimport is_greater_priority
from pytrees._core.partition cimport RowPartition, split_entries, split_rows, threshold_between
from pytrees._core.scanner cimport Scanner, Split, find_split, is_pure, mix64
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

cdef enum:
    ENTRIES_BETWEEN_SIGNALS = 10000000

cdef struct Node:
    index_t left, right, start, stop, depth, feature
    float64_t threshold, gain
    uint64_t random_state   # follows from the tree's seed and the path to the node, whatever the order of growth

cdef struct OpenLeaf:
    index_t node
    Split split

_NODE = np.dtype(
    [(name, np.int32) for name in ("left", "right", "start", "stop", "depth", "feature")]
    + [("threshold", np.float64), ("gain", np.float64), ("random_state", np.uint64)],
    align=True,
)


@cython.final
cdef class Growth:
    """A tree as it grows: its nodes in the order in which they were made, and the leaves that can still be split."""

    cdef RowPartition partition
    cdef Scanner scanner
    cdef index_t max_depth, min_samples_split, max_leaf_nodes
    cdef float64_t min_gain
    cdef Node[::1] nodes
    cdef index_t n_nodes, n_leaves
    # In descending order of their rows' place: the leftmost leaf stands last.
    cdef OpenLeaf* open_leaves
    cdef index_t n_open
    cdef int64_t n_scanned  # entries since the last look at the keyboard

    def __cinit__(self, RowPartition partition, Scanner scanner, index_t max_depth, index_t max_leaf_nodes):
        cdef Py_ssize_t max_leaves = min(partition.n_rows // scanner.min_samples_leaf, max_leaf_nodes)
        if max_depth < 30:
            max_leaves = min(max_leaves, 1 << max_depth)
        max_leaves = max(max_leaves, 1)
        self.partition = partition
        self.scanner = scanner
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.nodes = np.empty(2 * max_leaves - 1, dtype=_NODE)
        self.open_leaves = <OpenLeaf*> malloc(max_leaves * sizeof(OpenLeaf))
        if self.open_leaves == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.open_leaves)


cdef int _grow(Growth growth, uint64_t seed) except -1 nogil:
    cdef index_t chosen, n_new
    cdef OpenLeaf leaf
    cdef OpenLeaf children[2]
    growth.n_nodes = 0
    growth.n_open = 0
    growth.n_leaves = 1
    growth.n_scanned = 0
    leaf.node = _add_node(growth, 0, <index_t> growth.partition.n_rows, 0, mix64(seed))
    if _may_split(growth, leaf.node) and _open(growth, &leaf):
        growth.open_leaves[0] = leaf
        growth.n_open = 1
    while growth.n_open > 0 and growth.n_leaves < growth.max_leaf_nodes:
        chosen = growth.n_open - 1 if growth.max_leaf_nodes == UNLIMITED else _best_open_leaf(growth)
        leaf = growth.open_leaves[chosen]
        n_new = _split_leaf(growth, &leaf, children)
        # The children that can be split take the place of their parent among the open leaves.
        memmove(
            &growth.open_leaves[chosen + n_new], &growth.open_leaves[chosen + 1],
            (growth.n_open - chosen - 1) * sizeof(OpenLeaf),
        )
        growth.n_open += n_new - 1
        if n_new > 0:
            growth.open_leaves[chosen] = children[0]
        if n_new > 1:
            growth.open_leaves[chosen + 1] = children[1]
    return 0


cdef index_t _best_open_leaf(Growth growth) noexcept nogil:
    """The leaf whose split gains most, counted in rows; of equal ones the leftmost, which is the first in preorder."""
    cdef index_t i, best = growth.n_open - 1
    for i in range(growth.n_open - 2, -1, -1):
        if is_greater_priority(&growth.open_leaves[i].split.gain, &growth.open_leaves[best].split.gain):
            best = i
    return best


cdef index_t _add_node(
    Growth growth, index_t start, index_t stop, index_t depth, uint64_t random_state
) noexcept nogil:
    cdef index_t node = growth.n_nodes
    growth.nodes[node].left = LEAF
    growth.nodes[node].right = LEAF
    growth.nodes[node].start = start
    growth.nodes[node].stop = stop
    growth.nodes[node].depth = depth
    growth.nodes[node].feature = UNDEFINED
    growth.nodes[node].threshold = UNDEFINED
    growth.nodes[node].gain = 0.0
    growth.nodes[node].random_state = random_state
    growth.n_nodes += 1
    return node


cdef bint _may_split(Growth growth, index_t node) noexcept nogil:
    cdef index_t start = growth.nodes[node].start, stop = growth.nodes[node].stop
    return (
        stop - start >= growth.min_samples_split
        and growth.nodes[node].depth < growth.max_depth
        and not is_pure(growth.scanner, start, stop)
    )


cdef int _open(Growth growth, OpenLeaf* leaf) except -1 nogil:
    """Find the split of leaf.node: 1 where there is one and it gains enough, else 0."""
    cdef index_t start = growth.nodes[leaf.node].start, stop = growth.nodes[leaf.node].stop
    growth.n_scanned += <int64_t> (stop - start) * growth.partition.n_features
    if growth.n_scanned >= ENTRIES_BETWEEN_SIGNALS:
        growth.n_scanned = 0
        with gil:
            PyErr_CheckSignals()
    find_split(growth.scanner, start, stop, growth.nodes[leaf.node].random_state, &leaf.split)
    return leaf.split.feature != NONE and leaf.split.gain.value >= growth.min_gain


cdef int _split_leaf(Growth growth, const OpenLeaf* leaf, OpenLeaf* children) except -1 nogil:
    """Split the leaf; write those children that can be split in turn, right before left, and return how many."""
    cdef index_t node = leaf.node, feature = leaf.split.feature, side, n_open = 0
    cdef index_t start = growth.nodes[node].start, stop = growth.nodes[node].stop
    cdef index_t middle = start + leaf.split.n_left, depth = growth.nodes[node].depth + 1
    cdef uint64_t random_state = growth.nodes[node].random_state
    cdef bint may_split[2]
    growth.nodes[node].feature = feature
    growth.nodes[node].threshold = threshold_between(growth.partition, feature, middle - 1)
    growth.nodes[node].gain = leaf.split.gain.value
    split_rows(growth.partition, start, stop, feature, leaf.split.n_left)
    children[0].node = _add_node(growth, middle, stop, depth, mix64(random_state + 2))
    children[1].node = _add_node(growth, start, middle, depth, mix64(random_state + 1))
    growth.nodes[node].right = children[0].node
    growth.nodes[node].left = children[1].node
    growth.n_leaves += 1
    may_split[0] = _may_split(growth, children[0].node)
    may_split[1] = _may_split(growth, children[1].node)
    if may_split[0] or may_split[1]:
        split_entries(growth.partition, start, stop)
    for side in range(2):
        if may_split[side] and _open(growth, &children[side]):
            children[n_open] = children[side]
            n_open += 1
    return n_open


cdef dict _in_preorder(Growth growth, const index_t[::1] y, weights, Py_ssize_t n_classes):
    """The arrays of the tree, its nodes numbered in preorder, left first."""
    cdef Py_ssize_t i, node, n_nodes = growth.n_nodes
    cdef index_t[::1] order = np.empty(n_nodes, dtype=np.int32)
    cdef index_t[::1] stack = np.empty(n_nodes, dtype=np.int32)
    cdef int64_t[::1] number = np.empty(n_nodes, dtype=np.int64)
    cdef int64_t[::1] children_left = np.full(n_nodes, LEAF, dtype=np.int64)
    cdef int64_t[::1] children_right = np.full(n_nodes, LEAF, dtype=np.int64)
    cdef Py_ssize_t n_stacked = 1
    stack[0] = 0
    for i in range(n_nodes):
        n_stacked -= 1
        node = stack[n_stacked]
        order[i] = <index_t> node
        number[node] = i
        if growth.nodes[node].left != LEAF:
            stack[n_stacked] = growth.nodes[node].right
            stack[n_stacked + 1] = growth.nodes[node].left
            n_stacked += 2
    for i in range(n_nodes):
        node = order[i]
        if growth.nodes[node].left != LEAF:
            children_left[i] = number[growth.nodes[node].left]
            children_right[i] = number[growth.nodes[node].right]
    nodes = np.asarray(growth.nodes)[np.asarray(order)]
    return {
        "children_left": np.asarray(children_left),
        "children_right": np.asarray(children_right),
        "feature": nodes["feature"].astype(np.int64),
        "threshold": nodes["threshold"].copy(),
        "n_node_samples": (nodes["stop"] - nodes["start"]).astype(np.int64),
        "value": _class_counts(growth, order, children_left, children_right, y, weights, n_classes),
        "gain": nodes["gain"].copy(),
    }


cdef _class_counts(
    Growth growth, const index_t[::1] order, const int64_t[::1] children_left, const int64_t[::1] children_right,
    const index_t[::1] y, weights, Py_ssize_t n_classes,
):
    """Class counts of the leaves, summed in the order of the rows; of an inner node, left child plus right child."""
    cdef float64_t[:, ::1] value = np.zeros((growth.n_nodes, n_classes))
    cdef const float64_t[::1] row_weights = np.ones(1) if weights is None else weights.astype(np.float64)
    cdef Py_ssize_t i, label
    cdef index_t k, row, is_weighted = weights is not None
    # Children stand behind their parent in preorder.
    for i in range(growth.n_nodes - 1, -1, -1):
        if children_left[i] != LEAF:
            for label in range(n_classes):
                value[i, label] = value[children_left[i], label] + value[children_right[i], label]
            continue
        for k in range(growth.nodes[order[i]].start, growth.nodes[order[i]].stop):
            row = growth.partition.rows[k]
            value[i, y[row]] += row_weights[row * is_weighted]
    return np.asarray(value)


def grow_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, weights, Py_ssize_t n_classes, criterion, *, index_t max_depth,
    index_t min_samples_split, index_t min_samples_leaf, index_t max_leaf_nodes, float64_t min_gain,
    index_t max_candidates, index_t max_features, uint64_t seed, index_t n_threads=1,
):
    """Grow a tree: a dict of its arrays. Limits that do not apply are 2**31 - 1, for min_gain -inf.

    `weights` is None, int64 (compared exactly) or float64 (compared with a tolerance), and positive. Up to `n_threads`
    threads scan the features of a node together, where sequences are scanned.
    """
    cdef RowPartition partition = RowPartition(X)
    cdef Scanner scanner = Scanner(
        partition, y, weights, n_classes, criterion, min_samples_leaf, max_candidates, max_features, n_threads
    )
    cdef Growth growth = Growth(partition, scanner, max_depth, max_leaf_nodes)
    growth.min_samples_split = min_samples_split
    growth.min_gain = min_gain
    with nogil:
        _grow(growth, seed)
    return _in_preorder(growth, y, weights, n_classes)
