"""Samples drawn with replacement: compiled against reference, and the compiled draws against NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, examples, on_both_engines

from pytrees._core.rows.draws import count_draws as compiled
from pytrees._engine import kernel

# The generator makes 624 words at a time, and rejects no word if the number of samples is a power of two.
SIZES = st.integers(1, 40) | st.sampled_from([623, 624, 625, 1023, 1024, 1025, 2048, 2049]) | st.integers(1, 5_000)
SEEDS = st.sampled_from([0, 1, 2**31 - 1, 2**32 - 1]) | st.integers(0, 2**32 - 1)


def count_draws(*args):
    return tuple(list(part) for part in kernel("count_draws")(*args))


@given(SEEDS, SIZES, st.just(0) | SIZES)
@examples(500)
def test_both_engines_draw_the_same(seed, n_rows, n_draws):
    drawn, expected = on_both_engines(count_draws, seed, n_rows, n_draws)
    assert drawn == expected
    by_numpy = np.random.RandomState(seed).randint(n_rows, size=n_draws)
    assert drawn == tuple(part.tolist() for part in np.unique(by_numpy, return_counts=True))


def test_one_sample_is_drawn_again_and_again(engine):
    assert count_draws(3, 1, 2_000) == ([0], [2_000])


def test_draws_from_many_samples():
    counts = np.bincount(np.random.RandomState(7).randint(1_000_003, size=300_000), minlength=1_000_003)
    rows, counts_of_rows = compiled(7, 1_000_003, 300_000)
    np.testing.assert_array_equal(rows, np.flatnonzero(counts))
    np.testing.assert_array_equal(counts_of_rows, counts[rows])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [((0, 3), "n_rows must be in 1"), ((-1, 3), "n_rows"), ((2**31, 3), "n_rows"), ((3, -1), "n_draws must be in 0")],
)
def test_sizes_are_checked(sizes, message):
    assert_refuses(ValueError, message, compiled, 0, *sizes)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_seeds_of_more_than_a_word_are_refused(seed):
    assert_refuses(OverflowError, None, compiled, seed, 3, 3)
