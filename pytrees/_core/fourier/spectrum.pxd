"""Digits of partitions, and the roots of unity that characters are products of."""

from libc.stdint cimport int8_t, int16_t, int32_t

from pytrees._core.base.types cimport int64_t


# A digit of a partition, in the smallest signed type that holds all digits.
ctypedef fused digit_t:
    int8_t
    int16_t
    int32_t


cdef class Roots:
    """Roots of unity: table[first[m] + t] is exp(2 pi i t / cardinality) of attribute m."""

    cdef const int64_t[::1] cardinalities
    cdef double complex[::1] table
    cdef int64_t[::1] first


cdef inline double complex times(double complex a, double complex b) noexcept nogil:
    """Return the product of two finite numbers. (The product in C also looks for infinities.)"""
    cdef double complex product
    product.real = a.real * b.real - a.imag * b.imag
    product.imag = a.real * b.imag + a.imag * b.real
    return product
