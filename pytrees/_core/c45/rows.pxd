"""The rows of a C4.5 node and their division among its children. A row whose value is missing, NaN, goes to every
child, to each with a part of its weight."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t


# The rows that go to one child of a node: a range in the array of rows.
cdef struct Part:
    index_t branch      # the code of the category, or 0 and 1 for the sides of a threshold
    Py_ssize_t start, stop
    float64_t size      # weight of the rows whose value is known


# A node's rows, [start, stop), divided: the rows of one part after another, and then the rows without a value.
cdef struct Division:
    Py_ssize_t start, stop, missing_start
    Py_ssize_t first_part
    index_t n_parts     # 0 if they are not divided
    float64_t known     # sum of the parts' sizes


@cython.final
cdef class FractionalRows:
    """A stack of rows, ascending in every node, and beside it a stack of parts. A node's rows are a range of its
    parent's rows, unless some of these lack the value that divides them: then they are a copy, on top."""

    cdef const float64_t[:, ::1] X
    cdef const int64_t[::1] n_categories    # 0 if a feature has thresholds
    cdef index_t* rows
    cdef float64_t* weights
    cdef Part* parts
    cdef Py_ssize_t top, n_parts
    cdef Py_ssize_t row_capacity, weight_capacity, part_capacity

    # Scratch, by place in a node, and by category.
    cdef index_t[::1] part_of, spare_rows, part_of_code, present
    cdef float64_t[::1] spare_weights
    cdef uint64_t[::1] entries, spare_entries


cdef inline bint is_missing(float64_t value) noexcept nogil:
    return value != value


cdef int divide_rows(
    FractionalRows rows, Py_ssize_t start, Py_ssize_t stop, index_t feature, float64_t threshold, Division* division
) except -1 nogil
cdef int take_part(FractionalRows rows, const Division* division, index_t number, Part* part) except -1 nogil
cdef void unite_rows(FractionalRows rows, const Division* division) noexcept nogil
cdef int copy_to_top(FractionalRows rows, Py_ssize_t start, Py_ssize_t stop) except -1 nogil
