"""Judge the predictions and the features of a forest on out-of-bag samples, which a tree has not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._engine import config_context, kernel
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ..tree import Tree, node_depths
from .growth_job import GrowthJob


def sum_shares_out_of_bag(
    job: GrowthJob, trees: Sequence[Tree], seeds: Sequence[int], block: slice
) -> tuple[FloatArray, IntArray]:
    """Add up the class shares of a block of samples over the trees that have not seen them; count these trees."""
    X = job.X[block]
    total, n_trees = np.zeros((len(X), job.n_classes)), np.zeros(len(X), dtype=np.int64)
    with config_context(engine=job.engine), kernel("stoppable")(job.stop_event):
        for tree, seed in zip(trees, seeds, strict=True):
            job.check_not_stopped()
            rows = np.flatnonzero(_unseen(job, seed)[block])
            total[rows] += tree.shares_at(tree.apply_valid(X[rows]))
            n_trees[rows] += 1
    return total, n_trees


def _unseen(job: GrowthJob, seed: int) -> BoolArray:
    """Return which samples a tree has not seen. They are drawn again: stored draws would take more room than trees."""
    unseen = np.ones(len(job.X), dtype=bool)
    unseen[job.arrange(seed)[0]] = False
    return unseen


def mixed_gains_out_of_bag(job: GrowthJob, tree: Tree, seed: int) -> FloatArray | None:
    """Compute the `mixed_gains` on the samples that a tree has not seen; None if they have no weight."""
    job.check_not_stopped()
    unseen = _unseen(job, seed)
    weights = job.weights
    if job.rows is not None:
        unseen &= np.bincount(job.rows, minlength=len(job.X)) > 0  # other samples have no weight
        if weights is not None:
            weights = np.zeros(len(job.X))
            weights[job.rows] = job.weights
    rows = np.flatnonzero(unseen)
    if not len(rows):
        return None
    with config_context(engine=job.engine):
        leaves = tree.apply_valid(job.X[rows])
    return mixed_gains(tree, leaves, job.codes[rows], None if weights is None else weights[rows])


def mixed_gains(tree: Tree, leaves: IntArray, codes: AnyArray, weights: AnyArray | None) -> FloatArray:
    """Compute the gain of the splits by every feature on samples that the tree was not grown on.

    At a node whose training samples have the class shares p, samples of the class shares q have the mixed Gini impurity
    1 - sum p_k q_k: the probability that a class drawn from the training samples differs from the sample's class [1]_.
    A split gains the samples' impurity in the node minus their impurity in its children. The expected gain is zero if a
    feature tells nothing, however many values the feature has.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaves : ndarray of shape (n_samples,), int64
        The nodes that the samples reach. Samples that stay at an inner node have its impurity.
    codes : ndarray of shape (n_samples,), int
        Codes of their classes.
    weights : ndarray of shape (n_samples,) or None
        Their weights; None: all count once.

    Returns
    -------
    ndarray of shape (n_features,), float64
        Gains by feature, summed over its splits and divided by the weight of the samples. They can be negative.

    References
    ----------
    .. [1] Z. Zhou and G. Hooker, "Unbiased Measurement of Feature Importance in Tree-Based Methods", ACM TKDD 15(2),
       2021, Section 4.
    """
    cells = leaves * tree.n_classes + codes
    counts = np.bincount(cells, weights=weights, minlength=tree.node_count * tree.n_classes).astype(np.float64)
    counts = counts.reshape(tree.node_count, tree.n_classes)
    total = counts.sum()
    parents = np.zeros(tree.node_count, dtype=np.int64)
    parents[tree.children] = np.repeat(np.arange(tree.node_count), np.diff(tree.child_offsets))
    _add_up(counts, parents, node_depths(tree))
    shares = tree.value / tree.value.sum(axis=1, keepdims=True)  # of training samples, whatever a node predicts
    gains = np.einsum("ij,ij->i", shares[1:] - shares[parents[1:]], counts[1:])
    return np.bincount(tree.feature[parents[1:]], weights=gains, minlength=tree.n_features) / total


def _add_up(counts: FloatArray, parents: IntArray, depths: IntArray) -> None:
    """Add the counts of all nodes to the nodes above them, the deepest first."""
    by_depth = np.argsort(depths, kind="stable")
    levels = np.split(by_depth, np.flatnonzero(np.diff(depths[by_depth])) + 1)
    for nodes in reversed(levels[1:]):
        np.add.at(counts, parents[nodes], counts[nodes])
