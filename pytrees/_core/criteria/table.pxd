"""The table of criteria on class counts: everything that depends on the criterion is asked here.

A criterion is a file of this folder. Its structure joins `CountScan`, and its functions join the dispatchers below;
`table.pyx` has its name, and `scans.pxi` chooses its structure. A criterion gives three things: what is cumulated while
samples move from the right child to the left (`start_scan`, `start_feature`, `move_left`), the exact comparison
(`offer`), and the gain. Bounds and scores in vectors are extras, for accelerators: `fast/bounds.pxd` and
`fast/score_table.pxd`. The loops over cuts are written once for all criteria, in `split`; they hold the structures in
registers, and the arrays of the structures belong to a ClassCounts. These loops start a feature by `start_cuts` and
offer every cut by `offer_cut`, where a condition on the children's class counts stands. Splits by category have
`category_table.pxd`, codes `codes.pxd`, impurities `impurity_table.pxd`.
"""

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport MISSING_LEFT, MISSING_RIGHT, index_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.absolute_error cimport (
    AbsoluteErrorScan, error_of_counts, gain_of_absolute_error, offer_absolute_error, start_absolute_error, sum_errors,
)
from pytrees._core.criteria.codes cimport ABSOLUTE_ERROR, GINI, MAE
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums, add_target, sum_of_counts, sum_of_squares
from pytrees._core.criteria.entropy cimport (
    EntropyScan, forget_best_entropy, gain_of_entropy, is_perfect_entropy, offer_entropy, start_entropy,
)
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.gini cimport (
    AnyGiniScan, BinaryGiniScan, GiniScan, OrdinalGiniScan, forget_best_gini, gain_of_gini, is_perfect_gini, offer_gini,
    start_binary_gini,
)
from pytrees._core.criteria.jaccard cimport (
    JaccardScan, gain_of_jaccard, is_perfect_jaccard, offer_jaccard, start_jaccard,
)
from pytrees._core.criteria.labelled cimport (
    LabelledScan, gain_of_labelled, is_perfect_labelled, offer_labelled, start_labelled,
)
from pytrees._core.criteria.ordinal_gini cimport (
    is_perfect_ordinal_gini, move_ordinal_gini, start_ordinal_gini, start_ordinal_gini_feature,
)
from pytrees._core.criteria.ranking cimport (
    AnyRankingScan, BinaryRankingScan, RankingScan, forget_best_ranking, gain_of_ranking, is_perfect_ranking,
    move_ranking, offer_ranking, start_binary_ranking, start_ranking, start_ranking_feature,
)
from pytrees._core.criteria.ratios cimport RatioScan, gain_of_ratio, is_perfect_ratio, offer_ratio, start_ratio
from pytrees._core.criteria.squared_error cimport (
    AnySquaredErrorScan, SquaredErrorScan, WideSquaredErrorScan, forget_best_squared_error, gain_of_squared_error,
    move_weighted_left, offer_squared_error, start_squared_error,
)
from pytrees._core.criteria.wide cimport (
    BoxedScan, WideBinaryScan, WideScan, forget_best_wide, gain_of_best, gain_of_wide_binary, move_wide,
    move_wide_binary, offer_wide, offer_wide_binary, start_wide, start_wide_binary, start_wide_feature,
)
from pytrees._core.criteria.wig cimport (
    WigScan, gain_of_wig, move_wig, offer_wig, start_wig, start_wig_feature, undo_moves,
)


ctypedef fused CountScan:
    BinaryGiniScan
    GiniScan
    EntropyScan
    OrdinalGiniScan
    BinaryRankingScan
    SquaredErrorScan
    WideBinaryScan
    WideScan
    RankingScan
    RatioScan
    LabelledScan
    JaccardScan
    WigScan
    WideSquaredErrorScan
    AbsoluteErrorScan


# Criteria that keep the left child's class counts in the same way.
ctypedef fused CountedScan:
    GiniScan
    OrdinalGiniScan
    EntropyScan
    RatioScan
    LabelledScan
    JaccardScan
    WigScan


ctypedef fused MatchingScan:
    LabelledScan
    JaccardScan


# Criteria that do not look for a cut that no other can beat.
ctypedef fused PatientScan:
    WigScan
    WideBinaryScan
    WideScan
    SquaredErrorScan
    WideSquaredErrorScan
    AbsoluteErrorScan


# Criteria whose classes are targets, numbers on a grid.
ctypedef fused TargetScan:
    SquaredErrorScan
    WideSquaredErrorScan
    AbsoluteErrorScan


