"""Import what the package takes from inside scikit-learn, in one place: names that a version of it may move.

Its documentation tells authors of estimators to declare constraints on parameters, and keeps private what declares
them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions, make_constraint
from sklearn.utils._param_validation import validate_params as _validate_params
from sklearn.utils.validation import _get_feature_names

try:
    narwhals: Any = import_module("narwhals.stable.v2")
except ModuleNotFoundError:  # scikit-learn depends on it from 1.9 on
    narwhals = None

_Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = [
    "HasMethods",
    "Interval",
    "ParametersReadOnce",
    "RealNotInt",
    "StrOptions",
    "feature_names_of",
    "fit_context",
    "narwhals",
    "validate_params",
]


def feature_names_of(X: Any) -> Any:
    """Return the names of the columns of a table as an array; None where it has none, or they are not all strings."""
    return _get_feature_names(X)


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[_Function], _Function]:
    """Return scikit-learn's decorator of methods that fit, to type checkers one that changes no type."""
    decorator: Callable[[_Function], _Function] = _fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorator


def validate_params(
    constraints: dict[str, list[Any]], *, prefer_skip_nested_validation: bool
) -> Callable[[_Function], _Function]:
    """Return scikit-learn's decorator of functions with constraints, to type checkers one that changes no type."""
    decorator: Callable[[_Function], _Function] = _validate_params(
        constraints, prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorator


class ParametersReadOnce(BaseEstimator):
    """An estimator whose signature and constraints are read once for each class.

    scikit-learn reads both anew in every ``fit``, which takes as long as a small tree takes to grow.
    """

    @classmethod
    def _get_param_names(cls) -> list[str]:
        own: Any = cls  # to type checkers a class is not hashable
        return list(_names_of_parameters(own))

    def _validate_params(self) -> None:
        """Validate the parameters; scikit-learn raises the error where one is wrong."""
        own: Any = type(self)
        given = self.get_params(deep=False)
        for name, constraints in _constraints_of(own).items():
            if not any(constraint.is_satisfied_by(given[name]) for constraint in constraints):
                super()._validate_params()


@cache
def _names_of_parameters(estimator_class: Any) -> tuple[str, ...]:
    by_scikit_learn: Any = super(ParametersReadOnce, estimator_class)
    return tuple(by_scikit_learn._get_param_names())


@cache
def _constraints_of(estimator_class: Any) -> dict[str, list[Any]]:
    """Return the constraints of the parameters that have some."""
    declared = estimator_class._parameter_constraints
    return {
        name: [make_constraint(constraint) for constraint in declared[name]]
        for name in _names_of_parameters(estimator_class)
        if declared.get(name, "no_validation") != "no_validation"
    }
