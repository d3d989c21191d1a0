"""Parameters and attributes that scikit-learn's trees and forests have: the same names, the same meanings."""

import pickle

import numpy as np
import pandas as pd
import pytest
from samples import make_classes, trees_of
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnDecisionTreeRegressor
from sklearn.tree._tree import ccp_pruning_path
from sklearn.utils._param_validation import InvalidParameterError, StrOptions
from sklearn.utils.class_weight import compute_sample_weight
from support import assert_refuses

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    merge_redundant,
)
from pytrees.criteria import RankingImpurity, gain, impurity
from pytrees.pruning import pruned, pruning_path


@pytest.fixture
def data():
    return make_classes(n_samples=60)


# ------------------------------------------------------------------------------------- parameters of derived classes


class NamedTree(DecisionTreeClassifier):
    _parameter_constraints = DecisionTreeClassifier._parameter_constraints | {"name": [StrOptions({"oak", "elm"})]}

    def __init__(self, criterion="gini", *, name="oak"):
        super().__init__(criterion)
        self.name = name


def test_a_derived_class_has_parameters_and_constraints_of_its_own(data):
    DecisionTreeClassifier().fit(*data)
    assert NamedTree().fit(*data).get_params() == {"criterion": "gini", "name": "oak"}
    assert "max_depth" in DecisionTreeClassifier().get_params()
    for wrong, message in (
        ({"name": "fir"}, "'name' parameter of NamedTree must be a str among"),
        ({"criterion": 1}, "criterion"),
    ):
        assert_refuses(InvalidParameterError, message, NamedTree(**wrong).fit, *data)


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


def test_log_loss_is_entropy_in_functions_of_counts(engine):
    assert impurity("log_loss", [1, 1]) == 1.0
    assert gain("log_loss", [3, 1], [0, 2]) == gain("entropy", [3, 1], [0, 2])
    assert_refuses(ValueError, r"criterion must be one of .*'log_loss'", impurity, "logloss", [1, 1])


# ------------------------------------------------------------------ least weights of leaves, and decreases of impurity


def assert_same_as_scikit_learn(X, y, sample_weight=None, **parameters):
    """Assert equal trees; no two splits gain the same, because scikit-learn would draw lots between them."""
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
    "decimal": lambda rng, n: np.round(rng.random(n) + 0.1, 9),  # the grid of weights holds 20,000 of them exactly
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
def test_limits_of_weight_and_impurity_are_those_of_scikit_learn(criterion, weights, parameters):
    X, y = make_classes(n_samples=120, seed=5)
    sample_weight = WEIGHTS[weights](np.random.default_rng(0), len(y))
    ours, _ = assert_same_as_scikit_learn(X, y, sample_weight, criterion=criterion, **parameters)
    assert 2 < ours.get_n_leaves() < DecisionTreeClassifier(criterion).fit(X, y).get_n_leaves()


@pytest.mark.parametrize("weights", ["none", "whole", "decimal"])
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
def test_impurities_weights_and_pruning_are_those_of_scikit_learn(engine, criterion, weights):
    X, y = make_classes(n_samples=120, seed=4)
    sample_weight = WEIGHTS[weights](np.random.default_rng(0), len(y))
    parameters = {"criterion": criterion, "max_depth": 4, "min_samples_leaf": 6}
    ours, theirs = assert_same_as_scikit_learn(X, y, sample_weight, **parameters)
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.tree_.weighted_n_node_samples, theirs.tree_.weighted_n_node_samples, rtol=1e-12)
    path = ours.cost_complexity_pruning_path(X, y, sample_weight)
    assert_same_path(path, theirs.cost_complexity_pruning_path(X, y, sample_weight))
    alphas, _ = steps_of(path)
    assert len(alphas) > 4
    for alpha in ((alphas[1:] + alphas[:-1]) / 2)[:: 1 if engine == "compiled" else 4]:
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


@pytest.mark.parametrize(
    ("cls", "their_cls"),
    [(DecisionTreeClassifier, SklearnDecisionTreeClassifier), (DecisionTreeRegressor, SklearnDecisionTreeRegressor)],
)
def test_an_alpha_of_zero_prunes_no_split_without_gain(engine, cls, their_cls):
    # The last two values have equal mixtures of classes: the split between them gains nothing.
    X, y = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0), [0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1]
    path = cls().cost_complexity_pruning_path(X, y)
    assert path.ccp_alphas[:2].tolist() == [0.0, 0.0] < path.ccp_alphas[2:].tolist()
    n_leaves = [cls(ccp_alpha=alpha).fit(X, y).get_n_leaves() for alpha in path.ccp_alphas]
    assert n_leaves == [3, 3, 1]
    assert cls(ccp_alpha=np.nextafter(0.0, 1.0)).fit(X, y).get_n_leaves() == 2
    assert their_cls(ccp_alpha=0.0).fit(X, y).get_n_leaves() == 3


