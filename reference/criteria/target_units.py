"""Sums of targets as a user's criterion sees them: floating-point numbers in the units of weights and targets."""

from fractions import Fraction
from math import inf


def sums_seen(weight, total, squares, grid, unit):
    """Return what a user's criterion sees of samples: their weight, the sum of their targets, and the sum of
    the squares about the mean, each the double nearest to the exact number.

    The weight, the weighted sum and the weighted sum of squares are integers on the grid, which is a tuple of centre,
    divisor and exponent: number k stands for the target (centre + k) / (divisor 2**exponent). `unit` is the unit of the
    weights.
    """
    centre, divisor, exponent = grid
    unit, step = Fraction(unit), 1 / (Fraction(divisor) * Fraction(2) ** exponent)
    if unit <= 0 or step <= 0:
        raise ValueError("The units of weights and of targets must be positive.")
    return [
        nearest(unit * weight),
        nearest(unit * step * (centre * weight + total)),
        nearest(unit * step**2 * (squares - Fraction(total**2, weight))),
    ]


def nearest(number):
    """Return the nearest double; infinity, of the same sign, if the number is too great."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
