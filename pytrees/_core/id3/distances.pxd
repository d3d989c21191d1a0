"""Distances between two clusterings of the samples: by predicted class and by true class.

Every distance sums a term of each cluster T_i, from the table of |T_i ∩ Y_j|. A term is a whole number (information
gain, variation of information, accuracy, mae), a fraction (gini, jaccard), or two whole numbers, whose sums have a
ratio (gain ratio, normalised variations of information). A term follows from the size of T_i and an inner sum over the
classes.

The functions here are inlined into the loops over cuts, where the distance's code is a constant. `Clusters` refuse
unknown codes.
"""

cimport cython

from pytrees._core.base.fractions cimport Term, nearest_double
from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.base.wide cimport uint128_t


cdef enum DistanceCode:
    DISTANCE_INFORMATION_GAIN
    DISTANCE_GAIN_RATIO
    DISTANCE_NVI
    DISTANCE_NVI_SUM
    DISTANCE_NVI_MAX
    DISTANCE_VI
    DISTANCE_GINI
    DISTANCE_JACCARD
    DISTANCE_ACCURACY
    DISTANCE_MAE


@cython.final
cdef class Clusters:
    """The clusters of the tree, by predicted class, and the sums that a distance needs."""

    cdef DistanceCode code
    cdef index_t n_classes
    cdef const int64_t[::1] table       # n log2 n
    cdef int64_t[::1] counts            # |T_i ∩ Y_j|: by class j, then cluster i
    cdef int64_t[::1] cluster_sizes, class_sizes
    cdef int64_t[::1] sums              # by cluster the inner sum; `terms` follow from it
    cdef Term[::1] terms
    cdef int64_t total
    cdef int64_t class_entropy          # of Y, times the samples
    cdef int64_t absent_similarity      # Jaccard's similarity of a class without samples to itself: 1 or 0


cdef inline bint takes_logarithms(DistanceCode code) noexcept nogil:
    return code == DISTANCE_INFORMATION_GAIN or code == DISTANCE_VI or takes_ratio(code)


cdef inline bint divides_by_joint(DistanceCode code) noexcept nogil:
    """Whether clusterings compare by information gain over their joint entropy. Information gain over the mean of their
    entropies grows with it, so both have the same order."""
    return code == DISTANCE_NVI or code == DISTANCE_NVI_SUM


cdef inline bint takes_ratio(DistanceCode code) noexcept nogil:
    return code == DISTANCE_GAIN_RATIO or code == DISTANCE_NVI_MAX or divides_by_joint(code)


cdef inline bint takes_fractions(DistanceCode code) noexcept nogil:
    return code == DISTANCE_GINI or code == DISTANCE_JACCARD


cdef inline bint sees_the_diagonal(DistanceCode code) noexcept nogil:
    """Whether a cluster's inner sum only counts its samples of the right class."""
    return code == DISTANCE_JACCARD or code == DISTANCE_ACCURACY


cdef inline bint separates(DistanceCode code) noexcept nogil:
    """Whether the distance is a sum over the leaves, so that a split's change does not depend on the rest of the
    tree."""
    return code == DISTANCE_ACCURACY or code == DISTANCE_MAE


cdef inline int64_t part(
    DistanceCode code, Clusters clusters, index_t cluster, index_t label, int64_t count
) noexcept nogil:
    """Return the part of the cluster's inner sum that `count` samples of a class add."""
    if sees_the_diagonal(code):
        return count if cluster == label else 0
    if code == DISTANCE_GINI:
        return count * count
    if code == DISTANCE_MAE:
        return count * (cluster - label if cluster > label else label - cluster)
    return clusters.table[count]


cdef inline int64_t inner_sum(
    DistanceCode code, Clusters clusters, index_t cluster, const int64_t* more
) noexcept nogil:
    """Return the inner sum of the cluster after `more[label]` samples of every class have joined it."""
    cdef index_t label, k = clusters.n_classes
    cdef int64_t total = 0
    if sees_the_diagonal(code):
        return clusters.counts[<Py_ssize_t> cluster * k + cluster] + more[cluster]
    for label in range(k):
        total += part(code, clusters, cluster, label, clusters.counts[<Py_ssize_t> label * k + cluster] + more[label])
    return total


cdef inline Term term_of(
    DistanceCode code, Clusters clusters, index_t cluster, int64_t inner, int64_t size
) noexcept nogil:
    """Return the term of a cluster of this inner sum and size."""
    cdef Term term
    term.b = 1
    if code == DISTANCE_GINI:
        term.a = inner
        if size > 0:
            term.b = size
    elif code == DISTANCE_JACCARD:
        term.b = size + clusters.class_sizes[cluster] - inner
        term.a = inner
        if term.b == 0:
            term.a = clusters.absent_similarity
            term.b = 1
    elif code == DISTANCE_ACCURACY:
        term.a = size - inner
    elif code == DISTANCE_MAE:
        term.a = inner
    elif code == DISTANCE_VI:
        term.a = clusters.table[size] - 2 * inner
    else:
        term.a = clusters.table[size] - inner
        if divides_by_joint(code):
            term.b = inner
        elif code != DISTANCE_INFORMATION_GAIN:
            term.b = clusters.table[size]
    return term


