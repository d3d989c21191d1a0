"""Gains by criteria of the user, feature by feature.

Such a criterion is an object whose method `judged` returns the gains of all cuts of a feature, as floating-point
numbers: of class counts left and right, or of the labels in the order of the rows and which of them go left.
"""

from .counts import add_up, class_counts, user_criterion_of

FORBIDDEN = float("-inf")


def gains_by_user(X, y, weights, n_classes, criterion, rows, feature, thresholds):
    """Return the gains of a feature's cuts, in the order of the thresholds."""
    if not thresholds:
        return []
    name, _ = criterion
    if name == "user_counts":
        left, right = counts_of_cuts(X, y, weights, n_classes, rows, feature, thresholds)
        gains = user_criterion_of(criterion)[0].judged(left, right)
    else:
        user_criterion, row_ids = user_criterion_of(criterion)
        order, n_left = order_and_cuts(X, rows, feature, thresholds)
        numbers = rows if row_ids is None else [row_ids[row] for row in rows]
        gains = user_criterion.judged([y[row] for row in rows], numbers, order, n_left)
    return [float(gain) for gain in gains]


def counts_of_cuts(X, y, weights, n_classes, rows, feature, thresholds):
    """Return for every cut the class counts of the rows that go left, and of those that go right."""
    node = class_counts([y[row] for row in rows], [weights[row] for row in rows], n_classes)
    left, right = [], []
    for threshold in thresholds:
        # Weights add up in ascending order of the feature: this fixes the rounding of those that round.
        going = sorted((row for row in rows if X[row][feature] <= threshold), key=lambda row: X[row][feature])
        left.append(class_counts([y[row] for row in going], [weights[row] for row in going], n_classes))
        right.append([a - b for a, b in zip(node, left[-1], strict=True)])
    return left, right


def order_and_cuts(X, rows, feature, thresholds):
    """Return positions among the node's rows, ascending in the feature, and how many rows each threshold sends left."""
    order = sorted(range(len(rows)), key=lambda place: X[rows[place]][feature])
    return order, [int(add_up(X[row][feature] <= threshold for row in rows)) for threshold in thresholds]


def gain_by_user(criterion, children):
    """Return the gain of a split by category, given the class counts of its children."""
    return user_criterion_of(criterion)[0].judged_children(children)


def sequence_gain_by_user(criterion, labels, children, rows):
    """Return the gain of a split by category, given the label, the child's number and the number of every row."""
    user_criterion, row_ids = user_criterion_of(criterion)
    return user_criterion.judged_children(labels, children, rows if row_ids is None else [row_ids[row] for row in rows])


def check_criterion(criterion, n_categories):
    """Raise ValueError where there are categorical features that a user's criterion has no method for."""
    user_criterion, _ = user_criterion_of(criterion)
    if user_criterion is not None and n_categories is not None and any(n_categories):
        user_criterion.check_children()
