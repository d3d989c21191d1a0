/* The functions of two_levels.h, included for each width of LANES lanes of type LANE in a VECTOR; NAMED adds the width
to the name of a function. */

static inline VECTOR NAMED(load)(const void *from) { VECTOR v; memcpy(&v, from, sizeof v); return v; }

static inline VECTOR NAMED(all)(LANE x) {
    VECTOR v = {0};
    return v + x;
}

static inline VECTOR NAMED(lesser)(VECTOR a, VECTOR b) {
#if defined(PYTREES_SSE2)
    if (LANES == 8)
        return (VECTOR)_mm_min_epi16((__m128i)a, (__m128i)b);
#endif
    VECTOR mask = a < b;
    return (mask & a) | (~mask & b);
}

static inline VECTOR NAMED(greater)(VECTOR a, VECTOR b) {
#if defined(PYTREES_SSE2)
    if (LANES == 8)
        return (VECTOR)_mm_max_epi16((__m128i)a, (__m128i)b);
#endif
    VECTOR mask = a > b;
    return (mask & a) | (~mask & b);
}

/* Lane i of the result is byte i. */
static inline VECTOR NAMED(widened)(uint64_t bytes) {
#if defined(PYTREES_SSE2)
    if (LANES == 8)
        return (VECTOR)_mm_unpacklo_epi8(_mm_cvtsi64_si128((long long)bytes), _mm_setzero_si128());
#endif
    VECTOR v = {0};
    for (int lane = 0; lane < LANES; lane++)
        v[lane] = (LANE)(bytes >> 8 * lane & 255);
    return v;
}

/* The mark of a side without an allowed split: less than any split saves. */
static inline LANE NAMED(no_split)(void) { return (LANE)-((LANE)1 << (8 * sizeof(LANE) - 2)); }

static inline void NAMED(clear_classes)(lane_table *table, int nothing) {
    VECTOR none = NAMED(all)(table->matrix ? NAMED(no_split)() : 0);
    memset(table->of_classes, nothing, 2 * (size_t)table->n_classes * sizeof(VECTOR));
    for (int i = 0; i < 4; i++)
        memcpy((VECTOR *)table->saved + i, &none, sizeof none);
}

static inline void NAMED(mark_weights)(
    lane_table *table, const int32_t *rows, const int32_t *ends, intptr_t n_cuts, intptr_t first_lane,
    const int64_t *of_classes
) {
    LANE *left = (LANE *)table->left_weights + first_lane, *by_class = (LANE *)table->of_classes + first_lane;
    const int64_t *of_all = of_classes + n_cuts * table->n_classes;
    for (intptr_t row = 0, cut = 0; table->weights && row < ends[n_cuts - 1]; row++) {
        cut += row == ends[cut];
        for (intptr_t lane = cut; lane < n_cuts; lane++)
            left[rows[row] * LANES + lane] = (LANE)table->weights[rows[row]];
    }
    for (intptr_t cut = 0; cut < n_cuts; cut++) {
        for (intptr_t k = 0; k < table->n_classes; k++) {
            int64_t of_left = of_classes[cut * table->n_classes + k];
            by_class[k * LANES + cut] = (LANE)of_left;
            by_class[(table->n_classes + k) * LANES + cut] = (LANE)(of_all[k] - of_left);
        }
    }
}

/* Add up the rows of the table in the order of a feature. */
static inline void NAMED(add_up)(lane_table *table, const int32_t *rows) {
    const uint64_t *is_left = table->is_left;
    uint64_t *counts = table->counts, count = 0;
    intptr_t i, n = table->n_rows;
    counts[0] = 0;
    for (i = 0; i + 4 <= n; i += 4) {
        counts[i + 1] = count += is_left[rows[i]];
        counts[i + 2] = count += is_left[rows[i + 1]];
        counts[i + 3] = count += is_left[rows[i + 2]];
        counts[i + 4] = count += is_left[rows[i + 3]];
    }
    for (; i < n; i++)
        counts[i + 1] = count += is_left[rows[i]];
    if (table->weights) {
        VECTOR sum = {0}, *sums = (VECTOR *)table->sums;
        memcpy(&sums[0], &sum, sizeof sum);
        for (i = 0; i < n; i++) {
            sum += NAMED(load)((const LANE *)table->left_weights + rows[i] * LANES);
            memcpy(&sums[i + 1], &sum, sizeof sum);
        }
    }
}

