"""Check the user's X, y, weights and keys of order, and code them as the kernels take them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from math import isfinite, isnan
from numbers import Real
from typing import Any, TypeGuard, TypeVar
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_X_y, validate_data

from .._missing import is_missing
from .._numbers import any_sum, within_float64
from .._sklearn import feature_names_of
from .._typing import AnyArray, BoolArray, ClassWeight, CodeArray, FloatArray, IntArray, MatrixLike, TableArray
from .._weights import MAX_TOTAL_COUNT
from .categories import (
    allows_missing,
    check_holds_no_dates,
    encode,
    fit_encode,
    name_of_column,
    names_of_columns,
    not_finite,
    takes_codes,
)
from .labels import has_nulls, labels_of, numbers_of, unpacked
from .layout import PLAIN, as_it_is, plain, reads_any_layout, slabs_of

_Array = TypeVar("_Array", bound=AnyArray)
_Scalar = TypeVar("_Scalar", bound=np.generic)

# Up to this number of samples, the kernels' integers do not overflow.
MAX_SAMPLES = 2**28

# More classes than these are a sign of a quantity if they are whole numbers.
_MOST_CLASSES = 100
_REGRESSORS = "DecisionTreeRegressor and DecisionForestRegressor"

# Errors of NumPy and pandas about words among numbers.
_ABOUT_WORDS = ("could not convert string", "Cannot cast str")
_NO_NUMBER = "float() argument must be a string or a real number"


def validate_X(estimator: Any, X: MatrixLike) -> FloatArray:
    """Validate X for a fitted estimator: C-contiguous, float64, finite; errors name the column that is not.

    Categorical features come as codes. If the estimator allows missing values, they are NaN.
    """
    X = validate_rows(estimator, X)
    check_finite(estimator, X)
    return X


def aligned(array: _Array) -> _Array:
    """Return the array, or a copy if its numbers are not aligned in memory, as in a buffer that came over a network:
    the kernels read aligned memory only."""
    return array if array.flags.aligned else array.copy()


def in_slabs(estimator: Any, X: MatrixLike, predict: Callable[[FloatArray], NDArray[_Scalar]]) -> NDArray[_Scalar]:
    """Validate X as `validate_rows` does, and return what `predict` makes of its rows; a table of another dtype or
    layout is not converted at once, but slab by slab."""
    table = _validated_rows(estimator, X, as_it_is(X))
    slabs = slabs_of(table)
    if _is_plain(table) or len(slabs) == 1:
        return predict(plain(table))
    check_finite(estimator, table)  # so that errors name the first column of all rows
    of_slabs = (predict(plain(table[slab])) for slab in slabs)
    of_first = next(of_slabs)
    found = np.empty((len(table), *of_first.shape[1:]), dtype=of_first.dtype)
    found[slabs[0]] = of_first
    for slab, of_slab in zip(slabs[1:], of_slabs, strict=True):
        found[slab] = of_slab
    return found


def validate_rows(estimator: Any, X: Any) -> FloatArray:
    """Validate X as `validate_X` does, but leave the search for NaN and infinity to the caller."""
    return _validated_rows(estimator, X, PLAIN)


def _validated_rows(estimator: Any, X: Any, how: dict[str, Any]) -> Any:
    if _is_plain(X) and _has_known_features(estimator, X):
        return X
    with naming_columns(estimator, X):
        if takes_codes(estimator):
            return encode(estimator, X, allow_missing=allows_missing(estimator))
        check_holds_no_dates(estimator, X)
        return aligned(validate_data(estimator, X, reset=False, ensure_all_finite=False, **how))


def _is_plain(X: Any) -> TypeGuard[FloatArray]:
    """Whether `validate_data` would return X unchanged; that call takes as long as a small tree takes to grow."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.flags.c_contiguous
        and X.flags.aligned
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] > 0
    )


def _has_known_features(estimator: Any, X: FloatArray) -> bool:
    return (
        X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
        and not takes_codes(estimator)
    )


