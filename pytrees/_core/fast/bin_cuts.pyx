"""The best cut of a node whose samples are in bins that are counted exactly: bins of the table, or of a heavy node.

The cuts between bins of all features are compared first. Then a bin is refined if its bound reaches the best score: its
samples are sorted, and the cuts between them are compared too. The samples that lack a feature's value are in the last
bin of the table.
"""

from libc.math cimport INFINITY, NAN, fabs

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.sizes cimport MAX_BINS
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport (
    MISSING_LEFT, MISSING_RIGHT, NONE, float64_t, index_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t,
)
from pytrees._core.criteria.counts cimport ClassCounts, are_numbers
from pytrees._core.criteria.table cimport (
    TargetScan, best_gain, forget_best, is_perfect, move_left, move_missing, offer_cut, start_cuts, start_feature,
)
from pytrees._core.criteria.wide cimport BoxedScan
from pytrees._core.fast.bounds cimport (
    BoundedScan, best_score_of, highest_rise, left_ranks, left_total_of, move_bin_left, tie_margin, upper_bound,
)
from pytrees._core.fast.histogram cimport (
    ROWS_PREFETCHED, BinSums, Histograms, Slot, count_missing_by_bin, feature_counts, n_classes_of, rows_in_bin,
    zeros_of,
)
from pytrees._core.fast.node_bins cimport (
    NodeBins, NodeFeature, count_bins, label_of_packed, last_key_of_bin, sort_marked, weight_of_packed,
)
from pytrees._core.fast.state cimport FastState, write_ranked_cut
from pytrees._core.rows.features cimport sort_by_value, threshold_between, value_at
from pytrees._core.rows.partition cimport check_entries
from pytrees._core.split.allowed_cuts cimport AllowedCuts, allow_by_samples, allows
from pytrees._core.split.monotonic cimport NodeValue, joined, keeps_order, less
from pytrees._core.split.node_search cimport (
    NodeRows, NodeSearch, Split, direction_of, list_missing, value_of_counted, value_of_missing,
)


ctypedef fused Bins:
    Histograms
    NodeBins


# A feature of the node, and its bins but the one of missing values.
cdef struct BinnedFeature:
    index_t number, feature         # among the features looked at; among all
    index_t n_known, n_missing      # samples that have a value, and that lack it
    AllowedCuts allowed
    int direction                   # of a monotonic constraint
    NodeValue node_value, missing_value     # if there is one
    const int32_t* counts           # of every bin the weights of the classes and, if weights count, its samples
    index_t n_bins, n_classes, n_columns
    bint may_be_mixed               # whether some bin may hold several values
    const uint8_t* is_mixed         # by bin; NULL: any bin may


# A cut behind the bins up to one, or between two values inside this bin.
cdef struct BinCut:
    index_t number                  # of its feature; NONE if no cut is allowed
    index_t n_left, bin
    bint is_inside, missing_left
    uint32_t last_key               # bins of the node: the greatest key on the left
    index_t last_left, first_right  # bins of the table, inside: the rows on both sides of the cut


cdef int find_bin_cut(
    FastState fast, NodeSearch search, BoundedScan* scan, const NodeRows* node, Split* best
) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started."""
    cdef BinCut cut
    if node.in_block:
        _search_features(fast, search, scan, fast.node_bins, node, &cut)
        if cut.number != NONE:
            write_ranked_cut(fast, search, node, cut.number, cut.last_key, best)
    else:
        _search_features(fast, search, scan, fast.histograms, node, &cut)
        if cut.number != NONE:
            _write_table_cut(search, fast.histograms, node, &cut, best)
    if cut.number != NONE:
        best_gain(scan, &best.gain)


cdef inline int _search_features(
    FastState fast, NodeSearch search, BoundedScan* scan, Bins bins, const NodeRows* node, BinCut* cut
) except -1 nogil:
    """Find the best cut; cuts inside a bin are tried unless the bin's bound says that a cut between bins is better."""
    cdef float64_t to_reach = -INFINITY
    cdef float64_t* scores = &fast.scores[0]
    cdef index_t k, n_features
    cdef int64_t most_in_bin
    cdef BinnedFeature feature
    if Bins is Histograms:
        n_features = search.n_drawn
    else:
        n_features = bins.n_slots
    for k in range(n_features):
        check_entries(search.partition, node.stop - node.start)
        _open_feature(search, bins, node, k, True, &feature)
        forget_best(scan)
        cut.number = NONE
        most_in_bin = _walk_bins(search, scan, bins, &feature, NULL, cut)
        scores[k] = best_score_of(scan) if cut.number != NONE else -INFINITY
        # If all cuts between bins are allowed, the edges of a bin bound the cuts inside it.
        fast.rises[k] = INFINITY if search.counts.forbids_cuts else highest_rise(scan, most_in_bin)
        to_reach = max(to_reach, scores[k])
    # The scores carry less than 1e-15 of relative error.
    to_reach -= 1e-12 * fabs(to_reach) + tie_margin(scan)
    forget_best(scan)
    cut.number = NONE
    for k in range(n_features):
        if -INFINITY < scores[k] < to_reach - fast.rises[k]:
            continue
        check_entries(search.partition, node.stop - node.start)
        _open_feature(search, bins, node, k, False, &feature)
        if scores[k] < to_reach and not feature.may_be_mixed:
            continue
        _refine(search, scan, bins, node, &feature, to_reach, scores[k] >= to_reach, cut)
        if is_perfect(scan):
            break


