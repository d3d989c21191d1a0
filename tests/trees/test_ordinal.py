"""Ordinal trees and forests (`pytrees.ordinal`): the order of the classes, and the rules of prediction."""

import pickle
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import make_classes, make_stump, make_ties, trees_of
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from support import assert_refuses, examples, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
)
from pytrees.criteria import WeightedInformationGain
from pytrees.datasets import load_toy_ordinal
from pytrees.metrics import mae_scorer, make_ordinal_scorer, qwk_scorer, rps_scorer
from pytrees.testing.strategies import problems

CRITERIA_TO_TEST = ["ogini", "wig", "ranking", "mae", "gini", "entropy"]
RULES = ["mode", "median", "expected"]
LEVELS = ["low", "medium", "high"]
WORDS = np.array(LEVELS)


def make_tree(criterion="ogini", **parameters):
    return OrdinalDecisionTreeClassifier(criterion, **parameters)


def make_forest(n_estimators=5, criterion="ogini", random_state=0, **parameters):
    return OrdinalDecisionForestClassifier(n_estimators, criterion=criterion, random_state=random_state, **parameters)


both = pytest.mark.parametrize("make", [make_tree, make_forest], ids=["tree", "forest"])


def all_trees(estimator):
    return trees_of(estimator) if hasattr(estimator, "estimators_") else [estimator.tree_]


def leaf(*counts):
    """A fitted tree whose left leaf has these class counts; the right one has one row of the highest class."""
    others = np.eye(len(counts))[-1]
    fitted = make_tree(classes=range(len(counts))).fit([[0.0], [1.0]], [0, len(counts) - 1])
    fitted.tree_ = make_stump(value=[np.add(counts, others), counts, others])
    return fitted


@pytest.fixture
def data():
    return make_ties()


# ------------------------------------------------------------------------------------------- the rules, by definition


def naive_class(shares, rule, costs=None):
    """The class that the rule wants, from its definition, in fractions."""
    total = sum(shares)
    if rule == "cost":
        expected = [
            sum(share * Fraction(row[k]) for share, row in zip(shares, costs, strict=True)) for k in range(len(costs))
        ]
        return expected.index(min(expected))
    if rule == "mode":
        return shares.index(max(shares))
    if rule == "median":
        return next(q for q in range(len(shares)) if 2 * sum(shares[: q + 1]) >= total)
    score = sum(q * share for q, share in enumerate(shares)) / total
    return min(range(len(shares)), key=lambda q: (abs(q - score), q))


def naive_shares(tree, row):
    """The exact class shares of the row's leaf, by a walk from the root."""
    node = 0
    while tree.children_left[node] != -1:
        goes_left = row[tree.feature[node]] <= tree.threshold[node]
        node = (tree.children_left if goes_left else tree.children_right)[node]
    counts = [Fraction(count) for count in tree.value[node].tolist()]
    return [count / sum(counts) for count in counts]


@examples(60)
@given(
    problem=problems(max_rows=14),
    criterion=st.sampled_from(CRITERIA_TO_TEST),
    rule=st.sampled_from(RULES),
    max_depth=st.integers(1, 3),
)
def test_trees_predict_by_the_rule(problem, criterion, rule, max_depth):
    X, y, _, n_classes = problem
    tree = make_tree(criterion, classes=range(n_classes), predict_rule=rule, max_depth=max_depth)
    for fitted, predicted in on_both_engines(lambda: (clone(tree).fit(X, y), clone(tree).fit(X, y).predict(X))):
        shares = [naive_shares(fitted.tree_, row) for row in X]
        assert predicted.tolist() == [naive_class(share, rule) for share in shares]
        assert fitted.predict(X[:1]).tolist() == predicted[:1].tolist()
        scores = [float(sum(q * share for q, share in enumerate(row))) for row in shares]
        np.testing.assert_allclose(fitted.predict_expected_score(X), scores, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            fitted.predict_cumulative_proba(X), np.cumsum(np.array(shares, dtype=float), axis=1), rtol=1e-12
        )


