"""Nodes that look at few of many features: trees of forests."""

import numpy as np

from .common import (
    NO_LIMITS,
    classification_data,
    count_instructions,
    grow,
    has_valgrind,
    skip_unless,
)


class TreeOfForest:
    """A tree on samples that weigh what a bootstrap makes of them; ranks take 16 bits up to 65,536 rows."""

    params = (["gini", "entropy"], [2, 10], [10**3, 10**4, 10**5])
    param_names = ("criterion", "n_classes", "n")
    timeout = 300

    def setup(self, criterion, n_classes, n):
        self.X, self.y = classification_data(n, n_classes=n_classes)
        self.weights = np.random.default_rng(1).multinomial(n - n // 2, np.full(n, 1 / n)) + 1

    def time_grow(self, criterion, n_classes, n):
        grow("compiled", self.X, self.y, criterion, weights=self.weights, max_features=4)

    def peakmem_grow(self, criterion, n_classes, n):
        grow("compiled", self.X, self.y, criterion, weights=self.weights, max_features=4)


class Instructions:
    params = (["gini", "entropy"], [2, 10])
    param_names = ("criterion", "n_classes")
    timeout = 300

    def setup(self, criterion, n_classes):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(10**4, n_classes=n_classes)

    def track_instructions(self, criterion, n_classes):
        limits = NO_LIMITS | {"max_features": 4}
        return count_instructions("grow_by_gain", self.X, self.y, None, n_classes, criterion, **limits)

    track_instructions.unit = "instructions"
