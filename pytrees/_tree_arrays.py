"""The arrays of a tree, read-only, and what follows from them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, log2
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._binary_form import BinaryForm, binary_form
from ._docstrings import described_like
from ._engine import kernel
from ._tree_checks import (
    CHILD_DTYPES,
    DTYPES,
    LEAF,
    MULTIWAY,
    NUMBER_DTYPES,
    SET_DTYPES,
    TO_GREATER_CHILD,
    all_frozen,
    check_missing,
    check_sets,
    check_tree,
    checked_below,
    checked_criterion,
    checked_heuristic,
    checked_number,
    checked_shares,
    frozen,
    read_only,
    siblings,
    steps_to_root,
)
from ._typing import AnyArray, BoolArray, FloatArray, IntArray, Specification, is_whole
from ._weights import measured_on_grid, multiples


class TreeArrays:
    """Keep the arrays of a tree, and derive further arrays: the base class of `Tree`, which documents them."""

    children_left: IntArray
    children_right: IntArray
    feature: IntArray
    threshold: FloatArray
    n_node_samples: IntArray
    value: FloatArray
    gain: FloatArray
    n_features: int
    is_multiway: bool

    _below: FloatArray | None  # None: not known
    _by_heuristic: BoolArray | None  # None: not known
    _criterion: Specification | None
    _given_shares: FloatArray | None  # None: the shares of class counts
    _impurity: FloatArray | None
    _missing: NDArray[np.int8] | None
    _saw_missing: NDArray[np.int8] | None
    _sets: Any
    _weights: FloatArray | None  # None: the sums of class counts

    # Computed when they are first asked for, and None until then.
    _child_arrays: Any
    _goes_left: Any
    _majority: Any
    _max_depth: int | None
    _packed: Any
    _n_walked: int
    _ways: Any

    __slots__ = (
        *DTYPES,
        "_below",
        "_by_heuristic",
        "_child_arrays",
        "_criterion",
        "_given_shares",
        "_goes_left",
        "_impurity",
        "_majority",
        "_max_depth",
        "_missing",
        "_packed",
        "_n_walked",
        "_saw_missing",
        "_sets",
        "_ways",
        "_weights",
        "is_multiway",
        "n_features",
    )

    def __init__(
        self,
        children_left: ArrayLike,
        children_right: ArrayLike,
        feature: ArrayLike,
        threshold: ArrayLike,
        n_node_samples: ArrayLike,
        value: ArrayLike,
        gain: ArrayLike,
        n_features: int,
        child_offsets: ArrayLike | None = None,
        children: ArrayLike | None = None,
        category: ArrayLike | None = None,
        criterion: Specification | None = None,
        missing_go_to_left: ArrayLike | None = None,
        saw_missing: ArrayLike | None = None,
        category_offsets: ArrayLike | None = None,
        categories: ArrayLike | None = None,
        weighted_n_node_samples: ArrayLike | None = None,
        impurity: ArrayLike | None = None,
        shares: ArrayLike | None = None,
        below_threshold: ArrayLike | None = None,
        splits_by_heuristic: ArrayLike | None = None,
    ) -> None:
        given = (children_left, children_right, feature, threshold, n_node_samples, value, gain)
        kept = dict(zip(DTYPES, all_frozen(DTYPES, given), strict=True))
        self._set(**kept, n_features=checked_number(n_features))
        self._forget()
        self._take_numbers(weighted_n_node_samples, impurity)
        self._set(is_multiway=bool(np.any(self.children_left == MULTIWAY)))
        if self.is_multiway:
            if child_offsets is None or children is None or category is None:
                raise ValueError("Not a tree: multiway nodes need child_offsets, children and category.")
            self._set(_child_arrays=all_frozen(CHILD_DTYPES, (child_offsets, children, category)))
        self._set(_max_depth=check_tree(self), _criterion=checked_criterion(criterion, self.n_classes))
        self._take_sets(category_offsets, categories, splits_by_heuristic)
        self._take_missing(missing_go_to_left, saw_missing)
        self._set(_given_shares=None if shares is None else checked_shares(self, shares))
        self._set(_below=None if below_threshold is None else checked_below(self, below_threshold))

    def _set(self, **attributes: Any) -> None:
        """Set attributes; no other code can."""
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def _forget(self) -> None:
        """Reset everything that is computed on demand. Two threads that ask at the same time both compute it."""
        names = ("_child_arrays", "_goes_left", "_majority", "_packed", "_ways")
        self._set(**dict.fromkeys(names), _n_walked=0)

    def _take_numbers(self, weighted_n_node_samples: ArrayLike | None, impurity: ArrayLike | None) -> None:
        if weighted_n_node_samples is None and impurity is not None:
            raise ValueError("Not a tree: impurity needs weighted_n_node_samples; class counts have an impurity.")
        given = zip(NUMBER_DTYPES.items(), (weighted_n_node_samples, impurity), strict=True)
        kept = [None if array is None else frozen(name, array, dtype) for (name, dtype), array in given]
        self._set(_weights=kept[0], _impurity=kept[1])

    def _take_sets(
        self,
        category_offsets: ArrayLike | None,
        categories: ArrayLike | None,
        splits_by_heuristic: ArrayLike | None,
    ) -> None:
        if (category_offsets is None) != (categories is None):
            raise ValueError("Not a tree: it needs both category_offsets and categories, or neither.")
        self._set(_sets=None, _by_heuristic=None)
        if splits_by_heuristic is not None:
            self._set(_by_heuristic=checked_heuristic(self, splits_by_heuristic))
        if self.is_multiway and category_offsets is not None and categories is not None:
            sets = all_frozen(SET_DTYPES, (category_offsets, categories))
            check_sets(self, *sets)
            self._set(_sets=sets)

    def _take_missing(self, missing_go_to_left: ArrayLike | None, saw_missing: ArrayLike | None) -> None:
        given = {"missing_go_to_left": missing_go_to_left, "saw_missing": saw_missing}
        checked = {name: None if array is None else frozen(name, array, np.int64) for name, array in given.items()}
        check_missing(self, **checked)
        for name, array in zip(("_missing", "_saw_missing"), checked.values(), strict=True):
            self._set(**{name: None if array is None else read_only(array.astype(np.int8))})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Tree cannot be changed: {name!r} is read-only.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Tree cannot be changed: {name!r} is read-only.")

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, ArrayLike], n_features: int, criterion: Specification | None = None
    ) -> Self:
        """Make a tree from the dict of arrays that a kernel returns.

        Parameters
        ----------
        arrays : dict of str to array-like
            The parameters of a Tree by their names, but for `n_features`.
        n_features : int
            Number of features the tree was grown on.
        criterion : str or tuple, optional
            As for a Tree.

        Returns
        -------
        Tree
            The tree.
        """
        return cls(**arrays, n_features=n_features, criterion=criterion)

    @classmethod
    def _from_engine(cls, arrays: Mapping[str, Any], n_features: int, criterion: Specification | None = None) -> Self:
        """Make a tree as `from_arrays` does, from new arrays of an engine; arrays without categories need no check."""
        if "children" in arrays:
            return cls.from_arrays(arrays, n_features, criterion)
        tree = cls.__new__(cls)
        made: dict[str, Any] = {name: frozen(name, arrays[name], dtype) for name, dtype in DTYPES.items()}
        missing = frozen("missing_go_to_left", arrays["missing_go_to_left"], np.int8)
        tree._take_numbers(arrays.get("weighted_n_node_samples"), arrays.get("impurity"))
        below = frozen("below_threshold", arrays["below_threshold"], np.float64)
        made |= {"_missing": missing, "_saw_missing": None, "_sets": None, "is_multiway": False, "_given_shares": None}
        made |= {"_below": below, "_by_heuristic": None}
        tree._set(**made, _criterion=criterion, _max_depth=None, n_features=n_features)
        tree._forget()
        return tree

    def _arrays(self) -> tuple[AnyArray, ...]:
        """Return all arrays by which trees are equal or differ."""
        arrays = tuple(getattr(self, name) for name in DTYPES)
        if self.is_regressor:
            arrays += (self.weighted_n_node_samples,)
        return arrays + self._child_arrays + self._category_sets() if self.is_multiway else arrays

    def _arguments(self) -> tuple[Any, ...]:
        """Return the arguments that make an equal tree; they do not depend on what was asked of the tree before."""
        arrays = tuple(getattr(self, name) for name in DTYPES)
        of_children = self._child_arrays if self.is_multiway else (None, None, None)
        sets = self._category_sets() if self.is_multiway else (None, None)
        missing, further = (self._missing, self._saw_missing), (self._weights, self._impurity, self._given_shares)
        further += (self._below, self._by_heuristic)
        return *arrays, self.n_features, *of_children, self._criterion, *missing, *sets, *further

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeArrays):
            return NotImplemented
        arrays, others = self._arrays(), other._arrays()
        return (
            self.n_features == other.n_features
            and self.is_regressor == other.is_regressor
            and len(arrays) == len(others)
            and all(np.array_equal(array, one) for array, one in zip(arrays, others, strict=True))
            and np.array_equal(self.saw_missing, other.saw_missing)
            and np.array_equal(self.missing_go_to_left, other.missing_go_to_left)
            and (self._given_shares is other._given_shares or np.array_equal(self.shares, other.shares))
        )

    def __hash__(self) -> int:
        return hash((self.children_left.tobytes(), self.feature.tobytes(), (self.threshold + 0.0).tobytes()))

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self.children_left.size

    @property
    def max_depth(self) -> int:
        """The most edges from the root to a leaf; int."""
        depth = self._max_depth
        if depth is None:
            depth = int(node_depths(self).max())
            self._set(_max_depth=depth)
        return depth

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.children_left == LEAF))

    @property
    def is_regressor(self) -> bool:
        """Whether the tree predicts numbers, not classes."""
        return self._weights is not None

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if the tree predicts numbers."""
        return 0 if self.is_regressor else self.value.shape[1]

    @property
    def weighted_n_node_samples(self) -> FloatArray:
        """The weights of the nodes' training samples, or their numbers; ndarray of shape (node_count,), float64."""
        return self.value.sum(axis=1) if self._weights is None else self._weights

    @property
    def impurity(self) -> FloatArray:
        """The impurities of the nodes, by the criterion that the tree was grown by; ndarray of shape (node_count,).

        Their unit is the criterion's: bits for entropy, the square of the targets' unit for squared errors. A tree of
        classes has no impurity if it was not grown by a criterion that measures the impurity of class counts, and a
        tree of numbers if it was made without one.
        """
        if self._impurity is not None:
            return self._impurity
        if self._criterion is None or self.is_regressor:
            raise AttributeError(
                "This tree has no impurity: it was not grown by a criterion that measures the impurity of its nodes."
            )
        return impurities(self._criterion, self.value)

    @property
    def below_threshold(self) -> FloatArray | None:
        """The greatest training values that go left at thresholds; ndarray of shape (node_count,), float64, or None."""
        return self._below

    @property
    def criterion_name(self) -> str | None:
        """The name of the criterion that measures `impurity`, None if there is none; str."""
        return self._criterion if self._criterion is None or isinstance(self._criterion, str) else self._criterion[0]

    @property
    def child_offsets(self) -> IntArray:
        """The start of every node's children in `children`; ndarray of shape (node_count + 1,), int64."""
        return self._children_by_offsets()[0]

    @property
    def children(self) -> IntArray:
        """The children of all nodes; ndarray of shape (node_count - 1,), int64."""
        return self._children_by_offsets()[1]

    @property
    def category(self) -> IntArray:
        """The category of every node, the lowest of several, -1 for none; ndarray of shape (node_count,), int64."""
        return self._children_by_offsets()[2]

    @property
    def category_offsets(self) -> IntArray:
        """The start of every node's categories in `categories`; ndarray of shape (node_count + 1,), int64."""
        return self._category_sets()[0]

    @property
    def categories(self) -> IntArray:
        """The categories that lead to the children of multiway nodes; ndarray of shape (n,), int64."""
        return self._category_sets()[1]

    @property
    def takes_missing(self) -> bool:
        """Whether samples to predict may lack values."""
        return self._missing is not None

    _allows_missing = takes_missing

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """Whether samples whose value is missing go left; ndarray of shape (node_count,), uint8."""
        if self._goes_left is None:
            goes_left = goes_to_greater_child(self)
            if self._missing is not None:
                goes_left = np.where(self._missing == TO_GREATER_CHILD, goes_left, self._missing)
            self._set(_goes_left=read_only(goes_left.astype(np.uint8)))
        return self._goes_left

    @property
    def saw_missing(self) -> BoolArray:
        """Whether training samples of a node lacked the value of its feature; ndarray of shape (node_count,), bool."""
        if self._missing is None:
            return np.zeros(self.node_count, dtype=bool)
        if self._saw_missing is not None:
            return self._saw_missing > 0
        return (self._missing != TO_GREATER_CHILD) & (self.children_left >= 0)

    def _children_by_offsets(self) -> tuple[IntArray, ...]:
        if self._child_arrays is None:
            is_inner = self.children_left != LEAF
            offsets = np.concatenate([[0], np.cumsum(2 * is_inner)])
            pairs = np.stack([self.children_left[is_inner], self.children_right[is_inner]], axis=1)
            arrays = offsets, pairs.ravel(), np.full(self.node_count, -1)
            self._set(_child_arrays=tuple(read_only(array.astype(np.int64)) for array in arrays))
        return self._child_arrays

    def _category_sets(self) -> tuple[IntArray, IntArray]:
        if self._sets is None:
            has_category = self.category >= 0
            arrays = np.concatenate([[0], np.cumsum(has_category)]), self.category[has_category]
            self._set(_sets=tuple(read_only(array.astype(np.int64)) for array in arrays))
        return self._sets

    @property
    def has_category_sets(self) -> bool:
        """Whether several categories lead to a child of some node; bool."""
        return self.is_multiway and bool(self.categories.size > np.count_nonzero(self.category >= 0))

    @property
    def splits_by_heuristic(self) -> BoolArray:
        """Whether a heuristic divided a node's categories: ndarray of shape (node_count,), bool.

        The node has more than 12 categories, and only cuts of an order of them were evaluated, so that another division
        may gain more. Where the best division is a cut of the order, as with two classes or squared errors, this is so
        only if a limit on leaves, such as `min_samples_leaf`, forbids that cut. A tree whose growth is not known, as
        one from a dict, names all nodes of more than 12 categories.
        """
        if not self.is_multiway:
            return np.zeros(self.node_count, dtype=bool)
        n_children = np.diff(self.child_offsets)
        sizes = np.diff(self.category_offsets)[self.children]
        n_divided = np.bincount(np.repeat(np.arange(self.node_count), n_children), sizes, minlength=self.node_count)
        return (n_children == 2) & (n_divided > 12) & (True if self._by_heuristic is None else self._by_heuristic)

    def categories_of(self, node: int) -> IntArray:
        """Return the categories whose samples go to a node from its parent, ascending.

        Parameters
        ----------
        node : int
            Index of the node.

        Returns
        -------
        ndarray of shape (n,), int64
            Codes of categories; empty for the root, and for children of a node with a threshold.

        Raises
        ------
        ValueError
            If there is no such node.
        """
        self._check_node(node)
        return self.categories[self.category_offsets[node] : self.category_offsets[node + 1]]

    @described_like(categories_of)
    def children_of(self, node: int) -> IntArray:
        """Return the children of a node: left and right, or by ascending category; a leaf has no children.

        Returns
        -------
        ndarray of shape (n_children,), int64
            Indices of the children.
        """
        self._check_node(node)
        return self.children[self.child_offsets[node] : self.child_offsets[node + 1]]

    def _check_node(self, node: object) -> None:
        if not is_whole(node) or not 0 <= node < self.node_count:
            raise ValueError(f"node must be a whole number from 0 to {self.node_count - 1}, got {node!r}.")

    @property
    def binary(self) -> BinaryForm:
        """The same decisions with thresholds only, to convert the tree; `BinaryForm`.

        A multiway node becomes a balanced search among its n categories, O(log n) deep, in new arrays of up to 160
        bytes for every category: they are not kept. Without multiway nodes the arrays are the tree's own.
        """
        if not self.is_multiway:
            splits = self.children_left, self.children_right, self.feature, self.threshold
            return BinaryForm(*splits, np.arange(self.node_count))
        return binary_form(self)

    @property
    def majority(self) -> IntArray:
        """The most frequent class of every node, the lowest of several; ndarray of shape (node_count,)."""
        self._check_has_classes()
        if self._majority is None:
            self._set(_majority=read_only(self._evidence.argmax(axis=1)))
        return self._majority

    @property
    def shares(self) -> FloatArray:
        """The shares of the classes that every node predicts; ndarray of shape (node_count, n_classes)."""
        self._check_has_classes()
        return _shares(self.value) if self._given_shares is None else self._given_shares

    @property
    def _evidence(self) -> FloatArray:
        """The class counts of every node, or its shares if these are others; of shape (node_count, n_classes)."""
        if self._given_shares is None:
            return self.value
        differ = np.any(self._given_shares != _shares(self.value), axis=1, keepdims=True)
        return np.where(differ, self._given_shares, self.value)

    @property
    def outputs(self) -> FloatArray:
        """The predictions of the nodes: `shares` of classes, or numbers; ndarray of shape (node_count, n_outputs)."""
        return self.value if self.is_regressor else self.shares

    def _check_has_classes(self) -> None:
        if self.is_regressor:
            raise ValueError("This tree predicts numbers: its nodes have no classes.")

    def majority_at(self, nodes: Sequence[int] | IntArray) -> IntArray:
        """Return the `majority` of some nodes, such as the leaves that `apply` gives.

        Parameters
        ----------
        nodes : array-like of shape (n,), int
            Indices of nodes.

        Returns
        -------
        ndarray of shape (n,), int64
            The codes of their classes.
        """
        if self._majority is None and not self.is_regressor and len(nodes) < self.node_count:
            return self._evidence.take(nodes, axis=0).argmax(axis=1)
        return self.majority.take(nodes)

    @described_like(majority_at)
    def shares_at(self, nodes: Sequence[int] | IntArray) -> FloatArray:
        """Return the `shares` of some nodes, such as the leaves that `apply` gives.

        Returns
        -------
        ndarray of shape (n, n_classes), float64
            Their class shares.
        """
        if len(nodes) < self.node_count and not self.is_regressor and self._given_shares is None:
            return _shares(self.value.take(nodes, axis=0))
        return self.shares.take(nodes, axis=0)

    @described_like(majority_at)
    def outputs_at(self, nodes: Sequence[int] | IntArray) -> FloatArray:
        """Return the `outputs` of some nodes, such as the leaves that `apply` gives.

        Returns
        -------
        ndarray of shape (n, n_outputs), float64
            Their class shares, or numbers.
        """
        return self.value.take(nodes, axis=0) if self.is_regressor else self.shares_at(nodes)

    def _missing_in_binary(self, binary: BinaryForm) -> NDArray[np.uint8]:
        """Return where samples that lack a value go in the binary form of the tree.

        Parameters
        ----------
        binary : BinaryForm
            The binary form.

        Returns
        -------
        ndarray of shape (n_nodes,), uint8
            `missing_go_to_left` of its nodes. Within the search among the categories of a multiway node it is 1: a
            sample without a category goes left until it reaches the leaf of samples that stay at the node.
        """
        if not self.is_multiway:
            return self.missing_go_to_left
        left, node = binary.children_left, binary.node
        searches = (left != LEAF) & (self.children_left[node] == MULTIWAY)
        return np.where(searches, np.uint8(1), self.missing_go_to_left[node])


