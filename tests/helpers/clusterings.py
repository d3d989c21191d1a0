"""Globally evaluated trees from the definitions: clusterings as sets of rows, rebuilt whole for every candidate."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import inf, log2

import numpy as np

SIMILARITIES = {"information_gain", "gain_ratio"}
INFORMATION = {*SIMILARITIES, "nvi", "nvi_sum", "nvi_max", "vi"}
ABSENT_DIFFER = "jaccard, absent classes differ"
NEEDS_CLASSES = {"jaccard", ABSENT_DIFFER, "accuracy", "mae"}


def size(rows, weights):
    return sum(int(weights[row]) for row in rows)


def entropy(clusters, weights, n_log2_n):
    """Number of rows times H."""
    sizes = [size(cluster, weights) for cluster in clusters]
    return n_log2_n(sum(sizes)) - sum(map(n_log2_n, sizes))


@cache
def bits(n):
    """n log2 n to 60 digits, so that real numbers that are equal are equal to 50."""
    with localcontext(prec=60):
        return Decimal(n) * Decimal(n).ln() / Decimal(2).ln() if n else Decimal(0)


def rounded_bits(n):
    """n log2 n rounded to whole multiples of 2**-30, as distances are reported."""
    return Decimal(round(n * log2(n) * 2**30)) / 2**30 if n else Decimal(0)


def intersections(clusters, classes):
    return [cluster & of_class for cluster in clusters for of_class in classes]


def measure(name, clusters, classes, weights, n_log2_n=bits):
    """Return a measure of Section 1.1 between two clusterings of the same rows, each a list of sets."""
    total = size(set().union(*classes), weights)
    if name in INFORMATION:
        with localcontext(prec=60):
            of_both = intersections(clusters, classes)
            joint, of_clusters, of_classes = (entropy(sets, weights, n_log2_n) for sets in (of_both, clusters, classes))
            gain = of_classes - (joint - of_clusters)  # H(Y) - H(Y | T)
            if name == "vi":  # H(T | Y) + H(Y | T)
                return Fraction(round((joint - of_classes + joint - of_clusters) / total, 50))
            of = {
                "information_gain": total,
                "gain_ratio": of_clusters,
                "nvi": joint,
                "nvi_sum": (of_clusters + of_classes) / 2,
                "nvi_max": max(of_clusters, of_classes),
            }[name]
            is_distance = name not in SIMILARITIES
            ratio = gain / of if of else int(is_distance)
            return Fraction(round(1 - ratio if is_distance else ratio, 50))
    if name == "gini":
        result = Fraction(1)
        for cluster in filter(None, clusters):
            inverse = Fraction(total, size(cluster, weights))
            result -= inverse * sum(Fraction(size(cluster & of_class, weights), total) ** 2 for of_class in classes)
        return result
    pairs = list(zip(clusters, classes, strict=True))
    if name in ("jaccard", ABSENT_DIFFER):
        differences = [(size(a ^ b, weights), size(a | b, weights)) for a, b in pairs]
        n_absent = sum(union == 0 for _, union in differences) if name == ABSENT_DIFFER else 0
        return sum((Fraction(difference, union) for difference, union in differences if union), Fraction(n_absent))
    if name == "accuracy":
        return 1 - Fraction(sum(size(a & b, weights) for a, b in pairs), total)
    wrong = [(abs(i - j), a & b) for (i, a), (j, b) in product(enumerate(clusters), enumerate(classes))]
    return Fraction(sum(far * size(rows, weights) for far, rows in wrong), total)


def cost(name, clusters, classes, weights):
    """Return the measure as a distance."""
    value = measure(name, clusters, classes, weights)
    return -value if name in SIMILARITIES else value


def local_cost(name, children, classes, weights):
    """Return the cost of a leaf, or of its children. If the measure depends on their classes, children have the best
    classes that are not all the same; by Jaccard more than two children have their most frequent classes."""
    if name not in NEEDS_CLASSES:
        return cost(name, children, classes, weights)
    ways = list(product(range(len(classes)), repeat=len(children)))
    if len(children) > 1:
        ways = [way for way in ways if len(set(way)) > 1]
    if name in ("jaccard", ABSENT_DIFFER) and len(children) > 2:
        majorities = [most_frequent(child, classes, weights) for child in children]
        changes = [sum(a != b for a, b in zip(way, majorities, strict=True)) for way in ways]
        ways = [way for way, n_changes in zip(ways, changes, strict=True) if n_changes == min(changes)]
    costs = []
    for way in ways:
        clusters = [set() for _ in classes]
        for label, child in zip(way, children, strict=True):
            clusters[label] |= child
        costs.append(cost(name, clusters, classes, weights))
    return min(costs)


def goes_on(stop, before, after):
    """Whether growth goes on with a step that changes the distance like this."""
    return {"pure": True, "no_distance_decay": after <= before, "no_decrease": after < before}[stop]


def most_frequent(rows, classes, weights):
    sizes = [size(rows & of_class, weights) for of_class in classes]
    return sizes.index(max(sizes))


class Oracle:
    """Grows a tree step by step. Leaves are keyed by their paths, the numbers of children from the root on, which sort
    from left to right."""

    def __init__(
        self,
        problem,
        distance,
        evaluation,
        labels,
        stop,
        min_samples_leaf=1,
        max_leaf_nodes=inf,
        n_categories=None,
        ties="first",
    ):
        self.X, y, weights, n_classes = problem
        self.weights = np.ones(len(y), dtype=int) if weights is None else weights
        self.classes = [set(np.flatnonzero(y == label).tolist()) for label in range(n_classes)]
        self.distance = distance if isinstance(distance, str) else ABSENT_DIFFER
        self.evaluation, self.labels, self.stop, self.ties = evaluation, labels, stop, ties
        self.min_samples_leaf, self.max_leaf_nodes = min_samples_leaf, max_leaf_nodes
        self.n_categories = [0] * self.X.shape[1] if n_categories is None else n_categories
        rows = set(range(len(y)))
        self.leaves = {(): (rows, self.most_frequent(rows))}

    def most_frequent(self, rows):
        return most_frequent(rows, self.classes, self.weights)

    def has_room(self, children):
        return len(self.leaves) - 1 + len(children) <= self.max_leaf_nodes

    def clustering(self, leaves):
        clusters = [set() for _ in self.classes]
        for rows, label in leaves.values():
            clusters[label] |= rows
        return clusters

    def splits(self):
        for path, (rows, _) in self.leaves.items():
            if sum(1 for of_class in self.classes if rows & of_class) < 2:
                continue
            for feature, threshold in self.tests(rows):
                children = self.children(rows, feature, threshold)
                if len(children) > 1 and min(map(len, children)) >= self.min_samples_leaf:
                    yield (feature, threshold, path), children

    def tests(self, rows):
        for feature in range(self.X.shape[1]):
            if self.n_categories[feature]:
                yield feature, -2.0
                continue
            for below, above in pairwise(sorted({self.X[row, feature] for row in rows})):
                threshold = 0.5 * below + 0.5 * above
                yield feature, threshold if below <= threshold < above else below

    def children(self, rows, feature, threshold):
        column = self.X[:, feature]
        if self.n_categories[feature]:
            values = sorted({column[row] for row in rows})
            return [{row for row in rows if column[row] == value} for value in values]
        left = {row for row in rows if column[row] <= threshold}
        return [left, rows - left]

    def exchanged(self, path, children, labels):
        leaves = {other: leaf for other, leaf in self.leaves.items() if other != path}
        pairs = zip(children, labels, strict=True)
        return leaves | {(*path, b): pair for b, pair in enumerate(pairs)}

    def global_step(self):
        before = cost(self.distance, self.clustering(self.leaves), self.classes, self.weights)
        candidates = []
        for (feature, threshold, path), children in filter(lambda split: self.has_room(split[1]), self.splits()):
            choices = [tuple(map(self.most_frequent, children))]
            if self.labels == "all" and len(children) == 2:
                choices = product(range(len(self.classes)), repeat=2)
            for labels in choices:
                clustering = self.clustering(self.exchanged(path, children, labels))
                after = cost(self.distance, clustering, self.classes, self.weights)
                in_leaf = self.local_cost(children) if self.ties == "local" else 0
                candidates.append((after, in_leaf, feature, threshold, path, labels))
        best = min(candidates, default=None)
        stop = "no_decrease" if self.evaluation == "glocal" else self.stop
        return best[2:] if best is not None and goes_on(stop, before, best[0]) else None

    def local_cost(self, children):
        classes = [of_class & set().union(*children) for of_class in self.classes]
        return local_cost(self.distance, children, classes, self.weights)

    def local_step(self):
        candidates = {}
        for (feature, threshold, path), children in self.splits():
            after, before = self.local_cost(children), self.local_cost([set().union(*children)])
            candidate = (after, feature, threshold, path, tuple(map(self.most_frequent, children)))
            if path not in candidates or candidate < candidates[path][0]:
                candidates[path] = candidate, goes_on(self.stop, before, after), self.has_room(children)
        steps = [step for step, is_made, has_room in candidates.values() if has_room and is_made]
        return min(steps)[1:] if steps else None

    def grow(self):
        """Return the steps: (feature, threshold, path of the leaf, labels of the children)."""
        steps = []
        while True:
            step = None if self.evaluation == "local" else self.global_step()
            if step is None and self.evaluation != "global":
                step = self.local_step()
            if step is None:
                return steps
            steps.append(step)
            feature, threshold, path, labels = step
            children = self.children(self.leaves[path][0], feature, threshold)
            self.leaves = self.exchanged(path, children, labels)