/* The kinds of tables and columns, which the functions below are compiled for. */
enum { NAMED(HAS_WEIGHTS) = 1, NAMED(HAS_MATRIX) = 2, NAMED(IS_LIMITED) = 4, NAMED(HAS_TIES) = 8 };

/* Return the weight of the rows from `start` to `end` that are left of the cuts. */
static PYTREES_ALWAYS_INLINE VECTOR NAMED(left_of_run)(
    const uint64_t *counts, const VECTOR *sums, int kind, intptr_t start, intptr_t end
) {
    if (kind & NAMED(HAS_WEIGHTS))
        return NAMED(load)(sums + end) - NAMED(load)(sums + start);
    return NAMED(widened)(counts[end] - counts[start]);
}

/* The samples on both sides that are left of the ends so far, and whether `least_samples` allows a cut here. */
typedef struct {
    VECTOR below[2], total[2], least;
} NAMED(sample_counts);

static inline void NAMED(count_from)(const lane_table *table, NAMED(sample_counts) *counts) {
    memset(counts, 0, sizeof *counts);
    counts->least = NAMED(all)((LANE)(table->least_samples - 1));
    for (intptr_t i = 0; i < table->n_rows; i += MOST_ROWS_OF_RUN) {
        intptr_t end = i + MOST_ROWS_OF_RUN < table->n_rows ? i + MOST_ROWS_OF_RUN : table->n_rows;
        counts->total[0] += NAMED(widened)(table->counts[end] - table->counts[i]);
    }
    counts->total[1] = NAMED(all)((LANE)table->n_rows) - counts->total[0];
}

static inline void NAMED(count_run)(
    const lane_table *table, NAMED(sample_counts) *counts, intptr_t start, intptr_t end, VECTOR *is_allowed
) {
    VECTOR of_left = NAMED(widened)(table->counts[end] - table->counts[start]);
    counts->below[0] += of_left;
    counts->below[1] += NAMED(all)((LANE)(end - start)) - of_left;
    for (int side = 0; side < 2; side++) {
        VECTOR above = counts->total[side] - counts->below[side];
        is_allowed[side] = (VECTOR)(counts->below[side] > counts->least) & (VECTOR)(above > counts->least);
    }
}

