"""Distances between two clusterings of the same rows, from the table of their intersections."""

import numpy as np

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t

from pytrees._core.criteria.counts import n_log2_n

# The code of every distance, by its name.
DISTANCES = {
    "information_gain": DISTANCE_INFORMATION_GAIN,
    "gain_ratio": DISTANCE_GAIN_RATIO,
    "nvi": DISTANCE_NVI,
    "gini": DISTANCE_GINI,
    "jaccard": DISTANCE_JACCARD,
    "accuracy": DISTANCE_ACCURACY,
    "mae": DISTANCE_MAE,
}

# The dtype of a Term.
TERM = np.dtype([("a", np.int64), ("b", np.int64)])


@cython.final
cdef class Clusters:
    def __cinit__(self, DistanceCode code, const int64_t[::1] class_sizes):
        """Every cluster is empty; `class_sizes` are the rows of every class."""
        cdef index_t label, k = <index_t> class_sizes.shape[0]
        if code not in DISTANCES.values():
            raise ValueError(f"Unknown distance code {code}.")
        self.code = code
        self.n_classes = k
        self.counts = np.zeros(k * k, dtype=np.int64)
        self.cluster_sizes = np.zeros(k, dtype=np.int64)
        self.class_sizes = np.array(class_sizes)
        self.sums = np.zeros(k, dtype=np.int64)
        self.terms = np.zeros(k, dtype=TERM)
        self.total = np.sum(class_sizes)
        self.table = n_log2_n(self.total if takes_logarithms(code) else 0)
        for label in range(k):
            self.terms[label] = term_of(code, self, label, 0, 0)
        if takes_logarithms(code):
            self.class_entropy = self.table[self.total]
            for label in range(k):
                self.class_entropy -= self.table[self.class_sizes[label]]


cdef float64_t largest_term(Clusters clusters) noexcept nogil:
    """Return a bound on the magnitude of the terms, of ratios on that of both of their parts."""
    if clusters.code == DISTANCE_JACCARD:
        return 1.0
    if clusters.code == DISTANCE_MAE:
        return <float64_t> clusters.n_classes * <float64_t> clusters.total
    if takes_logarithms(clusters.code):
        return <float64_t> clusters.table[clusters.total]
    return <float64_t> clusters.total


cdef void score_undivided(
    DistanceCode code, const Count* counts, index_t n_classes, Count* numerator, Count* denominator
) noexcept nogil:
    """Score a leaf as it is, as one cluster, of the class that suits it best: minus the distance, or the similarity, to
    the classes within it, as a fraction. A split's gain adds to this. What is the same for all leaves is left out."""
    cdef index_t label, other
    cdef Count total = 0, score, best = 0
    numerator[0] = 0
    denominator[0] = 1
    if takes_logarithms(code):
        return
    for label in range(n_classes):
        total += counts[label]
    denominator[0] = total * total if code == DISTANCE_GINI else total
    for label in range(n_classes):
        if code == DISTANCE_GINI:
            numerator[0] += counts[label] * counts[label]
            continue
        if code == DISTANCE_JACCARD and counts[label] > 0:
            numerator[0] -= total
        score = counts[label]
        if code == DISTANCE_MAE:
            score = 0
            for other in range(n_classes):
                score -= counts[other] * (label - other if label > other else other - label)
        if label == 0 or score > best:
            best = score
    numerator[0] += best


def table_distance(const int64_t[:, ::1] table, name):
    """Compute a distance, of information gain and gain ratio the similarity, of clusterings T and Y of the same rows.

    `table` has |T_i ∩ Y_j| by cluster i and class j.
    """
    cdef Clusters clusters = Clusters(DISTANCES[name], np.sum(table, axis=0))
    cdef index_t cluster
    for cluster in range(<index_t> table.shape[0]):
        change_cluster(clusters, cluster, &table[cluster, 0], 1)
    return distance_of(clusters)
