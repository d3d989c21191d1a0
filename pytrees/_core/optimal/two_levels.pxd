from pytrees._core.base.types cimport index_t
from pytrees._core.optimal.cost_search cimport CostSearch, CutList, ListedCut, SearchNode

cdef int rank_by_table(CostSearch search, Py_ssize_t number) except -1 nogil
cdef int solve_cuts(CostSearch search, Py_ssize_t number, const ListedCut* listed, index_t n_cuts) except -1 nogil
cdef void settle_leaves(CostSearch search, SearchNode* node, const CutList* cuts, index_t number) noexcept nogil
