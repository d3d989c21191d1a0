"""Sums of targets as a user's criterion sees them: doubles in the units of weights and targets."""

from fractions import Fraction
from math import inf, nan

cimport cython
from libc.math cimport fabs, ldexp

from pytrees._core.base.doubled cimport doubled_of, is_certain, product_of, quotient_of, sum_of
from pytrees._core.base.fractions cimport exact_integer, nearest_double
from pytrees._core.base.types cimport int64_t
from pytrees._core.base.wide cimport uint128_t

cdef enum:
    MOST_BITS_OF_DOUBLED = 400  # so that products of two doubles stay finite

# Whole numbers and their products stay below this limit, as an integer of Python.
_LIMIT = 1 << 125

cdef float64_t MOST_PRODUCT = 2.0**124

# Smaller numbers have fewer digits, and would be rounded twice.
cdef float64_t SMALLEST = 2.0**-1022


@cython.final
cdef class TargetUnits:
    def __cinit__(self, grid, unit_of_weights):
        """`grid` is the centre, the divisor and the exponent of the targets' grid: number k stands for (centre + k) /
        (divisor 2**exponent). The unit of the weights is a fraction."""
        centre, divisor, exponent = grid
        unit_of_weights, step = Fraction(unit_of_weights), 1 / (Fraction(divisor) * Fraction(2) ** exponent)
        if unit_of_weights <= 0 or step <= 0:
            raise ValueError("The units of weights and of targets must be positive.")
        self.exact_centre = int(centre)
        self.exact_units = unit_of_weights, unit_of_weights * step, unit_of_weights * step**2
        self.of_weight = _unit_of(self.exact_units[0])
        self.of_sum = _unit_of(self.exact_units[1])
        self.of_spread = _unit_of(self.exact_units[2])
        if abs(self.exact_centre) < _LIMIT:
            self.centre = _wide(self.exact_centre)
            self.most_weight = _wide(_LIMIT // max(abs(self.exact_centre), 1))


cdef Unit _unit_of(factor):
    cdef Unit unit
    top, bottom = factor.numerator, factor.denominator
    twos, twos_below = ((part & -part).bit_length() - 1 for part in (top, bottom))
    top, bottom = top >> twos, bottom >> twos_below
    unit.shift = twos_below - twos
    unit.is_power_of_two = top == bottom == 1
    unit.top, unit.bottom = _doubled(top), _doubled(bottom)
    unit.whole_top = unit.whole_bottom = unit.most_numerator = unit.most_denominator = 0
    if max(top, bottom) < _LIMIT:
        unit.whole_top = _wide(top)
        unit.whole_bottom = _wide(bottom)
        unit.most_numerator = _wide(_LIMIT // top)
        unit.most_denominator = _wide(_LIMIT // bottom)
    return unit


cdef Doubled _doubled(number):
    """Return a whole number as two doubles, which are NaN if the number is too great."""
    cdef Doubled x
    if number.bit_length() > MOST_BITS_OF_DOUBLED:
        x.high = x.low = nan
    else:
        x.high = float(number)
        x.low = float(number - int(x.high))
    return x


cdef int128_t _wide(number):
    """Return an integer of Python of at most 125 bits, or 2**125."""
    return <int128_t> <int64_t> (number >> 63) * (<int128_t> 1 << 63) + <int64_t> (number & (2**63 - 1))


cdef int write_sums(
    TargetUnits units, const TargetSums* sums, float64_t* weight, float64_t* total, float64_t* spread
) except -1 nogil:
    """Write the weight of samples, the sum of their targets, and the sum of squares of the targets about their mean:
    for each the nearest double. There are samples."""
    cdef int128_t n = sums.weight, of_targets = sums.sum, squares = sums.spread
    if not _divide(n, 1, &units.of_weight, weight):
        _write_exactly(units, n, of_targets, squares, 0, weight)
    if n > units.most_weight or not _divide(units.centre * n + of_targets, 1, &units.of_sum, total):
        _write_exactly(units, n, of_targets, squares, 1, total)
    if not _find_spread(n, of_targets, squares, &units.of_spread, spread):
        _write_exactly(units, n, of_targets, squares, 2, spread)


cdef inline bint _divide(int128_t numerator, int128_t denominator, const Unit* unit, float64_t* value) noexcept nogil:
    """Write the double nearest to a fraction in a unit; False if that takes longer numbers."""
    cdef Doubled quotient
    if numerator == 0:
        value[0] = 0.0
        return True
    if unit.is_power_of_two and denominator == 1:
        value[0] = ldexp(
            <float64_t> <int64_t> numerator if _is_short(numerator) else <float64_t> numerator, -unit.shift
        )
        return fabs(value[0]) >= SMALLEST
    quotient = quotient_of(
        product_of(_in_doubles(numerator), unit.top), product_of(_in_doubles(denominator), unit.bottom)
    )
    if is_certain(quotient):
        value[0] = ldexp(quotient.high, -unit.shift)
    elif -unit.most_numerator <= numerator <= unit.most_numerator and denominator <= unit.most_denominator:
        value[0] = ldexp(
            nearest_double(numerator * unit.whole_top, <uint128_t> (denominator * unit.whole_bottom)), -unit.shift
        )
    else:
        return False
    return fabs(value[0]) >= SMALLEST


cdef inline bint _is_short(int128_t number) noexcept nogil:
    """Whether a number has at most 62 bits, so that the machine converts it."""
    return -(<int128_t> 1 << 62) < number < <int128_t> 1 << 62


cdef inline Doubled _in_doubles(int128_t number) noexcept nogil:
    """Return a whole number as two doubles; a short one takes less time."""
    cdef Doubled x
    if not _is_short(number):
        return doubled_of(number)
    x.high = <float64_t> <int64_t> number
    x.low = <float64_t> (<int64_t> number - <int64_t> x.high)
    return x


cdef inline bint _find_spread(
    int128_t n, int128_t total, int128_t squares, const Unit* unit, float64_t* value
) noexcept nogil:
    """Write the double nearest to squares - total**2 / n in a unit; False if that takes longer numbers."""
    cdef int128_t middle, rest, about, square, whole
    cdef Doubled quotient
    if <float64_t> squares * <float64_t> n < MOST_PRODUCT:      # total**2 is not greater
        return _divide(squares * n - total * total, n, unit, value)
    # With total = middle n + rest, it is `about` - rest**2 / n, and `about` is the sum of squares about the middle.
    middle = total // n
    rest = total - middle * n
    about = squares - middle * (total + rest)
    square = rest * rest
    if <float64_t> about * <float64_t> n < MOST_PRODUCT:
        return _divide(about * n - square, n, unit, value)
    # A whole number and a positive fraction of at most 1, so that no digit cancels another.
    whole = square // n + 1
    quotient = sum_of(doubled_of(about - whole), quotient_of(doubled_of(whole * n - square), doubled_of(n)))
    quotient = quotient_of(product_of(quotient, unit.top), unit.bottom)
    value[0] = ldexp(quotient.high, -unit.shift)
    return is_certain(quotient) and fabs(value[0]) >= SMALLEST


cdef int _write_exactly(
    TargetUnits units, int128_t weight, int128_t of_targets, int128_t squares, int column, float64_t* value
) except -1 with gil:
    """Write the weight (column 0), the sum (1) or the spread (2) by way of Python's integers."""
    n, total = exact_integer(weight), exact_integer(of_targets)
    number = [
        n, units.exact_centre * n + total, exact_integer(squares) - Fraction(total * total, n)
    ][column] * units.exact_units[column]
    try:
        value[0] = float(number)
    except OverflowError:
        value[0] = inf if number > 0 else -inf
