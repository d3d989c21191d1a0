"""The first tree of a cost in a fixed order."""

from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t
from pytrees._core.optimal.cost_search cimport CostSearch, CutList, KnownCut, SearchNode, TreeLimits

# How many lists have been tried, or are being tried; the first list that is known to have a cut of a cost, and the cut.
cdef struct FirstCut:
    index_t n_tried, list, cut


cdef index_t list_stumps(CostSearch search, SearchNode* node, index_t column, int64_t cost) noexcept nogil
cdef int open_again(CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t best) except -1 nogil
cdef int try_lists(CostSearch search, Py_ssize_t number, int64_t cost, FirstCut* first) except -1 nogil
cdef bint begin_tree(CostSearch search, Py_ssize_t number, TreeLimits limits, int64_t cost, splits) except -1
cdef bint grow_sides(CostSearch search, Py_ssize_t number, CutList cuts, KnownCut cut, splits) except -1


cdef inline void open_first(FirstCut* first) noexcept nogil:
    first.n_tried, first.list, first.cut = 0, UNLIMITED, NONE
