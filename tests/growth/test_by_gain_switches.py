"""Bins or sorted rows, blocks of 32 or of 64 bits: ways to a tree that must not change it, on both sides of each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import columns_of_all_kinds, noisy_labels
from seeded import count_weights, no_weights, problems
from sklearn.tree import DecisionTreeClassifier
from strategies import limits
from support import UNLIMITED, assert_same_tree, examples, grow, grow_reference

from pytrees._core.base.sizes import sizes
from pytrees._engine import kernel
from pytrees._tree_checks import UNDEFINED

SIZES = sizes()
ROWS_WITHOUT_BINS = SIZES["MOST_ROWS_WITHOUT_BINS"]
BLOCK_ROWS, BLOCK_ROWS_PER_CLASS = SIZES["BLOCK_ROWS"], SIZES["BLOCK_ROWS_PER_CLASS"]
FEW_VALUES, BLOCK_ROWS_OF_FEW_VALUES = SIZES["FEW_VALUES"], SIZES["BLOCK_ROWS_OF_FEW_VALUES"]
MOST_CLASSES_IN_BINS, MOST_IN_NARROW = SIZES["MOST_CLASSES_IN_BINS"], SIZES["MOST_IN_NARROW"]
MOST_WEIGHT_IN_BIN_WORDS = SIZES["MOST_WEIGHT_IN_BIN_WORDS"]

CRITERIA = ["gini", "entropy", "ogini", "ranking", ("ranking", {"weighted": False})]
BLOCKS = st.integers(1, 20)
BINS = st.integers(2, 12) | st.just(256)


def grow_sorted(X, *args, **limits):
    """All rows in one block: no bins."""
    return grow(X, *args, block_rows=len(X), **limits)


def mixed_columns(n_rows, seed=0, names=None):
    columns = columns_of_all_kinds(n_rows, seed)
    return np.column_stack([columns[name] for name in names or columns])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("weights", "number"), [(no_weights, 350), (count_weights, 200)])
def test_bins_and_blocks_of_any_size_agree_with_the_reference(criterion, weights, number):
    @examples(number)
    @given(problems(weights, max_rows=40, missing=True), limits(max_candidates=UNLIMITED), BLOCKS, BINS)
    def check(problem, growth_limits, block_rows, max_bins):
        tree = grow(*problem, criterion, block_rows=block_rows, max_bins=max_bins, **growth_limits)
        assert_same_tree(tree, grow_reference(*problem, criterion, **growth_limits))

    check()


# If the number of leaves is limited, all open leaves keep their counts or their block.
@pytest.mark.parametrize("criterion", CRITERIA)
@examples(120)
@given(
    problem=problems(min_rows=15, max_rows=40, missing=True),
    max_leaf_nodes=st.integers(2, 12),
    block_rows=BLOCKS,
    max_bins=BINS,
)
def test_best_first_agrees_with_the_reference(criterion, problem, max_leaf_nodes, block_rows, max_bins):
    tree = grow(*problem, criterion, block_rows=block_rows, max_bins=max_bins, max_leaf_nodes=max_leaf_nodes)
    assert_same_tree(tree, grow_reference(*problem, criterion, max_leaf_nodes=max_leaf_nodes))


# Near an even split only the last digits of large weights tell the cuts apart.
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("largest", [2**12, 2**16, 2**40])
@examples(100)
@given(data=st.data(), block_rows=BLOCKS, max_bins=BINS)
def test_large_weights_agree_with_the_reference(criterion, largest, data, block_rows, max_bins):
    problem = data.draw(
        problems(lambda rng, n_rows: count_weights(rng, n_rows, largest), min_rows=4, max_rows=20, missing=True)
    )
    tree = grow(*problem, criterion, block_rows=block_rows, max_bins=max_bins)
    assert_same_tree(tree, grow_reference(*problem, criterion))


# Weights of two classes on a fine grid: bins hold their sums, and those that cannot hold the best cut are left out.
@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini"])
@pytest.mark.parametrize("spread", [1.0, 5.0, 30.0])
@examples(60)
@given(seed=st.integers(0, 2**32 - 1), block_rows=BLOCKS, max_bins=BINS, growth_limits=limits(max_candidates=UNLIMITED))
def test_real_weights_of_two_classes_agree_with_the_reference(
    criterion, spread, seed, block_rows, max_bins, growth_limits
):
    rng = np.random.default_rng(seed)
    X = mixed_columns(40, seed)
    X = np.ascontiguousarray(X[:, rng.permutation(X.shape[1])[:3]])
    y = noisy_labels(X, 2, rng)
    weights = (2.0 ** (40.0 - spread * rng.random(len(X)))).astype(np.int64)
    tree = grow(X, y, weights, 2, criterion, block_rows=block_rows, max_bins=max_bins, **growth_limits)
    assert_same_tree(tree, grow_reference(X, y, weights, 2, criterion, **growth_limits))


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("pure_rows", [20, 30, 45])
@pytest.mark.parametrize("growth_limits", [{}, {"max_leaf_nodes": 6}, {"max_features": 1}])
def test_one_child_is_a_leaf_and_the_other_uses_bins(mirrored, pure_rows, growth_limits):
    rng = np.random.default_rng(pure_rows)
    y = np.concatenate([np.resize([1, 2, 1, 1, 2], 20), np.zeros(pure_rows, dtype=int)])
    X = np.column_stack([np.arange(20.0 + pure_rows), rng.integers(4, size=20 + pure_rows)])
    if mirrored:
        X[:, 0] *= -1.0
    for criterion in CRITERIA:
        expected = grow_reference(X, y, None, 3, criterion, **growth_limits)
        sizes_of_children = {expected["n_node_samples"][child] for child in (1, expected["children_right"][0])}
        assert "max_features" in growth_limits or sizes_of_children == {20, pure_rows}
        for block_rows in (5, 19, 20, 21):
            tree = grow(X, y, None, 3, criterion, block_rows=block_rows, max_bins=4, **growth_limits)
            assert_same_tree(tree, expected)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_drawn_feature_may_have_one_cut_that_leaves_just_enough_samples(mirrored):
    """Otherwise another feature would be drawn beside it. Every value has a bin of its own."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(np.repeat([0.0, 1.0], [7, 33])) for _ in range(3)])
    y = rng.integers(2, size=len(X))
    for seed in range(12):
        options = {"max_features": 1, "min_samples_leaf": 7, "max_depth": 1, "seed": seed}
        tree = grow(-X if mirrored else X, y, block_rows=1, **options)
        assert_same_tree(tree, grow_reference(-X if mirrored else X, y, **options))
        assert tree["n_node_samples"].tolist() == ([40, 33, 7] if mirrored else [40, 7, 33])


