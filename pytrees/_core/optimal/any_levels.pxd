from pytrees._core.base.types cimport index_t, int64_t
from pytrees._core.optimal.cost_search cimport (
    LEFT, NO_BUDGET, RIGHT, CostSearch, CutList, KnownCost, KnownCut, SearchNode, TreeLimits, most_leaves, tightened,
)
from pytrees._core.optimal.cut_lists cimport CutRange

cdef enum:
    MOST_STAGES = 8             # with a limit of so many levels, trees of fewer levels are looked for first


cdef int ask_both(
    CostSearch search, Py_ssize_t number, CutList* cuts, index_t known, const int64_t* budgets, int64_t best
) except -1 nogil
cdef bint raise_ends(CostSearch search, Py_ssize_t number, CutList* cuts, CutRange* found, int64_t best) except -1 nogil
cdef int divide(CostSearch search, Py_ssize_t number, index_t list, KnownCost* best) except -1 nogil
cdef int close_search(CostSearch search, Py_ssize_t number, KnownCost* best) except -1 nogil
cdef int open_search(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t one_less, int64_t best
) except -1 nogil
cdef int list_columns(CostSearch search, Py_ssize_t number, TreeLimits limits) except -1 nogil
cdef int solve(
    CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t budget, KnownCost* found
) except -1 nogil


cdef inline bint by_pairs(CostSearch search, TreeLimits limits) noexcept nogil:
    """Whether counts of pairs tell the cost of a tree within limits."""
    return search.has_pairs and limits.depth == 2 and limits.leaves == most_leaves(2)


cdef inline int64_t cost_of(const KnownCut* cut) noexcept nogil:
    """Return the cost of a cut, or NO_BUDGET if it is not known."""
    if cut.cost[LEFT] == NO_BUDGET or cut.cost[RIGHT] == NO_BUDGET:
        return NO_BUDGET
    return cut.cost[LEFT] + cut.cost[RIGHT]


cdef inline bint by_table(const CutList* cuts) noexcept nogil:
    return max(cuts.limits[LEFT].depth, cuts.limits[RIGHT].depth) <= 1


cdef inline index_t most_promising(const SearchNode* node) noexcept nogil:
    cdef index_t i, least = 0
    for i in range(node.n_lists):
        if node.lists[i].key < node.lists[least].key:
            least = i
    return least


cdef inline TreeLimits affordable_limits(
    CostSearch search, SearchNode* node, TreeLimits limits, int64_t budget
) noexcept nogil:
    """Return limits for trees below a budget, which may allow fewer levels."""
    cdef int64_t n_leaves
    if search.leaf_cost == 0:
        return limits
    n_leaves = max((budget - 1 - node.inevitable) // search.leaf_cost, 2)
    return limits if n_leaves > limits.depth else tightened(<index_t> (n_leaves - 1), limits.leaves)
