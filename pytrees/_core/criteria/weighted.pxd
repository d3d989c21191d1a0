"""Criteria in floating point: for weights that are not whole numbers, and for gains that are not rational in the
counts.

The gain is computed afresh, from the definition, for cuts that may be better than the best so far. Criteria that sum
squares, or x log2 x, over the classes rule out the other cuts by these sums, which are updated as samples move.
"""

from libc.math cimport INFINITY, fabs, log2
from libc.string cimport memcpy

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.criteria.counts cimport LOG2_TABLE_BITS, LOG2_TABLE_SIZE, ClassCounts
from pytrees._core.criteria.gain cimport Gain, tolerant_gain


cdef enum SumKind:
    NO_SUMS
    SQUARES
    LOGS            # x log2 x
    LOGS_BY_MODE    # the same, weighted as the most frequent class of the child says


cdef enum MatchKind:
    NO_MATCH
    BY_OVERLAP      # Jaccard similarity
    BY_HITS         # samples that are right
    BY_ERRORS       # minus the sum of the absolute errors


cdef struct WeightedScan:
    index_t n_classes
    int code                        # a CriterionCode
    SumKind sums                    # by which cuts stay below the best
    MatchKind match                 # of criteria that label the children with classes: what a label scores
    bint weighs_children            # by their share of the samples
    const float64_t* scores         # of the classes
    const float64_t* costs          # of pairs of classes; NULL if the scores tell them
    const float64_t* mode_weights   # by class as the mode and class, of sum 1
    const float64_t* log2_table
    const float64_t* total_counts
    float64_t* left_counts
    float64_t total, left_total, node_impurity, total_sum, left_sum, right_sum, margin
    float64_t sum_error             # a bound on the rounding error of sums of squares
    float64_t box_margin            # a bound on what a gain changes by the rounding of left_total
    # With LOGS_BY_MODE the class weights are summed in the same way as their logarithms.
    index_t node_mode, left_mode, right_mode
    float64_t node_mass, left_mass, right_mass
    float64_t* node_terms           # x log2 x of the class weights of the node and its children
    float64_t* left_terms
    float64_t* right_terms
    bint has_best
    float64_t best_score
    float64_t to_reach              # lesser gains are of no account: the best so far, or what `floor` says
    float64_t floor                 # by the features before this one; -inf if none is in the lead


cdef inline void start_weights(WeightedScan* scan, ClassCounts counts) noexcept nogil:
    """Take over the weights of a node and the parameters of its criterion, but for the kinds of sums and matches."""
    scan.n_classes = counts.n_classes
    scan.code = counts.code
    scan.weighs_children = counts.weighs_children
    scan.scores = &counts.scores[0]
    scan.costs = &counts.costs[0, 0] if counts.costs.shape[0] > 0 else NULL
    scan.mode_weights = &counts.mode_weights[0, 0]
    scan.total_counts = &counts.total_weights[0]
    scan.left_counts = &counts.left_weights[0]
    scan.total = counts.total_weight
    scan.log2_table = &counts.log2_table[0]
    scan.node_terms = &counts.terms[0, 0]
    scan.left_terms = &counts.terms[1, 0]
    scan.right_terms = &counts.terms[2, 0]


cdef inline float64_t _term(const WeightedScan* scan, float64_t weight) noexcept nogil:
    """Return what a class of this weight adds to the sums."""
    cdef uint64_t bits
    cdef index_t entry
    cdef float64_t fraction
    if scan.sums == SQUARES:
        return weight * weight
    # Nothing beside totals above 1e-140; of smaller ones the margin is infinite.
    if weight < 2.3e-308:
        return 0.0
    # log2 from the exponent and a table of the significand's first bits, between whose entries it is nearly straight.
    memcpy(&bits, &weight, sizeof(bits))
    entry = <index_t> (bits >> (52 - LOG2_TABLE_BITS)) & (LOG2_TABLE_SIZE - 1)
    fraction = <float64_t> (bits & ((<uint64_t> 1 << (52 - LOG2_TABLE_BITS)) - 1)) * 2.0**(LOG2_TABLE_BITS - 52)
    return weight * (
        <float64_t> (<int64_t> (bits >> 52) - 1023) + scan.log2_table[entry]
        + fraction * (scan.log2_table[entry + 1] - scan.log2_table[entry])
    )


