"""Categorical features: which columns they are, which categories `fit` has seen, and the codes for the kernels.

scikit-learn's `OrdinalEncoder` gives the same codes, but takes None, NaN and NaT for categories of their own, refuses
columns with the NA of pandas or with tuples, names no column in its errors, and takes three to six times as long to
code one sample.

If an estimator takes missing values, they are one category, the last; only C4.5 has no category for them. The ordered
categories of pandas become numbers, their positions in the order, which thresholds split.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import repeat
from numbers import Integral
from typing import Any, NoReturn

import numpy as np
from sklearn.utils.validation import validate_data

from .._engine import kernel
from .._missing import is_missing
from .._numbers import check_array
from .._sklearn import StrOptions, narwhals
from .._typing import AnyArray, BoolArray, CategoricalFeatures, FloatArray, IntArray

_WAYS = {"error", "majority"}

CATEGORICAL_CONSTRAINTS: dict[str, list[Any]] = {
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "handle_unknown": [StrOptions(_WAYS)],
}

SPLIT_CONSTRAINTS: dict[str, list[Any]] = {"categorical_split": [StrOptions({"multiway", "subset"})]}

# The code of a value that fit has not seen: no child of a node has it.
UNKNOWN = -1

_NUMBERS = "biuf"
_OBJECTS = "OUS"

# --------------------------------------------------------------------------------------------------- which features


def resolve(
    categorical_features: CategoricalFeatures, X: Any, n_features: int, names: Sequence[str] | AnyArray | None = None
) -> BoolArray | None:
    """Find the categorical features: return a mask of shape (n_features,), or None if there are none.

    `categorical_features` and `X` are as users give them; "from_dtype" looks at the dtypes of X. `names` has the names
    of a data frame's columns. Raises a ValueError if a feature is unknown or repeated, or a mask has a wrong length.
    """
    if categorical_features is None:
        return None
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(f"categorical_features must be a sequence or 'from_dtype', got {categorical_features!r}.")
        mask = _is_categorical_by_dtype(X, n_features) & ~_is_ordered(X, n_features)
    else:
        mask = _mask_of(_listed(categorical_features), n_features, names)
    return mask if mask.any() else None


def _is_categorical_by_dtype(X: Any, n_features: int) -> BoolArray:
    """Return which columns of a data frame have categories of pandas or polars, or dictionaries of pyarrow."""
    frame = frame_of(X)
    if frame is None:
        return np.zeros(n_features, dtype=bool)
    kinds = narwhals.Categorical, narwhals.Enum
    return np.array([isinstance(dtype, kinds) for dtype in frame.schema.values()], dtype=bool)


def _is_ordered(X: Any, n_features: int) -> BoolArray:
    """Return which columns of a data frame have ordered categories of pandas."""
    if not hasattr(X, "iloc") or getattr(X, "ndim", 0) != 2:
        return np.zeros(n_features, dtype=bool)
    return np.array([bool(getattr(dtype, "ordered", False)) for dtype in X.dtypes], dtype=bool)


def takes_codes(estimator: Any) -> bool:
    """Whether a fitted estimator has features whose values are not the numbers that its trees compare."""
    return getattr(estimator, "is_categorical_", None) is not None or bool(
        getattr(estimator, "ordered_categories_", None)
    )


def frame_of(X: Any) -> Any:
    """Return a data frame of any library as one of narwhals; None if X is none."""
    if narwhals is None:
        if hasattr(X, "columns"):
            raise ImportError(
                "Categories in data frames need narwhals, which scikit-learn installs from 1.9 on: pip install narwhals"
            )
        return None
    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, narwhals.DataFrame) else None


def _listed(given: Any) -> list[Any]:
    if isinstance(given, (bytes, Mapping, Set)) or not isinstance(given, Iterable):
        raise ValueError(
            "categorical_features must be a sequence of bool, int or str, 'from_dtype' or None, got "
            f"{type(given).__name__}."
        )
    if hasattr(given, "__array__"):
        given = np.asarray(given)
        if given.ndim != 1:
            raise ValueError(f"categorical_features must have one dimension, got an array with {given.ndim}.")
        return given.tolist()
    return list(given)


def _mask_of(listed: list[Any], n_features: int, names: Sequence[str] | AnyArray | None) -> BoolArray:
    if all(isinstance(entry, (bool, np.bool_)) for entry in listed):
        if listed and len(listed) != n_features:
            raise ValueError(f"categorical_features is a mask of {len(listed)} values for {n_features} features.")
        return np.array(listed, dtype=bool) if listed else np.zeros(n_features, dtype=bool)
    if all(isinstance(entry, str) for entry in listed):
        listed = _numbers_of(listed, names)
    elif not all(isinstance(entry, Integral) and not isinstance(entry, bool) for entry in listed):
        kinds = ", ".join(sorted({type(entry).__name__ for entry in listed}))
        raise ValueError(f"categorical_features must be a sequence of bool, of int or of str, got: {kinds}.")
    mask = np.zeros(n_features, dtype=bool)
    for feature in listed:
        if not 0 <= feature < n_features:
            raise ValueError(f"categorical_features holds {feature}: features are numbered from 0 to {n_features - 1}.")
        if mask[feature]:
            named = feature if names is None else f"{feature} ({names[feature]!r})"
            raise ValueError(f"categorical_features holds feature {named} more than once.")
        mask[feature] = True
    return mask


def _numbers_of(wanted: list[str], names: Sequence[str] | AnyArray | None) -> list[int]:
    """Find the numbers of columns by their names."""
    if names is None:
        raise ValueError(
            "categorical_features gives names of columns, but X is no data frame with names of columns: give a mask, "
            "or integer indices."
        )
    names = list(names)
    for name in wanted:
        if name not in names:
            raise ValueError(f"categorical_features holds {name!r}, which is no column of X: {names}.")
    return [names.index(name) for name in wanted]


def name_of_column(estimator: Any, column: int) -> str:
    """Return a column's description for errors: its number and, if there are names, its name."""
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else f"column {column} ({names[column]!r})"


