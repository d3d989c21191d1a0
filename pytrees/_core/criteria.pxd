"""Gain of a split: what every criterion keeps while the rows of a node move from the right child to the left."""

cimport cython
from libc.math cimport fabs, log2

from pytrees._core.exact cimport is_greater_fraction, nearest_double
from pytrees._core.types cimport GINI, CriterionCode, float64_t, index_t, int64_t, int128_t, uint128_t

cdef enum:
    NLOGN_FRACTION_BITS = 30


cdef struct Gain:
    # Exact criteria: total count of the node times its gain, as a fraction.
    int128_t numerator
    uint128_t denominator
    # The gain as reported; for criteria that are not exact (denominator 0) also what is compared.
    float64_t value
    float64_t priority      # total weight times value


cdef inline bint exceeds_by_tolerance(float64_t a, float64_t b) noexcept nogil:
    return a - b > 1e-12 * (fabs(b) if fabs(b) > 1.0 else 1.0)


cdef inline bint is_greater_gain(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split of the same node."""
    if a.denominator == 0:
        return exceeds_by_tolerance(a.value, b.value)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline bint is_greater_priority(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split when a and b split different nodes: gains count by the rows they concern."""
    if a.denominator == 0:
        return exceeds_by_tolerance(a.priority, b.priority)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline Gain exact_gain(int128_t numerator, uint128_t denominator, int64_t total) noexcept nogil:
    cdef Gain gain
    gain.numerator = numerator
    gain.denominator = denominator
    gain.value = nearest_double(numerator, denominator * <uint128_t> total)
    gain.priority = 0.0
    return gain


@cython.final
cdef class Gini:
    """Gini from whole counts. Compared exactly: a filter in floating point decides all but the closest cases."""

    cdef int64_t[::1] total_counts, left_counts
    cdef int64_t total, left_total, total_squares, left_squares, right_squares
    cdef bint has_best
    cdef int64_t best_left_total, best_left_squares, best_right_squares
    cdef float64_t best_score

    cdef inline void start_node(self) noexcept nogil:
        self.total = 0
        self.total_squares = 0
        self.total_counts[:] = 0

    cdef inline void add(self, index_t label, int64_t weight) noexcept nogil:
        self.total_squares += weight * (2 * self.total_counts[label] + weight)
        self.total_counts[label] += weight
        self.total += weight

    cdef inline void start_feature(self) noexcept nogil:
        self.left_counts[:] = 0
        self.left_total = 0
        self.left_squares = 0
        self.right_squares = self.total_squares
        self.has_best = False

    cdef inline void move_left(self, index_t label, int64_t weight) noexcept nogil:
        cdef int64_t left = self.left_counts[label], right = self.total_counts[label] - left
        self.left_squares += weight * (2 * left + weight)
        self.right_squares -= weight * (2 * right - weight)
        self.left_counts[label] = left + weight
        self.left_total += weight

    cdef inline bint offer(self) noexcept nogil:
        """Keep the present cut where it beats the best so far. Of one node, the gain grows with
        score = left_squares / left_total + right_squares / right_total."""
        cdef int64_t right_total = self.total - self.left_total
        cdef float64_t score = (
            <float64_t> self.left_squares / <float64_t> self.left_total
            + <float64_t> self.right_squares / <float64_t> right_total
        )
        if self.has_best:
            # Two scores carry less than 1e-15 of relative error together.
            if score <= self.best_score * (1.0 - 1e-14):
                return False
            if score < self.best_score * (1.0 + 1e-14) and not self._is_better():
                return False
        self.has_best = True
        self.best_score = score
        self.best_left_total = self.left_total
        self.best_left_squares = self.left_squares
        self.best_right_squares = self.right_squares
        return True

    cdef inline bint _is_better(self) noexcept nogil:
        cdef uint128_t left = self.left_total, right = self.total - self.left_total
        cdef uint128_t best_left = self.best_left_total, best_right = self.total - self.best_left_total
        return is_greater_fraction(
            self.left_squares * right + self.right_squares * left, left * right,
            self.best_left_squares * best_right + self.best_right_squares * best_left, best_left * best_right,
        )

    cdef inline Gain best_gain(self) noexcept nogil:
        cdef int128_t total = self.total, left = self.best_left_total, right = total - left
        return exact_gain(
            total * (self.best_left_squares * right + self.best_right_squares * left)
            - left * right * self.total_squares,
            <uint128_t> (total * left * right), self.total,
        )


@cython.final
cdef class Entropy:
    """Entropy from whole counts, with n log2 n from the shared table of integers: sums and comparisons are exact."""

    cdef const int64_t[::1] table
    cdef int64_t[::1] total_counts, left_counts
    cdef int64_t total, left_total, left_sum, right_sum
    cdef bint has_best
    cdef int64_t best_score

    cdef inline void start_node(self) noexcept nogil:
        self.total = 0
        self.total_counts[:] = 0

    cdef inline void add(self, index_t label, int64_t weight) noexcept nogil:
        self.total_counts[label] += weight
        self.total += weight

    cdef inline int64_t _total_sum(self) noexcept nogil:
        cdef Py_ssize_t label
        cdef int64_t total_sum = 0
        for label in range(self.total_counts.shape[0]):
            total_sum += self.table[self.total_counts[label]]
        return total_sum

    cdef inline void start_feature(self) noexcept nogil:
        self.left_counts[:] = 0
        self.left_total = 0
        self.left_sum = 0
        self.right_sum = self._total_sum()
        self.has_best = False

    cdef inline void move_left(self, index_t label, int64_t weight) noexcept nogil:
        cdef int64_t left = self.left_counts[label], right = self.total_counts[label] - left
        self.left_sum += self.table[left + weight] - self.table[left]
        self.right_sum += self.table[right - weight] - self.table[right]
        self.left_counts[label] = left + weight
        self.left_total += weight

    cdef inline bint offer(self) noexcept nogil:
        """Keep the present cut where it beats the best so far: score is minus the children's entropies in total."""
        cdef int64_t score = (
            self.left_sum - self.table[self.left_total] + self.right_sum - self.table[self.total - self.left_total]
        )
        if self.has_best and score <= self.best_score:
            return False
        self.has_best = True
        self.best_score = score
        return True

    cdef inline Gain best_gain(self) noexcept nogil:
        cdef Gain gain = exact_gain(
            self.table[self.total] - self._total_sum() + self.best_score, 1 << NLOGN_FRACTION_BITS, self.total
        )
        # Entropy never rises; the rounding of the table can take a gain of nothing below zero.
        if gain.value < 0.0:
            gain.value = 0.0
        return gain


@cython.final
cdef class WeightedImpurity:
    """Gini or entropy from weights that are not whole numbers: in floating point, compared with a tolerance."""

    cdef CriterionCode code
    cdef float64_t[::1] total_counts, left_counts
    cdef float64_t total, left_total, node_impurity
    cdef bint has_best
    cdef float64_t best_score

    cdef inline void start_node(self) noexcept nogil:
        self.total = 0.0
        self.total_counts[:] = 0.0

    cdef inline void add(self, index_t label, float64_t weight) noexcept nogil:
        self.total_counts[label] += weight
        self.total += weight

    cdef inline void start_feature(self) noexcept nogil:
        self.left_counts[:] = 0.0
        self.left_total = 0.0
        self.node_impurity = self._impurity(0, self.total)
        self.has_best = False

    cdef inline void move_left(self, index_t label, float64_t weight) noexcept nogil:
        self.left_counts[label] += weight
        self.left_total += weight

    cdef inline float64_t _impurity(self, int side, float64_t total) noexcept nogil:
        """Of the node (0), its left child (1) or its right child (2). What rounding leaves below zero is nothing."""
        cdef Py_ssize_t label
        cdef float64_t impurity = 1.0 if self.code == GINI else 0.0, share
        if total <= 0.0:
            return 0.0
        for label in range(self.total_counts.shape[0]):
            if side == 0:
                share = self.total_counts[label]
            elif side == 1:
                share = self.left_counts[label]
            else:
                share = self.total_counts[label] - self.left_counts[label]
            if share <= 0.0:
                continue
            share /= total
            impurity -= share * share if self.code == GINI else share * log2(share)
        return impurity

    cdef inline bint offer(self) noexcept nogil:
        cdef float64_t right_total = self.total - self.left_total
        cdef float64_t score = (
            self.node_impurity
            - self.left_total / self.total * self._impurity(1, self.left_total)
            - right_total / self.total * self._impurity(2, right_total)
        )
        if self.has_best and not exceeds_by_tolerance(score, self.best_score):
            return False
        self.has_best = True
        self.best_score = score
        return True

    cdef inline Gain best_gain(self) noexcept nogil:
        cdef Gain gain
        gain.numerator = 0
        gain.denominator = 0
        gain.value = self.best_score
        gain.priority = self.total * self.best_score
        return gain


# One loop over the cuts of a feature serves them all.
ctypedef fused CountCriterion:
    Gini
    Entropy
    WeightedImpurity
