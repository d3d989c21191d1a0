"""The table of values: their keys and ranks, and rows in the order of a feature. See `features.pxd` for the arrays."""

import numpy as np

cimport cython
from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, floor, isnan
from libc.string cimport memset

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.sizes cimport (
    FEWEST_FOR_LONG_DIGITS, MAX_BINS, MOST_IN_NARROW, MOST_IN_THREE_BYTES, MOST_IN_WORDS,
)
from pytrees._core.base.sorting cimport INSERTION_LENGTH, key_of, packed, place_of, sort_by_digits, sort_entries
from pytrees._core.base.types cimport (
    UNLIMITED, float32_t, float64_t, index_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t,
)

cdef enum:
    # Words of so many features are written at once, from rows that are prefetched: neighbours in memory.
    MOST_WRITTEN_AT_ONCE = 8
    ROWS_PREFETCHED = 16
    PLACE_BITS = 14
    PLACE_MASK = (1 << PLACE_BITS) - 1
    # Words are sorted by two digits, then values with equal digits are compared.
    SHORT_DIGIT_BITS = 7
    LONG_DIGIT_BITS = 9

ctypedef fused Value:
    float32_t
    float64_t

cdef float64_t GREATEST_KEY = 4294967295.0


@cython.final
cdef class Features:
    def __cinit__(self, X, n_categories=None):
        """X has float64 or float32, in any layout."""
        cdef bint may_lack_values
        X = np.asarray(X)
        self.is_single = X.dtype == np.float32
        self.doubles = np.empty((0, 0)) if self.is_single else X
        self.singles = X if self.is_single else np.empty((0, 0), dtype=np.float32)
        self.n_rows, self.n_features = X.shape
        self.n_categories = _checked_categories(self, n_categories)
        self.smallest = np.zeros(self.n_features)
        self.largest = np.zeros(self.n_features)
        self.spans = np.zeros(self.n_features)
        self.key_scales = np.zeros(self.n_features)
        self.ranks = np.empty(0, dtype=np.uint8)
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

    def rank(self, bint by_row):
        """Rank every value among the feature's distinct values, feature after feature or row after row."""
        cdef Py_ssize_t n_more, n_bytes
        cdef index_t[::1] rows = np.arange(self.n_rows, dtype=np.int32)
        cdef uint64_t[:, ::1] keyed = np.empty((2, self.n_rows + 1), dtype=np.uint64)
        cdef index_t feature, i, n = <index_t> self.n_rows
        cdef int64_t unchecked = 0
        cdef uint32_t* of_row = <uint32_t*> &keyed[1, 0]
        cdef uint8_t* rank
        n_bytes = 2 if n <= MOST_IN_NARROW else 3 if n <= MOST_IN_THREE_BYTES else 4
        self.rank_bits = <uint32_t> ((<uint64_t> 1 << 8 * n_bytes) - 1)
        # Words of four bytes are written in ascending order, over what follows a rank: an unwritten one, or room.
        n_more = sizeof(uint32_t) - n_bytes
        self.row_step = self.n_features * n_bytes + n_more if by_row else n_bytes
        self.feature_step = n_bytes if by_row else self.n_rows * n_bytes
        self.ranks = np.empty(
            (self.n_rows * self.row_step if by_row else self.n_features * self.feature_step) + n_more, dtype=np.uint8
        )
        with nogil:
            for feature in range(<index_t> self.n_features if n > 0 else 0):
                check_signals(&unchecked, n, ENTRIES_BETWEEN_CHECKS)
                sort_by_value(self, feature, &rows[0], n, &keyed[0, 0], &keyed[1, 0])
                for i in range(n):
                    of_row[place_of(keyed[0, i])] = key_of(keyed[0, i])
                rank = &self.ranks[feature * self.feature_step]
                for i in range(n):
                    rank[0] = <uint8_t> of_row[i]
                    rank[1] = <uint8_t> (of_row[i] >> 8)
                    rank[2] = <uint8_t> (of_row[i] >> 16)
                    rank[3] = <uint8_t> (of_row[i] >> 24)
                    rank += self.row_step

    def put_in_order(self, bint keeps_ranks):
        """Sort all features once for many trees; a table of at most MOST_IN_NARROW rows. `keeps_ranks`: lay the ranks
        of every row side by side, too."""
        cdef index_t feature, i, n = <index_t> self.n_rows
        cdef index_t[::1] rows = np.arange(n, dtype=np.int32)
        cdef uint64_t[:, ::1] scratch = np.empty((2, n), dtype=np.uint64)
        cdef Py_ssize_t stride = rank_stride_of(self) if keeps_ranks else 0
        cdef int64_t unchecked = 0
        self.in_order = np.empty((self.n_features, n), dtype=np.uint32)
        self.ranks_in_order = np.zeros((n if keeps_ranks else 0, stride), dtype=np.int16)
        with nogil:
            for feature in range(<index_t> self.n_features if n > 0 else 0):
                check_signals(&unchecked, n, ENTRIES_BETWEEN_CHECKS)
                sort_by_value(self, feature, &rows[0], n, &scratch[0, 0], &scratch[1, 0])
                for i in range(n):
                    self.in_order[feature, i] = packed(
                        key_of(scratch[0, i]), place_of(scratch[0, i]), self.in_order[feature, i]
                    )
                if keeps_ranks:
                    write_ranks(&self.ranks_in_order[0, feature], stride, &self.in_order[feature, 0], n)


