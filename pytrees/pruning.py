"""Minimal cost-complexity pruning of grown trees: the nodes that become leaves, and the smaller tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._engine import kernel
from ._tree_arrays import below_of, category_sets_of, impurities, missing_arrays, numbers_of
from ._tree_checks import LEAF, UNDEFINED
from ._typing import FloatArray, IntArray, Specification
from ._weights import as_compared
from .tree import Tree


class PruningPath(NamedTuple):
    """The trees that pruning passes through, from the whole tree to its root.

    `nodes`, of shape (n_steps,), become leaves one after another. `ccp_alphas` and `impurities`, of shape
    (n_steps + 1,), are the effective alphas and the tree's impurity before the first step and after each step: the
    impurities of its leaves, weighted by their shares of the samples.
    """

    nodes: IntArray
    ccp_alphas: FloatArray
    impurities: FloatArray


def pruning_path(tree: Tree, criterion: Specification) -> PruningPath:
    """Find the order in which the nodes of a tree of classes become leaves, by the criterion as the kernels take it."""
    return path_by_risks(tree, *_risks(tree, criterion))


def path_by_risks(tree: Tree, risks: Any, total: int) -> PruningPath:
    """Find this order by the impurities of the nodes times their weights, and the weight of the root."""
    nodes, alphas, impurities = kernel("prune_path")(tree.child_offsets, tree.children, risks, total)
    return PruningPath(np.array(nodes, dtype=np.int64), np.array(alphas), np.array(impurities))


def pruned(tree: Tree, path: PruningPath, ccp_alpha: float) -> Tree:
    """Cut off the branches whose effective alphas on the path are at most `ccp_alpha`, which is not negative."""
    return with_leaves(tree, path.nodes[path.ccp_alphas[1:] <= ccp_alpha])


def _risks(tree: Tree, criterion: Specification) -> tuple[Any, int]:
    """Return the impurities of the nodes times their weights, and the weight of the root.

    They are exact if impurities and weights are exact; otherwise floats, with the root's weight scaled to 1.
    """
    weights, (counts, unit) = tree.weighted_n_node_samples, as_compared(tree.value)
    risks = kernel("weighted_fractions")(criterion, counts)
    if risks is not None:
        is_ranking = (criterion if isinstance(criterion, str) else criterion[0]) == "ranking"
        return [risk * unit**2 for risk in risks] if is_ranking and unit != 1 else risks, int(counts[0].sum())
    return (weights / weights[0] * impurities(criterion, tree.value)).tolist(), 1


def with_leaves(tree: Tree, new_leaves: IntArray) -> Tree:
    """Return the tree in which these nodes are leaves."""
    if len(new_leaves) == 0:
        return tree
    offsets, children = tree.child_offsets, tree.children
    parents = np.repeat(np.arange(tree.node_count), np.diff(offsets))
    last_below = np.arange(tree.node_count).tolist()
    for child, parent in zip(children[::-1].tolist(), parents[::-1].tolist(), strict=True):
        last_below[parent] = max(last_below[parent], last_below[child])
    # The nodes below a node follow it. `depth` has 1 where the nodes below a new leaf start, and -1 after they end: its
    # cumulative sum counts the new leaves above every node.
    depth = np.zeros(tree.node_count + 1, dtype=np.int64)
    np.add.at(depth, new_leaves + 1, 1)
    np.add.at(depth, np.take(last_below, new_leaves) + 1, -1)
    kept = np.cumsum(depth)[:-1] == 0
    is_leaf = tree.children_left == LEAF
    is_leaf[new_leaves] = True
    number, is_leaf = np.cumsum(kept) - 1, is_leaf[kept]
    left, right = (
        np.where(is_leaf, LEAF, np.where(side >= 0, number[side], side))
        for side in (tree.children_left[kept], tree.children_right[kept])
    )
    n_children = np.where(is_leaf, 0, np.diff(offsets)[kept])
    numbers = np.flatnonzero(kept)
    further: dict[str, Any] = category_sets_of(tree, numbers) | numbers_of(tree, numbers) | below_of(tree, numbers)
    return Tree(
        left,
        right,
        np.where(is_leaf, UNDEFINED, tree.feature[kept]),
        np.where(is_leaf, UNDEFINED, tree.threshold[kept]),
        tree.n_node_samples[kept],
        tree.value[kept],
        np.where(is_leaf, 0.0, tree.gain[kept]),
        tree.n_features,
        np.concatenate([[0], np.cumsum(n_children)]),
        number[children[kept[children]]],
        tree.category[kept],
        tree._criterion,
        *(np.where(is_leaf, 0, array[kept]) for array in missing_arrays(tree)),
        **further,
    )
