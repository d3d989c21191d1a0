/* Trees of two levels: for every cut of a node, the most weight that one more split on each side gets right. Several
features are computed side by side, in vectors.

The samples of a node, a row each, are laid out in the order of every feature, LANES features beside each other:
entry (block, row, lane) belongs to the row'th sample in the order of feature block * LANES + lane. Sums of weights are
below 2**15 / 3 in narrow lanes, 2**31 / 3 in wide ones. */

#ifndef PYTREES_DEPTH_TWO_H
#define PYTREES_DEPTH_TWO_H

#include "compiler.h"

#define MOST_IN_NARROW_LANES 10900

typedef struct {
    intptr_t n_blocks, n_rows, n_classes;
    int32_t is_wide;
    int32_t total;          /* weight of the node */
    void *ranks;            /* in the feature that is cut */
    void *steps;            /* the weight; with two classes, negative for class 0 */
    void *ends;             /* -1 if a cut lies behind the row, else 0 */
    void *walks;            /* with two classes: the sum of the steps up to the row, plus twice the total */
    void *labels;           /* with more classes */
    void *scratch;          /* with more classes: two vectors a class */
} stump_table;

#define LANES 8
#define LANE int16_t
#define VECTOR lanes_i16
#define NAMED(name) name##_narrow
#include "depth_two_lanes.h"

#define LANES 4
#define LANE int32_t
#define VECTOR lanes_i32
#define NAMED(name) name##_wide
#include "depth_two_lanes.h"

/* Call the function of the table's width. */
#define BY_WIDTH(name, table, ...) ((table)->is_wide ? name##_wide(table, __VA_ARGS__) : name##_narrow(table, __VA_ARGS__))

static inline intptr_t lanes_of(const stump_table *table) { return table->is_wide ? 4 : 8; }

/* Write the samples of a node: orders[feature] lists them ascending in a feature, whose ranks are ranks[feature]. */
static inline void lay_out_node(
    stump_table *table, const int32_t *const *orders, const int32_t *const *ranks, intptr_t n_features,
    const int32_t *labels, const int32_t *weights
) {
    BY_WIDTH(lay_out_node, table, orders, ranks, n_features, labels, weights);
}

/* Write the ranks of the samples in the feature that is to be cut. */
static inline void lay_out_ranks(
    stump_table *table, const int32_t *const *orders, intptr_t n_features, const int32_t *ranks
) {
    BY_WIDTH(lay_out_ranks, table, orders, n_features, ranks);
}

/* Write the greatest weight that one split can get right among the samples whose rank is at most `rank`, and among the
others. Only cuts with samples of the node on both sides count. `left` has the class weights of the samples up to
`rank`, `node` of all samples. */
static inline void count_correct(
    const stump_table *table, int32_t rank, const int32_t *left, const int32_t *node, int32_t *correct
) {
    if (table->n_classes == 2)
        BY_WIDTH(count_correct_of_two, table, rank, left, node, correct);
    else
        BY_WIDTH(count_correct_of_more, table, rank, left, node, correct);
}

#undef BY_WIDTH
#endif
