"""What would explain splits that are not the best: another criterion, or a mistake in this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .._engine import reference
from ..criteria import CRITERIA, resolve
from ._nodes import Cut, Node, Samples, number, shortfall

# Fewer wrong splits than these have too many explanations, more take too long.
_FEWEST = 3
_MOST = 50
_ENOUGH = 1e-9
# What float16 numbers lose.
_ROUNDED = 1e-3

Gains = Callable[[Node], list[float]]


def causes_of(wrong: list[tuple[Node, Cut]]) -> list[str]:
    """Return what explains all wrong splits: under which changes of the criterion each would be a best one."""
    if not wrong:
        return []
    short = max(shortfall(taken.gain, node.best.gain) for node, taken in wrong if node.best is not None)
    if short <= _ROUNDED:
        return [f"rounding, for none gains less than the best by more than {short:.1e}"]
    if len(wrong) < _FEWEST:
        return []
    samples = wrong[0][0].samples
    if _name(samples) not in CRITERIA or CRITERIA[_name(samples)].judges != "counts":
        return []
    return [told for told, gains in _variants(samples).items() if _explains(gains, wrong[:_MOST])]


def _name(samples: Samples) -> str:
    return samples.criterion if isinstance(samples.criterion, str) else samples.criterion[0]


def _explains(gains_of: Gains, wrong: list[tuple[Node, Cut]]) -> bool:
    for node, taken in wrong:
        gains = gains_of(node)
        if max(gains) - gains[node.allowed.index(taken)] > _ENOUGH * max(1.0, abs(max(gains))):
            return False
    return True


def _variants(samples: Samples) -> dict[str, Gains]:
    """Return gains of a node's cuts by other rules, by what they do."""
    found: dict[str, Gains] = {}
    has_weights = any(weight != 1 for weight in samples.weights)
    if resolve(_name(samples)).has_impurity:
        found["the children's impurities are not weighted by their shares"] = _of_children(lambda node, rows: 1.0)
        if has_weights:
            found["children are weighted by their numbers of samples, not by the samples' weights"] = _of_children(
                lambda node, rows: len(rows) / len(node.rows)
            )
    if has_weights:
        found["sample weights are ignored"] = lambda node: _gains(node, node.samples.criterion, weighted=False)
    found["the split of the least gain is taken"] = lambda node: [
        -gain for gain in _gains(node, node.samples.criterion)
    ]
    for name, criterion in CRITERIA.items():
        if criterion.judges == "counts" and name != _name(samples):
            found[f"the criterion is {name!r}"] = _of_criterion(criterion)
    return found


def _of_criterion(criterion: Any) -> Gains:
    return lambda node: _gains(node, criterion.specification(node.samples.n_classes))


def _gains(node: Node, criterion: Any, weighted: bool = True) -> list[float]:
    samples = node.samples
    if not weighted:
        samples = replace(samples, weights=[1] * len(samples.y))
    judge = reference("split.scan").gain_of_counts
    return [number(judge(criterion, *_counted(samples, node, cut))) for cut in node.allowed]


def _counted(samples: Samples, node: Node, cut: Cut) -> tuple[Any, list[Any]]:
    """Return the class counts and their total, of the node and of both children."""
    sides = [[row for row in node.rows if (row in cut.left) == is_left] for is_left in (True, False)]
    counts = [samples.counts(rows) for rows in (node.rows, *sides)]
    whole, *children = [(each, sum(each)) for each in counts]
    return whole, children


def _of_children(share: Callable[[Node, list[int]], float]) -> Gains:
    """Return gains in which a child's impurity counts by this share."""

    def gains(node: Node) -> list[float]:
        found, measure = [], reference("split.gains").impurities
        for cut in node.allowed:
            sides = [[row for row in node.rows if (row in cut.left) == is_left] for is_left in (True, False)]
            counts = [node.samples.counts(rows) for rows in (node.rows, *sides)]
            whole, *children = measure(node.samples.criterion, counts)
            found.append(whole - sum(share(node, rows) * each for rows, each in zip(sides, children, strict=True)))
        return found

    return gains
