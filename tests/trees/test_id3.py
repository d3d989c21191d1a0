"""ID3 trees and forests: predictions step by step, attributes, parameters and bad input."""

import warnings
from functools import partial

import numpy as np
import pytest
import sklearn
from samples import make_classes, make_ties
from sklearn.datasets import load_iris, load_wine
from support import assert_refuses, on_both_engines

from pytrees import DecisionTreeClassifier, ID3Classifier, ID3ForestClassifier, export_dict, export_text
from pytrees._tree_checks import LEAF
from pytrees.criteria import WeightedInformationGain
from pytrees.datasets import make_from_random_tree
from pytrees.distances import DISTANCES, JaccardDistance, clustering_distance

EVALUATIONS = ["local", "global", "glocal"]
# The warning about distances without labels has a test of its own.
pytestmark = pytest.mark.filterwarnings("ignore:distance=.* does not know which cluster is which class")

WAYS = [("local", "majority"), ("global", "majority"), ("global", "all"), ("glocal", "majority"), ("glocal", "all")]


def of_rows(rows):
    return float(len(rows))


@pytest.mark.parametrize(("evaluation", "labels"), WAYS)
@pytest.mark.parametrize("distance", DISTANCES)
def test_stages_and_distances(engine, distance, evaluation, labels):
    X, y = make_ties(n_samples=20)
    y = np.array(["a", "b", "c"])[y]
    tree = ID3Classifier(distance, evaluation=evaluation, labels=labels, max_leaf_nodes=6).fit(X, y)
    stages = list(tree.staged_predict(X))
    assert len(stages) == tree.get_n_leaves() == len(tree.distance_path_)
    assert set(stages[0]) == {max(sorted(set(y)), key=y.tolist().count)}
    np.testing.assert_array_equal(stages[-1], tree.predict(X))
    for stage, of_tree in zip(stages, tree.distance_path_, strict=True):
        assert stage.dtype == y.dtype
        # The classes come from y, whatever is predicted: both have the same sorted classes here.
        assert clustering_distance(y, stage, distance) == of_tree


def test_stages_are_trees_of_fewer_leaves(engine):
    X, y = make_classes(n_samples=30)
    whole = ID3Classifier("jaccard", evaluation="global", max_leaf_nodes=7).fit(X, y)
    for n_leaves, stage in enumerate(whole.staged_predict(X), start=1):
        if n_leaves > 1:
            tree = ID3Classifier("jaccard", evaluation="global", max_leaf_nodes=n_leaves).fit(X, y)
            np.testing.assert_array_equal(tree.predict(X), stage)


def test_staged_predict_checks_before_the_first_stage():
    tree = ID3Classifier().fit([[0.0], [1.0]], [0, 1])
    assert_refuses(ValueError, "features", tree.staged_predict, [[0.0, 1.0]])
    assert_refuses(sklearn.exceptions.NotFittedError, None, ID3Classifier().staged_predict, [[0.0]])


@pytest.mark.parametrize("distance", DISTANCES)
def test_global_and_glocal_trees_of_wine(distance):
    X, y = load_wine(return_X_y=True)
    for evaluation in EVALUATIONS:
        tree = ID3Classifier(distance, evaluation=evaluation).fit(X, y)
        assert tree.is_consistent_
        assert tree.score(X, y) == 1.0
        assert tree.distance_path_[-1] == clustering_distance(y, y, distance)


def test_glocal_growth_decreases_the_distance_or_steps_locally():
    X, y = load_iris(return_X_y=True)
    path = ID3Classifier("accuracy", evaluation="global", stop="no_decrease").fit(X, y).distance_path_
    assert (np.diff(path) < 0).all()
    glocal = ID3Classifier("accuracy", evaluation="glocal").fit(X, y)
    np.testing.assert_array_equal(glocal.distance_path_[: len(path)], path)
    assert glocal.is_consistent_


def test_only_no_decrease_stops_at_plateaus():
    X, y = load_iris(return_X_y=True)
    stops = ("no_decrease", "no_distance_decay", "pure")
    trees = [ID3Classifier("accuracy", evaluation="global", stop=stop).fit(X, y) for stop in stops]
    n_leaves = [tree.get_n_leaves() for tree in trees]
    assert n_leaves[0] < n_leaves[1] == n_leaves[2]  # a split never makes the majorities worse
    steps = np.diff(trees[1].distance_path_)
    assert (steps <= 0).all()
    assert (steps == 0).any()
    # Most splits after the first ones take the gain ratio of the whole tree down.
    by_ratio = ID3Classifier("gain_ratio", evaluation="global", stop="no_distance_decay").fit(X, y)
    assert (np.diff(by_ratio.distance_path_) >= 0).all()
    assert not by_ratio.is_consistent_


