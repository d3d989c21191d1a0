"""The tree of least cost within limits of levels and leaves: every error has a cost, and so has every leaf.

A subproblem is a set of rows with limits; `subproblem_cache` explains the terms. The search looks for a tree of the
rows that costs less than a budget. It finds the cost of the cheapest one or, if there is none, a bound.

*Decision.* A cut divides the rows into two sides, which are subproblems with one level less, for every way to divide
the leaves between them. Cuts are tried in a fixed order, and a later cut is taken only if it is cheaper. Bounds that
pass over cuts therefore do not change which of several cheapest trees is found.

*Bounds.* A set costs at least as much as each of its parts. A part's tree serves the whole set as well, with one more
error at most for each additional sample. The solution of one side of a cut therefore bounds the same side of the cuts
that are left, in all features.

*Two levels* take most of the time. They need no subproblems of sides: the best splits of both sides of a cut are read
off a table of the node's rows in the orders of all features, several features at once.

*Horizons.* A tree with a horizon of h levels takes each split from the cheapest tree of at most h levels. Trees of
growing horizons come first, as far as time allows; the proof that no tree is cheaper follows.
"""

import time

import numpy as np

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport LEAF, NONE, UNDEFINED, UNLIMITED, float64_t, index_t, int64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS
from pytrees._core.minimal.problem import check_codes, groups_of, orders_of, ranks_of
from pytrees._core.minimal.sets cimport find_item
from pytrees._core.minimal.subproblem_cache cimport (
    SubproblemCache, KnownCost, LeafDivision, SearchNode, CostSplit, TreeLimits, bound_by_recent,
    bounds_of, choose_stump, cost_of_leaf, count_correct, count_steps, division_of, lanes_of, lay_out_node,
    lay_out_ranks, leaves_on_the_right, limits_of_side, list_cuts, most_leaves, open_level, rank_features, remember,
    set_key, stump_table, tightened,
)
from pytrees._core.rows.partition cimport threshold_between

cdef enum:
    BYTES_OF_VECTOR = 16
    PARTS_OF_TABLE = 5              # of the stump table: ranks, steps, ends, walks, labels

cdef int64_t NO_BUDGET = <int64_t> 1 << 62


# ------------------------------------------------------------------------------------------------------------ the sides

cdef void _make_side(
    SubproblemCache trees, Py_ssize_t number, index_t feature, index_t end, bint is_right
) noexcept nogil:
    """Write the rows of one side of a cut to the next level."""
    cdef SearchNode* level = &trees.levels[number]
    cdef SearchNode* side = &trees.levels[number + 1]
    cdef const index_t* order = level.orders + feature * trees.n_rows
    cdef const index_t* source
    cdef index_t* target
    cdef Py_ssize_t other
    cdef index_t i, n
    for i in range(level.n_rows):
        level.is_left[order[i]] = i < end
    for other in range(trees.n_features):
        source, target = level.orders + other * trees.n_rows, side.orders + other * trees.n_rows
        n = 0
        for i in range(level.n_rows):
            # There is no branch: the row written last may belong to the other side. The next row replaces it, or it
            # stands after all rows that count.
            target[n] = source[i]
            n += level.is_left[source[i]] != is_right
    side.n_rows = level.n_rows - end if is_right else end


cdef void _spread(
    SubproblemCache trees, SearchNode* level, bint is_right, int64_t least, index_t first, index_t stop
) noexcept nogil:
    """Bound the same side of all cuts of the features at positions first:stop. The side of the cut that `is_left` marks
    costs at least `least`. Another side costs at least that, less an error for each of these samples that it lacks."""
    cdef const index_t* order
    cdef int64_t* bounds
    cdef int64_t bound
    cdef index_t position, i, row
    if least <= 0:
        return
    for position in range(first, stop):
        order = level.orders + level.features[position] * trees.n_rows
        bounds = bounds_of(level, is_right, position)
        bound = least
        if is_right:
            for i in range(level.n_rows - 1):
                row = order[i]
                bound -= 0 if level.is_left[row] else trees.error_cost * trees.weights[row]
                if bound <= 0:
                    break
                bounds[i + 1] = max(bounds[i + 1], bound)
        else:
            for i in range(level.n_rows - 1, 0, -1):
                row = order[i]
                bound -= trees.error_cost * trees.weights[row] if level.is_left[row] else 0
                if bound <= 0:
                    break
                bounds[i] = max(bounds[i], bound)


