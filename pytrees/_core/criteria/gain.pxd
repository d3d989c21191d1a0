"""The gain of a split, and which of two is greater."""

from libc.math cimport fabs

from pytrees._core.base.doubled cimport Doubled, doubled_of, is_certain, product_of, quotient_of
from pytrees._core.base.fractions cimport exact_integer, is_greater_fraction, is_greater_square, nearest_double
from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t


cdef struct Gain:
    # Exact criteria: total count of the node times its gain, as a fraction.
    int128_t numerator
    uint128_t denominator
    # The gain as reported; for criteria that are not exact (denominator 0) also what is compared.
    float64_t value
    float64_t priority      # total weight times value
    # Gains of entropies, and of wide counts: how far the priority may be from the real number. Those that are compared
    # between nodes have a number, which equal ones share; see GrowingTree.
    float64_t error
    index_t number
    # Squared error: weights of both children; the total weight of the node times its gain is numerator**2 / (left_total
    # right_total (left_total + right_total)). For other criteria both are 0.
    int64_t left_total, right_total


cdef inline bint exceeds_by_tolerance(float64_t a, float64_t b) noexcept nogil:
    return a - b > 1e-12 * (fabs(b) if fabs(b) > 1.0 else 1.0)


cdef inline bint is_greater_gain(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split of the same node."""
    if a.left_total > 0:
        return is_greater_square(
            a.numerator, a.left_total, a.right_total, 1, b.numerator, b.left_total, b.right_total, 1
        )
    if a.denominator == 0:
        # Gains of wide counts that are near are compared otherwise.
        return a.priority > b.priority if a.error > 0.0 else exceeds_by_tolerance(a.value, b.value)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline bint is_greater_priority(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split when a and b split different nodes: gains count by the samples that they
    concern."""
    if a.left_total > 0:
        return is_greater_square(
            a.numerator, a.left_total, a.right_total, a.left_total + a.right_total,
            b.numerator, b.left_total, b.right_total, b.left_total + b.right_total,
        )
    if a.denominator == 0:
        return exceeds_by_tolerance(a.priority, b.priority)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline Gain exact_gain(int128_t numerator, uint128_t denominator, int64_t total) noexcept nogil:
    cdef float64_t value = nearest_double(numerator, denominator * <uint128_t> total)
    return Gain(numerator, denominator, value, 0.0, 0.0, NONE, 0, 0)


cdef inline Gain information_gain(
    int64_t units, int64_t denominator, int64_t scale, int64_t total, int64_t margin
) noexcept nogil:
    """Return the gain of a split in units of 2**-30 bit by a denominator in such units, `scale` being what either is
    multiplied by; `margin` is how many units they may be wrong by."""
    cdef Gain gain = exact_gain(<int128_t> units * scale, denominator, total)
    # No ratio exceeds 1.
    gain.priority = <float64_t> units * <float64_t> scale / <float64_t> denominator
    gain.error = (
        2.5 * <float64_t> margin * <float64_t> scale / <float64_t> denominator + 2.0**-50 * fabs(gain.priority)
    )
    return gain


cdef inline bint is_near(const Gain* a, const Gain* b) noexcept nogil:
    """Whether the table of n log2 n cannot tell these gains of entropies apart."""
    return fabs(a.priority - b.priority) <= a.error + b.error


cdef inline Gain tolerant_gain(float64_t value, float64_t total) noexcept nogil:
    """Return a gain that is compared with a tolerance, of a node of weight `total`."""
    return Gain(0, 0, value, total * value, 0.0, NONE, 0, 0)


cdef inline int squared_gain(int128_t difference, int64_t left_total, int64_t right_total, Gain* gain) except -1 nogil:
    """Write the gain of a split by squared error: difference**2 / (total**2 left_total right_total)."""
    cdef int64_t total = left_total + right_total
    cdef Doubled square, divisor, quotient
    gain[0] = tolerant_gain(0.0, 0.0)
    gain.numerator = difference
    gain.left_total, gain.right_total = left_total, right_total
    square = product_of(doubled_of(difference), doubled_of(difference))
    divisor = product_of(doubled_of(<int128_t> left_total * right_total), doubled_of(<int128_t> total * total))
    quotient = quotient_of(square, divisor)
    gain.value = quotient.high
    if not is_certain(quotient):
        with gil:
            gain.value = _nearest_squared_gain(difference, left_total, right_total)


cdef inline float64_t _nearest_squared_gain(int128_t difference, int64_t left_total, int64_t right_total) except -1.0:
    """Return the gain of a split by squared error by way of Python's integers, whose quotient is the nearest double."""
    left, right = int(left_total), int(right_total)
    return exact_integer(difference) ** 2 / ((left + right) ** 2 * left * right)
