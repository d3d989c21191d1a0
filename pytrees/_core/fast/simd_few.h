/* Loops over the ranks of few samples, eight features side by side.

The cut of a feature at a sample sends the samples of greater ranks to the right. All pairs of samples are compared, so
that nothing is sorted. Scores are as in `score_numbers` of simd_sorted.h. */

#ifndef PYTREES_SIMD_FEW_H
#define PYTREES_SIMD_FEW_H

#include "simd_binary.h"

/* Few samples: where the ranks of each begin, its residual and its weight. */
typedef struct {
    int32_t n, total;                       /* the number of samples, and their weight */
    const int16_t *ranks[MOST_IN_FEW];
    int16_t residuals[MOST_IN_FEW], weights[MOST_IN_FEW];
} few_samples;

/* The same with each number in all lanes. */
typedef struct {
    int32_t n;
    lanes_i16 total, residuals[MOST_IN_FEW], weights[MOST_IN_FEW];
} few_in_lanes;

static inline void spread(const few_samples *few, few_in_lanes *lanes) {
    lanes->n = few->n;
    lanes->total = all_i16((uint16_t)few->total);
    for (int32_t i = 0; i < few->n; i++) {
        lanes->residuals[i] = all_i16((uint16_t)few->residuals[i]);
        lanes->weights[i] = all_i16((uint16_t)few->weights[i]);
    }
}

static inline void floats_of_halves(lanes_i16 a, lanes_f32 *first, lanes_f32 *last) {
#if defined(PYTREES_SSE2)
    *first = floats_of((lanes_i32)_mm_srai_epi32(_mm_unpacklo_epi16((__m128i)a, (__m128i)a), 16));
    *last = floats_of((lanes_i32)_mm_srai_epi32(_mm_unpackhi_epi16((__m128i)a, (__m128i)a), 16));
#else
    lanes_f32 low = {(float)a[0], (float)a[1], (float)a[2], (float)a[3]};
    lanes_f32 high = {(float)a[4], (float)a[5], (float)a[6], (float)a[7]};
    *first = low;
    *last = high;
#endif
}

/* Score the cuts of eight features at one sample; `is_weighted` is a constant. */
static PYTREES_ALWAYS_INLINE void score_cuts_at(
    const few_in_lanes *few, const lanes_i16 *ranks, int32_t at, lanes_i16 is_drawn, int is_weighted, float *scores,
    lanes_f32 *best
) {
    const lanes_f32 one = {1.0f, 1.0f, 1.0f, 1.0f};
    lanes_i16 sum = all_i16(0), weight = sum, goes_right;
    lanes_f32 sums[2], products[2], score;
    for (int32_t i = 0; i < few->n; i++) {
        goes_right = (lanes_i16)(ranks[i] > ranks[at]);
        sum += goes_right & few->residuals[i];
        if (is_weighted)
            weight += goes_right & few->weights[i];
        else
            weight -= goes_right;
    }
    floats_of_halves(sum & is_drawn, &sums[0], &sums[1]);
    floats_of_halves((lanes_i16)(weight * (few->total - weight)), &products[0], &products[1]);
    for (int half = 0; half < 2; half++) {
        score = sums[half] * sums[half] / greater_f32(products[half], one);
        store(scores + 4 * half, &score);
        *best = greater_f32(score, *best);
    }
}

static PYTREES_ALWAYS_INLINE void score_eight(
    const few_in_lanes *lanes, const lanes_i16 *ranks, int32_t stride, lanes_i16 is_drawn, int is_weighted,
    float *scores, lanes_f32 *best
) {
    for (int32_t at = 0; at < lanes->n; at++)
        score_cuts_at(lanes, ranks, at, is_drawn, is_weighted, scores + at * stride, best);
}

/* Write the scores of all cuts by sample and feature, `stride` features a sample, from the feature `first` on, until a
score reaches `enough`. Return the greatest score, and write behind which feature the loop has stopped. Features that
are not drawn score 0. */
static inline float score_few(
    const few_samples *few, int32_t stride, const int16_t *is_drawn, int32_t first, float enough, float *scores,
    int32_t *stop
) {
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f};
    lanes_i16 ranks[MOST_IN_FEW];
    few_in_lanes lanes;
    spread(few, &lanes);
    for (; first < stride; first += 8) {
        for (int32_t i = 0; i < few->n; i++)
            ranks[i] = load_i16(few->ranks[i] + first);
        /* Samples that all count once are the usual case. */
        if (few->total == few->n)
            score_eight(&lanes, ranks, stride, load_i16(is_drawn + first), 0, scores + first, &best);
        else
            score_eight(&lanes, ranks, stride, load_i16(is_drawn + first), 1, scores + first, &best);
        if (greatest_f32(best) >= enough) {
            first += 8;
            break;
        }
    }
    *stop = first;
    return greatest_f32(best);
}

/* Return the score of a cut that sends samples of this sum of residuals and this weight to one side. */
static inline float score_of_few(int32_t sum, int32_t weight, int32_t total) {
    return (float)(sum * sum) / (float)(weight * (total - weight));
}

/* List the features of [first, stop) with a score that reaches `to_reach`; return how many there are. */
static inline int32_t find_few(
    int32_t n, int32_t stride, const float *scores, int32_t first, int32_t stop, float to_reach, int32_t *features
) {
    int32_t n_found = 0;
    for (; first < stop; first += 4) {
        lanes_f32 best = load_f32(scores + first);
        for (int32_t i = 1; i < n; i++)
            best = greater_f32(load_f32(scores + i * stride + first), best);
        for (int hits = any_lane(best >= to_reach); hits; hits &= hits - 1)
            features[n_found++] = first + pytrees_trailing_zeros((uint64_t)hits);
    }
    return n_found;
}

/* Return the first drawn feature in which two samples differ, -1 if there is none. */
static inline int32_t first_difference(
    const int16_t *one, const int16_t *other, int32_t stride, const int16_t *is_drawn
) {
    for (int32_t feature = 0; feature < stride; feature++)
        if (one[feature] != other[feature] && is_drawn[feature])
            return feature;
    return -1;
}

#endif
