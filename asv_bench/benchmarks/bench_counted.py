"""Instructions of whole calls whose arguments are the same since the first commit, and a time: the dashboard's long
lines."""

import numpy as np

from .common import (
    NO_LIMITS,
    classification_data,
    count_instructions,
    has_valgrind,
    label_sequence,
    share_of_sklearn,
    skip_unless,
)

CALLS = ["tree, gini", "tree, entropy", "tree, etc", "effort to compress"]


def counted_call(name):
    """Return (kernel, arguments, keyword arguments) of one of CALLS."""
    if name == "effort to compress":
        return "effort_to_compress", label_sequence("random 10", 20_000, np.random.default_rng(0)), {}
    criterion = name.removeprefix("tree, ")
    X, y = classification_data(150 if criterion == "etc" else 4_000)
    return "grow_by_gain", (X, y, None, 2, criterion), NO_LIMITS


class Counted:
    params = (CALLS,)
    param_names = ("call",)
    timeout = 300

    def setup(self, call):
        skip_unless(has_valgrind())
        self.kernel, self.args, self.kwargs = counted_call(call)

    def track_instructions(self, call):
        return count_instructions(self.kernel, *self.args, **self.kwargs)

    track_instructions.unit = "instructions"
    track_instructions.version = "1"


def raced_call():
    """Return (kernel, arguments, keyword arguments) of the call that is timed beside scikit-learn's tree."""
    X, y = classification_data(2_000)
    return "grow_by_gain", (X, y, None, 2, "gini"), NO_LIMITS


class Raced:
    timeout = 300

    def setup(self):
        self.kernel, self.args, self.kwargs = raced_call()

    def track_share(self):
        # asv takes a rise for a regression: therefore not scikit-learn's time divided by the kernel's.
        return 100 * share_of_sklearn(self.kernel, *self.args, **self.kwargs)

    track_share.unit = "% of scikit-learn's time"
    track_share.version = "1"
