"""Class counts whose sums do not fit the narrow arithmetic of the criteria: sums of weights on a fine grid.

Every criterion that is exact is exact here, too. Gains are computed in floating point, from whole numbers that are
exact as doubles. Cuts whose gains are further apart than the computation is wrong are compared by these gains. Other
cuts are compared exactly: two classes by Gini in integers, entropies as real numbers by `logarithms`, others as
Python's fractions, which `wide.pyx` computes. Sums of squares or of x log2 x over the classes, which are updated as
samples move, rule out most cuts before their gains are computed.
"""

from libc.math cimport INFINITY, fabs, log1p, log2

from pytrees._core.base.fractions cimport is_greater_square
from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.counts cimport ClassCounts, nearly_n_log2_n, sum_of_counts
from pytrees._core.criteria.gain cimport Gain, squared_gain
from pytrees._core.criteria.logarithms cimport BY_GREATER, BY_JOINT, BY_MEAN, LESS_SPLIT, PLAIN, InformationForm


cdef enum WideKind:
    WIDE_GINI
    WIDE_ORDINAL_GINI
    WIDE_RANKING
    WIDE_JACCARD
    WIDE_INFORMATION    # whatever compares entropies


cdef struct WideBinaryScan:
    # Gini of two classes, and ordinal Gini, which is half of it: the gain grows with D**2 / (L R). Doubles hold these
    # sums exactly.
    float64_t n_terms               # terms p (1 - p) in the impurity
    float64_t of_0, of_1, left_0, left_1
    int64_t total, best_left_total
    int64_t* best_left_counts
    int128_t best_difference        # of the best cut, none if its left_total is 0
    float64_t to_beat               # the best D**2 / (L R), lowered by more than what computing it is wrong by


cdef struct WideScan:
    index_t n_classes
    WideKind kind
    InformationForm form
    bint weighs_children            # by their share of the samples
    const float64_t* costs          # ranking: of pairs of classes, as shares of the greatest cost
    const float64_t* log2_table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t* best_left_counts
    int64_t total, left_total
    void* node                      # the ClassCounts, for exact comparisons
    float64_t node_impurity, total_sum, left_sum, right_sum
    float64_t margin                # of gains by the sums
    float64_t sum_error             # a bound on the rounding error of sums of squares
    float64_t error                 # of a gain, or of each part of a ratio
    bint has_best
    float64_t best_gain, best_error
    float64_t to_reach              # gains below it are less than the best
    bint has_boxes                  # entropies of two classes
    # If it has: no gain is above D**2 / (L R) divided by `score_of_gain`; a cut whose D**2 / (L R) is below
    # `score_to_reach` gains less than the best.
    float64_t score_of_gain, score_to_reach


cdef int offer_contender(WideScan* scan) except -1 nogil
cdef int gain_of_best(const WideScan* scan, Gain* gain) except -1 nogil
cdef Gain wide_gain(float64_t value, int64_t total) noexcept nogil
cdef int compare_children(
    ClassCounts node, const int64_t* counts, index_t n_children, const int64_t* other, index_t n_other
) except -2 nogil
cdef int compare_to_cut(ClassCounts node, const int64_t* counts, index_t n_children) except -2 nogil
cdef float64_t nearest_gain_of_children(ClassCounts node, const int64_t* counts, index_t n_children) except? -1.0
cdef object exact_impurity_of(ClassCounts node)
cdef float64_t nearest(fraction) except? -1.0


cdef inline void start_wide(WideScan* scan, ClassCounts counts) noexcept nogil:
    scan.n_classes = counts.n_classes
    scan.kind = <WideKind> counts.wide_kind
    scan.form = counts.form
    scan.weighs_children = counts.weighs_children
    scan.costs = &counts.shares_of_costs[0, 0] if counts.shares_of_costs.shape[0] > 0 else NULL
    scan.log2_table = &counts.log2_table[0]
    scan.total_counts = &counts.total_counts[0]
    scan.left_counts = &counts.left_counts[0]
    scan.best_left_counts = &counts.best_left_counts[0]
    scan.node = <void*> counts
    scan.total = sum_of_counts(scan.total_counts, scan.n_classes)
    scan.error = error_of_wide_gain(scan.kind, scan.n_classes, 2)
    scan.has_boxes = scan.n_classes == 2 and scan.kind == WIDE_INFORMATION and scan.form == PLAIN
    scan.score_of_gain = _score_of_gain(scan) if scan.has_boxes else 0.0
    forget_best_wide(scan)
    scan.node_impurity = impurity_of_wide(scan, scan.total_counts, NULL, scan.total) if scan.total > 0 else 0.0
    _start_sums(scan, counts.n_rows)


