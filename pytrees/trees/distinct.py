"""The different trees of a forest, and how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._given_tree import TreeEstimator, node_labels
from .._tree_checks import LEAF
from .._typing import IntArray, MatrixLike
from ..input.validation import validate_X
from ..tree import Tree
from .base import MixedIntoModel


@dataclass(frozen=True, eq=False)
class DistinctTree:
    """One of the different trees of a forest.

    Parameters
    ----------
    tree : Tree
        The first one of its kind.
    count : int
        Number of the forest's trees that decide alike.
    members : list of int
        Indices of these trees in `estimators_`.
    feature_usage : ndarray of shape (n_features,), int64
        Number of samples for which each feature is tested along the decision path.
    tests_per_row : float
        Mean number of different features that are tested for a sample.
    """

    tree: Tree
    count: int
    members: list[int]
    feature_usage: IntArray
    tests_per_row: float


class DistinctTreesMixin(MixedIntoModel):
    """Mixin of forests: lists their different trees."""

    def distinct_trees(self, X: MatrixLike | None = None) -> list[DistinctTree]:
        """List the different trees of the forest, for an expert to choose from: the most frequent first.

        Trees count as the same if they decide alike: their features, thresholds, categories and predicted classes, or
        numbers, are equal, whatever the shares of the classes in their leaves.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Samples to count tests on. Without it, each tree's own training samples.

        Returns
        -------
        list of DistinctTree
            With ``tree``, ``count``, ``members``, ``feature_usage`` and ``tests_per_row``. Equally frequent trees are
            sorted by tests per sample, fewest first, then by the order in which they grew.
        """
        check_is_fitted(self)
        if X is not None:
            X = validate_X(self, X)
        members: dict[tuple[bytes, ...], list[int]] = {}
        for i, estimator in enumerate(self.estimators_):
            members.setdefault(decisions_of(estimator), []).append(i)
        distinct = []
        for same in members.values():
            tree = self.estimators_[same[0]].tree_
            usage = tree.feature_usage(X)
            n_rows = tree.n_node_samples[0] if X is None else len(X)
            distinct.append(DistinctTree(tree, len(same), same, usage, float(usage.sum() / n_rows)))
        return sorted(distinct, key=lambda one: (-one.count, one.tests_per_row))


def decisions_of(estimator: TreeEstimator) -> tuple[bytes, ...]:
    """Return the bytes of arrays: equal for two fitted trees exactly if the trees decide alike."""
    tree = estimator.tree_
    # Samples end at leaves, and at a multiway node if none of its children has their category.
    of_nodes = tree.value[:, 0] if tree.is_regressor else node_labels(estimator, tree)
    predicted = np.where(tree.children_left >= 0, LEAF, of_nodes)
    sets = tree.category_offsets, tree.categories
    splits = (tree.children_left, tree.feature, tree.threshold, tree.child_offsets, *sets)
    saw_missing = tree.saw_missing
    arrays = (*splits, predicted, saw_missing, saw_missing & (tree.missing_go_to_left > 0))
    return tuple(array.tobytes() for array in arrays)