# ----------------------------------------------------------------------------------------------------------- two levels

cdef int _open_stumps(SubproblemCache trees, SearchNode* level) except -1 nogil:
    """Lay out the rows of a level in the orders of its features."""
    cdef stump_table* table = &trees.stumps
    cdef Py_ssize_t n_lanes = lanes_of(table), size, position
    cdef index_t feature
    table.n_blocks = (level.n_features + n_lanes - 1) // n_lanes
    table.n_rows, table.total = level.n_rows, <index_t> level.n_samples
    size = table.n_blocks * table.n_rows * BYTES_OF_VECTOR
    reserve(
        <void**> &trees.stump_memory, &trees.stump_capacity,
        PARTS_OF_TABLE * size + 2 * trees.n_classes * BYTES_OF_VECTOR, 1, b"bytes of a table of rows",
    )
    table.ranks, table.steps = trees.stump_memory, trees.stump_memory + size
    table.ends, table.walks = trees.stump_memory + 2 * size, trees.stump_memory + 3 * size
    table.labels, table.scratch = trees.stump_memory + 4 * size, trees.stump_memory + PARTS_OF_TABLE * size
    for position in range(level.n_features):
        feature = level.features[position]
        trees.order_pointers[position] = level.orders + feature * trees.n_rows
        trees.order_pointers[level.n_features + position] = &trees.ranks[feature, 0]
    lay_out_node(
        table, trees.order_pointers, trees.order_pointers + level.n_features, level.n_features, &trees.labels[0],
        &trees.weights[0],
    )
    return 0


cdef inline int64_t _cost_of_side(
    SubproblemCache trees, index_t leaves, int64_t n_samples, index_t most, index_t correct
) noexcept nogil:
    """Return the cost of a side with one leaf, which gets `most` samples right, or with up to two leaves, which get
    `correct` samples right."""
    cdef int64_t leaf = trees.error_cost * (n_samples - most) + trees.leaf_cost
    return leaf if leaves == 1 else min(leaf, trees.error_cost * (n_samples - correct) + 2 * trees.leaf_cost)


cdef int _solve_stumps(
    SubproblemCache trees, SearchNode* level, LeafDivision division, index_t position, index_t cut
) except -1 nogil:
    """Find the costs of both sides of a cut, with at most one split each; they bound the feature's other cuts."""
    cdef const index_t* order = level.orders + level.features[position] * trees.n_rows
    cdef index_t* left = level.counts + trees.n_classes
    cdef index_t i, label, n_left = 0, most_left = 0, most_right = 0, end = level.ends[cut]
    cdef index_t correct[2]
    cdef int64_t cost
    memset(left, 0, trees.n_classes * sizeof(index_t))
    for i in range(level.n_rows):
        level.is_left[order[i]] = i < end
    for i in range(end):
        left[trees.labels[order[i]]] += trees.weights[order[i]]
    for label in range(<index_t> trees.n_classes):
        n_left += left[label]
        most_left = max(most_left, left[label])
        most_right = max(most_right, level.counts[label] - left[label])
    count_correct(&trees.stumps, level.ranks[cut], left, level.counts, correct)
    cost = _cost_of_side(trees, division.left.leaves, n_left, most_left, correct[0])
    bounds_of(level, False, position)[end] = cost
    _spread(trees, level, False, cost, position, position + 1)
    cost = _cost_of_side(trees, division.right.leaves, level.n_samples - n_left, most_right, correct[1])
    bounds_of(level, True, position)[end] = cost
    _spread(trees, level, True, cost, position, position + 1)
    return count_steps(trees, trees.stumps.n_rows * trees.stumps.n_blocks)


