"""Fits of many rows by the estimators, against scikit-learn's: the cases of `ratios.py`."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, PermutationDecisionTreeClassifier

LIBRARIES = ["pytrees", "scikit-learn"]
CRITERIA = ["gini", "entropy"]


def informative_data(n, n_features=20, n_classes=2):
    return make_classification(n, n_features, n_informative=n_features // 2, n_classes=n_classes, random_state=0)


class FitCases:
    """Fits with unusual limits or data."""

    params = (
        LIBRARIES,
        CRITERIA,
        ["plain", "depth 8", "10 classes", "whole numbers", "whole weights", "float weights"],
    )
    param_names = ("library", "criterion", "case")
    timeout = 300

    def setup(self, library, criterion, case):
        n = 10**5
        self.X, self.y = informative_data(n, n_classes=10 if case == "10 classes" else 2)
        if case == "whole numbers":
            self.X = (self.X.argsort(axis=0).argsort(axis=0) * 32 // n).astype(np.float64)
        rng = np.random.default_rng(1)
        self.weights = {"whole weights": rng.integers(0, 4, size=n), "float weights": rng.gamma(2.0, size=n)}.get(case)
        tree_class = SklearnTreeClassifier if library == "scikit-learn" else DecisionTreeClassifier
        self.tree = tree_class(criterion=criterion, max_depth=8 if case == "depth 8" else None, random_state=0)

    def time_fit(self, library, criterion, case):
        self.tree.fit(self.X, self.y, sample_weight=self.weights)

    def peakmem_fit(self, library, criterion, case):
        self.tree.fit(self.X, self.y, sample_weight=self.weights)


class FitSizes:
    """Rows, features and classes, one of them growing at a time."""

    params = (
        CRITERIA,
        [(10**3, 20, 2), (10**4, 20, 2), (10**6, 20, 2), (20_000, 5, 2), (20_000, 160, 2), (50_000, 20, 100)],
    )
    param_names = ("criterion", "rows, features, classes")
    timeout = 300

    def setup(self, criterion, sizes):
        self.X, self.y = informative_data(*sizes)
        self.tree = DecisionTreeClassifier(criterion=criterion)

    def time_fit(self, criterion, sizes):
        self.tree.fit(self.X, self.y)

    def peakmem_fit(self, criterion, sizes):
        self.tree.fit(self.X, self.y)


class FitForest:
    params = (LIBRARIES, [(10_000, 100), (100_000, 10)], [1, 2])
    param_names = ("library", "rows, trees", "n_jobs")
    timeout = 300

    def setup(self, library, sizes, n_jobs):
        n, n_estimators = sizes
        self.X, self.y = informative_data(n)
        forest_class = RandomForestClassifier if library == "scikit-learn" else DecisionForestClassifier
        self.forest = forest_class(n_estimators=n_estimators, n_jobs=n_jobs, random_state=0)

    def time_fit(self, library, sizes, n_jobs):
        self.forest.fit(self.X, self.y)

    def peakmem_fit(self, library, sizes, n_jobs):
        self.forest.fit(self.X, self.y)


class FitPermutationTree:
    """Many rows, with a limit to the candidates of a node."""

    params = ([6_250, 12_500, 25_000],)
    param_names = ("n",)
    timeout = 300

    def setup(self, n):
        self.X, self.y = informative_data(n, n_features=10)
        self.tree = PermutationDecisionTreeClassifier(max_candidates=256)

    def time_fit(self, n):
        self.tree.fit(self.X, self.y)

    def peakmem_fit(self, n):
        self.tree.fit(self.X, self.y)
