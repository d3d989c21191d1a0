"""Gain ratio and normalised variations of information.

The first two are from F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 1.1. The others are
from N. X. Vinh, J. Epps and J. Bailey, "Information theoretic measures for clusterings comparison", Journal of Machine
Learning Research 11, 2010, Table 2, which calls one minus them NMI_sum and NMI_max.
"""

from .logarithms import ZERO, BitRatio, entropy_bits, greater_of

RATIOS = ("gain_ratio", "nvi", "nvi_sum", "nvi_max")


def ratio_gain(name, node, children, totals):
    """Return Gain(Y, T) / H(T), or one minus the distance: Gain(Y, T) / H(T, Y), 2 Gain(Y, T) / (H(T) + H(Y)) or
    Gain(Y, T) / max(H(T), H(Y)). T is the split, Y the classes, and Gain(Y, T) = H(Y) + H(T) - H(T, Y)."""
    of_classes, of_split, joint = entropies(node, children, totals)
    gain = of_classes + of_split - joint
    if name == "nvi_sum":
        gain = 2 * gain
    divisor = divisor_of_gain(name, of_classes, of_split, joint)
    return ZERO if divisor.is_zero() else BitRatio(gain, divisor)


def divisor_of_gain(name, of_classes, of_split, joint):
    """Return the divisor of a ratio; ``nvi_sum`` divides twice the gain by the sum of both entropies."""
    if name == "nvi_sum":
        return of_split + of_classes
    if name == "nvi_max":
        return greater_of(of_split, of_classes)
    return of_split if name == "gain_ratio" else joint


def entropies(node, children, totals):
    """Return H(Y), H(T) and H(T, Y) of a split, times the samples: sums of n log2 n."""
    _, *sizes = totals
    return entropy_bits(node), entropy_bits(sizes), entropy_bits([count for counts in children for count in counts])