def names_of_columns(estimator: Any, columns: Iterable[int]) -> str:
    """Return the descriptions of columns for errors, the first five of them."""
    described = [name_of_column(estimator, column) for column in columns]
    return ", ".join(described[:5]) + (", ..." if len(described) > 5 else "")


def allows_missing(estimator: Any) -> bool:
    """Whether NaN is a missing value, not an error."""
    return getattr(estimator, "_allows_missing", False)


def not_finite(what: str, estimator: Any, column: int, name: str | None = None) -> ValueError:
    """Make the error about NaN or infinity in a column; an estimator refuses it, or a function of this name."""
    name = type(estimator).__name__ if name is None else name
    refused = "infinite values" if what != "NaN" and allows_missing(estimator) else "missing or infinite values"
    takers = ""
    if what == "NaN":
        takers = (
            " Estimators whose trees grow by a criterion or a distance take missing values, such as "
            "DecisionTreeClassifier, DecisionForestClassifier and ID3Classifier, and so do C45Classifier, "
            "OptimalTreeClassifier and MinimalTreeClassifier."
        )
    return ValueError(
        f"Input X contains {what} in {name_of_column(estimator, column)}. {name} does not accept {refused}.{takers}"
    )


def check_holds_no_dates(estimator: Any, X: Any, skipped: BoolArray | None = None) -> None:
    """Raise a TypeError if X has columns, except skipped ones, of dates, times or durations: NumPy takes them for
    numbers, whose unit is that of the dtype."""
    dtypes = {column: dtype for column, dtype in _dtypes_of_dates(X).items() if skipped is None or not skipped[column]}
    if not dtypes:
        return
    kinds = ", ".join(dict.fromkeys(map(str, dtypes.values())))
    raise TypeError(
        f"Input X holds values of dtype {kinds} in {names_of_columns(estimator, dtypes)}, which are no numbers: make "
        "numbers of them, such as the days since a date."
    )


def _dtypes_of_dates(X: Any) -> dict[int, Any]:
    """Return the dtypes of the columns of an array or a data frame that hold dates, times or durations, by column."""
    if isinstance(X, np.ndarray):
        return dict.fromkeys(range(X.shape[1]), X.dtype) if X.dtype.kind in "mM" and X.ndim == 2 else {}
    if hasattr(X, "iloc"):
        dtypes = X.dtypes if getattr(X, "ndim", 0) == 2 else ()
        return {column: dtype for column, dtype in enumerate(dtypes) if dtype.kind in "mM"}
    frame = None if narwhals is None else frame_of(X)
    dtypes = () if frame is None else frame.schema.values()
    return {column: dtype for column, dtype in enumerate(dtypes) if dtype.is_temporal()}


