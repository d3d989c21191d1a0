"""Checks of trees of numbers: right ones pass, with their ties counted; every fault is found, and named."""

import numpy as np
import pytest
from own_cart import OwnRegressionCart, report_of
from own_criteria import (
    Deviation,
    Gamma,
    GammaWithZeros,
    Poisson,
    PoissonOfEvents,
    ShareOfFeatureInVariance,
    Variance,
)
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor as SklearnTree

from pytrees import (
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_dict,
    from_sklearn,
    to_sklearn,
)
from pytrees.criteria import SumCriterion
from pytrees.testing import (
    CriterionCheckError,
    TreeCheckError,
    assert_trees_equal,
    check_criterion,
    check_tree,
    check_tree_estimator,
)

ERRORS = ("squared_error", "absolute_error")
# ------------------------------------------------------------------------------------------------- trees that are right


def test_trees_on_both_engines_are_checked(engine):
    check_tree_estimator(DecisionTreeRegressor(max_depth=3), "squared_error", n_cases=8)


def test_targets_of_any_size_are_checked_alike():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (25, 2)).astype(float), rng.integers(0, 4, 25) - 1.0
    for error in ERRORS:
        for factor in (1e-300, 1e-9, 1.0, 1e9, 1e300):
            tree = DecisionTreeRegressor(error, max_depth=3).fit(X, y * factor)
            report = check_tree(tree, X, y * factor, error)
            assert report.splits["best"] + report.splits["tie, first"] == sum(report.splits.values())
    wrong = OwnRegressionCart("children unweighted").fit(X, y * 1e-9)
    with pytest.raises(TreeCheckError, match="worse split"):  # gains of 1e-18 are no rounding of such targets
        check_tree(wrong, X, y * 1e-9, "squared_error")


def test_converted_trees_and_dicts_are_checked():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (25, 2)).astype(float), np.round(rng.normal(size=25), 1)
    tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    arrays = {name: getattr(tree.tree_, name) for name in ("children_left", "children_right", "feature", "threshold")}
    for one in (tree, tree.tree_, export_dict(tree), to_sklearn(tree), from_sklearn(to_sklearn(tree)), arrays):
        report = check_tree(one, X, y, "squared_error", limits={"max_depth": 3})
        assert sum(report.splits.values()) == tree.get_n_leaves() - 1
    arrays |= {"value": tree.tree_.value[:, 0], "gain": tree.tree_.gain}
    check_tree(arrays, X, y, "squared_error", limits={"max_depth": 3})
    with pytest.raises(TreeCheckError, match="the number"):
        check_tree(arrays | {"value": arrays["value"] + 1e-6}, X, y, "squared_error", limits={"max_depth": 3})


def test_any_median_is_right():
    X, y = np.zeros((4, 1)), np.array([1.0, 2.0, 3.0, 4.0])
    for value in (2.0, 2.5, 3.0):
        leaf = {"children_left": [-1], "children_right": [-1], "feature": [-2], "threshold": [-2.0], "value": [value]}
        check_tree(leaf, X, y, "absolute_error")
    with pytest.raises(TreeCheckError, match=r"the samples have the weight 4 and the number from 2\.0 to 3\.0"):
        check_tree(leaf | {"value": [3.1]}, X, y, "absolute_error")


def test_a_node_that_rounding_made_impure_is_no_error():
    X, y = np.arange(3.0)[:, np.newaxis], np.array([0.1, 0.1, 0.1])
    tree = to_sklearn(DecisionTreeRegressor().fit(X, [0.1, 0.1, 0.2]))
    assert tree.tree_.node_count == 3
    tree.tree_.value[:] = 0.1
    tree.tree_.impurity[:] = 0.0
    with pytest.raises(TreeCheckError, match="all its samples have one target"):
        check_tree(tree, X, y, "squared_error")
    tree.tree_.impurity[0] = 1e-18
    assert check_tree(tree, X, y, "squared_error").splits == {"within rounding": 1}


# --------------------------------------------------------------------------------------------------------------- faults


class TreeOfThresholds(DecisionTreeRegressor):
    """Tells thresholds alone."""

    def fit(self, X, y):
        tree = super().fit(X, y).tree_
        self.tree_ = {name: getattr(tree, name) for name in ("children_left", "children_right", "feature", "threshold")}
        return self


def test_another_criterion_is_named():
    report = report_of(DecisionTreeRegressor("absolute_error"), "squared_error", n_cases=60)
    assert "That would be right for the criterion 'absolute_error'. This would explain" in str(report)
    report = report_of(TreeOfThresholds("absolute_error"), "squared_error", n_cases=60)
    assert "the criterion is 'absolute_error'" in report.causes


def test_examples_run_and_show_the_same():
    report = report_of(OwnRegressionCart("stops early"), "squared_error", n_cases=10)
    example = report.examples["not split"]
    with pytest.raises(TreeCheckError, match="is a leaf, but"):
        exec(example.code.replace("# from your_module", "from own_cart"), {})