def _are_plain_labels(y: Any, X: FloatArray) -> bool:
    """Whether y holds a whole number for every sample of X."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iu" and len(y) == len(X)


def _are_plain_numbers(y: Any, X: FloatArray) -> bool:
    """Whether y holds a finite float64 for every sample of X."""
    return (
        type(y) is np.ndarray
        and y.ndim == 1
        and y.dtype == np.float64
        and len(y) == len(X)
        and bool(np.isfinite(y).all())
    )


class _Columns:
    """The columns of a table that a function takes: errors describe them as they describe an estimator's columns."""

    categorical_features = None

    def __init__(self, X: Any) -> None:
        names = feature_names_of(X)
        if names is not None:
            self.feature_names_in_ = names


def validate_numbers(function: str, X: ArrayLike, y: Any) -> tuple[FloatArray, CodeArray, AnyArray]:
    """Validate X and y for a function that takes no missing values and no categories; errors name the function.

    Returns X as `validate_X` does, y as class codes (int32), and the sorted classes they stand for.
    """
    columns, y = _Columns(X), labels_of(y)
    if not (_is_plain(X) and _are_plain_labels(y, X)):
        check_holds_no_dates(columns, X)
        with naming_columns(columns, X, function), any_sum():
            X, y = check_X_y(X, y, estimator=function, ensure_all_finite=False, **PLAIN)
    X = aligned(X)
    check_finite(columns, X, function)
    _check_can_be_counted(len(y))
    classes, codes = _coded_labels(y)
    return X, codes, classes


def warn_of_words(classes: AnyArray, remedy: str) -> None:
    """Warn if three or more classes are words, which are in the alphabet's order, where their order counts."""
    listed = classes.tolist()
    if len(listed) > 2 and all(isinstance(label, str) for label in listed):
        shown = f"{listed[:5]!r}"[1:-1] + (", ..." if len(listed) > 5 else "")
        warn(f"The classes are words, in the alphabet's order: {shown}. {remedy}", stacklevel=level_of_caller())


def validate_X_y(
    estimator: Any, X: MatrixLike, y: Any, are_codes: bool = False
) -> tuple[FloatArray, CodeArray, AnyArray]:
    """Validate X as `validate_X` does, but take float32 and any layout if the estimator's kernels read them; return y
    as class codes (int32), and the sorted classes they stand for.

    `are_codes`: y holds codes of classes that the user has named, however many they are.
    """
    with naming_columns(estimator, X):
        coded = fit_encode(estimator, X, allow_missing=allows_missing(estimator))
    return validate_coded_X_y(estimator, X, y, coded, are_codes)


def validate_coded_X_y(
    estimator: Any, X: MatrixLike, y: Any, coded: FloatArray | None, are_codes: bool = False
) -> tuple[FloatArray, CodeArray, AnyArray]:
    """Validate X and y; `coded` is X with codes of categories, or None if it has none."""
    X, y = _validated_pair(estimator, X, labels_of(y), coded)
    classes, codes = _coded_labels(y, are_codes)
    return X, codes, classes


def _validated_pair(
    estimator: Any, X: Any, y: Any, coded: FloatArray | None, y_numeric: bool = False
) -> tuple[FloatArray, AnyArray]:
    """Return X as `validate_X` does, and y as an array of one dimension."""
    if coded is None and _is_plain(X) and (_are_plain_numbers if y_numeric else _are_plain_labels)(y, X):
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
    else:
        how = as_it_is(X) if reads_any_layout(estimator) else PLAIN
        kind = {**how, "ensure_all_finite": False, "y_numeric": y_numeric}
        with naming_columns(estimator, X), any_sum():
            if coded is None:
                check_holds_no_dates(_Columns(X), X)
                X, y = validate_data(estimator, X, y, **kind)
            else:
                X, y = check_X_y(coded, y, estimator=estimator, **kind)
    X = aligned(X)
    check_finite(estimator, X)
    _check_can_be_counted(len(y))
    return X, y


