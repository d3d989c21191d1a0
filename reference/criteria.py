"""Impurities, and the gain of a split that follows from them.

Gains are exact: fractions for ``gini`` and ``etc``, and for ``entropy`` too, because its n log2 n are whole multiples
of 2**-30 bit. Only weights that are not whole numbers make them floating-point numbers, which count as different
where they differ by more than a tolerance.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

from .nsrps import effort_to_compress

TOLERANCE = 1e-12


@cache
def n_log2_n_of(n):
    """n log2 n in bits, to the nearest multiple of 2**-30, as the whole number of these; 0 for n = 0."""
    if n == 0:
        return 0
    with localcontext() as context:
        context.prec = 60
        return int((Decimal(n) * Decimal(n).ln() / Decimal(2).ln() * 2**30).to_integral_value())


def n_log2_n(largest):
    """The table of n log2 n for n = 0..largest."""
    return [n_log2_n_of(n) for n in range(largest + 1)]


def gini(counts):
    """Gini impurity: 1 - sum of p_k**2."""
    total = sum(counts)
    return 1 - sum(Fraction(count, total) ** 2 for count in counts)


def entropy(counts):
    """Shannon entropy in bits: -sum of p_k log2 p_k, which is (n log2 n - sum of n_k log2 n_k) / n."""
    total = sum(counts)
    return Fraction(n_log2_n_of(total) - sum(n_log2_n_of(count) for count in counts), total * 2**30)


def etc(labels, n_classes):
    """Structural impurity: the Effort-To-Compress of the label sequence."""
    return Fraction(effort_to_compress(labels, n_classes))


def weighted_gini(weights, total):
    if total <= 0.0:
        return 0.0
    impurity = 1.0
    for weight in weights:
        if weight > 0.0:
            impurity -= weight / total * (weight / total)
    return impurity


def weighted_entropy(weights, total):
    impurity = 0.0
    for weight in weights:
        if total > 0.0 and weight > 0.0:
            impurity -= weight / total * math.log2(weight / total)
    return impurity


def class_counts(labels, weights, n_classes):
    counts = [0] * n_classes
    for label, weight in zip(labels, weights, strict=True):
        counts[label] += weight
    return counts


def count_gain(criterion, node, left, n_classes):
    """Gain of a criterion on class counts, for the (label, weight) pairs of the node and of its left child."""
    node_counts = class_counts(*zip(*node, strict=True), n_classes)
    left_counts = class_counts(*zip(*left, strict=True), n_classes)
    if any(isinstance(weight, float) for _, weight in node):
        return weighted_gain(criterion, node, left, node_counts, left_counts)
    impurity = {"gini": gini, "entropy": entropy}[criterion]
    right_counts = [a - b for a, b in zip(node_counts, left_counts, strict=True)]
    share = Fraction(sum(left_counts), sum(node_counts))
    return impurity(node_counts) - share * impurity(left_counts) - (1 - share) * impurity(right_counts)


def weighted_gain(criterion, node, left, node_weights, left_weights):
    """The same for weights that are not whole numbers, summed row by row in the order in which they are given."""
    impurity = {"gini": weighted_gini, "entropy": weighted_entropy}[criterion]
    total, left_total = add_up(weight for _, weight in node), add_up(weight for _, weight in left)
    right_total = total - left_total
    right_weights = [a - b for a, b in zip(node_weights, left_weights, strict=True)]
    return (
        impurity(node_weights, total)
        - left_total / total * impurity(left_weights, left_total)
        - right_total / total * impurity(right_weights, right_total)
    )


def add_up(numbers):
    """Plain addition from left to right: since Python 3.12 `sum` compensates the rounding of floats."""
    total = 0
    for number in numbers:
        total += number
    return total


def etc_gain(labels, goes_left, n_classes):
    """ETC gain (Eq. 1): ETC(S) - sum over the children v of |S_v| / |S| ETC(S_v), S_v being S thinned to its rows."""
    gain = etc(labels, n_classes)
    for side in (True, False):
        child = [label for label, is_left in zip(labels, goes_left, strict=True) if is_left == side]
        gain -= Fraction(len(child), len(labels)) * etc(child, n_classes)
    return gain


def reported(criterion, gain):
    """The double nearest to a gain. Entropy never rises: what the rounded table takes below zero is zero."""
    if criterion == "entropy" and not isinstance(gain, float):
        gain = max(gain, 0)
    return float(gain)


def is_greater(gain, other):
    """Exactly for exact gains, otherwise by more than the tolerance."""
    if isinstance(gain, float):
        return gain - other > TOLERANCE * max(1.0, abs(other))
    return gain > other
