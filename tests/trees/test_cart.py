"""DecisionTreeClassifier: beside scikit-learn's, its parameters and weights, and tools built on top of it."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import make_classes
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier
from support import assert_refuses, examples, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, ID3Classifier, Tree
from pytrees.criteria import CountCriterion
from pytrees.testing.strategies import count_weights, float_weights, no_weights, problems
from pytrees.trees import base


@pytest.fixture
def data():
    return make_classes()


def tree_of(data, criterion="gini", fit=None, **parameters):
    return DecisionTreeClassifier(criterion, **parameters).fit(*data, **(fit or {})).tree_


def is_leaf(tree):
    return tree.children_left == -1


# ------------------------------------------------------------------------------------------- beside scikit-learn's tree


def assert_grown_as_by_scikit_learn(X, y, **parameters):
    """Assert equal nodes in equal places; scikit-learn keeps shares of the classes, and we keep counts."""
    ours = DecisionTreeClassifier(**parameters).fit(X, y)
    theirs, *others = (SklearnDecisionTreeClassifier(**parameters, random_state=i).fit(X, y) for i in range(4))
    # scikit-learn draws lots between splits that gain the same: there is none here.
    assert all(np.array_equal(other.tree_.threshold, theirs.tree_.threshold) for other in others)
    assert ours.get_depth() == theirs.get_depth()
    assert ours.get_n_leaves() == theirs.get_n_leaves() > 2
    for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name), err_msg=name)
    shares = ours.tree_.value / ours.tree_.value.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, theirs.tree_.value[:, 0, :])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize(
    "limits", [{"max_depth": 3}, {"max_depth": 3, "min_samples_leaf": 8}, {"min_samples_split": 50}]
)
def test_grows_as_scikit_learn_does_without_ties(engine, criterion, limits):
    X, y = make_classes(n_samples=100)
    assert_grown_as_by_scikit_learn(X, y, criterion=criterion, **limits)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_grows_as_scikit_learn_does_on_many_samples(criterion):
    X, y = make_classes(n_samples=3000, n_features=6)
    assert_grown_as_by_scikit_learn(X, y, criterion=criterion, max_depth=4)


# ----------------------------------------------------------------------------------------------------------- parameters


def test_grows_until_the_leaves_are_pure(engine, data):
    tree = tree_of(data)
    assert np.count_nonzero(tree.value[is_leaf(tree)], axis=1).max() == 1
    assert tree.value[0].tolist() == np.bincount(data[1]).tolist()


@pytest.mark.parametrize("criterion", ["gini", "entropy", "etc", "lz76"])
def test_grows_through_splits_that_gain_nothing(engine, criterion):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    fitted = DecisionTreeClassifier(criterion).fit(X, y)
    assert fitted.predict(X).tolist() == y
    assert fitted.get_depth() == 2


def test_limits_of_depth_and_leaves(engine, data):
    assert tree_of(data, max_depth=2).max_depth == 2
    assert tree_of(data, max_depth=1000) == tree_of(data)
    for n_leaves in (2, 3, 7):
        assert tree_of(data, max_leaf_nodes=n_leaves).n_leaves == n_leaves
    assert tree_of(data, max_leaf_nodes=1000) == tree_of(data)


def test_limits_of_the_number_of_samples(engine, data):
    tree = tree_of(data, min_samples_leaf=5)
    assert tree.n_node_samples[is_leaf(tree)].min() >= 5
    tree = tree_of(data, min_samples_split=12)
    assert tree.n_node_samples[~is_leaf(tree)].min() >= 12
    assert tree_of(data, min_samples_leaf=21).n_leaves == 1
    assert tree_of(data, min_samples_split=41).n_leaves == 1


@pytest.mark.parametrize(("fraction", "rows"), [(0.1, 4), (0.11, 5), (0.5, 20), (1e-9, 1)])
def test_fractions_of_samples_are_rounded_up(engine, data, fraction, rows):
    assert tree_of(data, min_samples_leaf=fraction) == tree_of(data, min_samples_leaf=rows)
    assert tree_of(data, min_samples_split=fraction) == tree_of(data, min_samples_split=max(2, rows))


def test_limits_may_equal_the_number_of_samples(engine, data):
    assert tree_of(data, min_samples_split=1.0).n_leaves == 2


def test_splits_gain_at_least_min_gain(engine, data):
    tree = tree_of(data, min_gain=0.05)
    assert tree.n_leaves > 1
    assert tree.gain[~is_leaf(tree)].min() >= 0.05
    assert tree_of(data, min_gain=10.0).n_leaves == 1
    assert tree_of(data, min_gain=-10.0) == tree_of(data)


@pytest.mark.parametrize("kind", [Fraction, np.float32, np.longdouble, np.float64])
def test_min_gain_of_other_kinds_of_numbers(data, kind):
    assert tree_of(data, min_gain=kind(1) / 16) == tree_of(data, min_gain=0.0625)


@pytest.mark.parametrize(
    "min_gain", [np.nan, np.inf, 10**400, Fraction(10**400), Decimal("0.5"), 1j, "0.5", [0.5], np.array(0.5)], ids=str
)
def test_min_gain_that_is_no_finite_number_is_refused(data, min_gain):
    with pytest.raises(ValueError, match=r"'min_gain' parameter of DecisionTreeClassifier must be a float"):
        tree_of(data, min_gain=min_gain)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_repeats", [1, 2, 3, 7, 11])
def test_min_gain_of_zero_allows_splits_without_gain(engine, criterion, n_repeats):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * n_repeats, [0, 1, 1, 0] * n_repeats
    tree = tree_of((X, y), criterion, min_gain=0.0)
    assert tree.n_leaves == 4
    assert tree.gain[0] == pytest.approx(0.0, abs=1e-8)
    assert tree_of((X, y), criterion, min_gain=1e-6).n_leaves == 1


def test_max_candidates_are_evenly_spaced_cuts(engine, data):
    X, y = data
    one = tree_of((X[:, :1], y), max_candidates=1, max_depth=1)
    middle = np.sort(X[:, 0])[19:21].mean()  # of 39 cuts the one with 19 on either side
    assert one.threshold[0] == middle
    assert tree_of(data, max_candidates=39) == tree_of(data, max_candidates=10**6) == tree_of(data)
    assert tree_of(data, max_candidates=3) != tree_of(data)


@pytest.mark.parametrize("max_features", [1, 2, 0.5, 0.99, 1e-9, "sqrt", "log2"])
def test_some_features_are_drawn_for_every_node(engine, max_features):
    data = make_classes(n_samples=20, n_features=5)
    trees = [tree_of(data, max_features=max_features, random_state=seed) for seed in range(6)]
    assert len(set(trees)) > 1
    assert tree_of(data, max_features=max_features, random_state=5) == trees[5]
    assert all(np.count_nonzero(tree.value[is_leaf(tree)], axis=1).max() == 1 for tree in trees)


@pytest.mark.parametrize(
    ("max_features", "number"), [("sqrt", 2), ("log2", 2), (0.5, 2), (0.99, 4), (0.1, 1), (1.0, 5), (9, 5)]
)
def test_max_features_by_name_or_fraction_equals_its_number(engine, max_features, number):
    data = make_classes(n_features=5)
    expected = tree_of(data, max_features=number, random_state=3)
    assert tree_of(data, max_features=max_features, random_state=3) == expected


@pytest.mark.parametrize("max_features", ["sqrt", "log2", 0.3])
def test_a_feature_is_tried_if_there_is_one(engine, max_features):
    tree = DecisionTreeClassifier(max_features=max_features).fit([[0.0], [1.0]], [0, 1])
    assert tree.max_features_ == 1
    assert tree.tree_.node_count == 3


def test_equal_random_states_grow_equal_trees(engine, data):
    def grow(random_state):
        return tree_of(data, max_features=1, random_state=random_state)

    assert grow(0) == grow(0)
    assert grow(np.random.RandomState(7)) == grow(np.random.RandomState(7))
    stream = np.random.RandomState(7)
    assert grow(stream) != grow(stream)
    assert grow(None).n_features == 3
    assert tree_of(data, random_state=0) == tree_of(data, random_state=1)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 0},
        {"max_depth": 1.5},
        {"min_samples_split": 1},
        {"min_samples_split": 0.0},
        {"min_samples_split": 1.5},
        {"min_samples_leaf": 0},
        {"min_samples_leaf": 1.0},
        {"max_leaf_nodes": 1},
        {"max_features": 0},
        {"max_features": "auto"},
        {"max_features": 1.01},
        {"min_gain": np.nan},
        {"min_gain": "a"},
        {"max_candidates": 0},
        {"class_weight": "heavy"},
        {"random_state": "a"},
    ],
    ids=str,
)
def test_parameters_that_are_refused(data, parameters):
    with pytest.raises(ValueError, match=f"'{next(iter(parameters))}' parameter of DecisionTreeClassifier"):
        DecisionTreeClassifier(**parameters).fit(*data)


@pytest.mark.parametrize("criterion", ["Gini", "logloss", None, 3])
def test_an_unknown_criterion_is_refused_and_the_known_are_listed(data, criterion):
    with pytest.raises(ValueError, match="'criterion' parameter of DecisionTreeClassifier") as caught:
        DecisionTreeClassifier(criterion).fit(*data)
    assert all(repr(known) in str(caught.value) for known in ("gini", "entropy", "etc"))


def test_the_class_of_a_criterion_in_place_of_an_object_is_refused(data):
    class Renyi(CountCriterion):
        pass

    for estimator in (DecisionTreeClassifier(Renyi), ID3Classifier(distance=Renyi)):
        assert_refuses(ValueError, r"must be an object, got the class Renyi: write Renyi\(\)", estimator.fit, *data)


def test_the_list_of_criteria_is_sorted_and_names_the_base_classes(data):
    with pytest.raises(ValueError, match="derived from CountCriterion or SequenceCriterion") as caught:
        DecisionTreeClassifier("ginny").fit(*data)
    assert "['accuracy', 'entropy'," in str(caught.value)
    assert "OwnCriterion" not in str(caught.value)


# -------------------------------------------------------------------------------------------------------------- weights


def test_weights_of_one_change_nothing(engine, data):
    for weights in (1, 1.0, np.ones(40), [True] * 40):
        assert tree_of(data, fit={"sample_weight": weights}) == tree_of(data)
    assert tree_of(data, class_weight={0: 1, 1: 1.0, 2: 1}) == tree_of(data)


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.1])
def test_samples_of_weight_zero_are_left_out(engine, data, scale):
    X, y = data
    weights = scale * (np.arange(40) % 3 > 0)
    kept = weights > 0
    weighted = tree_of(data, fit={"sample_weight": weights})
    assert weighted == tree_of((X[kept], y[kept]), fit={"sample_weight": weights[kept]})
    assert weighted.n_node_samples[0] == kept.sum()


def test_classes_of_weight_zero_remain_classes(engine, data):
    X, y = data
    fitted = DecisionTreeClassifier().fit(X, y, sample_weight=(y != 1).astype(int))
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.predict_proba(X)[:, 1].max() == 0.0
    assert DecisionTreeClassifier(class_weight={1: 0}).fit(X, y).tree_ == fitted.tree_


def test_class_weights_multiply_sample_weights(engine, data):
    _, y = data
    rows = np.arange(40) % 4 + 1
    both = tree_of(data, fit={"sample_weight": rows}, class_weight={0: 2, 2: 3})
    assert both == tree_of(data, fit={"sample_weight": rows * np.array([2, 1, 3])[y]})


def test_balanced_class_weights_give_classes_the_same_total(engine):
    X, y = make_classes(n_classes=2)
    y[:12] = 0
    value = tree_of((X, y), class_weight="balanced").value[0]
    np.testing.assert_allclose(value, [20.0, 20.0])


def test_class_weights_are_given_by_label(engine, data):
    X, y = data
    labels = np.array(["a", "b", "c"])[y]
    assert tree_of((X, labels), class_weight={"b": 5}) == tree_of(data, class_weight={1: 5})


def test_the_order_of_samples_matters_to_sequence_criteria_only(engine, data):
    X, y = data
    keys = np.random.default_rng(2).permutation(40)
    rows = np.argsort(keys)
    ordered = tree_of(data, "etc", {"order": keys})
    assert ordered == tree_of((X[rows], y[rows]), "etc")
    assert ordered != tree_of(data, "etc")
    for criterion in ("gini", "entropy"):
        with pytest.warns(UserWarning, match=f"order has no influence: the criterion '{criterion}' does not look at"):
            with_keys = tree_of(data, criterion, {"order": keys})
        assert with_keys == tree_of(data, criterion)


# ------------------------------------------------------------------------------------------------------ degenerate data


@pytest.mark.parametrize("criterion", ["gini", "entropy", "etc", "lz76"])
@pytest.mark.parametrize(
    ("X", "y", "classes"),
    [
        ([[1.0], [2.0], [3.0]], ["a", "a", "a"], ["a"]),
        ([[1.0, 2.0]], [7], [7]),
        ([[5.0, 1.0]] * 4, [1, 0, 1, 0], [0, 1]),
        ([[-0.0], [0.0]], [1, 0], [0, 1]),
    ],
    ids=["one_class", "one_row", "constant_X", "signed_zeros"],
)
def test_nodes_that_cannot_be_split_are_leaves(engine, criterion, X, y, classes):
    fitted = DecisionTreeClassifier(criterion).fit(X, y)
    assert fitted.classes_.tolist() == classes
    assert (fitted.get_depth(), fitted.get_n_leaves()) == (0, 1)
    assert fitted.predict(X).tolist() == [classes[0]] * len(X)
    np.testing.assert_array_equal(fitted.predict_proba(X), np.full((len(X), len(classes)), 1 / len(classes)))
    assert fitted.feature_importances_.tolist() == [0.0] * len(X[0])


def test_neighbouring_floats_are_separated(engine):
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    fitted = DecisionTreeClassifier().fit(X, [0, 1])
    assert fitted.predict(X).tolist() == [0, 1]
    assert fitted.tree_.threshold[0] == 1.0


# ------------------------------------------------------------------------------------------------------ the fitted tree


def test_unfitted_estimators_raise():
    estimator = DecisionTreeClassifier()
    for method in ("predict", "predict_proba", "apply", "decision_path", "feature_usage"):
        assert_refuses(NotFittedError, None, getattr(estimator, method), [[1.0]])
    for method in ("get_depth", "get_n_leaves"):
        assert_refuses(NotFittedError, None, getattr(estimator, method))
    assert not hasattr(estimator, "feature_importances_")
    assert not hasattr(estimator, "tree_")


def test_estimator_attributes_agree_with_its_tree(engine, data):
    X, y = data
    fitted = DecisionTreeClassifier(max_depth=3).fit(X, np.array(["a", "b", "c"])[y])
    tree = fitted.tree_
    assert isinstance(tree, Tree)
    assert (fitted.get_depth(), fitted.get_n_leaves()) == (tree.max_depth, tree.n_leaves)
    np.testing.assert_array_equal(fitted.apply(X), tree.apply(X))
    np.testing.assert_array_equal(fitted.predict(X), np.array(["a", "b", "c"])[tree.predict(X)])
    np.testing.assert_array_equal(fitted.feature_usage(X), tree.feature_usage())
    np.testing.assert_array_equal(fitted.feature_importances_, tree.feature_importances())
    assert (fitted.decision_path(X) != tree.decision_path(X)).nnz == 0
    counts = tree.value[tree.apply(X)]
    np.testing.assert_array_equal(fitted.predict_proba(X), counts / counts.sum(axis=1)[:, None])


def test_refitting_replaces_the_last_fit(engine, data):
    X, y = data
    refitted = DecisionTreeClassifier().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y).fit(X[:, :1], y > 0)
    fresh = DecisionTreeClassifier().fit(X[:, :1], y > 0)
    assert vars(refitted).keys() == vars(fresh).keys()
    assert refitted.tree_ == fresh.tree_
    assert refitted.classes_.tolist() == [False, True]


# --------------------------------------------------------------------------------------------------------- both engines


def any_weights(n_rows):
    zero_or_one = st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows).filter(any)
    return no_weights(n_rows) | count_weights(n_rows) | float_weights(n_rows) | zero_or_one


@examples(80)
@given(
    problem=problems(weights=any_weights, max_rows=14),
    criterion=st.sampled_from(["gini", "entropy", "gain_ratio", "mae", "etc", "lz76"]),
    max_leaf_nodes=st.none() | st.integers(2, 6),
    max_features=st.sampled_from([None, 1, "sqrt", 0.5]),
)
def test_both_engines_fit_the_same_tree(problem, criterion, max_leaf_nodes, max_features):
    X, y, weights, _ = problem
    parameters = {"max_leaf_nodes": max_leaf_nodes, "max_features": max_features, "random_state": 0}
    fit = {} if criterion in ("etc", "lz76") else {"sample_weight": weights}
    compiled, reference = on_both_engines(tree_of, (X, y), criterion, fit, **parameters)
    assert compiled == reference
    for leaves, reference_leaves in zip(
        on_both_engines(compiled.apply, X), on_both_engines(reference.apply, X), strict=True
    ):
        np.testing.assert_array_equal(leaves, reference_leaves)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(), DecisionForestClassifier(2), DecisionTreeClassifier("etc")]
)
def test_too_many_class_counts_are_refused_before_growth(monkeypatch, estimator):
    y = np.arange(10_000)
    monkeypatch.setattr(base.np, "empty", refuse_gigabytes)
    assert_refuses(MemoryError, r"counting 10000 classes in each node takes \d\.\d GiB", estimator.fit, y[:, None], y)


def refuse_gigabytes(shape, *args, empty=np.empty, **kwargs):
    if np.prod(shape, dtype=float) * 8 > 2**29:
        raise MemoryError
    return empty(shape, *args, **kwargs)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_many_classes_are_counted_in_small_trees(monkeypatch):
    y = np.arange(10_000)
    monkeypatch.setattr(base.np, "empty", refuse_gigabytes)
    assert DecisionTreeClassifier(max_leaf_nodes=3).fit(y[:, None], y).get_n_leaves() == 3
    assert DecisionTreeClassifier().fit(np.zeros((10_000, 1)), y).get_n_leaves() == 1


class WithWrongDefault(DecisionTreeClassifier):
    def __init__(self, criterion="gini", max_depth=0):
        super().__init__(criterion, max_depth=max_depth)


# Parameters that have their defaults are not validated again.
def test_wrong_values_and_wrong_defaults_are_refused():
    X, y = [[0.0], [1.0]], [0, 1]
    assert_refuses(ValueError, "'max_depth' parameter of WithWrongDefault", WithWrongDefault().fit, X, y)
    assert WithWrongDefault(max_depth=None).fit(X, y).get_n_leaves() == 2
    for wrong in ({"max_depth": 0}, {"criterion": "mode"}, {"class_weight": "even"}):
        name = next(iter(wrong))
        with pytest.raises(ValueError, match=f"'{name}' parameter of DecisionTreeClassifier"):
            DecisionTreeClassifier(**wrong).fit(X, y)
        tree = DecisionTreeClassifier().fit(X, y)
        assert_refuses(ValueError, f"'{name}' parameter of DecisionTreeClassifier", tree.set_params(**wrong).fit, X, y)
