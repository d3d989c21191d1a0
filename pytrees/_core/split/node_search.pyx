"""The search for the best split of a node: its state, its samples, and the features that it draws.

`cut_search` looks for the best cut of a node, and `node_split` for the best split, be it of class counts or of label
sequences.
"""

import numpy as np

cimport cython
from libc.string cimport memcpy

from pytrees._core.base.compiler cimport trailing_zeros
from pytrees._core.base.sorting cimport Entry, place_of
from pytrees._core.base.types cimport float64_t, index_t, int8_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.base.wide cimport int128_t, uint128_t
from pytrees._core.criteria.absolute_error cimport add_sample, sort_targets
from pytrees._core.criteria.codes cimport OWN_CLASS_COUNTS, OWN_SEQUENCES, SEQUENCES
from pytrees._core.criteria.counts cimport TargetSums, add_target, are_numbers
from pytrees._core.criteria.user cimport CountCriterion, CutTable, SumCriterion
from pytrees._core.rows.category_splits cimport count_children, entries_by_category
from pytrees._core.rows.features cimport is_categorical, threshold_between, value_at
from pytrees._core.rows.partition cimport RowPartition, block_row, check_entries, has_cut, open_block
from pytrees._core.sequence.impurities cimport SequenceImpurity
from pytrees._core.sequence.scanner cimport SequenceScanner
from pytrees._core.split.allowed_cuts cimport Limits
from pytrees._core.split.feature_orders cimport NodeOrders
from pytrees._core.split.monotonic cimport NodeValue


