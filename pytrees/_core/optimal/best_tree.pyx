"""The tree of least cost within limits of levels, leaves and samples of a leaf: the search of the root.

*Search.* `any_levels` searches the cuts of a node. At the root the tree of every better cut is kept. The least bound of
all cuts bounds the cost of the whole tree at any time.

*The first tree.* The cost of the cheapest tree is found first. Then the cuts of a node are tried in a fixed order until
one leads to that cost, so that it does not depend on the search which of several cheapest trees is found.

*Threads* share the lists of the root's cuts, and each list belongs to one thread at a time. A thread needs nothing of
the others while it searches a side of a cut.
"""

import time
from threading import Condition

import numpy as np

cimport cython
from libc.math cimport INFINITY
from libc.string cimport memcpy

from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t
from pytrees._core.minimal.problem cimport STEPS_BETWEEN_CHECKS
from pytrees._core.optimal.any_levels cimport (
    MOST_STAGES, affordable_limits, ask_both, by_pairs, by_table, close_search, cost_of, divide, list_columns,
    most_promising, open_search,
)
from pytrees._core.optimal.cost_search cimport (
    LEFT, NO_BUDGET, RIGHT, CostSearch, CutList, KnownCost, KnownCut, SearchNode, TreeLimits, count_steps, enter_root,
    leave_root, most_leaves, open_node, tightened, weigh,
)
from pytrees._core.optimal.first_tree cimport (
    FirstCut, begin_tree, grow_sides, list_stumps, open_again, open_first, try_lists,
)
from pytrees._core.optimal.pair_counts cimport cost_of_pairs, open_pairs

from pytrees._core.base.threads import Stop, work_together
from pytrees._core.optimal.cost_search import orders_of_labels, rows_of

MOST_MEMORY = 2**62
SECONDS_OF_A_WAIT = 0.2

cdef enum:
    ROUNDS_OF_A_LEAF = 16       # with budgets that grow by the price of one leaf


# ------------------------------------------------------------------------------------------------------------- threads

@cython.final
cdef class SearchTeam:
    """The searches of all threads, which share the root of the first search, and the task that they work on. The task
    and the lists of the root belong to the thread that holds `change`."""

    cdef list searches
    cdef object change, stop    # `stop` is set if a thread fails
    cdef KnownCost best         # of the root's cuts so far
    cdef int64_t known          # the cost of the cheapest tree found; `best` may begin with a lower budget
    cdef int64_t gap            # how far the bound may stay below that cost
    cdef bint is_growing        # the first tree is looked for, not a better one
    cdef FirstCut first

    def __init__(self, searches):
        self.searches, self.change, self.stop = searches, Condition(), Stop()

    def wait(self):
        """Wait until another thread has changed the lists, or for a moment."""
        if not self.stop.is_set():
            self.change.wait(SECONDS_OF_A_WAIT)


cdef _do_together(SearchTeam team):
    """Work on the task of a team with all threads. The first one is the calling thread, which alone handles signals."""
    cdef CostSearch first = team.searches[0], search
    if len(team.searches) == 1 or first.root.limits.depth == 2:
        with nogil:
            _work(team, first)
        return
    work_together(team.stop, _work_in_turns, [(team, search) for search in team.searches])
    for search in team.searches[1:]:
        first.is_over |= search.is_over
        first.is_too_deep |= search.is_too_deep


def _work_in_turns(SearchTeam team, CostSearch search):
    """Do one thread's work. The thread has the root unless it searches the sides of a cut."""
    cdef CostSearch first = team.searches[0]
    search.root_lock = team.change
    try:
        with nogil:
            enter_root(search, 0)
            _work(team, search)
    except BaseException:
        first.is_over = True
        raise
    finally:
        with nogil:
            enter_root(search, 0)
        try:
            team.change.notify_all()
        finally:
            with nogil:
                leave_root(search, 0)
            search.root_lock = None


cdef int _work(SearchTeam team, CostSearch search) except -1 nogil:
    if team.is_growing:
        return try_lists(search, 0, team.best.cost, &team.first)
    return _look_for_better(team, search)


cdef int _look_for_better(SearchTeam team, CostSearch search) except -1 nogil:
    """Look for cuts of the root that are better than the best one so far, until the bound is near enough."""
    cdef SearchNode* root = search.root
    cdef CutList* cuts
    cdef index_t list
    while root.n_lists > 0 and not search.is_over:
        _bound(team, search)
        if team.best.least >= team.best.cost or team.known - team.best.least <= team.gap:
            break
        list = most_promising(root)
        cuts = &root.lists[list]
        if cuts.key >= team.best.cost:
            # Other threads have all lists that may have better cuts.
            with gil:
                team.wait()
            count_steps(search, STEPS_BETWEEN_CHECKS)
            continue
        if not by_table(cuts):
            cuts.key_of_taken, cuts.key = cuts.key, NO_BUDGET
        divide(search, 0, list, &team.best)
        cuts.key_of_taken = NO_BUDGET
        if root.best.cut != NONE:
            team.known = min(team.known, team.best.cost)
            _keep(search)
        if search.root_lock is not None:
            with gil:
                _take_best(team)
                team.change.notify_all()


