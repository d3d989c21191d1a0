from pytrees._core.fast.bounds cimport ScoredScan
from pytrees._core.fast.state cimport FastState
from pytrees._core.fast.way cimport Way
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef bint find_scored_cut(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, Way way, Split* best
) except -1 nogil
