"""Missing values where trees grow: the rule by hand, against a naive search, and against scikit-learn's own trees."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sklearn.tree
from by_distance import grow as grow_by_distance
from hypothesis import given
from hypothesis import strategies as st
from support import assert_same_tree, examples, grow, on_both_engines

from pytrees._tree_checks import LEAF, UNDEFINED
from pytrees.testing.strategies import count_weights, problems

NAN, RIGHT, LEFT, NONE = np.nan, 0, 1, -1


def root(tree):
    return tree["feature"][0], tree["threshold"][0], tree["missing_go_to_left"][0]


def column(*values):
    return np.array(values, dtype=np.float64)[:, np.newaxis]


@pytest.mark.parametrize(
    ("values", "y", "expected"),
    [
        # The missing belong to the lower values, to the higher ones, and to neither.
        ([1, 2, 3, 4, NAN], [0, 0, 1, 1, 0], (0, 2.5, LEFT)),
        ([1, 2, 3, 4, NAN], [0, 0, 1, 1, 1], (0, 2.5, RIGHT)),
        ([1, 2, 3, NAN, NAN], [0, 0, 0, 1, 1], (0, np.inf, RIGHT)),
        # One known value beside missing ones.
        ([5, 5, NAN, NAN], [0, 0, 1, 1], (0, np.inf, RIGHT)),
        # Ties go to the lowest threshold, then to the missing values on the right.
        ([1, 2, 3, NAN], [0, 1, 0, 1], (0, 1.5, RIGHT)),
        ([1, 2, NAN, NAN], [0, 1, 0, 1], (0, 1.5, RIGHT)),
        # The missing values on the left give the best gain at a lower threshold than those on the right.
        ([1, 2, 3, NAN, NAN], [0, 1, 1, 0, 0], (0, 1.5, LEFT)),
        # A node without missing values names no side.
        ([1, 2], [0, 1], (0, 1.5, NONE)),
    ],
)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini"])
def test_the_root(engine, values, y, expected, criterion):
    X = column(*values)
    assert root(grow(X, y, criterion=criterion, max_depth=1)) == expected


@pytest.mark.parametrize("y", [[0, 1], [0, 0]])
def test_a_feature_without_values_has_no_cut(engine, y):
    tree = grow(column(NAN, NAN), y, n_classes=2)
    assert tree["feature"].tolist() == [UNDEFINED]
    tree = grow(np.hstack([column(NAN, NAN), column(1, 2)]), [0, 1])
    assert root(tree) == (1, 1.5, NONE)


def test_one_sample(engine):
    assert grow([[NAN]], [0])["feature"].tolist() == [UNDEFINED]


def test_min_samples_leaf_counts_the_missing_on_their_side(engine):
    X, y = column(1, 2, 3, 4, NAN, NAN), [1, 0, 0, 0, 1, 1]
    assert root(grow(X, y, max_depth=1)) == (0, 1.5, LEFT)
    assert root(grow(X, y, max_depth=1, min_samples_leaf=3)) == (0, 1.5, LEFT)
    assert root(grow(X, y, max_depth=1, min_samples_leaf=4))[0] == UNDEFINED
    # Two known values on the left of two missing ones, and no other cut.
    X, y = column(1, 1, NAN, NAN), [0, 0, 0, 1]
    assert root(grow(X, y, min_samples_leaf=2)) == (0, np.inf, RIGHT)


def test_max_candidates_counts_thresholds(engine):
    # The third of the thresholds 1.5, 2.5, 3.5 and infinity is tried, both ways.
    X, y = column(1, 2, 3, 4, NAN), [0, 0, 0, 1, 0]
    assert root(grow(X, y, max_candidates=1)) == (0, 3.5, LEFT)
    assert root(grow(X, [0, 0, 0, 1, 1], max_candidates=1)) == (0, 3.5, RIGHT)


def test_max_candidates_can_leave_out_infinity(engine):
    # The eight thresholds are 1.5 .. 7.5 and infinity. Three of them are numbers 1, 4 and 6; seven have number 7 too.
    X, y = column(*range(1, 9), NAN, NAN), [0] * 8 + [1] * 2
    assert root(grow(X, y, max_candidates=3, max_depth=1)) == (0, 7.5, RIGHT)
    assert root(grow(X, y, max_candidates=7, max_depth=1)) == (0, np.inf, RIGHT)


def test_missing_beside_categories(engine):
    X = np.array([[0, 1], [1, NAN], [0, NAN], [1, 2]], dtype=np.float64)
    tree = grow(X, [0, 1, 1, 0], n_categories=np.array([2, 0]))
    assert root(tree) == (1, np.inf, RIGHT)
    assert len(tree["feature"]) == 3


def gini(y, weights):
    counts = np.bincount(y, weights).astype(int).tolist()
    return 1 - sum(Fraction(count, sum(counts)) ** 2 for count in counts)


def splits(X, min_samples_leaf):
    """Yield (feature, threshold, missing, goes_left) in the order in which the rule tries them."""
    for feature, values in enumerate(X.T):
        lacks = np.isnan(values)
        known = np.unique(values[~lacks])
        tried = [(0.5 * below + 0.5 * above, below) for below, above in pairwise(known)]
        for threshold, below in tried:
            for missing in (RIGHT, LEFT) if lacks.any() else (NONE,):
                yield feature, threshold, missing, (values <= below) | (lacks & (missing == LEFT))
        if lacks.any() and len(known):
            yield feature, np.inf, RIGHT, ~lacks


def best_splits(problem, min_samples_leaf=1):
    """Return all splits of the greatest gain, the first of which the rule takes, and the gain."""
    X, y, weights, _ = problem
    weights = np.ones(len(y), dtype=np.int64) if weights is None else weights
    best, greatest = [], None
    for *split, goes_left in splits(X, min_samples_leaf):
        sides = goes_left, ~goes_left
        if min(side.sum() for side in sides) < min_samples_leaf:
            continue
        after = sum(int(weights[side].sum()) * gini(y[side], weights[side]) for side in sides)
        gain = gini(y, weights) - after / int(weights.sum())
        if greatest is None or gain > greatest:
            best, greatest = [], gain
        if gain == greatest:
            best.append(tuple(split))
    return best, greatest


SMALL = st.integers(0, 4).map(float)


@st.composite
def small_problems(draw, weights):
    """Draw values whose middles are exact, in tables with gaps."""
    problem = draw(problems(weights, max_rows=12))
    n_rows, n_features = problem.X.shape
    for feature in range(n_features):
        values = draw(st.lists(SMALL | st.just(NAN), min_size=n_rows, max_size=n_rows))
        problem.X[:, feature] = values
    return problem


@pytest.mark.parametrize("weights", [lambda n_rows: st.none(), count_weights])
def test_the_root_is_the_first_of_the_best_cuts(weights):
    @examples(400)
    @given(problem=small_problems(weights), min_samples_leaf=st.sampled_from([1, 1, 2, 3]))
    def check(problem, min_samples_leaf):
        best, gain = best_splits(problem, min_samples_leaf)
        for tree in on_both_engines(grow, *problem, max_depth=1, min_samples_leaf=min_samples_leaf):
            if len(np.unique(problem.y)) == 1 or not best:
                assert tree["feature"].tolist() == [UNDEFINED]
            else:
                assert root(tree) == best[0]
                assert tree["gain"][0] == float(gain)

    check()


@examples(300)
@given(problem=small_problems(lambda n_rows: st.none()))
def test_scikit_learn_finds_the_same_gain_and_the_same_unique_split(problem):
    X, y, _, n_classes = problem
    best, gain = best_splits(problem)
    if len(np.unique(y)) == 1 or not best or gain == 0:
        return
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y).tree_
    ours = grow(X, y, None, n_classes, max_depth=1)
    shares = theirs.weighted_n_node_samples / len(y)
    their_gain = theirs.impurity[0] - shares[1] * theirs.impurity[1] - shares[2] * theirs.impurity[2]
    assert their_gain == pytest.approx(ours["gain"][0], abs=1e-12)
    if len(best) == 1:
        feature, threshold, missing = root(ours)
        assert (theirs.feature[0], theirs.threshold[0]) == (feature, threshold)
        assert missing == NONE or theirs.missing_go_to_left[0] == missing


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_grows_as_good_trees(criterion, seed):
    # Best cuts of continuous features seldom tie, except in nodes of few samples.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] + X[:, 1] > rng.normal(scale=0.5, size=400)).astype(np.int32)
    X[rng.random(X.shape) < 0.2] = NAN
    X[(y == 1) & (rng.random(400) < 0.2), 2] = NAN
    theirs = sklearn.tree.DecisionTreeClassifier(criterion=criterion, max_depth=3, random_state=0).fit(X, y).tree_
    ours = grow(X, y, criterion=criterion, max_depth=3)
    np.testing.assert_array_equal(ours["feature"], theirs.feature)
    np.testing.assert_array_equal(ours["threshold"], theirs.threshold)
    saw_some = ours["missing_go_to_left"] >= 0
    np.testing.assert_array_equal(ours["missing_go_to_left"][saw_some], theirs.missing_go_to_left[saw_some])


# On both sides of the rows that are sorted at once, and of the bins.
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_ranks_and_blocks_grow_the_same_tree(criterion, n_classes, weighted):
    rng = np.random.default_rng(n_classes)
    n_rows = 20_000
    X = rng.normal(size=(n_rows, 4)).round(2)
    y = ((X[:, 0] > 0.3).astype(int) + (X[:, 1] > rng.normal(size=n_rows)) * (n_classes - 1)).clip(0, n_classes - 1)
    X[rng.random(X.shape) < [0.3, 0.01, 0.0, 0.9]] = NAN
    weights = rng.integers(1, 4, n_rows) if weighted else None
    binned = grow(X, y, weights, n_classes, criterion, max_depth=6)
    assert (binned["missing_go_to_left"] >= 0).sum() > 10
    assert set(binned["missing_go_to_left"]) == {RIGHT, LEFT, NONE}
    for ways in ({"block_rows": n_rows}, {"block_rows": 500, "max_bins": 2}, {"block_rows": 500, "max_bins": 9}):
        other = grow(X, y, weights, n_classes, criterion, max_depth=6, **ways)
        for name in binned:
            np.testing.assert_array_equal(other[name], binned[name], err_msg=f"{name}, {ways}")


@pytest.mark.parametrize("criterion", ["gini", "entropy", "vi"])
@pytest.mark.parametrize("max_features", [1, 2])
@examples(40)
@given(seed=st.integers(0, 2**32 - 1))
def test_ranks_of_many_features_agree_with_the_reference(criterion, max_features, seed):
    """Few of eight features are drawn at a node: rows are divided by rank, or by value if missing ones go left."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (20, 8)).astype(float), rng.integers(0, 3, 20).astype(np.int32)
    X[rng.random(X.shape) < 0.4] = np.nan
    trees = on_both_engines(grow, X, y, None, 3, criterion, max_features=max_features, seed=seed % 1000)
    assert_same_tree(*trees)