cdef inline float64_t class_weight(const WeightedScan* scan, int side, index_t label) noexcept nogil:
    """Return the weight of a class in the node (0), its left child (1) or its right child (2)."""
    if side == 0:
        return scan.total_counts[label]
    if side == 1:
        return scan.left_counts[label]
    return scan.total_counts[label] - scan.left_counts[label]


cdef inline void move_weight_left(WeightedScan* scan, index_t label, float64_t weight) noexcept nogil:
    """Move `weight` of class `label` to the left child."""
    cdef float64_t left = scan.left_counts[label], right = scan.total_counts[label] - left
    if scan.sums == LOGS_BY_MODE:
        _move_modes(scan, label, weight)
        return
    if scan.sums == NO_SUMS:
        scan.left_counts[label] = left + weight
        scan.left_total += weight
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
        mode = mode_of(scan, 2)
        if mode != label:
            scan.right_mode = mode
            _sum_by_mode(scan, 2, mode, scan.right_terms, &scan.right_sum, &scan.right_mass)


cdef inline index_t mode_of(const WeightedScan* scan, int side) noexcept nogil:
    """Return the class of the greatest weight, the lowest of several."""
    cdef index_t label, mode = 0
    for label in range(1, scan.n_classes):
        if class_weight(scan, side, label) > class_weight(scan, side, mode):
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
        mass[0] += weights[label] * class_weight(scan, side, label)


cdef inline void start_sums_of_feature(WeightedScan* scan) noexcept nogil:
    """Put all samples into the right child: what the sums kept by mode need beside `left_sum` and `right_sum`."""
    cdef index_t label
    if scan.sums != LOGS_BY_MODE:
        return
    for label in range(scan.n_classes):
        scan.left_terms[label] = 0.0
        scan.right_terms[label] = scan.node_terms[label]
    scan.left_mode = 0
    scan.left_mass = 0.0
    scan.right_mode = scan.node_mode
    scan.right_mass = scan.node_mass


cdef inline Gain gain_of_weighted(const WeightedScan* scan) noexcept nogil:
    return tolerant_gain(scan.best_score, scan.total)


cdef inline bint stays_below(const WeightedScan* scan) noexcept nogil:
    """Whether the sums tell that the present cut gains less than it has to reach."""
    cdef float64_t to_reach, left_total = scan.left_total, right_total = scan.total - scan.left_total
    if scan.sums != SQUARES:
        return _gain_by_logarithms(scan) < scan.to_reach - scan.margin
    # To reach by left_sum / left_total + right_sum / right_total: an error of a sum counts for the more, the smaller
    # its child.
    to_reach = (scan.to_reach - scan.margin - scan.node_impurity + 1.0) * scan.total
    return (
        left_total > 0.0 and right_total > 0.0
        and scan.left_sum * right_total + scan.right_sum * left_total + scan.sum_error * scan.total
        < to_reach * left_total * right_total
    )


cdef inline float64_t _gain_by_logarithms(const WeightedScan* scan) noexcept nogil:
    """Return the gain of the present cut from the sums, to within `margin`, which is infinite without sums."""
    cdef float64_t right_total = scan.total - scan.left_total
    if scan.sums == NO_SUMS:
        return 0.0
    if scan.sums == LOGS_BY_MODE:
        return scan.node_impurity - (
            scan.left_mass * (_term(scan, scan.left_total) / scan.left_total) - scan.left_sum
            + scan.right_mass * (_term(scan, right_total) / right_total) - scan.right_sum
        ) / scan.total
    return scan.node_impurity - (
        _term(scan, scan.left_total) - scan.left_sum + _term(scan, right_total) - scan.right_sum
    ) / scan.total


cdef inline void take_lead(WeightedScan* scan, int64_t n_cuts) noexcept nogil:
    """Let the best cut of this feature lead: set what the next feature's cuts have to reach.

    Only a cut that gains more by the tolerance replaces another, so a cut that cannot win can decide which one does.
    A chain of these cuts rises by less than the tolerance a step, and has at most one step a cut: it does not reach
    from the floor up to the lead.
    """
    scan.floor = scan.best_score - 2e-12 * (n_cuts + 2) * max(1.0, fabs(scan.best_score))


# Boxes, for two classes: while samples move left one after another, the left class weights stay in the box between the
# weights at the first and at the last sample. Both kinds of gains are convex in these weights, so the corners of the
# box bound them.