# ------------------------------------------------------------------------------------------------------- the categories


def fit_encode(estimator: Any, X: Any, *, allow_missing: bool = False) -> FloatArray | None:
    """Learn the categories of X, and code it.

    Sets `is_categorical_`, `categories_` and `ordered_categories_`, and with categories also `n_features_in_` and
    `feature_names_in_`. The code is a new array, as `encode` gives it; None if there are no categories: X is then
    unchecked.

    With `allow_missing`, missing values are not refused. They are the last category, or NaN and no category if the
    estimator has `_missing_is_category` False.

    Raises a ValueError if `categorical_features` does not fit to X, or a categorical column holds missing values,
    infinity, or values without an order, such as numbers and words. Numeric columns are not checked for NaN and
    infinity.
    """
    if not hasattr(estimator, "categorical_features"):
        return None
    estimator.is_categorical_, estimator.categories_, estimator.ordered_categories_ = None, [], {}
    if estimator.categorical_features is None:
        return None
    table = _as_table(X)
    validate_data(estimator, X, skip_check_array=True)
    names = getattr(estimator, "feature_names_in_", None)
    if isinstance(estimator.categorical_features, str):
        ordered = np.flatnonzero(_is_ordered(X, estimator.n_features_in_)).tolist()
        estimator.ordered_categories_ = {column: np.asarray(X.dtypes.iloc[column].categories) for column in ordered}
    is_categorical = resolve(estimator.categorical_features, X, estimator.n_features_in_, names)
    if is_categorical is None:
        return _coded(estimator, table, "error", allow_missing) if estimator.ordered_categories_ else None
    adds_missing = allow_missing and _is_category(estimator)
    categories = [
        _find_categories(_different(_series(table, column))[0], estimator, column, adds_missing)
        for column in np.flatnonzero(is_categorical).tolist()
    ]
    estimator.is_categorical_, estimator.categories_ = is_categorical, categories
    return _coded(estimator, table, "error", allow_missing)


def encode(estimator: Any, X: Any, *, handle_unknown: str | None = None, allow_missing: bool = False) -> FloatArray:
    """Encode the categorical features, and convert the others to float64: the matrix that the kernels walk.

    The code of a category is its position among the sorted ones, of an ordered category its position in the order.
    Other values are UNKNOWN, or NaN for ordered categories; missing values that are no category are NaN. The array is
    C-contiguous. `handle_unknown` replaces the estimator's parameter; `allow_missing` is as for `fit_encode`.

    Raises a ValueError if X has other columns than in fit, or a categorical column holds missing values, infinity, or
    unknown values.
    """
    handle_unknown = estimator.handle_unknown if handle_unknown is None else handle_unknown
    if not isinstance(handle_unknown, str) or handle_unknown not in _WAYS:  # set after fit
        raise ValueError(f"handle_unknown must be one of {sorted(_WAYS)}, got {handle_unknown!r}.")
    table = _as_table(X)
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return _coded(estimator, table, handle_unknown, allow_missing)


def n_categories(estimator: Any) -> IntArray | None:
    """Return how many codes each feature has, 0 for numeric ones; None if all are numeric."""
    is_categorical = getattr(estimator, "is_categorical_", None)
    if is_categorical is None:
        return None
    numbers = np.zeros(len(is_categorical), dtype=np.int64)
    # At least one code: a column of missing values alone is categorical too.
    numbers[is_categorical] = [max(1, len(categories)) for categories in estimator.categories_]
    return numbers


def kinds_of_features(estimator: Any) -> dict[str, Any]:
    """Return the kernels' arguments about the features of a fitted estimator: none if all are numeric."""
    sizes = n_categories(estimator)
    if sizes is None:
        return {}
    if getattr(estimator, "categorical_split", "multiway") == "multiway":
        return {"n_categories": sizes}
    return {"n_categories": sizes, "subsets": True}


def number_of_categories(estimator: Any, column: int) -> str:
    """Return how many categories a categorical column has, as errors tell it: missing values are one, which users do
    not count."""
    place = int(np.count_nonzero(estimator.is_categorical_[:column]))
    categories = estimator.categories_[place]
    with_missing = ", the missing value among them" if has_missing(categories) else ""
    return f"Found {len(categories)} categories in {name_of_column(estimator, column)}{with_missing}"