# The only perfect cut lies inside a bin of eight rows. One edge of the bin leaves too few rows; the other edge is so
# bad that a bound from there would rule the bin out.
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_best_cut_in_a_bin_of_which_one_edge_leaves_too_few_samples(criterion, n_classes, mirrored):
    zeros, ones = np.repeat(np.arange(10.0), 8), np.repeat(np.arange(30.0, 45.0), 8)
    first = np.concatenate([zeros, np.arange(10.0, 18.0), ones])
    X = np.column_stack([-first if mirrored else first, np.arange(len(first)) > 81])
    y = (first > 10.0).astype(np.int32)
    tree = grow(X, y, None, n_classes, criterion, block_rows=1, max_bins=28, min_samples_leaf=81, max_depth=1)
    assert (tree["feature"][0], tree["threshold"][0]) == (0, -10.5 if mirrored else 10.5)


@examples(1500)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(30, 400),
    n_classes=st.sampled_from([2, 2, 3, 5, 10]),
    largest=st.sampled_from([0, 0, 3, 1000, 2**40]),
    criterion=st.sampled_from(CRITERIA),
    block_rows=st.integers(1, 60),
    max_bins=st.integers(2, 40) | st.just(256),
    growth_limits=limits(max_candidates=UNLIMITED),
)
def test_bins_do_not_change_the_tree(seed, n_rows, n_classes, largest, criterion, block_rows, max_bins, growth_limits):
    rng = np.random.default_rng(seed)
    X = mixed_columns(n_rows, seed)
    X = np.ascontiguousarray(X[:, rng.permutation(X.shape[1])[:4]])
    y = noisy_labels(X, n_classes, rng)
    weights = rng.integers(1, largest, size=n_rows) if largest > 0 else None
    binned = grow(X, y, weights, n_classes, criterion, block_rows=block_rows, max_bins=max_bins, **growth_limits)
    assert_same_tree(binned, grow_sorted(X, y, weights, n_classes, criterion, **growth_limits))


