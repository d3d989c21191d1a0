"""Splits of categories into two sets: against the reference, in every way to grow, and against all divisions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import grid_weights, limits
from support import assert_same_tree, categories_of, children_of, examples, grow, on_both_engines, rows_of_nodes
from targets import criterion_of

from pytrees._core.criteria.categories import MOST_CATEGORIES
from pytrees._core.criteria.table import CONVEX
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.reference.criteria.counts import is_greater
from pytrees.reference.criteria.table import gain_of_counts
from pytrees.testing.strategies import count_weights, no_weights, problems_with_categories

LEAST_SHARES = st.sampled_from([0.0, 0.0, 0.1, 0.3])


def grow_subsets(*problem, **options):
    return grow(*problem, subsets=True, **options)


def few_categories(weights=no_weights, **shape):
    """Draw problems whose features have no more categories than all divisions are judged of."""
    shape = {"max_rows": MOST_CATEGORIES - 2} | shape
    return problems_with_categories(weights, most_categories=5, missing=True, **shape)


@pytest.mark.parametrize("weights", [no_weights, count_weights, grid_weights])
@pytest.mark.parametrize("criterion", [*CONVEX, "ranking", "jaccard", "accuracy", "squared_error", "absolute_error"])
def test_no_allowed_division_gains_more(criterion, weights):
    """The best division is the first of the best ones: in the order of shares or means, or else by number."""

    @examples(60)
    @example([(0, 0), (1, 1), (2, 0), (2, 1), (2, 1)], 2, 0.0, True, None)
    @example([(0, 0), (1, 1), (2, 0), (2, 1), (2, 1)], 1, 0.3, True, None)
    @given(
        st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=2, max_size=16),
        st.integers(1, 5), LEAST_SHARES, st.booleans(), st.data(),
    )  # fmt: skip
    def check(samples, fewest, share, has_two, data):
        codes, y = np.array(samples).T
        numbers = None if data is None else data.draw(weights(len(y)))
        n_classes, given = 3 - has_two, criterion
        if "error" in criterion:
            y, n_classes, given = criterion_of(y, criterion)
        else:
            y = y % n_classes
        given_limits = {"min_samples_leaf": fewest, "min_weight_fraction_leaf": share, "max_depth": 1}
        problem = codes[:, np.newaxis], y, numbers, n_classes, given
        tree, twin = on_both_engines(grow_subsets, *problem, n_categories=[7], **given_limits)
        assert_same_tree(tree, twin)
        of_rows = [1] * len(y) if numbers is None else numbers.tolist()
        gain, sets = best_division(codes.tolist(), y.tolist(), of_rows, n_classes, given, fewest, share)
        assert sets_of_children(tree) == sets
        assert tree["gain"][0] == float(gain)

    check()


def best_division(codes, y, weights, n_classes, criterion, fewest, share):
    """Return the gain and both sets of the best allowed division, from the definitions; no sets if there is none."""
    present, rows = sorted(set(codes)), list(zip(codes, y, weights, strict=True))
    name, targets = criterion, range(n_classes)
    if isinstance(criterion, tuple):
        name, targets = criterion[0], criterion[1]["targets"].tolist()
        criterion = name, {"targets": targets}

    def counted(side):
        return [sum(w for c, label, w in rows if c in side and label == k) for k in range(n_classes)], weight(side)

    def weight(side):
        return sum(w for c, _, w in rows if c in side)

    def mean(category):
        return Fraction(sum(w * targets[k] for c, k, w in rows if c == category), weight([category]))

    tried = [
        [c for digit, c in enumerate(present[1:]) if number >> digit & 1] for number in range(1, 2 ** len(present) // 2)
    ]
    if name == "squared_error" or (name in CONVEX and n_classes == 2):
        ordered = sorted(present, key=mean)
        tried = [ordered[:n] for n in range(1, len(ordered))] + tried
    best, sets = 0, []
    for listed in tried if len(set(y)) > 1 else []:
        sides = sorted([sorted(listed), [c for c in present if c not in listed]])
        sizes = [sum(c in side for c in codes) for side in sides]
        if min(sizes) < fewest or min(map(weight, sides)) < Fraction(repr(share)) * sum(weights):
            continue
        gain = gain_of_counts(criterion, counted(present), [counted(listed), counted(set(present) - set(listed))])
        if not sets or is_greater(gain, best):
            best, sets = gain, sides
    return best, sets


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