def _shares(value: FloatArray) -> FloatArray:
    return value / value.sum(axis=1, keepdims=True)


def node_depths(tree: TreeArrays) -> IntArray:
    """Return the depth of every node, 0 for the root; ndarray of shape (node_count,), int64."""
    parents = np.zeros(tree.node_count, dtype=np.int64)
    siblings(tree, np.flatnonzero(tree.children_left != LEAF), parents)
    return steps_to_root(parents)


def check_children(children_left: AnyArray, children_right: AnyArray) -> None:
    """Raise ValueError unless a walk from the root, node 0, meets nodes alone and ends; leaves have a left child of -1.

    Takes arrays of other libraries, whose nodes come in any order.
    """
    inner = np.flatnonzero(children_left != LEAF)
    children = np.concatenate([children_left[inner], children_right[inner]]).astype(np.int64)
    n_nodes = len(children_left)
    wrong = (children < 1) | (children >= n_nodes)
    if n_nodes == 0 or wrong.any():
        what = f"{children[wrong][0]} is the child of a node" if n_nodes else "there is no node"
        raise ValueError(f"Not a tree: {what}; the children of {n_nodes} nodes are nodes from 1 to {n_nodes - 1}.")
    if np.bincount(children).max(initial=0) > 1:
        raise ValueError(f"Not a tree: node {np.bincount(children).argmax()} is the child of two nodes.")


