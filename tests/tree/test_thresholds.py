"""Thresholds in print: a training sample that follows the printed rules comes to the leaf that the tree sends it to."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import make_classes, make_stump, make_ties
from support import assert_refuses

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    MinimalTreeClassifier,
    OptimalTreeClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    export_graphviz,
    export_text,
    merge_redundant,
    plot_tree,
)
from pytrees._digits import Digits, ThresholdTexts
from pytrees.testing.strategies import problems

DIGITS = [Digits(), Digits(0), Digits(3)]


def greatest_left(tree, X):
    """The greatest value of the samples that go left at every node, from the definition."""
    below = np.full(tree.node_count, -2.0)
    path = tree.decision_path(X).toarray() > 0
    for node in np.flatnonzero(tree.children_left >= 0):
        values = X[path[:, tree.children_left[node]], tree.feature[node]]
        below[node] = np.nanmax(values)
    return below


def assert_prints_divide(tree, X):
    """At every node, its samples are divided alike by the threshold and by what is printed, with any digits."""
    path = tree.decision_path(X).toarray() > 0
    for digits in DIGITS:
        texts = ThresholdTexts(tree, digits)
        for node in np.flatnonzero((tree.children_left >= 0) & np.isfinite(tree.threshold)):
            text, values = texts(node), X[path[:, node], tree.feature[node]]
            assert re.fullmatch(r"-?\d+(\.\d+)?", text)
            np.testing.assert_array_equal(values <= float(text), values <= tree.threshold[node])


def assert_knows_gaps(tree, X):
    np.testing.assert_array_equal(tree.below_threshold, greatest_left(tree, X))
    assert_prints_divide(tree, X)


# Values whose thresholds are hard to print: whole numbers, large ones, neighbouring doubles, both signs.
VALUES = st.one_of(
    st.integers(1000, 1010).map(float),
    st.integers(52890, 52910).map(lambda i: i / 7.0),
    st.integers(0, 5).map(lambda i: 1.0 + i * 2.0**-52),
    st.integers(-5, 5).map(lambda i: i * 1e-7),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(data=st.data(), n=st.integers(2, 25), kind=st.integers(0, 3))
def test_printed_thresholds_divide_the_training_samples(data, n, kind):
    X = np.array(data.draw(st.lists(st.tuples(VALUES, VALUES), min_size=n, max_size=n)))
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    missing = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    if kind == 1:
        X[missing, 0] = np.nan
    estimator = (
        DecisionTreeClassifier(),
        DecisionTreeClassifier(max_leaf_nodes=6),
        DecisionTreeRegressor(),
        ID3Classifier(max_leaf_nodes=6),
    )[kind]
    tree = estimator.fit(X, y).tree_
    assert_knows_gaps(tree, X)


ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier("entropy", max_leaf_nodes=20, min_samples_leaf=3),
    DecisionTreeClassifier(ccp_alpha=0.01),
    DecisionTreeClassifier("etc"),
    DecisionTreeClassifier(max_features=1, random_state=0),
    DecisionTreeRegressor(),
    DecisionTreeRegressor("absolute_error", max_leaf_nodes=15),
    DecisionTreeRegressor(monotonic_cst=[1, 0, 0]),
    PermutationDecisionTreeClassifier(),
    OrdinalDecisionTreeClassifier(),
    ID3Classifier(max_leaf_nodes=10),
    ID3Classifier("nvi", evaluation="global", max_leaf_nodes=10),
    OptimalTreeClassifier(max_depth=2),
]


@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("make", [make_classes, make_ties])
def test_every_tree_knows_its_gaps(engine, estimator, make, with_missing):
    X, y = make(n_samples=60)
    X = 52901.157 + X / 3.0
    if with_missing:
        X[::7, 0] = np.nan
        X[::11, 1] = np.nan
        if "absolute" in repr(estimator) and engine == "reference":
            X = X[:30]
            y = y[:30]
    tree = estimator.fit(X, y).tree_
    assert_knows_gaps(tree, X)


def test_trees_of_tables_in_bins_know_their_gaps():
    X, y = make_classes(n_samples=30_000, n_features=3)
    for table in (X, np.round(X, 1), np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)):
        tree = DecisionTreeClassifier(max_depth=4).fit(table, y).tree_
        assert_knows_gaps(tree, table)


def test_the_smallest_tree_knows_its_gaps(engine):
    X = np.array([[1.5, 2.5], [1.25, 3.5], [3.0, 2.25], [3.5, 4.0], [2.0, 1.0]])
    for estimator in (MinimalTreeClassifier(), ID3Classifier("mts")):
        assert_knows_gaps(estimator.fit(X, [0, 1, 0, 1, 1]).tree_, X)


@pytest.mark.parametrize("seed", range(8))
def test_c45_knows_its_gaps_after_raising(engine, seed):
    X, y = make_ties(n_samples=80, n_features=4, n_classes=2, seed=seed)
    X = X + np.random.default_rng(seed).normal(size=X.shape)
    tree = C45Classifier(min_samples_leaf=1).fit(X, y).tree_
    assert np.all((greatest_left(tree, X) <= tree.below_threshold)[tree.children_left >= 0])
    assert_prints_divide(tree, X)


def test_merged_splits_know_their_gaps():
    X, y = make_classes(n_samples=200)
    tree = DecisionTreeClassifier(max_depth=5).fit(X, np.random.default_rng(0).integers(0, 2, len(y))).tree_
    merged = merge_redundant(tree)
    assert merged.node_count < tree.node_count
    assert_knows_gaps(merged, X)


def test_trees_of_forests_know_the_gaps_of_their_samples(engine):
    X, y = make_classes(n_samples=40)
    forest = DecisionForestClassifier(3, bootstrap=False, max_features=2, random_state=0).fit(X, y)
    for tree in forest:
        assert_knows_gaps(tree.tree_, X)


@given(problem=problems(max_rows=20))
def test_printed_rules_lead_to_the_same_leaves(problem):
    fitted = DecisionTreeClassifier().fit(problem.X, problem.y)
    tree = fitted.tree_
    printed = [*map(float, re.findall(r"feature_\d+ <= (\S+)", export_text(fitted, max_depth=None)))]
    threshold = tree.threshold.copy()
    threshold[tree.children_left >= 0] = printed
    names = ("children_left", "children_right", "feature", "n_node_samples", "value", "gain", "n_features")
    again = Tree(**{name: getattr(tree, name) for name in names}, threshold=threshold)
    np.testing.assert_array_equal(again.apply(problem.X), tree.apply(problem.X))


def test_nested_thresholds_print_differently():
    X = np.array([[1006.04], [1006.06], [1006.11], [52901.0], [52901.314]])
    tree = DecisionTreeClassifier().fit(X, [0, 1, 0, 1, 0])
    shown = sorted(re.findall(r"<= (\S+)", export_text(tree)), key=float)
    assert shown == ["1006.05", "1006.1", "26954", "52901"]
    assert sorted((box.get_text()[12:] for box in plot_tree(tree) if "≤" in box.get_text()), key=float) == shown
    found = re.findall(r"<= (\S+?)\\n", export_graphviz(tree, precision=0))
    assert sorted(map(float, found)) == [1006.05, 1006.1, 26954.0, 52901.0]


def test_whole_numbers_are_divided_by_whole_numbers():
    X = np.arange(1000.0, 1008.0)[:, np.newaxis]
    tree = DecisionTreeClassifier().fit(X, [0, 1] * 4)
    assert sorted(re.findall(r"<= (\S+)", export_text(tree, precision=0))) == [str(1000 + i) for i in range(7)]


def test_values_with_one_decimal_place_are_divided_by_one_place():
    tree = DecisionTreeClassifier().fit([[105.9], [106.0], [-105.9], [-106.0]], [0, 1, 1, 0])
    assert sorted(re.findall(r"<= (\S+)", export_text(tree))) == ["-106", "0", "105.9"]


def test_gaps_survive_pickling_and_need_not_be_known():
    X, y = make_classes(n_samples=30)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.below_threshold, tree.below_threshold)
    older = Tree(*tree._arguments()[:-2])
    assert older.below_threshold is None
    assert older == tree
    assert make_stump().below_threshold is None


@pytest.mark.parametrize(
    ("below", "said"),
    [
        ([0.0, 0.0], r"below_threshold has shape \(2,\), not \(3,\)"),
        ([0.75, 0.0, 0.0], "lies above the threshold"),
        ([np.nan, 0.0, 0.0], "is no number"),
        (["a", "b", "c"], "below_threshold has dtype"),
    ],
)
def test_gaps_that_are_none_are_refused(below, said):
    assert_refuses(ValueError, said, make_stump, below_threshold=below)
    assert make_stump(below_threshold=[0.5, 7.0, np.nan]).below_threshold.tolist() == [0.5, -2.0, -2.0]
