/* The functions of depth_two.h, included for each width of LANES lanes of type LANE in a VECTOR; NAMED adds the width
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

static inline int32_t NAMED(least)(VECTOR a) {
    int32_t x = a[0];
    for (int lane = 1; lane < LANES; lane++)
        x = a[lane] < x ? a[lane] : x;
    return x;
}

static inline int32_t NAMED(greatest)(VECTOR a) {
    int32_t x = a[0];
    for (int lane = 1; lane < LANES; lane++)
        x = a[lane] > x ? a[lane] : x;
    return x;
}

/* Lanes behind the last feature repeat it. */
static inline void NAMED(lay_out_node)(
    stump_table *table, const int32_t *const *orders, const int32_t *const *ranks, intptr_t n_features,
    const int32_t *labels, const int32_t *weights
) {
    LANE *steps = (LANE *)table->steps, *ends = (LANE *)table->ends;
    LANE *walks = (LANE *)table->walks, *of_labels = (LANE *)table->labels;
    for (intptr_t place = 0; place < table->n_blocks * LANES; place++) {
        intptr_t feature = place < n_features ? place : n_features - 1;
        const int32_t *order = orders[feature], *rank = ranks[feature];
        intptr_t at = place / LANES * LANES * table->n_rows + place % LANES;
        LANE sum = (LANE)(2 * table->total);
        for (intptr_t row = 0; row < table->n_rows; row++, at += LANES) {
            int32_t sample = order[row], step = weights[sample];
            ends[at] = row + 1 < table->n_rows && rank[sample] != rank[order[row + 1]] ? -1 : 0;
            if (table->n_classes == 2) {
                step = labels[sample] ? step : -step;
                sum += (LANE)step;
                walks[at] = sum;
            } else {
                of_labels[at] = (LANE)labels[sample];
            }
            steps[at] = (LANE)step;
        }
    }
}

static inline void NAMED(lay_out_ranks)(
    stump_table *table, const int32_t *const *orders, intptr_t n_features, const int32_t *ranks
) {
    LANE *out = (LANE *)table->ranks;
    for (intptr_t block = 0; block < table->n_blocks; block++) {
        const int32_t *order[LANES];
        for (intptr_t lane = 0; lane < LANES; lane++) {
            intptr_t feature = block * LANES + lane;
            order[lane] = orders[feature < n_features ? feature : n_features - 1];
        }
        for (intptr_t row = 0; row < table->n_rows; row++)
            for (intptr_t lane = 0; lane < LANES; lane++)
                *out++ = (LANE)ranks[order[lane][row]];
    }
}

/* Two classes: the walk over the rows steps up for class 1 and down for class 0. A split that gives class 0 to its left
side gets the weight of class 1 less the walk at the split right. A split that gives class 1 to its left side gets the
weight of class 0 plus the walk right. Walks start at the node's weight, so that they are never negative. */
static inline void NAMED(count_correct_of_two)(
    const stump_table *table, int32_t rank, const int32_t *left, const int32_t *node, int32_t *correct
) {
    const VECTOR start = NAMED(all)((LANE)table->total), last = NAMED(all)((LANE)rank);
    const VECTOR most = NAMED(all)((LANE)(((uint64_t)1 << (8 * sizeof(LANE) - 1)) - 1));
    VECTOR low = start, high = start, right_low = start, right_high = start;
    for (intptr_t block = 0; block < table->n_blocks; block++) {
        intptr_t at = block * LANES * table->n_rows;
        const LANE *ranks = (const LANE *)table->ranks + at, *steps = (const LANE *)table->steps + at;
        const LANE *ends = (const LANE *)table->ends + at, *walks = (const LANE *)table->walks + at;
        VECTOR walk = start;
        for (intptr_t i = 0; i < table->n_rows * LANES; i += LANES) {
            VECTOR end = NAMED(load)(ends + i), elsewhere = ~end & most, right;
            walk += NAMED(load)(steps + i) & ~(NAMED(load)(ranks + i) > last);
            right = NAMED(load)(walks + i) - walk;
            low = NAMED(lesser)(low, walk | elsewhere);
            high = NAMED(greater)(high, walk & end);
            right_low = NAMED(lesser)(right_low, right | elsewhere);
            right_high = NAMED(greater)(right_high, right & end);
        }
    }
    int32_t by_low = left[1] + table->total - NAMED(least)(low);
    int32_t by_high = left[0] - table->total + NAMED(greatest)(high);
    correct[0] = by_low > by_high ? by_low : by_high;
    by_low = node[1] - left[1] + table->total - NAMED(least)(right_low);
    by_high = node[0] - left[0] - table->total + NAMED(greatest)(right_high);
    correct[1] = by_low > by_high ? by_low : by_high;
}

/* More classes: `sums` has, class by class, the weight up to a row in the node and then in the left side. */
static inline void NAMED(count_correct_of_more)(
    const stump_table *table, int32_t rank, const int32_t *left, const int32_t *node, int32_t *correct
) {
    const VECTOR last = NAMED(all)((LANE)rank);
    VECTOR best = {0}, right_best = {0}, *sums = (VECTOR *)table->scratch;
    for (intptr_t block = 0; block < table->n_blocks; block++) {
        intptr_t at = block * LANES * table->n_rows;
        const LANE *ranks = (const LANE *)table->ranks + at, *steps = (const LANE *)table->steps + at;
        const LANE *ends = (const LANE *)table->ends + at, *labels = (const LANE *)table->labels + at;
        memset(sums, 0, 2 * (size_t)table->n_classes * sizeof(VECTOR));
        for (intptr_t i = 0; i < table->n_rows * LANES; i += LANES) {
            VECTOR step = NAMED(load)(steps + i), label = NAMED(load)(labels + i), end = NAMED(load)(ends + i);
            VECTOR is_left = ~(NAMED(load)(ranks + i) > last);
            VECTOR below = {0}, above = {0}, right_below = {0}, right_above = {0};
            for (int32_t k = 0; k < table->n_classes; k++) {
                VECTOR own = step & (label == NAMED(all)((LANE)k)), of_left, of_right;
                sums[2 * k] += own;
                sums[2 * k + 1] += own & is_left;
                of_left = sums[2 * k + 1];
                of_right = sums[2 * k] - of_left;
                below = NAMED(greater)(below, of_left);
                above = NAMED(greater)(above, NAMED(all)((LANE)left[k]) - of_left);
                right_below = NAMED(greater)(right_below, of_right);
                right_above = NAMED(greater)(right_above, NAMED(all)((LANE)(node[k] - left[k])) - of_right);
            }
            best = NAMED(greater)(best, (below + above) & end);
            right_best = NAMED(greater)(right_best, (right_below + right_above) & end);
        }
    }
    correct[0] = NAMED(greatest)(best);
    correct[1] = NAMED(greatest)(right_best);
}

#undef LANES
#undef LANE
#undef VECTOR
#undef NAMED