cdef _checked_categories(Features features, n_categories):
    """Return the numbers of categories as an array, empty for None; check that all values are codes 0, 1, ...,
    n_categories - 1."""
    cdef Py_ssize_t feature, row
    cdef int64_t n_codes
    cdef float64_t value
    if n_categories is None:
        return np.empty(0, dtype=np.int64)
    checked = np.array(n_categories, dtype=np.int64)
    if checked.shape != (features.n_features,):
        raise ValueError(
            f"n_categories must have {features.n_features} numbers, one for every feature, got {len(n_categories)}."
        )
    for feature in range(features.n_features):
        n_codes = checked[feature]
        if not 0 <= n_codes <= UNLIMITED:
            raise ValueError(f"n_categories of feature {feature} must be in 0..{UNLIMITED}, got {n_codes}.")
        for row in range(features.n_rows if n_codes > 0 else 0):
            value = value_at(features, row, feature)
            if not (0 <= value < n_codes and value == floor(value)):
                raise ValueError(f"Feature {feature} has the categories 0..{n_codes - 1}, but row {row} has {value}.")
    return checked


# ---------------------------------------------------------------------------------------------------------- values

cdef bint _find_ranges(Features features) noexcept nogil:
    """Find the least and the greatest known value of every feature. Return whether values are missing or infinite."""
    if features.is_single:
        return _ranges_from(features, &features.singles[0, 0])
    return _ranges_from(features, &features.doubles[0, 0])


cdef inline bint _ranges_from(Features features, const Value* first) noexcept nogil:
    """Find ranges, as `_find_ranges` does, in a table with this first value: the difference of missing and infinite
    values to themselves is not zero."""
    cdef float64_t* smallest = &features.smallest[0]
    cdef float64_t* largest = &features.largest[0]
    cdef const char* of_row
    cdef float64_t value, differences = 0.0
    cdef Py_ssize_t row, feature, n_features = features.n_features
    cdef Py_ssize_t row_step = column_of(features, 0).step, step = step_of_features(features)
    features.smallest[:] = INFINITY
    features.largest[:] = -INFINITY
    for row in range(features.n_rows):
        of_row = <const char*> first + row * row_step
        # Missing values are neither smaller nor larger.
        for feature in range(n_features):
            value = (<const Value*> (of_row + feature * step))[0]
            smallest[feature] = value if value < smallest[feature] else smallest[feature]
            largest[feature] = value if value > largest[feature] else largest[feature]
            differences += value - value
    for feature in range(features.n_features):
        if smallest[feature] > largest[feature]:
            smallest[feature] = largest[feature] = 0.0
    return isnan(differences)


cdef void _set_keys(Features features) noexcept nogil:
    """Set the factors that make the differences to a feature's smallest value fit 32 bits."""
    cdef Py_ssize_t feature
    cdef float64_t span
    for feature in range(features.n_features):
        span = min(features.largest[feature] - features.smallest[feature], DBL_MAX)
        features.spans[feature] = span
        features.key_scales[feature] = min(GREATEST_KEY / span, DBL_MAX) if span > 0 else 0.0


