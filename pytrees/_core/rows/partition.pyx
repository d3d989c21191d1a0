"""Which rows does a node have, and in which order are they by each feature? `partition.pxd` describes the arrays."""

import numpy as np

cimport cython
from libc.math cimport INFINITY, floor, isnan
from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.sizes cimport MAX_BINS, MOST_IN_NARROW
from pytrees._core.base.sorting cimport Entry, key_of, packed, place_of, sort_entries
from pytrees._core.base.types cimport (
    NONE, UNLIMITED, float64_t, index_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
)

cdef enum:
    # Blocks of at least a share of 1 / ROWS_OF_BLOCK_IN_ORDER of all rows are taken from features in order.
    ROWS_OF_BLOCK_IN_ORDER = 8
    # Keys of so many features are made at once, from rows that are prefetched: neighbours in memory.
    MOST_KEYED_AT_ONCE = 8
    ROWS_PREFETCHED = 8


@cython.final
cdef class Features:
    def __cinit__(self, const float64_t[:, ::1] X, bint ranks, n_categories=None):
        cdef bint may_lack_values
        self.X = X
        self.n_rows = X.shape[0]
        self.n_features = X.shape[1]
        self.n_categories = _checked_categories(X, n_categories)
        self.smallest = np.zeros(self.n_features)
        self.largest = np.zeros(self.n_features)
        self.key_base = np.zeros(self.n_features, dtype=np.uint64)
        self.key_shift = np.zeros(self.n_features, dtype=np.uint8)
        is_narrow = self.n_rows <= MOST_IN_NARROW
        shape = (self.n_features, self.n_rows)
        self.narrow_ranks = np.empty(shape if ranks and is_narrow else (0, 0), dtype=np.uint16)
        self.wide_ranks = np.empty((0, 0) if is_narrow or not ranks else shape, dtype=np.uint32)
        self.narrow_rows = np.empty((0, 0), dtype=np.uint16)
        self.wide_rows = np.empty((0, 0), dtype=np.uint32)
        self.codes = np.empty((0, 0), dtype=np.uint8)
        self.n_values = np.empty(0, dtype=np.int32)
        self.in_order = np.empty((0, 0), dtype=np.uint32)
        self.ranks_in_order = np.empty((0, 0), dtype=np.int16)
        if self.n_rows == 0:
            return
        with nogil:
            may_lack_values = _find_ranges(self)
            _set_keys(self)
        if may_lack_values:
            is_missing = np.isnan(X).any(axis=0)
            self.has_missing = is_missing.any()
            self.lacks_values = is_missing.astype(np.uint8)
        if ranks:
            _rank(self, np.arange(self.n_rows, dtype=np.int32), np.empty((2, self.n_rows), dtype=np.uint64))

    def put_in_order(self, bint keeps_ranks):
        """Sort all features once for many trees; a table of at most MOST_IN_NARROW rows. `keeps_ranks`: lay the ranks
        of every row side by side, too."""
        cdef index_t feature, i, n = <index_t> self.n_rows
        cdef index_t[::1] rows = np.arange(n, dtype=np.int32)
        cdef uint64_t[:, ::1] scratch = np.empty((2, n), dtype=np.uint64)
        cdef Py_ssize_t stride = rank_stride_of(self) if keeps_ranks else 0
        self.in_order = np.empty((self.n_features, n), dtype=np.uint32)
        self.ranks_in_order = np.zeros((n if keeps_ranks else 0, stride), dtype=np.int16)
        with nogil:
            for feature in range(<index_t> self.n_features if n > 0 else 0):
                sort_by_value(self, feature, &rows[0], n, &scratch[0, 0], &scratch[1, 0])
                for i in range(n):
                    self.in_order[feature, i] = packed(
                        key_of(scratch[0, i]), place_of(scratch[0, i]), self.in_order[feature, i]
                    )
                if keeps_ranks:
                    _write_ranks(&self.ranks_in_order[0, feature], stride, &self.in_order[feature, 0], n)

    def lay_out_rows(self):
        """Lay the ranks of every row side by side, too."""
        self.narrow_rows = np.asarray(self.narrow_ranks).T.copy()
        self.wide_rows = np.asarray(self.wide_ranks).T.copy()


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
        self.X = features.X
        self.rows = np.array(rows, dtype=np.int32) if shared is None else shared.rows
        self.n_rows = self.rows.shape[0]
        self.n_features = features.n_features
        self.keeps_blocks = keeps_blocks
        self.is_wide = is_wide
        self.is_ranked = is_ranked(features)
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
            self.wide = np.empty(n_entries if is_wide else 0, dtype=np.uint64)
        self.spare_narrow = np.empty(0 if is_wide else largest_block, dtype=np.uint32)
        self.spare_wide = np.empty(largest_block if is_wide else 0, dtype=np.uint64)
        self.place_of_row = np.empty(features.n_rows if features.in_order.shape[0] > 0 else 0, dtype=np.int32)
        self.keyed = np.empty(self.n_rows, dtype=np.uint64)
        self.spare_keyed = np.empty(self.n_rows, dtype=np.uint64)
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


