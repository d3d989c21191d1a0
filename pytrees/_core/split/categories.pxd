"""The best split of a node by a categorical feature: one child for every category among its samples."""

from pytrees._core.split.scanner cimport NodeRows, Scanner, Split


cdef int find_category_split(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil
