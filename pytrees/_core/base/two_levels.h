/* Trees of two levels: for several cuts of a feature at once, the best split of both sides. A cut has a lane of every
vector.

The rows of a node have numbers from 0 on. In the order of another feature, the rows form runs: rows that follow each
other and have one class. A cut of the side inside a run is never better than both ends of the run. Sums over the rows
up to an end that are left of the cuts come from one pass over the rows; then a pass over the runs judges the ends. */

#ifndef PYTREES_TWO_LEVELS_H
#define PYTREES_TWO_LEVELS_H

#include "compiler.h"

#define NO_BUDGET ((int64_t)1 << 62)    /* above all costs */
#define MOST_LANES 8
#define MOST_ROWS_OF_RUN 255        /* so that a byte can count the rows */

/* A run ends before row `end`. */
typedef struct {
    int32_t end;
    int32_t label;
    int32_t is_cut;                 /* -1 if a cut follows; 0 if the values of the next row are equal */
} class_run;

/* The rows of a node in the order of a feature. */
typedef struct {
    const int32_t *rows;
    const class_run *runs;
    const int64_t *weights;         /* of the runs; NULL if all rows have weight 1 */
    intptr_t n_runs;
    int32_t all_are_cuts;
} run_list;

typedef struct {
    intptr_t n_rows, n_classes, least_samples;
    int32_t lane_bytes;             /* 2, 4 or 8: sums are below 2**15, 2**31 or 2**63 */
    const int64_t *matrix;          /* the cost of class k for a sample of class j, at j * n_classes + k; NULL: 0 or 1 */
    const int64_t *weights;         /* by row; NULL if all are 1 */
    uint64_t *is_left;              /* by row: a byte for every lane, 1 if the row is left of the cut */
    void *left_weights;             /* by row: the weight in every lane if the row is left of the cut, else 0 */
    uint64_t *counts;               /* scratch: sums of `is_left` up to a row */
    void *sums;                     /* scratch: sums of `left_weights` up to a row */
    void *of_runs;                  /* scratch: two vectors a run */
    void *of_classes;               /* by side and class: the weight; after them scratch of the same size */
    void *saved;                    /* by side: what the best split saves, without and with `least_samples` */
} lane_table;

#define LANES 8
#define LANE int16_t
#define VECTOR lanes_i16
#define NAMED(name) name##_narrow
#include "two_levels_lanes.h"

#define LANES 4
#define LANE int32_t
#define VECTOR lanes_i32
#define NAMED(name) name##_wide
#include "two_levels_lanes.h"

#define LANES 2
#define LANE int64_t
#define VECTOR lanes_i64
#define NAMED(name) name##_widest
#include "two_levels_lanes.h"

/* Call the function of the table's width. */
#define BY_WIDTH(name, table, ...) \
    ((table)->lane_bytes == 2 ? name##_narrow(table, __VA_ARGS__) : \
     (table)->lane_bytes == 4 ? name##_wide(table, __VA_ARGS__) : name##_widest(table, __VA_ARGS__))

static inline intptr_t lanes_of(const lane_table *table) { return 16 / table->lane_bytes; }

/* Begin with no cut in any lane. */
static inline void clear_left(lane_table *table) {
    memset(table->is_left, 0, (size_t)table->n_rows * sizeof *table->is_left);
    if (table->weights)
        memset(table->left_weights, 0, (size_t)table->n_rows * 16);
    BY_WIDTH(clear_classes, table, 0);
}

/* Give some cuts of a feature the lanes from `first_lane` on. The i'th cut comes after the first ends[i] of its `rows`,
ascending; `of_classes` has the class weights on its left, cut by cut, and after them those of all rows. */
static inline void mark_left(
    lane_table *table, const int32_t *rows, const int32_t *ends, intptr_t n_cuts, intptr_t first_lane,
    const int64_t *of_classes
) {
    uint64_t later = ~(uint64_t)0 / 255 >> 8 * (MOST_LANES - n_cuts) << 8 * first_lane, marks = later;
    intptr_t row = 0;
    for (intptr_t cut = 0; cut < n_cuts; cut++) {
        for (; row < ends[cut]; row++)
            table->is_left[rows[row]] |= marks;
        marks = marks << 8 & later;
    }
    BY_WIDTH(mark_weights, table, rows, ends, n_cuts, first_lane, of_classes);
}

/* Try all splits of both sides of the cuts by a feature. */
static inline void try_splits(lane_table *table, const run_list *list) { BY_WIDTH(try_splits, table, list); }

/* Return what the best split of one side of a cut costs, in errors, with `least_samples` or without. If no split is
allowed, this is the cost of a leaf or, with a matrix, NO_BUDGET, which must not be multiplied. */
static inline int64_t cost_of_stump(const lane_table *table, intptr_t side, intptr_t lane, int32_t is_limited) {
    return BY_WIDTH(cost_of_stump, table, side, lane, is_limited);
}

/* Write the class weights of one side of a cut. */
static inline void class_weights(const lane_table *table, intptr_t side, intptr_t lane, int64_t *of_classes) {
    BY_WIDTH(class_weights, table, side, lane, of_classes);
}

#undef BY_WIDTH
#endif
