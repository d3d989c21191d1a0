"""Distances between two clusterings of the same rows: T, by a tree or a cut, and Y, by the true classes.

Sources: F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning" (Section 1.1); three more variations of
information are from M. Meila, "Comparing clusterings - an information based distance", 2007, and N. X. Vinh, J. Epps
and J. Bailey, "Information theoretic measures for clusterings comparison", 2010 (Table 2). The mean absolute error is
for ordered classes. All distances follow from the table of |T_i ∩ Y_j|. Distances of whole counts are exact: fractions,
or quotients of sums of n log2 n.
"""

from fractions import Fraction

from ..criteria.counts import add_up
from ..criteria.gini import gini
from ..criteria.logarithms import ZERO, BitRatio, bits, entropy_bits
from ..criteria.ratios import divisor_of_gain

SIMILARITIES = ("information_gain", "gain_ratio")
INFORMATION = ("information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi")
DISTANCES = (*INFORMATION, "gini", "jaccard", "accuracy", "mae")


def parts_of(distance):
    """Return the name of a distance, and the Jaccard distance of a class without rows in both clusterings: 0 or 1."""
    name, parameters = (distance, {}) if isinstance(distance, str) else distance
    return name, int(parameters.get("absent_classes", "equal") == "different")


def exact_distance(distance, table):
    """Return a measure of Section 1.1 exactly, from the table of |T_i ∩ Y_j|; for SIMILARITIES it is the similarity."""
    name, of_absent = parts_of(distance)
    clusters, classes = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    total = sum(clusters)
    if name in INFORMATION:
        of_clusters, of_classes = entropy_bits(clusters), entropy_bits(classes)
        joint = entropy_bits([count for row in table for count in row])
        gain = of_clusters + of_classes - joint
        if name in ("information_gain", "vi"):
            return BitRatio(gain if name == "information_gain" else joint - gain, bits(total))
        divisor = divisor_of_gain(name, of_classes, of_clusters, joint)
        if name != "gain_ratio":
            gain = divisor - (2 * gain if name == "nvi_sum" else gain)
        return ZERO if divisor.is_zero() else BitRatio(gain, divisor)
    if name == "gini":
        return sum(Fraction(sum(row), total) * gini(row) for row in table if any(row))
    if name == "jaccard":
        unions = [union_of(table, i) for i in range(len(table))]
        return sum(1 - Fraction(table[i][i], union) if union else Fraction(of_absent) for i, union in enumerate(unions))
    if name == "accuracy":
        return 1 - Fraction(sum(table[i][i] for i in range(len(table))), total)
    errors = [abs(i - j) * count for i, row in enumerate(table) if any(row) for j, count in enumerate(row)]
    return Fraction(sum(errors), total)


def union_of(table, i):
    """|T_i ∪ Y_i|."""
    return sum(table[i]) + sum(row[i] for row in table) - table[i][i]


def table_distance(table, distance):
    """Return the measure as a double. If it is a sum of fractions by class, doubles are added in class order."""
    name, of_absent = parts_of(distance)
    if name == "gini":
        total, within = sum(map(sum, table)), 0.0
        for row in table:
            if sum(row):
                within += sum(count * count for count in row) / sum(row)
        return 1.0 - within / total
    if name == "jaccard":
        total = 0.0
        for i in range(len(table)):
            total += (union_of(table, i) - table[i][i]) / union_of(table, i) if union_of(table, i) else of_absent
        return total
    return float(exact_distance(name, table))


def labellings(name, children):
    """Return the ways to label children with classes. Two children get all pairs of different classes. If there are
    more children, each gets the class that is best for it alone (its majority for Jaccard), the lowest of several. If
    all get the same class, every change of one child to another class is a way."""
    labels = range(len(children[0]))
    if len(children) == 2:
        return [[i, j] for i in labels for j in labels if i != j]
    scores = [minus_absolute_errors(child) if name == "mae" else child for child in children]
    best = [of_child.index(max(of_child)) for of_child in scores]
    if len(set(best)) > 1:
        return [best]
    changes = [(place, label) for place in range(len(best)) for label in labels if label != best[place]]
    return [[*best[:place], label, *best[place + 1 :]] for place, label in changes]


def minus_absolute_errors(counts):
    return [-add_up(abs(i - j) * count for j, count in enumerate(counts)) for i in range(len(counts))]


def matchings(distance, children):
    """Return the tables of a split's children as clusters. If the measure depends on the clusters' classes, there is a
    table for each of the `labellings`, in which children of one class form one cluster."""
    name, _ = parts_of(distance)
    if name in (*INFORMATION, "gini"):
        return [children]
    tables = []
    for labels in labellings(name, children):
        table = [[0] * len(children[0]) for _ in children[0]]
        for label, counts in zip(labels, children, strict=True):
            table[label] = [a + b for a, b in zip(table[label], counts, strict=True)]
        tables.append(table)
    return tables


def merit_of_children(distance, children):
    """Return the merit of a split: minus the least distance, or the similarity, between its children and the classes of
    the leaf, from class counts."""
    return max(merit(distance, table) for table in matchings(distance, children))


def merit(distance, table):
    """Return an exact number that grows as the clusterings come closer."""
    return exact_distance(distance, table) if distance in SIMILARITIES else -exact_distance(distance, table)


def set_distance(distance, clusters, classes):
    """Return the Jaccard distance of two clusterings, given as lists of rows, under a set function f: the sum over the
    classes of (f(T_i Δ Y_i) - f(∅)) / f(T_i ∪ Y_i). A union with f = 0 counts as an absent class."""
    function, (_, of_absent) = distance[1]["function"], parts_of(distance)
    empty, total = function([]), 0.0
    for cluster, of_class in zip(map(set, clusters), map(set, classes), strict=True):
        union = function(sorted(cluster | of_class))
        total += (function(sorted(cluster ^ of_class)) - empty) / union if union > 0.0 else of_absent
    return total
