"""Monotonic constraints of an estimator: as the kernels take them, and what they make of a grown tree's predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._engine import kernel
from .._missing import is_missing
from .._numbers import real_array
from .._tree_checks import DTYPES
from .._typing import AnyArray, FloatArray, IntArray
from ..input.categories import name_of_column
from ..input.targets import Grid
from ..tree import Tree

MONOTONIC_CONSTRAINTS: dict[str, list[Any]] = {"monotonic_cst": ["array-like", dict, None]}


def monotonic_limits(estimator: Any, n_features: int) -> dict[str, AnyArray]:
    """Return the estimator's monotonic constraints as a limit of growth, ``monotonic_cst``; none if all are 0.

    The estimator has learned the names of its features, and which features are categorical. Raises a ValueError if the
    constraints do not fit the features.
    """
    given = getattr(estimator, "monotonic_cst", None)
    if given is None:
        return {}
    directions = _of_names(estimator, given) if isinstance(given, dict) else _of_features(given, n_features)
    is_categorical = getattr(estimator, "is_categorical_", None)
    if is_categorical is not None and np.any(directions[is_categorical]):
        column = int(np.flatnonzero(is_categorical & (directions != 0))[0])
        raise ValueError(
            f"monotonic_cst constrains {name_of_column(estimator, column)}, which is categorical: categories have no "
            "order. Ordered categories of pandas have one, with categorical_features='from_dtype'."
        )
    return {"monotonic_cst": directions} if np.any(directions) else {}


def _of_features(given: Any, n_features: int) -> AnyArray:
    """Return constraints that are given as a sequence."""
    directions = real_array("monotonic_cst", given)
    if directions.ndim != 1:
        raise ValueError(f"monotonic_cst must have one dimension, got an array with {directions.ndim}.")
    if len(directions) != n_features:
        raise ValueError(f"monotonic_cst has shape {len(directions)} but the input data X has {n_features} features.")
    if not np.all(np.isin(directions, (-1, 0, 1))):
        raise ValueError(
            "monotonic_cst must be None or an array-like of -1, 0 or 1, or a dict of these by the names of features; "
            f"got {np.asarray(given).tolist()!r:.100}."
        )
    return directions.astype(np.int8)


def _of_names(estimator: Any, given: dict[Any, Any]) -> AnyArray:
    """Return constraints that are given by names of features."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        raise ValueError(
            f"{type(estimator).__name__} was not fitted on data with feature names. Pass monotonic_cst as an array of "
            "-1, 0 or 1, one for each feature."
        )
    unknown = [name for name in given if name not in set(names)]
    if unknown:
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        raise ValueError(
            f"monotonic_cst contains {len(unknown)} unexpected feature names: "
            f"{', '.join(map(repr, unknown[:5]))}{more}."
        )
    for name, direction in given.items():
        if is_missing(direction) or direction not in (-1, 0, 1):
            raise ValueError(f"monotonic_cst[{name!r}] must be either -1, 0 or 1, got {direction!r}.")
    return np.array([given.get(name, 0) for name in names], dtype=np.int8)


def check_classes(estimator: Any, n_classes: int) -> None:
    """Raise a ValueError if the estimator cannot constrain so many classes, or its criterion judges label sequences."""
    if n_classes > 2 and not estimator._orders_classes:
        raise ValueError(
            f"Monotonicity constraints are not supported with multiclass classification: y has {n_classes} classes. "
            "OrdinalDecisionTreeClassifier and OrdinalDecisionForestClassifier constrain the expected score of classes "
            "that have an order."
        )
    if estimator._judge().judges != "counts":
        raise ValueError(
            f"monotonic_cst cannot be used with criterion={estimator.criterion!r}: it judges the sequence of the "
            "labels. Choose a criterion on class counts."
        )


# -------------------------------------------------------------------------------------------------- of grown trees