def test_ties_within_the_leaf_grow_smaller_trees():
    X, y, _ = make_from_random_tree(200, 4, 3, 9, random_state=3)
    n_nodes = {
        ties: ID3Classifier(evaluation="global", ties=ties).fit(X, y).tree_.node_count for ties in ("first", "local")
    }
    assert n_nodes["local"] < n_nodes["first"]
    local = [ID3Classifier("nvi", ties=ties).fit(X, y).tree_ for ties in ("first", "local")]
    assert local[0] == local[1]


@pytest.mark.parametrize("evaluation", ["local", "global", "glocal"])
def test_the_mean_of_entropies_grows_the_tree_of_their_joint_one(engine, evaluation):
    """1 - Gain / H(T, Y) and 1 - 2 Gain / (H(T) + H(Y)) fall together."""
    X, y = make_ties(n_samples=24)
    ways = {"evaluation": evaluation, "ties": "local", "max_leaf_nodes": 6}
    joint, mean = (ID3Classifier(distance, **ways).fit(X, y) for distance in ("nvi", "nvi_sum"))
    for name in ("feature", "threshold", "children_left", "value"):
        np.testing.assert_array_equal(getattr(joint.tree_, name), getattr(mean.tree_, name))
    np.testing.assert_array_equal(joint.split_steps_, mean.split_steps_)
    assert joint.distance_path_[1] > mean.distance_path_[1]


