"""The split of a root by gain ratio, the sort of its features included."""

from .c45_data import C45_LIMITS, KINDS, c45_data
from .common import ENGINES, kernel_of, skip_unless


class SplitRoot:
    params = (ENGINES, KINDS, [100, 10**4, 10**5])
    param_names = ("engine", "kind", "n")
    timeout = 300

    def setup(self, engine, kind, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.y, self.n_categories = c45_data(kind, n)
        self.grow = kernel_of(engine, "grow_c45")

    def time_split_root(self, engine, kind, n):
        limits = C45_LIMITS | {"max_depth": 1}
        self.grow(self.X, self.y, None, 2, n_categories=self.n_categories, **limits)
