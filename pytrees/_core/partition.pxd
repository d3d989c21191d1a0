"""The rows of all nodes, in their order, and beside them every feature's rows sorted by value."""

cimport cython

from pytrees._core.types cimport float64_t, index_t, uint8_t, uint64_t


cdef struct Entry:
    index_t row
    index_t rank        # of the row's value among the feature's distinct values


cdef struct SortKey:
    uint64_t bits       # ascending as the values ascend
    index_t row


@cython.final
cdef class RowPartition:
    """A node is a range [start, stop): its rows are rows[start:stop], ascending, and for every feature f
    entries[f, start:stop] holds the same rows in ascending order of their value, equal values in order of the rows."""

    cdef readonly Py_ssize_t n_rows, n_features
    cdef const float64_t[:, ::1] X
    cdef index_t[::1] rows, spare_rows
    cdef Entry[:, ::1] entries
    cdef Entry[::1] spare_entries
    cdef uint8_t[::1] goes_left     # by row


cdef float64_t threshold_between(RowPartition partition, index_t feature, index_t last_left) noexcept nogil
cdef void split_rows(
    RowPartition partition, index_t start, index_t stop, index_t feature, index_t n_left
) noexcept nogil
cdef void split_entries(RowPartition partition, index_t start, index_t stop) noexcept nogil
