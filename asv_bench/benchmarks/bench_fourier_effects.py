"""Sobol indices, partial dependences and distances of ensembles."""

from itertools import combinations

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from pytrees.fourier import additive_model, merge, model_distance, ordinal_codes, partial_dependence, sobol_indices
from pytrees.fourier.boxes import Leaves, check_cardinalities
from pytrees.fourier.measures import measure_of

from .common import ENGINES, kernel_of, skip_unless
from .fourier_data import full_trees


class Effects:
    """Full trees on attributes of 100 values."""

    params = (ENGINES, [2, 10, 50], [2, 6])
    param_names = ("engine", "n_trees", "depth")

    def setup(self, engine, n_trees, depth):
        skip_unless(engine == "compiled" or (n_trees, depth) == (2, 2))
        cardinalities = check_cardinalities([100] * 20 if engine == "compiled" else [10] * 4)
        trees, values = full_trees(n_trees, depth, cardinalities)
        self.leaves = Leaves(trees, cardinalities, values=values)
        self.measure = measure_of("uniform", cardinalities)
        self.kernels = {name: kernel_of(engine, name) for name in ("box_effects", "box_profiles")}

    def time_effects(self, engine, n_trees, depth):
        self.kernels["box_effects"](self.leaves.boxes, self.leaves.values, self.measure)

    def time_profiles(self, engine, n_trees, depth):
        self.kernels["box_profiles"](self.leaves.boxes, self.leaves.values, self.measure, [(0, -1), (1, 2)])


class Forest:
    """A scikit-learn forest on Breast Cancer."""

    params = ([100, 500], ["uniform", "empirical", "joint"])
    param_names = ("n_trees", "measure")

    def setup(self, n_trees, measure):
        X, y = load_breast_cancer(return_X_y=True)
        self.codes = ordinal_codes(RandomForestClassifier(n_trees, random_state=0).fit(X, y))
        self.measure = {} if measure == "uniform" else {"measure": measure, "X": self.codes.transform(X)}

    def time_sobol_indices(self, n_trees, measure):
        sobol_indices(self.codes.trees, self.codes.cardinalities, **self.measure)

    def time_partial_dependence(self, n_trees, measure):
        partial_dependence(self.codes.trees, self.codes.cardinalities, **self.measure)

    def time_partial_dependence_of_pairs(self, n_trees, measure):
        partial_dependence(self.codes.trees, self.codes.cardinalities, combinations(range(30), 2), **self.measure)

    def time_model_distance(self, n_trees, measure):
        half = n_trees // 2
        trees, cardinalities = self.codes.trees, self.codes.cardinalities
        model_distance(trees[:half], trees[half:], cardinalities, **self.measure)


class Boosted:
    """scikit-learn's histogram gradient boosting on Breast Cancer, from its nodes to its indices."""

    params = ([100, 500],)
    param_names = ("n_trees",)

    def setup(self, n_trees):
        X, y = load_breast_cancer(return_X_y=True)
        self.boosted = HistGradientBoostingClassifier(max_iter=n_trees, max_leaf_nodes=8, random_state=0).fit(X, y)
        self.model, self.X = additive_model(self.boosted), X
        self.measure = {"measure": "empirical", "X": self.model.codes.transform(X)}

    def time_additive_model(self, n_trees):
        additive_model(self.boosted)

    def time_evaluate(self, n_trees):
        self.model.evaluate(self.X)

    def time_sobol_indices(self, n_trees):
        sobol_indices(self.model.trees, self.model.cardinalities, **self.model.arguments, **self.measure)


class Places:
    """Forests of 25 trees of parts of Breast Cancer, merged."""

    params = ([2, 8],)
    param_names = ("n_places",)

    def setup(self, n_places):
        X, y = load_breast_cancer(return_X_y=True)
        parts = [slice(i, None, n_places) for i in range(n_places)]
        self.models = [RandomForestClassifier(25, random_state=0).fit(X[rows], y[rows]) for rows in parts]
        self.merged = merge(self.models)

    def time_merge(self, n_places):
        merge(self.models)

    def time_merge_again(self, n_places):
        merge([self.merged, self.merged])

    def time_distances(self, n_places):
        self.merged.distances()
