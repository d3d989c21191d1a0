"""Estimators of pytrees, made of scikit-learn's fitted trees and forests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._typing import Draws, IntArray
from ..export import SKLEARN_PARAMETERS_OF_FORESTS, SKLEARN_PARAMETERS_OF_TREES, kept_parameters
from ..tree import Tree
from .bootstrap import all_rows, draw_sequence
from .cart import DecisionTreeClassifier
from .forest import DecisionForestClassifier
from .forest_prediction import ForestSums

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["from_sklearn"]


def from_sklearn(estimator: BaseEstimator) -> Any:
    """Convert a fitted tree or forest of scikit-learn to one of pytrees that decides alike.

    The result takes part in everything that pytrees does with trees: text, pictures, distinct trees, the Fourier
    algebra. A ``DecisionTreeClassifier`` becomes a :class:`DecisionTreeClassifier`, a ``RandomForestClassifier`` or
    ``ExtraTreesClassifier`` a :class:`DecisionForestClassifier`. They keep the classes, names of features, and
    parameters that both libraries have; thresholds to the last bit; and class counts as whole numbers. A forest keeps
    its out-of-bag scores, and its `estimators_samples_` unless scikit-learn, from 1.9 on, has drawn samples by their
    weights.

    pytrees compares samples in float64, while scikit-learn first rounds them to float32: on data that is exact in
    float32, both decide alike. Probabilities are equal to the last bit if class counts are whole numbers.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, ExtraTreeClassifier, RandomForestClassifier or ExtraTreesClassifier
        A fitted estimator of scikit-learn.

    Returns
    -------
    DecisionTreeClassifier or DecisionForestClassifier
        A fitted estimator of pytrees. Another call of `fit` grows the trees of pytrees, with the best splits.

    Raises
    ------
    TypeError
        If `estimator` is anything else, such as a regressor.
    ValueError
        If it has several outputs, or nodes without training samples.

    See Also
    --------
    to_sklearn : The other way round.
    pytrees.Tree.from_sklearn : A tree alone, without labels and names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from pytrees import export_text, from_sklearn
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = from_sklearn(RandomForestClassifier(10, max_depth=1, random_state=0).fit(X, y))
    >>> print(export_text(forest[0]))
    petal width (cm) <= 0.75 (gain 0.325)
    |   class 0 [47, 0, 0]
    petal width (cm) > 0.75
    |   class 2 [0, 44, 59]
    """
    if not hasattr(estimator, "estimators_") and not _is_forest(estimator):
        tree = Tree.from_sklearn(estimator)
        parameters = kept_parameters(estimator, ("criterion", "class_weight", *SKLEARN_PARAMETERS_OF_TREES))
        return _estimator_of(tree, DecisionTreeClassifier(**parameters), estimator, estimator.max_features_)
    if not _is_forest(estimator):
        raise TypeError(
            "A tree, RandomForestClassifier or ExtraTreesClassifier of scikit-learn is expected, got "
            f"{type(estimator).__name__}."
        )
    check_is_fitted(estimator)
    names = ("criterion", "n_estimators", "n_jobs", "verbose", "warm_start", *SKLEARN_PARAMETERS_OF_FORESTS)
    forest = DecisionForestClassifier(**kept_parameters(estimator, names))
    if estimator.n_outputs_ != 1:
        raise ValueError(f"{type(estimator).__name__} has {estimator.n_outputs_} outputs; a forest of pytrees has one.")
    _take_over(estimator, forest, ("oob_score_", "oob_decision_function_"))
    forest.estimators_ = [
        _estimator_of(Tree.from_sklearn(one), forest._make_estimator(one.random_state), estimator, one.max_features_)
        for one in estimator.estimators_
    ]
    forest._drawn_from, forest._sums = _draws_of(estimator), ForestSums()
    return forest


def _draws_of(theirs: Any) -> tuple[int, IntArray | None, Callable[..., Draws]] | None:
    """Return what draws the samples of the trees of scikit-learn's forest again; None if pytrees draws others."""
    if not hasattr(theirs, "_n_samples"):
        return None
    draw = partial(draw_sequence, n_draws=theirs._n_samples_bootstrap) if theirs.bootstrap else all_rows
    drawn, _ = draw(theirs.estimators_[0].random_state, theirs._n_samples, None)
    drawn = np.arange(theirs._n_samples) if drawn is None else drawn
    return (theirs._n_samples, None, draw) if np.array_equal(drawn, theirs.estimators_samples_[0]) else None


def _is_forest(estimator: object) -> bool:
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier  # whoever has a forest has imported it

    return isinstance(estimator, (RandomForestClassifier, ExtraTreesClassifier))


def _estimator_of(tree: Tree, ours: DecisionTreeClassifier, theirs: Any, max_features: int) -> DecisionTreeClassifier:
    """Return an estimator as fitted: with this tree, and with the classes and features of the other estimator."""
    ours.max_features_ = max_features
    ours._keep(tree)
    return _take_over(theirs, ours)


def _take_over(theirs: Any, ours: Any, names: Iterable[str] = ()) -> Any:
    ours.classes_, ours.n_classes_ = theirs.classes_, int(theirs.n_classes_)
    ours.n_features_in_ = theirs.n_features_in_
    ours.is_categorical_, ours.categories_, ours.ordered_categories_ = None, [], {}
    for name in ("feature_names_in_", *names):
        if hasattr(theirs, name):
            setattr(ours, name, getattr(theirs, name))
    return ours
