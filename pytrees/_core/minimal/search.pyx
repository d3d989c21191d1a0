"""The smallest tree that is consistent with the labels: which sets of rows can be told apart by how many splits.

The question asked of a set of rows is whether so many splits, the budget, are enough for a tree of it without errors.
Of all rows it is asked with a rising budget, so that the first yes is the least number of splits.

*Decision.* A set can be told apart with a budget where some cut leaves two sides that need less than the budget
together. A part of a set never needs more splits than the set does, so that among the cuts of a feature, ascending, the
need of the left side only rises and that of the right side only falls: one search by halves for each way to divide the
budget takes the place of looking at all cuts.

*Memory.* The answers of all sets met so far are bounds on what they need, and stay in a table of sets.

*Bounds.* Two rows conflict if their classes differ, or that of a row which lies between them in every feature does. All
rows between two rows of a node belong to the node: what conflicts among all rows conflicts in every node. Of rows that
all conflict with each other, a clique, every one needs a leaf of its own.
"""

import time

import numpy as np

cimport cython
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport popcount, trailing_zeros
from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport LEAF, NONE, UNDEFINED, UNLIMITED, float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.called_rows cimport MOST_LEVELS, NO, STOPPED, YES, CalledRows, FirstSplit
from pytrees._core.minimal.hard_sets cimport choose_split, decide_rows
from pytrees._core.minimal.sets cimport (
    SetTable, add_bit, close_table, find_item, holds, open_table, take_item, words_for,
)
from pytrees._core.rows.partition cimport threshold_between

cdef enum:
    STEPS_BETWEEN_CHECKS = 4000000  # of the clock and of signals: some milliseconds

# Rows among which those that conflict are looked for.
BOUND_ROWS = 1024

# Two searches take turns: one of sets of all rows, and one of called rows. The numbers of sets that they look at in a
# turn grow; the first one may look at more where there are so few rows and features that it takes less time. With few
# features it begins, as many problems are solved by then; otherwise it is only for problems that the other makes no
# headway with, such as classes drawn at random.
FEW_FEATURES = 8
FIRST_TURN = 3000
ENTRIES_OF_FIRST_TURN = 3000         # rows times features: with a half of them, the first turn has four times the sets
FIRST_TURN_OF_MANY = 20000          # not taken, but what the next turns grow from
GROWTH_OF_TURNS = 3
ENTRIES_OF_EQUAL_WORK = 20000       # rows times features: a set of all of them takes as long as one of called rows

# What is known of a set of rows: it needs at least `lower` splits, and `upper` are enough.
cdef struct Known:
    index_t lower, upper

# A set of rows that is being decided, and the cuts of the feature that is being looked at: cut i lies behind the first
# ends[i] rows of `order`. Its sides need left_bound[i] and right_bound[i] splits at least.
cdef struct SearchLevel:
    uint64_t* rows
    uint64_t* clique
    index_t* order
    index_t* ends
    index_t* left_bound
    index_t* right_bound
    index_t n_rows, n_cuts