# Bins of two classes with weights are counted in words of 64 bits, or in 32 bits a number.
@pytest.mark.parametrize("excess", [-1, 0, 1])
@pytest.mark.parametrize("growth_limits", [{}, {"max_features": 2}, {"n_categories": [0, 0, 4, 0]}, {"n_threads": 2}])
def test_most_weight_of_words(excess, growth_limits):
    rng = np.random.default_rng(0)
    n_rows, total = 600, MOST_WEIGHT_IN_BIN_WORDS + excess
    X = mixed_columns(n_rows, names=["continuous", "rounded", "continuous", "mostly zero"])
    X[:, 2] = rng.integers(4, size=n_rows)
    y = noisy_labels(X, 2, rng)
    weights = 1 + np.bincount(rng.integers(n_rows, size=total - n_rows), minlength=n_rows)
    problem = X, y, weights, 2, "gini"
    binned = grow(*problem, block_rows=20, part_rows=30, **growth_limits)
    assert_same_tree(binned, grow_sorted(*problem, **growth_limits))


# Bins begin above this many rows; up to it the two ways are one and the same.
@pytest.mark.parametrize("n_rows", [ROWS_WITHOUT_BINS, ROWS_WITHOUT_BINS + 1])
@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_features_of_all_kinds_around_the_least_number_of_samples_for_bins(criterion, n_classes, n_rows):
    rng = np.random.default_rng(n_rows)
    X = mixed_columns(n_rows)
    y = noisy_labels(X, n_classes, rng)
    for weights in (None, rng.integers(1, 4, size=n_rows)):
        problem = X, y, weights, n_classes, criterion
        assert_same_tree(grow(*problem), grow_sorted(*problem))


@pytest.mark.parametrize("kind", list(columns_of_all_kinds(10)))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_single_feature(criterion, kind):
    n_rows = ROWS_WITHOUT_BINS + 1
    rng = np.random.default_rng(0)
    X = mixed_columns(n_rows, names=[kind])
    y = noisy_labels(X, 3, rng)
    assert_same_tree(grow(X, y, None, 3, criterion), grow_sorted(X, y, None, 3, criterion))


@pytest.mark.parametrize("growth_limits", [{"max_leaf_nodes": 40}, {"max_features": 2}, {"min_samples_leaf": 700}])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_limits_on_large_data(criterion, growth_limits):
    n_rows = 3 * ROWS_WITHOUT_BINS
    rng = np.random.default_rng(2)
    X = mixed_columns(n_rows, names=["continuous", "rounded", "skewed", "mostly zero"])
    problem = X, noisy_labels(X, 3, rng), None, 3, criterion
    assert_same_tree(grow(*problem, **growth_limits), grow_sorted(*problem, **growth_limits))


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_subtrees_around_the_greatest_number_of_samples_of_a_block(n_classes, more):
    n_rows, n_in_block = ROWS_WITHOUT_BINS + 1, max(BLOCK_ROWS, BLOCK_ROWS_PER_CLASS * n_classes) + more
    rng = np.random.default_rng(n_in_block)
    X = mixed_columns(n_rows, names=["continuous", "rounded", "32 values", "last bits and far"])
    # The first cut separates `n_in_block` rows, most of which have a class of their own.
    is_first = rng.permutation(n_rows) < n_in_block
    y = np.where(rng.random(n_rows) < 0.9, is_first, rng.integers(n_classes, size=n_rows))
    X = np.column_stack([np.where(is_first, 0.0, rng.integers(1, 9, size=n_rows)), X])
    for criterion in ("gini", "entropy", "ogini"):
        binned = grow(X, y, None, n_classes, criterion)
        assert binned["n_node_samples"][1] == n_in_block
        assert_same_tree(binned, grow_sorted(X, y, None, n_classes, criterion))


