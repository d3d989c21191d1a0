"""Seeded problems for `same_trees.py` whose targets are numbers; `problems.py` has the others, and says the rules."""

import warnings
from functools import partial
from itertools import product

import numpy as np
from problems import GROWTHS, LIMITS, make_problem, on_every_machine, rng_of, tree_arrays

from pytrees import DecisionForestRegressor, DecisionTreeRegressor, DistilledTreesRegressor, FourierSpectrum
from pytrees.criteria import SumCriterion
from pytrees.fourier import (
    ModelStream,
    additive_model,
    distil,
    gram,
    merge,
    ordinal_codes,
    sobol_indices,
    tree_from_ensemble,
)

ERRORS = ("squared_error", "absolute_error")


class Deviation(SumCriterion):
    """The decrease of the root of the variance, a criterion of a user."""

    def gains(self, left, right):
        node = left[:, 0] + right[:, 0]
        difference = left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0]
        of_node = left[:, 2] + right[:, 2] + left[:, 0] * right[:, 0] / node * difference**2
        return np.sqrt(of_node / node) - (np.sqrt(left[:, 2] * left[:, 0]) + np.sqrt(right[:, 2] * right[:, 0])) / node

    def gain_of_children(self, sums):
        return -float(np.sqrt(sums[:, 2] * sums[:, 0]).sum() / sums[:, 0].sum())


# Weights of some samples, all of which have at least the weight `fewest`.
WEIGHTS = {
    "none": lambda rng, n, fewest: None,
    "whole": lambda rng, n, fewest: rng.integers(fewest, 4, n),
    "tenths": lambda rng, n, fewest: rng.integers(fewest, 30, n) / 10,
    "real": lambda rng, n, fewest: np.square(np.square(rng.random(n))) + 0.001 * fewest,
}

# The arrays of trees of numbers besides those of all trees.
NUMBER_ARRAYS = ("weighted_n_node_samples", "impurity", "missing_go_to_left", "saw_missing")

# Targets of the classes that `make_problem` makes, by the generator of the problem.
TARGETS = {
    "decimals": lambda y, rng: (y + rng.normal(size=len(y))).round(1),
    "whole": lambda y, rng: y * 3.0,
    "real": lambda y, rng: y + on_every_machine(rng.normal(size=len(y)), bits=44),
    "wide": lambda y, rng: (
        np.ldexp(1.0 + rng.random(len(y)), rng.integers(-40, 40, len(y))) * rng.choice([-1, 1], len(y))
    ),
    "far from zero": lambda y, rng: 2.0**45 + y + rng.random(len(y)),
}


def make_numbers(name, targets="decimals", gaps=False, **made):
    """Make X and targets; values may be missing."""
    X, y = make_problem(name, **made)
    y = TARGETS[targets](y, rng_of("targets of " + name))
    if gaps:
        X[rng_of("gaps of " + name).random(X.shape) < 0.2] = np.nan
    return X, y


