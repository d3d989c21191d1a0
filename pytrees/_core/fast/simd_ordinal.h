/* The same loops as in simd_sorted.h for ordinal criteria, whose scores are sums of forms of the children's class counts.

G_t are the left child's samples of the classes above t, for every class but the highest. The form of ordinal Gini is
the sum of G_t**2: with the samples of the classes up to t in their place, scores would all differ by the same number.
The form of ranking impurity is the sum of G_t (L - G_t), with L samples in the child. If N_t are the node's samples
and f its form, the form of the right child is f(N) - b + f(G). A sample of class k adds steps[k] to b.

The node's form and b are taken modulo 2**32; forms of children are below 2**31. */

#ifndef PYTREES_SIMD_ORDINAL_H
#define PYTREES_SIMD_ORDINAL_H

#include "simd_multiclass.h"
#include "simd_sorted.h"

#define LANES_ABOVE(k) {{k > 0, k > 1, k > 2, k > 3, k > 4, k > 5, k > 6, k > 7}, \
                        {k > 8, k > 9, k > 10, k > 11, k > 12, k > 13, k > 14, k > 15}}
#define NO_CLASS (LANES_OF_ORDER + 1)

/* A sample of each class, or of none, adds these lanes to G_t. */
static const lanes_i16 lanes_of_class[NO_CLASS + 1][LANES_OF_ORDER / 8] = {
    LANES_ABOVE(0), LANES_ABOVE(1), LANES_ABOVE(2), LANES_ABOVE(3), LANES_ABOVE(4), LANES_ABOVE(5), LANES_ABOVE(6),
    LANES_ABOVE(7), LANES_ABOVE(8), LANES_ABOVE(9), LANES_ABOVE(10), LANES_ABOVE(11), LANES_ABOVE(12),
    LANES_ABOVE(13), LANES_ABOVE(14), LANES_ABOVE(15), LANES_ABOVE(16), LANES_ABOVE(0)
};

/* The forms of a node. */
typedef struct {
    const uint32_t *steps;      /* by class, and of no class */
    const uint16_t *labels;     /* by place */
    uint32_t form;
    /* Scores are the children's forms times the factors, by ranking impurity and `base`. */
    float base;
    const float *left_factors, *right_factors;
    int32_t n_classes;
    int is_ranking;
} ordinal_forms;

/* The lanes of the left child's G_t; its number of samples, and b, in all lanes. */
typedef struct {
    lanes_i16 counts[LANES_OF_ORDER / 8], total;
    lanes_i32 b;
} ordinal_left;

/* Write what a sample of each class adds to b, and return the form of the node. */
static inline uint32_t write_form_steps(
    const int64_t *totals, int32_t n_classes, int32_t n, int is_ranking, uint32_t *steps
) {
    uint32_t form = 0, above = (uint32_t)n, of_lowest = 0;
    for (int32_t t = 0; t < n_classes - 1; t++) {
        above -= (uint32_t)totals[t];
        form += above * (is_ranking ? (uint32_t)n - above : above);
        of_lowest += is_ranking ? above : 0;
    }
    above = (uint32_t)n;
    steps[0] = of_lowest;
    for (int32_t t = 0; t < n_classes - 1; t++) {
        above -= (uint32_t)totals[t];
        steps[t + 1] = steps[t] + (is_ranking ? (uint32_t)n - 2 * above : 2 * above);
    }
    steps[NO_CLASS] = 0;
    return form;
}

/* Write what the forms of ranking impurity are multiplied by: minus the children's samples, or -1 if these do not count;
0 for cuts that do not leave first..last samples of n on the left. */
static inline void write_costs(
    int32_t n, int32_t first, int32_t last, int weighs_children, float *left_factors, float *right_factors
) {
    for (int32_t i = 0; i < n; i++) {
        left_factors[i] = weighs_children ? -(float)(i + 1) : -1.0f;
        right_factors[i] = weighs_children ? -(float)(n - i - 1) : -1.0f;
    }
    forbid_others(n, first, last, left_factors);
    forbid_others(n, first, last, right_factors);
}

/* The classes of four entries; behind the n-th, none. */
static PYTREES_ALWAYS_INLINE void classes_of_four(
    const uint32_t *entries, int32_t n, const ordinal_forms *node, uint32_t *classes
) {
    for (int32_t i = 0; i < 4; i++)
        classes[i] = i < n ? node->labels[entries[i] & 0xFFFFu] : NO_CLASS;
}

