"""Splits of categories into two sets, and ordered categories, in every tree and forest that has them."""

import json
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from own_criteria import Gini
from sklearn.base import clone
from support import assert_refuses, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OptimalTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    export_dict,
    export_graphviz,
    export_text,
    merge_redundant,
)
from pytrees.fourier import gram, ordinal_codes

KIND = {"categorical_features": "from_dtype", "categorical_split": "subset"}
ESTIMATORS = [
    DecisionTreeClassifier(**KIND),
    DecisionTreeClassifier("entropy", max_leaf_nodes=6, **KIND),
    DecisionTreeClassifier("gini", ccp_alpha=0.01, **KIND),
    OrdinalDecisionTreeClassifier("ogini", **KIND),
    PermutationDecisionTreeClassifier(**KIND),
    DecisionForestClassifier(5, random_state=0, **KIND),
    OrdinalDecisionForestClassifier(5, random_state=0, **KIND),
    PermutationDecisionForestClassifier(3, random_state=0, **KIND),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def sample(n_samples=60, n_classes=2, seed=0):
    """Draw a frame with categories, ordered ones and numbers, some of which tell the classes, some of them missing."""
    rng = np.random.default_rng(seed)
    letter, size = rng.choice(list("abcde"), n_samples), rng.choice(["low", "mid", "high"], n_samples)
    y = (np.isin(letter, list("ace")) ^ (size == "high")).astype(int)
    if n_classes > 2:
        y[letter == "d"] = 2
    frame = pd.DataFrame(
        {
            "letter": pd.Categorical(letter),
            "size": pd.Categorical(size, categories=["low", "mid", "high"], ordered=True),
            "x": rng.normal(size=n_samples),
        }
    )
    frame.loc[rng.choice(n_samples, 4, replace=False), "letter"] = None
    frame.loc[rng.choice(n_samples, 4, replace=False), "size"] = None
    return frame, y


@every_estimator
def test_both_engines_fit_and_predict_the_same(estimator):
    X, y = sample()

    def fitted():
        return clone(estimator).fit(X, y)

    ours, twin = on_both_engines(fitted)
    np.testing.assert_array_equal(ours.predict_proba(X), twin.predict_proba(X))
    trees = [getattr(one, "estimators_", [one]) for one in (ours, twin)]
    assert [each.tree_ for each in trees[0]] == [each.tree_ for each in trees[1]]
    assert any(each.tree_.has_category_sets for each in trees[0])


def test_a_set_is_found_if_every_single_category_is_too_small(engine):
    X, y = sample(200)
    tree = DecisionTreeClassifier(max_depth=2, **KIND).fit(X, y)
    found = tree.tree_
    assert tree.score(X, y) > 0.95
    assert [found.categories_of(child).tolist() for child in found.children_of(0)] != [[0], [1]]
    assert found.n_leaves <= 4
    multiway = DecisionTreeClassifier(max_depth=2, **(KIND | {"categorical_split": "multiway"})).fit(X, y)
    assert multiway.tree_.n_leaves > found.n_leaves


def test_out_of_bag_scores():
    X, y = sample(200)
    forest = DecisionForestClassifier(30, oob_score=True, random_state=0, **KIND).fit(X, y)
    assert forest.oob_score_ > 0.85


def test_samples_of_categories_that_a_node_has_not_seen_stay_there(engine):
    X = pd.DataFrame({"letter": pd.Categorical(list("aabbccdd"))})
    y = [0, 0, 1, 1, 0, 0, 1, 1]
    tree = DecisionTreeClassifier(handle_unknown="majority", **KIND).fit(X, y)
    assert [tree.tree_.categories_of(child).tolist() for child in (1, 2)] == [[0, 2], [1, 3]]
    assert tree.apply(pd.DataFrame({"letter": ["a", "d", "z", None]})).tolist() == [1, 2, 0, 0]
    with pytest.raises(ValueError, match=r"Found unknown categories in column 0 .'letter'.*: 'z'"):
        tree.set_params(handle_unknown="error").predict(pd.DataFrame({"letter": ["z"]}))


def test_missing_values_are_a_category_of_a_set(engine):
    X = pd.DataFrame({"letter": pd.Categorical(["a", "b", None, "a", "b", None])})
    tree = DecisionTreeClassifier(**KIND).fit(X, [0, 1, 1, 0, 1, 1])
    assert export_text(tree).splitlines()[2] == "letter in b or missing"
    assert tree.predict(pd.DataFrame({"letter": [None, "a"]})).tolist() == [1, 0]


def test_the_tree_tells_which_sets_come_from_a_heuristic(engine):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"letter": pd.Categorical(list("abcdefghijklmnopqrstuvwxyz") * 8), "x": rng.random(208)})
    y = (X["letter"].cat.codes * 7 % 26 > 12) + (rng.random(208) < 0.3) * 1
    tree = DecisionTreeClassifier(**KIND).fit(X, y).tree_
    n_divided = [
        sum(tree.categories_of(child).size for child in tree.children_of(node)) for node in range(len(tree.gain))
    ]
    np.testing.assert_array_equal(tree.splits_by_heuristic, np.array(n_divided) > 12)
    assert tree.splits_by_heuristic[0]
    for criterion, targets in (("gini", y % 2), ("entropy", y % 2), ("ogini", y % 2)):
        assert not DecisionTreeClassifier(criterion, **KIND).fit(X, targets).tree_.splits_by_heuristic.any()
    for criterion in (Gini(), "wig", "ranking"):
        assert DecisionTreeClassifier(criterion, **KIND).fit(X, y % 2).tree_.splits_by_heuristic[0]
    multiway = DecisionTreeClassifier(categorical_features=["letter"], categorical_split="multiway").fit(X, y).tree_
    assert multiway.is_multiway
    assert not multiway.splits_by_heuristic.any()
    assert not DecisionTreeRegressor(**KIND).fit(X, y).tree_.splits_by_heuristic.any()
    assert DecisionTreeRegressor("absolute_error", **KIND).fit(X, y).tree_.splits_by_heuristic[0]
    assert merge_redundant(tree).splits_by_heuristic[0]


