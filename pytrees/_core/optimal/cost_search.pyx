"""The search for the cheapest tree: its samples, a node for every level of the recursion, and single splits.

*Terms.* A row is a sample or, if many samples are equal, a distinct pair of a sample and a class. A column is a feature
or, for missing values and categories, one of several for a feature; rows compare by ranks. Every error costs the weight
of its row, or the weight times an entry of a matrix, and every leaf costs `leaf_cost`. An error is inevitable if equal
rows have different classes.

*One split.* A stump is a tree with one split. The columns come in the order of the costs of their best stumps.
"""

import time

import numpy as np

cimport cython
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport popcount
from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport STOPPED, check_limits
from pytrees._core.minimal.problem import check_codes, groups_of
from pytrees._core.minimal.sets cimport add_bit, close_table, find_item, open_table, take_item, words_for

cdef enum:
    BYTES_OF_VECTOR = 16
    N_RECENT = 128                  # sets with the same number of levels that a set is compared with

# Equal rows are one row if this share of all rows remains, or less. Rows that are samples have weight 1, which is
# faster.
SHARE_OF_DISTINCT = 0.75


@cython.final
cdef class CostSearch:
    """Rows, the costs of their errors, and the nodes that are being searched."""

    def __cinit__(
        self, ranks, labels, weights, Py_ssize_t n_classes, matrix, int64_t leaf_cost, index_t least_samples, bint
        limits_leaves, float64_t deadline, memory_limit,
    ):
        memset(&self.nodes[0], 0, sizeof(self.nodes))
        memset(&self.recent[0], 0, sizeof(self.recent))
        self.ranks, self.labels, self.weights, self.n_classes = ranks, labels, weights, n_classes
        self.n_columns, self.n_rows = ranks.shape
        if matrix is not None:
            if n_classes < 3 or np.shape(matrix) != (n_classes, n_classes):
                raise ValueError(
                    "A matrix has costs of three classes or more: weights say what errors of two classes cost."
                )
            self.matrix = matrix
            self.costs_of_labels = &self.matrix[0, 0]
        self.leaf_cost, self.least_samples = leaf_cost, least_samples
        self.deadline, self.cost_of_splits = deadline, NO_BUDGET
        self.next_report = time.monotonic() + 1.0
        greatest = (np.ones(n_classes, dtype=np.int64) if matrix is None else np.max(matrix, axis=1))[labels]
        if np.dot(weights, greatest.astype(np.float64)) + 2.0 * leaf_cost >= NO_BUDGET:
            raise ValueError("All costs together must be below 2**62: divide weights, matrix and leaf_cost.")
        self.greatest_costs = weights * greatest
        self.unit = np.gcd.reduce(weights)
        self.has_unit_weights = bool(np.all(weights == self.unit))
        self.inevitable = _inevitable_errors(ranks, labels, weights) if matrix is None else np.zeros_like(weights)
        self.has_inevitable = bool(np.any(self.inevitable))
        self.keeps_leaf_costs = leaf_cost > 0 or limits_leaves
        self.table_of = self.pairs_of = NONE
        self.root = &self.nodes[0]
        open_table(&self.table_of_sets, words_for(self.n_rows) + 1, sizeof(KnownCost), memory_limit)
        _open_table(self)

    def __dealloc__(self):
        cdef Py_ssize_t number
        close_table(&self.table_of_sets)
        for number in range(self.n_blocks_of_memory):
            free(self.memory[number])
        for number in range(MOST_LEVELS):
            free(self.nodes[number].orders)
            free(self.nodes[number].of_classes)
            free(self.nodes[number].leaf_costs)
            free(self.nodes[number].inevitables)
            free(self.nodes[number].key)
            free(self.recent[number].sets)
            free(self.recent[number].least)
            free(self.nodes[number].cuts)
            free(self.nodes[number].lists)
            free(self.nodes[number].keys)
            free(self.nodes[number].given)


