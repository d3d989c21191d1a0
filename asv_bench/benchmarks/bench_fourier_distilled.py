"""Boosted models in a few orthogonal trees, and models of blocks of data, one after the other."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier

from pytrees import DecisionForestClassifier
from pytrees.fourier import ModelStream, additive_model, distil


class Distilled:
    """scikit-learn's histogram gradient boosting on Breast Cancer."""

    params = ([100, 500], ["empirical", "joint"], [1, 5])
    param_names = ("n_trees", "measure", "n_distilled")

    def setup(self, n_trees, measure, n_distilled):
        self.X, y = load_breast_cancer(return_X_y=True)
        boosted = HistGradientBoostingClassifier(max_iter=n_trees, max_leaf_nodes=8, random_state=0).fit(self.X, y)
        self.model = additive_model(boosted)

    def time_distil(self, n_trees, measure, n_distilled):
        distil(self.model, self.X, n_trees=n_distilled, max_leaf_nodes=16, measure=measure)

    def track_share_of_the_variance(self, n_trees, measure, n_distilled):
        few = distil(self.model, self.X, n_trees=n_distilled, max_leaf_nodes=16, measure=measure)
        return float(few.explained_variance_ratio.sum())


class Streams:
    """One more block of data after a number of models of 5 trees each."""

    params = ([5, 40], ["empirical", "joint"])
    param_names = ("n_models", "measure")

    def setup(self, n_models, measure):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(500, 10)), rng.integers(0, 2, 500)
        forest = DecisionForestClassifier(5, max_depth=5, random_state=0)
        self.stream = ModelStream(forest, X, max_models=n_models, measure=measure)
        self.newest = forest.fit(X, y)
        for _ in range(n_models):
            self.stream.add(self.newest)

    def time_add(self, n_models, measure):
        self.stream.add(self.newest)
