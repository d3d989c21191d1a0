"""Bounds of the cuts of a node, by column and division of the leaves, and the places where better cuts may still be.

The left sides of a column's cuts grow from cut to cut, and a set costs at least as much as each of its parts. A part's
tree serves the whole set as well, and costs at most the greatest cost of each additional row more. A cut between two
known cuts a and b therefore costs at least L(a) + R(b), where L and R are bounds of the sides' costs; and at least
L(b) + R(a) less the greatest costs of the rows between. The same bounds keep cuts that are near to a or b from being
better than the best tree so far.

All of this holds without a limit on the samples of a leaf. With such a limit trees cost as much or more.
"""

from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport NONE, index_t, int64_t
from pytrees._core.optimal.cost_search cimport (
    LEFT, NO_BUDGET, RIGHT, CostSearch, CutList, KnownCut, SearchNode, TreeLimits, count_divisions, is_cut,
    leaf_costs_of, leaves_on_the_left, leaves_on_the_right, limits_of_side,
)


cdef inline int64_t _least_of_side(
    CostSearch search, SearchNode* node, const CutList* cuts, bint side, index_t end
) noexcept nogil:
    """Bound the cost of a side by the cost of a leaf or, if the side may be split, by the cost of two leaves with no
    errors but the inevitable ones."""
    cdef const int64_t* sums
    cdef int64_t inevitable = 0, leaf
    if search.has_inevitable:
        sums = node.inevitables + cuts.column * <Py_ssize_t> (node.n_rows + 1)
        inevitable = sums[end] if side == LEFT else sums[node.n_rows] - sums[end]
    if not search.keeps_leaf_costs:
        return inevitable
    leaf = leaf_costs_of(node, search.n_columns, side, cuts.column)[end]
    return leaf if cuts.limits[side].depth == 0 else min(leaf, inevitable + 2 * search.leaf_cost)


cdef inline index_t _new_cut(SearchNode* node, index_t end, index_t next_cut, int64_t before) noexcept nogil:
    cdef KnownCut* cut = &node.cuts[node.n_cuts]
    cut.end, cut.next, cut.before = end, next_cut, before
    cut.least[0] = cut.least[1] = 0
    cut.cost[0] = cut.cost[1] = NO_BUDGET
    cut.budget[0] = cut.budget[1] = 0
    cut.keys[0] = cut.keys[1] = NONE
    cut.is_closed = False
    node.n_cuts += 1
    return node.n_cuts - 1


cdef int64_t _cost_between(
    CostSearch search, SearchNode* node, index_t column, index_t start, index_t end
) noexcept nogil:
    """Return the greatest costs of the rows from `start` to `end` in a column's order, together."""
    cdef const index_t* order = node.orders + column * search.n_rows
    cdef int64_t total = 0
    cdef index_t i
    if search.has_unit_weights and search.costs_of_labels == NULL:
        return (end - start) * search.unit
    for i in range(start, end):
        total += search.greatest_costs[order[i]]
    return total


cdef int open_lists(CostSearch search, SearchNode* node, TreeLimits limits) except -1 nogil:
    """Begin a list for every column and division of the leaves; only the ends of the columns are known."""
    cdef Py_ssize_t n_divisions = count_divisions(limits)
    cdef index_t i, position, last
    cdef int64_t total = _cost_between(search, node, 0, 0, node.n_rows)
    cdef CutList* cuts
    node.limits = limits
    node.n_lists = node.n_cuts = node.n_keys = 0
    node.best.list = node.best.cut = NONE
    reserve(<void**> &node.lists, &node.list_capacity, n_divisions * node.n_columns, sizeof(CutList), b"lists of cuts")
    reserve(<void**> &node.cuts, &node.cut_capacity, 2 * n_divisions * node.n_columns, sizeof(KnownCut), b"known cuts")
    for i in range(n_divisions):
        for position in range(node.n_columns):
            cuts = &node.lists[node.n_lists]
            node.n_lists += 1
            cuts.division = i
            cuts.column, cuts.left_leaves = node.columns[position], leaves_on_the_left(limits, i)
            cuts.limits[LEFT] = limits_of_side(limits, cuts.left_leaves)
            cuts.limits[RIGHT] = limits_of_side(limits, leaves_on_the_right(limits, cuts.left_leaves))
            last = _new_cut(node, node.n_rows, NONE, total)
            cuts.first = cuts.at = _new_cut(node, 0, last, 0)
            node.cuts[last].previous, node.cuts[cuts.first].previous = cuts.first, NONE
            cuts.key, cuts.given, cuts.key_of_taken = 0, 0, NO_BUDGET
            if node.is_given:
                cuts.given = node.given[i * search.n_columns + cuts.column]


