"""Defects that are planted on purpose: do the harness and the tests find them? `python -m tools.fuzz.planted`.

Each takes the place of one function of the library, in this process alone.
"""

import contextlib
import os
import re
import subprocess
import sys
from functools import wraps
from importlib import import_module
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]

# The environment variable that names the defect to plant in a process of pytest, which loads this module as a plugin.
VARIABLE = "PYTREES_PLANTED"


def _next_threshold(grow):
    """Let the root's threshold be the next number."""

    @wraps(grow)
    def planted(*arguments, **options):
        tree = grow(*arguments, **options)
        if tree["children_left"][0] > 0:
            tree["threshold"] = np.array(tree["threshold"])
            tree["threshold"][0] = np.nextafter(tree["threshold"][0], np.inf)
        return tree

    return planted


def _halved_weights(check):
    """Halve the user's weights in their place."""

    @wraps(check)
    def planted(sample_weight, X):
        found = check(sample_weight, X)
        if isinstance(sample_weight, np.ndarray) and sample_weight.dtype == float and sample_weight.flags.writeable:
            sample_weight *= 0.5
        return found

    return planted


def _wrong_kind(check):
    """Raise IndexError in the place of ValueError."""

    @wraps(check)
    def planted(sample_weight, X):
        try:
            return check(sample_weight, X)
        except ValueError as error:
            raise IndexError(str(error)) from error

    return planted


# The module and name of what is replaced, what replaces it, how the harness calls it, and the tests that look at it.
PLANTS = {
    "a threshold of the next number": (
        "pytrees._core.growth.by_gain",
        "grow_by_gain",
        _next_threshold,
        "engines grow different trees",
        "tests/trees/test_cart.py",
    ),
    "an input that is written to": (
        "pytrees.input.validation",
        "check_sample_weight",
        _halved_weights,
        "fit writes to what it is given",
        "tests/input/test_validation.py",
    ),
    "an error of a wrong kind": (
        "pytrees.input.validation",
        "check_sample_weight",
        _wrong_kind,
        "IndexError at",
        "tests/input/test_validation.py",
    ),
}


@contextlib.contextmanager
def planted(name):
    """Plant a defect inside a block.

    Parameters
    ----------
    name : str
        A name in `PLANTS`.
    """
    module, function, make, *_ = PLANTS[name]
    module = import_module(module)
    sound = getattr(module, function)
    setattr(module, function, make(sound))
    try:
        yield
    finally:
        setattr(module, function, sound)


class InProcess:
    """Runs cases in this process, which has the planted defect; attacks, which may crash it, are left out."""

    def run(self, case):
        """Run a case, and return what a worker does."""
        from .worker import answer

        return answer(case | {"attack": None})


def cases_until_found(name, most=5000, subjects=None):
    """Return how many cases the harness draws until it finds a planted defect; None if it does not."""
    from .__main__ import cases_until
    from .recipes import ESTIMATORS, FUNCTIONS

    with planted(name):
        return cases_until(PLANTS[name][3], InProcess(), most, subjects or ESTIMATORS + FUNCTIONS)


def failing_tests(name):
    """Return how many tests fail with a defect, and the last line of pytest."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "tools.fuzz.planted"]
    environment = os.environ | {VARIABLE: name, "HYPOTHESIS_PROFILE": "fast"}
    run = subprocess.run(
        [*command, *PLANTS[name][4].split()], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    last = run.stdout.strip().splitlines()[-1]
    found = re.search(r"(\d+) failed", last)
    return int(found[1]) if found else 0, last


def main():
    """Print what finds every defect; return 1 if something finds one not."""
    is_missed = False
    for name in PLANTS:
        found, (n_failing, last) = cases_until_found(name), failing_tests(name)
        print(f"{name}\n  fuzz: {f'found by case {found}' if found else 'not found'}\n  tests: {last}", flush=True)
        is_missed |= found is None or not n_failing
    return int(is_missed)


if os.environ.get(VARIABLE):
    _KEPT = planted(os.environ[VARIABLE])  # until the process ends
    _KEPT.__enter__()

if __name__ == "__main__":
    sys.exit(main())
