"""The way of rows through a tree: leaves, paths, features looked at."""

import numpy as np

from pytrees._core.types cimport LEAF, float64_t, int64_t


def apply(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X,
):
    """The leaf of every row; (n_rows,) int64."""
    cdef int64_t[::1] leaves = np.empty(X.shape[0], dtype=np.int64)
    cdef Py_ssize_t row
    cdef int64_t node
    with nogil:
        for row in range(X.shape[0]):
            node = 0
            while children_left[node] != LEAF:
                node = children_left[node] if X[row, feature[node]] <= threshold[node] else children_right[node]
            leaves[row] = node
    return np.asarray(leaves)


def decision_path(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X,
):
    """The nodes that every row visits: (indptr, indices), the indices of row r being indices[indptr[r]:indptr[r+1]]."""
    cdef int64_t[::1] indptr = np.zeros(X.shape[0] + 1, dtype=np.int64)
    cdef int64_t[::1] depth = np.zeros(children_left.shape[0], dtype=np.int64)
    cdef const int64_t[::1] leaves = apply(children_left, children_right, feature, threshold, X)
    cdef Py_ssize_t row
    cdef int64_t node, visited
    # Parents stand before their children.
    for node in range(children_left.shape[0]):
        if children_left[node] != LEAF:
            depth[children_left[node]] = depth[node] + 1
            depth[children_right[node]] = depth[node] + 1
    for row in range(X.shape[0]):
        indptr[row + 1] = indptr[row] + depth[leaves[row]] + 1
    cdef int64_t[::1] indices = np.empty(indptr[X.shape[0]], dtype=np.int64)
    with nogil:
        for row in range(X.shape[0]):
            node = 0
            visited = indptr[row]
            indices[visited] = node
            while children_left[node] != LEAF:
                node = children_left[node] if X[row, feature[node]] <= threshold[node] else children_right[node]
                visited += 1
                indices[visited] = node
    return np.asarray(indptr), np.asarray(indices)


def feature_usage(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X,
):
    """For every feature the number of rows on whose way it is looked at, at least once; (n_features,) int64."""
    cdef int64_t[::1] usage = np.zeros(X.shape[1], dtype=np.int64)
    # The last row that was counted for the feature.
    cdef int64_t[::1] counted = np.full(X.shape[1], -1, dtype=np.int64)
    cdef Py_ssize_t row
    cdef int64_t node, looked_at
    with nogil:
        for row in range(X.shape[0]):
            node = 0
            while children_left[node] != LEAF:
                looked_at = feature[node]
                usage[looked_at] += counted[looked_at] != row
                counted[looked_at] = row
                node = children_left[node] if X[row, looked_at] <= threshold[node] else children_right[node]
    return np.asarray(usage)
