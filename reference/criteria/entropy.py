"""Shannon entropy in bits, from n log2 n in whole multiples of 2**-30 bit."""

import math
from fractions import Fraction

from .counts import n_log2_n_of


def entropy(counts):
    """Return the Shannon entropy in bits: -sum of p_k log2 p_k, which is (n log2 n - sum of n_k log2 n_k) / n."""
    total = sum(counts)
    return Fraction(n_log2_n_of(total) - sum(n_log2_n_of(count) for count in counts), total * 2**30)


def weighted_entropy(weights, total):
    impurity = 0.0
    for weight in weights:
        if total > 0.0 and weight > 0.0:
            impurity -= weight / total * math.log2(weight / total)
    return impurity