def validate_X_numbers(estimator: Any, X: MatrixLike, y: Any) -> tuple[FloatArray, FloatArray]:
    """Validate X as `validate_X` does, and y as the finite numbers, float64, that a regressor learns."""
    _check_is_one_number(estimator, y)
    with naming_columns(estimator, X):
        coded = fit_encode(estimator, X, allow_missing=allows_missing(estimator))
    return validate_coded_X_numbers(estimator, X, y, coded)


def validate_coded_X_numbers(
    estimator: Any, X: MatrixLike, y: Any, coded: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Validate X and the numbers y; `coded` is X with codes of categories, or None if it has none."""
    _check_is_one_number(estimator, y)
    X, y = _validated_pair(estimator, X, numbers_of(y, "y"), coded, y_numeric=True)
    with any_sum():
        numbers = aligned(np.ascontiguousarray(y, dtype=np.float64))
    if not np.isfinite(numbers).all():  # of objects, or of a wider float, which can hold more than a double
        raise ValueError("Input y contains infinity, or a number that is beyond the range of float64, 1.8e308.")
    return X, numbers


def _check_is_one_number(estimator: Any, y: Any) -> None:
    """Raise ValueError if y has several numbers for a sample."""
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, (list, tuple)) and len(y) > 0 and isinstance(y[0], (list, tuple, np.ndarray)):
        shape = len(y), len(y[0])
    if shape is not None and len(shape) > 1 and shape[1] > 1:
        raise ValueError(
            f"{_name_of(estimator)} predicts one number, and y has the shape {tuple(shape)}: fit a tree for every "
            "column of y, for example by sklearn.multioutput.MultiOutputRegressor."
        )


def _name_of(estimator: Any) -> str:
    return type(estimator).__name__


def _check_can_be_counted(n_samples: int) -> None:
    if n_samples > MAX_SAMPLES:
        raise ValueError(f"X has {n_samples} samples; at most {MAX_SAMPLES} can be fitted.")


def _coded_labels(y: AnyArray, are_codes: bool = False) -> tuple[AnyArray, CodeArray]:
    """Return the sorted classes, and the code of every label (int32); warn if there are many, and y holds no codes."""
    classes, codes = _sorted_labels(y)
    if len(classes) > _MOST_CLASSES and classes.dtype.kind in "iuf" and not are_codes:
        warn(
            f"The number of unique classes is {len(classes)}, and all are whole numbers. If y holds numbers and not "
            f"names of classes, {_REGRESSORS} predict them.",
            stacklevel=level_of_caller(),
        )
    return classes, codes


def _sorted_labels(y: AnyArray) -> tuple[AnyArray, CodeArray]:
    """Return the sorted classes, and the code of every label (int32)."""
    if y.dtype.kind in "iu" and len(y) > 0:
        low = int(y.min())
        n_values = int(y.max()) - low + 1
        if 2 * n_values <= len(y) and y.dtype.isnative:  # with more classes scikit-learn warns
            return _coded_integers(y, low, n_values)
    try:
        classes, codes = np.unique(y, return_inverse=True)
        # scikit-learn's check warns of few samples for each class, which `_coded_labels` tells of many whole numbers.
        if not _are_many_whole_numbers(y):
            _check_are_classes(y)
    except TypeError as error:
        raise ValueError(
            f"Input y holds labels that cannot be sorted: {error}. Class labels must be all words, all numbers, or of "
            "one other type that can be sorted."
        ) from error
    return classes, codes.astype(np.int32)


def _are_many_whole_numbers(y: AnyArray) -> bool:
    is_number = y.dtype.kind in "iuf" and len(y) > _MOST_CLASSES
    return is_number and bool(np.all(y == np.floor(y))) and len(np.unique(y)) > _MOST_CLASSES


def _check_are_classes(y: AnyArray) -> None:
    """Raise ValueError if labels are no classes; name the estimators for numbers that are none."""
    try:
        with np.errstate(invalid="ignore"):  # it compares numbers of any size with integers
            check_classification_targets(y)
    except ValueError as error:
        if y.dtype.kind == "O" and all(isinstance(label, Real) for label in y.tolist()):
            greatest = max(y.tolist(), key=abs)
            raise ValueError(
                f"Input y contains labels that no dtype of NumPy represents exactly, such as {greatest}: expected "
                "integers within int64 or uint64, or strings. Convert the labels to strings."
            ) from error
        if y.dtype.kind != "f":
            raise
        raise ValueError(f"{error} {_REGRESSORS} predict numbers.") from error


def level_of_caller() -> int:
    """Return the level of the stack, seen from the function that asks, of the code that called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("pytrees", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level


def _coded_integers(y: AnyArray, low: int, n_values: int) -> tuple[AnyArray, CodeArray]:
    """Return the classes and codes of whole numbers in a range of `n_values` from `low` on, without sorting them."""
    # Differences of narrow integers can wrap around; read as unsigned integers they are right.
    offsets = (y - y.dtype.type(low)).view(f"u{y.dtype.itemsize}").astype(np.intp)
    is_class = np.zeros(n_values, dtype=bool)
    is_class[offsets] = True
    codes = np.add.accumulate(is_class, dtype=np.int32) - 1
    classes = is_class.nonzero()[0].astype(y.dtype) + y.dtype.type(low)
    return classes, codes[offsets]


@contextmanager
def naming_columns(estimator: Any, X: MatrixLike, function: str | None = None) -> Iterator[None]:
    """Turn errors about words, objects that are no numbers, and numbers beyond the range of float64, into errors that
    name a column."""
    try:
        yield
    except TypeError as error:
        if _NO_NUMBER not in str(error):
            raise
        columns = _columns_that_raise(TypeError, X, _encoded_columns(estimator))
        if not columns:
            raise
        column = columns[0]
        found = next(filter(_is_no_number, np.asarray(X, dtype=object)[:, column]))
        raise TypeError(
            f"{error}. Input X holds values of type {type(found).__name__} in {name_of_column(estimator, column)}, "
            "which are no numbers: make numbers of them, such as the days since a date."
        ) from error
    except OverflowError as error:
        columns = _columns_that_raise(OverflowError, X)
        place = f" in {name_of_column(estimator, columns[0])}" if columns else ""
        raise ValueError(f"Input X contains a number{place} that is beyond the range of float64, 1.8e308.") from error
    except ValueError as error:
        takes_words = hasattr(estimator, "categorical_features") or hasattr(estimator, "_remedy_for_words")
        if not takes_words or not any(text in str(error) for text in _ABOUT_WORDS):
            raise
        columns = _columns_that_raise(ValueError, X, _encoded_columns(estimator))
        if not columns:
            raise
        advice = _advice_on_words(estimator, X, function, "this column" if len(columns) == 1 else "these columns")
        raise ValueError(
            f"{error}. Input X holds words in {names_of_columns(estimator, columns)}: {advice}."
        ) from error


def _encoded_columns(estimator: Any) -> BoolArray | None:
    """Return which columns of words an estimator encodes itself, or None; a tree takes codes, though it may know the
    names of categories."""
    return getattr(estimator, "is_categorical_", None) if hasattr(estimator, "categorical_features") else None


def _advice_on_words(estimator: Any, X: MatrixLike, function: str | None, these: str) -> str:
    """Return for an error message what to do with columns of words, "this column" or "these columns"."""
    encode_them = f"encode {these}, for example by sklearn.preprocessing.OneHotEncoder"
    if function is not None:
        return f"{function} takes numbers only; {encode_them}"
    remedy: str | None = getattr(estimator, "_remedy_for_words", None)
    if remedy is not None:
        return remedy.format(encode_them=encode_them, these=these)
    if isinstance(getattr(estimator, "categorical_features", None), str):
        return f"if they are categories, give {these} the dtype category, which 'from_dtype' takes"
    advice = f"if they are categories, name {these} in categorical_features"
    if hasattr(estimator, "estimator"):
        advice += " of estimator"
    if any(str(dtype) == "category" for dtype in getattr(X, "dtypes", ())):
        advice += ", or take all columns of the dtype category by categorical_features='from_dtype'"
    return advice


def _is_no_number(entry: Any) -> bool:
    cell = np.empty(1, dtype=object)
    cell[0] = entry
    try:
        cell.astype(np.float64)
    except TypeError:
        return True
    except (OverflowError, ValueError):
        pass
    return False


def _columns_that_raise(kind: type[Exception], X: MatrixLike, skipped: BoolArray | None = None) -> list[int]:
    """Return the columns, except skipped columns, whose conversion to numbers raises this error."""
    table, found = np.asarray(X, dtype=object), []
    for column in range(table.shape[1] if table.ndim == 2 else 0):
        if skipped is not None and skipped[column]:
            continue
        try:
            np.asarray(table[:, column], dtype=np.float64)
        except kind:
            found.append(column)
        except (OverflowError, TypeError, ValueError):  # another error
            continue
    return found


def check_finite(estimator: Any, X: TableArray, name: str | None = None) -> None:
    """Raise a ValueError that names the first column with infinity, or with NaN if that is not allowed."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = X.sum(dtype=np.float64)
    if isfinite(total):  # then all values are finite; a test of each would need a second array
        return
    is_bad = np.isinf(X) if allows_missing(estimator) else ~np.isfinite(X)
    if not is_bad.any():
        return
    column = int(np.flatnonzero(is_bad.any(axis=0))[0])
    what = "infinity" if np.isinf(X[is_bad[:, column], column]).all() else "NaN"
    raise not_finite(what, estimator, column, name)


def may_have_missing(X: FloatArray) -> bool:
    """Whether X, which holds no infinity, may hold NaN, by its sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        return isnan(X.sum())


def row_order(order: Any, n_samples: int) -> IntArray | None:
    """Sort the samples by keys, stably; None if there are no keys."""
    if order is None:
        return None
    keys = _checked_keys(order, n_samples, "order", "such samples have no place in the order")
    with _naming_keys("order"):
        return np.argsort(keys, kind="stable")


def warn_of_order(order: Any, judge: Any) -> None:
    """Warn if there are keys for the order of the samples, but a criterion that does not look at the order."""
    if order is not None and judge.judges != "sequence":
        warn(
            f"order has no influence: the criterion {judge.name!r} does not look at the order of the samples; 'etc' "
            "and 'lz76' do.",
            stacklevel=level_of_caller(),
        )


def group_codes(groups: Any, n_samples: int) -> CodeArray:
    """Code the groups of the samples 0, 1, ... in sorted order."""
    keys = _checked_keys(groups, n_samples, "groups", "such samples belong to no group")
    with _naming_keys("groups"):
        return np.unique(keys, return_inverse=True)[1].astype(np.int32)


def order_by_group(codes: CodeArray, order: Any) -> IntArray:
    """Return the position of every sample when they are sorted group by group, in the order of each group."""
    in_order = row_order(order, len(codes))
    in_order = np.arange(len(codes)) if in_order is None else in_order
    rows = in_order[np.argsort(codes[in_order], kind="stable")]
    positions = np.empty(len(codes), dtype=np.int64)
    positions[rows] = np.arange(len(codes))
    return positions


@contextmanager
def _naming_keys(name: str) -> Iterator[None]:
    """Turn the error about keys that cannot be sorted into one that names the parameter."""
    try:
        yield
    except TypeError as error:
        raise ValueError(f"{name} holds keys that cannot be sorted: {error}.") from error


def _checked_keys(given: Any, n_samples: int, name: str, why: str) -> AnyArray:
    """Return a key for every sample; raise ValueError if a key is missing."""
    if has_nulls(given):
        raise ValueError(f"{name} contains missing values (NaN, NaT, NA or None): {why}.")
    keys = _keys_of_samples(given, name)
    if len(keys) != n_samples:
        raise ValueError(f"{name} has {len(keys)} keys for {n_samples} samples.")
    if any(is_missing(key) for key in keys.tolist()) if keys.dtype == object else np.any(keys != keys):
        raise ValueError(f"{name} contains missing values (NaN, NaT, NA or None): {why}.")
    if keys.dtype.kind == "c":
        raise ValueError(f"{name} holds keys that cannot be sorted: complex numbers.")
    return keys


def _keys_of_samples(order: Any, name: str) -> AnyArray:
    """Return the keys as an array of one dimension: of numbers or dates, or of unconverted objects."""
    # An ordered categorical column sorts by its categories; the code of a missing value is -1.
    categorical = getattr(order, "cat", order)
    if getattr(categorical, "ordered", False):
        codes = np.asarray(categorical.codes)
        return np.where(codes < 0, np.nan, codes)
    if np.ma.is_masked(order):
        raise ValueError(f"{name} contains missing values: some of it is masked.")
    if hasattr(order, "__array__"):
        keys = unpacked(order, name)
        if keys.ndim != 1:
            raise ValueError(f"{name} must have one dimension, got an array with {keys.ndim}.")
        return keys
    if isinstance(order, (str, bytes, Mapping, Set)) or not isinstance(order, Iterable):
        raise ValueError(f"{name} must be a sequence of keys, one for every sample, got {type(order).__name__}.")
    listed = list(order)
    if any(isinstance(key, (list, tuple, np.ndarray)) for key in listed):
        raise ValueError(f"{name} must have one dimension, got keys that are sequences.")
    keys = np.empty(len(listed), dtype=object)  # np.array would turn numbers among words into words
    keys[:] = listed
    return keys


def row_weights(X: Any, y: Any, sample_weight: ArrayLike | None, class_weight: ClassWeight) -> AnyArray | None:
    """Compute one weight for every sample, in the form of `counts_where_exact`."""
    if sample_weight is None and class_weight is None:
        return None
    weights = np.ones(len(X))
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, X)
    if class_weight is not None:
        try:
            with within_float64("class_weight"):
                of_classes = compute_sample_weight(class_weight, y)
        except (ArithmeticError, TypeError, ValueError) as error:
            if "class_weight" in str(error):
                raise
            reason = str(error).removesuffix(".")
            raise ValueError(
                f"class_weight must have a number for every class, got {class_weight!r}: {reason}."
            ) from error
        with np.errstate(over="ignore", invalid="ignore"):  # the next line looks for both
            weights = weights * of_classes
        if not np.all(np.isfinite(weights)) or np.any(weights < 0.0) or not np.any(weights > 0.0):
            raise ValueError(f"class_weight={class_weight!r} gives weights that are negative, infinite, or all zero.")
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        given = {"sample_weight": sample_weight, "class_weight": class_weight}
        names = " times ".join(name for name, value in given.items() if value is not None)
        raise ValueError(f"The values of {names} are too large: their sum is infinite.")
    return counts_where_exact(weights)


def check_sample_weight(sample_weight: ArrayLike, X: Any) -> FloatArray:
    """Validate the weights of the samples of X; return them as float64, finite and not negative."""
    sample_weight = numbers_of(sample_weight, "sample_weight")
    if np.ndim(sample_weight) == 0:
        sample_weight = numbers_of([sample_weight], "sample_weight").repeat(len(X))
    with within_float64("sample_weight"):
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():  # scikit-learn refuses weights of zero alone only from 1.9 on
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def counts_where_exact(weights: AnyArray) -> AnyArray | None:
    """Return the weights as the kernels take them: None if all are 1, int64 if they are whole, otherwise float64.

    Whole numbers are compared exactly, like counts of repeated samples.
    """
    if np.all(weights == 1):
        return None
    are_whole = weights.dtype == np.int64 or np.all(weights == np.floor(weights))
    if are_whole and weights.sum() < MAX_TOTAL_COUNT:
        return weights.astype(np.int64, copy=False)
    return weights.astype(np.float64)
