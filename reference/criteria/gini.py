"""Gini impurity."""

from fractions import Fraction


def gini(counts):
    """Return the Gini impurity: 1 - sum of p_k**2."""
    total = sum(counts)
    return 1 - Fraction(sum(count**2 for count in counts), total**2)


def weighted_gini(weights, total):
    if total <= 0.0:
        return 0.0
    impurity = 1.0
    for weight in weights:
        if weight > 0.0:
            impurity -= weight / total * (weight / total)
    return impurity