def test_the_mode_of_forests_is_the_greatest_mean_share(engine, data):
    forest = make_forest(max_depth=1).fit(*data)
    assert forest.predict(data[0]).tolist() == forest.predict_proba(data[0]).argmax(axis=1).tolist()
    plain = DecisionForestClassifier(5, criterion="ogini", max_depth=1, random_state=0).fit(*data)
    assert trees_of(forest) == trees_of(plain)
    np.testing.assert_array_equal(forest.predict(data[0]), plain.predict(data[0]))


@pytest.mark.parametrize(
    ("counts", "mode", "median", "expected"),
    [
        ([1, 0, 1], 0, 0, 1),
        ([1, 1], 0, 0, 0),
        ([2, 1, 0, 3], 3, 1, 2),
        ([3, 0, 0, 0, 2], 0, 0, 2),
        ([1, 0, 0, 1], 0, 0, 1),  # halfway between 1 and 2
        ([2**27, 0, 0, 2**27], 0, 0, 1),
        ([2**27 - 1, 0, 0, 2**27], 3, 3, 2),
        ([2**27, 0, 0, 2**27 - 1], 0, 0, 1),
        ([0.1, 0.2, 0.0, 0.3], 3, 1, 2),  # 0.1 + 0.2 is above 0.3
        ([0.3, 0.0, 0.1, 0.2], 0, 0, 1),  # below, in this order
        ([1e308, 0.0, 7e307], 0, 0, 1),
        ([5e-324, 0.0, 5e-324], 0, 0, 1),
        ([7], 0, 0, 0),
    ],
)
def test_predict_rules_at_and_near_ties(engine, counts, mode, median, expected):
    fitted = leaf(*counts)
    predicted = [fitted.set_params(predict_rule=rule).predict([[0.0]]).tolist() for rule in RULES]
    assert predicted == [[mode], [median], [expected]]


def test_cumulative_probabilities_never_fall_and_end_at_one(engine):
    for seed in range(3):
        X, y = make_classes(n_samples=60, n_classes=7, seed=seed)
        weights = np.random.default_rng(seed).random(60)
        for fitted in (make_tree(max_depth=2), make_forest(7, max_depth=2)):
            fitted.fit(X, y, sample_weight=weights)
            up_to = fitted.predict_cumulative_proba(X)
            assert up_to.shape == (60, 7)
            assert np.diff(up_to, axis=1).min() >= 0.0
            assert (up_to[:, -1] == 1.0).all()
            np.testing.assert_allclose(up_to, np.cumsum(fitted.predict_proba(X), axis=1))
            np.testing.assert_allclose(fitted.predict_expected_score(X), (1.0 - up_to).sum(axis=1))


@both
def test_the_rule_can_change_after_fit(engine, make, data):
    X, y = data
    fitted = make(max_depth=1).fit(X, y)
    answers = {rule: fitted.set_params(predict_rule=rule).predict(X).tolist() for rule in RULES}
    for rule in RULES:
        assert answers[rule] == make(max_depth=1, predict_rule=rule).fit(X, y).predict(X).tolist()
    assert answers["mode"] != answers["expected"]
    with pytest.raises(
        ValueError, match=r"predict_rule must be one of \['cost', 'expected', 'median', 'mode'\], got 'mean'"
    ):
        fitted.set_params(predict_rule="mean").predict(X)


