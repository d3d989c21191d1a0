"""C4.5: the book's and Weka's trees, pruning, rows that lack values, equality of the engines."""

from itertools import pairwise
from math import log

import numpy as np
import pytest
from c45_samples import CLASSES, GOLF_CATEGORIES, HUMIDITY, OUTLOOK, golf, grow, mixed_problems
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from support import UNLIMITED, assert_refuses, assert_same_tree, examples, on_both_engines

from pytrees import C45Classifier, Tree
from pytrees._engine import kernel
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.datasets import load, load_shipped
from pytrees.testing.strategies import count_weights, float_weights, no_weights


def pessimistic(total, errors, confidence=0.25):
    return kernel("pessimistic_errors")(float(total), float(errors), confidence)


def leaves(tree):
    """Return the pairs that Weka prints of leaves: the weight of the samples, and of the samples of other classes."""
    values = tree.value[tree.children_left == LEAF]
    wrong = values.sum(axis=1) - values.max(axis=1)
    return [(round(a, 2), round(b, 2)) for a, b in zip(values.sum(axis=1), wrong, strict=True)]


def load_or_skip(name, **options):
    try:
        return load(name, **options)
    except FileNotFoundError as error:
        pytest.skip(str(error))


# H. Kargupta, B.-H. Park, H. Dutta, "Orthogonal Decision Trees", Tables I and IV: errors and nodes of "C4.5", which is
# Weka's J48. Weka's manuals and its own runs print the other trees.


@pytest.mark.parametrize("categorical", [True, False])
def test_spect(engine, categorical):
    train, test = (load_or_skip("spect", subset=subset) for subset in ("train", "test"))
    tree = C45Classifier(categorical_features=np.full(22, categorical)).fit(train.data, train.target)
    assert round(100 * (1 - tree.score(test.data, test.target)), 4) == 24.5989
    # The paper has 13 nodes, as the tree has before it is pruned.
    assert (tree.tree_.node_count, tree.n_nodes_unpruned_) == (11, 13)


def test_error_on_house_votes(engine):
    votes = load_or_skip("house_votes_84")
    X = np.where(votes.data == 1, 2, votes.data)  # "missing values in the data are replaced by one", which is a yes
    tree = C45Classifier(categorical_features=np.full(16, True)).fit(X[:335], votes.target[:335])
    assert 100 * (1 - tree.score(X[335:], votes.target[335:])) == pytest.approx(8.0)
    assert tree.tree_.node_count == 9


def test_votes_that_are_missing(engine):
    votes = load_or_skip("house_votes_84")
    X = np.where(votes.data == 1, np.nan, votes.data)
    tree = C45Classifier(categorical_features=np.full(16, True)).fit(X, votes.target).tree_
    assert tree.node_count == 11
    assert leaves(tree) == [(253.41, 3.75), (145.71, 4.0), (22.61, 3.32), (5.04, 0.02), (2.21, 0.0), (6.03, 1.03)]


def test_contact_lenses(engine):
    lenses = load_or_skip("contact_lenses")
    tree = C45Classifier(categorical_features=np.full(4, True)).fit(lenses.data, lenses.target).tree_
    assert tree.node_count == 7
    assert sorted(leaves(tree)) == [(3.0, 0.0), (3.0, 1.0), (6.0, 1.0), (12.0, 0.0)]


def test_iris(engine):
    iris = load_shipped("iris")
    tree = C45Classifier().fit(iris.data, iris.target).tree_
    assert leaves(tree) == [(50.0, 0.0), (48.0, 1.0), (3.0, 0.0), (3.0, 1.0), (46.0, 1.0)]
    np.testing.assert_allclose(tree.threshold[tree.feature >= 0], [0.8, 1.75, 4.95, 1.55])


@pytest.mark.parametrize(
    ("name", "n_leaves", "n_nodes"),
    [
        ("haberman", 3, 5),
        ("ionosphere", 18, 35),
        ("breast_cancer_wisconsin_diagnostic", 13, 25),
        ("balance_scale", 52, 103),
    ],
)
def test_sizes_of_trees_on_numbers(name, n_leaves, n_nodes):
    bunch = load_or_skip(name)
    tree = C45Classifier().fit(bunch.data, bunch.target).tree_
    assert (tree.n_leaves, tree.node_count) == (n_leaves, n_nodes)


def test_golf(engine):
    # The tree of Chapter 2: sunny days by humidity, rainy ones by wind.
    X, y = golf()
    tree, n_grown = grow(X, y, n_categories=GOLF_CATEGORIES)
    assert n_grown == 8
    assert tree["feature"].tolist() == [OUTLOOK, -2, 3, -2, -2, HUMIDITY, -2, -2]
    assert tree["children_left"].tolist() == [MULTIWAY, LEAF, MULTIWAY, LEAF, LEAF, 6, LEAF, LEAF]
    assert tree["category"].tolist() == [-1, 0, 1, 0, 1, 2, -1, -1]
    assert tree["value"].tolist() == [[5, 9], [0, 4], [2, 3], [0, 3], [2, 0], [3, 2], [0, 2], [3, 0]]
    assert tree["threshold"][5] == 77.5


