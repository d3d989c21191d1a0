"""Entropies of sums of weights in floating point, for the rows of C4.5, which have parts of weights.

The gain is computed afresh, from the definition, for cuts that may be better than the best so far. Sums of x log2 x
over the classes, which are updated as rows move, rule out the other cuts.
"""

from libc.math cimport INFINITY, fabs, log2

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.criteria.counts cimport nearly_n_log2_n


cdef struct EntropySums:
    index_t n_classes
    const float64_t* log2_table
    const float64_t* total_counts
    float64_t* left_counts
    float64_t total, left_total, node_impurity, total_sum, left_sum, right_sum, margin
    bint has_best
    float64_t best_score, to_reach


cdef inline float64_t _term(const EntropySums* scan, float64_t weight) noexcept nogil:
    """Return x log2 x of a class's weight."""
    # Nothing beside totals above 1e-140; of smaller ones the margin is infinite.
    return 0.0 if weight < 2.3e-308 else nearly_n_log2_n(scan.log2_table, weight)


cdef inline float64_t class_weight(const EntropySums* scan, int side, index_t label) noexcept nogil:
    """Return the weight of a class in the node (0), its left child (1) or its right child (2)."""
    if side == 0:
        return scan.total_counts[label]
    if side == 1:
        return scan.left_counts[label]
    return scan.total_counts[label] - scan.left_counts[label]


cdef inline void move_weight_left(EntropySums* scan, index_t label, float64_t weight) noexcept nogil:
    """Move `weight` of class `label` to the left child."""
    cdef float64_t left = scan.left_counts[label], right = scan.total_counts[label] - left
    scan.left_sum -= _term(scan, left)
    scan.right_sum -= _term(scan, right)
    left += weight
    scan.left_counts[label] = left
    scan.left_sum += _term(scan, left)
    scan.right_sum += _term(scan, scan.total_counts[label] - left)
    scan.left_total += weight


cdef inline bint stays_below(const EntropySums* scan) noexcept nogil:
    """Whether the sums tell that the present cut gains less than it has to reach."""
    cdef float64_t gain = scan.node_impurity - (
        _term(scan, scan.left_total) - scan.left_sum + _term(scan, scan.total - scan.left_total) - scan.right_sum
    ) / scan.total
    return gain < scan.to_reach - scan.margin


cdef inline float64_t gain_of_entropies(
    const EntropySums* scan, float64_t left_entropy, float64_t right_entropy
) noexcept nogil:
    """Return the node's entropy less its children's entropies, which count by the children's shares."""
    cdef float64_t right_total = scan.total - scan.left_total
    left_entropy *= scan.left_total / scan.total
    right_entropy *= right_total / scan.total
    return scan.node_impurity - left_entropy - right_entropy


cdef inline void start_sums(EntropySums* scan, int64_t n_rows) noexcept nogil:
    """Start the sums of a node of `n_rows` samples, whose class weights, total and impurity are set: write its sum, and
    how far the sums may be from the exact ones."""
    cdef index_t label
    scan.has_best = False
    scan.to_reach = -INFINITY
    scan.total_sum = 0.0
    scan.margin = INFINITY
    for label in range(scan.n_classes):
        scan.total_sum += _term(scan, scan.total_counts[label])
    # Cubes beyond these limits are too great or too small for a double.
    if not 1e-90 < scan.total < 1e90:
        return
    # Sums of as many terms as samples, each rounded by 2**-53 of the whole; logarithms from the table are right to
    # 2e-7.
    scan.margin = 2e-6 + (1e-12 + 1e-14 * n_rows) * (2.0 + fabs(log2(scan.total)))


cdef inline float64_t entropy_of_weights(const EntropySums* scan, int side, float64_t total) noexcept nogil:
    """Return the entropy of the node (0), its left child (1) or its right child (2)."""
    cdef index_t label
    cdef float64_t impurity = 0.0, share
    # A total below zero comes from rounding and counts as zero.
    if total <= 0.0:
        return 0.0
    for label in range(scan.n_classes):
        # The share of a positive weight beside a far greater one can be too small for a double.
        share = class_weight(scan, side, label) / total
        if share > 0.0:
            impurity -= share * log2(share)
    return impurity
