"""Declarations of the loops in vectors of `simd_binary.h`, `simd_multiclass.h`, `simd_few.h`, `simd_sorted.h`,
`simd_entropy.h` and `simd_ordinal.h`."""

from pytrees._core.base.types cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "simd_binary.h" nogil:
    enum:
        BY_GINI
        BY_RANKING
        BY_WEIGHED_RANKING
    ctypedef struct node_weights:
        int32_t of_0, of_1
        int32_t judge       # what scores the cuts: one of the above
    uint32_t span_of_keys(uint32_t* keys, int32_t n, uint32_t* smallest)
    int32_t find_marked(
        const uint32_t* keys, int32_t n, uint32_t first, uint32_t last, uint32_t smallest, int shift,
        const uint8_t* is_marked, uint64_t* marked
    )
    int32_t find_neighbours(const uint32_t* keys, int32_t n, uint32_t last, int32_t* last_left, int32_t* first_right)
    void sum_up(uint32_t* bins, int32_t n_bins)
    float score_edges(
        const uint32_t* bins, int32_t n_bins, int32_t first, int32_t last, node_weights node, float* scores
    )
    int32_t mark_edges(const uint32_t* bins, int32_t n_bins, node_weights node, float to_reach, uint8_t* is_marked)
    void narrow_keys(const uint32_t* keys, int32_t n, uint32_t smallest, uint16_t* narrow)
    void number_keys(const uint32_t* keys, int32_t n, uint32_t* numbers)
    void sum_pairs(
        const uint16_t* keys, const uint16_t* words, const int32_t* ends, int32_t n_classes, int32_t n, uint16_t* sums
    )
    float score_sums(const uint16_t* sums, int32_t n, node_weights node, float* scores)


cdef extern from "simd_multiclass.h" nogil:
    ctypedef struct edges_of_rows:
        float* scores
        float* weights
        float* left_squares
        float* right_squares
    # The classes of few samples, which are in the order of their classes.
    ctypedef struct paired_classes:
        int32_t n_classes
        int32_t* ends           # where the samples of each class end
        uint16_t* totals        # the weight of each class
        uint16_t squares        # the sum of the squared weights
        uint16_t* times         # in order: how many classes there are up to the next one that has samples
    ctypedef struct sample_of_few:
        pass
    void cumulate_rows(uint16_t* rows, int32_t n_bins, int32_t n_lanes, int32_t n_classes)
    float sum_up_rows(
        uint16_t* rows, int32_t n_bins, int32_t n_lanes, const uint16_t* node, float total, int32_t first, int32_t last,
        int32_t lane_of_all, const edges_of_rows* edges
    )
    int32_t mark_rows(
        const uint16_t* rows, int32_t n_bins, int32_t n_lanes, int32_t n_classes, bint in_order, const uint16_t* node,
        float total, float to_reach, bint has_edges, const edges_of_rows* edges, uint8_t* is_marked
    )
    void sum_squares_of_pairs(
        const uint16_t* keys, const uint16_t* weights, const paired_classes* classes, bint in_order, int32_t n,
        uint16_t* left_squares, uint16_t* right_squares, uint16_t* left
    )
    void spread_few(
        const uint16_t* weights, const paired_classes* classes, bint in_order, int32_t n, sample_of_few* samples
    )
    void sum_squares_of_few(
        const uint16_t* keys, const sample_of_few* samples, const paired_classes* classes, bint in_order, int32_t n,
        uint16_t* left_squares, uint16_t* right_squares, uint16_t* left
    )
    float score_squares(
        const uint16_t* left_squares, const uint16_t* right_squares, const uint16_t* left, int32_t n, float total,
        float* scores
    )


cdef extern from "simd_few.h" nogil:
    ctypedef struct few_samples:
        int32_t n, total
        const int16_t** ranks
        int16_t* residuals
        int16_t* weights
    float score_few(
        const few_samples* few, int32_t stride, const int16_t* is_drawn, int32_t first, float enough, float* scores,
        int32_t* stop
    )
    float score_of_few(int32_t sum, int32_t weight, int32_t total)
    int32_t find_few(
        int32_t n, int32_t stride, const float* scores, int32_t first, int32_t stop, float to_reach, int32_t* features
    )
    int32_t first_difference(const int16_t* one, const int16_t* other, int32_t stride, const int16_t* is_drawn)


cdef extern from "simd_sorted.h" nogil:
    void write_factors(int32_t n, int32_t first, int32_t last, float* left_factors, float* right_factors)
    void write_permissions(int32_t n, int32_t first, int32_t last, float* factors)
    float score_numbers(
        const uint32_t* entries, int32_t n, const int32_t* residuals, bint is_weighted, int32_t total,
        int32_t first_sum, int32_t first_weight, const float* factors, float to_reach, uint32_t* found, int32_t* n_found
    )
    float score_two_classes(
        const uint32_t* entries, int32_t n, int32_t first_of_1, bint is_weighted, const int32_t* words,
        uint32_t first_left, node_weights node, const float* factors, float to_reach, uint32_t* found,
        uint32_t* found_words, int32_t* n_found
    )
    void score_by_squares(
        const uint32_t** entries, int n_features, int32_t n, int32_t n_first, const uint16_t* labels,
        const int64_t* totals, int32_t n_classes, const float* left_factors, const float* right_factors, uint64_t* room,
        float to_reach, uint32_t* found, uint64_t* found_squares, int32_t* n_found, float* scores
    )


cdef extern from "simd_entropy.h" nogil:
    ctypedef struct entropy_terms:
        const int32_t* steps
        const uint32_t* starts
        const uint16_t* labels
        const int32_t* size_terms
        int32_t n_classes
    void write_entropy_steps(
        const int32_t* logs, const int64_t* totals, int32_t n_classes, int32_t* steps, uint32_t* starts
    )
    void write_size_terms(const int32_t* logs, int32_t n, int32_t first, int32_t last, int32_t* terms)
    void score_by_steps(
        const uint32_t** entries, int n_features, int32_t n, int32_t n_first, const entropy_terms* node, uint32_t* room,
        int32_t to_reach, uint32_t* found, int32_t* n_found, int32_t* scores
    )


cdef extern from "simd_ordinal.h" nogil:
    enum:
        NO_CLASS
    ctypedef struct ordinal_forms:
        const uint32_t* steps
        const uint16_t* labels
        uint32_t form
        float base
        const float* left_factors
        const float* right_factors
        int32_t n_classes
        bint is_ranking
    uint32_t write_form_steps(const int64_t* totals, int32_t n_classes, int32_t n, bint is_ranking, uint32_t* steps)
    void write_costs(
        int32_t n, int32_t first, int32_t last, bint weighs_children, float* left_factors, float* right_factors
    )
    float score_in_order(
        const uint32_t* entries, int32_t n, int32_t n_first, const ordinal_forms* node, float to_reach, uint32_t* found,
        int32_t* n_found
    )
