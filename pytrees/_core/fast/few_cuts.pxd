from pytrees._core.fast.bounds cimport FewScan
from pytrees._core.fast.state cimport FastState
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef bint find_few_cut(
    FastState fast, NodeSearch search, FewScan* scan, const NodeRows* node, Split* best
) except -1 nogil
