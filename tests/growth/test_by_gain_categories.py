"""Trees with a child for every category: against the reference, in every way to grow, and what they must look like."""

import pickle
from itertools import product

import numpy as np
import pytest
from category_gains import CRITERIA, EXACT, gini, impurity_gain, nearly_equal_splits, sized, tables
from hypothesis import given
from hypothesis import strategies as st
from own_criteria import Changes, Gini
from seeded import count_weights, grid_weights, no_weights, problems_with_categories
from strategies import limits
from support import assert_refuses, assert_same_tree, children_of, examples, grow, rows_of_nodes

from pytrees._engine import kernel
from pytrees._tree_checks import LEAF, MULTIWAY, UNDEFINED

NO_CATEGORY = -1
SEQUENCE_CRITERIA = ["etc", "lz76"]


@pytest.mark.parametrize(
    ("criterion", "weights"),
    [*product(CRITERIA, [no_weights, count_weights, grid_weights]), *product(SEQUENCE_CRITERIA, [no_weights])],
)
def test_two_categories_grow_the_tree_of_a_threshold(criterion, weights):
    @examples(30)
    @given(problems_with_categories(weights, most_categories=2), limits(), st.data())
    def check(drawn, growth_limits, data):
        problem, _ = drawn
        is_binary = [set(column) <= {0.0, 1.0} for column in problem.X.T]
        n_categories = [2 * (binary and data.draw(st.booleans())) for binary in is_binary]
        specification = sized(criterion, problem.n_classes)
        growth_limits["max_candidates"] = 2**31 - 1
        numeric = grow(*problem, specification, **growth_limits)
        categorical = grow(*problem, specification, **growth_limits, n_categories=n_categories)
        for name in ("n_node_samples", "feature", "value", "gain"):
            np.testing.assert_array_equal(numeric[name], categorical[name], err_msg=name)

    check()


@pytest.mark.parametrize("criterion", [*EXACT, *SEQUENCE_CRITERIA])
def test_ties_go_to_the_lower_feature(engine, criterion):
    x = np.array([0, 0, 1, 1, 0, 1])
    y = [0, 1, 1, 1, 0, 1]
    for n_categories in ([2, 0], [0, 2], [2, 2]):
        tree = grow(np.column_stack([x, x]), y, None, 2, criterion, n_categories=n_categories)
        assert tree["feature"][0] == 0


@examples(150)
@given(problems_with_categories(count_weights), limits())
def test_arrays_of_the_tree_follow_from_the_data(engine, drawn, growth_limits):
    problem, n_categories = drawn
    X, y, weights, n_classes = problem
    tree = grow(*problem, "gini", **growth_limits, n_categories=n_categories)
    n_nodes, n_children = len(tree["feature"]), np.diff(tree["child_offsets"])
    assert tree["children"].shape == (n_nodes - 1,)
    assert sorted(tree["children"]) == list(range(1, n_nodes))
    is_leaf = tree["feature"] == UNDEFINED
    assert is_leaf.sum() <= growth_limits["max_leaf_nodes"]
    np.testing.assert_array_equal(is_leaf, n_children == 0)
    is_multiway = ~is_leaf & (np.append(n_categories, 0)[tree["feature"]] > 0)
    np.testing.assert_array_equal(tree["children_left"] == MULTIWAY, is_multiway)
    np.testing.assert_array_equal(tree["children_right"] == MULTIWAY, is_multiway)
    np.testing.assert_array_equal(tree["children_left"] == LEAF, is_leaf)
    assert (tree["threshold"][is_multiway | is_leaf] == UNDEFINED).all()
    assert (n_children[~is_multiway & ~is_leaf] == 2).all()
    rows = rows_of_nodes(tree, X)
    for node in range(n_nodes):
        counts = np.bincount(y[rows[node]], weights[rows[node]], n_classes)
        np.testing.assert_array_equal(tree["value"][node], counts)
        assert tree["n_node_samples"][node] == len(rows[node]) >= min(growth_limits["min_samples_leaf"], len(X))
        categories = tree["category"][children_of(tree, node)].tolist()
        if is_multiway[node]:
            assert categories == sorted(set(X[rows[node], tree["feature"][node]].astype(int)))
            assert len(categories) > 1
        else:
            assert set(categories) <= {NO_CATEGORY}


@examples(40)
@given(problems_with_categories(), limits())
def test_without_categories_the_tree_is_the_binary_one(engine, drawn, growth_limits):
    problem, n_categories = drawn
    plain = grow(*problem, "gini", **growth_limits)
    assert set(plain).isdisjoint({"child_offsets", "children", "category"})
    declared = grow(*problem, "gini", **growth_limits, n_categories=np.zeros(len(n_categories), dtype=np.int64))
    assert_same_tree(plain, {name: declared[name] for name in plain})
    assert (declared["category"] == NO_CATEGORY).all()
    inner = plain["children_left"] != LEAF
    listed = np.column_stack([plain["children_left"][inner], plain["children_right"][inner]]).ravel()
    np.testing.assert_array_equal(declared["children"], listed)


def test_a_single_category_has_no_split(engine):
    tree = grow([[3.0], [3.0], [3.0]], [0, 1, 0], n_categories=[5])
    assert tree["children"].size == 0
    assert tree["child_offsets"].tolist() == [0, 0]
    tree = grow([[0.0]], [0], n_categories=[1])
    assert tree["category"].tolist() == [NO_CATEGORY]


def test_a_category_for_every_sample(engine):
    n_rows = 40
    tree = grow(np.arange(n_rows)[:, None], np.arange(n_rows) % 7, n_categories=[10 * n_rows])
    assert tree["category"].tolist() == [NO_CATEGORY, *range(n_rows)]
    assert tree["children"].tolist() == list(range(1, n_rows + 1))
    # Fewer rows in a child than two are not allowed, whatever the others have.
    assert len(grow([[0.0], [1.0], [1.0]], [0, 1, 1], n_categories=[2], min_samples_leaf=2)["feature"]) == 1


