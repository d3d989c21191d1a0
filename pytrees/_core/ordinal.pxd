"""Ordinal Gini and ranking impurity from whole counts, inlined where they are cimported: quadratic forms of the class
counts, of which a row that moves changes one row of the kernel."""

from pytrees._core.gain cimport Gain, exact_gain
from pytrees._core.gini cimport GiniScan
from pytrees._core.types cimport index_t, int64_t, int128_t


cdef struct OrdinalGiniScan:
    # With C_q the rows of the classes up to q, the gain grows with sum C_q**2 / L of the left child and the same of the
    # right one. Sums of C_q**2 are quadratic forms of the class counts: forms.left_squares and forms.right_squares.
    GiniScan forms
    const int64_t* kernel           # of the form, by class and class: classes - max(i, j)
    const int64_t* node_rows        # kernel times the node's class counts
    int64_t* left_rows              # kernel times the left child's


cdef struct RankingScan:
    # The gain falls as L q(left) + R q(right) grows, or q(left) + q(right) where children are not weighted, q being
    # half the quadratic form of the class counts with kernel |v_i - v_j|.
    index_t n_classes
    bint weighs_children
    const int64_t* kernel
    const int64_t* node_rows
    int64_t* left_rows
    int64_t total, total_form, left_total, left_form, right_form
    bint is_small                   # costs fit 64 bits
    bint has_best
    int128_t best_cost


cdef inline void _add_row(int64_t* left_rows, const int64_t* row, int64_t weight, index_t n_classes) noexcept nogil:
    cdef index_t i
    if weight == 1:
        for i in range(n_classes):
            left_rows[i] += row[i]
    else:
        for i in range(n_classes):
            left_rows[i] += weight * row[i]


cdef inline void move_ordinal_gini(OrdinalGiniScan* scan, index_t label, int64_t weight) noexcept nogil:
    """With W = kernel times the counts, a form grows by weight (2 W[label] + weight kernel[label, label])."""
    cdef const int64_t* row = scan.kernel + <Py_ssize_t> label * scan.forms.n_classes
    cdef int64_t left = scan.left_rows[label], right = scan.node_rows[label] - left
    scan.forms.left_total += weight
    scan.forms.left_squares += weight * (2 * left + weight * row[label])
    scan.forms.right_squares -= weight * (2 * right - weight * row[label])
    _add_row(scan.left_rows, row, weight, scan.forms.n_classes)


cdef inline void move_ranking(RankingScan* scan, index_t label, int64_t weight) noexcept nogil:
    """As above, for the half of a form whose kernel is zero on the diagonal."""
    scan.left_total += weight
    scan.left_form += weight * scan.left_rows[label]
    scan.right_form -= weight * (scan.node_rows[label] - scan.left_rows[label])
    _add_row(scan.left_rows, scan.kernel + <Py_ssize_t> label * scan.n_classes, weight, scan.n_classes)


cdef inline bint offer_ranking(RankingScan* scan) noexcept nogil:
    cdef int64_t right_total = scan.total - scan.left_total
    cdef int128_t cost
    if not scan.weighs_children:
        cost = scan.left_form + scan.right_form
    elif scan.is_small:
        cost = scan.left_total * scan.left_form + right_total * scan.right_form
    else:
        cost = <int128_t> scan.left_total * scan.left_form + <int128_t> right_total * scan.right_form
    if scan.has_best and cost >= scan.best_cost:
        return False
    scan.has_best = True
    scan.best_cost = cost
    return True


cdef inline Gain gain_of_ranking(const RankingScan* scan) noexcept nogil:
    cdef int128_t form = scan.total_form
    if scan.weighs_children:
        return exact_gain(form * scan.total - scan.best_cost, 1, scan.total)
    return exact_gain((form - scan.best_cost) * scan.total, 1, scan.total)
