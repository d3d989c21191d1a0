"""DistilledTreesRegressor: the numbers of `distil`, link functions, weights, categories, and what it refuses."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from support import on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeRegressor,
    DistilledTreesRegressor,
    export_text,
)
from pytrees.fourier import additive_model, distil, model_distance

X, Y = load_diabetes(return_X_y=True)
X, Y = X[::2, :4], Y[::2]
FEW = {"n_trees": 2, "max_leaf_nodes": 6}

ENSEMBLES = [
    DecisionForestRegressor(5, max_depth=4, random_state=0),
    RandomForestRegressor(5, max_depth=4, random_state=0),
    GradientBoostingRegressor(n_estimators=6, random_state=0),
    HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=6, random_state=0),
]


@pytest.mark.parametrize("measure", ["uniform", "empirical", "joint"])
@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda ensemble: type(ensemble).__name__)
def test_it_is_distil_of_the_fitted_ensemble(ensemble, measure):
    fitted = clone(ensemble).fit(X, Y)
    few = distil(fitted, None if measure == "uniform" else X, **FEW, measure=measure)
    for estimator in (ensemble, FrozenEstimator(fitted)):
        found = DistilledTreesRegressor(estimator, **FEW, measure=measure).fit(X, Y)
        assert found.distilled_.loss == few.loss
        assert found.trees_.shape == (2, 1)
        assert [tree for tree, _ in few.decoded] == found.trees_[:, 0].tolist()
        np.testing.assert_allclose(found.predict(X), few.evaluate(X)[:, 0], rtol=1e-12)
    assert found.score(X, Y) > 0.2 or measure == "uniform"
    assert model_distance(fitted, found, X, measure="joint").distance >= 0.0


def test_engines_agree():
    estimator = DistilledTreesRegressor(ENSEMBLES[0], n_trees=2, max_leaf_nodes=4, measure="joint")
    ours, naive = on_both_engines(lambda: clone(estimator).fit(X[:40], Y[:40]))
    np.testing.assert_allclose(ours.predict(X), naive.predict(X), rtol=1e-12)


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_enough_leaves_predict_as_the_ensemble(loss):
    boosted = HistGradientBoostingRegressor(loss=loss, max_iter=2, max_leaf_nodes=3, random_state=0).fit(X, Y)
    exact = DistilledTreesRegressor(FrozenEstimator(boosted), max_leaf_nodes=500).fit(X, Y)
    assert exact.distilled_.output == ("margin" if loss == "poisson" else "value")
    np.testing.assert_allclose(exact.predict(X), boosted.predict(X), rtol=1e-9)


def test_boosters_of_other_libraries():
    pytest.importorskip("treelite")
    xgboost = pytest.importorskip("xgboost")
    for objective, y in (("reg:squarederror", Y), ("reg:logistic", (Y - Y.min()) / np.ptp(Y))):
        boosted = xgboost.XGBRegressor(n_estimators=2, max_depth=1, objective=objective).fit(X, y)
        exact = DistilledTreesRegressor(FrozenEstimator(boosted), max_leaf_nodes=500).fit(X, y)
        np.testing.assert_allclose(exact.predict(X), boosted.predict(X), rtol=1e-5)


def test_defaults_seeds_pickles_and_cross_validation():
    few, y = X[:60], Y[:60]
    found = DistilledTreesRegressor(random_state=0).fit(few, y)
    again = DistilledTreesRegressor(DecisionForestRegressor(random_state=0)).fit(few, y)
    np.testing.assert_array_equal(found.predict(X), again.predict(X))
    copied = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(found.predict(X), copied.predict(X))
    assert cross_val_score(DistilledTreesRegressor(ENSEMBLES[1], **FEW), X, Y, cv=3).mean() > 0.0
    assert additive_model(found).predict(X) == pytest.approx(found.predict(X))


def test_weights_are_those_of_the_ensemble_and_of_the_measure():
    weights = np.arange(len(Y)) % 3
    repeated = np.repeat(np.arange(len(Y)), weights)
    estimator = DistilledTreesRegressor(DecisionTreeRegressor(max_depth=4), **FEW, measure="joint")
    found = clone(estimator).fit(X, Y, sample_weight=weights)
    expected = clone(estimator).fit(X[repeated], Y[repeated])
    np.testing.assert_allclose(found.predict(X), expected.predict(X), rtol=1e-9)


@pytest.mark.parametrize("frozen", [False, True])
def test_categories(frozen):
    table = pd.DataFrame({"a": list("xyzxyzxyu"), "b": np.arange(9.0)})
    y, weights = np.array([1.5, 2.0, 3.0, 1.0, 2.5, 3.5, 1.2, 2.2, 9.0]), np.array([1.0] * 8 + [0.0])
    forest = DecisionForestRegressor(3, categorical_features=["a"], handle_unknown="majority", random_state=0)
    forest.fit(table, y, sample_weight=weights)
    estimator = FrozenEstimator(forest) if frozen else forest
    found = DistilledTreesRegressor(estimator, max_leaf_nodes=50, measure="uniform").fit(table, y, weights)
    assert [part.tolist() for part in found.categories_] == [["x", "y", "z"]]
    np.testing.assert_allclose(found.predict(table[:8]), forest.predict(table[:8]), rtol=1e-9)
    assert found.predict(table).shape == (9,)
    assert "a = y" in export_text(found.trees_[0, 0])


def test_ensembles_and_targets_that_are_refused():
    of_sklearn = RandomForestClassifier()
    for classifier in (of_sklearn, DecisionForestClassifier(2), FrozenEstimator(of_sklearn)):
        with pytest.raises(TypeError, match=r"is a regressor and takes regressors.* DistilledTreesClassifier takes"):
            DistilledTreesRegressor(classifier).fit(X, Y)
    with pytest.raises(TypeError, match=r"got LinearRegression\. These can be read"):
        DistilledTreesRegressor(LinearRegression()).fit(X, Y)
    both = np.column_stack([Y, Y])
    with pytest.raises(ValueError, match="DistilledTreesRegressor predicts one number"):
        DistilledTreesRegressor(RandomForestRegressor(2)).fit(X, both)
    frozen = FrozenEstimator(RandomForestRegressor(2, max_depth=2).fit(X, both))
    with pytest.raises(ValueError, match=r"predicts 2 numbers.* distil makes trees"):
        DistilledTreesRegressor(frozen).fit(X, Y)
    forest = FrozenEstimator(RandomForestRegressor(2, max_depth=2).fit(X, Y))
    for y, message in ((["a"] * len(Y), "words"), (np.full(len(Y), np.nan), "NaN")):
        with pytest.raises(ValueError, match=message):
            DistilledTreesRegressor(forest).fit(X, y)
    with pytest.raises(ValueError, match="X has 3 features; the trees have 4"):
        DistilledTreesRegressor(forest).fit(X[:, :3], Y)
    for options in ({"estimator": "forest"}, {"n_trees": 0}, {"max_leaf_nodes": 1}, {"measure": "normal"}):
        with pytest.raises(ValueError, match=f"'{next(iter(options))}' parameter"):
            DistilledTreesRegressor(**options).fit(X, Y)
