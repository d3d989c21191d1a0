"""Monotonic constraints of growth: a naive program, both engines, every way of searching a node, and the bounds."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import columns_of_all_kinds
from strategies import limits as limits_of_growth
from support import UNLIMITED, assert_same_tree, examples, grow, on_both_engines
from targets import target_sums

from pytrees._core.base.sizes import sizes
from pytrees._engine import kernel
from pytrees.criteria import CountCriterion
from pytrees.testing.strategies import count_weights, feature_matrices, float_weights, no_weights

ON_COUNTS = [
    "gini",
    "entropy",
    "ogini",
    "wig",
    "ranking",
    ("ranking", {"weighted": False}),
    "gain_ratio",
    "nvi",
    "nvi_sum",
    "nvi_max",
    "vi",
    "jaccard",
    "accuracy",
    "mae",
]
BINNED = ["gini", "entropy", "ogini", "ranking"]
ERRORS = ["squared_error", "absolute_error"]
SIZES = sizes()


def coded(values, error):
    """Return the codes of targets, their number, and the criterion of this error."""
    targets, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32), len(targets), (error, {"targets": targets.astype(np.int64)})


class NaiveTree:
    """Nodes in preorder as (feature, threshold, value within bounds), grown from the definitions in fractions."""

    def __init__(self, X, y, weights, impurity, value, directions, depth):
        self.X, self.y, self.weights, self.impurity, self.value = X, y, weights, impurity, value
        self.directions, self.nodes = directions, []
        self.visit(range(len(X)), depth, (-np.inf, np.inf))

    def samples(self, rows):
        return [(self.y[row], self.weights[row]) for row in rows]

    def weight(self, rows):
        return sum(self.weights[row] for row in rows)

    def gain(self, rows, sides):
        shares = [Fraction(self.weight(side), self.weight(rows)) for side in sides]
        impurities = [self.impurity(self.samples(side)) for side in sides]
        return self.impurity(self.samples(rows)) - sum(s * i for s, i in zip(shares, impurities, strict=True))

    def allows(self, feature, sides, bounds):
        direction = self.directions[feature]
        left, right = (self.value(self.samples(side)) for side in sides)
        inside = all(bounds[0] <= value <= bounds[1] for value in (left, right))
        return direction == 0 or (direction * left <= direction * right and inside)

    def best(self, rows, bounds):
        best = None
        for feature in range(len(self.X[0])):
            for below, above in pairwise(sorted({self.X[row][feature] for row in rows})):
                sides = (
                    [row for row in rows if self.X[row][feature] <= below],
                    [row for row in rows if self.X[row][feature] > below],
                )
                if self.allows(feature, sides, bounds):
                    gain = self.gain(rows, sides)
                    if best is None or gain > best[0]:
                        middle = 0.5 * below + 0.5 * above
                        best = gain, feature, middle if below <= middle < above else below, sides
        return best

    def visit(self, rows, depth, bounds):
        mixed = depth > 0 and len({self.y[row] for row in rows}) > 1
        best = self.best(rows, bounds) if mixed else None
        value = float(min(max(self.value(self.samples(rows)), bounds[0]), bounds[1]))
        self.nodes.append((-2, -2.0, value) if best is None else (best[1], best[2], value))
        if best is None:
            return
        _, feature, _, sides = best
        middle = sum(Fraction(self.value(self.samples(side))) for side in sides) / 2
        below, above = (bounds[0], middle), (middle, bounds[1])
        inherited = {0: (bounds, bounds), 1: (below, above), -1: (above, below)}[self.directions[feature]]
        for side, of_side in zip(sides, inherited, strict=True):
            self.visit(side, depth - 1, of_side)


def mean(samples):
    return Fraction(sum(y * weight for y, weight in samples), sum(weight for _, weight in samples))


def lower_median(samples):
    up_to, total = 0, sum(weight for _, weight in samples)
    for y, weight in sorted(samples):
        up_to += weight
        if 2 * up_to >= total:
            return y
    raise AssertionError


def mean_distance(samples):
    return mean([(abs(y - lower_median(samples)), weight) for y, weight in samples])


def variance(samples):
    return mean([((y - mean(samples)) ** 2, weight) for y, weight in samples])


def gini_impurity(samples):
    return 1 - sum(mean([(y == label, weight) for y, weight in samples]) ** 2 for label in {y for y, _ in samples})


def values_within_bounds(tree, directions, classes):
    """Return the values of all nodes of the kernel's tree, clipped to their bounds."""
    offsets = np.concatenate([[0], np.cumsum(2 * (tree["children_left"] >= 0))])
    pairs = np.stack([tree["children_left"], tree["children_right"]], axis=1)
    if "value" in tree:
        weight = tree["value"].sum(axis=1).astype(np.int64)
        total = (tree["value"] @ classes).astype(np.int64)
    else:
        weight, total = tree["weight"], np.array(target_sums(tree))
    children = pairs[pairs[:, 0] >= 0].ravel()
    bounds = kernel("node_bounds")(offsets, children, tree["feature"], np.array(directions), total, weight)
    return np.clip(total / weight, *bounds)