class Means(RegressorMixin, BaseEstimator):
    """The right tree, with other predictions."""

    def fit(self, X, y):
        self.tree_ = DecisionTreeRegressor().fit(X, y).tree_
        return self

    def predict(self, X):
        return np.where(np.arange(len(X)) == 0, np.nan, self.tree_.predict(X))


def test_wrong_predictions_are_found():
    assert set(report_of(Means(), "squared_error", n_cases=5).errors) == {"prediction"}


@pytest.mark.parametrize(
    ("given", "criterion", "words"),
    [
        (DecisionTreeRegressor(), "gini", "judges classes, but DecisionTreeRegressor predicts numbers"),
        (DecisionTreeClassifier(), "squared_error", "judges numbers, but DecisionTreeClassifier predicts classes"),
        (SklearnTree(), "entropy", "judges classes, but DecisionTreeRegressor predicts numbers"),
        (DecisionTreeRegressor(), "friedman_mse", "criterion must be one of"),
    ],
)
def test_criteria_fit_what_is_predicted(given, criterion, words):
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ValueError, match=words):
        check_tree_estimator(given, criterion)
    with pytest.raises(ValueError, match=words):
        check_tree(given.fit(X, y), X, y, criterion)
    if criterion != "friedman_mse" and hasattr(given.tree_, "is_regressor"):
        with pytest.raises(ValueError, match=words.replace(type(given).__name__, "Tree")):
            check_tree(given.tree_, X, y, criterion)


@pytest.mark.parametrize("y", [["a", "b"], [0.0, np.nan], [0.0, np.inf]])
def test_targets_are_finite_numbers(y):
    with pytest.raises(ValueError, match=r"y|convert"):
        check_tree(DecisionTreeRegressor().fit([[0.0], [1.0]], [0, 1]), [[0.0], [1.0]], y, "squared_error")


# ---------------------------------------------------------------------------------------------------------- equal trees


def test_one_tree_in_all_its_forms():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)).astype(np.float32).astype(float), np.round(rng.normal(size=30), 1)
    tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    names = ("children_left", "children_right", "feature", "threshold", "value", "n_node_samples")
    arrays = {name: getattr(tree.tree_, name) for name in names}
    for other in (tree, tree.tree_, export_dict(tree), arrays, arrays | {"value": tree.tree_.value[:, 0]}):
        assert_trees_equal(tree, other)
        assert_trees_equal(other, tree)
    assert_trees_equal(tree, to_sklearn(tree), X=X, rtol=1e-12)
    forests = [DecisionForestRegressor(3, random_state=0, **data).fit(X, y) for data in ({}, {"max_depth": 1})]
    assert_trees_equal(forests[0], to_sklearn(forests[0]), X=X, rtol=1e-12)
    with pytest.raises(AssertionError, match="whether it is split of node 1 of tree 0"):
        assert_trees_equal(*forests)
    theirs = RandomForestRegressor(3, random_state=0).fit(X, y)
    assert_trees_equal(theirs, from_sklearn(theirs))


def test_other_numbers_and_weights_are_named():
    X, y = [[0.0], [1.0]], [1.0, 2.0]
    tree = DecisionTreeRegressor().fit(X, y)
    for other, words in (
        (DecisionTreeRegressor().fit(X, [1.0, 2.5]), "the number of node 0.*value 1.5.*value 1.75"),
        (DecisionTreeRegressor().fit(X, y, sample_weight=[3, 3]), "the weight of the samples of node 0"),
        (DecisionTreeClassifier().fit(X, [1, 2]), "what they predict: actual numbers, desired classes"),
    ):
        with pytest.raises(AssertionError, match=f"(?s){words}"):
            assert_trees_equal(tree, other, gains=False)


def test_equal_gains_allow_any_order_of_growth():
    """Two leaves gain 0.4, about; one of them has a child that gains 0.8, and was split last."""
    X = [-1, -1, -6, -3, -3, -1, -7, -5, -7, -1, 0, -7, -6, -7, -2, -6, 0, -7, -7, -2]
    y = [0.6, 0.9, -0.5, 1.1, 1.3, 1.3, -0.1, 0, 0.1, 1.4, 0.5, -0.3, -0.4, 0, 0.5, -0.4, 0.9, -0.3, -0.1, 0.1]
    X, parameters = np.array(X, dtype=float)[:, np.newaxis], {"criterion": "absolute_error", "max_leaf_nodes": 5}
    for seed in range(10):
        check_tree(SklearnTree(**parameters, random_state=seed).fit(X, y), X, y, "absolute_error")


# ------------------------------------------------------------------------------------------------------------- criteria


def variance_gain(left, right):
    return np.var(left + right) - sum(len(side) / len(left + right) * np.var(side) for side in (left, right))


