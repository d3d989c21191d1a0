"""C45Classifier: parameters, categories and missing values as users give them, weights, prediction."""

import pickle

import numpy as np
import pytest
from c45_samples import CLASSES, GOLF, golf
from sklearn.base import clone
from sklearn.utils import get_tags
from support import assert_refuses, on_both_engines

from pytrees import C45Classifier, export_text

COLUMNS = ["outlook", "temperature", "humidity", "windy"]


def golf_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([row[:-1] for row in GOLF], columns=COLUMNS)
    return frame, [row[-1] for row in GOLF]


def make_gaps(n_rows=200, rate=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n_rows) > 0).astype(int)
    X[rng.random(X.shape) < rate] = np.nan
    return X, y


def test_string_categories_and_missing_values(engine):
    frame, y = golf_frame()
    tree = C45Classifier(categorical_features=["outlook", "windy"]).fit(frame, y)
    assert [list(categories) for categories in tree.categories_] == [["overcast", "rain", "sunny"], [False, True]]
    assert tree.predict(frame).tolist() == y
    assert "outlook = overcast" in export_text(tree)
    for missing in (None, np.nan):
        lacking = frame.astype(object).copy()
        lacking.loc[5, "outlook"] = missing
        fitted = C45Classifier(categorical_features=["outlook", "windy"]).fit(lacking, y)
        X, codes = golf(lacks_outlook=True)
        same = C45Classifier(categorical_features=[0, 3]).fit(X, np.array(CLASSES)[codes])
        assert fitted.tree_ == same.tree_
        np.testing.assert_array_equal(fitted.predict_proba(lacking), same.predict_proba(X))
        np.testing.assert_array_equal(fitted.encode(lacking), X)


def test_missing_values_of_a_pandas_category(engine):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": pd.Categorical(["u", "u", "v", "v", None]), "b": [1.0, 2.0, 3.0, np.nan, 4.0]})
    tree = C45Classifier(categorical_features="from_dtype", confidence=None).fit(frame, [0, 0, 1, 1, 1])
    assert tree.categories_[0].tolist() == ["u", "v"]
    assert tree.tree_.value[0].tolist() == [2.0, 3.0]
    assert tree.predict_proba(frame).shape == (5, 2)


def test_values_that_fit_has_not_seen(engine):
    X = np.array([["a"], ["a"], ["b"], ["b"], ["b"]], dtype=object)
    tree = C45Classifier(categorical_features=[0], confidence=None).fit(X, [0, 0, 1, 1, 1])
    assert_refuses(ValueError, "unknown categories in column 0", tree.predict, [["c"]])
    tree.set_params(handle_unknown="majority")
    np.testing.assert_array_equal(tree.predict_proba([["c"], ["b"], [None]]), [[0.4, 0.6], [0.0, 1.0], [0.4, 0.6]])
    assert tree.predict([["c"], [None]]).tolist() == [1, 1]


def test_infinity_is_refused():
    for X in ([[1.0], [np.inf]], [[np.nan], [-np.inf]]):
        with pytest.raises(ValueError, match=r"infinity in column 0\. C45Classifier does not accept infinite values"):
            C45Classifier().fit(X, [0, 1])
    tree = C45Classifier().fit([[1.0], [2.0]], [0, 1])
    assert_refuses(ValueError, "infinity in column 0", tree.predict, [[np.inf]])


def test_its_tag_says_that_it_takes_missing_values():
    assert get_tags(C45Classifier()).input_tags.allow_nan


@pytest.mark.parametrize(
    "parameters",
    [
        {"confidence": 0.0},
        {"confidence": 0.51},
        {"confidence": "high"},
        {"min_samples_leaf": 0},
        {"min_samples_leaf": 0.5},
        {"max_depth": 0},
        {"subtree_raising": 2},
        {"handle_unknown": "ignore"},
    ],
)
def test_parameters_are_checked(parameters):
    with pytest.raises(ValueError, match=f"The '{next(iter(parameters))}' parameter"):
        C45Classifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_a_failed_fit_leaves_the_last_good_one():
    X, y = make_gaps()
    tree = C45Classifier().fit(X, y)
    before = tree.tree_
    assert_refuses(ValueError, "infinity", tree.fit, [[np.inf]], [0])
    assert tree.tree_ is before
    assert tree.n_features_in_ == 4


