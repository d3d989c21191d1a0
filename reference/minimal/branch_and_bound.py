"""The tree of least cost within limits of levels and leaves, by the recursion that defines it.

A tree is a leaf, which has a cost, as has every sample that is not of its largest class. Or it has a first split, and
trees of least cost on both sides, with one level less, which share the leaves in some way.
"""

from itertools import pairwise
from math import inf
from time import monotonic

from ..base.types import LEAF, UNLIMITED
from ..rows.partition import split_rows, threshold_between
from .problem import Stopped, preorder_arrays


class Search:
    """The cheapest trees of sets of rows within limits: what they cost, and their first split."""

    def __init__(self, X, y, n_classes, costs, deadline):
        self.X = X
        self.y = y
        self.n_classes = n_classes
        self.error_cost, self.leaf_cost = costs
        self.deadline = deadline
        self.known = {}

    def counts(self, rows):
        return [sum(self.y[row] == k for row in rows) for k in range(self.n_classes)]

    def errors(self, rows):
        return len(rows) - max(self.counts(rows))

    def cost_of_leaf(self, rows):
        return self.error_cost * self.errors(rows) + self.leaf_cost

    def first_split(self, rows, depth, leaves):
        """Return (cost, split) of the cheapest tree, the split being None of a leaf and else (feature, threshold,
        leaves of the left side, of the right side)."""
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
        if depth == 0 or leaves == 1 or self.errors(rows) == 0 or best[0] <= 2 * self.leaf_cost:
            return best
        depth = depth if depth == UNLIMITED else depth - 1
        splits = self.splits(rows)
        for of_left, of_right in ways_to_divide(depth, leaves):
            for feature, threshold in splits:
                left, right = split_rows(self.X, rows, feature, threshold)
                left_cost = self.first_split(left, depth, of_left)[0]
                cost = left_cost + self.first_split(right, depth, of_right)[0]
                if cost < best[0]:
                    best = cost, (feature, threshold, of_left, of_right)
        return best

    def splits(self, rows):
        """Return the features and thresholds in the order in which they are tried."""
        order = []
        for feature in range(len(self.X[0])):
            values = sorted({self.X[row][feature] for row in rows})
            thresholds = [threshold_between(below, above) for below, above in pairwise(values)]
            if thresholds:
                order.append((min(self.errors_of_stump(rows, feature, at) for at in thresholds), feature, thresholds))
        order.sort()
        return [(feature, thresholds[i]) for _, feature, thresholds in order for i in halving(len(thresholds))]

    def errors_of_stump(self, rows, feature, threshold):
        return sum(map(self.errors, split_rows(self.X, rows, feature, threshold)))


def halving(n):
    """Return 0..n - 1, the middle one first, then the middle ones of both halves, and so on."""
    order, parts = [], [(0, n)]
    for start, stop in parts:
        if start < stop:
            middle = (start + stop) // 2
            order.append(middle)
            parts += [(start, middle), (middle + 1, stop)]
    return order


def ways_to_divide(depth, leaves):
    """Return all ways to divide the leaves between two sides of `depth` levels. Even divisions come first; of two that
    mirror each other, the one with fewer leaves on the left."""
    most = UNLIMITED if depth >= 31 else 2**depth
    if leaves >= 2 * most or leaves == UNLIMITED:
        return [(most, most)]
    ways = [(of_left, leaves - of_left) for of_left in range(1, leaves) if max(of_left, leaves - of_left) <= most]
    return sorted(ways, key=lambda way: (abs(way[0] - way[1]), way[0]))


def cheapest_tree(
    X, y, n_classes, costs, max_depth, max_leaf_nodes, *, budget=None, time_limit=None, memory_limit=2**30
):
    """Return the arrays of the cheapest tree, or None if it costs the budget or more or time ran out; its cost; a bound
    of the cost of every tree; and the number of sets of samples examined."""
    search = Search(X, y, n_classes, costs, inf if time_limit is None else monotonic() + time_limit)
    budget = inf if budget is None else budget
    try:
        cost, _ = search.first_split(range(len(X)), max_depth, max_leaf_nodes)
    except Stopped:
        return None, budget, search.leaf_cost, len(search.known)
    if cost >= budget:
        return None, budget, budget, len(search.known)
    return as_arrays(search, max_depth, max_leaf_nodes), cost, cost, len(search.known)


def as_arrays(search, max_depth, max_leaf_nodes):
    """Return the arrays of the tree in preorder. The gain of a split is the errors that its subtree saves."""

    def first_split(limits, rows):
        depth, leaves = limits
        _, split = search.first_split(rows, depth, leaves)
        if split is None:
            return None
        feature, threshold, of_left, of_right = split
        depth = depth if depth == UNLIMITED else depth - 1
        return feature, threshold, (depth, of_left), (depth, of_right)

    tree = preorder_arrays(search.X, search.y, search.n_classes, (max_depth, max_leaf_nodes), first_split)
    errors_of_leaf = [sum(counts) - max(counts) for counts in tree["value"]]
    errors = list(errors_of_leaf)
    for node in reversed(range(len(errors))):
        if tree["children_left"][node] != LEAF:
            errors[node] = errors[tree["children_left"][node]] + errors[tree["children_right"][node]]
        tree["gain"][node] = errors_of_leaf[node] - errors[node]
    return tree
