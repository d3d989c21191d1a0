"""Cuts of a block scored side by side in single precision, and blocks sorted by the bins of few values: against the
reference, and against sorted samples whose cuts are looked at one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import columns_of_some_kinds, noisy_labels
from strategies import limits
from support import UNLIMITED, assert_as_one_by_one, assert_same_tree, examples, grow, grow_one_by_one

from pytrees._core.base.sizes import sizes

SIZES = sizes()
FEWEST_SCORED, MOST_SCORED, ENTRIES_AT_ONCE = SIZES["FEWEST_SCORED"], SIZES["MOST_SCORED"], SIZES["ENTRIES_AT_ONCE"]
LANES_OF_ORDER, MOST_OF_FORM = SIZES["LANES_OF_ORDER"], SIZES["MOST_OF_FORM"]

# Ranking impurity has scores only if neighbouring classes are all equally far from each other.
ORDINAL = ["ogini", "ranking", ("ranking", {"weighted": False}), "ranking at distance 3", "ranking at two distances"]


def with_distances(criterion, n_classes):
    if criterion not in ("ranking at distance 3", "ranking at two distances"):
        return criterion
    class_scores = 3.0 * np.arange(n_classes)
    if criterion == "ranking at two distances":
        class_scores[-1] += 1
    return "ranking", {"class_scores": class_scores}


# One word of a sample has its weight and its weight of the second class.
@pytest.mark.parametrize("criterion", ["gini", "ogini"])
@examples(250)
@given(
    n_rows=st.integers(FEWEST_SCORED - 2, 4 * ENTRIES_AT_ONCE + 3),
    growth_limits=limits(max_candidates=UNLIMITED),
    largest=st.sampled_from([1, 2, 7, 2 * MOST_SCORED // ENTRIES_AT_ONCE, MOST_SCORED, 2**17]),
    seed=st.integers(0, 2**32 - 1),
    noise=st.sampled_from([0.0, 0.2, 1.0]),
    share=st.sampled_from([0.0, 0.1, 0.9]),
    max_leaf_nodes=st.sampled_from([UNLIMITED, 12]),
)
def test_weights_of_two_classes(criterion, n_rows, growth_limits, largest, seed, noise, share, max_leaf_nodes):
    rng = np.random.default_rng(seed)
    X = columns_of_some_kinds(n_rows, rng, 4)
    y = noisy_labels(X, 2, rng, noise)
    X[rng.random(X.shape) < share * (rng.random(4) < 0.8)] = np.nan
    # Most are small, so that some nodes are light enough for scores.
    weights = np.where(rng.random(n_rows) < 0.1, rng.integers(1, largest + 1, size=n_rows), 1)
    problem = X, y, weights, 2, criterion
    growth_limits |= {"max_leaf_nodes": max_leaf_nodes}
    tree = assert_as_one_by_one(*problem, **growth_limits)
    assert_same_tree(grow(*problem, block_rows=min(n_rows, 30), **growth_limits), tree)


# The classes up to each but the highest are counted in one vector, in two, or one sample after another.
@pytest.mark.parametrize("criterion", ORDINAL)
@pytest.mark.parametrize("n_classes", [2, 3, 9, 10, LANES_OF_ORDER + 1, LANES_OF_ORDER + 2])
@examples(60)
@given(
    n_rows=st.integers(FEWEST_SCORED - 2, 4 * ENTRIES_AT_ONCE + 3),
    growth_limits=limits(max_candidates=UNLIMITED),
    seed=st.integers(0, 2**32 - 1),
    noise=st.sampled_from([0.0, 0.2, 1.0]),
    share=st.sampled_from([0.0, 0.01, 0.1, 0.5, 0.95]),
)
def test_ordinal_criteria(criterion, n_classes, n_rows, growth_limits, seed, noise, share):
    rng = np.random.default_rng(seed)
    X = columns_of_some_kinds(n_rows, rng, 4)
    y = noisy_labels(X, n_classes, rng, noise)
    X[rng.random(X.shape) < share * (rng.random(4) < 0.8)] = np.nan
    assert_as_one_by_one(X, y, None, n_classes, with_distances(criterion, n_classes), **growth_limits)


# Forms of more samples do not fit 32 bits. They are greatest if nearly all samples are of the lowest class.
@pytest.mark.parametrize("excess", [-1, 0, 1])
@pytest.mark.parametrize("n_classes", [3, 9, 10, LANES_OF_ORDER + 1])
@pytest.mark.parametrize("criterion", ["ogini", "ranking", ("ranking", {"weighted": False})])
def test_most_samples_of_ordinal_criteria(criterion, n_classes, excess):
    share = 1 if criterion == "ogini" else 4
    n_rows = min(math.isqrt(share * MOST_OF_FORM // (n_classes - 1)), MOST_SCORED) + excess
    rng = np.random.default_rng(n_rows)
    X = columns_of_some_kinds(n_rows, rng, 4)
    labels = [noisy_labels(X, n_classes, rng), noisy_labels(X, n_classes, rng, 1.0)]
    rare = (rng.random(n_rows) < 3e-4).astype(np.int32)
    for y in (*labels, rare, n_classes - 1 - rare):
        problem = X, y, None, n_classes, criterion
        for options in ({"max_depth": 4}, {"max_depth": 3, "min_samples_leaf": 40}):
            assert_as_one_by_one(*problem, **options)


# With more than two classes, and by entropy, two features are scored side by side, and the last of an odd number alone.
# Missing values, which are the last entries, are on either side of every cut.
@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [(name, n_classes) for name in ("gini", "entropy") for n_classes in (2, 3, 10)] + [("squared_error", 0)],
)
@examples(240)
@given(
    n_rows=st.integers(FEWEST_SCORED - 2, 4 * ENTRIES_AT_ONCE + 3),
    n_features=st.integers(1, 6),
    growth_limits=limits(max_candidates=UNLIMITED),
    seed=st.integers(0, 2**32 - 1),
    noise=st.sampled_from([0.0, 0.2, 1.0]),
    share=st.just(0.0) | st.sampled_from([0.01, 0.1, 0.5, 0.95]),
    is_weighted=st.booleans(),
)
def test_any_number_of_entries(
    criterion, n_classes, n_rows, n_features, growth_limits, seed, noise, share, is_weighted
):
    rng = np.random.default_rng(seed)
    X = columns_of_some_kinds(n_rows, rng, n_features)
    y = noisy_labels(X, n_classes or 20, rng, noise)
    X[rng.random(X.shape) < share * (rng.random(n_features) < 0.8)] = np.nan
    weights = rng.integers(1, 4, size=n_rows) if is_weighted and share else None
    if n_classes == 0:
        criterion, n_classes = (criterion, {"targets": np.sort(rng.permutation(200)[:20]) - 100}), 20
    assert_as_one_by_one(X, y, weights, n_classes, criterion, **growth_limits)


def assert_same_in_one_block(X, y, weights, n_classes, criterion, min_samples_leaf):
    problem, options = (X, y, weights, n_classes, criterion), {"min_samples_leaf": min_samples_leaf, "max_depth": 5}
    assert_same_tree(grow(*problem, block_rows=len(X), **options), grow_one_by_one(*problem, **options))


# Numbers of more samples do not fit the halves of words.
@pytest.mark.parametrize("n_rows", [MOST_SCORED - 1, MOST_SCORED, MOST_SCORED + 1])
@pytest.mark.parametrize("n_classes", [2, 7])
@pytest.mark.parametrize("min_samples_leaf", [1, 40])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_most_samples(n_rows, n_classes, min_samples_leaf, criterion):
    rng = np.random.default_rng(n_rows)
    X = columns_of_some_kinds(n_rows, rng, 8)
    for y in (
        noisy_labels(X, n_classes, rng),
        noisy_labels(X, n_classes, rng, 1.0),
        (rng.random(n_rows) < 3e-4).astype(np.int32),
    ):
        assert_same_in_one_block(X, y, None, n_classes, criterion, min_samples_leaf)


# A node that weighs more is searched one cut after another, and its children by scores.
@pytest.mark.parametrize("excess", [-1, 0, 1])
@pytest.mark.parametrize("n_rows", [100, 9000])
@pytest.mark.parametrize("min_samples_leaf", [1, 40])
@pytest.mark.parametrize("criterion", ["gini", "ogini"])
def test_most_weight_of_two_classes(excess, n_rows, min_samples_leaf, criterion):
    rng = np.random.default_rng(n_rows)
    X = columns_of_some_kinds(n_rows, rng, 8)
    total = MOST_SCORED + excess
    weights = np.bincount(rng.integers(n_rows, size=total - n_rows), minlength=n_rows) + 1
    heavy = np.ones(n_rows, dtype=np.int64)
    heavy[n_rows // 3] = total - n_rows + 1
    rare = (rng.random(n_rows) < 3e-3).astype(np.int32)
    for y in (noisy_labels(X, 2, rng), noisy_labels(X, 2, rng, 1.0), rare, 1 - rare):
        for weights_of_rows in (weights, heavy):
            assert weights_of_rows.sum() == total
            assert_same_in_one_block(X, y, weights_of_rows, 2, criterion, min_samples_leaf)


# Scores nearly tie: the orders of the samples by the features differ in few places.
@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini", "ranking", ("ranking", {"weighted": False})])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_near_ties(n_classes, criterion, is_weighted):
    rng = np.random.default_rng(5)
    n_rows = 3000
    order = rng.permutation(n_rows).astype(np.float64)
    y = np.minimum((order * n_classes / n_rows + rng.normal(scale=0.3, size=n_rows)).clip(0), n_classes - 1)
    X = np.tile(order[:, np.newaxis], 12)
    for feature in range(12):
        first, second = rng.integers(n_rows, size=(2, 3))
        X[first, feature], X[second, feature] = X[second, feature], X[first, feature]
    weights = rng.integers(1, 6, size=n_rows) if is_weighted else None
    assert_as_one_by_one(X, y.astype(np.int32), weights, n_classes, criterion)


# Values that all have a bin of their own are sorted by it, beside features of more values, and missing ones.
@pytest.mark.parametrize("n_values", [1, 2, 255, 256, 257])
@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini"])
def test_few_values(n_values, has_missing, criterion):
    rng = np.random.default_rng(n_values)
    n_rows = 4000
    few = rng.integers(n_values, size=(n_rows, 3)) * 0.1 - 5.0
    X = np.column_stack([few, columns_of_some_kinds(n_rows, rng, 3)])
    y = noisy_labels(X[:, ::-1], 2, rng, 0.4)
    if has_missing:
        X[rng.random(n_rows) < 0.1, 1] = np.nan
    problem = X, y, None, 2, criterion
    for block_rows in (3, 300, 1000):
        assert_same_tree(grow(*problem, block_rows=block_rows), grow(*problem, block_rows=n_rows))
    best_first = {"max_leaf_nodes": 60}
    assert_same_tree(grow(*problem, block_rows=300, **best_first), grow(*problem, block_rows=n_rows, **best_first))
