"""The limits of growth among an estimator's parameters, and the parameters with which trees cannot be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, isnan
from typing import Any

import numpy as np

from .._typing import is_real, is_whole

# Parameters that can keep a node from taking the best split, with the values with which they do not.
_NOT_CHECKED = {
    "splitter": ("best",),
    "max_features": (None,),
    "max_candidates": (None,),
    "class_weight": (None,),
    "ccp_alpha": (0.0,),
    "categorical_features": (None,),
}
_LIMITS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "min_gain",
    "monotonic_cst",
)


@dataclass
class Limits:
    """Limits of growth; by default none applies."""

    max_depth: float = inf
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_leaf_weight: float = 0.0
    max_leaf_nodes: float = inf
    min_impurity_decrease: float = 0.0
    min_gain: float = -inf
    monotonic_cst: tuple[int, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any], n_samples: int, total: int) -> Limits:
        """Return the limits by scikit-learn's parameters, for a number of samples and their total weight."""
        limits = cls()
        for name in ("max_depth", "max_leaf_nodes", "min_impurity_decrease", "min_gain"):
            if given.get(name) is not None:
                setattr(limits, name, given[name])
        for name, least in (("min_samples_split", 2), ("min_samples_leaf", 1)):
            value = given.get(name, least)
            setattr(limits, name, max(least, ceil(value * n_samples)) if isinstance(value, float) else value)
        limits.min_leaf_weight = (given.get("min_weight_fraction_leaf") or 0.0) * total
        if given.get("monotonic_cst") is not None:
            limits.monotonic_cst = tuple(int(direction) for direction in given["monotonic_cst"])
        return limits


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return the limits among an estimator's parameters; raise a ValueError if one of `_NOT_CHECKED` is set."""
    given = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    for name, values in _NOT_CHECKED.items():
        if name in given and given[name] not in values:
            raise ValueError(
                f"{type(estimator).__name__} has {name}={given[name]!r}, with which a node need not take the best "
                f"split of all; set {name}={values[0]!r} to check all other parameters."
            )
    constraints = given.get("monotonic_cst")
    if isinstance(constraints, dict):
        if not hasattr(estimator, "feature_names_in_"):
            raise ValueError("Tables have no names of features: give monotonic_cst as an array.")
        given["monotonic_cst"] = [constraints.get(name, 0) for name in estimator.feature_names_in_]
    return {name: given[name] for name in _LIMITS if name in given}


def checked_limits(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Return limits that a user gives by name; raise a ValueError if one is not known."""
    for name in limits:
        if name not in _LIMITS:
            raise ValueError(f"limits has no {name!r}: it may have {', '.join(_LIMITS)}.")
        if limits[name] is not None and not _is_limit(name, limits[name]):
            raise ValueError(f"limits has {name}={limits[name]!r}, which is no limit.")
    return dict(limits)


def _is_limit(name: str, value: object) -> bool:
    """Whether a value can be a limit of this name: numbers of samples are whole, or shares of all samples."""
    if name == "monotonic_cst":
        directions = np.asarray(value)
        return directions.ndim == 1 and bool(np.all(np.isin(directions, (-1, 0, 1))))
    if is_whole(value) and not name.startswith(("min_gain", "min_impurity", "min_weight")):
        return True
    return is_real(value) and (0.0 <= value <= 1.0 if name.startswith("min_samples") else not isnan(value))
