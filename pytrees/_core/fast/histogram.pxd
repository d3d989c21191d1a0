"""How many samples of each class does a node have in every bin of a feature? The bins are those of the whole table.

`Bins` cuts every feature into at most 256 bins of neighbouring values, once for all trees of a forest. `codes`, by row
and feature, holds the bin of every value in 8 bits. A bin of one value needs no look at the values; in other bins,
which are mixed, cuts inside the bin may be better. The values that are missing have a bin of their own, the last.

`Histograms` counts the samples of nodes. The counts of one node fill a slot: 32-bit numbers by bin and class,
feature after feature:

    feature 0: | bin 0: class 0, class 1, ... | bin 1: class 0, ... | ...  feature 1: | bin 0: ...

If samples have weights, every bin has one more column, the number of samples. If classes are numbers, a bin has sums of
them in place of counts, a `BinSums`. Slots are taken from, and given back to,
a stock that all threads share. The counts of one child are the node's counts less the other child's.
"""

cimport cython
from cpython.pythread cimport PyThread_type_lock

from pytrees._core.base.sizes cimport MAX_BINS
from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t, uint8_t, uint64_t
from pytrees._core.rows.features cimport Features
from pytrees._core.rows.partition cimport RowPartition

cdef enum:
    N_CELLS = 1024
    ROWS_PREFETCHED = 16        # before their bins are read
    COLUMNS_OF_SUMS = 8         # of a BinSums


cdef struct FeatureBins:
    index_t n_bins
    index_t missing_bin                 # the last, of missing values; or NONE
    Py_ssize_t first                    # of the feature's bins among the bins of all features
    uint8_t is_mixed[MAX_BINS]          # whether the bin holds different values
    bint is_coded                       # few whole numbers: their bins need none of the following
    # A value's bin is the number of edges below it, the edges being the last values of bins. The feature's range has
    # equal parts, the cells: n_edges_below[c] edges lie below all values of cell c, and at most 2 * first_step - 1 more
    # below some of them. Edges behind the last one are infinite.
    float64_t edges[2 * MAX_BINS]
    float64_t half_smallest, cells_per_half
    index_t first_step
    uint8_t n_edges_below[N_CELLS]
    float64_t members[MAX_BINS]         # a value of each bin


# The header of a node's counts, which lie behind it: for every bin the weight of each class and, if samples are
# weighted, the number of samples.
cdef struct Slot:
    Slot* next_of_all
    Slot* next_free


# The sums of a bin's samples if classes are targets, which are numbers. Seven columns come before the number of
# samples, as class counts do if samples are weighted. Two classes whose weights add up to much are targets, too: 0 and
# 1.
cdef struct BinSums:
    int64_t weight, sum
    int64_t squares                     # weighted, of the targets in units that leave them some 18 bits, rounded up
    int32_t unused, n_samples


cdef inline int64_t zeros_of(const BinSums* sums) noexcept nogil:
    """Return the weight of the first of two classes, whose targets are 0 and 1."""
    return sums.weight - sums.sum


@cython.final
cdef class Bins:
    """The bins of every feature, which the trees of a forest share."""

    cdef readonly Py_ssize_t n_rows, n_features, n_bins
    cdef Features features
    cdef uint8_t[:, ::1] codes          # a row's bin in every feature
    cdef Py_ssize_t[::1] firsts         # of every feature's bins among the bins of all features
    cdef FeatureBins* of_feature


@cython.final
cdef class Slots:
    """Memory for the counts of any number of nodes, for all threads."""

    cdef Py_ssize_t size            # of a slot, in counts
    cdef Slot* all_slots
    cdef Slot* free_slots
    cdef PyThread_type_lock lock


@cython.final
cdef class Histograms:
    """The counts of the nodes that a thread is at."""

    cdef readonly Py_ssize_t n_columns
    cdef RowPartition partition
    cdef Bins bins
    cdef const index_t[::1] labels
    cdef const int64_t[::1] weights     # empty if every sample counts once
    cdef const int64_t[::1] targets     # by class, if classes are numbers; otherwise empty
    cdef int square_shift               # targets are squared in units of 2**square_shift
    # Scratch, zeros between calls, by bin of all features: the weights of two classes and the number of samples in one
    # word; empty if they are not counted in words.
    cdef uint64_t[::1] words
    cdef Slots slots


cdef bint may_be_whole_numbers(Features features, index_t feature, index_t span) noexcept nogil
cdef Slot* take_slot(Slots slots) except NULL nogil
cdef void give_back(Slots slots, Slot* slot) noexcept nogil
cdef int32_t* feature_counts(Histograms histograms, Slot* slot, index_t feature) noexcept nogil
cdef int count_rows(
    Histograms histograms, Slot* slot, index_t start, index_t stop, const index_t* features, index_t n_features
) except -1 nogil
cdef void subtract(Histograms histograms, Slot* slot, Slot* other) noexcept nogil
cdef index_t count_missing_by_bin(Histograms histograms, Slot* slot, index_t feature) noexcept nogil
cdef void mark_by_bins(
    Histograms histograms, index_t feature, index_t bin, float64_t threshold, bint missing_left, index_t start,
    index_t stop
) noexcept nogil


cdef inline index_t n_classes_of(Histograms histograms) noexcept nogil:
    return <index_t> histograms.n_columns - (histograms.weights.shape[0] > 0 or histograms.targets.shape[0] > 0)


cdef inline index_t rows_in_bin(const int32_t* counts, index_t n_classes, index_t n_columns) noexcept nogil:
    """Return the number of samples in a bin, whatever they weigh."""
    cdef index_t label, n_rows = counts[0]
    if n_columns > n_classes:
        return counts[n_classes]
    for label in range(1, n_classes):
        n_rows += counts[label]
    return n_rows
