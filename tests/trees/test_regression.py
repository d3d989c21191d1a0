"""Regression trees and forests: exact means, equal trees of both engines, scikit-learn's trees if nothing ties."""

import pickle
from fractions import Fraction
from statistics import median_low

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st
from samples import make_classes, make_stump
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_diabetes
from sklearn.ensemble import BaggingRegressor
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import cross_val_score
from support import assert_refuses, examples, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Tree,
)
from pytrees._weights import GRID_TOTAL_OF_NUMBERS, on_grid
from pytrees.testing.strategies import feature_matrices

ERRORS = ["squared_error", "absolute_error"]
ESTIMATORS = [DecisionTreeRegressor, DecisionForestRegressor]


def make_numbers(n_samples=60, n_features=3, seed=0):
    """Make targets without ties, in features without ties that are exact in float32."""
    X, _ = make_classes(n_samples, n_features, seed=seed)
    return X, X[:, 0] + np.sin(3.0 * X[:, 1]) + np.random.default_rng(seed).normal(size=n_samples)


@pytest.fixture
def data():
    return make_numbers()


@pytest.mark.parametrize("criterion", [*ERRORS, "gini", "entropy", "ranking", "wig"])
def test_limits_admit_the_gain_that_is_reported(engine, criterion):
    """Gains are reported in units of the targets or weights, and round."""
    make = DecisionTreeRegressor if criterion in ERRORS else DecisionTreeClassifier
    for seed in range(24):
        rng = np.random.default_rng(seed)
        X, y, weights = rng.integers(0, 5, (9, 2)), np.r_[0, 1, rng.integers(0, 2, 7)], rng.integers(1, 4, 9) / 10
        if make is DecisionTreeRegressor:
            y, weights = y * [0.1, 1e-170, 0.1, 1e150, 0.3, rng.random(9)][seed % 6], [None, weights][seed % 2]
        gain = make(criterion, max_depth=1).fit(X, y, weights).tree_.gain[0]
        above = {"min_gain": np.nextafter(gain, np.inf), "min_impurity_decrease": gain * (1 + 2.0**-48) + 2.0**-51}
        for name, limit in above.items() if gain > 0.0 else ():
            models = [make(criterion, max_depth=1, **{name: x}).fit(X, y, weights) for x in (gain, limit)]
            assert [model.tree_.node_count for model in models] == [3, 1]


def rows_of_leaves(tree, X):
    leaves = tree.apply(X)
    return {leaf: np.flatnonzero(leaves == leaf) for leaf in np.unique(leaves)}


def exact_mean(numbers):
    return float(sum(map(Fraction, numbers)) / len(numbers))


def impurity_of(error, numbers):
    numbers = list(map(Fraction, numbers))
    if error == "absolute_error":
        return sum(abs(number - median_low(numbers)) for number in numbers) / len(numbers)
    mean = sum(numbers) / len(numbers)
    return sum((number - mean) ** 2 for number in numbers) / len(numbers)


# -------------------------------------------------------------------------------------------------------------- values

# Powers of two times small whole numbers lie on every grid.
EXACT = st.integers(-30, 30).map(lambda k: k * 0.25)


def weights_of(data, n_samples):
    """Draw no weights, whole ones, or real ones: decimals, any numbers, and numbers of very different sizes."""
    kinds = [st.integers(1, 4), st.integers(1, 99).map(lambda k: k / 10), st.floats(1e-3, 1e3)]
    kinds.append(st.sampled_from([1e300, 1.0, 1e-300, 0.0]) | st.floats(5e-324, 1e300))
    weights = data.draw(st.none() | st.lists(st.one_of(*kinds), min_size=n_samples, max_size=n_samples).filter(any))
    return weights if weights is None else np.array(weights)


