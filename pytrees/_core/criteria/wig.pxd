"""Weighted information gain: entropy in which classes count by their distance from the most frequent class.

-sum of w_q p_q log2 p_q with w_q = abs(v_q - v_mode)**alpha, normalised over all classes (Eqs. 8 to 10 of
R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study", 2024), or over the
classes of the node, for the node and its children; the highest class may replace every mode. Gains are compared with a
tolerance: weights are powers of distances, no fractions. A filter on sums of n log2 n decides most comparisons; only
near ties are computed from the definition.
"""

from libc.math cimport INFINITY, log2

from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_counts
from pytrees._core.criteria.gain cimport Gain, exceeds_by_tolerance, tolerant_gain


cdef struct WigScan:
    # A child of n rows, n_q of class q, with the weights w_q of its mode, has n times the impurity
    # mass * log2 n - sum, where mass = sum of w_q n_q and sum = sum of w_q n_q log2 n_q; in units of 2**-30 bit.
    index_t n_classes
    const int64_t* table            # n log2 n; NULL if counts are too great for a table
    const int64_t* total_counts
    int64_t* left_counts
    const float64_t* mode_weights   # by class as the mode and class
    int64_t total, left_total
    index_t left_mode, right_mode
    int64_t right_limit             # the right child's mode stays until the left child has more samples of it
    const float64_t* left_weights   # of the classes, by the child's mode
    const float64_t* right_weights
    float64_t left_sum, left_mass, right_sum, right_mass
    float64_t to_reach              # scores below it are not better
    WigBest* best


cdef struct WigBest:
    # The best cut so far, and how far scores may be from the children's impurities by the definition. Its gain is
    # computed once another cut is not clearly better or worse.
    float64_t margin
    int64_t* left_counts
    int64_t left_total
    bint has_gain
    float64_t gain
    # The node.
    index_t n_classes
    const float64_t* mode_weights
    const int64_t* total_counts
    int64_t total
    float64_t node_impurity


cdef inline int weigh_classes(ClassCounts counts, scores, alpha, given) except -1:
    """Compute for every class as the mode the weights of all classes: |v_q - v_mode|**alpha, of sum 1; or keep the
    distances if the sum depends on the node. The highest class may replace every mode."""
    import numpy as np

    n_classes = len(scores)
    distances = np.empty((n_classes, n_classes))
    for mode, mode_score in enumerate(scores):
        origin = scores[n_classes - 1] if given.get("distance_from") == "highest" else mode_score
        distances[mode] = [abs(score - origin) ** alpha for score in scores]
    counts.mode_weights = np.zeros((n_classes, n_classes))
    counts.mode_distances = distances
    counts.total_counts[:] = 1
    weigh_present_classes(counts)
    counts.total_counts[:] = 0
    if given.get("normalize_over") != "present":
        counts.mode_distances = np.empty((0, 0))


cdef inline void weigh_present_classes(ClassCounts counts) noexcept nogil:
    """Normalise the weights over the classes of the node, which are counted; the others weigh nothing."""
    cdef index_t mode, label
    cdef float64_t total
    for mode in range(counts.n_classes):
        total = 0.0
        for label in range(counts.n_classes):
            if counts.total_counts[label] > 0:
                total += counts.mode_distances[mode, label]
        for label in range(counts.n_classes):
            counts.mode_weights[mode, label] = (
                counts.mode_distances[mode, label] / total if total > 0.0 and counts.total_counts[label] > 0
                else 0.0
            )


cdef inline void start_wig(WigScan* scan, ClassCounts counts) noexcept nogil:
    cdef int64_t n_terms = (counts.n_rows if counts.n_rows < scan.total else scan.total) + scan.n_classes
    cdef WigBest* best = scan.best
    if counts.mode_distances.shape[0] > 0:
        weigh_present_classes(counts)
    scan.table = &counts.table[0] if counts.table.shape[0] > scan.total else NULL
    scan.mode_weights = &counts.mode_weights[0, 0]
    scan.best.left_counts = &counts.best_left_counts[0]
    # The sums have one term a sample, and after a change of the mode one a class; each is rounded by 2**-53 of the
    # whole. Numbers of the table are rounded by half a unit, and weights add up to 1. The definition itself is rounded
    # by less than 2**-53 a class. Gains are below 1, so the tolerance of comparisons is 1e-12.
    scan.best.margin = (1e-12 + 1e-14 * n_terms) * (
        _n_log2_n(scan, scan.total) + <float64_t> scan.total * 2.0**30
    ) + 8.0
    best.n_classes, best.mode_weights = scan.n_classes, scan.mode_weights
    best.total_counts, best.total = scan.total_counts, scan.total
    best.has_gain = False
    best.node_impurity = impurity_by_wig(best, best.total_counts, NULL, best.total)


