"""Random forests (`pytrees.forest`): bootstrap samples as weights, mean shares, out-of-bag scores."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from samples import make_classes, make_stump, make_ties, trees_of
from sklearn.base import is_regressor
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import train_test_split
from support import assert_refuses, assert_same_tree, examples, grow, on_both_engines

from pytrees import (
    AggregatedFourierTreeClassifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees.testing.strategies import problems

COUNT_CRITERIA = ["gini", "entropy", "gain_ratio", "jaccard"]


def make_forest(n_estimators=5, random_state=0, **parameters):
    return DecisionForestClassifier(n_estimators, random_state=random_state, **parameters)


def drawn(estimator, n_rows, n_draws=None, weights=None):
    """The rows that a tree of a forest was grown on, in the order of the draws; whole weights repeat them."""
    rows = np.repeat(np.arange(n_rows), 1 if weights is None else weights // np.gcd.reduce(weights))
    return rows[np.random.RandomState(estimator.random_state).randint(len(rows), size=n_draws or n_rows)]


def arrays_of(tree):
    names = ("children_left", "children_right", "feature", "threshold", "below_threshold", "value", "gain")
    return {name: getattr(tree, name) for name in names}


@pytest.fixture
def data():
    return make_ties()


# ------------------------------------------------------------------------------------------------ the rows of the trees


@pytest.mark.parametrize("criterion", COUNT_CRITERIA)
@pytest.mark.parametrize("max_samples", [None, 7, 45, 0.5])
@pytest.mark.parametrize("max_leaf_nodes", [None, 5])
def test_a_bootstrap_sample_grows_the_tree_of_the_repeated_samples(engine, criterion, max_samples, max_leaf_nodes):
    X, y = make_ties()
    limits = {"max_leaf_nodes": max_leaf_nodes} if max_leaf_nodes else {}
    forest = make_forest(criterion=criterion, max_samples=max_samples, max_features=2, **limits).fit(X, y)
    for estimator in forest.estimators_:
        draws = drawn(estimator, 30, {None: 30, 0.5: 15}.get(max_samples, max_samples))
        rows = np.sort(draws)
        seed = estimator.random_state
        repeated = grow(X[rows], y[rows], n_classes=3, criterion=criterion, max_features=2, seed=seed, **limits)
        assert estimator.tree_.n_node_samples[0] == len(set(draws))
        del repeated["n_node_samples"], repeated["missing_go_to_left"]
        assert_same_tree(arrays_of(estimator.tree_), repeated)


@pytest.mark.parametrize("bootstrap", [True, False])
def test_the_samples_of_a_sequence_come_in_the_order_of_the_draws(engine, bootstrap):
    X, y = make_ties(n_samples=14)
    forest = make_forest(criterion="etc", bootstrap=bootstrap, max_features=2).fit(X, y)
    for estimator in forest.estimators_:
        rows = drawn(estimator, 14) if bootstrap else np.arange(14)
        seed = estimator.random_state
        sequence = grow(X[rows], y[rows], n_classes=3, criterion="etc", max_features=2, seed=seed)
        assert estimator.tree_.n_node_samples[0] == 14
        del sequence["n_node_samples"], sequence["missing_go_to_left"]
        assert_same_tree(arrays_of(estimator.tree_), sequence)


@pytest.mark.parametrize("criterion", COUNT_CRITERIA)
def test_without_bootstrap_and_with_all_features_every_tree_equals_a_single_tree(engine, data, criterion):
    weights = np.random.default_rng(0).integers(0, 3, 30)
    forest = make_forest(criterion=criterion, bootstrap=False, max_features=None).fit(*data, sample_weight=weights)
    tree = DecisionTreeClassifier(criterion=criterion).fit(*data, sample_weight=weights).tree_
    assert all(member == tree for member in trees_of(forest))


def test_nodes_draw_the_square_root_of_the_features(data):
    assert trees_of(make_forest().fit(*data)) == trees_of(make_forest(max_features=1).fit(*data))
    assert trees_of(make_forest().fit(*data)) != trees_of(make_forest(max_features=3).fit(*data))


@pytest.mark.parametrize("max_samples", [0.01, 0.02999, 0.03, 1, 1e-300])
def test_at_least_one_sample_is_drawn(engine, data, max_samples):
    forest = make_forest(max_samples=max_samples).fit(*data)
    assert [tree.value.tolist() for tree in trees_of(forest)] == [
        [np.eye(3)[data[1][drawn(one, 30, 1)[0]]].tolist()] for one in forest.estimators_
    ]


@pytest.mark.parametrize(
    ("max_samples", "n_draws"), [(0.999, 29), (1.0, 30), (1.5, 45), (30, 30), (100, 100), (np.int64(4), 4)]
)
def test_sizes_of_the_samples(data, max_samples, n_draws):
    forest = make_forest(max_samples=max_samples).fit(*data)
    assert {tree.value[0].sum() for tree in trees_of(forest)} == {n_draws}


# -------------------------------------------------------------------------------------------------------------- weights


@pytest.mark.filterwarnings("ignore:Equal samples in X have different classes")
@pytest.mark.parametrize("make", [DecisionForestClassifier, OrdinalDecisionForestClassifier, ID3ForestClassifier])
def test_samples_are_drawn_by_weight(engine, data, make):
    X, y = data
    weights = np.random.default_rng(0).integers(1, 4, 30)
    forest = make(5, bootstrap=True, random_state=0).fit(X, y, sample_weight=weights)
    for estimator, samples in zip(forest, forest.estimators_samples_, strict=True):
        rows = drawn(estimator, 30, weights=weights)
        np.testing.assert_array_equal(samples, rows)
        np.testing.assert_array_equal(estimator.tree_.value[0], np.bincount(y[rows], minlength=3))
        assert estimator.tree_.n_node_samples[0] == len(set(rows))
        again = sklearn.clone(estimator).fit(X[rows], y[rows])
        np.testing.assert_array_equal(again.tree_.threshold, estimator.tree_.threshold)


WEIGHED = [
    *(DecisionTreeClassifier(name, max_leaf_nodes=n) for name in ("gini", "entropy") for n in (None, 4)),
    *(DecisionTreeRegressor(error, max_depth=4) for error in ("squared_error", "absolute_error")),
    *(ID3Classifier("nvi", evaluation=evaluation) for evaluation in ("local", "global")),
    *(
        make(4, max_samples=n, max_features=2, random_state=0)
        for make in (DecisionForestClassifier, DecisionForestRegressor)
        for n in (20, 0.5, 1.0, 2.5)
    ),
]


@pytest.mark.filterwarnings("ignore:Equal samples")
@pytest.mark.parametrize("estimator", WEIGHED, ids=repr)
@pytest.mark.parametrize("has_ties", [False, True])
def test_whole_weights_are_repetitions(engine, estimator, has_ties):
    """The model of weighted samples is that of repeated samples, as far as their numbers do not count."""
    X, y = (make_ties if has_ties else make_classes)(n_samples=30)
    if is_regressor(estimator) and not has_ties:
        y = y + np.random.default_rng(0).normal(size=30)
    weights = np.random.default_rng(3).integers(0, 4, 30)
    weighted = sklearn.clone(estimator).fit(X, y, sample_weight=weights)
    repeated = sklearn.clone(estimator).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    if not hasattr(weighted, "estimators_"):
        assert_same_tree(*(arrays_of(one.tree_) for one in (weighted, repeated)))
        np.testing.assert_array_equal(*(getattr(one, "distance_path_", 0) for one in (weighted, repeated)))
        for name in ("impurity", "weighted_n_node_samples") if is_regressor(estimator) else ():
            np.testing.assert_array_equal(*(getattr(one.tree_, name) for one in (weighted, repeated)))
        assert weighted.tree_.n_node_samples[0] == np.count_nonzero(weights)
        return
    for one, other in zip(trees_of(weighted), trees_of(repeated), strict=True):
        assert_same_tree(arrays_of(one), arrays_of(other))
    share = estimator.max_samples
    n_draws = share if share == 20 else int(share * weights.sum())
    assert all(len(rows) == n_draws for rows in weighted.estimators_samples_)


def test_heavy_samples_are_drawn_as_often_as_they_weigh():
    X, y = np.arange(1000.0)[:, np.newaxis], np.arange(1000) % 2
    weights = np.where(np.arange(1000) < 100, 91.0, 1.0)
    forest = make_forest(20, max_depth=1).fit(X, y, sample_weight=weights)
    shares = [np.mean(rows < 100) for rows in forest.estimators_samples_]
    assert np.mean(shares) == pytest.approx(9100 / 10000, abs=0.01)


def test_draws_by_weight_have_no_rounding():
    """Golden values: NumPy's numbers, and sums of the weights in whole numbers, are the same on every machine."""
    weights = np.array([0.1, 0.2, 0.3, 1e-9, 0.5])
    forest = make_forest(2).fit(np.arange(5.0)[:, np.newaxis], [0, 1, 0, 1, 0], sample_weight=weights)
    numbers = np.cumsum([100000000, 200000000, 300000000, 1, 500000000])
    for estimator, rows in zip(forest, forest.estimators_samples_, strict=True):
        below = np.random.RandomState(estimator.random_state).randint(1100000001, size=5, dtype=np.int64)
        assert rows.tolist() == [int(np.sum(numbers <= number)) for number in below]
    assert [rows.tolist() for rows in forest.estimators_samples_] == [[4, 4, 2, 4, 4], [1, 4, 2, 2, 4]]


