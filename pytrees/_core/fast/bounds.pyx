"""Which criteria have bounds and scores, and the bound of a bin that is given."""

import numpy as np

cimport cython
from libc.math cimport INFINITY

from pytrees._core.base.sizes cimport LANES_OF_ORDER
from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t
from pytrees._core.criteria.codes cimport ENTROPY, GINI, ORDINAL_GINI, RANKING, SQUARED_ERROR, is_binary_gini
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.table cimport CountScan, start_feature, start_scan

from pytrees._core.criteria.table import class_counts, code_of, exact_costs


def has_bounds(criterion, n_classes):
    """Whether there is a bound on what cuts inside a bin gain, so that features can be cut into bins."""
    code = code_of(criterion)
    if code == RANKING and n_classes == 2:
        # If pairs cost nothing, all cuts are alike.
        cost = exact_costs(criterion, n_classes)[0][1]
        return isinstance(cost, int) and cost > 0
    return code in (GINI, ENTROPY, ORDINAL_GINI)


def has_wide_bounds(criterion, n_classes):
    """The same of sums of weights on a fine grid."""
    code = code_of(criterion)
    return n_classes == 2 and (code == ENTROPY or is_binary_gini(code, n_classes))


def has_sums_in_bins(criterion):
    """Whether bins hold sums of targets, which bound what cuts inside a bin gain."""
    return code_of(criterion) == SQUARED_ERROR


def scores_cuts(criterion, n_classes, weights):
    """Whether the cuts of sorted entries have scores in vectors."""
    code = code_of(criterion)
    return code == SQUARED_ERROR or is_binary_gini(code, n_classes) or weights is None and (
        code == GINI or code == ENTROPY or scores_forms(criterion, n_classes)
    )


def scores_logarithms(criterion):
    """Whether the scores of sorted entries are sums of n log2 n."""
    return code_of(criterion) == ENTROPY


def scores_forms(criterion, n_classes):
    """Whether the scores of sorted entries are forms of the samples of the classes above each: ordinal Gini, and
    ranking impurity if neighbouring classes are all equally far from each other."""
    code = code_of(criterion)
    if not 2 < n_classes <= LANES_OF_ORDER + 1:
        return False
    if code != RANKING:
        return code == ORDINAL_GINI
    costs = exact_costs(criterion, n_classes)
    unit = costs[0][1]
    return isinstance(unit, int) and unit > 0 and all(
        cost == unit * abs(one - other) for one, row in enumerate(costs) for other, cost in enumerate(row)
    )


def highest_score(criterion, const int64_t[::1] left, const int32_t[::1] counts, const int64_t[::1] right):
    """Bound the score of every cut inside a bin, given the class counts to its left, in it and to its right.

    The bin has at least two samples. The reference returns the highest score itself, which is never above the bound.

    The best cut of a node has the highest score, up to factors and terms that all cuts of the node share. The score is
    D**2 / (L R) for gini and ordinal gini of two classes, and sum over classes of left_k**2 / L + right_k**2 / R for
    gini of more classes; for ordinal gini of more classes, the same of the counts of the classes up to each. For
    entropy it is minus the children's entropies times their samples, in units of 2**-30 bit. For ranking of two classes
    it is minus the products of the children's class counts, times their samples if children are weighted.
    """
    if min(np.min(left), np.min(counts), np.min(right)) < 0:
        raise ValueError("Class counts must not be negative.")
    cdef int64_t[::1] totals = np.asarray(left) + np.asarray(counts) + np.asarray(right)
    cdef Task bin = Task()
    if not has_bounds(criterion, totals.shape[0]):
        raise ValueError(f"{criterion!r} has no bounds for {totals.shape[0]} classes.")
    bin.node = class_counts(criterion, totals.shape[0], None, np.sum(totals))
    bin.node.total_counts[:] = totals
    bin.left, bin.counts = left, counts
    with_scan(bin, bin.node)
    return bin.bound


@cython.final
cdef class Task:
    """A bin whose cuts are bounded."""

    cdef ClassCounts node
    cdef const int64_t[::1] left
    cdef const int32_t[::1] counts
    cdef float64_t bound


cdef int run(Task bin, CountScan* scan) except -1 nogil:
    cdef index_t label
    cdef int64_t total = 0
    if CountScan in BinnedScan:
        start_scan(scan, bin.node)
        start_feature(scan)
        for label in range(bin.node.n_classes):
            move_left(scan, label, bin.left[label])
            total += bin.counts[label]
        bin.bound = upper_bound(scan, &bin.counts[0], total, -INFINITY)
    return 0


include "../criteria/scans.pxi"
