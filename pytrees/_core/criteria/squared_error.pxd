"""Squared error: the mean square of the targets less their mean.

A class is a target, a whole number; its code is its rank. The score of a cut is D**2 / (L R), with L and R the weights
of the children, and D = total left_sum - left_total sum, which is (L R) times the difference of the children's means.
Whole numbers are compared exactly, with a filter in floating point.
"""

from pytrees._core.base.fractions cimport is_greater_square
from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums
from pytrees._core.criteria.gain cimport Gain, exact_gain, squared_gain


cdef struct SquaredErrorScan:
    const int64_t* targets      # by class
    int64_t total, sum, left_total, left_sum
    int64_t best_left_total
    int128_t best_difference
    # D**2 and L R of the best cut, 0 before the first one, as in `gini`: their products are each rounded by less than
    # 2e-15, and `to_beat` is the best D**2 lowered by the factor 1 - 1e-14.
    float64_t to_beat, best_product


cdef inline void start_squared_error(SquaredErrorScan* scan, ClassCounts counts) noexcept nogil:
    scan.targets = &counts.targets[0]
    scan.total = counts.sums.weight
    scan.sum = counts.sums.sum
    scan.best_left_total = 0
    scan.best_difference = 0
    scan.to_beat = scan.best_product = 0.0


cdef inline int128_t _difference(const SquaredErrorScan* scan) noexcept nogil:
    return <int128_t> scan.total * scan.left_sum - <int128_t> scan.left_total * scan.sum


cdef inline bint offer_squared_error(SquaredErrorScan* scan) noexcept nogil:
    cdef int64_t right_total = scan.total - scan.left_total
    cdef int128_t difference = _difference(scan)
    cdef float64_t root = <float64_t> difference
    cdef float64_t score = root * root, product = <float64_t> scan.left_total * <float64_t> right_total
    cdef float64_t present = score * scan.best_product, best = scan.to_beat * product
    if present < best:
        return False
    if present <= best * (1.0 + 3e-14) and scan.best_product > 0.0 and not is_greater_square(
        difference, scan.left_total, right_total, 1, scan.best_difference, scan.best_left_total,
        scan.total - scan.best_left_total, 1,
    ):
        return False
    scan.to_beat = score * (1.0 - 1e-14)
    scan.best_product = product
    scan.best_left_total = scan.left_total
    scan.best_difference = difference
    return True


cdef inline int gain_of_squared_error(const SquaredErrorScan* scan, Gain* gain) except -1 nogil:
    return squared_gain(scan.best_difference, scan.best_left_total, scan.total - scan.best_left_total, gain)


cdef inline Gain impurity_by_squared_error(const TargetSums* sums) noexcept nogil:
    """Return the impurity of a node that has samples: (weight spread - sum**2) / weight**2."""
    return exact_gain(
        <int128_t> sums.weight * sums.spread - <int128_t> sums.sum * sums.sum, <uint128_t> sums.weight, sums.weight
    )
