"""The arrays of scores in vectors, and the residuals of numbers; `score_table` computes the scores."""

from libc.math cimport sqrt

from pytrees._core.base.types cimport (
    float64_t, index_t, int16_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t,
)
from pytrees._core.criteria.squared_error cimport SquaredErrorScan
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


# --------------------------------------------------------------------------------------------- classes that are numbers

# Residual i stands for x_i = scale weight_i (target_i - mean), with the scale 2**31 / (total range), so that the sum of
# any samples' x is at most 2**29 in magnitude. Residuals are the steps of the running sum of x, rounded to the nearest
# whole number. Errors of double precision add up to less than 2**-6 for 2**16 samples. So a residual differs from x by
# less than 1.01, and the residuals of the node add up to the rounded sum of all x, which is 0.
#
# Let P be the sum of the residuals on the left of a cut. P differs from the sum of their x by less than 1.01 for every
# sample on the left and, because all add up to 0, for every sample on the right: by less than 1.01 min(L, R). So the
# root of the score P**2 / (L R) is wrong by less than 1.01 min(L, R) / sqrt(L R) <= 1.01 at every cut. The score itself
# is computed in single precision: at most eight roundings of 2**-24.

cdef inline void write_residuals(
    const SquaredErrorScan* scan, const index_t* places, index_t n, const int64_t* targets, const int64_t* counts,
    int32_t* residuals
) noexcept nogil:
    """Write the residuals of the node's samples, whose targets differ, by place. Without weights `counts` is NULL; with
    weights, each residual is followed by the weight."""
    cdef int64_t middle = scan.sum // scan.total, weight = 1
    cdef float64_t mean = <float64_t> (scan.sum - middle * scan.total) / <float64_t> scan.total
    cdef float64_t range_of_sums = <float64_t> scan.total * <float64_t> (scan.greatest - scan.least)
    cdef float64_t scale = 2147483648.0 / range_of_sums
    # 2**30 more than a running sum is positive, so that the conversion rounds down.
    cdef float64_t running = 1073741824.5
    cdef int32_t rounded, last = 1073741824
    cdef index_t i, place
    for i in range(n):
        place = places[i]
        if counts != NULL:
            weight = counts[place]
        running += scale * <float64_t> weight * (<float64_t> (targets[place] - middle) - mean)
        rounded = <int32_t> running
        if counts == NULL:
            residuals[place] = rounded - last
        else:
            residuals[2 * place] = rounded - last
            residuals[2 * place + 1] = <int32_t> weight
        last = rounded


cdef inline void write_few_residuals(
    const SquaredErrorScan* scan, const int64_t* targets, const int16_t* weights, index_t n, int16_t* residuals
) noexcept nogil:
    """Write the residuals of a few samples, whose targets differ, at a scale of 2**16 instead of 2**31: their sums are
    at most 2**14 in magnitude, but for the rounding."""
    cdef int64_t middle = scan.sum // scan.total
    cdef float64_t mean = <float64_t> (scan.sum - middle * scan.total) / <float64_t> scan.total
    cdef float64_t scale = 65536.0 / (<float64_t> scan.total * <float64_t> (scan.greatest - scan.least))
    cdef float64_t running = 32768.5
    cdef int32_t rounded, last = 32768
    cdef index_t i
    for i in range(n):
        running += scale * <float64_t> weights[i] * (<float64_t> (targets[i] - middle) - mean)
        rounded = <int32_t> running
        residuals[i] = <int16_t> (rounded - last)
        last = rounded


cdef inline float64_t lowered_squared_error(float64_t score) noexcept nogil:
    """Lower the best score by its error: another cut whose score does not reach the lowered score is not better. The
    lowered score is 0 if the errors swallow the best score."""
    cdef float64_t root = sqrt(score) * (1.0 - 2.0**-19) - 2.05
    return root * root * (1.0 - 2.0**-19) if root > 0.0 else 0.0
