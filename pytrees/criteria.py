"""The criteria that judge splits: by name, as objects with parameters, or your own from one of two base classes."""

import math
import sys
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, ClassVar

from ._engine import load

__all__ = [
    "CRITERIA",
    "CountCriterion",
    "Criterion",
    "RankingImpurity",
    "SequenceCriterion",
    "WeightedInformationGain",
    "resolve",
]

if TYPE_CHECKING:
    from ._core.criteria.user import CountCriterion, SequenceCriterion

_OWN_CRITERIA = "pytrees._core.criteria.user"


def __getattr__(name):
    """Load the base classes of your own criteria when they are asked for: they are compiled, all else here is not."""
    if name in ("CountCriterion", "SequenceCriterion"):
        return getattr(load(_OWN_CRITERIA), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _OwnCriterionType(type):
    def __instancecheck__(cls, candidate):
        module = sys.modules.get(_OWN_CRITERIA)
        return module is not None and isinstance(candidate, (module.CountCriterion, module.SequenceCriterion))


class OwnCriterion(metaclass=_OwnCriterionType):
    """Stand for :class:`CountCriterion` and :class:`SequenceCriterion` where instances are asked for.

    To ask does not load their module, without which there can be no instances.
    """


class Judge:
    """Base class of criteria and distances: has a `name`, and `judges` class counts or label sequences."""

    def specification(self, n_classes, rows=None):
        """Return the judge as the kernels take it.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        rows : ndarray of shape (n_samples,), int64, optional
            The indices, in the X that was fitted, of the samples that the kernels see; by default the same.

        Returns
        -------
        str or tuple
            Its name, or its name and a dict of parameters where it has some.
        """
        parameters = self._parameters(n_classes)
        return (self.name, parameters) if parameters else self.name

    def _parameters(self, n_classes):
        return {}


@dataclass(frozen=True)
class Criterion(Judge):
    """A criterion without parameters, as the Python layer knows it.

    Parameters
    ----------
    name : str
        Its name in the engines.
    judges : {"counts", "sequence"}
        Whether it sees the class counts of the children, to which samples may add different weights, or their label
        sequences in the order of the samples.

    See Also
    --------
    CountCriterion : Base class of your own criterion on class counts.
    SequenceCriterion : Base class of your own criterion on label sequences.
    resolve : The criterion of a name.

    Examples
    --------
    >>> from pytrees.criteria import CRITERIA
    >>> CRITERIA["gini"]
    Criterion(name='gini', judges='counts')
    >>> [name for name, criterion in CRITERIA.items() if criterion.judges == "sequence"]
    ['etc']
    """

    name: str
    judges: str


def _check_scores(class_scores, n_classes):
    if class_scores is None:
        return
    if len(class_scores) != n_classes:
        raise ValueError(f"class_scores has {len(class_scores)} scores for {n_classes} classes.")
    for lower, higher in pairwise(class_scores):
        if not lower < higher:
            raise ValueError(f"class_scores must increase from class to class, got {lower} before {higher}.")


def _as_scores(class_scores):
    """Return a tuple of floats, which compares and hashes; None stays None."""
    if class_scores is None:
        return None
    scores = tuple(float(score) for score in class_scores)
    if not all(math.isfinite(score) for score in scores):
        raise ValueError(f"class_scores must be finite numbers, got {class_scores}.")
    return scores


@dataclass(frozen=True)
class WeightedInformationGain(Judge):
    """Information gain of an entropy in which classes count by their distance from the node's most frequent class.

    Gain of the weighted entropy -sum of w_q p_q log2 p_q, in bits, with w_q = abs(v_q - v_mode)**alpha divided by the
    sum of these over all classes (Eqs. 8 to 10 of [1]_); of equally frequent classes the mode is the lowest, and each
    child has its own. Gains can be negative. They are compared with a tolerance of 1e-12 · max(1, abs(best)).

    Parameters
    ----------
    alpha : float, default=1.0
        Not negative; the greater, the more distant classes count.
    class_scores : sequence of float of shape (n_classes,) or None, default=None
        The scores v_q of the classes, increasing. None: 0, 1, 2, ...

    Raises
    ------
    ValueError
        If alpha is negative or class scores do not increase; at fitting if they are not as many as there are classes.

    See Also
    --------
    RankingImpurity : Another criterion for ordered classes, of pairs of samples.
    OrdinalDecisionTreeClassifier : Trees for ordered classes, which take either.

    References
    ----------
    .. [1] R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study", 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.criteria import WeightedInformationGain
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(WeightedInformationGain(alpha=2.0), max_depth=2).fit(X, y)
    >>> tree.get_n_leaves()
    4
    """

    alpha: float = 1.0
    class_scores: tuple | None = None

    name: ClassVar[str] = "wig"
    judges: ClassVar[str] = "counts"

    def __post_init__(self):
        if not isinstance(self.alpha, Real) or not 0.0 <= self.alpha < math.inf:
            raise ValueError(f"alpha must be a number that is not negative, got {self.alpha!r}.")
        object.__setattr__(self, "class_scores", _as_scores(self.class_scores))
        _check_scores(self.class_scores, len(self.class_scores or ()))

    def _parameters(self, n_classes):
        _check_scores(self.class_scores, n_classes)
        return {"alpha": float(self.alpha), "class_scores": self.class_scores}


@dataclass(frozen=True)
class RankingImpurity(Judge):
    """Gain of the ranking impurity: pairs of samples of different classes, counted by the distance of the classes.

    The impurity is the sum over the pairs of classes j < q of (v_q - v_j) N_q N_j (Eq. 11 of [1]_). With class scores
    that are whole numbers gains are compared exactly, otherwise with a tolerance.

    Parameters
    ----------
    weighted : bool, default=True
        Weight children by their share of the samples (Eq. 12 of [1]_); otherwise they count fully, as in [2]_.
    class_scores : sequence of float of shape (n_classes,) or None, default=None
        The scores v_q of the classes, increasing. None: 0, 1, 2, ...

    Raises
    ------
    ValueError
        If class scores do not increase; at fitting if they are not as many as there are classes.

    See Also
    --------
    WeightedInformationGain : Another criterion for ordered classes, of entropies.
    OrdinalDecisionTreeClassifier : Trees for ordered classes, which take either.

    References
    ----------
    .. [1] R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study", 2024.
    .. [2] F. Xia, W. Zhang and J. Wang, "An effective tree-based algorithm for ordinal regression", IEEE Intelligent
       Informatics Bulletin 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.criteria import RankingImpurity
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(RankingImpurity(class_scores=[0, 1, 4]), max_depth=2).fit(X, y)
    >>> tree.get_n_leaves()
    4
    """

    weighted: bool = True
    class_scores: tuple | None = None

    name: ClassVar[str] = "ranking"
    judges: ClassVar[str] = "counts"

    def __post_init__(self):
        object.__setattr__(self, "class_scores", _as_scores(self.class_scores))
        _check_scores(self.class_scores, len(self.class_scores or ()))

    def _parameters(self, n_classes):
        _check_scores(self.class_scores, n_classes)
        return {"weighted": bool(self.weighted), "class_scores": self.class_scores}


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion("gini", judges="counts"),
        Criterion("entropy", judges="counts"),
        Criterion("ogini", judges="counts"),
        WeightedInformationGain(),
        RankingImpurity(),
        Criterion("gain_ratio", judges="counts"),
        Criterion("nvi", judges="counts"),
        Criterion("jaccard", judges="counts"),
        Criterion("accuracy", judges="counts"),
        Criterion("mae", judges="counts"),
        Criterion("etc", judges="sequence"),
    )
}


def resolve(criterion):
    """Return the criterion of a name, or the object itself.

    Parameters
    ----------
    criterion : str or criterion
        A name in `CRITERIA`, or an object.

    Returns
    -------
    criterion
        The object.

    See Also
    --------
    pytrees.distances.resolve : The same for distances between clusterings.
    Criterion : What a name stands for, unless the criterion has parameters.

    Examples
    --------
    >>> from pytrees.criteria import RankingImpurity, resolve
    >>> resolve("ranking") == RankingImpurity()
    True
    >>> resolve(RankingImpurity(weighted=False)).weighted
    False
    """
    return CRITERIA[criterion] if isinstance(criterion, str) else criterion
