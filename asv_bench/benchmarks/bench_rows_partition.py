"""Partition: the sort of every feature that growth begins with, in trees of one split."""

import numpy as np

from .common import NO_LIMITS, classification_data, count_instructions, grow, has_valgrind, skip_unless


class SortFeatures:
    """Insertion sort up to 24 rows; indices of 16 bits up to 65,536 rows."""

    params = (["continuous", "32 values", "sorted"], [24, 25, 10**3, 10**4, 65536, 65537, 10**5])
    param_names = ("values", "n")

    def setup(self, values, n):
        self.X, self.y = classification_data(n, n_values=32 if values == "32 values" else None)
        if values == "sorted":
            self.X = np.sort(self.X, axis=0)
        if n < 100:
            # Few samples have many features, so that the call itself is not what is measured.
            self.X = np.ascontiguousarray(np.tile(self.X, 1000))

    def time_sort(self, values, n):
        grow("compiled", self.X, self.y, "gini", block_rows=n, max_depth=1)

    def peakmem_sort(self, values, n):
        grow("compiled", self.X, self.y, "gini", block_rows=n, max_depth=1)


class Instructions:
    params = (["continuous", "32 values"],)
    param_names = ("values",)

    def setup(self, values):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(10**4, n_values=32 if values == "32 values" else None)

    def track_instructions(self, values):
        limits = NO_LIMITS | {"max_depth": 1, "block_rows": 10**4}
        return count_instructions("grow_by_gain", self.X, self.y, None, 2, "gini", **limits)

    track_instructions.unit = "instructions"
