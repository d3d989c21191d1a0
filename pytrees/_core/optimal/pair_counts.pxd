from pytrees._core.base.types cimport int64_t
from pytrees._core.optimal.cost_search cimport CostSearch, SearchNode

cdef int open_pairs(CostSearch search) except -1
cdef int64_t cost_of_column(CostSearch search, SearchNode* node, Py_ssize_t column) noexcept nogil
cdef int64_t cost_of_pairs(CostSearch search, Py_ssize_t number) except -1 nogil
