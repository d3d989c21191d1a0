"""The split of a node by gain ratio: the book's numbers, limits on what may be split, equality of the engines."""

from math import log2

import numpy as np
import pytest
from c45_samples import GOLF_CATEGORIES, HUMIDITY, OUTLOOK, WINDY, golf, grow, mixed_problems
from hypothesis import given
from hypothesis import strategies as st
from support import examples, on_both_engines

from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.testing.strategies import count_weights, float_weights, no_weights


def find(X, y, weights=None, n_classes=None, n_categories=None, min_samples_leaf=2.0, max_depth=1):
    """The split of the root as (gain, feature, threshold), or None. A split that saves no training error is undone."""
    limits = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf}
    tree, _ = grow(X, y, weights, n_classes, n_categories, confidence=None, subtree_raising=False, **limits)
    if tree["children_left"][0] == LEAF:
        return None
    threshold = None if tree["children_left"][0] == MULTIWAY else tree["threshold"][0]
    return tree["gain"][0], tree["feature"][0], threshold


def entropy(*counts):
    total = sum(counts)
    return -sum(count / total * log2(count / total) for count in counts if count)


def test_gain_ratio_of_outlook(engine):
    # Chapter 2: info(T) = 0.940, info_X(T) = 0.694, split info(X) = 1.577, gain ratio = 0.246 / 1.577 = 0.156.
    X, y = golf()
    gain, feature, threshold = find(X, y, n_categories=GOLF_CATEGORIES)
    assert (feature, threshold) == (OUTLOOK, None)
    assert gain == pytest.approx(entropy(9, 5) - 5 / 14 * entropy(2, 3) - 5 / 14 * entropy(3, 2), rel=1e-14)
    assert gain == pytest.approx(0.2467, abs=5e-5)
    assert gain / entropy(5, 4, 5) == pytest.approx(0.156, abs=5e-4)


def test_gain_ratio_with_a_missing_outlook(engine):
    # Chapter 3: info(T) = 0.961, info_X(T) = 0.747, gain = 13/14 (0.961 - 0.747) = 0.199, split info = 1.809.
    X, y = golf(lacks_outlook=True)
    gain, feature, _ = find(X[:, :1], y, n_categories=GOLF_CATEGORIES[:1])
    assert feature == OUTLOOK
    assert gain == pytest.approx(0.199, abs=5e-4)
    assert gain == pytest.approx((13 * entropy(8, 5) - 5 * entropy(2, 3) - 5 * entropy(3, 2)) / 14, rel=1e-14)


def test_windy(engine):
    X, y = golf()
    # Alone it saves no error; the other feature does so below it.
    windy = X[:, WINDY].astype(int)
    gain, feature, _ = find(np.column_stack([windy, windy ^ y]), y, n_categories=[2, 2], max_depth=2)
    assert feature == 0
    assert gain == pytest.approx(0.048, abs=5e-4)
    assert gain / entropy(8, 6) == pytest.approx(0.049, abs=5e-4)


def test_a_threshold_costs_the_bits_that_choose_it(engine):
    # The split of the sunny days is 70, 70 | 85, 90, 95 by humidity; 85 | 90 would be allowed too.
    X, y = golf()
    gain, feature, threshold = find(X[:5, [HUMIDITY]], y[:5])
    assert (feature, threshold) == (0, 77.5)
    assert gain == pytest.approx(entropy(2, 3) - log2(2) / 5, rel=1e-14)


def test_missing_rows_thin_the_gain_of_a_threshold(engine):
    x = [[1.0], [1.0], [2.0], [2.0], [np.nan], [np.nan]]
    gain, _, threshold = find(x, [0, 0, 1, 1, 0, 1])
    assert threshold == 1.5
    assert gain == pytest.approx(4 / 6, rel=1e-14)


def test_two_children_need_enough_rows(engine):
    codes = [[0.0], [0.0], [1.0], [2.0], [2.0], [2.0]]
    y = [0, 0, 1, 1, 1, 1]
    assert find(codes, y, n_categories=[3]) is not None
    assert find(codes, y, n_categories=[3], min_samples_leaf=3.0) is None
    assert find([[0.0], [0.0], [0.0], [1.0]], [0, 0, 0, 1], n_categories=[2]) is None


def test_enough_is_a_weight(engine):
    codes = [[0.0], [1.0]]
    assert find(codes, [0, 1], n_categories=[2]) is None
    assert find(codes, [0, 1], np.array([2, 2]), n_categories=[2]) is not None
    # A tenth ten times is as much as one, whatever the sum rounds to.
    tenths = np.full(20, 0.1)
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([0, 1], 10)
    assert find(X, y, tenths, n_categories=[2], min_samples_leaf=1.0) is not None
    assert find(X, y, tenths, min_samples_leaf=1.0) is not None