@examples(60)
@given(X=feature_matrices(max_rows=15, max_features=2), data=st.data(), error=st.sampled_from(ERRORS))
def test_weighted_means_and_medians(engine, X, data, error):
    """Decimal weights of 14 digits, and the grids of weights and targets are exact."""
    n_samples = len(X)
    numbers = data.draw(st.lists(st.integers(1, 10**11), min_size=n_samples, max_size=n_samples))
    y = np.array(data.draw(st.lists(EXACT, min_size=n_samples, max_size=n_samples)))
    estimator = DecisionTreeRegressor(error, max_depth=2).fit(X, y, sample_weight=np.array(numbers) / 1000)
    for node, rows in (rows_of_leaves(estimator.tree_, X) | {0: np.arange(n_samples)}).items():
        pairs = sorted((Fraction(y[row]), numbers[row]) for row in rows)
        total = sum(number for _, number in pairs)
        value = sum(target * number for target, number in pairs) / total
        if error == "absolute_error":
            value = next(target for target, _ in pairs if 2 * sum(n for t, n in pairs if t <= target) >= total)
        spreads = [abs(target - value) if error == "absolute_error" else (target - value) ** 2 for target, _ in pairs]
        impurity = sum(number * spread for (_, number), spread in zip(pairs, spreads, strict=True)) / total
        assert estimator.tree_.value[node, 0] == float(value)
        assert estimator.tree_.impurity[node] == float(impurity)
        assert estimator.tree_.weighted_n_node_samples[node] == total / 1000


@examples(100)
@given(X=feature_matrices(max_rows=25, max_features=3), data=st.data(), error=st.sampled_from(ERRORS))
def test_leaves_predict_means_and_medians(engine, X, data, error):
    y = np.array(data.draw(st.lists(EXACT, min_size=len(X), max_size=len(X))))
    estimator = DecisionTreeRegressor(error, max_depth=data.draw(st.integers(1, 4))).fit(X, y)
    tree = estimator.tree_
    rows = rows_of_leaves(tree, X) | {0: np.arange(len(X))}
    for node, of_node in rows.items():
        value = median_low(y[of_node].tolist()) if error == "absolute_error" else exact_mean(y[of_node].tolist())
        assert tree.value[node, 0] == value
        assert tree.impurity[node] == float(impurity_of(error, y[of_node].tolist()))
        assert tree.weighted_n_node_samples[node] == tree.n_node_samples[node] == len(of_node)
    np.testing.assert_array_equal(estimator.predict(X), tree.value[tree.apply(X), 0])
    np.testing.assert_array_equal(tree.predict(X), estimator.predict(X))


ROUGH = st.floats(-1e308, 1e308) | st.floats(0, 70).map(np.exp) | st.sampled_from([1e300, 1e-300, -4e-320, 5e-324, 0.1])


@examples(60)
@given(X=feature_matrices(max_rows=15, max_features=2), data=st.data(), error=st.sampled_from(ERRORS))
def test_values_of_rounded_targets(engine, X, data, error):
    """The grid rounds the targets and merges some; values are of the targets themselves, rounded once."""
    y = np.array(data.draw(st.lists(ROUGH, min_size=len(X), max_size=len(X))))
    weights = weights_of(data, len(X))
    limits = data.draw(st.sampled_from([{}, {"max_depth": 1}, {"max_leaf_nodes": 4}, {"n_jobs": 2}]))
    cst = data.draw(st.sampled_from([None, [1] * X.shape[1]]))
    model = DecisionTreeRegressor(error, monotonic_cst=cst, **limits).fit(X, y, sample_weight=weights)
    if cst is not None:
        lower, higher = (model.predict(X + np.arange(X.shape[1]) * 0.0 + rise) for rise in (0.0, 0.5))
        assert np.all(lower <= higher)
        return
    numbers = np.ones(len(X), dtype=int) if weights is None else on_grid(weights, GRID_TOTAL_OF_NUMBERS)[0]
    numbers = np.ones(len(X), dtype=int) if numbers is None else numbers
    path = model.tree_.decision_path(X).toarray().astype(bool) & (numbers > 0)[:, np.newaxis]
    for node, rows in enumerate(path.T):
        pairs = sorted(zip(map(Fraction, y[rows]), numbers[rows].tolist(), strict=True))
        total = sum(number for _, number in pairs)
        value = sum(target * number for target, number in pairs) / total
        if error == "absolute_error":
            value = next(target for target, _ in pairs if 2 * sum(n for t, n in pairs if t <= target) >= total)
        assert model.tree_.value[node, 0] == float(value)


