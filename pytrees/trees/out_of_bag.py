"""Ask the samples that a tree of a forest has not seen: about the forest's predictions, and about features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._engine import config_context
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ..tree import Tree, node_depths

if TYPE_CHECKING:
    from .plan import Plan


def sum_shares_out_of_bag(
    plan: Plan, trees: Sequence[Tree], seeds: Sequence[int], block: slice
) -> tuple[FloatArray, IntArray]:
    """Add up the class shares of a block of samples over the trees that have not seen them; count these trees."""
    X = plan.X[block]
    total, n_trees = np.zeros((len(X), plan.n_classes)), np.zeros(len(X), dtype=np.int64)
    with config_context(engine=plan.engine):
        for tree, seed in zip(trees, seeds, strict=True):
            rows = np.flatnonzero(_unseen(plan, seed)[block])
            total[rows] += tree.shares_at(tree.apply_valid(X[rows]))
            n_trees[rows] += 1
    return total, n_trees


def _unseen(plan: Plan, seed: int) -> BoolArray:
    """Return which samples a tree has not seen. They are drawn again: to keep all draws would take more room than the
    trees."""
    unseen = np.ones(len(plan.X), dtype=bool)
    unseen[plan.arrange(seed)[0]] = False
    return unseen


def mixed_gains_out_of_bag(plan: Plan, tree: Tree, seed: int) -> FloatArray | None:
    """Compute the `mixed_gains` on the samples that a tree has not seen, None where they weigh nothing."""
    unseen = _unseen(plan, seed)
    weights = plan.weights
    if plan.rows is not None:
        unseen &= np.bincount(plan.rows, minlength=len(plan.X)) > 0  # the others have no weight
        if weights is not None:
            weights = np.zeros(len(plan.X))
            weights[plan.rows] = plan.weights
    rows = np.flatnonzero(unseen)
    if not len(rows):
        return None
    with config_context(engine=plan.engine):
        leaves = tree.apply_valid(plan.X[rows])
    return mixed_gains(tree, leaves, plan.codes[rows], None if weights is None else weights[rows])


def mixed_gains(tree: Tree, leaves: IntArray, codes: AnyArray, weights: AnyArray | None) -> FloatArray:
    """Compute what the splits by every feature gain on samples that the tree was not grown on.

    Of a node with the class shares p of its training samples, samples of the class shares q have the mixed Gini
    impurity 1 - sum p_k q_k: how often a class that is drawn from the training samples is not that of the sample
    [1]_. A split gains the samples' impurity in the node less that in its children. Where a feature tells nothing, that
    is zero in expectation, however many values the feature has.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaves : ndarray of shape (n_samples,), int64
        Where the samples come to. Those that stay at a node have its impurity.
    codes : ndarray of shape (n_samples,), int
        Codes of their classes.
    weights : ndarray of shape (n_samples,) or None
        Their weights; None where all count once.

    Returns
    -------
    ndarray of shape (n_features,), float64
        Gains by feature, summed over its splits and divided by the weight of the samples. They can be negative.

    References
    ----------
    .. [1] Z. Zhou and G. Hooker, "Unbiased Measurement of Feature Importance in Tree-Based Methods", ACM TKDD 15(2),
       2021, Section 4.
    """
    places = leaves * tree.n_classes + codes
    counts = np.bincount(places, weights=weights, minlength=tree.node_count * tree.n_classes).astype(np.float64)
    counts = counts.reshape(tree.node_count, tree.n_classes)
    total = counts.sum()
    parents = np.zeros(tree.node_count, dtype=np.int64)
    parents[tree.children] = np.repeat(np.arange(tree.node_count), np.diff(tree.child_offsets))
    _add_up(counts, parents, node_depths(tree))
    shares = tree.shares
    gains = np.einsum("ij,ij->i", shares[1:] - shares[parents[1:]], counts[1:])
    return np.bincount(tree.feature[parents[1:]], weights=gains, minlength=tree.n_features) / total


def _add_up(counts: FloatArray, parents: IntArray, depths: IntArray) -> None:
    """Add the counts of all nodes to those above them, the deepest first."""
    by_depth = np.argsort(depths, kind="stable")
    levels = np.split(by_depth, np.flatnonzero(np.diff(depths[by_depth])) + 1)
    for nodes in reversed(levels[1:]):
        np.add.at(counts, parents[nodes], counts[nodes])
