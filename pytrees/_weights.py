"""Weights of samples on a grid of whole numbers, so that sums are exact and the same in any order.

A weight is a whole number times the grid's unit. If all weights are whole multiples of one number, to within the
rounding of doubles, the grid is exact: these multiples are the numbers. Other weights are rounded to a grid as fine as
`GRID_TOTAL` says. Multiplying all weights by one factor changes the unit, but not the numbers.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ._typing import AnyArray, FloatArray, IntArray

# Whole weights of a lower sum are taken as they are. Kernels count up to here with their narrow arithmetic: entropies
# come from a table with an entry for each sum of weights, and this limit keeps the table at 128 MiB.
MAX_TOTAL_COUNT = 2**24

# The sum of the numbers on a grid that rounds is at least this.
GRID_TOTAL = 2**48

# The same for samples whose targets are numbers: kernels multiply sums of targets by sums of weights.
GRID_TOTAL_OF_NUMBERS = 2**41

# Whole numbers of a greater sum, by this factor, stay as they are. The kernels take all of these sums, and they are
# exact as doubles, too.
_ROOM = 16

_MOST_DECIMALS = 15
_MOST_EXACT = 2.0**53

# Weights are multiples of one number if all of them are as near to the multiples, relatively: a quotient of two
# products of doubles is rounded three times.
_NEARNESS = 2.0**-50
_MOST_DENOMINATOR = 2**24
_MOST_DENOMINATORS = 64


def on_grid(weights: AnyArray | None, grid_total: int = GRID_TOTAL) -> tuple[IntArray | None, Fraction]:
    """Put weights on a grid.

    Whole weights with a sum below 2**24 stay as they are. Weights that are whole multiples of one number, as decimals
    are, or weights that balance classes, become these multiples, if their sum is at most about `grid_total`. Other
    weights are scaled so that their sum is at least `grid_total`, and rounded; no positive weight is rounded to 0, but
    to 1.

    Parameters
    ----------
    weights : ndarray of shape (n_samples,), int64 or float64, or None
        Finite weights, not negative, with a positive and finite sum; None: all are 1.
    grid_total : int, default=2**48
        A power of two: the least sum of the numbers on a grid that rounds.

    Returns
    -------
    numbers : ndarray of shape (n_samples,), int64, or None
        The numbers on the grid; None if all are 1.
    unit : Fraction
        The factor that makes weights of the numbers.
    """
    if weights is None or np.all(weights == 1):
        return None, Fraction(1)
    total = float(weights.sum(dtype=np.float64))
    are_whole = weights.dtype == np.int64 or bool(np.all(weights == np.floor(weights)))
    most_total = _ROOM * grid_total
    if (are_whole and total < MAX_TOTAL_COUNT) or (weights.dtype == np.int64 and total < most_total):
        return weights.astype(np.int64, copy=False), Fraction(1)
    values, places = np.unique(weights.astype(np.float64, copy=False), return_inverse=True)
    repeats = np.bincount(places.ravel())
    numbers, unit = _multiples(values, repeats, are_whole, grid_total) or _rounded(values, repeats, grid_total)
    on_it = numbers[places.ravel()]
    return None if np.all(on_it == 1) and unit == 1 else on_it, unit


def weights_of(numbers: FloatArray, unit: Fraction) -> FloatArray:
    """Return the weights that sums on a grid stand for: the doubles nearest to the sums times the unit.

    Parameters
    ----------
    numbers : ndarray, float64
        Whole numbers below 2**53.
    unit : Fraction
        The unit of the grid.
    """
    if unit == 1:
        return numbers
    top, bottom = unit.numerator, unit.denominator
    if top.bit_length() <= 53 and bottom.bit_length() <= 53 and float(numbers.max(initial=0.0)) * top < _MOST_EXACT:
        return numbers * float(top) / float(bottom)
    sums, places = np.unique(numbers, return_inverse=True)
    found = np.array([_nearest(int(number) * top, bottom) for number in sums.tolist()], dtype=np.float64)
    return found[places.ravel()].reshape(numbers.shape)


def quotient_of(unit: Fraction) -> tuple[float, float]:
    """Return a unit as a quotient of two doubles."""
    if unit.numerator.bit_length() <= 53 and unit.denominator.bit_length() <= 53:
        return float(unit.numerator), float(unit.denominator)
    return float(unit), 1.0


def multiples(numbers: FloatArray) -> IntArray | None:
    """Return numbers, of which one is positive, as whole multiples of one of them or of another number; None if they
    are none."""
    values, places = np.unique(numbers, return_inverse=True)
    found = _multiples(values, np.ones(len(values), dtype=np.int64), False)
    return None if found is None else found[0][places.ravel()].reshape(numbers.shape)


def rows_on_grid(counts: FloatArray) -> tuple[IntArray, FloatArray]:
    """Put sums of weights on grids: on one grid if all of them are multiples of one number, otherwise every row on its
    own.

    Parameters
    ----------
    counts : ndarray of shape (n_rows, ...), float64
        Finite numbers, not negative.

    Returns
    -------
    numbers : ndarray of the same shape, int64
    units : ndarray of shape (n_rows,), float64
        The units of the rows.
    """
    flat = counts.reshape(len(counts), -1)
    values, places = np.unique(flat, return_inverse=True)
    found = _multiples(values, np.ones(len(values), dtype=np.int64), False) if values[-1] > 0.0 else None
    if found is not None:
        numbers = found[0][places.ravel()].reshape(flat.shape)
        if numbers.sum(axis=1, dtype=np.float64).max() <= 2 * GRID_TOTAL:
            return numbers.reshape(counts.shape), np.full(len(counts), float(found[1]))
    greatest = flat.max(axis=1, initial=0.0)
    shares = flat / np.where(greatest > 0.0, greatest, 1.0)[:, np.newaxis]
    exponents = GRID_TOTAL.bit_length() - np.frexp(shares.sum(axis=1))[1]
    numbers = np.rint(np.ldexp(shares, exponents[:, np.newaxis]))
    numbers[(numbers == 0.0) & (flat > 0.0)] = 1.0
    return numbers.astype(np.int64).reshape(counts.shape), np.ldexp(greatest, -exponents)


def _nearest(top: int, bottom: int) -> float:
    """Return the double nearest to a quotient; infinity if it is too great."""
    try:
        return top / bottom
    except OverflowError:
        return math.inf


# ------------------------------------------------------------------------------------------------- exact grids


def _multiples(
    values: FloatArray, repeats: IntArray, are_whole: bool, grid_total: int = GRID_TOTAL
) -> tuple[IntArray, Fraction] | None:
    """Return different weights, ascending, as multiples of one number, and this number; None if there is none, or if
    the sum of the multiples is too great."""
    found = _as_decimals(values) if not are_whole else _as_whole(values)
    if found is not None:
        numbers, unit = found
        divisor = int(np.gcd.reduce(numbers))
        numbers, unit = numbers // max(divisor, 1), unit * max(divisor, 1)
        if _fits(numbers, repeats, grid_total):
            return numbers, unit
    found = _as_fractions(values)
    if found is not None and _fits(found[0], repeats, grid_total):
        return found
    return None


def _fits(numbers: IntArray, repeats: IntArray, grid_total: int) -> bool:
    return math.fsum((numbers.astype(np.float64) * repeats).tolist()) <= 2 * grid_total


def _as_whole(values: FloatArray) -> tuple[IntArray, Fraction] | None:
    """Return whole numbers as multiples of the power of two that all contain; None if the multiples are too great."""
    lowest = values[values > 0.0].min()
    exponent = max(int(np.frexp(lowest)[1]) - 53, 0)
    scaled = np.ldexp(values, -exponent)
    if scaled[-1] >= _MOST_EXACT or np.any(scaled != np.floor(scaled)):
        return None
    return scaled.astype(np.int64), Fraction(2) ** exponent


def _as_decimals(values: FloatArray) -> tuple[IntArray, Fraction] | None:
    """Return weights as multiples of a power of ten, if all are doubles nearest to decimals of at most 15 places."""
    for places in range(1, _MOST_DECIMALS + 1):
        power = 10.0**places
        with np.errstate(over="ignore"):
            numbers = np.rint(values * power)
        if numbers[-1] >= _MOST_EXACT:
            return None
        if np.array_equal(numbers / power, values):
            return numbers.astype(np.int64), Fraction(1, 10**places)
    return None


def _as_fractions(values: FloatArray) -> tuple[IntArray, Fraction] | None:
    """Return weights as multiples of one number to within the rounding of doubles.

    Their quotients by the greatest weight are then fractions of one denominator, which is the least common multiple of
    the denominators of the quotients.
    """
    shares = values / values[-1]
    denominator = 1
    for _ in range(_MOST_DENOMINATORS):
        multiples = shares * float(denominator)
        numbers = np.rint(multiples)
        differ = np.abs(multiples - numbers) > _NEARNESS * multiples
        if not differ.any():
            if np.any((numbers == 0.0) & (values > 0.0)):
                return None
            return numbers.astype(np.int64), _simple(Fraction(float(values[-1])) / denominator)
        of_first = _denominator(float(shares[differ][0]))
        if of_first is None:
            return None
        denominator = math.lcm(denominator, of_first)
        if denominator > GRID_TOTAL:
            return None
    return None


def _denominator(share: float) -> int | None:
    """Return the denominator of the simplest fraction as near to a share as doubles are; None if it is too great."""
    near = Fraction(share).limit_denominator(_MOST_DENOMINATOR)
    return near.denominator if abs(float(near) - share) <= _NEARNESS * share else None


def _simple(unit: Fraction) -> Fraction:
    """Return a fraction of small numbers in place of one that differs from it by less than the rounding of doubles."""
    if not Fraction(1, 2**200) < unit < 2**200:
        return unit
    # A unit below 1 is near to the inverse of a simple fraction.
    near = (max(unit, 1 / unit)).limit_denominator(_MOST_DENOMINATOR)
    near = near if unit >= 1 else 1 / near
    return near if abs(near - unit) <= unit * Fraction(1, 2**52) else unit


# ------------------------------------------------------------------------------------------------- grids that round


def _rounded(values: FloatArray, repeats: IntArray, grid_total: int) -> tuple[IntArray, Fraction]:
    """Scale different weights so that their sum is from `grid_total` to its double, and round them, but no positive one
    to 0.

    The greatest weight becomes a power of two at first: then a common factor of the weights changes nothing but
    roundings of the last bit.
    """
    shares = values / values[-1]
    exponent = grid_total.bit_length() - int(np.frexp(math.fsum((shares * repeats).tolist()))[1])
    numbers = np.rint(np.ldexp(shares, exponent))
    numbers[(numbers == 0.0) & (values > 0.0)] = 1.0
    return numbers.astype(np.int64), Fraction(float(values[-1])) / Fraction(2) ** exponent


def measured_on_grid(measure: Callable[[IntArray], AnyArray], counts: FloatArray, power: int) -> FloatArray:
    """Measure the class counts of nodes or cuts: as they are if they are whole and their sum is small, else on a grid.
    The measure has this power of the unit of the counts."""
    found = np.empty(len(counts))
    axes = tuple(range(1, counts.ndim))
    with np.errstate(over="ignore"):
        is_whole = (counts == np.floor(counts)).all(axis=axes) & (counts.sum(axis=axes) < MAX_TOTAL_COUNT)
    if is_whole.any():
        found[is_whole] = measure(counts[is_whole].astype(np.int64))
    if not is_whole.all():
        numbers, units = rows_on_grid(counts[~is_whole])
        with np.errstate(over="ignore"):
            found[~is_whole] = measure(numbers)
            for _ in range(power):
                found[~is_whole] *= units
    return found


def as_compared(value: FloatArray) -> tuple[IntArray, Fraction]:
    """Return the class counts of a tree's nodes as whole numbers on a grid, and the unit of the grid."""
    # Nodes of a tree that a user has made may have more samples than the root.
    with np.errstate(over="ignore"):
        is_whole = value.sum(axis=1).max() < MAX_TOTAL_COUNT and np.array_equal(value, np.floor(value))
    if is_whole:
        return value.astype(np.int64), Fraction(1)
    numbers, unit = on_grid(value.ravel())
    return np.ones(value.shape, dtype=np.int64) if numbers is None else numbers.reshape(value.shape), unit


