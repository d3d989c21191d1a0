"""The criteria that judge splits: names, objects with parameters, and base classes of criteria of your own.

:func:`impurity` and :func:`gain` apply them to given class counts.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ._engine import kernel, load
from ._judges import OWN_BASES, OWN_CRITERIA, Judge, OwnCriterion, check_costs
from ._numbers import check_array, within_float64
from ._typing import (
    CountCriterionName,
    FloatArray,
    ImpurityName,
    is_real,
)
from ._weights import measured_on_grid

__all__ = [
    "ALIASES",
    "CRITERIA",
    "CountCriterion",
    "Criterion",
    "RankingImpurity",
    "SequenceCriterion",
    "SumCriterion",
    "WeightedInformationGain",
    "gain",
    "impurity",
    "resolve",
]

if TYPE_CHECKING:
    from ._core.criteria.user import CountCriterion, SequenceCriterion, SumCriterion


def __getattr__(name: str) -> Any:
    """Load the base classes of a user's own criteria when they are asked for: only they are compiled."""
    if name in OWN_BASES:
        return getattr(load(OWN_CRITERIA), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class Criterion(Judge):
    """A criterion without parameters.

    Parameters
    ----------
    name : str
        Its name in the engines.
    judges : {"counts", "sequence", "numbers"}
        Whether the criterion sees the class counts of the children, to which samples may add different weights, or the
        label sequences of the children in the order of the samples, or weighted sums of numbers.
    has_impurity : bool, default=True
        Whether a gain is the impurity of the node less the impurities of its children.

    See Also
    --------
    CountCriterion : Base class of your own criterion on class counts.
    SequenceCriterion : Base class of your own criterion on label sequences.
    SumCriterion : Base class of your own criterion on targets that are numbers.
    resolve : The criterion of a name.

    Examples
    --------
    >>> from pytrees.criteria import CRITERIA
    >>> CRITERIA["gini"]
    Criterion(name='gini', judges='counts', has_impurity=True)
    >>> [name for name, criterion in CRITERIA.items() if criterion.judges == "sequence"]
    ['etc', 'lz76']
    """

    name: str
    judges: str
    has_impurity: bool = True


def _checked_scores(class_scores: Iterable[float] | None, n_classes: int | None = None) -> tuple[float, ...] | None:
    """Return class scores as a tuple of increasing finite floats, one for each class if `n_classes` is given."""
    if class_scores is None:
        return None
    try:
        with within_float64("class_scores"):
            scores = tuple(float(score) for score in class_scores)
    except TypeError as error:
        raise TypeError(f"class_scores must be a sequence of numbers, got {class_scores!r}.") from error
    if not all(math.isfinite(score) for score in scores):
        raise ValueError(f"class_scores must be finite numbers, got {class_scores}.")
    if n_classes is not None and len(scores) != n_classes:
        raise ValueError(f"class_scores has {len(scores)} scores for {n_classes} classes.")
    for lower, higher in pairwise(scores):
        if not lower < higher:
            raise ValueError(f"class_scores must increase from class to class, got {lower} before {higher}.")
    return scores


def _power(base: float, exponent: float) -> float:
    """Return base**exponent, or infinity if a float does not hold it."""
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def _checked_costs(cost_matrix: ArrayLike | None, n_classes: int | None = None) -> list[list[float]] | None:
    """Return the costs of pairs as a symmetric list of lists of floats; None stays None."""
    if cost_matrix is None:
        return None
    costs = check_costs(cost_matrix, n_classes)
    if costs.diagonal().any():
        raise ValueError("cost_matrix must be zero on the diagonal: a pair of samples of one class costs nothing.")
    if np.triu(costs).any() and not np.array_equal(costs, costs.T):
        raise ValueError(
            "cost_matrix must be symmetric, or zero above the diagonal: a pair of samples has no order, and one cost."
        )
    return np.maximum(costs, costs.T).tolist()


class WeightedInformationGain(Judge):
    """Information gain of an entropy in which classes count by their distance from the node's most frequent class.

    Gain of the weighted entropy -sum of w_q p_q log2 p_q, in bits, with w_q = abs(v_q - v_mode)**alpha divided by their
    sum over all classes (Eqs. 8 to 10 of [1]_). The mode is the lowest of the most frequent classes, and each child has
    its own. Gains can be negative. They are compared with a tolerance of 1e-12 · max(1, abs(best)).

    Parameters
    ----------
    alpha : float, default=1.0
        Not negative; a greater one gives distant classes more weight.
    class_scores : sequence of float of shape (n_classes,) or None, default=None
        The scores v_q of the classes, increasing. None: 0, 1, 2, ...
    normalize_over : {"all", "present"}, default="all"
        The classes over which weights sum to one: all, as in the equation, or the classes present in the node, for its
        children too, as in the published code of [1]_.
    distance_from : {"mode", "highest"}, default="mode"
        The class from which distances are taken: the mode v_mode, or the highest of all classes, a variant that [1]_
        cites. With the highest class, a node and its children have the same weights, and no gain is negative but for
        rounding; `normalize_over` then only scales a node's gains.

    Raises
    ------
    ValueError
        If alpha is negative, class scores do not increase, or another parameter is none of its choices; at fitting also
        if there is not one score for every class, or if alpha is too large for the scores.

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

    The parameters can be searched together with the parameters of the tree:

    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(tree, {"criterion__alpha": [0.5, 1.0, 2.0]}).fit(X, y)
    >>> search.best_params_
    {'criterion__alpha': 0.5}
    """

    name: ClassVar[str] = "wig"
    judges: ClassVar[str] = "counts"
    has_impurity: ClassVar[bool] = True

    def __init__(
        self,
        alpha: float = 1.0,
        class_scores: Sequence[float] | None = None,
        normalize_over: Literal["all", "present"] = "all",
        distance_from: Literal["mode", "highest"] = "mode",
    ) -> None:
        self.alpha = alpha
        self.class_scores = class_scores
        self.normalize_over = normalize_over
        self.distance_from = distance_from
        self._checked_scores()  # again at fitting, because set_params may change parameters

    def _checked_scores(self, n_classes: int | None = None) -> tuple[float, ...] | None:
        if not is_real(self.alpha) or not 0.0 <= self.alpha < math.inf:
            raise ValueError(f"alpha must be a number that is not negative, got {self.alpha!r}.")
        for name, choices in (("normalize_over", ("all", "present")), ("distance_from", ("mode", "highest"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, got {getattr(self, name)!r}.")
        return _checked_scores(self.class_scores, n_classes)

    def _parameters(self, n_classes: int) -> dict[str, Any]:
        scores, alpha = self._checked_scores(n_classes), float(self.alpha)
        span = n_classes - 1.0 if scores is None else scores[-1] - scores[0]
        if not math.isfinite(n_classes * _power(span, alpha)):
            raise ValueError(
                f"alpha={self.alpha!r} is too large for class scores over a range of {span:.3g}: the weights of the "
                "classes would be infinite."
            )
        return {
            "alpha": alpha,
            "class_scores": scores,
            "normalize_over": self.normalize_over,
            "distance_from": self.distance_from,
        }


class RankingImpurity(Judge):
    """Gain of the ranking impurity: pairs of samples of different classes, weighted by the distance of the classes.

    The impurity is the sum over the pairs of classes j < q of (v_q - v_j) N_q N_j, or of other costs of the pairs
    (Eq. 11 of [1]_). If class scores or costs are whole numbers, gains are compared exactly, otherwise with a
    tolerance.

    Parameters
    ----------
    weighted : bool, default=True
        Weight children by their share of the samples (Eq. 12 of [1]_); otherwise they count fully, as in [2]_.
    class_scores : sequence of float of shape (n_classes,) or None, default=None
        The scores v_q of the classes, increasing. None: 0, 1, 2, ...
    cost_matrix : array-like of float of shape (n_classes, n_classes) or None, default=None
        The cost of a pair of samples, in place of v_q - v_j: not negative, and zero for pairs of one class. A pair has
        no order: the matrix is symmetric, or zero above the diagonal. None: the distances of the class scores.

    Raises
    ------
    ValueError
        If class scores do not increase, if the costs are no such matrix, or if both are given; at fitting also if there
        are scores or costs for another number of classes.

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

    The same tree, by costs of pairs of classes:

    >>> criterion = RankingImpurity(cost_matrix=[[0, 1, 4], [1, 0, 3], [4, 3, 0]])
    >>> DecisionTreeClassifier(criterion, max_depth=2).fit(X, y).tree_ == tree.tree_
    True
    """

    name: ClassVar[str] = "ranking"
    judges: ClassVar[str] = "counts"
    has_impurity: ClassVar[bool] = True

    def __init__(
        self, weighted: bool = True, class_scores: Sequence[float] | None = None, cost_matrix: ArrayLike | None = None
    ) -> None:
        self.weighted = weighted
        self.class_scores = class_scores
        self.cost_matrix = cost_matrix
        self._checked()  # again at fitting, because set_params may change parameters

    def _checked(self, n_classes: int | None = None) -> tuple[tuple[float, ...] | None, list[list[float]] | None]:
        """Return class scores and costs of pairs."""
        if self.class_scores is not None and self.cost_matrix is not None:
            raise ValueError("class_scores and cost_matrix both say what a pair of classes costs: give one of them.")
        return _checked_scores(self.class_scores, n_classes), _checked_costs(self.cost_matrix, n_classes)

    def _greatest_sum(self, total: float, n_classes: int) -> float:
        scores, costs = self._checked(n_classes)
        greatest = n_classes if scores is None else max(1.0, abs(scores[0]), abs(scores[-1]))
        if costs is not None:
            greatest = max(1.0, *map(max, costs))
        return 4.0 * n_classes * greatest * total * total

    def _parameters(self, n_classes: int) -> dict[str, Any]:
        scores, costs = self._checked(n_classes)
        return {"weighted": bool(self.weighted), "class_scores": scores, "cost_matrix": costs}


# Any criterion as an object.
_AnyCriterion: TypeAlias = "Criterion | WeightedInformationGain | RankingImpurity | CountCriterion | SequenceCriterion"

CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion("gini", judges="counts"),
        Criterion("entropy", judges="counts"),
        Criterion("ogini", judges="counts"),
        WeightedInformationGain(),
        RankingImpurity(),
        Criterion("gain_ratio", judges="counts", has_impurity=False),
        Criterion("nvi", judges="counts", has_impurity=False),
        Criterion("nvi_sum", judges="counts", has_impurity=False),
        Criterion("nvi_max", judges="counts", has_impurity=False),
        Criterion("vi", judges="counts", has_impurity=False),
        Criterion("jaccard", judges="counts", has_impurity=False),
        Criterion("accuracy", judges="counts", has_impurity=False),
        Criterion("mae", judges="counts", has_impurity=False),
        Criterion("etc", judges="sequence"),
        Criterion("lz76", judges="sequence"),
    )
}

# Further names of criteria, from scikit-learn.
ALIASES = {"log_loss": "entropy"}


def resolve(criterion: Any) -> Any:
    """Return the criterion of a name, or the object itself.

    Parameters
    ----------
    criterion : str or criterion
        A name in `CRITERIA`, or another one in `ALIASES`, or an object.

    Returns
    -------
    criterion
        The object; for a name of a criterion with parameters, a new one.

    Raises
    ------
    ValueError
        If no criterion has this name.

    See Also
    --------
    pytrees.distances.resolve : The same for distances between clusterings.
    Criterion : The object that a name stands for, unless the criterion has parameters.

    Examples
    --------
    >>> from pytrees.criteria import RankingImpurity, resolve
    >>> resolve("ranking") == RankingImpurity()
    True
    >>> resolve(RankingImpurity(weighted=False)).weighted
    False
    >>> resolve("log_loss")
    Criterion(name='entropy', judges='counts', has_impurity=True)
    """
    if not isinstance(criterion, str):
        return criterion
    found = CRITERIA.get(ALIASES.get(criterion, criterion))
    if found is None:
        raise ValueError(f"There is no criterion {criterion!r}; there are {sorted(CRITERIA | ALIASES)}.")
    # A copy, so that set_params does not change what the name stands for; without parameters nothing can change.
    return found if isinstance(found, Criterion) else copy.copy(found)


def impurity(criterion: ImpurityName | _AnyCriterion, counts: ArrayLike) -> float | FloatArray:
    """Compute the impurity of nodes from their class counts.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "ogini", "wig", "ranking"} or criterion object
        The measure of impurity; entropies, also called ``"log_loss"``, are in bits. The other criteria on class counts
        have a gain, but no impurity.
    counts : array-like of shape (..., n_classes)
        Class counts of the nodes, or sums of sample weights: not negative. Ordinal criteria need the classes in their
        order.

    Returns
    -------
    float or ndarray of shape (...,), float64
        The impurities; a node without samples has 0. For whole numbers with a sum below 2**24, an exact criterion gives
        the double nearest to the exact impurity; other impurities are computed in floating point.

    Raises
    ------
    ValueError
        If there is no such criterion, or if it judges label sequences or has no impurity; if counts are negative, not
        finite, or too great for a result that is finite, or if they are single numbers, without an axis of classes.

    See Also
    --------
    gain : The decrease of impurity by a cut.
    pytrees.effort_to_compress : The impurity of a label sequence.
    pytrees.lempel_ziv_complexity : Another one.

    Notes
    -----
    Entropies of whole numbers are rounded correctly, which takes tens of microseconds for new counts, and a few for
    counts met before.

    Examples
    --------
    Twenty samples of two of four ordered classes: only ordinal criteria tell whether the two are far apart or near.

    >>> from pytrees.criteria import impurity
    >>> far, near = [10, 0, 0, 10], [10, 10, 0, 0]
    >>> impurity("entropy", far), impurity("entropy", near)
    (1.0, 1.0)
    >>> impurity("ogini", [far, near])
    array([0.75, 0.25])
    """
    criterion = _judge_of_counts(criterion)
    if not getattr(criterion, "has_impurity", False):
        raise ValueError(f"criterion={criterion.name!r} has a gain, but no impurity: see pytrees.criteria.gain.")
    counts = _as_counts(counts, "counts")
    n_classes = counts.shape[-1]
    specification, measure = criterion.specification(n_classes), kernel("impurities")
    nodes = counts.reshape(-1, n_classes)
    found = measured_on_grid(lambda nodes: measure(specification, nodes), nodes, _power_of_unit(criterion))
    return _shaped(found, counts.shape[:-1], criterion)


def gain(criterion: CountCriterionName | _AnyCriterion, left: ArrayLike, right: ArrayLike) -> float | FloatArray:
    """Compute the gain of cuts from the class counts of their children.

    Parameters
    ----------
    criterion : str or criterion object
        Any criterion that judges class counts: a name in `CRITERIA` or `ALIASES`, or an object. An object of your own,
        derived from :class:`CountCriterion`, gets all cuts together.
    left, right : array-like of shape (..., n_classes)
        Class counts, or sums of sample weights, of the samples on either side of every cut: not negative, the classes
        in their order. All axes but the last broadcast against each other.

    Returns
    -------
    float or ndarray of shape (...,), float64
        The gains, 0 if a child has no samples. For whole numbers with a sum below 2**24 they are the gains that trees
        report: for exact criteria the doubles nearest to the exact gain; for entropies, gain ratios and ``"nvi"`` the
        doubles nearest to the gain by a table (see Notes). Other counts are put on a grid, as weights of trees are:
        gains by exact criteria are the doubles nearest to the gains on the grid.

    Raises
    ------
    ValueError
        If there is no such criterion, or if it judges label sequences; if counts are negative, not finite, or too great
        for a result that is finite; or if the sides have different numbers of classes.

    See Also
    --------
    impurity : The impurity of a node.
    CountCriterion : Base class of your own criterion on class counts.

    Notes
    -----
    It takes O(n_classes) a cut, and O(n_classes**2) with ordinal criteria.

    Entropies of whole numbers come from a table of n log2 n, in whole multiples of 2**-30 bit, up to the greatest sum
    of counts; the table takes 8 bytes an entry, and is kept. An information gain, times the samples of the node, is at
    most 1.5 * (n_classes + 1) * 2**-30 bit from the real number. A gain ratio, or ``"nvi"``, is off by at most
    3 * (n_classes + 1) * 2**-30 bit, divided by the samples times the entropy that divides it. Then it is rounded to
    the nearest double. It is exactly 0 if nothing is gained.

    Examples
    --------
    All cuts of eight samples that are sorted by a feature:

    >>> import numpy as np
    >>> from pytrees.criteria import gain
    >>> y = np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> left = np.cumsum(np.eye(2)[y], axis=0)[:-1]
    >>> right = left[-1] + np.eye(2)[y[-1]] - left
    >>> gain("gini", left, right).round(3)
    array([0.112, 0.26 , 0.102, 0.281, 0.169, 0.094, 0.04 ])
    >>> round(gain("gain_ratio", [2, 0], [1, 5]), 3)
    0.576
    """
    criterion = _judge_of_counts(criterion)
    left, right = _as_counts(left, "left"), _as_counts(right, "right")
    n_classes = left.shape[-1]
    if right.shape[-1] != n_classes:
        raise ValueError(f"left has counts of {n_classes} classes, right of {right.shape[-1]} classes.")
    try:
        left, right = np.broadcast_arrays(left, right)
    except ValueError as error:
        raise ValueError(f"left and right cannot be broadcast: {left.shape} and {right.shape}.") from error
    children = np.stack([left.reshape(-1, n_classes), right.reshape(-1, n_classes)], axis=1)
    specification = criterion.specification(n_classes)
    if isinstance(criterion, OwnCriterion):
        found = _judged_by_user(criterion, children)
    elif n_classes == 1:
        found = np.zeros(len(children))
    else:
        judge = kernel("gains_of_cuts")
        found = measured_on_grid(
            lambda cuts: judge(specification, np.ascontiguousarray(cuts[:, 0]), np.ascontiguousarray(cuts[:, 1])),
            children,
            _power_of_unit(criterion),
        )
    return _shaped(found, left.shape[:-1], criterion)


def _power_of_unit(criterion: Any) -> int:
    """Return the power of the unit of class counts that gains and impurities have."""
    return 2 if criterion.name == "ranking" else 0


def _judge_of_counts(criterion: object) -> Any:
    """Return the criterion as an object that judges class counts."""
    is_object = isinstance(criterion, (Criterion, WeightedInformationGain, RankingImpurity, OwnCriterion))
    if not is_object and not (isinstance(criterion, str) and criterion in CRITERIA | ALIASES):
        names = sorted(CRITERIA | ALIASES)
        raise ValueError(f"criterion must be one of {names} or a criterion object, got {criterion!r}.")
    criterion = resolve(criterion)
    if criterion.judges != "counts":
        judged = "label sequences" if criterion.judges == "sequence" else "numbers"
        raise ValueError(f"criterion={criterion.name!r} judges {judged}: class counts are not enough.")
    return criterion


def _as_counts(counts: ArrayLike, name: str) -> FloatArray:
    """Check class counts and return them as float64, which holds whole numbers up to 2**53."""
    with within_float64(name):
        counts = check_array(
            counts,
            dtype=np.float64,
            ensure_2d=False,
            allow_nd=True,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
    if counts.ndim == 0 or counts.shape[-1] == 0:
        raise ValueError(f"{name} must have the shape (..., n_classes), with a class at least; got {counts.shape}.")
    if counts.min(initial=0.0) < 0.0:
        raise ValueError(f"{name} must not be negative, got {counts.min():g}.")
    return counts


def _judged_by_user(criterion: Any, children: FloatArray) -> FloatArray:
    found = np.zeros(len(children))
    is_cut = (children.sum(axis=2) > 0.0).all(axis=1)
    if is_cut.any():
        found[is_cut] = criterion.judged(children[is_cut, 0], children[is_cut, 1])
    return found


def _shaped(found: FloatArray, shape: tuple[int, ...], criterion: Any) -> float | FloatArray:
    if np.isnan(found).any() or np.isposinf(found).any():
        raise ValueError(f"The counts are too great for {criterion.name!r}: a result is not finite.")
    return found.reshape(shape) if shape else float(found[0])
