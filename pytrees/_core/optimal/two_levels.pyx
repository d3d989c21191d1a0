"""The costs of cuts whose sides have at most one split each: the best splits of both sides are read off a table of the
node's rows in the orders of all columns, for several cuts of a column at once."""

from libc.string cimport memcpy, memset

from pytrees._core.base.types cimport NONE, index_t, int64_t
from pytrees._core.optimal.cost_search cimport (
    MOST_LANES, MOST_ROWS_OF_RUN, NO_BUDGET, CostSearch, CutList, KnownCut, ListedCut, SearchNode, add_column,
    class_run, class_weights, clear_left, cost_of_stump, count_steps, leaf_costs_of, leaf_of, mark_left, node_at,
    run_list, try_splits,
)


cdef void _find_runs(CostSearch search, SearchNode* node, index_t column) noexcept nogil:
    """Write the rows of the table in the order of a column, and their runs.

    A run ends if the class changes, and at a cut beside equal values: the values may be of several classes, and a cut
    next to them counts even though the class does not change there.
    """
    cdef run_list* list = &search.runs[column]
    cdef const index_t* order = node.orders + column * search.n_rows
    cdef const index_t* ranks = &search.ranks[column, 0]
    cdef index_t* rows = <index_t*> list.rows
    cdef class_run* run = <class_run*> list.runs
    cdef index_t* label = search.sorted_labels
    cdef index_t* rank = search.sorted_ranks
    cdef bint every_cut = search.least_samples > 1, ends, is_tie, was_tie = False, has_ties = False
    cdef index_t i, start = 0, n = node.n_rows
    for i in range(n):
        rows[i] = search.local[order[i]]
        label[i], rank[i] = search.labels[order[i]], ranks[order[i]]
    label[n], rank[n] = label[n - 1], NONE
    for i in range(n - 1):
        is_tie = rank[i] == rank[i + 1]
        ends = (label[i] != label[i + 1]) | ((not is_tie) & (was_tie | (rank[i + 1] == rank[i + 2]) | every_cut))
        ends |= i + 1 - start == MOST_ROWS_OF_RUN
        # There is no branch: a run that goes on is written again.
        run.end, run.label, run.is_cut = i + 1, label[i], is_tie - 1
        run += ends
        has_ties |= ends & is_tie
        start = i + 1 if ends else start
        was_tie = is_tie
    run.end, run.label, run.is_cut = n, label[n - 1], 0
    list.n_runs = run - <class_run*> list.runs + 1
    list.all_are_cuts = not has_ties


cdef void _weigh_runs(CostSearch search, run_list* list) noexcept nogil:
    cdef int64_t* weights = <int64_t*> list.weights
    cdef index_t start = 0, i
    cdef Py_ssize_t run
    for run in range(list.n_runs):
        weights[run] = 0
        for i in range(start, list.runs[run].end):
            weights[run] += search.table.weights[list.rows[i]]
        start = list.runs[run].end


cdef int64_t _best_stump(CostSearch search, SearchNode* node, index_t column) noexcept nogil:
    """Return what the best split of a column costs, from the runs of the table."""
    cdef const run_list* list = &search.runs[column]
    cdef const class_run* run
    cdef int64_t* sums = node.of_classes + search.n_classes
    cdef int64_t* saved_after = search.leaf_scratch
    cdef int64_t most = 0, best = 0, weight, total = 0
    cdef Py_ssize_t i
    memset(sums, 0, search.n_classes * sizeof(int64_t))
    for i in range(list.n_runs - 1, -1, -1):
        run = &list.runs[i]
        saved_after[i] = most
        weight = list.weights[i] if list.weights != NULL else run.end - (list.runs[i - 1].end if i > 0 else 0)
        total += weight
        sums[run.label] += weight
        most = max(most, sums[run.label])
    memset(sums, 0, search.n_classes * sizeof(int64_t))
    most = 0
    for i in range(list.n_runs):
        run = &list.runs[i]
        weight = list.weights[i] if list.weights != NULL else run.end - (list.runs[i - 1].end if i > 0 else 0)
        sums[run.label] += weight
        most = max(most, sums[run.label])
        if run.is_cut:
            best = max(best, most + saved_after[i])
    return (total - best) * search.unit


cdef int fill_table(CostSearch search, Py_ssize_t number) except -1 nogil:
    """Number the rows of a node, and lay them out in the orders of its columns."""
    cdef SearchNode* node = node_at(search, number)
    cdef int64_t* weights = <int64_t*> search.table.weights
    cdef const index_t* order
    cdef index_t i, row, column
    search.table.n_rows, search.table_of = node.n_rows, number
    for i in range(node.n_rows):
        row = node.orders[i]
        search.local[row] = i
        if weights != NULL:
            weights[i] = search.weights[row] // search.unit
    for column in range(<index_t> search.n_columns):
        order = node.orders + column * search.n_rows
        if search.ranks[column, order[0]] != search.ranks[column, order[node.n_rows - 1]]:
            _find_runs(search, node, column)
            if weights != NULL:
                _weigh_runs(search, &search.runs[column])
    return count_steps(search, 2 * <int64_t> node.n_rows * search.n_columns)


