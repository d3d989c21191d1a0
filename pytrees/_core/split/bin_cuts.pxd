"""The best cut of a node whose rows are counted in bins, inlined where it is cimported."""

from libc.math cimport INFINITY, fabs

from pytrees._core.criteria.bounds cimport best_score_of, highest_rise, upper_bound
from pytrees._core.criteria.counts cimport BinnedScan, forget_best, is_perfect, move_left, offer, start_feature
from pytrees._core.criteria.gini cimport BinaryGiniScan
from pytrees._core.rows.histogram cimport MAX_BINS, FeatureBins, Histograms, Slot, feature_counts
from pytrees._core.rows.partition cimport RowPartition, sort_by_value
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int32_t, int64_t, uint8_t, uint64_t


# A cut behind n_left rows of a node, at the right edge of a bin or between two values inside it.
cdef struct BinCut:
    index_t feature     # NONE where no cut is allowed
    index_t n_left
    index_t bin         # that the cut ends or lies in
    bint is_inside
    float64_t below, above


cdef inline index_t _rows_in(const int32_t* counts, index_t n_classes, index_t n_columns) noexcept nogil:
    cdef index_t label, n_rows = counts[0]
    if n_columns > n_classes:
        return counts[n_classes]
    for label in range(1, n_classes):
        n_rows += counts[label]
    return n_rows


