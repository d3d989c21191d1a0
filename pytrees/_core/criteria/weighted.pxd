"""Criteria in floating point, inlined where they are cimported: of weights that are not whole numbers, and those that
are not rational in the counts."""

from libc.math cimport INFINITY, fabs, log2
from libc.string cimport memcpy

from pytrees._core.base.types cimport (
    ENTROPY,
    GINI,
    OGINI,
    RANKING,
    WIG,
    CriterionCode,
    float64_t,
    index_t,
    int64_t,
    uint64_t,
)

cdef enum:
    LOG2_TABLE_BITS = 10
    LOG2_TABLE_SIZE = 1024


cdef struct WeightedScan:
    # In floating point, compared with a tolerance. The gain is computed afresh for cuts that may be better. Of gini,
    # entropy and wig the others are told by sums over the classes of the squares, or of x log2 x, that are kept up as
    # rows move, and whose error is below `margin`.
    index_t n_classes
    CriterionCode code
    bint weighs_children            # by their share of the rows
    const float64_t* scores         # of the classes
    const float64_t* mode_weights   # by class as the mode and class, of sum 1
    const float64_t* log2_table
    const float64_t* total_counts
    float64_t* left_counts
    float64_t total, left_total, node_impurity, total_sum, left_sum, right_sum, margin
    # Of wig the sums are weighted as the child's mode says, and so are the class weights beside them.
    index_t node_mode, left_mode, right_mode
    float64_t node_mass, left_mass, right_mass
    float64_t* node_terms           # x log2 x of the class weights of the node and its children
    float64_t* left_terms
    float64_t* right_terms
    bint has_best
    float64_t best_score


cdef inline float64_t _term(const WeightedScan* scan, float64_t weight) noexcept nogil:
    """A class's part of the sums."""
    cdef uint64_t bits
    cdef index_t place
    cdef float64_t fraction
    if scan.code == GINI:
        return weight * weight
    # Nothing beside totals above 1e-140; of smaller ones the margin is infinite.
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


cdef inline float64_t _class_weight(const WeightedScan* scan, int side, index_t label) noexcept nogil:
    if side == 0:
        return scan.total_counts[label]
    if side == 1:
        return scan.left_counts[label]
    return scan.total_counts[label] - scan.left_counts[label]


cdef inline void move_weight_left(WeightedScan* scan, index_t label, float64_t weight) noexcept nogil:
    cdef float64_t left = scan.left_counts[label], right = scan.total_counts[label] - left
    if scan.code == WIG:
        _move_modes(scan, label, weight)
        return
    scan.left_sum -= _term(scan, left)
    scan.right_sum -= _term(scan, right)
    left += weight
    scan.left_counts[label] = left
    scan.left_sum += _term(scan, left)
    scan.right_sum += _term(scan, scan.total_counts[label] - left)
    scan.left_total += weight


cdef inline void _move_modes(WeightedScan* scan, index_t label, float64_t weight) noexcept nogil:
    cdef float64_t left = scan.left_counts[label] + weight, right = scan.total_counts[label] - left
    cdef float64_t left_term = _term(scan, left), right_term = _term(scan, right), mode_weight
    cdef index_t mode = scan.left_mode
    scan.left_counts[label] = left
    scan.left_total += weight
    mode_weight = scan.mode_weights[<Py_ssize_t> mode * scan.n_classes + label]
    scan.left_sum += mode_weight * (left_term - scan.left_terms[label])
    scan.left_mass += mode_weight * weight
    scan.left_terms[label] = left_term
    if label != mode and (
        left > scan.left_counts[mode] or left == scan.left_counts[mode] and label < mode
    ):
        scan.left_mode = label
        _sum_by_mode(scan, 1, label, scan.left_terms, &scan.left_sum, &scan.left_mass)
    mode_weight = scan.mode_weights[<Py_ssize_t> scan.right_mode * scan.n_classes + label]
    scan.right_sum += mode_weight * (right_term - scan.right_terms[label])
    scan.right_mass -= mode_weight * weight
    scan.right_terms[label] = right_term
    # A class that is not the mode cannot become it by losing rows.
    if label == scan.right_mode:
        mode = _mode(scan, 2)
        if mode != label:
            scan.right_mode = mode
            _sum_by_mode(scan, 2, mode, scan.right_terms, &scan.right_sum, &scan.right_mass)


cdef inline index_t _mode(const WeightedScan* scan, int side) noexcept nogil:
    cdef index_t label, mode = 0
    for label in range(1, scan.n_classes):
        if _class_weight(scan, side, label) > _class_weight(scan, side, mode):
            mode = label
    return mode


cdef inline void _sum_by_mode(
    const WeightedScan* scan, int side, index_t mode, const float64_t* terms, float64_t* total, float64_t* mass
) noexcept nogil:
    cdef const float64_t* weights = scan.mode_weights + <Py_ssize_t> mode * scan.n_classes
    cdef index_t label
    total[0] = 0.0
    mass[0] = 0.0
    for label in range(scan.n_classes):
        total[0] += weights[label] * terms[label]
        mass[0] += weights[label] * _class_weight(scan, side, label)


