"""All cuts of one node, with their gains: of class counts by the reference, of numbers by `_numbers`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from math import inf
from typing import Any, TypeAlias

import numpy as np

from .._engine import reference
from .._typing import AnyArray, FloatArray, Specification
from ..criteria import CRITERIA
from ._equal import class_counts
from ._numbers import NumberSamples, Side

NO_BOUNDS = -inf, inf

# Reported class counts may be rounded.
_COUNT_TOLERANCE = 1e-9


@dataclass
class Samples:
    """Training samples as the reference takes them.

    `unit` is the gain to which tolerances relate at least; values that differ by less than `slack` may be equal.
    """

    X: list[list[float]]
    y: list[int]
    weights: list[int]
    n_classes: int
    criterion: Specification
    unit: int | Fraction = 1
    slack: int | Fraction = 0

    @classmethod
    def of(
        cls, X: FloatArray, y: AnyArray, weights: AnyArray | None, n_classes: int, criterion: Specification
    ) -> Samples:
        """Return the samples of arrays."""
        whole = np.ones(len(y), dtype=np.int64) if weights is None else weights
        return cls(X.tolist(), y.tolist(), [int(weight) for weight in whole], n_classes, criterion)

    def counts(self, rows: Sequence[int]) -> list[int]:
        """Return the class counts of some samples."""
        counts = [0] * self.n_classes
        for row in rows:
            counts[self.y[row]] += self.weights[row]
        return counts

    def value_of(self, rows: Sequence[int]) -> Any:
        """Return the value of a node of these samples that monotonic constraints compare: the mean rank of classes."""
        return reference("split.monotonic").value_of(self.criterion, self.counts(rows))

    def is_pure(self, rows: Sequence[int]) -> bool:
        """Whether all samples have one class."""
        return len({self.y[row] for row in rows}) < 2

    def told(self, rows: Sequence[int]) -> str:
        """Describe some samples."""
        return f"the class counts {self.counts(rows)}"

    def told_at(self, read: Any, node: int) -> str:
        """Describe the samples of a node as the tree tells of them, as far as this is known."""
        if "value" in read.known:
            return f"the {read.what} {class_counts(read, node)}"
        is_known = "weighted_n_node_samples" in read.known
        return f"the weight {read.tree.weighted_n_node_samples[node]:.12g}" if is_known else ""

    def agree_with(self, read: Any, node: int, rows: Sequence[int]) -> bool:
        """Whether these samples give a node's weight and class counts or shares, as far as they are known."""
        counts, value = np.array(self.counts(rows), dtype=float), read.tree.value[node]
        if "value" not in read.known:
            counts = counts.sum(keepdims=True)
            value = value.sum(keepdims=True) if "weighted_n_node_samples" in read.known else counts
        elif read.what == "shares":
            counts = counts / counts.sum()
        return value.shape == counts.shape and np.allclose(value, counts, rtol=_COUNT_TOLERANCE, atol=0.0)

    def impurities(self, rows: Sequence[int], left: frozenset[int]) -> list[float]:
        """Return the impurities of a node and of its two children."""
        sides = [[row for row in rows if (row in left) == side] for side in (True, False)]
        measure = reference("split.gains").impurities
        found: list[float] = measure(self.criterion, [self.counts(part) for part in (rows, *sides)])
        return found

    def other_criteria(self) -> dict[str, Any]:
        """Return the other criteria on class counts, as the samples hold them, by their names."""
        name = self.criterion if isinstance(self.criterion, str) else self.criterion[0]
        others = {key: judge for key, judge in CRITERIA.items() if judge.judges == "counts" and key != name}
        return {key: judge.specification(self.n_classes) for key, judge in others.items()}

    def sides(self, rows: Sequence[int], feature: int, cuts: Sequence[tuple[float, int]]) -> Iterator[Side]:
        """Yield both sides of every cut of a node, by ascending thresholds."""
        find, _, _, _, user, scan = _modules()
        sides = list(_sides_of_cuts(self, rows, feature, cuts))
        of_counts = user.user_criterion_of(self.criterion)[0] is None and not scan.judges_sequence(self.criterion)
        if of_counts:
            counts = self.counts(rows)
            whole = counts, sum(counts)
            children = ([(side, sum(side)) for side in (left, right)] for _, left, right in sides)
            gains = [scan.gain_of_counts(self.criterion, whole, pair) for pair in children]
        else:
            data = self.X, self.y, self.weights, self.n_classes, self.criterion
            problem = reference("split.problem").Problem(*data, limits={}, n_categories=None)
            gains = find.gains_of_cuts(problem, rows, feature, cuts)
        for gain, (n_left, left, right) in zip(gains, sides, strict=True):
            yield Side(n_left, (sum(left), sum(right)), gain)


