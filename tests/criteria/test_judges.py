"""Criteria and distances as objects with parameters: cloned, compared, pickled, searched, checked at fitting."""

import operator
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from support import assert_refuses

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees.criteria import (
    CRITERIA,
    CountCriterion,
    Criterion,
    RankingImpurity,
    WeightedInformationGain,
    gain,
    impurity,
    resolve,
)
from pytrees.distances import DISTANCES, Distance, JaccardDistance
from pytrees.distances import resolve as resolve_distance

JUDGES = [
    WeightedInformationGain(),
    WeightedInformationGain(2, [0, 1, 4]),
    RankingImpurity(),
    RankingImpurity(weighted=False, class_scores=(0.5, 1.0, 2.0)),
    JaccardDistance(len),
    Criterion("gini", judges="counts"),
    Distance("nvi"),
    *DISTANCES.values(),
    *CRITERIA.values(),
    resolve_distance("mts"),
]
SCORED = [WeightedInformationGain, RankingImpurity]


class Power(BaseEstimator, CountCriterion):
    """Gini impurity with another exponent, as a user writes it."""

    def __init__(self, exponent=2.0):
        self.exponent = exponent

    def gains(self, left, right):
        sides = (
            side.sum(axis=1) * ((side / side.sum(axis=1, keepdims=True)) ** self.exponent).sum(axis=1)
            for side in (left, right)
        )
        return sum(sides)


@pytest.fixture(scope="module")
def data():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("judge", JUDGES, ids=repr)
def test_copies_are_equal(judge):
    cloned = clone(judge)
    printed = repr(judge).replace("<built-in function len>", "len")
    copies = [cloned, pickle.loads(pickle.dumps(judge)), eval(printed, globals() | {"TreeSize": type(judge)})]
    assert type(judge)(**judge.get_params()) == judge
    for copied in copies:
        assert copied is not judge
        assert copied == judge
        assert hash(copied) == hash(judge)
        assert copied.get_params() == judge.get_params()
    assert sum(judge == other for other in JUDGES) in (1, 2)  # the registries have some of them too


@pytest.mark.parametrize("judge", JUDGES, ids=repr)
def test_judges_are_shown_as_html(judge):
    assert type(judge).__name__ in judge._repr_html_()


@pytest.mark.parametrize("make", SCORED)
def test_parameters_are_kept_as_they_are_given(make, data):
    given = [0, 1, 4]
    judge = make(class_scores=given)
    assert judge.class_scores is given
    DecisionTreeClassifier(judge, max_depth=2).fit(*data)
    assert judge.class_scores is given
    assert judge == make(class_scores=np.array([0.0, 1.0, 4.0])) == make(class_scores=(0, 1, 4))
    assert judge != make(class_scores=[0, 1, 5])
    assert judge != make()
    assert judge != given


@pytest.mark.parametrize("make", SCORED)
def test_parameters_that_were_set_are_checked_at_fitting(engine, make, data):
    tree = DecisionTreeClassifier(make(), max_depth=2)
    for scores, message in (
        ([0, 2, 1], "must increase"),
        ([0, 1], "2 scores for 3 classes"),
        ([0, 1, np.inf], "finite"),
    ):
        assert_refuses(ValueError, message, tree.set_params(criterion__class_scores=scores).fit, *data)
    tree.set_params(criterion__class_scores=None).fit(*data)
    assert_refuses(ValueError, "Invalid parameter 'beta'", tree.set_params, criterion__beta=3)
    with pytest.raises(ValueError, match="alpha must be"):
        DecisionTreeClassifier(WeightedInformationGain().set_params(alpha=-1)).fit(*data)
    with pytest.raises(ValueError, match="function must be callable"):
        ID3Classifier(JaccardDistance(len).set_params(function=3)).fit(*data)


