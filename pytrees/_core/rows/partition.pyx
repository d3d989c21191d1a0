"""Which rows does a node have, and in which order are they by each feature? `partition.pxd` describes the arrays."""

import numpy as np

cimport cython
from libc.math cimport isnan
from libc.string cimport memcpy

from pytrees._core.base.compiler cimport word_at
from pytrees._core.base.sizes cimport MOST_IN_NARROW
from pytrees._core.base.sorting cimport Entry, key_of, packed, place_of, sort_entries
from pytrees._core.base.types cimport NONE, float64_t, index_t, int16_t, int64_t, uint8_t, uint32_t, uint64_t
from pytrees._core.rows.features cimport (
    Column, column_of, fits_words, lacks_values, rank_at, rank_stride_of, sort_by_code, sort_by_value, sort_words,
    value_at, value_in, write_ranks, write_words,
)

cdef enum:
    # Blocks of at least a share of 1 / ROWS_OF_BLOCK_IN_ORDER of all rows are taken from features in order.
    ROWS_OF_BLOCK_IN_ORDER = 8


@cython.final
cdef class RowPartition:
    def __cinit__(
        self, Features features, rows, Py_ssize_t largest_block, bint keeps_blocks, bint is_wide,
        RowPartition shared=None, bint shares_block=False,
    ):
        """With `shared`, make a second thread's scratch beside the rows of another partition. It can share that
        partition's only block, of all rows, too; each thread then works on rows of its own."""
        cdef Py_ssize_t n_places, n_entries
        self.features = features
        self.rows = np.array(rows, dtype=np.int32) if shared is None else shared.rows
        self.n_rows = self.rows.shape[0]
        self.n_features = features.n_features
        self.keeps_blocks = keeps_blocks
        self.is_wide = is_wide
        self.is_ranked = is_ranked(features)
        self.keyed = np.empty(self.n_rows, dtype=np.uint64)
        self.spare_keyed = np.empty(self.n_rows, dtype=np.uint64)
        self.spare_rows = np.empty(self.n_rows, dtype=np.int32)
        # A sequence can hold a row more than once, and be longer than X.
        self.goes_left = np.empty(max(features.n_rows, self.n_rows), dtype=np.uint8)
        if self.is_ranked:
            largest_block = self.n_rows
        if not is_wide and largest_block > MOST_IN_NARROW:
            raise ValueError(f"A block of {largest_block} rows needs wide entries.")
        if shares_block:
            self.row_of_place, self.narrow, self.wide = shared.row_of_place, shared.narrow, shared.wide
        else:
            n_places = features.n_rows if self.is_ranked else self.n_rows if keeps_blocks else largest_block
            n_entries = largest_block if self.is_ranked else self.n_features * n_places
            self.row_of_place = np.arange(n_places, dtype=np.int32)
            self.narrow = np.empty(0 if is_wide else n_entries + ENTRIES_BEHIND, dtype=np.uint32)
            self.wide = self.keyed if self.is_ranked else np.empty(n_entries if is_wide else 0, dtype=np.uint64)
        self.spare_narrow = np.empty(0 if is_wide else largest_block, dtype=np.uint32)
        self.spare_wide = self.spare_keyed if self.is_ranked else np.empty(
            largest_block if is_wide else 0, dtype=np.uint64
        )
        self.place_of_row = np.empty(features.n_rows if features.in_order.shape[0] > 0 else 0, dtype=np.int32)
        if features.n_categories.shape[0] > 0:
            most_children = min(np.max(features.n_categories), self.n_rows)
            self.child_of = np.empty(self.goes_left.shape[0], dtype=np.int32)
            self.child_starts = np.empty(most_children + 1, dtype=np.int32)
            self.child_ends = np.empty(most_children, dtype=np.int32)

    def keep_ranks(self, RowPartition shared=None):
        """Keep the ranks of every place, for entries of 32 bits; `shared` is the partition whose block this one shares.
        """
        self.rank_stride = rank_stride_of(self.features)
        if shared is None:
            self.place_ranks = np.zeros(self.row_of_place.shape[0] * self.rank_stride, dtype=np.int16)
        else:
            self.place_ranks = shared.place_ranks


# ----------------------------------------------------------------------------------------------------------- blocks

