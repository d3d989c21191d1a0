"""Rows of several groups, each of which is a label sequence of its own."""

from itertools import pairwise


def check_groups(groups, rows, n_rows):
    """Raise ValueError where there is not a group for every row, or the rows that are used do not stand together group
    by group, in ascending order: which the definition does not ask for, but the compiled engine does."""
    if len(groups) != n_rows:
        raise ValueError(f"There are {len(groups)} groups for {n_rows} rows.")
    if any(groups[row] > groups[following] for row, following in pairwise(rows)):
        raise ValueError("The rows of a group must stand together, the groups in ascending order.")