def test_golf_with_a_missing_outlook(engine):
    # Chapter 3: overcast: play (3.2), humidity > 75: don't play (3.4/0.4), windy: don't play (2.4/0.4).
    X, y = golf(lacks_outlook=True)
    tree, _ = grow(X, y, n_categories=GOLF_CATEGORIES, confidence=None)
    at_leaves = tree["value"][tree["children_left"] == LEAF]
    np.testing.assert_allclose(
        at_leaves, [[0, 3 + 3 / 13], [0, 3], [2, 5 / 13], [0, 2], [3, 5 / 13]], rtol=1e-14, atol=1e-14
    )
    assert tree["n_node_samples"].tolist() == [14, 4, 6, 3, 3, 6, 2, 4]


def test_a_sunny_day_of_unknown_humidity(engine):
    # Chapter 3: play 2.0/5.4 + 3.4/5.4 * 12 % = 44 %, don't play 56 %.
    X, y = golf(lacks_outlook=True)
    tree = C45Classifier(categorical_features=[0, 3], confidence=None).fit(X, np.array(CLASSES)[y])
    shares = tree.predict_proba([[2, 70, np.nan, 0]])
    np.testing.assert_allclose(shares, [[0.56, 0.44]], atol=0.005)
    assert tree.predict([[2, 70, np.nan, 0]]).tolist() == ["don't play"]


@pytest.mark.parametrize(("rows", "limit"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_limits_of_errors_by_the_book(engine, rows, limit):
    # Chapter 4: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750, which together are 3.273 errors.
    assert pessimistic(rows, 0) / rows == pytest.approx(limit, abs=5e-4)


def test_a_leaf_instead_of_the_books_subtree(engine):
    # The book has 3.273 errors for three leaves, and 16 * 0.157 = 2.512 for one; it interpolates in a table of z.
    assert sum(pessimistic(rows, 0) for rows in (6, 9, 1)) == pytest.approx(3.273, abs=5e-4)
    assert pessimistic(16, 1) == pytest.approx(2.512, abs=0.05)


def test_limits_of_errors(engine):
    # Without errors the limit is exactly that of the binomial distribution, with some nearly.
    for rows in (1, 2, 10, 1000):
        for confidence in (0.01, 0.25, 0.5):
            assert binom.cdf(0, rows, pessimistic(rows, 0, confidence) / rows) == pytest.approx(confidence)
    assert binom.cdf(10, 100, pessimistic(100, 10) / 100) == pytest.approx(0.25, abs=0.03)
    # From the middle of the last row on, all rows are errors.
    assert pessimistic(3, 2.5) == pessimistic(3, 2.9) == 3.0
    # For very many samples without an error it is -log(confidence).
    assert pessimistic(1e9, 0) == pytest.approx(-log(0.25), rel=1e-6)


@examples(300)
@given(st.floats(1e-3, 1e6), st.floats(0, 1), st.sampled_from([1e-6, 0.05, 0.25, 0.5]))
def test_limits_are_equal_on_both_engines_and_not_below_the_errors(total, share, confidence):
    for errors in (share * total, min(share, total), 0.0):
        compiled, reference = on_both_engines(pessimistic, total, errors, confidence)
        assert compiled == reference
        assert errors <= compiled * (1 + 1e-12)


def test_limits_grow_with_the_errors(engine):
    limits = [pessimistic(20, errors) for errors in np.linspace(0, 19.5, 40)]
    assert all(below <= above for below, above in pairwise(limits))


def noisy(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, 6)).astype(np.float64)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=n_rows) > 2).astype(np.int32)
    return X, y