cdef class Accelerator:
    cdef int find_cut(self, NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
        return 0

    cdef bint has_bins(self, const NodeRows* node, index_t n_levels) noexcept nogil:
        return False

    cdef int count_bins(self, NodeSearch search, NodeRows* node) except -1 nogil:
        return 0

    cdef int hand_down(
        self, NodeSearch search, const NodeRows* node, NodeRows* smaller, NodeRows* greater, bint has_smaller
    ) except -1 nogil:
        return 0

    cdef void drop(self, const NodeRows* node) noexcept nogil:
        pass

    cdef bint count_drawn(self, NodeSearch search, const NodeRows* node, index_t feature, bint can_cut) except -1 nogil:
        return can_cut

    cdef void mark_left(self, const NodeRows* node, const Split* split) noexcept nogil:
        pass

    cdef int64_t* divide(self, const NodeRows* node, const Split* split) noexcept nogil:
        return NULL

    cdef void take_rows(self, const NodeRows* node) noexcept nogil:
        pass

    cdef void take_block(self, NodeSearch search, const NodeRows* node) noexcept nogil:
        pass


@cython.final
cdef class NodeSearch:
    def __cinit__(
        self, RowPartition partition, labels, weights, ClassCounts counts, Judging judging,
        SequenceImpurity impurity, user_criterion, row_ids, Limits limits, index_t max_features, index_t n_threads,
        groups=None,
    ):
        cdef Py_ssize_t n_places = partition.row_of_place.shape[0]
        cdef index_t feature, row
        self.partition = partition
        self.accelerator = Accelerator()
        self.labels = labels
        self.count_weights = np.empty(0, dtype=np.int64)
        if weights is not None:
            self.count_weights = weights
        self.limits = limits
        self.max_features = max_features
        self.directions = np.empty(0, dtype=np.int8)
        self.counts = counts
        self.judging = judging
        if judging == SEQUENCES or judging == OWN_SEQUENCES:
            self.sequences = SequenceScanner(
                partition.n_rows, partition.n_features, counts.n_classes, n_threads, impurity, groups
            )
            self.orders = NodeOrders(partition, limits)
        self._take_user_criterion(user_criterion, row_ids)
        has_wide_labels = partition.is_wide or are_numbers(counts)
        self.narrow_labels = np.empty(0 if has_wide_labels else n_places, dtype=np.uint16)
        self.wide_labels = np.empty(n_places if has_wide_labels else 0, dtype=np.int32)
        self.place_counts = np.empty(n_places if self.count_weights.shape[0] > 0 else 0, dtype=np.int64)
        self.place_targets = np.empty(n_places if are_numbers(counts) else 0, dtype=np.int64)
        if partition.is_ranked:
            for row in range(<index_t> partition.features.n_rows):
                _fill_place(self, row, row)
        self.drawn = np.empty(partition.n_features, dtype=np.int32)
        self.drawn_categories = np.empty(partition.n_features, dtype=np.int32)
        self.urn = np.arange(partition.n_features, dtype=np.int32)
        self.origins = np.empty(partition.n_features, dtype=np.int32)
        self.drawn_bits = np.zeros((partition.n_features + 63) // 64, dtype=np.uint64)
        for feature in range(<index_t> partition.n_features):
            self.drawn_bits[feature >> 6] |= <uint64_t> 1 << (feature & 63)
        _list_drawn(self)

    def constrain(self, const int8_t[::1] directions):
        """Keep monotonic constraints, by feature."""
        self.directions = directions
        self.keeps_order = np.zeros((2, self.partition.n_rows + 1), dtype=np.uint8)
        if self.counts.errors is not None:
            self.counts.errors.keep_medians()

    def _take_user_criterion(self, criterion, row_ids):
        of_numbers = are_numbers(self.counts)
        if self.judging == OWN_CLASS_COUNTS:
            if not isinstance(criterion, SumCriterion if of_numbers else CountCriterion):
                judged = "sums of targets" if of_numbers else "class counts"
                raise TypeError(f"The criterion {criterion!r} does not judge {judged}.")
            self.table = CutTable(criterion, 3 if of_numbers else self.counts.n_classes)
        elif self.judging == OWN_SEQUENCES:
            self.user_sequence = criterion
            self.row_ids = np.empty(0, dtype=np.int64) if row_ids is None else np.ascontiguousarray(row_ids, np.int64)
            self.node_row_ids = np.empty(self.partition.n_rows, dtype=np.int64)
            self.user_cuts = np.empty((2, self.partition.n_rows), dtype=np.int32)
            self.user_gains = np.empty((2, self.partition.n_rows))


# ------------------------------------------------------------------------------------------------- values and missing

cdef NodeValue value_of_counted(NodeSearch search) noexcept nogil:
    """Return the value of the node that was counted last, by whole weights."""
    if are_numbers(search.counts):
        return NodeValue(search.counts.sums.sum, search.counts.sums.weight)
    return _value_of_counts(&search.counts.total_counts[0], search.counts.n_classes)


cdef NodeValue value_of_missing(NodeSearch search) noexcept nogil:
    """Return the value of the node's samples that lack the value of the scanned feature, by whole weights."""
    if are_numbers(search.counts):
        return NodeValue(search.counts.missing_sums.sum, search.counts.missing_sums.weight)
    return _value_of_counts(&search.counts.missing_counts[0], search.counts.n_classes)


cdef inline NodeValue _value_of_counts(const int64_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef NodeValue value = NodeValue(0, 0)
    for label in range(n_classes):
        value.weight += counts[label]
        value.total += label * counts[label]
    return value


cdef NodeValue value_of_samples(NodeSearch search, const NodeRows* node) noexcept nogil:
    """Return the value of a node that has just been made."""
    cdef NodeValue value = NodeValue(0, 0)
    cdef TargetSums sums
    cdef index_t i
    cdef int64_t weight = 1
    if are_numbers(search.counts):
        sum_targets(search, node, &sums)
        return NodeValue(sums.sum, sums.weight)
    for i in range(node.start, node.stop):
        if search.count_weights.shape[0] > 0:
            weight = search.count_weights[row_at(search, node, i)]
        value.weight += weight
        value.total += weight * label_at(search, node, i)
    return value


cdef void tally_missing(
    NodeSearch search, const NodeRows* node, const Entry* entries, index_t n_missing
) noexcept nogil:
    """Count the classes of the last n_missing of the node's sorted entries, which lack the value."""
    cdef index_t i, place, label, first = first_place(search, node), n = node.stop - node.start
    if are_numbers(search.counts):
        _sum_missing(search, entries + (n - n_missing), n_missing, first)
        return
    search.counts.missing_counts[:] = 0
    for i in range(n - n_missing, n):
        place = first + <index_t> place_of(entries[i])
        label = label_of_place(search, place, entries)
        search.counts.missing_counts[label] += weight_of_place(search, place)
    list_missing(search.counts)


cdef inline void _sum_missing(NodeSearch search, const Entry* entries, index_t n_missing, index_t first) noexcept nogil:
    cdef index_t i, place
    search.counts.missing_sums.weight = 0
    search.counts.missing_sums.sum = search.counts.missing_sums.spread = 0
    for i in range(n_missing):
        place = first + <index_t> place_of(entries[i])
        add_target(
            &search.counts.missing_sums, search.place_targets[place],
            search.place_counts[place] if search.count_weights.shape[0] > 0 else 1,
        )


cdef void list_missing(ClassCounts counts) noexcept nogil:
    cdef index_t label
    counts.n_missing_classes = 0
    for label in range(counts.n_classes):
        if counts.missing_counts[label] > 0:
            counts.missing_classes[counts.n_missing_classes] = label
            counts.n_missing_classes += 1


# ------------------------------------------------------------------------------------------- the samples of a node

cdef int start_block(NodeSearch search, NodeRows* node) except -1 nogil:
    """Sort the features of the node's samples, and lay their classes and weights beside them."""
    cdef index_t place, first
    if search.has_class_order:
        _order_by_class(search, node)
    open_block(search.partition, node.start, node.stop, &node.block)
    node.in_block = True
    if search.partition.is_ranked:
        return 0    # all rows have their places from the beginning
    first = first_place(search, node)
    for place in range(node.stop - node.start):
        _fill_place(search, first + place, block_row(search.partition, node.block, place))
    search.accelerator.take_block(search, node)


cdef void _order_by_class(NodeSearch search, NodeRows* node) noexcept nogil:
    """Put the node's rows of the first of two classes before the rows of the second class: a place then tells the
    class."""
    cdef index_t* rows = &search.partition.rows[node.start]
    cdef index_t* spare = &search.partition.spare_rows[0]
    cdef index_t i, row, n_of_0 = 0, n_of_1 = 0
    # rows[:n_of_0] and spare[:n_of_1] are the rows met so far; n_of_0 <= i.
    for i in range(node.stop - node.start):
        row = rows[i]
        rows[n_of_0] = row
        spare[n_of_1] = row
        n_of_1 += search.labels[row]
        n_of_0 += 1 - search.labels[row]
    memcpy(rows + n_of_0, spare, n_of_1 * sizeof(index_t))
    node.first_of_1 = n_of_0


cdef void share_block(NodeSearch search, NodeSearch other):
    """Use the classes and weights by place of another thread's search. Both partitions share the block already."""
    search.narrow_labels, search.wide_labels = other.narrow_labels, other.wide_labels
    search.place_counts, search.place_targets = other.place_counts, other.place_targets


cdef inline void _fill_place(NodeSearch search, index_t place, index_t row) noexcept nogil:
    if search.wide_labels.shape[0] > 0:
        search.wide_labels[place] = search.labels[row]
    else:
        search.narrow_labels[place] = <uint16_t> search.labels[row]
    if search.count_weights.shape[0] > 0:
        search.place_counts[place] = search.count_weights[row]
    if are_numbers(search.counts):
        search.place_targets[place] = search.counts.targets[search.labels[row]]


cdef index_t row_at(NodeSearch search, const NodeRows* node, index_t i) noexcept nogil:
    if node.in_block:
        return block_row(search.partition, node.block, search.partition.rows[i])
    return search.partition.rows[i]


cdef index_t label_at(NodeSearch search, const NodeRows* node, index_t i) noexcept nogil:
    """Return the class of a sample; inside a block by its place, because places lie closer together."""
    if not node.in_block:
        return search.labels[search.partition.rows[i]]
    if search.wide_labels.shape[0] > 0:
        return search.wide_labels[first_place(search, node) + search.partition.rows[i]]
    return search.narrow_labels[first_place(search, node) + search.partition.rows[i]]


cdef index_t _count_first_class(NodeSearch search, const NodeRows* node) noexcept nogil:
    """Return how many places of the node, which are ascending, lie before the first of the second class."""
    cdef const index_t* places = &search.partition.rows[node.start]
    cdef index_t middle, low = 0, high = node.stop - node.start
    # places[:low] lie before it, places[high:] do not.
    while low < high:
        middle = (low + high) // 2
        if places[middle] < node.first_of_1:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint is_pure(NodeSearch search, const NodeRows* node) noexcept nogil:
    cdef index_t i, label
    cdef int64_t target
    if are_numbers(search.counts):
        target = _target_at(search, node, node.start)
        for i in range(node.start + 1, node.stop):
            if _target_at(search, node, i) != target:
                return False
        return True
    label = label_at(search, node, node.start)
    if node.in_block and search.has_class_order:
        return label_at(search, node, node.stop - 1) == label
    for i in range(node.start + 1, node.stop):
        if label_at(search, node, i) != label:
            return False
    return True


cdef void count_classes(NodeSearch search, const NodeRows* node, float64_t* value) noexcept nogil:
    """Add up the classes of the node's samples, in their order."""
    cdef index_t i, label
    for label in range(search.counts.n_classes):
        value[label] = 0.0
    if node.in_block and search.has_class_order:
        value[0] = <float64_t> _count_first_class(search, node)
        value[1] = <float64_t> (node.stop - node.start) - value[0]
        return
    for i in range(node.start, node.stop):
        label = label_at(search, node, i)
        if search.count_weights.shape[0] > 0:
            value[label] += <float64_t> search.count_weights[row_at(search, node, i)]
        else:
            value[label] += 1.0


cdef void count_node(NodeSearch search, const NodeRows* node) noexcept nogil:
    cdef index_t i, label
    cdef bint is_weighted = search.count_weights.shape[0] > 0
    if search.is_counted:
        return
    if node.in_block and search.has_class_order:
        search.counts.total_counts[0] = _count_first_class(search, node)
        search.counts.total_counts[1] = node.stop - node.start - search.counts.total_counts[0]
        return
    if are_numbers(search.counts):
        sum_targets(search, node, &search.counts.sums)
        return
    search.counts.total_counts[:] = 0
    for i in range(node.start, node.stop):
        label = label_at(search, node, i)
        search.counts.total_counts[label] += (search.count_weights[row_at(search, node, i)] if is_weighted else 1)


cdef void sum_targets(NodeSearch search, const NodeRows* node, TargetSums* sums) noexcept nogil:
    """Add up the targets of the node's samples, and find the least and the greatest of them."""
    cdef index_t i
    cdef int64_t target, least, greatest
    cdef TargetSums found
    cdef bint is_weighted = search.count_weights.shape[0] > 0
    if search.counts.errors is not None:
        _find_median(search, node, sums)
        return
    found.weight = 0
    found.sum = found.spread = 0
    least = greatest = _target_at(search, node, node.start)
    for i in range(node.start, node.stop):
        target = _target_at(search, node, i)
        least, greatest = min(least, target), max(greatest, target)
        if is_weighted:
            add_target(&found, target, _count_at(search, node, i))
        else:
            found.sum += <int128_t> target
            found.spread += <int128_t> target * target
    if not is_weighted:
        found.weight = node.stop - node.start
    sums[0] = found
    search.counts.least, search.counts.greatest = least, greatest


cdef inline int64_t _count_at(NodeSearch search, const NodeRows* node, index_t i) noexcept nogil:
    """Return the weight of a sample if weights are whole numbers."""
    if node.in_block:
        return search.place_counts[first_place(search, node) + search.partition.rows[i]]
    return search.count_weights[search.partition.rows[i]]


cdef inline int64_t _target_at(NodeSearch search, const NodeRows* node, index_t i) noexcept nogil:
    if node.in_block:
        return search.place_targets[first_place(search, node) + search.partition.rows[i]]
    return search.counts.targets[search.labels[search.partition.rows[i]]]


cdef inline void _find_median(NodeSearch search, const NodeRows* node, TargetSums* sums) noexcept nogil:
    cdef index_t i
    search.counts.errors.n = 0
    for i in range(node.start, node.stop):
        # Outside a block, where no cut is searched, samples have no places.
        add_sample(
            search.counts.errors, search.partition.rows[i] if node.in_block else i - node.start,
            label_at(search, node, i),
            search.count_weights[row_at(search, node, i)] if search.count_weights.shape[0] > 0 else 1,
        )
    sort_targets(search.counts.errors, search.counts.targets)
    sums.weight, sums.spread = search.counts.errors.total, search.counts.errors.error
    sums.sum = <int128_t> sums.weight * search.counts.errors.targets[search.counts.errors.median]


cdef int64_t weight_of_node(NodeSearch search) noexcept nogil:
    """Return the weight of the node that was counted last."""
    cdef index_t label
    cdef int64_t total = 0
    if are_numbers(search.counts):
        return search.counts.sums.weight
    for label in range(search.counts.n_classes):
        total += search.counts.total_counts[label]
    return total


cdef float64_t threshold_of(NodeSearch search, const NodeRows* node, const Split* split) noexcept nogil:
    """Return the threshold between the last value that goes left and the first that goes right."""
    return threshold_between(
        value_at(search.partition.features, block_row(search.partition, node.block, split.last_left), split.feature),
        value_at(search.partition.features, block_row(search.partition, node.block, split.first_right), split.feature),
    )


cdef void write_cut(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* entries, index_t n_missing,
    index_t n_known_left, bint missing_left, Split* best
) noexcept nogil:
    """Write the split that sends the first samples of the sorted entries, and perhaps the samples that lack the value,
    to the left; its gain and its threshold are not written."""
    best.feature = feature
    best.n_missing = n_missing
    best.n_missing_left = n_missing if missing_left else 0
    best.n_left = n_known_left + best.n_missing_left
    best.last_left = place_of(entries[n_known_left - 1])
    best.first_right = place_of(entries[n_known_left])


# ------------------------------------------------------------------------------------------------ which features

cdef uint64_t mix64(uint64_t state) noexcept nogil:
    """Return the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state = (state ^ (state >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    state = (state ^ (state >> 27)) * <uint64_t> 0x94D049BB133111EB
    return state ^ (state >> 31)


cdef int draw_features(NodeSearch search, const NodeRows* node, uint64_t random_state) except -1 nogil:
    """Draw max_features features without replacement, and further ones until one has a cut that the limit on numbers of
    samples allows."""
    cdef index_t i, chosen, feature, n_drawn = 0, n_features = <index_t> search.partition.n_features
    cdef bint can_cut = False
    if search.max_features >= n_features:
        return 0
    # urn[:n_drawn] are the features drawn so far, urn[n_drawn:] the others.
    while n_drawn < n_features and (n_drawn < search.max_features or not can_cut):
        random_state += <uint64_t> 0x9E3779B97F4A7C15
        chosen = n_drawn + <index_t> ((<uint128_t> mix64(random_state) * <uint64_t> (n_features - n_drawn)) >> 64)
        feature = search.urn[chosen]
        search.urn[chosen] = search.urn[n_drawn]
        search.urn[n_drawn] = feature
        check_entries(search.partition, node.stop - node.start)
        search.origins[n_drawn] = chosen
        search.drawn_bits[feature >> 6] |= <uint64_t> 1 << (feature & 63)
        n_drawn += 1
        if node.in_block or is_categorical(search.partition.features, feature):
            can_cut = can_cut or _can_split(search, node, feature)
        else:
            can_cut = search.accelerator.count_drawn(search, node, feature, can_cut)
    for i in range(n_drawn - 1, -1, -1):
        feature = search.urn[i]
        search.urn[i] = search.urn[search.origins[i]]
        search.urn[search.origins[i]] = feature
    _list_drawn(search)


cdef void _list_drawn(NodeSearch search) noexcept nogil:
    """List the features whose bits are set, and take the bits away."""
    cdef index_t word, feature
    cdef uint64_t bits
    search.n_drawn = 0
    search.n_drawn_categories = 0
    for word in range(<index_t> search.drawn_bits.shape[0]):
        bits = search.drawn_bits[word]
        search.drawn_bits[word] = 0
        while bits != 0:
            feature = 64 * word + trailing_zeros(bits)
            bits &= bits - 1
            if is_categorical(search.partition.features, feature):
                search.drawn_categories[search.n_drawn_categories] = feature
                search.n_drawn_categories += 1
            else:
                search.drawn[search.n_drawn] = feature
                search.n_drawn += 1


cdef inline bint _can_split(NodeSearch search, const NodeRows* node, index_t feature) noexcept nogil:
    if is_categorical(search.partition.features, feature):
        return _allows_children(search, node, feature)
    return has_cut(search.partition, node.block, feature, node.start, node.stop, search.limits.min_samples_leaf)


cdef bint _allows_children(NodeSearch search, const NodeRows* node, index_t feature) noexcept nogil:
    if search.partition.is_wide or not node.in_block:
        return _has_children(search, node, feature, <const uint64_t*> NULL)
    return _has_children(search, node, feature, <const uint32_t*> NULL)


cdef inline bint _has_children(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* width
) noexcept nogil:
    """Whether the node can be split by a categorical feature. For divisions into two sets this checks only the number
    of all samples, so True may be optimistic."""
    cdef index_t n = node.stop - node.start, fewest = search.limits.min_samples_leaf
    cdef const Entry* entries = entries_by_category(
        search.partition, node.in_block, node.block, feature, node.start, node.stop, width
    )
    if search.categories is not None:
        if 2 * <int64_t> fewest > n:
            return False
        fewest = 1
    return count_children(entries, n, fewest) > 0