@pytest.mark.parametrize("factor", [2, 7, 0.1, 0.5, 1e-200, 1e200])
def test_a_factor_of_all_weights_changes_no_draw(data, factor):
    weights = np.random.default_rng(0).integers(0, 5, 30)
    forest, other = (make_forest().fit(*data, sample_weight=weights * each) for each in (1, factor))
    assert trees_of(forest) == trees_of(other)
    assert trees_of(make_forest().fit(*data)) == trees_of(make_forest().fit(*data, sample_weight=np.full(30, factor)))


def test_few_draws_of_weights_warn(data):
    weights = np.random.default_rng(0).random(30)
    weights /= weights.sum()
    for make in (DecisionForestClassifier, DecisionForestRegressor):
        with pytest.warns(
            UserWarning, match=r"max_samples=0\.5 is a fraction of the sum of the weights.*\(1\)"
        ) as caught:
            forest = make(2, max_samples=0.5).fit(*data, sample_weight=weights)
        assert caught[0].filename == __file__
        assert [len(rows) for rows in forest.estimators_samples_] == [1, 1]


@pytest.mark.parametrize("scale", [1, 0.3])
def test_samples_of_weight_zero_are_left_out_before_samples_are_drawn(engine, data, scale):
    X, y = data
    weights = np.random.default_rng(1).integers(0, 3, 30) * scale
    kept = weights > 0
    parameters = {"max_samples": 1.5, "min_samples_leaf": 0.1}
    weighted = make_forest(**parameters).fit(X, y, sample_weight=weights)
    assert trees_of(weighted) == trees_of(make_forest(**parameters).fit(X[kept], y[kept], sample_weight=weights[kept]))


