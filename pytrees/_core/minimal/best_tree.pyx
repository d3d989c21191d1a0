"""The tree of least cost within limits of levels, leaves and samples of a leaf.

*Search.* A cut divides the rows of a node into two sides, which have one level less, for every way to divide the leaves
between them. `cut_lists` bounds the costs of cuts that are not known by those of known ones. The search takes the range
of cuts with the least bound among all columns, and raises the bounds at both ends as far as that helps; if the range
then still may hold a better cut, it solves both sides of its middle cut. The least bound of all ranges bounds the cost
of the whole tree at any time. A side is searched for trees below a budget: beyond, its cost cannot matter.

*Two levels* take most of the time. They need no nodes for the sides: `two_levels` solves several cuts at once.

*The first tree.* The cost of the cheapest tree is found first. Then the cuts of a node are tried in a fixed order until
one leads to that cost, so that it does not depend on the search which of several cheapest trees is found.
"""

import time

import numpy as np

from libc.math cimport INFINITY
from libc.string cimport memcpy

from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t
from pytrees._core.minimal.cost_search cimport (
    LEFT, MOST_LANES, NO_BUDGET, RIGHT, CostSearch, CutList, KnownCost, KnownCut, ListedCut, SearchNode, TreeLimits,
    bound_by_recent, count_steps, lanes_of, leaf_costs_of, make_side, most_leaves, open_node, rank_columns,
    recall, remember, scan_column, tightened, weigh,
)
from pytrees._core.minimal.cost_search import rows_of
from pytrees._core.minimal.cut_lists cimport (
    CutRange, add_cut, choose_range, close_lists, free_bound, give_keys, keep_keys, list_trials, nearest_cut,
    open_lists, open_range,
)
from pytrees._core.minimal.pair_counts cimport cost_of_column, cost_of_pairs, open_pairs
from pytrees._core.minimal.problem cimport MOST_LEVELS
from pytrees._core.minimal.problem import orders_of_labels
from pytrees._core.minimal.two_levels cimport rank_by_table, settle_leaves, solve_cuts

NO_SPLIT = NONE, NONE, NONE
MOST_MEMORY = 2**62

cdef enum:
    MOST_STAGES = 8             # with a limit of so many levels, trees of fewer levels are looked for first
    LEAST_SHARE = 2             # of the lanes, for a list that has a turn


# ------------------------------------------------------------------------------------------------------------ one cut

cdef inline bint _by_pairs(CostSearch search, TreeLimits limits) noexcept nogil:
    """Whether counts of pairs tell the cost of a tree within limits."""
    return search.has_pairs and limits.depth == 2 and limits.leaves == most_leaves(2)


cdef int _ask(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t known, bint side, int64_t budget
) except -1 nogil:
    """Look for trees of one side of a cut below a budget, unless that has been done or a bound reaches the budget."""
    cdef SearchNode* node = &search.nodes[number]
    cdef KnownCut* cut = &node.cuts[known]
    cdef KnownCost found
    if cut.end == 0 or cut.end == node.n_rows or cut.cost[side] != NO_BUDGET:
        return 0
    if cut.least[side] >= budget or cut.budget[side] >= budget:
        return 0
    open_node(search, number + 1)
    make_side(search, number, cuts.column, cut.end, side, _by_pairs(search, cuts.limits[side]))
    give_keys(search, node, cuts, known, side, &search.nodes[number + 1])
    _solve(search, number + 1, cuts.limits[side], budget, &found)
    if not search.is_over:
        if search.nodes[number + 1].is_searched:
            keep_keys(search, node, known, side, &search.nodes[number + 1], found.least)
        cut.least[side] = max(cut.least[side], found.least)
        cut.cost[side], cut.budget[side] = found.cost, budget
    return 0


