"""Categorical splits of globally evaluated growth: engines, definitions, and what a split in two must not change."""

import warnings
from itertools import product

import numpy as np
import pytest
from by_distance import (
    CRITERIA,
    DISTANCES,
    EVERY_DISTANCE,
    NO_LIMITS,
    SEQUENCE_CRITERIA,
    TIES,
    WAYS,
    mixed_problems,
    size_limits,
    steps_of,
)
from by_distance import grow as grow_arrays
from clusterings import Oracle
from hypothesis import given
from hypothesis import strategies as st
from own_criteria import Gini, Purity
from seeded import SEEDS, count_weights, grid_weights, no_weights
from support import assert_refuses, assert_same_tree, examples, on_both_engines

from pytrees import ID3Classifier, ID3ForestClassifier
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.distances import JaccardDistance, clustering_distance
from pytrees.testing.strategies import Problem
from pytrees.trees.id3 import grow_id3 as grow_tree

LOCAL, GLOBAL, GLOCAL = WAYS[0], WAYS[2], WAYS[6]


def grow(problem, n_categories, distance="gini", way=GLOBAL, **limits):
    return grow_arrays(*problem, distance, way, n_categories=np.array(n_categories), **limits)


def with_categories(weights=no_weights, max_rows=12, **shape):
    """Draw a problem, and the number of categories of every feature, of which one at least is categorical."""
    drawn = mixed_problems(weights, max_rows, all_numeric=False, **shape)
    return drawn.map(lambda mixed: (mixed[0], mixed[1]["n_categories"]))