def test_weights_of_one_change_nothing(engine, data):
    assert trees_of(make_forest().fit(*data, sample_weight=np.ones(30))) == trees_of(make_forest().fit(*data))


def test_class_weights_are_computed_from_all_samples(engine, data):
    X, y = data
    by_class = 30 / (3 * np.bincount(y))
    balanced = make_forest(class_weight="balanced").fit(X, y)
    assert trees_of(balanced) == trees_of(make_forest(class_weight=dict(enumerate(by_class))).fit(X, y))
    assert trees_of(balanced) == trees_of(make_forest().fit(X, y, sample_weight=by_class[y]))
    assert all(estimator.class_weight is None for estimator in balanced.estimators_)


@pytest.mark.parametrize("criterion", COUNT_CRITERIA)
@pytest.mark.parametrize("heavy", [2**22, 2**45, 1e300])
def test_trees_count_draws_of_great_weights(engine, data, criterion, heavy):
    weights = np.r_[np.full(3, heavy), np.ones(27)]
    forest = make_forest(10, criterion=criterion).fit(*data, sample_weight=weights)
    assert {tree.value[0].sum() for tree in trees_of(forest)} == {30}
    assert {int(row) for rows in forest.estimators_samples_ for row in rows} == {0, 1, 2}


# ------------------------------------------------------------------------------------------------- probabilities, order


