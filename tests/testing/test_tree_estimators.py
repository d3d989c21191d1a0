"""Checks of tree estimators: right ones pass, with their ties counted; every fault is found, and named."""

import pickle
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from own_cart import FAULTS, OwnCart, OwnRegressionCart, report_of
from own_criteria import Gini, Poisson
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor
from support import assert_refuses

from pytrees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
    export_dict,
    from_sklearn,
    to_sklearn,
)
from pytrees.testing import TreeCheckError, assert_trees_equal, check_tree, check_tree_estimator

ALL_TABLES = ("ties", "duplicates", "constants", "copies", "real", "missing", "close", "extreme")
LIMITS = [
    {},
    {"max_leaf_nodes": 4},
    {"min_samples_leaf": 3},
    {"min_samples_split": 0.4},
    {"max_depth": 2},
    {"min_impurity_decrease": 0.03},
    {"min_weight_fraction_leaf": 0.2},
]
# By criterion: the right or wrong tree of one's own, and what its samples have.
CARTS = {"gini": (OwnCart, "class"), "squared_error": (OwnRegressionCart, "target")}
ERRORS = ("squared_error", "absolute_error")
both_criteria = pytest.mark.parametrize("criterion", CARTS)


# ------------------------------------------------------------------------------------------------- trees that are right


def product_of_limits(kind, criteria, limits):
    return [
        (kind(criterion=criterion, **parameters), criterion, weighted)
        for criterion, parameters, weighted in product(criteria, limits, [False, True])
    ]


@pytest.mark.parametrize(
    ("estimator", "criterion", "weighted"),
    [
        (DecisionTreeClassifier(), "gini", False),
        (DecisionTreeClassifier("entropy", max_leaf_nodes=4), "entropy", False),
        (DecisionTreeClassifier("gain_ratio", min_samples_leaf=2), "gain_ratio", False),
        (DecisionTreeClassifier("nvi", max_depth=2), "nvi", False),
        (DecisionTreeClassifier("wig", min_samples_split=5), "wig", False),
        (DecisionTreeClassifier("jaccard", min_gain=0.05), "jaccard", False),
        (DecisionTreeClassifier(min_impurity_decrease=0.05), "gini", False),
        (OrdinalDecisionTreeClassifier("ranking"), "ranking", False),
        (PermutationDecisionTreeClassifier(), "etc", False),
        (DecisionTreeClassifier(Gini()), Gini(), False),
        (DecisionTreeClassifier(Gini()), "gini", False),
        *product_of_limits(DecisionTreeRegressor, ERRORS, [*LIMITS, {"min_gain": 0.05}]),
    ],
)
def test_own_trees_take_the_first_of_ties(estimator, criterion, weighted):
    report = check_tree_estimator(estimator, criterion, n_cases=32, tables=ALL_TABLES, weighted=weighted, ties="first")
    assert report.splits["tie, another"] == 0
    assert report.splits["tie, first"] > 3
    # Cuts that tie on the grid of decimals differ by what decimals lack to be doubles.
    assert report.splits["within rounding"] <= 3
    assert set(report.thresholds) <= {"midpoint", "lower value", "missing against known"}


@pytest.mark.parametrize(
    ("estimator", "criterion", "weighted"),
    [
        *product_of_limits(SklearnTree, ["gini"], LIMITS),
        *product_of_limits(SklearnTree, ["entropy"], [{}]),
        *product_of_limits(SklearnRegressor, ERRORS, LIMITS),
    ],
    ids=repr,
)
def test_scikit_learn_takes_some_tie(estimator, criterion, weighted):
    report = check_tree_estimator(estimator, criterion, n_cases=40, weighted=weighted, dtype=np.float32)
    assert report.splits["tie, another"] > (2 if criterion in ERRORS else 5)
    assert set(report.thresholds) == {"midpoint"}
    example = report.examples["tie, another"]
    assert "gains as much" in example.message


def test_scikit_learn_takes_missing_values():
    report = check_tree_estimator(SklearnTree(), "gini", n_cases=40, tables=["missing"], dtype=np.float32)
    assert report.thresholds["missing against known"] > 0


def test_scikit_learn_takes_close_values_for_equal():
    report = report_of(SklearnTree(), "gini", n_cases=20, tables=["close"], dtype=np.float32)
    assert report.errors["not split"] > 0
    assert set(report.errors) <= {"not split", "worse split"}