@pytest.mark.parametrize("criterion", ["gini", "wig"])
def test_trees_of_a_forest_are_pruned_each_by_itself(engine, criterion, data):
    forest = DecisionForestClassifier(3, criterion=criterion, random_state=0)
    whole, smaller = forest.fit(*data).estimators_, clone(forest).set_params(ccp_alpha=0.02).fit(*data).estimators_
    for one, other in zip(whole, smaller, strict=True):
        assert other.tree_ == pruned(one.tree_, pruning_path(one.tree_, criterion), 0.02)
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
    assert_refuses(ValueError, "The 'ccp_alpha' parameter", DecisionTreeClassifier(ccp_alpha=-0.1).fit, *data)


# ----------------------------------------------------------------------------------------------------------- forests

FORESTS = [
    DecisionForestClassifier,
    OrdinalDecisionForestClassifier,
    PermutationDecisionForestClassifier,
    ID3ForestClassifier,
]


@pytest.mark.parametrize("estimator", FORESTS)
def test_a_warm_start_ends_at_the_forest_of_one_fit(engine, estimator, data):
    X, y = (part[:30] for part in data)
    whole = estimator(4, random_state=0, bootstrap=True).fit(X, y)
    grown = estimator(2, random_state=0, bootstrap=True, warm_start=True).fit(X, y)
    first = grown.estimators_[0]
    grown.set_params(n_estimators=4).fit(X, y)
    assert grown.estimators_[0] is first
    assert trees_of(grown) == trees_of(whole)
    assert [one.random_state for one in grown] == [one.random_state for one in whole]


def test_a_warm_start_scores_all_trees_out_of_bag(engine, data):
    whole = DecisionForestClassifier(12, random_state=0, oob_score=True).fit(*data)
    grown = DecisionForestClassifier(11, random_state=0, warm_start=True).fit(*data)
    grown.set_params(n_estimators=12, oob_score=True).fit(*data)
    assert grown.oob_score_ == whole.oob_score_
    np.testing.assert_array_equal(grown.oob_decision_function_, whole.oob_decision_function_)


def test_a_warm_start_without_more_trees_warns(data):
    forest = DecisionForestClassifier(3, random_state=0, warm_start=True).fit(*data)
    trees = trees_of(forest)
    with pytest.warns(UserWarning, match="Warm-start fitting without increasing n_estimators does not fit new trees"):
        forest.fit(*data)
    assert trees_of(forest) == trees


def test_a_warm_start_refuses_fewer_trees_and_other_data(data):
    X, y = data
    forest = DecisionForestClassifier(3, random_state=0, warm_start=True).fit(X, y)
    before = dict(vars(forest))
    with pytest.raises(ValueError, match=r"n_estimators=2 must be larger or equal to len\(estimators_\)=3"):
        forest.set_params(n_estimators=2).fit(X, y)
    forest.set_params(n_estimators=4)
    for what, others in (
        ("features", (X[:, :2], y)),
        ("features", (pd.DataFrame(X, columns=list("abc")), y)),
        ("classes", (X, y + 1)),
        ("classes", (X[y < 2], y[y < 2])),
    ):
        with pytest.raises(
            ValueError, match=f"warm_start=True keeps the trees of the last fit, but that fit had other {what}"
        ):
            forest.fit(*others)
    assert {**vars(forest), "n_estimators": 3} == before
    X = np.column_stack([y % 2, X])
    forest = DecisionForestClassifier(2, warm_start=True, categorical_features=[0]).fit(X, y)
    X[0, 0] = 7
    assert_refuses(ValueError, "that fit had other categories", forest.set_params(n_estimators=3).fit, X, y)


