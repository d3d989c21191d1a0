"""Rank-coded features, and the partition of a node's rows that keeps every order it finds."""

import numpy as np

cimport cython
from libc.string cimport memcpy

from pytrees._core.sorting cimport Entry, key_of, packed, place_of, sort_entries
from pytrees._core.types cimport float64_t, index_t, uint8_t, uint32_t, uint64_t

NARROW_ROWS = 2**16


@cython.final
cdef class RowPartition:
    def __cinit__(self, const float64_t[:, ::1] X, Py_ssize_t largest_block, bint keeps_blocks, bint is_wide):
        self.X = X
        self.n_rows = X.shape[0]
        self.n_features = X.shape[1]
        self.keeps_blocks = keeps_blocks
        self.is_wide = is_wide
        if not is_wide and largest_block > NARROW_ROWS:
            raise ValueError(f"A block of {largest_block} rows needs wide entries.")
        self.rows = np.arange(self.n_rows, dtype=np.int32)
        self.spare_rows = np.empty(self.n_rows, dtype=np.int32)
        self.goes_left = np.empty(self.n_rows, dtype=np.uint8)
        cdef Py_ssize_t kept = self.n_rows if keeps_blocks else largest_block
        self.row_of_place = np.empty(kept, dtype=np.int32)
        self.narrow = np.empty(0 if is_wide else self.n_features * kept, dtype=np.uint32)
        self.spare_narrow = np.empty(0 if is_wide else largest_block, dtype=np.uint32)
        self.wide = np.empty(self.n_features * kept if is_wide else 0, dtype=np.uint64)
        self.pairs = np.empty(self.n_rows, dtype=np.uint64)
        self.spare_pairs = np.empty(self.n_rows, dtype=np.uint64)
        self.key_base = np.empty(self.n_features, dtype=np.uint64)
        self.key_shift = np.zeros(self.n_features, dtype=np.uint8)
        self.smallest = np.zeros(self.n_features)
        self.largest = np.zeros(self.n_features)
        if self.n_rows > 0:
            self.smallest[:] = X[0]
            self.largest[:] = X[0]
            with nogil:
                _set_keys(self)


# ---------------------------------------------------------------------------------------------------------- values

cdef void _set_keys(RowPartition partition) noexcept nogil:
    """The shifts that make the differences to a feature's smallest value fit 32 bits."""
    cdef float64_t* smallest = &partition.smallest[0]
    cdef float64_t* largest = &partition.largest[0]
    cdef const float64_t* values
    cdef Py_ssize_t row, feature
    cdef uint64_t span
    for row in range(1, partition.n_rows):
        values = &partition.X[row, 0]
        for feature in range(partition.n_features):
            smallest[feature] = values[feature] if values[feature] < smallest[feature] else smallest[feature]
            largest[feature] = values[feature] if values[feature] > largest[feature] else largest[feature]
    for feature in range(partition.n_features):
        partition.key_base[feature] = ascending_bits(smallest[feature])
        span = ascending_bits(largest[feature]) - partition.key_base[feature]
        while span >> partition.key_shift[feature] > <uint64_t> 0xFFFFFFFF:
            partition.key_shift[feature] += 1


cdef inline uint32_t _low_key(RowPartition partition, index_t row, index_t feature) noexcept nogil:
    """Of values of one key: ascends with the value, and differs where they do."""
    cdef uint64_t bits = ascending_bits(partition.X[row, feature]) - partition.key_base[feature]
    return <uint32_t> (bits & ((<uint64_t> 1 << partition.key_shift[feature]) - 1))


cdef float64_t threshold_between(float64_t below, float64_t above) noexcept nogil:
    """Between two values, the second of which is greater."""
    cdef float64_t middle = 0.5 * below + 0.5 * above
    if not below <= middle < above:
        middle = below
    return middle + 0.0     # one zero only


# ------------------------------------------------------------------------------------------------------------ sorts

cdef void sort_by_value(RowPartition partition, index_t feature, const index_t* rows, index_t n) noexcept nogil:
    """pairs[:n] become the places 0..n-1 of these rows, sorted by value, each under the rank of its value."""
    cdef uint64_t* pairs = &partition.pairs[0]
    cdef index_t start, stop, place
    cdef uint32_t key, rank = 0
    for place in range(n):
        pairs[place] = packed(value_key(partition, rows[place], feature), place, pairs[0])
    sort_entries(pairs, &partition.spare_pairs[0], n)
    start = 0
    # pairs[:start] hold ranks below `rank`, and pairs[start:] greater values, still under their keys.
    while start < n:
        key = key_of(pairs[start])
        stop = start + 1
        while stop < n and key_of(pairs[stop]) == key:
            stop += 1
        if stop - start == 1 or partition.key_shift[feature] == 0:
            for place in range(start, stop):
                pairs[place] = packed(rank, place_of(pairs[place]), pairs[0])
            rank += 1
        else:
            rank = _rank_by_low_keys(partition, feature, rows, start, stop, rank)
        start = stop


cdef uint32_t _rank_by_low_keys(
    RowPartition partition, index_t feature, const index_t* rows, index_t start, index_t stop, uint32_t rank
) noexcept nogil:
    """Sort pairs[start:stop], which share a key, rank their values from `rank`, and return the next rank."""
    cdef uint64_t* pairs = &partition.pairs[0]
    cdef index_t i, place
    cdef uint32_t key, last_key
    for i in range(start, stop):
        place = place_of(pairs[i])
        pairs[i] = packed(_low_key(partition, rows[place], feature), place, pairs[0])
    sort_entries(pairs + start, &partition.spare_pairs[start], stop - start)
    last_key = key_of(pairs[start])
    for i in range(start, stop):
        key = key_of(pairs[i])
        rank += key != last_key
        last_key = key
        pairs[i] = packed(rank, place_of(pairs[i]), pairs[0])
    return rank + 1


# ----------------------------------------------------------------------------------------------------------- blocks

cdef Block open_block(RowPartition partition, index_t start, index_t stop) noexcept nogil:
    """Make the node's rows a block, and sort every feature of it."""
    cdef Block block
    cdef index_t i, feature, n = stop - start
    cdef index_t* row_of_place
    block.start = start
    block.stop = stop
    row_of_place = &partition.row_of_place[start if partition.keeps_blocks else 0]
    for i in range(n):
        row_of_place[i] = partition.rows[start + i]
        partition.rows[start + i] = i
    for feature in range(<index_t> partition.n_features):
        sort_by_value(partition, feature, row_of_place, n)
        if partition.is_wide:
            memcpy(wide_entries(partition, block, feature, start), &partition.pairs[0], n * sizeof(uint64_t))
        else:
            _narrow(&partition.pairs[0], narrow_entries(partition, block, feature, start), n)
    return block


cdef inline void _narrow(const uint64_t* pairs, uint32_t* entries, index_t n) noexcept nogil:
    cdef index_t i
    for i in range(n):
        entries[i] = packed(key_of(pairs[i]), place_of(pairs[i]), entries[0])


cdef index_t block_row(RowPartition partition, Block block, index_t place) noexcept nogil:
    return partition.row_of_place[(block.start if partition.keeps_blocks else 0) + place]


cdef inline Py_ssize_t _first_entry(RowPartition partition, Block block, index_t feature, index_t start) noexcept nogil:
    """Where the feature's entries of the node that begins at `start` begin: blocks one after the other, in each the
    features one after the other."""
    cdef Py_ssize_t block_place = block.start if partition.keeps_blocks else 0
    return block_place * partition.n_features + <Py_ssize_t> feature * (block.stop - block.start) + start - block.start


cdef uint32_t* narrow_entries(RowPartition partition, Block block, index_t feature, index_t start) noexcept nogil:
    return &partition.narrow[_first_entry(partition, block, feature, start)]


cdef uint64_t* wide_entries(RowPartition partition, Block block, index_t feature, index_t start) noexcept nogil:
    return &partition.wide[_first_entry(partition, block, feature, start)]


# ----------------------------------------------------------------------------------------------------------- splits

cdef void mark_first(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t n_left
) noexcept nogil:
    """Mark for the left side the n_left first entries of the feature, the others for the right."""
    cdef index_t i
    for i in range(stop - start):
        if partition.is_wide:
            partition.goes_left[place_of(wide_entries(partition, block, feature, start)[i])] = i < n_left
        else:
            partition.goes_left[place_of(narrow_entries(partition, block, feature, start)[i])] = i < n_left


