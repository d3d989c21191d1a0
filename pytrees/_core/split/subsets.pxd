from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport index_t
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef int offer_divisions(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* entries, const Split* cut
) except -1 nogil
cdef void list_split(NodeSearch search, const NodeRows* node, const Split* split) noexcept nogil
cdef void number_rows(NodeSearch search, const NodeRows* node, index_t feature) noexcept nogil
