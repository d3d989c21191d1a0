"""The way of rows through a tree, against a naive walk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, assert_same_tree, chain, examples, grow, on_both_engines, rows_of_nodes

from pytrees._engine import kernel
from pytrees._tree_checks import LEAF, UNDEFINED
from pytrees.testing.strategies import _EXTREME_VALUES

pytestmark = pytest.mark.kernels

# On both sides of the 12 rows that walk side by side, and of 64 features, up to which the next rows are fetched.
ROWS = [0, 1, 7, 8, 9, 11, 12, 13, 23, 24, 25, 40]
FEATURES = [1, 3, 63, 64, 65]

STRUCTURE = ("children_left", "children_right", "feature", "threshold")


def traverse(function, tree, X):
    result = kernel(function)(*(tree[name] for name in STRUCTURE), np.ascontiguousarray(X))
    return tuple(map(np.asarray, result)) if function == "decision_path" else np.asarray(result)


def naive_path(tree, row_values, node=0, missing_go_left=None):
    """The nodes from this one down to the row's leaf."""
    if tree["children_left"][node] == LEAF:
        return [node]
    value = row_values[tree["feature"][node]]
    goes_left = missing_go_left[node] if np.isnan(value) else value <= tree["threshold"][node]
    child = tree["children_left" if goes_left else "children_right"][node]
    return [node, *naive_path(tree, row_values, int(child), missing_go_left)]


def assert_walked_as_naively(tree, X):
    paths = [naive_path(tree, row_values) for row_values in X]
    leaves = traverse("apply", tree, X)
    np.testing.assert_array_equal(leaves, [path[-1] for path in paths])
    indptr, indices = traverse("decision_path", tree, X)
    np.testing.assert_array_equal(np.diff(indptr), [len(path) for path in paths])
    np.testing.assert_array_equal(indices, np.concatenate(paths))
    assert indptr[0] == 0
    usage = traverse("feature_usage", tree, X)
    looked_at = [{int(tree["feature"][node]) for node in path[:-1]} for path in paths]
    np.testing.assert_array_equal(usage, [sum(f in features for features in looked_at) for f in range(X.shape[1])])
    for array in (leaves, indptr, indices, usage):
        assert array.dtype == np.int64


def random_tree(rng, n_inner_nodes, n_features):
    """A tree of any shape, nodes in preorder; features repeat on a path, and some branches cannot be reached."""
    tree = {name: [] for name in STRUCTURE}

    def add(n_inner):
        node = len(tree["feature"])
        for name in ("children_left", "children_right"):
            tree[name].append(LEAF)
        tree["feature"].append(rng.integers(n_features) if n_inner else UNDEFINED)
        tree["threshold"].append(rng.choice([-1.5, -0.5, 0.0, 0.5, 1.5]) if n_inner else float(UNDEFINED))
        if n_inner:
            n_left = rng.integers(n_inner)
            tree["children_left"][node] = add(n_left)
            tree["children_right"][node] = add(n_inner - 1 - n_left)
        return node

    add(n_inner_nodes)
    dtypes = (np.int64, np.int64, np.int64, np.float64)
    return {name: np.array(tree[name], dtype=dtype) for name, dtype in zip(STRUCTURE, dtypes, strict=True)}


@pytest.fixture(scope="module")
def stump():
    return grow(np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]), [0, 1, 1])


def test_walks_of_a_small_tree(engine, stump):
    X = np.array([[0.5, 0.0], [np.nextafter(0.5, 1.0), 0.0], [-7.0, 0.0]])
    assert traverse("apply", stump, X).tolist() == [1, 2, 1]
    indptr, indices = traverse("decision_path", stump, X)
    assert indptr.tolist() == [0, 2, 4, 6]
    assert indices.tolist() == [0, 1, 0, 2, 0, 1]
    assert traverse("feature_usage", stump, X).tolist() == [3, 0]


def test_no_samples_reach_no_leaves(engine, stump):
    X = np.empty((0, 2))
    assert traverse("apply", stump, X).shape == (0,)
    assert [part.tolist() for part in traverse("decision_path", stump, X)] == [[0], []]


