"""The cheapest tree of a set of rows, by the cuts of its node, whose sides are searched in the same way.

A cut divides the rows of a node into two sides, which have one level less, for every way to divide the leaves between
them. `cut_lists` bounds the costs of cuts that are not known by those of known ones. The search takes the range of cuts
with the least bound among all columns, and raises the bounds at both ends as far as that helps; if the range then still
may hold a better cut, it solves both sides of its middle cut. A side is searched for trees below a budget: beyond, its
cost cannot matter.

Two levels take most of the time. They need no nodes for the sides: `two_levels` solves several cuts at once.
"""

from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS
from pytrees._core.optimal.cost_search cimport (
    LEFT, MOST_LANES, NO_BUDGET, RIGHT, CostSearch, CutList, KnownCost, KnownCut, ListedCut, SearchNode, TreeLimits,
    bound_by_recent, count_steps, enter_root, lanes_of, leave_root, make_side, most_leaves, node_at, open_node,
    rank_columns, recall, remember, tightened, weigh,
)
from pytrees._core.optimal.cut_lists cimport (
    CutRange, add_cut, choose_range, close_lists, free_bound, give_keys, keep_keys, nearest_cut, open_lists, open_range,
)
from pytrees._core.optimal.pair_counts cimport cost_of_pairs
from pytrees._core.optimal.two_levels cimport rank_by_table, settle_leaves, solve_cuts

cdef enum:
    LEAST_SHARE = 2             # of the lanes, for a list that has a turn


# -------------------------------------------------------------------------------------------------------------- one cut

cdef int _solve_side(
    CostSearch search, Py_ssize_t number, const CutList* cuts, index_t end, bint side, int64_t budget, KnownCost* found
) except -1 nogil:
    """Look for trees of one side of a cut below a budget. Other threads may use the lists of the root meanwhile."""
    leave_root(search, number)
    make_side(search, number, cuts.column, end, side, by_pairs(search, cuts.limits[side]))
    solve(search, number + 1, cuts.limits[side], budget, found)
    return enter_root(search, number)


cdef int _ask(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t known, bint side, int64_t budget
) except -1 nogil:
    """Look for trees of one side of a cut below a budget, unless that has been done or a bound reaches the budget."""
    cdef SearchNode* node = node_at(search, number)
    cdef KnownCut* cut = &node.cuts[known]
    cdef KnownCost found
    if cut.end == 0 or cut.end == node.n_rows or cut.cost[side] != NO_BUDGET:
        return 0
    if cut.least[side] >= budget or cut.budget[side] >= budget:
        return 0
    open_node(search, number + 1)
    give_keys(search, node, cuts, known, side, node_at(search, number + 1))
    _solve_side(search, number, cuts, cut.end, side, budget, &found)
    if not search.is_over:
        # The known cuts may have moved.
        cut = &node.cuts[known]
        if node_at(search, number + 1).is_searched:
            keep_keys(search, node, known, side, node_at(search, number + 1), found.least)
        cut.least[side] = max(cut.least[side], found.least)
        cut.cost[side], cut.budget[side] = found.cost, budget


cdef int ask_both(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t known, const int64_t* budgets, int64_t best
) except -1 nogil:
    """Look for trees of both sides of a cut below budgets, the larger side first, unless their costs cannot be below
    `best` together."""
    cdef SearchNode* node = node_at(search, number)
    cdef bint side = 2 * node.cuts[known].end < node.n_rows
    settle_leaves(search, node, cuts, known)
    for _ in range(2):
        if node.cuts[known].least[LEFT] + node.cuts[known].least[RIGHT] >= best or search.is_over:
            break
        _ask(search, number, cuts, known, side, budgets[side])
        side = not side


cdef void _take(CostSearch search, Py_ssize_t number, index_t list, index_t known, KnownCost* best) noexcept nogil:
    """Take a cut if it is better than the best one so far, unless it is the root whose best cuts are to be counted."""
    cdef SearchNode* node = node_at(search, number)
    cdef int64_t cost = cost_of(&node.cuts[known])
    if cost < best.cost and not (number == 0 and search.is_counting):
        best.cost, node.best.list, node.best.cut = cost, list, known


# --------------------------------------------------------------------------------------------------------- several cuts

