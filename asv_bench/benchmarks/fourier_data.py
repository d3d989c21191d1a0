"""Seeded trees on codes for the benchmarks of the Fourier algebra. Only ever added to."""

import numpy as np

from pytrees import Tree

from .common import UNLIMITED


def full_tree(depth, cardinalities, rng):
    """Make (tree, values of its nodes): all leaves at one depth, no feature twice on a path."""
    nodes = []

    def grow(levels, free):
        number = len(nodes)
        nodes.append([-1, -1, -2, -2.0])
        if levels:
            m = int(rng.choice(free))
            nodes[number][2:] = m, rng.integers(0, cardinalities[m] - 1) + 0.5
            nodes[number][0] = grow(levels - 1, [k for k in free if k != m])
            nodes[number][1] = grow(levels - 1, [k for k in free if k != m])
        return number

    grow(depth, list(range(len(cardinalities))))
    n_nodes = len(nodes)
    counts = np.eye(2)[rng.integers(0, 2, n_nodes)]
    left, right, feature, threshold = zip(*nodes, strict=True)
    tree = Tree(left, right, feature, threshold, np.ones(n_nodes, int), counts, np.zeros(n_nodes), len(cardinalities))
    return tree, rng.normal(size=n_nodes)


def full_trees(n_trees, depth, cardinalities, seed=0):
    """Make (trees, values of their nodes)."""
    rng = np.random.default_rng(seed)
    return zip(*(full_tree(depth, cardinalities, rng) for _ in range(n_trees)), strict=True)


def chains(n_trees, length, cardinalities, seed=0):
    """Make (trees, values of their nodes): every node cuts values off an attribute that has some left, and has a
    leaf."""
    rng = np.random.default_rng(seed)
    trees, values = [], []
    for _ in range(n_trees):
        highest = np.array(cardinalities) - 1
        inner, n_nodes = np.arange(length), 2 * length + 1
        features, thresholds = np.full(n_nodes, -2), np.full(n_nodes, -2.0)
        for node in inner:
            m = int(rng.choice(np.flatnonzero(highest > 0)))
            highest[m] = int(rng.integers(highest[m] // 2, highest[m]))
            features[node], thresholds[node] = m, highest[m] + 0.5
        # A node goes on at its left, and has its leaf at the right: in preorder all leaves come last.
        children_left, children_right = np.full((2, n_nodes), -1)
        children_left[inner], children_right[inner] = inner + 1, n_nodes - 1 - inner
        counts = np.eye(2)[rng.integers(0, 2, n_nodes)]
        gains, samples = np.zeros(n_nodes), np.ones(n_nodes, int)
        trees.append(
            Tree(children_left, children_right, features, thresholds, samples, counts, gains, len(cardinalities))
        )
        values.append(rng.normal(size=n_nodes))
    return trees, values


LIMITS = ("variance", 1e-12, 1.0, UNLIMITED, 32)


def multiway_tree(depth, cardinalities, rng, absent=0.0):
    """Make (tree, values of its nodes): all leaves at one depth, a child for every value that is not absent."""
    names = ("children_left", "children_right", "feature", "category")
    arrays, children = {name: [] for name in names}, []

    def grow(levels, free, category):
        number = len(children)
        children.append([])
        for name, entry in zip(names, (-1, -1, -2, category), strict=True):
            arrays[name].append(entry)
        if levels:
            m = arrays["feature"][number] = int(rng.choice(free))
            values = [value for value in range(cardinalities[m]) if rng.random() >= absent] or [0]
            below = [k for k in free if k != m]
            children[number] = [grow(levels - 1, below, value) for value in values]
            arrays["children_left"][number] = arrays["children_right"][number] = -2
        return number

    grow(depth, list(range(len(cardinalities))), -1)
    n_nodes = len(children)
    tree = Tree(
        threshold=np.full(n_nodes, -2.0),
        n_node_samples=np.ones(n_nodes, int),
        value=np.eye(2)[rng.integers(0, 2, n_nodes)],
        gain=np.zeros(n_nodes),
        n_features=len(cardinalities),
        child_offsets=np.cumsum([0, *map(len, children)]),
        children=np.array([child for below in children for child in below]),
        **arrays,
    )
    return tree, rng.normal(size=n_nodes)


def multiway_trees(n_trees, depth, cardinalities, absent=0.0, seed=0):
    """Make (trees, values of their nodes)."""
    rng = np.random.default_rng(seed)
    return zip(*(multiway_tree(depth, cardinalities, rng, absent) for _ in range(n_trees)), strict=True)
