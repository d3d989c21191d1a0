"""Orders of rows: shuffled, reversed, and group by group."""

from __future__ import annotations

import numpy as np

from ._typing import AnyArray, IntArray


def rows_of_groups(codes: AnyArray) -> list[IntArray]:
    """Return the rows of every group, ascending."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def shuffled_within(codes: AnyArray, block_size: int | None, seed: int) -> IntArray:
    """Return the rows in an order that is shuffled within each group."""
    rng, rows = np.random.RandomState(seed), np.empty(len(codes), dtype=np.int64)
    for of_group in rows_of_groups(codes):
        rows[of_group] = of_group[_shuffled(rng, len(of_group), block_size)]
    return rows


def reversed_rows(codes: AnyArray) -> IntArray:
    """Return the rows in an order that is reversed within each group."""
    rows = np.empty(len(codes), dtype=np.int64)
    for of_group in rows_of_groups(codes):
        rows[of_group] = of_group[::-1]
    return rows


def shuffled_rows(n_samples: int, block_size: int | None, seed: int) -> IntArray:
    """Return the rows in a shuffled order; with `block_size`, blocks of so many neighbouring rows are shuffled."""
    return _shuffled(np.random.RandomState(seed), n_samples, block_size)


def _shuffled(rng: np.random.RandomState, n_samples: int, block_size: int | None) -> IntArray:
    if block_size is None:
        return rng.permutation(n_samples)
    starts = np.arange(0, n_samples, block_size)
    blocks = [np.arange(start, min(start + block_size, n_samples)) for start in rng.permutation(starts)]
    return np.concatenate(blocks)
