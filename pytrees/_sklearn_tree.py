"""scikit-learn's tree classifier made of the arrays of a tree.

Importing scikit-learn's trees takes longer than importing all of pytrees: this module is imported where it is used.
"""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

# What scikit-learn 1.9 keeps for a node.
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


class ConvertedTreeClassifier(DecisionTreeClassifier):
    """A scikit-learn tree that was not grown by it: it refuses missing values.

    None of its nodes knows where they belong. scikit-learn's own trees would send them right without a word.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


def sklearn_classifier(splits, shares, weights, n_samples, n_features, classes, missing_go_to_left=None):
    """Return a fitted scikit-learn ``DecisionTreeClassifier`` with these nodes.

    Parameters
    ----------
    splits : sequence of four ndarrays of shape (n_nodes,)
        Children on the left and on the right, features and thresholds of binary nodes, in preorder.
    shares : ndarray of shape (n_nodes, n_classes), float64
        Class shares, which become the values of the nodes.
    weights : ndarray of shape (n_nodes,), float64
        Sums of the weights of the training samples.
    n_samples : ndarray of shape (n_nodes,), int64
        Numbers of training samples.
    n_features : int
    classes : ndarray of shape (n_classes,)
    missing_go_to_left : ndarray of shape (n_nodes,), uint8, optional
        Whether samples whose value is missing go left. By default they are refused.

    Returns
    -------
    DecisionTreeClassifier
        A ConvertedTreeClassifier where missing values are refused.

    Raises
    ------
    RuntimeError
        If this version of scikit-learn keeps its nodes in another way than 1.9 does.
    """
    from sklearn.tree._tree import NODE_DTYPE, Tree

    if NODE_DTYPE.names != _NODE_FIELDS:
        raise RuntimeError(f"This scikit-learn keeps {NODE_DTYPE.names} for a node, not {_NODE_FIELDS}.")
    left, right, feature, threshold = splits
    nodes = np.zeros(len(left), dtype=NODE_DTYPE)
    nodes["left_child"], nodes["right_child"], nodes["feature"] = left, right, feature
    nodes["threshold"] = _rounded_down_to_float32(threshold)
    nodes["impurity"] = 1.0 - (shares**2).sum(axis=1)
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = n_samples, weights
    values = np.ascontiguousarray(shares[:, None, :])
    estimator = ConvertedTreeClassifier()
    if missing_go_to_left is not None:
        estimator = DecisionTreeClassifier()
        nodes["missing_go_to_left"] = missing_go_to_left
    estimator.tree_ = Tree(n_features, np.array([len(classes)], dtype=np.intp), 1)
    estimator.tree_.__setstate__(
        {"max_depth": _max_depth(left, right), "node_count": len(nodes), "nodes": nodes, "values": values}
    )
    estimator.classes_, estimator.n_classes_ = classes, np.intp(len(classes))
    estimator.n_features_in_ = estimator.max_features_ = n_features
    estimator.n_outputs_ = 1
    return estimator


def _max_depth(left, right):
    depth, level = -1, np.array([0])
    while level.size:
        depth += 1
        inner = level[left[level] >= 0]
        level = np.concatenate([left[inner], right[inner]])
    return depth


def _rounded_down_to_float32(thresholds):
    with np.errstate(over="ignore"):
        nearest = thresholds.astype(np.float32)
        below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest.astype(np.float64) > thresholds, below, nearest).astype(np.float64)
