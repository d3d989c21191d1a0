"""Trees of least error within limits: the kernels best_tree, cost_search, cut_lists and two_levels."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from pytrees import optimal_tree
from pytrees.trees.search_columns import SearchColumns

from .common import ENGINES, classification_data, count_instructions, has_valgrind, kernel_of, skip_unless

UNLIMITED = 2**31 - 1


def as_ranks(X, y, n_classes):
    """Return the first arguments of the kernel: ranks, classes, weights of 1, and no matrix of costs."""
    return SearchColumns(X).ranks, y, np.ones(len(y), dtype=np.int64), None, n_classes


class PublicData:
    params = (["cancer, 2 levels", "cancer, 3 levels", "cancer, 4 levels", "cancer, alpha", "wine, 5 leaves"],)
    param_names = ("problem",)
    timeout = 300

    def setup(self, problem):
        name, limit = problem.split(", ")
        self.X, self.y = (load_breast_cancer if name == "cancer" else load_wine)(return_X_y=True)
        self.limits = {"alpha": 0.04} if limit == "alpha" else {"max_depth": int(limit[0])}
        if limit.endswith("leaves"):
            self.limits = {"max_leaf_nodes": int(limit[0])}

    def time_optimal_tree(self, problem):
        optimal_tree(self.X, self.y, **self.limits)

    def track_subproblems(self, problem):
        return optimal_tree(self.X, self.y, **self.limits).n_subproblems

    track_subproblems.unit = "sets of samples"


class Small:
    params = (ENGINES, [2, 3])
    param_names = ("engine", "n_classes")

    def setup(self, engine, n_classes):
        self.X, self.y = classification_data(16, n_features=3, n_classes=n_classes, n_values=8)

    def time_cheapest_tree(self, engine, n_classes):
        kernel_of(engine, "cheapest_tree")(*as_ranks(self.X, self.y, n_classes), 0, 2, UNLIMITED, 1)


class Instructions:
    timeout = 600

    def setup(self):
        skip_unless(has_valgrind())
        self.X, y = load_breast_cancer(return_X_y=True)
        self.y = y.astype(np.int32)

    def track_instructions(self):
        return count_instructions("cheapest_tree", *as_ranks(self.X, self.y, 2), 0, 2, UNLIMITED, 1)

    track_instructions.unit = "instructions"