# ------------------------------------------------------------------------------------------------ cuts of a node

cdef inline void start_scan(CountScan* scan, ClassCounts counts) noexcept nogil:
    """Start the scan of a node whose classes are counted."""
    if CountScan in CountedScan:
        _start_counts(scan, counts)
    if CountScan is BinaryGiniScan:
        start_binary_gini(scan, counts, 2 if counts.code == GINI else 1)
    elif CountScan is GiniScan:
        scan.total_squares = sum_of_squares(&counts.total_counts[0], counts.n_classes)
    elif CountScan is EntropyScan:
        start_entropy(scan, counts)
    elif CountScan is OrdinalGiniScan:
        start_ordinal_gini(scan, counts)
    elif CountScan is RankingScan:
        start_ranking(scan, counts)
    elif CountScan is BinaryRankingScan:
        start_binary_ranking(scan, counts)
    elif CountScan is RatioScan:
        start_ratio(scan, counts)
    elif CountScan is LabelledScan:
        start_labelled(scan, counts.code == MAE)
    elif CountScan is JaccardScan:
        start_jaccard(scan)
    elif CountScan is WigScan:
        start_wig(scan, counts)
    elif CountScan in AnySquaredErrorScan:
        start_squared_error(scan, counts)
    elif CountScan is AbsoluteErrorScan:
        start_absolute_error(scan, counts.errors, counts.targets)
    elif CountScan is WideBinaryScan:
        start_wide_binary(scan, counts, 2.0 if counts.code == GINI else 1.0)
    else:
        start_wide(scan, counts)
    if CountScan in AnyGiniScan:
        forget_best_gini(scan)


cdef inline void _start_counts(CountedScan* scan, ClassCounts counts) noexcept nogil:
    scan.n_classes = counts.n_classes
    scan.total_counts = &counts.total_counts[0]
    scan.left_counts = &counts.left_counts[0]
    scan.total = sum_of_counts(&counts.total_counts[0], counts.n_classes)


cdef inline void forget_best(CountScan* scan) noexcept nogil:
    """Forget the best cut so far; criteria without scores and bounds are not asked to."""
    if CountScan is EntropyScan:
        forget_best_entropy(scan)
    elif CountScan in AnyRankingScan:
        forget_best_ranking(scan)
    elif CountScan is SquaredErrorScan:
        forget_best_squared_error(scan)
    elif CountScan in BoxedScan:
        forget_best_wide(scan)
    elif CountScan in AnyGiniScan:
        forget_best_gini(scan)


cdef inline void start_feature(CountScan* scan) noexcept nogil:
    """Put all samples into the right child. The best cut so far stays, except if gains are compared with a tolerance:
    then each feature has a best cut of its own."""
    cdef index_t label
    if CountScan is BinaryGiniScan:
        scan.left_total = scan.difference = 0
    elif CountScan is OrdinalGiniScan:
        start_ordinal_gini_feature(scan)
    elif CountScan is RankingScan:
        start_ranking_feature(scan)
    elif CountScan is BinaryRankingScan:
        scan.left_total = scan.left_counts[0] = scan.left_counts[1] = 0
    elif CountScan is WigScan:
        start_wig_feature(scan)
    elif CountScan in AnySquaredErrorScan:
        scan.left_total = scan.left_sum = 0
    elif CountScan is AbsoluteErrorScan:
        scan.n_left = 0
    elif CountScan is WideBinaryScan:
        scan.left_0 = scan.left_1 = 0.0
    elif CountScan is WideScan:
        start_wide_feature(scan)
    else:
        scan.left_total = 0
        for label in range(scan.n_classes):
            scan.left_counts[label] = 0
        if CountScan is GiniScan:
            scan.left_squares = 0
            scan.right_squares = scan.total_squares
        elif CountScan in MatchingScan:
            scan.next_left = scan.next_with_missing = 0
            if CountScan is LabelledScan:
                scan.left_error = 0
        else:
            scan.left_sum = 0
            scan.right_sum = scan.total_sum


cdef inline void move_target_left(TargetScan* scan, int64_t target, int64_t weight) noexcept nogil:
    """Move a sample of this target and weight to the left child."""
    if TargetScan in AnySquaredErrorScan:
        move_weighted_left(scan, weight, <int128_t> weight * target, 1)
    else:
        scan.n_left += 1        # by this number `prepare_cuts` has computed the errors