cdef inline float64_t _score_of_gain(const WideScan* scan) noexcept nogil:
    """Return the least quotient of D**2 / (L R) by the gain, or a little less; 0 if there is only one class.

    Let q be the share of class 1 in the node, and p in a child. The gain is the children's mean of the divergence
    KL(p || q), by weight, and D**2 / (L R), divided by the squared weight of the node, is the mean of (p - q)**2. The
    quotient of both is a mean of the second derivative 1 / (x (1 - x) ln 2) between q and p, which is convex: the
    quotient is convex in p, and greatest for p = 0 or p = 1.
    """
    cdef float64_t total = <float64_t> scan.total, zero, one
    if scan.total_counts[0] == 0 or scan.total_counts[1] == 0:
        return 0.0
    zero, one = <float64_t> scan.total_counts[0] / total, <float64_t> scan.total_counts[1] / total
    return total * total * (1.0 - 1e-12) / max(
        _bits_of_rest(one, zero) / (one * one), _bits_of_rest(zero, one) / (zero * zero)
    )


cdef inline float64_t _bits_of_rest(float64_t share, float64_t rest) noexcept nogil:
    """Return -log2(1 - share); `rest` is 1 - share, too, but a small share leaves it no digits."""
    return -log1p(-share) * 1.4426950408889634 if share < 0.5 else -log2(rest)


cdef inline float64_t error_of_wide_gain(WideKind kind, index_t n_classes, Py_ssize_t n_children) noexcept nogil:
    """Bound the error of a gain, or of each part of a ratio, in floating point. Every term of a sum is rounded a few
    times by 2**-53 of at most 1, and so is every sum, which is at most the number of its terms, or log2 of it."""
    cdef float64_t n_terms = <float64_t> n_classes * <float64_t> (n_children + 1)
    if kind == WIDE_ORDINAL_GINI or kind == WIDE_RANKING:
        n_terms *= <float64_t> n_classes
    return (16.0 * n_terms + 64.0) * 2.0**-52


cdef inline void _start_sums(WideScan* scan, Py_ssize_t n_rows) noexcept nogil:
    """Set the sums of the node, and how far sums may be from the exact ones."""
    cdef index_t label
    scan.total_sum = 0.0
    scan.margin = INFINITY
    if not (scan.kind == WIDE_GINI or scan.kind == WIDE_INFORMATION and scan.form == PLAIN):
        return
    for label in range(scan.n_classes):
        scan.total_sum += _term(scan, scan.total_counts[label])
    if scan.kind == WIDE_GINI:
        # A sample changes a sum by two squares; the squares and the sum are rounded.
        scan.margin = 1e-12
        scan.sum_error = <float64_t> scan.total * <float64_t> scan.total * 2.0**-50 * (n_rows + scan.n_classes + 8)
    else:
        # Sums of as many terms as samples, each rounded by 2**-53 of the whole; logarithms from the table are right to
        # 2e-7.
        scan.margin = 2e-6 + (1e-12 + 1e-14 * n_rows) * (2.0 + log2(<float64_t> scan.total + 1.0))


cdef inline void start_wide_feature(WideScan* scan) noexcept nogil:
    cdef index_t label
    scan.left_total = 0
    for label in range(scan.n_classes):
        scan.left_counts[label] = 0
    scan.left_sum = 0.0
    scan.right_sum = scan.total_sum


cdef inline float64_t _term(const WideScan* scan, int64_t count) noexcept nogil:
    """Return what a class of this count adds to the sums."""
    cdef float64_t weight = <float64_t> count
    if scan.kind == WIDE_GINI:
        return weight * weight
    return 0.0 if count == 0 else nearly_n_log2_n(scan.log2_table, weight)


