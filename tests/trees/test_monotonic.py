"""Monotonic constraints of estimators: their predictions, scikit-learn's trees, and all that is made of a tree."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor
from sklearn.utils._testing import assert_allclose
from support import assert_refuses, examples

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    Tree,
    config_context,
    export_dict,
    export_text,
    from_sklearn,
    merge_redundant,
    to_sklearn,
)
from pytrees.criteria import CountCriterion, gain
from pytrees.fourier import additive_model

ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier("entropy", max_leaf_nodes=15),
    DecisionTreeClassifier("nvi", min_samples_leaf=2),
    DecisionTreeClassifier(max_candidates=3, max_features=2, random_state=0),
    DecisionTreeClassifier(class_weight="balanced", n_jobs=2),
    DecisionTreeClassifier(ccp_alpha=0.01),
    DecisionForestClassifier(5, random_state=0),
    DecisionForestClassifier(5, random_state=0, class_weight={0: 0.3, 1: 0.7}, n_jobs=2),
    OrdinalDecisionTreeClassifier(),
    OrdinalDecisionTreeClassifier("wig", max_leaf_nodes=12),
    OrdinalDecisionForestClassifier(5, random_state=0),
]


def noisy_table(seed, n=120, n_features=3, n_classes=2, missing=0.0):
    """Return X with few values, and classes that rise and fall along its features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, n_features)).astype(float)
    score = X @ rng.normal(size=n_features) + 6.0 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def pairs_along(feature, rng, n_features=3, n_pairs=200):
    """Return random samples, which lack some values, and the same samples with a greater value of one feature."""
    lower = rng.uniform(-1.0, 13.0, (n_pairs, n_features))
    lower[rng.random(lower.shape) < 0.1] = np.nan
    lower[:, feature] = rng.integers(-1, 13, n_pairs)
    higher = lower.copy()
    higher[:, feature] += rng.exponential(4.0, n_pairs)
    return lower, higher


# --------------------------------------------------------------------------------------------------- predictions


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: repr(estimator)[:60])
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_predictions_keep_the_order(engine, estimator, missing):
    for seed in range(3):
        X, y = noisy_table(seed, n=60 if engine == "reference" else 150, missing=missing)
        directions = np.array([[1, -1, 0], [-1, 1, 1], [1, 1, -1]][seed])
        fitted = clone(estimator).set_params(monotonic_cst=directions).fit(X, y)
        rng = np.random.default_rng(seed)
        for feature in np.flatnonzero(directions):
            lower, higher = (fitted.predict_proba(side) for side in pairs_along(feature, rng))
            # Both classes to the last bit: no rounding breaks the order.
            assert np.all(directions[feature] * (higher - lower)[:, 1] >= 0.0)
            assert np.all(directions[feature] * (higher - lower)[:, 0] <= 0.0)
            assert_allclose(lower.sum(axis=1), 1.0)


def test_some_trees_would_break_the_order_and_some_are_clipped():
    n_broken = n_clipped = 0
    for seed in range(10):
        X, y = noisy_table(seed)
        free = DecisionTreeClassifier().fit(X, y)
        lower, higher = (free.predict_proba(side)[:, 1] for side in pairs_along(0, np.random.default_rng(seed)))
        n_broken += bool(np.any(higher < lower))
        tree = DecisionTreeClassifier(monotonic_cst=[1, 0, 0]).fit(X, y).tree_
        n_clipped += bool(np.any(tree.shares != tree.value / tree.value.sum(axis=1, keepdims=True)))
    assert n_broken == 10
    assert n_clipped == 9


@pytest.mark.parametrize("error", ["squared_error", "absolute_error"])
@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeRegressor(),
        DecisionTreeRegressor(max_leaf_nodes=15),
        DecisionTreeRegressor(min_samples_leaf=3, ccp_alpha=1e-4, n_jobs=2),
        DecisionForestRegressor(5, random_state=0, n_jobs=2),
    ],
    ids=lambda estimator: repr(estimator)[:60],
)
def test_numbers_keep_the_order(engine, estimator, error):
    n_broken = 0
    for seed, missing in ((0, 0.0), (1, 0.15), (2, 0.0)):
        n = 60 if engine == "reference" else 150
        X, y = noisy_table(seed, n=n, n_classes=9, missing=missing)
        # Targets on a grid of decimals, on a binary grid, and far from zero.
        y = [y / 10.0, np.sin(y + 0.1 * np.arange(n)), 1e9 + y / 3.0][seed]
        directions = np.array([[1, -1, 0], [-1, 1, 1], [1, 1, -1]][seed])
        fitted = clone(estimator).set_params(monotonic_cst=directions, criterion=error).fit(X, y)
        free = clone(estimator).set_params(criterion=error).fit(X, y)
        for feature in np.flatnonzero(directions):
            pairs = pairs_along(feature, np.random.default_rng(seed))
            lower, higher = (fitted.predict(side) for side in pairs)
            assert np.all(directions[feature] * (higher - lower) >= 0.0)
            lower, higher = (free.predict(side) for side in pairs)
            n_broken += bool(np.any(directions[feature] * (higher - lower) < 0.0))
    assert n_broken > 4


