"""Bins of the whole table, and the class counts of a node's bins. `histogram.pxd` describes the arrays."""

from itertools import pairwise

import numpy as np

cimport cython
from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
)
from libc.math cimport INFINITY, floor, isnan
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.sizes cimport MAX_BINS, MOST_WEIGHT_IN_BIN_WORDS, ROWS_OF_A_THREAD, SAMPLE_ROWS
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from pytrees._core.rows.features cimport (
    ENTRIES_BETWEEN_CHECKS, Column, Features, column_of, is_categorical, lacks_values, sort_by_value, value_at,
    value_in,
)
from pytrees._core.rows.partition cimport RowPartition, check_entries

from pytrees._core.base.threads import Stop, work_together

cdef enum:
    ROWS_LOOKED_AT = 64
    ROWS_OF_A_TILE = 128
    WORD_BITS = 21      # MOST_WEIGHT_IN_BIN_WORDS is 2**WORD_BITS - 1


@cython.final
cdef class Bins:
    def __cinit__(self, Features features, index_t max_bins, Py_ssize_t n_threads=1):
        cdef index_t feature
        cdef index_t[::1] sample
        cdef uint64_t[:, ::1] scratch
        cdef bint has_missing
        if not 2 <= max_bins <= MAX_BINS:
            raise ValueError(f"max_bins must be in 2..{MAX_BINS}, got {max_bins}.")
        self.features = features
        self.n_rows = features.n_rows
        self.n_features = features.n_features
        if np.isinf(features.smallest).any() or np.isinf(features.largest).any():
            raise ValueError("Infinite values have no bins.")
        self.codes = np.empty((self.n_rows, self.n_features), dtype=np.uint8)
        self.of_feature = <FeatureBins*> calloc(max(1, self.n_features), sizeof(FeatureBins))
        if self.of_feature == NULL:
            raise MemoryError("no memory for the bins of the features")
        sample = np.arange(0, self.n_rows, max(1, self.n_rows // SAMPLE_ROWS), dtype=np.int32)
        scratch = np.empty((2, sample.shape[0]), dtype=np.uint64)
        _code_whole_numbers(self, max_bins)
        with nogil:
            for feature in range(<index_t> self.n_features):
                self.of_feature[feature].missing_bin = NONE
                # Categories have no order, so neighbours cannot share a bin: they have no bins.
                if not is_categorical(features, feature) and not self.of_feature[feature].is_coded:
                    has_missing = lacks_values(features, feature)
                    _cut(self, feature, sample, max_bins - has_missing, &scratch[0, 0], &scratch[1, 0])
                    if has_missing:
                        self.of_feature[feature].missing_bin = self.of_feature[feature].n_bins
                        self.of_feature[feature].n_bins += 1
                self.of_feature[feature].first = self.n_bins
                self.n_bins += self.of_feature[feature].n_bins
        if self.n_features > 0:
            _code_on_threads(self, min(n_threads, 1 + self.n_rows // ROWS_OF_A_THREAD))
        self.firsts = np.array([self.of_feature[k].first for k in range(self.n_features)], dtype=np.intp)
        features.codes = self.codes
        features.n_values = np.array([_count_values(self, k) for k in range(self.n_features)], np.int32)

    def __dealloc__(self):
        free(self.of_feature)


@cython.final
cdef class Slots:
    def __cinit__(self, Py_ssize_t size):
        self.size = size
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError("no memory for a lock")

    def __dealloc__(self):
        cdef Slot* slot
        while self.all_slots != NULL:
            slot = self.all_slots
            self.all_slots = slot.next_of_all
            free(slot)
        if self.lock != NULL:
            PyThread_free_lock(self.lock)


@cython.final
cdef class Histograms:
    def __cinit__(
        self, RowPartition partition, Bins bins, labels, weights, Py_ssize_t n_classes, Histograms shared=None,
        targets=(), total_weight=0,
    ):
        """With `shared`, another thread's counts: both can take over each other's slots. With `targets` by class, bins
        hold their sums; the greatest target times the total weight of the samples is below 2**61."""
        self.partition = partition
        self.bins = bins
        self.labels = labels
        self.weights = np.empty(0, dtype=np.int64) if weights is None else weights
        self.n_columns = n_classes if weights is None else n_classes + 1
        self.targets = np.asarray(targets, dtype=np.int64)
        counts_in_words = (
            n_classes == 2 and weights is not None and self.targets.shape[0] == 0
            and total_weight <= MOST_WEIGHT_IN_BIN_WORDS
        )
        self.words = np.zeros(bins.n_bins if counts_in_words else 0, dtype=np.uint64)
        if self.targets.shape[0] > 0:
            self.n_columns = COLUMNS_OF_SUMS
            # Weights times squares add up to less than 2**62.
            most_bits = (62 - int(total_weight).bit_length()) // 2
            largest = max(-int(np.min(targets)), int(np.max(targets)))
            self.square_shift = max(0, largest.bit_length() - most_bits)
        self.slots = Slots(bins.n_bins * self.n_columns) if shared is None else shared.slots


# ------------------------------------------------------------------------------------------------------------- bins

cdef void _cut(
    Bins all_bins, index_t feature, const index_t[::1] sample, index_t max_bins, uint64_t* keyed, uint64_t* spare
) noexcept nogil:
    """Divide the feature into bins that end at values of the sampled rows. If `max_bins` allows it, each value has a
    bin of its own. Otherwise the bins hold about equally many rows, and frequent values have bins of their own."""
    cdef FeatureBins* bins = &all_bins.of_feature[feature]
    cdef index_t last[MAX_BINS + 2]
    cdef index_t i, wanted, n = <index_t> sample.shape[0]
    sort_by_value(all_bins.features, feature, &sample[0], n, keyed, spare)
    while n > 0 and isnan(value_at(all_bins.features, sample[place_of(keyed[n - 1])], feature)):
        n -= 1
    wanted = n // max_bins + 1
    if n > 0 and key_of(keyed[n - 1]) < <uint32_t> max_bins:
        wanted = 1
    bins.n_bins = _ends_of_bins(keyed, n, wanted, max_bins, last)
    while bins.n_bins > max_bins:
        wanted *= 2
        bins.n_bins = _ends_of_bins(keyed, n, wanted, max_bins, last)
    for i in range(2 * MAX_BINS):
        bins.edges[i] = INFINITY
    for i in range(bins.n_bins):
        bins.members[i] = value_at(all_bins.features, sample[place_of(keyed[last[i]])], feature)
        if i < bins.n_bins - 1:
            bins.edges[i] = bins.members[i]
    if bins.n_bins == 0:
        # Values may still be known outside the sample.
        bins.n_bins = 1
        bins.members[0] = all_bins.features.smallest[feature]
    _set_cells(bins, all_bins.features.smallest[feature], all_bins.features.largest[feature])


cdef inline index_t _cell(const FeatureBins* bins, float64_t value) noexcept nogil:
    """Monotone in the value, even when rounded. Computed from halves, so that the range cannot overflow."""
    return <index_t> ((0.5 * value - bins.half_smallest) * bins.cells_per_half)


cdef void _set_cells(FeatureBins* bins, float64_t smallest, float64_t largest) noexcept nogil:
    """Write the cells in which values are looked up, before the bin of missing values is added."""
    cdef float64_t half_range = 0.5 * largest - 0.5 * smallest
    cdef index_t cell, edge = 0, n_edges = bins.n_bins - 1, most_edges = 0, n_in_cell
    bins.half_smallest = 0.5 * smallest
    bins.cells_per_half = (N_CELLS - 1) / half_range if half_range > 1e-300 else 0.0
    for cell in range(N_CELLS):
        bins.n_edges_below[cell] = <uint8_t> edge
        n_in_cell = 0
        while edge < n_edges and _cell(bins, bins.edges[edge]) == cell:
            edge += 1
            n_in_cell += 1
        most_edges = max(most_edges, n_in_cell)
    bins.first_step = 1
    while 2 * bins.first_step - 1 < most_edges:
        bins.first_step *= 2


cdef index_t _ends_of_bins(
    const uint64_t* keyed, index_t n, index_t wanted, index_t max_bins, index_t* last
) noexcept nogil:
    """Write the ends of the bins in the sorted keyed[:n], and return how many there are: one or two more than max_bins
    if these do not suffice. A bin ends once it has the wanted number of rows, and before a value that alone has this
    number."""
    cdef index_t n_bins = 0, n_in_bin = 0, start = 0, stop
    while start < n and n_bins <= max_bins:
        stop = start + 1
        while stop < n and key_of(keyed[stop]) == key_of(keyed[start]):
            stop += 1
        if n_in_bin > 0 and stop - start >= wanted:
            last[n_bins] = start - 1
            n_bins += 1
            n_in_bin = 0
        n_in_bin += stop - start
        if n_in_bin >= wanted or stop == n:
            last[n_bins] = stop - 1
            n_bins += 1
            n_in_bin = 0
        start = stop
    return n_bins


cdef index_t _count_values(Bins bins, Py_ssize_t feature) noexcept:
    """Return how many values a numeric feature has, 0 if a bin holds several values, or values are missing."""
    cdef const FeatureBins* of_feature = &bins.of_feature[feature]
    cdef index_t bin
    if of_feature.missing_bin != NONE:
        return 0
    for bin in range(of_feature.n_bins):
        if of_feature.is_mixed[bin]:
            return 0
    return of_feature.n_bins


cdef bint may_be_whole_numbers(Features features, index_t feature, index_t span) noexcept nogil:
    """Whether a feature has only whole numbers, in a range of `span` numbers, as far as its least and greatest values
    and the values of some rows tell."""
    cdef float64_t smallest = features.smallest[feature], largest = features.largest[feature]
    cdef Py_ssize_t row = 0, step = 1 + features.n_rows // ROWS_LOOKED_AT
    cdef float64_t value
    if (
        is_categorical(features, feature) or lacks_values(features, feature)
        or not largest - smallest < span or smallest != floor(smallest)
    ):
        return False
    while row < features.n_rows:
        value = value_at(features, row, feature)
        if smallest + <int32_t> (value - smallest) != value:
            return False
        row += step
    return True


cdef _code_whole_numbers(Bins all_bins, index_t max_bins):
    """Give each value a bin of its own in features of few whole numbers, without sorting them."""
    cdef Py_ssize_t feature, first, n_rows = all_bins.n_rows
    cdef FeatureBins* bins = all_bins.of_feature
    cdef uint8_t[:, ::1] is_present = np.zeros((all_bins.n_features, MAX_BINS), dtype=np.uint8)
    cdef uint8_t[:, ::1] numbers = np.empty((all_bins.n_features, MAX_BINS), dtype=np.uint8)
    cdef bint has_absent = False
    cdef int64_t work_done = 0
    with nogil:
        for feature in range(all_bins.n_features):
            bins[feature].is_coded = may_be_whole_numbers(all_bins.features, <index_t> feature, max_bins)
        # In tiles as below. Differences to the smallest value serve as bins until the values that occur are known.
        for first from 0 <= first < n_rows by ROWS_OF_A_TILE:
            check_signals(&work_done, ROWS_OF_A_TILE * all_bins.n_features, ENTRIES_BETWEEN_CHECKS)
            for feature in range(all_bins.n_features):
                if bins[feature].is_coded:
                    bins[feature].is_coded = _code_differences(
                        all_bins, feature, first, min(first + ROWS_OF_A_TILE, n_rows), &is_present[feature, 0]
                    )
        for feature in range(all_bins.n_features):
            if bins[feature].is_coded:
                has_absent |= _number_present(&bins[feature], &is_present[feature, 0], &numbers[feature, 0])
        if not has_absent:
            n_rows = 0
        for first from 0 <= first < n_rows by ROWS_OF_A_TILE:
            check_signals(&work_done, ROWS_OF_A_TILE * all_bins.n_features, ENTRIES_BETWEEN_CHECKS)
            for feature in range(all_bins.n_features):
                if bins[feature].is_coded:
                    _renumber(all_bins, feature, first, min(first + ROWS_OF_A_TILE, n_rows), &numbers[feature, 0])


cdef bint _code_differences(
    Bins all_bins, Py_ssize_t feature, Py_ssize_t first, Py_ssize_t stop, uint8_t* is_present
) noexcept nogil:
    """Return whether these rows' values are whole numbers."""
    cdef Column column = column_of(all_bins.features, feature)
    cdef uint8_t* codes = &all_bins.codes[0, feature]
    cdef float64_t value, smallest = all_bins.features.smallest[feature]
    cdef Py_ssize_t row, n_features = all_bins.n_features
    cdef int32_t code
    cdef bint are_whole = True
    for row in range(first, stop):
        value = value_in(column, row)
        code = <int32_t> (value - smallest)
        # The difference may be rounded, but then the whole number smallest + code is not the value.
        are_whole &= smallest + code == value
        codes[row * n_features] = <uint8_t> code
        is_present[<uint8_t> code] = True
    return are_whole


cdef bint _number_present(FeatureBins* bins, const uint8_t* is_present, uint8_t* numbers) noexcept nogil:
    """Number the bins of the values that occur, and return whether some values in between do not occur."""
    cdef index_t code, last = 0
    for code in range(MAX_BINS):
        numbers[code] = <uint8_t> bins.n_bins
        bins.n_bins += is_present[code]
        last = code if is_present[code] else last
    return bins.n_bins <= last


cdef void _renumber(
    Bins all_bins, Py_ssize_t feature, Py_ssize_t first, Py_ssize_t stop, const uint8_t* numbers
) noexcept nogil:
    cdef uint8_t* codes = &all_bins.codes[0, feature]
    cdef Py_ssize_t row, n_features = all_bins.n_features
    for row in range(first, stop):
        codes[row * n_features] = numbers[codes[row * n_features]]


cdef _code_on_threads(Bins bins, Py_ssize_t n_threads):
    """Write the bin of every value; each thread codes an equal share of the rows."""
    ends = [bins.n_rows * k // n_threads for k in range(n_threads + 1)]
    shares = list(pairwise(ends))
    work_together(Stop(), _code_shares, [(bins, shares)] * n_threads)


def _code_shares(Bins bins, list shares):
    while shares:
        try:
            first, end = shares.pop()
        except IndexError:  # another thread has taken the last one
            return
        _code(bins, first, end)


cdef _code(Bins all_bins, Py_ssize_t first, Py_ssize_t end):
    """Write the bins of these rows' values, and mark the bins that hold different values."""
    cdef Py_ssize_t start, stop, feature
    cdef int64_t work_done = 0
    # Tiles of rows stay in the cache while their features are coded one by one.
    with nogil:
        for start from first <= start < end by ROWS_OF_A_TILE:
            stop = min(start + ROWS_OF_A_TILE, end)
            check_signals(&work_done, (stop - start) * all_bins.n_features, ENTRIES_BETWEEN_CHECKS)
            for feature in range(all_bins.n_features):
                if all_bins.of_feature[feature].is_coded:
                    continue
                if all_bins.of_feature[feature].missing_bin == NONE:
                    _code_feature(all_bins, feature, start, stop)
                else:
                    _code_known(all_bins, feature, start, stop)


cdef void _code_known(Bins all_bins, Py_ssize_t feature, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """Code a feature of which some values are missing."""
    cdef Py_ssize_t row
    for row in range(first, stop):
        if isnan(value_at(all_bins.features, row, feature)):
            all_bins.codes[row, feature] = <uint8_t> all_bins.of_feature[feature].missing_bin
        else:
            _code_feature(all_bins, feature, row, row + 1)


cdef void _code_feature(Bins all_bins, Py_ssize_t feature, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    cdef FeatureBins* bins = &all_bins.of_feature[feature]
    cdef Column column = column_of(all_bins.features, feature)
    cdef uint8_t* codes = &all_bins.codes[0, feature]
    cdef Py_ssize_t row, n_features = all_bins.n_features
    cdef index_t code, step, first_step = bins.first_step
    cdef float64_t value
    for row in range(first, stop):
        value = value_in(column, row)
        code = bins.n_edges_below[_cell(bins, value)]
        step = first_step
        # edges[:code] lie below the value; edges[code + 2 * step - 1] and the later ones do not.
        while step > 0:
            code += step * (bins.edges[code + step - 1] < value)
            step >>= 1
        codes[row * n_features] = <uint8_t> code
        # All threads write the same value here.
        if value != bins.members[code]:
            bins.is_mixed[code] = True


# ------------------------------------------------------------------------------------------------------------ slots

cdef Slot* take_slot(Slots slots) except NULL nogil:
    """Return memory for the counts of a node; its content is undefined."""
    cdef Slot* slot
    PyThread_acquire_lock(slots.lock, WAIT_LOCK)
    slot = slots.free_slots
    if slot != NULL:
        slots.free_slots = slot.next_free
    else:
        slot = <Slot*> malloc(sizeof(Slot) + slots.size * sizeof(int32_t))
        if slot != NULL:
            slot.next_of_all = slots.all_slots
            slots.all_slots = slot
    PyThread_release_lock(slots.lock)
    if slot == NULL:
        with gil:
            raise MemoryError("no memory for the class counts of a node's bins")
    return slot


cdef void give_back(Slots slots, Slot* slot) noexcept nogil:
    PyThread_acquire_lock(slots.lock, WAIT_LOCK)
    slot.next_free = slots.free_slots
    slots.free_slots = slot
    PyThread_release_lock(slots.lock)


cdef int32_t* feature_counts(Histograms histograms, Slot* slot, index_t feature) noexcept nogil:
    """Return the counts of the feature's bins, (n_bins, n_columns)."""
    return <int32_t*> (slot + 1) + histograms.bins.of_feature[feature].first * histograms.n_columns


cdef int count_rows(
    Histograms histograms, Slot* slot, index_t start, index_t stop, const index_t* features, index_t n_features
) except -1 nogil:
    """Count the node's samples in the bins of these features; the counts of other features stay as they are."""
    cdef Py_ssize_t first, last, step = 1 + ENTRIES_BETWEEN_CHECKS // max(1, n_features)
    cdef index_t k
    cdef bint in_words = histograms.words.shape[0] > 0
    for k in range(0 if in_words else n_features):
        memset(
            feature_counts(histograms, slot, features[k]), 0,
            histograms.bins.of_feature[features[k]].n_bins * histograms.n_columns * sizeof(int32_t),
        )
    for first from start <= first < stop by step:
        last = min(first + step, <Py_ssize_t> stop)
        check_entries(histograms.partition, (last - first) * n_features)
        if in_words:
            _count_in_words(histograms, <index_t> first, <index_t> last, features, n_features)
        elif histograms.targets.shape[0] > 0:
            _sum_rows(histograms, slot, <index_t> first, <index_t> last, features, n_features)
        else:
            _count_rows(histograms, slot, <index_t> first, <index_t> last, features, n_features)
    for k in range(n_features if in_words else 0):
        _take_words(
            &histograms.words[histograms.bins.firsts[features[k]]], histograms.bins.of_feature[features[k]].n_bins,
            feature_counts(histograms, slot, features[k]),
        )


cdef void _count_rows(
    Histograms histograms, Slot* slot, index_t start, index_t stop, const index_t* features, index_t n_features
) noexcept nogil:
    cdef index_t i, k, row, feature, n_columns = <index_t> histograms.n_columns
    cdef int32_t* counts = <int32_t*> (slot + 1)
    cdef int32_t* bin_counts
    cdef const uint8_t* codes
    cdef const Py_ssize_t* firsts = &histograms.bins.firsts[0]
    cdef index_t label
    cdef int32_t weight
    for i in range(start, stop):
        row = histograms.partition.rows[i]
        codes = &histograms.bins.codes[row, 0]
        label = histograms.labels[row]
        if histograms.weights.shape[0] == 0:
            for k in range(n_features):
                feature = features[k]
                counts[(firsts[feature] + codes[feature]) * n_columns + label] += 1
        else:
            weight = <int32_t> histograms.weights[row]
            for k in range(n_features):
                feature = features[k]
                bin_counts = counts + (firsts[feature] + codes[feature]) * n_columns
                bin_counts[label] += weight
                bin_counts[n_columns - 1] += 1


cdef void _count_in_words(
    Histograms histograms, index_t start, index_t stop, const index_t* features, index_t n_features
) noexcept nogil:
    """Count samples of two classes with weights: one addition counts a sample in a bin."""
    cdef uint64_t* words = &histograms.words[0]
    cdef const Py_ssize_t* firsts = &histograms.bins.firsts[0]
    cdef const index_t* rows = &histograms.partition.rows[0]
    cdef const uint8_t* all_codes = &histograms.bins.codes[0, 0]
    cdef const uint8_t* codes
    cdef Py_ssize_t n_all = histograms.bins.n_features
    cdef index_t i, k, row
    cdef uint64_t word
    for i in range(start, stop):
        row = rows[i]
        if i + ROWS_PREFETCHED < stop:
            prefetch(all_codes + rows[i + ROWS_PREFETCHED] * n_all)
            prefetch(&histograms.labels[rows[i + ROWS_PREFETCHED]])
            prefetch(&histograms.weights[rows[i + ROWS_PREFETCHED]])
        codes = all_codes + row * n_all
        word = <uint64_t> 1 << 2 * WORD_BITS | (
            <uint64_t> histograms.weights[row] << (WORD_BITS if histograms.labels[row] else 0)
        )
        if n_features == n_all:
            for k in range(n_features):
                words[firsts[k] + codes[k]] += word
        else:
            for k in range(n_features):
                words[firsts[features[k]] + codes[features[k]]] += word


cdef inline void _take_words(uint64_t* words, index_t n_bins, int32_t* counts) noexcept nogil:
    """Write the counts of these bins, three columns each, and leave zeros."""
    cdef index_t bin
    cdef uint64_t word
    for bin in range(n_bins):
        word = words[bin]
        words[bin] = 0
        counts[3 * bin] = <int32_t> (word & MOST_WEIGHT_IN_BIN_WORDS)
        counts[3 * bin + 1] = <int32_t> (word >> WORD_BITS & MOST_WEIGHT_IN_BIN_WORDS)
        counts[3 * bin + 2] = <int32_t> (word >> 2 * WORD_BITS)


cdef void _sum_rows(
    Histograms histograms, Slot* slot, index_t start, index_t stop, const index_t* features, index_t n_features
) noexcept nogil:
    """Add up the targets of the node's samples in the bins of these features, which hold zeros."""
    cdef BinSums* sums = <BinSums*> (slot + 1)
    cdef BinSums* of_bin
    cdef index_t i, k, row
    cdef Py_ssize_t bin
    cdef const uint8_t* codes
    cdef int64_t weight = 1, target, magnitude, of_sample, square
    cdef bint is_weighted = histograms.weights.shape[0] > 0
    for i in range(start, stop):
        row = histograms.partition.rows[i]
        codes = &histograms.bins.codes[row, 0]
        target = histograms.targets[histograms.labels[row]]
        magnitude = -target if target < 0 else target
        magnitude = (magnitude + (<int64_t> 1 << histograms.square_shift) - 1) >> histograms.square_shift
        if is_weighted:
            weight = histograms.weights[row]
        of_sample, square = weight * target, weight * magnitude * magnitude
        for k in range(n_features):
            of_bin = sums + histograms.bins.of_feature[features[k]].first + codes[features[k]]
            of_bin.sum += of_sample
            of_bin.squares += square
            of_bin.n_samples += 1
            if is_weighted:
                of_bin.weight += weight
    for k in range(0 if is_weighted else n_features):
        of_bin = sums + histograms.bins.of_feature[features[k]].first
        for bin in range(histograms.bins.of_feature[features[k]].n_bins):
            of_bin[bin].weight = of_bin[bin].n_samples


cdef index_t count_missing_by_bin(Histograms histograms, Slot* slot, index_t feature) noexcept nogil:
    """Return how many of the node's rows lack the value."""
    cdef index_t bin = histograms.bins.of_feature[feature].missing_bin, n_columns = <index_t> histograms.n_columns
    if bin == NONE:
        return 0
    return rows_in_bin(feature_counts(histograms, slot, feature) + bin * n_columns, n_classes_of(histograms), n_columns)


cdef void _subtract_sums(BinSums* sums, const BinSums* others, Py_ssize_t n_bins) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n_bins):
        sums[i].weight -= others[i].weight
        sums[i].sum -= others[i].sum
        sums[i].squares -= others[i].squares
        sums[i].n_samples -= others[i].n_samples


cdef void subtract(Histograms histograms, Slot* slot, Slot* other) noexcept nogil:
    """Turn a node's counts into the counts of one child: subtract the other child's counts."""
    cdef int32_t* counts = <int32_t*> (slot + 1)
    cdef const int32_t* others = <const int32_t*> (other + 1)
    cdef Py_ssize_t i
    if histograms.targets.shape[0] > 0:
        _subtract_sums(<BinSums*> (slot + 1), <const BinSums*> (other + 1), histograms.bins.n_bins)
        return
    for i in range(histograms.slots.size):
        counts[i] -= others[i]


cdef void mark_by_bins(
    Histograms histograms, index_t feature, index_t bin, float64_t threshold, bint missing_left, index_t start,
    index_t stop
) noexcept nogil:
    """Mark for the left side the rows whose value is at most the threshold, which ends or lies in the bin: only the
    values of this bin are looked at. Rows that lack the value are marked too if they go left."""
    cdef const uint8_t* codes = &histograms.bins.codes[0, feature]
    cdef Py_ssize_t n_features = histograms.bins.n_features
    cdef index_t i, row, code, missing_bin = histograms.bins.of_feature[feature].missing_bin
    for i in range(start, stop):
        row = histograms.partition.rows[i]
        if i + ROWS_PREFETCHED < stop:
            prefetch(codes + histograms.partition.rows[i + ROWS_PREFETCHED] * n_features)
        code = codes[row * n_features]
        histograms.partition.goes_left[row] = code < bin
        if code == bin:
            histograms.partition.goes_left[row] = value_at(histograms.partition.features, row, feature) <= threshold
    if missing_left:
        for i in range(start, stop):
            row = histograms.partition.rows[i]
            histograms.partition.goes_left[row] |= histograms.bins.codes[row, feature] == missing_bin


# ------------------------------------------------------------------------------------------------------ from Python

def bin_features(X, max_bins=MAX_BINS):
    """Cut every feature into at most max_bins bins of neighbouring values.

    Returns the bins of the values, (n_rows, n_features) uint8, and for every feature a list that says of each bin
    whether it holds different values. Missing values have a bin of their own, the last one.
    """
    cdef Py_ssize_t feature, i
    if X.shape[0] == 0:
        raise ValueError("There are no rows to cut into bins.")
    cdef Bins bins = Bins(Features(X), max_bins)
    is_mixed = [
        [bool(bins.of_feature[feature].is_mixed[i]) for i in range(bins.of_feature[feature].n_bins)]
        for feature in range(X.shape[1])
    ]
    return np.asarray(bins.codes), is_mixed
