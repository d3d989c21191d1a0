"""The scan of a node's cuts in a block, several side by side."""

from pytrees._core.criteria.gini cimport AnyGiniScan
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split


cdef bint scores_in_lanes(Scanner scanner, const NodeRows* node) noexcept nogil
cdef bint find_block_cut(Scanner scanner, AnyGiniScan* scan, const NodeRows* node, Split* best) except -1 nogil
