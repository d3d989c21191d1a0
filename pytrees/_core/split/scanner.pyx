"""The search for the best split of a node: its state, its samples, and the features that it draws.

Modules above this one look for cuts (`scan`, `sequences`, `user_cuts`) and for splits by category (`categories`);
`find` asks them all.
"""

import numpy as np

cimport cython
from libc.string cimport memcpy

from pytrees._core.base.compiler cimport trailing_zeros
from pytrees._core.base.sorting cimport Entry, place_of
from pytrees._core.base.types cimport (
    MISSING_LEFT, MISSING_RIGHT, float64_t, index_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t,
)
from pytrees._core.base.wide cimport uint128_t
from pytrees._core.criteria.user cimport CutTable
from pytrees._core.rows.histogram cimport (
    Histograms, count_missing_by_bin, count_rows, feature_counts, n_classes_of, rows_in_bin,
)
from pytrees._core.rows.partition cimport (
    ENTRIES_BEHIND, RowPartition, block_row, count_children, entries_of, has_cut, is_categorical, missing_has_cut,
    open_block, order_by_category, sort_by_value, threshold_between,
)
from pytrees._core.sequence.impurities cimport SequenceImpurity
from pytrees._core.sequence.scanner cimport SequenceScanner
from pytrees._core.split.feature_orders cimport NodeOrders


@cython.final
cdef class CutScores:
    def __cinit__(self, Py_ssize_t most_rows, Py_ssize_t n_features, Py_ssize_t n_classes):
        n_cuts = most_rows + ENTRIES_BEHIND
        has_two_classes = n_classes == 2
        self.left_factors = np.empty(n_cuts, dtype=np.float32)
        self.right_factors = np.empty(0 if has_two_classes else n_cuts, dtype=np.float32)
        self.best_of_feature = np.empty(n_features, dtype=np.float32)
        self.steps = np.empty(n_classes, dtype=np.uint64)
        self.found = np.empty(n_cuts, dtype=np.uint32)
        self.squares_of_found = np.empty(0 if has_two_classes else n_cuts, dtype=np.uint64)