cdef inline uint32_t _key_of_value(float64_t value, float64_t smallest, float64_t span, float64_t scale) noexcept nogil:
    """Return a key that ascends with the value; different values can share it. A missing value has some key."""
    cdef float64_t above = value - smallest
    return <uint32_t> ((above if above < span else span) * scale)


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
    cdef Column column = column_of(features, feature)
    cdef float64_t smallest = features.smallest[feature], span = features.spans[feature]
    cdef float64_t value, scale = features.key_scales[feature]
    cdef index_t place, n_known = 0
    cdef uint32_t n_ranks
    cdef bint has_missing = lacks_values(features, feature)
    for place in range(n):
        value = value_in(column, rows[place])
        # The next key replaces that of a missing value.
        keyed[n_known] = packed(_key_of_value(value, smallest, span, scale), place, keyed[0])
        n_known += not (has_missing and isnan(value))
    n_ranks = _sort_keys(features, feature, rows, n_known, keyed, spare)
    for place in range(n if has_missing else 0):
        if isnan(value_in(column, rows[place])):
            keyed[n_known] = packed(n_ranks, place, keyed[0])
            n_known += 1


cdef inline uint32_t _sort_keys(
    Features features, index_t feature, const index_t* rows, index_t n, uint64_t* keyed, uint64_t* spare
) noexcept nogil:
    """Sort places under the keys of their values, put them under the ranks, and return the next rank."""
    sort_entries(keyed, spare, n)
    return _rank_sorted(features, feature, rows, keyed, spare, n, 32, 0)


cdef uint32_t _rank_sorted(
    Features features, index_t feature, const index_t* rows, uint64_t* keyed, uint64_t* spare, index_t n, int shift,
    uint32_t rank
) noexcept nogil:
    """Put places that are sorted under keys under the ranks of their values, from `rank`, and return the next rank.
    If values share a key, their bits from `shift` on tell them apart, or the bits below do."""
    cdef Column column = column_of(features, feature)
    cdef index_t i, stop, start = 0
    cdef uint32_t key
    # keyed[:start] hold ranks below `rank`, and keyed[start:] greater values, still under their keys.
    while start < n:
        key = key_of(keyed[start])
        stop = start + 1
        while stop < n and key_of(keyed[stop]) == key:
            stop += 1
        if stop - start == 1 or _are_equal(column, rows, keyed + start, stop - start):
            for i in range(start, stop):
                keyed[i] = packed(rank, place_of(keyed[i]), keyed[0])
            rank += 1
        else:
            for i in range(start, stop):
                key = <uint32_t> (ascending_bits(value_in(column, rows[place_of(keyed[i])])) >> shift)
                keyed[i] = packed(key, place_of(keyed[i]), keyed[0])
            sort_entries(keyed + start, spare, stop - start)
            rank = _rank_sorted(features, feature, rows, keyed + start, spare, stop - start, shift - 32, rank)
        start = stop
    return rank


cdef inline bint _are_equal(Column column, const index_t* rows, const uint64_t* keyed, index_t n) noexcept nogil:
    cdef index_t i
    for i in range(1, n):
        if value_in(column, rows[place_of(keyed[i])]) != value_in(column, rows[place_of(keyed[0])]):
            return False
    return True


# ----------------------------------------------------------------------------------------------------------- words

# A word of 32 bits has a place below the upper bits of a key. Words are sorted faster than keys with all their bits.

cdef bint fits_words(Features features, index_t feature, index_t n) noexcept nogil:
    """Whether n rows can be sorted by the feature as words."""
    return n <= MOST_IN_WORDS and not lacks_values(features, feature)


cdef index_t write_words(
    Features features, index_t first, const index_t* rows, index_t n, uint32_t* words
) noexcept nogil:
    """Write the words of these rows by features [first, stop), feature after feature, and return `stop`."""
    cdef index_t place, feature, stop = <index_t> min(features.n_features, first + MOST_WRITTEN_AT_ONCE)
    # Locals, because the compiler does not know that writing words leaves the features as they are.
    cdef Column column = column_of(features, first)
    cdef const char* of_row
    cdef Py_ssize_t step = step_of_features(features)
    cdef const float64_t* smallest = &features.smallest[0]
    cdef const float64_t* spans = &features.spans[0]
    cdef const float64_t* scales = &features.key_scales[0]
    cdef uint32_t key
    for place in range(n):
        if place + ROWS_PREFETCHED < n:
            # Both lines of the cache in which the values can be.
            of_row = column.values + rows[place + ROWS_PREFETCHED] * column.step
            prefetch(of_row)
            prefetch(of_row + (stop - 1 - first) * step)
        of_row = column.values + rows[place] * column.step
        for feature in range(first, stop):
            key = _key_of_value(
                number_at(of_row + (feature - first) * step, column.is_single),
                smallest[feature], spans[feature], scales[feature],
            )
            words[(feature - first) * n + place] = key >> PLACE_BITS << PLACE_BITS | <uint32_t> place
    return stop


cdef void sort_words(
    Features features, index_t feature, const index_t* rows, uint32_t* words, index_t n, uint32_t* spare,
    uint64_t* keyed, uint64_t* spare_keyed
) noexcept nogil:
    """Sort words by value, and make them entries: places under the ranks of their values."""
    cdef uint32_t counts[2 << LONG_DIGIT_BITS]
    if n <= INSERTION_LENGTH:
        _rank_few(column_of(features, feature), rows, words, n, 0)
    elif n < FEWEST_FOR_LONG_DIGITS:
        sort_by_digits(words, spare, n, 32 - 2 * SHORT_DIGIT_BITS, SHORT_DIGIT_BITS, 2, counts)
        _rank_words(features, feature, rows, words, n, 32 - 2 * SHORT_DIGIT_BITS, keyed, spare_keyed)
    else:
        sort_by_digits(words, spare, n, 32 - 2 * LONG_DIGIT_BITS, LONG_DIGIT_BITS, 2, counts)
        _rank_words(features, feature, rows, words, n, 32 - 2 * LONG_DIGIT_BITS, keyed, spare_keyed)


cdef inline void _rank_words(
    Features features, index_t feature, const index_t* rows, uint32_t* words, index_t n, int shift, uint64_t* keyed,
    uint64_t* spare
) noexcept nogil:
    """Make words entries that are sorted by their bits from `shift` on."""
    cdef Column column = column_of(features, feature)
    cdef index_t stop, start = 0
    cdef uint32_t rank = 0
    # words[:start] are entries with ranks below `rank`, and words[start:] have greater values.
    while start < n:
        # Nearly all values differ from their neighbours in a digit.
        while start + 1 < n and words[start] >> shift != words[start + 1] >> shift:
            words[start] = packed(rank, words[start] & PLACE_MASK, words[0])
            rank += 1
            start += 1
        stop = start + 1
        while stop < n and words[stop] >> shift == words[start] >> shift:
            stop += 1
        if stop - start <= INSERTION_LENGTH:
            rank = _rank_few(column, rows, words + start, stop - start, rank)
        else:
            rank = _rank_many(features, feature, rows, words + start, stop - start, rank, keyed, spare)
        start = stop


cdef inline uint32_t _rank_few(
    Column column, const index_t* rows, uint32_t* words, index_t n, uint32_t rank
) noexcept nogil:
    """Make at most INSERTION_LENGTH words, whose places ascend, sorted entries with ranks from `rank`; return the next
    rank."""
    cdef float64_t[INSERTION_LENGTH] known
    cdef float64_t value
    cdef uint32_t word
    cdef index_t i, hole
    for i in range(n):
        word = words[i]
        value = value_in(column, rows[word & PLACE_MASK])
        hole = i
        while hole > 0 and known[hole - 1] > value:
            known[hole] = known[hole - 1]
            words[hole] = words[hole - 1]
            hole -= 1
        known[hole] = value
        words[hole] = word
    for i in range(n):
        rank += i > 0 and known[i] != known[i - 1]
        words[i] = packed(rank, words[i] & PLACE_MASK, words[0])
    return rank + 1


cdef uint32_t _rank_many(
    Features features, index_t feature, const index_t* rows, uint32_t* words, index_t n, uint32_t rank, uint64_t* keyed,
    uint64_t* spare
) noexcept nogil:
    """Make words entries, as `_rank_few` does."""
    cdef float64_t smallest = features.smallest[feature], span = features.spans[feature]
    cdef float64_t scale = features.key_scales[feature]
    cdef Column column = column_of(features, feature)
    cdef index_t i, place
    cdef uint32_t n_ranks
    for i in range(n):
        place = words[i] & PLACE_MASK
        keyed[i] = packed(_key_of_value(value_in(column, rows[place]), smallest, span, scale), place, keyed[0])
    n_ranks = _sort_keys(features, feature, rows, n, keyed, spare)
    for i in range(n):
        words[i] = packed(rank + key_of(keyed[i]), place_of(keyed[i]), words[0])
    return rank + n_ranks


# ------------------------------------------------------------------------------------------------- codes and ranks

cdef void sort_by_code(
    Features features, index_t feature, const index_t* rows, index_t n, uint32_t* entries
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


cdef void write_ranks(int16_t* ranks, Py_ssize_t stride, const uint32_t* entries, index_t n) noexcept nogil:
    """Write the ranks of sorted entries, less 2**15, by place."""
    cdef index_t i
    for i in range(n):
        ranks[place_of(entries[i]) * stride] = <int16_t> (<int32_t> key_of(entries[i]) - 32768)
