"""Gain of a categorical split, with one child for every category among the samples of the node.

Gains are compared like the gains of cuts. Some criteria gain a sum of one fraction a child, whose common denominator
may be of any size. Floating point decides unless the gains are nearly equal, then 128 bits if they suffice, then
Python's integers.
"""

from fractions import Fraction
from math import lcm

import numpy as np

cimport cython

from pytrees._core.base.fractions cimport greatest_common_divisor
from pytrees._core.base.types cimport NONE, uint64_t
from pytrees._core.base.wide cimport uint128_t
from pytrees._core.criteria.gain cimport exact_gain, is_greater_gain, is_near
from pytrees._core.criteria.logarithms cimport NO_INFORMATION, compare_information
from pytrees._core.criteria.wide cimport compare_children, nearest_gain_of_children, wide_gain

cdef enum:
    # For sums of fractions below 2**33, a common denominator of at most this many bits keeps the numerators below
    # 2**126.
    DENOMINATOR_BITS = 92


@cython.final
cdef class ChildCounts:
    def __cinit__(
        self, ClassCounts node, bint keeps_counts, bint sums_fractions, Py_ssize_t most_terms, user_criterion
    ):
        cdef Py_ssize_t n_classes = node.n_classes, most_counts = 0
        self.node = node
        self.user_criterion = user_criterion
        self.keeps_counts = keeps_counts
        self.sums_fractions = sums_fractions
        self.counts = np.zeros(n_classes, dtype=np.int64)
        self.cluster_sizes = np.zeros(n_classes, dtype=np.int64)
        self.cluster_counts = np.zeros(n_classes, dtype=np.int64)
        quotient = np.dtype([("numerator", np.int64), ("denominator", np.int64)])
        self.memory = np.empty((2, max(1, most_terms) if sums_fractions else 1), dtype=quotient)
        self.present.terms.terms = &self.memory[0, 0]
        self.best.terms.terms = &self.memory[1, 0]
        self.kept_counts = np.empty((2, max(2, most_terms) if keeps_counts else 1, n_classes), dtype=np.int64)
        self.present.counts, self.best.counts = &self.kept_counts[0, 0, 0], &self.kept_counts[1, 0, 0]
        if node.form != NO_INFORMATION and not keeps_counts:
            # Every count that is listed is of two samples or more, or of a sample with a weight.
            most_counts = min(most_terms * n_classes, node.n_rows)
        self.log_counts = np.empty((4, max(1, most_counts)), dtype=np.int64)
        self.present.logs.joint, self.present.logs.sizes = &self.log_counts[0, 0], &self.log_counts[1, 0]
        self.best.logs.joint, self.best.logs.sizes = &self.log_counts[2, 0], &self.log_counts[3, 0]


cdef int offer_sum(ChildCounts children) except -1 nogil:
    """Keep the split, whose gain is a sum of fractions, if it is better than the best of the node so far."""
    if children.best.feature == NONE or _is_greater_sum(children):
        children.present, children.best = children.best, children.present
    return 0


cdef int offer_gain(ChildCounts children, index_t feature, index_t n_children, const Gain* gain) except -1 nogil:
    """Keep the split of this gain if it is better than the best of the node so far."""
    if children.best.feature != NONE:
        if gain.error > 0.0 and is_near(gain, &children.best.gain):
            if _compare_to_best(children, n_children) <= 0:
                return 0
        elif not is_greater_gain(gain, &children.best.gain):
            return 0
    children.present.feature = feature
    children.present.n_children = n_children
    children.present.gain = gain[0]
    children.present.is_large = False
    children.present, children.best = children.best, children.present
    return 0


cdef int _compare_to_best(ChildCounts children, index_t n_children) except -2 nogil:
    """Return 1 if the present split gains more than the best, 0 if both gain the same, else -1, exactly."""
    if children.keeps_counts:
        return compare_children(
            children.node, children.present.counts, n_children, children.best.counts, children.best.n_children
        )
    return compare_information(
        children.node.form, &children.node.total_counts[0], children.node.n_classes, &children.present.logs,
        &children.best.logs,
    )


