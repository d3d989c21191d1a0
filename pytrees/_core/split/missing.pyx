"""Cuts of features of which a node's samples lack some values: with these on the right and on the left.

The loops of `scan` know nothing of missing values but for the bin that they are in. What offers a cut twice stands
here, in a module of its own, so that it takes nothing of the registers and of the inlining of those loops.
"""

from libc.math cimport INFINITY, isnan

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport (
    MISSING_LEFT, MISSING_RIGHT, NONE, float64_t, index_t, int32_t, int64_t, uint32_t, uint64_t,
)
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.gain cimport Gain, is_greater_gain
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan
from pytrees._core.criteria.jaccard cimport JaccardScan
from pytrees._core.criteria.labelled cimport LabelledScan
from pytrees._core.criteria.ordinal_gini cimport OrdinalGiniScan
from pytrees._core.criteria.ranking cimport RankingScan
from pytrees._core.criteria.ratios cimport RatioScan
from pytrees._core.criteria.variation cimport VariationScan
from pytrees._core.criteria.weighted cimport WeightedScan, move_weight_left
from pytrees._core.criteria.wig cimport WigBest, WigScan, offer_wig, undo_moves
from pytrees._core.rows.partition cimport entries_of
from pytrees._core.split.scanner cimport (
    Cuts, KnownEnds, NodeRows, Scanner, Split, allows, first_place, has_way, is_tried, known_cuts_to_try, known_ends,
    label_of_place, last_cut, missing_of, tally_missing, threshold_of,
)
from pytrees._core.split.table cimport (
    ACCURACY, ENTROPY, GINI, JACCARD, MAE, ORDINAL_GINI, RANKING, VI, WIG, BinnedScan, CountScan, MatchingScan,
    WholeScan, best_gain, is_binary_gini, is_perfect, move_left, offer, offer_weighted, refuse_code, start_feature,
    start_scan, takes_ratio, upper_bound,
)


