"""Hypothesis strategies for the engines alone, beside `pytrees.testing.strategies`: long label sequences, limits of
growth, ordinal criteria."""

import numpy as np
from hypothesis import strategies as st
from support import UNLIMITED

from pytrees._weights import on_grid
from pytrees.testing.strategies import _ALPHABETS, feature_matrices, float_weights


@st.composite
def long_label_sequences(draw, min_length, max_length):
    """Draw (codes, n_symbols), too long to be drawn code by code: from a seed, with repeats and without."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_symbols = draw(_ALPHABETS)
    length = draw(st.integers(min_length, max_length))
    # Skewed and sticky codes are drawn too.
    codes = rng.integers(0, n_symbols, length)
    if draw(st.booleans()):
        codes = np.minimum(codes, rng.integers(0, n_symbols, length))
    if draw(st.booleans()):
        codes = np.repeat(codes, rng.integers(1, 5, length))[:length]
    return codes.astype(np.int32), n_symbols


def grid_weights(n_rows):
    """Draw weights that are not whole, and put them on their grid."""
    return float_weights(n_rows).map(
        lambda weights: on_grid(weights)[0] if np.any(weights != 1.0) else np.ones(n_rows, dtype=np.int64)
    )


@st.composite
def classified(draw, max_rows, n_classes, max_features=3):
    """Draw the features and labels of some samples; `n_classes` are the numbers of classes to choose from."""
    X = draw(feature_matrices(max_rows=max_rows, max_features=max_features))
    labels = st.integers(0, draw(st.sampled_from(n_classes)) - 1)
    return X, np.array(draw(st.lists(labels, min_size=len(X), max_size=len(X))))


def limits(**fixed):
    """Draw limits of growth, most of which do not apply in most cases."""

    def rarely(values, otherwise):
        return st.one_of(st.just(otherwise), st.just(otherwise), values)

    drawn = {
        "max_depth": rarely(st.integers(0, 5), UNLIMITED),
        "min_samples_split": rarely(st.integers(2, 8), 2),
        "min_samples_leaf": rarely(st.integers(1, 5), 1),
        "max_leaf_nodes": rarely(st.integers(1, 8), UNLIMITED),
        "min_gain": rarely(st.sampled_from([-0.5, 0.0, 1e-9, 0.1, 0.25, 1.0]), -np.inf),
        "max_candidates": rarely(st.integers(1, 5), UNLIMITED),
        "max_features": rarely(st.integers(1, 3), UNLIMITED),
        "min_weight_fraction_leaf": rarely(st.sampled_from([1e-9, 0.05, 0.1, 0.2, 1 / 3, 0.5]), 0.0),
        "seed": st.integers(0, 2**64 - 1),
    }
    return st.fixed_dictionaries(drawn | {name: st.just(value) for name, value in fixed.items()})


def ordinal_specifications(n_classes):
    """Draw ordinal criteria as the kernels take them, with parameters of every kind."""
    steps = st.lists(st.integers(1, 3) | st.floats(0.1, 2.0), min_size=n_classes, max_size=n_classes)
    scores = st.none() | steps.map(lambda steps: np.cumsum(steps).astype(float).tolist())
    wig = st.fixed_dictionaries(
        {
            "alpha": st.sampled_from([0.0, 0.5, 1.0, 2.0]),
            "class_scores": scores,
            "normalize_over": st.sampled_from(["all", "all", "present"]),
            "distance_from": st.sampled_from(["mode", "mode", "highest"]),
        }
    )
    by_scores = st.fixed_dictionaries({"weighted": st.booleans(), "class_scores": scores})
    by_costs = st.fixed_dictionaries({"weighted": st.booleans(), "cost_matrix": costs_of_pairs(n_classes)})
    ranking = by_scores | by_costs
    return st.sampled_from(["ogini", "wig", "ranking"]) | st.one_of(
        st.tuples(st.just("wig"), wig), st.tuples(st.just("ranking"), ranking)
    )


@st.composite
def costs_of_pairs(draw, n_classes):
    """Draw a symmetric matrix of costs, zero on its diagonal: whole numbers, or others."""
    costs = draw(st.sampled_from([st.integers(0, 3).map(float), st.floats(0.0, 2.0)]))
    matrix = [[0.0] * n_classes for _ in range(n_classes)]
    # With many classes, drawing each cost would be most of a test's work.
    drawn = draw(st.lists(costs, min_size=1, max_size=10))
    for q in range(n_classes):
        for j in range(q):
            matrix[q][j] = matrix[j][q] = drawn[(q * (q - 1) // 2 + j) % len(drawn)]
    return matrix
