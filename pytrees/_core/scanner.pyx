"""Best split of one node: which features, which cuts, and the loop over the cuts of a feature."""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals

from pytrees._core.criteria cimport (
    BinaryGiniScan,
    ClassCounts,
    CountScan,
    EffortToCompress,
    EntropyScan,
    ExactScan,
    Gain,
    GiniScan,
    WeightedScan,
    best_gain,
    is_greater_gain,
    is_perfect,
    move_left,
    move_weight_left,
    offer,
    start_feature,
    start_scan,
)
from pytrees._core.histogram cimport BinCut, Histograms, count_rows, find_cut, has_cut_at_edge
from pytrees._core.partition cimport (
    RowPartition,
    block_row,
    narrow_entries,
    open_block,
    sort_by_value,
    threshold_between,
    wide_entries,
)
from pytrees._core.sorting cimport Entry, key_of, place_of
from pytrees._core.types cimport (
    ENTROPY,
    ETC,
    NONE,
    UNLIMITED,
    float64_t,
    index_t,
    int64_t,
    uint16_t,
    uint32_t,
    uint64_t,
    uint128_t,
)

from pytrees._core import criteria

cdef enum:
    # Labels of a sequence scan between two looks at the keyboard: some tenths of a second.
    LABELS_BETWEEN_SIGNALS = 10000000


@cython.final
cdef class Scanner:
    def __cinit__(
        self, RowPartition partition, Histograms histograms, labels, weights, index_t n_classes, criterion,
        index_t min_samples_leaf, index_t max_candidates, index_t max_features,
    ):
        cdef Py_ssize_t n_places = partition.row_of_place.shape[0]
        self.partition = partition
        self.histograms = histograms
        self.code = criteria.CODES[criterion]
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
        self.counts = ClassCounts(n_classes, self.code, weights, partition.n_rows)
        if self.code == ETC:
            self.etc = EffortToCompress(partition.n_rows, n_classes)
            self.rank_of_place = np.empty(n_places, dtype=np.int32)
        self.narrow_labels = np.empty(0 if partition.is_wide else n_places, dtype=np.uint16)
        self.wide_labels = np.empty(n_places if partition.is_wide else 0, dtype=np.int32)
        self.place_counts = np.empty(n_places if self.count_weights.shape[0] > 0 else 0, dtype=np.int64)
        self.place_weights = np.empty(n_places if self.float_weights.shape[0] > 0 else 0, dtype=np.float64)
        self.drawn = np.arange(partition.n_features, dtype=np.int32)
        self.is_drawn = np.ones(partition.n_features, dtype=np.uint8)
        self.n_drawn = <index_t> partition.n_features


# ------------------------------------------------------------------------------------------------- rows of a node