def test_rounding_to_float32_is_named():
    report = report_of(SklearnTree(), "gini", tables=["real"])
    assert "dtype=np.float32" in report.examples["prediction"].message


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
    assert_refuses(TreeCheckError, "all its samples have one target", check_tree, tree, X, y, "squared_error")
    tree.tree_.impurity[0] = 1e-18
    assert check_tree(tree, X, y, "squared_error").splits == {"within rounding": 1}


def test_equal_gains_allow_any_order_of_growth():
    """Two leaves gain 0.4, about; one of them has a child that gains 0.8, and was split last."""
    X = [-1, -1, -6, -3, -3, -1, -7, -5, -7, -1, 0, -7, -6, -7, -2, -6, 0, -7, -7, -2]
    y = [0.6, 0.9, -0.5, 1.1, 1.3, 1.3, -0.1, 0, 0.1, 1.4, 0.5, -0.3, -0.4, 0, 0.5, -0.4, 0.9, -0.3, -0.1, 0.1]
    X, parameters = np.array(X, dtype=float)[:, np.newaxis], {"criterion": "absolute_error", "max_leaf_nodes": 5}
    for seed in range(10):
        check_tree(SklearnRegressor(**parameters, random_state=seed).fit(X, y), X, y, "absolute_error")


def test_other_libraries_give_impurities_that_a_criterion_of_the_user_lacks():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)).astype(np.float32), rng.poisson(2.0, 60)
    check_tree(
        SklearnRegressor(criterion="poisson", max_depth=3, random_state=0).fit(X, y), X, y, Poisson(), dtype=np.float32
    )


def test_the_kind_of_leaves_is_counted():
    report = check_tree_estimator(SklearnTree(max_depth=1), "gini", n_cases=20, dtype=np.float32)
    assert report.leaves["limit"] > 0
    assert report.leaves["pure"] > 0
    assert sum(report.leaves.values()) + sum(report.splits.values()) == report.n_nodes
    assert report.n_trees == 20


class StopsWithoutGain(OwnCart):
    def _best_cut(self, rows):
        best = super()._best_cut(rows)
        return best if best is not None and best[0] > 1e-12 else None


def test_nodes_without_gain_may_be_leaves():
    assert check_tree_estimator(StopsWithoutGain(), "gini").leaves["no gain"] > 0


# --------------------------------------------------------------------------------------------------------------- faults

# By fault: the errors that there must be, and words of a message or cause.
FOUND = {
    "next threshold": ("samples", "of the next lower threshold of x["),
    "next cut": ("worse split", "is a best one: off by one? This would explain"),
    "strictly below": ("samples", ", whose value is the threshold: < in the place of <=? This would explain all"),
    "predicts strictly below": ("prediction", "< in the place of <=?"),
    "children unweighted": ("worse split", "the children's impurities are not weighted by their shares"),
    "weights ignored": ("worse split", "sample weights are ignored"),
    "children by samples": ("worse split", "children are weighted by their numbers of samples"),
    "last of ties": ("tie rule", "by >= in place of >? This would explain all"),
    "float16": ("worse split", "rounding"),
    "stops early": ("not split", "is a leaf, but"),
    "splits pure nodes": ("pure node split", "all its samples have one {target}"),
    "counts of parent": ("samples", "but the tree has"),
    "forgets min_samples_leaf": ("limit ignored", "has children of"),
    "wrong gain": ("gain", "says that its split gains"),
    "depth-first": ("order of growth", "times its samples"),
}


def cart_with(fault, kind=OwnCart):
    return kind(
        fault,
        max_depth=2 if fault == "float16" else None,
        min_samples_leaf=3 if fault == "forgets min_samples_leaf" else 1,
        max_leaf_nodes=4 if fault == "depth-first" else None,
    )


@both_criteria
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("leaves", [None, 4])
def test_a_right_cart_passes(criterion, weighted, leaves):
    cart = CARTS[criterion][0](max_leaf_nodes=leaves)
    assert not check_tree_estimator(cart, criterion, weighted=weighted, ties="first", n_cases=50).errors


def test_every_fault_is_expected():
    assert set(FOUND) == set(FAULTS)


