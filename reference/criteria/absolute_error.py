"""Absolute error: the distances of the targets to their median, the lower one of two. A class stands for a target."""

from fractions import Fraction


def absolute_error(counts, targets):
    """Return the mean distance between the targets and their median."""
    median = median_target(counts, targets)
    return Fraction(
        sum(count * abs(target - median) for target, count in zip(targets, counts, strict=True)), sum(counts)
    )


def median_target(counts, targets):
    """Return the least target up to which lies half of the samples."""
    n_up_to = 0
    for target, count in zip(targets, counts, strict=True):
        n_up_to += count
        if 2 * n_up_to >= sum(counts):
            return target
    raise ValueError("A node without samples has no median.")