def mean_in_order(shares):
    total = np.zeros_like(shares[0])
    for share in shares:
        total = total + share
    return total / len(shares)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 101])
def test_probabilities_are_added_in_the_order_of_the_trees(n_jobs, n_rows):
    X, y = make_classes(n_samples=101)
    forest = make_forest(23, n_jobs=n_jobs, max_depth=3).fit(X, y, sample_weight=np.linspace(0.1, 1.0, 101))
    rows = X[:n_rows]
    expected = mean_in_order([estimator.predict_proba(rows) for estimator in forest.estimators_])
    np.testing.assert_array_equal(forest.predict_proba(rows), expected)
    np.testing.assert_array_equal(forest.predict(rows), forest.classes_[expected.argmax(axis=1)])
    np.testing.assert_allclose(forest.predict_proba(rows).sum(axis=1), 1.0)


def test_class_shares_are_averaged_not_votes(engine):
    forest = make_forest(3).fit([[0.0], [1.0]], ["a", "b"])
    unsure, sure = make_stump(value=[[4, 3], [2, 1], [2, 2]]), make_stump(value=[[1, 5], [0, 1], [1, 4]])
    for estimator, tree in zip(forest.estimators_, [unsure, unsure, sure], strict=True):
        estimator.tree_ = tree
    np.testing.assert_array_equal(
        forest.predict_proba([[0.0], [1.0]]),
        [[(2 / 3 + 2 / 3 + 0.0) / 3, (1 / 3 + 1 / 3 + 1.0) / 3], [(0.5 + 0.5 + 0.2) / 3, (0.5 + 0.5 + 0.8) / 3]],
    )
    assert forest.predict([[0.0], [1.0]]).tolist() == ["b", "b"]


# ----------------------------------------------------------------------------------------------------------- out of bag


def out_of_bag(forest, X, n_rows=None):
    """The decision function from its definition, row by row."""
    means = np.full((len(X), forest.n_classes_), np.nan)
    rows_and_shares = [(set(drawn(one, n_rows or len(X))), one.predict_proba(X)) for one in forest.estimators_]
    for i in range(len(X)):
        unseen = [shares[i] for rows, shares in rows_and_shares if i not in rows]
        if unseen:
            means[i] = mean_in_order(unseen)
    return means


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("criterion", [*COUNT_CRITERIA, "etc", "lz76"])
def test_out_of_bag_score(engine, data, criterion, n_jobs):
    X, y = data
    forest = make_forest(20, criterion=criterion, oob_score=True, n_jobs=n_jobs).fit(X, np.array(["a", "b", "c"])[y])
    expected = out_of_bag(forest, X)
    assert not np.isnan(expected).any()
    np.testing.assert_array_equal(forest.oob_decision_function_, expected)
    assert forest.oob_score_ == accuracy_score(y, expected.argmax(axis=1))