# ------------------------------------------------------------------------------------------------------------ any sides

cdef int _solve_sides(
    SubproblemCache trees, Py_ssize_t number, LeafDivision division, index_t position, index_t cut, int64_t budget
) except -1 nogil:
    """Raise the bounds of both sides of a cut until they reach the budget or are exact, and let them bound the cuts
    that are left. The side with fewer leaves comes first; if both have as many, the larger side."""
    cdef SearchNode* level = &trees.levels[number]
    cdef index_t end = level.ends[cut]
    cdef int64_t* of_left = bounds_of(level, False, position) + end
    cdef int64_t* of_right = bounds_of(level, True, position) + end
    cdef bint is_right = division.right.leaves < division.left.leaves
    cdef CostSplit split
    cdef int64_t* bound
    cdef int64_t found
    if division.right.leaves == division.left.leaves:
        is_right = 2 * end < level.n_rows
    for _ in range(2):
        bound = of_right if is_right else of_left
        _make_side(trees, number, level.features[position], end, is_right)
        found = _solve(
            trees, number + 1, division.right if is_right else division.left,
            budget - (of_left[0] + of_right[0] - bound[0]), &split,
        )
        if trees.is_over:
            return 0
        bound[0] = max(bound[0], found)
        _spread(trees, level, is_right, bound[0], position, level.n_features)
        if of_left[0] + of_right[0] >= budget:
            return 0
        is_right = not is_right
    return 0


cdef void _bound_sides(
    SubproblemCache trees, SearchNode* level, LeafDivision division, index_t position
) noexcept nogil:
    """Bound the sides of all cuts of a feature by the cost of a leaf or, if they may be split, by the cost of two
    leaves with no errors but the inevitable ones."""
    cdef const index_t* order = level.orders + level.features[position] * trees.n_rows
    cdef index_t* counts = level.counts + trees.n_classes
    cdef index_t side, i, row, most, n_samples
    cdef int64_t inevitable, leaf
    cdef int64_t* bounds
    for side in range(2):
        bounds = bounds_of(level, side, position)
        memset(counts, 0, trees.n_classes * sizeof(index_t))
        most, n_samples, inevitable = 0, 0, 0
        for i in range(level.n_rows - 1):
            row = order[level.n_rows - 1 - i if side else i]
            counts[trees.labels[row]] += trees.weights[row]
            most = max(most, counts[trees.labels[row]])
            n_samples += trees.weights[row]
            inevitable += trees.inevitable[row]
            leaf = trees.error_cost * (n_samples - most) + trees.leaf_cost
            if (division.right.leaves if side else division.left.leaves) > 1:
                leaf = min(leaf, trees.error_cost * inevitable + 2 * trees.leaf_cost)
            # The number of rows on the left is i + 1, or n - (i + 1) when counted from the right.
            row = level.n_rows - 1 - i if side else i + 1
            bounds[row] = max(bounds[row], leaf)


