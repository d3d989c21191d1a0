/* Loops over the sorted entries of a block, 32 bits each: the rank of a sample's value above its place in the block. All
cuts of a feature are scored, four side by side, in single precision; see simd_binary.h.

The score of a cut behind i + 1 entries is made of sums over these entries and of factors[i], so that nothing is divided
here. A factor is 0 if the limits forbid the cut. Behind the last entry there are four more that can be read, and four
factors of 0. Nodes have less than 2**15 - 8 samples.

Entries that lack the value come last and share a rank; a loop takes the `n` entries before them. They are on the right
of all cuts. To have them on the left, a loop starts from what they add up to, and takes the factors from their number
on.

Without `found`, a loop returns the greatest score. With `found`, a loop lists the cuts that score at least `to_reach`,
which is above 0, and raises `n_found` by their number. Callers that want the score pass a constant NULL, so that their loop does no more. */

#ifndef PYTREES_SIMD_SORTED_H
#define PYTREES_SIMD_SORTED_H

#include "simd_binary.h"

/* Every lane gets the sum of itself and the lanes before it. */
static inline lanes_i32 summed_up(lanes_i32 a) {
#if defined(PYTREES_SSE2)
    a += (lanes_i32)_mm_slli_si128((__m128i)a, 4);
    return a + (lanes_i32)_mm_slli_si128((__m128i)a, 8);
#else
    lanes_i32 sums = {a[0], a[0] + a[1], a[0] + a[1] + a[2], a[0] + a[1] + a[2] + a[3]};
    return sums;
#endif
}

static inline lanes_i32 last_everywhere(lanes_i32 a) {
#if defined(PYTREES_SSE2)
    return (lanes_i32)_mm_shuffle_epi32((__m128i)a, 0xFF);
#else
    lanes_i32 all = {a[3], a[3], a[3], a[3]};
    return all;
#endif
}

/* The first and the second numbers of four pairs. */
static inline void separate_pairs(lanes_i32 first, lanes_i32 last, lanes_i32 *ones, lanes_i32 *others) {
#if defined(PYTREES_SSE2)
    *ones = (lanes_i32)_mm_shuffle_ps((__m128)first, (__m128)last, 0x88);
    *others = (lanes_i32)_mm_shuffle_ps((__m128)first, (__m128)last, 0xDD);
#else
    lanes_i32 even = {first[0], first[2], last[0], last[2]}, odd = {first[1], first[3], last[1], last[3]};
    *ones = even;
    *others = odd;
#endif
}

/* Four numbers by the places of four entries. */
static inline lanes_i32 at_places(const uint32_t *entries, const int32_t *numbers) {
#if defined(PYTREES_SSE2)
    /* Compilers would take the way through registers that are no vectors. */
    __m128i first = _mm_cvtsi32_si128(numbers[entries[0] & 0xFFFFu]);
    __m128i second = _mm_cvtsi32_si128(numbers[entries[1] & 0xFFFFu]);
    __m128i third = _mm_cvtsi32_si128(numbers[entries[2] & 0xFFFFu]);
    __m128i fourth = _mm_cvtsi32_si128(numbers[entries[3] & 0xFFFFu]);
    return (lanes_i32)_mm_unpacklo_epi64(_mm_unpacklo_epi32(first, second), _mm_unpacklo_epi32(third, fourth));
#else
    lanes_i32 four = {
        numbers[entries[0] & 0xFFFFu], numbers[entries[1] & 0xFFFFu], numbers[entries[2] & 0xFFFFu],
        numbers[entries[3] & 0xFFFFu]
    };
    return four;
#endif
}

/* Set the scores between equal values to 0. */
static inline lanes_f32 between_values(const uint32_t *entries, lanes_f32 scores) {
    lanes_i32 is_equal = ((load_u32(entries) ^ load_u32(entries + 1)) >> 16) == 0;
    return (lanes_f32)(~is_equal & (lanes_i32)scores);
}

/* List the cuts behind those of four entries, the first of them the i-th, whose lanes are set. */
static inline void list_cuts(lanes_i32 reaches, int32_t i, uint32_t *found, int32_t *n_found) {
    for (int hits = any_lane(reaches); hits; hits &= hits - 1)
        found[(*n_found)++] = (uint32_t)(i + pytrees_trailing_zeros((uint64_t)hits) + 1);
}

/* ------------------------------------------------------------------------------------------------------ two classes */

