"""The merit of a split within its leaf, by which equally good global steps are told apart.

How near the clustering by child comes to the classes within the leaf: minus the distance, or the similarity, of F. Späh
and S. Kosub, "Global Evaluation for Decision Tree Learning", Algorithm 2. Merits of different leaves are compared, by
cross products of ratios, or by the sign of a sum of fractions in which what both have in common cancels. Ratios of
entropies that the table of n log2 n cannot tell apart are compared as the real numbers that they are.
"""

cimport cython

from pytrees._core.base.fractions cimport TermSum
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.growth.distances cimport DistanceCode


cdef struct Merit:
    # The ratio a / b. Of gini and jaccard about `value`, exactly the fractions of the children, less a, where they are
    # shares of b rows.
    int64_t a, b
    float64_t value


@cython.final
cdef class LocalMerits:
    cdef DistanceCode code
    cdef bint absent_differ
    cdef index_t n_classes
    cdef ChildCounts children       # the fractions of the present split and of the best one
    cdef int64_t n_present          # classes of the leaf that Jaccard counts
    cdef int64_t[::1] best_counts   # class counts of the leaf of the best split
    cdef TermSum difference         # scratch
    cdef object memory


cdef void start_merits(LocalMerits merits, const int64_t* leaf_counts) noexcept nogil
cdef int merit_of_cut(LocalMerits merits, const int64_t* left, const int64_t* right, Merit* merit) except -1 nogil
cdef int merit_of_categories(
    LocalMerits merits, const uint64_t* entries, index_t n, index_t n_children, const index_t* labels,
    const int64_t* weights, Merit* merit
) except -1 nogil
cdef int compare_merits(LocalMerits merits, const Merit* merit, const Merit* best) except -2 nogil
cdef void keep_merit(LocalMerits merits) noexcept nogil