cdef inline void move_left(CountScan* scan, index_t label, int64_t weight) noexcept nogil:
    """Move `weight` samples of class `label` to the left child."""
    cdef int64_t left, right
    if CountScan is BinaryGiniScan:
        scan.left_total += weight
        scan.difference += weight * scan.steps[label]
    elif CountScan is OrdinalGiniScan:
        move_ordinal_gini(scan, label, weight)
    elif CountScan is RankingScan:
        move_ranking(scan, label, weight)
    elif CountScan is BinaryRankingScan:
        scan.left_total += weight
        scan.left_counts[label] += weight
    elif CountScan is WigScan:
        move_wig(scan, label, weight)
    elif CountScan in TargetScan:
        move_target_left(scan, scan.targets[label], weight)
    elif CountScan is WideBinaryScan:
        move_wide_binary(scan, label, weight)
    elif CountScan is WideScan:
        move_wide(scan, label, weight)
    else:
        left = scan.left_counts[label]
        right = scan.total_counts[label] - left
        scan.left_total += weight
        scan.left_counts[label] = left + weight
        if CountScan is GiniScan:
            scan.left_squares += weight * (2 * left + weight)
            scan.right_squares -= weight * (2 * right - weight)
        elif CountScan is LabelledScan:
            scan.left_error += weight * (label - scan.first)
        elif CountScan is not JaccardScan:
            scan.left_sum += scan.table[left + weight] - scan.table[left]
            scan.right_sum += scan.table[right - weight] - scan.table[right]


cdef inline int offer(CountScan* scan) except -1 nogil:
    """Keep the present cut if it beats the best so far."""
    if CountScan in AnyGiniScan:
        return offer_gini(scan)
    elif CountScan is EntropyScan:
        return offer_entropy(scan)
    elif CountScan in AnyRankingScan:
        return offer_ranking(scan)
    elif CountScan is RatioScan:
        return offer_ratio(scan)
    elif CountScan is LabelledScan:
        return offer_labelled(scan)
    elif CountScan is JaccardScan:
        return offer_jaccard(scan)
    elif CountScan is WigScan:
        return offer_wig(scan)
    elif CountScan in AnySquaredErrorScan:
        return offer_squared_error(scan)
    elif CountScan is AbsoluteErrorScan:
        return offer_absolute_error(scan)
    elif CountScan is WideBinaryScan:
        return offer_wide_binary(scan)
    else:
        return offer_wide(scan)


cdef inline int best_gain(CountScan* scan, Gain* gain) except -1 nogil:
    if CountScan in AnyGiniScan:
        gain[0] = gain_of_gini(scan)
    elif CountScan is EntropyScan:
        gain_of_entropy(scan, gain)
    elif CountScan in AnyRankingScan:
        gain[0] = gain_of_ranking(scan)
    elif CountScan is RatioScan:
        gain[0] = gain_of_ratio(scan)
    elif CountScan is LabelledScan:
        gain[0] = gain_of_labelled(scan)
    elif CountScan is JaccardScan:
        gain[0] = gain_of_jaccard(scan)
    elif CountScan is WigScan:
        gain[0] = gain_of_wig(scan)
    elif CountScan in AnySquaredErrorScan:
        gain_of_squared_error(scan, gain)
    elif CountScan is AbsoluteErrorScan:
        gain[0] = gain_of_absolute_error(scan)
    elif CountScan is WideBinaryScan:
        gain_of_wide_binary(scan, gain)
    else:
        gain_of_best(scan, gain)


cdef inline bint write_left_of_best(const CountScan* scan, int64_t* counts) noexcept nogil:
    """Write the class counts of the left child of the best cut so far if it is kept by two numbers; otherwise False."""
    if CountScan is BinaryGiniScan:
        counts[1] = (scan.best_difference - scan.best_left_total * scan.steps[0]) // scan.total
        counts[0] = scan.best_left_total - counts[1]
    return CountScan is BinaryGiniScan


cdef inline bint is_perfect(CountScan* scan) noexcept nogil:
    """Whether the best cut leaves one class in each child, so that no other cut can be better."""
    if CountScan in PatientScan:
        return False
    elif CountScan is OrdinalGiniScan:
        return is_perfect_ordinal_gini(scan)
    elif CountScan in AnyGiniScan:
        return is_perfect_gini(scan)
    elif CountScan is EntropyScan:
        return is_perfect_entropy(scan)
    elif CountScan in AnyRankingScan:
        return is_perfect_ranking(scan)
    elif CountScan is RatioScan:
        return is_perfect_ratio(scan)
    elif CountScan is LabelledScan:
        return is_perfect_labelled(scan)
    else:
        return is_perfect_jaccard(scan)


cdef inline bint compares_with_tolerance(const CountScan* scan) noexcept nogil:
    return CountScan is WigScan