def test_a_smaller_confidence_prunes_more(engine):
    X, y = noisy()
    sizes = [
        len(grow(X, y, n_categories=[3] * 6, confidence=confidence)[0]["feature"])
        for confidence in (None, 0.5, 0.25, 0.05, 1e-9, 1e-300)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > sizes[-1]


def test_unpruned_trees(engine):
    X, y = noisy()
    unpruned, n_grown = grow(X, y, n_categories=[3] * 6, confidence=None)
    assert len(unpruned["feature"]) == n_grown == grow(X, y, n_categories=[3] * 6)[1]


def test_useless_splits_are_removed(engine):
    # The feature tells something of the class, yet samples of either value are mostly of one class.
    y = [0] * 9 + [1] + [0] * 6 + [1] * 4
    x = [[0.0]] * 10 + [[1.0]] * 10
    tree, n_grown = grow(x, y, n_categories=[2], confidence=None)
    assert tree["feature"].tolist() == [-2]
    assert n_grown == 1


def test_a_raised_branch_has_all_samples_of_the_node(engine):
    # The root of the tree before pruning sends eight rows of one class aside, which the paper's tree does not.
    train = load_or_skip("spect", subset="train")
    trees = [
        C45Classifier(confidence=confidence, subtree_raising=raising).fit(train.data, train.target).tree_
        for confidence, raising in ((None, False), (0.25, False), (0.25, True))
    ]
    assert [tree.feature[0] for tree in trees] == [16, 16, 15]
    assert [tree.node_count for tree in trees] == [13, 13, 11]
    assert trees[2].value[0].tolist() == [40.0, 40.0]
    assert trees[2].gain[0] == trees[0].gain[1]


def parts_of_nodes(tree, X, weights):
    """For every node the rows that come to it with the part of their weight, by the definition."""
    parts = [None] * tree.node_count
    parts[0] = dict(enumerate(weights.tolist()))
    for node in np.flatnonzero(tree.children_left != LEAF):
        known = {row: weight for row, weight in parts[node].items() if not np.isnan(X[row, tree.feature[node]])}
        missing = {row: weight for row, weight in parts[node].items() if row not in known}
        for child in tree.children_of(node).tolist():
            if tree.children_left[node] == MULTIWAY:
                goes = {row: w for row, w in known.items() if X[row, tree.feature[node]] == tree.category[child]}
            else:
                is_left = child == tree.children_left[node]
                goes = {r: w for r, w in known.items() if (X[r, tree.feature[node]] <= tree.threshold[node]) == is_left}
            share = sum(goes.values()) / sum(known.values())
            parts[child] = goes | {row: weight * share for row, weight in missing.items()}
    return parts


WEIGHTS = st.sampled_from([no_weights, count_weights, float_weights])
DRAWN_LIMITS = st.fixed_dictionaries(
    {
        "max_depth": st.sampled_from([0, 1, 2, UNLIMITED, UNLIMITED, UNLIMITED]),
        "min_samples_leaf": st.sampled_from([1.0, 2.0, 2.0, 4.0]),
        "confidence": st.sampled_from([None, 0.01, 0.25, 0.25, 0.5]),
        "subtree_raising": st.sampled_from([False, True, True]),
    }
)


@examples(600)
@given(WEIGHTS.flatmap(mixed_problems), DRAWN_LIMITS)
def test_engines_grow_the_same_tree(problem, limits):
    (compiled, n_compiled), (reference, n_reference) = on_both_engines(
        grow, *problem.data, problem.n_categories, **limits
    )
    assert n_compiled == n_reference
    assert_same_tree(compiled, reference)


@examples(200)
@given(WEIGHTS.flatmap(mixed_problems), DRAWN_LIMITS)
def test_nodes_have_the_samples_that_reach_them(problem, limits):
    arrays, n_grown = grow(*problem.data, problem.n_categories, **limits)
    tree = Tree.from_arrays(arrays, problem.X.shape[1])
    assert tree.node_count <= n_grown
    weights = np.ones(len(problem.X)) if problem.weights is None else problem.weights.astype(float)
    for node, parts in enumerate(parts_of_nodes(tree, problem.X, weights)):
        assert len(parts) == tree.n_node_samples[node]
        value = np.bincount(problem.y[list(parts)], list(parts.values()), problem.n_classes)
        np.testing.assert_allclose(tree.value[node], value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("numeric", [(), (1, 4, 7)])
def test_engines_raise_the_same_branches(numeric):
    n_categories = [0 if feature in numeric else 3 for feature in range(22)]
    n_raised = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = (rng.random((100, 22)) < rng.uniform(0.05, 0.6, 22)) * rng.integers(1, 3, (100, 22)).astype(float)
        y = (X[:, :3] > 0).sum(axis=1) + rng.normal(size=100) > 1
        X[rng.random(X.shape) < 0.02] = np.nan
        (raised, _), (reference, _) = on_both_engines(grow, X, y, n_categories=n_categories)
        assert_same_tree(raised, reference)
        pruned, _ = grow(X, y, n_categories=n_categories, subtree_raising=False)
        n_raised += len(pruned["feature"]) != len(raised["feature"])
    assert n_raised >= 5


def test_deep_trees():
    # One feature for every four rows, each of which tells of them alone.
    n = 200
    X = np.repeat(np.eye(n), 4, axis=0)
    y = np.arange(4 * n) // 4 % 2
    tree, n_grown = grow(X, y, n_categories=[2] * n, confidence=None)
    assert n_grown > n / 2
    assert Tree.from_arrays(tree, n).max_depth > n / 4
    pruned, _ = grow(X, y, n_categories=[2] * n)
    assert len(pruned["feature"]) <= n_grown


def test_bad_input_is_refused():
    X = np.zeros((3, 1))
    for table, options, words in (
        ((X, [0, 1]), {}, "Labels and weights must have the 3 samples"),
        ((np.empty((0, 1)), []), {"n_classes": 1}, "there must be some"),
        ((X, [0, 1, 2]), {"n_classes": 2}, r"Class codes must be 0\.\.1"),
        ((X, [0, 1, 1], np.array([1.0, 0.0, 2.0])), {}, "Weights must be positive"),
        ((X + 1, [0, 1, 1]), {"n_categories": [1]}, r"codes of categories, 0\.\.0"),
    ):
        assert_refuses(ValueError, words, grow, *table, **options)
