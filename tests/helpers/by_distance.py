"""Growth judged by distances of clusterings: the call of the kernel, its distances, its ways and its limits."""

import numpy as np
import pytest
import support
from hypothesis import strategies as st
from support import UNLIMITED

from pytrees._engine import kernel

DISTANCES = ["information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini", "jaccard", "accuracy", "mae"]
ABSENT_DIFFER = ("jaccard", {"absent_classes": "different"})
EVERY_DISTANCE = [*DISTANCES, pytest.param(ABSENT_DIFFER, id="jaccard, absent classes differ")]
NO_LIMITS = {name: limit for name, limit in support.NO_LIMITS.items() if name not in {"min_gain", "max_candidates"}}
WAYS = [
    ("local", "majority", "pure"),
    ("local", "majority", "no_decrease"),
    ("global", "majority", "pure"),
    ("global", "majority", "no_decrease"),
    ("global", "all", "pure"),
    ("global", "all", "no_decrease"),
    ("glocal", "majority", "pure"),
    ("glocal", "majority", "no_decrease"),
    ("glocal", "all", "pure"),
    ("glocal", "all", "no_decrease"),
    ("local", "majority", "no_distance_decay"),
    ("global", "majority", "no_distance_decay"),
    ("global", "all", "no_distance_decay"),
    ("glocal", "majority", "no_distance_decay"),
]
TIES = st.sampled_from(["first", "local"])
STOPS = ["pure", "no_decrease", "no_distance_decay"]


def grow(X, y, weights=None, n_classes=None, distance="gini", way=WAYS[2], **limits):
    """Return the arrays of a tree that the engine in force grows; limits not given do not apply."""
    evaluation, labels, stop = way
    tree = kernel("grow_by_distance")(
        np.ascontiguousarray(X, dtype=np.float64),
        np.asarray(y, dtype=np.int32),
        weights,
        int(np.max(y)) + 1 if n_classes is None else n_classes,
        distance,
        evaluation=evaluation,
        labels=labels,
        stop=stop,
        **(NO_LIMITS | limits),
    )
    return {name: np.asarray(array) for name, array in tree.items()}


def size_limits():
    """Draw limits of growth, most of which do not apply in most cases."""

    def rarely(values, otherwise):
        return st.one_of(st.just(otherwise), st.just(otherwise), values)

    return st.fixed_dictionaries(
        {
            "max_depth": rarely(st.integers(0, 4), UNLIMITED),
            "min_samples_split": rarely(st.integers(2, 6), 2),
            "min_samples_leaf": rarely(st.integers(1, 3), 1),
            "max_leaf_nodes": rarely(st.integers(1, 6), UNLIMITED),
            "max_features": rarely(st.integers(1, 2), UNLIMITED),
            "seed": st.integers(0, 2**64 - 1),
        }
    )
