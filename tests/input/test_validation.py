"""X, y, weights and order keys of users: taken as they are meant, or refused with a reason."""

import datetime
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from samples import make_classes, make_ties
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.utils import get_tags
from support import SKLEARN, assert_refuses

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
    minimal_tree,
    optimal_tree,
)
from pytrees._weights import MAX_TOTAL_COUNT
from pytrees.input.validation import counts_where_exact

COLUMNS = ["age", "weight", "height"]
N_ROWS = 24


@pytest.fixture(scope="module")
def data():
    return make_classes(n_samples=N_ROWS)


@pytest.fixture(
    params=[
        DecisionTreeClassifier(),
        PermutationDecisionTreeClassifier(),
        PermutationDecisionForestClassifier(n_estimators=2, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def estimator(request):
    return clone(request.param)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


# ----------------------------------------------------------------------------------------------------------- kinds of X

# Every kind holds the same numbers.
SAME_X = {
    "list": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X)),
    "float32": lambda X: X.astype(np.float32),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big_endian": lambda X: X.astype(">f8"),
    "object": lambda X: X.astype(object),
    "text": lambda X: X.astype(object).astype(str).astype(object),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read_only": read_only,
    "read_only_fortran": lambda X: read_only(np.asfortranarray(X)),
    "frame": lambda X: pd.DataFrame(X, columns=COLUMNS),
    "frame_Float64": lambda X: pd.DataFrame(X, columns=COLUMNS).astype("Float64"),
    "frame_mixed": lambda X: pd.DataFrame(X, columns=COLUMNS).astype({"age": "float32", "weight": object}),
}


@pytest.mark.parametrize("convert", SAME_X.values(), ids=SAME_X)
def test_kinds_of_X_that_hold_the_same_numbers_give_the_same_tree(engine, data, convert):
    X, y = data
    same_X = convert(X)
    expected = DecisionTreeClassifier().fit(X, y)
    fitted = DecisionTreeClassifier().fit(same_X, y)
    assert fitted.tree_ == expected.tree_
    np.testing.assert_array_equal(fitted.apply(same_X), expected.apply(X))
    np.testing.assert_array_equal(X, data[0])


def test_memory_mapped_X(engine, data, tmp_path):
    X, y = data
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert DecisionTreeClassifier().fit(mapped, y).tree_ == DecisionTreeClassifier().fit(X, y).tree_


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", ">i4", "?", "f2", "boolean", "Int64", "category"])
def test_whole_numbers_and_truth_values_as_X(engine, dtype):
    X, y = make_ties()
    X = (X > 1).astype(np.float64)
    columns = pd.DataFrame(X).astype(int).astype(dtype) if dtype[0].isupper() or len(dtype) > 3 else X.astype(dtype)
    assert (
        PermutationDecisionTreeClassifier().fit(columns, y).tree_ == PermutationDecisionTreeClassifier().fit(X, y).tree_
    )


def test_column_names_are_kept_and_checked(engine, data, estimator):
    X, y = data
    frame = pd.DataFrame(X, columns=COLUMNS)
    fitted = estimator.fit(frame, y)
    assert fitted.feature_names_in_.tolist() == COLUMNS
    fitted.predict(frame)
    assert_refuses(ValueError, "should match those that were passed during fit", fitted.predict, frame[COLUMNS[::-1]])
    assert_refuses(ValueError, "missing", fitted.predict, frame[COLUMNS[:2]])
    with pytest.warns(UserWarning, match="valid feature names"):
        fitted.predict(X)
    assert not hasattr(fitted.fit(X, y), "feature_names_in_")
    assert fitted.fit(X[:, :1].copy(), y).n_features_in_ == 1


@pytest.mark.parametrize("scale", [1e308, np.finfo(np.float64).max])
def test_the_largest_finite_numbers_are_taken(engine, data, estimator, scale):
    X, y = data
    X = np.sign(X - np.median(X, axis=0)) * scale
    fitted = estimator.fit(X, y)
    assert fitted.predict(X).shape == y.shape


# ---------------------------------------------------------------------------------------------------- X that is refused


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ({(3, 1): np.inf, (3, 0): np.nan}, r"infinity in column 1"),
        ({(0, 2): np.inf}, r"infinity in column 2"),
        ({(N_ROWS - 1, 0): -np.inf}, r"infinity in column 0"),
        ({(3, 2): np.inf, (4, 2): -np.inf}, r"infinity in column 2"),
        ({(9, 1): np.inf, (8, 1): np.nan}, r"infinity in column 1"),
        ({(9, 2): np.nan, (8, 1): np.inf}, r"infinity in column 1"),
    ],
)
def test_the_first_column_that_is_not_finite_is_named(data, estimator, entries, what):
    X, y = data
    bad = X.copy()
    for place, value in entries.items():
        bad[place] = value
    with pytest.raises(ValueError, match=f"{what}\\.") as caught:
        estimator.fit(bad, y)
    assert type(estimator).__name__ in str(caught.value)
    assert_refuses(ValueError, f"{what}\\.", estimator.fit(X, y).predict, bad)
    frame, bad = pd.DataFrame(X, columns=COLUMNS), pd.DataFrame(bad, columns=COLUMNS)
    name = COLUMNS[int(what[-1])]
    assert_refuses(ValueError, rf"{what} \('{name}'\)", estimator.fit, bad, y)
    assert_refuses(ValueError, rf"{what} \('{name}'\)", estimator.fit(frame, y).predict, bad)


