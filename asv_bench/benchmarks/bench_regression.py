"""Trees and forests of numbers: kernels whose classes are targets, and fits and predictions of the estimators, against
scikit-learn's."""

import numpy as np
from sklearn.datasets import make_regression
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor

from pytrees import DecisionForestRegressor, DecisionTreeRegressor

from .common import ENGINES, NO_LIMITS, classification_data, count_instructions, has_valgrind, kernel_of, skip_unless

LIBRARIES = ["pytrees", "scikit-learn"]
ERRORS = ["squared_error", "absolute_error"]


def targets_data(n, n_features=20, n_targets=None):
    """Make (X, codes, numbers on the grid, ascending): a smooth function of three features, and noise."""
    X, _ = classification_data(n, n_features)
    y = X[:, 0] + X[:, 1] * X[:, 2] + np.random.default_rng(1).normal(size=n)
    numbers = np.rint(y * 2.0**30).astype(np.int64)
    if n_targets is not None:
        numbers = numbers.argsort().argsort() * n_targets // n
    targets, codes = np.unique(numbers, return_inverse=True)
    return X, codes.astype(np.int32), targets - targets[len(targets) // 2]


def grow_numbers(engine, X, codes, targets, error, **limits):
    """Return a tree of numbers of the named engine; limits that are not given do not apply."""
    criterion = (error, {"targets": targets})
    return kernel_of(engine, "grow_by_gain")(X, codes, None, len(targets), criterion, **(NO_LIMITS | limits))


def real_data(n, n_features=20):
    return make_regression(n, n_features, n_informative=n_features // 2, noise=10.0, random_state=0)


class GrowByErrors:
    params = (ENGINES, ERRORS, [None, 10], [100, 10**3, 10**4])
    param_names = ("engine", "error", "n_targets", "n")
    timeout = 300

    def setup(self, engine, error, n_targets, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.codes, self.targets = targets_data(n, n_targets=n_targets)

    def time_grow(self, engine, error, n_targets, n):
        grow_numbers(engine, self.X, self.codes, self.targets, error)


class GrowManyRows:
    """Enough samples for bins, on one thread and two, in full and to depth 8."""

    params = (ERRORS, [NO_LIMITS["max_depth"], 8], [1, 2])
    param_names = ("error", "max_depth", "n_threads")
    timeout = 300

    def setup(self, error, max_depth, n_threads):
        self.X, self.codes, self.targets = targets_data(100_000)
        self.limits = {"max_depth": max_depth, "n_threads": n_threads}

    def time_grow(self, error, max_depth, n_threads):
        grow_numbers("compiled", self.X, self.codes, self.targets, error, **self.limits)

    def peakmem_grow(self, error, max_depth, n_threads):
        grow_numbers("compiled", self.X, self.codes, self.targets, error, **self.limits)

    def track_node_count(self, error, max_depth, n_threads):
        return len(grow_numbers("compiled", self.X, self.codes, self.targets, error, **self.limits)["feature"])

    track_node_count.unit = "nodes"


class FitRegressor:
    params = (LIBRARIES, [(500, 10), (10_000, 20), (100_000, 20)])
    param_names = ("library", "rows, features")
    timeout = 300

    def setup(self, library, sizes):
        self.X, self.y = real_data(*sizes)
        tree_class = SklearnTreeRegressor if library == "scikit-learn" else DecisionTreeRegressor
        self.tree = tree_class(random_state=0)

    def time_fit(self, library, sizes):
        self.tree.fit(self.X, self.y)

    def peakmem_fit(self, library, sizes):
        self.tree.fit(self.X, self.y)


class FitForestRegressor:
    params = (LIBRARIES, [1.0, 1 / 3], [1, 2])
    param_names = ("library", "max_features", "n_jobs")
    timeout = 300

    def setup(self, library, max_features, n_jobs):
        self.X, self.y = real_data(10_000)
        forest_class = RandomForestRegressor if library == "scikit-learn" else DecisionForestRegressor
        self.forest = forest_class(30, max_features=max_features, n_jobs=n_jobs, random_state=0)

    def time_fit(self, library, max_features, n_jobs):
        self.forest.fit(self.X, self.y)

    def peakmem_fit(self, library, max_features, n_jobs):
        self.forest.fit(self.X, self.y)


class PredictNumbers:
    params = (LIBRARIES, [1, 1_000, 100_000])
    param_names = ("library", "rows")
    timeout = 300

    def setup(self, library, rows):
        X, y = real_data(5_000)
        theirs = library == "scikit-learn"
        self.tree = (SklearnTreeRegressor if theirs else DecisionTreeRegressor)(random_state=0).fit(X, y)
        self.forest = (RandomForestRegressor if theirs else DecisionForestRegressor)(30, random_state=0).fit(X, y)
        self.X = np.random.default_rng(1).normal(size=(rows, X.shape[1]))

    def time_tree(self, library, rows):
        self.tree.predict(self.X)

    def time_forest(self, library, rows):
        self.forest.predict(self.X)


class Instructions:
    params = (ERRORS, ["4,000 samples", "40,000 samples, depth 8", "10 targets"])
    param_names = ("error", "case")
    timeout = 300

    def setup(self, error, case):
        skip_unless(has_valgrind())
        deep = case == "40,000 samples, depth 8"
        self.data = targets_data(40_000 if deep else 4_000, 10, 10 if case == "10 targets" else None)
        self.limits = NO_LIMITS | ({"max_depth": 8} if deep else {})

    def track_instructions(self, error, case):
        X, codes, targets = self.data
        criterion = (error, {"targets": targets})
        return count_instructions("grow_by_gain", X, codes, None, len(targets), criterion, **self.limits)

    track_instructions.unit = "instructions"
