/* Loops over the ranks of samples, their bins and their two classes, several side by side, in the vectors that GCC and
Clang know.

A word holds the weights of both classes, that of class 0 in its lower half. The scores are those of Gini impurity in
single precision, D**2 / (L R) with the weights L and R of the children and D = left_1 total_0 - left_0 total_1, wrong
by less than one in a million: they bound what is worth an exact look. A side without weight scores 0. */

#ifndef PYTREES_LANES_H
#define PYTREES_LANES_H

#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef uint32_t lanes_u32 __attribute__((vector_size(16)));
typedef int32_t lanes_i32 __attribute__((vector_size(16)));
typedef float lanes_f32 __attribute__((vector_size(16)));
typedef uint16_t lanes_u16 __attribute__((vector_size(16)));
typedef int16_t lanes_i16 __attribute__((vector_size(16)));

/* Weights below 2**15 a class, so that their products with the node's fit. */
typedef struct {
    int32_t of_0, of_1;     /* the node's weights */
} node_weights;

static inline lanes_u32 load_u32(const void *from) { lanes_u32 v; memcpy(&v, from, 16); return v; }
static inline lanes_f32 load_f32(const void *from) { lanes_f32 v; memcpy(&v, from, 16); return v; }
static inline lanes_i16 load_i16(const void *from) { lanes_i16 v; memcpy(&v, from, 16); return v; }
static inline void store(void *to, const void *from) { memcpy(to, from, 16); }

/* Four sums low * low_factor + high * high_factor of the halves of words. */
static inline lanes_i32 dot_halves(lanes_u32 words, int32_t low_factor, int32_t high_factor) {
#if defined(__SSE2__)
    __m128i factors = _mm_set1_epi32((int32_t)(((uint32_t)high_factor << 16) | ((uint32_t)low_factor & 0xFFFFu)));
    return (lanes_i32)_mm_madd_epi16((__m128i)words, factors);
#else
    return (lanes_i32)(words & 0xFFFFu) * low_factor + (lanes_i32)(words >> 16) * high_factor;
#endif
}

static inline lanes_f32 greater_f32(lanes_f32 a, lanes_f32 b) {
#if defined(__SSE2__)
    return (lanes_f32)_mm_max_ps((__m128)a, (__m128)b);
#else
    lanes_i32 mask = a > b;
    return (lanes_f32)((mask & (lanes_i32)a) | (~mask & (lanes_i32)b));
#endif
}

static inline float greatest_f32(lanes_f32 a) {
    float x = a[0] > a[1] ? a[0] : a[1], y = a[2] > a[3] ? a[2] : a[3];
    return x > y ? x : y;
}

