/* Loops over rows of class weights and pairs of samples of more than two classes, several side by side, in vectors: see
simd_binary.h. */

#ifndef PYTREES_SIMD_MULTICLASS_H
#define PYTREES_SIMD_MULTICLASS_H

#include "simd_binary.h"

/* ------------------------------------------------------------------------------------------------------------- bins */

/* Rows of class weights of 16 bits, n_lanes of them, a multiple of eight, the last ones perhaps 0. The scores are
sum left_k**2 / L + sum right_k**2 / R. In order, for ordinal Gini, the weights are those of the classes up to each. */

static inline lanes_i32 dot_rows(lanes_i16 a, lanes_i16 b) {
#if defined(PYTREES_SSE2)
    return (lanes_i32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    lanes_i32 sums = {
        a[0] * b[0] + a[1] * b[1], a[2] * b[2] + a[3] * b[3], a[4] * b[4] + a[5] * b[5], a[6] * b[6] + a[7] * b[7]
    };
    return sums;
#endif
}

static inline int32_t sum_of_i32(lanes_i32 a) { return a[0] + a[1] + a[2] + a[3]; }
static inline float sum_of_f32(lanes_f32 a) { return a[0] + a[1] + a[2] + a[3]; }

/* The sums of the lanes of four vectors. */
static inline lanes_i32 sums_of_four(const lanes_i32 *a) {
#if defined(PYTREES_SSE2)
    __m128i a_0 = (__m128i)a[0], a_1 = (__m128i)a[1], a_2 = (__m128i)a[2], a_3 = (__m128i)a[3];
    __m128i low = _mm_add_epi32(_mm_unpacklo_epi32(a_0, a_1), _mm_unpackhi_epi32(a_0, a_1));
    __m128i high = _mm_add_epi32(_mm_unpacklo_epi32(a_2, a_3), _mm_unpackhi_epi32(a_2, a_3));
    return (lanes_i32)_mm_add_epi32(_mm_unpacklo_epi64(low, high), _mm_unpackhi_epi64(low, high));
#else
    lanes_i32 sums = {sum_of_i32(a[0]), sum_of_i32(a[1]), sum_of_i32(a[2]), sum_of_i32(a[3])};
    return sums;
#endif
}

static inline lanes_f32 root_f32(lanes_f32 a) {
#if defined(PYTREES_SSE2)
    return (lanes_f32)_mm_sqrt_ps((__m128)a);
#else
    lanes_f32 roots = {sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
    return roots;
#endif
}

/* Add to every class's weight those of the lower classes. */
static inline void cumulate_rows(uint16_t *rows, int32_t n_bins, int32_t n_lanes, int32_t n_classes) {
    for (int32_t bin = 0; bin < n_bins; bin++) {
        uint16_t *row = rows + (intptr_t)bin * n_lanes;
#if defined(PYTREES_SSE2)
        const lanes_i16 numbers = {0, 1, 2, 3, 4, 5, 6, 7};
        __m128i carried = _mm_setzero_si128(), sum;
        for (int32_t lane = 0; lane < n_lanes; lane += 8) {
            sum = (__m128i)load_i16(row + lane);
            sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 2));
            sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 4));
            sum = _mm_add_epi16(_mm_add_epi16(sum, _mm_slli_si128(sum, 8)), carried);
            carried = _mm_unpackhi_epi16(sum, sum);
            carried = _mm_shuffle_epi32(carried, 0xFF);
            lanes_i16 written = (lanes_i16)sum & (lanes_i16)(numbers < all_i16((uint16_t)(n_classes - lane)));
            store(row + lane, &written);
        }
#else
        for (int32_t label = 1; label < n_classes; label++)
            row[label] += row[label - 1];
#endif
    }
}

/* One entry per cut: entry i is the cut behind bin i, entry -1 is the empty left side. The entries are scores, weights
on the left, and sums of squared class weights on both sides. There is room up to a multiple of four. */
typedef struct {
    float *scores, *weights, *left_squares, *right_squares;
} edges_of_rows;