AnySamples: TypeAlias = Samples | NumberSamples


@dataclass(eq=False)
class Cut:
    """A cut of a node, and its gain: exact if the criterion is exact.

    If rounding decides whether a cut breaks a monotonic constraint, it may be taken, but need not: it `is_doubtful`.
    """

    node: Node
    feature: int
    threshold: float
    missing: int
    n_left: int
    gain: Any
    is_allowed: bool = True
    breaks_order: bool = False
    is_doubtful: bool = False

    def values(self) -> list[Any]:
        """Return the values of both sides: the mean ranks of their classes, or what they predict."""
        sides = ([row for row in self.node.rows if (row in self.left) == side] for side in (True, False))
        return [self.node.samples.value_of(side) for side in sides]

    @cached_property
    def left(self) -> frozenset[int]:
        """The samples on the left."""
        X, goes_left = self.node.samples.X, _modules()[2].goes_left
        return frozenset(row for row in self.node.rows if goes_left(X[row][self.feature], self.threshold, self.missing))


@dataclass(eq=False)
class Node:
    """A node's training samples, and all of its cuts by ascending feature and threshold."""

    samples: AnySamples
    rows: list[int]
    cuts: list[Cut] = field(default_factory=list)
    best: Cut | None = None

    @property
    def allowed(self) -> list[Cut]:
        """The cuts that limits allow."""
        return [cut for cut in self.cuts if cut.is_allowed]

    @property
    def is_pure(self) -> bool:
        """Whether all samples have one class, or one target."""
        return self.samples.is_pure(self.rows)

    @property
    def weight(self) -> int:
        """The sum of the samples' weights."""
        return sum(self.samples.weights[row] for row in self.rows)


@cache
def _modules() -> tuple[Any, ...]:
    names = ("split.node_split", "split.node_search", "rows.partition", "criteria.counts", "criteria.user")
    names = (*names, "criteria.table")
    return tuple(map(reference, names))


def judge(
    samples: AnySamples,
    rows: list[int],
    min_samples_leaf: int,
    min_leaf_weight: float,
    monotonic_cst: Sequence[int] = (),
    bounds: tuple[Any, Any] | None = None,
) -> Node:
    """Return a node with all cuts of its samples, judged from the definition of the criterion.

    `bounds` are those of the node's value.

    It takes O(n_features · n_samples · (log n_samples + n_classes)), or O(n_features · n_cuts · n_samples) for criteria
    of label sequences and of numbers, and for a user's own.
    """
    find, scanner, _, _, user, _ = _modules()
    node = Node(samples, rows)
    for feature in range(len(samples.X[0])):
        cuts = scanner.cuts_of(samples.X, rows, feature)
        sides = samples.sides(rows, feature, cuts)
        for (threshold, missing), (n_left, weights, gain) in zip(cuts, sides, strict=True):
            is_allowed = min(n_left, len(rows) - n_left) >= min_samples_leaf
            is_allowed = is_allowed and min(weights) >= min_leaf_weight and gain != user.FORBIDDEN
            cut = Cut(node, feature, threshold, missing, n_left, gain, is_allowed)
            if monotonic_cst and monotonic_cst[feature]:
                constrain(cut, monotonic_cst[feature], bounds)
            node.cuts.append(cut)
    best = find.best_of((cut.gain, index) for index, cut in enumerate(node.cuts) if cut.is_allowed)
    node.best = None if best is None else node.cuts[best[1]]
    return node