cdef inline void change_cluster(Clusters clusters, index_t cluster, const int64_t* more, int sign) noexcept nogil:
    """Add samples of these class counts to a cluster (sign 1), or take them away (-1)."""
    cdef index_t label, k = clusters.n_classes
    cdef int64_t inner = 0, count
    for label in range(k):
        count = clusters.counts[<Py_ssize_t> label * k + cluster] + sign * more[label]
        clusters.counts[<Py_ssize_t> label * k + cluster] = count
        clusters.cluster_sizes[cluster] += sign * more[label]
        inner += part(clusters.code, clusters, cluster, label, count)
    clusters.sums[cluster] = inner
    clusters.terms[cluster] = term_of(clusters.code, clusters, cluster, inner, clusters.cluster_sizes[cluster])


cdef inline Term sum_of_terms(Clusters clusters) noexcept nogil:
    """Return the sums of both parts of the terms, which must not be fractions."""
    cdef index_t cluster
    cdef Term total = Term(0, 0)
    for cluster in range(clusters.n_classes):
        total.a += clusters.terms[cluster].a
        total.b += clusters.terms[cluster].b
    return total


cdef inline Term ratio_of_sums(DistanceCode code, Clusters clusters, int64_t a, int64_t b) noexcept nogil:
    """Return the ratio of gain and entropy from the two sums of the terms; 0 / 1 if the entropy is 0."""
    cdef Term ratio
    ratio.a = clusters.class_entropy - a
    ratio.b = clusters.table[clusters.total] - b
    if code == DISTANCE_NVI_MAX:
        ratio.b = max(ratio.b, clusters.class_entropy)
    if ratio.b == 0:
        ratio.a = 0
        ratio.b = 1
    return ratio


cdef inline int64_t log_margin_of(DistanceCode code, Clusters clusters) noexcept nogil:
    """Bound the error of the difference of two gains of the whole tree, in units of 2**-30 bit. Each gain takes a
    number from the table for every class of every cluster (twice for vi), for every cluster, and for every class."""
    cdef int64_t margin = (<int64_t> clusters.n_classes + 1) * (clusters.n_classes + 1)
    return 2 * margin if code == DISTANCE_VI else margin


cdef inline float64_t distance_of(Clusters clusters) noexcept nogil:
    """Return the distance, or the similarity if the measure is one. Fractions are added in class order."""
    cdef index_t cluster
    cdef Term total, term
    cdef float64_t result = 0.0
    if takes_fractions(clusters.code):
        for cluster in range(clusters.n_classes):
            term = clusters.terms[cluster]
            if clusters.code == DISTANCE_JACCARD:
                term.a = term.b - term.a
            result += <float64_t> term.a / <float64_t> term.b
        return result if clusters.code == DISTANCE_JACCARD else 1.0 - result / <float64_t> clusters.total
    total = sum_of_terms(clusters)
    if clusters.code == DISTANCE_INFORMATION_GAIN:
        return nearest_double(known_units(clusters, clusters.class_entropy - total.a), <uint128_t> clusters.total << 30)
    if separates(clusters.code):
        return nearest_double(total.a, <uint128_t> clusters.total)
    if clusters.code == DISTANCE_VI:
        total.a += clusters.table[clusters.total] - clusters.class_entropy
        return nearest_double(total.a, <uint128_t> clusters.total << 30)
    term = ratio_of_sums(clusters.code, clusters, total.a, total.b)
    if clusters.code == DISTANCE_GAIN_RATIO:
        return nearest_double(known_units(clusters, term.a), <uint128_t> term.b)
    if clusters.class_entropy == 0 and total.b == clusters.table[clusters.total]:
        return 0.0      # one class and one cluster
    # H(T) + H(Y) is H(T, Y) and the gain.
    return nearest_double(term.b - term.a, <uint128_t> term.b + (term.a if clusters.code == DISTANCE_NVI_SUM else 0))


cdef inline int64_t known_units(Clusters clusters, int64_t units) noexcept nogil:
    """Return the information gain of the clusters in units: exactly 0 if they gain nothing, otherwise at least 1."""
    if units > log_margin_of(clusters.code, clusters):
        return units
    return 0 if tells_nothing(clusters) else max(units, 1)


cdef bint tells_nothing(Clusters clusters) noexcept nogil
cdef float64_t largest_term(Clusters clusters) noexcept nogil
cdef void score_undivided(
    DistanceCode code, bint absent_differ, const int64_t* counts, index_t n_classes, int64_t* numerator,
    int64_t* denominator
) noexcept nogil
