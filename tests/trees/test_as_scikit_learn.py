"""Parameters and attributes that scikit-learn's trees and forests have: the same names, the same meanings."""

import numpy as np
import pytest
from samples import make_classes
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier
from sklearn.tree._tree import ccp_pruning_path

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees.criteria import RankingImpurity, gain, impurity
from pytrees.pruning import pruned


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


# ------------------------------------------------------------------ least weights of leaves, and decreases of impurity


def assert_same_as_scikit_learn(X, y, sample_weight=None, **parameters):
    """Equal trees where scikit-learn finds no two splits of the same gain, among which it draws lots."""
    ours = DecisionTreeClassifier(**parameters).fit(X, y, sample_weight=sample_weight)
    theirs, *others = (
        SklearnDecisionTreeClassifier(**parameters, random_state=i).fit(X, y, sample_weight) for i in range(3)
    )
    assert all(sorted(other.tree_.threshold) == sorted(theirs.tree_.threshold) for other in others)
    assert sorted(ours.tree_.threshold) == sorted(theirs.tree_.threshold)
    assert sorted(ours.tree_.n_node_samples) == sorted(theirs.tree_.n_node_samples)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    return ours, theirs


WEIGHTS = {
    "none": lambda rng, n: None,
    "whole": lambda rng, n: rng.integers(1, 5, n),
    "real": lambda rng, n: rng.random(n) + 0.1,
}


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    "parameters",
    [
        {"min_impurity_decrease": 0.03},
        {"min_impurity_decrease": 0.025, "max_leaf_nodes": 6},
        {"min_weight_fraction_leaf": 0.1},
        {"min_weight_fraction_leaf": 0.08, "max_leaf_nodes": 5},
        {"min_weight_fraction_leaf": 0.06, "min_impurity_decrease": 0.01, "min_samples_leaf": 9},
    ],
    ids=str,
)
def test_limits_of_weight_and_impurity_are_those_of_scikit_learn(engine, criterion, weights, parameters):
    X, y = make_classes(n_samples=120, seed=5)
    sample_weight = WEIGHTS[weights](np.random.default_rng(0), len(y))
    ours, _ = assert_same_as_scikit_learn(X, y, sample_weight, criterion=criterion, **parameters)
    assert 2 < ours.get_n_leaves() < DecisionTreeClassifier(criterion).fit(X, y).get_n_leaves()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_limits_hold_in_trees_of_many_samples(weights):
    X, y = make_classes(n_samples=20_000, n_features=2, seed=4)
    sample_weight = WEIGHTS[weights](np.random.default_rng(0), len(y))
    parameters = {"min_weight_fraction_leaf": 0.03, "min_impurity_decrease": 1e-4}
    assert_same_as_scikit_learn(X, y, sample_weight, **parameters)


def test_limits_of_the_trees_of_a_forest_are_of_their_own_samples(engine, data):
    forest = DecisionForestClassifier(4, min_weight_fraction_leaf=0.1, min_impurity_decrease=0.01, random_state=0)
    for tree in [estimator.tree_ for estimator in forest.fit(*data).estimators_]:
        weights = tree.value.sum(axis=1)
        assert weights[0] == 60
        assert weights.min() >= 6
        assert (weights / 60 * tree.gain)[tree.children_left != -1].min() >= 0.01 - 1e-15


def test_min_gain_is_of_a_node_and_min_impurity_decrease_of_the_tree(engine, data):
    by_gain, by_decrease = (
        DecisionTreeClassifier(**{name: 0.05}).fit(*data) for name in ("min_gain", "min_impurity_decrease")
    )
    assert by_gain.get_n_leaves() > by_decrease.get_n_leaves() > 1


@pytest.mark.parametrize(
    "criterion", ["gain_ratio", "nvi", "jaccard", "accuracy", "mae", "etc", "lz76", RankingImpurity(weighted=False)]
)
def test_gains_that_are_no_decreases_of_impurity(engine, criterion, data):
    for estimator in (DecisionTreeClassifier(criterion), DecisionForestClassifier(2, criterion=criterion)):
        with pytest.raises(ValueError, match=r"min_impurity_decrease=0.1 cannot be used with criterion=.*min_gain"):
            estimator.set_params(min_impurity_decrease=0.1).fit(*data)
        estimator.set_params(min_impurity_decrease=0.0, min_weight_fraction_leaf=0.1).fit(*data)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_impurity_decrease", -0.1),
        ("min_impurity_decrease", np.inf),
        ("min_impurity_decrease", np.nan),
        ("min_impurity_decrease", "0.1"),
        ("min_weight_fraction_leaf", 0.6),
        ("min_weight_fraction_leaf", -1e-9),
        ("min_weight_fraction_leaf", None),
    ],
)
def test_limits_of_weight_and_impurity_are_checked(name, value, data):
    for estimator in (DecisionTreeClassifier(), DecisionForestClassifier()):
        with pytest.raises(ValueError, match=f"The '{name}' parameter of {type(estimator).__name__} must be a float"):
            estimator.set_params(**{name: value}).fit(*data)


