"""Seeded data for C4.5: numbers, categories and missing values."""

import numpy as np

from .common import UNLIMITED, classification_data

C45_LIMITS = {"max_depth": UNLIMITED, "min_samples_leaf": 2.0, "confidence": 0.25, "subtree_raising": True}

KINDS = ["numbers", "categories", "missing"]


def c45_data(kind, n):
    """Make (X, y, n_categories): 20 numbers, the same in 8 categories each, or a tenth of the numbers missing."""
    X, y = classification_data(n, n_values=8 if kind == "categories" else None)
    if kind == "missing":
        X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    return X, y, np.full(X.shape[1], 8) if kind == "categories" else None
