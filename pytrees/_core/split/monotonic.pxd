"""Monotonic constraints: which values the children of a cut may have, and which bounds they hand down.

The value of a node is what a leaf predicts: the mean of its targets, their median, or the mean rank of its classes,
which is the share of the second of two classes. A feature has a direction: values must not fall (1) or not rise (-1)
along the feature, or may do anything (0). A cut by a feature with a direction is allowed if the values of the children
are in order and within the bounds of the node. The mean of both values then bounds both children, and all nodes below.

Values and bounds are fractions of whole numbers. A bound follows from two values alone, so that its size is limited.
"""

from pytrees._core.base.fractions cimport is_greater_fraction
from pytrees._core.base.types cimport int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t


cdef struct NodeValue:
    # total / weight: a target of at most 60 bits, times a weight, by the weight, of at most 80 bits and 52 bits.
    int128_t total
    int64_t weight


cdef struct ValueBound:
    # numerator / denominator, of at most 126 bits and 105 bits, and no bound if the denominator is 0.
    int128_t numerator
    uint128_t denominator


cdef struct ValueBounds:
    ValueBound lower, upper


cdef inline bint _is_at_most(const NodeValue* value, const NodeValue* other) noexcept nogil:
    return value.total * other.weight <= other.total * value.weight


cdef inline bint _is_within(const NodeValue* lower, const NodeValue* higher, const ValueBounds* bounds) noexcept nogil:
    """Whether two values, which are in order, lie within the bounds."""
    if bounds.lower.denominator != 0 and is_greater_fraction(
        bounds.lower.numerator, bounds.lower.denominator, lower.total, <uint128_t> lower.weight
    ):
        return False
    return bounds.upper.denominator == 0 or not is_greater_fraction(
        higher.total, <uint128_t> higher.weight, bounds.upper.numerator, bounds.upper.denominator
    )


cdef inline bint keeps_order(
    int direction, const NodeValue* left, const NodeValue* right, const ValueBounds* bounds
) noexcept nogil:
    """Whether a cut by a feature of this direction, 1 or -1, is allowed."""
    if direction < 0:
        left, right = right, left
    return _is_at_most(left, right) and _is_within(left, right, bounds)


cdef inline NodeValue less(const NodeValue* value, const NodeValue* part) noexcept nogil:
    """Return the value of the samples that are left without a part of them."""
    return NodeValue(value.total - part.total, value.weight - part.weight)


cdef inline NodeValue joined(const NodeValue* value, const NodeValue* other) noexcept nogil:
    """Return the value of the samples of both."""
    return NodeValue(value.total + other.total, value.weight + other.weight)


cdef inline ValueBound middle_of(const NodeValue* left, const NodeValue* right) noexcept nogil:
    """Return the mean of the values of both children."""
    cdef ValueBound middle
    middle.numerator = left.total * right.weight + right.total * left.weight
    middle.denominator = <uint128_t> left.weight * <uint128_t> right.weight * 2
    return middle
