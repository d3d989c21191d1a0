"""Categorical features in every tree and forest: from a user's table to predictions, on both engines."""

import pickle

import numpy as np
import pandas as pd
import pytest
from samples import trees_of
from sklearn import config_context as sklearn_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from support import assert_refuses, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees._tree_checks import LEAF, MULTIWAY

# Trees with a child for every category; those of two sets are in test_category_sets.py. Forests have two sets.
IN_MANY = {"categorical_split": "multiway"}
TREES = [
    DecisionTreeClassifier(**IN_MANY),
    DecisionTreeClassifier("entropy", max_leaf_nodes=9, **IN_MANY),
    PermutationDecisionTreeClassifier(),
    OrdinalDecisionTreeClassifier(**IN_MANY),
    OrdinalDecisionTreeClassifier(predict_rule="expected", **IN_MANY),
    ID3Classifier(),
    ID3Classifier("jaccard", evaluation="global"),
    ID3Classifier("nvi", evaluation="glocal", max_leaf_nodes=9),
]
FORESTS = [
    DecisionForestClassifier(5, random_state=0),
    DecisionForestClassifier(5, criterion="etc", max_features=None, random_state=0),
    DecisionForestClassifier(5, criterion="lz76", max_features=None, random_state=0),
    PermutationDecisionForestClassifier(5, random_state=0),
    OrdinalDecisionForestClassifier(5, predict_rule="median", random_state=0),
    ID3ForestClassifier(5, max_features="sqrt", random_state=0),
    ID3ForestClassifier(5, distance="accuracy", evaluation="global", random_state=0),
]
every_estimator = pytest.mark.parametrize("estimator", TREES + FORESTS, ids=repr)
every_tree = pytest.mark.parametrize("estimator", TREES, ids=repr)
every_forest = pytest.mark.parametrize("estimator", FORESTS, ids=repr)


def make(estimator, **parameters):
    return clone(estimator).set_params(**parameters)


def all_trees(estimator):
    return trees_of(estimator) if hasattr(estimator, "estimators_") else [estimator.tree_]


def make_frame(n_rows=40, seed=0):
    """Two categorical columns and a numeric one, and classes that follow from them."""
    rng = np.random.default_rng(seed)
    colour, size = rng.integers(0, 4, n_rows), rng.integers(1, 4, n_rows)
    weight = rng.integers(0, 12, n_rows) / 4.0
    y = 2 * (colour == 2) + (size == 1) * (weight > 1.0) + (colour == 1) * (size == 3)
    frame = pd.DataFrame({"colour": np.array(["blue", "green", "red", "white"], dtype=object)[colour]})
    return frame.assign(weight=weight, size=size), y.astype(int)


@pytest.fixture
def data():
    return make_frame()


CATEGORICAL = ["colour", "size"]


@every_tree
def test_one_categorical_column_gives_its_table_of_class_counts(engine, estimator):
    X, y = make_frame(60)
    fitted = make(estimator, categorical_features="from_dtype", max_depth=5).fit(X[["colour"]].astype("category"), y)
    table = pd.crosstab(X["colour"], y).to_numpy()
    tree = fitted.tree_
    assert tree.children_left.tolist() == [MULTIWAY, LEAF, LEAF, LEAF, LEAF]
    np.testing.assert_array_equal(tree.value, np.vstack([table.sum(axis=0), table]))
    given_names = pd.DataFrame({"colour": pd.Categorical(["white", "blue", "red", "green"])})
    assert fitted.apply(given_names).tolist() == [4, 1, 3, 2]
    np.testing.assert_allclose(
        fitted.predict_proba(given_names), (table / table.sum(axis=1, keepdims=True))[[3, 0, 2, 1]]
    )


