"""Growth of a tree: Steps 1 to 6 of the permutation decision tree's algorithm (Section 2), for every criterion.

A node is a leaf where its rows share one class (Step 6), where a limit says so, or where no cut is allowed; otherwise
it takes the split of highest gain: two children at a threshold, or one for every category that its rows have.
Depth-first growth takes the leaves from the left; best-first growth, which a limit on the number of leaves asks for,
takes the leaf whose split gains most, counted by the rows that it concerns.
"""

from itertools import accumulate

from ..criteria.counts import add_up, class_counts, is_greater
from ..criteria.user import check_criterion
from ..rows.partition import check_categories, is_categorical, rows_by_category, split_rows
from ..split.find import find_split
from ..split.scan import judges_sequence, reported
from ..split.scanner import MASK, mix64

UNLIMITED = 2**31 - 1
LEAF, UNDEFINED, MULTIWAY = -1, -2, -2
NO_CATEGORY = -1


class Node:
    """A node while the tree grows: its rows in order, its depth, the state its draws of features start from, and the
    category that leads to it."""

    def __init__(self, rows, depth, random_state, category=NO_CATEGORY):
        self.rows = rows
        self.depth = depth
        self.random_state = random_state
        self.category = category
        self.split = None
        self.children = []


def children_of(X, node, split, n_categories):
    """A node for the rows on either side of a threshold, or for those of every category."""
    _, feature, threshold = split
    if is_categorical(n_categories, feature):
        parts = rows_by_category(X, node.rows, feature)
    else:
        parts = [(NO_CATEGORY, side) for side in split_rows(X, node.rows, feature, threshold)]
    return [
        Node(rows, node.depth + 1, mix64((node.random_state + 1 + branch) & MASK), category)
        for branch, (category, rows) in enumerate(parts)
    ]


def share_features(X, n_classes, criterion, weights_are_whole, max_features, max_candidates, *, n_categories=None):
    """What the trees of a forest share: nothing, for every tree looks at X itself."""
    check_categories(X, n_categories)


def grow_by_gain(
    X, y, weights, n_classes, criterion, *, rows=None, shared=None, n_threads=1, n_categories=None, **limits
):
    """Grow a tree: a dict of its arrays, the nodes in preorder. Limits that do not apply are UNLIMITED or -inf.

    The rows that are used are those of `rows`, in their order, or all. A feature of which n_categories is above 0 holds
    codes 0, 1, ..., n_categories - 1, and splits into one child a category; None: no feature does.
    The number of threads changes no tree, and here not the time either.
    """
    check_categories(X, n_categories)
    check_criterion(criterion, n_categories)
    if weights is None:
        weights = [1] * len(y)
    elif judges_sequence(criterion):
        raise ValueError("A label sequence has no weights.")
    root = Node(list(range(len(y))) if rows is None else list(rows), 0, mix64(limits["seed"]))
    problem = X, y, weights, n_classes, criterion, limits, n_categories
    open_leaves = [(root, split)] if (split := open_split(*problem, root)) else []
    n_leaves = 1
    while open_leaves and n_leaves < limits["max_leaf_nodes"]:
        chosen = 0 if limits["max_leaf_nodes"] == UNLIMITED else best_leaf(open_leaves, weights)
        node, split = open_leaves.pop(chosen)
        children = children_of(X, node, split, n_categories)
        # With too many children the leaf stays one; the split of another may still have few enough.
        if n_leaves - 1 + len(children) > limits["max_leaf_nodes"]:
            continue
        node.split, node.children = split, children
        n_leaves += len(children) - 1
        # The open leaves stay in order, from left to right.
        for child in reversed(node.children):
            split = open_split(*problem, child)
            if split:
                open_leaves.insert(chosen, (child, split))
    return as_arrays(root, y, weights, n_classes, criterion, n_categories is not None)


def open_split(X, y, weights, n_classes, criterion, limits, n_categories, node):
    """The split of a leaf that can and may be split, or None."""
    if len(node.rows) < limits["min_samples_split"] or node.depth >= limits["max_depth"]:
        return None
    if len({y[row] for row in node.rows}) == 1:
        return None
    split = find_split(X, y, weights, n_classes, criterion, limits, node.rows, node.random_state, n_categories)
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


def in_preorder(root):
    """The nodes in preorder, numbered."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        node.number = len(order)
        order.append(node)
        stack += reversed(node.children)
    return order


def is_multiway(node):
    return bool(node.children) and node.children[0].category != NO_CATEGORY


def as_arrays(root, y, weights, n_classes, criterion, has_categories):
    """The tree's arrays. Counts of an inner node are those of its children, added."""
    order = in_preorder(root)
    tree = {name: [] for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples", "gain")}
    for node in order:
        left, right = MULTIWAY, MULTIWAY
        if not is_multiway(node):
            left, right = (child.number for child in node.children) if node.children else (LEAF, LEAF)
        gain, feature, threshold = node.split or (0.0, UNDEFINED, float(UNDEFINED))
        tree["children_left"].append(left)
        tree["children_right"].append(right)
        tree["feature"].append(feature)
        tree["threshold"].append(threshold)
        tree["n_node_samples"].append(len(node.rows))
        tree["gain"].append(reported(criterion, gain))
    tree["value"] = values(order, y, weights, n_classes)
    if has_categories:
        tree["child_offsets"] = [0, *accumulate(len(node.children) for node in order)]
        tree["children"] = [child.number for node in order for child in node.children]
        tree["category"] = [node.category for node in order]
    return tree


def values(order, y, weights, n_classes):
    """The class counts of all nodes, as floating-point numbers."""
    counts = [None] * len(order)
    for node in reversed(order):
        if node.children:
            first, *others = (counts[child.number] for child in node.children)
            for of_child in others:
                first = [a + b for a, b in zip(first, of_child, strict=True)]
            counts[node.number] = first
        else:
            labels, of_rows = [y[row] for row in node.rows], [weights[row] for row in node.rows]
            counts[node.number] = class_counts(labels, of_rows, n_classes)
    return [[float(count) for count in of_node] for of_node in counts]
