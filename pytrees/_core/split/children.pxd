from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport float64_t, index_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport TargetSums
from pytrees._core.split.node_search cimport NodeSearch, Split


cdef int start_node(ChildCounts children) except -1 nogil
cdef int start_children(ChildCounts children, index_t feature, index_t n_children, index_t division) except -1 nogil
cdef int end_child(ChildCounts children) except -1 nogil
cdef int offer_children(ChildCounts children) except -1 nogil
cdef int offer_user_gain(
    ChildCounts children, index_t feature, index_t n_children, index_t division, float64_t given, float64_t weight
) except -1 nogil
cdef void start_target_children(
    ChildCounts children, index_t feature, index_t n_children, index_t division
) noexcept nogil
cdef void add_target_child(ChildCounts children, const TargetSums* sums) noexcept nogil
cdef int offer_target_children(ChildCounts children) except -1 nogil
cdef int offer_sequences(
    NodeSearch search, index_t feature, index_t n_children, index_t division, const Entry* entries, index_t n,
    const Split* cut
) except -1 nogil
