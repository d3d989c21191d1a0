"""Run many cases, and list every defect with its smallest case: `python -m tools.fuzz --cases 10000 --seed 0`."""

import argparse
import ast
import contextlib
import sys
import time

from hypothesis import HealthCheck, Phase, given, seed, settings

from .recipes import ESTIMATORS, FUNCTIONS, cases
from .worker import Worker

# After this many cases Hypothesis shrinks what it has found; the next round looks for other defects.
ROUND = 250


class Found(Exception):
    """A defect as Hypothesis sees it: each name has a class of its own, by which Hypothesis tells errors apart."""


def make_search(worker, known, count):
    """Return a function for Hypothesis that raises if a case has a defect that is not known.

    Parameters
    ----------
    worker : Worker
    known : dict of str to list
        The defects found so far, by name; what is found is counted there.
    count : callable
        Called for every case.
    """
    kinds = {}

    def search(case):
        count(case)
        found = worker.run(case)
        if found is None:
            return
        name, told = found
        if name in known:
            known[name]["cases"] += 1
            return
        kind = kinds.setdefault(name, type(name, (Found,), {}))
        raise kind(name, case, told)

    return search


def _options(n_cases, *phases):
    return settings(
        max_examples=n_cases,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


def run_round(worker, known, n_cases, number, subjects, count):
    """Run some cases; add new defects to `known`, each with its smallest case."""
    search = make_search(worker, known, count)
    options = _options(n_cases, Phase.generate, Phase.shrink)
    try:
        seed(number)(options(given(cases(subjects))(search)))()
    except Found as found:
        errors = [found]
    except BaseExceptionGroup as group:
        errors = [error for error in group.exceptions if isinstance(error, Found)]
        if len(errors) < len(group.exceptions):
            print(f"Not the same again: {group.exceptions}", file=sys.stderr)
    else:
        return
    for error in errors:
        name, case, told = error.args
        known[name] = {"cases": 1, "case": case, "told": told}
        print(f"\n{name}\n  {case}\n  {told.strip().splitlines()[-1]}", flush=True)


def run(n_cases, first, subjects=ESTIMATORS + FUNCTIONS):
    """Run at least a number of cases.

    Parameters
    ----------
    n_cases : int
    first : int
        The seed of the first round.
    subjects : sequence of str
        Names of the estimators and functions to try.

    Returns
    -------
    dict of str to dict
        The defects by name: the number of ``"cases"``, the smallest ``"case"`` and what it has ``"told"``.
    """
    known, worker, n_run, start = {}, Worker(), [0], time.monotonic()

    def count(case):
        n_run[0] += 1
        if n_run[0] % 500 == 0:
            print(f"{n_run[0]} cases, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    number = first
    while n_run[0] < n_cases:
        run_round(worker, known, min(ROUND, n_cases - n_run[0]), number, subjects, count)
        number += 1
    worker.close()
    return known


def cases_until(name, worker, n_cases, subjects):
    """Return how many cases are run until one has a defect whose name starts so; None if no case has it."""
    n_run, is_found = 0, False

    def search(case):
        nonlocal n_run, is_found
        if not is_found:
            n_run += 1
            is_found = (worker.run(case) or ("",))[0].startswith(name)
        if is_found:
            raise Found(name)

    for number in range(-(-n_cases // ROUND)):
        with contextlib.suppress(Found):
            seed(number)(_options(min(n_cases, ROUND), Phase.generate)(given(cases(subjects))(search)))()
        if is_found:
            return n_run
    return None


def main(arguments=None):
    """Run the program; return 1 if there are defects."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="how many cases to run (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first of the rounds' seeds (default: %(default)s)")
    parser.add_argument("--only", nargs="+", default=ESTIMATORS + FUNCTIONS, metavar="NAME", help="what to try")
    parser.add_argument("--case", type=ast.literal_eval, help="run this case alone, as it was printed")
    options = parser.parse_args(arguments)
    if options.case is not None:
        worker = Worker()
        found = worker.run(options.case)
        worker.close()
        print(*(found or ["no defect"]), sep="\n")
        return int(found is not None)
    known = run(options.cases, options.seed, tuple(options.only))
    print(f"\n{len(known)} defects")
    for name, found in sorted(known.items()):
        print(f"- {name} ({found['cases']} cases): {found['case']}")
    return int(bool(known))


if __name__ == "__main__":
    sys.exit(main())
