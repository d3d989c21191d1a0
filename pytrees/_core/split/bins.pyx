"""The scan of a node's cuts where its samples are in bins.

It takes a criterion that has a bound on what cuts inside a bin gain. Samples that lack a feature's value are in its
last bin.
"""

from libc.math cimport INFINITY, NAN, fabs

from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int32_t, int64_t, uint8_t, uint64_t
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.rows.histogram cimport (
    MAX_BINS, FeatureBins, Histograms, Slot, count_missing_by_bin, feature_counts, n_classes_of, rows_in_bin,
)
from pytrees._core.rows.partition cimport RowPartition, sort_by_value, threshold_between
from pytrees._core.split.missing cimport bound_with_missing, offer_both_ways
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split, tally_missing_bin
from pytrees._core.split.table cimport (
    BinnedScan, best_gain, best_score_of, forget_best, highest_rise, is_perfect, move_bin_left, move_left, offer,
    start_feature, tie_margin, upper_bound,
)


# A cut behind n_left rows of a node, at the right edge of a bin or between two values inside it. Those that lack the
# feature's value are in the last bin, wherever they go.
cdef struct BinCut:
    index_t feature     # NONE where no cut is allowed
    index_t n_left
    index_t bin         # that the cut ends or lies in
    bint is_inside, missing_left
    float64_t below, above


