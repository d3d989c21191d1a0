"""Trees of numbers as the kernels grow them."""

import numpy as np
from hypothesis import strategies as st
from support import grow

from pytrees.input.targets import whole_numbers
from pytrees.testing.strategies import count_weights, no_weights


def criterion_of(targets, error="squared_error"):
    """Return the codes of whole numbers as targets, how many there are, and the criterion."""
    classes, codes = np.unique(targets, return_inverse=True)
    return codes, len(classes), (error, {"targets": classes.astype(np.int64)})


def grow_numbers(X, targets, weights=None, error="squared_error", **limits):
    """Grow a tree of whole numbers as targets; return its arrays."""
    codes, n_classes, criterion = criterion_of(targets, error)
    return grow(X, codes, weights, n_classes, criterion, **limits)


def target_sums(tree):
    """Return the weighted sum of the targets of every node, as integers."""
    return whole_numbers(tree["target_sum"]).tolist()


@st.composite
def targets_and_weights(draw, n_rows):
    """Draw targets of few or many values, and weights, up to the limits of their sums, in 64 bits and in 128."""
    largest = draw(st.sampled_from([1, 5, 1000, 2**59 // (3 * n_rows), 2**35]))
    targets = np.array(draw(st.lists(st.integers(-largest, largest), min_size=n_rows, max_size=n_rows)))
    if largest != 2**35:
        return targets, draw(st.one_of(no_weights(n_rows), count_weights(n_rows, 3)))
    # Some samples may weigh nearly nothing beside others.
    heaviest = 2**45 // n_rows
    kinds = st.just(1) | st.integers(1, heaviest) | st.integers(heaviest // 2, heaviest)
    return targets, np.array(draw(st.lists(kinds, min_size=n_rows, max_size=n_rows)))
