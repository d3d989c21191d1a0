"""Models from several places as one: the weighted mean of their predictions, and invalid input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from fourier_samples import CLOSE, beside_thresholds
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from support import assert_refuses

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, OrdinalDecisionForestClassifier
from pytrees.fourier import additive_model, merge, model_distance, sobol_indices, tree_from_ensemble

WEIGHTS = np.array([3.0, 1.0, 2.0])


def mean_probabilities(models, weights, X, classes):
    """The weighted mean, a class that a model has not seen with probability 0; the last column of two."""
    total = np.zeros((len(X), len(classes)))
    for model, weight in zip(models, weights / np.sum(weights), strict=True):
        total[:, np.searchsorted(classes, model.classes_)] += weight * model.predict_proba(X)
    return total[:, 1:] if len(classes) == 2 else total


@pytest.mark.parametrize("weights", [None, WEIGHTS, 1e300 * WEIGHTS, [0, 0, 5]])
@pytest.mark.parametrize("names", [False, True])
def test_mean_of_forests_of_other_classes_and_thresholds(weights, names):
    """Merge models of two libraries, which compare numbers of different precisions."""
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y] if names else y
    models = [
        RandomForestClassifier(5, random_state=0).fit(X[:100], y[:100]),
        DecisionForestClassifier(4, random_state=0).fit(X[::2], y[::2]),
        SklearnTreeClassifier().fit(X[100:], y[100:]),  # has seen one class
    ]
    merged = merge(models, weights)
    used = np.ones(3) if weights is None else np.asarray(weights, dtype=float)
    np.testing.assert_array_equal(merged.classes, np.unique(y))
    np.testing.assert_array_equal(merged.seen, [[1, 1, 0], [1, 1, 1], [0, 0, 1]])
    np.testing.assert_allclose(merged.weights, used / used.max() / (used / used.max()).sum())
    rows = beside_thresholds(merged.codes.thresholds, X)
    expected = mean_probabilities(models, used / used.max(), rows, np.unique(y))
    np.testing.assert_allclose(merged.evaluate(rows), expected, **CLOSE)
    assert merged.output == "probability"
    assert "MergedModel of 3 models, 10 trees" in repr(merged)


@pytest.mark.parametrize("rows", [(slice(0, 50), slice(50, 100)), (slice(0, 100), slice(50, 100))])
def test_two_classes_have_one_output(rows):
    X, y = load_iris(return_X_y=True)
    models = [RandomForestClassifier(3, random_state=0).fit(X[part], y[part]) for part in rows]
    merged = merge(models, [1, 2])
    assert merged.n_outputs == 1
    expected = mean_probabilities(models, [1.0, 2.0], X, np.array([0, 1]))
    np.testing.assert_allclose(merged.evaluate(X), expected, **CLOSE)


def test_merging_merged_models_is_merging_all():
    X, y = load_breast_cancer(return_X_y=True)
    parts = [
        (DecisionForestClassifier, 0, 100),
        (RandomForestClassifier, 100, 300),
        (DecisionForestClassifier, 300, 569),
    ]
    models = [kind(3, random_state=0).fit(X[a:b], y[a:b]) for kind, a, b in parts]
    flat = merge(models, WEIGHTS)
    nested = merge([merge(models[:2], WEIGHTS[:2]), additive_model(models[2])], [WEIGHTS[:2].sum(), WEIGHTS[2]])
    rows = beside_thresholds(flat.codes.thresholds, X)
    np.testing.assert_allclose(nested.evaluate(rows), flat.evaluate(rows), **CLOSE)
    sent = pickle.loads(pickle.dumps(nested))
    np.testing.assert_array_equal(sent.evaluate(rows), nested.evaluate(rows))
    np.testing.assert_array_equal(sent.weights, nested.weights)


def test_one_model_is_itself():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    merged = merge([forest])
    np.testing.assert_allclose(merged.evaluate(X), forest.predict_proba(X), **CLOSE)
    assert merged.distances().tolist() == [0.0]


def test_values_of_regressors_with_baselines():
    X, y = load_diabetes(return_X_y=True)
    models = [
        HistGradientBoostingRegressor(max_iter=6).fit(X[:200], y[:200]),
        ExtraTreesRegressor(4, max_depth=5, random_state=0).fit(X[200:], y[200:]),
    ]
    merged = merge(models, [0.3, 0.7])
    rows = beside_thresholds(merged.codes.thresholds, X)
    expected = 0.3 * models[0].predict(rows) + 0.7 * models[1].predict(rows)
    np.testing.assert_allclose(merged.evaluate(rows)[:, 0], expected, rtol=1e-13)
    assert merged.classes is None
    assert merged.seen is None
    C = merged.codes.transform(X)
    at = [model.predict(X) - merged.evaluate(X)[:, 0] for model in models]
    expected = [np.sqrt((one**2).mean()) for one in at]
    np.testing.assert_allclose(merged.distances(measure="joint", X=C), expected, rtol=1e-10)


def test_margins_of_the_same_classes():
    X, y = load_breast_cancer(return_X_y=True)
    models = [GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X[i::2], y[i::2]) for i in range(2)]
    merged = merge(models)
    expected = np.mean([model.decision_function(X) for model in models], axis=0)
    np.testing.assert_allclose(merged.evaluate(X)[:, 0], expected, **CLOSE)
    assert merged.output == "margin"


def test_places_have_other_categories():
    """A category that a model has not seen stays at the node that asks for it."""
    rng = np.random.default_rng(0)
    n = 90
    table = pd.DataFrame({"colour": rng.choice(["blue", "green", "red"], n), "size": rng.normal(size=n).round(1)})
    y = (table["colour"].isin(["blue", "red"]) ^ (table["size"] > 0)).astype(int).to_numpy()
    places = [table["colour"] != "red", table["colour"] != "blue"]
    models = [
        DecisionForestClassifier(4, categorical_features=["colour"], handle_unknown="majority", random_state=0).fit(
            table[place], y[place]
        )
        for place in places
    ]
    merged = merge(models, [1, 2])
    assert merged.codes.categories[0].tolist() == ["blue", "green", "red"]
    expected = mean_probabilities(models, [1.0, 2.0], table, np.array([0, 1]))
    np.testing.assert_allclose(merged.evaluate(table), expected, **CLOSE)
    again = merge([merged])
    np.testing.assert_allclose(again.evaluate(table), expected, **CLOSE)
    assert again.feature_names.tolist() == ["colour", "size"]


def test_distances_of_the_models_from_their_mean(engine):
    X, y = load_iris(return_X_y=True)
    models = [DecisionTreeClassifier(max_depth=2).fit(X[rows], y[rows]) for rows in (slice(0, 100), slice(50, 150))]
    merged = merge(models)
    C = merged.codes.transform(X)
    found = merged.distances(measure="joint", X=C)
    for model, distance in zip(models, found, strict=True):
        alone = mean_probabilities([model], [1.0], X, merged.classes)
        assert distance == pytest.approx(np.sqrt(((alone - merged.evaluate(X)) ** 2).sum(axis=1).mean()), abs=1e-12)
    # Two models are as far from their mean.
    np.testing.assert_allclose(*merged.distances())


def test_one_tree_of_the_mean_and_its_loss():
    X, y = load_iris(return_X_y=True)
    models = [RandomForestClassifier(4, random_state=0).fit(X[i::2], y[i::2]) for i in range(2)]
    merged = merge(models)
    given = {"measure": "joint", "X": merged.codes.transform(X)}
    limits = {"criterion": "variance", "max_leaf_nodes": 6}
    one = tree_from_ensemble(merged.trees, merged.cardinalities, **merged.arguments, **limits, **given)
    lost = model_distance(
        merged.trees, [one.tree], merged.cardinalities, **merged.arguments, other_values=[one.averages], **given
    )
    difference = one.evaluate(given["X"]) - merged.evaluate(X)
    assert lost.distance == pytest.approx(np.sqrt((difference**2).sum(axis=1).mean()), abs=1e-12)
    indices = sobol_indices(merged.trees, merged.cardinalities, **merged.arguments, **given)
    assert indices.variance == pytest.approx(merged.evaluate(X).var(axis=0).sum(), abs=1e-12)


def fitted(X, y, kind=RandomForestClassifier, **parameters):
    return kind(**parameters).fit(X, y)


def test_other_schemas_are_refused():
    X, y = load_iris(return_X_y=True)
    forest = fitted(X, y, n_estimators=2)
    table = pd.DataFrame(X, columns=list("abcd"))
    colours = table.assign(a=np.where(X[:, 0] > 6, "red", "blue"))
    categorical = DecisionForestClassifier(2, categorical_features=["a"]).fit(colours, y)
    scales = [OrdinalDecisionForestClassifier(2, classes=order).fit(X[rows], y[rows]) for order, rows in
              (([2, 0, 1], slice(None)), ([1, 0], slice(0, 100)))]  # fmt: skip
    boosted = fitted(X, y, HistGradientBoostingClassifier, max_iter=2)
    for models, message in (
        ([forest, fitted(X[:, :3], y, n_estimators=2)], "Model 1 has 3 features, the first model 4"),
        ([fitted(table, y, n_estimators=2), fitted(table[list("abdc")], y, n_estimators=2)],
         "Feature 2 is 'd' in model 1, 'c' in model 0"),
        ([forest, fitted(table, y, n_estimators=2), fitted(table[list("bacd")], y, n_estimators=2)],
         "Feature 0 is 'b' in model 2, 'a' in model 1"),
        ([fitted(table, y, DecisionForestClassifier, n_estimators=2), categorical], "categorical features of model 1"),
        ([forest, boosted], "Model 1 gives a margin, the first model a probability"),
        ([boosted, fitted(X[:100], y[:100], HistGradientBoostingClassifier, max_iter=2)], "Margins of different"),
        ([forest, fitted(X, y.astype(str), n_estimators=2)], "numbers, the classes of other models are not"),
        (scales, "scales of different classes"),
        ([], "no models"),
        ([fitted(X, y, ExtraTreesRegressor, n_estimators=2),
          fitted(X, np.stack([y, y], axis=1), ExtraTreesRegressor, n_estimators=2)], "Model 1 has 2 outputs"),
    ):  # fmt: skip
        assert_refuses(ValueError, message, merge, models)
    for weights in ([1.0], [1.0, -1.0], [0.0, 0.0], [np.nan, 1.0], "ab", [[1.0, 2.0]]):
        assert_refuses(ValueError, "weights must", merge, [forest, forest], weights)
    for models in (forest, "models", None, 3):
        assert_refuses(TypeError, "A sequence of models", merge, models)
    assert_refuses(TypeError, "got str", merge, ["model"])


def test_bagging_in_one_place():
    X, y = load_iris(return_X_y=True)
    bagged = BaggingClassifier(DecisionTreeClassifier(), 3, max_features=2, random_state=0).fit(X[:100], y[:100])
    forest = DecisionForestClassifier(3, random_state=0).fit(X[50:], y[50:])
    merged = merge([bagged, forest], [2, 1])
    expected = mean_probabilities([bagged, forest], [2.0, 1.0], X, np.array([0, 1, 2]))
    np.testing.assert_allclose(merged.evaluate(X), expected, **CLOSE)


def test_columns_of_other_names_are_refused():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = RandomForestClassifier(2, random_state=0).fit(frame, y)
    for read in (additive_model(model), merge([model, model]), additive_model(merge([model]))):
        np.testing.assert_array_equal(read.evaluate(frame), read.evaluate(X))
        for other in (frame[["c", "a", "b", "d"]], frame.rename(columns={"a": "e"})):
            with pytest.raises(ValueError, match=r"columns of X should be \['a', 'b', 'c', 'd'\], in this order"):
                read.evaluate(other)


def test_margins_of_other_link_functions_have_no_mean():
    X, y = load_breast_cancer(return_X_y=True)
    logistic = [
        GradientBoostingClassifier(n_estimators=2).fit(X, y),
        HistGradientBoostingClassifier(max_iter=2).fit(X, y),
    ]
    merged = merge(logistic)
    assert (merged.link, merge([merged, logistic[0]]).link) == ("logit", "logit")
    exponential = GradientBoostingClassifier(n_estimators=2, loss="exponential").fit(X, y)
    with pytest.raises(
        ValueError, match="link functions have no mean or distance: logit of half in model 1, logit in the first model"
    ):
        merge([merged, exponential])


def test_distances_show_progress(capsys):
    X, y = load_iris(return_X_y=True)
    merged = merge([DecisionTreeClassifier(max_depth=depth).fit(X, y) for depth in (1, 2)])
    merged.distances()
    assert capsys.readouterr() == ("", "")
    merged.distances(verbose=1)
    assert "models" in capsys.readouterr().err
