"""The first tree of a cost in a fixed order, so that it does not depend on the search which cheapest tree is found."""

from pytrees._core.base.types cimport NONE, index_t, int64_t
from pytrees._core.optimal.any_levels cimport (
    affordable_limits, ask_both, by_pairs, by_table, cost_of, list_columns, open_search, raise_ends,
)
from pytrees._core.optimal.cost_search cimport (
    LEFT, MOST_LANES, RIGHT, CostSearch, CutList, KnownCut, ListedCut, SearchNode, TreeLimits, lanes_of, leaf_costs_of,
    make_side, node_at, open_node, scan_column, weigh,
)
from pytrees._core.optimal.cut_lists cimport CutRange, add_cut, choose_range, list_trials, open_range
from pytrees._core.optimal.pair_counts cimport cost_of_column, cost_of_pairs
from pytrees._core.optimal.two_levels cimport solve_cuts

NO_SPLIT = NONE, NONE, NONE


cdef index_t _find_known(SearchNode* node, const CutList* cuts, index_t end) noexcept nogil:
    """Return the last known cut of a list that is not after `end`."""
    cdef index_t known = cuts.first
    while node.cuts[node.cuts[known].next].end <= end:
        known = node.cuts[known].next
    return known


cdef index_t _try_cut(CostSearch search, Py_ssize_t number, CutList* cuts, index_t end, int64_t best) except -2 nogil:
    """Solve a cut if it may cost less than `best`. Return its number, or NONE if it may not."""
    cdef SearchNode* node = node_at(search, number)
    cdef CutRange found
    cdef KnownCut* cut
    cdef index_t known = _find_known(node, cuts, end)
    cdef int64_t budgets[2]
    if node.cuts[known].end != end:
        if not open_range(search, node, cuts, known, best, &found):
            return NONE
        raise_ends(search, number, cuts, &found, best)
        if search.is_over or not open_range(search, node, cuts, known, best, &found):
            return NONE
        if not found.low <= end <= found.high:
            return NONE
        known = add_cut(search, node, cuts, known, end)
    cut = &node.cuts[known]
    budgets[LEFT], budgets[RIGHT] = best - cut.least[RIGHT], best - cut.least[LEFT]
    ask_both(search, number, cuts, known, budgets, best)
    return NONE if search.is_over else known


cdef index_t _try_several(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t n_trials, index_t* trial, int64_t best
) except -2 nogil:
    """Solve the next cuts of a list in the order of trial that may cost less than `best`, up to one a lane. Return the
    first that does, or NONE; move on to the next trial."""
    cdef SearchNode* node = node_at(search, number)
    cdef index_t numbers[MOST_LANES]
    cdef ListedCut ascending[MOST_LANES]
    cdef index_t n_lanes = <index_t> lanes_of(&search.table), n = 0, known, end, i
    cdef CutRange found
    while trial[0] < n_trials and n < n_lanes:
        end = search.trials[trial[0]]
        trial[0] += 1
        known = _find_known(node, cuts, end)
        if node.cuts[known].end == end:
            if cost_of(&node.cuts[known]) < best:
                # It has been solved before, and cuts before it that are not solved yet come first.
                if n > 0:
                    trial[0] -= 1
                    break
                return known
            continue
        if open_range(search, node, cuts, known, best, &found) and found.low <= end <= found.high:
            numbers[n] = add_cut(search, node, cuts, known, end)
            i = n
            while i > 0 and node.cuts[ascending[i - 1].cut].end > end:
                ascending[i] = ascending[i - 1]
                i -= 1
            ascending[i].list, ascending[i].cut = <index_t> (cuts - node.lists), numbers[n]
            n += 1
    if n > 0:
        solve_cuts(search, number, ascending, n)
    for i in range(n):
        if cost_of(&node.cuts[numbers[i]]) < best:
            return numbers[i]
    return NONE


cdef index_t _first_in_list(
    CostSearch search, Py_ssize_t number, index_t list, int64_t cost, const FirstCut* first
) except -2 nogil:
    """Return the first cut of a list, in the order of trial, that costs at most `cost`; NONE if there is none, or if a
    cut of a list before it does."""
    cdef SearchNode* node = node_at(search, number)
    cdef CutList* cuts = &node.lists[list]
    cdef index_t n_trials = list_trials(search, node, cuts.column), trial = 0, known
    while trial < n_trials and list < first.list and not search.is_over:
        if by_table(cuts):
            known = _try_several(search, number, cuts, n_trials, &trial, cost + 1)
        else:
            known = _try_cut(search, number, cuts, search.trials[trial], cost + 1)
            trial += 1
            if known != NONE and cost_of(&node.cuts[known]) > cost:
                known = NONE
        if known != NONE:
            return known
    return NONE


