"""Scores of a label: samples that are right (accuracy), or minus the sum of the absolute errors (mae)."""

from .counts import add_up


def hits(counts, total, node):
    """For every class the rows that are predicted right where all are predicted to be of the class."""
    return counts


def minus_absolute_errors(counts, total, node):
    """The same for minus the sum of the absolute errors: from one class to the next the error of the rows up to the
    first grows by one, that of the others falls by one."""
    total, below, scores = add_up(counts), 0, []
    error = add_up(label * count for label, count in enumerate(counts))
    for count in counts:
        scores.append(-error)
        below += count
        error += below - (total - below)
    return scores
