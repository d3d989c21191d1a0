"""Common parts of the estimators on the Fourier algebra: they fit an ensemble, and code its trees."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter, validate_data

from .._site import FOURIER_PAGE
from .._sklearn import HasMethods, Interval, StrOptions, predicts_numbers
from .._typing import AnyArray, CodeArray, FloatArray, IntArray, LabelsLike, MatrixLike, RandomState
from ..input.categories import allows_missing, encode, forget_other_rows, n_categories
from ..input.class_scale import ordered_categories
from ..input.labels import positions_in
from ..input.validation import row_weights, validate_coded_X_y, validate_X_y
from ..tree import Tree
from ..trees.base import BaseModel, MixedIntoModel
from ..trees.cart import DecisionTreeClassifier
from .codes import OrdinalCodes, code
from .measures import Product, Samples, measure_of

# Scores are rounded to this many decimals, so that rounding errors of eigenvectors and sums do not break ties.
_DECIMALS = 10

_FROM_ONE = Interval(Integral, 1, None, closed="left")

# Parameters that all estimators on the Fourier algebra have.
REBUILD_CONSTRAINTS: dict[str, list[Any]] = {
    "estimator": [HasMethods(["fit", "predict"]), list, tuple, Tree, None],
    "measure": [StrOptions({"uniform", "empirical", "joint"}), list, tuple],
    "min_confidence": [Interval(Real, 0.0, 1.0, closed="right"), None],
    "max_depth": [_FROM_ONE, None],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}


class MadeOfTreesMixin(MixedIntoModel):
    """Mixin of estimators with a parameter `estimator`: takes over its parameters about categories."""

    _doc_link_template = FOURIER_PAGE

    @property
    def _allows_missing(self) -> bool:  # type: ignore[override]  # here it depends on a parameter
        return _takes_missing(self.estimator)

    @property
    def categorical_features(self) -> Any:
        """The value of this parameter in `estimator`, or in the tree that it bags."""
        return _parameter(self.estimator, "categorical_features")[1]

    @property
    def handle_unknown(self) -> Any:
        """The value of this parameter in `estimator`, or in the tree that it bags; a :class:`Tree` takes all codes."""
        return _parameter(self.estimator, "handle_unknown")[1] or "majority"

    @property
    def _remedy_for_words(self) -> str | None:
        """The advice of an error about words if no tree of pytrees is part of `estimator`, which then knows no
        categories; otherwise None."""
        if not hasattr(self.estimator, "fit") or _parameter(self.estimator, "handle_unknown")[1] is not None:
            return None
        return (
            f"{type(self.estimator).__name__} is read as trees of thresholds; {{encode_them}}, or give as estimator a "
            "tree or forest of pytrees, which names {these} in categorical_features"
        )


def _takes_missing(given: Any) -> bool:
    """Whether an estimator, a tree or a sequence of these takes missing values, and sends each to one side; C4.5 sends
    parts of them to both."""
    if isinstance(given, (list, tuple)):
        return all(map(_takes_missing, given))
    if given is None or isinstance(given, Tree):
        return given is None or given.takes_missing
    tags = get_tags(given) if hasattr(given, "__sklearn_tags__") else None
    return tags is not None and tags.input_tags.allow_nan and getattr(given, "_missing_is_category", True)


def _parameter(given: Any, name: str) -> tuple[Any, Any]:
    """Return path and value of a parameter of an estimator of pytrees, or of one nested in another estimator.

    (None, None) if it is unset: parameters of this name in other libraries have other values.
    """
    if isinstance(given, (list, tuple)):
        found = [_parameter(member, name) for member in given]
        return next((pair for pair in found if pair[1] is not None), (None, None))
    value = getattr(given, name, None) if isinstance(given, BaseModel) else None
    if value is not None:
        return name, value
    path, value = _parameter(given.estimator, name) if hasattr(given, "estimator") else (None, None)
    return f"estimator__{path}", value


@dataclass(frozen=True, eq=False)
class CodedEnsemble:
    """The trees of an ensemble, and the training samples, in ordinal codes.

    Attributes
    ----------
    codes : OrdinalCodes
    measure : Product or Samples
    rows : ndarray of shape (n_samples, n_features), int64
    labels : ndarray of shape (n_samples,), int64
        The classes of the samples, as indices in `classes`.
    classes : ndarray of shape (n_classes,)
    weights : ndarray of shape (n_samples,) or None
        The weights of the samples; None: all 1.
    """

    codes: OrdinalCodes
    measure: Product | Samples
    rows: IntArray
    labels: IntArray
    classes: AnyArray
    weights: AnyArray | None

    @property
    def outputs(self) -> IntArray:
        """The classes whose indicators the functions are: the last of two, or all if there are more."""
        n_classes = len(self.classes)
        return np.arange(n_classes) if n_classes > 2 else np.array([n_classes - 1])

    @property
    def values(self) -> list[FloatArray]:
        """The values of every tree's function at its nodes; arrays of shape (node_count, n_outputs)."""
        return [self.indicators(labels) for labels in self.codes.labels]

    def indicators(self, labels: AnyArray) -> FloatArray:
        """Return 1 if a label is the class of an output, otherwise 0; (n_labels, n_outputs) float64."""
        return (labels[:, np.newaxis] == self.outputs).astype(np.float64)


