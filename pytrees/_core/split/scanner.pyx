"""Best split of one node: which features, which cuts, and the loop over the cuts of a feature."""

import numpy as np

cimport cython

from pytrees._core.split.bin_cuts cimport BinCut, find_cut, has_cut_at_edge
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.split.category_splits cimport allowed_children, find_category_split
from pytrees._core.criteria.clusterings cimport JaccardScan, LabelledScan, RatioScan
from pytrees._core.criteria.counts cimport (
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
from pytrees._core.split.cuts cimport Cuts, cuts_to_try, entries_have_cut, is_tried
from pytrees._core.criteria.gain cimport Gain, exact_gain, is_greater_gain, tolerant_gain
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan
from pytrees._core.split.node_rows cimport count_node, fill_places, first_place, label_at, row_at
from pytrees._core.criteria.ordinal cimport OrdinalGiniScan, RankingScan
from pytrees._core.rows.histogram cimport Histograms, count_rows
from pytrees._core.rows.partition cimport (
    RowPartition,
    block_row,
    has_cut,
    is_categorical,
    narrow_entries,
    sort_by_value,
    threshold_between,
    wide_entries,
)
from pytrees._core.sequence.scanner cimport FeatureOrders, SequenceScanner
from pytrees._core.sequence.scanner cimport find_cut as find_sequence_cut
from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport (
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
    USER_COUNTS,
    USER_SEQUENCE,
    WIG,
    float64_t,
    index_t,
    int64_t,
    uint16_t,
    uint32_t,
    uint64_t,
    uint128_t,
)
from pytrees._core.criteria.user cimport CutTable, UserCut, first_greatest, judge_sequences, judge_table
from pytrees._core.split.user_cuts cimport add_cuts
from pytrees._core.criteria.weighted cimport WeightedScan, move_weight_left
from pytrees._core.criteria.wig cimport WigBest, WigScan

from pytrees._core.criteria.counts import user_criterion_of


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
        if self.code == ETC or self.code == USER_SEQUENCE:
            self.sequences = SequenceScanner(partition.n_rows, partition.n_features, n_classes, n_threads)
            self.number_of_place = np.empty(n_places, dtype=np.int32)
        self._take_user_criterion(*user_criterion_of(criterion))
        self.narrow_labels = np.empty(0 if partition.is_wide else n_places, dtype=np.uint16)
        self.wide_labels = np.empty(n_places if partition.is_wide else 0, dtype=np.int32)
        self.place_counts = np.empty(n_places if self.count_weights.shape[0] > 0 else 0, dtype=np.int64)
        self.place_weights = np.empty(n_places if self.float_weights.shape[0] > 0 else 0, dtype=np.float64)
        if partition.is_ranked:
            fill_places(self)
        self.drawn = np.empty(partition.n_features, dtype=np.int32)
        self.drawn_categories = np.empty(partition.n_features, dtype=np.int32)
        self.is_drawn = np.ones(partition.n_features, dtype=np.uint8)
        _list_drawn(self)
        if self.n_drawn_categories > 0:
            most_children = partition.child_ends.shape[0]
            self.children = ChildCounts(
                self.counts, self.float_weights.shape[0] > 0, most_children, user_criterion_of(criterion)[0]
            )

    def _take_user_criterion(self, criterion, row_ids):
        if self.code == USER_COUNTS:
            self.table = CutTable(criterion, self.counts.n_classes)
        elif self.code == USER_SEQUENCE:
            self.user_sequence = criterion
            self.row_ids = np.empty(0, dtype=np.int64) if row_ids is None else np.ascontiguousarray(row_ids, np.int64)
            self.node_row_ids = np.empty(self.partition.n_rows, dtype=np.int64)
            self.user_gains = np.empty(self.partition.n_rows)

    cdef index_t read(self, index_t feature, index_t* order, index_t* cuts) noexcept nogil:
        cdef const uint32_t* narrow
        cdef const uint64_t* wide
        if self.partition.is_wide:
            wide = wide_entries(self.partition, self.node.block, feature, self.node.start, self.node.stop)
            return _read(self, wide, order, cuts)
        narrow = narrow_entries(self.partition, self.node.block, feature, self.node.start, self.node.stop)
        return _read(self, narrow, order, cuts)


# ------------------------------------------------------------------------------------------------------ the split

cdef int find_split(Scanner scanner, const NodeRows* node, uint64_t random_state, Split* best) except -1 nogil:
    """Write the best split of the node's rows to `best`; of equal ones that of the lowest feature, then threshold."""
    best.feature = NONE
    best.n_left = 0
    best.n_children = 2
    best.is_large = False
    draw_features(scanner, node, random_state)
    _find_cut(scanner, node, best)
    if scanner.n_drawn_categories > 0:
        find_category_split(scanner, node, best)
    return 0


cdef int _find_cut(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef OrdinalGiniScan ordinal_gini
    cdef RankingScan ranking
    cdef RatioScan ratio
    cdef JaccardScan jaccard
    cdef LabelledScan labelled
    cdef WigScan wig
    cdef WigBest wig_best
    cdef WeightedScan weighted
    cdef UserCut user_cut
    if scanner.code == ETC:
        _find_by_sequences(scanner, node, best)
        return 0
    if scanner.code == USER_SEQUENCE:
        _find_by_user_sequences(scanner, node, best)
        return 0
    if scanner.code == USER_COUNTS:
        add_cuts(scanner, node, 0, &user_cut)
        judge_table(scanner.table, &user_cut)
        _take_user_cut(scanner, node, &user_cut, best)
        return 0
    count_node(scanner, node)
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
    elif scanner.code == WIG:
        wig.best = &wig_best
        start_scan(&wig, scanner.counts)
        _find_in_block(scanner, &wig, node, best)
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
        if CountScan is WeightedScan or CountScan is WigScan:
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
    if CountScan is not WeightedScan and CountScan is not WigScan:
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
    cdef index_t n_left, n = node.stop - node.start, first = first_place(scanner, node)
    cdef bint is_weighted = scanner.count_weights.shape[0] > 0
    cdef Cuts cuts
    cdef CountScan local = scan[0]
    if not entries_have_cut(entries, n, scanner.min_samples_leaf):
        return 0
    cuts = cuts_to_try(entries, n, scanner.min_samples_leaf, scanner.max_candidates)
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
        if (not asks_cuts or is_tried(cuts)) and offer(scan):
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
        if not node.in_block and not is_categorical(scanner.partition.features, feature):
            count_rows(scanner.histograms, node.slot, node.start, node.stop, &feature, 1)
        can_cut = can_cut or _can_split(scanner, node, feature)
    _list_drawn(scanner)


cdef void _list_drawn(Scanner scanner) noexcept nogil:
    cdef index_t feature
    scanner.n_drawn = 0
    scanner.n_drawn_categories = 0
    for feature in range(<index_t> scanner.partition.n_features):
        if not scanner.is_drawn[feature]:
            continue
        if is_categorical(scanner.partition.features, feature):
            scanner.drawn_categories[scanner.n_drawn_categories] = feature
            scanner.n_drawn_categories += 1
        else:
            scanner.drawn[scanner.n_drawn] = feature
            scanner.n_drawn += 1


cdef bint _can_split(Scanner scanner, const NodeRows* node, index_t feature) noexcept nogil:
    cdef index_t n = node.stop - node.start
    if is_categorical(scanner.partition.features, feature):
        return allowed_children(scanner, node, feature) > 0
    if node.in_block:
        return has_cut(scanner.partition, node.block, feature, node.start, node.stop, scanner.min_samples_leaf)
    if has_cut_at_edge(scanner.histograms, node.slot, feature, n, scanner.min_samples_leaf):
        return True
    sort_by_value(
        scanner.partition.features, feature, &scanner.partition.rows[node.start], n, &scanner.partition.pairs[0],
        &scanner.partition.spare_pairs[0],
    )
    return entries_have_cut(&scanner.partition.pairs[0], n, scanner.min_samples_leaf)


# ------------------------------------------------------------------------------------------------------ sequences

cdef void _start_sequences(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Lay out the node's labels in the order of its rows, and where each place stands among them."""
    cdef index_t i
    scanner.node = node[0]
    for i in range(node.stop - node.start):
        scanner.number_of_place[scanner.partition.rows[node.start + i]] = i
        scanner.sequences.labels[i] = label_at(scanner, node, node.start + i)


cdef int _find_by_sequences(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    cdef index_t i, n = node.stop - node.start
    _start_sequences(scanner, node)
    for i in range(scanner.n_drawn):
        scanner.sequences.features[i] = scanner.drawn[i]
    find_sequence_cut(scanner.sequences, scanner, n, scanner.n_drawn, scanner.max_candidates)
    if scanner.sequences.best.feature == NONE:
        return 0
    best.gain = exact_gain(
        <int64_t> n * scanner.sequences.node_effort - scanner.sequences.best.cost, 1, n
    )
    _take_cut(scanner, node, scanner.sequences.best.feature, scanner.sequences.best.n_left, best)
    return 0


cdef void _take_cut(Scanner scanner, const NodeRows* node, index_t feature, index_t n_left, Split* best) noexcept nogil:
    """The split that sends the first `n_left` rows in ascending order of the feature to the left."""
    best.feature = feature
    if scanner.partition.is_wide:
        _set_neighbours(wide_entries(scanner.partition, node.block, feature, node.start, node.stop), n_left, best)
    else:
        _set_neighbours(narrow_entries(scanner.partition, node.block, feature, node.start, node.stop), n_left, best)
    best.threshold = _threshold(scanner, node, best)


cdef index_t _read(Scanner scanner, const Entry* entries, index_t* order, index_t* cuts) noexcept nogil:
    """As FeatureOrders.read."""
    cdef index_t i, n_cuts = 0, n = scanner.node.stop - scanner.node.start
    cdef Cuts allowed
    if not entries_have_cut(entries, n, scanner.min_samples_leaf):
        return 0
    allowed = cuts_to_try(entries, n, scanner.min_samples_leaf, scanner.max_candidates)
    for i in range(n):
        order[i] = scanner.number_of_place[place_of(entries[i])]
    for i in range(scanner.min_samples_leaf - 1, n - scanner.min_samples_leaf):
        if key_of(entries[i]) != key_of(entries[i + 1]) and is_tried(&allowed):
            cuts[n_cuts] = i + 1
            n_cuts += 1
    return n_cuts


# ------------------------------------------------------------------------------------------- a user's own criterion

cdef int offer_to_user(
    Scanner scanner, const NodeRows* node, uint64_t random_state, index_t number, UserCut* best_of_node
) except -1 nogil:
    """Put the node's cuts into the table under this number; where it is full they are judged at once."""
    draw_features(scanner, node, random_state)
    return add_cuts(scanner, node, number, best_of_node)


cdef int take_user_cut(
    Scanner scanner, const NodeRows* node, uint64_t random_state, const UserCut* cut, Split* best
) except -1 nogil:
    """The best split of the node whose best cut has been judged."""
    best.feature = NONE
    best.n_children = 2
    best.is_large = False
    _take_user_cut(scanner, node, cut, best)
    if scanner.children is not None:
        # Other nodes have been looked at since its cuts were offered.
        draw_features(scanner, node, random_state)
        count_node(scanner, node)
        find_category_split(scanner, node, best)
    return 0


cdef void _take_user_cut(Scanner scanner, const NodeRows* node, const UserCut* cut, Split* best) noexcept nogil:
    if cut.feature == NONE:
        return
    best.gain = tolerant_gain(cut.gain, cut.weight)
    _take_cut(scanner, node, cut.feature, cut.n_left, best)


cdef int _find_by_user_sequences(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    cdef index_t i, k, n_cuts, best_of_feature, row, n = node.stop - node.start
    cdef Gain gain
    _start_sequences(scanner, node)
    for i in range(n):
        row = row_at(scanner, node, node.start + i)
        scanner.node_row_ids[i] = scanner.row_ids[row] if scanner.row_ids.shape[0] > 0 else row
    for k in range(scanner.n_drawn):
        n_cuts = scanner.read(scanner.drawn[k], &scanner.sequences.worker.order[0], &scanner.sequences.worker.cuts[0])
        if n_cuts == 0:
            continue
        judge_sequences(
            scanner.user_sequence, scanner.sequences.labels[:n], scanner.node_row_ids[:n],
            scanner.sequences.worker.order[:n], scanner.sequences.worker.cuts[:n_cuts], scanner.user_gains[:n_cuts],
        )
        best_of_feature = first_greatest(scanner.user_gains[:n_cuts])
        if best_of_feature == NONE:
            continue
        gain = tolerant_gain(scanner.user_gains[best_of_feature], <float64_t> n)
        if best.feature == NONE or is_greater_gain(&gain, &best.gain):
            best.gain = gain
            _take_cut(scanner, node, scanner.drawn[k], scanner.sequences.worker.cuts[best_of_feature], best)
    return 0
