"""Sums of two doubles, which hold some 106 bits, inlined where they are cimported.

Products and quotients are wrong by less than 2**-98 of their value (T. J. Dekker, "A floating-point technique for
extending the available precision", 1971). This holds because kernels are compiled without fast-math and contraction.
"""

from libc.math cimport fabs

from pytrees._core.base.types cimport float64_t
from pytrees._core.base.wide cimport int128_t

cdef enum:
    SPLITTER = 134217729        # 2**27 + 1


cdef struct Doubled:
    # The value is high + low; high is the double nearest to it.
    float64_t high, low


cdef inline Doubled doubled_of(int128_t number) noexcept nogil:
    cdef Doubled x
    x.high = <float64_t> number
    x.low = <float64_t> (number - <int128_t> x.high)
    return x


cdef inline Doubled _exact_product(float64_t a, float64_t b) noexcept nogil:
    cdef Doubled product
    cdef float64_t a_scaled = SPLITTER * a, b_scaled = SPLITTER * b
    cdef float64_t a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b)
    cdef float64_t a_low = a - a_high, b_low = b - b_high
    product.high = a * b
    product.low = ((a_high * b_high - product.high) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product


cdef inline Doubled _normal(float64_t high, float64_t low) noexcept nogil:
    cdef Doubled x
    x.high = high + low
    x.low = low - (x.high - high)
    return x


cdef inline Doubled sum_of(Doubled a, Doubled b) noexcept nogil:
    """Add two numbers of the same sign: the sum is wrong by less than 2**-103 of its value."""
    cdef float64_t high = a.high + b.high, of_b = high - a.high
    return _normal(high, ((a.high - (high - of_b)) + (b.high - of_b)) + (a.low + b.low))


cdef inline Doubled product_of(Doubled a, Doubled b) noexcept nogil:
    cdef Doubled product = _exact_product(a.high, b.high)
    return _normal(product.high, product.low + (a.high * b.low + a.low * b.high))


cdef inline Doubled quotient_of(Doubled a, Doubled b) noexcept nogil:
    cdef float64_t first = a.high / b.high
    cdef Doubled back = _exact_product(first, b.high)
    cdef float64_t rest = ((a.high - back.high) - back.low) + (a.low - first * b.low)
    return _normal(first, rest / b.high)


cdef inline bint is_certain(Doubled x) noexcept nogil:
    """Whether all numbers within 2**-90 of the value round to the double `x.high`."""
    return is_certain_within(x, 2.0**-90)


cdef inline bint is_certain_within(Doubled x, float64_t relative_error) noexcept nogil:
    """Whether all numbers this near to the value round to the double `x.high`."""
    cdef float64_t error = fabs(x.high) * relative_error
    return x.high + (x.low + error) == x.high and x.high + (x.low - error) == x.high
