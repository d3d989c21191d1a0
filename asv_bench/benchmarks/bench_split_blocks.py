"""Cuts of one node and of its subtree: sorted in one block, and in bins of few whole numbers (`split.bins`)."""

import numpy as np

from .common import classification_data, grow


class Block:
    """All samples sorted once: cuts by Gini are scored side by side, those by entropy one by one."""

    params = (["gini", "entropy"], [2, 10], [1, 31])
    param_names = ("criterion", "n_classes", "max_depth")

    def setup(self, criterion, n_classes, max_depth):
        self.X, self.y = classification_data(10**4, n_classes=n_classes)

    def time_grow(self, criterion, n_classes, max_depth):
        grow("compiled", self.X, self.y, criterion, max_depth=max_depth, block_rows=len(self.X))


class FewWholeNumbers:
    """Whole numbers 0..31, which have a bin each, beside features of other values."""

    params = (["gini", "entropy"], [2, 10], [0, 2, 20])
    param_names = ("criterion", "n_classes", "n_others")

    def setup(self, criterion, n_classes, n_others):
        X, self.y = classification_data(10**4, n_classes=n_classes)
        whole = (X.argsort(axis=0).argsort(axis=0) * 32 // len(X)).astype(np.float64)
        self.X = np.hstack([X[:, :n_others], whole[:, n_others:]])

    def time_grow(self, criterion, n_classes, n_others):
        grow("compiled", self.X, self.y, criterion)