def forget_other_rows(estimator: Any, X: FloatArray, rows: IntArray) -> None:
    """Remove the categories that only samples outside `rows` have, as if `fit` had not been given these samples.

    The codes in X are changed in place; samples outside `rows` with a removed category get another category's code.
    """
    for i, column in enumerate(np.flatnonzero(estimator.is_categorical_)):
        codes, categories = X[:, column], estimator.categories_[i]
        used = np.zeros(len(categories), dtype=bool)
        of_rows = codes[rows]
        used[of_rows[~np.isnan(of_rows)].astype(np.int64)] = True
        if used.all():
            continue
        new_codes = np.maximum(np.cumsum(used) - 1, 0)
        known = ~np.isnan(codes)
        codes[known] = new_codes[codes[known].astype(np.int64)]
        estimator.categories_[i] = categories[used]


# ------------------------------------------------------------------------------------------------------------ the codes


def _as_table(X: Any) -> Any:
    """Return X as a data frame of pandas or narwhals, or as an array, with unchanged values."""
    if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
        return X
    frame = frame_of(X)
    if frame is not None:
        return frame
    table = check_array(X, dtype=None, ensure_all_finite=False)
    if not hasattr(X, "dtype") and table.dtype.kind in "US":  # NumPy made words of numbers among words
        table = check_array(X, dtype=object, ensure_all_finite=False)
    return table


def values_of_sample(X: Any, sample: int) -> list[Any]:
    """Return the values of one sample, as they are in X."""
    table = _as_table(X)
    row = (
        table[sample : sample + 1] if isinstance(table, np.ndarray) or _is_of_narwhals(table) else table.iloc[[sample]]
    )
    return [_values(_series(row, column))[0] for column in range(table.shape[1])]


def _is_of_narwhals(table: Any) -> bool:
    return narwhals is not None and isinstance(table, (narwhals.DataFrame, narwhals.Series))


def _series(table: Any, column: int) -> Any:
    """Return a column as its table keeps it."""
    return table.iloc[:, column] if hasattr(table, "iloc") else table[:, int(column)]


def _rows(series: Any, rows: IntArray) -> Any:
    if hasattr(series, "iloc"):
        return series.iloc[rows]
    return series[rows] if isinstance(series, np.ndarray) else series[rows.tolist()]