/* Cumulate the rows of the bins, and write their edges; return the greatest score of the cuts behind bins [first,
last), or 0. One row of zeros precedes the first bin, and rows of zeros follow the last one up to a multiple of four. A
row weighs as much as all lanes together or, if `lane_of_all` is not negative, as this lane. */
static PYTREES_ALWAYS_INLINE float sum_up_rows(
    uint16_t *rows, int32_t n_bins, int32_t n_lanes, const uint16_t *node, float total, int32_t first, int32_t last,
    int32_t lane_of_all, const edges_of_rows *edges
) {
    const lanes_i16 ones = {1, 1, 1, 1, 1, 1, 1, 1}, numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    const lanes_f32 one = {1.0f, 1.0f, 1.0f, 1.0f};
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int32_t bin = 0; bin < n_bins; bin += 4) {
        lanes_i32 of_left[4] = {{0}, {0}, {0}, {0}}, of_right[4] = {{0}, {0}, {0}, {0}};
        lanes_i32 of_weight[4] = {{0}, {0}, {0}, {0}};
        for (int32_t lane = 0; lane < n_lanes; lane += 8) {
            uint16_t *row = rows + (intptr_t)bin * n_lanes + lane;
            lanes_i16 sum = load_i16(row - n_lanes), all = load_i16(node + lane), weighing = ones, rest;
            if (lane_of_all >= 0)
                weighing = ones & (lanes_i16)(numbers == all_i16((uint16_t)(lane_of_all - lane)));
            for (int i = 0; i < 4; i++) {
                sum += load_i16(row + i * n_lanes);
                store(row + i * n_lanes, &sum);
                rest = all - sum;
                of_left[i] += dot_rows(sum, sum);
                of_right[i] += dot_rows(rest, rest);
                of_weight[i] += dot_rows(sum, weighing);
            }
        }
        lanes_f32 left_squares = floats_of(sums_of_four(of_left)), right_squares = floats_of(sums_of_four(of_right));
        lanes_f32 left = floats_of(sums_of_four(of_weight)), right = total - left;
        lanes_f32 present = left_squares / greater_f32(left, one) + right_squares / greater_f32(right, one);
        store(edges->left_squares + bin, &left_squares);
        store(edges->right_squares + bin, &right_squares);
        store(edges->weights + bin, &left);
        store(edges->scores + bin, &present);
        best = greater_f32(kept_within(present, bin, first, last, 0.0f), best);
    }
    return greatest_f32(best);
}

static inline lanes_f32 four_of_row(const uint16_t *row) {
    return floats_of((lanes_i32)widened(row));
}

/* Bound the scores of the cuts inside four bins by how fast they can rise. A sample that moves to the left raises
|l|**2 / L by at most 2 |l| / L - |l|**2 / L**2, for an |l| / L of at most `left_norm`, and |r|**2 / R by at most |r|**2
/ R**2; one that moves to the right does the same with the sides exchanged. */
static inline lanes_f32 bound_by_rise(const edges_of_rows *edges, int32_t bin, float total) {
    const lanes_f32 one = {1.0f, 1.0f, 1.0f, 1.0f};
    lanes_f32 before = load_f32(edges->weights + bin - 1), after = load_f32(edges->weights + bin);
    lanes_f32 left_norm = root_f32(load_f32(edges->left_squares + bin)) / greater_f32(before, one);
    lanes_f32 right_norm = root_f32(load_f32(edges->right_squares + bin - 1)) / greater_f32(total - after, one);
    left_norm = lesser_f32(left_norm, one);
    right_norm = lesser_f32(right_norm, one);
    lanes_f32 rise = left_norm * (2.0f - left_norm) + right_norm * right_norm;
    lanes_f32 fall = right_norm * (2.0f - right_norm) + left_norm * left_norm;
    return (
        fall * load_f32(edges->scores + bin - 1) + rise * load_f32(edges->scores + bin) + rise * fall * (after - before)
    ) / (rise + fall);
}

