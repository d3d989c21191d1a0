"""Trees of numbers wherever trees of classes go: as text, dicts, pictures, scikit-learn's trees, and merged."""

import json
import pickle
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import sklearn.base
import sklearn.ensemble
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st
from samples import trees_of
from support import SKLEARN

from pytrees import (
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Tree,
    config_context,
    export_dict,
    export_graphviz,
    export_text,
    from_sklearn,
    merge_redundant,
    plot_decision_path,
    plot_distinct_trees,
    plot_tree,
    redundant_splits,
    to_sklearn,
)

ERRORS = ["squared_error", "absolute_error"]
NAMES = ["age", "weight", "height"]


def data(n_samples=60, seed=0, missing=0.0):
    """Return float32 samples as float64 in a data frame, and decimals that follow them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 3)).astype(np.float32).astype(np.float64)
    y = np.round(X[:, 0] + np.abs(X[:, 1]) + 0.3 * rng.normal(size=n_samples), 2)
    X[rng.random(X.shape) < missing] = np.nan
    return pd.DataFrame(X, columns=NAMES), y


def assert_same(tree, other):
    """Compare all that trees of numbers hold: `==` leaves out impurities and the name of their criterion."""
    assert tree == other
    np.testing.assert_array_equal(tree.impurity, other.impurity)
    np.testing.assert_array_equal(tree.gain, other.gain)
    assert tree.criterion_name == other.criterion_name


# ----------------------------------------------------------------------------------------------------------------- text


@pytest.fixture
def stump():
    return DecisionTreeRegressor().fit([[0.0], [1.0], [1.0]], [0.25, 3.0, 4.0], sample_weight=[2, 1, 3])


def test_text_has_numbers_and_weights(engine, stump):
    assert export_text(stump, feature_names=["age"]) == (
        "age <= 0.5 (gain 2.722)\n|   value 0.25 [2]\nage > 0.5\n|   value 3.75 [4]"
    )
    assert export_text(stump, show_weights=False, precision=1).splitlines()[1] == "|   value 0.2"
    assert export_text(stump.tree_, proportion=True).splitlines()[3] == "|   value 3.75 [0.6667]"


@pytest.mark.parametrize("show", [export_text, export_dict, export_graphviz, to_sklearn, plot_tree])
def test_trees_of_numbers_have_no_names_of_classes(stump, show):
    name = "classes" if show is to_sklearn else "class_names"
    with pytest.raises(ValueError, match=r"Names of classes are given, .*, but the tree predicts numbers"):
        show(stump, **{name: ["a"]})


def test_an_impurity_without_a_name_is_shown():
    X, y = data()
    theirs = sklearn.tree.DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(X, np.abs(y))
    with pytest.warns(UserWarning, match="no criterion='poisson'"):
        ours = from_sklearn(theirs)
    assert r"\nimpurity = " in export_graphviz(ours)


# ---------------------------------------------------------------------------------------------------------------- dicts


def test_huge_impurities_and_trees_without_any_come_back(stump):
    X, y = [[0.0], [1.0]], [-1e300, 1e300]
    exported = export_dict(DecisionTreeRegressor().fit(X, y))
    assert exported["impurity"] == exported["gain"] == "inf"
    json.dumps(exported, allow_nan=False)
    assert_same(Tree.from_dict(exported), DecisionTreeRegressor().fit(X, y).tree_)
    bare = export_dict(without_impurity(stump.tree_))
    assert "impurity" not in bare
    assert Tree.from_dict(bare) == stump.tree_


def without_impurity(tree):
    arrays = {name: getattr(tree, name) for name in ("children_left", "children_right", "feature", "threshold", "gain")}
    arrays |= {name: getattr(tree, name) for name in ("n_node_samples", "value", "weighted_n_node_samples")}
    return Tree(**arrays, n_features=tree.n_features)


# ------------------------------------------------------------------------------------------------------------- pictures


@pytest.fixture
def plt():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def test_boxes_have_numbers_and_darker_colours_for_higher_ones(plt, stump):
    boxes = plot_tree(stump, feature_names=["age"])
    assert [box.get_text() for box in boxes] == ["age ≤ 0.5", "value 0.25\n1 sample", "value 3.75\n2 samples"]
    root, low, high = (sum(box.get_bbox_patch().get_facecolor()) for box in boxes)
    assert high < root < low
    boxes = plot_tree(stump, show_weights=True, impurity=True, precision=1)
    assert boxes[2].get_text() == "value 3.8\nsquared_error 0.2\n2 samples\nweight 4"
    unweighted = DecisionTreeRegressor().fit([[0.0], [1.0]], [1.0, 1.0])
    assert plot_tree(unweighted, show_weights=True)[0].get_text() == "value 1\n2 samples"


def test_colours_of_numbers_at_both_ends_of_the_doubles(plt):
    tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [-1.7e308, 1.7e308])
    colours = [box.get_bbox_patch().get_facecolor() for box in plot_tree(tree)]
    assert np.all(np.isfinite(colours))
    assert len(set(colours)) == 3


def test_the_path_of_a_sample(plt):
    tree = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0]], [1.0, 4.0, 6.0])
    texts = plot_decision_path(tree, [3.0], feature_names=["age"])
    assert [text.get_text() for text in texts] == ["age is 3: above 0.5", "predicted: 5"]
    written = [text.get_text() for text in plt.gca().texts]
    assert {"1", "5", "all 3 samples"} <= {*written}
    assert written[-1] == "these differ from it by about 1"
    error = DecisionTreeRegressor("absolute_error", max_depth=1).fit([[0.0], [1.0], [2.0]], [1.0, 4.0, 6.0])
    plot_decision_path(error, [3.0])
    assert plt.gca().texts[-1].get_text() == "these differ from it by about 1"
    plot_decision_path(without_impurity(tree.tree_), [3.0])
    assert plt.gca().texts[-1].get_text() == ""


def test_distinct_trees_share_one_scale(plt):
    X, y = data()
    forest = DecisionForestRegressor(3, max_depth=1, random_state=0).fit(X, y)
    drawn = plot_distinct_trees(forest)
    assert len(drawn) > 1
    numbers = {}
    for ax in drawn:
        for box in ax.texts:
            if box.get_text().startswith("value"):
                numbers[float(box.get_text().split()[1])] = sum(box.get_bbox_patch().get_facecolor())
    assert [numbers[value] for value in sorted(numbers)] == sorted(numbers.values(), reverse=True)


# -------------------------------------------------------------------------------------------------- to scikit-learn


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    ("weighted", "constraints"), [(False, None), (True, None), (False, [1, 0, -1]), (True, {"height": -1})]
)
def test_trees_and_forests_predict_the_same_in_scikit_learn(engine, error, missing, weighted, constraints):
    if missing and SKLEARN < (1, 9) and (error == "absolute_error" or constraints):
        pytest.skip("older trees of scikit-learn predict no missing values by absolute error, or under constraints")
    X, y = data(missing=missing)
    near = data(200, seed=1, missing=missing)[0]
    weights = np.arange(len(y)) % 3 + 1 if weighted else None
    for ours in (DecisionTreeRegressor(error), DecisionForestRegressor(7, criterion=error, oob_score=False)):
        with config_context(engine="compiled"):
            ours.set_params(random_state=0, monotonic_cst=constraints).fit(X, y, sample_weight=weights)
        theirs = pickle.loads(pickle.dumps(to_sklearn(ours)))
        np.testing.assert_array_equal(theirs.predict(near), ours.predict(near))
        np.testing.assert_array_equal(theirs.apply(near), ours.apply(near))
        np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_, atol=1e-12)
        assert theirs.criterion == error
        assert theirs.feature_names_in_.tolist() == NAMES
        back = from_sklearn(theirs)
        assert type(back) is type(ours)
        for tree, other in zip(trees_of(back), trees_of(ours), strict=True):
            np.testing.assert_array_equal(tree.value, other.value)
            np.testing.assert_array_equal(tree.impurity, other.impurity)
            np.testing.assert_allclose(tree.gain, other.gain, rtol=1e-9, atol=1e-12)
            assert tree.criterion_name == error
            assert_same(Tree.from_dict(json.loads(json.dumps(export_dict(other)))), other)
            np.testing.assert_array_equal(merge_redundant(other).predict(near), other.predict(near))
        if constraints is None:
            assert back.get_params() == ours.get_params()
        else:
            assert list(theirs.monotonic_cst) == ([1, 0, -1] if constraints == [1, 0, -1] else [0, 0, -1])
        np.testing.assert_array_equal(back.predict(near), ours.predict(near))


@pytest.mark.parametrize("error", ERRORS)
def test_regressors_with_categories_go_and_come_back(engine, error):
    colour = np.array(["red", "green", "blue", "grey"])[np.arange(60) % 4]
    X = pd.DataFrame({"colour": colour, "size": data()[0]["age"]})
    y = np.round(np.arange(60) % 4 % 3 + X["size"].to_numpy(), 1)
    options = {"criterion": error, "categorical_features": ["colour"], "max_depth": 3}
    multiway = options | {"categorical_split": "multiway"}
    for ours in (DecisionForestRegressor(3, random_state=0, **multiway), DecisionTreeRegressor(**multiway)):
        theirs = to_sklearn(ours.fit(X, y))
        encoded = pd.DataFrame(ours.encode(X), columns=X.columns)
        np.testing.assert_array_equal(theirs.predict(encoded), ours.predict(X))
        np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_, atol=1e-9)
    nodes, tree = theirs.tree_, ours.tree_
    assert (nodes.value[0, 0, 0], nodes.impurity[0]) == (tree.value[0, 0], tree.impurity[0])
    assert nodes.weighted_n_node_samples[0] == 60.0
    unknown = np.array([[-1.0, 0.0], [7.0, 0.0]])
    np.testing.assert_array_equal(tree.to_sklearn().predict(unknown), tree.predict(unknown))
    subset = DecisionTreeRegressor(**options).fit(X, y)
    assert "colour" in export_text(subset)
    with pytest.raises(ValueError, match="cannot divide categories into two sets"):
        to_sklearn(subset)
    for fitted in (ours, subset):
        assert fitted.tree_.is_multiway
        for one in (fitted, fitted.tree_):
            assert_same(Tree.from_dict(json.loads(json.dumps(export_dict(one)))), fitted.tree_)
        np.testing.assert_array_equal(merge_redundant(fitted.tree_).predict(encoded.to_numpy()), fitted.predict(X))


def test_lists_of_trees_become_forests(stump):
    other = DecisionTreeRegressor().fit([[0.0], [1.0]], [1.0, 2.0])
    forest = to_sklearn([stump, other.tree_])
    assert type(forest) is sklearn.ensemble.RandomForestRegressor
    assert forest.predict([[1.0]]).tolist() == [(3.75 + 2.0) / 2]
    classes = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="The trees differ in their features or classes"):
        to_sklearn([stump, classes])
    with pytest.raises(ValueError, match="Names of classes are given"):
        to_sklearn(DecisionForestRegressor(2).fit([[0.0], [1.0]], [1.0, 2.0]), classes=["a"])


def test_trees_without_impurities_have_none_in_scikit_learn(stump):
    theirs = without_impurity(stump.tree_).to_sklearn()
    assert np.isnan(theirs.tree_.impurity).all()
    assert theirs.predict([[0.0]]) == 0.25
    assert not hasattr(from_sklearn(theirs).tree_, "impurity")


# ------------------------------------------------------------------------------------------------- from scikit-learn

FITTED_BY_SKLEARN = {
    "tree": sklearn.tree.DecisionTreeRegressor(random_state=0),
    "absolute": sklearn.tree.DecisionTreeRegressor(criterion="absolute_error", max_depth=3, random_state=0),
    "best-first": sklearn.tree.DecisionTreeRegressor(max_leaf_nodes=6, random_state=0),
    "extra tree": sklearn.tree.ExtraTreeRegressor(random_state=0),
    "one leaf": sklearn.tree.DecisionTreeRegressor(min_samples_split=100),
    "poisson": sklearn.tree.DecisionTreeRegressor(criterion="poisson", max_depth=3, random_state=0),
    "forest": sklearn.ensemble.RandomForestRegressor(5, random_state=0),
    "poisson forest": sklearn.ensemble.RandomForestRegressor(5, criterion="poisson", random_state=0),
    "extra trees": sklearn.ensemble.ExtraTreesRegressor(5, random_state=0),
}


def said_for_poisson(theirs):
    words = rf"no criterion='poisson': what {type(theirs).__name__} has learned .* criterion='squared_error', by which"
    return pytest.warns(UserWarning, match=words) if theirs.criterion == "poisson" else nullcontext()


@pytest.mark.parametrize("estimator", FITTED_BY_SKLEARN.values(), ids=FITTED_BY_SKLEARN.keys())
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_trees_and_forests_of_scikit_learn_are_converted(engine, estimator, weighted, missing):
    X, y = data(missing=missing)
    if missing and estimator.criterion == "absolute_error":
        pytest.skip("scikit-learn's absolute errors take no missing values")
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    theirs = sklearn.base.clone(estimator).fit(X, np.abs(y), sample_weight=weights)
    with said_for_poisson(theirs):
        ours = from_sklearn(theirs)
    near = data(200, seed=1, missing=missing)[0]
    np.testing.assert_array_equal(ours.predict(near), theirs.predict(near))
    members = getattr(theirs, "estimators_", [theirs])
    # Some versions give nodes that lack values a Poisson deviance far below 0, and count it.
    if all(one.tree_.impurity.min() > -1e-9 for one in members):
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    for tree, one in zip(trees_of(ours), members, strict=True):
        assert tree.is_regressor
        np.testing.assert_allclose(np.sort(tree.impurity), np.maximum(np.sort(one.tree_.impurity), 0.0))
        assert tree.criterion_name == (None if theirs.criterion == "poisson" else theirs.criterion)
        assert_same(pickle.loads(pickle.dumps(tree)), tree)
        assert_same(Tree.from_dict(export_dict(tree)), tree)
    assert ours.criterion == ("squared_error" if theirs.criterion == "poisson" else theirs.criterion)
    np.testing.assert_array_equal(to_sklearn(ours).predict(near), theirs.predict(near))
    with config_context(engine="compiled"):
        sklearn.base.clone(ours).fit(X, y)


def test_friedmans_trees_have_squared_errors():
    X, y = data()
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=2).fit(X, y)
    theirs.criterion = "friedman_mse"  # what older versions call the trees of another improvement
    ours = from_sklearn(theirs)
    assert (ours.criterion, ours.tree_.criterion_name) == ("squared_error", "squared_error")


def test_squares_beyond_the_doubles_leave_no_impurity():
    with np.errstate(all="ignore"):
        theirs = sklearn.tree.DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [1e200, -1e200])
    theirs.tree_.impurity[:] = np.nan
    tree = from_sklearn(theirs).tree_
    assert not hasattr(tree, "impurity")
    assert not np.any(tree.gain)


# --------------------------------------------------------------------------------------------------- redundant splits


# Trees on one feature: leaves of equal numbers, and repeated splits that leave equal numbers aside.
@pytest.mark.parametrize(
    ("structure", "value", "impurity", "merged", "counts"),
    [
        (
            ([1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0, 0, -2, -2, -2], [2.0, 1.0, -2.0, -2.0, -2.0], [3, 2, 1, 1, 1]),
            [17 / 3, 5.0, 5.0, 5.0, 7.0],
            [2.0, 0.5, 0.25, 0.75, 1.0],
            ([17 / 3, 5.0, 7.0], [2.0, 0.5, 1.0]),
            (0, 1),
        ),
        (
            ([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -2, 0, -2, -2], [1.0, -2.0, 2.0, -2.0, -2.0], [3, 1, 2, 1, 1]),
            [17 / 3, 5.0, 6.0, 5.0, 7.0],
            [3.0, 1.0, 2.0, 0.0, 0.5],
            ([17 / 3, 5.0, 7.0], [3.0, 0.5, 0.5]),
            (1, 0),
        ),
    ],
)
def test_splits_of_equal_numbers_are_merged(structure, value, impurity, merged, counts):
    left, right = (np.array(structure[side]) for side in (0, 1))
    n, value = np.array(structure[4], dtype=float), np.array(value)
    gain = np.where(left < 0, 0.0, n[left] * n[right] * (value[left] - value[right]) ** 2 / n**2)
    weights = {"weighted_n_node_samples": n, "impurity": impurity}
    tree = Tree(*structure, value[:, np.newaxis], gain, 1, **weights)
    found = merge_redundant(tree)
    assert redundant_splits(tree) == counts
    assert (found.value[:, 0].tolist(), found.impurity.tolist()) == merged
    assert found.threshold.tolist() == [2.0, -2.0, -2.0]
    assert found.weighted_n_node_samples.tolist() == [3.0, 2.0, 1.0]
    np.testing.assert_allclose(found.gain[0], (2.0 / 9.0) * 4.0)


def test_labels_are_for_classes(stump):
    with pytest.raises(ValueError, match="the tree predicts numbers"):
        merge_redundant(stump, labels=[0, 0, 1])


@pytest.mark.parametrize("error", ERRORS)
@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.2]))
def test_merged_trees_predict_the_same(error, seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (30, 2)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    y, weights = rng.integers(0, 2, 30) * 0.1, rng.integers(1, 4, 30)
    tree = DecisionTreeRegressor(error, max_depth=4).fit(X, y, sample_weight=weights).tree_
    merged = merge_redundant(tree)
    np.testing.assert_array_equal(merged.predict(X), tree.predict(X))
    assert redundant_splits(merged) == (0, 0)
    leaves = merged.apply(X)
    for leaf in np.unique(leaves):
        assert merged.weighted_n_node_samples[leaf] == weights[leaves == leaf].sum()
        errors = np.abs(y[leaves == leaf] - merged.value[leaf, 0]) ** (2 if error == "squared_error" else 1)
        np.testing.assert_allclose(
            merged.impurity[leaf], np.average(errors, weights=weights[leaves == leaf]), atol=1e-12
        )


def test_categories_of_equal_numbers_are_merged():
    def star(*numbers):
        """Return a node of this number with a child for every category."""
        number, n = np.array(numbers)[:, np.newaxis], len(numbers) - 1
        left, feature, offsets = [-2, *n * [-1]], [0, *n * [-2]], [0, *(n + 1) * [n]]
        arrays = left, left, feature, (n + 1) * [-2.0], [n, *n * [1]], number, np.zeros(n + 1), 1, offsets
        return Tree(*arrays, np.arange(1, n + 1), range(-1, n), weighted_n_node_samples=[n, *n * [1]])

    merged = merge_redundant(star(1.0, 1.0, 1.0, 1.0))
    assert merged.value.tolist() == [[1.0]]
    assert merged.weighted_n_node_samples.tolist() == [3.0]
    for different in (star(1.5, 1.0, 2.0), star(1.5, 1.0, 1.0)):  # the node itself predicts for other categories
        assert merge_redundant(different) == different