/* Add the samples of four entries to the samples before them, which `left` counts in its last lane. A word has the
number of samples of class 1 in its lower half, and of all samples in its upper half. Samples of class 1 have places
from `first_of_1` on. */
static inline lanes_i32 add_entries(const uint32_t *entries, int32_t first_of_1, lanes_i32 left) {
    lanes_i32 is_of_1 = (lanes_i32)(load_u32(entries) & 0xFFFFu) > first_of_1 - 1;
    return last_everywhere(left) + summed_up(0x10000 - is_of_1);
}

static inline lanes_f32 score_entries(
    const uint32_t *entries, lanes_i32 left, node_weights node, const float *factors
) {
    lanes_f32 difference = floats_of(dot_halves((lanes_u32)left, node.of_0 + node.of_1, -node.of_1));
    return between_values(entries, difference * difference * load_f32(factors));
}

/* Score the cuts of a feature. Without weights factors[i] is 1 / (L R). With weights, samples have `words` by place, and
factors[i] is 1 for cuts that are allowed; the node weighs less than 2**15 - 8, and places behind the last entry are
valid, too. `first_left` is the word of the samples on the left of all cuts. `found` gets the words of the cuts or, with
weights, the number of the other samples on the left of each cut, and `found_words` the words. */
static PYTREES_ALWAYS_INLINE float score_two_classes(
    const uint32_t *entries, int32_t n, int32_t first_of_1, int is_weighted, const int32_t *words, uint32_t first_left,
    node_weights node, const float *factors, float to_reach, uint32_t *found, uint32_t *found_words, int32_t *n_found
) {
    const lanes_f32 one = {1.0f, 1.0f, 1.0f, 1.0f};
    const float total = (float)(node.of_0 + node.of_1);
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f}, present, weight;
    lanes_i32 left = {0, 0, 0, (int32_t)first_left};
    for (int32_t i = 0; i < n; i += 4) {
        if (is_weighted)
            left = last_everywhere(left) + summed_up(at_places(entries + i, words));
        else
            left = add_entries(entries + i, first_of_1, left);
        present = score_entries(entries + i, left, node, factors + i);
        if (is_weighted) {
            weight = floats_of((lanes_i32)((lanes_u32)left >> 16));
            present = present / greater_f32(weight * (total - weight), one);
        }
        if (found == NULL) {
            best = greater_f32(present, best);
            continue;
        }
        for (int hits = any_lane(present >= to_reach); hits; hits &= hits - 1) {
            int32_t lane = pytrees_trailing_zeros((uint64_t)hits);
            found[*n_found] = is_weighted ? (uint32_t)(i + lane + 1) : (uint32_t)left[lane];
            if (is_weighted)
                found_words[*n_found] = (uint32_t)left[lane];
            (*n_found)++;
        }
    }
    return greatest_f32(best);
}

/* ---------------------------------------------------------------------------------------------- more than two classes */

/* The sum of the squared class counts on the left and, in the upper half, by how much the sum on the right has fallen.
`steps` tells by class how much the next sample adds to both. */
typedef struct {
    uint64_t squares;
    uint64_t *steps;
    int32_t total_squares;      /* of the node */
} squares_of_classes;

static inline squares_of_classes start_squares(const int64_t *totals, int32_t n_classes, uint64_t *steps) {
    squares_of_classes left = {0, steps, 0};
    for (int32_t k = 0; k < n_classes; k++) {
        steps[k] = (uint64_t)(2 * totals[k] - 1) << 32 | 1u;
        left.total_squares += (int32_t)(totals[k] * totals[k]);
    }
    return left;
}

static inline int32_t at_once(int32_t n) { return n < ENTRIES_AT_ONCE ? n : ENTRIES_AT_ONCE; }

/* Move n entries of each of one or two features, at most ENTRIES_AT_ONCE, to the left, and write what is there after
each. An entry waits for what the entry of its class before it wrote, and the other feature's entry need not. */
static PYTREES_ALWAYS_INLINE void move_by_squares(
    const uint32_t *const *entries, int n_features, int32_t n, const uint16_t *labels, squares_of_classes *left,
    uint64_t squares[2][ENTRIES_AT_ONCE]
) {
    uint64_t sums[2] = {left[0].squares, left[n_features - 1].squares};
    uint64_t *steps[2] = {left[0].steps, left[n_features - 1].steps};
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < n_features; k++) {
            uint64_t *of_class = steps[k] + labels[entries[k][i] & 0xFFFFu], step = *of_class;
            sums[k] += step;
            /* Less on the right, more on the left. */
            *of_class = step + 2u - ((uint64_t)2 << 32);
            squares[k][i] = sums[k];
        }
    for (int k = 0; k < n_features; k++)
        left[k].squares = sums[k];
}