def test_a_tree_by_hand(engine):
    # Mean 5.5, variance 20.75; (0, 2) and (10, 10) leave 1 and 0, weighted (1 + 0) / 2, so that the root gains 20.25.
    tree = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 2.0, 10.0, 10.0]).tree_
    assert tree.value[:, 0].tolist() == [5.5, 1.0, 0.0, 2.0, 10.0]
    assert tree.impurity.tolist() == [20.75, 1.0, 0.0, 0.0, 0.0]
    assert tree.gain.tolist() == [20.25, 1.0, 0.0, 0.0, 0.0]
    assert tree.threshold.tolist() == [1.5, 0.5, -2.0, -2.0, -2.0]
    assert tree.is_regressor
    assert tree.n_classes == 0
    assert repr(tree) == "<Tree of depth 2 with 3 leaves, 1 features, numbers>"


def test_sums_of_decimals_tie():
    # Both features divide targets of the sums 0.3 and 0.6; in floating point 0.1 + 0.2 is more than 0.3, and the second
    # feature would win.
    y = np.array([0.1, 0.2, 0.3, 0.3])
    X = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    for columns in ([0, 1], [1, 0]):
        tree = DecisionTreeRegressor(max_depth=1).fit(X[:, columns], y).tree_
        assert tree.feature[0] == 0


def test_a_range_beyond_all_grids(engine):
    y = [1e300, 1e-300, 2e-300, 1e300, -1e300]
    tree = DecisionTreeRegressor().fit(np.arange(5.0).reshape(-1, 1), y)
    assert tree.predict([[0.0], [1.0], [3.0], [4.0]]).tolist() == [1e300, 1.5e-300, 1e300, -1e300]
    assert tree.tree_.n_leaves == 4  # the small targets are equal on the grid


def test_shares_of_infinite_gains(engine):
    """Feature 0 parts the targets of 1e300, feature 1 only those of 1."""
    X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    tree = DecisionTreeRegressor().fit(X, [0.0, 1e285, 1e300, 1e300])
    assert np.isinf(tree.tree_.gain[0])
    np.testing.assert_array_equal(tree.feature_importances_, tree.tree_.feature_importances())
    np.testing.assert_allclose(tree.feature_importances_.sum(), 1.0)
    model = DecisionForestRegressor(5, max_features=1.0, random_state=0).fit(X, [0.0, 1.0, 1e300, 1e300])
    np.testing.assert_array_equal(model.feature_importances_, [1.0, 0.0])


@pytest.mark.parametrize("cls", [DecisionTreeRegressor, DecisionForestRegressor])
def test_targets_at_both_ends_of_the_doubles(engine, cls):
    """Eight such targets, whose sum in parts is infinity less infinity, are finite all the same."""
    y = 1.7e308 * np.array([1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0])
    model = cls(random_state=0).fit(np.arange(10.0)[:, np.newaxis], y)
    assert np.all(np.isfinite(model.predict([[0.0], [9.0]])))


def test_out_of_bag_means_at_both_ends_of_the_doubles(engine):
    y = 1.7e308 * np.tile([1.0, -1.0, -1.0, 1.0, 1.0], 4)
    forest = DecisionForestRegressor(40, oob_score=lambda targets, means: np.abs(means).max(), random_state=0)
    forest.fit(np.arange(20.0)[:, np.newaxis], y)
    assert np.isfinite(forest.oob_score_)
    small = clone(forest).fit(np.arange(20.0)[:, np.newaxis], y / 2.0**1000)
    np.testing.assert_array_equal(forest.oob_prediction_, small.oob_prediction_ * 2.0**1000)


