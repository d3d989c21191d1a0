"""Base classes of all trees and forests: their parameters, limits of growth, fit, predict and tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self
from warnings import warn

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._engine import kernel
from .._judges import OwnCriterion
from .._site import ESTIMATOR_PAGE
from .._sklearn import Interval, InvalidParameterError, ParametersReadOnce, RealNotInt, StrOptions, fit_context
from .._typing import (
    AnyArray,
    BoolArray,
    ClassWeight,
    CodeArray,
    FloatArray,
    IntArray,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    Specification,
    TableArray,
)
from .._version import __version__
from .._weights import GRID_TOTAL, limits_of_kernel, on_grid, quotient_of, weights_of
from ..convert.sklearn_estimators import to_sklearn
from ..criteria import ALIASES, CRITERIA, RankingImpurity, WeightedInformationGain, resolve
from ..input.categories import CATEGORICAL_CONSTRAINTS, SPLIT_CONSTRAINTS, forget_other_rows, kinds_of_features
from ..input.validation import (
    group_codes,
    in_slabs,
    order_by_group,
    row_order,
    row_weights,
    validate_X,
    validate_X_y,
    warn_of_order,
)
from ..pruning import pruned, pruning_path
from ..tree import Tree
from .bootstrap import seed_of
from .monotonic import MONOTONIC_CONSTRAINTS, check_classes, monotonic_limits, with_bounds
from .scoring import ScoredClassifier

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.tree import DecisionTreeClassifier as SklearnTree

# Stands for no limit in the kernels; it is also the greatest limit that they can count to.
UNLIMITED = 2**31 - 1


class FiniteReal(Interval):
    """A finite number that float64 can hold, from `least` to `greatest` if these are given.

    Fractions are allowed too; scikit-learn's interval cannot compare them.
    """

    def __init__(self, least: float | None = None, greatest: float | None = None) -> None:
        closed = {(False, False): "neither", (True, False): "left", (True, True): "both"}
        super().__init__(Real, least, greatest, closed=closed[least is not None, greatest is not None])

    def is_satisfied_by(self, val: object) -> bool:
        try:
            is_finite = isinstance(val, Real) and isfinite(val)
        except OverflowError:
            return False
        return is_finite and (self.left is None or val >= self.left) and (self.right is None or val <= self.right)


class CriterionOptions(StrOptions):
    """A name of a criterion, or a criterion as an object, including a user's own."""

    def __init__(self, names: Iterable[str], *classes: type) -> None:
        super().__init__(set(names))
        self.classes = classes

    def is_satisfied_by(self, val: object) -> bool:
        return isinstance(val, (*self.classes, OwnCriterion)) or super().is_satisfied_by(val)

    def __str__(self) -> str:
        objects = ", ".join(each.__name__ for each in self.classes)
        return (
            f"a str among {sorted(self.options)}, or an object of one of the classes {objects}, or of one of your own "
            "that is derived from CountCriterion or SequenceCriterion of pytrees.criteria"
        )


# Parameters of growth that trees and forests share.
GROWTH_CONSTRAINTS: dict[str, list[Any]] = {
    "criterion": [CriterionOptions(CRITERIA | ALIASES, WeightedInformationGain, RankingImpurity)],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
    ],
    "min_samples_leaf": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="neither"),
    ],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "min_gain": [FiniteReal(), None],
    "max_candidates": [Interval(Integral, 1, None, closed="left"), None],
    **CATEGORICAL_CONSTRAINTS,
    **SPLIT_CONSTRAINTS,
    "random_state": ["random_state"],
}

# Further parameters of trees whose samples can have weights and monotonic constraints.
WEIGHT_CONSTRAINTS: dict[str, list[Any]] = {
    "min_weight_fraction_leaf": [FiniteReal(0.0, 0.5)],
    "min_impurity_decrease": [FiniteReal(0.0)],
    "ccp_alpha": [FiniteReal(0.0)],
    **MONOTONIC_CONSTRAINTS,
}


