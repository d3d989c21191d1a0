"""The paths of samples through single trees.

If values may be missing, `missing_go_to_left` says for every node whether samples without the value go left.
"""

from math import isnan

from .base.types import LEAF, MULTIWAY


def path(children_left, children_right, feature, threshold, row_values, missing_go_to_left=None, ways=None):
    """Return the nodes that a row visits, from the root to its leaf: left if its value is at most the threshold. A row
    stays at a multiway node that has no child for its category; `ways` are the arrays of such nodes."""
    nodes = [0]
    while children_left[nodes[-1]] != LEAF:
        node = nodes[-1]
        value = row_values[feature[node]]
        if children_left[node] == MULTIWAY:
            below = child_of(node, value, *ways)
            if below is None:
                break
            nodes.append(below)
            continue
        goes_left = value <= threshold[node]
        if missing_go_to_left is not None and isnan(value):
            goes_left = missing_go_to_left[node]
        nodes.append(children_left[node] if goes_left else children_right[node])
    return nodes


def child_of(node, value, child_offsets, children, category_offsets, categories, _):
    """Return the child of a multiway node for a value's category, the values within half a unit of its code, or
    None."""
    for child in children[child_offsets[node] : child_offsets[node + 1]]:
        for code in categories[category_offsets[child] : category_offsets[child + 1]]:
            if code - 0.5 < value <= code + 0.5:
                return child
    return None


def apply(children_left, children_right, feature, threshold, X, missing_go_to_left=None, ways=None):
    """Return the leaf of every row, or the multiway node at which it stays."""
    tree = children_left, children_right, feature, threshold
    return [path(*tree, row_values, missing_go_to_left, ways)[-1] for row_values in X]


def decision_path(children_left, children_right, feature, threshold, X, missing_go_to_left=None, ways=None):
    """Return the nodes that every row visits: (indptr, indices), for row r indices[indptr[r]:indptr[r+1]]."""
    indptr, indices = [0], []
    for row_values in X:
        indices.extend(path(children_left, children_right, feature, threshold, row_values, missing_go_to_left, ways))
        indptr.append(len(indices))
    return indptr, indices


def feature_usage(children_left, children_right, feature, threshold, X, missing_go_to_left=None, ways=None):
    """Count for every feature the rows that it is tested for along the decision path."""
    usage = [0] * (len(X[0]) if X else 0)
    for row_values in X:
        nodes = path(children_left, children_right, feature, threshold, row_values, missing_go_to_left, ways)
        for looked_at in {feature[node] for node in nodes if children_left[node] != LEAF}:
            usage[looked_at] += 1
    return usage
