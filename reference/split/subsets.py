"""Splits of a node's categories into two sets."""

from functools import reduce

from ..base.types import NONE_MISSING, UNDEFINED
from ..criteria.categories import MOST_CATEGORIES, all_divisions, divisions, has_best_order
from ..criteria.counts import add_up, added, counted, is_greater, name_of, remainder, user_criterion_of
from ..criteria.structural import IMPURITIES, structural_gain
from ..criteria.table import gain_of_counts, judges_sequence
from ..criteria.user import FORBIDDEN, seen_by_user
from ..rows.partition import rows_by_category


def subset_splits(X, y, weights, n_classes, criterion, limits, rows, feature):
    """Return (gain, feature, cut) of every allowed division, in the order of judging them. The cut names the categories
    of the left side, which has the node's lowest category, and tells whether another division may gain more."""
    parts = rows_by_category(X, rows, feature)
    problem = X, y, weights, n_classes, criterion, rows, feature, parts
    listed_first = divisions(criterion, y, weights, n_classes, parts)
    judged = [listed for listed in listed_first if allows_division(parts, listed, weights, limits, rows)]
    gains = gains_of_divisions(*problem, judged)
    finds_best, are_few = has_best_order(criterion, n_classes), len(parts) <= MOST_CATEGORIES
    if finds_best and len(judged) < len(listed_first):
        forbidden = gains_of_divisions(*problem, [listed for listed in listed_first if listed not in judged])
        finds_best = not any(all(is_greater(one, gain) for gain in gains) for one in forbidden)
        if are_few and not finds_best:
            others = [one for one in all_divisions(parts) if allows_division(parts, one, weights, limits, rows)]
            judged, gains = judged + others, gains + gains_of_divisions(*problem, others)
    return [
        (gain, feature, (float(UNDEFINED), NONE_MISSING, left_side(parts, listed), not (finds_best or are_few)))
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
    """Whether both sides have enough samples and enough weight."""
    rows_of = dict(parts)
    n_listed = sum(len(rows_of[category]) for category in listed)
    if min(n_listed, len(rows) - n_listed) < limits["min_samples_leaf"]:
        return False
    least = limits.get("min_leaf_weight", 0)
    if least == 0:
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
        return [structural_gain(criterion, labels, of_division, n_classes, rows) for of_division in sides]
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
        tables = ([seen_by_user(of_division, criterion) for of_division, _ in side] for side in (left, right))
        return [float(gain) for gain in user_criterion.judged(*tables)]
    return [gain_of_counts(criterion, node, list(children)) for children in zip(left, right, strict=True)]