@pytest.mark.parametrize(
    ("criterion", "impurity", "value"),
    [("squared_error", variance, mean), ("absolute_error", mean_distance, lower_median), ("gini", gini_impurity, mean)],
)
def test_trees_and_values_of_a_naive_program(engine, criterion, impurity, value):
    @examples(60)
    @given(X=feature_matrices(max_rows=10, max_features=3), data=st.data())
    def check(X, data):
        numbers = st.integers(-4, 4) if criterion in ERRORS else st.integers(0, data.draw(st.integers(1, 3)))
        y = data.draw(st.lists(numbers, min_size=len(X), max_size=len(X)))
        weights = data.draw(st.lists(st.integers(1, 3), min_size=len(X), max_size=len(X)))
        directions = data.draw(st.lists(st.integers(-1, 1), min_size=X.shape[1], max_size=X.shape[1]))
        codes, n_classes, judge = coded(y, criterion) if criterion in ERRORS else (np.array(y), 4, criterion)
        tree = grow(X, codes, np.array(weights), n_classes, judge, monotonic_cst=np.array(directions))
        naive = NaiveTree(X.tolist(), y, weights, impurity, value, directions, 30)
        found = values_within_bounds(tree, directions, np.arange(4))
        assert list(zip(tree["feature"], tree["threshold"], found, strict=True)) == naive.nodes

    check()


@st.composite
def constrained_problems(draw, weights=None, errors=False, max_rows=30):
    """X, perhaps with missing values, classes or targets, weights, and constraints."""
    X = draw(feature_matrices(max_rows=max_rows, max_features=4, missing=draw(st.booleans())))
    if errors:
        largest = draw(st.sampled_from([1, 5, 1000, 2**59 // (3 * len(X))]))
        y = np.array(draw(st.lists(st.integers(-largest, largest), min_size=len(X), max_size=len(X))))
    else:
        y = np.array(draw(st.lists(st.integers(0, draw(st.integers(1, 4))), min_size=len(X), max_size=len(X))))
    whole = st.one_of(no_weights(len(X)), count_weights(len(X), 3))
    weights = draw(whole if weights is None else weights(len(X)))
    directions = draw(st.lists(st.integers(-1, 1), min_size=X.shape[1], max_size=X.shape[1]))
    return X, y, weights, np.array(directions)


def grow_constrained(X, y, weights, directions, criterion, **limits):
    if criterion in ERRORS:
        y, n_classes, criterion = coded(y, criterion)
    else:
        n_classes = int(y.max()) + 1 if int(y.max()) > 0 else 2
    return grow(X, y, weights, n_classes, criterion, monotonic_cst=directions, **limits)


@pytest.mark.parametrize("criterion", ON_COUNTS, ids=str)
@given(problem=constrained_problems(), data=st.data())
def test_both_engines_grow_equal_trees(criterion, problem, data):
    assert_same_tree(*on_both_engines(grow_constrained, *problem, criterion, **data.draw(limits_of_growth())))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini", "wig", "ranking", "nvi", "jaccard", "mae"])
@given(problem=constrained_problems(float_weights), data=st.data())
def test_both_engines_grow_equal_trees_with_real_weights(criterion, problem, data):
    assert_same_tree(*on_both_engines(grow_constrained, *problem, criterion, **data.draw(limits_of_growth())))


@pytest.mark.parametrize("error", ERRORS)
@given(problem=constrained_problems(errors=True), data=st.data())
def test_both_engines_grow_equal_trees_of_numbers(error, problem, data):
    assert_same_tree(*on_both_engines(grow_constrained, *problem, error, **data.draw(limits_of_growth())))


class Halves(CountCriterion):
    """A user's criterion: Gini of two classes."""

    def gains(self, left, right):
        both = left + right
        return sum(
            part.prod(axis=1) / np.maximum(part.sum(axis=1), 1.0) * sign
            for part, sign in ((both, 1), (left, -1), (right, -1))
        )


@given(problem=constrained_problems(), data=st.data())
def test_a_users_criterion_gets_allowed_cuts_only(problem, data):
    judge = "user_counts", {"criterion": Halves()}
    assert_same_tree(*on_both_engines(grow_constrained, *problem, judge, **data.draw(limits_of_growth())))


@pytest.mark.parametrize("criterion", ["gini", *ERRORS])
@given(problem=constrained_problems(), subsets=st.booleans(), data=st.data())
def test_categories_hand_bounds_down(criterion, problem, subsets, data):
    X, y, weights, directions = problem
    codes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))), dtype=np.float64)
    X, directions = np.column_stack([codes, X]), np.concatenate([[0], directions])
    kinds = {"n_categories": np.array([4] + [0] * (X.shape[1] - 1)), "subsets": subsets}
    limits = data.draw(limits_of_growth())
    assert_same_tree(*on_both_engines(grow_constrained, X, y, weights, directions, criterion, **kinds, **limits))