cdef void _bound(SearchTeam team, CostSearch search) noexcept nogil:
    """Bound the cost of the task, and of any tree if the task has all levels."""
    cdef const SearchNode* root = search.root
    cdef index_t i
    team.best.least = team.best.cost
    for i in range(root.n_lists):
        team.best.least = min(team.best.least, root.lists[i].key, root.lists[i].key_of_taken)
    if search.is_last:
        search.least = max(search.least, team.best.least)


cdef int _keep(CostSearch search) except -1 nogil:
    """Keep the tree of the root's best cut, if there is time to grow it."""
    cdef SearchNode* root = search.root
    cdef CutList cuts = root.lists[root.best.list]
    cdef KnownCut cut = root.cuts[root.best.cut]
    root.best.cut = NONE
    leave_root(search, 0)
    with gil:
        splits = []
        is_grown = grow_sides(search, 0, cuts, cut, splits)
        with nogil:
            enter_root(search, 0)
        if is_grown and cost_of(&cut) < search.cost_of_splits:
            search.splits, search.cost_of_splits = splits, cost_of(&cut)


# ------------------------------------------------------------------------------------------------------------- the root

cdef _keep_small(CostSearch search):
    """Keep the best tree of at most one split, if it costs less than the budget."""
    cdef SearchNode* root = search.root
    cdef int64_t cost = root.leaf
    if root.n_columns > 0:
        cost = min(cost, root.stumps[root.columns[0]])
    if cost < search.cost_of_splits:
        splits = []
        begin_tree(search, 0, tightened(1, 2), cost, splits)
        search.splits, search.cost_of_splits = splits, cost


cdef _search_lists(SearchTeam team, TreeLimits limits, int64_t one_less, int64_t budget):
    """Look for trees with a split that cost less than a budget. With one level less, the rows cost at least
    `one_less`."""
    cdef CostSearch search = team.searches[0]
    team.best.cost, team.known = budget, search.cost_of_splits
    with nogil:
        open_search(search, 0, limits, one_less, budget)
    _do_together(team)
    if not search.is_over:
        _bound(team, search)
    close_search(search, 0, &team.best)
    _take_best(team)


cdef _take_best(SearchTeam team):
    """Give the best tree that was found to the first search."""
    cdef CostSearch first = team.searches[0], search
    for search in team.searches[1:]:
        if search.cost_of_splits < first.cost_of_splits:
            first.splits, first.cost_of_splits = search.splits, search.cost_of_splits


cdef _raise_budget(SearchTeam team, TreeLimits limits):
    """Search for trees below growing budgets. If leaves have a price, a low budget allows few levels. The first rounds
    add a leaf each; then steps grow, so that a price as small as one allows takes some 200 rounds."""
    cdef CostSearch search = team.searches[0]
    cdef TreeLimits affordable
    cdef int64_t budget, step = search.leaf_cost
    cdef index_t n_rounds = 0
    while search.cost_of_splits - search.least > team.gap and not search.is_over:
        budget = min(search.least + step, search.cost_of_splits)
        n_rounds += 1
        if n_rounds > ROUNDS_OF_A_LEAF:
            step += (step + 3) // 4
        affordable = affordable_limits(search, search.root, limits, budget)
        if affordable.depth > 1:
            _search_lists(team, affordable, 0, budget)
        elif not search.is_over:
            search.least = budget


cdef _search_root(SearchTeam team, TreeLimits limits, int64_t gap):
    """Search for trees that are cheaper than the best tree so far, with few levels first."""
    cdef CostSearch search = team.searches[0]
    cdef index_t depth = 2
    cdef int64_t one_less = 0
    while search.least < search.cost_of_splits and not search.is_over:
        # With many levels, two levels are enough for a first tree; with few leaves, levels that allow all of them are.
        if depth > 2 and (limits.depth > MOST_STAGES or limits.leaves <= most_leaves(depth - 1)):
            depth = limits.depth
        if depth == limits.depth:
            team.gap, search.is_last = gap, True
            if depth > MOST_STAGES and search.leaf_cost > 0:
                return _raise_budget(team, limits)
            return _search_lists(team, limits, one_less, search.cost_of_splits)
        if by_pairs(search, tightened(depth, limits.leaves)):
            one_less = cost_of_pairs(search, 0)
        else:
            _search_lists(team, tightened(depth, limits.leaves), one_less, search.cost_of_splits)
            one_less = team.best.least
        depth += 1


cdef _grow_first(SearchTeam team, TreeLimits limits):
    """Keep the first tree of the least cost, if there is time to find it."""
    cdef CostSearch search = team.searches[0]
    cdef SearchNode* root = search.root
    splits = []
    if not begin_tree(search, 0, limits, search.cost_of_splits, splits):
        team.is_growing, team.best.cost = True, search.cost_of_splits
        open_first(&team.first)
        _do_together(team)
        team.is_growing = False
        if search.is_over or team.first.cut == NONE:
            return
        if not grow_sides(search, 0, root.lists[team.first.list], root.cuts[team.first.cut], splits):
            return
    search.splits = splits