def test_values_around_the_threshold(engine):
    X = np.array(_EXTREME_VALUES)[:, None]
    tree = grow(X, np.arange(len(X)))
    assert_walked_as_naively(tree, X)
    leaves, finite = find_leaves(tree, X)
    assert list(leaves) == [naive_path(tree, row_values)[-1] for row_values in X]
    assert finite


@examples(200)
@given(seed=st.integers(0, 2**32 - 1), n_inner_nodes=st.integers(0, 20), n_features=st.integers(1, 4))
def test_random_trees_are_walked_as_naively(engine, seed, n_inner_nodes, n_features):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n_inner_nodes, n_features)
    assert_walked_as_naively(tree, rng.integers(-4, 5, (rng.integers(1, 30), n_features)) / 2)


def parts(tree):
    """Return a tree of thresholds as `pack_forest` takes trees."""
    return *(tree[name] for name in STRUCTURE), None


def find_leaves(tree, X, goes_left=None):
    """Pack a tree, and return the leaves that the rows reach, and whether X is finite."""
    n_nodes = len(tree["feature"])
    missing = () if goes_left is None else ([goes_left],)
    forest = kernel("pack_forest")([parts(tree)], [np.arange(n_nodes)], n_nodes, *missing)
    return kernel("find_leaves")(forest, X)


def sum_leaves(trees, of_nodes, n_classes, X):
    """Pack trees, and return the sums over the leaves that the rows reach, and whether X is finite."""
    return kernel("sum_leaves")(kernel("pack_forest")(list(map(parts, trees)), of_nodes, n_classes), X)


def random_rows(rng, n_rows, n_features):
    return rng.integers(-4, 5, (n_rows, n_features)) / 2


@examples(200)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_inner_nodes=st.integers(0, 20),
    n_rows=st.sampled_from(ROWS),
    n_features=st.sampled_from(FEATURES),
)
def test_samples_reach_the_same_leaves_in_packed_trees(engine, seed, n_inner_nodes, n_rows, n_features):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n_inner_nodes, n_features)
    X = random_rows(rng, n_rows, n_features)
    leaves, finite = find_leaves(tree, X)
    np.testing.assert_array_equal(leaves, [naive_path(tree, row_values)[-1] for row_values in X])
    assert finite is True


@examples(100)
@given(seed=st.integers(0, 2**32 - 1), n_inner_nodes=st.integers(0, 20), n_rows=st.sampled_from(ROWS))
def test_missing_values_take_the_given_side_beside_values_on_thresholds(engine, seed, n_inner_nodes, n_rows):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n_inner_nodes, 3)
    X = rng.choice([-1.5, -0.5, 0.0, 0.5, 1.5, np.nan], (n_rows, 3))
    goes_left = rng.integers(0, 2, len(tree["feature"]), dtype=np.uint8)
    expected = np.array([naive_path(tree, row_values, 0, goes_left)[-1] for row_values in X], dtype=np.int64)
    leaves, _ = find_leaves(tree, X, goes_left)
    np.testing.assert_array_equal(leaves, expected)
    leaves = kernel("apply")(*(tree[name] for name in STRUCTURE), X, goes_left)
    np.testing.assert_array_equal(leaves, expected)
    votes = np.arange(len(tree["feature"]), dtype=np.int64)
    forest = kernel("pack_forest")([parts(tree)], [votes], len(votes), [goes_left])
    sums, _ = kernel("sum_leaves")(forest, X)
    np.testing.assert_array_equal(np.reshape(sums, (n_rows, len(votes))), np.eye(len(votes))[expected])


def test_thresholds_may_be_infinite(engine, stump):
    for threshold, leaf in ((np.inf, 1), (-np.inf, 2)):
        tree = stump | {"threshold": np.array([threshold, UNDEFINED, UNDEFINED], dtype=np.float64)}
        leaves, _ = find_leaves(tree, np.zeros((13, 2)))
        assert list(leaves) == [leaf] * 13


@examples(200)
@given(
    n_rows=st.sampled_from(ROWS[1:]),
    n_features=st.sampled_from(FEATURES),
    place=st.integers(0, 2**16),
    value=st.sampled_from([np.nan, -np.nan, np.inf, -np.inf]),
)
def test_values_that_are_not_finite_are_noticed_anywhere(engine, stump, n_rows, n_features, place, value):
    X = np.full((n_rows, max(n_features, 2)), np.finfo(np.float64).max)
    assert find_leaves(stump, X)[1] is True
    X.flat[place % X.size] = value
    assert find_leaves(stump, X)[1] is False