cdef int64_t _try_cuts(
    SubproblemCache trees, Py_ssize_t number, LeafDivision division, int64_t best, int64_t least, CostSplit* split
) except -1 nogil:
    """Return the cost of the cheapest tree with a split and this division, and the split, if it is below `best`;
    otherwise a bound. No tree costs less than `least`: a tree of this cost ends the search."""
    cdef SearchNode* level = &trees.levels[number]
    cdef const int64_t* of_left
    cdef const int64_t* of_right
    cdef const index_t* order
    cdef bint by_table = max(division.left.depth, division.right.depth) <= 1
    cdef index_t position, i, end
    cdef int64_t bound = NO_BUDGET
    cdef Py_ssize_t n_bounds = 2 * <Py_ssize_t> level.n_features * level.n_rows
    reserve(<void**> &level.bounds, &level.bounds_capacity, n_bounds, sizeof(int64_t), b"bounds of cuts")
    memset(level.bounds, 0, n_bounds * sizeof(int64_t))
    if by_table:
        _open_stumps(trees, level)
    else:
        open_level(trees, number + 1)
    for position in range(level.n_features):
        order = level.orders + level.features[position] * trees.n_rows
        of_left, of_right = bounds_of(level, False, position), bounds_of(level, True, position)
        list_cuts(trees, level, level.features[position])
        _bound_sides(trees, level, division, position)
        if by_table:
            lay_out_ranks(
                &trees.stumps, trees.order_pointers, level.n_features, &trees.ranks[level.features[position], 0]
            )
        count_steps(trees, level.n_rows * level.n_features)
        for i in range(level.n_cuts):
            end = level.ends[level.trials[i]]
            if of_left[end] + of_right[end] < best and by_table:
                _solve_stumps(trees, level, division, position, level.trials[i])
            elif of_left[end] + of_right[end] < best:
                _solve_sides(trees, number, division, position, level.trials[i], best)
            if trees.is_over:
                return least
            bound = min(bound, of_left[end] + of_right[end])
            if of_left[end] + of_right[end] < best:
                best = of_left[end] + of_right[end]
                split.feature, split.below, split.above = level.features[position], order[end - 1], order[end]
                split.left_leaves = division.left.leaves
                if best <= least:
                    return best
    return bound


cdef inline TreeLimits _affordable(
    SubproblemCache trees, SearchNode* level, TreeLimits limits, int64_t budget
) noexcept nogil:
    """Return limits for trees below a budget, which may allow only as many leaves as one or two levels have."""
    cdef int64_t n_leaves = UNLIMITED
    if trees.leaf_cost > 0:
        n_leaves = (budget - 1 - trees.error_cost * level.inevitable) // trees.leaf_cost
    if n_leaves > 3:
        return limits
    return tightened(min(limits.depth, 1 if n_leaves <= 2 else 2), limits.leaves)


cdef int64_t _solve(
    SubproblemCache trees, Py_ssize_t number, TreeLimits limits, int64_t budget, CostSplit* split
) except -1 nogil:
    """Return the cost of the cheapest tree of a node's rows, and its first split, if the cost is below the budget;
    otherwise a bound that reaches the budget. The answer has no meaning once the time is over."""
    cdef SearchNode* level = &trees.levels[number]
    cdef int64_t leaf = cost_of_leaf(trees, level), least, stump
    cdef TreeLimits affordable
    cdef const KnownCost* known
    split.feature = NONE
    least = min(leaf, trees.error_cost * level.inevitable + 2 * trees.leaf_cost)
    if limits.depth == 0 or least == leaf:
        return leaf
    if least >= budget:
        return least
    affordable = _affordable(trees, level, limits, budget)
    if affordable.depth > 1:
        set_key(trees, level, limits)
        known = <const KnownCost*> find_item(&trees.table, level.key)
        if known != NULL and (known.is_exact or known.least >= budget):
            split[0] = known.split
            return known.least
        least = max(least, known.least if known != NULL else 0, bound_by_recent(trees, level, limits))
        if least >= budget:
            return least
    stump = trees.error_cost * rank_features(trees, level) + 2 * trees.leaf_cost
    count_steps(trees, level.n_rows * trees.n_features)
    if affordable.depth > 1:
        return _search(trees, number, limits, affordable, budget, least, min(leaf, stump + 1), split)
    if stump < leaf:
        choose_stump(trees, level, split)
    return min(leaf, stump) if min(leaf, stump) < budget or limits.depth == 1 else budget