@cython.final
cdef class Search:
    """Distinct rows, of which the first ones serve for bounds, and what is known of sets of them."""

    cdef const float64_t[:, ::1] X
    cdef const index_t[::1] labels
    cdef const int64_t[::1] weights         # how often a row occurs
    cdef Py_ssize_t n_rows, n_features, n_classes, n_words
    cdef const index_t[:, ::1] orders       # by feature: the rows in ascending order
    cdef const index_t[:, ::1] ranks        # by feature: which of its distinct values a row has
    cdef Py_ssize_t n_bound_rows, n_bound_words
    cdef uint64_t[:, ::1] conflicts         # by row: the rows that cannot share a leaf with it
    cdef uint64_t[:, ::1] below             # scratch: see _mark_below
    cdef index_t[::1] left_counts, right_counts
    cdef SetTable table
    cdef SearchLevel levels[MOST_LEVELS]
    cdef float64_t deadline
    cdef int64_t n_steps                    # since the last check of the clock
    cdef int64_t n_subproblems, most_subproblems
    cdef bint is_too_deep

    def __cinit__(self, X, labels, weights, Py_ssize_t n_classes, Py_ssize_t bound_rows, memory_limit):
        memset(&self.levels[0], 0, sizeof(self.levels))
        self.X, self.labels, self.weights = X, labels, weights
        self.n_rows, self.n_features = X.shape
        self.n_classes = n_classes
        self.n_words = words_for(self.n_rows)
        self.orders = np.ascontiguousarray(np.argsort(X, axis=0, kind="stable").T, dtype=np.int32)
        self.ranks = np.array([np.unique(column, return_inverse=True)[1] for column in X.T], dtype=np.int32)
        self.n_bound_rows = min(self.n_rows, bound_rows)
        self.n_bound_words = words_for(self.n_bound_rows)
        self.conflicts = np.zeros((self.n_bound_rows, self.n_bound_words), dtype=np.uint64)
        self.below = np.empty((self.n_features, np.max(self.ranks) + 2), dtype=np.uint64)
        self.left_counts = np.zeros(n_classes, dtype=np.int32)
        self.right_counts = np.zeros(n_classes, dtype=np.int32)
        open_table(&self.table, self.n_words, sizeof(Known), memory_limit)

    def __dealloc__(self):
        cdef Py_ssize_t number
        close_table(&self.table)
        for number in range(MOST_LEVELS):
            free(self.levels[number].rows)
            free(self.levels[number].order)


cdef void _fill(uint64_t* rows, Py_ssize_t n_words, const index_t* members, index_t n_members) noexcept nogil:
    cdef index_t i
    memset(rows, 0, n_words * sizeof(uint64_t))
    for i in range(n_members):
        add_bit(rows, members[i])


# --------------------------------------------------------------------------------------------------- limits and memory

cdef int _check_limits(Search search, int64_t n_steps) except -1 nogil:
    """Count steps; now and then handle signals and look at the clock. STOPPED where the time is over."""
    if not check_signals(&search.n_steps, n_steps, STEPS_BETWEEN_CHECKS):
        return YES
    with gil:
        return STOPPED if time.monotonic() >= search.deadline else YES


cdef int _open_level(Search search, Py_ssize_t number) except -1 nogil:
    """Allocate a level, which is kept. Every level is opened by the one above it."""
    cdef SearchLevel* level = &search.levels[number]
    if level.rows != NULL:
        return 0
    level.rows = <uint64_t*> malloc((search.n_words + search.n_bound_words) * sizeof(uint64_t))
    level.order = <index_t*> malloc(4 * search.n_rows * sizeof(index_t))
    if level.rows == NULL or level.order == NULL:
        with gil:
            raise MemoryError(f"no memory for sets of {search.n_rows} rows")
    level.clique = level.rows + search.n_words
    level.ends = level.order + search.n_rows
    level.left_bound = level.ends + search.n_rows
    level.right_bound = level.left_bound + search.n_rows
    return 0


# ------------------------------------------------------------------------------------------------------------- bounds

cdef void _mark_below(Search search, Py_ssize_t word) noexcept nogil:
    """Write, for every feature and rank, which rows of one word of the bound rows have a lower rank."""
    cdef index_t row, start = <index_t> (64 * word), stop = <index_t> min(search.n_bound_rows, 64 * word + 64)
    cdef Py_ssize_t feature, rank
    for feature in range(search.n_features):
        memset(&search.below[feature, 0], 0, search.below.shape[1] * sizeof(uint64_t))
        for row in range(start, stop):
            add_bit(&search.below[feature, search.ranks[feature, row] + 1], row - start)
        for rank in range(1, search.below.shape[1]):
            search.below[feature, rank] |= search.below[feature, rank - 1]