cdef inline index_t _moved(
    CostSearch search, const index_t* order, index_t end, index_t step, index_t limit, int64_t spare
) noexcept nogil:
    """Return the nearest place, in steps of 1 or -1 from `end`, with a row in between, and rows that cost more than
    `spare` at most. Rows may cost nothing."""
    cdef int64_t crossed = 0
    cdef index_t start = end
    if search.has_unit_weights and search.costs_of_labels == NULL:
        return <index_t> (end + step * min(max(spare, 0) // search.unit + 1, search.n_rows))
    while end != limit and (crossed <= spare or end == start):
        crossed += search.greatest_costs[order[end if step > 0 else end - 1]]
        end += step
    return end


cdef bint open_range(
    CostSearch search, SearchNode* node, const CutList* cuts, index_t after, int64_t best, CutRange* found
) noexcept nogil:
    """Find where a cut after a known one, and before the next, may lead to a cost below `best`. Return whether there
    is such a place."""
    cdef const KnownCut* a = &node.cuts[after]
    cdef const KnownCut* b
    cdef const index_t* order = node.orders + cuts.column * search.n_rows
    cdef int64_t least_left, least_right
    if a.next == NONE or a.is_closed:
        return False
    b = &node.cuts[a.next]
    found.after = after
    found.low = _moved(search, order, a.end, 1, b.end, a.least[LEFT] + a.least[RIGHT] - best)
    found.high = _moved(search, order, b.end, -1, a.end, b.least[LEFT] + b.least[RIGHT] - best)
    found.low, found.high = max(found.low, search.least_samples), min(found.high, node.n_rows - search.least_samples)
    if found.low > found.high or found.low >= b.end or found.high <= a.end:
        return False
    least_left = max(a.least[LEFT], _least_of_side(search, node, cuts, LEFT, found.low))
    least_right = max(b.least[RIGHT], _least_of_side(search, node, cuts, RIGHT, found.high))
    found.key = max(least_left + least_right, b.least[LEFT] + a.least[RIGHT] - (b.before - a.before))
    return found.key < best


cdef void choose_range(CostSearch search, SearchNode* node, CutList* cuts, int64_t best) noexcept nogil:
    """Find the most promising range of a list, and its key; NO_BUDGET if no cut can be better."""
    cdef index_t after = cuts.first
    cdef CutRange found
    cuts.key = NO_BUDGET
    while after != NONE:
        if open_range(search, node, cuts, after, best, &found) and found.key < cuts.key:
            cuts.key, cuts.at = found.key, after
        after = node.cuts[after].next
    cuts.key = max(cuts.key, cuts.given)


cdef index_t nearest_cut(
    CostSearch search, SearchNode* node, index_t column, index_t low, index_t high, index_t wanted
) noexcept nogil:
    """Return the number of rows before the cut from `low` to `high` that is nearest to `wanted`; NONE if there is no
    cut."""
    cdef const index_t* order = node.orders + column * search.n_rows
    cdef const index_t* ranks = &search.ranks[column, 0]
    cdef index_t step
    for step in range(max(high - wanted, wanted - low) + 1):
        if wanted + step <= high and is_cut(order, ranks, wanted + step):
            return wanted + step
        if wanted - step >= low and is_cut(order, ranks, wanted - step):
            return wanted - step
    return NONE


cdef index_t list_trials(CostSearch search, SearchNode* node, index_t column) noexcept nogil:
    """List the cuts of a column in the order of trial, and return their number: the middle cut, then the middle cuts of
    both halves, then the middle cuts of the quarters. A cut is a number of rows on the left."""
    cdef const index_t* order = node.orders + column * search.n_rows
    cdef const index_t* ranks = &search.ranks[column, 0]
    cdef index_t* trials = search.trials
    cdef index_t* ends = trials + search.n_rows
    cdef index_t* starts = ends + search.n_rows
    cdef index_t i, n = 0, start, middle, stop, listed
    for i in range(1, node.n_rows):
        if is_cut(order, ranks, i):
            ends[n] = i
            n += 1
    # Invariant: part i begins with cut starts[i]; until the part is tried, trials[i] is the cut after its last one.
    starts[0], trials[0] = 0, n
    listed = n > 0
    for i in range(n):
        start, stop = starts[i], trials[i]
        middle = start + (stop - start) // 2
        trials[i] = ends[middle]
        if start < middle:
            starts[listed], trials[listed] = start, middle
            listed += 1
        if middle + 1 < stop:
            starts[listed], trials[listed] = middle + 1, stop
            listed += 1
    return n


cdef index_t add_cut(
    CostSearch search, SearchNode* node, const CutList* cuts, index_t after, index_t end
) except -1 nogil:
    """Add a cut between a known one and the next, with the bounds that these give, and return its number."""
    cdef KnownCut* a
    cdef KnownCut* b
    cdef KnownCut* cut
    cdef index_t number
    cdef int64_t before
    reserve(<void**> &node.cuts, &node.cut_capacity, node.n_cuts + 1, sizeof(KnownCut), b"known cuts")
    a = &node.cuts[after]
    b = &node.cuts[a.next]
    before = a.before + _cost_between(search, node, cuts.column, a.end, end)
    number = _new_cut(node, end, a.next, before)
    cut = &node.cuts[number]
    cut.least[LEFT] = max(
        a.least[LEFT], b.least[LEFT] - (b.before - before), _least_of_side(search, node, cuts, LEFT, end)
    )
    cut.least[RIGHT] = max(
        b.least[RIGHT], a.least[RIGHT] - (before - a.before), _least_of_side(search, node, cuts, RIGHT, end)
    )
    cut.previous, b.previous, a.next = after, number, number
    return number


cdef int64_t free_bound(CostSearch search, SearchNode* node, int64_t best) noexcept nogil:
    """Return a bound of the node's cost without a limit on the samples of a leaf, after a search with this limit that
    found no tree below `best`. Cuts that the limit forbids lie at both ends of the columns."""
    cdef int64_t least = best
    cdef const CutList* cuts
    cdef const KnownCut* a
    cdef const KnownCut* b
    cdef index_t i
    for i in range(node.n_lists):
        cuts = &node.lists[i]
        a = &node.cuts[cuts.first]
        while a.next != NONE:
            b = &node.cuts[a.next]
            if b.next != NONE:
                least = min(least, b.least[LEFT] + b.least[RIGHT])
            if (a.end < search.least_samples or b.end > node.n_rows - search.least_samples) and a.end + 1 < b.end:
                least = min(least, max(
                    max(a.least[LEFT], _least_of_side(search, node, cuts, LEFT, a.end + 1))
                    + max(b.least[RIGHT], _least_of_side(search, node, cuts, RIGHT, b.end - 1)),
                    b.least[LEFT] + a.least[RIGHT] - (b.before - a.before),
                ))
            a = b
    return least


cdef int64_t _bound_of_list(SearchNode* node, const CutList* cuts, int64_t best) noexcept nogil:
    """Bound what the cuts of a list cost, after a search that found no cut below `best`."""
    cdef int64_t least = NO_BUDGET
    cdef const KnownCut* a = &node.cuts[cuts.first]
    cdef const KnownCut* b
    while a.next != NONE:
        b = &node.cuts[a.next]
        # A range is closed because it has no cut below `best`: cuts that are not below may be there.
        least = min(least, max(a.least[LEFT] + b.least[RIGHT], b.least[LEFT] + a.least[RIGHT] - (b.before - a.before)))
        if b.next != NONE:
            least = min(least, b.least[LEFT] + b.least[RIGHT])
        a = b
    return max(least, best, cuts.given)


cdef int keep_keys(
    CostSearch search, SearchNode* node, index_t known, bint side, SearchNode* of_side, int64_t least
) except -1 nogil:
    """Keep the bounds of the lists of one side of a known cut, after a search of that side, which costs at least
    `least`."""
    cdef Py_ssize_t n = count_divisions(of_side.limits) * search.n_columns + 1, i
    cdef int64_t* keys
    if node.cuts[known].keys[side] == NONE:
        reserve(<void**> &node.keys, &node.key_capacity, node.n_keys + n, sizeof(int64_t), b"bounds of columns")
        node.cuts[known].keys[side] = <index_t> node.n_keys
        node.n_keys += n
    keys = node.keys + node.cuts[known].keys[side]
    for i in range(n - 1):
        keys[i] = NO_BUDGET
    for i in range(of_side.n_lists):
        keys[of_side.lists[i].division * search.n_columns + of_side.lists[i].column] = of_side.lists[i].key
    keys[n - 1] = max(of_side.one_less, least)


cdef void _give(SearchNode* of_side, const int64_t* keys, Py_ssize_t n, int64_t lost, bint is_part) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t key
    for i in range(n):
        # If the side is larger than the set of the keys, all of that set may be on one side of a cut.
        key = min(keys[i], keys[n]) if is_part else keys[i] - lost
        of_side.given[i] = max(of_side.given[i], key)


cdef int give_keys(
    CostSearch search, SearchNode* node, const CutList* cuts, index_t known, bint side, SearchNode* of_side
) except -1 nogil:
    """Bound the lists of one side of a known cut by the lists of the sides of that cut and of its neighbours."""
    cdef Py_ssize_t n = count_divisions(cuts.limits[side]) * search.n_columns, i
    cdef const KnownCut* cut = &node.cuts[known]
    cdef const KnownCut* other
    of_side.is_given = False
    if search.least_samples > 1 or cuts.limits[side].depth < 2:
        return 0
    reserve(<void**> &of_side.given, &of_side.given_capacity, n, sizeof(int64_t), b"bounds of columns")
    of_side.is_given = True
    for i in range(n):
        of_side.given[i] = 0
    other = &node.cuts[cut.previous]
    if other.keys[side] != NONE:
        _give(of_side, node.keys + other.keys[side], n, cut.before - other.before, side == LEFT)
    if cut.keys[side] != NONE:
        _give(of_side, node.keys + cut.keys[side], n, 0, False)
    other = &node.cuts[cut.next]
    if other.keys[side] != NONE:
        _give(of_side, node.keys + other.keys[side], n, other.before - cut.before, side == RIGHT)


cdef void close_lists(SearchNode* node, int64_t best) noexcept nogil:
    """Write what the cuts of all lists cost at least, after a search that found none below `best`."""
    cdef index_t i
    for i in range(node.n_lists):
        node.lists[i].key = _bound_of_list(node, &node.lists[i], best)
