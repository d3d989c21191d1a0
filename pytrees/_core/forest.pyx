"""The way of samples through forests: sums and votes of leaves.

A node of a forest takes 8 bytes, so that a tree fits the cache: a key of 31 bits stands for the threshold, and rows
have keys of their own. Unequal keys are ordered as the numbers are; if they are equal, the numbers decide. A multiway
node looks its child up in a table of its categories.
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
from pytrees._core.base.types cimport LEAF, MULTIWAY, float64_t, index_t, int64_t

cdef enum:
    LANES = 10              # rows that walk side by side: while some wait for their loads, others compare
    STEPS = 4               # steps between two checks whether all of them have arrived
    LINE = 8                # values in a line of the cache
    BYTES_OF_LINE = 64
    AHEAD = 96              # lines of the next tree that are fetched next to LANES rows, at most
    FEATURE_BITS = 12       # of a link; the others are the pair of the children
    MOST_FEATURES = 1 << FEATURE_BITS
    MOST_PAIRS = 1 << (32 - FEATURE_BITS)
    MOST_VALUES = 131072                    # values of the rows that go through all trees before the next rows
    VALUES_FOR_A_TREE = 16384               # the same for one tree
    FEWEST_ROWS = 256                       # of them, however many features they have
    KEY_OF_INFINITY = 0x7FC00000            # no key of a number is greater
    NUMBER_OF_LEAF = 0x3FFFFF               # bits of a leaf's key; no key of a number is smaller
    KEY_OF_CATEGORY = 0x400000              # plus the code
    KEY_OF_UNKNOWN = KEY_OF_INFINITY - 1    # of values without a category
    MOST_CODES = KEY_OF_UNKNOWN - KEY_OF_CATEGORY
    SPLITS_NUMBERS = 1                      # what nodes do with a feature
    SPLITS_CATEGORIES = 2

# Siblings are a pair p, at the places 2 p and 2 p + 1; the root is at place 0. A leaf has its own pair for children and
# a key by which all rows stay: at an even place above all keys of numbers, at an odd one below them. In both cases the
# lower bits are 1 plus the class that the leaf votes for, or 1 plus the row of its values.
#
# The children of a multiway node follow each other from an even place on, behind a leaf for rows that stay at the node.
# Its key is BY_TABLE plus the start of its table: the lowest code, the number of codes from there to the highest, the
# bits of an entry, the number of categories, and the entries, 1 plus the number of a code's child or 0 for the leaf.
# If sorted categories, the lowest code subtracted, and their entries behind them take less memory, the bits are 0.
cdef enum:
    HEADER = 4              # words of a table
    LEAST_WORDS = 16        # of entries, up to which they are not sorted
    BY_TABLE = 0x80000000U

cdef struct ForestNode:
    uint32_t key
    uint32_t link           # the pair of the children, and below it the feature

# In a forest of votes `values` is NULL; `missing` is NULL if no value is missing.
cdef struct ForestTree:
    const ForestNode* nodes
    const float64_t* thresholds     # of the nodes: infinite at leaves of even places, NaN at those of odd places
    const uint8_t* missing          # of the nodes: samples that lack the value go left
    const float64_t* values         # of the leaves
    const uint32_t* tables          # of multiway nodes; NULL: there are none
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


cdef inline uint32_t rounded_key(float64_t value, float64_t origin) noexcept nogil:
    """Return a key of 31 bits. A greater number never has a smaller key: each rounding keeps the order. (The sum with
    zero makes one zero of two.)"""
    cdef float rounded = <float>(value - origin + 0.0)
    cdef int32_t bits
    memcpy(&bits, &rounded, sizeof(bits))
    return (<uint32_t>bits ^ (<uint32_t>(bits >> 31) | 0x80000000U)) >> 1


cdef inline uint32_t category_key(float64_t value) noexcept nogil:
    """Return the key of the values above c - 0.5 up to c + 0.5 for a category c."""
    cdef int64_t code
    if not -0.5 < value < MOST_CODES:
        return KEY_OF_UNKNOWN
    code = <int64_t>ceil(value)
    return <uint32_t>(KEY_OF_CATEGORY + code - (code - value >= 0.5))


cdef inline uint64_t pair_of(const ForestNode* node) noexcept nogil:
    return node.link >> FEATURE_BITS


cdef inline uint64_t feature_of(const ForestNode* node) noexcept nogil:
    return node.link & (MOST_FEATURES - 1)


cdef inline uint64_t place_below(const ForestTree* tree, const ForestNode* node, uint32_t key) noexcept nogil:
    """Return the place of the child of a multiway node for a category's key."""
    cdef const uint32_t* table = tree.tables + (node.key - BY_TABLE)
    cdef uint32_t low = 0, n = table[3], code = key - KEY_OF_CATEGORY - table[0]
    cdef uint64_t entry
    if code >= table[1]:
        return 2 * pair_of(node)
    if table[2] > 0:
        entry = <uint64_t>code * table[2]
        entry = table[HEADER + (entry >> 5)] >> (entry & 31) & (0xFFFFFFFFU >> (32 - table[2]))
        return 2 * pair_of(node) + entry
    while n > 1:
        low += (n >> 1) * (table[HEADER + low + (n >> 1)] <= code)
        n -= n >> 1
    return 2 * pair_of(node) + (table[HEADER + table[3] + low] if table[HEADER + low] == code else 0)


