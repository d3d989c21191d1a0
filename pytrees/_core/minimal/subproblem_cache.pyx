"""Subproblems of the search for the cheapest tree, their solutions so far, and their best single splits.

*Terms.* A row is a distinct pair of a sample and a class; its weight says how often it occurs. A subproblem is a set of
rows with limits for the tree: levels of splits, and leaves. A tree costs `error_cost` for every sample that it gets
wrong, and `leaf_cost` for every leaf. An error is inevitable if equal rows have different classes. The solution of a
subproblem is the least cost of a tree within the limits, or a bound that this cost reaches at least.

*Memory.* A table keeps the solutions by key, a set of bits: a row has as many bits as its weight, and the last word
holds the limits. The last sets that were solved bound new ones as well: the cheapest tree of a new set would serve an
old set too, with one more error at most for each sample that only the old set has.

*One split.* A stump is a tree with one split. The features come in the order of the errors of their best stump, and the
cuts of a feature by halves.
"""

import numpy as np

cimport cython
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport popcount
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport STOPPED, check_limits, list_ends
from pytrees._core.minimal.problem import groups_of, ranks_of
from pytrees._core.minimal.sets cimport add_bit, close_table, open_table, take_item, words_for

cdef enum:
    N_RECENT = 128                  # sets with the same number of levels that a set is compared with


@cython.final
cdef class SubproblemCache:
    """Distinct rows, with a weight each, and the solutions of subproblems."""

    def __cinit__(self, X, labels, weights, Py_ssize_t n_classes, costs, memory_limit, float64_t deadline):
        memset(&self.levels[0], 0, sizeof(self.levels))
        memset(&self.recent[0], 0, sizeof(self.recent))
        self.X, self.labels, self.weights, self.n_classes = X, labels, weights, n_classes
        self.n_rows, self.n_features = X.shape
        self.ranks = ranks_of(X)
        ends = np.cumsum(weights, dtype=np.int32)
        self.first_bits = ends - self.weights
        self.inevitable = _inevitable_errors(groups_of(np.asarray(self.ranks))[1], labels, weights)
        self.n_words = words_for(ends.item(-1)) + 1
        self.error_cost, self.leaf_cost = costs
        self.deadline = deadline
        open_table(&self.table, self.n_words, sizeof(KnownCost), memory_limit)
        self.stumps.n_classes = n_classes
        self.stumps.is_wide = ends.item(-1) > MOST_IN_NARROW_LANES
        self.order_pointers = <const index_t**> malloc(2 * self.n_features * sizeof(index_t*))
        self.correct = <index_t*> malloc(2 * self.n_rows * sizeof(index_t))
        if self.order_pointers == NULL or self.correct == NULL:
            raise MemoryError(f"no memory for {self.n_rows} rows")
        self.starts = self.correct + self.n_rows

    def __dealloc__(self):
        cdef Py_ssize_t number
        close_table(&self.table)
        for number in range(MOST_LEVELS):
            free(self.levels[number].orders)
            free(self.levels[number].stumps)
            free(self.levels[number].bounds)
            free(self.recent[number].sets)
            free(self.recent[number].least)
        free(self.stump_memory)
        free(self.order_pointers)
        free(self.correct)


def _inevitable_errors(group, labels, weights):
    """Return the weights of the rows that are not of the largest class in their group of equal rows, and 0 for other
    rows."""
    by_weight = np.lexsort((labels, -weights, group))
    is_first = np.ones(len(group), dtype=bool)
    is_first[1:] = np.diff(group[by_weight]) != 0
    errors = weights.copy()
    errors[by_weight[is_first]] = 0
    return errors


# --------------------------------------------------------------------------------------------------------------- memory

cdef int count_steps(SubproblemCache trees, int64_t n_steps) except -1 nogil:
    """Count steps; now and then handle signals and look at the clock."""
    if check_limits(&trees.n_steps, n_steps, trees.deadline) == STOPPED:
        trees.is_over = True
    return 0


