"""Numbers as people read them: decimals without exponents, and thresholds that divide the training samples as the tree
does."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, NamedTuple

import numpy as np

from ._tree_checks import LEAF, MULTIWAY
from .tree import Tree

# Digits that numbers have at least if nobody asks for others, from the first that is not 0.
_SIGNIFICANT = 4

# Numbers from this one to its inverse have no exponent.
_SHORTEST = 2.0**-53

# A double has no decimal places beyond these.
_MOST_DECIMALS = 1074

# Doubles have at most so many digits on both sides of the decimal point.
_MOST_DIGITS = 309 + _MOST_DECIMALS


class Digits(NamedTuple):
    """How many digits numbers are written with.

    Attributes
    ----------
    decimals : int or None
        Decimal places; None: as many as `significant` digits take, without zeros at the end.
    significant : int
        Digits from the first that is not 0. Digits before the decimal point are always written.
    """

    decimals: int | None = None
    significant: int = _SIGNIFICANT

    def number(self, number: float) -> str:
        """Return a number as a decimal, or with an exponent if that would take more than some 16 zeros."""
        if self.decimals is None and number != 0.0 and not _SHORTEST <= abs(number) < 1.0 / _SHORTEST:
            return f"{number:.{self.significant}g}"
        return _trimmed(f"{number:.{self.places(number)}f}", self.decimals)

    def places(self, number: float) -> int:
        """Return how many decimal places a number is written with."""
        if self.decimals is not None:
            return self.decimals
        if not np.isfinite(number):
            return 0
        exponent = int(f"{number:.{self.significant - 1}e}".rpartition("e")[2])
        return min(max(0, self.significant - 1 - exponent), _MOST_DECIMALS)


def exact(number: float) -> str:
    """Return the shortest decimal, without an exponent, that is read back as the same double."""
    return str(np.format_float_positional(number, trim="-"))


class ThresholdTexts:
    """The thresholds of a tree as decimals: those with the fewest digits, but no fewer than were asked for, that divide
    the training samples of their nodes as the thresholds do.

    If a tree does not know its training values, the thresholds of a feature differ as decimals as well, in the same
    order.

    Parameters
    ----------
    tree : Tree
    digits : Digits
    """

    def __init__(self, tree: Tree, digits: Digits) -> None:
        self._tree, self._digits = tree, digits
        self._of_feature: dict[int, Any] = {}

    def __call__(self, node: int) -> str:
        """Return the threshold of a node."""
        threshold, digits = float(self._tree.threshold[node]), self._digits
        if not np.isfinite(threshold):
            return str(threshold)
        lowest, highest = self._range(node, threshold)
        places = digits.places(threshold)
        # Without the gap between the training values, a decimal that is not the nearest one may be too far away.
        n_tried = 1 if self._tree.below_threshold is None else 2
        while True:  # ends: with enough places a text is the threshold itself
            for text in _neighbours(threshold, places)[:n_tried]:
                if lowest <= float(text) <= highest:
                    return _trimmed(text, digits.decimals)
            places += 1

    def _range(self, node: int, threshold: float) -> tuple[float, float]:
        """Return the lowest and the highest number by which the samples of a node may be divided in place of its
        threshold."""
        if self._tree.below_threshold is not None:
            below = float(self._tree.below_threshold[node])
            return below, max(threshold, _last_before_greater(below, threshold))
        feature = int(self._tree.feature[node])
        if feature not in self._of_feature:
            is_test = (self._tree.feature == feature) & ~np.isin(self._tree.children_left, (LEAF, MULTIWAY))
            self._of_feature[feature] = np.unique(self._tree.threshold[is_test])
        others = self._of_feature[feature]
        place = int(np.searchsorted(others, threshold))
        lowest = np.nextafter(_last_before(others[place - 1], threshold), np.inf) if place > 0 else -np.inf
        highest = _last_before(threshold, others[place + 1]) if place + 1 < others.size else np.inf
        return float(lowest), float(highest)


def _neighbours(threshold: float, places: int) -> tuple[str, str]:
    """Return the decimals with some places next to a threshold, the nearest one first; of two the lower one, as values
    equal to a threshold go left."""
    exactly, unit, context = Decimal(threshold), Decimal(1).scaleb(-places), Context(_MOST_DIGITS)
    low, high = (exactly.quantize(unit, rounding, context) for rounding in (ROUND_FLOOR, ROUND_CEILING))
    is_lower = context.subtract(exactly, low) <= context.subtract(high, exactly)
    return (f"{low:f}", f"{high:f}") if is_lower else (f"{high:f}", f"{low:f}")


def _last_before_greater(below: float, threshold: float) -> float:
    """Return a number below the next training value, of which the threshold and the value below it tell.

    The threshold is the middle of both, rounded, or the value below it: its distance to the next value is its distance
    to the value below it, give or take the distance of two doubles.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        greater = np.float64(threshold) + (np.float64(threshold) - below)
        last = float(greater - 4.0 * np.spacing(max(abs(below), abs(greater))))
    return last if np.isfinite(last) else threshold


def _last_before(low: float, high: float) -> float:
    """Return the number between two thresholds up to which decimals stand for the lower one."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


def told_apart(value: float, threshold: float, text: str, digits: Digits) -> tuple[str, str]:
    """Return a value and a threshold, whose usual text is given, as decimals that show which number is greater: in no
    more digits than that takes."""
    places = max(digits.places(value), len(text.partition(".")[2]))
    of_value, of_threshold = f"{value:.{digits.places(value)}f}", text
    while (value <= threshold) != (float(of_value) <= float(of_threshold)) and places < _MOST_DECIMALS:
        of_value, of_threshold = f"{value:.{places}f}", f"{threshold:.{places}f}"
        places += 1
    return _trimmed(of_value, digits.decimals), _trimmed(of_threshold, digits.decimals)


def _trimmed(text: str, decimals: int | None) -> str:
    """Return a decimal without zeros at the end, unless decimal places were asked for, and with one zero only."""
    if decimals is None and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text