@pytest.mark.parametrize("shift", [0.0, 1e9, -7e12])
def test_targets_far_from_zero(engine, shift):
    X, y = make_numbers(20)
    y = np.round(8.0 * y) / 8.0  # exact beside the shifts
    near, far = (DecisionTreeRegressor().fit(X, y + added).tree_ for added in (0.0, shift))
    np.testing.assert_array_equal(near.threshold, far.threshold)
    np.testing.assert_array_equal(near.gain, far.gain)


# --------------------------------------------------------------------------------------------------- whole estimators


def parameters():
    return st.fixed_dictionaries(
        {"criterion": st.sampled_from(ERRORS)},
        optional={
            "max_depth": st.integers(1, 5),
            "min_samples_leaf": st.integers(1, 4),
            "min_samples_split": st.integers(2, 6),
            "max_leaf_nodes": st.integers(2, 8),
            "max_features": st.integers(1, 3),
            "min_gain": st.sampled_from([0.0, 0.25, 2.0]),
            "min_impurity_decrease": st.sampled_from([0.05, 0.5]),
            "min_weight_fraction_leaf": st.sampled_from([0.1, 0.25]),
            "ccp_alpha": st.sampled_from([0.05, 0.5]),
            "max_candidates": st.integers(1, 4),
            "random_state": st.integers(0, 9),
        },
    )


def targets_of(data, n_samples):
    kind = data.draw(st.sampled_from([EXACT, st.floats(-5, 5), st.integers(-20, 20).map(lambda k: k / 10)]))
    return np.array(data.draw(st.lists(kind, min_size=n_samples, max_size=n_samples)))


@examples(150)
@given(
    X=feature_matrices(max_rows=25, max_features=3, missing=True),
    data=st.data(),
    parameters=parameters(),
    is_forest=st.booleans(),
)
def test_both_engines_fit_the_same(X, data, parameters, is_forest):
    y = targets_of(data, len(X))
    weights = weights_of(data, len(X))
    further = {"random_state": 0} | ({"n_estimators": 3} if is_forest else {})
    if data.draw(st.booleans()):
        directions = st.lists(st.sampled_from([-1, 0, 1]), min_size=X.shape[1], max_size=X.shape[1])
        further["monotonic_cst"] = data.draw(directions)
    estimator = ESTIMATORS[is_forest](**(further | parameters))
    one, other = on_both_engines(lambda: clone(estimator).fit(X, y, sample_weight=weights))
    for ours, theirs in zip(one if is_forest else [one], other if is_forest else [other], strict=True):
        assert ours.tree_ == theirs.tree_
        np.testing.assert_array_equal(ours.tree_.impurity, theirs.tree_.impurity)
    np.testing.assert_array_equal(*on_both_engines(one.predict, X))
    assert pickle.loads(pickle.dumps(one)).predict(X).tolist() == one.predict(X).tolist()


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("n_samples", [300, 5000])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_order_and_threads_do_not_matter(error, n_samples, is_weighted):
    X, y = make_numbers(n_samples)
    X = np.round(X, 1)
    weights = np.random.default_rng(1).random(n_samples) if is_weighted else np.ones(n_samples)
    limits = {"criterion": error, "min_samples_leaf": 5}
    tree = DecisionTreeRegressor(**limits).fit(X, y, weights).tree_
    rows = np.random.default_rng(0).permutation(n_samples)
    assert DecisionTreeRegressor(**limits).fit(X[rows], y[rows], weights[rows]).tree_ == tree
    assert DecisionTreeRegressor(n_jobs=2, **limits).fit(X, y, weights).tree_ == tree
    forests = [
        DecisionForestRegressor(6, random_state=0, n_jobs=n_jobs, **limits).fit(X, y, weights) for n_jobs in (1, 2)
    ]
    assert [one.tree_ for one in forests[0]] == [one.tree_ for one in forests[1]]
    np.testing.assert_array_equal(forests[0].predict(X), forests[1].predict(X))


