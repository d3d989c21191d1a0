"""Whether a number of splits is enough for some samples, and which split comes first: `search` asks both."""

from pytrees._core.base.types cimport index_t
from pytrees._core.minimal.working_set cimport WorkingSet

# The first split of a node's tree: between sample `below` and sample `above`, which follows it in the feature's order.
# The left side gets `left_budget` of the splits that remain.
cdef struct NodeSplit:
    index_t feature, below, above, left_budget


cdef int raise_to_clique(WorkingSet work, index_t* n_splits) except -1 nogil
cdef int is_feasible(WorkingSet work, const index_t* samples, index_t n_samples, index_t budget) except -1 nogil
cdef int choose_split(
    WorkingSet work, const index_t* samples, index_t n_samples, index_t budget, NodeSplit* split
) except -1 nogil