def test_bins_of_a_feature_whose_sampled_values_are_all_missing():
    # Every second row says where to cut; all known values stand in the other rows.
    n_rows = 20_000
    X = np.full((n_rows, 1), NAN)
    X[1::2, 0] = np.arange(n_rows // 2) % 7
    y = np.where(np.isnan(X[:, 0]) | (X[:, 0] < 3), 0, 1)
    tree = grow(X, y)
    assert root(tree) == (0, 2.5, LEFT)
    assert len(tree["feature"]) == 3


@pytest.mark.parametrize(
    "way", [("local", "majority", "pure"), ("global", "majority", "pure"), ("global", "all", "pure")]
)
def test_growth_by_distance_sends_them_both_ways(engine, way):
    X = column(1, 2, 3, 4, NAN, NAN)
    assert root(grow_by_distance(X, [0, 0, 1, 1, 0, 0], distance="nvi", way=way)) == (0, 2.5, LEFT)
    assert root(grow_by_distance(X, [0, 0, 1, 1, 1, 1], distance="nvi", way=way)) == (0, 2.5, RIGHT)
    tree = grow_by_distance(X, [0, 0, 0, 0, 1, 1], distance="nvi", way=way)
    assert root(tree) == (0, np.inf, RIGHT)
    assert (tree["children_left"] == LEAF).sum() == 2