@pytest.mark.parametrize(("n_rows", "least"), [(20, 2), (100, 5), (400, 20), (1000, 25), (5000, 25)])
def test_sides_of_a_threshold_need_a_tenth_of_a_class(engine, n_rows, least):
    if engine == "reference" and n_rows > 1000:
        pytest.skip("slow")
    for few, is_found in ((least, True), (least - 1, False)):
        x = (np.arange(n_rows) >= n_rows - few).astype(float)
        # The side of few rows is of one class, the other of both.
        y = np.where(x == 1.0, 1, np.arange(n_rows) % 4 == 0)
        found = find(x[:, None], y)
        assert (found is not None) == is_found


def test_thresholds_of_too_little_gain_are_rejected(engine):
    rng = np.random.default_rng(0)
    assert find(rng.normal(size=(60, 2)), rng.integers(0, 2, 60)) is None


def few_and_many():
    """Five rows aside, of one class; and ten values, five for each class, but for two rows that are swapped."""
    y = np.repeat([0, 1], 20)
    few = (np.arange(40) < 5).astype(float)
    many = np.arange(40) % 5 + 5.0 * y
    many[[0, 39]] = many[[39, 0]]
    return few, many, y


def test_splits_of_less_than_the_average_gain_do_not_compete(engine):
    few, many, y = few_and_many()
    few_gain, *_ = find(few[:, None], y, n_categories=[2])
    many_gain, *_ = find(many[:, None], y, n_categories=[10])
    assert few_gain / entropy(5, 35) > many_gain / entropy(*[4] * 10)
    assert few_gain < (few_gain + many_gain) / 2
    assert find(np.column_stack([few, many]), y, n_categories=[2, 10])[1] == 1


def test_features_of_very_many_categories_do_not_count_for_the_average(engine):
    few, many, y = few_and_many()
    # Three tenths of 40 rows are 12.
    assert [find(np.column_stack([few, many]), y, n_categories=[2, n])[1] for n in (11, 12)] == [1, 0]
    # If all features are so, all count.
    assert find(np.column_stack([few, many]), y, n_categories=[12, 12])[1] == 1
    assert find(many[:, None], y, n_categories=[12])[1] == 0


@pytest.mark.parametrize(("useless", "n_categories", "admits"), [
    (np.arange(40) % 2, 2, True),               # a split by category, of gain 0: so is the average
    (np.arange(40) % 2, 0, False),              # a threshold of no gain is not a split
    (np.r_[1, np.zeros(39)], 2, False),         # too few samples for a second child
    (np.r_[1, 1, np.nan * np.ones(38)], 2, False),
])  # fmt: skip
def test_an_identifier_is_split_if_a_feature_that_counts_has_a_split(engine, useless, n_categories, admits):
    y = np.arange(40) // 2 % 2
    X = np.column_stack([np.arange(40) // 2, useless])
    assert find(X[:, :1], y, n_categories=[20])[1] == 0
    found = find(X, y, n_categories=[20, n_categories])
    assert found is not None and found[1] == 0 if admits else found is None


def test_nothing_to_split(engine):
    assert find([[np.nan], [np.nan]], [0, 1], min_samples_leaf=1.0) is None
    assert find([[np.nan], [np.nan]], [0, 1], n_categories=[1], min_samples_leaf=1.0) is None
    assert find([[3.0], [3.0], [3.0], [3.0]], [0, 1, 0, 1]) is None
    assert find([[1.0]], [0]) is None


def test_ties_go_to_the_lowest_feature_and_threshold(engine):
    y = [0, 0, 1, 1]
    x = np.array([0.0, 0.0, 1.0, 1.0])
    assert find(np.column_stack([x, -x, x]), y)[1] == 0
    both = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    assert find(np.array(both)[:, None], [0, 0, 1, 1, 2, 2])[2] == 0.5


@examples(400)
@given(
    st.sampled_from([no_weights, count_weights, float_weights]).flatmap(mixed_problems),
    st.sampled_from([1.0, 2.0, 2.0, 5.0]),
)
def test_engines_find_the_same_split(problem, min_samples_leaf):
    compiled, reference = on_both_engines(find, *problem.data, problem.n_categories, min_samples_leaf)
    assert compiled == reference


@pytest.mark.parametrize("n_rows", [65536, 65537])
def test_engines_agree_around_the_switch_to_wide_entries(n_rows):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n_rows)
    X = np.column_stack([rng.integers(0, 3, n_rows) + y, rng.integers(0, 4, n_rows) + 2 * y]).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    for n_categories in ([0, 9], [9, 0]):
        compiled, reference = on_both_engines(find, X, y, rng.gamma(2.0, size=n_rows), 3, n_categories)
        assert compiled is not None
        assert compiled == reference
