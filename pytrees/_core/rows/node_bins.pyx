"""Bins of the ranks that the samples of one node have in a feature, and their class counts.

Bins that are made anew for every node fit it: they are about as many as a few samples each need, whatever the node's
share of the feature's range.
"""

import numpy as np

cimport cython
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.sorting cimport packed, sort_entries
from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from pytrees._core.rows.partition cimport Features, RowPartition

ctypedef fused Rank:
    uint16_t
    uint32_t


cdef enum:
    N_ZEROS = 4     # in front of counts
    # A node of a smaller share of all rows reads them row by row, otherwise feature by feature.
    ROWS_OF_DENSE_NODE = 8


@cython.final
cdef class NodeBins:
    def __cinit__(self, RowPartition partition, const index_t[::1] labels, weights, index_t n_classes):
        """Take over the samples' classes and weights; the features of the partition are ranked."""
        cdef Py_ssize_t row, n_rows = partition.features.n_rows
        cdef const int64_t[::1] counts = weights
        self.partition = partition
        self.features = partition.features
        self.n_columns = n_classes + 1
        self.words = np.empty(n_rows, dtype=np.uint64)
        for row in range(n_rows):
            self.words[row] = (<uint64_t> (1 if weights is None else counts[row]) << 32) | <uint64_t> labels[row]
        self.node_words = np.empty(partition.n_rows, dtype=np.uint64)
        self.pair_words = np.empty(partition.n_rows if n_classes == 2 else 0, dtype=np.uint32)
        self.is_marked = np.empty(MOST_NODE_BINS, dtype=np.uint8)
        self.left_counts = np.zeros(n_classes, dtype=np.int64)
        self.n_up_to = np.empty(MOST_NODE_BINS, dtype=np.int32)
        self.slots = <NodeFeature*> calloc(max(1, partition.n_features), sizeof(NodeFeature))
        if self.slots == NULL:
            raise MemoryError("no memory for the features of a node")

    def __dealloc__(self):
        cdef Py_ssize_t slot
        if self.slots != NULL:
            for slot in range(self.partition.n_features):
                free(self.slots[slot].keys)
                free(self.slots[slot].counts - N_ZEROS if self.slots[slot].counts != NULL else NULL)
                free(self.slots[slot].scores)
        free(self.slots)


cdef void take_words(NodeBins bins, index_t start, index_t stop) noexcept nogil:
    """Lay out the classes and weights of the node's samples."""
    cdef const index_t* rows = &bins.partition.rows[start]
    cdef index_t i
    for i in range(stop - start):
        bins.node_words[i] = bins.words[rows[i]]


cdef void take_pair_words(NodeBins bins, index_t start, index_t stop) noexcept nogil:
    """Lay out the same of two classes, where all weights of the node together are small."""
    cdef const index_t* rows = &bins.partition.rows[start]
    cdef index_t i
    cdef uint64_t word
    for i in range(stop - start):
        word = bins.words[rows[i]]
        bins.pair_words[i] = <uint32_t> weight_of_word(word) << (16 * label_of_word(word))


