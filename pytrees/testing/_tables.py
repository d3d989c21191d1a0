"""Seeded tables of many kinds: with ties, duplicates, constants, or values that lie close together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._typing import FloatArray, IntArray


@dataclass(frozen=True)
class Table:
    """Training data of a tree."""

    kind: str
    X: FloatArray
    y: IntArray | FloatArray
    sample_weight: IntArray | None


def _ties(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.integers(0, rng.integers(2, 6), shape).astype(float)


def _duplicates(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    n_distinct = max(1, shape[0] // 2)
    return rng.integers(0, 10, (n_distinct, shape[1])).astype(float)[rng.integers(0, n_distinct, shape[0])]


def _constants(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    X = rng.integers(0, 6, shape).astype(float)
    X[:, rng.random(shape[1]) < 0.5] = 1.5
    return X


def _copies(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    """Draw features that order the samples alike or in reverse: every cut of one is a cut of all."""
    first = rng.integers(0, 8, shape[0]).astype(float)
    return (first[:, np.newaxis] + np.arange(shape[1])) * rng.choice([-1.0, 1.0], shape[1])


def _real(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4)


def _missing(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    X = _ties(rng, shape)
    X[rng.random(shape) < rng.choice([0.1, 0.3])] = np.nan
    return X


def _close(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    """Draw distinct float32 values, some of which are less than 1e-7 apart."""
    return rng.integers(0, 40, shape) * 1e-8 * 10.0 ** rng.integers(-4, 1)


def _extreme(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    values = [-1e30, -1.0, np.nextafter(-1.0, 0.0), -1e-30, 0.0, 1e-30, 1.0, np.nextafter(1.0, 2.0), 1e30]
    return rng.choice(values, shape)


KINDS: dict[str, Callable[[Generator, tuple[int, int]], FloatArray]] = {
    "ties": _ties,
    "duplicates": _duplicates,
    "constants": _constants,
    "copies": _copies,
    "real": _real,
    "missing": _missing,
    "close": _close,
    "extreme": _extreme,
}


def draw_table(
    kind: str,
    rng: Generator,
    max_samples: int,
    max_features: int,
    weighted: bool,
    dtype: type[np.floating],
    n_constrained: int | None = None,
    numbers: bool = False,
    max_classes: int = 4,
) -> Table:
    """Draw a table of one of `KINDS`, its values rounded to float64 or float32.

    Half of the tables have labels that mostly follow a feature. Weights are whole numbers. With `n_constrained`, the
    table has so many features, and two classes; no table has more than four, or than `max_classes`. `numbers`: targets
    are numbers in place of labels, which are whole, decimals, or real.
    """
    n_samples = int(rng.integers(1, max_samples + 1)) if rng.random() < 0.3 else max_samples
    shape = (n_samples, int(rng.integers(1, max_features + 1)))
    shape = shape if n_constrained is None else (n_samples, n_constrained)
    with np.errstate(over="ignore", under="ignore"):
        X = np.ascontiguousarray(KINDS[kind](rng, shape).astype(dtype).astype(np.float64))
    n_classes = min(int(rng.choice([2, 2, 3, 4])), max_classes) if n_constrained is None else 2
    y = rng.integers(0, n_classes, n_samples)
    if rng.random() < 0.5:
        rank = np.argsort(np.argsort(X[:, 0], kind="stable"), kind="stable")
        y = np.where(rng.random(n_samples) < 0.8, rank * n_classes // n_samples, y)
    # The classes 1, 2, ... differ from their codes, which a careless `predict` returns.
    weights = rng.integers(1, 6, n_samples) if weighted else None
    return Table(kind, X, _numbers(rng, y) if numbers else y + 1, weights)


def _numbers(rng: Generator, y: IntArray) -> FloatArray:
    """Draw targets about some classes: whole numbers, decimals, which are no sums of powers of two, or real numbers."""
    noise: FloatArray = [np.zeros(len(y)), rng.integers(-5, 6, len(y)) / 10.0, rng.normal(size=len(y))][
        int(rng.integers(3))
    ]
    is_decimal = np.all(noise == np.round(noise, 1))
    return np.asarray(np.round(y + noise, 1) if is_decimal else y + noise, dtype=np.float64)
