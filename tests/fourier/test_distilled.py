"""Models distilled into a few orthogonal trees: exact variances and losses, on both engines, and invalid input."""

import pickle

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fourier_samples import CLOSE
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor
from support import assert_refuses, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeClassifier
from pytrees.fourier import additive_model, distil, gram, merge, model_distance, sobol_indices

MEASURES = ["uniform", "empirical", "joint"]


def diabetes(n_rows=80, n_estimators=5):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:n_rows, :4], y[:n_rows]
    return GradientBoostingRegressor(n_estimators=n_estimators, max_depth=2, random_state=0).fit(X, y), X


def given_by(measure, X):
    return {"measure": measure} if measure == "uniform" else {"measure": measure, "X": X}


def check(model, X, measure, few):
    """Compare with distances and inner products of the algebra: orthogonal, of mean zero, and of the stated loss."""
    additive = additive_model(model)
    given = given_by(measure, additive.codes.transform(X))
    sizes, second = additive.cardinalities, few.arguments
    distance = model_distance(
        additive.trees, few.trees, sizes, **additive.arguments, other_weights=second["weights"],
        other_values=second["values"], **given,
    ).distance  # fmt: skip
    assert few.loss == pytest.approx(distance, rel=1e-6, abs=1e-7 * np.sqrt(few.variance))
    products = gram(few.codes.trees, sizes, values=few.values, **given)
    np.testing.assert_allclose(products, np.diag(few.explained_variance), atol=1e-12 * few.variance)
    for tree, values in zip(few.codes.trees, few.values, strict=True):
        mean = sobol_indices([tree], sizes, values=[values], **given).mean
        np.testing.assert_allclose(mean, 0.0, atol=1e-12 * np.sqrt(few.variance))
    assert few.variance - few.explained_variance.sum() == pytest.approx(few.loss**2, abs=1e-9 * few.variance)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("n_trees", [1, 3])
def test_trees_are_orthogonal_and_the_loss_is_exact(engine, measure, n_trees):
    model, X = diabetes()
    few = distil(model, None if measure == "uniform" else X, n_trees=n_trees, max_leaf_nodes=6, measure=measure)
    assert len(few.values) == n_trees
    assert all(tree.n_leaves <= 6 for tree in few.codes.trees)
    check(model, X, measure, few)
    assert 0.0 < few.loss**2 < few.variance


@pytest.mark.parametrize("measure", MEASURES)
def test_engines_agree(measure):
    model, X = diabetes(40, 3)
    rows = None if measure == "uniform" else X
    ours, naive = on_both_engines(lambda: distil(model, rows, n_trees=2, max_leaf_nodes=4, measure=measure))
    for one, other in zip(ours.codes.trees, naive.codes.trees, strict=True):
        np.testing.assert_array_equal(one.feature, other.feature)
        np.testing.assert_array_equal(one.threshold, other.threshold)
    for one, other in zip(ours.values, naive.values, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)
    assert ours.loss == pytest.approx(naive.loss)


@pytest.mark.parametrize("measure", ["empirical", "joint"])
def test_several_outputs(measure):
    X, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0).fit(X, y)
    few = distil(model, X, n_trees=3, max_leaf_nodes=5, measure=measure)
    check(model, X, measure, few)
    assert few.values[0].shape[1] == 3
    assert (few.evaluate(X).argmax(axis=1) == model.predict(X)).mean() > 0.9
    assert_refuses(ValueError, "the model has 3 outputs", few.plot)


def test_the_first_tree_has_the_means_of_the_model_over_its_leaves():
    """Brute force at the samples: the means of the model's predictions over the leaves."""
    model, X = diabetes()
    few = distil(model, X, max_leaf_nodes=5, measure="joint")
    (tree, values), expected = few.decoded[0], model.predict(X)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        of_leaf = expected[leaves == leaf].mean()
        assert values[leaf, 0] + few.baseline[0] == pytest.approx(of_leaf)
    np.testing.assert_allclose(few.evaluate(X)[:, 0], values[leaves, 0] + few.baseline[0])
    assert few.loss == pytest.approx(np.sqrt(np.mean((few.evaluate(X)[:, 0] - expected) ** 2)))
    assert few.variance == pytest.approx(expected.var())
    # The values of inner nodes are means as well.
    assert values[0, 0] == pytest.approx(0.0, abs=1e-9 * np.sqrt(few.variance))


def test_enough_leaves_lose_nothing():
    model, X = diabetes(40, 2)
    few = distil(model, X, n_trees=4, max_leaf_nodes=500)
    assert few.loss == 0.0
    assert len(few.values) == 1
    np.testing.assert_allclose(few.evaluate(X)[:, 0], model.predict(X))
    np.testing.assert_allclose(few.explained_variance_ratio, [1.0])


