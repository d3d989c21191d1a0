"""Cuts of features of which a node's samples lack some values: with these on the right and on the left."""

from pytrees._core.base.types cimport float64_t, index_t, int32_t
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.split.table cimport BinnedScan
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split


cdef int find_cut_with_missing(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil
cdef int offer_both_ways(
    BinnedScan* scan, ClassCounts node_counts, index_t n_left, index_t n_rows, index_t n_missing,
    index_t min_samples_leaf, index_t* kept_left, bint* missing_left
) except -1 nogil
cdef float64_t bound_with_missing(
    BinnedScan* scan, ClassCounts node_counts, const int32_t* counts
) noexcept nogil
