"""The scan of a node's cuts: one loop over sorted samples and one over bins, for all criteria on counts.

`scan.pxd` is the table of what the loops ask of a criterion; here are the names and parameters behind its codes, and
which structure belongs to a code.
"""

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, isnan

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport (
    MISSING_LEFT, MISSING_RIGHT, NONE, float64_t, index_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
)
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.gain cimport Gain, is_greater_gain
from pytrees._core.criteria.logarithms cimport doubled
from pytrees._core.criteria.ordinal_gini cimport ordinal_gini_kernel
from pytrees._core.criteria.ranking cimport ranking_kernel
from pytrees._core.criteria.weighted cimport move_weight_left
from pytrees._core.criteria.wig cimport WigBest, weigh_classes
from pytrees._core.rows.histogram cimport (
    MAX_BINS, FeatureBins, Histograms, Slot, count_missing_by_bin, feature_counts, n_classes_of, rows_in_bin,
)
from pytrees._core.rows.partition cimport RowPartition, entries_of, sort_by_value, threshold_between
from pytrees._core.sequence.scanner cimport COMPLEXITY, EFFORT
from pytrees._core.split.scanner cimport (
    CLASS_COUNTS, OWN_CLASS_COUNTS, OWN_SEQUENCES, SEQUENCES, Cuts, Ends, KnownEnds, NodeRows, Scanner, Split, allows,
    count_node, cuts_to_try, ends_of_cuts, entries_have_cut, first_place, has_way, is_tried, known_cuts_to_try,
    known_ends, label_of_place, last_cut, missing_of, tally_missing, tally_missing_bin, threshold_of,
)

from pytrees._core.criteria.counts import costs_of, given_of, n_log2_n, parameters_of

# Twice n log2 n of so many samples, in units of 2**-30 bit, is below 2**63.
MOST_DOUBLED = 2**27

CODES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "ogini": ORDINAL_GINI,
    "wig": WIG,
    "ranking": RANKING,
    "gain_ratio": GAIN_RATIO,
    "nvi": NVI,
    "nvi_sum": NVI_SUM,
    "nvi_max": NVI_MAX,
    "vi": VI,
    "jaccard": JACCARD,
    "accuracy": ACCURACY,
    "mae": MAE,
    "etc": ETC,
    "lz76": LZ76,
    "user_counts": USER_COUNTS,
    "user_sequence": USER_SEQUENCE,
}


# --------------------------------------------------------------------------------------- what follows from the name

def judges_sequence(criterion):
    """Whether the criterion sees the labels in the order of the samples, which then have no weights."""
    return judging_of(criterion) in (SEQUENCES, OWN_SEQUENCES)


def judging_of(criterion):
    """Return what the criterion judges, as a number of `Judging`."""
    special = {ETC: SEQUENCES, LZ76: SEQUENCES, USER_SEQUENCE: OWN_SEQUENCES, USER_COUNTS: OWN_CLASS_COUNTS}
    return special.get(code_of(criterion), CLASS_COUNTS)


def sequence_impurity_of(criterion):
    """Return what is the impurity of a label sequence, as a number of `SequenceImpurity`; criteria that do not judge
    label sequences by one have no use for it."""
    return COMPLEXITY if code_of(criterion) == LZ76 else EFFORT


def code_of(criterion):
    """Return the code of a criterion, which is a name, or a name and parameters."""
    name = criterion if isinstance(criterion, str) else criterion[0]
    if name not in CODES:
        raise ValueError(f"criterion must be one of {sorted(CODES)}, got {name!r}.")
    return CODES[name]


def is_exact(criterion, n_classes):
    """Whether gains of whole class counts are compared exactly."""
    costs = costs_of(criterion)
    numbers = costs if len(costs) > 0 else parameters_of(criterion, n_classes)[2]
    return code_of(criterion) != WIG and bool(np.all(numbers == np.floor(numbers)))