@pytest.mark.parametrize("n_features", [3, 5])
@pytest.mark.parametrize("error", ERRORS)
def test_forests_count_repeated_samples_once(error, n_features):
    """Nodes of few features rank them once if there are five, and sort them if there are three."""
    X, y = make_numbers(40, n_features)
    forests = on_both_engines(
        lambda: DecisionForestRegressor(6, criterion=error, max_features=1, random_state=0).fit(X, y)
    )
    compiled, defined = ([one.tree_ for one in forest] for forest in forests)
    assert compiled == defined
    for tree, rows in zip(compiled, forests[0].estimators_samples_, strict=True):
        assert tree.n_node_samples[0] == len(np.unique(rows)) < 40
        assert tree.weighted_n_node_samples[0] == len(rows) == 40


@pytest.mark.parametrize("error", ERRORS)
def test_a_tree_of_a_forest_grows_again_from_its_samples(engine, error):
    X, y = make_numbers(40, 5)
    forest = DecisionForestRegressor(4, criterion=error, max_features=2, random_state=0).fit(X, y)
    for estimator, rows in zip(forest, forest.estimators_samples_, strict=True):
        again = clone(estimator).fit(X[rows], y[rows]).tree_
        np.testing.assert_array_equal(again.feature, estimator.tree_.feature)
        np.testing.assert_array_equal(again.threshold, estimator.tree_.threshold)
        np.testing.assert_allclose(again.value, estimator.tree_.value)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_depth": 3},
        {"max_leaf_nodes": 6},
        {"min_samples_leaf": 7},
        {"min_samples_split": 0.3},
        {"min_weight_fraction_leaf": 0.2},
        {"min_impurity_decrease": 0.05},
        {"ccp_alpha": 0.05},
    ],
    ids=str,
)
@pytest.mark.parametrize("error", ERRORS)
def test_scikit_learn_grows_these_trees(limits, error):
    # An odd number of samples has one median; nodes of an even number can have another gain there.
    X, y = make_numbers(61, seed=1)
    ours = DecisionTreeRegressor(error, **limits).fit(X, y)
    theirs = sklearn.tree.DecisionTreeRegressor(criterion=error, **limits).fit(X, y)
    if error == "absolute_error":  # its leaves of an even number have the mean of both medians, and the same errors
        assert ours.tree_.impurity[0] == pytest.approx(theirs.tree_.impurity[0])
        assert mean_absolute_error(y, ours.predict(X)) == pytest.approx(mean_absolute_error(y, theirs.predict(X)))
        return
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-12)
    assert ours.tree_.node_count == theirs.tree_.node_count
    if "min_samples_leaf" in limits:  # two samples are divided equally well by all features
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_pruning_path(engine, error, is_weighted):
    X, y = make_numbers(25)
    weights = np.random.default_rng(0).random(len(y)) if is_weighted else None
    estimator = DecisionTreeRegressor(error, max_depth=4)
    path = estimator.cost_complexity_pruning_path(X, y, weights)
    tree = estimator.fit(X, y, weights).tree_
    assert path.impurities[-1] == tree.impurity[0]
    assert np.all(np.diff(path.ccp_alphas) >= 0.0)
    for alpha, impurity in zip(path.ccp_alphas, path.impurities, strict=True):
        pruned = clone(estimator).set_params(ccp_alpha=alpha).fit(X, y, weights).tree_
        leaves = pruned.children_left == -1
        risk = (pruned.impurity * pruned.weighted_n_node_samples)[leaves].sum() / pruned.weighted_n_node_samples[0]
        assert risk == pytest.approx(impurity, rel=1e-9)
    theirs = sklearn.tree.DecisionTreeRegressor(criterion=error, max_depth=4)
    theirs = theirs.cost_complexity_pruning_path(X, y, sample_weight=weights)
    if error == "squared_error":
        np.testing.assert_allclose(path.ccp_alphas, theirs.ccp_alphas, atol=1e-12)


