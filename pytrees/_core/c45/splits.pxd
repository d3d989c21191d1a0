"""The best split of a C4.5 node by gain ratio: the data, and the scratch memory of one node and one feature."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint8_t, uint32_t, uint64_t
from pytrees._core.c45.entropies cimport EntropySums
from pytrees._core.rows.features cimport Features


cdef struct RatioSplit:
    index_t feature         # NONE if there is none
    float64_t threshold     # NaN if the feature has categories
    float64_t gain, ratio


@cython.final
cdef class SplitFinder:
    """The data, and the splits that the features of one node offer. Missing values are NaN."""

    cdef readonly Py_ssize_t n_rows, n_features
    cdef const float64_t[:, ::1] X
    cdef const index_t[::1] labels
    cdef const int64_t[::1] n_categories    # 0 if a feature has thresholds
    cdef const uint8_t[::1] has_missing     # by feature
    cdef const uint8_t[::1] is_typical      # by feature: whether its gain counts in the average
    cdef Features features                  # ranks of the values; a missing value's rank means nothing
    cdef index_t n_classes
    cdef float64_t min_samples_leaf

    # The node: its rows, their weights and classes, and their entries, which are narrow if there are few rows.
    cdef const index_t* rows
    cdef const float64_t* weights
    cdef index_t n
    cdef float64_t total                    # weight of the rows
    cdef index_t[::1] node_labels
    cdef const float64_t* node_counts       # class weights
    cdef uint32_t[::1] narrow, spare_narrow
    cdef uint64_t[::1] wide, spare_wide

    # The feature: the class weights that `scan` points to, and the sums over the rows whose value is known.
    cdef float64_t[:, ::1] counts
    cdef const float64_t[::1] log2_table
    cdef EntropySums scan
    cdef float64_t missing                  # weight of the rows whose value is missing
    cdef float64_t[::1] sizes               # weights of the children
    cdef RatioSplit* offers                 # by feature
    cdef int64_t unchecked                  # entries since signals were checked


cdef int best_split(
    SplitFinder finder, const index_t* rows, const float64_t* weights, index_t n, const float64_t* counts,
    float64_t total, RatioSplit* best,
) except -1 nogil