/* Move four samples to the left. Write the forms of the left child and b behind each. */
static PYTREES_ALWAYS_INLINE void move_four(
    const uint32_t *classes, const ordinal_forms *node, int n_vectors, int is_ranking, ordinal_left *left,
    lanes_i32 *forms, lanes_i32 *b
) {
    lanes_i32 of_four[4] = {{0}, {0}, {0}, {0}};
    lanes_u32 steps = {
        node->steps[classes[0]], node->steps[classes[1]], node->steps[classes[2]], node->steps[classes[3]]
    };
    for (int i = 0; i < 4; i++) {
        left->total += 1;
        for (int v = 0; v < n_vectors; v++) {
            left->counts[v] += lanes_of_class[classes[i]][v];
            of_four[i] += dot_rows(left->counts[v], is_ranking ? left->total - left->counts[v] : left->counts[v]);
        }
    }
    *forms = sums_of_four(of_four);
    *b = left->b + summed_up((lanes_i32)steps);
    left->b = last_everywhere(*b);
}

/* Score the cuts behind four entries. Those that are not allowed have a factor of 0. */
static PYTREES_ALWAYS_INLINE lanes_f32 score_forms(
    const uint32_t *entries, lanes_i32 left, lanes_i32 b, const ordinal_forms *node, int is_ranking, int32_t n_left
) {
    const lanes_f32 zero = {0.0f, 0.0f, 0.0f, 0.0f};
    lanes_i32 right = (lanes_i32)((lanes_u32)left + node->form - (lanes_u32)b);
    lanes_f32 left_factors = load_f32(node->left_factors + n_left);
    lanes_f32 scores = floats_of(left) * left_factors + floats_of(right) * load_f32(node->right_factors + n_left);
    if (is_ranking)
        scores = (lanes_f32)((left_factors != zero) & (lanes_i32)(scores + node->base));
    return between_values(entries, scores);
}

static PYTREES_ALWAYS_INLINE float walk_in_order(
    const uint32_t *entries, int32_t n, int32_t n_first, const ordinal_forms *given, int n_vectors, int is_ranking,
    float to_reach, uint32_t *found, int32_t *n_found
) {
    const ordinal_forms node = *given;
    const lanes_i16 none = {0};
    ordinal_left left = {{none, none}, none, {0}};
    lanes_f32 best = {0.0f, 0.0f, 0.0f, 0.0f}, present;
    lanes_i32 forms, b;
    uint32_t classes[4];
    for (int32_t i = 0; i < n_first; i += 4) {
        classes_of_four(entries + n + i, n_first - i, &node, classes);
        move_four(classes, &node, n_vectors, is_ranking, &left, &forms, &b);
    }
    /* Entries of no class, behind these, were counted, too. */
    left.total = none + (int16_t)n_first;
    for (int32_t i = 0; i < n; i += 4) {
        classes_of_four(entries + i, i + 4 <= n ? 4 : n - i, &node, classes);
        move_four(classes, &node, n_vectors, is_ranking, &left, &forms, &b);
        present = score_forms(entries + i, forms, b, &node, is_ranking, n_first + i);
        if (found == NULL)
            best = greater_f32(present, best);
        else
            list_cuts(present >= to_reach, i, found, n_found);
    }
    return greatest_f32(best);
}

/* Return the greatest score of a feature, 0 if no cut is allowed or gains anything. `found` gets the numbers of the
samples that have the value, on the left of the cuts. */
static PYTREES_ALWAYS_INLINE float score_in_order(
    const uint32_t *entries, int32_t n, int32_t n_first, const ordinal_forms *node, float to_reach, uint32_t *found,
    int32_t *n_found
) {
    if (node->n_classes <= 1 + 8)
        return node->is_ranking ? walk_in_order(entries, n, n_first, node, 1, 1, to_reach, found, n_found)
                                : walk_in_order(entries, n, n_first, node, 1, 0, to_reach, found, n_found);
    return node->is_ranking ? walk_in_order(entries, n, n_first, node, 2, 1, to_reach, found, n_found)
                            : walk_in_order(entries, n, n_first, node, 2, 0, to_reach, found, n_found);
}

#endif
