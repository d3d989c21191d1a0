"""The order of classes: named by the user, or given by pandas' ordered categories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import pairwise
from typing import Any
from warnings import warn

import numpy as np
from sklearn.utils import column_or_1d

from .._missing import is_missing
from .._typing import AnyArray, IntArray
from .labels import has_nulls, in_one_dtype, labels_of, missing_value, unpacked
from .validation import level_of_caller


def class_order(classes: Any) -> AnyArray:
    """Return the parameter `classes` as an array, in which each class keeps its type."""
    if isinstance(classes, (str, bytes, Mapping, Set)) or not isinstance(classes, Iterable):
        raise ValueError(f"classes must be a sequence in the order of the scale, got {type(classes).__name__}.")
    lacks_some = np.ma.is_masked(classes) or has_nulls(classes)
    if hasattr(classes, "__array__"):
        classes = np.array(classes)  # a copy: nobody changes the order of a fitted estimator
    else:
        listed = list(classes)
        classes = in_one_dtype(listed, np.fromiter(listed, dtype=object, count=len(listed)), is_list=True)
    if classes.ndim != 1:
        raise ValueError(f"classes must have one dimension, got an array with {classes.ndim}.")
    if not len(classes):
        raise ValueError("classes is empty: leave it out, or name all classes in their order.")
    listed = classes.tolist()
    if lacks_some or any(is_missing(label) for label in listed):
        raise ValueError("classes holds a missing value, which cannot be a class.")
    if len(_ranks(listed, "classes")) < len(listed):
        repeated = next(label for rank, label in enumerate(listed) if label in listed[:rank])
        raise ValueError(f"classes holds {repeated!r} more than once.")
    return classes


def _ranks(listed: list[Any], what: str) -> dict[Any, int]:
    try:
        return {label: rank for rank, label in enumerate(listed)}
    except TypeError:
        # The message of TypeError is another one in every version of Python.
        kind = next(type(label).__name__ for label in listed if not _can_be_hashed(label))
        raise ValueError(f"{what} holds a label that cannot be a class: unhashable type: {kind!r}.") from None


def _can_be_hashed(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def codes_in(y: Any, classes: AnyArray) -> IntArray:
    """Find the rank of every label among the classes; labels need not be of a kind that can be sorted."""
    y = np.fromiter(y, dtype=object, count=len(y)) if isinstance(y, (list, tuple)) else unpacked(y, "y")
    listed = column_or_1d(y, warn=True).tolist()
    if any(is_missing(label) for label in listed):
        raise missing_value("y")
    ranks = _ranks(classes.tolist(), "classes")
    unknown = [label for label in _ranks(listed, "y") if label not in ranks]
    if unknown:
        more = ", ..." if len(unknown) > 5 else ""
        named = ", ".join(repr(label) for label in unknown[:5]) + more
        raise ValueError(f"y holds labels that are not among classes={classes.tolist()!r}: {named}.")
    return np.array([ranks[label] for label in listed], dtype=np.int64)


def warn_of_other_order(y: Any, classes: AnyArray) -> None:
    """Warn if y is an ordered Categorical, or a column of one, in which some of the classes have another order."""
    categorical = _ordered(y)
    if categorical is None:
        return
    ranks = _ranks(classes.tolist(), "classes")
    shared = [label for label in categorical.categories.tolist() if label in ranks]
    for lower, higher in pairwise(shared):
        if ranks[lower] > ranks[higher]:
            warn(
                f"classes= differs from the order of the Categorical y, in which {lower!r} is below {higher!r}; "
                "classes= is used.",
                stacklevel=level_of_caller(),
            )
            return


def ordered_categories(y: Any) -> tuple[IntArray, AnyArray] | None:
    """Return codes and categories of an ordered pandas Categorical, or of a column of one; None for anything else."""
    categorical = _ordered(y)
    if categorical is None:
        return None
    if getattr(y, "ndim", 1) == 2:
        column_or_1d(y, warn=True)
    codes = np.asarray(categorical.codes, dtype=np.int64)
    if np.any(codes < 0):
        raise missing_value("y")
    return codes, labels_of(categorical.categories)


def _ordered(y: Any) -> Any:
    """Return the ordered pandas Categorical that y is or has as its column; None for anything else."""
    is_frame = getattr(y, "ndim", 1) == 2 and hasattr(y, "iloc") and y.shape[1] == 1
    column = y.iloc[:, 0] if is_frame else y
    categorical = getattr(column, "cat", column)
    return categorical if getattr(categorical, "ordered", False) else None
