"""Distances between two clusterings of the same samples, which judge the splits of ID3 trees; by name or as objects.

>>> from pytrees.distances import clustering_distance
>>> clustering_distance([0, 0, 1, 1], [0, 1, 1, 1], "accuracy")
0.25
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from . import criteria
from ._engine import config_context, kernel

__all__ = ["DISTANCES", "Distance", "JaccardDistance", "clustering_distance", "resolve"]

_REMEMBERED_SETS = 4096


@dataclass(frozen=True)
class Distance(criteria.Judge):
    """A distance without parameters, as the Python layer knows it.

    Parameters
    ----------
    name : str
        Its name in the engines.
    is_similarity : bool, default=False
        Whether it grows as the clusterings come closer, and so is maximised.
    knows_the_tree : bool, default=True
        Whether it can judge whole trees; otherwise it judges the splits of single leaves only.

    See Also
    --------
    JaccardDistance : A distance with a parameter, which no name stands for.
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


@dataclass(frozen=True)
class JaccardDistance(criteria.Judge):
    """The extended Jaccard distance under a set function f other than the number of samples.

    D_f(T, Y) = sum over the classes i of (f(T_i Δ Y_i) - f(∅)) / f(T_i ∪ Y_i), where T_i are the samples that are
    predicted to be of class i and Y_i those that are (Section 1.1 of [1]_). It is a metric where f is nonnegative,
    monotone and submodular, which is not checked. A class whose union has f = 0 adds nothing.

    Trees under it grow on the reference engine, in pure Python, and call f for every class and every candidate: it is
    for data of some hundred samples. Distances are compared with a tolerance of 1e-12 · max(1, abs(best)), and samples
    have no weights.

    Parameters
    ----------
    function : callable
        Takes an ndarray of sample indices, ascending, int64, possibly empty, and returns a number.

    See Also
    --------
    clustering_distance : The value of a distance for given labels and predictions.
    ID3Classifier : Grows trees that are near to the classes by a distance.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.

    Examples
    --------
    >>> from pytrees.distances import JaccardDistance, clustering_distance
    >>> clustering_distance([0, 0, 1, 1], [0, 1, 1, 1], JaccardDistance(len))
    0.8333333333333333
    >>> cost = [1.0, 5.0, 1.0, 1.0]
    >>> clustering_distance([0, 0, 1, 1], [0, 1, 1, 1], JaccardDistance(lambda rows: sum(cost[row] for row in rows)))
    1.5476190476190477
    """

    function: Callable

    name: ClassVar[str] = "jaccard"
    is_similarity: ClassVar[bool] = False
    knows_the_tree: ClassVar[bool] = True
    judges: ClassVar[str] = "counts"

    def __post_init__(self):
        if not callable(self.function):
            raise ValueError(f"function must be callable, got {self.function!r}.")

    def _parameters(self, n_classes):
        return {"function": _of_lists(self.function)}


def _of_lists(function):
    """Return the set function as the reference calls it, which asks for many sets again and again."""

    @lru_cache(maxsize=_REMEMBERED_SETS)
    def of_rows(rows):
        given = function(np.array(rows, dtype=np.int64))
        if not isinstance(given, Real):
            raise ValueError(f"The set function of a JaccardDistance must give real numbers, got {given!r}.")
        value = float(given)
        if not 0.0 <= value < math.inf:
            raise ValueError(f"A set function must give finite numbers that are not negative, got {value}.")
        return value

    return lambda rows: of_rows(tuple(rows))


DISTANCES = {
    distance.name: distance
    for distance in (
        Distance("information_gain", is_similarity=True),
        Distance("gain_ratio", is_similarity=True),
        Distance("nvi"),
        Distance("gini"),
        Distance("jaccard"),
        Distance("accuracy"),
        Distance("mae"),
    )
}


@dataclass(frozen=True)
class TreeSize(criteria.Judge):
    """Delta_mts: the sizes of the smallest consistent trees of both sides of a split, added (Section 3.1 of [1]_).

    It depends on the samples and not on their class counts alone, and judges single leaves. With it ID3 grows the
    smallest tree.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.
    """

    name: ClassVar[str] = "mts"
    judges: ClassVar[str] = "counts"


