"""The smallest decision tree that is consistent with the labels.

A depth-first search, with a growing number of splits, decides whether a set of samples can be told apart by so many,
and keeps what it finds about sets. It rests on two facts. A set needs no fewer splits than its subsets: among the cuts
of a feature that leave the smaller side enough splits only the farthest matters, and bisection finds it (S. Ordyniak
and S. Szeider, "Parameterized Complexity of Small Decision Tree Learning", AAAI 2021); and what too few splits are for
few samples, chosen where trees of fewer go wrong, they are for all. And two samples cannot share a leaf if their
classes differ, or that of a sample between them in every feature does: samples that pairwise cannot need a leaf each.

Where time is limited, a small tree is made as well, by rollouts: a split is judged by the trees that its sides get.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from heapq import heappop, heappush
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._engine import kernel
from .._sklearn import Interval, validate_params
from .._typing import AnyArray, CodeArray, FloatArray, IntArray, LabelsLike
from ..input.categories import not_finite
from ..input.validation import may_have_missing, validate_X_y
from ..simplify import merge_redundant
from ..tree import LEAF, UNDEFINED, Tree
from .cart import DecisionTreeClassifier

__all__ = ["MinimalTree", "grow_by_size", "minimal_tree"]

# Of a time limit, when the first search ends and when rollouts do; what is left is for the search again.
FIRST_SHARE = 0.05
FIRST_SECONDS = 0.5  # at most
SHARE_WITH_ROLLOUTS = 0.5


@dataclass(frozen=True)
class MinimalTree:
    """The smallest consistent tree, or the smallest one known, and a bound; made by :func:`minimal_tree`.

    Parameters
    ----------
    tree : Tree
        The smallest consistent tree or, where a limit stopped the search, the smallest one known. Every split has
        gain 1: its two sides need one split less than the node. Counted in nodes, mts = 1 + Delta_mts.
    classes : ndarray of shape (n_classes,)
        The classes, sorted; column k of ``tree.value`` counts samples of class k.
    lower_bound : int
        The number of nodes that every consistent tree has at least; odd.
    n_subproblems : int
        The number of sets of samples that the search has examined.

    Attributes
    ----------
    is_proven : bool
        Whether no consistent tree has fewer nodes.
    """

    tree: Tree
    classes: AnyArray
    lower_bound: int
    n_subproblems: int

    @property
    def is_proven(self) -> bool:
        """Whether no consistent tree has fewer nodes; always, unless a limit stopped the search."""
        return self.tree.node_count == self.lower_bound


@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "memory_limit": [Interval(Integral, 0, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def minimal_tree(
    X: ArrayLike, y: LabelsLike, *, time_limit: float | None = None, memory_limit: int = 2**30
) -> MinimalTree:
    """Find the smallest decision tree that classifies all samples correctly, and prove that there is no smaller one.

    The tree has binary splits ``x_j <= threshold``, and its size is its number of nodes: mts in Section 3.1 of [1]_.
    Of all smallest trees it is the one that ID3 grows with the distance Delta_mts, from the root on: the cut with the
    least sum of the smallest sizes of both sides, of equal ones the lowest feature, then the lowest threshold.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers; taken as float64.
    y : array-like of shape (n_samples,)
        Class labels of any type. Samples that are equal must have equal labels.
    time_limit : float or None, default=None
        Seconds after which the search stops. None: no limit.
    memory_limit : int, default=2**30
        Bytes of the tables of results about sets of samples; a full table is emptied, which costs time only. There are
        two searches, which take turns, with a table each. Beside them they need 20 bytes for every sample and feature,
        and 16 for every sample and level of the tree.

    Returns
    -------
    MinimalTree
        With `tree`, `is_proven` and `lower_bound`. Where the time limit stopped the search, the tree is the smallest
        that rollouts have found, in up to half of the time; it may differ from run to run. If there was no time
        for one, or the search is too deep, the tree is grown by information gain and its redundant splits are merged.
        If its size equals the lower bound, it is proven smallest, but there may be others of this size.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, y is continuous, lengths differ, equal samples have different labels, so that no
        tree is consistent, or a limit is negative.

    See Also
    --------
    optimal_tree : The tree of least error within limits of its levels and leaves.
    merge_redundant : A smaller tree with the same predictions, in linear time.
    ID3Classifier : Grows trees by the distance Delta_mts too, with ``distance="mts"``.

    Notes
    -----
    The problem is NP-hard: time is exponential in the size of the smallest tree. Trees that are deeper than 500 levels
    are not searched for.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 3.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, minimal_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> found = minimal_tree(X, y)
    >>> found.tree.node_count, found.is_proven, DecisionTreeClassifier().fit(X, y).tree_.node_count
    (15, True, 17)
    """
    estimator = DecisionTreeClassifier(criterion="entropy")
    X, codes, classes = validate_X_y(estimator, X, y, "minimal_tree")
    if may_have_missing(X) and np.isnan(X).any():
        raise not_finite("NaN", estimator, int(np.isnan(X).any(axis=0).argmax()), "minimal_tree")
    arrays, splits, n_subproblems = _search(X, codes, len(classes), time_limit, memory_limit)
    if arrays is None:
        tree = merge_redundant(estimator.fit(X, codes))
        tree = with_gains(tree, np.where(tree.children_left == LEAF, 0.0, 1.0))
    else:
        tree = Tree.from_arrays(arrays, X.shape[1])
    return MinimalTree(tree, classes, 2 * splits + 1, n_subproblems)


def _search(
    X: FloatArray, codes: CodeArray, n_classes: int, time_limit: float | None, memory_limit: int
) -> tuple[dict[str, AnyArray] | None, int, int]:
    """Return the arrays of the smallest tree, or of the smallest one found in time, if any; the least number of splits;
    and how many sets of samples were looked at."""
    search, small_tree = kernel("minimal_tree"), kernel("small_tree")
    if time_limit is None:
        return search(X, codes, n_classes, memory_limit=memory_limit)
    start = time.monotonic()
    first_limit = min(FIRST_SHARE * time_limit, FIRST_SECONDS)
    arrays, splits, n_subproblems = search(X, codes, n_classes, time_limit=first_limit, memory_limit=memory_limit)
    if arrays is not None:
        return arrays, splits, n_subproblems
    left = start + SHARE_WITH_ROLLOUTS * time_limit - time.monotonic()
    small = small_tree(X, codes, n_classes, time_limit=max(0.0, left), memory_limit=memory_limit)
    left = start + time_limit - time.monotonic()
    if left <= 0:
        return small, splits, n_subproblems
    arrays, more_splits, more_subproblems = search(X, codes, n_classes, time_limit=left, memory_limit=memory_limit)
    return small if arrays is None else arrays, max(splits, more_splits), n_subproblems + more_subproblems


def with_gains(tree: Tree, gain: AnyArray) -> Tree:
    """Return the tree of thresholds with other gains."""
    return Tree(
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        tree.n_node_samples,
        tree.value,
        gain,
        tree.n_features,
    )


def grow_by_size(
    X: FloatArray,
    codes: CodeArray,
    weights: AnyArray | None,
    n_classes: int,
    limits: dict[str, Any],
    rows: IntArray | None = None,
) -> tuple[Tree, IntArray]:
    """Grow an ID3 tree with the distance Delta_mts, within limits.

    A leaf's best split is that of the smallest tree of its samples, whatever other leaves do; the one with the least
    Delta_mts is split first, of equal ones the leftmost.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
    codes : ndarray of shape (n_samples,), int32
    weights : ndarray of shape (n_samples,) or None
    n_classes : int
    limits : dict
        The kernels' `max_depth`, `max_leaf_nodes`, `min_samples_split`; others must not apply.
    rows : ndarray of shape (n_rows,), int64, optional
        The samples that are used; all by default.

    Returns
    -------
    tree : Tree
    steps : ndarray of shape (node_count,), int64
        For every node the number of splits made before its own; -1 at leaves.

    Raises
    ------
    ValueError
        If equal samples have different labels, other limits apply, or the search is too deep.
    """
    if limits["min_samples_leaf"] > 1 or limits["max_features"] < X.shape[1]:
        raise ValueError("distance='mts' is about all cuts of all features: use no min_samples_leaf or max_features.")
    if rows is not None:
        X, codes, weights = X[rows], codes[rows], None if weights is None else weights[rows]
    arrays, _, _ = kernel("minimal_tree")(X, codes, n_classes)
    if arrays is None:
        raise ValueError("distance='mts': the smallest tree is too deep to be searched for.")
    tree = Tree.from_arrays(arrays, X.shape[1])
    steps = _best_first(tree, limits)
    value = tree.value if weights is None else _weighted_value(tree, X, codes, weights)
    is_split = steps >= 0
    is_kept = np.zeros(tree.node_count, dtype=bool)
    is_kept[0] = True
    is_kept[tree.children_left[is_split]] = is_kept[tree.children_right[is_split]] = True
    number = np.cumsum(is_kept) - 1
    kept = Tree(
        np.where(is_split, number[tree.children_left], LEAF)[is_kept],
        np.where(is_split, number[tree.children_right], LEAF)[is_kept],
        np.where(is_split, tree.feature, UNDEFINED)[is_kept],
        np.where(is_split, tree.threshold, UNDEFINED)[is_kept],
        tree.n_node_samples[is_kept],
        value[is_kept],
        np.where(is_split, 1.0, 0.0)[is_kept],
        tree.n_features,
    )
    return kept, steps[is_kept]


def _best_first(tree: Tree, limits: dict[str, Any]) -> IntArray:
    """Return the step of every split that the limits allow; -1 for other nodes."""
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    distance = [0] * tree.node_count  # Delta_mts: the size of the subtree without its root
    for node in reversed(range(tree.node_count)):
        if left[node] != LEAF:
            distance[node] = distance[left[node]] + distance[right[node]] + 2
    steps = np.full(tree.node_count, -1)
    n_splits = 0
    open_leaves = [(distance[0], 0, 0)]
    while open_leaves and n_splits < limits["max_leaf_nodes"] - 1:
        _, node, depth = heappop(open_leaves)
        if left[node] == LEAF or depth >= limits["max_depth"]:
            continue
        if tree.n_node_samples[node] < limits["min_samples_split"]:
            continue
        steps[node] = n_splits
        n_splits += 1
        for child in (left[node], right[node]):
            heappush(open_leaves, (distance[child], child, depth + 1))
    return steps


def _weighted_value(tree: Tree, X: FloatArray, codes: CodeArray, weights: AnyArray) -> FloatArray:
    """Return sums of weights by class; of an inner node, left child plus right child."""
    value = np.zeros_like(tree.value)
    np.add.at(value, (tree.apply_valid(X), codes), weights)
    for node in reversed(np.flatnonzero(tree.children_left != LEAF)):
        value[node] = value[tree.children_left[node]] + value[tree.children_right[node]]
    return value
