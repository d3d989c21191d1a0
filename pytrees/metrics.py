"""Measures of ordinal classification, and scorers that know the order of an estimator's classes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import cohen_kappa_score
from sklearn.utils import check_consistent_length
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from ._docstrings import described_like
from ._numbers import check_array, within_float64
from ._typing import AnyArray, FloatArray, IntArray, LabelsLike, MatrixLike, OrdinalMetric
from .input.class_scale import ordered_categories
from .input.labels import label_column, together
from .input.validation import check_sample_weight, warn_of_words

__all__ = [
    "accuracy_off_by",
    "amae_scorer",
    "average_mean_absolute_error",
    "mae_scorer",
    "make_ordinal_scorer",
    "maximum_mean_absolute_error",
    "mmae_scorer",
    "off_by_one_scorer",
    "ordinal_mean_absolute_error",
    "qwk_scorer",
    "ranked_probability_score",
    "rps_scorer",
]

# A function of an estimator, samples, the codes of their classes, the classes in order, and weights.
_Score: TypeAlias = Callable[[Any, MatrixLike, IntArray, AnyArray, "ArrayLike | None"], float]


_REMEDY = "Give labels=[...] from the lowest to the highest."


def ranked_probability_score(
    y_true: LabelsLike, y_proba: ArrayLike, *, labels: LabelsLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the ranked probability score (RPS) of ordered classes.

    Eq. 16 of Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees": the mean over the samples of
    sum_q (P(y <= C_q) - [y <= C_q])^2, not divided by Q-1. For two classes it is the squared error of the probability.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes that were observed.
    y_proba : array-like of shape (n_samples, n_classes)
        The probabilities of all classes, from the lowest class to the highest.
    labels : array-like of shape (n_classes,), optional
        All classes, from the lowest to the highest, which is the order of the columns of `y_proba`. By default the
        categories of an ordered pandas Categorical, or else the sorted classes in `y_true`, which must then have all of
        them; three or more words get a warning.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the samples; by default all count alike.

    Returns
    -------
    float
        Between 0, if every sample's class has probability 1, and n_classes - 1. Smaller is better.

    Raises
    ------
    ValueError
        If `y_proba` lacks a column for some class, or has a row that is no distribution (NaN, negative, or with a
        sum other than 1); if `y_true` has a class that is not in `labels`, or `labels` has a class twice.

    See Also
    --------
    rps_scorer : The score, negated, for the ``scoring=`` of scikit-learn.
    ordinal_mean_absolute_error : The mean distance in ranks of predicted classes.
    sklearn.metrics.brier_score_loss : The squared error for two classes.

    Examples
    --------
    The further a probability lies from the class, the more it costs:

    >>> from pytrees.metrics import ranked_probability_score
    >>> levels = ["low", "medium", "high"]
    >>> for probabilities in ([1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]):
    ...     print(ranked_probability_score(["low"], [probabilities], labels=levels))
    0.0
    0.25
    1.0
    2.0
    """
    scale = ordered_categories(y_true)
    y_true = label_column(y_true, "y_true")
    y_proba = _check_probabilities(y_proba)
    if labels is None and scale is not None:
        labels = scale[1]
    check_consistent_length(y_true, y_proba, sample_weight)
    codes = _codes(y_true, _column_order(y_true, labels, y_proba.shape[1]), "y_true")
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, y_true)
    distance = np.cumsum(y_proba, axis=1, dtype=np.float64)
    distance -= codes[:, np.newaxis] <= np.arange(y_proba.shape[1])
    return float(np.average(np.einsum("ij,ij->i", distance, distance), weights=sample_weight))