@pytest.mark.parametrize("make", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_the_tree_names_nodes_of_many_categories_whose_best_cut_a_limit_forbids(engine, make):
    # The best cut of the order parts off the one sample of category 1.
    X = np.r_[0, np.arange(14)][:, np.newaxis]
    for fewest, weight, is_named in ((1, 0.0, False), (2, 0.0, True), (1, 0.1, True)):
        limits = {"min_samples_leaf": fewest, "min_weight_fraction_leaf": weight}
        tree = make(**limits, categorical_features=[0]).fit(X, X[:, 0] == 1, np.full(15, 0.3)).tree_
        assert tree.n_leaves > 1
        assert tree.splits_by_heuristic[0] == is_named
        again = pickle.loads(pickle.dumps(tree))
        np.testing.assert_array_equal(again.splits_by_heuristic, tree.splits_by_heuristic)
        merged = merge_redundant(tree)
        assert merged.n_leaves == 1 or merged.splits_by_heuristic[0] == is_named
        # An exported tree does not tell how it grew.
        assert Tree.from_dict(export_dict(tree)).splits_by_heuristic[0]
        with pytest.raises(ValueError, match="splits_by_heuristic must be 0 or 1 at each of"):
            Tree(*tree._arguments()[:-1], splits_by_heuristic=[True])


def test_a_limit_leaves_the_best_division_that_it_allows(engine):
    X = [[3.0], [5.0], [4.0], [4.0], [8.0], [4.0], [np.nan]]
    y = [-0.8, -1.6, 0.4, -0.9, -0.1, -1.3, -0.4]
    for estimator in (DecisionTreeRegressor, partial(DecisionForestRegressor, 1, bootstrap=False)):
        fitted = estimator(min_samples_leaf=3, categorical_features=[0]).fit(X, y)
        tree = getattr(fitted, "estimators_", [fitted])[0].tree_
        assert tree.gain[0] == pytest.approx(0.0514, abs=1e-4)
        # The codes of 3, 4, 5, 8 and the missing value.
        assert [tree.categories_of(child).tolist() for child in (1, 2)] == [[0, 2, 4], [1, 3]]


@pytest.mark.parametrize(
    "make",
    [DecisionTreeClassifier, OrdinalDecisionTreeClassifier, DecisionTreeRegressor],
    ids=lambda make: make.__name__,
)
def test_two_sets_are_the_default_of_trees_and_forests_by_a_criterion(make):
    X, y = np.repeat(np.arange(3.0), 4)[:, np.newaxis], np.repeat([0, 1, 0], 4)
    assert make(categorical_features=[0]).fit(X, y).tree_.n_leaves == 2
    assert make(categorical_features=[0], categorical_split="multiway").fit(X, y).tree_.n_leaves == 3
    assert PermutationDecisionTreeClassifier(categorical_features=[0]).fit(X, y).tree_.n_leaves == 3


def test_errors_about_many_categories_count_the_missing_value_aloud():
    letters = pd.DataFrame({"x": np.arange(13.0), "letter": pd.Categorical([*"abcdefghijkl", None])})
    words = pd.DataFrame({"word": [None, *map(str, range(12))]}, dtype=object)
    y = np.arange(13) % 3
    for fit, X, column in (
        (OptimalTreeClassifier(max_depth=1, categorical_features="from_dtype").fit, letters, r"column 1 \('letter'\)"),
        (OptimalTreeClassifier(max_depth=1, categorical_features=["word"]).fit, words, r"column 0 \('word'\)"),
    ):
        assert_refuses(ValueError, rf"Found 13 categories in {column}, the missing value among them\.", fit, X, y)


def test_subset_splits_change_nothing_without_categories():
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
    assert (
        DecisionTreeClassifier(categorical_split="subset").fit(X, y).tree_ == DecisionTreeClassifier().fit(X, y).tree_
    )


def test_an_own_criterion_needs_no_method_for_children(engine):
    X, y = sample()
    ours, theirs = (DecisionTreeClassifier(criterion, **KIND).fit(X, y) for criterion in ("gini", Gini()))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_text_dict_and_graphviz_name_the_sets():
    X, y = sample(200)
    tree = DecisionTreeClassifier(max_depth=1, categorical_features=["letter"], categorical_split="subset")
    tree.fit(X[["letter"]].astype(str), y)
    lines = export_text(tree).splitlines()
    assert lines[0].startswith("letter in a, c, e")
    exported = json.loads(json.dumps(export_dict(tree)))
    assert exported["children"][0]["categories"][:3] == ["a", "c", "e"]
    assert Tree.from_dict(exported) == tree.tree_
    assert '[label="a, c, e' in export_graphviz(tree)
    exported["children"][0]["categories"] = exported["children"][0]["categories"][:1]
    assert_refuses(ValueError, "Not an exported tree: categories of a child", Tree.from_dict, exported)


def test_merging_and_pruning_keep_the_sets():
    X, y = sample(200)
    tree = DecisionTreeClassifier(**KIND).fit(X, y)
    merged = merge_redundant(tree.tree_)
    np.testing.assert_array_equal(merged.predict(tree.encode(X)), tree.tree_.predict(tree.encode(X)))
    pruned = DecisionTreeClassifier(ccp_alpha=0.02, **KIND).fit(X, y).tree_
    assert pruned.has_category_sets
    assert pruned.node_count < tree.tree_.node_count


def test_scikit_learns_trees_cannot_divide_categories_into_two_sets():
    X, y = sample()
    tree = DecisionTreeClassifier(**KIND).fit(X, y)
    assert_refuses(ValueError, "cannot divide categories into two sets", tree.to_sklearn)


def test_the_fourier_algebra_takes_sets():
    X, y = sample(200)
    letter = X["letter"].cat.add_categories("none").fillna("none")
    X = pd.DataFrame({"letter": letter, "other": X["x"].gt(0).astype("category")})
    forest = DecisionForestClassifier(4, random_state=0, **KIND).fit(X, y)
    codes = ordinal_codes(forest)
    matrix = gram(codes.trees, codes.cardinalities, measure="empirical", X=codes.transform(X))
    assert matrix.shape == (4, 4)
    labels = np.array([tree.predict(codes.transform(X)) for tree in codes.trees], dtype=float)
    np.testing.assert_array_equal(labels, [tree.predict(X) for tree in forest.estimators_])


@pytest.mark.parametrize("name", ["category_offsets", "categories"])
def test_invalid_sets_are_refused(name):
    X, y = sample()
    tree = DecisionTreeClassifier(**KIND).fit(X, y).tree_
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    below = ("child_offsets", "children", "category", "category_offsets", "categories")
    arrays = {each: np.array(getattr(tree, each)) for each in (*names, *below)}
    assert Tree(**arrays, n_features=3).has_category_sets
    for wrong in (np.array(arrays[name][:-1]), arrays[name] + 1, arrays[name][::-1], None):
        assert_refuses(ValueError, "Not a tree", Tree, **arrays | {name: wrong}, n_features=3)


def test_a_category_of_two_children_is_refused():
    arrays = {
        "children_left": [-2, -1, -1],
        "children_right": [-2, -1, -1],
        "feature": [0, -2, -2],
        "threshold": [-2.0, -2.0, -2.0],
        "n_node_samples": [2, 1, 1],
        "value": np.eye(2)[[0, 0, 1]] + np.eye(2)[[1, 0, 1]],
        "gain": [0.0, 0.0, 0.0],
        "child_offsets": [0, 2, 2, 2],
        "children": [1, 2],
        "category": [-1, 0, 1],
        "category_offsets": [0, 0, 2, 4],
    }
    with pytest.raises(ValueError, match="a category leads to two children of a node"):
        Tree(**arrays, categories=[0, 2, 1, 2], n_features=1)
    assert Tree(**arrays, categories=[0, 2, 1, 3], n_features=1).categories_of(2).tolist() == [1, 3]


@pytest.mark.parametrize("split", ["multiway", "subset"])
def test_ordered_categories_are_split_by_thresholds(engine, split):
    X, y = sample(200)
    tree = DecisionTreeClassifier(categorical_features="from_dtype", categorical_split=split).fit(X[["size"]], y)
    assert tree.is_categorical_ is None
    assert {column: levels.tolist() for column, levels in tree.ordered_categories_.items()} == {
        0: ["low", "mid", "high"]
    }
    assert not tree.tree_.is_multiway
    codes = X["size"].cat.codes.where(X["size"].notna()).to_frame()
    assert tree.tree_ == DecisionTreeClassifier().fit(codes.to_numpy(dtype=float), y).tree_
    np.testing.assert_array_equal(tree.encode(X[["size"]]), codes.to_numpy(dtype=float))


def test_rules_name_ordered_categories():
    X, y = sample(200)
    tree = DecisionTreeClassifier(max_depth=1, categorical_features="from_dtype").fit(X[["size"]], y)
    assert "size <= mid" in export_text(tree)
    assert "size <= mid" in export_graphviz(tree)
    exported = export_dict(tree)
    assert exported["ordered_categories"] == {"size": ["low", "mid", "high"]}
    assert Tree.from_dict(json.loads(json.dumps(exported))) == tree.tree_


def test_values_outside_the_order(engine):
    X, y = sample(200)
    tree = DecisionTreeClassifier(categorical_features="from_dtype").fit(X[["size"]], y)
    new = pd.DataFrame({"size": ["huge", "low"]})
    assert_refuses(ValueError, r"Found unknown categories in column 0 .'size'.*: 'huge'", tree.predict, new)
    tree.set_params(handle_unknown="majority")
    missing = pd.DataFrame({"size": [None, "low"]})
    np.testing.assert_array_equal(tree.predict(new), tree.predict(missing))


def test_listed_features_are_split_by_category_whatever_their_order():
    X, y = sample(200)
    tree = DecisionTreeClassifier(categorical_features=["size"]).fit(X[["size"]], y)
    assert tree.ordered_categories_ == {}
    assert tree.tree_.is_multiway


def test_warm_start_asks_for_the_same_order():
    X, y = sample()
    forest = DecisionForestClassifier(2, warm_start=True, categorical_features="from_dtype", random_state=0)
    forest.fit(X, y)
    other = X.assign(size=X["size"].cat.reorder_categories(["mid", "low", "high"]))
    assert_refuses(ValueError, "that fit had other ordered categories", forest.set_params(n_estimators=3).fit, other, y)


def test_the_fourier_algebra_refuses_ordered_categories_but_takes_their_codes():
    X, y = sample()
    X = X[["size"]].fillna("low")
    forest = DecisionForestClassifier(3, random_state=0, categorical_features="from_dtype").fit(X, y)
    with pytest.raises(ValueError, match="Feature 0 has ordered categories: give the Fourier algebra the trees"):
        ordinal_codes(forest)
    codes = ordinal_codes([one.tree_ for one in forest.estimators_])
    assert codes.transform(forest.encode(X)).shape == X.shape
