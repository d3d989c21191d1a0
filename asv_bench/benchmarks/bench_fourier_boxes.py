"""Inner products and schema averages without spectra, and the codes of a forest."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from pytrees.fourier import gram, ordinal_codes
from pytrees.fourier.boxes import Leaves, box_of_schema, check_cardinalities
from pytrees.fourier.measures import measure_of

from .common import ENGINES, kernel_of, skip_unless
from .fourier_data import full_trees, multiway_trees


class Boxes:
    """Full trees on attributes of 100 values."""

    params = (ENGINES, [2, 10, 50], [3, 6])
    param_names = ("engine", "n_trees", "depth")

    def setup(self, engine, n_trees, depth):
        skip_unless(engine == "compiled" or (n_trees, depth) == (2, 3))
        self.cardinalities = check_cardinalities([100] * 20)
        self.trees, values = full_trees(n_trees, depth, self.cardinalities)
        self.leaves = Leaves(self.trees, self.cardinalities, values=values)
        self.measure = measure_of("uniform", self.cardinalities)
        self.schema = box_of_schema({0: 1, 3: range(10, 60)}, self.cardinalities)
        self.kernels = {name: kernel_of(engine, name) for name in ("gram", "box_averages", "leaf_boxes")}

    def time_leaf_boxes(self, engine, n_trees, depth):
        tree = self.trees[0]
        arrays = (tree.children_left, tree.children_right, tree.feature, tree.threshold)
        self.kernels["leaf_boxes"](*arrays, self.cardinalities)

    def time_gram(self, engine, n_trees, depth):
        self.kernels["gram"](self.leaves.indptr, self.leaves.boxes, self.leaves.values, self.measure)

    def time_averages(self, engine, n_trees, depth):
        self.kernels["box_averages"](self.leaves.boxes, self.leaves.values, self.schema, self.measure)


class Forest:
    """A scikit-learn forest on Breast Cancer, from its thresholds to the Gram matrix."""

    params = ([100, 500],)
    param_names = ("n_trees",)

    def setup(self, n_trees):
        X, y = load_breast_cancer(return_X_y=True)
        self.X, self.forest = X, RandomForestClassifier(n_trees, random_state=0).fit(X, y)
        self.codes = ordinal_codes(self.forest)

    def time_codes(self, n_trees):
        ordinal_codes(self.forest)

    def time_transform(self, n_trees):
        self.codes.transform(self.X)

    def time_gram(self, n_trees):
        gram(self.codes.trees, self.codes.cardinalities)

    def track_smallest_eigenvalue(self, n_trees):
        return float(np.linalg.eigvalsh(gram(self.codes.trees, self.codes.cardinalities))[0])


class Multiway:
    """Trees with a child for every value of attributes of 4 values, a third of the values absent."""

    params = (ENGINES, [2, 50], [2, 4])
    param_names = ("engine", "n_trees", "depth")

    def setup(self, engine, n_trees, depth):
        skip_unless(engine == "compiled" or (n_trees, depth) == (2, 2))
        self.cardinalities = check_cardinalities([4] * 100)
        self.trees, values = multiway_trees(n_trees, depth, self.cardinalities, absent=0.33)
        self.leaves = Leaves(self.trees, self.cardinalities, values=values)
        self.measure = measure_of("uniform", self.cardinalities)
        self.kernels = {name: kernel_of(engine, name) for name in ("gram", "leaf_boxes")}

    def time_leaf_boxes(self, engine, n_trees, depth):
        tree = self.trees[0]
        arrays = (tree.children_left, tree.children_right, tree.feature, tree.threshold, self.cardinalities)
        sets = tree.category_offsets, tree.categories
        self.kernels["leaf_boxes"](*arrays, tree.child_offsets, tree.children, *sets)

    def time_gram(self, engine, n_trees, depth):
        self.kernels["gram"](self.leaves.indptr, self.leaves.boxes, self.leaves.values, self.measure)

    def track_boxes_of_a_tree(self, engine, n_trees, depth):
        return len(self.leaves.values) / n_trees