@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize("weighted", [None, "whole", "real"])
def test_expected_scores_of_ordered_classes_keep_the_order(engine, forest, weighted):
    for seed, criterion in enumerate(["ogini", "ranking", "gini"]):
        X, y = noisy_table(seed, n=60 if engine == "reference" else 150, n_classes=4)
        rng = np.random.default_rng(seed)
        weights = {None: None, "whole": rng.integers(1, 4, len(X)), "real": rng.random(len(X)) + 0.1}[weighted]
        kind = OrdinalDecisionForestClassifier(5, random_state=0) if forest else OrdinalDecisionTreeClassifier()
        fitted = kind.set_params(criterion=criterion, monotonic_cst=[1, -1, 0]).fit(X, y, sample_weight=weights)
        for feature, direction in ((0, 1), (1, -1)):
            lower, higher = (fitted.predict_expected_score(side) for side in pairs_along(feature, rng))
            assert np.all(direction * (higher - lower) >= -1e-14)
        # Ties of expected scores are rounded: this rule has a tolerance.
        fitted.set_params(predict_rule="expected")
        lower, higher = (fitted.predict(side) for side in pairs_along(0, rng))
        assert np.all(higher >= lower)


def test_a_clipped_leaf_by_hand(engine):
    """The root's cut at 1.5 has shares 1/2 and 2/3, whose mean 7/12 bounds the leaves: on the left, 1 becomes 7/12."""
    X = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 0], [2, 1]]
    y = [0, 1, 0, 1, 1, 0, 1]
    constrained = DecisionTreeClassifier(monotonic_cst=[1, 0], max_features=1)
    for seed in range(20):
        constrained.set_params(random_state=seed).fit(X, y)
        if constrained.tree_.feature[0] == 0 and constrained.tree_.threshold[0] == 1.5:
            break
    np.testing.assert_array_equal(constrained.predict_proba([[0, 1]]), [[5 / 12, 7 / 12]])
    assert constrained.tree_.value[constrained.apply([[0, 1]])[0]].tolist() in ([0.0, 2.0], [0.0, 1.0])
    assert constrained.predict([[0, 1]]) == [1]


def test_expected_scores_are_raised_from_class_to_class(engine):
    """Classes 0 and 2 on the left, 1 and 3 on the right: scores of the leaves 0, 2, 1 and 3, and the bound 3/2."""
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [20, 20, 30, 20], axis=0)
    y = np.repeat([0, 2, 1, 3], [20, 20, 30, 20])
    tree = OrdinalDecisionTreeClassifier(monotonic_cst=[1, 0], max_features=1)
    for seed in range(30):
        tree.set_params(random_state=seed).fit(X, y)
        if tree.tree_.feature[0] == 0:
            break
    # The children's scores are 1 and 9/5, so that the bound is 7/5.
    assert_allclose(tree.predict_proba([[0, 0], [0, 1]]), [[1, 0, 0, 0], [0, 0.6, 0.4, 0]])
    assert_allclose(tree.predict_proba([[1, 0], [1, 1]]), [[0, 0.6, 0.4, 0], [0, 0, 0, 1]])
    assert_allclose(tree.predict_expected_score([[0, 1], [1, 0]]), 1.4)


# -------------------------------------------------------------------------------------------- scikit-learn's trees