cdef int rank_by_table(CostSearch search, Py_ssize_t number) except -1 nogil:
    """Fill the table, and list the columns that have a cut as `rank_columns` does; every cut is allowed, and an error
    costs its weight."""
    cdef SearchNode* node = node_at(search, number)
    cdef const index_t* order
    cdef index_t column
    cdef int64_t cost
    fill_table(search, number)
    node.n_columns = 0
    for column in range(<index_t> search.n_columns):
        order = node.orders + column * search.n_rows
        if search.ranks[column, order[0]] != search.ranks[column, order[node.n_rows - 1]]:
            cost = _best_stump(search, node, column)
            add_column(search, node, column, cost, cost)


cdef inline void _settle(KnownCut* cut, bint side, int64_t free_cost, int64_t cost) noexcept nogil:
    cut.least[side], cut.cost[side] = max(cut.least[side], free_cost), cost


cdef void settle_leaves(CostSearch search, SearchNode* node, const CutList* cuts, index_t number) noexcept nogil:
    """Write the costs of the sides of a cut that are leaves."""
    cdef KnownCut* cut = &node.cuts[number]
    cdef int side
    cdef int64_t leaf
    for side in range(2):
        if cuts.limits[side].depth == 0:
            leaf = leaf_costs_of(node, search.n_columns, side, cuts.column)[cut.end]
            _settle(cut, side, leaf, leaf)


cdef void _weigh_left(
    CostSearch search, SearchNode* node, const run_list* list, const index_t* ends, index_t n_cuts, int64_t* of_classes
) noexcept nogil:
    """Add up the class weights on the left of some cuts of a column, and of all rows."""
    cdef const class_run* run = list.runs
    cdef const int64_t* weights = search.table.weights
    cdef Py_ssize_t n_classes = search.n_classes, k
    cdef index_t cut, row = 0, end, i
    memset(of_classes, 0, n_classes * sizeof(int64_t))
    for cut in range(n_cuts):
        if cut > 0:
            memcpy(of_classes, of_classes - n_classes, n_classes * sizeof(int64_t))
        while row < ends[cut]:
            end = min(run.end, ends[cut])
            if weights == NULL:
                of_classes[run.label] += end - row
            else:
                for i in range(row, end):
                    of_classes[run.label] += weights[list.rows[i]]
            row = end
            run += row == run.end
        of_classes += n_classes
    for k in range(n_classes):
        of_classes[k] = node.of_classes[k] // search.unit


cdef void _mark_cuts(CostSearch search, SearchNode* node, const ListedCut* listed, index_t n_cuts) noexcept nogil:
    """Give every cut a lane. Cuts of a list stand together, in ascending order."""
    cdef int64_t* of_classes = node.of_classes + 2 * search.n_classes
    cdef const run_list* list
    cdef index_t ends[MOST_LANES], first = 0, n
    clear_left(&search.table)
    while first < n_cuts:
        n = 0
        while first + n < n_cuts and listed[first + n].list == listed[first].list:
            ends[n] = node.cuts[listed[first + n].cut].end
            n += 1
        list = &search.runs[node.lists[listed[first].list].column]
        _weigh_left(search, node, list, ends, n, of_classes)
        mark_left(&search.table, list.rows, ends, n, first, of_classes)
        first += n


cdef inline int64_t _cost_of_side(
    CostSearch search, bint side, index_t lane, bint is_limited, int64_t leaf
) noexcept nogil:
    """Return what a side of a cut costs with one split at most: as a leaf, or split."""
    cdef int64_t errors = cost_of_stump(&search.table, side, lane, is_limited)
    return leaf if errors == NO_BUDGET else min(leaf, errors * search.unit + 2 * search.leaf_cost)


cdef int solve_cuts(CostSearch search, Py_ssize_t number, const ListedCut* listed, index_t n_cuts) except -1 nogil:
    """Find the costs of both sides of some cuts, as many as there are lanes at most. The sides have at most one split;
    cuts of a list stand together, in ascending order."""
    cdef SearchNode* node = node_at(search, number)
    cdef const CutList* cuts
    cdef int64_t* of_side = node.of_classes + search.n_classes
    cdef index_t i
    cdef int side
    cdef int64_t leaf, free_cost, cost
    if search.table_of != number:
        fill_table(search, number)
    _mark_cuts(search, node, listed, n_cuts)
    for i in range(node.n_columns):
        try_splits(&search.table, &search.runs[node.columns[i]])
    for i in range(n_cuts):
        cuts = &node.lists[listed[i].list]
        for side in range(2):
            class_weights(&search.table, side, i, of_side)
            leaf = leaf_of(search, of_side) * search.unit + search.leaf_cost
            free_cost = cost = leaf
            if cuts.limits[side].depth > 0:
                free_cost = cost = _cost_of_side(search, side, i, False, leaf)
                if search.least_samples > 1:
                    cost = _cost_of_side(search, side, i, True, leaf)
            _settle(&node.cuts[listed[i].cut], side, free_cost, cost)
    return count_steps(search, <int64_t> node.n_rows * node.n_columns)
