"""Divisions of a node's categories into two sets.

Of two classes, and of criteria whose gain is greatest at a corner of what the left child's class counts can be, the
best of all divisions is among those of the categories in the order of the second class's share: Breiman, Friedman,
Olshen and Stone, "Classification and Regression Trees" (1984), Theorem 4.5. That holds where the gain is a convex
function of these counts, or such a one over a concave one. In all other cases every division is judged.
"""

from .counts import counted, quotient
from .table import orders_by_share

# A feature of more categories than these is refused where every division has to be judged: there are 2**(k - 1) - 1.
MOST_CATEGORIES = 12


def most_categories(criterion, n_classes):
    """Return how many categories a feature may have whose divisions into two are judged; None is any number."""
    return None if orders_by_share(criterion, n_classes) else MOST_CATEGORIES


def check_subsets(criterion, n_classes, n_categories):
    """Raise ValueError where a feature has too many categories for every division to be judged."""
    most = most_categories(criterion, n_classes)
    for feature, n_codes in enumerate([] if n_categories is None or most is None else n_categories):
        if n_codes > most:
            raise ValueError(
                f"Feature {feature} has {n_codes} categories: where all their divisions into two are judged, there may "
                f"be {most}."
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
    """Return the share of the second class."""
    (_, second), total = counted([(y[row], weights[row]) for row in rows], 2)
    return quotient(second, total)
