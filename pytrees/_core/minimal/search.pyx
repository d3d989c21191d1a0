"""The smallest tree that is consistent with the labels: which sets of rows can be told apart by how many splits."""

import time

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.minimal.conflicts cimport fill_boxes, find_clique, narrow_boxes, note_conflicts
from pytrees._core.rows.partition cimport threshold_between
from pytrees._core.minimal.row_sets cimport (
    Known,
    SetTable,
    add_row,
    bytes_of_set,
    find_known,
    holds,
    release,
    take_known,
    trailing_zeros,
    words_for,
)
from pytrees._core.base.types cimport LEAF, NONE, UNDEFINED, float64_t, index_t, int64_t, uint64_t

cdef enum:
    NO = 0
    YES = 1
    STOPPED = 2                     # a limit has been reached: not known
    STEPS_BETWEEN_LOOKS = 4000000   # some milliseconds
    MOST_LEVELS = 500               # of the recursion, so that it fits the stack of any thread

# Rows among which those that conflict are looked for.
BOUND_ROWS = 1024

# A set of rows that is being decided, and the cuts of the feature that is being looked at: cut i lies behind the first
# ends[i] rows of `order`. Its sides need left_bound[i] and right_bound[i] splits at least.
cdef struct Level:
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
    cdef const index_t[:, ::1] bound_orders
    cdef uint64_t[:, ::1] conflicts         # by row: the rows that cannot share a leaf with it
    cdef uint64_t[:, ::1] boxes
    cdef index_t[::1] left_counts, right_counts
    cdef SetTable table
    cdef Level levels[MOST_LEVELS]
    cdef float64_t deadline
    cdef int64_t n_steps                    # since the last look at the clock
    cdef int64_t n_subproblems

    def __cinit__(self, X, labels, weights, Py_ssize_t n_classes, Py_ssize_t bound_rows, memory_limit):
        memset(&self.table, 0, sizeof(SetTable))
        memset(&self.levels[0], 0, sizeof(self.levels))
        self.X, self.labels, self.weights = X, labels, weights
        self.n_rows, self.n_features = X.shape
        self.n_classes = n_classes
        self.n_words = words_for(self.n_rows)
        order = np.argsort(X, axis=0, kind="stable")
        self.orders = np.ascontiguousarray(order.T, dtype=np.int32)
        self.ranks = np.array([np.unique(column, return_inverse=True)[1] for column in X.T], dtype=np.int32)
        self.n_bound_rows = min(self.n_rows, bound_rows)
        self.n_bound_words = words_for(self.n_bound_rows)
        self.bound_orders = np.array([rows[rows < self.n_bound_rows] for rows in order.T], dtype=np.int32)
        self.conflicts = np.zeros((self.n_bound_rows, self.n_bound_words), dtype=np.uint64)
        self.boxes = np.zeros((self.n_bound_rows + 1, self.n_bound_words), dtype=np.uint64)
        self.left_counts = np.zeros(n_classes, dtype=np.int32)
        self.right_counts = np.zeros(n_classes, dtype=np.int32)
        self.table.n_words = self.n_words
        self.table.largest_capacity = min(memory_limit // bytes_of_set(self.n_words), 2**31 - 1)

    def __dealloc__(self):
        cdef Py_ssize_t number
        release(&self.table)
        for number in range(MOST_LEVELS):
            free(self.levels[number].rows)
            free(self.levels[number].order)


cdef int _look(Search search, int64_t n_steps) except -1 nogil:
    """Count steps; from time to time look at the keyboard and the clock. STOPPED where the time is over."""
    search.n_steps += n_steps
    if search.n_steps < STEPS_BETWEEN_LOOKS:
        return YES
    search.n_steps = 0
    with gil:
        PyErr_CheckSignals()
        return STOPPED if time.monotonic() >= search.deadline else YES


cdef void _fill(uint64_t* rows, Py_ssize_t n_words, const index_t* members, index_t n_members) noexcept nogil:
    cdef index_t i
    memset(rows, 0, n_words * sizeof(uint64_t))
    for i in range(n_members):
        add_row(rows, members[i])


cdef int _open_level(Search search, Py_ssize_t number) except -1 nogil:
    """Memory for a level: it is kept, and every level is opened by the one above it."""
    cdef Level* level = &search.levels[number]
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

cdef int _find_conflicts(Search search) except -1 nogil:
    cdef index_t row, n_rows = <index_t> search.n_bound_rows
    cdef Py_ssize_t feature, n_words = search.n_bound_words
    cdef uint64_t* boxes = &search.boxes[0, 0]
    cdef uint64_t* passed = &search.boxes[n_rows, 0]
    cdef const index_t* order
    cdef const index_t* rank
    for row in range(n_rows):
        fill_boxes(&search.labels[0], row, n_rows, n_words, boxes)
        for feature in range(search.n_features):
            order, rank = &search.bound_orders[feature, 0], &search.ranks[feature, 0]
            narrow_boxes(order, rank, row, 1, n_rows, n_words, passed, boxes)
            narrow_boxes(order, rank, row, -1, n_rows, n_words, passed, boxes)
            if _look(search, 2 * n_rows * n_words) == STOPPED:
                return STOPPED
        note_conflicts(&search.labels[0], row, n_rows, n_words, boxes, &search.conflicts[0, 0])
    return YES


cdef index_t _find_clique(Search search, Py_ssize_t number) noexcept nogil:
    """The size of a clique among a level's rows. The next level, which is not in use, lends its memory."""
    return find_clique(
        &search.conflicts[0, 0], search.levels[number].rows, <index_t> search.n_bound_rows, search.n_bound_words,
        search.levels[number + 1].rows, search.levels[number].clique
    )


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


cdef void _sweep(Search search, Level* level, Py_ssize_t feature, index_t clique_size) noexcept nogil:
    """The cuts of a feature, and bounds on what their sides need: as many leaves as they have classes, and as many as
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
    cdef Level* level = &search.levels[number]
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
    """A cut of the feature whose sides need less than the budget together; the lowest one, if so wanted.

    The more splits there are for the left side, the less for the right one: both ends of the possible cuts move to the
    right. Of the cuts that leave the side with fewer splits enough of them, only the farthest can do.
    """
    cdef Level* level = &search.levels[number]
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
    cdef Level* level = &search.levels[number]
    cdef index_t n_found = _count_classes(search, level.rows), clique_size, cut, left_budget
    cdef Py_ssize_t feature
    cdef const Known* known
    cdef int answer = NO
    if n_found == 1:
        return YES
    if n_found - 1 > budget:
        return NO
    known = find_known(&search.table, level.rows)
    if known != NULL and known.upper <= budget:
        return YES
    if known != NULL and known.lower > budget:
        return NO
    if number + 1 == MOST_LEVELS:
        return STOPPED
    search.n_subproblems += 1
    _open_level(search, number + 1)
    clique_size = _find_clique(search, number)
    if clique_size - 1 > budget:
        return _learn(search, level.rows, NO, clique_size - 2)
    if _look(search, clique_size * search.n_bound_rows * search.n_bound_words) == STOPPED:
        return STOPPED
    for feature in range(search.n_features):
        if _look(search, search.n_rows) == STOPPED:
            return STOPPED
        _sweep(search, level, feature, clique_size)
        answer = _find_cut(search, number, budget, False, &cut, &left_budget)
        if answer != NO:
            break
    return _learn(search, level.rows, answer, budget)


cdef int _learn(Search search, const uint64_t* rows, int answer, index_t budget) except -1 nogil:
    """Remember the answer to whether so many splits are enough, and return it."""
    cdef Known* known
    if answer == STOPPED:
        return STOPPED
    known = take_known(&search.table, rows)
    if known != NULL and answer == YES:
        known.upper = min(known.upper, budget)
    elif known != NULL:
        known.lower = max(known.lower, budget + 1)
    return answer


# ---------------------------------------------------------------------------------------------------------- the search

cdef int _find_size(Search search, index_t* size) except -1 nogil:
    """Raise the number of splits until it is enough: what is less has then been shown not to be. One less than there
    are rows always is."""
    cdef Level* root = &search.levels[0]
    cdef index_t row
    cdef int answer = NO
    _open_level(search, 0)
    _open_level(search, 1)
    memset(root.rows, 0, search.n_words * sizeof(uint64_t))
    for row in range(<index_t> search.n_rows):
        add_row(root.rows, row)
    size[0] = _count_classes(search, root.rows) - 1
    if size[0] == 0:
        return YES
    if _find_conflicts(search) == STOPPED:
        return STOPPED
    size[0] = max(size[0], _find_clique(search, 0) - 1)
    while answer == NO:
        answer = _decide(search, 0, size[0])
        size[0] += answer == NO
    return answer


cdef int _choose(Search search, index_t size, index_t* feature, index_t* cut, index_t* left_size) except -1 nogil:
    """The lowest feature, and its lowest cut, that leave the rows of level 0 one split less than they need."""
    cdef index_t clique_size = _find_clique(search, 0)
    cdef int answer = NO
    for feature[0] in range(<index_t> search.n_features):
        _sweep(search, &search.levels[0], feature[0], clique_size)
        answer = _find_cut(search, 0, size, True, cut, left_size)
        if answer != NO:
            break
    return answer


cdef _class_counts(Search search, const uint64_t* rows):
    cdef index_t row
    counts = [0] * search.n_classes
    for row in range(<index_t> search.n_rows):
        if holds(rows, row):
            counts[search.labels[row]] += search.weights[row]
    return counts


cdef _nodes(Search search, index_t n_splits):
    """The nodes of the smallest tree, in preorder, as lists; None where a limit stops the choice of the splits. Level 0
    holds all rows."""
    cdef Level* level = &search.levels[0]
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
                answer = _choose(search, size, &feature, &cut, &left_size)
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
    """Every distinct row once, so many of them, evenly spaced, in front."""
    if y.shape[0] != X.shape[0] or X.shape[0] == 0 or np.min(y) < 0 or np.max(y) >= n_classes:
        raise ValueError(f"Labels must be class codes below {n_classes}, one for each of the rows, of which there are.")
    X, first, group, weights = np.unique(np.asarray(X) + 0.0, True, True, True, axis=0)
    if np.any(np.asarray(y)[first][group.ravel()] != y):
        raise ValueError("There is no consistent tree: equal rows have different labels.")
    n_bound_rows = min(len(X), bound_rows)
    is_bound_row = np.zeros(len(X), dtype=bool)
    is_bound_row[np.arange(n_bound_rows) * len(X) // n_bound_rows] = True
    rows = np.argsort(~is_bound_row, kind="stable")
    labels = np.asarray(y)[first]
    return Search(X[rows], labels[rows], weights[rows].astype(np.int64), n_classes, n_bound_rows, memory_limit)


def minimal_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, Py_ssize_t n_classes, *, time_limit=None, memory_limit=2**30,
    bound_rows=BOUND_ROWS,
):
    """The smallest consistent tree.

    Of several trees the one whose splits, from the root on, have the lowest features, then the lowest thresholds. The
    limits are seconds, None being none, and bytes of the table of sets of rows. How many rows serve for bounds,
    `bound_rows`, changes only the way to the tree.

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
    cdef index_t size = 0
    cdef int answer
    search.deadline = INFINITY if time_limit is None else start + time_limit
    with nogil:
        answer = _find_size(search, &size)
    nodes = None if answer == STOPPED else _nodes(search, size)
    if nodes is None:
        return None, size, search.n_subproblems
    arrays = {name: np.array(entries) for name, entries in nodes.items()}
    arrays["n_node_samples"] = arrays["value"].sum(axis=1)
    arrays["value"] = arrays["value"].astype(np.float64)
    return arrays, size, search.n_subproblems
