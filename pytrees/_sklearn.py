"""Import what the package takes from inside scikit-learn, in one place: names that a version of it may move.

Its documentation tells authors of estimators to declare constraints on parameters, and keeps private what declares
them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
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
    "InvalidParameterError",
    "RealNotInt",
    "StrOptions",
    "feature_names_of",
    "fit_context",
    "narwhals",
    "validate_parameter_constraints",
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