def fit_numbers(name, estimator, weights="none", **made):
    """Fit an estimator to targets; return all that is fitted, and what is predicted."""
    X, y = make_numbers(name, **made)
    # A category that only samples of weight 0 have would be unknown to `predict`.
    weights = WEIGHTS[weights](rng_of("weights of " + name), len(X), int(made.get("categories", False)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # out-of-bag samples that no tree has
        fitted = estimator.fit(X, y, sample_weight=weights)
    found = [fitted.feature_importances_, fitted.predict(X)]
    names = "oob_prediction_", "oob_score_", "unbiased_feature_importances_"
    found += [getattr(fitted, name) for name in names if hasattr(fitted, name)]
    return found + [number_arrays(member.tree_) for member in getattr(fitted, "estimators_", [fitted])]


def number_arrays(tree):
    return [*tree_arrays(tree), *(getattr(tree, name) for name in NUMBER_ARRAYS if hasattr(tree, name))]


def number_problems():
    """Yield regression trees and forests of both errors, by growth, limits, weights, targets, gaps and categories."""
    for error, growth, limits, weights, targets in product(ERRORS, GROWTHS, LIMITS, WEIGHTS, TARGETS):
        name = f"numbers, tree, {error}, {growth}, {limits}, weights {weights}, {targets}"
        estimator = DecisionTreeRegressor(error, random_state=3, **GROWTHS[growth], **LIMITS[limits])
        yield name, partial(fit_numbers, name, estimator, weights, targets=targets)
    for error, weights, targets, gaps in product(ERRORS, WEIGHTS, TARGETS, (False, True)):
        for split in ("multiway", "subset"):
            name = f"numbers, categories, {error}, {split}, weights {weights}, {targets}, gaps {gaps}"
            estimator = DecisionTreeRegressor(
                error, categorical_features=[0, 2], categorical_split=split, handle_unknown="majority"
            )
            yield name, partial(fit_numbers, name, estimator, weights, targets=targets, gaps=gaps, categories=True)
        name = f"numbers, many categories, {error}, weights {weights}, {targets}, gaps {gaps}"
        estimator = DecisionTreeRegressor(error, categorical_features=[0, 2], handle_unknown="majority")
        made = {"n": 90, "n_codes": 40, "categories": True}
        yield name, partial(fit_numbers, name, estimator, weights, targets=targets, gaps=gaps, **made)
        name = f"numbers, gaps, {error}, weights {weights}, {targets}, gaps {gaps}"
        yield name, partial(fit_numbers, name, DecisionTreeRegressor(error), weights, targets=targets, gaps=gaps, n=70)
    for error, growth, weights in product(ERRORS, GROWTHS, WEIGHTS):
        for label, options in {
            "pruned": {"ccp_alpha": 0.1},
            "decrease": {"min_impurity_decrease": 0.05},
            "constrained": {"monotonic_cst": [1, -1, 0, 1]},
            "fraction": {"min_weight_fraction_leaf": 0.1, "min_samples_leaf": 2},
        }.items():
            name = f"numbers, {label}, {error}, {growth}, weights {weights}"
            estimator = DecisionTreeRegressor(error, **GROWTHS[growth], **options)
            yield name, partial(fit_numbers, name, estimator, weights, n=60)
    for error, bootstrap, weights, gaps in product(ERRORS, (False, True), WEIGHTS, (False, True)):
        name = f"numbers, forest, {error}, bootstrap {bootstrap}, weights {weights}, gaps {gaps}"
        estimator = DecisionForestRegressor(
            4, criterion=error, bootstrap=bootstrap, oob_score=bootstrap, max_features=2, n_jobs=2, random_state=5
        )
        yield name, partial(fit_numbers, name, estimator, weights, gaps=gaps)


def own_problems():
    """Yield regression trees and forests of a user's criterion."""
    for growth, limits, weights, targets in product(GROWTHS, LIMITS, ("none", "tenths"), ("decimals", "real")):
        name = f"numbers, own, {growth}, {limits}, weights {weights}, {targets}"
        estimator = DecisionTreeRegressor(Deviation(), random_state=3, **GROWTHS[growth], **LIMITS[limits])
        yield name, partial(fit_numbers, name, estimator, weights, targets=targets)
    for split, weights, targets, gaps in product(("multiway", "subset"), WEIGHTS, TARGETS, (False, True)):
        name = f"numbers, own, categories, {split}, weights {weights}, {targets}, gaps {gaps}"
        estimator = DecisionTreeRegressor(
            Deviation(), categorical_features=[0, 2], categorical_split=split, handle_unknown="majority"
        )
        yield name, partial(fit_numbers, name, estimator, weights, targets=targets, gaps=gaps, categories=True)
    for weights, targets in product(WEIGHTS, TARGETS):
        name = f"numbers, own, many categories, weights {weights}, {targets}"
        estimator = DecisionTreeRegressor(Deviation(), categorical_features=[0, 2], handle_unknown="majority")
        made = {"n": 90, "n_codes": 40, "categories": True}
        yield name, partial(fit_numbers, name, estimator, weights, targets=targets, **made)
    for bootstrap, weights in product((False, True), WEIGHTS):
        name = f"numbers, own, forest, bootstrap {bootstrap}, weights {weights}"
        estimator = DecisionForestRegressor(
            4, criterion=Deviation(), bootstrap=bootstrap, max_features=2, n_jobs=2, random_state=5
        )
        yield name, partial(fit_numbers, name, estimator, weights, gaps=True)


def algebra_problems():
    """Yield what the Fourier algebra makes of trees of numbers."""
    for targets, categories in product(TARGETS, (False, True)):
        name = f"numbers, algebra, {targets}, categories {categories}"
        yield name, partial(algebra_of, name, targets, categories)
    for targets, weights in product(TARGETS, ("none", "whole")):
        name = f"numbers, algebra, distilled, {targets}, weights {weights}"
        yield name, partial(distilled_of, name, targets, weights)
    for targets, measure in product(TARGETS, ("empirical", "joint")):
        name = f"numbers, stream, {targets}, {measure}"
        yield name, partial(stream_of, name, targets, measure)


def algebra_of(name, targets, categories):
    X, y = make_numbers(name, targets, categories=categories)
    columns = [0, 2] if categories else None
    models = [
        DecisionForestRegressor(n_trees, max_depth=2, categorical_features=columns, random_state=0).fit(X, y)
        for n_trees in (2, 3)
    ]
    codes, merged = ordinal_codes(models[0]), merge(models, [1, 2])
    rows, trees, cardinalities = codes.transform(X), codes.trees, codes.cardinalities
    spectrum = FourierSpectrum.from_tree(trees[0], cardinalities)
    indices = sobol_indices(trees, cardinalities, measure="empirical", X=rows)
    one = tree_from_ensemble(trees, cardinalities, criterion="variance", max_leaf_nodes=6)
    few = distil(merged, X, n_trees=2, max_leaf_nodes=4)
    found = [spectrum.partitions, spectrum.coefficients, spectrum.evaluate(rows), gram(trees, cardinalities)]
    found += [indices.mean, indices.variance, indices.first_order, indices.total, indices.pairs]
    found += [number_arrays(one.tree), number_arrays(codes.decode(one.tree)), few.loss, few.explained_variance]
    return [*found, additive_model(models[1]).evaluate(X), merged.evaluate(X), few.evaluate(X)]


def distilled_of(name, targets, weights):
    X, y = make_numbers(name, targets)
    weights = WEIGHTS[weights](np.random.default_rng(0), len(y), 1)
    estimator = DistilledTreesRegressor(DecisionForestRegressor(3, max_depth=3, random_state=0), n_trees=2)
    few = estimator.set_params(max_leaf_nodes=5, measure="joint").fit(X, y, sample_weight=weights)
    return [few.intercept_, *map(number_arrays, few.trees_.flat), few.predict(X)]


def stream_of(name, targets, measure):
    X, y = make_numbers(name, targets, n=60)
    stream = ModelStream(DecisionTreeRegressor(max_depth=2), X[:20], half_life=2, measure=measure)
    for start in (0, 20, 40):
        stream = stream.update(X[start : start + 20], y[start : start + 20])
    return [stream.gram, stream.weights, stream.drift, stream.shares, stream.evaluate(X)]


def large_number_problems():
    """Yield nodes of many samples: bins, blocks, wide entries; for the compiled engine only."""
    sizes = {
        70_000: ({"max_depth": 6}, {"max_depth": 6, "max_features": 2, "min_samples_leaf": 3}),
        20_000: ({"max_depth": 12}, {"max_leaf_nodes": 40}),
        3_000: ({"max_features": 2}, {"max_candidates": 9, "max_depth": 6}, {"monotonic_cst": [1, -1, *[0] * 6]}),
    }
    for error, weights, targets, gaps in product(ERRORS, ("none", "tenths"), ("decimals", "wide"), (False, True)):
        for n, options in ((n, options) for n, all_options in sizes.items() for options in all_options):
            name = f"numbers, large, {error}, weights {weights}, {targets}, gaps {gaps}, {n} samples, {options}"
            estimator = DecisionTreeRegressor(error, random_state=1, **options)
            yield name, partial(fit_numbers, name, estimator, weights, targets=targets, gaps=gaps, n=n, n_features=8)
    for error, targets in product(ERRORS, TARGETS):
        name = f"numbers, large forest, {error}, {targets}"
        estimator = DecisionForestRegressor(2, criterion=error, max_features=3, random_state=1, n_jobs=2)
        yield name, partial(fit_numbers, name, estimator, targets=targets, n=10_000, n_features=8)
