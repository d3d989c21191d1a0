"""The split of one node, against an independent search by brute force in fractions."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import UNLIMITED, assert_same_tree, effort, examples, grow, on_both_engines

from pytrees._engine import kernel
from pytrees._tree_checks import UNDEFINED
from pytrees.testing.strategies import count_weights, problems

CRITERIA = ["gini", "entropy", "etc"]
SEEDS = st.integers(0, 2**64 - 1) | st.sampled_from([0, 2**63, 2**64 - 1])


def impurity(criterion, y, weights):
    """Return the impurity of labels with whole weights, in integers and fractions only."""
    if criterion == "etc":
        return Fraction(effort(y))
    counts = [int(weights[y == label].sum()) for label in np.unique(y)]
    total = sum(counts)
    if criterion == "gini":
        return 1 - Fraction(sum(count * count for count in counts), total * total)
    table = kernel("n_log2_n")(total)
    return Fraction(int(table[total]) - sum(int(table[count]) for count in counts), total << 30)


def gain_of(criterion, y, weights, goes_left):
    gain = impurity(criterion, y, weights)
    # Sequences have no weights: their children count by their length.
    mass = np.ones_like(weights) if criterion == "etc" else weights
    for side in (goes_left, ~goes_left):
        gain -= Fraction(int(mass[side].sum()), int(mass.sum())) * impurity(criterion, y[side], weights[side])
    return gain


def exact_information(y, weights, goes_left):
    """Return the information gain times the samples, in nats, to 40 places: equal where gains are equal."""
    with localcontext(prec=60):
        total = Decimal(0)
        for rows, sign in ((slice(None), 1), (goes_left, -1), (~goes_left, -1)):
            counts = [int(weights[rows][y[rows] == label].sum()) for label in np.unique(y)]
            for count, factor in ((sum(counts), sign), *((count, -sign) for count in counts)):
                total += factor * count * Decimal(count).ln() if count else 0
        return round(total, 40)


def cuts_of(column, min_samples_leaf):
    """(lower value, upper value) around every allowed cut, ascending."""
    values = np.unique(column)
    return [
        (below, above)
        for below, above in pairwise(values)
        if min((column <= below).sum(), (column > below).sum()) >= min_samples_leaf
    ]


def tried(cuts, max_candidates):
    """Return the cuts that are tried: of too many those at the middles of `max_candidates` equal parts."""
    if len(cuts) <= max_candidates:
        return cuts
    return [cuts[int((k + Fraction(1, 2)) / max_candidates * len(cuts))] for k in range(max_candidates)]


def best_split(problem, criterion, min_samples_leaf=1, max_candidates=UNLIMITED):
    """(gain, feature, lower value, upper value) of the first split that none exceeds, or None."""
    X, y, weights, _ = problem
    weights = np.ones(len(y), dtype=np.int64) if weights is None else weights
    if len(np.unique(y)) == 1:
        return None
    splits = [
        (gain_of(criterion, y, weights, X[:, feature] <= below), feature, below, above)
        for feature in range(X.shape[1])
        for below, above in tried(cuts_of(X[:, feature], min_samples_leaf), max_candidates)
    ]
    if criterion != "entropy":
        return max(splits, key=lambda split: split[0], default=None)
    # The table of n log2 n is rounded: it tells the gain that is reported, and not which one is the greatest.
    exact = [exact_information(y, weights, X[:, feature] <= below) for _, feature, below, _ in splits]
    best = max(range(len(splits)), key=exact.__getitem__, default=None)
    if best is None:
        return None
    known = max(splits[best][0], Fraction(1, int(weights.sum()) << 30)) if exact[best] > 0 else Fraction(0)
    return known, *splits[best][1:]


def assert_root_split(tree, split):
    if split is None:
        assert tree["feature"].tolist() == [UNDEFINED]
        return
    gain, feature, below, above = split
    middle = 0.5 * below + 0.5 * above
    assert tree["feature"][0] == feature
    assert tree["threshold"][0] == (middle if below <= middle < above else below)
    assert tree["gain"][0] == float(gain)


def check_root(problem, criterion, **limits):
    split = best_split(problem, criterion, **limits)
    for tree in on_both_engines(grow, *problem, criterion, max_depth=1, **limits):
        assert_root_split(tree, split)


@pytest.mark.parametrize("criterion", CRITERIA)
@examples(300)
@given(problem=problems(max_rows=15), min_samples_leaf=st.sampled_from([1, 1, 2, 3]))
def test_root_split_is_the_best(criterion, problem, min_samples_leaf):
    check_root(problem, criterion, min_samples_leaf=min_samples_leaf)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@examples(200)
@given(problem=problems(count_weights, max_rows=12))
def test_root_split_of_weighted_samples_is_the_best(criterion, problem):
    check_root(problem, criterion)


@pytest.mark.parametrize("criterion", CRITERIA)
@examples(200)
@given(problem=problems(max_rows=20), max_candidates=st.integers(1, 8), min_samples_leaf=st.sampled_from([1, 2]))
def test_root_split_is_the_best_of_the_candidates(criterion, problem, max_candidates, min_samples_leaf):
    check_root(problem, criterion, max_candidates=max_candidates, min_samples_leaf=min_samples_leaf)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("best_cut", [0, 3, 8])
def test_as_many_candidates_as_cuts_are_all_tried(engine, criterion, best_cut):
    X, y = np.arange(10.0)[:, None], np.arange(10) > best_cut
    for max_candidates in (9, 10, UNLIMITED):
        assert grow(X, y, criterion=criterion, max_candidates=max_candidates)["threshold"][0] == best_cut + 0.5


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("max_candidates", "expected"),
    [
        (1, [4]),  # the middle of 0..8
        (2, [2, 6]),  # 9/4, 27/4
        (3, [1, 4, 7]),  # 9/6, 27/6, 45/6
        (8, [0, 1, 2, 3, 5, 6, 7, 8]),  # 9 (2k + 1) / 16
    ],
)
def test_fewer_candidates_are_evenly_spaced(engine, criterion, max_candidates, expected):
    X = np.arange(10.0)[:, None]
    chosen = set()
    for best_cut in range(9):
        tree = grow(X, np.arange(10) > best_cut, criterion=criterion, max_candidates=max_candidates, max_depth=1)
        chosen.add(int(tree["threshold"][0]))
    assert chosen == set(expected)


def test_candidates_are_spaced_over_the_allowed_cuts(engine):
    # Three samples a leaf allow the cuts 2..6 of 0..8; their middle is 4.
    X, y = np.arange(10.0)[:, None], np.arange(10) > 1
    tree = grow(X, y, min_samples_leaf=3, max_candidates=1, max_depth=1)
    assert tree["threshold"].tolist() == [4.5, UNDEFINED, UNDEFINED]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("min_samples_leaf", "expected"),
    [*((n, [10, n, 10 - n]) for n in range(1, 6)), *((n, [10]) for n in (6, 10, 11, UNLIMITED))],
)
def test_leaves_are_large_enough(engine, criterion, min_samples_leaf, expected):
    # One row is to be cut off; the nearest allowed cut is the best one, if there is any.
    X, y = np.arange(10.0)[:, None], [0] + [1] * 9
    tree = grow(X, y, criterion=criterion, min_samples_leaf=min_samples_leaf, max_depth=1)
    assert tree["n_node_samples"].tolist() == expected


def test_leaf_sizes_count_samples_not_weights(engine):
    X, y = np.arange(4.0)[:, None], [0, 1, 1, 1]
    tree = grow(X, y, np.array([100, 1, 1, 1], dtype=np.int64), min_samples_leaf=2, max_depth=1)
    assert tree["n_node_samples"].tolist() == [4, 2, 2]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("usable", [0, 3, 6])
def test_features_are_drawn_until_one_is_usable(engine, criterion, usable):
    X = np.ones((6, 7))
    X[:, usable] = range(6)
    for seed in range(20):
        tree = grow(X, [0, 0, 0, 1, 1, 1], criterion=criterion, max_features=1, max_depth=1, seed=seed)
        assert tree["feature"][0] == usable


def test_every_feature_is_drawn_sometimes(engine):
    X, y = np.tile(np.arange(6.0)[:, None], 5), [0, 0, 0, 1, 1, 1]
    drawn = [int(grow(X, y, max_features=1, max_depth=1, seed=seed)["feature"][0]) for seed in range(200)]
    counts = np.bincount(drawn, minlength=5)
    # 40 each are expected, with a standard deviation of 5.7.
    assert counts.min() >= 20
    assert counts.max() <= 60


def test_no_usable_feature_makes_a_leaf(engine):
    tree = grow(np.ones((4, 3)), [0, 1, 0, 1], max_features=1)
    assert tree["feature"].tolist() == [UNDEFINED]


@examples(300)
@given(problem=problems(max_rows=12), max_features=st.integers(1, 3), seed=SEEDS)
def test_engines_draw_the_same_features(problem, max_features, seed):
    assert_same_tree(*on_both_engines(grow, *problem, max_features=max_features, seed=seed))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_ties_go_to_the_lowest_feature(engine, criterion):
    column = np.arange(6.0)
    X = np.column_stack([np.zeros(6), column * 2, column, -column])
    tree = grow(X, [0, 0, 1, 1, 1, 1], criterion=criterion, max_depth=1)
    assert (tree["feature"][0], tree["threshold"][0]) == (1, 3.0)


@pytest.mark.parametrize(
    ("criterion", "weights"),
    [
        ("gini", None),
        ("entropy", None),
        ("etc", None),
        ("gini", np.full(3, 2, dtype=np.int64)),
        ("entropy", np.full(3, 0.3)),
    ],
)
def test_ties_go_to_the_lowest_threshold(engine, criterion, weights):
    # The two cuts mirror each other.
    tree = grow(np.arange(3.0)[:, None], [0, 1, 0], weights, criterion=criterion, max_depth=1)
    assert (tree["feature"][0], tree["threshold"][0]) == (0, 0.5)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_sums_of_weights_do_not_depend_on_their_order(engine, criterion, order):
    # The one allowed cut sends the same four rows left, whose weights add up in opposite orders.
    weights = np.array([0.8, 0.6, 0.5, 0.3, 0.3, 0.1, 0.1, 0.1])
    y = [0, 0, 0, 1, 1, 1, 1, 1]
    X = np.array([[0, 1, 2, 3, 4, 4, 4, 4], [3, 2, 1, 0, 4, 4, 4, 4]], dtype=float).T[:, order]
    first, second, both = (
        grow(columns, y, weights, criterion=criterion, min_samples_leaf=4, max_depth=1)
        for columns in (X[:, :1], X[:, 1:], X)
    )
    assert first["gain"][0] == second["gain"][0]
    assert both["feature"][0] == 0


def test_an_exact_tie_is_not_decided_by_rounding(engine):
    # Shares of 1/3 and 1/7, which no double holds: the same counts by three features.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 7)
    for _ in range(20):
        left = np.concatenate([rng.permutation(7) < size for size in (1, 3, 5)])
        other = np.concatenate([rng.permutation(7) < size for size in (1, 3, 5)])
        X = np.column_stack([other, left, other]).astype(float)
        for criterion in ("gini", "entropy"):
            assert grow(X, y, criterion=criterion, max_depth=1)["feature"][0] == 0
