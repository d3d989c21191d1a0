"""Splits of a node's samples by their categories, into one child a category or two sets of categories."""

from libc.string cimport memcpy

from pytrees._core.base.sorting cimport Entry, key_of, packed, place_of, sort_entries
from pytrees._core.base.types cimport index_t, uint8_t, uint32_t, uint64_t
from pytrees._core.rows.features cimport value_at
from pytrees._core.rows.partition cimport Block, RowPartition, Sample, check_entries, entries_of, place_of_sample


cdef index_t count_children(const Entry* entries, index_t n, index_t min_samples_leaf) noexcept nogil:
    """Return how many different keys the sorted entries have; 0 if there is only one, or if one has fewer than
    min_samples_leaf samples."""
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


cdef void order_by_category(RowPartition partition, index_t feature, index_t start, index_t stop) noexcept nogil:
    """Outside a block: `keyed` become the numbers of the node's rows, 0, 1, ..., under their categories, sorted."""
    cdef index_t i
    for i in range(stop - start):
        partition.keyed[i] = packed(
            <uint32_t> value_at(partition.features, partition.rows[start + i], feature), i, <uint64_t> 0
        )
    sort_entries(&partition.keyed[0], &partition.spare_keyed[0], stop - start)


cdef index_t mark_children(
    RowPartition partition, bint in_block, Block block, index_t feature, index_t start, index_t stop
) noexcept nogil:
    """Number the categories of the node's rows, ascending, and return how many there are."""
    if partition.is_wide or not in_block:
        return _mark_children(partition, in_block, block, feature, start, stop, <const uint64_t*> NULL)
    return _mark_children(partition, in_block, block, feature, start, stop, <const uint32_t*> NULL)


cdef inline index_t _mark_children(
    RowPartition partition, bint in_block, Block block, index_t feature, index_t start, index_t stop, const Entry* width
) noexcept nogil:
    cdef const Entry* entries = entries_by_category(partition, in_block, block, feature, start, stop, width)
    cdef index_t i, place, child = 0
    partition.child_starts[0] = 0
    for i in range(stop - start):
        if i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            child += 1
            partition.child_starts[child] = i
        place = place_of(entries[i])
        partition.child_of[place if in_block else partition.rows[start + place]] = child
    partition.child_starts[child + 1] = stop - start
    return child + 1


cdef void mark_sides(RowPartition partition, const uint8_t* is_listed, index_t start, index_t stop) noexcept nogil:
    """Turn marks of categories into marks of two children, for the listed categories and for the others; the first
    child has the lowest category."""
    cdef index_t i, n_left = 0
    cdef index_t* child
    for i in range(start, stop):
        child = &partition.child_of[partition.rows[i]]
        child[0] = is_listed[child[0]] != is_listed[0]
        n_left += 1 - child[0]
    partition.child_starts[0] = 0
    partition.child_starts[1] = n_left
    partition.child_starts[2] = stop - start


cdef void split_rows_among(RowPartition partition, index_t n_children, index_t start, index_t stop) noexcept nogil:
    """Divide `rows` as they were marked, order kept in every child."""
    _divide_among(partition, &partition.rows[start], &partition.spare_rows[0], n_children, stop - start)


cdef inline void _divide_among(
    RowPartition partition, Sample* samples, Sample* spare, index_t n_children, index_t n
) noexcept nogil:
    cdef index_t* ends = &partition.child_ends[0]
    cdef index_t i, child
    memcpy(ends, &partition.child_starts[0], n_children * sizeof(index_t))
    # spare[child_starts[c]:ends[c]] are the samples of child c met so far.
    for i in range(n):
        child = partition.child_of[place_of_sample(samples[i])]
        spare[ends[child]] = samples[i]
        ends[child] += 1
    memcpy(samples, spare, n * sizeof(Sample))


cdef int split_entries_among(
    RowPartition partition, index_t n_children, Block block, index_t start, index_t stop
) except -1 nogil:
    """Divide every sorted feature of a block as the places were marked, order kept."""
    cdef index_t feature
    if partition.is_ranked:
        return 0
    for feature in range(<index_t> partition.n_features):
        check_entries(partition, stop - start)
        if partition.is_wide:
            _split_among(partition, n_children, block, feature, start, stop, &partition.spare_wide[0])
        else:
            _split_among(partition, n_children, block, feature, start, stop, &partition.spare_narrow[0])


cdef inline void _split_among(
    RowPartition partition, index_t n_children, Block block, index_t feature, index_t start, index_t stop, Entry* spare
) noexcept nogil:
    _divide_among(partition, entries_of(partition, block, feature, start, stop, spare), spare, n_children, stop - start)
