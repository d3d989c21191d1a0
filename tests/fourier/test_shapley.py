"""Shapley values: against their definition, of every kind of trees and model; against shap; and errors."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fourier_samples import CLOSE, shapley_by_definition
from matplotlib.colors import to_rgb
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from support import assert_refuses

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    ID3Classifier,
)
from pytrees._colours import contrast
from pytrees.fourier import additive_model, shapley_values
from pytrees.fourier import shapley as module


def table(n_samples=40, n_classes=2, seed=0):
    """Draw two features of categories, and two of numbers."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.integers(0, 14, n_samples), rng.integers(0, 3, n_samples), rng.normal(size=(n_samples, 2))]
    )
    return X, ((X[:, 0] * 5 % 14 > 6) + (X[:, 2] > 0.3) * X[:, 1]).astype(int) % n_classes


NOMINAL = {"categorical_features": [0, 1], "handle_unknown": "majority"}
ESTIMATORS = {
    "sets": DecisionTreeClassifier(**NOMINAL),
    "sets in a forest": DecisionForestClassifier(4, random_state=0, **NOMINAL),
    "a child for every category": DecisionForestClassifier(
        4, categorical_split="multiway", max_features=2, random_state=0, **NOMINAL
    ),
    "C4.5": C45Classifier(**NOMINAL),
    "ID3": ID3Classifier(max_depth=3, **NOMINAL),
    "numbers by sets": DecisionTreeRegressor(**NOMINAL),
    "numbers in a forest": DecisionForestRegressor(3, random_state=0, categorical_split="multiway", **NOMINAL),
    "scikit-learn's forest": RandomForestClassifier(3, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=5, random_state=0),
    "boosting of numbers": HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=2),
    "distilled trees": DistilledTreesClassifier(DecisionForestClassifier(3, random_state=0), n_trees=2),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_values_by_their_definition(name, n_classes):
    X, y = table(n_classes=n_classes)
    model = additive_model(ESTIMATORS[name].fit(X[5:], y[5:]))  # the first samples may have unknown categories
    background = X[3:20]
    found = shapley_values(model, X[:6], background)
    expected = shapley_by_definition(model.evaluate, X[:6], background)
    np.testing.assert_allclose(found.values.reshape(expected.shape), expected, **CLOSE)
    np.testing.assert_allclose(found.base_values, model.evaluate(background).mean(axis=0).squeeze(), **CLOSE)
    of_sums = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(of_sums, model.evaluate(X[:6]).reshape(of_sums.shape), **CLOSE)


@pytest.mark.parametrize("n_pairs", [1, 7, 40])
def test_patterns_are_weighed_in_pieces_of_any_size(monkeypatch, n_pairs):
    X, y = table(30)
    model = additive_model(DecisionForestClassifier(3, max_depth=4, random_state=0, **NOMINAL).fit(X, y))
    monkeypatch.setattr(module, "_PAIRS", n_pairs)
    found = shapley_values(model, X[:12], X[10:])
    expected = shapley_by_definition(model.evaluate, X[:12], X[10:])
    np.testing.assert_allclose(found.values, expected[:, :, 0], **CLOSE)


def test_the_background_is_x_by_default_and_names_come_along():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[::9], y.iloc[::9]
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    found = shapley_values(forest, X)
    assert found.feature_names.tolist() == X.columns.tolist()
    np.testing.assert_array_equal(found.values, shapley_values(forest, X, X).values)
    np.testing.assert_allclose(found.values.mean(axis=0), 0.0, atol=1e-15)
    assert isinstance(found.base_values, float)
    plain = shapley_values(RandomForestClassifier(5, random_state=0).fit(X.to_numpy(), y), X.to_numpy())
    assert plain.feature_names is None
    np.testing.assert_array_equal(plain.values, found.values)


def test_several_outputs_have_the_last_axis():
    X, y = load_iris(return_X_y=True)
    found = shapley_values(RandomForestClassifier(5, random_state=0).fit(X, y), X[:7], X)
    assert found.values.shape == (7, 4, 3)
    assert found.base_values.shape == (3,)
    np.testing.assert_allclose(found.values.sum(axis=2), 0.0, atol=1e-15)


def test_values_of_shap():
    shap = pytest.importorskip("shap")
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    forest = DecisionForestRegressor(8, random_state=0).fit(X, y)
    explainer = shap.TreeExplainer(forest.to_sklearn(), X[:50], feature_perturbation="interventional")
    found = shapley_values(forest, X[:20], X[:50])
    np.testing.assert_allclose(found.values, explainer.shap_values(X[:20]), rtol=1e-4, atol=1e-3)


def test_paths_through_more_features_than_a_word_has_bits():
    """A chain of splits: every feature holds one sample that leaves the chain."""
    X, y = np.eye(140), np.arange(140) % 2
    tree = DecisionTreeClassifier(min_samples_leaf=1).fit(X, y)
    assert tree.get_depth() > 64
    model = additive_model(tree)
    found = shapley_values(tree, X)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, model.evaluate(X)[:, 0], **CLOSE)


