"""Trees of real features as trees of ordinal codes: the thresholds of an ensemble cut every feature into intervals."""

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_array, check_is_fitted

from ._boxes import check_trees
from .export import node_labels
from .tree import LEAF, UNDEFINED, Tree


class OrdinalCodes:
    """What :func:`ordinal_codes` returns.

    Attributes
    ----------
    trees : list of Tree
        The trees, splitting codes. Where they were scikit-learn's, `value` holds shares of classes.
    labels : list of ndarray of shape (node_count,), int64
        The codes of the classes that the nodes predict as leaves: the majority, but perhaps not in ID3 trees. For
        those, use ``values=[labels == class_index for labels in codes.labels]``.
    cardinalities : ndarray of shape (n_features,), int64
        One more than the feature has thresholds.
    thresholds : list of ndarray of shape (cardinality - 1,), float64
        Ascending. The code of a value is the number of thresholds below it.
    dtype : numpy.dtype
        What values are rounded to before they are compared: float32 for scikit-learn's trees, as they do it.
    """

    def __init__(self, trees, labels, thresholds, dtype):
        self.trees, self.labels, self.thresholds, self.dtype = trees, labels, thresholds, np.dtype(dtype)
        self.cardinalities = np.array([len(cuts) + 1 for cuts in thresholds], dtype=np.int64)

    def transform(self, X):
        """The codes of values.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_features), int64

        Raises
        ------
        ValueError
            If X has another number of features, or holds NaN or infinity.
        """
        X = check_array(X, dtype=self.dtype)
        if X.shape[1] != len(self.thresholds):
            raise ValueError(f"X has {X.shape[1]} features; the trees have {len(self.thresholds)}.")
        X = X.astype(np.float64)
        columns = [np.searchsorted(cuts, X[:, m], side="left") for m, cuts in enumerate(self.thresholds)]
        return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int64)

    def decode(self, tree):
        """A tree that splits codes as one that splits values: every row comes to the same leaf.

        Parameters
        ----------
        tree : Tree
            One of `trees`, or made of them, such as by :func:`tree_from_ensemble`.

        Returns
        -------
        Tree
            It compares float64. Where values are rounded to float32 first, its thresholds lie where rounding turns.

        Raises
        ------
        ValueError
            If the tree has other features, or splits where no values are.
        """
        tree = check_trees([tree], self.cardinalities)[0]
        arrays = _arrays_of(tree)
        for node in np.flatnonzero(tree.children_left != LEAF):
            arrays["threshold"][node] = self.thresholds[tree.feature[node]][int(tree.threshold[node])]
        if self.dtype == np.float32:
            inner = tree.children_left != LEAF
            arrays["threshold"][inner] = _greatest_rounded_below(arrays["threshold"][inner])
        return Tree(**arrays, n_features=tree.n_features)

    def __repr__(self):
        return f"<OrdinalCodes of {len(self.trees)} trees, {self.cardinalities.size} features>"


def _greatest_rounded_below(thresholds):
    """The greatest float64 that float32 rounds to a number up to the threshold, for every threshold."""
    below = thresholds.astype(np.float32)
    below = np.where(below > thresholds, np.nextafter(below, np.float32(-np.inf)), below)
    above = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    middle = 0.5 * below.astype(np.float64) + 0.5 * above  # exact: float64 has more than twice the digits
    return np.where(middle.astype(np.float32) == below, middle, np.nextafter(middle, -np.inf))


def ordinal_codes(ensemble):
    """Code the features of an ensemble by its own thresholds, so that its trees split ordinal codes.

    Every tree goes on giving every row the same leaf: ``tree.apply(codes.transform(X))`` numbers the leaves that rows
    of X came to before.

    Parameters
    ----------
    ensemble : forest, bagging ensemble, or sequence of trees
        Of pytrees or of scikit-learn: a fitted ensemble of classification trees, such as RandomForestClassifier or
        BaggingClassifier, or a list of Tree or of fitted classification trees.

    Returns
    -------
    OrdinalCodes

    Raises
    ------
    TypeError
        If there is something that is no classification tree.
    ValueError
        If there are no trees, if they differ in their features or classes, or if some are pytrees' and some
        scikit-learn's, which compare values in different precisions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from pytrees.fourier import ordinal_codes
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    >>> codes = ordinal_codes(forest)
    >>> leaves = codes.trees[0].apply(codes.transform(X))
    >>> bool((leaves == forest.estimators_[0].apply(X)).all())
    True
    """
    trees, labels, dtypes = zip(*_trees_of(ensemble), strict=True)
    first = trees[0]
    if any((tree.n_features, tree.n_classes) != (first.n_features, first.n_classes) for tree in trees):
        raise ValueError("The trees differ in their features or classes.")
    if len(set(dtypes)) > 1:
        raise ValueError("The trees of pytrees compare float64, those of scikit-learn float32: code them apart.")
    cuts = [
        np.unique(np.concatenate([tree.threshold[tree.feature == m] for tree in trees]))
        for m in range(first.n_features)
    ]
    return OrdinalCodes([_coded(tree, cuts) for tree in trees], list(labels), cuts, dtypes[0])


