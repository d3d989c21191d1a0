"""The smallest decision tree that is consistent with the labels.

A depth-first search decides, for a growing number of splits, whether that many splits separate the classes of a set of
samples, and keeps the answers. It rests on three facts.

- A set needs at least as many splits as its subsets. Among the cuts of a feature whose left side can do with k splits,
  only the one with the largest left side matters, and bisection finds this cut (S. Ordyniak and S. Szeider,
  "Parameterized Complexity of Small Decision Tree Learning", AAAI 2021).
- If k splits cannot separate a subset, they cannot separate the whole set. The search collects such a subset from
  samples that smaller trees got wrong.
- Two samples conflict if their classes differ, or if a sample of another class lies between them in every feature.
  Samples that all conflict with each other need one leaf each.

With a time limit, rollouts make a small tree as well: a split is judged by the trees that its sides get.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from numbers import Integral, Real
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from .._engine import kernel
from .._sklearn import Interval, validate_params
from .._tree_checks import LEAF, UNDEFINED
from .._typing import AnyArray, CodeArray, FloatArray, IntArray, LabelsLike
from ..input.validation import level_of_caller, validate_numbers
from ..simplify import merge_redundant
from ..tree import Tree
from .search_columns import SearchColumns, grown_tree, structure_of_cuts, structure_of_tree

__all__ = ["MinimalTree", "minimal_tree"]

# The kernels count no more bytes.
MOST_MEMORY = 2**63 - 1
# With a time limit, the search has the first share of the time, rollouts have the time up to the second share, and then
# the search goes on.
FIRST_SHARE = 0.05
FIRST_SECONDS = 0.5  # at most
SHARE_WITH_ROLLOUTS = 0.5


@dataclass(frozen=True)
class MinimalTree:
    """The smallest consistent tree, or the smallest one known, and a bound; made by :func:`minimal_tree`.

    Parameters
    ----------
    tree : Tree
        The smallest consistent tree or, if the search was stopped, the smallest one known. Every split has gain 1: its
        two sides need one split less than the node. Counted in nodes, mts = 1 + Delta_mts.
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
        """Whether no consistent tree has fewer nodes; always True unless a limit or Ctrl-C stopped the search."""
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
    Among all smallest trees it is the one that ID3 grows with the distance Delta_mts, from the root on: the cut with
    the least sum of the smallest sizes of both sides; ties go to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers; taken as float64.
    y : array-like of shape (n_samples,)
        Class labels of any type. Samples that are equal must have equal labels.
    time_limit : float or None, default=None
        Seconds after which the search stops. None: no limit.
    memory_limit : int, default=2**30
        Bytes of each table of results about sets of samples; a full table is emptied, which costs time only. Two
        searches, which take turns, have a table each, and so have rollouts, which end if their table is full. Beside
        the tables the search needs 20 bytes for every sample and feature, and 12 for every sample and level.

    Returns
    -------
    MinimalTree
        With `tree`, `is_proven` and `lower_bound`. If the time limit stopped the search, the tree is the smallest one
        that rollouts have found, in up to half of the time; it may differ from run to run. If there was no time for
        one, the search is too deep, or Ctrl-C ends it, the tree is grown by information gain and its redundant splits
        are merged. A tree whose size equals the lower bound is proven smallest, but there may be others of this size.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, y is continuous, lengths differ, equal samples have different labels, so that no
        tree is consistent, or a limit is negative.

    Warns
    -----
    ConvergenceWarning
        If the time limit or Ctrl-C ended the search before the tree was proven smallest, or the search is too deep.

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
    X, codes, classes = validate_numbers("minimal_tree", X, y)
    tree, lower_bound, n_subproblems = smallest_tree(
        SearchColumns(X), codes, len(classes), time_limit=time_limit, memory_limit=memory_limit
    )
    return MinimalTree(tree, classes, lower_bound, n_subproblems)


