/* Loops over the ranks of samples, their bins and their two classes, several side by side, in vectors.

A word holds the weights of both classes, class 0 in its lower half. The scores are scores of Gini impurity in single
precision, D**2 / (L R) with the weights L and R of the children and D = left_1 total_0 - left_0 total_1, wrong by less
than one in a million: they bound what is worth an exact look. A side without weight scores 0. */

#ifndef PYTREES_SIMD_BINARY_H
#define PYTREES_SIMD_BINARY_H

#include <math.h>

#include "compiler.h"
#include "sizes.h"

/* Weights below 2**15 a class, so that their products with the node's fit. */
typedef struct {
    int32_t of_0, of_1;     /* the node's weights */
} node_weights;

static inline lanes_u32 load_u32(const void *from) { lanes_u32 v; memcpy(&v, from, 16); return v; }
static inline lanes_f32 load_f32(const void *from) { lanes_f32 v; memcpy(&v, from, 16); return v; }
static inline lanes_i16 load_i16(const void *from) { lanes_i16 v; memcpy(&v, from, 16); return v; }
static inline lanes_u32 widened(const uint16_t *from) {
#if defined(PYTREES_SSE2)
    return (lanes_u32)_mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)from), _mm_setzero_si128());
#else
    lanes_u32 wide = {from[0], from[1], from[2], from[3]};
    return wide;
#endif
}
static inline void store(void *to, const void *from) { memcpy(to, from, 16); }

/* Four sums low * low_factor + high * high_factor of the halves of words. */
static inline lanes_i32 dot_halves(lanes_u32 words, int32_t low_factor, int32_t high_factor) {
#if defined(PYTREES_SSE2)
    __m128i factors = _mm_set1_epi32((int32_t)(((uint32_t)high_factor << 16) | ((uint32_t)low_factor & 0xFFFFu)));
    return (lanes_i32)_mm_madd_epi16((__m128i)words, factors);
#else
    return (lanes_i32)(words & 0xFFFFu) * low_factor + (lanes_i32)(words >> 16) * high_factor;
#endif
}

static inline lanes_f32 greater_f32(lanes_f32 a, lanes_f32 b) {
#if defined(PYTREES_SSE2)
    return (lanes_f32)_mm_max_ps((__m128)a, (__m128)b);
#else
    lanes_i32 mask = a > b;
    return (lanes_f32)((mask & (lanes_i32)a) | (~mask & (lanes_i32)b));
#endif
}

static inline lanes_f32 lesser_f32(lanes_f32 a, lanes_f32 b) {
#if defined(PYTREES_SSE2)
    return (lanes_f32)_mm_min_ps((__m128)a, (__m128)b);
#else
    lanes_i32 mask = a < b;
    return (lanes_f32)((mask & (lanes_i32)a) | (~mask & (lanes_i32)b));
#endif
}

static inline float greatest_f32(lanes_f32 a) {
    float x = a[0] > a[1] ? a[0] : a[1], y = a[2] > a[3] ? a[2] : a[3];
    return x > y ? x : y;
}

