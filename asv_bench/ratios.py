"""Ratios measured side by side in one run: they travel between machines, times do not.

Contestants take turns, every repetition has data of its own, and medians are compared; the range of the ratios stands
behind their median. Name the parts to run (growth, etc, trees, cart, forest); without a name all of them run, in some
minutes.
"""

import sys
from statistics import median
from time import perf_counter

import numpy as np
from benchmarks.bench_estimators import shuffled
from benchmarks.common import SEQUENCE_KINDS, classification_data, kernel_of, label_sequence
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    config_context,
)

LENGTHS = [10**3, 10**4, 10**5, 10**6]


def seconds(call, *args):
    start = perf_counter()
    call(*args)
    return perf_counter() - start


def compare(title, contestants, make_arguments, repetitions):
    """Print the median seconds of two contestants on the same fresh data, and the median and range of their ratios."""
    rng = np.random.default_rng(0)
    times = []
    for _ in range(repetitions):
        arguments = make_arguments(rng)
        times.append([seconds(call, *arguments) for call in contestants.values()])
    first, second = (median(column) for column in zip(*times, strict=True))
    names = " against ".join(contestants)
    ratios = [slow / fast for fast, slow in times]
    spread = f"[{min(ratios):.1f}, {max(ratios):.1f}]"
    print(f"{title:<42} {names:<32} {first:10.4g} s {second:10.4g} s {median(ratios):8.1f}× {spread}")


def report(title, call, make_arguments, repetitions):
    """Print the median seconds of one contestant."""
    rng = np.random.default_rng(0)
    print(f"{title:<75} {median(seconds(call, *make_arguments(rng)) for _ in range(repetitions)):10.4g} s")


def growth():
    """Effort-To-Compress: seconds over lengths, and the factor from one length to the next, ten times as long."""
    effort_to_compress = kernel_of("compiled", "nsrps", "effort_to_compress")
    rng = np.random.default_rng(0)
    print(f"{'kind':<14}" + "".join(f"{f'n = {n:,}':>22}" for n in LENGTHS))
    for kind in SEQUENCE_KINDS:
        row, before = f"{kind:<14}", None
        for n in LENGTHS:
            repetitions = min(100, max(5, 10**6 // n))
            time = median(seconds(effort_to_compress, *label_sequence(kind, n, rng)) for _ in range(repetitions))
            factor = f"({time / before:.1f}×)" if before else ""
            row += f"{time * 1e3:11.4g} ms {factor:>7}"
            before = time
        print(row)


def etc():
    """Effort-To-Compress of random binary labels, compiled against the reference."""
    contestants = {name: kernel_of(name, "nsrps", "effort_to_compress") for name in ("compiled", "reference")}
    for n in (1_000, 2_000):
        compare(f"ETC, {n:,} labels", contestants, lambda rng, n=n: label_sequence("random 2", n, rng), 11)


def fit_permutation_tree(engine):
    def fit(X, y):
        with config_context(engine=engine):
            PermutationDecisionTreeClassifier().fit(X, y)

    return fit


def fit_permutation_forest(X, y):
    PermutationDecisionForestClassifier(n_estimators=100, n_jobs=2, random_state=0).fit(X, y)


def reordered(dataset):
    X, y = shuffled(dataset)

    def draw(rng):
        order = rng.permutation(len(y))
        return X[order], y[order]

    return draw


def trees():
    """Permutation trees and forests on public data, the rows in a fresh order every time."""
    contestants = {engine: fit_permutation_tree(engine) for engine in ("compiled", "reference")}
    compare("permutation tree, Iris", contestants, reordered("iris"), 3)
    compare("permutation tree, Wine", contestants, reordered("wine"), 3)
    breast_cancer = reordered("breast cancer")
    report("permutation tree, Breast Cancer", contestants["compiled"], breast_cancer, 7)
    report("forest of 100 permutation trees, Breast Cancer, n_jobs=2", fit_permutation_forest, breast_cancer, 3)


def cart():
    """Gini trees against scikit-learn's."""
    contestants = {
        "pytrees": lambda X, y: DecisionTreeClassifier().fit(X, y),
        "scikit-learn": lambda X, y: SklearnTreeClassifier(random_state=0).fit(X, y),
    }
    for n, repetitions in ((10_000, 7), (100_000, 3)):
        compare(
            f"Gini tree, {n:,} × 20",
            contestants,
            lambda rng, n=n: classification_data(n, seed=rng.integers(2**31)),
            repetitions,
        )


def forest():
    """Random forests of 100 trees (Gini, bootstrap, square root of the features) against scikit-learn's."""
    for n_jobs in (1, 2):
        parameters = {"n_estimators": 100, "n_jobs": n_jobs, "random_state": 0}
        contestants = {
            "pytrees": lambda X, y, parameters=parameters: DecisionForestClassifier(**parameters).fit(X, y),
            "scikit-learn": lambda X, y, parameters=parameters: RandomForestClassifier(**parameters).fit(X, y),
        }
        compare(
            f"forest of 100, 10,000 × 20, n_jobs={n_jobs}",
            contestants,
            lambda rng: classification_data(10_000, seed=rng.integers(2**31)),
            7,
        )


if __name__ == "__main__":
    parts = {part.__name__: part for part in (growth, etc, trees, cart, forest)}
    for name in sys.argv[1:] or parts:
        print(f"\n{parts[name].__doc__}")
        parts[name]()
