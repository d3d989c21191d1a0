"""The tree of least error within limits: equal trees on both engines, all trees tried out, bounds, limits, errors."""

import time
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import consistent, make_classes
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from strategies import classified
from support import assert_same_tree, examples, interrupted, on_both_engines

from pytrees import DecisionTreeClassifier, Tree, config_context, datasets, minimal_tree, optimal_tree
from pytrees._engine import kernel
from pytrees.datasets import make_from_random_tree
from pytrees.trees.optimal import _costs, _cut_back, _lower_bound

UNLIMITED = 2**31 - 1


def problems(max_rows=9):
    return classified(max_rows, [1, 2, 2, 2, 3, 6])


@st.composite
def limits(draw):
    """Costs of an error and a leaf, levels, and leaves."""
    costs = draw(st.sampled_from([(1, 0), (1, 0), (1, 1), (3, 1), (5, 7), (20, 1)]))
    depth = draw(st.sampled_from([1, 2, 3, 4, UNLIMITED]))
    leaves = draw(st.sampled_from([2, 3, 4, 5, 6, UNLIMITED, UNLIMITED]))
    return costs, (3 if depth == leaves and costs[1] == 0 else depth), leaves


def cheapest(X, y, costs, depth, leaves, **options):
    """Call the kernel; return arrays."""
    X, y = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.int32)
    found, *rest = kernel("cheapest_tree")(X, y, int(y.max()) + 1, costs, depth, leaves, **options)
    return None if found is None else {name: np.asarray(array) for name, array in found.items()}, *rest[:2]


# ------------------------------------------------------------------------------------------------------------- engines


@examples(600)
@given(problem=problems(), limits=limits())
def test_engines_find_the_same_tree(problem, limits):
    compiled, reference = on_both_engines(cheapest, *problem, *limits)
    assert_same_tree(compiled[0], reference[0])
    assert compiled[1:] == reference[1:]


@pytest.mark.parametrize(
    ("n_rows", "n_features", "n_values", "n_classes"), [(40, 9, 40, 2), (65, 2, 6, 3), (30, 4, 2, 8)]
)
def test_engines_find_the_same_tree_of_more_samples(n_rows, n_features, n_values, n_classes):
    """Features on both sides of eight, which stand side by side; rows on both sides of a word of bits."""
    rng = np.random.default_rng(n_rows)
    X, y = rng.integers(0, n_values, (n_rows, n_features)).astype(float), rng.integers(0, n_classes, n_rows)
    for depth, leaves in ((2, UNLIMITED), (2, 3)):
        compiled, reference = on_both_engines(cheapest, X, y, (7, 1), depth, leaves)
        assert_same_tree(compiled[0], reference[0])
        assert compiled[1:] == reference[1:]


@examples(200)
@given(problem=problems(), limits=limits(), spare=st.integers(-3, 3), memory_limit=st.sampled_from([0, 5_000, 2**20]))
def test_time_memory_and_budgets_do_not_change_the_tree(problem, limits, spare, memory_limit):
    expected, cost, _ = cheapest(*problem, *limits)
    found, *costs = cheapest(*problem, *limits, time_limit=60.0, memory_limit=memory_limit)
    assert_same_tree(found, expected)
    assert costs == [cost, cost]
    budget = max(0, cost + spare)
    found, *costs = cheapest(*problem, *limits, budget=budget)
    assert costs == [min(cost, budget)] * 2
    assert (found is None) == (cost >= budget)


