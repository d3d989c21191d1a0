"""Seeded products of the parameters of `OptimalTreeClassifier`, and the least objective of all trees, tried out."""

from fractions import Fraction
from functools import cache
from itertools import chain, combinations
from math import ceil, lcm

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

# Weights and costs whose digits together need more than the grids of whole numbers have.
ROUGH, EXACT = 1e-6, 1e-12


def draw_search(seed, limits):
    """Return the parameters of an estimator, up to twelve samples and their weights, each drawn for itself, and how far
    rounding on grids may move the objective. `limits` names those of the size of a tree."""
    rng = np.random.default_rng(seed)
    n, n_classes, n_features = rng.integers(1, 13), int(rng.integers(2, 5)), rng.integers(1, 4)
    X = rng.integers(0, rng.choice([2, 3, 6, 12]), (n, n_features)).astype(float)
    categorical = [0] if rng.random() < 0.3 else []
    X[:, categorical] = rng.integers(0, rng.integers(1, 5), (n, len(categorical)))
    X[rng.random(X.shape) < rng.choice([0.0, 0.0, 0.2])] = np.nan
    y = rng.permuted(np.append(rng.integers(0, n_classes, n), range(n_classes)))[:n]
    y = np.unique(y, return_inverse=True)[1]
    n_classes = int(y.max()) + 1
    costs = rng.choice([0, 0.1, 0.5, 1, 1, 2, 5], (n_classes, n_classes))
    has_digits = rng.random() < 0.2
    costs = (costs + has_digits * rng.random()) * (1 - np.eye(n_classes))
    parameters = {
        "max_depth": int(rng.integers(1, 5)) if "levels" in limits else None,
        "max_leaf_nodes": int(rng.integers(2, 7)) if "leaves" in limits else None,
        "alpha": [0.0, 1e-9, 0.01, 0.1, 0.125, 0.3, rng.random() / 5][rng.integers("price" in limits, 7)],
        "min_samples_leaf": [1, 1, 2, 3, 0.2][rng.integers(5)],
        "class_weight": [None, None, "balanced", {0: 1.7} | dict.fromkeys(range(1, n_classes), 0.3)][rng.integers(4)],
        "cost_matrix": [None, "absolute", costs][rng.integers(3)],
        "max_gap": [0.0, 0.0, 0.02, 0.2][rng.integers(4)],
        "time_limit": [None, None, 1e6][rng.integers(3)],
        "memory_limit": [0, 5_000, 2**30][rng.integers(3)],
        "n_jobs": int(rng.integers(1, 3)),
        "count_best_roots": bool(rng.integers(2)),
        "categorical_features": categorical,
    }
    weights = [None, rng.integers(1, 40, n), rng.integers(1, 4, n) / 10, rng.random(n) + 1e-3]
    weights += [rng.choice([1e-3, 1.0, 1e7], n), rng.integers(10**9, 10**10, n).astype(float)]
    is_rough = has_digits and isinstance(parameters["cost_matrix"], np.ndarray)
    return parameters, X, y, weights[rng.integers(6)], ROUGH if is_rough else EXACT


def least_samples(parameters, y):
    """Return the fewest samples of a leaf."""
    given = parameters["min_samples_leaf"]
    return given if isinstance(given, int) else ceil(given * len(y))


def weights_and_costs(parameters, y, weights):
    """Return the weights of samples and of their classes together, and the costs of predictions as a matrix."""
    ranks, costs = np.arange(y.max() + 1), parameters["cost_matrix"]
    if not isinstance(costs, np.ndarray):
        costs = (1.0 if costs is None else abs(ranks[:, np.newaxis] - ranks)) * (1 - np.eye(len(ranks)))
    weights = np.ones(len(y)) if weights is None else weights.astype(float)
    return weights * compute_sample_weight(parameters["class_weight"], y), costs


def _on_the_left(X, categorical):
    """Return the sets of samples, as bits, on the left of the cuts of all samples."""
    for feature, column in enumerate(X.T):
        is_missing = np.isnan(column)
        if feature in categorical:
            values = np.where(is_missing, np.inf, column)
            levels = np.unique(values)
            sides = [np.isin(values, chosen) for n in range(1, len(levels)) for chosen in combinations(levels, n)]
        else:
            sides = [side for value in column for side in (column <= value, (column <= value) | is_missing)]
        yield from (sum(1 << row for row in np.flatnonzero(side).tolist()) for side in sides)


def least_objective(parameters, X, y, weights):
    """Return the least objective of all trees within the limits, as a fraction, by all first cuts."""
    given, costs = weights_and_costs(parameters, y, weights)
    weights = [Fraction(repr(weight)) for weight in given.tolist()]
    costs = [[Fraction(repr(cost)) for cost in of_class] for of_class in costs.tolist()]
    alpha = Fraction(repr(parameters["alpha"])) * sum(weights)
    # Whole numbers of a unit add up in a fraction of the time.
    unit = lcm(alpha.denominator, *((weight * cost).denominator for weight in weights for cost in chain(*costs)))
    price, samples = int(alpha * unit), range(len(y))
    whole = [[int(weights[row] * cost * unit) for cost in costs[y[row]]] for row in samples]
    sides, least = set(_on_the_left(X, parameters["categorical_features"])), least_samples(parameters, y)

    @cache
    def leaf(rows):
        return price + min(map(sum, zip(*(whole[row] for row in samples if rows >> row & 1), strict=True)))

    @cache
    def cuts(rows):
        lefts = {rows & side for side in sides}
        return [left for left in lefts if min(left.bit_count(), (rows & ~left).bit_count()) >= least]

    @cache
    def best(rows, depth, leaves):
        found = leaf(rows)
        if depth == 0 or leaves == 1 or found == price:
            return found
        for left in cuts(rows):
            for of_left in range(1, leaves) if leaves < len(y) else [leaves]:
                found = min(
                    found, best(left, depth - 1, of_left) + best(rows & ~left, depth - 1, (leaves - of_left) or leaves)
                )
        return found

    depth, leaves = (min(parameters[name] or len(y), len(y)) for name in ("max_depth", "max_leaf_nodes"))
    return Fraction(best((1 << len(y)) - 1, depth, leaves), unit) / sum(weights)
