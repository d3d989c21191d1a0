"""The gain of a split, and which of two is greater."""

from libc.math cimport fabs

from pytrees._core.base.fractions cimport is_greater_fraction, nearest_double
from pytrees._core.base.types cimport float64_t, int64_t, int128_t, uint128_t


cdef struct Gain:
    # Exact criteria: total count of the node times its gain, as a fraction.
    int128_t numerator
    uint128_t denominator
    # The gain as reported; for criteria that are not exact (denominator 0) also what is compared.
    float64_t value
    float64_t priority      # total weight times value


cdef inline bint exceeds_by_tolerance(float64_t a, float64_t b) noexcept nogil:
    return a - b > 1e-12 * (fabs(b) if fabs(b) > 1.0 else 1.0)


cdef inline bint is_greater_gain(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split of the same node."""
    if a.denominator == 0:
        return exceeds_by_tolerance(a.value, b.value)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline bint is_greater_priority(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split when a and b split different nodes: gains count by the samples that they
    concern."""
    if a.denominator == 0:
        return exceeds_by_tolerance(a.priority, b.priority)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline Gain exact_gain(int128_t numerator, uint128_t denominator, int64_t total) noexcept nogil:
    cdef Gain gain
    gain.numerator = numerator
    gain.denominator = denominator
    gain.value = nearest_double(numerator, denominator * <uint128_t> total)
    gain.priority = 0.0
    return gain


cdef inline Gain tolerant_gain(float64_t value, float64_t total) noexcept nogil:
    """Return a gain that is compared with a tolerance, of a node of weight `total`."""
    cdef Gain gain
    gain.numerator = 0
    gain.denominator = 0
    gain.value = value
    gain.priority = total * value
    return gain
