"""Estimators on public data: the compiled engine, the reference and scikit-learn."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    config_context,
)

from .common import ENGINES, classification_data, skip_unless

DATASETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}


def shuffled(dataset):
    """Return (X, y) in a random order: as they come, the rows are sorted by class."""
    X, y = DATASETS[dataset](return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


class Tree:
    params = ([*ENGINES, "scikit-learn"], ["gini", "entropy"], list(DATASETS))
    param_names = ("engine", "criterion", "dataset")
    timeout = 300

    def setup(self, engine, criterion, dataset):
        skip_unless(engine != "reference" or dataset == "iris")
        self.X, self.y = shuffled(dataset)
        tree_class = SklearnTreeClassifier if engine == "scikit-learn" else DecisionTreeClassifier
        self.tree = tree_class(criterion=criterion, random_state=0)
        self.engine = "reference" if engine == "reference" else "compiled"
        self.fitted = tree_class(criterion=criterion, random_state=0).fit(self.X, self.y)

    def time_fit(self, engine, criterion, dataset):
        with config_context(engine=self.engine):
            self.tree.fit(self.X, self.y)

    def time_predict(self, engine, criterion, dataset):
        with config_context(engine=self.engine):
            self.fitted.predict(self.X)


class LargeTree:
    params = (["pytrees", "scikit-learn"], [10**4, 10**5])
    param_names = ("library", "n")
    timeout = 300

    def setup(self, library, n):
        self.X, self.y = classification_data(n)
        self.tree = SklearnTreeClassifier(random_state=0) if library == "scikit-learn" else DecisionTreeClassifier()

    def time_fit(self, library, n):
        self.tree.fit(self.X, self.y)

    def peakmem_fit(self, library, n):
        self.tree.fit(self.X, self.y)


class PermutationTree:
    params = (ENGINES, list(DATASETS))
    param_names = ("engine", "dataset")
    timeout = 300

    def setup(self, engine, dataset):
        skip_unless(engine == "compiled" or dataset == "iris")
        self.X, self.y = shuffled(dataset)

    def time_fit(self, engine, dataset):
        with config_context(engine=engine):
            PermutationDecisionTreeClassifier().fit(self.X, self.y)

    def track_node_count(self, engine, dataset):
        with config_context(engine=engine):
            return PermutationDecisionTreeClassifier().fit(self.X, self.y).tree_.node_count

    track_node_count.unit = "nodes"


class PermutationForest:
    params = (["permutation", "random"], list(DATASETS), [1, 2])
    param_names = ("forest", "dataset", "n_jobs")
    timeout = 300

    def setup(self, forest, dataset, n_jobs):
        self.X, self.y = shuffled(dataset)
        forest_class = PermutationDecisionForestClassifier if forest == "permutation" else RandomForestClassifier
        self.forest = forest_class(n_estimators=10, n_jobs=n_jobs, random_state=0).fit(self.X, self.y)

    def time_fit(self, forest, dataset, n_jobs):
        self.forest.fit(self.X, self.y)

    def time_predict(self, forest, dataset, n_jobs):
        self.forest.predict(self.X)

    def peakmem_fit(self, forest, dataset, n_jobs):
        self.forest.fit(self.X, self.y)


class LargeForest:
    params = (["pytrees", "scikit-learn"], [1, 2])
    param_names = ("library", "n_jobs")
    timeout = 300

    def setup(self, library, n_jobs):
        self.X, self.y = classification_data(10**4)
        forest_class = RandomForestClassifier if library == "scikit-learn" else DecisionForestClassifier
        self.forest = forest_class(n_estimators=10, n_jobs=n_jobs, random_state=0)
        self.fitted = forest_class(n_estimators=10, n_jobs=n_jobs, random_state=0).fit(self.X, self.y)

    def time_fit(self, library, n_jobs):
        self.forest.fit(self.X, self.y)

    def time_predict(self, library, n_jobs):
        self.fitted.predict(self.X)

    def peakmem_fit(self, library, n_jobs):
        self.forest.fit(self.X, self.y)