@pytest.mark.parametrize("rule", [*RULES, "cost"])
def test_out_of_bag_score_uses_the_predict_rule(engine, rule):
    X, y = make_classes(n_samples=30)
    costs = [[0, 1, 2], [5, 0, 1], [9, 5, 0]] if rule == "cost" else None
    parameters = {"classes": LEVELS, "predict_rule": rule, "cost_matrix": costs, "max_depth": 2}
    forest = make_forest(20, oob_score=True, **parameters).fit(X, WORDS[y])
    shares = [[Fraction(share) for share in row] for row in forest.oob_decision_function_.tolist()]
    decided = [naive_class(row, rule, costs) for row in shares]
    assert forest.oob_score_ == accuracy_score(y, decided)
    by_metric = clone(forest).set_params(oob_score=lambda true, predicted: (true.tolist(), predicted.tolist()))
    assert by_metric.fit(X, WORDS[y]).oob_score_ == (WORDS[y].tolist(), WORDS[decided].tolist())


# ----------------------------------------------------------------------------------------------------------- costs


def cost_matrices(n_classes, costs):
    row = st.lists(costs, min_size=n_classes, max_size=n_classes)
    return st.lists(row, min_size=n_classes, max_size=n_classes)


@examples(80)
@given(
    problem=problems(max_rows=14),
    criterion=st.sampled_from(CRITERIA_TO_TEST),
    costs=st.sampled_from([st.integers(0, 2), st.integers(0, 2**60)]),
    data=st.data(),
)
def test_trees_predict_the_class_of_least_cost(problem, criterion, costs, data):
    X, y, _, n_classes = problem
    costs = data.draw(cost_matrices(n_classes, costs.map(float)))
    tree = make_tree(criterion, classes=range(n_classes), predict_rule="cost", cost_matrix=costs, max_depth=2)
    for fitted in on_both_engines(lambda: clone(tree).fit(X, y)):
        expected = [naive_class(naive_shares(fitted.tree_, row), "cost", costs) for row in X]
        assert fitted.predict(X).tolist() == expected
        assert fitted.predict(X[:1]).tolist() == expected[:1]


@pytest.mark.parametrize(
    ("counts", "costs", "predicted"),
    [
        ([1, 3], [[0, 3], [1, 0]], 0),  # 3 either way
        ([1, 3], [[0, 3.5], [1, 0]], 0),
        ([1, 3], [[0, 2.5], [1, 0]], 1),
        ([0.1, 0.3], [[0, 3], [1, 0]], 0),  # 3 * 0.1 is above 0.3
        ([0.3, 0.1], [[0, 1], [3, 0]], 0),
        ([1, 1], [[0, 2.0**53], [2.0**53 + 2, 0]], 1),
        ([2, 1], [[0, 2.0**53], [2.0**54, 0]], 0),
        ([3, 2**24 - 1], [[0, 2.0**52], [3.0, 0]], 0),
        ([1e308, 7e307], [[0, 1e308], [1e308, 0]], 0),
        ([0.75e308, 1e308], [[0, 1.5e308], [1.5e308, 0]], 1),
        ([5e-324, 5e-324], [[0, 0.5], [0.25, 0]], 0),
        ([2, 1], [[0, 0], [0, 0]], 0),
        ([2, 1], [[5, 1], [9, 1]], 1),  # a class may cost where it is right
        ([7], [[3]], 0),
    ],
)
def test_costs_at_and_near_ties(engine, counts, costs, predicted):
    fitted = leaf(*counts).set_params(predict_rule="cost", cost_matrix=costs)
    assert fitted.predict([[0.0]]).tolist() == [predicted]


@pytest.mark.parametrize("rule", ["median", "expected", "cost"])
@examples(40)
@given(problem=problems(max_rows=14), n_estimators=st.integers(1, 7), seed=st.integers(0, 2**31), data=st.data())
def test_forests_apply_the_rule_to_exact_means(rule, problem, n_estimators, seed, data):
    """Sums of rounded shares come out beside a half, or beside the middle of two classes: it must not show."""
    X, y, _, n_classes = problem
    costs = data.draw(cost_matrices(n_classes, st.integers(0, 3))) if rule == "cost" else None
    parameters = {"classes": range(n_classes), "predict_rule": rule, "cost_matrix": costs, "max_depth": 1}
    forest = make_forest(n_estimators, random_state=seed, **parameters)
    trees = trees_of(forest.fit(X, y))
    sums = [[sum(column) for column in zip(*(naive_shares(tree, row) for tree in trees), strict=True)] for row in X]
    assert forest.predict(X).tolist() == [naive_class(shares, rule, costs) for shares in sums]


