"""The partition of a node's rows by category, which keeps every order it finds, inlined where it is cimported."""

from libc.string cimport memcpy

from pytrees._core.rows.partition cimport Block, RowPartition, narrow_entries, wide_entries
from pytrees._core.base.sorting cimport Entry, key_of, packed, place_of, sort_entries
from pytrees._core.base.types cimport index_t, uint32_t, uint64_t


cdef inline index_t count_children(const Entry* entries, index_t n, index_t min_samples_leaf) noexcept nogil:
    """How many different keys the sorted entries have; 0 where there is one, or one of fewer than min_samples_leaf."""
    cdef index_t i, start = 0, n_children = 1
    if key_of(entries[0]) == key_of(entries[n - 1]):
        return 0
    # entries[start:i] share a key.
    for i in range(1, n):
        if key_of(entries[i]) == key_of(entries[i - 1]):
            continue
        if i - start < min_samples_leaf:
            return 0
        start = i
        n_children += 1
    return n_children if n - start >= min_samples_leaf else 0


cdef inline void order_by_category(
    RowPartition partition, index_t feature, index_t start, index_t stop
) noexcept nogil:
    """Outside a block: `pairs` become the numbers of the node's rows, 0, 1, ..., under their categories, sorted."""
    cdef index_t i
    for i in range(stop - start):
        partition.pairs[i] = packed(
            <uint32_t> partition.X[partition.rows[start + i], feature], i, <uint64_t> 0
        )
    sort_entries(&partition.pairs[0], &partition.spare_pairs[0], stop - start)


cdef inline index_t mark_children(
    RowPartition partition, bint in_block, Block block, index_t feature, index_t start, index_t stop
) noexcept nogil:
    """Number the categories of the node's rows, ascending, and return how many they are."""
    if not in_block:
        order_by_category(partition, feature, start, stop)
        return _mark_entries(partition, &partition.pairs[0], &partition.rows[start], stop - start)
    if partition.is_wide:
        return _mark_entries(partition, wide_entries(partition, block, feature, start, stop), NULL, stop - start)
    return _mark_entries(partition, narrow_entries(partition, block, feature, start, stop), NULL, stop - start)


cdef inline index_t _mark_entries(
    RowPartition partition, const Entry* entries, const index_t* rows, index_t n
) noexcept nogil:
    """Entries hold places in the block, or where `rows` are given numbers of these."""
    cdef index_t i, place, child = 0
    partition.child_starts[0] = 0
    for i in range(n):
        if i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            child += 1
            partition.child_starts[child] = i
        place = place_of(entries[i])
        partition.child_of[place if rows == NULL else rows[place]] = child
    partition.child_starts[child + 1] = n
    return child + 1


cdef inline void _find_children(RowPartition partition, index_t n_children) noexcept nogil:
    cdef index_t child
    for child in range(n_children):
        partition.child_ends[child] = partition.child_starts[child]


cdef inline void split_rows_among(
    RowPartition partition, index_t n_children, index_t start, index_t stop
) noexcept nogil:
    """Divide `rows` as they were marked, order kept in every child."""
    cdef index_t* rows = &partition.rows[start]
    cdef index_t i, child
    _find_children(partition, n_children)
    # spare_rows[child_starts[c]:child_ends[c]] are the rows of child c met so far.
    for i in range(stop - start):
        child = partition.child_of[rows[i]]
        partition.spare_rows[partition.child_ends[child]] = rows[i]
        partition.child_ends[child] += 1
    memcpy(rows, &partition.spare_rows[0], (stop - start) * sizeof(index_t))


cdef inline void split_entries_among(
    RowPartition partition, index_t n_children, Block block, index_t start, index_t stop
) noexcept nogil:
    """Divide every sorted feature of a block as the places were marked, order kept."""
    cdef index_t feature
    if partition.is_ranked:
        return
    for feature in range(<index_t> partition.n_features):
        _find_children(partition, n_children)
        if partition.is_wide:
            _split_entries_of(
                partition, wide_entries(partition, block, feature, start, stop), &partition.spare_wide[0],
                stop - start,
            )
        else:
            _split_entries_of(
                partition, narrow_entries(partition, block, feature, start, stop), &partition.spare_narrow[0],
                stop - start,
            )


cdef inline void _split_entries_of(
    RowPartition partition, Entry* entries, Entry* spare, index_t n
) noexcept nogil:
    cdef index_t i, child
    # As in split_rows_among.
    for i in range(n):
        child = partition.child_of[place_of(entries[i])]
        spare[partition.child_ends[child]] = entries[i]
        partition.child_ends[child] += 1
    memcpy(entries, spare, n * sizeof(Entry))
