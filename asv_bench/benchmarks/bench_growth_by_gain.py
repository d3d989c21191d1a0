"""Growth: whole trees, depth-first and best-first, with and without weights."""

import numpy as np

from .common import (
    ENGINES,
    NO_LIMITS,
    UNLIMITED,
    classification_data,
    count_instructions,
    grow,
    has_valgrind,
    skip_unless,
)


class GrowByCounts:
    params = (ENGINES, ["gini", "entropy"], [2, 10], [100, 10**3, 10**4, 10**5])
    param_names = ("engine", "criterion", "n_classes", "n")
    timeout = 300

    def setup(self, engine, criterion, n_classes, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_grow(self, engine, criterion, n_classes, n):
        grow(engine, self.X, self.y, criterion)


class GrowAroundTheSwitches:
    """Up to 16,384 rows all features are sorted at once; so they are at any size where cuts are limited, up to 65,536
    rows in entries of 32 bits."""

    params = (["bins", "max_candidates"], [16384, 16385, 65536, 65537])
    param_names = ("way", "n")
    timeout = 300

    def setup(self, way, n):
        self.X, self.y = classification_data(n)
        self.limits = {"max_candidates": UNLIMITED - 1} if way == "max_candidates" else {}

    def time_grow(self, way, n):
        grow("compiled", self.X, self.y, "gini", **self.limits)

    def peakmem_grow(self, way, n):
        grow("compiled", self.X, self.y, "gini", **self.limits)


class GrowBySequence:
    params = (ENGINES, [2, 10], [100, 200, 500])
    param_names = ("engine", "n_classes", "n")
    timeout = 300

    def setup(self, engine, n_classes, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_grow(self, engine, n_classes, n):
        grow(engine, self.X, self.y, "etc")


class CompiledGrowth:
    """Memory and size of the tree for unusual data and limits."""

    params = (["plain", "32 values", "whole weights", "weights", "depth 8", "64 leaves", "4 features"], [10**3, 10**5])
    param_names = ("case", "n")

    def setup(self, case, n):
        self.X, self.y = classification_data(n, n_values=32 if case == "32 values" else None)
        rng = np.random.default_rng(1)
        self.options = {
            "whole weights": {"weights": rng.integers(1, 5, size=n)},
            "weights": {"weights": rng.gamma(2.0, size=n)},
            "depth 8": {"max_depth": 8},
            "64 leaves": {"max_leaf_nodes": 64},
            "4 features": {"max_features": 4},
        }.get(case, {})

    def time_grow(self, case, n):
        grow("compiled", self.X, self.y, "gini", **self.options)

    def peakmem_grow(self, case, n):
        grow("compiled", self.X, self.y, "gini", **self.options)

    def track_node_count(self, case, n):
        return len(grow("compiled", self.X, self.y, "gini", **self.options)["feature"])

    track_node_count.unit = "nodes"


class BestFirst:
    """Trees of noise, with tens of thousands of open leaves, and without a limit."""

    params = ([None, 1000, 60000], ["gini", "entropy"])
    param_names = ("max_leaf_nodes", "criterion")
    timeout = 300

    def setup(self, max_leaf_nodes, criterion):
        rng = np.random.default_rng(0)
        self.X, self.y = rng.normal(size=(200_000, 2)), rng.integers(0, 2, 200_000).astype(np.int32)
        self.limits = {} if max_leaf_nodes is None else {"max_leaf_nodes": max_leaf_nodes}

    def time_grow(self, max_leaf_nodes, criterion):
        grow("compiled", self.X, self.y, criterion, **self.limits)


class GrowOnThreads:
    """One tree on several threads: in parts, and with the block of all samples shared."""

    params = (["gini", "ogini"], [1, 2])
    param_names = ("criterion", "n_threads")
    timeout = 300

    def setup(self, criterion, n_threads):
        self.X, self.y = classification_data(100_000)

    def time_grow(self, criterion, n_threads):
        grow("compiled", self.X, self.y, criterion, n_threads=n_threads)


class GrowByClusterings:
    params = (["gini", "gain_ratio", "nvi", "jaccard", "accuracy", "mae"], [3, 10], [10**3, 10**4])
    param_names = ("criterion", "n_classes", "n")
    timeout = 300

    def setup(self, criterion, n_classes, n):
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_grow(self, criterion, n_classes, n):
        grow("compiled", self.X, self.y, criterion)

    def track_node_count(self, criterion, n_classes, n):
        return len(grow("compiled", self.X, self.y, criterion)["feature"])

    track_node_count.unit = "nodes"


class Instructions:
    params = (["gini", "entropy", "etc"],)
    param_names = ("criterion",)
    timeout = 300

    def setup(self, criterion):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(100 if criterion == "etc" else 10**4)

    def track_instructions(self, criterion):
        return count_instructions("grow_by_gain", self.X, self.y, None, 2, criterion, **NO_LIMITS)

    track_instructions.unit = "instructions"


class InstructionsOfManyRows:
    """Instructions with enough samples for bins, and with unusual limits and data."""

    params = (["gini", "entropy"], ["2 classes", "10 classes", "32 values", "whole weights", "depth 8"])
    param_names = ("criterion", "case")
    timeout = 300

    def setup(self, criterion, case):
        skip_unless(has_valgrind())
        n = 40_000
        self.n_classes = 10 if case == "10 classes" else 2
        self.X, self.y = classification_data(n, 10, self.n_classes, n_values=32 if case == "32 values" else None)
        self.weights = np.random.default_rng(1).integers(0, 4, size=n) if case == "whole weights" else None
        self.limits = NO_LIMITS | ({"max_depth": 8} if case == "depth 8" else {})

    def track_instructions(self, criterion, case):
        arguments = self.X, self.y, self.weights, self.n_classes, criterion
        return count_instructions("grow_by_gain", *arguments, **self.limits)

    track_instructions.unit = "instructions"


class MissingValues:
    """Growth and prediction where a share of the values is missing, with features in bins and without."""

    params = (["gini", "ogini"], [0.0, 0.1, 0.5], [10**3, 10**5])
    param_names = ("criterion", "share", "n")
    timeout = 300

    def setup(self, criterion, share, n):
        self.X, self.y = classification_data(n)
        self.X[np.random.default_rng(2).random(self.X.shape) < share] = np.nan

    def time_grow(self, criterion, share, n):
        grow("compiled", self.X, self.y, criterion)
