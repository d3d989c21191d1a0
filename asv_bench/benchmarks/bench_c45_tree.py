"""C4.5: growth and pruning of whole trees."""

import numpy as np

from .c45_data import C45_LIMITS, KINDS, c45_data
from .common import ENGINES, kernel_of, skip_unless


class Grow:
    params = (ENGINES, KINDS, [100, 10**3, 10**4])
    param_names = ("engine", "kind", "n")
    timeout = 300

    def setup(self, engine, kind, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.y, self.n_categories = c45_data(kind, n)
        self.grow_tree = kernel_of(engine, "grow_c45")

    def time_grow(self, engine, kind, n):
        self.grow_tree(self.X, self.y, None, 2, n_categories=self.n_categories, **C45_LIMITS)


class CompiledGrow:
    """Time and memory of growth, pruning and raising."""

    params = (KINDS, ["unpruned", "pruned", "raised"])
    param_names = ("kind", "pruning")
    timeout = 300

    def setup(self, kind, pruning):
        self.X, self.y, self.n_categories = c45_data(kind, 10**4)
        self.grow_tree = kernel_of("compiled", "grow_c45")
        self.limits = C45_LIMITS | {
            "confidence": None if pruning == "unpruned" else 0.25,
            "subtree_raising": pruning == "raised",
        }

    def grow(self):
        return self.grow_tree(self.X, self.y, None, 2, n_categories=self.n_categories, **self.limits)

    def time_grow(self, kind, pruning):
        self.grow()

    def peakmem_grow(self, kind, pruning):
        self.grow()

    def track_nodes(self, kind, pruning):
        return len(self.grow()[0]["feature"])


class Chain:
    """A tree as deep as there are features, each of which sends four rows aside: the worst case of raising."""

    params = ([50, 100],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = np.repeat(np.eye(n_features), 4, axis=0)
        self.y = (np.arange(4 * n_features) // 4 % 2).astype(np.int32)
        self.y[::7] ^= 1
        self.n_categories = np.full(n_features, 2)
        self.grow_tree = kernel_of("compiled", "grow_c45")

    def time_grow(self, n_features):
        self.grow_tree(self.X, self.y, None, 2, n_categories=self.n_categories, **C45_LIMITS)


class PessimisticErrors:
    params = (ENGINES,)
    param_names = ("engine",)

    def setup(self, engine):
        self.pessimistic_errors = kernel_of(engine, "pessimistic_errors")

    def time_pessimistic_errors(self, engine):
        for errors in (0.0, 0.5, 1.0, 10.0):
            self.pessimistic_errors(100.0, errors, 0.25)
