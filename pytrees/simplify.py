"""Redundant splits: without them a tree makes the same predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ._docstrings import described_like
from ._given_tree import TreeEstimator
from ._tree_arrays import category_sets_of, missing_arrays
from ._tree_checks import LEAF, MULTIWAY, UNDEFINED
from ._typing import AnyArray
from .tree import Tree

__all__ = ["RedundantSplits", "merge_redundant", "redundant_splits"]


class RedundantSplits(NamedTuple):
    """The numbers of redundant splits of a tree.

    Parameters
    ----------
    repeated : int
        Splits that cut off a leaf just below a split of the same feature that cuts off a leaf of the same class, or
        number, on the same side: one of the two is enough.
    siblings : int
        Splits into leaves of one class or number, including leaves made by merging.

    See Also
    --------
    redundant_splits : Counts them.
    merge_redundant : Removes them.

    Examples
    --------
    >>> from pytrees.simplify import RedundantSplits
    >>> counts = RedundantSplits(repeated=2, siblings=1)
    >>> sum(counts)
    3
    """

    repeated: int
    siblings: int


@overload
def merge_redundant(tree: Tree, labels: None = None) -> Tree: ...
@overload
def merge_redundant(tree: Tree | TreeEstimator, labels: ArrayLike) -> tuple[Tree, AnyArray]: ...
@overload
def merge_redundant(tree: TreeEstimator, labels: None = None) -> Tree | tuple[Tree, AnyArray]: ...
def merge_redundant(tree: Tree | TreeEstimator, labels: ArrayLike | None = None) -> Tree | tuple[Tree, AnyArray]:
    """Merge redundant splits until there are none; the predictions stay the same.

    Two kinds of splits are merged again and again:

    - ``Branch(x_j <= r1, Leaf(i), Branch(x_j <= r2, Leaf(i), t))`` becomes ``Branch(x_j <= max(r1, r2), Leaf(i), t)``
      (Section 3.2 of [1]_), and its mirror image ``Branch(x_j <= r1, Branch(x_j <= r2, t, Leaf(i)), Leaf(i))`` becomes
      ``Branch(x_j <= min(r1, r2), t, Leaf(i))``. Two leaves on different sides enclose an interval, which takes two
      splits: these stay;
    - ``Branch(c, Leaf(i), Leaf(i))`` becomes ``Leaf(i)``. So does a node with a child for every category if all its
      children are leaves of the class that it predicts for other categories.

    In a tree of numbers, i stands for a number, which must be equal to the last bit.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A leaf predicts its most frequent class, unless labels are known; or its number.
    labels : array-like of shape (node_count,), optional
        The class that every node predicts as a leaf. By default an estimator's ``node_labels_``, if it has them. Only
        for trees of classes.

    Returns
    -------
    Tree
        The smaller tree. Merged nodes add up their samples and class counts, or weights; their impurity is the mean of
        their impurities by weight, which is exact for equal numbers. The gain of a merged split is the sum of
        both gains, weighted by their nodes' samples, per sample of the upper node. If leaves are pure and gains are
        decreases of an impurity, that is the gain of the merged split itself.
    ndarray of shape (node_count,)
        The class that each node of the smaller tree predicts. Only if labels were given, or the estimator has them.

    Raises
    ------
    ValueError
        If there is not one label a node, or labels for a tree of numbers; if the estimator is not fitted, or predicts
        by another rule than the most frequent class and there are no labels.
    TypeError
        If `tree` is neither a tree nor an estimator that is one tree of pytrees.

    See Also
    --------
    redundant_splits : Counts the splits to merge.
    minimal_tree : The smallest tree that is consistent with given labels.

    Notes
    -----
    Takes time linear in the number of nodes.

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


