"""TCFS from spectra and from boxes, 32 leaves at most."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from pytrees import FourierSpectrum
from pytrees.fourier import ordinal_codes, tree_from_ensemble
from pytrees.fourier.boxes import Leaves, check_cardinalities
from pytrees.fourier.measures import measure_of

from .common import ENGINES, kernel_of, skip_unless
from .fourier_data import LIMITS, full_trees, multiway_trees


class Kernels:
    """A full tree on binary attributes."""

    params = (ENGINES, [3, 6, 9])
    param_names = ("engine", "depth")

    def setup(self, engine, depth):
        skip_unless(engine == "compiled" or depth <= 3)
        cardinalities = check_cardinalities([2] * 20)
        trees, values = full_trees(1, depth, cardinalities)
        measure = measure_of("uniform", cardinalities)
        leaves = Leaves(trees, cardinalities, values=values)
        self.of_boxes = leaves.boxes, leaves.values, leaves.tree_of_box, measure, *LIMITS
        spectrum = FourierSpectrum.from_tree(trees[0], cardinalities, values=values[0])
        columns = np.ascontiguousarray(spectrum.coefficients[:, np.newaxis])
        self.of_spectrum = spectrum.partitions, columns, measure, *LIMITS
        self.tree_from_boxes = kernel_of(engine, "tree_from_boxes")
        self.tree_from_spectrum = kernel_of(engine, "tree_from_spectrum")

    def time_tree_from_boxes(self, engine, depth):
        self.tree_from_boxes(*self.of_boxes)

    def time_tree_from_spectrum(self, engine, depth):
        self.tree_from_spectrum(*self.of_spectrum)


class Forest:
    """One tree of a scikit-learn forest on Breast Cancer."""

    params = ([100, 500], ["uniform", "empirical"])
    param_names = ("n_trees", "measure")

    def setup(self, n_trees, measure):
        X, y = load_breast_cancer(return_X_y=True)
        self.codes = ordinal_codes(RandomForestClassifier(n_trees, random_state=0).fit(X, y))
        self.arguments = {"measure": measure, "X": self.codes.transform(X) if measure == "empirical" else None}

    def time_tree_of_32_leaves(self, n_trees, measure):
        tree_from_ensemble(self.codes.trees, self.codes.cardinalities, max_leaf_nodes=32, **self.arguments)

    def time_tree_of_depth_6(self, n_trees, measure):
        tree_from_ensemble(self.codes.trees, self.codes.cardinalities, max_depth=6, **self.arguments)


class Multiway:
    """A child for every value: one tree of a full one on attributes of 4 values, with and without its spectrum."""

    params = (ENGINES, [1, 2, 4])
    param_names = ("engine", "depth")

    def setup(self, engine, depth):
        skip_unless(engine == "compiled" or depth == 1)
        cardinalities = check_cardinalities([4] * 20)
        trees, values = multiway_trees(1, depth, cardinalities)
        measure = measure_of("uniform", cardinalities)
        leaves = Leaves(trees, cardinalities, values=values)
        limits = *LIMITS, np.ones(20, dtype=bool)
        self.of_boxes = leaves.boxes, leaves.values, leaves.tree_of_box, measure, *limits
        spectrum = FourierSpectrum.from_tree(trees[0], cardinalities, values=values[0])
        columns = np.ascontiguousarray(spectrum.coefficients[:, np.newaxis])
        self.of_spectrum = spectrum.partitions, columns, measure, *limits
        self.tree_from_boxes = kernel_of(engine, "tree_from_boxes")
        self.tree_from_spectrum = kernel_of(engine, "tree_from_spectrum")

    def time_tree_from_boxes(self, engine, depth):
        self.tree_from_boxes(*self.of_boxes)

    def time_tree_from_spectrum(self, engine, depth):
        self.tree_from_spectrum(*self.of_spectrum)


class MultiwayEnsemble:
    """One tree of 32 leaves at most, of trees on 100 attributes of 4 values, a third of the values absent."""

    params = ([100, 500],)
    param_names = ("n_trees",)

    def setup(self, n_trees):
        self.cardinalities = [4] * 100
        self.trees, _ = multiway_trees(n_trees, 3, self.cardinalities, absent=0.33)

    def time_tree_of_32_leaves(self, n_trees):
        tree_from_ensemble(self.trees, self.cardinalities, max_leaf_nodes=32)

    def time_tree_of_thresholds(self, n_trees):
        tree_from_ensemble(self.trees, self.cardinalities, max_leaf_nodes=32, categorical_features=[])
