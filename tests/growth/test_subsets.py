"""Splits of categories into two sets: against the reference, in every way to grow, and against all divisions."""

from itertools import combinations

import numpy as np
import pytest
from category_gains import CRITERIA, sized
from hypothesis import assume, example, given
from hypothesis import strategies as st
from strategies import limits
from support import UNLIMITED, assert_same_tree, examples, grow, on_both_engines

from pytrees._core.criteria.categories import CONVEX, MOST_CATEGORIES, orders_by_share
from pytrees._engine import config_context
from pytrees.criteria import CountCriterion, SequenceCriterion
from pytrees.reference.criteria import categories as reference
from pytrees.reference.criteria.counts import is_greater
from pytrees.reference.criteria.table import gain_of_counts
from pytrees.testing.strategies import count_weights, float_weights, no_weights, problems_with_categories
from pytrees.tree import LEAF, MULTIWAY

SEQUENCE_CRITERIA = ["etc", "lz76"]
LEAST_SHARES = st.sampled_from([0.0, 0.0, 0.1, 0.3])


class Purity(CountCriterion):
    """Samples of the most frequent class; a division that leaves it is forbidden."""

    def gains(self, left, right):
        gains = left.max(axis=1) + right.max(axis=1) - (left + right).max(axis=1)
        return np.where(gains > 0, gains, -np.inf)


class Spread(SequenceCriterion):
    """Samples that stand close together are to stay together."""

    needs_rows = True

    def gain(self, labels, goes_left, rows):
        return np.std(rows) - np.std(rows[goes_left]) - np.std(rows[~goes_left])


def grow_subsets(*problem, **options):
    return grow(*problem, subsets=True, **options)


def few_categories(weights=no_weights, **shape):
    """Draw problems whose features have no more categories than all divisions may be judged of."""
    shape = {"max_rows": MOST_CATEGORIES - 2} | shape
    return problems_with_categories(weights, most_categories=5, missing=True, **shape)


def two_classes(drawn):
    problem, n_categories = drawn
    problem.y %= 2
    problem.n_classes = 2
    return problem, n_categories


# -------------------------------------------------------------------------------------------------------- both engines


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weights", [no_weights, count_weights, float_weights])
def test_engines_grow_the_same_tree(criterion, weights):
    @examples(50)
    @given(few_categories(weights), limits(), LEAST_SHARES)
    def check(drawn, growth_limits, least_share):
        problem, n_categories = drawn
        options = growth_limits | {"n_categories": n_categories, "min_weight_fraction_leaf": least_share}
        specification = sized(criterion, problem.n_classes)
        assert_same_tree(*on_both_engines(grow_subsets, *problem, specification, **options))

    check()


@pytest.mark.parametrize("criterion", CONVEX)
@pytest.mark.parametrize("weights", [no_weights, count_weights, float_weights])
def test_engines_grow_the_same_tree_of_two_classes(criterion, weights):
    @examples(80)
    @given(
        problems_with_categories(weights, max_rows=40, most_categories=20, missing=True).map(two_classes),
        limits(),
        LEAST_SHARES,
    )
    def check(drawn, growth_limits, least_share):
        problem, n_categories = drawn
        options = growth_limits | {"n_categories": n_categories, "min_weight_fraction_leaf": least_share}
        assert_same_tree(*on_both_engines(grow_subsets, *problem, criterion, **options))

    check()


@pytest.mark.parametrize("criterion", SEQUENCE_CRITERIA)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_engines_grow_the_same_tree_of_sequences(n_threads, criterion):
    @examples(50)
    @given(problems_with_categories(max_rows=9, most_categories=5, missing=True), limits())
    def check(drawn, growth_limits):
        problem, n_categories = drawn
        options = growth_limits | {"n_categories": n_categories, "n_threads": n_threads}
        assert_same_tree(*on_both_engines(grow_subsets, *problem, criterion, **options))

    check()


@pytest.mark.parametrize("criterion", [Purity(), Spread()], ids=lambda criterion: criterion.name)
def test_engines_grow_the_same_tree_by_a_user_s_criterion(criterion):
    weights = st.sampled_from([no_weights] if criterion.judges == "sequence" else [count_weights, float_weights])

    @examples(60)
    @given(weights.flatmap(lambda weights: few_categories(weights, max_rows=9)), limits())
    def check(drawn, growth_limits):
        problem, n_categories = drawn
        specification = criterion.specification(problem.n_classes)
        options = growth_limits | {"n_categories": n_categories}
        assert_same_tree(*on_both_engines(grow_subsets, *problem, specification, **options))

    check()


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weights", [no_weights, count_weights])
def test_bins_and_blocks_of_any_size_agree_with_the_reference(criterion, weights):
    drawn_problems = problems_with_categories(weights, max_rows=40, most_categories=8, missing=True).map(two_classes)

    @examples(80)
    @given(drawn_problems, limits(max_candidates=UNLIMITED), st.integers(1, 12), st.sampled_from([2, 3, 256]))
    def check(drawn, growth_limits, block_rows, max_bins):
        problem, n_categories = drawn
        options = growth_limits | {"n_categories": n_categories}
        tree = grow_subsets(*problem, criterion, block_rows=block_rows, max_bins=max_bins, **options)
        with config_context(engine="reference"):
            assert_same_tree(tree, grow_subsets(*problem, criterion, **options))

    check()


