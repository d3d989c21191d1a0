"""The smallest consistent tree: all trees of a size tried out, equal trees on both engines, bounds, limits, errors."""

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import consistent, make_classes
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from strategies import classified
from support import PATIENCE, assert_refuses, assert_same_tree, examples, interrupted, on_both_engines, rows_of_nodes

import pytrees
from pytrees import DecisionTreeClassifier, ID3Classifier, ID3ForestClassifier, minimal_tree
from pytrees._engine import kernel
from pytrees.datasets import make_from_random_tree, make_monks


def problems(max_rows=10, max_features=3):
    drawn = classified(max_rows, [1, 2, 2, 2, 3, 4, 10], max_features)
    return drawn.map(lambda problem: (problem[0], consistent(*problem)))


def search(X, y, **options):
    """Call the kernel; return arrays."""
    X, y = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.int32)
    found, lower, n_sets, ended_by = kernel("minimal_tree")(X, y, int(y.max()) + 1, **options)
    assert not ended_by
    return None if found is None else {name: np.asarray(array) for name, array in found.items()}, lower, n_sets


def assert_same_result(found, expected):
    assert_same_tree(found[0], expected[0])
    assert found[1] == expected[1]


def random_rows(n_rows, n_features, n_classes, seed=0, n_values=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    if n_values is not None:
        X = rng.integers(0, n_values, (n_rows, n_features)).astype(float)
    return X, consistent(X, rng.integers(0, n_classes, n_rows))


# ------------------------------------------------------------------------------------------------------------- oracles


def can_be_told_apart(X, y, n_splits):
    """Tell whether a tree of `n_splits` is consistent: try all first cuts, and all ways to share the other splits."""
    if len(set(y.tolist())) == 1:
        return True
    for column in X.T:
        for below, _ in pairwise(np.unique(column)):
            left = column <= below
            for n_left in range(n_splits):
                if can_be_told_apart(X[left], y[left], n_left) and can_be_told_apart(
                    X[~left], y[~left], n_splits - 1 - n_left
                ):
                    return True
    return False


@examples(200)
@given(problem=problems(max_rows=7, max_features=2))
def test_no_smaller_tree_is_consistent(engine, problem):
    X, y = problem
    found = minimal_tree(X, y)
    assert found.is_proven
    assert found.lower_bound == found.tree.node_count
    np.testing.assert_array_equal(found.classes[found.tree.predict(X)], y)
    n_splits = found.tree.node_count // 2
    assert n_splits == 0 or not can_be_told_apart(X, y, n_splits - 1)


@examples(400)
@given(problem=problems(max_rows=11))
def test_engines_find_the_same_tree(problem):
    compiled, reference = on_both_engines(minimal_tree, *problem)
    assert compiled.tree == reference.tree
    assert compiled.lower_bound == reference.lower_bound
    assert_same_tree(*(trees[0] for trees in on_both_engines(search, *problem)))


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(("n_features", "n_values"), [(1, None), (2, 4), (4, 2), (2, None)])
def test_engines_find_the_same_tree_of_more_samples(n_classes, n_features, n_values):
    X, y = random_rows(18, n_features, n_classes, seed=n_classes, n_values=n_values)
    assert_same_result(*on_both_engines(search, X, y))


@pytest.mark.parametrize("seed", range(3))
def test_subtrees_are_the_smallest_of_their_samples(seed):
    """The tree is therefore that of ID3 with Delta_mts. The left child follows its parent."""
    X, y = random_rows(70, 3, 3, seed=seed)
    X[:, 0] = np.round(X[:, 0])
    y = (X[:, 1] > 0).astype(int) + (np.abs(X[:, 2]) > 1) * (X[:, 0] > 0)
    tree = minimal_tree(X, y).tree
    arrays = {name: getattr(tree, name) for name in ("children_left", "children_right", "feature", "threshold")}
    sizes = np.ones(tree.node_count, dtype=int)
    for node in reversed(np.flatnonzero(tree.children_left != -1)):
        sizes[node] += sizes[tree.children_left[node]] + sizes[tree.children_right[node]]
    for node, rows in enumerate(rows_of_nodes(arrays, X)):
        below = minimal_tree(X[rows], y[rows]).tree
        assert below.node_count == sizes[node]
        np.testing.assert_array_equal(below.feature, tree.feature[node : node + sizes[node]])
        np.testing.assert_array_equal(below.threshold, tree.threshold[node : node + sizes[node]])


# ------------------------------------------------------------------------------------------------------------- by hand


def test_one_class_is_a_leaf(engine):
    found = minimal_tree([[1.0, 2.0], [3.0, 4.0]], ["a", "a"])
    assert (found.tree.node_count, found.lower_bound, found.is_proven) == (1, 1, True)
    assert found.tree.value.tolist() == [[2.0]]
    assert found.classes.tolist() == ["a"]


def test_exclusive_or(engine):
    """All first cuts are equally good: the lowest feature is taken. Equal rows count as often as they occur."""
    tree = minimal_tree([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], [0, 1, 1, 0, 0]).tree
    assert tree.feature.tolist() == [0, 1, -2, -2, 1, -2, -2]
    assert tree.threshold.tolist() == [0.5, 0.5, -2, -2, 0.5, -2, -2]
    assert tree.gain.tolist() == [1, 1, 0, 0, 1, 0, 0]
    assert tree.value.tolist() == [[3, 2], [1, 1], [1, 0], [0, 1], [2, 1], [0, 1], [2, 0]]
    assert tree.n_node_samples.tolist() == [5, 2, 1, 1, 3, 1, 2]


def test_ties_go_to_the_lowest_feature_then_threshold(engine):
    """Feature 0 is of no use, 1 and 2 are the same; cutting at 0.5 or 2.5 first leaves one split."""
    X = [[0, 0, 0], [0, 1, 1], [0, 2, 2], [0, 3, 3]]
    tree = minimal_tree(X, [0, 1, 1, 0]).tree
    assert tree.feature.tolist() == [1, -2, 1, -2, -2]
    assert tree.threshold.tolist() == [0.5, -2, 2.5, -2, -2]


def test_a_cut_between_samples_of_one_class_can_be_needed(engine):
    """Three splits suffice. The first lies between values of feature 1 whose rows are all of class 0; cuts between
    values of different classes alone need four."""
    X = np.array([[0, 1], [0, 3], [3, 0], [3, 3], [4, 0], [4, 2]], dtype=float)
    y = np.array([0, 1, 0, 0, 1, 0])
    tree = minimal_tree(X, y).tree
    assert (tree.node_count, tree.feature[0], tree.threshold[0]) == (7, 1, 1.5)
    assert not can_be_told_apart(X, y, 2)


def test_greedy_trees_are_larger():
    """Monks 1, (a1 = a2) or (a5 = 1): only a5 gains anything alone, and ties go to the first column, which is of no
    use in reversed order."""
    X, y = make_monks(1)
    X = np.ascontiguousarray(X[:, ::-1])
    found = minimal_tree(X, y)
    assert found.is_proven
    assert found.tree.node_count < DecisionTreeClassifier(criterion="entropy").fit(X, y).tree_.node_count
    np.testing.assert_array_equal(found.classes[found.tree.predict(X)], y)


@pytest.mark.parametrize(
    ("n_features", "n_classes", "n_nodes", "n_seeds"), [*((6, 4, n, 5) for n in (7, 11, 15, 19, 23)), (20, 3, 17, 1)]
)
def test_trees_of_the_size_of_the_paper(n_features, n_classes, n_nodes, n_seeds):
    """500 vectors with 6 features of 4 classes (Fig. 5): the tree they come from bounds the size. With 20 features,
    five seconds were not enough without the growing working set."""
    for seed in range(n_seeds):
        X, y, tree = make_from_random_tree(500, n_features, n_classes, n_nodes, random_state=seed)
        found = minimal_tree(X, y)
        assert found.is_proven
        assert found.tree.node_count <= tree.node_count
        np.testing.assert_array_equal(found.tree.predict(X), y)


# ---------------------------------------------------------------------------------- what changes only the way there


@pytest.mark.parametrize("bound_rows", [1, 2, 3, 63, 64, 65, 100, 129])
@pytest.mark.parametrize("seed", range(2))
def test_bounds_from_any_number_of_samples_find_the_same_tree(bound_rows, seed):
    X, _ = random_rows(130, 3, 2, seed=seed, n_values=9)
    y = (X[:, 0] > 3).astype(int) + (X[:, 1] > X[:, 0].mean()) * (X[:, 2] > 2)
    expected = search(X, y)
    assert_same_result(search(X, y, bound_rows=bound_rows), expected)


@examples(200)
@given(problem=problems(max_rows=12), bound_rows=st.integers(1, 12), memory=st.sampled_from([0, 50, 100, 200, 1000]))
def test_memory_limits_and_bounds_find_the_same_tree(problem, bound_rows, memory):
    expected = search(*problem)
    assert_same_result(search(*problem, memory_limit=memory, bound_rows=bound_rows), expected)


@examples(400)
@given(problem=problems(max_rows=12), first_turn=st.integers(0, 3), memory=st.sampled_from([0, 10**5, 2**20, 2**30]))
def test_the_growing_working_set_finds_the_same_tree(problem, first_turn, memory):
    """The growing working set takes turns with the complete one, from the beginning or soon after."""
    assert_same_result(*on_both_engines(search, *problem, first_turn=first_turn, memory_limit=memory))


@pytest.mark.parametrize(
    ("n_rows", "n_features", "n_classes", "n_values"),
    [(63, 2, 2, None), (64, 1, 2, None), (65, 1, 4, None), (129, 2, 2, 12), (200, 4, 3, 3), (260, 1, 2, None)],
)
def test_working_sets_of_any_size_find_the_same_tree(n_rows, n_features, n_classes, n_values):
    """Classes are drawn at random: all samples become members, so that sets take several words."""
    X, y = random_rows(n_rows, n_features, n_classes, seed=n_rows, n_values=n_values)
    y[X[:, 0] > np.quantile(X[:, 0], 0.1 if n_features > 1 else 0.9)] = 0
    y = consistent(X, y)
    expected = search(X, y, first_turn=10**9)
    for memory_limit in (10**6, 2**30):
        assert_same_result(search(X, y, first_turn=0, memory_limit=memory_limit), expected)


@pytest.mark.parametrize("n_features", [8, 9])
@pytest.mark.parametrize("seed", range(3))
def test_both_working_sets_find_the_same_tree(n_features, seed):
    """With eight features the complete working set comes first, with nine the growing one."""
    X, y, _ = make_from_random_tree(300, n_features, 3, 13, random_state=seed)
    expected = search(X, y, first_turn=10**9)
    for first_turn in (None, 0, 20):
        assert_same_result(search(X, y, first_turn=first_turn), expected)


@pytest.mark.parametrize("memory_limit", [1000, 10**5])
def test_a_full_table_is_emptied(memory_limit):
    X, y = random_rows(40, 3, 2, seed=5)
    expected = search(X, y)
    found = search(X, y, memory_limit=memory_limit)
    assert_same_tree(found[0], expected[0])
    assert found[2] > expected[2]


def test_the_order_of_samples_does_not_matter():
    X, y = make_classes(n_samples=25, seed=4)
    shuffled = np.random.default_rng(0).permutation(25)
    assert minimal_tree(X, y).tree == minimal_tree(X[shuffled], y[shuffled]).tree


# -------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("time_limit", [0, 0.3])
def test_time_limit(engine, time_limit):
    X, y = random_rows(80, 5, 4)
    start = time.process_time()
    with pytest.warns(ConvergenceWarning, match=rf"time_limit={time_limit} ended the search.* nodes; every consis"):
        found = minimal_tree(X, y, time_limit=time_limit)
    assert time.process_time() - start < time_limit + 1.0 * PATIENCE
    assert not found.is_proven
    assert 7 <= found.lower_bound < found.tree.node_count
    np.testing.assert_array_equal(found.tree.predict(X), y)
    np.testing.assert_array_equal(found.tree.gain, (found.tree.children_left != -1).astype(float))


def test_time_limit_holds_while_bounds_are_prepared():
    X, y = random_rows(1024, 400, 2)
    start = time.process_time()
    tree, n_splits, *_ = search(X, y, time_limit=0.1)
    assert tree is None
    assert n_splits < 10  # as far as the search came; hundreds are needed
    assert time.process_time() - start < 3.0 * PATIENCE


def test_the_search_goes_on_after_rollouts():
    """Rollouts in between change neither the tree nor the bound; the search before them counts."""
    X, y = random_rows(40, 3, 2, seed=5)
    expected = search(X, y)
    assert_same_result(search(X, y, time_limit=60.0, rollout_times=(0.0, 0.01)), expected)


@pytest.mark.parametrize("rollout_times", [(0.0, 5.0), (0.05, 5.0)])
def test_rollouts_give_the_tree_of_a_search_that_is_stopped(rollout_times):
    X, y = random_rows(80, 5, 4)
    tree, n_splits, _ = search(X, y, time_limit=0.2, rollout_times=rollout_times)
    found = pytrees.Tree.from_arrays(tree, X.shape[1])
    assert 3 <= n_splits < found.node_count // 2
    np.testing.assert_array_equal(found.majority[found.apply(X)], y)


def test_an_interrupted_search_keeps_a_tree_and_the_bound(engine):
    X, y = random_rows(300, 6, 4)  # without the interruption this would take hours
    with interrupted(warned=ConvergenceWarning):
        found = minimal_tree(X, y)
    assert 7 <= found.lower_bound < found.tree.node_count
    np.testing.assert_array_equal(found.tree.predict(X), y)
    with interrupted():
        ID3Classifier("mts").fit(X, y)


@pytest.mark.filterwarnings("ignore:time_limit")
def test_more_time_raises_the_bound():
    X, y = random_rows(80, 5, 4)
    bounds = [minimal_tree(X, y, time_limit=limit).lower_bound for limit in (0, 3.0)]
    assert bounds[0] < bounds[1]


def test_a_time_limit_that_is_not_reached_changes_nothing():
    X, y = make_classes(n_samples=25, seed=4)
    assert minimal_tree(X, y, time_limit=1000.0).tree == minimal_tree(X, y).tree


@pytest.mark.filterwarnings("ignore:time_limit")
def test_a_time_limit_gives_a_smaller_tree_than_growth():
    """Grown by information gain, the tree has 39 nodes."""
    X, y = load_breast_cancer(return_X_y=True)
    found = minimal_tree(X, y, time_limit=4.0)
    assert found.tree.node_count <= 27
    assert found.lower_bound >= 11
    np.testing.assert_array_equal(found.tree.predict(X), y)


def test_a_search_deeper_than_the_stack_allows_is_given_up():
    """One row after the other is split off. All rows conflict, which proves that the greedy tree is smallest."""
    X, y = np.arange(600.0).reshape(-1, 1), np.arange(600) % 2
    assert search(X, y)[:2] == (None, 599)
    assert minimal_tree(X, y).is_proven
    assert search(X[:300], y[:300])[0]["threshold"][0] == 0.5


# -------------------------------------------------------------------------------------------------------------- errors


def test_equal_samples_of_different_classes(engine):
    with pytest.raises(ValueError, match="no consistent tree: equal samples"):
        minimal_tree([[1.0, 0.0], [1.0, -0.0], [2.0, 0.0]], [0, 1, 1])
    assert_refuses(ValueError, "no consistent tree", search, [[1.0], [1.0], [2.0]], [0, 1, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"X": [[np.nan], [1.0]]}, "NaN"),
        ({"X": [[np.inf], [1.0]]}, "infinity"),
        ({"X": [1.0, 2.0]}, "Expected 2D array"),
        ({"X": np.empty((0, 2)), "y": []}, "0 sample"),
        ({"y": [0, 1, 1]}, "inconsistent numbers of samples"),
        ({"y": [0.5, 1.25]}, "Unknown label type"),
        ({"time_limit": -1}, "'time_limit' parameter"),
        ({"time_limit": np.nan}, "'time_limit' parameter"),
        ({"time_limit": "1 s"}, "'time_limit' parameter"),
        ({"memory_limit": -1}, "'memory_limit' parameter"),
        ({"memory_limit": None}, "'memory_limit' parameter"),
    ],
)
def test_bad_input(options, message):
    assert_refuses(ValueError, message, minimal_tree, **{"X": [[0.0], [1.0]], "y": [0, 1]} | options)