static inline void halves_of_sums(const uint64_t *sums, lanes_i32 *low, lanes_i32 *high) {
#if defined(PYTREES_SSE2)
    separate_pairs(
        (lanes_i32)_mm_loadu_si128((const __m128i *)sums), (lanes_i32)_mm_loadu_si128((const __m128i *)(sums + 2)),
        low, high
    );
#else
    lanes_i32 lows = {(int32_t)sums[0], (int32_t)sums[1], (int32_t)sums[2], (int32_t)sums[3]};
    lanes_i32 highs = {
        (int32_t)(sums[0] >> 32), (int32_t)(sums[1] >> 32), (int32_t)(sums[2] >> 32), (int32_t)(sums[3] >> 32)
    };
    *low = lows;
    *high = highs;
#endif
}

static inline lanes_f32 score_squared(
    const uint32_t *entries, const uint64_t *squares, int32_t total_squares, const float *left_factors,
    const float *right_factors
) {
    lanes_i32 left, lost;
    halves_of_sums(squares, &left, &lost);
    return between_values(
        entries,
        floats_of(left) * load_f32(left_factors) + floats_of(total_squares - lost) * load_f32(right_factors)
    );
}

/* Write the greatest scores of one or two features; the factors are 1 / L and 1 / R. `room` has room for a number by
class and feature. One feature can have `n_first` entries behind the others that are on the left of all cuts, and its
cuts can be found: `found` gets the number of the other samples on the left of each cut, `found_squares` the squares of
all. */
static PYTREES_ALWAYS_INLINE void score_by_squares(
    const uint32_t *const *given, int n_features, int32_t n, int32_t n_first, const uint16_t *labels,
    const int64_t *totals, int32_t n_classes, const float *left_factors, const float *right_factors, uint64_t *room,
    float to_reach, uint32_t *found, uint64_t *found_squares, int32_t *n_found, float *scores
) {
    uint64_t squares[2][ENTRIES_AT_ONCE] = {{0}};
    const uint32_t *entries[2] = {given[0], given[n_features - 1]};
    squares_of_classes left[2];
    lanes_f32 best[2] = {{0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}}, present;
    for (int k = 0; k < n_features; k++)
        left[k] = start_squares(totals, n_classes, room + k * n_classes);
    for (int32_t first = 0; first < n_first; first += ENTRIES_AT_ONCE) {
        const uint32_t *missing[1] = {given[0] + n + first};
        move_by_squares(missing, 1, at_once(n_first - first), labels, left, squares);
    }
    for (int32_t first = 0; first < n; first += ENTRIES_AT_ONCE) {
        int32_t n_now = at_once(n - first);
        move_by_squares(entries, n_features, n_now, labels, left, squares);
        for (int k = 0; k < n_features; k++) {
            for (int32_t i = 0; i < n_now; i += 4) {
                present = score_squared(
                    entries[k] + i, squares[k] + i, left[k].total_squares, left_factors + first + i,
                    right_factors + first + i
                );
                if (found == NULL) {
                    best[k] = greater_f32(present, best[k]);
                    continue;
                }
                for (int hits = any_lane(present >= to_reach); hits; hits &= hits - 1) {
                    int32_t lane = i + pytrees_trailing_zeros((uint64_t)hits);
                    found[*n_found] = (uint32_t)(first + lane + 1);
                    found_squares[(*n_found)++] = squares[k][lane];
                }
            }
            entries[k] += n_now;
        }
    }
    for (int k = 0; k < n_features; k++)
        scores[k] = greatest_f32(best[k]);
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* Two pairs of numbers by the places of two entries. */
static inline lanes_i32 pairs_at_places(const uint32_t *entries, const int32_t *pairs) {
    const int32_t *first = pairs + 2 * (entries[0] & 0xFFFFu), *last = pairs + 2 * (entries[1] & 0xFFFFu);
#if defined(PYTREES_SSE2)
    return (lanes_i32)_mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)first), _mm_loadl_epi64((const __m128i *)last));
#else
    lanes_i32 two = {first[0], first[1], last[0], last[1]};
    return two;
#endif
}

/* The second pair gets the sum of itself and the first. */
static inline lanes_i32 pairs_summed_up(lanes_i32 a) {
#if defined(PYTREES_SSE2)
    return a + (lanes_i32)_mm_slli_si128((__m128i)a, 8);
#else
    lanes_i32 sums = {a[0], a[1], a[0] + a[2], a[1] + a[3]};
    return sums;
#endif
}

