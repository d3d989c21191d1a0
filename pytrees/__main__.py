"""``python -m pytrees``: the tour, on data that scikit-learn ships."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._version import __version__
from .tour import overview, permutation
from .tour.program import add_common_options, run_program

if TYPE_CHECKING:
    from sklearn.utils import Bunch


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tour with the arguments of the command line, and return the exit code of `run_program`."""
    parser = argparse.ArgumentParser(
        prog="python -m pytrees",
        description="A tour of the library in a minute, then the toy example of the permutation paper with figures, "
        "and permutation trees and forests against CART and random forests on Iris, Breast Cancer and Wine.",
        epilog="The data sets are those that scikit-learn ships. The papers' studies are run from a clone of pytrees: "
        "'python -m studies --help' lists them.",
    )
    parser.add_argument("--version", action="version", version=f"pytrees {__version__}")
    add_common_options(parser)
    return run_program(permutation.load_shipped_tables, run, parser.parse_args(arguments))


def run(tables: dict[str, Bunch], options: argparse.Namespace) -> int:
    """Show what the library does, and recompute the figures of the permutation paper."""
    overview.run_overview()
    print("\nThe paper on permutation decision trees, recomputed\n")
    return permutation.run(tables, options)


if __name__ == "__main__":
    sys.exit(main())