cdef inline uint64_t _rows_between(Search search, index_t row, index_t other, uint64_t candidates) noexcept nogil:
    """Return those of the candidates, of the word marked, that lie between two rows in every feature."""
    cdef Py_ssize_t feature
    cdef index_t rank, other_rank
    for feature in range(search.n_features):
        rank, other_rank = search.ranks[feature, row], search.ranks[feature, other]
        candidates &= search.below[feature, max(rank, other_rank) + 1] & ~search.below[feature, min(rank, other_rank)]
        if candidates == 0:
            break
    return candidates


cdef int _find_conflicts(Search search) except -1 nogil:
    """Note for every bound row those that conflict with it, by way of the rows of one word after the other."""
    cdef index_t row, other, label, n_rows = <index_t> search.n_bound_rows
    cdef Py_ssize_t word
    cdef uint64_t of_other_class
    for word in range(search.n_bound_words):
        _mark_below(search, word)
        for row in range(n_rows):
            label = search.labels[row]
            of_other_class = 0
            for other in range(<index_t> (64 * word), <index_t> min(search.n_bound_rows, 64 * word + 64)):
                if search.labels[other] != label:
                    add_bit(&of_other_class, other & 63)
            for other in range(row):
                if search.labels[other] != label or _rows_between(search, row, other, of_other_class):
                    add_bit(&search.conflicts[row, 0], other)
                    add_bit(&search.conflicts[other, 0], row)
            if _check_limits(search, row * search.n_features) == STOPPED:
                return STOPPED
    return YES


cdef index_t _find_clique(Search search, Py_ssize_t number) noexcept nogil:
    """Find a clique among the bound rows of a level and return its size: always the row is taken that conflicts with
    most of the others that are left. The next level, which is not in use, lends its memory."""
    cdef Py_ssize_t word, other, n_words = search.n_bound_words
    cdef uint64_t* clique = search.levels[number].clique
    cdef uint64_t* candidates = search.levels[number + 1].rows
    cdef const uint64_t* conflicts
    cdef uint64_t unseen
    cdef index_t size = 0, row, best, degree, best_degree
    memset(clique, 0, n_words * sizeof(uint64_t))
    memcpy(candidates, search.levels[number].rows, n_words * sizeof(uint64_t))
    if search.n_bound_rows & 63:
        candidates[n_words - 1] &= (<uint64_t> 1 << (search.n_bound_rows & 63)) - 1
    while True:
        best = best_degree = NONE
        for word in range(n_words):
            unseen = candidates[word]
            while unseen:
                row = <index_t> (64 * word + trailing_zeros(unseen))
                unseen &= unseen - 1
                conflicts = &search.conflicts[row, 0]
                degree = 0
                for other in range(n_words):
                    degree += popcount(candidates[other] & conflicts[other])
                if degree > best_degree:
                    best, best_degree = row, degree
        if best == NONE:
            return size
        add_bit(clique, best)
        size += 1
        for word in range(n_words):
            candidates[word] &= search.conflicts[best, word]


cdef index_t _count_classes(Search search, const uint64_t* rows) noexcept nogil:
    cdef Py_ssize_t word
    cdef uint64_t unseen
    cdef index_t n_found = 0, label
    memset(&search.left_counts[0], 0, search.n_classes * sizeof(index_t))
    for word in range(search.n_words):
        unseen = rows[word]
        while unseen:
            label = search.labels[64 * word + trailing_zeros(unseen)]
            unseen &= unseen - 1
            n_found += search.left_counts[label] == 0
            search.left_counts[label] = 1
    return n_found


