"""Ways to an ordinal criterion's gain that must not change the tree, on both sides of each switch between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seeded import count_weights, no_weights, problems
from strategies import ordinal_specifications
from support import UNLIMITED, assert_same_tree, examples, grow, on_both_engines

from pytrees._core.base.sizes import sizes

MIN_LANES = sizes()["MIN_LANES"]
LANE_LIMIT = 2**32  # sums below it fit a lane
SMALL_COST_LIMIT = 2**62  # costs of ranking impurity below it fit 64 bits


def noisy_grades(n_rows, n_classes, rng, n_values=None):
    """Three features, the first of which tells of the class."""
    X = rng.normal(size=(n_rows, 3))
    if n_values is not None:
        X = np.round(X * n_values / 6)
    grades = (X[:, 0] / X[:, 0].std() + 2 + rng.normal(size=n_rows)) / 4 * n_classes
    return X, np.clip(grades, 0, n_classes - 1).astype(np.int32)


def shared_out(total, n_rows, rng):
    """Whole weights of this total, none of them zero."""
    cuts = np.sort(rng.integers(1, total - n_rows, n_rows - 1))
    return np.diff(np.concatenate([[0], cuts, [total - n_rows]])) + 1


@pytest.mark.parametrize("n_classes", [1, 3, 4, 5, 8, 12, 15, MIN_LANES, 17, 20, 21])
@pytest.mark.parametrize("criterion", ["ogini", "ranking", ("ranking", {"weighted": False}), "wig"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_any_number_of_classes(n_classes, criterion, is_weighted):
    rng = np.random.default_rng(n_classes)
    X, y = noisy_grades(24, n_classes, rng)
    weights = rng.integers(1, 5, len(y)) if is_weighted else None
    assert_same_tree(*on_both_engines(grow, X, y, weights, n_classes, criterion))


# The kernel's greatest entry is 2 n_classes of ordinal Gini, and the range of the scores of ranking impurity.
@pytest.mark.parametrize(
    ("n_classes", "total"),
    [(n, -(-LANE_LIMIT // (2 * n)) - 1 + excess) for n in (2, 5, MIN_LANES, 18) for excess in (-1, 0, 1)]
    + [(n, 4 * -(-LANE_LIMIT // (2 * n)) - 1) for n in (MIN_LANES, 18)]
    + [(2, 2**31), (5, 2**30), (18, 2**29)],  # more than its sums can hold
)
@pytest.mark.parametrize("seed", range(3))
def test_ordinal_gini_of_totals_around_the_limit_of_lanes(n_classes, total, seed):
    rng = np.random.default_rng(seed)
    X, y = noisy_grades(24, n_classes, rng)
    weights = shared_out(total, len(y), rng)
    assert weights.sum() == total
    assert_same_tree(*on_both_engines(grow, X, y, weights, n_classes, "ogini"))


@pytest.mark.parametrize("total", [30, 1000, 2**14])
@pytest.mark.parametrize("n_classes", [2, 6, 18])
@pytest.mark.parametrize(("factor", "excess"), [(1, -1), (1, 0), (1, 1), (16, 0)])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_ranking_of_scores_around_the_limit_of_lanes(total, n_classes, factor, excess, is_weighted):
    rng = np.random.default_rng(total)
    span = factor * -(-LANE_LIMIT // (total + 1)) + excess
    scores = np.sort(rng.choice(span - 1, n_classes - 2, replace=False) + 1) if n_classes > 2 else []
    scores = [0.0, *map(float, scores), float(span)]
    X, y = noisy_grades(16, n_classes, rng)
    criterion = ("ranking", {"class_scores": scores, "weighted": is_weighted})
    assert_same_tree(*on_both_engines(grow, X, y, shared_out(total, len(y), rng), n_classes, criterion))


# Two classes of n rows each and a range of 1: 2 n times the form n**2. Beyond the limit 128 bits hold the costs.
@pytest.mark.parametrize("n", [2**20 - 1, 2**20, round((SMALL_COST_LIMIT / 2) ** (1 / 3)), 2**21, 2**24])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("span", [1, 1000])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_ranking_of_costs_around_64_bits(n, n_classes, span, is_weighted):
    rng = np.random.default_rng(n)
    X, y = noisy_grades(24, n_classes, rng)
    weights = shared_out(2 * n, len(y), rng)
    criterion = ("ranking", {"class_scores": [float(span * q) for q in range(n_classes)], "weighted": is_weighted})
    assert_same_tree(*on_both_engines(grow, X, y, weights, n_classes, criterion))


@examples(200)
@given(
    problem=problems(lambda rng, n_rows: count_weights(rng, n_rows, 2**16), min_rows=4, max_rows=20, missing=True),
    max_candidates=st.sampled_from([UNLIMITED, 2]),
    data=st.data(),
)
def test_large_weights_agree_with_the_reference(problem, max_candidates, data):
    *arguments, n_classes = problem
    criterion = data.draw(ordinal_specifications(n_classes))
    assert_same_tree(*on_both_engines(grow, *arguments, n_classes, criterion, max_candidates=max_candidates))


@pytest.mark.parametrize("n_classes", [2, 3, 6, 10, 30])
@pytest.mark.parametrize("n_values", [None, 300, 20, 2])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
def test_whole_weights_give_the_tree_of_the_same_numbers_as_floats(n_classes, n_values, alpha):
    """Whole weights have a scan of their own."""
    rng = np.random.default_rng(n_classes)
    X, y = noisy_grades(3000, n_classes, rng, n_values)
    criterion = ("wig", {"alpha": alpha})
    ones = grow(X, y, np.ones(len(y)), n_classes, criterion)
    assert_same_tree(grow(X, y, None, n_classes, criterion), ones)
    assert_same_tree(grow(X, y, np.ones(len(y), dtype=np.int64), n_classes, criterion), ones)


@pytest.mark.parametrize("kind", ["alternating", "mirrored", "equal classes in turn", "one row a class"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_cuts_of_equal_gain_and_modes_that_change_with_every_sample(kind, n_classes):
    n = 6 * n_classes
    if kind == "alternating":
        y = np.arange(n) % 2
    elif kind == "mirrored":
        rising = np.arange(n) * n_classes // n
        y = np.concatenate([rising, rising[::-1]])
    elif kind == "equal classes in turn":
        y = np.arange(n) % n_classes
    else:
        y = np.arange(n_classes)
    x = np.arange(len(y), dtype=np.float64)
    X = np.column_stack([x, -x, x % 5])
    for alpha in (0.0, 1.0, 2.5):
        assert_same_tree(*on_both_engines(grow, X, y, None, n_classes, ("wig", {"alpha": alpha})))


@examples(300)
@given(problem=problems(no_weights, min_rows=5, max_rows=60, max_features=2, missing=True), data=st.data())
def test_gains_that_nearly_tie_are_compared_by_the_definition(problem, data):
    """A feature and its reverse, twice: every cut has a twin."""
    X, y, _, n_classes = problem
    alpha = data.draw(st.sampled_from([0.0, 0.3, 1.0, 2.0]))
    X = np.hstack([X, -X, X])
    assert_same_tree(*on_both_engines(grow, X, y, None, n_classes, ("wig", {"alpha": alpha})))
