"""Trees and forests as scikit-learn's, and scikit-learn's as trees and forests: equal to the last bit."""

import json
import pickle
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import sklearn.base
from hypothesis import given
from hypothesis import strategies as st
from samples import (
    assert_same_numbers,
    make_chain,
    make_classes,
    make_multiway_chain,
    make_stump,
    make_stump_of_numbers,
    make_ties,
    trees_of,
    without_impurity,
)
from sklearn.base import is_regressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnDecisionTreeRegressor
from sklearn.tree import ExtraTreeClassifier, ExtraTreeRegressor
from support import SKLEARN, assert_predicts_the_same, assert_refuses, grown

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    export_dict,
    export_text,
    from_sklearn,
    merge_redundant,
    to_sklearn,
)
from pytrees.convert.sklearn_estimators import kept_parameters
from pytrees.criteria import CountCriterion
from pytrees.fourier import ordinal_codes
from pytrees.testing.strategies import count_weights, float_weights


class Largest(CountCriterion):
    """Gain by the largest count of both sides."""

    def gains(self, left, right):
        return left.max(axis=1) + right.max(axis=1)


FORESTS = {
    "random": DecisionForestClassifier(7, random_state=0),
    "shallow": DecisionForestClassifier(7, max_depth=2, criterion="entropy", random_state=0),
    "all samples": DecisionForestClassifier(3, bootstrap=False, max_features=1, random_state=0),
    "own criterion": DecisionForestClassifier(3, criterion=Largest(), max_depth=2, random_state=0),
    "permutations": PermutationDecisionForestClassifier(7, random_state=0),
    "permutations, shallow": PermutationDecisionForestClassifier(7, max_depth=2, random_state=0),
    "permutations, drawn": PermutationDecisionForestClassifier(7, bootstrap=True, min_samples_leaf=4, random_state=0),
    "ID3": ID3ForestClassifier(3, max_leaf_nodes=4, random_state=0),
    "ordinal": OrdinalDecisionForestClassifier(5, max_depth=3, classes=["low", "high", "extreme"], random_state=0),
}


OF_SAMPLES = ("oob_score_", "oob_decision_function_", "oob_prediction_")


NAMES = ["age", "weight", "height"]


def data(n_samples=60, seed=0, missing=0.0, numbers=False):
    """Return float32 samples as float64 in a data frame, and labels that are words, or decimals that follow them."""
    X, y = make_classes(n_samples, seed=seed)
    rng = np.random.default_rng(seed)
    targets = np.round(X[:, 0] + np.abs(X[:, 1]) + 0.3 * rng.normal(size=n_samples), 2)
    X[rng.random(X.shape) < missing] = np.nan
    return pd.DataFrame(X, columns=NAMES), targets if numbers else np.array(["extreme", "high", "low"])[y]


# ----------------------------------------------------------------------------------------------------------------- out


@pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS.keys())
def test_forests_predict_the_same_in_scikit_learn(engine, forest):
    X, y = data()
    ours = grown(forest, X, y)
    theirs = pickle.loads(pickle.dumps(to_sklearn(ours)))
    assert type(theirs) is RandomForestClassifier
    assert {type(one) for one in theirs.estimators_} == {SklearnDecisionTreeClassifier}
    assert_predicts_the_same(theirs, ours, data(200, seed=1)[0].astype(np.float32).astype(np.float64))
    for mine, one in zip(ours.to_sklearn().estimators_, theirs.estimators_, strict=True):
        assert mine.get_params() == one.get_params()
        assert mine.tree_.__getstate__()["nodes"].tobytes() == one.tree_.__getstate__()["nodes"].tobytes()