def limits_of_kernel(limits: dict[str, float], reported: Callable[[Any], Any]) -> dict[str, float]:
    """Return `min_gain` and `min_impurity_decrease` in a kernel's unit of gains.

    A kernel's gain reaches the limit if the gain that the tree reports does: conversions round, so the limit is the
    least double that is converted to the given limit or more. A decrease of impurity is the share of a gain, and may be
    too small by 2**-50 of itself, unless the conversion is exact.

    Parameters
    ----------
    limits : dict of str to float
        Limits of growth, as users give them.
    reported : callable
        Converts gains of the kernel to those that the tree reports: ascending, and 0 to 0.

    Returns
    -------
    dict of str to float
        The two limits.
    """
    found = {name: limits[name] for name in ("min_gain", "min_impurity_decrease")}
    if math.frexp(float(reported(1.0)))[0] != 0.5:
        found["min_impurity_decrease"] *= 1.0 - 2.0**-50
    # The bits of positive doubles are whole numbers in the same order.
    bits = range(int(np.float64(np.inf).view(np.int64)))
    for name, limit in found.items():
        if limit > 0.0:
            least = bisect_left(bits, limit, key=lambda k: reported(float(np.int64(k).view(np.float64))))
            found[name] = float(np.int64(least).view(np.float64))
    return found
