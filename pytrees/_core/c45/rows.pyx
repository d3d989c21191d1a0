"""The rows of the nodes of a C4.5 tree: their weights, and their division among a node's children.

A row whose value is missing (NaN) goes to every child, and takes to each a part of its weight. The part is the child's
share of the rows whose value is known. `rows.pxd` says how rows and parts lie in memory. The kernel `class_shares` lets
new samples go the same ways.
"""

import numpy as np

cimport cython
from libc.stdlib cimport free
from libc.string cimport memcpy

from pytrees._core.base.memory cimport reserve
from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.sorting cimport key_of, packed, place_of, sort_entries
from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, float64_t, index_t, int64_t, uint32_t, uint64_t

cdef uint32_t WITHOUT_VALUE = 0xFFFFFFFF    # the branch of a row whose value is missing: after all others


@cython.final
cdef class FractionalRows:
    def __cinit__(self, const float64_t[:, ::1] X, const int64_t[::1] n_categories, const float64_t[::1] weights):
        cdef Py_ssize_t i, n_rows = X.shape[0]
        _check(np.asarray(X), np.asarray(n_categories))
        self.X = X
        self.n_categories = n_categories
        self.spare_rows = np.empty(n_rows, dtype=np.int32)
        self.spare_weights = np.empty(n_rows)
        # One entry is written after the last one.
        self.entries, self.spare_entries = np.empty((2, n_rows + 1), dtype=np.uint64)
        _reserve_rows(self, n_rows)
        for i in range(n_rows):
            self.rows[i] = <index_t> i
            self.weights[i] = weights[i]
        self.top = n_rows

    def __dealloc__(self):
        free(self.rows)
        free(self.weights)
        free(self.parts)


def _check(X, n_categories):
    if len(n_categories) != X.shape[1]:
        raise ValueError(f"n_categories must have {X.shape[1]} entries, one for every feature.")
    for feature in np.flatnonzero(n_categories > 0):
        codes = X[~np.isnan(X[:, feature]), feature]
        if not np.all((codes >= 0.0) & (codes < n_categories[feature]) & (codes == np.floor(codes))):
            raise ValueError(f"Feature {feature} must hold codes of categories, 0..{n_categories[feature] - 1}.")


cdef int _reserve_rows(FractionalRows rows, Py_ssize_t n) except -1 nogil:
    reserve(<void**> &rows.rows, &rows.row_capacity, n, sizeof(index_t), b"rows of nodes")
    reserve(<void**> &rows.weights, &rows.weight_capacity, n, sizeof(float64_t), b"weights of nodes")


cdef int copy_to_top(FractionalRows rows, Py_ssize_t start, Py_ssize_t stop) except -1 nogil:
    cdef Py_ssize_t n = stop - start
    _reserve_rows(rows, rows.top + n)
    memcpy(&rows.rows[rows.top], &rows.rows[start], n * sizeof(index_t))
    memcpy(&rows.weights[rows.top], &rows.weights[start], n * sizeof(float64_t))
    rows.top += n


# ------------------------------------------------------------------------------------------------------------ division

cdef int divide_rows(
    FractionalRows rows, Py_ssize_t start, Py_ssize_t stop, index_t feature, float64_t threshold, Division* division
) except -1 nogil:
    """Put the rows of every part together, and the rows without a value after all parts; rows keep their order.

    Return whether the rows are divided. If all rows with a value go one way, they are not, and stay where they are.
    """
    cdef index_t i, place, n = <index_t> (stop - start), n_known = _sort_by_branch(rows, start, n, feature, threshold)
    cdef Part* part = NULL
    cdef uint32_t branch
    division[0] = Division(start, stop, start + n_known, rows.n_parts, 0, 0.0)
    if n_known == 0 or key_of(rows.entries[0]) == key_of(rows.entries[n_known - 1]):
        return 0
    memcpy(&rows.spare_rows[0], &rows.rows[start], n * sizeof(index_t))
    memcpy(&rows.spare_weights[0], &rows.weights[start], n * sizeof(float64_t))
    for i in range(n):
        place = place_of(rows.entries[i])
        rows.rows[start + i] = rows.spare_rows[place]
        rows.weights[start + i] = rows.spare_weights[place]
    # The first i rows are in parts, which ascend by their branches.
    for i in range(n_known):
        branch = key_of(rows.entries[i])
        if i == 0 or branch != <uint32_t> part.branch:
            reserve(<void**> &rows.parts, &rows.part_capacity, rows.n_parts + 1, sizeof(Part), b"parts of nodes")
            part = &rows.parts[rows.n_parts]
            part[0] = Part(<index_t> branch, start + i, start + i, 0.0)
            rows.n_parts += 1
            division.n_parts += 1
        part.stop += 1
        part.size += rows.weights[start + i]
    for i in range(division.n_parts):
        division.known += rows.parts[division.first_part + i].size
    return 1


