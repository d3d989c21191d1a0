"""Gain of a categorical split, with one child for every category among the samples of the node.

Gains are compared like the gains of cuts. Some criteria gain a sum of one fraction a child, whose common denominator
may be of any size. Floating point decides unless the gains are nearly equal, then 128 bits if they suffice, then
Python's integers.
"""

from fractions import Fraction
from math import lcm

import numpy as np

cimport cython
from libc.math cimport fabs
from libc.stdlib cimport qsort

from pytrees._core.base.doubled cimport Doubled, doubled_of, is_certain_within, product_of, quotient_of, sum_of
from pytrees._core.base.fractions cimport add_fraction, exact_integer, greatest_common_divisor
from pytrees._core.base.types cimport NONE, uint64_t
from pytrees._core.base.wide cimport uint128_t
from pytrees._core.criteria.gain cimport exact_gain, is_greater_gain, is_near, squared_gain
from pytrees._core.criteria.logarithms cimport NO_INFORMATION, compare_information
from pytrees._core.criteria.wide cimport compare_children, nearest_gain_of_children, wide_gain

cdef enum:
    # For sums of fractions below 2**33, a common denominator of at most this many bits keeps the numerators below
    # 2**126.
    DENOMINATOR_BITS = 92
    # Sums of targets of so many bits have squares that are added as fractions of 128 bits.
    BITS_OF_ROOT = 62


