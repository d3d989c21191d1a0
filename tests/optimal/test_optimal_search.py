"""The searches for best and smallest trees against all trees, tried out: weights, costs, missing values, categories."""

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from partitions import best_objective, left_sides, partitions
from searched_trees import draw_search, least_objective, least_samples, weights_and_costs
from strategies import classified
from support import PATIENCE, assert_refuses, examples, on_both_engines

from pytrees import MinimalTreeClassifier, OptimalTreeClassifier
from pytrees.trees.optimal_search import Limits, Problem, as_written
from pytrees.trees.search_columns import SearchColumns, structure_of_cuts

LIMITS = ["levels", "leaves", "levels and leaves", "price"]


@st.composite
def problems(draw, max_rows=6, categories=True, n_classes=(1, 2, 2, 3, 3)):
    """Draw samples with missing values and perhaps one feature of categories, and their labels, from 0 up."""
    X, y = draw(classified(max_rows, list(n_classes), max_features=2))
    X = X.copy()
    lacks = draw(st.lists(st.booleans(), min_size=X.size, max_size=X.size))
    if draw(st.booleans()):
        X[np.reshape(lacks, X.shape)] = np.nan
    is_categorical = categories and draw(st.booleans())
    if is_categorical:
        codes = st.integers(0, draw(st.integers(0, 3)))
        X[:, 0] = draw(st.lists(codes, min_size=len(X), max_size=len(X)))
    y = np.unique(y, return_inverse=True)[1]
    return X, y, [0] if is_categorical else []


def with_missing_category(X, categorical):
    """Return X with a category for missing values, as estimators have it: the last one."""
    X = X.copy()
    for feature in categorical:
        X[np.isnan(X[:, feature]), feature] = 1_000.0
    return X


def fit_search(parameters, X, y, weights):
    return OptimalTreeClassifier(**parameters).fit(X, y, sample_weight=weights)


def assert_keeps_its_word(tree, case, best):
    """Assert that a fitted tree costs what it says, is as near to the best one as it says, and keeps all limits."""
    parameters, X, y, weights, slack = case
    assert tree.lower_bound_ <= best + slack
    assert best - slack <= tree.cost_ <= tree.lower_bound_ + parameters["max_gap"] + slack
    assert tree.is_proven_ == (tree.cost_ == tree.lower_bound_) >= (parameters["max_gap"] == 0.0)
    predicted, (weights, costs) = tree.predict(X), weights_and_costs(parameters, y, weights)
    cost = (weights * costs[y, predicted]).sum() / weights.sum() + parameters["alpha"] * tree.get_n_leaves()
    assert cost == pytest.approx(tree.cost_, rel=slack, abs=slack)
    assert tree.n_errors_ == (predicted != y).sum()
    assert tree.get_depth() <= (parameters["max_depth"] or len(y))
    assert tree.get_n_leaves() <= (parameters["max_leaf_nodes"] or len(y))
    assert tree.get_n_leaves() == 1 or tree.tree_.n_node_samples.min() >= least_samples(parameters, y)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("part", range(4))
def test_no_tree_is_better_under_any_parameters_together(limits, part):
    """20,000 tables in the thorough profile, each on both engines."""
    n_tables = {100: 1_250, 25: 60}.get(settings().max_examples, 12)
    for seed in range(part * n_tables, (part + 1) * n_tables):
        case = draw_search(seed, limits)
        compiled, reference = on_both_engines(fit_search, *case[:4])
        best = float(least_objective(*case[:4]))
        try:
            for tree in (compiled, reference):
                assert_keeps_its_word(tree, case, best)
            # A gap may end the searches of the engines with different trees.
            names = [] if case[0]["max_gap"] > 0.0 else ["tree_", "n_errors_", "cost_", "lower_bound_"]
            for name in names + ["n_best_roots_"] * (case[0]["count_best_roots"] and bool(names)):
                assert getattr(compiled, name) == getattr(reference, name), name
        except AssertionError as error:
            error.add_note(f"seed {seed}: {case}")
            raise


