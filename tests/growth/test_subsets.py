"""Splits of categories into two sets: against the reference, in every way to grow, and against all divisions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from strategies import limits
from support import categories_of, children_of, examples, grow, rows_of_nodes

from pytrees._core.criteria.categories import MOST_CATEGORIES
from pytrees._core.criteria.table import CONVEX, orders_by_share
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.reference.criteria import categories as reference
from pytrees.reference.criteria.counts import is_greater
from pytrees.reference.criteria.table import gain_of_counts
from pytrees.testing.strategies import no_weights, problems_with_categories

SEQUENCE_CRITERIA = ["etc", "lz76"]
LEAST_SHARES = st.sampled_from([0.0, 0.0, 0.1, 0.3])


def grow_subsets(*problem, **options):
    return grow(*problem, subsets=True, **options)


def few_categories(weights=no_weights, **shape):
    """Draw problems whose features have no more categories than all divisions are judged of."""
    shape = {"max_rows": MOST_CATEGORIES - 2} | shape
    return problems_with_categories(weights, most_categories=5, missing=True, **shape)


# ----------------------------------------------------------------------------------------------------- what is the best


@pytest.mark.parametrize("criterion", CONVEX)
def test_no_division_gains_more_than_the_best_in_the_order_of_shares(criterion):
    assert orders_by_share(criterion, 2)
    assert reference.orders_by_share(criterion, 2)

    @examples(150)
    @example([(0, 1), (3, 1), (3, 3), (4, 1)])
    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any), min_size=2, max_size=7))
    def check(counts):
        assume(all(map(sum, zip(*counts, strict=True))))
        codes = np.repeat(np.arange(len(counts)), [sum(of_category) for of_category in counts])
        y = np.concatenate([np.repeat([0, 1], of_category) for of_category in counts]).astype(np.int32)
        X = codes[:, np.newaxis].astype(np.float64)
        tree = grow_subsets(X, y, None, 2, criterion, n_categories=[len(counts)], max_depth=1)
        # Equal gains of entropy may be reported as different numbers: the tree reports the gain of its own division.
        assert tree["gain"][0] in [float(gain) for gain in greatest_gains(criterion, counts)]

    check()


def greatest_gains(criterion, counts):
    """Return the gains of all divisions that none exceeds, the classes being counted by category."""
    node = [sum(column) for column in zip(*counts, strict=True)]
    best = []
    for size in range(1, len(counts)):
        for listed in combinations(counts, size):
            left = [sum(column) for column in zip(*listed, strict=True)]
            right = [all_of - part for all_of, part in zip(node, left, strict=True)]
            children = [(left, sum(left)), (right, sum(right))]
            gain = gain_of_counts(criterion, (node, sum(node)), children)
            if not best or is_greater(gain, best[0]):
                best = [gain]
            elif not is_greater(best[0], gain):
                best.append(gain)
    return best


@examples(100)
@given(few_categories(), limits())
def test_children_have_the_categories_of_their_samples(engine, drawn, growth_limits):
    problem, n_categories = drawn
    tree = grow_subsets(*problem, "gini", **growth_limits, n_categories=n_categories)
    rows = rows_of_nodes(tree, problem.X)
    assert [len(here) for here in rows] == tree["n_node_samples"].tolist()
    for node in np.flatnonzero(tree["children_left"] != LEAF):
        children, values = children_of(tree, node), problem.X[rows[node], tree["feature"][node]]
        assert len(children) == 2
        for number, child in enumerate(children):
            listed = categories_of(tree, child).tolist()
            if tree["children_left"][node] == MULTIWAY:
                assert listed == sorted(set(problem.X[rows[child], tree["feature"][node]]))
                assert listed[0] == tree["category"][child]
                assert (values.min() in listed) == (number == 0)
            else:
                assert not listed


def test_the_first_of_equal_divisions_wins(engine):
    # Categories 1 and 2 have the same share of the second class; splitting off 0 gains as much as splitting off 3.
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1], dtype=np.int32)
    X = np.array([0, 0, 1, 1, 2, 2, 3, 3], dtype=np.float64)[:, np.newaxis]
    tree = grow_subsets(X, y, None, 2, "gini", n_categories=[4], max_depth=1)
    assert sets_of_children(tree) == [[0], [1, 2, 3]]
    tree = grow_subsets(X, y, None, 3, "gini", n_categories=[4], max_depth=1)
    assert sets_of_children(tree) == [[0, 1, 2], [3]] or sets_of_children(tree) == [[0], [1, 2, 3]]


@pytest.mark.parametrize("weights", [None, np.full(10, 0.3)], ids=["counts", "weights"])
def test_categories_of_equal_shares_are_in_the_order_of_their_codes(engine, weights):
    X, y = np.repeat(np.arange(5.0), 2)[:, np.newaxis], np.tile([0, 1], 5).astype(np.int32)
    for fewest in (1, 2, 3, 4, 5):
        tree = grow_subsets(X, y, weights, 2, "gini", n_categories=[5], max_depth=1, min_samples_leaf=fewest)
        n_left = -(-fewest // 2)
        assert sets_of_children(tree) == ([list(range(n_left)), list(range(n_left, 5))] if fewest < 5 else [])


def sets_of_children(tree):
    parts = np.split(tree["categories"], tree["category_offsets"][1:-1])
    return [part.tolist() for part in parts[1:]]


# ----------------------------------------------------------------------------------------------------- many categories


@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 3), ("wig", 2), ("ranking", 2), ("etc", 2)])
def test_a_category_for_every_sample(engine, criterion, n_classes):
    """Classes alternate, so that a cut of any order by share separates them, as some division of all does."""
    for n_codes in (MOST_CATEGORIES, MOST_CATEGORIES + 1, 20):
        X = np.arange(n_codes, dtype=np.float64)[:, np.newaxis]
        y = (np.arange(n_codes) % 2).astype(np.int32)
        tree = grow_subsets(X, y, None, n_classes, criterion, n_categories=[n_codes])
        assert sets_of_children(tree) == [list(range(0, n_codes, 2)), list(range(1, n_codes, 2))]


@pytest.mark.parametrize("n_classes", [3, 4, 9])
@pytest.mark.parametrize("seed", range(8))
def test_many_categories_are_cut_along_the_first_principal_direction(engine, seed, n_classes):
    rng = np.random.default_rng(seed)
    # Two kinds of shares, from which categories differ a little: the first eigenvalue is far from the second.
    one, other = rng.dirichlet(np.ones(n_classes), 2)
    mixture = rng.random((15, 1))
    counts = np.round(200 * (mixture * one + (1 - mixture) * other)).astype(int) + 1
    codes = np.repeat(np.arange(15.0), counts.sum(axis=1))
    y = np.concatenate([np.repeat(np.arange(n_classes), of_category) for of_category in counts]).astype(np.int32)
    tree = grow_subsets(codes[:, np.newaxis], y, None, n_classes, "gini", n_categories=[15], max_depth=1)
    weights = counts.sum(axis=1)
    deviations = counts / weights[:, np.newaxis] - counts.sum(axis=0) / weights.sum()
    values, vectors = np.linalg.eigh((weights[:, np.newaxis] * deviations).T @ deviations)
    assert values[-2] < 0.2 * values[-1]
    order = np.argsort(deviations @ vectors[:, -1])
    left = counts[order].cumsum(axis=0)[:-1]
    right = counts.sum(axis=0) - left
    pure = sum((side**2).sum(axis=1) / side.sum(axis=1) for side in (left, right))
    expected = {frozenset(order[: pure.argmax() + 1].tolist()), frozenset(order[pure.argmax() + 1 :].tolist())}
    assert set(map(frozenset, sets_of_children(tree))) == expected


def test_equal_shares_are_in_the_order_of_their_codes(engine):
    X, y = np.tile(np.arange(14.0), 3)[:, np.newaxis], np.repeat([0, 1, 2], 14).astype(np.int32)
    tree = grow_subsets(X, y, None, 3, "gini", n_categories=[14], max_depth=1, min_samples_leaf=12)
    assert sets_of_children(tree) == [list(range(4)), list(range(4, 14))]