cdef inline void start_modes(WeightedScan* scan) noexcept nogil:
    """All rows in the right child."""
    cdef index_t label
    for label in range(scan.n_classes):
        scan.left_terms[label] = 0.0
        scan.right_terms[label] = scan.node_terms[label]
    scan.left_mode = 0
    scan.left_mass = 0.0
    scan.right_mode = scan.node_mode
    scan.right_mass = scan.node_mass


cdef inline float64_t gain_nearly(const WeightedScan* scan) noexcept nogil:
    cdef float64_t right_total = scan.total - scan.left_total
    if scan.code == GINI:
        return (
            scan.node_impurity - 1.0 + (scan.left_sum / scan.left_total + scan.right_sum / right_total) / scan.total
        )
    if scan.code == WIG:
        return scan.node_impurity - (
            scan.left_mass * (_term(scan, scan.left_total) / scan.left_total) - scan.left_sum
            + scan.right_mass * (_term(scan, right_total) / right_total) - scan.right_sum
        ) / scan.total
    return scan.node_impurity - (
        _term(scan, scan.left_total) - scan.left_sum + _term(scan, right_total) - scan.right_sum
    ) / scan.total


cdef inline float64_t weighted_impurity(const WeightedScan* scan, int side, float64_t total) noexcept nogil:
    """Of the node (0), its left child (1) or its right child (2)."""
    if scan.code == RANKING:
        return _ranking(scan, side)
    # What rounding leaves below zero is nothing.
    if total <= 0.0:
        return 0.0
    if scan.code == OGINI:
        return _ogini(scan, side, total)
    if scan.code == WIG:
        return _weighted_entropy(scan, side, total)
    return _gini_or_entropy(scan, side, total)


cdef inline float64_t _gini_or_entropy(const WeightedScan* scan, int side, float64_t total) noexcept nogil:
    cdef index_t label
    cdef bint is_gini = scan.code == GINI
    cdef float64_t impurity = 1.0 if is_gini else 0.0, share
    for label in range(scan.n_classes):
        share = _class_weight(scan, side, label)
        if share <= 0.0:
            continue
        share /= total
        impurity -= share * share if is_gini else share * log2(share)
    return impurity


cdef inline float64_t _ogini(const WeightedScan* scan, int side, float64_t total) noexcept nogil:
    cdef index_t label
    cdef float64_t impurity = 0.0, cumulative = 0.0
    for label in range(scan.n_classes):
        cumulative += _class_weight(scan, side, label)
        impurity += cumulative / total * (1.0 - cumulative / total)
    return impurity


cdef inline float64_t _weighted_entropy(const WeightedScan* scan, int side, float64_t total) noexcept nogil:
    cdef index_t label
    cdef const float64_t* weights = scan.mode_weights + <Py_ssize_t> _mode(scan, side) * scan.n_classes
    cdef float64_t impurity = 0.0, count
    for label in range(scan.n_classes):
        count = _class_weight(scan, side, label)
        if count > 0.0:
            impurity -= weights[label] * (count / total * log2(count / total))
    return impurity


cdef inline float64_t _ranking(const WeightedScan* scan, int side) noexcept nogil:
    """For every class the sum over the lower ones, as v_q sum of N_j - sum of v_j N_j."""
    cdef index_t label
    cdef float64_t impurity = 0.0, lower = 0.0, lower_scores = 0.0, weight
    for label in range(scan.n_classes):
        weight = _class_weight(scan, side, label)
        impurity += weight * (scan.scores[label] * lower - lower_scores)
        lower += weight
        lower_scores += scan.scores[label] * weight
    return impurity


cdef inline float64_t weighted_gain(const WeightedScan* scan) noexcept nogil:
    cdef float64_t right_total = scan.total - scan.left_total
    cdef float64_t left_impurity = weighted_impurity(scan, 1, scan.left_total)
    cdef float64_t right_impurity = weighted_impurity(scan, 2, right_total)
    if scan.weighs_children:
        left_impurity *= scan.left_total / scan.total
        right_impurity *= right_total / scan.total
    return scan.node_impurity - left_impurity - right_impurity


cdef inline void start_sums(WeightedScan* scan, int64_t n_rows) noexcept nogil:
    """Of a node's class weights, which are set as their total is: its impurity, its sum, and how far gain_nearly may be
    from the gain."""
    cdef index_t label
    scan.has_best = False
    scan.node_impurity = weighted_impurity(scan, 0, scan.total)
    scan.total_sum = 0.0
    for label in range(scan.n_classes):
        scan.node_terms[label] = _term(scan, scan.total_counts[label])
        scan.total_sum += scan.node_terms[label]
    if scan.code == WIG:
        scan.node_mode = _mode(scan, 0)
        _sum_by_mode(scan, 0, scan.node_mode, scan.node_terms, &scan.total_sum, &scan.node_mass)
    # Sums of as many terms as rows, each rounded by 2**-53 of the whole; logarithms from the table are right to 2e-7.
    scan.margin = 1e-12 + 1e-14 * n_rows
    if scan.code != GINI:
        scan.margin = 2e-6 + scan.margin * (2.0 + fabs(log2(scan.total)))
    # Squares beyond these limits are too great or too small for a double; and other criteria have no such sums.
    if not 1e-140 < scan.total < 1e140 or scan.code not in (GINI, ENTROPY, WIG):
        scan.margin = INFINITY
