"""Find explanations of splits that are not the best: another criterion, or a mistake in this criterion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any

from .._given_judges import ERRORS
from ..criteria import CRITERIA, resolve
from ._nodes import AnySamples, Cut, Node, judge, number, shortfall

# Fewer wrong splits than these have too many explanations; more splits, or more samples in all, take too long.
_FEWEST = 3
_MOST = 50
_MOST_SAMPLES = 2000
_ENOUGH = 1e-9
# Gains that fall short by less than this may be rounded to float16.
_ROUNDED = 1e-3

Gains = Callable[[Node], list[float]]


def causes_of(wrong: list[tuple[Node, Cut]]) -> list[str]:
    """Return the explanations of all wrong splits: changes of the criterion that make each of them a best split."""
    if not wrong:
        return []
    unit = wrong[0][0].samples.unit
    short = max(shortfall(taken.gain, node.best.gain, unit) for node, taken in wrong if node.best is not None)
    if short <= _ROUNDED:
        return [f"rounding, as none gains less than the best by more than {short:.1e}"]
    if len(wrong) < _FEWEST:
        return []
    samples = wrong[0][0].samples
    name = _name(samples)
    if name not in ERRORS and (name not in CRITERIA or CRITERIA[name].judges != "counts"):
        return []
    smallest = sorted(wrong, key=lambda pair: len(pair[0].rows))[:_MOST]
    n_samples = accumulate(len(node.rows) for node, _ in smallest)
    looked_at = [
        pair for i, (pair, n) in enumerate(zip(smallest, n_samples, strict=True)) if i < _FEWEST or n < _MOST_SAMPLES
    ]
    return [told for told, gains in _variants(samples).items() if _explains(gains, looked_at)]


def _name(samples: AnySamples) -> str:
    return samples.criterion if isinstance(samples.criterion, str) else samples.criterion[0]


def _explains(gains_of: Gains, wrong: list[tuple[Node, Cut]]) -> bool:
    for node, taken in wrong:
        gains = gains_of(node)
        unit = number(node.samples.unit)
        if max(gains) - gains[node.allowed.index(taken)] > _ENOUGH * max(unit, abs(max(gains))):
            return False
    return True


def _variants(samples: AnySamples) -> dict[str, Gains]:
    """Return functions that give the gains of a node's cuts by other rules, by a description of the rule."""
    found: dict[str, Gains] = {}
    has_weights = any(weight != 1 for weight in samples.weights)
    if _name(samples) in ERRORS or resolve(_name(samples)).has_impurity:
        found["the children's impurities are not weighted by their shares"] = _of_children(lambda node, n: 1.0)
        if has_weights:
            found["children are weighted by their numbers of samples, not by the samples' weights"] = _of_children(
                lambda node, n: n / len(node.rows)
            )
    if has_weights:
        found["sample weights are ignored"] = lambda node: _gains(node, node.samples.criterion, weighted=False)
    found["the split of the least gain is taken"] = lambda node: [
        -gain for gain in _gains(node, node.samples.criterion)
    ]
    for name, criterion in samples.other_criteria().items():
        found[f"the criterion is {name!r}"] = _of_criterion(criterion)
    return found


def _of_criterion(criterion: Any) -> Gains:
    return lambda node: _gains(node, criterion)


def _gains(node: Node, criterion: Any, weighted: bool = True) -> list[float]:
    samples: AnySamples = replace(node.samples, criterion=criterion)
    if not weighted:
        samples = replace(samples, weights=[1] * len(samples.y))
    cuts = judge(samples, node.rows, 1, 0.0).cuts
    return [number(other.gain) for cut, other in zip(node.cuts, cuts, strict=True) if cut.is_allowed]


def _of_children(share: Callable[[Node, int], float]) -> Gains:
    """Return gains in which a child's impurity counts by `share` of the node and the child's number of samples."""

    def gains(node: Node) -> list[float]:
        found = []
        for cut in node.allowed:
            numbers = cut.n_left, len(node.rows) - cut.n_left
            whole, *children = node.samples.impurities(node.rows, cut.left)
            found.append(whole - sum(share(node, n) * each for n, each in zip(numbers, children, strict=True)))
        return found

    return gains