def with_bounds(tree: Tree, monotonic_cst: AnyArray, counts: IntArray) -> Tree:
    """Return a tree of classes, grown with these constraints, whose nodes predict shares within their bounds.

    `counts` are the class counts of the nodes on the grid of the weights.
    """
    shares = _of_two(tree, counts, monotonic_cst) if tree.n_classes == 2 else _of_ranks(tree, counts, monotonic_cst)
    if np.array_equal(shares, tree.shares):
        return tree
    arguments = list(tree._arguments())
    arguments[-3] = shares
    return Tree(*arguments)


def numbers_within_bounds(
    tree: Tree, monotonic_cst: AnyArray, weight: IntArray, target_sum: AnyArray, grid: Grid
) -> Tree:
    """Return a tree of numbers, grown with these constraints, whose nodes predict numbers within their bounds.

    `weight` and `target_sum`, which may be objects, are the sums of the samples of every node on the grid.
    Values and bounds are the doubles nearest to exact numbers, so that no rounding breaks the order. If targets were
    rounded to the grid, bounds follow from the values themselves.
    """
    unit = grid.centre, grid.divisor, grid.exponent
    if not grid.is_exact:
        ratios = [number.as_integer_ratio() for number in tree.value[:, 0].tolist()]
        most = max(denominator for _, denominator in ratios)
        unit, weight = (0, 1, most.bit_length() - 1), np.ones(len(ratios), dtype=np.int64)
        target_sum = np.array([number * (most // denominator) for number, denominator in ratios], dtype=object)
    lower, upper = bounds_of(tree, monotonic_cst, target_sum, weight, *unit)
    value = np.clip(tree.value, lower[:, np.newaxis], upper[:, np.newaxis])
    arguments = list(tree._arguments())
    arguments[list(DTYPES).index("value")] = value
    return Tree(*arguments)


def bounds_of(tree: Tree, monotonic_cst: AnyArray, total: AnyArray, *further: Any) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper bounds of the values of all nodes, as the kernel `node_bounds` does."""
    splits = tree.child_offsets, tree.children, tree.feature, monotonic_cst
    lower, upper = kernel("node_bounds")(*splits, np.ascontiguousarray(total), *further)
    return np.asarray(lower), np.asarray(upper)


def _of_two(tree: Tree, counts: AnyArray, monotonic_cst: AnyArray) -> FloatArray:
    """Return the shares of both classes within their bounds, each rounded once, so that none of them breaks the order
    by its rounding."""
    shares, weight = tree.shares, counts.sum(axis=1)
    columns = []
    for label, direction in enumerate((-monotonic_cst, monotonic_cst)):
        columns.append(np.clip(shares[:, label], *bounds_of(tree, direction, counts[:, label], weight)))
    return np.stack(columns, axis=1)


def _of_ranks(tree: Tree, counts: AnyArray, monotonic_cst: AnyArray) -> FloatArray:
    """Return class shares whose mean rank is within its bounds."""
    ranks, shares = np.arange(tree.n_classes), tree.shares
    total, weight = counts @ ranks, counts.sum(axis=1)
    (lower, upper), means = bounds_of(tree, monotonic_cst, total, weight), total / weight
    shares = _moved_up(shares, np.maximum(lower - means, 0.0))
    return _moved_up(shares[:, ::-1], np.maximum(means - upper, 0.0))[:, ::-1]


def _moved_up(shares: FloatArray, rise: FloatArray) -> FloatArray:
    """Raise the mean rank of some rows: the same part of every class but the last becomes one of the next class."""
    shares, rows = shares.copy(), np.flatnonzero(rise > 0.0)
    while rows.size:
        movable = shares[rows, :-1].sum(axis=1)
        part = np.minimum(rise[rows] / movable, 1.0)
        moved = shares[rows, :-1] * part[:, np.newaxis]
        shares[rows, :-1] -= moved
        shares[rows, 1:] += moved
        rise = rise.copy()
        rise[rows] -= movable
        rows = rows[(part == 1.0) & (rise[rows] > 0.0) & (shares[rows, :-1].sum(axis=1) > 0.0)]
    return shares
