"""Gini impurity."""

from fractions import Fraction


def gini(counts):
    """Return the Gini impurity: 1 - sum of p_k**2."""
    total = sum(counts)
    return 1 - Fraction(sum(count**2 for count in counts), total**2)
