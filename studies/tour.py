"""The tour: the toy example of the permutation paper, and its protocol on the data sets that scikit-learn ships."""

from pytrees.datasets import get_data_home, load_shipped

from .permutation import SHIPPED, add_options, run

__all__ = ["SUMMARY", "add_options", "load_tables", "run"]

SUMMARY = "the toy example, and permutation trees and forests on the sets that scikit-learn ships (default)"


def load_tables(options):
    """The data sets by name; no folder is needed, but one that is named must be there."""
    get_data_home(options.data_home)
    return {name: load_shipped(name) for name in SHIPPED}