cdef int open_block(RowPartition partition, index_t start, index_t stop, Block* block) except -1 nogil:
    """Make the node's rows a block, and sort every feature of it."""
    cdef index_t i
    cdef index_t* row_of_place
    if partition.is_ranked:
        block.start = 0
        block.stop = <index_t> partition.features.n_rows
        return 0
    block.start = start
    block.stop = stop
    row_of_place = &partition.row_of_place[start if partition.keeps_blocks else 0]
    for i in range(stop - start):
        row_of_place[i] = partition.rows[start + i]
        partition.rows[start + i] = i
    if partition.is_wide:
        return _sort_features(partition, block[0], <const uint64_t*> NULL)
    return _sort_features(partition, block[0], <const uint32_t*> NULL)


cdef int _sort_features(RowPartition partition, Block block, const Entry* width) except -1 nogil:
    """Write the sorted entries of a block."""
    cdef const index_t* row_of_place = &partition.row_of_place[block.start if partition.keeps_blocks else 0]
    cdef uint64_t* keyed = &partition.keyed[0]
    cdef index_t i, feature, stop_written = 0, n = block.stop - block.start
    cdef Entry* entries
    cdef bint are_in_order = Entry is uint32_t and _find_places(partition, row_of_place, n)
    cdef bint has_ranks = are_in_order and 0 < partition.rank_stride == partition.features.ranks_in_order.shape[1]
    for feature in range(<index_t> partition.n_features):
        check_entries(partition, n)
        entries = entries_of(partition, block, feature, block.start, block.stop, width)
        if Entry is uint32_t and are_in_order:
            _take_in_order(partition, feature, entries)
        elif Entry is uint32_t and partition.features.codes.shape[0] > 0 and partition.features.n_values[feature] > 0:
            sort_by_code(partition.features, feature, row_of_place, n, entries)
        elif Entry is uint32_t and fits_words(partition.features, feature, n):
            if feature >= stop_written:
                stop_written = write_words(partition.features, feature, row_of_place, n, entries)
            sort_words(
                partition.features, feature, row_of_place, entries, n, &partition.spare_narrow[0], keyed,
                &partition.spare_keyed[0],
            )
        else:
            sort_by_value(partition.features, feature, row_of_place, n, keyed, &partition.spare_keyed[0])
            for i in range(n):
                entries[i] = packed(key_of(keyed[i]), place_of(keyed[i]), entries[0])
        if Entry is uint32_t and partition.rank_stride > 0 and not has_ranks:
            write_ranks(<int16_t*> ranks_of_place(partition, block, 0) + feature, partition.rank_stride, entries, n)
    if has_ranks:
        _take_ranks(partition, block, row_of_place, n)


cdef bint _find_places(RowPartition partition, const index_t* rows, index_t n) noexcept nogil:
    """Find the places of a block's rows if the features are in order: True. False: the block has few of the rows, or
    its rows do not ascend, so that equal values would have another order."""
    cdef index_t place
    cdef index_t* place_of_row
    if partition.place_of_row.shape[0] == 0 or <int64_t> n * ROWS_OF_BLOCK_IN_ORDER < partition.features.n_rows:
        return False
    for place in range(1, n):
        if rows[place] <= rows[place - 1]:
            return False
    place_of_row = &partition.place_of_row[0]
    for place in range(<index_t> partition.features.n_rows):
        place_of_row[place] = NONE
    for place in range(n):
        place_of_row[rows[place]] = place
    return True


cdef void _take_in_order(RowPartition partition, index_t feature, uint32_t* entries) noexcept nogil:
    """Write the sorted entries of the rows that have places."""
    cdef const uint32_t* in_order = &partition.features.in_order[feature, 0]
    cdef const index_t* place_of_row = &partition.place_of_row[0]
    cdef index_t i, place, has_place, n = 0
    for i in range(<index_t> partition.features.n_rows):
        place = place_of_row[place_of(in_order[i])]
        has_place = place != NONE
        # Rows without a place get the place 0, and are written over by the next entry; behind the last entry there is
        # room. No branch, which would often be predicted wrong.
        entries[n] = packed(key_of(in_order[i]), place & -has_place, in_order[i])
        n += has_place


cdef void _take_ranks(RowPartition partition, Block block, const index_t* rows, index_t n) noexcept nogil:
    """Copy the ranks of these rows, which are ranks among all rows, to their places."""
    cdef int16_t* ranks = <int16_t*> ranks_of_place(partition, block, 0)
    cdef index_t place
    for place in range(n):
        memcpy(
            ranks + place * partition.rank_stride, &partition.features.ranks_in_order[rows[place], 0],
            partition.rank_stride * sizeof(int16_t),
        )


