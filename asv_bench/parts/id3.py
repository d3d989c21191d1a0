"""ID3 trees by distances of clusterings, and how global evaluation grows with rows and leaves."""

import warnings
from functools import partial
from statistics import median

import numpy as np
from benchmarks.bench_growth_by_distance import WAYS, arguments
from benchmarks.common import kernel_of
from sklearn.datasets import load_wine

from pytrees import ID3Classifier, datasets
from pytrees.distances import DISTANCES

from .timing import compare, informative_data, race, rows

ROWS = [500, 1_000, 2_000, 4_000, 8_000]
LEAVES = [10, 20, 40, 80, 160]
# Fully grown, by the kernels alone, without validation.
CARDIOTOCOGRAPHY = ("ctg_nsp", "ctg_class")


def id3():
    """Measure ID3 trees: engines on Wine, Cardiotocography, and the cost of global evaluation against rows and
    leaves."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Equal samples in X")
        _against_the_reference()
        _on_public_data()
        _over_rows_and_leaves()


def _grow(engine, distance, way, limits, X, y):
    args, kwargs = arguments(X, y, distance, way, **limits)
    kernel_of(engine, "grow_by_distance")(*args, **kwargs)


def _wine(rng):
    X, y = load_wine(return_X_y=True)
    order = rng.permutation(len(y))
    return X[order], y[order]


def _against_the_reference():
    """Compare with the reference, which judges every candidate of every step from scratch."""
    for distance in ("information_gain", "jaccard"):
        for way in ("local", "global"):
            contestants = {engine: partial(_grow, engine, distance, way, {}) for engine in ("compiled", "reference")}
            compare(f"Wine, fully grown, {distance}, {way}", contestants, _wine, 11)


def _on_public_data():
    """Measure fully grown trees: the engine alone, and a whole fit."""
    sets = {"Wine": _wine}
    try:
        tables = {name: datasets.load(name) for name in CARDIOTOCOGRAPHY}
    except FileNotFoundError as error:
        print(f"Cardiotocography is left out: {error}")
        tables = {}
    for name, table in tables.items():
        X, y = np.ascontiguousarray(table.data, dtype=float), np.unique(table.target, return_inverse=True)[1]
        sets[name] = lambda rng, X=X, y=y: (X, y)
    for name, make_arguments in sets.items():
        print(
            f"{name + ', fully grown, milliseconds':<44}"
            + "".join(f"{way:>12}" for way in WAYS)
            + f"{'fit, global':>14}"
        )
        for distance in DISTANCES:
            contestants = {way: partial(_grow, "compiled", distance, way, {}) for way in WAYS}
            contestants["fit"] = ID3Classifier(distance, evaluation="global").fit
            times = race(contestants, make_arguments, 15 if name == "Wine" else 3)
            print(f"{distance:<44}" + "".join(f"{median(taken) * 1e3:12.2f}" for taken in times.values()))


def _over_rows_and_leaves():
    print(
        f"{'global evaluation, 10 features, 4 classes':<44}" + "".join(f"{name:>20}" for name in ("gini", "all labels"))
    )
    before = None
    for n in ROWS:
        before = _print_step(f"{rows(n):,} rows, 40 leaves", n, 40, before)
    before = None
    for n_leaves in LEAVES:
        before = _print_step(f"{rows(4_000):,} rows, {n_leaves} leaves", 4_000, n_leaves, before)


def _print_step(title, n, n_leaves, before):
    limits = {"max_leaf_nodes": n_leaves}
    contestants = {way: partial(_grow, "compiled", "gini", way, limits) for way in ("global", "all labels")}
    data = partial(informative_data, n, n_features=10, n_classes=4)
    times = {name: median(taken) for name, taken in race(contestants, data, 5).items()}
    line = f"{title:<44}"
    for name, time in times.items():
        factor = f"({time / before[name]:.1f}×)" if before else ""
        line += f"{time * 1e3:9.2f} ms {factor:<8}"
    print(line.rstrip())
    return times
