"""Draw the samples of a forest's trees: all samples, or samples with replacement, repeated or with their numbers.

A tree's seed determines its draws. The random numbers come from a RandomState, which gives the same numbers in every
version of NumPy. Samples with weights are drawn in proportion to them, by whole random numbers, so that no rounding
decides: a number is drawn below the sum of the weights on their grid, and belongs to the sample on whose part of the
sum it lies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from threading import local

import numpy as np
from sklearn.utils import check_random_state

from .._engine import kernel
from .._typing import AnyArray, Draws, IntArray, RandomState


def seed_of(random_state: RandomState) -> int:
    """Return the seed of a single tree. A whole number is the seed itself, so that the trees of a forest grow again."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def all_rows(seed: int, n_rows: int, weights: AnyArray | None) -> Draws:
    """Return the samples of every tree if nothing is drawn."""
    return None, weights


def ends_of_parts(weights: AnyArray | None) -> IntArray | None:
    """Return where the parts of samples end on the sum of their weights, in lowest terms; None if all are equal.

    A common factor of all weights, as their unit is, therefore changes no draw, and equal weights draw as none do.
    """
    if weights is None or np.all(weights == weights[0]):
        return None
    return np.cumsum(weights // np.gcd.reduce(weights), dtype=np.int64)


def draw_sequence(
    seed: int, n_rows: int, weights: AnyArray | None, *, n_draws: int, ends: IntArray | None = None
) -> Draws:
    """Draw samples with replacement, in the order of the draws; for criteria without weights.

    `ends` are the `ends_of_parts` of their weights; None: all samples are equally likely.
    """
    return _draws(seed, n_rows, n_draws, ends), None


def draw_counts(
    seed: int, n_rows: int, weights: AnyArray | None, *, n_draws: int, ends: IntArray | None = None
) -> Draws:
    """Draw as `draw_sequence` does; return each drawn sample once, in order, weighted by its number of draws."""
    return _counted_draws(seed, n_rows, n_draws, ends)


def draw_balanced_counts(
    seed: int, n_rows: int, weights: AnyArray | None, *, n_draws: int, ends: IntArray | None = None, codes: AnyArray
) -> Draws:
    """Draw samples as `draw_counts` does, and weigh them so that all classes among them have the same weight."""
    indices, counts = _counted_draws(seed, n_rows, n_draws, ends)
    codes = codes[indices]
    of_classes = np.bincount(codes, weights=counts)
    return indices, counts * (n_draws / (np.count_nonzero(of_classes) * of_classes[codes]))


def _draws(seed: int, n_rows: int, n_draws: int, ends: IntArray | None) -> IntArray:
    stream = _stream_of(seed)
    if ends is None:
        return stream.randint(n_rows, size=n_draws)
    return np.searchsorted(ends, _numbers(stream, n_draws, ends), side="right")


def _numbers(stream: np.random.RandomState, n_draws: int, ends: IntArray) -> IntArray:
    return stream.randint(ends[-1], size=n_draws, dtype=np.int64)


def _counted_draws(seed: int, n_rows: int, n_draws: int, ends: IntArray | None) -> tuple[IntArray, IntArray]:
    if ends is None:
        indices, counts = kernel("count_draws")(seed, n_rows, n_draws)
        return np.asarray(indices, dtype=np.int64), np.asarray(counts, dtype=np.int64)
    # Sorted numbers are counted in a fifth of the time that it takes to find the sample of each.
    below = np.searchsorted(np.sort(_numbers(_stream_of(seed), n_draws, ends)), ends)
    counts = np.diff(below, prepend=0)
    indices = np.flatnonzero(counts)
    return indices, counts[indices]


def draw_orders(
    seed: int,
    n_rows: int,
    weights: AnyArray | None,
    *,
    bootstrap: bool | str,
    block_length: int | None,
    sizes: IntArray | None = None,
) -> Draws:
    """Permute the samples of every group, or draw with replacement, one by one or in blocks of neighbours.

    As many samples are drawn as a group has. `sizes` has the sizes of the groups, whose samples are consecutive.
    """
    sizes = np.array([n_rows]) if sizes is None else sizes
    if bootstrap == "moving_block" and block_length is not None and block_length >= sizes.max():
        raise ValueError(f"block_length={block_length} leaves one block of every group: all trees would be equal.")
    starts = np.cumsum(sizes) - sizes
    random_state = _stream_of(seed)
    drawn = [
        start + _draw_order(random_state, size, bootstrap, block_length)
        for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)
    ]
    return np.concatenate(drawn), weights


def _draw_order(
    random_state: np.random.RandomState, size: int, bootstrap: bool | str, block_length: int | None
) -> IntArray:
    if isinstance(bootstrap, str):
        length = min(size, cube_root(size) if block_length is None else block_length)
        return BLOCK_BOOTSTRAPS[bootstrap](random_state, size, length)
    return random_state.randint(size, size=size) if bootstrap else random_state.permutation(size)


# One RandomState for every thread: making one takes longer than drawing the samples of a small tree.
_streams = local()


def _stream_of(seed: int) -> np.random.RandomState:
    """Return the thread's RandomState, seeded anew; the next call seeds it again."""
    if not hasattr(_streams, "random_state"):
        _streams.random_state = np.random.RandomState(0)
    random_state: np.random.RandomState = _streams.random_state
    random_state.seed(seed)
    return random_state


def cube_root(size: int) -> int:
    """Return the cube root of a size, rounded up."""
    length = round(size ** (1 / 3))
    return length + (length**3 < size)


def moving_blocks(random_state: np.random.RandomState, size: int, length: int) -> IntArray:
    """Draw equally likely blocks of `length` neighbours until there are enough samples; cut the last block."""
    starts = random_state.randint(size - length + 1, size=-(-size // length))
    return (starts[:, np.newaxis] + np.arange(length)).ravel()[:size]


def stationary_blocks(random_state: np.random.RandomState, size: int, length: int) -> IntArray:
    """Draw blocks that start at any sample and end after each sample with probability 1 / length.

    The first sample follows the last one.
    """
    indices = np.arange(size)
    starts_block = random_state.random_sample(size) < 1.0 / length
    starts_block[:1] = True
    firsts = random_state.randint(size, size=size)
    latest = np.maximum.accumulate(np.where(starts_block, indices, 0))
    return (firsts[latest] + indices - latest) % size


BLOCK_BOOTSTRAPS: dict[str, Callable[[np.random.RandomState, int, int], IntArray]] = {
    "moving_block": moving_blocks,
    "stationary": stationary_blocks,
}


def order_of_draws(draw: Callable[..., Draws]) -> Callable[..., Draws]:
    """Return a function that draws the same samples as `draw` in the order of the draws, in place of their counts."""
    given = getattr(draw, "keywords", {})
    return partial(draw_sequence, n_draws=given["n_draws"], ends=given["ends"]) if "n_draws" in given else draw
