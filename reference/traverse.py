"""The way of rows through a tree."""

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
