"""Samples drawn with replacement: the draws are NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples, on_both_engines

from pytrees._engine import kernel

SIZES = [1, 2, 3, 4, 5, 1023, 1024, 1025, 65535, 65536, 65537]


def counted(n_rows, n_draws, seed):
    """The counts, and what the stream goes on with."""
    stream = np.random.RandomState(seed)
    counts = np.asarray(kernel("count_draws")(stream, n_rows, n_draws), dtype=np.int64)
    return counts, stream.randint(2**31)


@examples(200)
@given(
    n_rows=st.integers(1, 300) | st.sampled_from(SIZES),
    n_draws=st.integers(0, 500),
    seed=st.integers(0, 2**32 - 1),
)
def test_draws_are_those_of_numpy(n_rows, n_draws, seed):
    stream = np.random.RandomState(seed)
    expected = np.bincount(stream.randint(n_rows, size=n_draws), minlength=n_rows)
    next_number = stream.randint(2**31)
    for counts, number in on_both_engines(counted, n_rows, n_draws, seed):
        np.testing.assert_array_equal(counts, expected)
        assert number == next_number


@pytest.mark.parametrize("n_rows", SIZES)
def test_every_number_of_bits(engine, n_rows):
    counts, _ = counted(n_rows, 2 * n_rows, 3)
    expected = np.random.RandomState(3).randint(n_rows, size=2 * n_rows)
    np.testing.assert_array_equal(counts, np.bincount(expected, minlength=n_rows))
