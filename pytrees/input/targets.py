"""Targets of regression on a grid of whole numbers, so that sums are exact and the same in any order."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, ldexp

import numpy as np

from .._engine import kernel
from .._typing import AnyArray, BoolArray, CodeArray, FloatArray, IntArray

# The weight of all samples times the greatest target is at most this number, so that sums fit 64 bits. If weights are
# so great that targets would get few digits, the greatest target is this one, and sums take 128 bits.
MOST_SUM = 2**60
MOST_TARGET = 2**35

# Powers of ten that are exact, by the number of decimals.
_POWERS = [10.0**decimals for decimals in range(16)]
_MOST_EXACT = 2.0**53

# Numbers that are tried first: a target with many digits is among any few.
_TRIED_FIRST = 16


@dataclass(frozen=True)
class Grid:
    """Where the whole numbers of a grid lie: number k is (centre + k) / (divisor 2**exponent).

    Targets with at most 15 decimals lie on a grid of decimals, whose divisor is a power of ten and whose exponent is 0.
    Other targets, and multiples of a power of two, lie on a binary grid, whose divisor is 1. A grid that is not exact
    has other digits than some targets: cuts are compared on the grid, but values of nodes come from the targets.
    """

    centre: int
    divisor: int
    exponent: int
    is_exact: bool = True

    def means(self, weight: IntArray, target_sum: IntArray) -> FloatArray:
        """Return the mean target of every node, the double nearest to the mean of its samples on the grid.

        Parameters
        ----------
        weight : ndarray of shape (n_nodes,), int64
            The weight of the samples of every node.
        target_sum : ndarray of shape (n_nodes, 2), int64
            The weighted sum of their numbers on the grid, in parts: see `whole_numbers`.

        Returns
        -------
        ndarray of shape (n_nodes,), float64
        """
        found = kernel("means_of_targets")(weight, target_sum, self.centre, self.divisor, self.exponent)
        return np.asarray(found, dtype=np.float64)

    def distances(self, numbers: FloatArray, power: int) -> FloatArray:
        """Convert distances on the grid (power 1), or their squares (power 2), to distances between targets."""
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(numbers / float(self.divisor**power), -power * self.exponent)


@dataclass(frozen=True, eq=False)
class Targets:
    """The different targets of samples, on a grid.

    Attributes
    ----------
    numbers : ndarray of shape (n_different,), int64
        The numbers on the grid, ascending: the number of code k is numbers[k].
    grid : Grid
    """

    numbers: IntArray
    grid: Grid

    def __len__(self) -> int:
        return len(self.numbers)


def whole_numbers(parts: IntArray) -> AnyArray:
    """Return numbers that the kernels give in parts, (n_numbers, 2), as their multiples of 2**62 and the rest: int64,
    or integers of Python as objects if they are greater."""
    high, low = parts[:, 0], parts[:, 1]
    if not np.all((high == 0) | (high == -1)):
        high = high.astype(object)
    return (high << 62) + low


def on_grid(y: FloatArray, total_weight: int) -> tuple[CodeArray, Targets]:
    """Put targets on a grid.

    The grid has as many digits as its sums leave room for. It is exact if every target is a decimal number of at most
    15 decimals, or if its binary digits fit. Otherwise targets are rounded to the grid, half to even.

    Parameters
    ----------
    y : ndarray of shape (n_samples,), float64
        Finite targets.
    total_weight : int
        The weight of all samples that a tree can have.

    Returns
    -------
    codes : ndarray of shape (n_samples,), int32
        The rank of every target among the different numbers on the grid.
    targets : Targets
        These numbers, and the grid.
    """
    order = y.argsort()
    ascending = y[order]
    rises = _rises(ascending)
    values = ascending[rises]
    last_digit = _last_digit(values)
    given = values, last_digit, total_weight
    numbers, grid = _decimal_numbers(*given) or _binary_numbers(*given)
    differ = _rises(numbers)
    rises[rises] = differ  # several targets can be rounded to one number
    codes = np.empty(len(y), dtype=np.int32)
    codes[order] = np.add.accumulate(rises, dtype=np.int32) - 1
    return codes, Targets(numbers[differ], grid)


def _rises(ascending: AnyArray) -> BoolArray:
    """Whether each of ascending numbers is greater than the one before it; the first is."""
    rises = np.empty(len(ascending), dtype=bool)
    rises[0] = True
    np.greater(ascending[1:], ascending[:-1], out=rises[1:])
    return rises


def _decimal_numbers(values: FloatArray, last_digit: int, total_weight: int) -> tuple[IntArray, Grid] | None:
    """Return the numbers of decimal targets and their grid; None if they are no decimals, or too far apart, or if a
    binary grid holds the same numbers."""
    if last_digit <= 0:  # whole numbers
        return None
    greatest = max(-float(values[0]), float(values[-1]))
    n_exact = sum(greatest * power < _MOST_EXACT for power in _POWERS)
    # From `last_digit` decimals on a binary grid does, as for multiples of 0.25: a change of the unit by 2**k is exact.
    powers = np.array(_POWERS[: min(n_exact, last_digit)])
    for decimals in _are_decimals(values[:_TRIED_FIRST], powers[:, np.newaxis]).nonzero()[0].tolist():
        if _are_decimals(values, powers[decimals]):
            numbers = np.rint(values * powers[decimals]).astype(np.int64)
            low, high = int(numbers[0]), int(numbers[-1])
            centre = (low + high) // 2
            if (high - centre) * total_weight > MOST_SUM:
                return None
            return numbers - centre, Grid(centre, 10**decimals, 0)
    return None


def _are_decimals(values: FloatArray, power: FloatArray) -> BoolArray:
    """Whether every value is the double nearest to a whole number over a power of ten, for each of the powers; products
    of both are below 2**53."""
    return (np.rint(values * power) / power == values).all(axis=-1)


def _binary_numbers(values: FloatArray, last_digit: int, total_weight: int) -> tuple[IntArray, Grid]:
    # Both ends as whole multiples of one unit, 1 / parts, a power of two.
    (low, of_low), (high, of_high) = values[0].as_integer_ratio(), values[-1].as_integer_ratio()
    parts = max(of_low, of_high)
    low, high = low * (parts // of_low), high * (parts // of_high)
    # The centre is a target, or the double nearest to the middle; on the grid it is a whole number.
    middle = (low + high) / (2 * parts)
    exponent = last_digit if low == high else min(last_digit, _finest(high - low, 2 * parts, total_weight))
    centre = round(ldexp(middle, exponent))
    # All numbers fit: half the range is at most 2**60, and targets that are all farther from 0 have at most 53 digits.
    numbers = np.rint(np.ldexp(values, exponent)).astype(np.int64) - centre
    return numbers, Grid(centre, 1, exponent, exponent >= last_digit)


def _last_digit(values: FloatArray) -> int:
    """Return the least exponent for which all values times 2**exponent are whole numbers."""
    mantissas, exponents = np.frexp(values[values != 0.0])
    if mantissas.size == 0:
        return 0
    digits = (mantissas * 2.0**53).astype(np.int64)
    units = np.ldexp((digits & -digits).astype(np.float64), exponents - 53)
    return 1 - frexp(units.min())[1]


def _finest(half_range: int, parts: int, total_weight: int) -> int:
    """Return the greatest exponent for which the weight times the greatest number on the grid keeps its limit; half the
    range of the targets is half_range / parts."""
    # Rounding takes the targets and the centre half a unit away from each other at most.
    most = (MOST_SUM // total_weight - 1) * parts
    exponent = most.bit_length() - half_range.bit_length()
    return exponent - (half_range << max(exponent, 0) > most << max(-exponent, 0))
