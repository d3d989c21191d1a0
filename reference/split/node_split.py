"""The best split of one node: every allowed cut of every feature, and every split by a categorical feature, judged from
scratch. A categorical feature splits into one child for every category, or into two children for two sets of
categories.

The gain of a split by category is the impurity of the node minus the impurities of the children, weighted by their
shares. For a distance it is the decrease of the distance between the clustering by child and the classes. Two children
gain the same as the two sides of a cut.
"""

from ..base.types import MISSING_LEFT, NONE_MISSING, UNDEFINED
from ..criteria.counts import added, counted_up_to, is_greater, name_of, remainder, user_criterion_of
from ..criteria.structural import IMPURITIES, structural_gain
from ..criteria.table import gain_of_counts, judges_sequence
from ..criteria.user import FORBIDDEN, gain_by_user, sequence_gain_by_user
from ..rows.partition import by_value, goes_left, is_missing, rows_by_category
from .gains import gains_of_sides
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


def gains_of_cuts(problem, rows, feature, cuts):
    """Return the gains of a feature's cuts, in the order of the cuts; a user's criterion gets all of them together."""
    if not cuts:
        return []
    if name_of(problem.criterion) in IMPURITIES:
        labels, values = problem.labels(rows), [problem.X[row][feature] for row in rows]
        sides = [[goes_left(value, *cut) for value in values] for cut in cuts]
        return [structural_gain(problem.criterion, labels, of_cut, problem.n_classes, rows) for of_cut in sides]
    if judges_sequence(problem.criterion):
        return [float(gain) for gain in gains_of_sequences(problem, rows, feature, cuts)]
    return gains_of_sides(problem.criterion, problem.counted(rows), left_counts(problem, rows, feature, cuts))


def left_counts(problem, rows, feature, cuts):
    """Return for every cut the class counts and the total of the rows that go left."""
    of_known, of_missing = (
        counted_up_to(problem.labels(part), [problem.weights[row] for row in part], problem.n_classes)
        for part in known_and_missing(problem.X, rows, feature)
    )
    numbers = numbers_left(problem.X, rows, feature, cuts)
    return [added(of_known[n_known], of_missing[n_missing]) for n_known, n_missing in numbers]


def find_split(problem, node):
    """Return (gain, feature, cut) of the best split, or None. Ties go to the lowest feature, then the first cut.

    A cut is a threshold and the side of missing values. A split by a categorical feature has the threshold UNDEFINED;
    if it divides the categories into two sets, the cut also has the set of the left child.
    """
    drawn = draw_features(problem, node)
    cut = best_of(best_cut(problem, node, feature) for feature in drawn if not problem.is_categorical(feature))
    split = best_of(
        split
        for feature in drawn
        if problem.is_categorical(feature)
        for split in splits_by_category(problem, node.rows, feature)
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


def best_cut(problem, node, feature):
    """Return (gain, feature, cut) of the best allowed cut of a feature, or None."""
    allowed = allowed_cuts(problem, node.rows, feature)
    allowed = heavy_enough(problem, node.rows, feature, allowed)
    allowed = keeping_order(problem, node, feature, allowed)
    cuts = candidates(allowed, problem.limits["max_candidates"])
    gains = gains_of_cuts(problem, node.rows, feature, cuts)
    return best_of((gain, feature, cut) for gain, cut in zip(gains, cuts, strict=True) if gain != FORBIDDEN)


def keeping_order(problem, node, feature, cuts):
    """Return the cuts that keep the monotonic constraint of the feature."""
    directions = problem.limits.get("monotonic_cst")
    if not directions or directions[feature] == 0:
        return cuts
    counts = problem.counted(node.rows)
    kept = []
    for cut, left in zip(cuts, left_counts(problem, node.rows, feature, cuts), strict=True):
        values = [value_of(problem.criterion, side[0]) for side in (left, remainder(counts, left))]
        if keeps_order(directions[feature], *values, node.bounds):
            kept.append(cut)
    return kept


def splits_by_category(problem, rows, feature):
    """Return the splits by a categorical feature: at most one into a child for every category, or all into two sets."""
    limits = problem.limits
    if limits.get("subsets"):
        return subset_splits(problem, rows, feature)
    if not allows_children(problem.X, rows, feature, limits["min_samples_leaf"]):
        return []
    parts = rows_by_category(problem.X, rows, feature)
    if min(problem.weight(part) for _, part in parts) < limits.get("min_leaf_weight", 0):
        return []
    gain = gain_of_children(problem, rows, feature, parts)
    return [] if gain == FORBIDDEN else [(gain, feature, (float(UNDEFINED), NONE_MISSING))]


def gain_of_children(problem, rows, feature, parts):
    """Return the gain of the split into a child for every category. A user's criterion may also need the rows."""
    criterion, labels = problem.criterion, problem.labels(rows)
    codes = [int(problem.X[row][feature]) for row in rows]
    if name_of(criterion) in IMPURITIES:
        return structural_gain(criterion, labels, codes, problem.n_classes, rows)
    if judges_sequence(criterion):
        present = sorted(set(codes))
        return sequence_gain_by_user(criterion, labels, [present.index(code) for code in codes], rows)
    children = [problem.counted(part) for _, part in parts]
    if user_criterion_of(criterion)[0] is not None:
        return gain_by_user(criterion, [counts for counts, _ in children])
    return gain_of_counts(criterion, problem.counted(rows), children)


def gains_of_sequences(problem, rows, feature, cuts):
    """Return the gains of a feature's cuts by a criterion on label sequences. In one call samples move left in one
    order, so there is a call for the cuts with missing values on the right, and one for the cuts with them on the
    left."""
    user_criterion, row_ids = user_criterion_of(problem.criterion)
    numbers = rows if row_ids is None else [row_ids[row] for row in rows]
    gain_of = {}
    for missing_first in (False, True):
        judged = [cut for cut in cuts if (cut[1] == MISSING_LEFT) == missing_first]
        if judged:
            order, n_left = order_and_cuts(problem.X, rows, feature, judged, missing_first)
            gains = user_criterion.judged(problem.labels(rows), numbers, order, n_left)
            gain_of |= dict(zip(judged, gains, strict=True))
    return [gain_of[cut] for cut in cuts]


def order_and_cuts(X, rows, feature, cuts, missing_first):
    """Return positions among the node's rows, ascending in the feature, and how many rows each cut sends left."""
    order = sorted(range(len(rows)), key=lambda place: by_value(X, feature)(rows[place]))
    if missing_first:
        order.sort(key=lambda place: not is_missing(X[rows[place]][feature]))
    return order, list(map(sum, numbers_left(X, rows, feature, cuts)))
