"""Which features are categorical, what their categories are, and their codes: beside scikit-learn's encoder."""

import datetime
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import OrdinalEncoder
from support import assert_refuses

from pytrees import C45Classifier, DecisionTreeClassifier
from pytrees.input import categories
from pytrees.input.categories import encode, fit_encode, forget_other_rows, n_categories, resolve
from pytrees.input.validation import validate_X, validate_X_y

COLOURS = ["red", "green", "blue", "red", "blue", "red"]
SIZES = [3, 1, 1, 2, 3, 1]
WEIGHTS = [0.5, 2.5, 1.5, 0.5, 3.5, 1.25]
Y = [0, 1, 0, 1, 0, 1]


@pytest.fixture
def frame():
    return pd.DataFrame({"colour": COLOURS, "weight": WEIGHTS, "size": SIZES})


class CompleteTreeClassifier(DecisionTreeClassifier):
    """A tree that takes complete samples only."""

    _allows_missing = False


def fitted_complete(X, categorical_features, **parameters):
    estimator = CompleteTreeClassifier(categorical_features=categorical_features, **parameters)
    return estimator, validate_X_y(estimator, X, Y[: np.shape(X)[0]])[0]


def fitted(X, categorical_features, **parameters):
    """An estimator that knows the categories of X, and the codes."""
    estimator = DecisionTreeClassifier(categorical_features=categorical_features, **parameters)
    return estimator, validate_X_y(estimator, X, Y[: np.shape(X)[0]])[0]


# ------------------------------------------------------------------------------------------------------ which features