@pytest.mark.parametrize("cls", [DecisionForestRegressor, DecisionForestClassifier])
def test_samples_without_weight_do_not_count_out_of_bag(engine, cls):
    X, y = make_numbers(60)
    y = y if cls is DecisionForestRegressor else y > 0.0
    forest = cls(20, oob_score=True, random_state=0)
    weighted = clone(forest).fit(X, y, sample_weight=np.arange(60) % 2)
    assert weighted.oob_score_ == forest.fit(X[1::2], y[1::2]).oob_score_


def test_forests_out_of_bag():
    X, y = make_numbers(200)
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(200, 2))])
    forest = DecisionForestRegressor(60, oob_score=True, random_state=0).fit(X, y)
    unseen = np.ones((200, 60), dtype=bool)
    for column, rows in enumerate(forest.estimators_samples_):
        unseen[rows, column] = False
    predicted = np.column_stack([tree.predict(X) for tree in forest])
    expected = np.where(unseen, predicted, 0.0).sum(axis=1) / unseen.sum(axis=1)
    np.testing.assert_allclose(forest.oob_prediction_, expected, rtol=1e-12)
    assert forest.oob_score_ == pytest.approx(r2_score(y, expected))
    by_mae = clone(forest).set_params(oob_score=mean_absolute_error).fit(X, y)
    assert by_mae.oob_score_ == pytest.approx(mean_absolute_error(y, expected))
    unbiased = forest.unbiased_feature_importances_
    assert np.all(unbiased[:2] > 0.1)
    assert np.all(np.abs(unbiased[3:]) < 0.05)
    shifted = clone(forest).fit(X, y + 2.0**20)
    np.testing.assert_allclose(shifted.unbiased_feature_importances_, unbiased, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("kind", ["none", "whole", "real"])
def test_trees_of_forests_count_their_draws(error, kind):
    """A sample weighs as much as it was drawn, and counts once among the samples of a node."""
    X, y = make_numbers(25)
    rng = np.random.default_rng(0)
    weights = {"none": np.ones(25), "whole": rng.integers(1, 9, 25), "real": 0.1 + rng.random(25)}[kind]
    forest = DecisionForestRegressor(20, criterion=error, max_features=None, oob_score=True, random_state=0)
    one, other = on_both_engines(lambda: clone(forest).fit(X, y, sample_weight=weights))
    np.testing.assert_array_equal(one.oob_prediction_, other.oob_prediction_)
    np.testing.assert_array_equal(one.unbiased_feature_importances_, other.unbiased_feature_importances_)
    for tree, rows in zip(one, one.estimators_samples_, strict=True):
        again = DecisionTreeRegressor(error).fit(X[rows], y[rows]).tree_
        np.testing.assert_array_equal(tree.tree_.threshold, again.threshold)
        np.testing.assert_allclose(tree.tree_.value, again.value, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(tree.tree_.weighted_n_node_samples, again.weighted_n_node_samples, rtol=1e-9)
        assert tree.tree_.n_node_samples[0] == len(set(rows.tolist()))


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_weights_of_all_sizes(engine, cls):
    X, y = np.arange(6.0)[:, np.newaxis], np.array([0.0, 1.0, 2.0, 5.0, 7.0, 9.0])
    for weights in ([1e300, 1e-300, 1, 1, 5e-324, 1e-300], 5e-324 * np.arange(1, 7), np.geomspace(5e-324, 1e-310, 6)):
        model = cls().fit(X, y, sample_weight=weights)
        for tree in [model] if cls is DecisionTreeRegressor else model:
            assert tree.get_n_leaves() == tree.tree_.n_node_samples[0]
            assert np.all(tree.tree_.weighted_n_node_samples > 0.0)
            assert np.all(np.isin(tree.predict(X), y))
            assert np.all(np.isfinite(tree.feature_importances_))


def test_a_warm_start_grows_more_trees(data):
    forest = DecisionForestRegressor(3, random_state=0, warm_start=True).fit(*data)
    first = list(forest)
    forest.set_params(n_estimators=6).fit(*data)
    assert list(forest)[:3] == first
    once = DecisionForestRegressor(6, random_state=0).fit(*data)
    np.testing.assert_array_equal(forest.predict(data[0]), once.predict(data[0]))


def test_forests_score_as_scikit_learns_do():
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = (
        cross_val_score(forest, X, y, cv=5).mean()
        for forest in (
            DecisionForestRegressor(100, min_samples_leaf=3, random_state=0),
            sklearn.ensemble.RandomForestRegressor(100, min_samples_leaf=3, random_state=0),
        )
    )
    assert ours == pytest.approx(theirs, abs=0.03)


def test_distinct_trees(data):
    X, y = data
    forest = DecisionForestRegressor(8, max_depth=1, max_features=1, random_state=0).fit(np.round(X), np.round(y))
    assert sum(tree.count for tree in forest.distinct_trees()) == 8


def test_other_tools_take_them_for_regressors(data):
    X, y = data
    for cls in ESTIMATORS:
        assert is_regressor(cls())
    bagging = BaggingRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=3, random_state=0).fit(X, y)
    assert bagging.predict(X).shape == y.shape


# ---------------------------------------------------------------------------------------------------------- categories


@pytest.mark.parametrize("split", ["multiway", "subset"])
@pytest.mark.parametrize("error", ERRORS)
def test_categories(engine, error, split):
    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "grey", None], dtype=object)[rng.integers(0, 5, 60)]
    X = np.column_stack([words, rng.integers(0, 4, 60)]).astype(object)
    y = np.where(np.isin(words, ["red", "grey"]), 5.0, 0.0) + rng.integers(0, 3, 60) * 0.25
    tree = DecisionTreeRegressor(error, max_depth=1, categorical_features=[0], categorical_split=split).fit(X, y)
    assert tree.tree_.feature[0] == 0
    assert tree.tree_.n_leaves == (2 if split == "subset" else 5)
    grouped = np.isin(words, ["red", "grey"]) if split == "subset" else words
    for group in set(grouped.tolist()):
        rows = grouped == group
        value = median_low(y[rows].tolist()) if error == "absolute_error" else exact_mean(y[rows].tolist())
        assert set(tree.predict(X[rows])) == {value}
    forest = DecisionForestRegressor(30, random_state=0, categorical_features=[0], oob_score=True).fit(X, y)
    assert forest.score(X, y) > 0.9