cdef inline float64_t _n_log2_n(const WigScan* scan, int64_t n) noexcept nogil:
    """Return n log2 n in units of 2**-30 bit: from the table, or in floating point."""
    if scan.table != NULL:
        return <float64_t> scan.table[n]
    return <float64_t> n * log2(<float64_t> n) * 2.0**30 if n > 0 else 0.0


cdef inline void start_wig_feature(WigScan* scan) noexcept nogil:
    cdef index_t label
    scan.left_total = 0
    for label in range(scan.n_classes):
        scan.left_counts[label] = 0
    scan.to_reach = -INFINITY
    scan.left_sum = scan.left_mass = 0.0
    scan.left_mode = 0
    scan.left_weights = scan.mode_weights
    scan.right_mode = NONE
    _find_right_mode(scan)


cdef inline void move_wig(WigScan* scan, index_t label, int64_t weight) noexcept nogil:
    cdef int64_t left = scan.left_counts[label], right = scan.total_counts[label] - left
    cdef float64_t mode_weight = scan.left_weights[label]
    scan.left_total += weight
    scan.left_counts[label] = left + weight
    scan.left_sum += mode_weight * (_n_log2_n(scan, left + weight) - _n_log2_n(scan, left))
    scan.left_mass += mode_weight * <float64_t> weight
    mode_weight = scan.right_weights[label]
    scan.right_sum -= mode_weight * (_n_log2_n(scan, right) - _n_log2_n(scan, right - weight))
    scan.right_mass -= mode_weight * <float64_t> weight
    # The lowest of equally frequent classes is the mode.
    if left + weight + (label < scan.left_mode) > scan.left_counts[scan.left_mode]:
        _set_left_mode(scan, label)
    if scan.left_counts[scan.right_mode] > scan.right_limit:
        _find_right_mode(scan)


cdef inline void undo_moves(WigScan* scan, const WigScan* before) noexcept nogil:
    """Restore the scan to its state before samples moved, except the left child's class counts; a cut that has been
    kept stays."""
    cdef float64_t to_reach = scan.to_reach
    scan[0] = before[0]
    scan.to_reach = to_reach


cdef inline void _set_left_mode(WigScan* scan, index_t mode) noexcept nogil:
    cdef const float64_t* weights = scan.mode_weights + <Py_ssize_t> mode * scan.n_classes
    cdef float64_t total = 0.0, mass = 0.0
    cdef index_t label
    for label in range(scan.n_classes):
        total += weights[label] * _n_log2_n(scan, scan.left_counts[label])
        mass += weights[label] * <float64_t> scan.left_counts[label]
    scan.left_mode = mode
    scan.left_weights = weights
    scan.left_sum = total
    scan.left_mass = mass


cdef inline void _find_right_mode(WigScan* scan) noexcept nogil:
    cdef const float64_t* weights
    cdef float64_t total = 0.0, mass = 0.0
    cdef int64_t right, largest = -1, needed = 0
    cdef index_t label, mode = 0
    # The mode of the classes so far has `largest` samples. It stays the mode while it has at least `needed` samples: as
    # many as any higher class has, and one more than any lower class. Other classes only lose samples.
    for label in range(scan.n_classes):
        right = scan.total_counts[label] - scan.left_counts[label]
        if right > largest:
            needed = largest + 1
            largest = right
            mode = label
        elif right > needed:
            needed = right
    scan.right_limit = scan.total_counts[mode] - needed
    if mode == scan.right_mode:
        return
    weights = scan.mode_weights + <Py_ssize_t> mode * scan.n_classes
    for label in range(scan.n_classes):
        right = scan.total_counts[label] - scan.left_counts[label]
        total += weights[label] * _n_log2_n(scan, right)
        mass += weights[label] * <float64_t> right
    scan.right_mode = mode
    scan.right_weights = weights
    scan.right_sum = total
    scan.right_mass = mass