@pytest.mark.parametrize(
    "given",
    [
        [True, False, True],
        np.array([True, False, True]),
        pd.Series([True, False, True]),
        [np.True_, np.False_, np.True_],
        [0, 2],
        (2, 0),
        np.array([0, 2], dtype=np.uint8),
        [np.int64(2), 0],
        range(0, 3, 2),
        ["size", "colour"],
        np.array(["colour", "size"]),
        pd.Index(["colour", "size"]),
        iter(["colour", "size"]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_features_by_mask_by_index_and_by_name(frame, given):
    names = np.array(["colour", "weight", "size"], dtype=object)
    assert resolve(given, frame, 3, names).tolist() == [True, False, True]


def test_features_by_dtype(frame):
    frame["size"] = frame["size"].astype("category")
    assert resolve("from_dtype", frame, 3).tolist() == [False, False, True]
    frame["colour"] = pd.Categorical(COLOURS)
    assert resolve("from_dtype", frame, 3).tolist() == [True, False, True]
    frame["colour"] = pd.Categorical(COLOURS, ordered=True)  # numbers: see the tests of ordered categories
    assert resolve("from_dtype", frame, 3).tolist() == [False, False, True]


def polars_frame(columns, dtypes):
    pl = pytest.importorskip("polars")
    kinds = {"category": pl.Categorical, "enum": pl.Enum(["blue", "green", "red"]), "word": pl.String}
    return pl.DataFrame(
        {name: pl.Series(values, dtype=kinds.get(dtypes.get(name))) for name, values in columns.items()}
    )


def pyarrow_table(columns, dtypes):
    pa = pytest.importorskip("pyarrow")
    arrays = {name: pa.array(values) for name, values in columns.items()}
    return pa.table(
        {n: a.dictionary_encode() if dtypes.get(n) in ("category", "enum") else a for n, a in arrays.items()}
    )


def pandas_of_pyarrow(columns, dtypes):
    pa = pytest.importorskip("pyarrow")
    types = {name: pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())) for name in dtypes if dtypes[name] != "word"}
    return pd.DataFrame(columns).astype(types)


FRAMES = [polars_frame, pyarrow_table, pandas_of_pyarrow]


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("dtype", ["category", "enum"])
def test_frames_of_other_libraries_tell_their_categories(make, dtype):
    X = make({"colour": COLOURS, "weight": WEIGHTS, "size": SIZES}, {"colour": dtype})
    estimator, codes = fitted(X, "from_dtype")
    assert estimator.is_categorical_.tolist() == [True, False, False]
    assert [categories.tolist() for categories in estimator.categories_] == [["blue", "green", "red"]]
    np.testing.assert_array_equal(codes, np.transpose([[2, 1, 0, 2, 0, 2], WEIGHTS, SIZES]))
    estimator = DecisionTreeClassifier(categorical_features="from_dtype").fit(X, Y)
    assert estimator.predict(X).tolist() == Y


@pytest.mark.parametrize("make", FRAMES)
def test_frames_of_other_libraries_without_categories(make):
    X = make({"weight": WEIGHTS, "size": SIZES}, {})
    assert fitted(X, "from_dtype")[0].is_categorical_ is None


@pytest.mark.parametrize("make", FRAMES)
def test_columns_of_other_libraries_keep_their_kinds(make):
    columns = {"colour": COLOURS, "size": SIZES, "day": [datetime.date(2020, 1, size) for size in SIZES]}
    X = make(columns | {"weight": WEIGHTS}, {"colour": "word"})
    estimator, codes = fitted(X, ["colour", "size", "day"])
    colours, sizes, days = estimator.categories_
    assert colours.tolist() == ["blue", "green", "red"]
    assert (sizes.dtype.kind, sizes.tolist()) == ("i", [1, 2, 3])
    assert len(days) == 3
    np.testing.assert_array_equal(
        codes, np.transpose([[2, 1, 0, 2, 0, 2], [2, 0, 0, 1, 2, 0], [2, 0, 0, 1, 2, 0], WEIGHTS])
    )


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("dtype", ["word", "category"])
def test_missing_words_in_frames_of_other_libraries_are_refused(make, dtype):
    X = make({"weight": WEIGHTS, "colour": [None, *COLOURS[1:]]}, {"colour": dtype})
    with pytest.raises(ValueError, match=r"NaN in column 1 \('colour'\)"):
        CompleteTreeClassifier(categorical_features=["colour"]).fit(X, Y)
    assert DecisionTreeClassifier(categorical_features=["colour"]).fit(X, Y).categories_[0][:-1].tolist() == [
        "blue",
        "green",
        "red",
    ]


@pytest.mark.parametrize("given", [None, [], np.array([]), [False, False, False], "from_dtype"], ids=repr)
def test_no_categorical_features(frame, given):
    assert resolve(given, frame, 3) is None
    assert resolve(given, frame.to_numpy(), 3) is None
    estimator, X = fitted(frame[["weight", "size"]], given if np.size(given) < 3 else [False, False])
    assert estimator.is_categorical_ is None
    assert estimator.categories_ == []
    assert n_categories(estimator) is None
    np.testing.assert_array_equal(X, frame[["weight", "size"]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([True, False], "a mask of 2 values for 3 features"),
        ([3], "holds 3: features are numbered from 0 to 2"),
        ([-1], "holds -1: features are numbered from 0 to 2"),
        ([2, 2], r"holds feature 2 \('size'\) more than once"),
        (["size", "size"], r"holds feature 2 \('size'\) more than once"),
        (["shape"], r"holds 'shape', which is no column of X: \['colour', 'weight', 'size'\]"),
        ([0, "size"], "a sequence of bool, of int or of str, got: int, str"),
        ([True, 1, 2], "got: bool, int"),
        ([0.0], "got: float"),
        (np.array([0.5]), "got: float"),
        ([None], "got: NoneType"),
        (np.array([[True, False, True]]), "one dimension, got an array with 2"),
        ([[True, False, True]], "got: list"),
        ({"size"}, "a sequence of bool, int or str, 'from_dtype' or None, got set"),
        ({"size": True}, "got dict"),
        (b"size", "got bytes"),
        (1, "got int"),
        ("size", "a sequence or 'from_dtype', got 'size'"),
    ],
    ids=str,
)
def test_features_that_are_refused(frame, given, message):
    names = np.array(["colour", "weight", "size"], dtype=object)
    assert_refuses(ValueError, message, resolve, given, frame, 3, names)


def test_names_without_a_data_frame(frame):
    assert_refuses(ValueError, "X is no data frame with names of columns", fitted, frame.to_numpy(), ["size"])
    frame.columns = [0, 1, 2]
    assert_refuses(ValueError, "X is no data frame with names of columns", fitted, frame, ["size"])


# ------------------------------------------------------------------------------------------------------------ the codes

# Kinds of a categorical column of three values, in the order of their codes.
VALUES = {
    "words": ["blue", "green", "red"],
    "bytes": [b"blue", b"green", b"red"],
    "ints": [-7, 0, 2**60 + 1],
    "large ints": [2**53, 2**53 + 1, 2**53 + 2],
    "floats": [-0.5, 0.25, 1e300],
    "dates": np.array(["2020-01-01", "2021-01-01", "2022-06-01"], dtype="datetime64[us]"),
    "tuples": [(1, "a"), (1, "b"), (2, "a")],
}
CODES = np.array([2, 1, 0, 2, 0, 2])


def arrays_of(values):
    """The six values as columns of several kinds."""
    column = np.empty(3, dtype=object)
    column[:] = list(values)
    yield pd.DataFrame({"a": column[CODES], "b": WEIGHTS}), "frame of objects"
    if not isinstance(values[0], tuple):
        column = np.asarray(values)
        yield pd.DataFrame({"a": column[CODES], "b": WEIGHTS}), "frame"
        yield pd.DataFrame({"a": pd.Categorical(column[CODES], column[::-1]), "b": WEIGHTS}), "frame of categories"
        yield np.column_stack([column[CODES]]), "array"
        yield np.array([column[CODES].tolist()], dtype=object).T, "array of objects"


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_codes_are_indices_of_the_sorted_categories(values):
    for X, kind in arrays_of(values):
        estimator, coded = fitted(X, [0])
        assert coded[:, 0].tolist() == CODES.tolist(), kind
        assert list(estimator.categories_[0]) == list(values), kind
        assert coded.flags.c_contiguous
        assert n_categories(estimator).tolist() == [3, 0][: X.shape[1]]
        if X.shape[1] == 2:
            assert coded[:, 1].tolist() == WEIGHTS
        np.testing.assert_array_equal(validate_X(estimator, X), coded, err_msg=kind)
        np.testing.assert_array_equal(validate_X(estimator, X[::-1][:1]), coded[::-1][:1])


def pandas_categories(columns, dtypes):
    kinds = {"word": "str"}
    return pd.DataFrame(columns).astype({name: kinds.get(dtype, "category") for name, dtype in dtypes.items()})


@pytest.mark.parametrize("make", [polars_frame, pyarrow_table, pandas_categories])
@pytest.mark.parametrize("dtype", ["category", "enum", "word"])
def test_dictionaries_and_strings_of_frames_are_coded_once_a_category(monkeypatch, make, dtype):
    """The codes, categories and errors are those of arrays of objects."""
    words = np.array(["red", "green", "blue", None], dtype=object)[np.random.default_rng(0).integers(0, 4, (2, 100))]
    words[0, :40][words[0, :40] == "green"] = "red"  # a category that only later rows have
    frame = make({"c": words[0].tolist(), "d": words[1].tolist()}, dict.fromkeys("cd", dtype))
    coded, found = [], []
    codes_among = categories._codes_among
    monkeypatch.setattr(categories, "_codes_among", lambda v, known: coded.append(len(v)) or codes_among(v, known))
    if make is pandas_categories and frame.dtypes.eq(object).any():
        pytest.skip("before its version 3, pandas keeps strings as objects")
    for table, most in ((words.T.copy(), 100), (frame, 4)):
        estimator = DecisionTreeClassifier(categorical_features=[0, 1], handle_unknown="majority")
        estimator.fit(table[:40], np.arange(40) % 2)
        found.append([[list(map(str, known)) for known in estimator.categories_], estimator.encode(table).tolist()])
        assert_refuses(ValueError, r"column 0.*: 'green'$", estimator.set_params(handle_unknown="error").encode, table)
        assert max(coded) <= most
        coded.clear()
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", ">i4", "f2", ">f8", "g", "boolean", "Int64", "category", "string"])
def test_values_of_all_dtypes(dtype):
    values = np.array([1, 0, 0, 1, 1, 0])
    X = pd.DataFrame({"a": values}).astype(dtype) if len(dtype) > 3 else values[:, None].astype(dtype)
    estimator, coded = fitted(X, [0])
    assert coded[:, 0].tolist() == values.tolist()
    assert len(estimator.categories_[0]) == 2


columns_of_values = st.one_of(
    st.lists(st.text(max_size=2), min_size=1, max_size=12),
    st.lists(st.integers(-3, 3), min_size=1, max_size=12),
    st.lists(st.sampled_from([-1.5, -0.0, 0.0, 2.0, 1e-320]), min_size=1, max_size=12),
    st.lists(st.booleans(), min_size=1, max_size=12),
)


@given(columns_of_values, st.booleans(), st.data())
def test_codes_equal_scikit_learns_encoder(values, as_objects, data):
    X = pd.DataFrame({"a": pd.Series(values, dtype=object if as_objects else None)})
    seen = data.draw(st.integers(1, len(values)))
    estimator = DecisionTreeClassifier(categorical_features=[0], handle_unknown="majority")
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    np.testing.assert_array_equal(fit_encode(estimator, X[:seen]), encoder.fit_transform(X[:seen]))
    np.testing.assert_array_equal(encode(estimator, X), encoder.transform(X))
    assert estimator.categories_[0].dtype == encoder.categories_[0].dtype
    assert estimator.categories_[0].tolist() == encoder.categories_[0].tolist()


def test_lists_keep_numbers_among_words():
    rows = [["red", 1.5], ["blue", 2.0], ["red", 10.0]]
    estimator, coded = fitted(rows, [0, 1])
    assert estimator.categories_[1].tolist() == [1.5, 2.0, 10.0]
    assert coded.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]
    assert fitted(rows, [0])[1].tolist() == [[1.0, 1.5], [0.0, 2.0], [1.0, 10.0]]
    assert fitted([[1, 2.5], [0, 3.5]], [0])[1].tolist() == [[1.0, 2.5], [0.0, 3.5]]


