"""Comparison of trees: equal ones pass, and the first difference of others is named."""

import copy

import numpy as np
import pytest
from hypothesis import given
from samples import NODE_ARRAYS
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from support import assert_refuses, examples

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Tree,
    config_context,
    export_dict,
    from_sklearn,
    to_sklearn,
)
from pytrees.testing import assert_trees_equal
from pytrees.testing.strategies import count_weights, no_weights, problems


@pytest.fixture
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def arrays_of(tree, names=NODE_ARRAYS):
    return {name: getattr(tree, name).copy() for name in names}


def difference(actual, desired, **parameters):
    with pytest.raises(AssertionError) as raised:
        assert_trees_equal(actual, desired, **parameters)
    return str(raised.value)


@given(problems(count_weights, max_rows=20) | problems(no_weights, max_rows=20, missing=True))
@examples(100)
def test_both_engines_grow_equal_trees_of_any_table(problem):
    X, y, weights, _ = problem
    fitted = DecisionTreeClassifier().fit(X, y, sample_weight=weights)
    with config_context(engine="reference"):
        other = DecisionTreeClassifier().fit(X, y, sample_weight=weights)
    assert_trees_equal(fitted, other)
    assert_trees_equal(fitted.tree_, other, X=X)


@given(problems(no_weights, max_rows=20), problems(no_weights, max_rows=20))
@examples(100)
def test_trees_are_equal_if_all_arrays_are(problem, other):
    trees = [DecisionTreeClassifier().fit(each.X, each.y).tree_ for each in (problem, other)]
    try:
        assert_trees_equal(*trees)
    except AssertionError:
        assert trees[0] != trees[1]
    else:
        assert trees[0] == trees[1]


def test_one_tree_in_all_its_forms(iris):
    X, y = iris
    fitted = DecisionTreeClassifier(max_depth=3).fit(X, y)
    forms = [fitted, fitted.tree_, export_dict(fitted), arrays_of(fitted.tree_)]
    for form in forms:
        for other in forms:
            assert_trees_equal(form, other)
    values = X.to_numpy().astype(np.float32)
    assert_trees_equal(fitted.to_sklearn(), fitted, X=values)
    assert_trees_equal(fitted, {name: arrays_of(fitted.tree_)[name] for name in NODE_ARRAYS[:4]})


def test_one_tree_of_numbers_in_all_its_forms():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)).astype(np.float32).astype(float), np.round(rng.normal(size=30), 1)
    tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    names = ("children_left", "children_right", "feature", "threshold", "value", "n_node_samples")
    arrays = {name: getattr(tree.tree_, name) for name in names}
    for other in (tree, tree.tree_, export_dict(tree), arrays, arrays | {"value": tree.tree_.value[:, 0]}):
        assert_trees_equal(tree, other)
        assert_trees_equal(other, tree)
    assert_trees_equal(tree, to_sklearn(tree), X=X, rtol=1e-12)
    forests = [DecisionForestRegressor(3, random_state=0, **data).fit(X, y) for data in ({}, {"max_depth": 1})]
    assert_trees_equal(forests[0], to_sklearn(forests[0]), X=X, rtol=1e-12)
    assert_refuses(AssertionError, "whether it is split of node 1 of tree 0", assert_trees_equal, *forests)
    theirs = RandomForestRegressor(3, random_state=0).fit(X, y)
    assert_trees_equal(theirs, from_sklearn(theirs))


def test_other_numbers_and_weights_are_named():
    X, y = [[0.0], [1.0]], [1.0, 2.0]
    tree = DecisionTreeRegressor().fit(X, y)
    for other, words in (
        (DecisionTreeRegressor().fit(X, [1.0, 2.5]), "the number of node 0.*value 1.5.*value 1.75"),
        (DecisionTreeRegressor().fit(X, y, sample_weight=[3, 3]), "the weight of the samples of node 0"),
        (DecisionTreeClassifier().fit(X, [1, 2]), "what they predict: actual numbers, desired classes"),
    ):
        assert_refuses(AssertionError, f"(?s){words}", assert_trees_equal, tree, other, gains=False)


def test_nodes_in_another_order(iris):
    X, y = (np.asarray(each) for each in iris)
    best_first = SklearnTree(max_leaf_nodes=5, random_state=3).fit(X, y)
    assert_trees_equal(arrays_of(best_first.tree_, NODE_ARRAYS[:5]), best_first)