cdef void _sweep(Search search, SearchLevel* level, Py_ssize_t feature, index_t clique_size) noexcept nogil:
    """List the cuts of a feature, with bounds on what their sides need: as many leaves as they have classes, and as
    they have rows of the clique."""
    cdef const index_t* order = &search.orders[feature, 0]
    cdef const index_t* rank = &search.ranks[feature, 0]
    cdef index_t i, row, label, n = 0, n_left = 0, n_right = 0, in_clique = 0, cut = 0
    memset(&search.left_counts[0], 0, search.n_classes * sizeof(index_t))
    memset(&search.right_counts[0], 0, search.n_classes * sizeof(index_t))
    for i in range(search.n_rows):
        row = order[i]
        if holds(level.rows, row):
            level.order[n] = row
            n += 1
            label = search.labels[row]
            n_right += search.right_counts[label] == 0
            search.right_counts[label] += 1
    level.n_rows = n
    for i in range(n - 1):
        row = level.order[i]
        label = search.labels[row]
        n_left += search.left_counts[label] == 0
        search.left_counts[label] += 1
        search.right_counts[label] -= 1
        n_right -= search.right_counts[label] == 0
        in_clique += row < search.n_bound_rows and holds(level.clique, row)
        if rank[row] != rank[level.order[i + 1]]:
            level.ends[cut] = i + 1
            level.left_bound[cut] = max(n_left, in_clique) - 1
            level.right_bound[cut] = max(n_right, clique_size - in_clique) - 1
            cut += 1
    level.n_cuts = cut


# ----------------------------------------------------------------------------------------------------------- decisions

cdef int _side_allows(Search search, Py_ssize_t number, bint is_right, index_t cut, index_t budget) except -1 nogil:
    """Whether one side of a cut needs no more splits than the budget."""
    cdef SearchLevel* level = &search.levels[number]
    cdef index_t start = level.ends[cut] if is_right else 0, stop = level.n_rows if is_right else level.ends[cut]
    if budget == 0 and (level.right_bound[cut] if is_right else level.left_bound[cut]) > 0:
        return NO
    _fill(search.levels[number + 1].rows, search.n_words, &level.order[start], stop - start)
    return _decide(search, number + 1, budget)


cdef int _farthest(
    Search search, Py_ssize_t number, bint is_right, index_t budget, index_t* low, index_t* high
) except -1 nogil:
    """Narrow cuts low..high to the one with the largest left side, or right side, that the budget allows, which is then
    low = high. A side needs no less than a part of it does: where one is too large, larger ones are too."""
    cdef index_t nearest = high[0] if is_right else low[0], middle
    cdef int answer = _side_allows(search, number, is_right, nearest, budget)
    if answer != YES:
        return answer
    # Invariant: the budget allows the cut at the near end; beyond the far end it allows none.
    while low[0] < high[0]:
        middle = low[0] + (high[0] - low[0] + (not is_right)) // 2
        answer = _side_allows(search, number, is_right, middle, budget)
        if answer == STOPPED:
            return STOPPED
        if is_right:
            if answer == YES:
                high[0] = middle
            else:
                low[0] = middle + 1
        elif answer == YES:
            low[0] = middle
        else:
            high[0] = middle - 1
    return YES


cdef int _find_cut(
    Search search, Py_ssize_t number, index_t budget, bint lowest, index_t* found, index_t* left_budget
) except -1 nogil:
    """Find a cut of the feature whose sides need less than the budget together; the lowest one, if so wanted.

    The more splits there are for the left side, the less for the right one: both ends of the possible cuts move to the
    right. Of the cuts that leave the side with fewer splits enough of them, only the farthest can do.
    """
    cdef SearchLevel* level = &search.levels[number]
    cdef index_t k, rest, left_stop = 0, first = 0, low, high
    cdef bint right_is_smaller
    cdef int answer
    for k in range(budget):
        rest = budget - 1 - k
        while left_stop < level.n_cuts and level.left_bound[left_stop] <= k:
            left_stop += 1
        while first < level.n_cuts and level.right_bound[first] > rest:
            first += 1
        low, high = first, left_stop - 1
        if low > high:
            continue
        right_is_smaller = rest < k
        answer = _farthest(search, number, right_is_smaller, min(k, rest), &low, &high)
        if answer == NO:
            continue
        if answer == YES:
            answer = _side_allows(search, number, not right_is_smaller, low, max(k, rest))
        if answer == YES:
            if lowest and not right_is_smaller:
                low = first
                answer = _farthest(search, number, True, rest, &low, &high)
            found[0], left_budget[0] = low, k
        if answer != NO:
            return answer
    return NO