def test_the_same_value_of_another_kind_is_known(frame):
    estimator, _ = fitted(frame[["size"]], [0])
    for kind in (float, object, "Int64", "category", np.uint8):
        assert validate_X(estimator, frame[["size"]].astype(kind))[:, 0].tolist() == [2, 0, 0, 1, 2, 0]
    of_bools, _ = fitted(np.array([[True], [False]]), [0])
    assert validate_X(of_bools, np.array([[0], [1]]))[:, 0].tolist() == [0, 1]


def test_numeric_columns_are_converted_as_without_categories(frame):
    frame["weight"] = frame["weight"].astype(str)
    assert fitted(frame, ["colour"])[1][:, 1].tolist() == WEIGHTS
    assert_refuses(ValueError, "could not convert string to float: 'red'", fitted, frame, ["size"])


def test_the_data_is_not_changed(frame):
    given = frame.copy()
    estimator, _ = fitted(frame, ["colour", "size"])
    validate_X(estimator, frame)[:] = 7.0
    pd.testing.assert_frame_equal(frame, given)
    numbers = np.zeros((3, 2))
    assert not np.shares_memory(fitted(numbers, [0])[1], numbers)


# ------------------------------------------------------------------------------------------------------- unknown values


@pytest.mark.parametrize(
    ("new", "named"),
    [("yellow", "'yellow'"), (7, "7"), (1.5, "1.5"), (True, "True"), (("a",), r"\('a',\)"), ("re", "'re'")],
)
def test_unknown_values_are_named_or_coded_as_minus_one(frame, new, named):
    estimator, coded = fitted(frame, ["colour"])
    other = frame.astype({"colour": object})
    other.at[2, "colour"] = new
    with pytest.raises(ValueError, match=rf"unknown categories in column 0 \('colour'\), .*: {named}$"):
        validate_X(estimator, other)
    expected = coded.copy()
    expected[2, 0] = -1.0
    np.testing.assert_array_equal(validate_X(estimator.set_params(handle_unknown="majority"), other), expected)
    assert_refuses(ValueError, "must be one of", validate_X, estimator.set_params(handle_unknown="ignore"), other)


