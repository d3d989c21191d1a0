"""Errors to be expected of a leaf, inlined where they are cimported."""

from libc.math cimport pow, sqrt

from pytrees._core.base.types cimport float64_t, index_t


cdef inline float64_t count_errors(const float64_t* counts, index_t n_classes) noexcept nogil:
    """Weight of the rows that are not of the most frequent class, the lowest of several."""
    cdef index_t label, majority = 0
    cdef float64_t errors = 0.0
    for label in range(1, n_classes):
        if counts[label] > counts[majority]:
            majority = label
    for label in range(n_classes):
        if label != majority:
            errors += counts[label]
    return errors


cdef inline float64_t limit_of_errors(
    float64_t total, float64_t errors, float64_t confidence, float64_t z
) noexcept nogil:
    """The upper limit at a confidence, of which z is the quantile of the normal distribution.

    Without errors it is exact; from one error on it is the score interval with a correction for continuity; between,
    it is interpolated.
    """
    cdef float64_t without
    if total <= 0.0:
        return 0.0
    if errors >= 1.0:
        return _score_limit(total, errors, z)
    without = total * (1.0 - pow(confidence, 1.0 / total))
    if errors == 0.0:
        return without
    return without + errors * (_score_limit(total, 1.0, z) - without)


cdef inline float64_t _score_limit(float64_t total, float64_t errors, float64_t z) noexcept nogil:
    cdef float64_t share, deviation
    if errors + 0.5 >= total:
        return max(total, errors)
    share = (errors + 0.5) / total
    deviation = z * sqrt(share / total - share * share / total + z * z / (4.0 * total * total))
    return (share + z * z / (2.0 * total) + deviation) / (1.0 + z * z / total) * total
