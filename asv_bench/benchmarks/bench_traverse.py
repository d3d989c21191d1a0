"""Traversal: leaves, paths and features looked at, for rows that the tree has not seen."""

import numpy as np

from .common import ENGINES, classification_data, count_instructions, grow, has_valgrind, kernel_of, skip_unless


def tree_and_rows(n_leaves, n):
    """The arrays that the kernels take: a tree of so many leaves, and n new rows."""
    X, y = classification_data(n + 20_000, n_classes=3)
    tree = grow("compiled", X[n:], y[n:], "gini", max_leaf_nodes=n_leaves)
    arrays = [np.asarray(tree[name]) for name in ("children_left", "children_right", "feature", "threshold")]
    return *arrays, X[:n]


class Traverse:
    params = (ENGINES, [16, 1024], [10**3, 10**5])
    param_names = ("engine", "n_leaves", "n")

    def setup(self, engine, n_leaves, n):
        skip_unless(engine == "compiled" or n <= 10**3)
        self.arguments = tree_and_rows(n_leaves, n)
        self.apply = kernel_of(engine, "traverse", "apply")
        self.decision_path = kernel_of(engine, "traverse", "decision_path")
        self.feature_usage = kernel_of(engine, "traverse", "feature_usage")

    def time_apply(self, engine, n_leaves, n):
        self.apply(*self.arguments)

    def time_decision_path(self, engine, n_leaves, n):
        self.decision_path(*self.arguments)

    def time_feature_usage(self, engine, n_leaves, n):
        self.feature_usage(*self.arguments)


class CompiledTraverse:
    params = ([16, 1024],)
    param_names = ("n_leaves",)

    def setup(self, n_leaves):
        self.arguments = tree_and_rows(n_leaves, 10**5)
        self.decision_path = kernel_of("compiled", "traverse", "decision_path")

    def peakmem_decision_path(self, n_leaves):
        self.decision_path(*self.arguments)


class Instructions:
    params = (["apply", "decision_path", "feature_usage"],)
    param_names = ("kernel",)

    def setup(self, kernel):
        skip_unless(has_valgrind())
        self.arguments = tree_and_rows(64, 10**4)

    def track_instructions(self, kernel):
        return count_instructions("traverse", kernel, *self.arguments)

    track_instructions.unit = "instructions"
