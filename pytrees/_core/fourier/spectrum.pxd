"""Rows of digits, and the characters of a product of cyclic groups."""

from libc.stdint cimport int8_t, int16_t, int32_t

from pytrees._core.base.types cimport float64_t, int64_t


# A digit of a partition, in the smallest type that the cardinalities allow.
ctypedef fused digit_t:
    int8_t
    int16_t
    int32_t


cdef class Roots:
    """exp(2 pi i t / cardinality) for every attribute and t, real and imaginary parts in turn."""

    cdef const int64_t[::1] cardinalities
    cdef float64_t[::1] table
    cdef int64_t[::1] first         # where the table of an attribute begins