def coded_ensemble(
    estimator: Any,
    X: MatrixLike,
    y: LabelsLike,
    n_estimators: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> CodedEnsemble:
    """Fit the ensemble on X and y unless it is fitted already, and code its trees.

    `estimator` has the parameters `estimator`, `measure` and `random_state`. A tree is grown on bootstrap samples,
    n_estimators times, or once if that is None.
    """
    given = estimator.estimator
    refuse_numbers(estimator, given if isinstance(given, (list, tuple)) else [given])
    if isinstance(given, (Tree, FrozenEstimator, list, tuple)):
        members = [given] if isinstance(given, Tree) else given
        codes = code(members, X)
        X, labels, classes = as_the_trees_take_it(estimator, codes, X, y)
        weights = row_weights(X, y, sample_weight, None)
    else:
        X, labels, classes = validate_X_y(estimator, X, y)
        weights = row_weights(X, y, sample_weight, None)
        if weights is not None and estimator.is_categorical_ is not None:
            forget_other_rows(estimator, X, np.flatnonzero(weights))
        members = _fitted(estimator, X, classes[labels], n_estimators, weights, scale_of(y))
        codes = code(members, X, _codes_of_categories(estimator))
        refuse_numbers(estimator, codes.trees)
    n_classes = codes.trees[0].n_classes
    trained = _classes_of(members)
    if trained is not None:
        check_are_known(classes, trained)
        labels, classes = positions_in(classes, trained)[labels], trained
    if len(classes) != n_classes:
        raise ValueError(
            f"There are {len(classes)} classes, but a tree knows {n_classes}: it has no samples of the others."
        )
    rows = codes.number(X)
    of_samples = isinstance(estimator.measure, str) and estimator.measure in ("empirical", "joint")
    measure = measure_of(estimator.measure, codes.cardinalities, rows if of_samples else None, weights)
    return CodedEnsemble(codes, measure, rows, labels.astype(np.int64), classes, weights)


def check_are_known(classes: AnyArray, trained: AnyArray) -> None:
    """Raise ValueError if y has classes that the trees do not know."""
    unknown = classes[positions_in(classes, trained) < 0]
    if unknown.size:
        raise ValueError(f"y holds the classes {unknown.tolist()}; the trees know {trained.tolist()}.")


def refuse_numbers(estimator: Any, given: Sequence[Any]) -> None:
    """Raise TypeError if a regressor, fitted or not, or a tree of numbers is given to a classifier."""
    for one in given:
        if one.is_regressor if isinstance(one, Tree) else predicts_numbers(one):
            raise TypeError(
                f"{type(estimator).__name__} is a classifier and takes classification trees, got a "
                f"{'Tree of numbers' if isinstance(one, Tree) else type(one).__name__}. For numbers, "
                "DistilledTreesRegressor makes few trees of a regressor, and tree_from_ensemble one tree of the trees "
                "of ordinal_codes."
            )


def as_the_trees_take_it(
    estimator: Any, codes: OrdinalCodes, X: MatrixLike, y: LabelsLike
) -> tuple[FloatArray, CodeArray, AnyArray]:
    """Validate X and y by the categories that the trees of a fitted ensemble know."""
    checked = validate_coded_X_y(estimator, X, y, coded_by(estimator, codes, X))
    _check_n_features(estimator, codes)
    return checked


def coded_by(estimator: Any, codes: OrdinalCodes, X: MatrixLike) -> FloatArray | None:
    """Take over the categories that the trees of a fitted ensemble know; return X with their codes, None if there are
    none."""
    estimator.is_categorical_ = codes.is_categorical if codes.is_categorical.any() else None
    estimator.categories_, estimator.ordered_categories_ = codes.categories, {}
    if estimator.is_categorical_ is None:
        return None
    validate_data(estimator, X, skip_check_array=True)
    _check_n_features(estimator, codes)
    return encode(estimator, X, allow_missing=allows_missing(estimator))


def _check_n_features(estimator: Any, codes: OrdinalCodes) -> None:
    n_features = len(codes.thresholds)
    if n_features != estimator.n_features_in_:
        raise ValueError(f"X has {estimator.n_features_in_} features; the trees have {n_features}.")


def _codes_of_categories(estimator: Any) -> dict[int, AnyArray]:
    """Return the categories of coded samples: for every categorical feature the numbers from 0."""
    sizes = n_categories(estimator)
    return {} if sizes is None else {int(m): np.arange(sizes[m]) for m in np.flatnonzero(sizes)}


def scale_of(y: Any) -> AnyArray | None:
    """Return the classes in y, in the order of their categories, if y is an ordered pandas Categorical; else None."""
    coded = ordered_categories(y)
    return None if coded is None else coded[1][np.unique(coded[0])]


def _fitted(
    estimator: Any,
    X: FloatArray,
    y: AnyArray,
    n_estimators: int | None,
    weights: AnyArray | None,
    scale: AnyArray | None,
) -> Any:
    """Fit the tree or ensemble on samples whose categories are coded; `scale` has the order of the classes, if known.

    An ordinal tree or forest without an order of its own takes the scale: `y` holds the classes alone.
    """
    given, random_state = estimator.estimator, estimator.random_state
    given = DecisionTreeClassifier(criterion="entropy") if given is None else clone(given)
    if estimator.is_categorical_ is not None:
        given.set_params(**{_parameter(given, "categorical_features")[0]: estimator.is_categorical_})
    is_one_tree = not hasattr(given, "n_estimators")
    if not getattr(given, "_orders_classes", False) or given.classes is not None:
        scale = None
    if n_estimators is not None and is_one_tree:
        if scale is not None and not np.array_equal(scale, np.sort(scale)):
            warnings.warn(
                f"Bagging of {type(given).__name__} takes the classes in their sorted order, not in the order of the "
                "categories of y: give OrdinalDecisionForestClassifier as estimator.",
                stacklevel=4,
            )
        from sklearn.ensemble import BaggingClassifier  # here: it takes longer to import than all of this package

        given = BaggingClassifier(given, n_estimators)
    elif scale is not None:
        given.set_params(classes=scale)
    return fitted_to(given, random_state, X, y, weights)


def fitted_to(estimator: Any, random_state: RandomState, X: MatrixLike, y: LabelsLike, weights: AnyArray | None) -> Any:
    """Fit an estimator of any library, with this random state if it has none of its own."""
    parameters = estimator.get_params(deep=False)
    if random_state is not None and "random_state" in parameters and parameters["random_state"] is None:
        estimator.set_params(random_state=random_state)
    if weights is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"{type(estimator).__name__} has no sample_weight in its fit.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes")  # the validation of y has told it
        return estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)


