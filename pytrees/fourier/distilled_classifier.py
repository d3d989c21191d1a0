"""A classifier that is a few orthogonal trees, distilled from any ensemble."""

from __future__ import annotations

import re
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, softmax

from .._docstrings import described_like
from .._sklearn import fit_context
from .._typing import AnyArray, FloatArray, LabelsLike, MatrixLike
from ..input.validation import validate_X_y
from ..trees.base import BaseClassifier, BaseModel, BaseTreeClassifier
from ..trees.forest import DecisionForestClassifier
from .additive import AdditiveModel
from .aggregated import AggregatedFourierTreeClassifier
from .base import (
    as_the_trees_take_it,
    check_are_known,
    nearest_shares,
    refuse_numbers,
    scale_of,
    scores_of_classes,
)
from .codes import OrdinalCodes
from .distilled_trees import DistilledTreesMixin

__all__ = ["DistilledTreesClassifier"]


@described_like(AggregatedFourierTreeClassifier)
class DistilledTreesClassifier(DistilledTreesMixin, BaseClassifier):
    """A few orthogonal trees in place of an ensemble: :func:`pytrees.fourier.distil` as a classifier.

    The ensemble, a boosted one too, is fitted. Then TCFS makes a tree of its function, and every further tree of the
    rest that the trees before it leave. The numbers at the leaves add up, with `intercept_`, to the probabilities of a
    forest or to the margins of boosting.

    If `estimator` takes missing values, so do `fit` and `predict`. The trees send them to the right of a threshold, or
    part them from all numbers; of a feature that lacked no values in `fit`, to the child of more weight.

    Parameters
    ----------
    estimator : classifier, FrozenEstimator of one, or None, default=None
        Any classifier that :func:`pytrees.fourier.additive_model` reads, of pytrees, scikit-learn, XGBoost or LightGBM.
        It is cloned and fitted, unless :class:`sklearn.frozen.FrozenEstimator` wraps a fitted one. None: a
        :class:`DecisionForestClassifier`.
    n_trees : int, default=1
        Number of trees; there are fewer if they already are the ensemble, or if nothing orthogonal to them is left.
    max_leaf_nodes : int, default=32
        Greatest number of leaves of a tree.
    max_depth : int or None, default=None
        Greatest depth of a tree.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="empirical"
        The measure under which the trees are nearest to the ensemble, as in :func:`pytrees.fourier.gram`. Under
        ``"joint"`` only the samples in X count, which take fewer leaves, and say nothing about the points between them.
    verbose : int, default=0
        Show progress bars on standard error.

    Attributes
    ----------
    trees_ : ndarray of shape (n_trees, n_outputs), of Tree
        The trees on the original features, as trees of numbers that :func:`export_text`, :func:`plot_tree` and
        :func:`export_sql` take, with the names of features and categories. Two classes have one output, for the last
        class; more classes have one output each, with the same splits. `value` holds the numbers that a leaf adds;
        `weighted_n_node_samples` the probabilities of the nodes under the measure.
    intercept_ : ndarray of shape (n_outputs,), float64
        The mean of the ensemble, which is added to the trees.
    distilled_ : DistilledModel
        The same trees as a model: it has the exact loss, the variance of every tree, and `plot`.

    See Also
    --------
    DistilledTreesRegressor : The same for numbers.
    pytrees.fourier.distil : The function.
    OrthogonalTreesClassifier : The principal components of the trees' votes.
    AggregatedFourierTreeClassifier : One tree of the mean vote.

    Notes
    -----
    Probabilities come from sums of leaves: for forests the nearest shares of classes, in squares; for boosting by its
    link function.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionForestClassifier, DistilledTreesClassifier, export_text
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = DecisionForestClassifier(20, random_state=0)
    >>> few = DistilledTreesClassifier(forest, n_trees=2, max_leaf_nodes=3, measure="joint").fit(X, y == 2)
    >>> few
    DistilledTreesClassifier(estimator=DecisionForestClassifier(n_estimators=20,
                                                                random_state=0),
                             max_leaf_nodes=3, measure='joint', n_trees=2)
    >>> bool(few.score(X, y == 2) > 0.95)
    True
    >>> few.intercept_.round(3)
    array([0.332])
    >>> print(export_text(few.trees_[0, 0], precision=2, show_weights=False))
    petal length (cm) <= 4.75 (gain 0.18)
    |   value -0.33
    petal length (cm) > 4.75
    |   petal width (cm) <= 1.70 (gain 0.03)
    |   |   value 0.16
    |   petal width (cm) > 1.70
    |   |   value 0.64
    """

    @fit_context(prefer_skip_nested_validation=False)
    @described_like(AggregatedFourierTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the ensemble, and distil it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, or NaN if `estimator` takes it; in categorical features, values that `estimator` takes.
            If the ensemble is fitted already, X serves only the measures of samples.

        Raises
        ------
        TypeError
            If `estimator` is a regressor, or no model that :func:`pytrees.fourier.additive_model` takes.
        ValueError
            As in :func:`pytrees.fourier.additive_model`; if X holds missing values that `estimator` refuses; if X or y
            do not match an ensemble that is fitted already; if weights are negative or all zero, or `estimator` takes
            none; if there is no way from the margins to probabilities.
        """
        self._fit(X, y, sample_weight)
        return self

    def _given(self) -> Any:
        given = DecisionForestClassifier() if self.estimator is None else self.estimator
        refuse_numbers(self, [given])
        return given

    def _checked(self, X: Any, y: Any, codes: OrdinalCodes | None = None) -> tuple[FloatArray, Any, AnyArray]:
        if codes is None:
            checked, labels, classes = validate_X_y(self, X, y)
        else:
            checked, labels, classes = as_the_trees_take_it(self, codes, X, y)
        knows_scales = isinstance(self.estimator, BaseModel)  # others would convert the categories of y
        return checked, y if knows_scales and scale_of(y) is not None else classes[labels], classes

    def _outcome(self, additive: AdditiveModel, classes: AnyArray | None) -> AnyArray:
        known = _classes_of(additive)
        check_are_known(np.asarray(classes), known)
        return known

    @described_like(BaseTreeClassifier.predict_proba)
    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the probabilities of the classes from the sums of the leaves."""
        return _probabilities(self._sums(X), self.distilled_, self.n_classes_)

    @described_like(BaseTreeClassifier.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of the greatest probability, the lowest of several."""
        decided = self.predict_proba(X).argmax(axis=1)
        return self.classes_[decided]


def _scale_of_logits(link: str | None) -> float:
    """Return the factor that makes log-odds of margins of one output; 0 if they have another link function."""
    if link == "logit of half":
        return 2.0
    named = re.fullmatch(r"sigmoid\((.+)\)", str(link))
    return 1.0 if link == "logit" else float(named[1]) if named else 0.0


def _classes_of(model: AdditiveModel) -> AnyArray:
    """Return the classes of a model; raise ValueError if it knows none, or if its outputs give no probabilities."""
    is_logistic = model.link == "softmax" or (model.n_outputs == 1 and _scale_of_logits(model.link) != 0.0)
    if model.output != "probability" and not (model.output == "margin" and is_logistic):
        raise ValueError(
            f"The {model.output}s of this classifier, of link function {model.link}, give no probabilities: those of "
            "softmax and logistic links do."
        )
    if model.classes is None:
        raise ValueError("The model does not know its classes: give a classifier.")
    return np.asarray(model.classes)


def _probabilities(outputs: FloatArray, model: AdditiveModel, n_classes: int) -> FloatArray:
    """Return the probabilities of the classes that belong to the outputs of a model."""
    if model.output == "probability":
        return nearest_shares(scores_of_classes(outputs, n_classes))
    if model.link == "softmax":
        return np.asarray(softmax(outputs, axis=1))
    logits = outputs * _scale_of_logits(model.link)
    return np.hstack([expit(-logits), expit(logits)])
