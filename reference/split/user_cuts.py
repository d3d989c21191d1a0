"""Cuts of a node's features, as a user's criterion judges them: all cuts of a feature in one call."""

from ..criteria.counts import add_up, class_counts, user_criterion_of


def gains_by_user(X, y, weights, n_classes, criterion, rows, feature, thresholds):
    """The gains of a feature's cuts, in the order of the thresholds."""
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
    """For every cut the class counts of the rows that go left, and of those that go right."""
    node = class_counts([y[row] for row in rows], [weights[row] for row in rows], n_classes)
    left, right = [], []
    for threshold in thresholds:
        # Weights add up in ascending order of the feature: this fixes the rounding of those that round.
        going = sorted((row for row in rows if X[row][feature] <= threshold), key=lambda row: X[row][feature])
        left.append(class_counts([y[row] for row in going], [weights[row] for row in going], n_classes))
        right.append([a - b for a, b in zip(node, left[-1], strict=True)])
    return left, right


def order_and_cuts(X, rows, feature, thresholds):
    """The node's rows in ascending order of the feature, as places among them; and how many of them go left."""
    order = sorted(range(len(rows)), key=lambda place: X[rows[place]][feature])
    return order, [int(add_up(X[row][feature] <= threshold for row in rows)) for threshold in thresholds]
