"""Globally evaluated growth: compiled against reference, both against a computation from the definitions."""

import numpy as np
import pytest
from by_distance import DISTANCES, EVERY_DISTANCE, NO_LIMITS, STOPS, TIES, WAYS, grow, size_limits
from clusterings import Oracle
from hypothesis import given
from hypothesis import strategies as st
from support import assert_same_tree, examples, on_both_engines, rows_of_nodes

from pytrees.testing.strategies import Problem, count_weights, feature_matrices, float_weights, no_weights
from pytrees.tree import LEAF


@st.composite
def small_problems(draw, weights=no_weights, max_rows=12, max_classes=4, missing=False):
    X = draw(feature_matrices(max_rows=max_rows, missing=missing))
    n_classes = draw(st.integers(1, max_classes))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(X), max_size=len(X)))
    return Problem(X, np.array(y, dtype=np.int32), draw(weights(len(X))), n_classes)


def steps_of(tree):
    """The splits in the order in which they were made, as the oracle tells them."""
    paths, steps = {0: ()}, {}
    for node in range(len(tree["feature"])):
        if tree["children_left"][node] == LEAF:
            continue
        left, right = tree["children_left"][node], tree["children_right"][node]
        paths |= {left: (*paths[node], 0), right: (*paths[node], 1)}
        feature = tree["feature"][node]
        labels = int(tree["label"][left]), int(tree["label"][right])
        steps[int(tree["split_step"][node])] = (feature, tree["threshold"][node], paths[node], labels)
    return [steps[step] for step in range(len(steps))]


# ----------------------------------------------------------------------------------------------- from the definitions


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("distance", EVERY_DISTANCE)
def test_steps_follow_the_definitions(engine, distance, way):
    @examples(10)
    @given(st.one_of(small_problems(max_rows=9, max_classes=3), small_problems(count_weights, 7, 3)), TIES)
    def check(problem, ties):
        assert steps_of(grow(*problem, distance, way, ties=ties)) == Oracle(problem, distance, *way, ties=ties).grow()

    check()


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2], WAYS[6]])
@examples(15)
@given(problem=small_problems(max_rows=9, max_classes=3), min_samples_leaf=st.integers(2, 3))
def test_steps_leave_samples_on_both_sides(engine, way, problem, min_samples_leaf):
    tree = grow(*problem, "jaccard", way, min_samples_leaf=min_samples_leaf)
    assert steps_of(tree) == Oracle(problem, "jaccard", *way, min_samples_leaf).grow()


# ---------------------------------------------------------------------------------------- compiled against reference


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("distance", EVERY_DISTANCE)
def test_engines_agree(distance, way):
    @examples(15)
    @given(
        small_problems(max_rows=14, missing=True) | small_problems(count_weights, 12, missing=True), size_limits(), TIES
    )
    def check(problem, limits, ties):
        assert_same_tree(*on_both_engines(grow, *problem, distance, way, ties=ties, **limits))

    check()


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("distance", EVERY_DISTANCE)
def test_engines_agree_on_weights_that_are_not_whole(distance, stop):
    @examples(40)
    @given(small_problems(float_weights, 16, missing=True), size_limits())
    def check(problem, limits):
        assert_same_tree(*on_both_engines(grow, *problem, distance, ("local", "majority", stop), **limits))

    check()


# Other criteria compare leaves by their gain.
@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize(
    "criterion",
    [
        "entropy",
        "ogini",
        "wig",
        "ranking",
        ("wig", {"alpha": 2.0}),
        ("ranking", {"class_scores": [0, 1, 4.5, 9]}),
        "etc",
        "lz76",
    ],
)
def test_engines_agree_on_criteria(criterion, stop):
    @examples(25)
    @given(
        small_problems(no_weights if criterion in ("etc", "lz76") else count_weights, 14, missing=True), size_limits()
    )
    def check(problem, limits):
        problem.n_classes = 4
        assert_same_tree(*on_both_engines(grow, *problem, criterion, ("local", "majority", stop), **limits))

    check()