cdef index_t _sort_by_branch(
    FractionalRows rows, Py_ssize_t start, index_t n, index_t feature, float64_t threshold
) noexcept nogil:
    """Write the entries of n rows: their branches and their places from `start` on, ascending.

    Return how many rows have a value; the entries of the others come last.
    """
    cdef uint64_t* entries = &rows.entries[0]
    cdef uint64_t* spare = &rows.spare_entries[0]
    cdef index_t i, n_known = 0, n_sorted = 0, n_others = 0
    cdef float64_t value
    cdef uint32_t branch
    cdef bint is_categorical = rows.n_categories[feature] > 0
    for i in range(n):
        value = rows.X[rows.rows[start + i], feature]
        branch = WITHOUT_VALUE
        if not is_missing(value):
            branch = <uint32_t> value if is_categorical else <uint32_t> (value > threshold)
            n_known += 1
        # The left side of a threshold is in place at once. Written at both ends, an entry counts at one.
        entries[n_sorted] = spare[n_others] = packed(branch, i, entries[0])
        n_sorted += is_categorical or branch == 0
        n_others += not is_categorical and branch != 0
    if is_categorical:
        sort_entries(entries, spare, n)
        return n_known
    _append_branch(entries, &n_sorted, spare, n_others, 1)
    if n_known < n:
        _append_branch(entries, &n_sorted, spare, n_others, WITHOUT_VALUE)
    return n_known


cdef inline void _append_branch(
    uint64_t* entries, index_t* n_sorted, const uint64_t* others, index_t n_others, uint32_t branch
) noexcept nogil:
    cdef index_t i
    for i in range(n_others):
        entries[n_sorted[0]] = others[i]
        n_sorted[0] += key_of(others[i]) == branch


cdef int take_part(FractionalRows rows, const Division* division, index_t number, Part* part) except -1 nogil:
    """Take the rows of a part, together with the rows without a value, which have its share of their weight."""
    cdef Py_ssize_t i, end
    cdef float64_t share, weight
    part[0] = rows.parts[division.first_part + number]
    if division.missing_start == division.stop:
        return 0
    share = part.size / division.known
    _reserve_rows(rows, rows.top + (part.stop - part.start) + (division.stop - division.missing_start))
    copy_to_top(rows, part.start, part.stop)
    end = rows.top
    part.start = end - (part.stop - part.start)
    for i in range(division.missing_start, division.stop):
        weight = rows.weights[i] * share
        if weight > 0.0:
            rows.rows[end] = rows.rows[i]
            rows.weights[end] = weight
            end += 1
    part.stop = rows.top = end
    sort_rows(rows, part.start, part.stop)


