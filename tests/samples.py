"""Small data sets and hand-made trees that the tests of the Python layer share."""

import numpy as np

from pytrees import Tree


def make_classes(n_samples=40, n_features=3, n_classes=3, seed=0):
    """Overlapping classes in continuous features: no value occurs twice, and all values are exact in float32."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    X = rng.normal(size=(n_samples, n_features)) + 0.8 * y[:, None] * rng.uniform(0.2, 1.0, n_features)
    return X.astype(np.float32).astype(np.float64), y


def make_ties(n_samples=30, n_features=3, n_classes=3, seed=0):
    """Random classes on a small grid: many rows share values, and many splits gain the same."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_samples, n_features)).astype(np.float64)
    return X, rng.integers(0, n_classes, n_samples)


def stump_arrays(**changes):
    """What `Tree` takes for one split of two rows at 0.5, with some of it changed."""
    arrays = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0, -2, -2],
        "threshold": [0.5, -2.0, -2.0],
        "n_node_samples": [2, 1, 1],
        "value": [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]],
        "gain": [0.5, 0.0, 0.0],
        "n_features": 1,
    }
    return arrays | changes


def make_stump(**changes):
    return Tree(**stump_arrays(**changes))


def make_chain(depth):
    """The tree of rows 0, 1, ..., depth in alternating classes that splits off the lowest row at every level."""
    n_nodes = 2 * depth + 1
    inner, left = np.arange(0, n_nodes - 1, 2), np.arange(1, n_nodes, 2)
    children_left, children_right, feature = np.full((3, n_nodes), -1)
    children_left[inner], children_right[inner] = inner + 1, inner + 2
    feature[:] = -2
    feature[inner] = 0
    threshold = np.full(n_nodes, -2.0)
    threshold[inner] = np.arange(depth) + 0.5
    n_node_samples = np.ones(n_nodes, dtype=np.int64)
    n_node_samples[inner] = np.arange(depth + 1, 1, -1)
    leaf_value = np.zeros((n_nodes, 2))
    leaf_value[left, np.arange(depth) % 2] = 1.0
    leaf_value[-1, depth % 2] = 1.0
    value = np.cumsum(leaf_value[::-1], axis=0)[::-1].copy()
    value[left] = leaf_value[left]
    return Tree(children_left, children_right, feature, threshold, n_node_samples, value, np.zeros(n_nodes), 1)


def trees_of(forest):
    return [estimator.tree_ for estimator in forest.estimators_]
