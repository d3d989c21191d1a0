"""Trees of numbers as the kernels grow them."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import inf

import numpy as np
from hypothesis import strategies as st
from support import grow

from pytrees.input.targets import whole_numbers
from pytrees.testing.strategies import count_weights, feature_matrices, no_weights


def criterion_of(targets, error="squared_error"):
    """Return the codes of whole numbers as targets, how many there are, and the criterion."""
    classes, codes = np.unique(targets, return_inverse=True)
    return codes, len(classes), (error, {"targets": classes.astype(np.int64)})


def grow_numbers(X, targets, weights=None, error="squared_error", **limits):
    """Grow a tree of whole numbers as targets; return its arrays."""
    codes, n_classes, criterion = criterion_of(targets, error)
    return grow(X, codes, weights, n_classes, criterion, **limits)


def target_sums(tree):
    """Return the weighted sum of the targets of every node, as integers."""
    return whole_numbers(tree["target_sum"]).tolist()


@st.composite
def targets_and_weights(draw, n_rows):
    """Draw targets of few or many values, and weights, up to the limits of their sums, in 64 bits and in 128."""
    largest = draw(st.sampled_from([1, 5, 1000, 2**59 // (3 * n_rows), 2**35]))
    targets = np.array(draw(st.lists(st.integers(-largest, largest), min_size=n_rows, max_size=n_rows)))
    if largest != 2**35:
        return targets, draw(st.one_of(no_weights(n_rows), count_weights(n_rows, 3)))
    # Some samples may weigh nearly nothing beside others.
    heaviest = 2**45 // n_rows
    kinds = st.just(1) | st.integers(1, heaviest) | st.integers(heaviest // 2, heaviest)
    return targets, np.array(draw(st.lists(kinds, min_size=n_rows, max_size=n_rows)))


@st.composite
def problems_of_numbers(draw, has_categories, most_categories=6, **shape):
    """X of numeric features, perhaps with missing values, and of categories; targets and weights, up to the limits of
    their sums; and the options that tell of categories."""
    X = draw(feature_matrices(**({"max_rows": 30, "max_features": 3} | shape), missing=draw(st.booleans())))
    n_rows, n_features = X.shape
    options = {}
    if has_categories:
        sizes = st.just(0) | st.integers(1, most_categories)
        n_categories = np.array(draw(st.lists(sizes, min_size=n_features, max_size=n_features).filter(any)))
        for feature in np.flatnonzero(n_categories):
            codes = st.integers(0, n_categories[feature] - 1)
            X[:, feature] = draw(st.lists(codes, min_size=n_rows, max_size=n_rows))
        options = {"n_categories": n_categories, "subsets": draw(st.booleans())}
    return (X, *draw(targets_and_weights(n_rows))), options


class Naive:
    """A tree grown from the definitions: all cuts, and all divisions of categories into two sets."""

    def __init__(self, X, targets, weights, error, n_categories=None, subsets=False):
        self.X, self.targets, self.error, self.subsets = X.tolist(), targets.tolist(), error, subsets
        self.weights = [1] * len(X) if weights is None else weights.tolist()
        self.n_categories = [0] * X.shape[1] if n_categories is None else n_categories.tolist()

    def cost(self, rows):
        """Return the weighted sum of the squared distances to the mean, or of the distances to the median."""
        if self.error == "squared_error":
            return self.squares(rows) - Fraction(self.sum_of(rows) ** 2, self.weight(rows))
        # The sum of the distances is the least at one of the targets.
        return min(
            sum(self.weights[row] * abs(self.targets[row] - middle) for row in rows)
            for middle in {self.targets[row] for row in rows}
        )

    def squares(self, rows):
        return sum(self.weights[row] * self.targets[row] ** 2 for row in rows)

    def sum_of(self, rows):
        return sum(self.weights[row] * self.targets[row] for row in rows)

    def weight(self, rows):
        return sum(self.weights[row] for row in rows)

    def gain(self, rows, parts):
        return (self.cost(rows) - sum(map(self.cost, parts))) / Fraction(self.weight(rows))

    def cuts(self, rows, feature):
        """Return the cuts in the order of trying them: (threshold, side of missing values, parts)."""
        value = {row: self.X[row][feature] for row in rows}
        missing = [row for row in rows if np.isnan(value[row])]
        known = sorted({value[row] for row in rows} - {value[row] for row in missing})
        cuts = []
        for below, above in pairwise(known):
            middle = 0.5 * below + 0.5 * above
            sides = [row for row in rows if value[row] <= below], [row for row in rows if value[row] > below]
            threshold = middle if below <= middle < above else below
            cuts.append((threshold, 0 if missing else -1, (sides[0], [*sides[1], *missing])))
            if missing:
                cuts.append((threshold, 1, ([*sides[0], *missing], sides[1])))
        if missing and known:
            cuts.append((inf, 0, ([row for row in rows if row not in missing], missing)))
        return cuts

    def divisions(self, rows, feature):
        """Return the splits by category that no other exceeds, in the order of preference."""
        present = sorted({self.X[row][feature] for row in rows})
        of = {category: [row for row in rows if self.X[row][feature] == category] for category in present}
        if len(present) < 2:
            return []
        if not self.subsets:
            return [[(category,) for category in present]]
        every = [
            (present[0], *others) for size in range(len(present) - 1) for others in combinations(present[1:], size)
        ]
        gains = {left: self.gain(rows, self.parts(of, (left, self.rest(present, left)))) for left in every}
        best = [left for left in every if gains[left] == max(gains.values())]
        if self.error == "squared_error":
            mean = {category: Fraction(self.sum_of(of[category]), self.weight(of[category])) for category in present}
            ordered = sorted(present, key=mean.get)
            prefixes = [tuple(sorted(ordered[:n])) for n in range(1, len(present))]
            preferred = [left if present[0] in left else self.rest(present, left) for left in prefixes]
            best = [left for left in preferred if left in best]
        else:
            best.sort(key=lambda left: sum(2 ** present.index(category) for category in self.rest(present, left)))
        return [[left, self.rest(present, left)] for left in best]

    @staticmethod
    def rest(present, left):
        return tuple(category for category in present if category not in left)

    @staticmethod
    def parts(of, sets):
        return [[row for category in one for row in of[category]] for one in sets]

    def split(self, rows):
        """Return (gain, feature, threshold, side of missing values, parts, categories of parts), or None."""
        best = None
        for feature, n_codes in enumerate(self.n_categories):
            if n_codes == 0:
                tried = [(*cut, ((), ())) for cut in self.cuts(rows, feature)]
            else:
                of = {c: [row for row in rows if self.X[row][feature] == c] for c in range(n_codes)}
                tried = [(-2.0, -1, self.parts(of, sets), sets) for sets in self.divisions(rows, feature)]
            for threshold, missing, parts, sets in tried:
                gain = self.gain(rows, parts)
                if best is None or gain > best[0]:
                    best = gain, feature, threshold, missing, parts, sets
        return best

    def nodes(self, rows, categories=()):
        """Return (categories, feature, threshold, side of missing values, gain) of all nodes in preorder."""
        best = self.split(rows) if len({self.targets[row] for row in rows}) > 1 else None
        if best is None:
            return [(list(categories), -2, -2.0, -1, 0.0)]
        gain, feature, threshold, missing, parts, sets = best
        here = list(categories), feature, threshold, missing, float(gain)
        return [here, *(node for part, one in zip(parts, sets, strict=True) for node in self.nodes(part, one))]
