"""Rows that go several ways in parts: in training and in prediction, by the book's example and by the definition."""

from fractions import Fraction

import numpy as np
import pytest
from c45_samples import GOLF_CATEGORIES, LACKING, OUTLOOK, golf, grow, mixed_problems
from hypothesis import given
from hypothesis import strategies as st
from multiway_trees import random_rows, random_tree, way
from support import assert_refuses, examples, on_both_engines

from pytrees._engine import kernel
from pytrees._tree_checks import LEAF
from pytrees.testing.strategies import count_weights, float_weights, no_weights


def divide(X, weights, n_categories):
    """Return the rows and their weights in the children of the root; there are none if the root is not split.

    Every row is a class of its own, so that the class weights of a node tell which rows it has.
    """
    limits = {"max_depth": 1, "min_samples_leaf": 0.0, "confidence": None, "subtree_raising": False}
    tree, _ = grow(X, range(len(X)), weights, len(X), n_categories, **limits)
    value = tree["value"][1:]
    assert [np.count_nonzero(weights) for weights in value] == list(tree["n_node_samples"])[1:]
    return [(np.flatnonzero(weights).tolist(), weights[weights > 0.0].tolist()) for weights in value]


def class_shares(tree, X):
    arrays = tree.children_left, tree.feature, tree.threshold, tree.child_offsets, tree.children, tree.category
    shares = kernel("class_shares")(*arrays, tree.value, X)
    return np.asarray(shares, dtype=np.float64).reshape(len(X), tree.n_classes)


def test_a_row_without_outlook_goes_every_way(engine):
    # Chapter 3: of the 13 other rows 3 are overcast, 5 rain, 5 sunny.
    X, _ = golf(lacks_outlook=True)
    parts = divide(X[:, [OUTLOOK]], None, np.array([GOLF_CATEGORIES[OUTLOOK]]))
    assert [len(rows) for rows, _ in parts] == [4, 6, 6]
    assert [sum(weights) for _, weights in parts] == pytest.approx([3 + 3 / 13, 5 + 5 / 13, 5 + 5 / 13])
    for (rows, weights), share in zip(parts, (3 / 13, 5 / 13, 5 / 13), strict=True):
        assert [weight for row, weight in zip(rows, weights, strict=True) if row == LACKING] == [share]
        assert all(weight == 1.0 for row, weight in zip(rows, weights, strict=True) if row != LACKING)


def test_sides_of_a_threshold(engine):
    x = [[1.0], [np.nan], [2.0], [1.5], [3.0]]
    assert divide(x, np.array([1, 2, 2, 4, 2]), None) == [
        ([0, 1, 3], [1.0, 2 * (5 / 9), 4.0]),
        ([1, 2, 4], [2 * (4 / 9), 2.0, 2.0]),
    ]


def test_rows_that_all_go_one_way_are_not_divided(engine):
    assert divide([[1.0], [np.nan]], None, None) == []
    assert divide([[1.0], [np.nan]], None, np.array([2])) == []
    assert divide([[np.nan], [np.nan]], None, np.array([2])) == []


def test_parts_too_small_for_a_number_are_left_out(engine):
    parts = divide([[0.0], [1.0], [np.nan]], np.array([0.25, 0.5, 5e-324]), np.array([2]))
    assert [rows for rows, _ in parts] == [[0], [1, 2]]


def test_invalid_codes_are_refused():
    for code in (-1.0, 2.0, 0.5, np.inf):
        with pytest.raises(ValueError, match=r"Feature 1 must hold codes of categories, 0\.\.1"):
            divide([[7.0, 0.0], [8.0, code]], None, np.array([0, 2]))
    assert_refuses(ValueError, "must have 1 entries", divide, [[0.0]], None, np.array([1, 1]))


@examples(200)
@given(st.sampled_from([no_weights, count_weights, float_weights]).flatmap(mixed_problems))
def test_engines_divide_alike_and_nothing_is_lost(problem):
    parts, again = on_both_engines(divide, problem.X, problem.weights, problem.n_categories)
    assert parts == again
    of_row = {}
    for rows, weights in parts:
        for row, weight in zip(rows, weights, strict=True):
            of_row[row] = of_row.get(row, 0) + Fraction(weight)
    if parts:
        whole = np.ones(len(problem.X)) if problem.weights is None else problem.weights
        assert [float(of_row[row]) for row in range(len(problem.X))] == pytest.approx(whole.tolist(), rel=1e-12)


def naive_shares(tree, row, node=0):
    """From the definition, in fractions."""
    weights = [sum(map(Fraction, counts)) for counts in tree.value.tolist()]
    shares = [Fraction(count) / weights[node] for count in tree.value[node].tolist()]
    if tree.children_left[node] == LEAF:
        return shares
    children = tree.children_of(node).tolist()
    if not np.isnan(row[tree.feature[node]]):
        nodes = next_nodes(tree, row, node)
        return naive_shares(tree, row, nodes[0]) if nodes else shares
    total = sum(weights[child] for child in children)
    parts = [[weights[child] / total * share for share in naive_shares(tree, row, child)] for child in children]
    return [sum(column) for column in zip(*parts, strict=True)]


def next_nodes(tree, row, node):
    """Return the child of a row whose value is known, or no child."""
    value, children = row[tree.feature[node]], tree.children_of(node).tolist()
    if tree.children_left[node] >= 0:
        return [children[int(value > tree.threshold[node])]]
    return [child for child in children if tree.category[child] == value]


@examples(60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 1.0]))
def test_shares_of_rows_that_lack_values(seed, rate):
    rng = np.random.default_rng(seed)
    cardinalities = rng.choice([0, 2, 5], size=3)
    tree = random_tree(rng, cardinalities)
    X = random_rows(rng, cardinalities, 5)
    X[rng.random(X.shape) < rate] = np.nan
    compiled, reference = on_both_engines(class_shares, tree, X)
    np.testing.assert_array_equal(compiled, reference)
    for row, shares in zip(X, compiled, strict=True):
        assert shares.tolist() == pytest.approx([float(share) for share in naive_shares(tree, row)], rel=1e-12)
        if not np.isnan(row).any():
            np.testing.assert_allclose(shares, tree.shares[way(tree, row)[-1]], rtol=1e-15)


def test_no_rows(engine):
    tree = random_tree(np.random.default_rng(0), [0, 3])
    assert class_shares(tree, np.empty((0, 2))).size == 0