@every_estimator
def test_all_ways_to_name_categorical_features_agree(estimator, data):
    X, y = data
    expected = make(estimator, categorical_features=CATEGORICAL).fit(X, y)
    assert any(tree.is_multiway for tree in all_trees(expected))
    assert expected.is_categorical_.tolist() == [True, False, True]
    colours, sizes = expected.categories_
    assert (colours.tolist(), sizes.tolist()) == (["blue", "green", "red", "white"], [1, 2, 3])
    by_dtype = X.astype({"colour": "category", "size": "category"})
    codes = X.assign(colour=X["colour"].map({"blue": 0, "green": 1, "red": 2, "white": 3}))
    for other, categorical_features in (
        (X, [True, False, True]),
        (X, [2, 0]),
        (by_dtype, "from_dtype"),
        (by_dtype, CATEGORICAL),
        (X.to_numpy(), [0, 2]),
        (X.to_numpy().tolist(), [0, 2]),
        (codes, [0, 2]),
        (codes.to_numpy(dtype=float), [0, 2]),
        (X.assign(colour=X["colour"].astype("string"), size=X["size"] * 1.5), CATEGORICAL),
    ):
        fitted = make(estimator, categorical_features=categorical_features).fit(other, y)
        assert all_trees(fitted) == all_trees(expected)
        np.testing.assert_array_equal(fitted.encode(other), expected.encode(X))
        np.testing.assert_array_equal(fitted.apply(other), expected.apply(X))
        np.testing.assert_array_equal(fitted.predict(other), expected.predict(X))


@every_estimator
def test_renaming_categories_in_the_same_order_changes_nothing(estimator, data):
    X, y = data
    expected = make(estimator, categorical_features=CATEGORICAL).fit(X, y)
    names = {"blue": "a", "green": "aa", "red": "b", "white": "é"}
    renamed = X.replace({"colour": names, "size": {1: -3, 2: 0, 3: 99}})
    fitted = make(estimator, categorical_features=CATEGORICAL).fit(renamed, y)
    assert all_trees(fitted) == all_trees(expected)
    np.testing.assert_array_equal(fitted.predict(renamed), expected.predict(X))


@every_estimator
def test_two_categories_are_split_as_numbers_are(engine, estimator):
    X = np.random.default_rng(0).integers(0, 2, (40, 5))
    y = X[:, 0] + X[:, 1] * X[:, 2]
    numeric = make(estimator).fit(X, y)
    categorical = make(estimator, categorical_features=[0, 2, 4]).fit(X, y)
    for tree, other in zip(all_trees(categorical), all_trees(numeric), strict=True):
        for name in ("feature", "value", "gain", "n_node_samples", "children", "child_offsets"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)
    for method in ("predict", "predict_proba", "apply", "feature_usage"):
        if hasattr(numeric, method):
            np.testing.assert_array_equal(getattr(categorical, method)(X), getattr(numeric, method)(X), err_msg=method)
    np.testing.assert_array_equal(categorical.feature_importances_, numeric.feature_importances_)


@every_estimator
def test_both_engines_grow_the_same(estimator):
    for seed in range(3):
        X, y = make_frame(30, seed)
        compiled, reference = on_both_engines(make(estimator, categorical_features=CATEGORICAL).fit, X, y)
        assert all_trees(compiled) == all_trees(reference)


@every_forest
def test_forests_are_the_same_for_every_number_of_jobs(engine, estimator, data):
    X, y = data
    one, two = (make(estimator, categorical_features=CATEGORICAL, n_jobs=n).fit(X, y) for n in (1, 2))
    assert trees_of(one) == trees_of(two)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    for member in one.estimators_:
        assert [categories.tolist() for categories in member.categories_] == [list(one.categories_[0]), [1, 2, 3]]
        np.testing.assert_array_equal(member.apply(X), member.tree_.apply(one.encode(X)))


def leaves_of(estimator, X):
    leaves = estimator.apply(X)
    return leaves if leaves.ndim == 2 else leaves[:, None]