cdef int _ask_both(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t known, const int64_t* budgets, int64_t best
) except -1 nogil:
    """Look for trees of both sides of a cut below budgets, the larger side first, unless their costs cannot be below
    `best` together."""
    cdef SearchNode* node = &search.nodes[number]
    cdef KnownCut* cut = &node.cuts[known]
    cdef bint side = 2 * cut.end < node.n_rows
    settle_leaves(search, node, cuts, known)
    for _ in range(2):
        if cut.least[LEFT] + cut.least[RIGHT] >= best or search.is_over:
            break
        _ask(search, number, cuts, known, side, budgets[side])
        side = not side
    return 0


cdef inline int64_t _cost_of(const KnownCut* cut) noexcept nogil:
    """Return the cost of a cut, or NO_BUDGET if it is not known."""
    if cut.cost[LEFT] == NO_BUDGET or cut.cost[RIGHT] == NO_BUDGET:
        return NO_BUDGET
    return cut.cost[LEFT] + cut.cost[RIGHT]


cdef int _take(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t known, KnownCost* best
) except -1 nogil:
    """Take a cut if it is better than the best tree so far; if the node is the root, grow the tree and keep it, unless
    all cuts are to be counted."""
    cdef SearchNode* node = &search.nodes[number]
    cdef int64_t cost = _cost_of(&node.cuts[known])
    if cost < best.cost and not (number == 0 and search.is_counting):
        best.cost = cost
        if number == 0:
            with gil:
                _keep(search, cuts, known, cost)
    return 0


cdef inline bint _by_table(const CutList* cuts) noexcept nogil:
    return max(cuts.limits[LEFT].depth, cuts.limits[RIGHT].depth) <= 1


# ------------------------------------------------------------------------------------------------------- several cuts