@pytest.mark.parametrize(
    "new", [["a"], [1.5], [2], [True], [2**60], np.array(["2020-01-01"], dtype="datetime64[s]")], ids=str
)
@pytest.mark.parametrize("old", [["b", "c"], [0, 3], [0.5, 0.75], np.array([1, 2], dtype="datetime64[ns]")], ids=str)
def test_unknown_values_of_other_kinds(old, new):
    estimator = DecisionTreeClassifier(categorical_features=[0], handle_unknown="majority")
    fit_encode(estimator, pd.DataFrame({"a": old}))
    assert encode(estimator, pd.DataFrame({"a": new})).tolist() == [[-1.0]]


# Whole numbers without a gap tell their codes; others, and those of more digits than a float64 has, are searched.
@pytest.mark.parametrize("first", [-3, 0, 2**53 - 9, 2**62])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("step", [1, 2])
def test_codes_of_whole_numbers(first, dtype, step):
    known = (first + step * np.arange(4)).astype(dtype)
    estimator = DecisionTreeClassifier(categorical_features=[0], handle_unknown="majority")
    fit_encode(estimator, known[:, np.newaxis])
    codes = {value: code for code, value in enumerate(estimator.categories_[0].tolist())}
    for others in ([first - 1, first + 1, first + 4, first + 7, -(2**60)], [0.5, 2.0, -1e300, 1e300]):
        new = np.concatenate([known, np.array(others, dtype="int64" if others[0] == first - 1 else "float64")])
        expected = [codes.get(value, -1) for value in new.tolist()]
        assert encode(estimator, new[:, np.newaxis])[:, 0].tolist() == expected