def _checked_categories(const float64_t[:, ::1] X, n_categories):
    """Return the numbers of categories as an array, empty for None; check that all values are codes 0, 1, ...,
    n_categories - 1."""
    cdef Py_ssize_t feature, row
    cdef int64_t n_codes
    cdef float64_t value
    if n_categories is None:
        return np.empty(0, dtype=np.int64)
    checked = np.array(n_categories, dtype=np.int64)
    if checked.shape != (X.shape[1],):
        raise ValueError(
            f"n_categories must have {X.shape[1]} numbers, one for every feature, got {len(n_categories)}."
        )
    for feature in range(X.shape[1]):
        n_codes = checked[feature]
        if not 0 <= n_codes <= UNLIMITED:
            raise ValueError(f"n_categories of feature {feature} must be in 0..{UNLIMITED}, got {n_codes}.")
        for row in range(X.shape[0] if n_codes > 0 else 0):
            value = X[row, feature]
            if not (0 <= value < n_codes and value == floor(value)):
                raise ValueError(
                    f"Feature {feature} has the categories 0..{n_codes - 1}, but row {row} has {value}."
                )
    return checked


# ---------------------------------------------------------------------------------------------------------- values

cdef bint _find_ranges(Features features) noexcept nogil:
    """Find the least and the greatest known value of every feature. Return whether values are missing or infinite:
    their difference to themselves is then not zero."""
    cdef float64_t* smallest = &features.smallest[0]
    cdef float64_t* largest = &features.largest[0]
    cdef const float64_t* values
    cdef float64_t differences = 0.0
    cdef Py_ssize_t row, feature
    features.smallest[:] = INFINITY
    features.largest[:] = -INFINITY
    for row in range(features.n_rows):
        values = &features.X[row, 0]
        # Missing values are neither smaller nor larger.
        for feature in range(features.n_features):
            smallest[feature] = values[feature] if values[feature] < smallest[feature] else smallest[feature]
            largest[feature] = values[feature] if values[feature] > largest[feature] else largest[feature]
            differences += values[feature] - values[feature]
    for feature in range(features.n_features):
        if smallest[feature] > largest[feature]:
            smallest[feature] = largest[feature] = 0.0
    return isnan(differences)


cdef void _set_keys(Features features) noexcept nogil:
    """Set the shifts that make the differences to a feature's smallest value fit 32 bits."""
    cdef Py_ssize_t feature
    cdef uint64_t span
    for feature in range(features.n_features):
        features.key_base[feature] = ascending_bits(features.smallest[feature])
        span = ascending_bits(features.largest[feature]) - features.key_base[feature]
        while span >> features.key_shift[feature] > <uint64_t> 0xFFFFFFFF:
            features.key_shift[feature] += 1


cdef _rank(Features features, const index_t[::1] rows, uint64_t[:, ::1] scratch):
    """Rank every value among the feature's distinct values."""
    cdef index_t feature, i, n = <index_t> features.n_rows
    cdef uint64_t* keyed = &scratch[0, 0]
    with nogil:
        for feature in range(<index_t> features.n_features):
            sort_by_value(features, feature, &rows[0], n, keyed, &scratch[1, 0])
            for i in range(n):
                if features.narrow_ranks.shape[0] > 0:
                    features.narrow_ranks[feature, place_of(keyed[i])] = <uint16_t> key_of(keyed[i])
                else:
                    features.wide_ranks[feature, place_of(keyed[i])] = key_of(keyed[i])


