/* Loops over the ranks of samples, their bins and their two classes, several side by side, in vectors.

A word holds the weights of both classes, class 0 in its lower half. A cut's score, in single precision, bounds what is
worth an exact look. Gini impurity scores D**2 / (L R) with the weights L and R of the children and D = left_1 total_0 -
left_0 total_1, wrong by less than one in a million; a side without weight scores 0. Ranking impurity scores minus the
sum of both children's products of their class weights, times their weights if the children are weighed. */

#ifndef PYTREES_SIMD_BINARY_H
#define PYTREES_SIMD_BINARY_H

#include <math.h>

#include "compiler.h"
#include "sizes.h"

enum { BY_GINI, BY_RANKING, BY_WEIGHED_RANKING };

/* The node's weights, below 2**15 a class, so that their products fit; and what scores its cuts. */
typedef struct {
    int32_t of_0, of_1;
    int32_t judge;
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

/* The numerator and the denominator of scores by Gini impurity. */
static inline void parts_of_score(
    lanes_u32 left, node_weights node, lanes_f32 *square, lanes_f32 *product
) {
    lanes_f32 difference = floats_of(dot_halves(left, -node.of_1, node.of_0));
    lanes_f32 weight = floats_of(dot_halves(left, 1, 1));
    *square = difference * difference;
    *product = weight * ((float)(node.of_0 + node.of_1) - weight);
}

static inline void halves_of(lanes_u32 words, lanes_f32 *low, lanes_f32 *high) {
    *low = floats_of((lanes_i32)(words & 0xFFFFu));
    *high = floats_of((lanes_i32)(words >> 16));
}

/* Minus the scores by ranking impurity. */
static inline lanes_f32 cost_of_ranking(lanes_f32 left_0, lanes_f32 left_1, node_weights node) {
    lanes_f32 right_0 = (float)node.of_0 - left_0, right_1 = (float)node.of_1 - left_1;
    lanes_f32 left = left_0 * left_1, right = right_0 * right_1;
    if (node.judge == BY_RANKING)
        return left + right;
    return left * (left_0 + left_1) + right * (right_0 + right_1);
}

static inline lanes_f32 score_of(lanes_u32 left, node_weights node) {
    lanes_f32 a, b, one = {1.0f, 1.0f, 1.0f, 1.0f};
    if (node.judge == BY_GINI) {
        parts_of_score(left, node, &a, &b);
        return a / greater_f32(b, one);
    }
    halves_of(left, &a, &b);
    return 0.0f - cost_of_ranking(a, b, node);
}

/* ------------------------------------------------------------------------------------------------------------- keys */

/* Keys are below 2**30. A key plus BITS_OF_KEY_0 has the bits of a normal, finite number in single precision, and the
order of the keys is kept. The smaller or greater of two such numbers takes one instruction. */
#define BITS_OF_KEY_0 0x00800000

static inline lanes_f32 in_order(lanes_i32 keys) { return (lanes_f32)(keys + BITS_OF_KEY_0); }

/* Write the smallest of n keys, n > 0, and return how much greater the greatest is. The first key fills four places after
the last. */
static inline uint32_t span_of_keys(uint32_t *keys, int32_t n, uint32_t *smallest) {
    int32_t i, least = (int32_t)keys[0], most = least;
    const lanes_u32 filling = {keys[0], keys[0], keys[0], keys[0]};
    store(keys + n, &filling);
    lanes_f32 low = in_order((lanes_i32)load_u32(keys)), high = low, key;
    for (i = 4; i < n; i += 4) {
        key = in_order((lanes_i32)load_u32(keys + i));
        low = lesser_f32(key, low);
        high = greater_f32(key, high);
    }
    lanes_i32 lows = (lanes_i32)low - BITS_OF_KEY_0, highs = (lanes_i32)high - BITS_OF_KEY_0;
    for (i = 0; i < 4; i++) {
        least = lows[i] < least ? lows[i] : least;
        most = highs[i] > most ? highs[i] : most;
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
among the others. There are some of both. The keys have gone through span_of_keys. */
static inline int32_t find_neighbours(
    const uint32_t *keys, int32_t n, uint32_t last, int32_t *last_left, int32_t *first_right
) {
    int32_t i, greatest = -1, smallest = INT32_MAX, limit = (int32_t)last;
    const lanes_f32 none = {INFINITY, INFINITY, INFINITY, INFINITY};
    lanes_f32 high = {0.0f, 0.0f, 0.0f, 0.0f}, low = none;
    lanes_i32 n_right = {0}, key, ordered, is_right;
    for (i = 0; i < n; i += 4) {
        key = (lanes_i32)load_u32(keys + i);
        ordered = (lanes_i32)in_order(key);
        is_right = key > limit;
        n_right -= is_right;
        high = greater_f32((lanes_f32)(~is_right & ordered), high);
        low = lesser_f32((lanes_f32)((is_right & ordered) | (~is_right & (lanes_i32)none)), low);
    }
    /* The places after the last key hold the first key. */
    int32_t n_left = ((int32_t)keys[0] > limit ? i : n) - (n_right[0] + n_right[1] + n_right[2] + n_right[3]);
    lanes_i32 highs = (lanes_i32)high - BITS_OF_KEY_0, lows = (lanes_i32)low - BITS_OF_KEY_0;
    for (int32_t lane = 0; lane < 4; lane++) {
        greatest = highs[lane] > greatest ? highs[lane] : greatest;
        smallest = lows[lane] < smallest ? lows[lane] : smallest;
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

/* Keep those of four scores whose numbers, from `start`, are in [first, last); the others become `none`. */
static inline lanes_f32 kept_within(lanes_f32 scores, int32_t start, int32_t first, int32_t last, float none) {
    if (start < first || start + 4 > last)
        for (int32_t lane = 0; lane < 4; lane++)
            if (start + lane < first || start + lane >= last)
                scores[lane] = none;
    return scores;
}

/* Write the scores of the cuts behind bins[first:last] of the summed bins, the least score for the others, and return
the greatest. */
static PYTREES_ALWAYS_INLINE float score_edges(
    const uint32_t *bins, int32_t n_bins, int32_t first, int32_t last, node_weights node, float *scores
) {
    const float none = node.judge == BY_GINI ? 0.0f : -INFINITY;
    lanes_f32 best = {none, none, none, none}, present;
    for (int32_t bin = 0; bin < n_bins; bin += 4) {
        present = kept_within(score_of(load_u32(bins + bin), node), bin, first, last, none);
        store(scores + bin, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

/* Whether a cut inside each of four bins could score more than `to_beat` by Gini impurity: the bin has both classes, and
one of two corners bounds the scores inside, the samples before the bin with its samples of one class. */
static inline lanes_i32 can_beat(lanes_u32 before, lanes_u32 after, node_weights node, float to_beat) {
    lanes_u32 own = after - before;
    lanes_f32 square_0, product_0, square_1, product_1;
    lanes_i32 is_mixed = ((own & 0xFFFFu) != 0) & ((own >> 16) != 0);
    parts_of_score((before & 0xFFFF0000u) | (after & 0xFFFFu), node, &square_0, &product_0);
    parts_of_score((after & 0xFFFF0000u) | (before & 0xFFFFu), node, &square_1, &product_1);
    return is_mixed & ((square_0 > to_beat * product_0) | (square_1 > to_beat * product_1));
}

/* Write by how much the score by ranking impurity rises per sample of either class that moves to the left. */
static inline void slopes_of_ranking(
    lanes_f32 left_0, lanes_f32 left_1, node_weights node, lanes_f32 *of_0, lanes_f32 *of_1
) {
    float node_0 = (float)node.of_0, node_1 = (float)node.of_1, total = node_0 + node_1;
    if (node.judge == BY_RANKING) {
        *of_0 = node_1 - 2.0f * left_1;
        *of_1 = node_0 - 2.0f * left_0;
        return;
    }
    lanes_f32 right = total - left_0 - left_1, both = node_0 * node_1 - left_0 * node_1 - left_1 * node_0;
    *of_0 = right * node_1 + both - total * left_1;
    *of_1 = right * node_0 + both - total * left_0;
}

/* Whether a cut inside each of four bins, which has more than one sample, could score `to_reach` by ranking impurity;
criteria/ranking.pxd has the bound. */
static inline lanes_i32 can_reach_by_ranking(lanes_u32 before, lanes_u32 after, node_weights node, float to_reach) {
    float total = (float)(node.of_0 + node.of_1);
    /* More than rounding takes away from the costs and, for every sample, from the slopes. */
    float share = 1e-6f, of_slopes = 1e-6f * total * (node.judge == BY_RANKING ? 1.0f : total);
    lanes_f32 before_0, before_1, after_0, after_1, rise_0, rise_1, fall_0, fall_1, own_0, own_1, cost, bound;
    halves_of(before, &before_0, &before_1);
    halves_of(after, &after_0, &after_1);
    own_0 = after_0 - before_0;
    own_1 = after_1 - before_1;
    cost = cost_of_ranking(before_0, before_1, node) + cost_of_ranking(after_0, after_1, node);
    slopes_of_ranking(before_0, before_1, node, &rise_0, &rise_1);
    slopes_of_ranking(after_0, after_1, node, &fall_0, &fall_1);
    bound = own_0 * greater_f32(rise_0, 0.0f - fall_0) + own_1 * greater_f32(rise_1, 0.0f - fall_1) - cost;
    bound = 0.5f * bound + share * cost + of_slopes * (own_0 + own_1);
    return (bound >= to_reach) & (own_0 + own_1 > 1.0f);
}

/* Mark the bins inside which a cut could be better than, or by ranking impurity as good as, the score `to_reach`; return
their number. `bins` follows a 0. */
static PYTREES_ALWAYS_INLINE int32_t mark_edges(
    const uint32_t *bins, int32_t n_bins, node_weights node, float to_reach, uint8_t *is_marked
) {
    int32_t n_marked = 0;
    for (int32_t bin = 0; bin < n_bins; bin += 4) {
        lanes_u32 before = load_u32(bins + bin - 1), after = load_u32(bins + bin);
        int hits = any_lane(
            node.judge == BY_GINI ? can_beat(before, after, node, to_reach)
            : can_reach_by_ranking(before, after, node, to_reach)
        );
        memset(is_marked + bin, 0, 4);
        for (; hits; hits &= hits - 1) {
            int32_t hit = bin + pytrees_trailing_zeros((uint64_t)hits);
            is_marked[hit] = hit < n_bins;
            n_marked += hit < n_bins;
        }
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
    lanes_u16 *sum
) {
    for (int32_t j = first; j < last; j++) {
        lanes_i16 other = others[j], word = all_i16(words[j]);
        for (int i = 0; i < n_vectors; i++)
            sum[i] += (lanes_u16)(~(other > key[i]) & word);
    }
}

/* Run BLOCK(first, n) on blocks of vectors, each n vectors from `first`; n is a constant of at most four. */
#define IN_BLOCKS(n_all, BLOCK) \
    for (int32_t first_of_block = 0; first_of_block < (n_all); first_of_block += 4) \
        switch ((n_all) - first_of_block) { \
            case 1: BLOCK(first_of_block, 1); break; \
            case 2: BLOCK(first_of_block, 2); break; \
            case 3: BLOCK(first_of_block, 3); break; \
            default: BLOCK(first_of_block, 4); \
        }

static PYTREES_ALWAYS_INLINE void sum_block(
    const uint16_t *keys, const lanes_i16 *others, const uint16_t *words, const int32_t *ends, int32_t n_classes,
    int32_t n_lanes, int n_vectors, uint16_t *sums
) {
    lanes_i16 key[4];
    int32_t first = 0;
    for (int i = 0; i < n_vectors; i++)
        key[i] = load_i16(keys + 8 * i);
    for (int32_t k = 0; k < n_classes; k++) {
        lanes_u16 sum[4] = {{0}, {0}, {0}, {0}};
        add_pairs(key, others, words, first, ends[k], n_vectors, sum);
        first = ends[k];
        for (int i = 0; i < n_vectors; i++)
            store(sums + (intptr_t)k * n_lanes + 8 * i, &sum[i]);
    }
}

/* Write the sums of every class, whose samples are words[ends[k - 1]:ends[k]]: as many as there are samples, up to a
multiple of eight. */
static inline void sum_pairs(
    const uint16_t *keys, const uint16_t *words, const int32_t *ends, int32_t n_classes, int32_t n, uint16_t *sums
) {
    lanes_i16 others[MOST_PAIRED];
    int32_t n_vectors = (n + 7) / 8;
    spread_keys(keys, n, others);
#define SUM_BLOCK(first, n_of_block) sum_block( \
    keys + 8 * (first), others, words, ends, n_classes, 8 * n_vectors, n_of_block, sums + 8 * (first))
    IN_BLOCKS(n_vectors, SUM_BLOCK)
#undef SUM_BLOCK
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

/* Write numbers below n in the order of n keys, equal ones for equal keys: how many keys are smaller. The keys have gone
through span_of_keys. */
static inline void number_keys(const uint32_t *keys, int32_t n, uint32_t *numbers) {
#define NUMBER_BLOCK(first, n_of_block) number_block(keys + 4 * (first), keys, n, n_of_block, numbers + 4 * (first))
    IN_BLOCKS((n + 3) / 4, NUMBER_BLOCK)
#undef NUMBER_BLOCK
}

/* Write the scores of the cuts with these sums as their left words, and return the greatest. */
static PYTREES_ALWAYS_INLINE float score_sums(const uint16_t *sums, int32_t n, node_weights node, float *scores) {
    const float none = node.judge == BY_GINI ? 0.0f : -INFINITY;
    lanes_f32 best = {none, none, none, none}, present;
    for (int32_t i = 0; i < n; i += 4) {
        lanes_u32 wide = widened(sums + i);
        present = score_of((wide & 0xFFu) | (wide >> 8) << 16, node);
        store(scores + i, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

#endif