cdef index_t _best_ranges(
    CostSearch search, SearchNode* node, const CutList* cuts, int64_t best, index_t most, CutRange* ranges
) noexcept nogil:
    """Write up to `most` of the most promising ranges of a list, in ascending order, and return how many."""
    cdef index_t n = 0, after = cuts.first, i, worst
    cdef CutRange found
    while after != NONE:
        if open_range(search, node, cuts, after, best, &found):
            if n == most:
                worst = 0
                for i in range(1, n):
                    worst = i if ranges[i].key > ranges[worst].key else worst
                if found.key < ranges[worst].key:
                    n -= 1
                    for i in range(worst, n):
                        ranges[i] = ranges[i + 1]
            if n < most:
                ranges[n] = found
                n += 1
        after = node.cuts[after].next
    return n


cdef index_t _add_cuts(
    CostSearch search, SearchNode* node, index_t list, const CutRange* between, index_t wanted, ListedCut* listed
) except -1 nogil:
    """Add up to `wanted` cuts, evenly spaced, in a range of a list; return how many."""
    cdef const CutList* cuts = &node.lists[list]
    cdef index_t known = between.after, low = between.low, i, end, n = 0
    cdef int64_t width = between.high - between.low + 1
    for i in range(wanted):
        end = max(low, between.low + <index_t> ((i + 1) * width // (wanted + 1)))
        if end > between.high:
            break
        end = nearest_cut(search, node, cuts.column, low, between.high, end)
        if end == NONE:
            break
        known = add_cut(search, node, cuts, known, end)
        listed[n].list, listed[n].cut = list, known
        n += 1
        low = end + 1
    if n == 0:
        node.cuts[known].is_closed = True
    return n


cdef index_t _share_lanes(
    CostSearch search, SearchNode* node, index_t list, int64_t best, index_t n_lanes, ListedCut* listed
) except -1 nogil:
    """Add up to a cut a lane in the most promising ranges of a list, in ascending order; return how many."""
    cdef CutRange ranges[MOST_LANES]
    cdef index_t n_ranges = _best_ranges(search, node, &node.lists[list], best, n_lanes, ranges), i, n = 0
    for i in range(n_ranges):
        n += _add_cuts(search, node, list, &ranges[i], n_lanes // n_ranges + (i < n_lanes % n_ranges), &listed[n])
    return n


cdef int _solve_several(CostSearch search, Py_ssize_t number, KnownCost* best) except -1 nogil:
    """Solve a cut a lane in the most promising ranges of the most promising lists."""
    cdef SearchNode* node = node_at(search, number)
    cdef ListedCut listed[MOST_LANES]
    cdef index_t n_lanes = <index_t> lanes_of(&search.table), n = 0, n_lists = 0, list, i, share, added
    for i in range(node.n_lists):
        n_lists += node.lists[i].key < best.cost
    share = max(LEAST_SHARE, n_lanes // n_lists)
    while n < n_lanes and n_lists > 0:
        n_lists -= 1
        list = most_promising(node)
        if not by_table(&node.lists[list]):
            break
        # The list has had its turn, and gets another key in the end.
        node.lists[list].key = NO_BUDGET
        added = _share_lanes(search, node, list, best.cost, min(share, n_lanes - n), &listed[n])
        if added == 0:
            choose_range(search, node, &node.lists[list], best.cost)
        n += added
    if n > 0:
        solve_cuts(search, number, listed, n)
    for i in range(n):
        _take(search, number, listed[i].list, listed[i].cut, best)
    for i in range(n):
        if i == 0 or listed[i].list != listed[i - 1].list:
            choose_range(search, node, &node.lists[listed[i].list], best.cost)


# ----------------------------------------------------------------------------------------------------------- any levels

cdef bint raise_ends(
    CostSearch search, Py_ssize_t number, CutList* cuts, CutRange* found, int64_t best
) except -1 nogil:
    """Raise the bounds at both ends of a range as far as that helps. Return whether the range is as promising as it
    was."""
    cdef SearchNode* node = node_at(search, number)
    cdef index_t after = found.after, before = node.cuts[after].next
    cdef int64_t key = found.key
    _ask(search, number, cuts, after, LEFT, best - node.cuts[before].least[RIGHT])
    if search.is_over or not open_range(search, node, cuts, after, best, found):
        return False
    _ask(search, number, cuts, before, RIGHT, best - node.cuts[after].least[LEFT])
    return not search.is_over and open_range(search, node, cuts, after, best, found) and found.key == key


cdef int _solve_one(CostSearch search, Py_ssize_t number, CutList* cuts, KnownCost* best) except -1 nogil:
    """Raise the bounds of the most promising range of a list or, if that does not help, divide it."""
    cdef SearchNode* node = node_at(search, number)
    cdef CutRange found
    cdef index_t known, end
    cdef int64_t budgets[2]
    if not open_range(search, node, cuts, cuts.at, best.cost, &found):
        return 0
    if not raise_ends(search, number, cuts, &found, best.cost):
        return 0
    end = nearest_cut(search, node, cuts.column, found.low, found.high, found.low + (found.high - found.low) // 2)
    if end == NONE:
        node.cuts[found.after].is_closed = True
        return 0
    # A bound of this cut helps with the cuts on both of its sides, and is not needed beyond that.
    budgets[RIGHT] = best.cost - node.cuts[found.after].least[LEFT]
    known = add_cut(search, node, cuts, found.after, end)
    budgets[LEFT] = best.cost - node.cuts[node.cuts[known].next].least[RIGHT]
    ask_both(search, number, cuts, known, budgets, best.cost)
    if not search.is_over:
        _take(search, number, <index_t> (cuts - node.lists), known, best)


cdef inline int64_t _bound_of_all(
    SearchNode* node, TreeLimits of_side, TreeLimits limits, int64_t one_less
) noexcept nogil:
    """Bound what all rows of a node cost within the limits of a side."""
    if of_side.depth == 0:
        return node.leaf
    if of_side.depth == 1:
        return node.free_stump
    return one_less if limits.leaves == most_leaves(limits.depth) else 0


cdef int open_search(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t one_less, int64_t best
) except -1 nogil:
    """Begin a search for trees below `best`. With one level less, the rows cost at least `one_less`."""
    cdef SearchNode* node = node_at(search, number)
    cdef CutList* cuts
    cdef index_t i
    search.n_subproblems += 1
    if number + 1 == MOST_LEVELS:
        search.is_over = search.is_too_deep = True
        node.n_lists = 0
        return 0
    open_lists(search, node, limits)
    node.one_less = node.free_stump if limits.depth == 2 else one_less
    for i in range(node.n_lists):
        cuts = &node.lists[i]
        node.cuts[cuts.first].least[RIGHT] = _bound_of_all(node, cuts.limits[RIGHT], limits, one_less)
        node.cuts[node.cuts[cuts.first].next].least[LEFT] = _bound_of_all(node, cuts.limits[LEFT], limits, one_less)
        choose_range(search, node, cuts, best)


cdef int divide(CostSearch search, Py_ssize_t number, index_t list, KnownCost* best) except -1 nogil:
    """Solve further cuts of a list, or of several lists, where they are most promising."""
    cdef SearchNode* node = node_at(search, number)
    if by_table(&node.lists[list]):
        return _solve_several(search, number, best)
    _solve_one(search, number, &node.lists[list], best)
    choose_range(search, node, &node.lists[list], best.cost)


cdef int close_search(CostSearch search, Py_ssize_t number, KnownCost* best) except -1 nogil:
    """Write bounds of what has been searched, for other searches."""
    cdef SearchNode* node = node_at(search, number)
    close_lists(node, best.cost)
    if search.least_samples > 1:
        best.least = free_bound(search, node, best.least)


cdef int _search(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t one_less, KnownCost* best
) except -1 nogil:
    """Look for trees with a split that cost less than `best.cost`, which is a budget or the cost of a known tree. With
    one level less, the rows cost at least `one_less`."""
    cdef SearchNode* node = node_at(search, number)
    cdef index_t list
    open_search(search, number, limits, one_less, best.cost)
    while node.n_lists > 0 and not search.is_over:
        list = most_promising(node)
        if node.lists[list].key >= best.cost:
            break
        divide(search, number, list, best)
    best.least = best.cost
    return close_search(search, number, best)


cdef int list_columns(CostSearch search, Py_ssize_t number, TreeLimits limits) except -1 nogil:
    """List the columns of a node that have a cut, in the order of trial, and bound the costs of single splits."""
    cdef SearchNode* node = node_at(search, number)
    cdef index_t i
    if (
        limits.depth == 2 and search.least_samples == 1 and search.costs_of_labels == NULL
        and not search.keeps_leaf_costs
    ):
        rank_by_table(search, number)
    else:
        rank_columns(search, node)
    node.free_stump = node.leaf
    for i in range(node.n_columns):
        node.free_stump = min(node.free_stump, node.stumps[search.n_columns + node.columns[i]])
    return count_steps(search, <int64_t> node.n_rows * search.n_columns)


cdef bint _is_known(
    CostSearch search, SearchNode* node, TreeLimits limits, int64_t budget, KnownCost* found
) noexcept nogil:
    """Whether the cost of a node's rows is known, or a bound that reaches the budget; write it. Otherwise only write
    the bound."""
    cdef int64_t least = found.least
    found.least = 0
    if recall(search, node, limits, found) and (found.cost != NO_BUDGET or found.budget >= budget):
        return True
    found.least = max(least, found.least, bound_by_recent(search, node, limits))
    found.cost, found.budget = NO_BUDGET, budget
    return found.least >= budget


cdef int _search_in_stages(
    CostSearch search, Py_ssize_t number, TreeLimits limits, TreeLimits affordable, KnownCost* found
) except -1 nogil:
    """Look for trees of growing depth that cost less than `found.cost`, which is at most the budget."""
    cdef SearchNode* node = node_at(search, number)
    cdef bint has_all_leaves = affordable.leaves == most_leaves(affordable.depth), is_given = node.is_given
    cdef int64_t one_less = 0
    cdef index_t depth = 2, i
    node.is_given = False
    if has_all_leaves and affordable.depth <= MOST_STAGES:
        while depth < affordable.depth:
            _search(search, number, tightened(depth, UNLIMITED), one_less, found)
            one_less = found.least
            depth += 1
            affordable = affordable_limits(search, node, affordable, found.cost)
    node.is_given = is_given
    if depth <= affordable.depth:
        _search(search, number, affordable, one_less, found)
    node.is_searched = has_all_leaves and limits.leaves == most_leaves(limits.depth)
    if affordable.depth < limits.depth:
        # Trees of more levels cost at least as much as the best one.
        node.one_less = 0
        for i in range(node.n_lists):
            node.lists[i].key = min(node.lists[i].key, found.cost)


cdef int solve(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t budget, KnownCost* found
) except -1 nogil:
    """Find what the cheapest tree of a node's rows costs, if it costs less than the budget or has at most one split;
    otherwise a bound. The answer has no meaning once the time is over."""
    cdef SearchNode* node = node_at(search, number)
    cdef TreeLimits affordable
    cdef bint is_kept = limits.depth > 2 or (search.keeps_leaf_costs and limits.depth > 1)
    cdef int64_t least
    node.is_searched = False
    weigh(search, number)
    least = min(node.leaf, node.inevitable + 2 * search.leaf_cost)
    found.least, found.cost, found.budget = least, node.leaf, budget
    if limits.depth == 0 or least == node.leaf:
        found.least = node.leaf
        return 0
    if least >= budget:
        found.cost = NO_BUDGET
        return 0
    if is_kept:
        if _is_known(search, node, limits, budget, found):
            return 0
        least = found.least
    if by_pairs(search, limits):
        found.cost = found.least = cost_of_pairs(search, number)
        return 0
    list_columns(search, number, limits)
    found.cost, found.least = node.leaf, node.free_stump
    if node.n_columns > 0:
        found.cost = min(node.leaf, node.stumps[node.columns[0]])
    if node.n_columns == 0 or limits.depth == 1:
        return 0
    found.cost = min(found.cost, budget)
    affordable = affordable_limits(search, node, limits, found.cost)
    if affordable.depth > 1:
        _search_in_stages(search, number, limits, affordable, found)
        found.least = max(found.least, least)
    if found.cost >= budget:
        found.least, found.cost = min(found.least, budget), NO_BUDGET
    return remember(search, node, limits, found) if is_kept and not search.is_over else 0