def _trees_of(ensemble):
    """(Tree, labels of its nodes, dtype that it compares) of every member."""
    if isinstance(ensemble, Tree) or hasattr(ensemble, "tree_"):
        ensemble = [ensemble]
    elif hasattr(ensemble, "fit"):
        check_is_fitted(ensemble)
        if not hasattr(ensemble, "estimators_"):
            raise TypeError(f"An ensemble of trees is expected, got {type(ensemble).__name__}.")
        columns = getattr(ensemble, "estimators_features_", [None] * len(ensemble.estimators_))
        n_features = ensemble.n_features_in_
        pairs = zip(ensemble.estimators_, columns, strict=True)
        members = [_tree_of(estimator, features, n_features) for estimator, features in pairs]
        return _of_all_classes(members, ensemble)
    members = [_tree_of(member) for member in ensemble]
    if not members:
        raise ValueError("There are no trees.")
    return members


def _of_all_classes(members, ensemble):
    """The members; where a bootstrap sample of a bagging ensemble lacked a class, its tree with a column of zeros."""
    n_classes = len(getattr(ensemble, "classes_", []))
    if all(tree.n_classes >= n_classes for tree, *_ in members):
        return members
    ensemble = ensemble.estimator if isinstance(ensemble, FrozenEstimator) else ensemble
    from sklearn.ensemble import BaggingClassifier  # here: it takes longer to import than all of this package

    if not isinstance(ensemble, BaggingClassifier):
        return members
    completed = []
    for (tree, labels, dtype), estimator in zip(members, ensemble.estimators_, strict=True):
        places = estimator.classes_.astype(np.int64)  # they have learned the codes of the classes
        arrays = _arrays_of(tree)
        arrays["value"] = np.zeros((tree.node_count, n_classes))
        arrays["value"][:, places] = tree.value
        completed.append((Tree(**arrays, n_features=tree.n_features), places[labels], dtype))
    return completed


def _tree_of(member, columns=None, n_features=None):
    """The member's Tree, labels and dtype; its features are those columns of all n_features."""
    if not isinstance(member, Tree) and hasattr(member, "fit"):
        check_is_fitted(member)
    tree = member if isinstance(member, Tree) else getattr(member, "tree_", None)
    dtype = np.float64
    if not isinstance(tree, Tree):
        tree, dtype = _from_sklearn(member, tree), np.float32
    labels = node_labels(member, tree)
    if columns is None:
        return tree, labels, dtype
    arrays = _arrays_of(tree)
    inner = tree.children_left != LEAF
    arrays["feature"][inner] = np.asarray(columns)[tree.feature[inner]]
    return Tree(**arrays, n_features=n_features), labels, dtype


def _from_sklearn(member, nodes):
    """The nodes of a scikit-learn classification tree of one output as a Tree, with shares for counts."""
    if not hasattr(nodes, "children_left") or not hasattr(member, "classes_") or nodes.n_outputs != 1:
        raise TypeError(f"A classification tree is expected, got {type(member).__name__}.")
    leaves = nodes.children_left == LEAF
    return Tree(
        nodes.children_left,
        nodes.children_right,
        np.where(leaves, UNDEFINED, nodes.feature),
        np.where(leaves, UNDEFINED, nodes.threshold),
        nodes.n_node_samples,
        nodes.value[:, 0, :],
        np.zeros(nodes.node_count),
        n_features=nodes.n_features,
    )


def _arrays_of(tree):
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    return {name: np.array(getattr(tree, name)) for name in names}


def _coded(tree, thresholds):
    """The tree with its thresholds between the codes of the intervals beside them."""
    arrays = _arrays_of(tree)
    for node in np.flatnonzero(tree.children_left != LEAF):
        arrays["threshold"][node] = np.searchsorted(thresholds[tree.feature[node]], tree.threshold[node]) + 0.5
    return Tree(**arrays, n_features=tree.n_features)
