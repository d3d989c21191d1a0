"""Exact arithmetic on fractions of 128-bit integers and on sums of them, inlined where it is cimported.

Two fractions are compared by products of 256 bits. Sums are exact as long as a common denominator fits. If it does not,
the functions say so, or use Python's integers.
"""

from libc.math cimport ldexp
from libc.string cimport memcpy

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.base.wide cimport int128_t, uint128_t

cdef enum:
    # Bits of two numerators that are added, and of their denominator: the sum takes one bit more, and its sign another.
    FRACTION_BITS = 125


cdef struct Term:
    # The fraction a / b, below 2**28 in magnitude; b is positive and below 2**28. For distances that are no sums of
    # fractions: a whole number a, or the parts a and b of two sums.
    int64_t a, b


cdef struct TermSum:
    # The caller allocates.
    index_t n_terms
    Term* terms
    int* signs


cdef inline object exact_integer(int128_t number):
    """Return a number as an integer of Python."""
    return (int(<int64_t> (number >> 64)) << 64) + int(<uint64_t> number)


cdef inline void multiply_wide(uint128_t x, uint128_t y, uint128_t* high, uint128_t* low) noexcept nogil:
    """Compute high * 2**128 + low = x * y."""
    cdef uint128_t mask = <uint64_t> -1
    cdef uint128_t x0 = x & mask, x1 = x >> 64, y0 = y & mask, y1 = y >> 64
    cdef uint128_t p00 = x0 * y0, p01 = x0 * y1, p10 = x1 * y0, p11 = x1 * y1
    cdef uint128_t middle = (p00 >> 64) + (p01 & mask) + (p10 & mask)
    low[0] = (p00 & mask) | (middle << 64)
    high[0] = p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64)


cdef inline bint is_greater_fraction(int128_t a, uint128_t b, int128_t c, uint128_t d) noexcept nogil:
    """Whether a / b > c / d, exactly; b and d are positive."""
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


cdef inline void _multiply_limbs(uint64_t* limbs, int n_limbs, uint64_t factor) noexcept nogil:
    """Multiply a whole number of n_limbs digits of 64 bits, the lowest first, in place; the product fits."""
    cdef uint128_t product = 0
    cdef int i
    for i in range(n_limbs):
        product = <uint128_t> limbs[i] * factor + (product >> 64)
        limbs[i] = <uint64_t> product


cdef inline void _square_times(int128_t root, uint64_t x, uint64_t y, uint64_t z, uint64_t* limbs) noexcept nogil:
    """Write root**2 x y z to seven limbs."""
    cdef uint128_t high, low, magnitude = <uint128_t> (root if root >= 0 else -root)
    multiply_wide(magnitude, magnitude, &high, &low)
    limbs[0], limbs[1] = <uint64_t> low, <uint64_t> (low >> 64)
    limbs[2], limbs[3] = <uint64_t> high, <uint64_t> (high >> 64)
    limbs[4] = limbs[5] = limbs[6] = 0
    _multiply_limbs(limbs, 7, x)
    _multiply_limbs(limbs, 7, y)
    _multiply_limbs(limbs, 7, z)


cdef inline bint is_greater_square(
    int128_t a, uint64_t a_x, uint64_t a_y, uint64_t a_z, int128_t b, uint64_t b_x, uint64_t b_y, uint64_t b_z
) noexcept nogil:
    """Whether a**2 / (a_x a_y a_z) > b**2 / (b_x b_y b_z), exactly; the divisors are positive."""
    cdef uint64_t[7] left, right
    cdef int i
    _square_times(a, b_x, b_y, b_z, left)
    _square_times(b, a_x, a_y, a_z, right)
    for i in range(6, -1, -1):
        if left[i] != right[i]:
            return left[i] > right[i]
    return False


cdef inline float64_t nearest_double(int128_t numerator, uint128_t denominator) noexcept nogil:
    """Return the double nearest to numerator / denominator, ties to even; the denominator is positive, below 2**127."""
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
    # The remainder only decides ties, and setting the last bit does that.
    if remainder != 0:
        quotient |= 1
    result = ldexp(<float64_t> quotient, -shift)
    return result if numerator > 0 else -result


# ------------------------------------------------------------------------------------------------ common denominators

cdef inline int64_t greatest_common_divisor(int64_t x, int64_t y) noexcept nogil:
    while y != 0:
        x, y = y, x % y
    return x


cdef inline bint add_fraction(
    int128_t* numerator, uint128_t* denominator, int128_t other_numerator, uint128_t other_denominator
) noexcept nogil:
    """Add another fraction to this one, both of positive denominators; False if FRACTION_BITS do not suffice."""
    cdef uint128_t x = denominator[0], y = other_denominator, factor, other_factor
    cdef int128_t limit = <int128_t> 1 << FRACTION_BITS
    while y != 0:
        x, y = y, x % y
    # The common denominator is denominator * factor = other_denominator * other_factor.
    factor = other_denominator // x
    other_factor = denominator[0] // x
    if (
        denominator[0] > <uint128_t> limit // factor
        or not -limit // <int128_t> factor <= numerator[0] <= limit // <int128_t> factor
        or not -limit // <int128_t> other_factor <= other_numerator <= limit // <int128_t> other_factor
    ):
        return False
    numerator[0] = numerator[0] * <int128_t> factor + other_numerator * <int128_t> other_factor
    denominator[0] *= factor
    return True


# ------------------------------------------------------------------------------------------------------- sums of terms

cdef inline void add_term(TermSum* total, Term term, int sign) noexcept nogil:
    """Add a term with a sign, or take away the same term if it is there with the other sign."""
    cdef index_t i
    for i in range(total.n_terms):
        if total.signs[i] == -sign and total.terms[i].a == term.a and total.terms[i].b == term.b:
            total.n_terms -= 1
            total.terms[i] = total.terms[total.n_terms]
            total.signs[i] = total.signs[total.n_terms]
            return
    total.terms[total.n_terms] = term
    total.signs[total.n_terms] = sign
    total.n_terms += 1


cdef inline void copy_terms(TermSum* target, const TermSum* source) noexcept nogil:
    target.n_terms = source.n_terms
    memcpy(target.terms, source.terms, source.n_terms * sizeof(Term))
    memcpy(target.signs, source.signs, source.n_terms * sizeof(int))


cdef inline int sign_of_sum(const TermSum* total) except -2 nogil:
    """Return the sign of the sum, exactly: -1, 0 or 1."""
    cdef index_t i
    cdef uint128_t denominator = 1
    cdef int128_t numerator = 0
    # numerator / denominator is the sum of terms[:i].
    for i in range(total.n_terms):
        if not add_fraction(&numerator, &denominator, total.signs[i] * total.terms[i].a, <uint128_t> total.terms[i].b):
            return _sign_of_large_sum(total)
    return (numerator > 0) - (numerator < 0)


cdef inline int _sign_of_large_sum(const TermSum* total) except -2 with gil:
    """Return the sign of the sum, computed with Python's integers."""
    cdef index_t i
    numerator, denominator = 0, 1
    for i in range(total.n_terms):
        a, b = int(total.terms[i].a), int(total.terms[i].b)
        numerator = numerator * b + int(total.signs[i]) * a * denominator
        denominator *= b
    return (numerator > 0) - (numerator < 0)
