"""Gain ratio and normalised variation of information, of F. Späh and S. Kosub, "Global Evaluation for Decision Tree
Learning", Section 1.1.
"""

from functools import partial

from .counts import quotient
from .entropy import entropy, weighted_entropy

RATIOS = ("gain_ratio", "nvi")


def ratio_gain(name, node, children, totals):
    """Return Gain(Y, T) / H(T), or Gain(Y, T) / H(T, Y), one minus the distance: T is the split, Y the classes, and
    Gain(Y, T) = H(Y) + H(T) - H(T, Y)."""
    total, *sizes = totals
    impurity = partial(weighted_entropy, total=total) if isinstance(total, float) else entropy
    of_split, joint = impurity(sizes), impurity([count for counts in children for count in counts])
    return quotient(impurity(node) + of_split - joint, of_split if name == "gain_ratio" else joint)