@both
def test_costs_of_distances_give_the_other_rules(engine, make, data):
    X, y = data
    ranks = np.arange(3)
    fitted = make(max_depth=1).fit(X, y)
    for rule, costs in (("mode", 1 - np.eye(3)), ("median", np.abs(np.subtract.outer(ranks, ranks)))):
        expected = fitted.set_params(predict_rule=rule).predict(X).tolist()
        assert fitted.set_params(predict_rule="cost", cost_matrix=costs).predict(X).tolist() == expected


@both
def test_costs_are_by_the_order_of_the_classes(engine, make, data):
    X, y = data
    costs = [[0, 1, 2], [9, 0, 1], [9, 9, 0]]
    words = make(classes=LEVELS, predict_rule="cost", cost_matrix=costs, max_depth=1).fit(X, WORDS[y])
    numbers = make(predict_rule="cost", cost_matrix=np.array(costs), max_depth=1).fit(X, y)
    assert words.predict(X).tolist() == WORDS[numbers.predict(X)].tolist()
    again = pickle.loads(pickle.dumps(clone(words).fit(X, WORDS[y])))
    assert again.predict(X).tolist() == words.predict(X).tolist()
    assert again.get_params()["cost_matrix"] == costs
    if make is make_forest:
        assert all(tree.cost_matrix is words.cost_matrix for tree in words.estimators_)
        assert words.estimators_[0].predict(X).shape == (30,)


@both
@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (None, "needs a cost_matrix"),
        (np.ones((2, 2)), "costs of 2 classes for 3 classes"),
        (np.ones((3, 2)), "a row and a column for every class"),
        (np.ones(3), "a row and a column for every class"),
        (-np.eye(3), "not be negative"),
        (np.full((3, 3), np.nan), "NaN"),
        (np.full((3, 3), np.inf), "infinity"),
    ],
)
def test_costs_that_are_refused(make, costs, message, data):
    assert_refuses(ValueError, message, make(predict_rule="cost", cost_matrix=costs).fit, *data)
    fitted = make().fit(*data).set_params(predict_rule="cost", cost_matrix=costs)
    assert_refuses(ValueError, message, fitted.predict, data[0])
    if costs is not None:
        assert_refuses(ValueError, message, make(cost_matrix=costs).fit, *data)


# ------------------------------------------------------------------------------------------- the order of the classes


@both
@pytest.mark.parametrize("criterion", CRITERIA_TO_TEST)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["list", "array", "series", "categorical", "mixed"])
def test_ordered_words_act_as_numbers(engine, make, criterion, rule, kind, data):
    X, y = data
    parameters = {"criterion": criterion, "predict_rule": rule, "max_depth": 2}
    levels, given = LEVELS, {"classes": LEVELS}
    if kind == "array":
        labels = WORDS[y]
    elif kind == "series":
        labels, given = pd.Series(WORDS[y], index=y), {"classes": pd.Index(LEVELS)}
    elif kind == "categorical":
        labels, given = pd.Series(pd.Categorical(WORDS[y], LEVELS, ordered=True)), {}
    else:
        levels = {"list": LEVELS, "mixed": ["low", 7, (1, 2)]}[kind]
        labels, given = [levels[code] for code in y], {"classes": levels}
    words, numbers = make(**parameters, **given).fit(X, labels), make(**parameters).fit(X, y)
    assert words.classes_.tolist() == levels
    assert words.n_classes_ == 3
    assert all_trees(words) == all_trees(numbers)
    assert words.predict(X).tolist() == [levels[code] for code in numbers.predict(X)]
    np.testing.assert_array_equal(words.predict_proba(X), numbers.predict_proba(X))
    np.testing.assert_array_equal(words.predict_cumulative_proba(X), numbers.predict_cumulative_proba(X))


