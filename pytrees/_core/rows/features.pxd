"""The table of values, which the trees of a forest share.

A key of 32 bits ascends with a feature's values, but different values can share it. A rank tells them apart. Missing
values are NaN, and the last in every order.
"""

cimport cython

from libc.string cimport memcpy

from pytrees._core.base.compiler cimport word_at
from pytrees._core.base.types cimport float32_t, float64_t, index_t, int16_t, int64_t, uint8_t, uint32_t, uint64_t


cdef enum:
    # Entries that are sorted or searched between two checks for signals: some tenths of a second at most.
    ENTRIES_BETWEEN_CHECKS = 1000000


@cython.final
cdef class Features:
    """Values that the trees of a forest share, and their ranks if trees look at few features a node."""

    cdef readonly Py_ssize_t n_rows, n_features
    # The table as it was given, in any layout: of doubles or, if `is_single`, of singles; the other one is empty.
    cdef const float64_t[:, :] doubles
    cdef const float32_t[:, :] singles
    cdef bint is_single
    cdef float64_t[::1] smallest, largest   # known values of every feature; 0 if none is known
    cdef readonly bint has_missing          # whether a numeric feature has missing values, which are NaN
    cdef uint8_t[::1] lacks_values          # by feature, if has_missing: whether it has missing values
    # value -> (value - smallest) * key_scale keeps the order of a feature's values in 32 bits. A span is the difference
    # of the largest and the smallest value, or the greatest number if that is infinite.
    cdef float64_t[::1] spans, key_scales
    cdef readonly int64_t[::1] n_categories     # of every feature, 0 of numeric ones; empty if all are numeric
    # The ranks of all values, in 2 to 4 bytes each, the lowest first; empty if blocks are sorted. Neighbouring rows and
    # features are so many bytes apart, and a word of four bytes has a rank in its lowest bits.
    cdef uint8_t[::1] ranks
    cdef Py_ssize_t row_step, feature_step
    cdef uint32_t rank_bits
    # The bins of the values, see fast/histogram.pxd, and the number of values of each feature that has a bin for every
    # value, 0 for other features; both empty without bins.
    cdef uint8_t[:, ::1] codes
    cdef index_t[::1] n_values
    # By feature: the ranks of all values above their rows, as sorted entries of 32 bits, if many trees sort them and
    # ranks and rows are narrow; otherwise empty.
    cdef uint32_t[:, ::1] in_order
    # The ranks in these orders, less 2**15, by row and feature, `rank_stride_of` apart, if nodes of few samples compare
    # ranks; otherwise empty.
    cdef int16_t[:, ::1] ranks_in_order


# A feature's values for a loop that reads many of them.
cdef struct Column:
    const char* values      # the first row's
    Py_ssize_t step         # bytes from row to row
    bint is_single


cdef inline float64_t value_at(Features features, Py_ssize_t row, Py_ssize_t feature) noexcept nogil:
    return features.singles[row, feature] if features.is_single else features.doubles[row, feature]


cdef inline Column column_of(Features features, Py_ssize_t feature) noexcept nogil:
    """Return a feature of a table that has rows."""
    cdef Column column
    column.is_single = features.is_single
    if features.is_single:
        column.values, column.step = <const char*> &features.singles[0, feature], features.singles.strides[0]
    else:
        column.values, column.step = <const char*> &features.doubles[0, feature], features.doubles.strides[0]
    return column


cdef inline Py_ssize_t step_of_features(Features features) noexcept nogil:
    """Return the bytes from feature to feature."""
    return features.singles.strides[1] if features.is_single else features.doubles.strides[1]


cdef inline float64_t number_at(const char* place, bint is_single) noexcept nogil:
    return (<const float32_t*> place)[0] if is_single else (<const float64_t*> place)[0]


cdef inline float64_t value_in(Column column, Py_ssize_t row) noexcept nogil:
    return number_at(column.values + row * column.step, column.is_single)


cdef inline Py_ssize_t rank_stride_of(Features features) noexcept nogil:
    """Return how far apart the ranks of two samples are if features are compared eight at a time."""
    return (features.n_features + 7) // 8 * 8


cdef inline uint64_t ascending_bits(float64_t value) noexcept nogil:
    """Unsigned integers in the order of the doubles: flip all bits of negative ones, the sign bit of the others."""
    cdef uint64_t bits
    value += 0.0    # turns -0.0 into 0.0, its equal
    memcpy(&bits, &value, sizeof(bits))
    return bits ^ (((<uint64_t> 0) - (bits >> 63)) | (<uint64_t> 1 << 63))


cdef inline bint is_ranked(Features features) noexcept nogil:
    return features.ranks.shape[0] > 0


cdef inline uint32_t rank_at(Features features, Py_ssize_t row, Py_ssize_t feature) noexcept nogil:
    return word_at(&features.ranks[row * features.row_step + feature * features.feature_step]) & features.rank_bits


cdef inline bint lacks_values(Features features, index_t feature) noexcept nogil:
    return features.has_missing and features.lacks_values[feature]


cdef inline bint is_categorical(Features features, index_t feature) noexcept nogil:
    return features.n_categories.shape[0] > 0 and features.n_categories[feature] > 0


cdef float64_t threshold_between(float64_t below, float64_t above) noexcept nogil
cdef void sort_by_value(
    Features features, index_t feature, const index_t* rows, index_t n, uint64_t* keyed, uint64_t* spare
) noexcept nogil
cdef bint fits_words(Features features, index_t feature, index_t n) noexcept nogil
cdef index_t write_words(
    Features features, index_t first, const index_t* rows, index_t n, uint32_t* words
) noexcept nogil
cdef void sort_words(
    Features features, index_t feature, const index_t* rows, uint32_t* words, index_t n, uint32_t* spare,
    uint64_t* keyed, uint64_t* spare_keyed
) noexcept nogil
cdef void sort_by_code(
    Features features, index_t feature, const index_t* rows, index_t n, uint32_t* entries
) noexcept nogil
cdef void write_ranks(int16_t* ranks, Py_ssize_t stride, const uint32_t* entries, index_t n) noexcept nogil