@pytest.mark.parametrize(("alpha", "scores"), [(2000.0, None), (2, [0, 1, 1e200]), (1.0, [-1e308, 0, 1e308])])
def test_too_large_an_alpha_is_refused(engine, data, alpha, scores):
    with pytest.raises(ValueError, match="too large for class scores over a range of"):
        DecisionTreeClassifier(WeightedInformationGain(alpha, scores)).fit(*data)


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier, ID3Classifier, OrdinalDecisionTreeClassifier])
@pytest.mark.parametrize("scores", [[-1e308, 1.5, 1e308], [0.0, 1.5, 1e306], [-1e308, 0.0, 1e308]])
def test_too_wide_scores_are_refused(engine, data, estimator, scores):
    with pytest.raises(ValueError, match="sample_weight or class_scores are too large for 'ranking'"):
        estimator(RankingImpurity(class_scores=scores)).fit(*data)


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        (RankingImpurity(class_scores=[0, 2.0**62]), 12 * 2.0**62),
        (RankingImpurity(cost_matrix=[[0, 1e300], [1e300, 0]]), 1.2e301),
    ],
    ids=repr,
)
def test_costs_beyond_the_integers_of_the_engine_are_exact(engine, criterion, expected):
    assert impurity(criterion, [3, 4]) == gain(criterion, [3, 0], [0, 4]) == expected


def test_costs_beyond_the_doubles_are_refused(engine):
    with pytest.raises(ValueError, match="too great for 'ranking'"):
        impurity(RankingImpurity(class_scores=[-1e308, 1e308]), [3, 4])


def test_large_neighbouring_whole_scores_are_exact(engine, data):
    scores = np.array([0, 4096, 10 * 4096])
    near, great = RankingImpurity(class_scores=scores), RankingImpurity(class_scores=1e19 + scores)
    assert impurity(great, [3, 4, 5]) == impurity(near, [3, 4, 5]) > 0
    assert DecisionTreeClassifier(great).fit(*data).tree_ == DecisionTreeClassifier(near).fit(*data).tree_


@pytest.mark.parametrize("name", ["wig", "ranking"])
def test_named_criteria_cannot_be_changed(name, data):
    expected = DecisionTreeClassifier(name).fit(*data).tree_
    resolve(name).set_params(class_scores=[0, 1, 100])
    assert DecisionTreeClassifier(name).fit(*data).tree_ == expected
    assert_refuses(AttributeError, None, resolve("gini").set_params, name="entropy")


@pytest.mark.parametrize(
    ("estimator", "parameter", "values"),
    [
        (DecisionTreeClassifier(WeightedInformationGain(), max_depth=2), "criterion__alpha", [0.5, 1.0, 3.0]),
        (DecisionForestClassifier(2, criterion=RankingImpurity(), max_depth=2), "criterion__weighted", [True, False]),
        (OrdinalDecisionTreeClassifier(RankingImpurity()), "criterion__class_scores", [None, [0, 1, 5]]),
        (PermutationDecisionTreeClassifier(WeightedInformationGain()), "criterion__alpha", [0.0, 9.0]),
        (ID3Classifier(WeightedInformationGain(), max_depth=2), "distance__alpha", [0.0, 1.0]),
        (ID3Classifier(JaccardDistance(len), max_leaf_nodes=2), "distance__function", [len, operator.length_hint]),
        (DecisionTreeClassifier(Power(), max_depth=2), "criterion__exponent", [1.5, 2.0]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_parameters_are_searched(engine, estimator, parameter, values, data):
    X, y = data[0][::3, 2:], data[1][::3]
    estimator = estimator.set_params(**({"random_state": 0} if "random_state" in estimator.get_params() else {}))
    search = GridSearchCV(estimator, {parameter: values}, cv=2).fit(X, y)
    assert search.best_params_[parameter] in values
    assert search.best_estimator_.get_params()[parameter] == search.best_params_[parameter]
    name = parameter.partition("__")[0]
    for value, score in zip(values, search.cv_results_["split0_test_score"], strict=True):
        one = clone(estimator).set_params(**{parameter: value})
        assert getattr(one, name) is not getattr(estimator, name)
        train, test = next(StratifiedKFold(2).split(X, y))
        assert one.fit(X[train], y[train]).score(X[test], y[test]) == score