cdef inline index_t _first_place(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Where the places of the node's block begin in arrays by place."""
    return node.block.start if scanner.partition.keeps_blocks else 0


cdef void start_block(Scanner scanner, NodeRows* node) noexcept nogil:
    """Sort the features of the node's rows, and lay their classes and weights beside them."""
    cdef index_t place, row, first
    node.block = open_block(scanner.partition, node.start, node.stop)
    node.in_block = True
    first = _first_place(scanner, node)
    for place in range(node.stop - node.start):
        row = block_row(scanner.partition, node.block, place)
        if scanner.partition.is_wide:
            scanner.wide_labels[first + place] = scanner.labels[row]
        else:
            scanner.narrow_labels[first + place] = <uint16_t> scanner.labels[row]
        if scanner.count_weights.shape[0] > 0:
            scanner.place_counts[first + place] = scanner.count_weights[row]
        if scanner.float_weights.shape[0] > 0:
            scanner.place_weights[first + place] = scanner.float_weights[row]


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
    cdef WeightedScan weighted
    best.feature = NONE
    best.n_left = 0
    _draw_features(scanner, node, random_state)
    if scanner.code == ETC:
        _find_by_sequences(scanner, node, best)
        return 0
    _count_node(scanner, node)
    if scanner.float_weights.shape[0] > 0:
        start_scan(&weighted, scanner.counts, scanner.code)
        _find_in_block(scanner, &weighted, node, best)
    elif scanner.code == ENTROPY:
        start_scan(&entropy, scanner.counts, scanner.code)
        _find(scanner, &entropy, node, best)
    elif scanner.counts.n_classes == 2:
        start_scan(&binary_gini, scanner.counts, scanner.code)
        _find(scanner, &binary_gini, node, best)
    else:
        start_scan(&gini, scanner.counts, scanner.code)
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


cdef void _find(Scanner scanner, ExactScan* scan, const NodeRows* node, Split* best) noexcept nogil:
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
        best.threshold = threshold_between(cut.below, cut.above)
        best.gain = best_gain(scan)


cdef void _find_in_block(Scanner scanner, CountScan* scan, const NodeRows* node, Split* best) noexcept nogil:
    cdef index_t k, feature, n_left
    cdef Gain gain
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        if scanner.partition.is_wide:
            n_left = _scan_feature(
                scanner, scan, node, wide_entries(scanner.partition, node.block, feature, node.start)
            )
        else:
            n_left = _scan_feature(
                scanner, scan, node, narrow_entries(scanner.partition, node.block, feature, node.start)
            )
        if n_left == 0:
            continue
        if CountScan is WeightedScan:
            gain = best_gain(scan)
            if best.feature != NONE and not is_greater_gain(&gain, &best.gain):
                continue
            best.gain = gain
        best.feature = feature
        best.n_left = n_left
        if is_perfect(scan):
            break
    if best.feature == NONE:
        return
    if CountScan is not WeightedScan:
        best.gain = best_gain(scan)
    best.threshold = _threshold(scanner, node, best)


cdef float64_t _threshold(Scanner scanner, const NodeRows* node, const Split* split) noexcept nogil:
    """Between the last value that goes left and the first that goes right."""
    cdef index_t last_left, first_right
    if scanner.partition.is_wide:
        last_left = place_of(wide_entries(scanner.partition, node.block, split.feature, node.start)[split.n_left - 1])
        first_right = place_of(wide_entries(scanner.partition, node.block, split.feature, node.start)[split.n_left])
    else:
        last_left = place_of(narrow_entries(scanner.partition, node.block, split.feature, node.start)[split.n_left - 1])
        first_right = place_of(narrow_entries(scanner.partition, node.block, split.feature, node.start)[split.n_left])
    return threshold_between(
        scanner.partition.X[block_row(scanner.partition, node.block, last_left), split.feature],
        scanner.partition.X[block_row(scanner.partition, node.block, first_right), split.feature],
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


cdef void _draw_features(Scanner scanner, const NodeRows* node, uint64_t random_state) noexcept nogil:
    """Draw max_features features without replacement, and further ones until one has an allowed cut."""
    cdef index_t i, chosen, feature, n_features = <index_t> scanner.partition.n_features
    cdef bint has_cut = False
    if scanner.max_features >= n_features:
        return
    for i in range(n_features):
        scanner.drawn[i] = i
        scanner.is_drawn[i] = False
    # drawn[:i] are the features drawn so far, drawn[i:] the others.
    for i in range(n_features):
        if i >= scanner.max_features and has_cut:
            break
        random_state += <uint64_t> 0x9E3779B97F4A7C15
        chosen = i + <index_t> ((<uint128_t> mix64(random_state) * <uint64_t> (n_features - i)) >> 64)
        feature = scanner.drawn[chosen]
        scanner.drawn[chosen] = scanner.drawn[i]
        scanner.drawn[i] = feature
        scanner.is_drawn[feature] = True
        if not node.in_block:
            count_rows(scanner.histograms, node.slot, node.start, node.stop, &feature, 1)
        has_cut = has_cut or _feature_has_cut(scanner, node, feature)
    scanner.n_drawn = 0
    for feature in range(n_features):
        if scanner.is_drawn[feature]:
            scanner.drawn[scanner.n_drawn] = feature
            scanner.n_drawn += 1


cdef bint _feature_has_cut(Scanner scanner, const NodeRows* node, index_t feature) noexcept nogil:
    cdef index_t n = node.stop - node.start
    if not node.in_block:
        if has_cut_at_edge(scanner.histograms, node.slot, feature, n, scanner.min_samples_leaf):
            return True
        sort_by_value(scanner.partition, feature, &scanner.partition.rows[node.start], n)
        return _has_cut(&scanner.partition.pairs[0], n, scanner.min_samples_leaf)
    if scanner.partition.is_wide:
        return _has_cut(wide_entries(scanner.partition, node.block, feature, node.start), n, scanner.min_samples_leaf)
    return _has_cut(narrow_entries(scanner.partition, node.block, feature, node.start), n, scanner.min_samples_leaf)


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
    cdef index_t i, k, feature, n_left
    for i in range(node.start, node.stop):
        scanner.etc.labels[i - node.start] = _label_at(scanner, node, i)
    scanner.etc.start_node(node.stop - node.start)
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        if scanner.partition.is_wide:
            n_left = _scan_sequences(scanner, node, wide_entries(scanner.partition, node.block, feature, node.start))
        else:
            n_left = _scan_sequences(scanner, node, narrow_entries(scanner.partition, node.block, feature, node.start))
        if n_left > 0:
            best.feature = feature
            best.n_left = n_left
    if best.feature != NONE:
        best.gain = scanner.etc.best_gain()
        best.threshold = _threshold(scanner, node, best)
    return 0


cdef index_t _scan_sequences(Scanner scanner, const NodeRows* node, const Entry* entries) except -1 nogil:
    """As _scan_feature."""
    cdef index_t i, n_left = 0, n = node.stop - node.start
    cdef index_t* ranks = &scanner.rank_of_place[0]
    cdef int64_t n_compressed = 0
    cdef Cuts cuts
    if not _has_cut(entries, n, scanner.min_samples_leaf):
        return 0
    cuts = _cuts_to_try(scanner, entries, n)
    for i in range(n):
        ranks[place_of(entries[i])] = <index_t> key_of(entries[i])
    for i in range(n):
        scanner.etc.ranks[i] = ranks[scanner.partition.rows[node.start + i]]
    for i in range(scanner.min_samples_leaf - 1, n - scanner.min_samples_leaf):
        if key_of(entries[i]) == key_of(entries[i + 1]) or not _is_tried(&cuts):
            continue
        if scanner.etc.offer(<index_t> key_of(entries[i]), i + 1):
            n_left = i + 1
        n_compressed += n
        if n_compressed >= LABELS_BETWEEN_SIGNALS:
            n_compressed = 0
            with gil:
                PyErr_CheckSignals()
    return n_left