cdef inline void _move_bin(BinnedScan* scan, const int32_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    if BinnedScan is BinaryGiniScan:
        move_left(scan, 0, counts[0])
        move_left(scan, 1, counts[1])
    else:
        for label in range(n_classes):
            if counts[label] > 0:
                move_left(scan, label, counts[label])


cdef inline index_t _n_classes(Histograms histograms) noexcept nogil:
    return <index_t> histograms.n_columns - (histograms.weights.shape[0] > 0)


cdef inline bint has_cut_at_edge(
    Histograms histograms, Slot* slot, index_t feature, index_t n_rows, index_t min_samples_leaf
) noexcept nogil:
    """Whether a cut between two bins leaves min_samples_leaf of the node's rows on both sides."""
    cdef const int32_t* counts = feature_counts(histograms, slot, feature)
    cdef index_t bin, n_left = 0, n_columns = <index_t> histograms.n_columns
    for bin in range(histograms.bins.of_feature[feature].n_bins):
        n_left += _rows_in(counts + bin * n_columns, _n_classes(histograms), n_columns)
        if min_samples_leaf <= n_left <= n_rows - min_samples_leaf:
            return True
    return False


cdef inline void find_cut(
    BinnedScan* scan, Histograms histograms, Slot* slot, index_t start, index_t stop, const index_t* features,
    index_t n_features, index_t min_samples_leaf, BinCut* cut
) noexcept nogil:
    """The best cut of the node's rows; of equal ones that of the lowest feature, then threshold. Cuts inside a bin are
    tried where the bin's bound does not say that a cut between two bins is better."""
    cdef float64_t to_reach = -INFINITY
    cdef float64_t* scores = &histograms.edge_scores[0]
    cdef uint8_t is_marked[MAX_BINS]
    cdef index_t k, n_marked
    for k in range(n_features):
        forget_best(scan)
        cut.feature = NONE
        histograms.most_in_bin[k] = _scan_bins(
            scan, histograms, slot, features[k], stop - start, min_samples_leaf, NULL, cut
        )
        scores[k] = best_score_of(scan) if cut.feature != NONE else -INFINITY
        to_reach = max(to_reach, scores[k])
    # The scores carry less than 1e-15 of relative error.
    to_reach -= 1e-12 * fabs(to_reach)
    forget_best(scan)
    cut.feature = NONE
    for k in range(n_features):
        # Where all cuts between bins are allowed, those next to a bin bound the cuts inside it.
        if min_samples_leaf == 1 and -INFINITY < scores[k] < to_reach - highest_rise(scan, histograms.most_in_bin[k]):
            continue
        n_marked = _mark_bins(scan, histograms, slot, features[k], stop - start, min_samples_leaf, to_reach, is_marked)
        if n_marked > 0:
            _sort_marked(histograms, features[k], start, stop, is_marked)
            _scan_bins(scan, histograms, slot, features[k], stop - start, min_samples_leaf, is_marked, cut)
        elif scores[k] >= to_reach:
            _scan_bins(scan, histograms, slot, features[k], stop - start, min_samples_leaf, NULL, cut)
        if is_perfect(scan):
            break
    if cut.feature != NONE and not cut.is_inside:
        _find_neighbours(histograms, start, stop, cut)


cdef inline index_t _mark_bins(
    BinnedScan* scan, Histograms histograms, Slot* slot, index_t feature, index_t n_rows, index_t min_samples_leaf,
    float64_t to_reach, uint8_t* is_marked
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score, and return how many they are."""
    cdef FeatureBins* bins = &histograms.bins.of_feature[feature]
    cdef index_t n_classes = _n_classes(histograms), n_columns = <index_t> histograms.n_columns
    cdef const int32_t* counts = feature_counts(histograms, slot, feature)
    cdef index_t bin, n_in_bin, label, n_left = 0, n_marked = 0
    cdef int64_t weight
    cdef BinnedScan local = scan[0]
    start_feature(&local)
    for bin in range(bins.n_bins):
        n_in_bin = _rows_in(counts, n_classes, n_columns)
        is_marked[bin] = (
            bins.is_mixed[bin] and n_in_bin > 1
            and n_left + n_in_bin > min_samples_leaf and n_rows - n_left > min_samples_leaf
        )
        if is_marked[bin]:
            weight = 0
            for label in range(n_classes):
                weight += counts[label]
            is_marked[bin] = upper_bound(&local, counts, weight) >= to_reach
        n_marked += is_marked[bin]
        _move_bin(&local, counts, n_classes)
        n_left += n_in_bin
        counts += n_columns
    return n_marked


cdef inline void _sort_marked(
    Histograms histograms, index_t feature, index_t start, index_t stop, const uint8_t* is_marked
) noexcept nogil:
    """The node's rows in marked bins go to the partition's spare rows, and their places there, sorted, to its pairs."""
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
    BinnedScan* scan, Histograms histograms, Slot* slot, index_t feature, index_t n_rows, index_t min_samples_leaf,
    const uint8_t* is_marked, BinCut* cut
) noexcept nogil:
    """Offer the cuts between bins and, where bins are marked and their rows sorted, the cuts inside these. Return the
    greatest weight of a bin."""
    cdef index_t n_classes = _n_classes(histograms), n_columns = <index_t> histograms.n_columns
    cdef const int32_t* counts = feature_counts(histograms, slot, feature)
    cdef index_t bin, n_in_bin, n_left = 0, sorted_start = 0
    cdef int64_t moved, most_in_bin = 0
    cdef BinnedScan local = scan[0]
    start_feature(&local)
    # The rows of all bins before this one are on the left, n_left in all; of these sorted_start are in marked bins.
    for bin in range(histograms.bins.of_feature[feature].n_bins):
        n_in_bin = _rows_in(counts, n_classes, n_columns)
        if is_marked != NULL and is_marked[bin]:
            _scan_marked_bin(
                &local, histograms, histograms.partition, feature, bin, sorted_start, n_in_bin, n_left, n_rows,
                min_samples_leaf, cut,
            )
            sorted_start += n_in_bin
        elif n_in_bin > 0:
            moved = local.left_total
            _move_bin(&local, counts, n_classes)
            most_in_bin = max(most_in_bin, local.left_total - moved)
        n_left += n_in_bin
        counts += n_columns
        if n_in_bin == 0 or n_left < min_samples_leaf or n_left > n_rows - min_samples_leaf:
            continue
        if offer(&local):
            cut.feature = feature
            cut.n_left = n_left
            cut.bin = bin
            cut.is_inside = False
    scan[0] = local
    return <index_t> most_in_bin


cdef inline void _scan_marked_bin(
    BinnedScan* scan, Histograms histograms, RowPartition partition, index_t feature, index_t bin,
    index_t sorted_start, index_t n_in_bin, index_t n_left, index_t n_rows, index_t min_samples_leaf, BinCut* cut
) noexcept nogil:
    """Move the bin's rows one by one, and offer the cuts between different values."""
    cdef const uint64_t* pairs = &partition.pairs[sorted_start]
    cdef index_t i, row, next_row
    cdef int64_t weight = 1
    for i in range(n_in_bin):
        row = partition.spare_rows[place_of(pairs[i])]
        if histograms.weights.shape[0] > 0:
            weight = histograms.weights[row]
        move_left(scan, histograms.labels[row], weight)
        n_left += 1
        if i + 1 == n_in_bin or key_of(pairs[i]) == key_of(pairs[i + 1]):
            continue
        if n_left >= min_samples_leaf and n_left <= n_rows - min_samples_leaf and offer(scan):
            next_row = partition.spare_rows[place_of(pairs[i + 1])]
            cut.feature = feature
            cut.n_left = n_left
            cut.bin = bin
            cut.is_inside = True
            cut.below = partition.X[row, feature]
            cut.above = partition.X[next_row, feature]


cdef inline void _find_neighbours(Histograms histograms, index_t start, index_t stop, BinCut* cut) noexcept nogil:
    """The values next to a cut between two bins: the greatest on its left and the smallest on its right."""
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
