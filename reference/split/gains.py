"""Gains of given cuts and impurities of given nodes, from their class counts."""

from fractions import Fraction
from math import inf

from ..criteria.counts import add_up, name_of, remainder, user_criterion_of
from ..criteria.table import exact_impurity, gain_of_counts, wig_impurity
from ..criteria.user import seen_by_user


def gains_of_cuts(criterion, left, right):
    """Return the gain of every cut, from the class counts of its children.

    A cut that leaves a child empty gains nothing.
    """
    return [gain_of_cut(criterion, *children) for children in zip(left, right, strict=True)]


def gain_of_cut(criterion, left, right):
    if 0 in (add_up(left), add_up(right)):
        return 0.0
    counts = [a + b for a, b in zip(left, right, strict=True)]
    node, child = (counts, add_up(counts)), (left, add_up(left))
    return nearest(gain_of_counts(criterion, node, [child, remainder(node, child)]))


def gains_of_sides(criterion, node, left):
    """Return the gains of divisions in two, unrounded, from the class counts and totals of the node and the left sides.
    A user's criterion gets all of them together."""
    right = [remainder(node, side) for side in left]
    user_criterion, _ = user_criterion_of(criterion)
    if user_criterion is not None:
        tables = ([seen_by_user(counts, criterion) for counts, _ in sides] for sides in (left, right))
        return [float(gain) for gain in user_criterion.judged(*tables)]
    return [gain_of_counts(criterion, node, list(sides)) for sides in zip(left, right, strict=True)]


def impurities(criterion, counts):
    """Return the impurity of every node, from its class counts. A node without samples has impurity 0."""
    return [impurity_of_node(criterion, node) for node in counts]


def weighted_fractions(criterion, counts):
    """Return the impurity of every node times its total count, as fractions; None if the impurities are not fractions.

    A node has samples: its counts are not all zero.
    """
    if name_of(criterion) in ("wig", "entropy"):
        return None
    impurity = exact_impurity(criterion, len(counts[0]))
    return [add_up(node) * Fraction(impurity(node)) for node in counts]


def impurity_of_node(criterion, counts):
    total = add_up(counts)
    if total == 0:
        return 0.0
    if name_of(criterion) == "wig":
        return wig_impurity(criterion, counts)(counts, total)
    impurity = exact_impurity(criterion, len(counts))(counts)
    return impurity.nearest_double() if name_of(criterion) == "entropy" else nearest(impurity)


def nearest(number):
    """Return the nearest double; infinity if the number is too great."""
    try:
        return float(number)
    except OverflowError:
        return inf