/* Two classes: the walk over the rows steps up for class 1 and down for class 0. A split that gives class 0 to its left
side gets the weight of class 1 less the walk at the split right. A split that gives class 1 to its left side gets the
weight of class 0 plus the walk right. A split at the start, where the walk is 0, is a leaf. */
static PYTREES_ALWAYS_INLINE void NAMED(try_splits_of_two)(lane_table *table, const run_list *list, int kind) {
    const VECTOR zero = {0}, *sums = (const VECTOR *)table->sums;
    VECTOR walk = zero, *of_classes = (VECTOR *)table->of_classes, *saved = (VECTOR *)table->saved, allowed[2];
    VECTOR low[4] = {zero, zero, zero, zero}, high[4] = {zero, zero, zero, zero};
    const uint64_t *counts = table->counts;
    const class_run *run = list->runs, *last = run + list->n_runs;
    const int64_t *weights = list->weights;
    NAMED(sample_counts) samples;
    LANE whole = 0;
    intptr_t start = 0;
    if (kind & NAMED(IS_LIMITED))
        NAMED(count_from)(table, &samples);
    for (; run < last; run++) {
        LANE down = (LANE)(run->label - 1);
        VECTOR down_in_all = NAMED(all)(down), at[2];
        LANE weight = kind & NAMED(HAS_WEIGHTS) ? (LANE)*weights++ : (LANE)(run->end - start);
        walk += (NAMED(left_of_run)(counts, sums, kind, start, run->end) ^ down_in_all) - down_in_all;
        whole = (LANE)(whole + ((weight ^ down) - down));
        at[0] = walk;
        at[1] = NAMED(all)(whole) - walk;
        if (kind & NAMED(HAS_TIES)) {
            VECTOR is_cut = NAMED(all)((LANE)run->is_cut);
            at[0] = at[0] & is_cut;
            at[1] = at[1] & is_cut;
        }
        if (kind & NAMED(IS_LIMITED))
            NAMED(count_run)(table, &samples, start, run->end, allowed);
        for (int side = 0; side < 2; side++) {
            low[side] = NAMED(lesser)(low[side], at[side]);
            high[side] = NAMED(greater)(high[side], at[side]);
            if (kind & NAMED(IS_LIMITED)) {
                low[2 + side] = NAMED(lesser)(low[2 + side], at[side] & allowed[side]);
                high[2 + side] = NAMED(greater)(high[2 + side], at[side] & allowed[side]);
            }
        }
        start = run->end;
    }
    for (int i = 0; i < (kind & NAMED(IS_LIMITED) ? 4 : 2); i++) {
        VECTOR by_low = NAMED(load)(of_classes + i % 2 * 2 + 1) - low[i];
        VECTOR by_high = NAMED(load)(of_classes + i % 2 * 2) + high[i], best = NAMED(load)(saved + i);
        best = NAMED(greater)(best, NAMED(greater)(by_low, by_high));
        memcpy(saved + i, &best, sizeof best);
    }
}

/* Add the weight of a run to what the classes of both sides save so far, and write what the best class of each side
saves: the weight that it gets right or, with a matrix, less than nothing. `of_classes` has a vector for each side of
every class. */
static PYTREES_ALWAYS_INLINE void NAMED(with_run)(
    const lane_table *table, VECTOR *of_classes, int kind, int32_t label, const VECTOR *weights, VECTOR *most
) {
    const int64_t *costs = table->matrix + (kind & NAMED(HAS_MATRIX) ? label * table->n_classes : 0);
    for (int side = 0; side < 2; side++) {
        if (!(kind & NAMED(HAS_MATRIX))) {
            VECTOR sum = NAMED(load)(of_classes + 2 * label + side) + weights[side];
            memcpy(of_classes + 2 * label + side, &sum, sizeof sum);
            most[side] = NAMED(greater)(most[side], sum);
            continue;
        }
        for (intptr_t k = 0; k < table->n_classes; k++) {
            VECTOR sum = NAMED(load)(of_classes + 2 * k + side) - weights[side] * (LANE)costs[k];
            memcpy(of_classes + 2 * k + side, &sum, sizeof sum);
            most[side] = k > 0 ? NAMED(greater)(most[side], sum) : sum;
        }
    }
}