cdef int64_t _search(
    SubproblemCache trees, Py_ssize_t number, TreeLimits limits, TreeLimits affordable, int64_t budget, int64_t least,
    int64_t start, CostSplit* split,
) except -1 nogil:
    """Solve a subproblem by trying all cuts, and remember the solution. The tree costs at least `least`; `start` is the
    cost of a leaf, or less."""
    cdef SearchNode* level = &trees.levels[number]
    cdef KnownCost found
    cdef index_t i, n_divisions = 1
    cdef int64_t best = min(start, budget), bound = start, cost
    trees.n_subproblems += 1
    if number + 1 == MOST_LEVELS:
        trees.is_over = True
        return least
    if affordable.leaves < most_leaves(affordable.depth):
        n_divisions = 2 * min(most_leaves(affordable.depth - 1), affordable.leaves - 1) - affordable.leaves + 1
    found.split.feature = NONE
    for i in range(n_divisions):
        cost = _try_cuts(trees, number, division_of(affordable, i), best, least, &found.split)
        if trees.is_over:
            return least
        bound, best = min(bound, cost), min(best, cost)
        if best <= least:
            break
    found.is_exact = best < budget
    # Trees with more leaves than the budget affords cost at least the budget.
    found.least = best if found.is_exact or affordable.depth < limits.depth else max(bound, budget)
    remember(trees, level, limits, &found)
    split[0] = found.split
    return found.least


# ------------------------------------------------------------------------------------------------------------ the tree

cdef bint _grow(SubproblemCache trees, Py_ssize_t number, TreeLimits limits, index_t horizon, nodes) except -1:
    """Append the nodes of a tree with a horizon in preorder, and return whether there was time. A tree that has no more
    levels than its horizon is the cheapest one."""
    cdef SearchNode* level = &trees.levels[number]
    cdef TreeLimits near = tightened(min(limits.depth, horizon), limits.leaves), side
    cdef CostSplit split
    cdef index_t end = 0
    with nogil:
        _solve(trees, number, near, NO_BUDGET, &split)
    if trees.is_over:
        return False
    node = len(nodes["feature"])
    counts = [level.counts[label] for label in range(trees.n_classes)]
    entry = [LEAF, LEAF, UNDEFINED, float(UNDEFINED), counts, sum(counts) - max(counts)]
    for name, value in zip(nodes, entry, strict=True):
        nodes[name].append(value)
    if split.feature == NONE:
        return True
    if near.leaves < most_leaves(near.depth):
        limits = near
    nodes["feature"][node] = split.feature
    nodes["threshold"][node] = threshold_between(
        trees.X[split.below, split.feature], trees.X[split.above, split.feature]
    )
    while level.orders[split.feature * trees.n_rows + end] != split.above:
        end += 1
    for name, is_right in (("children_left", False), ("children_right", True)):
        nodes[name][node] = len(nodes["feature"])
        with nogil:
            open_level(trees, number + 1)
            _make_side(trees, number, split.feature, end, is_right)
        side = limits_of_side(
            limits, leaves_on_the_right(limits, split.left_leaves) if is_right else split.left_leaves
        )
        if not _grow(trees, number + 1, side, horizon, nodes):
            return False
    nodes["errors"][node] = sum(nodes["errors"][nodes[name][node]] for name in ("children_left", "children_right"))
    return True


cdef _tree(SubproblemCache trees, TreeLimits limits, index_t horizon):
    """Return the arrays of a tree and its cost; None and NO_BUDGET if there is no time for it."""
    names = ("children_left", "children_right", "feature", "threshold", "value", "errors")
    nodes = {name: [] for name in names}
    if not _grow(trees, 0, limits, horizon, nodes):
        return None, NO_BUDGET
    arrays = {name: np.array(entries) for name, entries in nodes.items()}
    errors, n_leaves = arrays.pop("errors"), np.count_nonzero(arrays["feature"] == UNDEFINED)
    arrays["n_node_samples"] = arrays["value"].sum(axis=1)
    arrays["gain"] = (arrays["n_node_samples"] - arrays["value"].max(axis=1) - errors).astype(np.float64)
    arrays["value"] = arrays["value"].astype(np.float64)
    return arrays, trees.error_cost * int(errors[0]) + trees.leaf_cost * n_leaves