def smallest_tree(
    columns: SearchColumns,
    codes: CodeArray,
    n_classes: int,
    *,
    numbers: IntArray | None = None,
    unit: Fraction = Fraction(1),
    time_limit: float | None = None,
    memory_limit: int = 2**30,
) -> tuple[Tree, int, int]:
    """Search for the smallest consistent tree.

    Returns the tree, a lower bound of the number of nodes, and the number of sets of samples examined. `numbers` are
    the weights of the samples on a grid, of which 1 stands for `unit`; they change nothing but the tree's counts. Warns
    if the tree is not proven smallest.
    """
    start, rollout_times = time.monotonic(), None
    if time_limit is not None:
        rollout_times = min(FIRST_SHARE * time_limit, FIRST_SECONDS), SHARE_WITH_ROLLOUTS * time_limit
    arrays, splits, n_subproblems, ended_by = kernel("minimal_tree")(
        np.ascontiguousarray(columns.ranks.T, dtype=np.float64),
        codes,
        n_classes,
        time_limit=time_limit,
        rollout_times=rollout_times,
        memory_limit=min(memory_limit, MOST_MEMORY),
    )
    ended_by = ended_by or end_of_time(time_limit, start)
    if arrays is None:
        grown = merge_redundant(grown_tree(columns, codes, numbers, n_classes, "entropy"))
        structure = structure_of_tree(columns, grown)
    else:
        # A threshold lies between two ranks, which are whole numbers.
        column, rank = np.asarray(arrays["feature"]), np.floor(np.asarray(arrays["threshold"]))
        structure = structure_of_cuts(columns, column, rank.astype(np.int64))
    gain = np.where(structure.is_leaf, 0.0, 1.0)
    tree = structure.tree(columns.X.shape[1], structure.counts(codes, n_classes, numbers), unit, gain)
    lower_bound = 2 * splits + 1
    if tree.node_count > lower_bound:
        warn(
            f"{ended_by} ended the search: the tree kept has {tree.node_count} nodes; every consistent tree has at "
            f"least {lower_bound}. A search that takes longer may prove more.",
            ConvergenceWarning,
            stacklevel=level_of_caller(),
        )
    return tree, lower_bound, n_subproblems


def end_of_time(time_limit: float | None, start: float) -> str:
    """Return what has ended a search, if no event did and nothing is proven: its time limit, counted from `start` by
    `time.monotonic`, or the depth of the trees."""
    if time_limit is not None and time.monotonic() >= start + time_limit:
        return f"time_limit={time_limit}"
    return "The depth of the trees"


def grow_by_size(
    X: FloatArray,
    codes: CodeArray,
    weights: AnyArray | None,
    n_classes: int,
    limits: dict[str, Any],
    rows: IntArray | None = None,
) -> tuple[Tree, IntArray]:
    """Grow an ID3 tree with the distance Delta_mts, within limits.

    A leaf's best split is the first split of the smallest tree of its samples, and does not depend on other leaves. The
    leaf with the least Delta_mts is split first; ties go to the leftmost leaf.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
    codes : ndarray of shape (n_samples,), int32
    weights : ndarray of shape (n_samples,) or None
    n_classes : int
    limits : dict
        The kernels' `max_depth`, `max_leaf_nodes`, `min_samples_split`; other limits must not apply.
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
    X = np.ascontiguousarray(X, dtype=np.float64)
    arrays, _, _, ended_by = kernel("minimal_tree")(X, codes, n_classes)
    if ended_by:
        raise KeyboardInterrupt
    if arrays is None:
        raise ValueError("distance='mts': the smallest tree is too deep to be searched for.")
    tree = Tree.from_arrays(arrays, X.shape[1])
    below: FloatArray = np.asarray(arrays["below_threshold"])
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
        below_threshold=below[is_kept],
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
    """Return the sums of weights by class and node; an inner node has the sum of its children."""
    value = np.zeros_like(tree.value)
    np.add.at(value, (tree._apply_valid(X), codes), weights)
    for node in reversed(np.flatnonzero(tree.children_left != LEAF)):
        value[node] = value[tree.children_left[node]] + value[tree.children_right[node]]
    return value