def test_leaves_are_compared_by_variation_of_information_not_by_gain(engine):
    # By feature 0 classes 0 and 1 part from the others. Then feature 1 tells 0 0 0 from 1, which gains 0.81 bits and
    # leaves nothing, and feature 2 tells 2 2 3 3 from 4 4 5 5, which gains 1 bit and leaves 1.
    X = np.array([[0, 0, 0]] * 3 + [[0, 1, 0]] + [[1, 0, 0]] * 4 + [[1, 0, 1]] * 4, dtype=float)
    y = [0, 0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    tree = ID3Classifier("vi", max_leaf_nodes=4).fit(X, y)
    assert tree.split_steps_[[0, 1, 4]].tolist() == [0, 1, 2]
    np.testing.assert_allclose(tree.tree_.gain[[1, 4]], [2 - 0.75 * np.log2(3), 1.0], rtol=1e-8)


@pytest.mark.parametrize("evaluation", ["local", "glocal"])
def test_gains_of_variation_of_information_can_be_negative(engine, evaluation):
    # XOR: a cut tells nothing of the classes, and has an entropy of 1 bit.
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    assert ID3Classifier("vi", evaluation=evaluation).fit(X, y).is_consistent_
    for stop in ("no_decrease", "no_distance_decay"):
        assert ID3Classifier("vi", evaluation="local", stop=stop).fit(X, y).get_n_leaves() == 1
    assert DecisionTreeClassifier("vi", max_depth=1).fit(X, y).tree_.gain[0] == -1.0


def test_information_gain_grows_the_tree_of_entropy():
    X, y = make_classes()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    for of_rows in (None, weights):
        id3 = ID3Classifier().fit(X, y, sample_weight=of_rows)
        assert id3.tree_ == DecisionTreeClassifier("entropy").fit(X, y, sample_weight=of_rows).tree_


@pytest.mark.parametrize("distance", ["etc", "ogini", "wig", "ranking", "entropy", WeightedInformationGain(2.0)])
def test_criteria_judge_leaves(engine, distance):
    X, y = make_classes(n_samples=25)
    tree = ID3Classifier(distance, max_leaf_nodes=5).fit(X, y)
    assert tree.get_n_leaves() == 5
    assert not hasattr(tree, "distance_path_")
    assert len(list(tree.staged_predict(X))) == 5


def test_gains_are_decreases_by_the_share_of_the_samples():
    X, y = make_classes()
    for distance in DISTANCES:
        tree = ID3Classifier(distance, evaluation="global").fit(X, y)
        inner = tree.tree_.children_left != LEAF
        order = np.argsort(tree.split_steps_[inner])
        shares = tree.tree_.n_node_samples[inner] / len(X)
        decreases = np.diff(tree.distance_path_) * (1 if DISTANCES[distance].is_similarity else -1)
        np.testing.assert_allclose((tree.tree_.gain[inner] * shares)[order], decreases, atol=1e-14)


def test_labels_are_not_always_the_majority(engine):
    # One row of class 1 alone is nearer to {1} than two rows of which one is of class 1.
    X, y = make_ties(n_samples=20, n_classes=4, seed=3)
    tree = ID3Classifier("jaccard", evaluation="global", labels="all", max_leaf_nodes=6).fit(X, y)
    assert (tree.node_labels_ != tree.tree_.majority).any()
    np.testing.assert_array_equal(tree.predict(X), tree.classes_[tree.node_labels_[tree.apply(X)]])
    np.testing.assert_array_equal(tree.predict_proba(X), tree.tree_.shares_at(tree.apply(X)))


def test_exports_show_what_is_predicted():
    # Information gain does not know which cluster is which class: the lowest labels are taken, and are wrong.
    tree = ID3Classifier(evaluation="global", labels="all").fit([[0.0], [1.0]], ["b", "a"])
    assert tree.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    assert "class a [0, 1]" in export_text(tree)
    assert export_dict(tree)["left"]["class"] == "a"


def test_equal_samples_of_different_classes_get_the_majority(engine):
    X, y = [[0.0], [0.0], [0.0], [1.0]], ["b", "b", "a", "a"]
    for evaluation in EVALUATIONS:
        with pytest.warns(UserWarning, match="Equal samples in X have different classes"):
            tree = ID3Classifier(evaluation=evaluation).fit(X, y)
        assert not tree.is_consistent_
        ID3Classifier(evaluation=evaluation, max_depth=3).fit(X, y)  # no warning: a limit could be the reason
        assert tree.predict(X).tolist() == ["b", "b", "b", "a"]


@pytest.mark.filterwarnings("ignore:Equal samples")
def test_one_class_one_sample_constant_columns(engine):
    for evaluation in EVALUATIONS:
        for X, y in (([[1.0], [2.0]], [5, 5]), ([[1.0]], [5]), ([[1.0], [1.0]], [5, 7])):
            tree = ID3Classifier("jaccard", evaluation=evaluation).fit(X, y)
            assert (tree.get_n_leaves(), tree.predict(X).tolist()) == (1, [5] * len(X))
            assert [stage.tolist() for stage in tree.staged_predict(X)] == [[5] * len(X)]


@pytest.mark.filterwarnings("ignore:Equal samples")
def test_weights_that_are_not_whole(engine):
    X, y = make_ties(n_samples=16)
    weights = np.arange(16) % 3
    local = ID3Classifier("nvi").fit(X, y, sample_weight=weights + 0.5)
    assert not hasattr(local, "distance_path_")
    assert ID3Classifier(class_weight="balanced").fit(X, y).get_n_leaves() > 1
    assert ID3Classifier(evaluation="global", class_weight={0: 2}).fit(X, y).get_n_leaves() > 1


@pytest.mark.parametrize(("evaluation", "labels"), WAYS)
@pytest.mark.parametrize("stop", ["pure", "no_distance_decay", "no_decrease"])
@pytest.mark.parametrize("ties", ["first", "local"])
def test_the_number_of_samples_as_a_set_function(evaluation, labels, stop, ties):
    X, y = make_ties(n_samples=12)
    ways = {"evaluation": evaluation, "labels": labels, "stop": stop, "ties": ties, "max_leaf_nodes": 5}
    of_sets = ID3Classifier(JaccardDistance(of_rows), **ways).fit(X, y)
    named = ID3Classifier("jaccard", **ways).fit(X, y)
    np.testing.assert_array_equal(of_sets.tree_.feature, named.tree_.feature)
    np.testing.assert_array_equal(of_sets.tree_.threshold, named.tree_.threshold)
    np.testing.assert_array_equal(of_sets.node_labels_, named.node_labels_)
    np.testing.assert_allclose(of_sets.tree_.gain, named.tree_.gain, rtol=1e-12, atol=1e-14)
    assert not hasattr(of_sets, "distance_path_")


def test_a_set_function_that_weighs_samples(engine):
    # Rows 0 and 1 weigh more than all others: they are told apart first.
    X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 1, 0, 0, 0, 1, 1, 1])
    value = np.array([9.0, 9.0, 1, 1, 1, 1, 1, 1])
    for evaluation in ("local", "global"):
        plain = ID3Classifier("jaccard", evaluation=evaluation).fit(X, y)
        tree = ID3Classifier(JaccardDistance(lambda rows: value[rows].sum()), evaluation=evaluation).fit(X, y)
        assert plain.tree_.threshold[0] == 4.5
        assert tree.tree_.threshold[0] in (0.5, 1.5)


def test_sets_have_no_weights():
    X, y = make_ties()
    with pytest.raises(ValueError, match="no weights under a JaccardDistance"):
        ID3Classifier(JaccardDistance(of_rows)).fit(X, y, sample_weight=np.arange(30))
    assert_refuses(ValueError, "bootstrap=False", ID3ForestClassifier(2, distance=JaccardDistance(of_rows)).fit, X, y)
    forest = ID3ForestClassifier(2, distance=JaccardDistance(of_rows), bootstrap=False, max_leaf_nodes=3).fit(X, y)
    assert forest.predict(X).shape == (30,)


