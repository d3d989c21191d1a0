"""Trees from dicts: equal to those that were exported, through JSON; what was tampered with is refused."""

import contextlib
import copy
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import (
    assert_same_numbers,
    make_chain,
    make_classes,
    make_stump,
    make_stump_of_numbers,
    without_impurity,
)
from support import assert_refuses

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    export_dict,
)
from pytrees.testing.strategies import float_weights, problems


def through_json(given, **names):
    return json.loads(json.dumps(export_dict(given, **names)))


def table():
    X, y = make_classes(n_samples=60)
    frame = pd.DataFrame(X, columns=["age", "weight", "height"])
    frame["colour"] = np.array(["red", "green", "blue"])[np.arange(60) % 3]
    frame["day"] = pd.to_datetime(np.array(["2000-01-31", "2000-02-01"])[np.arange(60) % 2])
    return frame, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier("entropy", max_leaf_nodes=5),
        PermutationDecisionTreeClassifier(),
        OrdinalDecisionTreeClassifier("ranking", predict_rule="median"),
        ID3Classifier("nvi", evaluation="global", max_leaf_nodes=4),
        C45Classifier(),
        DecisionTreeRegressor(max_depth=3),
        DecisionTreeRegressor("absolute_error", max_depth=3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_come_back_through_json(engine, estimator, weighted):
    X, y = make_classes()
    is_regressor = isinstance(estimator, DecisionTreeRegressor)
    if is_regressor:
        y, X[::9, 0] = np.round(y + X[:, 0] ** 2, 2), np.nan
    takes_weights = is_regressor or isinstance(estimator, DecisionTreeClassifier)
    tree = estimator.fit(
        X, y, **({"sample_weight": np.arange(len(y)) % 3 + 1} if weighted and takes_weights else {})
    ).tree_
    names = {"feature_names": ["x", "y", "1"]} | ({} if is_regressor else {"class_names": [3, 1, 2]})
    for given_tree, given_names in ((estimator, {}), (tree, {}), (estimator, names)):
        back = Tree.from_dict(through_json(given_tree, **given_names))
        assert back == tree
        if is_regressor:
            assert_same_numbers(back, tree)


@given(problem=problems(float_weights, max_rows=15))
def test_any_tree_comes_back_through_json(problem):
    tree = DecisionTreeClassifier().fit(problem.X, problem.y, sample_weight=problem.weights).tree_
    assert Tree.from_dict(through_json(tree)) == tree


def test_categories_come_back_through_json(engine):
    X, y = table()
    for columns in (["colour"], ["colour", "day"], "from_dtype"):
        numeric = X.drop(columns="day") if "day" not in columns else X
        if columns == "from_dtype":
            numeric = numeric.astype({"colour": "category"})
        forest = DecisionForestClassifier(4, categorical_features=columns, random_state=0).fit(numeric, y)
        for fitted in forest:
            assert Tree.from_dict(through_json(fitted)) == fitted.tree_
            assert Tree.from_dict(through_json(fitted.tree_)) == fitted.tree_
    root = through_json(forest[0])
    assert root["categories"] == {"colour": ["blue", "green", "red"]}


def test_trees_that_have_learned_from_missing_values_come_back(engine):
    X, y = table()
    X = X[["age", "weight", "colour"]].mask(np.random.default_rng(0).random((60, 3)) < 0.3)
    for columns in (None, ["colour"]):
        fitted = DecisionTreeClassifier(categorical_features=columns).fit(X if columns else X[["age", "weight"]], y)
        assert fitted.tree_.saw_missing.any()
        back = Tree.from_dict(through_json(fitted))
        assert back == fitted.tree_ == Tree.from_dict(through_json(fitted.tree_))
        assert back.takes_missing
    assert through_json(fitted)["categories"] == {"colour": ["blue", "green", "red", None]}
    parted = DecisionTreeClassifier().fit([[1.0], [2.0], [np.nan]], ["a", "a", "b"])
    exported = through_json(parted)
    assert (exported["threshold"], exported["missing"]) == (None, "right")
    assert Tree.from_dict(exported) == parted.tree_
    assert not Tree.from_dict(through_json(make_stump())).takes_missing
    for path, value in ((["missing"], "up"), (["takes_missing"], 1), (["takes_missing"], ...), (["missing"], ...)):
        assert_refuses(ValueError, "Not an exported tree", Tree.from_dict, changed(exported, path, value))


@pytest.mark.parametrize("split", ["subset", "multiway"])
def test_nan_is_no_category_of_a_tree_that_has_a_code_for_missing_ones(engine, split):
    X, y = table()
    X = X[["age", "colour"]].mask(np.random.default_rng(0).random((60, 2)) < 0.3)
    fitted = DecisionTreeClassifier(categorical_features=["colour"], categorical_split=split).fit(X, y)
    codes = fitted.encode(X)
    back = Tree.from_dict(through_json(fitted))
    assert np.isnan(codes[:, 0]).any()  # a number may be missing
    assert fitted.classes_[back.predict(codes)].tolist() == fitted.predict(X).tolist()
    codes[X["colour"].isna(), 1] = np.nan
    for tree in (back, fitted.tree_):
        for method in (tree.predict, tree.apply, tree.decision_path, tree.feature_usage):
            assert_refuses(
                ValueError, r"contains NaN in column 1, by whose categories .* `encode` of .*null", method, codes
            )


def test_huge_impurities_and_trees_without_any_come_back():
    X, y = [[0.0], [1.0]], [-1e300, 1e300]
    exported = export_dict(DecisionTreeRegressor().fit(X, y))
    assert exported["impurity"] == exported["gain"] == "inf"
    json.dumps(exported, allow_nan=False)
    assert_same_numbers(Tree.from_dict(exported), DecisionTreeRegressor().fit(X, y).tree_)
    tree = make_stump_of_numbers().tree_
    bare = export_dict(without_impurity(tree))
    assert "impurity" not in bare
    assert Tree.from_dict(bare) == tree


def test_numbers_and_words_as_categories_are_told_apart():
    X = pd.DataFrame({"a": [1, 2, 3, 1], "b": ["1", "2", "3", "2"]})
    fitted = DecisionTreeClassifier(categorical_features=["a", "b"]).fit(X, [0, 1, 2, 2])
    exported = through_json(fitted)
    assert exported["categories"] == {"a": [1, 2, 3], "b": ["1", "2", "3"]}
    assert Tree.from_dict(exported) == fitted.tree_
    fitted = DecisionTreeClassifier(categorical_features=[0]).fit([[True], [False]], [0, 1])
    assert Tree.from_dict(through_json(fitted)) == fitted.tree_


def test_a_dict_is_only_read():
    exported = export_dict(DecisionTreeClassifier().fit(*make_classes()))
    before = copy.deepcopy(exported)
    Tree.from_dict(exported)
    assert exported == before


def test_deep_trees_come_back_without_recursion():
    tree = make_chain(20_000)
    assert Tree.from_dict(export_dict(tree)) == tree


def changed(exported, path, value):
    """Return a copy of an exported tree with another value at a path; `...`: without it."""
    exported = copy.deepcopy(exported)
    *above, last = path
    node = exported
    for step in above:
        node = node[step]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return exported


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["n_features"], ..., "n_features is missing"),
        (["n_features"], 2.0, "n_features is 2.0"),
        (["n_features"], True, "n_features is True"),
        (["n_features"], 4, "3 feature_names for 4 features"),
        (["feature_names"], ["a", "b", "a"], "feature_names has a name twice"),
        (["feature_names"], "abc", "feature_names is no list"),
        (["feature_names"], ["x", "y", "z"], "'.*' is none of its 3 features"),
        (["class_names"], ..., "class_names is missing"),
        (["class_names"], ["a", "b"], "counts are not 2 numbers"),
        (["categories"], [], "categories is no dict"),
        (["categories"], {"age": ["a", "a"]}, "categories of 'age' has a name twice"),
        (["feature"], "size", "'size' is none"),
        (["feature"], 0, "feature is 0"),
        (["threshold"], "1", "threshold is '1'"),
        (["threshold"], 10**400, "threshold is beyond the range"),
        (["threshold"], float("nan"), "threshold holds NaN"),
        (["gain"], ..., "gain is missing"),
        (["left"], ..., "left is missing"),
        (["left"], [], "left is"),
        (["right", "counts"], ..., "counts is missing"),
        (["right", "counts"], [1, 2, "3"], "counts are not 3 numbers"),
        (["right", "counts"], [1, 2, True], "counts are not 3 numbers"),
        (["right", "counts"], [1, 2, -1], "class counts that are finite, not negative"),
        (["right", "counts"], [1, 2], "counts are not 3 numbers"),
        (["right", "n_node_samples"], 1.0, "n_node_samples is 1.0"),
        (["right", "n_node_samples"], 0, "every node needs samples"),
        (["right", "truncated"], 2, "levels were cut off by max_depth"),
        (["children"], [], "Not a tree"),
        (["children"], [{"category": 1}], "counts is missing"),
        (["children"], [3], "a dict is expected for a node, got int"),
    ],
)
def test_tampered_dicts_are_refused(path, value, message):
    X, y = make_classes()
    exported = through_json(DecisionTreeClassifier().fit(pd.DataFrame(X, columns=["age", "weight", "height"]), y))
    assert_refuses(ValueError, message, Tree.from_dict, changed(exported, path, value))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["value"], "x", "value is 'x'"),
        (["left", "value"], None, "value is None"),
        (["left", "value"], float("nan"), "value holds a number that is not finite"),
        (["left", "value"], True, "value is True"),
        (["right", "weighted_n_node_samples"], 0.0, "a weight that is finite and positive"),
        (["right", "weighted_n_node_samples"], [1], "weighted_n_node_samples is"),
        (["right", "impurity"], -1.0, "impurity holds NaN or a negative number"),
        (["criterion"], "gini", "criterion of a tree of numbers must be one of"),
        (["class_names"], ["a"], "counts is missing"),
        *[(["left", name], ..., f"{name} is missing") for name in ("value", "weighted_n_node_samples", "impurity")],
    ],
)
def test_tampered_dicts_of_numbers_are_refused(path, value, message):
    exported = export_dict(DecisionTreeRegressor().fit([[0.0], [1.0], [1.0]], [0.25, 3.0, 4.0], [2, 1, 3]))
    assert_refuses(ValueError, message, Tree.from_dict, changed(exported, path, value))


