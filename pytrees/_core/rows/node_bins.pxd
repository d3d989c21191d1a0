"""Bins of the ranks that the samples of one node have in a feature, and their class counts."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from pytrees._core.rows.partition cimport Features, RowPartition

cdef enum:
    MOST_NODE_BINS = 256


# A feature of which the node's samples have several values. A sample's key is its rank less the smallest of the node;
# its bin is the key without the last `shift` bits.
cdef struct NodeFeature:
    index_t feature
    index_t n_bins
    int shift
    uint32_t span           # the greatest key
    uint32_t* keys          # of the node's samples, in their order
    # For every bin the weight of each class and, in the last column, the number of samples; or, where weights of two
    # classes are small, one word of both. Zeros stand in front of it.
    int32_t* counts
    float* scores           # of the cuts behind bins, in single precision
    float64_t score         # of the best cut between two bins
    int64_t most_in_bin     # weight of a bin


@cython.final
cdef class NodeBins:
    """The features of one node at a time, and what the samples weigh."""

    cdef RowPartition partition
    cdef Features features
    cdef readonly Py_ssize_t n_columns
    cdef readonly index_t samples_per_bin
    cdef uint64_t[::1] words            # by row: its class, and 2**32 times its weight
    cdef uint64_t[::1] node_words       # the same of the node's samples, in their order
    cdef uint32_t[::1] pair_words       # of two classes: the weights of both in the halves of a word
    cdef int32_t[::1] n_up_to           # scratch: the samples in the bins up to each
    cdef NodeFeature* slots             # as many as features
    cdef uint8_t[::1] is_marked         # scratch, by bin
    cdef int64_t[::1] left_counts       # of a node's left child


cdef inline index_t label_of_word(uint64_t word) noexcept nogil:
    return <index_t> (word & <uint64_t> 0xFFFFFFFF)


cdef inline int64_t weight_of_word(uint64_t word) noexcept nogil:
    return <int64_t> (word >> 32)


cdef void take_words(NodeBins bins, index_t start, index_t stop) noexcept nogil
cdef void take_pair_words(NodeBins bins, index_t start, index_t stop) noexcept nogil
cdef bint take_feature(NodeBins bins, index_t slot, index_t feature, index_t start, index_t stop) except -1 nogil
cdef void count_bins(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil
cdef void count_pair_words(NodeBins bins, NodeFeature* feature, index_t n) noexcept nogil
cdef void count_samples(NodeBins bins, const NodeFeature* feature, index_t n) noexcept nogil
cdef index_t sort_marked(NodeBins bins, const NodeFeature* feature, index_t n) noexcept nogil
cdef void split_and_count(
    NodeBins bins, index_t feature, index_t last_left, index_t start, index_t stop, int64_t* left_counts
) noexcept nogil
