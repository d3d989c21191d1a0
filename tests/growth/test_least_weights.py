"""Limits on the weight of leaves and on the decrease of impurity: which splits they leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import grid_weights
from support import assert_same_tree, examples, grow, on_both_engines

from pytrees._engine import kernel
from pytrees._tree_checks import LEAF
from pytrees.criteria import CRITERIA
from pytrees.testing.strategies import count_weights, no_weights, problems

FRACTIONS = st.sampled_from([0.0, 1e-9, 0.05, 0.1, 0.2, 1 / 3, 0.5])
COUNT_CRITERIA = [name for name, criterion in CRITERIA.items() if criterion.judges == "counts"]
DECREASES = st.sampled_from([0.0, 1e-9, 0.01, 0.05, 0.125, 0.25, 0.5])


def assert_least_weight(tree, fraction):
    weights = tree["value"].sum(axis=1)
    assert (weights[1:] >= fraction * weights[0] * (1 - 1e-9)).all()


@pytest.mark.parametrize("weights", [no_weights, count_weights, grid_weights])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini"])
@examples(80)
@given(data=st.data(), fraction=FRACTIONS, decrease=DECREASES)
def test_limits_hold(criterion, weights, data, fraction, decrease):
    problem = data.draw(problems(weights))
    tree = grow(*problem, criterion, min_weight_fraction_leaf=fraction, min_impurity_decrease=decrease)
    assert_least_weight(tree, fraction)
    weights_of_nodes, is_inner = tree["value"].sum(axis=1), tree["children_left"] != LEAF
    assert (weights_of_nodes / weights_of_nodes[0] * tree["gain"] + 1e-12 >= decrease)[is_inner].all()


@pytest.mark.parametrize("n_rows", [30, 20_000])
@pytest.mark.parametrize("growth_limits", [{}, {"max_leaf_nodes": 8}, {"max_candidates": 5}, {"max_features": 2}])
def test_weights_of_whole_numbers_are_repeated_samples(n_rows, growth_limits):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_rows, 3)).round(2), rng.integers(0, 3, n_rows).astype(np.int32)
    weights = rng.integers(1, 4, n_rows)
    growth_limits |= {"min_weight_fraction_leaf": 0.07, "min_impurity_decrease": 1e-5}
    if "max_candidates" in growth_limits:  # cuts are the same, and so are those that are tried
        X = X[:, :1]
    weighted = grow(X, y, weights, 3, "gini", **growth_limits)
    repeated = grow(np.repeat(X, weights, axis=0), np.repeat(y, weights), None, 3, "gini", **growth_limits)
    assert len(weighted["feature"]) > 1
    assert_same_tree(weighted, repeated, names=[name for name in weighted if name != "n_node_samples"])


def test_without_weights_the_limit_is_one_of_samples(engine):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    for fraction, n_samples in ((0.1, 4), (0.11, 5), (0.5, 20)):
        by_fraction = grow(X, y, min_weight_fraction_leaf=fraction)
        assert_same_tree(by_fraction, grow(X, y, min_samples_leaf=n_samples))


def test_a_split_at_the_limit_is_made(engine):
    # The first split takes a half off the impurity, each of the next two an eighth.
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 1, 2, 3, 3]
    of_root = grow(X, y, max_depth=1)["gain"][0]
    assert len(grow(X, y, min_impurity_decrease=of_root)["feature"]) == 3
    assert len(grow(X, y, min_impurity_decrease=np.nextafter(of_root, 1.0))["feature"]) == 3  # is tolerated
    assert len(grow(X, y, min_impurity_decrease=of_root + 1e-15)["feature"]) == 1
    weights = np.array([1, 1, 1, 1, 1, 1, 1, 3])
    assert grow(X, y, weights, min_weight_fraction_leaf=0.4)["threshold"][0] == 3.5
    assert grow(X, y, weights, min_weight_fraction_leaf=np.nextafter(0.4, 1.0))["threshold"][0] == 4.5


@pytest.mark.parametrize("alone", [0, 1, 2])
@pytest.mark.parametrize("weight", [2, 2**40])
def test_a_set_of_categories_may_weigh_just_enough(engine, alone, weight):
    X, y = np.arange(3.0)[:, None], (np.arange(3) == alone).astype(np.int32)
    options = {"n_categories": [3], "subsets": True, "max_depth": 1}
    for fraction, n_nodes in ((1 / 3, 3), (0.334, 1)):
        tree = grow(X, y, np.full(3, weight), min_weight_fraction_leaf=fraction, **options)
        assert len(tree["feature"]) == n_nodes
        assert n_nodes == 1 or sorted(map(tuple, tree["value"][1:])) == [(0, weight), (2 * weight, 0)]


@pytest.mark.parametrize("criterion", ["etc", "lz76"])
def test_label_sequences_have_no_decrease_of_impurity(engine, criterion):
    with pytest.raises(ValueError, match="no decreases of impurity"):
        grow([[0.0], [1.0]], [0, 1], criterion=criterion, min_impurity_decrease=0.1)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_features_that_are_shared_in_bins(criterion):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500).astype(np.int32)
    weights = rng.integers(1, 3, 500)
    shared = kernel("share_features")(X, 2, criterion, True, 3, 2**31 - 1, 60)
    options = {"min_weight_fraction_leaf": 0.02, "min_impurity_decrease": 1e-3}
    in_bins = grow(X, y, weights, 2, criterion, shared=shared, **options)
    assert_same_tree(in_bins, grow(X, y, weights, 2, criterion, **options))
    unweighted = grow(X, y, None, 2, criterion, shared=shared, **options)
    assert_same_tree(unweighted, grow(X, y, None, 2, criterion, **options))


# The right side of a cut weighs the node less the left side, which rounding can take below zero.
WIDE = [4.0, 5.0, 0.0, 1.0, 2.0], [1, 1, 1, 1, 0], [1e8, 1e-9, 1e8, 1e-8, 1e-8]


@pytest.mark.parametrize("criterion", COUNT_CRITERIA)
def test_no_limit_forbids_no_cut_of_weights_that_float64_does_not_add(criterion):
    X, y, weights = WIDE
    problem = np.array(X)[:, np.newaxis], np.array(y), np.array(weights), 2, criterion
    assert_same_tree(*on_both_engines(grow, *problem, max_depth=1))
    assert_same_tree(*on_both_engines(grow, *problem, max_depth=1, min_weight_fraction_leaf=1e-17))


@pytest.mark.parametrize("seed", range(20))
def test_engines_agree_on_weights_of_all_magnitudes(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (12, 2)).astype(float), rng.integers(0, 3, 12)
    weights = 10.0 ** rng.integers(-20, 21, 12)
    for criterion in COUNT_CRITERIA:
        for fraction in (0.0, 1e-18, 0.1):
            assert_same_tree(*on_both_engines(grow, X, y, weights, 3, criterion, min_weight_fraction_leaf=fraction))
