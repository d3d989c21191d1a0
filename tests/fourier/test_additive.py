"""Ensembles of other libraries as sums of trees: they predict what the libraries predict, and are refused by name."""

import importlib
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from fourier_samples import CLOSE, last_of_two
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor
from support import assert_refuses

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees.fourier import (
    additive_model,
    gram,
    model_distance,
    partial_dependence,
    schema_average,
    sobol_indices,
    tree_from_ensemble,
)

LOADERS = {"iris": load_iris, "cancer": load_breast_cancer, "diabetes": load_diabetes}


def data(name):
    return LOADERS[name](return_X_y=True)


def near(model, X, dtype):
    """Return samples, and some of numbers at and next to the thresholds, where decisions change."""
    extra = np.tile(X[:1], (300, 1))
    for m, cuts in enumerate(model.codes.thresholds):
        cuts = cuts.astype(dtype)
        beside = np.concatenate([cuts, np.nextafter(cuts, dtype(np.inf)), np.nextafter(cuts, dtype(-np.inf))])
        extra[:, m] = np.resize(beside, 300) if beside.size else extra[:, m]
    return np.concatenate([X, extra])


AVERAGES = [
    ("iris", RandomForestClassifier(8, random_state=0)),
    ("cancer", RandomForestClassifier(8, random_state=0)),
    ("iris", ExtraTreesClassifier(8, max_leaf_nodes=6, random_state=0)),
    ("cancer", BaggingClassifier(SklearnTreeClassifier(max_depth=3), 6, max_features=0.4, random_state=0)),
    ("iris", BaggingClassifier(SklearnTreeClassifier(), 6, max_samples=4, random_state=0)),
    ("iris", BaggingClassifier(DecisionTreeClassifier(), 6, random_state=0)),
    ("iris", SklearnTreeClassifier(max_depth=3)),
    ("iris", DecisionTreeClassifier(max_depth=3)),
    ("iris", DecisionForestClassifier(6, random_state=0)),
    ("cancer", DecisionForestClassifier(6, random_state=0)),
    ("iris", PermutationDecisionForestClassifier(6, random_state=0)),
    ("iris", ID3ForestClassifier(3, random_state=0)),
    ("iris", OrdinalDecisionForestClassifier(4, random_state=0)),
    ("iris", ID3Classifier("accuracy", evaluation="global", labels="all", max_leaf_nodes=9)),
    ("iris", C45Classifier()),
    ("iris", PermutationDecisionTreeClassifier(max_depth=3)),
]


@pytest.mark.filterwarnings("ignore:distance=.* does not know which cluster is which class")
@pytest.mark.parametrize(("name", "estimator"), AVERAGES)
def test_averages_of_classification_trees(name, estimator):
    X, y = data(name)
    estimator.fit(X, y)
    model = additive_model(estimator)
    assert model.output == "probability"
    np.testing.assert_array_equal(model.classes, estimator.classes_)
    X = near(model, X, np.float32)
    np.testing.assert_allclose(model.evaluate(X), last_of_two(estimator.predict_proba(X)), rtol=0.0, atol=1e-15)
    assert "AdditiveModel" in repr(model)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestRegressor(8, random_state=0),
        ExtraTreesRegressor(8, max_depth=4, random_state=0),
        BaggingRegressor(ExtraTreeRegressor(max_depth=5), 6, max_features=0.5, random_state=0),
        BaggingRegressor(n_estimators=6, max_features=1, random_state=0),
        DecisionTreeRegressor(max_leaf_nodes=9),
        RandomForestRegressor(4, criterion="absolute_error", max_depth=2, random_state=0),
        GradientBoostingRegressor(n_estimators=12, random_state=0),
        GradientBoostingRegressor(n_estimators=5, loss="huber", init="zero", random_state=0),
        HistGradientBoostingRegressor(max_iter=12),
        HistGradientBoostingRegressor(max_iter=6, loss="quantile", quantile=0.3, early_stopping=True),
    ],
)
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_sums_and_averages_of_regression_trees(estimator, n_outputs):
    """Values of boosting are equal."""
    X, y = data("diabetes")
    is_boosted = isinstance(estimator, GradientBoostingRegressor | HistGradientBoostingRegressor)
    if n_outputs == 2:
        if is_boosted or isinstance(estimator, BaggingRegressor):
            pytest.skip("bagging and boosting have one output")
        y = np.stack([y, -3 * y], axis=1)
    estimator.fit(X, y)
    model = additive_model(FrozenEstimator(estimator))
    assert (model.output, model.classes, model.n_outputs) == ("value", None, n_outputs)
    X = near(model, X, np.float64 if isinstance(estimator, HistGradientBoostingRegressor) else np.float32)
    expected = estimator.predict(X).reshape(len(X), -1)
    np.testing.assert_allclose(model.evaluate(X), expected, rtol=0.0 if is_boosted else 1e-14)


