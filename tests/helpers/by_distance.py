"""Growth judged by distances of clusterings: the call of the kernel, its parameters, random problems, its steps."""

import numpy as np
import pytest
import support
from hypothesis import strategies as st
from seeded import SEEDS, features, labels, no_weights
from strategies import limits
from support import children_of

from pytrees._engine import kernel
from pytrees._tree_checks import LEAF
from pytrees._weights import on_grid
from pytrees.testing.strategies import Problem

DISTANCES = ["information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini", "jaccard", "accuracy", "mae"]
ABSENT_DIFFER = ("jaccard", {"absent_classes": "different"})
EVERY_DISTANCE = [*DISTANCES, pytest.param(ABSENT_DIFFER, id="jaccard, absent classes differ")]
NO_LIMITS = {name: limit for name, limit in support.NO_LIMITS.items() if name not in {"min_gain", "max_candidates"}}
SEARCHES = [("local", "majority"), ("global", "majority"), ("global", "all"), ("glocal", "majority"), ("glocal", "all")]
WAYS = [(*search, stop) for search in SEARCHES for stop in ("pure", "no_decrease")]
WAYS += [(*search, "no_distance_decay") for search in SEARCHES[:4]]
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
    """Return the arrays of a tree that the engine in force grows; limits not given do not apply. Weights are put on
    their grid."""
    evaluation, labels, stop = way
    tree = kernel("grow_by_distance")(
        np.ascontiguousarray(X, dtype=np.float64),
        np.asarray(y, dtype=np.int32),
        weights if weights is None else on_grid(np.asarray(weights))[0],
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
        children = children_of(tree, node)
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
    return limits().map(lambda drawn: {name: drawn[name] for name in NO_LIMITS})