def ordinal_mean_absolute_error(
    y_true: LabelsLike, y_pred: LabelsLike, *, labels: LabelsLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the mean absolute error in ranks (MAE) of ordered classes, which may be words.

    For classes 0, 1, 2, ... it is :func:`sklearn.metrics.mean_absolute_error`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        The classes that were observed, and predicted.
    labels : array-like of shape (n_classes,), optional
        All classes, from the lowest to the highest. By default the categories of `y_true` if it is an ordered pandas
        Categorical, or else the sorted classes in `y_true` and `y_pred`, which is right if no other class lies between
        them; three or more words get a warning.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the samples; by default all count alike.

    Returns
    -------
    float
        Between 0 and n_classes - 1; smaller is better.

    Raises
    ------
    ValueError
        If `y_true` or `y_pred` has a class that is not in `labels`, or `labels` has a class twice; if their numbers of
        samples differ or are zero; if weights are negative, not finite, or all zero.

    See Also
    --------
    average_mean_absolute_error : The average over the classes.
    mae_scorer : The error, negated, for the ``scoring=`` of scikit-learn.

    Examples
    --------
    >>> from pytrees.metrics import ordinal_mean_absolute_error
    >>> levels = ["low", "medium", "high"]
    >>> ordinal_mean_absolute_error(["low", "high", "low"], ["low", "medium", "high"], labels=levels)
    1.0
    """
    distances, _, weights = _distances(y_true, y_pred, labels, sample_weight)
    return float(np.average(distances, weights=weights))


@described_like(ordinal_mean_absolute_error)
def average_mean_absolute_error(
    y_true: LabelsLike, y_pred: LabelsLike, *, labels: LabelsLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the average of the classes' mean absolute errors in ranks (AMAE).

    Each observed class counts alike, however many samples it has. An error on a rare class shows, unlike in the mean
    absolute error over the samples [1]_.

    Returns
    -------
    float
        Between 0 and n_classes - 1; smaller is better. Classes without an observed sample of weight above zero are left
        out.

    See Also
    --------
    maximum_mean_absolute_error : The error of the class that is predicted worst.
    amae_scorer : The average, negated, for the ``scoring=`` of scikit-learn.
    ordinal_mean_absolute_error : The mean over the samples.

    References
    ----------
    .. [1] S. Baccianella, A. Esuli and F. Sebastiani, "Evaluation measures for ordinal regression", ISDA 2009.

    Examples
    --------
    Eight of nine samples are right, and one class of two is always wrong:

    >>> from pytrees.metrics import average_mean_absolute_error
    >>> levels = ["low", "medium", "high"]
    >>> average_mean_absolute_error(["low"] * 8 + ["high"], ["low"] * 9, labels=levels)
    1.0
    """
    return float(np.mean(_errors_by_class(y_true, y_pred, labels, sample_weight)))


@described_like(average_mean_absolute_error)
def maximum_mean_absolute_error(
    y_true: LabelsLike, y_pred: LabelsLike, *, labels: LabelsLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the greatest of the classes' mean absolute errors in ranks (MMAE).

    It is the error of the class that is predicted worst [1]_.

    Returns
    -------
    float
        Between 0 and n_classes - 1; smaller is better.

    See Also
    --------
    average_mean_absolute_error : The average over the classes.
    mmae_scorer : The maximum, negated, for the ``scoring=`` of scikit-learn.

    References
    ----------
    .. [1] M. Cruz-Ramírez, C. Hervás-Martínez, J. Sánchez-Monedero and P. A. Gutiérrez, "Metrics to guide a
       multi-objective evolutionary algorithm for ordinal classification", Neurocomputing 135, 2014.

    Examples
    --------
    >>> from pytrees.metrics import maximum_mean_absolute_error
    >>> maximum_mean_absolute_error([0, 0, 1, 1, 2], [0, 1, 1, 1, 0])
    2.0
    """
    return float(np.max(_errors_by_class(y_true, y_pred, labels, sample_weight)))


@described_like(average_mean_absolute_error)
def accuracy_off_by(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    k: int = 1,
    labels: LabelsLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of samples whose predicted class is at most k ranks from the observed one.

    With ``k=1`` it is the accuracy off by one, or one-off accuracy; with ``k=0`` the accuracy.

    Parameters
    ----------
    k : int, default=1
        The greatest distance in ranks that counts as right; not negative.

    Returns
    -------
    float
        Between 0 and 1; greater is better.

    Raises
    ------
    ValueError
        As in :func:`average_mean_absolute_error`, or if `k` is no such number.

    See Also
    --------
    off_by_one_scorer : The accuracy off by one, for the ``scoring=`` of scikit-learn.
    sklearn.metrics.accuracy_score : The share of samples whose class is predicted.

    Examples
    --------
    >>> from pytrees.metrics import accuracy_off_by
    >>> y_true, y_pred = [0, 1, 2, 3], [0, 2, 1, 0]
    >>> [accuracy_off_by(y_true, y_pred, k=k) for k in range(4)]
    [0.25, 0.75, 0.75, 1.0]
    """
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 0:
        raise ValueError(f"k must be a whole number that is not negative, got {k!r}.")
    distances, _, weights = _distances(y_true, y_pred, labels, sample_weight)
    return float(np.average(distances <= k, weights=weights))


def _errors_by_class(
    y_true: LabelsLike, y_pred: LabelsLike, labels: LabelsLike | None, sample_weight: ArrayLike | None
) -> FloatArray:
    """Return the mean absolute error of every class that was observed."""
    distances, codes, weights = _distances(y_true, y_pred, labels, sample_weight)
    of_class = np.bincount(codes, weights)
    observed = of_class > 0.0
    return np.bincount(codes, distances if weights is None else distances * weights)[observed] / of_class[observed]


def _distances(
    y_true: LabelsLike, y_pred: LabelsLike, labels: LabelsLike | None, sample_weight: ArrayLike | None
) -> tuple[IntArray, IntArray, FloatArray | None]:
    """Return the distance in ranks, and the rank of the observed class, of every sample; and the checked weights."""
    scale = ordered_categories(y_true)
    y_true, y_pred = label_column(y_true, "y_true"), label_column(y_pred, "y_pred")
    check_consistent_length(y_true, y_pred, sample_weight)
    if len(y_true) == 0:
        raise ValueError("y_true and y_pred have no samples.")
    if labels is not None:
        order = label_column(labels, "labels")
    elif scale is not None:
        order = scale[1]
    else:
        order = _sorted_classes(y_true, y_pred)
        warn_of_words(order, _REMEDY)
    codes, predicted = _codes(y_true, order, "y_true"), _codes(y_pred, order, "y_pred")
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, y_true)
        # Scaled by a power of two, which rounds nothing, so that no sum overflows.
        sample_weight = np.ldexp(sample_weight, -np.frexp(sample_weight.max())[1])
    return np.abs(codes - predicted), codes, sample_weight


def _sorted_classes(y_true: AnyArray, others: AnyArray, name: str = "y_pred") -> AnyArray:
    if (y_true.dtype.kind in "biuf") != (others.dtype.kind in "biuf"):
        raise ValueError(f"y_true and {name} have labels of different kinds, which have no common order: give labels.")
    try:
        return np.unique(together(y_true, others))
    except TypeError as error:
        raise ValueError(f"The classes cannot be sorted: give labels in their order. {error}") from error


def make_ordinal_scorer(metric: OrdinalMetric, *, labels: LabelsLike | None = None) -> _OrdinalScorer:
    """Make a scorer for an estimator whose classes are ordered.

    Classes count by their rank in the order, even if some do not occur in the samples that are scored. `rps_scorer`,
    `mae_scorer`, `amae_scorer`, `mmae_scorer`, `qwk_scorer` and `off_by_one_scorer` are scorers without `labels`.

    Parameters
    ----------
    metric : {"rps", "mae", "amae", "mmae", "qwk", "off_by_one"}
        The ranked probability score, which needs ``predict_proba``; the mean absolute error over the samples, its
        average over the classes, or its maximum, all negated, so that greater is better; Cohen's kappa with quadratic
        weights, which is NaN if only one class occurs; or the accuracy off by one.
    labels : array-like of shape (n_classes,), optional
        All classes, from the lowest to the highest. By default ``estimator.classes_``, or the categories of an ordered
        pandas Categorical y if the estimator knows no order of classes; a class that no training sample
        had, such as a rare one in cross-validation, is then inserted in sorted order. With `labels`, distances do not
        depend on the training samples. Words that an estimator without an order has sorted get a warning.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, *, sample_weight=None)``, for the ``scoring=`` of scikit-learn's functions and
        searches. With metadata routing, ``scorer.set_score_request(sample_weight=True)`` gives one that takes weights.

    Raises
    ------
    ValueError
        If there is no such metric.

    See Also
    --------
    ranked_probability_score : The score that "rps" negates.
    sklearn.metrics.make_scorer : Scorers of any metric, which do not know the order of the classes.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.datasets import make_balance_scale
    >>> from pytrees.metrics import make_ordinal_scorer
    >>> X, y = make_balance_scale()
    >>> scorer = make_ordinal_scorer("mae", labels=[0, 1, 2])
    >>> search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3, 5]}, scoring=scorer).fit(X, y)
    >>> search.best_params_
    {'max_depth': 5}
    """
    return _OrdinalScorer(metric, labels)


class _OrdinalScorer:
    """Score the predictions of a fitted classifier of ordered classes: greater is better.

    :func:`make_ordinal_scorer` names the metrics. Classes count by their rank in ``estimator.classes_``, unless the
    scorer was made with `labels`.

    Parameters
    ----------
    estimator : fitted classifier
        Has ``classes_``, and ``predict_proba`` for the ranked probability score, ``predict`` for the others.
    X : array-like of shape (n_samples, n_features)
        Samples to predict.
    y_true : array-like of shape (n_samples,)
        The classes that were observed.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the samples; by default all count alike.

    See Also
    --------
    make_ordinal_scorer : Scorers with an order of your own.
    ranked_probability_score : The score itself, of given probabilities.
    sklearn.model_selection.cross_val_score : Takes such a scorer as its ``scoring``.

    Examples
    --------
    >>> from pytrees import OrdinalDecisionTreeClassifier
    >>> from pytrees.datasets import load_toy_ordinal
    >>> from pytrees.metrics import mae_scorer, qwk_scorer, rps_scorer
    >>> toy = load_toy_ordinal()
    >>> tree = OrdinalDecisionTreeClassifier(max_depth=1).fit(toy.data, toy.target)
    >>> [scorer(tree, toy.data, toy.target) for scorer in (mae_scorer, qwk_scorer, rps_scorer)]
    [-0.5, 0.8, -0.25]
    """

    def __init__(self, metric: OrdinalMetric, labels: LabelsLike | None = None) -> None:
        if not isinstance(metric, str) or metric not in _SCORES:
            raise ValueError(f"metric must be one of {sorted(_SCORES)}, got {metric!r}.")
        self.metric = metric
        self.labels: AnyArray | None = None if labels is None else label_column(labels, "labels")
        self._set_request(None)

    def __call__(
        self, estimator: Any, X: MatrixLike, y_true: LabelsLike, *, sample_weight: ArrayLike | None = None
    ) -> float:
        if not hasattr(estimator, "classes_"):
            raise ValueError(f"{type(estimator).__name__} has no classes_: it is no classifier, or is not fitted.")
        scale = ordered_categories(y_true)
        y_true = label_column(y_true, "y_true")
        order = self._order(estimator, y_true, None if scale is None else scale[1])
        codes = _codes(y_true, order, "y_true")
        return float(_SCORES[self.metric](estimator, X, codes, order, sample_weight))

    def __repr__(self) -> str:
        labels = "" if self.labels is None else f", labels={self.labels.tolist()!r}"
        return f"make_ordinal_scorer({self.metric!r}{labels})"

    def _order(self, estimator: Any, y_true: AnyArray, scale: AnyArray | None) -> AnyArray:
        """Return all classes, from the lowest to the highest; `scale` has the order of an ordered Categorical."""
        classes = np.asarray(estimator.classes_)
        if self.labels is not None:
            return self.labels
        if not _knows_order(estimator):
            if scale is not None:
                return scale
            if np.array_equal(np.sort(classes), classes):
                warn_of_words(classes, "Give make_ordinal_scorer labels=[...] from the lowest to the highest.")
        if set(classes.tolist()).issuperset(y_true.tolist()):
            return classes
        together = _sorted_classes(y_true, classes, "classes_")
        if not np.array_equal(np.sort(classes), classes):
            raise ValueError("y_true has classes that are not in classes_, which is not sorted: give labels.")
        return together

    def _set_request(self, alias: bool | str | None) -> None:
        self._request = MetadataRequest(owner=self)
        self._request.score.add_request(param="sample_weight", alias=alias)

    def set_score_request(self, *, sample_weight: bool | str | None) -> _OrdinalScorer:
        """Make a scorer that takes sample weights (True), ignores them (False) or refuses them (None)."""
        scorer = copy.copy(self)  # the ready scorers are shared, and must not change
        scorer._set_request(sample_weight)
        return scorer

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the request of the scorer in scikit-learn's metadata routing."""
        return get_routing_for_object(self._request)


def _negated_rps(
    estimator: Any, X: MatrixLike, codes: IntArray, order: AnyArray, sample_weight: ArrayLike | None
) -> float:
    ranks = _codes(np.asarray(estimator.classes_), order, "classes_")
    known = np.asarray(estimator.predict_proba(X))
    y_proba = np.zeros((len(known), len(order)), dtype=known.dtype)
    y_proba[:, ranks] = known
    return -ranked_probability_score(codes, y_proba, labels=np.arange(len(order)), sample_weight=sample_weight)


def _knows_order(estimator: Any) -> bool:
    """Whether an estimator, or the one that a search, a pipeline or FrozenEstimator holds, has classes in an order."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        elif isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        else:
            return bool(getattr(estimator, "_orders_classes", False))


def _of_ranks(metric: Callable[..., float], sign: float = 1.0, **parameters: Any) -> _Score:
    """Return the score of a metric of observed and predicted ranks; `labels` tells it all ranks, also absent ones."""

    def score(
        estimator: Any, X: MatrixLike, codes: IntArray, order: AnyArray, sample_weight: ArrayLike | None
    ) -> float:
        predicted = _codes(label_column(estimator.predict(X), "The prediction"), order, "The prediction")
        ranks = np.arange(len(order))
        if sample_weight is not None:
            sample_weight = check_sample_weight(sample_weight, codes)
        return sign * metric(codes, predicted, labels=ranks, sample_weight=sample_weight, **parameters)

    return score


_SCORES = {
    "rps": _negated_rps,
    "mae": _of_ranks(ordinal_mean_absolute_error, -1.0),
    "amae": _of_ranks(average_mean_absolute_error, -1.0),
    "mmae": _of_ranks(maximum_mean_absolute_error, -1.0),
    "qwk": _of_ranks(cohen_kappa_score, weights="quadratic"),
    "off_by_one": _of_ranks(accuracy_off_by),
}


def _check_probabilities(y_proba: ArrayLike) -> FloatArray:
    """Check that every sample has a distribution; return them as floats."""
    with within_float64("y_proba"):
        y_proba = check_array(y_proba, ensure_2d=False, dtype=[np.float64, np.float32], input_name="y_proba")
    if y_proba.ndim != 2:
        raise ValueError(
            "y_proba must have one column for every class. For two classes, np.column_stack([1 - p, p]) makes them."
        )
    if y_proba.min() < 0.0:
        raise ValueError("y_proba has negative values: they are no probabilities.")
    with np.errstate(over="ignore"):
        total = y_proba.sum(axis=1)
    if not np.allclose(total, 1.0, rtol=np.sqrt(np.finfo(y_proba.dtype).eps), atol=0.0):
        row = int(np.abs(total - 1.0).argmax())
        raise ValueError(f"y_proba has rows that do not sum to one: row {row} sums to {total[row]:g}.")
    return y_proba


def _column_order(y_true: AnyArray, labels: LabelsLike | None, n_columns: int) -> AnyArray:
    """Return the classes of the columns."""
    if labels is not None:
        order = label_column(labels, "labels")
        if len(order) != n_columns:
            raise ValueError(f"labels has {len(order)} classes, but y_proba has {n_columns} columns.")
        return order
    order = np.unique(y_true)
    if len(order) != n_columns:
        raise ValueError(
            f"y_true has {len(order)} classes, but y_proba has {n_columns} columns: give all classes as labels."
        )
    warn_of_words(order, _REMEDY)
    return order


def _codes(values: AnyArray, order: AnyArray, what: str) -> IntArray:
    """Return the rank of every value in the order of the classes."""
    ranks = {label: rank for rank, label in enumerate(order.tolist())}
    if len(ranks) != len(order):
        raise ValueError(f"labels must be different classes, got {order.tolist()!r}.")
    try:
        return np.array([ranks[value] for value in values.tolist()], dtype=np.int64)
    except KeyError as error:
        raise ValueError(f"{what} has the class {error.args[0]!r}, which is not among {order.tolist()!r}.") from None


rps_scorer: _OrdinalScorer = make_ordinal_scorer("rps")
mae_scorer: _OrdinalScorer = make_ordinal_scorer("mae")
amae_scorer: _OrdinalScorer = make_ordinal_scorer("amae")
mmae_scorer: _OrdinalScorer = make_ordinal_scorer("mmae")
qwk_scorer: _OrdinalScorer = make_ordinal_scorer("qwk")
off_by_one_scorer: _OrdinalScorer = make_ordinal_scorer("off_by_one")
