"""The way of rows through trees."""

from math import inf, isfinite

LEAF = -1


def path(children_left, children_right, feature, threshold, row_values):
    """The nodes that one row visits, from the root to its leaf: left where its value is at most the threshold."""
    nodes = [0]
    while children_left[nodes[-1]] != LEAF:
        node = nodes[-1]
        goes_left = row_values[feature[node]] <= threshold[node]
        nodes.append(children_left[node] if goes_left else children_right[node])
    return nodes


def apply(children_left, children_right, feature, threshold, X):
    """The leaf of every row."""
    return [path(children_left, children_right, feature, threshold, row_values)[-1] for row_values in X]


def pack(children_left, children_right, feature, threshold):
    """The nodes with siblings side by side, and their numbers in the tree, for walks of many rows.

    The nodes are records (threshold, feature, left child); the right child stands behind the left one, and siblings
    stand in the preorder of their parents. A leaf is its own left child, with an infinite threshold.
    """
    inner = [node for node in range(len(children_left)) if children_left[node] != LEAF]
    numbers = [0, *(child for node in inner for child in (children_left[node], children_right[node]))]
    parents = set(inner)
    place = {number: i for i, number in enumerate(numbers)}
    nodes = [
        (threshold[number], feature[number], place[children_left[number]]) if number in parents else (inf, 0, i)
        for i, number in enumerate(numbers)
    ]
    return nodes, numbers


def packed_leaf(nodes, numbers, row_values):
    """The number of the leaf that one row comes to in a packed tree."""
    place = 0
    while nodes[place][2] != place:
        threshold, feature, left = nodes[place]
        place = left + 1 if row_values[feature] > threshold else left
    return numbers[place]


def apply_packed(nodes, numbers, X):
    """`apply` with what `pack` makes of a tree, and whether X is finite."""
    leaves = [packed_leaf(nodes, numbers, row_values) for row_values in X]
    return leaves, all(isfinite(value) for row_values in X for value in row_values)


def sum_values(trees, values, n_classes, X):
    """The sum over the trees, in their order, of the values of every row's leaf.

    Every tree is what `pack` makes of it; its values are those of its nodes, n_classes numbers each.
    """
    sums = [[0.0] * n_classes for _ in X]
    for (nodes, numbers), given in zip(trees, values, strict=True):
        for row_values, row_sums in zip(X, sums, strict=True):
            for k, value in enumerate(given[packed_leaf(nodes, numbers, row_values)]):
                row_sums[k] += value
    return sums


def sum_votes(trees, votes, n_classes, X):
    """How many trees vote for each class, row by row.

    Every tree is what `pack` makes of it; its votes are the classes of its nodes.
    """
    ballots = [[[float(k == vote) for k in range(n_classes)] for vote in given] for given in votes]
    return sum_values(trees, ballots, n_classes, X)


def decision_path(children_left, children_right, feature, threshold, X):
    """The nodes that every row visits: (indptr, indices), the indices of row r being indices[indptr[r]:indptr[r+1]]."""
    indptr, indices = [0], []
    for row_values in X:
        indices.extend(path(children_left, children_right, feature, threshold, row_values))
        indptr.append(len(indices))
    return indptr, indices


def feature_usage(children_left, children_right, feature, threshold, X):
    """For every feature the number of rows on whose way it is looked at, at least once."""
    usage = [0] * (len(X[0]) if X else 0)
    for row_values in X:
        inner_nodes = path(children_left, children_right, feature, threshold, row_values)[:-1]
        for looked_at in {feature[node] for node in inner_nodes}:
            usage[looked_at] += 1
    return usage
