"""The split of a node by gain ratio.

J. R. Quinlan, "C4.5: Programs for Machine Learning" (1993), Chapters 2 and 3, and "Improved Use of Continuous
Attributes in C4.5" (Journal of Artificial Intelligence Research 4, 1996). Rows are pairs of a row's number and the
part of its weight that the node has.
"""

from collections import namedtuple
from itertools import pairwise
from math import isnan, log2

from ..criteria.counts import add_up, class_counts, is_greater
from ..rows.partition import threshold_between
from .rows import weight_of

# Quinlan's program lets a gain be this much below the average.
SLACK = 1e-3

Split = namedtuple("Split", "ratio gain feature threshold")


def entropy(weights, total):
    """Return the Shannon entropy in bits, -sum of p_k log2 p_k, of sums of weights."""
    impurity = 0.0
    for weight in weights:
        share = weight / total if total > 0.0 else 0.0
        if share > 0.0:  # the share of a tiny weight beside a huge one can round to 0
            impurity -= share * log2(share)
    return impurity


class Data:
    """The data that a tree is grown from. X holds the codes of categorical features; NaN is a missing value."""

    def __init__(self, X, y, weights, n_classes, n_categories):
        self.X = X
        self.y = y
        self.n_classes = n_classes
        self.n_categories = n_categories or [0] * len(X[0])
        self.rows = [(row, 1.0 if weights is None else float(weights[row])) for row in range(len(y))]
        # Features of very many values gain much by chance. They do not count in the average, unless all are like this.
        most = 0.3 * weight_of(self.rows)
        is_typical = [n_values < most for n_values in self.n_categories]
        self.is_typical = is_typical if any(is_typical) else [True] * len(is_typical)

    def counts_of(self, rows):
        """Return the weights of the rows by class."""
        return class_counts([self.y[row] for row, _ in rows], [weight for _, weight in rows], self.n_classes)


def best_split(data, rows, min_samples_leaf):
    """Return the split of the greatest gain ratio among those that gain about the average or more, or None."""
    splits = []
    for feature in range(len(data.n_categories)):
        find = categorical_split if data.n_categories[feature] else threshold_split
        splits.append(find(data, rows, feature, min_samples_leaf))
    splits = [split for split in splits if split is not None]
    typical = [split.gain for split in splits if data.is_typical[split.feature]]
    best, best_ratio = None, 0.0
    for split in splits if typical else []:
        if split.gain >= add_up(typical) / len(typical) - SLACK and is_greater(split.ratio, best_ratio):
            best, best_ratio = split, split.ratio
    return best


def groups_by_value(data, rows, feature):
    """Return the rows whose value is known as pairs of a value and its rows, ascending."""
    groups = {}
    for row, weight in rows:
        if not isnan(data.X[row][feature]):
            groups.setdefault(data.X[row][feature], []).append((row, weight))
    return sorted(groups.items())


def known_rows(data, rows, feature):
    return [(row, weight) for row, weight in rows if not isnan(data.X[row][feature])]


def is_enough(weight, least):
    return not is_greater(float(least), weight)


def categorical_split(data, rows, feature, min_samples_leaf):
    """Return the split into a child for every value; at least two children must have enough rows."""
    groups = groups_by_value(data, rows, feature)
    sizes = [weight_of(group) for _, group in groups]
    if sum(is_enough(size, min_samples_leaf) for size in sizes) < 2:
        return None
    known = known_rows(data, rows, feature)
    known_total = weight_of(known)
    gain = entropy(data.counts_of(known), known_total)
    for size, (_, group) in zip(sizes, groups, strict=True):
        gain -= size / known_total * entropy(data.counts_of(group), size)
    return offered(data, rows, feature, None, sizes, known_total / weight_of(rows) * gain)


def threshold_split(data, rows, feature, min_samples_leaf):
    """Return the split at the threshold of the greatest gain, reduced by the bits that choose among the thresholds.

    Both sides must have enough rows. As in Quinlan's program, this is more if there are many rows and few classes.
    """
    known = known_rows(data, rows, feature)
    counts, known_total = data.counts_of(known), weight_of(known)
    least = max(float(min_samples_leaf), min(25.0, 0.1 * known_total / data.n_classes))
    best_gain, best, n_thresholds = None, None, 0
    left = []
    for (below, group), (above, _) in pairwise(groups_by_value(data, rows, feature)):
        left = left + group
        left_total = weight_of(left)
        right_total = known_total - left_total
        if not (is_enough(left_total, least) and is_enough(right_total, least)):
            continue
        n_thresholds += 1
        left_counts = data.counts_of(left)
        right_counts = [a - b for a, b in zip(counts, left_counts, strict=True)]
        gain = (
            entropy(counts, known_total)
            - left_total / known_total * entropy(left_counts, left_total)
            - right_total / known_total * entropy(right_counts, right_total)
        )
        if best is None or is_greater(gain, best_gain):
            best_gain, best = gain, (threshold_between(below, above), [left_total, right_total])
    if best is None:
        return None
    threshold, sizes = best
    total = weight_of(rows)
    gain = known_total / total * best_gain - log2(n_thresholds) / total
    return offered(data, rows, feature, threshold, sizes, gain) if is_greater(gain, 0.0) else None


def offered(data, rows, feature, threshold, sizes, gain):
    """Return the split with its gain ratio. Its information counts rows with a missing value as one more child."""
    missing = [(row, weight) for row, weight in rows if isnan(data.X[row][feature])]
    information = entropy([*sizes, weight_of(missing)], weight_of(rows))
    return Split(gain / information if information > 0.0 else 0.0, gain, feature, threshold)
