"""Distances between two clusterings of the same rows: T, by a tree or a cut, and Y, by the true classes.

They are those of F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning" (Section 1.1), and for ordered
classes the mean absolute error. What they ask of both clusterings is the table of |T_i ∩ Y_j|. Logarithms are taken
from the table of n log2 n in whole multiples of 2**-30 bit, so that all but those of weights are exact fractions.
"""

import math
from fractions import Fraction

from ..criteria.counts import add_up, n_log2_n_of

SIMILARITIES = ("information_gain", "gain_ratio")
INFORMATION = ("information_gain", "gain_ratio", "nvi")
DISTANCES = (*INFORMATION, "gini", "jaccard", "accuracy", "mae")


def entropy_units(counts):
    """Return the entropy of a clustering, times the number of rows, in units of 2**-30 bit."""
    return n_log2_n_of(sum(counts)) - sum(n_log2_n_of(count) for count in counts)


def exact_distance(name, table):
    """A measure of Section 1.1 of the table of |T_i ∩ Y_j|: a fraction; of SIMILARITIES the similarity."""
    clusters, classes = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    total = sum(clusters)
    if name in INFORMATION:
        joint = entropy_units([count for row in table for count in row])
        gain = entropy_units(clusters) + entropy_units(classes) - joint
        if name == "information_gain":
            return Fraction(gain, total * 2**30)
        if name == "gain_ratio":
            return Fraction(gain, entropy_units(clusters)) if entropy_units(clusters) else Fraction(0)
        return Fraction(joint - gain, joint) if joint else Fraction(0)
    if name == "gini":
        shares = [(Fraction(sum(row), total), row) for row in table if sum(row)]
        return sum(share * (1 - sum(Fraction(count, sum(row)) ** 2 for count in row)) for share, row in shares)
    if name == "jaccard":
        return sum(
            (1 - Fraction(table[i][i], union) for i in range(len(table)) if (union := union_of(table, i))), Fraction(0)
        )
    if name == "accuracy":
        return 1 - Fraction(sum(table[i][i] for i in range(len(table))), total)
    return Fraction(sum(abs(i - j) * count for i, row in enumerate(table) for j, count in enumerate(row)), total)


def union_of(table, i):
    """|T_i ∪ Y_i|."""
    return sum(table[i]) + sum(row[i] for row in table) - table[i][i]


def table_distance(table, name):
    """Return the measure as a double; where it is a sum of fractions by class, doubles are added in class order."""
    if name == "gini":
        total, within = sum(map(sum, table)), 0.0
        for row in table:
            if sum(row):
                within += sum(count * count for count in row) / sum(row)
        return 1.0 - within / total
    if name == "jaccard":
        distance = 0.0
        for i in range(len(table)):
            if union_of(table, i):
                distance += (union_of(table, i) - table[i][i]) / union_of(table, i)
        return distance
    return float(exact_distance(name, table))


def labellings(name, children):
    """Return the ways to label children with classes: for two children all pairs of different classes. Each of more
    children has the class that is best for it alone, by Jaccard its majority, the lowest of several; where all have the
    same, every change of one child to another class is a way."""
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


def matchings(name, children):
    """Return the tables of a split's children as clusters; where the measure depends on the clusters' classes, those of
    all `labellings`, with children of one class as one cluster."""
    if name in (*INFORMATION, "gini"):
        return [children]
    tables = []
    for labels in labellings(name, children):
        table = [[0] * len(children[0]) for _ in children[0]]
        for label, counts in zip(labels, children, strict=True):
            table[label] = [a + b for a, b in zip(table[label], counts, strict=True)]
        tables.append(table)
    return tables


def merit_of_children(name, children):
    """Return minus the least distance, or the similarity, of a split's children, as class counts, to the classes within
    their leaf."""
    is_weighted = any(isinstance(count, float) for counts in children for count in counts)
    return max((weighted_merit if is_weighted else merit)(name, table) for table in matchings(name, children))


def merit(name, table):
    """Return an exact number that grows as the clusterings come closer."""
    return exact_distance(name, table) if name in SIMILARITIES else -exact_distance(name, table)


def weighted_merit(name, table):
    """Return the merit of sums of weights, in floating point, added in the order of clusters and classes."""
    total = add_up(add_up(row) for row in table)
    if name in INFORMATION:
        joint = add_up(x_log2_x(weight) for row in table for weight in row)
        clusters = add_up(x_log2_x(float(add_up(row))) for row in table)
        classes = add_up(x_log2_x(float(add_up(column))) for column in zip(*table, strict=True))
        gain = x_log2_x(total) - classes - clusters + joint
        if name == "information_gain":
            return gain / total
        entropy = x_log2_x(total) - (clusters if name == "gain_ratio" else joint)
        return gain / entropy if entropy > 0.0 else 0.0
    if name == "gini":
        return add_up(add_up(weight * weight for weight in row) / add_up(row) for row in table) / total
    if name == "jaccard":
        similarity = 0.0
        for i in range(len(table)):
            cluster, column = add_up(table[i]), add_up(row[i] for row in table)
            if cluster > 0.0 and column > 0.0:
                similarity += table[i][i] / (cluster + column - table[i][i])
        return similarity - sum(any(column) for column in zip(*table, strict=True))
    if name == "accuracy":
        return add_up(table[i][i] for i in range(len(table))) / total
    return -add_up(add_up(abs(i - j) * weight for j, weight in enumerate(row)) for i, row in enumerate(table)) / total


def x_log2_x(x):
    return x * math.log2(x) if x > 0.0 else 0.0


def set_distance(function, clusters, classes):
    """Return the Jaccard distance under a set function of two clusterings as lists of rows: the sum over the classes of
    (f(T_i Δ Y_i) - f(∅)) / f(T_i ∪ Y_i), where terms whose union has f = 0 are left out."""
    empty, distance = function([]), 0.0
    for cluster, of_class in zip(map(set, clusters), map(set, classes), strict=True):
        union = function(sorted(cluster | of_class))
        if union > 0.0:
            distance += (function(sorted(cluster ^ of_class)) - empty) / union
    return distance
