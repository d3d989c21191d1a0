"""The search for the best split of a node: the splits that are allowed, and the features that are drawn."""

from itertools import pairwise

from ..criteria.counts import add_up
from ..rows.partition import is_categorical, rows_by_category, split_rows, threshold_between

MASK = 2**64 - 1


def mix64(state):
    """Mix a state by SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators")."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def allowed_thresholds(X, rows, feature, min_samples_leaf):
    """Return the thresholds that leave min_samples_leaf rows on both sides, ascending."""
    values = sorted({X[row][feature] for row in rows})
    thresholds = []
    for below, above in pairwise(values):
        threshold = threshold_between(below, above)
        if min(len(side) for side in split_rows(X, rows, feature, threshold)) >= min_samples_leaf:
            thresholds.append(threshold)
    return thresholds


def heavy_enough(X, weights, rows, feature, thresholds, min_leaf_weight):
    """Return the thresholds whose sides both have this weight: the left one adds up in ascending order of the feature,
    and the right one is what is left of the node."""
    total = add_up(weights[row] for row in rows)
    enough = []
    for threshold in thresholds:
        going = sorted((row for row in rows if X[row][feature] <= threshold), key=lambda row: X[row][feature])
        left = add_up(weights[row] for row in going)
        if left >= min_leaf_weight and total - left >= min_leaf_weight:
            enough.append(threshold)
    return enough


def candidates(thresholds, max_candidates):
    """Return all thresholds, or of more the max_candidates evenly spaced ones: the middles of as many equal parts."""
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
    """Draw max_features features without replacement, and further ones until one has a split that the limit on numbers
    of samples allows; ascending.
    """
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