cdef inline void move_wide(WideScan* scan, index_t label, int64_t weight) noexcept nogil:
    """Move `weight` of a class to the left child; below zero, back to the right child."""
    cdef int64_t left = scan.left_counts[label], right = scan.total_counts[label] - left
    scan.left_total += weight
    scan.left_counts[label] = left + weight
    if scan.margin < INFINITY and not scan.has_boxes:
        scan.left_sum += _term(scan, left + weight) - _term(scan, left)
        scan.right_sum += _term(scan, right - weight) - _term(scan, right)


cdef inline int offer_wide(WideScan* scan) except -1 nogil:
    """Keep the present cut if it gains more than the best so far."""
    if _stays_below(scan):
        return 0
    return offer_contender(scan)


cdef inline bint _stays_below(const WideScan* scan) noexcept nogil:
    """Whether the sums tell that the present cut gains less than the best."""
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> (scan.total - scan.left_total)
    cdef float64_t to_reach
    if scan.has_boxes:
        # Few cuts pass the first condition, so that the logarithms are not kept up to date.
        return _scores_below(
            <float64_t> scan.total_counts[0], <float64_t> scan.total_counts[1], <float64_t> scan.left_counts[0],
            <float64_t> scan.left_counts[1], scan.score_to_reach,
        ) or _corner_of_entropies(scan, scan.left_counts[0], scan.left_counts[1])
    if scan.margin == INFINITY:
        return False
    if scan.kind == WIDE_GINI:
        # To reach by left_sum / left_total + right_sum / right_total: an error of a sum counts for the more, the
        # smaller its child.
        to_reach = (scan.to_reach - scan.margin - scan.node_impurity + 1.0) * <float64_t> scan.total
        return (
            scan.left_sum * right_total + scan.right_sum * left_total + scan.sum_error * <float64_t> scan.total
            < to_reach * left_total * right_total
        )
    return scan.node_impurity - (
        _term(scan, scan.left_total) - scan.left_sum + _term(scan, scan.total - scan.left_total) - scan.right_sum
    ) / <float64_t> scan.total < scan.to_reach - scan.margin


# ------------------------------------------------------------------------------------- gains in floating point

cdef inline float64_t gain_of_wide_cut(const WideScan* scan, float64_t* error) noexcept nogil:
    """Return the gain of the present cut, and write how far it may be from the exact one."""
    cdef float64_t total = <float64_t> scan.total, left = <float64_t> scan.left_total
    cdef float64_t right = <float64_t> (scan.total - scan.left_total), of_left, of_right
    error[0] = scan.error
    if scan.kind == WIDE_INFORMATION:
        return _information_of_cut(scan, error)
    if scan.kind == WIDE_JACCARD:
        return _similarity_of_cut(scan)
    of_left = impurity_of_wide(scan, scan.left_counts, NULL, scan.left_total)
    of_right = impurity_of_wide(scan, scan.total_counts, scan.left_counts, scan.total - scan.left_total)
    if not scan.weighs_children:
        return scan.node_impurity - of_left - of_right
    return scan.node_impurity - left / total * of_left - right / total * of_right


cdef inline int64_t _rest(const int64_t* counts, const int64_t* less, index_t label) noexcept nogil:
    return counts[label] if less == NULL else counts[label] - less[label]


cdef inline float64_t entropy_term(int64_t count, float64_t total) noexcept nogil:
    """Return -p log2 p of a share of a total."""
    cdef float64_t share = <float64_t> count / total
    return -share * log2(share) if share > 0.0 else 0.0


