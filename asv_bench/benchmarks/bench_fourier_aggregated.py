"""One tree made of an ensemble, or rebuilt from a tree."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

from pytrees import AggregatedFourierTreeClassifier, DecisionTreeClassifier, ReconstructedFourierTree, config_context

from .common import ENGINES, skip_unless


class Aggregated:
    """A forest of scikit-learn on Breast Cancer, fitted already."""

    params = ([100, 500], ["uniform", "empirical"])
    param_names = ("n_trees", "measure")

    def setup(self, n_trees, measure):
        X, y = load_breast_cancer(return_X_y=True)
        self.X, self.X_test, self.y, self.y_test = train_test_split(X, y, stratify=y, random_state=0)
        forest = RandomForestClassifier(n_trees, random_state=0).fit(self.X, self.y)
        self.estimator = AggregatedFourierTreeClassifier(FrozenEstimator(forest), measure=measure)

    def time_fit(self, n_trees, measure):
        self.estimator.fit(self.X, self.y)

    def peakmem_fit(self, n_trees, measure):
        self.estimator.fit(self.X, self.y)

    def track_accuracy(self, n_trees, measure):
        return self.estimator.fit(self.X, self.y).score(self.X_test, self.y_test)

    def track_merged_nodes(self, n_trees, measure):
        return self.estimator.fit(self.X, self.y).merged_node_count_


class Tolerance:
    """Nodes of small variance are leaves: the exact energy of a node takes all pairs of boxes."""

    params = ([0.0, 1e-3, 1e-2, 5e-2],)
    param_names = ("tol",)

    def setup(self, tol):
        self.X, self.y = load_breast_cancer(return_X_y=True)
        forest = RandomForestClassifier(500, random_state=0).fit(self.X, self.y)
        self.estimator = AggregatedFourierTreeClassifier(FrozenEstimator(forest), tol=tol)

    def time_fit(self, tol):
        self.estimator.fit(self.X, self.y)


class Reconstructed:
    """A tree of Breast Cancer from its spectrum, whole and truncated."""

    params = (ENGINES, [None, 0.9])
    param_names = ("engine", "energy")

    def setup(self, engine, energy):
        skip_unless(engine == "compiled" or energy is None)
        self.X, self.y = load_breast_cancer(return_X_y=True)
        tree = DecisionTreeClassifier("entropy", max_depth=3).fit(self.X, self.y)
        self.estimator = ReconstructedFourierTree(FrozenEstimator(tree), energy=energy, max_leaf_nodes=8)

    def time_fit(self, engine, energy):
        with config_context(engine=engine):
            self.estimator.fit(self.X, self.y)