cdef inline bint has_arrived(const ForestTree* tree, uint64_t place) noexcept nogil:
    return pair_of(&tree.nodes[place]) == place >> 1


cdef inline uint64_t exact_step(
    const ForestTree* tree, bint has_tables, const uint8_t* missing, uint64_t place, const float64_t* row
) noexcept nogil:
    """Return the place of the child that the row goes to, by its value."""
    cdef float64_t value = row[feature_of(&tree.nodes[place])]
    cdef bint goes_left = value <= tree.thresholds[place]
    if has_tables and tree.nodes[place].key & BY_TABLE:
        return place_below(tree, &tree.nodes[place], category_key(value))
    if missing != NULL and isnan(value):
        goes_left = missing[place]
    return 2 * pair_of(&tree.nodes[place]) + <uint64_t>(not goes_left)


cdef inline bint step_by_keys(
    const ForestTree* tree, bint has_tables, uint64_t* places, const uint32_t** keys, Py_ssize_t n_steps
) noexcept nogil:
    """Move LANES rows on in a tree; stop and return False if keys are equal. (A difference of keys costs less than a
    comparison: its sign is part of the next place.)"""
    cdef Py_ssize_t lane, _step
    cdef int32_t difference
    cdef const ForestNode* node
    for _step in range(n_steps):
        for lane in range(LANES):
            node = &tree.nodes[places[lane]]
            if has_tables and node.key & BY_TABLE:
                places[lane] = place_below(tree, node, keys[lane][feature_of(node)])
                continue
            difference = <int32_t>(node.key - keys[lane][feature_of(node)])
            if difference == 0:
                return False
            places[lane] = 2 * pair_of(node) + (<uint32_t>difference >> 31)
    return True


cdef inline void step_exactly(
    const ForestTree* tree, bint has_tables, const uint8_t* missing, uint64_t* places, const float64_t** rows,
    Py_ssize_t n_steps
) noexcept nogil:
    cdef Py_ssize_t lane, _step
    for _step in range(n_steps):
        for lane in range(LANES):
            places[lane] = exact_step(tree, has_tables, missing, places[lane], rows[lane])


# The next two functions are compiled five times: callers hand over constants, or a pointer.

