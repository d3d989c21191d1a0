"""The search for the best split of a node: the splits that are allowed, and the features that are drawn."""

from bisect import bisect_right
from itertools import accumulate, pairwise
from math import inf

from ..base.types import MISSING_LEFT, MISSING_RIGHT, NONE_MISSING
from ..rows.partition import is_missing, known_values, rows_by_category, threshold_between

MASK = 2**64 - 1


def mix64(state):
    """Mix a state by SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators")."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def cuts_of(X, rows, feature):
    """Return the cuts of a feature in the order of trying them. A cut is a threshold and the side of missing values:
    every threshold with missing values right, then left; last, all known values left and missing values right.
    """
    values = known_values(X, rows, feature)
    thresholds = [threshold_between(below, above) for below, above in pairwise(values)]
    if not any(is_missing(X[row][feature]) for row in rows):
        return [(threshold, NONE_MISSING) for threshold in thresholds]
    cuts = [(threshold, missing) for threshold in thresholds for missing in (MISSING_RIGHT, MISSING_LEFT)]
    return [*cuts, (inf, MISSING_RIGHT)] if values else []


def allowed_cuts(problem, rows, feature):
    """Return the cuts that leave min_samples_leaf rows on both sides."""
    cuts = cuts_of(problem.X, rows, feature)
    sizes = map(sum, numbers_left(problem.X, rows, feature, cuts))
    least = problem.limits["min_samples_leaf"]
    return [cut for cut, n in zip(cuts, sizes, strict=True) if min(n, len(rows) - n) >= least]


def known_and_missing(X, rows, feature):
    """Return the rows with a known value, in ascending order of the feature, and the rows that lack it."""
    known = sorted((row for row in rows if not is_missing(X[row][feature])), key=lambda row: X[row][feature])
    return known, [row for row in rows if is_missing(X[row][feature])]


def numbers_left(X, rows, feature, cuts):
    """Return for every cut how many of the rows with a known value go left, and how many of the rows that lack it."""
    known, missing_rows = known_and_missing(X, rows, feature)
    values = [X[row][feature] for row in known]
    return [
        (bisect_right(values, threshold), len(missing_rows) if missing == MISSING_LEFT else 0)
        for threshold, missing in cuts
    ]


def heavy_enough(problem, rows, feature, cuts):
    """Return the cuts whose sides both have the least weight of a leaf."""
    least = problem.limits.get("min_leaf_weight", 0)
    if least == 0:
        return cuts
    total = problem.weight(rows)
    of_known, of_missing = (
        list(accumulate((problem.weights[row] for row in part), initial=0))
        for part in known_and_missing(problem.X, rows, feature)
    )
    enough = []
    for cut, (n_known, n_missing) in zip(cuts, numbers_left(problem.X, rows, feature, cuts), strict=True):
        left = of_known[n_known] + of_missing[n_missing]
        if left >= least and total - left >= least:
            enough.append(cut)
    return enough


def candidates(cuts, max_candidates):
    """Return the cuts at all thresholds. If there are more than max_candidates thresholds, return the cuts at the
    middles of max_candidates equal parts."""
    thresholds = sorted({threshold for threshold, _ in cuts})
    n_allowed = len(thresholds)
    if n_allowed <= max_candidates:
        return cuts
    tried = {thresholds[(2 * k + 1) * n_allowed // (2 * max_candidates)] for k in range(max_candidates)}
    return [(threshold, missing) for threshold, missing in cuts if threshold in tried]


def allows_children(X, rows, feature, min_samples_leaf):
    """Whether the rows have at least two categories, and at least min_samples_leaf rows of each."""
    children = rows_by_category(X, rows, feature)
    return len(children) > 1 and min(len(child) for _, child in children) >= min_samples_leaf


def can_split(problem, rows, feature):
    if not problem.is_categorical(feature):
        return bool(allowed_cuts(problem, rows, feature))
    least = problem.limits["min_samples_leaf"]
    if problem.limits.get("subsets"):
        return allows_children(problem.X, rows, feature, 1) and len(rows) >= 2 * least
    return allows_children(problem.X, rows, feature, least)


def draw_features(problem, node):
    """Draw max_features features without replacement, ascending. Further features are drawn until one has a split that
    the limit on numbers of samples allows. For sets of categories only the total number of samples is checked.
    """
    max_features, random_state = problem.limits["max_features"], node.random_state
    remaining = list(range(len(problem.X[0])))
    if max_features >= len(remaining):
        return remaining
    drawn = []
    while remaining and (
        len(drawn) < max_features or not any(can_split(problem, node.rows, feature) for feature in drawn)
    ):
        random_state = (random_state + 0x9E3779B97F4A7C15) & MASK
        chosen = (mix64(random_state) * len(remaining)) >> 64
        # The first remaining feature moves to the position of the drawn feature.
        remaining[0], remaining[chosen] = remaining[chosen], remaining[0]
        drawn.append(remaining.pop(0))
    return sorted(drawn)
