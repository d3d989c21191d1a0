"""Kernels index memory by what arrays hold: what public calls hand to them is checked before, on both engines."""

import pickle

import numpy as np
import pytest

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
    Tree,
    export_graphviz,
)
from pytrees._engine import kernel

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), np.array([0, 1, 1, 0])


# ------------------------------------------------------------------------------------------------- criteria of a tree


def leaf_of(value, criterion):
    return Tree([-1], [-1], [-2], [-2.0], [1], [value], [0.0], 1, criterion=criterion)


NO_CRITERIA = [
    ((), "must be one of"),
    ([], "must be one of"),
    (("gini",), "must be one of"),
    (("gini", {}, 1), "must be one of"),
    (("gini", None), "must be one of"),
    ((["gini"], {}), "must be one of"),
    ("nvi", "must be one of"),
    ("user_counts", "must be one of"),
    (3, "must be one of"),
    (("gini", {"alpha": 1.0}), "has no parameter 'alpha'"),
    (("ranking", {"alpha": 1.0}), "has no parameter 'alpha'"),
    (("ranking", {"class_scores": [1.0]}), "1 scores for 3 classes"),
    (("ranking", {"class_scores": [2.0, 1.0, 3.0]}), "must increase"),
    (("ranking", {"class_scores": 5}), "another kind"),
    (("ranking", {"class_scores": [1, 2, 10**400]}), "another kind"),
    (("ranking", {"cost_matrix": [[0.0]]}), "costs of 1 classes for 3 classes"),
    (("ranking", {"cost_matrix": [0.0]}), "a row and a column for every class"),
    (("wig", {"class_scores": [1.0, 2.0]}), "2 scores for 3 classes"),
    (("wig", {"distance_from": "nowhere"}), "distance_from must be one of"),
]


@pytest.mark.parametrize(("criterion", "message"), NO_CRITERIA)
def test_a_tree_refuses_what_is_no_criterion(engine, criterion, message):
    with pytest.raises(ValueError, match=rf"^Not a tree: .*{message}"):
        leaf_of([1.0, 1.0, 1.0], criterion)


def test_a_tree_with_a_wrong_criterion_is_not_unpickled(engine):
    good = leaf_of([1.0, 1.0, 1.0], ("ranking", {"class_scores": (1.0, 2.0, 4.0)}))
    make, arguments = good.__reduce__()
    assert pickle.loads(pickle.dumps(good)).impurity == good.impurity
    for wrong in ((), ("ranking", {"class_scores": (1.0,)})):
        tampered = [wrong if argument is good._criterion else argument for argument in arguments]
        with pytest.raises(ValueError, match="Not a tree"):
            make(*tampered)


@pytest.mark.parametrize(
    ("criterion", "impurity"),
    [
        ("gini", 0.5),
        (("gini", {}), 0.5),
        ("ranking", 4.0),
        (("ranking", {"class_scores": [0, 3]}), 12.0),
        (("ranking", {"cost_matrix": [[0, 2], [2, 0]]}), 8.0),
        (("wig", {"alpha": 2.0}), 0.5),
    ],
)
def test_a_tree_takes_criteria_as_documented(engine, criterion, impurity):
    tree = leaf_of([2.0, 2.0], criterion)
    np.testing.assert_allclose(tree.impurity, [impurity])
    assert export_graphviz(tree).startswith("digraph")


@pytest.mark.parametrize("criterion", [(), [], ("gini",), ("gini", None), ("ranking", {"class_scores": [1.0]})])
@pytest.mark.parametrize("function", ["impurities", "weighted_fractions"])
def test_kernels_refuse_what_is_no_criterion(engine, function, criterion):
    with pytest.raises(ValueError, match=r"A criterion is a name|class_scores must be 3 numbers"):
        kernel(function)(criterion, np.ones((1, 3), dtype=np.int64))


@pytest.mark.parametrize("parameters", [{"cost_matrix": [[0.0]]}, {"class_scores": [0.0, 1.0, 2.0, 3.0]}])
def test_kernels_refuse_parameters_of_other_classes(engine, parameters):
    counts = np.ones((1, 3), dtype=np.int64)
    for function, arrays in (("impurities", [counts]), ("gains_of_cuts", [counts, counts])):
        with pytest.raises(ValueError, match=r"costs of 3 classes|class_scores must be 3 numbers"):
            kernel(function)(("ranking", parameters), *arrays)


# ---------------------------------------------------------------------------------------------------- exchanged trees

SINGLE_TREES = [
    DecisionTreeClassifier(),
    PermutationDecisionTreeClassifier(),
    OrdinalDecisionTreeClassifier(),
    ID3Classifier(),
    C45Classifier(),
    AggregatedFourierTreeClassifier(DecisionForestClassifier(3, random_state=0)),
    ReconstructedFourierTree(DecisionTreeClassifier()),
]
DOORS = [
    "predict",
    "predict_proba",
    "predict_log_proba",
    "apply",
    "decision_path",
    "feature_usage",
    "staged_predict",
    "predict_cumulative_proba",
    "predict_expected_score",
]


def tree_of_many_features():
    counts = [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]
    sides = [1, -1, -1], [2, -1, -1]
    return Tree(*sides, [2**31 - 2, -2, -2], [0.5, -2.0, -2.0], [4, 2, 2], counts, [0.5, 0.0, 0.0], 2**31 - 1)


def tree_of_many_classes():
    return DecisionTreeClassifier().fit(X, [0, 1, 2, 3]).tree_


@pytest.mark.parametrize("make", [tree_of_many_features, tree_of_many_classes])
@pytest.mark.parametrize("estimator", SINGLE_TREES, ids=lambda estimator: type(estimator).__name__)
def test_an_exchanged_tree_is_refused(engine, estimator, make):
    estimator.fit(X, Y).tree_ = make()
    incomplete = np.where(X == 3.0, np.nan, X)
    for door in DOORS:
        for given in (X, np.tile(X, (30, 1)), incomplete):
            if hasattr(estimator, door) and (given is not incomplete or estimator._allows_missing):
                with pytest.raises(ValueError, match="but tree_ is a tree of"):
                    getattr(estimator, door)(given)
    with pytest.raises(ValueError, match="but tree_ is a tree of"):
        estimator.feature_importances_  # noqa: B018


def test_other_labels_of_nodes_are_refused(engine):
    tree = ID3Classifier().fit(X, Y)
    tree.node_labels_ = tree.node_labels_[:1]
    for call in (tree.predict, tree.staged_predict, lambda _: tree.distance_path_):
        with pytest.raises(ValueError, match=r"node_labels_ and split_steps_ have 1 and"):
            call(X)
    forest = ID3ForestClassifier(2, random_state=0).fit(X, Y)
    for wrong in (forest[0].node_labels_ + 2, forest[0].node_labels_ - 1, forest[0].node_labels_[:1]):
        forest[0].node_labels_ = wrong
        for given in (X[:1], np.tile(X, (200, 1))):
            with pytest.raises(ValueError, match="must vote for one of the classes"):
                forest.predict_proba(given)


def test_a_tree_checks_the_width_of_its_samples(engine):
    tree = DecisionTreeClassifier().fit(X, Y).tree_
    for call in (tree.apply, tree.apply_valid, tree.decision_path, tree.feature_usage, tree.predict):
        with pytest.raises(ValueError, match="X has 1 features, but the tree was grown on 2"):
            call(X[:, :1].copy())
