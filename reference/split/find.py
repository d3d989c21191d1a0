"""The best split of one node: every allowed cut of every feature, and the split by every categorical one, judged from
scratch.

The gain of a split by category, with one child for every category that the samples of the node have, is the impurity of
the node minus those of the children by their shares, or what the clustering by child takes off the distance to the
classes, of any criterion; of two children it is that of a cut.
"""

from ..base.types import UNDEFINED
from ..criteria.counts import add_up, class_counts, counted, is_greater, name_of, remainder, user_criterion_of
from ..criteria.structural import IMPURITIES, structural_gain
from ..criteria.user import FORBIDDEN, gain_by_user, sequence_gain_by_user
from ..rows.partition import is_categorical, rows_by_category
from .scan import count_gain, gain_of_counts, judges_sequence
from .scanner import allowed_thresholds, allows_children, candidates, draw_features, heavy_enough


def gain_of_split(X, y, weights, n_classes, criterion, rows, feature, threshold):
    if name_of(criterion) in IMPURITIES:
        goes_left = [X[row][feature] <= threshold for row in rows]
        return structural_gain(criterion, [y[row] for row in rows], goes_left, n_classes)
    # The left child's weights add up in ascending order of the feature: this fixes the rounding of those that round.
    left = sorted((row for row in rows if X[row][feature] <= threshold), key=lambda row: X[row][feature])
    return count_gain(
        criterion, [(y[row], weights[row]) for row in rows], [(y[row], weights[row]) for row in left], n_classes
    )


def gains_of_cuts(X, y, weights, n_classes, criterion, rows, feature, thresholds):
    """Return the gains of a feature's cuts; a user's criterion gets all of them together."""
    if user_criterion_of(criterion)[0] is None:
        return [gain_of_split(X, y, weights, n_classes, criterion, rows, feature, cut) for cut in thresholds]
    return gains_by_user(X, y, weights, n_classes, criterion, rows, feature, thresholds)


def find_split(X, y, weights, n_classes, criterion, limits, rows, random_state, n_categories=None):
    """Return (gain, feature, threshold) of the best split, of equal ones the lowest feature, then threshold; or None.

    The split by a categorical feature has the threshold UNDEFINED.
    """
    drawn = draw_features(X, rows, limits["min_samples_leaf"], limits["max_features"], random_state, n_categories)
    cut = best_of(
        best_cut(X, y, weights, n_classes, criterion, limits, rows, feature)
        for feature in drawn
        if not is_categorical(n_categories, feature)
    )
    split = best_of(
        split_by_category(X, y, weights, n_classes, criterion, limits, rows, feature)
        for feature in drawn
        if is_categorical(n_categories, feature)
    )
    return better_split(cut, split)


def better_split(cut, split):
    """Return the split by category where it is better than the cut, or as good and of the lower feature; either may be
    None."""
    if cut is None or split is None:
        return cut or split
    if is_greater(split[0], cut[0]):
        return split
    return split if split[1] < cut[1] and not is_greater(cut[0], split[0]) else cut


def best_of(splits):
    """Return the first split that no later one beats, compared one after the other; None is no split."""
    best = None
    for split in splits:
        if split is not None and (best is None or is_greater(split[0], best[0])):
            best = split
    return best


def best_cut(X, y, weights, n_classes, criterion, limits, rows, feature):
    allowed = allowed_thresholds(X, rows, feature, limits["min_samples_leaf"])
    allowed = heavy_enough(X, weights, rows, feature, allowed, limits.get("min_leaf_weight", 0.0))
    thresholds = candidates(allowed, limits["max_candidates"])
    gains = gains_of_cuts(X, y, weights, n_classes, criterion, rows, feature, thresholds)
    return best_of(
        (gain, feature, threshold) for gain, threshold in zip(gains, thresholds, strict=True) if gain != FORBIDDEN
    )


def split_by_category(X, y, weights, n_classes, criterion, limits, rows, feature):
    if not allows_children(X, rows, feature, limits["min_samples_leaf"]):
        return None
    parts = rows_by_category(X, rows, feature)
    if min(add_up(weights[row] for row in part) for _, part in parts) < limits.get("min_leaf_weight", 0.0):
        return None
    columns = [y[row] for row in rows], [weights[row] for row in rows], [int(X[row][feature]) for row in rows]
    gain = exact_gain_of_children(criterion, *columns, n_classes, rows)
    return None if gain == FORBIDDEN else (gain, feature, float(UNDEFINED))


def counts_of_children(labels, weights, codes, n_classes):
    """Return class counts and totals, added in the order of the rows, of the node and its children by category.

    Of two children the second is the node minus the first, as at a cut: this fixes the rounding.
    """
    rows = list(zip(labels, weights, strict=True))
    node = counted(rows, n_classes)
    children = [
        counted([row for row, code in zip(rows, codes, strict=True) if code == category], n_classes)
        for category in sorted(set(codes))
    ]
    if len(children) == 2:
        children[1] = remainder(node, children[0])
    return node, children


def exact_gain_of_children(criterion, labels, weights, codes, n_classes, rows):
    """Return the gain as it is compared, of rows by their labels, weights and categories, and by their numbers where a
    user's criterion needs them."""
    if name_of(criterion) in IMPURITIES:
        return structural_gain(criterion, labels, codes, n_classes)
    if judges_sequence(criterion):
        present = sorted(set(codes))
        return sequence_gain_by_user(criterion, labels, [present.index(code) for code in codes], rows)
    node, children = counts_of_children(labels, weights, codes, n_classes)
    if user_criterion_of(criterion)[0] is not None:
        return gain_by_user(criterion, [counts for counts, _ in children])
    return gain_of_counts(criterion, node, children)


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
