"""Monotonic constraints: which values the children of a cut may have, and which bounds they hand down.

The value of a node is what a leaf predicts: the mean of its targets, their median, or the mean rank of its classes,
which is the share of the second of two classes. A feature has a direction: values must not fall (1) or not rise (-1)
along the feature, or may do anything (0). A cut by a feature with a direction is allowed if the values of the children
are in order and within the bounds of the node. The mean of both values then bounds both children, and all nodes below.

Values and bounds are fractions of whole numbers. A bound follows from two values alone, so that its size is limited. If
weights are not whole numbers, values and bounds are floating-point numbers.
"""

from pytrees._core.base.fractions cimport is_greater_fraction
from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t


cdef struct NodeValue:
    # total / weight, of at most 60 bits each; or `nearest` in floating point.
    int64_t total, weight
    float64_t nearest


cdef struct ValueBound:
    # numerator / denominator, of at most 121 bits each, and no bound if the denominator is 0; or `nearest` in floating
    # point, which is infinite without a bound.
    int128_t numerator
    uint128_t denominator
    float64_t nearest


cdef struct ValueBounds:
    ValueBound lower, upper


cdef inline bint _is_at_most(const NodeValue* value, const NodeValue* other, bint in_floats) noexcept nogil:
    if in_floats:
        return value.nearest <= other.nearest
    return <int128_t> value.total * other.weight <= <int128_t> other.total * value.weight


cdef inline bint _is_within(
    const NodeValue* lower, const NodeValue* higher, const ValueBounds* bounds, bint in_floats
) noexcept nogil:
    """Whether two values, which are in order, lie within the bounds."""
    if in_floats:
        return bounds.lower.nearest <= lower.nearest and higher.nearest <= bounds.upper.nearest
    if bounds.lower.denominator != 0 and is_greater_fraction(
        bounds.lower.numerator, bounds.lower.denominator, lower.total, <uint128_t> lower.weight
    ):
        return False
    return bounds.upper.denominator == 0 or not is_greater_fraction(
        higher.total, <uint128_t> higher.weight, bounds.upper.numerator, bounds.upper.denominator
    )


cdef inline bint keeps_order(
    int direction, const NodeValue* left, const NodeValue* right, const ValueBounds* bounds, bint in_floats
) noexcept nogil:
    """Whether a cut by a feature of this direction, 1 or -1, is allowed. A value that is NaN allows no cut."""
    if direction < 0:
        left, right = right, left
    return _is_at_most(left, right, in_floats) and _is_within(left, right, bounds, in_floats)


cdef inline NodeValue less(const NodeValue* value, const NodeValue* part) noexcept nogil:
    """Return the value of the samples that are left without a part of them; not in floating point."""
    return NodeValue(value.total - part.total, value.weight - part.weight, 0.0)


cdef inline NodeValue joined(const NodeValue* value, const NodeValue* other) noexcept nogil:
    """Return the value of the samples of both; not in floating point."""
    return NodeValue(value.total + other.total, value.weight + other.weight, 0.0)


cdef inline ValueBound middle_of(
    const NodeValue* left, const NodeValue* right, const ValueBounds* bounds, bint in_floats
) noexcept nogil:
    """Return the mean of the values of both children, within the bounds of their parent."""
    cdef ValueBound middle
    middle.numerator = <int128_t> left.total * right.weight + <int128_t> right.total * left.weight
    middle.denominator = <uint128_t> left.weight * <uint128_t> right.weight * 2
    middle.nearest = 0.5 * left.nearest + 0.5 * right.nearest
    if in_floats:
        # The children's weights were added up in another order than for the cut.
        middle.nearest = min(max(middle.nearest, bounds.lower.nearest), bounds.upper.nearest)
    return middle
