"""Squared and absolute error: numbers worked out by hand, equal trees of both engines and of a naive program."""

from fractions import Fraction

import numpy as np
import pytest
from support import UNLIMITED, assert_refuses, assert_same_tree, grow, grow_one_by_one, grow_reference, on_both_engines
from targets import criterion_of, grow_numbers, target_sums

from pytrees._core.base.sizes import sizes
from pytrees._engine import config_context, kernel

ERRORS = ["squared_error", "absolute_error"]
SIZES = sizes()


# Targets 0, 0, 6, 10: mean 4, variance (16 + 16 + 4 + 36) / 4 = 18; lower median 0, mean distance 16 / 4 = 4.
# The cut in the middle leaves (0, 0) and (6, 10): variances 0 and 4, distances 0 and 4 / 2.
@pytest.mark.parametrize(
    ("error", "impurity", "gain", "value"),
    [
        ("squared_error", [18.0, 0.0, 4.0], 18 - 4 / 2, [16, 0, 16]),
        ("absolute_error", [4.0, 0.0, 2.0], 3.0, [0, 0, 12]),
    ],
)
def test_a_split_by_hand(engine, error, impurity, gain, value):
    tree = grow_numbers([[0.0], [1.0], [2.0], [3.0]], [0, 0, 6, 10], error=error, max_depth=1)
    np.testing.assert_array_equal(tree["threshold"], [1.5, -2.0, -2.0])
    np.testing.assert_array_equal(tree["gain"], [gain, 0.0, 0.0])
    np.testing.assert_array_equal(tree["impurity"], impurity)
    np.testing.assert_array_equal(tree["weight"], [4, 2, 2])
    assert target_sums(tree) == value


@pytest.mark.parametrize("error", ERRORS)
def test_gains_and_impurities_of_class_counts(engine, error):
    criterion = (error, {"targets": np.array([-5, 0, 7])})
    left, right = np.array([[1, 0, 2], [0, 3, 0], [2, 2, 2]]), np.array([[2, 1, 0], [0, 0, 4], [0, 0, 0]])
    found = kernel("gains_of_cuts")(criterion, left, right)
    both = np.asarray(kernel("impurities")(criterion, left + right))
    for row, gain in enumerate(found):
        counts = [part[row].sum() for part in (left, right)]
        of_children = [
            kernel("impurities")(criterion, part[row : row + 1])[0] if n else 0.0
            for n, part in zip(counts, (left, right), strict=True)
        ]
        expected = both[row] - sum(n / sum(counts) * of_one for n, of_one in zip(counts, of_children, strict=True))
        assert gain == pytest.approx(expected if min(counts) else 0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("targets", "weights", "message"),
    [
        ([0, 2**60], None, "times the weight of all samples"),
        ([-(2**63), 0], None, "times the weight of all samples"),
        ([0, 2**50], [2**30, 1], "times the weight of all samples"),
        ([0, 2**35 + 1], [2**30, 1], "or the targets at most 34359738368 and the weight"),
        ([-(2**35), 0], [2**45, 1], "the weight of all samples at most 35184372088832"),
    ],
)
def test_targets_that_sums_do_not_hold_are_refused(engine, targets, weights, message):
    weights = None if weights is None else np.array(weights)
    assert_refuses(ValueError, message, grow_numbers, [[0.0], [1.0]], targets, weights)


@pytest.mark.parametrize("error", ERRORS)
def test_the_greatest_targets_and_weights(engine, error):
    """Sums, their products with weights, and squares of these products are as great as can be."""
    big, half = 2**35, 2**44
    X, targets, weights = [[0.0], [1.0], [2.0]], [-big, big - 1, big], np.array([half, half - 1, 1])
    tree = grow_numbers(X, targets, weights, error)
    assert tree["weight"].tolist() == [2 * half, half, half, half - 1, 1]
    of_right = (half - 1) * (big - 1) + big
    if error == "squared_error":
        assert target_sums(tree)[:3] == [of_right - half * big, -half * big, of_right]
        difference = Fraction(of_right, half) + big
        assert tree["gain"][0] == float(difference**2 / 4)
        variance = Fraction(half * big**2 + (half - 1) * (big - 1) ** 2 + big**2, 2 * half)
        assert tree["impurity"][0] == float(variance - Fraction(of_right - half * big, 2 * half) ** 2)
        assert tree["impurity"][2] == float(Fraction(half - 1, half**2))
    else:
        # The lower median is the least target.
        assert target_sums(tree)[:3] == [-2 * half * big, -half * big, half * (big - 1)]
        assert tree["impurity"][0] == float(Fraction((half - 1) * (2 * big - 1) + 2 * big, 2 * half))
        assert tree["gain"][0] == float(Fraction((half - 1) * (2 * big - 1) + 2 * big - 1, 2 * half))


