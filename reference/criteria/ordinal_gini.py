"""Ordinal Gini (R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study",
2024).
"""

from fractions import Fraction
from itertools import accumulate


def ogini(counts):
    """Return the ordinal Gini: the sum over classes of F_q (1 - F_q); F_q is the share of the classes up to q (Eq. 4).

    The equation is printed without its squares; gains are the same as for minus the sum of F_q**2.
    """
    total, up_to = sum(counts), accumulate(counts)
    return Fraction(sum(cumulative * (total - cumulative) for cumulative in up_to), total**2)
