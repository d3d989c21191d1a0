"""Splits by category of trees of numbers: by hand, equal trees of both engines and of a naive program, and ties."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import limits as limits_of_growth
from support import assert_same_tree, categories_of, children_of, examples, on_both_engines
from targets import Naive, grow_numbers, problems_of_numbers, target_sums

from pytrees._core.criteria.categories import MOST_CATEGORIES
from pytrees._tree_checks import LEAF, MULTIWAY

ERRORS = ["squared_error", "absolute_error"]


def sets_of_children(tree, node=0):
    """Return the categories that lead to every child of a node."""
    return [categories_of(tree, child).tolist() for child in children_of(tree, node)]


def column(codes):
    return np.array(codes, dtype=np.float64)[:, np.newaxis]


# Targets 0, 2 | 9 | 1, 3: mean 3, variance (9 + 1 + 36 + 4 + 0) / 5 = 10, median 2, distances (2 + 0 + 7 + 1 + 1) / 5.
# Children of a category each have the squares 2 + 0 + 2 and the distances 2 + 0 + 2. The best sets are categories 0 and
# 2, of the means 1 and 2, against category 1: squares of 0, 2, 1, 3 from 3 / 2 are 5, and distances to 1 are 4.
@pytest.mark.parametrize(
    ("error", "subsets", "gain", "sets"),
    [
        ("squared_error", False, 10 - Fraction(4, 5), [[0], [1], [2]]),
        ("absolute_error", False, Fraction(11 - 4, 5), [[0], [1], [2]]),
        ("squared_error", True, 10 - Fraction(5, 5), [[0, 2], [1]]),
        ("absolute_error", True, Fraction(11 - 4, 5), [[0, 2], [1]]),
    ],
)
def test_a_split_by_hand(engine, error, subsets, gain, sets):
    tree = grow_numbers(
        column([0, 0, 1, 2, 2]), [0, 2, 9, 1, 3], None, error, max_depth=1, n_categories=[3], subsets=subsets
    )
    assert sets_of_children(tree) == sets
    assert tree["gain"][0] == float(gain)
    assert tree["children_left"][0] == tree["children_right"][0] == MULTIWAY
    assert tree["weight"].tolist() == ([5, 4, 1] if subsets else [5, 2, 1, 2])
    of_means, of_medians = ([15, 6, 9], [10, 4, 9]) if subsets else ([15, 2, 9, 4], [10, 0, 9, 2])
    assert target_sums(tree) == (of_means if error == "squared_error" else of_medians)


@pytest.mark.parametrize("subsets", [False, True])
@pytest.mark.parametrize("error", ERRORS)
def test_a_single_category_has_no_split(engine, error, subsets):
    tree = grow_numbers(column([3, 3, 3]), [0, 1, 5], None, error, n_categories=[5], subsets=subsets)
    assert tree["children_left"].tolist() == [LEAF]
    assert tree["weight"].tolist() == [3]


@pytest.mark.parametrize("error", ERRORS)
def test_a_category_for_every_sample(engine, error):
    targets = np.arange(40) * 7 % 41
    tree = grow_numbers(column(range(40)), targets, None, error, n_categories=[400])
    assert tree["category"].tolist() == [-1, *range(40)]
    assert target_sums(tree)[1:] == targets.tolist()
    assert not tree["impurity"][1:].any()


def test_the_order_of_means_is_best_for_squared_errors_alone(engine):
    X, targets = column(range(MOST_CATEGORIES + 1)), np.arange(MOST_CATEGORIES + 1) % 5
    options = {"n_categories": [MOST_CATEGORIES + 1], "subsets": True, "max_depth": 1}
    for error in ERRORS:
        tree = grow_numbers(X, targets, None, error, **options)
        assert sets_of_children(tree) == [[0, 1, 5, 6, 10, 11], [2, 3, 4, 7, 8, 9, 12]]
        assert tree["splits_by_heuristic"].tolist() == [error == "absolute_error", 0, 0]


@pytest.mark.parametrize("seed", range(6))
def test_medians_of_many_categories_are_divided_in_the_order_of_means(engine, seed):
    rng = np.random.default_rng(seed)
    n_codes, n_rows = int(rng.integers(MOST_CATEGORIES + 1, 30)), int(rng.integers(60, 200))
    codes = rng.permutation(np.arange(n_rows) % n_codes)
    targets = rng.integers(0, 100, n_rows) + codes * 7 % 11
    tree = grow_numbers(
        column(codes), targets, None, "absolute_error", n_categories=[n_codes], subsets=True, max_depth=1
    )

    def cost(rows):
        return np.abs(targets[rows] - np.sort(targets[rows])[(np.count_nonzero(rows) - 1) // 2]).sum()

    ordered = sorted(
        range(n_codes), key=lambda code: Fraction(int(targets[codes == code].sum()), int((codes == code).sum()))
    )
    prefixes = [np.isin(codes, ordered[:n]) for n in range(1, n_codes)]
    best = min(cost(left) + cost(~left) for left in prefixes)
    assert tree["gain"][0] == float(Fraction(int(cost(np.full(n_rows, True)) - best), n_rows))


@examples(60)
@pytest.mark.parametrize("has_categories", [False, True])
@given(data=st.data(), error=st.sampled_from(ERRORS))
def test_trees_of_a_naive_program(has_categories, data, error):
    (X, targets, weights), options = data.draw(problems_of_numbers(has_categories, max_rows=12))
    tree = grow_numbers(X, targets, weights, error, **options)
    names = ("feature", "threshold", "missing_go_to_left", "gain")
    found = [
        (
            [c for c in categories_of(tree, node).tolist() if c >= 0] if has_categories else [],
            *(tree[name][node] for name in names),
        )
        for node in range(len(tree["feature"]))
    ]
    assert found == Naive(X, targets, weights, error, **options).nodes(range(len(X)))


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_divisions_of_many_samples(error, seed):
    """The medians of sets of categories are looked up in steps of some samples."""
    rng = np.random.default_rng(seed)
    n_rows, n_codes = int(rng.integers(60, 400)), 7
    codes, weights = rng.integers(0, n_codes, n_rows), rng.integers(1, 4, n_rows)
    targets = rng.integers(-(10**6), 10**6, n_rows) + codes * int(rng.integers(10**5))
    if seed > 3:
        targets, weights = targets * 2**14, weights * 2**34 + rng.integers(0, 2**34, n_rows)
    tree = grow_numbers(column(codes), targets, weights, error, n_categories=[n_codes], subsets=True, max_depth=1)

    def cost(rows):
        pairs = sorted(zip(targets[rows].tolist(), weights[rows].tolist(), strict=True))
        total, of_all = sum(w for _, w in pairs), sum(w * t for t, w in pairs)
        if error == "squared_error":
            return sum(w * t * t for t, w in pairs) - Fraction(of_all**2, total)
        up_to = np.cumsum([w for _, w in pairs])
        median = pairs[int(np.searchsorted(2 * up_to, total))][0]
        return sum(w * abs(t - median) for t, w in pairs)

    best = min(
        cost(np.isin(codes, left)) + cost(~np.isin(codes, left))
        for size in range(1, n_codes)
        for left in combinations(range(n_codes), size)
    )
    assert tree["gain"][0] == float(Fraction(cost(np.full(n_rows, True)) - best) / int(weights.sum()))


@pytest.mark.parametrize(
    ("has_categories", "sizes"), [(False, {}), (True, {}), (True, {"most_categories": 40, "max_rows": 40})]
)
@given(data=st.data(), error=st.sampled_from(ERRORS))
def test_both_engines_grow_equal_trees(has_categories, sizes, data, error):
    problem, options = data.draw(problems_of_numbers(has_categories, **sizes))
    limits = data.draw(limits_of_growth())
    assert_same_tree(*on_both_engines(grow_numbers, *problem, error, **options, **limits))


@pytest.mark.parametrize("has_categories", [False, True])
@given(data=st.data(), error=st.sampled_from(ERRORS))
def test_ranked_features_and_some_rows(has_categories, data, error):
    """A few of many features are ranked; a tree of some rows may be one leaf, which no block holds."""
    (X, targets, weights), options = data.draw(problems_of_numbers(has_categories, max_features=1))
    X = np.hstack([X] + [np.roll(X, shift, axis=0) for shift in range(7)])
    if has_categories:
        options["n_categories"] = np.repeat(options["n_categories"], 8)
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(X) - 1), min_size=1))))
    limits = {"max_features": data.draw(st.sampled_from([1, 8])), "rows": rows, "seed": data.draw(st.integers(0, 99))}
    assert_same_tree(*on_both_engines(grow_numbers, X, targets, weights, error, **options, **limits))


@given(drawn=problems_of_numbers(True, most_categories=2), error=st.sampled_from(ERRORS), data=st.data())
def test_two_categories_split_as_a_threshold_does(drawn, error, data):
    (X, targets, weights), options = drawn
    limits = data.draw(limits_of_growth(max_candidates=2**31 - 1))
    names = ("n_node_samples", "feature", "gain", "weight", "target_sum")
    numeric = grow_numbers(X, targets, weights, error, **limits)
    # A draw of features ends at categories whose samples are enough for two sets, though the sets may be too small.
    is_limited = limits["min_samples_leaf"] > 1 or limits["min_weight_fraction_leaf"] > 0.0
    draws_alike = limits["max_features"] >= X.shape[1] or not is_limited
    for subsets in (False, True) if draws_alike else (False,):
        tree = grow_numbers(X, targets, weights, error, **(options | limits | {"subsets": subsets}))
        assert_same_tree({name: tree[name] for name in names}, {name: numeric[name] for name in names})


@pytest.mark.parametrize("has_categories", [False, True])
@given(data=st.data(), error=st.sampled_from(ERRORS))
def test_weights_count_samples(has_categories, data, error):
    """A sample of weight w is a sample that is there w times."""
    (X, targets, weights), options = data.draw(problems_of_numbers(has_categories))
    weights = np.arange(len(X)) % 3 + 1 if weights is None else weights
    weights = weights if weights.sum() <= 1000 else weights % 4 + 1
    repeated = grow_numbers(np.repeat(X, weights, axis=0), np.repeat(targets, weights), None, error, **options)
    tree = grow_numbers(X, targets, weights, error, **options)
    assert_same_tree(tree, repeated, names=set(tree) - {"n_node_samples"})


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("kind", ["numbers", "wide sums", "multiway", "subsets"])
@pytest.mark.parametrize("max_leaf_nodes", [2**31 - 1, 50])
def test_order_and_threads_change_nothing(error, kind, max_leaf_nodes):
    rng = np.random.default_rng(0)
    options = {"max_leaf_nodes": max_leaf_nodes}
    n_categories = np.zeros(4, dtype=int)
    if kind in ("multiway", "subsets"):
        n_categories[[0, 2, 3]] = [12, 5, 12 if error == "absolute_error" and kind == "subsets" else 900]
        options |= {"n_categories": n_categories, "subsets": kind == "subsets"}
    X = np.column_stack([rng.integers(0, n_codes or 50, 6000) for n_codes in n_categories]).astype(np.float64)
    targets, weights = rng.integers(-(10**6), 10**6, 6000), np.ones(6000, dtype=np.int64)
    if kind == "wide sums":
        targets, weights = targets * 2**15, rng.integers(1, 2**32, 6000)
    tree = grow_numbers(X, targets, weights, error, **options)
    shuffled = rng.permutation(6000)
    assert_same_tree(tree, grow_numbers(X[shuffled], targets[shuffled], weights[shuffled], error, **options))
    # Blocks and bins are asked for, but sums of 128 bits do not take them.
    for way in ({"n_threads": 2, "part_rows": 500}, {"block_rows": 300}):
        assert_same_tree(tree, grow_numbers(X, targets, weights, error, **options, **way))


def test_more_samples_than_narrow_entries_hold():
    """Many categories among many samples: the best cut of the categories sorted by their means."""
    rng = np.random.default_rng(1)
    n_rows, n_codes = 70_000, 3000
    codes = rng.integers(0, n_codes, n_rows)
    targets = rng.integers(-(10**9), 10**9, n_rows) + rng.integers(-(10**8), 10**8, n_codes)[codes]
    tree = grow_numbers(column(codes), targets, n_categories=[n_codes], subsets=True, max_depth=1)
    sizes, sums = np.bincount(codes, minlength=n_codes).tolist(), [0] * n_codes
    for code, target in zip(codes.tolist(), targets.tolist(), strict=True):
        sums[code] += target
    ordered = sorted(range(n_codes), key=lambda code: Fraction(sums[code], sizes[code]))
    n_left, left_sum, total, gains = 0, 0, sum(sums), []
    for code in ordered[:-1]:
        n_left, left_sum = n_left + sizes[code], left_sum + sums[code]
        gains.append(Fraction((n_rows * left_sum - n_left * total) ** 2, n_left * (n_rows - n_left) * n_rows**2))
    left = sorted(ordered[: gains.index(max(gains)) + 1])
    assert tree["gain"][0] == float(max(gains))
    assert left in sets_of_children(tree)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("subsets", [False, True])
@pytest.mark.parametrize("n_categories", [[3, 3], [3, 0], [0, 3], [2, 3]])
def test_ties_go_to_the_lower_feature(engine, error, subsets, n_categories):
    # Both features part 0 and 0 from 6, whatever their kinds; three children gain as much as two.
    codes = [[0, 0, 2], [0, 1, 2]][not subsets and n_categories[0] == 3]
    X = np.column_stack([np.minimum(codes, 1) if n_categories[0] == 2 else codes, [0, 0, 2]])
    tree = grow_numbers(X, [0, 0, 6], None, error, n_categories=n_categories, subsets=subsets)
    assert tree["feature"][0] == 0
    swapped = grow_numbers(X[:, ::-1], [0, 0, 6], None, error, n_categories=n_categories[::-1], subsets=subsets)
    assert swapped["feature"][0] == 0


@pytest.mark.parametrize("error", ERRORS)
def test_categories_of_equal_means_are_in_the_order_of_their_codes(engine, error):
    X, targets = column(np.repeat(np.arange(5), 2)), np.tile([-1, 1], 5)
    for fewest in range(1, 6):
        tree = grow_numbers(
            X, targets, None, error, n_categories=[5], max_depth=1, min_samples_leaf=fewest, subsets=True
        )
        n_left = -(-fewest // 2)
        if fewest == 5:
            assert sets_of_children(tree) == []
        elif error == "squared_error":
            assert sets_of_children(tree) == [list(range(n_left)), list(range(n_left, 5))]
        else:
            # The lowest number lists the lowest categories after the first.
            assert sets_of_children(tree) == [[0, *range(1 + n_left, 5)], list(range(1, 1 + n_left))]


def test_the_first_of_equal_divisions_wins(engine):
    # The means are 0, 1, 1, 2: to part off the first gains as much as to part off the last.
    tree = grow_numbers(column([3, 1, 2, 0]), [0, 1, 1, 2], n_categories=[4], subsets=True, max_depth=1)
    assert sets_of_children(tree) == [[0, 1, 2], [3]]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("swaps", [False, True])
def test_ties_of_leaves_go_to_the_leftmost(engine, error, swaps):
    """Two children of one leaf gain as much as three children of the other: only the leftmost leaf is split."""
    codes = [[0, 1, 2], [0, 0, 1]][:: -1 if swaps else 1]
    X = np.column_stack([np.repeat([0, 1], 3), np.ravel(codes)])
    tree = grow_numbers(X, [0, 0, 6, 1000, 1000, 1006], None, error, n_categories=[0, 3], max_leaf_nodes=4)
    assert tree["feature"][tree["feature"] >= 0].tolist() == [0, 1]
    assert tree["feature"][1] == 1
    assert len(children_of(tree, 1)) == (2 if swaps else 3)


@st.composite
def nearly_equal_categories(draw, most_sum):
    """Two features of categories, 1 at the place of 0 in one light sample, whose target is such that both features gain
    nearly the same. Sums of squares over their common denominator do not fit 128 bits."""
    n_rows = draw(st.integers(4, 8))
    weights = np.array(draw(st.lists(st.integers(1, 10**4), min_size=n_rows, max_size=n_rows)))
    weights[0] = draw(st.integers(1, 3))
    largest = most_sum // int(weights.sum())
    targets = np.array(draw(st.lists(st.integers(-largest, largest), min_size=n_rows, max_size=n_rows)))
    codes = np.array([0, 0, 1, *draw(st.lists(st.integers(0, 3), min_size=n_rows - 3, max_size=n_rows - 3))])
    codes[-1] = 2
    others = codes.copy()
    others[0] = 1
    below, above = sorted(targets[1:3].tolist())

    def is_better(target):
        targets[0] = target
        return gain_of_squares(codes, targets, weights) > gain_of_squares(others, targets, weights)

    # One feature is better at one of these targets, the other feature at the other target.
    is_better_below = is_better(below)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if is_better(middle) == is_better_below else (below, middle)
    targets[0] = draw(st.sampled_from([below, above]))
    return np.column_stack([codes, others]), targets, weights


def gain_of_squares(codes, targets, weights):
    """Return the sum over the categories of sum**2 / weight."""
    weights, targets = weights.astype(object), targets.astype(object)
    return sum(
        Fraction((weights * targets)[codes == code].sum() ** 2, weights[codes == code].sum())
        for code in set(codes.tolist())
    )


@examples(300)
@given(nearly_equal_categories(2**60), st.booleans())
def test_gains_that_nearly_tie_are_compared_exactly(problem, is_wide):
    X, targets, weights = problem
    if is_wide:
        targets, weights = targets >> max(0, int(np.abs(targets).max()).bit_length() - 35), weights << 28
    gains = [gain_of_squares(codes, targets, weights) for codes in X.T]
    grown = on_both_engines(grow_numbers, X, targets, weights, n_categories=[4, 4], max_depth=1)
    assert_same_tree(*grown)
    if len(grown[0]["feature"]) > 1:
        assert grown[0]["feature"][0] == (gains[1] > gains[0])


def test_squares_of_sums_that_are_0_in_128_bits(engine):
    """The children's sums are 2**64 and -2**64, for both features. Their weights differ by one, so that the second
    feature gains a little more."""
    X = [[0, 0], [0, 0], [0, 1], [1, 1]]
    targets, weights = [2**34, 2**35, 0, -(2**34)], [2**30 - 2, 1, 1, 2**30]
    tree = grow_numbers(X, targets, np.array(weights), n_categories=[2, 2], max_depth=1)
    assert tree["feature"][0] == 1


@examples(300)
@given(nearly_equal_categories(2**55))
def test_leaves_whose_gains_nearly_tie_are_compared_exactly(problem):
    """Best-first growth splits one of two leaves, whose samples have the categories of one feature each. The targets of
    one leaf lie above those of the other, so that most trees part the leaves first."""
    X, targets, weights = problem
    gains = [gain_of_squares(codes, targets, weights) for codes in X.T]
    table = np.column_stack([np.repeat([0, 1], len(X)), X.T.ravel()])
    targets = np.concatenate([targets, targets + 4 * int(np.ptp(targets)) + 1])
    options = {"n_categories": [0, 4], "max_leaf_nodes": 1 + len(set(X[:, 0].tolist()))}
    grown = on_both_engines(grow_numbers, table, targets, np.tile(weights, 2), **options)
    assert_same_tree(*grown)
    if grown[0]["feature"][0] == 0 and len(grown[0]["feature"]) > 3:
        chosen = grown[0]["children_right" if gains[1] > gains[0] else "children_left"][0]
        assert grown[0]["feature"][chosen] == 1


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(
    ("X", "targets", "n_categories"),
    [
        ([[0, 0], [1, 0], [1, 1]], [-(2**57), 0, 2**57 + 1], []),
        ([[0, 0], [1, 0], [1, 1], [2, 2]], [-(2**56), 0, 2**56 + 1, 5 * 2**54], [3, 3]),
    ],
)
def test_sums_beyond_53_bits_are_exact(engine, error, X, targets, n_categories):
    """The second feature's cut or children are better than the first's by one unit of the grid, which doubles do not
    hold."""
    one, other, both = (
        grow_numbers(np.array(X)[:, part], targets, None, error, n_categories=n_categories[part] or None, max_depth=1)
        for part in (slice(1), slice(1, 2), slice(2))
    )
    assert one["gain"][0] == other["gain"][0]
    assert both["feature"][0] == 1