/* Bound the same scores in order. A score is `base`, that of the whole node, and the sum g of (p_t -
q_t)**2 L R / N, with the shares p_t and q_t of the classes up to t on the left and on the right. A sample that moves
changes g by at most 2 sum |p_t - q_t|, and therefore the root of g by at most the root of n_forms N / (L R); L R is
least at an edge. A cut has some of the bin's samples between itself and one edge, and the others between itself and the
other edge: in the mean of both bounds these are half of the bin. */
static inline lanes_f32 bound_in_order(const edges_of_rows *edges, int32_t bin, int32_t n_forms, float total) {
    const lanes_f32 none = {0.0f, 0.0f, 0.0f, 0.0f};
    const float base = edges->scores[-1];
    lanes_f32 before = load_f32(edges->weights + bin - 1), after = load_f32(edges->weights + bin);
    lanes_f32 score_0 = load_f32(edges->scores + bin - 1), score_1 = load_f32(edges->scores + bin);
    /* With more than what rounding takes away. */
    lanes_f32 root_0 = root_f32(greater_f32(score_0 - base + 1e-6f * score_0, none));
    lanes_f32 root_1 = root_f32(greater_f32(score_1 - base + 1e-6f * score_1, none));
    lanes_f32 least = lesser_f32(before * (total - before), after * (total - after));
    lanes_f32 root = 0.5f * (root_0 + root_1 + (after - before) * root_f32((float)n_forms * total / least));
    return base + root * root;
}

/* Bound the scores of the cuts inside a bin, neither at the beginning nor at the end, by the best share of every class
for itself, at a slope at which moving all classes alike changes nothing: see criteria/gini.pxd. */
static inline float bound_inside(
    const uint16_t *rows, int32_t bin, int32_t n_lanes, const uint16_t *node, float total, const edges_of_rows *edges
) {
    const uint16_t *after = rows + (intptr_t)bin * n_lanes, *before = after - n_lanes;
    float left_0 = edges->weights[bin - 1], left_1 = edges->weights[bin], right_0 = total - left_0;
    float x_0 = 1.0f / left_0, y_0 = 1.0f / right_0, x_1 = 1.0f / left_1, y_1 = 1.0f / (total - left_1);
    float slope = edges->left_squares[bin - 1] * x_0 * x_0 - edges->right_squares[bin - 1] * y_0 * y_0;
    lanes_f32 bound_0 = {0}, bound_1 = {0};
    for (int32_t lane = 0; lane < n_lanes; lane += 4) {
        lanes_f32 left = four_of_row(before + lane), next = four_of_row(after + lane), all = four_of_row(node + lane);
        lanes_f32 square = left * left, next_square = next * next, tilt = slope * (next - left);
        lanes_f32 rest = (all - left) * (all - left), next_rest = (all - next) * (all - next);
        bound_0 += greater_f32(square * x_0 + rest * y_0, next_square * x_0 + next_rest * y_0 - tilt);
        bound_1 += greater_f32(square * x_1 + rest * y_1, next_square * x_1 + next_rest * y_1 - tilt);
    }
    float at_0 = sum_of_f32(bound_0), at_1 = sum_of_f32(bound_1) + slope * (left_1 - left_0);
    return at_0 > at_1 ? at_0 : at_1;
}

