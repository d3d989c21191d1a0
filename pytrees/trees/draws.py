"""Draw the samples of a forest's trees: all, or with replacement, as they are repeated or weigh more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .._typing import AnyArray, Draws
from ..input.validation import counts_where_exact


def all_rows(random_state: np.random.RandomState, n_rows: int, weights: AnyArray | None) -> Draws:
    """Return the samples of every tree where nothing is drawn."""
    return None, weights


def draw_sequence(random_state: np.random.RandomState, n_rows: int, weights: AnyArray | None, *, n_draws: int) -> Draws:
    """Draw samples with replacement, in the order of the draws; for criteria without weights."""
    return random_state.randint(n_rows, size=n_draws), weights


def draw_counts(random_state: np.random.RandomState, n_rows: int, weights: AnyArray | None, *, n_draws: int) -> Draws:
    """Draw samples with replacement; return those drawn, in their own order, weighted by how often they were."""
    counts = np.bincount(random_state.randint(n_rows, size=n_draws), minlength=n_rows)
    places = np.flatnonzero(counts)
    counts = counts[places]
    return places, counts_where_exact(counts if weights is None else counts * weights[places])


def draw_balanced_counts(
    random_state: np.random.RandomState, n_rows: int, weights: AnyArray | None, *, n_draws: int, codes: AnyArray
) -> Draws:
    """Draw samples as `draw_counts` does; the classes among those drawn then weigh the same, by their numbers."""
    counts = np.bincount(random_state.randint(n_rows, size=n_draws), minlength=n_rows)
    places = np.flatnonzero(counts)
    counts, codes = counts[places], codes[places]
    of_classes = np.bincount(codes, weights=counts)
    balanced = counts * (n_draws / (np.count_nonzero(of_classes) * of_classes[codes]))
    return places, counts_where_exact(balanced if weights is None else balanced * weights[places])


def order_of_draws(draw: Callable[..., Draws]) -> Callable[..., Draws]:
    """Return a function that draws the samples of a tree one by one, where `draw` counts how often each is drawn."""
    n_draws = getattr(draw, "keywords", {}).get("n_draws")
    return draw if n_draws is None else partial(draw_sequence, n_draws=n_draws)
