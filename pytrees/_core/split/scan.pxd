"""The scan of a node's cuts, for criteria on counts."""

from pytrees._core.split.scanner cimport NodeRows, Scanner, Split


cdef int find_cut(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil
