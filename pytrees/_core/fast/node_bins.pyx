"""Bins of one node's ranks, and their class counts. `node_bins.pxd` describes the arrays."""

import numpy as np

cimport cython
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport bit_length, prefetch, word_at
from pytrees._core.base.sizes cimport MOST_NODE_BINS, MOST_PAIRED, SAMPLES_PER_NODE_BIN
from pytrees._core.base.sorting cimport sort_entries
from pytrees._core.base.types cimport index_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from pytrees._core.fast.histogram cimport ROWS_PREFETCHED
from pytrees._core.fast.simd cimport find_marked, span_of_keys, sum_up
from pytrees._core.rows.features cimport Features, rank_at
from pytrees._core.rows.partition cimport RowPartition

cdef enum:
    N_ZEROS = 4             # in front of scores, weights and squares
    FEATURES_AT_ONCE = 4


@cython.final
cdef class NodeBins:
    def __cinit__(self, RowPartition partition, const index_t[::1] labels, weights, index_t n_classes):
        """Take over the samples' classes and weights; the features of the partition are ranked."""
        self.partition = partition
        self.features = partition.features
        self.labels = labels
        self.weights = np.empty(0, dtype=np.int64) if weights is None else weights
        self.n_classes = n_classes
        self.n_columns = n_classes + 1
        self.n_lanes = (n_classes + 7) // 8 * 8
        self.node_row = np.zeros(self.n_lanes, dtype=np.uint16)
        self.packed = np.empty(partition.n_rows, dtype=np.uint64)
        self.halves = np.empty(partition.n_rows if n_classes == 2 else 0, dtype=np.uint32)
        self.pair_sums = np.empty(n_classes * MOST_PAIRED, dtype=np.uint16)
        self.is_marked = np.empty(MOST_NODE_BINS, dtype=np.uint8)
        self.n_up_to = np.empty(MOST_NODE_BINS, dtype=np.int32)
        self.left_counts = np.zeros(n_classes, dtype=np.int64)
        self.slots = <NodeFeature*> calloc(max(1, partition.n_features), sizeof(NodeFeature))
        if self.slots == NULL:
            raise MemoryError("no memory for the features of a node")
        _allocate(self, self.slots)
        if n_classes > 2:
            _group_by_class(partition, labels, np.zeros(n_classes, dtype=np.int32))
        take_packed(self, 0, <index_t> partition.n_rows)

    def __dealloc__(self):
        cdef Py_ssize_t slot
        if self.slots != NULL:
            for slot in range(self.partition.n_features):
                free(self.slots[slot].memory)
        free(self.slots)


# ---------------------------------------------------------------------------------------------- the samples of a node

cdef void _group_by_class(RowPartition partition, const index_t[::1] labels, index_t[::1] ends) noexcept nogil:
    """Put the rows of all samples in the order of their classes, in which splits leave them."""
    cdef index_t* rows = &partition.rows[0] if partition.n_rows > 0 else NULL
    cdef index_t i, label, n, n_before = 0
    memcpy(&partition.spare_rows[0], rows, partition.n_rows * sizeof(index_t))
    for i in range(<index_t> partition.n_rows):
        ends[labels[rows[i]]] += 1
    for label in range(<index_t> ends.shape[0]):
        n = ends[label]
        ends[label] = n_before
        n_before += n
    # rows[:ends[label]] end with the rows of this class that were met so far.
    for i in range(<index_t> partition.n_rows):
        label = labels[partition.spare_rows[i]]
        rows[ends[label]] = partition.spare_rows[i]
        ends[label] += 1


cdef void take_packed(NodeBins bins, index_t start, index_t stop) noexcept nogil:
    """Lay out the classes and weights of rows that have come into this order."""
    cdef index_t i, row
    cdef uint64_t weight = 1
    for i in range(start, stop):
        row = bins.partition.rows[i]
        if bins.weights.shape[0] > 0:
            weight = <uint64_t> bins.weights[row]
        if bins.n_classes == 2:
            bins.packed[i] = weight << (32 * bins.labels[row])
        else:
            bins.packed[i] = weight << 32 | <uint64_t> bins.labels[row]


