"""Conversion of scikit-learn's fitted trees and forests to the estimators of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..convert.sklearn_estimators import estimator_from_sklearn
from .cart import DecisionTreeClassifier
from .forest import DecisionForestClassifier
from .regression_forest import DecisionForestRegressor
from .regression_tree import DecisionTreeRegressor

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["from_sklearn"]


def from_sklearn(estimator: BaseEstimator) -> Any:
    """Convert a fitted tree or forest of scikit-learn to one of pytrees that decides alike.

    The result takes part in everything that pytrees does with trees: text, pictures, distinct trees, the Fourier
    algebra. A ``DecisionTreeClassifier`` becomes a :class:`DecisionTreeClassifier`, a ``RandomForestClassifier`` or
    ``ExtraTreesClassifier`` a :class:`DecisionForestClassifier`; regressors become a :class:`DecisionTreeRegressor` or
    :class:`DecisionForestRegressor`. They keep the classes, names of features, and parameters that both libraries have;
    thresholds and numbers to the last bit; and class counts as whole numbers. A forest keeps its out-of-bag scores, and
    its `estimators_samples_` unless scikit-learn, from 1.9 on, has drawn samples by their weights.

    Trees of numbers keep the impurities of their nodes, also with a criterion that pytrees lacks: the nodes of
    ``"friedman_mse"`` have squared errors, and the impurities of ``"poisson"`` stay without a name. The `criterion` of
    the result, by which another fit would grow, is ``"squared_error"`` then; for ``"poisson"``, a warning says so.

    pytrees compares samples in float64, while scikit-learn first rounds them to float32: on data that is exact in
    float32, both decide alike. Probabilities are equal to the last bit if class counts are whole numbers, and numbers
    always.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        A fitted ``DecisionTreeClassifier``, ``ExtraTreeClassifier``, ``RandomForestClassifier``,
        ``ExtraTreesClassifier``, or the regressor of one of these kinds.

    Returns
    -------
    DecisionTreeClassifier, DecisionForestClassifier, DecisionTreeRegressor or DecisionForestRegressor
        A fitted estimator of pytrees. Another call of `fit` grows the trees of pytrees, with the best splits.

    Raises
    ------
    TypeError
        If `estimator` is anything else, such as a boosted ensemble.
    ValueError
        If it has several outputs, or nodes without training samples.

    Warns
    -----
    UserWarning
        If pytrees lacks the criterion of a regressor, such as ``"poisson"``.

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
    return estimator_from_sklearn(
        estimator,
        {
            "tree": DecisionTreeClassifier,
            "forest": DecisionForestClassifier,
            "regression tree": DecisionTreeRegressor,
            "regression forest": DecisionForestRegressor,
        },
    )
