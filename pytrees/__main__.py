"""``python -m pytrees [study]``: the tour on real data, or a paper's study; ``python -m pytrees --help`` lists them."""

import argparse
import sys
import time

from studies import global_evaluation, ordinal, orthogonal, permutation, tour

# Every study is a module with `SUMMARY`, a line for the help; `add_options(parser)`; `load_tables(options)`, which says
# what data there is not by an OSError; and `run(tables, options)`, which returns the exit code.
STUDIES = {
    "tour": tour,
    "permutation": permutation,
    "ordinal": ordinal,
    "global": global_evaluation,
    "orthogonal": orthogonal,
}


def build_parser():
    parser = argparse.ArgumentParser(
        prog="python -m pytrees",
        description="Recompute the papers' tables and figures.",
        epilog="'python -m pytrees STUDY --help' lists the options of a study. Without one, the tour runs. The "
        "environment variable PYTREES_DATA, or --data-home, names the folder of the data sets.",
    )
    studies = parser.add_subparsers(dest="study", metavar="study", required=True)
    for name, study in STUDIES.items():
        study.add_options(studies.add_parser(name, help=study.SUMMARY, description=study.SUMMARY))
    return parser


def main(arguments=None):
    """Run a study.

    Returns
    -------
    int
        0, or 1 where a figure that must be the paper's is not, or 2 where there is no data or nowhere to write, or 130
        where the run is interrupted.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help")):
        arguments = ["tour", *arguments]
    options = build_parser().parse_args(arguments)
    study = STUDIES[options.study]
    started = time.perf_counter()
    try:
        tables = study.load_tables(options)
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        code = study.run(tables, options)
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
    print(f"\n{time.perf_counter() - started:.0f} seconds in all.")
    return code


if __name__ == "__main__":
    sys.exit(main())
