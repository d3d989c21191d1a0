"""Globally evaluated growth: compiled against reference, both against a computation from the definitions."""

import numpy as np
import pytest
from clusterings import Oracle
from hypothesis import given
from hypothesis import strategies as st
from strategies import Problem, count_weights, feature_matrices, no_weights
from support import LEAF, UNLIMITED, examples

from pytrees._engine import kernel

DISTANCES = ["information_gain", "gain_ratio", "nvi", "gini", "jaccard", "accuracy", "mae"]
NO_LIMITS = {
    "max_depth": UNLIMITED,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "max_leaf_nodes": UNLIMITED,
    "max_features": UNLIMITED,
    "seed": 0,
}
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
]


def grow(X, y, weights=None, n_classes=None, distance="gini", way=WAYS[2], **limits):
    """The arrays of a tree that the engine in force grows; limits not given do not apply."""
    evaluation, labels, stop = way
    tree = kernel("global_growth", "grow_tree")(
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


@st.composite
def small_problems(draw, weights=no_weights, max_rows=12, max_classes=4):
    X = draw(feature_matrices(max_rows=max_rows))
    n_classes = draw(st.integers(1, max_classes))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(X), max_size=len(X)))
    return Problem(X, np.array(y, dtype=np.int32), draw(weights(len(X))), n_classes)


def steps_of(tree):
    """The splits in the order in which they were made, as the oracle tells them."""
    paths, steps = {0: ""}, {}
    for node in range(len(tree["feature"])):
        if tree["children_left"][node] == LEAF:
            continue
        left, right = tree["children_left"][node], tree["children_right"][node]
        paths |= {left: paths[node] + "L", right: paths[node] + "R"}
        feature = tree["feature"][node]
        labels = int(tree["label"][left]), int(tree["label"][right])
        steps[int(tree["split_step"][node])] = (feature, tree["threshold"][node], paths[node], labels)
    return [steps[step] for step in range(len(steps))]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("distance", DISTANCES)
def test_steps_follow_the_definitions(engine, distance, way):
    @examples(15)
    @given(st.one_of(small_problems(max_rows=9, max_classes=3), small_problems(count_weights, 7, 3)))
    def check(problem):
        tree = grow(*problem, distance, way)
        assert steps_of(tree) == Oracle(problem, distance, *way).grow()

    check()