@pytest.mark.parametrize(
    "estimator",
    [
        ReconstructedFourierTree(C45Classifier()),
        AggregatedFourierTreeClassifier(C45Classifier(), n_estimators=2),
        OrthogonalTreesClassifier(C45Classifier(), n_estimators=2),
        DistilledTreesClassifier(GradientBoostingClassifier(n_estimators=2)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators_for_complete_samples_name_the_column_of_missing_values(data, estimator):
    """C4.5 takes missing values, but its trees are no functions of them: parts of a sample go both ways."""
    X, y = data
    bad = X.copy()
    bad[[3, 9], [2, 1]] = np.nan
    message = (
        rf"NaN in column 1\. {type(estimator).__name__} does not accept missing or infinite values\. Estimators whose "
        "trees grow by a criterion or a distance take missing values, such as DecisionTreeClassifier"
    )
    assert_refuses(ValueError, message, estimator.fit, bad, y)
    assert_refuses(ValueError, message, estimator.fit(X, y).predict, bad)
    assert not get_tags(estimator).input_tags.allow_nan
    assert get_tags(type(estimator)()).input_tags.allow_nan


def test_minimal_trees_ask_for_complete_samples():
    with pytest.raises(ValueError, match=r"NaN in column 1\. minimal_tree does not accept missing"):
        minimal_tree([[0.0, 1.0], [1.0, np.nan]], [0, 1])


def test_missing_values_of_data_frames_are_taken(engine, estimator):
    for column in (pd.array([1, None, 3], dtype="Int64"), np.array([1, None, 3], dtype=object)):
        X = pd.DataFrame({"age": column})
        assert estimator.fit(X, [0, 1, 1]).predict(X).shape == (3,)
    assert get_tags(estimator).input_tags.allow_nan


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.zeros((0, 2)), ValueError, "0 sample"),
        (np.zeros((3, 0)), ValueError, "0 feature"),
        (np.zeros(3), ValueError, "Expected 2D array, got 1D array"),
        (np.array(3.0), ValueError, "Expected 2D array, got scalar array"),
        (np.zeros((3, 2, 2)), ValueError, "dim 3"),
        (scipy.sparse.csr_matrix(np.eye(3)), TypeError, "[Ss]parse"),
        (np.eye(3) * 1j, ValueError, "Complex data not supported"),
        (np.array([["a"], ["b"], ["c"]], dtype=object), ValueError, "could not convert string to float"),
        (pd.DataFrame({"a": ["x", "y", "z"]}), ValueError, "could not convert string to float"),
        (pd.DataFrame({"a": [1, 2, 3], 0: [1, 2, 3]}), TypeError, "string names"),
        (None, ValueError, "Expected 2D array"),
    ],
)
def test_X_that_is_no_numeric_table_is_refused(estimator, X, error, message):
    assert_refuses(error, message, estimator.fit, X, [0, 1, 1][: np.shape(X)[0] if np.ndim(X) else 3])


@pytest.mark.parametrize("number", [10**309, -(10**400)])
def test_integers_beyond_float64_are_refused_by_column(data, estimator, number):
    X, y = data
    message = "number in column {} that is beyond the range of float64"
    for table, named in (
        ([[number, *row[1:]] for row in X.tolist()], "0"),
        (X.astype(object), "1"),
        (pd.DataFrame(X, columns=COLUMNS).astype(object), r"2 \('height'\)"),
    ):
        if isinstance(table, pd.DataFrame):
            table.iloc[3, 2] = number
        elif isinstance(table, np.ndarray):
            table[3, 1] = number
        assert_refuses(ValueError, message.format(named), clone(estimator).fit, table, y)
        fitted = clone(estimator).fit(pd.DataFrame(X, columns=COLUMNS) if "height" in named else X, y)
        assert_refuses(ValueError, message.format(named), fitted.predict, table)
    with pytest.raises(ValueError, match=message.format("0")):
        DecisionTreeClassifier(categorical_features=[1]).fit([[number, "a"], [1, "b"]], [0, 1])


