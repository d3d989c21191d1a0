"""Test criteria of numbers: targets and their cuts, and the properties of the gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

from .._engine import kernel
from .._typing import BoolArray, FloatArray, IntArray
from ..criteria import ERRORS
from ..input.targets import on_grid
from ._counts import Cases, near
from ._numbers import NumberSamples

Definition = Callable[..., Any]


class NumberCases(Cases):
    """Cases of a criterion of numbers: the targets of a node with whole weights, and the samples left of its cuts."""

    properties = ("nonnegative", "pure", "sides", "order", "shift", "scale")

    @property
    def power(self) -> int:
        """The unit of gains, as a power of the unit of the targets."""
        return 2 if self.criterion.name == "squared_error" else 1

    def gains(self, y: FloatArray, weights: IntArray, goes_left: BoolArray) -> FloatArray:
        """Return the gains of cuts; `goes_left` is of shape (n_cuts, n_samples)."""
        codes, targets = on_grid(y, int(weights.sum()))
        is_target = codes[:, np.newaxis] == np.arange(len(targets))
        left, right = ((side * weights) @ is_target for side in (goes_left, ~goes_left))
        criterion = self.criterion.name, {"targets": targets.numbers}
        found = np.array(kernel("gains_of_cuts")(criterion, left.astype(np.int64), right.astype(np.int64)), dtype=float)
        return targets.grid.distances(found, self.power)

    def definition_of(self, definition: Definition | str) -> Definition:
        """Return the definition of gains, as a function of the targets of two sides."""
        if callable(definition):
            return definition
        if definition not in list(ERRORS):
            raise ValueError(f"definition must be a function, or one of {list(ERRORS)}; got {definition!r}.")

        def defined(left: list[float], right: list[float]) -> Fraction:
            y = np.array(left + right)
            samples = NumberSamples.of(np.zeros((len(y), 1)), y, None, definition)
            sides = range(len(y)), range(len(left)), range(len(left), len(y))
            whole, *children = (samples.error(side) for side in sides)
            return (whole - sum(children)) / len(y)

        return defined

    def table(self, rng: Generator) -> tuple[FloatArray, IntArray, BoolArray]:
        """Draw targets that are whole, decimals or real, some of them equal, their weights, and the left of cuts."""
        n_samples, most = int(rng.integers(2, 16)), int(rng.choice([3, 10, 1000]))
        y = [rng.integers(-most, most, n_samples) * unit for unit in (1.0, 0.1)] + [rng.normal(size=n_samples)]
        weights = rng.integers(1, 4, n_samples) if rng.random() < 0.5 else np.ones(n_samples, dtype=np.int64)
        goes_left = rng.random((6, n_samples)) < rng.random((6, 1))
        goes_left[:, 0], goes_left[:, 1] = True, False
        return y[int(rng.integers(3))], weights, goes_left

    def errors(self, rng: Generator, defined: Definition | None) -> Iterator[tuple[str, str]]:
        """Yield the errors in the gains of some cuts, by kind."""
        y, weights, goes_left = self.table(rng)
        gains = self.gains(y, weights, goes_left)
        self.gains(*self.table(rng))
        alone = np.array([self.gains(y, weights, side[np.newaxis])[0] for side in goes_left])
        expected = {"memory": (self.gains(y, weights, goes_left), "is judged again", 0.0)}
        expected["other cuts"] = alone, "is judged alone", 0.0
        if defined is not None:
            found = [float(defined(*_sides(y, weights, side))) for side in goes_left]
            expected["definition"] = np.array(found), "is judged by the definition", self.tolerance
        for kind, (others, how, tolerance) in expected.items():
            for cut in np.flatnonzero(~near(gains, others, tolerance))[:1]:
                told = f"{_told(y, weights, goes_left[cut])} gains {float(gains[cut])!r}"
                yield kind, f"{told}, but {float(others[cut])!r} when it {how}."

    def counterexample(self, name: str, rng: Generator) -> str | None:
        """Return an example against a property, or None."""
        y, weights, goes_left = self.table(rng)
        y = np.full(len(y), y[0]) if name == "pure" else y
        gains = self.gains(y, weights, goes_left)
        other, factor = (y, weights, goes_left), 1.0
        if name in ("nonnegative", "pure"):
            wrong = gains < 0.0 if name == "nonnegative" else gains != 0.0
            for cut in np.flatnonzero(wrong):
                return f"{_told(y, weights, goes_left[cut])} gains {gains[cut]:.9g}"
            return None
        if name == "sides":
            other = y, weights, ~goes_left
        elif name == "order":
            places = rng.permutation(len(y))
            other = y[places], weights[places], goes_left[:, places]
        elif name == "shift":
            other = y + float(rng.integers(-9, 10)), weights, goes_left
        else:
            scale = float(rng.choice([-1.0, 0.5, 4.0]))
            other, factor = (y * scale, weights, goes_left), abs(scale) ** self.power
        others = self.gains(*other)
        for cut in np.flatnonzero(~near(factor * gains, others, self.tolerance)):
            told = f"{_told(y, weights, goes_left[cut])} gains {gains[cut]:.9g}"
            return f"{told}, but {_told(other[0], other[1], other[2][cut])} gains {others[cut]:.9g}"
        return None


def _sides(y: FloatArray, weights: IntArray, goes_left: BoolArray) -> tuple[list[float], list[float]]:
    """Return the targets on the left and on the right, repeated by their weights."""
    left, right = (np.repeat(y[side], weights[side]).tolist() for side in (goes_left, ~goes_left))
    return left, right


def _told(y: FloatArray, weights: IntArray, goes_left: BoolArray) -> str:
    left, right = _sides(y, weights, goes_left)
    return f"left={left}, right={right}"