cdef _count_roots(SearchTeam team, TreeLimits limits):
    """Return how many cuts of the root begin a tree of the least cost; -1 if there is not time enough."""
    cdef CostSearch search = team.searches[0], other
    cdef SearchNode* root = search.root
    cdef int64_t cost = search.cost_of_splits
    cdef CutList* cuts
    cdef index_t i, known
    cdef int64_t budgets[2]
    roots = set()
    if limits.depth == 1:
        return sum(list_stumps(search, root, root.columns[i], cost) for i in range(root.n_columns))
    root.is_given = False
    team.best.cost = team.known = cost + 1
    team.gap, search.is_last = 0, False
    for other in team.searches:
        other.is_counting = True
    with nogil:
        open_again(search, 0, limits, team.best.cost)
    _do_together(team)
    for i in range(root.n_lists):
        cuts = &root.lists[i]
        known = root.cuts[cuts.first].next
        while known != NONE and root.cuts[known].next != NONE and not search.is_over:
            budgets[LEFT], budgets[RIGHT] = (
                cost + 1 - root.cuts[known].least[RIGHT], cost + 1 - root.cuts[known].least[LEFT]
            )
            with nogil:
                ask_both(search, 0, cuts, known, budgets, cost + 1)
            if cost_of(&root.cuts[known]) == cost:
                roots.add((cuts.column, root.cuts[known].end))
            known = root.cuts[known].next
    return -1 if search.is_over else len(roots)


cdef _run(SearchTeam team, TreeLimits limits, int64_t gap, count_roots):
    """Search for the cheapest tree; return how many cuts of the root are best, or -1 if that is not known."""
    cdef CostSearch search = team.searches[0]
    weigh(search, 0)
    search.least = min(search.root.leaf, search.root.inevitable + 2 * search.leaf_cost)
    if time.monotonic() >= search.deadline:
        return -1
    with nogil:
        list_columns(search, 0, limits)
    _keep_small(search)
    if limits.depth > 1:
        _search_root(team, limits, gap)
    else:
        search.least = search.cost_of_splits
    if search.is_over or search.splits is None or search.least < search.cost_of_splits:
        return -1
    _grow_first(team, limits)
    return _count_roots(team, limits) if count_roots and not search.is_over else -1


cdef CostSearch _open(SearchTeam team, const index_t[:, ::1] orders, report):
    """Write the rows to the root, which all searches share, and return the first search."""
    cdef CostSearch first = team.searches[0], search
    first.report = report
    open_node(first, 0)
    memcpy(first.root.orders, &orders[0, 0], orders.shape[0] * orders.shape[1] * sizeof(index_t))
    first.root.n_rows = <index_t> first.n_rows
    for search in team.searches:
        search.root = first.root
        open_pairs(search)
    return first


def cheapest_tree(
    const index_t[:, ::1] ranks, const index_t[::1] y, const int64_t[::1] weights, matrix, Py_ssize_t n_classes,
    int64_t leaf_cost, max_depth, max_leaf_nodes, min_samples_leaf, *, budget=None, gap=0, time_limit=None,
    memory_limit=2**30, count_roots=False, report=None, index_t n_threads=1,
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
    n_threads : int
        Threads that share the search. The tree is the same for every number, unless the search ends early.

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
    deadline = INFINITY if time_limit is None else time.monotonic() + time_limit
    # No tree needs more leaves than samples.
    cdef TreeLimits limits = tightened(max_depth, max_leaf_nodes if max_leaf_nodes < len(y) else UNLIMITED)
    first, *rows = rows_of(np.asarray(ranks), np.asarray(y), np.asarray(weights), n_classes, min_samples_leaf)
    n_threads = max(1, min(n_threads, <index_t> len(ranks)))
    memory = min(memory_limit, MOST_MEMORY) // n_threads
    options = (matrix, leaf_cost, min_samples_leaf, limits.leaves < most_leaves(limits.depth), deadline)
    cdef SearchTeam team = SearchTeam([CostSearch(*rows, n_classes, *options, memory) for _ in range(n_threads)])
    cdef CostSearch search = _open(team, orders_of_labels(*rows[:2]), report)
    search.cost_of_splits = NO_BUDGET if budget is None else budget
    n_roots, ended_by = -1, ""
    try:
        n_roots = _run(team, limits, gap, count_roots)
    except KeyboardInterrupt:
        ended_by = "Ctrl-C"
    except MemoryError:
        ended_by = "A lack of memory"
    _take_best(team)
    splits, cost = search.splits, search.cost_of_splits
    if splits is not None:
        splits = [(column, *(NONE if row == NONE else int(first[row]) for row in of_cut)) for column, *of_cut in splits]
    if search.is_too_deep and budget is None:
        splits = None
    n_subproblems = sum([(<CostSearch> one).n_subproblems for one in team.searches])
    return splits, cost, min(search.least, cost), n_subproblems, n_roots, ended_by