@pytest.mark.parametrize("distance", [2**27 - 1, 2**27 - 3, 2**27 + 1, 2**35 - 1])
def test_impurities_are_the_nearest_doubles(engine, distance):
    """The square of an odd number of 27 bits lies in the middle between two doubles."""
    for weights in ([2**44, 2**44], [2**44 - 1, 2**44], [2**40 + 1, 2**44]):
        tree = grow_numbers([[0.0], [0.0]], [0, distance], np.array(weights))
        assert tree["impurity"].tolist() == [distance**2 * weights[0] * weights[1] / sum(weights) ** 2]


@pytest.mark.parametrize("error", ERRORS)
def test_fractions_of_class_counts_are_exact(error):
    criterion = (error, {"targets": np.array([-(2**35), 5, 2**35])})
    counts = np.array([[2**43 + 1, 2**42, 2**43], [0, 7, 2**44], [2**44, 0, 0]])
    found, expected = on_both_engines(lambda: kernel("weighted_fractions")(criterion, counts))
    assert found == expected
    left, right = counts // 3, counts - counts // 3
    np.testing.assert_array_equal(*on_both_engines(lambda: kernel("gains_of_cuts")(criterion, left, right)))
    np.testing.assert_array_equal(*on_both_engines(lambda: kernel("impurities")(criterion, counts)))


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (("squared_error", {"targets": [1, 1]}), "2 ascending"),
        (("absolute_error", {"targets": [1, 2, 3]}), "2 ascending"),
        ("squared_error", "targets"),
        (("gini", {"targets": [0, 1]}), "targets"),
    ],
)
def test_targets_fit_classes_and_criterion(engine, criterion, message):
    assert_refuses(ValueError, message, grow, [[0.0], [1.0]], [0, 1], None, 2, criterion)


