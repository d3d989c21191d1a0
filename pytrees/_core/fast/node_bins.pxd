"""How many samples of each class does a node have in bins of ranks? The bins are made anew for every node.

Bins that fit the node get a few samples each, whatever the node's share of the feature's range. `NodeBins` holds one
node at a time. The features that the node looks at, less those with only one value, fill the first slots; a slot, a
`NodeFeature`, has in memory of its own

    keys        the ranks of the node's samples, in the order of the node's rows
    counts      by bin: the class weights
    scores      by bin: the score of the cut behind the bin, and what scores are made of

The bin of a key is its difference to the smallest key, without the last bits. The classes and weights of the samples
are packed in one word each, in the order of the partition's rows, so that counting reads keys and words in order.
"""

cimport cython

from pytrees._core.base.sizes cimport MOST_OF_FEW, MOST_PAIRED
from pytrees._core.base.types cimport index_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from pytrees._core.fast.simd cimport paired_classes, sample_of_few
from pytrees._core.rows.features cimport Features
from pytrees._core.rows.partition cimport RowPartition

# A feature in which the node's samples have several values.
cdef struct NodeFeature:
    index_t feature
    index_t n_bins
    int shift                   # the bits of a key's difference to the smallest key that do not tell the bin
    uint32_t smallest, span     # the smallest key, and how much greater the greatest is
    uint32_t* keys              # of the node's samples, in their order
    # For every bin the weight of each class and, in the last column, the number of samples. If all weights together are
    # small: one word for two classes, n_lanes numbers of 16 bits for more. Zeros precede it.
    int32_t* counts
    float* scores               # of the cuts behind bins, in single precision
    float* weights              # by bin: of all bins up to it, if they fit 16 bits
    float* left_squares         # more classes, by bin: the sum of the squared class weights of all bins up to it
    float* right_squares        # the sum of the squared class weights of all bins after it
    int32_t* memory             # of all these arrays


# The samples of a node of little weight. With more than two classes, the samples of a class are neighbours.
cdef struct PairedSamples:
    uint16_t[MOST_PAIRED] weights       # with two classes, the weights of both in one word
    paired_classes classes
    sample_of_few[MOST_OF_FEW] few      # the samples again, in another layout; unused if they are more


@cython.final
cdef class NodeBins:
    """The features of one node at a time, and what the samples weigh."""

    cdef RowPartition partition
    cdef Features features
    cdef const index_t[::1] labels
    cdef const int64_t[::1] weights     # empty if every sample counts once
    cdef readonly index_t n_classes
    cdef readonly Py_ssize_t n_columns
    cdef index_t n_lanes                # the classes, up to a multiple of 8
    cdef uint16_t[::1] node_row         # of a node of little weight: the weight of every class, in n_lanes numbers
    # In the order of the partition's rows. With two classes: the weights of both, class 0 in the lower half. Otherwise:
    # the class plus 2**32 times the weight; samples of a class are neighbours in every node.
    cdef uint64_t[::1] packed
    cdef uint32_t[::1] halves       # of a node of two classes and little weight: both in 16 bits
    cdef NodeFeature* slots             # one a feature
    cdef index_t n_slots
    cdef index_t start, stop            # of the node whose features are in the slots
    cdef uint16_t[::1] pair_sums        # scratch: of a node of few samples, by class and sample
    cdef uint8_t[::1] is_marked         # scratch, by bin
    cdef int32_t[::1] n_up_to           # scratch: the samples in the bins up to each
    cdef int64_t[::1] left_counts       # of a node's left child


cdef inline index_t label_of_packed(NodeBins bins, uint64_t word) noexcept nogil:
    if bins.n_classes == 2:
        return <index_t> (word > <uint64_t> 0xFFFFFFFF)
    return <index_t> (word & <uint64_t> 0xFFFFFFFF)


cdef inline int64_t weight_of_packed(NodeBins bins, uint64_t word) noexcept nogil:
    if bins.n_classes == 2:
        return <int64_t> ((word | word >> 32) & <uint64_t> 0xFFFFFFFF)
    return <int64_t> (word >> 32)


cdef inline index_t bin_of_key(const NodeFeature* feature, uint32_t key) noexcept nogil:
    return <index_t> ((key - feature.smallest) >> feature.shift)


cdef inline uint32_t last_key_of_bin(const NodeFeature* feature, index_t bin) noexcept nogil:
    """Return the last key of a bin but the last."""
    return feature.smallest + (((<uint32_t> bin + 1) << feature.shift) - 1)


cdef void take_packed(NodeBins bins, index_t start, index_t stop) noexcept nogil
cdef void take_halves(NodeBins bins, index_t start, index_t stop) noexcept nogil
cdef int take_features(
    NodeBins bins, const index_t* features, index_t n_features, index_t start, index_t stop
) except -1 nogil
cdef void count_bins(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil
cdef void count_halves(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil
cdef void count_rows_of_lanes(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil
cdef void count_samples(NodeBins bins, const NodeFeature* feature, index_t n) noexcept nogil
cdef index_t sort_marked(NodeBins bins, const NodeFeature* feature, index_t n, const uint8_t* is_marked) noexcept nogil
cdef void split_and_count(
    NodeBins bins, index_t feature, index_t last_left, index_t start, index_t stop, int64_t* left_counts
) noexcept nogil