cdef int _decide(Search search, Py_ssize_t number, index_t budget) except -1 nogil:
    """Whether so many splits are enough for the rows of a level."""
    cdef SearchLevel* level = &search.levels[number]
    cdef index_t n_found = _count_classes(search, level.rows), clique_size, cut, left_budget
    cdef Py_ssize_t feature
    cdef const Known* known
    cdef int answer = NO
    if n_found == 1:
        return YES
    if n_found - 1 > budget:
        return NO
    known = <const Known*> find_item(&search.table, level.rows)
    if known != NULL and known.upper <= budget:
        return YES
    if known != NULL and known.lower > budget:
        return NO
    if number + 1 == MOST_LEVELS:
        search.is_too_deep = True
        return STOPPED
    if search.n_subproblems >= search.most_subproblems:
        return STOPPED
    search.n_subproblems += 1
    _open_level(search, number + 1)
    clique_size = _find_clique(search, number)
    if clique_size - 1 > budget:
        return _learn(search, level.rows, NO, clique_size - 2)
    if _check_limits(search, clique_size * search.n_bound_rows * search.n_bound_words) == STOPPED:
        return STOPPED
    for feature in range(search.n_features):
        if _check_limits(search, search.n_rows) == STOPPED:
            return STOPPED
        _sweep(search, level, feature, clique_size)
        answer = _find_cut(search, number, budget, False, &cut, &left_budget)
        if answer != NO:
            break
    return _learn(search, level.rows, answer, budget)


cdef int _learn(Search search, const uint64_t* rows, int answer, index_t budget) except -1 nogil:
    """Remember the answer to whether so many splits are enough, and return it."""
    cdef Known* known
    cdef Known unknown
    if answer == STOPPED:
        return STOPPED
    unknown.lower, unknown.upper = 1, UNLIMITED
    known = <Known*> take_item(&search.table, rows, &unknown)
    if known != NULL and answer == YES:
        known.upper = min(known.upper, budget)
    elif known != NULL:
        known.lower = max(known.lower, budget + 1)
    return answer


# ---------------------------------------------------------------------------------------------------------- the search

cdef int _find_size(Search search, index_t* size) except -1 nogil:
    """Raise the number of splits until it is enough: what is less has then been shown not to be. One less than there
    are rows always is."""
    cdef SearchLevel* root = &search.levels[0]
    cdef index_t row
    _open_level(search, 0)
    _open_level(search, 1)
    memset(root.rows, 0, search.n_words * sizeof(uint64_t))
    for row in range(<index_t> search.n_rows):
        add_bit(root.rows, row)
    size[0] = _count_classes(search, root.rows) - 1
    if size[0] == 0:
        return YES
    if _find_conflicts(search) == STOPPED:
        return STOPPED
    size[0] = max(size[0], _find_clique(search, 0) - 1)
    return _raise_size(search, size)


cdef int _raise_size(Search search, index_t* size) except -1 nogil:
    """Raise the number of splits for the rows of level 0 until it is enough."""
    cdef int answer = NO
    while answer == NO:
        answer = _decide(search, 0, size[0])
        size[0] += answer == NO
    return answer


cdef int _find_size_by_calls(Search search, CalledRows called, index_t* size) except -1 nogil:
    """Go on raising the number of splits, by the search among called rows. All rows, in any order."""
    cdef index_t n_rows = <index_t> search.n_rows
    cdef int answer = NO
    while answer == NO:
        answer = decide_rows(called, &search.orders[0, 0], n_rows, size[0])
        size[0] += answer == NO
    return answer


