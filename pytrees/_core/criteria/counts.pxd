"""The class counts of a node and of its left child, and the arrays that criteria on counts share."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint32_t

cdef enum:
    NLOGN_FRACTION_BITS = 30
    LOG2_TABLE_BITS = 10
    LOG2_TABLE_SIZE = 1024
    MIN_LANES = 16      # classes of a quadratic form that fit into registers, see forms.pxd


@cython.final
cdef class ClassCounts:
    """The class counts of a node, and of its left child while the cuts of a feature are scanned."""

    cdef index_t n_classes
    cdef int code                                   # a CriterionCode
    cdef bint weighs_children
    cdef const int64_t[::1] table                   # n log2 n, for entropies
    cdef const int64_t[:, ::1] kernel               # of quadratic forms: see FormRows
    cdef int64_t[::1] node_rows, left_rows
    cdef const uint32_t[:, ::1] narrow_kernel
    cdef uint32_t[:, ::1] narrow_left_rows          # one row
    cdef const float64_t[::1] scores
    cdef const float64_t[:, ::1] mode_weights
    cdef int64_t[::1] total_counts, left_counts, best_left_counts
    cdef float64_t[::1] total_weights, left_weights
    cdef float64_t total_weight                     # added up in the order of the samples
    cdef float64_t[::1] log2_table
    cdef float64_t[:, ::1] terms                    # scratch: of the node and its children
    cdef Py_ssize_t n_rows


cdef inline int64_t sum_of_counts(const int64_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(n_classes):
        total += counts[label]
    return total


cdef inline int64_t sum_of_squares(const int64_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(n_classes):
        total += counts[label] * counts[label]
    return total


cdef inline int64_t sum_of_n_log2_n(const int64_t* table, const int64_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(n_classes):
        total += table[counts[label]]
    return total