cdef index_t list_stumps(CostSearch search, SearchNode* node, index_t column, int64_t cost) noexcept nogil:
    """Return how many cuts of a column cost `cost` if both sides are leaves; write the first one, in the order of
    trial, as the first trial."""
    cdef const int64_t* of_left = search.leaf_scratch
    cdef const int64_t* of_right = search.leaf_scratch + search.n_rows + 1
    cdef int64_t free_cost
    cdef index_t n_trials = list_trials(search, node, column), i, end, n = 0
    scan_column(search, node, column, &free_cost)
    if search.keeps_leaf_costs:
        of_left = leaf_costs_of(node, search.n_columns, LEFT, column)
        of_right = leaf_costs_of(node, search.n_columns, RIGHT, column)
    for i in range(n_trials):
        end = search.trials[i]
        if search.least_samples <= end <= node.n_rows - search.least_samples and of_left[end] + of_right[end] == cost:
            search.trials[n] = end
            n += 1
    return n


cdef int open_again(CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t best) except -1 nogil:
    """Begin a search for trees below `best`, which may be more than the budget of searches before. It keeps what they
    have found out about the cuts of the root."""
    cdef SearchNode* node = node_at(search, number)
    cdef index_t i
    if number > 0 or node.limits.depth != limits.depth or node.limits.leaves != limits.leaves:
        return open_search(search, number, limits, 0, best)
    for i in range(node.n_cuts):
        node.cuts[i].is_closed = False
    for i in range(node.n_lists):
        choose_range(search, node, &node.lists[i], best)


cdef bint _may_cost(const SearchNode* node, const CutList* cuts, int64_t cost) noexcept nogil:
    """Whether a cut of a list may cost `cost` or less."""
    cdef index_t known = node.cuts[cuts.first].next
    if cuts.key <= cost:
        return True
    while node.cuts[known].next != NONE:
        if node.cuts[known].least[LEFT] + node.cuts[known].least[RIGHT] <= cost:
            return True
        known = node.cuts[known].next
    return False


cdef int try_lists(CostSearch search, Py_ssize_t number, int64_t cost, FirstCut* first) except -1 nogil:
    """Find the first list with a cut that costs at most `cost`, and the cut. Threads that share the root take the lists
    in turns."""
    cdef SearchNode* node = node_at(search, number)
    cdef bint has_pairs = by_pairs(search, node.limits)
    cdef index_t list, known
    if has_pairs:
        cost_of_pairs(search, number)
    while first.n_tried < min(node.n_lists, first.list) and not search.is_over:
        list = first.n_tried
        first.n_tried += 1
        if not _may_cost(node, &node.lists[list], cost):
            continue
        if has_pairs and cost_of_column(search, node, node.lists[list].column) > cost:
            continue
        known = _first_in_list(search, number, list, cost, first)
        if known != NONE and list < first.list:
            first.list, first.cut = list, known


cdef int _confirm(bint is_true) except -1:
    """Raise an error rather than follow a cut that is not one: only a fault of the search can lead to it."""
    if not is_true:
        raise RuntimeError("The search for the best tree contradicts itself. Please report this, with the data.")


cdef bint begin_tree(CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t cost, splits) except -1:
    """Append the nodes of the first tree of a cost if it has at most one split; otherwise begin to search the cuts of a
    node whose columns are listed. Return whether the tree is complete."""
    cdef SearchNode* node = node_at(search, number)
    cdef const index_t* order
    cdef index_t end
    if node.leaf <= cost:
        splits.append(NO_SPLIT)
        return True
    node.is_given = False
    limits = affordable_limits(search, node, limits, cost + 1)
    if limits.depth == 1:
        _confirm(node.n_columns > 0 and list_stumps(search, node, node.columns[0], cost) > 0)
        end = search.trials[0]
        order = node.orders + node.columns[0] * search.n_rows
        splits += [(node.columns[0], order[end - 1], order[end]), NO_SPLIT, NO_SPLIT]
        return True
    with nogil:
        open_again(search, number, limits, cost + 1)
    return False


cdef bint _grow(CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t cost, splits) except -1:
    """Append the nodes of the first tree of a cost in preorder; return whether there was time."""
    cdef SearchNode* node = node_at(search, number)
    cdef FirstCut first
    weigh(search, number)
    with nogil:
        list_columns(search, number, limits)
    if begin_tree(search, number, limits, cost, splits):
        return True
    open_first(&first)
    with nogil:
        try_lists(search, number, cost, &first)
    if search.is_over or first.cut == NONE:
        return False
    return grow_sides(search, number, node.lists[first.list], node.cuts[first.cut], splits)


cdef bint grow_sides(CostSearch search, Py_ssize_t number, CutList cuts, KnownCut cut, splits) except -1:
    """Append a split and the trees of both sides."""
    cdef SearchNode* node = node_at(search, number)
    cdef const index_t* order = node.orders + cuts.column * search.n_rows
    cdef int side
    _confirm(search.least_samples <= cut.end <= node.n_rows - search.least_samples)
    splits.append((cuts.column, order[cut.end - 1], order[cut.end]))
    open_node(search, number + 1)
    for side in range(2):
        make_side(search, number, cuts.column, cut.end, side, False)
        if not _grow(search, number + 1, cuts.limits[side], cut.cost[side], splits):
            return False
    return True
