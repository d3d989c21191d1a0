"""A classifier that is a few orthogonal trees, distilled from any ensemble."""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._sklearn import HasMethods, Interval, fit_context, rows_of
from .._typing import AnyArray, FloatArray, LabelsLike, MatrixLike, Measure, RandomState
from ..input.validation import row_weights, validate_X, validate_X_y
from ..trees.base import BaseClassifier, BaseTreeClassifier, unchanged_on_error
from ..trees.forest import DecisionForestClassifier
from .additive import AdditiveModel, additive_for, reader_of
from .aggregated import AggregatedFourierTreeClassifier
from .base import (
    REBUILD_CONSTRAINTS,
    MadeOfTreesMixin,
    as_the_trees_take_it,
    check_are_known,
    fitted_to,
    nearest_shares,
    refuse_numbers,
    scale_of,
    scores_of_classes,
)
from .codes import with_value
from .distilled import DistilledModel, distilled
from .measures import measure_of
from .rebuild import Limits

__all__ = ["DistilledTreesClassifier"]


@described_like(AggregatedFourierTreeClassifier)
class DistilledTreesClassifier(MadeOfTreesMixin, BaseClassifier):
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
        :func:`export_sql` take. Two classes have one output, for the last class; more classes have one output each,
        with the same splits. `value` holds the numbers that a leaf adds; `weighted_n_node_samples` the probabilities
        of the nodes under the measure.
    intercept_ : ndarray of shape (n_outputs,), float64
        The mean of the ensemble, which is added to the trees.
    distilled_ : DistilledModel
        The same trees as a model: it has the exact loss, the variance of every tree, and `plot`.

    See Also
    --------
    pytrees.fourier.distil : The function, which takes regressors too.
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
    >>> print(export_text(few.trees_[0, 0], feature_names=few.feature_names_in_, precision=2, show_weights=False))
    petal length (cm) <= 4.75 (gain 0.18)
    |   value -0.33
    petal length (cm) > 4.75
    |   petal width (cm) <= 1.70 (gain 0.03)
    |   |   value 0.16
    |   petal width (cm) > 1.70
    |   |   value 0.64
    """

    trees_: NDArray[np.object_]
    intercept_: FloatArray
    distilled_: DistilledModel

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left")],
        **{name: REBUILD_CONSTRAINTS[name] for name in ("max_depth", "measure", "random_state", "verbose")},
    }

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_trees: int = 1,
        max_leaf_nodes: int = 32,
        max_depth: int | None = None,
        measure: Measure = "empirical",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_trees = n_trees
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.measure = measure
        self.random_state = random_state
        self.verbose = verbose

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
        with unchanged_on_error(self):
            given = DecisionForestClassifier() if self.estimator is None else self.estimator
            refuse_numbers(self, [given])
            if isinstance(given, FrozenEstimator):
                additive = additive_for(given, X)
                checked, _, classes = as_the_trees_take_it(self, additive.codes, X, y)
                weights = row_weights(checked, y, sample_weight, None)
            else:
                reader_of(given)  # an estimator that cannot be read is not fitted first
                checked, labels, classes = validate_X_y(self, X, y)
                weights = row_weights(checked, y, sample_weight, None)
                y = classes[labels] if scale_of(y) is None else y
                additive = additive_for(fitted_to(clone(given), self.random_state, X, y, weights), X)
                if weights is not None and not weights.all():
                    kept = np.flatnonzero(weights)  # the estimator has not learned categories of other samples
                    X, y, weights = rows_of(X, kept), rows_of(y, kept), weights[kept]
                _, _, classes = as_the_trees_take_it(self, additive.codes, X, y)
            check_are_known(classes, _classes_of(additive))
            self._distil(additive, X, weights)
        return self

    def _distil(self, additive: AdditiveModel, X: MatrixLike, weights: AnyArray | None) -> None:
        """Distil a model, and keep the trees."""
        of_samples = isinstance(self.measure, str) and self.measure in ("empirical", "joint")
        rows = additive.codes.transform(X) if of_samples else None
        under = measure_of(self.measure, additive.cardinalities, rows, weights)
        limits = Limits("variance", 0.0, self.max_depth, self.max_leaf_nodes, None)
        few = distilled(additive, under, self.n_trees, limits, self.verbose)
        trees: NDArray[np.object_] = np.empty((len(few.values), few.n_outputs), dtype=object)
        for t, (tree, values) in enumerate(few.decoded):
            masses = tree.value.sum(axis=1)
            for output in range(few.n_outputs):
                trees[t, output] = with_value(tree, values[:, [output]], weighted_n_node_samples=masses)
        self._know(_classes_of(additive))
        self.trees_, self.intercept_, self.distilled_ = trees, few.baseline, few

    @described_like(BaseTreeClassifier.predict_proba)
    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the probabilities of the classes from the sums of the leaves."""
        check_is_fitted(self)
        X = validate_X(self, X)
        outputs = np.tile(self.intercept_, (len(X), 1))
        for trees in self.trees_:
            leaves = trees[0]._apply_valid(X)
            outputs += np.hstack([tree.value[leaves] for tree in trees])
        return _probabilities(outputs, self.distilled_, self.n_classes_)

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
