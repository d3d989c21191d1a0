cimport cython

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport index_t, int64_t, uint32_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.absolute_error cimport MedianErrors


@cython.final
cdef class CategoryErrors:
    """The samples of a node by category. Categories that the samples have are numbered from 0, ascending.

    The median of a set of categories is looked up among steps of some samples in the order of their targets.
    """

    cdef MedianErrors errors            # the samples in the order of their targets
    cdef int64_t[::1] targets, weights  # the same memory: by position in this order, from 1 on
    cdef index_t n_categories
    cdef index_t[::1] category_at       # by position
    cdef index_t[::1] starts            # by category: its first sample in `positions`; then the number of all samples
    cdef index_t[::1] positions         # of every category's samples, ascending
    # By step and category: weight, and sum of the targets, of the category's samples before the step. The sums are
    # numbers of 128 bits in this memory.
    cdef int64_t[:, ::1] weights_before, sums_before


cdef void take_categories(CategoryErrors categories, const Entry* entries) noexcept nogil
cdef int128_t error_of_category(CategoryErrors categories, index_t category) noexcept nogil
cdef void sum_steps(CategoryErrors categories) noexcept nogil
cdef int128_t error_of_set(CategoryErrors categories, uint32_t is_in) noexcept nogil
