"""The best split of a categorical feature into two sets of categories."""

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport index_t
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split


cdef int offer_divisions(
    Scanner scanner, const NodeRows* node, index_t feature, const Entry* entries, const Split* cut
) except -1 nogil
cdef void list_split(Scanner scanner, const NodeRows* node, const Split* split) noexcept nogil
