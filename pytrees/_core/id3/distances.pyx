"""Distances between two clusterings of the same samples, from the table of their intersections."""

from fractions import Fraction

import numpy as np

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.criteria.counts cimport sum_of_counts

from pytrees._core.criteria.counts import n_log2_n

# The code of every distance, by name.
DISTANCES = {
    "information_gain": DISTANCE_INFORMATION_GAIN,
    "gain_ratio": DISTANCE_GAIN_RATIO,
    "nvi": DISTANCE_NVI,
    "nvi_sum": DISTANCE_NVI_SUM,
    "nvi_max": DISTANCE_NVI_MAX,
    "vi": DISTANCE_VI,
    "gini": DISTANCE_GINI,
    "jaccard": DISTANCE_JACCARD,
    "accuracy": DISTANCE_ACCURACY,
    "mae": DISTANCE_MAE,
}

# The dtype of a Term.
TERM = np.dtype([("a", np.int64), ("b", np.int64)])


@cython.final
cdef class Clusters:
    def __cinit__(self, DistanceCode code, const int64_t[::1] class_sizes, bint absent_differ):
        """All clusters are empty; `class_sizes` count the samples of every class. `absent_differ` is for Jaccard: two
        empty sets are different."""
        cdef index_t label, k = <index_t> class_sizes.shape[0]
        if code not in DISTANCES.values():
            raise ValueError(f"Unknown distance code {code}.")
        self.code = code
        self.n_classes = k
        self.absent_similarity = not absent_differ
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


cdef bint tells_nothing(Clusters clusters) noexcept nogil:
    """Whether all clusters have the same shares of the classes, so that the information gain is 0."""
    cdef index_t cluster, label, k = clusters.n_classes
    cdef int64_t count
    for cluster in range(k):
        for label in range(k):
            count = clusters.counts[<Py_ssize_t> label * k + cluster]
            if count * clusters.total != clusters.cluster_sizes[cluster] * clusters.class_sizes[label]:
                return False
    return True


cdef float64_t largest_term(Clusters clusters) noexcept nogil:
    """Return a bound on the magnitude of the terms; for ratios, on the magnitude of both parts."""
    if clusters.code == DISTANCE_JACCARD:
        return 1.0
    if clusters.code == DISTANCE_MAE:
        return <float64_t> clusters.n_classes * <float64_t> clusters.total
    if takes_logarithms(clusters.code):
        return (2.0 if clusters.code == DISTANCE_VI else 1.0) * <float64_t> clusters.table[clusters.total]
    return <float64_t> clusters.total


cdef void score_undivided(
    DistanceCode code, bint absent_differ, const int64_t* counts, index_t n_classes, int64_t* numerator,
    int64_t* denominator
) noexcept nogil:
    """Write the score of an undivided leaf as a fraction. The merit of a split is this score plus the split's gain.

    The leaf is one cluster, labelled with its best class. The score is the similarity of this cluster to the classes of
    the leaf, or minus the distance. Terms that are equal for all leaves are left out.
    """
    cdef index_t label, other
    cdef int64_t total, count, score, best = 0
    numerator[0] = 0
    denominator[0] = 1
    # For vi, the merit takes the entropy of the classes from the table.
    if takes_logarithms(code):
        return
    total = sum_of_counts(counts, n_classes)
    denominator[0] = total * total if code == DISTANCE_GINI else total
    for label in range(n_classes):
        count = counts[label]
        if code == DISTANCE_GINI:
            numerator[0] += count * count
            continue
        if code == DISTANCE_JACCARD and (count > 0 or absent_differ):
            numerator[0] -= total
        score = count
        if code == DISTANCE_MAE:
            score = 0
            for other in range(n_classes):
                score -= counts[other] * (label - other if label > other else other - label)
        if label == 0 or score > best:
            best = score
    numerator[0] += best


def exact_undivided(name, absent_differ, counts):
    """Return the same score as a fraction, for class counts of any size: by gini or Jaccard similarity."""
    total = sum(counts)
    if name == "gini":
        return Fraction(sum(count * count for count in counts), total * total)
    return Fraction(max(counts), total) - sum(count > 0 or absent_differ for count in counts)


def parts_of(distance):
    """Return the name of a distance, and whether Jaccard counts classes without samples as different."""
    name, parameters = (distance, {}) if isinstance(distance, str) else distance
    return name, parameters.get("absent_classes", "equal") == "different"


def table_distance(const int64_t[:, ::1] table, distance):
    """Compute the distance of clusterings T and Y of the same samples; for information gain and gain ratio, the
    similarity.

    `table` has |T_i ∩ Y_j| by cluster i and class j.
    """
    name, absent_differ = parts_of(distance)
    if name not in DISTANCES:
        raise ValueError(f"distance must be one of {sorted(DISTANCES)}, got {name!r}.")
    if table.shape[0] == 0 or table.shape[1] == 0 or np.min(table) < 0:
        raise ValueError("A table of clusterings holds numbers of samples, which are not negative.")
    cdef Clusters clusters = Clusters(DISTANCES[name], np.sum(table, axis=0), absent_differ)
    cdef index_t cluster
    for cluster in range(<index_t> table.shape[0]):
        change_cluster(clusters, cluster, &table[cluster, 0], 1)
    return distance_of(clusters)