cdef bint _is_greater_sum(ChildCounts children) except -1 nogil:
    """Whether the present split is better than the best so far."""
    cdef const QuotientSum* present = &children.present.terms
    cdef const QuotientSum* best = &children.best.terms
    # No term is negative: every quotient is rounded three times by 2**-53, and every sum once.
    cdef float64_t margin = (present.n_terms + best.n_terms + 8) * 2.0**-52 * (present.value + best.value)
    if present.value - best.value > margin:
        return True
    if best.value - present.value > margin:
        return False
    if _set_gain(children, &children.present) and _set_gain(children, &children.best):
        return is_greater_gain(&children.present.gain, &children.best.gain)
    with gil:
        return _exact_sum(children, &children.present) > _exact_sum(children, &children.best)


cdef bint _set_gain(ChildCounts children, ChildrenSplit* split) noexcept nogil:
    """Write the gain of the split from its terms; False if 128 bits do not suffice."""
    cdef Quotient* terms = split.terms.terms
    cdef uint128_t denominator = children.base.denominator, limit = <uint128_t> 1 << DENOMINATOR_BITS, factor
    cdef float64_t largest = (split.terms.value + 1.0) * <float64_t> children.scale
    cdef int128_t numerator = 0
    cdef int64_t divisor
    cdef index_t i
    while largest > 2.0**32:
        largest *= 0.5
        limit >>= 1
    # `denominator` is the least common multiple of the denominators of the base and of terms[:i], which are in lowest
    # terms.
    for i in range(split.terms.n_terms):
        divisor = greatest_common_divisor(terms[i].numerator, terms[i].denominator)
        terms[i].numerator //= divisor
        terms[i].denominator //= divisor
        factor = <uint128_t> (terms[i].denominator // greatest_common_divisor(
            terms[i].denominator, <int64_t> (denominator % <uint128_t> terms[i].denominator)
        ))
        if denominator > limit // factor:
            return False
        denominator *= factor
    for i in range(split.terms.n_terms):
        numerator += <int128_t> terms[i].numerator * <int128_t> (denominator // <uint128_t> terms[i].denominator)
    numerator *= children.scale
    numerator -= <int128_t> children.base.numerator * <int128_t> (denominator // <uint128_t> children.base.denominator)
    split.gain = exact_gain(numerator, denominator, children.total)
    split.is_large = False
    return True


cdef object _exact_sum(ChildCounts children, const ChildrenSplit* split):
    """Return the total count of the node times the gain, as a fraction."""
    cdef index_t i
    numerators = {}
    for i in range(split.terms.n_terms):
        denominator = int(split.terms.terms[i].denominator)
        numerators[denominator] = numerators.get(denominator, 0) + int(split.terms.terms[i].numerator)
    common = lcm(*numerators)
    total = Fraction(sum(part * (common // denominator) for denominator, part in numerators.items()), common)
    return int(children.scale) * total - Fraction(int(children.base.numerator), int(children.base.denominator))


cdef int complete_best(ChildCounts children) except -1 nogil:
    """Write the gain of the best split of the node."""
    if children.keeps_counts and children.node.is_wide:
        with gil:
            children.best.gain = wide_gain(
                nearest_gain_of_children(children.node, children.best.counts, children.best.n_children), children.total
            )
        return 0
    if not children.sums_fractions or _set_gain(children, &children.best):
        return 0
    with gil:
        children.large_gain = _exact_sum(children, &children.best)
        children.best.is_large = True
        # Placeholder: large gains are compared via `large_gain`.
        children.best.gain = exact_gain(0, 1, 1)
        children.best.gain.value = float(children.large_gain / int(children.total))
        children.best.gain.priority = float(children.large_gain)
    return 0


cdef object exact_fraction(const Gain* gain):
    """Return the total count of the node times the gain of an exact criterion, as a fraction."""
    cdef uint128_t low = <uint64_t> -1
    numerator = (int(<int64_t> (gain.numerator >> 64)) << 64) + int(<uint64_t> (<uint128_t> gain.numerator & low))
    denominator = (int(<uint64_t> (gain.denominator >> 64)) << 64) + int(<uint64_t> (gain.denominator & low))
    return Fraction(numerator, denominator)