def test_out_of_bag_score_by_another_metric(data):
    X, y = data
    labels = np.array(["a", "b", "c"])[y]
    forest = make_forest(20, oob_score=balanced_accuracy_score).fit(X, labels)
    predicted = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == balanced_accuracy_score(labels, predicted)


def test_samples_in_every_bootstrap_sample_have_no_out_of_bag_prediction(engine, data):
    X, y = data
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores") as warned:
        forest = make_forest(2, oob_score=True).fit(X, y)
    assert warned[0].filename == __file__
    expected = out_of_bag(forest, X)
    judged = ~np.isnan(expected[:, 0])
    assert 0 < judged.sum() < 30
    np.testing.assert_array_equal(forest.oob_decision_function_, expected)
    assert forest.oob_score_ == accuracy_score(y[judged], expected[judged].argmax(axis=1))


def test_scores_are_nan_if_no_sample_is_out_of_bag(engine):
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        forest = make_forest(2, oob_score=True, max_samples=200).fit([[0.0], [1.0]], [0, 1])
    assert np.isnan(forest.oob_decision_function_).all()
    assert np.isnan(forest.oob_score_)


def test_out_of_bag_predictions_are_in_the_order_of_X(data):
    X, y = data
    order = np.random.default_rng(2).permutation(30)
    weights = np.r_[np.zeros(6), np.ones(24)]
    forest = make_forest(20, oob_score=True).fit(X, y, sample_weight=weights, order=order)
    rows = np.argsort(order)
    rows = rows[weights[rows] > 0]
    expected = np.empty((30, 3))
    expected[rows] = out_of_bag(forest, X[rows])
    expected[:6] = forest.predict_proba(X[:6])  # rows of weight 0 are out of every bag
    np.testing.assert_array_equal(forest.oob_decision_function_, expected)


# ---------------------------------------------------------------------------------------------------- errors, refitting


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bootstrap": False, "oob_score": True}, "oob_score needs bootstrap=True"),
        ({"bootstrap": False, "oob_score": accuracy_score}, "oob_score needs bootstrap=True"),
        ({"bootstrap": False, "max_samples": 3}, "max_samples needs bootstrap=True"),
        ({"bootstrap": False, "max_samples": 1.0}, "max_samples needs bootstrap=True"),
        ({"max_samples": 0}, "'max_samples' parameter"),
        ({"max_samples": 0.0}, "'max_samples' parameter"),
        ({"max_samples": -0.5}, "'max_samples' parameter"),
        ({"max_samples": np.nan}, "'max_samples' parameter"),
        ({"max_samples": "all"}, "'max_samples' parameter"),
        ({"max_samples": 2**28 + 1}, "max_samples=268435457 draws more than 268435456 samples"),
        ({"max_samples": 1e300}, r"max_samples=1e\+300 draws more than"),
        ({"oob_score": "accuracy"}, "'oob_score' parameter"),
        ({"class_weight": "balanced_samples"}, "'class_weight' parameter"),
        ({"class_weight": {0: -1.0}}, "gives weights that are negative"),
    ],
)
def test_parameters_that_are_refused(data, monkeypatch, parameters, message):
    monkeypatch.setattr("pytrees.trees.base_forest._grow_from_seed", None)  # before anything grows
    assert_refuses(ValueError, message, make_forest(**parameters).fit, *data)


def test_a_metric_that_fails_leaves_the_last_fit_whole(data):
    def fail(y_true, y_pred):
        raise ZeroDivisionError

    forest = make_forest(20, oob_score=True).fit(*data)
    before = pickle.dumps(forest)
    assert_refuses(ZeroDivisionError, None, forest.set_params(oob_score=fail).fit, data[0][:, :2], data[1])
    assert pickle.dumps(forest.set_params(oob_score=True)) == before


def test_a_refit_without_out_of_bag_score_forgets_the_last_one(data):
    forest = make_forest(20, oob_score=True).fit(*data)
    forest.set_params(oob_score=False).fit(*data)
    assert not hasattr(forest, "oob_score_")
    assert not hasattr(forest, "oob_decision_function_")