cdef inline void _open_feature(
    NodeSearch search, Bins bins, const NodeRows* node, index_t number, bint counts, BinnedFeature* feature
) noexcept nogil:
    """Describe a feature of the node; with `counts`, count its bins if that is still to be done."""
    cdef NodeFeature* slot
    cdef index_t n = node.stop - node.start
    feature.number = number
    feature.n_missing = 0
    if Bins is Histograms:
        feature.feature = search.drawn[number]
        feature.n_missing = _take_missing(search, bins, node, feature.feature)
        feature.counts = feature_counts(bins, <Slot*> node.slot, feature.feature)
        feature.n_bins = bins.bins.of_feature[feature.feature].n_bins - (feature.n_missing > 0)
        feature.n_classes, feature.n_columns = n_classes_of(bins), <index_t> bins.n_columns
        feature.may_be_mixed = search.partition.features.n_values[feature.feature] == 0
        feature.is_mixed = bins.bins.of_feature[feature.feature].is_mixed
    else:
        slot = &bins.slots[number]
        if counts:
            count_bins(bins, slot, n)
        feature.feature = slot.feature
        feature.counts = slot.counts
        feature.n_bins = slot.n_bins
        feature.n_classes, feature.n_columns = bins.n_classes, <index_t> bins.n_columns
        feature.may_be_mixed = slot.shift > 0
        feature.is_mixed = NULL
    feature.n_known = n - feature.n_missing
    feature.allowed = allow_by_samples(&search.limits, n, feature.n_missing)
    feature.direction = direction_of(search, feature.feature)
    if feature.direction != 0:
        feature.node_value = value_of_counted(search)
        feature.missing_value = value_of_missing(search) if feature.n_missing > 0 else NodeValue(0, 0)


cdef inline index_t _take_missing(
    NodeSearch search, Histograms histograms, const NodeRows* node, index_t feature
) noexcept nogil:
    """Take over the classes of the node's samples that lack the value, and return how many there are."""
    cdef index_t n_missing = count_missing_by_bin(histograms, <Slot*> node.slot, feature)
    if n_missing > 0:
        _tally_missing(
            search.counts,
            feature_counts(histograms, <Slot*> node.slot, feature)
            + histograms.bins.of_feature[feature].missing_bin * <index_t> histograms.n_columns,
        )
    return n_missing


cdef void _tally_missing(ClassCounts counts, const int32_t* missing) noexcept nogil:
    """Take over the class counts, or the sums of targets, of the bin of missing values."""
    cdef index_t label
    if are_numbers(counts):
        counts.missing_sums.weight = (<const BinSums*> missing).weight
        counts.missing_sums.sum = (<const BinSums*> missing).sum
        return
    if counts.is_wide:
        counts.missing_counts[0] = zeros_of(<const BinSums*> missing)
        counts.missing_counts[1] = (<const BinSums*> missing).sum
    for label in range(0 if counts.is_wide else counts.n_classes):
        counts.missing_counts[label] = missing[label]
    list_missing(counts)


