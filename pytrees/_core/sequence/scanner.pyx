"""The best cut of a node by the impurity of its children's label sequences.

The cost of a child is its number of rows times the impurity of its sequence; the cost of a cut is the sum of its
children's costs. The cut of least cost gains most. Ties go to the lowest feature, then to the lowest threshold, then to
missing values on the right. The cuts of a feature are scanned twice: with missing values on the right, then on the
left. A cut is given up as soon as it is known to cost more than the best cut so far.

Features are scanned on several threads if the scan is long. The threads share the best cut so far. A cut that wins ties
with it may cost as much, any other cut must cost less; so the result does not depend on the threads' pace. `impurities`
has all that depends on the criterion.
"""

import numpy as np

cimport cython
from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
)

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t
from pytrees._core.sequence.groups cimport GroupCosts, NodeGroups, cost_of_cut, cost_of_node, move_sample, start_cuts
from pytrees._core.sequence.impurities cimport (
    ImpurityMemory, SequenceImpurity, children_share_work, fetch_row, impurity_of, impurity_of_child, impurity_of_runs,
    least_of_child, move_left, start_children, steps_left, take_child, takes_runs,
)
from pytrees._core.sequence.substitution cimport Run

from pytrees._core.base.threads import Stop, work_together

cdef enum:
    # Threads pay from this number on of labels of a node's children, over all cuts: about a millisecond.
    LABELS_FOR_THREADS = 300000
    # Runs are long if they have, on average, more labels than this.
    LONG_RUN = 4
    # Memory for a row is fetched while so many rows before it move.
    ROWS_AHEAD = 4
    # Work of a label, in units of WORK_BETWEEN_CHECKS.
    WORK_OF_A_LABEL = 8

_RUN = np.dtype([(name, np.int32) for name in ("symbol", "length")])


cdef class FeatureOrders:
    cdef index_t read(
        self, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing
    ) noexcept nogil:
        return 0


@cython.final
cdef class SequenceWorker:
    def __cinit__(self, Py_ssize_t n_rows, index_t n_classes, SequenceImpurity impurity):
        self.order = np.empty(n_rows, dtype=np.int32)
        self.cuts = np.empty(n_rows, dtype=np.int32)
        self.n_left_of_run = np.empty(n_rows, dtype=np.int32)
        self.is_left = np.empty(n_rows + 1, dtype=np.uint8)
        self.memory = ImpurityMemory(n_rows, n_classes, impurity)
        self.sequence = self.memory.sequence


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
        worker.group_costs = GroupCosts(worker.memory, scanner.n_rows)
    return worker


cdef int find_cut(
    SequenceScanner scanner, FeatureOrders orders, index_t length, index_t n_features, index_t max_cuts
) except -1 nogil:
    """Find the best cut of the node whose labels are in `labels`, over `features[:n_features]`; write it to `best`."""
    cdef int64_t n_cuts = <int64_t> n_features * min(max_cuts, length - 1)
    _start_node(scanner, length, n_features)
    if scanner.n_threads > 1 and n_features > 1 and n_cuts * length >= LABELS_FOR_THREADS:
        with gil:
            _scan_on_threads(scanner, orders)
    else:
        _scan_features(scanner, scanner.worker, orders)


cdef int _start_node(SequenceScanner scanner, index_t length, index_t n_features) except -1 nogil:
    cdef index_t i
    scanner.length = length
    scanner.n_runs = 0
    for i in range(length):
        if i == 0 or scanner.labels[i] != scanner.labels[i - 1]:
            scanner.runs[scanner.n_runs] = Run(scanner.labels[i], 0)
            scanner.n_runs += 1
        scanner.runs[scanner.n_runs - 1].length += 1
        scanner.run_of_row[i] = scanner.n_runs - 1
    if _has_groups(scanner):
        scanner.node_cost = cost_of_node(scanner.groups, scanner.worker.group_costs, scanner.labels)
    else:
        scanner.worker.sequence[:length] = scanner.labels[:length]
        scanner.node_cost = length * <int64_t> impurity_of(scanner.worker.memory, length, UNLIMITED)
    scanner.n_features = n_features
    scanner.n_taken = 0
    scanner.stops = False
    scanner.best = Cut((<int64_t> length) * length, NONE, 0, 0)    # more than any cut


cdef inline bint _has_groups(SequenceScanner scanner) noexcept nogil:
    return scanner.groups is not None and scanner.groups.n_groups > 1


# ------------------------------------------------------------------------------------------------------------- threads

cdef int _scan_on_threads(SequenceScanner scanner, FeatureOrders orders) except -1:
    """Scan the features on several threads. The calling thread is one of them; only this one handles signals."""
    cdef Py_ssize_t n_threads = min(scanner.n_threads, scanner.n_features)
    while len(scanner.workers) < n_threads:
        scanner.workers.append(_new_worker(scanner))
    work_together(Stop(), _work, [(scanner, worker, orders) for worker in scanner.workers[:n_threads]])


def _work(SequenceScanner scanner, SequenceWorker worker, FeatureOrders orders):
    try:
        with nogil:
            _scan_features(scanner, worker, orders)
    except BaseException:
        _acquire(scanner)
        scanner.stops = True
        _release(scanner)
        raise


cdef inline void _acquire(SequenceScanner scanner) noexcept nogil:
    if scanner.lock != NULL:
        PyThread_acquire_lock(scanner.lock, WAIT_LOCK)


cdef inline void _release(SequenceScanner scanner) noexcept nogil:
    if scanner.lock != NULL:
        PyThread_release_lock(scanner.lock)