cdef int open_level(SubproblemCache trees, Py_ssize_t number) except -1 nogil:
    """Allocate a level, unless it is allocated."""
    cdef SearchNode* level = &trees.levels[number]
    cdef Py_ssize_t n_rows = trees.n_rows, n_features = trees.n_features, n_words = trees.n_words
    if level.orders != NULL:
        return 0
    level.orders = <index_t*> malloc(
        ((n_features + 3) * n_rows + n_features + 2 * trees.n_classes) * sizeof(index_t)
    )
    level.stumps = <int64_t*> malloc(n_features * sizeof(int64_t) + n_words * sizeof(uint64_t) + n_rows)
    if level.orders == NULL or level.stumps == NULL:
        with gil:
            raise MemoryError(f"no memory for sets of {n_rows} rows")
    level.ends = level.orders + n_features * n_rows
    level.ranks = level.ends + n_rows
    level.trials = level.ranks + n_rows
    level.features = level.trials + n_rows
    level.counts = level.features + n_features
    level.key = <uint64_t*> (level.stumps + n_features)
    level.is_left = <char*> (level.key + n_words)
    return 0


# ------------------------------------------------------------------------------------------------------- what is known

cdef void set_key(SubproblemCache trees, SearchNode* level, TreeLimits limits) noexcept nogil:
    """Write the key of a node's rows within limits."""
    cdef index_t i, row, bit
    memset(level.key, 0, trees.n_words * sizeof(uint64_t))
    for i in range(level.n_rows):
        row = level.orders[i]
        for bit in range(trees.first_bits[row], trees.first_bits[row] + trees.weights[row]):
            add_bit(level.key, bit)
    level.key[trees.n_words - 1] = <uint64_t> limits.depth << 32 | <uint64_t> limits.leaves


cdef inline RecentSets* _recent_of(SubproblemCache trees, TreeLimits limits) noexcept nogil:
    return &trees.recent[min(limits.depth, MOST_LEVELS - 1)]


cdef int64_t bound_by_recent(SubproblemCache trees, SearchNode* level, TreeLimits limits) noexcept nogil:
    """Bound the cost of a node's rows by the last sets with the same limits: by a set's cost, less an error for each of
    its samples that the node lacks."""
    cdef const RecentSets* recent = _recent_of(trees, limits)
    cdef const uint64_t* rows
    cdef Py_ssize_t i, word, last = trees.n_words - 1
    cdef int64_t least = 0, n_others
    for i in range(recent.n_sets):
        rows = recent.sets + i * trees.n_words
        if recent.least[i] <= least or rows[last] != level.key[last]:
            continue
        n_others = 0
        for word in range(last):
            n_others += popcount(rows[word] & ~level.key[word])
        least = max(least, recent.least[i] - trees.error_cost * n_others)
    return least


cdef int remember(SubproblemCache trees, SearchNode* level, TreeLimits limits, const KnownCost* found) except -1 nogil:
    """Keep the solution of the subproblem whose key the node has."""
    cdef RecentSets* recent = _recent_of(trees, limits)
    cdef KnownCost* known = <KnownCost*> take_item(&trees.table, level.key, found)
    if known != NULL and not known.is_exact and (found.is_exact or found.least > known.least):
        known[0] = found[0]
    if recent.sets == NULL:
        recent.sets = <uint64_t*> malloc(N_RECENT * trees.n_words * sizeof(uint64_t))
        recent.least = <int64_t*> malloc(N_RECENT * sizeof(int64_t))
        if recent.sets == NULL or recent.least == NULL:
            with gil:
                raise MemoryError(f"no memory for {N_RECENT} sets of rows")
    memcpy(recent.sets + recent.next * trees.n_words, level.key, trees.n_words * sizeof(uint64_t))
    recent.least[recent.next] = found.least
    recent.next = (recent.next + 1) % N_RECENT
    recent.n_sets = max(recent.n_sets, recent.next, N_RECENT * (recent.next == 0))
    return 0


# ------------------------------------------------------------------------------------------------------------ one split

