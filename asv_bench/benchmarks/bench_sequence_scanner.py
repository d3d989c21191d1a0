"""Scans of label sequences: all cuts of a feature, cuts far apart, sorted labels, threads."""

import numpy as np

from .common import ENGINES, NO_LIMITS, count_instructions, has_valgrind, kernel_of, skip_unless

LIMITS = NO_LIMITS | {"max_depth": 1}


def node(kind, n, n_features=4, n_classes=2, seed=0):
    """(X, labels, weights, n_classes, criterion) where every second feature says something about the class."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n).astype(np.int32)
    if kind == "sorted labels":
        labels.sort()
    tells = np.arange(n_features) % 2
    ranks = np.argsort(np.argsort(rng.normal(size=(n, n_features)) + 2.0 * tells * labels[:, None], axis=0), axis=0)
    step = max(1, n // 64) if kind == "64 cuts" else 1
    return (ranks // step).astype(np.float64), labels, None, n_classes, "etc"


class BestCut:
    params = (ENGINES, ["all cuts", "64 cuts", "sorted labels"], [50, 190, 210, 1000, 4000])
    param_names = ("engine", "kind", "n")
    timeout = 300

    def setup(self, engine, kind, n):
        skip_unless(engine == "compiled" or n <= 50)
        self.grow = kernel_of(engine, "grow_by_gain")
        self.node = node(kind, n)

    def time_best_cut(self, engine, kind, n):
        self.grow(*self.node, **LIMITS)


class Threads:
    params = ([2, 5, 6], [1, 2])
    param_names = ("n_classes", "n_threads")
    timeout = 300

    def setup(self, n_classes, n_threads):
        self.grow = kernel_of("compiled", "grow_by_gain")
        self.node = node("all cuts", 2000, n_features=8, n_classes=n_classes)

    def time_best_cut(self, n_classes, n_threads):
        self.grow(*self.node, n_threads=n_threads, **LIMITS)

    def peakmem_best_cut(self, n_classes, n_threads):
        self.grow(*self.node, n_threads=n_threads, **LIMITS)


class Instructions:
    params = (["all cuts", "64 cuts", "sorted labels"], [190, 210, 1000])
    param_names = ("kind", "n")
    timeout = 300

    def setup(self, kind, n):
        skip_unless(has_valgrind())
        self.node = node(kind, n)

    def track_instructions(self, kind, n):
        return count_instructions("grow_by_gain", *self.node, **LIMITS)

    track_instructions.unit = "instructions"
