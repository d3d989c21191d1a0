"""Missing values in grown trees: the side to which samples go, and how trees show it."""

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from samples import make_classes, make_stump, stump_arrays, trees_of
from support import assert_refuses, examples, grow

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    config_context,
    export_dict,
    export_text,
    merge_redundant,
    plot_tree,
)
from pytrees.fourier import FourierSpectrum, ordinal_codes
from pytrees.testing.strategies import float_weights, no_weights, problems

NAN = np.nan


@pytest.fixture(scope="module")
def gaps():
    """Samples with gaps, of which some tell the class."""
    X, y = make_classes(120, 4)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.2] = NAN
    X[(y == 1) & (rng.random(len(y)) < 0.3), 2] = NAN
    return X, y


ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier("entropy", max_leaf_nodes=9),
    OrdinalDecisionTreeClassifier(predict_rule="median"),
    PermutationDecisionTreeClassifier(max_candidates=8),
    ID3Classifier(),
    ID3Classifier("jaccard", evaluation="global", max_leaf_nodes=9),
    DecisionForestClassifier(5, random_state=0),
    OrdinalDecisionForestClassifier(5, random_state=0),
    PermutationDecisionForestClassifier(3, max_candidates=8, random_state=0),
    ID3ForestClassifier(3, random_state=0),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def naive_leaf(tree, row):
    node = 0
    while tree.children_left[node] >= 0:
        value = row[tree.feature[node]]
        goes_left = tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
        node = tree.children_left[node] if goes_left else tree.children_right[node]
    return node


@every_estimator
def test_samples_walk_as_the_arrays_say(engine, estimator, gaps):
    X, y = gaps
    with config_context(engine="compiled"):  # growth has its own tests
        fitted = estimator.fit(X, y)
    trees = trees_of(fitted)
    expected = np.array([[naive_leaf(tree, row) for tree in trees] for row in X])
    # Few samples walk in the arrays as they are, many in a packed tree.
    for rows in (slice(0, 5), slice(None)):
        leaves = np.reshape(fitted.apply(X[rows]), (-1, len(trees)))
        np.testing.assert_array_equal(leaves, expected[rows])
    for i, tree in enumerate(trees):
        path = tree.decision_path(X).toarray() > 0
        assert path[np.arange(len(X)), expected[:, i]].all()
        usage = [np.count_nonzero(path[:, tree.feature == feature].any(axis=1)) for feature in range(4)]
        np.testing.assert_array_equal(tree.feature_usage(X), usage)
    assert fitted.score(X, y) > 0.7
    proba = fitted.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.predict_proba(X[:5]), proba[:5])
    assert pickle.loads(pickle.dumps(fitted)).predict(X).tolist() == fitted.predict(X).tolist()


@every_estimator
def test_missing_at_prediction_alone(engine, estimator):
    X, y = make_classes(60, 3)
    fitted = estimator.fit(X, y)
    lacking = X.copy()
    lacking[::2, 1] = NAN
    trees = trees_of(fitted)
    leaves = np.reshape(fitted.apply(lacking), (-1, len(trees)))
    np.testing.assert_array_equal(leaves, [[naive_leaf(tree, row) for tree in trees] for row in lacking])
    for tree in trees:
        assert not tree.saw_missing.any()
        inner = np.flatnonzero(tree.children_left >= 0)
        left, right = (
            tree.value[tree.children_left[inner]].sum(axis=1),
            tree.value[tree.children_right[inner]].sum(axis=1),
        )
        np.testing.assert_array_equal(tree.missing_go_to_left[inner], left > right)


@pytest.mark.parametrize("weights", [no_weights, float_weights])
def test_unseen_missing_values_go_to_the_child_of_more_weight(weights):
    @examples(100)
    @given(problems(weights))
    def check(problem):
        tree = Tree(**grow(*problem), n_features=problem.X.shape[1])
        for node in np.flatnonzero(tree.children_left >= 0):
            left, right = (
                sum(map(Fraction, tree.value[child].tolist()))
                for child in (tree.children_left[node], tree.children_right[node])
            )
            assert tree.missing_go_to_left[node] == (left > right)

    check()


def test_categories_unseen_and_missing_at_once(engine):
    X = np.array([["a", 1.0], ["b", 2.0], [None, 3.0], ["b", None]], dtype=object)
    fitted = DecisionTreeClassifier(categorical_features=[0], handle_unknown="majority").fit(X, [0, 1, 2, 1])
    assert fitted.predict(X).tolist() == [0, 1, 2, 1]
    assert fitted.predict(np.array([[None, None], ["c", None], ["a", None]], dtype=object)).tolist() == [2, 1, 0]
    assert "x0 is missing" in export_text(fitted, feature_names=["x0", "x1"])


def test_staged_predictions_end_with_the_prediction(engine, gaps):
    X, y = gaps
    tree = ID3Classifier(evaluation="glocal", max_leaf_nodes=8).fit(X, y)
    stages = list(tree.staged_predict(X))
    assert len(stages) == tree.tree_.n_leaves
    np.testing.assert_array_equal(stages[-1], tree.predict(X))


def test_forests_score_samples_with_gaps_out_of_bag(engine, gaps):
    X, y = gaps
    forest = DecisionForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_score_ > 0.5
    again = DecisionForestClassifier(30, oob_score=True, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.oob_decision_function_, forest.oob_decision_function_)


