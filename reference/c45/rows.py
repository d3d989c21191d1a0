"""Rows with a missing value go to every child of a node, in parts.

J. R. Quinlan, "C4.5: Programs for Machine Learning" (1993), Chapter 3.
"""

from math import isnan

from ..base.types import LEAF, MULTIWAY
from ..criteria.counts import add_up


def weight_of(rows):
    """Return the total weight of pairs of a row and its weight."""
    return float(add_up(weight for _, weight in rows))


def divide_rows(X, rows, feature, threshold):
    """Return the rows of every branch, and their weight with a known value; the threshold is None for categories.

    Rows whose value is missing have the branch's share of the known rows' weight.
    """
    known, missing = {}, []
    for row, weight in rows:
        value = X[row][feature]
        if isnan(value):
            missing.append((row, weight))
        else:
            branch = int(value) if threshold is None else int(value > threshold)
            known.setdefault(branch, []).append((row, weight))
    if len(known) < 2:
        return {}, {}
    sizes = {branch: weight_of(known[branch]) for branch in sorted(known)}
    total = add_up(sizes.values())
    parts = {}
    for branch, size in sizes.items():
        fractions = [(row, weight * (size / total)) for row, weight in missing]
        parts[branch] = sorted(known[branch] + [(row, weight) for row, weight in fractions if weight > 0.0])
    return parts, sizes


def class_shares(children_left, feature, threshold, child_offsets, children, category, value, X):
    """Return for every row the class shares of the leaves that it reaches.

    If the value of the node's feature is missing, the row goes to every child, with the child's share of the training
    rows' weight. If no child has its value, the row stays at the node.
    """
    totals = [add_up(counts) for counts in value]

    def nodes_reached(node, weight, row_values):
        """Return pairs of a node and the part of the row that ends there, from left to right."""
        below = children[child_offsets[node] : child_offsets[node + 1]]
        if children_left[node] == LEAF:
            return [(node, weight)]
        asked_for = row_values[feature[node]]
        if isnan(asked_for):
            total = add_up(totals[child] for child in below)
            parts = [(child, weight * (totals[child] / total)) for child in below]
            return [reached for child, part in parts for reached in nodes_reached(child, part, row_values)]
        if children_left[node] == MULTIWAY:
            next_ones = [child for child in below if category[child] == asked_for]
        else:
            next_ones = [below[asked_for > threshold[node]]]
        return nodes_reached(next_ones[0], weight, row_values) if next_ones else [(node, weight)]

    shares = []
    for row_values in X:
        of_row = [0.0] * len(value[0])
        for node, weight in nodes_reached(0, 1.0, row_values):
            for label, count in enumerate(value[node]):
                of_row[label] += weight * (count / totals[node])
        shares.append(of_row)
    return shares