def rows_of(ranks, labels, weights, n_classes, least_samples):
    """Return the first samples of the rows, and the rows' ranks, labels and weights: equal samples of one class are one
    row if that leaves few enough, and no leaf needs a number of samples."""
    check_codes(ranks.T, labels, n_classes)
    if len(weights) != len(labels) or np.min(weights) < 1:
        raise ValueError("Every sample needs a class code and a weight above 0.")
    if least_samples == 1:
        first, group = groups_of(np.vstack([ranks, labels]))
        if len(first) <= SHARE_OF_DISTINCT * len(labels):
            sums = np.zeros(len(first), dtype=np.int64)
            np.add.at(sums, group, weights)
            return first, np.ascontiguousarray(ranks[:, first]), labels[first], sums
    return np.arange(len(labels)), ranks, labels, weights


def orders_of_labels(ranks, labels):
    """Return, by feature, the samples in ascending order, and samples of equal values in the order of their labels."""
    by_label = np.argsort(labels, kind="stable")
    orders = by_label[np.argsort(ranks[:, by_label], axis=1, kind="stable")]
    return np.ascontiguousarray(orders, dtype=np.int32)


def _inevitable_errors(ranks, labels, weights):
    """Return the weights of the rows that are not of the largest class in their group of equal rows, and 0 for other
    rows."""
    _, group = groups_of(ranks)
    n_classes = int(labels.max()) + 1
    of_group = np.zeros((int(group.max()) + 1, n_classes), dtype=np.int64)
    np.add.at(of_group, (group, labels), weights)
    return np.where(of_group.argmax(axis=1)[group] == labels, 0, weights)


# --------------------------------------------------------------------------------------------------------------- memory

cdef void* allocate(CostSearch search, Py_ssize_t n_bytes) except NULL:
    """Allocate memory that is kept to the end of the search."""
    cdef void* memory = _allocated(search, n_bytes)
    search.memory[search.n_blocks_of_memory] = memory
    search.n_blocks_of_memory += 1
    return memory


cdef int _open_table(CostSearch search) except -1:
    """Allocate the table of a node of two levels."""
    cdef Py_ssize_t n = search.n_rows, columns = search.n_columns, column, n_vectors
    cdef lane_table* table = &search.table
    cdef int64_t most = np.sum(np.maximum(search.greatest_costs, search.weights)) // search.unit
    table.n_classes, table.least_samples = search.n_classes, search.least_samples
    table.lane_bytes = 2 if most < 2**14 and n < 2**14 else 4 if most < 2**30 else 8
    table.matrix = search.costs_of_labels
    search.is_left = <char*> allocate(search, n)
    search.leaf_scratch = <int64_t*> allocate(search, 2 * (n + 1) * sizeof(int64_t))
    search.trials = <index_t*> allocate(search, 3 * (n + 1) * sizeof(index_t))
    search.sorted_labels = <index_t*> allocate(search, 2 * (n + 1) * sizeof(index_t))
    search.sorted_ranks = search.sorted_labels + n + 1
    search.local = <index_t*> allocate(search, n * sizeof(index_t))
    search.runs = <run_list*> allocate(search, columns * sizeof(run_list))
    table.is_left = <uint64_t*> allocate(search, n * sizeof(uint64_t))
    table.counts = <uint64_t*> allocate(search, (n + 1) * sizeof(uint64_t))
    n_vectors = (n + 1) * (0 if search.has_unit_weights else 1)
    table.left_weights = allocate(search, n_vectors * BYTES_OF_VECTOR)
    table.sums = allocate(search, n_vectors * BYTES_OF_VECTOR)
    table.of_runs = allocate(search, 0 if search.n_classes == 2 else 2 * n * BYTES_OF_VECTOR)
    table.of_classes = allocate(search, 4 * search.n_classes * BYTES_OF_VECTOR)
    table.saved = allocate(search, 4 * BYTES_OF_VECTOR)
    table.weights = NULL
    cdef index_t* rows = <index_t*> allocate(search, columns * n * sizeof(index_t))
    cdef class_run* runs = <class_run*> allocate(search, columns * n * sizeof(class_run))
    cdef int64_t* of_runs = NULL
    if not search.has_unit_weights:
        table.weights = <int64_t*> allocate(search, n * sizeof(int64_t))
        of_runs = <int64_t*> allocate(search, columns * n * sizeof(int64_t))
    for column in range(columns):
        search.runs[column].rows, search.runs[column].runs = rows + column * n, runs + column * n
        search.runs[column].weights = NULL
        if not search.has_unit_weights:
            search.runs[column].weights = of_runs + column * n


