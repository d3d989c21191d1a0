"""Our estimators by scikit-learn's names, whose fitted trees have `value` in scikit-learn's shape: shares of classes,
or numbers, of shape (node_count, 1, n_classes or 1). Samples are rounded to float32, as there."""

import numpy as np

from . import stand_ins
from .stand_ins import RandomForestClassifier, RandomForestRegressor

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "RandomForestClassifier", "RandomForestRegressor"]


class Tree:
    """A fitted tree; `value` alone differs."""

    def __init__(self, tree):
        self._tree = tree
        self.value = (tree.value if tree.is_regressor else tree.shares)[:, np.newaxis]

    def __getattr__(self, name):
        if name.startswith("__") or name == "_tree":
            raise AttributeError(name)
        return getattr(self._tree, name)


class OfShares:
    """A tree estimator that rounds samples, and changes its fitted tree."""

    def fit(self, X, y, sample_weight=None):
        super().fit(np.asarray(X, dtype=np.float32), y, sample_weight=sample_weight)
        self.tree_ = Tree(self.tree_)
        return self


class DecisionTreeClassifier(OfShares, stand_ins.DecisionTreeClassifier):
    pass


class DecisionTreeRegressor(OfShares, stand_ins.DecisionTreeRegressor):
    def predict(self, X):
        return super().predict(X).ravel()
