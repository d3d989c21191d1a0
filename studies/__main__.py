"""``python -m studies STUDY``: recompute a paper's tables and figures; ``--help`` lists the studies."""

import argparse
import sys

from pytrees.tour.program import run_program

from . import choose, global_evaluation, order, ordinal, orthogonal, permutation, sites

# Every study is a module with `SUMMARY`, a line for the help; `add_options(parser)`; `load_tables(options)`, which says
# what data there is not by an OSError; and `run(tables, options)`, which returns the exit code.
STUDIES = {
    "permutation": permutation,
    "ordinal": ordinal,
    "global": global_evaluation,
    "orthogonal": orthogonal,
    "order": order,
    "sites": sites,
    "choose": choose,
}


def main(arguments=None):
    """Run a study.

    Parameters
    ----------
    arguments : list of str, optional
        The command line; by default the arguments of the process.

    Returns
    -------
    int
        The exit code, as returned by :func:`pytrees.tour.program.run_program`.
    """
    parser = argparse.ArgumentParser(
        prog="python -m studies",
        description="Recompute the papers' tables and figures.",
        epilog="'python -m studies STUDY --help' lists the options of a study. The environment variable PYTREES_DATA, "
        "or --data-home, names the folder of the data sets; otherwise it is studies/data.",
    )
    subparsers = parser.add_subparsers(dest="study", metavar="study", required=True)
    for name, study in STUDIES.items():
        study.add_options(subparsers.add_parser(name, help=study.SUMMARY, description=study.SUMMARY))
    options = parser.parse_args(arguments)
    study = STUDIES[options.study]
    return run_program(study.load_tables, study.run, options)


if __name__ == "__main__":
    sys.exit(main())
