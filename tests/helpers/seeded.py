"""Training data as `pytrees.testing.strategies` draws them, but from a seed, which takes a tenth of the time.

Numbers of samples and features shrink; values do not. Strategies of weights are functions of a generator here.
"""

import numpy as np
from hypothesis import strategies as st

from pytrees._weights import on_grid
from pytrees.testing.strategies import _EXTREME_VALUES, Problem

SEEDS = st.integers(0, 2**32 - 1)


def no_weights(rng, n_rows):
    return None


def count_weights(rng, n_rows, largest=5):
    return rng.integers(1, largest + 1, n_rows)


def grid_weights(rng, n_rows):
    """Draw weights that are not whole, and put them on their grid."""
    few = rng.choice([0.1, 0.5, 1.0, 1.5, 2.0], n_rows)
    weights = np.where(rng.random(n_rows) < rng.choice([0.1, 0.5, 0.9]), few, 10.0 ** rng.uniform(-3.0, 3.0, n_rows))
    numbers = on_grid(weights)[0]
    return np.ones(n_rows, dtype=np.int64) if numbers is None else numbers


def column(rng, n_rows):
    """Draw one feature: few values with many ties, a constant, extreme values, or finite ones of any magnitude."""
    kind = rng.integers(5)
    if kind == 2:
        return np.full(n_rows, 1.5)
    if kind == 3:
        return rng.choice(_EXTREME_VALUES, n_rows)
    if kind == 4:
        values = rng.integers(0, 2**64, n_rows, dtype=np.uint64).view(np.float64)
        return np.where(np.isfinite(values), values, rng.normal(size=n_rows))
    return rng.integers(0, 31 if kind else 4, n_rows).astype(np.float64)


def features(rng, n_rows, n_features, missing=False):
    X = np.column_stack([column(rng, n_rows) for _ in range(n_features)])
    if rng.random() < 0.2:
        X = X[rng.integers(n_rows, size=n_rows)]
    if missing and rng.random() < 0.8:
        X[rng.random(X.shape) < rng.choice([0.0, 0.3, 0.7, 1.0], n_features)] = np.nan
    return np.ascontiguousarray(X)


def labels(rng, n_rows, n_classes):
    y = rng.integers(n_classes, size=n_rows, dtype=np.int32)
    return np.minimum(y, rng.integers(n_classes, size=n_rows, dtype=np.int32)) if rng.random() < 0.5 else y


@st.composite
def problems(draw, weights=no_weights, min_rows=1, max_rows=25, max_features=3, missing=False):
    """Draw training data of a tree."""
    n_rows, n_features = draw(st.integers(min_rows, max_rows)), draw(st.integers(1, max_features))
    n_classes = draw(st.sampled_from([1, 2, 2, 2, 3, 3, 4, 7, 25]))
    rng = np.random.default_rng(draw(SEEDS))
    X = features(rng, n_rows, n_features, missing)
    return Problem(X, labels(rng, n_rows, n_classes), weights(rng, n_rows), n_classes)


@st.composite
def problems_with_categories(draw, weights=no_weights, most_categories=6, **shape):
    """Draw training data, and the numbers of categories of their features, one of which is categorical at least."""
    problem = draw(problems(weights, **shape))
    n_rows, n_features = problem.X.shape
    sizes = st.integers(1, most_categories) | st.just(n_rows + 2)
    n_categories = draw(st.lists(st.just(0) | sizes, min_size=n_features, max_size=n_features).filter(any))
    rng = np.random.default_rng(draw(SEEDS))
    for feature in np.flatnonzero(n_categories):
        problem.X[:, feature] = rng.integers(n_categories[feature], size=n_rows)
    return problem, n_categories
