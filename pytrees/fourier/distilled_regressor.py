"""A regressor that is a few orthogonal trees, distilled from any ensemble."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import is_classifier

from .._docstrings import described_like
from .._sklearn import fit_context
from .._typing import AnyArray, FloatArray, LabelsLike, MatrixLike
from ..input.validation import validate_coded_X_numbers, validate_X_numbers
from ..trees.regression_forest import DecisionForestRegressor
from ..trees.regression_tree import BaseRegressor, DecisionTreeRegressor
from .additive import AdditiveModel
from .base import coded_by
from .codes import OrdinalCodes
from .distilled_classifier import DistilledTreesClassifier
from .distilled_trees import DistilledTreesMixin

__all__ = ["DistilledTreesRegressor"]

# The inverse link functions of regressors that give margins.
_INVERSE: dict[str, Callable[[FloatArray], FloatArray]] = {"log": np.exp, "logit": expit}


@described_like(DistilledTreesClassifier)
class DistilledTreesRegressor(DistilledTreesMixin, BaseRegressor):
    """A few orthogonal trees in place of an ensemble: :func:`pytrees.fourier.distil` as a regressor.

    The ensemble, a boosted one too, is fitted. Then TCFS makes a tree of its function, and every further tree of the
    rest that the trees before it leave. The numbers at the leaves add up, with `intercept_`, to the ensemble's
    prediction, or to its margin if it has a link function.

    Missing values go as in :class:`DistilledTreesClassifier`.

    Parameters
    ----------
    estimator : regressor, FrozenEstimator of one, or None, default=None
        Any regressor of one number that :func:`pytrees.fourier.additive_model` reads, of pytrees, scikit-learn, XGBoost
        or LightGBM. It is cloned and fitted, unless :class:`sklearn.frozen.FrozenEstimator` wraps a fitted one. None: a
        :class:`DecisionForestRegressor`.

    Attributes
    ----------
    trees_ : ndarray of shape (n_trees, 1), of Tree
        The trees on the original features, as trees of numbers that :func:`export_text`, :func:`plot_tree` and
        :func:`export_sql` take, with the names of features and categories. `value` holds the numbers that a leaf adds;
        `weighted_n_node_samples` the probabilities of the nodes under the measure.
    intercept_ : ndarray of shape (1,), float64
        The mean of the ensemble, which is added to the trees.

    See Also
    --------
    pytrees.fourier.distil : The function, which takes regressors of several numbers too.
    DistilledTreesClassifier : The same for classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from pytrees import DecisionForestRegressor, DistilledTreesRegressor, export_text
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = DecisionForestRegressor(20, max_depth=5, random_state=0)
    >>> few = DistilledTreesRegressor(forest, max_leaf_nodes=4, measure="joint").fit(X, y)
    >>> few.distilled_
    <DistilledModel of 1 trees, 4 leaves, 0.79 of the variance>
    >>> few.intercept_.round(1)
    array([152.5])
    >>> print(export_text(few.trees_[0, 0], precision=2, show_weights=False))
    s5 <= 0.00 (gain 1444.58)
    |   bmi <= 0.006 (gain 577.13)
    |   |   value -51.12
    |   bmi > 0.006
    |   |   value 7.30
    s5 > 0.00
    |   bmi <= 0.01 (gain 744.37)
    |   |   value 9.47
    |   bmi > 0.01
    |   |   value 64.06
    """

    @fit_context(prefer_skip_nested_validation=False)
    @described_like(DistilledTreesClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the ensemble, and distil it.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Targets: finite numbers.

        Raises
        ------
        TypeError
            If `estimator` is a classifier, or no model that :func:`pytrees.fourier.additive_model` takes.
        ValueError
            As in :func:`pytrees.fourier.additive_model`; if X holds missing values that `estimator` refuses; if y holds
            no finite numbers; if X does not match an ensemble that is fitted already; if weights are negative or all
            zero, or `estimator` takes none; if the ensemble predicts several numbers, or margins from which there is no
            way to numbers.
        """
        self._fit(X, y, sample_weight)
        return self

    def _given(self) -> Any:
        given = DecisionForestRegressor() if self.estimator is None else self.estimator
        if is_classifier(given):
            raise TypeError(
                f"DistilledTreesRegressor is a regressor and takes regressors, got a {type(given).__name__}. "
                "DistilledTreesClassifier takes classifiers."
            )
        return given

    def _checked(self, X: Any, y: Any, codes: OrdinalCodes | None = None) -> tuple[FloatArray, Any, None]:
        if codes is None:
            return *validate_X_numbers(self, X, y), None
        return *validate_coded_X_numbers(self, X, y, coded_by(self, codes, X)), None

    def _outcome(self, additive: AdditiveModel, classes: AnyArray | None) -> None:
        if additive.n_outputs > 1:
            raise ValueError(
                f"The ensemble predicts {additive.n_outputs} numbers, and DistilledTreesRegressor takes regressors of "
                "one: distil makes trees with several numbers at their leaves."
            )
        if additive.output != "value" and additive.link not in _INVERSE:
            raise ValueError(
                f"The {additive.output}s of this regressor, of link function {additive.link}, give no numbers: those "
                "of logarithmic and logistic links do."
            )

    @described_like(DecisionTreeRegressor.predict)
    def predict(self, X: MatrixLike) -> FloatArray:
        """Predict the numbers of samples: the sums of the leaves, by the inverse of a link function."""
        sums = self._sums(X)[:, 0]
        return sums if self.distilled_.output == "value" else _INVERSE[str(self.distilled_.link)](sums)
