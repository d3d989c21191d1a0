"""Symbols of series of numbers, against their definitions."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses

from pytrees import symbolize

SERIES = st.lists(st.integers(-4, 4) | st.floats(-1e6, 1e6), max_size=30).map(
    lambda values: np.array(values, dtype=float)
)


@given(SERIES, st.integers(1, 6))
def test_frequencies(series, n_symbols):
    symbols = symbolize(series, n_symbols=n_symbols)
    assert symbols.dtype == np.int32
    n = len(series)
    for value, symbol in zip(series, symbols, strict=True):
        # A value is above the k-th quantile where at least k of n_symbols parts of the series are below it.
        n_below = np.count_nonzero(series < value)
        assert symbol == sum(n_below * n_symbols >= k * n for k in range(1, n_symbols))


def test_different_values_are_as_frequent():
    series = np.random.default_rng(0).permutation(30)
    assert np.bincount(symbolize(series, n_symbols=5)).tolist() == [6] * 5
    assert symbolize(series, n_symbols=30).tolist() == series.tolist()


@given(SERIES, st.integers(1, 6))
def test_widths(series, n_symbols):
    symbols = symbolize(series, "width", n_symbols=n_symbols)
    assert len(symbols) == len(series)
    if len(series):
        low, high = series.min(), series.max()
        edges = [low * (1 - k / n_symbols) + high * (k / n_symbols) for k in range(1, n_symbols)]
        edges = [min(max(low, *edges[: k + 1]), high) for k in range(len(edges))]
        assert symbols.tolist() == [sum(value > edge for edge in edges) for value in series]


def test_widths_of_the_largest_numbers():
    greatest = np.finfo(np.float64).max
    assert symbolize([-greatest, -1.0, 1.0, greatest], "width", n_symbols=2).tolist() == [0, 0, 1, 1]


def test_thresholds_are_below_as_in_a_tree():
    assert symbolize([1, 2, 3, 4], "thresholds", thresholds=[2, 3.5]).tolist() == [0, 0, 1, 2]
    assert symbolize([1, 2], "thresholds", thresholds=[]).tolist() == [0, 0]


@pytest.mark.parametrize("order", [2, 3, 4])
def test_patterns_are_numbered_in_lexicographic_order(order):
    found = [symbolize(np.argsort(ranks), "ordinal", order=order)[0] for ranks in permutations(range(order))]
    assert found == list(range(len(found)))


@given(SERIES, st.integers(2, 4), st.integers(1, 3))
def test_patterns(series, order, delay):
    if len(series) <= (order - 1) * delay:
        assert_refuses(ValueError, "takes", symbolize, series, "ordinal", order=order, delay=delay)
        return
    numbers = {ranks: number for number, ranks in enumerate(permutations(range(order)))}
    expected = []
    for start in range(len(series) - (order - 1) * delay):
        window = [series[start + i * delay] for i in range(order)]
        expected.append(numbers[tuple(sorted(range(order), key=lambda i: window[i]))])  # sorted is stable
    assert symbolize(series, "ordinal", order=order, delay=delay).tolist() == expected


def test_many_patterns():
    assert symbolize(np.arange(12.0)[::-1], "ordinal", order=12).tolist() == [479001599]


@pytest.mark.parametrize("constant", [[], [3.0], [3.0] * 7])
@pytest.mark.parametrize("method", ["frequency", "width"])
def test_constant_series_have_one_symbol(method, constant):
    assert symbolize(constant, method, n_symbols=4).tolist() == [0] * len(constant)


def test_kinds_of_series():
    expected = symbolize([1.0, 5.0, 2.0]).tolist()
    for series in (
        pd.Series([1, 5, 2]),
        np.array([1, 5, 2], dtype=object),
        (True + 0, 5, 2),
        np.array([1, 5, 2], np.int8),
    ):
        assert symbolize(series).tolist() == expected


@pytest.mark.parametrize(
    ("series", "options", "message"),
    [
        ([1.0, np.nan], {}, "values contain NaN"),
        ([1.0, np.inf], {}, "values contain NaN or infinity"),
        ([1.0, None], {}, "values contain NaN|values must be numbers"),
        (["a", "b"], {}, "values must be numbers"),
        ([1j], {}, "complex"),
        (np.ma.masked_array([1.0, 2.0], [0, 1]), {}, "masked"),
        (np.zeros((2, 2)), {}, "one dimension"),
        ([1, 2], {"n_symbols": 0}, "'n_symbols' parameter"),
        ([1, 2], {"method": "mean"}, "'method' parameter"),
        ([1, 2], {"method": "thresholds"}, "thresholds are needed"),
        ([1, 2], {"thresholds": [1]}, "thresholds are needed"),
        ([1, 2], {"method": "thresholds", "thresholds": [2, 1]}, "must ascend"),
        ([1, 2], {"method": "thresholds", "thresholds": [1, 1]}, "must ascend"),
        ([1, 2], {"method": "thresholds", "thresholds": [np.nan]}, "thresholds contain NaN"),
        ([1, 2], {"method": "ordinal"}, "takes 3 values, the series has 2"),
        ([1, 2], {"method": "ordinal", "order": 1}, "'order' parameter"),
        ([1, 2], {"method": "ordinal", "order": 13}, "'order' parameter"),
        ([1, 2], {"method": "ordinal", "delay": 0}, "'delay' parameter"),
    ],
)
def test_bad_input(series, options, message):
    assert_refuses(ValueError, message, symbolize, series, **options)