@pytest.mark.parametrize(("X", "y"), [([[0.0], [1.0]], [0]), ([[0.0]], [-1]), ([[0.0]], [5]), (np.empty((0, 1)), [])])
def test_the_kernels_refuse_invalid_class_codes(X, y):
    y = np.array(y, dtype=np.int32)
    for name in ("minimal_tree", "small_tree"):
        assert_refuses(ValueError, "class codes", kernel(name), np.array(X), y, 2)


def test_results_cannot_be_changed():
    found = minimal_tree([[0.0], [1.0]], [0, 1])
    with pytest.raises(AttributeError):
        found.lower_bound = 1
    assert isinstance(found, pytrees.trees.MinimalTree)


# ----------------------------------------------------------------------------------------------------------------- ID3


@examples(100)
@given(problem=problems(max_rows=9))
def test_id3_with_delta_mts_grows_the_smallest_tree(engine, problem):
    X, y = problem
    grown = ID3Classifier("mts").fit(X, y)
    assert grown.tree_ == minimal_tree(X, y).tree
    assert grown.is_consistent_
    np.testing.assert_array_equal(grown.node_labels_, grown.tree_.majority)
    assert not hasattr(grown, "distance_path_")


def size_below(tree, node):
    if tree.children_left[node] == -1:
        return 1
    return 1 + size_below(tree, tree.children_left[node]) + size_below(tree, tree.children_right[node])


