"""The memory of the accelerators of one tree. `state.pxd` has the fields."""

import numpy as np

cimport cython

from pytrees._core.base.types cimport index_t, int32_t, int64_t, uint32_t
from pytrees._core.fast.node_bins cimport NodeFeature
from pytrees._core.fast.simd cimport NO_CLASS, find_neighbours
from pytrees._core.rows.partition cimport ENTRIES_BEHIND
from pytrees._core.split.node_search cimport Accelerator, NodeRows, NodeSearch, Split, threshold_of


@cython.final
cdef class EntryArrays:
    def __cinit__(
        self, Py_ssize_t most_rows, Py_ssize_t n_classes, bint has_numbers, bint has_weights, bint has_missing
    ):
        n_cuts = most_rows + ENTRIES_BEHIND
        n_sides = 2 if has_missing else 1   # on which missing values can be
        n_of_more = 1 if n_classes == 2 or has_numbers else n_cuts
        self.left_factors = np.empty(n_cuts, dtype=np.float32)
        self.right_factors = np.empty(n_of_more, dtype=np.float32)
        self.steps = np.empty(1 if has_numbers else 2 * n_classes, dtype=np.uint64)
        self.found = np.empty(n_sides * n_cuts, dtype=np.uint32)
        self.squares_of_found = np.empty(n_sides * n_of_more, dtype=np.uint64)
        # Zeros, because vectors may read the places of a larger block.
        self.residuals = np.zeros((2 if has_weights else 1) * most_rows if has_numbers else 1, dtype=np.int32)
        self.scores.residuals = &self.residuals[0]
        self.scores.left_factors, self.scores.right_factors = &self.left_factors[0], &self.right_factors[0]
        self.scores.steps, self.scores.found = &self.steps[0], &self.found[0]
        self.scores.squares_of_found = &self.squares_of_found[0]

    def take_logs(self, const int64_t[::1] table, Py_ssize_t most_rows, Py_ssize_t n_classes):
        """Make room for entropy, by a table of n log2 n up to the number of samples."""
        shift = max(int(table[most_rows]).bit_length() - 31, 0)
        self.logs = (np.asarray(table[:most_rows + 1]) >> shift).astype(np.int32)
        self.log_steps = np.empty(most_rows, dtype=np.int32)
        self.size_terms = np.empty(most_rows + ENTRIES_BEHIND, dtype=np.int32)
        self.log_starts = np.empty(n_classes, dtype=np.uint32)
        self.next_steps = np.empty(2 * n_classes, dtype=np.uint32)
        self.scores.logs, self.scores.log_steps = &self.logs[0], &self.log_steps[0]
        self.scores.size_terms, self.scores.log_starts = &self.size_terms[0], &self.log_starts[0]
        self.scores.next_steps = &self.next_steps[0]

    def take_words(self):
        """Make room for two classes with weights."""
        self.words_of_found = np.empty(self.found.shape[0], dtype=np.uint32)
        self.scores.words_of_found = &self.words_of_found[0]

    def take_forms(self):
        """Make room for ordinal criteria."""
        self.form_steps = np.empty(NO_CLASS + 1, dtype=np.uint32)
        self.scores.form_steps = &self.form_steps[0]


cdef class FastState(Accelerator):
    pass


cdef void write_ranked_cut(
    FastState fast, NodeSearch search, const NodeRows* node, index_t number, uint32_t last_key, Split* best
) noexcept nogil:
    """Write the split that sends the samples of keys up to `last_key` to the left, but not its gain: count these
    samples, and find one of the greatest value among them and one of the smallest value among the others."""
    cdef const NodeFeature* feature = &fast.node_bins.slots[number]
    cdef int32_t last_left, first_right
    best.feature = feature.feature
    best.n_left = find_neighbours(feature.keys, node.stop - node.start, last_key, &last_left, &first_right)
    best.last_left = search.partition.rows[node.start + last_left]
    best.first_right = search.partition.rows[node.start + first_right]
    if not fast.defers_thresholds:
        best.threshold = threshold_of(search, node, best)
