"""Growth judged by distances of clusterings: locally, by the whole tree, and by the whole tree with all labels."""

import numpy as np
from sklearn.datasets import load_wine

from pytrees.distances import DISTANCES

from .common import NO_LIMITS, classification_data, count_instructions, has_valgrind, kernel_of, skip_unless

WAYS = {
    "local": ("local", "majority", "first"),
    "global": ("global", "majority", "first"),
    "all labels": ("global", "all", "first"),
    "local ties": ("global", "majority", "local"),
}


def arguments(X, y, distance, way, n_classes=None, **limits):
    """Return the arguments of `grow_by_distance`, as args and kwargs."""
    evaluation, labels, ties = WAYS[way]
    limits = {name: limit for name, limit in (NO_LIMITS | limits).items() if name not in ("min_gain", "max_candidates")}
    args = X, y.astype("int32"), None, n_classes or int(y.max()) + 1, distance
    return args, {"evaluation": evaluation, "labels": labels, "ties": ties, "stop": "pure", **limits}


class Wine:
    params = (["compiled", "reference"], list(DISTANCES), list(WAYS))
    param_names = ("engine", "distance", "way")
    timeout = 300

    def setup(self, engine, distance, way):
        # The reference judges every candidate from scratch: it shows what one distance costs it.
        skip_unless(engine == "compiled" or (distance == "jaccard" and way != "all labels"))
        self.grow_tree = kernel_of(engine, "grow_by_distance")
        limits = {} if engine == "compiled" else {"max_leaf_nodes": 3}
        self.args, self.kwargs = arguments(*load_wine(return_X_y=True), distance, way, **limits)

    def time_grow(self, engine, distance, way):
        self.grow_tree(*self.args, **self.kwargs)


class Compiled:
    params = (list(DISTANCES), list(WAYS), [2, 10], [10**3, 4 * 10**3])
    param_names = ("distance", "way", "n_classes", "n")
    timeout = 300

    def setup(self, distance, way, n_classes, n):
        self.grow_tree = kernel_of("compiled", "grow_by_distance")
        X, y = classification_data(n, n_classes=n_classes)
        self.args, self.kwargs = arguments(X, y, distance, way, max_leaf_nodes=100)

    def time_grow(self, distance, way, n_classes, n):
        self.grow_tree(*self.args, **self.kwargs)

    def peakmem_grow(self, distance, way, n_classes, n):
        self.grow_tree(*self.args, **self.kwargs)


class Categories:
    """A third of the features are categorical with a child for every category: columns cut into equal parts."""

    params = (list(DISTANCES), list(WAYS), [4, 100])
    param_names = ("distance", "way", "n_categories")
    timeout = 300

    def setup(self, distance, way, n_categories):
        self.grow_tree = kernel_of("compiled", "grow_by_distance")
        X, y = classification_data(4 * 10**3, n_classes=4)
        ranks = X[:, ::3].argsort(axis=0).argsort(axis=0)
        X[:, ::3] = ranks * n_categories // len(X)
        kinds = np.where(np.arange(X.shape[1]) % 3 == 0, n_categories, 0)
        self.args, self.kwargs = arguments(X, y, distance, way, max_leaf_nodes=300)
        self.kwargs["n_categories"] = kinds

    def time_grow(self, distance, way, n_categories):
        self.grow_tree(*self.args, **self.kwargs)


class Instructions:
    params = (list(DISTANCES), list(WAYS))
    param_names = ("distance", "way")
    timeout = 300

    def setup(self, distance, way):
        skip_unless(has_valgrind())
        X, y = classification_data(10**3, n_classes=4)
        self.args, self.kwargs = arguments(X, y, distance, way, max_leaf_nodes=30)

    def track_instructions(self, distance, way):
        return count_instructions("grow_by_distance", *self.args, **self.kwargs)

    track_instructions.unit = "instructions"
