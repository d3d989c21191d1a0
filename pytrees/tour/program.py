"""Options and runs that the command lines of the tour and of the studies share."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def positive(text: str) -> int:
    """Parse a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def not_zero(text: str) -> int:
    """Parse a number of jobs."""
    number = int(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 jobs would do nothing; -1 means one job for each core")
    return number


def add_common_options(parser: argparse.ArgumentParser, repeated: str = "splits", default: int = 20) -> None:
    """Add the options of every program with random repetitions: the name of these, and their default number."""
    parser.add_argument(
        f"--{repeated}", type=positive, default=default, help=f"random {repeated} of everything (default: {default})"
    )
    parser.add_argument("--jobs", type=not_zero, default=-1, help=f"{repeated} worked on at once (default: one a core)")
    parser.add_argument("--data-home", type=Path, help="folder of the tables (default: $PYTREES_DATA, or studies/data)")
    parser.add_argument(
        "--output", type=Path, default=Path("results"), help="folder of tables and pictures (default: ./results)"
    )


def run_program(
    load_tables: Callable[[argparse.Namespace], Any],
    run: Callable[[Any, argparse.Namespace], int],
    options: argparse.Namespace,
) -> int:
    """Load the tables, run the program on them, and print how long it took.

    `load_tables` takes the options and returns the data sets; its OSError names missing data sets. The exit code is the
    result of `run`: 0, or 1 if a figure differs from the paper's and must not; 2 if data are missing or results cannot
    be written; 130 after an interrupt.
    """
    started = time.perf_counter()
    try:
        tables = load_tables(options)
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        code = run(tables, options)
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
    print(f"\n{time.perf_counter() - started:.0f} seconds in all.")
    return code