cdef void mark_at_most(
    RowPartition partition, index_t feature, float64_t threshold, index_t start, index_t stop
) noexcept nogil:
    """Mark for the left side the rows whose value is at most the threshold."""
    cdef index_t i, row
    for i in range(start, stop):
        row = partition.rows[i]
        partition.goes_left[row] = partition.X[row, feature] <= threshold


cdef void split_rows(RowPartition partition, index_t start, index_t stop) noexcept nogil:
    """Divide `rows` as they were marked, order kept on both sides."""
    cdef index_t* rows = &partition.rows[start]
    cdef index_t* spare = &partition.spare_rows[0]
    cdef const uint8_t* goes_left = &partition.goes_left[0]
    cdef index_t i, row, left = 0, right = 0
    # rows[:left] are the left rows met so far, spare[:right] the right ones; left <= i.
    for i in range(stop - start):
        row = rows[i]
        rows[left] = row
        spare[right] = row
        left += goes_left[row]
        right += 1 - goes_left[row]
    memcpy(rows + left, spare, right * sizeof(index_t))


cdef void split_entries(
    RowPartition partition, Block block, index_t start, index_t middle, index_t stop, bint keeps_left, bint keeps_right
) noexcept nogil:
    """Divide every sorted feature as the places were marked, order kept; a side that is not kept is lost."""
    cdef index_t feature
    for feature in range(<index_t> partition.n_features):
        if partition.is_wide:
            _split_feature(
                wide_entries(partition, block, feature, start), &partition.spare_pairs[0], &partition.goes_left[0],
                middle - start, stop - start, keeps_left, keeps_right,
            )
        else:
            _split_feature(
                narrow_entries(partition, block, feature, start), &partition.spare_narrow[0], &partition.goes_left[0],
                middle - start, stop - start, keeps_left, keeps_right,
            )


cdef void _split_feature(
    Entry* entries, Entry* spare, const uint8_t* goes_left, index_t n_left, index_t n, bint keeps_left, bint keeps_right
) noexcept nogil:
    cdef index_t i, left, right
    cdef Entry entry
    if not keeps_left:
        # entries[right:] are the right ones met so far, from the end; right > i.
        right = n
        for i in range(n - 1, -1, -1):
            entry = entries[i]
            entries[right - 1] = entry
            right -= 1 - goes_left[place_of(entry)]
        return
    left = 0
    if not keeps_right:
        for i in range(n):
            entry = entries[i]
            entries[left] = entry
            left += goes_left[place_of(entry)]
        return
    right = 0
    # As in split_rows.
    for i in range(n):
        entry = entries[i]
        entries[left] = entry
        spare[right] = entry
        left += goes_left[place_of(entry)]
        right += 1 - goes_left[place_of(entry)]
    memcpy(entries + left, spare, right * sizeof(Entry))


# ------------------------------------------------------------------------------------------------------ from Python

def rank_features(const float64_t[:, ::1] X):
    """For every feature the rows in ascending order of their value, and the ranks of these values.

    Returns two arrays (n_features, n_rows).
    """
    cdef Py_ssize_t feature, i, n_rows = X.shape[0]
    cdef bint is_wide = n_rows > NARROW_ROWS
    cdef RowPartition partition = RowPartition(X, n_rows, False, is_wide)
    cdef index_t[:, ::1] rows = np.empty((X.shape[1], n_rows), dtype=np.int32)
    cdef index_t[:, ::1] ranks = np.empty((X.shape[1], n_rows), dtype=np.int32)
    cdef Block block
    cdef uint64_t entry
    if n_rows == 0:
        return np.asarray(rows), np.asarray(ranks)
    with nogil:
        block = open_block(partition, 0, <index_t> n_rows)
        for feature in range(X.shape[1]):
            for i in range(n_rows):
                if is_wide:
                    entry = wide_entries(partition, block, <index_t> feature, 0)[i]
                else:
                    entry = _widened(narrow_entries(partition, block, <index_t> feature, 0)[i])
                rows[feature, i] = place_of(entry)
                ranks[feature, i] = <index_t> key_of(entry)
    return np.asarray(rows), np.asarray(ranks)


cdef inline uint64_t _widened(uint32_t entry) noexcept nogil:
    return packed(key_of(entry), place_of(entry), <uint64_t> 0)
