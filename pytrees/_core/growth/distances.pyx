"""Distances between two clusterings of the same rows, from the table of their intersections."""

import numpy as np

cimport cython

from pytrees._core.base.exact_sums cimport Term, TermSum, add_term, sign_of_sum
from pytrees._core.base.types cimport (index_t, int64_t)
from pytrees._core.split.scan cimport (ACCURACY, ENTROPY, GAIN_RATIO, GINI, JACCARD, MAE, NVI, CriterionCode)

from pytrees._core.criteria.counts import n_log2_n

DISTANCES = {
    "information_gain": ENTROPY,
    "gain_ratio": GAIN_RATIO,
    "nvi": NVI,
    "gini": GINI,
    "jaccard": JACCARD,
    "accuracy": ACCURACY,
    "mae": MAE,
}


@cython.final
cdef class ClusterMemory:
    def __cinit__(self, CriterionCode code, const int64_t[::1] class_sizes):
        cdef index_t label, k = <index_t> class_sizes.shape[0]
        self.counts = np.zeros((k, k), dtype=np.int64)
        self.cluster_sizes = np.zeros(k, dtype=np.int64)
        self.class_sizes = np.array(class_sizes)
        self.sums = np.zeros(k, dtype=np.int64)
        self.terms = np.zeros((k, 2), dtype=np.int64)
        self.clusters.total = np.sum(class_sizes)
        self.table = n_log2_n(self.clusters.total if code in (ENTROPY, GAIN_RATIO, NVI) else 0)
        self.clusters.code = code
        self.clusters.n_classes = k
        self.clusters.table = &self.table[0]
        self.clusters.counts = &self.counts[0, 0]
        self.clusters.cluster_sizes = &self.cluster_sizes[0]
        self.clusters.class_sizes = &self.class_sizes[0]
        self.clusters.sums = &self.sums[0]
        self.clusters.terms = <Term*> &self.terms[0, 0]
        nothing = np.zeros(k, dtype=np.int64)
        for label in range(k):
            _change(self, label, nothing)
        if code in (ENTROPY, GAIN_RATIO, NVI):
            self.clusters.class_entropy = self.table[self.clusters.total]
            for label in range(k):
                self.clusters.class_entropy -= self.table[self.class_sizes[label]]


def _change(ClusterMemory memory, index_t cluster, const int64_t[::1] more):
    change_cluster(&memory.clusters, cluster, &more[0], 1)


def table_distance(const int64_t[:, ::1] table, name):
    """A distance, of information gain and gain ratio the similarity, of clusterings T and Y of the same rows.

    `table` has |T_i ∩ Y_j| by cluster i and class j.
    """
    cdef ClusterMemory memory = ClusterMemory(DISTANCES[name], np.sum(table, axis=0))
    cdef index_t cluster
    for cluster in range(<index_t> table.shape[0]):
        change_cluster(&memory.clusters, cluster, &table[cluster, 0], 1)
    return distance_of(&memory.clusters)


def sign_of_fractions(numerators, denominators):
    """The sign of a sum of fractions of positive denominators, as global steps are compared: -1, 0 or 1."""
    cdef TermSum total
    cdef Term term
    cdef int64_t[:, ::1] terms = np.empty((max(1, len(numerators)), 2), dtype=np.int64)
    cdef int[::1] signs = np.empty(max(1, len(numerators)), dtype=np.intc)
    total.n_terms = 0
    total.terms = <Term*> &terms[0, 0]
    total.signs = &signs[0]
    for numerator, denominator in zip(numerators, denominators, strict=True):
        term.a = abs(numerator)
        term.b = denominator
        add_term(&total, term, 1 if numerator >= 0 else -1)
    return sign_of_sum(&total)
