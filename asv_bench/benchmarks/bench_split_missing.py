"""Features with missing values: cuts are tried with the missing on either side."""

import numpy as np

from .common import ENGINES, NO_LIMITS, classification_data, count_instructions, grow, has_valgrind, skip_unless

CRITERIA = ["gini", "entropy", "ogini", "gain_ratio", "etc"]


def data_with_gaps(n_rows, share):
    """Make (X, y) with a share of the values of every feature missing."""
    X, y = classification_data(n_rows)
    X[np.random.default_rng(3).random(X.shape) < share] = np.nan
    return X, y


class Grow:
    """Trees without a missing value, with few and with many."""

    params = (ENGINES, CRITERIA, [0.0, 0.01, 0.3], [50, 10**4, 10**5])
    param_names = ("engine", "criterion", "share", "n")
    timeout = 300

    def setup(self, engine, criterion, share, n):
        skip_unless(n <= 50 or (engine == "compiled" and criterion != "etc"))
        self.X, self.y = data_with_gaps(n, share)

    def time_grow(self, engine, criterion, share, n):
        grow(engine, self.X, self.y, criterion)


class Instructions:
    params = (["gini", "entropy", "gain_ratio"], [0.0, 0.01, 0.3])
    param_names = ("criterion", "share")
    timeout = 300

    def setup(self, criterion, share):
        skip_unless(has_valgrind())
        self.X, self.y = data_with_gaps(10**4, share)

    def track_instructions(self, criterion, share):
        return count_instructions("grow_by_gain", self.X, self.y, None, 2, criterion, **NO_LIMITS)

    track_instructions.unit = "instructions"