/* More classes: a pass backwards notes what the rows after a run save as a leaf, then a pass forwards adds what the
rows before save. */
static PYTREES_ALWAYS_INLINE void NAMED(try_splits_of_more)(lane_table *table, const run_list *list, int kind) {
    const VECTOR zero = {0}, *sums = (const VECTOR *)table->sums;
    VECTOR *after = (VECTOR *)table->of_runs, *saved = (VECTOR *)table->saved;
    VECTOR most[2] = {zero, zero}, best[4], allowed[2], of_run[2];
    VECTOR *of_classes = (VECTOR *)table->of_classes + 2 * table->n_classes;
    const uint64_t *counts = table->counts;
    const class_run *runs = list->runs;
    NAMED(sample_counts) samples;
    intptr_t start = table->n_rows, end;
    memset(of_classes, 0, 2 * (size_t)table->n_classes * sizeof(VECTOR));
    for (intptr_t i = list->n_runs - 1; i >= 0; i--) {
        end = start;
        start = i > 0 ? runs[i - 1].end : 0;
        memcpy(after + 2 * i, most, sizeof most);
        of_run[0] = NAMED(left_of_run)(counts, sums, kind, start, end);
        of_run[1] = NAMED(all)(kind & NAMED(HAS_WEIGHTS) ? (LANE)list->weights[i] : (LANE)(end - start)) - of_run[0];
        NAMED(with_run)(table, of_classes, kind, runs[i].label, of_run, most);
    }
    memset(of_classes, 0, 2 * (size_t)table->n_classes * sizeof(VECTOR));
    memcpy(best, saved, sizeof best);
    most[0] = most[1] = zero;
    if (kind & NAMED(IS_LIMITED))
        NAMED(count_from)(table, &samples);
    for (intptr_t i = 0; i < list->n_runs; i++, start = end) {
        VECTOR is_cut = NAMED(all)((LANE)runs[i].is_cut);
        end = runs[i].end;
        of_run[0] = NAMED(left_of_run)(counts, sums, kind, start, end);
        of_run[1] = NAMED(all)(kind & NAMED(HAS_WEIGHTS) ? (LANE)list->weights[i] : (LANE)(end - start)) - of_run[0];
        NAMED(with_run)(table, of_classes, kind, runs[i].label, of_run, most);
        if (kind & NAMED(IS_LIMITED))
            NAMED(count_run)(table, &samples, start, end, allowed);
        for (int side = 0; side < 2; side++) {
            VECTOR both = most[side] + NAMED(load)(after + 2 * i + side);
            if (kind & NAMED(HAS_TIES))
                best[side] = NAMED(greater)(best[side], (both & is_cut) | (best[side] & ~is_cut));
            else
                best[side] = NAMED(greater)(best[side], both);
            if (kind & NAMED(IS_LIMITED)) {
                VECTOR may = is_cut & allowed[side];
                best[2 + side] = NAMED(greater)(best[2 + side], (both & may) | (best[2 + side] & ~may));
            }
        }
    }
    memcpy(saved, best, sizeof best);
}

static inline void NAMED(try_splits)(lane_table *table, const run_list *list) {
    int has_ties = list->all_are_cuts ? 0 : NAMED(HAS_TIES), any = (table->weights ? NAMED(HAS_WEIGHTS) : 0);
    any |= (table->matrix ? NAMED(HAS_MATRIX) : 0) | (table->least_samples > 1 ? NAMED(IS_LIMITED) : 0);
    NAMED(add_up)(table, list->rows);
    if (table->n_classes == 2 && !any && !has_ties)
        NAMED(try_splits_of_two)(table, list, 0);
    else if (table->n_classes == 2 && !any)
        NAMED(try_splits_of_two)(table, list, NAMED(HAS_TIES));
    else if (table->n_classes == 2)
        NAMED(try_splits_of_two)(table, list, any | NAMED(HAS_TIES));
    else if (!any && !has_ties)
        NAMED(try_splits_of_more)(table, list, 0);
    else if (!any)
        NAMED(try_splits_of_more)(table, list, NAMED(HAS_TIES));
    else
        NAMED(try_splits_of_more)(table, list, any | NAMED(HAS_TIES));
}

static inline void NAMED(class_weights)(
    const lane_table *table, intptr_t side, intptr_t lane, int64_t *of_classes
) {
    for (intptr_t k = 0; k < table->n_classes; k++)
        of_classes[k] = ((const LANE *)table->of_classes)[(side * table->n_classes + k) * LANES + lane];
}

static inline int64_t NAMED(cost_of_stump)(const lane_table *table, intptr_t side, intptr_t lane, int32_t is_limited) {
    const LANE *of_class = (const LANE *)table->of_classes + side * table->n_classes * LANES + lane;
    LANE saved = ((const LANE *)table->saved)[((is_limited ? 2 : 0) + side) * LANES + lane];
    int64_t total = 0;
    if (saved == NAMED(no_split)())
        return NO_BUDGET;
    for (intptr_t k = 0; k < table->n_classes && !table->matrix; k++)
        total += of_class[k * LANES];
    return total - saved;
}

#undef LANES
#undef LANE
#undef VECTOR
#undef NAMED
