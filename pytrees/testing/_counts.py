"""Test criteria on class counts: tables of cuts, and the properties of their gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from .._engine import config_context
from .._judges import OwnCriterion
from .._typing import AnyArray, FloatArray
from ..criteria import CRITERIA, gain

Counts = tuple[FloatArray, FloatArray]
Definition = Callable[..., Any]


class GainsError(Exception):
    """Raised if a criterion raises an error or gives no gains; its text has the table."""


# The gain of a cut that is judged alone may differ by this much from its gain among other cuts.
_ALONE = 1e-12


class Cases:
    """Base class of the cases that test the gains of a criterion.

    Gains may differ from the expected gains by `tolerance`.
    """

    def __init__(self, criterion: Any, max_classes: int, tolerance: float) -> None:
        self.criterion, self.max_classes, self.tolerance = criterion, max_classes, tolerance
        self.is_own = isinstance(criterion, OwnCriterion)

    def takeable(self, y: AnyArray) -> AnyArray:
        """Return labels or targets that the criterion takes."""
        return y

    @staticmethod
    def limit_of_classes(n_classes: int) -> str:
        """Return for an error how many classes there were, and how to have fewer; not of two, the fewest."""
        return f" There were {n_classes} classes; max_classes= limits them." if n_classes > 2 else ""


class CountCases(Cases):
    """Cases of a criterion on class counts: tables of cuts."""

    properties = ("nonnegative", "pure", "independent", "sides", "classes", "scale", "convex")

    @property
    def per_feature(self) -> bool:
        """Whether the criterion judges all cuts of a feature together."""
        return getattr(self.criterion, "per_feature", False)

    def gains(self, left: FloatArray, right: FloatArray, repeats: int = 1) -> FloatArray:
        """Return the gains of cuts, given `repeats` times; an error becomes a GainsError that shows the cuts."""
        try:
            return self._judged(np.tile(left, (repeats, 1)), np.tile(right, (repeats, 1)))
        except (ValueError, RuntimeError) as error:
            raise GainsError(self.shortest(error, left, right, repeats)) from error

    def _judged(self, left: AnyArray, right: AnyArray) -> FloatArray:
        """Return the gains of cuts, as trees ask for them."""
        if self.is_own:
            return np.array(self.criterion.judged(left, right))
        return np.atleast_1d(np.asarray(gain(self.criterion, left, right)))

    def definition_of(self, definition: Definition | str) -> Definition:
        """Return the definition of gains, as a function of the class counts of two sides."""
        if callable(definition):
            return definition
        if definition not in CRITERIA or CRITERIA[definition].judges != "counts":
            raise ValueError(f"definition must be a function, or a criterion of class counts; got {definition!r}.")

        known: Any = definition

        def defined(left: list[float], right: list[float]) -> Any:
            with config_context(engine="reference"):
                return gain(known, left, right)

        return defined

    # --------------------------------------------------------------------------------------------------------- drawing

    def table(self, rng: Generator, n_cuts: int | None = None) -> Counts:
        """Draw the class counts of cuts of several nodes: small, great or not whole, many of them zero.

        Every node has two classes at least: trees do not split others.
        """
        n_classes = int(rng.integers(2, self.max_classes + 1))
        shape = (n_cuts or int(rng.integers(2, 12)), n_classes)
        most = int(rng.choice([3, 3, 3, 10, 100, 10**4]))
        sides = []
        for _ in range(2):
            counts = rng.integers(0, most, shape).astype(float)
            counts[rng.random(shape) < rng.choice([0.0, 0.3, 0.8])] = 0.0
            counts[np.arange(shape[0]), rng.integers(0, n_classes, shape[0])] += 1.0
            sides.append(counts)
        of_one = np.flatnonzero(np.count_nonzero(sides[0] + sides[1], axis=1) == 1)
        sides[1][of_one] = np.roll(sides[1][of_one], 1, axis=1)
        if rng.random() < 0.3:
            scale = float(rng.choice([0.1, 1.7, 1e-3]))
            sides = [counts * scale for counts in sides]
        return sides[0], sides[1]

    # ---------------------------------------------------------------------------------------------------------- errors

    def errors(self, rng: Generator, defined: Definition | None) -> Iterator[tuple[str, str]]:
        """Yield the errors in the gains of a table, by kind."""
        left, right = self.table(rng)
        try:
            gains = self.gains(left, right)
            if self.per_feature:
                yield from self.error_of_memory(left, right, gains, rng)
            else:
                yield from self.errors_of_others(left, right, gains, rng)
            yield from self.errors_of_arguments(left, right)
            yield from self.errors_of_children(left, right, gains)
        except GainsError as error:
            yield "raises", str(error)
            return
        if defined is not None:
            yield from self.errors_of_definition(left, right, gains, defined)

    def shortest(self, error: Exception, left: FloatArray, right: FloatArray, repeats: int) -> str:
        """Describe an error that a table raised, by a single cut if that cut alone raises an error."""
        limit = self.limit_of_classes(left.shape[1])
        for cut in range(len(left)):
            sides = left[cut : cut + 1], right[cut : cut + 1]
            try:
                self._judged(*sides)
            except (ValueError, RuntimeError) as of_cut:
                return f"{of_cut} The table was left={sides[0].tolist()}, right={sides[1].tolist()}.{limit}"
        times = "" if repeats == 1 else f" {repeats} times"
        return f"{error} The table was{times} left={left.tolist()}, right={right.tolist()}.{limit}"

    def error_of_memory(
        self, left: FloatArray, right: FloatArray, gains: FloatArray, rng: Generator
    ) -> Iterator[tuple[str, str]]:
        """Yield a gain that changes after another table was judged."""
        self.gains(*self.table(rng))
        yield from self.differences("memory", left, right, gains, self.gains(left, right), "is judged again", 0.0)

    def errors_of_others(
        self, left: FloatArray, right: FloatArray, gains: FloatArray, rng: Generator
    ) -> Iterator[tuple[str, str]]:
        """Yield gains that depend on other tables, or on the other cuts of a table and their order."""
        yield from self.error_of_memory(left, right, gains, rng)
        order = rng.permutation(len(left))
        shuffled = np.empty(len(gains))
        shuffled[order] = self.gains(left[order], right[order])
        yield from self.differences("other cuts", left, right, gains, shuffled, "stands in another order", _ALONE)
        alone = gains.copy()
        for cut in rng.integers(0, len(left), 3):
            alone[cut] = self.gains(left[cut : cut + 1], right[cut : cut + 1])[0]
        yield from self.differences("other cuts", left, right, gains, alone, "is judged alone", _ALONE)
        among = self.gains(left, right, 300)[-len(left) :]
        yield from self.differences("other cuts", left, right, gains, among, "is one of many", _ALONE)

    def errors_of_arguments(self, left: FloatArray, right: FloatArray) -> Iterator[tuple[str, str]]:
        """Yield an error if a method in Python wrote to its arguments."""
        from ..criteria import CountCriterion

        if not self.is_own or type(self.criterion).gains is CountCriterion.gains:
            return
        given = np.asfortranarray(left), np.asfortranarray(right.copy())
        self.criterion.gains(*given)
        for name, array, before in zip(("left", "right"), given, (left, right), strict=True):
            if not np.array_equal(array, before):
                yield "arguments", f"gains writes to {name}, which was {before.tolist()}, and is {array.tolist()}."

    def errors_of_children(self, left: FloatArray, right: FloatArray, gains: FloatArray) -> Iterator[tuple[str, str]]:
        """Yield an error if the method for children gives two children another gain than their cut has."""
        from ..criteria import CountCriterion

        if not self.is_own or type(self.criterion).gain_of_children is CountCriterion.gain_of_children:
            return
        if self.per_feature:
            return
        of_children = np.empty(len(left))
        for cut, sides in enumerate(zip(left, right, strict=True)):
            try:
                of_children[cut] = self.criterion.judged_children(np.stack(sides))
            except (ValueError, RuntimeError) as error:
                limit = self.limit_of_classes(left.shape[1])
                raise GainsError(f"{error} The children were {np.stack(sides).tolist()}.{limit}") from error
        yield from self.differences(
            "gain_of_children", left, right, gains, of_children, "is given to gain_of_children", self.tolerance
        )

    def errors_of_definition(
        self, left: FloatArray, right: FloatArray, gains: FloatArray, defined: Definition
    ) -> Iterator[tuple[str, str]]:
        """Yield gains that differ from the definition."""
        expected = np.empty(len(left))
        for cut, sides in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            try:
                expected[cut] = float(defined(*sides))
            except Exception as error:
                told = f"the definition raised {type(error).__name__} for {_told((left, right), cut)}: {error}"
                yield "definition", told
                return
        yield from self.differences("definition", left, right, gains, expected, "is judged by the definition", None)

    def differences(
        self,
        kind: str,
        left: FloatArray,
        right: FloatArray,
        gains: FloatArray,
        others: FloatArray,
        how: str,
        tolerance: float | None,
    ) -> Iterator[tuple[str, str]]:
        """Yield the first cut whose gain differs from another one."""
        apart = ~near(gains, others, self.tolerance if tolerance is None else tolerance)
        if apart.any():
            cut = int(np.flatnonzero(apart)[0])
            told = f"gains {float(gains[cut])!r}, but {float(others[cut])!r} when it {how}."
            yield kind, f"{_told((left, right), cut)} {told}"

    # ------------------------------------------------------------------------------------------------------ properties

    def counterexample(self, name: str, rng: Generator) -> str | None:
        """Return an example against a property, or None."""
        left, right = self.table(rng)
        found: str | None = getattr(self, f"_not_{name}")(left, right, rng)
        return found

    def _compared(self, one: Counts, other: Counts) -> str | None:
        gains, others = self.gains(*one), self.gains(*other)
        for cut in np.flatnonzero(~near(gains, others, self.tolerance)):
            return f"{_told(one, cut)} gains {gains[cut]:.9g}, but {_told(other, cut)} gains {others[cut]:.9g}"
        return None

    def _wanted_zero(self, left: FloatArray, right: FloatArray) -> str | None:
        gains = self.gains(left, right)
        for cut in np.flatnonzero(~(np.abs(gains) <= self.tolerance) & np.isfinite(gains)):
            return f"{_told((left, right), cut)} gains {gains[cut]:.9g}"
        return None

    def _not_nonnegative(self, left: FloatArray, right: FloatArray, rng: Generator) -> str | None:
        gains = self.gains(left, right)
        for cut in np.flatnonzero((gains < -self.tolerance) & np.isfinite(gains)):
            return f"{_told((left, right), cut)} gains {gains[cut]:.9g}"
        return None

    def _not_pure(self, left: FloatArray, right: FloatArray, rng: Generator) -> str | None:
        is_class = np.arange(left.shape[1]) == rng.integers(left.shape[1])
        totals = [side.sum(axis=1, keepdims=True) for side in (left, right)]
        return self._wanted_zero(is_class * totals[0], is_class * totals[1])

    def _not_independent(self, left: FloatArray, right: FloatArray, rng: Generator) -> str | None:
        node = left + right
        return self._wanted_zero(node, node * rng.integers(1, 4))

    def _not_sides(self, left: FloatArray, right: FloatArray, rng: Generator) -> str | None:
        return self._compared((left, right), (right, left))

    def _not_classes(self, left: FloatArray, right: FloatArray, rng: Generator) -> str | None:
        order = rng.permutation(left.shape[1])
        return self._compared((left, right), (left[:, order], right[:, order]))

    def _not_scale(self, left: FloatArray, right: FloatArray, rng: Generator) -> str | None:
        factor = float(rng.choice([0.5, 4.0]))  # products are exact: only the criterion can make a difference
        return self._compared((left, right), (left * factor, right * factor))

    def _not_convex(self, left: FloatArray, right: FloatArray, rng: Generator) -> str | None:
        """Compare the gain of the middle of two cuts of a node with the gains of both cuts."""
        left, node = (np.repeat(counts, 8, axis=0) for counts in (left, left + right))
        other = node * rng.random(node.shape)
        middle = 0.5 * left + 0.5 * other
        is_cut = np.all([np.stack([part, node - part]).sum(axis=2).min(axis=0) > 0.0 for part in (left, other)], axis=0)
        if not is_cut.any():
            return None
        node, parts = node[is_cut], [part[is_cut] for part in (left, other, middle)]
        gains = [self.gains(part, np.maximum(node - part, 0.0)) for part in parts]
        finite = np.isfinite(gains).all(axis=0)
        mean = 0.5 * np.where(finite, gains[0], 0.0) + 0.5 * np.where(finite, gains[1], 0.0)
        for cut in np.flatnonzero(finite & (gains[2] > mean + self.tolerance * np.maximum(1.0, np.abs(mean)))):
            lefts = ", ".join(str(part[cut].tolist()) for part in parts)
            told = ", ".join(f"{each[cut]:.9g}" for each in gains)
            return f"of a node of {node[cut].tolist()}, two cuts and their middle, left={lefts}, gain {told}"
        return None


def near(gains: FloatArray, others: FloatArray, tolerance: float) -> AnyArray:
    """Return which gains are equal, or differ by no more than a tolerance."""
    with np.errstate(invalid="ignore"):
        return (gains == others) | (np.abs(gains - others) <= tolerance * np.maximum(1.0, np.abs(others)))


def _told(sides: Counts, cut: Any) -> str:
    return f"left={sides[0][cut].tolist()}, right={sides[1][cut].tolist()}"
