"""The gain of a split by the structural impurity of label sequences (N. Harikrishnan and N. Nagaraj, "Permutation
Decision Trees", Eq. 1), for any measure of irregularity."""

from fractions import Fraction

from .counts import given_of, name_of
from .etc import etc
from .lz76 import lz76

IMPURITIES = {"etc": etc, "lz76": lz76}


def structural_gain(criterion, labels, values, n_classes, rows=None):
    """Return the gain (Eq. 1): C(S) - sum over the values v of |S_v| / |S| C(S_v). S_v is the subsequence of the rows
    with value v. The values of a cut are True for rows that go left and False for the others.

    If rows have groups, every group is a sequence, and the gain is the mean of the groups' gains, weighted by their
    numbers of rows.
    """
    groups = given_of(criterion).get("groups")
    if groups is None:
        return gain_of_sequence(IMPURITIES[name_of(criterion)], labels, values, n_classes)
    gain = Fraction(0)
    for group in sorted({groups[row] for row in rows}):
        positions = [position for position, row in enumerate(rows) if groups[row] == group]
        columns = [[column[position] for position in positions] for column in (labels, values)]
        gain += Fraction(len(positions), len(rows)) * gain_of_sequence(
            IMPURITIES[name_of(criterion)], *columns, n_classes
        )
    return gain


def gain_of_sequence(impurity, labels, values, n_classes):
    """Return the gain of one sequence."""
    gain = impurity(labels, n_classes)
    for child_value in sorted(set(values)):
        child = [label for label, value in zip(labels, values, strict=True) if value == child_value]
        gain -= Fraction(len(child), len(labels)) * impurity(child, n_classes)
    return gain