@pytest.mark.parametrize("error", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    ("weighted", "constraints"), [(False, None), (True, None), (False, [1, 0, -1]), (True, {"height": -1})]
)
def test_trees_of_numbers_predict_the_same_in_scikit_learn(engine, error, missing, weighted, constraints):
    if missing and SKLEARN < (1, 9) and (error == "absolute_error" or constraints):
        pytest.skip("older trees of scikit-learn predict no missing values by absolute error, or under constraints")
    X, y = data(missing=missing, numbers=True)
    near = data(200, seed=1, missing=missing)[0]
    weights = np.arange(len(y)) % 3 + 1 if weighted else None
    for ours in (DecisionTreeRegressor(error), DecisionForestRegressor(7, criterion=error, oob_score=False)):
        ours = grown(ours.set_params(random_state=0, monotonic_cst=constraints), X, y, sample_weight=weights)
        theirs = pickle.loads(pickle.dumps(to_sklearn(ours)))
        np.testing.assert_array_equal(theirs.predict(near), ours.predict(near))
        np.testing.assert_array_equal(theirs.apply(near), ours.apply(near))
        np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_, atol=1e-12)
        assert theirs.criterion == error
        assert theirs.feature_names_in_.tolist() == NAMES
        back = from_sklearn(theirs)
        assert type(back) is type(ours)
        for tree, other in zip(trees_of(back), trees_of(ours), strict=True):
            np.testing.assert_array_equal(tree.value, other.value)
            np.testing.assert_array_equal(tree.impurity, other.impurity)
            np.testing.assert_allclose(tree.gain, other.gain, rtol=1e-9, atol=1e-12)
            assert tree.criterion_name == error
            assert_same_numbers(Tree.from_dict(json.loads(json.dumps(export_dict(other)))), other)
            np.testing.assert_array_equal(merge_redundant(other).predict(near), other.predict(near))
        if constraints is None:
            assert back.get_params() == ours.get_params()
        else:
            assert list(theirs.monotonic_cst) == ([1, 0, -1] if constraints == [1, 0, -1] else [0, 0, -1])
        np.testing.assert_array_equal(back.predict(near), ours.predict(near))


@pytest.mark.parametrize(
    ("fitted", "ours"),
    [
        (SklearnDecisionTreeClassifier(), DecisionTreeClassifier()),
        (SklearnDecisionTreeRegressor(), DecisionTreeRegressor()),
        (RandomForestClassifier(4), DecisionForestClassifier(4)),
        (RandomForestRegressor(30, oob_score=True), DecisionForestRegressor(30, max_features=1.0, oob_score=True)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_attributes_are_as_in_scikit_learn(fitted, ours):
    X, y = data(numbers=is_regressor(ours))
    fitted, ours = (one.set_params(max_depth=3, random_state=5).fit(X, y) for one in (fitted, ours))
    theirs = to_sklearn(ours)
    pairs = [(theirs, fitted)]
    if hasattr(fitted, "estimators_"):
        pairs.append((theirs.estimators_[0], fitted.estimators_[0]))
    for one, other in pairs:
        kept, expected = ({name: vars(each)[name] for name in vars(each) if name[0] != "_"} for each in (one, other))
        assert kept.keys() == expected.keys()
        for name, value in expected.items():
            assert type(kept[name]) is type(value), name
            if name not in ("estimator", "estimator_", "estimators_", "tree_", "random_state", *OF_SAMPLES):
                np.testing.assert_array_equal(kept[name], value, err_msg=name)
    assert theirs.random_state == 5
    assert_predicts_the_same(sklearn.base.clone(theirs).fit(X, y), fitted, X)


def test_samples_of_trees_are_kept():
    X, y = data()
    ours = DecisionForestClassifier(3, bootstrap=False).fit(X, y)
    np.testing.assert_array_equal(to_sklearn(ours).estimators_samples_, ours.estimators_samples_)
    weighted = DecisionForestClassifier(3, random_state=0).fit(X, y, sample_weight=np.arange(60) % 3)
    for ours in (weighted, PermutationDecisionForestClassifier(3).fit(X, y)):
        assert not hasattr(to_sklearn(ours), "estimators_samples_")


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1, 2]),
        np.array([True, False, True]),
        np.array([1.0, 2.0, 3.0]),
        np.array(["2000-01-01", "2001-01-01", "2002-01-01"], dtype="datetime64[D]"),
        np.array(["a", "b", "c"], dtype=object),
        pd.array(["a", "b", "c"], dtype="string"),
        np.array([7, 7, 7]),
    ],
    ids=repr,
)
def test_labels_of_all_types(labels):
    X, y = make_classes()
    for ours in (DecisionTreeClassifier(), DecisionForestClassifier(2), PermutationDecisionForestClassifier(2)):
        ours.fit(X, labels[y])
        theirs = to_sklearn(ours)
        assert theirs.predict(X).dtype == ours.predict(X).dtype
        assert_predicts_the_same(theirs, ours, X)
        assert_predicts_the_same(from_sklearn(theirs), ours, X)


