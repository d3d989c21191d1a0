"""Prediction by whole calls, validation included, against scikit-learn: one row, some, many."""

from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import DecisionForestClassifier, DecisionTreeClassifier

from .bench_fit import LIBRARIES, informative_data

CLASSES = {
    ("tree", "pytrees"): DecisionTreeClassifier,
    ("tree", "scikit-learn"): SklearnTreeClassifier,
    ("forest", "pytrees"): DecisionForestClassifier,
    ("forest", "scikit-learn"): RandomForestClassifier,
}


class Predict:
    params = (LIBRARIES, ["tree", "forest"], [None, 8], [1, 10**3, 10**5])
    param_names = ("library", "model", "max_depth", "n")
    timeout = 300

    def setup(self, library, model, max_depth, n):
        X, y = informative_data(120_000)
        size = {"n_estimators": 100, "n_jobs": 2} if model == "forest" else {}
        self.model = CLASSES[model, library](max_depth=max_depth, random_state=0, **size)
        self.model.fit(X[n : n + 20_000], y[n : n + 20_000])
        if model == "forest":
            self.model.n_jobs = 1
        self.X = X[:n]
        self.model.predict(self.X)

    def time_predict(self, library, model, max_depth, n):
        self.model.predict(self.X)

    def time_predict_proba(self, library, model, max_depth, n):
        self.model.predict_proba(self.X)