static inline lanes_i32 last_pair_twice(lanes_i32 a) {
#if defined(PYTREES_SSE2)
    return (lanes_i32)_mm_unpackhi_epi64((__m128i)a, (__m128i)a);
#else
    lanes_i32 pairs = {a[2], a[3], a[2], a[3]};
    return pairs;
#endif
}

/* The sums of residuals and of weights on the left of the cuts behind four entries. `before` are the sums before them,
twice, and become the sums after them. */
static inline void add_weighted_entries(
    const uint32_t *entries, const int32_t *pairs, lanes_i32 *before, lanes_i32 *sums, lanes_i32 *weights
) {
    lanes_i32 first = pairs_summed_up(pairs_at_places(entries, pairs));
    lanes_i32 last = pairs_summed_up(pairs_at_places(entries + 2, pairs)) + last_pair_twice(first);
    first += *before;
    last += *before;
    *before = last_pair_twice(last);
    separate_pairs(first, last, sums, weights);
}

/* Score the cuts of a feature by the residuals of numbers: P**2 / (L R), with P the sum of the residuals on the left.
Without weights factors[i] is 1 / (L R). With weights, which add up to `total`, it is 1 for cuts that are allowed, and
each residual is followed by the weight. Places behind the last entry are valid, too. `first_sum` and
`first_weight` belong to the samples on the left of all cuts. `found` gets the number of the other samples on the left.
*/
static PYTREES_ALWAYS_INLINE float score_numbers(
    const uint32_t *entries, int32_t n, const int32_t *residuals, int is_weighted, int32_t total, int32_t first_sum,
    int32_t first_weight, const float *factors, float to_reach, uint32_t *found, int32_t *n_found
) {
    const lanes_f32 one = {1.0f, 1.0f, 1.0f, 1.0f};
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f}, sum, present;
    lanes_i32 left = {0, 0, 0, first_sum}, before = {first_sum, first_weight, first_sum, first_weight}, weight;
    for (int32_t i = 0; i < n; i += 4) {
        if (is_weighted)
            add_weighted_entries(entries + i, residuals, &before, &left, &weight);
        else
            left = last_everywhere(left) + summed_up(at_places(entries + i, residuals));
        sum = floats_of(left);
        present = sum * sum * load_f32(factors + i);
        if (is_weighted)
            present = present / greater_f32(floats_of(weight) * floats_of(total - weight), one);
        present = between_values(entries + i, present);
        if (found == NULL)
            best = greater_f32(present, best);
        else
            list_cuts(present >= to_reach, i, found, n_found);
    }
    return greatest_f32(best);
}

/* ---------------------------------------------------------------------------------------------------------- factors */

/* Keep the factors of cuts behind first..last samples of n, and set the other factors to 0, up to four behind the last.
*/
static inline void forbid_others(int32_t n, int32_t first, int32_t last, float *factors) {
    for (int32_t i = 0; i < (first < n ? first - 1 : n); i++)
        factors[i] = 0.0f;
    for (int32_t i = last > 0 ? last : 0; i < n + 4; i++)
        factors[i] = 0.0f;
}

/* Write 1 for cuts behind first..last samples of n, and 0 for others. */
static inline void write_permissions(int32_t n, int32_t first, int32_t last, float *factors) {
    for (int32_t i = 0; i < n; i++)
        factors[i] = 1.0f;
    forbid_others(n, first, last, factors);
}

/* Write 1 / (L R) of cuts behind first..last samples of n or, with `right_factors`, 1 / L and 1 / R. */
static inline void write_factors(
    int32_t n, int32_t first, int32_t last, float *left_factors, float *right_factors
) {
    const lanes_f32 one = {1.0f, 1.0f, 1.0f, 1.0f};
    lanes_f32 left = {1.0f, 2.0f, 3.0f, 4.0f}, right = (float)n - left, present;
    for (int32_t i = 0; i < n; i += 4) {
        present = one / (right_factors == NULL ? left * right : left);
        store(left_factors + i, &present);
        if (right_factors != NULL) {
            present = one / right;
            store(right_factors + i, &present);
        }
        left = left + 4.0f;
        right = right - 4.0f;
    }
    forbid_others(n, first, last, left_factors);
    if (right_factors != NULL)
        forbid_others(n, first, last, right_factors);
}

#endif