@cython.final
cdef class ChildCounts:
    def __cinit__(
        self, ClassCounts node, bint keeps_counts, bint sums_fractions, Py_ssize_t most_terms, user_criterion
    ):
        # Classes that are numbers are not counted.
        cdef Py_ssize_t n_classes = 0 if are_numbers(node) else node.n_classes, most_counts = 0
        self.node = node
        self.user_criterion = user_criterion
        self.keeps_counts = keeps_counts
        self.sums_fractions = sums_fractions
        self.counts = np.zeros(n_classes, dtype=np.int64)
        self.cluster_sizes = np.zeros(n_classes, dtype=np.int64)
        self.cluster_counts = np.zeros(n_classes, dtype=np.int64)
        quotient = np.dtype([("numerator", np.int64), ("denominator", np.int64)])
        has_squares = sums_fractions and are_numbers(node)
        self.memory = np.empty((2, max(1, most_terms) if sums_fractions and not has_squares else 1), dtype=quotient)
        self.present.terms.terms = &self.memory[0, 0]
        self.best.terms.terms = &self.memory[1, 0]
        self.memory_of_squares = np.empty(
            (2, max(1, most_terms if has_squares else 0) * (sizeof(Square) // sizeof(int64_t))), dtype=np.int64
        )
        self.present.terms.squares = <Square*> &self.memory_of_squares[0, 0]
        self.best.terms.squares = <Square*> &self.memory_of_squares[1, 0]
        self.kept_counts = np.empty((2, max(2, most_terms) if keeps_counts else 1, max(1, n_classes)), dtype=np.int64)
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
    if sums_squares(children):
        return _compare_squares(present, best) > 0
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
    if sums_squares(children):
        return _exact_squares(&split.terms) - Fraction(exact_integer(children.node.sums.sum) ** 2, int(children.total))
    numerators = {}
    for i in range(split.terms.n_terms):
        denominator = int(split.terms.terms[i].denominator)
        numerators[denominator] = numerators.get(denominator, 0) + int(split.terms.terms[i].numerator)
    common = lcm(*numerators)
    total = Fraction(sum(part * (common // denominator) for denominator, part in numerators.items()), common)
    return int(children.scale) * total - Fraction(int(children.base.numerator), int(children.base.denominator))


cdef int complete_best(ChildCounts children) except -1 nogil:
    """Write the gain of the best split of the node."""
    if sums_squares(children):
        return _complete_squares(children)
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


cdef object large_gain_of_best(ChildCounts children):
    """Return the total count of the node times the gain of its best split, which is large, as a fraction."""
    return _exact_sum(children, &children.best) if sums_squares(children) else children.large_gain


cdef object exact_fraction(const Gain* gain):
    """Return the total count of the node times the gain of an exact criterion, as a fraction."""
    numerator = exact_integer(gain.numerator)
    denominator = (int(<uint64_t> (gain.denominator >> 64)) << 64) + int(<uint64_t> gain.denominator)
    if gain.left_total > 0:
        left, right = int(gain.left_total), int(gain.right_total)
        return Fraction(numerator ** 2, left * right * (left + right))
    return Fraction(numerator, denominator)


# -------------------------------------------------------------------------------------------------- sums of squares

cdef int _compare_squares(const QuotientSum* one, const QuotientSum* other) except -2 nogil:
    """Return the sign of the difference of the sums of squares of two splits of the same node. This may change the
    order of their terms."""
    # No term is negative: every term is rounded by five times 2**-53, and every sum once.
    cdef float64_t margin = (one.n_terms + other.n_terms + 8) * 2.0**-52 * (one.value + other.value)
    if fabs(one.value - other.value) > margin:
        return 1 if one.value > other.value else -1
    if one.value == 0.0 and other.value == 0.0:
        return 0        # all children have the mean of the node
    return _compare_terms(one, other)


cdef int _compare_terms(const QuotientSum* one, const QuotientSum* other) except -2 nogil:
    """Return the sign of the difference exactly. Most splits that come here divide the samples alike, so that all
    terms cancel."""
    cdef index_t i = 0, j = 0
    cdef int order
    cdef int128_t numerator = 0, root
    cdef uint128_t denominator = 1
    cdef const Square* term
    cdef int128_t most = <int128_t> 1 << BITS_OF_ROOT
    qsort(one.squares, one.n_terms, sizeof(Square), _order_of_terms)
    qsort(other.squares, other.n_terms, sizeof(Square), _order_of_terms)
    # numerator / denominator is the sum of one.squares[:i] less that of other.squares[:j].
    while i < one.n_terms or j < other.n_terms:
        if i == one.n_terms or j == other.n_terms:
            order = 1 if i == one.n_terms else -1
        else:
            order = _order_of_terms(&one.squares[i], &other.squares[j])
        term = &one.squares[i] if order <= 0 else &other.squares[j]
        i += order <= 0
        j += order >= 0
        root = term.sum
        if order != 0 and not (
            -most <= root <= most
            and add_fraction(&numerator, &denominator, -order * root * root, <uint128_t> term.weight)
        ):
            with gil:
                exact, exact_other = _exact_squares(one), _exact_squares(other)
                return (exact > exact_other) - (exact < exact_other)
    return (numerator > 0) - (numerator < 0)


cdef int _order_of_terms(const void* one, const void* other) noexcept nogil:
    cdef const Square* a = <const Square*> one
    cdef const Square* b = <const Square*> other
    if a.weight != b.weight:
        return 1 if a.weight > b.weight else -1
    return (a.sum > b.sum) - (a.sum < b.sum)


cdef object _exact_squares(const QuotientSum* total):
    """Return a sum of squares as a fraction."""
    cdef index_t i
    numerators = {}
    for i in range(total.n_terms):
        weight = int(total.squares[i].weight)
        numerators[weight] = numerators.get(weight, 0) + exact_integer(total.squares[i].sum) ** 2
    common = lcm(*numerators)
    return Fraction(sum(part * (common // denominator) for denominator, part in numerators.items()), common)


cdef int _complete_squares(ChildCounts children) except -1 nogil:
    """Write the gain of the best split: as a cut's if it has two children, otherwise as a large one."""
    cdef const QuotientSum* terms = &children.best.terms
    cdef Gain* gain = &children.best.gain
    cdef Doubled total, difference, square, squares
    cdef index_t i
    if terms.n_terms == 2:
        return squared_gain(
            _difference(children, &terms.squares[0]), terms.squares[0].weight, terms.squares[1].weight, gain
        )
    squares.high = squares.low = 0.0
    for i in range(terms.n_terms):
        difference = doubled_of(_difference(children, &terms.squares[i]))
        square = quotient_of(product_of(difference, difference), doubled_of(terms.squares[i].weight))
        squares = sum_of(squares, square)
    total = doubled_of(<int128_t> children.total * children.total)
    squares = quotient_of(squares, total)
    children.best.is_large = True
    # Placeholder: large gains are compared by their values, and if these are equal by their terms.
    gain[0] = exact_gain(0, 1, 1)
    gain.priority = squares.high
    squares = quotient_of(squares, doubled_of(children.total))
    gain.value = squares.high
    if not is_certain_within(squares, (terms.n_terms + 64) * 2.0**-98):
        with gil:
            gain.value = float(_exact_sum(children, &children.best) / int(children.total))


cdef inline int128_t _difference(ChildCounts children, const Square* term) noexcept nogil:
    return term.sum * children.total - children.node.sums.sum * term.weight


cdef int compare_squares_to_cut(ChildCounts children, const Gain* gain) except -2 nogil:
    """Return 1 if the best split gains more than a cut of this gain, 0 if both gain the same, else -1."""
    cdef Square[2] sides
    cdef QuotientSum cut
    # The cut's difference is the node's weight times the left sum, less the left weight times the node's sum.
    cdef int128_t left = gain.numerator + children.node.sums.sum * gain.left_total
    cdef int128_t left_sum = left // children.total
    cut.squares, cut.n_terms, cut.value = sides, 0, 0.0
    add_square(children, &cut, left_sum, gain.left_total)
    add_square(children, &cut, children.node.sums.sum - left_sum, gain.right_total)
    return _compare_squares(&children.best.terms, &cut)
