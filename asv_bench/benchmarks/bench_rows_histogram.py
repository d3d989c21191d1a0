"""Histograms: features cut into bins, and trees that are grown with them."""

import numpy as np

from .common import (
    ENGINES,
    NO_LIMITS,
    classification_data,
    count_instructions,
    grow,
    has_valgrind,
    kernel_of,
    skip_unless,
)


class BinFeatures:
    # All of 8,192 rows say where to cut, and every second one of 16,384.
    params = (ENGINES, ["continuous", "32 values", "outlier"], [10**3, 8192, 16384, 10**5])
    param_names = ("engine", "values", "n")

    def setup(self, engine, values, n):
        skip_unless(engine == "compiled" or n <= 10**3)
        self.bin_features = kernel_of(engine, "bin_features")
        self.X, _ = classification_data(n, n_values=32 if values == "32 values" else None)
        if values == "outlier":
            # All other values lie in one of the equal parts of the range that say where to look for their bins.
            self.X[n // 2] = 1e9

    def time_bin_features(self, engine, values, n):
        self.bin_features(self.X)


class CompiledBinFeatures:
    params = ([10**3, 10**5],)
    param_names = ("n",)

    def setup(self, n):
        self.X, _ = classification_data(n)

    def peakmem_bin_features(self, n):
        kernel_of("compiled", "bin_features")(self.X)


class GrowInBins:
    """The same trees with bins, and with all rows sorted."""

    params = (["bins", "sorted"], ["gini", "entropy"], ["plain", "32 values", "whole weights", "50 classes"])
    param_names = ("way", "criterion", "case")
    timeout = 300

    def setup(self, way, criterion, case):
        n = 5 * 10**4
        n_classes = 50 if case == "50 classes" else 2
        self.X, self.y = classification_data(n, n_classes=n_classes, n_values=32 if case == "32 values" else None)
        self.options = {"block_rows": n if way == "sorted" else None, "max_depth": 8}
        if case == "whole weights":
            self.options["weights"] = np.random.default_rng(1).integers(1, 5, size=n)

    def time_grow(self, way, criterion, case):
        grow("compiled", self.X, self.y, criterion, **self.options)

    def peakmem_grow(self, way, criterion, case):
        grow("compiled", self.X, self.y, criterion, **self.options)


class Instructions:
    params = (["continuous", "32 values"],)
    param_names = ("values",)
    timeout = 300

    def setup(self, values):
        skip_unless(has_valgrind())
        self.X, _ = classification_data(10**4, n_values=32 if values == "32 values" else None)

    def track_instructions(self, values):
        return count_instructions("bin_features", self.X)

    track_instructions.unit = "instructions"


class InstructionsOfGrowth:
    params = (["gini", "entropy"], [2, 10])
    param_names = ("criterion", "n_classes")
    timeout = 300

    def setup(self, criterion, n_classes):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(2 * 10**4, n_classes=n_classes)

    def track_instructions(self, criterion, n_classes):
        limits = NO_LIMITS | {"max_depth": 4}
        return count_instructions("grow_by_gain", self.X, self.y, None, n_classes, criterion, **limits)

    track_instructions.unit = "instructions"
