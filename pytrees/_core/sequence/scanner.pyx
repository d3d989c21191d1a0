"""Best split of one node by the Effort-To-Compress or the Lempel-Ziv complexity of its children's label sequences.

A cut costs the sum over its children of their length times their impurity. Of one node, the cut of least cost gains
most; of equal ones that of the lowest feature, then of the lowest threshold, then with missing values on the right. The
cuts of a feature are scanned with these on the right, and then on the left. A cut is given up as soon as it is
known to cost too much. Features are scanned on several threads where the scan is long: they share the best cut so far,
which rules out only what is not before it.

*Levels*, of the effort. A cut differs from the one before by the few rows between them, and so do its children's
sequences, and, as long as the same pairs are replaced, so does what the substitutions make of these. Level 0 is a
child's sequence, level t + 1 is level t with its most frequent pair replaced. A row that comes or goes changes every
level near its own place only, up to the level at which another pair becomes the most frequent; the levels above that
one are given up, and built again when a cut asks for them.

A level is linked over the places of the rows: a symbol stands where the first of its rows stands. Places ascend along
the links, from HEAD to the place behind the last row; these two hold symbols of their own, and belong to two pairs
that occur once.

*Planes*, of the complexity. Rows move between the children one by one, and the components in front of the first row
that moved stay as they are: see `history`. Longer children, or of more classes, are decomposed cut by cut.
"""

from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

cimport cython
from cpython.pythread cimport (
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
)
from libc.string cimport memset

from pytrees._core.base.compiler cimport popcount
from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint64_t
from pytrees._core.sequence.groups cimport (
    GroupCosts, NodeGroups, cost_of_cut, cost_of_node, move_sample, start_cuts,
)
from pytrees._core.sequence.history cimport (
    ExhaustiveHistory, complexity, complexity_of_planes, has_planes, insert_label, least_complexity,
    load_planes, remove_label,
)
from pytrees._core.sequence.passes cimport replace_pair
from pytrees._core.sequence.substitution cimport PairSubstitution, Run, effort, effort_of_runs

from pytrees._core.sequence.history import changing_planes

cdef enum:
    # Labels of the children of a node, over all cuts, from which on threads pay: about a millisecond.
    LABELS_FOR_THREADS = 300000
    # Neighbouring cuts share steps where few rows lie between them and the sequence is neither short nor made of runs
    # of, on average, more labels than this.
    ROWS_BETWEEN_CUTS = 16
    SHORT = 200
    LONG_RUN = 4

cdef enum:
    MAX_LEVELS = 10
    TABLE_SIDE = 16         # of a table of pair counts: classes, a new symbol a level, and two ends
    HEAD_SYMBOL = 14
    TAIL_SYMBOL = 15
    MAX_SHARED_CLASSES = 5  # with the symbols of all levels they stay below HEAD_SYMBOL
    LEVEL_SHARE = 24        # a further level while the top pair is at least 1/24 of the sequence
    HEAD = 0

_PLACE = np.dtype([(name, np.int32) for name in ("previous", "next", "symbol")])
_RUN = np.dtype([(name, np.int32) for name in ("symbol", "length")])
_LINK = np.dtype([(name, np.int32) for name in ("place", "symbol")])
_LEVEL = np.dtype([(name, np.int32) for name in ("length", "n_distinct", "left", "right", "count", "rival")])


cdef class FeatureOrders:
    cdef index_t read(
        self, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing
    ) noexcept nogil:
        return 0


@cython.final
cdef class ChildSequence:
    def __cinit__(self, Py_ssize_t capacity, index_t n_classes):
        self.n_classes = n_classes
        self.levels = np.zeros(MAX_LEVELS, dtype=_LEVEL)
        self.places = np.empty((MAX_LEVELS, capacity + 2), dtype=_PLACE)
        self.counts = np.empty((MAX_LEVELS, TABLE_SIDE * TABLE_SIDE), dtype=np.int32)
        self.links = np.empty(capacity + 2, dtype=_LINK)
        self.flat_places = np.empty(capacity, dtype=np.int32)