@pytest.mark.skipif(SKLEARN < (1, 9), reason="scikit-learn takes such names before 1.9")
def test_names_of_columns_that_occur_twice_are_refused(data, estimator):
    X, y = data
    with pytest.raises(ValueError, match=r"unique column names, got:\n- 'age' 2 times"):
        estimator.fit(pd.DataFrame(X, columns=["age", "weight", "age"]), y)


# --------------------------------------------------------------------------------------------------------------- labels

LABELS = {
    "int": [3, 1, 2],
    "int8": np.array([3, 1, 2], dtype=np.int8),
    "negative": [0, -7, -1],
    "large": [2**62, -(2**62), 0],
    "uint64": np.array([2**64 - 1, 0, 1], dtype=np.uint64),
    "big_endian": np.array([3, 1, 2], dtype=">i4"),
    "whole_float": [3.0, 1.0, -2.0],
    "bool": [True, False, True],
    "str": ["wine", "beer", "ale"],
    "object": np.array(["wine", "beer", "ale"], dtype=object),
    "series_str": pd.Series(["wine", "beer", "ale"]),
    "categorical": pd.Series(["wine", "beer", "ale"], dtype="category"),
    "Int64": pd.Series([3, 1, 2], dtype="Int64"),
    "dates": np.array(["2022", "2020", "2021"], dtype="M8[D]"),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_of_any_type(engine, data, estimator, labels):
    X, codes = data
    y = labels.iloc[codes] if isinstance(labels, pd.Series) else np.asarray(labels)[codes]
    fitted = estimator.fit(X, y)
    assert fitted.classes_.tolist() == sorted(set(np.asarray(labels).tolist()))
    assert fitted.n_classes_ == len(fitted.classes_)
    predicted = fitted.predict(X)
    assert predicted.dtype == fitted.classes_.dtype
    assert set(predicted.tolist()) <= set(fitted.classes_.tolist())
    np.testing.assert_array_equal(fitted.predict_proba(X).sum(axis=1), np.ones(len(X)))
    if isinstance(estimator, DecisionTreeClassifier):
        np.testing.assert_array_equal(predicted, np.asarray(y))


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize("dtype", list("bhilBHIL"))
@pytest.mark.parametrize("lowest", [False, True])
def test_whole_numbers_of_every_width_are_classes(dtype, lowest):
    info = np.iinfo(dtype)
    classes = np.array([info.min, info.min + 1, info.min + 7] if lowest else [info.max - 9, info.max], dtype=dtype)
    wide = np.arange(info.min, info.max + 1).astype(dtype) if info.bits == 8 else classes  # all that 8 bits hold
    for values in (classes, wide):
        y = np.tile(values, 2)
        X = np.repeat(np.arange(len(values), dtype=np.float64), 2)[:, np.newaxis]
        tree = DecisionTreeClassifier().fit(X, np.sort(y))
        np.testing.assert_array_equal(tree.classes_, values)
        assert tree.classes_.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(tree.predict(X), np.sort(y))


def test_labels_in_one_column_are_taken_with_a_warning(engine, data):
    X, y = data
    with pytest.warns(UserWarning, match="column-vector y"):
        fitted = DecisionTreeClassifier().fit(X, y[:, None])
    assert fitted.tree_ == DecisionTreeClassifier().fit(X, y).tree_


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: y[:-1], r"inconsistent numbers of samples: \[24, 23\]"),
        (lambda y: y + 0.5, "continuous.* DecisionTreeRegressor and DecisionForestRegressor predict numbers"),
        (lambda y: y + 1e300, "continuous.* DecisionTreeRegressor and DecisionForestRegressor predict numbers"),
        (lambda y: np.where(y == 0, np.nan, y), "y contains NaN"),
        (lambda y: np.where(y == 0, np.inf, y), "infinity"),
        (lambda y: np.where(y == 0, np.nan, y.astype(object)), "y contains NaN"),
        (lambda y: pd.Series(y, dtype="Int64").where(y > 0), "y contains NaN"),
        (lambda y: pd.Series(y.astype(str)).where(y > 0), "y contains NaN"),
        (lambda y: pd.Series(y.astype(str), dtype="category").where(y > 0), "y contains NaN"),
        (lambda y: pd.Categorical.from_codes(y - 1, ["a", "b"]), "y contains NaN"),
        (lambda y: np.where(y == 0, "a", y.astype(object)), "y holds labels that cannot be sorted: .* '(int|str)'"),
        (lambda y: np.stack([y, y], axis=1), "1d array"),
        (lambda y: None, "requires y"),
        (lambda y: np.where(y == 0, None, np.array(["a", "b", "c"], dtype=object)[y]), "y contains None"),
        (lambda y: [None if label == 0 else label for label in y.tolist()], "y contains None"),
        (lambda y: np.where(y == 0, np.datetime64("NaT", "D"), y.astype("M8[D]")), "y contains NaT"),
        (lambda y: np.array([1, 2, "a"], dtype=object)[y], "y holds labels that cannot be sorted: .* '(int|str)'"),
    ],
)
def test_labels_that_are_refused(data, estimator, change, message):
    X, y = data
    assert_refuses(ValueError, message, estimator.fit, X, change(y))