def many(seed, n_rows, n_classes, n_categories, heaviest=1):
    """Rows whose categorical features tell something about their classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows).astype(np.int32)
    noise = rng.random((n_rows, len(n_categories))) < 0.5
    codes = np.stack([y * 7 // 3 % n for n in n_categories], axis=1)
    random = np.stack([rng.integers(0, n, n_rows) for n in n_categories], axis=1)
    X = np.where(noise, random, codes).astype(np.float64)
    numeric = rng.normal(size=(n_rows, 1)).round(1)
    problem = Problem(np.hstack([X, numeric]), y, rng.integers(1, heaviest + 1, n_rows), n_classes)
    return problem, [*n_categories, 0]


# Sums of more fractions than are added in 128 bits, many equal ones, and categories of single rows.
@pytest.mark.parametrize(
    ("way", "n_classes", "heaviest"),
    [
        (GLOBAL, 2, 1),
        *product([LOCAL, GLOBAL, GLOCAL], [5], [3000]),
        (WAYS[4], 3, 3000),
        *product([LOCAL, GLOCAL], [10], [50]),
        (GLOBAL, 40, 50),
    ],
)
@pytest.mark.parametrize("distance", EVERY_DISTANCE)
def test_engines_agree_on_many_categories(distance, way, n_classes, heaviest):
    mixed = many(3, 45, n_classes, [24, 7, 15], heaviest)
    max_leaf_nodes = 26 if n_classes == 40 else 36  # the reference tries all pairs of classes
    # Local growth knows no ties of the whole tree.
    for ties in ["first"] if way == LOCAL else ["first", "local"]:
        trees = on_both_engines(grow, *mixed, distance, way, max_leaf_nodes=max_leaf_nodes, ties=ties)
        assert_same_tree(*trees)
        assert (trees[0]["children_left"] == MULTIWAY).any()


def test_leaves_of_equal_floating_point_gain_are_compared_exactly(engine):
    """Both halves of the rows have the same categories, except one, which is a little purer in one half. That half is
    split first; of equal halves the left one. The common denominator has 842 bits."""
    rng = np.random.default_rng(1)
    counts = rng.integers(2**23, 2**24, (40, 2))
    counts[0] = 2**23
    for nudged, first in ((None, 1), (1, 1), (0, 1)):
        halves = [counts.copy(), counts.copy()]
        if nudged is not None:
            halves[nudged][0] += (1, -1)
        X, y, weights = [], [], []
        for half, of_half in enumerate(halves):
            for (category, label), count in np.ndenumerate(of_half):
                X.append((half, category))
                y.append(2 * half + label)
                weights.append(count)
        problem = Problem(np.array(X, dtype=float), np.array(y, dtype=np.int32), np.array(weights), 4)
        tree = grow(problem, [0, 40], "gini", LOCAL)
        left, right = tree["children_left"][0], tree["children_right"][0]
        assert tree["split_step"][0] == 0
        assert tree["split_step"][right if nudged == 1 else left] == first


def as_if_cut(tree):
    """The arrays of a tree that has two children a node, a categorical split of 0 and 1 taken for a cut."""
    is_multiway = tree["children_left"] == MULTIWAY
    is_inner = tree["children_left"] != LEAF
    sides = {name: np.full(len(is_inner), LEAF) for name in ("children_left", "children_right")}
    for side, array in enumerate(sides.values()):
        array[is_inner] = tree["children"].reshape(-1, 2)[:, side]
    of_children = ("children", "child_offsets", "category")
    others = {name: array for name, array in tree.items() if name not in of_children}
    of_cuts = {"threshold": 0.5, "below_threshold": 0.0}
    return others | sides | {name: np.where(is_multiway, number, tree[name]) for name, number in of_cuts.items()}


@st.composite
def binary_problems(draw, weights):
    problem = draw(with_categories(weights, 14))[0]
    kinds = draw(st.lists(st.sampled_from([0, 2]), min_size=problem.X.shape[1], max_size=problem.X.shape[1]))
    rng = np.random.default_rng(draw(SEEDS))
    for feature in np.flatnonzero(kinds):
        problem.X[:, feature] = rng.integers(2, size=len(problem.X))
    return problem, kinds


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("distance", DISTANCES)
@examples(15)
@given(binary_problems(no_weights) | binary_problems(count_weights), size_limits(), TIES)
def test_two_categories_are_split_as_a_cut(distance, way, mixed, limits, ties):
    problem, n_categories = mixed
    tree = as_if_cut(grow(problem, n_categories, distance, way, ties=ties, **limits))
    assert_same_tree(tree, grow_arrays(*problem, distance, way, ties=ties, **limits))


@pytest.mark.parametrize("criterion", [*DISTANCES, *CRITERIA])
def test_two_categories_are_split_as_a_cut_into_leaves(criterion):
    weights = no_weights if criterion in SEQUENCE_CRITERIA else grid_weights

    @examples(25)
    @given(binary_problems(weights), size_limits(), st.sampled_from(WAYS[:2]))
    def check(mixed, limits, way):
        problem, n_categories = mixed
        problem.n_classes = 4
        tree = as_if_cut(grow(problem, n_categories, criterion, way, **limits))
        assert_same_tree(tree, grow_arrays(*problem, criterion, way, **limits))

    check()


@pytest.mark.parametrize("way", WAYS)
@examples(10)
@given(mixed=with_categories(), distance=st.sampled_from(DISTANCES))
def test_without_categorical_features_nothing_changes(engine, way, mixed, distance):
    problem, n_categories = mixed
    tree = grow(problem, [0] * len(n_categories), distance, way)
    assert_same_tree(as_if_cut(tree), grow_arrays(*problem, distance, way))


def test_a_split_for_every_category(engine):
    """Three categories tell three classes apart at once; cuts of the codes need two."""
    problem = Problem(np.array([[2.0], [0.0], [5.0], [2.0], [0.0]]), np.array([1, 0, 2, 1, 0], dtype=np.int32), None, 3)
    for distance in DISTANCES:
        for way in WAYS[:4] + WAYS[6:8]:
            tree = grow(problem, [6], distance, way)
            assert tree["children_left"].tolist() == tree["children_right"].tolist() == [-2, -1, -1, -1]
            assert tree["threshold"].tolist() == [-2.0] * 4
            assert tree["category"].tolist() == [-1, 0, 2, 5]
            assert tree["children"].tolist() == [1, 2, 3]
            assert tree["child_offsets"].tolist() == [0, 3, 3, 3, 3]
            assert tree["label"].tolist() == [0, 0, 1, 2]
            assert tree["value"].tolist() == [[2, 2, 1], [2, 0, 0], [0, 2, 0], [0, 0, 1]]


def test_splits_that_exceed_max_leaf_nodes_are_not_made(engine):
    """Three categories are better than any cut, and need three leaves."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [2.0, 3.0]])
    problem = Problem(X, np.array([0, 1, 2, 2], dtype=np.int32), None, 3)
    for way in WAYS:
        assert grow(problem, [3, 0], "gini", way, max_leaf_nodes=3)["children_left"].tolist() == [-2, -1, -1, -1]
        tree = grow(problem, [3, 0], "gini", way, max_leaf_nodes=2)
        # Local growth takes the best split of a leaf or none; global growth looks at all splits.
        assert tree["feature"].tolist() == ([-2] if way[0] == "local" else [1, -2, -2])


def test_a_stored_step_that_exceeds_max_leaf_nodes_is_replaced(engine):
    """By accuracy the best step of a leaf is kept: it may need more leaves than are left when its turn comes."""
    X = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 0, 0], [1, 1, 0], [1, 1, 0]], dtype=float)
    problem = Problem(X, np.array([0, 1, 0, 1, 2, 2], dtype=np.int32), None, 3)
    for distance in ("accuracy", "mae"):
        for max_leaf_nodes in range(1, 8):
            limits = {"max_leaf_nodes": max_leaf_nodes}
            tree = grow(problem, [0, 0, 3], distance, GLOBAL, **limits)
            assert steps_of(tree) == Oracle(problem, distance, *GLOBAL, **limits, n_categories=[0, 0, 3]).grow()