def test_a_leaf_alone_adds_nothing():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [1, 1])
    found = shapley_values(tree, [[0.0], [2.0]], [[1.0]])
    assert found.values.tolist() == [[0.0], [0.0]]
    assert found.base_values == 1.0


def test_categories_that_the_model_has_not_seen_are_refused():
    X = pd.DataFrame({"town": ["Ulm", "Jena", "Kiel"] * 4, "size": np.arange(12.0)})
    options = {"categorical_features": ["town"], "handle_unknown": "majority"}
    tree = DecisionTreeClassifier(**options).fit(X, (X["town"] == "Ulm") + (X["size"] > 7))
    other = X.replace("Kiel", "Bonn")
    for arguments in ((other, X), (X, other)):
        with pytest.raises(ValueError, match=r"Sample 2 of (X|background) has a category of 'town' that the model has"):
            shapley_values(tree, *arguments)


def test_bars_of_one_sample():
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = shapley_values(DecisionTreeClassifier(max_depth=2).fit(X, y), X)
    assert found.classes.tolist() == [0, 1, 2]
    ax = found.plot(0, plt.figure().subplots(), output=1, max_features=2)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["petal width (cm) = 0.2", "petal length (cm) = 1.4"]
    assert ax.get_xlabel() == "added to 0.3333, which makes 0 for class 1"
    assert [bar.get_width() for bar in ax.patches] == found.values[0, [3, 2], 1].tolist()
    for sample in (0, 60, 120):  # by default the class that is predicted
        label = found.plot(sample, plt.figure().subplots()).get_xlabel()
        assert label.endswith(f" for class {sample // 60}")
    with plt.style.context("dark_background"):
        ax = found.plot(0, plt.figure().subplots())
    assert contrast(to_rgb(ax.lines[0].get_color()), to_rgb(ax.get_facecolor())) >= 4.5
    numbers = shapley_values(DecisionTreeClassifier(max_depth=2).fit(X.to_numpy(), y == 0), X.to_numpy())
    ax = numbers.plot(3, plt.figure().subplots(), max_features=None)
    assert len(ax.patches) == 4
    assert ax.get_xlabel().endswith(" for class True")
    of_number = shapley_values(DecisionTreeRegressor(max_depth=2).fit(X, y), X)
    ax = of_number.plot(3, plt.figure().subplots(), feature_names=["$a_{$", "b", "c", "d"])
    ax.figure.canvas.draw()  # names are drawn as they are
    assert " for " not in ax.get_xlabel()
    assert_refuses(TypeError, "ax must be axes of matplotlib, got 2", found.plot, 0, 2)
    plt.close("all")
    assert_refuses(ValueError, "max_features must be a whole number from 1", found.plot, 0, max_features=0)


def test_bars_say_the_values_of_the_sample():
    frame = pd.DataFrame({"town": ["$Ulm_", "Jena", None] * 4, "size": [1.23456, *np.arange(11.0)]})
    frame.loc[1, "size"] = np.nan
    tree = DecisionTreeClassifier(categorical_features=["town"]).fit(frame, np.arange(12) % 2)
    found = shapley_values(tree, frame, frame)
    said = [["town = $Ulm_", "size = 1.235"], ["town = Jena", "size = missing"], ["town = missing", "size = 1"]]
    for sample, expected in enumerate(said):
        ax = found.plot(sample, plt.figure().subplots())
        assert {text.get_text() for text in ax.get_yticklabels()} == {*expected}
    plt.close("all")
    ax = replace(found, data=None, feature_names=None).plot(0)
    assert {text.get_text() for text in ax.get_yticklabels()} == {"feature 0", "feature 1"}
    plt.close("all")
    ax = found.plot(
        0, feature_names=["a name of many letters " * 2, "another name of many letters " * 2]
    )  # for which a new figure has room
    ax.figure.draw_without_rendering()
    assert ax.get_tightbbox().x0 >= 0.0
    plt.close("all")


def test_invalid_arguments_are_refused():
    X, y = table()
    forest = DecisionForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="A fitted ensemble of trees is expected, got LogisticRegression"):
        shapley_values(LogisticRegression().fit(X, y), X)
    assert_refuses(NotFittedError, None, shapley_values, RandomForestClassifier(), X)
    assert_refuses(ValueError, "X has 3 features", shapley_values, forest, X[:, :3])
    for arguments in ((X[:0],), (X, X[:0])):
        assert_refuses(ValueError, "Found array with 0 sample", shapley_values, forest, *arguments)
    for few in (X[:1], X[:19], X[:19].tolist()):
        with pytest.raises(ValueError, match=rf"X has {len(few)} samples, .*Give one, such as background=X_train"):
            shapley_values(forest, few)
        assert shapley_values(forest, few, few).values.shape == (len(few), 4)
    assert shapley_values(forest, X[:20]).values.any()
    with pytest.raises(ValueError, match="NaN"):
        shapley_values(GradientBoostingClassifier(n_estimators=2).fit(X, y), np.where(X > 1, np.nan, X))
    named = DecisionForestClassifier(2, random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.raises(ValueError, match="The columns of X should be"):
        shapley_values(named, pd.DataFrame(X, columns=list("dcba")))