# Values of another dtype than the categories, which may not hold them; unknown values far away, too.
@pytest.mark.parametrize("first", [-1, 0, 250, 2**24 - 2, 2**53 - 3, 2**63 - 4, 2**63, 2**64 - 4])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "u8", "i8", "f2", "f4", "f8"])
def test_codes_of_whole_numbers_of_other_dtypes(first, dtype):
    known = np.array([first, first + 1, first + 2], dtype=np.int64 if first < 2**63 - 3 else np.uint64)
    estimator = DecisionTreeClassifier(categorical_features=[0], handle_unknown="majority")
    fit_encode(estimator, known[:, np.newaxis])
    codes = {value: code for code, value in enumerate(known.tolist())}
    with np.errstate(over="ignore", invalid="ignore"):
        new = np.array([0, 1, 2, 100, 251, 255]).astype(dtype)
        if dtype[0] == "f":
            new = np.append(new, [np.finfo(dtype).max, -np.finfo(dtype).max, 0.5]).astype(dtype)
        if np.dtype(dtype) == known.dtype:
            new = np.append(new, known[:2])
    expected = [codes.get(value, -1) for value in new.tolist()]
    assert encode(estimator, new[:, np.newaxis])[:, 0].tolist() == expected


def test_many_unknown_values_are_named_by_the_first(frame):
    frame = frame[["size"]]
    estimator, _ = fitted(frame, ["size"])
    other = frame.assign(size=[9, 8, 9, 7, 6, 5])
    assert_refuses(ValueError, r"column 0 \('size'\), .*: 9, 8, 7, 6, 5$", validate_X, estimator, other)
    with pytest.raises(ValueError, match=r"column 0 \('size'\), .*: 10, 9, 8, 7, 6, \.\.\.$"):
        validate_X(estimator, other.assign(size=[10, 9, 8, 7, 6, 5]))