# Limits with which a tree grows until its leaves are pure.
NO_LIMITS: dict[str, float] = {
    "max_depth": UNLIMITED,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "max_leaf_nodes": UNLIMITED,
    "min_gain": -np.inf,
    "min_weight_fraction_leaf": 0.0,
    "min_impurity_decrease": 0.0,
}

# A tree with this many classes, and a leaf for each class, takes 1 GiB for its class counts.
_FEW_CLASSES = 2**13


def size_limits(estimator: Any, n_samples: int, n_features: int) -> dict[str, Any]:
    """Return the estimator's limits of size as the kernels take them: fractions as numbers of samples and features."""
    min_samples_leaf = estimator.min_samples_leaf
    if not isinstance(min_samples_leaf, Integral):
        min_samples_leaf = ceil(min_samples_leaf * n_samples)
    min_samples_split = estimator.min_samples_split
    if not isinstance(min_samples_split, Integral):
        min_samples_split = max(2, ceil(min_samples_split * n_samples))
    return {
        "max_depth": or_unlimited(estimator.max_depth),
        "min_samples_split": min(min_samples_split, UNLIMITED),
        "min_samples_leaf": min(min_samples_leaf, UNLIMITED // 2),
        "max_leaf_nodes": or_unlimited(estimator.max_leaf_nodes),
        "max_features": _n_features_tried(estimator.max_features, n_features),
    }


def growth_limits(estimator: Any, n_samples: int, n_features: int) -> dict[str, Any]:
    """Return all of the estimator's limits of growth."""
    return size_limits(estimator, n_samples, n_features) | {
        "min_gain": -np.inf if estimator.min_gain is None else float(estimator.min_gain),
        "max_candidates": or_unlimited(estimator.max_candidates),
        "min_weight_fraction_leaf": float(getattr(estimator, "min_weight_fraction_leaf", 0.0)),
        "min_impurity_decrease": _least_decrease(estimator),
        "ccp_alpha": _cost_of_a_leaf(estimator),
    }


def _least_decrease(estimator: Any) -> float:
    """Return the least decrease of impurity by a split; raise ValueError if gains are no decreases of impurity.

    A user's criterion does not tell what its gains are; the ranking impurity can have unweighted gains.
    """
    least = float(getattr(estimator, "min_impurity_decrease", 0.0))
    if least == 0.0:
        return least
    judge = estimator._judge()
    if not (measures_impurity(judge) and getattr(judge, "weighted", True)):
        raise ValueError(
            f"min_impurity_decrease={least} cannot be used with criterion={estimator.criterion!r}: its gains are not "
            "the impurity of a node minus the impurities of its children, weighted by their shares of the samples. "
            "min_gain limits its gains as they are."
        )
    return least


def _cost_of_a_leaf(estimator: Any) -> float:
    cost = float(getattr(estimator, "ccp_alpha", 0.0))
    if cost > 0.0:
        check_has_impurity(estimator, f"ccp_alpha={cost}")
    return cost


def check_has_impurity(estimator: Any, what: str) -> None:
    """Raise a ValueError if the criterion has no impurity of class counts, or of numbers: pruning needs it."""
    judge = estimator._judge()
    if not measures_impurity(judge):
        judged = "numbers" if judge.judges == "numbers" else "class counts"
        raise ValueError(
            f"{what} cannot be used with criterion={estimator.criterion!r}: trees are pruned by an impurity of "
            f"{judged}, and this criterion has none."
        )


def measures_impurity(judge: Any) -> bool:
    """Whether a criterion has an impurity of class counts, or of numbers."""
    return not isinstance(judge, OwnCriterion) and judge.judges != "sequence" and getattr(judge, "has_impurity", False)


def with_groups(criterion: Specification, groups: CodeArray) -> Specification:
    """Return a criterion as the kernels take it, for samples of these groups, which class counts do not need."""
    name, given = (criterion, {}) if isinstance(criterion, str) else criterion
    is_sequence = CRITERIA[name].judges == "sequence" if name in CRITERIA else False
    return (name, given | {"groups": groups}) if is_sequence else criterion


def threads_for(n_jobs: int | None) -> int:
    """Return how many threads make one tree: at most one for each processor."""
    n_threads: int = effective_n_jobs(n_jobs)
    return n_threads if n_threads == 1 else min(n_threads, cpu_count())  # counting processors takes time


def or_unlimited(limit: int | None) -> int:
    """Return a limit as the kernels take it; None is no limit."""
    return UNLIMITED if limit is None else min(int(limit), UNLIMITED)


def _n_features_tried(max_features: MaxFeatures, n_features: int) -> int:
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(np.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(np.log2(n_features)))
    if isinstance(max_features, Integral):
        return min(int(max_features), n_features)
    return max(1, int(max_features * n_features))


def grow(
    X: TableArray,
    codes: CodeArray,
    weights: AnyArray | None,
    n_classes: int,
    criterion: Specification,
    limits: dict[str, Any],
    seed: int,
    *,
    unit: Fraction = Fraction(1),
    **options: Any,
) -> Any:
    """Grow one tree on the engine in force, and prune it.

    `weights` are whole numbers on a grid of this `unit`. `options` are `n_threads` for a single tree, or `rows` and
    `shared` for a tree of a forest; also `n_categories` if features are categorical.
    """
    if n_classes > _FEW_CLASSES:
        _check_room_for_counts(X, codes, n_classes, limits, options)
    limits, ccp_alpha = dict(limits), limits.get("ccp_alpha", 0.0)
    limits.pop("ccp_alpha", None)
    name = criterion if isinstance(criterion, str) else criterion[0]
    if not isinstance(criterion, str) and name == "user_counts" and unit != 1:
        criterion = name, criterion[1] | {"scale": quotient_of(unit)}
    gain_unit = unit_of_gains(criterion, unit)
    limits |= limits_of_kernel(limits, lambda gain: gain * gain_unit * gain_unit)
    arrays = kernel("grow_by_gain")(X, codes, weights, n_classes, criterion, seed=seed, **limits, **options)
    numbers = np.asarray(arrays["value"], dtype=np.float64)
    arrays["value"] = weights_of(numbers, unit)
    if gain_unit != 1.0:
        arrays["gain"] = np.asarray(arrays["gain"]) * gain_unit * gain_unit
    has_impurity = name in CRITERIA and measures_impurity(CRITERIA[name])
    tree = Tree._from_engine(arrays, X.shape[1], criterion if has_impurity else None)
    if "monotonic_cst" in limits:
        tree = with_bounds(tree, limits["monotonic_cst"], numbers.astype(np.int64))
    return pruned(tree, pruning_path(tree, criterion), ccp_alpha) if ccp_alpha > 0.0 else tree


def unit_of_gains(criterion: Specification, unit: Fraction) -> float:
    """Return the number whose square is the unit of gains. Only gains by the ranking impurity have a unit: they are
    products of two weights."""
    return float(unit) if (criterion if isinstance(criterion, str) else criterion[0]) == "ranking" else 1.0


def _check_room_for_counts(
    X: TableArray, codes: CodeArray, n_classes: int, limits: dict[str, Any], options: dict[str, Any]
) -> None:
    """Raise MemoryError if a tree that grows until all leaves are pure has more class counts than memory can hold.

    Without this check growth would take most of the memory, and fail after many minutes.
    """
    rows = options.get("rows")
    rows = np.arange(len(X)) if rows is None else np.unique(rows)
    has_limits = limits != limits | NO_LIMITS
    if has_limits or not any(len(np.unique(column[rows])) == len(rows) for column in X.T):
        return
    n_leaves = len(np.unique(codes[rows]))
    n_nodes = n_leaves + 1 if "n_categories" in options else 2 * n_leaves - 1
    try:
        np.empty((n_nodes, n_classes))  # reserves memory, but does not write to it
    except MemoryError as error:
        raise MemoryError(
            f"The tree has at least {n_nodes} nodes when its leaves are pure; counting {n_classes} classes in each "
            f"node takes {8 * n_nodes * n_classes / 2**30:.1f} GiB, more than there is. Limit its growth, for example "
            "by max_leaf_nodes, or group the classes."
        ) from error


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Restore the attributes of an estimator if its fit fails."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_fitted(estimator: Any) -> None:
    """Raise NotFittedError as `check_is_fitted` does, in less time: that function takes longer than one prediction."""
    if "n_features_in_" not in vars(estimator):
        check_is_fitted(estimator)


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples that a tree or forest is fitted to.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), float64 or float32, in any layout
    codes : ndarray of shape (n_samples,), int32
        The codes of their classes or targets.
    outcome : ndarray or Targets
        The meaning of the codes: the classes in their order, or targets of regression.
    rows : ndarray of shape (n_used,), int64, or None
        The samples of weight above zero, in order; None: all samples.
    weights : ndarray of shape (n_used,) or None
        Their weights, whole numbers on a grid; None: all 1.
    groups : ndarray of shape (n_samples,), int32, or None
        The codes of the samples' groups; None without groups.
    y : ndarray of shape (n_samples,), float64, or None
        Targets of regression.
    unit : Fraction
        The unit of the weights.
    """

    X: TableArray
    codes: CodeArray
    outcome: Any
    rows: IntArray | None
    weights: AnyArray | None
    groups: CodeArray | None = None
    y: FloatArray | None = None
    unit: Fraction = Fraction(1)

    @property
    def n_used(self) -> int:
        """The number of samples of weight above zero."""
        return len(self.X) if self.rows is None else len(self.rows)


class BaseModel(ParametersReadOnce):
    """Base class of trees and forests, of classes or of numbers."""

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    is_categorical_: BoolArray | None
    categories_: list[AnyArray]
    ordered_categories_: dict[int, AnyArray]

    # The parameter that gives the criterion or distance, the function that resolves it, how a tree grows, its limits.
    _judge_parameter: ClassVar[str] = "criterion"
    _judges_numbers: ClassVar[bool] = False
    _resolve: ClassVar[Callable[..., Any]] = staticmethod(resolve)
    _grid_total: ClassVar[int] = GRID_TOTAL
    _grow: ClassVar[Callable[..., Any]] = staticmethod(grow)
    _limits = growth_limits

    # The page that the HTML representation of this package's classes links to.
    _doc_link_module: ClassVar[str] = "pytrees"
    _doc_link_template: ClassVar[str] = ESTIMATOR_PAGE

    # NaN is a missing value; in a categorical feature, missing is one of the categories.
    _allows_missing: ClassVar[bool] = True
    _missing_is_category: ClassVar[bool] = True

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_pytrees_version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        version = state.pop("_pytrees_version", "before 0.1.0")
        if version != __version__:
            warn(
                InconsistentVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=f"{__version__} of pytrees",
                    original_sklearn_version=f"{version} of pytrees",
                ),
                stacklevel=2,
            )
        super().__setstate__(state)

    def _validate_params(self) -> None:
        judge = getattr(self, self._judge_parameter, None)
        if isinstance(judge, type):
            parameter, given = f"The {self._judge_parameter!r} parameter of {type(self).__name__}", judge.__name__
            raise InvalidParameterError(f"{parameter} must be an object, got the class {given}: write {given}()?")
        if isinstance(judge, OwnCriterion) and (judge.judges == "numbers") != self._judges_numbers:
            wanted, given, bases = "classes", "numbers", "CountCriterion or SequenceCriterion"
            if self._judges_numbers:
                wanted, given, bases = "numbers", "classes", "SumCriterion"
            raise InvalidParameterError(
                f"The {self._judge_parameter!r} parameter of {type(self).__name__} must judge {wanted}, but "
                f"{judge.name} judges {given}: derive it from {bases} of pytrees.criteria."
            )
        super()._validate_params()

    def _judge(self) -> Any:
        """Return the criterion or distance that judges the splits, as an object."""
        return self._resolve(getattr(self, self._judge_parameter))

    def _know(self, outcome: Any) -> None:
        """Take over what the codes of `Samples` stand for."""

    def _number_of_classes(self) -> int:
        """Return how many classes the fitted estimator has; 0 if it predicts numbers."""
        return 0

    def _learn_from(self, fitted: Any) -> None:
        """Take over the classes and features of a fitted estimator, which has no categories if it is scikit-learn's."""
        self._know(getattr(fitted, "classes_", None))
        self.n_features_in_ = fitted.n_features_in_
        self.is_categorical_ = getattr(fitted, "is_categorical_", None)
        self.categories_ = getattr(fitted, "categories_", [])
        self.ordered_categories_ = getattr(fitted, "ordered_categories_", {})
        if hasattr(fitted, "feature_names_in_"):
            self.feature_names_in_ = fitted.feature_names_in_

    def _takes_weights(self) -> bool:
        """Whether samples can have weights; True if the criterion or distance is invalid, which `fit` refuses."""
        judge = getattr(self, self._judge_parameter)
        try:
            takes_weights: bool = self._resolve(judge).judges != "sequence"
            return takes_weights
        except (AttributeError, KeyError, TypeError, ValueError):
            return True

    def _read(self, X: Any, y: Any, sample_weight: Any, class_weight: Any, order: Any, groups: Any) -> Samples:
        """Validate what `fit` was given."""
        raise NotImplementedError

    def _criterion_for(self, samples: Samples, total: float, rows: IntArray | None = None) -> Specification:
        """Return the criterion or distance as the kernels take it, for samples of this total weight."""
        raise NotImplementedError

    def _grower(self, outcome: Any) -> Callable[..., Any]:
        """Return the function that grows a tree, with the arguments of `grow`."""
        return self._grow

    def _greatest_sum(self, n_rows: int, weights: AnyArray | None, unit: Fraction) -> int:
        """Return the greatest sum of weights, as numbers on their grid, that the samples of a tree can have."""
        return n_rows if weights is None else int(weights.sum())

    def _constraints(self, n_features: int, n_classes: int) -> dict[str, Any]:
        """Return monotonic constraints as a limit of growth, if there are some."""
        return monotonic_limits(self, n_features)

    def _groups(self, groups: LabelsLike | None, n_samples: int) -> CodeArray | None:
        """Return the code of every sample's group; None without groups."""
        if groups is None:
            return None
        codes, judge = group_codes(groups, n_samples), self._judge()
        if judge.judges == "counts":
            return codes
        if isinstance(judge, OwnCriterion):
            raise ValueError(
                f"groups cannot be used with criterion={self.criterion!r}: a criterion of your own judges the sequence "
                "of all samples of a node. It can tell groups apart by the indices of the samples."
            )
        if n_samples > 1 and np.bincount(codes).max() == 1:
            raise ValueError("groups leaves every sample alone: there is no sequence of two or more samples.")
        return codes

    def _rows_that_count(
        self,
        X: FloatArray,
        y: AnyArray,
        sample_weight: ArrayLike | None,
        class_weight: ClassWeight,
        order: LabelsLike | None,
    ) -> tuple[IntArray | None, AnyArray | None]:
        """Return the samples of weight above zero, in order, and their weights.

        None stands for all samples, and for weights of one.
        """
        rows = row_order(order, len(X))
        weights = self._row_weights(X, y, sample_weight, class_weight)
        if weights is None:
            return rows, None
        if not weights.all():
            rows = np.arange(len(X)) if rows is None else rows
            rows = rows[weights[rows] > 0]
            if self.is_categorical_ is not None:
                forget_other_rows(self, X, rows)
        return rows, weights if rows is None else weights[rows]

    def _row_weights(
        self, X: FloatArray, y: AnyArray, sample_weight: ArrayLike | None, class_weight: ClassWeight
    ) -> AnyArray | None:
        if self._judge().judges != "sequence":
            return row_weights(X, y, sample_weight, class_weight)
        for name, given in (("sample_weight", sample_weight), ("class_weight", class_weight)):
            if given is not None:
                judge = f"{self._judge_parameter}={getattr(self, self._judge_parameter)!r}"
                raise ValueError(
                    f"{name} cannot be used with {judge}: it judges the sequence of the labels, in which a sample has "
                    "no weight."
                )
        return None

    def encode(self, X: MatrixLike) -> FloatArray:
        """Encode X as the numbers that the trees compare: codes of categorical features, others as they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, with the features that `fit` was given.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
            A category is coded by its index in `categories_`, a value that `fit` has not seen by -1. Missing numbers
            are NaN. The methods of `tree_`, and the result of its ``to_sklearn``, take samples in this form.

        Raises
        ------
        ValueError
            If X holds infinity (the column is named) or, with ``handle_unknown="error"``, categories that `fit` has not
            seen.
        """
        check_is_fitted(self)
        return validate_X(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_categories = getattr(self, "categorical_features", None) is not None
        tags.input_tags.categorical = tags.input_tags.string = takes_categories
        tags.input_tags.allow_nan = self._allows_missing
        return tags


class BaseClassifier(ScoredClassifier, BaseModel):
    """Base class of trees and forests that predict classes."""

    classes_: AnyArray
    n_classes_: int

    # Whether monotonic constraints take several classes, which then have an order.
    _orders_classes: ClassVar[bool] = False

    def _know(self, outcome: AnyArray) -> None:
        """Take over the classes, in their order."""
        self.classes_, self.n_classes_ = outcome, len(outcome)

    def _number_of_classes(self) -> int:
        return len(self.classes_)

    def _constraints(self, n_features: int, n_classes: int) -> dict[str, Any]:
        found = super()._constraints(n_features, n_classes)
        if found:
            check_classes(self, n_classes)
        return found

    def _read(self, X: Any, y: Any, sample_weight: Any, class_weight: Any, order: Any, groups: Any) -> Samples:
        X, codes, classes = self._validate_X_y(X, y)
        groups = self._groups(groups, len(X))
        order = order if groups is None else order_by_group(groups, order)
        rows, weights = self._rows_that_count(X, classes[codes], sample_weight, class_weight, order)
        numbers, unit = on_grid(weights, self._grid_total)
        return Samples(X, codes, classes, rows, numbers, groups, unit=unit)

    def _validate_X_y(self, X: MatrixLike, y: LabelsLike) -> tuple[FloatArray, CodeArray, AnyArray]:
        """Validate X and y; return X, the codes of y, and the classes in the order of the codes."""
        return validate_X_y(self, X, y)

    def _criterion_for(self, samples: Samples, total: float, rows: IntArray | None = None) -> Specification:
        return self._specification(total, len(samples.outcome), rows)

    def _specification(self, total: float, n_classes: int, rows: IntArray | None = None) -> Specification:
        """Return the criterion or distance as the kernels take it, for samples of this total weight."""
        judge = self._judge()
        if not isinstance(judge, OwnCriterion):
            judge._check_total(total, n_classes)
        return judge.specification(n_classes, rows)

    @described_like(BaseModel.encode)
    def predict_log_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the logarithms of `predict_proba`; minus infinity for a probability of zero.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


# Type checkers see that mixins of estimators derive from these classes; when the program runs they do not.
if TYPE_CHECKING:
    MixedIn = BaseClassifier
    MixedIntoModel = BaseModel
else:
    MixedIn = MixedIntoModel = object


class BaseTree(BaseModel):
    """An estimator that is one tree, `tree_`."""

    tree_: Tree

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = GROWTH_CONSTRAINTS

    @fit_context(prefer_skip_nested_validation=True)
    def _fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        class_weight: Any = None,
        order: Any = None,
        groups: Any = None,
    ) -> Self:
        with unchanged_on_error(self):
            samples = self._read(X, y, sample_weight, class_weight, order, groups)
            warn_of_order(order, self._judge())
            self._keep(self._grow_on(samples))
        return self

    def _grow_on(self, samples: Samples) -> Any:
        """Grow the tree of validated samples, and take over what the estimator learns besides the tree."""
        X, codes, rows = samples.X, samples.codes, samples.rows
        if rows is not None:
            X, codes = X[rows], codes[rows]
        n_codes = len(samples.outcome)
        seed = seed_of(self.random_state)
        limits = self._limits(*X.shape) | self._constraints(X.shape[1], n_codes)
        n_threads = threads_for(getattr(self, "n_jobs", 1))
        total = len(X) if samples.weights is None else float(samples.weights.sum()) * float(samples.unit)
        criterion = self._criterion_for(samples, total, rows)
        if samples.groups is not None:
            criterion = with_groups(criterion, samples.groups[rows])
        options = {"n_threads": n_threads, "unit": samples.unit, **kinds_of_features(self)}
        options |= {} if samples.y is None else {"y": samples.y if rows is None else samples.y[rows]}
        grow_tree = self._grower(samples.outcome)
        grown = grow_tree(X, codes, samples.weights, n_codes, criterion, limits, seed, **options)
        self._know(samples.outcome)
        if "max_features" in limits:  # classes with this parameter declare the attribute
            self.__dict__["max_features_"] = min(limits["max_features"], X.shape[1])
        return grown

    def _keep(self, tree: Any) -> None:
        """Take over the tree that has grown."""
        self.tree_ = tree

    def _own_tree(self) -> Tree:
        """Return the tree; raise ValueError if the tree is exchanged for one of other features or classes."""
        tree, n_classes = self.tree_, self._number_of_classes()
        if tree.n_features != self.n_features_in_ or tree.n_classes != n_classes:
            raise ValueError(
                f"{type(self).__name__} has {self.n_features_in_} features and {n_classes} classes, but tree_ is a "
                f"tree of {tree.n_features} features and {tree.n_classes} classes."
            )
        return tree

    @described_like(BaseModel.encode)
    def apply(self, X: MatrixLike) -> IntArray:
        """Find the leaf that every sample reaches.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Indices of nodes in `tree_`. A sample stays at a node if none of the node's training samples had its
            category.
        """
        check_fitted(self)
        return in_slabs(self, X, lambda rows: self._own_tree()._apply_checked(rows, self))

    @described_like(BaseModel.encode)
    def decision_path(self, X: MatrixLike) -> csr_matrix:
        """Find the nodes on the decision path of every sample.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, node_count)
            1 if the sample visits the node.
        """
        check_is_fitted(self)
        return self._own_tree().decision_path(validate_X(self, X))

    @described_like(BaseModel.encode)
    def feature_usage(self, X: MatrixLike) -> IntArray:
        """Count the samples for which each feature is tested along the decision path.

        Returns
        -------
        ndarray of shape (n_features,), int64
            A sample counts once for a feature, however often that is tested.
        """
        check_is_fitted(self)
        return self._own_tree().feature_usage(validate_X(self, X))

    def get_depth(self) -> int:
        """Return the depth of the tree, in edges.

        Returns
        -------
        int
            The depth; a single leaf has depth 0.
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            The number of leaves.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of every feature in the total gain; ndarray of shape (n_features,)."""
        check_is_fitted(self)
        return self._own_tree().feature_importances()