def test_families_without_impurity_do_not_have_its_parameters():
    for estimator in (PermutationDecisionTreeClassifier, ID3Classifier):
        assert not {"min_impurity_decrease", "min_weight_fraction_leaf", "ccp_alpha"} & estimator().get_params().keys()


# ---------------------------------------------------------------------------------------- cost-complexity pruning


def steps_of(path):
    """Return alphas and impurities of a pruning path, of alphas that only rounding tells apart the last."""
    alphas, impurities = np.asarray(path["ccp_alphas"]), np.asarray(path["impurities"])
    is_last = np.append(np.diff(alphas) > 1e-10, True)
    return alphas[is_last], impurities[is_last]


def assert_same_path(ours, theirs):
    for found, expected in zip(steps_of(ours), steps_of(theirs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_pruning_is_that_of_scikit_learn(engine, criterion, weights):
    X, y = make_classes(n_samples=120, seed=4)
    sample_weight = WEIGHTS[weights](np.random.default_rng(0), len(y))
    parameters = {"criterion": criterion, "max_depth": 4, "min_samples_leaf": 6}
    ours, theirs = assert_same_as_scikit_learn(X, y, sample_weight, **parameters)
    path = ours.cost_complexity_pruning_path(X, y, sample_weight)
    assert_same_path(path, theirs.cost_complexity_pruning_path(X, y, sample_weight))
    alphas, _ = steps_of(path)
    assert len(alphas) > 4
    for alpha in (alphas[1:] + alphas[:-1]) / 2:
        smaller, _ = assert_same_as_scikit_learn(X, y, sample_weight, **parameters, ccp_alpha=alpha)
        assert smaller.get_n_leaves() < ours.get_n_leaves() or alpha < alphas[1]


@pytest.mark.parametrize("n_samples", [60, 400])
def test_paths_of_trees_with_many_ties_are_those_of_scikit_learn(n_samples):
    X, y = make_classes(n_samples=n_samples)
    estimator = DecisionTreeClassifier().fit(X, y)
    theirs = ccp_pruning_path(estimator.to_sklearn().tree_)
    assert_same_path(estimator.cost_complexity_pruning_path(X, y), theirs)


def test_every_alpha_of_the_path_gives_the_tree_of_its_step(engine, data):
    tree = DecisionTreeClassifier("ogini", max_leaf_nodes=12)
    path = tree.cost_complexity_pruning_path(*data)
    n_leaves = [clone(tree).set_params(ccp_alpha=alpha).fit(*data).get_n_leaves() for alpha in path.ccp_alphas]
    assert n_leaves == sorted(n_leaves, reverse=True)
    assert (n_leaves[0], n_leaves[-1]) == (12, 1)
    assert len(set(n_leaves)) == len(np.unique(path.ccp_alphas))


@pytest.mark.parametrize("criterion", ["gini", "wig"])
def test_trees_of_a_forest_are_pruned_each_by_itself(engine, criterion, data):
    forest = DecisionForestClassifier(3, criterion=criterion, random_state=0)
    whole, smaller = forest.fit(*data).estimators_, clone(forest).set_params(ccp_alpha=0.02).fit(*data).estimators_
    for one, other in zip(whole, smaller, strict=True):
        assert other.tree_ == pruned(one.tree_, criterion, 0.02)
        assert 1 < other.get_n_leaves() < one.get_n_leaves()


def test_predictions_after_pruning_come_from_the_nodes_that_became_leaves(engine, data):
    X, y = data
    tree = DecisionTreeClassifier(ccp_alpha=0.03).fit(X, y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3)
        np.testing.assert_array_equal(tree.tree_.value[leaf], counts)
    np.testing.assert_array_equal(tree.tree_.n_node_samples[leaves], np.bincount(leaves)[leaves])


@pytest.mark.parametrize("criterion", ["gain_ratio", "jaccard", "etc", "lz76"])
def test_trees_without_impurity_are_not_pruned(criterion, data):
    with pytest.raises(ValueError, match=r"ccp_alpha=0.1 cannot be used with criterion=.*impurity"):
        DecisionTreeClassifier(criterion, ccp_alpha=0.1).fit(*data)
    with pytest.raises(ValueError, match=r"cost_complexity_pruning_path cannot be used with criterion="):
        DecisionTreeClassifier(criterion).cost_complexity_pruning_path(*data)
    with pytest.raises(ValueError, match="The 'ccp_alpha' parameter"):
        DecisionTreeClassifier(ccp_alpha=-0.1).fit(*data)
