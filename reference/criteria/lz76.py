"""Lempel-Ziv complexity of the label sequence. Harikrishnan and Nagaraj name this measure of irregularity beside
Effort-To-Compress, which their permutation decision trees use."""

from fractions import Fraction

from ..sequence.history import lempel_ziv_complexity


def lz76(labels, n_classes):
    """Return the structural impurity: the number of components of the label sequence's exhaustive history."""
    return Fraction(lempel_ziv_complexity(labels, n_classes))