cdef inline uint32_t _low_key(Features features, index_t row, index_t feature) noexcept nogil:
    """Return a key for values that share the high key: it ascends with the value, and differs if the values differ."""
    cdef uint64_t bits = ascending_bits(features.X[row, feature]) - features.key_base[feature]
    return <uint32_t> (bits & ((<uint64_t> 1 << features.key_shift[feature]) - 1))


cdef float64_t threshold_between(float64_t below, float64_t above) noexcept nogil:
    """Return the threshold between two values. The second value is greater, or missing: then the threshold is
    infinite."""
    cdef float64_t middle = 0.5 * below + 0.5 * above
    if not below <= middle < above:
        middle = INFINITY if isnan(above) else below
    return middle + 0.0     # one zero only


# ------------------------------------------------------------------------------------------------------------ sorts

cdef void sort_by_value(
    Features features, index_t feature, const index_t* rows, index_t n, uint64_t* keyed, uint64_t* spare
) noexcept nogil:
    """keyed[:n] become the places 0..n-1 of these rows, sorted by value, each under the rank of its value; missing
    values come last, and share a rank."""
    # Locals, because the compiler does not know that writing keys leaves the features as they are.
    cdef const float64_t* values = &features.X[0, feature]
    cdef Py_ssize_t stride = features.n_features
    cdef uint64_t base = features.key_base[feature]
    cdef uint8_t shift = features.key_shift[feature]
    cdef index_t place, n_known = 0
    cdef uint32_t n_ranks
    cdef bint has_missing = lacks_values(features, feature)
    cdef float64_t value
    for place in range(n):
        # A key that ascends with the value; different values can share it. The next key replaces that of a missing one.
        value = values[rows[place] * stride]
        keyed[n_known] = packed(<uint32_t> ((ascending_bits(value) - base) >> shift), place, keyed[0])
        n_known += not (has_missing and isnan(value))
    n_ranks = _sort_keys(features, feature, rows, n_known, keyed, spare)
    for place in range(n if has_missing else 0):
        if isnan(features.X[rows[place], feature]):
            keyed[n_known] = packed(n_ranks, place, keyed[0])
            n_known += 1


cdef inline uint32_t _sort_keys(
    Features features, index_t feature, const index_t* rows, index_t n, uint64_t* keyed, uint64_t* spare
) noexcept nogil:
    """Sort places under the high keys of their values, put them under the ranks, and return the next rank."""
    cdef index_t start, stop, place
    cdef uint32_t key, rank = 0
    sort_entries(keyed, spare, n)
    start = 0
    # keyed[:start] hold ranks below `rank`, and keyed[start:] greater values, still under their keys.
    while start < n:
        key = key_of(keyed[start])
        stop = start + 1
        if stop == n or key_of(keyed[stop]) != key:
            # Nearly all keys differ from their neighbours.
            keyed[start] = packed(rank, place_of(keyed[start]), keyed[0])
            rank += 1
            start = stop
            continue
        while stop < n and key_of(keyed[stop]) == key:
            stop += 1
        if features.key_shift[feature] == 0:
            for place in range(start, stop):
                keyed[place] = packed(rank, place_of(keyed[place]), keyed[0])
            rank += 1
        else:
            rank = _rank_by_low_keys(features, feature, rows, keyed + start, spare, stop - start, rank)
        start = stop
    return rank


cdef uint32_t _rank_by_low_keys(
    Features features, index_t feature, const index_t* rows, uint64_t* keyed, uint64_t* spare, index_t n, uint32_t rank
) noexcept nogil:
    """Sort these places, which share a key, rank their values from `rank`, and return the next rank."""
    cdef index_t i, place
    cdef uint32_t key, last_key
    for i in range(n):
        place = place_of(keyed[i])
        keyed[i] = packed(_low_key(features, rows[place], feature), place, keyed[0])
    sort_entries(keyed, spare, n)
    last_key = key_of(keyed[0])
    for i in range(n):
        key = key_of(keyed[i])
        rank += key != last_key
        last_key = key
        keyed[i] = packed(rank, place_of(keyed[i]), keyed[0])
    return rank + 1


