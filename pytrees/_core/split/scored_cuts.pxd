"""The best cut of a node whose cuts have scores in vectors."""

from pytrees._core.criteria.table cimport ScoredScan
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split
from pytrees._core.split.way cimport Way


cdef bint find_scored_cut(
    NodeSearch search, ScoredScan* scan, const NodeRows* node, Way way, Split* best
) except -1 nogil
