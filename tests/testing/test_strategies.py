"""Strategies draw what they say."""

from random import Random

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from support import examples

from pytrees.testing.strategies import (
    feature_matrices,
    float_weights,
    ordered_labels,
    problems,
    problems_with_categories,
)


def is_drawn(strategy, is_met):
    """Find an example, which need not be the smallest one; raise an error if there is none."""
    find(strategy, is_met, settings=settings(max_examples=2000, phases=[Phase.generate]), random=Random(0))


@pytest.mark.parametrize(
    "is_met",
    [
        lambda X: len(X) == 1,
        lambda X: len(X) > 5 and len(np.unique(X, axis=0)) < len(X),
        lambda X: len(X) > 1 and any(len(set(column)) == 1 for column in X.T),
        lambda X: len(X) > 1 and np.abs(X).max() > 1e300,
        lambda X: len(X) > 1 and np.isnan(X).any() and not np.isnan(X).all(),
        lambda X: len(X) > 1 and np.isnan(X).all(axis=0).any(),
    ],
    ids=["one sample", "duplicates", "constant", "extreme", "missing", "missing feature"],
)
def test_tables_of_every_kind_are_drawn(is_met):
    is_drawn(feature_matrices(missing=True), is_met)


@given(problems(float_weights, min_rows=2, max_rows=9, max_features=2))
@examples(100)
def test_shapes_of_problems(problem):
    X, y, weights, n_classes = problem
    assert X.shape[0] == len(y) == len(weights)
    assert 2 <= len(X) <= 9
    assert X.shape[1] <= 2
    assert 0 <= y.min() <= y.max() < n_classes
    assert weights.min() > 0.0


@given(problems_with_categories(max_rows=9))
@examples(100)
def test_categories_are_codes(drawn):
    problem, n_categories = drawn
    for column, n_codes in zip(problem.X.T, n_categories, strict=True):
        assert n_codes == 0 or np.isin(column, np.arange(n_codes)).all()
    assert any(n_categories)


@given(ordered_labels(7))
@examples(100)
def test_ordered_labels_are_of_their_classes(drawn):
    y, classes = drawn
    assert len(y) == 7
    assert set(y) <= set(classes)


def test_orders_of_classes_need_not_be_alphabetical():
    is_drawn(ordered_labels(3), lambda drawn: drawn[1] != sorted(drawn[1]) and len(set(drawn[0])) == 3)
