"""The way of samples through trees: leaves, votes and sums over leaves, decision paths, features tested.

If values may be missing, `missing_go_to_left` says for every node whether samples without the value go left. Without
`missing_go_to_left` no value may be NaN, which is faster.
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, isnan
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.sorting cimport key_of, packed as entry_of, place_of, sort_entries
from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, UNDEFINED, float64_t, index_t, int64_t

cdef enum:
    LANES = 12              # rows that walk side by side: while some wait for their loads, others compare
    STEPS = 4               # steps between two checks whether all of them have arrived
    LINE = 8                # values in a line of the cache
    SHORT = 64              # rows of at most 64 features are fetched ahead whole
    BLOCK = 524288           # values of the rows that go through all trees before the next rows: they stay in the cache

# A packed node. Its right child follows the left child. A leaf is its own left child, and no value is above its
# threshold, so a row stays at its leaf.
cdef packed struct PackedNode:
    float64_t threshold
    uint32_t feature
    uint32_t left

PENDING = np.dtype({
    "names": ["node", "start", "stop", "parent", "is_right"], "formats": [np.int64] * 4 + [np.intc],
    "itemsize": 40,
})
NODE = np.dtype([("threshold", np.float64), ("feature", np.uint32), ("left", np.uint32)])

# Each position has either a row of `values` or a vote; the other pointer is NULL.
cdef struct PackedTree:
    const PackedNode* nodes
    const float64_t* values
    const int64_t* votes
    const uint8_t* missing      # by position: samples that lack the value go left; NULL if no value is missing


# A part that a tree in binary form still lacks: a node whose intervals are not yet known (stop is 0), or a search among
# the intervals [start, stop) of a multiway node.
cdef struct Pending:
    int64_t node, start, stop, parent
    bint is_right


def binarise(
    const int64_t[::1] children_left, const int64_t[::1] feature, const float64_t[::1] threshold,
    const int64_t[::1] child_offsets, const int64_t[::1] children, const int64_t[::1] category_offsets,
    const int64_t[::1] categories,
):
    """Rewrite a tree's decisions with thresholds only: (children_left, children_right, feature, threshold, node) in
    preorder.

    A balanced search among the categories replaces a multiway node; its thresholds are half-way between codes. `node`
    gives the original node of each new node. Rows of a category without a child stay at the multiway node, which
    therefore has leaves, too. If a search ends at a child for the second time, the new node shares the children of the
    first one.
    """
    # A multiway node of c categories has at most 2 c + 1 intervals, and a search among them needs fewer nodes.
    cdef Py_ssize_t capacity = 4 * (feature.shape[0] + categories.shape[0])
    cdef Py_ssize_t n_pending = 1, n_nodes = 0, middle, first, n_intervals = 0
    cdef float64_t[::1] ends = np.empty(2 * categories.shape[0] + feature.shape[0])
    cdef int64_t[::1] targets = np.empty(2 * categories.shape[0] + feature.shape[0], dtype=np.int64)
    cdef int64_t[:, ::1] links = np.empty((5, capacity), dtype=np.int64)
    cdef float64_t[::1] thresholds = np.empty(capacity)
    cdef Pending[::1] pending = np.empty(capacity, dtype=PENDING)
    cdef uint64_t[:, ::1] scratch = np.empty((2, max(1, categories.shape[0])), dtype=np.uint64)
    cdef int64_t[::1] numbers = np.full(feature.shape[0], NONE, dtype=np.int64)     # of the first parts of nodes
    cdef Pending next_one
    pending[0] = Pending(0, 0, 0, LEAF, False)
    while n_pending > 0:
        n_pending -= 1
        next_one = pending[n_pending]
        if next_one.stop == 0 and children_left[next_one.node] == MULTIWAY and numbers[next_one.node] == NONE:
            next_one.start = n_intervals
            n_intervals = next_one.stop = add_intervals(
                children[child_offsets[next_one.node]:child_offsets[next_one.node + 1]], category_offsets, categories,
                &scratch[0, 0], &scratch[1, 0], ends, targets, n_intervals,
            )
        if next_one.stop - next_one.start == 1 and targets[next_one.start] != LEAF:
            pending[n_pending] = Pending(targets[next_one.start], 0, 0, next_one.parent, next_one.is_right)
            n_pending += 1
            continue
        if next_one.parent != LEAF:
            links[next_one.is_right, next_one.parent] = n_nodes
        links[0, n_nodes] = links[1, n_nodes] = LEAF
        links[2, n_nodes], links[3, n_nodes] = feature[next_one.node], next_one.node
        links[4, n_nodes] = NONE
        thresholds[n_nodes] = threshold[next_one.node]
        first = child_offsets[next_one.node]
        if numbers[next_one.node] == NONE:
            numbers[next_one.node] = n_nodes
        elif next_one.stop == 0:
            links[4, n_nodes] = numbers[next_one.node]
            n_nodes += 1
            continue
        if next_one.stop == 0 and child_offsets[next_one.node + 1] > first:
            pending[n_pending] = Pending(children[first + 1], 0, 0, n_nodes, True)
            pending[n_pending + 1] = Pending(children[first], 0, 0, n_nodes, False)
            n_pending += 2
        elif next_one.stop - next_one.start > 1:
            middle = next_one.start + (next_one.stop - next_one.start) // 2
            thresholds[n_nodes] = ends[middle - 1]
            pending[n_pending] = Pending(next_one.node, middle, next_one.stop, n_nodes, True)
            pending[n_pending + 1] = Pending(next_one.node, next_one.start, middle, n_nodes, False)
            n_pending += 2
        else:
            links[2, n_nodes] = UNDEFINED
            thresholds[n_nodes] = UNDEFINED
        n_nodes += 1
    copy_repeated(links[:, :n_nodes], thresholds)
    left, right, looked_at, node = (np.array(row[:n_nodes]) for row in np.asarray(links)[:4])
    return left, right, looked_at, np.array(thresholds[:n_nodes]), node


cdef void copy_repeated(int64_t[:, :] links, float64_t[::1] thresholds):
    """Copy the first part of a node to its later parts; the last row of `links` has the number of the first part."""
    cdef Py_ssize_t node
    cdef int64_t first
    for node in range(links.shape[1]):
        first = links[4, node]
        if first != NONE:
            links[:3, node], thresholds[node] = links[:3, first], thresholds[first]


cdef Py_ssize_t add_intervals(
    const int64_t[::1] below, const int64_t[::1] category_offsets, const int64_t[::1] categories, uint64_t* codes,
    uint64_t* spare, float64_t[::1] ends, int64_t[::1] targets, Py_ssize_t n,
):
    """List the intervals of codes in ascending order, as upper ends and children; the child is LEAF if rows stay at the
    node."""
    cdef Py_ssize_t i, k, n_codes = 0
    cdef int64_t child
    cdef float64_t code
    for i in range(below.shape[0]):
        for k in range(category_offsets[below[i]], category_offsets[below[i] + 1]):
            codes[n_codes] = entry_of(<uint32_t>categories[k], <index_t>i, <uint64_t>0)
            n_codes += 1
    # If every child has one category, the codes are already sorted.
    sort_entries(codes, spare, <index_t>n_codes)
    ends[n], targets[n] = <float64_t>key_of(codes[0]) - 0.5, LEAF
    n += 1
    for i in range(n_codes):
        code, child = <float64_t>key_of(codes[i]), below[place_of(codes[i])]
        if ends[n - 1] < code - 0.5:
            ends[n], targets[n] = code - 0.5, LEAF
            n += 1
        if targets[n - 1] == child:
            n -= 1
        ends[n], targets[n] = code + 0.5, child
        n += 1
    ends[n], targets[n] = INFINITY, LEAF
    return n + 1


def pack(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold,
):
    """Pack the nodes with siblings side by side, and their numbers in the tree, for walks of many rows.

    The nodes are records (threshold, feature, left child); the right child follows the left child. Siblings are in the
    preorder of their parents; shared siblings count for their first parent. A leaf is its own left child, and has an
    infinite threshold.
    """
    cdef Py_ssize_t n_nodes = children_left.shape[0]
    packed = np.empty(n_nodes, dtype=NODE)
    cdef PackedNode[::1] nodes = packed
    cdef uint32_t[::1] numbers = np.empty(n_nodes, dtype=np.uint32)
    cdef uint32_t[::1] positions = np.zeros(n_nodes, dtype=np.uint32)
    cdef Py_ssize_t number
    cdef uint32_t position, used = 1
    # Nodes come in preorder: a node's position is known before its turn.
    for number in range(n_nodes):
        position = positions[number]
        numbers[position] = <uint32_t>number
        if children_left[number] == LEAF:
            nodes[position].threshold, nodes[position].feature, nodes[position].left = INFINITY, 0, position
        else:
            nodes[position].threshold, nodes[position].feature = threshold[number], <uint32_t>feature[number]
            # Nodes may share their children.
            if positions[children_left[number]] == 0:
                positions[children_left[number]] = used
                positions[children_right[number]] = used + 1
                used += 2
            nodes[position].left = positions[children_left[number]]
    return packed, np.asarray(numbers)


# In the functions that walk, `missing` is NULL if no value is missing. They are compiled twice: callers hand over the
# constant NULL, or a pointer.

cdef inline uint64_t step(
    const PackedNode* nodes, const uint8_t* missing, uint64_t position, const float64_t* row
) noexcept nogil:
    """Return the child that the row goes to; a row stays at a leaf. (Unsigned numbers save a sign extension for every
    address.)"""
    cdef const PackedNode* node = &nodes[position]
    cdef float64_t value = row[node.feature]
    if missing == NULL:
        return <uint64_t>node.left + <uint64_t>(value > node.threshold)
    return <uint64_t>node.left + <uint64_t>(not missing[position] if isnan(value) else value > node.threshold)


cdef inline void walk_side_by_side(
    const PackedNode* nodes, const uint8_t* missing, const float64_t* rows, Py_ssize_t n_features, uint64_t* leaves,
    int64_t* n_steps
) noexcept nogil:
    """Find the positions of the leaves of LANES rows; add the steps of the walk to `n_steps`."""
    cdef uint64_t positions[LANES]
    cdef uint64_t moving = 1
    cdef Py_ssize_t lane, _turn, ahead = LANES * n_features
    # The walk looks at few values of a row, in an order that the processor cannot foresee: fetch the next rows.
    if n_features <= SHORT:
        while ahead < 2 * LANES * n_features:
            prefetch(rows + ahead)
            ahead += LINE
    for lane in range(LANES):
        positions[lane] = 0
    while moving:
        for _turn in range(STEPS):
            for lane in range(LANES):
                positions[lane] = step(nodes, missing, positions[lane], rows + lane * n_features)
        moving = 0
        n_steps[0] += STEPS * LANES
        for lane in range(LANES):
            moving |= nodes[positions[lane]].left ^ positions[lane]
    for lane in range(LANES):
        leaves[lane] = positions[lane]


cdef inline Py_ssize_t walk(
    const PackedNode* nodes, const uint8_t* missing, const float64_t* rows, Py_ssize_t n_rows, Py_ssize_t n_features,
    uint64_t* leaves, int64_t* n_steps
) noexcept nogil:
    """Find the positions of the leaves of the first LANES rows, or of all rows if there are fewer; return their
    number, and add the steps of the walk to `n_steps`."""
    cdef Py_ssize_t row
    if n_rows >= LANES:
        walk_side_by_side(nodes, missing, rows, n_features, leaves, n_steps)
        return LANES
    for row in range(n_rows):
        leaves[row] = 0
        while nodes[leaves[row]].left != leaves[row]:
            leaves[row] = step(nodes, missing, leaves[row], rows + row * n_features)
            n_steps[0] += 1
    return n_rows


cdef inline float64_t not_finite(const float64_t* values, Py_ssize_t n) noexcept nogil:
    """Return zero if all of the values are finite, otherwise NaN. (Several sums need not wait for each other.)"""
    cdef float64_t sums[LINE]
    cdef float64_t total = 0.0
    cdef Py_ssize_t i = 0, k
    for k in range(LINE):
        sums[k] = 0.0
    while i <= n - LINE:
        for k in range(LINE):
            sums[k] += values[i + k] - values[i + k]
        i += LINE
    while i < n:
        total += values[i] - values[i]
        i += 1
    for k in range(LINE):
        total += sums[k]
    return total


def apply_packed(
    const PackedNode[::1] nodes, const uint32_t[::1] numbers, const float64_t[:, ::1] X,
    const uint8_t[::1] missing_go_to_left=None,
):
    """Apply a packed tree (see `pack`): return the leaf of every sample, and whether X is finite, which costs little on
    the way. `missing_go_to_left` is by position, and true at leaves."""
    cdef int64_t[::1] leaves = np.empty(X.shape[0], dtype=np.int64)
    cdef uint64_t positions[LANES]
    cdef Py_ssize_t row = 0, lane, n_walked
    cdef int64_t n_steps, work_done = 0
    cdef float64_t bad = 0.0
    cdef const uint8_t* missing = NULL
    if missing_go_to_left is not None:
        check_flags(nodes.shape[0], missing_go_to_left.shape[0])
        missing = &missing_go_to_left[0]
    with nogil:
        while row < X.shape[0]:
            n_steps = 0
            if missing == NULL:
                n_walked = walk(&nodes[0], NULL, &X[row, 0], X.shape[0] - row, X.shape[1], positions, &n_steps)
            else:
                n_walked = walk(&nodes[0], missing, &X[row, 0], X.shape[0] - row, X.shape[1], positions, &n_steps)
            check_signals(&work_done, n_steps + X.shape[1], WORK_BETWEEN_CHECKS)
            bad += not_finite(&X[row, 0], n_walked * X.shape[1])
            for lane in range(n_walked):
                leaves[row + lane] = numbers[positions[lane]]
            row += n_walked
    return np.asarray(leaves), bad == 0.0


cdef int add_leaves(
    const PackedTree* tree, const float64_t* X, Py_ssize_t n_rows, Py_ssize_t n_features, Py_ssize_t n_classes,
    float64_t* sums, int64_t* work_done
) except -1 nogil:
    if tree.missing == NULL:
        return add_walked(tree, NULL, X, n_rows, n_features, n_classes, sums, work_done)
    return add_walked(tree, tree.missing, X, n_rows, n_features, n_classes, sums, work_done)


cdef inline int add_walked(
    const PackedTree* tree, const uint8_t* missing, const float64_t* X, Py_ssize_t n_rows, Py_ssize_t n_features,
    Py_ssize_t n_classes, float64_t* sums, int64_t* work_done
) except -1 nogil:
    """Add the values or the vote of its leaf to the sums of every row."""
    cdef uint64_t positions[LANES]
    cdef Py_ssize_t row = 0, lane, k, n_walked
    cdef int64_t n_steps
    cdef const float64_t* values
    while row < n_rows:
        n_steps = 0
        n_walked = walk(tree.nodes, missing, X + row * n_features, n_rows - row, n_features, positions, &n_steps)
        check_signals(work_done, n_steps + n_walked * n_classes, WORK_BETWEEN_CHECKS)
        for lane in range(n_walked):
            if tree.votes != NULL:
                sums[tree.votes[positions[lane]]] += 1.0
            else:
                values = tree.values + positions[lane] * n_classes
                for k in range(n_classes):
                    sums[k] += values[k]
            sums += n_classes
        row += n_walked
    return 0


cdef int check_sizes(const uint32_t[::1] numbers, Py_ssize_t n_nodes) except -1:
    """Raise ValueError if some node has no values. Packed nodes may share the number of a multiway node."""
    if n_nodes > numbers.shape[0] or n_nodes < numbers.shape[0] and np.max(numbers) >= n_nodes:
        raise ValueError("A tree needs one vote or one row of values for every node.")
    return 0


cdef int check_votes(votes, Py_ssize_t n_classes) except -1:
    if np.min(votes) < 0 or np.max(votes) >= n_classes:
        raise ValueError(f"Nodes must vote for one of the classes 0..{n_classes - 1}.")
    return 0


cdef int check_flags(Py_ssize_t n_nodes, Py_ssize_t n_flags) except -1:
    if n_nodes != n_flags:
        raise ValueError(f"A packed tree of {n_nodes} nodes needs {n_nodes} flags of missing values, got {n_flags}.")
    return 0


@cython.final
cdef class PackedForest:
    """Packed trees, and the values or votes of their leaves: see `pack_forest`."""

    cdef PackedTree* trees
    cdef Py_ssize_t n_trees, n_classes
    cdef object arrays      # keeps alive what `trees` points at

    def __cinit__(self, list trees, list leaf_arrays, Py_ssize_t n_classes, list missing):
        cdef const PackedNode[::1] nodes
        cdef const uint32_t[::1] numbers
        cdef const int64_t[::1] votes
        cdef const float64_t[:, ::1] values
        cdef const uint8_t[::1] goes_left
        cdef Py_ssize_t i
        if len(leaf_arrays) != len(trees) or missing is not None and len(missing) != len(trees):
            raise ValueError(f"{len(trees)} trees need as many arrays of votes or values, and of missing values.")
        self.n_trees, self.n_classes = len(trees), n_classes
        self.trees = <PackedTree*>malloc(max(1, len(trees)) * sizeof(PackedTree))
        if self.trees == NULL:
            raise MemoryError(f"no memory for {len(trees)} packed trees")
        self.arrays = list(trees), missing and list(missing), []
        for i in range(len(trees)):
            nodes, numbers = trees[i]
            self.trees[i] = PackedTree(&nodes[0], NULL, NULL, NULL)
            if missing is not None:
                goes_left = missing[i]
                check_flags(nodes.shape[0], goes_left.shape[0])
                self.trees[i].missing = &goes_left[0]
            given = np.asarray(leaf_arrays[i])
            check_sizes(numbers, given.shape[0] if given.shape[1:] in ((), (n_classes,)) else 0)
            # By position, so that a walk finds the values of its leaf without the leaf's number.
            given = given[np.asarray(numbers)]
            self.arrays[2].append(given)
            if given.ndim == 1:
                check_votes(given, n_classes)
                votes = given
                self.trees[i].votes = &votes[0]
            else:
                values = given
                self.trees[i].values = &values[0, 0]

    def __dealloc__(self):
        free(self.trees)


def pack_forest(list trees, list leaf_arrays, Py_ssize_t n_classes, list missing=None):
    """Prepare the trees of a forest for `sum_leaves`.

    `trees` are the results of `pack`. The nodes of a tree give votes, (n_nodes,) int64, each for one class, or values,
    (n_nodes, n_classes) float64. If values may be missing, `missing` holds the `missing_go_to_left` of every tree, as
    for `apply_packed`.
    """
    return PackedForest(trees, leaf_arrays, n_classes, missing)


def sum_leaves(PackedForest forest, const float64_t[:, ::1] X):
    """Add up the values or votes of every sample's leaves, in the order of the trees, and tell whether X is finite.

    The sums are (n_samples, n_classes) float64.
    """
    cdef float64_t[:, ::1] sums = np.zeros((X.shape[0], forest.n_classes))
    cdef float64_t bad = 0.0
    cdef int64_t work_done = 0
    cdef Py_ssize_t i, n_rows, row = 0
    cdef Py_ssize_t block = max(<Py_ssize_t>LANES, BLOCK // max(<Py_ssize_t>1, X.shape[1]))
    if X.shape[0] == 0:
        return np.asarray(sums), True
    with nogil:
        while row < X.shape[0]:
            n_rows = min(block, X.shape[0] - row)
            bad += not_finite(&X[row, 0], n_rows * X.shape[1])
            check_signals(&work_done, n_rows * X.shape[1], WORK_BETWEEN_CHECKS)
            for i in range(forest.n_trees):
                add_leaves(
                    &forest.trees[i], &X[row, 0], n_rows, X.shape[1], forest.n_classes, &sums[row, 0], &work_done
                )
            row += n_rows
    return np.asarray(sums), bad == 0.0


def apply(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X, const uint8_t[::1] missing_go_to_left=None,
):
    """Find the leaf of every sample; (n_samples,) int64."""
    cdef int64_t[::1] leaves = np.empty(X.shape[0], dtype=np.int64)
    cdef Py_ssize_t row
    cdef int64_t node, n_steps, work_done = 0
    cdef bint goes_left
    if missing_go_to_left is not None:
        with nogil:
            for row in range(X.shape[0]):
                node = n_steps = 0
                while children_left[node] != LEAF:
                    n_steps += 1
                    goes_left = X[row, feature[node]] <= threshold[node]
                    if isnan(X[row, feature[node]]):
                        goes_left = missing_go_to_left[node]
                    node = children_left[node] if goes_left else children_right[node]
                leaves[row] = node
                check_signals(&work_done, n_steps, WORK_BETWEEN_CHECKS)
        return np.asarray(leaves)
    with nogil:
        for row in range(X.shape[0]):
            node = n_steps = 0
            while children_left[node] != LEAF:
                n_steps += 1
                node = children_left[node] if X[row, feature[node]] <= threshold[node] else children_right[node]
            leaves[row] = node
            check_signals(&work_done, n_steps, WORK_BETWEEN_CHECKS)
    return np.asarray(leaves)


def decision_path(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X, const uint8_t[::1] missing_go_to_left=None,
):
    """List the nodes that every sample visits: (indptr, indices). Row r has indices[indptr[r]:indptr[r+1]]. If nodes
    share children, the first of them is listed; all are parts of the same node."""
    cdef const int64_t[::1] leaves = apply(children_left, children_right, feature, threshold, X, missing_go_to_left)
    cdef const int64_t[::1] parents = parents_of(children_left, children_right)
    cdef int64_t[::1] depth = np.zeros(children_left.shape[0], dtype=np.int64)
    cdef int64_t node, visited, work_done = 0
    # Parents come before their children.
    for node in range(1, children_left.shape[0]):
        depth[node] = depth[parents[node]] + 1
    indptr = np.zeros(X.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.asarray(depth)[np.asarray(leaves)] + 1, out=indptr[1:])
    cdef int64_t[::1] indices = np.empty(indptr[X.shape[0]], dtype=np.int64)
    cdef Py_ssize_t row
    with nogil:
        visited = indices.shape[0]
        for row in range(X.shape[0] - 1, -1, -1):
            node = leaves[row]
            check_signals(&work_done, depth[node], WORK_BETWEEN_CHECKS)
            while node != NONE:
                visited -= 1
                indices[visited] = node
                node = parents[node]
    return indptr, np.asarray(indices)


cdef int64_t[::1] parents_of(const int64_t[::1] children_left, const int64_t[::1] children_right):
    """Return the parent of every node, and NONE for the root. If nodes share children, which are parts of one node of a
    tree, the parent is the first of them."""
    cdef int64_t[::1] parents = np.full(children_left.shape[0], NONE, dtype=np.int64)
    cdef int64_t node
    for node in range(children_left.shape[0]):
        if children_left[node] != LEAF and parents[children_left[node]] == NONE:
            parents[children_left[node]] = parents[children_right[node]] = node
    return parents


def feature_usage(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X, const uint8_t[::1] missing_go_to_left=None,
):
    """Count for each feature the samples that it is tested for at least once along the decision path; (n_features,)
    int64."""
    leaves = apply(children_left, children_right, feature, threshold, X, missing_go_to_left)
    cdef const int64_t[::1] n_samples = np.bincount(leaves, minlength=children_left.shape[0])
    cdef const int64_t[::1] parents = parents_of(children_left, children_right)
    cdef int64_t[::1] usage = np.zeros(X.shape[1], dtype=np.int64)
    # The last leaf for which the feature was counted.
    cdef int64_t[::1] counted = np.full(X.shape[1], NONE, dtype=np.int64)
    cdef int64_t leaf, node, work_done = 0
    with nogil:
        for leaf in range(parents.shape[0]):
            node = parents[leaf] if n_samples[leaf] > 0 else NONE
            while node != NONE:
                check_signals(&work_done, 1, WORK_BETWEEN_CHECKS)
                if counted[feature[node]] != leaf:
                    usage[feature[node]] += n_samples[leaf]
                    counted[feature[node]] = leaf
                node = parents[node]
    return np.asarray(usage)
