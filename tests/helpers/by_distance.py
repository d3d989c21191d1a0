"""Growth judged by distances of clusterings: the call of the kernel, its parameters, random problems, its steps."""

import numpy as np
import pytest
import support
from hypothesis import strategies as st
from seeded import SEEDS, features, labels, no_weights
from support import UNLIMITED

from pytrees._engine import kernel
from pytrees.testing.strategies import Problem
from pytrees.tree import LEAF

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
# Criteria that compare leaves by their gain, and are no distances.
CRITERIA = [
    "entropy",
    "ogini",
    "wig",
    ("wig", {"alpha": 2.0}),
    "ranking",
    ("ranking", {"weighted": False}),
    ("ranking", {"class_scores": [0, 1, 4.5, 9]}),
    "etc",
    "lz76",
]
SEQUENCE_CRITERIA = ["etc", "lz76"]


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
    # An empty list of children does not tell its kind.
    return {name: np.asarray(array, dtype=np.int64 if name == "children" else None) for name, array in tree.items()}


def steps_of(tree):
    """Return the splits in the order in which they were made, as the oracle tells them."""
    paths, steps = {0: ()}, {}
    for node in np.flatnonzero(tree["children_left"] != LEAF):
        children = [tree["children_left"][node], tree["children_right"][node]]
        if "children" in tree:
            children = tree["children"][tree["child_offsets"][node] : tree["child_offsets"][node + 1]]
        paths |= {child: (*paths[node], b) for b, child in enumerate(children)}
        labels = tuple(tree["label"][children].tolist())
        steps[int(tree["split_step"][node])] = (tree["feature"][node], tree["threshold"][node], paths[node], labels)
    return [steps[step] for step in range(len(steps))]


@st.composite
def mixed_problems(
    draw, weights=no_weights, max_rows=12, max_classes=4, max_categories=6, missing=False, all_numeric=True
):
    """Draw a problem, and {"n_categories": number of every feature, 0 of numeric ones}; perhaps all are numeric."""
    n_rows, n_features = draw(st.integers(1, max_rows)), draw(st.integers(1, 3))
    n_classes = draw(st.integers(1, max_classes))
    rng = np.random.default_rng(draw(SEEDS))
    X = features(rng, n_rows, n_features, missing)
    problem = Problem(X, labels(rng, n_rows, n_classes), weights(rng, n_rows), n_classes)
    if all_numeric and draw(st.booleans()):
        return problem, {}
    kinds = st.lists(st.just(0) | st.integers(1, max_categories), min_size=n_features, max_size=n_features)
    n_categories = np.array(draw(kinds.filter(any)))
    for feature in np.flatnonzero(n_categories):
        X[:, feature] = rng.integers(n_categories[feature], size=n_rows)
    return problem, {"n_categories": n_categories}


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
