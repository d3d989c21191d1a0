"""Partition: the sort of every feature that growth begins with."""

import numpy as np

from .common import ENGINES, classification_data, count_instructions, has_valgrind, kernel_of, skip_unless


class RankFeatures:
    params = (ENGINES, ["continuous", "32 values", "sorted"], [10**3, 10**4, 10**5])
    param_names = ("engine", "values", "n")

    def setup(self, engine, values, n):
        skip_unless(engine == "compiled" or n <= 10**3)
        self.rank_features = kernel_of(engine, "rank_features")
        self.X, _ = classification_data(n, n_values=32 if values == "32 values" else None)
        if values == "sorted":
            self.X = np.sort(self.X, axis=0)

    def time_rank_features(self, engine, values, n):
        self.rank_features(self.X)


class RankFeaturesAroundTheSwitches:
    """Insertion sort up to 24 rows; indices of 16 bits up to 65,536 rows."""

    params = ([24, 25, 65536, 65537],)
    param_names = ("n",)

    def setup(self, n):
        X, _ = classification_data(n, n_features=20)
        # Few samples have many features, so that the call itself is not what is measured.
        self.X = np.ascontiguousarray(np.tile(X, 1000)) if n < 100 else X

    def time_rank_features(self, n):
        kernel_of("compiled", "rank_features")(self.X)


class CompiledRankFeatures:
    params = ([10**3, 10**5],)
    param_names = ("n",)

    def setup(self, n):
        self.X, _ = classification_data(n)

    def peakmem_rank_features(self, n):
        kernel_of("compiled", "rank_features")(self.X)


class Instructions:
    params = (["continuous", "32 values"],)
    param_names = ("values",)

    def setup(self, values):
        skip_unless(has_valgrind())
        self.X, _ = classification_data(10**4, n_values=32 if values == "32 values" else None)

    def track_instructions(self, values):
        return count_instructions("rank_features", self.X)

    track_instructions.unit = "instructions"
