"""Best split of one node by the Effort-To-Compress of its children's label sequences.

A cut costs the sum over its children of their length times their effort. Of one node, the cut of least cost gains most;
of equal ones that of the lowest feature, then of the fewest rows on the left. A cut is given up as soon as it is known
to cost too much. Neighbouring cuts share their first substitutions (shared_steps.pxd), and features are scanned on
several threads where the scan is long: they share the best cut so far, which rules out only what is not before it.
"""

from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
)

from pytrees._core.sequence.substitution cimport PairSubstitution, Run, effort, effort_of_runs
from pytrees._core.sequence.shared_steps cimport (
    MAX_LEVELS,
    MAX_SHARED_CLASSES,
    TABLE_SIDE,
    child_effort,
    insert_row,
    least_effort,
    remove_row,
    start_child,
)
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t

cdef enum:
    # Labels of the children tried between two looks at the keyboard: some tenths of a second.
    LABELS_BETWEEN_SIGNALS = 10000000
    # Labels of the children of a node, over all cuts, from which on threads pay: about a millisecond.
    LABELS_FOR_THREADS = 300000
    # Neighbouring cuts share steps where few rows lie between them and the sequence is neither short nor made of runs
    # of, on average, more labels than this.
    ROWS_BETWEEN_CUTS = 16
    SHORT = 200
    LONG_RUN = 4

_PLACE = np.dtype([(name, np.int32) for name in ("previous", "next", "symbol")])
_RUN = np.dtype([(name, np.int32) for name in ("symbol", "length")])
_LINK = np.dtype([(name, np.int32) for name in ("place", "symbol")])
_LEVEL = np.dtype([(name, np.int32) for name in ("length", "n_distinct", "left", "right", "count", "rival")])


cdef class FeatureOrders:
    cdef index_t read(self, index_t feature, index_t* order, index_t* cuts) noexcept nogil:
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
    def __cinit__(self, Py_ssize_t n_rows, index_t n_classes):
        self.state = PairSubstitution(n_rows, n_classes)
        self.order = np.empty(n_rows, dtype=np.int32)
        self.cuts = np.empty(n_rows, dtype=np.int32)
        self.n_left_of_run = np.empty(n_rows, dtype=np.int32)
        self.is_left = np.empty(n_rows + 1, dtype=np.uint8)
        if n_classes <= MAX_SHARED_CLASSES:
            self.left = ChildSequence(n_rows, n_classes)
            self.right = ChildSequence(n_rows, n_classes)


@cython.final
cdef class SequenceScanner:
    def __cinit__(self, Py_ssize_t n_rows, Py_ssize_t n_features, index_t n_classes, index_t n_threads):
        self.n_rows = <index_t> n_rows
        self.n_classes = n_classes
        self.n_threads = n_threads
        self.labels = np.empty(n_rows, dtype=np.int32)
        self.features = np.empty(n_features, dtype=np.int32)
        self.runs = np.empty(n_rows, dtype=_RUN)
        self.run_of_row = np.empty(n_rows, dtype=np.int32)
        self.worker = SequenceWorker(n_rows, n_classes)
        self.workers = [self.worker]
        self.pool = None
        self.lock = NULL
        if n_threads > 1:
            self.lock = PyThread_allocate_lock()
            if self.lock == NULL:
                raise MemoryError()

    def __dealloc__(self):
        if self.lock != NULL:
            PyThread_free_lock(self.lock)


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
    scanner.worker.state.sequence[:length] = scanner.labels[:length]
    scanner.node_effort = effort(scanner.worker.state, length, scanner.n_classes, UNLIMITED)
    scanner.n_features = n_features
    scanner.n_taken = 0
    scanner.stops = False
    scanner.best.cost = (<int64_t> length) * length     # more than any cut
    scanner.best.feature = NONE
    scanner.best.n_left = 0


# ------------------------------------------------------------------------------------------------------------- threads

cdef int _scan_on_threads(SequenceScanner scanner, FeatureOrders orders) except -1:
    """The calling thread is one of them, and the only one to look at the keyboard."""
    cdef Py_ssize_t n_threads = min(scanner.n_threads, scanner.n_features)
    if scanner.pool is None:
        scanner.pool = ThreadPoolExecutor(scanner.n_threads - 1, "pytrees-scan")
    while len(scanner.workers) < n_threads:
        scanner.workers.append(SequenceWorker(scanner.n_rows, scanner.n_classes))
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
    """A feature that no thread has taken yet, in ascending order; NONE where there is none, or all are to stop."""
    cdef index_t feature = NONE
    _acquire(scanner)
    if scanner.n_taken < scanner.n_features and not scanner.stops:
        feature = scanner.features[scanner.n_taken]
        scanner.n_taken += 1
    _release(scanner)
    return feature


