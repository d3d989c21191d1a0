"""Data sets of the papers: tables in a folder that ``PYTREES_DATA`` names, and sets that need no file."""

from ._generators import (
    load_toy_ordinal,
    load_toy_permutations,
    make_balance_scale,
    make_from_random_tree,
    make_gaussian_blobs,
    make_monks,
)
from ._ordinal import equal_frequency_classes, load_ordinal, ordinal_names
from ._tables import get_data_home, load, load_shipped, load_table, names

__all__ = [
    "equal_frequency_classes",
    "get_data_home",
    "load",
    "load_ordinal",
    "load_shipped",
    "load_table",
    "load_toy_ordinal",
    "load_toy_permutations",
    "make_balance_scale",
    "make_from_random_tree",
    "make_gaussian_blobs",
    "make_monks",
    "names",
    "ordinal_names",
]
