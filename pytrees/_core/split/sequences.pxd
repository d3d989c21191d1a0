"""The best cut, and splits by category, of criteria that judge the label sequences of the children."""

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport index_t
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split


cdef int find_cut_by_sequences(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil
cdef int find_cut_by_user_sequences(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil
cdef int offer_efforts(
    Scanner scanner, index_t feature, index_t n_children, const Entry* entries, index_t n, const Split* cut
) except -1 nogil
cdef int offer_children_to_user(
    Scanner scanner, index_t feature, index_t n_children, const Entry* entries, index_t n
) except -1 nogil