cdef inline bint has_boxes(const WeightedScan* scan) noexcept nogil:
    return scan.n_classes == 2 and (scan.sums == SQUARES or scan.sums == LOGS)


cdef inline bint box_stays_below(
    const WeightedScan* scan, const float64_t* first, const float64_t* last
) noexcept nogil:
    """Whether all cuts whose class weights on the left are between these gain less than they have to reach."""
    cdef float64_t least = 1e-6 * scan.total
    # The rounding of the total is not small beside a child of hardly any weight.
    return (
        first[0] + first[1] > least and scan.total_counts[0] - last[0] + scan.total_counts[1] - last[1] > least
        and _corner_stays_below(scan, first[0], first[1]) and _corner_stays_below(scan, last[0], last[1])
        and _corner_stays_below(scan, first[0], last[1]) and _corner_stays_below(scan, last[0], first[1])
    )


cdef inline bint _corner_stays_below(const WeightedScan* scan, float64_t left, float64_t other_left) noexcept nogil:
    cdef float64_t right = scan.total_counts[0] - left, other_right = scan.total_counts[1] - other_left
    cdef float64_t left_total = left + other_left, right_total = right + other_right, to_reach
    to_reach = scan.to_reach - scan.margin - scan.box_margin - scan.node_impurity
    if scan.sums == SQUARES:
        return (
            (left * left + other_left * other_left) * right_total
            + (right * right + other_right * other_right) * left_total
            < (to_reach + 1.0) * scan.total * left_total * right_total
        )
    return (
        _term(scan, left) + _term(scan, other_left) - _term(scan, left_total)
        + _term(scan, right) + _term(scan, other_right) - _term(scan, right_total)
        < to_reach * scan.total
    )


cdef inline void move_box_left(WeightedScan* scan, const float64_t* last, float64_t left_total) noexcept nogil:
    """Move the left child to the end of the box."""
    cdef index_t label
    scan.left_sum = 0.0
    scan.right_sum = 0.0
    for label in range(2):
        scan.left_counts[label] = last[label]
        scan.left_sum += _term(scan, last[label])
        scan.right_sum += _term(scan, scan.total_counts[label] - last[label])
    scan.left_total = left_total


cdef inline float64_t gain_of_impurities(
    const WeightedScan* scan, float64_t left_impurity, float64_t right_impurity
) noexcept nogil:
    """Return the node's impurity less its children's impurities, which count by the children's shares if the criterion
    says so."""
    cdef float64_t right_total = scan.total - scan.left_total
    if scan.weighs_children:
        left_impurity *= scan.left_total / scan.total
        right_impurity *= right_total / scan.total
    return scan.node_impurity - left_impurity - right_impurity


cdef inline void start_sums(WeightedScan* scan, int64_t n_rows) noexcept nogil:
    """Start the sums of a node of `n_rows` samples, whose class weights, total, kind of sums and impurity are set:
    write its sum, and how far the sums may be from the exact ones."""
    cdef index_t label
    scan.has_best = False
    scan.to_reach = -INFINITY
    scan.floor = -INFINITY
    scan.total_sum = 0.0
    scan.margin = INFINITY
    if scan.sums == NO_SUMS:
        return
    for label in range(scan.n_classes):
        scan.node_terms[label] = _term(scan, scan.total_counts[label])
        scan.total_sum += scan.node_terms[label]
    if scan.sums == LOGS_BY_MODE:
        scan.node_mode = mode_of(scan, 0)
        _sum_by_mode(scan, 0, scan.node_mode, scan.node_terms, &scan.total_sum, &scan.node_mass)
    # Cubes beyond these limits are too great or too small for a double.
    if not 1e-90 < scan.total < 1e90:
        return
    scan.box_margin = 1e-12 + 1e-15 * n_rows
    if scan.sums == SQUARES:
        # A sample changes a sum by two squares; the squares and the sum are rounded.
        scan.margin = 1e-12
        scan.sum_error = scan.total * scan.total * 2.0**-50 * (n_rows + scan.n_classes + 8)
    else:
        # Sums of as many terms as samples, each rounded by 2**-53 of the whole; logarithms from the table are right to
        # 2e-7.
        scan.margin = 2e-6 + (1e-12 + 1e-14 * n_rows) * (2.0 + fabs(log2(scan.total)))
