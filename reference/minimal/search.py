"""The smallest tree that is consistent with the labels: mts of Späh and Kosub, Section 3.1, by its recursion.

A tree of rows of one class is a leaf. Any other one has a first split, and smallest trees on both sides of it, so that
mts(rows) = 1 + min over the cuts of Delta_mts, the sum of mts(left) and mts(right), here counted in splits.
"""

from itertools import pairwise
from math import inf
from time import monotonic

from ..base.types import LEAF, UNDEFINED
from ..rows.partition import split_rows, threshold_between


class Stopped(Exception):
    """The time is over."""


class Search:
    """The results for sets of rows: how many splits they need, and the first of these."""

    def __init__(self, X, y, deadline):
        self.X = X
        self.y = y
        self.deadline = deadline
        self.known = {}

    def first_split(self, rows):
        """Return (splits, feature, threshold) of the smallest tree; ties go to the lowest feature, then threshold."""
        rows = tuple(rows)
        if rows not in self.known:
            if monotonic() >= self.deadline:
                raise Stopped
            self.known[rows] = self.search_split(rows)
        return self.known[rows]

    def search_split(self, rows):
        if len({self.y[row] for row in rows}) == 1:
            return 0, UNDEFINED, float(UNDEFINED)
        best = (inf, None, None)
        for feature in range(len(self.X[0])):
            values = sorted({self.X[row][feature] for row in rows})
            for below, above in pairwise(values):
                threshold = threshold_between(below, above)
                left, right = split_rows(self.X, rows, feature, threshold)
                splits = 1 + self.first_split(left)[0] + self.first_split(right)[0]
                if splits < best[0]:
                    best = (splits, feature, threshold)
        return best


def check_consistent(X, y):
    if len(set(map(tuple, X))) < len({(tuple(row), label) for row, label in zip(X, y, strict=True)}):
        raise ValueError("There is no consistent tree: equal samples have different labels.")


def minimal_tree(X, y, n_classes, *, time_limit=None, memory_limit=2**30, bound_rows=1024, first_turn=None):
    """Return the arrays of the smallest consistent tree, or None where time ran out; the least number of splits that is
    needed; and the number of sets of rows examined.

    Of several trees the one whose splits, from the root on, have the lowest features, then the lowest thresholds. There
    are no bounds here, and what is known is kept whatever the limit on memory.
    """
    check_consistent(X, y)
    search = Search(X, y, inf if time_limit is None else monotonic() + time_limit)
    try:
        size = search.first_split(range(len(X)))[0]
    except Stopped:
        return None, len(set(y)) - 1, len(search.known)
    return as_arrays(search, n_classes), size, len(search.known)


def as_arrays(search, n_classes):
    """Return the arrays of the tree in preorder. The gain of every split is one: it saves one split."""
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    tree = {name: [] for name in names}
    stack = [(range(len(search.X)), None, None)]
    while stack:
        rows, parent, side = stack.pop()
        number = len(tree["feature"])
        if parent is not None:
            tree[side][parent] = number
        splits, feature, threshold = search.first_split(rows)
        tree["children_left"].append(LEAF)
        tree["children_right"].append(LEAF)
        tree["feature"].append(feature)
        tree["threshold"].append(threshold)
        tree["n_node_samples"].append(len(rows))
        tree["value"].append([float(sum(search.y[row] == k for row in rows)) for k in range(n_classes)])
        tree["gain"].append(1.0 if splits else 0.0)
        if splits:
            left, right = split_rows(search.X, rows, feature, threshold)
            stack += [(right, number, "children_right"), (left, number, "children_left")]
    return tree
