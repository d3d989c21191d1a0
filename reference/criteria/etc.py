"""Effort-To-Compress of the label sequence, as in N. Harikrishnan and N. Nagaraj's permutation decision trees."""

from fractions import Fraction

from ..sequence.substitution import effort_to_compress


def etc(labels, n_classes):
    """Return the structural impurity: the Effort-To-Compress of the label sequence."""
    return Fraction(effort_to_compress(labels, n_classes))
