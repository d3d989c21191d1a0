from pytrees._core.base.types cimport float64_t, index_t
from pytrees._core.growth.tree cimport GrowingTree


cdef void list_rows(GrowingTree tree, index_t node) noexcept nogil
cdef float64_t[::1] values_of_nodes(
    GrowingTree tree, const index_t[::1] order, const float64_t[::1] targets, bint are_medians
)