def as_words(problem, n_categories):
    """X with words in place of codes, as an estimator takes it."""
    X = problem.X.astype(object)
    for feature in np.flatnonzero(n_categories):
        X[:, feature] = [f"word {int(code):02}" for code in problem.X[:, feature]]
    return X


@pytest.mark.parametrize("evaluation", ["local", "global", "glocal"])
@examples(20)
@given(mixed=with_categories(), stop=st.sampled_from(["pure", "no_decrease"]), data=st.data())
def test_the_set_function_len_grows_the_named_tree(evaluation, mixed, stop, data):
    problem, n_categories = mixed
    labels = data.draw(st.sampled_from(["majority"] if evaluation == "local" else ["majority", "all"]))
    way = {"evaluation": evaluation, "labels": labels, "stop": stop}
    limits = {name: limit for name, limit in NO_LIMITS.items() if name != "seed"} | way
    arguments = problem.X, problem.y, None, problem.n_classes
    counted, named = (
        grow_tree(*arguments, distance, limits, 0, n_categories=np.array(n_categories))
        for distance in (JaccardDistance(len).specification(problem.n_classes), "jaccard")
    )
    for name in ("children_left", "feature", "threshold", "value", "category"):
        np.testing.assert_array_equal(getattr(counted.tree, name), getattr(named.tree, name))
    np.testing.assert_array_equal(counted.steps, named.steps)
    np.testing.assert_array_equal(counted.labels, named.labels)
    np.testing.assert_allclose(counted.tree.gain, named.tree.gain, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("evaluation", ["local", "global", "glocal"])
@examples(15)
@given(mixed=with_categories(), distance=st.sampled_from(DISTANCES))
def test_stages_lead_to_the_tree(engine, evaluation, mixed, distance):
    problem, n_categories = mixed
    X, y = as_words(problem, n_categories), problem.y
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Equal samples in X")
        tree = ID3Classifier(distance, evaluation=evaluation, categorical_features=np.flatnonzero(n_categories)).fit(
            X, y
        )
    stages = list(tree.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], tree.predict(X))
    assert len(stages) == (tree.split_steps_ >= 0).sum() + 1
    for stage, expected in zip(stages, tree.distance_path_, strict=True):
        assert clustering_distance(y, stage, distance) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_samples_without_a_child_stay(engine):
    X, y = [["a"], ["b"], ["c"], ["c"]], [0, 1, 2, 2]
    tree = ID3Classifier(categorical_features=[0], handle_unknown="majority").fit(X, y)
    assert [stage.tolist() for stage in tree.staged_predict([["a"], ["d"], ["c"]])] == [[2, 2, 2], [0, 2, 2]]
    assert tree.predict([["a"], ["d"], ["c"]]).tolist() == [0, 2, 2]


def test_smallest_trees_have_thresholds(engine):
    with pytest.raises(ValueError, match=r"'mts' is about trees of thresholds"):
        ID3Classifier("mts", categorical_features=[0]).fit([["a"], ["b"]], [0, 1])
    assert ID3Classifier("mts", categorical_features=[]).fit([[0], [1]], [0, 1]).tree_.node_count == 3


@examples(20)
@given(mixed=with_categories(max_classes=3), limits=size_limits())
def test_criteria_of_the_user(mixed, limits):
    problem, n_categories = mixed
    criterion = Purity().specification(problem.n_classes)
    assert_same_tree(*on_both_engines(grow, problem, n_categories, criterion, LOCAL, **limits))


def test_criteria_that_cannot_judge_children(engine):
    problem = Problem(np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.int32), None, 2)
    criterion = Gini().specification(2)
    assert_refuses(ValueError, r"gain_of_children\(counts\)", grow, problem, [2], criterion, LOCAL)
    assert grow(problem, [0], criterion, LOCAL)["feature"].tolist() == [0, -2, -2]


@pytest.mark.parametrize("n_categories", [[1], [2, 0], [-1]])
def test_codes_are_checked(engine, n_categories):
    problem = Problem(np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.int32), None, 2)
    assert_refuses(ValueError, r"n_categories|categories 0\.\.0, but row 1 has 1\.0", grow, problem, n_categories)


@examples(10)
@given(mixed=with_categories(max_rows=20), seed=st.integers(0, 1000))
def test_forests_are_equal_on_both_engines(mixed, seed):
    problem, n_categories = mixed
    X = as_words(problem, n_categories)

    def predictions():
        forest = ID3ForestClassifier(
            3,
            distance="jaccard",
            evaluation="global",
            max_features=1,
            random_state=seed,
            categorical_features=np.flatnonzero(n_categories),
        )
        return forest.fit(X, problem.y).predict_proba(X)

    np.testing.assert_array_equal(*on_both_engines(predictions))