@both_criteria
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found_and_named(criterion, fault):
    (cart, target), (kind, words) = CARTS[criterion], FOUND[fault]
    weighted = fault in ("weights ignored", "children by samples")
    # Rounding hides gains that are close.
    close = {"n_cases": 40, "max_samples": 30, "tables": ["real"], "random_state": 3}
    sizes = close if fault == "float16" else {"n_cases": 30}
    with pytest.raises(TreeCheckError) as raised:
        check_tree_estimator(cart_with(fault, cart), criterion, weighted=weighted, ties="first", **sizes)
    report = raised.value.report
    assert report.errors[kind] > 0
    if criterion == "gini" or fault != "float16":  # absolute errors explain as well what rounding did to the numbers
        assert words.format(target=target) in str(report)
    assert not (report.causes and "off by one" in str(report))
    assert "np.float64(" not in str(report)
    if fault != "next cut":  # which also changes gains, ties and sizes of children
        assert set(report.errors) <= {kind, "gain", "tie rule"}


@pytest.mark.parametrize("fault", ["last of ties", None])
def test_ties_are_no_errors_unless_the_first_is_asked_for(fault):
    report = check_tree_estimator(OwnCart(fault), "gini", n_cases=40)
    assert (report.splits["tie, another"] > 0) == (fault is not None)


class TreeOfThresholds(DecisionTreeRegressor):
    """Tells thresholds alone."""

    def fit(self, X, y):
        tree = super().fit(X, y).tree_
        self.tree_ = {name: getattr(tree, name) for name in ("children_left", "children_right", "feature", "threshold")}
        return self


def test_another_criterion_is_named():
    report = report_of(DecisionTreeClassifier("entropy"), "gini", n_cases=60)
    assert "the criterion is 'entropy'" in report.causes
    assert report_of(DecisionTreeClassifier("ogini"), "gini", n_cases=60).causes == ["the criterion is 'ogini'"]
    report = report_of(DecisionTreeRegressor("absolute_error"), "squared_error", n_cases=60)
    assert "That would be right for the criterion 'absolute_error'. This would explain" in str(report)
    report = report_of(TreeOfThresholds("absolute_error"), "squared_error", n_cases=60)
    assert "the criterion is 'absolute_error'" in report.causes


class Raises(BaseEstimator):
    def fit(self, X, y):
        raise ZeroDivisionError("no samples")


class WrongClasses(OwnCart):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_ + 1
        return self


class NoTree(OwnCart):
    def fit(self, X, y):
        super().fit(X, y)
        self.tree_["children_right"][:] = self.tree_["children_left"]
        return self


class ReturnsNothing(OwnCart):
    def fit(self, X, y):
        super().fit(X, y)


class CannotPredict(OwnCart):
    def predict(self, X):
        raise ZeroDivisionError("no leaf")


class PredictsCodes(OwnCart):
    def predict(self, X):
        return np.searchsorted(self.classes_, super().predict(X))


class PredictsOneClass(OwnCart):
    def predict(self, X):
        return super().predict(X)[0]


@pytest.mark.parametrize(
    ("estimator", "kind", "words"),
    [
        (Raises(), "exception", "fit raised ZeroDivisionError: no samples"),
        (ReturnsNothing(), "exception", "fit returned None: it must return self"),
        (CannotPredict(), "exception", "predict raised ZeroDivisionError: no leaf"),
        (PredictsCodes(), "prediction", "Does predict return codes? The classes are [1"),
        (PredictsOneClass(), "prediction", "predicts an array of shape () for"),
        (WrongClasses(), "classes", "but y has"),
        (NoTree(), "no tree", "Not a tree"),
    ],
)
def test_estimators_that_give_no_tree(estimator, kind, words):
    report = report_of(estimator, "gini", n_cases=10)
    assert report.errors == {kind: 10}
    assert words in report.examples[kind].message


# ---------------------------------------------------------------------------------------------------- reports, examples


def test_examples_run_and_show_the_same():
    report = report_of(SklearnTree(criterion="entropy"), "gini", n_cases=60, dtype=np.float32)
    example = report.examples["worse split"]
    assert example.n_samples == min(20, example.n_samples)
    with pytest.raises(TreeCheckError) as raised:
        exec(example.code, {})
    assert raised.value.report.examples["worse split"].message == example.message


