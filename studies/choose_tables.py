"""Tables of the study of choices, by question."""

from functools import partial
from typing import NamedTuple

import numpy as np

from pytrees.datasets import load, load_ordinal

from .tables import load_present

# The most samples of a table, drawn once, with its classes' shares if there are classes.
MOST_SAMPLES = 700

NUMBERS = (
    "breast_cancer_wisconsin_diagnostic",
    "ctg_class",
    "ctg_nsp",
    "haberman",
    "ionosphere",
    "iris",
    "newthyroid",
    "seeds",
    "toy",
    "wine",
    "winequality_red",
)
WHOLE_NUMBERS = ("balance_scale", "cmc", "monks1", "monks2", "monks3", "spect", "SWD", "ESL")
CATEGORIES = (
    "automobile",
    "car",
    "cmc",
    "eucalyptus",
    "house_votes_84",
    "mammoexp",
    "monks1",
    "monks2",
    "monks3",
    "splice",
    "support",
    "tae",
)
GRADES = (
    "ERA",
    "ESL",
    "LEV",
    "SWD",
    "automobile",
    "balance-scale",
    "car",
    "eucalyptus",
    "mammoexp",
    "newthyroid",
    "support",
    "tae",
    "toy",
    "vlbw",
    "winequality-red",
)
CUT_NUMBERS = (
    "abalone",
    "bank1-5",
    "bank2-5",
    "calhousing-5",
    "census1-5",
    "census2-5",
    "computer1-5",
    "computer2-5",
    "housing",
    "machine",
    "stock",
)
TARGETS = (
    "abalone",
    "bank8fm",
    "bank32nh",
    "calhousing",
    "cpu_small",
    "cpu_act",
    "machine_cpu",
    "pyrim",
    "stock",
    "housing",
    "house_8L",
    "house_16H",
)
WITH_GAPS = ("automobile", "eucalyptus")
MADE_GAPS = ("breast_cancer_wisconsin_diagnostic", "ctg_nsp", "ionosphere", "seeds", "wine", "winequality_red")

AT_RANDOM = tuple(f"{name}, at random" for name in MADE_GAPS)
HIGH_VALUES = tuple(f"{name}, high values" for name in MADE_GAPS)

# The share of values that are taken out; if not at random, they lie above this quantile of a feature.
GAP_SHARE = 0.2
HIGH_QUANTILE = 0.6


class Problem(NamedTuple):
    """Samples whose classes or numbers are to be predicted."""

    X: np.ndarray  # of shape (n_samples, n_features), float64; categories as codes
    y: np.ndarray  # of shape (n_samples,): codes of classes, or numbers as float64
    categorical: tuple[int, ...]  # columns


def load_problems(home):
    """Load the tables of every question except the question of time, by question and name.

    Tables whose file is absent are named and left out.
    """
    nominal = load_present(
        partial(_nominal, home=home), dict.fromkeys((*NUMBERS, *WHOLE_NUMBERS, *CATEGORIES, *WITH_GAPS))
    )
    numeric = {name: table._replace(categorical=()) for name, table in _among(nominal, NUMBERS + WHOLE_NUMBERS)}
    numbers = load_present(partial(_numbers, home=home), TARGETS)
    gaps = dict(_among(nominal, WITH_GAPS))
    for name, at_random, high_values in zip(MADE_GAPS, AT_RANDOM, HIGH_VALUES, strict=True):
        if name in numeric:
            gaps[at_random] = _with_gaps(numeric[name], high=False)
            gaps[high_values] = _with_gaps(numeric[name], high=True)
    return {
        "accuracy": numeric,
        "grades": load_present(partial(_ordinal, home=home), (*GRADES, *CUT_NUMBERS)),
        "small": dict(_among(numeric, NUMBERS)),
        "few": dict(_among(numeric, NUMBERS)),
        "same": numeric,
        "categories": dict(_among(nominal, CATEGORIES)),
        "missing": gaps,
        "numbers": numbers,
        "cut": numbers,
    }


def _among(tables, names):
    """Return pairs of names and tables, of the tables that are there."""
    return [(name, tables[name]) for name in names if name in tables]


def _nominal(name, home):
    table = load(name, data_home=home)
    return cut_down(table.data, table.target, tuple(np.flatnonzero(table.categorical).tolist()))


def _ordinal(name, home):
    table = load_ordinal(name, data_home=home)
    return cut_down(table.data, table.target, ())


def _numbers(name, home):
    table = load(name, data_home=home)
    return cut_down_numbers(table.data, table.target.astype(np.float64))


def cut_down_numbers(X, y):
    """Make a problem of at most `MOST_SAMPLES` samples, in their order; categories stay codes."""
    rows = np.sort(np.random.RandomState(0).permutation(len(y))[:MOST_SAMPLES])
    return Problem(X[rows], y[rows], ())


def cut_down(X, y, categorical):
    """Make a problem of at most `MOST_SAMPLES` samples, in their order, with the same shares of the classes."""
    y = np.unique(y, return_inverse=True)[1]
    if len(y) > MOST_SAMPLES:
        shuffled = np.random.RandomState(0).permutation(len(y))
        by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
        rows = np.sort(by_class[np.linspace(0, len(y) - 1, MOST_SAMPLES).astype(int)])
        X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    return Problem(X, y, categorical)


def _with_gaps(problem, *, high):
    """Take out a share of the values, at random or among the values above `HIGH_QUANTILE`."""
    X = problem.X.copy()
    draws, highest = np.random.RandomState(0).uniform(size=X.shape), np.quantile(X, HIGH_QUANTILE, axis=0) < X
    X[(draws < GAP_SHARE / (1.0 - HIGH_QUANTILE)) & highest if high else draws < GAP_SHARE] = np.nan
    return problem._replace(X=X)
