"""Lempel-Ziv complexity of the label sequence: a measure of irregularity that Harikrishnan and Nagaraj name beside
the one that their permutation decision trees use."""

from fractions import Fraction

from ..sequence.history import lempel_ziv_complexity


def lz76(labels, n_classes):
    """Return the structural impurity: the number of components of the label sequence's exhaustive history."""
    return Fraction(lempel_ziv_complexity(labels, n_classes))
