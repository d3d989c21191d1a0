"""The method `score` of classifiers and regressors, which reads y as `fit` does.

scikit-learn's own makes floats of nullable integers, which can become equal, and reads past the mask of masked arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin

from .._numbers import exponent_of, times_power
from .._typing import FloatArray, LabelsLike, MatrixLike
from ..input.labels import labels_of, numbers_of


class ScoredClassifier(ClassifierMixin):
    """Mixin of classifiers: their score is the accuracy."""

    def score(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of `predict`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        float
            The share of samples whose class is predicted.
        """
        return float(super().score(X, labels_of(y), sample_weight))


class ScoredRegressor(RegressorMixin):
    """Mixin of regressors: their score is the coefficient of determination, the same in every unit of the targets."""

    if TYPE_CHECKING:

        def predict(self, X: MatrixLike) -> FloatArray: ...

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the coefficient of determination, R², of `predict`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.
        y : array-like of shape (n_samples,)
            The true targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        float
            1 minus the share of the squared errors in the squared distances from the mean target.
        """
        return r2(numbers_of(y, "y"), self.predict(X), sample_weight)


def r2(y_true: ArrayLike, y_pred: FloatArray, sample_weight: ArrayLike | None = None) -> float:
    """Return scikit-learn's R², in units of targets and weights in which squares neither overflow nor vanish."""
    from sklearn.metrics import r2_score  # here: it takes longer to import than all of this package

    y, weights = np.asarray(y_true), None if sample_weight is None else np.asarray(sample_weight)
    if y.dtype.kind in "biuf" and np.all(np.isfinite(y)):
        exponent = exponent_of(y, y_pred) + 1
        y, y_pred = times_power(y, -exponent), times_power(y_pred, -exponent)
    if weights is not None and weights.dtype.kind in "biuf" and np.all(np.isfinite(weights)):
        weights = times_power(weights, -exponent_of(weights))
    return float(r2_score(y, y_pred, sample_weight=weights))
