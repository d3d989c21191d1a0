"""C4.5: trees that grow by gain ratio, and are pruned by their expected errors.

J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._engine import kernel
from .._sklearn import Interval, StrOptions, fit_context
from .._tree_checks import LEAF, MULTIWAY, UNDEFINED
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
from .cart import DecisionTreeClassifier

__all__ = ["C45Classifier"]


@described_like(DecisionTreeClassifier)
class C45Classifier(BaseTreeClassifier):
    """A C4.5 tree: splits by gain ratio, into a child for every category or by a threshold, and pessimistic pruning.

    A node takes the split of the greatest gain ratio among the splits that gain about the average or more ([1]_,
    Chapter 2). Samples with a missing value go to every child, in parts, in training and in prediction (Chapter 3). The
    tree is then pruned by the expected errors of its leaves (Chapter 4). If the book leaves something open, the tree
    does what Weka's J48 does.

    Parameters
    ----------
    confidence : float or None, default=0.25
        The confidence at which upper limits of the leaves' errors are taken, at most 0.5; a smaller one prunes more.
        None: errors are not estimated, and a subtree becomes a leaf only if it makes no fewer errors on the training
        samples than the leaf would.
    subtree_raising : bool, default=True
        Whether pruning may also put a node's largest branch in its place.
    min_samples_leaf : int, default=2
        Least weight of the samples in at least two children of every split; without weights, their number.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        As in :class:`DecisionTreeClassifier`. A split by such a feature has one child for every category.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.

    Attributes
    ----------
    tree_ : Tree
        The pruned tree as plain arrays. `value` has the weights of the classes, with the parts of samples whose value
        was missing; `n_node_samples` the number of samples that reached the node at least in part; `gain` the
        information gain of the split (bits) among the samples that it was chosen for. A raised branch has more samples
        than it was chosen for.
    n_nodes_unpruned_ : int
        Number of nodes before pruning by estimated errors, after subtrees that make no fewer errors than a leaf have
        been collapsed; with ``confidence=None`` it equals ``tree_.node_count``, the number of nodes of the final tree.

    See Also
    --------
    DecisionTreeClassifier : Trees by any criterion, such as ``"gain_ratio"``, which are not pruned.

    Notes
    -----
    The gain of a split is the decrease of entropy among the samples whose value is known, times their share of the
    weight; its information is the entropy of the sizes of the children, with the samples whose value is missing as one
    more child. Only the best threshold of a feature competes; log2(number of thresholds) / weight is subtracted from
    its gain [2]_, and both sides must have the greater of `min_samples_leaf` and a tenth of the mean weight of a class,
    at most 25. Splits may gain 0.001 bits less than the average of the splits that are allowed. Categorical features
    with 0.3 times as many categories as samples do not count for the average, unless all features have that many. The
    node is a leaf if no split counts, as in J48. A threshold needs a gain to be a split; a split by category does not.

    Thresholds are half-way between two values, while the program of the book, and J48, take the greatest training value
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
    @described_like(DecisionTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. A sample of weight 2 equals two
            samples, also in expected errors: multiplying all weights by the same number can give another tree.

        Raises
        ------
        ValueError
            If X holds infinity (the column is named), `categorical_features` does not match X, y is continuous, lengths
            differ, or weights are negative or all zero.
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
                min_samples_leaf=float(or_unlimited(self.min_samples_leaf)),
                confidence=None if self.confidence is None else float(self.confidence),
                subtree_raising=bool(self.subtree_raising),
                **kinds_of_features(self),
            )
            self._know(classes)
            tree = Tree.from_arrays(arrays, X.shape[1])
            arrays["below_threshold"] = _below_thresholds(tree, X)
            self._keep(Tree.from_arrays(arrays, X.shape[1]))
            self.n_nodes_unpruned_ = n_nodes
        return self

    def _row_weights(
        self, X: FloatArray, y: AnyArray, sample_weight: ArrayLike | None, class_weight: ClassWeight
    ) -> AnyArray | None:
        return row_weights(X, y, sample_weight, class_weight)

    @described_like(BaseTreeClassifier.encode)
    def encode(self, X: MatrixLike) -> FloatArray:
        """Encode X as the numbers that the tree compares: codes of categorical features, others as they are.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
            A category is coded by its index in `categories_`, a value that `fit` has not seen by -1; NaN is a missing
            value. The methods of `tree_` take samples in this form, if no value is missing.
        """
        return super().encode(X)

    @described_like(BaseTreeClassifier.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of every sample: the most frequent one in its leaf, the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Values may be missing, as in `fit`: the sample then gets the class of the greatest probability.
        """
        check_is_fitted(self)
        X, tree = validate_X(self, X), self._own_tree()
        lacks = np.isnan(X).any(axis=1)
        codes = np.empty(len(X), dtype=np.int64)
        codes[~lacks] = tree.majority_at(tree._apply_valid(X[~lacks]))
        codes[lacks] = self._shares_by_parts(X[lacks]).argmax(axis=1)
        return self.classes_.take(codes)

    @described_like(BaseTreeClassifier.predict_proba)
    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the shares of the classes among the training samples of every sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Values may be missing, as in `fit`: the sample then goes to several leaves in parts.
        """
        check_is_fitted(self)
        X, tree = validate_X(self, X), self._own_tree()
        lacks = np.isnan(X).any(axis=1)
        shares = np.empty((len(X), self.n_classes_))
        shares[~lacks] = tree.shares_at(tree._apply_valid(X[~lacks]))
        shares[lacks] = self._shares_by_parts(X[lacks])
        return shares

    def _shares_by_parts(self, X: FloatArray) -> FloatArray:
        tree = self._own_tree()
        tree._check_columns(X)
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

    @described_like(BaseTreeClassifier.apply)
    def apply(self, X: MatrixLike) -> IntArray:
        """Find the leaf that every sample reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Without missing values: a sample that lacks one reaches several leaves.
        """
        check_is_fitted(self)
        return self._own_tree().apply(validate_rows(self, X))


def _below_thresholds(tree: Tree, X: FloatArray) -> FloatArray:
    """Return for every threshold the greatest value that goes left, or a greater number that is as far from the
    threshold as the smallest value that goes right: a branch that was raised has samples that its thresholds, which are
    no longer in the middle, were not chosen for. Parts of samples count as samples.
    """
    below = np.full(tree.node_count, float(UNDEFINED))
    # A stack of nodes with their samples; one that lacks the value goes to all children.
    pending = [(0, np.arange(len(X)))]
    while pending:
        node, rows = pending.pop()
        if tree.children_left[node] == LEAF:
            continue
        children, values = tree.children_of(node).tolist(), X[rows, tree.feature[node]]
        if tree.children_left[node] == MULTIWAY:
            goes_to = [values == tree.category[child] for child in children]
        else:
            goes_to = [values <= tree.threshold[node], values > tree.threshold[node]]
            threshold = tree.threshold[node]
            mirrored = threshold - (values[goes_to[1]].min(initial=np.inf) - threshold)
            below[node] = max(values[goes_to[0]].max(initial=-np.inf), mirrored)
        lacks = np.isnan(values)
        pending += [(child, rows[goes | lacks]) for child, goes in zip(children, goes_to, strict=True)]
    return below
