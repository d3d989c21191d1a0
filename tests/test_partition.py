"""Rank-coded features: compiled against reference, and both against NumPy's stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import EXTREME_VALUES, feature_matrices
from support import examples, on_both_engines

from pytrees._engine import kernel


def rank_features(X):
    return tuple(np.asarray(part) for part in kernel("partition", "rank_features")(X))


def assert_sorted_as_by_numpy(X):
    rows, ranks = rank_features(X)
    assert rows.shape == ranks.shape == X.shape[::-1]
    for feature, column in enumerate(X.T):
        order = np.argsort(column, kind="stable")
        np.testing.assert_array_equal(rows[feature], order)
        np.testing.assert_array_equal(ranks[feature], np.unique(column, return_inverse=True)[1][order])


def column(values):
    return np.array(values, dtype=np.float64).reshape(-1, 1)


def test_by_hand(engine):
    rows, ranks = rank_features(np.array([[3.0, 1.0], [1.0, 1.0], [3.0, 0.0], [2.0, 1.0]]))
    assert rows.tolist() == [[1, 3, 0, 2], [2, 0, 1, 3]]
    assert ranks.tolist() == [[0, 1, 2, 2], [0, 1, 1, 1]]


@pytest.mark.parametrize("n_rows", [1, 2, 17])
def test_constant_feature(engine, n_rows):
    rows, ranks = rank_features(np.full((n_rows, 2), 7.5))
    assert rows.tolist() == [list(range(n_rows))] * 2
    assert ranks.tolist() == [[0] * n_rows] * 2


def test_zeros_of_both_signs_are_equal(engine):
    rows, ranks = rank_features(column([0.0, -0.0, 5e-324, -0.0, -5e-324, 0.0]))
    assert rows.tolist() == [[4, 0, 1, 3, 5, 2]]
    assert ranks.tolist() == [[0, 1, 1, 1, 1, 2]]


@pytest.mark.parametrize("value", [1.0, -1.0, 1e308, -1e308, 2.2250738585072014e-308, 5e-324, -5e-324, 0.0])
def test_neighbouring_doubles_are_different(engine, value):
    below, above = np.nextafter(value, -np.inf), np.nextafter(value, np.inf)
    rows, ranks = rank_features(column([above, value, below]))
    assert rows.tolist() == [[2, 1, 0]]
    assert ranks.tolist() == [[0, 1, 2]]


# The radix sort takes eight bits at a time, and passes over digits that all values share.
@pytest.mark.parametrize("digit", range(8))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_values_that_differ_in_one_digit(engine, digit, sign):
    # The top digit holds the sign and most of the exponent: of the positive ones 0x7f would be infinite.
    highest = 127 if digit == 7 else 256
    digits = np.random.default_rng(digit).permutation(highest).astype(np.uint64)
    bits = np.uint64(0x0012_3456_789A_BCDE) & ~np.uint64(0xFF << 8 * digit) | digits << np.uint64(8 * digit)
    assert_sorted_as_by_numpy(sign * bits.view(np.float64).reshape(-1, 1))


@pytest.mark.parametrize("digits", [(0, 1), (0, 7), (3, 5), (1, 4, 6), (0, 2, 3, 5, 7)])
def test_values_that_differ_in_several_digits(engine, digits):
    rng = np.random.default_rng(sum(digits))
    bits = np.full(200, 0x3FF0_0000_0000_0000, dtype=np.uint64)
    for digit in digits:
        bits ^= rng.integers(0, 3, 200).astype(np.uint64) << np.uint64(8 * digit)
    assert_sorted_as_by_numpy(bits.view(np.float64).reshape(-1, 1))


def test_extreme_values(engine):
    rng = np.random.default_rng(0)
    assert_sorted_as_by_numpy(rng.choice(EXTREME_VALUES, (300, 3)))


def test_random_bit_patterns(engine):
    values = np.random.default_rng(1).integers(0, 2**64, 2000, dtype=np.uint64).view(np.float64)
    assert_sorted_as_by_numpy(column(values[np.isfinite(values)]))


@pytest.mark.parametrize("n_rows", [255, 256, 257, 1000])
def test_stable_over_many_ties(engine, n_rows):
    rng = np.random.default_rng(n_rows)
    assert_sorted_as_by_numpy(rng.integers(-5, 5, (n_rows, 2)) / 4.0)


@examples(1000)
@given(feature_matrices(max_rows=40))
def test_engines_agree(X):
    compiled, reference = on_both_engines(rank_features, X)
    np.testing.assert_array_equal(compiled[0], reference[0])
    np.testing.assert_array_equal(compiled[1], reference[1])
    assert_sorted_as_by_numpy(X)


@examples(300)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=100))
def test_any_doubles(values):
    assert_sorted_as_by_numpy(column(values))
