"""Distances of clusterings: from labels, and from the table of the intersections."""

import numpy as np

from pytrees.distances import DISTANCES, clustering_distance

from .common import ENGINES, kernel_of, skip_unless


class ClusteringDistance:
    params = (list(DISTANCES), [10**3, 10**6])
    param_names = ("distance", "n")

    def setup(self, distance, n):
        rng = np.random.default_rng(0)
        self.y_true = rng.integers(10, size=n)
        self.y_pred = np.where(rng.random(n) < 0.7, self.y_true, rng.integers(10, size=n))

    def time_distance(self, distance, n):
        clustering_distance(self.y_true, self.y_pred, distance)


class TableDistance:
    params = (ENGINES, list(DISTANCES), [3, 100])
    param_names = ("engine", "distance", "n_classes")

    def setup(self, engine, distance, n_classes):
        skip_unless(engine == "compiled" or n_classes == 3)
        self.table_distance = kernel_of(engine, "table_distance")
        self.table = np.random.default_rng(0).integers(50, size=(n_classes, n_classes))

    def time_distance(self, engine, distance, n_classes):
        self.table_distance(self.table, distance)
