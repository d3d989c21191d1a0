"""The smallest tree that is consistent with the labels: mts of Späh and Kosub, Section 3.1, by its recursion.

A tree of rows of one class is a leaf. Any other one has a first split, and smallest trees on both sides of it, so that
mts(rows) = 1 + min over the cuts of Delta_mts, the sum of mts(left) and mts(right), here counted in splits.
"""

from itertools import pairwise
from math import inf
from time import monotonic

from ..base.types import UNDEFINED
from ..rows.partition import split_rows, threshold_between
from .problem import Stopped, check_consistent, preorder_arrays
from .rollouts import small_tree


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


def minimal_tree(
    X, y, n_classes, *, time_limit=None, rollout_times=None, memory_limit=2**30, bound_rows=1024, first_turn=None
):
    """Return the arrays of the smallest consistent tree, or of a small one, or None if time ran out; the least number
    of splits that is needed; the number of sets of samples examined; and "Ctrl-C" if that ended the search.

    If several trees are smallest, the lowest features win, from the root on, then the lowest thresholds. If the search
    takes longer than the first of the `rollout_times`, a small tree is made up to the second one, and the search goes
    on. There are no bounds here, and the results are kept whatever the limit on memory.
    """
    start = monotonic()
    check_consistent(X, y)
    deadline = inf if time_limit is None else start + time_limit
    search = Search(X, y, deadline if rollout_times is None else min(deadline, start + rollout_times[0]))
    found = small = None
    ended_by = ""
    try:
        found = solve(search, n_classes)
        if found is None and rollout_times is not None:
            small = small_tree(X, y, n_classes, time_limit=max(0.0, start + rollout_times[1] - monotonic()))
            search.deadline = deadline
            found = solve(search, n_classes)
    except KeyboardInterrupt:
        ended_by = "Ctrl-C"
    least = len(set(y)) - 1 if found is None else search.first_split(range(len(X)))[0]
    return small if found is None else found, least, len(search.known), ended_by


def solve(search, n_classes):
    """Return the arrays of the smallest tree; None if time ran out."""

    def first_split(_, rows):
        splits, *split = search.first_split(rows)
        return (*split, None, None) if splits else None

    try:
        return preorder_arrays(search.X, search.y, n_classes, None, first_split)
    except Stopped:
        return None