@examples(150)
@given(problem=problems(missing=True, min_rows=4, max_features=2))
def test_merged_trees_predict_the_same(problem):
    tree = Tree(**grow(*problem), n_features=problem.X.shape[1])
    merged = merge_redundant(tree)
    lacking = np.vstack([problem.X, np.where(np.arange(len(problem.X))[:, None] % 2, problem.X, NAN)])
    np.testing.assert_array_equal(merged.predict(lacking), tree.predict(lacking))
    assert merged.saw_missing.sum() <= tree.saw_missing.sum()


def test_pruned_trees_keep_the_sides_of_missing_values(gaps):
    X, y = gaps
    whole, pruned = (DecisionTreeClassifier(ccp_alpha=alpha).fit(X, y).tree_ for alpha in (0.0, 0.02))
    assert 1 < pruned.node_count < whole.node_count
    inner = pruned.children_left >= 0
    assert pruned.saw_missing[inner].any()
    assert not pruned.missing_go_to_left[~inner].any()
    assert pruned.missing_go_to_left[0] == whole.missing_go_to_left[0]


def test_text_dict_and_picture_show_the_side_of_missing_values():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0], [NAN]]), [0, 0, 1, 1, 0]
    to_left = DecisionTreeClassifier().fit(X, y)
    assert "feature_0 <= 2.5 or missing (gain" in export_text(to_left)
    assert "\nfeature_0 > 2.5\n" in export_text(to_left)
    shown = export_dict(to_left)
    assert (shown["threshold"], shown["missing"]) == (2.5, "left")
    to_right = DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 1])
    assert "\nfeature_0 > 2.5 or missing\n" in export_text(to_right)
    alone = DecisionTreeClassifier().fit(X, [0, 0, 0, 0, 1])
    assert export_text(alone).startswith("feature_0 is not missing (gain")
    assert "\nfeature_0 is missing\n" in export_text(alone)
    shown = export_dict(alone)
    assert (shown["threshold"], shown["missing"]) == (None, "right")
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert "missing" not in export_dict(DecisionTreeClassifier().fit(X[:4], y[:4]))
    pytest.importorskip("matplotlib").use("agg")
    assert plot_tree(to_left)[0].get_text() == "feature_0 ≤ 2.5\nmissing: left"
    assert plot_tree(alone)[0].get_text() == "feature_0 not missing"


def test_the_fourier_algebra_codes_them():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [NAN, 1.0], [0.0, 1.0]])
    fitted = DecisionTreeClassifier().fit(X, [0, 1, 1, 1])
    assert fitted.tree_.saw_missing.any() or fitted.tree_.feature[0] == 1
    lacking = DecisionTreeClassifier().fit(X[:, :1], [0, 1, 1, 0])
    with pytest.raises(ValueError, match=r"grown with missing values of feature 0, .* ordinal_codes makes one of it"):
        FourierSpectrum.from_tree(lacking.tree_, [2])
    codes = ordinal_codes(lacking)
    np.testing.assert_array_equal(codes.trees[0].apply(codes.transform(X[:, :1])), lacking.apply(X[:, :1]))
    named = DecisionTreeClassifier(categorical_features=[0]).fit(
        np.array([["a"], [None], ["b"]], dtype=object), [0, 1, 0]
    )
    assert ordinal_codes(named).cardinalities.tolist() == [3]


def test_arrays_of_a_tree():
    tree = make_stump(missing_go_to_left=[1, -1, -1])
    assert tree.takes_missing
    assert (tree.missing_go_to_left.tolist(), tree.saw_missing.tolist()) == ([1, 0, 0], [True, False, False])
    assert tree.missing_go_to_left.dtype == np.uint8
    assert tree.predict([[NAN]]).tolist() == [0]
    kept = make_stump(missing_go_to_left=np.array([True, False, False]), saw_missing=[False] * 3)
    assert (kept.missing_go_to_left.tolist(), kept.saw_missing.any()) == ([1, 0, 0], False)
    assert kept != tree
    for one in (tree, kept):
        assert pickle.loads(pickle.dumps(one)) == one


def test_trees_of_earlier_pickles_refuse_missing_values():
    arrays = stump_arrays()
    tree = Tree(*arrays.values(), None, None, None, None)  # what earlier versions pickled
    assert not tree.takes_missing
    assert tree == make_stump(missing_go_to_left=[-1, -1, -1])
    for rows in ([[NAN]], [[NAN]] * 40):
        assert_refuses(ValueError, r"NaN in column 0\. Tree does not accept missing", tree.apply, rows)
    forest = DecisionForestClassifier(2, random_state=0).fit([[0.0], [1.0]], [0, 1])
    forest.estimators_[1].tree_ = tree
    assert_refuses(ValueError, "Tree does not accept missing", forest.predict, [[NAN]] * 40)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"missing_go_to_left": [1, 0]}, "missing_go_to_left has shape"),
        ({"missing_go_to_left": [2, 0, 0]}, "missing_go_to_left holds other numbers than -1 to 1"),
        ({"missing_go_to_left": [257, 0, 0]}, "missing_go_to_left holds other numbers"),
        ({"missing_go_to_left": [0, 1, 0]}, "missing_go_to_left holds 1 at a node without a threshold"),
        ({"missing_go_to_left": ["a", "b", "c"]}, "missing_go_to_left has dtype"),
        ({"missing_go_to_left": [0.5, 0, 0]}, "missing_go_to_left has dtype"),
        ({"saw_missing": [True, False, False]}, "saw_missing says nothing without missing_go_to_left"),
        ({"missing_go_to_left": [1, 0, 0], "saw_missing": [-1, 0, 0]}, "saw_missing holds other numbers than 0 to 1"),
    ],
)
def test_arrays_that_are_refused(changes, message):
    assert_refuses(ValueError, f"Not a tree: {message}", make_stump, **changes)
