"""What the package takes from inside scikit-learn, in one place: names that a version of it may move.

Its documentation tells authors of estimators to declare constraints on parameters, and keeps private what declares
them.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions, validate_params

try:
    import narwhals.stable.v2 as narwhals
except ModuleNotFoundError:  # scikit-learn depends on it from 1.9 on
    narwhals = None

__all__ = ["HasMethods", "Interval", "RealNotInt", "StrOptions", "fit_context", "narwhals", "validate_params"]
