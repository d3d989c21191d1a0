"""Minimal cost-complexity pruning: the whole path of a tree, exact for gini, by logarithms for entropy."""

from pytrees import DecisionTreeClassifier, config_context
from pytrees.pruning import pruning_path

from .common import ENGINES, classification_data, skip_unless


class Path:
    params = (ENGINES, ["gini", "entropy", "wig"], [10**3, 10**4, 10**5])
    param_names = ("engine", "criterion", "n")
    timeout = 300

    def setup(self, engine, criterion, n):
        skip_unless(engine == "compiled" or n == 10**3)
        X, y = classification_data(n, n_classes=3)
        # A tree of another criterion can be pruned by this one: the time is that of pruning alone.
        self.tree = DecisionTreeClassifier().fit(X, y).tree_

    def time_path(self, engine, criterion, n):
        with config_context(engine=engine):
            pruning_path(self.tree, criterion)

    def track_nodes(self, engine, criterion, n):
        return self.tree.node_count

    track_nodes.unit = "nodes"
