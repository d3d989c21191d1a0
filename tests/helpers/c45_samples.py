"""Quinlan's small data set, and random data with categories, missing values and weights."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from support import UNLIMITED

from pytrees._engine import kernel
from pytrees.testing.strategies import _columns, labels

LIMITS = {"max_depth": UNLIMITED, "min_samples_leaf": 2.0, "confidence": 0.25, "subtree_raising": True}

OUTLOOKS = ["overcast", "rain", "sunny"]
CLASSES = ["don't play", "play"]

# J. R. Quinlan, "C4.5: Programs for Machine Learning", Figure 2-1: outlook, temperature, humidity, windy, class.
GOLF = [
    ("sunny", 75, 70, True, "play"),
    ("sunny", 80, 90, True, "don't play"),
    ("sunny", 85, 85, False, "don't play"),
    ("sunny", 72, 95, False, "don't play"),
    ("sunny", 69, 70, False, "play"),
    ("overcast", 72, 90, True, "play"),
    ("overcast", 83, 78, False, "play"),
    ("overcast", 64, 65, True, "play"),
    ("overcast", 81, 75, False, "play"),
    ("rain", 71, 80, True, "don't play"),
    ("rain", 65, 70, True, "don't play"),
    ("rain", 75, 80, False, "play"),
    ("rain", 68, 80, False, "play"),
    ("rain", 70, 96, False, "play"),
]
GOLF_CATEGORIES = [3, 0, 0, 2]
OUTLOOK, TEMPERATURE, HUMIDITY, WINDY = range(4)

# The book supposes that the outlook of this sample is not known.
LACKING = 5


def golf(lacks_outlook=False):
    """Return (X, y) in codes; the outlook of one row may be missing."""
    X = np.array([[OUTLOOKS.index(outlook), *rest] for outlook, *rest, _ in GOLF], dtype=np.float64)
    if lacks_outlook:
        X[LACKING, OUTLOOK] = np.nan
    return X, np.array([CLASSES.index(row[-1]) for row in GOLF], dtype=np.int32)


def grow(X, y, weights=None, n_classes=None, n_categories=None, **limits):
    """The arrays of a tree, and how many nodes it had before it was pruned."""
    X, y = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.int32)
    n_classes = int(y.max()) + 1 if n_classes is None else n_classes
    n_categories = None if n_categories is None else np.asarray(n_categories)
    tree, n_grown = kernel("grow_c45")(X, y, weights, n_classes, n_categories=n_categories, **(LIMITS | limits))
    return {name: np.asarray(array, np.int64 if name == "children" else None) for name, array in tree.items()}, n_grown


@dataclass
class Mixed:
    """Training data of a C4.5 tree."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    n_classes: int
    n_categories: np.ndarray | None

    @property
    def data(self):
        return self.X, self.y, self.weights, self.n_classes


@st.composite
def mixed_problems(draw, weights, max_rows=40):
    """Draw numeric and categorical features, some of them telling of the class, with and without missing values."""
    n_rows = draw(st.integers(1, max_rows))
    y, n_classes = draw(labels(n_rows))
    kinds = draw(st.lists(st.sampled_from([0, 0, 1, 2, 3, 6, 12]), min_size=1, max_size=4))
    X = np.empty((n_rows, len(kinds)))
    for feature, n_values in enumerate(kinds):
        values = draw(
            st.lists(st.integers(0, n_values - 1), min_size=n_rows, max_size=n_rows) if n_values else _columns(n_rows)
        )
        X[:, feature] = values
        if draw(st.booleans()):
            tells = np.array(draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)), dtype=bool)
            X[tells, feature] = y[tells] % n_values if n_values else y[tells]
    if draw(st.booleans()):
        one_of = draw(st.sampled_from([2, 4, 10]))
        lacks = draw(st.lists(st.integers(1, one_of), min_size=X.size, max_size=X.size))
        X[np.reshape(lacks, X.shape) == 1] = np.nan
    n_categories = np.array(kinds, dtype=np.int64)
    given = n_categories if n_categories.any() or draw(st.booleans()) else None
    return Mixed(X, y, draw(weights(n_rows)), n_classes, given)
