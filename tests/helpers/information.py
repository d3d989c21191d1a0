"""Gains of entropies as real numbers, by powers of whole numbers: an oracle that takes no logarithm where it can."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import prod


@cache
def logarithm(whole):
    """The natural logarithm to 150 digits."""
    with localcontext(prec=150):
        return Decimal(whole).ln()


def power(counts):
    """2 to the power of the entropy of the counts, times their sum: a fraction of products of n**n."""
    return Fraction(sum(counts) ** sum(counts), prod(count**count for count in counts))


def comparable_gain(criterion, children):
    """Return a number that grows with the gain of a split into children of these class counts, and is 0 if nothing
    is gained: less 1, 2 to the power of the gain, of vi less than 0 where that is; of ratios the ratio with a hundred
    digits."""
    node = [sum(column) for column in zip(*children, strict=True)]
    sizes, joint = [sum(counts) for counts in children], [count for counts in children for count in counts]
    gained = power(node) * power(sizes) / power(joint)
    if criterion == "entropy":
        return gained - 1
    if criterion == "vi":
        return gained**2 / power(sizes) - 1
    if gained == 1:
        return Decimal(0)
    with localcontext(prec=150):
        divisor = {
            "gain_ratio": lambda: power(sizes),
            "nvi": lambda: power(joint),
            "nvi_sum": lambda: power(sizes) * power(node),
            "nvi_max": lambda: max(power(sizes), power(node)),
        }[criterion]()
        logs = [logarithm(x.numerator) - logarithm(x.denominator) for x in (gained, divisor)]
        # Products of logarithms that differ do so before the hundredth digit.
        return (logs[0] / logs[1]).quantize(Decimal(10) ** -100)
