"""Data sets of the papers: tables in a folder, which a clone has, and sets that need no file."""

from ._discrete import discrete_names, load_discrete
from ._generators import (
    load_toy_ordinal,
    load_toy_permutations,
    make_balance_scale,
    make_from_random_tree,
    make_gaussian_blobs,
    make_monks,
    make_stock_moves,
)
from ._ordinal import equal_frequency_classes, load_ordinal, ordinal_names
from ._tables import get_data_home, load, load_shipped, load_table, names

__all__ = [
    "discrete_names",
    "equal_frequency_classes",
    "get_data_home",
    "load",
    "load_discrete",
    "load_ordinal",
    "load_shipped",
    "load_table",
    "load_toy_ordinal",
    "load_toy_permutations",
    "make_balance_scale",
    "make_from_random_tree",
    "make_gaussian_blobs",
    "make_monks",
    "make_stock_moves",
    "names",
    "ordinal_names",
]
