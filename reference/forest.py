"""The way of samples through forests: sums and votes of leaves."""

from math import isfinite

from .base.signals import raise_if_stopped
from .traverse import path


def pack_forest(trees, leaf_arrays, n_classes, missing=None):
    """Return the forest for `sum_leaves`: its trees, n_classes numbers of every node, and `missing_go_to_left` or None.

    `trees` are (children_left, children_right, feature, threshold, ways). `leaf_arrays` give every node a vote for one
    class, or n_classes numbers.
    """
    if missing is None:
        missing = [None] * len(trees)
    return list(zip(trees, leaf_arrays, missing, strict=True)), n_classes


def given_by_leaves(tree, given, missing, X):
    """Return what the leaf of every row gives."""
    *splits, ways = tree
    leaves = []
    for row_values in X:
        raise_if_stopped()
        leaves.append(given[path(*splits, row_values, missing, ways)[-1]])
    return leaves


def is_finite(X):
    return all(isfinite(value) for row_values in X for value in row_values)


def sum_leaves(forest, X):
    """Return the sum of the numbers of every row's leaves, in the order of the trees, and whether X is finite."""
    trees, n_classes = forest
    sums = [[0.0] * n_classes for _ in X]
    for tree in trees:
        for row_sums, gives in zip(sums, given_by_leaves(*tree, X), strict=True):
            if isinstance(gives, int):
                row_sums[gives] += 1.0
            else:
                for k, value in enumerate(gives):
                    row_sums[k] += value
    return sums, is_finite(X)


def find_leaves(forest, X):
    """Return the vote of every row's leaf in the only tree, and whether X is finite."""
    (tree,), _ = forest
    return given_by_leaves(*tree, X), is_finite(X)
