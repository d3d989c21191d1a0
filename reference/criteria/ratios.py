"""Gain ratio and normalised variation of information, of F. Späh and S. Kosub, "Global Evaluation for Decision Tree
Learning", Section 1.1.
"""

from functools import partial

from .counts import quotient
from .entropy import weighted_entropy
from .logarithms import ZERO, BitRatio, entropy_bits

RATIOS = ("gain_ratio", "nvi")


def ratio_gain(name, node, children, totals):
    """Return Gain(Y, T) / H(T), or Gain(Y, T) / H(T, Y), one minus the distance: T is the split, Y the classes, and
    Gain(Y, T) = H(Y) + H(T) - H(T, Y)."""
    total, *sizes = totals
    is_exact = not isinstance(total, float)
    entropy = entropy_bits if is_exact else partial(weighted_entropy, total=total)
    of_split, joint = entropy(sizes), entropy([count for counts in children for count in counts])
    gain, divisor = entropy(node) + of_split - joint, of_split if name == "gain_ratio" else joint
    if is_exact:
        return ZERO if divisor.is_zero() else BitRatio(gain, divisor)
    return quotient(gain, divisor)
