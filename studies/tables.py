"""Tables that a study takes if they are there."""

import sys


def load_present(load, names):
    """Load tables by name; name on standard error those that are not there.

    Parameters
    ----------
    load : callable
        Returns the table of a name, or raises FileNotFoundError.
    names : iterable of str
        The names, in the order that tables are wanted in.

    Returns
    -------
    dict
        Tables by name.
    """
    tables, absent = {}, []
    for name in names:
        try:
            tables[name] = load(name)
        except FileNotFoundError:
            absent.append(name)
    report_absent(absent)
    return tables


def report_absent(names):
    """Name tables that are not there on standard error."""
    if names:
        print(f"Left out, for want of their tables (tools/fetch_tables.py): {', '.join(names)}.", file=sys.stderr)
