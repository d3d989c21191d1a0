"""C4.5: trees by gain ratio, pruned by their expected errors.

J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._engine import kernel
from .._sklearn import Interval, StrOptions, fit_context
from .._typing import (
    AnyArray,
    CategoricalFeatures,
    ClassWeight,
    FloatArray,
    HandleUnknown,
    IntArray,
    LabelsLike,
    MatrixLike,
)
from ..input.categories import CATEGORICAL_CONSTRAINTS, kinds_of_features
from ..input.validation import row_weights, validate_rows, validate_X
from ..tree import Tree
from .base import BaseTreeClassifier, or_unlimited, unchanged_on_error

__all__ = ["C45Classifier"]


class C45Classifier(BaseTreeClassifier):
    """A C4.5 tree: splits by gain ratio, into a child for every category or by a threshold, and pessimistic pruning.

    A split is the one of the greatest gain ratio among those that gain about the average or more ([1]_, Chapter 2).
    Samples with a missing value go to every child, in parts, in training and in prediction (Chapter 3). The tree is
    then pruned by the expected errors of its leaves (Chapter 4). Where the book leaves something open, it does what
    Weka's J48 does.

    Parameters
    ----------
    confidence : float or None, default=0.25
        The confidence at which upper limits of the leaves' errors are taken, at most 0.5; a smaller one prunes more.
        None: errors are not estimated, and only subtrees that make no fewer errors on the training samples than a leaf
        become leaves.
    subtree_raising : bool, default=True
        Whether pruning may also put a node's largest branch in its place.
    min_samples_leaf : int, default=2
        Least weight of samples, which is their number where they have no weights, that two children of every split must
        have.
    max_depth : int or None, default=None
        Greatest depth to grow to, in edges. None: no limit.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        The features whose values are categories: a mask of shape (n_features,), indices, or names of a data frame's
        columns; ``"from_dtype"`` takes those of pandas' dtype category, of which ordered ones are split by thresholds
        on their order. A split by such a feature has one child for every category. None: all features are numbers, and
        have thresholds.
    handle_unknown : {"error", "majority"}, default="error"
        What to do when a sample to predict has a category that `fit` has not seen: raise an error; or leave the sample
        at the first node that splits by the feature, which predicts as a leaf does. Samples of a category that `fit`
        has seen, but not among the samples of the node, always stay there.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.

    Attributes
    ----------
    tree_ : Tree
        The pruned tree as plain arrays. `value` has the weights of the classes, with the parts of samples whose value
        was missing; `n_node_samples` the number of samples of which a part reached the node; `gain` the information
        gain of the split (bits) among the samples that it was chosen for; a raised branch was chosen for fewer than it
        now has.
    n_nodes_unpruned_ : int
        Number of nodes before the tree was pruned by estimated errors; ``tree_.node_count`` is the number after it.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where X had column names.
    is_categorical_ : ndarray of shape (n_features,), bool, or None
        Whether a feature is categorical; None where none is.
    categories_ : list of ndarray
        The categories of every categorical feature, sorted: those of samples of weight above 0. The codes of categories
        in `tree_` are indices into these; :meth:`encode` codes samples in this way.
    ordered_categories_ : dict of int to ndarray
        The categories of every feature whose ordered ones ``"from_dtype"`` found, in their order; thresholds compare
        their places in it.
    feature_importances_ : ndarray of shape (n_features,)
        Share of every feature in the total gain.

    See Also
    --------
    DecisionTreeClassifier : Trees by any criterion, such as ``"gain_ratio"``, which are not pruned.

    Notes
    -----
    The gain of a split is the decrease of entropy among the samples whose value is known, times their share of the
    weight; its information is the entropy of the sizes of the children, with the samples whose value is missing as one
    more. Of a feature's thresholds only the best competes; log2(number of thresholds) / weight is subtracted from its
    gain [2]_, and both sides must have a tenth of the mean weight of a class, at most 25, where that is more than
    `min_samples_leaf`. Splits may gain 0.001 bits less than the average of the splits that are allowed; categorical
    features of 0.3 times as many categories as samples do not count for the average, unless all features have that
    many; where no split that counts has a gain, the node is a leaf, as in J48.

    Thresholds are half-way between two values, where the program of the book, and J48, take the greatest training value
    below: predictions of samples between these two can differ.

    With n samples in a level of the tree, growth costs O(n log n) for every feature and level. Samples that lack values
    are in several nodes of a level. Raising costs up to O(n · depth) for every node.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993.
    .. [2] J. R. Quinlan, "Improved Use of Continuous Attributes in C4.5", Journal of Artificial Intelligence Research
       4, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = C45Classifier().fit(X, y)
    >>> tree.tree_.node_count, tree.n_nodes_unpruned_
    (9, 9)
    >>> tree.predict([[5.0, 3.4, float("nan"), 0.3]])
    array([0])
    """

    n_nodes_unpruned_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "confidence": [Interval(Real, 0.0, 0.5, closed="right"), None],
        "subtree_raising": ["boolean"],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        **CATEGORICAL_CONSTRAINTS,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    _missing_is_category = False  # such samples go to all children, in parts

    def __init__(
        self,
        *,
        confidence: float | None = 0.25,
        subtree_raising: bool = True,
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        class_weight: ClassWeight = None,
    ) -> None:
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and categories where `categorical_features` says so. NaN, and None among categories, is a missing
            value.
        y : array-like of shape (n_samples,)
            Class labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. A sample of weight 2 equals two
            samples, also in expected errors: multiplying all weights by the same number can give another tree.

        Returns
        -------
        C45Classifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If X holds infinity (the column is named), `categorical_features` does not fit to it, y is continuous,
            lengths differ, or weights are negative or all zero.
        """
        with unchanged_on_error(self):
            X, codes, classes = self._validate_X_y(X, y)
            rows, weights = self._rows_that_count(X, classes[codes], sample_weight, self.class_weight, None)
            if rows is not None:
                X, codes = X[rows], codes[rows]
            arrays, n_nodes = kernel("grow_c45")(
                X,
                codes,
                weights,
                len(classes),
                max_depth=or_unlimited(self.max_depth),
                min_samples_leaf=float(self.min_samples_leaf),
                confidence=None if self.confidence is None else float(self.confidence),
                subtree_raising=bool(self.subtree_raising),
                **kinds_of_features(self, None, len(classes)),
            )
            self._know(classes)
            self._keep(Tree.from_arrays(arrays, X.shape[1]))
            self.n_nodes_unpruned_ = n_nodes
        return self

    def _row_weights(
        self, X: FloatArray, y: AnyArray, sample_weight: ArrayLike | None, class_weight: ClassWeight
    ) -> AnyArray | None:
        return row_weights(X, y, sample_weight, class_weight)

    def encode(self, X: MatrixLike) -> FloatArray:
        """Encode X as the numbers that the tree compares: codes of categorical features, others as they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
            A category is coded by its place in `categories_`, a value that `fit` has not seen by -1; NaN is a missing
            value. The methods of `tree_` take such samples, if no value is missing.

        Raises
        ------
        ValueError
            If X holds infinity (the column is named) or, with ``handle_unknown="error"``, categories that `fit` has not
            seen.
        """
        return super().encode(X)

    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of every sample: the most frequent one in its leaf, the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Values may be missing, as in `fit`: such a sample is of the class of the greatest probability.

        Returns
        -------
        ndarray of shape (n_samples,), of the classes' dtype
            The predicted classes.
        """
        check_is_fitted(self)
        X = validate_X(self, X)
        lacks = np.isnan(X).any(axis=1)
        codes = np.empty(len(X), dtype=np.int64)
        codes[~lacks] = self.tree_.majority_at(self.tree_.apply_valid(X[~lacks]))
        codes[lacks] = self._shares_by_parts(X[lacks]).argmax(axis=1)
        return self.classes_.take(codes)

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the shares of the classes among the training samples of every sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Values may be missing, as in `fit`: such a sample goes to several leaves in parts.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`.
        """
        check_is_fitted(self)
        X = validate_X(self, X)
        lacks = np.isnan(X).any(axis=1)
        shares = np.empty((len(X), self.n_classes_))
        shares[~lacks] = self.tree_.shares_at(self.tree_.apply_valid(X[~lacks]))
        shares[lacks] = self._shares_by_parts(X[lacks])
        return shares

    def _shares_by_parts(self, X: FloatArray) -> FloatArray:
        tree = self.tree_
        shares = kernel("class_shares")(
            tree.children_left,
            tree.feature,
            tree.threshold,
            tree.child_offsets,
            tree.children,
            tree.category,
            tree.value,
            X,
        )
        return np.asarray(shares, dtype=np.float64).reshape(len(X), tree.n_classes)

    def apply(self, X: MatrixLike) -> IntArray:
        """Find the leaf that every sample comes to.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Without missing values: a sample that lacks one comes to several leaves.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Numbers of nodes in `tree_`. A sample whose category none of a node's training samples had stays at that
            node.
        """
        check_is_fitted(self)
        return self.tree_.apply(validate_rows(self, X))