def test_id3_splits_the_leaf_of_the_least_distance_first():
    """Delta_mts is the size of the smallest tree below a leaf without its root."""
    X, y, _ = make_from_random_tree(200, 3, 4, 19, random_state=1)
    grown = ID3Classifier("mts").fit(X, y)
    tree, steps = grown.tree_, grown.split_steps_
    assert tree == minimal_tree(X, y).tree
    open_leaves = {0}
    for step in range(tree.n_leaves - 1):
        split = int(np.flatnonzero(steps == step)[0])
        impure = [node for node in open_leaves if tree.children_left[node] != -1]
        assert split == min(impure, key=lambda node: (size_below(tree, node), node))
        open_leaves -= {split}
        open_leaves |= {int(tree.children_left[split]), int(tree.children_right[split])}
    stages = list(grown.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], y)
    for n_leaves in range(2, tree.n_leaves):
        part = ID3Classifier("mts", max_leaf_nodes=n_leaves).fit(X, y)
        assert part.get_n_leaves() == n_leaves
        np.testing.assert_array_equal(part.predict(X), stages[n_leaves - 1])


def test_id3_within_limits():
    X, y, _ = make_from_random_tree(200, 3, 4, 19, random_state=1)
    whole = ID3Classifier("mts").fit(X, y).tree_
    shallow = ID3Classifier("mts", max_depth=2).fit(X, y).tree_
    assert (shallow.max_depth, shallow.feature[0], shallow.threshold[0]) == (2, whole.feature[0], whole.threshold[0])
    large = ID3Classifier("mts", min_samples_split=180).fit(X, y).tree_
    assert (large.n_node_samples[large.children_left != -1] >= 180).all()
    assert whole.node_count > large.node_count > 1


@pytest.mark.parametrize("factor", [1, 0.5])
def test_id3_weighs_samples(engine, factor):
    X, y = make_classes(n_samples=14, n_features=2)
    weights = np.arange(14) % 4 * factor
    weighted = ID3Classifier("mts", max_leaf_nodes=4).fit(X, y, sample_weight=weights).tree_
    repeated = np.repeat(np.arange(14), np.arange(14) % 4)
    tree = ID3Classifier("mts", max_leaf_nodes=4).fit(X[repeated], y[repeated]).tree_
    np.testing.assert_array_equal(weighted.value, tree.value * factor)
    np.testing.assert_array_equal(weighted.threshold, tree.threshold)


def test_id3_forests_of_smallest_trees():
    X, y = make_classes(n_samples=12, n_features=2)
    compiled, reference = on_both_engines(ID3ForestClassifier(3, distance="mts", random_state=0).fit, X, y)
    for forest in (compiled, reference):
        assert len({tree.tree_ for tree in forest.estimators_}) > 1
    np.testing.assert_array_equal(compiled.predict_proba(X), reference.predict_proba(X))
    same = ID3ForestClassifier(2, distance="mts", bootstrap=False).fit(X, y)
    assert all(tree.tree_ == minimal_tree(X, y).tree for tree in same.estimators_)


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        *[({"evaluation": name}, np.eye(2), "judges single leaves only") for name in ("global", "glocal")],
        ({"max_features": 1}, np.eye(2), "no min_samples_leaf or max_features"),
        ({"min_samples_leaf": 2}, np.eye(2), "no min_samples_leaf or max_features"),
        ({}, np.zeros((2, 1)), "no consistent tree"),
        ({}, np.arange(600.0).reshape(-1, 1), "too deep"),
    ],
)
def test_id3_refuses_what_does_not_go_with_delta_mts(parameters, X, message):
    assert_refuses(ValueError, message, ID3Classifier("mts", **parameters).fit, X, np.arange(len(X)) % 2)