@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_subsamples_are_those_of_scikit_learn(engine, weighted):
    X, y = make_classes(n_samples=50)
    y[:30] = 0
    sample_weight = np.random.default_rng(0).random(50) + 0.5 if weighted else None
    forest = DecisionForestClassifier(4, max_samples=20, class_weight="balanced_subsample", random_state=0)
    forest.fit(X, y, sample_weight=sample_weight)
    for estimator, drawn in zip(forest, forest.estimators_samples_, strict=True):
        weights = np.bincount(drawn, minlength=50) * compute_sample_weight("balanced", y, indices=drawn)
        expected = np.bincount(y, weights=weights, minlength=3)
        np.testing.assert_allclose(estimator.tree_.value[0], expected, rtol=1e-12)
        assert estimator.tree_.n_node_samples[0] == len(np.unique(drawn))


def test_without_bootstrap_a_balanced_subsample_is_all_samples(engine, data):
    one, other = (
        DecisionForestClassifier(2, bootstrap=False, class_weight=weights, random_state=0).fit(*data)
        for weights in ("balanced_subsample", "balanced")
    )
    assert trees_of(one) == trees_of(other)


@pytest.mark.parametrize("estimator", FORESTS)
def test_forests_are_sequences_of_their_trees(estimator, data):
    forest = estimator(3, random_state=0)
    for ask in (len, iter, lambda forest: forest[0], lambda forest: forest.estimator_):
        assert_refuses(NotFittedError, None, ask, forest)
    forest.fit(*data)
    assert len(forest) == 3
    assert list(forest) == forest.estimators_
    assert forest[1] is forest.estimators_[1]
    assert forest[-2:] == forest.estimators_[1:]
    template = forest.estimator_
    assert type(template) is type(forest[0])
    assert template.get_params() == {**forest[0].get_params(), "random_state": None}
    assert not hasattr(template, "tree_")


@pytest.mark.parametrize("criterion", ["gini", "etc"])
def test_estimators_samples_are_the_drawn_samples(engine, criterion, data):
    X, y = data
    weights = None if criterion == "etc" else np.arange(60) % 4
    order = np.random.default_rng(0).permutation(60)
    forest = DecisionForestClassifier(3, criterion=criterion, max_samples=25, random_state=0)
    forest.fit(X, y, order=order, sample_weight=weights)
    for estimator, drawn in zip(forest, forest.estimators_samples_, strict=True):
        assert (len(drawn), drawn.dtype) == (25, np.int64)
        np.testing.assert_array_equal(estimator.tree_.value[0], np.bincount(y[drawn], minlength=3))
        assert weights is None or np.all(weights[drawn] > 0)
    with_all = DecisionForestClassifier(2, bootstrap=False).fit(X, y)
    assert [drawn.tolist() for drawn in with_all.estimators_samples_] == [list(range(60))] * 2
    permuted = PermutationDecisionForestClassifier(2, random_state=0).fit(X, y)
    for estimator, drawn in zip(permuted, permuted.estimators_samples_, strict=True):
        assert sorted(drawn) == list(range(60))
        assert estimator.tree_ == PermutationDecisionTreeClassifier().fit(X[drawn], y[drawn]).tree_


# ------------------------------------------------------------------------------------------------------- fitted trees


@pytest.mark.parametrize("criterion", ["ogini", "wig", RankingImpurity(class_scores=[0, 1, 4])])
def test_impurities_are_the_criterion_s(engine, criterion, data):
    tree = DecisionTreeClassifier(criterion, ccp_alpha=1e-3).fit(*data).tree_
    for same in (tree, pickle.loads(pickle.dumps(tree)), merge_redundant(tree)):
        np.testing.assert_array_equal(same.impurity, impurity(criterion, same.value))
    assert pickle.loads(pickle.dumps(tree)) == tree


@pytest.mark.parametrize("criterion", ["nvi", "accuracy", "etc"])
def test_trees_without_impurity(criterion, data):
    tree = DecisionTreeClassifier(criterion).fit(*data).tree_
    assert not hasattr(tree, "impurity")
    with pytest.raises(AttributeError, match="This tree has no impurity"):
        tree.impurity  # noqa: B018
    assert not hasattr(ID3Classifier().fit(*data).tree_, "impurity")


@pytest.mark.parametrize("max_features", [None, 2, 0.5, "sqrt", "log2", 1000])
def test_numbers_of_features_are_those_of_scikit_learn(max_features, data):
    parameters = {"max_features": max_features} if max_features != 1000 else {"max_features": 3}
    ours = DecisionTreeClassifier(max_features=max_features).fit(*data)
    assert ours.max_features_ == SklearnDecisionTreeClassifier(**parameters).fit(*data).max_features_
    forest = DecisionForestClassifier(2, max_features=max_features).fit(*data)
    assert forest[0].max_features_ == ours.max_features_
