"""The scores that accelerators bound: the highest one of the cuts inside a bin."""

import math
from fractions import Fraction
from itertools import accumulate, product

from ..criteria.counts import n_log2_n_of, name_of, parameters_of


def score(criterion, left, right):
    """Return a score that grows with the gain of a cut of a node, from the children's counts; an empty child adds 0.

    L and R are the total counts of both children.

    - gini and ogini of two classes: D**2 / (L R), with D = left_0 R - right_0 L
    - gini of more classes: the sum over classes of left_k**2 / L + right_k**2 / R
    - ogini of more classes: the same sum over the counts of the classes up to each
    - entropy: minus the children's entropies times their rows, in units of 2**-30 bit
    - ranking of two classes: minus the children's products of class counts, times their rows if children are weighted
    """
    left_total, right_total = sum(left), sum(right)
    if name_of(criterion) == "ranking":
        is_weighted = parameters_of(criterion, len(left))[3]
        return -sum(math.prod(child) * (sum(child) if is_weighted else 1) for child in (left, right))
    if criterion == "entropy":
        return sum(sum(map(n_log2_n_of, child)) - n_log2_n_of(sum(child)) for child in (left, right))
    if len(left) == 2:
        difference = left[0] * right_total - right[0] * left_total
        return Fraction(difference**2, left_total * right_total) if left_total * right_total > 0 else Fraction(0)
    if criterion == "ogini":
        left, right = list(accumulate(left)), list(accumulate(right))
    return sum(
        Fraction(sum(count**2 for count in child), total)
        for child, total in ((left, left_total), (right, right_total))
        if total > 0
    )


def highest_score(criterion, left, counts, right):
    """Return the highest score of any cut inside a bin, given the class counts to its left, in it and to its right.

    The bin's rows may have any order: every choice of rows that move to the left counts.
    """
    return float(
        max(
            score(
                criterion,
                [count + m for count, m in zip(left, moved, strict=True)],
                [count + inside - m for count, inside, m in zip(right, counts, moved, strict=True)],
            )
            for moved in product(*(range(count + 1) for count in counts))
        )
    )
