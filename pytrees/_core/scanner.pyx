"""Best split of one node: which features, which cuts, and the loop over the cuts of a feature."""

import numpy as np

cimport cython

from pytrees._core.bin_cuts cimport BinCut, find_cut, has_cut_at_edge
from pytrees._core.clusterings cimport JaccardScan, LabelledScan, RatioScan
from pytrees._core.criteria cimport (
    BinnedScan,
    ClassCounts,
    CountScan,
    EntropyScan,
    best_gain,
    is_perfect,
    move_left,
    offer,
    start_feature,
    start_scan,
)
from pytrees._core.gain cimport Gain, exact_gain, is_greater_gain
from pytrees._core.gini cimport BinaryGiniScan, GiniScan
from pytrees._core.ordinal cimport OrdinalGiniScan, RankingScan
from pytrees._core.histogram cimport Histograms, count_rows
from pytrees._core.partition cimport (
    RowPartition,
    block_row,
    has_cut,
    narrow_entries,
    open_block,
    sort_by_value,
    threshold_between,
    wide_entries,
)
from pytrees._core.sequence_scanner cimport FeatureOrders, SequenceScanner
from pytrees._core.sequence_scanner cimport find_cut as find_sequence_cut
from pytrees._core.sorting cimport Entry, key_of, place_of
from pytrees._core.types cimport (
    ACCURACY,
    ENTROPY,
    ETC,
    GAIN_RATIO,
    JACCARD,
    MAE,
    NONE,
    NVI,
    OGINI,
    RANKING,
    UNLIMITED,
    float64_t,
    index_t,
    int64_t,
    uint16_t,
    uint32_t,
    uint64_t,
    uint128_t,
)
from pytrees._core.weighted cimport WeightedScan, move_weight_left


@cython.final
cdef class Scanner(FeatureOrders):
    def __cinit__(
        self, RowPartition partition, Histograms histograms, labels, weights, index_t n_classes, criterion,
        index_t min_samples_leaf, index_t max_candidates, index_t max_features, index_t n_threads,
    ):
        cdef Py_ssize_t n_places = partition.row_of_place.shape[0]
        self.partition = partition
        self.histograms = histograms
        self.labels = labels
        self.count_weights = np.empty(0, dtype=np.int64)
        self.float_weights = np.empty(0, dtype=np.float64)
        if weights is not None and weights.dtype == np.float64:
            self.float_weights = weights
        elif weights is not None:
            self.count_weights = weights
        self.min_samples_leaf = min_samples_leaf
        self.max_candidates = max_candidates
        self.max_features = max_features
        self.counts = ClassCounts(n_classes, criterion, weights, partition.n_rows)
        self.code = self.counts.code
        if self.code == ETC:
            self.sequences = SequenceScanner(partition.n_rows, partition.n_features, n_classes, n_threads)
            self.number_of_place = np.empty(n_places, dtype=np.int32)
        self.narrow_labels = np.empty(0 if partition.is_wide else n_places, dtype=np.uint16)
        self.wide_labels = np.empty(n_places if partition.is_wide else 0, dtype=np.int32)
        self.place_counts = np.empty(n_places if self.count_weights.shape[0] > 0 else 0, dtype=np.int64)
        self.place_weights = np.empty(n_places if self.float_weights.shape[0] > 0 else 0, dtype=np.float64)
        if partition.is_ranked:
            _fill_places(self)
        self.drawn = np.arange(partition.n_features, dtype=np.int32)
        self.is_drawn = np.ones(partition.n_features, dtype=np.uint8)
        self.n_drawn = <index_t> partition.n_features

    cdef index_t read(self, index_t feature, index_t* order, index_t* cuts) noexcept nogil:
        cdef const uint32_t* narrow
        cdef const uint64_t* wide
        if self.partition.is_wide:
            wide = wide_entries(self.partition, self.node.block, feature, self.node.start, self.node.stop)
            return _read(self, wide, order, cuts)
        narrow = narrow_entries(self.partition, self.node.block, feature, self.node.start, self.node.stop)
        return _read(self, narrow, order, cuts)


