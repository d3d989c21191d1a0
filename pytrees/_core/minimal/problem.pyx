"""Samples as the searches take them, the clock that stops a search, and trees as arrays.

A rank says which of the distinct values of a feature a sample has. Searches compare ranks and never values, which only
thresholds need.
"""

import time

import numpy as np

from pytrees._core.base.types cimport LEAF, UNDEFINED, float64_t


cdef bint is_over(float64_t deadline) except -1 nogil:
    """Whether the clock has reached a deadline."""
    with gil:
        return time.monotonic() >= deadline


def check_codes(X, y, n_classes):
    """Refuse class codes that the samples cannot have."""
    if y.shape[0] != X.shape[0] or X.shape[0] == 0 or np.min(y) < 0 or np.max(y) >= n_classes:
        raise ValueError(f"y must hold one of the class codes 0..{n_classes - 1} for each of one or more samples.")


def ranks_of(X):
    """Return, by feature, which of its distinct values a sample has."""
    ranks = np.empty((X.shape[1], X.shape[0]), dtype=np.int32)
    ascending = np.zeros(len(X), dtype=np.int32)
    for column, ranks_of_column in zip(X.T, ranks, strict=True):
        order = np.argsort(column)
        values = column[order]
        np.cumsum(values[1:] != values[: len(X) - 1], out=ascending[1:])
        ranks_of_column[order] = ascending
    return ranks


def groups_of(ranks):
    """Group equal samples: return the first sample of each group, in lexical order, and the group of every sample."""
    order = np.lexsort(ranks[::-1])
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = np.diff(ranks[:, order], axis=1).any(axis=0)
    group = np.empty_like(order)
    group[order] = np.cumsum(is_first) - 1
    return order[is_first], group


def distinct_samples(ranks, y):
    """Group equal samples as `groups_of` does; refuse labels that differ in a group."""
    first, group = groups_of(ranks)
    if np.any(y[first][group] != y):
        raise ValueError("There is no consistent tree: equal samples have different labels.")
    return first, group


def orders_of(ranks):
    """Return, by feature, the samples in ascending order."""
    return np.ascontiguousarray(np.argsort(ranks, axis=1, kind="stable"), dtype=np.int32)


def preorder_arrays(X, y, n_classes, root, first_split):
    """Return the arrays of a consistent tree, nodes in preorder.

    `first_split(node, rows)` returns None for a leaf, otherwise the feature, the threshold and the nodes of both sides.
    The gain of every split is 1.
    """
    names = (
        "children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain", "below_threshold",
    )
    nodes = {name: [] for name in names}
    pending = [(root, np.arange(len(X)), None, None)]
    while pending:
        node, rows, parent, side = pending.pop()
        number = len(nodes["feature"])
        if parent is not None:
            nodes[side][parent] = number
        counts = np.bincount(y[rows], minlength=n_classes).astype(np.float64)
        entry = [LEAF, LEAF, UNDEFINED, float(UNDEFINED), len(rows), counts, 0.0, float(UNDEFINED)]
        split = first_split(node, rows)
        if split is not None:
            feature, threshold, left, right = split
            entry[2], entry[3], entry[6] = feature, threshold, 1.0
            is_left = X[rows, feature] <= threshold
            entry[7] = X[rows[is_left], feature].max() + 0.0      # one zero only
            pending.append((right, rows[~is_left], number, "children_right"))
            pending.append((left, rows[is_left], number, "children_left"))
        for name, value in zip(names, entry, strict=True):
            nodes[name].append(value)
    return {name: np.array(values) for name, values in nodes.items()}