cdef void take_halves(NodeBins bins, index_t start, index_t stop) noexcept nogil:
    """Lay out the same for a node of two classes if all weights together are small."""
    cdef const uint64_t* packed = &bins.packed[start]
    cdef uint32_t* halves = &bins.halves[0]
    cdef index_t i
    for i in range(stop - start):
        halves[i] = <uint32_t> (packed[i] | packed[i] >> 16)


cdef int take_features(
    NodeBins bins, const index_t* features, index_t n_features, index_t start, index_t stop
) except -1 nogil:
    """Lay out the keys of these features in slots, and cut them into bins; leave out features whose keys are all
    equal."""
    cdef const index_t* rows = &bins.partition.rows[start]
    cdef index_t k, first, n_taken, n = stop - start
    cdef NodeFeature* slots
    bins.n_slots = 0
    bins.start = start
    bins.stop = stop
    for first from 0 <= first < n_features by FEATURES_AT_ONCE:
        slots = bins.slots + bins.n_slots
        n_taken = min(FEATURES_AT_ONCE, n_features - first)
        for k in range(n_taken):
            if slots[k].memory == NULL:
                _allocate(bins, &slots[k])
        _take_keys(bins.features, slots, features + first, n_taken, rows, n)
        _cut_into_bins(bins, features + first, n_taken, n)


