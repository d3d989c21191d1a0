"""Best split of one node: every allowed cut of every feature, and the split by every categorical one, judged from
scratch."""

from itertools import pairwise

from ..criteria import counts as criteria
from ..criteria.children import exact_gain_of_children
from ..criteria.user import FORBIDDEN, gains_by_user
from ..rows.partition import is_categorical, rows_by_category, split_rows, threshold_between

MASK = 2**64 - 1
UNDEFINED = -2


def mix64(state):
    """The output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators")."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def allowed_thresholds(X, rows, feature, min_samples_leaf):
    """Thresholds between neighbouring distinct values that leave min_samples_leaf rows on both sides, ascending."""
    values = sorted({X[row][feature] for row in rows})
    thresholds = []
    for below, above in pairwise(values):
        threshold = threshold_between(below, above)
        if min(len(side) for side in split_rows(X, rows, feature, threshold)) >= min_samples_leaf:
            thresholds.append(threshold)
    return thresholds


def candidates(thresholds, max_candidates):
    """All thresholds, or of too many the max_candidates evenly spaced ones: the middles of as many equal parts."""
    n_allowed = len(thresholds)
    if n_allowed <= max_candidates:
        return thresholds
    return [thresholds[(2 * k + 1) * n_allowed // (2 * max_candidates)] for k in range(max_candidates)]


def allows_children(X, rows, feature, min_samples_leaf):
    """Whether the rows have two categories or more, and min_samples_leaf rows of each."""
    children = rows_by_category(X, rows, feature)
    return len(children) > 1 and min(len(child) for _, child in children) >= min_samples_leaf


def can_split(X, rows, feature, min_samples_leaf, n_categories):
    if is_categorical(n_categories, feature):
        return allows_children(X, rows, feature, min_samples_leaf)
    return bool(allowed_thresholds(X, rows, feature, min_samples_leaf))


def draw_features(X, rows, min_samples_leaf, max_features, random_state, n_categories=None):
    """max_features features drawn without replacement, and further ones until one has an allowed split; ascending."""
    n_features = len(X[0])
    if max_features >= n_features:
        return list(range(n_features))
    remaining = list(range(n_features))
    drawn = []
    while remaining and (
        len(drawn) < max_features
        or not any(can_split(X, rows, feature, min_samples_leaf, n_categories) for feature in drawn)
    ):
        random_state = (random_state + 0x9E3779B97F4A7C15) & MASK
        chosen = (mix64(random_state) * len(remaining)) >> 64
        # The first of the remaining takes the place of the one that is drawn.
        remaining[0], remaining[chosen] = remaining[chosen], remaining[0]
        drawn.append(remaining.pop(0))
    return sorted(drawn)


def gain_of_split(X, y, weights, n_classes, criterion, rows, feature, threshold):
    if criterion == "etc":
        return criteria.etc_gain([y[row] for row in rows], [X[row][feature] <= threshold for row in rows], n_classes)
    # The left child's weights add up in ascending order of the feature: this fixes the rounding of those that round.
    left = sorted((row for row in rows if X[row][feature] <= threshold), key=lambda row: X[row][feature])
    return criteria.count_gain(
        criterion, [(y[row], weights[row]) for row in rows], [(y[row], weights[row]) for row in left], n_classes
    )


def gains_of_cuts(X, y, weights, n_classes, criterion, rows, feature, thresholds):
    """The gains of a feature's cuts; a user's criterion is asked for all of them together."""
    if criteria.user_criterion_of(criterion)[0] is None:
        return [gain_of_split(X, y, weights, n_classes, criterion, rows, feature, cut) for cut in thresholds]
    return gains_by_user(X, y, weights, n_classes, criterion, rows, feature, thresholds)


def find_split(X, y, weights, n_classes, criterion, limits, rows, random_state, n_categories=None):
    """(gain, feature, threshold) of the best split, of equal ones the lowest feature, then threshold; or None.

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
    """The split by category where it is better than the cut, or is not worse and of the lower feature; either may be
    None."""
    if cut is None or split is None:
        return cut or split
    if criteria.is_greater(split[0], cut[0]):
        return split
    return split if split[1] < cut[1] and not criteria.is_greater(cut[0], split[0]) else cut


def best_of(splits):
    """The first one that none of the later ones is greater than, as they stand in line; None stands for no split."""
    best = None
    for split in splits:
        if split is not None and (best is None or criteria.is_greater(split[0], best[0])):
            best = split
    return best


def best_cut(X, y, weights, n_classes, criterion, limits, rows, feature):
    allowed = allowed_thresholds(X, rows, feature, limits["min_samples_leaf"])
    thresholds = candidates(allowed, limits["max_candidates"])
    gains = gains_of_cuts(X, y, weights, n_classes, criterion, rows, feature, thresholds)
    return best_of(
        (gain, feature, threshold) for gain, threshold in zip(gains, thresholds, strict=True) if gain != FORBIDDEN
    )


def split_by_category(X, y, weights, n_classes, criterion, limits, rows, feature):
    if not allows_children(X, rows, feature, limits["min_samples_leaf"]):
        return None
    columns = [y[row] for row in rows], [weights[row] for row in rows], [int(X[row][feature]) for row in rows]
    gain = exact_gain_of_children(criterion, *columns, n_classes, rows)
    return None if gain == FORBIDDEN else (gain, feature, float(UNDEFINED))
