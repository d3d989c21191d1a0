"""Divisions of a node's categories into two sets.

With two classes and a suitable criterion, the best division is a cut of the categories sorted by the share of the
second class: Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees" (1984), Theorem 4.5. A
criterion is suitable if its gain is greatest at a corner of the possible class counts of the left child. This holds if
the gain is a convex function of these counts, or a convex function divided by a concave one. Otherwise every division
is judged, if a node has few categories.

If classes are numbers and squared errors are judged, the best division is a cut of the categories sorted by their
means, for the same reason: the gain is a convex function of the left child's weight and sum, and at a corner of their
possible values one side has all categories whose mean is below some number.

A limit on the samples or the weight of leaves may forbid the best cut of an order. If no allowed cut gains as much, all
divisions of a few categories are judged after the cuts: of equal gains the first cut is taken, or else the division of
the lowest number. With too many categories the best allowed cut is taken, though another division may gain more.

Many categories are put in an order by a heuristic, and its cuts are judged: by the mean, by the share of the second
class or, with more classes, by the first principal direction of the class shares: D. Coppersmith, S. J. Hong and
J. R. M. Hosking, "Partitioning nominal attributes in decision trees", Data Mining and Knowledge Discovery 3 (1999).
"""

from fractions import Fraction
from operator import mul

from .counts import add_up, quotient, targets_of
from .table import orders_by_mean, orders_by_share

# All divisions of so many categories of a node are judged: k categories have 2**(k - 1) - 1 divisions.
MOST_CATEGORIES = 12

# Towards the first principal direction.
STEPS = 16


def has_best_order(criterion, n_classes):
    """Whether the best division of any number of categories is a cut of their order by share or mean."""
    return orders_by_mean(criterion) or orders_by_share(criterion, n_classes)


def divisions(criterion, n_classes, counts):
    """Return the divisions to judge first, each as the list of the categories of one side: the cuts of an order, or
    all.

    `counts` has the class counts and the total of every category, in ascending order. In an order of categories, one
    side has the first ones; equal categories are sorted by their codes.
    """
    if not has_best_order(criterion, n_classes) and len(counts) <= MOST_CATEGORIES:
        return all_divisions(list(counts))
    places = places_of(criterion, n_classes, list(counts.values()))
    ordered = sorted(counts, key=dict(zip(counts, places, strict=True)).get)
    return [ordered[:n] for n in range(1, len(ordered))]


def all_divisions(categories):
    """Return all divisions, each as the list of the categories on the side without the lowest one.

    A binary number has a digit for every other category, the lowest category first, and the divisions are in the order
    of these numbers.
    """
    others = categories[1:]
    return [
        [category for digit, category in enumerate(others) if number >> digit & 1]
        for number in range(1, 2 ** len(others))
    ]


def places_of(criterion, n_classes, counts):
    """Return numbers by which the categories are ordered: the means of their targets, or the shares of the second
    class."""
    targets = targets_of(criterion, n_classes)
    if targets is not None:
        return [Fraction(sum(map(mul, of_classes, targets)), total) for of_classes, total in counts]
    if n_classes == 2:
        return [quotient(second, total) for (_, second), total in counts]
    return principal_scores(counts, n_classes)


def principal_scores(counts, n_classes):
    """Project the categories' class shares onto their first principal direction.

    Let d be the differences of a category's class shares to the node's, and w its weight. The direction is near the
    first eigenvector of the sum of w d d': the power method starts with the d of the greatest w d'd, and its steps
    divide by the greatest component. All sums are added from left to right, in floating-point numbers.
    """
    total = sum(weight for _, weight in counts)
    shares = [sum(of_class) / total for of_class in zip(*(of_classes for of_classes, _ in counts), strict=True)]
    deviations = [
        [count / weight - share for count, share in zip(of_classes, shares, strict=True)]
        for of_classes, weight in counts
    ]
    weights = [float(weight) for _, weight in counts]
    squares = [product(d, d) * weight for d, weight in zip(deviations, weights, strict=True)]
    direction = deviations[squares.index(max(squares))]
    for _ in range(STEPS):
        pulls = [weight * product(d, direction) for d, weight in zip(deviations, weights, strict=True)]
        following = [
            add_up(pull * d[label] for pull, d in zip(pulls, deviations, strict=True)) for label in range(n_classes)
        ]
        greatest = max(map(abs, following))
        if greatest == 0.0:
            break
        direction = [component / greatest for component in following]
    return [product(d, direction) for d in deviations]


def product(one, other):
    """Return the scalar product."""
    return add_up(x * y for x, y in zip(one, other, strict=True))
