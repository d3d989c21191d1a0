"""The scan of a node's cuts where its samples are in bins."""

from pytrees._core.split.scanner cimport NodeRows, Scanner, Split
from pytrees._core.split.table cimport BinnedScan


cdef int find_bin_cut(Scanner scanner, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil
