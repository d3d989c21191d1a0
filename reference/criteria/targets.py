"""Means of targets on a grid of whole numbers: number k stands for (centre + k) / (divisor 2**exponent)."""

from fractions import Fraction


def means_of_targets(weight, target_sum, centre, divisor, exponent):
    """Return the mean target of every node, from the weight of its samples and the sum of their numbers, which is given
    as its multiples of 2**62 and the rest."""
    if min(weight, default=1) < 1 or divisor < 1 or list(map(len, target_sum)) != [2] * len(weight):
        raise ValueError("A mean has a positive weight, and the unit of the grid a positive divisor.")
    unit = Fraction(divisor) * Fraction(2) ** exponent
    return [
        float((centre + Fraction(high * 2**62 + low, of_node)) / unit)
        for of_node, (high, low) in zip(weight, target_sum, strict=True)
    ]