def whole_numbers(n_rows, n_values, rng):
    """Make columns of whole numbers in a range: of all numbers, mostly of both ends, of both ends alone, of all."""
    X = rng.integers(n_values, size=(n_rows, 4))
    X[:, 1] = np.where(rng.random(n_rows) < 0.9, (X[:, 1] > n_values // 2) * (n_values - 1), X[:, 1])
    X[:, 2] = rng.integers(2, size=n_rows) * (n_values - 1)
    X[:2] = [[0], [n_values - 1]]
    return X + np.array([0.0, -7.0, 1e15, 3.0])


# If all features hold few whole numbers, smaller nodes have bins.
@pytest.mark.parametrize("n_values", [2, FEW_VALUES - 1, FEW_VALUES, FEW_VALUES + 1, 257])
@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_whole_numbers(criterion, n_classes, n_values):
    rng = np.random.default_rng(n_values)
    n_in_block = BLOCK_ROWS_OF_FEW_VALUES * n_classes
    for n_rows in (n_in_block - 1, n_in_block, n_in_block + 1, 5000):
        X = whole_numbers(n_rows, n_values, rng)
        y = noisy_labels(X, n_classes, rng)
        for weights in (None, rng.integers(1, 4, size=n_rows)):
            problem = X, y, weights, n_classes, criterion
            assert_same_tree(grow(*problem), grow_sorted(*problem))
        problem = X, y, None, n_classes, criterion
        for growth_limits in ({"max_leaf_nodes": 30}, {"min_samples_leaf": 20}, {"n_threads": 2}):
            assert_same_tree(grow(*problem, **growth_limits), grow_sorted(*problem, **growth_limits))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_whole_numbers_of_the_reference(criterion):
    rng = np.random.default_rng(0)
    X = whole_numbers(2 * BLOCK_ROWS_OF_FEW_VALUES + 50, 9, rng)
    y = noisy_labels(X, 2, rng)
    assert_same_tree(grow(X, y, None, 2, criterion), grow_reference(X, y, None, 2, criterion))


# With few leaves left below a node, bins serve smaller nodes of numbers.
@pytest.mark.parametrize("max_depth", [1, 2, 3, 4])
def test_bins_of_nodes_with_few_leaves_below(max_depth):
    rng = np.random.default_rng(max_depth)
    X = whole_numbers(SIZES["BLOCK_ROWS_OF_FEW_VALUES_AND_NUMBERS"] + 300, 9, rng)
    targets = np.arange(-3, 9) ** 3
    y = rng.integers(0, len(targets), size=len(X), dtype=np.int32)
    problem = X, y, None, len(targets), ("squared_error", {"targets": targets})
    assert_same_tree(grow(*problem, max_depth=max_depth), grow_reference(*problem, max_depth=max_depth))
    for growth_limits in ({"max_leaf_nodes": 7}, {"min_samples_leaf": 60}, {"n_threads": 2}):
        growth_limits = growth_limits | {"max_depth": max_depth}
        assert_same_tree(grow(*problem, **growth_limits), grow_sorted(*problem, **growth_limits))


@pytest.mark.parametrize(
    ("n_others", "n_features", "are_few"), [(0, 1, True), (1, 8, True), (1, 7, False), (2, 16, True), (1, 1, False)]
)
@pytest.mark.parametrize("others", ["wide", "between whole numbers", "missing"])
def test_which_features_make_blocks_small(n_others, n_features, are_few, others):
    rng = np.random.default_rng(0)
    X = rng.integers(FEW_VALUES, size=(3000, n_features)).astype(np.float64)
    X[:2] = [[0.0], [FEW_VALUES - 1.0]]
    if others == "wide":
        X[0, :n_others] = FEW_VALUES
    elif others == "missing":
        X[0, :n_others] = np.nan
    else:
        # As in features that are scaled to 0..1: their ends are whole numbers.
        X[2:, :n_others] = rng.random((len(X) - 2, n_others))
    shared = kernel("share_features")(X, 3, "gini", True, n_features, UNLIMITED)
    assert shared.block_rows == (3 * BLOCK_ROWS_OF_FEW_VALUES if are_few else len(X))


# The first or the last value is no whole number, a value is missing, or one feature is continuous.
@pytest.mark.parametrize("is_other", ["first", "last", "missing", "continuous"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_nearly_few_whole_numbers(criterion, is_other):
    rng = np.random.default_rng(1)
    X = np.column_stack([whole_numbers(3000, 30, rng), whole_numbers(3000, 30, rng)])
    y = noisy_labels(X, 2, rng)
    if is_other == "continuous":
        X[:, 3] = rng.normal(size=len(X))
    else:
        X[-1 if is_other == "last" else 0, 0] = np.nan if is_other == "missing" else 4.25
    assert_same_tree(grow(X, y, None, 2, criterion), grow_sorted(X, y, None, 2, criterion))


def ways_without_bins(n_rows):
    """Ways to the same tree that sort all rows at once."""
    ones = np.ones(n_rows)
    return {
        "one block": {"block_rows": n_rows},
        # No node has so many cuts.
        "all cuts are candidates": {"max_candidates": UNLIMITED - 1},
        "weights that are not whole": {"weights": ones},
    }


# Up to MOST_IN_NARROW rows a block has entries of 32 bits.
@pytest.mark.parametrize("n_rows", [MOST_IN_NARROW - 1, MOST_IN_NARROW, MOST_IN_NARROW + 1])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_blocks_of_narrow_and_wide_entries(criterion, n_rows):
    rng = np.random.default_rng(3)
    X = mixed_columns(n_rows, names=["continuous", "rounded", "last bits and far", "any magnitude"])
    y = noisy_labels(X, 3, rng)
    binned = grow(X, y, n_classes=3, criterion=criterion, max_depth=6)
    for name, way in ways_without_bins(n_rows).items():
        tree = grow(X, y, n_classes=3, criterion=criterion, max_depth=6, **way)
        if name != "weights that are not whole":
            assert_same_tree(tree, binned)
        else:
            assert_same_tree(tree, binned, names=["children_left", "feature", "threshold", "n_node_samples", "value"])
            np.testing.assert_allclose(tree["gain"], binned["gain"], rtol=1e-9, atol=1e-12)


def test_ranks_of_four_bytes():
    n_rows = SIZES["MOST_IN_THREE_BYTES"] + 1
    values = np.arange(n_rows, dtype=np.float32)
    X, y = np.broadcast_to(values[:, None], (n_rows, 4)), (values > n_rows - 3).astype(int)
    assert grow(X, y, max_features=1, max_depth=1)["n_node_samples"].tolist() == [n_rows, n_rows - 2, 2]


@pytest.mark.parametrize("n_classes", [MOST_CLASSES_IN_BINS, MOST_CLASSES_IN_BINS + 1])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_many_classes(criterion, n_classes):
    rng = np.random.default_rng(n_classes)
    X = mixed_columns(52_000, names=["continuous", "rounded"])
    y = noisy_labels(X, n_classes, rng)
    # By default a block has 400 rows for every class.
    assert_same_tree(
        grow(X, y, None, n_classes, criterion, max_depth=3), grow_sorted(X, y, None, n_classes, criterion, max_depth=3)
    )
    few = X[:4000], y[:4000], None, n_classes, criterion
    assert_same_tree(grow(*few, block_rows=300), grow_sorted(*few))


# Labels of more classes than this need more than 16 bits.
@pytest.mark.parametrize("n_classes", [MOST_IN_NARROW - 1, MOST_IN_NARROW, MOST_IN_NARROW + 1])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "etc"])
def test_classes_of_wide_labels(criterion, n_classes):
    rng = np.random.default_rng(1)
    X, y = rng.integers(4, size=(40, 2)), rng.integers(5, size=40)
    classes = np.array([0, 1, 2**15, n_classes - 2, n_classes - 1])
    few, many = grow(X, y, None, 5, criterion), grow(X, classes[y], None, n_classes, criterion)
    assert_same_tree(many, few, names=few.keys() - {"value"})
    np.testing.assert_array_equal(many["value"][:, classes], few["value"])
    np.testing.assert_array_equal(many["value"].sum(axis=1), few["n_node_samples"])


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_root_gains_as_much_as_scikit_learn_finds(criterion):
    n_rows = ROWS_WITHOUT_BINS + 1
    rng = np.random.default_rng(4)
    # scikit-learn takes values for equal that differ by less than 1e-7, and rounds values to single precision.
    X = rng.integers(-(2**15), 2**15, size=(n_rows, 4)) / 64.0
    y = noisy_labels(X, 3, rng)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, y).tree_
    ours = grow(X, y, None, 3, criterion, max_depth=1)
    shares = theirs.weighted_n_node_samples / n_rows
    gain = theirs.impurity[0] - (shares[1:] * theirs.impurity[1:]).sum()
    assert ours["gain"][0] == pytest.approx(gain, rel=1e-6)
    assert ours["gain"][0] >= gain - 1e-9
    assert ours["feature"][1] == UNDEFINED


@pytest.mark.parametrize("block_rows", [40, 130, 199, 201, 350])
@pytest.mark.parametrize("n_features", [1, 2, 8, 9, 19])
def test_keys_of_many_features_are_made_at_once(n_features, block_rows):
    """As many as there is room for, eight at most; features of few whole numbers among them have no keys."""
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(400, n_features))
    X[:, 2::5] = np.round(3 * X[:, 2::5])
    y = rng.integers(0, 3, 400).astype(np.int32)
    assert_same_tree(grow(X, y, None, 3, "gini", block_rows=block_rows), grow_sorted(X, y, None, 3, "gini"))
