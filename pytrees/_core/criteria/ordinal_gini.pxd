"""Ordinal Gini: sum over the classes of F_q (1 - F_q), F_q being the share of the classes up to q (Eq. 4 of
R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study", 2024)."""

from pytrees._core.base.types cimport index_t, int64_t
from pytrees._core.base.wide cimport int128_t, uint128_t
from pytrees._core.criteria.children cimport ChildCounts, add_quotient
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_counts
from pytrees._core.criteria.quadratic_form cimport form_of_node, move_in_rows, start_forms, start_rows
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.criteria.gini cimport OrdinalGiniScan


cdef inline object ordinal_gini_kernel(n_classes):
    """Return the kernel of the quadratic form, (n_classes, n_classes) int64."""
    import numpy as np

    classes = np.arange(n_classes)
    return 2 * (n_classes - np.maximum.outer(classes, classes))


cdef inline void start_ordinal_gini(OrdinalGiniScan* scan, ClassCounts counts) noexcept nogil:
    start_forms(&scan.rows, counts)
    scan.total_squares = form_of_node(counts)


cdef inline void start_ordinal_gini_feature(OrdinalGiniScan* scan) noexcept nogil:
    scan.left_total = scan.left_squares = 0
    scan.right_squares = scan.total_squares
    start_rows(&scan.rows)


cdef inline void move_ordinal_gini(OrdinalGiniScan* scan, index_t label, int64_t weight) noexcept nogil:
    cdef int64_t added = move_in_rows(&scan.rows, label, weight)
    scan.left_total += weight
    scan.left_squares += added
    scan.right_squares += added - weight * scan.rows.node_rows[label]


cdef inline bint is_perfect_ordinal_gini(const OrdinalGiniScan* scan) noexcept nogil:
    """C_q**2 is at most L C_q, and equal to it for every q if all samples of a child are of one class."""
    cdef int128_t left = scan.best_left_total, right = scan.total - left
    return (
        scan.best_product > 0.0
        and scan.best_left_squares * right + scan.best_right_squares * left
        == scan.rows.node_rows[0] // 2 * left * right
    )


cdef inline int64_t _cumulative_squares(const int64_t* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef int64_t cumulative = 0, total = 0
    for label in range(n_classes):
        cumulative += counts[label]
        total += cumulative * cumulative
    return total


cdef inline Gain impurity_by_ordinal_gini(ClassCounts node) noexcept nogil:
    """Return the impurity of a node whose classes are counted, and which has samples."""
    cdef index_t label
    cdef int64_t cumulative = 0, total = sum_of_counts(&node.total_counts[0], node.n_classes)
    cdef int128_t impurity = 0
    for label in range(node.n_classes):
        cumulative += node.total_counts[label]
        impurity += <int128_t> cumulative * (total - cumulative)
    return exact_gain(impurity, <uint128_t> total, total)


cdef inline void start_ordinal_gini_node(ChildCounts children) noexcept nogil:
    children.base.numerator = _cumulative_squares(&children.node.total_counts[0], children.node.n_classes)


cdef inline void end_ordinal_gini_child(ChildCounts children, int64_t total) noexcept nogil:
    add_quotient(&children.present.terms, _cumulative_squares(&children.counts[0], children.node.n_classes), total)