@pytest.mark.parametrize("error", ERRORS)
def test_more_samples_than_narrow_entries_hold(error):
    rng = np.random.default_rng(1)
    X, targets = rng.normal(size=(70_000, 2)).round(2), rng.integers(-(10**6), 10**6, 70_000)
    tree = grow_numbers(X, targets, None, error, max_depth=3)
    shuffled = rng.permutation(len(X))
    assert_same_tree(tree, grow_numbers(X[shuffled], targets[shuffled], None, error, max_depth=3))
    is_left = X[:, tree["feature"][0]] <= tree["threshold"][0]
    middles = [np.sort(part)[(len(part) - 1) // 2] for part in (targets, targets[is_left], targets[~is_left])]
    if error == "absolute_error":
        sums = [
            np.abs(part - m).sum()
            for part, m in zip((targets, targets[is_left], targets[~is_left]), middles, strict=True)
        ]
        assert tree["gain"][0] == (sums[0] - sums[1] - sums[2]) / len(X)
    else:
        n, n_left = len(X), int(is_left.sum())
        difference = n * int(targets[is_left].sum()) - n_left * int(targets.sum())
        assert tree["gain"][0] == difference**2 / (n**2 * n_left * (n - n_left))


def spread_numbers(rng, n):
    """Return targets of one of the kinds on which scores in single precision tell much, little or nothing."""
    kinds = [
        rng.integers(-(10**6), 10**6, n),
        rng.integers(0, 2, n) * 7,
        rng.integers(-3, 4, n),
        # A few huge ones beside many small ones: the small ones count as nothing in 32 bits.
        np.where(rng.random(n) < 0.1, 2**35 * rng.integers(-9, 10, n), rng.integers(-2, 3, n)),
        2**50 // n - rng.integers(0, 3, n),
        (np.exp(rng.normal(size=n)) * 1e4).astype(np.int64),
    ]
    return kinds[rng.integers(len(kinds))].astype(np.int64)


def values_with_ties(rng, n, n_features):
    """Return a table whose columns are continuous, of few values, constant, copies of each other and of the opposite
    order."""
    X = rng.normal(size=(n, n_features))
    for k in range(n_features):
        kind = rng.integers(5)
        if kind == 1:
            X[:, k] = rng.integers(0, rng.integers(1, 6), n)
        elif kind == 2:
            X[:, k] = X[:, 0]
        elif kind == 3:
            X[:, k] = -X[:, 0]
    return X


def draw_problem(seed, n, n_features):
    rng = np.random.default_rng(seed)
    X, targets = values_with_ties(rng, n, n_features), spread_numbers(rng, n)
    weights = [None, rng.integers(1, 4, n), rng.integers(1, 200, n)][rng.integers(3)]
    limits = {
        "min_samples_leaf": int(rng.choice([1, 1, 2, 3])), "max_depth": int(rng.choice([3, 2**31 - 1])),
        "max_leaf_nodes": int(rng.choice([5, 2**31 - 1, 2**31 - 1])), "seed": seed,
        "max_features": int(rng.choice([n_features, n_features, max(1, n_features // 2)])),
    }  # fmt: skip
    return X, targets, weights, limits


@pytest.mark.parametrize("seed", range(30))
def test_scores_of_sorted_entries_change_nothing(seed):
    rng = np.random.default_rng(seed)
    X, targets, weights, limits = draw_problem(seed, int(rng.integers(2, 60)), int(rng.integers(1, 20)))
    codes, n_classes, criterion = criterion_of(targets)
    tree = grow(X, codes, weights, n_classes, criterion, **limits)
    if X.size < 400:  # the reference takes seconds for larger ones
        assert_same_tree(tree, grow_reference(X, codes, weights, n_classes, criterion, **limits))
    assert_same_tree(tree, grow_one_by_one(X, codes, weights, n_classes, criterion, **limits))


@pytest.mark.parametrize("seed", range(30))
def test_bins_of_sums_change_nothing(seed):
    """Nodes of more samples than a block have bins; few bins of many samples ask most of the bounds."""
    rng = np.random.default_rng(seed + 100)
    X, targets, weights, limits = draw_problem(seed, int(rng.integers(10, 300)), int(rng.integers(1, 6)))
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.1] = np.nan
    codes, n_classes, criterion = criterion_of(targets)
    ways = {"block_rows": int(rng.integers(2, 30)), "max_bins": int(rng.choice([2, 3, 8, SIZES["MAX_BINS"]]))}
    tree = grow(X, codes, weights, n_classes, criterion, **limits, **ways)
    assert_same_tree(tree, grow_one_by_one(X, codes, weights, n_classes, criterion, **limits))
    in_parts = grow(X, codes, weights, n_classes, criterion, **limits, **ways, n_threads=2, part_rows=20)
    assert_same_tree(tree, in_parts)
    if len(X) < 100:
        assert_same_tree(tree, grow_reference(X, codes, weights, n_classes, criterion, **limits))


@pytest.mark.parametrize("few_values", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_sizes_at_which_numbers_are_cut_into_bins(few_values, weighted):
    rng = np.random.default_rng(3)
    n = SIZES["MOST_NUMBERS_WITHOUT_BINS"] + 1
    X = rng.integers(0, 9, (n, 3)).astype(float) if few_values else rng.normal(size=(n, 3))
    targets = (1e6 * X[:, 0] ** 2 + 1e5 * rng.normal(size=n)).astype(np.int64)
    weights = rng.integers(1, 4, n) if weighted else None
    for n_rows in (n - 1, n):
        codes, n_classes, criterion = criterion_of(targets[:n_rows])
        some = None if weights is None else weights[:n_rows]
        tree = grow(X[:n_rows], codes, some, n_classes, criterion)
        assert_same_tree(tree, grow_one_by_one(X[:n_rows], codes, some, n_classes, criterion))
        assert_same_tree(tree, grow(X[:n_rows], codes, some, n_classes, criterion, n_threads=2))


def test_weights_beyond_32_bits_are_compared_one_by_one():
    rng = np.random.default_rng(5)
    X, targets, weights = rng.normal(size=(40, 3)).round(1), rng.integers(-9, 9, 40), rng.integers(1, 2**40, 40)
    weights[3] = 2**51
    assert_same_tree(*on_both_engines(grow_numbers, X, targets, weights))
    ways = {"block_rows": 8, "max_bins": 4}
    assert_same_tree(grow_numbers(X, targets, weights), grow_numbers(X, targets, weights, **ways))


@pytest.mark.parametrize(
    "n", [2, 3, SIZES["MOST_SORTED_IN_FEW"], SIZES["MOST_IN_FEW"] - 1, SIZES["MOST_IN_FEW"], SIZES["MOST_IN_FEW"] + 1]
)
@pytest.mark.parametrize("n_features", [1, 8, 9, 20])
def test_nodes_of_few_samples(n, n_features):
    """Every sample is compared with all others, unless weights are too great for that, or errors swallow all scores.
    Features behind eight are looked at unless an earlier cut is the best of all."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (n, n_features)).astype(float)
        heavy = np.ones(n, dtype=np.int64)
        heavy[0] = SIZES["MOST_WEIGHT_OF_FEW"] - n + 1 + seed % 2
        for targets in (rng.integers(0, 3, n), np.append(rng.integers(0, 3, n - 1), 2**40), rng.integers(-99, 99, n)):
            for weights in (None, rng.integers(1, 5, n), heavy):
                for limits in ({}, {"max_leaf_nodes": 4, "max_depth": 2}):
                    cut_by_cut = grow_numbers(X, targets, weights, max_candidates=UNLIMITED - 1, **limits)
                    assert_same_tree(grow_numbers(X, targets, weights, **limits), cut_by_cut)
                    if seed < 2:  # the reference is slow
                        with config_context(engine="reference"):
                            assert_same_tree(cut_by_cut, grow_numbers(X, targets, weights, **limits))


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("kind", ["plain", "missing", "few values"])
def test_features_sorted_once_for_many_trees(error, kind):
    """Trees of a forest take the order of their samples from the order of all samples."""
    rng = np.random.default_rng(7)
    X, targets = values_with_ties(rng, 400, 6), spread_numbers(rng, 400)
    if kind == "missing":
        X[rng.random(X.shape) < 0.05] = np.nan
    elif kind == "few values":
        X = np.ascontiguousarray(rng.integers(0, 5, (400, 6)).astype(float))
    codes, n_classes, criterion = criterion_of(targets, error)
    shared = kernel("share_features")(X, n_classes, criterion, True, 3, 2**31 - 1)
    for seed in range(4):
        rows = [np.arange(400), np.sort(rng.permutation(400)[:250]), rng.permutation(400), np.arange(20)][seed]
        weights = rng.integers(1, 4, 400) if seed % 2 else None
        limits = {"rows": rows.astype(np.int32), "max_features": 3, "seed": seed}
        tree = grow(X, codes, weights, n_classes, criterion, **limits)
        assert_same_tree(tree, grow(X, codes, weights, n_classes, criterion, shared=shared, **limits))


@pytest.mark.parametrize("seed", range(8))
def test_monotonic_constraints_with_bins_of_sums(seed):
    X, targets, weights, limits = draw_problem(seed, 150, 3)
    codes, n_classes, criterion = criterion_of(targets)
    limits |= {"monotonic_cst": np.array([1, -1, 0]) if seed % 2 else np.array([0, 1, 1])}
    tree = grow(X, codes, weights, n_classes, criterion, **limits, block_rows=10, max_bins=4)
    assert_same_tree(tree, grow_one_by_one(X, codes, weights, n_classes, criterion, **limits))
    if seed < 4:
        assert_same_tree(tree, grow_reference(X, codes, weights, n_classes, criterion, **limits))