@pytest.mark.parametrize("criterion", BINNED)
@given(
    problem=constrained_problems(max_rows=40),
    limits=limits_of_growth(max_candidates=UNLIMITED),
    block_rows=st.integers(1, 20),
    max_bins=st.integers(2, 12),
    n_threads=st.integers(1, 2),
)
def test_bins_and_threads_change_no_tree(criterion, problem, limits, block_rows, max_bins, n_threads):
    ways = {"block_rows": block_rows, "max_bins": max_bins, "n_threads": n_threads, "part_rows": 8}
    plain = grow_constrained(*problem, criterion, block_rows=len(problem[0]), **limits)
    assert_same_tree(plain, grow_constrained(*problem, criterion, **ways, **limits))


# Cases of a seed: they are many, and hypothesis takes longer to draw them than both engines to grow their trees.
@pytest.mark.parametrize("seed", range(4))
def test_many_cases_on_both_engines(seed):
    rng = np.random.default_rng(seed)
    for _ in range(400):
        n, n_features = rng.integers(2, 40), rng.integers(1, 5)
        X = rng.integers(0, rng.integers(2, 12), (n, n_features)).astype(float)
        X[rng.random(X.shape) < rng.choice([0.0, 0.2])] = np.nan
        criterion = [*ON_COUNTS, *ERRORS][rng.integers(len(ON_COUNTS) + 2)]
        y = rng.integers(-5, 6, n) if criterion in ERRORS else rng.integers(0, rng.choice([2, 2, 5]), n)
        kinds = [None, rng.integers(1, 4, n), rng.random(n) + 0.1]
        weights = kinds[rng.integers(2 if criterion in ERRORS else 3)]
        limits = {"max_leaf_nodes": rng.choice([UNLIMITED, 6]), "min_samples_leaf": rng.choice([1, 1, 3])}
        limits |= {"max_features": rng.integers(1, n_features + 1), "seed": int(rng.integers(99))}
        problem = X, y, weights, rng.integers(-1, 2, n_features), criterion
        assert_same_tree(*on_both_engines(grow_constrained, *problem, **{k: int(v) for k, v in limits.items()}))


@pytest.mark.parametrize(
    "n_rows",
    [
        SIZES["BLOCK_ROWS"] - 1,
        SIZES["BLOCK_ROWS"] + 1,
        SIZES["MOST_ROWS_WITHOUT_BINS"],
        SIZES["MOST_ROWS_WITHOUT_BINS"] + 1,
        SIZES["MOST_IN_NARROW"] + 1,
    ],
)
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_sizes_on_both_sides_of_every_switch(n_rows, criterion):
    columns = columns_of_all_kinds(n_rows)
    X = np.column_stack(list(columns.values()))
    rng = np.random.default_rng(n_rows)
    score = np.nan_to_num(X[:, 0]) / max(1.0, np.nanstd(X[:, 0])) + rng.normal(size=n_rows)
    y = (score > np.median(score)).astype(int) if criterion == "gini" else np.rint(8 * score).astype(int)
    directions = rng.permuted(np.resize([1, -1, 0], X.shape[1]))
    trees = [
        grow_constrained(X, y, None, directions, criterion, max_depth=8, **way)
        for way in ({}, {"block_rows": n_rows}, {"n_threads": 2, "part_rows": 500}, {"max_candidates": UNLIMITED - 1})
    ]
    for tree in trees[1:]:
        assert_same_tree(trees[0], tree)
    shuffled = rng.permutation(n_rows)
    assert_same_tree(trees[0], grow_constrained(X[shuffled], y[shuffled], None, directions, criterion, max_depth=8))
    free = grow_constrained(X, y, None, None, criterion, max_depth=8)
    assert len(free["feature"]) != len(trees[0]["feature"]) or not np.array_equal(free["feature"], trees[0]["feature"])


@pytest.mark.parametrize("criterion", ["gini", "entropy", "absolute_error"])
@given(data=st.data(), max_features=st.sampled_from([1, 2, 8]), missing=st.booleans())
def test_ranked_features(criterion, data, max_features, missing):
    X = data.draw(feature_matrices(max_rows=30, max_features=1, missing=missing))
    X = np.hstack([X] + [np.roll(X, shift, axis=0) for shift in range(7)])
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    directions = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=8, max_size=8)))
    limits = {"max_features": max_features, "seed": data.draw(st.integers(0, 99))}
    assert_same_tree(*on_both_engines(grow_constrained, X, y, None, directions, criterion, **limits))


