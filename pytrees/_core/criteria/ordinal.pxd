"""Ordinal Gini and ranking impurity from whole counts, inlined where they are cimported: quadratic forms of the class
counts, of which a row that moves changes one row of the kernel."""

from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.criteria.gini cimport GiniScan
from pytrees._core.base.types cimport index_t, int64_t, int128_t, lanes_t, uint32_t

cdef enum:
    MIN_LANES = 16
    LARGEST_INT64 = 9223372036854775807


cdef struct FormRows:
    # Of a quadratic form x'Kx / 2 the symmetric kernel K, and what every class adds to it: with the left child's counts
    # l, the next row of class k adds left_rows[k] = (Kl)[k] + K[k, k] / 2 to the form of the left child, and takes
    # node_rows[k] - left_rows[k] from that of the right one, node_rows[k] being (Kn)[k] for the node's counts n.
    index_t n_classes
    const int64_t* node_rows
    # Where all left_rows stay below 2**32, which the whole tree's rows tell, they have 32 bits. Those of the first
    # MIN_LANES classes are in registers, and only written for the next row to find its own.
    bint is_narrow
    index_t n_lanes                     # the classes and zeros behind them, at least MIN_LANES and a multiple of 4
    lanes_t lanes_0, lanes_4, lanes_8, lanes_12
    const uint32_t* narrow_kernel
    uint32_t* narrow_left_rows
    const int64_t* kernel
    int64_t* left_rows


cdef struct OrdinalGiniScan:
    # With C_q the rows of the classes up to q, the gain grows with sum C_q**2 / L of the left child and the same of the
    # right one. Sums of C_q**2 are forms of the kernel 2 (classes - max(i, j)): left_squares and right_squares.
    GiniScan forms
    FormRows rows


cdef struct RankingScan:
    # The gain falls as L q(left) + R q(right) grows, or q(left) + q(right) where children are not weighted, q being
    # the form of the kernel |v_i - v_j|.
    FormRows rows
    bint weighs_children
    int64_t total, total_form, left_total, left_form, right_form
    bint is_small                   # costs are below 2**62
    int64_t best_small_cost         # if so: 2**63 - 1 before the first one
    bint has_best
    int128_t best_cost


cdef inline void start_rows(FormRows* rows) noexcept nogil:
    """All rows in the right child."""
    cdef index_t i
    cdef Py_ssize_t diagonal
    for i in range(rows.n_classes):
        diagonal = <Py_ssize_t> i * rows.n_classes + i
        if rows.is_narrow:
            rows.narrow_left_rows[i] = <uint32_t> (rows.kernel[diagonal] // 2)
        else:
            rows.left_rows[i] = rows.kernel[diagonal] // 2
    if rows.is_narrow:
        rows.lanes_0 = (<const lanes_t*> rows.narrow_left_rows)[0]
        rows.lanes_4 = (<const lanes_t*> rows.narrow_left_rows)[1]
        rows.lanes_8 = (<const lanes_t*> rows.narrow_left_rows)[2]
        rows.lanes_12 = (<const lanes_t*> rows.narrow_left_rows)[3]


cdef inline int64_t move_in_rows(FormRows* rows, index_t label, int64_t weight) noexcept nogil:
    """Move rows of a class to the left; return what they add to the left child's form."""
    cdef int64_t added
    cdef const uint32_t* row
    if rows.is_narrow:
        added = weight * rows.narrow_left_rows[label]
        row = rows.narrow_kernel + <Py_ssize_t> label * rows.n_lanes
        if weight != 1:
            added += weight * (weight - 1) // 2 * row[label]
        _add_to_lanes(rows, <const lanes_t*> row, <uint32_t> weight)
        return added
    added = weight * rows.left_rows[label]
    if weight != 1:
        added += weight * (weight - 1) // 2 * rows.kernel[<Py_ssize_t> label * rows.n_classes + label]
    _add_row(rows, rows.kernel + <Py_ssize_t> label * rows.n_classes, weight)
    return added


cdef inline void _add_to_lanes(FormRows* rows, const lanes_t* row, uint32_t weight) noexcept nogil:
    cdef lanes_t* written = <lanes_t*> rows.narrow_left_rows
    cdef index_t i
    if weight == 1:
        rows.lanes_0 += row[0]
        rows.lanes_4 += row[1]
        rows.lanes_8 += row[2]
        rows.lanes_12 += row[3]
    else:
        rows.lanes_0 += weight * row[0]
        rows.lanes_4 += weight * row[1]
        rows.lanes_8 += weight * row[2]
        rows.lanes_12 += weight * row[3]
    written[0] = rows.lanes_0
    written[1] = rows.lanes_4
    written[2] = rows.lanes_8
    written[3] = rows.lanes_12
    for i in range(MIN_LANES // 4, rows.n_lanes // 4):
        written[i] += row[i] if weight == 1 else weight * row[i]


cdef inline void _add_row(FormRows* rows, const int64_t* row, int64_t weight) noexcept nogil:
    cdef index_t i
    if weight == 1:
        for i in range(rows.n_classes):
            rows.left_rows[i] += row[i]
    else:
        for i in range(rows.n_classes):
            rows.left_rows[i] += weight * row[i]


cdef inline void move_ordinal_gini(OrdinalGiniScan* scan, index_t label, int64_t weight) noexcept nogil:
    cdef int64_t added = move_in_rows(&scan.rows, label, weight)
    scan.forms.left_total += weight
    scan.forms.left_squares += added
    scan.forms.right_squares += added - weight * scan.rows.node_rows[label]


cdef inline void move_ranking(RankingScan* scan, index_t label, int64_t weight) noexcept nogil:
    cdef int64_t added = move_in_rows(&scan.rows, label, weight)
    scan.left_total += weight
    scan.left_form += added
    scan.right_form += added - weight * scan.rows.node_rows[label]


cdef inline bint offer_ranking(RankingScan* scan) noexcept nogil:
    cdef int64_t right_total = scan.total - scan.left_total, small_cost
    cdef int128_t cost
    if scan.is_small:
        small_cost = (
            scan.left_total * scan.left_form + right_total * scan.right_form if scan.weighs_children
            else scan.left_form + scan.right_form
        )
        if small_cost >= scan.best_small_cost:
            return False
        scan.best_small_cost = small_cost
        scan.best_cost = small_cost
        scan.has_best = True
        return True
    if scan.weighs_children:
        cost = <int128_t> scan.left_total * scan.left_form + <int128_t> right_total * scan.right_form
    else:
        cost = scan.left_form + scan.right_form
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
