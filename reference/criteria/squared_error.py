"""Squared error: the variance of the targets, which are numbers. A class stands for a target."""

from fractions import Fraction


def squared_error(counts, targets):
    """Return the mean of the squared distances between the targets and their mean."""
    total = sum(counts)
    samples = [(target, count) for target, count in zip(targets, counts, strict=True) if count]
    mean = Fraction(sum(target * count for target, count in samples), total)
    return sum(count * (target - mean) ** 2 for target, count in samples) / total