def test_kinds_of_classes_are_kept():
    X = [[0.0], [1.0]]
    for classes, dtype in (
        (["b", "a"], "<U1"),
        ([2, 1], np.int64),
        (range(2, 0, -1), np.int64),
        ([2, 0.5], np.float64),
        (list(np.array([True, False])), bool),
        (["a", 1], object),
    ):
        fitted = make_tree(classes=classes).fit(X, list(classes))
        assert fitted.classes_.tolist() == list(classes)
        assert fitted.classes_.dtype == dtype
        assert fitted.predict(X).tolist() == list(classes)


def test_classes_that_do_not_occur_have_probability_zero(engine, data):
    X, y = data
    scale = ["none", "low", "medium", "some", "high"]
    # To a criterion of nominal classes they make no difference; for ordinal ones they are places on the scale.
    fitted = make_tree("gini", classes=scale, max_depth=2).fit(X, WORDS[y])
    numbers = make_tree("gini", max_depth=2).fit(X, y)
    assert fitted.classes_.tolist() == scale
    np.testing.assert_array_equal(fitted.predict_proba(X)[:, [1, 2, 4]], numbers.predict_proba(X))
    assert fitted.predict_proba(X)[:, [0, 3]].max() == 0.0
    assert fitted.predict_cumulative_proba(X)[:, 0].max() == 0.0
    assert fitted.tree_.n_classes == 5


def test_absent_classes_keep_their_rank_on_the_scale(engine):
    X, y = [[0.0], [0.0], [1.0]], ["low", "high", "high"]
    assert make_tree(classes=["low", "high"]).fit(X, y).predict_expected_score([[0.0]]).tolist() == [0.5]
    scale = make_tree(classes=LEVELS, predict_rule="expected").fit(X, y)
    assert scale.predict_expected_score([[0.0]]).tolist() == [1.0]
    assert scale.predict([[0.0]]).tolist() == ["medium"]


@pytest.mark.parametrize("wrap", [lambda y: y, pd.Series, pd.CategoricalIndex], ids=["array", "series", "index"])
def test_ordered_categories_give_the_order_of_the_present_classes(engine, data, wrap):
    X, y = data
    labels = pd.Categorical(WORDS[y], ["none", *LEVELS, "extreme"], ordered=True)
    fitted = make_tree().fit(X, wrap(labels))
    assert fitted.classes_.tolist() == LEVELS
    assert fitted.tree_ == make_tree().fit(X, y).tree_


def test_a_frame_of_one_ordered_column(data):
    X, y = data
    frame = pd.DataFrame({"level": pd.Categorical(WORDS[y], LEVELS, ordered=True)})
    with pytest.warns(DataConversionWarning, match="column-vector"):
        assert make_tree().fit(X, frame).classes_.tolist() == LEVELS


def test_labels_are_sorted_without_a_given_order(data):
    X, y = data
    for labels in (WORDS[y].tolist(), pd.Categorical(WORDS[y], LEVELS), pd.Series(WORDS[y], dtype="category")):
        with pytest.warns(UserWarning, match="in the alphabet's order: 'high', 'low', 'medium'"):
            fitted = make_tree().fit(X, labels)
        assert fitted.classes_.tolist() == ["high", "low", "medium"]
    assert make_tree().fit(X, y).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("parameters", "looks_at_order"),
    [
        ({"criterion": "gini"}, False),
        ({"criterion": "mae"}, True),
        ({"criterion": "gini", "predict_rule": "median"}, True),
        ({"criterion": "entropy", "monotonic_cst": "some"}, True),
        ({"criterion": "ogini", "classes": LEVELS}, False),
    ],
)
def test_the_order_of_words_is_told_if_something_looks_at_it(data, parameters, looks_at_order):
    X, y = data
    monotonic = {"monotonic_cst": [1] + [0] * (X.shape[1] - 1)} if "monotonic_cst" in parameters else {}
    with pytest.warns(UserWarning, match="alphabet") if looks_at_order else nullcontext():
        make_tree(**(parameters | monotonic)).fit(X, WORDS[y])
    make_tree(**(parameters | monotonic | {"classes": None})).fit(X[y < 2], WORDS[y[y < 2]])  # two have one order


