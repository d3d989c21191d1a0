"""Small consistent trees by rollouts: a cut is judged by the sizes of the trees that its two sides get.

A tree of level 0 grows greedily. Each split is the cut with the least score, the sum of sqrt(c (m - c)) over both sides
and all classes, c being the samples of the class among the m samples of the side. If one or two splits are enough for a
set, the greedy tree has them. For a tree of level L, the cuts with the least scores, one of each feature, are tried:
each gets trees of level L - 1 on both sides, and the cut with the smallest trees becomes the split. Its sides then get
trees of level L. The width of a tree is the number of cuts that are tried.
"""

from itertools import pairwise
from math import inf, sqrt
from time import monotonic

from ..base.types import UNDEFINED
from ..rows.partition import split_rows, threshold_between
from .problem import Stopped, check_consistent, preorder_arrays

SCHEDULE = ((0, 1), (1, 5), (2, 5), (2, 10))  # the trees that are made one after the other: level and width
EXACT = 3  # splits: a tree of so few cannot be beaten, as one and two splits are always found


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

    def arrays(self, level, width):
        """Return the arrays of the whole set's tree of a level."""

        def first_split(level, rows):
            splits = self.size(rows, level, width)
            # A tree of a lower level that is as small comes first.
            while level > 0 and self.size(rows, level - 1, width) == splits:
                level -= 1
            _, feature, threshold = self.tree(rows, level, width)
            return (feature, threshold, level, level) if splits else None

        return preorder_arrays(self.X, self.y, self.n_classes, level, first_split)


def small_tree(X, y, n_classes, *, time_limit=None, memory_limit=2**30):
    """Return the arrays of a small consistent tree; None if the time is over before there is one.

    Trees of growing level and width are made; the first of the smallest ones is taken. `memory_limit` has no meaning
    here.
    """
    check_consistent(X, y)
    X, y = [tuple(row) for row in X], list(y)
    rollouts = Rollouts(X, y, n_classes, inf if time_limit is None else monotonic() + time_limit)
    found = None
    try:
        for level, width in SCHEDULE:
            tree = rollouts.arrays(level, width)
            if found is None or len(tree["feature"]) < len(found["feature"]):
                found = tree
    except Stopped:
        pass
    return found
