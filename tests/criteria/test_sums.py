"""Criteria of numbers in plain Python: what they see, their results, and equal trees on both engines."""

from fractions import Fraction

import joblib
import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from own_criteria import OF_SUMS, Deviation, Gini, Poisson, Variance
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from support import assert_refuses, examples, grow, on_both_engines

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    Tree,
    export_dict,
    merge_redundant,
)
from pytrees._engine import kernel
from pytrees.criteria import CountCriterion, SequenceCriterion, SumCriterion, gain, impurity


def name_of(thing):
    return type(thing).__name__


def table(n_samples, n_features=3, seed=0, gaps=False, categories=()):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)).round(1)
    for feature in categories:
        X[:, feature] = rng.integers(0, 4, n_samples)
    y = np.abs(X[:, 0] + rng.normal(size=n_samples))
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X, y


def fitted(estimator, X, y, **given):
    """Fit copies on both engines; return their trees, as lists."""
    fits = on_both_engines(lambda: sklearn.clone(estimator).fit(X, y, **given))
    return [[member.tree_ for member in getattr(fit, "estimators_", [fit])] for fit in fits]


# --------------------------------------------------------------------------------------------------------- equal trees

LIMITS = [
    {},
    {"max_leaf_nodes": 6},
    {"max_depth": 2, "min_samples_split": 5, "min_samples_leaf": 2},
    {"max_candidates": 3, "min_gain": 0.01},
    {"max_features": 1, "random_state": 4},
    {"min_weight_fraction_leaf": 0.1, "max_leaf_nodes": 5},
    {"monotonic_cst": [1, -1, 0]},
]


@pytest.mark.parametrize("criterion", OF_SUMS, ids=name_of)
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("weights", [None, "whole", "tenths"])
def test_both_engines_grow_the_same_trees(criterion, limits, weights):
    for gaps in (False, True):
        X, y = table(30, gaps=gaps)
        sample_weight = None if weights is None else np.random.default_rng(1).integers(0, 4, len(y))
        if weights == "tenths":
            sample_weight = sample_weight / 10
        compiled, reference = fitted(DecisionTreeRegressor(criterion, **limits), X, y, sample_weight=sample_weight)
        assert compiled == reference
        assert compiled[0].node_count > 1
        np.testing.assert_array_equal(compiled[0].value, reference[0].value)
        np.testing.assert_array_equal(compiled[0].weighted_n_node_samples, reference[0].weighted_n_node_samples)


@examples(200)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0, 2.0, np.nan]),
            st.integers(0, 3).map(float),
            st.one_of(st.integers(0, 3).map(float), st.floats(0.0, 1e9), st.sampled_from([0.1, 0.2, 0.3, 1e15 + 0.5])),
            st.integers(1, 3),
        ),
        min_size=2,
        max_size=14,
    ),
    st.sampled_from(OF_SUMS),
    st.booleans(),
)
def test_both_engines_agree_on_random_tables(rows, criterion, best_first):
    columns = np.array(rows)
    estimator = DecisionTreeRegressor(criterion, max_leaf_nodes=5 if best_first else None)
    compiled, reference = fitted(estimator, columns[:, :2], columns[:, 2], sample_weight=columns[:, 3])
    assert compiled == reference


@pytest.mark.parametrize("criterion", [Variance(), Deviation()], ids=name_of)
@pytest.mark.parametrize("split", ["multiway", "subset"])
@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 7}, {"min_samples_leaf": 2, "max_features": 2}], ids=str)
def test_categories(criterion, split, limits):
    for seed, weighted in ((0, False), (1, True)):
        X, y = table(40, seed=seed, categories=[0, 2])
        weights = np.random.default_rng(seed).integers(1, 5, len(y)) / 10 if weighted else None
        estimator = DecisionTreeRegressor(
            criterion, categorical_features=[0, 2], categorical_split=split, random_state=0, **limits
        )
        compiled, reference = fitted(estimator, X, y, sample_weight=weights)
        assert compiled == reference
        assert compiled[0].is_multiway or isinstance(criterion, Deviation)  # which forbids four children


