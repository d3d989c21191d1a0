"""Weighted information gain, of R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an
experimental study" (2024).
"""

import math

from .counts import add_up


def class_weights(scores, alpha):
    """Return for every class as the mode the weights of all classes: |v_q - v_mode|**alpha, with sum 1 (Eq. 8)."""
    all_weights = []
    for mode in scores:
        distances = [float(abs(score - mode)) ** alpha for score in scores]
        total = add_up(distances)
        all_weights.append([distance / total if total > 0.0 else 0.0 for distance in distances])
    return all_weights


def wig(counts, total, class_weights):
    """Return the weighted entropy: -sum of w_q p_q log2 p_q, with the weights of the most frequent class, the lowest of
    several (Eq. 9)."""
    if total <= 0.0:
        return 0.0
    weights = class_weights[counts.index(max(counts))]
    impurity = 0.0
    for count, weight in zip(counts, weights, strict=True):
        if count > 0.0:
            impurity -= weight * (count / total * math.log2(count / total))
    return impurity