@pytest.mark.parametrize("value", ["white", -1, 1.0, True, "0", [0], {}])
def test_unknown_categories_are_refused(value):
    X, y = table()
    tree = DecisionTreeClassifier(categorical_features=["colour"], categorical_split="multiway", max_depth=1)
    fitted = tree.fit(X[["colour"]], y)
    for one in (fitted, fitted.tree_):
        with pytest.raises(ValueError, match="is no category of"):
            Tree.from_dict(changed(through_json(one), ["children", 0, "category"], value))
    with pytest.raises(ValueError, match="category is missing"):
        Tree.from_dict(changed(through_json(fitted), ["children", 0, "category"], ...))
    with pytest.raises(ValueError, match="category must ascend"):
        Tree.from_dict(changed(through_json(fitted), ["children", 0, "category"], "red"))


def test_other_objects_are_refused():
    for other in (None, 3, "tree", [], DecisionTreeClassifier()):
        assert_refuses(ValueError, "a dict is expected", Tree.from_dict, other)
    for name in ("feature_x", "feature_", "feature_²", "feature_-1", "feature_1", "feature_" + 20 * "9"):
        with pytest.raises(ValueError, match="none of its 1 features"):
            Tree.from_dict(changed(export_dict(make_stump()), ["feature"], name))
    assert_refuses(ValueError, "cut off by max_depth", Tree.from_dict, export_dict(make_chain(3), max_depth=1))
    with pytest.raises(ValueError, match="n_features must be"):
        Tree.from_dict(changed(export_dict(make_stump()), ["n_features"], 2**31))