cdef index_t _next_feature(SequenceScanner scanner) noexcept nogil:
    """Return the lowest feature that no thread has taken; NONE if none is left, or if all threads are to stop."""
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
    """Whether a cut wins a tie with the best cut so far.

    The best cut may be of a higher feature, which another thread scans, or at a higher threshold of the same feature,
    with missing values on the other side.
    """
    if scanner.best.feature != feature:
        return scanner.best.feature > feature
    return scanner.best.n_left - scanner.best.n_missing_left > n_left - n_missing_left


cdef int64_t _highest_cost(
    SequenceScanner scanner, index_t feature, index_t n_left, index_t n_missing_left
) noexcept nogil:
    """Return the cost below which this cut is the best; 0 if all threads are to stop."""
    cdef int64_t cost
    _acquire(scanner)
    cost = 0 if scanner.stops else scanner.best.cost + _comes_first(scanner, feature, n_left, n_missing_left)
    _release(scanner)
    return cost


cdef void _keep(
    SequenceScanner scanner, index_t feature, index_t n_left, index_t n_missing_left, int64_t cost
) noexcept nogil:
    _acquire(scanner)
    if cost < scanner.best.cost + _comes_first(scanner, feature, n_left, n_missing_left):
        scanner.best = Cut(cost, feature, n_left, n_missing_left)
    _release(scanner)


# --------------------------------------------------------------------------------------------------------------- scans

cdef int _scan_features(SequenceScanner scanner, SequenceWorker worker, FeatureOrders orders) except -1 nogil:
    cdef index_t feature, n_cuts, n_missing
    while True:
        feature = _next_feature(scanner)
        if feature == NONE:
            return 0
        check_signals(&worker.unchecked, WORK_OF_A_LABEL * <int64_t> scanner.length, WORK_BETWEEN_CHECKS)
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
    cdef int64_t limit, cost
    cdef bint has_groups = _has_groups(scanner), shares = not has_groups and children_share_work(
        worker.memory, length, n_cuts, _has_long_runs(scanner)
    )
    worker.n_left_of_run[:scanner.n_runs] = 0
    worker.is_left[:length + 1] = 0
    worker.is_left[0] = 1
    if has_groups:
        start_cuts(scanner.groups, worker.group_costs)
    if shares:
        start_children(worker.memory, scanner.labels, length)
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
                if n_left + ROWS_AHEAD <= worker.cuts[n_cuts - 1]:
                    fetch_row(worker.memory, worker.order[n_left + ROWS_AHEAD - 1])
                move_left(worker.memory, row, scanner.labels[row], &worker.is_left[0])
        limit = _highest_cost(scanner, feature, n_left, n_missing_left)
        if limit == 0:
            return 0
        if has_groups:
            cost = cost_of_cut(scanner.groups, worker.group_costs, scanner.labels, worker.is_left, limit)
        else:
            cost = _cost(scanner, worker, n_left, shares, limit)
        if cost < limit:
            _keep(scanner, feature, n_left, n_missing_left, cost)
        check_signals(&worker.unchecked, WORK_OF_A_LABEL * <int64_t> length, WORK_BETWEEN_CHECKS)


cdef inline bint _has_long_runs(SequenceScanner scanner) noexcept nogil:
    return scanner.n_runs * <int64_t> LONG_RUN < scanner.length


cdef int64_t _cost(
    SequenceScanner scanner, SequenceWorker worker, index_t n_left, bint shares, int64_t limit
) except -1 nogil:
    """Return the cost of a cut, or a lower bound that reaches the limit."""
    cdef index_t turn, length, n_right = scanner.length - n_left
    cdef bint is_left
    cdef int64_t least_left = 0, least_right = 0, least, cost
    if shares:
        least_left = n_left * <int64_t> least_of_child(worker.memory, True)
        least_right = n_right * <int64_t> least_of_child(worker.memory, False)
    cost = least_left + least_right
    # The longer child comes first: it is more likely to show that the cut costs too much.
    for turn in range(2):
        if cost >= limit:
            break
        is_left = (n_left > n_right) == (turn == 0)
        length = n_left if is_left else n_right
        least = least_left if is_left else least_right
        cost += length * <int64_t> _child_impurity(
            scanner, worker, is_left, length, shares, steps_left(limit, cost - least, length)
        ) - least
    return cost


cdef inline index_t _child_impurity(
    SequenceScanner scanner, SequenceWorker worker, bint is_left, index_t length, bint shares, index_t limit
) except -1 nogil:
    """Return a child's impurity; `limit` as soon as it is known to reach it."""
    if shares:
        return impurity_of_child(worker.memory, is_left, limit)
    if takes_runs(worker.memory) and _has_long_runs(scanner):
        return impurity_of_runs(worker.memory, _take_runs(scanner, worker, is_left), length, limit)
    take_child(scanner.labels, worker.is_left, is_left, 0, scanner.length, worker.sequence)
    return impurity_of(worker.memory, length, limit)


cdef index_t _take_runs(SequenceScanner scanner, SequenceWorker worker, bint is_left) noexcept nogil:
    """Write the runs of a child, where neighbouring runs of one label join; return their number."""
    cdef Run* runs = &worker.memory.substitution.runs[0]
    cdef index_t i, count, n_runs = 0
    # runs[:n_runs] are the child's parts of the node's runs so far.
    for i in range(scanner.n_runs):
        count = worker.n_left_of_run[i] if is_left else scanner.runs[i].length - worker.n_left_of_run[i]
        if count == 0:
            continue
        if n_runs > 0 and runs[n_runs - 1].symbol == scanner.runs[i].symbol:
            runs[n_runs - 1].length += count
            continue
        runs[n_runs] = Run(scanner.runs[i].symbol, count)
        n_runs += 1
    return n_runs