cdef _find_size_in_turns(Search search, CalledRows called, int64_t first_turn, index_t* size):
    """Find the number of splits by both searches in turns. Return the answer, and whether called rows gave it."""
    cdef int64_t turn = min(first_turn, FIRST_TURN) if first_turn > 0 else FIRST_TURN_OF_MANY
    cdef int answer
    search.most_subproblems = first_turn
    with nogil:
        answer = _find_size(search, size)
    while answer == STOPPED and not search.is_too_deep and time.monotonic() < search.deadline:
        turn *= GROWTH_OF_TURNS
        called.most_subproblems = called.n_subproblems + turn
        with nogil:
            answer = _find_size_by_calls(search, called, size)
        if answer != STOPPED:
            return answer, True
        search.most_subproblems = search.n_subproblems + turn * max(1, ENTRIES_OF_EQUAL_WORK // search.ranks.size)
        if time.monotonic() < search.deadline:
            with nogil:
                answer = _raise_size(search, size)
    return answer, False


cdef int _choose(Search search, index_t size, index_t* feature, index_t* cut, index_t* left_size) except -1 nogil:
    """Find the lowest feature, and its lowest cut, that leave the rows of level 0 one split less than they need."""
    cdef index_t clique_size = _find_clique(search, 0)
    cdef int answer = NO
    for feature[0] in range(<index_t> search.n_features):
        _sweep(search, &search.levels[0], feature[0], clique_size)
        answer = _find_cut(search, 0, size, True, cut, left_size)
        if answer != NO:
            break
    return answer


cdef int _choose_by_calls(
    Search search, CalledRows called, char* is_member, index_t size, index_t* feature, index_t* cut,
    index_t* left_size,
) except -1 nogil:
    """Do the same by the search among called rows."""
    cdef SearchLevel* level = &search.levels[0]
    cdef index_t row
    cdef FirstSplit split
    cdef int answer
    for row in range(<index_t> search.n_rows):
        is_member[row] = holds(level.rows, row)
    answer = choose_split(called, is_member, size, &split)
    if answer != YES:
        return answer
    feature[0], left_size[0], cut[0] = split.feature, split.left_budget, 0
    memset(level.clique, 0, search.n_bound_words * sizeof(uint64_t))
    _sweep(search, level, split.feature, 0)
    while search.ranks[split.feature, level.order[level.ends[cut[0]] - 1]] != split.rank:
        cut[0] += 1
    return answer


cdef _class_counts(Search search, const uint64_t* rows):
    cdef index_t row
    counts = [0] * search.n_classes
    for row in range(<index_t> search.n_rows):
        if holds(rows, row):
            counts[search.labels[row]] += search.weights[row]
    return counts


cdef _nodes(Search search, CalledRows called, index_t n_splits):
    """Return the nodes of the smallest tree, in preorder, as lists; None where a limit stops the choice of the splits,
    among called rows if there are any. Level 0 holds all rows."""
    cdef SearchLevel* level = &search.levels[0]
    cdef char[::1] is_member = np.zeros(search.n_rows, dtype=np.int8)
    cdef uint64_t[:, ::1] sets = np.zeros((n_splits + 1, search.n_words), dtype=np.uint64)
    cdef index_t size, feature = NONE, cut = NONE, left_size = NONE, end
    cdef Py_ssize_t n_bytes = search.n_words * sizeof(uint64_t)
    cdef int answer
    names = ("children_left", "children_right", "feature", "threshold", "value", "gain")
    nodes = {name: [] for name in names}
    memcpy(&sets[0, 0], level.rows, n_bytes)
    # The rows of pending[i] are sets[i]. Every pending node needs a leaf at least, so that there are sets enough.
    pending = [(n_splits, NONE, None)]
    while pending:
        size, parent, side = pending.pop()
        memcpy(level.rows, &sets[len(pending), 0], n_bytes)
        number = len(nodes["feature"])
        if parent != NONE:
            nodes[side][parent] = number
        node = [LEAF, LEAF, UNDEFINED, float(UNDEFINED), _class_counts(search, level.rows), 0.0]
        if size > 0:
            with nogil:
                if called is None:
                    answer = _choose(search, size, &feature, &cut, &left_size)
                else:
                    answer = _choose_by_calls(search, called, &is_member[0], size, &feature, &cut, &left_size)
            if answer != YES:
                return None
            end = level.ends[cut]
            node[2], node[5] = feature, 1.0
            node[3] = threshold_between(
                search.X[level.order[end - 1], feature], search.X[level.order[end], feature]
            )
            _fill(&sets[len(pending), 0], search.n_words, &level.order[end], level.n_rows - end)
            pending.append((size - 1 - left_size, number, "children_right"))
            _fill(&sets[len(pending), 0], search.n_words, level.order, end)
            pending.append((left_size, number, "children_left"))
        for name, entry in zip(names, node, strict=True):
            nodes[name].append(entry)
    return nodes


# --------------------------------------------------------------------------------------------------------- from Python

def _search_of(X, y, n_classes, bound_rows, memory_limit):
    """Return the search of all distinct rows, each once, `bound_rows` of them, evenly spaced, in front."""
    if y.shape[0] != X.shape[0] or X.shape[0] == 0 or np.min(y) < 0 or np.max(y) >= n_classes:
        raise ValueError(f"y must hold one of the class codes 0..{n_classes - 1} for each of one or more samples.")
    X, first, group, weights = np.unique(np.asarray(X) + 0.0, True, True, True, axis=0)
    if np.any(np.asarray(y)[first][group.ravel()] != y):
        raise ValueError("There is no consistent tree: equal samples have different labels.")
    n_bound_rows = min(len(X), bound_rows)
    is_bound_row = np.zeros(len(X), dtype=bool)
    is_bound_row[np.arange(n_bound_rows) * len(X) // n_bound_rows] = True
    rows = np.argsort(~is_bound_row, kind="stable")
    labels = np.asarray(y)[first]
    return Search(X[rows], labels[rows], weights[rows].astype(np.int64), n_classes, n_bound_rows, memory_limit)


def minimal_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, Py_ssize_t n_classes, *, time_limit=None, memory_limit=2**30,
    bound_rows=BOUND_ROWS, first_turn=None,
):
    """Find the smallest consistent tree.

    Of several trees it is the one whose splits, from the root on, have the lowest features, then the lowest thresholds.
    The limits are seconds, None being none, and bytes of each search's tables of sets of rows. How many rows serve for
    bounds, `bound_rows`, and how many sets of all rows are looked at before called rows are, `first_turn`, change only
    the way to the tree.

    Returns
    -------
    arrays : dict or None
        The tree's arrays; None where a limit stopped the search.
    lower_bound : int
        Splits that are needed at least.
    n_subproblems : int
        Sets of rows that had to be looked at.
    """
    start = time.monotonic()
    cdef Search search = _search_of(X, y, n_classes, bound_rows, memory_limit)
    cdef CalledRows called
    cdef index_t size = 0
    search.deadline = INFINITY if time_limit is None else start + time_limit
    called = CalledRows(search.labels, search.ranks, search.orders, n_classes, memory_limit, search.deadline)
    if first_turn is None:
        first_turn = FIRST_TURN * max(1, ENTRIES_OF_FIRST_TURN // search.ranks.size) ** 2
        first_turn = first_turn if search.n_features <= FEW_FEATURES else 0
    answer, by_calls = _find_size_in_turns(search, called, first_turn, &size)
    search.most_subproblems = called.most_subproblems = UNLIMITED
    nodes = None if answer == STOPPED else _nodes(search, called if by_calls else None, size)
    n_subproblems = search.n_subproblems + called.n_subproblems
    if nodes is None:
        return None, size, n_subproblems
    arrays = {name: np.array(entries) for name, entries in nodes.items()}
    arrays["n_node_samples"] = arrays["value"].sum(axis=1)
    arrays["value"] = arrays["value"].astype(np.float64)
    return arrays, size, n_subproblems
