"""The way of rows through a tree, against a naive walk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import EXTREME_VALUES
from support import LEAF, UNDEFINED, assert_same_tree, examples, grow, on_both_engines, rows_of_nodes

from pytrees._engine import kernel

STRUCTURE = ("children_left", "children_right", "feature", "threshold")


def traverse(function, tree, X):
    result = kernel("traverse", function)(*(tree[name] for name in STRUCTURE), np.ascontiguousarray(X))
    return tuple(map(np.asarray, result)) if function == "decision_path" else np.asarray(result)


def naive_path(tree, row_values, node=0):
    """The nodes from this one down to the row's leaf."""
    if tree["children_left"][node] == LEAF:
        return [node]
    goes_left = row_values[tree["feature"][node]] <= tree["threshold"][node]
    child = tree["children_left" if goes_left else "children_right"][node]
    return [node, *naive_path(tree, row_values, int(child))]


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


def test_by_hand(engine, stump):
    X = np.array([[0.5, 0.0], [np.nextafter(0.5, 1.0), 0.0], [-7.0, 0.0]])
    assert traverse("apply", stump, X).tolist() == [1, 2, 1]
    indptr, indices = traverse("decision_path", stump, X)
    assert indptr.tolist() == [0, 2, 4, 6]
    assert indices.tolist() == [0, 1, 0, 2, 0, 1]
    assert traverse("feature_usage", stump, X).tolist() == [3, 0]


def test_single_leaf(engine):
    X = np.zeros((4, 2))
    tree = grow(X, [0, 0, 0, 0])
    assert traverse("apply", tree, X).tolist() == [0] * 4
    assert [part.tolist() for part in traverse("decision_path", tree, X)] == [[0, 1, 2, 3, 4], [0] * 4]
    assert traverse("feature_usage", tree, X).tolist() == [0, 0]


def test_no_rows(engine, stump):
    X = np.empty((0, 2))
    assert traverse("apply", stump, X).shape == (0,)
    assert [part.tolist() for part in traverse("decision_path", stump, X)] == [[0], []]


def test_feature_that_repeats_on_a_path_counts_once(engine):
    X = np.arange(8.0)[:, None]
    tree = grow(X, [0, 1, 0, 1, 0, 1, 0, 1])
    assert len(tree["feature"]) > 5
    assert traverse("feature_usage", tree, X).tolist() == [8]


def test_values_around_the_threshold(engine):
    X = np.array(EXTREME_VALUES)[:, None]
    tree = grow(X, np.arange(len(X)))
    assert_walked_as_naively(tree, X)


@examples(200)
@given(seed=st.integers(0, 2**32 - 1), n_inner_nodes=st.integers(0, 20), n_features=st.integers(1, 4))
def test_random_trees(engine, seed, n_inner_nodes, n_features):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n_inner_nodes, n_features)
    assert_walked_as_naively(tree, rng.integers(-4, 5, (rng.integers(1, 30), n_features)) / 2)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "etc"])
def test_training_rows_end_where_growth_put_them(criterion):
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