def test_examples_run_and_show_the_same_of_numbers():
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


def test_examples_with_weights_and_missing_values_run():
    report = check_tree_estimator(SklearnTree(), "gini", weighted=True, tables=["missing"], dtype=np.float32)
    code = report.examples["tie, another"].code
    assert "nan" in code
    assert "sample_weight=weights" in code
    exec(code, {})


def test_reports_pickle_and_print():
    report = report_of(cart_with("next cut"), "gini", n_cases=20)
    error = pickle.loads(pickle.dumps(TreeCheckError(report)))
    assert error.report == report
    assert str(error) == str(report)
    assert "from pytrees.testing import check_tree" in str(report)
    assert "OwnCart(" in str(report)


def test_the_same_seed_gives_the_same_report():
    reports = [
        check_tree_estimator(SklearnTree(), "gini", n_cases=10, dtype=np.float32, random_state=3) for _ in range(2)
    ]
    assert reports[0] == reports[1]


def test_examples_write_out_drawn_data_but_not_large_given_data(iris):
    X, y = iris
    with pytest.raises(TreeCheckError) as raised:
        check_tree(SklearnTree(random_state=0).fit(X, y), X, y[::-1], "gini", dtype=np.float32)
    code = raised.value.report.examples["samples"].code
    assert "X, y = ...  # as given\n" in code
    assert len(code) < 400
    weights = np.ones(150, dtype=int)
    with pytest.raises(TreeCheckError, match="X, y, weights = "):
        check_tree({**STUMP, "feature": [0, -2, -2]}, X, y, "gini", sample_weight=weights)
    report = check_tree_estimator(OwnCart("last of ties"), "gini", n_cases=3, max_samples=60, tables=["ties"])
    assert "as given" not in report.examples["tie, another"].code


def test_great_trees_are_not_written_out():
    X = np.arange(31.0)[:, np.newaxis]
    y = np.arange(31) % 2
    report = report_of_tree(DecisionTreeClassifier().fit(X, y).tree_, X[:30], y[:30], "gini")
    assert "tree = ...  # as given" in report.examples["samples"].code


class WithoutPredict(BaseEstimator):
    def fit(self, X, y):
        self.tree_ = OwnCart().fit(X, y).tree_
        return self