# Denominators of many sizes, and many rows of one value.
@pytest.mark.parametrize("ties", ["first", "local"])
@pytest.mark.parametrize("way", [WAYS[2], WAYS[4], WAYS[6]])
@pytest.mark.parametrize("distance", DISTANCES)
def test_engines_agree_on_more_samples(distance, way, ties):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 5, 40).astype(np.int32)
    X = (rng.normal(size=(40, 3)) + 0.5 * y[:, None]).round(1)
    trees = on_both_engines(grow, X, y, rng.integers(1, 3000, 40), 5, distance, way, max_leaf_nodes=6, ties=ties)
    assert_same_tree(*trees)
    assert len(trees[0]["feature"]) == 11


# --------------------------------------------------------------------------------------------------- what must hold


# Sums of fractions whose common denominators have 128 bits and more, and which are equal or nearly so: where all values
# of a feature have the same shares of the classes, every cut comes equally near; a sample more of one class decides.
@pytest.mark.parametrize("labels", ["majority", "all"])
@pytest.mark.parametrize("distance", ["gini", "jaccard"])
@pytest.mark.parametrize("largest", [3, 2**8, 2**14, 2**20])
@examples(10)
@given(seed=st.integers(0, 2**32 - 1), nudge=st.integers(0, 1), ties=TIES)
def test_steps_that_come_equally_near(distance, labels, largest, seed, nudge, ties):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 4))
    shares, sizes = rng.integers(1, 4, n_classes), rng.integers(1, largest + 1, 5)
    weights = np.outer(sizes, shares)
    weights[tuple(rng.integers(0, weights.shape))] += nudge
    values, classes = np.indices(weights.shape).reshape(2, -1)
    X = np.stack([values, rng.permutation(5)[values]], axis=1)
    way = "global", labels, "pure"
    assert_same_tree(
        *on_both_engines(
            lambda: grow(X, classes, weights.ravel(), n_classes, distance, way, max_leaf_nodes=4, ties=ties)
        )
    )


@pytest.mark.parametrize("way", WAYS)
@examples(30)
@given(problem=small_problems(count_weights, 14), limits=size_limits(), distance=st.sampled_from(DISTANCES))
def test_trees_are_valid(engine, way, problem, limits, distance):
    X, y, weights, n_classes = problem
    tree = grow(*problem, distance, way, **limits)
    is_leaf = tree["children_left"] == LEAF
    assert sorted(tree["split_step"][~is_leaf]) == list(range((~is_leaf).sum()))
    assert (tree["split_step"][is_leaf] == -1).all()
    assert is_leaf.sum() <= limits["max_leaf_nodes"]
    for node, rows in enumerate(rows_of_nodes(tree, X)):
        counts = np.bincount(y[rows], weights[rows], minlength=n_classes)
        np.testing.assert_array_equal(tree["value"][node], counts)
        assert tree["n_node_samples"][node] == len(rows) > 0
        if way[1] == "majority":
            assert tree["label"][node] == counts.argmax()
        for child in (tree["children_left"][node], tree["children_right"][node]):
            if child != LEAF:
                assert child > node
                assert tree["n_node_samples"][child] >= limits["min_samples_leaf"]
                assert not 0 <= tree["split_step"][child] <= tree["split_step"][node]
    if way[2] == "pure" and limits == NO_LIMITS | {"seed": limits["seed"]}:
        for node in np.flatnonzero(is_leaf):
            rows = rows_of_nodes(tree, X)[node]
            assert len(set(y[rows])) == 1 or len(np.unique(X[rows], axis=0)) == 1


@pytest.mark.parametrize("way", WAYS)
@examples(20)
@given(problem=small_problems(count_weights, 12), distance=st.sampled_from(DISTANCES))
def test_whole_weights_are_repeated_samples(way, problem, distance):
    X, y, weights, n_classes = problem
    weighted = grow(X, y, weights, n_classes, distance, way)
    repeated = grow(np.repeat(X, weights, axis=0), np.repeat(y, weights), None, n_classes, distance, way)
    names = sorted(set(weighted) - {"n_node_samples"})
    assert_same_tree(weighted, repeated, names=names)


