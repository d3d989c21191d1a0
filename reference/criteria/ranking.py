"""Ranking impurity (R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study",
2024).
"""

from fractions import Fraction
from functools import cache

from .counts import exact


def ranking(counts, costs):
    """Return the ranking impurity: sum over the pairs of classes j < q of costs[q][j] N_q N_j (Eq. 11)."""
    present = [label for label, count in enumerate(counts) if count]
    return Fraction(sum(exact(costs[q][j]) * counts[q] * counts[j] for q in present for j in present if j < q))


@cache
def costs_of_scores(scores):
    """Return the differences v_q - v_j of a tuple of class scores, exactly: they may be too large for a float."""
    return [[exact(score) - exact(other) for other in scores] for score in scores]