cdef inline int _refine(
    NodeSearch search, BoundedScan* scan, Bins bins, const NodeRows* node, const BinnedFeature* feature,
    float64_t to_reach, bint edge_reaches, BinCut* cut
) except -1 nogil:
    """Offer the cuts of a feature: the cuts inside bins whose bound reaches the score, and the cuts between bins if
    there are such bins or one of these cuts reaches it."""
    cdef uint8_t is_marked[MAX_BINS]
    cdef index_t n_marked = 0
    if feature.may_be_mixed and feature.n_missing > 0:
        n_marked = _mark_bins(scan, search.counts, feature, to_reach, is_marked, True)
    elif feature.may_be_mixed:
        n_marked = _mark_bins(scan, search.counts, feature, to_reach, is_marked, False)
    if n_marked > 0:
        if Bins is Histograms:
            _sort_marked(bins, feature.feature, node.start, node.stop, is_marked)
        else:
            sort_marked(bins, &bins.slots[feature.number], feature.n_known, is_marked)
        _walk_bins(search, scan, bins, feature, is_marked, cut)
    elif edge_reaches:
        _walk_bins(search, scan, bins, feature, NULL, cut)


cdef inline index_t _mark_bins(
    BoundedScan* scan, ClassCounts node_counts, const BinnedFeature* feature, float64_t to_reach, uint8_t* is_marked,
    bint has_missing
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score, and return how many there are."""
    cdef const int32_t* counts = feature.counts
    cdef index_t bin, n_in_bin, n_left = 0, n_marked = 0
    cdef BoundedScan local = scan[0]
    start_feature(&local)
    for bin in range(feature.n_bins):
        n_in_bin = rows_in_bin(counts, feature.n_classes, feature.n_columns)
        is_marked[bin] = n_in_bin > 1 and (feature.is_mixed == NULL or feature.is_mixed[bin]) and (
            _can_reach(&local, feature, counts, n_left, n_in_bin, MISSING_RIGHT, to_reach)
            or has_missing and _can_reach_with_missing(&local, node_counts, feature, counts, n_left, n_in_bin, to_reach)
        )
        n_marked += is_marked[bin]
        move_bin_left(&local, counts, feature.n_classes)
        n_left += n_in_bin
        counts += feature.n_columns
    if has_missing:
        is_marked[feature.n_bins] = False       # the bin of missing values
    return n_marked


cdef inline bint _can_reach(
    const BoundedScan* scan, const BinnedFeature* feature, const int32_t* counts, index_t n_left, index_t n_in_bin,
    int missing, float64_t to_reach
) noexcept nogil:
    """Whether a cut is allowed inside the bin, whose left edge is the present cut, and could reach the score."""
    cdef index_t label
    cdef int64_t weight = 0
    if n_left + n_in_bin <= feature.allowed.fewest[missing] or n_left >= feature.allowed.most[missing]:
        return False
    if BoundedScan not in TargetScan and BoundedScan not in BoxedScan:
        for label in range(feature.n_classes):
            weight += counts[label]
    return upper_bound(scan, counts, weight, to_reach) >= to_reach


cdef bint _can_reach_with_missing(
    BoundedScan* scan, ClassCounts node_counts, const BinnedFeature* feature, const int32_t* counts, index_t n_left,
    index_t n_in_bin, float64_t to_reach
) noexcept nogil:
    """The same with the samples that lack the value on the left."""
    cdef bint can_reach
    move_missing(scan, node_counts, 1)
    can_reach = _can_reach(scan, feature, counts, n_left, n_in_bin, MISSING_LEFT, to_reach)
    move_missing(scan, node_counts, -1)
    return can_reach


cdef inline void _sort_marked(
    Histograms histograms, index_t feature, index_t start, index_t stop, const uint8_t* is_marked
) noexcept nogil:
    """Copy the node's samples in marked bins to the partition's spare rows, and their places there, sorted, to its
    keyed places."""
    cdef index_t* marked_rows = &histograms.partition.spare_rows[0]
    cdef const index_t* rows = &histograms.partition.rows[0]
    cdef const uint8_t* codes = &histograms.bins.codes[0, feature]
    cdef Py_ssize_t n_features = histograms.bins.n_features
    cdef index_t i, row, n_marked = 0
    # marked_rows[:n_marked] are the marked rows met so far; n_marked <= i - start.
    for i in range(start, stop):
        row = rows[i]
        if i + ROWS_PREFETCHED < stop:
            prefetch(codes + rows[i + ROWS_PREFETCHED] * n_features)
        marked_rows[n_marked] = row
        n_marked += is_marked[codes[row * n_features]]
    sort_by_value(
        histograms.partition.features, feature, marked_rows, n_marked, &histograms.partition.keyed[0],
        &histograms.partition.spare_keyed[0],
    )


# ---------------------------------------------------------------------------------------------- one loop over bins

cdef inline int64_t _walk_bins(
    NodeSearch search, BoundedScan* scan, Bins bins, const BinnedFeature* feature, const uint8_t* is_marked, BinCut* cut
) except -1 nogil:
    """Offer the cuts between bins and, if bins are marked and their samples sorted, the cuts inside these. Return the
    weight of the heaviest bin. Constants in place of flags leave each loop with only what it needs. A loop for
    monotonic constraints takes missing values, too; nodes with constraints have no bins of their own."""
    if Bins is Histograms:
        if feature.direction != 0:
            return _walk(search, scan, bins, feature, is_marked, cut, True, True)
    if feature.n_missing > 0:
        return _walk(search, scan, bins, feature, is_marked, cut, True, False)
    return _walk(search, scan, bins, feature, is_marked, cut, False, False)


cdef inline int64_t _walk(
    NodeSearch search, BoundedScan* scan, Bins bins, const BinnedFeature* feature, const uint8_t* is_marked,
    BinCut* cut, bint has_missing, bint has_order
) except -1 nogil:
    cdef const int32_t* counts = feature.counts
    cdef index_t bin, n_in_bin, n_left = 0, sorted_start = 0
    cdef int64_t moved, most_in_bin = 0
    cdef BoundedScan local = scan[0]
    start_cuts(&local, search.counts, feature.feature)
    # The samples of all bins before this one are on the left, n_left in all; sorted_start of them are in marked bins.
    for bin in range(feature.n_bins):
        n_in_bin = rows_in_bin(counts, feature.n_classes, feature.n_columns)
        if is_marked != NULL and is_marked[bin]:
            _walk_inside(
                search, &local, bins, feature, bin, sorted_start, n_in_bin, n_left, cut, has_missing, has_order
            )
            sorted_start += n_in_bin
        elif n_in_bin > 0:
            moved = left_total_of(&local)
            move_bin_left(&local, counts, feature.n_classes)
            most_in_bin = max(most_in_bin, left_total_of(&local) - moved)
        n_left += n_in_bin
        counts += feature.n_columns
        if n_in_bin == 0:
            continue
        if not _allows_edge(feature, n_left, feature.n_missing > 0 if has_order else has_missing):
            search.counts.forbids_cuts = True
        if _offer(search, &local, feature, n_left, cut, has_missing, has_order):
            cut.number = feature.number
            cut.bin = bin
            cut.is_inside = False
            if Bins is NodeBins:
                cut.last_key = last_key_of_bin(&bins.slots[feature.number], bin)
    scan[0] = local
    return most_in_bin


cdef inline int _walk_inside(
    NodeSearch search, BoundedScan* scan, Bins bins, const BinnedFeature* feature, index_t bin, index_t sorted_start,
    index_t n_in_bin, index_t n_left, BinCut* cut, bint has_missing, bint has_order
) except -1 nogil:
    """Move the samples of a bin one by one, and offer the cuts between different values."""
    cdef const uint64_t* keyed = &search.partition.keyed[sorted_start]
    cdef uint64_t word
    cdef index_t i, row = 0
    for i in range(n_in_bin):
        if Bins is Histograms:
            row = search.partition.spare_rows[place_of(keyed[i])]
            move_left(scan, bins.labels[row], bins.weights[row] if bins.weights.shape[0] > 0 else 1)
        else:
            word = bins.packed[bins.start + place_of(keyed[i])]
            move_left(scan, label_of_packed(bins, word), weight_of_packed(bins, word))
        n_left += 1
        if i + 1 == n_in_bin or key_of(keyed[i]) == key_of(keyed[i + 1]):
            continue
        if _offer(search, scan, feature, n_left, cut, has_missing, has_order):
            cut.number = feature.number
            cut.bin = bin
            cut.is_inside = True
            if Bins is Histograms:
                cut.last_left = row
                cut.first_right = search.partition.spare_rows[place_of(keyed[i + 1])]
            else:
                cut.last_key = key_of(keyed[i])


cdef inline bint _allows_edge(const BinnedFeature* feature, index_t n_left, bint has_missing) noexcept nogil:
    """Whether numbers of samples allow every cut behind n_left known values. With all samples on the left there is no
    cut, which forbids nothing."""
    if not has_missing:
        return n_left == feature.n_known or allows(&feature.allowed, MISSING_RIGHT, n_left)
    return allows(&feature.allowed, MISSING_RIGHT, n_left) and (
        n_left == feature.n_known or allows(&feature.allowed, MISSING_LEFT, n_left)
    )


cdef inline int _offer(
    NodeSearch search, BoundedScan* scan, const BinnedFeature* feature, index_t n_left, BinCut* cut, bint has_missing,
    bint has_order
) except -1 nogil:
    """Offer the present cut, which has n_left known values on the left, with missing values on the right and on the
    left: 1 if one is kept."""
    cdef int is_kept = 0
    if (
        allows(&feature.allowed, MISSING_RIGHT, n_left)
        and not (has_order and _breaks_order(search, scan, feature, MISSING_RIGHT))
        and offer_cut(scan, search.counts, False)
    ):
        cut.n_left, cut.missing_left, is_kept = n_left, False, 1
    if (
        has_missing and allows(&feature.allowed, MISSING_LEFT, n_left)
        and not (has_order and _breaks_order(search, scan, feature, MISSING_LEFT))
        and offer_cut(scan, search.counts, True)
    ):
        cut.n_left, cut.missing_left, is_kept = n_left + feature.n_missing, True, 1
    return is_kept


cdef inline bint _breaks_order(
    NodeSearch search, const BoundedScan* scan, const BinnedFeature* feature, int missing
) noexcept nogil:
    """Whether the feature's monotonic constraint forbids the present cut."""
    cdef NodeValue left = NodeValue(left_ranks(scan), left_total_of(scan)), right
    if missing == MISSING_LEFT:
        left = joined(&left, &feature.missing_value)
    right = less(&feature.node_value, &left)
    if keeps_order(feature.direction, &left, &right, &search.bounds):
        return False
    search.counts.forbids_cuts = True
    return True


# ------------------------------------------------------------------------------------------- a cut in bins of the table

cdef inline void _write_table_cut(
    NodeSearch search, Histograms histograms, const NodeRows* node, const BinCut* cut, Split* best
) noexcept nogil:
    best.feature = search.drawn[cut.number]
    best.n_left = cut.n_left
    best.n_missing = count_missing_by_bin(histograms, <Slot*> node.slot, best.feature)
    best.n_missing_left = best.n_missing if cut.missing_left else 0
    best.bin = cut.bin
    if cut.is_inside:
        best.last_left, best.first_right = cut.last_left, cut.first_right
    else:
        _find_neighbours(histograms, node, best.feature, cut.bin, &best.last_left, &best.first_right)
    best.threshold = threshold_between(
        value_at(search.partition.features, best.last_left, best.feature),
        value_at(search.partition.features, best.first_right, best.feature),
    )


cdef inline void _find_neighbours(
    Histograms histograms, const NodeRows* node, index_t feature, index_t bin, index_t* last_left,
    index_t* first_right
) noexcept nogil:
    """Find the rows next to a cut between two bins: one of the greatest value on its left and one of the smallest on
    its right, whose value is missing if all values on the right are."""
    cdef index_t i, row, code, next_bin = bin + 1, n_columns = <index_t> histograms.n_columns
    cdef const int32_t* counts = feature_counts(histograms, <Slot*> node.slot, feature)
    cdef bint has_one_value = histograms.partition.features.n_values[feature] > 0       # every bin
    cdef const uint8_t* codes = &histograms.bins.codes[0, feature]
    cdef Py_ssize_t n_features = histograms.bins.n_features
    cdef float64_t value, below = NAN, above = NAN
    last_left[0] = first_right[0] = NONE
    while rows_in_bin(counts + next_bin * n_columns, n_classes_of(histograms), n_columns) == 0:
        next_bin += 1
    # Only the last bin on the left and the first on the right can hold the nearest values.
    for i in range(node.start, node.stop):
        row = histograms.partition.rows[i]
        if i + ROWS_PREFETCHED < node.stop:
            prefetch(codes + histograms.partition.rows[i + ROWS_PREFETCHED] * n_features)
        code = codes[row * n_features]
        if code != bin and code != next_bin:
            continue
        value = value_at(histograms.partition.features, row, feature)
        # A value that is no number, as before the first one, is neither greater nor smaller.
        if code == bin and not value <= below:
            last_left[0], below = row, value
        elif code == next_bin and not value >= above:
            first_right[0], above = row, value
        if has_one_value and last_left[0] != NONE and first_right[0] != NONE:
            return
