"""Gains by criteria of the user, feature by feature.

A user's criterion is an object whose method `judged` returns the gains of all cuts of a feature as floats. It takes
class counts left and right, or the labels in the order of the rows and the rows that go left.
"""

from .counts import user_criterion_of

FORBIDDEN = float("-inf")


def gain_by_user(criterion, children):
    """Return the gain of a split by category, given the class counts of its children."""
    return user_criterion_of(criterion)[0].judged_children(children)


def sequence_gain_by_user(criterion, labels, children, rows):
    """Return the gain of a split by category, given the label, the child's number and the number of every row."""
    user_criterion, row_ids = user_criterion_of(criterion)
    return user_criterion.judged_children(labels, children, rows if row_ids is None else [row_ids[row] for row in rows])


def check_criterion(criterion, n_categories):
    """Raise ValueError if there are categorical features and a user's criterion has no method for them."""
    user_criterion, _ = user_criterion_of(criterion)
    if user_criterion is not None and n_categories is not None and any(n_categories):
        user_criterion.check_children()