def _classes_of(members: Any) -> AnyArray | None:
    """Return the classes that the ensemble, or every tree of a sequence, knows; None if trees know codes only."""
    if hasattr(members, "classes_"):
        return np.asarray(members.classes_)
    known = [np.asarray(member.classes_) for member in members if hasattr(member, "classes_")]
    if any(not np.array_equal(known[0], other) for other in known[1:]):
        raise ValueError("The trees differ in their classes.")
    return known[0] if known else None


def nearest_shares(scores: FloatArray) -> FloatArray:
    """Project scores on the nearest shares of classes; (n_samples, n_classes) float64.

    Every sample's scores are projected on the simplex (Euclidean projection), which keeps their order. The lowest class
    stays first among scores that are equal up to 1e-10.
    """
    scores = np.round(scores, _DECIMALS)
    falling = -np.sort(-scores, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, scores.shape[1] + 1)
    last = scores.shape[1] - 1 - np.argmax((falling > excess)[:, ::-1], axis=1)
    return np.maximum(scores - excess[np.arange(len(scores)), last, np.newaxis], 0.0)


def scores_of_classes(outputs: FloatArray, n_classes: int) -> FloatArray:
    """Return the scores of all classes; two classes share one output, the score of the last class."""
    return np.hstack([1.0 - outputs, outputs]) if n_classes == 2 else outputs
