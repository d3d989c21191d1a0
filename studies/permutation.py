"""Tables 4 and 5 of the permutation paper on all of its six data sets.

The protocol is that of the tour, :mod:`pytrees.tour.permutation`.
"""

from pytrees.datasets import get_data_home, load_table
from pytrees.tour.permutation import PAPER, SHIPPED, run
from pytrees.tour.program import add_common_options as add_options

__all__ = ["SUMMARY", "add_options", "load_tables", "run"]

SUMMARY = "permutation trees and forests on all six sets of their paper, after the toy example"


def load_tables(options):
    """Return all six data sets by name.

    Raises
    ------
    FileNotFoundError
        If no folder is named; it says which of the data sets want one.
    """
    home = get_data_home(options.data_home)
    if home is None:
        files = ", ".join(row.title for name, row in PAPER.items() if name not in SHIPPED)
        raise FileNotFoundError(f"{files} are files: name their folder by PYTREES_DATA or --data-home.")
    return {name: load_table(name, home) for name in PAPER}
