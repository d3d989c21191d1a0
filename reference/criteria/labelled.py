"""Scores of a label: the number of right samples (accuracy), or minus the sum of the absolute errors (mae)."""

from .counts import add_up


def hits(counts, total, node):
    """Return for every class the number of right rows if all rows are predicted to be of this class."""
    return counts


def minus_absolute_errors(counts, total, node):
    """Return for every class minus the sum of the absolute errors if all rows are predicted to be of this class. From
    one class to the next, the error of rows up to the first class grows by one, and the error of other rows falls by
    one."""
    total, below, scores = add_up(counts), 0, []
    error = add_up(label * count for label, count in enumerate(counts))
    for count in counts:
        scores.append(-error)
        below += count
        error += below - (total - below)
    return scores