@every_estimator
def test_unknown_values_are_refused_or_stay_at_their_node(engine, estimator, data):
    X, y = data
    fitted = make(estimator, categorical_features=CATEGORICAL).fit(X, y)
    known = fitted.predict(X)
    unknown = X.assign(colour=["mauve", *X["colour"][1:]], size=[*X["size"][:-1], 7])
    for method in ("predict", "predict_proba", "predict_log_proba", "apply", "decision_path", "encode"):
        with pytest.raises(ValueError, match=r"unknown categories in column 0 \('colour'\), .*: 'mauve'"):
            getattr(fitted, method)(unknown)
    fitted.set_params(handle_unknown="majority")
    codes = fitted.encode(unknown)
    assert (codes[0, 0], codes[-1, 2]) == (-1.0, -1.0)
    for tree, leaves in zip(all_trees(fitted), leaves_of(fitted, unknown).T, strict=True):
        for row in (0, len(X) - 1):
            node, feature = leaves[row], tree.feature[leaves[row]]
            assert tree.children_left[node] == LEAF or codes[row, feature] == -1.0
        np.testing.assert_array_equal(tree.apply(codes), leaves)
    np.testing.assert_array_equal(fitted.predict(unknown)[1:-1], known[1:-1])


@every_tree
def test_a_sample_of_an_unknown_category_stays_and_gets_the_majority(engine, estimator):
    X, y = [["a"]] * 3 + [["b"]] * 4 + [["c"]] * 2, [0, 0, 0, 2, 2, 2, 2, 1, 1]
    fitted = make(estimator, categorical_features=[0], handle_unknown="majority").fit(X, y)
    assert fitted.predict([["a"], ["b"], ["c"]]).tolist() == [0, 2, 1]
    is_mean = getattr(fitted, "predict_rule", "mode") == "expected"
    assert fitted.apply([["d"]]).tolist() == [0]
    assert fitted.predict([["d"]]).tolist() == [1 if is_mean else 2]
    np.testing.assert_allclose(fitted.predict_proba([["d"]]), [[3 / 9, 2 / 9, 4 / 9]])
    assert fitted.decision_path([["d"]]).toarray().tolist() == [[1, 0, 0, 0]]
    assert fitted.feature_usage([["d"]]).tolist() == [1]


@pytest.mark.parametrize("handle_unknown", ["error", "majority"])
@pytest.mark.parametrize("estimator", [DecisionTreeClassifier("entropy", **IN_MANY), ID3Classifier()], ids=repr)
def test_samples_stay_at_nodes_that_have_not_seen_their_category(engine, estimator, handle_unknown):
    X = [["x", "a"], ["x", "b"], ["x", "b"], ["y", "c"], ["y", "c"], ["y", "c"], ["z", "a"], ["z", "b"]]
    y = [0, 1, 1, 2, 2, 2, 3, 3]
    fitted = make(estimator, categorical_features=[0, 1], handle_unknown=handle_unknown).fit(X, y)
    x, y_child, _ = fitted.tree_.children_of(0).tolist()
    assert fitted.tree_.feature[[0, x, y_child]].tolist() == [0, 1, -2]
    assert fitted.apply([["x", "c"], ["y", "a"]]).tolist() == [x, y_child]
    assert fitted.predict([["x", "a"], ["x", "b"], ["x", "c"], ["y", "a"]]).tolist() == [0, 1, 1, 2]


@every_tree
def test_scikit_learns_tree_predicts_the_same(engine, estimator):
    X, y = make_frame(60)
    fitted = make(estimator, categorical_features=CATEGORICAL, handle_unknown="majority").fit(X[:45], y[:45])
    rows = pd.concat([X, X[:2].assign(colour="mauve"), X[:2].assign(size=0)])
    codes = fitted.encode(rows)
    theirs = fitted.tree_.to_sklearn(fitted.classes_)
    np.testing.assert_array_equal(theirs.predict(codes), fitted.classes_[fitted.tree_.predict(codes)])
    np.testing.assert_allclose(theirs.predict_proba(codes), fitted.predict_proba(rows))


def predict_after(fitted, X, n_splits):
    """Return the predictions of the tree of the first splits: samples stay at nodes that are split later."""
    labels, paths = fitted.classes_[fitted.node_labels_], fitted.decision_path(X)
    reached = []
    for row in range(len(X)):
        nodes = np.sort(paths[row].indices)
        later = [node for node in nodes if fitted.split_steps_[node] >= n_splits]
        reached.append(later[0] if later else nodes[-1])
    return labels[reached]


