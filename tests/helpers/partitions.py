"""All trees within limits on the levels, as the sets of samples in their leaves: searches are compared with these."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np

from pytrees.trees.optimal_search import as_written


def left_sides(X, rows, feature, is_categorical=False):
    """Yield the samples on the left of every split of a feature: of every threshold with the missing values on either
    side, of known and missing values, or of two sets of categories."""
    values = {row: X[row, feature] for row in rows}
    missing = frozenset(row for row, value in values.items() if np.isnan(value))
    known = sorted({value for value in values.values() if not np.isnan(value)})
    if is_categorical:
        for n in range(1, len(known)):
            for chosen in combinations(known, n):
                yield frozenset(row for row in rows if values[row] in chosen)
        return
    for below, _ in pairwise(known):
        left = frozenset(row for row in rows if values[row] <= below)
        yield from {left, left | missing}
    if known and missing:
        yield rows - missing


def partitions(X, rows, depth, categorical=()):
    """Return the different partitions of the samples into leaves, each a set of sets of samples."""
    found = {frozenset([rows])}
    if depth == 0:
        return found
    for feature in range(X.shape[1]):
        for left in left_sides(X, rows, feature, feature in categorical):
            if 0 < len(left) < len(rows):
                sides = (partitions(X, side, depth - 1, categorical) for side in (left, rows - left))
                found |= {one | other for one, other in product(*sides)}
    return found


def best_objective(X, y, depth, *, alpha=0.0, categorical=()):
    """Return the least share of errors plus alpha for every leaf, as a fraction."""
    y = np.asarray(y)
    return min(
        Fraction(sum(len(leaf) - np.bincount(y[list(leaf)]).max() for leaf in leaves).item(), len(y))
        + as_written(alpha) * len(leaves)
        for leaves in partitions(X, frozenset(range(len(y))), depth, categorical=categorical)
    )
