"""Growth of a tree: Steps 1 to 6 of the permutation decision tree's algorithm (Section 2), for every criterion.

A node is a leaf where its rows share one class (Step 6), where a limit says so, or where no cut is allowed; otherwise
it takes the split of highest gain. Depth-first growth takes the leaves from the left; best-first growth, which a limit
on the number of leaves asks for, takes the leaf whose split gains most, counted by the rows that it concerns.
"""

from .criteria import add_up, class_counts, is_greater, judges_sequence, reported
from .partition import split_rows
from .scanner import MASK, find_split, mix64

UNLIMITED = 2**31 - 1
LEAF, UNDEFINED = -1, -2


class Node:
    """A node while the tree grows: its rows in order, its depth, and the state its draws of features start from."""

    def __init__(self, rows, depth, random_state):
        self.rows = rows
        self.depth = depth
        self.random_state = random_state
        self.split = None
        self.left = self.right = None


def share_features(X, n_classes, criterion, weights_are_whole, max_features, max_candidates):
    """What the trees of a forest share: nothing, for every tree looks at X itself."""


def grow_tree(X, y, weights, n_classes, criterion, *, rows=None, shared=None, n_threads=1, **limits):
    """Grow a tree: a dict of its arrays, the nodes in preorder. Limits that do not apply are UNLIMITED or -inf.

    The rows that are used are those of `rows`, in their order, or all.
    The number of threads changes no tree, and here not the time either.
    """
    if weights is None:
        weights = [1] * len(y)
    elif judges_sequence(criterion):
        raise ValueError("A label sequence has no weights.")
    root = Node(list(range(len(y))) if rows is None else list(rows), 0, mix64(limits["seed"]))
    open_leaves = [(root, split)] if (split := open_split(X, y, weights, n_classes, criterion, limits, root)) else []
    n_leaves = 1
    while open_leaves and n_leaves < limits["max_leaf_nodes"]:
        chosen = 0 if limits["max_leaf_nodes"] == UNLIMITED else best_leaf(open_leaves, weights)
        node, node.split = open_leaves.pop(chosen)
        _, feature, threshold = node.split
        left_rows, right_rows = split_rows(X, node.rows, feature, threshold)
        node.left = Node(left_rows, node.depth + 1, mix64((node.random_state + 1) & MASK))
        node.right = Node(right_rows, node.depth + 1, mix64((node.random_state + 2) & MASK))
        n_leaves += 1
        # The open leaves stay in order, from left to right.
        for child in (node.right, node.left):
            split = open_split(X, y, weights, n_classes, criterion, limits, child)
            if split:
                open_leaves.insert(chosen, (child, split))
    return as_arrays(root, y, weights, n_classes, criterion)


def open_split(X, y, weights, n_classes, criterion, limits, node):
    """The split of a leaf that can and may be split, or None."""
    if len(node.rows) < limits["min_samples_split"] or node.depth >= limits["max_depth"]:
        return None
    if len({y[row] for row in node.rows}) == 1:
        return None
    split = find_split(X, y, weights, n_classes, criterion, limits, node.rows, node.random_state)
    if split is None or reported(criterion, split[0]) < limits["min_gain"]:
        return None
    return split


def best_leaf(open_leaves, weights):
    """The index of the leaf whose gain, times its rows' weight, is the greatest; of equal ones the leftmost."""
    best, best_total_gain = None, None
    for i, (node, split) in enumerate(open_leaves):
        total_gain = add_up(weights[row] for row in node.rows) * split[0]
        if best is None or is_greater(total_gain, best_total_gain):
            best, best_total_gain = i, total_gain
    return best


def as_arrays(root, y, weights, n_classes, criterion):
    """The tree's arrays in preorder. Counts of an inner node are those of its children, added."""
    tree = {name: [] for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples", "gain")}
    values = []
    stack = [(root, None, None)]
    while stack:
        node, parent, side = stack.pop()
        number = len(tree["feature"])
        if parent is not None:
            tree[side][parent] = number
        gain, feature, threshold = node.split if node.split else (0.0, UNDEFINED, float(UNDEFINED))
        tree["children_left"].append(LEAF)
        tree["children_right"].append(LEAF)
        tree["feature"].append(feature)
        tree["threshold"].append(threshold)
        tree["n_node_samples"].append(len(node.rows))
        tree["gain"].append(reported(criterion, gain))
        values.append(
            class_counts([y[row] for row in node.rows], [weights[row] for row in node.rows], n_classes)
            if node.split is None
            else None
        )
        if node.split:
            stack.append((node.right, number, "children_right"))
            stack.append((node.left, number, "children_left"))
    for number in reversed(range(len(values))):
        if values[number] is None:
            left, right = values[tree["children_left"][number]], values[tree["children_right"][number]]
            values[number] = [a + b for a, b in zip(left, right, strict=True)]
    tree["value"] = [[float(count) for count in counts] for counts in values]
    return tree