def test_stages_predict_as_trees_of_fewer_splits(engine, data):
    X, y = data
    others = X.assign(colour=[*X["colour"][:-5], *["mauve"] * 5])
    for evaluation in ("local", "global"):
        fitted = ID3Classifier(evaluation=evaluation, categorical_features=CATEGORICAL, handle_unknown="majority")
        fitted.fit(X, y)
        *_, last = stages = list(fitted.staged_predict(others))
        np.testing.assert_array_equal(last, fitted.predict(others))
        assert len(stages) == np.count_nonzero(fitted.tree_.feature >= 0) + 1 == len(fitted.distance_path_)
        assert set(stages[0]) == {fitted.classes_[fitted.node_labels_[0]]}
        for n_splits, stage in enumerate(stages):
            np.testing.assert_array_equal(stage, predict_after(fitted, others, n_splits))


def test_staged_predictions_of_numbers_and_categories(engine):
    X, y = make_frame(30, seed=4)
    fitted = ID3Classifier(categorical_features=["colour"]).fit(X, y)
    assert set(np.unique(fitted.tree_.children_left < 0)) == {True, False}
    *_, last = fitted.staged_predict(X)
    np.testing.assert_array_equal(last, fitted.predict(X))
    assert fitted.is_consistent_ == (fitted.score(X, y) == 1.0)


def test_mts_takes_no_categories(data):
    assert_refuses(ValueError, "distance='mts'", ID3Classifier("mts", categorical_features=CATEGORICAL).fit, *data)


def test_distinct_trees_tell_categories_apart(engine):
    X = pd.DataFrame({"a": list("xxyyzz"), "b": list("uvuvuv")})
    y = np.array([0, 0, 1, 1, 2, 2])
    forest = PermutationDecisionForestClassifier(
        12, criterion="gini", max_features=1, bootstrap=True, categorical_features=["a", "b"], random_state=0
    ).fit(X, y)
    distinct = forest.distinct_trees()
    assert sum(one.count for one in distinct) == 12
    assert len(distinct) > 2
    rows = pd.DataFrame([[a, b] for a in "xyz" for b in "uv"], columns=["a", "b"])
    ways = {tuple(one.tree.apply(forest.encode(rows))) for one in distinct}
    for one in distinct:
        for i in one.members:
            np.testing.assert_array_equal(
                forest.estimators_[i].tree_.predict(forest.encode(rows)), one.tree.predict(forest.encode(rows))
            )
    assert len(ways) > 1
    assert all(one.feature_usage.shape == (2,) for one in forest.distinct_trees(rows))


@every_estimator
def test_pickling_and_cloning(engine, estimator, data):
    X, y = data
    fitted = make(estimator, categorical_features=CATEGORICAL, handle_unknown="majority").fit(X, y)
    unknown = X.assign(colour="mauve")
    for loaded in (pickle.loads(pickle.dumps(fitted)), fitted):
        np.testing.assert_array_equal(loaded.predict_proba(unknown), fitted.predict_proba(unknown))
        assert all_trees(loaded) == all_trees(fitted)
    copy = clone(fitted)
    assert copy.categorical_features == CATEGORICAL
    assert not hasattr(copy, "categories_")
    assert_refuses(NotFittedError, None, copy.encode, X)


