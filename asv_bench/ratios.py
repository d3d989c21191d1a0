"""Ratios measured side by side in one run: they travel between machines, times do not.

Contestants, most of them other libraries, take turns, every repetition has data of its own, and medians are compared;
the quartiles of the ratios follow their median. asv measures what pytrees takes alone. Name the parts to run;
without a name all of them run, in about twenty minutes, half of them for memory; contree takes another twelve if its
tables and ConTree are there.
"""

import argparse
import sys
import traceback
from pathlib import Path
from time import perf_counter

import numpy as np
from parts.cart import cart
from parts.comparison import comparison
from parts.contree import contree
from parts.effects import effects
from parts.energy import energy
from parts.forests import forest_prediction, forests
from parts.id3 import id3
from parts.machine import print_machine
from parts.memory import memory
from parts.optimal import optimal
from parts.ordinal import ordinal
from parts.regression import regression
from parts.scaling import scaling
from parts.sequences import sequences
from parts.threads import threads
from parts.timing import Quick, compare
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from threadpoolctl import threadpool_limits

from pytrees import DecisionForestClassifier, DecisionTreeClassifier


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
        cart,
        comparison,
        threads,
        ordinal,
        regression,
        scaling,
        memory,
        forests,
        prediction,
        forest_prediction,
        id3,
        optimal,
        contree,
        sequences,
        effects,
        energy,
    )
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, once, to see that everything runs")
    parser.add_argument("--plot", action="store_true", help="let scaling and energy draw their figures in docs/images")
    parser.add_argument("--page", type=Path, help="where comparison writes its page, docs/comparison.md of the site")
    parser.add_argument(
        "--time-limit", type=float, default=60.0, help="seconds that contree gives a contestant for a tree (60)"
    )
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
    arguments = {"scaling": [options.plot], "energy": [options.plot], "comparison": [options.page]}
    arguments["contree"] = [options.time_limit]
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