def test_forests_are_compared_tree_by_tree(iris):
    X, y = iris
    forest = DecisionForestClassifier(3, random_state=0).fit(X, y)
    assert_trees_equal(forest, copy.deepcopy(forest))
    assert_trees_equal(forest.to_sklearn(), forest, X=X.astype(np.float32), rtol=1e-12)
    other = DecisionForestClassifier(3, random_state=1).fit(X, y)
    assert " of tree 0:" in difference(forest, other)
    fewer = DecisionForestClassifier(2, random_state=0).fit(X, y)
    assert difference(forest, fewer) == "The forests differ: actual has 3 trees, desired 2."
    theirs = RandomForestClassifier(3, random_state=0).fit(X.to_numpy(), y)
    assert_trees_equal(theirs, theirs)
    with pytest.raises(TypeError, match=r"pass one tree, such as estimators_\[0\]"):
        assert_trees_equal(forest, forest.estimators_[0])


def test_thresholds_that_separate_the_same_samples(iris):
    X, y = iris
    tree = DecisionTreeClassifier().fit(X, y).tree_
    arrays = arrays_of(tree)
    arrays["threshold"][0] = 2.0
    assert_trees_equal(arrays, tree, X=X)
    assert "the threshold of node 0" in difference(arrays, tree)
    arrays["threshold"][0] = 1.8
    message = difference(arrays, tree, X=X)
    assert "the samples of X that go left of node 0" in message
    assert "x[2] <= 1.8 (gain" in message


def test_numbers_within_a_tolerance(iris):
    X, y = iris
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=weights).tree_
    arrays = arrays_of(tree)
    arrays["value"] *= 1 + 1e-14
    assert_trees_equal(arrays, tree, rtol=1e-12)
    message = difference(arrays, tree)
    assert "the class counts of node 0" in message
    assert message.endswith("They differ by rounding: allow it by rtol=1e-12.")
    for side, counts in (("actual ", arrays["value"][0]), ("desired", tree.value[0])):
        assert f"{side}  " in message
        assert str(counts.tolist()) in message


def test_numbers_near_zero_differ_by_their_distance(iris):
    """A gain of zero may be computed as a rounding error, which no share of zero allows."""
    tree = DecisionTreeClassifier(max_depth=2).fit(*iris).tree_
    arrays, zeros = arrays_of(tree), arrays_of(tree)
    zeros["gain"][:], arrays["gain"][:] = 0.0, 1e-13
    assert_trees_equal(arrays, zeros, rtol=1e-12)
    arrays["gain"][0] = 1e-11
    assert "the gain of node 0" in difference(arrays, zeros, rtol=1e-12)


def test_thresholds_of_float32_are_told(iris):
    X, y = np.asarray(iris[0])[:, 3:] + 0.1, np.asarray(iris[1])
    ours, theirs = (kind(max_depth=1).fit(X, y) for kind in (DecisionTreeClassifier, SklearnTree))
    assert difference(theirs, ours).endswith("compare them with X=X.astype(np.float32).")
    assert_trees_equal(theirs, ours, X=X.astype(np.float32))


def test_gains_can_be_left_out(iris):
    X, y = iris
    trees = [DecisionTreeClassifier(criterion, max_depth=1).fit(X, y) for criterion in ("gini", "entropy")]
    assert "the gain of node 0" in difference(*trees)
    assert_trees_equal(*trees, gains=False)


def test_the_path_names_features(iris):
    X, y = iris
    fitted = DecisionTreeClassifier(max_depth=3).fit(X, y)
    smaller = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert difference(fitted, smaller) == (
        "The trees differ in whether it is split of node 3:\n"
        "  path     petal length (cm) > 2.45, petal width (cm) <= 1.75\n"
        "  samples  54, by class [0, 49, 5]\n"
        "  actual   petal length (cm) <= 4.95 (gain 0.0823903)\n"
        "  desired  a leaf"
    )


def test_ties_are_told(iris):
    X, y = iris
    reverse = DecisionTreeClassifier(max_depth=1).fit(X.iloc[:, ::-1].to_numpy(), y)
    message = difference(DecisionTreeClassifier(max_depth=1).fit(X.to_numpy(), y), reverse)
    assert "the feature of node 0" in message
    assert message.endswith("Both splits gain the same: it can be a tie.")