/* Bound the same scores by the best cut of every class for itself, which moves all samples of the class, or all others:
see criteria/gini.pxd. */
static inline float bound_by_groups(
    const uint16_t *rows, int32_t bin, int32_t n_lanes, const uint16_t *node, float total, const edges_of_rows *edges
) {
    const lanes_f32 one = {1.0f, 1.0f, 1.0f, 1.0f};
    const uint16_t *after = rows + (intptr_t)bin * n_lanes, *before = after - n_lanes;
    float left_0 = edges->weights[bin - 1], left_1 = edges->weights[bin];
    lanes_f32 bound = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int32_t lane = 0; lane < n_lanes; lane += 4) {
        lanes_f32 left = four_of_row(before + lane), next = four_of_row(after + lane), all = four_of_row(node + lane);
        lanes_f32 size = left_0 + (next - left), other_size = left_1 - (next - left);
        lanes_f32 rest = all - next, other_rest = all - left;
        bound += greater_f32(
            next * next / greater_f32(size, one) + rest * rest / greater_f32(total - size, one),
            left * left / greater_f32(other_size, one) + other_rest * other_rest / greater_f32(total - other_size, one)
        );
    }
    return sum_of_f32(bound);
}

static inline int sum_of_i16(lanes_i16 a) { return a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7]; }

static inline int has_one_class(const uint16_t *before, const uint16_t *after, int32_t n_lanes) {
    lanes_i16 n_classes = {0};
    for (int32_t lane = 0; lane < n_lanes; lane += 8)
        n_classes -= (lanes_i16)(load_i16(before + lane) != load_i16(after + lane));
    return sum_of_i16(n_classes) <= 1;
}

/* Whether all samples of a bin of this weight are of one class. */
static inline int has_one_class_in_order(const uint16_t *before, const uint16_t *after, int32_t n_lanes, float weight) {
    const lanes_i16 none = {0};
    lanes_i16 all = all_i16((uint16_t)weight), others = none;
    for (int32_t lane = 0; lane < n_lanes; lane += 8) {
        lanes_i16 moved = load_i16(after + lane) - load_i16(before + lane);
        others = others | ((lanes_i16)(moved != none) & (lanes_i16)(moved != all));
    }
    return sum_of_i16(others) == 0;
}

/* Mark the bins in which a cut could reach a score, and return how many there are. Bins of one class have no better cut
than their edges have; `has_edges` says that these may be cut. */
static PYTREES_ALWAYS_INLINE int32_t mark_rows(
    const uint16_t *rows, int32_t n_bins, int32_t n_lanes, int32_t n_classes, int in_order, const uint16_t *node,
    float total, float to_reach, int has_edges, const edges_of_rows *edges, uint8_t *is_marked
) {
    int32_t bin, lane, hits, n_marked = 0;
    /* More than what rounding takes away from the bounds. */
    float nearly = to_reach * (1.0f - 2e-6f);
    for (bin = 0; bin < n_bins; bin += 4) {
        lanes_f32 own = load_f32(edges->weights + bin) - load_f32(edges->weights + bin - 1);
        lanes_f32 bound = in_order ? bound_in_order(edges, bin, n_classes - 1, total) : bound_by_rise(edges, bin, total);
        memset(is_marked + bin, 0, 4);
        hits = any_lane((bound >= nearly) & (own > 0.0f));
        for (; hits; hits &= hits - 1) {
            lane = bin + pytrees_trailing_zeros((uint64_t)hits);
            if (lane >= n_bins)
                continue;
            const uint16_t *after = rows + (intptr_t)lane * n_lanes, *before = after - n_lanes;
            if (has_edges && (in_order ? has_one_class_in_order(before, after, n_lanes, own[lane - bin])
                              : has_one_class(before, after, n_lanes)))
                continue;
            if (!in_order && lane > 0 && lane < n_bins - 1
                && bound_inside(rows, lane, n_lanes, node, total, edges) < nearly)
                continue;
            if (bound_by_groups(rows, lane, n_lanes, node, total, edges) < nearly)
                continue;
            is_marked[lane] = 1;
            n_marked++;
        }
    }
    return n_marked;
}

/* --------------------------------------------------------------------------------------------------------- all pairs */