@every_estimator
def test_a_failing_refit_changes_nothing_and_another_forgets_categories(engine, estimator, data):
    X, y = data
    fitted = make(estimator, categorical_features=CATEGORICAL).fit(X, y)
    before, trees = fitted.predict(X), all_trees(fitted)
    for X_refused, message in ((X.assign(size=[np.inf] * len(X)), "infinity"), (X[["colour", "weight"]], "'size'")):
        assert_refuses(ValueError, message, fitted.fit, X_refused, y)
        assert all_trees(fitted) == trees
        np.testing.assert_array_equal(fitted.predict(X), before)
    assert_refuses(ValueError, "inconsistent numbers of samples", fitted.fit, X[1:].assign(colour="white"), y)
    np.testing.assert_array_equal(fitted.predict(X), before)
    fitted.set_params(categorical_features=None).fit(X[["weight"]], X["weight"] > 1.0)
    assert (fitted.is_categorical_, fitted.categories_) == (None, [])
    np.testing.assert_array_equal(fitted.encode(X[["weight"]]), X[["weight"]])
    assert not any(tree.is_multiway for tree in all_trees(fitted))


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(), ID3Classifier(), *FORESTS[:1]], ids=repr)
def test_samples_of_weight_zero_are_ignored(engine, estimator, data):
    X, y = data
    estimator = make(estimator, categorical_features=CATEGORICAL, handle_unknown="error")
    if hasattr(estimator, "bootstrap"):
        estimator.set_params(bootstrap=False)
    weights = np.where(X["colour"] == "green", 0.0, 1.0)
    fitted = clone(estimator).fit(X, y, sample_weight=weights)
    expected = clone(estimator).fit(X[weights > 0], y[weights > 0])
    assert all_trees(fitted) == all_trees(expected)
    assert fitted.categories_[0].tolist() == ["blue", "red", "white"]
    np.testing.assert_array_equal(fitted.encode(X[weights > 0]), expected.encode(X[weights > 0]))
    assert_refuses(ValueError, "'green'", fitted.predict, X)
    absent = clone(estimator).set_params(class_weight={0: 1, 1: 0, 2: 1, 3: 1}).fit(X, y)
    assert all_trees(absent)[0].value[0, 1] == 0.0


def test_out_of_bag_samples_of_unknown_values(engine, data):
    X, y = data
    weights = np.where(X["colour"] == "green", 0.0, 1.0)
    forest = DecisionForestClassifier(30, oob_score=True, categorical_features=CATEGORICAL, random_state=0)
    forest.fit(X, y, sample_weight=weights)
    forest.set_params(handle_unknown="majority")
    green = np.flatnonzero(weights == 0.0)
    np.testing.assert_allclose(forest.oob_decision_function_[green], forest.predict_proba(X.iloc[green]))


def test_order_and_weights(engine, data):
    X, y = data
    order = np.random.default_rng(0).permutation(len(X))
    expected = PermutationDecisionTreeClassifier(categorical_features=CATEGORICAL)
    expected.fit(X.iloc[np.argsort(order)], y[np.argsort(order)])
    fitted = clone(expected).fit(X, y, order=order)
    assert fitted.tree_ == expected.tree_
    repeats = np.random.default_rng(1).integers(1, 4, len(X))
    weighted = DecisionTreeClassifier("entropy", categorical_features=CATEGORICAL).fit(X, y, sample_weight=repeats)
    repeated = clone(weighted).fit(X.iloc[np.repeat(np.arange(len(X)), repeats)], np.repeat(y, repeats))
    for name in ("feature", "value", "gain", "category"):
        np.testing.assert_array_equal(getattr(weighted.tree_, name), getattr(repeated.tree_, name))
    with sklearn_config(enable_metadata_routing=True):
        routed = clone(expected).set_fit_request(order=True)
        pipeline = make_pipeline(FunctionTransformer(), routed).fit(X, y, order=order)
    assert pipeline[-1].tree_ == expected.tree_


def test_searches_and_cross_validation(data):
    X, y = data
    tree = DecisionTreeClassifier(categorical_features="from_dtype", handle_unknown="majority")
    X, y = X.astype({"colour": "category"}), y > 0
    assert cross_val_score(tree, X, y).shape == (5,)
    search = GridSearchCV(tree, {"categorical_features": [["colour"], ["colour", "size"]], "max_depth": [1, None]})
    assert search.fit(X, y).best_estimator_.is_categorical_[0]


@every_estimator
def test_parameters_and_tags(estimator, data):
    for parameters in (
        {"categorical_features": "colour"},
        {"categorical_features": 3},
        {"handle_unknown": "ignore"},
        {"handle_unknown": None},
    ):
        (name,) = parameters
        with pytest.raises(ValueError, match=f"The '{name}' parameter of {type(estimator).__name__} must be"):
            make(estimator, **parameters).fit(*data)
    tags = [make(estimator, **given).__sklearn_tags__().input_tags for given in ({}, {"categorical_features": [0]})]
    assert [(tag.categorical, tag.string) for tag in tags] == [(False, False), (True, True)]
