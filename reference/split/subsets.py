"""Splits of a node's categories into two sets.

Of two classes, and of criteria whose gain is greatest at a corner of what the left child's class counts can be, the
best of all divisions is among those of the categories in the order of the second class's share: Breiman, Friedman,
Olshen and Stone, "Classification and Regression Trees" (1984), Theorem 4.5. That holds where the gain is a convex
function of these counts, or such a one over a concave one. In all other cases every division is judged.
"""

from fractions import Fraction
from functools import reduce

from ..base.types import NONE_MISSING, UNDEFINED
from ..criteria.counts import add_up, added, counted, name_of, parameters_of, remainder, user_criterion_of
from ..criteria.structural import IMPURITIES, structural_gain
from ..criteria.user import FORBIDDEN
from ..rows.partition import rows_by_category
from .scan import gain_of_counts, judges_sequence

# A feature of more categories than these is refused where every division has to be judged: there are 2**(k - 1) - 1.
MOST_CATEGORIES = 12

CONVEX = ("gini", "entropy", "gain_ratio", "nvi", "nvi_sum", "ogini")


def orders_by_share(criterion, n_classes):
    """Whether the divisions to judge are those of the categories in the order of the second class's share."""
    return n_classes == 2 and name_of(criterion) in CONVEX and parameters_of(criterion, n_classes)[3]


def check_subsets(criterion, n_classes, n_categories):
    """Raise ValueError where a feature has too many categories for every division to be judged."""
    if n_categories is None or orders_by_share(criterion, n_classes):
        return
    for feature, n_codes in enumerate(n_categories):
        if n_codes > MOST_CATEGORIES:
            raise ValueError(
                f"Feature {feature} has {n_codes} categories: where all their divisions into two are judged, there may "
                f"be {MOST_CATEGORIES}."
            )


def divisions(criterion, y, weights, n_classes, parts):
    """Return the divisions to judge, each as the list of the categories of one side.

    Parts are the categories, ascending, with their rows. In the order of shares the categories of one side are the
    first ones, of equal shares the lower category. Otherwise the side is the one without the lowest category, and the
    divisions are in the order of the numbers that have a binary digit for every other category, the lowest the first.
    """
    categories = [category for category, _ in parts]
    if orders_by_share(criterion, n_classes):
        share = {category: share_of(y, weights, rows) for category, rows in parts}
        ordered = sorted(categories, key=share.get)
        return [ordered[:n] for n in range(1, len(ordered))]
    others = categories[1:]
    return [
        [category for digit, category in enumerate(others) if number >> digit & 1]
        for number in range(1, 2 ** len(others))
    ]


def share_of(y, weights, rows):
    """Return the share of the second class; 0 of rows that weigh nothing."""
    (_, second), total = counted([(y[row], weights[row]) for row in rows], 2)
    if isinstance(total, float):
        return second / total if total > 0.0 else 0.0
    return Fraction(second, total) if total else Fraction(0)


def subset_splits(X, y, weights, n_classes, criterion, limits, rows, feature):
    """Return (gain, feature, cut) of every allowed division, in the order of judging them. The cut names the categories
    of the left side, which is the one with the node's lowest category."""
    parts = rows_by_category(X, rows, feature)
    judged = [
        listed
        for listed in divisions(criterion, y, weights, n_classes, parts)
        if allows_division(parts, listed, weights, limits, rows)
    ]
    gains = gains_of_divisions(X, y, weights, n_classes, criterion, rows, feature, parts, judged)
    return [
        (gain, feature, (float(UNDEFINED), NONE_MISSING, left_side(parts, listed)))
        for gain, listed in zip(gains, judged, strict=True)
        if gain != FORBIDDEN
    ]


def left_side(parts, listed):
    """Return the categories of the left side."""
    categories = [category for category, _ in parts]
    if categories[0] in listed:
        return frozenset(listed)
    return frozenset(categories) - frozenset(listed)


def allows_division(parts, listed, weights, limits, rows):
    """Whether both sides have samples enough, and weigh enough."""
    rows_of = dict(parts)
    n_listed = sum(len(rows_of[category]) for category in listed)
    if min(n_listed, len(rows) - n_listed) < limits["min_samples_leaf"]:
        return False
    least = limits.get("min_leaf_weight", 0.0)
    if least == 0.0:
        return True
    of_listed = add_up(add_up(weights[row] for row in rows_of[category]) for category in listed)
    total = add_up(weights[row] for row in rows)
    return of_listed >= least and total - of_listed >= least


def gains_of_divisions(X, y, weights, n_classes, criterion, rows, feature, parts, judged):
    """Return the gains of divisions; a user's criterion on class counts gets all of them together."""
    if not judged:
        return []
    sides = [[int(X[row][feature]) not in listed for row in rows] for listed in judged]
    labels = [y[row] for row in rows]
    if name_of(criterion) in IMPURITIES:
        return [structural_gain(criterion, labels, of_division, n_classes) for of_division in sides]
    user_criterion, row_ids = user_criterion_of(criterion)
    if judges_sequence(criterion):
        numbers = rows if row_ids is None else [row_ids[row] for row in rows]
        orders = [sorted(range(len(rows)), key=side.__getitem__) for side in sides]
        return [
            float(user_criterion.judged(labels, numbers, order, [side.count(False)])[0])
            for order, side in zip(orders, sides, strict=True)
        ]
    node = counted([(y[row], weights[row]) for row in rows], n_classes)
    by_category = {
        category: counted([(y[row], weights[row]) for row in of_category], n_classes) for category, of_category in parts
    }
    left = [reduce(added, (by_category[category] for category in listed)) for listed in judged]
    right = [remainder(node, one) for one in left]
    if user_criterion is not None:
        counts = ([of_division for of_division, _ in side] for side in (left, right))
        return [float(gain) for gain in user_criterion.judged(*counts)]
    return [gain_of_counts(criterion, node, list(children)) for children in zip(left, right, strict=True)]
