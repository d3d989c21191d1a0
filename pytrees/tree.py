"""A fitted tree: its arrays, what it says about samples, and its conversions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix

from ._docstrings import described_like
from ._engine import current_engine, kernel
from ._numbers import beyond_float64, check_array, exponent_of, times_power
from ._tree_arrays import TreeArrays
from ._tree_checks import LEAF, MULTIWAY, ROWS_OF_A_CALL
from ._typing import AnyArray, BoolArray, FloatArray, IntArray, LabelsLike, MatrixLike
from .input.categories import check_holds_no_dates, name_of_column
from .input.validation import aligned, check_finite, may_have_missing, naming_columns

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["Tree"]

# A tree is packed as soon as enough samples have walked through it.
_NODES_PACKED_FOR_A_ROW = 16

# The bits of packed nodes limit these.
_MOST_NODES, _MOST_FEATURES, _MOST_CODES = 2**21 - 1, 2**12, 0x7FC00000 - 0x400000 - 1

# Gains below have lost digits, or lose them in sums.
_LEAST_EXPONENT = -960
_LEAST_GAIN = 2.0**_LEAST_EXPONENT


class Tree(TreeArrays):
    """A decision tree as a structure of arrays, all of them read-only.

    Nodes are numbered in preorder, left first; node 0 is the root. A node has two children, on both sides of a
    threshold. If its feature is categorical, it has a child for every category among its training samples, or for sets
    of them. The nodes of a classifier's tree count classes, and the nodes of a regressor's tree predict numbers. Trees
    are equal if all their arrays are.

    Parameters
    ----------
    children_left, children_right : array-like of shape (node_count,), int
        The children of every node that has a threshold; -1 at leaves, -2 at multiway nodes.
    feature : array-like of shape (node_count,), int
        The feature that the node splits by; -2 at leaves.
    threshold : array-like of shape (node_count,), float
        Samples with ``x <= threshold`` go left; -2 at leaves and at multiway nodes. An infinite threshold sends samples
        whose value is missing to the right, and all others to the left.
    n_node_samples : array-like of shape (node_count,), int
        Training samples that reached the node.
    value : array-like of shape (node_count, n_classes), float
        Their class counts, or sums of weights if samples were weighted. In a tree of numbers, of shape (node_count, 1):
        the number that the node predicts, in the unit of the targets.
    gain : array-like of shape (node_count,), float
        Gain of the split in the units of the criterion (bits for entropy, steps for ETC, none for Gini, the square of
        the targets' unit for squared errors); 0 at leaves.
    n_features : int
        Number of features the tree was grown on.
    child_offsets : array-like of shape (node_count + 1,), int, optional
        The children of node i are ``children[child_offsets[i]:child_offsets[i + 1]]``. A tree with multiway nodes needs
        this and the next two; otherwise they follow from the other arrays.
    children : array-like of shape (node_count - 1,), int, optional
        The children of all nodes: left and right ones, or those of a multiway node in ascending order of category.
    category : array-like of shape (node_count,), int, optional
        The code of the category whose samples go from a multiway node to this child, the lowest of several; -1 at other
        nodes.
    criterion : str or tuple, optional
        The measure of `impurity`, as the engines take it: a name, or a name and a dict of parameters.
    missing_go_to_left : array-like of shape (node_count,), int, optional
        The way of samples whose value of the node's feature is missing (NaN): 1 is left, 0 right, and -1 the child of
        more weight, right if both have the same. A node that saw no missing value in training has -1. By default the
        tree refuses samples that lack values.
    saw_missing : array-like of shape (node_count,), bool, optional
        Whether training samples of the node lacked the value; by default true for nodes at which `missing_go_to_left`
        is not -1.
    category_offsets : array-like of shape (node_count + 1,), int, optional
        The categories whose samples go from a multiway node to its child i are
        ``categories[category_offsets[i]:category_offsets[i + 1]]``. This and the next one are needed if some child has
        several.
    categories : array-like of shape (n,), int, optional
        The codes of these categories, ascending for every child.
    weighted_n_node_samples : array-like of shape (node_count,), float, optional
        The weights of the nodes' training samples, or their numbers if samples had no weights. With this array the tree
        is a tree of numbers; in a tree of classes the weights are the sums of `value`.
    impurity : array-like of shape (node_count,), float, optional
        The impurities of the nodes of a tree of numbers, such as the mean squared errors of their samples.
    shares : array-like of shape (node_count, n_classes), float, optional
        The shares of the classes that every node predicts, if monotonic constraints keep these from being the shares of
        `value`. By default they are.
    below_threshold : array-like of shape (node_count,), float, optional
        The greatest value that goes left among the node's training samples; -2 at nodes without a threshold. The least
        value that goes right is as far above the threshold, so that texts and pictures know how many digits count.
        Where C4.5 raised a branch, it may be a number between the value and the threshold, and the other one farther.
    splits_by_heuristic : array-like of shape (node_count,), bool, optional
        Whether two sets of a node's categories are those of a heuristic; by default, whether there are more than 12.

    Attributes
    ----------
    children_left, children_right, feature, threshold, n_node_samples, value, gain : ndarray
        As above: int64 and float64, not writeable.
    child_offsets, children, category, category_offsets, categories, shares : ndarray
        As above, for every tree; a tree of numbers has no shares.
    n_features, n_classes, node_count, n_leaves, max_depth : int
        `max_depth` counts edges: a single leaf has depth 0. A tree of numbers has 0 classes.
    is_regressor : bool
        Whether the tree predicts numbers.
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
    below_threshold : ndarray of shape (node_count,), float64, or None
        As above; None if it is not known.
    splits_by_heuristic : ndarray of shape (node_count,), bool
        As above; False at nodes of at most 12 categories.

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
    Samples for a tree hold categories as codes, as `encode` of the estimator makes them: whole numbers, to which others
    are rounded. A sample whose category has no child stays at the multiway node, which predicts its most frequent
    class. A missing category has a code too, and NaN in its place is an error.

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

    __slots__ = ()

    _remedy_for_words: ClassVar[str] = (
        "a Tree takes codes of categories, which `encode` of the fitted estimator makes: "
        "tree.predict(estimator.encode(X))"
    )

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, self._arguments()

    def __repr__(self) -> str:
        predicted = "numbers" if self.is_regressor else f"{self.n_classes} classes"
        return f"<Tree of depth {self.max_depth} with {self.n_leaves} leaves, {self.n_features} features, {predicted}>"

    def to_sklearn(self, classes: LabelsLike | None = None) -> DecisionTreeClassifier | DecisionTreeRegressor:
        """Convert the tree to a fitted scikit-learn ``DecisionTreeClassifier`` with the same nodes.

        A tree of numbers becomes a ``DecisionTreeRegressor``. A tree knows only the codes of its classes. An
        estimator's ``to_sklearn()`` also keeps their labels and the names of the features; see
        :func:`pytrees.to_sklearn`.

        Parameters
        ----------
        classes : array-like of shape (n_classes,), optional
            The class labels; 0..n_classes-1 by default. A tree of numbers has none.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
            It decides as the tree does on data that is exact in float32.

        Raises
        ------
        RuntimeError
            If this version of scikit-learn stores its nodes otherwise than 1.9 does.
        ValueError
            If there is not one label for every class, or a node divides categories into two sets.
        """
        from .convert.sklearn_nodes import tree_to_sklearn

        return tree_to_sklearn(self, classes)

    @classmethod
    def from_sklearn(cls, estimator: Any) -> Self:
        """Make the tree of a fitted tree of scikit-learn, with exactly its thresholds.

        The class counts are the products of its nodes' shares and weights, rounded to the whole numbers that they are;
        the gains are computed by its criterion. The numbers of a regressor are taken as they are, and so are its
        impurities, of which gains are the decreases; those of ``criterion="poisson"`` have no name. The tree compares
        float64, while scikit-learn first rounds samples to float32: on data that is exact in float32, both decide
        alike. Labels and names are lost; :func:`pytrees.from_sklearn` keeps them, and converts forests too.

        Parameters
        ----------
        estimator : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
            A fitted tree, or one of a forest's `estimators_`; an ``ExtraTreeClassifier`` or ``ExtraTreeRegressor`` is
            one too.

        Returns
        -------
        Tree
            A tree with these nodes in preorder. In scikit-learn, only best-first trees have another order.

        Raises
        ------
        TypeError
            If `estimator` is anything else, such as a forest.
        ValueError
            If it has several outputs, or nodes without training samples. The ``to_sklearn`` of a tree with a child for
            every category makes such nodes.
        """
        from .convert.sklearn_nodes import arrays_of_sklearn

        return cls(**arrays_of_sklearn(estimator))

    @classmethod
    def from_dict(cls, exported: dict[str, Any]) -> Self:
        """Make the tree that :func:`pytrees.export_dict` exported, perhaps to JSON and back.

        Parameters
        ----------
        exported : dict
            A whole tree, with the names of its features as they were exported. It is only read.

        Returns
        -------
        Tree
            Equal to the tree that was exported. The classes of a tree of classes are ``exported["class_names"]``; it
            has no impurity, as the dict does not name the criterion. A tree of numbers has the impurities that it had.

        Raises
        ------
        ValueError
            If `exported` is no such dict: something is missing, has another type or belongs to no tree; names or
            categories are repeated or unknown; or `max_depth` cut levels off.
        """
        from .convert.from_dict import arrays_of_dict

        return cls(**arrays_of_dict(exported))

    def apply(self, X: MatrixLike) -> IntArray:
        """Find the leaf that every sample comes to, or the multiway node at which it stays.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that the tree was grown on.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Indices of nodes.

        Raises
        ------
        ValueError
            If X has other features, holds infinity, words, or missing values that the tree does not take, or NaN in a
            feature by whose categories the tree splits: a missing category has a code.
        """
        return self._apply_checked(self._rows(X), self)

    @described_like(apply)
    def _apply_valid(self, X: FloatArray) -> IntArray:
        """Find the leaves of samples as `apply` does, without checking them.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float64
            Samples, with the features that the tree was grown on: C-contiguous, and finite or NaN.
        """
        return self._apply_checked(X, None)

    @described_like(apply)
    def _apply_checked(self, X: FloatArray, named_in_errors: Any) -> IntArray:
        """Find the leaves of samples as `apply` does, checking only whether they are finite.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float64
            Samples, with the features that the tree was grown on: C-contiguous.
        named_in_errors : Tree, estimator or None
            The object that an error message names, and that says whether values may be missing; None: X holds no
            infinity.
        """
        leaves, finite = self._leaves(X)
        if not finite:
            if named_in_errors is not None:
                check_finite(named_in_errors, X)
            if may_have_missing(X):
                check_finite(self, X)
                leaves, _ = self._leaves(X, has_missing=True)
        return leaves

    def _leaves(self, X: FloatArray, has_missing: bool = False) -> tuple[IntArray, bool]:
        """Return the leaves, and whether X is known to be finite."""
        self._check_columns(X)
        self._set(_n_walked=self._n_walked + len(X) + ROWS_OF_A_CALL)
        if self._is_worth_packing(self._n_walked):
            leaves, finite = kernel("find_leaves")(self._pack(has_missing), X)
        else:
            leaves, finite = self._walk("apply", X, has_missing), False
        return np.asarray(leaves, dtype=np.int64), finite

    def _pack(self, has_missing: bool = False) -> Any:
        """Pack the nodes for the kernels that walk many samples; computed once for every engine, then kept.

        Parameters
        ----------
        has_missing : bool, default=False
            Whether values may be missing, which takes longer.

        Returns
        -------
        object
            A forest for the kernel ``find_leaves``, of this tree: its nodes vote for themselves.
        """
        key = current_engine(), has_missing
        kept = self._packed or {}  # other threads replace it, and nobody changes it
        if key not in kept:
            nodes = np.arange(self.node_count)
            kept = {**kept, key: _pack_together([self], [nodes], self.node_count, has_missing)}
            self._set(_packed=kept)
        return kept[key]

    def _is_worth_packing(self, n_rows: int) -> bool:
        """Whether samples walk faster through the packed tree, the time to pack it included.

        Parameters
        ----------
        n_rows : int
            Number of samples that walked or are to walk; every call counts as `ROWS_OF_A_CALL` more.

        Returns
        -------
        bool
            Whether to use `_pack`.
        """
        if self._packed is not None:
            return True
        return self.node_count <= _NODES_PACKED_FOR_A_ROW * n_rows and self._can_be_packed()

    def _can_be_packed(self) -> bool:
        if self.is_multiway and self.categories.max() >= _MOST_CODES:
            return False
        n_places = self.node_count + 2 * np.count_nonzero(self.children_left == MULTIWAY)
        return bool(n_places <= _MOST_NODES) and self.n_features <= _MOST_FEATURES

    @described_like(apply)
    def predict(self, X: MatrixLike) -> IntArray | FloatArray:
        """Predict the code of the most frequent class in every sample's leaf, the lowest of several, or its number.

        Returns
        -------
        ndarray of shape (n_samples,), int64 or float64
            Codes of classes, or numbers.
        """
        leaves = self.apply(X)
        return self.value[leaves, 0] if self.is_regressor else self.majority_at(leaves)

    @described_like(apply)
    def decision_path(self, X: MatrixLike) -> csr_matrix:
        """Find the nodes on the decision path of every sample.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, node_count), int64
            1 if the sample visits the node.
        """
        X = self._validated(X)
        found = self._walk("decision_path", X, may_have_missing(X))
        indptr, indices = (np.asarray(part, dtype=np.int64) for part in found)
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
            return np.asarray(self._walk("feature_usage", X, may_have_missing(X)), dtype=np.int64)
        usage = np.zeros(self.n_features, dtype=np.int64)
        children, offsets, feature = self.children.tolist(), self.child_offsets.tolist(), self.feature.tolist()
        # `seen` has the features tested above. `pending` is a stack: a node, or ~node after all nodes below it.
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

        Gains below zero, which ETC can have, count as zero. If nothing was gained, all shares are zero. If gains by
        squared error are beyond the range of float64, the shares follow from the values of the nodes.

        Returns
        -------
        ndarray of shape (n_features,), float64
            Shares that sum to one, or zeros.
        """
        inner = self.children_left != LEAF
        gains = np.maximum(self.gain[inner], 0.0)
        if np.any(np.isinf(gains)) or (gains.size and gains.max() < _LEAST_GAIN):
            gains = self._gains_again(gains, inner)
        gains = _below_one(gains) * _below_one(self.weighted_n_node_samples[inner])
        total = np.bincount(self.feature[inner], weights=gains, minlength=self.n_features).astype(np.float64)
        return total / total.sum() if total.sum() > 0.0 else total

    def _gains_again(self, gains: FloatArray, inner: BoolArray) -> FloatArray:
        """Return the gains of inner nodes, of which some are infinite or all have lost digits, in another unit: by
        squared error they follow from the values of the nodes."""
        exponent = exponent_of(self.value) + 1
        if self._criterion == "absolute_error" and exponent < _LEAST_EXPONENT:
            raise beyond_float64("Gains", exponent)
        if self._criterion != "squared_error":
            return np.isinf(gains).astype(np.float64) if np.any(np.isinf(gains)) else gains
        values, weights = times_power(self.value[:, 0], -exponent), _below_one(self.weighted_n_node_samples)
        parents = np.repeat(np.arange(self.node_count), np.diff(self.child_offsets))
        shares = weights[self.children] / weights[parents]
        of_children = shares * (values[self.children] - values[parents]) ** 2
        return np.bincount(parents, of_children, self.node_count).astype(np.float64)[inner]

    def _validated(self, X: MatrixLike) -> FloatArray:
        X = self._rows(X)
        check_finite(self, X)
        return X

    def _rows(self, X: MatrixLike) -> FloatArray:
        check_holds_no_dates(self, X)
        with naming_columns(self, X):
            X = aligned(check_array(X, dtype=np.float64, order="C", ensure_all_finite=False))
        self._check_columns(X)
        self._refuse_missing_categories(X)
        return X

    def _refuse_missing_categories(self, X: FloatArray) -> None:
        """Raise ValueError if a category is NaN: missing categories have a code, and NaN would be an unknown one.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float64
            Samples.
        """
        if not (self.is_multiway and self.takes_missing and may_have_missing(X)):
            return
        for feature in np.unique(self.feature[self.children_left == MULTIWAY]).tolist():
            if np.isnan(X[:, feature]).any():
                raise ValueError(
                    f"Input X contains NaN in {name_of_column(self, feature)}, by whose categories the tree splits: a "
                    "missing category has a code, as every category has. `encode` of the fitted estimator makes it; "
                    "it is the position of None (null in JSON) among the feature's categories of export_dict, or -1 "
                    "if None is not among them."
                )

    def _check_columns(self, X: FloatArray) -> None:
        """Raise ValueError unless X has the features of the tree: the kernels would read past the ends of its rows.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float64
            Samples.
        """
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} features, but the tree was grown on {self.n_features}.")

    def _walk(self, function: str, X: FloatArray, has_missing: bool) -> Any:
        """Call a kernel that walks the tree by its own arrays.

        Parameters
        ----------
        function : str
            The kernel.
        X : ndarray of shape (n_samples, n_features), float64
            Samples.
        has_missing : bool
            Whether values may be missing.

        Returns
        -------
        object
            The result of the kernel.
        """
        *splits, ways = self._decisions()
        return kernel(function)(*splits, X, self.missing_go_to_left if has_missing else None, ways)

    def _decisions(self) -> tuple[Any, ...]:
        """Return the arrays by which samples find their leaves, as kernels take them: those of multiway nodes last, as
        a tuple, or None."""
        if self.is_multiway and self._ways is None:
            children = self.child_offsets, self.children, self.category_offsets, self.categories
            self._set(_ways=(*children, self.has_category_sets))
        return self.children_left, self.children_right, self.feature, self.threshold, self._ways


def _pack_together(trees: Sequence[Tree], of_nodes: Iterable[AnyArray], n_outputs: int, has_missing: bool) -> Any:
    """Pack trees for the kernels that walk many samples, one after the other.

    Parameters
    ----------
    trees : sequence of Tree
        The trees.
    of_nodes : iterable of ndarrays
        The outputs of every tree's nodes, or the classes that they vote for.
    n_outputs : int
        The number of outputs.
    has_missing : bool
        Whether values may be missing, which takes longer.

    Returns
    -------
    object
        The result of the kernel ``pack_forest``.
    """
    missing = ([tree.missing_go_to_left for tree in trees],) if has_missing else ()
    return kernel("pack_forest")([tree._decisions() for tree in trees], iter(of_nodes), n_outputs, *missing)


def _below_one(numbers: FloatArray) -> FloatArray:
    """Scale numbers that are not negative by a power of two to below 1: their shares stay, and sums do not overflow."""
    return np.ldexp(numbers, -np.frexp(numbers.max(initial=0.0))[1])
