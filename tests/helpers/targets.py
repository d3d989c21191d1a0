"""Trees of numbers as the kernels grow them."""

import numpy as np
from support import grow


def grow_numbers(X, targets, weights=None, error="squared_error", **limits):
    """Grow a tree of whole numbers as targets; return its arrays."""
    classes, codes = np.unique(targets, return_inverse=True)
    return grow(X, codes, weights, len(classes), (error, {"targets": classes.astype(np.int64)}), **limits)
