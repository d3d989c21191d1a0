"""The best cut of few samples whose classes are numbers."""

from pytrees._core.criteria.table cimport BinnedScan
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef bint find_few_cut(NodeSearch search, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil
