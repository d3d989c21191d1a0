"""Redundant splits: what a tree can do without, and no prediction changes."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .tree import LEAF, UNDEFINED, Tree

__all__ = ["RedundantSplits", "merge_redundant", "redundant_splits"]


class RedundantSplits(NamedTuple):
    """How many splits of a tree are redundant.

    Attributes
    ----------
    repeated : int
        Splits of a feature that cut off a leaf, right after one of the same feature that cuts off a leaf of the same
        class on the same side: one of the two is enough.
    siblings : int
        Splits into two leaves of one class, those into what joining made such a leaf included.
    """

    repeated: int
    siblings: int


def merge_redundant(tree, labels=None):
    """The same predictions from fewer nodes: redundant splits joined, until there are none.

    Two redundancies are joined, again and again:

    - ``Branch(x_j <= r1, Leaf(i), Branch(x_j <= r2, Leaf(i), t))`` becomes ``Branch(x_j <= max(r1, r2), Leaf(i), t)``
      (Section 3.2 of [1]_), and its mirror image ``Branch(x_j <= r1, Branch(x_j <= r2, t, Leaf(i)), Leaf(i))`` becomes
      ``Branch(x_j <= min(r1, r2), t, Leaf(i))``. Where the two leaves lie on different sides they enclose an interval,
      which takes two splits, and stay;
    - ``Branch(c, Leaf(i), Leaf(i))`` becomes ``Leaf(i)``.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A leaf predicts its most frequent class, unless labels are known.
    labels : array-like of shape (node_count,), optional
        What the nodes predict as leaves. By default an estimator's ``node_labels_``, where it has them.

    Returns
    -------
    Tree
        The smaller tree. A node has the rows and class counts of those that were joined, added. The gain of a joined
        split is the sum of both gains, weighted by their nodes' rows, per row of the upper node: that is its own
        where the leaves are pure and gains are decreases of an impurity.
    ndarray of shape (node_count,)
        What its nodes predict. Only where labels were given, or the estimator has them.

    Raises
    ------
    ValueError
        If there is not one label a node, or the estimator is not fitted.
    TypeError
        If it is neither a tree nor an estimator.

    See Also
    --------
    redundant_splits : How many there are, of either kind.

    Notes
    -----
    Linear in the number of nodes.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, merge_redundant
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3).fit(X, y).tree_
    >>> merged = merge_redundant(tree)
    >>> tree.node_count, merged.node_count, bool((tree.predict(X) == merged.predict(X)).all())
    (9, 7, True)
    """
    tree, labels, has_labels = _with_labels(tree, labels)
    merging = _Merging(tree, labels)
    merging.run()
    merged, kept = merging.result()
    return (merged, merging.labels[kept]) if has_labels else merged


def redundant_splits(tree, labels=None):
    """How many splits of a tree are redundant, of either kind.

    They are counted as :func:`merge_redundant` joins them, from the leaves up: it removes two nodes for every one.

    Parameters
    ----------
    tree, labels
        As for :func:`merge_redundant`.

    Returns
    -------
    RedundantSplits
        The numbers `repeated` and `siblings`.

    Raises
    ------
    ValueError
        If there is not one label a node, or the estimator is not fitted.
    TypeError
        If it is neither a tree nor an estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, redundant_splits
    >>> X, y = load_iris(return_X_y=True)
    >>> redundant_splits(DecisionTreeClassifier(max_depth=3).fit(X, y))
    RedundantSplits(repeated=0, siblings=1)
    """
    tree, labels, _ = _with_labels(tree, labels)
    merging = _Merging(tree, labels)
    merging.run()
    return RedundantSplits(merging.n_repeated, merging.n_siblings)


def _with_labels(tree, labels):
    """The tree, what its nodes predict, and whether that was told rather than counted."""
    if not isinstance(tree, Tree):
        check_is_fitted(tree, "tree_")
        labels = getattr(tree, "node_labels_", None) if labels is None else labels
        tree = tree.tree_
    if labels is None:
        return tree, tree.majority, False
    labels = np.array(labels)
    if labels.shape != (tree.node_count,):
        raise ValueError(f"labels must have shape ({tree.node_count},), one for every node, got {labels.shape}.")
    return tree, labels, True


class _Merging:
    """The arrays of a tree while its splits are joined; nodes that are gone are no longer any node's children."""

    def __init__(self, tree, labels):
        self.n_features = tree.n_features
        self.labels = labels.copy()
        self.left = tree.children_left.tolist()
        self.right = tree.children_right.tolist()
        self.feature = tree.feature.tolist()
        self.threshold = tree.threshold.tolist()
        self.n_node_samples = tree.n_node_samples.copy()
        self.value = tree.value.copy()
        self.gain = tree.gain.copy()
        self.n_repeated = self.n_siblings = 0

    def run(self):
        # Children have higher numbers than their parents: when a node's turn comes, nothing below it can be joined, and
        # what is joined leaves nothing to join in the node but its leaves.
        for node in reversed(range(len(self.left))):
            if self.left[node] != LEAF:
                self.join_repeated(node, self.left, self.right, max)
                self.join_repeated(node, self.right, self.left, min)
                self.join_siblings(node)

    def same_leaves(self, node, other):
        return self.left[node] == self.left[other] == LEAF and self.labels[node] == self.labels[other]

    def join_repeated(self, node, near, far, threshold_of):
        """Join the node with its far child, if both split off a leaf of the same class on the near side."""
        leaf, child = near[node], far[node]
        if self.left[child] == LEAF or self.feature[child] != self.feature[node]:
            return
        if not self.same_leaves(leaf, near[child]):
            return
        self.n_repeated += 1
        self.n_node_samples[leaf] += self.n_node_samples[near[child]]
        self.gain[node] += self.gain[child] * (self.value[child].sum() / self.value[node].sum())
        self.value[leaf] += self.value[near[child]]
        self.threshold[node] = threshold_of(self.threshold[node], self.threshold[child])
        far[node] = far[child]

    def join_siblings(self, node):
        if self.same_leaves(self.left[node], self.right[node]):
            self.n_siblings += 1
            self.labels[node] = self.labels[self.left[node]]
            self.left[node] = self.right[node] = LEAF
            self.feature[node], self.threshold[node], self.gain[node] = UNDEFINED, float(UNDEFINED), 0.0

    def result(self):
        """The tree, and which of the old nodes its nodes are."""
        kept, pending = [], [0]
        while pending:
            node = pending.pop()
            kept.append(node)
            if self.left[node] != LEAF:
                pending += [self.right[node], self.left[node]]
        number = {node: i for i, node in enumerate(kept)} | {LEAF: LEAF}
        tree = Tree(
            [number[self.left[node]] for node in kept],
            [number[self.right[node]] for node in kept],
            [self.feature[node] for node in kept],
            [self.threshold[node] for node in kept],
            self.n_node_samples[kept],
            self.value[kept],
            self.gain[kept],
            self.n_features,
        )
        return tree, kept
