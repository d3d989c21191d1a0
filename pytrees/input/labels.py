"""Labels and targets of any container as arrays: exact, and without missing values.

NumPy makes floats of Arrow's and polars' integers with missing values, and of integers on both sides of 2**63;
scikit-learn makes floats of the nullable dtypes of pandas. Large labels would become equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from .._missing import is_missing
from .._numbers import any_sum, within_float64
from .._typing import AnyArray, IntArray


def labels_of(y: Any, name: str = "y") -> Any:
    """Return labels as an array in which labels are equal only if the given ones are; raise ValueError if some are
    missing.

    Integers become int64 or uint64, or stay objects where neither contains all of them. Labels of different kinds, such
    as numbers and strings, stay objects. Anything but an array, a sequence or a column is returned as it is.
    """
    if type(y) is np.ndarray and y.dtype.kind in "biuU":
        return y
    labels = unpacked(y, name)
    if not isinstance(labels, np.ndarray):
        return labels
    if labels.dtype.kind == "O" and labels.ndim > 0 and labels.size == len(labels):
        known = labels.ravel().tolist()
        if not all(issubclass(kind, (str, int)) for kind in set(map(type, known))):
            for label in known:
                if is_missing(label):
                    raise missing_value(name, label)
        return in_one_dtype(known, labels, isinstance(y, (list, tuple)))
    if labels.dtype.kind in "fcmM" and (labels != labels).any():
        raise missing_value(name, "NaT" if labels.dtype.kind in "mM" else np.nan)
    return labels


def label_column(y: Any, name: str) -> AnyArray:
    """Return labels as `labels_of` does, in one dimension."""
    column: AnyArray = column_or_1d(labels_of(y, name))
    return column


def together(*parts: AnyArray) -> AnyArray:
    """Join arrays of labels; no label changes, as integers would with floats or with integers of another sign."""
    if len({part.dtype.kind for part in parts}) == 1:
        return np.concatenate(parts)
    joined: AnyArray = labels_of([label for part in parts for label in part.tolist()])
    return joined


def positions_in(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return the position of every label among the classes, -1 if it is not one of them; integers of other dtypes are
    compared as they are."""
    positions = {label: position for position, label in enumerate(classes)}
    return np.array([positions.get(label, -1) for label in labels], dtype=np.int64)


def unpacked(values: Any, name: str) -> Any:
    """Return a column of pandas, polars or Arrow as an array of unchanged values, a sequence as one of objects; raise
    ValueError if a container marks values as missing. Anything else is returned as it is."""
    if isinstance(values, (list, tuple)):
        return _as_objects(values)
    column = _only_column(values)
    if np.ma.is_masked(column) or has_nulls(column):
        raise missing_value(name)
    if not hasattr(column, "__array__"):
        return values
    array = np.asarray(column)
    array = array.astype(object) if array.dtype.kind == "T" else array
    if array.dtype.kind == "U" and hasattr(column, "to_list") and array.tolist() != (listed := column.to_list()):
        array = _as_objects(listed)  # NumPy's strings end before zeros at their ends
    return array if column is values else array.reshape(-1, 1)


def has_nulls(column: Any) -> bool:
    """Whether a column has values that its library marks as missing."""
    if hasattr(column, "column_names") or hasattr(column, "chunks"):  # Arrow's tables and chunked arrays
        return any(map(has_nulls, getattr(column, "columns" if hasattr(column, "column_names") else "chunks", ())))
    n_nulls = getattr(column, "null_count", None)  # an attribute in Arrow, a method in polars
    if n_nulls is not None:
        n_nulls = n_nulls() if callable(n_nulls) else n_nulls + getattr(column, "dictionary", column).null_count
        return bool(np.any(np.asarray(n_nulls)))
    is_extension = hasattr(column, "isna") and not isinstance(getattr(column, "dtype", None), (np.dtype, type(None)))
    return is_extension and bool(np.any(np.asarray(column.isna())))


def numbers_of(values: Any, name: str) -> Any:
    """Return numbers as an array; raise ValueError if some are missing, are strings, which NumPy would read as numbers,
    dates, or beyond the range of float64."""
    numbers = unpacked(values, name)
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind in "SUmMV":
        raise ValueError(f"Input {name} holds no numbers, but values of dtype {numbers.dtype}. Convert them.")
    if not isinstance(numbers, np.ndarray) or numbers.dtype.kind != "O":
        return numbers
    for number in numbers.ravel().tolist():
        if is_missing(number):
            raise missing_value(name, number)
        if isinstance(number, (str, bytes)):
            raise ValueError(
                f"Input {name} holds no numbers, but words, such as {number!r:.100}. Convert them to numbers."
            )
    try:
        with within_float64(f"Input {name}"), any_sum():
            return numbers.astype(np.float64)
    except TypeError as error:
        raise ValueError(f"Input {name} holds values that are no numbers: {error}. Convert them to numbers.") from error


def missing_value(name: str, label: Any = np.nan) -> ValueError:
    """Make the error about a missing label or target, in scikit-learn's words."""
    what = {"None": "None", "NaT": "NaT"}.get(str(label), "NaN")
    return ValueError(f"Input {name} contains {what}: leave out the samples with missing values.")


def in_one_dtype(known: list[Any], labels: AnyArray, is_list: bool) -> AnyArray:
    """Return objects in the dtype of NumPy that contains all of them unchanged; `labels` if there is none, or if they
    are strings of an array."""
    kinds = set(map(type, known))
    if all(issubclass(kind, str) for kind in kinds):
        # NumPy's strings end before the zeros at their ends.
        converted = np.array(known) if is_list else labels
        return converted.reshape(labels.shape) if converted.tolist() == known else labels
    if not all(issubclass(kind, (Real, np.bool_)) for kind in kinds):
        return labels
    converted = np.array(known)
    if all(issubclass(kind, (Integral, np.bool_)) for kind in kinds):
        if converted.dtype.kind not in "biu" and min(known) >= 0 and max(known) < 2**64:
            converted = np.array(known, dtype=np.uint64)
        is_exact = converted.dtype.kind in "biu"
    else:
        is_exact = converted.tolist() == known
    return converted.reshape(labels.shape) if is_exact else labels


def _as_objects(listed: Sequence[Any]) -> AnyArray:
    """Return a sequence as an array of objects; one of sequences of several entries as NumPy converts it."""
    if any(isinstance(entry, (list, tuple, np.ndarray)) for entry in listed):
        return np.array(listed, dtype=object) if {np.shape(entry) for entry in listed} == {(1,)} else np.asarray(listed)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _only_column(values: Any) -> Any:
    """Return the column of a data frame that has one, of pandas, polars or Arrow; anything else as it is."""
    shape: tuple[int, ...] = getattr(values, "shape", ())
    if isinstance(values, np.ndarray) or len(shape) != 2 or shape[1] != 1:
        return values
    if hasattr(values, "iloc"):
        return values.iloc[:, 0]
    if hasattr(values, "to_series"):
        return values.to_series()
    return values.column(0) if hasattr(values, "column_names") else values