def test_a_constant_has_no_variance(engine):
    few = distil(RandomForestRegressor(3).fit([[0.0], [1.0]], [2.0, 2.0]), [[0.0], [1.0]], n_trees=1)
    assert (few.loss, few.variance, few.explained_variance_ratio.tolist()) == (0.0, 0.0, [0.0])
    assert few.evaluate([[0.5]]).tolist() == [[2.0]]


def test_merged_models_and_models_with_categories(engine):
    frame = pd.DataFrame({"a": list("xyzxyzxy"), "b": np.arange(8.0)})
    forests = [
        DecisionForestClassifier(3, categorical_features=["a"], random_state=seed).fit(frame, [0, 1, 1, 0, 0, 1, 0, 1])
        for seed in (0, 1)
    ]
    merged = merge(forests)
    few = distil(merged, frame, n_trees=2, max_leaf_nodes=4)
    check(merged, frame, "empirical", few)
    assert repr(few).startswith("<DistilledModel of 2 trees")
    assert distil(few, frame, max_leaf_nodes=3).variance == pytest.approx(few.explained_variance.sum())
    again = pickle.loads(pickle.dumps(few))
    np.testing.assert_array_equal(again.evaluate(frame), few.evaluate(frame))


def test_values_of_any_size():
    tree = DecisionTreeClassifier().fit(*load_iris(return_X_y=True))
    X, model = load_iris().data, additive_model(tree)
    expected = distil(model, X, n_trees=2, max_leaf_nodes=4)
    model.arguments["values"] = [np.ldexp(values, -700) for values in model.arguments["values"]]
    few = distil(model, X, n_trees=2, max_leaf_nodes=4)
    assert few.loss == pytest.approx(np.ldexp(expected.loss, -700))
    np.testing.assert_allclose(few.values[1], np.ldexp(expected.values[1], -700))


def test_fewer_trees_are_made_if_nothing_is_left():
    """Independent features leave something to a second tree of two leaves, and few leaves make few trees."""
    Z = [[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)]
    tree = DecisionTreeRegressor().fit(Z, [0, 1, 2, 3])
    two = distil(tree, Z, n_trees=3, max_leaf_nodes=2)
    assert len(two.values) == 2
    assert two.loss == 0.0
    model, X = diabetes()
    assert len(distil(model, X, n_trees=9, max_leaf_nodes=2, measure="joint").values) <= 9


@pytest.mark.parametrize("measure", ["empirical", "joint"])
def test_values_far_from_zero_lose_no_digits(measure):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    near, far = (
        distil(GradientBoostingRegressor(random_state=0).fit(X, offset + X[:, 0]), X, measure=measure)
        for offset in (0.0, 2.0**30)
    )
    assert far.variance == pytest.approx(near.variance, rel=1e-3)
    assert far.loss == pytest.approx(near.loss, rel=1e-2)
    assert far.baseline == pytest.approx(2.0**30 + near.baseline)


def test_a_tree_that_explains_nothing_warns():
    """A feature of categories is split into all of them at once, for which there is no room."""
    X = np.repeat(np.arange(20.0), 3)[:, np.newaxis]
    forest = DecisionForestClassifier(3, categorical_features=[0], random_state=0).fit(X, X[:, 0] % 2 == 0)
    with pytest.warns(UserWarning, match=r"one leaf, which explains nothing .* max_leaf_nodes=8\. A feature of"):
        few = distil(forest, X, measure="joint", max_leaf_nodes=8)
    assert few.explained_variance.tolist() == [0.0]
    assert distil(forest, X, measure="joint", max_leaf_nodes=20).loss < 1e-12


def test_invalid_arguments_are_refused():
    model, X = diabetes()
    for name, wrong in (("n_trees", 0), ("n_trees", 1.5), ("max_leaf_nodes", 1), ("max_leaf_nodes", None)):
        assert_refuses(ValueError, f"{name} must be a whole number", distil, model, X, **{name: wrong})
    assert_refuses(ValueError, "max_depth must be a whole number", distil, model, X, max_depth=0)
    assert_refuses(ValueError, "measure='empirical' needs X", distil, model)
    assert_refuses(ValueError, "X is only for", distil, model, X, measure="uniform")
    assert_refuses(ValueError, "features", distil, model, X[:, :2])
    assert_refuses(TypeError, "fitted ensemble of trees", distil, "model", X)


def test_pictures(capsys):
    matplotlib.use("agg")
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    few = distil(model, X, n_trees=2, max_leaf_nodes=4, verbose=1)
    assert "trees" in capsys.readouterr().err
    axes = few.plot(feature_names=load_breast_cancer().feature_names)
    texts = [text.get_text() for text in axes[0].texts]
    assert sum(" %" in text for text in texts) == few.codes.trees[0].n_leaves
    assert axes[0].get_title().endswith("% of the variance")
    assert_refuses(ValueError, "1 axes for 2 trees", few.plot, axes[0])
    assert_refuses(TypeError, "every element of axes must be axes of matplotlib, got 5", few.plot, 5)
    plt.close("all")