@pytest.mark.parametrize(("evaluation", "labels"), WAYS)
def test_forests_vote_on_both_engines(evaluation, labels):
    X, y = make_classes(n_samples=20)
    ways = {"distance": "nvi", "evaluation": evaluation, "labels": labels, "max_features": 2, "max_leaf_nodes": 4}

    def vote():
        forest = ID3ForestClassifier(4, **ways, random_state=0).fit(X, y)
        votes = sum(np.eye(3)[tree.node_labels_[tree.apply(X)]] for tree in forest.estimators_)
        np.testing.assert_array_equal(forest.predict_proba(X), votes / 4)
        np.testing.assert_array_equal(forest.predict_proba(X[:2]), votes[:2] / 4)
        return [tree.tree_ for tree in forest.estimators_], forest.predict(X).tolist()

    compiled, reference = on_both_engines(vote)
    assert compiled == reference
    assert len(set(compiled[0])) > 1


def test_forests_on_threads_and_without_bootstrap():
    X, y = make_classes(n_samples=60)
    one, two = (
        ID3ForestClassifier(8, distance="gini", evaluation="global", n_jobs=n, random_state=1).fit(X, y) for n in (1, 2)
    )
    assert [tree.tree_ for tree in one.estimators_] == [tree.tree_ for tree in two.estimators_]
    assert one.score(X, y) > 0.9
    same = ID3ForestClassifier(3, bootstrap=False).fit(X, y)
    assert len({tree.tree_ for tree in same.estimators_}) == 1
    assert same.estimators_[0].tree_ == ID3Classifier().fit(X, y).tree_
    assert ID3ForestClassifier(3, distance="etc", max_leaf_nodes=4).fit(X, y).predict(X).shape == (60,)


@pytest.mark.parametrize("estimator", [ID3Classifier, ID3ForestClassifier])
def test_parameters_that_do_not_go_together(estimator):
    X, y = [[0.0], [1.0]], [0, 1]
    assert_refuses(ValueError, "labels='all' needs evaluation='global' or 'glocal'", estimator(labels="all").fit, X, y)
    for distance in ("etc", "ogini", "entropy", WeightedInformationGain()):
        for evaluation in ("global", "glocal"):
            with pytest.raises(ValueError, match=r"single leaves only.*'accuracy', .*'vi'\] or a JaccardDistance"):
                estimator(distance=distance, evaluation=evaluation).fit(X, y)


@pytest.mark.parametrize("evaluation", ["global", "glocal"])
def test_a_forest_that_draws_by_weight_takes_any_weights(evaluation, engine):
    """Its trees count draws."""
    X, y = make_ties()
    weights = np.linspace(0.1, 2.0, 30)
    ways = {"evaluation": evaluation, "max_leaf_nodes": 6}
    forest = ID3ForestClassifier(3, **ways, random_state=0).fit(X, y, sample_weight=weights)
    for tree, drawn in zip(forest, forest.estimators_samples_, strict=True):
        times = np.bincount(drawn, minlength=30)
        assert tree.tree_ == ID3Classifier(**ways).fit(X, y, sample_weight=times).tree_
    ID3ForestClassifier(3, **ways, class_weight="balanced").fit(X, y)


@pytest.mark.parametrize("estimator", [ID3Classifier, partial(ID3ForestClassifier, bootstrap=False)])
def test_weights_that_cannot_be_used(estimator):
    X, y = make_ties()
    for evaluation in ("global", "glocal"):
        with pytest.raises(ValueError, match="must give whole numbers"):
            estimator(evaluation=evaluation).fit(X, y, sample_weight=np.full(30, 0.5))
        with pytest.raises(ValueError, match="must give whole numbers"):
            estimator(evaluation=evaluation, class_weight={0: 0.5}).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight cannot be used with distance='etc'"):
        estimator(distance="etc").fit(X, y, sample_weight=np.ones(30))
    for weights in (np.zeros(30), -np.ones(30)):
        assert_refuses(ValueError, r"(?i)sample.weight", estimator().fit, X, y, sample_weight=weights)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("distance", ["information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini"])
def test_distances_that_do_not_know_labels_say_so(distance):
    with pytest.warns(UserWarning, match="does not know which cluster is which class"):
        ID3Classifier(distance, evaluation="global", labels="all").fit([[0.0], [1.0]], [0, 1])


def test_many_classes_are_many_pairs():
    X, y = np.arange(303.0).reshape(-1, 1), np.char.mod("%03d", np.arange(303) % 101)
    with pytest.warns(UserWarning, match="all pairs of 101 classes"):
        ID3Classifier("jaccard", evaluation="global", labels="all", max_leaf_nodes=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ID3Classifier("jaccard", evaluation="global", labels="all", max_leaf_nodes=3).fit(X[y > "000"], y[y > "000"])
        ID3Classifier("jaccard", evaluation="global", max_leaf_nodes=3).fit(X, y)