@pytest.mark.parametrize("criterion", ["gini", "etc"])
def test_subsamples_and_repeated_samples(criterion):
    @examples(50)
    @given(few_categories(min_rows=2, max_rows=9), limits(), st.data())
    def check(drawn, growth_limits, data):
        problem, n_categories = drawn
        numbers = st.integers(0, len(problem.X) - 1)
        rows = data.draw(st.lists(numbers, min_size=1, max_size=12, unique=criterion == "gini"))
        options = growth_limits | {"n_categories": n_categories, "rows": np.array(rows)}
        assert_same_tree(*on_both_engines(grow_subsets, *problem, criterion, **options))

    check()


@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini"])
@pytest.mark.parametrize("n_rows", [16384, 16385, 65536, 65537])
def test_all_code_paths_grow_the_same_tree_around_their_thresholds(criterion, n_rows):
    rng = np.random.default_rng(n_rows)
    X = np.column_stack(
        [rng.normal(size=n_rows), rng.integers(0, 7, n_rows), rng.integers(0, 3000, n_rows), rng.integers(0, 2, n_rows)]
    )
    y = (rng.random(n_rows) < 0.3 + 0.05 * X[:, 1] * (X[:, 0] > 0)).astype(np.int32)
    options = {"n_categories": [0, 7, 3000, 2], "max_depth": 4, "min_samples_leaf": 3}
    tree = grow_subsets(X, y, None, 2, criterion, **options)
    assert np.diff(tree["category_offsets"]).max() > 1
    assert_same_tree(tree, grow_subsets(X, y, None, 2, criterion, block_rows=n_rows, **options))
    assert_same_tree(tree, grow_subsets(X, y, None, 2, criterion, block_rows=500, max_bins=16, **options))
    assert_same_tree(tree, grow_subsets(X, y, None, 2, criterion, **options, max_leaf_nodes=10**6))


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
        # Gains of entropy that are equal can be reported as numbers that are not: the tree has that of its division.
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
    rows = {0: np.arange(len(problem.X))}
    for node in range(len(tree["feature"])):
        children = tree["children"][tree["child_offsets"][node] : tree["child_offsets"][node + 1]]
        assert len(rows[node]) == tree["n_node_samples"][node]
        if tree["children_left"][node] == LEAF:
            continue
        assert len(children) == 2
        values = problem.X[rows[node], tree["feature"][node]]
        for number, child in enumerate(children):
            listed = tree["categories"][tree["category_offsets"][child] : tree["category_offsets"][child + 1]]
            if tree["children_left"][node] == MULTIWAY:
                chosen = np.isin(values, listed)
                assert set(values[chosen]) == set(listed)
                assert sorted(listed) == listed.tolist()
                assert listed[0] == tree["category"][child]
                assert (values.min() in listed) == (number == 0)
            else:
                assert not len(listed)
                goes_left = values <= tree["threshold"][node]
                goes_left |= np.isnan(values) & (tree["missing_go_to_left"][node] == 1)
                chosen = goes_left == (number == 0)
            rows[child] = rows[node][chosen]


def test_of_equal_divisions_the_first_wins(engine):
    # Categories 1 and 2 have the same share of the second class; of all three a division by 0 is as good as one by 2.
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1], dtype=np.int32)
    X = np.array([0, 0, 1, 1, 2, 2, 3, 3], dtype=np.float64)[:, np.newaxis]
    tree = grow_subsets(X, y, None, 2, "gini", n_categories=[4], max_depth=1)
    assert sets_of_children(tree) == [[0], [1, 2, 3]]
    tree = grow_subsets(X, y, None, 3, "gini", n_categories=[4], max_depth=1)
    assert sets_of_children(tree) == [[0, 1, 2], [3]] or sets_of_children(tree) == [[0], [1, 2, 3]]


def sets_of_children(tree):
    parts = np.split(tree["categories"], tree["category_offsets"][1:-1])
    return [part.tolist() for part in parts[1:]]


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 3), ("wig", 2), ("ranking", 2), ("etc", 2)])
def test_too_many_categories_are_refused(engine, criterion, n_classes):
    X = np.arange(MOST_CATEGORIES + 1, dtype=np.float64)[:, np.newaxis]
    y = (np.arange(len(X)) % 2).astype(np.int32)
    with pytest.raises(ValueError, match=f"Feature 0 has {MOST_CATEGORIES + 1} categories: .* {MOST_CATEGORIES}"):
        grow_subsets(X, y, None, n_classes, criterion, n_categories=[len(X)])
    assert len(grow_subsets(X[:-1], y[:-1], None, n_classes, criterion, n_categories=[len(X) - 1])["feature"]) > 1
