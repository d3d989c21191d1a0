"""The counts of bins that go with the nodes of a growing tree."""

from pytrees._core.growth.by_gain cimport Growth
from pytrees._core.rows.histogram cimport Slot, count_rows, give_back, subtract, take_slot
from pytrees._core.split.scanner cimport NodeRows
from pytrees._core.base.types cimport index_t


cdef inline bint uses_bins(Growth growth, index_t node) noexcept nogil:
    return growth.nodes[node].rows.stop - growth.nodes[node].rows.start > growth.block_rows


cdef inline int take_counts(Growth growth, NodeRows* rows) except -1 nogil:
    """Count the bins of a node that uses them, where they are not what a split left of its parent's."""
    if rows.slot != NULL:
        return 0
    if growth.drawn_slot != NULL:
        rows.slot = growth.drawn_slot
        return 0
    rows.slot = take_slot(growth.histograms)
    if growth.scanner.max_features >= growth.partition.n_features:
        _count_all(growth, rows.slot, rows)
    else:
        growth.drawn_slot = rows.slot
    return 0


cdef inline void drop_counts(Growth growth, Slot* slot) noexcept nogil:
    """What a node leaves that is no longer open; NULL: nothing."""
    if slot != NULL and slot != growth.drawn_slot:
        give_back(growth.histograms, slot)


cdef inline void _count_all(Growth growth, Slot* slot, const NodeRows* rows) noexcept nogil:
    count_rows(growth.histograms, slot, rows.start, rows.stop, &growth.scanner.drawn[0], growth.scanner.n_drawn)


cdef inline int divide_counts(
    Growth growth, Slot* slot, index_t left, index_t right, bint left_counts, bint right_counts
) except -1 nogil:
    """Give the counts of a node to those of its children that use bins: the rows of the smaller child are counted,
    those of the greater one are what is left of their parent's."""
    cdef NodeRows* smaller = &growth.nodes[left].rows
    cdef NodeRows* greater = &growth.nodes[right].rows
    cdef bint smaller_counts = left_counts, greater_counts = right_counts
    cdef Slot* other
    if smaller.stop - smaller.start > greater.stop - greater.start:
        smaller, greater = greater, smaller
        smaller_counts, greater_counts = right_counts, left_counts
    if growth.drawn_slot != NULL:
        smaller.slot = growth.drawn_slot if smaller_counts else NULL
        greater.slot = growth.drawn_slot if greater_counts else NULL
        return 0
    if not greater_counts:
        if smaller_counts:
            _count_all(growth, slot, smaller)
            smaller.slot = slot
        else:
            give_back(growth.histograms, slot)
        return 0
    other = take_slot(growth.histograms)
    _count_all(growth, other, smaller)
    subtract(growth.histograms, slot, other)
    greater.slot = slot
    if smaller_counts:
        smaller.slot = other
    else:
        give_back(growth.histograms, other)
    return 0
