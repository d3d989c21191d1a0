"""Kernels index memory by what arrays hold: what public calls hand to them is checked before, on both engines."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    FourierSpectrum,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
    Tree,
    export_graphviz,
    from_sklearn,
)
from pytrees._engine import kernel
from pytrees.fourier import additive_model, ordinal_codes

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


# ---------------------------------------------------------------------------------------- trees of other libraries


def sklearn_tree(**state_changes):
    """A tree of scikit-learn of 7 nodes whose arrays are changed: by their names dicts of nodes and new values."""
    X, y = load_iris(return_X_y=True)
    tree = SklearnTree(max_leaf_nodes=4, random_state=0).fit(X, y)
    for name, entries in state_changes.items():
        for node, value in entries.items():
            getattr(tree.tree_, name)[node] = value
    return tree


TAMPERED_TREES = {
    "circle": ({"children_left": {2: 0}}, "0 is the child of a node"),
    "own child": ({"children_left": {2: 2}}, "node 2 is the child of two nodes"),
    "circle beside the root": ({"children_right": {0: 4, 2: 2}}, "not below the root"),
    "two parents": ({"children_right": {2: 1}}, "node 1 is the child of two nodes"),
    "out of range": ({"children_left": {2: 1000}}, "1000 is the child of a node"),
    "far below": ({"children_right": {2: -5}}, "-5 is the child of a node"),
    "one child": ({"children_right": {2: -1}}, "-1 is the child of a node"),
    "leaf with samples": ({"children_left": {0: -1}}, "not below the root"),
    "feature": ({"feature": {0: 99}}, "tests feature 99"),
}


@pytest.mark.parametrize(("changes", "message"), TAMPERED_TREES.values(), ids=TAMPERED_TREES)
def test_broken_trees_of_scikit_learn_are_refused(changes, message):
    tree = sklearn_tree(**changes)
    for read in (Tree.from_sklearn, from_sklearn, ordinal_codes, additive_model):
        if read is additive_model and "below the root" in message:
            continue  # nodes that no sample reaches change no sum
        with pytest.raises(ValueError, match=rf"Not a tree.*{message}"):
            read(tree)


def test_broken_trees_of_ensembles_are_refused():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    bagging = BaggingClassifier(n_estimators=2, max_features=2, random_state=0).fit(X, y)
    boosting = GradientBoostingClassifier(n_estimators=2, random_state=0).fit(X, y)
    histograms = HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    forest.estimators_[1].tree_.children_left[0] = 0
    bagging.estimators_[1].tree_.children_right[0] = 0
    boosting.estimators_[1, 0].tree_.children_left[0] = 12_345
    histograms._predictors[1][0].nodes["left"][0] = 0
    for model in (forest, bagging, boosting, histograms):
        with pytest.raises(ValueError, match="Not a tree"):
            additive_model(model)
    for read in (from_sklearn, ordinal_codes):
        with pytest.raises(ValueError, match="Not a tree"):
            read(forest)
    bagging.estimators_[1].tree_.children_right[0] = 2
    bagging.estimators_[1].tree_.feature[0] = 3  # of two
    with pytest.raises(ValueError, match=r"Not a tree"):
        additive_model(bagging)


# -------------------------------------------------------------------------------------------------------- spectra


def test_a_tampered_spectrum_is_refused(engine):
    spectrum = FourierSpectrum([[0, 0], [1, 1]], [0.5, 0.5], [2, 2])
    make, (partitions, coefficients, cardinalities) = spectrum.__reduce__()
    assert pickle.loads(pickle.dumps(spectrum)) == spectrum
    for wrong in (
        (partitions + np.int8(100), coefficients, cardinalities),
        (partitions[1:] * np.int8(-1), coefficients[1:], cardinalities),
        (partitions, coefficients[:1], cardinalities),
        (partitions, coefficients, cardinalities[:1]),
        (partitions[:0], coefficients[:0], cardinalities),
        (partitions.astype(float), coefficients, cardinalities),
    ):
        with pytest.raises(ValueError, match=r"Not a spectrum|digits outside the cardinalities"):
            make(*wrong)
    far = np.array([[0, 0], [100, 100]], dtype=np.int8)
    for name, value in (("partitions", far), ("coefficients", coefficients[:1]), ("cardinalities", cardinalities[:1])):
        tampered = copy.copy(spectrum)
        setattr(tampered, name, value)
        with pytest.raises(ValueError, match=r"not those of coefficients|attributes|features|codes"):
            tampered.evaluate([[0, 1]])


def test_spectra_that_take_too_long_are_refused_at_once(engine):
    counts = [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]
    tree = Tree([1, -1, -1], [2, -1, -1], [0, -2, -2], [5e5, -2, -2], [4, 2, 2], counts, [0.5, 0.0, 0.0], 3)
    for call in (
        lambda: FourierSpectrum.from_tree(tree, [2**20] * 3),
        lambda: FourierSpectrum([[0]], [1.0], [2**20]).schema_average({0: range(2**19)}),
    ):
        with pytest.raises(ValueError, match=r"steps, more than .*, some ten minutes"):
            call()
