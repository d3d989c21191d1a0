"""Permutation decision trees and forests: the paper's toy example, the order and its routing, different trees."""

from contextlib import nullcontext
from inspect import Parameter, signature

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from samples import make_classes, make_stump, make_ties, trees_of
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import assert_refuses, examples, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3ForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    effort_to_compress,
    order_sensitivity,
)
from pytrees.datasets import load_toy_permutations
from pytrees.testing.strategies import problems
from pytrees.tree import Tree


@pytest.fixture(scope="module")
def toy():
    return load_toy_permutations()


@pytest.fixture
def toy_trees(engine, toy):
    return {
        name: PermutationDecisionTreeClassifier().fit(toy.data[rows], toy.target[rows])
        for name, rows in toy.permutations.items()
    }


@pytest.fixture
def arrivals():
    """Rows with the times at which they arrived, and the tree that they give in that order."""
    X, y = make_ties(n_samples=24)
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.random.default_rng(3).permutation(24), unit="D")
    return X, y, pd.Series(times)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def ordered_tree(X, y, times, **parameters):
    rows = np.argsort(times.to_numpy())
    return PermutationDecisionTreeClassifier(**parameters).fit(X[rows], y[rows]).tree_


# Harikrishnan and Nagaraj, arXiv:2306.02617, Section 3.


def test_five_permutations_give_five_trees(toy_trees, toy):
    assert len({fitted.tree_ for fitted in toy_trees.values()}) == 5
    for fitted in toy_trees.values():
        np.testing.assert_array_equal(fitted.predict(toy.data), toy.target)


def test_patients_that_need_the_molecular_test(toy_trees, toy):
    # Section 3.1: all 14 under permutation B, 4 under permutation D.
    assert toy_trees["B"].feature_usage(toy.data)[1] == 14
    assert toy_trees["D"].feature_usage(toy.data)[1] == 4


def test_gain_follows_the_definition(toy_trees, toy):
    for name, rows in toy.permutations.items():
        X, y, tree = toy.data[rows], toy.target[rows], toy_trees[name].tree_
        goes_left = X[:, tree.feature[0]] <= tree.threshold[0]
        parts = [
            goes_left.mean() * effort_to_compress(y[goes_left]),
            (~goes_left).mean() * effort_to_compress(y[~goes_left]),
        ]
        assert tree.gain[0] == pytest.approx(effort_to_compress(y) - sum(parts), abs=1e-12)


def test_order_keys_sort_the_samples(engine, toy, toy_trees):
    for name, rows in toy.permutations.items():
        place = np.argsort(rows)  # patient rows[i] comes as the i-th
        fitted = PermutationDecisionTreeClassifier().fit(toy.data, toy.target, order=place)
        assert fitted.tree_ == toy_trees[name].tree_


@pytest.mark.parametrize("criterion", ["etc", "gini", "entropy"])
def test_the_tree_is_the_cart_tree_of_its_criterion(engine, arrivals, criterion):
    X, y, times = arrivals
    limits = {"max_depth": 4, "min_samples_leaf": 2, "max_features": 2, "max_candidates": 2, "random_state": 1}
    trees = [tree(criterion, **limits) for tree in (DecisionTreeClassifier, PermutationDecisionTreeClassifier)]
    for tree in trees:
        with nullcontext() if criterion == "etc" else pytest.warns(UserWarning, match="order has no influence"):
            tree.fit(X, y, order=times)
    assert trees[0].tree_ == trees[1].tree_


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (PermutationDecisionTreeClassifier().fit, ["X", "y", "order", "groups"]),
        (PermutationDecisionForestClassifier().fit, ["X", "y", "order", "groups"]),
        (DecisionTreeClassifier().fit, ["X", "y", "sample_weight", "order"]),
        (DecisionTreeClassifier("etc").fit, ["X", "y", "order"]),
        (OrdinalDecisionTreeClassifier().fit, ["X", "y", "sample_weight", "order"]),
        (DecisionForestClassifier().fit, ["X", "y", "sample_weight", "order"]),
        (order_sensitivity, None),
    ],
)
def test_orders_and_groups_are_given_by_name(arrivals, function, expected):
    X, y, times = arrivals
    parameters = signature(function).parameters
    assert expected is None or list(parameters) == expected
    assert all(parameters[name].kind is Parameter.KEYWORD_ONLY for name in {"order", "groups"} & set(parameters))
    owner = type(function.__self__).__name__ if hasattr(function, "__self__") else ""
    given = [DecisionTreeClassifier("etc"), X, y] if expected is None else [X, y, None]
    with pytest.raises(
        TypeError, match=rf"{owner}.*accepts only .*y.* by position, got . more\. .* such as order=\.\.\."
    ):
        function(*given, times)
    with pytest.raises(TypeError, match=rf"{owner}.*got an unexpected keyword argument 'orders'\."):
        function(*given[:-1], orders=times)