cdef void sort_rows(FractionalRows rows, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Bring the rows of a divided node, or of a part, in ascending order again."""
    cdef index_t i, n = <index_t> (stop - start)
    for i in range(n):
        rows.entries[i] = packed(<uint32_t> rows.rows[start + i], i, rows.entries[0])
    memcpy(&rows.spare_weights[0], &rows.weights[start], n * sizeof(float64_t))
    sort_entries(&rows.entries[0], &rows.spare_entries[0], n)
    for i in range(n):
        rows.rows[start + i] = <index_t> key_of(rows.entries[i])
        rows.weights[start + i] = rows.spare_weights[place_of(rows.entries[i])]


# --------------------------------------------------------------------------------------------------------- from Python

def class_shares(
    const int64_t[::1] children_left, const int64_t[::1] feature, const float64_t[::1] threshold,
    const int64_t[::1] child_offsets, const int64_t[::1] children, const int64_t[::1] category,
    const float64_t[:, ::1] value, const float64_t[:, ::1] X,
):
    """Compute for every sample the shares of the classes in the leaves that it reaches; (n_rows, n_classes) float64.

    If the value that a node asks for is missing, the sample goes every way, with the share of the training samples'
    weight that went there. If no child has its value, it stays.
    """
    cdef float64_t[:, ::1] shares = np.zeros((X.shape[0], value.shape[1]))
    cdef float64_t[::1] totals = np.cumsum(value, axis=1)[:, value.shape[1] - 1].copy()
    cdef int64_t[::1] stack = np.empty(value.shape[0], dtype=np.int64)
    cdef float64_t[::1] weights = np.empty(value.shape[0])
    cdef Py_ssize_t row, label, n_stacked
    cdef int64_t node, child, work_done = 0
    with nogil:
        for row in range(X.shape[0]):
            stack[0] = 0
            weights[0] = 1.0
            n_stacked = 1
            # The stack holds the nodes that the sample still has to visit, and the part of the sample that goes there.
            while n_stacked > 0:
                check_signals(&work_done, value.shape[1], WORK_BETWEEN_CHECKS)
                n_stacked -= 1
                node = stack[n_stacked]
                child = _only_child(
                    children_left, feature, threshold, child_offsets, children, category, node, &X[row, 0]
                )
                if child >= 0:
                    stack[n_stacked] = child
                    n_stacked += 1
                elif child == NONE:
                    for label in range(value.shape[1]):
                        shares[row, label] += weights[n_stacked] * (value[node, label] / totals[node])
                else:
                    n_stacked += _stack_children(
                        child_offsets, children, totals, node, weights[n_stacked], &stack[n_stacked],
                        &weights[n_stacked],
                    )
    return np.asarray(shares)


cdef enum:
    ALL_CHILDREN = -2


cdef inline int64_t _only_child(
    const int64_t[::1] children_left, const int64_t[::1] feature, const float64_t[::1] threshold,
    const int64_t[::1] child_offsets, const int64_t[::1] children, const int64_t[::1] category, int64_t node,
    const float64_t* row,
) noexcept nogil:
    """Return the child that a sample goes to; NONE if it stays, ALL_CHILDREN if the value is missing."""
    cdef int64_t low, high, middle
    cdef float64_t value
    if children_left[node] == LEAF:
        return NONE
    value = row[feature[node]]
    if is_missing(value):
        return ALL_CHILDREN
    if children_left[node] != MULTIWAY:
        return children[child_offsets[node] + (value > threshold[node])]
    low = child_offsets[node]
    high = child_offsets[node + 1]
    # Categories of children[:low] are below the value, categories of children[high:] are not.
    while low < high:
        middle = (low + high) // 2
        if category[children[middle]] < value:
            low = middle + 1
        else:
            high = middle
    if low < child_offsets[node + 1] and category[children[low]] == value:
        return children[low]
    return NONE


cdef inline Py_ssize_t _stack_children(
    const int64_t[::1] child_offsets, const int64_t[::1] children, const float64_t[::1] totals, int64_t node,
    float64_t weight, int64_t* stack, float64_t* weights,
) noexcept nogil:
    """Put all children on the stack, the first on top, with their shares of the weight; returns their number."""
    cdef int64_t i, first = child_offsets[node], stop = child_offsets[node + 1]
    cdef float64_t total = 0.0
    for i in range(first, stop):
        total += totals[children[i]]
    for i in range(first, stop):
        stack[stop - 1 - i] = children[i]
        weights[stop - 1 - i] = weight * (totals[children[i]] / total)
    return stop - first