def margins(estimator, X):
    found = estimator.decision_function(X)
    return found[:, np.newaxis] if found.ndim == 1 else found


@pytest.mark.parametrize("name", ["iris", "cancer"])
@pytest.mark.parametrize(
    "estimator",
    [
        GradientBoostingClassifier(n_estimators=12, learning_rate=0.3, random_state=0),
        GradientBoostingClassifier(n_estimators=5, init="zero", subsample=0.6, random_state=0),
        HistGradientBoostingClassifier(max_iter=12, max_leaf_nodes=9),
    ],
)
def test_margins_of_boosting_are_equal(name, estimator):
    X, y = data(name)
    estimator.fit(X, y)
    model = additive_model(estimator)
    assert (model.output, model.n_outputs) == ("margin", 3 if name == "iris" else 1)
    np.testing.assert_array_equal(model.classes, estimator.classes_)
    X = near(model, X, np.float32)
    np.testing.assert_array_equal(model.evaluate(X), margins(estimator, X))


def test_regressors_with_a_link_have_margins():
    X, y = data("diabetes")
    estimator = HistGradientBoostingRegressor(max_iter=6, loss="poisson").fit(X, y)
    model = additive_model(estimator)
    assert model.output == "margin"
    np.testing.assert_allclose(np.exp(model.evaluate(X)[:, 0]), estimator.predict(X), rtol=1e-14)


@pytest.mark.parametrize("kind", ["margins", "probabilities"])
def test_the_algebra_takes_the_sum(engine, kind):
    X, y = data("iris")
    boosted = GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0)
    estimator = boosted if kind == "margins" else RandomForestClassifier(4, max_depth=2, random_state=0)
    model = additive_model(estimator.fit(X, y))
    trees, cardinalities = model.trees, model.cardinalities
    C, at = model.codes.transform(X), model.evaluate(X)
    joint = {"measure": "joint", "X": C}
    np.testing.assert_allclose(schema_average(trees, {}, cardinalities, **model.arguments, **joint), at.mean(axis=0))
    found = sobol_indices(trees, cardinalities, **model.arguments, **joint)
    np.testing.assert_allclose(found.mean, at.mean(axis=0), **CLOSE)
    np.testing.assert_allclose(found.variance, at.var(axis=0).sum(), **CLOSE)
    one = tree_from_ensemble(trees, cardinalities, criterion="variance", **model.arguments, **joint)
    np.testing.assert_allclose(one.evaluate(C), at, **CLOSE)
    weighted = [w * v for w, v in zip(model.arguments["weights"], model.arguments["values"], strict=True)]
    products = gram(trees, cardinalities, values=weighted, **joint)
    np.testing.assert_allclose(products.sum(), (at**2).sum(axis=1).mean())
    assert model_distance(
        trees, trees, cardinalities, **model.arguments, **joint, other_weights=model.arguments["weights"],
        other_values=model.arguments["values"],
    ).distance == 0.0  # fmt: skip


def test_dependence_of_boosting_equals_scikit_learns():
    X, y = data("diabetes")
    estimator = HistGradientBoostingRegressor(max_iter=10).fit(X, y)
    model = additive_model(estimator)
    table = partial_dependence(
        model.trees, model.cardinalities, [2], **model.arguments, measure="joint", X=model.codes.transform(X)
    )[0]
    for value in np.linspace(X[:, 2].min(), X[:, 2].max(), 7):
        moved = X.copy()
        moved[:, 2] = value
        place = np.searchsorted(model.codes.thresholds[2], value)
        assert table[place] == pytest.approx(estimator.predict(moved).mean(), rel=1e-12)


def test_refused_by_name():
    X, y = data("iris")
    for model, message in (
        (LogisticRegression(max_iter=1000).fit(X, y), "got LogisticRegression"),
        (AdaBoostClassifier(n_estimators=2).fit(X, y), "got AdaBoostClassifier"),
        (BaggingRegressor(LinearRegression(), 2).fit(X, y), "LinearRegression"),
        (BaggingClassifier(LogisticRegression(max_iter=1000), 2).fit(X, y), "LogisticRegression"),
        (TransformedTargetRegressor(DecisionTreeRegressor()).fit(X, y), "TransformedTargetRegressor"),
        ("forest", "got str"),
        (None, "got NoneType"),
        ([DecisionTreeClassifier().fit(X, y)], "got list"),
    ):
        assert_refuses(TypeError, message, additive_model, model)
    whole = np.stack([np.arange(150) % 5, X[:, 0]], axis=1)
    for model, message in (
        (HistGradientBoostingClassifier(max_iter=2, categorical_features=[0]).fit(whole, y), "categorical features"),
        (
            GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(X, y),
            "LinearRegression.*not constant",
        ),
        (RandomForestClassifier(2).fit(X, np.stack([y, y], axis=1)), "2 outputs"),
    ):
        assert_refuses(ValueError, message, additive_model, model)
    for model in (RandomForestClassifier(), GradientBoostingClassifier(), DecisionTreeClassifier()):
        assert_refuses(NotFittedError, None, additive_model, model)