@described_like(merge_redundant)
def redundant_splits(tree: Tree | TreeEstimator, labels: ArrayLike | None = None) -> RedundantSplits:
    """Count the redundant splits of a tree, of either kind.

    They are counted as :func:`merge_redundant` merges them, from the leaves up: every merge removes two nodes, or all
    children of a node with a child for every category.

    Returns
    -------
    RedundantSplits
        The numbers `repeated` and `siblings`.

    See Also
    --------
    merge_redundant : The tree without them.
    pytrees.simplify.RedundantSplits : The result.

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


def _check_estimator(estimator: Any, labels: ArrayLike | None) -> None:
    name = type(estimator).__name__
    if hasattr(estimator, "estimators_"):
        raise TypeError(f"{name} is a forest: pass one tree, such as estimators_[0].")
    check_is_fitted(estimator, "tree_")
    if not isinstance(estimator.tree_, Tree):
        raise TypeError(f"The tree of this {name} is not one of pytrees, but a {type(estimator.tree_).__name__}.")
    rule = getattr(estimator, "predict_rule", "mode")
    if labels is None and rule != "mode":
        raise ValueError(
            f"This {name} predicts by predict_rule={rule!r}, not the most frequent class of a leaf: give the classes "
            "that its nodes predict as labels."
        )


def _with_labels(tree: Any, labels: ArrayLike | None) -> tuple[Tree, AnyArray, bool]:
    """Return the tree, the class or number that each node predicts, and whether these labels were given."""
    if not isinstance(tree, Tree):
        _check_estimator(tree, labels)
        labels = getattr(tree, "node_labels_", None) if labels is None else labels
        tree = tree.tree_
    if labels is None:
        return tree, tree.value[:, 0] if tree.is_regressor else tree.majority, False
    if tree.is_regressor:
        raise ValueError("labels are given, the classes that nodes predict, but the tree predicts numbers.")
    labels = np.array(labels)
    if labels.shape != (tree.node_count,):
        raise ValueError(f"labels must have shape ({tree.node_count},), one for every node, got {labels.shape}.")
    return tree, labels, True


class _Merging:
    """The arrays of a tree while its splits are merged. A removed node stays in the arrays, but is no node's child."""

    def __init__(self, tree: Tree, labels: AnyArray) -> None:
        self.n_features = tree.n_features
        self.labels = labels.copy()
        self.children = [tree.children_of(node).tolist() for node in range(tree.node_count)]
        self.is_multiway = (tree.children_left == MULTIWAY).tolist()
        self.tree, self.category = tree, tree.category
        self.criterion = tree._criterion
        self.feature = tree.feature.tolist()
        self.threshold = tree.threshold.tolist()
        self.below = None if tree.below_threshold is None else tree.below_threshold.copy()
        self.n_node_samples = tree.n_node_samples.copy()
        self.value, self.weights = tree.value.copy(), np.array(tree.weighted_n_node_samples)
        self.impurity = tree._impurity if tree._impurity is None else tree._impurity.copy()
        self.shares = None if tree._given_shares is None else tree._given_shares.copy()
        self.gain = tree.gain.copy()
        self.missing = [array.copy() for array in missing_arrays(tree)]
        self.n_repeated = self.n_siblings = 0

    def run(self) -> None:
        # Children have higher numbers than their parents: at a node's turn, nothing below it is left to merge, and
        # merging its repeated splits leaves only its leaves to merge.
        for node in reversed(range(len(self.children))):
            if self.is_cut(node):
                self.join_repeated(node, 0, max)
                self.join_repeated(node, 1, min)
            if self.children[node]:
                self.join_siblings(node)

    def is_cut(self, node: int) -> bool:
        return bool(self.children[node]) and not self.is_multiway[node]

    def is_leaf_of(self, node: int, label: Any) -> bool:
        return not self.children[node] and self.labels[node] == label

    def join_repeated(self, node: int, near: int, threshold_of: Callable[[float, float], float]) -> None:
        """Merge the node with its far child if both cut off a leaf of the same class on the near side (0 is left)."""
        leaf, child = self.children[node][near], self.children[node][1 - near]
        if not self.is_cut(child) or self.feature[child] != self.feature[node]:
            return
        lower_leaf = self.children[child][near]
        if self.children[leaf] or not self.is_leaf_of(lower_leaf, self.labels[leaf]):
            return
        self.n_repeated += 1
        self.n_node_samples[leaf] += self.n_node_samples[lower_leaf]
        self.gain[node] += self.gain[child] * (self.weights[child] / self.weights[node])
        self.add_leaf(leaf, lower_leaf)
        self.threshold[node] = threshold_of(self.threshold[node], self.threshold[child])
        # The samples beside the threshold of the child all come to the child.
        if self.below is not None and self.threshold[node] == self.threshold[child]:
            self.below[node] = self.below[child]
        if self.missing:
            self.join_missing(node, child, goes_near=1 - near)
        self.children[node][1 - near] = self.children[child][1 - near]

    def add_leaf(self, leaf: int, other: int) -> None:
        """Add the class counts of another leaf to a leaf, or its weight if both have one number."""
        weights = self.weights[[leaf, other]]
        if self.shares is not None:
            self.shares[leaf] = np.average(self.shares[[leaf, other]], axis=0, weights=weights)
        if not self.tree.is_regressor:
            self.value[leaf] += self.value[other]
        elif self.impurity is not None:
            self.impurity[leaf] = np.average(self.impurity[[leaf, other]], weights=weights)
        self.weights[leaf] = weights.sum()

    def join_missing(self, node: int, child: int, goes_near: int) -> None:
        """Send samples that lack the value to the near side if either split does; `goes_near` is that side's number in
        missing_go_to_left."""
        goes_left, saw_missing = self.missing
        if goes_left[child] == goes_near:
            goes_left[node] = goes_near
        saw_missing[node] |= saw_missing[child]

    def join_siblings(self, node: int) -> None:
        label = self.labels[self.children[node][0]]
        if not all(self.is_leaf_of(child, label) for child in self.children[node]):
            return
        # Samples whose category has no child end at a multiway node.
        if self.is_multiway[node] and self.labels[node] != label:
            return
        self.n_siblings += 1
        self.labels[node] = label
        if self.tree.is_regressor:
            self.take_number(node)
        self.children[node], self.is_multiway[node] = [], False
        self.feature[node], self.threshold[node], self.gain[node] = UNDEFINED, float(UNDEFINED), 0.0
        for array in self.missing:
            array[node] = 0

    def take_number(self, node: int) -> None:
        """Give a node the number of its children, of which rounding may have taken its own number away, and the
        impurity of their samples."""
        children = self.children[node]
        self.value[node] = self.value[children[0]]
        if self.impurity is not None:
            self.impurity[node] = np.average(self.impurity[children], weights=self.weights[children])

    def result(self) -> tuple[Tree, list[int]]:
        """Return the merged tree, and the old number of each of its nodes."""
        kept, pending = [], [0]
        while pending:
            node = pending.pop()
            kept.append(node)
            pending += reversed(self.children[node])
        number = {node: i for i, node in enumerate(kept)}
        children = [[number[child] for child in self.children[node]] for node in kept]
        further: dict[str, Any] = category_sets_of(self.tree, kept) | self.numbers_of(kept)
        further["below_threshold"] = None if self.below is None else self.below[kept]
        tree = Tree(
            self.sides(kept, children, 0),
            self.sides(kept, children, 1),
            [self.feature[node] for node in kept],
            [self.threshold[node] for node in kept],
            self.n_node_samples[kept],
            self.value[kept],
            self.gain[kept],
            self.n_features,
            np.cumsum([0, *map(len, children)]),
            np.array([child for some in children for child in some], dtype=np.int64),
            self.category[kept],
            self.criterion,
            *(array[kept] for array in self.missing),
            **further,
        )
        return tree, kept

    def numbers_of(self, kept: list[int]) -> dict[str, Any]:
        """Return what a tree of numbers has besides, or given shares, as arguments for a tree of these nodes."""
        if not self.tree.is_regressor:
            return {} if self.shares is None else {"shares": self.shares[kept]}
        impurity = None if self.impurity is None else self.impurity[kept]
        return {"weighted_n_node_samples": self.weights[kept], "impurity": impurity}

    def sides(self, kept: list[int], children: list[list[int]], side: int) -> list[int]:
        """Return the left or right child of every node."""
        nodes = zip(kept, children, strict=True)
        return [(MULTIWAY if self.is_multiway[node] else some[side]) if some else LEAF for node, some in nodes]
