"""Rows that lack values: their parts in training and in prediction."""

import numpy as np

from .c45_data import C45_LIMITS, c45_data
from .common import ENGINES, kernel_of, skip_unless


class ClassShares:
    """Rows of which a tenth or all values are missing; the latter visit all nodes."""

    params = (ENGINES, [0.1, 1.0], [100, 10**4])
    param_names = ("engine", "rate", "n")

    def setup(self, engine, rate, n):
        skip_unless(engine == "compiled" or n <= 100)
        X, y, n_categories = c45_data("categories", 10**4)
        limits = C45_LIMITS | {"confidence": 0.05}
        tree, _ = kernel_of("compiled", "grow_c45")(X, y, None, 2, n_categories=n_categories, **limits)
        names = ("children_left", "feature", "threshold", "child_offsets", "children", "category", "value")
        self.arrays = [np.asarray(tree[name]) for name in names]
        self.X = np.where(np.random.default_rng(1).random((n, X.shape[1])) < rate, np.nan, X[:n])
        self.class_shares = kernel_of(engine, "class_shares")

    def time_class_shares(self, engine, rate, n):
        self.class_shares(*self.arrays, self.X)