def test_repeated_samples_are_counted_as_often_as_they_occur():
    """Weights too great for narrow lanes give the tree of fewer samples with the same shares."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (60, 3)).astype(float), rng.integers(0, 2, 60)
    few, cost, _ = cheapest(X, y, (1, 0), 3, UNLIMITED)
    many, total, _ = cheapest(np.tile(X, (200, 1)), np.tile(y, 200), (1, 0), 3, UNLIMITED)
    assert total == 200 * cost
    for name in ("feature", "threshold", "children_left", "children_right"):
        np.testing.assert_array_equal(many[name], few[name])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_wide_lanes_find_what_narrow_ones_do(n_classes):
    X, y = make_classes(12_000, n_features=3, n_classes=n_classes)
    X = X.round(1)
    found = optimal_tree(X, y, max_depth=2)
    sample = optimal_tree(X[:10_000], y[:10_000], max_depth=2)
    assert found.is_proven
    assert sample.n_errors <= found.n_errors <= sample.n_errors + 2_000
    assert found.n_errors == least_errors_of_two_levels(X, y)


# ------------------------------------------------------------------------------------------------------------- oracles


def least_errors(X, y, depth, n_leaves):
    """All first cuts, and all ways to divide the leaves."""
    errors = int(len(y) - np.bincount(y).max())
    if depth == 0 or n_leaves == 1 or errors == 0:
        return errors
    for column in X.T:
        for below, _ in pairwise(np.unique(column)):
            left = column <= below
            for n_left in range(1, n_leaves):
                of_left = least_errors(X[left], y[left], depth - 1, n_left)
                errors = min(errors, of_left + least_errors(X[~left], y[~left], depth - 1, n_leaves - n_left))
    return errors


def least_errors_of_two_levels(X, y):
    """The errors of the best stump on both sides of every cut, by tables of counts of the values of two features."""
    codes = [np.unique(column, return_inverse=True)[1] for column in X.T]
    n_classes, best = y.max() + 1, len(y)
    for first in codes:
        sides = np.full((2, first.max() + 1), len(y))
        for second in codes:
            table = np.zeros((first.max() + 1, second.max() + 1, n_classes), dtype=int)
            np.add.at(table, (first, second, y), 1)
            for side in range(2):
                counts = np.cumsum(table, axis=0) if side == 0 else table.sum(axis=0) - np.cumsum(table, axis=0)
                below = np.cumsum(counts, axis=1)
                correct = below.max(axis=2) + (below[:, -1:] - below).max(axis=2)
                sides[side] = np.minimum(sides[side], below[:, -1].sum(axis=1) - correct.max(axis=1))
        best = min(best, sides.sum(axis=0).min())
    return best


@examples(150)
@given(problem=problems(max_rows=7), depth=st.sampled_from([1, 2, 3]), n_leaves=st.sampled_from([2, 3, 4, 8]))
def test_no_tree_has_fewer_errors(engine, problem, depth, n_leaves):
    X, y = problem
    found = optimal_tree(X, y, max_depth=depth, max_leaf_nodes=n_leaves)
    assert found.is_proven
    assert found.n_errors == least_errors(X, y, depth, n_leaves)
    assert found.n_errors == (found.classes[found.tree.majority[found.tree.apply(X)]] != y).sum()
    assert found.tree.max_depth <= depth
    assert found.tree.n_leaves <= n_leaves


@examples(100)
@given(problem=problems(max_rows=6), alpha=st.sampled_from([1e-9, 0.01, 0.1, 1 / 7, 1 / 3, 0.5, 2.0]))
def test_no_tree_has_a_better_objective(engine, problem, alpha):
    X, y = problem
    found = optimal_tree(X, y, alpha=alpha)
    assert found.is_proven
    best = min(Fraction(least_errors(X, y, 6, k), len(y)) + Fraction(alpha) * k for k in range(1, 7))
    assert Fraction(found.n_errors, len(y)) + Fraction(alpha) * found.tree.n_leaves == best
    assert found.objective == pytest.approx(float(best))


@examples(100)
@given(problem=problems(max_rows=8))
def test_a_tiny_price_of_leaves_gives_the_smallest_consistent_tree(problem):
    X, y = problem[0], consistent(*problem)
    assert optimal_tree(X, y, alpha=1e-9).tree.node_count == minimal_tree(X, y).tree.node_count


@examples(300)
@given(
    alpha=st.one_of(st.floats(0, 2), st.fractions(0, 1, max_denominator=30).map(float)),
    n_samples=st.integers(1, 40),
    most_leaves=st.integers(1, 12),
)
def test_whole_costs_order_trees_as_their_objectives_do(alpha, n_samples, most_leaves):
    of_error, of_leaf = _costs(alpha, n_samples, most_leaves)
    for fewer_leaves in range(most_leaves):
        for errors in range(n_samples + 1):
            by_objective = Fraction(alpha) * fewer_leaves - Fraction(errors, n_samples)
            by_costs = of_leaf * fewer_leaves - of_error * errors
            assert np.sign(by_costs) == (by_objective > 0) - (by_objective < 0)


@pytest.mark.parametrize(
    ("load", "errors"), [(load_iris, (6, 1, 0)), (load_wine, (6, 0, 0)), (load_breast_cancer, (22, 9, 0))]
)
def test_published_errors(load, errors):
    """As ConTree 1.0.8 has them."""
    X, y = load(return_X_y=True)
    for depth, n_errors in enumerate(errors, start=2):
        found = optimal_tree(X, y, max_depth=depth)
        assert found.is_proven
        assert found.n_errors == n_errors
        assert found.tree.max_depth <= depth


def test_published_errors_of_haberman():
    try:
        table = datasets.load("haberman")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    errors = [
        optimal_tree(np.asarray(table.data, float), table.target, max_depth=depth).n_errors for depth in (2, 3, 4)
    ]
    assert errors == [67, 58, 48]


# -------------------------------------------------------------------------------------------------------------- limits


def test_by_hand(engine):
    """One feature, three intervals: without a third leaf one sample is wrong."""
    X, y = [[0.0], [1.0], [2.0], [2.0], [3.0]], ["a", "b", "b", "b", "a"]
    found = optimal_tree(X, y, max_leaf_nodes=3)
    assert found.classes.tolist() == ["a", "b"]
    assert (found.n_errors, found.objective, found.lower_bound, found.is_proven) == (0, 0.0, 0.0, True)
    assert sorted(found.tree.threshold.tolist()) == [-2, -2, -2, 0.5, 2.5]
    assert found.tree.gain[0] == 2
    assert optimal_tree(X, y, max_depth=1).n_errors == 1
    assert optimal_tree(X, y, alpha=0.3).objective == pytest.approx(2 / 5 + 0.3)


def test_the_time_limit_holds_and_the_bound_is_one():
    X, y, _ = make_from_random_tree(1_000, 10, 3, 41, random_state=0)
    start = time.process_time()
    found = optimal_tree(X, y, max_depth=5, time_limit=0.5)
    assert time.process_time() - start < 1.5
    assert not found.is_proven
    assert 0 <= found.lower_bound < found.objective
    grown = DecisionTreeClassifier(max_depth=5).fit(X, y)
    assert found.n_errors <= (grown.predict(X) != y).sum()
    assert found.tree.max_depth <= 5


@pytest.mark.parametrize("options", [{"max_leaf_nodes": 9}, {"alpha": 0.004}, {"max_depth": 6, "max_leaf_nodes": 9}])
def test_no_time_gives_the_tree_that_is_grown_and_cut_back(options):
    X, y = load_breast_cancer(return_X_y=True)
    found = optimal_tree(X, y, time_limit=0.0, **options)
    assert found.tree.n_leaves <= options.get("max_leaf_nodes", UNLIMITED)
    assert found.n_errors == (found.tree.majority[found.tree.apply(X)] != y).sum()
    assert found.lower_bound <= found.objective
    left, right = found.tree.children_left, found.tree.children_right
    errors = found.tree.value.sum(axis=1) - found.tree.value.max(axis=1)
    for node in np.flatnonzero(left >= 0):
        saved = errors[node] - errors[left[node]] - errors[right[node]]
        assert found.tree.gain[node] == saved + found.tree.gain[left[node]] + found.tree.gain[right[node]] > 0


def test_bounds_of_longer_searches_are_no_lower():
    X, y = load_breast_cancer(return_X_y=True)
    bounds = [optimal_tree(X, y, max_leaf_nodes=5, time_limit=limit) for limit in (0.1, 0.5)]
    assert bounds[0].lower_bound <= bounds[1].lower_bound <= bounds[1].objective <= bounds[0].objective


@pytest.mark.parametrize(("alpha", "n_samples"), [(0.0, 7), (0.02, 40), (0.03, 21), (0.1, 9), (0.4, 5)])
def test_the_bound_is_the_least_objective_of_such_a_cost(alpha, n_samples):
    """Found by trying all numbers of errors and leaves, for costs that no numbers have too."""
    costs = _costs(alpha, n_samples, n_samples)
    errors, leaves = np.arange(n_samples + 1)[:, np.newaxis], np.arange(1, n_samples + 1)
    cost, objective = costs[0] * errors + costs[1] * leaves, errors / n_samples + alpha * leaves
    known = 0.9 + alpha
    for least in range(costs[1], costs[0] * n_samples // 2):
        expected = min(known, objective[cost >= least].min())
        assert _lower_bound(least, costs, alpha, n_samples, known) == pytest.approx(expected, rel=1e-15)


def test_a_branch_that_costs_as_much_as_a_leaf_is_cut_off():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1]).tree_
    assert [_cut_back(tree, costs).node_count for costs in ((2, 1), (1, 1), (1, 2))] == [3, 1, 1]


def test_a_search_can_be_interrupted():
    X, y, _ = make_from_random_tree(2_000, 10, 3, 41, random_state=0)
    with interrupted():
        optimal_tree(X, y, max_depth=6)


# -------------------------------------------------------------------------------------------------------------- errors


def test_constant_features_and_one_class_and_one_sample(engine):
    for X, y in (([[1.0], [1.0]], [0, 1]), ([[0.0], [1.0]], [1, 1]), ([[0.0]], [0])):
        found = optimal_tree(X, y, max_depth=3)
        assert found.tree.node_count == 1
        assert found.is_proven


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs max_depth, max_leaf_nodes or alpha; minimal_tree"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"alpha": -0.1}, "alpha"),
        ({"alpha": np.nan}, "alpha"),
        ({"max_depth": 2, "time_limit": -1}, "time_limit"),
        ({"max_depth": 2, "memory_limit": -1}, "memory_limit"),
        ({"max_depth": 2, "X": [[0.0], [np.nan]]}, "NaN"),
        ({"max_depth": 2, "X": [[0.0], [np.inf]]}, "infinity"),
        ({"max_depth": 2, "y": [0, 1, 1]}, "inconsistent"),
        ({"max_depth": 2, "y": [0.5, 1.2]}, "continuous|Unknown label type"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        optimal_tree(**{"X": [[0.0], [1.0]], "y": [0, 1]} | options)


def test_a_tree_that_is_too_deep():
    """Leaves are so cheap that each of 3,000 samples of alternating classes needs its own."""
    X, y = np.arange(3000.0).reshape(-1, 1), np.arange(3000) % 2
    found = optimal_tree(X, y, alpha=1e-9, time_limit=0.5)
    assert found.n_errors <= 1500
    assert found.lower_bound <= found.objective


def test_the_engine_of_the_context_is_asked():
    with config_context(engine="reference"):
        assert isinstance(optimal_tree([[0.0], [1.0]], [0, 1], max_depth=1).tree, Tree)