def test_categories_that_no_sample_has_are_unknown():
    X = pd.DataFrame({"a": pd.Categorical(["x", "y", "x"], ["z", "y", "x"])})
    estimator, _ = fitted(X, "from_dtype")
    assert estimator.categories_[0].tolist() == ["x", "y"]
    with pytest.raises(ValueError, match=r"unknown categories in column 0 .*: 'z'"):
        validate_X(estimator, pd.DataFrame({"a": pd.Categorical(["z"])}))


def test_categories_of_excluded_samples_are_unknown(frame):
    estimator, coded = fitted(frame, ["colour", "size"])
    expected = {column: coded[:, column].copy() for column in range(3)}
    forget_other_rows(estimator, coded, np.array([0, 3, 5]))
    assert [categories.tolist() for categories in estimator.categories_] == [["red"], [1, 2, 3]]
    assert coded[:, 0].tolist() == [0.0] * 6
    for column in (1, 2):
        np.testing.assert_array_equal(coded[:, column], expected[column])
    estimator, coded = fitted(frame, ["colour"])
    forget_other_rows(estimator, coded, np.array([0, 2, 4]))
    assert estimator.categories_[0].tolist() == ["blue", "red"]
    assert coded[[0, 2, 4], 0].tolist() == [1.0, 0.0, 0.0]
    assert set(coded[:, 0]) <= {0.0, 1.0}


# ------------------------------------------------------------------------------------------ what cannot be a category

MISSING = {"NaN": np.nan, "None": None, "NA": pd.NA, "NaT": pd.NaT}


@pytest.mark.parametrize("missing", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_missing_values_are_refused(frame, missing, dtype):
    estimator, _ = fitted_complete(frame, ["colour"])
    frame["colour"] = pd.Series([*COLOURS[:5], missing], dtype=object).astype(dtype)
    message = (
        r"contains NaN in column 0 \('colour'\)\. CompleteTreeClassifier does not accept missing or infinite values\. "
        "Estimators whose trees grow by a criterion or a distance take missing values, such as DecisionTreeClassifier"
    )
    assert_refuses(ValueError, message, fitted_complete, frame, ["colour"])
    for handle_unknown in ("error", "majority"):
        assert_refuses(ValueError, message, validate_X, estimator.set_params(handle_unknown=handle_unknown), frame)


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pd.Series([1, 2, None], dtype="Int64"), "NaN"),
        (pd.Series(pd.to_datetime(["2020-01-01", None, "2021-01-01"])), "NaN"),
        (np.array(["2020-01-01", "NaT", "2021-01-01"], dtype="datetime64[D]"), "NaN"),
        ([0.5, np.nan, 1.0], "NaN"),
        ([0.5, np.inf, 1.0], "infinity"),
        ([0.5, -np.inf, np.nan], "infinity"),
    ],
)
def test_missing_and_infinite_numbers_are_refused(column, what):
    X = pd.DataFrame({"a": column})
    assert_refuses(ValueError, f"contains {what} in column 0 .'a'.", fitted_complete, X, [0])
    known, _ = fitted_complete(X[:1], [0], handle_unknown="majority")
    assert_refuses(ValueError, f"contains {what} in column 0 .'a'.", validate_X, known, X)


def test_numeric_columns_beside_categories_are_finite(frame):
    estimator, _ = fitted_complete(frame, ["colour"])
    for value, what in ((np.nan, "NaN"), (np.inf, "infinity")):
        other = frame.assign(weight=[*WEIGHTS[:5], value])
        assert_refuses(ValueError, rf"contains {what} in column 1 \('weight'\)", fitted_complete, other, ["colour"])
        assert_refuses(ValueError, rf"contains {what} in column 1 \('weight'\)", validate_X, estimator, other)