def test_inner_nodes_have_the_mean_vote_of_their_leaves():
    X, y = data()
    ours = PermutationDecisionForestClassifier(3, max_depth=3, random_state=0).fit(X, y)
    for one, tree in zip(to_sklearn(ours).estimators_, trees_of(ours), strict=True):
        votes = np.eye(3)[tree.predict(X)]
        paths = tree.decision_path(X)
        expected = (paths.T @ votes) / tree.n_node_samples[:, np.newaxis]
        np.testing.assert_allclose(one.tree_.value[:, 0, :], expected, rtol=1e-12, atol=1e-15)


def test_impurities_equal_scikit_learns():
    X, y = data()
    for criterion in ("gini", "entropy", "log_loss"):
        ours = DecisionTreeClassifier(criterion, max_depth=3).fit(X, y)
        theirs = to_sklearn(ours)
        assert theirs.criterion == ("gini" if criterion == "gini" else "entropy")
        np.testing.assert_allclose(theirs.tree_.impurity, ours.tree_.impurity, atol=1e-12)
        np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_, rtol=1e-9)
    assert to_sklearn(DecisionTreeClassifier("etc").fit(X, y)).criterion == "gini"


def test_categories_in_scikit_learn(engine):
    X, y = data()
    X["colour"] = pd.Categorical(np.array(["red", "green", "blue", "white"])[np.arange(60) % 4])
    options = {"categorical_features": "from_dtype", "categorical_split": "multiway"}
    for ours in (
        DecisionTreeClassifier(**options),
        DecisionForestClassifier(5, random_state=0, **options),
        PermutationDecisionForestClassifier(5, max_depth=2, random_state=0, **options),
    ):
        ours.fit(X, y)
        theirs = to_sklearn(ours)
        coded = pd.DataFrame(ours.encode(X), columns=X.columns)
        np.testing.assert_array_equal(theirs.predict_proba(coded), ours.predict_proba(X))
        assert_refuses(ValueError, "nodes without training samples", from_sklearn, theirs)


@pytest.mark.parametrize("error", ["squared_error", "absolute_error"])
def test_regressors_with_categories_go_and_come_back(engine, error):
    colour = np.array(["red", "green", "blue", "grey"])[np.arange(60) % 4]
    X = pd.DataFrame({"colour": colour, "size": data()[0]["age"]})
    y = np.round(np.arange(60) % 4 % 3 + X["size"].to_numpy(), 1)
    options = {"criterion": error, "categorical_features": ["colour"], "max_depth": 3}
    multiway = options | {"categorical_split": "multiway"}
    for ours in (DecisionForestRegressor(3, random_state=0, **multiway), DecisionTreeRegressor(**multiway)):
        theirs = to_sklearn(ours.fit(X, y))
        encoded = pd.DataFrame(ours.encode(X), columns=X.columns)
        np.testing.assert_array_equal(theirs.predict(encoded), ours.predict(X))
        np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_, atol=1e-9)
    nodes, tree = theirs.tree_, ours.tree_
    assert (nodes.value[0, 0, 0], nodes.impurity[0]) == (tree.value[0, 0], tree.impurity[0])
    assert nodes.weighted_n_node_samples[0] == 60.0
    unknown = np.array([[-1.0, 0.0], [7.0, 0.0]])
    np.testing.assert_array_equal(tree.to_sklearn().predict(unknown), tree.predict(unknown))
    subset = DecisionTreeRegressor(**options).fit(X, y)
    assert "colour" in export_text(subset)
    assert_refuses(ValueError, "cannot divide categories into two sets", to_sklearn, subset)
    for fitted in (ours, subset):
        assert fitted.tree_.is_multiway
        for one in (fitted, fitted.tree_):
            assert_same_numbers(Tree.from_dict(json.loads(json.dumps(export_dict(one)))), fitted.tree_)
        np.testing.assert_array_equal(merge_redundant(fitted.tree_).predict(encoded.to_numpy()), fitted.predict(X))


