"""Sums of targets as a user's criterion sees them: floating-point numbers in the units of weights and targets."""

from fractions import Fraction
from math import inf


def sums_seen(weights, totals, squares, grid, unit):
    """Return what a user's criterion sees of groups of samples: weight, sum of targets, sum of squares about the mean.

    The weights, the weighted sums and the weighted sums of squares of the groups are integers on the grid, which is a
    tuple of centre, divisor and exponent: number k stands for the target (centre + k) / (divisor 2**exponent). `unit`
    is the unit of the weights. Each number is the double nearest to the exact one.
    """
    centre, divisor, exponent = grid
    unit, step = Fraction(unit), 1 / (Fraction(divisor) * Fraction(2) ** exponent)
    if unit <= 0 or step <= 0:
        raise ValueError("The units of weights and of targets must be positive.")
    found = []
    for weight, total, of_squares in zip(weights, totals, squares, strict=True):
        if not 1 <= weight < 2**52 or not total**2 <= weight * of_squares or not of_squares < 2**120:
            raise ValueError("Sums belong to samples whose weight is below 2**52, and their squares below 2**120.")
        spread = of_squares - Fraction(total**2, weight)
        found.append(
            [
                nearest(unit * weight),
                nearest(unit * step * (centre * weight + total)),
                nearest(unit * step**2 * spread),
            ]
        )
    return found


def nearest(number):
    """Return the nearest double; infinity, of the same sign, if the number is too great."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