cdef int64_t _highest_cost(SequenceScanner scanner, index_t feature) noexcept nogil:
    """The cost that a further cut of this feature must not reach to be the best; 0 where all threads are to stop.

    The best cut so far may be one of a higher feature, found by another thread: then an equal one comes before it.
    """
    cdef int64_t cost
    _acquire(scanner)
    cost = 0 if scanner.stops else scanner.best.cost + (scanner.best.feature > feature)
    _release(scanner)
    return cost


cdef void _keep(SequenceScanner scanner, index_t feature, index_t n_left, int64_t cost) noexcept nogil:
    """Keep the cut where it is the best; cuts of one feature come in ascending order."""
    _acquire(scanner)
    if cost < scanner.best.cost + (scanner.best.feature > feature):
        scanner.best.cost = cost
        scanner.best.feature = feature
        scanner.best.n_left = n_left
    _release(scanner)


# -------------------------------------------------------------------------------------------------------------- scans

cdef int _scan_features(SequenceScanner scanner, SequenceWorker worker, FeatureOrders orders) except -1 nogil:
    cdef index_t feature, n_cuts
    while True:
        feature = _next_feature(scanner)
        if feature == NONE:
            return 0
        n_cuts = orders.read(feature, &worker.order[0], &worker.cuts[0])
        if n_cuts > 0:
            _scan_feature(scanner, worker, feature, n_cuts)


cdef int _scan_feature(
    SequenceScanner scanner, SequenceWorker worker, index_t feature, index_t n_cuts
) except -1 nogil:
    cdef index_t i, row, n_left = 0, length = scanner.length
    cdef int64_t limit, cost, n_labels = 0
    cdef bint shares = (
        worker.left is not None
        and <int64_t> n_cuts * ROWS_BETWEEN_CUTS >= length
        and length >= SHORT
        and not _has_long_runs(scanner)
    )
    worker.n_left_of_run[:scanner.n_runs] = 0
    worker.is_left[:length + 1] = 0
    worker.is_left[0] = 1
    if shares:
        start_child(worker.left, worker.state, scanner.labels, length, True)
        start_child(worker.right, worker.state, scanner.labels, length, False)
    for i in range(n_cuts):
        # The first n_left rows of the order are on the left.
        while n_left < worker.cuts[i]:
            row = worker.order[n_left]
            n_left += 1
            worker.is_left[row + 1] = 1
            worker.n_left_of_run[scanner.run_of_row[row]] += 1
            if shares:
                _move_left(scanner, worker, row + 1)
        limit = _highest_cost(scanner, feature)
        if limit == 0:
            return 0
        if shares:
            cost = _shared_cost(worker, n_left, length - n_left, limit)
        else:
            cost = _plain_cost(scanner, worker, n_left, limit)
        if cost < limit:
            _keep(scanner, feature, n_left, cost)
        n_labels += length
        if n_labels >= LABELS_BETWEEN_SIGNALS:
            n_labels = 0
            with gil:
                PyErr_CheckSignals()
    return 0


cdef inline bint _has_long_runs(SequenceScanner scanner) noexcept nogil:
    return scanner.n_runs * <int64_t> LONG_RUN < scanner.length


cdef inline void _move_left(SequenceScanner scanner, SequenceWorker worker, index_t place) noexcept nogil:
    cdef index_t before = place - 1
    while not worker.is_left[before]:
        before -= 1
    insert_row(worker.left, before, place, scanner.labels[place - 1])
    remove_row(worker.right, place)