# ----------------------------------------------------------------------------------------------------------- blocks

cdef Block open_block(RowPartition partition, index_t start, index_t stop) noexcept nogil:
    """Make the node's rows a block, and sort every feature of it."""
    cdef Block block
    cdef index_t i
    cdef index_t* row_of_place
    if partition.is_ranked:
        block.start = 0
        block.stop = <index_t> partition.features.n_rows
        return block
    block.start = start
    block.stop = stop
    row_of_place = &partition.row_of_place[start if partition.keeps_blocks else 0]
    for i in range(stop - start):
        row_of_place[i] = partition.rows[start + i]
        partition.rows[start + i] = i
    if partition.is_wide:
        _sort_features(partition, block, <const uint64_t*> NULL)
    else:
        _sort_features(partition, block, <const uint32_t*> NULL)
    return block


cdef void _sort_features(RowPartition partition, Block block, const Entry* width) noexcept nogil:
    """Write the sorted entries of a block."""
    cdef const index_t* row_of_place = &partition.row_of_place[block.start if partition.keeps_blocks else 0]
    cdef uint64_t* keyed = &partition.keyed[0]
    cdef index_t i, feature, first_keyed = 0, stop_keyed = 0, n = block.stop - block.start
    cdef Entry* entries
    cdef bint are_in_order = Entry is uint32_t and _find_places(partition, row_of_place, n)
    cdef bint has_ranks = are_in_order and 0 < partition.rank_stride == partition.features.ranks_in_order.shape[1]
    for feature in range(<index_t> partition.n_features):
        entries = entries_of(partition, block, feature, block.start, block.stop, width)
        if Entry is uint32_t and are_in_order:
            _take_in_order(partition, feature, entries)
        elif Entry is uint32_t and partition.features.codes.shape[0] > 0 and partition.features.n_values[feature] > 0:
            _sort_by_code(partition.features, feature, row_of_place, n, entries)
        else:
            if feature >= stop_keyed:
                first_keyed = feature
                stop_keyed = _write_many_keys(
                    partition.features, feature, row_of_place, n, partition.n_rows, &partition.keyed[0]
                )
            keyed = &partition.keyed[(feature - first_keyed) * n]
            if stop_keyed > first_keyed:
                _sort_keys(partition.features, feature, row_of_place, n, keyed, &partition.spare_keyed[0])
            else:
                sort_by_value(partition.features, feature, row_of_place, n, keyed, &partition.spare_keyed[0])
            for i in range(n):
                entries[i] = packed(key_of(keyed[i]), place_of(keyed[i]), entries[0])
        if Entry is uint32_t and partition.rank_stride > 0 and not has_ranks:
            _write_ranks(
                <int16_t*> ranks_of_place(partition, block, 0) + feature, partition.rank_stride, entries, n
            )
    if has_ranks:
        _take_ranks(partition, block, row_of_place, n)


