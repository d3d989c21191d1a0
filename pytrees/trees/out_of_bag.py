"""Judge the predictions and the features of a forest on out-of-bag samples, which a tree has not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._engine import config_context, kernel
from .._numbers import times_power
from .._tree_arrays import node_depths
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ..input.layout import plain
from ..tree import Tree
from .growth_job import GrowthJob


def mean_outputs_out_of_bag(job: GrowthJob, trees: Sequence[Tree], seeds: Sequence[int], block: slice) -> FloatArray:
    """Return the class shares, or numbers, of a block of samples, mean over the trees that have not seen a sample; NaN
    if all have."""
    X = job.X[block]
    # The sum of numbers near the ends of float64 can be infinite, although their mean is not.
    greatest = max(float(np.abs(tree.outputs).max()) for tree in trees)
    exponent = len(trees).bit_length() if greatest > np.finfo(np.float64).max / len(trees) else 0
    total, n_trees = np.zeros((len(X), trees[0].value.shape[1])), np.zeros(len(X), dtype=np.int64)
    with config_context(engine=job.engine), kernel("stoppable")(job.stop_event):
        for tree, seed in zip(trees, seeds, strict=True):
            job.check_not_stopped()
            rows = np.flatnonzero(_unseen(job, seed)[block])
            total[rows] += np.ldexp(tree.outputs_at(tree._apply_valid(plain(X[rows]))), -exponent)
            n_trees[rows] += 1
    total[n_trees == 0] = np.nan
    return np.ldexp(total / np.maximum(n_trees, 1)[:, np.newaxis], exponent)


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
        leaves = tree._apply_valid(plain(job.X[rows]))
    y = job.codes if job.y is None else job.y
    return mixed_gains(tree, leaves, y[rows], None if weights is None else weights[rows])


def mixed_gains(tree: Tree, leaves: IntArray, y: AnyArray, weights: AnyArray | None) -> FloatArray:
    """Compute the gain of the splits by every feature on samples that the tree was not grown on.

    At a node whose training samples have the class shares p, samples of the class shares q have the mixed Gini impurity
    1 - sum p_k q_k: the probability that a class drawn from the training samples differs from the sample's class [1]_.
    A split gains the samples' impurity in the node minus their impurity in its children. The expected gain is zero if a
    feature tells nothing, however many values the feature has.

    In a tree of numbers, the training samples have the mean m in a node and m_c in its child c. A sample of the number
    y that goes to c gains (m_c - m) (y - m) [2]_. On the training samples this is the decrease of the squared error.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaves : ndarray of shape (n_samples,), int64
        The nodes that the samples reach. Samples that stay at an inner node have its impurity.
    y : ndarray of shape (n_samples,)
        Codes of their classes, or their numbers.
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
    .. [2] X. Li et al., "A Debiased MDI Feature Importance Measure for Random Forests", NeurIPS 2019 (MDI-oob),
       whose y is y - m here, so that a number added to all y changes nothing.
    """
    n_nodes = tree.node_count
    parents = np.zeros(n_nodes, dtype=np.int64)
    parents[tree.children] = np.repeat(np.arange(n_nodes), np.diff(tree.child_offsets))
    parents, outputs = parents[1:], tree.outputs
    if tree.is_regressor:
        # Products of numbers up to 1 do not overflow.
        exponent = int(np.frexp(max(np.abs(y).max(), np.abs(outputs).max()))[1]) + 1
        y, outputs = np.ldexp(y, -exponent), np.ldexp(outputs, -exponent)
    differences = outputs[1:] - outputs[parents]
    if tree.is_regressor:
        weights = np.ones(len(y)) if weights is None else weights
        pair = weights * y, weights
        sums = np.stack([np.bincount(leaves, each, n_nodes).astype(np.float64) for each in pair], axis=1)
        total = weights.sum()
        _add_up(sums, parents, node_depths(tree))
        gains = differences[:, 0] * (sums[1:, 0] - outputs[parents, 0] * sums[1:, 1])
    else:
        cells = leaves * tree.n_classes + y
        counts = np.bincount(cells, weights=weights, minlength=n_nodes * tree.n_classes).astype(np.float64)
        counts = counts.reshape(n_nodes, tree.n_classes)
        total = counts.sum()
        _add_up(counts, parents, node_depths(tree))
        gains = np.einsum("ij,ij->i", differences, counts[1:])
    found: FloatArray = np.bincount(tree.feature[parents], weights=gains, minlength=tree.n_features) / total
    if not tree.is_regressor:
        return found
    # Infinity also stands for numbers that are too small.
    scaled = times_power(found, 2 * exponent)
    return np.where(np.any(found) and not np.any(scaled), np.inf, scaled)


def _add_up(sums: FloatArray, parents: IntArray, depths: IntArray) -> None:
    """Add the sums of all nodes to the nodes above them, the deepest first; `parents` leaves out the root."""
    by_depth = np.argsort(depths, kind="stable")
    levels = np.split(by_depth, np.flatnonzero(np.diff(depths[by_depth])) + 1)
    for nodes in reversed(levels[1:]):
        np.add.at(sums, parents[nodes - 1], sums[nodes])