@cython.final
cdef class Scanner:
    def __cinit__(
        self, RowPartition partition, Histograms histograms, labels, weights, ClassCounts counts, Judging judging,
        SequenceImpurity impurity, user_criterion, row_ids, index_t min_samples_leaf, index_t max_candidates,
        index_t max_features, index_t n_threads, groups=None,
    ):
        cdef Py_ssize_t n_places = partition.row_of_place.shape[0]
        cdef index_t feature
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
        self.counts = counts
        self.judging = judging
        if judging == SEQUENCES or judging == OWN_SEQUENCES:
            self.sequences = SequenceScanner(
                partition.n_rows, partition.n_features, counts.n_classes, n_threads, impurity, groups
            )
            self.orders = NodeOrders(partition, min_samples_leaf, max_candidates)
        self._take_user_criterion(user_criterion, row_ids)
        self.narrow_labels = np.empty(0 if partition.is_wide else n_places, dtype=np.uint16)
        self.wide_labels = np.empty(n_places if partition.is_wide else 0, dtype=np.int32)
        self.place_counts = np.empty(n_places if self.count_weights.shape[0] > 0 else 0, dtype=np.int64)
        self.place_weights = np.empty(n_places if self.float_weights.shape[0] > 0 else 0, dtype=np.float64)
        if partition.is_ranked:
            fill_places(self)
        self.drawn = np.empty(partition.n_features, dtype=np.int32)
        self.drawn_categories = np.empty(partition.n_features, dtype=np.int32)
        self.urn = np.arange(partition.n_features, dtype=np.int32)
        self.places = np.empty(partition.n_features, dtype=np.int32)
        self.drawn_bits = np.zeros((partition.n_features + 63) // 64, dtype=np.uint64)
        for feature in range(<index_t> partition.n_features):
            self.drawn_bits[feature >> 6] |= <uint64_t> 1 << (feature & 63)
        _list_drawn(self)

    def _take_user_criterion(self, criterion, row_ids):
        if self.judging == OWN_CLASS_COUNTS:
            self.table = CutTable(criterion, self.counts.n_classes)
        elif self.judging == OWN_SEQUENCES:
            self.user_sequence = criterion
            self.row_ids = np.empty(0, dtype=np.int64) if row_ids is None else np.ascontiguousarray(row_ids, np.int64)
            self.node_row_ids = np.empty(self.partition.n_rows, dtype=np.int64)
            self.user_cuts = np.empty((2, self.partition.n_rows), dtype=np.int32)
            self.user_gains = np.empty((2, self.partition.n_rows))


cdef KnownEnds known_ends(
    Scanner scanner, const NodeRows* node, const Entry* entries, index_t n_missing
) noexcept nogil:
    """Return how many known values a cut may send left so that both sides have samples enough, which weigh enough. Of
    the sorted entries the last n_missing lack the value. The classes of the node are counted."""
    cdef index_t n_known = node.stop - node.start - n_missing
    cdef KnownEnds ends
    ends.fewest[MISSING_RIGHT] = scanner.min_samples_leaf
    ends.most[MISSING_RIGHT] = min(n_known + n_missing - scanner.min_samples_leaf, n_known)
    ends.fewest[MISSING_LEFT] = max(scanner.min_samples_leaf - n_missing, 1)
    # Without missing values none is allowed.
    ends.most[MISSING_LEFT] = n_known - scanner.min_samples_leaf if n_missing > 0 else 0
    if scanner.min_leaf_weight > 0.0:
        _weigh_known_ends(scanner, node, entries, n_missing, &ends)
    return ends


cdef inline float64_t _weight_of(Scanner scanner, const NodeRows* node, Entry entry) noexcept nogil:
    cdef index_t place = first_place(scanner, node) + <index_t> place_of(entry)
    if scanner.float_weights.shape[0] > 0:
        return scanner.place_weights[place]
    return <float64_t> scanner.place_counts[place]


cdef void _weigh_known_ends(
    Scanner scanner, const NodeRows* node, const Entry* entries, index_t n_missing, KnownEnds* ends
) noexcept nogil:
    """Narrow the ends to cuts whose sides weigh enough."""
    cdef index_t i, way, n_known = node.stop - node.start - n_missing
    cdef index_t[2] light_left, heavy_right
    cdef float64_t known = 0.0, missing = 0.0, left, total = weight_of_node(scanner)
    for i in range(n_missing):
        missing += _weight_of(scanner, node, entries[n_known + i])
    light_left[0] = light_left[1] = heavy_right[0] = heavy_right[1] = 0
    # As in weigh_ends, entries[:i + 1] weigh `known`, without and with those whose value is missing.
    for i in range(n_known):
        known += _weight_of(scanner, node, entries[i])
        for way in range(2):
            left = known + missing if way == MISSING_LEFT else known
            light_left[way] += left < scanner.min_leaf_weight
            heavy_right[way] += total - left >= scanner.min_leaf_weight
    for way in range(2):
        ends.fewest[way] = max(ends.fewest[way], light_left[way] + 1)
        ends.most[way] = min(ends.most[way], heavy_right[way])


cdef void tally_missing(
    Scanner scanner, const NodeRows* node, const Entry* entries, index_t n_missing
) noexcept nogil:
    """Count the classes of the last n_missing of the node's sorted entries, which lack the value."""
    _tally_missing(scanner, scanner.counts, node, entries, n_missing)


cdef inline void _tally_missing(
    Scanner scanner, ClassCounts counts, const NodeRows* node, const Entry* entries, index_t n_missing
) noexcept nogil:
    cdef index_t i, place, label, n = node.stop - node.start
    cdef float64_t weight
    counts.missing_counts[:] = 0
    counts.missing_weights[:] = 0.0
    counts.missing_weight = 0.0
    for i in range(n - n_missing, n):
        place = first_place(scanner, node) + <index_t> place_of(entries[i])
        label = label_of_place(scanner, place, entries)
        counts.missing_counts[label] += scanner.place_counts[place] if scanner.count_weights.shape[0] > 0 else 1
        weight = scanner.place_weights[place] if scanner.float_weights.shape[0] > 0 else 1.0
        counts.missing_weights[label] += weight
        counts.missing_weight += weight
    _list_missing(counts)


cdef void tally_missing_bin(ClassCounts counts, const int32_t* missing) noexcept nogil:
    """Take over the class counts of the bin of missing values."""
    cdef index_t label
    for label in range(counts.n_classes):
        counts.missing_counts[label] = missing[label]
    _list_missing(counts)


cdef inline void _list_missing(ClassCounts counts) noexcept nogil:
    cdef index_t label
    counts.n_missing_classes = 0
    for label in range(counts.n_classes):
        if counts.missing_counts[label] > 0:
            counts.missing_classes[counts.n_missing_classes] = label
            counts.n_missing_classes += 1


cdef void weigh_ends(Scanner scanner, const NodeRows* node, const Entry* entries, Ends* ends) noexcept nogil:
    """Raise the fewest samples on both sides to those that weigh enough."""
    cdef index_t i, place, first = first_place(scanner, node), n = node.stop - node.start
    cdef index_t light_left = 0, heavy_right = 0
    cdef bint has_floats = scanner.float_weights.shape[0] > 0
    cdef float64_t left = 0.0, total = weight_of_node(scanner)
    # entries[:i + 1] weigh `left`. Of these beginnings, the first light_left weigh too little, and the first
    # heavy_right leave enough on the right.
    for i in range(n):
        place = first + <index_t> place_of(entries[i])
        left += scanner.place_weights[place] if has_floats else <float64_t> scanner.place_counts[place]
        light_left += left < scanner.min_leaf_weight
        heavy_right += total - left >= scanner.min_leaf_weight
    ends.left = max(ends.left, light_left + 1)
    ends.right = max(ends.right, n - heavy_right)


# ------------------------------------------------------------------------------------------- the samples of a node

cdef void start_block(Scanner scanner, NodeRows* node) noexcept nogil:
    """Sort the features of the node's samples, and lay their classes and weights beside them."""
    cdef index_t place, first
    if _has_order_of_classes(scanner):
        _order_by_class(scanner, node)
    node.block = open_block(scanner.partition, node.start, node.stop)
    node.in_block = True
    if scanner.partition.is_ranked:
        return      # all rows have their places from the beginning
    first = first_place(scanner, node)
    for place in range(node.stop - node.start):
        _fill_place(scanner, first + place, block_row(scanner.partition, node.block, place))


cdef inline bint _has_order_of_classes(Scanner scanner) noexcept nogil:
    """Whether the places of a block are in the order of their classes, which are two."""
    return scanner.scores is not None and scanner.counts.n_classes == 2


cdef void _order_by_class(Scanner scanner, NodeRows* node) noexcept nogil:
    """Put the node's rows of the first of two classes before those of the second: a place then tells the class."""
    cdef index_t* rows = &scanner.partition.rows[node.start]
    cdef index_t* spare = &scanner.partition.spare_rows[0]
    cdef index_t i, row, n_of_0 = 0, n_of_1 = 0
    # rows[:n_of_0] and spare[:n_of_1] are those met so far; n_of_0 <= i.
    for i in range(node.stop - node.start):
        row = rows[i]
        rows[n_of_0] = row
        spare[n_of_1] = row
        n_of_1 += scanner.labels[row]
        n_of_0 += 1 - scanner.labels[row]
    memcpy(rows + n_of_0, spare, n_of_1 * sizeof(index_t))
    node.first_of_1 = n_of_0


cdef void share_block(Scanner scanner, Scanner other):
    """Let the scanner read the classes and weights beside the block of another thread's, which its partition shares."""
    scanner.narrow_labels, scanner.wide_labels = other.narrow_labels, other.wide_labels
    scanner.place_counts, scanner.place_weights = other.place_counts, other.place_weights


cdef void fill_places(Scanner scanner) noexcept nogil:
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


cdef index_t row_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil:
    if node.in_block:
        return block_row(scanner.partition, node.block, scanner.partition.rows[i])
    return scanner.partition.rows[i]


cdef index_t label_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil:
    """Return the class of a sample; inside a block by its place, because places lie closer together."""
    if not node.in_block:
        return scanner.labels[scanner.partition.rows[i]]
    if scanner.partition.is_wide:
        return scanner.wide_labels[first_place(scanner, node) + scanner.partition.rows[i]]
    return scanner.narrow_labels[first_place(scanner, node) + scanner.partition.rows[i]]


cdef index_t _count_first_class(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Return how many places of the node, which are ascending, lie before the first of the second class."""
    cdef const index_t* places = &scanner.partition.rows[node.start]
    cdef index_t middle, low = 0, high = node.stop - node.start
    # places[:low] lie before it, places[high:] do not.
    while low < high:
        middle = (low + high) // 2
        if places[middle] < node.first_of_1:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint is_pure(Scanner scanner, const NodeRows* node) noexcept nogil:
    cdef index_t i, label = label_at(scanner, node, node.start)
    if node.in_block and _has_order_of_classes(scanner):
        return label_at(scanner, node, node.stop - 1) == label
    for i in range(node.start + 1, node.stop):
        if label_at(scanner, node, i) != label:
            return False
    return True


cdef void count_classes(Scanner scanner, const NodeRows* node, float64_t* value) noexcept nogil:
    """Add up the classes of the node's samples, in their order."""
    cdef index_t i, label
    for label in range(scanner.counts.n_classes):
        value[label] = 0.0
    if node.in_block and _has_order_of_classes(scanner):
        value[0] = <float64_t> _count_first_class(scanner, node)
        value[1] = <float64_t> (node.stop - node.start) - value[0]
        return
    for i in range(node.start, node.stop):
        label = label_at(scanner, node, i)
        if scanner.float_weights.shape[0] > 0:
            value[label] += scanner.float_weights[row_at(scanner, node, i)]
        elif scanner.count_weights.shape[0] > 0:
            value[label] += <float64_t> scanner.count_weights[row_at(scanner, node, i)]
        else:
            value[label] += 1.0


cdef void count_node(Scanner scanner, const NodeRows* node) noexcept nogil:
    cdef index_t i, label
    cdef bint is_weighted = scanner.count_weights.shape[0] > 0
    if scanner.is_counted:
        return
    if scanner.float_weights.shape[0] > 0:
        count_classes(scanner, node, &scanner.counts.total_weights[0])
        scanner.counts.total_weight = 0.0
        for i in range(node.start, node.stop):
            scanner.counts.total_weight += scanner.float_weights[row_at(scanner, node, i)]
        return
    if node.in_block and _has_order_of_classes(scanner):
        scanner.counts.total_counts[0] = _count_first_class(scanner, node)
        scanner.counts.total_counts[1] = node.stop - node.start - scanner.counts.total_counts[0]
        return
    scanner.counts.total_counts[:] = 0
    for i in range(node.start, node.stop):
        label = label_at(scanner, node, i)
        scanner.counts.total_counts[label] += (
            scanner.count_weights[row_at(scanner, node, i)] if is_weighted else 1
        )


cdef float64_t weight_of_node(Scanner scanner) noexcept nogil:
    """Return the weight of the node that was counted last."""
    cdef index_t label
    cdef int64_t total = 0
    if scanner.float_weights.shape[0] > 0:
        return scanner.counts.total_weight
    for label in range(scanner.counts.n_classes):
        total += scanner.counts.total_counts[label]
    return <float64_t> total


cdef float64_t threshold_of(Scanner scanner, const NodeRows* node, const Split* split) noexcept nogil:
    """Return the threshold between the last value that goes left and the first that goes right."""
    return threshold_between(
        scanner.partition.X[block_row(scanner.partition, node.block, split.last_left), split.feature],
        scanner.partition.X[block_row(scanner.partition, node.block, split.first_right), split.feature],
    )


cdef void take_cut(
    Scanner scanner, const NodeRows* node, index_t feature, index_t n_known_left, bint missing_left, Split* best,
    const Entry* width
) noexcept nogil:
    """Write the split that sends the first samples in ascending order of the feature to the left, and perhaps those
    that lack its value."""
    cdef const Entry* entries = entries_of(
        scanner.partition, node.block, feature, node.start, node.stop, width
    )
    best.feature = feature
    best.n_missing = missing_of(scanner, node, feature, entries)
    best.n_missing_left = best.n_missing if missing_left else 0
    best.n_left = n_known_left + best.n_missing_left
    best.last_left = place_of(entries[n_known_left - 1])
    best.first_right = place_of(entries[n_known_left])
    best.threshold = threshold_of(scanner, node, best)


# ------------------------------------------------------------------------------------------------ which features

cdef uint64_t mix64(uint64_t state) noexcept nogil:
    """Return the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state = (state ^ (state >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    state = (state ^ (state >> 27)) * <uint64_t> 0x94D049BB133111EB
    return state ^ (state >> 31)


cdef void draw_features(Scanner scanner, const NodeRows* node, uint64_t random_state) noexcept nogil:
    """Draw max_features features without replacement, and further ones until one has a cut that the limit on numbers of
    samples allows."""
    cdef index_t i, chosen, feature, n_drawn = 0, n_features = <index_t> scanner.partition.n_features
    cdef bint can_cut = False
    if scanner.max_features >= n_features:
        return
    # urn[:n_drawn] are the features drawn so far, urn[n_drawn:] the others.
    while n_drawn < n_features and (n_drawn < scanner.max_features or not can_cut):
        random_state += <uint64_t> 0x9E3779B97F4A7C15
        chosen = n_drawn + <index_t> ((<uint128_t> mix64(random_state) * <uint64_t> (n_features - n_drawn)) >> 64)
        feature = scanner.urn[chosen]
        scanner.urn[chosen] = scanner.urn[n_drawn]
        scanner.urn[n_drawn] = feature
        scanner.places[n_drawn] = chosen
        scanner.drawn_bits[feature >> 6] |= <uint64_t> 1 << (feature & 63)
        n_drawn += 1
        if not node.in_block and not is_categorical(scanner.partition.features, feature):
            count_rows(scanner.histograms, node.slot, node.start, node.stop, &feature, 1)
        can_cut = can_cut or _can_split(scanner, node, feature)
    for i in range(n_drawn - 1, -1, -1):
        feature = scanner.urn[i]
        scanner.urn[i] = scanner.urn[scanner.places[i]]
        scanner.urn[scanner.places[i]] = feature
    _list_drawn(scanner)


cdef void _list_drawn(Scanner scanner) noexcept nogil:
    """List the features whose bits are set, and take the bits away."""
    cdef index_t word, feature
    cdef uint64_t bits
    scanner.n_drawn = 0
    scanner.n_drawn_categories = 0
    for word in range(<index_t> scanner.drawn_bits.shape[0]):
        bits = scanner.drawn_bits[word]
        scanner.drawn_bits[word] = 0
        while bits != 0:
            feature = 64 * word + trailing_zeros(bits)
            bits &= bits - 1
            if is_categorical(scanner.partition.features, feature):
                scanner.drawn_categories[scanner.n_drawn_categories] = feature
                scanner.n_drawn_categories += 1
            else:
                scanner.drawn[scanner.n_drawn] = feature
                scanner.n_drawn += 1


cdef bint _can_split(Scanner scanner, const NodeRows* node, index_t feature) noexcept nogil:
    cdef index_t n_missing, n = node.stop - node.start
    if is_categorical(scanner.partition.features, feature):
        return _allows_children(scanner, node, feature)
    if node.in_block:
        return has_cut(scanner.partition, node.block, feature, node.start, node.stop, scanner.min_samples_leaf)
    n_missing = count_missing_by_bin(scanner.histograms, node.slot, feature)
    if n_missing == 0 and _has_cut_at_edge(scanner.histograms, node, feature, scanner.min_samples_leaf):
        return True
    if scanner.partition.features.n_values[feature] > 0:
        return False    # no bin holds several values
    sort_by_value(
        scanner.partition.features, feature, &scanner.partition.rows[node.start], n, &scanner.partition.pairs[0],
        &scanner.partition.spare_pairs[0],
    )
    return missing_has_cut(&scanner.partition.pairs[0], n, n_missing, scanner.min_samples_leaf)


cdef bint _allows_children(Scanner scanner, const NodeRows* node, index_t feature) noexcept nogil:
    if not node.in_block:
        order_by_category(scanner.partition, feature, node.start, node.stop)
        return _are_children(scanner, &scanner.partition.pairs[0], node.stop - node.start)
    if scanner.partition.is_wide:
        return _has_children(scanner, node, feature, <const uint64_t*> NULL)
    return _has_children(scanner, node, feature, <const uint32_t*> NULL)


cdef inline bint _has_children(
    Scanner scanner, const NodeRows* node, index_t feature, const Entry* width
) noexcept nogil:
    cdef const Entry* entries = entries_of(scanner.partition, node.block, feature, node.start, node.stop, width)
    return _are_children(scanner, entries, node.stop - node.start)


cdef inline bint _are_children(Scanner scanner, const Entry* entries, index_t n) noexcept nogil:
    """Whether the entries, sorted by category, can be split. Of sets of categories, it may be that only the number of
    all samples allows it."""
    if scanner.categories is not None:
        return 2 * <int64_t> scanner.min_samples_leaf <= n and count_children(entries, n, 1) > 0
    return count_children(entries, n, scanner.min_samples_leaf) > 0


cdef bint _has_cut_at_edge(
    Histograms histograms, const NodeRows* node, index_t feature, index_t min_samples_leaf
) noexcept nogil:
    """Whether a cut between two bins leaves min_samples_leaf of the node's samples on both sides."""
    cdef const int32_t* counts = feature_counts(histograms, node.slot, feature)
    cdef index_t bin, n_left = 0, n_rows = node.stop - node.start, n_columns = <index_t> histograms.n_columns
    for bin in range(histograms.bins.of_feature[feature].n_bins):
        n_left += rows_in_bin(counts + bin * n_columns, n_classes_of(histograms), n_columns)
        if min_samples_leaf <= n_left <= n_rows - min_samples_leaf:
            return True
    return False
