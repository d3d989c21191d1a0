"""Sorted features: trees of both engines against NumPy's order of the values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import NEIGHBOURS, SMALLEST, columns_of_all_kinds
from support import examples, grow, on_both_engines

from pytrees._core.base.sizes import sizes
from pytrees._engine import current_engine
from pytrees._tree_checks import UNDEFINED
from pytrees.testing.strategies import _EXTREME_VALUES, feature_matrices


def assert_sorted_as_by_numpy(X):
    """Assert that a tree of the values' ranks, from sorted entries, has a leaf for every value, in order, and that its
    thresholds lie between the values."""
    ways = {"block_rows": len(X)} if current_engine() == "compiled" else {}
    for values in X.T:
        distinct, ranks = np.unique(values, return_inverse=True)
        targets = {"targets": list(range(max(2, len(distinct))))}
        tree = grow(column(values), ranks, None, len(targets["targets"]), ("squared_error", targets), **ways)
        is_leaf = tree["feature"] == UNDEFINED
        assert tree["n_node_samples"][is_leaf].tolist() == np.bincount(ranks).tolist()
        known = distinct[~np.isnan(distinct)]
        thresholds = np.sort(tree["threshold"][~is_leaf])[: max(0, len(known) - 1)]
        assert np.all(known[:-1] <= thresholds)
        assert np.all(thresholds < known[1:])


FOR_LONG_DIGITS, IN_WORDS = sizes()["FEWEST_FOR_LONG_DIGITS"], sizes()["MOST_IN_WORDS"]


def column(values):
    return np.array(values, dtype=np.float64).reshape(-1, 1)


def test_a_threshold_separates_neighbouring_doubles(engine):
    """Their middle is rounded to the even one of both, which may be the upper one."""
    first = np.nextafter(1.0, 2.0)
    for below in (1.0, first, -1.0, np.nextafter(-1.0, 0.0), 5e-324, np.finfo(np.float64).max / 2):
        above = np.nextafter(below, np.inf)
        assert grow([[below], [above]], [0, 1])["threshold"][0] == below
    assert 0.5 * first + 0.5 * np.nextafter(first, 2.0) > first


@pytest.mark.parametrize("values", [*NEIGHBOURS, SMALLEST])
def test_neighbouring_doubles_are_different_and_zeros_of_both_signs_equal(engine, values):
    assert_sorted_as_by_numpy(column(values))


@pytest.mark.parametrize("digit", range(8))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_values_that_differ_in_one_digit(digit, sign):
    # The top digit holds the sign and most of the exponent: of the positive ones 0x7f would be infinite.
    highest = 127 if digit == 7 else 256
    digits = np.random.default_rng(digit).permutation(highest).astype(np.uint64)
    bits = np.uint64(0x0012_3456_789A_BCDE) & ~np.uint64(0xFF << 8 * digit) | digits << np.uint64(8 * digit)
    assert_sorted_as_by_numpy(sign * bits.view(np.float64).reshape(-1, 1))


@pytest.mark.parametrize("digits", [(0, 1), (0, 7), (3, 5), (1, 4, 6), (0, 2, 3, 5, 7)])
def test_values_that_differ_in_several_digits(digits):
    rng = np.random.default_rng(sum(digits))
    bits = np.full(200, 0x3FF0_0000_0000_0000, dtype=np.uint64)
    for digit in digits:
        bits ^= rng.integers(0, 3, 200).astype(np.uint64) << np.uint64(8 * digit)
    assert_sorted_as_by_numpy(bits.view(np.float64).reshape(-1, 1))


def test_extreme_values(engine):
    rng = np.random.default_rng(0)
    assert_sorted_as_by_numpy(rng.choice(_EXTREME_VALUES, (300, 3)))


def test_random_bit_patterns():
    values = np.random.default_rng(1).integers(0, 2**64, 2000, dtype=np.uint64).view(np.float64)
    assert_sorted_as_by_numpy(column(values[np.isfinite(values)]))


@pytest.mark.parametrize("n_rows", [255, 256, 257, 1000])
def test_stable_over_many_ties(n_rows):
    rng = np.random.default_rng(n_rows)
    assert_sorted_as_by_numpy(rng.integers(-5, 5, (n_rows, 2)) / 4.0)


# Up to 24 values are sorted by insertion, more of them by two digits: of words, or of keys from MOST_IN_WORDS on and if
# values are missing. Keys have longer digits from 2048 on.
@pytest.mark.parametrize("n_missing", [0, 3])
@pytest.mark.parametrize(
    "n_rows",
    [23, 24, 25, 26, 50, FOR_LONG_DIGITS - 1, FOR_LONG_DIGITS, 2050, 2051, 2052, IN_WORDS - 1, IN_WORDS, IN_WORDS + 1],
)
def test_short_and_long_sorts(n_rows, n_missing):
    rng = np.random.default_rng(n_rows)
    X = np.column_stack(list(columns_of_all_kinds(n_rows).values()))
    X[rng.integers(0, n_rows, n_missing)] = np.nan
    assert_sorted_as_by_numpy(X)
    for _ in range(20 if n_rows < FOR_LONG_DIGITS else 3):
        X = rng.choice(_EXTREME_VALUES, (n_rows, 3))
        X[:, 0] = rng.integers(0, 3, n_rows)
        X[:, 1] = -np.arange(n_rows)
        X[rng.integers(0, n_rows, n_missing)] = np.nan
        assert_sorted_as_by_numpy(X)


# Values that share a key are told apart by their bits.
@pytest.mark.parametrize("run_length", [1, 2, 3, 23, 24, 25, 26, 300])
@pytest.mark.parametrize("n_different", [1, 2, 1000])
def test_runs_of_values_that_differ_in_their_low_bits(run_length, n_different):
    rng = np.random.default_rng(run_length)
    starts = np.array([-1e300, -1.0, 0.0, 1.0, 2.0, 1e10, 1e300])
    low_bits = rng.integers(0, n_different, (run_length, len(starts)))
    values = (starts.view(np.int64) + low_bits).view(np.float64).ravel()
    assert len(np.unique(values)) <= len(starts) * min(n_different, run_length)
    assert_sorted_as_by_numpy(column(rng.permutation(values)))


# Values beside one that is far away share a key, or a digit.
@pytest.mark.parametrize("far", [1e3, 1e6, 1e12, 1e300, -1e300])
@pytest.mark.parametrize("n_rows", [30, 600, 3000])
def test_values_far_from_the_others(far, n_rows):
    rng = np.random.default_rng(n_rows)
    values = rng.normal(size=n_rows).round(rng.integers(1, 9))
    values[rng.integers(n_rows)] = far
    assert_sorted_as_by_numpy(column(values))


@pytest.mark.parametrize("span_bits", [1, 8, 11, 22, 31, 32, 33, 34, 40, 52, 61])
@pytest.mark.parametrize("n_more", [200, 600])
def test_ranges_of_any_width(span_bits, n_more):
    rng = np.random.default_rng(span_bits)
    steps = np.concatenate([[0, 2**span_bits - 1], rng.integers(0, 2**span_bits, n_more), rng.integers(0, 2, n_more)])
    values = (np.full(len(steps), 5.0).view(np.int64) + steps * (1 if span_bits <= 52 else -1)).view(np.float64)
    assert_sorted_as_by_numpy(column(rng.permutation(values[np.isfinite(values)])))


# Up to 2**16 rows a place has 16 bits. The reference would take minutes.
@pytest.mark.parametrize("n_rows", [2**16 - 1, 2**16, 2**16 + 1])
def test_indices_of_16_and_32_bits(n_rows):
    columns = columns_of_all_kinds(n_rows)
    for kind in ("continuous", "rounded", "sorted", "last bits and far", "any magnitude"):
        assert_sorted_as_by_numpy(column(columns[kind]))


@examples(1000)
@given(feature_matrices(max_rows=40))
def test_engines_agree(X):
    on_both_engines(assert_sorted_as_by_numpy, X)


@examples(300)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=100))
def test_any_doubles(values):
    assert_sorted_as_by_numpy(column(values))