cdef inline float64_t impurity_of_wide(
    const WideScan* scan, const int64_t* counts, const int64_t* less, int64_t total
) noexcept nogil:
    """Return the impurity of counts, or of these less others: the entropy of the classes, the similarity to the best
    class, and for ranking the share of the greatest cost and of the node's squared weight."""
    cdef index_t label, lower
    cdef float64_t impurity = 0.0, cumulative = 0.0, share, whole = <float64_t> total, with_lower
    cdef int64_t largest = 0
    if scan.kind == WIDE_GINI:
        impurity = 1.0
        for label in range(scan.n_classes):
            share = <float64_t> _rest(counts, less, label) / whole
            impurity -= share * share
        return impurity
    if scan.kind == WIDE_INFORMATION:
        for label in range(scan.n_classes):
            impurity += entropy_term(_rest(counts, less, label), whole)
    elif scan.kind == WIDE_ORDINAL_GINI:
        for label in range(scan.n_classes):
            cumulative += <float64_t> _rest(counts, less, label)
            impurity += cumulative / whole * ((whole - cumulative) / whole)
    elif scan.kind == WIDE_RANKING:
        whole = <float64_t> scan.total
        for label in range(scan.n_classes):
            with_lower = 0.0
            for lower in range(label):
                with_lower += (
                    scan.costs[<Py_ssize_t> label * scan.n_classes + lower]
                    * (<float64_t> _rest(counts, less, lower) / whole)
                )
            impurity += with_lower * (<float64_t> _rest(counts, less, label) / whole)
    else:
        for label in range(scan.n_classes):
            largest = max(largest, _rest(counts, less, label))
        # As by `gain_of_jaccard`: a child must stand for a class without rows, from which the node does not differ.
        impurity = <float64_t> largest / whole if largest < total else 2.0
    return impurity


cdef inline float64_t information_by_form(
    const WideScan* scan, float64_t of_split, float64_t joint, float64_t* error
) noexcept nogil:
    """Return what the form makes of the entropies of split and classes, and of both together; write the error."""
    cdef float64_t gained = scan.node_impurity + of_split - joint, divisor = of_split
    if scan.form == PLAIN:
        return gained
    if scan.form == LESS_SPLIT:
        error[0] *= 2.0
        return 2.0 * gained - of_split
    if scan.form == BY_JOINT:
        divisor = joint
    elif scan.form == BY_MEAN:
        gained *= 2.0
        divisor = of_split + scan.node_impurity
    elif scan.form == BY_GREATER:
        divisor = max(of_split, scan.node_impurity)
    # No ratio exceeds 1.
    error[0] = 4.0 * error[0] / (divisor - error[0]) if divisor > 2.0 * error[0] else INFINITY
    return gained / divisor if divisor > 0.0 else 0.0


cdef inline float64_t _information_of_cut(const WideScan* scan, float64_t* error) noexcept nogil:
    cdef float64_t total = <float64_t> scan.total, joint = 0.0
    cdef index_t label
    for label in range(scan.n_classes):
        joint += entropy_term(scan.left_counts[label], total)
        joint += entropy_term(scan.total_counts[label] - scan.left_counts[label], total)
    return information_by_form(
        scan, entropy_term(scan.left_total, total) + entropy_term(scan.total - scan.left_total, total), joint, error
    )


cdef inline float64_t _similarity_of_cut(const WideScan* scan) noexcept nogil:
    """Return the gain by Jaccard similarity: the greatest sum of the similarities to two different classes."""
    cdef float64_t left, right, both, best = 0.0
    cdef float64_t[2] of_left, of_right
    cdef index_t label, left_best = 0, right_best = 0
    of_left[0] = of_left[1] = of_right[0] = of_right[1] = -INFINITY
    for label in range(scan.n_classes):
        both = <float64_t> scan.left_counts[label]
        left = both / <float64_t> (scan.left_total + scan.total_counts[label] - scan.left_counts[label])
        right = <float64_t> (scan.total_counts[label] - scan.left_counts[label]) / <float64_t> (
            scan.total - scan.left_total + scan.left_counts[label]
        )
        if left > of_left[0]:
            of_left[1], of_left[0], left_best = of_left[0], left, label
        elif left > of_left[1]:
            of_left[1] = left
        if right > of_right[0]:
            of_right[1], of_right[0], right_best = of_right[0], right, label
        elif right > of_right[1]:
            of_right[1] = right
    if left_best != right_best:
        best = of_left[0] + of_right[0]
    else:
        best = max(of_left[0] + of_right[1], of_left[1] + of_right[0])
    return best - scan.node_impurity


