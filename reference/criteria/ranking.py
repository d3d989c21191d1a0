"""Ranking impurity, of R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental
study" (2024).
"""

from fractions import Fraction


def ranking(counts, scores):
    """Return the ranking impurity: sum over the pairs of classes j < q of (v_q - v_j) N_q N_j (Eq. 11)."""
    return sum(Fraction(scores[q] - scores[j]) * counts[q] * counts[j] for q in range(len(counts)) for j in range(q))


def weighted_ranking(weights, total, scores):
    """Return the ranking impurity, for every class the sum over the lower ones: v_q sum of N_j - sum of v_j N_j."""
    impurity = lower = lower_scores = 0.0
    for weight, score in zip(weights, scores, strict=True):
        impurity += weight * (score * lower - lower_scores)
        lower += weight
        lower_scores += score * weight
    return impurity