# With 4,000 features, a block has 250 rows.
@pytest.mark.parametrize(("n_features", "n_rows"), [(4_000, 253), *((2, n) for n in (0, 1, 9, 10, 11, 20, 21, 100))])
@pytest.mark.parametrize("n_trees", [1, 3, 10, 11])
def test_sums_over_trees(engine, n_trees, n_rows, n_features):
    rng = np.random.default_rng(n_rows)
    trees = [random_tree(rng, rng.integers(10), n_features) for _ in range(n_trees)]
    X = random_rows(rng, n_rows, n_features)
    votes = [rng.integers(0, 3, len(tree["feature"])) for tree in trees]
    values = [rng.normal(size=(len(tree["feature"]), 3)) for tree in trees]
    counted, total = np.zeros((n_rows, 3)), np.zeros((n_rows, 3))
    for row, row_values in enumerate(X):
        for i, tree in enumerate(trees):  # in this order, as the sums of floating-point numbers depend on it
            leaf = naive_path(tree, row_values)[-1]
            counted[row, votes[i][leaf]] += 1
            total[row] += values[i][leaf]
    for of_nodes, expected in ((values, total), (votes, counted)):
        summed, finite = sum_leaves(trees, of_nodes, 3, X)
        np.testing.assert_array_equal(np.asarray(summed).reshape(n_rows, 3), expected)
        assert finite


# Several of these share a key, wherever keys have their origin; differences of others overflow.
CLOSE_VALUES = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    1.0,
    1 + 2**-52,
    1 + 2**-24,
    1 + 2**-22,
    1.7e308,
    -1.7e308,
    1e38,
    4e38,
    5e38,
]


@examples(200)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.sampled_from([1, 5, 10, 11, 30]),
    shift=st.sampled_from([-0.0, 1e9, -1e300]),  # the sum with -0.0 keeps zeros of both signs
    # Keys are made for trees of at least as many steps as features.
    n_features=st.sampled_from([1, 2, 50]),
)
def test_numbers_decide_where_keys_are_equal(engine, seed, n_rows, shift, n_features):
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, rng.integers(1, 40), n_features) for _ in range(3)]
    for tree in trees:
        tree["threshold"] = np.where(tree["feature"] < 0, -2.0, rng.choice(CLOSE_VALUES, len(tree["feature"])) + shift)
    X = rng.choice(CLOSE_VALUES, (n_rows, n_features)) + shift
    leaves = np.array([[naive_path(tree, row_values)[-1] for row_values in X] for tree in trees])
    votes = [np.arange(len(tree["feature"])) for tree in trees]
    n_classes = max(map(len, votes))
    sums, _ = sum_leaves(trees, votes, n_classes, X)
    np.testing.assert_array_equal(sums, sum(np.eye(n_classes)[of_tree] for of_tree in leaves))
    np.testing.assert_array_equal(find_leaves(trees[0], X)[0], leaves[0])


@pytest.mark.parametrize("n_rows", [1, 10])
@pytest.mark.parametrize("signs", [(1.0, -1.0), (-1.0, 1.0)])
def test_zeros_of_both_signs_are_equal(engine, n_rows, signs):
    tree = dict(zip(STRUCTURE, chain(2), strict=True))
    tree["threshold"][:2] = np.copysign(0.0, signs)
    for zero in (0.0, -0.0):
        X = np.full((n_rows, 1), zero)
        assert list(find_leaves(tree, X)[0]) == [2] * n_rows
        np.testing.assert_array_equal(sum_leaves([tree], [np.arange(5)], 5, X)[0], [[0, 0, 1, 0, 0]] * n_rows)


