"""The class counts of a node's categories, and of the categories that are listed for one side of a split into two.

If classes are numbers, sums of targets take the place of class counts, in the same memory.
"""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint8_t, uint64_t
from pytrees._core.criteria.counts cimport TargetSums


cdef enum:
    MOST_DIVIDED = 12   # categories of a node, all 2**(k - 1) - 1 divisions of which are judged


@cython.final
cdef class CategoryCounts:
    """The categories of a feature that the samples of a node have, ascending, numbered from 0.

    Divisions into two sets have numbers. In an order of n categories, the numbers below n are how many of the first
    categories are on the listed side. Further ones are n - 1 plus the number of a division outside the order or, with
    more than MOST_DIVIDED categories, of a cut of the order if a limit forbids the best one. Outside an order, the
    binary digits of the number, the lowest first, tell whether categories 1, 2, ... are listed; category 0 never is.
    """

    cdef index_t n_classes, n_present
    cdef bint has_best_order            # the best division is a cut of the order, whatever the number of categories
    cdef bint in_order                  # of the node's categories, only cuts of an order are judged
    cdef bint has_targets               # the rows of `counts`, and `listed_counts`, are TargetSums
    cdef index_t[::1] codes, sizes      # by category: its code, and how many samples have it
    cdef index_t[::1] number_of_code    # the category of a code, if samples are counted by codes
    cdef int64_t[:, ::1] counts         # by category and class
    cdef int64_t[:, ::1] for_user       # TargetSums by category, as a criterion of the user gets them
    cdef int64_t[::1] weight            # by category
    cdef index_t[::1] order, spare_order
    # For the first principal direction: differences of class shares by category and class; the direction by class; and
    # the categories' projections.
    cdef float64_t[:, ::1] deviations
    cdef float64_t[::1] direction, next_direction, scores
    # The listed side.
    cdef uint8_t[::1] is_listed
    cdef index_t n_listed
    cdef int64_t[::1] listed_counts
    cdef int64_t listed_weight
    # For criteria that look at samples: the category of the node's i-th sample, and scratch for entries of both sides.
    cdef index_t[::1] category_of
    cdef uint64_t[::1] divided


cdef index_t start_category(CategoryCounts categories, index_t code) noexcept nogil
cdef void number_codes(CategoryCounts categories, index_t n_codes) noexcept nogil
cdef void set_order(CategoryCounts categories) noexcept nogil
cdef index_t n_divisions(CategoryCounts categories) noexcept nogil
cdef bint is_by_heuristic(CategoryCounts categories, index_t number) noexcept nogil
cdef void list_division(CategoryCounts categories, index_t number) noexcept nogil
cdef void list_next_division(CategoryCounts categories, index_t number) noexcept nogil


cdef inline TargetSums* sums_of_category(CategoryCounts categories, index_t category) noexcept nogil:
    return <TargetSums*> &categories.counts[category, 0]


cdef inline TargetSums* summed_for_user(CategoryCounts categories) noexcept nogil:
    return <TargetSums*> &categories.for_user[0, 0]


cdef inline TargetSums* listed_sums(CategoryCounts categories) noexcept nogil:
    """Return the sums of the listed side: its weight and the sum of its targets. The spread is 0."""
    return <TargetSums*> &categories.listed_counts[0]


cdef inline bint goes_right(CategoryCounts categories, index_t category) noexcept nogil:
    """Whether a category is on the other side of the listed division than the lowest one, which is on the left."""
    return categories.is_listed[category] != categories.is_listed[0]
