"""Traversal: leaves, paths and features looked at, for rows that the tree has not seen."""

import numpy as np

from .common import ENGINES, classification_data, count_instructions, grow, has_valgrind, kernel_of, skip_unless


def tree_and_rows(n_leaves, n):
    """Make the arrays that the kernels take: a tree with a number of leaves, and n new rows."""
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
        self.apply = kernel_of(engine, "apply")
        self.decision_path = kernel_of(engine, "decision_path")
        self.feature_usage = kernel_of(engine, "feature_usage")

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
        self.decision_path = kernel_of("compiled", "decision_path")

    def peakmem_decision_path(self, n_leaves):
        self.decision_path(*self.arguments)


class Packed:
    """The walks of many rows, ten side by side, in a tree and in a forest of equal trees."""

    params = (ENGINES, [16, 1024], [10**3, 10**5])
    param_names = ("engine", "n_leaves", "n")

    def setup(self, engine, n_leaves, n):
        skip_unless(engine == "compiled" or n <= 10**3)
        *arrays, self.X = tree_and_rows(n_leaves, n)
        self.find_leaves = kernel_of(engine, "find_leaves")
        self.pack_forest, self.sum_leaves = kernel_of(engine, "pack_forest"), kernel_of(engine, "sum_leaves")
        rng = np.random.default_rng(0)
        n_nodes = len(arrays[0])
        self.nodes = np.arange(n_nodes)
        self.trees = [(*arrays, None)] * 10
        self.tree = self.pack_forest(self.trees[:1], [self.nodes], n_nodes)
        self.votes = [rng.integers(0, 3, n_nodes)] * 10
        self.values = [rng.random((n_nodes, 3))] * 10
        self.voting = self.pack_forest(self.trees, self.votes, 3)
        self.summing = self.pack_forest(self.trees, self.values, 3)

    def time_pack_tree(self, engine, n_leaves, n):
        self.pack_forest(self.trees[:1], [self.nodes], len(self.nodes))

    def time_find_leaves(self, engine, n_leaves, n):
        self.find_leaves(self.tree, self.X)

    def time_pack_forest(self, engine, n_leaves, n):
        self.pack_forest(self.trees, self.values, 3)

    def time_sum_votes(self, engine, n_leaves, n):
        self.sum_leaves(self.voting, self.X)

    def time_sum_values(self, engine, n_leaves, n):
        self.sum_leaves(self.summing, self.X)


class Instructions:
    params = (["apply", "decision_path", "feature_usage"],)
    param_names = ("kernel",)

    def setup(self, kernel):
        skip_unless(has_valgrind())
        self.arguments = tree_and_rows(64, 10**4)

    def track_instructions(self, kernel):
        return count_instructions(kernel, *self.arguments)

    track_instructions.unit = "instructions"
