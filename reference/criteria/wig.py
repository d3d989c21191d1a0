"""Weighted information gain (R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental
study", 2024).
"""

import math
from functools import cache

from .counts import add_up


@cache
def class_weights(scores, alpha, distance_from, has_weight):
    """Return the weights of all classes, |v_q - v_mode|**alpha (Eq. 8), for every class as the mode. They sum to 1 over
    the classes that `has_weight`; other classes weigh nothing.

    `scores` and `has_weight` are tuples. If `distance_from` is "highest", the highest class replaces every mode.
    """
    all_weights = []
    for mode in scores:
        origin = scores[-1] if distance_from == "highest" else mode
        distances = [float(abs(score - origin)) ** alpha for score in scores]
        total = add_up(distance for distance, has in zip(distances, has_weight, strict=True) if has)
        all_weights.append(
            [
                distance / total if has and total > 0.0 else 0.0
                for distance, has in zip(distances, has_weight, strict=True)
            ]
        )
    return all_weights


def wig(counts, total, class_weights):
    """Return the weighted entropy: -sum of w_q p_q log2 p_q, with the weights of the most frequent class as the mode,
    the lowest of several (Eq. 9)."""
    if total == 0:
        return 0.0
    weights = class_weights[counts.index(max(counts))]
    impurity = 0.0
    for count, weight in zip(counts, weights, strict=True):
        share = count / total
        if share > 0.0:
            impurity -= weight * (share * math.log2(share))
    return impurity