@pytest.mark.parametrize("split", ["multiway", "subset"])
def test_variance_splits_categories_as_squared_errors_do(split):
    X, y = table(60, categories=[0, 2])
    estimator = DecisionTreeRegressor(
        categorical_features=[0, 2], categorical_split=split, max_depth=3, min_samples_leaf=3
    )
    own, built_in = (sklearn.clone(estimator).set_params(criterion=c).fit(X, y) for c in (Variance(), "squared_error"))
    np.testing.assert_array_equal(own.tree_.feature, built_in.tree_.feature)
    np.testing.assert_array_equal(own.tree_.value, built_in.tree_.value)


def test_categories_need_a_method(engine):
    X, y = table(20, categories=[0])
    with pytest.raises(
        ValueError, match=r"Poisson must define gain_of_children\(sums\) for a child for every category"
    ):
        DecisionTreeRegressor(Poisson(), categorical_features=[0], categorical_split="multiway").fit(X, y)
    assert DecisionTreeRegressor(Poisson(), categorical_features=[0]).fit(X, y).tree_


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 30}, {"max_features": 2, "random_state": 0}], ids=str)
@pytest.mark.parametrize("shift", [0.0, 1e6, -(2.0**40)])
def test_variance_grows_the_tree_of_squared_errors(limits, shift):
    """Real targets have no near ties. Far from zero no digits are lost."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] + rng.normal(size=400) + shift
    own, built_in = (DecisionTreeRegressor(c, **limits).fit(X, y).tree_ for c in (Variance(), "squared_error"))
    np.testing.assert_array_equal(own.threshold, built_in.threshold)
    np.testing.assert_array_equal(own.value, built_in.value)
    if shift == 0.0:
        np.testing.assert_allclose(own.gain, built_in.gain, rtol=1e-9, atol=1e-15)


def test_rows_in_any_order_and_repetitions_in_place_of_weights():
    X, y = table(50)
    weights = np.random.default_rng(2).integers(1, 4, 50)
    tree = DecisionTreeRegressor(Deviation()).fit(X, y, sample_weight=weights).tree_
    order = np.random.default_rng(3).permutation(50)
    assert DecisionTreeRegressor(Deviation()).fit(X[order], y[order], sample_weight=weights[order]).tree_ == tree
    repeated = DecisionTreeRegressor(Deviation()).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).tree_
    np.testing.assert_array_equal(repeated.threshold, tree.threshold)
    np.testing.assert_array_equal(repeated.gain, tree.gain)


# ------------------------------------------------------------------------------------------------------- what they see


class Recorder(Variance):
    """Keeps copies of its arguments."""

    per_feature = True

    def __init__(self):
        self.calls = []

    def gains(self, left, right):
        self.calls.append((left.copy(order="K"), right.copy(order="K")))
        return super().gains(left, right)

    def gain_of_children(self, sums):
        self.calls.append((sums.copy(), sums.copy()))
        return super().gain_of_children(sums)


def exact_sums(y, weights):
    """Weight, sum and spread of the definition, from decimals as they are written."""
    y, weights = ([Fraction(repr(float(number))) for number in column] for column in (y, weights))
    weight, total = sum(weights), sum(map(lambda w, t: w * t, weights, y))
    return [weight, total, sum(w * (t - total / weight) ** 2 for w, t in zip(weights, y, strict=True))]


def test_sums_are_those_of_the_definition(engine):
    X = np.array([[1.0], [2.0], [2.0], [3.0], [np.nan]])
    y, weights = [0.1, 0.2, 1e6, -3.5, 0.7], [0.1, 1.0, 0.3, 2.0, 0.5]
    recorder = Recorder()
    DecisionTreeRegressor(recorder, max_depth=1).fit(X, y, sample_weight=weights)
    ((left, right),) = recorder.calls
    sides = [([0], [1, 2, 3, 4]), ([0, 4], [1, 2, 3]), ([0, 1, 2], [3, 4]), ([0, 1, 2, 4], [3]), ([0, 1, 2, 3], [4])]
    for found, side in ((left, 0), (right, 1)):
        rows = [of_cut[side] for of_cut in sides]
        expected = [exact_sums(np.take(y, of_side), np.take(weights, of_side)) for of_side in rows]
        np.testing.assert_array_equal(found, [[float(number) for number in numbers] for numbers in expected])
        assert found.flags.f_contiguous


@pytest.mark.parametrize("weights", [None, [0.1, 0.7, 0.2] * 8, [3, 1, 2] * 8], ids=["none", "tenths", "whole"])
@pytest.mark.parametrize("split", ["multiway", "subset"])
@pytest.mark.parametrize(
    "targets",
    [
        lambda rng: rng.normal(size=24),
        lambda rng: rng.normal(size=24).round(2),
        lambda rng: 2.0**45 + rng.random(24),
        lambda rng: 1e16 * (1 + rng.integers(0, 9, 24) * 2.0**-52),
        lambda rng: np.exp2(rng.uniform(-60, 60, 24)),
        lambda rng: 1e-160 * rng.normal(size=24),
        lambda rng: 5e-324 * rng.integers(0, 9, 24),
        lambda rng: rng.integers(0, 2**30, 24) * 1.0,
    ],
)
def test_both_engines_show_the_same_sums(targets, split, weights):
    rng = np.random.default_rng(0)
    X, y = np.column_stack([rng.normal(size=24), rng.integers(0, 3, 24)]), targets(rng)
    X[::5, 0] = np.nan
    tree = DecisionTreeRegressor(None, categorical_features=[1], categorical_split=split, max_depth=1)
    recorders = on_both_engines(lambda: tree.set_params(criterion=Recorder()).fit(X, y, weights).criterion)
    calls = [[table for call in recorder.calls for table in call] for recorder in recorders]
    assert len(calls[0]) == len(calls[1]) == 4
    for one, other in zip(*calls, strict=True):
        np.testing.assert_array_equal(one, other)


def test_great_targets(engine):
    """The spread of two targets is beyond the doubles: infinity."""
    recorder = Recorder()
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"gain of (nan|inf)"):
        DecisionTreeRegressor(recorder).fit([[0.0], [1.0], [1.0]], [1e300, -1e300, 1e300])
    np.testing.assert_array_equal(recorder.calls[0][1], [[2.0, 0.0, np.inf]])


def numbers_seen(samples, grid, unit):
    """Return what a criterion is given of samples, pairs of a weight and a number on the grid, left of a cut."""
    recorder = Recorder()
    recorder.gains = lambda left, right: recorder.calls.append(left[0].tolist()) or np.zeros(len(left))
    weights, numbers = zip(*samples, (1, samples[0][1] + (1 if samples[0][1] < 0 else -1)), strict=True)
    targets, X = sorted(set(numbers)), [[0.0]] * len(samples) + [[1.0]]
    codes = list(map(targets.index, numbers))
    criterion = "user_sums", {"criterion": recorder, "targets": targets, "grid": grid, "unit": unit}
    grow(X, codes, np.array(weights), len(targets), criterion, max_depth=1)
    return recorder.calls[0]


NUMBERS = st.integers(-(2**35), 2**35) | st.integers(-3, 3)


@examples(500)
@given(
    st.lists(st.tuples(st.integers(1, 2**40) | st.integers(1, 9), NUMBERS), min_size=1, max_size=6),
    st.sampled_from([0, 7, -(2**40), 2**88 + 1, -(2**124) + 1, 2**130]),
    st.sampled_from([1, 10, 1000, 10**15]),
    st.sampled_from([0, 3, -5, 52, 60, 1074, 500, -500, -1000]),
    st.sampled_from(
        [Fraction(1), Fraction(1, 10), Fraction(3, 7), Fraction(0.1) / 2**48, Fraction(1e300), Fraction(1e-300) ** 3]
    ),
)
def test_sums_are_the_nearest_doubles(samples, centre, divisor, exponent, unit):
    """Great weights and targets, so that numbers of more than 128 bits occur."""
    compiled, reference = on_both_engines(numbers_seen, samples, (centre, divisor, exponent), unit)
    assert compiled == reference


@pytest.mark.parametrize("whole", [2**54 + 2, 2**54 + 6, -(2**54) - 2, 2**53 + 1, 3 * 2**52 + 2])
@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_ties_of_rounding_go_to_even_numbers(engine, whole, beside):
    """A sum of thirds in the middle of two doubles, and the sums next to it."""
    total = 3 * whole + beside
    # A few samples, because numbers have fewer bits than sums.
    samples = [(2**20, total >> 20), (1, total & (2**20 - 1))]
    assert numbers_seen(samples, (0, 3, 0), 1)[1] == float(Fraction(total, 3))
    shifted = Fraction(2**100 * (2**20 + 1) + total, 21 * 2**40)
    assert numbers_seen(samples, (2**100, 3, 40), Fraction(1, 7))[1] == float(shifted)


@pytest.mark.parametrize(("grid", "unit"), [((0, -1, 0), 1), ((0, 1, 0), 0)])
def test_units_are_positive(engine, grid, unit):
    assert_refuses(ValueError, "must be positive", numbers_seen, [(1, 1)], grid, unit)


# ----------------------------------------------------------------------------------------------- estimators, parameters


@pytest.mark.parametrize("criterion", OF_SUMS, ids=name_of)
@pytest.mark.parametrize("weights", [None, "tenths"])
def test_forests(criterion, weights):
    X, y = table(40)
    sample_weight = None if weights is None else np.random.default_rng(1).integers(1, 9, 40) / 10
    forest = DecisionForestRegressor(3, criterion=criterion, max_features=2, random_state=0, n_jobs=2)
    compiled, reference = fitted(forest, X, y, sample_weight=sample_weight)
    assert compiled == reference
    assert forest.set_params(oob_score=True, n_estimators=30).fit(X, y, sample_weight=sample_weight).score(X, y) > 0.3
    assert forest.feature_importances_.sum() == pytest.approx(1.0)
    assert len(forest.unbiased_feature_importances_) == 3


def test_forests_in_processes():
    X, y = table(40)
    forest = DecisionForestRegressor(4, criterion=Deviation(), random_state=0, n_jobs=2)
    trees = [member.tree_ for member in sklearn.clone(forest).fit(X, y).estimators_]
    with joblib.parallel_backend("loky", n_jobs=2):
        assert [member.tree_ for member in forest.fit(X, y).estimators_] == trees


def test_threads_change_no_tree():
    X, y = table(5000)
    one, two = (DecisionTreeRegressor(Variance(), max_depth=5, n_jobs=n).fit(X, y).tree_ for n in (1, 2))
    assert one == two


class Power(BaseEstimator, SumCriterion):
    """A criterion with a parameter."""

    def __init__(self, power=2.0):
        self.power = power

    def gains(self, left, right):
        node = left[:, 0] + right[:, 0]
        difference = np.abs(left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0])
        return left[:, 0] * right[:, 0] / node**2 * difference**self.power


def test_parameters_of_a_criterion_are_searched():
    X, y = table(60)
    tree = DecisionTreeRegressor(Power(), max_depth=3)
    search = GridSearchCV(tree, {"criterion__power": [1.0, 2.0]}, cv=2).fit(X, y)
    assert search.best_estimator_.criterion.power in (1.0, 2.0)


def test_nodes_have_no_impurity(engine):
    X, y = table(30)
    tree = DecisionTreeRegressor(Variance()).fit(X, y)
    assert not hasattr(tree.tree_, "impurity")
    assert tree.tree_.criterion_name is None
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(tree.predict(X), tree.tree_.value[tree.apply(X), 0])


@pytest.mark.parametrize("parameter", ["min_impurity_decrease", "ccp_alpha"])
def test_gains_are_no_decreases_of_impurity(engine, parameter):
    with pytest.raises(ValueError, match=f"{parameter}=0.1 cannot be used with criterion="):
        DecisionTreeRegressor(Variance(), **{parameter: 0.1}).fit(*table(20))
    with pytest.raises(ValueError, match=r"cost_complexity_pruning_path cannot be used .* an impurity of numbers"):
        DecisionTreeRegressor(Variance()).cost_complexity_pruning_path(*table(20))


def test_a_constraint_compares_means():
    X, y = table(60)
    tree = DecisionTreeRegressor(Deviation(), monotonic_cst=[1, 0, -1]).fit(X, y)
    rows = np.column_stack([np.sort(X[:, 0]), np.zeros(60), np.zeros(60)])
    assert np.all(np.diff(tree.predict(rows)) >= 0.0)


def test_trees_and_forests_are_converted():
    X, y = table(40)
    for estimator in (DecisionTreeRegressor(Variance()), DecisionForestRegressor(2, criterion=Variance())):
        converted = estimator.fit(X.astype(np.float32), y).to_sklearn()
        assert converted.criterion == "squared_error"
        np.testing.assert_array_equal(converted.predict(X.astype(np.float32)), estimator.predict(X.astype(np.float32)))
    tree = DecisionTreeRegressor(Variance()).fit(X, y).tree_
    assert Tree.from_dict(export_dict(tree)).node_count == merge_redundant(tree).node_count == tree.node_count


def test_a_friedman_improvement_opens_leaves_in_another_order(engine):
    """Within a node it is a multiple of the variance; between nodes it counts the samples twice."""

    class Friedman(Variance):
        def gains(self, left, right):
            return super().gains(left, right) * (left[:, 0] + right[:, 0])

    X, y = np.arange(7.0)[:, np.newaxis], [0.0, 0.0, 0.0, 2.0, 2.0, 20.0, 24.0]
    trees = [DecisionTreeRegressor(c(), max_leaf_nodes=3).fit(X, y).tree_ for c in (Variance, Friedman)]
    assert trees[0].threshold[0] == trees[1].threshold[0] == 4.5
    assert trees[0].threshold.tolist() != trees[1].threshold.tolist()


# ------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(Variance()),
        DecisionForestClassifier(2, criterion=Variance()),
        OrdinalDecisionTreeClassifier(Variance()),
        ID3Classifier(Variance()),
    ],
    ids=name_of,
)
def test_classifiers_refuse_criteria_of_numbers(engine, estimator):
    name = type(estimator).__name__
    with pytest.raises(
        ValueError, match=f"parameter of {name} must judge classes, but Variance judges numbers: .* CountCriterion"
    ):
        estimator.fit([[0.0], [1.0]], [0, 1])


class Labels(SequenceCriterion):
    def impurity(self, labels):
        return len(set(labels.tolist()))


@pytest.mark.parametrize("criterion", [Gini(), Labels()], ids=name_of)
@pytest.mark.parametrize("estimator", [DecisionTreeRegressor, DecisionForestRegressor], ids=lambda e: e.__name__)
def test_regressors_refuse_criteria_of_classes(engine, estimator, criterion):
    with pytest.raises(ValueError, match=r"must judge numbers, but .* judges classes: derive it from SumCriterion"):
        estimator(criterion=criterion).fit([[0.0], [1.0]], [0.0, 1.0])


def test_kernels_refuse_criteria_of_another_kind(engine):
    options = {"max_depth": 3, "min_samples_split": 2, "min_samples_leaf": 1, "max_leaf_nodes": 2**31 - 1}
    options |= {"min_gain": -np.inf, "max_candidates": 2**31 - 1, "max_features": 1, "seed": 0}
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.int32)
    targets = np.array([0, 1])
    of_sums, of_counts = {"criterion": Gini(), "targets": targets}, {"criterion": Variance()}
    for criterion in (("user_sums", of_sums), ("user_counts", of_counts)):
        assert_refuses(TypeError, "does not judge", kernel("grow_by_gain"), X, y, None, 2, criterion, **options)
    with pytest.raises(ValueError, match="targets do not go together"):
        kernel("grow_by_gain")(X, y, None, 2, ("user_sums", {"criterion": Variance()}), **options)


def test_functions_on_counts_refuse_criteria_of_numbers():
    assert_refuses(ValueError, "judges numbers: class counts are not enough", gain, Variance(), [1, 0], [0, 1])
    assert_refuses(ValueError, "judges numbers: class counts are not enough", impurity, Variance(), [1, 0])


def test_base_classes_are_apart():
    assert not isinstance(Variance(), CountCriterion)
    assert not isinstance(Gini(), SumCriterion)
    assert "criterion" not in C45Classifier().get_params()