def test_different_numbers_of_samples_are_named(iris):
    X, y = (np.asarray(each) for each in iris)
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    arrays = arrays_of(tree)
    arrays["n_node_samples"][1] -= 1
    assert "the number of samples of node 1" in difference(arrays, tree)
    assert "samples 49, by class [50, 0, 0]" in difference(arrays, tree)
    arrays = arrays_of(tree)
    arrays["value"][2, 1] += 1
    assert "the class counts of node 2" in difference(arrays, tree)


def test_different_categories_are_named():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [2.0]]), [0, 0, 1, 1, 2, 0]
    multiway = DecisionTreeClassifier(categorical_features=[0], categorical_split="multiway").fit(X, y)
    binary = DecisionTreeClassifier().fit(X, y)
    subset = DecisionTreeClassifier(categorical_features=[0]).fit(X, y)
    assert_trees_equal(multiway, copy.deepcopy(multiway), X=X)
    assert "the kind of split of node 0" in difference(multiway, binary)
    assert "the categories of its children of node 0" in difference(multiway, subset)
    fewer = DecisionTreeClassifier(categorical_features=[0]).fit(X[:4], y[:4])
    assert "x[0] into categories [[0], [1]]" in difference(
        multiway.tree_,
        fewer.tree_.__class__.from_arrays(
            {
                **arrays_of(fewer.tree_),
                **arrays_of(fewer.tree_, ("child_offsets", "children", "category")),
                "value": np.hstack([fewer.tree_.value, np.zeros((3, 1))]),
            },
            1,
        ),
    )


def test_different_sides_of_missing_values_are_named():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [np.nan]]), [0, 0, 1, 1, 1]
    fitted = DecisionTreeClassifier().fit(X, y)
    arrays = arrays_of(fitted.tree_)
    left = Tree(**arrays, n_features=1, missing_go_to_left=[1, -1, -1])
    assert "the side of missing values of node 0" in difference(left, fitted.tree_)
    assert "x[0] <= 0.5 or missing" in difference(left, fitted.tree_)
    assert "the samples of X that go left" in difference(left, fitted.tree_, X=X)
    unseen = Tree(**arrays, n_features=1, missing_go_to_left=[0, -1, -1], saw_missing=[0, 0, 0])
    assert "whether it saw missing values" in difference(unseen, fitted.tree_)


def test_headers(iris):
    X, y = (np.asarray(each) for each in iris)
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert "in n_features: actual 4, desired 3" in difference(fitted, DecisionTreeClassifier().fit(X[:, :3], y))
    assert "in n_classes: actual 3, desired 2" in difference(fitted.tree_, DecisionTreeClassifier().fit(X[:99], y[:99]))
    words = DecisionTreeClassifier(max_depth=1).fit(X, np.array(["a", "b", "c"])[y])
    assert "in their classes: actual [0, 1, 2]" in difference(fitted, words).replace("np.int64(", "").replace(")", "")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (3, TypeError, r"Expected a Tree, .*; got builtins\.int"),
        (DecisionTreeClassifier(), TypeError, "has no tree_, or is not fitted"),
        ({"feature": [0]}, ValueError, "it lacks children_left, children_right, threshold"),
        ({"children_left": [1], "children_right": [1], "feature": [0], "threshold": [0]}, ValueError, "no such node"),
        (
            {"children_left": [-1, -1], "children_right": [-1, -1], "feature": [0, 0], "threshold": [0, 0]},
            ValueError,
            "not below the root",
        ),
        ({"children_left": [-1], "children_right": [-1], "feature": [0, 0], "threshold": [0]}, ValueError, "has shape"),
        ({"counts": [1]}, ValueError, "Not an exported tree"),
    ],
)
def test_objects_that_are_no_tree_are_refused(given, error, words):
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    assert_refuses(error, words, assert_trees_equal, given, tree)


def test_samples_that_lack_features():
    tree = DecisionTreeClassifier().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1]).tree_
    assert_refuses(ValueError, "X has 1 features, but the trees have 2", assert_trees_equal, tree, tree, X=[[1.0]])
