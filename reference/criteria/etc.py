"""Effort-To-Compress of the label sequence, as in N. Harikrishnan and N. Nagaraj's permutation decision trees."""

from fractions import Fraction

from ..sequence.substitution import effort_to_compress


def etc(labels, n_classes):
    """Return the structural impurity: the Effort-To-Compress of the label sequence."""
    return Fraction(effort_to_compress(labels, n_classes))


def etc_gain(labels, values, n_classes):
    """Return the ETC gain (Eq. 1): ETC(S) - sum over the values v of |S_v| / |S| ETC(S_v), S_v being the subsequence of
    the rows with value v. The values of a cut are True for rows that go left and False for the others."""
    gain = etc(labels, n_classes)
    for child_value in sorted(set(values)):
        child = [label for label, value in zip(labels, values, strict=True) if value == child_value]
        gain -= Fraction(len(child), len(labels)) * etc(child, n_classes)
    return gain
