"""Rows of digits, and the factors of Fourier coefficients that sets of values give."""

from libc.stdint cimport int8_t, int16_t, int32_t

from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.fourier.boxes cimport BoxArrays


# A digit of a partition, in the smallest type that the cardinalities allow.
ctypedef fused digit_t:
    int8_t
    int16_t
    int32_t


# A box on its way through the attributes: what its constraints so far multiply to, and the next one.
cdef struct Traveller:
    float64_t real, imag
    int64_t constraint, stop
    int64_t attribute       # of the next constraint


cdef class Roots:
    """exp(2 pi i t / cardinality) for every attribute and t, real and imaginary parts in turn."""

    cdef const int64_t[::1] cardinalities
    cdef float64_t[::1] table
    cdef int64_t[::1] first         # where the table of an attribute begins
    cdef float64_t* of_attribute(self, Py_ssize_t attribute) noexcept nogil


cdef inline void sum_roots(
    BoxArrays* boxes, int64_t constraint, const float64_t* roots, int64_t cardinality, int64_t digit, float64_t* total,
) noexcept nogil:
    """Compute the sum of exp(2 pi i x digit / cardinality) over the values x that a constraint allows."""
    cdef int64_t run, x, t
    total[0] = total[1] = 0.0
    for run in range(boxes.run_indptr[constraint], boxes.run_indptr[constraint + 1]):
        for x in range(boxes.start[run], boxes.stop[run]):
            t = x * digit % cardinality
            total[0] += roots[2 * t]
            total[1] += roots[2 * t + 1]


cdef inline int compare(const digit_t* row, const digit_t* other, Py_ssize_t n_attributes) noexcept nogil:
    """Return -1, 0 or 1 as the first of two partitions of one order comes before the other one, is it, or comes
    after."""
    cdef Py_ssize_t m
    for m in range(n_attributes):
        if row[m] != other[m]:
            return -1 if row[m] < other[m] else 1
    return 0


cdef inline Py_ssize_t order_of(const digit_t* row, Py_ssize_t n_attributes) noexcept nogil:
    cdef Py_ssize_t m, order = 0
    for m in range(n_attributes):
        order += row[m] != 0
    return order
