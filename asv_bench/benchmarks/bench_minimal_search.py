"""The smallest consistent trees of data as in Fig. 5 of Späh and Kosub, and redundant splits."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from pytrees import DecisionTreeClassifier, Tree, merge_redundant, minimal_tree
from pytrees.datasets import make_from_random_tree

from .common import ENGINES, classification_data, count_instructions, has_valgrind, kernel_of, skip_unless

TIME_LIMIT = 20.0


def on_a_grid(n_nodes, n_values, seed):
    """Make features of `n_values` values each, and labels of a random tree with thresholds between the values."""
    X, _, tree = make_from_random_tree(n_nodes=n_nodes, random_state=seed)
    cuts = np.where(tree.feature >= 0, np.clip(np.round(tree.threshold * n_values), 1, n_values - 1) - 0.5, -2.0)
    on_grid = Tree(
        tree.children_left,
        tree.children_right,
        tree.feature,
        cuts,
        tree.n_node_samples,
        tree.value,
        tree.gain,
        tree.n_features,
    )
    X = np.floor(X * n_values)
    return X, on_grid.predict(X)


class RandomTrees:
    params = (["real", "8 values"], [9, 13, 17, 23])
    param_names = ("features", "n_nodes")
    timeout = 600

    def setup(self, features, n_nodes):
        if features == "real":
            self.data = [make_from_random_tree(n_nodes=n_nodes, random_state=seed)[:2] for seed in range(5)]
        else:
            self.data = [on_a_grid(n_nodes, 8, seed) for seed in range(5)]

    def time_minimal_trees(self, features, n_nodes):
        for X, y in self.data:
            minimal_tree(X, y, time_limit=TIME_LIMIT)

    def track_subproblems(self, features, n_nodes):
        return sum(minimal_tree(X, y, time_limit=TIME_LIMIT).n_subproblems for X, y in self.data)

    track_subproblems.unit = "sets of samples"


class ManyFeatures:
    """Proofs that come from few samples."""

    params = ([(500, 20), (2_000, 10)],)
    param_names = ("shape",)
    timeout = 600

    def setup(self, shape):
        self.data = [make_from_random_tree(*shape, 3, 17, random_state=seed)[:2] for seed in (0, 1, 3)]

    def time_minimal_trees(self, shape):
        for X, y in self.data:
            minimal_tree(X, y)

    def track_subproblems(self, shape):
        return sum(minimal_tree(X, y).n_subproblems for X, y in self.data)

    track_subproblems.unit = "sets of samples"


class PublicData:
    """Wine is proven; Breast Cancer is not within the time."""

    def setup(self):
        self.wine = load_wine(return_X_y=True)
        self.cancer = load_breast_cancer(return_X_y=True)

    def time_wine(self):
        minimal_tree(*self.wine)

    def track_nodes_after_a_second(self):
        return minimal_tree(*self.cancer, time_limit=1.0).tree.node_count

    def track_bound_after_five_seconds(self):
        return minimal_tree(*self.cancer, time_limit=5.0).lower_bound

    track_nodes_after_a_second.unit = track_bound_after_five_seconds.unit = "nodes"


class Rollouts:
    params = (ENGINES,)
    param_names = ("engine",)

    def setup(self, engine):
        self.X, self.y = classification_data(16, n_features=3, n_values=8)
        self.X = self.X + np.arange(16)[:, np.newaxis] / 16  # no two rows are equal

    def time_small_tree(self, engine):
        kernel_of(engine, "small_tree")(self.X, self.y, 2)


class Small:
    params = (ENGINES,)
    param_names = ("engine",)

    def setup(self, engine):
        X, self.y = classification_data(16, n_features=3, n_values=8)
        self.X = X + np.arange(16)[:, np.newaxis] / 16  # no two rows are equal

    def time_minimal_tree(self, engine):
        kernel_of(engine, "minimal_tree")(self.X, self.y, 2)


class Memory:
    params = ([2**20, 2**28],)
    param_names = ("memory_limit",)

    def peakmem_minimal_tree(self, memory_limit):
        X, y, _ = make_from_random_tree(n_nodes=23, random_state=0)
        minimal_tree(X, y, memory_limit=memory_limit, time_limit=TIME_LIMIT)


class Redundancy:
    def setup(self):
        X, y = classification_data(20_000, n_classes=3)
        self.tree = DecisionTreeClassifier(max_features=1, random_state=0).fit(X, y).tree_

    def time_merge_redundant(self):
        merge_redundant(self.tree)


class Instructions:
    timeout = 600

    def setup(self):
        skip_unless(has_valgrind())
        self.X, self.y, _ = make_from_random_tree(n_nodes=17, random_state=0)

    def track_instructions(self):
        y = self.y.astype(np.int32)
        return count_instructions("minimal_tree", self.X, y, 4)

    track_instructions.unit = "instructions"
