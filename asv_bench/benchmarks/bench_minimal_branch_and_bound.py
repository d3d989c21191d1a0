"""Trees of least error within limits: the kernels branch_and_bound and subproblem_cache."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from pytrees import optimal_tree

from .common import ENGINES, classification_data, count_instructions, has_valgrind, kernel_of, skip_unless

UNLIMITED = 2**31 - 1


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
        kernel_of(engine, "cheapest_tree")(self.X, self.y, n_classes, (1, 0), 2, UNLIMITED)


class Instructions:
    timeout = 600

    def setup(self):
        skip_unless(has_valgrind())
        self.X, y = load_breast_cancer(return_X_y=True)
        self.y = y.astype(np.int32)

    def track_instructions(self):
        return count_instructions("cheapest_tree", self.X, self.y, 2, (1, 0), 2, UNLIMITED)

    track_instructions.unit = "instructions"