# ------------------------------------------------------------------------------------------------- rows of a node

cdef inline index_t _first_place(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Where the places of the node's block begin in arrays by place."""
    return node.block.start if scanner.partition.keeps_blocks else 0


cdef void start_block(Scanner scanner, NodeRows* node) noexcept nogil:
    """Sort the features of the node's rows, and lay their classes and weights beside them."""
    cdef index_t place, first
    node.block = open_block(scanner.partition, node.start, node.stop)
    node.in_block = True
    if scanner.partition.is_ranked:
        return      # all rows have their places from the beginning
    first = _first_place(scanner, node)
    for place in range(node.stop - node.start):
        _fill_place(scanner, first + place, block_row(scanner.partition, node.block, place))


cdef void _fill_places(Scanner scanner) noexcept nogil:
    cdef index_t row
    for row in range(<index_t> scanner.partition.features.n_rows):
        _fill_place(scanner, row, row)


cdef inline void _fill_place(Scanner scanner, index_t place, index_t row) noexcept nogil:
    if scanner.partition.is_wide:
        scanner.wide_labels[place] = scanner.labels[row]
    else:
        scanner.narrow_labels[place] = <uint16_t> scanner.labels[row]
    if scanner.count_weights.shape[0] > 0:
        scanner.place_counts[place] = scanner.count_weights[row]
    if scanner.float_weights.shape[0] > 0:
        scanner.place_weights[place] = scanner.float_weights[row]


cdef inline index_t _row_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil:
    if node.in_block:
        return block_row(scanner.partition, node.block, scanner.partition.rows[i])
    return scanner.partition.rows[i]


cdef inline index_t _label_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil:
    """The class of a row; inside a block from its places, which lie closer together."""
    if not node.in_block:
        return scanner.labels[scanner.partition.rows[i]]
    if scanner.partition.is_wide:
        return scanner.wide_labels[_first_place(scanner, node) + scanner.partition.rows[i]]
    return scanner.narrow_labels[_first_place(scanner, node) + scanner.partition.rows[i]]


cdef bint is_pure(Scanner scanner, const NodeRows* node) noexcept nogil:
    cdef index_t i, label = _label_at(scanner, node, node.start)
    for i in range(node.start + 1, node.stop):
        if _label_at(scanner, node, i) != label:
            return False
    return True


cdef void count_classes(Scanner scanner, const NodeRows* node, float64_t* value) noexcept nogil:
    """Add up the classes of the node's rows, in their order."""
    cdef index_t i, label
    for label in range(scanner.counts.n_classes):
        value[label] = 0.0
    for i in range(node.start, node.stop):
        label = _label_at(scanner, node, i)
        if scanner.float_weights.shape[0] > 0:
            value[label] += scanner.float_weights[_row_at(scanner, node, i)]
        elif scanner.count_weights.shape[0] > 0:
            value[label] += <float64_t> scanner.count_weights[_row_at(scanner, node, i)]
        else:
            value[label] += 1.0


# ------------------------------------------------------------------------------------------------------ the split

cdef int find_split(Scanner scanner, const NodeRows* node, uint64_t random_state, Split* best) except -1 nogil:
    """Write the best split of the node's rows to `best`; of equal ones that of the lowest feature, then threshold."""
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef OrdinalGiniScan ordinal_gini
    cdef RankingScan ranking
    cdef RatioScan ratio
    cdef JaccardScan jaccard
    cdef LabelledScan labelled
    cdef WeightedScan weighted
    best.feature = NONE
    best.n_left = 0
    draw_features(scanner, node, random_state)
    if scanner.code == ETC:
        _find_by_sequences(scanner, node, best)
        return 0
    _count_node(scanner, node)
    if scanner.float_weights.shape[0] > 0:
        start_scan(&weighted, scanner.counts)
        _find_in_block(scanner, &weighted, node, best)
    elif scanner.code == OGINI:
        start_scan(&ordinal_gini, scanner.counts)
        _find_in_block(scanner, &ordinal_gini, node, best)
    elif scanner.code == RANKING:
        start_scan(&ranking, scanner.counts)
        _find_in_block(scanner, &ranking, node, best)
    elif scanner.code == GAIN_RATIO or scanner.code == NVI:
        start_scan(&ratio, scanner.counts)
        _find_in_block(scanner, &ratio, node, best)
    elif scanner.code == JACCARD:
        start_scan(&jaccard, scanner.counts)
        _find_in_block(scanner, &jaccard, node, best)
    elif scanner.code == ACCURACY or scanner.code == MAE:
        start_scan(&labelled, scanner.counts)
        _find_in_block(scanner, &labelled, node, best)
    elif scanner.code == ENTROPY:
        start_scan(&entropy, scanner.counts)
        _find(scanner, &entropy, node, best)
    elif scanner.counts.n_classes == 2:
        start_scan(&binary_gini, scanner.counts)
        _find(scanner, &binary_gini, node, best)
    else:
        start_scan(&gini, scanner.counts)
        _find(scanner, &gini, node, best)
    return 0


cdef void _count_node(Scanner scanner, const NodeRows* node) noexcept nogil:
    cdef index_t i, label
    cdef bint is_weighted = scanner.count_weights.shape[0] > 0
    if scanner.float_weights.shape[0] > 0:
        count_classes(scanner, node, &scanner.counts.total_weights[0])
        scanner.counts.total_weight = 0.0
        for i in range(node.start, node.stop):
            scanner.counts.total_weight += scanner.float_weights[_row_at(scanner, node, i)]
        return
    scanner.counts.total_counts[:] = 0
    for i in range(node.start, node.stop):
        label = _label_at(scanner, node, i)
        scanner.counts.total_counts[label] += (
            scanner.count_weights[_row_at(scanner, node, i)] if is_weighted else 1
        )


cdef void _find(Scanner scanner, BinnedScan* scan, const NodeRows* node, Split* best) noexcept nogil:
    cdef BinCut cut
    if node.in_block:
        _find_in_block(scanner, scan, node, best)
        return
    find_cut(
        scan, scanner.histograms, node.slot, node.start, node.stop, &scanner.drawn[0], scanner.n_drawn,
        scanner.min_samples_leaf, &cut,
    )
    if cut.feature != NONE:
        best.feature = cut.feature
        best.n_left = cut.n_left
        best.bin = cut.bin
        best.threshold = threshold_between(cut.below, cut.above)
        best.gain = best_gain(scan)


cdef void _find_in_block(Scanner scanner, CountScan* scan, const NodeRows* node, Split* best) noexcept nogil:
    cdef index_t k, feature, n_left
    cdef const uint32_t* narrow = NULL
    cdef const uint64_t* wide = NULL
    cdef Gain gain
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        if scanner.partition.is_wide:
            wide = wide_entries(scanner.partition, node.block, feature, node.start, node.stop)
            n_left = _scan_feature(scanner, scan, node, wide)
        else:
            narrow = narrow_entries(scanner.partition, node.block, feature, node.start, node.stop)
            n_left = _scan_feature(scanner, scan, node, narrow)
        if n_left == 0:
            continue
        if CountScan is WeightedScan:
            gain = best_gain(scan)
            if best.feature != NONE and not is_greater_gain(&gain, &best.gain):
                continue
            best.gain = gain
        best.feature = feature
        if scanner.partition.is_wide:
            _set_neighbours(wide, n_left, best)
        else:
            _set_neighbours(narrow, n_left, best)
        if is_perfect(scan):
            break
    if best.feature == NONE:
        return
    if CountScan is not WeightedScan:
        best.gain = best_gain(scan)
    best.threshold = _threshold(scanner, node, best)


cdef inline void _set_neighbours(const Entry* entries, index_t n_left, Split* split) noexcept nogil:
    split.n_left = n_left
    split.last_left = place_of(entries[n_left - 1])
    split.first_right = place_of(entries[n_left])


cdef float64_t _threshold(Scanner scanner, const NodeRows* node, const Split* split) noexcept nogil:
    """Between the last value that goes left and the first that goes right."""
    return threshold_between(
        scanner.partition.X[block_row(scanner.partition, node.block, split.last_left), split.feature],
        scanner.partition.X[block_row(scanner.partition, node.block, split.first_right), split.feature],
    )


cdef index_t _scan_feature(Scanner scanner, CountScan* scan, const NodeRows* node, const Entry* entries) noexcept nogil:
    """Offer the cuts of a feature to try; return the rows that the last one kept sends left, 0 where none was kept."""
    cdef index_t n_left, n = node.stop - node.start, first = _first_place(scanner, node)
    cdef bint is_weighted = scanner.count_weights.shape[0] > 0
    cdef Cuts cuts
    cdef CountScan local = scan[0]
    if not _has_cut(entries, n, scanner.min_samples_leaf):
        return 0
    cuts = _cuts_to_try(scanner, entries, n)
    start_feature(&local)
    if CountScan is WeightedScan:
        n_left = _scan_entries(scanner, &local, entries, n, first, False, True, &cuts)
    elif is_weighted or cuts.n_tried < cuts.n_allowed:
        n_left = _scan_entries(scanner, &local, entries, n, first, is_weighted, True, &cuts)
    else:
        # The usual case: with constants in place of the flags the loop has only what it needs.
        n_left = _scan_entries(scanner, &local, entries, n, first, False, False, &cuts)
    scan[0] = local
    return n_left


cdef inline index_t _scan_entries(
    Scanner scanner, CountScan* scan, const Entry* entries, index_t n, index_t first, bint is_weighted, bint asks_cuts,
    Cuts* cuts
) noexcept nogil:
    cdef index_t i, label, n_left = 0, min_samples_leaf = scanner.min_samples_leaf
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
    for i in range(n - min_samples_leaf):
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
        if key_of(entry) == key_of(next_entry) or i + 1 < min_samples_leaf:
            continue
        if (not asks_cuts or _is_tried(cuts)) and offer(scan):
            n_left = i + 1
    return n_left


# ------------------------------------------------------------------------------------------------ which features

cdef uint64_t mix64(uint64_t state) noexcept nogil:
    """The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state = (state ^ (state >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    state = (state ^ (state >> 27)) * <uint64_t> 0x94D049BB133111EB
    return state ^ (state >> 31)


cdef void draw_features(Scanner scanner, const NodeRows* node, uint64_t random_state) noexcept nogil:
    """Draw max_features features without replacement, and further ones until one has an allowed cut."""
    cdef index_t i, chosen, feature, n_features = <index_t> scanner.partition.n_features
    cdef bint can_cut = False
    if scanner.max_features >= n_features:
        return
    for i in range(n_features):
        scanner.drawn[i] = i
        scanner.is_drawn[i] = False
    # drawn[:i] are the features drawn so far, drawn[i:] the others.
    for i in range(n_features):
        if i >= scanner.max_features and can_cut:
            break
        random_state += <uint64_t> 0x9E3779B97F4A7C15
        chosen = i + <index_t> ((<uint128_t> mix64(random_state) * <uint64_t> (n_features - i)) >> 64)
        feature = scanner.drawn[chosen]
        scanner.drawn[chosen] = scanner.drawn[i]
        scanner.drawn[i] = feature
        scanner.is_drawn[feature] = True
        if not node.in_block:
            count_rows(scanner.histograms, node.slot, node.start, node.stop, &feature, 1)
        can_cut = can_cut or _feature_has_cut(scanner, node, feature)
    scanner.n_drawn = 0
    for feature in range(n_features):
        if scanner.is_drawn[feature]:
            scanner.drawn[scanner.n_drawn] = feature
            scanner.n_drawn += 1


cdef bint _feature_has_cut(Scanner scanner, const NodeRows* node, index_t feature) noexcept nogil:
    cdef index_t n = node.stop - node.start
    if node.in_block:
        return has_cut(scanner.partition, node.block, feature, node.start, node.stop, scanner.min_samples_leaf)
    if has_cut_at_edge(scanner.histograms, node.slot, feature, n, scanner.min_samples_leaf):
        return True
    sort_by_value(
        scanner.partition.features, feature, &scanner.partition.rows[node.start], n, &scanner.partition.pairs[0],
        &scanner.partition.spare_pairs[0],
    )
    return _has_cut(&scanner.partition.pairs[0], n, scanner.min_samples_leaf)


# ---------------------------------------------------------------------------------------------------- which cuts

cdef inline bint _has_cut(const Entry* entries, index_t n, index_t min_samples_leaf) noexcept nogil:
    """Whether a cut is allowed: one between different neighbouring values that leaves min_samples_leaf rows on both
    sides."""
    return (
        2 * <int64_t> min_samples_leaf <= n
        and key_of(entries[min_samples_leaf - 1]) != key_of(entries[n - min_samples_leaf])
    )


cdef inline Cuts _cuts_to_try(Scanner scanner, const Entry* entries, index_t n) noexcept nogil:
    cdef index_t i
    cdef Cuts cuts
    cuts.n_allowed = 0
    cuts.n_seen = 0
    cuts.n_taken = 0
    if scanner.max_candidates < UNLIMITED:
        for i in range(scanner.min_samples_leaf - 1, n - scanner.min_samples_leaf):
            cuts.n_allowed += key_of(entries[i]) != key_of(entries[i + 1])
    cuts.n_tried = min(cuts.n_allowed, scanner.max_candidates)
    return cuts


cdef inline bint _is_tried(Cuts* cuts) noexcept nogil:
    """Whether to try the next allowed cut: all, or number (2k + 1) n_allowed // (2 n_tried) for k = 0..n_tried-1."""
    cdef int64_t target
    cdef bint tried
    if cuts.n_tried == cuts.n_allowed:
        return True
    target = (2 * <int64_t> cuts.n_taken + 1) * cuts.n_allowed // (2 * <int64_t> cuts.n_tried)
    tried = cuts.n_seen == target
    cuts.n_seen += 1
    cuts.n_taken += tried
    return tried


# ------------------------------------------------------------------------------------------------------ sequences

cdef int _find_by_sequences(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    cdef index_t i, n = node.stop - node.start
    scanner.node = node[0]
    for i in range(n):
        scanner.number_of_place[scanner.partition.rows[node.start + i]] = i
        scanner.sequences.labels[i] = _label_at(scanner, node, node.start + i)
    for i in range(scanner.n_drawn):
        scanner.sequences.features[i] = scanner.drawn[i]
    find_sequence_cut(scanner.sequences, scanner, n, scanner.n_drawn, scanner.max_candidates)
    best.feature = scanner.sequences.best.feature
    if best.feature == NONE:
        return 0
    best.gain = exact_gain(
        <int64_t> n * scanner.sequences.node_effort - scanner.sequences.best.cost, 1, n
    )
    if scanner.partition.is_wide:
        _set_neighbours(
            wide_entries(scanner.partition, node.block, best.feature, node.start, node.stop),
            scanner.sequences.best.n_left, best,
        )
    else:
        _set_neighbours(
            narrow_entries(scanner.partition, node.block, best.feature, node.start, node.stop),
            scanner.sequences.best.n_left, best,
        )
    best.threshold = _threshold(scanner, node, best)
    return 0


cdef index_t _read(Scanner scanner, const Entry* entries, index_t* order, index_t* cuts) noexcept nogil:
    """As FeatureOrders.read."""
    cdef index_t i, n_cuts = 0, n = scanner.node.stop - scanner.node.start
    cdef Cuts allowed
    if not _has_cut(entries, n, scanner.min_samples_leaf):
        return 0
    allowed = _cuts_to_try(scanner, entries, n)
    for i in range(n):
        order[i] = scanner.number_of_place[place_of(entries[i])]
    for i in range(scanner.min_samples_leaf - 1, n - scanner.min_samples_leaf):
        if key_of(entries[i]) != key_of(entries[i + 1]) and _is_tried(&allowed):
            cuts[n_cuts] = i + 1
            n_cuts += 1
    return n_cuts