# ------------------------------------------------------------------------------------------- accuracy, and both engines


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_as_accurate_as_scikit_learn(load):
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    ours = make_forest(100).fit(X, y).score(X_test, y_test)
    theirs = RandomForestClassifier(100, random_state=0).fit(X, y).score(X_test, y_test)
    assert ours > 0.93
    assert abs(ours - theirs) < 0.02


@pytest.mark.filterwarnings("ignore:max_samples=0.6 is a fraction of the sum of the weights")
@examples(40)
@given(
    problem=problems(max_rows=12),
    criterion=st.sampled_from([*COUNT_CRITERIA, "etc", "lz76"]),
    bootstrap=st.booleans(),
    data=st.data(),
)
def test_both_engines_fit_the_same_forest(problem, criterion, bootstrap, data):
    X, y, _, _ = problem
    weights = None
    if criterion not in ("etc", "lz76"):
        some = st.lists(st.sampled_from([0, 1, 2, 0.5]), min_size=len(X), max_size=len(X)).filter(any)
        weights = data.draw(st.none() | some)
    model = DecisionForestClassifier(
        3,
        criterion=criterion,
        bootstrap=bootstrap,
        max_samples=data.draw(st.sampled_from([None, 0.6, 20])) if bootstrap else None,
        max_features=0.7,
        random_state=data.draw(st.integers(0, 2**32 - 1)),
    )
    compiled, reference = on_both_engines(lambda: sklearn.clone(model).fit(X, y, sample_weight=weights))
    assert trees_of(compiled) == trees_of(reference)
    np.testing.assert_array_equal(*on_both_engines(compiled.predict_proba, X))


@pytest.mark.parametrize("n_estimators", [2**24 + 1, 2**31 - 1, 10**30, 0, 1.5, "3"])
@pytest.mark.parametrize(
    "make",
    [
        DecisionForestClassifier,
        PermutationDecisionForestClassifier,
        OrdinalDecisionForestClassifier,
        ID3ForestClassifier,
        AggregatedFourierTreeClassifier,
    ],
)
def test_forests_of_no_possible_size_are_refused(make, n_estimators):
    with pytest.raises(ValueError, match=r"'n_estimators' .* must be an int in the range \[1, 16777216\]"):
        make(n_estimators=n_estimators).fit([[0.0], [1.0]], [0, 1])


def test_importances_equal_scikit_learns():
    """Trees of one leaf do not count, and the means are divided by their sum."""
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    y = np.array([0, 0, 0, 1])
    ours = make_forest(30).fit(X, y)
    is_split = [estimator.tree_.node_count > 1 for estimator in ours.estimators_]
    assert 0 < sum(is_split) < 30
    theirs = RandomForestClassifier(30).fit(X, y)
    theirs.estimators_ = [estimator.tree_.to_sklearn() for estimator in ours.estimators_]
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-12)
    assert ours.feature_importances_.sum() == pytest.approx(1.0)


def test_importances_without_any_split_or_gain():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 0])
    assert make_forest().fit(X, y).feature_importances_.tolist() == [0.0]
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    forest = make_forest(bootstrap=False, max_depth=1, max_features=None).fit(X, y)
    assert forest.estimators_[0].get_n_leaves() == 2
    assert forest.feature_importances_.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n_jobs", [2**20, 2**31, 10**30])
@pytest.mark.parametrize("make", [DecisionForestClassifier, PermutationDecisionTreeClassifier])
def test_more_jobs_than_there_are_tasks_are_not_started(make, n_jobs):
    X, y = make_classes()
    options = {"n_estimators": 3, "oob_score": True} if make is DecisionForestClassifier else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        many, one = (make(random_state=0, n_jobs=number, **options).fit(X, y) for number in (n_jobs, 1))
    np.testing.assert_array_equal(many.predict_proba(X), one.predict_proba(X))
