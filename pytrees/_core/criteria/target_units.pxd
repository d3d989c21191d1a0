"""Sums of targets as a user's criterion sees them: doubles in the units of weights and targets.

A sum on the grid of the targets is a whole number, and a fraction in the unit of the targets. The criterion sees the
double nearest to the fraction. Two doubles decide most roundings, 128 bits nearly all others, and Python's integers the
rest.
"""

cimport cython

from pytrees._core.base.doubled cimport Doubled
from pytrees._core.base.types cimport float64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.counts cimport TargetSums


cdef struct Unit:
    # The number top / (bottom 2**shift); top and bottom are odd, as two doubles and as whole numbers.
    Doubled top, bottom
    int shift
    bint is_power_of_two
    int128_t whole_top, whole_bottom
    # Numerators and denominators up to these fit 126 bits when they are multiplied by top and bottom.
    int128_t most_numerator, most_denominator


@cython.final
cdef class TargetUnits:
    """The units of weights, sums and spreads, and the centre of the targets' grid."""

    cdef Unit of_weight, of_sum, of_spread
    cdef int128_t centre
    cdef int128_t most_weight       # of a sum that fits 126 bits together with the weight times the centre
    cdef object exact_centre, exact_units


cdef int write_sums(
    TargetUnits units, const TargetSums* sums, float64_t* weight, float64_t* total, float64_t* spread
) except -1 nogil