# ------------------------------------------------------------------------------------------ what a source offers

cdef inline void start_cuts(CountScan* scan, ClassCounts counts, index_t feature) noexcept nogil:
    """Start to offer the cuts of a feature: all samples are in the right child."""
    counts.feature = feature
    counts.forbids_cuts = False
    start_feature(scan)


cdef inline void prepare_cuts(
    const CountScan* scan, ClassCounts counts, const Entry* entries, index_t n_missing
) noexcept nogil:
    """Let a criterion that needs them see all sorted entries of a feature before its cuts are offered; the last
    n_missing lack the value."""
    if CountScan is AbsoluteErrorScan:
        sum_errors(counts.errors, entries, n_missing)


cdef inline int offer_cut(CountScan* scan, ClassCounts counts, bint missing_left) except -1 nogil:
    """Keep the present cut if it beats the best so far, and return whether it does. With `missing_left`, the samples
    that lack the feature's value are in the left child for this one comparison.

    Every source offers every cut here, so that a condition on the children's class counts stands in one place: before
    `offer`. A condition that forbids a cut sets `counts.forbids_cuts`.
    """
    cdef CountScan before
    cdef int is_kept
    if not missing_left:
        return offer(scan)
    _add_missing(scan, counts, &before)
    is_kept = offer(scan)
    _take_missing_away(scan, counts, &before)
    return is_kept


cdef inline void move_missing(CountScan* scan, ClassCounts counts, int64_t sign) noexcept nogil:
    """Move the samples that lack the feature's value to the left child or, with the sign -1, back: sums of whole
    numbers return to their values."""
    cdef index_t k, label
    if CountScan in AnySquaredErrorScan:
        move_weighted_left(scan, counts.missing_sums.weight, counts.missing_sums.sum, sign)
    elif CountScan is AbsoluteErrorScan:
        scan.missing = MISSING_LEFT if sign > 0 else MISSING_RIGHT
    else:
        for k in range(counts.n_missing_classes):
            label = counts.missing_classes[k]
            move_left(scan, label, sign * counts.missing_counts[label])


cdef inline void _add_missing(CountScan* scan, ClassCounts counts, CountScan* before) noexcept nogil:
    """Move the samples that lack the feature's value to the left child for one comparison. Keep in `before` what does
    not return to its value as they move back."""
    if CountScan is WideScan:
        before.left_sum, before.right_sum = scan.left_sum, scan.right_sum
    elif CountScan is WigScan:
        before[0] = scan[0]
    elif CountScan in MatchingScan:
        scan.next_left, scan.next_with_missing = scan.next_with_missing, scan.next_left
    move_missing(scan, counts, 1)


cdef inline void _take_missing_away(CountScan* scan, ClassCounts counts, const CountScan* before) noexcept nogil:
    """Move these samples back. A cut that has been kept stays."""
    cdef index_t label
    if CountScan is WigScan:
        # Modes are found anew as samples move to the left, but not as samples move back.
        for label in range(scan.n_classes):
            scan.left_counts[label] -= counts.missing_counts[label]
        undo_moves(scan, before)
    else:
        move_missing(scan, counts, -1)
        if CountScan is WideScan:
            # Rounded sums do not return to their values.
            scan.left_sum, scan.right_sum = before.left_sum, before.right_sum
        elif CountScan in MatchingScan:
            scan.next_left, scan.next_with_missing = scan.next_with_missing, scan.next_left


# --------------------------------------------------------------------------------- class counts of given nodes and cuts

cdef inline void sum_counted_targets(ClassCounts node) noexcept nogil:
    """Sum the targets of a node whose classes are counted, if classes are numbers."""
    cdef index_t label
    node.sums = TargetSums(0, 0, 0)
    for label in range(<index_t> node.targets.shape[0]):
        add_target(&node.sums, node.targets[label], node.total_counts[label])
    if node.code == ABSOLUTE_ERROR:
        node.sums.spread = error_of_counts(node.targets, &node.total_counts[0])


cdef inline bint judge_counts(
    CountScan* scan, ClassCounts node, const int64_t* left, const int64_t* right, Gain* gain
) noexcept nogil:
    """Write the gain of a cut of these class counts if it does not follow from samples that move; otherwise False."""
    if CountScan is AbsoluteErrorScan:
        scan.total, scan.node_error = node.sums.weight, node.sums.spread
        scan.best_error = error_of_counts(node.targets, left) + error_of_counts(node.targets, right)
        gain[0] = gain_of_absolute_error(scan)
    return CountScan is AbsoluteErrorScan