@st.composite
def tables_without_ties(draw):
    """X of different values, some missing, two classes, and weights whose sums hardly tie."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_features = draw(st.integers(10, 200)), draw(st.integers(1, 4))
    X = rng.permuted(np.tile(np.arange(n, dtype=float)[:, np.newaxis], (1, n_features)), axis=0)
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(rng.choice([-4.0, 4.0]) * (X[:, 0] / n - 0.5)))).astype(int)
    y[:2] = 0, 1
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return X, y, rng.integers(1, 1000, n), rng.integers(-1, 2, n_features)


@examples(150)
@given(table=tables_without_ties(), max_leaf_nodes=st.none() | st.integers(2, 20), min_samples_leaf=st.integers(1, 8))
def test_trees_are_those_of_scikit_learn(table, max_leaf_nodes, min_samples_leaf):
    X, y, weights, directions = table
    limits = {"max_leaf_nodes": max_leaf_nodes, "min_samples_leaf": min_samples_leaf, "monotonic_cst": directions}
    ours = DecisionTreeClassifier(**limits).fit(X, y, sample_weight=weights)
    theirs = SklearnTree(**limits, random_state=0).fit(X, y, sample_weight=weights)
    nodes = Tree.from_sklearn(theirs)
    n = min(nodes.node_count, ours.tree_.node_count)
    differ = np.flatnonzero(
        (nodes.feature[:n] != ours.tree_.feature[:n]) | (nodes.threshold[:n] != ours.tree_.threshold[:n])
    )
    if differ.size == 0:
        assert nodes.node_count == ours.tree_.node_count
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
        return
    # The first node that differs, of the same samples in both trees, has splits that gain as much.
    if max_leaf_nodes is None:
        node = int(differ[0])
        assert gain_of_split(ours.tree_, node, X, y, weights) == pytest.approx(
            gain_of_split(nodes, node, X, y, weights, rows=samples_of(ours.tree_, node, X)), abs=1e-12
        )


@examples(100)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 200), limits=st.sampled_from([{}, {"max_leaf_nodes": 12}]))
def test_trees_of_numbers_are_those_of_scikit_learn(seed, n, limits):
    rng = np.random.default_rng(seed)
    X = rng.permuted(np.tile(np.arange(n, dtype=float)[:, np.newaxis], (1, 2)), axis=0)
    y, directions = X[:, 0] / n * rng.choice([-1, 1]) + rng.normal(size=n), rng.integers(-1, 2, 2)
    limits = limits | {"min_samples_leaf": 3, "monotonic_cst": directions}
    ours = DecisionTreeRegressor(**limits).fit(X, y)
    theirs = SklearnRegressor(**limits, random_state=0).fit(X, y)
    assert ours.tree_.node_count == theirs.tree_.node_count
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)


def samples_of(tree, node, X):
    return np.asarray(tree.decision_path(X)[:, [node]].todense()).ravel() > 0


def gain_of_split(tree, node, X, y, weights, rows=None):
    rows = samples_of(tree, node, X) if rows is None else rows
    if tree.feature[node] < 0:
        return 0.0
    values = X[rows, tree.feature[node]]
    left = np.where(np.isnan(values), tree.missing_go_to_left[node] == 1, values <= tree.threshold[node])
    sides = (np.bincount(y[rows][side], weights[rows][side], 2).astype(int) for side in (left, ~left))
    return gain("gini", *sides)


# ---------------------------------------------------------------------------------------------------- parameters


class Own(CountCriterion):
    """Gini impurity."""

    def gains(self, left, right):
        return gain("gini", left, right)


def test_a_criterion_of_your_own_keeps_constraints(engine):
    X, y = noisy_table(0, n=50)
    own, known = (DecisionTreeClassifier(c, monotonic_cst=[1, -1, 0], max_depth=4).fit(X, y) for c in (Own(), "gini"))
    np.testing.assert_array_equal(own.tree_.feature, known.tree_.feature)
    np.testing.assert_array_equal(own.tree_.shares, known.tree_.shares)


@pytest.mark.parametrize(
    "estimator",
    [ESTIMATORS[0], ESTIMATORS[6], ESTIMATORS[8], ESTIMATORS[10], DecisionTreeRegressor(), DecisionForestRegressor(2)],
    ids=repr,
)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 0], "monotonic_cst has shape 2 but the input data X has 3 features"),
        ([1, 0, 2], r"monotonic_cst must be None or an array-like of -1, 0 or 1.*got \[1, 0, 2\]"),
        ([1, 0, 0.8], "got .*0.8"),
        ([None, 0, 1], "got .None, 0, 1"),
        ([2**70, 0, 1], "got .1180591620717411303424"),
        ([[1, 0, 1]], "must have one dimension"),
        ({"a": 1}, "was not fitted on data with feature names"),
    ],
)
def test_bad_constraints_are_refused(engine, estimator, given, message):
    assert_refuses(ValueError, message, clone(estimator).set_params(monotonic_cst=given).fit, *noisy_table(0, n=20))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"z": 1, "a": 0}, "contains 1 unexpected feature names: 'z'"),
        (dict.fromkeys("stuvwxyz", 1), "8 unexpected feature names: 's', 't', 'u', 'v', 'w' and 3 more"),
        ({"a": 3}, r"monotonic_cst\['a'\] must be either -1, 0 or 1, got 3"),
    ],
)
def test_bad_names_are_refused(given, message):
    X, y = noisy_table(0, n=20)
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(monotonic_cst=given).fit(pd.DataFrame(X, columns=list("abc")), y)


def test_names_stand_for_features(engine):
    X, y = noisy_table(1, n=40)
    frame = pd.DataFrame(X, columns=list("abc"))
    by_name = DecisionTreeClassifier(monotonic_cst={"c": 1, "a": -1}).fit(frame, y)
    assert by_name.tree_ == DecisionTreeClassifier(monotonic_cst=[-1, 0, 1]).fit(X, y).tree_
    assert to_sklearn(by_name).monotonic_cst == [-1, 0, 1]


def test_classes_criteria_and_categories_without_order_are_refused(engine):
    X, y = noisy_table(0, n=30, n_classes=3)
    for estimator in (DecisionTreeClassifier(), DecisionForestClassifier(2)):
        with pytest.raises(ValueError, match=r"multiclass classification: y has 3 classes\. Ordinal"):
            estimator.set_params(monotonic_cst=[1, 0, 0]).fit(X, y)
        assert estimator.set_params(monotonic_cst=[0, 0, 0]).fit(X, y).n_classes_ == 3
        with pytest.raises(ValueError, match="criterion='etc': it judges the sequence"):
            estimator.set_params(monotonic_cst=[1, 0, 0], criterion="etc").fit(X, y > 0)
        with pytest.raises(ValueError, match=r"constrains column 1, which is categorical"):
            estimator.set_params(monotonic_cst=[0, 1, 0], criterion="gini", categorical_features=[1]).fit(X, y > 0)
        estimator.set_params(monotonic_cst=[1, 0, 0]).fit(X, y > 0)


def test_ordered_categories_of_pandas_have_directions(engine):
    rng = np.random.default_rng(0)
    sizes = pd.Categorical(rng.choice(["small", "medium", "large"], 60), ["small", "medium", "large"], ordered=True)
    frame = pd.DataFrame({"size": sizes, "kind": pd.Categorical(rng.choice(list("xy"), 60))})
    y = (sizes.codes + rng.normal(size=60) > 1).astype(int)
    tree = DecisionTreeClassifier(categorical_features="from_dtype", monotonic_cst={"size": -1}).fit(frame, y)
    for kind in "xy":
        rows = pd.DataFrame(
            {"size": pd.Categorical(sizes.categories, sizes.categories, ordered=True), "kind": [kind] * 3}
        )
        assert np.all(np.diff(tree.predict_proba(rows)[:, 1]) <= 0.0)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("model", [DecisionTreeClassifier(), DecisionTreeRegressor("absolute_error")], ids=repr)
def test_the_cut_before_the_missing_values_keeps_the_constraint(engine, model, direction):
    model = clone(model).set_params(monotonic_cst=[direction])
    X = [[0.0], [1.0], [np.nan], [np.nan]]
    assert np.isinf(model.fit(X, [0, 0, 1, 1]).tree_.threshold[0]) == (direction == 1)
    assert np.isinf(model.fit(X, [1, 1, 0, 0]).tree_.threshold[0]) == (direction == -1)


def test_data_against_the_constraint_leave_one_leaf(engine):
    X = np.arange(10.0)[:, np.newaxis]
    tree = DecisionTreeClassifier(monotonic_cst=[-1]).fit(X, X[:, 0] > 4)
    assert tree.tree_.node_count == 1


# ------------------------------------------------------------------------------------------------ made of trees


@pytest.fixture
def clipped():
    X, y = noisy_table(0)
    tree = DecisionTreeClassifier(monotonic_cst=[1, -1, 0]).fit(X, y)
    assert np.any(tree.tree_.majority != tree.tree_.value.argmax(axis=1))
    return tree


def test_trees_tell_counts_and_what_they_predict(clipped):
    tree, X = clipped.tree_, noisy_table(0)[0]
    np.testing.assert_array_equal(tree.value[0], np.bincount(noisy_table(0)[1]))
    np.testing.assert_array_equal(tree.shares[tree.apply(X)], clipped.predict_proba(X))
    np.testing.assert_array_equal(tree.majority, tree.shares.argmax(axis=1))
    np.testing.assert_array_equal(clipped.predict(X), tree.predict(X))
    np.testing.assert_array_equal(tree.shares_at([3, 1]), tree.shares[[3, 1]])
    np.testing.assert_array_equal(tree.majority_at([3, 1]), tree.majority[[3, 1]])


def test_trees_of_other_shares_are_not_equal(clipped):
    tree = clipped.tree_
    free = Tree(*tree._arguments()[:-3])
    assert tree != free
    assert free == Tree(*free._arguments()[:-3], free.shares)
    assert hash(tree) == hash(free)
    assert tree == pickle.loads(pickle.dumps(tree))


def test_dicts_keep_shares(clipped):
    exported = json.loads(json.dumps(export_dict(clipped)))
    assert Tree.from_dict(exported) == clipped.tree_
    assert "shares" not in export_dict(DecisionTreeClassifier().fit(*noisy_table(0)))
    for wrong in ([0.5], ["a", "b"], 3, [0.7, 0.7], [-0.5, 1.5]):
        assert_refuses(ValueError, r"Not an? (exported )?tree", Tree.from_dict, exported | {"shares": wrong})


@pytest.mark.parametrize("wrong", [np.ones((1, 2)), np.array([[1.0, 0.0]] * 3 + [[np.nan, 1.0]])])
def test_shares_are_checked(wrong):
    tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1]).tree_
    assert_refuses(ValueError, "Not a tree: shares has shape", Tree, *tree._arguments()[:-3], wrong)
    with pytest.raises(ValueError, match="must not be negative, and add up to 1"):
        Tree(*tree._arguments()[:-3], np.full((3, 2), 0.4))


def test_converted_trees_predict_the_same(clipped):
    X, _ = noisy_table(0)
    theirs = clipped.to_sklearn()
    np.testing.assert_array_equal(theirs.predict_proba(X), clipped.predict_proba(X))
    assert_allclose(theirs.tree_.impurity, clipped.tree_.impurity, atol=1e-15)
    np.testing.assert_array_equal(theirs.monotonic_cst, [1, -1, 0])
    assert_allclose(from_sklearn(theirs).predict_proba(X), clipped.predict_proba(X), rtol=1e-15)
    forest = DecisionForestClassifier(4, monotonic_cst=[1, -1, 0], random_state=0).fit(*noisy_table(0))
    np.testing.assert_array_equal(forest.to_sklearn().predict_proba(X), forest.predict_proba(X))
    ordinal = OrdinalDecisionTreeClassifier(monotonic_cst=[1, 0, 0]).fit(*noisy_table(2, n_classes=4))
    assert ordinal.to_sklearn().monotonic_cst is None
    np.testing.assert_array_equal(ordinal.to_sklearn().predict_proba(X), ordinal.predict_proba(X))


def test_pruned_trees_keep_the_order(engine):
    X, y = noisy_table(3, n=80)
    tree = DecisionTreeClassifier(monotonic_cst=[1, -1, 0])
    alphas = tree.cost_complexity_pruning_path(X, y).ccp_alphas
    for alpha in alphas[:: max(1, len(alphas) // 5)]:
        pruned = clone(tree).set_params(ccp_alpha=alpha).fit(X, y)
        lower, higher = (pruned.predict_proba(side)[:, 1] for side in pairs_along(0, np.random.default_rng(0)))
        assert np.all(higher >= lower)
    assert pruned.tree_.node_count < tree.fit(X, y).tree_.node_count


def test_merged_trees_predict_the_same_classes(clipped):
    X, _ = noisy_table(0)
    merged = merge_redundant(clipped)
    assert merged.node_count < clipped.tree_.node_count
    np.testing.assert_array_equal(merged.predict(X), clipped.predict(X))
    lower, higher = (
        merged.shares[merged.apply(np.nan_to_num(side))][:, 1] for side in pairs_along(0, np.random.default_rng(0))
    )
    assert np.all(higher >= lower)


def test_the_algebra_takes_what_trees_predict(clipped):
    X, _ = noisy_table(0)
    model = additive_model(clipped)
    assert_allclose(np.ravel(model.evaluate(X)), clipped.predict_proba(X)[:, 1])


def test_text_shows_what_nodes_predict(clipped):
    labels = export_text(clipped).count("class 1")
    is_leaf = clipped.tree_.children_left < 0
    assert labels == np.count_nonzero(clipped.tree_.majority[is_leaf] == 1)


def test_both_engines_predict_the_same_shares():
    for n_classes, weights in ((2, None), (2, "real"), (4, None), (4, "real")):
        X, y = noisy_table(5, n=50, n_classes=n_classes)
        weight = None if weights is None else np.random.default_rng(0).random(len(X)) + 0.1
        trees = []
        for name in ("compiled", "reference"):
            with config_context(engine=name):
                kind = OrdinalDecisionTreeClassifier(monotonic_cst=[1, -1, 0])
                trees.append(kind.fit(X, y, sample_weight=weight).tree_)
        assert trees[0] == trees[1]
        np.testing.assert_array_equal(trees[0].shares, trees[1].shares)
