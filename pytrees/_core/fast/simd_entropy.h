/* The same loops as in simd_sorted.h for entropy, whose scores are whole numbers: the gain of a cut, times the node's
samples, in units of the table `logs` of n log2 n.

A sample that moves to the left adds a step, which depends on its class and on how many of the class have moved. With
the term of the children's sizes, the sum of the steps makes the score. */

#ifndef PYTREES_SIMD_ENTROPY_H
#define PYTREES_SIMD_ENTROPY_H

#include "simd_sorted.h"

/* The terms of a node: a sample of class k adds steps[next[k]]. */
typedef struct {
    const int32_t *steps;
    const uint32_t *starts;     /* by class, in `steps` */
    const uint16_t *labels;     /* by place */
    const int32_t *size_terms;  /* by the number of samples on the left, less one */
    int32_t n_classes;
} entropy_terms;

/* Write what the samples of each class add one after another, and by class where this begins. */
static inline void write_entropy_steps(
    const int32_t *logs, const int64_t *totals, int32_t n_classes, int32_t *steps, uint32_t *starts
) {
    uint32_t start = 0;
    for (int32_t k = 0; k < n_classes; k++) {
        int32_t n = (int32_t)totals[k];
        starts[k] = start;
        for (int32_t left = 0; left < n; left++)
            steps[start + left] = logs[left + 1] - logs[left] + logs[n - left - 1] - logs[n - left];
        start += n;
    }
}

/* Write the terms of cuts behind first..last samples of n, and 0 for others, whose scores then are not above 0. */
static inline void write_size_terms(const int32_t *logs, int32_t n, int32_t first, int32_t last, int32_t *terms) {
    for (int32_t left = 1; left <= n + 4; left++)
        terms[left - 1] = first <= left && left <= last ? logs[left] + logs[n - left] - logs[n] : 0;
}

static inline lanes_i32 greater_i32(lanes_i32 a, lanes_i32 b) {
    lanes_i32 is_greater = a > b;
    return (a & is_greater) | (b & ~is_greater);
}

static inline int32_t greatest_i32(lanes_i32 a) {
    int32_t greatest = a[0];
    for (int lane = 1; lane < 4; lane++)
        greatest = a[lane] > greatest ? a[lane] : greatest;
    return greatest;
}

/* The scores of the cuts behind four entries. */
static inline lanes_i32 score_sums_of_steps(const uint32_t *entries, const int32_t *sums, const int32_t *size_terms) {
    lanes_i32 scores = (lanes_i32)load_u32((const uint32_t *)sums) - (lanes_i32)load_u32((const uint32_t *)size_terms);
    return (lanes_i32)between_values(entries, (lanes_f32)scores);
}

/* Move n entries of a node of two classes, at most ENTRIES_AT_ONCE, and return the sum behind the last. The samples of
the first class are those that are not of the second, so that no entry waits for another one. */
static inline int32_t move_by_binary_steps(
    const uint32_t *entries, int32_t n, const entropy_terms *node, uint32_t *next, int32_t sum, int32_t *sums
) {
    uint32_t next_of_0 = next[0], next_of_1 = next[1];
    for (int32_t i = 0; i < n; i++) {
        uint32_t is_of_1 = node->labels[entries[i] & 0xFFFFu];
        /* A branch would often be predicted wrong. */
        sum += node->steps[next_of_0 ^ ((next_of_0 ^ next_of_1) & (0u - is_of_1))];
        next_of_1 += is_of_1;
        next_of_0 += 1 - is_of_1;
        sums[i] = sum;
    }
    next[0] = next_of_0;
    next[1] = next_of_1;
    return sum;
}

/* Move n entries of each of one or two features, at most ENTRIES_AT_ONCE, and write the sums behind each. An entry waits
for what the entry of its class before it wrote, and the other feature's entry need not. */
static PYTREES_ALWAYS_INLINE void move_by_steps(
    const uint32_t *const *entries, int n_features, int32_t n, const entropy_terms *node, uint32_t *const *next,
    int32_t *last_sums, int32_t sums[2][ENTRIES_AT_ONCE]
) {
    int32_t present[2] = {last_sums[0], last_sums[1]};
    if (node->n_classes == 2) {
        for (int k = 0; k < n_features; k++)
            last_sums[k] = move_by_binary_steps(entries[k], n, node, next[k], last_sums[k], sums[k]);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < n_features; k++) {
            uint32_t *of_class = next[k] + node->labels[entries[k][i] & 0xFFFFu];
            present[k] += node->steps[(*of_class)++];
            sums[k][i] = present[k];
        }
    for (int k = 0; k < n_features; k++)
        last_sums[k] = present[k];
}

/* Write the greatest scores of one or two features, at least 0. `next` has room for a number by class and feature. One
feature can have `n_first` entries behind the others that are on the left of all cuts, and its cuts that score at least
`to_reach` can be found. */
static PYTREES_ALWAYS_INLINE void score_by_steps(
    const uint32_t *const *given, int n_features, int32_t n, int32_t n_first, const entropy_terms *node, uint32_t *room,
    int32_t to_reach, uint32_t *found, int32_t *n_found, int32_t *scores
) {
    int32_t sums[2][ENTRIES_AT_ONCE] = {{0}}, last_sums[2] = {0, 0};
    const uint32_t *entries[2] = {given[0], given[n_features - 1]};
    uint32_t *next[2] = {room, room + node->n_classes};
    lanes_i32 best[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}}, present;
    for (int k = 0; k < n_features; k++)
        memcpy(next[k], node->starts, node->n_classes * sizeof(uint32_t));
    for (int32_t first = 0; first < n_first; first += ENTRIES_AT_ONCE) {
        const uint32_t *missing[1] = {given[0] + n + first};
        move_by_steps(missing, 1, at_once(n_first - first), node, next, last_sums, sums);
    }
    for (int32_t first = 0; first < n; first += ENTRIES_AT_ONCE) {
        int32_t n_now = at_once(n - first);
        move_by_steps(entries, n_features, n_now, node, next, last_sums, sums);
        for (int k = 0; k < n_features; k++) {
            for (int32_t i = 0; i < n_now; i += 4) {
                present = score_sums_of_steps(entries[k] + i, sums[k] + i, node->size_terms + n_first + first + i);
                if (found == NULL) {
                    best[k] = greater_i32(present, best[k]);
                    continue;
                }
                list_cuts(present > to_reach - 1, first + i, found, n_found);
            }
            entries[k] += n_now;
        }
    }
    for (int k = 0; k < n_features; k++)
        scores[k] = greatest_i32(best[k]);
}

#endif
