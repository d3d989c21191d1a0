"""The tree of least cost within limits of levels and leaves, by the recursion that defines it.

A tree is a leaf, which has a cost, and predicts the class that costs least for its samples. Or it has a first split,
and trees of least cost on both sides, with one level less, which share the leaves in some way.

The search sees columns of ranks. A sample goes left at a cut if its rank is at most the rank of the cut.
"""

from math import inf
from time import monotonic

from ..base.types import UNLIMITED
from ..minimal.problem import Stopped

NO_SPLIT = (-1, -1, -1)


class Search:
    """The cheapest trees of sets of rows within limits: what they cost, and their first split."""

    def __init__(self, ranks, y, weights, matrix, n_classes, leaf_cost, min_samples_leaf, deadline):
        self.ranks = ranks
        self.y = y
        self.weights = weights
        self.matrix = matrix or [[int(j != k) for k in range(n_classes)] for j in range(n_classes)]
        self.leaf_cost = leaf_cost
        self.min_samples_leaf = min_samples_leaf
        self.deadline = deadline
        self.known = {}

    def cost_of_leaf(self, rows):
        return self.leaf_cost + min(
            sum(self.weights[row] * self.matrix[self.y[row]][k] for row in rows) for k in range(len(self.matrix))
        )

    def first_split(self, rows, depth, leaves):
        """Return (cost, split) of the cheapest tree, the split being None of a leaf and else (column, rank, leaves of
        the left side, of the right side)."""
        rows = tuple(rows)
        key = rows, depth, leaves
        if key not in self.known:
            if monotonic() >= self.deadline:
                raise Stopped
            self.known[key] = self.search_split(rows, depth, leaves)
        return self.known[key]

    def search_split(self, rows, depth, leaves):
        best = self.cost_of_leaf(rows), None
        # No split can pay for the leaf that it adds.
        if depth == 0 or leaves == 1 or best[0] == self.leaf_cost or best[0] <= 2 * self.leaf_cost:
            return best
        depth = level_below(depth)
        cuts = self.cuts(rows)
        for of_left, of_right in ways_to_divide(depth, leaves):
            for column, rank in cuts:
                left, right = self.sides(rows, column, rank)
                cost = self.first_split(left, depth, of_left)[0] + self.first_split(right, depth, of_right)[0]
                if cost < best[0]:
                    best = cost, (column, rank, of_left, of_right)
        return best

    def sides(self, rows, column, rank):
        ranks = self.ranks[column]
        return [row for row in rows if ranks[row] <= rank], [row for row in rows if ranks[row] > rank]

    def is_allowed(self, rows, column, rank):
        return min(map(len, self.sides(rows, column, rank))) >= self.min_samples_leaf

    def cuts(self, rows):
        """Return the allowed cuts, each as a column and a rank, in the order in which they are tried."""
        order = []
        for column in range(len(self.ranks)):
            ranks = sorted({self.ranks[column][row] for row in rows})[:-1]
            costs = [self.cost_of_stump(rows, column, rank) for rank in ranks if self.is_allowed(rows, column, rank)]
            if costs:
                order.append((min(costs), column, ranks))
        order.sort()
        tried = [(column, ranks[i]) for _, column, ranks in order for i in halving(len(ranks))]
        return [cut for cut in tried if self.is_allowed(rows, *cut)]

    def cost_of_stump(self, rows, column, rank):
        return sum(map(self.cost_of_leaf, self.sides(rows, column, rank)))

    def count_roots(self, max_depth, max_leaf_nodes):
        """Return how many cuts of all rows begin a tree of the least cost."""
        rows = range(len(self.y))
        least = self.first_split(rows, max_depth, max_leaf_nodes)[0]
        depth = level_below(max_depth)
        return sum(
            any(
                self.first_split(left, depth, of_left)[0] + self.first_split(right, depth, of_right)[0] == least
                for of_left, of_right in ways_to_divide(depth, max_leaf_nodes)
            )
            for left, right in (self.sides(rows, *cut) for cut in self.cuts(rows))
        )


def halving(n):
    """Return 0..n - 1, the middle one first, then the middle ones of both halves, and so on."""
    order, parts = [], [(0, n)]
    for start, stop in parts:
        if start < stop:
            middle = (start + stop) // 2
            order.append(middle)
            parts += [(start, middle), (middle + 1, stop)]
    return order