def test_a_leaf_of_too_few_samples_is_no_side_of_a_cut(engine):
    """Costs that depend on the prediction, in the widest lanes: a side that no split is allowed for is a leaf."""
    X, y, weights = np.arange(6.0)[:, np.newaxis], [0, 2, 2, 1, 0, 1], [1000000001, 2e9, 8e9, 6e9, 9e9, 5e9]
    tree = OptimalTreeClassifier(max_depth=2, alpha=0.125, min_samples_leaf=2, cost_matrix="absolute")
    tree.fit(X, y, weights)
    assert tree.is_proven_
    assert tree.cost_ == pytest.approx(0.6048387, abs=1e-7)
    assert tree.tree_.n_node_samples.tolist() == [6, 3, 3]


@pytest.mark.parametrize(
    ("X", "y", "best"),
    [
        ([[1, 0], [4, 1], [3, 4], [1, 1], [0, 3]], [1, 1, 0, 0, 1], 0.04),
        ([[1, 4], [5, 0], [3, 0], [1, 1], [2, 0], [2, 1]], [0, 0, 1, 0, 0, 1], 0.05),
    ],
)
def test_a_gap_proves_nothing_below_a_budget(engine, X, y, best):
    tree = OptimalTreeClassifier(max_depth=None, alpha=0.01, max_gap=0.2).fit(X, y)
    assert tree.lower_bound_ <= best <= tree.cost_ <= tree.lower_bound_ + 0.2
    assert tree.is_proven_ == (tree.cost_ == best)


@pytest.mark.parametrize("least", [1, 3])
def test_a_tiny_price_of_leaves_takes_no_longer(least):
    """Budgets grew by one price a round: here up to 10**7 rounds, and 10**12."""
    rng = np.random.default_rng(0)
    X, y, weights = [[0], [0], [2]], [2, 1, 0], [1e7, 1e7, 1]
    if least > 1:
        X, y, weights = rng.integers(0, 4, (6, 2)), [0, 1, 2, 0, 1, 2], rng.random(6)
    start = time.process_time()
    for alpha in (1e-9, 1e-12):
        tree = OptimalTreeClassifier(max_depth=None, alpha=alpha, min_samples_leaf=least, cost_matrix="absolute")
        assert tree.fit(X, y, weights).is_proven_
    assert time.process_time() - start < 2.0 * PATIENCE


def test_alpha_and_the_gap_are_the_decimals_that_are_written(engine):
    """A split that saves exactly its price is not worth it, and all first cuts that do as well are counted."""
    for k in range(1, 5):
        X, y = np.arange(10.0)[:, np.newaxis], (np.arange(10) < k).astype(int)
        tree = OptimalTreeClassifier(max_depth=1, alpha=k / 10, count_best_roots=True).fit(X, y)
        assert (tree.get_n_leaves(), tree.n_best_roots_, tree.cost_) == (1, 1, 2 * k / 10)
    assert as_written(0.1) == as_written(np.float64(0.1)) == as_written(Fraction(1, 10)) == Fraction(1, 10)
    with np.printoptions(legacy="1.13"):  # prints fewer digits
        assert as_written(np.float64(1 / 3)) == as_written(1 / 3)
        assert as_written(np.float32(0.1)) == Fraction(1, 10)
    assert problem_of([0, 1] * 5, 2, max_depth=1).whole_gap(0.3) == 3


