"""Gains by criteria of the user, feature by feature.

A user's criterion is an object whose method `judged` returns the gains of all cuts of a feature as floats. It takes
class counts left and right; or, if classes stand for targets, weights, sums and spreads left and right; or the labels
in the order of the rows and the rows that go left.
"""

from .counts import given_of, name_of, scaled, user_criterion_of
from .target_units import sums_seen

FORBIDDEN = float("-inf")


def seen_by_user(counts, criterion):
    """Return what a user's criterion sees of samples of these class counts."""
    return sums_of_targets(counts, criterion) if name_of(criterion) == "user_sums" else scaled(counts, criterion)


def sums_of_targets(counts, criterion):
    """Return the weight of samples, the sum of their targets, and the sum of squares of the targets about their mean.

    Class k stands for the number targets[k] on the grid.
    """
    given = given_of(criterion)
    samples = [(count, target) for count, target in zip(counts, given["targets"], strict=True) if count]
    weight = sum(count for count, _ in samples)
    total = sum(count * target for count, target in samples)
    squares = sum(count * target**2 for count, target in samples)
    return sums_seen(weight, total, squares, given.get("grid", (0, 1, 0)), given.get("unit", 1))


def gain_by_user(criterion, children):
    """Return the gain of a split by category, given the class counts of its children."""
    return user_criterion_of(criterion)[0].judged_children([seen_by_user(counts, criterion) for counts in children])


def sequence_gain_by_user(criterion, labels, children, rows):
    """Return the gain of a split by category, given the label, the child's number and the number of every row."""
    user_criterion, row_ids = user_criterion_of(criterion)
    return user_criterion.judged_children(labels, children, rows if row_ids is None else [row_ids[row] for row in rows])


def check_judging(criterion):
    """Raise TypeError if a user's criterion on tables of cuts does not judge what its name says."""
    user_criterion, _ = user_criterion_of(criterion)
    kinds = {"user_counts": ("counts", "class counts"), "user_sums": ("numbers", "sums of targets")}
    judges, told = kinds.get(name_of(criterion), (None, None))
    if judges is not None and user_criterion.judges != judges:
        raise TypeError(f"The criterion {user_criterion!r} does not judge {told}.")


def check_criterion(criterion, n_categories):
    """Raise ValueError if there are categorical features and a user's criterion has no method for them."""
    user_criterion, _ = user_criterion_of(criterion)
    if user_criterion is not None and n_categories is not None and any(n_categories):
        user_criterion.check_children()