def test_trees_without_impurities_have_none_in_scikit_learn():
    theirs = without_impurity(make_stump_of_numbers().tree_).to_sklearn()
    assert np.isnan(theirs.tree_.impurity).all()
    assert theirs.predict([[0.0]]) == 0.25
    assert not hasattr(from_sklearn(theirs).tree_, "impurity")


def test_lists_of_trees_become_forests():
    X, y = data()
    forest = DecisionForestClassifier(5, random_state=0).fit(X, y)
    theirs = to_sklearn(list(forest))
    assert_predicts_the_same(theirs, forest, X)
    assert theirs.feature_names_in_.tolist() == NAMES
    one = to_sklearn((forest[0].tree_,), classes=forest.classes_)
    np.testing.assert_array_equal(one.predict_proba(X.to_numpy()), forest[0].predict_proba(X))
    assert to_sklearn([forest[0].tree_]).classes_.tolist() == [0, 1, 2]
    for others, message in (
        ([], "There are no trees"),
        ([forest[0].tree_, make_stump()], "differ in their features or classes"),
        ([forest[0], DecisionTreeClassifier().fit(X, np.unique(y, return_inverse=True)[1])], "labels of their classes"),
        ([make_stump_of_numbers(), make_stump()], "differ in their features or classes"),
    ):
        assert_refuses(ValueError, message, to_sklearn, others)
    assert_refuses(TypeError, "got RandomForestClassifier", to_sklearn, [theirs])
    of_numbers = to_sklearn([make_stump_of_numbers(), DecisionTreeRegressor().fit([[0.0], [1.0]], [1.0, 2.0]).tree_])
    assert type(of_numbers) is RandomForestRegressor
    assert of_numbers.predict([[1.0]]).tolist() == [(3.75 + 2.0) / 2]
    with pytest.raises(ValueError, match="Names of classes are given"):
        to_sklearn(DecisionForestRegressor(2).fit([[0.0], [1.0]], [1.0, 2.0]), classes=["a"])


# ------------------------------------------------------------------------------------------------------ what is refused


def test_forests_of_other_rules_are_refused():
    X, y = data()
    ordinal = {"classes": ["low", "high", "extreme"], "predict_rule": "median"}
    forest = OrdinalDecisionForestClassifier(3, **ordinal, random_state=0).fit(X, y)
    assert_refuses(ValueError, r"OrdinalDecisionForestClassifier predicts by predict_rule='median'", to_sklearn, forest)
    theirs = to_sklearn([one.tree_ for one in forest], forest.classes_)
    np.testing.assert_array_equal(theirs.predict_proba(X.to_numpy()), forest.predict_proba(X))
    with pytest.raises(ValueError, match="OrdinalDecisionTreeClassifier predicts another class"):
        to_sklearn([OrdinalDecisionTreeClassifier(**ordinal, max_depth=1).fit(X, y)])


def test_parts_of_samples_are_refused():
    X, y = make_classes(n_samples=40)
    X[::3] = np.nan
    fitted = C45Classifier().fit(X, y)
    assert_refuses(ValueError, "C45Classifier divides samples with missing values", to_sklearn, fitted)
    complete = X[~np.isnan(X).any(axis=1)]
    theirs = fitted.tree_.to_sklearn(fitted.classes_)
    np.testing.assert_array_equal(theirs.predict(complete), fitted.predict(complete))