@pytest.mark.parametrize("kind", [list, np.float64, np.int16, np.uint64, pd.Series])
@pytest.mark.parametrize("n_samples", [101, 202, 404], ids=str)
def test_many_whole_numbers_are_warned_about_once(estimator, kind, n_samples):
    y = np.arange(n_samples) % 101
    y = y.astype(kind) if isinstance(kind, type) and issubclass(kind, np.generic) else kind(y)
    with pytest.warns(UserWarning, match="classes is 101, .* DecisionTreeRegressor and DecisionForest") as told:
        estimator.set_params(max_depth=1).fit(np.arange(n_samples)[:, np.newaxis], y)
    assert len(told) == 1
    assert told[0].filename == __file__


@pytest.mark.parametrize("values", [np.arange(100), np.array([f"{i:03}" for i in range(150)])], ids=["few", "words"])
def test_a_hundred_numbers_and_any_words_are_classes(estimator, values):
    estimator.set_params(max_depth=1).fit(np.arange(2 * len(values))[:, np.newaxis], np.repeat(values, 2))


def test_many_classes_with_names_are_not_warned_about():
    X, y = np.arange(300)[:, np.newaxis], np.arange(300) % 150
    OrdinalDecisionTreeClassifier(max_depth=1, classes=range(150)).fit(X, y)
    OrdinalDecisionTreeClassifier(max_depth=1).fit(X, pd.Series(pd.Categorical(y, ordered=True)))


@pytest.mark.parametrize("search", [partial(optimal_tree, max_depth=1), minimal_tree], ids=["optimal", "minimal"])
def test_functions_name_the_regressors(search):
    with pytest.raises(ValueError, match=r"continuous.* DecisionTreeRegressor and DecisionForestRegressor"):
        search(np.arange(4)[:, np.newaxis], [0.5, 1.0, 2.0, 3.0])


def test_ensembles_of_the_algebra_warn_once():
    X, y = np.arange(300)[:, np.newaxis] % 3, np.arange(300) % 150
    for made in (ReconstructedFourierTree(DecisionTreeClassifier(max_depth=1)), AggregatedFourierTreeClassifier()):
        with pytest.warns(UserWarning, match="DecisionForestRegressor") as told:
            made.set_params(**({"n_estimators": 2} if hasattr(made, "n_estimators") else {})).fit(X, y)
        assert len(told) == 1


# ---------------------------------------------------------------------------------------------------- keys of the order

NUMBERS = range(N_ROWS)
WORDS = [f"row {i:03}" for i in NUMBERS]
ROTATED = WORDS[7:] + WORDS[:7]
TIMES = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(NUMBERS, unit="h"))

# They all ascend.
KEYS = {
    "int": np.array(NUMBERS),
    "int8": np.array(NUMBERS, dtype=np.int8),
    "uint64": np.array(NUMBERS, dtype=np.uint64) + np.uint64(2**64 - N_ROWS),
    "big_endian": np.array(NUMBERS, dtype=">i4"),
    "float": np.array(NUMBERS) / 7.0,
    "infinite": np.array([-np.inf, *NUMBERS[2:], np.inf]),
    "str": np.array(WORDS),
    "bytes": np.array(WORDS, dtype="S"),
    "object_str": np.array(WORDS, dtype=object),
    "object_int": np.array([10**30 * i for i in NUMBERS], dtype=object),
    "datetime64": np.datetime64("2024-01-01") + np.array(NUMBERS),
    "timedelta64": np.array(NUMBERS, dtype="m8[s]"),
    "date": np.array([datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in NUMBERS], dtype=object),
    "series_int": pd.Series(NUMBERS, index=range(N_ROWS, 0, -1)),
    "series_Int64": pd.Series(NUMBERS, dtype="Int64"),
    "series_str": pd.Series(WORDS),
    "timestamp": TIMES,
    "timestamp_zone": TIMES.dt.tz_localize("Europe/Berlin"),
    "timestamp_object": np.array(TIMES.tolist(), dtype=object),
    "timedelta": TIMES - TIMES[0],
    "period": TIMES.dt.to_period("h"),
    "index": pd.Index(NUMBERS),
    "datetime_index": pd.DatetimeIndex(TIMES),
    # The categories are not in alphabetical order, which a list of them would lose.
    "categories": pd.Series(pd.Categorical(ROTATED, categories=ROTATED, ordered=True)),
    # Categories without an order sort as the values that they are.
    "unordered_categories": pd.Series(WORDS, dtype="category"),
}
WAYS = [(kind, as_list) for kind in KEYS for as_list in (False, True) if (kind, as_list) != ("categories", True)]