@examples(60)
@given(data=st.data(), error=st.sampled_from(ERRORS), split=st.sampled_from(["multiway", "subset"]))
def test_both_engines_fit_categories_under_real_weights(data, error, split):
    X = data.draw(feature_matrices(max_rows=20, max_features=2, missing=True))
    codes = data.draw(st.lists(st.integers(0, 6), min_size=len(X), max_size=len(X)))
    X = np.column_stack([codes, X])
    y, weights = targets_of(data, len(X)), weights_of(data, len(X))
    options = {"categorical_features": [0], "categorical_split": split, "random_state": 0}
    options["max_leaf_nodes"] = data.draw(st.none() | st.integers(2, 8))
    estimator = DecisionForestRegressor(2, criterion=error, bootstrap=data.draw(st.booleans()), **options)
    one, other = on_both_engines(lambda: clone(estimator).fit(X, y, sample_weight=weights))
    for ours, theirs in zip(one, other, strict=True):
        assert ours.tree_ == theirs.tree_
        np.testing.assert_array_equal(ours.tree_.impurity, theirs.tree_.impurity)


@pytest.mark.parametrize("error", ERRORS)
def test_a_category_for_every_sample(error):
    X = np.arange(13.0).reshape(-1, 1)
    assert DecisionTreeRegressor(error, categorical_features=[0]).fit(X, X[:, 0] * 7 % 13).get_n_leaves() == 13


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, np.nan], "Input y contains NaN"),
        ([0.0, "1"], "Input y holds no numbers, but words, such as '1'"),
        (np.array(["1", "2"], dtype=object), "Input y holds no numbers, but words, such as '1'"),
        ([0.0, np.inf], "Input y contains infinity"),
        ([None, 1.0], "NaN|None"),
        (["a", "b"], "no numbers|could not convert"),
        ([[0.0, 1.0], [1.0, 2.0]], "predicts one number.*MultiOutputRegressor"),
        (np.zeros((2, 2)), "predicts one number"),
        ([1j, 2j], "[Cc]omplex"),
        ([0.0], "inconsistent numbers of samples"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), "no numbers"),
    ],
)
def test_targets_that_are_refused(cls, y, message):
    assert_refuses(ValueError, message, cls().fit, [[0.0], [1.0]], y)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_parameters_that_are_refused(cls):
    for name, value in (("criterion", "gini"), ("criterion", None), ("max_depth", 0), ("ccp_alpha", -1.0)):
        assert_refuses(ValueError, name, cls(**{name: value}).fit, [[0.0], [1.0]], [0.0, 1.0])


