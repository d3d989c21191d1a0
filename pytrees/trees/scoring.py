"""The method `score` of classifiers and regressors, which reads y as `fit` does.

scikit-learn's own makes floats of nullable integers, which can become equal, and reads past the mask of masked arrays.
"""

from __future__ import annotations

from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin

from .._typing import LabelsLike, MatrixLike
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
    """Mixin of regressors: their score is the coefficient of determination."""

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
        return float(super().score(X, numbers_of(y, "y"), sample_weight))