def test_other_objects_are_refused():
    X, y = data()
    for other in (None, "forest", RandomForestClassifier(2).fit(X, y), OrthogonalTreesClassifier().fit(X, y)):
        assert_refuses(TypeError, f"got {type(other).__name__}", to_sklearn, other)
    for ours in (DecisionForestClassifier(), PermutationDecisionForestClassifier()):
        assert_refuses(NotFittedError, None, to_sklearn, ours)
        assert_refuses(NotFittedError, None, ours.to_sklearn)
    with pytest.raises(ValueError, match="classes has 2 names; the forest has 3"):
        to_sklearn(DecisionForestClassifier(2).fit(X, y), classes=["a", "b"])
    relabelled = to_sklearn(DecisionForestClassifier(2).fit(X, y), classes=["a", "b", "c"])
    assert set(relabelled.predict(X)) == {"a", "b", "c"}


# ------------------------------------------------------------------------------------------------------------------- in


FITTED_BY_SKLEARN = {
    "tree": SklearnDecisionTreeClassifier(random_state=0),
    "entropy": SklearnDecisionTreeClassifier(criterion="entropy", max_depth=3, random_state=0),
    "best-first": SklearnDecisionTreeClassifier(criterion="log_loss", max_leaf_nodes=6, random_state=0),
    "extra tree": ExtraTreeClassifier(random_state=0),
    "one leaf": SklearnDecisionTreeClassifier(min_samples_split=100),
    "forest": RandomForestClassifier(5, random_state=0),
    "extra trees": ExtraTreesClassifier(5, random_state=0),
    "numbers": SklearnDecisionTreeRegressor(random_state=0),
    "numbers, absolute": SklearnDecisionTreeRegressor(criterion="absolute_error", max_depth=3, random_state=0),
    "numbers, best-first": SklearnDecisionTreeRegressor(max_leaf_nodes=6, random_state=0),
    "numbers, extra tree": ExtraTreeRegressor(random_state=0),
    "numbers, one leaf": SklearnDecisionTreeRegressor(min_samples_split=100),
    "numbers, poisson": SklearnDecisionTreeRegressor(criterion="poisson", max_depth=3, random_state=0),
    "numbers, forest": RandomForestRegressor(5, random_state=0),
    "numbers, poisson forest": RandomForestRegressor(5, criterion="poisson", random_state=0),
    "numbers, extra trees": ExtraTreesRegressor(5, random_state=0),
}


def said_for_poisson(theirs):
    words = rf"no criterion='poisson': what {type(theirs).__name__} has learned .* criterion='squared_error', by which"
    return pytest.warns(UserWarning, match=words) if theirs.criterion == "poisson" else nullcontext()


@pytest.mark.parametrize("estimator", FITTED_BY_SKLEARN.values(), ids=FITTED_BY_SKLEARN.keys())
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_trees_and_forests_of_scikit_learn_are_converted(engine, estimator, weighted, missing):
    takes_missing, of_numbers = estimator.criterion != "absolute_error", is_regressor(estimator)
    if missing and not takes_missing:
        pytest.skip("scikit-learn's absolute errors take no missing values")
    X, y = data(missing=missing, numbers=of_numbers)
    y = np.abs(y) if of_numbers else y
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    theirs = sklearn.base.clone(estimator).fit(X, y, sample_weight=weights)
    with said_for_poisson(theirs):
        ours = from_sklearn(theirs)
    members = getattr(theirs, "estimators_", [theirs])
    kind = ("Tree" if members == [theirs] else "Forest") + ("Regressor" if of_numbers else "Classifier")
    assert type(ours).__name__ == f"Decision{kind}"
    assert ours.feature_names_in_.tolist() == NAMES
    near = data(200, seed=1, missing=0.3 * takes_missing)[0]
    np.testing.assert_array_equal(ours.predict(near), theirs.predict(near))
    back = to_sklearn(ours)
    np.testing.assert_array_equal(back.predict(near), theirs.predict(near))
    np.testing.assert_array_equal(back.apply(near), ours.apply(near))
    # Some versions give nodes that lack values a Poisson deviance far below 0, and count it.
    if all(one.tree_.impurity.min() > -1e-9 for one in members):
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    for tree, one in zip(trees_of(ours), members, strict=True):
        np.testing.assert_allclose(np.sort(tree.impurity), np.maximum(np.sort(one.tree_.impurity), 0.0), atol=1e-12)
        for other in (pickle.loads(pickle.dumps(tree)), Tree.from_dict(export_dict(tree))):
            assert other == tree
            if of_numbers:
                assert_same_numbers(other, tree)
    if of_numbers:
        assert all(tree.is_regressor for tree in trees_of(ours))
        assert {tree.criterion_name for tree in trees_of(ours)} == {
            None if theirs.criterion == "poisson" else theirs.criterion
        }
        assert ours.criterion == ("squared_error" if theirs.criterion == "poisson" else theirs.criterion)
    else:
        shares, expected = ours.predict_proba(near), theirs.predict_proba(near)
        np.testing.assert_allclose(shares, expected, rtol=0.0, atol=1e-15 * (weighted or missing > 0.0))
        assert ours.get_params() == {**ours.get_params(), **kept_parameters(theirs, ours.get_params())}
    if not weighted and not of_numbers:
        assert all(np.array_equal(tree.value, np.rint(tree.value)) for tree in trees_of(ours))
    if not weighted and members != [theirs]:
        np.testing.assert_array_equal(np.array(ours.estimators_samples_), np.array(theirs.estimators_samples_))
    for tree, other in zip(trees_of(from_sklearn(back)), trees_of(ours), strict=True):
        np.testing.assert_array_equal(tree.missing_go_to_left, other.missing_go_to_left)
        np.testing.assert_array_equal(tree.saw_missing, other.saw_missing)
    score = grown(ours, X, y).score(X, y)
    assert score >= theirs.score(X, y) - 0.1 or weighted or missing or of_numbers