cdef inline bint offer_wig(WigScan* scan) noexcept nogil:
    cdef int64_t right_rows = scan.total - scan.left_total
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> right_rows
    cdef float64_t product = left_total * right_total, score
    # The score is minus the children's impurities times their samples, here times the product of both sample numbers.
    score = (scan.left_sum + scan.right_sum) * product - (
        scan.left_mass * _n_log2_n(scan, scan.left_total) * right_total
        + scan.right_mass * _n_log2_n(scan, right_rows) * left_total
    )
    if score < scan.to_reach * product:
        return False
    score /= product
    if not _is_better_wig(scan.best, scan.left_counts, scan.left_total, score, scan.to_reach):
        return False
    scan.to_reach = score - 2.0 * scan.best.margin
    return True


cdef inline bint _is_better_wig(
    WigBest* best, const int64_t* left_counts, int64_t left_total, float64_t score, float64_t to_reach
) noexcept nogil:
    """Keep a cut that is better than the best so far, whose score is 2 margins above `to_reach`."""
    cdef float64_t gain
    cdef bint is_clear = score > to_reach + 5.0 * best.margin
    cdef index_t label
    if not is_clear:
        gain = _gain_at(best, left_counts, left_total)
        _complete_best(best)
        if not exceeds_by_tolerance(gain, best.gain):
            return False
        best.gain = gain
    best.has_gain = not is_clear
    best.left_total = left_total
    for label in range(best.n_classes):
        best.left_counts[label] = left_counts[label]
    return True


cdef inline void _complete_best(WigBest* best) noexcept nogil:
    if not best.has_gain:
        best.gain = _gain_at(best, best.left_counts, best.left_total)
        best.has_gain = True


cdef inline float64_t _gain_at(const WigBest* best, const int64_t* left_counts, int64_t left_total) noexcept nogil:
    """Return the gain of a cut, from the definition."""
    cdef float64_t total = <float64_t> best.total
    cdef float64_t of_left = impurity_by_wig(best, left_counts, NULL, left_total)
    cdef float64_t of_right = impurity_by_wig(best, best.total_counts, left_counts, best.total - left_total)
    of_left *= <float64_t> left_total / total
    of_right *= <float64_t> (best.total - left_total) / total
    return best.node_impurity - of_left - of_right


cdef inline Gain gain_of_wig(WigScan* scan) noexcept nogil:
    _complete_best(scan.best)
    return tolerant_gain(scan.best.gain, <float64_t> scan.best.total)


cdef inline float64_t impurity_by_wig(
    const WigBest* best, const int64_t* counts, const int64_t* less, int64_t total
) noexcept nogil:
    """Return the impurity of class counts, or of these less others; `total` is their sum."""
    cdef index_t label, mode = 0
    cdef int64_t count, greatest = -1
    cdef const float64_t* weights
    cdef float64_t impurity = 0.0, share
    if total <= 0:
        return 0.0
    for label in range(best.n_classes):
        count = counts[label] if less == NULL else counts[label] - less[label]
        if count > greatest:
            greatest, mode = count, label
    weights = best.mode_weights + <Py_ssize_t> mode * best.n_classes
    for label in range(best.n_classes):
        count = counts[label] if less == NULL else counts[label] - less[label]
        share = <float64_t> count / <float64_t> total
        if share > 0.0:
            impurity -= weights[label] * (share * log2(share))
    return impurity


cdef inline float64_t wig_of_node(ClassCounts node) noexcept nogil:
    """Return the impurity of a node whose classes are counted, and which has samples."""
    cdef int64_t total = sum_of_counts(&node.total_counts[0], node.n_classes)
    return wig_gain_of_children(node, NULL, 0, total)


# ------------------------------------------------------------------------------------ children of a categorical split

cdef inline float64_t wig_gain_of_children(
    ClassCounts node, const int64_t* counts, index_t n_children, int64_t total
) noexcept nogil:
    """Return the gain of a split into children of these class counts, one after the other."""
    cdef WigBest best
    cdef index_t _child
    cdef int64_t of_child
    cdef float64_t gain, impurity
    if node.mode_distances.shape[0] > 0:
        weigh_present_classes(node)
    best.n_classes, best.mode_weights = node.n_classes, &node.mode_weights[0, 0]
    best.total_counts, best.total = &node.total_counts[0], total
    gain = impurity_by_wig(&best, best.total_counts, NULL, total)
    for _child in range(n_children):
        of_child = sum_of_counts(counts, node.n_classes)
        impurity = impurity_by_wig(&best, counts, NULL, of_child)
        gain -= <float64_t> of_child / <float64_t> total * impurity
        counts += node.n_classes
    return gain
