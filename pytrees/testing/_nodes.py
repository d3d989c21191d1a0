"""All cuts of one node, judged by the reference, and what a chosen one is among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
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


@dataclass
class Cut:
    """A cut of a node, with the samples that it sends to the left, and its gain, which is exact where it can be."""

    feature: int
    threshold: float
    missing: int
    left: frozenset[int]
    gain: Any
    is_allowed: bool = True

    def describe(self) -> str:
        """Return what samples on the left have in common."""
        return f"x[{self.feature}] <= {self.threshold!r}"


@dataclass
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
    names = ("split.find", "split.scanner", "rows.partition", "criteria.counts", "criteria.user")
    return tuple(map(reference, names))


def judge(samples: Samples, rows: list[int], min_samples_leaf: int, min_leaf_weight: float) -> Node:
    """Return a node with all cuts of its samples, judged by the reference.

    It takes O(n_features · n_cuts · n_samples).
    """
    find, scanner, partition, _, user = _modules()
    node = Node(samples, rows)
    data = samples.X, samples.y, samples.weights, samples.n_classes, samples.criterion
    for feature in range(len(samples.X[0])):
        cuts = scanner.cuts_of(samples.X, rows, feature)
        gains = find.gains_of_cuts(*data, rows, feature, cuts)
        for (threshold, missing), gain in zip(cuts, gains, strict=True):
            left, right = partition.split_rows(samples.X, rows, feature, threshold, missing)
            least_weight = min(sum(samples.weights[row] for row in side) for side in (left, right))
            is_allowed = min(len(left), len(right)) >= min_samples_leaf and least_weight >= min_leaf_weight
            is_allowed = is_allowed and gain != user.FORBIDDEN
            node.cuts.append(Cut(feature, threshold, missing, frozenset(left), gain, is_allowed))
    best = find.best_of((cut.gain, index) for index, cut in enumerate(node.cuts) if cut.is_allowed)
    node.best = None if best is None else node.cuts[best[1]]
    return node


def threshold_between(below: float, above: float) -> float:
    """Return the threshold that the reference puts between two neighbouring values."""
    return float(_modules()[2].threshold_between(below, above))


def is_greater(gain: Any, other: Any) -> bool:
    """Whether a gain is greater: exactly where gains are exact, otherwise by more than 1e-12."""
    return bool(_modules()[3].is_greater(gain, other))


def number(gain: Any) -> float:
    """Return the double that is nearest to a gain."""
    return float(gain.nearest_double() if hasattr(gain, "nearest_double") else gain)


def shortfall(gain: Any, best: Any) -> float:
    """Return by how much a gain is below the best, relative to the greater of 1 and the best."""
    best_number = number(best)
    return (best_number - number(gain)) / max(1.0, abs(best_number))


def place_of_threshold(node: Node, cut: Cut, threshold: float) -> str:
    """Return where a threshold lies between the values that it separates."""
    column = {row: node.samples.X[row][cut.feature] for row in node.rows}
    known = {row: value for row, value in column.items() if value == value}
    low = max((value for row, value in known.items() if row in cut.left), default=-np.inf)
    high = min((value for row, value in known.items() if row not in cut.left), default=np.inf)
    if high == np.inf or low == -np.inf:
        return "missing against known"
    if threshold == threshold_between(low, high):
        return "midpoint"
    return "lower value" if threshold == low else "elsewhere"