def test_nodes_that_are_met_again_are_refused():
    exported = export_dict(make_stump())
    assert_refuses(ValueError, "a node is in it twice", Tree.from_dict, exported | {"right": exported["left"]})
    exported["left"] = exported
    assert_refuses(ValueError, "a node is in it twice", Tree.from_dict, exported)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.lists(st.floats(), max_size=3),
)


@given(draw=st.data())
def test_whatever_is_changed_gives_a_tree_or_a_clear_error(draw):
    X, y = table()
    fitted = DecisionTreeClassifier(categorical_features=["colour"], max_depth=2, random_state=0)
    node = exported = through_json(fitted.fit(X[["colour", "age"]], y))
    while True:
        name = draw.draw(st.sampled_from(sorted(node)))
        children = node[name] if name == "children" else [node[name]] if name in ("left", "right") else []
        if not children or draw.draw(st.booleans()):
            break
        node = draw.draw(st.sampled_from(children))
    node[name] = draw.draw(VALUES)
    with contextlib.suppress(NotATree):
        assert read(exported).predict(fitted.encode(X[["colour", "age"]])).shape == (60,)


class NotATree(Exception):
    """Raised by an error that says what is wrong."""


def read(exported):
    try:
        return Tree.from_dict(exported)
    except ValueError as error:
        raise NotATree if str(error).startswith("Not a") else error from error


@pytest.mark.parametrize(
    ("missing", "saw"),
    [
        (None, None),
        ([-1, -1, -1], None),
        ([-1, -1, -1], [1, 0, 0]),
        ([0, 0, 0], None),
        ([0, 0, 0], [0, 0, 0]),
        ([1, 0, 0], None),
    ],
)
@pytest.mark.parametrize("threshold", [np.inf, -np.inf])
def test_infinite_thresholds_come_back(threshold, missing, saw):
    counts = [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]
    sides = [1, -1, -1], [2, -1, -1]
    splits = [0, -2, -2], [threshold, -2.0, -2.0], [4, 2, 2], counts, [0.5, 0.0, 0.0], 1
    tree = Tree(*sides, *splits, missing_go_to_left=missing, saw_missing=saw)
    assert Tree.from_dict(json.loads(json.dumps(export_dict(tree), allow_nan=False))) == tree
