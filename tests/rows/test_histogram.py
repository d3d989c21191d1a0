"""Features cut into bins: compiled against reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import NEIGHBOURS, SMALLEST, columns_of_all_kinds
from support import assert_refuses, examples, on_both_engines

from pytrees._core.base.sizes import sizes
from pytrees._engine import config_context, kernel
from pytrees.testing.strategies import _EXTREME_VALUES, feature_matrices

KINDS = list(columns_of_all_kinds(10))
# Up to this number all rows say where to cut, beyond it one in n // SAMPLE_ROWS of them.
SAMPLE_ROWS = sizes()["SAMPLE_ROWS"]


def bin_features(X, max_bins=256):
    codes, is_mixed = kernel("bin_features")(X, max_bins)
    return np.asarray(codes), is_mixed


def column(values):
    return np.array(values, dtype=np.float64).reshape(-1, 1)


def assert_are_bins(X, max_bins):
    """Assert that bins follow the order of values, that there are at most `max_bins`, and which bins are mixed."""
    codes, is_mixed = bin_features(X, max_bins)
    assert codes.shape == X.shape
    assert len(is_mixed) == X.shape[1]
    for feature, values in enumerate(X.T):
        assert 1 <= len(is_mixed[feature]) <= max_bins
        distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        bin_of_distinct = codes[first, feature].astype(int)
        np.testing.assert_array_equal(codes[:, feature], bin_of_distinct[inverse])
        # No bin is empty.
        assert set(np.diff(bin_of_distinct)) <= {0, 1}
        n_values = np.bincount(bin_of_distinct, minlength=len(is_mixed[feature]))
        assert is_mixed[feature] == (n_values > 1).tolist()
        if len(distinct) <= max_bins and len(X) < 2 * SAMPLE_ROWS:
            assert n_values.tolist() == [1] * len(distinct)


def assert_engines_agree(X, max_bins):
    compiled, reference = on_both_engines(bin_features, X, max_bins)
    np.testing.assert_array_equal(compiled[0], reference[0])
    assert compiled[1] == reference[1]


def test_by_hand(engine):
    X = np.array([[3.0, 0.0], [1.0, 7.0], [4.0, 0.0], [1.0, 7.0], [5.0, 0.0]])
    codes, is_mixed = bin_features(X, 2)
    # Three of five samples make a bin: 1, 1, 3 and 4, 5. A value of three samples has its own bin.
    assert codes.tolist() == [[0, 0], [0, 1], [1, 0], [0, 1], [1, 0]]
    assert is_mixed == [[True, True], [False, False]]


def test_a_frequent_value_has_its_own_bin(engine):
    values = np.concatenate([np.arange(50.0), np.full(40, 50.0), np.arange(51.0, 100.0)])
    codes, is_mixed = bin_features(column(values), 10)
    frequent = codes[60, 0]
    assert np.flatnonzero(codes == frequent).tolist() == list(range(50, 90))
    assert not is_mixed[0][frequent]
    assert is_mixed[0][frequent - 1]
    assert is_mixed[0][frequent + 1]


@pytest.mark.parametrize("max_bins", [2, 10, 256])
def test_bins_of_different_values_are_about_equal(engine, max_bins):
    codes, _ = bin_features(column(np.random.default_rng(0).permutation(1000)), max_bins)
    assert np.bincount(codes[:, 0])[:-1].tolist() == [1000 // max_bins + 1] * codes.max()
    assert len(np.unique(codes)) > 0.8 * max_bins - 1


@pytest.mark.parametrize("n_values", [1, 2, 11, 12, 13, 255, 256, 257])
@pytest.mark.parametrize("max_bins", [12, 256])
def test_few_values(engine, n_values, max_bins):
    rng = np.random.default_rng(n_values)
    X = column(rng.permutation(np.arange(3 * n_values) % n_values) / 4.0)
    assert_are_bins(X, max_bins)
    # More values than bins share bins.
    assert any(bin_features(X, max_bins)[1][0]) == (n_values > max_bins)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_rows", [2, 100, 3000])
@pytest.mark.parametrize("max_bins", [2, 3, 12, 256])
def test_columns_of_all_kinds(kind, n_rows, max_bins):
    X = column(columns_of_all_kinds(n_rows)[kind])
    assert_are_bins(X, max_bins)
    assert_engines_agree(X, max_bins)


# The last number is far beyond the switches, and no multiple.
@pytest.mark.parametrize(
    "n_rows", [*(multiple * SAMPLE_ROWS - less for multiple in (1, 2, 3) for less in (1, 0)), 10 * SAMPLE_ROWS + 77]
)
def test_bins_of_many_samples_are_cut_by_a_subsample(n_rows):
    columns = columns_of_all_kinds(n_rows)
    assert_are_bins(np.column_stack(list(columns.values())), 256)
    kinds = ("continuous", "mostly zero", "rounded", "last bits and far")
    assert_engines_agree(np.column_stack([columns[kind] for kind in kinds]), 256)


def test_values_beyond_the_sample(engine):
    # The rows that say where to cut are all equal; the others lie on both sides.
    n_rows = 2 * SAMPLE_ROWS
    values = np.zeros(n_rows)
    values[1::2] = np.resize([-2.0, 3.0, 0.0, 1e300], n_rows // 2)
    codes, is_mixed = bin_features(column(values))
    assert is_mixed == [[True]]
    assert not codes.any()
    values[0] = 1.0
    codes, is_mixed = bin_features(column(values))
    assert is_mixed == [[True, True]]
    np.testing.assert_array_equal(codes[:, 0], values > 0.0)


@pytest.mark.parametrize("shift", [0.0, -100.0, 1e15, -(2.0**60)])
@pytest.mark.parametrize("n_values", [1, 2, 255, 256, 257])
@pytest.mark.parametrize("is_dense", [True, False])
def test_few_whole_numbers_have_bins_of_their_own_however_many_samples(shift, n_values, is_dense):
    step = 256.0 if abs(shift) > 2.0**53 else 1.0  # else neighbours would be the same double
    values = np.zeros(4 * SAMPLE_ROWS)
    # None of the rows that would say where to cut.
    values[1::4] = np.arange(SAMPLE_ROWS) % n_values
    if not is_dense:
        values[values % 3 == 1] = 0.0
    X = column(shift + values * step)
    codes, is_mixed = bin_features(X)
    assert_engines_agree(X[: 2 * SAMPLE_ROWS], 256)
    assert_are_bins(X, 256)
    span = np.ptp(X)
    assert any(is_mixed[0]) == (span >= 256 and n_values > 1)
    if span < 256:
        np.testing.assert_array_equal(codes[:, 0], np.unique(X, return_inverse=True)[1].ravel())


@pytest.mark.parametrize(
    "values",
    [
        # Differences to the smallest value, which are rounded, are whole numbers; the values are not.
        [-200.0, 1e-20, 0.0, 1.0, -1e-20],
        [-200.0, -200.0, 50.0, 50.0 - 2.0**-47],
        [-200.0, 3.0, 5.5],
        [0.5, 1.5, 2.5],
        [-0.0, 0.0, 1.0],
        [0.0, 255.0, 256.0],
        [-3e9, -3e9 + 255.0, -3e9 + 1.0],
    ],
)
def test_nearly_whole_numbers(values):
    X = column(np.tile(values, 200))
    assert_are_bins(X, 256)
    assert_engines_agree(X, 256)
    codes, is_mixed = bin_features(X)
    assert not any(is_mixed[0])
    assert codes.max() + 1 == len(set(values))


@pytest.mark.parametrize("max_bins", [2, 5, 256])
def test_extreme_values(engine, max_bins):
    X = np.random.default_rng(0).choice(_EXTREME_VALUES, (300, 3))
    assert_are_bins(X, max_bins)


@pytest.mark.parametrize(
    ("values", "expected"), [*((neighbours, [2, 1, 0]) for neighbours in NEIGHBOURS), (SMALLEST, [1, 1, 2, 1, 0, 1])]
)
def test_neighbouring_doubles_are_different_and_zeros_of_both_signs_equal(engine, values, expected):
    codes, is_mixed = bin_features(column(values))
    assert codes.ravel().tolist() == expected
    assert is_mixed == [[False] * 3]


@examples(400)
@given(feature_matrices(max_rows=60), st.integers(2, 12) | st.just(256))
def test_engines_agree(X, max_bins):
    assert_are_bins(X, max_bins)
    assert_engines_agree(X, max_bins)


@examples(200)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=100), st.integers(2, 20))
def test_any_finite_doubles(values, max_bins):
    assert_are_bins(column(values), max_bins)


@pytest.mark.parametrize("max_bins", [-1, 0, 1, 257])
def test_number_of_bins_is_checked(engine, max_bins):
    assert_refuses(ValueError, r"max_bins must be in 2\.\.256", bin_features, np.zeros((3, 1)), max_bins)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused(value):
    with config_context(engine="compiled"), pytest.raises(ValueError, match="Infinite values have no bins"):
        bin_features(np.array([[1.0, 2.0], [np.nan, value], [2.0, 3.0]]))


def test_no_samples_are_refused(engine):
    assert_refuses(ValueError, "no rows", bin_features, np.zeros((0, 1)))