cdef _first_trees(SubproblemCache trees, TreeLimits limits, int64_t budget, float64_t time_limit):
    """Return the best tree below the budget among trees with a horizon, of two levels first, then of more and more
    until a fifth of the time is over."""
    best, cost = None, budget
    horizon = 2
    deadline = trees.deadline
    while horizon < limits.depth and not trees.is_over:
        arrays, new_cost = _tree(trees, limits, horizon)
        if new_cost < cost:
            best, cost = arrays, new_cost
        horizon += 1
        if deadline == INFINITY or arrays is None or np.count_nonzero(arrays["feature"] >= 0) < horizon:
            break
        trees.deadline = deadline - 0.8 * time_limit
    trees.deadline = deadline
    trees.is_over = time.monotonic() >= deadline
    return best, cost


cdef int64_t _raise_budget(SubproblemCache trees, TreeLimits limits, int64_t budget) except -1:
    """Return the cost of the cheapest tree, or a bound if the time is over, by looking for trees below growing
    budgets."""
    cdef int64_t least, step = max(trees.error_cost, trees.leaf_cost), limit, found
    cdef CostSplit split
    cdef SearchNode* root = &trees.levels[0]
    least = min(cost_of_leaf(trees, root), trees.error_cost * root.inevitable + 2 * trees.leaf_cost)
    while True:
        limit = min(least + step, budget) if trees.deadline < INFINITY else budget
        with nogil:
            found = _solve(trees, 0, limits, limit, &split)
        if trees.is_over or found < limit or limit == budget:
            return least if trees.is_over else found
        least, step = found, 2 * step


def cheapest_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, Py_ssize_t n_classes, costs, max_depth, max_leaf_nodes, *,
    budget=None, time_limit=None, memory_limit=2**30,
):
    """Find the tree of least cost within a limit of depth and a limit of leaves. UNLIMITED means no limit.

    `costs` are the cost of an error and the cost of a leaf. Among several trees it is the one that is tried first: a
    leaf comes before splits; features come in the order of the errors of their best split, then by number; cuts of a
    feature in the order of `list_cuts`; divisions of the leaves in the order of `division_of`. Trees that cost the
    budget or more are not looked for. `time_limit` is in seconds, None being none; `memory_limit` is in bytes of the
    table of sets.

    Returns
    -------
    arrays : dict or None
        The arrays of the cheapest tree, or of the cheapest one found in time; None if there is none below the budget.
    cost : int
        Its cost; the budget if there is no tree.
    least : int
        No tree costs less; at most the budget.
    n_subproblems : int
        Sets of rows that had to be looked at.
    """
    start = time.monotonic()
    cdef TreeLimits limits = tightened(max_depth, max_leaf_nodes)
    cdef SubproblemCache trees = _trees_of(X, y, n_classes, costs, memory_limit)
    cdef index_t[:, ::1] orders = orders_of(trees.ranks)
    cdef SearchNode* root = &trees.levels[0]
    trees.deadline = INFINITY if time_limit is None else start + time_limit
    open_level(trees, 0)
    memcpy(root.orders, &orders[0, 0], orders.shape[0] * orders.shape[1] * sizeof(index_t))
    root.n_rows = <index_t> trees.n_rows
    arrays, cost = _first_trees(trees, limits, NO_BUDGET if budget is None else budget, time_limit or 0.0)
    least = _raise_budget(trees, limits, cost + 1 if arrays is not None else cost)
    if not trees.is_over and least < cost + (arrays is not None):
        best, best_cost = _tree(trees, limits, UNLIMITED)
        if best is not None:
            arrays, cost = best, best_cost
    return arrays, cost, min(least, cost), trees.n_subproblems


def _trees_of(X, y, n_classes, costs, memory_limit):
    """Return the cache of all distinct pairs of a sample and a class, each once."""
    check_codes(X, y, n_classes)
    values, labels = np.asarray(X) + 0.0, np.asarray(y)
    first, group = groups_of(np.vstack([ranks_of(values), labels]))
    weights = np.bincount(group).astype(np.int32)
    return SubproblemCache(values[first], labels[first], weights, n_classes, costs, memory_limit, INFINITY)