cdef inline float64_t gain_of_wide_children(
    const WideScan* scan, const int64_t* counts, index_t n_children, float64_t* error
) noexcept nogil:
    """Return the gain of a split into children of these class counts, one after the other, and write how far it may be
    from the exact one."""
    cdef float64_t total = <float64_t> scan.total, gain = scan.node_impurity, of_split = 0.0, joint = 0.0, impurity
    cdef int64_t of_child
    cdef index_t _child, label
    error[0] = error_of_wide_gain(scan.kind, scan.n_classes, n_children)
    if scan.kind == WIDE_JACCARD:
        error[0] = INFINITY
        return 0.0
    for _child in range(n_children):
        of_child = 0
        for label in range(scan.n_classes):
            of_child += counts[label]
            if scan.kind == WIDE_INFORMATION:
                joint += entropy_term(counts[label], total)
        if scan.kind == WIDE_INFORMATION:
            of_split += entropy_term(of_child, total)
        else:
            impurity = impurity_of_wide(scan, counts, NULL, of_child)
            gain -= <float64_t> of_child / total * impurity if scan.weighs_children else impurity
        counts += scan.n_classes
    return information_by_form(scan, of_split, joint, error) if scan.kind == WIDE_INFORMATION else gain


# -------------------------------------------------------------------------------------------- Gini of two classes

cdef inline void start_wide_binary(WideBinaryScan* scan, ClassCounts counts, float64_t n_terms) noexcept nogil:
    scan.n_terms = n_terms
    scan.of_0, scan.of_1 = <float64_t> counts.total_counts[0], <float64_t> counts.total_counts[1]
    scan.total = counts.total_counts[0] + counts.total_counts[1]
    scan.best_left_counts = &counts.best_left_counts[0]
    scan.best_left_total = scan.best_difference = 0
    scan.to_beat = -1.0


cdef inline void move_wide_binary(WideBinaryScan* scan, index_t label, int64_t weight) noexcept nogil:
    """Move `weight` of a class to the left child; below zero, back to the right child."""
    # Adding 0 changes nothing, and takes no jump.
    cdef float64_t moved = <float64_t> weight, of_1 = moved * <float64_t> label
    scan.left_0 += moved - of_1
    scan.left_1 += of_1


cdef inline bint offer_wide_binary(WideBinaryScan* scan) noexcept nogil:
    """Keep the present cut if it gains more than the best so far."""
    if _scores_below(scan.of_0, scan.of_1, scan.left_0, scan.left_1, scan.to_beat):
        return False
    return _keep_wide_binary(scan, <int64_t> scan.left_0, <int64_t> scan.left_1)


cdef inline bint _keep_wide_binary(WideBinaryScan* scan, int64_t left_0, int64_t left_1) noexcept nogil:
    """Keep a cut if it gains more than the best, exactly."""
    cdef int64_t left = left_0 + left_1, best_left = scan.best_left_total
    cdef int128_t difference = (
        <int128_t> left_1 * (<int64_t> scan.of_0 - left_0) - <int128_t> left_0 * (<int64_t> scan.of_1 - left_1)
    )
    if best_left > 0 and not is_greater_square(
        difference, left, scan.total - left, 1, scan.best_difference, best_left, scan.total - best_left, 1
    ):
        return False
    scan.best_left_total, scan.best_difference = left, difference
    scan.best_left_counts[0], scan.best_left_counts[1] = left_0, left_1
    scan.to_beat = (
        <float64_t> difference * <float64_t> difference * (1.0 - 1e-14)
        / (<float64_t> left * <float64_t> (scan.total - left))
    )
    return True


cdef inline int gain_of_wide_binary(const WideBinaryScan* scan, Gain* gain) except -1 nogil:
    squared_gain(scan.best_difference, scan.best_left_total, scan.total - scan.best_left_total, gain)
    gain[0] = wide_gain(scan.n_terms * gain.value, scan.total)


# Boxes, for two classes: while samples move left one after another, the left class weights stay in the box between the
# weights at the first and at the last sample. Gains are convex in these weights, so the corners of the box bound them.

ctypedef fused BoxedScan:
    WideBinaryScan
    WideScan


