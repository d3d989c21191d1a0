"""Splits by category: the gain of many children, and trees with features of few and of many categories."""

import numpy as np

from .common import ENGINES, NO_LIMITS, classification_data, count_instructions, grow, has_valgrind, skip_unless

CRITERIA = ["gini", "entropy", "ogini", "wig", "ranking", "gain_ratio", "nvi", "jaccard", "accuracy", "mae"]


def categorical_data(n_rows, n_classes=2, n_categories=8):
    """Make (X, y, n_categories): the first ten of 20 features are codes; neighbouring values share a code."""
    X, y = classification_data(n_rows, n_classes=n_classes)
    ranks = X[:, :10].argsort(axis=0).argsort(axis=0)
    # Neighbouring values share a code, and the codes are in no order.
    names = np.random.default_rng(2).permutation(n_categories)
    X[:, :10] = names[ranks * n_categories // n_rows]
    return X, y, np.array([n_categories] * 10 + [0] * 10)


class OneSplit:
    """The split of a root by the categories of its only feature, the sort of the samples included."""

    params = (ENGINES, CRITERIA, [2, 8, 1000])
    param_names = ("engine", "criterion", "n_categories")

    def setup(self, engine, criterion, n_categories):
        n_rows = 10**3 if engine == "reference" else 10**5
        skip_unless(engine == "compiled" or n_categories <= 8)
        rng = np.random.default_rng(0)
        self.y = rng.integers(0, 5, n_rows).astype(np.int32)
        self.X = rng.integers(0, n_categories, (n_rows, 1)).astype(np.float64)
        self.options = {"max_depth": 1, "n_categories": np.array([n_categories])}

    def time_grow(self, engine, criterion, n_categories):
        grow(engine, self.X, self.y, criterion, **self.options)


class GrowWithCategories:
    """Ten of twenty features as categories with a child each, as two sets of categories, and as numbers."""

    params = (
        ["categories", "sets", "numbers"],
        ["gini", "entropy", "gain_ratio", "jaccard"],
        [8, 5000],
        [10**4, 10**5],
    )
    param_names = ("codes", "criterion", "n_categories", "n")
    timeout = 300

    def setup(self, codes, criterion, n_categories, n):
        can_divide = codes != "sets" or n_categories <= 12
        skip_unless(criterion != "jaccard" or (n <= 10**4 and can_divide))
        self.X, self.y, numbers = categorical_data(n, n_categories=n_categories)
        self.options = {} if codes == "numbers" else {"n_categories": numbers, "subsets": codes == "sets"}

    def time_grow(self, codes, criterion, n_categories, n):
        grow("compiled", self.X, self.y, criterion, **self.options)

    def peakmem_grow(self, codes, criterion, n_categories, n):
        grow("compiled", self.X, self.y, criterion, **self.options)


class GrowWithLimits:
    """Best-first growth, drawn features, and limits that allow no split by category."""

    params = (["64 leaves", "4 features", "20 rows a leaf", "a category a row"], [10**4, 10**5])
    param_names = ("case", "n")
    timeout = 300

    def setup(self, case, n):
        self.X, self.y, numbers = categorical_data(n, n_categories=n if case == "a category a row" else 8)
        self.options = {
            "64 leaves": {"max_leaf_nodes": 64},
            "4 features": {"max_features": 4},
            "20 rows a leaf": {"min_samples_leaf": 20},
        }.get(case, {"min_samples_leaf": 2})
        self.options["n_categories"] = numbers

    def time_grow(self, case, n):
        grow("compiled", self.X, self.y, "gini", **self.options)

    def track_node_count(self, case, n):
        return len(grow("compiled", self.X, self.y, "gini", **self.options)["feature"])

    track_node_count.unit = "nodes"


class GrowBySequence:
    params = (ENGINES, [4, 50], [100, 500])
    param_names = ("engine", "n_categories", "n")
    timeout = 300

    def setup(self, engine, n_categories, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.y, self.n_categories = categorical_data(n, n_categories=n_categories)

    def time_grow(self, engine, n_categories, n):
        grow(engine, self.X, self.y, "etc", n_categories=self.n_categories)


class Instructions:
    params = (["gini", "entropy", "gain_ratio"], [8, 5000])
    param_names = ("criterion", "n_categories")
    timeout = 300

    def setup(self, criterion, n_categories):
        skip_unless(has_valgrind())
        self.X, self.y, self.n_categories = categorical_data(10**4, n_categories=n_categories)

    def track_instructions(self, criterion, n_categories):
        arguments = self.X, self.y, None, 2, criterion
        return count_instructions("grow_by_gain", *arguments, **NO_LIMITS, n_categories=self.n_categories)

    track_instructions.unit = "instructions"
