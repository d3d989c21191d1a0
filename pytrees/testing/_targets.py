"""Test criteria of numbers: targets and their cuts, and the properties of the gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

from .._engine import kernel, reference
from .._given_judges import ERRORS
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ..input.targets import Targets, on_grid
from ._counts import Cases, GainsError, near
from ._numbers import NumberSamples

Definition = Callable[..., Any]

# The gain of a cut that a user's criterion judges alone may differ by this much from its gain among other cuts.
_ALONE = 1e-12

_OF_DOMAIN = " If the criterion is for other targets alone, it must raise a ValueError: then it is checked with those."


class NumberCases(Cases):
    """Cases of a criterion of numbers: the targets of a node with whole weights, and the samples left of its cuts."""

    properties = ("nonnegative", "pure", "sides", "order", "shift", "scale")

    def __init__(self, criterion: Any, max_classes: int, tolerance: float) -> None:
        super().__init__(criterion, max_classes, tolerance)
        # The units that gains can have, as powers of the unit of the targets.
        self.powers = [2] if criterion.name == "squared_error" else [1]
        self.takes_negative = self.takes_zero = True
        if self.is_own:
            self.powers = [0, 1, 2]
            self.takes_negative = self._error_for([-2.0, -1.0, -4.0]) is None
            # Zeros that give NaN are an error of the criterion, unless it refuses them itself.
            self.takes_zero = self.takes_negative or not isinstance(self._error_for([0.0, 0.0, 1.0]), RuntimeError)

    def _error_for(self, y: list[float]) -> BaseException | None:
        """Return the error for cuts of a node of three targets: a RuntimeError if the criterion itself raised it."""
        goes_left = np.array([[True, False, False], [True, True, False]])
        try:
            self.gains(np.array(y), np.ones(3, dtype=np.int64), goes_left)
        except GainsError as error:
            return error.__cause__
        return None

    def takeable(self, y: AnyArray) -> AnyArray:
        """Return targets that the criterion takes."""
        y = y if self.takes_negative else np.abs(y)
        return y if self.takes_zero else np.where(y == 0.0, 1.0, y)

    def gains(self, y: FloatArray, weights: IntArray, goes_left: BoolArray) -> FloatArray:
        """Return the gains of cuts; `goes_left` is of shape (n_cuts, n_samples). An error of the user's criterion
        becomes a GainsError that shows the cuts."""
        codes, targets = on_grid(y, int(weights.sum()))
        is_target = codes[:, np.newaxis] == np.arange(len(targets))
        left, right = (((side * weights) @ is_target).astype(np.int64) for side in (goes_left, ~goes_left))
        if self.is_own:
            try:
                return np.array(self.criterion.judged(*(self.seen(side, targets) for side in (left, right))))
            except (ValueError, RuntimeError) as error:
                told = "; ".join(_told(y, weights, side) for side in goes_left)
                hint = "" if isinstance(error, RuntimeError) or y.min() > 0.0 else _OF_DOMAIN
                raise GainsError(f"{error} The cuts were {told}.{hint}") from error
        criterion = self.criterion.name, {"targets": targets.numbers}
        found = np.array(kernel("gains_of_cuts")(criterion, left, right), dtype=float)
        return targets.grid.distances(found, self.powers[0])

    def seen(self, counts: IntArray, targets: Targets) -> list[list[float]]:
        """Return weights, sums and spreads, as the reference shows them to a user's criterion."""
        grid = targets.grid
        given = {"targets": targets.numbers.tolist(), "grid": (grid.centre, grid.divisor, grid.exponent)}
        see = reference("criteria.user").seen_by_user
        return [see(of_samples, ("user_sums", given)) for of_samples in counts.tolist()]

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
        """Draw targets that are whole, decimals or real, some of them equal, their weights, and the left of cuts.

        Not all targets are equal: trees do not split such nodes.
        """
        n_samples, most = int(rng.integers(2, 16)), int(rng.choice([3, 10, 1000]))
        y = [rng.integers(-most, most, n_samples) * unit for unit in (1.0, 0.1)] + [rng.normal(size=n_samples)]
        weights = rng.integers(1, 4, n_samples) if rng.random() < 0.5 else np.ones(n_samples, dtype=np.int64)
        goes_left = rng.random((6, n_samples)) < rng.random((6, 1))
        goes_left[:, 0], goes_left[:, 1] = True, False
        targets = self.takeable(np.asarray(y[int(rng.integers(3))], dtype=np.float64))
        targets[0] += float(np.all(targets == targets[0]))
        return targets, weights, goes_left

    def errors(self, rng: Generator, defined: Definition | None) -> Iterator[tuple[str, str]]:
        """Yield the errors in the gains of some cuts, by kind."""
        y, weights, goes_left = self.table(rng)
        try:
            gains = self.gains(y, weights, goes_left)
            self.gains(*self.table(rng))
            expected = {"memory": (self.gains(y, weights, goes_left), "is judged again", 0.0)}
            if not getattr(self.criterion, "per_feature", False):
                alone = np.array([self.gains(y, weights, side[np.newaxis])[0] for side in goes_left])
                expected["other cuts"] = alone, "is judged alone", _ALONE if self.is_own else 0.0
        except GainsError as error:
            yield "raises", str(error)
            return
        if self._has_children():
            of_children = np.array([self._gain_of_children(y, weights, side) for side in goes_left])
            expected["gain_of_children"] = of_children, "is given to gain_of_children", self.tolerance
        if defined is not None:
            found = [float(defined(*_sides(y, weights, side))) for side in goes_left]
            expected["definition"] = np.array(found), "is judged by the definition", self.tolerance
        for kind, (others, how, tolerance) in expected.items():
            for cut in np.flatnonzero(~near(gains, others, tolerance))[:1]:
                told = f"{_told(y, weights, goes_left[cut])} gains {float(gains[cut])!r}"
                yield kind, f"{told}, but {float(others[cut])!r} when it {how}."

    def _has_children(self) -> bool:
        """Whether a user's criterion judges children as it judges cuts."""
        from ..criteria import SumCriterion

        is_told = self.is_own and type(self.criterion).gain_of_children is not SumCriterion.gain_of_children
        return is_told and not self.criterion.per_feature

    def _gain_of_children(self, y: FloatArray, weights: IntArray, goes_left: BoolArray) -> float:
        codes, targets = on_grid(y, int(weights.sum()))
        is_target = codes[:, np.newaxis] == np.arange(len(targets))
        counts = np.array([(side * weights) @ is_target for side in (goes_left, ~goes_left)], dtype=np.int64)
        return float(self.criterion.judged_children(self.seen(counts, targets)))

    def counterexample(self, name: str, rng: Generator) -> str | None:
        """Return an example against a property, or None."""
        y, weights, goes_left = self.table(rng)
        y = np.full(len(y), y[0]) if name == "pure" else y
        gains = self.gains(y, weights, goes_left)
        if name in ("nonnegative", "pure"):
            slack = self.tolerance if self.is_own else 0.0
            wrong = gains < -slack if name == "nonnegative" else np.abs(gains) > slack
            for cut in np.flatnonzero(wrong & np.isfinite(gains)):
                return f"{_told(y, weights, goes_left[cut])} gains {gains[cut]:.9g}"
            return None
        other, factors = (y, weights, goes_left), [1.0]
        if name == "sides":
            other = y, weights, ~goes_left
        elif name == "order":
            places = rng.permutation(len(y))
            other = y[places], weights[places], goes_left[:, places]
        elif name == "shift":
            shift = float(self.takeable(np.asarray(rng.integers(-9, 10))))
            other = y + shift, weights, goes_left
        else:
            scale = float(self.takeable(rng.choice([-1.0, 0.5, 4.0])))
            other, factors = (y * scale, weights, goes_left), [abs(scale) ** power for power in self.powers]
        others = self.gains(*other)
        same = [near(factor * gains, others, self.tolerance) for factor in factors]
        if name == "scale" and any(map(np.all, same)):
            self.powers = [power for power, is_same in zip(self.powers, same, strict=True) if is_same.all()]
            return None
        for cut in np.flatnonzero(~same[0]):
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
