"""``python -m pytrees``: the tour on real data; ``python -m pytrees permutation``: the paper's six sets."""

import argparse
import sys
import time
from pathlib import Path

from .datasets import get_data_home, load_shipped, load_table
from .study.permutation import PAPER, SHIPPED, run_permutation
from .study.toy import run_toy


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def not_zero(text):
    number = int(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 jobs would do nothing; -1 means one a core")
    return number


def build_parser():
    parser = argparse.ArgumentParser(prog="python -m pytrees", description=__doc__.replace("``", "'"))
    parser.add_argument(
        "study",
        nargs="?",
        choices=["tour", "permutation"],
        default="tour",
        help="tour: the toy example and the sets that scikit-learn ships (default); permutation: all six sets of the "
        "paper, from the folder that PYTREES_DATA or --data-home names",
    )
    parser.add_argument("--splits", type=positive, default=20, help="random splits of every data set (default: 20)")
    parser.add_argument("--jobs", type=not_zero, default=-1, help="splits worked on at once (default: one a core)")
    parser.add_argument("--data-home", type=Path, help="folder of the tables (default: $PYTREES_DATA)")
    parser.add_argument(
        "--output", type=Path, default=Path("results"), help="folder of tables and pictures (default: ./results)"
    )
    return parser


def load_tables(study, home):
    """The study's data sets by name; a FileNotFoundError says which of them want a folder."""
    if study == "tour":
        return {name: load_shipped(name) for name in SHIPPED}
    if home is None:
        files = ", ".join(row.title for name, row in PAPER.items() if name not in SHIPPED)
        raise FileNotFoundError(f"{files} are files: name their folder by PYTREES_DATA or --data-home.")
    return {name: load_table(name, home) for name in PAPER}


def main(arguments=None):
    """Run a study.

    Returns
    -------
    int
        0, or 1 where a figure that must be the paper's is not, or 2 where there is no data or nowhere to write.
    """
    options = build_parser().parse_args(arguments)
    started = time.perf_counter()
    try:
        tables = load_tables(options.study, get_data_home(options.data_home))
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    agrees = run_toy(options.output)
    print(f"\n{len(tables)} data sets, {options.splits} random splits each\n")
    run_permutation(tables, options.splits, options.output, n_jobs=options.jobs)
    print(f"\n{time.perf_counter() - started:.0f} seconds in all.")
    if not agrees:
        print("The toy example does NOT give the paper's figures.", file=sys.stderr)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