cdef inline index_t _most_promising(const SearchNode* node) noexcept nogil:
    cdef index_t i, least = 0
    for i in range(node.n_lists):
        if node.lists[i].key < node.lists[least].key:
            least = i
    return least


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
    cdef SearchNode* node = &search.nodes[number]
    cdef ListedCut listed[MOST_LANES]
    cdef index_t n_lanes = <index_t> lanes_of(&search.table), n = 0, n_lists = 0, list, i, share, added
    for i in range(node.n_lists):
        n_lists += node.lists[i].key < best.cost
    share = max(LEAST_SHARE, n_lanes // n_lists)
    while n < n_lanes and n_lists > 0:
        n_lists -= 1
        list = _most_promising(node)
        if not _by_table(&node.lists[list]):
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
        _take(search, number, &node.lists[listed[i].list], listed[i].cut, best)
    for i in range(n):
        if i == 0 or listed[i].list != listed[i - 1].list:
            choose_range(search, node, &node.lists[listed[i].list], best.cost)
    return 0


# ----------------------------------------------------------------------------------------------------------- any levels

cdef bint _raise_ends(
    CostSearch search, Py_ssize_t number, CutList* cuts, CutRange* found, int64_t best
) except -1 nogil:
    """Raise the bounds at both ends of a range as far as that helps. Return whether the range is as promising as it
    was."""
    cdef SearchNode* node = &search.nodes[number]
    cdef index_t after = found.after, before = node.cuts[after].next
    cdef int64_t key = found.key
    _ask(search, number, cuts, after, LEFT, best - node.cuts[before].least[RIGHT])
    if search.is_over or not open_range(search, node, cuts, after, best, found):
        return False
    _ask(search, number, cuts, before, RIGHT, best - node.cuts[after].least[LEFT])
    return not search.is_over and open_range(search, node, cuts, after, best, found) and found.key == key


cdef int _solve_one(CostSearch search, Py_ssize_t number, CutList* cuts, KnownCost* best) except -1 nogil:
    """Raise the bounds of the most promising range of a list or, if that does not help, divide it."""
    cdef SearchNode* node = &search.nodes[number]
    cdef CutRange found
    cdef index_t known, end
    cdef int64_t budgets[2]
    if not open_range(search, node, cuts, cuts.at, best.cost, &found):
        return 0
    if not _raise_ends(search, number, cuts, &found, best.cost):
        return 0
    end = nearest_cut(search, node, cuts.column, found.low, found.high, found.low + (found.high - found.low) // 2)
    if end == NONE:
        node.cuts[found.after].is_closed = True
        return 0
    # A bound of this cut helps with the cuts on both of its sides, and is not needed beyond that.
    budgets[RIGHT] = best.cost - node.cuts[found.after].least[LEFT]
    known = add_cut(search, node, cuts, found.after, end)
    budgets[LEFT] = best.cost - node.cuts[node.cuts[known].next].least[RIGHT]
    _ask_both(search, number, cuts, known, budgets, best.cost)
    return 0 if search.is_over else _take(search, number, cuts, known, best)


cdef inline int64_t _bound_of_all(
    SearchNode* node, TreeLimits of_side, TreeLimits limits, int64_t one_less
) noexcept nogil:
    """Bound what all rows of a node cost within the limits of a side."""
    if of_side.depth == 0:
        return node.leaf
    if of_side.depth == 1:
        return node.free_stump
    return one_less if limits.leaves == most_leaves(limits.depth) else 0


cdef int _open_search(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t one_less, int64_t best
) except -1 nogil:
    """Begin a search for trees below `best`. With one level less, the rows cost at least `one_less`."""
    cdef SearchNode* node = &search.nodes[number]
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
    return 0


cdef int _divide(CostSearch search, Py_ssize_t number, KnownCost* best) except -1 nogil:
    """Solve further cuts where they are most promising."""
    cdef SearchNode* node = &search.nodes[number]
    cdef CutList* cuts = &node.lists[_most_promising(node)]
    if _by_table(cuts):
        return _solve_several(search, number, best)
    _solve_one(search, number, cuts, best)
    choose_range(search, node, cuts, best.cost)
    return 0


cdef int _search(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t one_less, int64_t gap, KnownCost* best
) except -1 nogil:
    """Look for trees with a split that cost less than `best.cost`, which is a budget or the cost of a known tree, until
    the bound is as near as `gap`. With one level less, the rows cost at least `one_less`."""
    cdef SearchNode* node = &search.nodes[number]
    _open_search(search, number, limits, one_less, best.cost)
    best.least = best.cost
    while not search.is_over:
        if node.n_lists > 0:
            best.least = min(best.cost, node.lists[_most_promising(node)].key)
        if number == 0 and search.is_last:
            search.least = max(search.least, best.least)
        if best.cost - best.least <= gap:
            break
        _divide(search, number, best)
    close_lists(node, best.cost)
    if search.least_samples > 1:
        best.least = free_bound(search, node, best.least)
    return 0


cdef inline TreeLimits _affordable(
    CostSearch search, SearchNode* node, TreeLimits limits, int64_t budget
) noexcept nogil:
    """Return limits for trees below a budget, which may allow fewer levels."""
    cdef int64_t n_leaves
    if search.leaf_cost == 0:
        return limits
    n_leaves = max((budget - 1 - node.inevitable) // search.leaf_cost, 2)
    return limits if n_leaves > limits.depth else tightened(<index_t> (n_leaves - 1), limits.leaves)


cdef int _list_columns(CostSearch search, Py_ssize_t number, TreeLimits limits) except -1 nogil:
    """List the columns of a node that have a cut, in the order of trial, and bound the costs of single splits."""
    cdef SearchNode* node = &search.nodes[number]
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
    cdef SearchNode* node = &search.nodes[number]
    cdef bint has_all_leaves = affordable.leaves == most_leaves(affordable.depth), is_given = node.is_given
    cdef int64_t one_less = 0
    cdef index_t depth, i
    node.is_given = False
    if has_all_leaves and affordable.depth <= MOST_STAGES and number > 0:
        for depth in range(2, affordable.depth):
            _search(search, number, tightened(depth, UNLIMITED), one_less, 0, found)
            one_less = found.least
    node.is_given = is_given
    _search(search, number, affordable, one_less, 0, found)
    node.is_searched = has_all_leaves and limits.leaves == most_leaves(limits.depth)
    if affordable.depth < limits.depth:
        # Trees of more levels cost at least the budget.
        node.one_less = 0
        for i in range(node.n_lists):
            node.lists[i].key = min(node.lists[i].key, found.budget)
    return 0


cdef int _solve(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t budget, KnownCost* found
) except -1 nogil:
    """Find what the cheapest tree of a node's rows costs, if it costs less than the budget or has at most one split;
    otherwise a bound. The answer has no meaning once the time is over."""
    cdef SearchNode* node = &search.nodes[number]
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
    if _by_pairs(search, limits):
        found.cost = found.least = cost_of_pairs(search, number)
        return 0
    _list_columns(search, number, limits)
    found.cost, found.least = node.leaf, node.free_stump
    if node.n_columns > 0:
        found.cost = min(node.leaf, node.stumps[node.columns[0]])
    if node.n_columns == 0 or limits.depth == 1:
        return 0
    affordable = _affordable(search, node, limits, budget)
    if affordable.depth > 1:
        found.cost = min(found.cost, budget)
        _search_in_stages(search, number, limits, affordable, found)
        found.least = max(found.least, least)
    if found.cost >= budget:
        found.least, found.cost = min(found.least, budget), NO_BUDGET
    return remember(search, node, limits, found) if is_kept and not search.is_over else 0


# ------------------------------------------------------------------------------------------------------- the first tree

cdef index_t _find_known(SearchNode* node, const CutList* cuts, index_t end) noexcept nogil:
    """Return the last known cut of a list that is not after `end`."""
    cdef index_t known = cuts.first
    while node.cuts[node.cuts[known].next].end <= end:
        known = node.cuts[known].next
    return known


cdef index_t _try_cut(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t end, int64_t best
) except -2 nogil:
    """Solve a cut if it may cost less than `best`. Return its number, or NONE if it may not."""
    cdef SearchNode* node = &search.nodes[number]
    cdef CutRange found
    cdef KnownCut* cut
    cdef index_t known = _find_known(node, cuts, end)
    cdef int64_t budgets[2]
    if node.cuts[known].end != end:
        if not open_range(search, node, cuts, known, best, &found):
            return NONE
        _raise_ends(search, number, cuts, &found, best)
        if search.is_over or not open_range(search, node, cuts, known, best, &found):
            return NONE
        if not found.low <= end <= found.high:
            return NONE
        known = add_cut(search, node, cuts, known, end)
    cut = &node.cuts[known]
    budgets[LEFT], budgets[RIGHT] = best - cut.least[RIGHT], best - cut.least[LEFT]
    _ask_both(search, number, cuts, known, budgets, best)
    return NONE if search.is_over else known


cdef index_t _try_several(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t n_trials, index_t* trial, int64_t best
) except -2 nogil:
    """Solve the next cuts of a list in the order of trial that may cost less than `best`, up to one a lane. Return the
    first that does, or NONE; move on to the next trial."""
    cdef SearchNode* node = &search.nodes[number]
    cdef index_t numbers[MOST_LANES]
    cdef ListedCut ascending[MOST_LANES]
    cdef index_t n_lanes = <index_t> lanes_of(&search.table), n = 0, known, end, i
    cdef CutRange found
    while trial[0] < n_trials and n < n_lanes:
        end = search.trials[trial[0]]
        trial[0] += 1
        known = _find_known(node, cuts, end)
        if node.cuts[known].end == end:
            if _cost_of(&node.cuts[known]) < best:
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
        if _cost_of(&node.cuts[numbers[i]]) < best:
            return numbers[i]
    return NONE


cdef index_t _first_in_list(
    CostSearch search, Py_ssize_t number, CutList* cuts, int64_t cost
) except -2 nogil:
    """Return the first cut of a list, in the order of trial, that costs at most `cost`; NONE if there is none."""
    cdef SearchNode* node = &search.nodes[number]
    cdef index_t n_trials = list_trials(search, node, cuts.column), trial = 0, known
    while trial < n_trials and not search.is_over:
        if _by_table(cuts):
            known = _try_several(search, number, cuts, n_trials, &trial, cost + 1)
        else:
            known = _try_cut(search, number, cuts, search.trials[trial], cost + 1)
            trial += 1
            if known != NONE and _cost_of(&node.cuts[known]) > cost:
                known = NONE
        if known != NONE:
            return known
    return NONE


cdef index_t _list_stumps(CostSearch search, SearchNode* node, index_t column, int64_t cost) noexcept nogil:
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


cdef index_t _first_list(CostSearch search, Py_ssize_t number, int64_t cost, index_t* known) except -2 nogil:
    """Return the first list with a cut that costs at most `cost`, and write the cut; NONE if time is over."""
    cdef SearchNode* node = &search.nodes[number]
    cdef index_t i
    cdef bint by_pairs = _by_pairs(search, node.limits)
    if by_pairs:
        cost_of_pairs(search, number)
    for i in range(node.n_lists):
        if by_pairs and cost_of_column(search, node, node.lists[i].column) > cost:
            continue
        known[0] = _first_in_list(search, number, &node.lists[i], cost)
        if known[0] != NONE or search.is_over:
            return NONE if search.is_over else i
    return NONE


cdef bint _grow(CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t cost, splits) except -1:
    """Append the nodes of the first tree of a cost in preorder; return whether there was time."""
    cdef SearchNode* node = &search.nodes[number]
    cdef const index_t* order
    cdef index_t list, end, known = NONE
    weigh(search, number)
    if node.leaf <= cost:
        splits.append(NO_SPLIT)
        return True
    rank_columns(search, node)
    node.free_stump = 0
    node.is_given = False
    limits = _affordable(search, node, limits, cost + 1)
    if limits.depth == 1:
        _list_stumps(search, node, node.columns[0], cost)
        end = search.trials[0]
        order = node.orders + node.columns[0] * search.n_rows
        splits += [(node.columns[0], order[end - 1], order[end]), NO_SPLIT, NO_SPLIT]
        return True
    with nogil:
        _open_search(search, number, limits, 0, cost + 1)
        list = _first_list(search, number, cost, &known)
    return list != NONE and _grow_sides(search, number, &node.lists[list], known, splits)


cdef bint _grow_sides(CostSearch search, Py_ssize_t number, CutList* cuts, index_t known, splits) except -1:
    """Append a split and the trees of both sides."""
    cdef SearchNode* node = &search.nodes[number]
    cdef KnownCut cut = node.cuts[known]
    cdef CutList of_cut = cuts[0]
    cdef const index_t* order = node.orders + of_cut.column * search.n_rows
    cdef int side
    splits.append((of_cut.column, order[cut.end - 1], order[cut.end]))
    open_node(search, number + 1)
    for side in range(2):
        make_side(search, number, of_cut.column, cut.end, side, False)
        if not _grow(search, number + 1, of_cut.limits[side], cut.cost[side], splits):
            return False
    return True


cdef int _keep(CostSearch search, CutList* cuts, index_t known, int64_t cost) except -1:
    """Keep the tree of a cut of the root, if there is time to grow it."""
    splits = []
    if _grow_sides(search, 0, cuts, known, splits):
        search.splits, search.cost_of_splits = splits, cost
    return 0


# ------------------------------------------------------------------------------------------------------------- the root

cdef int _keep_small(CostSearch search) except -1:
    """Keep the best tree of at most one split, if it costs less than the budget."""
    cdef TreeLimits limits = tightened(1, 2)
    cdef KnownCost found
    with nogil:
        _solve(search, 0, limits, search.cost_of_splits, &found)
    if found.cost < search.cost_of_splits:
        splits = []
        _grow(search, 0, limits, found.cost, splits)
        search.splits, search.cost_of_splits = splits, found.cost
    return 0


cdef int _raise_budget(CostSearch search, TreeLimits limits, int64_t gap) except -1 nogil:
    """Search for trees below growing budgets. If leaves have a price, a low budget allows few levels."""
    cdef KnownCost found
    cdef int64_t budget
    while search.cost_of_splits - search.least > gap and not search.is_over:
        budget = min(search.least + search.leaf_cost, search.cost_of_splits)
        _solve(search, 0, limits, budget, &found)
        if not search.is_over:
            search.least = budget if found.cost == NO_BUDGET else found.cost
    return 0


cdef int _search_root(CostSearch search, TreeLimits limits, int64_t gap) except -1 nogil:
    """Search for trees that are cheaper than the best tree so far, with few levels first."""
    cdef index_t depth = 2
    cdef int64_t one_less = 0
    cdef KnownCost found
    _list_columns(search, 0, limits)
    while search.least < search.cost_of_splits and not search.is_over:
        # With many levels, two levels are enough for a first tree.
        depth = depth if limits.depth <= MOST_STAGES or depth == 2 else limits.depth
        search.is_last = depth == limits.depth
        found.cost = search.cost_of_splits
        if search.is_last and depth > MOST_STAGES and search.leaf_cost > 0:
            return _raise_budget(search, limits, gap)
        if not search.is_last and _by_pairs(search, tightened(depth, limits.leaves)):
            one_less = cost_of_pairs(search, 0)
            depth += 1
            continue
        _search(search, 0, tightened(depth, limits.leaves), one_less, gap if search.is_last else 0, &found)
        if search.is_last:
            return 0
        one_less = found.least
        depth += 1
    return 0


cdef _count_roots(CostSearch search, TreeLimits limits, int64_t cost):
    """Return how many cuts of the root begin a tree of the least cost; -1 if there is not time enough."""
    cdef SearchNode* root = &search.nodes[0]
    cdef KnownCost best
    cdef CutList* cuts
    cdef index_t i, known
    cdef int64_t budgets[2]
    roots = set()
    weigh(search, 0)
    rank_columns(search, root)
    if limits.depth == 1:
        return sum(_list_stumps(search, root, root.columns[i], cost) for i in range(root.n_columns))
    root.free_stump, root.is_given = 0, False
    search.is_counting, best.cost = True, cost + 1
    with nogil:
        _open_search(search, 0, limits, 0, best.cost)
        while root.n_lists > 0 and root.lists[_most_promising(root)].key <= cost and not search.is_over:
            _divide(search, 0, &best)
    for i in range(root.n_lists):
        cuts = &root.lists[i]
        known = root.cuts[cuts.first].next
        while known != NONE and root.cuts[known].next != NONE and not search.is_over:
            budgets[LEFT], budgets[RIGHT] = (
                cost + 1 - root.cuts[known].least[RIGHT], cost + 1 - root.cuts[known].least[LEFT]
            )
            with nogil:
                _ask_both(search, 0, cuts, known, budgets, cost + 1)
            if _cost_of(&root.cuts[known]) == cost:
                roots.add((cuts.column, root.cuts[known].end))
            known = root.cuts[known].next
    return -1 if search.is_over else len(roots)


cdef _run(CostSearch search, TreeLimits limits, int64_t gap, count_roots):
    """Search for the cheapest tree; return how many cuts of the root are best, or -1 if that is not known."""
    cdef SearchNode* root = &search.nodes[0]
    weigh(search, 0)
    search.least = min(root.leaf, root.inevitable + 2 * search.leaf_cost)
    search.is_over = time.monotonic() >= search.deadline
    if not search.is_over:
        _keep_small(search)
    if search.is_over:
        return -1
    if limits.depth > 1:
        with nogil:
            _search_root(search, limits, gap)
    else:
        search.least = search.cost_of_splits
    if search.is_over or search.splits is None or search.least < search.cost_of_splits:
        return -1
    splits = []
    if _grow(search, 0, limits, search.cost_of_splits, splits):
        search.splits = splits
    return _count_roots(search, limits, search.cost_of_splits) if count_roots and not search.is_over else -1


def cheapest_tree(
    const index_t[:, ::1] ranks, const index_t[::1] y, const int64_t[::1] weights, matrix, Py_ssize_t n_classes,
    int64_t leaf_cost, max_depth, max_leaf_nodes, min_samples_leaf, *, budget=None, gap=0, time_limit=None,
    memory_limit=2**30, count_roots=False, report=None,
):
    """Find the tree of least cost within limits of levels, leaves and samples of a leaf. UNLIMITED means no limit.

    A leaf costs `leaf_cost`, and for each of its samples the weight times ``matrix[j, k]`` if the sample has class j
    and the leaf predicts k, its cheapest class; without a matrix an error costs the weight. Samples compare by ranks in
    columns. Among several trees it is the one that is tried first: a leaf comes before splits; columns come in the
    order of the costs of their best split, then by number; cuts of a column in the order of `list_trials`; divisions
    of the leaves in the order of `leaves_on_the_left`. If a limit of time ends the search before that is known, it is
    any tree of the least cost that was found.

    Parameters
    ----------
    budget : int or None
        Trees that cost as much or more are not looked for.
    gap : int
        The search ends as soon as the tree found costs at most so much more than a bound.
    time_limit : float or None
        Seconds.
    memory_limit : int
        Bytes of the table of sets.
    count_roots : bool
        Whether to count the best cuts of the root.
    report : callable or None
        Is called with the cost found so far, or None, and with a bound, about once a second.

    Returns
    -------
    splits : list of tuples or None
        By node, in preorder: column, a sample below and a sample above the cut, whose ranks are next to it; -1 in
        leaves. None if no tree below the budget was found, or trees may be deeper than the search can be.
    cost : int
        The cost of the tree; the budget if there is none.
    least : int
        No tree costs less; at most the cost.
    n_subproblems : int
        Sets of rows that had to be looked at.
    n_best_roots : int
        How many cuts of the root begin a tree of the least cost; -1 if that is not known.
    ended_by : str
        "Ctrl-C" or "A lack of memory" if that ended the search; otherwise empty.
    """
    start = time.monotonic()
    cdef TreeLimits limits = tightened(max_depth, max_leaf_nodes)
    first, *rows = rows_of(np.asarray(ranks), np.asarray(y), np.asarray(weights), n_classes, min_samples_leaf)
    cdef CostSearch search = CostSearch(
        *rows, n_classes, matrix, leaf_cost, min_samples_leaf, limits.leaves < most_leaves(limits.depth),
        INFINITY if time_limit is None else start + time_limit, report, min(memory_limit, MOST_MEMORY),
    )
    cdef index_t[:, ::1] orders = orders_of_labels(*rows[:2])
    open_pairs(search)
    open_node(search, 0)
    memcpy(search.nodes[0].orders, &orders[0, 0], orders.shape[0] * orders.shape[1] * sizeof(index_t))
    search.nodes[0].n_rows = <index_t> search.n_rows
    search.cost_of_splits = NO_BUDGET if budget is None else budget
    n_roots, ended_by = -1, ""
    try:
        n_roots = _run(search, limits, gap, count_roots)
    except KeyboardInterrupt:
        ended_by = "Ctrl-C"
    except MemoryError:
        ended_by = "A lack of memory"
    splits, cost = search.splits, search.cost_of_splits
    if splits is not None:
        splits = [(column, *(NONE if row == NONE else int(first[row]) for row in of_cut)) for column, *of_cut in splits]
    if search.is_too_deep and budget is None:
        splits = None
    return splits, cost, min(search.least, cost), search.n_subproblems, n_roots, ended_by
