"""Measures of ordinal classification: values worked out by hand, a naive computation, refusals, scorers in searches."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from support import assert_refuses

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, OrdinalDecisionTreeClassifier
from pytrees.datasets import make_balance_scale
from pytrees.metrics import (
    accuracy_off_by,
    amae_scorer,
    average_mean_absolute_error,
    mae_scorer,
    make_ordinal_scorer,
    maximum_mean_absolute_error,
    mmae_scorer,
    off_by_one_scorer,
    ordinal_mean_absolute_error,
    qwk_scorer,
    ranked_probability_score,
    rps_scorer,
)

WORDS_WARN = pytest.mark.filterwarnings("ignore:The classes are words")

# ------------------------------------------------------------------------------------------------------------ the score


def test_ranked_probability_scores_by_hand():
    # (0.7 - 1)^2 + (0.9 - 1)^2 = 0.10 and 0.1^2 + 0.4^2 = 0.17
    assert ranked_probability_score([0, 2, 1], [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0, 1, 0]]) == pytest.approx(0.09)
    assert ranked_probability_score([0, 1], [[0.75, 0.25], [0.75, 0.25]]) == (0.0625 + 0.5625) / 2  # the squared error


@st.composite
def forecasts(draw):
    """Classes, and for every row a distribution in whole numbers over more classes than need occur."""
    n_classes = draw(st.integers(1, 6))
    counts = st.lists(st.integers(0, 9), min_size=n_classes, max_size=n_classes).filter(any)
    rows = draw(st.lists(st.tuples(st.integers(0, n_classes - 1), counts, st.integers(1, 5)), min_size=1, max_size=8))
    return n_classes, *map(list, zip(*rows, strict=True))


@given(forecasts())
def test_score_follows_the_definition(forecast):
    n_classes, codes, counts, weights = forecast
    expected = Fraction(0)
    for code, row, weight in zip(codes, counts, weights, strict=True):
        for q in range(n_classes):
            predicted = Fraction(sum(row[: q + 1]), sum(row))
            expected += weight * (predicted - (code <= q)) ** 2
    expected /= sum(weights)
    y_proba = np.array(counts) / np.sum(counts, axis=1, keepdims=True)
    score = ranked_probability_score(codes, y_proba, labels=range(n_classes), sample_weight=weights)
    assert score == pytest.approx(float(expected), abs=1e-12)
    words = np.array(["pear", "fig", "apple", "plum", "date", "lime"][:n_classes])
    assert score == ranked_probability_score(words[codes], y_proba, labels=words, sample_weight=weights)
    repeated = ranked_probability_score(
        np.repeat(codes, weights), np.repeat(y_proba, weights, axis=0), labels=range(n_classes)
    )
    assert score == pytest.approx(repeated, abs=1e-12)


def test_absent_classes_keep_their_column():
    y_proba = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]]
    assert ranked_probability_score([0, 2], y_proba, labels=[0, 1, 2]) == (0.25 + 0.0625 + 0.25) / 2
    with pytest.raises(ValueError, match="y_true has 2 classes, but y_proba has 3 columns: give all classes as labels"):
        ranked_probability_score([0, 2], y_proba)


def test_probabilities_of_single_precision_are_taken():
    y_proba = np.full((1, 10), 0.1, dtype=np.float32)
    assert ranked_probability_score([0], y_proba, labels=range(10)) == pytest.approx(2.85)


@pytest.mark.parametrize(
    ("y_true", "y_proba", "labels", "message"),
    [
        ([0, 1], [[0.5, 0.6], [0.5, 0.5]], None, r"do not sum to one: row 0 sums to 1\.1"),
        ([0, 1], [[1.5, -0.5], [0.5, 0.5]], None, "negative"),
        ([0, 1], [[0.5, np.nan], [0.5, 0.5]], None, "y_proba contains NaN"),
        ([0, 1], [[0.5, np.inf], [0.5, 0.5]], None, "y_proba contains infinity"),
        ([0, 1], [0.2, 0.8], None, "one column for every class"),
        ([0, 1], [[0.2, 0.8]], None, "inconsistent numbers of samples"),
        ([[0, 1], [1, 0]], [[0.5, 0.5], [0.5, 0.5]], None, "y should be a 1d array"),
        ([0, 1], [[0.2, 0.8], [0.5, 0.5]], [0, 1, 2], "labels has 3 classes, but y_proba has 2 columns"),
        ([0, 3], [[0.2, 0.8], [0.5, 0.5]], [0, 1], r"y_true has the class 3, which is not among \[0, 1\]"),
        (["a", "b"], [[0.2, 0.8], [0.5, 0.5]], [0, 1], "y_true has the class 'a'"),
        ([0, np.nan], [[0.2, 0.8], [0.5, 0.5]], [0, 1], "Input y_true contains NaN"),
        ([0, 1], [[0.2, 0.8], [0.5, 0.5]], [1, 1], "must be different"),
        ([], np.empty((0, 2)), [0, 1], "minimum of 1 is required"),
    ],
)
def test_invalid_arguments_are_refused(y_true, y_proba, labels, message):
    assert_refuses(ValueError, message, ranked_probability_score, y_true, y_proba, labels=labels)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, np.nan]])
def test_invalid_weights_are_refused(weights):
    assert_refuses(ValueError, r".", ranked_probability_score, [0, 1], [[0.2, 0.8], [0.5, 0.5]], sample_weight=weights)


# ------------------------------------------------------------------------------------------------- errors by the class

BY_RANK = [average_mean_absolute_error, maximum_mean_absolute_error, accuracy_off_by]


def test_errors_by_class_by_hand():
    # The errors are 1/2 of class 0, 0 of class 1, 2 of class 2.
    y_true, y_pred = [0, 0, 1, 1, 2], [0, 1, 1, 1, 0]
    assert average_mean_absolute_error(y_true, y_pred) == pytest.approx(2.5 / 3)
    assert maximum_mean_absolute_error(y_true, y_pred) == 2.0
    assert [accuracy_off_by(y_true, y_pred, k=k) for k in range(4)] == [0.6, 0.8, 1.0, 1.0]
    assert accuracy_off_by(y_true, y_pred) == 0.8
    # Weighted, class 0 has the error 3/4; class 2 is left out.
    weights = [1, 3, 1, 1, 0]
    assert average_mean_absolute_error(y_true, y_pred, sample_weight=weights) == 0.375
    assert maximum_mean_absolute_error(y_true, y_pred, sample_weight=weights) == 0.75
    assert accuracy_off_by(y_true, y_pred, k=0, sample_weight=weights) == 0.5


@st.composite
def rankings(draw):
    """Draw a number of classes, and observed and predicted classes with whole weights, not all of them zero."""
    n_classes = draw(st.integers(1, 6))
    label = st.integers(0, n_classes - 1)
    rows = draw(st.lists(st.tuples(label, label, st.integers(0, 4)), min_size=1, max_size=12))
    rows.append((draw(label), draw(label), draw(st.integers(1, 4))))
    return n_classes, *map(list, zip(*rows, strict=True))


@given(rankings(), st.integers(0, 6))
def test_errors_by_class_follow_the_definition(ranking, k):
    n_classes, y_true, y_pred, weights = ranking
    errors = []
    for q in range(n_classes):
        rows = [(abs(q - p), w) for t, p, w in zip(y_true, y_pred, weights, strict=True) if t == q]
        if sum(w for _, w in rows) > 0:
            errors.append(Fraction(sum(d * w for d, w in rows), sum(w for _, w in rows)))
    near = sum(w for t, p, w in zip(y_true, y_pred, weights, strict=True) if abs(t - p) <= k)
    expected = [float(sum(errors) / len(errors)), float(max(errors)), near / sum(weights)]
    words = np.array(["pear", "fig", "apple", "plum", "date", "lime"][:n_classes])

    def found(y_true, y_pred, labels, **weighted):
        return [
            average_mean_absolute_error(y_true, y_pred, labels=labels, **weighted),
            maximum_mean_absolute_error(y_true, y_pred, labels=labels, **weighted),
            accuracy_off_by(y_true, y_pred, k=k, labels=labels, **weighted),
        ]

    assert found(y_true, y_pred, range(n_classes), sample_weight=weights) == pytest.approx(expected, rel=1e-12)
    assert found(words[y_true], words[y_pred], words, sample_weight=weights) == pytest.approx(expected, rel=1e-12)
    repeated = np.repeat(y_true, weights), np.repeat(y_pred, weights)
    assert found(*repeated, range(n_classes)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore:A single label was found")  # skordinal calls a function that warns
@given(rankings())
def test_errors_by_class_are_those_of_skordinal(ranking):
    metrics = pytest.importorskip("skordinal.metrics", reason="skordinal is not installed")
    n_classes, y_true, y_pred, weights = ranking
    for given_weights in (None, weights):
        for ours, theirs in (
            (average_mean_absolute_error, metrics.average_mean_absolute_error),
            (maximum_mean_absolute_error, metrics.maximum_mean_absolute_error),
            (accuracy_off_by, metrics.accuracy_off1_score),
        ):
            given_all = {"labels": np.arange(n_classes), "sample_weight": given_weights}
            assert ours(y_true, y_pred, **given_all) == pytest.approx(theirs(y_true, y_pred, **given_all), rel=1e-12)


def test_classes_of_errors_by_class():
    # Without labels the classes that occur are all there are.
    assert maximum_mean_absolute_error([1, 1], [1, 5]) == 0.5
    assert maximum_mean_absolute_error([1, 1], [1, 5], labels=[1, 2, 3, 4, 5]) == 2.0
    assert accuracy_off_by(["low", "high"], ["high", "high"], labels=["low", "mid", "high"]) == 0.5
    assert average_mean_absolute_error([False, True], [True, True]) == 0.5


@pytest.mark.parametrize("metric", BY_RANK)
def test_great_and_small_weights(metric):
    for scale in (1e308, 5e-324):
        assert metric([0, 0, 2], [0, 0, 0], sample_weight=[scale] * 3) == metric([0, 0, 2], [0, 0, 0])


@pytest.mark.parametrize("metric", BY_RANK)
@pytest.mark.parametrize(
    ("y_true", "y_pred", "given", "message"),
    [
        ([0, 3], [0, 1], {"labels": [0, 1]}, "y_true has the class 3"),
        ([0, 1], [0, 3], {"labels": [0, 1]}, "y_pred has the class 3"),
        ([0, 1], [0, 1], {"labels": [0, 1, 1]}, "must be different"),
        ([0, 1], [0], {}, "inconsistent numbers of samples"),
        ([], [], {}, "no samples"),
        ([[0, 1], [1, 0]], [0, 1], {}, "1d array"),
        ([0, 1], ["a", "b"], {}, "labels of different kinds"),
        (np.array(["a", 1], dtype=object), np.array(["a", 1], dtype=object), {}, "cannot be sorted"),
        ([0, 1], [0, 1], {"sample_weight": [1]}, "inconsistent"),
        ([0, 1], [0, 1], {"sample_weight": [1, -1]}, "[Nn]egative"),
        ([0, 1], [0, 1], {"sample_weight": [0, 0]}, "zero"),
        ([0, 1], [0, 1], {"sample_weight": [1, np.nan]}, "NaN"),
        ([0, 1], [0, 1], {"sample_weight": [1, 10**400]}, "sample_weight contains a number that is beyond"),
    ],
)
def test_refusals_of_metrics_by_rank(metric, y_true, y_pred, given, message):
    assert_refuses(ValueError, message, metric, y_true, y_pred, **given)


@pytest.mark.parametrize("k", [-1, 0.5, None, True, "1"])
def test_distances_that_are_refused(k):
    assert_refuses(ValueError, "k must be a whole number", accuracy_off_by, [0], [0], k=k)


# ---------------------------------------------------------------------------------------------------------- the scorers


class Oracle:
    """Predicts what X holds: codes of classes, and all probability on them."""

    def __init__(self, classes):
        self.classes_ = np.array(classes)

    def predict(self, X):
        return self.classes_[np.asarray(X)]

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[np.asarray(X)]


def test_scores_by_hand():
    oracle, X, y = Oracle([0, 1, 2]), [0, 2, 2, 1], [0, 1, 2, 2]
    assert mae_scorer(oracle, X, y) == rps_scorer(oracle, X, y) == -0.5
    assert qwk_scorer(oracle, X, y) == pytest.approx(7 / 11)  # 2 observed, 5.5 expected
    assert mae_scorer(oracle, X, y, sample_weight=[1, 2, 1, 0]) == -0.5
    assert rps_scorer(oracle, X, y, sample_weight=[1, 2, 0, 0]) == -2 / 3
    # The classes' errors are 0, 1 and 1/2.
    assert (amae_scorer(oracle, X, y), mmae_scorer(oracle, X, y), off_by_one_scorer(oracle, X, y)) == (-0.5, -1.0, 1.0)
    assert amae_scorer(oracle, X, y, sample_weight=[1, 0, 1, 1]) == -0.25


@WORDS_WARN
@pytest.mark.parametrize("classes", [[0, 1, 2, 3], [1, 10, 100, 1000], ["a", "b", "c", "d"], [-0.5, 0.0, 0.5, 2.0]])
def test_absent_classes_count_in_distances(classes):
    oracle, codes, X = Oracle(classes), [0, 1, 3, 3], [0, 3, 3, 1]
    y = [classes[code] for code in codes]
    assert mae_scorer(oracle, X, y) == rps_scorer(oracle, X, y) == -1.0
    assert qwk_scorer(oracle, X, y) == pytest.approx(11 / 27)  # 8 observed, 13.5 expected
    # Class 1 has the error 2, class 3 the errors 0 and 2.
    assert (amae_scorer(oracle, X, y), mmae_scorer(oracle, X, y), off_by_one_scorer(oracle, X, y)) == (-1.0, -2.0, 0.5)


def test_labels_give_the_order():
    oracle, levels = Oracle(["high", "low", "mid"]), ["low", "mid", "high"]
    X, y = [0, 0, 2], ["low", "mid", "high"]  # high, high, mid for what is low, mid, high
    assert make_ordinal_scorer("mae", labels=levels)(oracle, X, y) == pytest.approx(-4 / 3)
    with pytest.warns(UserWarning, match=r"alphabet's order: 'high', 'low', 'mid'\. Give make_ordinal_scorer labels="):
        assert mae_scorer(oracle, X, y) == pytest.approx(-5 / 3)
    ordered = pd.Series(pd.Categorical(y, levels, ordered=True))
    assert mae_scorer(oracle, X, ordered) == pytest.approx(-4 / 3)
    assert rps_scorer(oracle, X, ordered) == pytest.approx(-4 / 3)
    assert make_ordinal_scorer("rps", labels=levels)(oracle, X, y) == pytest.approx(-4 / 3)
    with pytest.raises(ValueError, match="y_true has the class 'low', which is not among"):
        make_ordinal_scorer("mae", labels=["mid", "high"])(oracle, X, y)


GRADES = ["poor", "fair", "good"]  # in the alphabet's order: fair, good, poor


def test_words_in_the_order_of_the_alphabet_warn():
    y_true, y_pred, y_proba = ["poor", "fair", "good"], ["fair"] * 3, np.eye(3)[[0, 0, 2]]
    metrics = [ordinal_mean_absolute_error, average_mean_absolute_error, maximum_mean_absolute_error, accuracy_off_by]
    calls = [(metric, y_pred) for metric in metrics] + [(ranked_probability_score, y_proba)]
    ordered = pd.Categorical(y_true, GRADES, ordered=True)
    for metric, predicted in calls:
        with pytest.warns(UserWarning, match=r"alphabet's order: 'fair', 'good', 'poor'\. Give labels=") as warned:
            of_alphabet = metric(y_true, predicted)
        assert warned[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = metric(y_true, predicted, labels=GRADES)
            assert found == metric(ordered, predicted) == metric(pd.Series(ordered), predicted) != of_alphabet
    assert ordinal_mean_absolute_error(y_true, y_pred, labels=GRADES) == pytest.approx(2 / 3)
    assert ordinal_mean_absolute_error(["yes", "no"], ["no", "no"]) == 0.5  # two words have one distance


def test_estimators_that_know_the_order_of_their_classes_do_not_warn():
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat(GRADES, 4)
    sorted_words = np.repeat(["a", "b", "c"], 4)
    for labels in (y, sorted_words):
        order = labels[::4].tolist()
        tree = OrdinalDecisionTreeClassifier(classes=order)
        search = GridSearchCV(make_pipeline(FunctionTransformer(), tree), {}, cv=2, scoring=mae_scorer)
        assert search.fit(X, labels).score(X, labels) == 0.0
        assert mae_scorer(FrozenEstimator(search), X, labels) == 0.0
    with pytest.warns(UserWarning, match="Give make_ordinal_scorer labels"):
        mae_scorer(DecisionTreeClassifier().fit(X, y), X, y)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4]])
def test_the_mean_absolute_error_is_that_of_ranks(weights):
    y_true, y_pred = [0, 2, 1, 2], [1, 2, 0, 0]
    expected = mean_absolute_error(y_true, y_pred, sample_weight=weights)
    assert ordinal_mean_absolute_error(y_true, y_pred, sample_weight=weights) == pytest.approx(expected)
    powers = [10, 1000, 100000]
    found = ordinal_mean_absolute_error([powers[k] for k in y_true], [powers[k] for k in y_pred], sample_weight=weights)
    assert found == pytest.approx(expected)
    assert_refuses(ValueError, "y_pred has the class 3", ordinal_mean_absolute_error, [0], [3], labels=[0, 1])


def test_classes_absent_from_training():
    met = Oracle([1, 2, 4])
    assert mae_scorer(met, [0, 2], [1, 3]) == rps_scorer(met, [0, 2], [1, 3]) == -0.5
    assert mae_scorer(met, [0, 2], [1, 1]) == -1.0
    for metric in ("mae", "rps"):  # with all labels, 3 keeps its place, although no sample has it
        assert make_ordinal_scorer(metric, labels=[1, 2, 3, 4])(met, [0, 2], [1, 1]) == -1.5
    assert_refuses(ValueError, "not sorted: give labels", mae_scorer, Oracle([2, 1]), [0], [3])
    assert_refuses(ValueError, "y_true and classes_ have labels of different kinds", mae_scorer, met, [0], ["a"])
    with pytest.raises(ValueError, match="The classes cannot be sorted"):
        mae_scorer(Oracle(np.array(["a", "b"], dtype=object)), [0], np.array(["a", 1], dtype=object))
    assert_refuses(ValueError, "classes_ has the class 4", make_ordinal_scorer("rps", labels=[1, 2]), met, [0], [1])
    with pytest.raises(ValueError, match="The prediction has the class 4"):
        make_ordinal_scorer("qwk", labels=[1, 2])(met, [2], [1])


def test_representation_and_errors_of_scorers():
    assert repr(qwk_scorer) == "make_ordinal_scorer('qwk')"
    scorer = pickle.loads(pickle.dumps(make_ordinal_scorer("rps", labels=["b", "a"])))
    assert repr(scorer) == "make_ordinal_scorer('rps', labels=['b', 'a'])"
    with pytest.raises(ValueError, match=r"metric must be one of \['amae', 'mae', .* 'rps'\], got 'rmse'"):
        make_ordinal_scorer("rmse")
    assert_refuses(ValueError, "LinearRegression has no classes_", mae_scorer, LinearRegression(), [[0]], [0])


@pytest.fixture(scope="module")
def balance():
    X, y = make_balance_scale()
    rows = np.random.default_rng(0).permutation(len(y))
    return X[rows], y[rows]


@WORDS_WARN
@pytest.mark.parametrize("scorer", [rps_scorer, mae_scorer, amae_scorer, qwk_scorer, off_by_one_scorer], ids=repr)
def test_cross_validation_and_search(balance, scorer):
    X, y = balance
    scores = cross_val_score(make_pipeline(FunctionTransformer(), DecisionTreeClassifier()), X, y, scoring=scorer)
    assert np.isfinite(scores).all()
    # words in the order of the codes change nothing
    words = np.array(["1 left", "2 balanced", "3 right"])[y]
    assert np.array_equal(cross_val_score(DecisionTreeClassifier(), X, words, scoring=scorer), scores)
    search = GridSearchCV(DecisionForestClassifier(5, random_state=0), {"max_depth": [1, 6]}, scoring=scorer)
    assert search.fit(X, y).best_params_ == {"max_depth": 6}
    assert search.score(X, y) == scorer(search, X, y) == scorer(search.best_estimator_, X, y)


def test_several_scorers_at_once(balance):
    scoring = {"rps": rps_scorer, "mae": mae_scorer, "qwk": qwk_scorer, "accuracy": "accuracy"}
    results = cross_validate(DecisionTreeClassifier(), *balance, scoring=scoring)
    # leaves are pure: all probability is on one class, and the squared distances of distributions are those of classes
    assert np.allclose(results["test_rps"], results["test_mae"])
    assert (results["test_qwk"] < 1.0).all()


def test_weights_by_metadata_routing(balance):
    X, y = balance
    weights = np.where(y == 1, 5.0, 1.0)
    tree = DecisionTreeClassifier(max_depth=3)
    with sklearn.config_context(enable_metadata_routing=True):
        asking, ignoring = (mae_scorer.set_score_request(sample_weight=request) for request in (True, False))
        routed = {"X": X, "y": y, "params": {"sample_weight": weights}}
        weighted = cross_val_score(tree.set_fit_request(sample_weight=False), scoring=asking, **routed)
        tree.set_fit_request(sample_weight=True)
        fitted = cross_val_score(tree, scoring=ignoring, **routed)
        both = cross_val_score(tree, scoring=asking, **routed)
        with pytest.raises(ValueError, match="sample_weight"):
            cross_val_score(tree, scoring=mae_scorer, **routed)  # has not been told
    plain = cross_val_score(tree, X, y, scoring=mae_scorer)
    for scores in (weighted, fitted, both):
        assert not np.isclose(scores, plain).all()
    assert not np.isclose(both, fitted).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_an_overflowing_sum_gives_no_probabilities(dtype, share):
    y_proba = np.full((2, 3), share * float(np.finfo(dtype).max), dtype=dtype)
    assert_refuses(ValueError, "do not sum to one", ranked_probability_score, [0, 1], y_proba, labels=[0, 1, 2])
    y_proba[:, 1] *= -1
    assert_refuses(ValueError, "negative values", ranked_probability_score, [0, 1], y_proba, labels=[0, 1, 2])
