"""All trees within limits on the levels, as the sets of samples in their leaves: searches are compared with these."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np


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


def partitions(X, rows, depth, least=1, categorical=()):
    """Return the different partitions of the samples into leaves, each a set of sets of samples."""
    found = {frozenset([rows])}
    if depth == 0:
        return found
    for feature in range(X.shape[1]):
        for left in left_sides(X, rows, feature, feature in categorical):
            right = rows - left
            if min(len(left), len(right)) >= least:
                sides = (partitions(X, side, depth - 1, least, categorical) for side in (left, right))
                found |= {one | other for one, other in product(*sides)}
    return found


def objective(leaves, y, weights, costs, alpha):
    """Return the mean cost of the samples plus alpha for every leaf, each leaf with its cheapest class, as a
    fraction."""
    cost = sum(
        min(sum(Fraction(weights[row]) * Fraction(costs[y[row], k]) for row in leaf) for k in range(len(costs)))
        for leaf in leaves
    )
    return cost / sum(map(Fraction, weights)) + Fraction(alpha) * len(leaves)


def best_objective(X, y, depth, *, n_leaves=None, least=1, weights=None, costs=None, alpha=0.0, categorical=()):
    """Return the least objective of all trees."""
    y = np.asarray(y)
    weights = [1] * len(y) if weights is None else np.asarray(weights).tolist()
    costs = 1 - np.eye(y.max() + 1) if costs is None else np.asarray(costs, dtype=float)
    return min(
        objective(leaves, y, weights, costs, alpha)
        for leaves in partitions(X, frozenset(range(len(y))), depth, least, categorical)
        if n_leaves is None or len(leaves) <= n_leaves
    )
