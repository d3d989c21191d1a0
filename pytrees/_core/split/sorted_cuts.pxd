from pytrees._core.criteria.table cimport CountScan
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef int find_sorted_cut(NodeSearch search, CountScan* scan, const NodeRows* node, Split* best) except -1 nogil
