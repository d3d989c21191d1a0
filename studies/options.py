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


def add_common_options(parser, repeated="splits", default=20):
    """The options of every study that repeats something at random on tables: what, and how often by default."""
    parser.add_argument(
        f"--{repeated}", type=positive, default=default, help=f"random {repeated} of everything (default: {default})"
    )
    parser.add_argument("--jobs", type=not_zero, default=-1, help=f"{repeated} worked on at once (default: one a core)")
    parser.add_argument("--data-home", type=Path, help="folder of the tables (default: $PYTREES_DATA)")
    parser.add_argument(
        "--output", type=Path, default=Path("results"), help="folder of tables and pictures (default: ./results)"
    )
