"""The end of the time, a check of the samples, and trees as arrays: what the searches share."""

from ..base.types import LEAF, UNDEFINED
from ..rows.partition import split_rows


class Stopped(Exception):
    """The time is over."""


def check_consistent(X, y):
    if len(set(map(tuple, X))) < len({(tuple(row), label) for row, label in zip(X, y, strict=True)}):
        raise ValueError("There is no consistent tree: equal samples have different labels.")


def preorder_arrays(X, y, n_classes, root, first_split):
    """Return the arrays of a tree, nodes in preorder. The gain of every split is 1.

    `first_split(node, rows)` returns None for a leaf, otherwise the feature, the threshold, and the nodes of both
    sides. A node is whatever the function needs to know beside the rows.
    """
    names = (
        "children_left",
        "children_right",
        "feature",
        "threshold",
        "n_node_samples",
        "value",
        "gain",
        "below_threshold",
    )
    tree = {name: [] for name in names}
    stack = [(root, range(len(X)), None, None)]
    while stack:
        node, rows, parent, side = stack.pop()
        number = len(tree["feature"])
        if parent is not None:
            tree[side][parent] = number
        split = first_split(node, rows)
        feature, threshold, *nodes = split or (UNDEFINED, float(UNDEFINED))
        counts = [float(sum(y[row] == k for row in rows)) for k in range(n_classes)]
        entry = (LEAF, LEAF, feature, threshold, len(rows), counts, 1.0 if split else 0.0, float(UNDEFINED))
        for name, value in zip(names, entry, strict=True):
            tree[name].append(value)
        if split:
            left, right = split_rows(X, rows, feature, threshold)
            tree["below_threshold"][number] = max(X[row][feature] for row in left) + 0.0  # one zero only
            stack += [(nodes[1], right, number, "children_right"), (nodes[0], left, number, "children_left")]
    return tree
