"""Monotonic constraints: which values the children of a cut may have, and which bounds they hand down.

The value of a node is what a leaf predicts: the mean of its targets, their median, or the mean rank of its classes,
which is the share of the second of two classes. A cut by a feature of direction 1 (-1) is allowed if the value does not
fall (rise) from the left child to the right one, and both values lie within the bounds of the node. The mean of both
values then bounds both children, and all nodes below.
"""

from fractions import Fraction
from math import inf

from ..criteria.absolute_error import median_target
from ..criteria.counts import add_up, given_of, name_of
from ..criteria.table import judges_sequence

NO_BOUNDS = -inf, inf


def checked_constraints(monotonic_cst, criterion, n_features, n_categories):
    """Return monotonic constraints as directions by feature, or None if there are none; raise ValueError if they do not
    fit the features or the criterion."""
    if monotonic_cst is None:
        return None
    directions = list(monotonic_cst)
    if len(directions) != n_features or any(direction not in (-1, 0, 1) for direction in directions):
        raise ValueError(f"Monotonic constraints must be -1, 0 or 1 for each of {n_features} features.")
    if not any(directions):
        return None
    if judges_sequence(criterion):
        raise ValueError(f"{criterion!r} judges label sequences, which have no monotonic constraints.")
    if any(direction and n for direction, n in zip(directions, n_categories or [], strict=False)):
        raise ValueError("Categorical features have no monotonic constraints.")
    return directions


def value_of(criterion, counts):
    """Return the value of a node of these class counts: a fraction."""
    targets = given_of(criterion).get("targets")
    if name_of(criterion) == "absolute_error":
        return median_target(counts, targets)
    ranks = range(len(counts)) if targets is None else targets
    return Fraction(sum(rank * count for rank, count in zip(ranks, counts, strict=True)), add_up(counts))


def keeps_order(direction, left, right, bounds):
    """Whether a cut by a feature of this direction, 1 or -1, is allowed, by the values of both children."""
    lower, higher = (left, right) if direction > 0 else (right, left)
    return bounds[0] <= lower <= higher <= bounds[1]


def bounds_of_children(direction, values, bounds):
    """Return the bounds of all children of a node, from their values and the bounds of the node."""
    if direction == 0:
        return [bounds for _ in values]
    # Values of targets that were rounded to a grid may be out of bounds, but not on the grid.
    middle = min(max(Fraction(sum(values)) / 2, bounds[0]), bounds[1])
    below, above = (bounds[0], middle), (middle, bounds[1])
    return [below, above] if direction > 0 else [above, below]
