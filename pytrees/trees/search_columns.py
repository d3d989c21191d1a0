"""Features as columns of ranks, which the searches for best and smallest trees cut, and their cuts as a tree.

A sample goes to the left of a cut if its rank is at most the rank of the cut. A numeric feature is one column. If it
lacks values, it is two: missing values have the last rank in the first column, and go right at every cut; in the second
column they have the rank of the lowest value, and go left. A feature of categories has a column of two ranks for every
division of its categories into two sets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._tree_arrays import below_of
from .._tree_checks import LEAF, MULTIWAY, UNDEFINED
from .._typing import AnyArray, BoolArray, CodeArray, FloatArray, IntArray
from .._weights import weights_of
from ..input.categories import n_categories, number_of_categories
from ..tree import Tree
from .base import NO_LIMITS, UNLIMITED, grow

# A feature of so many categories has 511 columns.
MOST_CATEGORIES = 10

_NONE_MISSING = -1


class SearchColumns:
    """The features of samples as columns of ranks.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Numbers, NaN if they are missing, and codes of categories.
    sizes : ndarray of shape (n_features,), int64, or None
        The number of every feature's categories, 0 for numeric ones; None: all are numeric.
    takes_missing : bool, default=False
        Whether samples to predict may lack values, even if these samples lack none.

    Attributes
    ----------
    X, sizes, takes_missing
        As above.
    ranks : ndarray of shape (n_columns, n_samples), int32
        The ranks of the samples, in every column from 0 up.
    feature : ndarray of shape (n_columns,), int64
        The feature of every column.
    """

    X: FloatArray
    sizes: IntArray | None
    takes_missing: bool
    ranks: CodeArray
    feature: IntArray

    def __init__(self, X: FloatArray, sizes: IntArray | None = None, takes_missing: bool = False) -> None:
        self.X, self.sizes, self.takes_missing = X, sizes, takes_missing
        columns = [
            self._of_categories(X[:, feature], int(sizes[feature]))
            if sizes is not None and sizes[feature] > 0
            else self._of_numbers(X[:, feature])
            for feature in range(X.shape[1])
        ]
        self.feature = np.repeat(np.arange(X.shape[1]), [len(ranks) for ranks in columns])
        self.ranks = np.concatenate(columns)

    @staticmethod
    def _of_numbers(values: FloatArray) -> CodeArray:
        is_missing = np.isnan(values)
        ranks = np.unique(values, return_inverse=True)[1].astype(np.int32)  # NaN has the last rank
        if not is_missing.any() or is_missing.all():
            return ranks[np.newaxis]
        with_lowest = np.where(is_missing, np.int32(0), ranks)
        return np.stack([ranks, with_lowest] if with_lowest.any() else [ranks])

    @staticmethod
    def _of_categories(codes: FloatArray, n_codes: int) -> CodeArray:
        """Return the column of every division, in the order of binary numbers: a digit tells on which side a category
        is, and the lowest category is on the left."""
        if n_codes == 1:
            return np.zeros((1, len(codes)), dtype=np.int32)
        divisions = np.arange(1, 2 ** (n_codes - 1), dtype=np.int32)[:, np.newaxis]
        return (divisions << 1) >> codes.astype(np.int32) & 1

    def is_categorical(self, feature: int) -> bool:
        """Whether the values of a feature are codes of categories."""
        return self.sizes is not None and bool(self.sizes[feature] > 0)

    @property
    def kinds(self) -> dict[str, Any]:
        """The options of a kernel that grows trees: none if all features are numeric."""
        return {} if self.sizes is None else {"n_categories": self.sizes, "subsets": True}


def columns_of(estimator: Any, X: FloatArray) -> SearchColumns:
    """Return the columns of validated samples; raise ValueError if a feature has too many categories."""
    sizes = n_categories(estimator)
    if sizes is not None and sizes.max() > MOST_CATEGORIES:
        column = int(np.flatnonzero(sizes > MOST_CATEGORIES)[0])
        raise ValueError(
            f"{number_of_categories(estimator, column)}. {type(estimator).__name__} "
            f"judges all divisions of at most {MOST_CATEGORIES} categories into two sets: group some of them, or give "
            "the feature ordered categories or numbers."
        )
    return SearchColumns(X, sizes, takes_missing=True)


# ------------------------------------------------------------------------------------------------------ nodes from cuts


@dataclass
class _Node:
    """A node that is to be numbered: its place among the cuts, its samples, and the categories that lead to it."""

    place: int
    rows: IntArray
    categories: IntArray
    feature: int = UNDEFINED
    threshold: float = float(UNDEFINED)
    below: float = float(UNDEFINED)
    missing: int = _NONE_MISSING
    is_multiway: bool = False
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Structure:
    """The arrays of a tree but for its class counts and gains, and the leaf of every training sample.

    Attributes
    ----------
    arrays : dict of str to array
        By the names of a Tree's parameters.
    parent : ndarray of shape (node_count,), int64
        The parent of every node; the root is its own.
    leaves : ndarray of shape (n_samples,), int64
    """

    arrays: dict[str, Any]
    parent: IntArray
    leaves: IntArray

    @property
    def is_leaf(self) -> BoolArray:
        """Whether a node is a leaf; ndarray of shape (node_count,)."""
        is_leaf: BoolArray = np.asarray(self.arrays["children_left"]) == LEAF
        return is_leaf

    def sums(self, of_leaves: AnyArray) -> AnyArray:
        """Return, for every node, the sum over the leaves below it; the array has an entry or a row for every node, of
        which those of leaves count."""
        sums = of_leaves.copy()
        sums[~self.is_leaf] = 0
        for node in range(len(sums) - 1, 0, -1):
            sums[self.parent[node]] += sums[node]
        return sums

    def counts(self, codes: CodeArray, n_classes: int, numbers: IntArray | None) -> IntArray:
        """Return the sums of weights on a grid by node and class; ndarray of shape (node_count, n_classes), int64."""
        places = self.leaves * n_classes + codes
        # Sums of weights on a grid are exact as doubles.
        sums = np.bincount(places, numbers, minlength=len(self.parent) * n_classes)
        return self.sums(sums.reshape(-1, n_classes).astype(np.int64))

    def tree(
        self, n_features: int, counts: IntArray, unit: Fraction, gain: FloatArray, shares: FloatArray | None = None
    ) -> Tree:
        """Return the tree of these nodes; `unit` is the weight that a count of 1 stands for."""
        value = weights_of(counts.astype(np.float64), unit)
        return Tree(**self.arrays, value=value, gain=gain, n_features=n_features, shares=shares)


def structure_of_cuts(columns: SearchColumns, column: IntArray, rank: IntArray) -> Structure:
    """Return the structure of a tree whose nodes are cut at these ranks of these columns.

    Parameters
    ----------
    columns : SearchColumns
    column, rank : ndarray of shape (node_count,), int64
        The nodes' columns, -1 at leaves, and ranks, in preorder, left first.
    """
    right = _right_children(column)
    nodes: list[_Node] = []
    nothing = np.empty(0, dtype=np.int64)
    stack = [(_Node(0, np.arange(len(columns.X)), nothing), -1)]
    parent, leaves = [], np.empty(len(columns.X), dtype=np.int64)
    while stack:
        node, above = stack.pop()
        number = len(nodes)
        nodes.append(node)
        parent.append(max(above, 0))
        if above >= 0:
            nodes[above].children.append(number)
        if column[node.place] < 0:
            leaves[node.rows] = number
            continue
        sides = _sides(columns, node, int(column[node.place]), int(rank[node.place]), int(right[node.place]))
        stack += [(side, number) for side in reversed(sides)]
    arrays = _arrays_of(nodes)
    if not columns.takes_missing:
        del arrays["missing_go_to_left"]
    return Structure(arrays, np.array(parent), leaves)


def _right_children(column: IntArray) -> IntArray:
    """Return the right child of every node; nodes are in preorder, left first."""
    right = np.full(len(column), -1)
    pending: list[int] = []
    for place in range(len(column) - 1, -1, -1):
        if column[place] >= 0:
            pending.pop()  # the left child, which follows the node
            right[place] = pending.pop()
        pending.append(place)
    return right


def _sides(columns: SearchColumns, node: _Node, column: int, rank: int, right: int) -> list[_Node]:
    """Write the split of a node to it, and return its two children."""
    node.feature = int(columns.feature[column])
    is_left = columns.ranks[column, node.rows] <= rank
    values = columns.X[node.rows, node.feature]
    places = node.place + 1, right
    nothing = np.empty(0, dtype=np.int64)
    sets = nothing, nothing
    if columns.is_categorical(node.feature):
        node.is_multiway = True
        if not is_left[values.argmin()]:  # the node's lowest category goes left
            is_left, places = ~is_left, places[::-1]
        sets = _codes(values[is_left]), _codes(values[~is_left])
    else:
        is_known = ~np.isnan(values)
        left, others = values[is_left & is_known], values[~is_left & is_known]
        if left.size and others.size:
            node.below = float(left.max()) + 0.0  # of the two zeros the positive one
            node.threshold = _threshold_between(node.below, float(others.min()))
            if not is_known.all():
                node.missing = int(is_left[~is_known][0])
        else:  # all known values go left of infinity
            node.threshold, node.below, node.missing = np.inf, float(values[is_known].max()), 0
            places = places if left.size else places[::-1]
            is_left = is_known
    return [
        _Node(place, node.rows[of_side], categories)
        for place, of_side, categories in zip(places, (is_left, ~is_left), sets, strict=True)
    ]


def _codes(values: FloatArray) -> IntArray:
    return np.unique(values).astype(np.int64)


def _threshold_between(below: float, above: float) -> float:
    """Return the middle of two neighbouring values, or the lower one if rounding puts the middle outside."""
    middle = 0.5 * below + 0.5 * above
    return (middle if below <= middle < above else below) + 0.0  # of the two zeros the positive one


def _arrays_of(nodes: list[_Node]) -> dict[str, Any]:
    """Return the arrays of numbered nodes."""
    sides = [MULTIWAY if node.is_multiway else LEAF for node in nodes]
    binary = [bool(node.children) and not node.is_multiway for node in nodes]
    arrays: dict[str, Any] = {
        name: [
            node.children[i] if has_sides else side for node, has_sides, side in zip(nodes, binary, sides, strict=True)
        ]
        for i, name in enumerate(("children_left", "children_right"))
    }
    arrays["feature"] = [node.feature for node in nodes]
    arrays["threshold"] = [node.threshold for node in nodes]
    arrays["below_threshold"] = [node.below for node in nodes]
    arrays["n_node_samples"] = [len(node.rows) for node in nodes]
    arrays["missing_go_to_left"] = [node.missing for node in nodes]
    if MULTIWAY in sides:
        arrays["child_offsets"] = _offsets([node.children for node in nodes])
        arrays["children"] = [child for node in nodes for child in node.children]
        arrays["category"] = [int(node.categories[0]) if len(node.categories) else -1 for node in nodes]
        arrays["category_offsets"] = _offsets([node.categories for node in nodes])
        arrays["categories"] = np.concatenate([node.categories for node in nodes])
    return arrays


def _offsets(parts: list[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


# ------------------------------------------------------------------------------------------------------- grown trees


def structure_of_tree(columns: SearchColumns, tree: Tree) -> Structure:
    """Return the structure of a tree that was grown on the samples of these columns."""
    names = ["children_left", "children_right", "feature", "threshold", "n_node_samples"]
    if tree.is_multiway:
        names += ["child_offsets", "children", "category", "category_offsets", "categories"]
    arrays = {name: getattr(tree, name) for name in names} | below_of(tree, np.arange(tree.node_count))
    if columns.takes_missing:
        arrays["missing_go_to_left"] = np.where(tree.saw_missing, tree.missing_go_to_left, np.int8(_NONE_MISSING))
    parent = np.zeros(tree.node_count, dtype=np.int64)
    parent[tree.children] = np.repeat(np.arange(tree.node_count), np.diff(tree.child_offsets))
    return Structure(arrays, parent, tree._apply_valid(columns.X))


def grown_tree(
    columns: SearchColumns,
    codes: CodeArray,
    numbers: IntArray | None,
    n_classes: int,
    criterion: str,
    **limits: int,
) -> Tree:
    """Grow a tree split by split, within limits; `numbers` are weights on a grid."""
    no_limits = {**NO_LIMITS, "max_features": columns.X.shape[1], "max_candidates": UNLIMITED}
    tree: Tree = grow(
        columns.X, codes, numbers, n_classes, criterion, no_limits | limits, 0, n_threads=1, **columns.kinds
    )
    return tree
