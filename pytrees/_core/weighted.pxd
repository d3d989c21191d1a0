"""Gini and entropy from weights that are not whole numbers, inlined where they are cimported."""

from libc.math cimport INFINITY, fabs, log2
from libc.string cimport memcpy

from pytrees._core.types cimport float64_t, index_t, int64_t, uint64_t

cdef enum:
    LOG2_TABLE_BITS = 10
    LOG2_TABLE_SIZE = 1024


cdef struct WeightedScan:
    # Gini or entropy from weights that are not whole numbers: in floating point, compared with a tolerance. That is
    # computed afresh for cuts that may be better; the others are told by sums over the classes of the squares, or of
    # x log2 x, that are kept up as rows move, and whose error is below `margin`.
    index_t n_classes
    bint is_gini
    const float64_t* log2_table
    const float64_t* total_counts
    float64_t* left_counts
    float64_t total, left_total, node_impurity, total_sum, left_sum, right_sum, margin
    bint has_best
    float64_t best_score


cdef inline float64_t _term(const WeightedScan* scan, float64_t weight) noexcept nogil:
    """A class's part of the sums."""
    cdef uint64_t bits
    cdef index_t place
    cdef float64_t fraction
    if scan.is_gini:
        return weight * weight
    # So small a weight is nothing beside the others, or the sums are too small to tell anything and say so.
    if weight < 2.3e-308:
        return 0.0
    # log2 from the exponent and a table of the significand's first bits, between whose entries it is nearly straight.
    memcpy(&bits, &weight, sizeof(bits))
    place = <index_t> (bits >> (52 - LOG2_TABLE_BITS)) & (LOG2_TABLE_SIZE - 1)
    fraction = <float64_t> (bits & ((<uint64_t> 1 << (52 - LOG2_TABLE_BITS)) - 1)) * 2.0**(LOG2_TABLE_BITS - 52)
    return weight * (
        <float64_t> (<int64_t> (bits >> 52) - 1023) + scan.log2_table[place]
        + fraction * (scan.log2_table[place + 1] - scan.log2_table[place])
    )


cdef inline void move_weight_left(WeightedScan* scan, index_t label, float64_t weight) noexcept nogil:
    cdef float64_t left = scan.left_counts[label], right = scan.total_counts[label] - left
    scan.left_sum -= _term(scan, left)
    scan.right_sum -= _term(scan, right)
    left += weight
    scan.left_counts[label] = left
    scan.left_sum += _term(scan, left)
    scan.right_sum += _term(scan, scan.total_counts[label] - left)
    scan.left_total += weight


cdef inline float64_t gain_nearly(const WeightedScan* scan) noexcept nogil:
    cdef float64_t right_total = scan.total - scan.left_total
    if scan.is_gini:
        return (
            scan.node_impurity - 1.0 + (scan.left_sum / scan.left_total + scan.right_sum / right_total) / scan.total
        )
    return scan.node_impurity - (
        _term(scan, scan.left_total) - scan.left_sum + _term(scan, right_total) - scan.right_sum
    ) / scan.total


cdef inline float64_t weighted_impurity(const WeightedScan* scan, int side, float64_t total) noexcept nogil:
    """Of the node (0), its left child (1) or its right child (2). What rounding leaves below zero is nothing."""
    cdef index_t label
    cdef float64_t impurity = 1.0 if scan.is_gini else 0.0, share
    if total <= 0.0:
        return 0.0
    for label in range(scan.n_classes):
        if side == 0:
            share = scan.total_counts[label]
        elif side == 1:
            share = scan.left_counts[label]
        else:
            share = scan.total_counts[label] - scan.left_counts[label]
        if share <= 0.0:
            continue
        share /= total
        impurity -= share * share if scan.is_gini else share * log2(share)
    return impurity


cdef inline void start_sums(WeightedScan* scan, int64_t n_rows) noexcept nogil:
    """Of a node's class weights, which are set as their total is: its impurity, its sum, and how far gain_nearly may be
    from the gain."""
    cdef index_t label
    scan.has_best = False
    scan.node_impurity = weighted_impurity(scan, 0, scan.total)
    scan.total_sum = 0.0
    for label in range(scan.n_classes):
        scan.total_sum += _term(scan, scan.total_counts[label])
    # Sums of as many terms as rows, each rounded by 2**-53 of the whole; logarithms from the table are right to 2e-7.
    scan.margin = (1e-12 + 1e-14 * n_rows) * (1.0 if scan.is_gini else 2.0 + fabs(log2(scan.total)))
    if not scan.is_gini:
        scan.margin += 1e-6
    # Squares beyond these limits are too great or too small for a double.
    if not 1e-140 < scan.total < 1e140:
        scan.margin = INFINITY
