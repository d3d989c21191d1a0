"""Targets at both ends of float64: a power of two as their factor changes no share, and scales every value exactly."""

from functools import cache

import numpy as np
import pytest

from pytrees import DecisionForestRegressor, DecisionTreeRegressor
from pytrees.fourier import (
    additive_model,
    anova_effects,
    distil,
    gram,
    merge,
    model_distance,
    ordinal_codes,
    partial_dependence,
    schema_average,
    shapley_values,
    sobol_indices,
    tree_from_ensemble,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).round(1)
TARGETS = np.round(64 * (3 * X[:, 0] + X[:, 1] + RNG.normal(size=40))) / 64
WEIGHTS = RNG.random(40)
# Near 2**1024, and the least power that leaves all digits to means; squares leave the range beyond 2**512.
POWERS = [1020, 600, 400, -400, -600, -950]


@cache
def fitted(power, error):
    y = np.ldexp(TARGETS, power)
    tree = DecisionTreeRegressor(error, max_depth=3, monotonic_cst=[1, 0, 0]).fit(X, y, WEIGHTS)
    forest = DecisionForestRegressor(25, criterion=error, max_depth=2, oob_score=True, random_state=0).fit(X, y)
    return y, tree, forest


def on_codes(function, model, *args, **options):
    codes = ordinal_codes(model)
    return function(codes.trees, *args, codes.cardinalities, **options)


# The power of the unit of the targets, and the function of the targets, the tree and the forest.
FOUND = {
    "values": (1, lambda y, t, f: t.tree_.value),
    "shares of gains": (0, lambda y, t, f: t.feature_importances_),
    "forest's shares of gains": (0, lambda y, t, f: f.feature_importances_),
    "score": (0, lambda y, t, f: t.score(X, y, 1e300 * WEIGHTS)),
    "forest's score": (0, lambda y, t, f: f.score(X, y)),
    "forest's means": (1, lambda y, t, f: f.predict(X)),
    "out of bag": (0, lambda y, t, f: f.oob_score_),
    "means out of bag": (1, lambda y, t, f: f.oob_prediction_),
    "unbiased": (2, lambda y, t, f: f.unbiased_feature_importances_),
    "alphas": (2, lambda y, t, f: np.concatenate(list(t.cost_complexity_pruning_path(X, y).values()))),
    "Shapley values": (1, lambda y, t, f: shapley_values(f, X[:4], X).values),
    "their base": (1, lambda y, t, f: shapley_values(f, X[:4], X).base_values),
    "shares of variance": (0, lambda y, t, f: sobol_indices(f, X).total),
    "variance": (2, lambda y, t, f: sobol_indices(f, X, measure="joint").variance),
    "dependence": (1, lambda y, t, f: partial_dependence(f, X, [(0, 1)])[0]),
    "joint dependence": (1, lambda y, t, f: partial_dependence(t, X, [0], measure="joint")[0]),
    "effects": (1, lambda y, t, f: anova_effects(f, X, [(0, 1)]).pairs[0, 1]),
    "distance": (1, lambda y, t, f: model_distance(f, t, X).distance),
    "correlation": (0, lambda y, t, f: model_distance(f, t, X).correlation),
    "sum": (1, lambda y, t, f: additive_model(f).evaluate(X)),
    "merged": (1, lambda y, t, f: merge([f, t]).evaluate(X)),
    "distilled": (1, lambda y, t, f: distil(t, X, n_trees=2, max_leaf_nodes=3).evaluate(X)),
    "shares of the distilled": (0, lambda y, t, f: distil(t, X, max_leaf_nodes=3).explained_variance_ratio),
    "average": (1, lambda y, t, f: on_codes(schema_average, f, {0: 0})),
    "inner products": (2, lambda y, t, f: on_codes(gram, f)),
    "rebuilt": (1, lambda y, t, f: on_codes(tree_from_ensemble, f, criterion="variance", max_leaf_nodes=4).averages),
}
# The variance is part of these results, with a warning if it is beyond the range.
WITH_SQUARES = {"shares of variance"}


@cache
def found_at_1(name, error):
    return FOUND[name][1](*fitted(0, error))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("error", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("power", POWERS)
def test_powers_of_two_change_no_share(power, error):
    for name, (degree, find) in FOUND.items():
        expected = found_at_1(name, error)
        is_beyond = abs(power) > 512 and (degree == 2 or name in WITH_SQUARES)
        if is_beyond and not (name == "alphas" and error == "absolute_error"):
            with pytest.raises(
                (ValueError, AttributeError, RuntimeWarning), match=r"beyond the range of float64.* 2\.0\*\*"
            ):
                find(*fitted(power, error))
            continue
        degree = 1 if name == "alphas" and error == "absolute_error" else degree
        scaled = np.ldexp(expected, degree * power)
        if "shares of gains" in name:  # gains that are beyond the range follow from rounded values
            np.testing.assert_allclose(find(*fitted(power, error)), scaled, rtol=1e-14, err_msg=name)
        else:
            np.testing.assert_array_equal(find(*fitted(power, error)), scaled, err_msg=name)


@pytest.mark.parametrize("factor", [5e-324, 1e-320, 1.0, 1e308])
def test_shares_next_to_zero(factor):
    """Targets of few digits, of which subnormal numbers have no more."""
    tree = DecisionTreeRegressor().fit([[0, 0], [0, 1], [1, 0], [1, 1]], np.multiply([0, 1, 0, 1], factor))
    assert tree.tree_.value[:, 0].tolist()[1:] == [0.0, factor]
    np.testing.assert_array_equal(tree.feature_importances_, [0.0, 1.0])
    assert tree.score([[0, 0], [0, 1]], [0, factor]) == 1.0