cdef void sort_few(RowPartition partition, Block block, index_t start, index_t stop) noexcept nogil:
    """Write the sorted entries of a node of few samples."""
    cdef const index_t* places = &partition.rows[start]
    cdef index_t feature, i, n = stop - start
    cdef uint32_t* entries
    for feature in range(<index_t> partition.n_features):
        entries = entries_of(partition, block, feature, start, stop, <const uint32_t*> NULL)
        for i in range(n):
            entries[i] = packed(
                <uint32_t> (ranks_of_place(partition, block, places[i])[feature] + 32768), places[i], entries[0]
            )
        # Fewer than are sorted by digits: they need no room.
        sort_entries(entries, entries, n)


cdef index_t block_row(RowPartition partition, Block block, index_t place) noexcept nogil:
    return partition.row_of_place[(block.start if partition.keeps_blocks else 0) + place]


cdef Entry* entries_of(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, const Entry* width
) noexcept nogil:
    """Return the sorted entries of a feature, of the width that `width` points to, which is the partition's."""
    cdef Entry* entries
    cdef Entry* spare
    if Entry is uint32_t:
        entries, spare = &partition.narrow[0], &partition.spare_narrow[0]
    else:
        entries, spare = &partition.wide[0], &partition.spare_wide[0]
    if not partition.is_ranked:
        return entries + first_entry(partition, block, feature, start)
    _sort_by_rank(partition.features, feature, &partition.rows[start], stop - start, entries, spare)
    return entries


cdef void _sort_by_rank(
    Features features, index_t feature, const index_t* places, index_t n, Entry* entries, Entry* spare
) noexcept nogil:
    # Locals, because the compiler does not know that writing entries leaves the features as they are.
    cdef const uint8_t* ranks = &features.ranks[feature * features.feature_step]
    cdef Py_ssize_t step = features.row_step
    cdef uint32_t rank_bits = features.rank_bits
    cdef index_t i
    for i in range(n):
        entries[i] = packed(word_at(ranks + places[i] * step) & rank_bits, places[i], entries[0])
    sort_entries(entries, spare, n)


cdef index_t count_missing(
    RowPartition partition, Block block, index_t feature, const Entry* entries, index_t n
) noexcept nogil:
    """Return how many of the sorted entries lack the value: they are the last."""
    cdef index_t n_missing = 1
    if not partition.features.lacks_values[feature] or not isnan(
        value_at(partition.features, block_row(partition, block, place_of(entries[n - 1])), feature)
    ):
        return 0
    while n_missing < n and key_of(entries[n - 1 - n_missing]) == key_of(entries[n - 1]):
        n_missing += 1
    return n_missing


cdef bint has_cut(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t min_samples_leaf
) noexcept nogil:
    """Whether a cut between different neighbouring values, or beside missing ones, leaves min_samples_leaf rows on both
    sides."""
    cdef index_t n = stop - start
    if not lacks_values(partition.features, feature):
        if 2 * <int64_t> min_samples_leaf > n:
            return False
        if are_few(partition, n):
            return few_have_values(partition, block, feature, &partition.rows[start], n)
        if partition.is_ranked and min_samples_leaf == 1:
            return _have_values(partition.features, feature, &partition.rows[start], n)
    if partition.is_wide:
        return _has_cut(partition, block, feature, start, stop, min_samples_leaf, <const uint64_t*> NULL)
    return _has_cut(partition, block, feature, start, stop, min_samples_leaf, <const uint32_t*> NULL)


cdef bint _have_values(Features features, index_t feature, const index_t* rows, index_t n) noexcept nogil:
    """Whether these rows have several values of a ranked feature."""
    cdef index_t i
    for i in range(1, n):
        if rank_at(features, rows[i], feature) != rank_at(features, rows[0], feature):
            return True
    return False


cdef inline bint _has_cut(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t min_samples_leaf,
    const Entry* width
) noexcept nogil:
    cdef const Entry* entries = entries_of(partition, block, feature, start, stop, width)
    cdef index_t n = stop - start
    return missing_has_cut(entries, n, missing_of(partition, block, feature, entries, n), min_samples_leaf)


# ----------------------------------------------------------------------------------------------------------- splits

cdef void mark_first(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t n_left,
    index_t last_left, index_t n_missing_left
) noexcept nogil:
    """Mark for the left side n_left entries of the feature: the last n_missing_left, whose value is missing, and the
    first of the others, up to the place `last_left`."""
    cdef index_t n_known_left = n_left - n_missing_left
    if partition.is_ranked:
        _mark_by_rank(partition, feature, last_left, n_missing_left > 0, start, stop)
    elif are_few(partition, stop - start):
        mark_few(partition, block, feature, last_left, start, stop)
    elif partition.is_wide:
        _mark(partition, block, feature, start, stop, n_known_left, n_missing_left, <const uint64_t*> NULL)
    else:
        _mark(partition, block, feature, start, stop, n_known_left, n_missing_left, <const uint32_t*> NULL)