def test_friedmans_trees_have_squared_errors():
    X, y = data(numbers=True)
    theirs = SklearnDecisionTreeRegressor(max_depth=2).fit(X, y)
    theirs.criterion = "friedman_mse"  # what older versions call the trees of another improvement
    ours = from_sklearn(theirs)
    assert (ours.criterion, ours.tree_.criterion_name) == ("squared_error", "squared_error")


def test_squares_beyond_the_doubles_leave_no_impurity():
    with np.errstate(all="ignore"):
        theirs = SklearnDecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [1e200, -1e200])
    theirs.tree_.impurity[:] = np.nan
    tree = from_sklearn(theirs).tree_
    assert not hasattr(tree, "impurity")
    assert not np.any(tree.gain)


def test_nodes_of_scikit_learn_are_taken_as_they_are():
    X, y = data()
    theirs = SklearnDecisionTreeClassifier(random_state=0).fit(X, y)
    nodes, tree = theirs.tree_, Tree.from_sklearn(theirs)
    for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(nodes, name))
    np.testing.assert_array_equal(tree.weighted_n_node_samples, nodes.weighted_n_node_samples)
    np.testing.assert_array_equal(tree.shares, nodes.value[:, 0])
    np.testing.assert_allclose(tree.impurity, nodes.impurity, atol=1e-12)


def test_right_children_of_leaves_are_not_read(engine):
    theirs = SklearnDecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    expected = from_sklearn(theirs).tree_
    theirs.tree_.children_right[1:] = 10**6
    assert from_sklearn(theirs).tree_ == expected
    assert ordinal_codes(theirs).trees[0].node_count == 3


@pytest.mark.parametrize("weights", [None, count_weights, float_weights])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@given(draw=st.data(), seed=st.integers(0, 99))
def test_random_trees_come_back_as_they_were(weights, criterion, draw, seed):
    X, y = make_ties(24, seed=seed)
    drawn = None if weights is None else draw.draw(weights(24))
    ours = DecisionTreeClassifier(criterion, max_depth=3).fit(X, y, sample_weight=drawn)
    back = from_sklearn(to_sklearn(ours))
    if weights is float_weights:
        for name in ("children_left", "feature", "threshold", "n_node_samples"):
            np.testing.assert_array_equal(getattr(back.tree_, name), getattr(ours.tree_, name))
        for name in ("value", "gain"):
            np.testing.assert_allclose(getattr(back.tree_, name), getattr(ours.tree_, name), rtol=1e-9, atol=1e-12)
    else:
        assert back.tree_ == ours.tree_
    assert back.get_params() == ours.get_params()