class IgnoresWeights(OwnCart):
    """As trees that do not know of them: their counts are of samples."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


def test_ignored_weights_are_named_if_counts_are_known():
    report = report_of(IgnoresWeights(), "gini", weighted=True, n_cases=60)
    assert "sample weights are ignored" in report.causes
    assert set(report.errors) == {"samples", "worse split"}
    assert report.errors["samples"] == 60
    message = report.examples["samples"].message
    assert "are sample weights ignored? This would explain all 60 such errors." in message


class SwappedShares(OwnCart):
    """Weighs each child by the share of the other."""

    def _gain(self, rows, is_left):
        counts = [self._counts(side, self._data[2]) for side in (rows, rows[is_left], rows[~is_left])]
        gini = [1 - ((each / each.sum()) ** 2).sum() for each in counts]
        return gini[0] - (counts[2].sum() * gini[1] + counts[1].sum() * gini[2]) / counts[0].sum()


def test_a_hint_that_explains_few_errors_is_not_given():
    report = report_of(SwappedShares(), "gini", n_cases=60)
    assert report.errors["worse split"] > 100
    assert not report.causes
    assert "off by one" not in report.examples["worse split"].message


@pytest.mark.parametrize("estimator", [OwnCart(), WithoutPredict()])
def test_reports_say_which_predictions_were_not_checked(estimator):
    report = check_tree_estimator(estimator, "gini", n_cases=5)
    told = "predictions: not checked (no estimator with predict): 5\n"
    assert (told in str(report)) == isinstance(estimator, WithoutPredict)
    assert sum(report.predictions.values()) == 5


# ------------------------------------------------------------------------------------------------------------- one tree

STUMP = {"children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [1, -2, -2], "threshold": [2.95, 0, 0]}


def report_of_tree(*args, **kwargs):
    with pytest.raises(TreeCheckError) as raised:
        check_tree(*args, **kwargs)
    return raised.value.report


@pytest.mark.parametrize("kind", ["lists", "arrays", "Tree", "object"])
@pytest.mark.parametrize("labels", ["numbers", "words"])
def test_examples_of_trees_run(iris, kind, labels):
    X, y = iris[0][::6], iris[1][::6]
    grown = DecisionTreeClassifier("entropy", max_depth=1).fit(X[:, :2], y)
    y = np.array(["a", "b", "c"])[y] if labels == "words" else y
    arrays = {name: np.array(values) for name, values in STUMP.items()}
    trees = {"lists": STUMP, "arrays": arrays, "Tree": grown.tree_, "object": SimpleNamespace(tree_=grown.tree_)}
    report = report_of_tree(trees[kind], X, y, "gini")
    assert "tree = {'" in report.examples["worse split"].code
    assert "predictions: not checked" in str(report)
    for name, example in report.examples.items():
        with pytest.raises(TreeCheckError) as raised:
            exec(example.code, {})
        assert raised.value.report.examples[name].message == example.message


def test_examples_hold_missing_values_and_infinite_thresholds():
    tree = {**STUMP, "feature": [0, -2, -2], "threshold": np.array([np.inf, np.nan, np.nan])}
    X, y = [[1.0, 0.0], [2.0, 0.0], [np.nan, 1.0], [3.0, 2.0]], [0, 0, 1, 1]
    report = report_of_tree(tree, X, y, "gini", limits={"max_depth": 1})
    message = report.examples["worse split"].message
    assert "splits by x[0] known on the left, missing on the right, which gains" in message
    assert "np.inf" in report.examples["worse split"].code
    with pytest.raises(TreeCheckError, match="known on the left, missing on the right"):
        exec(report.examples["worse split"].code, {})
    leaf = {name: values[1:2] for name, values in STUMP.items()}
    told = report_of_tree(leaf, [[1.0], [2.0], [np.nan]], [0, 0, 1], "gini").examples["not split"].message
    assert "x[0] known on the left, missing on the right gains" in told
    assert "inf" not in told


def test_a_tree_that_sends_missing_values_alone_to_the_left():
    tree = {**STUMP, "feature": [0, -2, -2], "threshold": [0.5, 0, 0], "missing_go_to_left": [1, 0, 0]}
    assert not check_tree(tree, [[1.0], [2.0], [np.nan]], [0, 0, 1], "gini").errors


def test_known_numbers_of_samples_are_reported(iris):
    X, y = iris
    wrong = {**STUMP, "value": [[50, 50, 50], [17, 10, 12], [33, 40, 38]]}
    message = report_of_tree(wrong, X, y, "gini").examples["samples"].message
    assert message.endswith(
        "splits by x[1] <= 2.95: 57 samples of the class counts [2, 34, 21] go left, "
        "but the tree has the class counts [17, 10, 12]."
    )
    told = report_of_tree({**wrong, "n_node_samples": [150, 39, 111]}, X, y, "gini").examples["samples"].message
    assert "but the tree has 39 samples of the class counts [17, 10, 12]." in told
    told = report_of_tree({**STUMP, "n_node_samples": [150, 39, 111]}, X, y, "gini").examples["samples"].message
    assert "but the tree has 39 samples." in told


OF_NODES = ("n_node_samples", "weighted_n_node_samples", "impurity", "value", "missing_go_to_left")


def forms_of(fitted):
    """Return the forms in which arrays of a fitted tree of scikit-learn can be given, by name."""
    tree = fitted.tree_
    arrays = {name: getattr(tree, name) for name in (*STUMP, *OF_NODES, "n_features")}
    values = tree.value[:, 0]
    no_weights = {name: array for name, array in arrays.items() if name != "weighted_n_node_samples"}
    forms = {"as in scikit-learn": arrays, "two axes": arrays | {"value": values}, "no weights": no_weights}
    forms["no values"] = {name: array for name, array in arrays.items() if name != "value"}
    if not hasattr(fitted, "classes_"):
        return forms | {"one axis": arrays | {"value": values[:, 0]}}
    counts = values * tree.weighted_n_node_samples[:, np.newaxis]
    forms |= {"with classes": arrays | {"classes": fitted.classes_}, "shares": no_weights | {"value": values}}
    return forms | {"counts": arrays | {"value": counts}, "three axes": arrays | {"value": counts[:, np.newaxis]}}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss", "squared_error", "absolute_error"])
def test_arrays_of_scikit_learn_in_every_form(iris, criterion, weighted):
    X, y = iris[0].astype(np.float32), iris[1]
    weights = np.random.default_rng(0).integers(1, 4, 150) if weighted else None
    given = {"sample_weight": weights, "limits": {"max_depth": 3}}
    kind = SklearnRegressor if criterion.endswith("error") else SklearnTree
    fitted = kind(criterion=criterion, max_depth=3, random_state=0).fit(X, y, weights)
    for name, form in forms_of(fitted).items():
        check_tree(form, X, y, criterion, **given)
        check_tree(SimpleNamespace(tree_=form), X, y, criterion, **given)
        for trees in ((form, fitted), (fitted, form), (form, forms_of(fitted)["as in scikit-learn"])):
            assert_trees_equal(*trees, rtol=1e-12)
        for wrong in {"value", "weighted_n_node_samples"} & form.keys():
            array = form[wrong].astype(float)
            array[[2, 3]] = 1.5 * array[[3, 2]]
            with pytest.raises(TreeCheckError, match=r"but the (tree has|samples have)|Not a tree: node .*of the sum"):
                check_tree(form | {wrong: array}, X, y, criterion, **given)
        if "value" in form and name != "one axis":
            other = "gini" if criterion.endswith("error") else "squared_error"
            with pytest.raises((ValueError, TreeCheckError), match=r"judges numbers|class counts"):
                check_tree(form, X, y, other, **given)


def test_trees_of_one_class_and_of_two_outputs(iris):
    X, y = iris[0].astype(np.float32), np.zeros(150, dtype=int)
    leaf = SklearnTree().fit(X, y)
    for form in forms_of(leaf).values():
        check_tree(form, X, y, "gini")
        for other in (leaf, form, forms_of(leaf)["with classes"]):
            assert_trees_equal(form, other)
            assert_trees_equal(other, form)
    constrained = SklearnTree(monotonic_cst=[1, 0, 0, 0], max_depth=3, random_state=0).fit(X[50:], iris[1][50:])
    limits = {"max_depth": 3, "monotonic_cst": [1, 0, 0, 0]}
    check_tree(forms_of(constrained)["as in scikit-learn"], X[50:], iris[1][50:], "gini", limits=limits)
    for kind, criterion in ((SklearnTree, "gini"), (SklearnRegressor, "squared_error")):
        tree = kind(max_depth=1).fit(X, np.stack([iris[1], y], axis=1)).tree_
        with pytest.raises(TreeCheckError, match=r"the tree has 2 outputs. Expected one output"):
            check_tree({name: getattr(tree, name) for name in (*STUMP, *OF_NODES)}, X, y, criterion)
    with pytest.raises(ValueError, match="judges classes, but Tree predicts numbers"):
        check_tree({**STUMP, "value": [1.0, 0.0, 2.0]}, X, iris[1], "gini")


@pytest.mark.parametrize("value", [[[50, 50, 49]], [[75, 75]]])
def test_wrong_counts_of_the_root(iris, value):
    leaf = {name: values[1:2] for name, values in STUMP.items()}
    told = report_of_tree({**leaf, "value": value}, *iris, "gini").examples["samples"].message
    assert told.endswith(f"has the class counts {value[0]}, but the samples have the class counts [50, 50, 50].")


def test_messages_show_the_threshold_of_the_tree(iris):
    X, y = iris
    table = X[(X[:, 1] < 2.7) | (X[:, 1] > 2.9)], y[(X[:, 1] < 2.7) | (X[:, 1] > 2.9)]
    report = report_of_tree(STUMP, *table, "gini", limits={"max_depth": 1})
    assert report.thresholds["elsewhere"] == 1
    told = report.examples["worse split"].message
    assert told.startswith("node 0 splits by x[1] <= 2.95 (between the values 2.6 and 3.0), which gains")


def test_hints_name_the_feature_and_know_of_missing_values():
    X, y = [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [0, 1, 1, 1]
    tree = {**STUMP, "feature": [0, -2, -2], "threshold": [1.5, 0, 0]}
    told = report_of_tree(tree, X, y, "gini", limits={"max_depth": 1}).examples["worse split"].message
    assert told.endswith("The next lower cut of x[0] is a best one: off by one?")
    missing = {**tree, "missing_go_to_left": [1, 0, 0], "value": [[2, 2], [1, 0], [1, 2]]}
    X = [[1.0], [2.0], [np.nan], [np.nan]]
    told = report_of_tree(missing, X, [0, 1, 0, 1], "gini").examples["samples"].message
    assert "< in the place of <=" not in told
    assert told.endswith("It has the samples whose x[0] is missing on the other side: are they sent there?")


@pytest.fixture
def iris(request):
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def test_trees_of_words(iris):
    X, y = iris[0], np.array(["a", "b", "c"])[iris[1]]
    fitted = DecisionTreeClassifier().fit(X, y)
    assert check_tree(fitted, X, y, "gini", ties="first").splits["best"] > 0
    assert check_tree(SklearnTree(random_state=0).fit(X, y), X, y, "gini", dtype="float32").n_trees == 1


def test_arrays_of_another_language(iris):
    X, y = iris
    tree = OwnCart(max_depth=2).fit(X, y).tree_
    arrays = {name: tree[name].tolist() for name in ("children_left", "children_right", "feature", "threshold")}
    report = check_tree(arrays, X, y, "gini", limits={"max_depth": 2})
    assert report.leaves["limit"] == 2
    arrays["threshold"][0] = 4.0
    assert_refuses(TreeCheckError, "worse split", check_tree, arrays, X, y, "gini", limits={"max_depth": 2})
    assert_refuses(TreeCheckError, "not split", check_tree, tree, X, y, "gini")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tables": ["nothing"]}, "tables must be some of"),
        ({"tables": []}, "tables must be some of"),
        *[({"tables": tables}, "tables must be a list of names") for tables in (5, None, "ties")],
        ({"ties": "last"}, "ties must be 'any' or 'first'"),
        ({"tolerance": -1.0}, "tolerance must be a number"),
        ({"dtype": "float16"}, "dtype must be float32 or float64"),
        ({"n_cases": 0}, "n_cases must be a whole number above 0"),
        ({"random_state": -1}, "random_state must be a whole number that is not negative, got -1"),
        ({"random_state": 0.0}, "random_state must be a whole number that is not negative, got 0.0"),
        ({"max_samples": 2.5}, "max_samples must be a whole number above 0"),
        *[({"estimator": one}, "derived from sklearn") for one in (SklearnTree, object(), {"feature": [-2]})],
        # Trees that do not take the best split.
        ({"estimator": SklearnTree(splitter="random")}, "splitter"),
        ({"estimator": SklearnTree(max_features=1)}, "max_features"),
        ({"estimator": SklearnTree(ccp_alpha=0.1)}, "ccp_alpha"),
    ],
)
def test_wrong_parameters_are_refused(change, words):
    is_of_another_type = words in ("tables must be a list of names", "derived from sklearn")
    with pytest.raises(TypeError if is_of_another_type else ValueError, match=words):
        check_tree_estimator(**{"estimator": SklearnTree(), "criterion": "gini"} | change)


@pytest.mark.parametrize("constraints", [[1], [1, -1], [0, 1, -1]])
@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 5}, {"min_samples_leaf": 2}])
def test_trees_with_monotonic_constraints(constraints, limits):
    for tree, dtype in ((DecisionTreeClassifier, np.float64), (SklearnTree, np.float32)):
        estimator = tree(monotonic_cst=constraints, **limits)
        report = check_tree_estimator(estimator, "gini", n_cases=30, tables=["ties", "real", "copies"], dtype=dtype)
        assert report.predictions["checked"] == 30
    ordinal = OrdinalDecisionTreeClassifier(monotonic_cst=constraints, **limits)
    check_tree_estimator(ordinal, "ogini", n_cases=30, weighted=True, tables=["ties", "missing"], ties="first")


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 5}, {"min_samples_leaf": 2}], ids=str)
@pytest.mark.parametrize("constraints", [[1, 0], [-1, 1, 0]], ids=str)
def test_trees_of_numbers_with_monotonic_constraints(constraints, limits):
    for error in ERRORS:
        ours = DecisionTreeRegressor(error, monotonic_cst=constraints, **limits)
        assert check_tree_estimator(ours, error, n_cases=40, weighted=True, ties="first").splits["best"] > 10
        theirs = SklearnRegressor(criterion=error, monotonic_cst=constraints, **limits)
        check_tree_estimator(theirs, error, n_cases=40, dtype=np.float32)


class IgnoresConstraints:
    """Grows without the constraints that it is given."""

    def fit(self, X, y):
        given, self.monotonic_cst = self.monotonic_cst, None
        super().fit(X, y)
        self.monotonic_cst = given
        return self


@pytest.mark.parametrize(
    ("kind", "criterion", "dtype"),
    [(SklearnTree, "gini", np.float32), (DecisionTreeRegressor, "squared_error", np.float64)],
)
def test_broken_monotonic_constraints_are_found(kind, criterion, dtype):
    wrong = type("Wrong", (IgnoresConstraints, kind), {})
    report = report_of(wrong(monotonic_cst=[1, 0]), criterion, n_cases=20, dtype=dtype)
    assert report.errors["limit ignored"] > 5
    assert "breaks the monotonic constraint" in str(report)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_constraints_of_one_tree_may_have_names(iris):
    X, y = iris
    frame = pd.DataFrame(X[50:], columns=list("abcd"))
    for given in ({"d": 1, "b": -1}, [0, -1, 0, 1]):
        tree = DecisionTreeClassifier(max_depth=2, monotonic_cst=given).fit(frame, y[50:])
        check_tree(tree, X[50:], y[50:], "gini")
    check_tree(tree.tree_, X[50:], y[50:] - 1, "gini", limits={"max_depth": 2, "monotonic_cst": [0, -1, 0, 1]})
    with pytest.raises(ValueError, match="give monotonic_cst as an array"):
        check_tree_estimator(DecisionTreeClassifier(monotonic_cst={"a": 1}), "gini")
    with pytest.raises(ValueError, match="which is no limit"):
        check_tree(tree.tree_, X, y, "gini", limits={"monotonic_cst": [0, 2]})


def test_the_tolerance_is_about_leaves_and_limits_too():
    X, y = np.arange(4.0)[:, None], [0, 1, 1, 1]
    leaf = {"children_left": [-1], "children_right": [-1], "feature": [-2], "threshold": [-2.0]}
    gained = 3 / 8  # by the cut at 0.5
    assert report_of_tree(leaf, X, y, "gini", tolerance=gained - 1e-6).errors == {"not split": 1}
    assert check_tree(leaf, X, y, "gini", tolerance=gained).leaves == {"no gain": 1}
    split = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    limits = {"max_depth": 1, "min_gain": 0.5}
    assert report_of_tree(split, X, y, "gini", limits=limits, tolerance=0.1).errors == {"limit ignored": 1}
    assert check_tree(split, X, y, "gini", limits=limits, tolerance=0.125).splits == {"best": 1}
    # The unit of numbers is the impurity of all samples.
    targets = 100.0 * np.array(y)
    assert check_tree(leaf | {"value": [75.0]}, X, targets, "squared_error", tolerance=1.0).leaves == {"no gain": 1}
    found = report_of_tree(leaf | {"value": [75.0]}, X, targets, "squared_error", tolerance=0.99)
    assert found.errors == {"not split": 1}


def test_check_tree_refuses_wrong_parameters(iris):
    X, y = iris
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, y)
    codes = np.round(X[:, :1])
    multiway = DecisionTreeClassifier(categorical_features=[0]).fit(codes, y)
    for tree, table, criterion, options, words in (
        (fitted, iris, "gini", {"limits": {"depth": 1}}, "limits has no 'depth'"),
        (fitted, iris, "gini", {"sample_weight": np.full(150, 0.5)}, "whole numbers above 0"),
        (multiway.tree_, (codes, y), "gini", {}, "splits by categories"),
        (fitted, iris, "ginny", {}, "criterion must be one of"),
        (fitted, iris, "etc", {"sample_weight": np.ones(150)}, "A label sequence has no weights"),
    ):
        assert_refuses(ValueError, words, check_tree, tree, *table, criterion, **options)
    assert_refuses(TreeCheckError, "was fitted to 149", check_tree, fitted, X[1:], y[1:], "gini")
    assert_refuses(TypeError, r"write Gini\(\)", check_tree_estimator, fitted, Gini)
    with pytest.raises(ValueError, match="A label sequence has no weights"):
        check_tree_estimator(PermutationDecisionTreeClassifier(), "etc", weighted=True)