def resolve(distance):
    """Return the distance of a name, or else the criterion of that name; or the object itself.

    Parameters
    ----------
    distance : str, distance or criterion
        A name, or an object.

    Returns
    -------
    distance or criterion
        The object.

    See Also
    --------
    pytrees.criteria.resolve : The same for criteria alone.
    Distance : What a name stands for.

    Examples
    --------
    >>> from pytrees.distances import resolve
    >>> resolve("gini")
    Distance(name='gini', is_similarity=False, knows_the_tree=True)
    >>> resolve("ogini")
    Criterion(name='ogini', judges='counts')
    """
    if distance == TreeSize.name:
        return TreeSize()
    if isinstance(distance, str):
        return DISTANCES.get(distance) or criteria.resolve(distance)
    return distance


def clustering_distance(y_true, y_pred, distance="information_gain"):
    """Compute a distance between the clustering of samples by predicted class, T, and that by true class, Y.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Class labels of any kind that can be sorted; the classes are those of both.
    distance : {"information_gain", "gain_ratio", "nvi", "gini", "jaccard", "accuracy", "mae"} or JaccardDistance, \
            default="information_gain"
        With P(A) the share of the samples that are in A, and entropies H in bits (Section 1.1 of [1]_):

        - ``"information_gain"``: H(Y) - H(Y | T), a similarity;
        - ``"gain_ratio"``: the same by H(T), a similarity; 0 where H(T) = 0;
        - ``"nvi"``: 1 - Gain / H(T ∩ Y), the normalised variation of information; 0 where H(T ∩ Y) = 0;
        - ``"gini"``: sum over clusters of P(T_i) (1 - sum over classes of P(Y_j | T_i)²);
        - ``"jaccard"``: sum over the classes of 1 - abs(T_i ∩ Y_i) / abs(T_i ∪ Y_i), where the union is not empty;
        - ``"accuracy"``: the share of samples with a wrong prediction;
        - ``"mae"``: the mean of abs(i - j), i and j being the indices of the predicted and the true class among the
          sorted classes; for ordered classes, and not in [1]_.

    Returns
    -------
    float
        The distance, or the similarity for the two similarities.

    Raises
    ------
    ValueError
        If there is no such distance, lengths differ, or there are no samples.

    See Also
    --------
    JaccardDistance : The extended Jaccard distance under another set function.
    ID3Classifier : Grows trees that are near to the classes by a distance.
    sklearn.metrics.normalized_mutual_info_score : A related similarity, with other normalisations.

    Notes
    -----
    Costs O(n_samples log n_samples + n_classes²). n log2 n is taken from a table in whole multiples of 2**-30 bit.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.

    Examples
    --------
    >>> from pytrees.distances import clustering_distance
    >>> clustering_distance(["a", "a", "b", "b"], ["a", "b", "b", "b"], "jaccard")
    0.8333333333333333
    >>> clustering_distance([0, 0, 1, 1], [1, 1, 0, 0], "information_gain")
    1.0
    """
    if not (isinstance(distance, JaccardDistance) or (isinstance(distance, str) and distance in DISTANCES)):
        raise ValueError(f"distance must be one of {sorted(DISTANCES)} or a JaccardDistance, got {distance!r}.")
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    if not len(y_true):
        raise ValueError("There are no samples: a distance needs at least one.")
    classes, codes = np.unique(np.concatenate([y_true, y_pred]), return_inverse=True)
    n_classes, true, predicted = len(classes), codes[: len(y_true)], codes[len(y_true) :]
    if isinstance(distance, JaccardDistance):
        clusterings = [[np.flatnonzero(y == label) for label in range(n_classes)] for y in (predicted, true)]
        with config_context(engine="reference"):
            return kernel("set_distance")(_of_lists(distance.function), *clusterings)
    table = np.bincount(predicted * n_classes + true, minlength=n_classes**2).reshape(n_classes, n_classes)
    return kernel("table_distance")(table.astype(np.int64), distance)
