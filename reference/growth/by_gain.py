"""Growth of a tree: Steps 1 to 6 of the permutation decision tree's algorithm (Section 2), for every criterion.

A node is a leaf if its rows share one class (Step 6), if a limit says so, or if no cut is allowed. Otherwise it takes
the split of the highest gain: two children at a threshold or for two sets of categories, or one child for every
category of its rows. Depth-first growth takes the leaves from the left. Best-first growth, which a limit on the number
of leaves asks for, takes the leaf whose split has the greatest gain times the weight of its rows.
"""

from fractions import Fraction
from math import ceil

from ..base.signals import raise_if_stopped
from ..base.types import UNLIMITED
from ..criteria.counts import (
    add_up,
    check_targets,
    check_weights,
    given_of,
    is_greater,
    user_criterion_of,
)
from ..criteria.table import judges_sequence
from ..criteria.user import check_criterion, check_judging
from ..rows.partition import check_categories
from ..sequence.groups import check_groups
from ..split.monotonic import bounds_of_children, checked_constraints, value_of
from ..split.node_search import mix64
from ..split.node_split import find_split
from ..split.problem import Problem
from .tree import Node, as_arrays, children_of, in_preorder

# A decrease of impurity may be too small by this much, as in scikit-learn.
DECREASE_TOLERANCE = 2.0**-52


def share_features(
    X, n_classes, criterion, is_narrow, max_features, max_candidates, *, n_categories=None, limits_cuts=False
):
    """Return the data that the trees of a forest share: None, because every tree reads X itself."""
    check_categories(X, n_categories)


def grow_by_gain(
    X,
    y,
    weights,
    n_classes,
    criterion,
    *,
    rows=None,
    shared=None,
    n_threads=1,
    n_categories=None,
    exact_targets=None,
    **limits,
):
    """Grow a tree and return a dict of its arrays, the nodes in preorder. A limit of UNLIMITED or -inf does not apply;
    min_impurity_decrease and min_weight_fraction_leaf do not apply if they are 0 or absent.

    `monotonic_cst` has a number for every feature, or is None or absent: along a feature of 1 the tree's value must not
    fall, of -1 not rise. The value is the mean of the targets, their median, or the mean rank of the classes. Class
    counts and sums of targets are as they are: `node_bounds` tells within which bounds values have to be clipped.

    `exact_targets` are the targets of all rows as doubles, if they were rounded to whole numbers: the dict then has the
    `value` of every node, the nearest double to the mean of its targets, or their lower median.

    The tree uses the rows of `rows`, in this order, or all rows. If n_categories of a feature is above 0, the feature
    holds codes 0, 1, ..., n_categories - 1, and splits into one child a category or, with `subsets=True`, into two sets
    of categories. If n_categories is None, no feature is categorical. The number of threads changes no tree, and here
    not the time either.
    """
    check_categories(X, n_categories)
    check_judging(criterion)
    if not limits.get("subsets"):
        check_criterion(criterion, n_categories)
    if weights is not None and judges_sequence(criterion):
        raise ValueError("A label sequence has no weights.")
    rows = list(range(len(y))) if rows is None else list(rows)
    groups = given_of(criterion).get("groups")
    if groups is not None:
        check_groups(groups, rows, len(y))
    check_weights(weights)
    if exact_targets is not None and (len(exact_targets) != len(y) or "targets" not in given_of(criterion)):
        raise ValueError("exact_targets must be a target for every row, and the classes must stand for targets.")
    check_targets(criterion, n_classes, weights, rows)
    directions = checked_constraints(limits.get("monotonic_cst"), criterion, len(X[0]), n_categories)
    limits = with_least_weights(limits, weights, rows) | {"monotonic_cst": directions}
    if limits["min_impurity_decrease"] > 0.0 and not decreases_impurity(criterion):
        raise ValueError(f"The gains of {criterion!r} are no decreases of impurity.")
    weights = [1] * len(y) if weights is None else weights
    problem = Problem(X, y, weights, n_classes, criterion, limits, n_categories)
    root = Node(rows, 0, mix64(limits["seed"]))
    open_leaves = [(root, split)] if (split := open_split(problem, root)) else []
    n_leaves = 1
    while open_leaves and n_leaves < limits["max_leaf_nodes"]:
        chosen = 0 if limits["max_leaf_nodes"] == UNLIMITED else best_leaf(problem, open_leaves)
        node, split = open_leaves.pop(chosen)
        gain, feature, cut = split
        children = children_of(problem, node, feature, cut)
        if directions:
            hand_bounds_down(problem, node, children, directions[feature])
        # With too many children the node stays a leaf; the split of another leaf may have few enough.
        if n_leaves - 1 + len(children) > limits["max_leaf_nodes"]:
            continue
        node.feature, node.cut, node.gain = feature, cut, float(gain)
        node.children = children
        n_leaves += len(children) - 1
        # The open leaves stay in order, from left to right.
        for child in reversed(node.children):
            split = open_split(problem, child)
            if split:
                open_leaves.insert(chosen, (child, split))
    return as_arrays(problem, in_preorder(root), exact_targets)


def hand_bounds_down(problem, node, children, direction):
    """Give the children of a node the bounds of their values."""
    values = [value_of(problem.criterion, problem.class_counts(child.rows)) for child in children]
    for child, bounds in zip(children, bounds_of_children(direction, values, node.bounds), strict=True):
        child.bounds = bounds


def with_least_weights(limits, weights, rows):
    """Return the limits with the total weight, the least decrease of impurity (0 for none), and the least weight of a
    leaf. The fraction is the decimal number that it is written as. Without weights the least weight becomes a least
    number of samples."""
    total = len(rows) if weights is None else add_up(weights[row] for row in rows)
    least = ceil(Fraction(repr(float(limits.get("min_weight_fraction_leaf", 0.0)))) * total)
    min_samples_leaf = limits["min_samples_leaf"]
    if weights is None:
        min_samples_leaf, least = max(min_samples_leaf, least), 0
    return limits | {
        "min_samples_leaf": min_samples_leaf,
        "min_leaf_weight": least,
        "min_impurity_decrease": limits.get("min_impurity_decrease", 0.0),
        "total_weight": total,
    }


def decreases_impurity(criterion):
    """Whether a gain can be the decrease of an impurity, which the engine's own criteria on class counts judge."""
    return not judges_sequence(criterion) and user_criterion_of(criterion)[0] is None


def open_split(problem, node):
    """Return the split of a leaf that can and may be split, or None."""
    raise_if_stopped()
    limits = problem.limits
    if len(node.rows) < limits["min_samples_split"] or node.depth >= limits["max_depth"]:
        return None
    if len(set(problem.labels(node.rows))) == 1:
        return None
    split = find_split(problem, node)
    if split is None or float(split[0]) < limits["min_gain"]:
        return None
    if limits["min_impurity_decrease"] > 0.0:
        share = problem.weight(node.rows) / limits["total_weight"]
        if share * float(split[0]) + DECREASE_TOLERANCE < limits["min_impurity_decrease"]:
            return None
    return split


def best_leaf(problem, open_leaves):
    """Return the index of the leaf whose gain, times its rows' weight, is the greatest; ties go to the leftmost."""
    best, best_total_gain = None, None
    for i, (node, split) in enumerate(open_leaves):
        total_gain = problem.weight(node.rows) * split[0]
        if best is None or is_greater(total_gain, best_total_gain):
            best, best_total_gain = i, total_gain
    return best