def test_classes_parameter_takes_precedence_over_categories(data):
    X, y = data
    labels = pd.Series(pd.Categorical(WORDS[y], LEVELS, ordered=True))
    message = "differs from the order of the Categorical y, .* 'low' is below 'medium'; classes= is used"
    for make in (make_tree, make_forest):
        with pytest.warns(UserWarning, match=message) as told:
            assert make(classes=LEVELS[::-1]).fit(X, labels).classes_.tolist() == LEVELS[::-1]
        assert [each.filename for each in told] == [__file__]
    with pytest.warns(UserWarning, match=message), pytest.warns(DataConversionWarning):
        make_tree(classes=LEVELS[::-1]).fit(X, labels.to_frame())


@pytest.mark.parametrize("classes", [LEVELS, ["none", *LEVELS], [LEVELS[0], "fair", *LEVELS[1:]]])
def test_an_order_of_categories_that_classes_keep_passes(data, classes):
    X, y = data
    labels = pd.Categorical(WORDS[y], [*LEVELS, "extreme"], ordered=True)
    make_tree(classes=classes).fit(X, labels)
    make_tree(classes=LEVELS[::-1]).fit(X, pd.Categorical(WORDS[y], LEVELS))  # without an order


def test_ordered_categories_that_cannot_be_sorted(data):
    X, y = data
    levels = ["low", 7, 2.5]
    labels = pd.Categorical([levels[code] for code in y], levels, ordered=True)
    fitted = make_tree().fit(X, labels)
    assert fitted.classes_.tolist() == levels
    assert fitted.tree_ == make_tree().fit(X, y).tree_


def test_the_given_classes_are_copied(data):
    X, y = data
    classes = np.array(LEVELS)
    fitted = make_tree(classes=classes).fit(X, WORDS[y])
    classes[:] = "low"
    assert fitted.classes_.tolist() == LEVELS


@both
def test_class_weights_are_given_by_label(engine, make, data):
    X, y = data
    weights = {"low": 1, "medium": 4, "high": 2}
    words = make(classes=LEVELS, class_weight=weights).fit(X, WORDS[y], sample_weight=np.arange(30))
    numbers = make(class_weight={0: 1, 1: 4, 2: 2}).fit(X, y, sample_weight=np.arange(30))
    assert all_trees(words) == all_trees(numbers)
    balanced = make(classes=LEVELS, class_weight="balanced").fit(X, WORDS[y])
    assert all_trees(balanced) == all_trees(make(class_weight="balanced").fit(X, y))


def test_the_order_of_the_samples_still_matters_to_label_sequences(engine, data):
    X, y = data
    keys = np.random.default_rng(0).permutation(30)
    ordinal = make_tree("etc", classes=LEVELS).fit(X, WORDS[y], order=keys)
    assert ordinal.tree_ == DecisionTreeClassifier("etc").fit(X, y, order=keys).tree_


@pytest.mark.parametrize("criterion", ["ogini", "wig", "ranking"])
def test_the_order_decides_which_split_is_best(engine, criterion):
    toy = load_toy_ordinal()
    # In sorted order, the classes that the first feature puts together are neighbours.
    labels = np.array(["a", "c", "d", "b"])[toy.target]
    with pytest.warns(UserWarning, match=r"words, in the alphabet's order: 'a', 'b', 'c', 'd'. Give classes="):
        by_sorting = make_tree(criterion, max_depth=1).fit(toy.data, labels)
    in_order = make_tree(criterion, max_depth=1, classes=["a", "c", "d", "b"]).fit(toy.data, labels)
    assert (by_sorting.tree_.feature[0], in_order.tree_.feature[0]) == (0, 1)