def has_bounds(criterion):
    """Whether there is a bound on what cuts inside a bin gain, so that features can be cut into bins."""
    return code_of(criterion) in (GINI, ENTROPY)


def weights_as_compared(criterion, n_classes, n_rows, weights):
    """Return the weights as the criterion compares them: of floating-point numbers where gains are compared with a
    tolerance, but for criteria that take whole counts all the same."""
    if is_exact(criterion, n_classes) or code_of(criterion) in (WIG, USER_COUNTS):
        return weights
    return np.ones(n_rows) if weights is None else weights.astype(np.float64)


def class_counts(criterion, n_classes, weights, n_rows):
    """Return room for the class counts of a node, and what the criterion takes from memory, as a ClassCounts."""
    name, alpha, scores, weighs_children = parameters_of(criterion, n_classes)
    cdef ClassCounts counts
    cdef int code = code_of(criterion)
    are_whole = weights is None or weights.dtype != np.float64
    total = n_rows if weights is None else weights.sum()
    kernel = np.zeros((1, 1), dtype=np.int64)
    if code == ORDINAL_GINI and are_whole:
        kernel = ordinal_gini_kernel(n_classes, int(total))
    elif code == RANKING and are_whole:
        kernel = ranking_kernel(scores, costs_of(criterion), int(total))
    form = information_form(code) if are_whole else NO_INFORMATION
    if doubled(form) > 1 and total >= MOST_DOUBLED:
        raise ValueError(f"criterion={name!r} counts at most {MOST_DOUBLED - 1} samples, got {total}.")
    table = n_log2_n(total if are_whole and (form != NO_INFORMATION or code == WIG) else 0)
    counts = ClassCounts(n_classes, code, n_rows, form, table, kernel, total, scores)
    counts.weighs_children = weighs_children
    counts.costs = costs_of(criterion)
    if code == WIG:
        weigh_classes(counts, scores.tolist(), alpha, given_of(criterion))
    return counts


# -------------------------------------------------------------------------------------------------- the best cut

