"""All cuts of one node, with their gains by the reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from .._engine import reference
from .._typing import AnyArray, FloatArray, Specification


@dataclass
class Samples:
    """Training samples as the reference takes them."""

    X: list[list[float]]
    y: list[int]
    weights: list[int]
    n_classes: int
    criterion: Specification

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


@dataclass(eq=False)
class Cut:
    """A cut of a node, with the class counts of both sides, and its gain: exact if the criterion is exact."""

    node: Node
    feature: int
    threshold: float
    missing: int
    n_left: int
    counts: tuple[list[int], list[int]]
    gain: Any
    is_allowed: bool = True
    breaks_order: bool = False

    def values(self) -> list[Any]:
        """Return the values of both sides: the mean ranks of their classes."""
        value_of = reference("split.monotonic").value_of
        return [value_of(self.node.samples.criterion, side) for side in self.counts]

    @cached_property
    def left(self) -> frozenset[int]:
        """The samples on the left."""
        X, goes_left = self.node.samples.X, _modules()[2].goes_left
        return frozenset(row for row in self.node.rows if goes_left(X[row][self.feature], self.threshold, self.missing))


@dataclass(eq=False)
class Node:
    """A node's training samples, and all of its cuts by ascending feature and threshold."""

    samples: Samples
    rows: list[int]
    cuts: list[Cut] = field(default_factory=list)
    best: Cut | None = None

    @property
    def allowed(self) -> list[Cut]:
        """The cuts that limits allow."""
        return [cut for cut in self.cuts if cut.is_allowed]

    @property
    def is_pure(self) -> bool:
        """Whether all samples have one class."""
        return len({self.samples.y[row] for row in self.rows}) < 2

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
    samples: Samples,
    rows: list[int],
    min_samples_leaf: int,
    min_leaf_weight: float,
    monotonic_cst: Sequence[int] = (),
    bounds: tuple[Any, Any] | None = None,
) -> Node:
    """Return a node with all cuts of its samples, judged by the reference; `bounds` are those of its value.

    It takes O(n_features · n_samples · (log n_samples + n_classes)), or O(n_features · n_cuts · n_samples) for criteria
    of label sequences, and for a user's own.
    """
    find, scanner, _, _, user, scan = _modules()
    node = Node(samples, rows)
    of_counts = user.user_criterion_of(samples.criterion)[0] is None and not scan.judges_sequence(samples.criterion)
    for feature in range(len(samples.X[0])):
        cuts = scanner.cuts_of(samples.X, rows, feature)
        sides = list(_sides_of_cuts(samples, rows, feature, cuts))
        if of_counts:
            counts = samples.counts(rows)
            whole = counts, sum(counts)
            children = ([(side, sum(side)) for side in (left, right)] for _, left, right in sides)
            gains = [scan.gain_of_counts(samples.criterion, whole, pair) for pair in children]
        else:
            data = samples.X, samples.y, samples.weights, samples.n_classes, samples.criterion
            gains = find.gains_of_cuts(*data, rows, feature, cuts)
        for (threshold, missing), gain, (n_left, left, right) in zip(cuts, gains, sides, strict=True):
            is_allowed = min(n_left, len(rows) - n_left) >= min_samples_leaf
            is_allowed = is_allowed and min(sum(left), sum(right)) >= min_leaf_weight and gain != user.FORBIDDEN
            cut = Cut(node, feature, threshold, missing, n_left, (left, right), gain, is_allowed)
            direction = monotonic_cst[feature] if monotonic_cst else 0
            if direction and not reference("split.monotonic").keeps_order(direction, *cut.values(), bounds):
                cut.is_allowed, cut.breaks_order = False, True
            node.cuts.append(cut)
    best = find.best_of((cut.gain, index) for index, cut in enumerate(node.cuts) if cut.is_allowed)
    node.best = None if best is None else node.cuts[best[1]]
    return node


def _sides_of_cuts(
    samples: Samples, rows: list[int], feature: int, cuts: Sequence[tuple[float, int]]
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
    """Return the double that is nearest to a gain."""
    return float(gain.nearest_double() if hasattr(gain, "nearest_double") else gain)


def shortfall(gain: Any, best: Any) -> float:
    """Return by how much a gain is below the best, relative to the greater of 1 and the best."""
    best_number = number(best)
    return (best_number - number(gain)) / max(1.0, abs(best_number))


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
