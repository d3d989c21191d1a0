"""Sums x'Kx / 2 of the class counts x, for ordinal Gini and ranking impurity: a sample that moves adds one row of K."""

from pytrees._core.base.compiler cimport lanes_t
from pytrees._core.base.sizes cimport MIN_LANES
from pytrees._core.base.types cimport index_t, int32_t, int64_t, uint32_t
from pytrees._core.criteria.counts cimport ClassCounts


cdef struct FormRows:
    # The quadratic form x'Kx / 2 has a symmetric kernel K. With the counts l of the left child and n of the node, the
    # next sample of class k adds left_rows[k] = (Kl)[k] + K[k, k] / 2 to the form of the left child, and takes
    # node_rows[k] - left_rows[k] from the form of the right child; node_rows[k] is (Kn)[k].
    index_t n_classes
    const int64_t* total_counts
    const int64_t* node_rows
    # If all left_rows stay below 2**32, which the samples of the whole tree tell, they have 32 bits. The rows of the
    # first MIN_LANES classes are kept in registers, and are written so that the next sample can read its own.
    bint is_narrow
    index_t n_lanes                     # the classes and zeros behind them, at least MIN_LANES and a multiple of 4
    lanes_t lanes_0, lanes_4, lanes_8, lanes_12
    const uint32_t* narrow_kernel
    uint32_t* narrow_left_rows
    const int64_t* kernel
    int64_t* left_rows


cdef inline void start_forms(FormRows* rows, ClassCounts counts) noexcept nogil:
    """Take over the kernel of a node whose classes are counted, and write its `node_rows`."""
    cdef index_t i, j
    rows.n_classes = counts.n_classes
    rows.total_counts = &counts.total_counts[0]
    rows.kernel = &counts.kernel[0, 0]
    rows.node_rows = &counts.node_rows[0]
    rows.left_rows = &counts.left_rows[0]
    rows.is_narrow = counts.narrow_kernel.shape[0] > 0
    if rows.is_narrow:
        rows.n_lanes = <index_t> counts.narrow_kernel.shape[1]
        rows.narrow_kernel = &counts.narrow_kernel[0, 0]
        rows.narrow_left_rows = &counts.narrow_left_rows[0, 0]
    for i in range(counts.n_classes):
        counts.node_rows[i] = 0
        for j in range(counts.n_classes):
            counts.node_rows[i] += counts.kernel[i, j] * counts.total_counts[j]


cdef inline int64_t form_of_node(ClassCounts counts) noexcept nogil:
    """Return the form of the node's class counts, once `node_rows` are known."""
    cdef index_t label
    cdef int64_t twice = 0
    for label in range(counts.n_classes):
        twice += counts.node_rows[label] * counts.total_counts[label]
    return twice // 2


cdef inline void start_rows(FormRows* rows) noexcept nogil:
    """Put all samples into the right child."""
    cdef index_t i
    cdef Py_ssize_t diagonal
    for i in range(rows.n_classes):
        diagonal = <Py_ssize_t> i * rows.n_classes + i
        if rows.is_narrow:
            rows.narrow_left_rows[i] = <uint32_t> (rows.kernel[diagonal] // 2)
        else:
            rows.left_rows[i] = rows.kernel[diagonal] // 2
    if rows.is_narrow:
        _load_lanes(rows)


cdef inline void _load_lanes(FormRows* rows) noexcept nogil:
    rows.lanes_0 = (<const lanes_t*> rows.narrow_left_rows)[0]
    rows.lanes_4 = (<const lanes_t*> rows.narrow_left_rows)[1]
    rows.lanes_8 = (<const lanes_t*> rows.narrow_left_rows)[2]
    rows.lanes_12 = (<const lanes_t*> rows.narrow_left_rows)[3]


cdef inline int64_t move_in_rows(FormRows* rows, index_t label, int64_t weight) noexcept nogil:
    """Move `weight` samples of class `label` to the left child; return what they add to its form."""
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


# -------------------------------------------------------------------------------------------- cumulated class counts

# The form of ordinal Gini is the sum of C_q**2, with the samples C_q of the classes up to q. A row of K l holds twice
# the sum of this C_q and the later ones, and half of the diagonal of K falls by 1 from one class to the next.

cdef inline int64_t _left_row(const FormRows* rows, index_t label) noexcept nogil:
    return rows.narrow_left_rows[label] if rows.is_narrow else rows.left_rows[label]


cdef inline int64_t cumulated_on_left(const FormRows* rows, index_t label) noexcept nogil:
    """Return the left child's samples of the classes up to one, which is not the highest."""
    return (_left_row(rows, label) - _left_row(rows, label + 1) - 1) >> 1


cdef inline int64_t move_cumulated(
    FormRows* rows, const int32_t* counts, int64_t* weight, int64_t* lost
) noexcept nogil:
    """Move samples of these class counts to the left child; return what they add to its form. Write their weight, and
    what the form of the right child loses more."""
    cdef index_t label
    cdef int64_t added = 0, row, up_to = 0, moved = 0
    for label in range(rows.n_classes):
        up_to += counts[label]
    weight[0] = up_to
    lost[0] = 0
    # `up_to` are the moved samples of the classes up to this one, and `moved` is twice the sum of this and the later.
    for label in range(rows.n_classes - 1, -1, -1):
        row = _left_row(rows, label)
        added += counts[label] * (row - (rows.n_classes - label)) + up_to * up_to
        lost[0] += counts[label] * rows.node_rows[label]
        moved += 2 * up_to
        if rows.is_narrow:
            rows.narrow_left_rows[label] = <uint32_t> (row + moved)
        else:
            rows.left_rows[label] = row + moved
        up_to -= counts[label]
    if rows.is_narrow:
        _load_lanes(rows)
    return added
