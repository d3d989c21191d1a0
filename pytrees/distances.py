"""Distances between two clusterings of the same samples, by name or as objects; they judge the splits of ID3 trees.

>>> from pytrees.distances import clustering_distance
>>> clustering_distance([0, 0, 1, 1], [0, 1, 1, 1], "accuracy")
0.25
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from . import criteria
from ._engine import config_context, kernel
from ._judges import Judge, TreeSize, judges_sets, with_sets_of
from ._numbers import check_array, within_float64
from ._typing import AnyArray, DistanceName, FloatArray, IntArray, LabelsLike, MatrixLike, is_real
from .input.labels import label_column, positions_in, together

__all__ = [
    "DISTANCES",
    "ConcaveOfModular",
    "Coverage",
    "Distance",
    "FacilityLocation",
    "GraphCut",
    "GroupedCardinality",
    "JaccardDistance",
    "MatroidRank",
    "clustering_distance",
    "resolve",
]


@dataclass(frozen=True)
class Distance(Judge):
    """A distance without parameters.

    Parameters
    ----------
    name : str
        Its name in the engines.
    is_similarity : bool, default=False
        Whether it grows as the clusterings come closer, so that trees maximise it.
    knows_the_tree : bool, default=True
        Whether it can judge whole trees; otherwise it judges only the splits of single leaves.

    See Also
    --------
    JaccardDistance : A distance with parameters.
    clustering_distance : The value of a distance for given labels and predictions.
    resolve : The distance of a name.

    Examples
    --------
    >>> from pytrees.distances import DISTANCES
    >>> DISTANCES["nvi"]
    Distance(name='nvi', is_similarity=False, knows_the_tree=True)
    >>> [name for name, distance in DISTANCES.items() if distance.is_similarity]
    ['information_gain', 'gain_ratio']
    """

    name: str
    is_similarity: bool = False
    knows_the_tree: bool = True

    judges: ClassVar[str] = "counts"


class JaccardDistance(Judge):
    """The extended Jaccard distance, with the number of samples or another set function f, and a rule for no samples.

    D_f(T, Y) = sum over the classes i of (f(T_i Δ Y_i) - f(∅)) / f(T_i ∪ Y_i), where T_i are the samples that are
    predicted to be of class i and Y_i the samples of class i (Section 1.1 of [1]_). It is a metric if f is nonnegative,
    monotone and submodular, as most ready functions of this module are; this is not checked.

    With another function than the number of samples, trees grow on the reference engine, in pure Python, and call f for
    every class and every candidate: it is for data of some hundred samples. Distances are compared with a tolerance of
    1e-12 · max(1, abs(best)), and samples have no weights.

    Parameters
    ----------
    function : callable or None, default=None
        Takes an ndarray of sample indices, ascending, int64, possibly empty, and returns a number. None: the number of
        samples, exactly and on either engine, as by the name ``"jaccard"``.
    absent_classes : {"equal", "different"}, default="equal"
        The term of a class whose quotient is 0 / 0, as neither clustering has samples of it, or its union has f = 0.
        ``"equal"``: 0, as two empty sets are equal. ``"different"``: 1, as if the distance were the number of all
        classes less the sum of similarities. The formula of [1]_ is the second; the code of [1]_ uses one rule in whole
        trees and the other in leaves. It matters when leaves with different classes are compared, in local evaluation
        and with ``ties="local"``: ``"equal"`` prefers leaves of few classes.

    See Also
    --------
    ConcaveOfModular : Weighted numbers of samples, and their square roots.
    Coverage : The number of different values of the features.
    clustering_distance : The value of a distance for given labels and predictions.
    ID3Classifier : Grows trees that are near to the classes by a distance.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.

    Examples
    --------
    >>> from pytrees.distances import ConcaveOfModular, JaccardDistance, clustering_distance
    >>> clustering_distance([0, 0, 1, 1], [0, 1, 1, 1], JaccardDistance(len))
    0.8333333333333333
    >>> cost = ConcaveOfModular([1.0, 5.0, 1.0, 1.0])
    >>> clustering_distance([0, 0, 1, 1], [0, 1, 1, 1], JaccardDistance(cost))
    1.5476190476190477
    >>> different = JaccardDistance(absent_classes="different")
    >>> clustering_distance([0, 0, 1, 1], [0, 1, 1, 1], different, labels=[0, 1, 2])
    1.8333333333333333
    """

    name: ClassVar[str] = "jaccard"
    is_similarity: ClassVar[bool] = False
    knows_the_tree: ClassVar[bool] = True
    judges: ClassVar[str] = "counts"

    def __init__(
        self,
        function: Callable[[IntArray], float] | None = None,
        absent_classes: Literal["equal", "different"] = "equal",
    ) -> None:
        self.function = function
        self.absent_classes = absent_classes
        self._parameters(2)  # checks them; again at fitting, because set_params may change parameters

    @property
    def _judges_sets(self) -> bool:
        return self.function is not None

    def _parameters(self, n_classes: int) -> dict[str, Any]:
        if self.absent_classes not in ("equal", "different"):
            raise ValueError(f"absent_classes must be 'equal' or 'different', got {self.absent_classes!r}.")
        if self.function is not None and not callable(self.function):
            raise ValueError(f"function must be callable, got {self.function!r}.")
        parameters = {} if self.absent_classes == "equal" else {"absent_classes": self.absent_classes}
        return parameters if self.function is None else parameters | {"function": self.function}


class _SetFunction:
    """Base class of ready set functions: takes an array of sample indices, and returns a number.

    All functions are nonnegative, submodular, and 0 for no samples. `is_monotone` says whether a function never falls
    as samples are added, which makes the Jaccard distance a metric. `n_samples` is the number of samples that a
    function knows, None if it takes any samples.
    """

    is_monotone: ClassVar[bool] = True
    n_samples: int | None = None


def _as_numbers(values: ArrayLike, name: str, n_dimensions: int) -> FloatArray:
    """Return an array of finite numbers that are not negative."""
    with within_float64(name):
        values = check_array(values, dtype=np.float64, ensure_2d=False, input_name=name)
    if values.ndim != n_dimensions:
        raise ValueError(f"{name} must have {n_dimensions} dimension(s), got {values.ndim}.")
    if (values < 0).any():
        raise ValueError(f"{name} must not be negative, got {values.min()}.")
    return values


def _check_power_and_cap(power: object, cap: object) -> None:
    if not is_real(power) or not 0.0 < power <= 1.0:
        raise ValueError(f"power must be a number above 0 and at most 1, got {power!r}.")
    if cap is not None and (not is_real(cap) or not 0.0 < cap < math.inf):
        raise ValueError(f"cap must be a positive number or None, got {cap!r}.")


def _concave(numbers: Any, power: float, cap: float | None) -> Any:
    """Return min(number, cap) ** power."""
    return np.minimum(numbers, math.inf if cap is None else float(cap)) ** float(power)


class ConcaveOfModular(_SetFunction):
    """A concave function of the samples' weights, added up: f(A) = min(sum of weights in A, cap) ** power.

    Monotone and submodular. Without parameters it is the number of samples. With `power=0.5` it is the square root,
    and samples added to a small set count more. With weights of classes, errors on rare classes count more.

    Parameters
    ----------
    weights : array-like of shape (n_samples,) or None, default=None
        The samples' weights, not negative. None: 1.
    power : float, default=1.0
        Above 0 and at most 1.
    cap : float or None, default=None
        The greatest sum that counts. None: no limit.

    Raises
    ------
    ValueError
        If weights are negative, or power or cap are out of bounds.

    See Also
    --------
    JaccardDistance : The distance that takes such functions.
    GroupedCardinality : The same for every group, added up.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.utils.class_weight import compute_sample_weight
    >>> from pytrees import ID3Classifier
    >>> from pytrees.distances import ConcaveOfModular, JaccardDistance
    >>> ConcaveOfModular(power=0.5)([3, 8, 9, 12])
    2.0
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[40:110:2], y[40:110:2]
    >>> distance = JaccardDistance(ConcaveOfModular(compute_sample_weight("balanced", y)))
    >>> tree = ID3Classifier(distance, evaluation="global", stop="no_decrease").fit(X, y)
    >>> tree.get_n_leaves()
    3
    """

    weights: FloatArray | None
    power: float
    cap: float | None
    n_samples: int | None

    def __init__(self, weights: ArrayLike | None = None, *, power: float = 1.0, cap: float | None = None) -> None:
        _check_power_and_cap(power, cap)
        self.weights = None if weights is None else _as_numbers(weights, "weights", 1)
        self.power, self.cap = power, cap
        self.n_samples = None if self.weights is None else len(self.weights)

    def __call__(self, rows: IntArray) -> float:
        """Return f of the samples of these indices."""
        return float(_concave(len(rows) if self.weights is None else self.weights[rows].sum(), self.power, self.cap))


class GroupedCardinality(_SetFunction):
    """Concave functions of the numbers of samples in groups, added up: f(A) = sum of min(abs(A ∩ G), cap) ** power.

    Monotone and submodular. With `cap=1` and `power=1` it counts the groups that A has samples of; with a greater cap
    it is the rank of a partition matroid.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        The group of every sample: labels of any kind that can be sorted, such as patients, or the classes.
    power : float, default=0.5
        Above 0 and at most 1.
    cap : float or None, default=None
        The greatest number of samples of a group that counts. None: no limit.

    Raises
    ------
    ValueError
        If power or cap are out of bounds.

    See Also
    --------
    JaccardDistance : The distance that takes such functions.
    ConcaveOfModular : The same for all samples together.

    Examples
    --------
    >>> from pytrees.distances import GroupedCardinality
    >>> patients = GroupedCardinality(["a", "a", "a", "b", "c"], power=1.0, cap=1)
    >>> patients([0, 1, 3])
    2.0
    """

    groups: AnyArray
    codes: IntArray
    power: float
    cap: float | None
    n_samples: int | None

    def __init__(self, groups: LabelsLike, *, power: float = 0.5, cap: float | None = None) -> None:
        _check_power_and_cap(power, cap)
        self.groups, self.codes = np.unique(label_column(groups, "groups"), return_inverse=True)
        self.power, self.cap = power, cap
        self.n_samples = len(self.codes)

    def __call__(self, rows: IntArray) -> float:
        """Return f of the samples of these indices."""
        return float(_concave(np.bincount(self.codes[rows]), self.power, self.cap).sum())


class Coverage(_SetFunction):
    """The weight of the feature values in a set of samples: f(A) = sum over the features of w times their number.

    Monotone and submodular: it counts every value of a feature once. Two classes that share few values are far apart.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples; values of any kind that can be sorted. Continuous features are better binned before.
    weights : array-like of shape (n_features,) or None, default=None
        The weights of the features, not negative. None: 1.

    Raises
    ------
    ValueError
        If there is not one weight a feature, or one is negative.

    See Also
    --------
    JaccardDistance : The distance that takes such functions.
    FacilityLocation : How well a set represents all samples.

    Examples
    --------
    >>> from pytrees.distances import Coverage
    >>> Coverage([["red", "small"], ["red", "large"], ["blue", "large"]])([0, 1])
    3.0
    """

    codes: IntArray
    weights: FloatArray
    n_samples: int | None

    def __init__(self, X: MatrixLike, weights: ArrayLike | None = None) -> None:
        X = check_array(X, dtype=None)
        self.codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
        self.weights = np.ones(X.shape[1]) if weights is None else _as_numbers(weights, "weights", 1)
        if len(self.weights) != X.shape[1]:
            raise ValueError(f"weights has {len(self.weights)} numbers for {X.shape[1]} features.")
        self.n_samples = len(X)

    def __call__(self, rows: IntArray) -> float:
        """Return f of the samples of these indices."""
        covered = [len(np.unique(column)) for column in self.codes[rows].T]
        return float(np.dot(self.weights, covered))


class FacilityLocation(_SetFunction):
    """Measure how well a set represents all samples: f(A) = sum over all samples i of max over j in A of s_ij.

    Monotone and submodular.

    Parameters
    ----------
    similarity : array-like of shape (n_samples, n_samples)
        The similarities s_ij, not negative, such as :func:`sklearn.metrics.pairwise.rbf_kernel` gives.

    Raises
    ------
    ValueError
        If similarities are negative, or the matrix is not square.

    See Also
    --------
    JaccardDistance : The distance that takes such functions.
    GraphCut : Another function of similarities.

    Examples
    --------
    >>> from pytrees.distances import FacilityLocation
    >>> FacilityLocation([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])([0])
    1.5
    """

    similarity: FloatArray
    n_samples: int | None

    def __init__(self, similarity: ArrayLike) -> None:
        self.similarity = _as_square(similarity, "similarity")
        self.n_samples = len(self.similarity)

    def __call__(self, rows: IntArray) -> float:
        """Return f of the samples of these indices."""
        return float(self.similarity[:, rows].max(axis=1, initial=0.0).sum())


class MatroidRank(_SetFunction):
    """The dimension of the space that a set of samples spans: f(A) = rank of the rows of X in A.

    Monotone and submodular, because it is the rank of a linear matroid. :func:`numpy.linalg.matrix_rank` computes it
    in floating point.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, of finite numbers.

    See Also
    --------
    JaccardDistance : The distance that takes such functions.
    GroupedCardinality : The rank of a partition matroid.

    Examples
    --------
    >>> from pytrees.distances import MatroidRank
    >>> MatroidRank([[1, 0, 0], [0, 1, 0], [1, 1, 0]])([0, 1, 2])
    2.0
    """

    X: FloatArray
    n_samples: int | None

    def __init__(self, X: ArrayLike) -> None:
        with within_float64("X"):
            self.X = check_array(X, dtype=np.float64)
        self.n_samples = len(self.X)

    def __call__(self, rows: IntArray) -> float:
        """Return f of the samples of these indices."""
        return float(np.linalg.matrix_rank(self.X[rows])) if len(rows) else 0.0


class GraphCut(_SetFunction):
    """The weight of the edges between a set of samples and all others: f(A) = sum over i in A, j not in A of w_ij.

    Submodular, but not monotone, as all samples together have no edge to others: its Jaccard distance need not be a
    metric.

    Parameters
    ----------
    weights : array-like of shape (n_samples, n_samples)
        The weights w_ij of the edges, not negative; edges from a sample to itself do not count.

    Raises
    ------
    ValueError
        If weights are negative, or the matrix is not square.

    See Also
    --------
    JaccardDistance : The distance that takes such functions.
    FacilityLocation : A monotone function of similarities.

    Examples
    --------
    >>> from pytrees.distances import GraphCut
    >>> GraphCut([[0, 1, 2], [1, 0, 0], [2, 0, 0]])([0])
    3.0
    """

    is_monotone: ClassVar[bool] = False
    weights: FloatArray
    n_samples: int | None

    def __init__(self, weights: ArrayLike) -> None:
        self.weights = _as_square(weights, "weights")
        self.n_samples = len(self.weights)

    def __call__(self, rows: IntArray) -> float:
        """Return f of the samples of these indices."""
        others = np.ones(len(self.weights), dtype=bool)
        others[rows] = False
        return float(self.weights[np.ix_(rows, np.flatnonzero(others))].sum())


def _as_square(values: ArrayLike, name: str) -> FloatArray:
    values = _as_numbers(values, name, 2)
    if values.shape[0] != values.shape[1]:
        raise ValueError(f"{name} must have one row and one column for every sample, got shape {values.shape}.")
    return values


DISTANCES = {
    distance.name: distance
    for distance in (
        Distance("information_gain", is_similarity=True),
        Distance("gain_ratio", is_similarity=True),
        Distance("nvi"),
        Distance("nvi_sum"),
        Distance("nvi_max"),
        Distance("vi"),
        Distance("gini"),
        Distance("jaccard"),
        Distance("accuracy"),
        Distance("mae"),
    )
}


def resolve(distance: Any) -> Any:
    """Return the distance of a name, or else the criterion of that name; or the object itself.

    Parameters
    ----------
    distance : str, distance or criterion
        A name, or an object.

    Returns
    -------
    distance or criterion
        The object.

    Raises
    ------
    ValueError
        If neither a distance nor a criterion has this name.

    See Also
    --------
    pytrees.criteria.resolve : The same for criteria alone.
    Distance : The object behind a name.

    Examples
    --------
    >>> from pytrees.distances import resolve
    >>> resolve("gini")
    Distance(name='gini', is_similarity=False, knows_the_tree=True)
    >>> resolve("ogini")
    Criterion(name='ogini', judges='counts', has_impurity=True)
    """
    if not isinstance(distance, str):
        return distance
    if distance == TreeSize.name:
        return TreeSize()
    return DISTANCES.get(distance) or criteria.resolve(distance)


def clustering_distance(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    distance: DistanceName | JaccardDistance = "information_gain",
    *,
    labels: LabelsLike | None = None,
) -> float:
    """Compute a distance between the clustering of samples by predicted class, T, and that by true class, Y.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Class labels of any kind that can be sorted.
    distance : {"information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini", "jaccard", "accuracy", \
            "mae"} or JaccardDistance, default="information_gain"
        With P(A) the share of the samples that are in A, and entropies H in bits (Section 1.1 of [1]_); a quotient by
        an entropy of 0 makes the whole distance 0:

        - ``"information_gain"``: H(Y) - H(Y | T), a similarity;
        - ``"gain_ratio"``: the information gain divided by H(T), a similarity;
        - ``"nvi"``: 1 - Gain / H(T ∩ Y), the normalised variation of information;
        - ``"nvi_sum"``: 1 - 2 Gain / (H(T) + H(Y)), one minus the normalised mutual information with the arithmetic
          mean, NMI_sum in Table 2 of [2]_;
        - ``"nvi_max"``: 1 - Gain / max(H(T), H(Y)), the normalised information distance, one minus NMI_max in Table 2
          of [2]_;
        - ``"vi"``: H(T | Y) + H(Y | T) = H(T) + H(Y) - 2 Gain, the variation of information, in bits [3]_;
        - ``"gini"``: sum over clusters of P(T_i) (1 - sum over classes of P(Y_j | T_i)²);
        - ``"jaccard"``: sum over the classes of 1 - abs(T_i ∩ Y_i) / abs(T_i ∪ Y_i), if the union is not empty;
        - ``"accuracy"``: the share of samples with a wrong prediction;
        - ``"mae"``: the mean of abs(i - j) for the indices i of the predicted and j of the true class among the sorted
          classes; for ordered classes, and not in [1]_.
    labels : array-like of shape (n_classes,), optional
        All classes, in any order; by default the classes in `y_true` and `y_pred`. Further ones matter to ``"mae"``,
        and to a JaccardDistance with ``absent_classes="different"``.

    Returns
    -------
    float
        The distance, or the similarity for the two similarities.

    Raises
    ------
    ValueError
        If there is no such distance, lengths differ, there are no samples, or a class is not among `labels`.
    TypeError
        If labels cannot be sorted, such as bytes among numbers.

    See Also
    --------
    JaccardDistance : The extended Jaccard distance under another set function.
    ID3Classifier : Grows trees that are near to the classes by a distance.
    sklearn.metrics.normalized_mutual_info_score : One minus ``"nvi_sum"``; with ``average_method="max"`` one minus
        ``"nvi_max"``.

    Notes
    -----
    Costs O(n_samples log n_samples + n_classes²). n log2 n is taken from a table in whole multiples of 2**-30 bit.

    ``"vi"``, ``"nvi"`` and ``"nvi_max"`` are metrics, ``"nvi_sum"`` is not [2]_. The variation of information divided
    by log2 n, the normalisation of [3]_, has no name: on the same n samples it is proportional to ``"vi"``, and prefers
    the same trees and splits. Neither has 1 - Gain / sqrt(H(T) H(Y)): scikit-learn's score with
    ``average_method="geometric"`` is one minus it.

    All are symmetric but ``"gain_ratio"`` and ``"gini"``.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.
    .. [2] N. X. Vinh, J. Epps and J. Bailey, "Information Theoretic Measures for Clusterings Comparison", Journal of
       Machine Learning Research 11, 2010.
    .. [3] M. Meila, "Comparing clusterings - an information based distance", Journal of Multivariate Analysis 98, 2007.

    Examples
    --------
    >>> from pytrees.distances import clustering_distance
    >>> clustering_distance([0, 0, 1, 1], [0, 1, 0, 1], "vi")
    2.0
    >>> clustering_distance(["a", "a", "b", "b"], ["a", "b", "b", "b"], "jaccard")
    0.8333333333333333
    >>> clustering_distance([0, 0, 1, 1], [1, 1, 0, 0], "information_gain")
    1.0
    """
    if not (isinstance(distance, JaccardDistance) or (isinstance(distance, str) and distance in DISTANCES)):
        raise ValueError(f"distance must be one of {sorted(DISTANCES)} or a JaccardDistance, got {distance!r}.")
    y_true, y_pred = label_column(y_true, "y_true"), label_column(y_pred, "y_pred")
    check_consistent_length(y_true, y_pred)
    if not len(y_true):
        raise ValueError("There are no samples: a distance needs at least one.")
    try:
        classes, codes = _encoded(together(y_true, y_pred), labels)
    except TypeError as error:
        raise TypeError(f"y_true and y_pred hold labels that cannot be sorted: {error}.") from error
    n_classes, true, predicted = len(classes), codes[: len(y_true)], codes[len(y_true) :]
    specification = resolve(distance).specification(n_classes)
    if judges_sets(specification):
        clusterings = [[np.flatnonzero(y == label) for label in range(n_classes)] for y in (predicted, true)]
        with config_context(engine="reference"):
            return kernel("set_distance")(with_sets_of(specification, len(y_true)), *clusterings)
    table = np.bincount(predicted * n_classes + true, minlength=n_classes**2).reshape(n_classes, n_classes)
    return kernel("table_distance")(table.astype(np.int64), specification)


def _encoded(y: AnyArray, labels: LabelsLike | None) -> tuple[AnyArray, IntArray]:
    """Return the sorted classes, and the code of every sample's class."""
    if labels is None and y.dtype.kind != "O":
        return np.unique(y, return_inverse=True)
    classes = y if labels is None else label_column(labels, "labels")
    if classes.dtype.kind == "O":  # numbers and strings can be two clusterings of the same samples
        listed = sorted(set(classes.tolist()), key=lambda label: (isinstance(label, str), label))
        classes = np.fromiter(listed, dtype=object, count=len(listed))
    else:
        classes = np.unique(classes)
    codes = positions_in(y, classes)
    if (codes < 0).any():
        raise ValueError(f"labels must have all classes, and lacks {y[codes < 0].tolist()[0]!r}.")
    return classes, codes