def test_weights_are_refused(arrivals):
    X, y, times = arrivals
    for made in (PermutationDecisionTreeClassifier, PermutationDecisionForestClassifier):
        with pytest.raises(TypeError, match=r"'sample_weight'. In a sequence of labels a sample has no weight"):
            made().fit(X, y, sample_weight=np.ones(24))
        assert_refuses(TypeError, r"argument 'weights'\.$", made().fit, X, y, weights=np.ones(24))
        for others in ([times], [times, times]):
            name = rf"{made.__name__}\.fit\(\) accepts only X, y by position, got {len(others)} more\."
            advice = r"by name, such as order=\.\.\. or groups=\.\.\.\. There is no sample_weight\. In a sequence"
            assert_refuses(TypeError, f"{name} .*{advice}", made().fit, X, y, *others)
    assert_refuses(TypeError, "class_weight", PermutationDecisionTreeClassifier, class_weight="balanced")


def test_order_reaches_every_fold(engine, routing, arrivals):
    X, y, times = arrivals
    folds = KFold(3, shuffle=True, random_state=0)
    scored = cross_validate(
        PermutationDecisionTreeClassifier().set_fit_request(order=True),
        X,
        y,
        cv=folds,
        params={"order": times},
        return_estimator=True,
        error_score="raise",
    )
    for (train, _), fitted in zip(folds.split(X), scored["estimator"], strict=True):
        assert fitted.tree_ == ordered_tree(X[train], y[train], times.iloc[train])


def test_order_reaches_a_forest_in_a_pipeline(engine, routing, arrivals):
    X, y, times = arrivals
    forest = PermutationDecisionForestClassifier(n_estimators=3, random_state=0).set_fit_request(order=True)
    fitted = make_pipeline(StandardScaler(), forest).fit(X, y, order=times)
    rows = np.argsort(times.to_numpy())
    scaled = StandardScaler().fit_transform(X)
    expected = PermutationDecisionForestClassifier(n_estimators=3, random_state=0).fit(scaled[rows], y[rows])
    assert trees_of(fitted[-1]) == trees_of(expected)


def test_order_in_a_grid_search_over_a_pipeline(engine, routing, arrivals):
    X, y, times = arrivals
    model = make_pipeline(StandardScaler(), PermutationDecisionTreeClassifier().set_fit_request(order=True))
    name = "permutationdecisiontreeclassifier"
    search = GridSearchCV(model, {f"{name}__max_depth": [2]}, cv=2, error_score="raise").fit(X, y, order=times)
    scaled = StandardScaler().fit_transform(X)
    assert search.best_estimator_[-1].tree_ == ordered_tree(scaled, y, times, max_depth=2)


def test_order_that_is_not_requested_is_refused(routing, arrivals):
    X, y, times = arrivals
    with pytest.raises(UnsetMetadataPassedError, match="order"):
        GridSearchCV(PermutationDecisionTreeClassifier(), {}, cv=2).fit(X, y, order=times)


def test_distinct_trees_are_counted(engine, toy):
    forest = PermutationDecisionForestClassifier(n_estimators=20, random_state=0).fit(toy.data, toy.target)
    distinct = forest.distinct_trees()
    assert len(distinct) > 1
    assert sorted(i for one in distinct for i in one.members) == list(range(20))
    for one in distinct:
        assert one.count == len(one.members)
        assert one.members == sorted(one.members)
        assert one.tree is forest.estimators_[one.members[0]].tree_
        assert one.feature_usage.tolist() == one.tree.feature_usage(toy.data).tolist()
        assert one.tests_per_row == one.feature_usage.sum() / 14
    ranks = [(-one.count, one.tests_per_row, one.members[0]) for one in distinct]
    assert ranks == sorted(ranks)


def test_distinct_trees_count_tests_on_given_samples(engine, toy):
    forest = PermutationDecisionForestClassifier(n_estimators=6, random_state=0).fit(toy.data, toy.target)
    for one in forest.distinct_trees(toy.data[:3]):
        assert one.feature_usage.tolist() == one.tree.feature_usage(toy.data[:3]).tolist()
        assert one.tests_per_row == one.feature_usage.sum() / 3


