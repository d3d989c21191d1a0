"""The split of a node by gain ratio; the sort of the features is part of it."""

from .c45_data import KINDS, c45_data
from .common import ENGINES, kernel_of, skip_unless


class FindSplit:
    params = (ENGINES, KINDS, [100, 10**4, 10**5])
    param_names = ("engine", "kind", "n")
    timeout = 300

    def setup(self, engine, kind, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.y, self.n_categories = c45_data(kind, n)
        self.find_split = kernel_of(engine, "find_c45_split")

    def time_find_split(self, engine, kind, n):
        self.find_split(self.X, self.y, None, 2, n_categories=self.n_categories, min_samples_leaf=2.0)