@pytest.mark.parametrize(("kind", "as_list"), WAYS)
def test_order_keys_of_every_kind_sort_the_samples(engine, data, kind, as_list):
    X, y = data
    shuffled = np.random.default_rng(5).permutation(N_ROWS)
    keys = KEYS[kind].iloc[shuffled] if isinstance(KEYS[kind], pd.Series) else KEYS[kind][shuffled]
    keys = list(keys) if as_list else keys
    expected = PermutationDecisionTreeClassifier().fit(X, y).tree_
    assert PermutationDecisionTreeClassifier().fit(X[shuffled], y[shuffled]).tree_ != expected
    assert PermutationDecisionTreeClassifier().fit(X[shuffled], y[shuffled], order=keys).tree_ == expected


def test_samples_of_equal_keys_stay_in_their_own_order(engine, data):
    X, y = data
    keys = np.arange(N_ROWS) % 3
    rows = np.concatenate([np.flatnonzero(keys == key) for key in range(3)])
    expected = PermutationDecisionTreeClassifier().fit(X[rows], y[rows]).tree_
    assert PermutationDecisionTreeClassifier().fit(X, y, order=keys).tree_ == expected
    unordered = PermutationDecisionTreeClassifier().fit(X, y).tree_
    assert PermutationDecisionTreeClassifier().fit(X, y, order=["same"] * N_ROWS).tree_ == unordered


MISSING_KEYS = {
    "nan": [np.nan, *NUMBERS[1:]],
    "None": [None, *NUMBERS[1:]],
    "NaT": np.array(["NaT", *["2024"] * (N_ROWS - 1)], dtype="M8[D]"),
    "NaT_timedelta": np.array(["NaT", *[3] * (N_ROWS - 1)], dtype="m8[s]"),
    "NaT_among_timestamps": [pd.NaT, *TIMES[1:]],
    "series_NaT": TIMES.where(TIMES.index > 0),
    "Int64": pd.Series([None, *NUMBERS[1:]], dtype="Int64"),
    "object_nan": np.array([np.nan, *WORDS[1:]], dtype=object),
    "list_of_str_and_nan": [np.nan, *WORDS[1:]],
    "list_of_str_and_None": [None, *WORDS[1:]],
    "series_str": pd.Series([None, *WORDS[1:]]),
    "categorical": pd.Series(pd.Categorical([None, *WORDS[1:]], categories=WORDS, ordered=True)),
    "masked": np.ma.array(NUMBERS, mask=np.array(NUMBERS) == 7),
}


@pytest.mark.parametrize("keys", MISSING_KEYS.values(), ids=MISSING_KEYS)
def test_missing_keys_are_refused(data, estimator, keys):
    assert_refuses(ValueError, "order contains missing values", estimator.fit, *data, order=keys)


NO_KEYS = {
    "too_few": (range(23), "23 keys for 24 samples"),
    "too_many": (range(25), "25 keys for 24 samples"),
    "empty": ([], "0 keys for 24 samples"),
    "two_columns": (np.zeros((N_ROWS, 2)), "order must"),
    "list_of_pairs": ([(0, i) for i in NUMBERS], "order must"),
    "number": (7, "order must"),
    "text": ("time", "order must"),
    "mixed": (np.array(["a", *NUMBERS[1:]], dtype=object), "order.*cannot be sorted"),
    "list_of_mixed": (["a", *NUMBERS[1:]], "order.*cannot be sorted"),
    "dicts": (np.array([{}] * N_ROWS, dtype=object), "order.*cannot be sorted"),
    "complex": (np.array(NUMBERS) * 1j, "order"),
}