cdef int _allocate(NodeBins bins, NodeFeature* slot) except -1 nogil:
    """Give a slot its memory, with zeros in front of counts and scores."""
    cdef Py_ssize_t n_counts = bins.n_lanes + MOST_NODE_BINS * max(bins.n_columns, bins.n_lanes // 2)
    cdef Py_ssize_t n_scores = N_ZEROS + MOST_NODE_BINS
    slot.memory = <int32_t*> malloc((n_counts + 4 * n_scores + bins.partition.n_rows + 8) * sizeof(int32_t))
    if slot.memory == NULL:
        with gil:
            raise MemoryError("no memory for the ranks of a node's samples")
    memset(slot.memory, 0, (n_counts + 4 * n_scores) * sizeof(int32_t))
    slot.counts = slot.memory + bins.n_lanes
    slot.scores = <float*> (slot.memory + n_counts) + N_ZEROS
    slot.weights = slot.scores + n_scores
    slot.left_squares = slot.weights + n_scores
    slot.right_squares = slot.left_squares + n_scores
    slot.keys = <uint32_t*> (slot.right_squares + MOST_NODE_BINS)


cdef void _take_keys(
    Features table, NodeFeature* slots, const index_t* features, index_t n_features, const index_t* rows, index_t n
) noexcept nogil:
    """Write the ranks of these rows in up to four features, which a row often has in one line of the cache."""
    cdef const uint8_t* ranks = &table.ranks[0]
    cdef const uint8_t* row
    cdef Py_ssize_t row_step = table.row_step, step = table.feature_step, f0, f1, f2, f3
    cdef uint32_t bits = table.rank_bits
    cdef uint32_t* k0
    cdef uint32_t* k1
    cdef uint32_t* k2
    cdef uint32_t* k3
    cdef index_t i, k
    if n_features == FEATURES_AT_ONCE:
        k0, k1, k2, k3 = slots[0].keys, slots[1].keys, slots[2].keys, slots[3].keys
        f0, f1, f2, f3 = features[0] * step, features[1] * step, features[2] * step, features[3] * step
        for i in range(n):
            if i + ROWS_PREFETCHED < n:
                # Both lines of the cache in which the ranks can be.
                row = ranks + rows[i + ROWS_PREFETCHED] * row_step
                prefetch(row + f0)
                prefetch(row + f3)
            row = ranks + rows[i] * row_step
            k0[i], k1[i] = word_at(row + f0) & bits, word_at(row + f1) & bits
            k2[i], k3[i] = word_at(row + f2) & bits, word_at(row + f3) & bits
        return
    for k in range(n_features):
        k0, f0 = slots[k].keys, features[k] * step
        for i in range(n):
            k0[i] = word_at(ranks + rows[i] * row_step + f0) & bits


cdef inline void _cut_into_bins(NodeBins bins, const index_t* features, index_t n_features, index_t n) noexcept nogil:
    """Cut the keys that were laid out last into bins, and keep the slots of features whose keys are not all equal."""
    cdef index_t k, wanted = max(2, min(n // SAMPLES_PER_NODE_BIN, MOST_NODE_BINS))
    cdef NodeFeature* slot
    cdef NodeFeature taken
    cdef index_t first = bins.n_slots
    for k in range(n_features):
        slot = &bins.slots[first + k]
        slot.feature = features[k]
        slot.span = span_of_keys(slot.keys, n, &slot.smallest)
        if slot.span == 0:
            continue
        slot.shift = 0
        if slot.span >= <uint32_t> min(n, MOST_NODE_BINS):
            # The least shift that leaves few enough bins.
            slot.shift = max(0, bit_length(slot.span) - bit_length(<uint32_t> wanted))
            slot.shift += <index_t> (slot.span >> slot.shift) >= wanted
        slot.n_bins = <index_t> (slot.span >> slot.shift) + 1
        if bins.n_slots < first + k:
            # Their memory changes places, too.
            taken = bins.slots[bins.n_slots]
            bins.slots[bins.n_slots] = slot[0]
            slot[0] = taken
        bins.n_slots += 1


# ------------------------------------------------------------------------------------------------------------- counts

cdef void count_bins(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil:
    cdef index_t i, n_columns = <index_t> bins.n_columns
    cdef const uint64_t* packed = &bins.packed[bins.start]
    cdef int32_t* counts
    memset(feature.counts, 0, feature.n_bins * bins.n_columns * sizeof(int32_t))
    for i in range(n):
        counts = feature.counts + <Py_ssize_t> ((feature.keys[i] - feature.smallest) >> feature.shift) * n_columns
        if bins.n_classes == 2:
            counts[0] += <int32_t> packed[i]
            counts[1] += <int32_t> (packed[i] >> 32)
        else:
            counts[label_of_packed(bins, packed[i])] += <int32_t> weight_of_packed(bins, packed[i])
        counts[n_columns - 1] += 1


cdef void count_halves(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil:
    """Count both classes in one word a bin, and cumulate the words."""
    cdef index_t i
    cdef const uint32_t* halves = &bins.halves[0]
    cdef const uint32_t* keys = feature.keys
    cdef uint32_t* counts = <uint32_t*> feature.counts
    cdef uint32_t smallest = feature.smallest
    cdef int shift = feature.shift
    memset(counts, 0, feature.n_bins * sizeof(uint32_t))
    for i in range(n):
        counts[(keys[i] - smallest) >> shift] += halves[i]
    sum_up(counts, feature.n_bins)


cdef void count_rows_of_lanes(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil:
    """Count classes whose weights together are small; zeros follow up to a multiple of four."""
    cdef index_t i, n_lanes = bins.n_lanes
    cdef Py_ssize_t place
    cdef const uint64_t* packed = &bins.packed[bins.start]
    cdef const uint32_t* keys = feature.keys
    cdef uint16_t* rows = <uint16_t*> feature.counts
    cdef uint32_t smallest = feature.smallest
    cdef int shift = feature.shift
    memset(rows, 0, (feature.n_bins + 3) // 4 * 4 * n_lanes * sizeof(uint16_t))
    for i in range(n):
        place = <Py_ssize_t> ((keys[i] - smallest) >> shift) * n_lanes + label_of_packed(bins, packed[i])
        rows[place] += <uint16_t> weight_of_packed(bins, packed[i])


cdef void count_samples(NodeBins bins, const NodeFeature* feature, index_t n) noexcept nogil:
    """Write to n_up_to how many samples the bins up to each have."""
    cdef index_t i, n_up_to = 0
    for i in range(feature.n_bins):
        bins.n_up_to[i] = 0
    for i in range(n):
        bins.n_up_to[(feature.keys[i] - feature.smallest) >> feature.shift] += 1
    for i in range(feature.n_bins):
        n_up_to += bins.n_up_to[i]
        bins.n_up_to[i] = n_up_to


cdef index_t sort_marked(NodeBins bins, const NodeFeature* feature, index_t n, const uint8_t* is_marked) noexcept nogil:
    """Write the samples in marked bins, of which there is at least one, to the partition's keyed places: their numbers
    in the node under their keys, sorted. Return how many there are."""
    cdef uint64_t* keyed = &bins.partition.keyed[0]
    cdef index_t n_marked, first = 0, last = feature.n_bins - 1
    while not is_marked[first]:
        first += 1
    while not is_marked[last]:
        last -= 1
    n_marked = find_marked(
        feature.keys, n, feature.smallest + (<uint32_t> first << feature.shift),
        feature.smallest + min(feature.span, <uint32_t> (((<uint64_t> last + 1) << feature.shift) - 1)),
        feature.smallest, feature.shift, is_marked, keyed,
    )
    sort_entries(keyed, &bins.partition.spare_keyed[0], n_marked)
    return n_marked


# -------------------------------------------------------------------------------------------------------------- splits

cdef void split_and_count(
    NodeBins bins, index_t feature, index_t last_left, index_t start, index_t stop, int64_t* left_counts
) noexcept nogil:
    """Divide the node's rows, order kept on both sides: rows whose rank is at most the rank of one row go left. Write
    the class counts of the left side."""
    cdef index_t k
    cdef uint32_t last_rank = rank_at(bins.features, last_left, feature)
    for k in range(bins.n_slots if bins.start == start and bins.stop == stop else 0):
        if bins.slots[k].feature == feature:
            # The node was searched last: its ranks are at hand.
            _split_and_count(bins, bins.slots[k].keys, last_rank, start, stop, left_counts)
            return
    bins.n_slots = 0
    for k in range(start, stop):
        bins.slots[0].keys[k - start] = rank_at(bins.features, bins.partition.rows[k], feature)
    _split_and_count(bins, bins.slots[0].keys, last_rank, start, stop, left_counts)


cdef inline void _split_and_count(
    NodeBins bins, const uint32_t* keys, uint32_t last_key, index_t start, index_t stop, int64_t* left_counts
) noexcept nogil:
    cdef index_t* rows = &bins.partition.rows[start]
    cdef index_t* spare_rows = &bins.partition.spare_rows[0]
    cdef uint64_t* packed = &bins.packed[start]
    cdef uint64_t* spare_packed = &bins.partition.spare_keyed[0]
    cdef index_t i, row, label, left = 0, right = 0
    cdef uint64_t word, counts = 0
    cdef bint goes_left
    # rows[:left] are the left rows met so far, spare_rows[:right] the right ones; left <= i.
    for i in range(stop - start):
        row = rows[i]
        word = packed[i]
        goes_left = keys[i] <= last_key
        rows[left] = row
        packed[left] = word
        spare_rows[right] = row
        spare_packed[right] = word
        left += goes_left
        right += 1 - goes_left
    memcpy(rows + left, spare_rows, right * sizeof(index_t))
    memcpy(packed + left, spare_packed, right * sizeof(uint64_t))
    if bins.n_classes == 2:
        for i in range(left):
            counts += packed[i]
        left_counts[0] = <int64_t> (counts & <uint64_t> 0xFFFFFFFF)
        left_counts[1] = <int64_t> (counts >> 32)
        return
    for label in range(bins.n_classes):
        left_counts[label] = 0
    for i in range(left):
        left_counts[label_of_packed(bins, packed[i])] += weight_of_packed(bins, packed[i])
