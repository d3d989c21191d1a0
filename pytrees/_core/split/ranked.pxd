"""The scan of a node's cuts where features are ranked, in bins that fit the node."""

from pytrees._core.split.scanner cimport NodeRows, Scanner, Split
from pytrees._core.split.table cimport BinnedScan


cdef int find_ranked_cut(Scanner scanner, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil
