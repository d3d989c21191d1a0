"""Tree: plain NumPy arrays, and what can be asked of them."""

import operator

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_array

from ._engine import kernel
from ._validation import check_finite

__all__ = ["Tree"]

LEAF = -1
UNDEFINED = -2

# Fewer rows walk in the arrays as they are. To pack 16 nodes takes about as long as two or three rows save by it, then
# and in all later walks.
_FEWEST_ROWS_TO_PACK_FOR = 16
_NODES_PACKED_FOR_A_ROW = 16

# Numbers that a packed tree keeps of its nodes and features stay below.
_PACKABLE = 2**31

_PACKED_NODE = np.dtype([("threshold", np.float64), ("feature", np.uint32), ("left", np.uint32)])

_DTYPES = {
    "children_left": np.int64,
    "children_right": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "n_node_samples": np.int64,
    "value": np.float64,
    "gain": np.float64,
}


def _read_only(array):
    """The array in memory that nobody can write to, not even through its flags."""
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


def _frozen(name, array, dtype):
    """What is given for one of the arrays, as a copy that cannot be written to."""
    array = np.asarray(array)
    if array.size and not np.can_cast(array.dtype, dtype, casting="same_kind"):
        raise ValueError(f"Not a tree: {name} has dtype {array.dtype}, which {np.dtype(dtype)} cannot hold.")
    return _read_only(array.astype(dtype))


class Tree:
    """A binary decision tree as a structure of arrays, all of them read-only.

    Nodes are numbered in preorder, left first; node 0 is the root. Trees are equal where all their arrays are.

    Parameters
    ----------
    children_left, children_right : array-like of shape (node_count,), int
        The children of every node; -1 at leaves.
    feature : array-like of shape (node_count,), int
        The feature that the node looks at; -2 at leaves.
    threshold : array-like of shape (node_count,), float
        Rows with ``x <= threshold`` go left; -2 at leaves.
    n_node_samples : array-like of shape (node_count,), int
        Training rows that reached the node.
    value : array-like of shape (node_count, n_classes), float
        Their class counts, or sums of weights where rows were weighted.
    gain : array-like of shape (node_count,), float
        Gain of the split in the units of the criterion (bits for entropy, steps for ETC, none for Gini); 0 at leaves.
    n_features : int
        Number of features the tree was grown on.

    Attributes
    ----------
    children_left, children_right, feature, threshold, n_node_samples, value, gain : ndarray
        As above: int64 and float64, not writeable.
    n_features, n_classes, node_count, n_leaves, max_depth : int
        `max_depth` counts edges: a single leaf has depth 0.

    Raises
    ------
    ValueError
        If the arrays are not those of a tree in preorder: it would be unsafe to walk.

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

    __slots__ = (*_DTYPES, "_majority", "_packed", "max_depth", "n_features")

    def __init__(self, children_left, children_right, feature, threshold, n_node_samples, value, gain, n_features):
        given = (children_left, children_right, feature, threshold, n_node_samples, value, gain)
        for (name, dtype), array in zip(_DTYPES.items(), given, strict=True):
            object.__setattr__(self, name, _frozen(name, array, dtype))
        object.__setattr__(self, "n_features", operator.index(n_features))
        object.__setattr__(self, "max_depth", self._check())
        # Worked out when first asked for; where two threads ask at once, both work out the same.
        object.__setattr__(self, "_majority", None)
        object.__setattr__(self, "_packed", None)

    def __setattr__(self, name, value):
        raise AttributeError(f"A Tree cannot be changed: {name!r} is read-only.")

    def __delattr__(self, name):
        raise AttributeError(f"A Tree cannot be changed: {name!r} is read-only.")

    def _check(self):
        """Refuse arrays that could not be walked safely; return the depth."""
        n_nodes = self.node_count
        for name in _DTYPES:
            shape = getattr(self, name).shape
            if shape[:1] != (n_nodes,) or len(shape) != (2 if name == "value" else 1):
                raise ValueError(f"Not a tree: {name} has shape {shape} in a tree of {n_nodes} nodes.")
        if n_nodes == 0 or self.value.shape[1] == 0:
            raise ValueError("Not a tree: it needs a node and a class at least.")
        inner = np.flatnonzero(self.children_left != LEAF)
        if not np.array_equal(inner, np.flatnonzero(self.children_right != LEAF)):
            raise ValueError("Not a tree: a node has one child.")
        if not np.array_equal(self.children_left[inner], inner + 1):
            raise ValueError("Not a tree in preorder: a left child does not follow its parent.")
        children = np.sort(np.concatenate([self.children_left[inner], self.children_right[inner]]))
        if not np.array_equal(children, np.arange(1, n_nodes)) or np.any(self.children_right[inner] <= inner):
            raise ValueError("Not a tree: the children are not all nodes but the root, once, behind their parents.")
        if np.any((self.feature[inner] < 0) | (self.feature[inner] >= self.n_features)):
            raise ValueError(f"Not a tree of {self.n_features} features: a node looks at another one.")
        for name in ("threshold", "gain"):
            if np.any(np.isnan(getattr(self, name))):
                raise ValueError(f"Not a tree: {name} holds NaN.")
        weights = self.value.sum(axis=1)
        if (
            np.any(self.n_node_samples < 1)
            or np.any(self.value < 0.0)
            or not np.all((weights > 0) & (weights < np.inf))
        ):
            raise ValueError("Not a tree: every node has rows, and class counts that are not negative nor all zero.")
        depth, level = -1, np.array([0])
        while level.size:
            depth += 1
            level = level[self.children_left[level] != LEAF]
            level = np.concatenate([self.children_left[level], self.children_right[level]])
        return depth

    @classmethod
    def from_arrays(cls, arrays, n_features):
        """The tree of a kernel's dict of arrays."""
        return cls(**arrays, n_features=n_features)

    def __reduce__(self):
        return Tree, (*(getattr(self, name) for name in _DTYPES), self.n_features)

    def __eq__(self, other):
        if not isinstance(other, Tree):
            return NotImplemented
        return self.n_features == other.n_features and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _DTYPES
        )

    def __hash__(self):
        return hash((self.children_left.tobytes(), self.feature.tobytes(), (self.threshold + 0.0).tobytes()))

    def __repr__(self):
        return (
            f"<Tree of depth {self.max_depth} with {self.n_leaves} leaves, {self.n_features} features, "
            f"{self.n_classes} classes>"
        )

    @property
    def node_count(self):
        return self.children_left.size

    @property
    def n_leaves(self):
        return (self.node_count + 1) // 2

    @property
    def n_classes(self):
        return self.value.shape[1]

    @property
    def majority(self):
        """The most frequent class of every node, the lowest of several; ndarray of shape (node_count,)."""
        if self._majority is None:
            object.__setattr__(self, "_majority", _read_only(_majority(self.value)))
        return self._majority

    @property
    def shares(self):
        """The shares of the classes at every node; ndarray of shape (node_count, n_classes)."""
        return _shares(self.value)

    def majority_at(self, nodes):
        """The `majority` of some nodes, such as the leaves that `apply` gives."""
        if self._majority is None and len(nodes) < self.node_count:
            return _majority(self.value.take(nodes, axis=0))
        return self.majority.take(nodes)

    def shares_at(self, nodes):
        """The `shares` of some nodes, such as the leaves that `apply` gives."""
        if len(nodes) < self.node_count:
            return _shares(self.value.take(nodes, axis=0))
        return self.shares.take(nodes, axis=0)

    def apply(self, X):
        """The leaf that every row comes to.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,), int64
        """
        return self.apply_checked(self._rows(X), self)

    def apply_valid(self, X):
        """`apply` for an X that is known to be float64, C-contiguous, finite, and of `n_features` columns."""
        return self._leaves(X)[0]

    def apply_checked(self, X, asked):
        """`apply_valid` for an X that may not be finite: then it is refused in the name of whoever is asked."""
        leaves, finite = self._leaves(X)
        if not finite:
            check_finite(asked, X)
        return leaves

    def _leaves(self, X):
        """The leaves, and whether X is known to be finite."""
        if self.worth_packing(len(X)):
            leaves, finite = kernel("traverse", "apply_packed")(*self.packed(), X)
        else:
            leaves, finite = self._walk("apply", X), False
        return np.asarray(leaves, dtype=np.int64), finite

    def packed(self):
        """The nodes and their numbers as the kernels that walk many rows want them; packed once, then kept.

        Returns
        -------
        tuple of two ndarrays of shape (node_count,)
        """
        if self._packed is None:
            nodes, numbers = self._walk("pack")
            packed = _read_only(np.asarray(nodes, dtype=_PACKED_NODE)), _read_only(np.asarray(numbers, dtype=np.uint32))
            object.__setattr__(self, "_packed", packed)
        return self._packed

    def worth_packing(self, n_rows):
        """Whether so many rows walk faster through the packed tree, what packing takes included."""
        return (
            n_rows >= _FEWEST_ROWS_TO_PACK_FOR
            and (self._packed is not None or self.node_count <= _NODES_PACKED_FOR_A_ROW * n_rows)
            and max(self.node_count, self.n_features) < _PACKABLE
        )

    def predict(self, X):
        """The code of the most frequent class in every row's leaf, the lowest of several; shape (n_rows,), int64."""
        return self.majority_at(self.apply(X))

    def decision_path(self, X):
        """The nodes that every row visits.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_rows, node_count), int64
            1 where the row visits the node.
        """
        X = self._validated(X)
        indptr, indices = (np.asarray(part, dtype=np.int64) for part in self._walk("decision_path", X))
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(len(X), self.node_count))

    def feature_usage(self, X=None):
        """How many rows have each feature looked at on their way: the tests that must be ordered for them.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), optional
            Without it, the rows that the tree was grown on.

        Returns
        -------
        ndarray of shape (n_features,), int64
            A row counts once for a feature, however often it is looked at.
        """
        if X is not None:
            return np.asarray(self._walk("feature_usage", self._validated(X)), dtype=np.int64)
        usage = np.zeros(self.n_features, dtype=np.int64)
        pending = [(0, frozenset())]
        while pending:
            node, seen = pending.pop()
            if self.children_left[node] == LEAF:
                continue
            feature = int(self.feature[node])
            if feature not in seen:
                usage[feature] += self.n_node_samples[node]
                seen = seen | {feature}
            pending += ((int(child), seen) for child in (self.children_left[node], self.children_right[node]))
        return usage

    def feature_importances(self):
        """Share of every feature in the total gain, each split's gain counted by the weight of its rows.

        Gains below zero, which ETC can have, count as zero. All zeros where nothing was gained.

        Returns
        -------
        ndarray of shape (n_features,), float64
        """
        inner = self.children_left != LEAF
        gains = np.maximum(self.gain[inner], 0.0) * self.value[inner].sum(axis=1)
        total = np.bincount(self.feature[inner], weights=gains, minlength=self.n_features).astype(np.float64)
        return total / total.sum() if total.sum() > 0.0 else total

    def to_sklearn(self, classes=None):
        """A fitted scikit-learn ``DecisionTreeClassifier`` with the same nodes; see :func:`pytrees.export.to_sklearn`.

        Parameters
        ----------
        classes : array-like of shape (n_classes,), optional
            The class labels; 0..n_classes-1 by default.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier
        """
        from .export import to_sklearn

        return to_sklearn(self, classes)

    def _validated(self, X):
        X = self._rows(X)
        check_finite(self, X)
        return X

    def _rows(self, X):
        X = check_array(X, dtype=np.float64, order="C", ensure_all_finite=False)
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} features, but the tree was grown on {self.n_features}.")
        return X

    def _walk(self, function, *X):
        return kernel("traverse", function)(self.children_left, self.children_right, self.feature, self.threshold, *X)


def _majority(value):
    return value.argmax(axis=1)


def _shares(value):
    return value / value.sum(axis=1, keepdims=True)
