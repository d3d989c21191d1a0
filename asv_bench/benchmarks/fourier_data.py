"""Seeded trees on codes for the benchmarks of the Fourier algebra. Only ever added to."""

import numpy as np

from pytrees import Tree

from .common import UNLIMITED


def full_tree(depth, cardinalities, rng):
    """(tree, values of its nodes): all leaves at one depth, no feature twice on a path."""
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
    """(trees, values of their nodes)."""
    rng = np.random.default_rng(seed)
    return zip(*(full_tree(depth, cardinalities, rng) for _ in range(n_trees)), strict=True)


def chains(n_trees, length, cardinalities, seed=0):
    """(trees, values of their nodes): every node cuts values off an attribute that has some left, and has a leaf."""
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