def test_trees_that_decide_the_same_way_are_the_same(toy):
    forest = PermutationDecisionForestClassifier(n_estimators=5).fit([[0.0], [1.0]], [0, 1])
    trees = [
        make_stump(),
        make_stump(gain=[0.25, 0, 0]),
        make_stump(value=[[1, 9], [1, 0], [0, 9]], n_node_samples=[10, 1, 9]),
        make_stump(value=[[1, 1], [0, 1], [1, 0]]),
        make_stump(threshold=[0.25, -2, -2]),
    ]
    for estimator, tree in zip(forest.estimators_, trees, strict=True):
        estimator.tree_ = tree
    assert [one.members for one in forest.distinct_trees()] == [[0, 1, 2], [3], [4]]


def test_equally_frequent_trees_are_sorted_by_their_tests():
    """Samples that go left at the root have two tests in the first two trees, a stump has one."""
    chain = {
        "children_left": [1, 2, -1, -1, -1],
        "children_right": [4, 3, -1, -1, -1],
        "feature": [0, 1, -2, -2, -2],
        "threshold": [0.5, 0.5, -2, -2, -2],
        "n_node_samples": [4, 2, 1, 1, 2],
        "value": [[2, 2], [1, 1], [1, 0], [0, 1], [1, 1]],
        "gain": [0.0] * 5,
        "n_features": 2,
    }
    forest = PermutationDecisionForestClassifier(n_estimators=4).fit([[0.0, 0.0], [1.0, 0.0]], [0, 1])
    trees = [Tree(**chain), Tree(**chain | {"threshold": [0.25, 0.5, -2, -2, -2]}), make_stump(n_features=2)]
    for estimator, tree in zip(forest.estimators_, [*trees, trees[1]], strict=True):
        estimator.tree_ = tree
    assert [(one.members, one.tests_per_row) for one in forest.distinct_trees()] == [
        ([1, 3], 1.5),
        ([2], 1.0),
        ([0], 1.5),
    ]


def test_distinct_trees_of_an_unfitted_forest():
    assert_refuses(NotFittedError, None, PermutationDecisionForestClassifier().distinct_trees)


def test_distinct_trees_refuse_samples_of_another_shape(toy):
    forest = PermutationDecisionForestClassifier(n_estimators=2).fit(toy.data, toy.target)
    assert_refuses(ValueError, "X has 1 features", forest.distinct_trees, toy.data[:, :1])
    assert_refuses(ValueError, "infinity in column 1", forest.distinct_trees, [[1.0, np.inf]])


@examples(60)
@given(problem=problems(max_rows=12), data=st.data())
def test_both_engines_fit_the_same_tree(problem, data):
    X, y, _, _ = problem
    order = data.draw(st.none() | st.lists(st.integers(0, 5), min_size=len(X), max_size=len(X)))
    compiled, reference = on_both_engines(lambda: PermutationDecisionTreeClassifier().fit(X, y, order=order))
    assert compiled.tree_ == reference.tree_


@examples(25)
@given(problem=problems(max_rows=10), bootstrap=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_both_engines_fit_the_same_forest(problem, bootstrap, seed):
    X, y, _, _ = problem
    model = {"n_estimators": 3, "bootstrap": bootstrap, "random_state": seed, "max_features": 0.7}
    compiled, reference = on_both_engines(lambda: PermutationDecisionForestClassifier(**model).fit(X, y))
    assert trees_of(compiled) == trees_of(reference)
    np.testing.assert_array_equal(*on_both_engines(compiled.predict_proba, X))


def test_trees_on_continuous_features_are_equal_on_both_engines():
    X, y = make_classes(n_samples=50)
    compiled, reference = on_both_engines(lambda: PermutationDecisionTreeClassifier().fit(X, y))
    assert compiled.tree_ == reference.tree_


def test_all_forests_list_their_distinct_trees(engine):
    X = [[0], [1], [2], [3]]
    forest = DecisionForestClassifier(12, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1])
    distinct = forest.distinct_trees()
    assert sum(one.count for one in distinct) == 12
    assert sorted(member for one in distinct for member in one.members) == list(range(12))
    counts = [one.count for one in distinct]
    assert counts == sorted(counts, reverse=True)
    for one in distinct:
        thresholds = {tuple(forest[member].tree_.threshold) for member in one.members}
        assert len(thresholds) == 1
    by_labels = ID3ForestClassifier(3, bootstrap=False, random_state=0).fit(X, [0, 0, 1, 1])
    assert [one.count for one in by_labels.distinct_trees()] == [3]
    by_labels[2].node_labels_ = 1 - by_labels[2].node_labels_
    assert [one.members for one in by_labels.distinct_trees()] == [[0, 1], [2]]
