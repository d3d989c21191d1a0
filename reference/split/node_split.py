"""The best split of one node: every allowed cut of every feature, and every split by a categorical feature, judged from
scratch. A categorical feature splits into one child for every category, or into two children for two sets of
categories.

The gain of a split by category is the impurity of the node minus the impurities of the children, weighted by their
shares. For a distance it is the decrease of the distance between the clustering by child and the classes. Two children
gain the same as the two sides of a cut.
"""

from ..base.types import MISSING_LEFT, NONE_MISSING, UNDEFINED
from ..criteria.counts import (
    add_up,
    added,
    counted,
    counted_up_to,
    is_greater,
    name_of,
    remainder,
    user_criterion_of,
)
from ..criteria.structural import IMPURITIES, structural_gain
from ..criteria.table import gain_of_counts, judges_sequence
from ..criteria.user import FORBIDDEN, gain_by_user, seen_by_user, sequence_gain_by_user
from ..rows.partition import by_value, goes_left, is_categorical, is_missing, rows_by_category
from .monotonic import keeps_order, value_of
from .node_search import (
    allowed_cuts,
    allows_children,
    candidates,
    draw_features,
    heavy_enough,
    known_and_missing,
    numbers_left,
)
from .subsets import subset_splits


def gains_of_cuts(X, y, weights, n_classes, criterion, rows, feature, cuts):
    """Return the gains of a feature's cuts, in the order of the cuts; a user's criterion gets all of them together."""
    user_criterion, _ = user_criterion_of(criterion)
    if not cuts:
        return []
    if name_of(criterion) in IMPURITIES:
        labels = [y[row] for row in rows]
        sides = [[goes_left(X[row][feature], *cut) for row in rows] for cut in cuts]
        return [structural_gain(criterion, labels, of_cut, n_classes, rows) for of_cut in sides]
    if judges_sequence(criterion):
        return [float(gain) for gain in gains_of_sequences(X, y, criterion, rows, feature, cuts)]
    node = counted([(y[row], weights[row]) for row in rows], n_classes)
    left = left_counts(X, y, weights, n_classes, rows, feature, cuts)
    right = [remainder(node, child) for child in left]
    if user_criterion is not None:
        tables = ([seen_by_user(of_cut, criterion) for of_cut, _ in side] for side in (left, right))
        return [float(gain) for gain in user_criterion.judged(*tables)]
    return [gain_of_counts(criterion, node, list(children)) for children in zip(left, right, strict=True)]


def left_counts(X, y, weights, n_classes, rows, feature, cuts):
    """Return for every cut the class counts and the total of the rows that go left."""
    of_known, of_missing = (
        counted_up_to([y[row] for row in part], [weights[row] for row in part], n_classes)
        for part in known_and_missing(X, rows, feature)
    )
    numbers = numbers_left(X, rows, feature, cuts)
    return [added(of_known[n_known], of_missing[n_missing]) for n_known, n_missing in numbers]


def find_split(X, y, weights, n_classes, criterion, limits, rows, random_state, n_categories=None):
    """Return (gain, feature, cut) of the best split, or None. Ties go to the lowest feature, then the first cut.

    A cut is a threshold and the side of missing values. A split by a categorical feature has the threshold UNDEFINED;
    if it divides the categories into two sets, the cut also has the set of the left child.
    """
    drawn = draw_features(X, rows, limits, random_state, n_categories)
    cut = best_of(
        best_cut(X, y, weights, n_classes, criterion, limits, rows, feature)
        for feature in drawn
        if not is_categorical(n_categories, feature)
    )
    split = best_of(
        split
        for feature in drawn
        if is_categorical(n_categories, feature)
        for split in splits_by_category(X, y, weights, n_classes, criterion, limits, rows, feature)
    )
    return better_split(cut, split)


def better_split(cut, split):
    """Return the split by category if it is better than the cut, or equally good with a lower feature; otherwise the
    cut. Either may be None."""
    if cut is None or split is None:
        return cut or split
    if is_greater(split[0], cut[0]):
        return split
    return split if split[1] < cut[1] and not is_greater(cut[0], split[0]) else cut


def best_of(splits):
    """Return the best split; a later split replaces the best only if its gain is greater. None is no split."""
    best = None
    for split in splits:
        if split is not None and (best is None or is_greater(split[0], best[0])):
            best = split
    return best


