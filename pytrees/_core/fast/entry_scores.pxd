"""The arrays of scores of sorted entries in vectors; `score_table` computes the scores."""

from pytrees._core.base.types cimport index_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.fast.simd cimport entropy_terms, ordinal_forms


# Arrays that the scores of sorted entries read and write. The factors of cuts that are not allowed are 0.
cdef struct EntryScores:
    float* left_factors     # by the samples on the left, less one: see simd_sorted.h
    float* right_factors
    uint64_t* steps         # by class
    uint32_t* found         # cuts that could be the best
    index_t n_entries       # of a feature
    const uint16_t* labels  # by place, NULL if classes are numbers
    uint64_t* squares_of_found
    # Two classes with weights, otherwise NULL: words by place in the node's block, as `word_of_sample` makes them, and
    # those of the cuts that were found.
    const int32_t* words
    uint32_t* words_of_found
    # Entropy: n log2 n by n, in units that let all sums fit 32 bits, what simd_entropy.h makes of it, and room for it.
    const int32_t* logs
    entropy_terms of_entropy
    int32_t* log_steps
    int32_t* size_terms
    uint32_t* log_starts
    uint32_t* next_steps
    # Ordinal criteria: what simd_ordinal.h makes of a node.
    ordinal_forms of_order
    uint32_t* form_steps
    # Classes that are numbers, by place: what the scores take, and the targets and weights in the node's block. Without
    # weights `counts` is NULL; with weights, each residual is followed by the sample's weight.
    int32_t* residuals
    const int64_t* targets
    const int64_t* counts


cdef inline int32_t word_of_sample(index_t label, int64_t weight) noexcept nogil:
    """Return the word of a sample of one of two classes: in the upper half its weight, in the lower half the same for
    class 1, 0 for class 0. Weights that do not fit are cut off, but nodes with such a sample are too heavy for scores.
    """
    return <int32_t> (<uint32_t> weight << 16 | <uint32_t> (label * weight) & 0xFFFF)
