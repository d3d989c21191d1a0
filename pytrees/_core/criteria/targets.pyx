"""Means of targets on a grid of whole numbers: number k stands for (centre + k) / (divisor 2**exponent)."""

from fractions import Fraction

import numpy as np

from libc.math cimport INFINITY, fabs, ldexp

from pytrees._core.base.fractions cimport nearest_double
from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t

cdef enum:
    MOST_BITS = 126         # of numerators and denominators


def means_of_targets(
    const int64_t[::1] weight, const int64_t[:, ::1] target_sum, centre, int64_t divisor, int exponent
):
    """Return the mean target of every node, from the weight of its samples and the sum of their numbers.

    Each is the double nearest to the mean. A sum is given as its multiples of 2**62 and the rest. `centre` is an
    integer of any size; weights and the divisor are positive.
    """
    cdef float64_t[::1] means = np.empty(weight.shape[0])
    cdef float64_t scaled, normal = 2.0**-1022, unit = ldexp(1.0, -exponent)
    cdef bint has_unit = normal <= unit < INFINITY      # otherwise `ldexp`, which takes longer
    cdef int128_t middle = 0, total
    cdef Py_ssize_t i
    cdef int64_t least_weight = 1, most_weight = 1, lowest = 0, highest = 0
    cdef bint are_pairs = target_sum.shape[0] == weight.shape[0] and target_sum.shape[1] == 2
    for i in range(weight.shape[0] if are_pairs else 0):
        least_weight, most_weight = min(least_weight, weight[i]), max(most_weight, weight[i])
        lowest, highest = min(lowest, target_sum[i, 0]), max(highest, target_sum[i, 0])
    if not are_pairs or least_weight < 1 or divisor < 1:
        raise ValueError("A mean has a positive weight, and the unit of the grid a positive divisor.")
    most_sum = max(-int(lowest), int(highest) + 1) * 2**62 + abs(centre) * int(most_weight)
    cdef bint fits = max(most_sum, int(most_weight) * divisor).bit_length() <= MOST_BITS
    if fits:
        middle = <int128_t> <int64_t> (centre >> 62) * <int128_t> (1ULL << 62) + <int64_t> (centre & (2**62 - 1))
    for i in range(weight.shape[0]):
        if fits:
            total = <int128_t> target_sum[i, 0] * <int128_t> (1ULL << 62) + target_sum[i, 1]
            means[i] = nearest_double(middle * weight[i] + total, <uint128_t> weight[i] * <uint128_t> divisor)
            scaled = means[i] * unit if has_unit else ldexp(means[i], -exponent)
            if fabs(scaled) >= normal or scaled == means[i] == 0.0:
                means[i] = scaled
                continue
        # A number so small would be rounded twice.
        means[i] = float(
            (centre + Fraction(int(target_sum[i, 0]) * 2**62 + int(target_sum[i, 1]), weight[i]))
            / (Fraction(divisor) * Fraction(2)**exponent)
        )
    return np.asarray(means)