@pytest.mark.parametrize("kind", [DecisionForestClassifier, DecisionForestRegressor])
@pytest.mark.parametrize("options", [{"max_depth": 4}, {"max_samples": 0.5}], ids=str)
def test_forests_come_back_as_they_were(kind, options):
    X, y = make_ties(60)
    ours = kind(30, oob_score=True, random_state=3, **options).fit(X, y)
    theirs = to_sklearn(ours)
    back = from_sklearn(theirs)
    assert kind is DecisionForestRegressor or trees_of(back) == trees_of(ours)  # gains of numbers are rounded
    for name in ("estimators_samples_", *OF_SAMPLES):
        for other in (theirs, back):
            assert hasattr(other, name) == hasattr(ours, name)
            np.testing.assert_array_equal(getattr(other, name, None), getattr(ours, name, None))
    before = trees_of(back)
    assert trees_of(back.set_params(n_estimators=32, warm_start=True).fit(X, y))[:30] == before
    assert len(back) == 32


def test_deep_trees_come_and_go():
    tree = make_chain(3000)
    back = Tree.from_sklearn(tree.to_sklearn())
    np.testing.assert_array_equal(back.value, tree.value)
    np.testing.assert_array_equal(back.threshold, tree.threshold)
    assert make_multiway_chain(300).to_sklearn().get_depth() >= 300


def test_forests_that_draw_by_weight_do_not_know_their_samples():
    X, y = data()
    theirs = RandomForestClassifier(2, random_state=0).fit(X, y, sample_weight=np.arange(60) % 4 + 1.0)
    ours = from_sklearn(theirs)
    if vars(theirs).get("_sample_weight") is None:  # before scikit-learn 1.9, which draws by weight
        np.testing.assert_array_equal(ours.estimators_samples_, theirs.estimators_samples_)
        return
    with pytest.raises(AttributeError, match="unavailable on a forest converted from scikit-learn"):
        ours.estimators_samples_  # noqa: B018
    assert not hasattr(to_sklearn(ours), "estimators_samples_")


@pytest.mark.parametrize(
    "other",
    [BaggingClassifier(n_estimators=2), BaggingRegressor(n_estimators=2), GradientBoostingClassifier()],
    ids=lambda other: type(other).__name__,
)
def test_from_sklearn_refuses_other_estimators(other):
    X, y = make_classes()
    for read in (from_sklearn, Tree.from_sklearn):
        assert_refuses(TypeError, f"got {type(other).__name__}", read, other.fit(X, y))


@pytest.mark.parametrize(
    "estimator",
    [SklearnDecisionTreeClassifier, RandomForestClassifier, SklearnDecisionTreeRegressor, RandomForestRegressor],
)
def test_from_sklearn_refuses_unfitted_estimators_and_several_outputs(estimator):
    X, y = make_classes()
    assert_refuses(NotFittedError, None, from_sklearn, estimator())
    with pytest.raises(ValueError, match=f"{estimator.__name__} has 2 outputs"):
        from_sklearn(estimator().fit(X, np.column_stack([y, y])))


@pytest.mark.parametrize(
    "estimator",
    [*FORESTS.values(), DecisionTreeClassifier(), PermutationDecisionTreeClassifier(max_candidates=8)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators_that_have_learned_from_missing_values(engine, estimator):
    X, y = data(80)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    ours = grown(estimator, X, y)
    assert_predicts_the_same(to_sklearn(ours), ours, X)


def test_from_sklearn_refuses_estimators_of_pytrees():
    X, y = make_classes()
    for ours in (DecisionTreeClassifier(), DecisionForestClassifier(2)):
        assert_refuses(TypeError, "of scikit-learn is expected", from_sklearn, ours.fit(X, y))
    with pytest.raises(TypeError, match=r"pytrees\.from_sklearn also takes its forests"):
        Tree.from_sklearn(RandomForestClassifier(2).fit(X, y))
