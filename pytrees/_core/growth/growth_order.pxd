"""Which of two open leaves is split first, inlined where it is cimported."""

from libc.math cimport fabs

from pytrees._core.criteria.children cimport exact_fraction
from pytrees._core.criteria.gain cimport is_greater_priority
from pytrees._core.growth.by_gain cimport Growth, OpenLeaf
from pytrees._core.base.types cimport float64_t


cdef inline bint is_better(Growth growth, const OpenLeaf* leaf, const OpenLeaf* other) except -1 nogil:
    """Whether the leaf's split gains more, counted in rows."""
    cdef float64_t gain, other_gain, margin
    if not (leaf.split.is_large or other.split.is_large):
        return is_greater_priority(&leaf.split.gain, &other.split.gain)
    gain = _total_gain(leaf)
    other_gain = _total_gain(other)
    # Both are rounded a few times by 2**-53.
    margin = 2.0**-50 * (fabs(gain) + fabs(other_gain))
    if fabs(gain - other_gain) > margin:
        return gain > other_gain
    with gil:
        return _exact_total_gain(growth, leaf) > _exact_total_gain(growth, other)


cdef inline float64_t _total_gain(const OpenLeaf* leaf) noexcept nogil:
    """Nearly."""
    if leaf.split.is_large:
        return leaf.split.gain.priority
    return <float64_t> leaf.split.gain.numerator / <float64_t> leaf.split.gain.denominator


cdef inline object _exact_total_gain(Growth growth, const OpenLeaf* leaf):
    return growth.large_gains[leaf.node] if leaf.split.is_large else exact_fraction(&leaf.split.gain)
