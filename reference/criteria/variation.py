"""Variation of information, H(T | Y) + H(Y | T) = 2 H(T, Y) - H(T) - H(Y), in bits.

M. Meila, "Comparing clusterings - an information based distance", Journal of Multivariate Analysis 98, 2007.
"""

from .logarithms import BitRatio, bits
from .ratios import entropies


def variation_gain(node, children, totals):
    """Return the decrease of the distance to the classes Y by a split T: 2 Gain(Y, T) - H(T), with Gain(Y, T) = H(Y) +
    H(T) - H(T, Y). The undivided node has the distance H(Y)."""
    of_classes, of_split, joint = entropies(node, children, totals)
    gain = 2 * (of_classes + of_split - joint) - of_split
    return BitRatio(gain, bits(totals[0]))
