"""The distance between the children of a split and the classes, within the leaf; it breaks ties of global steps.

The merit of a split is minus the distance, or the similarity, between the clustering by child and the classes of the
leaf (F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Algorithm 2): the greater, the nearer.
Merits of two leaves are compared by cross products of ratios, or by the sign of a sum of fractions without their common
terms. If the table of n log2 n cannot tell two ratios of entropies apart, they are compared as real numbers.
"""

cimport cython

from pytrees._core.base.fractions cimport TermSum
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.id3.distances cimport DistanceCode


cdef struct Merit:
    # The ratio a / b. For gini and jaccard `value` is the rounded merit; the exact merit is the sum of the children's
    # fractions, less a. The fractions of gini are shares of b samples.
    int64_t a, b
    float64_t value


@cython.final
cdef class LocalDistance:
    cdef DistanceCode code
    cdef bint absent_differ
    cdef index_t n_classes
    cdef ChildCounts children       # with the fractions of the present split and of the best split
    cdef int64_t n_present          # classes of the leaf that Jaccard counts
    cdef int64_t[::1] best_counts   # class counts of the leaf of the best split
    cdef TermSum difference         # scratch
    cdef object memory


cdef int start_local_distance(LocalDistance local, const int64_t* leaf_counts) except -1 nogil
cdef int merit_of_cut(LocalDistance local, const int64_t* left, const int64_t* right, Merit* merit) except -1 nogil
cdef int merit_of_categories(
    LocalDistance local, const uint64_t* entries, index_t n, index_t n_children, const index_t* labels,
    const int64_t* weights, Merit* merit
) except -1 nogil
cdef int compare_merits(LocalDistance local, const Merit* merit, const Merit* best) except -2 nogil
cdef void keep_merit(LocalDistance local) noexcept nogil
