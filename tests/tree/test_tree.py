"""Tree: equality, copies, arrays that are no tree, and what a tree is asked."""

import copy
import pickle
import time
from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from multiway_trees import way
from samples import NODE_ARRAYS, make_chain, make_classes, make_multiway_chain, make_stump, stump_arrays
from support import assert_refuses

from pytrees import DecisionTreeClassifier, Tree, export_dict, export_text


@pytest.fixture
def data():
    return make_classes(n_samples=40)


@pytest.fixture
def tree(engine, data):
    return DecisionTreeClassifier().fit(*data).tree_


# -------------------------------------------------------------------------------------------- equality and immutability


def test_trees_of_equal_arrays_are_equal():
    assert make_stump() == make_stump()
    assert hash(make_stump()) == hash(make_stump())
    assert len({make_stump(), make_stump(), make_stump(threshold=[0.25, -2, -2])}) == 2
    assert make_chain(2) != make_chain(3)


@pytest.mark.parametrize(
    "changes",
    [
        {"threshold": [np.nextafter(0.5, 1.0), -2, -2]},
        {"feature": [1, -2, -2], "n_features": 2},
        {"n_node_samples": [3, 2, 1]},
        {"value": [[2, 1], [2, 0], [0, 1]]},
        {"value": [[1, 1, 0], [1, 0, 0], [0, 1, 0]]},
        {"gain": [0.25, 0, 0]},
        {"n_features": 2},
    ],
)
def test_trees_differ_if_any_array_does(changes):
    assert make_stump(**changes) != make_stump()


def test_equal_trees_have_equal_hashes_whatever_the_sign_of_zero():
    positive, negative = make_stump(threshold=[0.0, -2, -2]), make_stump(threshold=[-0.0, -2, -2])
    assert positive == negative
    assert hash(positive) == hash(negative)


@pytest.mark.parametrize("other", [None, 3, "tree", stump_arrays()])
def test_a_tree_differs_from_other_objects(other):
    assert make_stump() != other


@pytest.mark.parametrize("name", [*NODE_ARRAYS, "n_features", "max_depth", "node_count", "something"])
def test_attributes_cannot_be_set_or_deleted(name):
    tree = make_stump()
    assert_refuses(AttributeError, None, setattr, tree, name, 0)
    assert_refuses(AttributeError, None, delattr, tree, name)


