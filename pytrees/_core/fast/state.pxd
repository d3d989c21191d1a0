"""The state of the accelerators of one tree; `engine` fills it in."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int16_t, int32_t, uint32_t, uint64_t
from pytrees._core.fast.entry_scores cimport EntryScores
from pytrees._core.fast.histogram cimport Histograms, Slot
from pytrees._core.fast.node_bins cimport NodeBins
from pytrees._core.rows.partition cimport RowPartition
from pytrees._core.split.node_search cimport Accelerator, NodeRows, NodeSearch, Split


@cython.final
cdef class EntryArrays:
    """Scratch of the scores of sorted entries in vectors."""

    cdef EntryScores scores         # points to the arrays
    cdef float[::1] left_factors, right_factors
    cdef uint64_t[::1] steps, squares_of_found
    cdef uint32_t[::1] found, words_of_found
    cdef int32_t[::1] logs, log_steps, size_terms
    cdef uint32_t[::1] log_starts, next_steps, form_steps
    cdef int32_t[::1] residuals
    cdef float[::1] scores_of_few   # by sample and feature, as partitions have ranks
    cdef int16_t[::1] is_drawn      # by feature, -1 or 0
    cdef index_t[::1] found_features


cdef class FastState(Accelerator):
    cdef RowPartition partition
    # Bins of the table.
    cdef Histograms histograms          # None if all nodes are in blocks
    cdef index_t block_rows, rows_per_leaf
    cdef Slot* drawn_slot               # counts of one node's drawn features, if not all are looked at
    # Bins of ranks.
    cdef NodeBins node_bins             # None unless ranked features are cut into bins of the node
    # Scores.
    cdef EntryArrays entry_scores       # None if the cuts of sorted entries have no scores
    cdef bint pairs_few                 # nodes of few samples have no sorted entries: see few_cuts.pyx
    cdef bint defers_thresholds         # thresholds are computed in the end, so nothing waits for their values
    cdef int32_t[::1] place_words       # by place, see EntryScores; empty unless two classes with weights have scores
    # Scratch: the best score of every drawn feature, and what a cut inside a bin can score more than all cuts between
    # bins.
    cdef float64_t[::1] scores, rises


cdef void write_ranked_cut(
    FastState fast, NodeSearch search, const NodeRows* node, index_t number, uint32_t last_key, Split* best
) noexcept nogil