static inline int any_lane(lanes_i32 mask) {
#if defined(PYTREES_SSE2)
    return _mm_movemask_ps((__m128)mask);
#else
    return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

static inline void parts_of_score(
    lanes_u32 left, node_weights node, lanes_f32 *square, lanes_f32 *product
) {
    lanes_f32 difference = floats_of(dot_halves(left, -node.of_1, node.of_0));
    lanes_f32 weight = floats_of(dot_halves(left, 1, 1));
    *square = difference * difference;
    *product = weight * ((float)(node.of_0 + node.of_1) - weight);
}

static inline lanes_f32 score_of(lanes_u32 left, node_weights node) {
    lanes_f32 square, product, one = {1.0f, 1.0f, 1.0f, 1.0f};
    parts_of_score(left, node, &square, &product);
    return square / greater_f32(product, one);
}

/* ------------------------------------------------------------------------------------------------------------- keys */

/* Keys are below 2**30. A key plus BITS_OF_KEY_0 has the bits of a normal, finite number in single precision, and the
order of the keys is kept. The smaller or greater of two such numbers takes one instruction. */
#define BITS_OF_KEY_0 0x00800000

static inline lanes_f32 in_order(lanes_i32 keys) { return (lanes_f32)(keys + BITS_OF_KEY_0); }

/* Write the smallest of n keys, n > 0, and return how much greater the greatest is. */
static inline uint32_t span_of_keys(const uint32_t *keys, int32_t n, uint32_t *smallest) {
    int32_t i, least = (int32_t)keys[0], most = least;
    if (n >= 4) {
        lanes_f32 low = in_order((lanes_i32)load_u32(keys)), high = low, key;
        for (i = 4; i < n; i += 4) {
            key = in_order((lanes_i32)load_u32(keys + (i + 4 <= n ? i : n - 4)));
            low = lesser_f32(key, low);
            high = greater_f32(key, high);
        }
        lanes_i32 lows = (lanes_i32)low - BITS_OF_KEY_0, highs = (lanes_i32)high - BITS_OF_KEY_0;
        for (i = 0; i < 4; i++) {
            least = lows[i] < least ? lows[i] : least;
            most = highs[i] > most ? highs[i] : most;
        }
    }
    for (i = 1; i < n && n < 4; i++) {
        least = (int32_t)keys[i] < least ? (int32_t)keys[i] : least;
        most = (int32_t)keys[i] > most ? (int32_t)keys[i] : most;
    }
    *smallest = (uint32_t)least;
    return (uint32_t)(most - least);
}

/* Write the numbers of the keys in [first, last] whose bin is marked, each below its key in 64 bits, and return how
many there are. There is room for n. */
static inline int32_t find_marked(
    const uint32_t *keys, int32_t n, uint32_t first, uint32_t last, uint32_t smallest, int shift,
    const uint8_t *is_marked, uint64_t *marked
) {
    int32_t i = 0, lane, n_marked = 0, hits, below = (int32_t)first - 1, above = (int32_t)last + 1;
    for (; i + 4 <= n; i += 4) {
        lanes_i32 key = (lanes_i32)load_u32(keys + i);
        hits = any_lane((key > below) & (key < above));
        while (hits) {
            lane = pytrees_trailing_zeros((uint64_t)hits);
            hits &= hits - 1;
            marked[n_marked] = (uint64_t)keys[i + lane] << 32 | (uint64_t)(i + lane);
            n_marked += is_marked[(keys[i + lane] - smallest) >> shift];
        }
    }
    for (; i < n; i++)
        if (keys[i] >= first && keys[i] <= last) {
            marked[n_marked] = (uint64_t)keys[i] << 32 | (uint64_t)i;
            n_marked += is_marked[(keys[i] - smallest) >> shift];
        }
    return n_marked;
}

/* Return how many of n keys are at most `last`. Write the number of a greatest key among them, and of a smallest key
among the others. There are some of both. */
static inline int32_t find_neighbours(
    const uint32_t *keys, int32_t n, uint32_t last, int32_t *last_left, int32_t *first_right
) {
    int32_t i = 0, n_left = 0, greatest = -1, smallest = INT32_MAX, limit = (int32_t)last;
    const lanes_f32 none = {INFINITY, INFINITY, INFINITY, INFINITY};
    lanes_f32 high = {0.0f, 0.0f, 0.0f, 0.0f}, low = none;
    lanes_i32 n_right = {0}, key, ordered, is_right;
    for (; i + 4 <= n; i += 4) {
        key = (lanes_i32)load_u32(keys + i);
        ordered = (lanes_i32)in_order(key);
        is_right = key > limit;
        n_right -= is_right;
        high = greater_f32((lanes_f32)(~is_right & ordered), high);
        low = lesser_f32((lanes_f32)((is_right & ordered) | (~is_right & (lanes_i32)none)), low);
    }
    n_left = i - (n_right[0] + n_right[1] + n_right[2] + n_right[3]);
    lanes_i32 highs = (lanes_i32)high - BITS_OF_KEY_0, lows = (lanes_i32)low - BITS_OF_KEY_0;
    for (int32_t lane = 0; lane < 4; lane++) {
        greatest = highs[lane] > greatest ? highs[lane] : greatest;
        smallest = lows[lane] < smallest ? lows[lane] : smallest;
    }
    for (; i < n; i++) {
        int32_t one = (int32_t)keys[i];
        n_left += one <= limit;
        if (one <= limit)
            greatest = one > greatest ? one : greatest;
        else
            smallest = one < smallest ? one : smallest;
    }
    for (i = 0; (int32_t)keys[i] != greatest; i++) {}
    *last_left = i;
    for (i = 0; (int32_t)keys[i] != smallest; i++) {}
    *first_right = i;
    return n_left;
}

/* ------------------------------------------------------------------------------------------------------------- bins */

/* Cumulate the words of n_bins bins; the node's word follows, up to a multiple of four. */
static inline void sum_up(uint32_t *bins, int32_t n_bins) {
    uint32_t sum = 0;
    int32_t bin;
    for (bin = 0; bin < n_bins; bin++) {
        sum += bins[bin];
        bins[bin] = sum;
    }
    for (; bin % 4 != 0; bin++)
        bins[bin] = sum;
}

/* Write the scores of the cuts behind bins[first:last] of the summed bins, 0 for the others, and return the greatest. */
static inline float score_edges(
    const uint32_t *bins, int32_t n_bins, int32_t first, int32_t last, node_weights node, float *scores
) {
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f}, present;
    int32_t bin;
    for (bin = 0; bin < n_bins; bin += 4) {
        present = score_of(load_u32(bins + bin), node);
        if (bin < first || bin + 4 > last) {
            for (int32_t lane = 0; lane < 4; lane++)
                if (bin + lane < first || bin + lane >= last)
                    present[lane] = 0.0f;
        }
        store(scores + bin, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

/* Mark the hits among four bins, of which the first n_bins exist, and return their number. */
static inline int32_t mark_hits(int hits, int32_t n_bins, uint8_t *is_marked) {
    int32_t n_marked = 0;
    memset(is_marked, 0, 4);
    if (hits)
        for (int32_t lane = 0; lane < 4; lane++)
            if (hits >> lane & 1 && lane < n_bins) {
                is_marked[lane] = 1;
                n_marked++;
            }
    return n_marked;
}

/* Mark the bins that have both classes and in which a cut could score more than `to_beat`. The scores inside a bin are
bounded by two corners: the left samples with the bin's samples of one class. Return the number of marked bins. `bins`
follows a 0. */
static inline int32_t mark_mixed(
    const uint32_t *bins, int32_t n_bins, node_weights node, float to_beat, uint8_t *is_marked
) {
    int32_t bin, n_marked = 0, hits;
    for (bin = 0; bin < n_bins; bin += 4) {
        lanes_u32 after = load_u32(bins + bin), before = load_u32(bins + bin - 1), own = after - before;
        lanes_f32 square_0, product_0, square_1, product_1;
        lanes_i32 is_mixed = ((own & 0xFFFFu) != 0) & ((own >> 16) != 0);
        parts_of_score((before & 0xFFFF0000u) | (after & 0xFFFFu), node, &square_0, &product_0);
        parts_of_score((after & 0xFFFF0000u) | (before & 0xFFFFu), node, &square_1, &product_1);
        hits = any_lane(is_mixed & ((square_0 > to_beat * product_0) | (square_1 > to_beat * product_1)));
        n_marked += mark_hits(hits, n_bins - bin, is_marked + bin);
    }
    return n_marked;
}

/* ------------------------------------------------------------------------------ ranking impurity of two classes */

/* Scores are minus the sum of both children's products of their class weights, times their weights if the children are
weighed; criteria/ranking.pxd has the bound. */
static inline lanes_f32 cost_of_ranking(lanes_f32 left_0, lanes_f32 left_1, node_weights node, int weighs_children) {
    lanes_f32 right_0 = (float)node.of_0 - left_0, right_1 = (float)node.of_1 - left_1;
    lanes_f32 left = left_0 * left_1, right = right_0 * right_1;
    if (!weighs_children)
        return left + right;
    return left * (left_0 + left_1) + right * (right_0 + right_1);
}

static inline void halves_of(lanes_u32 words, lanes_f32 *low, lanes_f32 *high) {
    *low = floats_of((lanes_i32)(words & 0xFFFFu));
    *high = floats_of((lanes_i32)(words >> 16));
}

/* Write the scores of the cuts behind bins[first:last] of the summed bins, minus infinity for the others, and return the
greatest. */
static inline float score_edges_by_ranking(
    const uint32_t *bins, int32_t n_bins, int32_t first, int32_t last, node_weights node, int weighs_children,
    float *scores
) {
    const float none = -INFINITY;
    lanes_f32 best = {none, none, none, none}, present, left_0, left_1;
    for (int32_t bin = 0; bin < n_bins; bin += 4) {
        halves_of(load_u32(bins + bin), &left_0, &left_1);
        present = 0.0f - cost_of_ranking(left_0, left_1, node, weighs_children);
        if (bin < first || bin + 4 > last) {
            for (int32_t lane = 0; lane < 4; lane++)
                if (bin + lane < first || bin + lane >= last)
                    present[lane] = none;
        }
        store(scores + bin, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

/* Write by how much the score rises per sample of either class that moves to the left. */
static inline void slopes_of_ranking(
    lanes_f32 left_0, lanes_f32 left_1, node_weights node, int weighs_children, lanes_f32 *of_0, lanes_f32 *of_1
) {
    float node_0 = (float)node.of_0, node_1 = (float)node.of_1, total = node_0 + node_1;
    if (!weighs_children) {
        *of_0 = node_1 - 2.0f * left_1;
        *of_1 = node_0 - 2.0f * left_0;
        return;
    }
    lanes_f32 right = total - left_0 - left_1, both = node_0 * node_1 - left_0 * node_1 - left_1 * node_0;
    *of_0 = right * node_1 + both - total * left_1;
    *of_1 = right * node_0 + both - total * left_0;
}

/* Mark the bins of more than one sample in which a cut could reach a score, and return how many there are. `bins`
follows a 0. */
static inline int32_t mark_by_ranking(
    const uint32_t *bins, int32_t n_bins, node_weights node, int weighs_children, float to_reach, uint8_t *is_marked
) {
    float total = (float)(node.of_0 + node.of_1);
    /* More than rounding takes away from the costs and, for every sample, from the slopes. */
    float share = 1e-6f, of_slopes = 1e-6f * total * (weighs_children ? total : 1.0f);
    int32_t bin, hits, n_marked = 0;
    for (bin = 0; bin < n_bins; bin += 4) {
        lanes_f32 before_0, before_1, after_0, after_1, rise_0, rise_1, fall_0, fall_1, own_0, own_1, cost, bound;
        halves_of(load_u32(bins + bin - 1), &before_0, &before_1);
        halves_of(load_u32(bins + bin), &after_0, &after_1);
        own_0 = after_0 - before_0;
        own_1 = after_1 - before_1;
        cost = cost_of_ranking(before_0, before_1, node, weighs_children)
            + cost_of_ranking(after_0, after_1, node, weighs_children);
        slopes_of_ranking(before_0, before_1, node, weighs_children, &rise_0, &rise_1);
        slopes_of_ranking(after_0, after_1, node, weighs_children, &fall_0, &fall_1);
        bound = own_0 * greater_f32(rise_0, 0.0f - fall_0) + own_1 * greater_f32(rise_1, 0.0f - fall_1) - cost;
        bound = 0.5f * bound + share * cost + of_slopes * (own_0 + own_1);
        hits = any_lane((bound >= to_reach) & (own_0 + own_1 > 1.0f));
        n_marked += mark_hits(hits, n_bins - bin, is_marked + bin);
    }
    return n_marked;
}

/* ---------------------------------------------------------------------------------------------- all pairs of samples */

/* Here a word has 16 bits, eight for each class. Each of n samples, n at most MOST_PAIRED, gets the words of all samples
whose key is not greater; there is room up to a multiple of eight. */
static inline lanes_i16 all_i16(uint16_t x) {
    int16_t y = (int16_t)x;
    lanes_i16 all = {y, y, y, y, y, y, y, y};
    return all;
}

/* Keys of pairs are in the order of signed numbers. Here they are differences to the smallest of 32-bit keys, at most
0xFFFF. The first key fills the places behind the last, up to a multiple of eight, for which both arrays have room. */
static inline void narrow_keys(const uint32_t *keys, int32_t n, uint32_t smallest, uint16_t *narrow) {
    int32_t i;
#if defined(PYTREES_SSE2)
    __m128i middle = _mm_set1_epi32((int32_t)(smallest + 0x8000u));
    for (i = 0; i < n; i += 8) {
        __m128i low = (__m128i)load_u32(keys + i), high = (__m128i)load_u32(keys + i + 4);
        __m128i both = _mm_packs_epi32(_mm_sub_epi32(low, middle), _mm_sub_epi32(high, middle));
        store(narrow + i, &both);
    }
#else
    for (i = 0; i < n; i++)
        narrow[i] = (uint16_t)((keys[i] - smallest) ^ 0x8000u);
#endif
    for (i = n; i % 8 != 0; i++)
        narrow[i] = narrow[0];
}

/* Lay out each key eight times. */
static inline void spread_keys(const uint16_t *keys, int32_t n, lanes_i16 *spread) {
#if defined(PYTREES_SSE2)
    for (int32_t i = 0; i < n; i += 8) {
        __m128i key = (__m128i)load_i16(keys + i), low = _mm_unpacklo_epi16(key, key);
        __m128i high = _mm_unpackhi_epi16(key, key);
        spread[i] = (lanes_i16)_mm_shuffle_epi32(low, 0x00);
        spread[i + 1] = (lanes_i16)_mm_shuffle_epi32(low, 0x55);
        spread[i + 2] = (lanes_i16)_mm_shuffle_epi32(low, 0xAA);
        spread[i + 3] = (lanes_i16)_mm_shuffle_epi32(low, 0xFF);
        spread[i + 4] = (lanes_i16)_mm_shuffle_epi32(high, 0x00);
        spread[i + 5] = (lanes_i16)_mm_shuffle_epi32(high, 0x55);
        spread[i + 6] = (lanes_i16)_mm_shuffle_epi32(high, 0xAA);
        spread[i + 7] = (lanes_i16)_mm_shuffle_epi32(high, 0xFF);
    }
#else
    for (int32_t i = 0; i < n; i++)
        spread[i] = all_i16(keys[i]);
#endif
}

/* Add to each of 8 n_vectors sums the words of others[first:last] whose key is not greater. All callers pass a constant
n_vectors, so that sums and keys stay in registers. */
static PYTREES_ALWAYS_INLINE void add_pairs(
    const lanes_i16 *key, const lanes_i16 *others, const uint16_t *words, int32_t first, int32_t last, int n_vectors,
    lanes_i16 *sum
) {
    for (int32_t j = first; j < last; j++) {
        lanes_i16 other = others[j], word = all_i16(words[j]);
        for (int i = 0; i < n_vectors; i++)
            sum[i] += ~(other > key[i]) & word;
    }
}

static PYTREES_ALWAYS_INLINE void sum_block(
    const uint16_t *keys, const lanes_i16 *others, const uint16_t *words, int32_t n, int n_vectors, uint16_t *sums
) {
    lanes_i16 key[4], sum[4], zero = {0};
    for (int i = 0; i < n_vectors; i++) {
        key[i] = load_i16(keys + 8 * i);
        sum[i] = zero;
    }
    add_pairs(key, others, words, 0, n, n_vectors, sum);
    for (int i = 0; i < n_vectors; i++)
        store(sums + 8 * i, &sum[i]);
}

static inline void sum_pairs(const uint16_t *keys, const uint16_t *words, int32_t n, uint16_t *sums) {
    lanes_i16 others[MOST_PAIRED];
    int32_t first = 0, n_vectors = (n + 7) / 8;
    spread_keys(keys, n, others);
    for (; first + 4 <= n_vectors; first += 4)
        sum_block(keys + 8 * first, others, words, n, 4, sums + 8 * first);
    switch (n_vectors - first) {
        case 1: sum_block(keys + 8 * first, others, words, n, 1, sums + 8 * first); break;
        case 2: sum_block(keys + 8 * first, others, words, n, 2, sums + 8 * first); break;
        case 3: sum_block(keys + 8 * first, others, words, n, 3, sums + 8 * first); break;
        default: break;
    }
}

static PYTREES_ALWAYS_INLINE void number_block(
    const uint32_t *keys, const uint32_t *others, int32_t n, int n_vectors, uint32_t *numbers
) {
    lanes_i32 key[4], number[4];
    for (int i = 0; i < n_vectors; i++) {
        key[i] = (lanes_i32)load_u32(keys + 4 * i);
        number[i] = key[i] - key[i];
    }
    for (int32_t j = 0; j < n; j++) {
        int32_t key_j = (int32_t)others[j];
        lanes_i32 other = {key_j, key_j, key_j, key_j};
        for (int i = 0; i < n_vectors; i++)
            number[i] -= key[i] > other;
    }
    for (int i = 0; i < n_vectors; i++)
        store(numbers + 4 * i, &number[i]);
}

/* Write numbers below n in the order of n keys, equal ones for equal keys: how many keys are smaller. Writes the first
key behind the last ones, up to a multiple of four. */
static inline void number_keys(uint32_t *keys, int32_t n, uint32_t *numbers) {
    int32_t i, n_vectors = (n + 3) / 4;
    for (i = n; i < 4 * n_vectors; i++)
        keys[i] = keys[0];
    for (i = 0; i + 4 <= n_vectors; i += 4)
        number_block(keys + 4 * i, keys, n, 4, numbers + 4 * i);
    switch (n_vectors - i) {
        case 1: number_block(keys + 4 * i, keys, n, 1, numbers + 4 * i); break;
        case 2: number_block(keys + 4 * i, keys, n, 2, numbers + 4 * i); break;
        case 3: number_block(keys + 4 * i, keys, n, 3, numbers + 4 * i); break;
        default: break;
    }
}

/* Write the scores of the cuts with these sums as their left words, and return the greatest. */
static inline float score_sums(const uint16_t *sums, int32_t n, node_weights node, float *scores) {
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f}, present;
    int32_t i;
    for (i = 0; i < n; i += 4) {
        lanes_u32 wide = widened(sums + i);
        present = score_of((wide & 0xFFu) | (wide >> 8) << 16, node);
        store(scores + i, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

/* The same by ranking impurity. */
static inline float score_sums_by_ranking(
    const uint16_t *sums, int32_t n, node_weights node, int weighs_children, float *scores
) {
    const float none = -INFINITY;
    lanes_f32 best = {none, none, none, none}, present, left_0, left_1;
    for (int32_t i = 0; i < n; i += 4) {
        lanes_u32 wide = widened(sums + i);
        halves_of((wide & 0xFFu) | (wide >> 8) << 16, &left_0, &left_1);
        present = 0.0f - cost_of_ranking(left_0, left_1, node, weighs_children);
        store(scores + i, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

#endif
