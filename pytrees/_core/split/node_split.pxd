from pytrees._core.base.types cimport index_t, uint64_t
from pytrees._core.criteria.user cimport UserCut
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef int find_split(NodeSearch search, const NodeRows* node, uint64_t random_state, Split* best) except -1 nogil
cdef int offer_to_user(
    NodeSearch search, const NodeRows* node, uint64_t random_state, index_t number, UserCut* best_of_node
) except -1 nogil
cdef int take_user_cut(
    NodeSearch search, const NodeRows* node, uint64_t random_state, const UserCut* cut, Split* best
) except -1 nogil
