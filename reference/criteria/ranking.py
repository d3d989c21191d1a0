"""Ranking impurity (R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study",
2024).
"""

from fractions import Fraction
from functools import cache


def ranking(counts, costs):
    """Return the ranking impurity: sum over the pairs of classes j < q of costs[q][j] N_q N_j (Eq. 11), for costs that
    are whole numbers.

    The compiled engine's integers limit both engines.
    """
    if max(map(max, costs)) * sum(counts) ** 2 >= 2**62:
        raise ValueError(
            f"Class scores are too far apart, or costs too great, for {sum(counts)} samples: the greatest cost of a "
            "pair times the samples squared must be below 2**62."
        )
    present = [label for label, count in enumerate(counts) if count]
    return Fraction(sum(int(costs[q][j]) * counts[q] * counts[j] for q in present for j in present if j < q))


@cache
def costs_of_scores(scores):
    """Return the differences v_q - v_j of a tuple of whole class scores, as integers, which may be too large for a
    float."""
    return [[int(score) - int(other) for other in scores] for score in scores]


def weighted_ranking(weights, total, scores):
    """Return the ranking impurity: N_q (v_q sum of N_j - sum of v_j N_j) over all classes q, with sums over j < q."""
    impurity = lower = lower_scores = 0.0
    for weight, score in zip(weights, scores, strict=True):
        impurity += weight * (score * lower - lower_scores)
        lower += weight
        lower_scores += score * weight
    return impurity


def ranking_by_costs(weights, total, costs):
    """Return the ranking impurity from costs of pairs of classes, row by row."""
    impurity = 0.0
    for label, weight in enumerate(weights):
        with_lower = 0.0
        for lower in range(label):
            with_lower += costs[label][lower] * weights[lower]
        impurity += weight * with_lower
    return impurity