@pytest.mark.parametrize("n_rows", [1, 9, 10, 40, 100])
@pytest.mark.parametrize("depth", [1, 3, 4, 5, 90])
def test_rows_stay_at_leaves_far_above_the_lowest(engine, n_rows, depth):
    tree = dict(zip(STRUCTURE, chain(depth), strict=True))
    tree["threshold"][:depth] = depth - np.arange(depth)
    X = np.random.default_rng(depth).integers(-1, depth + 2, (n_rows, 1)).astype(np.float64)
    expected = [naive_path(tree, row_values)[-1] for row_values in X]
    np.testing.assert_array_equal(find_leaves(tree, X)[0], expected)
    sums, _ = sum_leaves([tree] * 14, [np.eye(2)[np.arange(2 * depth + 1) % 2]] * 14, 2, X)
    np.testing.assert_array_equal(sums, 14 * np.eye(2)[np.array(expected) % 2])


@pytest.mark.parametrize(
    "of_leaves", [[[1, 0], [0, 1]], [[1, 0], [0.5, 0.5]], [[1, 0], [1, 1]], [[1, 0], [0, 0]], [[2, 0], [0, 1]]]
)
def test_leaves_that_give_all_to_one_class_beside_others(engine, stump, of_leaves):
    X = np.resize([-9.0, 9.0], (30, 2))
    X[:, 1] = X[:, 0] = np.repeat([-9.0, 9.0], 15)
    sums, _ = sum_leaves([stump] * 2, [np.array([[7.0, 7.0], *of_leaves])] * 2, 2, X)
    leaves = [naive_path(stump, row_values)[-1] for row_values in X]
    assert set(leaves) == {1, 2}
    np.testing.assert_array_equal(sums, [np.array(of_leaves[n - 1]) * 2.0 for n in leaves])


def test_a_second_block_of_rows_has_keys_of_its_own(stump):
    """A block of one feature and one tree has 16,380 rows."""
    X = np.random.default_rng(0).normal(size=(16_385, 1))
    tree = stump | {"feature": np.array([0, UNDEFINED, UNDEFINED]), "threshold": np.array([0.5, UNDEFINED, UNDEFINED])}
    expected = np.where(X[:, 0] <= 0.5, 1, 2)
    np.testing.assert_array_equal(find_leaves(tree, X)[0], expected)
    np.testing.assert_array_equal(sum_leaves([tree], [np.arange(3)], 3, X)[0], np.eye(3)[expected])


def test_trees_too_large_for_the_bits_of_a_node_are_refused(stump):
    for feature in (2**12 - 1, 2**12):
        tree = stump | {"feature": np.array([feature, UNDEFINED, UNDEFINED])}
        if feature < 2**12:
            assert find_leaves(tree, np.zeros((1, 2**12)))[1]
            continue
        with pytest.raises(ValueError, match="Too large to be packed: 3 nodes, 4097 features, 3 classes"):
            find_leaves(tree, np.zeros((1, feature + 1)))


def test_leaves_are_found_in_one_tree_of_votes(stump):
    votes, X = np.arange(3), np.zeros((1, 2))
    for n_trees, of_nodes in ((2, votes), (1, np.full((3, 3), 0.5))):
        forest = kernel("pack_forest")([parts(stump)] * n_trees, [of_nodes] * n_trees, 3)
        assert_refuses(ValueError, "single tree of votes", kernel("find_leaves"), forest, X)


def test_sums_need_a_value_for_every_node(stump):
    for values in (np.zeros((2, 3)), np.zeros((4, 3)), np.zeros((3, 2)), np.zeros(2, dtype=np.int64)):
        with pytest.raises(ValueError, match="one row of values for every node"):
            kernel("pack_forest")([parts(stump)], [values], 3)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_sums_tell_whether_values_are_finite(engine, stump, value):
    X = np.zeros((14, 2))
    assert sum_leaves([stump], [np.zeros((3, 2))], 2, X)[1]
    X[13, 1] = value
    assert not sum_leaves([stump], [np.zeros((3, 2))], 2, X)[1]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "etc"])
def test_training_samples_reach_the_leaves_that_they_grew(criterion):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(0, 3, 60)
    compiled, reference = on_both_engines(grow, X, y, criterion=criterion)
    assert_same_tree(compiled, reference)
    assert_walked_as_naively(compiled, X)
    leaves = traverse("apply", compiled, X)
    for node, rows in enumerate(rows_of_nodes(compiled, X)):
        assert len(rows) == compiled["n_node_samples"][node]
        if compiled["children_left"][node] == LEAF:
            np.testing.assert_array_equal(np.flatnonzero(leaves == node), rows)