def test_class_scores_cover_the_whole_scale(data):
    X, y = data
    criterion = WeightedInformationGain(class_scores=[0, 1, 5, 9])
    assert make_tree(criterion, classes=[*LEVELS, "extreme"]).fit(X, WORDS[y]).n_classes_ == 4
    with pytest.raises(ValueError, match="class_scores has 4 scores for 3 classes"):
        make_tree(criterion, classes=LEVELS).fit(X, WORDS[y])


# -------------------------------------------------------------------------------------------------------------- errors


@both
@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], "classes is empty"),
        (["low", "low", "high"], "classes holds 'low' more than once"),
        ([1, 2, 1.0], "classes holds 1.0 more than once"),
        (["low", None], "classes holds a missing value"),
        ([1.0, np.nan], "classes holds a missing value"),
        (set(LEVELS), "classes must be a sequence in the order of the scale, got set"),
        (dict.fromkeys(LEVELS), "classes must be a sequence in the order of the scale, got dict"),
        (pd.CategoricalDtype(LEVELS, ordered=True), "classes must be a sequence .*, got CategoricalDtype"),
        (3, "'classes' parameter of Ordinal"),
        (WORDS[:, None], "classes must have one dimension, got an array with 2"),
        ([["low"], ["high"]], "classes holds a label that cannot be a class: unhashable type: 'list'"),
        (["low", "high"], r"y holds labels that are not among classes=\['low', 'high'\]: 'medium'\."),
        (range(3), r"not among classes=\[0, 1, 2\]: 'low', 'medium', 'high'\."),
    ],
)
def test_classes_that_are_refused(make, data, classes, message):
    assert_refuses(ValueError, message, make(classes=classes).fit, data[0], LEVELS * 10)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, *[1.0] * 29], r"not among classes=\[0, 1, 2\]: 0.5\."),
        (np.arange(30), "2.: 3, 4, 5, 6, 7, ..."),
        (["0", *[1] * 29], "2.: '0'"),
        ([np.nan, *[1.0] * 29], "Input y contains NaN"),
        ([None, *[1] * 29], "Input y contains NaN"),
        (pd.array([None, *[1] * 29], dtype="Int64"), "Input y contains NaN"),
        ([[0, 1]] * 30, "y holds a label that cannot be a class"),
        (np.zeros((30, 2)), "y should be a 1d array"),
        ([0, 1, 2], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_are_refused(data, y, message):
    assert_refuses(ValueError, message, make_tree(classes=[0, 1, 2]).fit, data[0], y)


def test_missing_categories_are_refused(data):
    labels = pd.Categorical.from_codes([-1] + [0] * 29, LEVELS, ordered=True)
    assert_refuses(ValueError, "Input y contains NaN", make_tree().fit, data[0], labels)


def test_class_weights_need_classes_that_can_be_sorted(data):
    X, y = data
    levels = ["low", 7, 2.5]
    labels = [levels[code] for code in y]
    with pytest.raises(ValueError, match="class_weight needs classes that can be sorted"):
        make_tree(classes=levels, class_weight="balanced").fit(X, labels)
    with pytest.raises(ValueError, match="class_weight needs classes that can be sorted"):
        make_tree(class_weight="balanced").fit(X, pd.Categorical(labels, levels, ordered=True))
    weights = np.arange(30)
    weighted = make_tree(classes=levels).fit(X, labels, sample_weight=weights)
    assert weighted.tree_ == make_tree().fit(X, y, sample_weight=weights).tree_


@both
def test_a_refit_that_fails_leaves_the_last_fit_whole(make, data):
    X, y = data
    fitted = make(classes=LEVELS).fit(X, WORDS[y])
    before = pickle.dumps(fitted)
    for labels in (WORDS[y][:-1], y):
        assert_refuses(ValueError, r"inconsistent|not among", fitted.fit, X[:, :2], labels)
    assert pickle.dumps(fitted) == before


@both
def test_unfitted_estimators_raise(make):
    for method in ("predict", "predict_cumulative_proba", "predict_expected_score", "predict_proba"):
        assert_refuses(NotFittedError, None, getattr(make(), method), [[1.0]])


# ------------------------------------------------------------------------------------------------ what stands around it


def test_default_parameters():
    for estimator in (OrdinalDecisionTreeClassifier(), OrdinalDecisionForestClassifier()):
        assert (estimator.criterion, estimator.classes, estimator.predict_rule) == ("ogini", None, "mode")


def test_trees_of_a_forest_know_the_order_and_the_rule(data):
    X, y = data
    forest = make_forest(classes=LEVELS, predict_rule="median", max_depth=1).fit(X, WORDS[y])
    for tree in forest.estimators_:
        assert isinstance(tree, OrdinalDecisionTreeClassifier)
        assert (tree.classes_.tolist(), tree.classes, tree.predict_rule) == (LEVELS, LEVELS, "median")
        assert set(tree.predict(X)) <= set(LEVELS)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_any_number_of_jobs_gives_the_same_forest(rule, n_jobs):
    X, y = make_classes(n_samples=2100)
    parameters = {"classes": LEVELS, "predict_rule": rule, "max_depth": 3, "max_samples": 0.3, "oob_score": True}
    one, many = (make_forest(15, n_jobs=jobs, **parameters).fit(X, WORDS[y]) for jobs in (1, n_jobs))
    assert trees_of(one) == trees_of(many)
    np.testing.assert_array_equal(one.predict(X), many.predict(X))
    np.testing.assert_array_equal(one.predict_expected_score(X), many.predict_expected_score(X))
    assert one.oob_score_ == many.oob_score_


@pytest.mark.parametrize("scorer", [rps_scorer, mae_scorer, qwk_scorer], ids=["rps", "mae", "qwk"])
@pytest.mark.parametrize("kind", ["classes", "categorical"])
def test_scorers_see_the_order(engine, data, scorer, kind):
    X, y = data
    if kind == "classes":
        words, labels = make_tree(classes=LEVELS, max_depth=2), WORDS[y]
    else:
        words, labels = make_tree(max_depth=2), pd.Series(pd.Categorical(WORDS[y], LEVELS, ordered=True))
    of_words = cross_val_score(words, X, labels, scoring=scorer, cv=3, error_score="raise")
    of_numbers = cross_val_score(make_tree(max_depth=2), X, y, scoring=scorer, cv=3, error_score="raise")
    np.testing.assert_array_equal(of_words, of_numbers)


def test_scorers_see_the_whole_scale(engine, data):
    X, y = data
    fitted = make_tree(classes=LEVELS, max_depth=2).fit(X[y != 1], WORDS[y[y != 1]])
    numbers = make_tree(max_depth=2).fit(X[y != 1], y[y != 1])
    for metric in ("rps", "mae", "qwk"):
        expected = make_ordinal_scorer(metric, labels=[0, 1, 2])(numbers, X, y)
        assert make_ordinal_scorer(metric)(fitted, X, WORDS[y]) == expected


@both
def test_a_grid_search_compares_rules_and_criteria(engine, make, data):
    X, y = data
    grid = {"predict_rule": RULES, "criterion": CRITERIA_TO_TEST}
    search = GridSearchCV(make(classes=LEVELS, max_depth=2), grid, scoring=mae_scorer, cv=2, error_score="raise")
    search.fit(X, WORDS[y])
    assert set(search.predict(X)) <= set(LEVELS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
