"""Impurities of nodes and gains of cuts as functions of class counts."""

import numpy as np

from pytrees.criteria import CRITERIA, gain, impurity

from .common import ENGINES, kernel_of, skip_unless


def counts_of_cuts(n_cuts, n_classes, weighted):
    """Return the class counts of both children of every cut."""
    counts = np.random.default_rng(0).integers(1, 1000, size=(2, n_cuts, n_classes))
    return counts + 0.5 if weighted else counts


class Gains:
    params = ([name for name in CRITERIA if CRITERIA[name].judges == "counts"], [2, 10], [False, True])
    param_names = ("criterion", "n_classes", "weighted")

    def setup(self, criterion, n_classes, weighted):
        self.left, self.right = counts_of_cuts(10_000, n_classes, weighted)

    def time_gain(self, criterion, n_classes, weighted):
        gain(criterion, self.left, self.right)

    def time_impurity(self, criterion, n_classes, weighted):
        skip_unless(CRITERIA[criterion].has_impurity)
        impurity(criterion, self.left)


class Fractions:
    """Impurities of nodes as fractions, by which trees are pruned."""

    params = (ENGINES, ["gini", "ogini", "ranking"])
    param_names = ("engine", "criterion")

    def setup(self, engine, criterion):
        self.weighted_fractions = kernel_of(engine, "weighted_fractions")
        self.counts, _ = counts_of_cuts(10_000 if engine == "compiled" else 100, 4, False)

    def time_weighted_fractions(self, engine, criterion):
        self.weighted_fractions(criterion, self.counts)
