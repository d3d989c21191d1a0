"""The nodes of scikit-learn's trees: written from the arrays of a tree, and read back.

scikit-learn's trees take longer to import than all of pytrees: other modules import this module inside functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, _tree
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from .._binary_form import BinaryForm
from .._names import checked_names
from .._tree_arrays import TreeArrays, check_children
from .._tree_checks import LEAF, TO_GREATER_CHILD, UNDEFINED
from .._typing import AnyArray, CountCriterionName, FloatArray, IntArray, LabelsLike
from ..criteria import gain
from ..input.labels import label_column

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

# The fields of a node of scikit-learn 1.9.
_NODE_FIELDS = (
    "left_child",
    "right_child",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
)

# Criteria that both libraries have, by scikit-learn's names.
_CRITERIA: dict[str, CountCriterionName] = {"gini": "gini", "log_loss": "entropy", "entropy": "entropy"}

# scikit-learn's criteria of numbers whose impurity is one of ours, by the name of ours. Friedman's improvement judges
# splits, but nodes have the mean squared error. The deviance of Poisson is none of ours.
_ERRORS = {"squared_error": "squared_error", "friedman_mse": "squared_error", "absolute_error": "absolute_error"}

# A class's share times the sum of the counts gives the whole count back, except for two roundings.
_ROUNDING = 4.0 * np.finfo(np.float64).eps


# ------------------------------------------------------------------------------------------------------------------ out


def tree_to_sklearn(tree: TreeArrays, classes: LabelsLike | None) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Convert a tree as :meth:`pytrees.Tree.to_sklearn` describes it."""
    if tree.is_regressor:
        check_no_classes(classes)
        return sklearn_regression_tree(tree)
    if classes is None:
        return sklearn_tree(tree, np.arange(tree.n_classes))
    checked_names("classes", classes, tree.n_classes)
    return sklearn_tree(tree, label_column(classes, "classes"))


def check_no_classes(classes: object) -> None:
    """Raise ValueError if labels of classes are given for trees of numbers."""
    if classes is not None:
        raise ValueError(f"Names of classes are given, {classes!r:.50}, but the tree predicts numbers.")


def sklearn_tree(
    tree: TreeArrays, classes: AnyArray, labels: IntArray | None = None, **parameters: Any
) -> DecisionTreeClassifier:
    """Return a fitted scikit-learn ``DecisionTreeClassifier`` with the nodes of a tree's binary form.

    `labels` are the codes of the classes that the nodes vote for: leaves then have the value 1 for that class, and
    other nodes the mean over their training samples. By default values are the shares of the classes. `parameters` go
    to the estimator. Raises a RuntimeError if scikit-learn stores its nodes otherwise than 1.9 does.
    """
    check_can_be_written(tree)
    binary = tree.binary
    shares, weights, n_samples = _of_binary_nodes(tree, binary)
    criterion = _criterion_of(tree)
    predicted = shares if tree._given_shares is None else tree.shares[binary.node]
    values = predicted if labels is None else _means_of_votes(tree, binary, labels, weights)
    estimator = DecisionTreeClassifier(criterion=criterion, **parameters)
    _set_nodes(estimator, tree, binary, values, _impurities(criterion, shares), weights, n_samples)
    estimator.classes_, estimator.n_classes_ = classes, np.int64(len(classes))
    return estimator


def sklearn_regression_tree(tree: TreeArrays, **parameters: Any) -> DecisionTreeRegressor:
    """Return a fitted scikit-learn ``DecisionTreeRegressor`` with the nodes of the binary form of a tree of numbers."""
    check_can_be_written(tree)
    estimator = DecisionTreeRegressor(criterion=tree.criterion_name or "squared_error", **parameters)
    binary = tree.binary
    _set_nodes(estimator, tree, binary, *_numbers_of_binary_nodes(tree, binary))
    return estimator


def check_can_be_written(tree: TreeArrays) -> None:
    """Raise an error if this version of scikit-learn, or any version, cannot hold the nodes of a tree."""
    if _tree.NODE_DTYPE.names != _NODE_FIELDS:
        raise RuntimeError(f"This scikit-learn stores {_tree.NODE_DTYPE.names} for a node, not {_NODE_FIELDS}.")
    if tree.has_category_sets:
        raise ValueError(
            "scikit-learn's trees cannot divide categories into two sets. Fit with categorical_split='multiway', where "
            "there is this parameter: its splits become thresholds on codes."
        )