cdef int find_cut(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose classes are counted first; best.feature is NONE without one."""
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
    if code < GINI or code > LAST_ON_COUNTS:
        return refuse_code(code)
    count_node(scanner, node)
    if scanner.float_weights.shape[0] > 0:
        _find_sorted(scanner, &weighted, node, best)
        # The definition of a criterion without one is not a number.
        if isnan(weighted.node_impurity):
            return refuse_code(code)
    elif code == ORDINAL_GINI:
        _find_sorted(scanner, &ordinal_gini, node, best)
    elif code == RANKING:
        _find_sorted(scanner, &ranking, node, best)
    elif takes_ratio(code):
        _find_sorted(scanner, &ratio, node, best)
    elif code == VI:
        _find_sorted(scanner, &variation, node, best)
    elif code == JACCARD:
        _find_sorted(scanner, &jaccard, node, best)
    elif code == ACCURACY or code == MAE:
        _find_sorted(scanner, &labelled, node, best)
    elif code == WIG:
        wig.best = &wig_best
        _find_sorted(scanner, &wig, node, best)
    elif code == ENTROPY:
        start_scan(&entropy, scanner.counts)
        _find(scanner, &entropy, node, best)
    elif code == GINI and scanner.counts.n_classes == 2:
        start_scan(&binary_gini, scanner.counts)
        _find(scanner, &binary_gini, node, best)
    elif code == GINI:
        start_scan(&gini, scanner.counts)
        _find(scanner, &gini, node, best)
    else:
        return refuse_code(code)
    return 0


cdef int _find(Scanner scanner, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    cdef BinCut cut
    if node.in_block:
        return _find_in_block(scanner, scan, node, best)
    _find_bin_cut(
        scan, scanner.histograms, scanner.counts, node.slot, node.start, node.stop, &scanner.drawn[0], scanner.n_drawn,
        scanner.min_samples_leaf, &cut,
    )
    if cut.feature != NONE:
        best.feature = cut.feature
        best.n_left = cut.n_left
        best.n_missing = count_missing_by_bin(scanner.histograms, node.slot, cut.feature)
        best.n_missing_left = best.n_missing if cut.missing_left else 0
        best.bin = cut.bin
        best.threshold = threshold_between(cut.below, cut.above)
        best_gain(scan, &best.gain)
    return 0


cdef inline int _find_sorted(Scanner scanner, CountScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    start_scan(scan, scanner.counts)
    return _find_in_block(scanner, scan, node, best)


cdef int _find_in_block(Scanner scanner, CountScan* scan, const NodeRows* node, Split* best) except -1 nogil:
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


cdef inline int _scan_features(
    Scanner scanner, CountScan* scan, const NodeRows* node, Split* best, const Entry* width
) except -1 nogil:
    cdef index_t k, feature, n_left, n_missing
    cdef bint missing_left = False
    cdef const Entry* entries
    cdef Gain gain
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        entries = entries_of(scanner.partition, node.block, feature, node.start, node.stop, width)
        n_missing = missing_of(scanner, node, feature, entries)
        if n_missing > 0:
            n_left = _scan_with_missing(scanner, scan, node, entries, n_missing, &missing_left)
        else:
            n_left = _scan_feature(scanner, scan, node, entries)
        if n_left == 0:
            continue
        if CountScan is WeightedScan or CountScan is WigScan:
            best_gain(scan, &gain)
            if best.feature != NONE and not is_greater_gain(&gain, &best.gain):
                continue
            best.gain = gain
        best.feature = feature
        best.last_left = place_of(entries[n_left - 1])
        best.first_right = place_of(entries[n_left])
        best.n_missing = n_missing
        best.n_missing_left = n_missing if missing_left else 0
        best.n_left = n_left + best.n_missing_left
        if is_perfect(scan):
            break
    return 0


cdef index_t _scan_feature(
    Scanner scanner, CountScan* scan, const NodeRows* node, const Entry* entries
) except -1 nogil:
    """Offer the cuts of a feature to try; return how many samples the last one kept sends left, 0 where none was
    kept."""
    cdef index_t n_left, n = node.stop - node.start, first = first_place(scanner, node)
    cdef bint is_weighted = scanner.count_weights.shape[0] > 0
    cdef Ends ends = ends_of_cuts(scanner, node, entries)
    cdef index_t stop = n - ends.right
    cdef Cuts cuts
    cdef CountScan local = scan[0]
    if not entries_have_cut(entries, n, ends):
        return 0
    cuts = cuts_to_try(entries, n, ends, scanner.max_candidates)
    start_feature(&local)
    if CountScan is WeightedScan:
        n_left = _scan_entries(scanner, &local, entries, ends.left, stop, first, False, True, &cuts)
    elif is_weighted or cuts.n_tried < cuts.n_allowed:
        n_left = _scan_entries(scanner, &local, entries, ends.left, stop, first, is_weighted, True, &cuts)
    else:
        # The usual case: with constants in place of the flags the loop has only what it needs.
        n_left = _scan_entries(scanner, &local, entries, ends.left, stop, first, False, False, &cuts)
    scan[0] = local
    return n_left


cdef inline index_t _scan_entries(
    Scanner scanner, CountScan* scan, const Entry* entries, index_t fewest_left, index_t stop, index_t first,
    bint is_weighted, bint asks_cuts, Cuts* cuts
) except -1 nogil:
    cdef index_t i, label, n_left = 0
    cdef const uint16_t* narrow_labels = NULL
    cdef const index_t* wide_labels = NULL
    cdef const int64_t* counts = &scanner.place_counts[first] if is_weighted else NULL
    cdef const float64_t* weights = NULL
    cdef Entry entry, next_entry = entries[0]
    if Entry is uint32_t:
        narrow_labels = &scanner.narrow_labels[first]
    else:
        wide_labels = &scanner.wide_labels[first]
    if CountScan is WeightedScan:
        weights = &scanner.place_weights[first]
    # The places of entries[:i + 1] have moved to the left, in this order.
    for i in range(stop):
        entry = next_entry
        next_entry = entries[i + 1]
        if Entry is uint32_t:
            label = narrow_labels[place_of(entry)]
        else:
            label = wide_labels[place_of(entry)]
        if CountScan is WeightedScan:
            move_weight_left(scan, label, weights[place_of(entry)])
        else:
            move_left(scan, label, counts[place_of(entry)] if is_weighted else 1)
        if key_of(entry) == key_of(next_entry) or i + 1 < fewest_left:
            continue
        if (not asks_cuts or is_tried(cuts)) and offer(scan):
            n_left = i + 1
    return n_left


cdef index_t _scan_with_missing(
    Scanner scanner, CountScan* scan, const NodeRows* node, const Entry* entries, index_t n_missing,
    bint* missing_left
) except -1 nogil:
    """Offer the cuts of a feature of which some values are missing: at every threshold to try with these on the right,
    then on the left, and last all known values left of them. Return how many known values the last cut kept sends left,
    0 where none was kept, and write whether it sends the missing left."""
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
        if allows(&ends, MISSING_LEFT, i) and offer_with_missing(&local, scanner.counts, &next_left):
            n_known_left, missing_left[0] = i, True
    scan[0] = local
    return n_known_left


# ------------------------------------------------------------------------------------------ cuts of samples in bins

# A cut behind n_left rows of a node, at the right edge of a bin or between two values inside it. Those that lack the
# feature's value are in the last bin, wherever they go.
cdef struct BinCut:
    index_t feature     # NONE where no cut is allowed
    index_t n_left
    index_t bin         # that the cut ends or lies in
    bint is_inside, missing_left
    float64_t below, above


cdef inline void _move_bin(BinnedScan* scan, const int32_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    if BinnedScan is BinaryGiniScan:
        move_left(scan, 0, counts[0])
        move_left(scan, 1, counts[1])
    else:
        for label in range(n_classes):
            if counts[label] > 0:
                move_left(scan, label, counts[label])


cdef inline int _find_bin_cut(
    BinnedScan* scan, Histograms histograms, ClassCounts counts, Slot* slot, index_t start, index_t stop,
    const index_t* features, index_t n_features, index_t min_samples_leaf, BinCut* cut
) except -1 nogil:
    """Find the best cut of the node's samples; of equal ones that of the lowest feature, then threshold, then with the
    missing on the right. Cuts inside a bin are tried where the bin's bound does not say that a cut between two bins is
    better."""
    cdef float64_t to_reach = -INFINITY
    cdef float64_t* scores = &histograms.edge_scores[0]
    cdef uint8_t is_marked[MAX_BINS]
    cdef index_t k, n_marked, n_missing
    for k in range(n_features):
        forget_best(scan)
        cut.feature = NONE
        n_missing = _take_missing(histograms, counts, slot, features[k])
        histograms.most_in_bin[k] = _scan_bins(
            scan, histograms, counts, slot, features[k], stop - start, n_missing, min_samples_leaf, NULL, cut
        )
        scores[k] = best_score_of(scan) if cut.feature != NONE else -INFINITY
        to_reach = max(to_reach, scores[k])
    # The scores carry less than 1e-15 of relative error.
    to_reach -= 1e-12 * fabs(to_reach) + tie_margin(scan)
    forget_best(scan)
    cut.feature = NONE
    for k in range(n_features):
        # Where all cuts between bins are allowed, those next to a bin bound the cuts inside it.
        if min_samples_leaf == 1 and -INFINITY < scores[k] < to_reach - highest_rise(scan, histograms.most_in_bin[k]):
            continue
        n_missing = _take_missing(histograms, counts, slot, features[k])
        n_marked = _mark_bins(
            scan, histograms, counts, slot, features[k], stop - start, n_missing, min_samples_leaf, to_reach, is_marked
        )
        if n_marked > 0:
            _sort_marked(histograms, features[k], start, stop, is_marked)
        if n_marked > 0 or scores[k] >= to_reach:
            _scan_bins(
                scan, histograms, counts, slot, features[k], stop - start, n_missing, min_samples_leaf,
                is_marked if n_marked > 0 else NULL, cut,
            )
        if is_perfect(scan):
            break
    if cut.feature != NONE and not cut.is_inside:
        _find_neighbours(histograms, start, stop, cut)
    return 0


cdef inline index_t _take_missing(
    Histograms histograms, ClassCounts counts, Slot* slot, index_t feature
) noexcept nogil:
    """Take over the classes of the node's samples that lack the value, and return how many there are."""
    cdef index_t n_missing = count_missing_by_bin(histograms, slot, feature)
    if n_missing > 0:
        tally_missing_bin(
            counts,
            feature_counts(histograms, slot, feature)
            + histograms.bins.of_feature[feature].missing_bin * <index_t> histograms.n_columns,
        )
    return n_missing


cdef inline index_t _mark_bins(
    BinnedScan* scan, Histograms histograms, ClassCounts node_counts, Slot* slot, index_t feature, index_t n_rows,
    index_t n_missing, index_t min_samples_leaf, float64_t to_reach, uint8_t* is_marked
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score, and return how many they are."""
    cdef FeatureBins* bins = &histograms.bins.of_feature[feature]
    cdef index_t n_classes = n_classes_of(histograms), n_columns = <index_t> histograms.n_columns
    cdef const int32_t* counts = feature_counts(histograms, slot, feature)
    cdef index_t bin, n_in_bin, label, n_left = 0, n_marked = 0
    cdef int64_t weight
    cdef BinnedScan local = scan[0]
    start_feature(&local)
    for bin in range(bins.n_bins):
        n_in_bin = rows_in_bin(counts, n_classes, n_columns)
        is_marked[bin] = bins.is_mixed[bin] and n_in_bin > 1
        if is_marked[bin]:
            weight = 0
            for label in range(n_classes):
                weight += counts[label]
            is_marked[bin] = (
                n_left + n_in_bin > min_samples_leaf and n_rows - n_left > min_samples_leaf
                and upper_bound(&local, counts, weight) >= to_reach
            )
            if n_missing > 0 and not is_marked[bin]:
                is_marked[bin] = (
                    n_left + n_missing + n_in_bin > min_samples_leaf
                    and n_rows - n_left - n_missing > min_samples_leaf
                    and _bound_with_missing(&local, node_counts, counts, weight) >= to_reach
                )
        n_marked += is_marked[bin]
        _move_bin(&local, counts, n_classes)
        n_left += n_in_bin
        counts += n_columns
    return n_marked


cdef inline float64_t _bound_with_missing(
    BinnedScan* scan, ClassCounts node_counts, const int32_t* counts, int64_t weight
) noexcept nogil:
    cdef float64_t bound
    move_missing(scan, node_counts, 1)
    bound = upper_bound(scan, counts, weight)
    move_missing(scan, node_counts, -1)
    return bound


cdef inline void _sort_marked(
    Histograms histograms, index_t feature, index_t start, index_t stop, const uint8_t* is_marked
) noexcept nogil:
    """Copy the node's samples in marked bins to the partition's spare rows, and their places there, sorted, to its
    pairs.
    """
    cdef index_t* marked_rows = &histograms.partition.spare_rows[0]
    cdef index_t i, row, n_marked = 0
    # marked_rows[:n_marked] are those met so far; n_marked <= i - start.
    for i in range(start, stop):
        row = histograms.partition.rows[i]
        marked_rows[n_marked] = row
        n_marked += is_marked[histograms.bins.codes[row, feature]]
    sort_by_value(
        histograms.partition.features, feature, marked_rows, n_marked, &histograms.partition.pairs[0],
        &histograms.partition.spare_pairs[0],
    )


cdef inline index_t _scan_bins(
    BinnedScan* scan, Histograms histograms, ClassCounts node_counts, Slot* slot, index_t feature, index_t n_rows,
    index_t n_missing, index_t min_samples_leaf, const uint8_t* is_marked, BinCut* cut
) except -1 nogil:
    """Offer the cuts between bins and, where bins are marked and their samples sorted, the cuts inside these. Return
    the greatest weight of a bin."""
    if n_missing > 0:
        return _scan_all_bins(
            scan, histograms, node_counts, slot, feature, n_rows, n_missing, min_samples_leaf, is_marked, cut, True
        )
    # With constants in place of the flag and of the number the loop has only what it needs.
    return _scan_all_bins(
        scan, histograms, node_counts, slot, feature, n_rows, 0, min_samples_leaf, is_marked, cut, False
    )


cdef inline index_t _scan_all_bins(
    BinnedScan* scan, Histograms histograms, ClassCounts node_counts, Slot* slot, index_t feature, index_t n_rows,
    index_t n_missing, index_t min_samples_leaf, const uint8_t* is_marked, BinCut* cut, bint has_missing
) except -1 nogil:
    cdef index_t n_classes = n_classes_of(histograms), n_columns = <index_t> histograms.n_columns
    cdef const int32_t* counts = feature_counts(histograms, slot, feature)
    cdef index_t bin, n_in_bin, n_left = 0, sorted_start = 0
    # The bin of missing values is the last.
    cdef index_t n_bins = histograms.bins.of_feature[feature].n_bins - has_missing
    cdef int64_t moved, most_in_bin = 0
    cdef BinnedScan local = scan[0]
    start_feature(&local)
    # The rows of all bins before this one are on the left, n_left in all; of these sorted_start are in marked bins.
    for bin in range(n_bins):
        n_in_bin = rows_in_bin(counts, n_classes, n_columns)
        if is_marked != NULL and is_marked[bin]:
            _scan_marked_bin(
                &local, histograms, histograms.partition, node_counts, feature, bin, sorted_start, n_in_bin, n_left,
                n_rows, n_missing, min_samples_leaf, cut, has_missing,
            )
            sorted_start += n_in_bin
        elif n_in_bin > 0:
            moved = local.left_total
            _move_bin(&local, counts, n_classes)
            most_in_bin = max(most_in_bin, local.left_total - moved)
        n_left += n_in_bin
        counts += n_columns
        if has_missing:
            if n_in_bin > 0 and _offer_both_ways(&local, node_counts, n_left, n_rows, n_missing, min_samples_leaf, cut):
                cut.feature = feature
                cut.bin = bin
                cut.is_inside = False
            continue
        if n_in_bin == 0 or n_left < min_samples_leaf or n_left > n_rows - min_samples_leaf:
            continue
        if offer(&local):
            cut.feature = feature
            cut.n_left = n_left
            cut.bin = bin
            cut.is_inside = False
            cut.missing_left = False
    scan[0] = local
    return <index_t> most_in_bin


cdef inline int _offer_both_ways(
    BinnedScan* scan, ClassCounts node_counts, index_t n_left, index_t n_rows, index_t n_missing,
    index_t min_samples_leaf, BinCut* cut
) except -1 nogil:
    """Offer the present cut with the samples that lack the value on the right, then on the left: 1 where one is kept.
    Write where these go, and how many go left with them."""
    cdef int64_t next_left = 0      # no criterion that has bins asks for it
    cdef int is_kept = 0
    if min_samples_leaf <= n_left <= n_rows - min_samples_leaf and offer(scan):
        cut.n_left, cut.missing_left, is_kept = n_left, False, 1
    n_left += n_missing
    if min_samples_leaf <= n_left <= n_rows - min_samples_leaf and offer_with_missing(scan, node_counts, &next_left):
        cut.n_left, cut.missing_left, is_kept = n_left, True, 1
    return is_kept


cdef inline int _scan_marked_bin(
    BinnedScan* scan, Histograms histograms, RowPartition partition, ClassCounts node_counts, index_t feature,
    index_t bin, index_t sorted_start, index_t n_in_bin, index_t n_left, index_t n_rows, index_t n_missing,
    index_t min_samples_leaf, BinCut* cut, bint has_missing
) except -1 nogil:
    """Move the bin's samples one by one, and offer the cuts between different values."""
    cdef const uint64_t* pairs = &partition.pairs[sorted_start]
    cdef index_t i, row, next_row
    cdef int64_t weight = 1
    cdef int is_kept
    for i in range(n_in_bin):
        row = partition.spare_rows[place_of(pairs[i])]
        if histograms.weights.shape[0] > 0:
            weight = histograms.weights[row]
        move_left(scan, histograms.labels[row], weight)
        n_left += 1
        if i + 1 == n_in_bin or key_of(pairs[i]) == key_of(pairs[i + 1]):
            continue
        if has_missing:
            is_kept = _offer_both_ways(scan, node_counts, n_left, n_rows, n_missing, min_samples_leaf, cut)
        else:
            is_kept = n_left >= min_samples_leaf and n_left <= n_rows - min_samples_leaf and offer(scan)
            if is_kept:
                cut.n_left, cut.missing_left = n_left, False
        if is_kept:
            next_row = partition.spare_rows[place_of(pairs[i + 1])]
            cut.feature = feature
            cut.bin = bin
            cut.is_inside = True
            cut.below = partition.X[row, feature]
            cut.above = partition.X[next_row, feature]
    return 0


cdef inline void _find_neighbours(Histograms histograms, index_t start, index_t stop, BinCut* cut) noexcept nogil:
    """Find the values next to a cut between two bins: the greatest on its left and the smallest on its right, which is
    NaN where all values on the right are missing."""
    cdef index_t i, row, code, next_bin = MAX_BINS
    cdef float64_t value
    cut.below = -INFINITY
    cut.above = INFINITY
    for i in range(start, stop):
        row = histograms.partition.rows[i]
        code = histograms.bins.codes[row, cut.feature]
        # Rows of other bins than the last on the left and the first on the right cannot be the nearest.
        if code == cut.bin:
            value = histograms.partition.X[row, cut.feature]
            cut.below = value if value > cut.below else cut.below
        elif cut.bin < code <= next_bin:
            value = histograms.partition.X[row, cut.feature]
            next_bin = code
            cut.above = value if value < cut.above else cut.above
    if cut.above == INFINITY:
        cut.above = NAN


# ------------------------------------------------------------------------------------------------------ from Python

def highest_score(criterion, const int64_t[::1] left, const int32_t[::1] counts, const int64_t[::1] right):
    """Bound the score of every cut inside a bin, given the class counts to its left, in it and to its right.

    The bin has two rows at least. The reference returns the highest score itself, which the bound is never below.

    Of all cuts of a node the best has the highest score, up to factors and terms that they share: for gini of two
    classes D**2 / (L R), for gini of more sum over classes of left_k**2 / L + right_k**2 / R, for entropy minus the
    children's entropies times their rows, in units of 2**-30 bit.
    """
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef int64_t[::1] totals = np.asarray(left) + np.asarray(counts) + np.asarray(right)
    cdef ClassCounts node = class_counts(criterion, totals.shape[0], None, np.sum(totals))
    node.total_counts[:] = totals
    if node.code == ENTROPY:
        return _bound_after(&entropy, node, left, counts)
    if totals.shape[0] == 2:
        return _bound_after(&binary_gini, node, left, counts)
    return _bound_after(&gini, node, left, counts)


cdef float64_t _bound_after(
    BinnedScan* scan, ClassCounts node, const int64_t[::1] left, const int32_t[::1] counts
):
    cdef index_t label
    cdef int64_t total = 0
    start_scan(scan, node)
    start_feature(scan)
    for label in range(<index_t> left.shape[0]):
        move_left(scan, label, left[label])
        total += counts[label]
    return upper_bound(scan, &counts[0], total)
