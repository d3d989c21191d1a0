"""Tree: plain NumPy arrays, and the functions that read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_array

from ._engine import kernel
from ._exchange import Exchanged
from ._tree_arrays import (
    CHILD_DTYPES,
    DTYPES,
    PACKABLE,
    SET_DTYPES,
    TO_GREATER_CHILD,
    BinaryForm,
    check_missing,
    check_sets,
    check_tree,
    checked_number,
    frozen,
    goes_to_greater_child,
    read_only,
    scaled_to_one,
)
from ._tree_arrays import LEAF as LEAF
from ._tree_arrays import MULTIWAY as MULTIWAY
from ._tree_arrays import node_depths as node_depths
from ._typing import AnyArray, BoolArray, FloatArray, IntArray, MatrixLike, Specification
from .criteria import impurities
from .input.validation import check_finite, may_have_missing

__all__ = ["Tree"]

# In feature and threshold, where a node has none.
UNDEFINED = -2

# A tree is packed once so much has been asked of it. To pack 16 nodes takes about as long as two or three rows save by
# it, and a call saves as much as so many rows.
_NODES_PACKED_FOR_A_ROW = 16
ROWS_OF_A_CALL = 32

_PACKED_NODE = np.dtype([("threshold", np.float64), ("feature", np.uint32), ("left", np.uint32)])


class Tree(Exchanged):
    """A decision tree as a structure of arrays, all of them read-only.

    Nodes are numbered in preorder, left first; node 0 is the root. A node splits by a threshold into two, or, where its
    feature is categorical, into a child for every category among its training samples or for sets of them. Trees are
    equal where all their arrays are.

    Parameters
    ----------
    children_left, children_right : array-like of shape (node_count,), int
        The children of every node that has a threshold; -1 at leaves, -2 at multiway nodes.
    feature : array-like of shape (node_count,), int
        The feature that the node splits by; -2 at leaves.
    threshold : array-like of shape (node_count,), float
        Samples with ``x <= threshold`` go left; -2 at leaves and at multiway nodes. It is infinite where samples whose
        value is missing go right, and all others left.
    n_node_samples : array-like of shape (node_count,), int
        Training samples that reached the node.
    value : array-like of shape (node_count, n_classes), float
        Their class counts, or sums of weights where samples were weighted.
    gain : array-like of shape (node_count,), float
        Gain of the split in the units of the criterion (bits for entropy, steps for ETC, none for Gini); 0 at leaves.
    n_features : int
        Number of features the tree was grown on.
    child_offsets : array-like of shape (node_count + 1,), int, optional
        The children of node i are ``children[child_offsets[i]:child_offsets[i + 1]]``. This and the next two are needed
        where there are multiway nodes, and follow from the other arrays where there are none.
    children : array-like of shape (node_count - 1,), int, optional
        The children of all nodes: left and right ones, or those of a multiway node in ascending order of category.
    category : array-like of shape (node_count,), int, optional
        The code of the category whose samples go from a multiway node to this child, of several the lowest; -1 at other
        nodes.
    criterion : str or tuple, optional
        What measures `impurity`, as the engines take it: a name, or a name and a dict of parameters.
    missing_go_to_left : array-like of shape (node_count,), int, optional
        Where samples go whose value of the node's feature is missing (NaN): 1 is left, 0 right, and -1 to the child of
        more weight, right of two equal ones: so they do where a node saw no missing value in training. By default the
        tree refuses samples that lack values.
    saw_missing : array-like of shape (node_count,), bool, optional
        Whether training samples of the node lacked the value; by default the nodes at which `missing_go_to_left` is not
        -1.
    category_offsets : array-like of shape (node_count + 1,), int, optional
        The categories whose samples go from a multiway node to its child i are
        ``categories[category_offsets[i]:category_offsets[i + 1]]``. This and the next one are needed where they are
        several.
    categories : array-like of shape (n,), int, optional
        The codes of these categories, ascending for every child.

    Attributes
    ----------
    children_left, children_right, feature, threshold, n_node_samples, value, gain : ndarray
        As above: int64 and float64, not writeable.
    child_offsets, children, category, category_offsets, categories : ndarray
        As above, for every tree.
    n_features, n_classes, node_count, n_leaves, max_depth : int
        `max_depth` counts edges: a single leaf has depth 0.
    is_multiway : bool
        Whether a node splits by categories.
    takes_missing : bool
        Whether samples to predict may lack values.
    missing_go_to_left : ndarray of shape (node_count,), uint8
        Whether such samples go left: 1 or 0, at leaves and multiway nodes 0.
    saw_missing : ndarray of shape (node_count,), bool
        As above.
    impurity, weighted_n_node_samples : ndarray of shape (node_count,), float64
        Impurities and weights of the nodes.

    Raises
    ------
    ValueError
        If the arrays are not those of a tree in preorder: it would be unsafe to walk.

    See Also
    --------
    export_text : The rules of a tree as text.
    plot_tree : A picture of a tree.
    merge_redundant : The same predictions with fewer nodes.

    Notes
    -----
    In the samples that a tree is given, categories are codes: whole numbers, to which others are rounded. A sample
    whose category has no child stays at the multiway node, and is predicted to be of that node's most frequent class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    >>> tree.children_left, tree.feature, tree.threshold
    (array([ 1, -1, -1]), array([ 2, -2, -2]), array([ 2.45, -2.  , -2.  ]))
    >>> tree.value
    array([[50., 50., 50.],
           [50.,  0.,  0.],
           [ 0., 50., 50.]])
    """

    children_left: IntArray
    children_right: IntArray
    feature: IntArray
    threshold: FloatArray
    n_node_samples: IntArray
    value: FloatArray
    gain: FloatArray
    n_features: int
    _max_depth: int | None
    is_multiway: bool

    # Worked out when first asked for, and None until then.
    _binary: Any
    _child_arrays: Any
    _goes_left: Any
    _majority: Any
    _packed: Any
    _packed_missing: Any
    _sets: Any
    _criterion: Specification | None
    _missing: NDArray[np.int8] | None
    _saw_missing: NDArray[np.int8] | None
    _n_walked: int

    __slots__ = (
        *DTYPES,
        "_binary",
        "_child_arrays",
        "_criterion",
        "_goes_left",
        "_majority",
        "_max_depth",
        "_missing",
        "_packed",
        "_n_walked",
        "_packed_missing",
        "_saw_missing",
        "_sets",
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
    ) -> None:
        object.__setattr__(self, "_criterion", criterion)
        given = (children_left, children_right, feature, threshold, n_node_samples, value, gain)
        for (name, dtype), array in zip(DTYPES.items(), given, strict=True):
            object.__setattr__(self, name, frozen(name, array, dtype))
        object.__setattr__(self, "n_features", checked_number(n_features))
        self._forget()
        object.__setattr__(self, "is_multiway", bool(np.any(self.children_left == MULTIWAY)))
        if self.is_multiway:
            if child_offsets is None or children is None or category is None:
                raise ValueError("Not a tree: where nodes are multiway, it needs child_offsets, children and category.")
            of_children = zip(CHILD_DTYPES.items(), (child_offsets, children, category), strict=True)
            child_arrays = tuple(frozen(name, array, dtype) for (name, dtype), array in of_children)
            object.__setattr__(self, "_child_arrays", child_arrays)
        object.__setattr__(self, "_max_depth", check_tree(self))
        self._take_sets(category_offsets, categories)
        self._take_missing(missing_go_to_left, saw_missing)

    def _forget(self) -> None:
        """Leave to be worked out what is when it is first asked for; where two threads ask at once, both work out the
        same."""
        for name in ("_binary", "_child_arrays", "_goes_left", "_majority", "_packed", "_packed_missing"):
            object.__setattr__(self, name, None)
        object.__setattr__(self, "_n_walked", 0)

    def _take_sets(self, category_offsets: ArrayLike | None, categories: ArrayLike | None) -> None:
        if (category_offsets is None) != (categories is None):
            raise ValueError("Not a tree: of category_offsets and categories there is only one.")
        sets = None
        if self.is_multiway and category_offsets is not None and categories is not None:
            given = zip(SET_DTYPES.items(), (category_offsets, categories), strict=True)
            sets = tuple(frozen(name, array, dtype) for (name, dtype), array in given)
            check_sets(self, *sets)
        object.__setattr__(self, "_sets", sets)

    def _take_missing(self, missing_go_to_left: ArrayLike | None, saw_missing: ArrayLike | None) -> None:
        given = {"missing_go_to_left": missing_go_to_left, "saw_missing": saw_missing}
        checked = {name: None if array is None else frozen(name, array, np.int64) for name, array in given.items()}
        check_missing(self, **checked)
        for name, array in zip(("_missing", "_saw_missing"), checked.values(), strict=True):
            object.__setattr__(self, name, None if array is None else read_only(array.astype(np.int8)))

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
        """Make a tree as `from_arrays` does, of arrays that an engine has just made: without categories they need no
        check."""
        if "children" in arrays:
            return cls.from_arrays(arrays, n_features, criterion)
        tree = cls.__new__(cls)
        made: dict[str, Any] = {name: frozen(name, arrays[name], dtype) for name, dtype in DTYPES.items()}
        missing = frozen("missing_go_to_left", arrays["missing_go_to_left"], np.int8)
        made |= {"_missing": missing, "_saw_missing": None, "_sets": None, "is_multiway": False}
        made |= {"_criterion": criterion, "_max_depth": None, "n_features": n_features}
        for name, value in made.items():
            object.__setattr__(tree, name, value)
        tree._forget()
        return tree

    def _arrays(self) -> tuple[AnyArray, ...]:
        """Return all arrays that make the tree what it is."""
        arrays = tuple(getattr(self, name) for name in DTYPES)
        return arrays + self._child_arrays + self._category_sets() if self.is_multiway else arrays

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = tuple(getattr(self, name) for name in DTYPES)
        of_children = self._child_arrays if self.is_multiway else (None, None, None)
        further = self._criterion, self._missing, self._saw_missing, *(self._sets or ())
        return Tree, (*arrays, self.n_features, *of_children, *further)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        arrays, others = self._arrays(), other._arrays()
        return (
            self.n_features == other.n_features
            and len(arrays) == len(others)
            and all(np.array_equal(array, one) for array, one in zip(arrays, others, strict=True))
            and np.array_equal(self.saw_missing, other.saw_missing)
            and np.array_equal(self.missing_go_to_left, other.missing_go_to_left)
        )

    def __hash__(self) -> int:
        return hash((self.children_left.tobytes(), self.feature.tobytes(), (self.threshold + 0.0).tobytes()))

    def __repr__(self) -> str:
        return (
            f"<Tree of depth {self.max_depth} with {self.n_leaves} leaves, {self.n_features} features, "
            f"{self.n_classes} classes>"
        )

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
            object.__setattr__(self, "_max_depth", depth)
        return depth

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.children_left == LEAF))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.value.shape[1]

    @property
    def weighted_n_node_samples(self) -> FloatArray:
        """The weights of the nodes' training samples, or their numbers; ndarray of shape (node_count,), float64."""
        return self.value.sum(axis=1)

    @property
    def impurity(self) -> FloatArray:
        """The impurities of the nodes, by the criterion that the tree was grown by; ndarray of shape (node_count,).

        In its units: bits for entropy. There is none for criteria without an impurity of class counts, and for trees
        that were not grown by a criterion.
        """
        if self._criterion is None:
            raise AttributeError(
                "This tree has no impurity: it was not grown by a criterion that measures the impurity of class counts."
            )
        return impurities(self._criterion, self.value)

    @property
    def criterion_name(self) -> str | None:
        """The name of the criterion that measures `impurity`, None where there is none; str."""
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
            object.__setattr__(self, "_goes_left", read_only(goes_left.astype(np.uint8)))
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
            object.__setattr__(self, "_child_arrays", tuple(read_only(array.astype(np.int64)) for array in arrays))
        return self._child_arrays

    def _category_sets(self) -> tuple[IntArray, IntArray]:
        if self._sets is None:
            has_category = self.category >= 0
            arrays = np.concatenate([[0], np.cumsum(has_category)]), self.category[has_category]
            object.__setattr__(self, "_sets", tuple(read_only(array.astype(np.int64)) for array in arrays))
        return self._sets

    @property
    def has_category_sets(self) -> bool:
        """Whether several categories lead to a child of some node; bool."""
        return self.is_multiway and bool(self.categories.size > np.count_nonzero(self.category >= 0))

    def categories_of(self, node: int) -> IntArray:
        """Return the categories whose samples go to a node from its parent, ascending.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        ndarray of shape (n,), int64
            Codes of categories; none where the parent has a threshold, and of the root.
        """
        return self.categories[self.category_offsets[node] : self.category_offsets[node + 1]]

    def children_of(self, node: int) -> IntArray:
        """Return the children of a node: left and right, or by category in ascending order; none of a leaf.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        ndarray of shape (n_children,), int64
            Numbers of the children.
        """
        return self.children[self.child_offsets[node] : self.child_offsets[node + 1]]

    @property
    def binary(self) -> BinaryForm:
        """The same decisions with thresholds only, for walking trees and reading their cuts; `BinaryForm`.

        A multiway node becomes a balanced search among its categories, O(log n) deep for n of them. Where there is
        none, the arrays are the tree's own.
        """
        if self._binary is None:
            if self.is_multiway:
                splits = self.children_left, self.feature, self.threshold, self.child_offsets, self.children
                found = kernel("binarise")(*splits, *self._category_sets())
                dtypes = (np.int64, np.int64, np.int64, np.float64, np.int64)
                arrays: list[Any] = [
                    read_only(np.asarray(a, dtype=dtype)) for a, dtype in zip(found, dtypes, strict=True)
                ]
            else:
                splits = self.children_left, self.children_right, self.feature, self.threshold
                arrays = [*splits, read_only(np.arange(self.node_count))]
            object.__setattr__(self, "_binary", BinaryForm(*arrays))
        return self._binary

    @property
    def majority(self) -> IntArray:
        """The most frequent class of every node, the lowest of several; ndarray of shape (node_count,)."""
        if self._majority is None:
            object.__setattr__(self, "_majority", read_only(_majority(self.value)))
        return self._majority

    @property
    def shares(self) -> FloatArray:
        """The shares of the classes at every node; ndarray of shape (node_count, n_classes)."""
        return _shares(self.value)

    def majority_at(self, nodes: Sequence[int] | IntArray) -> IntArray:
        """Return the `majority` of some nodes, such as the leaves that `apply` gives.

        Parameters
        ----------
        nodes : array-like of shape (n,), int
            Numbers of nodes.

        Returns
        -------
        ndarray of shape (n,), int64
            The codes of their classes.
        """
        if self._majority is None and len(nodes) < self.node_count:
            return _majority(self.value.take(nodes, axis=0))
        return self.majority.take(nodes)

    def shares_at(self, nodes: Sequence[int] | IntArray) -> FloatArray:
        """Return the `shares` of some nodes, such as the leaves that `apply` gives.

        Parameters
        ----------
        nodes : array-like of shape (n,), int
            Numbers of nodes.

        Returns
        -------
        ndarray of shape (n, n_classes), float64
            Their class shares.
        """
        if len(nodes) < self.node_count:
            return _shares(self.value.take(nodes, axis=0))
        return self.shares.take(nodes, axis=0)

    def apply(self, X: MatrixLike) -> IntArray:
        """Find the leaf that every sample comes to, or the multiway node at which it stays.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that the tree was grown on.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Numbers of nodes.
        """
        return self.apply_checked(self._rows(X), self)

    def apply_valid(self, X: FloatArray) -> IntArray:
        """Find the leaves of samples as `apply` does, without checking them.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float64
            Samples, with the features that the tree was grown on.
            C-contiguous and finite, or NaN.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Numbers of nodes.
        """
        return self.apply_checked(X, None)

    def apply_checked(self, X: FloatArray, asked: Any) -> IntArray:
        """Find the leaves of samples as `apply` does, checking only whether they are finite.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float64
            Samples, with the features that the tree was grown on.
            C-contiguous.
        asked : Tree, estimator or None
            The object that an error message names, and that says whether values may be missing; None: X is finite, or
            NaN.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Numbers of nodes.
        """
        leaves, finite = self._leaves(X)
        if not finite:
            if asked is not None:
                check_finite(asked, X)
            if may_have_missing(X):
                check_finite(self, X)
                leaves, _ = self._leaves(X, has_missing=True)
        return leaves

    def _leaves(self, X: FloatArray, has_missing: bool = False) -> tuple[IntArray, bool]:
        """Return the leaves, and whether X is known to be finite."""
        object.__setattr__(self, "_n_walked", self._n_walked + len(X) + ROWS_OF_A_CALL)
        if self.worth_packing(self._n_walked):
            missing = (self.packed_missing(),) if has_missing else ()
            leaves, finite = kernel("apply_packed")(*self.packed(), X, *missing)
        else:
            missing = (self.missing_in_binary(),) if has_missing else ()
            leaves, finite = self._own_nodes(self._walk("apply", X, *missing)), False
        return np.asarray(leaves, dtype=np.int64), finite

    def _own_nodes(self, nodes: Any) -> Any:
        """Return the nodes of the tree that nodes of its binary form belong to."""
        return self.binary.node.take(nodes) if self.is_multiway else nodes

    def missing_in_binary(self) -> NDArray[np.uint8]:
        """Return where samples that lack a value go in the binary form of the tree.

        Returns
        -------
        ndarray of shape (n_nodes,), uint8
            `missing_go_to_left` of its nodes. In the search among the categories of a multiway node samples that have
            none go left, to the leaf of those that stay at the node.
        """
        if not self.is_multiway:
            return self.missing_go_to_left
        left, node = self.binary.children_left, self.binary.node
        searches = (left != LEAF) & (self.children_left[node] == MULTIWAY)
        return np.where(searches, np.uint8(1), self.missing_go_to_left[node])

    def packed_missing(self) -> NDArray[np.uint8]:
        """Return where samples that lack a value go in the packed tree; computed once, then kept.

        Returns
        -------
        ndarray of shape (n_nodes,), uint8
            1 for left, by the place of the packed node. Samples stay at leaves, which are their own left children.
        """
        if self._packed_missing is None:
            places = np.asarray(self._walk("pack")[1], dtype=np.int64)
            is_leaf = self.binary.children_left == LEAF
            goes_left = np.where(is_leaf, np.uint8(1), self.missing_in_binary())
            object.__setattr__(self, "_packed_missing", read_only(goes_left[places]))
        return self._packed_missing

    def packed(self) -> tuple[AnyArray, NDArray[np.uint32]]:
        """Pack the nodes for the kernels that walk many samples; computed once, then kept.

        Returns
        -------
        tuple of two ndarrays of shape (n_nodes,)
            The packed nodes of the binary form, and the nodes of the tree that they belong to.
        """
        if self._packed is None:
            nodes, numbers = self._walk("pack")
            numbers = np.asarray(self._own_nodes(numbers), dtype=np.uint32)
            packed = read_only(np.asarray(nodes, dtype=_PACKED_NODE)), read_only(numbers)
            object.__setattr__(self, "_packed", packed)
        return self._packed

    def worth_packing(self, n_rows: int) -> bool:
        """Whether samples walk faster through the packed tree, the time to pack it included.

        Parameters
        ----------
        n_rows : int
            Number of samples that walked or are to walk; every call counts as `ROWS_OF_A_CALL` more.

        Returns
        -------
        bool
            Whether to use `packed`.
        """
        if self._packed is not None:
            return True
        return self.node_count <= _NODES_PACKED_FOR_A_ROW * n_rows and self._can_be_packed()

    def _can_be_packed(self) -> bool:
        n_parts = self.node_count + (self.categories.size if self.is_multiway else 0)
        return max(4 * n_parts, self.n_features) < PACKABLE

    def predict(self, X: MatrixLike) -> IntArray:
        """Predict the code of the most frequent class in every sample's leaf, the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that the tree was grown on.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Codes of classes.
        """
        return self.majority_at(self.apply(X))

    def decision_path(self, X: MatrixLike) -> csr_matrix:
        """Find the nodes on the decision path of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that the tree was grown on.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, node_count), int64
            1 where the sample visits the node.
        """
        X = self._validated(X)
        found = self._walk("decision_path", X, *self._missing_of(X))
        indptr, indices = (np.asarray(part, dtype=np.int64) for part in found)
        if self.is_multiway:
            # The search among the categories of a node visits parts of that node only, one after another.
            nodes = self.binary.node.take(indices)
            is_new = np.concatenate([[True], nodes[1:] != nodes[:-1]])
            is_new[indptr[:-1]] = True
            indices, indptr = nodes[is_new], np.concatenate([[0], np.cumsum(is_new)])[indptr]
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(len(X), self.node_count))

    def feature_usage(self, X: MatrixLike | None = None) -> IntArray:
        """Count the samples for which each feature is tested along the decision path.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Without it, the samples that the tree was grown on.

        Returns
        -------
        ndarray of shape (n_features,), int64
            A sample counts once for a feature, however many nodes on its path test it.
        """
        if X is not None:
            X = self._validated(X)
            return np.asarray(self._walk("feature_usage", X, *self._missing_of(X)), dtype=np.int64)
        usage = np.zeros(self.n_features, dtype=np.int64)
        children, offsets, feature = self.children.tolist(), self.child_offsets.tolist(), self.feature.tolist()
        # The features tested above; and what is to be done, the next last: a node, or ~node where all below it is done.
        seen: set[int] = set()
        pending = [0]
        while pending:
            node = pending.pop()
            if node < 0:
                seen.remove(feature[~node])
                continue
            below = children[offsets[node] : offsets[node + 1]]
            if below and feature[node] not in seen:
                usage[feature[node]] += self.n_node_samples[node]
                seen.add(feature[node])
                pending.append(~node)
            pending += below
        return usage

    def feature_importances(self) -> FloatArray:
        """Compute the share of every feature in the total gain, each split's gain weighted by its samples.

        Gains below zero, which ETC can have, count as zero. All zeros where nothing was gained.

        Returns
        -------
        ndarray of shape (n_features,), float64
            Shares that sum to one, or zeros.
        """
        inner = self.children_left != LEAF
        # Powers of two change no share, and keep products and sums of gains and weights, however great, finite.
        gains, weights = map(scaled_to_one, (np.maximum(self.gain[inner], 0.0), self.value[inner].sum(axis=1)))
        gains = gains * weights
        total = np.bincount(self.feature[inner], weights=gains, minlength=self.n_features).astype(np.float64)
        return total / total.sum() if total.sum() > 0.0 else total

    def _validated(self, X: MatrixLike) -> FloatArray:
        X = self._rows(X)
        check_finite(self, X)
        return X

    def _rows(self, X: MatrixLike) -> FloatArray:
        X = check_array(X, dtype=np.float64, order="C", ensure_all_finite=False)
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} features, but the tree was grown on {self.n_features}.")
        return X

    def _missing_of(self, X: FloatArray) -> tuple[NDArray[np.uint8]] | tuple[()]:
        """Return what kernels are told of missing values: nothing where X, which may have them, has none."""
        return (self.missing_in_binary(),) if may_have_missing(X) else ()

    def _walk(self, function: str, *X: object) -> Any:
        return kernel(function)(*self.binary[:4], *X)


def _majority(value: FloatArray) -> IntArray:
    return value.argmax(axis=1)


def _shares(value: FloatArray) -> FloatArray:
    return value / value.sum(axis=1, keepdims=True)