def _different(series: Any) -> tuple[AnyArray, IntArray | None, IntArray | None]:
    """Return the values of a column, None and None; or, if a data frame keeps the column that way, its different values
    in the order in which they come first, perhaps some of them twice, the position of every number among them, and the
    number of every row."""
    numbers = _numbered(series, getattr(series, "dtype", None))[0]
    if numbers is None or not len(numbers):
        return _values(series), None, None
    if numbers.max() > len(numbers):  # numbers of a dictionary that other tables use too
        numbers = np.unique(numbers, return_inverse=True)[1]
    # The first row of every number; the number -1 of missing values is the last one.
    first = np.full(numbers.max() + 2, len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    order = np.argsort(first)[: np.count_nonzero(first < len(numbers))]
    positions = np.zeros(len(first), dtype=np.int64)
    positions[order] = np.arange(len(order))
    return _values(_rows(series, first[order])), positions, numbers


def _numbered(series: Any, dtype: Any) -> tuple[IntArray | None, AnyArray | None]:
    """Return for every row the number of its value, -1 for missing values, if the library keeps a dictionary or knows
    strings, else None; and the values of the dictionary by their numbers, or None."""
    if _is_of_narwhals(series):
        return _numbers_in_narwhals(series, dtype)
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        return series.cat.codes.to_numpy().astype(np.int64), np.asarray(categories)
    return (series.factorize()[0] if _is_string_of_pyarrow(series, dtype) else None), None


def _is_string_of_pyarrow(series: Any, dtype: Any) -> bool:
    """Whether a column of pandas has strings that pyarrow keeps."""
    of_pyarrow = getattr(dtype, "storage", "pyarrow") == "pyarrow"
    return hasattr(series, "iloc") and getattr(dtype, "type", None) is str and of_pyarrow


def _numbers_in_narwhals(series: Any, dtype: Any) -> tuple[IntArray | None, AnyArray | None]:
    if not isinstance(dtype, (narwhals.String, narwhals.Categorical, narwhals.Enum)):
        return None, None
    native = series.to_native()
    if series.implementation.is_polars():
        if isinstance(dtype, narwhals.String):
            native = series.cast(narwhals.Categorical).to_native()
        numbers = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return numbers, _objects(native.dtype.categories) if isinstance(dtype, narwhals.Enum) else None
    if series.implementation.is_pyarrow() and "string_view" not in str(native.type):  # whose rows it cannot take
        if isinstance(dtype, narwhals.String):
            native = native.dictionary_encode()
        if any(chunk.dictionary.null_count for chunk in native.chunks):  # which pyarrow cannot unify
            return None, None
        unified = native.unify_dictionaries().combine_chunks()
        numbers = unified.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        return numbers, _objects(unified.dictionary)
    return None, None


def _objects(listed: Any) -> AnyArray:
    values = np.empty(len(listed), dtype=object)
    values[:] = listed.to_pylist() if hasattr(listed, "to_pylist") else listed.to_list()
    return values


def _values(series: Any) -> AnyArray:
    """Return the values of a column of a data frame or an array."""
    if _is_of_narwhals(series):
        if not isinstance(series.dtype, (narwhals.String, narwhals.Categorical, narwhals.Enum, narwhals.Object)):
            return series.to_numpy()
        return _objects(series)  # to_numpy would turn missing values into strings of pyarrow's dictionaries
    values = np.asarray(series)
    return values.astype(object) if values.dtype.kind == "T" else values


def _columns(table: Any, mask: BoolArray) -> Any:
    if _is_of_narwhals(table):
        return table[:, np.flatnonzero(mask).tolist()].to_native()
    return table.loc[:, mask] if hasattr(table, "iloc") else table[:, mask]


def _coded(estimator: Any, table: Any, handle_unknown: str, allow_missing: bool) -> FloatArray:
    n_features, ordered = table.shape[1], estimator.ordered_categories_
    is_categorical = (
        np.zeros(n_features, dtype=bool) if estimator.is_categorical_ is None else estimator.is_categorical_
    )
    X = np.empty(table.shape, dtype=np.float64)
    is_number = ~is_categorical & ~np.isin(np.arange(n_features), list(ordered))
    if is_number.any():
        check_holds_no_dates(estimator, table, ~is_number)
        X[:, is_number] = check_array(_columns(table, is_number), dtype=np.float64, ensure_all_finite=False)
    for column, categories in ordered.items():
        values, positions, numbers = _different(_series(table, column))
        codes = _codes_in_order(values, categories)
        X[:, column] = codes if numbers is None else codes[positions][numbers]
        unknown = values[np.isnan(codes) & ~_are_absent(values)]
        if len(unknown) and handle_unknown == "error":
            _refuse_unknown(unknown, estimator, column)
    allows = handle_unknown, allow_missing
    for column, categories in zip(np.flatnonzero(is_categorical).tolist(), estimator.categories_, strict=True):
        series = _series(table, column)
        dtype = getattr(series, "dtype", None)  # once: narwhals lists all categories of an Enum
        codes = _codes_of_strings(series, dtype, categories)
        if codes is None:
            codes = _codes_of_numbers(series, dtype, categories)
        if codes is None:
            X[:, column] = _codes_of_column(series, categories, estimator, column, *allows)
            continue
        X[:, column] = codes
        others = np.flatnonzero(codes == UNKNOWN)
        if len(others):
            X[others, column] = _codes_of_column(_rows(series, others), categories, estimator, column, *allows)
    return check_array(X, ensure_all_finite=False)  # refuses an array without rows


def _codes_of_column(
    series: Any, categories: AnyArray, estimator: Any, column: int, handle_unknown: str, allow_missing: bool
) -> FloatArray:
    """Find the codes of a column, or raise the errors of `encode`."""
    values, positions, numbers = _different(series)
    try:
        codes = _codes_among(values, categories).astype(np.float64)
    except TypeError as error:
        raise _not_categories(estimator, column, error) from error
    unknown = np.flatnonzero(codes == UNKNOWN)
    if len(unknown):
        of_missing = _code_of_missing(estimator, categories)
        refuses = handle_unknown == "error"
        is_absent = _check_unknown(
            values[unknown], estimator, column, refuses, allow_missing, refuses and of_missing == UNKNOWN
        )
        codes[unknown[is_absent]] = of_missing
    return codes if numbers is None else codes[positions][numbers]


def _codes_of_strings(series: Any, dtype: Any, categories: AnyArray) -> AnyArray | None:
    """Let pyarrow find the strings of a data frame among the categories, UNKNOWN for others; return None if the column
    or a category is not a string, or pyarrow cannot find them or is not installed."""
    is_of_frame = _is_of_narwhals(series) and isinstance(dtype, narwhals.String)
    if not is_of_frame and not _is_string_of_pyarrow(series, dtype):
        return None
    listed = _all_of(str, categories)
    if listed is None:
        return None
    try:
        from pyarrow import array, compute

        strings = series.to_arrow() if is_of_frame else series.array.__arrow_array__()
        found: AnyArray = compute.index_in(strings, array(listed, strings.type)).fill_null(UNKNOWN).to_numpy()
    except (ImportError, UnicodeEncodeError, NotImplementedError):  # lone surrogates; string_view
        return None
    return found


def _codes_of_numbers(series: Any, dtype: Any, categories: AnyArray) -> IntArray | None:
    """Find the values of a column's dictionary among the categories, UNKNOWN for others and missing values; return None
    if the column has no dictionary, or one of more values than the column."""
    if _is_of_narwhals(series) and series.implementation.is_polars() and not isinstance(dtype, narwhals.Enum):
        return None  # polars numbers the categories of all columns together, and does not list them
    numbers, values = _numbered(series, dtype)
    if numbers is None or values is None or len(values) > len(numbers):
        return None
    return np.append(_codes_among(values, categories), UNKNOWN)[numbers]


def _all_of(kind: type, categories: AnyArray) -> list[Any] | None:
    """Return the categories except the missing value, or None if they are not all of this class and no other."""
    listed = (categories[:-1] if has_missing(categories) else categories).tolist()
    return listed if set(map(type, listed)) == {kind} else None


def _as_fixed_width(categories: AnyArray, dtype: Any) -> AnyArray | None:
    """Return the categories except the missing value as an array of strings of `dtype`'s kind if NumPy has them."""
    if dtype.kind not in "US" or categories.dtype.kind == dtype.kind:
        return categories if dtype.kind in "US" else None
    listed = _all_of(str if dtype.kind == "U" else bytes, categories)
    if listed is None:
        return None
    known = np.array(listed)
    return known if np.array_equal(np.char.str_len(known), list(map(len, listed))) else None  # else NULs at an end


def _is_category(estimator: Any) -> bool:
    """Whether missing values are a category."""
    return getattr(estimator, "_missing_is_category", False)


def _code_of_missing(estimator: Any, categories: AnyArray) -> float:
    """Return the code of missing values: NaN if they are no category, UNKNOWN if `fit` has not seen them."""
    if not _is_category(estimator):
        return np.nan
    return len(categories) - 1 if has_missing(categories) else UNKNOWN


def has_missing(categories: AnyArray) -> bool:
    """Whether missing values are a category of a feature, the last one."""
    return len(categories) > 0 and bool(_are_absent(categories[-1:])[0])


def lacks_values(X: Any) -> BoolArray:
    """Return which columns of a table lack values; ndarray of shape (n_features,), bool."""
    table = _as_table(X)
    columns = (_different(_series(table, column))[0] for column in range(table.shape[1]))
    return np.array([_are_absent(values).any() for values in columns], dtype=bool)


def _find_categories(values: AnyArray, estimator: Any, column: int, adds_missing: bool) -> AnyArray:
    """Find the different values of a column, sorted; missing values are left out, or become the last category."""
    if values.dtype.kind in _OBJECTS:
        try:
            different: Any = set(values.tolist())
            listed = sorted(value for value in different if not is_missing(value))
        except TypeError as error:
            raise _not_categories(estimator, column, error) from error
        lacks_some = len(listed) < len(different)
        categories = np.empty(len(listed), dtype=values.dtype)
        categories[:] = listed
    else:
        different = np.unique(values)
        is_absent = _are_absent(different)
        lacks_some, categories = bool(is_absent.any()), different[~is_absent]
    _refuse_infinity(categories, estimator, column)
    if adds_missing and lacks_some:
        missing = np.array([np.nan], dtype=object) if values.dtype.kind in _OBJECTS else different[is_absent][:1]
        categories = np.concatenate([categories, missing])
    return categories


def _codes_among(values: AnyArray, categories: AnyArray) -> IntArray:
    """Find the position of every value among the sorted categories, UNKNOWN for other values."""
    kinds = ["f" if kind in _NUMBERS else kind for kind in (values.dtype.kind, categories.dtype.kind)]
    if any(kind in _OBJECTS for kind in kinds):
        known = _as_fixed_width(categories, values.dtype)
        if known is not None:
            # Records of one width, at least the eight bytes that the kernel reads at once. Longer categories, which no
            # value can be, are left out.
            dtype = np.result_type(values, "U2" if values.dtype.kind == "U" else "S8")
            longest = dtype.itemsize // np.dtype(dtype.kind + "1").itemsize
            fitting = np.flatnonzero(np.char.str_len(known) <= longest)
            records = [part.astype(dtype, copy=False)[:, None].view(np.uint8) for part in (values, known[fitting])]
            return np.append(fitting, UNKNOWN)[np.asarray(kernel("codes_of_records")(*records), dtype=np.int64)]
        found = kernel("codes_of_objects")(values.astype(object, copy=False), categories)
        return np.asarray(found, dtype=np.int64)
    if kinds[0] != kinds[1] or not len(categories):
        return np.full(len(values), UNKNOWN)
    if kinds[0] == "f" and _are_consecutive(categories):
        # Rounded to float64, values keep their order, and the last comparison decides.
        first, last = float(categories[0]), float(categories[-1])
        found = (np.fmin(np.fmax(values.astype(np.float64), first), last) - first).astype(np.int64)
    else:
        found = np.minimum(np.searchsorted(categories, values), len(categories) - 1)
    return np.where(categories[found] == values, found, UNKNOWN)


def _are_consecutive(categories: AnyArray) -> bool:
    """Whether sorted categories are whole numbers without a gap, and exact in float64: values tell their positions."""
    first, last = float(categories[0]), float(categories[-1])
    return -(2.0**53) <= first <= last <= 2.0**53 and np.array_equal(
        categories.astype(np.float64), first + np.arange(len(categories))
    )


def _codes_in_order(values: AnyArray, categories: AnyArray) -> FloatArray:
    """Find the position of every value in the order of the categories, NaN for other values."""
    codes = {category: code for code, category in enumerate(categories.tolist())}
    return np.fromiter(map(codes.get, values.tolist(), repeat(np.nan)), dtype=np.float64, count=len(values))


def _are_absent(values: AnyArray) -> BoolArray:
    if values.dtype.kind in _OBJECTS:
        return np.array([is_missing(value) for value in values.tolist()], dtype=bool)
    return values != values


def _refuse_infinity(values: AnyArray, estimator: Any, column: int) -> None:
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise not_finite("infinity", estimator, column)


def _check_unknown(
    values: AnyArray, estimator: Any, column: int, refuses: bool, allow_missing: bool, refuses_missing: bool
) -> BoolArray:
    """Refuse values that are no categories if they are not allowed; return which of them are missing."""
    _refuse_infinity(values, estimator, column)
    is_absent = _are_absent(values)
    if is_absent.any() and not allow_missing:
        raise not_finite("NaN", estimator, column)
    unknown = values[~is_absent]
    if refuses_missing and is_absent.any():
        raise ValueError(
            f"Found missing values in {name_of_column(estimator, column)}, a category that fit has not seen and "
            "handle_unknown='majority' would let pass."
        )
    if len(unknown) and refuses:
        _refuse_unknown(unknown, estimator, column)
    return is_absent


def _refuse_unknown(values: AnyArray, estimator: Any, column: int) -> NoReturn:
    unknown = list(dict.fromkeys(values.tolist()))
    more = ", ..." if len(unknown) > 5 else ""
    raise ValueError(
        f"Found unknown categories in {name_of_column(estimator, column)}, which fit has not seen and "
        f"handle_unknown='majority' would let pass: {', '.join(map(repr, unknown[:5]))}{more}"
    )


def _not_categories(estimator: Any, column: int, error: Exception) -> ValueError:
    return ValueError(
        f"Input X holds values in {name_of_column(estimator, column)} that cannot be the categories of one feature: "
        f"{error}. They must be all words, all numbers, or of one other type that can be sorted."
    )
