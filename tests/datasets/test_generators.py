"""Data sets that need no file: their definitions, and the tables that hold the same rows."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from support import assert_refuses, examples

from pytrees import DecisionTreeClassifier, Tree
from pytrees.datasets import (
    load,
    load_toy_ordinal,
    load_toy_permutations,
    make_balance_scale,
    make_from_random_tree,
    make_gaussian_blobs,
    make_monks,
)


def test_the_toy_example_of_permutations_is_the_papers():
    toy = load_toy_permutations()
    assert toy.data.shape == (14, 2)
    assert toy.data.dtype == np.float64
    assert np.bincount(toy.target).tolist() == [0, 6, 8]
    assert toy.target.dtype == np.int64
    assert toy.feature_names == ["f0", "f1"]
    assert list(toy.permutations) == list("ABCDE")
    for rows in toy.permutations.values():
        assert sorted(rows) == list(range(14))
    assert toy.permutations["A"].tolist() == list(range(14))
    # Table 2: severity 1, 2 and 4 up to test result 2 are class 2, the rest class 1.
    assert toy.target[toy.data[:, 0] < 4].tolist() == [2] * 6
    assert toy.target[toy.data[:, 0] == 5].tolist() == [1] * 4
    assert toy.target[toy.data[:, 0] == 4].tolist() == [2, 2, 1, 1]


def test_nominal_criteria_find_a_tie_in_the_ordinal_toy_example():
    toy = load_toy_ordinal()
    assert toy.data.shape == (40, 2)
    assert np.bincount(toy.target).tolist() == [10, 10, 10, 10]
    left = [np.bincount(toy.target[column <= 0.5], minlength=4).tolist() for column in toy.data.T]
    assert left == [[10, 0, 0, 10], [10, 10, 0, 0]]
    # nominal criteria find both splits equally good, and take the first
    for criterion in ("gini", "entropy"):
        trees = [DecisionTreeClassifier(criterion, max_depth=1).fit(X, toy.target).tree_ for X in split(toy.data)]
        assert trees[0].gain[0] == trees[1].gain[0] > 0.0


def split(data):
    return np.hsplit(data, data.shape[1])


@pytest.mark.parametrize(("problem", "n_ones", "n_train"), [(1, 216, 124), (2, 142, 169), (3, 228, 122)])
def test_monks_problems_follow_their_rules(problem, n_ones, n_train):
    X, y = make_monks(problem)
    assert X.shape == (432, 6)
    assert (X.dtype, y.dtype) == (np.float64, np.int64)
    assert len(np.unique(X, axis=0)) == 432
    assert [np.unique(column).tolist() for column in X.T] == [
        [1, 2, 3],
        [1, 2, 3],
        [1, 2],
        [1, 2, 3],
        [1, 2, 3, 4],
        [1, 2],
    ]
    assert y.sum() == n_ones
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        a1, a2, _, a4, a5, _ = row
        rules = (a1 == a2 or a5 == 1, row.count(1.0) == 2, (a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3))
        assert label == rules[problem - 1]
    drawn, labels = make_monks(problem, n_samples=n_train, random_state=0)
    assert len(np.unique(drawn, axis=0)) == n_train
    whole = {tuple(row): label for row, label in zip(X.tolist(), y.tolist(), strict=True)}
    assert [whole[tuple(row)] for row in drawn.tolist()] == labels.tolist()
    again, _ = make_monks(problem, n_samples=n_train, random_state=0)
    assert np.array_equal(drawn, again)


def test_noise_of_monks():
    X, y = make_monks(3, n_samples=122, random_state=1)
    noisy_X, noisy = make_monks(3, n_samples=122, noise=0.05, random_state=1)
    assert np.array_equal(X, noisy_X)
    assert (y != noisy).sum() == 6
    assert (make_monks(1, noise=1.0)[1] == 1 - make_monks(1)[1]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problem": 4}, "problem must be 1, 2 or 3, got 4"),
        ({"problem": 1, "n_samples": 433}, "n_samples must be between 1 and 432, got 433"),
        ({"problem": 1, "n_samples": 0}, "n_samples"),
        ({"problem": 1, "noise": 1.5}, "noise must be a share"),
        ({"problem": 1, "noise": float("nan")}, "noise must be a share"),
    ],
)
def test_wrong_parameters_of_monks_are_refused(options, message):
    assert_refuses(ValueError, message, make_monks, **options)


def test_the_balance_scale_follows_its_rule():
    X, y = make_balance_scale()
    assert (X.shape, X.dtype, y.dtype) == ((625, 4), np.float64, np.int64)
    assert len(np.unique(X, axis=0)) == 625
    left, right = X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]
    assert y.tolist() == np.where(left > right, 0, np.where(left == right, 1, 2)).tolist()


def counted(X, y):
    return Counter(map(tuple, np.column_stack([X, y]).tolist()))


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("balance_scale", make_balance_scale),
        ("monks1.test", lambda: make_monks(1)),
        ("monks2.test", lambda: make_monks(2)),
        ("monks3.test", lambda: make_monks(3)),
    ],
)
def test_generated_data_equals_the_published_tables(name, make):
    try:
        table = load(name, return_X_y=True)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert counted(*table) == counted(*make())


def test_blobs_equal_scikit_learns():
    X, y = make_gaussian_blobs(50, 3, 4, cluster_std=0.5, random_state=7)
    expected_X, expected_y = make_blobs(50, 3, centers=4, cluster_std=0.5, random_state=7)
    assert np.array_equal(X, expected_X)
    assert np.array_equal(y, expected_y)
    assert y.dtype == np.int64


@examples(50)
@given(st.integers(2, 5), st.integers(0, 12), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_labels_are_those_of_the_random_tree(n_classes, more_leaves, n_features, seed):
    n_leaves = n_classes + more_leaves
    options = {"n_samples": 60, "n_features": n_features, "n_classes": n_classes, "n_nodes": 2 * n_leaves - 1}
    X, y, tree = make_from_random_tree(**options, random_state=seed)
    assert X.shape == (60, n_features)
    assert X.min() >= 0.0
    assert X.max() < 1.0
    assert isinstance(tree, Tree)
    assert (tree.n_leaves, tree.n_classes, tree.n_features) == (n_leaves, n_classes, n_features)
    assert np.array_equal(tree.predict(X), y)
    assert np.unique(y).tolist() == list(range(n_classes))
    leaves = tree.apply(X)
    assert np.array_equal(
        np.bincount(leaves, minlength=tree.node_count)[tree.children_left == -1],
        tree.n_node_samples[tree.children_left == -1],
    )
    assert tree.value[0].tolist() == np.bincount(y, minlength=n_classes).tolist()
    for left, right in zip(tree.children_left, tree.children_right, strict=True):
        if left != -1 and tree.children_left[left] == tree.children_left[right] == -1:
            assert tree.majority[left] != tree.majority[right]
    again = make_from_random_tree(**options, random_state=seed)
    assert tree == again[2]
    assert np.array_equal(X, again[0])


def test_random_tree_of_limited_depth():
    _, _, tree = make_from_random_tree(1000, n_nodes=15, max_depth=3, random_state=0)
    assert (tree.node_count, tree.max_depth) == (15, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_nodes": 8}, "n_nodes must be an odd number"),
        ({"n_nodes": 1}, "n_nodes must be an odd number"),
        ({"n_nodes": 5}, "A tree of 5 nodes has 3 leaves, which cannot have 4 classes"),
        ({"n_classes": 1}, "cannot have 1 classes"),
        ({"n_samples": 7}, "8 leaves are too many for 7 samples and max_depth=None"),
        ({"max_depth": 2}, "8 leaves are too many for 500 samples and max_depth=2"),
    ],
)
def test_refused_random_trees(options, message):
    assert_refuses(ValueError, message, make_from_random_tree, **options)