def constrain(cut: Cut, direction: int, bounds: tuple[Any, Any] | None) -> None:
    """Forbid a cut that breaks a monotonic constraint, or of which rounding decides whether it does."""
    below, above = NO_BOUNDS if bounds is None else bounds
    lower, higher = cut.values() if direction > 0 else reversed(cut.values())
    slack = cut.node.samples.slack
    # The least distance between neighbours of the values that must ascend.
    room = min(lower - below, higher - lower, above - higher)
    cut.breaks_order, cut.is_doubtful = room < -slack, -slack <= room < slack
    cut.is_allowed = cut.is_allowed and not cut.breaks_order and not cut.is_doubtful


def _sides_of_cuts(
    samples: Samples, rows: Sequence[int], feature: int, cuts: Sequence[tuple[float, int]]
) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield for every cut, by ascending thresholds, the number of samples on the left and both sides' class counts."""
    partition, types = _modules()[2], reference("base.types")
    order = sorted(rows, key=partition.by_value(samples.X, feature))
    missing_rows = [row for row in order if partition.is_missing(samples.X[row][feature])]
    node, of_missing = np.array(samples.counts(rows)), np.array(samples.counts(missing_rows))
    n_known, known = 0, np.zeros_like(node)
    for threshold, missing in cuts:
        while n_known < len(order) - len(missing_rows) and samples.X[order[n_known]][feature] <= threshold:
            known[samples.y[order[n_known]]] += samples.weights[order[n_known]]
            n_known += 1
        is_left = missing == types.MISSING_LEFT
        left = known + of_missing if is_left else known
        yield n_known + (len(missing_rows) if is_left else 0), left.tolist(), (node - left).tolist()


def threshold_between(below: float, above: float) -> float:
    """Return the threshold that the reference puts between two neighbouring values."""
    return float(_modules()[2].threshold_between(below, above))


def is_greater(gain: Any, other: Any) -> bool:
    """Whether a gain is greater: exactly if gains are exact, otherwise by more than 1e-12."""
    return bool(_modules()[3].is_greater(gain, other))


def number(gain: Any) -> float:
    """Return the double that is nearest to a gain; infinity if it is beyond the doubles."""
    try:
        return float(gain.nearest_double() if hasattr(gain, "nearest_double") else gain)
    except OverflowError:  # squares of great targets
        return float(np.inf if gain > 0 else -np.inf)


def shortfall(gain: Any, best: Any, unit: Any) -> float:
    """Return by how much a gain is below the best, relative to the greater of `unit` and the best."""
    if isinstance(best, Fraction) and isinstance(gain, Fraction):
        return number((best - gain) / max(unit, abs(best)))
    best_number = number(best)
    return (best_number - number(gain)) / max(number(unit), abs(best_number))


def values_beside(node: Node, cut: Cut) -> tuple[float, float]:
    """Return the values that a cut separates, infinite for a side without values."""
    column = {row: node.samples.X[row][cut.feature] for row in node.rows}
    known = {row: value for row, value in column.items() if value == value}
    low = max((value for row, value in known.items() if row in cut.left), default=-np.inf)
    high = min((value for row, value in known.items() if row not in cut.left), default=np.inf)
    return low, high


def position_of_threshold(node: Node, cut: Cut, threshold: float) -> str:
    """Describe where a threshold lies between the values that it separates."""
    low, high = values_beside(node, cut)
    if high == np.inf or low == -np.inf:
        return "missing against known"
    if threshold == threshold_between(low, high):
        return "midpoint"
    return "lower value" if threshold == low else "elsewhere"
