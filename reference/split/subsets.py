"""Splits of a node's categories into two sets."""

from functools import reduce

from ..base.types import NONE_MISSING, UNDEFINED
from ..criteria.categories import MOST_CATEGORIES, all_divisions, divisions, has_best_order
from ..criteria.counts import add_up, added, is_greater, name_of, user_criterion_of
from ..criteria.structural import IMPURITIES, structural_gain
from ..criteria.table import judges_sequence
from ..criteria.user import FORBIDDEN
from ..rows.partition import rows_by_category
from .gains import gains_of_sides


def subset_splits(problem, rows, feature):
    """Return (gain, feature, cut) of every allowed division, in the order of judging them. The cut names the categories
    of the left side, which has the node's lowest category, and tells whether another division may gain more."""
    criterion, n_classes = problem.criterion, problem.n_classes
    parts = dict(rows_by_category(problem.X, rows, feature))
    categories = list(parts)
    counts = {category: problem.counted(part) for category, part in parts.items()}
    listed_first = divisions(criterion, n_classes, counts)
    judged = [listed for listed in listed_first if allows_division(problem, rows, parts, listed)]
    gains = gains_of_divisions(problem, rows, feature, counts, judged)
    finds_best, are_few = has_best_order(criterion, n_classes), len(parts) <= MOST_CATEGORIES
    if finds_best and len(judged) < len(listed_first):
        others = [listed for listed in listed_first if listed not in judged]
        forbidden = gains_of_divisions(problem, rows, feature, counts, others)
        finds_best = not any(all(is_greater(one, gain) for gain in gains) for one in forbidden)
        if are_few and not finds_best:
            others = [one for one in all_divisions(categories) if allows_division(problem, rows, parts, one)]
            judged, gains = judged + others, gains + gains_of_divisions(problem, rows, feature, counts, others)
    return [
        (gain, feature, (float(UNDEFINED), NONE_MISSING, left_side(categories, listed), not (finds_best or are_few)))
        for gain, listed in zip(gains, judged, strict=True)
        if gain != FORBIDDEN
    ]


def left_side(categories, listed):
    """Return the categories of the left side."""
    return frozenset(listed) if categories[0] in listed else frozenset(categories) - frozenset(listed)


def allows_division(problem, rows, parts, listed):
    """Whether both sides have enough samples and enough weight."""
    n_listed = sum(len(parts[category]) for category in listed)
    if min(n_listed, len(rows) - n_listed) < problem.limits["min_samples_leaf"]:
        return False
    least = problem.limits.get("min_leaf_weight", 0)
    if least == 0:
        return True
    of_listed = add_up(problem.weight(parts[category]) for category in listed)
    return of_listed >= least and problem.weight(rows) - of_listed >= least


def gains_of_divisions(problem, rows, feature, counts, judged):
    """Return the gains of divisions; a user's criterion on class counts gets all of them together."""
    if not judged:
        return []
    criterion, labels = problem.criterion, problem.labels(rows)
    sides = [[int(problem.X[row][feature]) not in listed for row in rows] for listed in judged]
    if name_of(criterion) in IMPURITIES:
        return [structural_gain(criterion, labels, of_division, problem.n_classes, rows) for of_division in sides]
    if judges_sequence(criterion):
        user_criterion, row_ids = user_criterion_of(criterion)
        numbers = rows if row_ids is None else [row_ids[row] for row in rows]
        orders = [sorted(range(len(rows)), key=side.__getitem__) for side in sides]
        return [
            float(user_criterion.judged(labels, numbers, order, [side.count(False)])[0])
            for order, side in zip(orders, sides, strict=True)
        ]
    left = [reduce(added, (counts[category] for category in listed)) for listed in judged]
    return gains_of_sides(criterion, problem.counted(rows), left)
