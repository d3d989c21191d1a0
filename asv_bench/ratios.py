"""Ratios measured side by side in one run: they travel between machines, times do not.

Contestants take turns, every repetition has data of its own, and medians are compared; behind them stand the least and
the greatest. Name the parts to run (growth, etc, trees, threads, cart); without a name all run, in some minutes.
"""

import sys
from statistics import median
from time import perf_counter

import numpy as np
from benchmarks.bench_estimators import DATASETS, shuffled
from benchmarks.common import SEQUENCE_KINDS, classification_data, kernel_of, label_sequence
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import (
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
    """Print the median seconds of two contestants on the same fresh data, and the median of their ratios."""
    rng = np.random.default_rng(0)
    times = []
    for _ in range(repetitions):
        arguments = make_arguments(rng)
        times.append([seconds(call, *arguments) for call in contestants.values()])
    first, second = (median(column) for column in zip(*times, strict=True))
    names = " against ".join(contestants)
    ratios = [slow / fast for fast, slow in times]
    spread = f"({min(ratios):.1f} to {max(ratios):.1f})"
    print(f"{title:<42} {names:<32} {first:10.4g} s {second:10.4g} s {median(ratios):8.1f}× {spread}")


def report(title, call, make_arguments, repetitions):
    """Print the median seconds of one contestant."""
    rng = np.random.default_rng(0)
    times = [seconds(call, *make_arguments(rng)) for _ in range(repetitions)]
    print(f"{title:<75} {median(times):10.4g} s ({min(times):.4g} to {max(times):.4g})")


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
    """Permutation trees and forests on public data, the rows in a fresh order every time unless said."""
    contestants = {engine: fit_permutation_tree(engine) for engine in ("compiled", "reference")}
    compare("permutation tree, Iris", contestants, reordered("iris"), 3)
    compare("permutation tree, Wine", contestants, reordered("wine"), 3)
    compare("permutation tree, Wine as stored", contestants, lambda rng: DATASETS["wine"](return_X_y=True), 5)
    breast_cancer = reordered("breast cancer")
    report("permutation tree, Breast Cancer", contestants["compiled"], breast_cancer, 7)
    report("forest of 100 permutation trees, Breast Cancer, n_jobs=2", fit_permutation_forest, breast_cancer, 3)


def fit_on_threads(n_jobs, **parameters):
    return lambda X, y: PermutationDecisionTreeClassifier(n_jobs=n_jobs, **parameters).fit(X, y)


def large_data(rng):
    """100,000 rows of ten features; two of them tell of random labels."""
    X = rng.normal(size=(100_000, 10))
    return X, rng.random(100_000) < 1 / (1 + np.exp(-2 * (X[:, 3] + X[:, 7])))


def threads():
    """Permutation trees on two threads against one."""
    compare(
        "permutation tree, Breast Cancer",
        {"two threads": fit_on_threads(2), "one": fit_on_threads(1)},
        reordered("breast cancer"),
        15,
    )
    limits = {"max_candidates": 256}
    compare(
        "permutation tree, 100,000 × 10, 256 cuts",
        {"two threads": fit_on_threads(2, **limits), "one": fit_on_threads(1, **limits)},
        large_data,
        1,
    )


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


if __name__ == "__main__":
    parts = {part.__name__: part for part in (growth, etc, trees, threads, cart)}
    for name in sys.argv[1:] or parts:
        print(f"\n{parts[name].__doc__}")
        parts[name]()