def test_constraints_of_zero_are_no_constraints(engine):
    X, y = [[0.0, 3.0], [1.0, 2.0], [2.0, 1.0]], [0, 1, 0]
    assert_same_tree(grow(X, y), grow(X, y, monotonic_cst=np.array([0, 0])))


@pytest.mark.parametrize(
    ("directions", "criterion", "n_categories", "message"),
    [
        ([1], "gini", None, "-1, 0 or 1 for each of 2 features"),
        ([1, 2], "gini", None, "-1, 0 or 1"),
        ([1, 0.5], "gini", None, "-1, 0 or 1"),
        ([0, 1], "etc", None, "label sequences"),
        ([0, 1], "lz76", None, "label sequences"),
        ([1, 0], "gini", np.array([2, 0]), "Categorical features"),
    ],
)
def test_constraints_that_do_not_fit_are_refused(engine, directions, criterion, n_categories, message):
    with pytest.raises(ValueError, match=message):
        grow([[0.0, 1.0], [1.0, 0.0]], [0, 1], None, 2, criterion, monotonic_cst=directions, n_categories=n_categories)


# A tree by hand: the root (values 1/4 and 3/4 of its children) splits by a feature of direction 1; its left child, by a
# feature without direction, into 0 and 1/2; its right child, by a feature of direction -1, into 1 and 2/4.
TREE = {
    "child_offsets": np.array([0, 2, 4, 4, 4, 6, 6, 6]),
    "children": np.array([1, 4, 2, 3, 5, 6]),
    "feature": np.array([0, 1, -2, -2, 2, -2, -2]),
    "monotonic_cst": np.array([1, 0, -1]),
}
TOTAL, WEIGHT = np.array([4, 1, 0, 1, 3, 1, 2]), np.array([8, 4, 2, 2, 4, 1, 4])
INF = np.inf


def test_bounds_by_hand(engine):
    lower, upper = kernel("node_bounds")(**TREE, total=TOTAL, weight=WEIGHT)
    np.testing.assert_array_equal(lower, [-INF, -INF, -INF, -INF, 0.5, 0.75, 0.5])
    np.testing.assert_array_equal(upper, [INF, 0.5, 0.5, 0.5, INF, INF, 0.75])
    grid = {"centre": 10**20, "divisor": 10, "exponent": 3}
    lower, upper = kernel("node_bounds")(**TREE, total=TOTAL, weight=WEIGHT, **grid)
    np.testing.assert_array_equal(
        lower[4:], [float(Fraction(2 * 10**20 + 1, 160)), float((10**20 + Fraction(3, 4)) / 80), lower[4]]
    )


@given(
    total=st.lists(st.integers(-(2**60), 2**60), min_size=7, max_size=7),
    weight=st.lists(st.integers(1, 2**60), min_size=7, max_size=7),
    centre=st.sampled_from([0, 1, -(2**61), 10**30]),
    divisor=st.sampled_from([1, 10**15]),
    exponent=st.integers(-40, 40),
)
def test_bounds_are_the_nearest_doubles(total, weight, centre, divisor, exponent):
    grid = {"centre": centre, "divisor": divisor, "exponent": exponent}
    compiled, by_reference = on_both_engines(
        kernel_bounds, total=np.array(total), weight=np.array(weight), **TREE, **grid
    )
    np.testing.assert_array_equal(compiled, by_reference)


def kernel_bounds(**arguments):
    return kernel("node_bounds")(**arguments)


@pytest.mark.parametrize(
    "wrong",
    [
        {"children": np.array([1, 4, 2, 3, 5, 7])},
        {"children": np.array([1, 4, 2, 3, 5, -1])},
        {"child_offsets": np.array([0, 2, 4, 4, 4, 6, 6, 7])},
        {"child_offsets": np.array([0, 2, 1, 4, 4, 6, 6, 6])},
        {"child_offsets": np.array([0, 1, 4, 4, 4, 6, 6, 6])},
        {"feature": np.array([0, 1, -2, -2, 3, -2, -2])},
        {"feature": np.array([0, 1, -2, -2, -1, -2, -2])},
        {"total": TOTAL[:-1]},
        {"weight": WEIGHT[:-1]},
        {"weight": 0 * WEIGHT},
    ],
)
def test_bounds_of_no_tree_are_refused(wrong):
    with pytest.raises(ValueError, match="Bounds need a tree"):
        kernel("node_bounds")(**(TREE | {"total": TOTAL, "weight": WEIGHT} | wrong))
