"""Criteria in plain Python: Gini impurity, Effort-To-Compress and variance once more, beside the engine's own."""

import numpy as np

from pytrees import DecisionTreeClassifier, DecisionTreeRegressor, effort_to_compress
from pytrees.criteria import CountCriterion, SequenceCriterion, SumCriterion

from .common import classification_data


class Gini(CountCriterion):
    def gains(self, left, right):
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        n = n_left + n_right
        squares = (left**2).sum(axis=1) / n_left + (right**2).sum(axis=1) / n_right
        return squares / n - ((left + right) ** 2).sum(axis=1) / n**2


class GiniFeatureByFeature(Gini):
    per_feature = True


class Effort(SequenceCriterion):
    def impurity(self, labels):
        return effort_to_compress(labels)


COUNTS = {"gini": "gini", "in Python": Gini(), "in Python, feature by feature": GiniFeatureByFeature()}
SEQUENCES = {"etc": "etc", "in Python": Effort()}


class FitByCounts:
    params = (list(COUNTS), [2, 10], [10**3, 10**4])
    param_names = ("criterion", "n_classes", "n")

    def setup(self, criterion, n_classes, n):
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_fit(self, criterion, n_classes, n):
        DecisionTreeClassifier(COUNTS[criterion]).fit(self.X, self.y)

    def peakmem_fit(self, criterion, n_classes, n):
        DecisionTreeClassifier(COUNTS[criterion]).fit(self.X, self.y)


class FitBySequences:
    params = (list(SEQUENCES), [100, 300])
    param_names = ("criterion", "n")

    def setup(self, criterion, n):
        self.X, self.y = classification_data(n)

    def time_fit(self, criterion, n):
        DecisionTreeClassifier(SEQUENCES[criterion], max_depth=3).fit(self.X, self.y)


class Variance(SumCriterion):
    def gains(self, left, right):
        difference = left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0]
        return left[:, 0] * right[:, 0] / (left[:, 0] + right[:, 0]) ** 2 * difference**2


SUMS = {"squared error": "squared_error", "in Python": Variance()}


class FitBySums:
    params = (list(SUMS), [10**3, 10**4])
    param_names = ("criterion", "n")

    def setup(self, criterion, n):
        self.X, labels = classification_data(n)
        self.y = labels + np.random.default_rng(0).normal(size=n)

    def time_fit(self, criterion, n):
        DecisionTreeRegressor(SUMS[criterion]).fit(self.X, self.y)
