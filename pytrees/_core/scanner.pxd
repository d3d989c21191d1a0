"""Best split of one node."""

cimport cython

from pytrees._core.criteria cimport Entropy, Gain, Gini, WeightedImpurity
from pytrees._core.partition cimport RowPartition
from pytrees._core.sequence_scanner cimport FeatureOrders, SequenceScanner
from pytrees._core.types cimport CriterionCode, float64_t, index_t, int64_t, uint8_t, uint64_t


cdef struct Split:
    index_t feature     # NONE where no cut is allowed
    index_t n_left      # rows that go left
    Gain gain


cdef struct Cuts:
    # Of the allowed cuts of a feature, those to try: all, or `n_tried` evenly spaced ones.
    index_t n_allowed, n_tried
    index_t n_seen, n_taken


@cython.final
cdef class Scanner(FeatureOrders):
    cdef RowPartition partition
    cdef CriterionCode code
    cdef const index_t[::1] labels
    cdef const int64_t[::1] count_weights       # empty where every row counts once
    cdef const float64_t[::1] float_weights     # not empty: weights that are not whole numbers
    cdef index_t min_samples_leaf, max_candidates, max_features

    # The one that judges is set, the others are None.
    cdef Gini gini
    cdef Entropy entropy
    cdef WeightedImpurity weighted
    cdef SequenceScanner sequences

    cdef index_t start, stop            # of the node whose sequences are scanned
    cdef index_t[::1] place_of_row      # scratch, by row: its place among the rows of the node
    cdef index_t[::1] drawn             # scratch: features, the drawn ones first
    cdef uint8_t[::1] is_drawn          # scratch, by feature


cdef uint64_t mix64(uint64_t state) noexcept nogil
cdef bint is_pure(Scanner scanner, index_t start, index_t stop) noexcept nogil
cdef int find_split(Scanner scanner, index_t start, index_t stop, uint64_t random_state, Split* best) except -1 nogil
