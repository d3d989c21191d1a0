"""Checks of criteria: right ones pass, with what holds of them; every breach of the contract is found, and named."""

import pickle
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from own_criteria import (
    OF_CUTS,
    OF_SEQUENCES,
    Changes,
    Deviation,
    Effort,
    Gamma,
    GammaWithZeros,
    Gini,
    GiniOfChildren,
    Poisson,
    PoissonOfEvents,
    ShareOfFeatureInVariance,
    Variance,
)
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor
from support import assert_refuses

from pytrees import DecisionTreeClassifier, DecisionTreeRegressor
from pytrees.criteria import (
    CRITERIA,
    CountCriterion,
    RankingImpurity,
    SequenceCriterion,
    SumCriterion,
    WeightedInformationGain,
)
from pytrees.testing import CriterionCheckError, TreeCheckError, check_criterion, check_tree, check_tree_estimator


def gini_of(left, right):
    """Return the gain from the definition, as a fraction."""

    def impurity(counts):
        return 1 - sum((count / sum(counts)) ** 2 for count in counts)

    left, right = ([Fraction(count) for count in counts] for counts in (left, right))
    node = [a + b for a, b in zip(left, right, strict=True)]
    return impurity(node) - sum(sum(counts) / sum(node) * impurity(counts) for counts in (left, right))


def report_of(criterion, **parameters):
    with pytest.raises(CriterionCheckError) as raised:
        check_criterion(criterion, **{"n_cases": 31, **parameters})
    return raised.value.report


def errors_of(criterion, **parameters):
    return report_of(criterion, **parameters).errors


# ------------------------------------------------------------------------------------------- criteria that are right


def lacking(report):
    return {name for name, told in report.properties.items() if told != "holds"}


@pytest.mark.parametrize(
    ("criterion", "lacks"),
    [
        ("gini", set()),
        ("log_loss", set()),
        ("ogini", {"classes"}),
        ("gain_ratio", {"convex"}),
        ("nvi", {"convex"}),
        ("vi", {"nonnegative", "pure", "independent"}),
        ("accuracy", {"nonnegative", "pure", "independent"}),
        ("ranking", {"independent", "classes", "scale", "convex"}),
        (RankingImpurity(weighted=False), {"independent", "classes", "scale", "convex"}),
        (WeightedInformationGain(distance_from="highest"), {"classes"}),
        (CRITERIA["entropy"], set()),
        ("etc", {"nonnegative", "order"}),
        ("lz76", {"nonnegative", "pure", "order"}),
        (Gini(), set()),
        (Effort(), {"nonnegative", "order"}),
    ],
)
def test_properties_of_the_criteria(criterion, lacks):
    assert lacking(check_criterion(criterion, n_cases=40)) == lacks


def changes_of(labels, goes_left):
    def changes(part):
        return sum(a != b for a, b in pairwise(part))

    parts = [[label for label, goes in zip(labels, goes_left, strict=True) if goes == side] for side in (True, False)]
    return changes(labels) - sum(changes(part) for part in parts)


@pytest.mark.parametrize(
    ("criterion", "definition"),
    [
        ("gini", gini_of),
        (Gini(), gini_of),
        (Gini(), "gini"),
        ("entropy", "entropy"),
        (Effort(), "etc"),
        ("etc", "etc"),
        (Changes(), changes_of),
    ],
)
def test_criteria_agree_with_their_definitions(criterion, definition):
    report = check_criterion(criterion, definition=definition, n_cases=20)
    assert report.n_cases == 20
    assert "no errors" in str(report)


class OfImpureNodes(CountCriterion):
    """Gains as shares of the node's impurity, which a node of one class does not have."""

    def gains(self, left, right):
        node = left + right
        shares = node / node.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            return Gini().gains(left, right) / (1.0 - (shares**2).sum(axis=1))


class ShareOfChanges(Changes):
    def gain(self, labels, goes_left):
        return super().gain(labels, goes_left) / np.float64(np.count_nonzero(np.diff(labels)))


@pytest.mark.parametrize("criterion", [*OF_CUTS, GiniOfChildren(), *OF_SEQUENCES], ids=type)
def test_criteria_of_every_kind(criterion):
    check_criterion(criterion, n_cases=20)


@pytest.mark.filterwarnings("ignore:(invalid|divide)")
@pytest.mark.parametrize("criterion", [OfImpureNodes(), ShareOfChanges()], ids=type)
def test_criteria_need_not_be_defined_for_nodes_that_no_tree_splits(criterion):
    report = check_criterion(criterion, n_cases=40)
    assert "gives a gain of nan" in report.properties["pure"]
    assert "claimed 'pure'" in errors_of(criterion, claims=["pure"])


# ---------------------------------------------------------------------------------------------------- what is broken


class Unweighted(Gini):
    def gains(self, left, right):
        def impurity(counts):
            return 1 - ((counts / counts.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)

        return impurity(left + right) - 0.5 * impurity(left) - 0.5 * impurity(right)


class Float32(Gini):
    def gains(self, left, right):
        return super().gains(left.astype(np.float32), right.astype(np.float32))


class Relative(Gini):
    def gains(self, left, right):
        gains = super().gains(left, right)
        return gains / max(gains.max(), 1e-9)


class Cumulative(Gini):
    """Wrong, because a cut depends on the cut before it in the table."""

    def gains(self, left, right):
        return super().gains(left, np.maximum.accumulate(right, axis=0))


class Remembers(Gini):
    def __init__(self):
        self.n_calls = 0

    def gains(self, left, right):
        self.n_calls += 1
        return super().gains(left, right) + 1e-15 * self.n_calls


class Writes(Gini):
    def gains(self, left, right):
        left /= left.sum(axis=1, keepdims=True)
        return left[:, 0]


class WritesQuietly(Gini):
    """Copies read-only arrays, and writes to others."""

    def gains(self, left, right):
        if left.flags.writeable:
            left *= 2.0
        return super().gains(left, right)


class Nan(CountCriterion):
    """Logarithms of zero."""

    def gains(self, left, right):
        with np.errstate(divide="ignore", invalid="ignore"):
            return -(left * np.log2(left)).sum(axis=1)


class WrongShape(CountCriterion):
    def gains(self, left, right):
        return Gini().gains(left, right)[:-1]


class OtherChildren(Gini):
    def gain_of_children(self, counts):
        return float(len(counts))


class FailsInTrees(Gini):
    """Fails if all cuts of a table belong to one node."""

    def gains(self, left, right):
        if len(np.unique(left, axis=0)) > 2 and len(np.unique(left + right, axis=0)) == 1:
            raise ZeroDivisionError("a node")
        return super().gains(left, right)


class SequenceNan(SequenceCriterion):
    def impurity(self, labels):
        return np.nan


class SequenceWrites(SequenceCriterion):
    def impurity(self, labels):
        labels.sort()
        return float(np.abs(np.diff(labels)).sum())


class SequenceRemembers(SequenceCriterion):
    n_calls = 0

    def impurity(self, labels):
        type(self).n_calls += 1
        return float(type(self).n_calls)


class SequenceChildren(Effort):
    def gain_of_children(self, labels, children):
        return 0.5


@pytest.mark.parametrize(
    ("criterion", "kind", "words"),
    [
        (Relative(), "other cuts", "when it is judged alone"),
        (Cumulative(), "other cuts", "when it"),
        (Remembers(), "memory", "when it is judged again"),
        (Writes(), "raises", "read-only"),
        (WritesQuietly(), "arguments", "gains writes to left"),
        (Nan(), "raises", "gives a gain of nan"),
        (WrongShape(), "raises", "must be of shape"),
        (OtherChildren(), "gain_of_children", "given to gain_of_children"),
        (FailsInTrees(), "trees", "a node"),
        (SequenceNan(), "raises", ""),
        (SequenceWrites(), "arguments", ""),
        (SequenceRemembers(), "memory", ""),
        (SequenceChildren(), "gain_of_children", ""),
    ],
    ids=lambda value: None if isinstance(value, str) else type(value).__name__,
)
def test_breaches_of_the_contract(criterion, kind, words):
    errors = errors_of(criterion)
    assert kind in errors or (kind == "other cuts" and "raises" in errors)
    assert words in errors.get(kind, words)


@pytest.mark.parametrize(
    ("criterion", "definition"),
    [
        (Unweighted(), "gini"),
        (Float32(), "gini"),
        (Gini(), "entropy"),
        ("ogini", "gini"),
        ("mae", gini_of),
        ("lz76", "etc"),
    ],
)
def test_other_gains_than_the_definition(criterion, definition):
    errors = errors_of(criterion, definition=definition)
    assert set(errors) == {"definition"}
    assert "when it is judged by the definition" in errors["definition"]


@pytest.mark.parametrize(
    ("criterion", "claim"), [("nvi", "convex"), ("ogini", "classes"), ("vi", "nonnegative"), ("etc", "order")]
)
def test_claims_that_do_not_hold(criterion, claim):
    errors = errors_of(criterion, claims=[claim])
    assert set(errors) == {f"claimed {claim!r}"}
    assert "gain" in errors[f"claimed {claim!r}"]


def test_a_claim_that_does_not_hold_is_shown_once():
    report = report_of("ogini", claims=["classes"])
    assert str(report).count(report.properties["classes"]) == 1
    assert "ERROR, claimed 'classes': it does not hold, see above" in str(report)


def test_untested_properties_are_reported_as_not_tested():
    report = report_of(WrongShape(), claims=["sides"])
    assert set(report.properties.values()) == {"not tested"}
    assert set(report.errors) == {"raises"}


class FailsOnFractions(Gini):
    def gains(self, left, right):
        is_whole = ((left + right).sum(axis=1, keepdims=True) % 1 == 0)[:, 0]
        return np.where(is_whole, super().gains(left, right), np.nan)


class FailsOnPureSides(Gini):
    def gains(self, left, right):
        if (left > 0).sum(axis=1).max() == 1 and len(left) > 1:
            raise ZeroDivisionError("one class")
        return super().gains(left, right)


class FailsWhereMany(Gini):
    def gains(self, left, right):
        if len(left) > 100:
            raise ZeroDivisionError("many")
        return super().gains(left, right)


class FailsOnMany(Effort):
    def gain(self, labels, goes_left):
        return np.nan if len(labels) > 20 else 1.0


class TwoClasses(Gini):
    def gains(self, left, right):
        if left.shape[1] > 2:
            raise ValueError("two classes only")
        return super().gains(left, right)

    def gain_of_children(self, counts):
        if counts.shape[1] > 2:
            raise ValueError("two classes only")
        return self.gains(counts[:1], counts[1:])[0]


class TwoChildrenClasses(TwoClasses):
    gains = Gini.gains


class TwoLabels(Effort):
    def impurity(self, labels):
        if labels.max() > 1:
            raise ValueError("two classes only")
        return super().impurity(labels)


@pytest.mark.parametrize("criterion", [TwoClasses(), TwoChildrenClasses(), TwoLabels()], ids=type)
def test_tables_and_trees_have_at_most_max_classes(criterion):
    assert check_criterion(criterion, max_classes=2, n_cases=41).errors == {}
    told = errors_of(criterion)["raises"]
    n_classes = re.search(r"two classes only.* There were (\d) classes; max_classes= limits them\.$", told)[1]
    shown = eval(re.search(r"(?:left=\[|labels=|children were \[)(\[.*?\])", told)[1])
    assert int(n_classes) == (max(shown) + 1 if isinstance(criterion, TwoLabels) else len(shown)) > 2


class FailsInTrees(Gini):
    """Fails for all cuts of a feature with more values than a table of cuts has."""

    per_feature = True

    def gains(self, left, right):
        if left.shape[1] > 2 and 12 < len(left) < 20:
            raise ValueError("two classes only")
        return super().gains(left, right)


def test_errors_of_trees_tell_the_number_of_classes():
    told = errors_of(FailsInTrees(), n_cases=101)["trees"]
    assert re.search(r"two classes only.* There were [34] classes; max_classes= limits them\.$", told)


def test_an_error_of_two_classes_says_nothing_of_their_number():
    assert "max_classes" not in errors_of(Nan(), max_classes=2)["raises"]


@pytest.mark.parametrize("criterion", [FailsOnFractions(), FailsOnPureSides(), FailsWhereMany()], ids=type)
def test_the_table_that_is_shown_is_the_one_that_fails(criterion):
    told = errors_of(criterion)["raises"]
    repeats, left, right = re.search(r"The table was(?: (\d+) times)? left=(.*), right=(\[\[.*\]\])\.", told).groups()
    sides = [np.tile(eval(side), (int(repeats or 1), 1)) for side in (left, right)]
    with pytest.raises((ValueError, RuntimeError)) as raised:
        criterion.judged(*sides)
    assert told.startswith(str(raised.value))
    assert len(told) < 3000


def test_the_shown_labels_are_the_failing_ones():
    told = errors_of(FailsOnMany())["raises"]
    assert len(eval(re.search(r"It was labels=(\[.*?\]),", told)[1])) > 20


def test_reports_print_plain_numbers():
    told = errors_of(Effort(), definition=lambda labels, goes_left: np.float64(len(labels)))["definition"]
    told += errors_of(SequenceChildren())["gain_of_children"]
    assert "np." not in told


def test_a_property_that_fails_says_so():
    told = str(check_criterion("ogini", definition="ogini", n_cases=20))
    assert "\nclasses:      does not hold: left=" in told
    assert "FAILS" not in told
    assert told.endswith("\nno errors of the contract; 1 property does not hold (claims= makes that an error)")
    told = str(check_criterion("vi", n_cases=20))
    assert "gains were not compared with a definition; 3 properties do not hold (claims= makes" in told


def test_an_error_is_shown_by_one_cut():
    told = errors_of(Nan())["raises"]
    assert told.count("[[") == 2
    assert "], [" not in told


@pytest.mark.parametrize("definition", [lambda left: 0.0, lambda left, right: None, lambda left, right: 1 / 0])
def test_a_definition_that_fails_is_named(definition):
    assert errors_of(Gini(), definition=definition)["definition"].startswith("the definition raised ")


def test_a_criterion_without_definition_is_not_called_right():
    assert str(check_criterion("gini", n_cases=2)).endswith("no errors; gains were not compared with a definition")
    assert str(check_criterion("gini", definition="gini", n_cases=2)).endswith("\nno errors")
    claims = ["nonnegative", "pure", "independent", "sides", "classes", "scale", "convex"]
    check_criterion(Gini(), claims=claims, n_cases=20)


def test_errors_pickle():
    with pytest.raises(CriterionCheckError) as raised:
        check_criterion(Unweighted(), definition="gini", n_cases=10)
    again = pickle.loads(pickle.dumps(raised.value))
    assert again.report == raised.value.report
    assert str(again) == str(again.report)


@pytest.mark.parametrize(
    ("criterion", "parameters", "error", "words"),
    [
        ("ginny", {}, ValueError, "criterion must be one of"),
        (Gini, {}, TypeError, r"write Gini\(\)"),
        (3, {}, TypeError, "int is no criterion"),
        *[("gini", {"claims": claims}, TypeError, "claims must be a list of names") for claims in (None, "pure", 5)],
        ("gini", {"claims": ["order"]}, ValueError, "claims must be some of"),
        ("gini", {"claims": [5, "pure", ["pure"]]}, ValueError, r"claims must be some of .*, got \[5, \['pure'\]\]"),
        ("gini", {"definition": "etc"}, ValueError, "definition must be a function, or a criterion of class counts"),
        ("etc", {"definition": "gini"}, ValueError, "definition must be a function, or 'etc'"),
        ("gini", {"max_classes": 1}, ValueError, "max_classes must be a whole number of at least 2"),
        ("gini", {"random_state": -1}, ValueError, "random_state must be a whole number that is not negative, got -1"),
        ("gini", {"n_cases": 1.5}, ValueError, "n_cases must be a whole number of at least 1"),
        ("gini", {"tolerance": -1}, ValueError, "tolerance must be a number"),
    ],
)
def test_wrong_parameters_are_refused(criterion, parameters, error, words):
    assert_refuses(error, words, check_criterion, criterion, **parameters)


# -------------------------------------------------------------------------------------------------------- of numbers


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
    assert_refuses(ValueError, "claims must be some of", check_criterion, "squared_error", claims=["classes"])


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


@pytest.mark.parametrize(
    ("given", "criterion", "words"),
    [
        (DecisionTreeRegressor(), "gini", "judges classes, but DecisionTreeRegressor predicts numbers"),
        (DecisionTreeClassifier(), "squared_error", "judges numbers, but DecisionTreeClassifier predicts classes"),
        (SklearnRegressor(), "entropy", "judges classes, but DecisionTreeRegressor predicts numbers"),
        (DecisionTreeRegressor(), "friedman_mse", "criterion must be one of"),
    ],
)
def test_criteria_fit_what_is_predicted(given, criterion, words):
    X, y = [[0.0], [1.0]], [0, 1]
    assert_refuses(ValueError, words, check_tree_estimator, given, criterion)
    assert_refuses(ValueError, words, check_tree, given.fit(X, y), X, y, criterion)
    if criterion != "friedman_mse" and hasattr(given.tree_, "is_regressor"):
        with pytest.raises(ValueError, match=words.replace(type(given).__name__, "Tree")):
            check_tree(given.tree_, X, y, criterion)


@pytest.mark.parametrize("y", [["a", "b"], [0.0, np.nan], [0.0, np.inf]])
def test_targets_are_finite_numbers(y):
    with pytest.raises(ValueError, match=r"y|convert"):
        check_tree(DecisionTreeRegressor().fit([[0.0], [1.0]], [0, 1]), [[0.0], [1.0]], y, "squared_error")
