"""Nodes that look at few of many features: bins of the node, all pairs of samples, and the bounds that choose what is
looked at exactly; against the reference, and against sorted samples, which no bound guides."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import columns_of_some_kinds, noisy_labels
from seeded import count_weights, no_weights, problems
from strategies import limits
from support import UNLIMITED, assert_as_one_by_one, assert_same_tree, examples, grow, grow_reference

from pytrees._core.base.sizes import sizes

SIZES = sizes()
MOST_IN_PAIRS, MOST_OF_CLASSES_IN_PAIRS = SIZES["MOST_IN_PAIRS"], SIZES["MOST_OF_CLASSES_IN_PAIRS"]
MOST_WEIGHT_IN_PAIRS, MOST_WEIGHT_IN_HALVES = SIZES["MOST_WEIGHT_IN_PAIRS"], SIZES["MOST_WEIGHT_IN_HALVES"]
MOST_OF_FEW, FEWEST_IN_BINS = SIZES["MOST_OF_FEW"], SIZES["FEWEST_IN_BINS"]
MOST_NODE_BINS, SAMPLES_PER_BIN = SIZES["MOST_NODE_BINS"], SIZES["SAMPLES_PER_NODE_BIN"]
MOST_OF_FORM, MOST_OF_PAIRED_FORM = SIZES["MOST_OF_FORM"], SIZES["MOST_OF_PAIRED_FORM"]

CRITERIA = ["gini", "entropy", "ogini", "ranking", ("ranking", {"weighted": False})]
BINARY_CRITERIA = CRITERIA[3:]  # without bounds for more than two classes


def tables(n_rows, n_features=12, n_seeds=10):
    """Yield seeds, their generators, and features drawn by them."""
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        yield seed, rng, columns_of_some_kinds(n_rows, rng, n_features)


def both_sides_of(*limits):
    return [limit + more for limit in limits for more in (0, 1)]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("weights", "number"), [(no_weights, 300), (count_weights, 200)])
def test_few_of_many_features_agree_with_the_reference(criterion, weights, number):
    @examples(number)
    @given(
        problems(weights, max_rows=40), limits(max_candidates=UNLIMITED), st.integers(1, 2), st.integers(0, 2**32 - 1)
    )
    def check(problem, growth_limits, max_features, seed):
        X, y, case_weights, n_classes = problem
        rng = np.random.default_rng(seed)
        X = np.column_stack([X, columns_of_some_kinds(len(X), rng, 8)])
        growth_limits = growth_limits | {"max_features": max_features}
        problem = X, y, case_weights, n_classes, criterion
        assert_same_tree(grow(*problem, **growth_limits), grow_reference(*problem, **growth_limits))

    check()


@examples(1500)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(2, 200) | st.sampled_from([63, 64, 65, 95, 96, 97, 600, 1500]),
    n_classes=st.sampled_from([2, 2, 2, 3, 7, 8, 9, 16, 17, 30]),
    heaviest=st.sampled_from([1, 1, 3, 10, 1000, 10**6]),
    criterion=st.sampled_from(CRITERIA),
    max_features=st.integers(1, 3),
    growth_limits=limits(max_candidates=UNLIMITED),
)
def test_bins_and_pairs_do_not_change_the_tree(
    seed, n_rows, n_classes, heaviest, criterion, max_features, growth_limits
):
    rng = np.random.default_rng(seed)
    X = columns_of_some_kinds(n_rows, rng, 12)
    y = noisy_labels(X, n_classes, rng)
    if criterion == "entropy":
        heaviest = min(heaviest, 1000)  # its table of n log2 n is as long as all weights together
    elif criterion != "gini" and n_classes > 2:
        heaviest = min(heaviest, 10**5)  # classes times the square of all weights together stay below 2**62
    weights = None if heaviest == 1 else rng.integers(1, heaviest, size=n_rows)
    options = growth_limits | {"max_features": max_features}
    assert_as_one_by_one(X, y, weights, n_classes, criterion, **options)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(
    "n_rows",
    [
        *both_sides_of(MOST_IN_PAIRS, MOST_OF_CLASSES_IN_PAIRS, MOST_WEIGHT_IN_PAIRS),
        *(SAMPLES_PER_BIN * MOST_NODE_BINS + more for more in (-1, 0, 1)),
    ],
)
@pytest.mark.parametrize("min_samples_leaf", [1, 2, 7])
def test_around_the_switches(criterion, n_classes, n_rows, min_samples_leaf):
    for seed, rng, X in tables(n_rows):
        problem = X, noisy_labels(X, n_classes, rng), None, n_classes, criterion
        assert_as_one_by_one(*problem, max_features=3, seed=seed, min_samples_leaf=min_samples_leaf)


# A node has bins of one value each if its ranks spread over no more values than there are samples, or half as many. The
# node holds some of all samples, so that its ranks have gaps.
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(
    "n_rows",
    [*both_sides_of(8, MOST_OF_FEW, FEWEST_IN_BINS - 1, MOST_IN_PAIRS, MOST_OF_CLASSES_IN_PAIRS), MOST_NODE_BINS + 1],
)
@pytest.mark.parametrize("min_samples_leaf", [1, 3])
def test_around_the_switches_by_values(criterion, n_classes, n_rows, min_samples_leaf):
    for seed, excess in enumerate([-1, 0, 1, n_rows, 70_000 if n_rows < 20 else 3 * n_rows]):
        rng = np.random.default_rng(seed)
        n_values = max(2, (n_rows // 2 if seed < 3 and n_classes > 2 else n_rows) + excess)
        n_drawn = 1 if excess == 70_000 else 3
        X = rng.permuted(np.tile(np.arange(max(n_values, n_rows)) % n_values, (4 * n_drawn, 1)), axis=1).T
        rows = np.sort(rng.choice(len(X), n_rows, replace=False))
        y = rng.integers(n_classes, size=len(X)).astype(np.int32)
        problem = X, y, None, n_classes, criterion
        options = {"max_features": n_drawn, "seed": seed, "min_samples_leaf": min_samples_leaf, "rows": rows}
        assert_as_one_by_one(*problem, **options)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("n_rows", "total"), [(40, MOST_WEIGHT_IN_PAIRS), (700, MOST_WEIGHT_IN_HALVES)])
@pytest.mark.parametrize("excess", [0, 1])
def test_weights_around_what_lanes_have_room_for(criterion, n_classes, n_rows, total, excess):
    for seed, rng, X in tables(n_rows):
        weights = 1 + rng.multinomial(total + excess - n_rows, np.full(n_rows, 1 / n_rows))
        problem = X, noisy_labels(X, n_classes, rng), weights, n_classes, criterion
        assert_as_one_by_one(*problem, max_features=3, seed=seed)


# The squares of ordinal Gini add up to the number of classes times the square of all weights, in 32 bits; of pairs, to
# one time less, in 16 bits. Nearly all samples are of the lowest class, so that they nearly do.
@pytest.mark.parametrize("n_classes", [3, 10, 17, 30])
@pytest.mark.parametrize("of_pairs", [False, True])
@pytest.mark.parametrize("excess", [0, 1, 2])
def test_forms_around_what_lanes_have_room_for(n_classes, of_pairs, excess):
    most = MOST_OF_PAIRED_FORM // (n_classes - 1) if of_pairs else MOST_OF_FORM // n_classes
    total, n_rows = math.isqrt(most) + excess, 20 if of_pairs else 700
    for seed, rng, X in tables(n_rows):
        y = np.where(rng.random(n_rows) < 0.1, rng.integers(n_classes, size=n_rows), 0).astype(np.int32)
        weights = 1 + rng.multinomial(total - n_rows, np.full(n_rows, 1 / n_rows))
        assert_as_one_by_one(X, y, weights, n_classes, "ogini", max_features=3, seed=seed)


# Only some classes have samples; they are neighbours or not.
@pytest.mark.parametrize("n_rows", [12, 40, 400])
@pytest.mark.parametrize("classes", [[0, 7], [3, 4, 9], [9], [2, 3, 5, 16]])
def test_classes_without_samples(n_rows, classes):
    for seed, rng, X in tables(n_rows):
        y = np.array(classes, dtype=np.int32)[noisy_labels(X, len(classes), rng)]
        for criterion in ("gini", "ogini"):
            problem, options = (X, y, None, 17, criterion), {"max_features": 3, "seed": seed}
            assert_as_one_by_one(*problem, **options)
            options |= {"max_depth": 2} if n_rows == 400 else {}  # the reference is slow
            assert_same_tree(grow(*problem, **options), grow_reference(*problem, **options))


# Bins count in 32 bits. Squares of much greater sums overflow; estimators hand over sums below 2**24.
@pytest.mark.parametrize("total", [2**31 - 1, 2**31, 2**31 + 2**20])
def test_weights_beyond_32_bits(total):
    rng = np.random.default_rng(0)
    X = columns_of_some_kinds(150, rng, 12)
    weights = np.append(np.ones(148, dtype=np.int64), [total - 148 - total // 2, total // 2])
    assert_as_one_by_one(X, noisy_labels(X, 3, rng), weights, 3, "gini", max_features=2)


# Ranks of more rows than 65,536 have 32 bits, and nodes of an eighth of all rows or fewer read them row by row.
@pytest.mark.parametrize("n_rows", [65536, 65537])
@pytest.mark.parametrize(("n_classes", "criterion"), [(2, "gini"), (4, "gini"), (2, "entropy")])
def test_ranks_of_16_and_of_32_bits(n_rows, n_classes, criterion):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 4))
    X[:, 3] = rng.integers(50, size=n_rows)
    y = noisy_labels(X, n_classes, rng)
    weights = rng.integers(1, 4, size=n_rows)
    for problem in ((X, y, None, n_classes, criterion), (X, y, weights, n_classes, criterion)):
        assert_as_one_by_one(*problem, max_features=1, min_samples_leaf=3)


@pytest.mark.parametrize("max_leaf_nodes", [UNLIMITED, 20])
@pytest.mark.parametrize("n_rows", [50, 500])
def test_categorical_features_beside_ranked_ones(max_leaf_nodes, n_rows):
    for seed, rng, X in tables(n_rows, 8, 20):
        X[:, ::3] = rng.integers(4, size=(n_rows, 3))
        n_categories = [4 if feature % 3 == 0 else 0 for feature in range(8)]
        problem = X, noisy_labels(X, 3, rng), rng.integers(1, 4, size=n_rows), 3, "gini"
        options = {"max_features": 2, "seed": seed, "n_categories": n_categories, "max_leaf_nodes": max_leaf_nodes}
        assert_as_one_by_one(*problem, **options)


@pytest.mark.parametrize("criterion", CRITERIA)
@examples(300)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 130),
    n_classes=st.sampled_from([2, 3, 9]),
    heaviest=st.sampled_from([1, 3, 5000]),
    min_samples_leaf=st.integers(1, 4),
)
def test_the_best_cut_of_one_node(criterion, seed, n_rows, n_classes, heaviest, min_samples_leaf):
    rng = np.random.default_rng(seed)
    n_classes = 2 if criterion in BINARY_CRITERIA else n_classes
    X = columns_of_some_kinds(n_rows, rng, 8)
    y = noisy_labels(X, n_classes, rng) if n_rows > 1 else np.zeros(1, dtype=np.int32)
    problem = X, y, None if heaviest == 1 else rng.integers(1, heaviest, size=n_rows), n_classes, criterion
    limits_of_node = {"max_features": 2, "max_depth": 1, "min_samples_leaf": min_samples_leaf, "seed": seed}
    assert_same_tree(grow(*problem, **limits_of_node), grow_reference(*problem, **limits_of_node))


def test_one_node_by_hand(engine):
    X, y = np.repeat([[1.0], [2.0], [3.0], [4.0]], 4, axis=1), np.array([0, 0, 1, 0])
    # The classes up to the lowest and up to the second are the same samples: twice the gain. For ranking, 3 pairs of
    # the 4 samples have two classes; behind the second sample 1 pair has, in half of the samples.
    for labels, n_classes, criterion, gain in (
        (y, 2, "gini", 0.125),
        (y, 2, "ogini", 0.0625),
        (2 * y, 3, "ogini", 0.125),
        (y, 2, "ranking", 2.5),
    ):
        tree = grow(X, labels, None, n_classes, criterion, max_features=1, max_depth=1)
        assert (tree["threshold"][0], tree["gain"][0]) == (2.5, gain)
    assert len(grow(X, y, None, 2, "gini", max_features=1, min_samples_leaf=3)["feature"]) == 1


def test_equal_gains_go_to_the_lowest_feature_and_threshold(engine):
    # Every cut of these two classes has a mirror image of the same gain, and four features are alike.
    X = np.column_stack([np.repeat([3.0], 12), *[np.arange(12.0)] * 4])
    y = [0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0]
    for criterion in ("gini", "entropy", "ogini"):
        for seed in range(8):
            tree = grow(X, y, None, 2, criterion, max_features=1, max_depth=1, seed=seed)
            assert tree["threshold"][0] == 1.5
            assert tree["feature"][0] > 0


def test_nothing_to_gain(engine):
    # Any cut leaves the shares of both classes as they are: the first of all.
    X = np.column_stack([np.repeat(np.arange(4.0), 2)] * 4)
    y = np.tile([0, 1], 4)
    for criterion in ("gini", "entropy", "ogini"):
        tree = grow(X, y, None, 2, criterion, max_features=1, max_depth=1)
        assert tree["threshold"][0] == 0.5
        assert tree["gain"][0] == 0.0