cdef int64_t cost_of_leaf(SubproblemCache trees, SearchNode* level) noexcept nogil:
    """Count the classes of a node's rows, and return the cost of a leaf."""
    cdef index_t i, row, most = 0, label
    memset(level.counts, 0, trees.n_classes * sizeof(index_t))
    level.n_samples, level.inevitable = 0, 0
    for i in range(level.n_rows):
        row = level.orders[i]
        level.counts[trees.labels[row]] += trees.weights[row]
        level.n_samples += trees.weights[row]
        level.inevitable += trees.inevitable[row]
    for label in range(trees.n_classes):
        most = max(most, level.counts[label])
    return trees.error_cost * (level.n_samples - most) + trees.leaf_cost


cdef int64_t _best_stump(SubproblemCache trees, SearchNode* level, index_t feature) noexcept nogil:
    """Return the errors of the best split of a feature that is not constant. The split after the first `end` rows gets
    `correct[end]` samples right."""
    cdef const index_t* order = level.orders + feature * trees.n_rows
    cdef const index_t* rank = &trees.ranks[feature, 0]
    cdef index_t* counts = level.counts + trees.n_classes
    cdef index_t* correct = trees.correct
    cdef index_t i, label, most = 0, best = 0
    memset(counts, 0, trees.n_classes * sizeof(index_t))
    for i in range(level.n_rows - 1, 0, -1):
        label = trees.labels[order[i]]
        counts[label] += trees.weights[order[i]]
        most = max(most, counts[label])
        correct[i] = most
    memset(counts, 0, trees.n_classes * sizeof(index_t))
    most = 0
    for i in range(level.n_rows - 1):
        label = trees.labels[order[i]]
        counts[label] += trees.weights[order[i]]
        most = max(most, counts[label])
        correct[i + 1] += most
        if rank[order[i]] != rank[order[i + 1]]:
            best = max(best, correct[i + 1])
    return level.n_samples - best


cdef int64_t rank_features(SubproblemCache trees, SearchNode* level) noexcept nogil:
    """List the features that are not constant, by the errors of their best split, then by number. Return the least
    errors, or the number of samples if there is no such feature."""
    cdef index_t feature, position
    cdef const index_t* order
    level.n_features = 0
    for feature in range(<index_t> trees.n_features):
        order = level.orders + feature * trees.n_rows
        if trees.ranks[feature, order[0]] == trees.ranks[feature, order[level.n_rows - 1]]:
            continue
        level.stumps[feature] = _best_stump(trees, level, feature)
        position = level.n_features
        while position > 0 and level.stumps[level.features[position - 1]] > level.stumps[feature]:
            level.features[position] = level.features[position - 1]
            position -= 1
        level.features[position] = feature
        level.n_features += 1
    return level.n_samples if level.n_features == 0 else level.stumps[level.features[0]]


cdef void list_cuts(SubproblemCache trees, SearchNode* level, index_t feature) noexcept nogil:
    """List the cuts of a feature, and the order in which they are tried: the middle cut, then the middle cuts of both
    halves, then the middle cuts of the quarters."""
    cdef const index_t* order = level.orders + feature * trees.n_rows
    cdef index_t* starts = trees.starts
    cdef index_t i, n, start, middle, stop, listed
    n = level.n_cuts = list_ends(order, &trees.ranks[feature, 0], level.n_rows, level.ends, level.ranks)
    # Invariant: part i begins with cut starts[i]; until the part is tried, trials[i] is the cut after its last one.
    starts[0], level.trials[0] = 0, n
    listed = n > 0
    for i in range(n):
        start, stop = starts[i], level.trials[i]
        middle = start + (stop - start) // 2
        level.trials[i] = middle
        if start < middle:
            starts[listed], level.trials[listed] = start, middle
            listed += 1
        if middle + 1 < stop:
            starts[listed], level.trials[listed] = middle + 1, stop
            listed += 1


cdef void choose_stump(SubproblemCache trees, SearchNode* level, CostSplit* split) noexcept nogil:
    """Find the first of the best splits, in the order in which they are tried."""
    cdef index_t feature = level.features[0], i, end
    cdef int64_t errors = _best_stump(trees, level, feature)
    cdef const index_t* order = level.orders + feature * trees.n_rows
    list_cuts(trees, level, feature)
    for i in range(level.n_cuts):
        end = level.ends[level.trials[i]]
        if level.n_samples - trees.correct[end] == errors:
            split.feature, split.below, split.above, split.left_leaves = feature, order[end - 1], order[end], 1
            return
