"""Trees of numbers as the kernels grow them."""

import numpy as np
from support import grow


def criterion_of(targets, error="squared_error"):
    """Return the codes of whole numbers as targets, how many there are, and the criterion."""
    classes, codes = np.unique(targets, return_inverse=True)
    return codes, len(classes), (error, {"targets": classes.astype(np.int64)})


def grow_numbers(X, targets, weights=None, error="squared_error", **limits):
    """Grow a tree of whole numbers as targets; return its arrays."""
    codes, n_classes, criterion = criterion_of(targets, error)
    return grow(X, codes, weights, n_classes, criterion, **limits)