def test_whole_weights_are_repeated_samples(engine):
    X, y = make_gaps(80, rate=0.0)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = C45Classifier().fit(X, y, sample_weight=weights)
    repeated = C45Classifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.tree_.feature, repeated.tree_.feature)
    np.testing.assert_array_equal(weighted.tree_.value, repeated.tree_.value)
    np.testing.assert_array_equal(weighted.tree_.threshold, repeated.tree_.threshold)
    assert weighted.n_nodes_unpruned_ == repeated.n_nodes_unpruned_


def test_class_weights(engine):
    X, y = make_gaps(60)
    weighted = C45Classifier(class_weight={0: 3, 1: 0.5}).fit(X, y)
    same = C45Classifier().fit(X, y, sample_weight=np.where(y == 0, 3, 0.5))
    assert weighted.tree_ == same.tree_


def test_samples_of_weight_zero_are_left_out():
    X, y = make_gaps(60)
    weights = (np.arange(60) < 40).astype(float)
    assert C45Classifier().fit(X, y, weights).tree_ == C45Classifier().fit(X[:40], y[:40]).tree_


def test_very_small_and_great_weights(engine):
    X, y = make_gaps(30)
    for scale in (1e-300, 1e-5, 1e290):
        tree = C45Classifier(confidence=None).fit(X, y, sample_weight=np.full(30, scale))
        assert tree.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(30))
        # Less than two rows of weight 1 cannot be split.
        assert (tree.tree_.node_count == 1) == (scale < 1)


def test_samples_without_missing_values_reach_one_leaf(engine):
    X, y = make_gaps()
    tree = C45Classifier().fit(X, y)
    whole = X[~np.isnan(X).any(axis=1)]
    leaves = tree.apply(whole)
    assert set(leaves) <= set(np.flatnonzero(tree.tree_.feature == -2))
    np.testing.assert_array_equal(tree.predict_proba(whole), tree.tree_.shares[leaves])
    np.testing.assert_array_equal(tree.predict(whole), tree.tree_.majority[leaves])


def test_missing_values_of_features_that_no_node_tests(engine):
    X, y = make_gaps()
    tree = C45Classifier(max_depth=1).fit(X, y)
    asked = tree.tree_.feature[0]
    rows = np.zeros((2, 4))
    rows[1, [feature for feature in range(4) if feature != asked]] = np.nan
    shares = tree.predict_proba(rows)
    np.testing.assert_array_equal(shares[0], shares[1])


def test_both_engines_predict_the_same():
    X, y = make_gaps(150, rate=0.3)
    compiled, reference = on_both_engines(lambda: C45Classifier(confidence=0.5).fit(X, y))
    assert compiled.tree_.node_count >= 5
    assert compiled.tree_ == reference.tree_
    for method in ("predict_proba", "predict"):
        np.testing.assert_array_equal(*on_both_engines(getattr(compiled, method), X))


@pytest.mark.parametrize("method", ["apply", "decision_path", "feature_usage"])
def test_decision_paths_of_samples_with_missing_values_are_refused(method):
    X, y = make_gaps()
    tree = C45Classifier().fit(X, y)
    assert_refuses(ValueError, "NaN in column", getattr(tree, method), X)
    getattr(tree, method)(np.nan_to_num(X))


def test_uninformative_features_give_a_leaf(engine):
    tree = C45Classifier().fit(np.full((4, 2), np.nan), ["b", "a", "b", "c"])
    assert tree.tree_.node_count == 1
    assert tree.predict([[np.nan, 1.0], [2.0, 3.0]]).tolist() == ["b", "b"]
    np.testing.assert_array_equal(tree.feature_importances_, [0.0, 0.0])


def test_one_sample_and_one_class(engine):
    assert C45Classifier().fit([[1.0]], ["a"]).predict([[np.nan]]).tolist() == ["a"]
    tree = C45Classifier(categorical_features=[0]).fit([["u"], ["v"]], [7, 7])
    assert tree.predict_proba([["u"], [None]]).tolist() == [[1.0], [1.0]]


def test_importances_and_clones():
    X, y = make_gaps()
    tree = C45Classifier(confidence=0.1).fit(X, y)
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert tree.get_depth() == tree.tree_.max_depth
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.predict_proba(X), tree.predict_proba(X))
    assert clone(tree).fit(X, y).tree_ == tree.tree_
