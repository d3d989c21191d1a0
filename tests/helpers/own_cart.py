"""A CART of one's own, right or with one of several faults, to test the checks of other people's trees."""

from itertools import pairwise

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from pytrees.testing import TreeCheckError, check_tree_estimator

FAULTS = (
    "next threshold",
    "next cut",
    "strictly below",
    "predicts strictly below",
    "children unweighted",
    "weights ignored",
    "children by samples",
    "last of ties",
    "float16",
    "stops early",
    "splits pure nodes",
    "counts of parent",
    "forgets min_samples_leaf",
    "wrong gain",
    "depth-first",
)


class OwnCart(ClassifierMixin, BaseEstimator):
    """Gini and thresholds, by loops; `tree_` is a dict of arrays."""

    def __init__(self, fault=None, max_depth=None, min_samples_leaf=1, max_leaf_nodes=None):
        self.fault = fault
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes

    def fit(self, X, y, sample_weight=None):
        self.classes_, labels = np.unique(y, return_inverse=True)
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self._data = X, labels, weights
        self._nodes = [self._node(np.arange(len(y)), 0)]
        open_leaves = [0]
        n_leaves = 1
        while open_leaves and n_leaves < (self.max_leaf_nodes or np.inf):
            place = 0
            if self.max_leaf_nodes is not None and self.fault != "depth-first":
                place = int(np.argmax([self._nodes[node]["total_gain"] for node in open_leaves]))
            number = open_leaves.pop(place)
            node = self._nodes[number]
            if node["cut"] is None:
                continue
            n_leaves += 1
            self._split(node)
            open_leaves += [node["children_left"], node["children_right"]]
        names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
        self.tree_ = {name: np.array([node[name] for node in self._nodes]) for name in names}
        self.tree_["n_features"] = X.shape[1]
        return self

    def _node(self, rows, depth):
        counts = self._counts(rows, self._data[2])
        node = {"rows": rows, "depth": depth, "children_left": -1, "children_right": -1, "feature": -2}
        node |= {"threshold": -2.0, "n_node_samples": len(rows), "value": counts, "gain": 0.0, "cut": None}
        node["total_gain"] = -np.inf
        is_pure = np.count_nonzero(counts) < 2
        early = self.fault == "stops early" and len(rows) < 6
        if depth < (self.max_depth or np.inf) and not early and (not is_pure or self.fault == "splits pure nodes"):
            node["cut"] = self._best_cut(rows)
        if node["cut"] is not None:
            node["total_gain"] = node["cut"][0] * counts.sum()
        return node

    def _counts(self, rows, weights):
        return np.bincount(self._data[1][rows], weights=weights[rows], minlength=len(self.classes_))

    def _best_cut(self, rows):
        X = self._data[0]
        best, highest = None, -np.inf
        for feature in range(X.shape[1]):
            values = np.unique(X[rows, feature])
            cuts = list(pairwise(values))
            for number, (low, high) in enumerate(cuts):
                is_left = X[rows, feature] <= low
                least = 1 if self.fault == "forgets min_samples_leaf" else self.min_samples_leaf
                if min(is_left.sum(), (~is_left).sum()) < least:
                    continue
                gain = self._gain(rows, is_left)
                compared = float(np.float16(1.0 + gain)) if self.fault == "float16" else gain
                is_last = self.fault == "last of ties" and compared > highest - 1e-13
                if compared > highest + 1e-13 or is_last:
                    highest = compared
                    following = cuts[min(number + 1, len(cuts) - 1)]
                    best = (gain, feature, low, high, following, is_left)
        return best

    def _gain(self, rows, is_left):
        weights = np.ones(len(self._data[2])) if self.fault == "weights ignored" else self._data[2]
        sides = rows, rows[is_left], rows[~is_left]
        counts = [self._counts(side, weights) for side in sides]
        sizes = [
            len(side) if self.fault == "children by samples" else each.sum()
            for side, each in zip(sides, counts, strict=True)
        ]
        shares = [1.0, 1.0] if self.fault == "children unweighted" else [size / sizes[0] for size in sizes[1:]]
        impurity = [self._impurity(each) for each in counts]
        return impurity[0] - shares[0] * impurity[1] - shares[1] * impurity[2]

    def _impurity(self, counts):
        return 1 - ((counts / counts.sum()) ** 2).sum()

    def _split(self, node):
        gain, feature, low, high, following, is_left = node["cut"]
        rows, X = node["rows"], self._data[0]
        threshold = low / 2 + high / 2
        if self.fault == "next threshold":
            threshold = sum(following) / 2
        elif self.fault == "next cut":
            threshold = sum(following) / 2
            is_left = X[rows, feature] <= threshold
        elif self.fault in ("strictly below", "predicts strictly below"):
            threshold = high if self.fault == "strictly below" else low
        node |= {"feature": feature, "threshold": threshold, "gain": gain}
        if self.fault == "wrong gain":
            node["gain"] = gain * len(rows) / len(X)
        for name, side in (("children_left", rows[is_left]), ("children_right", rows[~is_left])):
            node[name] = len(self._nodes)
            self._nodes.append(self._node(side, node["depth"] + 1))
            if self.fault == "counts of parent":
                self._nodes[-1]["value"] = node["value"]

    def predict_proba(self, X):
        strictly = self.fault in ("strictly below", "predicts strictly below")
        shares = []
        for values in np.asarray(X):
            node = self._nodes[0]
            while node["feature"] >= 0:
                value, threshold = values[node["feature"]], node["threshold"]
                is_left = value < threshold if strictly else value <= threshold
                node = self._nodes[node["children_left" if is_left else "children_right"]]
            shares.append(node["value"] / node["value"].sum())
        return np.array(shares)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class OwnRegressionCart(RegressorMixin, OwnCart):
    """The same for numbers, by squared errors: a class stands for a target."""

    __sklearn_tags__ = RegressorMixin.__sklearn_tags__

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.targets_ = self.__dict__.pop("classes_")
        counts = self.tree_["value"]
        self.tree_["weighted_n_node_samples"] = counts.sum(axis=1)
        self.tree_["value"] = counts @ self.targets_ / counts.sum(axis=1)
        return self

    def _impurity(self, counts):
        shares = counts / counts.sum()
        return shares @ (self.classes_ - shares @ self.classes_) ** 2

    def predict(self, X):
        return self.predict_proba(X) @ self.targets_


def report_of(*args, **kwargs):
    """Return the report of `check_tree_estimator`, whether it finds errors or none."""
    try:
        return check_tree_estimator(*args, **kwargs)
    except TreeCheckError as error:
        return error.report