cdef index_t _write_many_keys(
    Features features, index_t first, const index_t* rows, index_t n, Py_ssize_t room, uint64_t* keyed
) noexcept nogil:
    """Put the places of these rows under the keys of features [first, stop), feature after feature, and return `stop`.
    It is `first` if the room is not enough for two features, or values may be missing."""
    cdef index_t stop = <index_t> min(features.n_features, first + min(MOST_KEYED_AT_ONCE, room // n))
    cdef index_t place, feature
    cdef const float64_t* values = &features.X[0, 0]
    cdef const uint64_t* bases = &features.key_base[0]
    cdef const uint8_t* shifts = &features.key_shift[0]
    cdef Py_ssize_t stride = features.n_features
    if features.has_missing or stop < first + 2:
        return first
    for place in range(n):
        if place + ROWS_PREFETCHED < n:
            prefetch(values + rows[place + ROWS_PREFETCHED] * stride + first)
        for feature in range(first, stop):
            keyed[(feature - first) * n + place] = packed(
                <uint32_t> ((ascending_bits(values[rows[place] * stride + feature]) - bases[feature])
                            >> shifts[feature]),
                place, keyed[0],
            )
    return stop


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


cdef void _write_ranks(int16_t* ranks, Py_ssize_t stride, const uint32_t* entries, index_t n) noexcept nogil:
    """Write the ranks of sorted entries, less 2**15, by place."""
    cdef index_t i
    for i in range(n):
        ranks[place_of(entries[i]) * stride] = <int16_t> (<int32_t> key_of(entries[i]) - 32768)


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


cdef void _sort_by_code(
    Features features, index_t feature, const index_t* rows, index_t n, Entry* entries
) noexcept nogil:
    """entries[:n] become the places 0..n-1 of these rows, sorted by value, each under the bin of its value."""
    cdef uint32_t counts[MAX_BINS]
    cdef uint32_t code, count, offset = 0
    cdef uint32_t n_values = <uint32_t> features.n_values[feature]
    cdef index_t place
    memset(counts, 0, n_values * sizeof(uint32_t))
    for place in range(n):
        counts[features.codes[rows[place], feature]] += 1
    for code in range(n_values):
        count = counts[code]
        counts[code] = offset
        offset += count
    # counts[code] is the place of the next entry of that bin.
    for place in range(n):
        code = features.codes[rows[place], feature]
        entries[counts[code]] = packed(code, place, entries[0])
        counts[code] += 1


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
    if partition.features.narrow_ranks.shape[0] > 0:
        _sort_by_rank(
            &partition.features.narrow_ranks[feature, 0], &partition.rows[start], stop - start, entries, spare
        )
    else:
        _sort_by_rank(&partition.features.wide_ranks[feature, 0], &partition.rows[start], stop - start, entries, spare)
    return entries


cdef void _sort_by_rank(
    const Rank* ranks, const index_t* places, index_t n, Entry* entries, Entry* spare
) noexcept nogil:
    cdef index_t i
    for i in range(n):
        entries[i] = packed(ranks[places[i]], places[i], entries[0])
    sort_entries(entries, spare, n)


cdef index_t count_missing(
    RowPartition partition, Block block, index_t feature, const Entry* entries, index_t n
) noexcept nogil:
    """Return how many of the sorted entries lack the value: they are the last."""
    cdef index_t n_missing = 1
    if not partition.features.lacks_values[feature] or not isnan(
        partition.X[block_row(partition, block, place_of(entries[n - 1])), feature]
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
    if features.narrow_rows.shape[0] > 0:
        return _have_ranks(&features.narrow_rows[0, feature], features.n_features, rows, n)
    if features.wide_rows.shape[0] > 0:
        return _have_ranks(&features.wide_rows[0, feature], features.n_features, rows, n)
    if features.narrow_ranks.shape[0] > 0:
        return _have_ranks(&features.narrow_ranks[feature, 0], 1, rows, n)
    return _have_ranks(&features.wide_ranks[feature, 0], 1, rows, n)


cdef inline bint _have_ranks(const Rank* ranks, Py_ssize_t stride, const index_t* rows, index_t n) noexcept nogil:
    cdef index_t i
    for i in range(1, n):
        if ranks[rows[i] * stride] != ranks[rows[0] * stride]:
            return True
    return False


cdef inline bint _has_cut(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t min_samples_leaf,
    const Entry* width
) noexcept nogil:
    cdef const Entry* entries = entries_of(partition, block, feature, start, stop, width)
    cdef index_t n = stop - start
    return missing_has_cut(
        entries, n, missing_of(partition, block, feature, entries, n), min_samples_leaf
    )


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
    cdef uint32_t last_rank
    if missing_left:
        mark_at_most(partition, feature, partition.X[last_left, feature], True, start, stop)
    elif partition.features.narrow_ranks.shape[0] > 0:
        last_rank = partition.features.narrow_ranks[feature, last_left]
        for i in range(start, stop):
            row = partition.rows[i]
            partition.goes_left[row] = partition.features.narrow_ranks[feature, row] <= last_rank
    else:
        last_rank = partition.features.wide_ranks[feature, last_left]
        for i in range(start, stop):
            row = partition.rows[i]
            partition.goes_left[row] = partition.features.wide_ranks[feature, row] <= last_rank


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


cdef void mark_at_most(
    RowPartition partition, index_t feature, float64_t threshold, bint missing_left, index_t start, index_t stop
) noexcept nogil:
    """Mark for the left side the rows whose value is at most the threshold and, if missing values go left, the rows
    that lack the value."""
    cdef index_t i, row
    for i in range(start, stop):
        row = partition.rows[i]
        partition.goes_left[row] = partition.X[row, feature] <= threshold
    if missing_left:
        for i in range(start, stop):
            row = partition.rows[i]
            partition.goes_left[row] |= isnan(partition.X[row, feature])


cdef void split_rows(RowPartition partition, index_t start, index_t stop) noexcept nogil:
    """Divide `rows` as they were marked, order kept on both sides."""
    _divide(&partition.rows[start], &partition.spare_rows[0], &partition.goes_left[0], stop - start)


cdef inline void _divide(Sample* samples, Sample* spare, const uint8_t* goes_left, index_t n) noexcept nogil:
    cdef index_t i, left = 0, right = 0
    cdef Sample sample
    # samples[:left] are the left ones met so far, spare[:right] the right ones; left <= i.
    for i in range(n):
        sample = samples[i]
        samples[left] = sample
        spare[right] = sample
        left += goes_left[place_of_sample(sample)]
        right += 1 - goes_left[place_of_sample(sample)]
    memcpy(samples + left, spare, right * sizeof(Sample))


cdef void split_entries(
    RowPartition partition, Block block, index_t start, index_t stop, bint keeps_left, bint keeps_right
) noexcept nogil:
    """Divide every sorted feature as the places were marked, order kept; a side that is not kept is lost."""
    if partition.is_ranked:
        return
    if partition.is_wide:
        _split_features(partition, block, start, stop, keeps_left, keeps_right, &partition.spare_wide[0])
    else:
        _split_features(partition, block, start, stop, keeps_left, keeps_right, &partition.spare_narrow[0])


cdef inline void _split_features(
    RowPartition partition, Block block, index_t start, index_t stop, bint keeps_left, bint keeps_right, Entry* spare
) noexcept nogil:
    cdef const uint8_t* goes_left = &partition.goes_left[0]
    cdef index_t i, feature, kept, n = stop - start
    cdef Entry* entries
    cdef Entry entry
    for feature in range(<index_t> partition.n_features):
        entries = entries_of(partition, block, feature, start, stop, spare)
        if keeps_left and keeps_right:
            _divide(entries, spare, goes_left, n)
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


# ------------------------------------------------------------------------------------------------------ from Python

def rank_features(const float64_t[:, ::1] X):
    """Sort the samples by every feature, and rank their values.

    Returns two arrays (n_features, n_rows).
    """
    cdef Py_ssize_t n_rows = X.shape[0]
    cdef bint is_wide = n_rows > MOST_IN_NARROW
    cdef RowPartition partition = RowPartition(Features(X, False), np.arange(n_rows), n_rows, False, is_wide)
    cdef index_t[:, ::1] rows = np.empty((X.shape[1], n_rows), dtype=np.int32)
    cdef index_t[:, ::1] ranks = np.empty((X.shape[1], n_rows), dtype=np.int32)
    cdef Block block
    if n_rows == 0:
        return np.asarray(rows), np.asarray(ranks)
    with nogil:
        block = open_block(partition, 0, <index_t> n_rows)
        if is_wide:
            _list_ranks(partition, block, rows, ranks, <const uint64_t*> NULL)
        else:
            _list_ranks(partition, block, rows, ranks, <const uint32_t*> NULL)
    return np.asarray(rows), np.asarray(ranks)


cdef void _list_ranks(
    RowPartition partition, Block block, index_t[:, ::1] rows, index_t[:, ::1] ranks, const Entry* width
) noexcept nogil:
    cdef index_t i, feature
    cdef const Entry* entries
    for feature in range(<index_t> partition.n_features):
        entries = entries_of(partition, block, feature, block.start, block.stop, width)
        for i in range(block.stop):
            rows[feature, i] = place_of(entries[i])
            ranks[feature, i] = <index_t> key_of(entries[i])