@pytest.mark.parametrize(("keys", "message"), NO_KEYS.values(), ids=NO_KEYS)
def test_keys_that_give_no_order_are_refused(data, estimator, keys, message):
    assert_refuses(ValueError, message, estimator.fit, *data, order=keys)


# -------------------------------------------------------------------------------------------------------------- weights


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0] + [1.0] * (N_ROWS - 1), "[Nn]egative"),
        ([0.0] * N_ROWS, "non-zero"),
        ([np.nan] + [1.0] * (N_ROWS - 1), "NaN"),
        ([np.inf] + [1.0] * (N_ROWS - 1), "infinity"),
        ([1.0] * (N_ROWS - 1), r"\(23,\)"),
        (np.ones((N_ROWS, 1)), "1D array"),
        (["heavy"] * N_ROWS, "sample_weight holds no numbers, but words, such as 'heavy'"),
        (np.full(N_ROWS, 1e308), "sample_weight are too large: their sum is infinite"),
        ([10**400] + [1] * (N_ROWS - 1), "sample_weight contains a number that is beyond the range of float64"),
    ],
)
def test_weights_that_are_refused(data, weights, message):
    assert_refuses(ValueError, message, DecisionTreeClassifier().fit, *data, sample_weight=weights)


@pytest.mark.parametrize(
    "class_weight",
    [{0: -1.0}, {0: np.nan}, {0: np.inf}, {0: 0, 1: 0, 2: 0}, {7: 1.0}, {0: "heavy"}, {0: 1e308}, {0: 10**400}],
    ids=lambda weights: str(weights)[:20],
)
def test_class_weights_that_are_refused(data, class_weight):
    with pytest.raises(ValueError, match=r"class_weight|could not convert"):
        DecisionTreeClassifier(class_weight=class_weight).fit(*data)


@pytest.mark.parametrize("class_weight", [{0: 1e308}, {0: np.inf}])
def test_class_weights_that_overflow_with_whole_weights_are_refused(data, class_weight):
    with pytest.raises(ValueError, match=r"class_weight=.* gives weights that are negative, infinite, or all zero"):
        DecisionTreeClassifier(class_weight=class_weight).fit(*data, sample_weight=np.arange(N_ROWS))


def test_whole_weights_count_up_to_their_greatest_total():
    """Sums of this total and of greater ones are compared in floating point."""
    for total, dtype in ((MAX_TOTAL_COUNT - 1, np.int64), (MAX_TOTAL_COUNT, np.float64), (2**53, np.float64)):
        weights = counts_where_exact(np.array([total - 2.0, 0.0, 2.0]))
        assert weights.dtype == dtype
        assert weights.tolist() == [total - 2, 0, 2]
    assert counts_where_exact(np.array([0.5, 1.5])).dtype == np.float64
    assert counts_where_exact(np.ones(3)) is None


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(), DecisionForestClassifier(2, random_state=0)], ids=repr)
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0, 1: 0.0, 2: 0.3}], ids=str)
def test_weights_are_not_written_to(engine, data, estimator, class_weight):
    weights = np.random.default_rng(0).random(N_ROWS)
    given = weights.copy()
    clone(estimator).set_params(class_weight=class_weight).fit(*data, sample_weight=given)
    np.testing.assert_array_equal(given, weights)
    clone(estimator).set_params(class_weight=class_weight).fit(*data, sample_weight=read_only(weights))


def test_an_infinite_sum_of_weights_names_the_parameters(data):
    tree = DecisionTreeClassifier(class_weight=dict.fromkeys(np.unique(data[1]).tolist(), 1e308))
    assert_refuses(ValueError, "values of class_weight are too large: their sum is infinite", tree.fit, *data)
    with pytest.raises(ValueError, match="values of sample_weight times class_weight are too large"):
        tree.fit(*data, sample_weight=np.ones(N_ROWS))


def test_huge_weights_are_taken(engine, data):
    X, y = data
    fitted = DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=np.full(N_ROWS, 1e305))
    expected = DecisionTreeClassifier(max_depth=2).fit(X, y)
    np.testing.assert_array_equal(fitted.apply(X), expected.apply(X))