/* All pairs of n samples, class by class. There are at most MOST_PAIRED samples, of little weight, in the order of
their classes. For each sample, the samples of no greater key are on the left: the sums are the squared class weights on
the left, the squared class weights on the right, and the weight on the left. With the node's class weights T, the
squares on the right are the node's squares - 2 sum T_k left_k + the squares on the left. Sums that overflow 16 bits on
the way are right in the end.

In order, the squares are those of the samples of the classes up to each but the highest. If some classes have no
samples, those before them count so many times as well. */
typedef struct {
    int32_t n_classes;                  /* that some sample has */
    int32_t ends[MOST_PAIRED];          /* where the samples of each end */
    uint16_t totals[MOST_PAIRED];       /* what they weigh; in order, the classes up to each, times `times` */
    uint16_t squares;                   /* of these */
    uint16_t times[MOST_PAIRED];        /* in order: how many classes there are up to the next one that has samples */
} paired_classes;

/* Sums over the classes so far, for 8 samples side by side: left_k**2, T_k left_k, and left_k. */
typedef struct {
    lanes_u16 squares, products, weights;
} left_sums;

static inline void store_sums(
    const left_sums *sums, uint16_t node_squares, uint16_t *left_squares, uint16_t *right_squares, uint16_t *left
) {
    lanes_u16 rest = (lanes_u16)all_i16(node_squares) - sums->products - sums->products + sums->squares;
    store(left_squares, &sums->squares);
    store(right_squares, &rest);
    store(left, &sums->weights);
}

static PYTREES_ALWAYS_INLINE void square_block(
    const uint16_t *keys, const lanes_i16 *others, const uint16_t *weights, const paired_classes *classes,
    int in_order, int n_vectors, uint16_t *left_squares, uint16_t *right_squares, uint16_t *left
) {
    lanes_i16 key[4];
    lanes_u16 sum[4] = {{0}, {0}, {0}, {0}};
    left_sums sums[4], none = {{0}, {0}, {0}};
    int32_t first = 0;
    for (int i = 0; i < n_vectors; i++) {
        key[i] = load_i16(keys + 8 * i);
        sums[i] = none;
    }
    for (int32_t k = 0; k < classes->n_classes; k++) {
        lanes_u16 total = (lanes_u16)all_i16(classes->totals[k]), times = (lanes_u16)all_i16(classes->times[k]);
        for (int i = 0; i < n_vectors && !in_order; i++)
            sum[i] = none.weights;
        add_pairs(key, others, weights, first, classes->ends[k], n_vectors, sum);
        first = classes->ends[k];
        for (int i = 0; i < n_vectors; i++) {
            sums[i].squares += in_order ? sum[i] * sum[i] * times : sum[i] * sum[i];
            sums[i].products += sum[i] * total;
            sums[i].weights = in_order ? sum[i] : sums[i].weights + sum[i];
        }
    }
    for (int i = 0; i < n_vectors; i++)
        store_sums(&sums[i], classes->squares, left_squares + 8 * i, right_squares + 8 * i, left + 8 * i);
}

static PYTREES_ALWAYS_INLINE void sum_squares_of_pairs(
    const uint16_t *keys, const uint16_t *weights, const paired_classes *classes, int in_order, int32_t n,
    uint16_t *left_squares, uint16_t *right_squares, uint16_t *left
) {
    lanes_i16 others[MOST_PAIRED];
    spread_keys(keys, n, others);
#define SQUARE_BLOCK(i, n_of_block) square_block( \
    keys + 8 * (i), others, weights, classes, in_order, n_of_block, left_squares + 8 * (i), right_squares + 8 * (i), \
    left + 8 * (i))
    IN_BLOCKS((n + 7) / 8, SQUARE_BLOCK)
#undef SQUARE_BLOCK
}

/* As sum_squares_of_pairs, for at most MOST_OF_FEW samples: one loop serves all classes. Each number of a sample
fills eight lanes: its weight, its weight times the weight of its class, and 0 for the first sample of a class,
otherwise -1. If a class's weight grows by w, its square grows by w times the sum of the weights before and after. In
order, the last sample of a class has the `totals` and `times` of its class, and the others 0. */
typedef struct {
    lanes_i16 weight, product, is_next;
} sample_of_few;

