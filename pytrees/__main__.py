"""``python -m pytrees``: the tour, on data that scikit-learn ships."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ._version import __version__
from .tour import permutation
from .tour.program import add_common_options, run_program


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tour with the arguments of the command line, and return the exit code of `run_program`."""
    parser = argparse.ArgumentParser(
        prog="python -m pytrees",
        description="The toy example of the permutation paper with its figures, and permutation trees and forests "
        "against CART and random forests on Iris, Breast Cancer and Wine.",
        epilog="The data sets are those that scikit-learn ships. The papers' studies are run from a clone of pytrees: "
        "'python -m studies --help' lists them.",
    )
    parser.add_argument("--version", action="version", version=f"pytrees {__version__}")
    add_common_options(parser)
    return run_program(permutation.load_shipped_tables, permutation.run, parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