@pytest.mark.parametrize(
    ("max_leaf_nodes", "features"), [(7, [0, 1, 2]), (6, [0, 1]), (5, [0, 2]), (3, [0, 2]), (2, [0]), (1, [])]
)
def test_a_split_that_exceeds_max_leaf_nodes_is_skipped_and_others_are_made(engine, max_leaf_nodes, features):
    # Feature 0 parts two pairs of classes; then feature 1 gains most, by five children, and feature 2 less, by two.
    left = [([0.0, code, 0], code % 2 if row else 1 - code % 2) for code in range(5) for row in range(4)]
    right = [([1.0, 0, code], 2 + (code if row < 6 else 1 - code)) for code in range(2) for row in range(10)]
    X, y = zip(*left, *right, strict=True)
    tree = grow(X, y, None, 4, "gini", max_leaf_nodes=max_leaf_nodes, n_categories=[0, 5, 2], max_depth=2)
    assert tree["feature"][tree["feature"] != UNDEFINED].tolist() == features


@pytest.mark.parametrize("swaps", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_gains_of_large_denominators_order_the_leaves_exactly(engine, swaps, ties):
    # Each leaf has the rows of one of the splits, with classes of its own.
    y, weights, codes, other_codes = nearly_equal_splits()
    gains = [impurity_gain(gini, tables(y, of, weights, 2)) for of in (codes, other_codes)]
    sides = [(codes, gains[0]), (codes if ties else other_codes, gains[0] if ties else gains[1])]
    sides = sides[::-1] if swaps else sides
    X = np.array([[side, code] for side in (0, 1) for code in sides[side][0]], dtype=np.float64)
    y, weights = np.concatenate([y, y + 2]), np.concatenate([weights, weights])
    tree = grow(X, y, weights, 4, "gini", n_categories=[0, 20], max_leaf_nodes=21)
    assert (tree["feature"] == UNDEFINED).sum() == 21
    left, right = tree["children_left"][0], tree["children_right"][0]
    assert tree["feature"][right if sides[1][1] > sides[0][1] else left] == 1


@pytest.mark.parametrize(
    ("value", "n_categories", "message"),
    [
        (-1.0, [0, 3], r"Feature 1 has the categories 0\.\.2, but row 1 has -1\.0"),
        (3.0, [0, 3], r"Feature 1 has the categories 0\.\.2, but row 1 has 3\.0"),
        (0.5, [0, 3], r"row 1 has 0\.5"),
        (np.nan, [0, 3], "row 1 has nan"),
        (np.inf, [0, 3], "row 1 has inf"),
        (0.0, [0], "must have 2 numbers"),
        (0.0, [0, 1, 0], "must have 2 numbers"),
        (0.0, [0, -1], r"n_categories of feature 1 must be in 0\.\.2147483647"),
        (0.0, [0, 2**31], r"n_categories of feature 1 must be in 0\.\.2147483647"),
    ],
)
def test_wrong_codes_are_refused(engine, value, n_categories, message):
    X = [[0.5, 0.0], [1.5, value], [2.5, 1.0]]
    assert_refuses(ValueError, message, grow, X, [0, 1, 0], n_categories=n_categories)


@pytest.mark.parametrize(
    ("criterion", "method"),
    [(Gini(), r"gain_of_children\(counts\)"), (Changes(), r"gain_of_children\(labels, children\)")],
)
def test_a_user_s_criterion_without_the_method_is_refused_early(engine, criterion, method):
    specification = criterion.specification(2)
    with pytest.raises(ValueError, match=rf"{criterion.name} must define {method} for a child for every category"):
        grow([[0.0], [1.0]], [0, 0], None, 2, specification, n_categories=[2])
    assert len(grow([[0.0], [1.0]], [0, 1], None, 2, specification, n_categories=[0])["feature"]) == 3


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (np.nan, ValueError, "a gain of nan to 3 children"),
        (np.inf, ValueError, "a gain of inf to 3 children"),
        (None, ValueError, "returned None"),
        (np.zeros(2), ValueError, "must return one number"),
        ("great", ValueError, "must return real numbers"),
        (ZeroDivisionError("none"), RuntimeError, "failed on 3 children"),
    ],
)
def test_gains_of_a_user_s_criterion_are_checked(engine, returned, error, message):
    class Returning(Gini):
        def gain_of_children(self, counts):
            if isinstance(returned, Exception):
                raise returned
            return returned

    with pytest.raises(error, match=message):
        grow([[0.0], [1.0], [2.0]], [0, 1, 0], None, 2, Returning().specification(2), n_categories=[3])


@pytest.mark.parametrize("max_features", [1, 4])
def test_trees_of_shared_features_equal_trees_grown_alone(max_features):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 5, (300, 2)), rng.normal(size=(300, 2))])
    y = rng.integers(0, 3, 300).astype(np.int32)
    n_categories = np.array([5, 5, 0, 0])
    unlimited = 2**31 - 1
    for block_rows in (None, 20):
        shared = kernel("share_features")(
            X, 3, "gini", True, max_features, unlimited, block_rows, n_categories=n_categories
        )
        alone = grow(X, y, None, 3, max_features=max_features, n_categories=n_categories)
        for given_features in (shared, pickle.loads(pickle.dumps(shared))):
            tree = grow(
                X, y, None, 3, max_features=max_features, n_categories=n_categories, shared=given_features,
                block_rows=block_rows,
            )  # fmt: skip
            assert_same_tree(tree, alone)
