"""Trees with multiway nodes: their arrays, their binary form, the way of rows through them."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multiway_trees import random_rows, random_tree, way
from samples import NODE_ARRAYS
from support import assert_refuses, examples

from pytrees import DecisionTreeClassifier, Tree, export_dict, export_text, plot_tree
from pytrees._engine import kernel
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.tree import _pack_together

pytestmark = pytest.mark.kernels

CARDINALITIES = [0, 1, 2, 3, 9]
CHILD_ARRAYS = ("child_offsets", "children", "category")


def arrays_of(tree):
    return {name: getattr(tree, name).copy() for name in (*NODE_ARRAYS, *CHILD_ARRAYS)}


def trunk():
    """A root with three categories, 0, 2 and 3, the second of which leads to a threshold."""
    return Tree(
        children_left=[MULTIWAY, LEAF, 3, LEAF, LEAF, LEAF],
        children_right=[MULTIWAY, LEAF, 4, LEAF, LEAF, LEAF],
        feature=[0, -2, 1, -2, -2, -2],
        threshold=[-2, -2, 0.5, -2, -2, -2],
        n_node_samples=[10, 3, 4, 3, 1, 3],
        value=[[5, 5], [3, 0], [1, 3], [0, 3], [1, 0], [1, 2]],
        gain=[0.5, 0, 0.25, 0, 0, 0],
        n_features=2,
        child_offsets=[0, 3, 3, 5, 5, 5, 5],
        children=[1, 2, 5, 3, 4],
        category=[-1, 0, 2, -1, -1, 3],
    )


def test_a_sample_goes_to_its_category_or_stays(engine):
    X = [[0, 0], [2, 0], [2, 1], [3, 0], [1, 0], [-1, 0], [7, 0]]
    assert trunk().apply(X).tolist() == [1, 3, 4, 5, 0, 0, 0]
    assert trunk().apply(X * 3).tolist() == [1, 3, 4, 5, 0, 0, 0] * 3  # enough rows to be packed for
    assert trunk().predict(X).tolist() == [0, 1, 0, 1, 0, 0, 0]
    assert trunk().decision_path(X).indices.tolist() == [0, 1, 0, 2, 3, 0, 2, 4, 0, 5, 0, 0, 0]


def test_attributes_and_feature_usage(engine):
    tree = trunk()
    assert tree.is_multiway
    assert (tree.n_leaves, tree.max_depth) == (4, 2)
    assert tree.children_of(0).tolist() == [1, 2, 5]
    assert tree.children_of(1).tolist() == []
    assert tree.feature_usage().tolist() == [10, 4]
    assert tree.feature_usage([[2, 0], [1, 0]]).tolist() == [2, 1]
    np.testing.assert_allclose(tree.feature_importances(), [5 / 6, 1 / 6])


def test_categories_are_cut_in_the_binary_form(engine):
    _, _, feature, threshold, node = trunk().binary
    # below 0 | 0 | 1 | 2 | 3 | above 3, cut in the middle, then in the middles
    assert node.tolist() == [0, 0, 0, 0, 1, 0, 0, 2, 3, 4, 0, 5, 0]
    assert threshold[feature == 0].tolist() == [1.5, -0.5, 0.5, 2.5, 3.5]
    assert feature.tolist() == [0, 0, -2, 0, -2, -2, 0, 1, -2, -2, 0, -2, -2]


@examples(200)
@given(seed=st.integers(0, 2**32), n_rows=st.sampled_from([1, 5, 40]), sets=st.booleans())
def test_samples_take_the_same_path_on_both_engines(engine, seed, n_rows, sets):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, CARDINALITIES, sets=sets)
    X = random_rows(rng, CARDINALITIES, n_rows)
    ways = [way(tree, row) for row in X]
    assert tree.apply(X).tolist() == [nodes[-1] for nodes in ways]
    path = tree.decision_path(X)
    assert [path.indices[a:b].tolist() for a, b in zip(path.indptr, path.indptr[1:], strict=False)] == ways
    looked_at = [{tree.feature[node] for node in nodes if tree.children_left[node] != LEAF} for nodes in ways]
    assert tree.feature_usage(X).tolist() == [sum(f in some for some in looked_at) for f in range(len(CARDINALITIES))]


@examples(200)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1, 60, 2**20]), st.sampled_from([0.0, 0.2]))
def test_packed_and_own_arrays_lead_all_values_to_the_same_leaves(engine, seed, sets, stride, cut):
    rng = np.random.default_rng(seed)
    made = random_tree(rng, CARDINALITIES, sets=sets, cut=cut)
    arrays = arrays_of(made) | {"category_offsets": made.category_offsets.copy(), "categories": made.categories.copy()}
    for name in ("category", "categories"):  # far between, so that sorted categories are searched
        arrays[name] = np.where(arrays[name] > 0, stride * arrays[name], arrays[name])
    tree, nodes = Tree(**arrays, n_features=5), np.arange(arrays["feature"].size)
    X = stride * random_rows(rng, CARDINALITIES, 47) + rng.choice([0.0, 0.5, -0.5, 0.25, -(0.5**54), 1e300], (47, 5))
    votes = np.eye(len(nodes))[tree._walk("apply", X, False)]
    forest = _pack_together([tree] * 12, [nodes] * 12, len(nodes), False)
    np.testing.assert_array_equal(kernel("sum_leaves")(forest, X)[0], 12 * votes)
    X[rng.random(X.shape) < 0.1] = np.nan
    packed, binary, own = tree._pack(has_missing=True), tree.binary, tree._walk("apply", X, True)
    np.testing.assert_array_equal(own, kernel("find_leaves")(packed, X)[0])
    by_thresholds = kernel("apply")(*binary[:4], X, tree._missing_in_binary(binary))
    np.testing.assert_array_equal(own, binary.node.take(by_thresholds))
    if not tree.has_category_sets:  # then no child is reached twice, and the binary form is itself a tree in preorder
        of_parts = [1] * len(binary.node), np.ones((len(binary.node), 1)), np.zeros(len(binary.node))
        Tree(*binary[:4], *of_parts, tree.n_features)


@examples(50)
@given(seed=st.integers(0, 2**32), sets=st.booleans())
def test_equality_and_pickles(seed, sets):
    rng = np.random.default_rng(seed)
    tree, other = (random_tree(rng, CARDINALITIES, sets=sets) for _ in range(2))
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert hash(pickle.loads(pickle.dumps(tree))) == hash(tree)
    same = all(np.array_equal(a, b) for a, b in zip(arrays_of(tree).values(), arrays_of(other).values(), strict=True))
    assert (tree == other) == same


@pytest.mark.parametrize("node", [-1, 3, 10**30, 0.5, "0", None])
def test_nodes_that_are_not_there_are_refused(node):
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    for question in (tree.children_of, tree.categories_of):
        assert_refuses(ValueError, "node must be a whole number from 0 to 2", question, node)


@pytest.mark.parametrize("categorical_features", [None, [0]])
def test_a_pickle_does_not_depend_on_questions(categorical_features):
    X = np.random.default_rng(0).integers(0, 3, (40, 2)).astype(np.float64)
    tree = DecisionTreeClassifier(categorical_features=categorical_features).fit(X, X.sum(axis=1) > 2).tree_
    before = pickle.dumps(tree)
    assert tree.category_offsets.size == tree.node_count + 1
    assert pickle.dumps(tree) == before


def test_trees_of_different_categories_differ():
    arrays = arrays_of(trunk())
    arrays["category"][5] = 4
    assert Tree(**arrays, n_features=2) != trunk()


def test_trees_without_multiway_nodes_have_children_by_offsets():
    tree = Tree([1, -1, -1], [2, -1, -1], [0, -2, -2], [0.5, -2, -2], [2, 1, 1], np.eye(3), [1.0, 0, 0], 1)
    assert not tree.is_multiway
    assert tree.child_offsets.tolist() == [0, 2, 2, 2]
    assert tree.children.tolist() == [1, 2]
    assert tree.category.tolist() == [-1, -1, -1]
    assert tree.binary.node.tolist() == [0, 1, 2]
    given_them = Tree(**arrays_of(tree), n_features=1)
    assert given_them == tree


@pytest.mark.parametrize(
    ("name", "place", "number", "message"),
    [
        ("children_left", 0, 1, "multiway on one side"),
        ("children", 0, 2, "agree|preorder|children"),
        ("children", 2, 4, "preorder|children"),
        ("child_offsets", 1, 2, "do not agree"),
        ("child_offsets", 6, 9, "do not agree"),
        ("category", 0, 0, "category"),
        ("category", 2, 0, "category"),
        ("category", 3, 1, "category"),
        ("category", 5, -1, "category"),
        ("category", 5, -7, "category"),
        ("feature", 0, 2, "node 0 tests feature 2"),
    ],
)
def test_arrays_of_no_tree_are_refused(name, place, number, message):
    arrays = arrays_of(trunk())
    arrays[name][place] = number
    assert_refuses(ValueError, message, Tree, **arrays, n_features=2)


@examples(400)
@given(
    name=st.sampled_from((*NODE_ARRAYS, *CHILD_ARRAYS)),
    place=st.integers(0, 100),
    number=st.one_of(st.integers(-3, 9), st.sampled_from([99, 2**31, 2**62, 2**63 - 1, -(2**63)])),
)
def test_tampered_numbers_are_refused_or_harmless(engine, name, place, number):
    arrays = arrays_of(trunk())
    flat = arrays[name].reshape(-1)
    flat[place % flat.size] = number
    try:
        tree = Tree(**arrays, n_features=2)
    except ValueError:
        assert_refuses(ValueError, "Not a tree", Tree, **arrays, n_features=2)
        return
    X = random_rows(np.random.default_rng(0), [4, 0], 20)
    assert tree.apply(X).max() < tree.node_count
    assert tree.decision_path(X).shape == (20, tree.node_count)
    export_text(tree), export_dict(tree), tree.to_sklearn(), tree.feature_usage(), tree.feature_importances()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            # Offsets that wrap around.
            {side: [*5 * [MULTIWAY], LEAF] for side in ("children_left", "children_right")}
            | {"child_offsets": [0, 2**62, -(2**63), -(2**62), 1, 5, 5]},
            "child_offsets do not agree",
        ),
        (dict.fromkeys(CHILD_ARRAYS), "multiway nodes need child_offsets"),
        ({"children": [1, 2, 5, 3]}, "children has shape"),
    ],
)
def test_arrays_that_do_not_go_together_are_refused(changes, message):
    assert_refuses(ValueError, message, Tree, **arrays_of(trunk()) | changes, n_features=2)


class Estimator:
    """A fitted estimator with the attributes that exports need."""

    tree_ = trunk()
    classes_ = np.array(["no", "yes"])
    is_categorical_ = np.array([True, False])
    categories_ = (np.array(["blue", "green", "red", "white"]),)


def test_text_has_a_line_for_every_category():
    assert export_text(trunk(), class_names=["no", "yes"]).splitlines() == [
        "feature_0 = 0 (gain 0.5)",
        "|   class no [3, 0]",
        "feature_0 = 2",
        "|   feature_1 <= 0.5 (gain 0.25)",
        "|   |   class yes [0, 3]",
        "|   feature_1 > 0.5",
        "|   |   class no [1, 0]",
        "feature_0 = 3",
        "|   class yes [1, 2]",
    ]
    assert "feature_0 = red\n" in export_text(Estimator())


def test_dicts_name_the_category_of_a_child():
    root = export_dict(Estimator())
    assert [child["category"] for child in root["children"]] == ["blue", "red", "white"]
    assert root["children"][1]["left"] == {"n_node_samples": 3, "counts": [0.0, 3.0], "class": "yes"}
    assert "threshold" not in root
    assert [child["category"] for child in export_dict(trunk())["children"]] == [0, 2, 3]


def test_dates_go_through_json():
    estimator = Estimator()
    estimator.categories_ = (np.array(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"], dtype="M8[D]"),)
    root = json.loads(json.dumps(export_dict(estimator)))
    assert [child["category"] for child in root["children"]] == ["2020-01-01", "2020-01-03", "2020-01-04"]


def test_pictures_name_categories_at_edges():
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert [node.get_text() for node in plot_tree(Estimator(), ax=ax)][:2] == ["feature_0", "class no\n3 samples"]
    assert {"blue", "red", "white"} <= {text.get_text() for text in ax.texts}


@examples(100)
@given(seed=st.integers(0, 2**32))
def test_scikit_learns_tree_decides_the_same(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, CARDINALITIES)
    X = random_rows(rng, CARDINALITIES, 40)
    theirs = tree.to_sklearn()
    assert theirs.predict(X).tolist() == tree.predict(X).tolist()
    np.testing.assert_array_equal(theirs.predict_proba(X), tree.shares_at(tree.apply(X)))
    is_part_without_rows = theirs.tree_.n_node_samples == 0
    assert np.all(tree.children_left[tree.binary.node[is_part_without_rows]] == MULTIWAY)
    assert theirs.tree_.n_node_samples[0] == tree.n_node_samples[0]
