"""Gain ratio and normalised variations of information.

The first two are from F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 1.1. The others are
from N. X. Vinh, J. Epps and J. Bailey, "Information theoretic measures for clusterings comparison", Journal of Machine
Learning Research 11, 2010, Table 2, which calls one minus them NMI_sum and NMI_max.
"""

from functools import partial

from .counts import quotient
from .entropy import weighted_entropy
from .logarithms import ZERO, BitRatio, entropy_bits, greater_of

RATIOS = ("gain_ratio", "nvi", "nvi_sum", "nvi_max")


def ratio_gain(name, node, children, totals):
    """Return Gain(Y, T) / H(T), or one minus the distance: Gain(Y, T) / H(T, Y), 2 Gain(Y, T) / (H(T) + H(Y)) or
    Gain(Y, T) / max(H(T), H(Y)). T is the split, Y the classes, and Gain(Y, T) = H(Y) + H(T) - H(T, Y)."""
    is_exact = not isinstance(totals[0], float)
    of_classes, of_split, joint = entropies(node, children, totals)
    gain = of_classes + of_split - joint
    if name == "nvi_sum":
        gain = 2 * gain
    divisor = divisor_of_gain(name, of_classes, of_split, joint)
    if is_exact:
        return ZERO if divisor.is_zero() else BitRatio(gain, divisor)
    return quotient(gain, divisor)


def divisor_of_gain(name, of_classes, of_split, joint):
    """Return the divisor of a ratio; ``nvi_sum`` divides twice the gain by the sum of both entropies."""
    if name == "nvi_sum":
        return of_split + of_classes
    if name == "nvi_max":
        return max(of_split, of_classes) if isinstance(of_split, float) else greater_of(of_split, of_classes)
    return of_split if name == "gain_ratio" else joint


def entropies(node, children, totals):
    """Return H(Y), H(T) and H(T, Y) of a split. Whole weights give sums of n log2 n, the entropies times the samples;
    other weights give the entropies themselves, in floating point."""
    total, *sizes = totals
    entropy = partial(weighted_entropy, total=total) if isinstance(total, float) else entropy_bits
    return entropy(node), entropy(sizes), entropy([count for counts in children for count in counts])