class BaseTreeClassifier(BaseTree, BaseClassifier):
    """A classifier that is one tree, `tree_`, over the classes `classes_`."""

    @described_like(BaseModel.encode)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of every sample: the most frequent one in its leaf, the lowest of several.

        If errors differ in their costs, a leaf predicts the class that costs least.

        Returns
        -------
        ndarray of shape (n_samples,), of the classes' dtype
            The predicted classes.
        """
        leaves = self.apply(X)
        return self.classes_.take(self.tree_.majority_at(leaves))

    @described_like(BaseClassifier.predict_log_proba)
    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the shares of the classes among the training samples of every sample's leaf."""
        leaves = self.apply(X)
        return self.tree_.shares_at(leaves)

    def to_sklearn(self) -> SklearnTree:
        """Convert the estimator to a fitted scikit-learn ``DecisionTreeClassifier`` that predicts alike.

        Its classes and the names of its features are the estimator's. See :func:`pytrees.to_sklearn`.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier
            It predicts as the estimator does on data that is exact in float32, and takes categories as codes of
            `encode`.

        Raises
        ------
        RuntimeError
            If this version of scikit-learn stores nodes differently from 1.9.
        ValueError
            If the estimator predicts another class than the most frequent one in some leaf.
        """
        check_is_fitted(self)
        return to_sklearn(self)