def level_below(depth):
    return depth if depth == UNLIMITED else depth - 1


def ways_to_divide(depth, leaves):
    """Return all ways to divide the leaves between two sides of `depth` levels. Even divisions come first; of two that
    mirror each other, the one with fewer leaves on the left."""
    most = UNLIMITED if depth >= 31 else 2**depth
    if leaves >= 2 * most or leaves == UNLIMITED:
        return [(most, most)]
    ways = [(of_left, leaves - of_left) for of_left in range(1, leaves) if max(of_left, leaves - of_left) <= most]
    return sorted(ways, key=lambda way: (abs(way[0] - way[1]), way[0]))


def cheapest_tree(
    ranks,
    y,
    weights,
    matrix,
    n_classes,
    leaf_cost,
    max_depth,
    max_leaf_nodes,
    min_samples_leaf,
    *,
    budget=None,
    gap=0,
    time_limit=None,
    memory_limit=2**30,
    count_roots=False,
    report=None,
    n_threads=1,
):
    """Return the splits of the cheapest tree, its cost, a bound of the cost of every tree, the number of sets of
    samples examined, the number of first cuts of cheapest trees, and "Ctrl-C" if that ended the search.

    The cost of a leaf is `leaf_cost` and the sum over its samples of the weight times ``matrix[j][k]``, j being the
    class of the sample and k the class that the leaf predicts. Without a matrix every error costs the weight. A cut
    leaves at least `min_samples_leaf` samples on both sides.

    The splits are those of the nodes in preorder: the column, a sample below the cut and a sample above it, whose ranks
    are next to the cut; -1 in leaves. They are None if the tree costs the budget or more, or time ran out. The number
    of first cuts is -1 if it was not asked for. There is no bound here that could end the search earlier, the results
    are kept whatever the limit on memory, nothing is reported, and there is one thread.
    """
    check_classes(ranks, y, weights, matrix, n_classes)
    max_leaf_nodes = max_leaf_nodes if max_leaf_nodes < len(y) else UNLIMITED  # no tree needs more
    deadline = inf if time_limit is None else monotonic() + time_limit
    search = Search(ranks, y, weights, matrix, n_classes, leaf_cost, min_samples_leaf, deadline)
    splits, n_roots, ended_by = None, -1, ""
    cost, least = inf if budget is None else budget, leaf_cost
    try:
        least, _ = search.first_split(range(len(y)), max_depth, max_leaf_nodes)
        if least < cost:
            splits, cost = splits_of(search, max_depth, max_leaf_nodes), least
            n_roots = search.count_roots(max_depth, max_leaf_nodes) if count_roots else -1
    except Stopped:
        pass
    except KeyboardInterrupt:
        ended_by = "Ctrl-C"
    return splits, cost, min(least, cost), len(search.known), n_roots, ended_by


def check_classes(ranks, y, weights, matrix, n_classes):
    are_codes = len(y) > 0 and all(0 <= label < n_classes for label in y)
    if not are_codes or any(len(given) != len(y) for given in (weights, *ranks)):
        raise ValueError(f"Every sample needs ranks, a weight and one of the class codes from 0 to {n_classes - 1}.")
    if matrix is not None and (n_classes < 3 or any(len(costs) != n_classes for costs in [matrix, *matrix])):
        raise ValueError("A matrix has costs of three classes or more: weights say what errors of two classes cost.")


def splits_of(search, max_depth, max_leaf_nodes):
    """Return the splits of the cheapest tree, nodes in preorder."""
    splits = []
    stack = [(range(len(search.y)), max_depth, max_leaf_nodes)]
    while stack:
        rows, depth, leaves = stack.pop()
        _, split = search.first_split(rows, depth, leaves)
        if split is None:
            splits.append(NO_SPLIT)
            continue
        column, rank, of_left, of_right = split
        left, right = search.sides(rows, column, rank)
        below = max(left, key=lambda row: search.ranks[column][row])
        above = min(right, key=lambda row: search.ranks[column][row])
        splits.append((column, below, above))
        stack += [(right, level_below(depth), of_right), (left, level_below(depth), of_left)]
    return splits