@pytest.mark.parametrize("name", NODE_ARRAYS)
def test_arrays_cannot_be_written_to(tree, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(tree, name)[0] = 0


def test_the_given_arrays_are_copied():
    threshold = np.array([0.5, -2.0, -2.0])
    tree = make_stump(threshold=threshold)
    threshold[0] = 9.0
    assert tree.threshold[0] == 0.5
    assert threshold.flags.writeable


DUPLICATES = {f"pickle_{protocol}": protocol for protocol in range(pickle.HIGHEST_PROTOCOL + 1)}
DUPLICATES = {
    name: lambda tree, protocol=protocol: pickle.loads(pickle.dumps(tree, protocol))
    for name, protocol in DUPLICATES.items()
} | {"copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)
def test_copies_and_pickles_are_equal(tree, data, duplicate):
    again = duplicate(tree)
    assert again == tree
    assert hash(again) == hash(tree)
    assert again.max_depth == tree.max_depth
    np.testing.assert_array_equal(again.apply(data[0]), tree.apply(data[0]))
    for name in NODE_ARRAYS:
        assert getattr(again, name).dtype == getattr(tree, name).dtype
        assert not getattr(again, name).flags.writeable


def test_sizes_follow_from_the_arrays(tree):
    assert tree.node_count == len(tree.feature) == 2 * tree.n_leaves - 1
    assert tree.n_classes == 3
    assert tree.n_features == 3
    assert repr(tree) == (f"<Tree of depth {tree.max_depth} with {tree.n_leaves} leaves, 3 features, 3 classes>")


def test_a_single_leaf_is_a_tree(engine):
    tree = Tree([-1], [-1], [-2], [-2.0], [3], [[1, 2]], [0.0], 2)
    assert (tree.max_depth, tree.n_leaves, tree.node_count) == (0, 1, 1)
    assert tree.apply([[1, 2], [3, 4]]).tolist() == [0, 0]
    assert tree.predict([[1, 2]]).tolist() == [1]
    assert tree.decision_path([[1, 2]]).toarray().tolist() == [[1]]
    assert tree.feature_usage().tolist() == tree.feature_usage([[1, 2]]).tolist() == [0, 0]
    assert tree.feature_importances().tolist() == [0.0, 0.0]


# --------------------------------------------------------------------------------------------------- what is not a tree

# Each of them would have a walk leave the arrays, run for ever or take a wrong turn.
NOT_TREES = {
    "left_child_out_of_range": {"children_left": [3, -1, -1]},
    "right_child_out_of_range": {"children_right": [3, -1, -1]},
    "child_below_minus_one": {"children_right": [-5, -1, -1]},
    "leaf_below_minus_one": {"children_left": [1, -2, -1], "children_right": [2, -2, -1]},
    "own_child": {"children_left": [0, -1, -1]},
    "root_as_child": {"children_right": [0, -1, -1]},
    "cycle": {"children_left": [1, 2, -1], "children_right": [2, 0, -1]},
    "two_parents": {"children_right": [1, -1, -1]},
    "one_child_left": {"children_right": [-1, -1, -1]},
    "one_child_right": {"children_left": [-1, -1, -1]},
    "orphans": {"children_left": [-1, -1, -1], "children_right": [-1, -1, -1]},
    "not_in_preorder": {"children_left": [2, -1, -1], "children_right": [1, -1, -1]},
    "feature_too_high": {"feature": [1, -2, -2]},
    "feature_negative": {"feature": [-1, -2, -2]},
    "feature_undefined": {"feature": [-2, -2, -2]},
    "no_features": {"n_features": 0},
    "more_features_than_kernels_count": {"n_features": 2**31},
    "features_beyond_int64": {"n_features": 10**30},
    "half_a_feature": {"n_features": 1.5},
    "features_by_word": {"n_features": "1"},
    "features_not_a_number": {"n_features": np.nan},
    "features_below_zero": {"n_features": -1},
    "features_not_a_number_in_an_array": {"n_features": np.array(np.nan)},
    "ragged": {"children_left": [[1, 2], [3]]},
    "ragged_counts": {"value": [[1.0, 2.0], [3.0], [1.0, 1.0]]},
    "threshold_nan": {"threshold": [np.nan, -2, -2]},
    "no_nodes": {name: [] for name in NODE_ARRAYS} | {"value": np.zeros((0, 1))},
    "no_classes": {"value": np.zeros((3, 0))},
    "value_of_one_dimension": {"value": [1.0, 1.0, 1.0]},
    "value_of_three_dimensions": {"value": np.ones((3, 1, 2))},
    "scalar": {"feature": 0},
    **{f"short_{name}": {name: stump_arrays()[name][:2]} for name in NODE_ARRAYS},
    **{f"long_{name}": {name: [*stump_arrays()[name], stump_arrays()[name][-1]]} for name in NODE_ARRAYS},
    **{f"nested_{name}": {name: [[one] for one in stump_arrays()[name]]} for name in NODE_ARRAYS if name != "value"},
}


class Tampered:
    """Pickles as a Tree of arrays that need not be one."""

    def __init__(self, arrays):
        self.arrays = arrays

    def __reduce__(self):
        return Tree, tuple(self.arrays.values())


@pytest.mark.parametrize("changes", NOT_TREES.values(), ids=NOT_TREES)
def test_arrays_that_are_no_tree_are_refused(changes):
    assert_refuses(ValueError, "Not a tree", make_stump, **changes)
    pickled = pickle.dumps(Tampered(stump_arrays(**changes)))
    assert_refuses(ValueError, "Not a tree", pickle.loads, pickled)


def test_right_children_that_do_not_follow_the_subtree_on_the_left_are_refused():
    """Every child comes after its parent, but node 4 is below node 1 and comes after node 3, which is not."""
    arrays = {
        "children_left": [1, 2, -1, -1, -1],
        "children_right": [3, 4, -1, -1, -1],
        "feature": [0, 0, -2, -2, -2],
        "threshold": [2.5, 1.5, -2, -2, -2],
        "n_node_samples": [3, 2, 1, 1, 1],
        "value": [[3.0], [2.0], [1.0], [1.0], [1.0]],
        "gain": np.zeros(5),
    }
    with pytest.raises(ValueError, match="preorder: node 3 does not follow the subtree of the child"):
        Tree(**arrays, n_features=1)
    Tree(**arrays | {"children_right": [4, 3, -1, -1, -1]}, n_features=1)


def preorder(links):
    """Walk from the root, first children first; stop after more steps than a tree of this size takes."""
    nodes, pending = [], [0]
    while pending and len(nodes) <= len(links):
        nodes.append(pending.pop())
        pending += [child for child in links[nodes[-1]][::-1].tolist() if child != -1]
    return nodes


def all_links():
    """Yield all ways to link up to five nodes, and many of seven, in which every node but the root is a child."""
    rng = np.random.default_rng(0)
    for n_inner in range(4):
        n_nodes = 2 * n_inner + 1
        for inner in combinations(range(n_nodes), n_inner):
            orders = permutations(range(1, n_nodes)) if n_inner < 3 else (rng.permutation(6) + 1 for _ in range(40))
            for children in orders:
                links = np.full((n_nodes, 2), -1)
                links[list(inner)] = np.reshape(children, (n_inner, 2))
                yield links


def test_trees_in_preorder_and_no_others_are_taken():
    n_taken = Counter()
    for links in all_links():
        n_nodes = len(links)
        arrays = {"threshold": np.zeros(n_nodes), "value": np.ones((n_nodes, 1))}
        arrays |= {"gain": np.zeros(n_nodes), "feature": np.zeros(n_nodes, dtype=int), "n_node_samples": [1] * n_nodes}
        left, right = links.T
        if preorder(links) == list(range(n_nodes)):
            n_taken[n_nodes] += Tree(left, right, **arrays, n_features=1).node_count > 0
        else:
            assert_refuses(ValueError, "Not a tree", Tree, left, right, **arrays, n_features=1)
    assert (n_taken[1], n_taken[3], n_taken[5]) == (1, 1, 2)  # Catalan's numbers


def test_many_features_take_no_memory_until_they_are_listed():
    tree = make_stump(n_features=2**31 - 1)
    assert export_text(tree).startswith("feature_0 <= 0.5")
    assert export_dict(tree)["feature"] == "feature_0"


def test_untampered_arrays_pass():
    assert pickle.loads(pickle.dumps(Tampered(stump_arrays()))) == make_stump()


# ------------------------------------------------------------------------------------------------------ asking the tree


def test_samples_at_the_threshold_go_left(engine):
    rows = [[0.5], [np.nextafter(0.5, 1.0)], [-np.finfo(np.float64).max], [np.finfo(np.float64).max]]
    assert make_stump().apply(rows).tolist() == [1, 2, 1, 2]


def test_apply_follows_the_thresholds(tree, data):
    X, _ = data
    leaves = tree.apply(X)
    assert leaves.dtype == np.int64
    assert leaves.tolist() == [way(tree, row)[-1] for row in X]


def test_decision_path_visits_every_node_once(tree, data):
    X, _ = data
    path = tree.decision_path(X)
    assert path.shape == (len(X), tree.node_count)
    for row, nodes in zip(X, path.toarray(), strict=True):
        assert np.flatnonzero(nodes).tolist() == way(tree, row)
        assert set(nodes.tolist()) <= {0, 1}


def test_predict_is_the_most_frequent_class_and_the_lowest_of_several(engine):
    tree = make_stump(value=[[2, 4, 3], [1, 2, 2], [1, 2, 1]])
    assert tree.predict([[0], [1]]).tolist() == [1, 1]
    tree = make_stump(value=[[3, 3, 5], [2, 2, 2], [1, 1, 3]])
    assert tree.predict([[0], [1]]).tolist() == [0, 2]
    assert tree.majority.tolist() == [2, 0, 2]


@pytest.mark.parametrize("method", ["apply", "predict", "decision_path", "feature_usage"])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2.0]], "2 features"),
        ([[np.nan]], "NaN"),
        ([[np.inf]], "infinity"),
        ([1.0], "2D array"),
        (np.zeros((0, 1)), "0 sample"),
        ([["a"]], r"could not convert.* words in column 0: a Tree takes codes of categories, which `encode` of"),
    ],
)
def test_samples_of_another_shape_are_refused(engine, method, X, message):
    assert_refuses(ValueError, message, getattr(make_stump(), method), X)


