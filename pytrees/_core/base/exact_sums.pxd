"""The sign of a sum of fractions, exactly, inlined where it is cimported."""

from libc.string cimport memcpy

from pytrees._core.base.types cimport index_t, int64_t, int128_t, uint128_t

cdef enum:
    # Common denominators below 2**92: numerators of fractions below 2**28, and sums of up to 64, stay in 128 bits.
    DENOMINATOR_BITS = 92
    MOST_SMALL_TERMS = 64


cdef struct Term:
    # The fraction a / b, below 2**28 in magnitude, its denominator positive and below 2**28. Of distances that are no
    # sums of fractions: a whole number a, or the parts a and b of two sums.
    int64_t a, b


cdef struct TermSum:
    # The caller allocates.
    index_t n_terms
    Term* terms
    int* signs


cdef inline void add_term(TermSum* total, Term term, int sign) noexcept nogil:
    """What stands there already with the other sign is taken away instead."""
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


cdef inline int64_t greatest_common_divisor(int64_t x, int64_t y) noexcept nogil:
    while y != 0:
        x, y = y, x % y
    return x


cdef inline int sign_of_sum(const TermSum* total) except -2 nogil:
    cdef index_t i
    cdef uint128_t denominator = 1, factor, limit = <uint128_t> 1 << DENOMINATOR_BITS
    cdef int128_t numerator = 0
    if total.n_terms > MOST_SMALL_TERMS:
        return _sign_of_large_sum(total)
    # `denominator` is the least common multiple of those of terms[:i].
    for i in range(total.n_terms):
        factor = total.terms[i].b // greatest_common_divisor(
            total.terms[i].b, <int64_t> (denominator % <uint128_t> total.terms[i].b)
        )
        if denominator > limit // factor:
            return _sign_of_large_sum(total)
        denominator *= factor
    for i in range(total.n_terms):
        numerator += total.signs[i] * (
            <int128_t> total.terms[i].a * <int128_t> (denominator // <uint128_t> total.terms[i].b)
        )
    return (numerator > 0) - (numerator < 0)


cdef inline int _sign_of_large_sum(const TermSum* total) except -2 with gil:
    """With Python's integers."""
    cdef index_t i
    numerator, denominator = 0, 1
    for i in range(total.n_terms):
        a, b = int(total.terms[i].a), int(total.terms[i].b)
        numerator = numerator * b + int(total.signs[i]) * a * denominator
        denominator *= b
    return (numerator > 0) - (numerator < 0)