@pytest.mark.parametrize("missing", MISSING.values(), ids=MISSING)
def test_missing_values_can_be_allowed(frame, missing):
    frame = frame.astype({"colour": object})
    frame.at[1, "colour"] = missing
    estimator = C45Classifier(categorical_features=["colour"], handle_unknown="majority")
    coded = fit_encode(estimator, frame, allow_missing=True)
    assert estimator.categories_[0].tolist() == ["blue", "red"]
    np.testing.assert_array_equal(coded[:, 0], [1, np.nan, 0, 1, 0, 1])
    frame.at[0, "colour"] = "green"
    np.testing.assert_array_equal(encode(estimator, frame, allow_missing=True)[:, 0], [-1, np.nan, 0, 1, 0, 1])
    forget_other_rows(estimator, coded, np.array([1, 2]))
    assert estimator.categories_[0].tolist() == ["blue"]
    np.testing.assert_array_equal(coded[:, 0], [0, np.nan, 0, 0, 0, 0])


@pytest.mark.parametrize("missing", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_missing_values_are_the_last_category(frame, missing, dtype):
    colours = ["red", missing, "blue", None, "blue", "red"]
    frame["colour"] = pd.Series(colours, dtype=object).astype(dtype)
    estimator, coded = fitted(frame, ["colour"])
    assert coded[:, 0].tolist() == [1.0, 2.0, 0.0, 2.0, 0.0, 1.0]
    assert estimator.categories_[0][:-1].tolist() == ["blue", "red"]
    assert np.isnan(estimator.categories_[0][-1])
    assert n_categories(estimator).tolist() == [3, 0, 0]
    frame["colour"] = pd.Series([np.nan, *COLOURS[2:], None], dtype=object).astype(dtype)
    np.testing.assert_array_equal(validate_X(estimator, frame)[:, 0], [2.0, 0.0, 1.0, 0.0, 1.0, 2.0])
    forget_other_rows(estimator, coded, np.array([0, 2, 4, 5]))
    assert estimator.categories_[0].tolist() == ["blue", "red"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2, None, 1], dtype="Int64"),
        pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01", None, "2020-01-01"])),
        np.array(["2020-01-01", "2021-01-01", "NaT", "2020-01-01"], dtype="datetime64[D]"),
        [0.5, 1.0, np.nan, 0.5],
    ],
)
def test_missing_numbers_and_dates_are_the_last_category(column):
    X = pd.DataFrame({"a": column})
    estimator, coded = fitted(X, [0])
    assert coded[:, 0].tolist() == [0.0, 1.0, 2.0, 0.0]
    np.testing.assert_array_equal(validate_X(estimator, X[::-1]), coded[::-1])
    assert validate_X(estimator, pd.DataFrame({"a": [None]}, dtype=object)).tolist() == [[2.0]]


@pytest.mark.parametrize("missing", MISSING.values(), ids=MISSING)
def test_missing_values_that_fit_has_not_seen_are_an_unknown_category(frame, missing):
    estimator, _ = fitted(frame, ["colour", "size"])
    other = frame.astype({"colour": object})
    other.at[1, "colour"], other.at[2, "colour"] = missing, "mauve"
    with pytest.raises(
        ValueError, match=r"Found missing values in column 0 \('colour'\), a category that fit has not seen"
    ):
        validate_X(estimator, other)
    codes = validate_X(estimator.set_params(handle_unknown="majority"), other)
    assert codes[:3, 0].tolist() == [2.0, -1.0, -1.0]
    # Even if fit has seen missing values, other unknown values are refused.
    estimator, _ = fitted(other, ["colour", "size"])
    other.at[0, "colour"] = "pink"
    assert_refuses(ValueError, r"unknown categories in column 0 .*: 'pink'", validate_X, estimator, other)


def test_a_column_of_missing_values_alone_is_one_category():
    estimator, coded = fitted(pd.DataFrame({"a": [None, np.nan], "b": [0.0, 1.0]}), [0])
    assert coded[:, 0].tolist() == [0.0, 0.0]
    assert n_categories(estimator).tolist() == [1, 0]