def distance_gain(left, right):
    def error(side):
        return sum(abs(target - sorted(side)[(len(side) - 1) // 2]) for target in side)

    return (error(left + right) - error(left) - error(right)) / len(left + right)


@pytest.mark.parametrize(("error", "definition"), [("squared_error", variance_gain), ("absolute_error", distance_gain)])
def test_criteria_of_numbers_keep_their_contract(error, definition):
    for defined in (definition, error):
        report = check_criterion(error, definition=defined, n_cases=40)
        assert set(report.properties.values()) == {"holds"}
        assert str(report).endswith("no errors")
    claims = ["nonnegative", "pure", "sides", "order", "shift", "scale"]
    assert not check_criterion(error, claims=claims, n_cases=5).errors


def test_other_definitions_of_numbers_are_found():
    with pytest.raises(CriterionCheckError, match=r"left=\[.*when it is judged by the definition"):
        check_criterion("squared_error", definition="absolute_error")
    with pytest.raises(ValueError, match="definition must be a function, or one of"):
        check_criterion("squared_error", definition="gini")
    with pytest.raises(ValueError, match="claims must be some of"):
        check_criterion("squared_error", claims=["classes"])


# ------------------------------------------------------------------------------------------------ monotonic constraints


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 5}, {"min_samples_leaf": 2}], ids=str)
@pytest.mark.parametrize("constraints", [[1, 0], [-1, 1, 0]], ids=str)
def test_trees_with_monotonic_constraints(constraints, limits):
    for error in ERRORS:
        ours = DecisionTreeRegressor(error, monotonic_cst=constraints, **limits)
        assert check_tree_estimator(ours, error, n_cases=40, weighted=True, ties="first").splits["best"] > 10
        theirs = SklearnTree(criterion=error, monotonic_cst=constraints, **limits)
        check_tree_estimator(theirs, error, n_cases=40, dtype=np.float32)


def test_other_libraries_give_impurities_that_a_criterion_of_the_user_lacks():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)).astype(np.float32), rng.poisson(2.0, 60)
    check_tree(
        SklearnTree(criterion="poisson", max_depth=3, random_state=0).fit(X, y), X, y, Poisson(), dtype=np.float32
    )


# -------------------------------------------------------------------------------------------- a criterion of one's own


@pytest.mark.parametrize(
    ("criterion", "lacks"),
    [
        (Variance(), set()),
        (Deviation(), set()),
        (Poisson(), {"shift"}),
        (PoissonOfEvents(), {"pure", "shift"}),
        (Gamma(), {"shift"}),
        (ShareOfFeatureInVariance(), {"pure"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_own_criteria_keep_the_contract(criterion, lacks):
    report = check_criterion(criterion, n_cases=41)
    assert {name for name, told in report.properties.items() if told != "holds"} == lacks


def test_variance_has_the_definition_of_squared_errors():
    report = check_criterion(Variance(), definition="squared_error", claims=["nonnegative", "shift"], n_cases=30)
    assert report.has_definition


def own(gains, gain_of_children=None):
    """Return a criterion of these methods."""
    methods = {"gains": lambda self, left, right: gains(left, right)}
    if gain_of_children is not None:
        methods["gain_of_children"] = lambda self, sums: gain_of_children(sums)
    return type("Own", (SumCriterion,), methods)()


@pytest.mark.parametrize(
    ("criterion", "kind"),
    [
        (own(lambda left, right: np.full(len(left), np.nan)), "raises"),
        (own(lambda left, right: np.zeros(len(left) + 1)), "raises"),
        (own(lambda left, right: left[:, 0] / left[:, 0].max()), "raises"),
        (GammaWithZeros(), "raises"),
        (own(lambda left, right: -Variance().gains(left, right)), "definition"),
        (own(Variance().gains, lambda sums: sums[:, 2].sum()), "gain_of_children"),
        (own(lambda left, right: Variance().gains(left, right) - right[:, 0]), "claimed 'sides'"),
    ],
)
def test_faults_of_own_criteria_are_found(criterion, kind):
    with pytest.raises(CriterionCheckError) as raised:
        check_criterion(criterion, definition="squared_error", claims=["sides"], n_cases=21)
    assert kind in raised.value.report.errors


@pytest.mark.parametrize("criterion", [Variance(), Deviation()], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("parameters", [{}, {"max_leaf_nodes": 4}, {"min_samples_leaf": 3}], ids=str)
def test_trees_by_own_criteria_are_checked(criterion, parameters):
    estimator = DecisionTreeRegressor(criterion, **parameters)
    report = check_tree_estimator(
        estimator, criterion, n_cases=24, tables=("ties", "missing", "real"), weighted=True, ties="first"
    )
    assert report.splits["best"] > 10
    assert report.splits["tie, another"] == 0


def test_other_splits_than_an_own_criterion_takes_are_found():
    with pytest.raises(TreeCheckError, match="worse split"):
        check_tree_estimator(DecisionTreeRegressor(), Deviation(), n_cases=40)
    with pytest.raises(ValueError, match="judges numbers, but DecisionTreeClassifier predicts classes"):
        check_tree_estimator(DecisionTreeClassifier(), Variance())