cdef void _mark_by_rank(
    RowPartition partition, index_t feature, index_t last_left, bint missing_left, index_t start, index_t stop
) noexcept nogil:
    cdef index_t i, row
    cdef uint32_t last_rank, rank_bits
    cdef const uint8_t* ranks
    cdef Py_ssize_t step
    if missing_left:
        _mark_at_most(partition, feature, value_at(partition.features, last_left, feature), True, start, stop)
    else:
        ranks = &partition.features.ranks[feature * partition.features.feature_step]
        step, rank_bits = partition.features.row_step, partition.features.rank_bits
        last_rank = word_at(ranks + last_left * step) & rank_bits
        for i in range(start, stop):
            row = partition.rows[i]
            partition.goes_left[row] = (word_at(ranks + row * step) & rank_bits) <= last_rank


cdef inline void _mark(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t n_first, index_t n_last,
    const Entry* width
) noexcept nogil:
    """Mark the first and the last entries of a node."""
    cdef const Entry* entries = entries_of(partition, block, feature, start, stop, width)
    cdef uint8_t* goes_left = &partition.goes_left[0]
    cdef index_t i, n = stop - start
    for i in range(n):
        goes_left[place_of(entries[i])] = i < n_first
    for i in range(n - n_last, n):
        goes_left[place_of(entries[i])] = True


cdef void _mark_at_most(
    RowPartition partition, index_t feature, float64_t threshold, bint missing_left, index_t start, index_t stop
) noexcept nogil:
    """Mark for the left side the rows whose value is at most the threshold and, if missing values go left, the rows
    that lack the value."""
    cdef Column column = column_of(partition.features, feature)
    cdef index_t i, row
    for i in range(start, stop):
        row = partition.rows[i]
        partition.goes_left[row] = value_in(column, row) <= threshold
    if missing_left:
        for i in range(start, stop):
            row = partition.rows[i]
            partition.goes_left[row] |= isnan(value_in(column, row))


cdef void split_rows(RowPartition partition, index_t start, index_t stop) noexcept nogil:
    """Divide `rows` as they were marked, order kept on both sides."""
    _divide(&partition.rows[start], &partition.spare_rows[0], &partition.goes_left[0], stop - start)


cdef inline void _divide(Sample* samples, Sample* spare, const uint8_t* goes_left, index_t n) noexcept nogil:
    # As wide as addresses, which saves the processor a step for each.
    cdef Py_ssize_t i, left = 0, stop = n
    cdef Sample sample
    # samples[:left] are the left ones met so far, spare[:i - left] the right ones; left <= i.
    for i in range(stop):
        sample = samples[i]
        samples[left] = sample
        spare[i - left] = sample
        left += goes_left[place_of_sample(sample)]
    memcpy(samples + left, spare, (stop - left) * sizeof(Sample))


cdef int split_entries(
    RowPartition partition, Block block, index_t start, index_t stop, bint keeps_left, bint keeps_right
) except -1 nogil:
    """Divide every sorted feature as the places were marked, order kept; a side that is not kept is lost."""
    if partition.is_ranked:
        return 0
    if partition.is_wide:
        return _split_features(partition, block, start, stop, keeps_left, keeps_right, &partition.spare_wide[0])
    return _split_features(partition, block, start, stop, keeps_left, keeps_right, &partition.spare_narrow[0])


cdef inline int _split_features(
    RowPartition partition, Block block, index_t start, index_t stop, bint keeps_left, bint keeps_right, Entry* spare
) except -1 nogil:
    cdef const uint8_t* goes_left = &partition.goes_left[0]
    cdef index_t feature
    cdef Py_ssize_t i, kept, n = stop - start
    cdef Entry* entries
    cdef Entry entry
    for feature in range(<index_t> partition.n_features):
        check_entries(partition, n)
        entries = entries_of(partition, block, feature, start, stop, spare)
        if keeps_left and keeps_right:
            _divide(entries, spare, goes_left, <index_t> n)
        elif keeps_left:
            kept = 0
            # entries[:kept] are the left entries met so far; kept <= i.
            for i in range(n):
                entry = entries[i]
                entries[kept] = entry
                kept += goes_left[place_of(entry)]
        else:
            kept = n
            # entries[kept:] are the right entries met so far, from the end; kept > i.
            for i in range(n - 1, -1, -1):
                entry = entries[i]
                entries[kept - 1] = entry
                kept -= 1 - goes_left[place_of(entry)]
