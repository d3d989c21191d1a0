"""Whole trees: compiled against reference, and what must hold of every tree."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from category_gains import EXACT
from hypothesis import given
from hypothesis import strategies as st
from seeded import count_weights, grid_weights, problems
from strategies import limits
from support import UNLIMITED, assert_same_tree, examples, grow, on_both_engines, rows_of_nodes

from pytrees._tree_checks import LEAF, UNDEFINED

CRITERIA = ["gini", "entropy", "nvi", "jaccard", "accuracy", "etc", "lz76"]


# Under a limit on the leaves the order in which they are split shows.
@pytest.mark.parametrize("criterion", [*CRITERIA, "mae"])
@examples(200)
@given(problem=problems(min_rows=10, missing=True), max_leaf_nodes=st.integers(2, 8))
def test_engines_agree_best_first(criterion, problem, max_leaf_nodes):
    assert_same_tree(*on_both_engines(grow, *problem, criterion, max_leaf_nodes=max_leaf_nodes))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "nvi", "ogini", "etc", "wig"])
@pytest.mark.parametrize("max_leaf_nodes", [3, 7, 20, 60])
def test_engines_agree_on_the_best_of_many_open_leaves(criterion, max_leaf_nodes):
    """With few values and two classes, many leaves gain the same."""
    rng = np.random.default_rng(max_leaf_nodes)
    X, y = rng.integers(0, 6, (150, 3)).astype(float), rng.integers(0, 2, 150)
    weights = None if criterion == "etc" else rng.integers(1, 3, 150)
    assert_same_tree(*on_both_engines(grow, X, y, weights, 2, criterion, max_leaf_nodes=max_leaf_nodes))


@pytest.mark.parametrize("growth_limits", [{}, {"max_leaf_nodes": 12}, {"max_candidates": 7, "max_features": 2}])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_engines_agree_on_more_samples(criterion, growth_limits):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(100, 4)).round(1), rng.integers(0, 3, 100)
    y[X[:, 0] > 0.5] = 1
    assert_same_tree(*on_both_engines(grow, X, y, criterion=criterion, **growth_limits))


def assert_valid_tree(tree, problem):
    X, y, weights, n_classes = problem
    n_nodes = len(tree["feature"])
    is_leaf = tree["children_left"] == LEAF
    np.testing.assert_array_equal(is_leaf, tree["children_right"] == LEAF)
    np.testing.assert_array_equal(is_leaf, tree["feature"] == UNDEFINED)
    np.testing.assert_array_equal(tree["threshold"][is_leaf], UNDEFINED)
    np.testing.assert_array_equal(tree["gain"][is_leaf], 0.0)
    assert tree["value"].shape == (n_nodes, n_classes)
    assert n_nodes == 2 * is_leaf.sum() - 1
    rows = rows_of_nodes(tree, X)
    for node in range(n_nodes):
        assert tree["n_node_samples"][node] == len(rows[node]) > 0
        counts = np.bincount(y[rows[node]], None if weights is None else weights[rows[node]], minlength=n_classes)
        np.testing.assert_allclose(tree["value"][node], counts, rtol=1e-12)
        if not is_leaf[node]:
            values = X[rows[node], tree["feature"][node]]
            below, above = values[values <= tree["threshold"][node]], values[values > tree["threshold"][node]]
            assert tree["below_threshold"][node] == below.max() <= tree["threshold"][node] < above.min()


def preorder(tree, node=0):
    if tree["children_left"][node] == LEAF:
        return [node]
    children = tree["children_left"][node], tree["children_right"][node]
    return [node, *preorder(tree, children[0]), *preorder(tree, children[1])]


def assert_limits_hold(tree, growth_limits):
    is_leaf = tree["children_left"] == LEAF
    depth = np.zeros(len(is_leaf), dtype=int)
    for node in np.flatnonzero(~is_leaf):
        depth[[tree["children_left"][node], tree["children_right"][node]]] = depth[node] + 1
    assert depth.max() <= growth_limits["max_depth"]
    assert is_leaf.sum() <= growth_limits["max_leaf_nodes"]
    assert (tree["n_node_samples"][~is_leaf] >= growth_limits["min_samples_split"]).all()
    assert (tree["gain"][~is_leaf] >= growth_limits["min_gain"]).all()
    if len(is_leaf) > 1:
        assert tree["n_node_samples"].min() >= growth_limits["min_samples_leaf"]


@pytest.mark.parametrize("criterion", CRITERIA)
@examples(150)
@given(problem=problems(), growth_limits=limits())
def test_trees_are_valid_and_within_limits(criterion, problem, growth_limits):
    tree = grow(*problem, criterion, **growth_limits)
    assert_valid_tree(tree, problem)
    assert preorder(tree) == list(range(len(tree["feature"])))
    assert_limits_hold(tree, growth_limits)


@examples(100)
@given(problem=problems(grid_weights))
def test_weighted_trees_are_valid(engine, problem):
    assert_valid_tree(grow(*problem), problem)


@pytest.mark.parametrize("criterion", CRITERIA)
@examples(100)
@given(problem=problems())
def test_without_limits_leaves_are_pure_or_cannot_be_cut(criterion, problem):
    tree = grow(*problem, criterion)
    for node, rows in enumerate(rows_of_nodes(tree, problem.X)):
        if tree["children_left"][node] == LEAF:
            is_pure = len(np.unique(problem.y[rows])) == 1
            assert is_pure or (problem.X[rows] == problem.X[rows[0]]).all()


@pytest.mark.parametrize("criterion", CRITERIA)
@examples(150)
@given(problem=problems(missing=True), growth_limits=limits(max_leaf_nodes=UNLIMITED))
def test_order_of_growth_does_not_matter_without_a_limit_of_leaves(criterion, problem, growth_limits):
    depth_first = grow(*problem, criterion, **growth_limits)
    enough_leaves = (len(depth_first["feature"]) + 1) // 2
    for max_leaf_nodes in (enough_leaves, enough_leaves + 1, 1000):
        best_first = grow(*problem, criterion, **(growth_limits | {"max_leaf_nodes": max_leaf_nodes}))
        assert_same_tree(best_first, depth_first)


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 5}])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "etc"])
def test_a_split_of_just_min_gain_is_made(engine, criterion, limits):
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 2, 2, 2]
    gain = grow(X, y, criterion=criterion, max_depth=1)["gain"][0]
    for least, n_nodes in ((gain, 3), (np.nextafter(gain, np.inf), 1)):
        assert len(grow(X, y, criterion=criterion, min_gain=least, max_depth=1, **limits)["feature"]) == n_nodes


def test_best_first_counts_gains_by_samples(engine):
    # Left of 10 an even node of 4 rows, gain 1/2; right of it 16 rows, 2 of them of another class, gain 7/32.
    # 4 * 1/2 = 2 rows against 16 * 7/32 = 3.5.
    X = np.concatenate([np.arange(4.0), np.arange(20.0, 36.0)])[:, None]
    y = np.array([0, 0, 1, 1] + [2] * 14 + [3] * 2)
    tree = grow(X, y, max_leaf_nodes=3)
    assert tree["threshold"][0] == 11.5
    assert tree["threshold"][tree["children_right"][0]] == 33.5
    assert tree["feature"][tree["children_left"][0]] == UNDEFINED


def test_best_first_takes_the_leftmost_of_equal_leaves(engine):
    X, y = np.arange(8.0)[:, None], [0, 0, 1, 1, 2, 2, 3, 3]
    tree = grow(X, y, criterion="entropy", max_leaf_nodes=3)
    assert tree["threshold"].tolist() == [3.5, 1.5, UNDEFINED, UNDEFINED, UNDEFINED]


@pytest.mark.parametrize("criterion", [*EXACT, "wig"])
@examples(200)
@given(problem=problems(count_weights, max_rows=15, missing=True), max_leaf_nodes=st.sampled_from([UNLIMITED, 3, 4]))
def test_whole_weights_count_as_repeated_samples(criterion, problem, max_leaf_nodes):
    X, y, weights, n_classes = problem
    weighted = grow(X, y, weights, n_classes, criterion, max_leaf_nodes=max_leaf_nodes)
    repeated = grow(
        np.repeat(X, weights, axis=0), np.repeat(y, weights), None, n_classes, criterion, max_leaf_nodes=max_leaf_nodes
    )
    assert_same_tree(weighted, repeated, names=[name for name in weighted if name != "n_node_samples"])


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@examples(100)
@given(problem=problems(missing=True))
def test_unit_weights_change_nothing(engine, criterion, problem):
    X, y, _, n_classes = problem
    ones = np.ones(len(y), dtype=np.int64)
    assert_same_tree(grow(X, y, ones, n_classes, criterion), grow(X, y, None, n_classes, criterion))


def exact_gini(counts):
    total = sum(counts)
    return 1 - Fraction(sum(count * count for count in counts), total * total)


def exact_gini_gain(y, weights, goes_left, n_classes):
    def counts(rows):
        return [int(weights[rows & (y == label)].sum()) for label in range(n_classes)]

    total = int(weights.sum())
    gain = exact_gini(counts(np.full(len(y), True)))
    for side in (goes_left, ~goes_left):
        gain -= Fraction(int(weights[side].sum()), total) * exact_gini(counts(side))
    return gain


@pytest.mark.parametrize("largest", [2**13, 2**18, 2**23])
@examples(100)
@given(data=st.data())
def test_gains_of_large_totals_are_the_nearest_doubles(engine, largest, data):
    problem = data.draw(problems(lambda rng, n_rows: count_weights(rng, n_rows, largest), max_rows=16))
    X, y, weights, n_classes = problem
    tree = grow(*problem)
    for node, rows in enumerate(rows_of_nodes(tree, X)):
        if tree["children_left"][node] != LEAF:
            goes_left = X[rows, tree["feature"][node]] <= tree["threshold"][node]
            assert tree["gain"][node] == float(exact_gini_gain(y[rows], weights[rows], goes_left, n_classes))


@pytest.mark.parametrize("exponent", [11, 12, 13, 14, 20, 25])
def test_zero_gain_of_large_totals(engine, exponent):
    # Exclusive or: no cut gains anything, whatever the weight.
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    tree = grow(X, y, np.full(4, 2**exponent, dtype=np.int64), max_depth=1)
    assert tree["feature"].tolist() == [0, UNDEFINED, UNDEFINED]
    assert tree["gain"].tolist() == [0.0, 0.0, 0.0]
    assert not np.signbit(tree["gain"]).any()


# Near an even split of two even classes the score is flat: one row in 2**27 changes the score by a relative 1e-16,
# which no comparison of doubles sees.
@examples(600)
@given(
    extra=st.sampled_from([1, 2, 60]).flatmap(lambda n: st.lists(st.integers(0, n), min_size=8, max_size=8)),
    places=st.lists(st.permutations([0, 0, 1, 1]) | st.lists(st.integers(0, 3), min_size=4, max_size=4), max_size=4),
    n_classes=st.sampled_from([2, 4]),
)
def test_near_ties_are_resolved_exactly(extra, places, n_classes):
    places = [[0, 0, 1, 1], *places]
    weights = 2**24 + np.array([*extra, 0, 0], dtype=np.int64)
    y = np.array([0, 1] * 4 + [2, 3])
    # Rows come in pairs, one of each class: all cuts split both classes alike, but for the extra weights.
    X = np.repeat(np.array(places, dtype=np.float64).T, 2, axis=0)
    # Two further classes lie far out on either side: gains are then no longer small, and their doubles are equal too.
    X = np.vstack([X, np.full(X.shape[1], -1.0), np.full(X.shape[1], 4.0)])
    n_rows = 6 + n_classes
    X, y, weights = X[:n_rows], y[:n_rows], weights[:n_rows]
    splits = [
        (exact_gini_gain(y, weights, column <= below, n_classes), feature, (below + above) / 2)
        for feature, column in enumerate(X.T)
        for below, above in pairwise(np.unique(column))
    ]
    gain, feature, threshold = max(splits, key=lambda split: split[0])
    for tree in on_both_engines(grow, X, y, weights, max_depth=1):
        assert (tree["feature"][0], tree["threshold"][0]) == (feature, threshold)
        assert tree["gain"][0] == float(gain)


@pytest.mark.parametrize(
    ("left", "right"), [(58919781, 43337426), (21395961, 47194210), (32751102, 59468775), (51761736, 27905200)]
)
def test_gain_next_to_the_middle_of_two_doubles(engine, left, right):
    # In binary the gain 2 a b / (a + b)**2 looks like the middle of two doubles in its first 65 bits:
    # the bits that follow decide the rounding. A few thousand tries find weights like these.
    tree = grow([[0.0], [1.0]], [0, 1], np.array([left, right], dtype=np.int64))
    assert tree["gain"][0] == float(Fraction(2 * left * right, (left + right) ** 2))


# Weights beyond 2**24 of two classes, in pairs, and the pairs that go left by the worse and by the better feature.
@pytest.mark.parametrize(
    ("extra", "worse", "better"),
    [
        ([1, 5, 2, 7, 3, 8, 0, 6], [0, 1], [0, 2]),
        ([0, 4, 3, 1, 0, 1, 4, 5], [0, 3], [0, 2]),
        ([8, 9, 3, 4, 6, 4, 1, 9], [0, 3], [0, 2]),
        ([1, 5, 1, 1, 3, 3, 5, 5], [0, 3], [0, 1]),
        # Products of which every carry counts.
        ([7, 9, 1, 0, 3, 8, 1, 5], [0, 2], [0, 1]),
        ([7, 0, 0, 3, 9, 3, 8, 5], [0, 1], [0, 3]),
    ],
)
def test_near_tie_whose_nearest_doubles_are_equal(engine, extra, worse, better):
    weights = 2**24 + np.array([*extra, 0, 0], dtype=np.int64)
    y = np.array([0, 1] * 4 + [2, 3])
    X = np.array([[*np.repeat([pair not in left for pair in range(4)], 2), 0, 1] for left in (worse, better)]).T
    gains = [exact_gini_gain(y, weights, column == 0, 4) for column in X.T]
    assert gains[0] < gains[1]
    assert float(gains[0]) == float(gains[1])
    tree = grow(X, y, weights, max_depth=1)
    assert (tree["feature"][0], tree["gain"][0]) == (1, float(gains[1]))
    # In the other order the first one stays.
    assert grow(X[:, ::-1], y, weights, max_depth=1)["feature"][0] == 0
