"""Samples with real weights: most cuts are passed over without their gains, and the tree is the reference's, which
computes every gain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_same_tree, examples, grow, grow_reference

from pytrees._core.base.sizes import sizes

BOX_ROWS = sizes()["BOX_ROWS"]


@st.composite
def weighted_tables(draw):
    """Draw a table of one or two features, classes that follow them more or less, and weights of all sizes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(2, 5 * BOX_ROWS))
    X = rng.permutation(n_rows).astype(float)[:, None]
    if draw(st.booleans()):
        X = np.column_stack([X, rng.integers(0, draw(st.integers(1, n_rows)), size=n_rows)])
    n_classes = draw(st.sampled_from([2, 2, 3]))
    noise = draw(st.sampled_from([0.0, 0.1, 1.0]))
    y = (X[:, 0] * n_classes // n_rows).astype(np.int32)
    y = np.where(rng.random(n_rows) < noise, rng.integers(n_classes, size=n_rows), y).astype(np.int32)
    weights = 10.0 ** rng.uniform(-draw(st.sampled_from([0.0, 1.0, 8.0])), 0.0, n_rows)
    if draw(st.booleans()):
        weights[draw(st.sampled_from([np.argmin, np.argmax]))(X[:, 0])] = 10.0 ** draw(st.integers(0, 9))
    return X, y, weights * 10.0 ** draw(st.sampled_from([0, -150, 150])), n_classes


@pytest.mark.parametrize("criterion", ["gini", "entropy", "wig", "ogini"])
@examples(400)
@given(weighted_tables(), st.booleans())
def test_no_good_cut_is_passed_over(criterion, table, is_deep):
    limits = {} if is_deep else {"max_depth": 1}
    tree = grow(*table, criterion, **limits)
    assert_same_tree(tree, grow_reference(*table, criterion, **limits))


def test_one_weight_beside_which_the_others_are_lost_in_rounding():
    # Sums kept up while samples move forget what is small beside the first.
    weights = np.array([1e7, 4.36216841e-03, 5.91309830e-01, 1.32983128e-04, 1.62839543e-01, 2.55973202e-02])
    X, y = np.array([[0.0], [4.0], [5.0], [3.0], [2.0], [1.0]]), [1, 1, 0, 0, 1, 1]
    assert grow(X, y, weights, 2, "gini", max_depth=1)["threshold"][0] == 4.5


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_many_samples_and_features_that_tell_nothing(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20 * BOX_ROWS, 4)).round(2)
    y = ((X[:, 2] > 0.1) ^ (rng.random(len(X)) < 0.2)).astype(np.int32)
    table = X, y, rng.gamma(2.0, size=len(X)), 2
    tree = grow(*table, criterion, max_depth=3)
    assert_same_tree(tree, grow_reference(*table, criterion, max_depth=3))
