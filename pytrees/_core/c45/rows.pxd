"""The rows of the nodes of a C4.5 tree: how they, their weights and their division lie in memory."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t


# The rows that go to one child of a node: rows[start:stop].
cdef struct Part:
    index_t branch      # the code of the category, or 0 and 1 for the sides of a threshold
    Py_ssize_t start, stop
    float64_t size      # weight of the rows whose value is known


# The division of a node, which has rows[start:stop]: one part after another, and then the rows without a value.
cdef struct Division:
    Py_ssize_t start, stop, missing_start
    Py_ssize_t first_part       # index of the first part
    index_t n_parts             # 0 if the rows are not divided
    float64_t known             # sum of the parts' sizes


@cython.final
cdef class FractionalRows:
    """A stack of rows with their weights, and beside it a stack of parts.

    The rows of a node ascend. They are a range of the parent's rows, if all of these have the value that divides them;
    otherwise they are a copy on top of the stack.
    """

    cdef const float64_t[:, ::1] X
    cdef const int64_t[::1] n_categories    # 0 if a feature has thresholds
    cdef index_t* rows
    cdef float64_t* weights
    cdef Part* parts
    cdef Py_ssize_t top, n_parts
    cdef Py_ssize_t row_capacity, weight_capacity, part_capacity

    # Scratch for one node: its rows by branch or by number, packed with their places, to be sorted.
    cdef index_t[::1] spare_rows
    cdef float64_t[::1] spare_weights
    cdef uint64_t[::1] entries, spare_entries


cdef inline bint is_missing(float64_t value) noexcept nogil:
    return value != value


cdef int divide_rows(
    FractionalRows rows, Py_ssize_t start, Py_ssize_t stop, index_t feature, float64_t threshold, Division* division
) except -1 nogil
cdef int take_part(FractionalRows rows, const Division* division, index_t number, Part* part) except -1 nogil
cdef void sort_rows(FractionalRows rows, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef int copy_to_top(FractionalRows rows, Py_ssize_t start, Py_ssize_t stop) except -1 nogil
