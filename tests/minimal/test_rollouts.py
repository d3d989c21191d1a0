"""Small consistent trees by rollouts: equal trees on both engines, and how small they are."""

import time

import numpy as np
import pytest
from hypothesis import given
from samples import consistent
from strategies import classified
from support import PATIENCE, assert_refuses, assert_same_tree, examples, interrupted, on_both_engines

from pytrees import DecisionTreeClassifier, Tree, minimal_tree
from pytrees._engine import kernel
from pytrees.datasets import make_from_random_tree


def problems(max_rows=12):
    return classified(max_rows, [1, 2, 2, 3, 5]).map(lambda problem: (problem[0], consistent(*problem)))


def small_tree(X, y, **options):
    """Call the kernel; return arrays."""
    X, y = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.int32)
    found = kernel("small_tree")(X, y, int(y.max()) + 1, **options)
    return None if found is None else {name: np.asarray(array) for name, array in found.items()}


@examples(400)
@given(problem=problems())
def test_engines_find_the_same_tree(problem):
    assert_same_tree(*on_both_engines(small_tree, *problem))


@pytest.mark.parametrize(("n_rows", "n_features", "n_classes"), [(64, 2, 2), (65, 3, 4), (90, 2, 3)])
def test_engines_find_the_same_tree_of_more_samples(n_rows, n_features, n_classes):
    rng = np.random.default_rng(n_rows)
    X, y = rng.normal(size=(n_rows, n_features)).round(2), rng.integers(0, n_classes, n_rows)
    y[X[:, 0] > -1] = 0
    assert_same_tree(*on_both_engines(small_tree, X, y))


@examples(200)
@given(problem=problems(max_rows=10))
def test_trees_are_consistent_and_up_to_three_splits_smallest(engine, problem):
    X, y = problem
    found = Tree.from_arrays(small_tree(X, y), X.shape[1])
    np.testing.assert_array_equal(found.majority[found.apply(X)], y)
    smallest = minimal_tree(X, y).tree.node_count
    assert found.node_count >= smallest
    assert smallest > 5 or found.node_count == smallest


def test_trees_are_smaller_than_those_grown_by_gain():
    for seed in range(3):
        X, y, _ = make_from_random_tree(400, 5, 3, 21, random_state=seed)
        assert len(small_tree(X, y)["feature"]) <= DecisionTreeClassifier().fit(X, y).tree_.node_count


def test_by_hand(engine):
    """One feature, three intervals: the first split leaves a pure side, and gain 1 stands at every split."""
    found = small_tree([[0.0], [1.0], [2.0], [2.0], [3.0]], [0, 1, 1, 1, 0])
    assert found["feature"].tolist() == [0, -2, 0, -2, -2]
    assert found["threshold"].tolist() == [0.5, -2, 2.5, -2, -2]
    assert found["children_left"].tolist() == [1, -1, 3, -1, -1]
    assert found["children_right"].tolist() == [2, -1, 4, -1, -1]
    assert found["value"].tolist() == [[2, 3], [1, 0], [1, 3], [0, 3], [1, 0]]
    assert found["n_node_samples"].tolist() == [5, 1, 4, 3, 1]
    assert found["gain"].tolist() == [1, 0, 1, 0, 0]


def random_labels(n_rows=300, n_features=6):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, n_features)), rng.integers(0, 4, n_rows)


def test_no_time_finds_no_tree(engine):
    assert small_tree([[0.0], [1.0]], [0, 1], time_limit=0.0) is None


def test_the_time_limit_holds_and_more_time_finds_no_larger_tree():
    X, y = random_labels()
    sizes = []
    for limit in (0.3, 1.0):
        start = time.process_time()
        sizes.append(len(small_tree(X, y, time_limit=limit)["feature"]))
        assert time.process_time() - start < limit + 1.0 * PATIENCE
    assert sizes[0] >= sizes[1]


@pytest.mark.parametrize("memory_limit", [0, 1000])
def test_too_little_memory_finds_no_tree(memory_limit):
    assert small_tree(*random_labels(), memory_limit=memory_limit) is None


def test_memory_for_some_trees_finds_the_best_of_these():
    X, y = random_labels(100)
    found = Tree.from_arrays(small_tree(X, y, memory_limit=50_000), X.shape[1])
    np.testing.assert_array_equal(found.majority[found.apply(X)], y)


def test_a_tree_deeper_than_the_stack_allows_is_given_up():
    """Classes alternate sample by sample: the cut with the least score splits one sample off."""
    assert small_tree(np.arange(3000.0).reshape(-1, 1), np.arange(3000) % 2, time_limit=20.0) is None


def test_rollouts_can_be_interrupted():
    X, y = random_labels(2000)
    with interrupted():
        small_tree(X, y)


def test_equal_samples_of_different_classes(engine):
    assert_refuses(ValueError, "no consistent tree: equal samples", small_tree, [[1.0], [1.0], [2.0]], [0, 1, 1])