def test_a_failed_fit_loses_nothing(data):
    tree = DecisionTreeRegressor().fit(*data)
    before = tree.tree_
    assert_refuses(ValueError, "NaN", tree.fit, [[0.0], [1.0]], [0.0, np.nan])
    assert tree.tree_ is before
    assert tree.n_features_in_ == 3


def test_an_exchanged_tree_is_refused(data):
    tree = DecisionTreeRegressor().fit(*data)
    tree.tree_ = make_stump()
    assert_refuses(ValueError, "tree_ is a tree of 1 features and 2 classes", tree.predict, data[0])
    forest = DecisionForestRegressor(2).fit(*data)
    forest.estimators_[0].tree_ = make_stump()
    assert_refuses(ValueError, "holds a tree of 1 features and 2 classes", forest.predict, data[0])


def numbers_stump(**changes):
    return make_stump(
        value=[[0.5], [0.0], [1.0]],
        **({"weighted_n_node_samples": [2.0, 1.0, 1.0], "impurity": [0.25, 0.0, 0.0]} | changes),
    )


def test_trees_of_numbers_made_by_hand():
    tree = numbers_stump(criterion="squared_error")
    assert tree.predict([[0.0], [1.0]]).tolist() == [0.0, 1.0]
    assert tree.feature_importances().tolist() == [1.0]
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert numbers_stump(weighted_n_node_samples=[3.0, 1.0, 2.0]) != tree
    assert make_stump(value=[[2.0], [1.0], [1.0]]) != tree
    with pytest.raises(AttributeError, match="no impurity"):
        _ = numbers_stump(impurity=None).impurity
    for ask in (lambda: tree.majority, lambda: tree.shares, lambda: tree.majority_at([0]), lambda: tree.shares_at([0])):
        assert_refuses(ValueError, "predicts numbers", ask)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weighted_n_node_samples": None}, "impurity needs"),
        ({"weighted_n_node_samples": [2.0, 1.0]}, "weighted_n_node_samples has shape"),
        ({"weighted_n_node_samples": [2.0, 0.0, 1.0]}, "a weight that is finite and positive"),
        ({"weighted_n_node_samples": [np.inf, 1.0, 1.0]}, "a weight that is finite and positive"),
        ({"impurity": [0.0]}, "impurity has shape"),
        ({"impurity": [np.nan, 0.0, 0.0]}, "NaN or a negative"),
        ({"criterion": "gini"}, "criterion of a tree of numbers"),
        ({"criterion": ("squared_error", {})}, "criterion of a tree of numbers"),
    ],
)
def test_trees_of_numbers_that_are_none(changes, message):
    assert_refuses(ValueError, message, numbers_stump, **changes)


@pytest.mark.parametrize(("value", "message"), [([[0.5, 0.0]] * 3, "value has shape"), ([[np.inf]] * 3, "finite")])
def test_values_that_are_no_numbers(value, message):
    assert_refuses(ValueError, message, make_stump, value=value, weighted_n_node_samples=[2.0, 1.0, 1.0])


def test_criteria_of_numbers_do_not_measure_classes():
    assert_refuses(ValueError, "criterion must be one of", make_stump, criterion="squared_error")
    assert isinstance(make_stump(criterion="gini"), Tree)
