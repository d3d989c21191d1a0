from pytrees._core.fast.bounds cimport BoundedScan
from pytrees._core.fast.state cimport FastState
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef int find_bin_cut(
    FastState fast, NodeSearch search, BoundedScan* scan, const NodeRows* node, Split* best
) except -1 nogil