cdef bint take_feature(NodeBins bins, index_t slot, index_t feature, index_t start, index_t stop) except -1 nogil:
    """Lay out the keys of a feature in a slot, and cut them into bins; False where all are equal."""
    cdef NodeFeature* taken = &bins.slots[slot]
    cdef index_t n = stop - start, wanted
    cdef uint32_t span
    if taken.keys == NULL:
        _allocate(bins, taken)
    span = _take_keys_of_feature(bins, feature, &bins.partition.rows[start], n, taken.keys)
    if span == 0:
        return False
    taken.feature = feature
    taken.span = span
    wanted = max(2, min(n // 4, MOST_NODE_BINS))
    taken.shift = 0
    while <index_t> (span >> taken.shift) >= wanted:
        taken.shift += 1
    taken.n_bins = <index_t> (span >> taken.shift) + 1
    return True


cdef int _allocate(NodeBins bins, NodeFeature* slot) except -1 nogil:
    cdef int32_t* counts = <int32_t*> calloc(N_ZEROS + MOST_NODE_BINS * bins.n_columns, sizeof(int32_t))
    slot.counts = NULL if counts == NULL else counts + N_ZEROS
    slot.keys = <uint32_t*> malloc((bins.partition.n_rows + 8) * sizeof(uint32_t))
    slot.scores = <float*> malloc(MOST_NODE_BINS * sizeof(float))
    if slot.keys == NULL or slot.counts == NULL or slot.scores == NULL:
        with gil:
            raise MemoryError("no memory for the ranks of a node's samples")
    return 0


cdef uint32_t _take_keys_of_feature(
    NodeBins bins, index_t feature, const index_t* rows, index_t n, uint32_t* keys
) noexcept nogil:
    cdef Py_ssize_t n_features = bins.features.n_features
    if bins.features.narrow_rows.shape[0] > 0:
        return _take_keys(&bins.features.narrow_rows[0, feature], n_features, rows, n, keys)
    if bins.features.narrow_ranks.shape[0] > 0:
        return _take_keys(&bins.features.narrow_ranks[feature, 0], 1, rows, n, keys)
    if bins.features.wide_rows.shape[0] > 0 and <int64_t> n * ROWS_OF_DENSE_NODE < bins.features.n_rows:
        return _take_keys(&bins.features.wide_rows[0, feature], n_features, rows, n, keys)
    return _take_keys(&bins.features.wide_ranks[feature, 0], 1, rows, n, keys)


cdef inline uint32_t _take_keys(
    const Rank* ranks, Py_ssize_t stride, const index_t* rows, index_t n, uint32_t* keys
) noexcept nogil:
    """Write the ranks of these rows less the smallest, and return the greatest difference."""
    cdef uint32_t smallest = ranks[rows[0] * stride], largest = smallest, rank
    cdef index_t i
    for i in range(n):
        rank = ranks[rows[i] * stride]
        keys[i] = rank
        smallest = rank if rank < smallest else smallest
        largest = rank if rank > largest else largest
    for i in range(n):
        keys[i] -= smallest
    return largest - smallest


cdef void count_bins(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil:
    cdef index_t i, n_columns = <index_t> bins.n_columns
    cdef const uint64_t* words = &bins.node_words[0]
    cdef int32_t* counts
    cdef int shift = feature.shift
    memset(feature.counts, 0, feature.n_bins * bins.n_columns * sizeof(int32_t))
    for i in range(n):
        counts = feature.counts + <Py_ssize_t> (feature.keys[i] >> shift) * n_columns
        counts[label_of_word(words[i])] += <int32_t> weight_of_word(words[i])
        counts[n_columns - 1] += 1


cdef void count_pair_words(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil:
    cdef index_t i
    cdef const uint32_t* words = &bins.pair_words[0]
    cdef const uint32_t* keys = feature.keys
    cdef uint32_t* counts = <uint32_t*> feature.counts
    cdef int shift = feature.shift
    memset(counts, 0, feature.n_bins * sizeof(uint32_t))
    for i in range(n):
        counts[keys[i] >> shift] += words[i]


cdef void count_samples(NodeBins bins, const NodeFeature* feature, index_t n) noexcept nogil:
    """Write to n_up_to how many samples the bins up to each have."""
    cdef index_t i, n_up_to = 0
    for i in range(feature.n_bins):
        bins.n_up_to[i] = 0
    for i in range(n):
        bins.n_up_to[feature.keys[i] >> feature.shift] += 1
    for i in range(feature.n_bins):
        n_up_to += bins.n_up_to[i]
        bins.n_up_to[i] = n_up_to


cdef index_t sort_marked(NodeBins bins, const NodeFeature* feature, index_t n) noexcept nogil:
    """Write the samples in marked bins to the partition's pairs, as their numbers in the node under their keys, sorted;
    return how many they are."""
    cdef uint64_t* pairs = &bins.partition.pairs[0]
    cdef index_t i, n_marked = 0
    for i in range(n):
        pairs[n_marked] = packed(feature.keys[i], i, pairs[0])
        n_marked += bins.is_marked[feature.keys[i] >> feature.shift]
    sort_entries(pairs, &bins.partition.spare_pairs[0], n_marked)
    return n_marked


cdef void split_and_count(
    NodeBins bins, index_t feature, index_t last_left, index_t start, index_t stop, int64_t* left_counts
) noexcept nogil:
    """Divide the node's rows, order kept on both sides: those whose rank is at most that of one row go left. Write the
    class counts of these."""
    cdef Py_ssize_t n_features = bins.features.n_features
    if bins.features.narrow_ranks.shape[0] > 0:
        _split_and_count(
            bins, &bins.features.narrow_rows[0, feature], n_features, last_left, start, stop, left_counts
        )
    elif <int64_t> (stop - start) * ROWS_OF_DENSE_NODE < bins.features.n_rows:
        _split_and_count(
            bins, &bins.features.wide_rows[0, feature], n_features, last_left, start, stop, left_counts
        )
    else:
        _split_and_count(bins, &bins.features.wide_ranks[feature, 0], 1, last_left, start, stop, left_counts)


cdef inline void _split_and_count(
    NodeBins bins, const Rank* ranks, Py_ssize_t stride, index_t last_left, index_t start, index_t stop,
    int64_t* left_counts
) noexcept nogil:
    cdef index_t* rows = &bins.partition.rows[start]
    cdef index_t* spare = &bins.partition.spare_rows[0]
    cdef const uint64_t* words = &bins.words[0]
    cdef Rank last_rank = ranks[last_left * stride]
    cdef index_t i, row, label, left = 0, right = 0
    cdef uint64_t word
    cdef bint goes_left
    for label in range(<index_t> bins.n_columns - 1):
        left_counts[label] = 0
    # rows[:left] are the left rows met so far, spare[:right] the right ones; left <= i.
    for i in range(stop - start):
        row = rows[i]
        goes_left = ranks[row * stride] <= last_rank
        word = words[row]
        left_counts[label_of_word(word)] += weight_of_word(word) & -<int64_t> goes_left
        rows[left] = row
        spare[right] = row
        left += goes_left
        right += 1 - goes_left
    memcpy(rows + left, spare, right * sizeof(index_t))