static PYTREES_ALWAYS_INLINE void square_few(
    const uint16_t *keys, const sample_of_few *samples, uint16_t node_squares, int in_order, int32_t n, int n_vectors,
    uint16_t *left_squares, uint16_t *right_squares, uint16_t *left
) {
    lanes_i16 key[2], own[2] = {{0}, {0}};
    left_sums sums[2], none = {{0}, {0}, {0}};
    for (int i = 0; i < n_vectors; i++) {
        key[i] = load_i16(keys + 8 * i);
        sums[i] = none;
    }
    for (int32_t j = 0; j < n; j++) {
        lanes_i16 other = all_i16(keys[j]);
        for (int i = 0; i < n_vectors; i++) {
            lanes_i16 goes_left = ~(other > key[i]), moved = goes_left & samples[j].weight;
            if (in_order) {
                own[i] += moved;
                sums[i].squares += (lanes_u16)own[i] * (lanes_u16)own[i] * (lanes_u16)samples[j].is_next;
                sums[i].products += (lanes_u16)own[i] * (lanes_u16)samples[j].product;
                sums[i].weights = (lanes_u16)own[i];
                continue;
            }
            lanes_i16 before = own[i] & samples[j].is_next;
            own[i] = before + moved;
            sums[i].squares += (lanes_u16)moved * (lanes_u16)(before + own[i]);
            sums[i].products += (lanes_u16)(goes_left & samples[j].product);
            sums[i].weights += (lanes_u16)moved;
        }
    }
    for (int i = 0; i < n_vectors; i++)
        store_sums(&sums[i], node_squares, left_squares + 8 * i, right_squares + 8 * i, left + 8 * i);
}

static inline void spread_few(
    const uint16_t *weights, const paired_classes *classes, int in_order, int32_t n, sample_of_few *samples
) {
    for (int32_t i = 0, k = 0; i < n; i++) {
        k += i == classes->ends[k];
        samples[i].weight = all_i16(weights[i]);
        if (in_order) {
            int is_last = i + 1 == classes->ends[k];
            samples[i].product = all_i16(is_last ? classes->totals[k] : 0);
            samples[i].is_next = all_i16(is_last ? classes->times[k] : 0);
            continue;
        }
        samples[i].product = all_i16((uint16_t)((uint32_t)weights[i] * classes->totals[k]));
        samples[i].is_next = all_i16((uint16_t)-(i > (k > 0 ? classes->ends[k - 1] : 0)));
    }
}

static PYTREES_ALWAYS_INLINE void sum_squares_of_few(
    const uint16_t *keys, const sample_of_few *samples, const paired_classes *classes, int in_order, int32_t n,
    uint16_t *left_squares, uint16_t *right_squares, uint16_t *left
) {
    if (n <= 8)
        square_few(keys, samples, classes->squares, in_order, n, 1, left_squares, right_squares, left);
    else
        square_few(keys, samples, classes->squares, in_order, n, 2, left_squares, right_squares, left);
}

/* Write the scores of these cuts, 0 if all samples are on the left, and return the greatest. */
static inline float score_squares(
    const uint16_t *left_squares, const uint16_t *right_squares, const uint16_t *left, int32_t n, float total,
    float *scores
) {
    lanes_f32 best = {0}, one = {1.0f, 1.0f, 1.0f, 1.0f};
    for (int32_t i = 0; i < n; i += 4) {
        lanes_f32 weight = four_of_row(left + i), rest = total - weight, present;
        present = four_of_row(left_squares + i) / greater_f32(weight, one)
            + four_of_row(right_squares + i) / greater_f32(rest, one);
        present = (lanes_f32)((lanes_i32)present & (rest > 0.0f));
        store(scores + i, &present);
        best = greater_f32(present, best);
    }
    return greatest_f32(best);
}

#endif