cdef int find_bin_cut(Scanner scanner, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started."""
    cdef BinCut cut
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


cdef inline int _find_bin_cut(
    BinnedScan* scan, Histograms histograms, ClassCounts counts, Slot* slot, index_t start, index_t stop,
    const index_t* features, index_t n_features, index_t min_samples_leaf, BinCut* cut
) except -1 nogil:
    """Find the best cut of the node's samples; of equal ones that of the lowest feature, then threshold, then with the
    missing on the right. Cuts inside a bin are tried where the bin's bound does not say that a cut between two bins is
    better."""
    cdef float64_t to_reach = -INFINITY
    cdef float64_t* scores = &histograms.edge_scores[0]
    cdef index_t k, n_missing, n_rows = stop - start
    cdef bint tells_values
    for k in range(n_features):
        forget_best(scan)
        cut.feature = NONE
        n_missing = _take_missing(histograms, counts, slot, features[k])
        if n_missing > 0:
            histograms.most_in_bin[k] = _scan_bins_and_missing(
                scan, histograms, counts, slot, features[k], n_rows, n_missing, min_samples_leaf, NULL, cut
            )
        else:
            histograms.most_in_bin[k] = _scan_bins(
                scan, histograms, counts, slot, features[k], n_rows, 0, min_samples_leaf, NULL, cut, False
            )
        scores[k] = best_score_of(scan) if cut.feature != NONE else -INFINITY
        to_reach = max(to_reach, scores[k])
    # The scores carry less than 1e-15 of relative error.
    to_reach -= 1e-12 * fabs(to_reach) + tie_margin(scan)
    forget_best(scan)
    cut.feature = NONE
    for k in range(n_features):
        tells_values = histograms.partition.features.n_values[features[k]] > 0
        if tells_values and scores[k] < to_reach:
            continue
        # Where all cuts between bins are allowed, those next to a bin bound the cuts inside it.
        if min_samples_leaf == 1 and -INFINITY < scores[k] < to_reach - highest_rise(scan, histograms.most_in_bin[k]):
            continue
        _offer_cuts(
            scan, histograms, counts, slot, features[k], start, stop, min_samples_leaf, to_reach,
            scores[k] >= to_reach, tells_values, cut,
        )
        if is_perfect(scan):
            break
    if cut.feature != NONE and not cut.is_inside:
        _find_neighbours(histograms, start, stop, cut)
    return 0


cdef inline int _offer_cuts(
    BinnedScan* scan, Histograms histograms, ClassCounts counts, Slot* slot, index_t feature, index_t start,
    index_t stop, index_t min_samples_leaf, float64_t to_reach, bint edge_reaches, bint tells_values, BinCut* cut
) except -1 nogil:
    """Offer the cuts of a feature: those inside bins whose bound reaches the score, and those between bins where such
    bins are or one of these cuts reaches it."""
    cdef uint8_t is_marked[MAX_BINS]
    cdef const uint8_t* marked = NULL
    cdef index_t n_marked = 0, n_rows = stop - start
    cdef index_t n_missing = _take_missing(histograms, counts, slot, feature)
    if n_missing > 0:
        n_marked = _mark_bins(
            scan, histograms, counts, slot, feature, n_rows, n_missing, min_samples_leaf, to_reach, is_marked, True
        )
    elif not tells_values:
        n_marked = _mark_bins(
            scan, histograms, counts, slot, feature, n_rows, 0, min_samples_leaf, to_reach, is_marked, False
        )
    if n_marked > 0:
        _sort_marked(histograms, feature, start, stop, is_marked)
        marked = is_marked
    elif not edge_reaches:
        return 0
    if n_missing > 0:
        _scan_bins_and_missing(
            scan, histograms, counts, slot, feature, n_rows, n_missing, min_samples_leaf, marked, cut
        )
    else:
        _scan_bins(scan, histograms, counts, slot, feature, n_rows, 0, min_samples_leaf, marked, cut, False)
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
    index_t n_missing, index_t min_samples_leaf, float64_t to_reach, uint8_t* is_marked, bint has_missing
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
        is_marked[bin] = (
            bins.is_mixed[bin] and n_in_bin > 1
            and n_left + n_in_bin > min_samples_leaf and n_rows - n_left > min_samples_leaf
        )
        if is_marked[bin]:
            weight = 0
            for label in range(n_classes):
                weight += counts[label]
            is_marked[bin] = upper_bound(&local, counts, weight) >= to_reach
        if has_missing and not is_marked[bin]:
            is_marked[bin] = (
                bins.is_mixed[bin] and n_in_bin > 1
                and n_left + n_missing + n_in_bin > min_samples_leaf
                and n_rows - n_left - n_missing > min_samples_leaf
                and bound_with_missing(&local, node_counts, counts) >= to_reach
            )
        n_marked += is_marked[bin]
        move_bin_left(&local, counts, n_classes)
        n_left += n_in_bin
        counts += n_columns
    return n_marked


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


cdef index_t _scan_bins_and_missing(
    BinnedScan* scan, Histograms histograms, ClassCounts node_counts, Slot* slot, index_t feature, index_t n_rows,
    index_t n_missing, index_t min_samples_leaf, const uint8_t* is_marked, BinCut* cut
) except -1 nogil:
    """Offer the cuts of a feature that some samples of the node lack the value of."""
    return _scan_bins(
        scan, histograms, node_counts, slot, feature, n_rows, n_missing, min_samples_leaf, is_marked, cut, True
    )


cdef inline index_t _scan_bins(
    BinnedScan* scan, Histograms histograms, ClassCounts node_counts, Slot* slot, index_t feature, index_t n_rows,
    index_t n_missing, index_t min_samples_leaf, const uint8_t* is_marked, BinCut* cut, bint has_missing
) except -1 nogil:
    """Offer the cuts between bins and, where bins are marked and their samples sorted, the cuts inside these. Return
    the greatest weight of a bin. Without missing values a constant in place of the flag leaves the loop only what it
    needs."""
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
            move_bin_left(&local, counts, n_classes)
            most_in_bin = max(most_in_bin, local.left_total - moved)
        n_left += n_in_bin
        counts += n_columns
        if has_missing:
            if n_in_bin > 0 and offer_both_ways(
                &local, node_counts, n_left, n_rows, n_missing, min_samples_leaf, &cut.n_left, &cut.missing_left
            ):
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
            is_kept = offer_both_ways(
                scan, node_counts, n_left, n_rows, n_missing, min_samples_leaf, &cut.n_left, &cut.missing_left
            )
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