cdef int count_steps(CostSearch search, int64_t n_steps) except -1 nogil:
    """Count steps; now and then handle signals, look at the clock, and report."""
    if check_limits(&search.n_steps, n_steps, search.deadline) == STOPPED:
        search.is_over = True
    if search.n_steps == 0:
        with gil:
            _report(search)


cdef _report(CostSearch search):
    """Tell how far the search is, about once a second."""
    if search.report is not None and time.monotonic() >= search.next_report:
        search.next_report = time.monotonic() + 1.0
        cost = None if search.splits is None else search.cost_of_splits
        search.report(cost, search.least)


cdef void* _allocated(CostSearch search, Py_ssize_t n_bytes) except NULL nogil:
    cdef void* memory = malloc(max(n_bytes, 1))
    if memory == NULL:
        with gil:
            raise MemoryError(f"no memory for {search.n_rows} rows of {search.n_columns} columns")
    return memory


cdef int leave_root(CostSearch search, Py_ssize_t number) except -1 nogil:
    """If it is the root, let other threads use its lists."""
    if number == 0 and search.has_root:
        search.has_root = False
        with gil:
            search.root_lock.release()


cdef int enter_root(CostSearch search, Py_ssize_t number) except -1 nogil:
    """If it is the root, wait until no other thread uses its lists."""
    if number == 0 and search.root_lock is not None and not search.has_root:
        with gil:
            search.root_lock.acquire()
        search.has_root = True


cdef int open_node(CostSearch search, Py_ssize_t number) except -1 nogil:
    """Allocate a node, unless it is allocated."""
    cdef SearchNode* node = node_at(search, number)
    cdef Py_ssize_t columns = search.n_columns, n_numbers = (4 + MOST_LANES) * search.n_classes
    cdef Py_ssize_t n_cuts = columns * (search.n_rows + 1)
    if node.orders != NULL:
        return 0
    node.of_classes = <int64_t*> _allocated(search, (n_numbers + 2 * columns) * sizeof(int64_t))
    node.stumps = node.of_classes + n_numbers
    node.key = <uint64_t*> _allocated(search, search.table_of_sets.n_words * sizeof(uint64_t))
    if search.keeps_leaf_costs:
        node.leaf_costs = <int64_t*> _allocated(search, 2 * n_cuts * sizeof(int64_t))
    if search.has_inevitable:
        node.inevitables = <int64_t*> _allocated(search, n_cuts * sizeof(int64_t))
    node.orders = <index_t*> _allocated(search, n_cuts * sizeof(index_t))
    node.columns = node.orders + columns * search.n_rows


cdef void make_side(
    CostSearch search, Py_ssize_t number, index_t column, index_t end, bint is_right, bint only_rows
) noexcept nogil:
    """Write the rows of one side of a cut to the next node, in the orders of all columns, or only of the first one."""
    cdef SearchNode* node = node_at(search, number)
    cdef SearchNode* side = node_at(search, number + 1)
    cdef const index_t* order = node.orders + column * search.n_rows
    cdef const index_t* source
    cdef index_t* target
    cdef char* is_left = search.is_left
    cdef Py_ssize_t other
    cdef index_t i, n
    for i in range(node.n_rows):
        is_left[order[i]] = (i < end) != is_right
    for other in range(1 if only_rows else search.n_columns):
        source, target = node.orders + other * search.n_rows, side.orders + other * search.n_rows
        if other == column:
            n = end if is_right else 0
            memcpy(target, source + n, (node.n_rows - end if is_right else end) * sizeof(index_t))
            continue
        n = 0
        for i in range(node.n_rows):
            # There is no branch: the row written last may belong to the other side. The next row replaces it, or it
            # stands after all rows that count.
            target[n] = source[i]
            n += is_left[source[i]]
    side.n_rows = node.n_rows - end if is_right else end


# ------------------------------------------------------------------------------------------------------- what is known

