"""Exact arithmetic on fractions of 128-bit integers, inlined where it is cimported."""

from libc.math cimport ldexp

from pytrees._core.base.types cimport float64_t, int128_t, uint64_t, uint128_t


cdef inline void multiply_wide(uint128_t x, uint128_t y, uint128_t* high, uint128_t* low) noexcept nogil:
    """high * 2**128 + low = x * y."""
    cdef uint128_t mask = <uint64_t> -1
    cdef uint128_t x0 = x & mask, x1 = x >> 64, y0 = y & mask, y1 = y >> 64
    cdef uint128_t p00 = x0 * y0, p01 = x0 * y1, p10 = x1 * y0, p11 = x1 * y1
    cdef uint128_t middle = (p00 >> 64) + (p01 & mask) + (p10 & mask)
    low[0] = (p00 & mask) | (middle << 64)
    high[0] = p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64)


cdef inline bint is_greater_fraction(int128_t a, uint128_t b, int128_t c, uint128_t d) noexcept nogil:
    """a / b > c / d for positive b and d, exactly."""
    cdef uint128_t high_left, low_left, high_right, low_right
    if a <= 0 and c >= 0:
        return False
    if a >= 0 and c < 0 or a > 0 and c <= 0:
        return True
    # Both have the same sign, and neither is zero.
    multiply_wide(<uint128_t> (a if a > 0 else -a), d, &high_left, &low_left)
    multiply_wide(<uint128_t> (c if c > 0 else -c), b, &high_right, &low_right)
    if a < 0:
        return high_left < high_right or high_left == high_right and low_left < low_right
    return high_left > high_right or high_left == high_right and low_left > low_right


cdef inline float64_t nearest_double(int128_t numerator, uint128_t denominator) noexcept nogil:
    """The double nearest to numerator / denominator, ties to even; the denominator is positive, below 2**127."""
    cdef uint128_t magnitude = <uint128_t> (numerator if numerator >= 0 else -numerator)
    cdef uint128_t limit = 1, quotient, remainder
    cdef int shift = 0
    cdef float64_t result
    if magnitude < limit << 53 and denominator < limit << 53:
        return <float64_t> numerator / <float64_t> denominator
    if magnitude == 0:
        return 0.0
    quotient = magnitude // denominator
    remainder = magnitude % denominator
    # quotient + remainder / denominator = 2**shift * |numerator| / denominator; stop with bits beyond the 53 kept.
    while quotient < limit << 64:
        remainder <<= 1
        quotient <<= 1
        if remainder >= denominator:
            remainder -= denominator
            quotient |= 1
        shift += 1
    # What is left only decides ties, and a last bit set does that.
    if remainder != 0:
        quotient |= 1
    result = ldexp(<float64_t> quotient, -shift)
    return result if numerator > 0 else -result