@pytest.mark.parametrize("depth", [3, 4])
def test_an_error_costs_the_weight_of_its_sample(depth):
    """A set is bounded by sets of other samples only if all weigh the same; in some of these tables a bound by the
    number of samples would be too high."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(12, 24))
        X, y = rng.integers(0, 8, (n, 3)).astype(float), rng.integers(0, 2, n)
        weights = rng.choice([1.0, 7.0, 30.0], n)
        parameters = {"max_depth": depth, "max_leaf_nodes": None, "alpha": 0.0, "min_samples_leaf": 1}
        parameters |= {"class_weight": None, "cost_matrix": None, "categorical_features": []}
        tree = OptimalTreeClassifier(max_depth=depth).fit(X, y, weights)
        assert tree.cost_ == float(least_objective(parameters, X, y, weights)), seed


@examples(60)
@given(problem=problems(max_rows=5), depth=st.sampled_from([1, 2]), alpha=st.sampled_from([0.0, 0.125]))
def test_the_roots_of_best_trees_are_counted(engine, problem, depth, alpha):
    X, y, categorical = problem
    tree = OptimalTreeClassifier(
        max_depth=depth, alpha=alpha, categorical_features=categorical, count_best_roots=True
    ).fit(X, y)
    best = best_objective(with_missing_category(X, categorical), y, depth, alpha=alpha, categorical=categorical)
    X = with_missing_category(X, categorical)
    rows, n_roots = frozenset(range(len(y))), 0
    for feature in range(X.shape[1]):
        # Two sets of categories are one split, whichever is on the left.
        splits = {frozenset([left, rows - left]) for left in left_sides(X, rows, feature, feature in categorical)}
        for sides in splits:
            objectives = []
            for side in map(sorted, sides):
                found = best_objective(
                    X[side], y[side], depth - 1, alpha=alpha * len(y) / len(side), categorical=categorical
                )
                objectives.append(found * len(side) / len(y))
            n_roots += abs(float(sum(objectives) - best)) < 1e-12
    assert tree.n_best_roots_ == n_roots


@examples(60)
@given(problem=problems(), weights=st.lists(st.integers(0, 3), min_size=6, max_size=6), depth=st.integers(1, 2))
def test_whole_weights_are_repetitions(engine, problem, weights, depth):
    X, y, categorical = problem
    weights = np.array(weights[: len(y)])
    assume(weights.any())
    estimator = OptimalTreeClassifier(max_depth=depth, alpha=0.01, categorical_features=categorical)
    weighted = estimator.fit(X, y, sample_weight=weights)
    tree, cost = weighted.tree_, weighted.cost_
    repeated = estimator.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert repeated.cost_ == cost
    for name in ("feature", "threshold", "children_left", "children_right", "category", "categories", "saw_missing"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(repeated.tree_, name), err_msg=name)
    # A class whose samples all have weight 0 is a class still.
    counts = tree.value[:, tree.value[0] > 0]
    np.testing.assert_array_equal(counts, repeated.tree_.value[:, repeated.tree_.value[0] > 0])


@examples(100)
@given(problem=problems())
def test_no_consistent_tree_is_smaller(engine, problem):
    X, y, categorical = problem
    Z = with_missing_category(X, categorical)
    rows = np.nan_to_num(Z, nan=-1.0)
    assume(len(np.unique(rows, axis=0)) == len(np.unique(np.column_stack([rows, y]), axis=0)))
    tree = MinimalTreeClassifier(categorical_features=categorical).fit(X, y)
    pure = [
        len(leaves)
        for leaves in partitions(Z, frozenset(range(len(y))), 3, categorical=categorical)
        if all(len({y[row] for row in leaf}) == 1 for leaf in leaves)
    ]
    assert tree.is_proven_
    # Trees of at most eight leaves may need more than three levels.
    assert tree.get_n_leaves() <= min(pure, default=len(y))
    if tree.get_depth() <= 3:
        assert tree.get_n_leaves() == min(pure)
    assert (tree.predict(X) == y).all()


@examples(100)
@given(problem=problems(max_rows=9))
def test_engines_find_the_same_smallest_tree(problem):
    X, y, categorical = problem

    def fit():
        try:
            return MinimalTreeClassifier(categorical_features=categorical).fit(X, y).tree_
        except ValueError as error:
            return str(error)

    compiled, reference = on_both_engines(fit)
    assert compiled == reference


def test_columns_of_numbers():
    columns = SearchColumns(np.array([[0.5, 7.0, np.nan], [0.5, np.nan, np.nan], [-1.0, 3.0, np.nan]]))
    assert columns.feature.tolist() == [0, 1, 1, 2]
    assert columns.ranks.tolist() == [[1, 1, 0], [1, 2, 0], [1, 0, 0], [0, 0, 0]]


def test_one_known_value_and_missing_ones_are_cut_once():
    columns = SearchColumns(np.array([[2.0], [np.nan], [2.0]]))
    assert columns.ranks.tolist() == [[0, 1, 0]]


def test_columns_of_categories_are_all_divisions():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    columns = SearchColumns(X, np.array([4]))
    assert columns.ranks.shape == (7, 4)
    assert {tuple(column) for column in columns.ranks.tolist()} == {
        (0, *(number >> digit & 1 for digit in range(3))) for number in range(1, 8)
    }
    assert SearchColumns(X * 0, np.array([1])).ranks.tolist() == [[0, 0, 0, 0]]


def test_missing_values_alone_go_to_the_right_of_infinity():
    """The second column has them on the left, where the sample of the lowest value is in another node."""
    X = np.array([[0.0], [5.0], [np.nan], [6.0]])
    columns = SearchColumns(X, takes_missing=True)
    assert columns.ranks.tolist() == [[0, 1, 3, 2], [0, 1, 0, 2]]
    # First 0 | 5, 6, missing; then missing | 5, 6; then 5 | 6.
    column, rank = np.array([0, -1, 1, -1, 0, -1, -1]), np.array([0, -1, 0, -1, 1, -1, -1])
    structure = structure_of_cuts(columns, column, rank)
    assert structure.arrays["threshold"] == [2.5, -2.0, np.inf, 5.5, -2.0, -2.0, -2.0]
    assert structure.arrays["missing_go_to_left"] == [0, -1, 0, -1, -1, -1, -1]
    assert structure.leaves.tolist() == [1, 4, 6, 5]


def test_the_lowest_category_of_a_node_goes_left():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    columns = SearchColumns(X, np.array([4, 0]), takes_missing=True)
    division = columns.ranks.tolist().index([0, 1, 0, 1])
    structure = structure_of_cuts(columns, np.array([7, -1, division, -1, -1]), np.array([0, -1, 0, -1, -1]))
    assert structure.leaves.tolist() == [1, 3, 4, 3]
    assert structure.arrays["children_left"] == [1, -1, -2, -1, -1]
    assert structure.arrays["categories"].tolist() == [1, 3, 2]
    assert structure.arrays["category"] == [-1, -1, -1, 1, 2]


@examples(100)
@given(problem=problems(categories=False), data=st.data())
def test_any_cuts_are_walked_as_the_columns_say(problem, data):
    """A tree of random cuts sends every training sample to the leaf that its ranks send it to."""
    X, y, _ = problem
    columns = SearchColumns(X, takes_missing=True)
    column, rank = [], []

    def draw(rows, depth):
        ranks = [np.unique(of_column[rows])[:-1].tolist() for of_column in columns.ranks]
        cuts = [(i, r) for i, of_column in enumerate(ranks) for r in of_column]
        if not cuts or depth == 0 or data.draw(st.booleans()):
            column.append(-1)
            rank.append(-1)
            return [rows.tolist()]
        i, r = data.draw(st.sampled_from(cuts))
        column.append(i)
        rank.append(r)
        is_left = columns.ranks[i, rows] <= r
        return draw(rows[is_left], depth - 1) + draw(rows[~is_left], depth - 1)

    leaves = draw(np.arange(len(X)), 3)
    structure = structure_of_cuts(columns, np.array(column), np.array(rank))
    counts = structure.counts(y.astype(np.int32), y.max() + 1, None)
    tree = structure.tree(X.shape[1], counts, Fraction(1), np.zeros(len(column)))
    np.testing.assert_array_equal(tree._apply_valid(X), structure.leaves)
    assert {frozenset(rows) for rows in leaves} == {
        frozenset(np.flatnonzero(structure.leaves == leaf).tolist()) for leaf in np.unique(structure.leaves)
    }


def problem_of(y, n_classes, weights=None, costs=None, **limits):
    y = np.asarray(y, dtype=np.int32)
    columns = SearchColumns(np.arange(float(len(y))).reshape(-1, 1))
    costs = None if costs is None else np.asarray(costs, dtype=np.float64)
    weights = None if weights is None else np.asarray(weights)
    return Problem(columns, y, n_classes, Limits(**limits), weights=weights, cost_matrix=costs)


@pytest.mark.parametrize(
    ("n_classes", "costs", "is_matrix", "class_costs"),
    [
        (2, [[0, 3], [1, 0]], False, [3, 1]),
        (2, [[0, 0.3], [0.1, 0]], False, [3, 1]),
        (3, [[0, 2, 2], [4, 0, 4], [2, 2, 0]], False, [1, 2, 1]),
        (3, [[0, 1, 2], [1, 0, 1], [2, 1, 0]], True, [1, 1, 1]),
        (3, [[0, 0, 0], [1, 0, 1], [1, 1, 0]], True, [1, 1, 1]),
        (3, np.zeros((3, 3)), False, [0, 0, 0]),
    ],
)
def test_costs_of_classes_are_weights(n_classes, costs, is_matrix, class_costs):
    problem = problem_of([0, 1, n_classes - 1], n_classes, costs=costs, max_depth=2)
    assert (problem.matrix is not None) == is_matrix
    assert problem.class_costs.tolist() == class_costs
    _, _, weights, matrix, n_codes, _ = problem.for_kernel()
    assert weights.min() > 0
    assert (matrix is not None) == is_matrix
    assert n_codes == (n_classes if np.any(costs) else 1)


def test_a_common_factor_of_weights_or_costs_changes_nothing():
    plain = problem_of([0, 1, 2, 0], 3, [1, 2, 1, 3], [[0, 1, 2], [1, 0, 1], [2, 1, 0]], alpha=0.01)
    for factor in (2, 0.1, 1e-200, 1 / 3):
        other = problem_of(
            [0, 1, 2, 0],
            3,
            factor * np.array([1.0, 2, 1, 3]),
            factor * np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]),
            alpha=0.01 * factor,
        )
        np.testing.assert_array_equal(other.numbers, plain.numbers)
        np.testing.assert_array_equal(other.matrix, plain.matrix)
        assert float(other.share) == pytest.approx(factor * float(plain.share))


@pytest.mark.parametrize("weights", [None, [0.1, 1 / 3, np.pi, 2.0**40], [5e-324, 1.0, 1e300, 1e-300]])
@pytest.mark.parametrize("alpha", [0.0, 5e-324, 1e-12, 0.01, 1e300])
@pytest.mark.parametrize("costs", [None, [[0, 0.01, 1.0], [np.e, 0, 1e3], [1.0, 3.0, 0]]])
def test_whole_costs_stay_below_the_limit_of_the_kernels(weights, alpha, costs):
    problem = problem_of([0, 1, 2, 0], 3, weights, costs, alpha=alpha, max_depth=9)
    _, _, numbers, matrix, _, of_leaf = problem.for_kernel()
    greatest = 1 if matrix is None else int(matrix.max())
    assert int(numbers.sum()) * greatest + 2 * of_leaf < 2**62
    assert numbers.min() > 0


def test_too_many_digits_are_refused():
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 2**23, 2).astype(float)
    y, n = np.arange(300_000) % 3, 300_000
    weights = np.resize([*np.full(9, 1.0), 500.0], n)
    costs = np.array([[0, 2**22 + 1, 1], [3, 0, 2**22], [1, 1, 0]], dtype=float)
    assert_refuses(ValueError, "too many digits", problem_of, y, 3, weights, costs, alpha=1e-15)
