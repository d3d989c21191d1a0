"""Globally evaluated growth: compiled against reference, both against a computation from the definitions."""

from itertools import product

import numpy as np
import pytest
from by_distance import (
    ABSENT_DIFFER,
    CRITERIA,
    DISTANCES,
    EVERY_DISTANCE,
    NO_LIMITS,
    SEQUENCE_CRITERIA,
    STOPS,
    TIES,
    WAYS,
    grow,
    mixed_problems,
    size_limits,
    steps_of,
)
from clusterings import Oracle
from hypothesis import given
from hypothesis import strategies as st
from seeded import count_weights, grid_weights, no_weights
from support import UNLIMITED, assert_refuses, assert_same_tree, examples, on_both_engines

from pytrees import Tree
from pytrees._tree_checks import LEAF, MULTIWAY


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("distance", EVERY_DISTANCE)
@examples(12)
@given(
    mixed_problems(max_rows=9, max_classes=3, max_categories=4) | mixed_problems(count_weights, 7, 3, 4),
    st.sampled_from([1, 1, 1, 2, 3]),
    st.sampled_from([UNLIMITED, UNLIMITED, 6, 4, 3]),
    TIES,
)
def test_steps_follow_the_definitions(distance, way, mixed, min_samples_leaf, max_leaf_nodes, ties):
    problem, categories = mixed
    limits = {"min_samples_leaf": min_samples_leaf, "max_leaf_nodes": max_leaf_nodes, "ties": ties, **categories}
    expected = Oracle(problem, distance, *way, **limits).grow()
    for tree in on_both_engines(grow, *problem, distance, way, **limits):
        assert steps_of(tree) == expected


@pytest.mark.parametrize("weights", [None, np.full(8, 0.3)], ids=["counts", "weights"])
def test_absent_classes_count_if_leaves_are_compared(engine, weights):
    """After two splits, one leaf lacks one class, and another leaf lacks two classes and is split the better."""
    X, y = np.arange(8.0)[:, np.newaxis], [2, 1, 3, 0, 0, 2, 0, 1]
    for distance, thresholds in (
        ("jaccard", [2.5, 6.5, 4.5, 5.5, 0.5, 1.5]),
        (ABSENT_DIFFER, [2.5, 6.5, 0.5, 1.5, 4.5, 5.5]),
    ):
        tree = grow(X, y, weights, 4, distance, ("local", "majority", "pure"))
        assert [threshold for _, threshold, *_ in steps_of(tree)] == thresholds


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("distance", EVERY_DISTANCE)
@examples(20)
@given(mixed_problems(max_rows=15, missing=True) | mixed_problems(count_weights, missing=True), size_limits(), TIES)
def test_engines_agree(distance, way, mixed, limits, ties):
    problem, categories = mixed
    assert_same_tree(*on_both_engines(grow, *problem, distance, way, ties=ties, **categories, **limits))


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("criterion", [*EVERY_DISTANCE, *CRITERIA])
@examples(50)
@given(st.data(), size_limits())
def test_engines_agree_on_local_growth(criterion, stop, data, limits):
    weights = [no_weights] if criterion in SEQUENCE_CRITERIA else [grid_weights, grid_weights, count_weights]
    mixed = data.draw(mixed_problems(data.draw(st.sampled_from(weights)), missing=True))
    problem, categories = mixed
    problem.n_classes = 4
    way = "local", "majority", stop
    assert_same_tree(*on_both_engines(grow, *problem, criterion, way, **categories, **limits))


@pytest.mark.parametrize("ties", ["first", "local"])
@pytest.mark.parametrize("way", [WAYS[2], WAYS[4], WAYS[6]])
@pytest.mark.parametrize("distance", DISTANCES)
def test_engines_agree_on_more_samples(distance, way, ties):
    """Denominators have many sizes, and many samples share a value."""
    rng = np.random.default_rng(5)
    n_rows, n_classes = (24, 3) if way[1] == "all" else (40, 5)  # the reference tries all pairs of labels
    y = rng.integers(0, n_classes, n_rows).astype(np.int32)
    X = (rng.normal(size=(n_rows, 3)) + 0.5 * y[:, None]).round(1)
    weights = rng.integers(1, 3000, n_rows)
    trees = on_both_engines(grow, X, y, weights, n_classes, distance, way, max_leaf_nodes=6, ties=ties)
    assert_same_tree(*trees)
    assert len(trees[0]["feature"]) == 11