@cython.final
cdef class SequenceWorker:
    def __cinit__(self, Py_ssize_t n_rows, index_t n_classes, SequenceImpurity impurity):
        self.order = np.empty(n_rows, dtype=np.int32)
        self.cuts = np.empty(n_rows, dtype=np.int32)
        self.n_left_of_run = np.empty(n_rows, dtype=np.int32)
        self.is_left = np.empty(n_rows + 1, dtype=np.uint8)
        if impurity == EFFORT:
            self.state = PairSubstitution(n_rows, n_classes)
            self.sequence = self.state.sequence
            if n_classes <= MAX_SHARED_CLASSES:
                self.left = ChildSequence(n_rows, n_classes)
                self.right = ChildSequence(n_rows, n_classes)
        elif impurity == COMPLEXITY:
            self.history = ExhaustiveHistory(n_rows, n_classes)
            self.sequence = self.history.sequence
            self.left_rows = np.empty(n_rows // 64 + 1, dtype=np.uint64)
            self.left_planes = changing_planes(n_rows, n_classes)
            self.right_planes = changing_planes(n_rows, n_classes)
        else:
            raise ValueError(f"No impurity of label sequences has the code {impurity}.")


@cython.final
cdef class SequenceScanner:
    def __cinit__(
        self, Py_ssize_t n_rows, Py_ssize_t n_features, index_t n_classes, index_t n_threads, SequenceImpurity impurity,
        group_of_row=None
    ):
        self.n_rows = <index_t> n_rows
        self.n_classes = n_classes
        self.n_threads = n_threads
        self.impurity = impurity
        self.labels = np.empty(n_rows, dtype=np.int32)
        self.features = np.empty(n_features, dtype=np.int32)
        self.runs = np.empty(n_rows, dtype=_RUN)
        self.run_of_row = np.empty(n_rows, dtype=np.int32)
        self.groups = None if group_of_row is None else NodeGroups(group_of_row, n_rows)
        self.worker = _new_worker(self)
        self.workers = [self.worker]
        self.pool = None
        self.lock = NULL
        if n_threads > 1:
            self.lock = PyThread_allocate_lock()
            if self.lock == NULL:
                raise MemoryError("no memory for a lock")

    def __dealloc__(self):
        if self.lock != NULL:
            PyThread_free_lock(self.lock)


cdef SequenceWorker _new_worker(SequenceScanner scanner):
    worker = SequenceWorker(scanner.n_rows, scanner.n_classes, scanner.impurity)
    if scanner.groups is not None:
        worker.group_costs = GroupCosts(worker.state, worker.history, scanner.n_rows, scanner.n_classes)
    return worker


cdef int find_cut(
    SequenceScanner scanner, FeatureOrders orders, index_t length, index_t n_features, index_t max_cuts
) except -1 nogil:
    """Find the best cut of the node whose labels are in `labels`, over `features[:n_features]`: in `best`."""
    cdef int64_t n_cuts = <int64_t> n_features * min(max_cuts, length - 1)
    _start_node(scanner, length, n_features)
    if scanner.n_threads > 1 and n_features > 1 and n_cuts * length >= LABELS_FOR_THREADS:
        with gil:
            _scan_on_threads(scanner, orders)
    else:
        _scan_features(scanner, scanner.worker, orders)
    return 0


cdef void _start_node(SequenceScanner scanner, index_t length, index_t n_features) noexcept nogil:
    cdef index_t i
    scanner.length = length
    scanner.n_runs = 0
    for i in range(length):
        if i == 0 or scanner.labels[i] != scanner.labels[i - 1]:
            scanner.runs[scanner.n_runs].symbol = scanner.labels[i]
            scanner.runs[scanner.n_runs].length = 0
            scanner.n_runs += 1
        scanner.runs[scanner.n_runs - 1].length += 1
        scanner.run_of_row[i] = scanner.n_runs - 1
    if _has_groups(scanner):
        scanner.node_cost = cost_of_node(scanner.groups, scanner.worker.group_costs, scanner.labels)
    else:
        scanner.worker.sequence[:length] = scanner.labels[:length]
        scanner.node_cost = length * <int64_t> impurity_of_sequence(scanner, scanner.worker, length, UNLIMITED)
    scanner.n_features = n_features
    scanner.n_taken = 0
    scanner.stops = False
    scanner.best.cost = (<int64_t> length) * length     # more than any cut
    scanner.best.feature = NONE
    scanner.best.n_left = 0
    scanner.best.n_missing_left = 0


cdef inline bint _has_groups(SequenceScanner scanner) noexcept nogil:
    return scanner.groups is not None and scanner.groups.n_groups > 1


cdef index_t impurity_of_sequence(
    SequenceScanner scanner, SequenceWorker worker, index_t length, index_t limit
) noexcept nogil:
    """Return the impurity of `worker.sequence[:length]`; `limit` as soon as it is known to reach it."""
    if scanner.impurity == EFFORT:
        return effort(worker.state, length, scanner.n_classes, limit)
    return complexity(worker.history, length, scanner.n_classes, limit)


# ------------------------------------------------------------------------------------------------------------- threads

cdef int _scan_on_threads(SequenceScanner scanner, FeatureOrders orders) except -1:
    """Scan the features on several threads. The calling one is among them, and alone handles signals."""
    cdef Py_ssize_t n_threads = min(scanner.n_threads, scanner.n_features)
    if scanner.pool is None:
        scanner.pool = ThreadPoolExecutor(scanner.n_threads - 1, "pytrees-scan")
    while len(scanner.workers) < n_threads:
        scanner.workers.append(_new_worker(scanner))
    futures = []
    try:
        for worker in scanner.workers[1:n_threads]:
            futures.append(scanner.pool.submit(_work, scanner, worker, orders))
        _work(scanner, scanner.worker, orders)
        for future in futures:
            future.result()
    except BaseException:
        _acquire(scanner)
        scanner.stops = True
        _release(scanner)
        raise
    finally:
        # No thread may still be at work on this node when the caller goes on.
        wait(futures)
    return 0


def _work(SequenceScanner scanner, SequenceWorker worker, FeatureOrders orders):
    with nogil:
        _scan_features(scanner, worker, orders)


cdef inline void _acquire(SequenceScanner scanner) noexcept nogil:
    if scanner.lock != NULL:
        PyThread_acquire_lock(scanner.lock, WAIT_LOCK)


cdef inline void _release(SequenceScanner scanner) noexcept nogil:
    if scanner.lock != NULL:
        PyThread_release_lock(scanner.lock)


cdef index_t _next_feature(SequenceScanner scanner) noexcept nogil:
    """Return a feature that no thread has taken yet, in ascending order; NONE where there is none, or all are to
    stop."""
    cdef index_t feature = NONE
    _acquire(scanner)
    if scanner.n_taken < scanner.n_features and not scanner.stops:
        feature = scanner.features[scanner.n_taken]
        scanner.n_taken += 1
    _release(scanner)
    return feature


cdef inline bint _comes_first(
    SequenceScanner scanner, index_t feature, index_t n_left, index_t n_missing_left
) noexcept nogil:
    """Whether a cut comes before the best so far where both cost the same.

    That may be one of a higher feature, found by another thread, or of a higher threshold, with missing values on the
    other side.
    """
    if scanner.best.feature != feature:
        return scanner.best.feature > feature
    return scanner.best.n_left - scanner.best.n_missing_left > n_left - n_missing_left


cdef int64_t _highest_cost(
    SequenceScanner scanner, index_t feature, index_t n_left, index_t n_missing_left
) noexcept nogil:
    """Return the cost that this cut must not reach to be the best; 0 where all threads are to stop."""
    cdef int64_t cost
    _acquire(scanner)
    cost = 0 if scanner.stops else scanner.best.cost + _comes_first(scanner, feature, n_left, n_missing_left)
    _release(scanner)
    return cost


cdef void _keep(
    SequenceScanner scanner, index_t feature, index_t n_left, index_t n_missing_left, int64_t cost
) noexcept nogil:
    """Keep the cut where it is the best."""
    _acquire(scanner)
    if cost < scanner.best.cost + _comes_first(scanner, feature, n_left, n_missing_left):
        scanner.best.cost = cost
        scanner.best.feature = feature
        scanner.best.n_left = n_left
        scanner.best.n_missing_left = n_missing_left
    _release(scanner)


# --------------------------------------------------------------------------------------------------------------- scans

cdef int _scan_features(SequenceScanner scanner, SequenceWorker worker, FeatureOrders orders) except -1 nogil:
    cdef index_t feature, n_cuts, n_missing
    while True:
        feature = _next_feature(scanner)
        if feature == NONE:
            return 0
        n_cuts = orders.read(feature, False, &worker.order[0], &worker.cuts[0], &n_missing)
        if n_cuts > 0:
            _scan_feature(scanner, worker, feature, n_cuts, 0)
        if n_missing > 0:
            n_cuts = orders.read(feature, True, &worker.order[0], &worker.cuts[0], &n_missing)
            if n_cuts > 0:
                _scan_feature(scanner, worker, feature, n_cuts, n_missing)


cdef int _scan_feature(
    SequenceScanner scanner, SequenceWorker worker, index_t feature, index_t n_cuts, index_t n_missing_left
) except -1 nogil:
    cdef index_t i, row, n_left = 0, length = scanner.length
    cdef int64_t limit, cost, n_labels = 0
    cdef bint has_groups = _has_groups(scanner), shares = not has_groups and _shares_work(scanner, worker, n_cuts)
    worker.n_left_of_run[:scanner.n_runs] = 0
    worker.is_left[:length + 1] = 0
    worker.is_left[0] = 1
    if has_groups:
        start_cuts(scanner.groups, worker.group_costs)
    if shares:
        _start_children(scanner, worker)
    for i in range(n_cuts):
        # The first n_left rows of the order are on the left.
        while n_left < worker.cuts[i]:
            row = worker.order[n_left]
            n_left += 1
            worker.is_left[row + 1] = 1
            worker.n_left_of_run[scanner.run_of_row[row]] += 1
            if has_groups:
                move_sample(scanner.groups, worker.group_costs, row)
            if shares:
                _move_left(scanner, worker, row)
        limit = _highest_cost(scanner, feature, n_left, n_missing_left)
        if limit == 0:
            return 0
        if has_groups:
            cost = cost_of_cut(scanner.groups, worker.group_costs, scanner.labels, worker.is_left, limit)
        elif shares:
            cost = _shared_cost(scanner, worker, n_left, length - n_left, limit)
        else:
            cost = _plain_cost(scanner, worker, n_left, limit)
        if cost < limit:
            _keep(scanner, feature, n_left, n_missing_left, cost)
        check_signals(&n_labels, length, WORK_BETWEEN_CHECKS)
    return 0


cdef inline bint _has_long_runs(SequenceScanner scanner) noexcept nogil:
    return scanner.n_runs * <int64_t> LONG_RUN < scanner.length


cdef inline bint _shares_work(SequenceScanner scanner, SequenceWorker worker, index_t n_cuts) noexcept nogil:
    """Whether the children of neighbouring cuts share work."""
    if scanner.impurity == COMPLEXITY:
        return has_planes(scanner.length, scanner.n_classes)
    return (
        worker.left is not None
        and <int64_t> n_cuts * ROWS_BETWEEN_CUTS >= scanner.length
        and scanner.length >= SHORT
        and not _has_long_runs(scanner)
    )


cdef inline void _start_children(SequenceScanner scanner, SequenceWorker worker) noexcept nogil:
    """Start with all rows on the right."""
    if scanner.impurity == COMPLEXITY:
        worker.left_rows[:] = 0
        load_planes(worker.left_planes, &scanner.labels[0], 0)
        load_planes(worker.right_planes, &scanner.labels[0], scanner.length)
        return
    _start_child(worker.left, worker.state, scanner.labels, scanner.length, True)
    _start_child(worker.right, worker.state, scanner.labels, scanner.length, False)


cdef inline void _move_left(SequenceScanner scanner, SequenceWorker worker, index_t row) noexcept nogil:
    cdef index_t place = row + 1, before = row, n_before = 0, i
    if scanner.impurity == COMPLEXITY:
        for i in range(row >> 6):
            n_before += popcount(worker.left_rows[i])
        n_before += popcount(worker.left_rows[row >> 6] & ((<uint64_t> 1 << (row & 63)) - 1))
        worker.left_rows[row >> 6] |= <uint64_t> 1 << (row & 63)
        insert_label(worker.left_planes, n_before, scanner.labels[row])
        remove_label(worker.right_planes, row - n_before)
        return
    while not worker.is_left[before]:
        before -= 1
    worker.left.links[0] = Link(place, scanner.labels[row])
    _change(worker.left, before, worker.left.places[0, before].next, 1)
    _change(worker.right, worker.right.places[0, place].previous, worker.right.places[0, place].next, 0)


cdef inline index_t _steps_left(int64_t limit, int64_t cost, index_t length) noexcept nogil:
    """Return the least impurity that takes a child of this length to the limit, on top of the cost."""
    return <index_t> min((limit - cost + length - 1) // length, <int64_t> UNLIMITED)


cdef int64_t _shared_cost(
    SequenceScanner scanner, SequenceWorker worker, index_t n_left, index_t n_right, int64_t limit
) noexcept nogil:
    """Return the cost of the cut at which the children stand, or a lower bound that reaches the limit."""
    cdef int64_t least_left = n_left * <int64_t> _least_impurity(scanner, worker, True)
    cdef int64_t least_right = n_right * <int64_t> _least_impurity(scanner, worker, False)
    cdef int64_t cost = least_left + least_right
    # The longer child comes first: it is the likelier to show that the cut costs too much.
    if cost < limit and n_left > n_right:
        cost += n_left * <int64_t> _child_impurity(
            scanner, worker, True, _steps_left(limit, least_right, n_left)
        ) - least_left
    if cost < limit:
        cost += n_right * <int64_t> _child_impurity(
            scanner, worker, False, _steps_left(limit, cost - least_right, n_right)
        ) - least_right
    if cost < limit and n_left <= n_right:
        cost += n_left * <int64_t> _child_impurity(
            scanner, worker, True, _steps_left(limit, cost - least_left, n_left)
        ) - least_left
    return cost


cdef inline index_t _least_impurity(SequenceScanner scanner, SequenceWorker worker, bint is_left) noexcept nogil:
    """Return a lower bound of a child's impurity that costs no work."""
    if scanner.impurity == COMPLEXITY:
        if is_left:
            return least_complexity(worker.left_planes)
        return least_complexity(worker.right_planes)
    if is_left:
        return _least_effort(worker.left)
    return _least_effort(worker.right)


cdef inline index_t _child_impurity(
    SequenceScanner scanner, SequenceWorker worker, bint is_left, index_t limit
) noexcept nogil:
    """Return a child's impurity; `limit` as soon as it is known to reach it."""
    if scanner.impurity == COMPLEXITY:
        if is_left:
            return complexity_of_planes(worker.left_planes, limit)
        return complexity_of_planes(worker.right_planes, limit)
    if is_left:
        return _child_effort(worker.left, worker.state, limit)
    return _child_effort(worker.right, worker.state, limit)


cdef int64_t _plain_cost(
    SequenceScanner scanner, SequenceWorker worker, index_t n_left, int64_t limit
) noexcept nogil:
    """Return the same from the node's labels or runs."""
    cdef index_t n_right = scanner.length - n_left
    cdef bint left_first = n_left > n_right
    cdef int64_t cost = _plain_child(scanner, worker, left_first, n_left if left_first else n_right, 0, limit)
    if cost < limit:
        cost += _plain_child(scanner, worker, not left_first, n_right if left_first else n_left, cost, limit)
    return cost


cdef int64_t _plain_child(
    SequenceScanner scanner, SequenceWorker worker, bint is_left, index_t child_length, int64_t cost, int64_t limit
) noexcept nogil:
    cdef index_t steps_left = _steps_left(limit, cost, child_length)
    if scanner.impurity == EFFORT and _has_long_runs(scanner):
        return child_length * <int64_t> effort_of_runs(
            worker.state, _take_runs(scanner, worker, is_left), child_length, scanner.n_classes, steps_left
        )
    _take_labels(scanner, worker, is_left)
    return child_length * <int64_t> impurity_of_sequence(scanner, worker, child_length, steps_left)


cdef void _take_labels(SequenceScanner scanner, SequenceWorker worker, bint is_left) noexcept nogil:
    cdef index_t i, written = 0
    # sequence[:written] is the child's part of labels[:i]; what is written behind it is overwritten, and
    # written <= i keeps it inside.
    for i in range(scanner.length):
        worker.sequence[written] = scanner.labels[i]
        written += worker.is_left[i + 1] == is_left


cdef index_t _take_runs(SequenceScanner scanner, SequenceWorker worker, bint is_left) noexcept nogil:
    cdef Run* runs = &worker.state.runs[0]
    cdef index_t i, count, n_runs = 0
    # runs[:n_runs] are what the child keeps of the node's runs so far.
    for i in range(scanner.n_runs):
        count = worker.n_left_of_run[i] if is_left else scanner.runs[i].length - worker.n_left_of_run[i]
        if count == 0:
            continue
        if n_runs > 0 and runs[n_runs - 1].symbol == scanner.runs[i].symbol:
            runs[n_runs - 1].length += count
            continue
        runs[n_runs].symbol = scanner.runs[i].symbol
        runs[n_runs].length = count
        n_runs += 1
    return n_runs


# ---------------------------------------------------------------------------------------------------- levels: building

cdef inline void _start_child(
    ChildSequence child, PairSubstitution state, const index_t[::1] labels, index_t n_rows, bint is_empty
) noexcept nogil:
    """Start with the sequence of all labels, at places 1 to n_rows, or with none of them yet."""
    cdef index_t i
    child.n_rows = n_rows
    child.n_levels = 1
    for i in range(n_rows):
        state.sequence[i] = labels[i]
        child.flat_places[i] = i + 1
    _link_level(child, state, 0, 0 if is_empty else n_rows)


cdef inline void _build_level(ChildSequence child, PairSubstitution state) noexcept nogil:
    """Build the level above the highest one, which is loaded; then the new one is."""
    cdef index_t level = child.n_levels - 1, length
    cdef const SequenceLevel* below = &child.levels[level]
    length = replace_pair[index_t](
        &state.sequence[0], &child.flat_places[0], below.length, below.left, below.right, child.n_classes + level
    )
    child.n_levels += 1
    _link_level(child, state, level + 1, length)


cdef inline void _load(ChildSequence child, index_t level, PairSubstitution state) noexcept nogil:
    """Write a level's symbols to state.sequence, and their places to `flat_places`."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t i, at = HEAD
    for i in range(child.levels[level].length):
        at = places[at].next
        state.sequence[i] = places[at].symbol
        child.flat_places[i] = at


cdef inline void _link_level(
    ChildSequence child, PairSubstitution state, index_t level, index_t length
) noexcept nogil:
    """Undo _load: link what is loaded; and count its pairs."""
    cdef Place* places = &child.places[level, 0]
    cdef index_t* counts = &child.counts[level, 0]
    cdef index_t i, place, right, same, last = HEAD, left = HEAD_SYMBOL, tail = child.n_rows + 1
    cdef index_t overlaps = 0, n_distinct = -1      # the first pair is that of an end
    memset(counts, 0, TABLE_SIDE * TABLE_SIDE * sizeof(index_t))
    # overlaps: the pair that ends at `left`, at the place `last`, was counted, and is a pair of equal symbols.
    for i in range(length):
        place = child.flat_places[i]
        right = state.sequence[i]
        places[last].next = place
        places[place].previous = last
        places[place].symbol = right
        same = left == right
        n_distinct += counts[left * TABLE_SIDE + right] == 0
        counts[left * TABLE_SIDE + right] += 1 - (same & overlaps)
        overlaps = same & (1 - overlaps)
        last = place
        left = right
    counts[left * TABLE_SIDE + TAIL_SYMBOL] = 1
    places[last].next = tail
    places[HEAD].previous = tail
    places[HEAD].symbol = HEAD_SYMBOL
    places[tail].previous = last
    places[tail].next = HEAD
    places[tail].symbol = TAIL_SYMBOL
    child.levels[level].length = length
    child.levels[level].n_distinct = n_distinct
    _find_top(child, level)


cdef inline void _count_pairs(
    ChildSequence child, index_t level, index_t at, index_t stop, index_t overlaps, index_t n_further, index_t sign
) noexcept nogil:
    """Count the pairs between two places, and those of the n_further symbols that continue the run of the second one;
    with sign -1 instead of 1, undo that. overlaps: the pair that ends at the first place was counted, and is a pair of
    equal symbols."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t* counts = &child.counts[level, 0]
    cdef index_t left = places[at].symbol, right, same, pair, counted, n_distinct = 0
    cdef index_t rival = child.levels[level].rival
    cdef index_t top = child.levels[level].left * TABLE_SIDE + child.levels[level].right
    # overlaps: as above, for `at`, whose symbol is `left`.
    while at != stop:
        at = places[at].next
        right = places[at].symbol
        same = left == right
        pair = left * TABLE_SIDE + right
        counted = 1 - (same & overlaps)
        n_distinct += counted & (counts[pair] == (sign < 0))
        counts[pair] += sign * counted
        rival = max(rival, counts[pair] & -<index_t> (pair != top))
        overlaps = same & (1 - overlaps)
        left = right
    pair = left * (TABLE_SIDE + 1)
    n_further = (n_further + 1 - overlaps) >> 1
    n_distinct += (n_further > 0) & (counts[pair] == (n_further if sign < 0 else 0))
    counts[pair] += sign * n_further
    child.levels[level].n_distinct += sign * n_distinct
    if sign > 0:
        child.levels[level].rival = max(rival, counts[pair] & -<index_t> (pair != top))


cdef inline void _find_top(ChildSequence child, index_t level) noexcept nogil:
    """Find the most frequent pair, of several the one met first from the left, and the count of its strongest rival.
    Where all pairs occur once, no pair is looked for."""
    cdef index_t* counts = &child.counts[level, 0]
    cdef const Place* places = &child.places[level, 0]
    cdef index_t i, pair, at, top = 0, rival = 0, n_counts = (child.n_classes + level) * TABLE_SIDE
    for i in range(n_counts):
        top = max(top, counts[i])
    child.levels[level].count = top
    if top <= 1:
        child.levels[level].rival = top
        return
    at = places[HEAD].next
    while True:
        pair = places[at].symbol * TABLE_SIDE + places[places[at].next].symbol
        if counts[pair] == top:
            break
        at = places[at].next
    child.levels[level].left = pair // TABLE_SIDE
    child.levels[level].right = pair % TABLE_SIDE
    counts[pair] = 0
    for i in range(n_counts):
        rival = max(rival, counts[i])
    counts[pair] = top
    child.levels[level].rival = rival


# ----------------------------------------------------------------------------------------- levels: a row comes or goes

cdef inline void _change(ChildSequence child, index_t before, index_t after, index_t n_links) noexcept nogil:
    """Put links[:n_links] in the place of all that stands between the places `before` and `after`; on all levels."""
    cdef index_t level = 0, first_link = 0, at, overlaps, n_further, last
    while True:
        # Of a run, counted from its left end, every second pair counts: overlaps says whether the one that ends at
        # `before` does.
        overlaps = 0
        at = before
        while child.places[level, child.places[level, at].previous].symbol == child.places[level, at].symbol:
            at = child.places[level, at].previous
            overlaps ^= 1
        n_further = 0
        last = after
        while child.places[level, child.places[level, last].next].symbol == child.places[level, last].symbol:
            last = child.places[level, last].next
            n_further += 1
        _count_pairs(child, level, before, after, overlaps, n_further, -1)
        _splice(child, level, before, after, first_link, n_links)
        _count_pairs(child, level, before, after, overlaps, n_further, 1)
        if not _keeps_top(child, level):
            child.n_levels = level + 1
        if level + 1 == child.n_levels:
            return
        n_links = _rewrite(child, level, overlaps, last, &before, &after)
        level += 1
        first_link = _trim(child, level, &before, &after, &n_links)
        if n_links == 0 and child.places[level, before].next == after:
            return


cdef inline bint _keeps_top(ChildSequence child, index_t level) noexcept nogil:
    cdef index_t left = child.levels[level].left, right = child.levels[level].right
    cdef index_t count = child.counts[level, left * TABLE_SIDE + right]
    if count > child.levels[level].rival:
        child.levels[level].count = count
        return True
    _find_top(child, level)
    return child.levels[level].count > 1 and child.levels[level].left == left and child.levels[level].right == right


cdef inline void _splice(
    ChildSequence child, index_t level, index_t before, index_t after, index_t first_link, index_t n_links
) noexcept nogil:
    cdef Place* places = &child.places[level, 0]
    cdef index_t i, place, at = places[before].next
    child.levels[level].length += n_links
    while at != after:
        child.levels[level].length -= 1
        at = places[at].next
    at = before
    for i in range(first_link, first_link + n_links):
        place = child.links[i].place
        places[place].symbol = child.links[i].symbol
        places[place].previous = at
        places[at].next = place
        at = place
    places[at].next = after
    places[after].previous = at


cdef inline index_t _parse(ChildSequence child, index_t level, index_t at, index_t* symbol) noexcept nogil:
    """Find the symbol that stands at this place on the next level; return the next place that holds one there."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t following = places[at].next, here = places[at].symbol
    cdef index_t starts = -<index_t> (
        (here == child.levels[level].left) & (places[following].symbol == child.levels[level].right)
    )
    # Without branches: where the pair stands cannot be predicted.
    symbol[0] = here ^ ((here ^ (child.n_classes + level)) & starts)
    return following ^ ((following ^ places[following].next) & starts)


cdef inline index_t _rewrite(
    ChildSequence child, index_t level, index_t overlaps, index_t last, index_t* before, index_t* after
) noexcept nogil:
    """Write what the change of a level, between the places `before` and `after`, makes of the next one to `links`, and
    between which places of that level it does. `last` ends the run of `after`."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t left = child.levels[level].left, right = child.levels[level].right
    cdef index_t n_links = 0, at = before[0]
    # Start with a whole symbol of the next level, whatever stands behind `before`.
    if places[at].symbol == right and places[places[at].previous].symbol == left and (left != right or overlaps):
        at = places[at].previous
    if at == HEAD:
        before[0] = HEAD
        at = places[HEAD].next
    else:
        before[0] = child.places[level + 1, at].previous
    # Where pairs of equal symbols are replaced, the change may shift those of the whole run.
    if left != right or places[last].symbol != left:
        last = after[0]
    while at <= last and at <= child.n_rows:
        child.links[n_links].place = at
        at = _parse(child, level, at, &child.links[n_links].symbol)
        n_links += 1
    after[0] = at
    return n_links


cdef inline index_t _trim(
    ChildSequence child, index_t level, index_t* before, index_t* after, index_t* n_links
) noexcept nogil:
    """Leave out links that say what is there, at both ends; returns the first that is left."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t at, first = 0
    while n_links[0] > 0:
        at = places[before[0]].next
        if child.links[first].place != at or child.links[first].symbol != places[at].symbol:
            break
        before[0] = at
        first += 1
        n_links[0] -= 1
    while n_links[0] > 0:
        at = places[after[0]].previous
        if (
            child.links[first + n_links[0] - 1].place != at
            or child.links[first + n_links[0] - 1].symbol != places[at].symbol
        ):
            break
        after[0] = at
        n_links[0] -= 1
    return first


# ------------------------------------------------------------------------------------------------------ levels: effort

cdef inline index_t _least_effort(ChildSequence child) noexcept nogil:
    """Return a lower bound of the effort: with d different pairs at least d - 1 steps follow."""
    cdef index_t level, n_distinct, bound = 0
    if child.levels[0].length < 2:
        return 0
    for level in range(child.n_levels):
        n_distinct = child.levels[level].n_distinct
        bound = max(bound, level + n_distinct - 1)
        # Where it is constant no further step is done, though there may be a level above.
        if n_distinct <= 1:
            break
    return bound


cdef inline index_t _child_effort(ChildSequence child, PairSubstitution state, index_t limit) noexcept nogil:
    """Count steps until the sequence is constant; return `limit` as soon as they are known to reach it."""
    cdef index_t level = 0
    cdef bint is_loaded = False
    cdef const SequenceLevel* here
    if child.levels[0].length < 2:
        return 0
    while True:
        here = &child.levels[level]
        if level + here.n_distinct - 1 >= limit:
            return limit
        if _is_constant(child, level):
            return level
        if here.count == 1:
            return min(level + here.length - 1, limit)
        if level + 1 == child.n_levels:
            if not is_loaded:
                _load(child, level, state)
                is_loaded = True
            if level + 1 == MAX_LEVELS or here.count * LEVEL_SHARE < here.length:
                return level + effort(state, here.length, child.n_classes + level, limit - level)
            _build_level(child, state)
        level += 1


cdef inline bint _is_constant(ChildSequence child, index_t level) noexcept nogil:
    """Whether there is one pair only, of equal symbols; there are two symbols or more."""
    cdef const Place* places = &child.places[level, 0]
    return child.levels[level].n_distinct == 1 and (
        places[places[HEAD].next].symbol == places[places[child.n_rows + 1].previous].symbol
    )
