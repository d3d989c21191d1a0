"""Globally evaluated trees from the definitions: clusterings as sets of rows, rebuilt whole for every candidate."""

from fractions import Fraction
from itertools import pairwise, product
from math import log2

import numpy as np

SIMILARITIES = {"information_gain", "gain_ratio"}
NEEDS_CLASSES = {"jaccard", "accuracy", "mae"}


def size(rows, weights):
    return sum(int(weights[row]) for row in rows)


def entropy(clusters, weights):
    """Number of rows times H, in units of 2**-30 bit, n log2 n being rounded to these."""
    sizes = [size(cluster, weights) for cluster in clusters]
    return units(sum(sizes)) - sum(map(units, sizes))


def units(n):
    return round(n * log2(n) * 2**30) if n else 0


def intersections(clusters, classes):
    return [cluster & of_class for cluster in clusters for of_class in classes]


def measure(name, clusters, classes, weights):
    """A measure of Section 1.1 between two clusterings of the same rows, each a list of sets."""
    total = size(set().union(*classes), weights)
    if name in {"information_gain", "gain_ratio", "nvi"}:
        joint = entropy(intersections(clusters, classes), weights)
        gain = entropy(classes, weights) - (joint - entropy(clusters, weights))  # H(Y) - H(Y | T)
        of = {"information_gain": total * 2**30, "gain_ratio": entropy(clusters, weights), "nvi": joint}[name]
        ratio = Fraction(gain, of) if of else None
        if name == "nvi":
            return 1 - ratio if of else Fraction(0)
        return ratio if of else Fraction(0)
    if name == "gini":
        result = Fraction(1)
        for cluster in filter(None, clusters):
            inverse = Fraction(total, size(cluster, weights))
            result -= inverse * sum(Fraction(size(cluster & of_class, weights), total) ** 2 for of_class in classes)
        return result
    pairs = list(zip(clusters, classes, strict=True))
    if name == "jaccard":
        differences = [(size(a ^ b, weights), size(a | b, weights)) for a, b in pairs]
        return sum((Fraction(difference, union) for difference, union in differences if union), Fraction(0))
    if name == "accuracy":
        return 1 - Fraction(sum(size(a & b, weights) for a, b in pairs), total)
    wrong = [(abs(i - j), a & b) for (i, a), (j, b) in product(enumerate(clusters), enumerate(classes))]
    return Fraction(sum(far * size(rows, weights) for far, rows in wrong), total)


def cost(name, clusters, classes, weights):
    """The measure as a distance."""
    value = measure(name, clusters, classes, weights)
    return -value if name in SIMILARITIES else value


def local_cost(name, sides, classes, weights):
    """Of one side or two, matched to different classes as well as possible where the measure asks for their classes."""
    if name not in NEEDS_CLASSES:
        return cost(name, sides, classes, weights)
    places = range(len(classes))
    costs = []
    for matched in product(places, repeat=len(sides)):
        if len(set(matched)) == len(sides):
            clusters = [set() for _ in classes]
            for place, side in zip(matched, sides, strict=True):
                clusters[place] = side
            costs.append(cost(name, clusters, classes, weights))
    return min(costs)


class Oracle:
    """Grows a tree step by step. Leaves are keyed by their paths, which sort from left to right."""

    def __init__(self, problem, distance, evaluation, labels, stop, min_samples_leaf=1):
        self.X, y, weights, n_classes = problem
        self.weights = np.ones(len(y), dtype=int) if weights is None else weights
        self.classes = [set(np.flatnonzero(y == label).tolist()) for label in range(n_classes)]
        self.distance, self.evaluation, self.labels, self.stop = distance, evaluation, labels, stop
        self.min_samples_leaf = min_samples_leaf
        rows = set(range(len(y)))
        self.leaves = {"": (rows, self.most_frequent(rows))}

    def most_frequent(self, rows):
        sizes = [size(rows & of_class, self.weights) for of_class in self.classes]
        return sizes.index(max(sizes))

    def clustering(self, leaves):
        clusters = [set() for _ in self.classes]
        for rows, label in leaves.values():
            clusters[label] |= rows
        return clusters

    def cuts(self):
        for path, (rows, _) in self.leaves.items():
            if sum(1 for of_class in self.classes if rows & of_class) < 2:
                continue
            for feature in range(self.X.shape[1]):
                values = sorted({self.X[row, feature] for row in rows})
                for below, above in pairwise(values):
                    threshold = 0.5 * below + 0.5 * above
                    threshold = threshold if below <= threshold < above else below
                    left = {row for row in rows if self.X[row, feature] <= threshold}
                    right = rows - left
                    if min(len(left), len(right)) >= self.min_samples_leaf:
                        yield (feature, threshold, path), left, right

    def global_step(self):
        before = cost(self.distance, self.clustering(self.leaves), self.classes, self.weights)
        candidates = []
        for (feature, threshold, path), left, right in self.cuts():
            pairs = [(self.most_frequent(left), self.most_frequent(right))]
            if self.labels == "all":
                pairs = product(range(len(self.classes)), repeat=2)
            for pair in pairs:
                leaves = {other: leaf for other, leaf in self.leaves.items() if other != path}
                leaves |= {path + "L": (left, pair[0]), path + "R": (right, pair[1])}
                after = cost(self.distance, self.clustering(leaves), self.classes, self.weights)
                candidates.append((after, feature, threshold, path, pair))
        best = min(candidates, default=None)
        if best is None or (best[0] >= before and (self.evaluation == "glocal" or self.stop == "no_decrease")):
            return None
        return best[1:]

    def local_step(self):
        candidates = {}
        for (feature, threshold, path), left, right in self.cuts():
            classes = [of_class & (left | right) for of_class in self.classes]
            after = local_cost(self.distance, [left, right], classes, self.weights)
            before = local_cost(self.distance, [left | right], classes, self.weights)
            pair = self.most_frequent(left), self.most_frequent(right)
            candidate = (after, feature, threshold, path, pair)
            if path not in candidates or candidate < candidates[path][0]:
                candidates[path] = candidate, after < before
        steps = [step for step, decreases in candidates.values() if decreases or self.stop == "pure"]
        return min(steps)[1:] if steps else None

    def grow(self):
        """The steps: (feature, threshold, path of the leaf, labels of the sides)."""
        steps = []
        while True:
            step = None if self.evaluation == "local" else self.global_step()
            if step is None and self.evaluation != "global":
                step = self.local_step()
            if step is None:
                return steps
            steps.append(step)
            feature, threshold, path, pair = step
            rows, _ = self.leaves.pop(path)
            left = {row for row in rows if self.X[row, feature] <= threshold}
            self.leaves |= {path + "L": (left, pair[0]), path + "R": (rows - left, pair[1])}
