"""Weights on a grid of whole numbers, and the trees that they grow."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from support import examples

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, DecisionTreeRegressor
from pytrees._core.base.sizes import sizes
from pytrees._weights import GRID_TOTAL, GRID_TOTAL_OF_NUMBERS, on_grid, rows_on_grid, weights_of
from pytrees.criteria import gain

CRITERIA = ["gini", "entropy", "ogini", "wig", "ranking", "gain_ratio", "nvi", "vi", "jaccard", "accuracy", "mae"]


def noisy(seed, n=40, n_classes=3, n_values=8):
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_values, (n, 3)).astype(float), rng.integers(0, n_classes, n), rng


def assert_same_splits(tree, other):
    for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(tree.tree_, name), getattr(other.tree_, name), err_msg=name)


@pytest.mark.parametrize(
    ("weights", "numbers", "unit"),
    [
        ([1, 2, 3], [1, 2, 3], 1),
        ([2.0, 4.0], [2, 4], 1),
        ([0.1, 0.2, 0.7], [1, 2, 7], Fraction(1, 10)),
        ([0.5, 1.0, 2.5], [1, 2, 5], Fraction(1, 2)),
        ([1 / 3, 2 / 3, 4 / 3], [1, 2, 4], Fraction(1, 3)),
        ([0.1, 0.1], None, Fraction(1, 10)),
        ([2.0**60, 2.0**61], [1, 2], 2**60),
        ([1e6, 5e7], [1, 50], 10**6),
        ([5e-324, 1e-323], [1, 2], Fraction(5e-324)),
        ([0.0, 0.3, 0.6], [0, 1, 2], Fraction(3, 10)),
    ],
)
def test_multiples_of_one_number_are_exact(weights, numbers, unit):
    weights = np.array(weights)
    found, found_unit = on_grid(weights)
    found = np.ones(len(weights), dtype=np.int64) if found is None else found
    assert found.tolist() == (numbers or [1] * len(weights))
    assert found_unit == unit
    np.testing.assert_array_equal(weights_of(found.astype(float), found_unit), weights)


@examples(100)
@given(
    st.lists(st.integers(1, 500), min_size=1, max_size=30),
    st.sampled_from([0.1, 0.3, 1.7, np.pi, 1e-200, 1e200, 2.0**-1000]),
)
def test_a_factor_changes_no_multiple(multiples, factor):
    weights = np.array(multiples) * factor
    numbers, _ = on_grid(weights)
    numbers = np.ones(len(weights)) if numbers is None else numbers
    # Small whole weights stay as they are.
    scale = weights if np.all(weights == np.floor(weights)) and weights.sum() < 2**24 else np.array(multiples)
    np.testing.assert_array_equal(
        numbers // np.gcd.reduce(numbers.astype(int)), scale // np.gcd.reduce(scale.astype(int))
    )


def test_balanced_classes_weigh_the_same():
    for counts in ([3, 5, 7], [337, 319, 344], [99_991, 7]):
        y = np.repeat(np.arange(len(counts)), counts)
        numbers, _ = on_grid((len(y) / (len(counts) * np.bincount(y)))[y])
        assert len(set(np.bincount(y, weights=numbers))) == 1


@examples(60)
@given(st.lists(st.floats(1e-12, 1e12), min_size=2, max_size=40), st.sampled_from([GRID_TOTAL, GRID_TOTAL_OF_NUMBERS]))
def test_other_weights_are_rounded_and_none_to_zero(weights, grid_total):
    weights = np.array(weights)
    numbers, unit = on_grid(weights, grid_total)
    numbers = np.ones(len(weights), dtype=np.int64) if numbers is None else numbers
    assert numbers.min() >= 1
    assert numbers.sum() <= 2 * grid_total + len(weights)
    errors = np.abs(numbers - np.array([float(Fraction(weight) / unit) for weight in weights.tolist()]))
    assert (errors <= np.maximum(1.0, numbers * 2.0**-48)).all()


def test_a_grid_that_rounds_is_fine():
    weights = np.random.default_rng(0).random(1000)
    numbers, unit = on_grid(weights)
    assert GRID_TOTAL <= numbers.sum() <= 2 * GRID_TOTAL
    np.testing.assert_allclose(weights_of(numbers.astype(float), unit), weights, rtol=0, atol=float(unit))
    np.testing.assert_array_equal(on_grid(weights * 2.0**-40)[0], numbers)
    assert on_grid(np.array([1e300, 1e-300]))[0].tolist() == [GRID_TOTAL, 1]


def test_whole_numbers_of_a_greater_sum_get_another_grid():
    numbers = np.array([15 * GRID_TOTAL_OF_NUMBERS, 3, 1])
    assert on_grid(numbers, GRID_TOTAL_OF_NUMBERS)[0] is numbers
    for factor in (2, 2.0**20):
        rounded, unit = on_grid(factor * numbers, GRID_TOTAL_OF_NUMBERS)
        # The greatest weight becomes a power of two.
        assert rounded.tolist() == [GRID_TOTAL_OF_NUMBERS, 1, 1]
        assert unit == factor * 15


def test_rows_are_on_grids_of_their_own():
    rows = np.random.default_rng(0).random((5, 3))
    numbers, units = rows_on_grid(rows)
    np.testing.assert_allclose(numbers * units[:, np.newaxis], rows, rtol=1e-12)
    np.testing.assert_array_equal(rows_on_grid(rows[2:3])[0], numbers[2:3])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_factor_of_all_weights_changes_no_tree(engine, criterion):
    for seed in range(6):
        X, y, rng = noisy(seed)
        weights = [rng.integers(1, 5, len(y)), rng.integers(1, 12, len(y)) / 10, rng.random(len(y))][seed % 3]
        tree = DecisionTreeClassifier(criterion, random_state=0).fit(X, y, sample_weight=weights)
        for factor in (1.7, np.pi, 1e-30):
            scaled = DecisionTreeClassifier(criterion, random_state=0).fit(X, y, sample_weight=factor * weights)
            assert_same_splits(scaled, tree)
            np.testing.assert_allclose(scaled.tree_.value, factor * tree.tree_.value, rtol=1e-12)


def test_weighted_information_gain_finds_the_mode_under_weights(engine):
    whole = gain("wig", [0, 0, 2, 3], [0, 2, 0, 2])
    assert gain("wig", [0, 0, 3.4, 5.1], [0, 3.4, 0, 3.4]) == whole == pytest.approx(0.08103136701628055)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini", "jaccard"])
def test_splits_that_gain_nothing_are_kept_under_decimals(engine, criterion):
    for seed in range(10):
        X, y, _ = noisy(seed, 20, 2, 3)
        tree = DecisionTreeClassifier(criterion, min_gain=0.0, random_state=0)
        assert_same_splits(
            tree.fit(X, y, sample_weight=np.full(20, 0.1)),
            DecisionTreeClassifier(criterion, min_gain=0.0, random_state=0).fit(X, y),
        )


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.15, 0.35])
def test_a_child_of_exactly_the_least_weight_is_allowed(engine, fraction):
    for seed in range(10):
        X, y, _ = noisy(seed, 20, 2)
        tree = DecisionTreeClassifier(min_weight_fraction_leaf=fraction, random_state=0)
        expected = DecisionTreeClassifier(min_samples_leaf=round(20 * fraction), random_state=0).fit(X, y)
        assert_same_splits(tree.fit(X, y, sample_weight=np.full(20, 0.1)), expected)
        assert_same_splits(tree.fit(X, y, sample_weight=np.full(20, 3)), expected)
        assert_same_splits(tree.fit(X, y), expected)


def test_balanced_classes_tie(engine):
    for seed in range(10):
        _, y, _ = noisy(seed, 50 + seed)
        X = np.zeros((len(y), 1))
        tree = DecisionTreeClassifier(class_weight="balanced").fit(X, y)
        assert len(set(tree.tree_.value[0])) == 1
        assert tree.predict(X[:1]) == 0
        forest = DecisionForestClassifier(4, class_weight="balanced_subsample", random_state=0).fit(X, y)
        assert {each.predict(X[:1])[0] for each in forest} == {0}


def test_values_are_sums_of_the_weights(engine):
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [2.0]]), np.array([0, 0, 0, 1, 0])
    tree = DecisionTreeClassifier().fit(X, y, sample_weight=[0.1, 0.1, 0.1, 0.3, 0.3]).tree_
    assert tree.value[0].tolist() == [0.6, 0.3]
    assert tree.value[1].tolist() == [0.3, 0.0]
    assert tree.weighted_n_node_samples[1] == 0.3


def test_missing_values_go_right_if_decimals_add_up_to_the_same():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 1, 1])
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=[0.1, 0.2, 0.15, 0.15])
    assert tree.apply([[np.nan]])[0] == 2


def test_the_order_of_the_samples_changes_nothing():
    X, y, rng = noisy(0, 300)
    weights = rng.random(300)
    order = rng.permutation(300)
    for criterion in ("gini", "entropy", "ranking"):
        tree = DecisionTreeClassifier(criterion).fit(X, y, sample_weight=weights)
        again = DecisionTreeClassifier(criterion, n_jobs=2).fit(X[order], y[order], sample_weight=weights[order])
        assert tree.tree_ == again.tree_


def test_forests_put_the_weights_of_balanced_draws_on_a_grid():
    X, y, rng = noisy(1, 100)
    weights = rng.random(100) / 7
    forest = DecisionForestClassifier(5, class_weight="balanced_subsample", random_state=0)
    for tree, drawn in zip(forest.fit(X, y, sample_weight=weights), forest.estimators_samples_, strict=True):
        np.testing.assert_allclose(tree.tree_.weighted_n_node_samples[0], 100.0, rtol=1e-13)
        again = clone(tree).fit(X[drawn], y[drawn])
        np.testing.assert_array_equal(again.tree_.value, tree.tree_.value)
        np.testing.assert_array_equal(again.tree_.threshold, tree.tree_.threshold)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_factor_of_all_weights_changes_no_tree_of_numbers(engine, criterion):
    for seed in range(6):
        X, _, rng = noisy(seed, 20)
        y = rng.normal(size=len(X))
        weights = [rng.integers(1, 12, len(y)) / 10, rng.random(len(y)), rng.random(len(y)) ** 9][seed % 3]
        tree = DecisionTreeRegressor(criterion).fit(X, y, sample_weight=weights).tree_
        for factor in (2.0**-700, 0.5, 2.0**200, 1.7, np.pi, 1e-30):
            scaled = DecisionTreeRegressor(criterion).fit(X, y, sample_weight=factor * weights).tree_
            for name in ("feature", "threshold", "n_node_samples"):
                np.testing.assert_array_equal(getattr(scaled, name), getattr(tree, name))
            if np.frexp(factor)[0] == 0.5 and seed % 3 > 0:
                for name in ("value", "gain", "impurity"):
                    np.testing.assert_array_equal(getattr(scaled, name), getattr(tree, name))
            np.testing.assert_allclose(scaled.value, tree.value, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(
                scaled.weighted_n_node_samples, factor * tree.weighted_n_node_samples, rtol=1e-10
            )


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_runs_of_samples_that_cannot_win_are_skipped(criterion):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y, weights = rng.normal(size=(400, 2)), rng.integers(0, 2, 400), rng.random(400)
        limits = {"max_depth": 3, "random_state": 0}
        tree = DecisionTreeClassifier(criterion, **limits).fit(X, y, sample_weight=weights)
        # A limit on cuts that never applies leaves every cut to be offered.
        again = DecisionTreeClassifier(criterion, max_candidates=400, **limits).fit(X, y, sample_weight=weights)
        assert tree.tree_ == again.tree_


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("label", [0, 1])
def test_no_run_is_skipped_whose_middle_wins(criterion, label):
    """Labels alternate, but for 36 of one class, 4 of the other, and a run whose first half is of one class: the best
    cut lies in the middle of the run, and no cut at its ends is as good as the cut after the 36."""
    rows = sizes()["BOX_ROWS"]
    half = rows // 2
    for seed in range(2 * rows):
        rng = np.random.default_rng(seed)
        y = np.arange(40 * rows) % 2
        first, run = 17 * rows, 20 * rows + seed
        y[first : first + 40] = [label] * 36 + [1 - label] * 4
        y[run : run + 2 * half] = [label] * half + [1 - label] * half
        X, weights = np.arange(float(len(y)))[:, np.newaxis], rng.uniform(0.99, 1.01, len(y))
        tree, again = (
            DecisionTreeClassifier(criterion, max_depth=1, max_candidates=most).fit(X, y, sample_weight=weights).tree_
            for most in (None, len(y))
        )
        assert tree == again
        assert tree.n_node_samples[1] == run + half
