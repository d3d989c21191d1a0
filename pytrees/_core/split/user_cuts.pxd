"""Cuts of a node's features, as a user's criterion on class counts judges them: many in one call."""

from pytrees._core.base.types cimport index_t
from pytrees._core.criteria.user cimport UserCut
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split


cdef int find_user_cut(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil
cdef void write_user_cut(Scanner scanner, const NodeRows* node, const UserCut* cut, Split* best) noexcept nogil
cdef int add_cuts(Scanner scanner, const NodeRows* node, index_t number, UserCut* best_of_node) except -1 nogil
