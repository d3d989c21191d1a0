"""Trees and forests as scikit-learn's, and scikit-learn's as trees and forests: equal to the last bit."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.base
from hypothesis import given
from hypothesis import strategies as st
from samples import make_chain, make_classes, make_multiway_chain, make_stump, make_ties, trees_of
from sklearn.base import is_regressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnDecisionTreeRegressor
from sklearn.tree import ExtraTreeClassifier
from support import assert_predicts_the_same, grown

import pytrees
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
    from_sklearn,
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


def data(n_samples=60, seed=0):
    """Return float32 samples as float64 in a data frame, and labels that are words."""
    X, y = make_classes(n_samples, seed=seed)
    return pd.DataFrame(X, columns=["age", "weight", "height"]), np.array(["extreme", "high", "low"])[y]


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
    X, y = data()
    if is_regressor(ours):
        y = np.round(X["age"] + np.abs(X["weight"]), 2).to_numpy()
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
        with pytest.raises(ValueError, match="nodes without training samples"):
            from_sklearn(theirs)


def test_lists_of_trees_become_forests():
    X, y = data()
    forest = DecisionForestClassifier(5, random_state=0).fit(X, y)
    theirs = to_sklearn(list(forest))
    assert_predicts_the_same(theirs, forest, X)
    assert theirs.feature_names_in_.tolist() == ["age", "weight", "height"]
    one = to_sklearn((forest[0].tree_,), classes=forest.classes_)
    np.testing.assert_array_equal(one.predict_proba(X.to_numpy()), forest[0].predict_proba(X))
    assert to_sklearn([forest[0].tree_]).classes_.tolist() == [0, 1, 2]
    for others, message in (
        ([], "There are no trees"),
        ([forest[0].tree_, make_stump()], "differ in their features or classes"),
        ([forest[0], DecisionTreeClassifier().fit(X, np.unique(y, return_inverse=True)[1])], "labels of their classes"),
    ):
        with pytest.raises(ValueError, match=message):
            to_sklearn(others)
    with pytest.raises(TypeError, match="got RandomForestClassifier"):
        to_sklearn([theirs])


# ------------------------------------------------------------------------------------------------------ what is refused


def test_forests_of_other_rules_are_refused():
    X, y = data()
    ordinal = {"classes": ["low", "high", "extreme"], "predict_rule": "median"}
    forest = OrdinalDecisionForestClassifier(3, **ordinal, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"OrdinalDecisionForestClassifier predicts by predict_rule='median'"):
        to_sklearn(forest)
    theirs = to_sklearn([one.tree_ for one in forest], forest.classes_)
    np.testing.assert_array_equal(theirs.predict_proba(X.to_numpy()), forest.predict_proba(X))
    with pytest.raises(ValueError, match="OrdinalDecisionTreeClassifier predicts another class"):
        to_sklearn([OrdinalDecisionTreeClassifier(**ordinal, max_depth=1).fit(X, y)])


def test_parts_of_samples_are_refused():
    X, y = make_classes(n_samples=40)
    X[::3] = np.nan
    fitted = C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match="C45Classifier divides samples with missing values"):
        to_sklearn(fitted)
    complete = X[~np.isnan(X).any(axis=1)]
    theirs = fitted.tree_.to_sklearn(fitted.classes_)
    np.testing.assert_array_equal(theirs.predict(complete), fitted.predict(complete))


def test_other_objects_are_refused():
    X, y = data()
    for other in (None, "forest", RandomForestClassifier(2).fit(X, y), OrthogonalTreesClassifier().fit(X, y)):
        with pytest.raises(TypeError, match=f"got {type(other).__name__}"):
            to_sklearn(other)
    for ours in (DecisionForestClassifier(), PermutationDecisionForestClassifier()):
        with pytest.raises(NotFittedError):
            to_sklearn(ours)
        with pytest.raises(NotFittedError):
            ours.to_sklearn()
    with pytest.raises(ValueError, match="classes has 2 names; the forest has 3"):
        to_sklearn(DecisionForestClassifier(2).fit(X, y), classes=["a", "b"])
    relabelled = to_sklearn(DecisionForestClassifier(2).fit(X, y), classes=["a", "b", "c"])
    assert set(relabelled.predict(X)) == {"a", "b", "c"}


# ------------------------------------------------------------------------------------------------------------------- in


SKLEARN = {
    "tree": SklearnDecisionTreeClassifier(random_state=0),
    "entropy": SklearnDecisionTreeClassifier(criterion="entropy", max_depth=3, random_state=0),
    "best-first": SklearnDecisionTreeClassifier(criterion="log_loss", max_leaf_nodes=6, random_state=0),
    "extra tree": ExtraTreeClassifier(random_state=0),
    "one leaf": SklearnDecisionTreeClassifier(min_samples_split=100),
    "forest": RandomForestClassifier(5, random_state=0),
    "extra trees": ExtraTreesClassifier(5, random_state=0),
}


@pytest.mark.parametrize("estimator", SKLEARN.values(), ids=SKLEARN.keys())
def test_trees_and_forests_of_scikit_learn_are_converted(engine, estimator):
    X, y = data()
    theirs = sklearn.base.clone(estimator).fit(X, y)
    ours = from_sklearn(theirs)
    expected = DecisionForestClassifier if hasattr(theirs, "estimators_") else DecisionTreeClassifier
    assert type(ours) is expected
    near = data(200, seed=1)[0]
    np.testing.assert_array_equal(ours.predict_proba(near), theirs.predict_proba(near))
    np.testing.assert_array_equal(ours.predict(near), theirs.predict(near))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    assert ours.feature_names_in_.tolist() == ["age", "weight", "height"]
    for tree in trees_of(ours):
        np.testing.assert_array_equal(tree.value, np.rint(tree.value))
        assert pickle.loads(pickle.dumps(tree)) == tree
        assert hasattr(tree, "impurity")
    if expected is DecisionForestClassifier:
        np.testing.assert_array_equal(np.array(ours.estimators_samples_), np.array(theirs.estimators_samples_))
    assert ours.get_params() == {**ours.get_params(), **kept_parameters(theirs, ours.get_params())}
    assert sklearn.base.clone(ours).fit(X, y).score(X, y) >= theirs.score(X, y) - 0.1


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
        with pytest.raises(TypeError, match=f"got {type(other).__name__}"):
            read(other.fit(X, y))


@pytest.mark.parametrize(
    "estimator",
    [SklearnDecisionTreeClassifier, RandomForestClassifier, SklearnDecisionTreeRegressor, RandomForestRegressor],
)
def test_from_sklearn_refuses_unfitted_estimators_and_several_outputs(estimator):
    X, y = make_classes()
    with pytest.raises(NotFittedError):
        from_sklearn(estimator())
    with pytest.raises(ValueError, match=f"{estimator.__name__} has 2 outputs"):
        from_sklearn(estimator().fit(X, np.column_stack([y, y])))


@pytest.mark.parametrize("estimator", SKLEARN.values(), ids=SKLEARN.keys())
@pytest.mark.parametrize("weighted", [False, True])
def test_missing_values_go_the_same_way(engine, estimator, weighted):
    X, y = make_classes(n_samples=80)
    lacking = X.copy()
    lacking[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 80) if weighted else None
    for learned in (X, lacking):
        theirs = sklearn.base.clone(estimator).fit(learned, y, sample_weight=weights)
        ours = from_sklearn(theirs)
        np.testing.assert_allclose(ours.predict_proba(lacking), theirs.predict_proba(lacking), rtol=0.0, atol=1e-15)
        np.testing.assert_array_equal(to_sklearn(ours).apply(lacking), ours.apply(lacking))
        for back, one in zip(trees_of(from_sklearn(to_sklearn(ours))), trees_of(ours), strict=True):
            np.testing.assert_array_equal(back.missing_go_to_left, one.missing_go_to_left)
            np.testing.assert_array_equal(back.saw_missing, one.saw_missing)
            assert Tree.from_dict(pytrees.export_dict(one)) == one


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
        with pytest.raises(TypeError, match="of scikit-learn is expected"):
            from_sklearn(ours.fit(X, y))
    with pytest.raises(TypeError, match=r"pytrees\.from_sklearn also takes its forests"):
        Tree.from_sklearn(RandomForestClassifier(2).fit(X, y))
