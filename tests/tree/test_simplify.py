"""Redundant splits: every arrangement by hand, and random trees that must predict the same with fewer nodes."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multiway_trees import random_rows, random_tree
from samples import NODE_ARRAYS, make_chain, make_classes, make_stump_of_numbers, make_ties
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from support import assert_refuses, examples, rows_of_nodes

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OrdinalDecisionTreeClassifier,
    Tree,
    merge_redundant,
    minimal_tree,
    redundant_splits,
)


def build(shape, n_features=2, n_classes=3):
    """The Tree of a nested tuple (feature, threshold, left, right), its leaves classes; leaf i from the left has i + 1
    rows, and every split gains 0.5."""
    nodes = []

    def add(part):
        number = len(nodes)
        if isinstance(part, int):
            rows = 1 + sum(node[0] == -1 for node in nodes)
            nodes.append([-1, -1, -2, -2.0, rows, np.eye(n_classes)[part] * rows, 0.0])
            return number
        feature, threshold, left, right = part
        nodes.append([None, None, feature, threshold, None, None, 0.5])
        children = [add(left), add(right)]
        nodes[number][:2] = children
        nodes[number][4:6] = [sum(nodes[child][i] for child in children) for i in (4, 5)]
        return number

    add(shape)
    return Tree(*(list(column) for column in zip(*nodes, strict=True)), n_features)


def shape_of(tree, node=0):
    """The nested tuple that `build` makes a tree from."""
    if tree.children_left[node] == -1:
        return int(tree.majority[node])
    children = (shape_of(tree, child[node]) for child in (tree.children_left, tree.children_right))
    return (int(tree.feature[node]), float(tree.threshold[node]), *children)


def shapes(max_leaves=20):
    leaves = st.integers(0, 2)
    thresholds = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
    return st.recursive(
        leaves, lambda parts: st.tuples(st.integers(0, 1), thresholds, parts, parts), max_leaves=max_leaves
    )


def points():
    """Both sides of every threshold that `shapes` draws, and the thresholds themselves."""
    values = np.array([-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, np.nextafter(1.0, 2.0), 1.5, 2.0, 3.0])
    return np.stack(np.meshgrid(values, values), axis=-1).reshape(-1, 2)


SUBTREE = (1, 7.0, 2, 0)


# ------------------------------------------------------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        # Both leaves on the left: the higher threshold; as printed in Section 3.2.
        ((0, 1.0, 0, (0, 2.0, 0, SUBTREE)), (0, 2.0, 0, SUBTREE), (1, 0)),
        # Both on the right: the lower one.
        ((0, 2.0, (0, 1.0, SUBTREE, 0), 0), (0, 1.0, SUBTREE, 0), (1, 0)),
        # On different sides they enclose an interval.
        ((0, 1.0, 0, (0, 2.0, SUBTREE, 0)), (0, 1.0, 0, (0, 2.0, SUBTREE, 0)), (0, 0)),
        ((0, 2.0, (0, 1.0, 0, SUBTREE), 0), (0, 2.0, (0, 1.0, 0, SUBTREE), 0), (0, 0)),
        # No row reaches the lower leaf.
        ((0, 2.0, 0, (0, 1.0, 0, SUBTREE)), (0, 2.0, 0, SUBTREE), (1, 0)),
        ((0, 1.0, (0, 2.0, SUBTREE, 0), 0), (0, 1.0, SUBTREE, 0), (1, 0)),
        # Another feature, or another class.
        ((0, 1.0, 0, (1, 2.0, 0, SUBTREE)), (0, 1.0, 0, (1, 2.0, 0, SUBTREE)), (0, 0)),
        ((0, 1.0, 1, (0, 2.0, 0, SUBTREE)), (0, 1.0, 1, (0, 2.0, 0, SUBTREE)), (0, 0)),
        # Siblings of one class, and what they make of their parents.
        ((0, 1.0, 1, 1), 1, (0, 1)),
        ((0, 1.0, (1, 2.0, 1, 1), (1, 3.0, 1, (0, 2.0, 1, 1))), 1, (0, 4)),
        ((0, 1.0, 0, (0, 2.0, (1, 0.0, 0, 0), SUBTREE)), (0, 2.0, 0, SUBTREE), (1, 1)),
        # Both kinds in one.
        ((0, 1.0, 0, (0, 2.0, 0, (0, 3.0, 0, SUBTREE))), (0, 3.0, 0, SUBTREE), (2, 0)),
        ((0, 1.0, 0, (0, 2.0, 0, (1, 3.0, 0, 0))), 0, (0, 3)),
        (2, 2, (0, 0)),
    ],
)
def test_redundant_splits_of_every_arrangement_are_merged(before, after, counts):
    tree = build(before, n_features=2)
    merged = merge_redundant(tree)
    assert shape_of(merged) == after
    assert redundant_splits(tree) == counts
    assert tree.node_count - merged.node_count == 2 * sum(counts)


def test_counts_add_up_and_gains_are_weighted_by_samples():
    tree = build((0, 1.0, 0, (0, 2.0, 0, (1, 7.0, 2, 1))))
    merged = merge_redundant(tree)
    assert merged.n_node_samples.tolist() == [10, 1 + 2, 7, 3, 4]
    assert merged.value.tolist() == [[3, 4, 3], [3, 0, 0], [0, 4, 3], [0, 0, 3], [0, 4, 0]]
    assert merged.gain.tolist() == [0.5 + 0.5 * (9 / 10), 0.0, 0.5, 0.0, 0.0]
    assert merged.children_left.tolist() == [1, -1, 3, -1, -1]
    assert merged.children_right.tolist() == [2, -1, 4, -1, -1]


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -sum(share * log2(share) for share in shares)


def test_the_gain_of_a_joined_split_is_its_decrease_of_impurity():
    """One feature in the order of the classes 0 0 1 0 1, cut after the first row and then after the second row."""
    tree = Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -2, 0, -2, -2],
        [0.5, -2, 1.5, -2, -2],
        [5, 1, 4, 1, 3],
        [[3, 2], [1, 0], [2, 2], [1, 0], [1, 2]],
        [
            entropy(np.array([3, 2])) - 4 / 5 * entropy(np.array([2, 2])),
            0.0,
            entropy(np.array([2, 2])) - 3 / 4 * entropy(np.array([1, 2])),
            0.0,
            0.0,
        ],
        1,
    )
    merged = merge_redundant(tree)
    expected = entropy(np.array([3, 2])) - 3 / 5 * entropy(np.array([1, 2]))
    assert merged.threshold[0] == 1.5
    assert merged.gain[0] == pytest.approx(expected, rel=1e-15)


# Trees on one feature: leaves of equal numbers, and repeated splits that leave equal numbers aside.
@pytest.mark.parametrize(
    ("structure", "value", "impurity", "merged", "counts"),
    [
        (
            ([1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0, 0, -2, -2, -2], [2.0, 1.0, -2.0, -2.0, -2.0], [3, 2, 1, 1, 1]),
            [17 / 3, 5.0, 5.0, 5.0, 7.0],
            [2.0, 0.5, 0.25, 0.75, 1.0],
            ([17 / 3, 5.0, 7.0], [2.0, 0.5, 1.0]),
            (0, 1),
        ),
        (
            ([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -2, 0, -2, -2], [1.0, -2.0, 2.0, -2.0, -2.0], [3, 1, 2, 1, 1]),
            [17 / 3, 5.0, 6.0, 5.0, 7.0],
            [3.0, 1.0, 2.0, 0.0, 0.5],
            ([17 / 3, 5.0, 7.0], [3.0, 0.5, 0.5]),
            (1, 0),
        ),
    ],
)
def test_splits_of_equal_numbers_are_merged(structure, value, impurity, merged, counts):
    left, right = (np.array(structure[side]) for side in (0, 1))
    n, value = np.array(structure[4], dtype=float), np.array(value)
    gain = np.where(left < 0, 0.0, n[left] * n[right] * (value[left] - value[right]) ** 2 / n**2)
    weights = {"weighted_n_node_samples": n, "impurity": impurity}
    tree = Tree(*structure, value[:, np.newaxis], gain, 1, **weights)
    found = merge_redundant(tree)
    assert redundant_splits(tree) == counts
    assert (found.value[:, 0].tolist(), found.impurity.tolist()) == merged
    assert found.threshold.tolist() == [2.0, -2.0, -2.0]
    assert found.weighted_n_node_samples.tolist() == [3.0, 2.0, 1.0]
    np.testing.assert_allclose(found.gain[0], (2.0 / 9.0) * 4.0)


# ---------------------------------------------------------------------------------------------------------- properties


def assert_simplified(tree, merged, X):
    np.testing.assert_array_equal(tree.predict(X), merged.predict(X))
    assert merged.node_count <= tree.node_count
    assert merged.node_count == tree.node_count - 2 * sum(redundant_splits(tree))
    assert merge_redundant(merged) == merged
    assert redundant_splits(merged) == (0, 0)
    inner = np.flatnonzero(merged.children_left != -1)
    for name in ("value", "n_node_samples"):
        array = getattr(merged, name)
        np.testing.assert_array_equal(
            array[inner], array[merged.children_left[inner]] + array[merged.children_right[inner]]
        )
        np.testing.assert_array_equal(array[0], getattr(tree, name)[0])


@examples(500)
@given(shape=shapes())
def test_random_trees_predict_the_same(shape):
    tree = build(shape)
    assert_simplified(tree, merge_redundant(tree), points())


@pytest.mark.parametrize("criterion", ["gini", "entropy", "etc"])
@pytest.mark.parametrize("make", [make_classes, make_ties])
@pytest.mark.parametrize("max_depth", [None, 4])
def test_grown_trees_predict_the_same(criterion, make, max_depth):
    """Leaves that are not pure predict their most frequent class."""
    X, y = make(n_samples=60, seed=1)
    tree = DecisionTreeClassifier(criterion, max_depth=max_depth).fit(X, y).tree_
    random = np.random.default_rng(0).normal(size=(500, 3)) * 3
    at_thresholds = np.random.default_rng(1).choice(tree.threshold, size=(500, 3))
    merged = merge_redundant(tree)
    assert_simplified(tree, merged, np.concatenate([X, random, at_thresholds]))
    rows = rows_of_nodes({name: getattr(merged, name) for name in NODE_ARRAYS}, X)
    for node, here in enumerate(rows):
        np.testing.assert_array_equal(merged.value[node], np.bincount(y[here], minlength=3))


@pytest.mark.parametrize("error", ["squared_error", "absolute_error"])
@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.2]))
def test_grown_trees_of_numbers_predict_the_same(error, seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (30, 2)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    y, weights = rng.integers(0, 2, 30) * 0.1, rng.integers(1, 4, 30)
    tree = DecisionTreeRegressor(error, max_depth=4).fit(X, y, sample_weight=weights).tree_
    merged = merge_redundant(tree)
    np.testing.assert_array_equal(merged.predict(X), tree.predict(X))
    assert redundant_splits(merged) == (0, 0)
    leaves = merged.apply(X)
    for leaf in np.unique(leaves):
        assert merged.weighted_n_node_samples[leaf] == weights[leaves == leaf].sum()
        errors = np.abs(y[leaves == leaf] - merged.value[leaf, 0]) ** (2 if error == "squared_error" else 1)
        np.testing.assert_allclose(
            merged.impurity[leaf], np.average(errors, weights=weights[leaves == leaf]), atol=1e-12
        )


def test_minimal_trees_have_no_redundant_splits():
    X, y = make_classes(n_samples=30, seed=2)
    assert redundant_splits(minimal_tree(X, y).tree) == (0, 0)


def test_deep_trees_are_merged_without_recursion():
    depth = 3000
    tree = make_chain(depth)
    assert merge_redundant(tree) == tree
    one_class = np.zeros(tree.node_count, dtype=int)
    merged, labels = merge_redundant(tree, one_class)
    assert (merged.node_count, labels.tolist()) == (1, [0])
    assert merged.n_node_samples[0] == depth + 1


# ------------------------------------------------------------------------------------------------------ multiway trees


def multiway(children, of_node=None, n_classes=3):
    """A root with a child for every category: a leaf of a class, or a split at 0.5 of the second feature into leaves of
    a pair of classes. The root predicts `of_node`, as it has further rows of this class."""
    arrays = {name: [] for name in (*NODE_ARRAYS, "category")}
    offsets, flat = [0], []

    def add(left, right, feature, threshold, label, category):
        counts = np.eye(n_classes)[label] * 2
        entries = left, right, feature, threshold, 2, counts, 0.25 * (feature >= 0), category
        for name, entry in zip((*NODE_ARRAYS, "category"), entries, strict=True):
            arrays[name].append(entry)

    add(-2, -2, 0, -2.0, 0 if of_node is None else of_node, -1)
    parts = []
    for category, child in children.items():
        number = len(arrays["category"])
        flat.append(number)
        if isinstance(child, int):
            add(-1, -1, -2, -2.0, child, category)
            parts.append([])
        else:
            add(number + 1, number + 2, 1, 0.5, child[0], category)
            add(-1, -1, -2, -2.0, child[0], -1)
            add(-1, -1, -2, -2.0, child[1], -1)
            parts += [[number + 1, number + 2], [], []]
    for part in [flat.copy(), *parts]:
        offsets.append(offsets[-1] + len(part))
    flat += [child for part in parts for child in part]
    return Tree(**arrays, n_features=2, child_offsets=offsets, children=np.array(flat, dtype=np.int64))


@pytest.mark.parametrize(
    ("children", "of_node", "n_nodes", "counts"),
    [
        ({0: 1, 3: 1, 4: 1}, 1, 1, (0, 1)),
        ({3: 1}, 1, 1, (0, 1)),
        # Rows of other categories would be predicted otherwise.
        ({0: 1, 3: 1, 4: 1}, 0, 4, (0, 0)),
        ({0: 1, 3: 0, 4: 1}, 1, 4, (0, 0)),
        ({0: 1, 3: (1, 1), 4: 1}, 1, 1, (0, 2)),
        ({0: 1, 3: (1, 1), 4: 0}, 1, 4, (0, 1)),
        ({0: 1, 3: (1, 0), 4: (1, 1)}, 1, 6, (0, 1)),
    ],
)
def test_children_of_one_class(children, of_node, n_nodes, counts):
    tree = multiway(children, of_node)
    merged = merge_redundant(tree)
    assert merged.node_count == n_nodes
    assert redundant_splits(tree) == counts
    points = np.stack(np.meshgrid(np.arange(-1.0, 6.0), [0.0, 1.0]), axis=-1).reshape(-1, 2)
    np.testing.assert_array_equal(tree.predict(points), merged.predict(points))
    if n_nodes > 1:
        assert merged.category[merged.children_of(0)].tolist() == list(children)


@examples(300)
@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 3), sets=st.booleans())
def test_random_multiway_trees_predict_the_same(seed, n_labels, sets):
    rng = np.random.default_rng(seed)
    cardinalities = [0, 4, 2]
    tree, X = random_tree(rng, cardinalities, sets=sets), random_rows(rng, cardinalities, 100)
    labels = rng.integers(0, n_labels, tree.node_count)
    merged, merged_labels = merge_redundant(tree, labels)
    np.testing.assert_array_equal(merged_labels[merged.apply(X)], labels[tree.apply(X)])
    again, _ = merge_redundant(merged, merged_labels)
    assert again == merged
    by_majority = merge_redundant(tree)
    np.testing.assert_array_equal(by_majority.predict(X), tree.predict(X))
    assert redundant_splits(by_majority) == (0, 0)


def test_categories_of_equal_numbers_are_merged():
    def star(*numbers):
        """Return a node of this number with a child for every category."""
        number, n = np.array(numbers)[:, np.newaxis], len(numbers) - 1
        left, feature, offsets = [-2, *n * [-1]], [0, *n * [-2]], [0, *(n + 1) * [n]]
        arrays = left, left, feature, (n + 1) * [-2.0], [n, *n * [1]], number, np.zeros(n + 1), 1, offsets
        return Tree(*arrays, np.arange(1, n + 1), range(-1, n), weighted_n_node_samples=[n, *n * [1]])

    merged = merge_redundant(star(1.0, 1.0, 1.0, 1.0))
    assert merged.value.tolist() == [[1.0]]
    assert merged.weighted_n_node_samples.tolist() == [3.0]
    for different in (star(1.5, 1.0, 2.0), star(1.5, 1.0, 1.0)):  # the node itself predicts for other categories
        assert merge_redundant(different) == different


# -------------------------------------------------------------------------------------------------------------- labels


def test_labels_decide_instead_of_the_majority():
    tree = build((0, 1.0, 0, (0, 2.0, 1, (1, 7.0, 2, 0))))
    merged, labels = merge_redundant(tree, labels=["", "a", "", "a", "", "b", "c"])
    assert shape_of(merged) == (0, 2.0, 1, (1, 7.0, 2, 0))
    assert labels.tolist() == ["", "a", "", "b", "c"]
    assert redundant_splits(tree, ["", "a", "", "b", "", "c", "c"]) == (0, 1)
    assert merge_redundant(tree) == tree


@examples(200)
@given(shape=shapes(), data=st.data())
def test_labelled_trees_predict_the_same(shape, data):
    tree = build(shape)
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=tree.node_count, max_size=tree.node_count)))
    merged, merged_labels = merge_redundant(tree, labels)
    np.testing.assert_array_equal(merged_labels[merged.apply(points())], labels[tree.apply(points())])
    again, _ = merge_redundant(merged, merged_labels)
    assert again == merged


def test_estimators_bring_their_tree_and_labels():
    X, y = make_ties(seed=3)
    estimator = DecisionTreeClassifier("etc").fit(X, y)
    assert merge_redundant(estimator) == merge_redundant(estimator.tree_)
    tree = build((0, 1.0, 0, (0, 2.0, 1, 2)))
    labelled = DecisionTreeClassifier()
    labelled.tree_, labelled.node_labels_ = tree, np.array([0, 0, 0, 0, 2])
    merged, labels = merge_redundant(labelled)
    assert (merged.node_count, labels.tolist()) == (3, [0, 0, 2])
    assert redundant_splits(labelled) == (1, 0)
    assert redundant_splits(labelled, np.zeros(5)) == (0, 2)


@pytest.mark.parametrize("labels", [[0, 1], np.zeros((3, 1)), 0])
def test_there_must_be_one_label_for_every_node(labels):
    for function in (merge_redundant, redundant_splits):
        assert_refuses(ValueError, r"labels must have shape \(3,\)", function, build((0, 1.0, 0, 1)), labels)
        assert_refuses(ValueError, "the tree predicts numbers", function, make_stump_of_numbers(), [0, 0, 1])


def test_objects_without_a_tree_of_known_predictions_are_refused():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    for given_one, error, words in (
        (DecisionTreeClassifier(), NotFittedError, "not fitted"),
        ([1, 2], TypeError, "not an estimator"),
        (DecisionForestClassifier(2).fit(X, y), TypeError, r"pass one tree, such as estimators_\[0\]"),
        (SklearnTreeClassifier().fit(X, y), TypeError, "not one of pytrees"),
    ):
        for function in (merge_redundant, redundant_splits):
            assert_refuses(error, words, function, given_one)
    median = OrdinalDecisionTreeClassifier(predict_rule="median").fit(X, y)
    assert_refuses(ValueError, "predict_rule='median'", merge_redundant, median)
    merged, labels = merge_redundant(median, labels=[0, 0, 1])
    assert (merged.node_count, labels.tolist()) == (3, [0, 0, 1])