def two_features_twice():
    """Feature 0 at the root; on the left feature 1, then 0 again; on the right a leaf."""
    return Tree(
        children_left=[1, 2, -1, 4, -1, -1, -1],
        children_right=[6, 3, -1, 5, -1, -1, -1],
        feature=[0, 1, -2, 0, -2, -2, -2],
        threshold=[2.5, 0.5, -2, 1.5, -2, -2, -2],
        n_node_samples=[10, 7, 3, 4, 2, 2, 3],
        value=[[5, 5], [4, 3], [3, 0], [1, 3], [1, 1], [0, 2], [1, 2]],
        gain=[0.5, -0.25, 0, 1.0, 0, 0, 0],
        n_features=3,
    )


def test_feature_usage_counts_a_sample_once_for_a_feature(engine):
    tree = two_features_twice()
    usage = tree.feature_usage()
    assert usage.dtype == np.int64
    assert usage.tolist() == [10, 7, 0]
    usage = tree.feature_usage([[0, 0, 0], [1, 1, 0], [3, 0, 0]])
    assert usage.dtype == np.int64
    assert usage.tolist() == [3, 2, 0]


def test_feature_usage_without_X_counts_the_training_samples(tree, data):
    assert tree.feature_usage().tolist() == tree.feature_usage(data[0]).tolist()


