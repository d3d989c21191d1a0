"""Rank-coded features, and the partition of a node's rows that keeps every order it finds."""

import numpy as np

cimport cython
from libc.string cimport memcpy, memset

from pytrees._core.types cimport float64_t, index_t, uint64_t

cdef enum:
    DIGIT_BITS = 8
    N_DIGITS = 8
    N_DIGIT_VALUES = 256

_ENTRY = np.dtype([("row", np.int32), ("rank", np.int32)])
_SORT_KEY = np.dtype([("bits", np.uint64), ("row", np.int32)], align=True)


@cython.final
cdef class RowPartition:
    def __cinit__(self, const float64_t[:, ::1] X):
        self.X = X
        self.n_rows = X.shape[0]
        self.n_features = X.shape[1]
        self.rows = np.arange(self.n_rows, dtype=np.int32)
        self.spare_rows = np.empty(self.n_rows, dtype=np.int32)
        self.entries = np.empty((self.n_features, self.n_rows), dtype=_ENTRY)
        self.spare_entries = np.empty(self.n_rows, dtype=_ENTRY)
        self.goes_left = np.empty(self.n_rows, dtype=np.uint8)
        cdef SortKey[::1] keys = np.empty(self.n_rows, dtype=_SORT_KEY)
        cdef SortKey[::1] spare_keys = np.empty(self.n_rows, dtype=_SORT_KEY)
        cdef uint64_t[:, ::1] counts = np.empty((N_DIGITS, N_DIGIT_VALUES), dtype=np.uint64)
        cdef index_t feature
        if self.n_rows == 0:
            return
        with nogil:
            for feature in range(self.n_features):
                _sort_feature(self, feature, keys, spare_keys, counts)


cdef inline uint64_t _ascending_bits(float64_t value) noexcept nogil:
    """Unsigned integers in the order of the doubles: flip all bits of negative ones, the sign bit of the others."""
    cdef uint64_t bits
    value += 0.0    # turns -0.0 into 0.0, its equal
    memcpy(&bits, &value, sizeof(bits))
    return bits ^ (((<uint64_t> 0) - (bits >> 63)) | (<uint64_t> 1 << 63))


cdef void _sort_feature(
    RowPartition partition, index_t feature, SortKey[::1] keys, SortKey[::1] spare_keys, uint64_t[:, ::1] counts
) noexcept nogil:
    """Stable radix sort, least significant digit first; digits that all values share cost nothing."""
    cdef index_t row, rank, n_rows = <index_t> partition.n_rows
    cdef uint64_t bits
    cdef int digit
    cdef bint in_spare = False
    memset(&counts[0, 0], 0, N_DIGITS * N_DIGIT_VALUES * sizeof(uint64_t))
    for row in range(n_rows):
        bits = _ascending_bits(partition.X[row, feature])
        keys[row].bits = bits
        keys[row].row = row
        for digit in range(N_DIGITS):
            counts[digit, (bits >> (digit * DIGIT_BITS)) & (N_DIGIT_VALUES - 1)] += 1
    for digit in range(N_DIGITS):
        bits = (keys[0].bits >> (digit * DIGIT_BITS)) & (N_DIGIT_VALUES - 1)
        if counts[digit, bits] == <uint64_t> n_rows:
            continue
        if in_spare:
            _sort_by_digit(spare_keys, keys, counts, n_rows, digit)
        else:
            _sort_by_digit(keys, spare_keys, counts, n_rows, digit)
        in_spare = not in_spare
    if in_spare:
        memcpy(&keys[0], &spare_keys[0], n_rows * sizeof(SortKey))
    rank = 0
    for row in range(n_rows):
        if row > 0 and keys[row].bits != keys[row - 1].bits:
            rank += 1
        partition.entries[feature, row].row = keys[row].row
        partition.entries[feature, row].rank = rank


cdef void _sort_by_digit(
    SortKey[::1] source, SortKey[::1] target, uint64_t[:, ::1] counts, index_t n_rows, int digit
) noexcept nogil:
    cdef uint64_t value, count, offset = 0
    cdef index_t i
    for value in range(<uint64_t> N_DIGIT_VALUES):
        count = counts[digit, value]
        counts[digit, value] = offset
        offset += count
    # counts[digit, v] is where the next key with digit v goes.
    for i in range(n_rows):
        value = (source[i].bits >> (digit * DIGIT_BITS)) & (N_DIGIT_VALUES - 1)
        target[counts[digit, value]] = source[i]
        counts[digit, value] += 1


cdef float64_t threshold_between(RowPartition partition, index_t feature, index_t last_left) noexcept nogil:
    """Between the value at this place of the sorted feature and the next one, which is greater."""
    cdef float64_t below = partition.X[partition.entries[feature, last_left].row, feature]
    cdef float64_t above = partition.X[partition.entries[feature, last_left + 1].row, feature]
    cdef float64_t middle = 0.5 * below + 0.5 * above
    if not below <= middle < above:
        middle = below
    return middle + 0.0     # one zero only


cdef void split_rows(
    RowPartition partition, index_t start, index_t stop, index_t feature, index_t n_left
) noexcept nogil:
    """Send the first n_left rows of the sorted feature left: mark them, and divide `rows`, order kept on both sides."""
    cdef index_t i, row, left = start, right = 0
    for i in range(start, stop):
        partition.goes_left[partition.entries[feature, i].row] = i < start + n_left
    # rows[start:left] are the left rows met so far, spare_rows[:right] the right ones; left <= i.
    for i in range(start, stop):
        row = partition.rows[i]
        partition.rows[left] = row
        partition.spare_rows[right] = row
        left += partition.goes_left[row]
        right += 1 - partition.goes_left[row]
    if right > 0:
        memcpy(&partition.rows[left], &partition.spare_rows[0], right * sizeof(index_t))


cdef void split_entries(RowPartition partition, index_t start, index_t stop) noexcept nogil:
    """Divide every sorted feature as the rows were marked, order kept on both sides."""
    cdef index_t feature, i, left, right
    cdef Entry entry
    for feature in range(<index_t> partition.n_features):
        left = start
        right = 0
        # As in split_rows.
        for i in range(start, stop):
            entry = partition.entries[feature, i]
            partition.entries[feature, left] = entry
            partition.spare_entries[right] = entry
            left += partition.goes_left[entry.row]
            right += 1 - partition.goes_left[entry.row]
        if right > 0:
            memcpy(&partition.entries[feature, left], &partition.spare_entries[0], right * sizeof(Entry))


# ------------------------------------------------------------------------------------------------------- from Python

def rank_features(const float64_t[:, ::1] X):
    """For every feature the rows in ascending order of their value, and the ranks of these values.

    Returns two arrays (n_features, n_rows).
    """
    entries = np.asarray(RowPartition(X).entries)
    return entries["row"].copy(), entries["rank"].copy()