static inline int any_lane(lanes_i32 mask) {
#if defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask);
#else
    return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

static inline void parts_of_score(
    lanes_u32 left, node_weights node, lanes_f32 *square, lanes_f32 *product
) {
    lanes_f32 difference = __builtin_convertvector(dot_halves(left, -node.of_1, node.of_0), lanes_f32);
    lanes_f32 weight = __builtin_convertvector(dot_halves(left, 1, 1), lanes_f32);
    *square = difference * difference;
    *product = weight * ((float)(node.of_0 + node.of_1) - weight);
}

static inline lanes_f32 score_of(lanes_u32 left, node_weights node) {
    lanes_f32 square, product, one = {1.0f, 1.0f, 1.0f, 1.0f};
    parts_of_score(left, node, &square, &product);
    return square / greater_f32(product, one);
}

static inline lanes_i32 either(lanes_i32 mask, lanes_i32 yes, lanes_i32 no) {
    return (mask & yes) | (~mask & no);
}

/* ------------------------------------------------------------------------------------------------------------- keys */

/* Write the smallest of n keys, n > 0, and return how much greater the greatest is. Keys are below 2**31. */
static inline uint32_t span_of_keys(const uint32_t *keys, int32_t n, uint32_t *smallest) {
    int32_t i, least = (int32_t)keys[0], most = least;
    if (n >= 4) {
        lanes_i32 low = (lanes_i32)load_u32(keys), high = low, key;
        for (i = 4; i < n; i += 4) {
            key = (lanes_i32)load_u32(keys + (i + 4 <= n ? i : n - 4));
            low = either(key < low, key, low);
            high = either(key > high, key, high);
        }
        for (i = 0; i < 4; i++) {
            least = low[i] < least ? low[i] : least;
            most = high[i] > most ? high[i] : most;
        }
    }
    for (i = 1; i < n && n < 4; i++) {
        least = (int32_t)keys[i] < least ? (int32_t)keys[i] : least;
        most = (int32_t)keys[i] > most ? (int32_t)keys[i] : most;
    }
    *smallest = (uint32_t)least;
    return (uint32_t)(most - least);
}

/* Write the numbers of the keys in [first, last] whose bin is marked, each below its key in 64 bits, and return how many
they are. There is room for n. */
static inline int32_t find_marked(
    const uint32_t *keys, int32_t n, uint32_t first, uint32_t last, uint32_t smallest, int shift,
    const uint8_t *is_marked, uint64_t *marked
) {
    int32_t i = 0, lane, n_marked = 0, hits, below = (int32_t)first - 1, above = (int32_t)last + 1;
    for (; i + 4 <= n; i += 4) {
        lanes_i32 key = (lanes_i32)load_u32(keys + i);
        hits = any_lane((key > below) & (key < above));
        while (hits) {
            lane = __builtin_ctz((unsigned)hits);
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

/* Return how many of n keys are at most `last`; of these write the number of a greatest one, and of the others that of a
smallest one. There are some of both. */
static inline int32_t find_neighbours(
    const uint32_t *keys, int32_t n, uint32_t last, int32_t *last_left, int32_t *first_right
) {
    int32_t i = 0, n_left = 0, greatest = -1, smallest = INT32_MAX, limit = (int32_t)last;
    lanes_i32 high = {-1, -1, -1, -1}, low = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, count = {0}, key, is_right;
    for (; i + 4 <= n; i += 4) {
        key = (lanes_i32)load_u32(keys + i);
        is_right = key > limit;
        count -= ~is_right;
        high = either(~is_right & (key > high), key, high);
        low = either(is_right & (key < low), key, low);
    }
    n_left = count[0] + count[1] + count[2] + count[3];
    for (int32_t lane = 0; lane < 4; lane++) {
        greatest = high[lane] > greatest ? high[lane] : greatest;
        smallest = low[lane] < smallest ? low[lane] : smallest;
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

/* Turn the words of n_bins bins into those of all bins up to each, followed by the node's up to a multiple of four. */
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

/* Mark the bins that have both classes and in which a cut could score more than `to_beat`: one of the two corners does
that have the left samples and those of one class of the bin. Return the number of marked bins. `bins` follows a 0. */
static inline int32_t mark_mixed(
    const uint32_t *bins, int32_t n_bins, node_weights node, float to_beat, uint8_t *is_marked
) {
    int32_t bin, lane, n_marked = 0, hits;
    for (bin = 0; bin < n_bins; bin += 4) {
        lanes_u32 after = load_u32(bins + bin), before = load_u32(bins + bin - 1), own = after - before;
        lanes_f32 square_0, product_0, square_1, product_1;
        lanes_i32 is_mixed = ((own & 0xFFFFu) != 0) & ((own >> 16) != 0);
        parts_of_score((before & 0xFFFF0000u) | (after & 0xFFFFu), node, &square_0, &product_0);
        parts_of_score((after & 0xFFFF0000u) | (before & 0xFFFFu), node, &square_1, &product_1);
        hits = any_lane(is_mixed & ((square_0 > to_beat * product_0) | (square_1 > to_beat * product_1)));
        memset(is_marked + bin, 0, 4);
        if (hits)
            for (lane = 0; lane < 4; lane++)
                if (hits >> lane & 1 && bin + lane < n_bins) {
                    is_marked[bin + lane] = 1;
                    n_marked++;
                }
    }
    return n_marked;
}

/* ---------------------------------------------------------------------------------------------- all pairs of samples */

/* Here a word has 16 bits, eight for each class. Each of n samples, n at most 64, gets the words of all samples whose
key is not greater; key and sums have room up to a multiple of eight. */
static inline void sum_pairs_narrow(uint16_t *keys, const uint16_t *words, int32_t n, uint16_t *sums) {
    int32_t i, j, n_vectors = (n + 7) / 8;
    lanes_i16 key[8], sum[8];
    for (i = n; i < 8 * n_vectors; i++)
        keys[i] = keys[0];
    for (i = 0; i < n_vectors; i++) {
        key[i] = load_i16(keys + 8 * i) ^ (int16_t)-32768;
        sum[i] = (lanes_i16){0};
    }
    for (j = 0; j < n; j++) {
        int16_t key_j = (int16_t)(keys[j] ^ 0x8000u), word_j = (int16_t)words[j];
        lanes_i16 other = {key_j, key_j, key_j, key_j, key_j, key_j, key_j, key_j};
        lanes_i16 word = {word_j, word_j, word_j, word_j, word_j, word_j, word_j, word_j};
        for (i = 0; i < n_vectors; i++)
            sum[i] += ~(other > key[i]) & word;
    }
    memcpy(sums, sum, 16 * n_vectors);
}

static inline void sum_pairs_wide(uint32_t *keys, const uint16_t *words, int32_t n, uint16_t *sums) {
    int32_t i, j, n_vectors = (n + 3) / 4;
    lanes_i32 key[16], sum[16];
    for (i = n; i < 4 * n_vectors; i++)
        keys[i] = keys[0];
    for (i = 0; i < n_vectors; i++) {
        key[i] = (lanes_i32)load_u32(keys + 4 * i);
        sum[i] = (lanes_i32){0};
    }
    for (j = 0; j < n; j++) {
        int32_t key_j = (int32_t)keys[j], word_j = words[j];
        lanes_i32 other = {key_j, key_j, key_j, key_j}, word = {word_j, word_j, word_j, word_j};
        for (i = 0; i < n_vectors; i++)
            sum[i] += ~(other > key[i]) & word;
    }
    for (i = 0; i < 4 * n_vectors; i++)
        sums[i] = (uint16_t)sum[i / 4][i % 4];
}

/* Write the scores of the cuts whose left words are the sums, and return the greatest. */
static inline float score_sums(const uint16_t *sums, int32_t n, node_weights node, float *scores) {
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f}, present;
    int32_t i;
    for (i = 0; i < n; i += 4) {
        uint64_t four;
        lanes_u32 wide;
        memcpy(&four, sums + i, 8);
#if defined(__SSE2__)
        wide = (lanes_u32)_mm_unpacklo_epi16(_mm_cvtsi64_si128((int64_t)four), _mm_setzero_si128());
#else
        wide = (lanes_u32){(uint16_t)four, (uint16_t)(four >> 16), (uint16_t)(four >> 32), (uint16_t)(four >> 48)};
#endif
        present = score_of((wide & 0xFFu) | (wide >> 8) << 16, node);
        store(scores + i, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

#endif