# --------------------------------------------------------------------------------------------------------- failing fits


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (lambda X, y: (np.where(X > 0, X, np.inf), y), {}),
        (lambda X, y: (pd.DataFrame(X[:, :2], columns=COLUMNS[:2]), y[:-1]), {}),
        (lambda X, y: (X[:, :1], y + 0.5), {}),
        (lambda X, y: (pd.DataFrame(X[:, :2], columns=COLUMNS[1:]), y), {"order": [1, 2]}),
        (lambda X, y: (X[:, :2], y), {"order": [None] * N_ROWS}),
    ],
)
def test_a_failing_fit_leaves_the_last_one_whole(engine, data, estimator, change, options):
    X, y = data
    frame = pd.DataFrame(X, columns=COLUMNS)
    estimator = estimator.fit(frame, np.array(["a", "b", "c"])[y])
    before = dict(vars(estimator))
    predicted = estimator.predict(frame)
    assert_refuses(ValueError, r".", estimator.fit, *change(X, y), **options)
    assert vars(estimator).keys() == before.keys()
    assert all(vars(estimator)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(estimator.predict(frame), predicted)


def test_a_failing_first_fit_leaves_no_attributes(data, estimator):
    X, y = data
    assert_refuses(ValueError, "infinity", estimator.fit, pd.DataFrame(np.where(X > 0, X, np.inf), columns=COLUMNS), y)
    assert vars(estimator).keys() == estimator.get_params().keys()


# --------------------------------------------------------------------------------------------- rows that need no change


class Subclass(np.ndarray):
    pass


# The first one is taken as it is; the others go through scikit-learn's checks.
AS_GIVEN = {
    "plain": lambda X: X,
    "subclass": lambda X: X.view(Subclass),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "swapped_bytes": lambda X: X.astype(X.dtype.newbyteorder()),
    "read_only": read_only,
    "list": lambda X: X.tolist(),
}


@pytest.mark.parametrize("n_rows", [1, N_ROWS])
@pytest.mark.parametrize("given", AS_GIVEN.values(), ids=AS_GIVEN)
def test_predictions_do_not_depend_on_the_memory_layout_of_X(engine, estimator, data, n_rows, given):
    X, y = data
    estimator.fit(X, y)
    for method in ("predict", "predict_proba", "apply"):
        expected = getattr(estimator, method)(X)[:n_rows]
        np.testing.assert_array_equal(getattr(estimator, method)(given(X[:n_rows])), expected)


@pytest.mark.parametrize("n_rows", [1, N_ROWS])
def test_samples_of_another_shape_or_not_finite_are_refused(engine, estimator, data, n_rows):
    X, y = data
    estimator.fit(X, y)
    infinite = X[:n_rows].copy()
    infinite[-1, 1] = np.inf
    for rows, message in (
        (X[:n_rows, :2].copy(), "X has 2 features, but .* is expecting 3 features"),
        (np.empty((0, 3)), "0 sample"),
        (X[0], "2D array"),
        (X[:n_rows, None].copy(), "dim 3"),
        (infinite, f"infinity in column 1. {type(estimator).__name__}"),
    ):
        for method in ("predict", "predict_proba", "apply"):
            assert_refuses(ValueError, message, getattr(estimator, method), rows)


@pytest.mark.parametrize("grow", [minimal_tree, partial(optimal_tree, max_depth=1)])
def test_functions_without_categories_do_not_name_the_parameter(grow):
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "sex": ["f", "m", "f"]})
    assert_refuses(
        ValueError, r"words in column 1 \('sex'\): \w+_tree takes numbers only; encode this column", grow, X, [0, 1, 0]
    )


def test_values_that_are_no_numbers_name_their_column():
    days = pd.date_range("2020-01-01", periods=3)
    for values, kind in (
        (days.to_period("D"), "Period"),
        (np.array([None, {}, {}], dtype=object), "dict"),
        (np.array(days.date, dtype=object), "date"),
    ):
        X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "when": values})
        message = rf"values of type {kind} in column 1 \('when'\), which are no numbers"
        for fit in (DecisionTreeClassifier().fit, DecisionTreeRegressor().fit, minimal_tree):
            assert_refuses(TypeError, message, fit, X, [0, 1, 0])
        with pytest.raises(TypeError, match=message):
            DecisionTreeClassifier(categorical_features=["age"]).fit(X.assign(more=0.0), [0, 1, 0])
        assert_refuses(TypeError, message, DecisionTreeClassifier().fit(X.assign(when=0.0), [0, 1, 0]).predict, X)
    with pytest.raises(TypeError, match="values of type Timestamp in column 1, which are no numbers"):
        DecisionTreeClassifier().fit([[1.0, days[0]], [2.0, days[1]]], [0, 1])


