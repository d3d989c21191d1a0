"""Rows of several groups, each of which is a label sequence of its own."""

from itertools import pairwise


def check_groups(groups, rows, n_rows):
    """Raise ValueError unless every row has a group, and the rows in use stand group by group, in ascending order.

    The definition does not need the order; the compiled engine does.
    """
    if len(groups) != n_rows:
        raise ValueError(f"There are {len(groups)} groups for {n_rows} rows.")
    if any(groups[row] > groups[following] for row, following in pairwise(rows)):
        raise ValueError("The rows of a group must stand together, the groups in ascending order.")
