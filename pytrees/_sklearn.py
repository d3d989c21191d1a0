"""All imports of private names of scikit-learn, which another version may move.

scikit-learn's documentation tells authors of estimators to declare constraints on parameters, but the functions and
classes for that are private.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import signature
from numbers import Integral
from typing import Any, TypeVar

from sklearn.base import BaseEstimator, _fit_context, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Hidden,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
    make_constraint,
)
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils._param_validation import validate_params as _validate_params
from sklearn.utils.validation import _get_feature_names

from ._typing import is_real

try:
    narwhals: Any = import_module("narwhals.stable.v2")
except ModuleNotFoundError:  # scikit-learn installs it from 1.9 on
    narwhals = None

_Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = [
    "HasMethods",
    "Hidden",
    "Interval",
    "InvalidParameterError",
    "ParametersReadOnce",
    "RealNotInt",
    "StrOptions",
    "feature_names_of",
    "fit_context",
    "narwhals",
    "rows_of",
    "validate_params",
]


class Interval(_Interval):
    """scikit-learn's interval, which also compares fractions, and holds no real number beyond the range of float64."""

    def is_satisfied_by(self, val: object) -> bool:
        if isinstance(val, self.type) and not isinstance(val, Integral):
            return is_real(val) and float(val) in self
        within = issubclass(self.type, Integral) or not isinstance(val, Integral) or is_real(val)
        return within and bool(super().is_satisfied_by(val))


def feature_names_of(X: Any) -> Any:
    """Return the names of a table's columns as an array; None if the columns have no names, or not all are strings."""
    return _get_feature_names(X)


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of a table: a matrix, a frame or a list."""
    return _safe_indexing(X, rows)


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[_Function], _Function]:
    """Return scikit-learn's decorator of methods that fit, typed as one that changes no type."""
    decorator: Callable[[_Function], _Function] = _fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorator


def validate_params(
    constraints: dict[str, list[Any]], *, prefer_skip_nested_validation: bool
) -> Callable[[_Function], _Function]:
    """Return scikit-learn's decorator of functions with constraints, typed as one that changes no type."""
    decorator: Callable[[_Function], _Function] = _validate_params(
        constraints, prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorator


class ParametersReadOnce(BaseEstimator):
    """An estimator whose signature and constraints are read once for each class.

    scikit-learn reads both again in every ``fit``. That makes a fit to 100 samples of 5 features 40 % slower (0.85 to
    1.2 ms).
    """

    @classmethod
    def _get_param_names(cls) -> list[str]:
        own: Any = cls  # to type checkers a class is not hashable
        return list(_names_of_parameters(own))

    def _validate_params(self) -> None:
        """Validate the parameters that differ from their defaults; scikit-learn raises the error."""
        own: Any = type(self)
        for name, constraints in _constraints_of(own).items():
            value = getattr(self, name)
            if value is not constraints.default and not constraints.hold_of(value):
                super()._validate_params()


class _Constraints:
    """The constraints of a parameter, and its default if the default satisfies them."""

    def __init__(self, declared: list[Any], default: Any) -> None:
        self.each = [make_constraint(constraint) for constraint in declared]
        self.default = default if self.hold_of(default) else self  # no value is this object

    def hold_of(self, value: Any) -> bool:
        return any(constraint.is_satisfied_by(value) for constraint in self.each)


@cache
def _names_of_parameters(estimator_class: Any) -> tuple[str, ...]:
    by_scikit_learn: Any = super(ParametersReadOnce, estimator_class)
    return tuple(by_scikit_learn._get_param_names())


@cache
def _constraints_of(estimator_class: Any) -> dict[str, _Constraints]:
    """Return the constraints of all parameters that have constraints."""
    declared, parameters = estimator_class._parameter_constraints, signature(estimator_class.__init__).parameters
    return {
        name: _Constraints(declared[name], parameters[name].default)
        for name in _names_of_parameters(estimator_class)
        if declared.get(name, "no_validation") != "no_validation"
    }


def predicts_numbers(given: Any) -> bool:
    """Whether something is a regressor, fitted or not; False for what has no tags, such as a class or a list."""
    return hasattr(given, "__sklearn_tags__") and not isinstance(given, type) and is_regressor(given)