def _set_nodes(
    estimator: Any,
    tree: TreeArrays,
    binary: BinaryForm,
    values: FloatArray,
    impurity: FloatArray,
    weights: FloatArray,
    n_samples: IntArray,
) -> None:
    """Give scikit-learn's estimator the nodes of the binary form; values are of shape (n_nodes, n_outputs)."""
    left, right, feature, threshold = binary[:4]
    nodes = np.zeros(len(left), dtype=_tree.NODE_DTYPE)
    nodes["left_child"], nodes["right_child"], nodes["feature"] = left, right, feature
    nodes["threshold"] = _rounded_down_to_float32(threshold)
    nodes["impurity"] = impurity
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = n_samples, weights
    nodes["missing_go_to_left"] = (
        tree._missing_in_binary(binary) if tree.takes_missing else _to_greater_child(left, right, weights)
    )
    estimator.tree_ = _tree.Tree(tree.n_features, np.array([values.shape[1]], dtype=np.intp), 1)
    state = {"nodes": nodes, "values": np.ascontiguousarray(values[:, np.newaxis, :])}
    estimator.tree_.__setstate__(state | {"max_depth": _max_depth(left, right), "node_count": len(nodes)})
    estimator.n_features_in_ = estimator.max_features_ = tree.n_features
    estimator.n_outputs_ = 1


def sklearn_forest(
    trees: Sequence[TreeArrays],
    classes: AnyArray,
    labels: Sequence[IntArray | None] | None = None,
    parameters: dict[str, Any] | None = None,
    parameters_of_trees: Sequence[dict[str, Any]] | None = None,
) -> RandomForestClassifier:
    """Return a fitted scikit-learn ``RandomForestClassifier`` with the nodes of trees.

    `labels` are the votes of every tree's nodes, as in `sklearn_tree`; `parameters` are the forest's.
    """
    from sklearn.ensemble import RandomForestClassifier

    codes = np.arange(len(classes), dtype=np.float64)  # trees in scikit-learn's forests have codes as classes
    of_trees = zip(trees, labels or [None] * len(trees), parameters_of_trees or [{}] * len(trees), strict=True)
    estimators = [sklearn_tree(tree, codes, votes, **own) for tree, votes, own in of_trees]
    criterion = estimators[0].criterion
    forest = RandomForestClassifier(**({"criterion": criterion} | (parameters or {})))
    forest.set_params(n_estimators=len(trees))
    forest.estimators_, forest.estimator_ = estimators, DecisionTreeClassifier()
    forest.classes_, forest.n_classes_ = classes, len(classes)
    forest.n_features_in_, forest.n_outputs_ = trees[0].n_features, 1
    return forest


def sklearn_regression_forest(
    trees: Sequence[TreeArrays],
    parameters: dict[str, Any] | None = None,
    parameters_of_trees: Sequence[dict[str, Any]] | None = None,
) -> RandomForestRegressor:
    """Return a fitted scikit-learn ``RandomForestRegressor`` with the nodes of trees; `parameters` are the forest's."""
    from sklearn.ensemble import RandomForestRegressor

    of_trees = zip(trees, parameters_of_trees or [{}] * len(trees), strict=True)
    estimators = [sklearn_regression_tree(tree, **own) for tree, own in of_trees]
    forest = RandomForestRegressor(**({"criterion": estimators[0].criterion} | (parameters or {})))
    forest.set_params(n_estimators=len(trees))
    forest.estimators_, forest.estimator_ = estimators, DecisionTreeRegressor()
    forest.n_features_in_, forest.n_outputs_ = trees[0].n_features, 1
    return forest


