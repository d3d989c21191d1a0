"""``python -m pytrees``: the tour on real data; ``python -m pytrees permutation``: the paper's six sets."""

import argparse
import sys
import time
from pathlib import Path

from .datasets import get_data_home
from .study.permutation import PAPER, SHIPPED, run_permutation
from .study.toy import run_toy


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def build_parser():
    parser = argparse.ArgumentParser(prog="python -m pytrees", description=__doc__.replace("``", "'"))
    parser.add_argument(
        "study",
        nargs="?",
        choices=["tour", "permutation"],
        default="tour",
        help="tour: the toy example and the sets that scikit-learn ships (default); permutation: all six sets of the "
        "paper, with PYTREES_DATA or --data-home",
    )
    parser.add_argument("--splits", type=positive, default=20, help="random splits of every data set (default: 20)")
    parser.add_argument("--jobs", type=int, default=-1, help="splits worked on at once (default: one a core)")
    parser.add_argument("--data-home", type=Path, help="folder of the tables (default: $PYTREES_DATA)")
    parser.add_argument(
        "--output", type=Path, default=Path("results"), help="folder of tables and pictures (default: ./results)"
    )
    return parser


def main(arguments=None):
    """Run a study; 0 where every figure that must be exact is."""
    options = build_parser().parse_args(arguments)
    started = time.perf_counter()
    names = list(PAPER) if options.study == "permutation" else list(SHIPPED)
    try:
        home = get_data_home(options.data_home)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    if options.study == "permutation" and home is None:
        missing = ", ".join(PAPER[name].title for name in PAPER if name not in SHIPPED)
        print(f"{missing} are files: name their folder by PYTREES_DATA or --data-home.", file=sys.stderr)
        return 2
    agrees = run_toy(options.output)
    print(f"\n{len(names)} data sets, {options.splits} random splits each\n")
    run_permutation(names, options.splits, options.output, data_home=home, n_jobs=options.jobs)
    print(f"\n{time.perf_counter() - started:.0f} seconds in all.")
    if not agrees:
        print("The toy example does NOT give the paper's figures.", file=sys.stderr)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
