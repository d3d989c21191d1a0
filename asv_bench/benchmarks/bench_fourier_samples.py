"""The joint measure: inner products of trees, and trees rebuilt from functions, over given samples."""

import numpy as np

from pytrees import AggregatedFourierTreeClassifier, DecisionForestClassifier
from pytrees.fourier import gram, ordinal_codes

from .common import classification_data


class Samples:
    params = ([10**3, 10**4], [10, 100])
    param_names = ("n", "n_trees")
    timeout = 300

    def setup(self, n, n_trees):
        self.X, self.y = classification_data(n, n_classes=3)
        self.forest = DecisionForestClassifier(n_trees, max_depth=6, random_state=0).fit(self.X, self.y)
        self.codes = ordinal_codes(self.forest)
        self.rows = self.codes.transform(self.X)

    def time_gram(self, n, n_trees):
        gram(self.codes.trees, self.codes.cardinalities, measure="joint", X=self.rows)

    def peakmem_gram(self, n, n_trees):
        gram(self.codes.trees, self.codes.cardinalities, measure="joint", X=self.rows)

    def track_smallest_eigenvalue(self, n, n_trees):
        products = gram(self.codes.trees, self.codes.cardinalities, measure="joint", X=self.rows)
        return float(np.linalg.eigvalsh(products)[0])


class Rebuild:
    """A tree of limited depth in the place of a forest of ten."""

    params = (["joint", "empirical"], [10**3, 10**4])
    param_names = ("measure", "n")
    timeout = 300

    def setup(self, measure, n):
        self.X, self.y = classification_data(n)
        forest = DecisionForestClassifier(10, max_depth=4, random_state=0)
        self.estimator = AggregatedFourierTreeClassifier(forest, measure=measure, max_depth=6)

    def time_fit(self, measure, n):
        self.estimator.fit(self.X, self.y)
