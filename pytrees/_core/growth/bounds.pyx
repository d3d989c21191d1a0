"""The bounds that monotonic constraints put on the values of a grown tree's nodes.

Below a split by a feature with a direction, the mean of the values of both children bounds both sides.
"""

import numpy as np

from pytrees._core.base.fractions cimport nearest_double
from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t

cdef enum:
    NODES_BETWEEN_CHECKS = 100000   # for signals


def node_bounds(
    const int64_t[::1] child_offsets, const int64_t[::1] children, const int64_t[::1] feature, monotonic_cst, total,
    weight, centre=0, divisor=1, exponent=0,
):
    """Return the lower and the upper bounds of the values of all nodes, infinite if there are none.

    Nodes are in preorder, and `child_offsets` and `children` list the children of every node. The value of a node is
    (centre + total / weight) / (divisor 2**exponent), with whole numbers of at most 2**60 as `total` and `weight`,
    which are positive; `total` may have greater numbers as objects. A bound is the double nearest to the mean of two
    values, within the bounds of their parent.
    """
    cdef Py_ssize_t node, k, n_nodes = feature.shape[0]
    cdef int64_t low, high, direction, unchecked = 0
    cdef const int64_t[::1] directions = np.asarray(monotonic_cst, dtype=np.int64)
    cdef float64_t[::1] lower = np.full(n_nodes, -np.inf), upper = np.full(n_nodes, np.inf)
    middle_of = _middle_of(total, weight, centre, divisor, exponent)
    _check_nodes(child_offsets, children, feature, directions, total, weight)
    for node in range(n_nodes):
        check_signals(&unchecked, 1, NODES_BETWEEN_CHECKS)
        if child_offsets[node] == child_offsets[node + 1]:
            continue
        for k in range(child_offsets[node], child_offsets[node + 1]):
            lower[children[k]], upper[children[k]] = lower[node], upper[node]
        direction = directions[feature[node]]
        if direction == 0:
            continue
        low, high = children[child_offsets[node]], children[child_offsets[node] + 1]
        if direction < 0:
            low, high = high, low
        # Values of targets that were rounded to a grid may be out of bounds and of order, but not on the grid.
        upper[low] = lower[high] = min(max(middle_of(low, high), lower[node]), upper[node])
    return np.asarray(lower), np.asarray(upper)


def _middle_of(total, weight, centre, divisor, exponent):
    """Return a function that returns the mean of the values of two nodes, rounded once."""
    cdef const int64_t[::1] totals, weights = weight
    if centre == 0 and divisor == 1 and exponent == 0 and total.dtype == np.int64:
        totals = total
        return lambda int64_t one, int64_t other: nearest_double(
            <int128_t> totals[one] * weights[other] + <int128_t> totals[other] * weights[one],
            <uint128_t> weights[one] * <uint128_t> weights[other] * 2,
        )

    def middle_on_grid(int64_t one, int64_t other):
        denominator = 2 * int(weights[one]) * int(weights[other])
        numerator = int(total[one]) * int(weights[other]) + int(total[other]) * int(weights[one])
        # The quotient of two integers is the nearest double.
        return (
            (centre * denominator + numerator) * 2**max(-exponent, 0) / (denominator * divisor * 2**max(exponent, 0))
        )

    return middle_on_grid


def _check_nodes(
    const int64_t[::1] child_offsets, const int64_t[::1] children, const int64_t[::1] feature,
    const int64_t[::1] directions, total, weight,
):
    """Raise ValueError unless all indices are within the arrays."""
    n_nodes = feature.shape[0]
    inner = np.diff(child_offsets) > 0
    of_inner = np.asarray(feature)[inner] if inner.shape == (n_nodes,) else np.array([-1])
    if (
        n_nodes == 0 or len(total) != n_nodes or len(weight) != n_nodes or np.min(weight) < 1
        or child_offsets[0] != 0 or np.any(np.diff(child_offsets) < 0) or child_offsets[n_nodes] != children.shape[0]
        or np.min(children, initial=0) < 0 or np.max(children, initial=0) >= n_nodes
        or np.min(of_inner, initial=0) < 0 or np.max(of_inner, initial=0) >= directions.shape[0]
        or np.any(np.diff(child_offsets)[inner][np.asarray(directions)[of_inner] != 0] != 2)
    ):
        raise ValueError("Bounds need a tree, a value for every node, and a direction for every feature.")
