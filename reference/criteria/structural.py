"""The gain of a split by the structural impurity of label sequences, as in N. Harikrishnan and N. Nagaraj, "Permutation
Decision Trees", Eq. 1, by whatever measure of irregularity."""

from fractions import Fraction

from .etc import etc
from .lz76 import lz76

IMPURITIES = {"etc": etc, "lz76": lz76}


def structural_gain(criterion, labels, values, n_classes):
    """Return the gain (Eq. 1): C(S) - sum over the values v of |S_v| / |S| C(S_v), S_v being the subsequence of the
    rows with value v. The values of a cut are True for rows that go left and False for the others."""
    impurity = IMPURITIES[criterion]
    gain = impurity(labels, n_classes)
    for child_value in sorted(set(values)):
        child = [label for label, value in zip(labels, values, strict=True) if value == child_value]
        gain -= Fraction(len(child), len(labels)) * impurity(child, n_classes)
    return gain
