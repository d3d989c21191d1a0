"""What the command lines of the studies have in common."""

import argparse
from pathlib import Path


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


def add_common_options(parser):
    """The options of every study that works on random splits of tables."""
    parser.add_argument("--splits", type=positive, default=20, help="random splits of every data set (default: 20)")
    parser.add_argument("--jobs", type=not_zero, default=-1, help="splits worked on at once (default: one a core)")
    parser.add_argument("--data-home", type=Path, help="folder of the tables (default: $PYTREES_DATA)")
    parser.add_argument(
        "--output", type=Path, default=Path("results"), help="folder of tables and pictures (default: ./results)"
    )
