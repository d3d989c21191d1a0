"""Training samples whose targets are numbers: the errors of nodes, recomputed from the targets in exact fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._engine import reference
from .._given_judges import ERRORS
from .._typing import AnyArray, FloatArray

# How near numbers and impurities have to be, relative to the greatest target, or its square.
_NEAR = Fraction(1, 10**9)

# Doubles below this number have fewer digits.
_SMALLEST = Fraction(float(np.finfo(np.float64).tiny))


class Side(NamedTuple):
    """A cut of a node: its number of samples on the left, the weights of both sides, and its gain."""

    n_left: int
    weights: tuple[int, int]
    gain: Any


@dataclass
class NumberSamples:
    """Training samples of a tree of numbers, with the methods of `Samples`.

    Targets are `y` divided by `divisor`, a power of two, so that all `y` are whole numbers. A criterion of the user
    judges sums of targets, which are rounded to doubles.
    """

    X: list[list[float]]
    y: list[int]
    weights: list[int]
    criterion: str
    divisor: int
    own: Any = None
    takes_lower_median: bool = True
    largest: Fraction = field(init=False)
    unit: Fraction = field(init=False)
    slack: Fraction = field(init=False)

    def __post_init__(self) -> None:
        self.largest = Fraction(max(map(abs, self.y), default=0), self.divisor)
        self.unit = (self.own is None and self.impurity(range(len(self.y)))) or Fraction(1)
        self.slack = _NEAR * self.largest if self.divisor > 1 else Fraction(0)  # whole numbers are exact everywhere

    @classmethod
    def of(
        cls, X: FloatArray, y: FloatArray, weights: AnyArray | None, criterion: str, own: Any = None
    ) -> NumberSamples:
        """Return the samples of arrays."""
        targets = [Fraction(target) for target in y.tolist()]
        divisor = max((target.denominator for target in targets), default=1)
        whole = np.ones(len(y), dtype=np.int64) if weights is None else weights
        numbers = [int(target * divisor) for target in targets]
        return cls(X.tolist(), numbers, [int(weight) for weight in whole], criterion, divisor, own)

    @property
    def power(self) -> int:
        """The unit of impurities, as a power of the unit of the targets."""
        return 1 if self.criterion == "absolute_error" else 2

    def total(self, rows: Sequence[int]) -> int:
        """Return the weight of some samples."""
        return sum(self.weights[row] for row in rows)

    def is_pure(self, rows: Sequence[int]) -> bool:
        """Whether all targets are equal."""
        return len({self.y[row] for row in rows}) < 2

    def error(self, rows: Sequence[int]) -> Fraction:
        """Return the sum of the errors of some samples, by their weights: exactly, from the definition."""
        pairs = [(self.y[row], self.weights[row]) for row in rows]
        if self.criterion != "absolute_error":
            total, of_all = sum(weight for _, weight in pairs), sum(weight * y for y, weight in pairs)
            squares = sum(weight * y * y for y, weight in pairs)
            return Fraction(total * squares - of_all * of_all, total * self.divisor**2)
        median = self._medians(rows)[0]
        return Fraction(sum(weight * abs(y - median) for y, weight in pairs), self.divisor)

    def impurity(self, rows: Sequence[int]) -> Fraction:
        """Return the mean error of some samples."""
        return self.error(rows) / self.total(rows) if len(rows) > 0 else Fraction(0)

    def impurities(self, rows: Sequence[int], left: frozenset[int]) -> list[float]:
        """Return the impurities of a node and of its two children."""
        sides = [[row for row in rows if (row in left) == side] for side in (True, False)]
        return [float(self.impurity(part)) for part in (rows, *sides)]

    def _medians(self, rows: Sequence[int]) -> tuple[int, int]:
        """Return the lower and the upper median of some targets."""
        total, below, lower = self.total(rows), 0, None
        for y, weight in sorted((self.y[row], self.weights[row]) for row in rows):
            below += weight
            if lower is None and 2 * below >= total:
                lower = y
            if 2 * below > total:
                assert lower is not None
                return lower, y
        raise ValueError("There are no samples, so that there is no median.")

    def values(self, rows: Sequence[int]) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest number that a node of these samples may predict."""
        if self.criterion == "absolute_error":
            lower, upper = self._medians(rows)
            return Fraction(lower, self.divisor), Fraction(upper, self.divisor)
        mean = Fraction(sum(self.weights[row] * self.y[row] for row in rows), self.total(rows) * self.divisor)
        return mean, mean

    def value_of(self, rows: Sequence[int]) -> Fraction:
        """Return the value of a node of these samples that monotonic constraints compare: the mean, or the median.

        Trees of pytrees take the lower of two medians, other trees the middle between both, as scikit-learn does.
        """
        lower, upper = self.values(rows)
        return lower if self.takes_lower_median else (lower + upper) / 2

    def is_value(self, number: float, rows: Sequence[int], bounds: tuple[Any, Any] = (-inf, inf)) -> bool:
        """Whether a node of these samples, and of these bounds by monotonic constraints, may predict a number."""
        least, greatest = (min(max(value, bounds[0]), bounds[1]) for value in self.values(rows))
        slack = _NEAR * self.largest
        return bool(np.isfinite(number)) and least - slack <= Fraction(float(number)) <= greatest + slack

    def told(self, rows: Sequence[int]) -> str:
        """Describe some samples."""
        least, greatest = (float(number) for number in self.values(rows))
        number = f"{least!r}" if least == greatest else f"from {least!r} to {greatest!r}"
        return f"the weight {self.total(rows)} and the number {number}"

    def told_at(self, read: Any, node: int) -> str:
        """Describe the samples of a node as the tree tells of them, as far as this is known."""
        tree, told = read.tree, []
        if "weighted_n_node_samples" in read.known:
            told.append(f"the weight {tree.weighted_n_node_samples[node]:.12g}")
        if "value" in read.known:
            told.append(f"the number {float(tree.value[node, 0])!r}")
        if "impurity" in read.known:
            told.append(f"the impurity {float(tree.impurity[node])!r}")
        return ", ".join(told)

    def agree_with(self, read: Any, node: int, rows: Sequence[int]) -> bool:
        """Whether these samples give a node's weight, number and impurity, as far as they are known."""
        tree, known = read.tree, read.known
        weight = tree.weighted_n_node_samples[node]
        if "weighted_n_node_samples" in known and not np.isclose(weight, self.total(rows), rtol=float(_NEAR), atol=0.0):
            return False
        if "value" in known and not self.is_value(tree.value[node, 0], rows):
            return False
        if "impurity" not in known or np.isinf(tree.impurity[node]):  # a square beyond the doubles
            return True
        difference = abs(Fraction(float(tree.impurity[node])) - self.impurity(rows))
        return difference <= max(_NEAR * self.largest**self.power, _SMALLEST)

    def sides(self, rows: Sequence[int], feature: int, cuts: Sequence[tuple[float, int]]) -> Iterator[Side]:
        """Yield both sides of every cut of a node, by ascending thresholds."""
        partition, types = reference("rows.partition"), reference("base.types")
        order = sorted(rows, key=partition.by_value(self.X, feature))
        missing = [row for row in order if partition.is_missing(self.X[row][feature])]
        known, n_known, sides = order[: len(order) - len(missing)], 0, []
        for threshold, side in cuts:
            while n_known < len(known) and self.X[known[n_known]][feature] <= threshold:
                n_known += 1
            is_left = side == types.MISSING_LEFT
            left = known[:n_known] + (missing if is_left else [])
            right = known[n_known:] + ([] if is_left else missing)
            sides.append((left, right))
        for (left, right), gain in zip(sides, self.gains(rows, sides), strict=True):
            yield Side(len(left), (self.total(left), self.total(right)), gain)

    def gains(self, rows: Sequence[int], sides: Sequence[tuple[list[int], list[int]]]) -> list[Any]:
        """Return the gains of the cuts of a node into these sides."""
        if self.own is None:
            whole, total = self.error(rows), self.total(rows)
            return [(whole - self.error(left) - self.error(right)) / total for left, right in sides]
        tables = [[self.seen(side) for side in of_cuts] for of_cuts in zip(*sides, strict=True)]
        return self.own.judged(*tables).tolist() if sides else []

    def seen(self, rows: Sequence[int]) -> list[float]:
        """Return what a user's criterion sees of some samples: weight, sum and spread."""
        nearest = reference("criteria.target_units").nearest
        total = Fraction(sum(self.weights[row] * self.y[row] for row in rows), self.divisor)
        return [float(self.total(rows)), nearest(total), nearest(self.error(rows))]

    def other_criteria(self) -> dict[str, Any]:
        """Return the other criteria of numbers, as the samples hold them, by their names."""
        return {name: name for name in ERRORS if name != self.criterion}