DAYS = pd.date_range("2020-01-01", periods=3)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    "values", [DAYS, DAYS.tz_localize("UTC"), DAYS - DAYS[0], DAYS.date], ids=["date", "zone", "span", "day"]
)
def test_dates_are_no_numbers(library, values):
    """NumPy would take them for numbers, alone as well as beside numbers (of polars)."""
    if library == "polars":
        pytest.importorskip("narwhals")

    def table(**columns):
        frame = pd.DataFrame(columns)
        if library == "pandas":
            return frame
        # Old versions of polars do not know pandas' durations.
        columns = {
            name: [getattr(cell, "to_pytimedelta", lambda cell=cell: cell)() for cell in frame[name]] for name in frame
        }
        return pytest.importorskip("polars").DataFrame(columns)

    plain, dates = table(age=[1.0, 2.0, 3.0], when=[1, 2, 3]), table(age=[1.0, 2.0, 3.0], when=values)
    fitted, kinds = DecisionTreeClassifier().fit(plain, [0, 1, 0]), ["age"]
    for fit in (
        DecisionTreeClassifier().fit,
        DecisionTreeRegressor().fit,
        minimal_tree,
        DecisionTreeClassifier(categorical_features=kinds).fit,
        lambda X, y: fitted.predict(X),
    ):
        with pytest.raises(TypeError, match=r"in column 1 \('when'\), which are no numbers: make numbers of them"):
            fit(dates, [0, 1, 0])
    # As categories they are compared with each other alone.
    as_categories = DecisionTreeClassifier(categorical_features=["when"]).fit(dates, [0, 1, 0])
    assert as_categories.predict(dates).tolist() == [0, 1, 0]


def test_dates_alone_are_no_numbers():
    values = np.array(DAYS)[:, None]
    X = pd.DataFrame({"from": DAYS, "until": DAYS, "for": DAYS - DAYS[0]})
    names = r"column 0 \('from'\), column 1 \('until'\), column 2 \('for'\)"
    with pytest.raises(TypeError, match=rf"dtype datetime64\[\w+\], timedelta64\[\w+\] in {names}, which are no"):
        DecisionForestClassifier(1).fit(X, [0, 1, 0])
    fitted = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    for refusing in (DecisionTreeClassifier().fit, lambda X, y: fitted.predict(X), lambda X, y: fitted.tree_.apply(X)):
        with pytest.raises(TypeError, match=r"dtype datetime64\[\w+\] in column 0, which are no numbers"):
            refusing(values, [0, 1, 0])
    # One dimension is told as that of other arrays.
    assert_refuses(ValueError, "Expected 2D array", fitted.predict, values[:, 0])


def test_words_that_are_not_declared_name_the_parameter():
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "sex": ["f", "m", "f"], "city": ["a", "b", "c"]})
    hint = r"could not convert string to float: 'f'. Input X holds words in column 1 \('sex'\)"
    for table, estimator, told in (
        (X, DecisionTreeClassifier(), r", column 2 \('city'\): .*, name these columns in categorical_features\.$"),
        (
            X[["city", "sex"]],
            DecisionTreeClassifier(categorical_features=["city"]),
            r": .*, name this column in categorical_features\.$",
        ),
    ):
        assert_refuses(ValueError, hint + told, estimator.fit, table, [0, 1, 0])
    with pytest.raises(
        ValueError, match=r"words in column 1 \('sex'\): .* the dtype category, which 'from_dtype' takes"
    ):
        DecisionTreeClassifier(categorical_features="from_dtype").fit(X.astype({"city": "category"}), [0, 1, 0])
    mixed = X[["age", "sex"]].astype({"sex": "category"}).assign(child=[True, False, True])
    with pytest.raises(ValueError, match=r"words in column 1 \('sex'\): .* in categorical_features"):
        DecisionTreeClassifier(categorical_features=["child"]).fit(mixed, [0, 1, 0])
    with pytest.raises(ValueError, match=r"could not convert .* words in column 0: .* in categorical_features"):
        DecisionTreeClassifier().fit([["a", 1.0], ["b", 2.0]], [0, 1])
    fitted = DecisionTreeClassifier().fit([[0.0, 1.0], [1.0, 2.0]], [0, 1])
    assert_refuses(ValueError, "words in column 1", fitted.predict, [[0.0, "a"]])


def test_many_columns_of_words_are_named_up_to_five():
    X = pd.DataFrame({f"w{i}": ["a", "b"] for i in range(6)}).assign(number=[1.0, 2.0])
    names = ", ".join(rf"column {i} \('w{i}'\)" for i in range(5))
    with pytest.raises(ValueError, match=rf"holds words in {names}, \.\.\.: .* name these columns in"):
        DecisionTreeClassifier().fit(X, [0, 1])
    with pytest.raises(ValueError, match=rf"holds words in {names}: .*_tree takes numbers only; encode these columns"):
        minimal_tree(X[["w0", "w1", "w2", "w3", "w4"]], [0, 1])
