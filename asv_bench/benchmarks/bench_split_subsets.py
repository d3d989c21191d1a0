"""Divisions of categories in two sets: by the order of shares, and by enumeration."""

import numpy as np

from .bench_criteria_children import categorical_data
from .common import ENGINES, NO_LIMITS, count_instructions, grow, has_valgrind, skip_unless


class OneSplit:
    """The split of a root by the sets of its only feature: two classes by their order, five by enumeration."""

    params = (ENGINES, ["gini", "entropy", "ogini", "gain_ratio", "jaccard"], [2, 5], [2, 8, 12, 1000])
    param_names = ("engine", "criterion", "n_classes", "n_categories")
    timeout = 300

    def setup(self, engine, criterion, n_classes, n_categories):
        has_order = n_classes == 2 and criterion != "jaccard"
        skip_unless(n_categories <= (1000 if has_order else 12) and (engine == "compiled" or n_categories <= 8))
        n_rows = 10**3 if engine == "reference" else 10**5
        rng = np.random.default_rng(0)
        self.y = rng.integers(0, n_classes, n_rows).astype(np.int32)
        self.X = rng.integers(0, n_categories, (n_rows, 1)).astype(np.float64)
        self.options = {"max_depth": 1, "n_categories": np.array([n_categories]), "subsets": True}

    def time_grow(self, engine, criterion, n_classes, n_categories):
        grow(engine, self.X, self.y, criterion, **self.options)


class Instructions:
    params = (["gini", "entropy", "gain_ratio"], [2, 5])
    param_names = ("criterion", "n_classes")
    timeout = 300

    def setup(self, criterion, n_classes):
        skip_unless(has_valgrind())
        self.X, self.y, self.n_categories = categorical_data(10**4, n_classes=n_classes)

    def track_instructions(self, criterion, n_classes):
        arguments = self.X, self.y, None, n_classes, criterion
        options = {"n_categories": self.n_categories, "subsets": True}
        return count_instructions("grow_by_gain", *arguments, **NO_LIMITS, **options)

    track_instructions.unit = "instructions"