cdef inline void move_lanes(
    const ForestTree* tree, bint by_keys, bint has_tables, const uint8_t* missing, const Walkers* walkers,
    const uint32_t* moving, Py_ssize_t n_steps
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
        is_done = step_by_keys(tree, has_tables, places, keys, n_steps)
    if not is_done:
        for lane in range(LANES):
            places[lane] = walkers.places[moving[lane]]
            rows[lane] = walkers.rows + moving[lane] * walkers.n_features
        step_exactly(tree, has_tables, missing, places, rows, n_steps)
    for lane in range(LANES):
        walkers.places[moving[lane]] = <uint32_t>places[lane]


cdef inline Py_ssize_t move_rows(
    const ForestTree* tree, bint by_keys, bint has_tables, const uint8_t* missing, const Walkers* walkers,
    Py_ssize_t n_moving, Py_ssize_t n_steps, const char* ahead, Py_ssize_t n_lines
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
        move_lanes(tree, by_keys, has_tables, missing, walkers, walkers.moving + i, n_steps)
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
            place = exact_step(tree, has_tables, missing, place, walkers.rows + row * walkers.n_features)
        walkers.places[row] = <uint32_t>place
        i += 1
    return n_left


cdef inline Py_ssize_t number_of_leaf(const ForestTree* tree, uint64_t place) noexcept nogil:
    """Return the class that a leaf votes for, or the row of its values."""
    return (tree.nodes[place].key & NUMBER_OF_LEAF) - 1


cdef inline void add_leaf(const ForestTree* tree, uint64_t place, Py_ssize_t n_classes, float64_t* sums) noexcept nogil:
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
        if tree.tables != NULL and walkers.keys != NULL:
            n_moving = move_rows(tree, True, True, NULL, walkers, n_moving, n_steps, ahead, n_lines)
        elif tree.tables != NULL:
            n_moving = move_rows(tree, False, True, tree.missing, walkers, n_moving, n_steps, ahead, n_lines)
        elif walkers.keys != NULL:
            n_moving = move_rows(tree, True, False, NULL, walkers, n_moving, n_steps, ahead, n_lines)
        elif tree.missing == NULL:
            n_moving = move_rows(tree, False, False, NULL, walkers, n_moving, n_steps, ahead, n_lines)
        else:
            n_moving = move_rows(tree, False, False, tree.missing, walkers, n_moving, n_steps, ahead, n_lines)
        n_steps, n_lines = STEPS, 0


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


cdef inline uint64_t step_in_tree(
    const ForestTree* tree, uint64_t place, const uint32_t* keys, const float64_t* row
) noexcept nogil:
    cdef const ForestNode* node = &tree.nodes[place]
    cdef int32_t difference
    if keys == NULL or node.key & BY_TABLE:
        return exact_step(tree, True, tree.missing, place, row)
    difference = <int32_t>(node.key - keys[feature_of(node)])
    if difference == 0:
        return exact_step(tree, False, NULL, place, row)
    return 2 * pair_of(node) + (<uint32_t>difference >> 31)


@cython.final
cdef class PackedForest:
    """Trees, and the values or votes of their leaves: see `pack_forest`."""

    cdef ForestTree* trees
    cdef Py_ssize_t n_trees, capacity, n_classes, n_keys
    cdef float64_t[::1] origins         # of the features, for keys
    cdef list arrays                    # to which the trees point
    cdef uint8_t[::1] kinds             # of splits, for every feature
    cdef bint takes_missing, is_mixed   # some feature is split both ways
    cdef Py_ssize_t n_steps             # of all trees

    def __cinit__(self, trees, leaf_arrays, Py_ssize_t n_classes, missing):
        cdef Py_ssize_t n_nodes, n_used
        self.n_keys, self.n_classes, self.takes_missing, self.arrays = 1, n_classes, missing is not None, []
        self.origins, self.kinds = np.full(MOST_FEATURES, NAN), np.zeros(MOST_FEATURES, dtype=np.uint8)
        given = (trees, leaf_arrays) if missing is None else (trees, leaf_arrays, missing)
        for tree, of_nodes, *flags in zip(*given, strict=True):
            n_nodes, n_used = len(tree[0]), 1 + np.max(tree[2], initial=0, where=tree[0] != LEAF)
            self.n_keys = max(self.n_keys, n_used)
            most = n_nodes + 2 * np.count_nonzero(tree[0] == MULTIWAY)
            n_codes = 0 if tree[4] is None else 1 + np.max(tree[4][3])
            fits = n_used <= MOST_FEATURES and most < 2 * MOST_PAIRS and n_classes < NUMBER_OF_LEAF
            if not fits or n_codes > MOST_CODES:
                raise ValueError(
                    f"Too large to be packed: {n_nodes} nodes, {n_used} features, {n_classes} classes, {n_codes} codes."
                )
            check_leaves(n_nodes, np.asarray(of_nodes), n_classes)
            if flags and len(flags[0]) != n_nodes:
                raise ValueError(f"A packed tree of {n_nodes} nodes needs as many flags, got {len(flags[0])}.")
            reserve(<void**>&self.trees, &self.capacity, self.n_trees + 1, sizeof(ForestTree), b"packed trees")
            self.pack_tree(*tree[:4], *numbers_of_leaves(tree[0], np.asarray(of_nodes)), tree[4], *flags)
        self.origins = np.nan_to_num(self.origins[:self.n_keys])
        self.is_mixed = np.any(np.asarray(self.kinds) == SPLITS_NUMBERS + SPLITS_CATEGORIES)

    def pack_tree(
        self, const int64_t[::1] left, const int64_t[::1] right, const int64_t[::1] feature,
        const float64_t[::1] threshold, const int64_t[::1] numbers, const float64_t[:, ::1] values, tuple ways,
        const uint8_t[::1] goes_left=None
    ):
        """Add a tree."""
        cdef const int64_t[::1] offsets = None, children = None
        cdef uint32_t[::1] places, tables = tables_for(ways)
        cdef uint64_t[:, ::1] scratch = np.empty((2, 1 if ways is None else len(ways[3])), dtype=np.uint64)
        cdef Py_ssize_t used, n_levels
        if ways is not None:
            offsets, children = ways[0], ways[1]
        places, used, n_levels = place_nodes(left, right, offsets, children)
        cdef ForestNode[::1] nodes = np.zeros(used, dtype=FOREST_NODE)
        cdef float64_t[::1] thresholds = np.zeros(used)
        cdef uint8_t[::1] flags = None if goes_left is None else np.zeros(used, dtype=np.uint8)
        cdef Py_ssize_t node, place, below, n_words = 0
        cdef ForestTree* tree = &self.trees[self.n_trees]
        for node in range(left.shape[0]):
            place = places[node]
            if left[node] != LEAF:
                below = children[offsets[node]] if left[node] == MULTIWAY else left[node]
                nodes[place].link = places[below] // 2 << FEATURE_BITS | <uint32_t>feature[node]
                self.kinds[feature[node]] |= SPLITS_CATEGORIES if left[node] == MULTIWAY else SPLITS_NUMBERS
            if left[node] == MULTIWAY:
                nodes[place].key = BY_TABLE | <uint32_t>n_words
                n_words += write_table(
                    children[offsets[node]:offsets[node + 1]], ways[2], ways[3], &tables[n_words], &scratch[0, 0],
                    &scratch[1, 0],
                )
                place = places[below] - 1       # of the leaf for samples that stay
            if left[node] < 0:
                nodes[place].key = <uint32_t>(numbers[node] + 1) | (KEY_OF_INFINITY if place % 2 == 0 else 0)
                nodes[place].link = <uint32_t>(place // 2) << FEATURE_BITS
                thresholds[place] = INFINITY if place % 2 == 0 else NAN
                if goes_left is not None:
                    flags[place] = place % 2 == 0
                continue
            # Numbers near a threshold near the root, where rows are dense, have the finest keys, wherever a feature's
            # values lie; the keys of infinite thresholds do not depend on it.
            if isnan(self.origins[feature[node]]) and isfinite(threshold[node]):
                self.origins[feature[node]] = threshold[node]
            nodes[place].key = rounded_key(
                threshold[node], self.origins[feature[node]] if isfinite(threshold[node]) else 0.0
            )
            thresholds[place] = threshold[node]
            if goes_left is not None:
                flags[place] = goes_left[node]
        tree[0] = ForestTree(&nodes[0], &thresholds[0], NULL, NULL, NULL, used, 0)
        if goes_left is not None:
            tree.missing = &flags[0]
        if values is not None:
            tree.values = &values[0, 0]
        if n_words > 0:
            tables = np.array(tables[:n_words])
            tree.tables = &tables[0]
        # Most rows have arrived after half as many steps again as a balanced tree has levels.
        tree.n_steps = min(n_levels, 3 * bit_length(used) // 2 - 1)
        self.arrays += [nodes, thresholds, flags, values, tables]
        self.n_steps += tree.n_steps
        self.n_trees += 1

    def __dealloc__(self):
        free(self.trees)


cdef tuple place_nodes(
    const int64_t[::1] left, const int64_t[::1] right, const int64_t[::1] offsets, const int64_t[::1] children
):
    """Return the place of every node, the number of places, and the greatest depth. Siblings are in the preorder of
    their parents."""
    cdef uint32_t[::1] places = np.zeros(left.shape[0], dtype=np.uint32)
    cdef uint32_t[::1] levels = np.zeros(left.shape[0], dtype=np.uint32)
    cdef Py_ssize_t node, k
    cdef uint32_t n_levels = 0, used = 2
    # Nodes come in preorder: a node's place is known before its turn.
    for node in range(left.shape[0]):
        n_levels = max(n_levels, levels[node] + (left[node] != LEAF))
        if left[node] == MULTIWAY:
            for k in range(offsets[node], offsets[node + 1]):
                used += 1
                places[children[k]], levels[children[k]] = used, levels[node] + 1
            used = (used + 2) // 2 * 2
        elif left[node] != LEAF:
            places[left[node]], places[right[node]] = used, used + 1
            levels[left[node]] = levels[right[node]] = levels[node] + 1
            used += 2
    return places, used, n_levels


cdef uint32_t[::1] tables_for(tuple ways):
    """Return room for the tables of a tree's multiway nodes."""
    if ways is None:
        return np.empty(1, dtype=np.uint32)
    return np.zeros((HEADER + LEAST_WORDS) * len(ways[0]) + 2 * len(ways[3]), dtype=np.uint32)


cdef Py_ssize_t write_table(
    const int64_t[::1] below, const int64_t[::1] offsets, const int64_t[::1] categories, uint32_t* table,
    uint64_t* codes, uint64_t* spare
):
    """Write the table of a multiway node with the children `below`; return its length."""
    cdef Py_ssize_t i, k, n = 0
    cdef uint64_t first, n_words, n_bits = 2
    for i in range(below.shape[0]):
        for k in range(offsets[below[i]], offsets[below[i] + 1]):
            codes[n] = entry_of(<uint32_t>categories[k], <index_t>(i + 1), <uint64_t>0)
            n += 1
    # If every child has one category, the codes are already sorted.
    sort_entries(codes, spare, <index_t>n)
    while below.shape[0] >> n_bits:
        n_bits *= 2
    first = key_of(codes[0])
    n_words = (n_bits * (key_of(codes[n - 1]) - first + 1) + 31) // 32
    table[0], table[1], table[2], table[3] = first, key_of(codes[n - 1]) - first + 1, n_bits, n
    if n_words > max(<uint64_t>LEAST_WORDS, <uint64_t>2 * n):
        table[2] = 0
        for i in range(n):
            table[HEADER + i], table[HEADER + n + i] = key_of(codes[i]) - first, place_of(codes[i])
        return HEADER + 2 * n
    for i in range(n):
        k = n_bits * (key_of(codes[i]) - first)
        table[HEADER + k // 32] |= <uint32_t>place_of(codes[i]) << k % 32
    return HEADER + n_words


cdef int check_leaves(Py_ssize_t n_nodes, given, Py_ssize_t n_classes) except -1:
    """Raise ValueError if some node of a tree has no vote or no values."""
    if given.shape[1:] not in ((), (n_classes,)) or len(given) != n_nodes:
        raise ValueError("A tree needs one vote or one row of values for every node.")
    if given.ndim == 1 and (np.min(given) < 0 or np.max(given) >= n_classes):
        raise ValueError(f"Nodes must vote for one of the classes 0..{n_classes - 1}.")


cdef tuple numbers_of_leaves(left, of_nodes):
    """Return for every node its vote, and None; or the row of its values, and the values of the leaves, unless every
    leaf votes for one class or gives it all."""
    votes = of_nodes if of_nodes.ndim == 1 else votes_of(left, of_nodes)
    return (np.cumsum(left < 0) - 1, of_nodes[left < 0]) if votes is None else (votes, None)


cdef votes_of(const int64_t[::1] left, const float64_t[:, ::1] values):
    """Return for every node with a leaf the class that has one while all others have zero, or None if some leaf has no
    such class."""
    cdef int64_t[::1] votes = np.zeros(values.shape[0], dtype=np.int64)
    cdef Py_ssize_t node, k, n_ones, n_zeros
    for node in range(left.shape[0]):
        if left[node] >= 0:
            continue
        n_ones = n_zeros = 0
        for k in range(values.shape[1]):
            n_zeros += values[node, k] == 0.0
            if values[node, k] == 1.0:
                n_ones += 1
                votes[node] = k
        if n_ones != 1 or n_zeros != values.shape[1] - 1:
            return None
    return np.asarray(votes)


def pack_forest(trees, leaf_arrays, Py_ssize_t n_classes, missing=None):
    """Prepare the trees of a forest for `sum_leaves`; iterators are taken one tree after the other.

    `trees` are (children_left, children_right, feature, threshold, ways) with nodes in preorder; `ways` are the arrays
    of multiway nodes that `apply` takes, or None. The nodes of a tree give votes, (n_nodes,) int64, each for one class,
    or values, (n_nodes, n_classes) float64. If values may be missing, `missing` has for every node of every tree
    whether samples without the value go left, uint8.
    """
    return PackedForest(trees, leaf_arrays, n_classes, missing)


cdef int take_memory(Walkers* walkers, PackedForest forest, const float64_t[:, ::1] X) except -1:
    # Keys cost more than they save if trees look at few of them.
    cdef bint by_keys = not forest.takes_missing and not forest.is_mixed and forest.n_steps >= forest.n_keys
    cdef Py_ssize_t values = min(<Py_ssize_t>MOST_VALUES, forest.n_trees * VALUES_FOR_A_TREE)
    cdef Py_ssize_t most = max(<Py_ssize_t>FEWEST_ROWS, values // max(<Py_ssize_t>1, X.shape[1])) // LANES * LANES
    walkers.n_features, walkers.n_keys, walkers.most_rows = X.shape[1], forest.n_keys, min(most, X.shape[0])
    walkers.places = <uint32_t*>malloc(walkers.most_rows * (2 + by_keys * forest.n_keys) * sizeof(uint32_t))
    if walkers.places == NULL:
        raise MemoryError(f"no memory for {walkers.most_rows} rows on their way")
    walkers.moving = walkers.places + walkers.most_rows
    walkers.keys = walkers.moving + walkers.most_rows if by_keys else NULL


cdef int take_rows(
    Walkers* walkers, PackedForest forest, const float64_t[:, ::1] X, Py_ssize_t row, int64_t* work_done
) except -1 nogil:
    """Take the next rows of X; return whether they are finite."""
    cdef Py_ssize_t i, k, n_values, n_next
    cdef float64_t value
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
            value = walkers.rows[i * walkers.n_features + k]
            walkers.keys[i * walkers.n_keys + k] = (
                category_key(value) if forest.kinds[k] == SPLITS_CATEGORIES else rounded_key(value, forest.origins[k])
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
                    add_row(forest.trees, forest.n_trees, &walkers, k, forest.n_classes, &sums[row + k, 0], &work_done)
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
