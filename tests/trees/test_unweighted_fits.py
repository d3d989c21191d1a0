"""Estimators whose samples have no weights, in meta-estimators that look for `sample_weight` in `fit`."""

import pickle
from inspect import signature

import numpy as np
import pytest
from samples import make_ties
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.utils.validation import has_fit_parameter

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees.distances import JaccardDistance

UNWEIGHTED = [
    DecisionTreeClassifier("etc"),
    OrdinalDecisionTreeClassifier("etc"),
    DecisionForestClassifier(2, criterion="etc"),
    ID3Classifier("etc", max_leaf_nodes=3),
    ID3Classifier(JaccardDistance(len), max_leaf_nodes=2),
    ID3ForestClassifier(2, distance="etc", max_leaf_nodes=3),
]


@pytest.mark.parametrize("estimator", UNWEIGHTED, ids=lambda estimator: " ".join(repr(estimator).split()))
def test_fit_has_no_sample_weight_and_refuses_it(estimator):
    X, y = make_ties()
    estimator = clone(estimator)
    assert not has_fit_parameter(estimator, "sample_weight")
    assert list(signature(estimator.fit).parameters)[:2] == ["X", "y"]
    assert estimator.fit.__doc__ == type(estimator).fit.__doc__
    with pytest.raises(ValueError, match=r"sample_weight cannot be used with|have no weights"):
        estimator.fit(X, y, sample_weight=np.arange(len(X)))
    assert pickle.loads(pickle.dumps(estimator.fit))(X, y).n_classes_ == 3
    weighted = estimator.set_params(**{estimator._judge_parameter: "gini"})
    assert has_fit_parameter(weighted, "sample_weight")
    assert weighted.fit(X, y, sample_weight=np.ones(len(X))) is weighted


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1}, "balanced_subsample"])
def test_label_sequences_have_neither_class_weights_nor_one_weight_for_all(class_weight):
    kind = DecisionForestClassifier if class_weight == "balanced_subsample" else DecisionTreeClassifier
    with pytest.raises(ValueError, match="sample_weight cannot be used with criterion='etc'"):
        kind(criterion="etc").fit(*make_ties(), sample_weight=1.0)
    with pytest.raises(ValueError, match="class_weight cannot be used with criterion='etc'"):
        kind(criterion="etc", class_weight=class_weight).fit(*make_ties())


def test_invalid_criteria_are_refused_by_fit():
    for criterion in ("bogus", 3, None):
        with pytest.raises(ValueError, match="The 'criterion' parameter"):
            DecisionTreeClassifier(criterion).fit([[0], [1]], [0, 1])


def test_bagging_repeats_the_samples_of_a_sequence_in_the_order_of_its_draws(engine):
    X, y = make_ties()
    bagging = BaggingClassifier(DecisionTreeClassifier("etc"), 4, random_state=0).fit(X, y)
    for tree, rows in zip(bagging.estimators_, bagging.estimators_samples_, strict=True):
        assert tree.tree_ == PermutationDecisionTreeClassifier().fit(X[rows], y[rows]).tree_


def test_bagging_weighs_samples_if_they_have_weights(engine):
    X, y = make_ties()
    bagging = BaggingClassifier(DecisionTreeClassifier(), 3, random_state=0).fit(X, y)
    for tree, rows in zip(bagging.estimators_, bagging.estimators_samples_, strict=True):
        counts = np.bincount(rows, minlength=len(X))
        assert tree.tree_ == DecisionTreeClassifier().fit(X, y, sample_weight=counts).tree_


def test_boosting_says_that_it_needs_weights():
    X, y = make_ties()
    with pytest.raises(ValueError, match="doesn't support sample_weight"):
        AdaBoostClassifier(DecisionTreeClassifier("etc")).fit(X, y)
    assert AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2).fit(X, y).estimators_
