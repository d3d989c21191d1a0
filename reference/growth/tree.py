"""A tree as it grows: its nodes, and its arrays in the end."""

from fractions import Fraction
from itertools import accumulate
from operator import mul

from ..base.types import LEAF, MULTIWAY, NO_CATEGORY, NONE_MISSING, UNDEFINED
from ..criteria.absolute_error import median_target
from ..criteria.counts import given_of, name_of
from ..criteria.table import exact_impurity
from ..rows.partition import known_values, rows_by_category, split_rows
from ..split.monotonic import NO_BOUNDS
from ..split.node_search import MASK, mix64


class Node:
    """A node while the tree grows: its rows in order, its depth, the state its draws of features start from, the
    categories that lead to it, ascending, and the bounds of its value."""

    def __init__(self, rows, depth, random_state, categories=(), bounds=NO_BOUNDS):
        self.rows = rows
        self.depth = depth
        self.random_state = random_state
        self.categories = categories
        self.bounds = bounds
        self.feature, self.cut, self.gain = UNDEFINED, (float(UNDEFINED), NONE_MISSING), 0.0
        self.children = []


def parts_of(problem, rows, feature, cut):
    """Return (categories, rows) for both sides of a cut or of two sets of categories, or for every category of the
    rows."""
    if not problem.is_categorical(feature):
        return [((), side) for side in split_rows(problem.X, rows, feature, *cut)]
    parts = rows_by_category(problem.X, rows, feature)
    if len(cut) == 2:
        return [((category,), of_category) for category, of_category in parts]
    left = cut[2]
    return [
        (
            tuple(category for category, _ in parts if (category in left) == is_left),
            [row for row in rows if (int(problem.X[row][feature]) in left) == is_left],
        )
        for is_left in (True, False)
    ]


def children_of(problem, node, feature, cut):
    """Make a node for every part of a node's rows."""
    return [
        Node(rows, node.depth + 1, mix64((node.random_state + 1 + branch) & MASK), categories)
        for branch, (categories, rows) in enumerate(parts_of(problem, node.rows, feature, cut))
    ]


def in_preorder(root):
    """Return the nodes in preorder, numbered."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        node.number = len(order)
        order.append(node)
        stack += reversed(node.children)
    return order


def is_multiway(node):
    return bool(node.children) and node.children[0].categories != ()


def below_threshold(X, node):
    """Return the greatest value of the rows that go left at a threshold; UNDEFINED at other nodes."""
    if not node.children or is_multiway(node):
        return float(UNDEFINED)
    return known_values(X, node.children[0].rows, node.feature)[-1] + 0.0  # one zero only


def as_arrays(problem, order, exact_targets=None):
    """Return the arrays of a tree, from its nodes in preorder. Counts of inner nodes are sums of their children's.

    If classes stand for targets, sums of the targets replace the class counts.

    If children may have several categories, `category` has the lowest.
    """
    names = "children_left", "children_right", "feature", "threshold", "n_node_samples", "gain", "missing_go_to_left"
    tree = {name: [] for name in names} | {"below_threshold": [below_threshold(problem.X, node) for node in order]}
    for node in order:
        left, right = MULTIWAY, MULTIWAY
        if not is_multiway(node):
            left, right = (child.number for child in node.children) if node.children else (LEAF, LEAF)
        tree["children_left"].append(left)
        tree["children_right"].append(right)
        tree["feature"].append(node.feature)
        tree["threshold"].append(node.cut[0])
        tree["missing_go_to_left"].append(node.cut[1])
        tree["n_node_samples"].append(len(node.rows))
        tree["gain"].append(node.gain)
    if "targets" in given_of(problem.criterion):
        tree |= sums_of_targets(problem, order)
        if exact_targets is not None:
            tree["value"] = [value_of_targets(problem, node, exact_targets) for node in order]
    else:
        tree["value"] = values(problem, order)
    if problem.n_categories is not None:
        tree["child_offsets"] = [0, *accumulate(len(node.children) for node in order)]
        tree["children"] = [child.number for node in order for child in node.children]
        tree["category"] = [node.categories[0] if node.categories else NO_CATEGORY for node in order]
        if problem.limits.get("subsets"):
            tree["category_offsets"] = [0, *accumulate(len(node.categories) for node in order)]
            tree["categories"] = [category for node in order for category in node.categories]
            tree["splits_by_heuristic"] = [int(any(node.cut[3:])) for node in order]
    return tree


def sums_of_targets(problem, order):
    """Return for all nodes the weight, the weight times the value, the spread, and the impurity if the criterion has
    one; sums and spreads as their multiples of 2**62 and the rest.

    The value is the mean of the targets, and the spread the weighted sum of their squares. If absolute errors are
    judged, these are the median and the weighted sum of the distances to it.
    """
    criterion, targets = problem.criterion, given_of(problem.criterion)["targets"]
    tree = {"weight": [], "target_sum": [], "spread": []}
    if name_of(criterion) != "user_sums":
        impurity = exact_impurity(criterion, len(targets))
        tree["impurity"] = []
    for node in order:
        counts, weight = problem.counted(node.rows)
        total = sum(map(mul, counts, targets))
        spread = sum(count * target**2 for target, count in zip(targets, counts, strict=True))
        if name_of(criterion) == "absolute_error":
            median = median_target(counts, targets)
            total = weight * median
            spread = sum(count * abs(target - median) for target, count in zip(targets, counts, strict=True))
        tree["weight"].append(weight)
        tree["target_sum"].append(divmod(total, 2**62))
        if "impurity" in tree:
            tree["impurity"].append(float(impurity(counts)))
        tree["spread"].append(divmod(spread, 2**62))
    return tree


def value_of_targets(problem, node, targets):
    """Return the double nearest to the mean of the node's targets; if absolute errors are judged, their median."""
    samples = sorted((targets[row] + 0.0, problem.weights[row]) for row in node.rows)
    if name_of(problem.criterion) == "absolute_error":
        return median_target([weight for _, weight in samples], [target for target, _ in samples])
    return float(sum(weight * Fraction(target) for target, weight in samples) / sum(weight for _, weight in samples))


def values(problem, order):
    """Return the class counts of all nodes, as floating-point numbers."""
    counts = [None] * len(order)
    for node in reversed(order):
        if node.children:
            first, *others = (counts[child.number] for child in node.children)
            for of_child in others:
                first = [a + b for a, b in zip(first, of_child, strict=True)]
            counts[node.number] = first
        else:
            counts[node.number] = problem.class_counts(node.rows)
    return [[float(count) for count in of_node] for of_node in counts]
