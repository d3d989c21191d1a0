"""C4.5: growth by gain ratio, and pessimistic pruning.

J. R. Quinlan, "C4.5: Programs for Machine Learning" (1993), Chapters 2 to 4, as Weka's J48 understands it.
"""

from itertools import accumulate
from math import inf, sqrt
from statistics import NormalDist

from ..base.types import LEAF, MULTIWAY, NO_CATEGORY, UNDEFINED
from ..criteria.counts import add_up, is_greater
from .rows import divide_rows, weight_of
from .splits import SLACK, Data, best_split

# A simpler tree may have this many more expected errors.
SIMPLICITY = 0.1


class Node:
    """A node with its rows, their weights by class, and its children by branch; a leaf has no split."""

    def __init__(self, data, rows):
        self.rows = rows
        self.counts = [float(count) for count in data.counts_of(rows)]
        self.split = None
        self.children = {}

    def become_leaf(self):
        self.split, self.children = None, {}

    def errors(self):
        """Return the weight of the rows that are not of the most frequent class, the lowest of several."""
        majority = self.counts.index(max(self.counts))
        return add_up(count for label, count in enumerate(self.counts) if label != majority)


def grow_c45(X, y, weights, n_classes, *, n_categories=None, max_depth, min_samples_leaf, confidence, subtree_raising):
    """Grow a tree and prune it, unless the confidence is None.

    Return a dict of the tree's arrays, and its number of nodes before it was pruned.
    """
    data = Data(X, y, weights, n_classes, n_categories)
    root = grow(data, data.rows, 0, max_depth, min_samples_leaf)
    collapse(root)
    n_nodes_grown = len(in_preorder(root))
    if confidence is not None:
        prune(data, root, confidence, subtree_raising)
    return as_arrays(root, n_categories), n_nodes_grown


def grow(data, rows, depth, max_depth, min_samples_leaf):
    """Grow the tree of these rows. A node of one class, or with too few rows for two children, is a leaf."""
    node = Node(data, rows)
    is_pure = len({data.y[row] for row, _ in rows}) == 1
    if is_pure or depth >= max_depth or is_greater(2.0 * min_samples_leaf, weight_of(rows)):
        return node
    node.split = best_split(data, rows, min_samples_leaf)
    if node.split is not None:
        parts, _ = divide_rows(data.X, rows, node.split.feature, node.split.threshold)
        for branch, child_rows in parts.items():
            node.children[branch] = grow(data, child_rows, depth + 1, max_depth, min_samples_leaf)
    return node


def training_errors(node):
    if not node.children:
        return node.errors()
    return add_up(training_errors(child) for child in node.children.values())


def collapse(node):
    """Make leaves of nodes whose subtree makes no fewer errors on its own rows."""
    if training_errors(node) >= node.errors() - SLACK:
        node.become_leaf()
    for child in node.children.values():
        collapse(child)


# ------------------------------------------------------------------------------------------------------------- pruning


def pessimistic_errors(total, errors, confidence):
    """Return how many errors are expected among rows of this weight: the upper limit at this confidence.

    Without errors the limit is exact. From one error on it is the upper end of the score interval, with a correction
    for continuity. Between none and one it is interpolated.
    """
    if total <= 0.0:
        return 0.0
    if errors < 1.0:
        without = total * (1.0 - confidence ** (1.0 / total))
        if errors == 0.0:
            return without
        return without + errors * (pessimistic_errors(total, 1.0, confidence) - without)
    if errors + 0.5 >= total:
        return max(total, errors)
    z = -NormalDist().inv_cdf(confidence)
    share = (errors + 0.5) / total
    deviation = z * sqrt(share / total - share * share / total + z * z / (4.0 * total * total))
    return (share + z * z / (2.0 * total) + deviation) / (1.0 + z * z / total) * total


def errors_as_leaf(node, confidence):
    return pessimistic_errors(add_up(node.counts), node.errors(), confidence)


def errors_as_tree(node, confidence):
    if not node.children:
        return errors_as_leaf(node, confidence)
    return add_up(errors_as_tree(child, confidence) for child in node.children.values())


def largest_branch(data, node):
    """Return the child of the greatest weight of rows with a known value, the first of several."""
    _, sizes = divide_rows(data.X, node.rows, node.split.feature, node.split.threshold)
    best = None
    for branch, size in sizes.items():
        if best is None or is_greater(size, sizes[best]):
            best = branch
    return node.children[best]


def with_rows(data, node, rows):
    """Return the subtree with these rows instead of its own; rows with a value that has no child get a leaf."""
    new = Node(data, rows)
    if node is None or not node.children:
        return new
    parts, _ = divide_rows(data.X, rows, node.split.feature, node.split.threshold)
    if parts:
        new.split = node.split
        new.children = {branch: with_rows(data, node.children.get(branch), part) for branch, part in parts.items()}
    return new


def prune(data, node, confidence, raises):
    """Replace nodes, from the leaves up, by a leaf or their largest branch, if it is expected to err no more."""
    if not node.children:
        return
    for child in node.children.values():
        prune(data, child, confidence, raises)
    as_leaf, as_tree, as_branch = errors_as_leaf(node, confidence), errors_as_tree(node, confidence), inf
    if raises:
        branch = with_rows(data, largest_branch(data, node), node.rows)
        as_branch = errors_as_tree(branch, confidence)
    if not is_greater(as_leaf, as_tree + SIMPLICITY) and not is_greater(as_leaf, as_branch + SIMPLICITY):
        node.become_leaf()
    elif not is_greater(as_branch, as_tree + SIMPLICITY):
        node.split, node.children = branch.split, branch.children
        prune(data, node, confidence, raises)


# ---------------------------------------------------------------------------------------------------- the tree's arrays


def in_preorder(node):
    return [node] + [below for child in node.children.values() for below in in_preorder(child)]


def as_arrays(root, n_categories):
    """Return the arrays of the tree in preorder; the arrays of children only if features may have categories."""
    nodes = in_preorder(root)
    number = {node: i for i, node in enumerate(nodes)}
    children = [[number[child] for child in node.children.values()] for node in nodes]
    is_multiway = [node.split is not None and node.split.threshold is None for node in nodes]
    tree = {"children_left": [], "children_right": [], "feature": [], "threshold": [], "gain": []}
    for node, below, multiway in zip(nodes, children, is_multiway, strict=True):
        left, right = (MULTIWAY, MULTIWAY) if multiway else below or (LEAF, LEAF)
        tree["children_left"].append(left)
        tree["children_right"].append(right)
        tree["feature"].append(node.split.feature if node.split else UNDEFINED)
        tree["threshold"].append(node.split.threshold if node.split and not multiway else float(UNDEFINED))
        tree["gain"].append(node.split.gain if node.split else 0.0)
    tree["n_node_samples"] = [len(node.rows) for node in nodes]
    tree["value"] = [node.counts for node in nodes]
    if n_categories is not None:
        category = [NO_CATEGORY] * len(nodes)
        for node, multiway in zip(nodes, is_multiway, strict=True):
            for branch, child in node.children.items() if multiway else ():
                category[number[child]] = branch
        tree["category"] = category
        tree["children"] = [child for below in children for child in below]
        tree["child_offsets"] = list(accumulate((len(below) for below in children), initial=0))
    return tree