cdef inline bint has_boxes(const BoxedScan* scan) noexcept nogil:
    """Whether runs of samples are skipped in which no cut can be better than the best so far, if there is one."""
    if BoxedScan is WideBinaryScan:
        return scan.best_left_total > 0
    else:
        return scan.has_boxes and scan.has_best


cdef inline bint box_stays_below(const BoxedScan* scan, int64_t zeros, int64_t ones) noexcept nogil:
    """Whether all cuts up to the one that has moved these weights more gain less than the best."""
    cdef int64_t left_0, left_1
    if BoxedScan is WideBinaryScan:
        return _box_scores_below(
            scan.of_0, scan.of_1, scan.left_0, scan.left_1, <float64_t> zeros, <float64_t> ones, scan.to_beat
        )
    else:
        left_0, left_1 = scan.left_counts[0], scan.left_counts[1]
        return _box_scores_below(
            <float64_t> scan.total_counts[0], <float64_t> scan.total_counts[1], <float64_t> left_0, <float64_t> left_1,
            <float64_t> zeros, <float64_t> ones, scan.score_to_reach,
        ) or (
            _corner_of_entropies(scan, left_0, left_1) and _corner_of_entropies(scan, left_0 + zeros, left_1)
            and _corner_of_entropies(scan, left_0, left_1 + ones)
            and _corner_of_entropies(scan, left_0 + zeros, left_1 + ones)
        )


cdef inline bint _box_scores_below(
    float64_t of_0, float64_t of_1, float64_t left_0, float64_t left_1, float64_t zeros, float64_t ones,
    float64_t to_beat
) noexcept nogil:
    return (
        _scores_below(of_0, of_1, left_0, left_1, to_beat)
        and _scores_below(of_0, of_1, left_0 + zeros, left_1, to_beat)
        and _scores_below(of_0, of_1, left_0, left_1 + ones, to_beat)
        and _scores_below(of_0, of_1, left_0 + zeros, left_1 + ones, to_beat)
    )


cdef inline bint _scores_below(
    float64_t of_0, float64_t of_1, float64_t left_0, float64_t left_1, float64_t to_beat
) noexcept nogil:
    """Whether D**2 / (L R) is below a number."""
    cdef float64_t left = left_0 + left_1, product = left * (of_0 + of_1 - left)
    # D = left_1 right_0 - left_0 right_1 is wrong by 2**-52 of L R at most.
    cdef float64_t root = fabs(left_1 * (of_0 - left_0) - left_0 * (of_1 - left_1)) + product * 2.0**-51
    return root * root < to_beat * product


cdef inline bint _corner_of_entropies(const WideScan* scan, int64_t left_0, int64_t left_1) noexcept nogil:
    return gain_at(scan, left_0, left_1) < scan.to_reach - scan.margin


cdef inline float64_t gain_at(const WideScan* scan, int64_t left_0, int64_t left_1) noexcept nogil:
    """Return the gain of a cut by the entropies of two classes, by the table of logarithms."""
    cdef int64_t right_0 = scan.total_counts[0] - left_0, right_1 = scan.total_counts[1] - left_1
    return scan.node_impurity - (
        _term(scan, left_0 + left_1) - _term(scan, left_0) - _term(scan, left_1)
        + _term(scan, right_0 + right_1) - _term(scan, right_0) - _term(scan, right_1)
    ) / <float64_t> scan.total


cdef inline void move_box_left(BoxedScan* scan, int64_t zeros, int64_t ones) noexcept nogil:
    """Move the left child to the end of the box."""
    if BoxedScan is WideBinaryScan:
        scan.left_0 += <float64_t> zeros
        scan.left_1 += <float64_t> ones
    else:
        move_wide(scan, 0, zeros)
        move_wide(scan, 1, ones)


cdef inline void forget_best_wide(BoxedScan* scan) noexcept nogil:
    if BoxedScan is WideBinaryScan:
        scan.best_left_total = scan.best_difference = 0
        scan.to_beat = -1.0
    else:
        scan.has_best = False
        scan.to_reach = -INFINITY
        scan.score_to_reach = -1.0
