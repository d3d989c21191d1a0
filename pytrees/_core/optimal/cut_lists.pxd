from pytrees._core.base.types cimport index_t, int64_t
from pytrees._core.optimal.cost_search cimport CostSearch, CutList, KnownCut, SearchNode, TreeLimits

# Where between two known cuts a better one may be: after `low` to `high` rows. No such cut leads to a cost below `key`.
cdef struct CutRange:
    index_t after, low, high
    int64_t key

cdef int open_lists(CostSearch search, SearchNode* node, TreeLimits limits) except -1 nogil
cdef bint open_range(
    CostSearch search, SearchNode* node, const CutList* cuts, index_t after, int64_t best, CutRange* found
) noexcept nogil
cdef void choose_range(CostSearch search, SearchNode* node, CutList* cuts, int64_t best) noexcept nogil
cdef index_t nearest_cut(
    CostSearch search, SearchNode* node, index_t column, index_t low, index_t high, index_t wanted
) noexcept nogil
cdef index_t list_trials(CostSearch search, SearchNode* node, index_t column) noexcept nogil
cdef index_t add_cut(
    CostSearch search, SearchNode* node, const CutList* cuts, index_t after, index_t end
) except -1 nogil
cdef int64_t free_bound(CostSearch search, SearchNode* node, int64_t best) noexcept nogil
cdef int keep_keys(
    CostSearch search, SearchNode* node, index_t known, bint side, SearchNode* of_side, int64_t least
) except -1 nogil
cdef int give_keys(
    CostSearch search, SearchNode* node, const CutList* cuts, index_t known, bint side, SearchNode* of_side
) except -1 nogil
cdef void close_lists(SearchNode* node, int64_t best) noexcept nogil
