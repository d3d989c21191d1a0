"""Splits of a node's samples by their categories; `category_splits.pyx` tells more."""

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport index_t, uint8_t, uint32_t, uint64_t
from pytrees._core.rows.partition cimport Block, RowPartition, entries_of


cdef index_t count_children(const Entry* entries, index_t n, index_t min_samples_leaf) noexcept nogil
cdef void order_by_category(RowPartition partition, index_t feature, index_t start, index_t stop) noexcept nogil


cdef inline Entry* entries_by_category(
    RowPartition partition, bint in_block, Block block, index_t feature, index_t start, index_t stop, const Entry* width
) noexcept nogil:
    """Return the node's samples sorted by category: places in the block or, outside a block and in 64 bits, numbers
    among the node's rows."""
    if Entry is uint64_t:
        if not in_block:
            order_by_category(partition, feature, start, stop)
            return &partition.keyed[0]
    return entries_of(partition, block, feature, start, stop, width)


cdef index_t mark_children(
    RowPartition partition, bint in_block, Block block, index_t feature, index_t start, index_t stop
) noexcept nogil
cdef void mark_sides(RowPartition partition, const uint8_t* is_listed, index_t start, index_t stop) noexcept nogil
cdef void split_rows_among(RowPartition partition, index_t n_children, index_t start, index_t stop) noexcept nogil
cdef int split_entries_among(
    RowPartition partition, index_t n_children, Block block, index_t start, index_t stop
) except -1 nogil