def test_a_leaf_of_one_class_and_a_wrong_label_stays(engine):
    # Information gain does not know which cluster is which class, and the lowest labels are 0 and 1.
    tree = grow([[0.0], [1.0]], [1, 0], distance="information_gain", way=("global", "all", "pure"))
    assert tree["label"].tolist() == [0, 0, 1]
    assert tree["value"].tolist() == [[1, 1], [0, 1], [1, 0]]


def test_splits_that_change_nothing_are_made_unless_stop_is_no_decrease(engine):
    # XOR: no split is better than none, to any distance.
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    for distance in ("information_gain", "gini", "nvi", "gain_ratio"):
        for evaluation in ("local", "global", "glocal"):
            assert len(grow(X, y, distance=distance, way=(evaluation, "majority", "pure"))["feature"]) == 7
    for evaluation in ("local", "global", "glocal"):
        assert len(grow(X, y, distance="gini", way=(evaluation, "majority", "no_decrease"))["feature"]) == 1


@pytest.mark.parametrize("distance", DISTANCES)
def test_ties_of_the_whole_tree_are_broken_within_the_leaf(engine, distance):
    # The first class is the majority on both sides of every cut, so that none changes the clustering: the first cut is
    # at 0.5, the one that tells most is at 5.5, and both are of the only feature.
    X, y = np.arange(10.0)[:, None], [0, 0, 0, 0, 0, 0, 1, 0, 1, 0]
    limits = {"distance": distance, "way": ("global", "majority", "pure"), "max_leaf_nodes": 2}
    assert grow(X, y, **limits)["threshold"][0] == 0.5
    by_merit = {"jaccard": 5.5, "accuracy": 5.5, "mae": 5.5}
    assert grow(X, y, ties="local", **limits)["threshold"][0] == by_merit.get(distance, 5.5)


def test_plateaus_are_walked_but_for_no_decrease(engine):
    # XOR: every first split leaves the distance as it is; with a sample more of class 0 it is one of equals.
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    n_nodes = {"pure": 7, "no_distance_decay": 7, "no_decrease": 1}
    for evaluation in ("local", "global", "glocal"):
        for stop, n in n_nodes.items():
            assert len(grow(X, y, distance="gini", way=(evaluation, "majority", stop))["feature"]) == n
    # Both sides of the only cut are mostly of class 0, and within the leaf one of them must not be: accuracy falls.
    X, y = [[0.0], [0.0], [1.0], [1.0], [1.0]], [0, 0, 0, 0, 1]
    for stop, n in {"pure": 3, "no_distance_decay": 1, "no_decrease": 1}.items():
        assert len(grow(X, y, distance="accuracy", way=("local", "majority", stop))["feature"]) == n
    for stop, n in {"pure": 3, "no_distance_decay": 3, "no_decrease": 1}.items():
        assert len(grow(X, y, distance="accuracy", way=("global", "majority", stop))["feature"]) == n


def test_samples_in_any_order_and_repeated(engine):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 1, 0], dtype=np.int32)
    rows = np.array([3, 0, 2])
    tree = grow(X, y, None, 2, "jaccard", rows=rows)
    np.testing.assert_array_equal(tree["value"][0], [2, 1])
    assert tree["threshold"][0] in (1.0, 2.5)


# ---------------------------------------------------------------------------------------------------------- bad input


def test_global_evaluation_needs_whole_weights(engine):
    for evaluation in ("global", "glocal"):
        with pytest.raises(ValueError, match="whole numbers"):
            grow([[0.0], [1.0]], [0, 1], np.array([0.5, 1.0]), way=(evaluation, "majority", "pure"))


def test_codes_and_lengths_are_checked():
    X = np.zeros((2, 1))
    with pytest.raises(ValueError, match=r"outside 0\.\.1"):
        grow(X, [0, 2], n_classes=2)
    with pytest.raises(ValueError, match="must have 2 samples"):
        grow(X, [0, 1, 1])
    with pytest.raises(ValueError, match="at most"):
        grow(X, [0, 1], np.array([2**26, 1]))