cdef bint recall(CostSearch search, SearchNode* node, TreeLimits limits, KnownCost* found) noexcept nogil:
    """Write the key of a node's rows within limits. Return whether something is known of them, and write it."""
    cdef index_t i
    cdef const KnownCost* known
    memset(node.key, 0, search.table_of_sets.n_words * sizeof(uint64_t))
    for i in range(node.n_rows):
        add_bit(node.key, node.orders[i])
    node.key[search.table_of_sets.n_words - 1] = <uint64_t> limits.depth << 32 | <uint64_t> limits.leaves
    known = <const KnownCost*> find_item(&search.table_of_sets, node.key)
    if known != NULL:
        found[0] = known[0]
    return known != NULL


cdef inline RecentSets* _recent_of(CostSearch search, TreeLimits limits) noexcept nogil:
    return &search.recent[min(limits.depth, MOST_LEVELS - 1)]


cdef int64_t bound_by_recent(CostSearch search, SearchNode* node, TreeLimits limits) noexcept nogil:
    """Bound the cost of a node's rows by the last sets with the same limits: by a set's cost, less an error for each of
    its rows that the node lacks."""
    cdef const RecentSets* recent = _recent_of(search, limits)
    cdef const uint64_t* rows
    cdef Py_ssize_t i, word, last = search.table_of_sets.n_words - 1
    cdef int64_t least = 0, n_others
    if not search.has_unit_weights or search.costs_of_labels != NULL:
        return 0
    for i in range(recent.n_sets):
        rows = recent.sets + i * search.table_of_sets.n_words
        if recent.least[i] <= least or rows[last] != node.key[last]:
            continue
        n_others = 0
        for word in range(last):
            n_others += popcount(rows[word] & ~node.key[word])
        least = max(least, recent.least[i] - search.unit * n_others)
    return least


cdef int remember(CostSearch search, SearchNode* node, TreeLimits limits, const KnownCost* found) except -1 nogil:
    """Keep what is known of the rows and limits whose key the node has."""
    cdef KnownCost* known = <KnownCost*> take_item(&search.table_of_sets, node.key, found)
    cdef RecentSets* recent = _recent_of(search, limits)
    cdef Py_ssize_t n_words = search.table_of_sets.n_words
    if known != NULL:
        known[0] = found[0]
    if recent.sets == NULL:
        recent.sets = <uint64_t*> malloc(N_RECENT * n_words * sizeof(uint64_t))
        recent.least = <int64_t*> malloc(N_RECENT * sizeof(int64_t))
        if recent.sets == NULL or recent.least == NULL:
            with gil:
                raise MemoryError(f"no memory for {N_RECENT} sets of rows")
    memcpy(recent.sets + recent.next * n_words, node.key, n_words * sizeof(uint64_t))
    recent.least[recent.next] = found.least
    recent.next = (recent.next + 1) % N_RECENT
    recent.n_sets = max(recent.n_sets, recent.next, N_RECENT * (recent.next == 0))


# ------------------------------------------------------------------------------------------------------------ one split

cdef int64_t leaf_of(CostSearch search, const int64_t* of_classes) noexcept nogil:
    """Return what the errors of a leaf cost, given the weights of its classes."""
    cdef Py_ssize_t j, k
    cdef int64_t total = 0, most = 0, cost, least = NO_BUDGET
    if search.costs_of_labels == NULL:
        for k in range(search.n_classes):
            total += of_classes[k]
            most = max(most, of_classes[k])
        return total - most
    for k in range(search.n_classes):
        cost = 0
        for j in range(search.n_classes):
            cost += of_classes[j] * search.costs_of_labels[j * search.n_classes + k]
        least = min(least, cost)
    return least


cdef void weigh(CostSearch search, Py_ssize_t number) noexcept nogil:
    """Add up the weights of the classes of a node, whose rows are new, and the costs of a leaf and of inevitable
    errors."""
    cdef SearchNode* node = node_at(search, number)
    cdef index_t i, row
    memset(node.of_classes, 0, search.n_classes * sizeof(int64_t))
    node.inevitable = 0
    if search.table_of == number:
        search.table_of = NONE
    if search.pairs_of == number:
        search.pairs_of = NONE
    for i in range(node.n_rows):
        row = node.orders[i]
        node.of_classes[search.labels[row]] += search.weights[row]
    if search.has_inevitable:
        for i in range(node.n_rows):
            node.inevitable += search.inevitable[node.orders[i]]
    node.leaf = leaf_of(search, node.of_classes) + search.leaf_cost


