"""Base classes of all tree classifiers: parameters, fit, predict, tags."""

from contextlib import contextmanager
from math import ceil
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from .._engine import kernel
from ..criteria import (
    CRITERIA,
    OwnCriterion,
    RankingImpurity,
    WeightedInformationGain,
    resolve,
)
from ..input.categories import CATEGORICAL_CONSTRAINTS, forget_other_rows, n_categories
from ..input.validation import row_order, row_weights, validate_rows, validate_X, validate_X_y
from ..tree import Tree

# What the kernels take for no limit; also the greatest limit that they can count to.
UNLIMITED = 2**31 - 1

# Parameters of growth that trees and ensembles of trees share.
GROWTH_CONSTRAINTS = {
    "criterion": [
        StrOptions(set(CRITERIA)),
        WeightedInformationGain,
        RankingImpurity,
        OwnCriterion,
    ],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
    ],
    "min_samples_leaf": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="neither"),
    ],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "min_gain": [Interval(Real, None, None, closed="neither"), None],
    "max_candidates": [Interval(Integral, 1, None, closed="left"), None],
    **CATEGORICAL_CONSTRAINTS,
    "random_state": ["random_state"],
}


def size_limits(estimator, n_samples, n_features):
    """Return the estimator's limits of size as the kernels take them: fractions as numbers of samples and features."""
    min_samples_leaf = estimator.min_samples_leaf
    if not isinstance(min_samples_leaf, Integral):
        min_samples_leaf = ceil(min_samples_leaf * n_samples)
    min_samples_split = estimator.min_samples_split
    if not isinstance(min_samples_split, Integral):
        min_samples_split = max(2, ceil(min_samples_split * n_samples))
    return {
        "max_depth": or_unlimited(estimator.max_depth),
        "min_samples_split": min(min_samples_split, UNLIMITED),
        "min_samples_leaf": min(min_samples_leaf, UNLIMITED // 2),
        "max_leaf_nodes": or_unlimited(estimator.max_leaf_nodes),
        "max_features": _n_features_tried(estimator.max_features, n_features),
    }


def growth_limits(estimator, n_samples, n_features):
    """Return all of the estimator's limits of growth."""
    return size_limits(estimator, n_samples, n_features) | {
        "min_gain": -np.inf if estimator.min_gain is None else float(estimator.min_gain),
        "max_candidates": or_unlimited(estimator.max_candidates),
    }


def or_unlimited(limit):
    """Return a limit as the kernels take it, of which None sets none."""
    return UNLIMITED if limit is None else min(int(limit), UNLIMITED)


def _n_features_tried(max_features, n_features):
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(np.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(np.log2(n_features)))
    if isinstance(max_features, Integral):
        return min(int(max_features), n_features)
    return max(1, int(max_features * n_features))


def grow(X, codes, weights, n_classes, criterion, limits, seed, **options):
    """Grow one tree on the engine in force; `options` are n_threads, or `rows` and what the trees of a forest share;
    and n_categories where features are categorical.
    """
    arrays = kernel("grow_by_gain")(X, codes, weights, n_classes, criterion, seed=seed, **limits, **options)
    return Tree.from_arrays(arrays, X.shape[1])


@contextmanager
def unchanged_on_error(estimator):
    """Restore the estimator where a fit fails: the last good fit stays whole."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class BaseClassifier(ClassifierMixin, BaseEstimator):
    """Base class of trees and forests."""

    # The parameter that says what judges splits, what finds it by name, how a tree grows, and what limits it.
    _judge_parameter: ClassVar[str] = "criterion"
    _resolve = staticmethod(resolve)
    _grow = staticmethod(grow)
    _limits = growth_limits

    def _judge(self):
        """Return the criterion or distance that judges the splits, as an object."""
        return self._resolve(getattr(self, self._judge_parameter))

    def _validate_X_y(self, X, y):
        """Validate X and y; return X, the codes of y, and the classes that they stand for, in their order."""
        return validate_X_y(self, X, y)

    def _rows_that_count(self, X, y, sample_weight, class_weight, order):
        """Return the samples of weight above zero, in order, and their weights; None for all of them, and for ones."""
        rows = row_order(order, len(X))
        weights = self._row_weights(X, y, sample_weight, class_weight)
        if weights is None:
            return rows, None
        if not weights.all():
            rows = np.arange(len(X)) if rows is None else rows
            rows = rows[weights[rows] > 0]
            if self.is_categorical_ is not None:
                forget_other_rows(self, X, rows)
        return rows, weights if rows is None else weights[rows]

    def _row_weights(self, X, y, sample_weight, class_weight):
        if self._judge().judges == "counts":
            return row_weights(X, y, sample_weight, class_weight)
        for name, given in (("sample_weight", sample_weight), ("class_weight", class_weight)):
            if given is not None:
                raise ValueError(
                    f"{name} cannot be used with {self._judge_parameter}={getattr(self, self._judge_parameter)!r}: it "
                    "judges the sequence of the labels, in which a sample has no weight."
                )
        return None

    def _kinds_of_features(self):
        """Return what kernels are told of the features of X: nothing where all are numeric."""
        return {} if self.is_categorical_ is None else {"n_categories": n_categories(self)}

    def encode(self, X):
        """Encode X as the numbers that the trees compare: codes of categorical features, others as they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
            A category is coded by its place in `categories_`, a value that `fit` has not seen by -1. The methods of
            `tree_`, and what is made of it by ``to_sklearn``, take such samples.

        Raises
        ------
        ValueError
            If X holds missing or infinite values (the column is named) or, with ``handle_unknown="error"``, categories
            that `fit` has not seen.
        """
        check_is_fitted(self)
        return validate_X(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        takes_categories = getattr(self, "categorical_features", None) is not None
        tags.input_tags.categorical = tags.input_tags.string = takes_categories
        return tags

    def predict_log_proba(self, X):
        """Predict the logarithms of `predict_proba`; minus infinity where it is zero.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class BaseTreeClassifier(BaseClassifier):
    """A classifier that is one tree, `tree_`, over the classes `classes_`."""

    _parameter_constraints: ClassVar[dict] = GROWTH_CONSTRAINTS

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X, y, *, sample_weight=None, class_weight=None, order=None):
        with unchanged_on_error(self):
            X, codes, classes = self._validate_X_y(X, y)
            rows, weights = self._rows_that_count(X, classes[codes], sample_weight, class_weight, order)
            if rows is not None:
                X, codes = X[rows], codes[rows]
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            limits = self._limits(*X.shape)
            n_threads = effective_n_jobs(getattr(self, "n_jobs", 1))
            criterion = self._judge().specification(len(classes), rows)
            options = {"n_threads": n_threads, **self._kinds_of_features()}
            tree = self._grow(X, codes, weights, len(classes), criterion, limits, seed, **options)
            self.classes_, self.n_classes_ = classes, len(classes)
            self._keep(tree)
        return self

    def _keep(self, tree):
        """Take over what has been grown."""
        self.tree_ = tree

    def predict(self, X):
        """Predict the class of every sample: the most frequent one in its leaf, the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_samples,), of the classes' dtype
            The predicted classes.
        """
        leaves = self.apply(X)
        return self.classes_.take(self.tree_.majority_at(leaves))

    def predict_proba(self, X):
        """Predict the shares of the classes among the training samples of every sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`.
        """
        leaves = self.apply(X)
        return self.tree_.shares_at(leaves)

    def apply(self, X):
        """Find the leaf that every sample reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Numbers of nodes in `tree_`. A sample whose category none of a node's training samples had stays at that
            node.
        """
        check_is_fitted(self)
        return self.tree_.apply_checked(validate_rows(self, X), self)

    def decision_path(self, X):
        """Find the nodes on the decision path of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, node_count)
            1 where the sample visits the node.
        """
        check_is_fitted(self)
        return self.tree_.decision_path(validate_X(self, X))

    def feature_usage(self, X):
        """Count the samples for which each feature is tested along the decision path.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_features,), int64
            A sample counts once for a feature, however often that is tested.
        """
        check_is_fitted(self)
        return self.tree_.feature_usage(validate_X(self, X))

    def get_depth(self):
        """Return the depth of the tree, in edges.

        Returns
        -------
        int
            The depth; a single leaf has depth 0.
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Return the number of leaves.

        Returns
        -------
        int
            The number of leaves.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self):
        """Share of every feature in the total gain; ndarray of shape (n_features,)."""
        check_is_fitted(self)
        return self.tree_.feature_importances()
