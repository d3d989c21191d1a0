"""The best split of one node: every allowed cut of every feature, and the split by every categorical one, judged from
scratch."""

from ..base.types import UNDEFINED
from ..criteria.counts import is_greater, user_criterion_of
from ..criteria.etc import etc_gain
from ..criteria.user import FORBIDDEN, gains_by_user
from ..rows.partition import is_categorical
from .categories import exact_gain_of_children
from .scan import count_gain
from .scanner import allowed_thresholds, allows_children, candidates, draw_features


def gain_of_split(X, y, weights, n_classes, criterion, rows, feature, threshold):
    if criterion == "etc":
        return etc_gain([y[row] for row in rows], [X[row][feature] <= threshold for row in rows], n_classes)
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