def test_feature_importances_take_negative_gains_for_none():
    importances = two_features_twice().feature_importances()
    assert importances.tolist() == [1.0, 0.0, 0.0]
    assert make_stump(gain=[-0.5, 0, 0]).feature_importances().tolist() == [0.0]


def test_feature_importances_weigh_gains_by_samples():
    tree = two_features_twice()
    arrays = {name: getattr(tree, name) for name in NODE_ARRAYS} | {"gain": [0.5, 0.25, 0, 1.0, 0, 0, 0]}
    # 10 rows gain 0.5 and 4 rows gain 1 by feature 0, 7 rows gain 0.25 by feature 1.
    expected = np.array([10 * 0.5 + 4 * 1.0, 7 * 0.25, 0.0])
    np.testing.assert_allclose(Tree(**arrays, n_features=3).feature_importances(), expected / expected.sum())


def test_deep_trees_need_no_recursion(engine):
    depth = 3000
    tree = make_chain(depth)
    rows = np.array([[0.0], [1500.0], [depth]])
    assert tree.max_depth == depth
    assert tree.predict(rows).tolist() == [0, 0, 0]
    assert tree.apply(rows).tolist() == [1, 3001, 2 * depth]
    assert tree.decision_path(rows).sum(axis=1).ravel().tolist() == [[2, 1502, 3001]]
    assert tree.feature_usage(rows).tolist() == [3]
    assert tree.feature_usage().tolist() == [depth + 1]
    assert pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree


@pytest.mark.parametrize("make", [make_chain, make_multiway_chain])
def test_checks_of_deep_trees_take_no_longer(make):
    depth = 100_000
    start = time.process_time()
    tree = make(depth)
    again = pickle.loads(pickle.dumps(tree))
    assert time.process_time() - start < 5.0  # some 0.1 s; by levels it would be 40 s
    assert again == tree
    assert again.max_depth == depth


