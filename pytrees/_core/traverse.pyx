"""The way of samples through trees: leaves, votes and sums over leaves, decision paths, features tested.

If values may be missing, `missing_go_to_left` says for every node whether samples without the value go left. Without
`missing_go_to_left` no value may be NaN, which is faster.
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, NAN, ceil, isfinite, isnan
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from pytrees._core.base.compiler cimport bit_length, prefetch
from pytrees._core.base.memory cimport reserve
from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.sorting cimport key_of, packed as entry_of, place_of, sort_entries
from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, UNDEFINED, UNLIMITED, float64_t, index_t, int64_t

cdef enum:
    LANES = 10              # rows that walk side by side: while some wait for their loads, others compare
    STEPS = 4               # steps between two checks whether all of them have arrived
    LINE = 8                # values in a line of the cache

PENDING = np.dtype({
    "names": ["node", "start", "stop", "parent", "is_right"], "formats": [np.int64] * 4 + [np.intc],
    "itemsize": 40,
})

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
        links[2, n_nodes], links[3, n_nodes], links[4, n_nodes] = feature[next_one.node], next_one.node, NONE
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
    found, cuts = np.asarray(links)[:, :n_nodes], np.array(thresholds[:n_nodes])
    later = np.flatnonzero(found[4] != NONE)        # the later parts of nodes are copies of their first parts
    found[:3, later], cuts[later] = found[:3, found[4, later]], cuts[found[4, later]]
    return found[0].copy(), found[1].copy(), found[2].copy(), cuts, found[3].copy()


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


# ------------------------------------------------------------------------------------------------------------- forests
#
# A node of a forest takes 8 bytes, so that a tree fits the cache: a key of 31 bits stands for the threshold, and rows
# have keys of their own. Unequal keys are ordered as the numbers are; if they are equal, the numbers decide.

cdef enum:
    FEATURE_BITS = 12                       # of a link; the others are the pair of the children
    MOST_FEATURES = 1 << FEATURE_BITS
    MOST_PAIRS = 1 << (32 - FEATURE_BITS)
    MOST_VALUES = 131072                    # values of the rows that go through all trees before the next rows
    VALUES_FOR_A_TREE = 16384               # the same for one tree
    FEWEST_ROWS = 256                       # of them, however many features they have
    AHEAD = 96                              # lines of the next tree that are fetched beside LANES rows, at most
    BYTES_OF_LINE = 64
    KEY_OF_INFINITY = 0x7FC00000            # no key of a number is greater
    NUMBER_OF_LEAF = 0x3FFFFF               # bits of a leaf's key; no key of a number is smaller

# Siblings are a pair p, at the places 2 p and 2 p + 1; the root is at place 0. A leaf has its own pair for children and
# a key by which all rows stay: at an even place above all keys of numbers, at an odd one below them. In both cases the
# lower bits are 1 plus the class that the leaf votes for, or 1 plus the row of its values.
cdef struct ForestNode:
    uint32_t key
    uint32_t link           # the pair of the children, and below it the feature

# In a forest of votes `values` is NULL; `missing` is NULL if no value is missing.
cdef struct ForestTree:
    const ForestNode* nodes
    const float64_t* thresholds     # of the nodes: infinite at leaves of even places, NaN at those of odd places
    const uint8_t* missing          # of the nodes: samples that lack the value go left
    const float64_t* values         # of the leaves
    Py_ssize_t n_nodes
    Py_ssize_t n_steps              # after which most rows have arrived

# Rows on their way through a tree, their keys, and their places in the tree.
cdef struct Walkers:
    const float64_t* rows
    uint32_t* keys          # NULL: the numbers are compared
    uint32_t* places
    uint32_t* moving        # the rows that have not arrived
    Py_ssize_t n_rows, most_rows, n_features, n_keys
    const char* ahead       # the rows that come next
    Py_ssize_t bytes_ahead

FOREST_NODE = np.dtype([("key", np.uint32), ("link", np.uint32)])


cdef inline uint32_t rounded_key(float64_t value, float64_t origin) noexcept nogil:
    """Return a key of 31 bits. A greater number never has a smaller key: each rounding keeps the order. (The sum with
    zero makes one zero of two.)"""
    cdef float rounded = <float>(value - origin + 0.0)
    cdef int32_t bits
    memcpy(&bits, &rounded, sizeof(bits))
    return (<uint32_t>bits ^ (<uint32_t>(bits >> 31) | 0x80000000U)) >> 1


cdef inline uint64_t pair_of(const ForestNode* node) noexcept nogil:
    return node.link >> FEATURE_BITS


cdef inline uint64_t feature_of(const ForestNode* node) noexcept nogil:
    return node.link & (MOST_FEATURES - 1)


cdef inline bint has_arrived(const ForestTree* tree, uint64_t place) noexcept nogil:
    return pair_of(&tree.nodes[place]) == place >> 1


cdef inline uint64_t exact_step(
    const ForestTree* tree, const uint8_t* missing, uint64_t place, const float64_t* row
) noexcept nogil:
    """Return the place of the child that the row goes to, by its value."""
    cdef float64_t value = row[feature_of(&tree.nodes[place])]
    cdef bint goes_left = value <= tree.thresholds[place]
    if missing != NULL and isnan(value):
        goes_left = missing[place]
    return 2 * pair_of(&tree.nodes[place]) + <uint64_t>(not goes_left)


cdef inline bint step_by_keys(
    const ForestNode* nodes, uint64_t* places, const uint32_t** keys, Py_ssize_t n_steps
) noexcept nogil:
    """Move LANES rows on in a tree; stop and return False if keys are equal. (A difference of keys costs less than a
    comparison: its sign is part of the next place.)"""
    cdef Py_ssize_t lane, _step
    cdef int32_t difference
    cdef const ForestNode* node
    for _step in range(n_steps):
        for lane in range(LANES):
            node = &nodes[places[lane]]
            difference = <int32_t>(node.key - keys[lane][feature_of(node)])
            if difference == 0:
                return False
            places[lane] = 2 * pair_of(node) + (<uint32_t>difference >> 31)
    return True


cdef inline void step_exactly(
    const ForestTree* tree, const uint8_t* missing, uint64_t* places, const float64_t** rows, Py_ssize_t n_steps
) noexcept nogil:
    cdef Py_ssize_t lane, _step
    for _step in range(n_steps):
        for lane in range(LANES):
            places[lane] = exact_step(tree, missing, places[lane], rows[lane])


# The next two functions are compiled three times: callers hand over constants, or a pointer.

cdef inline void move_lanes(
    const ForestTree* tree, bint by_keys, const uint8_t* missing, const Walkers* walkers, const uint32_t* moving,
    Py_ssize_t n_steps
) noexcept nogil:
    """Move the first LANES rows of `moving` on."""
    cdef uint64_t places[LANES]
    cdef const uint32_t* keys[LANES]
    cdef const float64_t* rows[LANES]
    cdef Py_ssize_t lane
    cdef bint is_done = False
    if by_keys:
        for lane in range(LANES):
            places[lane] = walkers.places[moving[lane]]
            keys[lane] = walkers.keys + moving[lane] * walkers.n_keys
        is_done = step_by_keys(tree.nodes, places, keys, n_steps)
    if not is_done:
        for lane in range(LANES):
            places[lane] = walkers.places[moving[lane]]
            rows[lane] = walkers.rows + moving[lane] * walkers.n_features
        step_exactly(tree, missing, places, rows, n_steps)
    for lane in range(LANES):
        walkers.places[moving[lane]] = <uint32_t>places[lane]


cdef inline Py_ssize_t move_rows(
    const ForestTree* tree, bint by_keys, const uint8_t* missing, const Walkers* walkers, Py_ssize_t n_moving,
    Py_ssize_t n_steps, const char* ahead, Py_ssize_t n_lines
) noexcept nogil:
    """Move rows on, fetch lines of what is read next, and return how many rows have not arrived. (The number of steps
    is given, because the processor cannot foresee when the last of LANES rows arrives.)"""
    cdef Py_ssize_t i = 0, lane, n_left = 0, line = 0, stop
    cdef Py_ssize_t share = min(<Py_ssize_t>AHEAD, 1 + n_lines // max(<Py_ssize_t>1, n_moving // LANES))
    cdef uint32_t row
    cdef uint64_t place
    while i <= n_moving - LANES:
        stop = min(n_lines, line + share)
        while line < stop:
            prefetch(ahead + line * BYTES_OF_LINE)
            line += 1
        move_lanes(tree, by_keys, missing, walkers, walkers.moving + i, n_steps)
        for lane in range(LANES):
            row = walkers.moving[i + lane]
            walkers.moving[n_left] = row
            n_left += not has_arrived(tree, walkers.places[row])
        i += LANES
    # The last few rows go all the way.
    while i < n_moving:
        row = walkers.moving[i]
        place = walkers.places[row]
        while not has_arrived(tree, place):
            place = exact_step(tree, missing, place, walkers.rows + row * walkers.n_features)
        walkers.places[row] = <uint32_t>place
        i += 1
    return n_left


cdef inline Py_ssize_t number_of_leaf(const ForestTree* tree, uint64_t place) noexcept nogil:
    """Return the class that a leaf votes for, or the row of its values."""
    return (tree.nodes[place].key & NUMBER_OF_LEAF) - 1


cdef inline void add_leaf(
    const ForestTree* tree, uint64_t place, Py_ssize_t n_classes, float64_t* sums
) noexcept nogil:
    cdef Py_ssize_t number = number_of_leaf(tree, place), k
    if tree.values == NULL:
        sums[number] += 1.0
    else:
        for k in range(n_classes):
            sums[k] += tree.values[number * n_classes + k]


cdef void add_leaves(
    const ForestTree* tree, const Walkers* walkers, Py_ssize_t n_classes, float64_t* sums
) noexcept nogil:
    cdef Py_ssize_t row
    for row in range(walkers.n_rows):
        add_leaf(tree, walkers.places[row], n_classes, sums + row * n_classes)


cdef int walk_tree(
    const ForestTree* tree, const Walkers* walkers, const char* ahead, Py_ssize_t n_lines, int64_t* work_done
) except -1 nogil:
    """Find the places of the leaves that the rows reach; fetch lines of what is read next."""
    cdef Py_ssize_t row, n_moving = walkers.n_rows, n_steps = tree.n_steps
    for row in range(walkers.n_rows):
        walkers.places[row], walkers.moving[row] = 0, <uint32_t>row
    while n_moving > 0:
        check_signals(work_done, n_moving * (n_steps + 1), WORK_BETWEEN_CHECKS)
        if walkers.keys != NULL:
            n_moving = move_rows(tree, True, NULL, walkers, n_moving, n_steps, ahead, n_lines)
        elif tree.missing == NULL:
            n_moving = move_rows(tree, False, NULL, walkers, n_moving, n_steps, ahead, n_lines)
        else:
            n_moving = move_rows(tree, False, tree.missing, walkers, n_moving, n_steps, ahead, n_lines)
        n_steps, n_lines = STEPS, 0
    return 0


cdef int add_row(
    const ForestTree* trees, Py_ssize_t n_trees, const Walkers* walkers, Py_ssize_t row, Py_ssize_t n_classes,
    float64_t* sums, int64_t* work_done
) except -1 nogil:
    """Add the leaves that one row reaches in all trees, LANES trees side by side."""
    cdef const float64_t* values = walkers.rows + row * walkers.n_features
    cdef const uint32_t* keys = walkers.keys
    cdef uint64_t places[LANES]
    cdef const ForestTree* tree
    cdef Py_ssize_t first = 0, lane, _step
    cdef uint64_t moving
    if keys != NULL:
        keys += row * walkers.n_keys
    while first < n_trees:
        for lane in range(LANES):
            places[lane] = 0
        moving = 1
        while moving:
            check_signals(work_done, LANES * STEPS + n_classes, WORK_BETWEEN_CHECKS)
            for _step in range(STEPS):
                for lane in range(LANES):
                    # In the last lanes the last tree is repeated.
                    tree = &trees[min(first + lane, n_trees - 1)]
                    places[lane] = step_in_tree(tree, places[lane], keys, values)
            moving = 0
            for lane in range(LANES):
                tree = &trees[min(first + lane, n_trees - 1)]
                moving |= pair_of(&tree.nodes[places[lane]]) ^ places[lane] >> 1
        for lane in range(min(<Py_ssize_t>LANES, n_trees - first)):
            add_leaf(&trees[first + lane], places[lane], n_classes, sums)
        first += LANES
    return 0


cdef inline uint64_t step_in_tree(
    const ForestTree* tree, uint64_t place, const uint32_t* keys, const float64_t* row
) noexcept nogil:
    cdef const ForestNode* node = &tree.nodes[place]
    cdef int32_t difference
    if keys == NULL:
        return exact_step(tree, tree.missing, place, row)
    difference = <int32_t>(node.key - keys[feature_of(node)])
    if difference == 0:
        return exact_step(tree, NULL, place, row)
    return 2 * pair_of(node) + (<uint32_t>difference >> 31)


@cython.final
cdef class PackedForest:
    """Trees, and the values or votes of their leaves: see `pack_forest`."""

    cdef ForestTree* trees
    cdef Py_ssize_t n_trees, capacity, n_classes, n_keys
    cdef float64_t[::1] origins         # of the features, for keys
    cdef list arrays                    # to which the trees point
    cdef bint takes_missing
    cdef Py_ssize_t n_steps             # of all trees

    def __cinit__(self, trees, leaf_arrays, Py_ssize_t n_classes, missing):
        cdef Py_ssize_t n_nodes, n_used
        self.n_keys, self.n_classes, self.takes_missing, self.arrays = 1, n_classes, missing is not None, []
        self.origins = np.full(MOST_FEATURES, NAN)
        given = (trees, leaf_arrays) if missing is None else (trees, leaf_arrays, missing)
        for tree, of_nodes, *flags in zip(*given, strict=True):
            n_nodes, n_used = len(tree[0]), 1 + np.max(tree[2], initial=0)
            self.n_keys = max(self.n_keys, n_used)
            if n_used > MOST_FEATURES or n_nodes + 1 > 2 * MOST_PAIRS or n_classes >= NUMBER_OF_LEAF:
                raise ValueError(f"Too large to be packed: {n_nodes} nodes, {n_used} features, {n_classes} classes.")
            check_leaves(tree[4], np.asarray(of_nodes), n_classes)
            if flags and len(flags[0]) != n_nodes:
                raise ValueError(f"A packed tree of {n_nodes} nodes needs as many flags, got {len(flags[0])}.")
            reserve(<void**>&self.trees, &self.capacity, self.n_trees + 1, sizeof(ForestTree), b"packed trees")
            self.pack_tree(*tree, *numbers_of_leaves(tree[0], tree[4], np.asarray(of_nodes)), *flags)
        self.origins = np.nan_to_num(self.origins[:self.n_keys])

    def pack_tree(
        self, const int64_t[::1] left, const int64_t[::1] right, const int64_t[::1] feature,
        const float64_t[::1] threshold, const int64_t[::1] own_nodes, const int64_t[::1] numbers,
        const float64_t[:, ::1] values, const uint8_t[::1] goes_left=None
    ):
        """Add a tree. Pairs are in the preorder of their parents; shared pairs count for their first parent."""
        cdef uint32_t[::1] places = np.zeros(left.shape[0], dtype=np.uint32)
        cdef uint32_t[::1] levels = np.zeros(left.shape[0], dtype=np.uint32)
        cdef ForestNode[::1] nodes = np.zeros(left.shape[0] + 1, dtype=FOREST_NODE)
        cdef float64_t[::1] thresholds = np.zeros(left.shape[0] + 1)
        cdef uint8_t[::1] flags = None if goes_left is None else np.zeros(left.shape[0] + 1, dtype=np.uint8)
        cdef Py_ssize_t node
        cdef uint32_t place, n_levels = 0, used = 2
        cdef ForestNode* packed
        cdef ForestTree* tree = &self.trees[self.n_trees]
        # Nodes come in preorder: a node's place is known before its turn.
        for node in range(left.shape[0]):
            place = places[node]
            packed = &nodes[place]
            if left[node] == LEAF:
                packed.key = <uint32_t>(numbers[own_nodes[node]] + 1) | (KEY_OF_INFINITY if place % 2 == 0 else 0)
                packed.link = place // 2 << FEATURE_BITS
                thresholds[place] = INFINITY if place % 2 == 0 else NAN
                if goes_left is not None:
                    flags[place] = place % 2 == 0
                continue
            if places[left[node]] == 0:
                places[left[node]], places[right[node]] = used, used + 1
                levels[left[node]] = levels[right[node]] = levels[node] + 1
                n_levels = max(n_levels, levels[node] + 1)
                used += 2
            # Numbers near a threshold near the root, where rows are dense, have the finest keys, wherever a feature's
            # values lie; the keys of infinite thresholds do not depend on it.
            if isnan(self.origins[feature[node]]) and isfinite(threshold[node]):
                self.origins[feature[node]] = threshold[node]
            packed.key = rounded_key(threshold[node], self.origins[feature[node]] if isfinite(threshold[node]) else 0.0)
            packed.link = places[left[node]] // 2 << FEATURE_BITS | <uint32_t>feature[node]
            thresholds[place] = threshold[node]
            if goes_left is not None:
                flags[place] = goes_left[node]
        # Children that are shared leave room at the end.
        nodes, thresholds = np.array(nodes[:used]), np.array(thresholds[:used])
        tree[0] = ForestTree(&nodes[0], &thresholds[0], NULL, NULL, used, 0)
        if goes_left is not None:
            flags = np.array(flags[:used])
            tree.missing = &flags[0]
        if values is not None:
            tree.values = &values[0, 0]
        # Most rows have arrived after half as many steps again as a balanced tree has levels.
        tree.n_steps = min(<Py_ssize_t>n_levels, 3 * bit_length(used) // 2 - 1)
        self.arrays += [nodes, thresholds, flags, values]
        self.n_steps += tree.n_steps
        self.n_trees += 1

    def __dealloc__(self):
        free(self.trees)


cdef int check_leaves(own_nodes, given, Py_ssize_t n_classes) except -1:
    """Raise ValueError if some node of a tree has no vote or no values."""
    if given.shape[1:] not in ((), (n_classes,)) or len(given) != np.max(own_nodes) + 1:
        raise ValueError("A tree needs one vote or one row of values for every node.")
    if given.ndim == 1 and (np.min(given) < 0 or np.max(given) >= n_classes):
        raise ValueError(f"Nodes must vote for one of the classes 0..{n_classes - 1}.")
    return 0


cdef tuple numbers_of_leaves(left, own_nodes, of_nodes):
    """Return for every node its vote, and None; or the row of its values, and the values of the leaves, unless every
    leaf votes for one class or gives it all."""
    votes = of_nodes if of_nodes.ndim == 1 else votes_of(left, own_nodes, of_nodes)
    if votes is not None:
        return votes, None
    is_leaf = np.zeros(len(of_nodes), dtype=bool)
    is_leaf[own_nodes[left == LEAF]] = True
    return np.cumsum(is_leaf) - 1, of_nodes[is_leaf]


cdef votes_of(const int64_t[::1] left, const int64_t[::1] own_nodes, const float64_t[:, ::1] values):
    """Return for every node with a leaf the class that has one while all others have zero, or None if some leaf has no
    such class."""
    cdef int64_t[::1] votes = np.zeros(values.shape[0], dtype=np.int64)
    cdef Py_ssize_t node, k, n_ones, n_zeros
    for node in range(left.shape[0]):
        if left[node] != LEAF:
            continue
        n_ones = n_zeros = 0
        for k in range(values.shape[1]):
            n_zeros += values[own_nodes[node], k] == 0.0
            if values[own_nodes[node], k] == 1.0:
                n_ones += 1
                votes[own_nodes[node]] = k
        if n_ones != 1 or n_zeros != values.shape[1] - 1:
            return None
    return np.asarray(votes)


def pack_forest(trees, leaf_arrays, Py_ssize_t n_classes, missing=None):
    """Prepare the trees of a forest for `sum_leaves`; iterators are taken one tree after the other.

    `trees` are (children_left, children_right, feature, threshold, node) with nodes in preorder, as `binarise` returns
    them; `node` is the node of the tree that a part belongs to. The nodes of a tree give votes, (n_nodes,) int64, each
    for one class, or values, (n_nodes, n_classes) float64. If values may be missing, `missing` has for every tree and
    every part whether samples without the value go left, uint8.
    """
    return PackedForest(trees, leaf_arrays, n_classes, missing)


cdef int take_memory(Walkers* walkers, PackedForest forest, const float64_t[:, ::1] X) except -1:
    # Keys cost more than they save if trees look at few of them.
    cdef bint by_keys = not forest.takes_missing and forest.n_steps >= forest.n_keys
    cdef Py_ssize_t values = min(<Py_ssize_t>MOST_VALUES, forest.n_trees * VALUES_FOR_A_TREE)
    cdef Py_ssize_t most = max(<Py_ssize_t>FEWEST_ROWS, values // max(<Py_ssize_t>1, X.shape[1])) // LANES * LANES
    walkers.n_features, walkers.n_keys, walkers.most_rows = X.shape[1], forest.n_keys, min(most, X.shape[0])
    walkers.places = <uint32_t*>malloc(walkers.most_rows * (2 + by_keys * forest.n_keys) * sizeof(uint32_t))
    if walkers.places == NULL:
        raise MemoryError(f"no memory for {walkers.most_rows} rows on their way")
    walkers.moving = walkers.places + walkers.most_rows
    walkers.keys = walkers.moving + walkers.most_rows if by_keys else NULL
    return 0


cdef int take_rows(
    Walkers* walkers, PackedForest forest, const float64_t[:, ::1] X, Py_ssize_t row, int64_t* work_done
) except -1 nogil:
    """Take the next rows of X; return whether they are finite."""
    cdef Py_ssize_t i, k, n_values, n_next
    walkers.rows, walkers.n_rows = &X[row, 0], min(walkers.most_rows, X.shape[0] - row)
    n_values = walkers.n_rows * walkers.n_features
    walkers.ahead = <const char*>(walkers.rows + n_values)
    n_next = min(walkers.most_rows, X.shape[0] - row - walkers.n_rows)
    walkers.bytes_ahead = n_next * walkers.n_features * <Py_ssize_t>sizeof(float64_t)
    check_signals(work_done, n_values, WORK_BETWEEN_CHECKS)
    if not_finite(walkers.rows, n_values) != 0.0:
        return False
    for i in range(walkers.n_rows if walkers.keys != NULL else 0):
        for k in range(walkers.n_keys):
            walkers.keys[i * walkers.n_keys + k] = rounded_key(
                walkers.rows[i * walkers.n_features + k], forest.origins[k]
            )
    return True


def sum_leaves(PackedForest forest, const float64_t[:, ::1] X):
    """Add up the values or votes of every sample's leaves, in the order of the trees, and tell whether X is finite. If
    it is not, and the forest takes no missing values, sums are not complete.

    The sums are (n_samples, n_classes) float64.
    """
    cdef float64_t[:, ::1] sums = np.zeros((X.shape[0], forest.n_classes))
    cdef Walkers walkers
    cdef bint is_finite = True, takes_missing = forest.takes_missing
    cdef const char* ahead
    cdef Py_ssize_t i, k, n_rows, n_bytes, row = 0
    cdef int64_t work_done = 0
    if X.shape[0] == 0:
        return np.asarray(sums), True
    take_memory(&walkers, forest, X)
    try:
        with nogil:
            while row < X.shape[0]:
                is_finite = take_rows(&walkers, forest, X, row, &work_done) and is_finite
                if not is_finite and not takes_missing:
                    break
                # The last few rows go through all trees one by one.
                n_rows = walkers.n_rows
                walkers.n_rows -= n_rows % LANES
                for i in range(forest.n_trees if walkers.n_rows > 0 else 0):
                    if i + 1 < forest.n_trees:
                        ahead = <const char*>forest.trees[i + 1].nodes
                        n_bytes = forest.trees[i + 1].n_nodes * <Py_ssize_t>sizeof(ForestNode)
                    else:
                        ahead, n_bytes = walkers.ahead, walkers.bytes_ahead
                    walk_tree(&forest.trees[i], &walkers, ahead, n_bytes // BYTES_OF_LINE, &work_done)
                    add_leaves(&forest.trees[i], &walkers, forest.n_classes, &sums[row, 0])
                for k in range(walkers.n_rows, n_rows):
                    add_row(
                        forest.trees, forest.n_trees, &walkers, k, forest.n_classes, &sums[row + k, 0], &work_done
                    )
                row += n_rows
    finally:
        free(walkers.places)
    return np.asarray(sums), is_finite


def find_leaves(PackedForest forest, const float64_t[:, ::1] X):
    """Return the vote of the leaf that every sample reaches in the only tree of a forest, (n_samples,) int64, and
    whether X is finite. If it is not, and the forest takes no missing values, leaves are not complete."""
    cdef int64_t[::1] leaves = np.empty(X.shape[0], dtype=np.int64)
    cdef Walkers walkers
    cdef bint is_finite = True, takes_missing = forest.takes_missing
    cdef Py_ssize_t k, row = 0
    cdef int64_t work_done = 0
    if forest.n_trees != 1 or forest.trees[0].values != NULL:
        raise ValueError("Leaves are found in a single tree of votes.")
    if X.shape[0] == 0:
        return np.asarray(leaves), True
    take_memory(&walkers, forest, X)
    try:
        with nogil:
            while row < X.shape[0]:
                is_finite = take_rows(&walkers, forest, X, row, &work_done) and is_finite
                if not is_finite and not takes_missing:
                    break
                walk_tree(forest.trees, &walkers, walkers.ahead, walkers.bytes_ahead // BYTES_OF_LINE, &work_done)
                for k in range(walkers.n_rows):
                    leaves[row + k] = number_of_leaf(forest.trees, walkers.places[k])
                row += walkers.n_rows
    finally:
        free(walkers.places)
    return np.asarray(leaves), is_finite


# -------------------------------------------------------------------------------------------------------- single trees
#
# `ways` are the arrays by which samples go on at multiway nodes, without which a tree has no such nodes: child_offsets,
# children, category_offsets, categories, and whether several categories lead to one child somewhere.

cdef struct Ways:
    const int64_t* child_offsets
    const int64_t* children
    const int64_t* category_offsets
    const int64_t* categories
    bint has_sets


cdef Ways ways_of(tuple ways):
    if ways is None:
        return Ways(NULL, NULL, NULL, NULL, False)
    cdef const int64_t[::1] child_offsets = ways[0], children = ways[1]
    cdef const int64_t[::1] category_offsets = ways[2], categories = ways[3]
    return Ways(&child_offsets[0], &children[0], &category_offsets[0], &categories[0], ways[4])


cdef int64_t child_of(const Ways* ways, int64_t node, float64_t value) noexcept nogil:
    """Return the child of a multiway node to which a value leads, or NONE. A category c has the values above c - 0.5 up
    to c + 0.5; children are in the order of their lowest categories."""
    cdef int64_t code, middle, low, first = ways.child_offsets[node], last = first, stop = ways.child_offsets[node + 1]
    if not -0.5 < value < UNLIMITED:
        return NONE
    code = <int64_t>ceil(value)
    code -= code - value >= 0.5
    while stop - last > 1:
        middle = (last + stop) // 2
        if ways.categories[ways.category_offsets[ways.children[middle]]] <= code:
            last = middle
        else:
            stop = middle
    while last >= first:
        node = ways.children[last]
        low, stop = ways.category_offsets[node], ways.category_offsets[node + 1]
        while stop - low > 1:
            middle = (low + stop) // 2
            if ways.categories[middle] <= code:
                low = middle
            else:
                stop = middle
        if ways.categories[low] == code:
            return node
        last = last - 1 if ways.has_sets else NONE
    return NONE


def apply(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X, const uint8_t[::1] missing_go_to_left=None,
    tuple ways=None,
):
    """Find the leaf of every sample, or the multiway node at which it stays; (n_samples,) int64."""
    cdef int64_t[::1] leaves = np.empty(X.shape[0], dtype=np.int64)
    cdef Ways given = ways_of(ways)
    cdef int64_t row, node, child, n_steps, work_done = 0
    cdef float64_t value
    cdef bint is_plain = missing_go_to_left is None and ways is None
    with nogil:
        for row in range(X.shape[0]):
            node = n_steps = 0
            while is_plain and children_left[node] != LEAF:
                n_steps += 1
                node = children_left[node] if X[row, feature[node]] <= threshold[node] else children_right[node]
            while children_left[node] != LEAF:
                n_steps += 1
                value = X[row, feature[node]]
                if children_left[node] == MULTIWAY:
                    child = child_of(&given, node, value)
                    if child == NONE:
                        break
                    node = child
                elif value <= threshold[node] or missing_go_to_left is not None and (
                    isnan(value) and missing_go_to_left[node]
                ):
                    node = children_left[node]
                else:
                    node = children_right[node]
            leaves[row] = node
            check_signals(&work_done, n_steps, WORK_BETWEEN_CHECKS)
    return np.asarray(leaves)


def decision_path(children_left, children_right, feature, threshold, X, missing_go_to_left=None, tuple ways=None):
    """List the nodes that every sample visits: (indptr, indices). Row r has indices[indptr[r]:indptr[r+1]]."""
    cdef int64_t[::1] leaves = apply(children_left, children_right, feature, threshold, X, missing_go_to_left, ways)
    cdef const int64_t[::1] parents = parents_of(children_left, children_right, ways)
    cdef int64_t[::1] depth = np.zeros(children_left.shape[0], dtype=np.int64)
    cdef int64_t row, node, visited, work_done = 0
    # Parents come before their children.
    for node in range(1, children_left.shape[0]):
        depth[node] = depth[parents[node]] + 1
    indptr = np.zeros(X.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.asarray(depth)[np.asarray(leaves)] + 1, out=indptr[1:])
    cdef int64_t[::1] indices = np.empty(indptr[X.shape[0]], dtype=np.int64)
    with nogil:
        visited = indices.shape[0]
        for row in range(leaves.shape[0] - 1, -1, -1):
            node = leaves[row]
            check_signals(&work_done, depth[node], WORK_BETWEEN_CHECKS)
            while node != NONE:
                visited -= 1
                indices[visited] = node
                node = parents[node]
    return indptr, np.asarray(indices)


cdef int64_t[::1] parents_of(const int64_t[::1] children_left, const int64_t[::1] children_right, tuple ways):
    """Return the parent of every node, and NONE for the root."""
    cdef int64_t[::1] parents = np.full(children_left.shape[0], NONE, dtype=np.int64)
    cdef Ways given = ways_of(ways)
    cdef int64_t node, k
    for node in range(children_left.shape[0]):
        if children_left[node] == MULTIWAY:
            for k in range(given.child_offsets[node], given.child_offsets[node + 1]):
                parents[given.children[k]] = node
        elif children_left[node] != LEAF:
            parents[children_left[node]] = parents[children_right[node]] = node
    return parents


def feature_usage(
    const int64_t[::1] children_left, children_right, const int64_t[::1] feature, threshold, X, missing_go_to_left=None,
    tuple ways=None,
):
    """Count for each feature the samples that it is tested for at least once along the decision path; (n_features,)
    int64."""
    leaves = apply(children_left, children_right, feature, threshold, X, missing_go_to_left, ways)
    cdef const int64_t[::1] n_samples = np.bincount(leaves, minlength=children_left.shape[0])
    cdef const int64_t[::1] parents = parents_of(children_left, children_right, ways)
    cdef int64_t[::1] usage = np.zeros(X.shape[1], dtype=np.int64)
    # The last leaf for which the feature was counted.
    cdef int64_t[::1] counted = np.full(X.shape[1], NONE, dtype=np.int64)
    cdef int64_t leaf, node, work_done = 0
    with nogil:
        for leaf in range(parents.shape[0]):
            # A multiway node at which samples stay tests its feature too.
            node = leaf if children_left[leaf] == MULTIWAY else parents[leaf]
            while n_samples[leaf] > 0 and node != NONE:
                check_signals(&work_done, 1, WORK_BETWEEN_CHECKS)
                if counted[feature[node]] != leaf:
                    usage[feature[node]] += n_samples[leaf]
                    counted[feature[node]] = leaf
                node = parents[node]
    return np.asarray(usage)
