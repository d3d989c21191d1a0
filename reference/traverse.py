"""The paths of samples through trees.

If values may be missing, `missing_go_to_left` says for every node whether samples without the value go left.
"""

from math import inf, isfinite, isnan

from .base.signals import raise_if_stopped
from .base.types import LEAF, MULTIWAY, UNDEFINED


def binarise(children_left, feature, threshold, child_offsets, children, category_offsets, categories):
    """Convert a tree to thresholds only: (children_left, children_right, feature, threshold, node), in preorder.

    A multiway node becomes a balanced search among its categories, with thresholds half-way between codes. `node` gives
    the original node of each new node. Rows of a category without a child stay at the multiway node, which therefore
    has leaves, too. If a search ends at a child for the second time, the new node shares the children of the first one.
    """
    binary = {name: [] for name in ("left", "right", "feature", "threshold", "node")}
    numbers, copies = {}, []

    def add(node):
        number = len(binary["node"])
        binary["left"].append(LEAF)
        binary["right"].append(LEAF)
        binary["feature"].append(feature[node])
        binary["threshold"].append(threshold[node])
        binary["node"].append(node)
        return number

    # The parts still to add, the next one last: a node, or the intervals of a multiway node to search, and the parent.
    pending = [(0, None, None, None)]
    while pending:
        node, found, parent, side = pending.pop()
        below = children[child_offsets[node] : child_offsets[node + 1]]
        if found is not None and len(found) == 1 and found[0][1] is not None:
            pending.append((found[0][1], None, parent, side))
            continue
        number = add(node)
        if parent is not None:
            binary[side][parent] = number
        if found is None and node in numbers:
            copies.append((number, numbers[node]))
            continue
        if found is None:
            numbers[node] = number
        if found is None and children_left[node] == MULTIWAY:
            found = intervals(below, category_offsets, categories)
        if found is None and below:
            pending += [(below[1], None, number, "right"), (below[0], None, number, "left")]
        elif found is not None and len(found) > 1:
            middle = len(found) // 2
            binary["threshold"][number] = found[middle - 1][0]
            pending += [(node, found[middle:], number, "right"), (node, found[:middle], number, "left")]
        else:
            binary["feature"][number], binary["threshold"][number] = UNDEFINED, float(UNDEFINED)
    for number, first in copies:
        for name in ("left", "right", "feature", "threshold"):
            binary[name][number] = binary[name][first]
    return tuple(binary.values())


def intervals(below, category_offsets, categories):
    """Return the intervals of codes in ascending order, as (upper end, child); child None means that rows stay here."""
    child_of = {
        code: child for child in below for code in categories[category_offsets[child] : category_offsets[child + 1]]
    }
    found = [(min(child_of) - 0.5, None)]
    for code in sorted(child_of):
        if found[-1][0] < code - 0.5:
            found.append((code - 0.5, None))
        if found[-1][1] == child_of[code]:
            found.pop()
        found.append((code + 0.5, child_of[code]))
    return [*found, (inf, None)]


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


def pack_forest(trees, leaf_arrays, n_classes, missing=None):
    """Return the forest for `sum_leaves`: its trees, n_classes numbers of every node, and `missing_go_to_left` or None.

    `trees` are results of `binarise`. `leaf_arrays` give every node a vote for one class, or n_classes numbers.
    """
    if missing is None:
        missing = [None] * len(trees)
    return list(zip(trees, leaf_arrays, missing, strict=True)), n_classes


def given_by_leaves(tree, given, missing, X):
    """Return what the leaf of every row gives."""
    *splits, node = tree
    leaves = []
    for row_values in X:
        raise_if_stopped()
        leaves.append(given[node[path(*splits, row_values, missing)[-1]]])
    return leaves


def is_finite(X):
    return all(isfinite(value) for row_values in X for value in row_values)


def sum_leaves(forest, X):
    """Return the sum of the numbers of every row's leaves, in the order of the trees, and whether X is finite."""
    trees, n_classes = forest
    sums = [[0.0] * n_classes for _ in X]
    for tree in trees:
        for row_sums, gives in zip(sums, given_by_leaves(*tree, X), strict=True):
            if isinstance(gives, int):
                row_sums[gives] += 1.0
            else:
                for k, value in enumerate(gives):
                    row_sums[k] += value
    return sums, is_finite(X)


def find_leaves(forest, X):
    """Return the vote of every row's leaf in the only tree, and whether X is finite."""
    (tree,), _ = forest
    return given_by_leaves(*tree, X), is_finite(X)


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
