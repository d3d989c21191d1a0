"""Small consistent trees by rollouts: a split is scored by the sizes of cheaper trees on both sides.

A tree of level 0 grows greedily, by the cut with the least sum of sqrt(c (m - c)) over both sides and all classes, c
being the samples of a class among m; if one or two splits are enough, they are found. In a tree of level L, the best
cuts, one of a feature, get trees of level L - 1 on both sides, and the cut with the smallest trees is taken.
"""

from itertools import pairwise
from math import inf, sqrt
from time import monotonic

from ..base.types import LEAF, UNDEFINED
from ..rows.partition import split_rows, threshold_between
from .problem import check_consistent

SCHEDULE = ((0, 1), (1, 5), (2, 5), (2, 10))  # levels, and how many features' cuts are tried at each
EXACT = 3  # splits: sets that one or two are enough for are found, and no set of three need be looked at again


class Stopped(Exception):
    """The time is over."""


class Rollouts:
    """The trees of sets of rows: (splits, feature, threshold), by the level and width that found them."""

    def __init__(self, X, y, n_classes, deadline):
        self.X = X
        self.y = y
        self.n_classes = n_classes
        self.deadline = deadline
        self.known = {}

    def is_pure(self, rows):
        return len({self.y[row] for row in rows}) == 1

    def cuts(self, rows, feature):
        """Yield the thresholds of a feature, ascending, with both sides."""
        for below, above in pairwise(sorted({self.X[row][feature] for row in rows})):
            threshold = threshold_between(below, above)
            yield (threshold, *split_rows(self.X, rows, feature, threshold))

    def score(self, rows):
        counts = [sum(self.y[row] == label for row in rows) for label in range(self.n_classes)]
        total = 0.0
        for count in counts:
            total += sqrt(count * (len(rows) - count))
        return total

    def stump(self, rows):
        """Return the first cut whose sides are pure, or None."""
        for feature in range(len(self.X[0])):
            for threshold, left, right in self.cuts(rows, feature):
                if self.is_pure(left) and self.is_pure(right):
                    return feature, threshold
        return None

    def two_splits(self, rows):
        """Return the first cut with a pure side for whose other side one split is enough, or None. A feature's cut with
        the largest pure left side comes first, then its cut with the largest pure right side."""
        for feature in range(len(self.X[0])):
            cuts = list(self.cuts(rows, feature))
            pure_left = [cut for cut in cuts if self.is_pure(cut[1])]
            if pure_left and self.stump(pure_left[-1][2]):
                return feature, pure_left[-1][0]
            pure_right = [cut for cut in cuts if self.is_pure(cut[2])]
            if pure_right and self.stump(pure_right[0][1]):
                return feature, pure_right[0][0]
        return None

    def best_cuts(self, rows):
        """Return (score, feature, threshold) of every feature's best cut, the best one first."""
        best = []
        for feature in range(len(self.X[0])):
            of_feature = (inf, feature, None)
            for threshold, left, right in self.cuts(rows, feature):
                score = self.score(left) + self.score(right)
                if score < of_feature[0]:
                    of_feature = (score, feature, threshold)
            if of_feature[2] is not None:
                best.append(of_feature)
        return sorted(best, key=lambda cut: cut[:2])

    def size(self, rows, level, width):
        return self.tree(rows, level, width)[0]

    def tree(self, rows, level, width):
        """Return the splits of the tree of a level, and the first one."""
        rows = tuple(rows)
        key = rows, level, width if level else 0
        if key not in self.known:
            if monotonic() >= self.deadline:
                raise Stopped
            if self.is_pure(rows):
                self.known[key] = 0, UNDEFINED, float(UNDEFINED)
            else:
                self.known[key] = self.roll_out(rows, level, width) if level else self.greedy(rows)
        return self.known[key]

    def with_sides(self, rows, feature, threshold, level, width):
        left, right = split_rows(self.X, rows, feature, threshold)
        return 1 + self.size(left, level, width) + self.size(right, level, width), feature, threshold

    def greedy(self, rows):
        _, feature, threshold = self.best_cuts(rows)[0]
        feature, threshold = self.stump(rows) or self.two_splits(rows) or (feature, threshold)
        return self.with_sides(rows, feature, threshold, 0, 0)

    def roll_out(self, rows, level, width):
        careless = self.tree(rows, level - 1, width)
        if careless[0] <= EXACT:
            return careless
        tried = [
            self.with_sides(rows, feature, threshold, level - 1, width)
            for _, feature, threshold in self.best_cuts(rows)[:width]
        ]
        _, feature, threshold = min(tried, key=lambda tree: tree[0])
        return min(careless, self.with_sides(rows, feature, threshold, level, width), key=lambda tree: tree[0])

    def nodes(self, rows, level, width):
        """Yield the nodes of a tree of a level, in preorder: feature, threshold, rows; leaves have no feature."""
        splits = self.size(rows, level, width)
        while level > 0 and self.size(rows, level - 1, width) == splits:
            level -= 1
        _, feature, threshold = self.tree(rows, level, width)
        yield feature, threshold, rows
        if splits:
            for side in split_rows(self.X, rows, feature, threshold):
                yield from self.nodes(side, level, width)


def small_tree(X, y, n_classes, *, time_limit=None, memory_limit=2**30):
    """Return the arrays of a small consistent tree; None where the time is over before there is one.

    Trees of growing level and width are made; the first of the smallest ones is taken. `memory_limit` has no meaning
    here.
    """
    check_consistent(X, y)
    X, y = [tuple(row) for row in X], list(y)
    rollouts = Rollouts(X, y, n_classes, inf if time_limit is None else monotonic() + time_limit)
    found = None
    try:
        for level, width in SCHEDULE:
            nodes = list(rollouts.nodes(tuple(range(len(X))), level, width))
            if found is None or len(nodes) < len(found):
                found = nodes
    except Stopped:
        pass
    return None if found is None else as_arrays(found, y, n_classes)


def as_arrays(nodes, y, n_classes):
    """Return the arrays of a tree from its nodes in preorder. The gain of every split is one."""
    tree = {
        "children_left": [LEAF] * len(nodes),
        "children_right": [LEAF] * len(nodes),
        "feature": [feature for feature, _, _ in nodes],
        "threshold": [threshold for _, threshold, _ in nodes],
        "n_node_samples": [len(rows) for _, _, rows in nodes],
        "value": [[float(sum(y[row] == k for row in rows)) for k in range(n_classes)] for _, _, rows in nodes],
        "gain": [0.0 if feature == UNDEFINED else 1.0 for feature, _, _ in nodes],
    }
    open_nodes = []
    for number, (feature, _, _) in enumerate(nodes):
        if number:
            parent = open_nodes[-1]
            side = "children_left" if tree["children_left"][parent] == LEAF else "children_right"
            tree[side][parent] = number
            if side == "children_right":
                open_nodes.pop()
        if feature != UNDEFINED:
            open_nodes.append(number)
    return tree
