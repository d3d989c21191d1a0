"""The way of samples through single trees: leaves, decision paths, features tested.

If values may be missing, `missing_go_to_left` says for every node whether samples without the value go left. Without
`missing_go_to_left` no value may be NaN, which is faster.
"""

import numpy as np

from libc.math cimport ceil, isnan
from libc.stdint cimport uint8_t

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, UNLIMITED, float64_t, int64_t

# `ways` are the arrays by which samples go on at multiway nodes, without which a tree has no such nodes: child_offsets,
# children, category_offsets, categories, and whether several categories lead to one child somewhere.

cdef struct Ways:
    const int64_t* child_offsets
    const int64_t* children
    const int64_t* category_offsets
    const int64_t* categories
    bint has_sets


cdef Ways ways_of(tuple ways):
    if ways is None:
        return Ways(NULL, NULL, NULL, NULL, False)
    cdef const int64_t[::1] child_offsets = ways[0], children = ways[1]
    cdef const int64_t[::1] category_offsets = ways[2], categories = ways[3]
    return Ways(&child_offsets[0], &children[0], &category_offsets[0], &categories[0], ways[4])


cdef int64_t child_of(const Ways* ways, int64_t node, float64_t value) noexcept nogil:
    """Return the child of a multiway node to which a value leads, or NONE. A category c has the values above c - 0.5 up
    to c + 0.5; children are in the order of their lowest categories."""
    cdef int64_t code, middle, low, first = ways.child_offsets[node], last = first, stop = ways.child_offsets[node + 1]
    if not -0.5 < value < UNLIMITED:
        return NONE
    code = <int64_t>ceil(value)
    code -= code - value >= 0.5
    while stop - last > 1:
        middle = (last + stop) // 2
        if ways.categories[ways.category_offsets[ways.children[middle]]] <= code:
            last = middle
        else:
            stop = middle
    while last >= first:
        node = ways.children[last]
        low, stop = ways.category_offsets[node], ways.category_offsets[node + 1]
        while stop - low > 1:
            middle = (low + stop) // 2
            if ways.categories[middle] <= code:
                low = middle
            else:
                stop = middle
        if ways.categories[low] == code:
            return node
        last = last - 1 if ways.has_sets else NONE
    return NONE


def apply(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const float64_t[:, ::1] X, const uint8_t[::1] missing_go_to_left=None,
    tuple ways=None,
):
    """Find the leaf of every sample, or the multiway node at which it stays; (n_samples,) int64."""
    cdef int64_t[::1] leaves = np.empty(X.shape[0], dtype=np.int64)
    cdef Ways given = ways_of(ways)
    cdef int64_t row, node, child, n_steps, work_done = 0
    cdef float64_t value
    cdef bint is_plain = missing_go_to_left is None and ways is None
    with nogil:
        for row in range(X.shape[0]):
            node = n_steps = 0
            while is_plain and children_left[node] != LEAF:
                n_steps += 1
                node = children_left[node] if X[row, feature[node]] <= threshold[node] else children_right[node]
            while children_left[node] != LEAF:
                n_steps += 1
                value = X[row, feature[node]]
                if children_left[node] == MULTIWAY:
                    child = child_of(&given, node, value)
                    if child == NONE:
                        break
                    node = child
                elif value <= threshold[node] or missing_go_to_left is not None and (
                    isnan(value) and missing_go_to_left[node]
                ):
                    node = children_left[node]
                else:
                    node = children_right[node]
            leaves[row] = node
            check_signals(&work_done, n_steps, WORK_BETWEEN_CHECKS)
    return np.asarray(leaves)


def decision_path(children_left, children_right, feature, threshold, X, missing_go_to_left=None, tuple ways=None):
    """List the nodes that every sample visits: (indptr, indices). Row r has indices[indptr[r]:indptr[r+1]]."""
    cdef int64_t[::1] leaves = apply(children_left, children_right, feature, threshold, X, missing_go_to_left, ways)
    cdef const int64_t[::1] parents = parents_of(children_left, children_right, ways)
    cdef int64_t[::1] depth = np.zeros(children_left.shape[0], dtype=np.int64)
    cdef int64_t row, node, visited, work_done = 0
    # Parents come before their children.
    for node in range(1, children_left.shape[0]):
        depth[node] = depth[parents[node]] + 1
    indptr = np.zeros(X.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.asarray(depth)[np.asarray(leaves)] + 1, out=indptr[1:])
    cdef int64_t[::1] indices = np.empty(indptr[X.shape[0]], dtype=np.int64)
    with nogil:
        visited = indices.shape[0]
        for row in range(leaves.shape[0] - 1, -1, -1):
            node = leaves[row]
            check_signals(&work_done, depth[node], WORK_BETWEEN_CHECKS)
            while node != NONE:
                visited -= 1
                indices[visited] = node
                node = parents[node]
    return indptr, np.asarray(indices)


cdef int64_t[::1] parents_of(const int64_t[::1] children_left, const int64_t[::1] children_right, tuple ways):
    """Return the parent of every node, and NONE for the root."""
    cdef int64_t[::1] parents = np.full(children_left.shape[0], NONE, dtype=np.int64)
    cdef Ways given = ways_of(ways)
    cdef int64_t node, k
    for node in range(children_left.shape[0]):
        if children_left[node] == MULTIWAY:
            for k in range(given.child_offsets[node], given.child_offsets[node + 1]):
                parents[given.children[k]] = node
        elif children_left[node] != LEAF:
            parents[children_left[node]] = parents[children_right[node]] = node
    return parents


def feature_usage(
    const int64_t[::1] children_left, children_right, const int64_t[::1] feature, threshold, X, missing_go_to_left=None,
    tuple ways=None,
):
    """Count for each feature the samples that it is tested for at least once along the decision path; (n_features,)
    int64."""
    leaves = apply(children_left, children_right, feature, threshold, X, missing_go_to_left, ways)
    cdef const int64_t[::1] n_samples = np.bincount(leaves, minlength=children_left.shape[0])
    cdef const int64_t[::1] parents = parents_of(children_left, children_right, ways)
    cdef int64_t[::1] usage = np.zeros(X.shape[1], dtype=np.int64)
    # The last leaf for which the feature was counted.
    cdef int64_t[::1] counted = np.full(X.shape[1], NONE, dtype=np.int64)
    cdef int64_t leaf, node, work_done = 0
    with nogil:
        for leaf in range(parents.shape[0]):
            # A multiway node at which samples stay tests its feature too.
            node = leaf if children_left[leaf] == MULTIWAY else parents[leaf]
            while n_samples[leaf] > 0 and node != NONE:
                check_signals(&work_done, 1, WORK_BETWEEN_CHECKS)
                if counted[feature[node]] != leaf:
                    usage[feature[node]] += n_samples[leaf]
                    counted[feature[node]] = leaf
                node = parents[node]
    return np.asarray(usage)
