"""Best split of a node by gain ratio."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint8_t, uint32_t, uint64_t
from pytrees._core.criteria.weighted cimport WeightedScan
from pytrees._core.rows.partition cimport Features


cdef struct RatioSplit:
    index_t feature         # NONE if there is none
    float64_t threshold     # NaN if the feature has categories
    float64_t gain, ratio


@cython.final
cdef class SplitFinder:
    """The data, and what the features of one node offer while it is looked at. Missing values are NaN."""

    cdef readonly Py_ssize_t n_rows, n_features
    cdef const float64_t[:, ::1] X
    cdef const index_t[::1] labels
    cdef const int64_t[::1] n_categories    # 0 if a feature has thresholds
    cdef const uint8_t[::1] has_missing, is_typical
    cdef Features features                  # ranks of the values; a missing value's rank means nothing
    cdef index_t n_classes
    cdef float64_t min_samples_leaf

    # The node: its rows, their classes and weights, and the rows with a known value as entries, sorted by a feature.
    cdef const index_t* rows
    cdef const float64_t* weights
    cdef index_t n
    cdef float64_t total
    cdef index_t[::1] node_labels
    cdef uint32_t[::1] narrow, spare_narrow
    cdef uint64_t[::1] wide, spare_wide

    # The feature: class weights, the weights of known and of missing rows, and the weights of the children.
    cdef float64_t[:, ::1] counts
    cdef float64_t[::1] node_counts
    cdef const float64_t[::1] log2_table
    cdef WeightedScan scan
    cdef float64_t missing
    cdef float64_t[::1] sizes
    cdef RatioSplit* offers                 # by feature


cdef RatioSplit best_split(
    SplitFinder finder, const index_t* rows, const float64_t* weights, index_t n
) noexcept nogil