cdef int find_cut_with_missing(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, which are in a block, and whose classes are counted."""
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef OrdinalGiniScan ordinal_gini
    cdef RankingScan ranking
    cdef RatioScan ratio
    cdef VariationScan variation
    cdef JaccardScan jaccard
    cdef LabelledScan labelled
    cdef WigScan wig
    cdef WigBest wig_best
    cdef WeightedScan weighted
    cdef int code = scanner.counts.code
    if scanner.float_weights.shape[0] > 0:
        _find(scanner, &weighted, node, best)
        # The definition of a criterion without one is not a number.
        return refuse_code(code) if isnan(weighted.node_impurity) else 0
    if is_binary_gini(code, scanner.counts.n_classes):
        return _find(scanner, &binary_gini, node, best)
    if code == GINI:
        return _find(scanner, &gini, node, best)
    if code == ENTROPY:
        return _find(scanner, &entropy, node, best)
    if code == ORDINAL_GINI:
        return _find(scanner, &ordinal_gini, node, best)
    if code == RANKING:
        return _find(scanner, &ranking, node, best)
    if takes_ratio(code):
        return _find(scanner, &ratio, node, best)
    if code == VI:
        return _find(scanner, &variation, node, best)
    if code == JACCARD:
        return _find(scanner, &jaccard, node, best)
    if code == ACCURACY or code == MAE:
        return _find(scanner, &labelled, node, best)
    if code == WIG:
        wig.best = &wig_best
        return _find(scanner, &wig, node, best)
    return refuse_code(code)


cdef int _find(Scanner scanner, CountScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    start_scan(scan, scanner.counts)
    if scanner.partition.is_wide:
        _scan_features(scanner, scan, node, best, <const uint64_t*> NULL)
    else:
        _scan_features(scanner, scan, node, best, <const uint32_t*> NULL)
    if best.feature == NONE:
        return 0
    if CountScan is not WeightedScan and CountScan is not WigScan:
        best_gain(scan, &best.gain)
    best.threshold = threshold_of(scanner, node, best)
    return 0


cdef int _scan_features(
    Scanner scanner, CountScan* scan, const NodeRows* node, Split* best, const Entry* width
) except -1 nogil:
    cdef index_t k, feature, n_missing, n_known_left
    cdef bint missing_left = False
    cdef const Entry* entries
    cdef Gain gain
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        entries = entries_of(scanner.partition, node.block, feature, node.start, node.stop, width)
        n_missing = missing_of(scanner, node, feature, entries)
        n_known_left = _scan_feature(scanner, scan, node, entries, n_missing, &missing_left)
        if n_known_left == 0:
            continue
        if CountScan is WeightedScan or CountScan is WigScan:
            best_gain(scan, &gain)
            if best.feature != NONE and not is_greater_gain(&gain, &best.gain):
                continue
            best.gain = gain
        best.feature = feature
        best.last_left = place_of(entries[n_known_left - 1])
        best.first_right = place_of(entries[n_known_left])
        best.n_missing = n_missing
        best.n_missing_left = n_missing if missing_left else 0
        best.n_left = n_known_left + best.n_missing_left
        if is_perfect(scan):
            break
    return 0


cdef index_t _scan_feature(
    Scanner scanner, CountScan* scan, const NodeRows* node, const Entry* entries, index_t n_missing,
    bint* missing_left
) except -1 nogil:
    """Offer the cuts of a feature: at every threshold to try with missing values on the right, then on the left, and
    last all known values left of them. Return how many known values the last cut kept sends left, 0 where none was
    kept, and write whether it sends the missing left."""
    cdef index_t i, place, label, n_known_left = 0
    cdef int64_t next_left = 0
    cdef KnownEnds ends = known_ends(scanner, node, entries, n_missing)
    cdef Cuts cuts = known_cuts_to_try(entries, &ends, scanner.max_candidates)
    cdef CountScan local = scan[0]
    tally_missing(scanner, node, entries, n_missing)
    start_feature(&local)
    missing_left[0] = False
    # The places of entries[:i] have moved to the left, in this order.
    for i in range(1, last_cut(&ends) + 1):
        place = first_place(scanner, node) + <index_t> place_of(entries[i - 1])
        label = label_of_place(scanner, place, entries)
        if CountScan is WeightedScan:
            move_weight_left(&local, label, scanner.place_weights[place])
        else:
            move_left(&local, label, scanner.place_counts[place] if scanner.count_weights.shape[0] > 0 else 1)
        if key_of(entries[i - 1]) == key_of(entries[i]) or not has_way(&ends, i) or not is_tried(&cuts):
            continue
        if allows(&ends, MISSING_RIGHT, i) and offer(&local):
            n_known_left, missing_left[0] = i, False
        if allows(&ends, MISSING_LEFT, i) and _offer_with_missing(&local, scanner.counts, &next_left):
            n_known_left, missing_left[0] = i, True
    scan[0] = local
    return n_known_left


cdef int offer_both_ways(
    BinnedScan* scan, ClassCounts node_counts, index_t n_left, index_t n_rows, index_t n_missing,
    index_t min_samples_leaf, index_t* kept_left, bint* missing_left
) except -1 nogil:
    """Offer the present cut with the samples that lack the value on the right, then on the left: 1 where one is kept.
    Write where these go, and how many go left with them."""
    cdef int64_t next_left = 0      # no criterion that has bins asks for it
    cdef int is_kept = 0
    if min_samples_leaf <= n_left <= n_rows - min_samples_leaf and offer(scan):
        kept_left[0], missing_left[0], is_kept = n_left, False, 1
    n_left += n_missing
    if min_samples_leaf <= n_left <= n_rows - min_samples_leaf and _offer_with_missing(scan, node_counts, &next_left):
        kept_left[0], missing_left[0], is_kept = n_left, True, 1
    return is_kept


cdef float64_t bound_with_missing(
    BinnedScan* scan, ClassCounts node_counts, const int32_t* counts
) noexcept nogil:
    """Bound the score of every cut inside a bin of these class counts, whose left edge is the present cut, with the
    samples that lack the value on the left."""
    cdef float64_t bound
    cdef index_t label
    cdef int64_t weight = 0
    for label in range(node_counts.n_classes):
        weight += counts[label]
    _move_missing(scan, node_counts, 1)
    bound = upper_bound(scan, counts, weight)
    _move_missing(scan, node_counts, -1)
    return bound


# ------------------------------------------------------------------------------------------- to the left, and back

cdef void _move_missing(WholeScan* scan, ClassCounts counts, int64_t sign) noexcept nogil:
    """Move the samples that lack the feature's value to the left child, or with the sign -1 back: sums of whole numbers
    come back to what they were."""
    cdef index_t k, label
    for k in range(counts.n_missing_classes):
        label = counts.missing_classes[k]
        move_left(scan, label, sign * counts.missing_counts[label])


cdef int _offer_with_missing(CountScan* scan, ClassCounts counts, int64_t* next_left) except -1 nogil:
    """Offer the present cut with the samples that lack the feature's value in the left child, and put these back.

    `next_left` is that of such cuts, for criteria that pass over cuts by the samples on the left.
    """
    cdef int is_kept
    if CountScan is WeightedScan:
        return _offer_weighted_with_missing(scan, counts)
    elif CountScan is WigScan:
        return _offer_wig_with_missing(scan, counts)
    else:
        if CountScan in MatchingScan:
            scan.next_left, next_left[0] = next_left[0], scan.next_left
        _move_missing(scan, counts, 1)
        is_kept = offer(scan)
        _move_missing(scan, counts, -1)
        if CountScan in MatchingScan:
            scan.next_left, next_left[0] = next_left[0], scan.next_left
        return is_kept


cdef bint _offer_wig_with_missing(WigScan* scan, ClassCounts counts) noexcept nogil:
    """Modes are found anew as samples move left, but not back."""
    cdef WigScan before = scan[0]
    cdef index_t label
    cdef bint is_kept
    _move_missing(scan, counts, 1)
    is_kept = offer_wig(scan)
    for label in range(scan.n_classes):
        scan.left_counts[label] -= counts.missing_counts[label]
    undo_moves(scan, &before)
    return is_kept


cdef bint _offer_weighted_with_missing(WeightedScan* scan, ClassCounts counts) noexcept nogil:
    """Compute the gain in any case: the sums that tell other cuts stay where they are, as sums that round would not
    come back to what they were."""
    cdef float64_t left_total = scan.left_total, margin = scan.margin
    cdef index_t label
    cdef bint is_kept
    for label in range(scan.n_classes):
        counts.known_weights[label] = scan.left_counts[label]
        scan.left_counts[label] += counts.missing_weights[label]
    scan.left_total += counts.missing_weight
    scan.margin = INFINITY
    is_kept = offer_weighted(scan)
    for label in range(scan.n_classes):
        scan.left_counts[label] = counts.known_weights[label]
    scan.left_total, scan.margin = left_total, margin
    return is_kept