def test_features_of_a_deep_tree_are_counted_without_a_set_for_every_node():
    depth = 20_000
    chain = make_chain(depth)
    arrays = {name: getattr(chain, name) for name in NODE_ARRAYS}
    arrays["feature"] = np.where(chain.feature == 0, np.arange(chain.node_count) // 2, -2)
    start = time.process_time()
    usage = Tree(**arrays, n_features=depth).feature_usage()
    assert time.process_time() - start < 5.0
    np.testing.assert_array_equal(usage, chain.n_node_samples[chain.feature == 0])


# ----------------------------------------------------------------------------------------------- few rows and many rows


# Rows walk in the packed tree if it has at most 16 nodes for every row that has walked, and for 32 more a call: the
# chain of depth 264 has 529.
@pytest.mark.parametrize(
    ("depth", "n_rows", "packs"),
    [
        (0, 16, True),
        *((1, n_rows, True) for n_rows in (1, 7, 8, 9, 15, 16)),
        (263, 1, True),
        (264, 1, False),
        (264, 2, True),
        (2000, 50, False),
        (2000, 300, True),
    ],
)
def test_any_number_of_samples_reaches_the_same_leaves(engine, depth, n_rows, packs):
    tree = make_chain(depth)
    X = np.random.default_rng(depth).integers(0, depth + 1, (n_rows, 1)).astype(np.float64)
    expected = [way(tree, row)[-1] for row in X]
    assert tree.apply(X).tolist() == expected
    assert (tree._packed is not None) == packs
    assert tree.apply(X).tolist() == expected
    assert (tree._packed is not None) == (tree.node_count <= 16 * 2 * (n_rows + 32))
    assert tree.predict(X).tolist() == [int(row[0]) % 2 for row in X]
    tree._pack()
    assert tree.apply(X).tolist() == tree._apply_valid(X).tolist() == expected
    assert tree.apply(X[:1]).tolist() == expected[:1]


def test_packing_changes_no_array_and_no_pickle(engine):
    tree, fresh = make_chain(3), make_chain(3)
    before = pickle.dumps(tree)
    assert tree._pack() is tree._pack()
    with pytest.raises(ValueError, match="WRITEABLE"):
        tree.majority.flags.writeable = True
    assert tree == fresh
    assert hash(tree) == hash(fresh)
    assert pickle.dumps(tree) == before
    assert copy.deepcopy(tree)._packed is None


@pytest.mark.parametrize("n_rows", [1, 15, 16, 100])
@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_values_that_are_not_finite_are_refused_among_any_number_of_samples(engine, n_rows, value, what):
    X = np.ones((n_rows, 3))
    assert two_features_twice().apply(X * 1e308).tolist() == [6] * n_rows  # the sum overflows; every value is finite
    X[-1, 2] = value
    for method in ("apply", "predict"):
        with pytest.raises(ValueError, match=f"{what} in column 2.*Tree does not accept"):
            getattr(two_features_twice(), method)(X)


def test_nodes_may_have_more_samples_than_the_root(engine):
    tree = make_stump(value=np.array([[2.0, 1.0], [2.0**62, 2.0**62], [0.0, 1e300]]), criterion="gini")
    assert tree.impurity.tolist() == pytest.approx([4 / 9, 0.5, 0.0])


@pytest.mark.parametrize("n_nodes", [1, 6, 7, 8, 50])
def test_majority_and_shares_at_nodes(n_nodes):
    tree = two_features_twice()
    nodes = np.random.default_rng(n_nodes).integers(0, 7, n_nodes)
    majority = tree.value.argmax(axis=1)
    for _ in range(2):
        np.testing.assert_array_equal(tree.majority_at(nodes), majority[nodes])
        np.testing.assert_array_equal(tree.majority, majority)
    np.testing.assert_array_equal(tree.shares_at(nodes), tree.shares[nodes])
    np.testing.assert_array_equal(tree.shares, tree.value / tree.value.sum(axis=1)[:, None])


@pytest.mark.parametrize("n_classes", [2, 8, 9, 130])
def test_shares_are_the_same_for_one_node_and_for_all(n_classes):
    value = np.random.default_rng(0).uniform(0.1, 1.0, (3, n_classes))
    tree = make_stump(value=value)
    for node in range(3):
        np.testing.assert_array_equal(tree.shares_at(np.array([node])), tree.shares[[node]])
