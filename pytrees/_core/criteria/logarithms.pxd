"""Gains of entropies as real numbers, from a split's class counts: they decide if the table of n log2 n, which is
rounded, cannot tell two splits apart.
"""

from pytrees._core.base.types cimport float64_t, index_t, int64_t


cdef enum:
    # Weights of a sum below this are counted by the narrow arithmetic of the criteria.
    MAX_TOTAL_COUNT = 16777216


cdef enum InformationForm:
    # A criterion compares information gains as they are, or divided: by the entropy of the split, by the joint entropy
    # of split and classes, by the mean or the greater of both entropies. Or it compares twice the gain less the entropy
    # of the split, or minus the variation of information: this less the entropy of the classes.
    NO_INFORMATION
    PLAIN
    BY_SPLIT
    BY_JOINT
    BY_MEAN
    BY_GREATER
    LESS_SPLIT
    LESS_BOTH


cdef struct SplitLogs:
    # A split's gain adds up n log2 n over these counts n, in any order; counts below 2 add nothing and are left out.
    # The caller allocates.
    Py_ssize_t n_joint, n_sizes
    int64_t* joint      # of the classes in the children
    int64_t* sizes      # of the children


cdef struct BestCut:
    # The best cut of a node so far. The numbers that rule out nearly every other cut are in the criterion's scan.
    InformationForm form
    index_t n_classes
    const int64_t* node_counts
    int64_t* left_counts
    SplitLogs* scratch              # for two cuts
    bint is_known
    # In units of 2**-30 bit: `score` is minus the children's entropies times their samples; ratios have two parts
    # instead. The table's rounding accounts for at most `margin` units.
    int64_t margin, score, numerator, denominator


cdef inline int64_t doubled(InformationForm form) noexcept nogil:
    """Return how often the children's class counts enter the comparison: twice or once."""
    return 2 if form == BY_MEAN or form >= LESS_SPLIT else 1


cdef inline void forget_counts(SplitLogs* logs) noexcept nogil:
    logs.n_joint = logs.n_sizes = 0


cdef inline void add_child_class(SplitLogs* logs, int64_t count) noexcept nogil:
    if count > 1:
        logs.joint[logs.n_joint] = count
        logs.n_joint += 1


cdef inline void add_child_size(SplitLogs* logs, int64_t size) noexcept nogil:
    if size > 1:
        logs.sizes[logs.n_sizes] = size
        logs.n_sizes += 1


cdef void count_cut(
    SplitLogs* logs, const int64_t* node_counts, const int64_t* left_counts, index_t n_classes
) noexcept nogil
cdef int offer_score(BestCut* best, int64_t score, const int64_t* left_counts) except -1 nogil
cdef int offer_information_ratio(
    BestCut* best, int64_t numerator, int64_t denominator, const int64_t* left_counts
) except -1 nogil
cdef int gains_more(BestCut* best, const int64_t* left_counts) except -1 nogil
cdef int64_t units_of_best(const BestCut* best, int64_t units) noexcept nogil
cdef int64_t signed_units_of_best(BestCut* best, int64_t units) except? -1 nogil
cdef int64_t signed_units(
    int64_t units, int64_t margin, InformationForm form, const int64_t* node_counts, index_t n_classes,
    const SplitLogs* split
) except? -1 nogil
cdef int compare_information(
    InformationForm form, const int64_t* node_counts, index_t n_classes, SplitLogs* split, SplitLogs* other
) except -2 nogil
cdef int compare_splits(InformationForm form, list node, list children, list others) except -2
cdef float64_t nearest_information(InformationForm form, list node, list children) except? -1.0
cdef bint gains_nothing(const int64_t* node_counts, index_t n_classes, const SplitLogs* split) except -1 nogil
cdef float64_t nearest_entropy(const int64_t* counts, index_t n_classes) except -1.0
cdef int compare_exact_ratios(tuple ratio, tuple other) except -2