def test_a_column_of_missing_values_alone_can_be_allowed():
    estimator = C45Classifier(categorical_features=[0], handle_unknown="majority")
    coded = fit_encode(estimator, pd.DataFrame({"a": [None, np.nan]}), allow_missing=True)
    assert np.isnan(coded).all()
    assert n_categories(estimator).tolist() == [1]
    assert encode(estimator, pd.DataFrame({"a": ["x", 1.5]}), allow_missing=True).tolist() == [[-1.0], [-1.0]]


@pytest.mark.parametrize(
    "values",
    [
        ["red", 1],
        [1.5, "red"],
        [b"red", "red"],
        [{"a": 1}, "red"],
        [[1], [2]],
        [datetime.date(2020, 1, 1), 5],
        [1j, 2j],
    ],
    ids=repr,
)
def test_categories_that_cannot_be_sorted_are_refused(values):
    column = np.empty(2, dtype=object)
    column[:] = values
    with pytest.raises(ValueError, match=r"column 0 \('a'\) that cannot be the categories of one feature"):
        fitted(pd.DataFrame({"a": column}), [0])


def test_values_at_prediction_that_cannot_be_categories(frame):
    estimator, _ = fitted(frame, ["colour"])
    other = frame.astype({"colour": object})
    other.at[1, "colour"] = ["red"]
    with pytest.raises(ValueError, match=r"column 0 \('colour'\) that cannot be the categories of one feature"):
        validate_X(estimator, other)


def test_sparse_data_is_refused():
    assert_refuses(TypeError, "Sparse data was passed", fitted, scipy.sparse.csr_matrix(np.eye(3)), [0])
    estimator, _ = fitted(np.eye(3), [0])
    assert_refuses(TypeError, "Sparse data was passed", validate_X, estimator, scipy.sparse.csr_matrix(np.eye(3)))


@pytest.mark.parametrize("X", [["red", "blue"], np.array(["red", "blue"]), pd.Series(["red", "blue"]), "red", 3])
def test_data_that_is_no_table_is_refused(X):
    with pytest.raises(ValueError, match=r"Expected (a )?2"):
        fitted(X, [0]) if np.ndim(X) else validate_X_y(DecisionTreeClassifier(categorical_features=[0]), X, Y)
    estimator, _ = fitted(np.array([["red"], ["blue"]]), [0])
    assert_refuses(ValueError, r"Expected (a )?2", validate_X, estimator, X)


def test_data_without_samples_is_refused(frame):
    estimator, _ = fitted(frame, ["colour"])
    for X in (frame[:0], frame[["colour"]][:0], np.empty((0, 2), dtype=object)):
        assert_refuses(ValueError, "0 sample", fitted, X, [0])
    assert_refuses(ValueError, "0 sample", validate_X, estimator, frame[:0])


def test_columns_are_checked(frame):
    estimator, _ = fitted(frame, ["colour"])
    with pytest.raises(ValueError, match="should match those that were passed during fit"):
        validate_X(estimator, frame[["weight", "colour", "size"]])
    assert_refuses(ValueError, "missing", validate_X, estimator, frame[["colour", "weight"]])
    with pytest.warns(UserWarning, match="valid feature names"):
        validate_X(estimator, frame.to_numpy())
    without_names, coded = fitted(frame.to_numpy(), [0])
    np.testing.assert_array_equal(validate_X(without_names, frame.to_numpy().tolist()), coded)
    with pytest.raises(ValueError, match="X has 2 features, but DecisionTreeClassifier is expecting 3"):
        validate_X(without_names, frame.to_numpy()[:, :2])


@pytest.mark.parametrize("kind", ["U", "S"])
def test_one_long_category_takes_no_memory_in_every_row(kind):
    known = np.array(["abc", "xyz", "long" * 500], dtype=kind)
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(known[:, np.newaxis], [0, 1, 1])
    rows = np.tile(np.array(["xyz", "abc"], dtype=kind), 5_000)[:, np.newaxis]
    tracemalloc.start()
    try:
        assert tree.predict(rows).tolist() == [1, 0] * 5_000
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()
