"""Parameters and attributes that scikit-learn's trees and forests have: the same names, the same meanings."""

import numpy as np
import pytest
from samples import make_classes
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees.criteria import gain, impurity


@pytest.fixture
def data():
    return make_classes(n_samples=60)


# ------------------------------------------------------------------------------------------------------ other names


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier, OrdinalDecisionTreeClassifier, ID3Classifier])
def test_log_loss_is_entropy(engine, estimator, data):
    by_alias, by_name = (estimator(name, max_leaf_nodes=9).fit(*data) for name in ("log_loss", "entropy"))
    assert by_alias.tree_ == by_name.tree_


def test_log_loss_is_entropy_in_other_trees_and_in_forests(engine, data):
    ours = PermutationDecisionTreeClassifier("log_loss").fit(*data)
    assert ours.tree_ == DecisionTreeClassifier("entropy").fit(*data).tree_
    forests = [
        DecisionForestClassifier(3, criterion=name, random_state=0).fit(*data) for name in ("log_loss", "entropy")
    ]
    trees, others = ([one.tree_ for one in forest.estimators_] for forest in forests)
    assert trees == others
    # The name stays what was given, in clones and searches too.
    assert forests[0].estimators_[0].criterion == forests[0].criterion == "log_loss"


def test_log_loss_grows_the_tree_of_scikit_learn(engine):
    X, y = make_classes(n_samples=100)
    ours = DecisionTreeClassifier("log_loss", max_depth=3).fit(X, y)
    theirs = SklearnDecisionTreeClassifier(criterion="log_loss", max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.tree_.threshold, theirs.tree_.threshold)


def test_log_loss_is_entropy_in_functions_of_counts(engine):
    assert impurity("log_loss", [1, 1]) == 1.0
    assert gain("log_loss", [3, 1], [0, 2]) == gain("entropy", [3, 1], [0, 2])
    with pytest.raises(ValueError, match=r"criterion must be one of .*'log_loss'"):
        impurity("logloss", [1, 1])