def best_cut(X, y, weights, n_classes, criterion, limits, rows, feature):
    allowed = allowed_cuts(X, rows, feature, limits["min_samples_leaf"])
    allowed = heavy_enough(X, weights, rows, feature, allowed, limits.get("min_leaf_weight", 0))
    direction = (limits.get("monotonic_cst") or {feature: 0})[feature]
    if direction:
        allowed = keeping_order(X, y, weights, n_classes, criterion, limits, rows, feature, allowed, direction)
    cuts = candidates(allowed, limits["max_candidates"])
    gains = gains_of_cuts(X, y, weights, n_classes, criterion, rows, feature, cuts)
    return best_of((gain, feature, cut) for gain, cut in zip(gains, cuts, strict=True) if gain != FORBIDDEN)


def keeping_order(X, y, weights, n_classes, criterion, limits, rows, feature, cuts, direction):
    """Return the cuts that keep the monotonic constraint of a feature."""
    node = counted([(y[row], weights[row]) for row in rows], n_classes)
    left = left_counts(X, y, weights, n_classes, rows, feature, cuts)
    values = [[value_of(criterion, child[0]) for child in (side, remainder(node, side))] for side in left]
    return [cut for cut, of_cut in zip(cuts, values, strict=True) if keeps_order(direction, *of_cut, limits["bounds"])]


def splits_by_category(X, y, weights, n_classes, criterion, limits, rows, feature):
    """Return the splits by a categorical feature: at most one into a child for every category, or all into two sets."""
    if limits.get("subsets"):
        return subset_splits(X, y, weights, n_classes, criterion, limits, rows, feature)
    if not allows_children(X, rows, feature, limits["min_samples_leaf"]):
        return []
    parts = rows_by_category(X, rows, feature)
    if min(add_up(weights[row] for row in part) for _, part in parts) < limits.get("min_leaf_weight", 0):
        return []
    columns = [y[row] for row in rows], [weights[row] for row in rows], [int(X[row][feature]) for row in rows]
    gain = exact_gain_of_children(criterion, *columns, n_classes, rows)
    return [] if gain == FORBIDDEN else [(gain, feature, (float(UNDEFINED), NONE_MISSING))]


def counts_of_children(labels, weights, codes, n_classes):
    """Return class counts and totals of the node and its children by category."""
    rows = list(zip(labels, weights, strict=True))
    node = counted(rows, n_classes)
    children = [
        counted([row for row, code in zip(rows, codes, strict=True) if code == category], n_classes)
        for category in sorted(set(codes))
    ]
    return node, children


def exact_gain_of_children(criterion, labels, weights, codes, n_classes, rows):
    """Return the gain for comparisons, from the labels, weights and categories of the rows. A user's criterion may also
    need the numbers of the rows."""
    if name_of(criterion) in IMPURITIES:
        return structural_gain(criterion, labels, codes, n_classes, rows)
    if judges_sequence(criterion):
        present = sorted(set(codes))
        return sequence_gain_by_user(criterion, labels, [present.index(code) for code in codes], rows)
    node, children = counts_of_children(labels, weights, codes, n_classes)
    if user_criterion_of(criterion)[0] is not None:
        return gain_by_user(criterion, [counts for counts, _ in children])
    return gain_of_counts(criterion, node, children)


def gains_of_sequences(X, y, criterion, rows, feature, cuts):
    """Return the gains of a feature's cuts by a criterion on label sequences. In one call samples move left in one
    order, so there is a call for the cuts with missing values on the right, and one for the cuts with them on the
    left."""
    user_criterion, row_ids = user_criterion_of(criterion)
    numbers = rows if row_ids is None else [row_ids[row] for row in rows]
    gain_of = {}
    for missing_first in (False, True):
        judged = [cut for cut in cuts if (cut[1] == MISSING_LEFT) == missing_first]
        if judged:
            order, n_left = order_and_cuts(X, rows, feature, judged, missing_first)
            gains = user_criterion.judged([y[row] for row in rows], numbers, order, n_left)
            gain_of |= dict(zip(judged, gains, strict=True))
    return [gain_of[cut] for cut in cuts]


def order_and_cuts(X, rows, feature, cuts, missing_first):
    """Return positions among the node's rows, ascending in the feature, and how many rows each cut sends left."""
    order = sorted(range(len(rows)), key=lambda place: by_value(X, feature)(rows[place]))
    if missing_first:
        order.sort(key=lambda place: not is_missing(X[rows[place]][feature]))
    return order, list(map(sum, numbers_left(X, rows, feature, cuts)))
