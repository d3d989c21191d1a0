"""Ratios measured side by side in one run: they travel between machines, times do not.

Contestants take turns, every repetition has data of its own, and medians are compared; the quartiles of the ratios
stand behind their median. Name the parts to run; without a name all of them run, in about a quarter of an hour.
"""

import argparse
import sys
import traceback
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from benchmarks.bench_estimators import DATASETS, shuffled
from benchmarks.common import SEQUENCE_KINDS, kernel_of, label_sequence
from parts.cart import cart
from parts.comparison import comparison
from parts.effects import effects
from parts.forests import forest_prediction, forests
from parts.fourier import fourier
from parts.fresh import memory, permutation, startup
from parts.id3 import id3
from parts.machine import print_machine
from parts.minimal import minimal
from parts.optimal import optimal
from parts.ordinal import ordinal
from parts.own import own
from parts.scaling import scaling
from parts.sequences import sequences
from parts.threads import threads
from parts.timing import Quick, compare, report, seconds
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from threadpoolctl import threadpool_limits

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    config_context,
)

LENGTHS = [10**3, 10**4, 10**5, 10**6]


def growth():
    """Measure Effort-To-Compress: seconds over lengths, and the factor from one length to the next, ten times as
    long."""
    print_growth("effort_to_compress")


def print_growth(name):
    kernel = kernel_of("compiled", name)
    rng = np.random.default_rng(0)
    print(f"{'kind':<14}" + "".join(f"{f'n = {n:,}':>22}" for n in LENGTHS))
    for kind in SEQUENCE_KINDS:
        row, before = f"{kind:<14}", None
        for n in LENGTHS:
            repetitions = min(100, max(5, 10**6 // n))
            time = median(seconds(kernel, *label_sequence(kind, n, rng)) for _ in range(repetitions))
            factor = f"({time / before:.1f}×)" if before else ""
            row += f"{time * 1e3:11.4g} ms {factor:>7}"
            before = time
        print(row)


def etc():
    """Measure Effort-To-Compress of random binary labels, compiled against the reference."""
    contestants = {name: kernel_of(name, "effort_to_compress") for name in ("compiled", "reference")}
    for n in (1_000, 2_000):
        compare(f"ETC, {n:,} labels", contestants, lambda rng, n=n: label_sequence("random 2", n, rng), 11)


def complexity():
    """Measure Lempel-Ziv complexity: its growth with the length, against the reference, and trees by it against trees
    by Effort-To-Compress."""
    print_growth("lempel_ziv_complexity")
    contestants = {name: kernel_of(name, "lempel_ziv_complexity") for name in ("compiled", "reference")}
    compare("complexity, 200 labels", contestants, lambda rng: label_sequence("random 2", 200, rng), 11)
    for n in (200, 1_000, 3_000):
        compare(
            f"first split of {n:,} × 4",
            {name: DecisionTreeClassifier(name, max_depth=1).fit for name in ("lz76", "etc")},
            lambda rng, n=n: (rng.normal(size=(n, 4)), rng.integers(0, 2, n)),
            5,
        )


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
    """Measure permutation trees and forests on public data, the rows in a fresh order every time unless said."""
    contestants = {engine: fit_permutation_tree(engine) for engine in ("compiled", "reference")}
    compare("permutation tree, Iris", contestants, reordered("iris"), 3)
    compare("permutation tree, Wine", contestants, reordered("wine"), 3)
    compare("permutation tree, Wine as stored", contestants, lambda rng: DATASETS["wine"](return_X_y=True), 5)
    breast_cancer = reordered("breast cancer")
    report("permutation tree, Breast Cancer", contestants["compiled"], breast_cancer, 7)
    report("forest of 100 permutation trees, Breast Cancer, n_jobs=2", fit_permutation_forest, breast_cancer, 3)


def compare_methods(title, ours, theirs, methods, X, repetitions):
    """Compare methods of two fitted estimators on the same rows, moved a little every time."""
    for method in methods:
        contestants = {"pytrees": getattr(ours, method), "scikit-learn": getattr(theirs, method)}
        for call in contestants.values():
            call(X)
        moved = [X + np.random.default_rng(i).normal(scale=1e-3, size=X.shape) for i in range(3)]
        compare(f"{method}, {title}", contestants, lambda rng, moved=moved: [moved[rng.integers(3)]], repetitions)


def prediction():
    """Measure trees and forests that predict, validation included, on one thread."""
    X, y = make_classification(n_samples=100_000, n_features=20, n_informative=10, random_state=0)
    for max_depth in (None, 8):
        ours = DecisionTreeClassifier(max_depth=max_depth).fit(X, y)
        theirs = SklearnTreeClassifier(max_depth=max_depth, random_state=0).fit(X, y)
        for n, repetitions in ((1, 501), (1_000, 101), (100_000, 15)):
            title = f"tree of depth {max_depth}, {n:,} rows"
            compare_methods(title, ours, theirs, ("predict", "predict_proba", "apply"), X[:n], repetitions)
    few, few_classes = X[:20_000], y[:20_000]
    for max_depth in (None, 8):
        shared = {"max_depth": max_depth, "max_features": "sqrt", "bootstrap": True, "n_jobs": 2, "random_state": 0}
        ours = DecisionForestClassifier(**shared).fit(few, few_classes)
        theirs = RandomForestClassifier(**shared).fit(few, few_classes)
        ours.n_jobs = theirs.n_jobs = 1
        for n, repetitions in ((1, 51), (1_000, 15), (100_000, 5)):
            title = f"100 trees of depth {max_depth}, {n:,} rows"
            compare_methods(title, ours, theirs, ("predict", "predict_proba"), X[:n], repetitions)


PARTS = {
    part.__name__: part
    for part in (
        startup,
        cart,
        comparison,
        threads,
        ordinal,
        memory,
        scaling,
        forests,
        prediction,
        forest_prediction,
        own,
        growth,
        etc,
        complexity,
        trees,
        id3,
        minimal,
        optimal,
        sequences,
        permutation,
        fourier,
        effects,
    )
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, once, to see that everything runs")
    parser.add_argument("--plot", action="store_true", help="let scaling and fourier draw their figures in docs/images")
    parser.add_argument("--page", type=Path, help="where comparison writes its page, docs/comparison.md of the site")
    options = parser.parse_args()
    if unknown := [name for name in options.parts if name not in PARTS]:
        parser.error(f"there is no part {', '.join(unknown)}")
    if options.quick and options.page:
        parser.error("a quick look is nothing for a page")
    if options.page and not options.page.resolve().parent.is_dir():
        parser.error(f"there is no folder for {options.page}")
    Quick.wanted = options.quick
    sys.stdout.reconfigure(line_buffering=True)
    # After data is made, the threads of BLAS would stay awake for a while, on the core of a second thread.
    threadpool_limits(1, user_api="blas")
    print_machine()
    if options.quick:
        print("QUICK: one measurement each, most of a tenth of the rows that are named")
    failed = []
    arguments = {"scaling": [options.plot], "fourier": [options.plot], "comparison": [options.page]}
    for name in options.parts or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__}")
        start = perf_counter()
        try:
            PARTS[name](*arguments.get(name, []))
        except Exception:
            traceback.print_exc(file=sys.stdout)
            failed.append(name)
        print(f"[{name}: {perf_counter() - start:.0f} s]")
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
