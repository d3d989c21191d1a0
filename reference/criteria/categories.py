"""Divisions of a node's categories into two sets.

With two classes and a suitable criterion, the best division is a cut of the categories sorted by the share of the
second class: Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees" (1984), Theorem 4.5. A
criterion is suitable if its gain is greatest at a corner of the possible class counts of the left child. This holds if
the gain is a convex function of these counts, or a convex function divided by a concave one. Otherwise every division
is judged.

If classes are numbers and squared errors are judged, the best division is a cut of the categories sorted by their
means, for the same reason: the gain is a convex function of the left child's weight and sum, and at a corner of their
possible values one side has all categories whose mean is below some number.
"""

from fractions import Fraction

from .counts import counted, quotient, targets_of
from .table import orders_by_mean, orders_by_share

# If every division is judged, a feature may have this many categories: k categories have 2**(k - 1) - 1 divisions.
MOST_CATEGORIES = 12


def most_categories(criterion, n_classes):
    """Return how many categories a feature may have if it splits into two sets; None is any number."""
    return None if orders_by_mean(criterion) or orders_by_share(criterion, n_classes) else MOST_CATEGORIES


def check_subsets(criterion, n_classes, n_categories):
    """Raise ValueError if a feature has too many categories for every division to be judged."""
    most = most_categories(criterion, n_classes)
    for feature, n_codes in enumerate([] if n_categories is None or most is None else n_categories):
        if n_codes > most:
            raise ValueError(
                f"Feature {feature} has {n_codes} categories: where all their divisions into two are judged, there may "
                f"be {most}."
            )


def divisions(criterion, y, weights, n_classes, parts):
    """Return the divisions to judge, each as the list of the categories of one side.

    Parts are the categories, ascending, with their rows. In the order of shares or means, one side has the first
    categories; equal ones are sorted by category. Otherwise the side is the one without the lowest category. A binary
    number then has a digit for every other category, the lowest category first, and the divisions are in the order of
    these numbers.
    """
    categories = [category for category, _ in parts]
    if orders_by_mean(criterion):
        targets = targets_of(criterion, n_classes)
        mean = {category: mean_of(y, weights, rows, targets) for category, rows in parts}
        ordered = sorted(categories, key=mean.get)
        return [ordered[:n] for n in range(1, len(ordered))]
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


def mean_of(y, weights, rows, targets):
    """Return the mean of the targets that the classes stand for."""
    return Fraction(sum(weights[row] * targets[y[row]] for row in rows), sum(weights[row] for row in rows))