def missing_arrays(tree: TreeArrays) -> tuple[NDArray[np.uint8], BoolArray] | tuple[()]:
    """Return `missing_go_to_left` and `saw_missing` as arguments for a tree of these nodes; an empty tuple if the tree
    refuses missing values."""
    return (tree.missing_go_to_left, tree.saw_missing) if tree.takes_missing else ()


def numbers_of(tree: TreeArrays, nodes: Sequence[int] | IntArray) -> dict[str, FloatArray]:
    """Return `weighted_n_node_samples`, `impurity` and `shares` of some nodes as arguments for a tree of these nodes,
    without those that the tree was made without."""
    kept = {"weighted_n_node_samples": tree._weights, "impurity": tree._impurity, "shares": tree._given_shares}
    return {name: array[nodes] for name, array in kept.items() if array is not None}


def below_of(tree: TreeArrays, nodes: Sequence[int] | IntArray) -> dict[str, FloatArray]:
    """Return `below_threshold` of some nodes as an argument for a tree of these nodes; an empty dict if it is not
    known."""
    return {} if tree._below is None else {"below_threshold": tree._below[nodes]}


def category_sets_of(tree: TreeArrays, nodes: Sequence[int] | IntArray) -> dict[str, IntArray]:
    """Return `category_offsets`, `categories` and, if it is known, `splits_by_heuristic` of some nodes as arguments for
    a tree of these nodes; an empty dict if the tree has no multiway nodes."""
    if not tree.is_multiway:
        return {}
    sizes = np.diff(tree.category_offsets)[nodes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    positions = np.repeat(tree.category_offsets[nodes] - offsets[:-1], sizes) + np.arange(offsets[-1])
    known = {} if tree._by_heuristic is None else {"splits_by_heuristic": tree._by_heuristic[nodes]}
    return {"category_offsets": offsets, "categories": tree.categories[positions]} | known


def goes_to_greater_child(tree: TreeArrays) -> BoolArray:
    """Return for every node whether its left child has more weight than its right child; False without such children.

    The sums of both children's class counts, or weights, are compared as exact real numbers: as multiples of one
    number, if they are, as sums of decimals are.
    """
    goes_left = np.zeros(tree.node_count, dtype=bool)
    inner = np.flatnonzero(tree.children_left >= 0)
    counts = tree.weighted_n_node_samples[:, np.newaxis] if tree.is_regressor else tree.value
    left, right = counts[tree.children_left[inner]], counts[tree.children_right[inner]]
    difference = left.sum(axis=1) - right.sum(axis=1)
    # Whole numbers below 2**53 add up exactly.
    if not (np.all(counts == np.floor(counts)) and counts[0].sum() < 2.0**53):
        near = np.flatnonzero(np.abs(difference) <= 1e-9 * (left.sum(axis=1) + right.sum(axis=1)))
        numbers = multiples(counts) if near.size else None
        if numbers is not None:
            left, right = numbers[tree.children_left[inner]], numbers[tree.children_right[inner]]
        for i in near:
            difference[i] = fsum([*left[i].tolist(), *(-right[i]).tolist()])
    goes_left[inner] = difference > 0.0
    return goes_left


def impurities(criterion: Specification, value: FloatArray) -> FloatArray:
    """Return the impurities of a tree's nodes by a criterion as the kernels take it; ndarray of shape (node_count,).

    An impurity that is a fraction is rounded to the nearest double; others, also entropies, are computed in floating
    point.
    """
    name = criterion if isinstance(criterion, str) else criterion[0]
    if name == "entropy":
        return np.array([_entropy(counts) for counts in value.tolist()])
    measure, power = kernel("impurities"), 2 if name == "ranking" else 0
    return measured_on_grid(lambda nodes: measure(criterion, nodes), np.array(value), power)


def _entropy(counts: list[float]) -> float:
    """Return the entropy in bits, in floating point."""
    total, entropy = sum(counts), 0.0
    for count in counts:
        share = count / total
        if share > 0.0:
            entropy -= share * log2(share)
    return entropy


def goes_left(tree: TreeArrays, node: int, values: FloatArray) -> BoolArray:
    """Return whether values go left at a node with a threshold, missing ones as the tree says."""
    return np.where(np.isnan(values), tree.missing_go_to_left[node] == 1, values <= tree.threshold[node])
