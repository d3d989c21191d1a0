"""Measurements in fresh processes: memory, permutation trees of many samples, and start-up."""

import subprocess
import sys
from statistics import median

import numpy as np
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import DecisionTreeClassifier, PermutationDecisionTreeClassifier

from .peak import fit_alone
from .timing import Quick, informative_data, rows

MIB = 2**20

_IMPORT = """
import numpy, sklearn.base
from time import perf_counter
start = perf_counter()
import {}
print(perf_counter() - start)
"""


def memory():
    """Measure peak memory of `fit` beyond X and y, MiB; scikit-learn's copy of X in single precision is its own."""
    for n_classes in (2, 10):
        X, y = informative_data(100_000, np.random.default_rng(0), n_classes=n_classes)
        for criterion in ("gini", "entropy"):
            ours, theirs = (
                median(fit_alone(tree_class, X, y, criterion=criterion)[1] for _ in range(1 if Quick.wanted else 3))
                for tree_class in (DecisionTreeClassifier, SklearnTreeClassifier)
            )
            line = f"{f'{len(y):,} × 20, {n_classes} classes, {criterion}':<46} pytrees {ours / MIB:7.1f} MiB"
            line += f"   scikit-learn {theirs / MIB:7.1f} MiB   (X itself {X.nbytes / MIB:.1f} MiB)"
            if not Quick.wanted:
                line += f"   goal: at most scikit-learn's, {'reached' if ours <= theirs else 'MISSED'}"
            print(line)


def permutation():
    """Measure permutation trees of many rows × 10, at most 256 candidates a node: seconds and peak memory beyond X and
    y."""
    for n in (25_000, 50_000, 100_000):
        X, y = informative_data(n, np.random.default_rng(0), n_features=10)
        runs = [
            fit_alone(PermutationDecisionTreeClassifier, X, y, max_candidates=256)
            for _ in range(1 if Quick.wanted else 2)
        ]
        taken, peak = (median(column) for column in zip(*runs, strict=True))
        print(f"{rows(n):>9,} rows {taken:10.4g} s {peak / MIB:10.1f} MiB {peak / rows(n):10.0f} bytes a row")


def startup():
    """Measure milliseconds that an import takes in a fresh process which has NumPy and `sklearn.base`."""
    times = {"pytrees": [], "sklearn.tree": []}
    for _ in range(1 if Quick.wanted else 11):
        for module, column in times.items():
            command = [sys.executable, "-c", _IMPORT.format(module)]
            column.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    for module, column in times.items():
        low, high = np.percentile(column, [25, 75]) * 1e3
        print(f"import {module:<20} {median(column) * 1e3:8.1f} ms ({low:.1f} to {high:.1f})")