def _numbers_of_binary_nodes(
    tree: TreeArrays, binary: BinaryForm
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Return numbers, impurities, weights and numbers of training samples of the nodes of the binary form.

    Impurities are NaN if the tree has none. A node within the search among the categories of a multiway node has the
    means of its children: what the splits of the search gain together is right.
    """
    impurity = tree.impurity if hasattr(tree, "impurity") else np.full(tree.node_count, np.nan)
    if not tree.is_multiway:
        return tree.value, impurity, tree.weighted_n_node_samples, tree.n_node_samples
    left, right, node = binary.children_left, binary.children_right, binary.node
    # Some leaves of the binary form are parts of multiway nodes, and have no training samples.
    has_samples = (left == LEAF) & (tree.children_left[node] == LEAF)
    weights = np.where(has_samples, tree.weighted_n_node_samples[node], 0.0)
    n_samples = np.where(has_samples, tree.n_node_samples[node], 0)
    numbers, impurity = tree.value[node, 0], impurity[node]
    is_first = np.ones(len(node), dtype=bool)  # a tree's node starts with its first part, in preorder
    is_first[np.setdiff1d(np.arange(len(node)), np.unique(node, return_index=True)[1])] = False
    for parent in np.flatnonzero(left != LEAF)[::-1]:
        below = [left[parent], right[parent]]
        weights[parent], n_samples[parent] = weights[below].sum(), n_samples[below].sum()
        if not is_first[parent] and weights[parent] > 0.0:
            shares = weights[below] / weights[parent]
            numbers[parent], impurity[parent] = shares @ numbers[below], shares @ impurity[below]
    return numbers[:, np.newaxis], impurity, weights, n_samples


def _of_binary_nodes(tree: TreeArrays, binary: BinaryForm) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the nodes of the binary form by their training samples: shares of classes, weights and numbers."""
    if not tree.is_multiway:
        weights = tree.weighted_n_node_samples
        return tree.value / weights[:, np.newaxis], weights, tree.n_node_samples
    left, right, node = binary.children_left, binary.children_right, binary.node
    # Some leaves of the binary form are parts of multiway nodes, and have no training samples.
    has_samples = (left == LEAF) & (tree.children_left[node] == LEAF)
    value = np.where(has_samples[:, np.newaxis], tree.value[node], 0.0)
    n_samples = np.where(has_samples, tree.n_node_samples[node], 0)
    for parent in np.flatnonzero(left != LEAF)[::-1]:
        value[parent] = value[left[parent]] + value[right[parent]]
        n_samples[parent] = n_samples[left[parent]] + n_samples[right[parent]]
    own = (tree.value / tree.weighted_n_node_samples[:, np.newaxis])[node]
    weights = value.sum(axis=1)
    shares = np.divide(value, weights[:, np.newaxis], out=own, where=(weights > 0.0)[:, np.newaxis])
    return shares, weights, n_samples


def _means_of_votes(tree: TreeArrays, binary: BinaryForm, labels: IntArray, weights: FloatArray) -> FloatArray:
    """Return for every node of the binary form the mean vote of the leaves below, by the weights of their samples.

    A node without training samples has its own vote.
    """
    left, right, node = binary.children_left, binary.children_right, binary.node
    own = np.eye(tree.n_classes)[labels[node]]
    votes = np.where((left == LEAF)[:, np.newaxis], own * weights[:, np.newaxis], 0.0)
    for parent in np.flatnonzero(left != LEAF)[::-1]:
        votes[parent] = votes[left[parent]] + votes[right[parent]]
    total = votes.sum(axis=1, keepdims=True)
    means = np.divide(votes, total, out=own.copy(), where=total > 0.0)
    return np.where((left == LEAF)[:, np.newaxis], own, means)


def _criterion_of(tree: TreeArrays) -> str:
    """Return the criterion that a tree was grown by if scikit-learn has this criterion, otherwise Gini."""
    return tree._criterion if tree._criterion in ("gini", "entropy") else "gini"


def _impurities(criterion: str, shares: FloatArray) -> FloatArray:
    if criterion == "gini":
        return 1.0 - (shares**2).sum(axis=1)
    logarithms = np.log2(shares, out=np.zeros(shares.shape), where=shares > 0.0)
    return np.abs((shares * logarithms).sum(axis=1))


def _to_greater_child(left: AnyArray, right: AnyArray, weights: FloatArray) -> NDArray[np.uint8]:
    """Return whether samples with missing values go left: to the child of more weight, as if training had none."""
    inner = left != LEAF
    goes = np.zeros(len(left), dtype=np.uint8)
    goes[inner] = weights[left[inner]] > weights[right[inner]]
    return goes


def _max_depth(left: AnyArray, right: AnyArray) -> int:
    depth, level = -1, np.array([0])
    while level.size:
        depth += 1
        inner = level[left[level] >= 0]
        level = np.concatenate([left[inner], right[inner]])
    return depth


def _rounded_down_to_float32(thresholds: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        nearest = thresholds.astype(np.float32)
        below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest.astype(np.float64) > thresholds, below, nearest).astype(np.float64)


# ------------------------------------------------------------------------------------------------------------------- in


def arrays_of_sklearn(estimator: Any) -> dict[str, Any]:
    """Read the parameters of a Tree from a fitted scikit-learn tree: nodes in preorder, and gains by its criterion.

    Raises the errors of :meth:`pytrees.Tree.from_sklearn`.
    """
    nodes, name = _checked_nodes(estimator), type(estimator).__name__
    weights = nodes.weighted_n_node_samples
    if not np.all(np.isfinite(weights)):
        raise ValueError(f"{name} has nodes whose weighted_n_node_samples are not finite.")
    if not (np.all(nodes.n_node_samples > 0) and np.all(weights > 0.0)):
        raise ValueError(f"{name} has nodes without training samples, which a Tree does not have.")
    if isinstance(estimator, DecisionTreeRegressor):
        return _arrays_of_numbers(nodes, _ERRORS.get(estimator.criterion))
    if estimator.criterion not in _CRITERIA:
        raise ValueError(f"{name} has criterion={estimator.criterion!r}; known are {', '.join(sorted(_CRITERIA))}.")
    order, arrays = _splits_of_sklearn(nodes)
    value = whole_where_near(nodes.value[order, 0, :] * weights[order, np.newaxis])
    inner = arrays["children_left"] != LEAF
    criterion, gains = _CRITERIA[estimator.criterion], np.zeros(len(order))
    gains[inner] = gain(criterion, *(value[arrays[side][inner]] for side in ("children_left", "children_right")))
    missing = _missing_of_sklearn(nodes)[order]
    return arrays | {"value": value, "gain": gains, "criterion": criterion, "missing_go_to_left": missing}


def _arrays_of_numbers(nodes: Any, criterion: str | None) -> dict[str, Any]:
    """Read the parameters of a tree of numbers; `criterion` names the impurity, None if it is none of ours."""
    order, arrays = _splits_of_sklearn(nodes)
    weights = nodes.weighted_n_node_samples[order]
    # Rounding leaves some impurities just below 0; squares of great numbers have none.
    impurity = np.maximum(nodes.impurity[order], 0.0)
    inner, gains = np.flatnonzero(arrays["children_left"] != LEAF), np.zeros(len(order))
    sides = [arrays[side][inner] for side in ("children_left", "children_right")]
    with np.errstate(invalid="ignore"):
        of_children = sum(weights[side] / weights[inner] * impurity[side] for side in sides)
        decrease = impurity[inner] - of_children
    gains[inner] = np.where(np.isfinite(decrease), decrease, 0.0)
    return arrays | {
        "value": nodes.value[order, 0, :],
        "gain": gains,
        "criterion": criterion,
        "missing_go_to_left": _missing_of_sklearn(nodes)[order],
        "weighted_n_node_samples": weights,
        "impurity": None if np.isnan(impurity).any() else impurity,
    }


def error_of_sklearn(criterion: str) -> str | None:
    """Return the criterion of numbers of this package that is scikit-learn's criterion; None if there is none."""
    return _ERRORS.get(criterion)


def share_arrays_of_sklearn(estimator: Any) -> dict[str, Any]:
    """Read the parameters of a Tree from a fitted classification tree, with the shares of classes as `value`."""
    order, arrays = _splits_of_sklearn(estimator.tree_)
    arrays |= {"value": estimator.tree_.value[order, 0, :], "gain": np.zeros(len(order))}
    return arrays | _ways_of_sklearn(estimator, order)


def number_arrays_of_sklearn(estimator: Any) -> dict[str, Any]:
    """Read the parameters of a Tree of numbers from a fitted regression tree of one output."""
    nodes = estimator.tree_
    order, arrays = _splits_of_sklearn(nodes)
    weights = nodes.weighted_n_node_samples[order]
    numbers = {"value": nodes.value[order, 0, :], "weighted_n_node_samples": weights}
    return arrays | numbers | {"gain": np.zeros(len(order))} | _ways_of_sklearn(estimator, order)


def _ways_of_sklearn(estimator: Any, order: IntArray) -> dict[str, Any]:
    """Read the ways of missing values, the nodes in an order; nothing of a tree that refuses missing values."""
    goes_left = sides_of_missing(estimator)
    if goes_left is None:
        return {}
    return {"missing_go_to_left": goes_left[order], "saw_missing": np.zeros(len(order), dtype=bool)}


def sides_of_missing(estimator: Any) -> IntArray | None:
    """Return for every node of a fitted tree whether missing values go left, as its `predict` sends them.

    None if `predict` refuses them. The tree does not tell which nodes saw missing values in training.
    """
    if not get_tags(estimator).input_tags.allow_nan or getattr(estimator, "monotonic_cst", None) is not None:
        return None
    nodes = estimator.tree_
    return np.where(nodes.children_left == LEAF, 0, nodes.missing_go_to_left).astype(np.int64)


def _splits_of_sklearn(nodes: Any) -> tuple[IntArray, dict[str, Any]]:
    """Return the nodes in preorder, and the parameters of a Tree about their children, splits and samples."""
    order, number = preorder(nodes.children_left, nodes.children_right)
    leaves = nodes.children_left[order] == LEAF
    # The right children of leaves may be anything.
    left, right = (np.where(leaves, 0, children[order]) for children in (nodes.children_left, nodes.children_right))
    return order, {
        "children_left": np.where(leaves, LEAF, number[left]),
        "children_right": np.where(leaves, LEAF, number[right]),
        "feature": np.where(leaves, UNDEFINED, nodes.feature[order]),
        "threshold": np.where(leaves, UNDEFINED, nodes.threshold[order]),
        "n_node_samples": nodes.n_node_samples[order],
        "n_features": nodes.n_features,
    }


def _checked_nodes(estimator: Any) -> Any:
    """Return the nodes of a fitted scikit-learn tree of one output; raise an error for anything else."""
    if not isinstance(estimator, (DecisionTreeClassifier, DecisionTreeRegressor)):
        raise TypeError(
            "A DecisionTreeClassifier or DecisionTreeRegressor of scikit-learn is expected, got "
            f"{type(estimator).__name__}; pytrees.from_sklearn also takes its forests."
        )
    check_is_fitted(estimator)
    if estimator.n_outputs_ != 1:
        raise ValueError(f"{type(estimator).__name__} has {estimator.n_outputs_} outputs; a Tree has one.")
    return estimator.tree_


def _missing_of_sklearn(nodes: Any) -> IntArray:
    """Return where missing values go, as a Tree takes it: -1 for the child of more weight, and 1 or 0 elsewhere.

    If training had none, scikit-learn's trees send them to the child of more samples, which mostly has more weight too.
    """
    left, right = nodes.children_left, nodes.children_right
    weights = nodes.weighted_n_node_samples
    inner = np.flatnonzero(left != LEAF)
    goes_left = nodes.missing_go_to_left[inner].astype(np.int64)
    is_default = (goes_left == (weights[left[inner]] > weights[right[inner]])) & (nodes.threshold[inner] < np.inf)
    missing = np.full(nodes.node_count, TO_GREATER_CHILD)
    missing[inner] = np.where(is_default, TO_GREATER_CHILD, goes_left)
    return missing


def preorder(children_left: AnyArray, children_right: AnyArray) -> tuple[IntArray, IntArray]:
    """Return the nodes in preorder, and the new number of every node; best-first trees are numbered as they grew."""
    check_children(children_left, children_right)
    order = np.arange(children_left.size)
    if not np.all((children_left == LEAF) | (children_left == order + 1)):
        left, right, pending, found = children_left.tolist(), children_right.tolist(), [0], []
        while pending:
            node = pending.pop()
            found.append(node)
            if left[node] != LEAF:
                pending += (right[node], left[node])
        order = np.array(found)
        if order.size < children_left.size:
            raise ValueError(
                f"Not a tree: {children_left.size - order.size} of {children_left.size} nodes are not below the root."
            )
    number = np.empty_like(order)
    number[order] = np.arange(order.size)
    return order, number


def whole_where_near(counts: FloatArray) -> FloatArray:
    """Return counts, which are products of shares and weights, without what rounding has added to whole numbers."""
    whole = np.rint(counts)
    return np.where(np.abs(counts - whole) <= _ROUNDING * np.maximum(whole, 1.0), whole, counts)
