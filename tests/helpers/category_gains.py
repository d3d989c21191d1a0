"""Gains of splits by category: the criteria that have them, naive impurities, and splits that nearly tie."""

from fractions import Fraction

import numpy as np

EXACT = [
    "gini",
    "entropy",
    "ogini",
    "ranking",
    "gain_ratio",
    "nvi",
    "nvi_sum",
    "nvi_max",
    "vi",
    "jaccard",
    "accuracy",
    "mae",
]
UNWEIGHTED_RANKING = ("ranking", {"weighted": False})
CRITERIA = [
    *EXACT,
    UNWEIGHTED_RANKING,
    ("ranking", {"class_scores": [0.3 * score**2 for score in range(25)]}),
    ("ranking", {"cost_matrix": [[float(abs(q - j) % 4) for j in range(25)] for q in range(25)]}),
    ("ranking", {"weighted": False, "cost_matrix": [[0.3 * (q != j) for j in range(25)] for q in range(25)]}),
    "wig",
    ("wig", {"alpha": 2.0}),
    ("wig", {"normalize_over": "present"}),
    ("wig", {"normalize_over": "present", "distance_from": "highest"}),
]


def sized(criterion, n_classes):
    """Return the criterion with class scores, or costs, of as many classes as there are."""
    if isinstance(criterion, str):
        return criterion
    name, given = criterion
    given = dict(given)
    if "class_scores" in given:
        given["class_scores"] = given["class_scores"][:n_classes]
    if "cost_matrix" in given:
        given["cost_matrix"] = [row[:n_classes] for row in given["cost_matrix"][:n_classes]]
    return name, given


def tables(y, codes, weights, n_classes):
    """Draw class counts of every child, as whole numbers."""
    weights = np.ones(len(y), dtype=np.int64) if weights is None else weights
    return [
        [int(weights[(codes == code) & (y == label)].sum()) for label in range(n_classes)] for code in np.unique(codes)
    ]


def impurity_gain(impurity, children):
    node = [sum(counts) for counts in zip(*children, strict=True)]
    return impurity(node) - sum(Fraction(sum(counts), sum(node)) * impurity(counts) for counts in children)


def gini(counts):
    return sum(Fraction(a * b, sum(counts) ** 2) for i, a in enumerate(counts) for b in counts[:i] + counts[i + 1 :])


# Counts of different primes: the common denominator of the children's fractions has far more than 128 bits.
PRIMES = [1009, 2003, 3001, 4001, 5003, 6007, 7001, 8009, 9001, 10007, 11003, 12007, 13001, 14009, 15013, 16001]


def children_of_primes():
    """Make (y, codes, weights): in every child one row of each of two classes, whose weights add up to a prime."""
    y, codes, weights = [], [], []
    for child, prime in enumerate(PRIMES):
        y += [0, 1]
        codes += [child, child]
        weights += [prime // 3 + child, prime - prime // 3 - child]
    return np.array(y), np.array(codes), np.array(weights)


def nearly_equal_splits():
    """Make (y, weights, codes, other codes): the two gains agree to some thirty digits, and are not equal.

    Four children hold a million of each class. Their parts of 14 further samples have the same sum and the same sum of
    squares in both splits, so that gains agree up to the third derivative. The others are children_of_primes.
    """
    y_primes, codes_primes, weights_primes = children_of_primes()
    y = np.concatenate([[0, 1] * 4, [0] * 14, y_primes])
    weights = np.concatenate([[10**6] * 8, [1] * 14, weights_primes])
    codes, other_codes = (
        np.concatenate([[0, 0, 1, 1, 2, 2, 3, 3], np.repeat(np.arange(4), further), codes_primes + 4])
        for further in ([0, 3, 5, 6], [1, 2, 4, 7])
    )
    return y, weights, codes, other_codes