def imported(name):
    """Import a package of the extra and treelite, or skip the test where they are not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages say about each other as they are imported
        for package in (name, "treelite"):
            pytest.importorskip(package, reason="needs the extra: pip install 'decision-pytrees[boosters]'")
        return importlib.import_module(name)


# Sums of float32 in another order.
SINGLE = {"rtol": 2e-6, "atol": 2e-6}


# XGBoost's own: some boosters are going to leave it.
DEPRECATED = pytest.mark.filterwarnings("ignore:.*`booster=.*` is deprecated:UserWarning")


BOOSTED = [
    ("xgboost", {"n_estimators": 15, "max_depth": 3}),
    ("xgboost", {"n_estimators": 6, "tree_method": "exact", "base_score": 0.3, "learning_rate": 1.0}),
    ("xgboost", {"n_estimators": 6, "booster": "dart", "rate_drop": 0.5}),
    ("xgboost", {"n_estimators": 4, "num_parallel_tree": 3, "subsample": 0.5}),
    ("lightgbm", {"n_estimators": 15}),
    ("lightgbm", {"n_estimators": 6, "boosting_type": "dart", "drop_rate": 0.5}),
    ("lightgbm", {"n_estimators": 6, "boosting_type": "rf", "subsample": 0.5, "subsample_freq": 1}),
]


@DEPRECATED
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", ["iris", "cancer", "diabetes"])
@pytest.mark.parametrize(("library", "parameters"), BOOSTED, ids=str)
def test_boosters_of_other_libraries(library, parameters, name):
    is_light, package = library == "lightgbm", imported(library)
    X, y = data(name)
    X = X if is_light else X.astype(np.float32).astype(np.float64)
    kind = ("LGBM" if is_light else "XGB") + ("Regressor" if name == "diabetes" else "Classifier")
    quiet = {"verbose": -1} if is_light else {}
    estimator = getattr(package, kind)(random_state=0, n_jobs=1, **quiet, **parameters).fit(X, y)
    model = additive_model(estimator)
    assert model.output == ("value" if name == "diabetes" else "margin")
    X = near(model, X, np.float64 if is_light else np.float32)
    expected = estimator.predict(X, **{"raw_score" if is_light else "output_margin": True}).reshape(len(X), -1)
    if parameters.get("boosting_type") == "rf":
        expected /= 6  # raw scores are sums; other predictions use their mean
    np.testing.assert_allclose(model.evaluate(X), expected, **({"rtol": 1e-13, "atol": 1e-13} if is_light else SINGLE))
    of_booster = additive_model(estimator.booster_ if is_light else estimator.get_booster())
    assert of_booster.classes is None
    np.testing.assert_array_equal(of_booster.evaluate(X), model.evaluate(X))


def test_xgboost_of_several_outputs_links_and_early_stopping():
    xgboost = imported("xgboost")
    X, y = data("diabetes")
    X = X.astype(np.float32)
    both = np.stack([y, -y], axis=1)
    for strategy in ("one_output_per_tree", "multi_output_tree"):
        estimator = xgboost.XGBRegressor(n_estimators=4, max_depth=3, multi_strategy=strategy).fit(X, both)
        np.testing.assert_allclose(additive_model(estimator).evaluate(X), estimator.predict(X), rtol=2e-6)
    poisson = xgboost.XGBRegressor(n_estimators=4, objective="count:poisson").fit(X, y)
    assert additive_model(poisson).output == "margin"
    np.testing.assert_allclose(np.exp(additive_model(poisson).evaluate(X)[:, 0]), poisson.predict(X), rtol=1e-5)
    stopped = xgboost.XGBRegressor(n_estimators=200, learning_rate=1.0, early_stopping_rounds=2)
    stopped.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])], verbose=False)
    model = additive_model(stopped)
    assert len(model.codes.trees) == stopped.best_iteration + 1 < stopped.get_booster().num_boosted_rounds()
    np.testing.assert_allclose(model.evaluate(X)[:, 0], stopped.predict(X), rtol=2e-6)


@DEPRECATED
def test_xgboost_refused_by_name():
    xgboost = imported("xgboost")
    import pandas as pd

    X, y = data("iris")
    table = pd.DataFrame({"a": pd.Categorical(np.arange(150) % 7), "b": X[:, 0]})
    categorical = xgboost.XGBClassifier(n_estimators=2, enable_categorical=True).fit(table, np.arange(150) % 7 % 2)
    for model, message in (
        (xgboost.XGBRegressor(n_estimators=2, booster="gblinear").fit(X, y), "gblinear"),
        (xgboost.XGBRegressor(n_estimators=2, missing=0.0).fit(X, y), "missing=0.0"),
        (categorical, "Feature 0 is categorical"),
    ):
        assert_refuses(ValueError, message, additive_model, model)
    assert_refuses(NotFittedError, None, additive_model, xgboost.XGBClassifier())


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_lightgbm_takes_tiny_numbers_for_zero():
    """LightGBM takes numbers up to 1e-35 on either side for zeros, and these numbers themselves too."""
    lightgbm = imported("lightgbm")
    X = np.repeat([[-3.0], [0.0], [2.0]], 30, axis=0)
    y = np.repeat([5.0, 1.0, 7.0], 30)
    estimator = lightgbm.LGBMRegressor(n_estimators=3, min_child_samples=1, verbose=-1).fit(X, y)
    model = additive_model(estimator)
    assert np.abs(model.codes.thresholds[0]).max() < 2e-35
    tiny = np.float32(1e-35).astype(np.float64)
    around = np.array([tiny, np.nextafter(tiny, 0), np.nextafter(tiny, 1), 0.5 * tiny, 0.0, 5e-324, 1.0])
    X = np.concatenate([around, -around])[:, np.newaxis]
    np.testing.assert_allclose(model.evaluate(X)[:, 0], estimator.predict(X), rtol=1e-13)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_lightgbm_stops_early_and_is_refused_by_name():
    lightgbm = imported("lightgbm")
    X, y = data("diabetes")
    stopped = lightgbm.LGBMRegressor(n_estimators=200, learning_rate=0.5, verbose=-1)
    stop = lightgbm.early_stopping(2, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # eval_set is deprecated, what takes its place is new
        stopped.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])], callbacks=[stop])
    model = additive_model(stopped)
    assert len(model.codes.trees) == stopped.best_iteration_
    np.testing.assert_allclose(model.evaluate(X)[:, 0], stopped.predict(X), rtol=1e-13)
    whole = np.stack([np.arange(442) % 5, X[:, 0]], axis=1)
    few = {"n_estimators": 2, "verbose": -1}
    for estimator, parameters, message in (
        (lightgbm.LGBMRegressor(linear_tree=True, **few), {}, "linear leaves"),
        (lightgbm.LGBMRegressor(zero_as_missing=True, **few), {}, "zeros for missing"),
        (lightgbm.LGBMRegressor(**few), {"categorical_feature": [0]}, "categorical split of feature 0"),
    ):
        target = whole[:, 0] == 3 if parameters else y
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(whole, target, **parameters)
        assert_refuses(ValueError, message, additive_model, estimator)
    assert_refuses(NotFittedError, None, additive_model, lightgbm.LGBMRegressor())


def test_models_of_treelite():
    imported("xgboost")
    import treelite
    import treelite.sklearn

    X, y = data("iris")
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    model = additive_model(treelite.sklearn.import_model(forest))
    np.testing.assert_allclose(model.evaluate(X), forest.predict_proba(X), rtol=0.0, atol=1e-15)


def test_missing_treelite_is_named_in_the_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "treelite", None)
    booster = type("Booster", (), {"__module__": "xgboost.core"})()
    assert_refuses(ImportError, "pip install treelite", additive_model, booster)


def test_boosters_know_the_names_and_links_of_their_estimators():
    xgboost, lightgbm = imported("xgboost"), imported("lightgbm")
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    for library, make in ((xgboost, xgboost.XGBClassifier), (lightgbm, lightgbm.LGBMClassifier)):
        quiet = {"verbose": -1} if library is lightgbm else {}
        for data, names in ((frame, ["a", "b", "c", "d"]), (X, None)):
            estimator = make(n_estimators=2, **quiet).fit(data, y)
            booster = estimator.get_booster() if library is xgboost else estimator.booster_
            for model in (estimator, booster):
                read = additive_model(model)
                assert read.link == "logit"
                assert read.feature_names is None if names is None else read.feature_names.tolist() == names
