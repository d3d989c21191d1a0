"""The best cut of a node, by a criterion of the engine on class counts."""

from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef int find_cut(NodeSearch search, const NodeRows* node, Split* best) except -1 nogil