cdef void _scan_side(
    CostSearch search, SearchNode* node, const index_t* order, bint is_right, int64_t* costs
) noexcept nogil:
    """Write what one side of a column's cuts costs as a leaf, by the number of rows on the left."""
    cdef int64_t* sums = node.of_classes + search.n_classes
    cdef int64_t total = 0, most = 0, weight, cost
    cdef const int64_t* of_label
    cdef index_t i, row, label
    cdef Py_ssize_t k
    memset(sums, 0, search.n_classes * sizeof(int64_t))
    for i in range(node.n_rows):
        row = order[node.n_rows - 1 - i if is_right else i]
        label, weight = search.labels[row], search.weights[row]
        if search.costs_of_labels == NULL:
            sums[label] += weight
            total += weight
            most = max(most, sums[label])
            cost = total - most
        else:
            of_label = search.costs_of_labels + label * search.n_classes
            cost = NO_BUDGET
            for k in range(search.n_classes):
                sums[k] += weight * of_label[k]
                cost = min(cost, sums[k])
        costs[node.n_rows - 1 - i if is_right else i + 1] = cost + search.leaf_cost


cdef int64_t scan_column(CostSearch search, SearchNode* node, index_t column, int64_t* free_cost) noexcept nogil:
    """Return what the best allowed split of a column costs, and write what the best one costs if all cuts are allowed;
    NO_BUDGET if there is none. Leaf costs of both sides stay in the node or in the scratch."""
    cdef const index_t* order = node.orders + column * search.n_rows
    cdef const index_t* ranks = &search.ranks[column, 0]
    cdef int64_t* of_left = search.leaf_scratch
    cdef int64_t* of_right = search.leaf_scratch + search.n_rows + 1
    cdef int64_t best = NO_BUDGET, best_free = NO_BUDGET, cost
    cdef index_t end
    free_cost[0] = NO_BUDGET
    if search.keeps_leaf_costs:
        of_left = leaf_costs_of(node, search.n_columns, LEFT, column)
        of_right = leaf_costs_of(node, search.n_columns, RIGHT, column)
    if ranks[order[0]] == ranks[order[node.n_rows - 1]]:
        return NO_BUDGET
    _scan_side(search, node, order, LEFT, of_left)
    _scan_side(search, node, order, RIGHT, of_right)
    for end in range(1, node.n_rows):
        cost = of_left[end] + of_right[end]
        if cost < best_free and is_cut(order, ranks, end):
            best_free = cost
        if cost < best and search.least_samples <= end <= node.n_rows - search.least_samples:
            if is_cut(order, ranks, end):
                best = cost
    free_cost[0] = best_free
    return best


cdef void _add_inevitables(CostSearch search, SearchNode* node, index_t column) noexcept nogil:
    """Write the inevitable costs left of a column's cuts."""
    cdef const index_t* order = node.orders + column * search.n_rows
    cdef int64_t* sums = node.inevitables + column * <Py_ssize_t> (node.n_rows + 1)
    cdef index_t i
    sums[0] = 0
    for i in range(node.n_rows):
        sums[i + 1] = sums[i] + search.inevitable[order[i]]


cdef void add_column(
    CostSearch search, SearchNode* node, index_t column, int64_t cost, int64_t free_cost
) noexcept nogil:
    """Add a column to the list of columns, which is in the order of the costs of their best allowed splits."""
    if search.has_inevitable:
        _add_inevitables(search, node, column)
    cdef index_t position = node.n_columns
    node.stumps[column], node.stumps[search.n_columns + column] = cost, free_cost
    while position > 0 and node.stumps[node.columns[position - 1]] > cost:
        node.columns[position] = node.columns[position - 1]
        position -= 1
    node.columns[position] = column
    node.n_columns += 1


cdef void rank_columns(CostSearch search, SearchNode* node) noexcept nogil:
    """List the columns that have a cut, by the cost of their best allowed split, then by number."""
    cdef index_t column
    cdef int64_t cost, free_cost
    node.n_columns = 0
    for column in range(<index_t> search.n_columns):
        cost = scan_column(search, node, column, &free_cost)
        if free_cost == NO_BUDGET:
            continue
        add_column(search, node, column, cost, free_cost)