cdef inline index_t _steps_left(int64_t limit, int64_t cost, index_t length) noexcept nogil:
    """The least effort that takes a child of this length to the limit, on top of the cost."""
    return <index_t> min((limit - cost + length - 1) // length, <int64_t> UNLIMITED)


cdef int64_t _shared_cost(SequenceWorker worker, index_t n_left, index_t n_right, int64_t limit) noexcept nogil:
    """Cost of the cut at which the children stand, or a lower bound that reaches the limit."""
    cdef int64_t least_left = n_left * <int64_t> least_effort(worker.left)
    cdef int64_t least_right = n_right * <int64_t> least_effort(worker.right)
    cdef int64_t cost = least_left + least_right
    # The longer child comes first: it is the likelier to show that the cut costs too much.
    if cost < limit and n_left > n_right:
        cost += n_left * <int64_t> child_effort(
            worker.left, worker.state, _steps_left(limit, least_right, n_left)
        ) - least_left
    if cost < limit:
        cost += n_right * <int64_t> child_effort(
            worker.right, worker.state, _steps_left(limit, cost - least_right, n_right)
        ) - least_right
    if cost < limit and n_left <= n_right:
        cost += n_left * <int64_t> child_effort(
            worker.left, worker.state, _steps_left(limit, cost - least_left, n_left)
        ) - least_left
    return cost


cdef int64_t _plain_cost(
    SequenceScanner scanner, SequenceWorker worker, index_t n_left, int64_t limit
) noexcept nogil:
    """The same from the node's labels or runs."""
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
    if _has_long_runs(scanner):
        return child_length * <int64_t> effort_of_runs(
            worker.state, _take_runs(scanner, worker, is_left), child_length, scanner.n_classes, steps_left
        )
    _take_labels(scanner, worker, is_left)
    return child_length * <int64_t> effort(worker.state, child_length, scanner.n_classes, steps_left)


cdef void _take_labels(SequenceScanner scanner, SequenceWorker worker, bint is_left) noexcept nogil:
    cdef index_t i, written = 0
    # sequence[:written] is the child's part of labels[:i]; what is written behind it is overwritten, and
    # written <= i keeps it inside.
    for i in range(scanner.length):
        worker.state.sequence[written] = scanner.labels[i]
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


# ------------------------------------------------------------------------------------------------------- from Python

@cython.final
cdef class _GivenOrders(FeatureOrders):
    cdef const index_t[:, ::1] orders
    cdef index_t[::1] cuts, offsets

    def __cinit__(self, const index_t[:, ::1] orders, cuts):
        cdef Py_ssize_t n_rows = orders.shape[1]
        for order in np.asarray(orders):
            if sorted(order) != list(range(n_rows)):
                raise ValueError(f"An order of {n_rows} rows must name each of them once.")
        for of_feature in cuts:
            if list(of_feature) != sorted(set(of_feature) & set(range(1, n_rows))):
                raise ValueError(f"Cuts must ascend, and leave some of {n_rows} rows on both sides.")
        self.orders = orders
        self.cuts = np.array([cut for of_feature in cuts for cut in of_feature], dtype=np.int32)
        self.offsets = np.cumsum([0, *map(len, cuts)], dtype=np.int32)

    cdef index_t read(self, index_t feature, index_t* order, index_t* cuts) noexcept nogil:
        cdef index_t i, first = self.offsets[feature], n_cuts = self.offsets[feature + 1] - first
        for i in range(n_cuts):
            cuts[i] = self.cuts[first + i]
        for i in range(<index_t> self.orders.shape[1]):
            order[i] = self.orders[feature, i]
        return n_cuts


def best_sequence_cut(const index_t[::1] labels, index_t n_classes, const index_t[:, ::1] orders, cuts, index_t n_threads=1):
    """(cost, feature, rows on the left) of the best cut, or None where there is none.

    `orders` holds for every feature the rows in ascending order, `cuts` the numbers of rows that a cut may send left.
    """
    cdef Py_ssize_t length = labels.shape[0], n_features = orders.shape[0]
    if orders.shape[1] != length or len(cuts) != n_features:
        raise ValueError("Every feature needs an order of all rows, and its cuts.")
    if length == 0 or not 0 <= np.min(labels) <= np.max(labels) < n_classes:
        raise ValueError(f"Labels must be codes 0..{n_classes - 1}.")
    cdef _GivenOrders given = _GivenOrders(orders, cuts)
    cdef SequenceScanner scanner = SequenceScanner(length, n_features, n_classes, n_threads)
    scanner.labels[:] = labels
    scanner.features = np.arange(n_features, dtype=np.int32)
    _start_node(scanner, <index_t> length, <index_t> n_features)
    if n_threads > 1:
        _scan_on_threads(scanner, given)
    else:
        _scan_features(scanner, scanner.worker, given)
    if scanner.best.feature == NONE:
        return None
    return scanner.best.cost, scanner.best.feature, scanner.best.n_left