# Sums of fractions that are equal or nearly so, with common denominators of 128 bits and more. If all values of a
# feature have the same shares of the classes, all cuts tie; one more sample of a class decides.
@pytest.mark.parametrize("labels", ["majority", "all"])
@pytest.mark.parametrize("distance", ["gini", "jaccard"])
@pytest.mark.parametrize("largest", [3, 2**8, 2**14, 2**18])
@examples(10)
@given(seed=st.integers(0, 2**32 - 1), nudge=st.integers(0, 1), ties=TIES)
def test_near_ties_of_steps_are_compared_exactly(distance, labels, largest, seed, nudge, ties):
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
@examples(40)
@given(mixed=mixed_problems(count_weights, 14), limits=size_limits(), distance=st.sampled_from(DISTANCES))
def test_trees_are_valid(way, mixed, limits, distance):
    (X, y, weights, n_classes), categories = mixed
    arrays = grow(X, y, weights, n_classes, distance, way, **categories, **limits)
    labels, steps = arrays.pop("label"), arrays.pop("split_step")
    tree = Tree.from_arrays(arrays, X.shape[1])
    is_leaf = tree.children_left == LEAF
    assert is_leaf.sum() <= limits["max_leaf_nodes"]
    assert sorted(steps[~is_leaf]) == list(range((~is_leaf).sum()))
    assert (steps[is_leaf] == -1).all()
    paths = tree.decision_path(X).toarray().astype(bool)
    for node in range(tree.node_count):
        rows = np.flatnonzero(paths[:, node])
        np.testing.assert_array_equal(tree.value[node], np.bincount(y[rows], weights[rows], minlength=n_classes))
        assert tree.n_node_samples[node] == len(rows) > 0
        children = tree.children_of(node)
        assert (children > node).all()
        assert (tree.n_node_samples[children] >= limits["min_samples_leaf"]).all()
        assert all(steps[child] == -1 or steps[child] > steps[node] for child in children)
        is_multiway = not is_leaf[node] and categories.get("n_categories", [0] * X.shape[1])[tree.feature[node]] > 0
        assert (tree.children_left[node] == MULTIWAY) == is_multiway
        if is_multiway:
            assert tree.category[children].tolist() == sorted(set(X[rows, tree.feature[node]]))
        if way[1] == "majority" or len(children) > 2:
            np.testing.assert_array_equal(labels[children], tree.value[children].argmax(axis=1))
    if way[2] == "pure" and limits == NO_LIMITS | {"seed": limits["seed"]}:
        for rows in paths.T[is_leaf]:
            assert len(set(y[rows])) == 1 or len(np.unique(X[rows], axis=0)) == 1


@pytest.mark.parametrize("way", WAYS)
@examples(25)
@given(mixed=mixed_problems(count_weights), distance=st.sampled_from(DISTANCES))
def test_whole_weights_are_repeated_samples(way, mixed, distance):
    (X, y, weights, n_classes), categories = mixed
    weighted = grow(X, y, weights, n_classes, distance, way, **categories)
    repeated = grow(np.repeat(X, weights, axis=0), np.repeat(y, weights), None, n_classes, distance, way, **categories)
    assert_same_tree(weighted, repeated, names=sorted(set(weighted) - {"n_node_samples"}))


def test_a_leaf_of_one_class_and_a_wrong_label_stays(engine):
    # Information gain does not know which cluster is which class, and the lowest labels are 0 and 1.
    tree = grow([[0.0], [1.0]], [1, 0], distance="information_gain", way=("global", "all", "pure"))
    assert tree["label"].tolist() == [0, 0, 1]
    assert tree["value"].tolist() == [[1, 1], [0, 1], [1, 0]]


@pytest.mark.parametrize("distance", DISTANCES)
def test_ties_of_the_whole_tree_are_broken_within_the_leaf(engine, distance):
    # The first class is the majority on both sides of every cut, so that no cut changes the clustering. The first cut
    # is at 0.5; the cut that tells most of the classes is at 5.5.
    X, y = np.arange(10.0)[:, None], [0, 0, 0, 0, 0, 0, 1, 0, 1, 0]
    limits = {"distance": distance, "way": ("global", "majority", "pure"), "max_leaf_nodes": 2}
    assert grow(X, y, **limits)["threshold"][0] == 0.5
    assert grow(X, y, ties="local", **limits)["threshold"][0] == 5.5


def test_only_no_decrease_stops_at_a_plateau(engine):
    # XOR: no first split changes the distance.
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    n_nodes = {"pure": 7, "no_distance_decay": 7, "no_decrease": 1}
    for evaluation, (stop, n) in product(("local", "global", "glocal"), n_nodes.items()):
        assert len(grow(X, y, distance="gini", way=(evaluation, "majority", stop))["feature"]) == n
    for evaluation, distance in product(("local", "global", "glocal"), ("information_gain", "nvi", "gain_ratio")):
        assert len(grow(X, y, distance=distance, way=(evaluation, "majority", "pure"))["feature"]) == 7
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


def test_global_evaluation_needs_whole_weights(engine):
    for evaluation in ("global", "glocal"):
        with pytest.raises(ValueError, match="whole numbers"):
            grow([[0.0], [1.0]], [0, 1], np.array([np.pi, 1.0]), way=(evaluation, "majority", "pure"))


def test_codes_and_lengths_are_checked():
    X = np.zeros((2, 1))
    assert_refuses(ValueError, r"outside 0\.\.1", grow, X, [0, 2], n_classes=2)
    assert_refuses(ValueError, "must have 2 samples", grow, X, [0, 1, 1])
    assert_refuses(ValueError, r"a sum below 2\*\*24", grow, X, [0, 1], np.array([2**24, 1]))
