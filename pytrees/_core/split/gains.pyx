"""Gains of given cuts and impurities of given nodes, from their class counts.

Cuts are judged like in the search for the best split, each as if it were the only cut of its node.
"""

from fractions import Fraction

import numpy as np

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.criteria.children cimport exact_fraction
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_counts
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.logarithms cimport NO_INFORMATION
from pytrees._core.criteria.score_table cimport judge_counts, sum_counted_targets
from pytrees._core.criteria.table cimport (
    LAST_ON_COUNTS, CountScan, WeightedScan, best_gain, has_impurity, information_form, judges_in_floating_point,
    move_left, nearest_impurity, offer, refuse_code, start_feature, start_scan, weighted_gain, weighted_impurity,
    whole_impurity,
)

from pytrees._core.criteria.table import class_counts, code_of, is_exact


ctypedef fused Count:
    int64_t
    float64_t


def gains_of_cuts(criterion, left, right):
    """Compute the gain of every cut, as it is reported, from the class counts of its children.

    `left` and `right` are arrays of shape (n_cuts, n_classes), either int64 or float64. A cut that leaves a child empty
    gains nothing.
    """
    cdef Task cuts
    gains = np.zeros(len(left))
    left, right, counts = _as_compared(criterion, left, right)
    if left.dtype == np.int64:
        cuts = Task()
        cuts.counts, cuts.left, cuts.right, cuts.gains = counts, left, right, gains
        with_scan(cuts, counts, False)
    else:
        _judge_weights(counts, left, right, gains)
    return gains


def impurities(criterion, counts):
    """Compute the impurity of every node from its class counts, (n_nodes, n_classes), int64 or float64.

    A node without samples has the impurity 0.
    """
    found = np.zeros(len(counts))
    if not has_impurity(code_of(criterion)):
        refuse_code(code_of(criterion))
    if information_form(code_of(criterion)) != NO_INFORMATION and counts.dtype == np.int64:
        node = class_counts(criterion, counts.shape[1], None, 1)  # without a table of n log2 n, which is rounded
    else:
        counts, _, node = _as_compared(criterion, counts, np.zeros_like(counts[:0]))
    if counts.dtype == np.int64:
        _measure[int64_t](node, counts, found)
    else:
        _measure[float64_t](node, counts, found)
    return found


def weighted_fractions(criterion, const int64_t[:, ::1] counts):
    """Return the impurity of every node times its total count, as fractions; None if the criterion has no exact
    impurities.

    A node has samples: its counts are not all zero.
    """
    cdef Py_ssize_t i, n_classes = counts.shape[1]
    cdef index_t label
    cdef Gain impurity
    code = code_of(criterion)
    if not has_impurity(code):
        refuse_code(code)
    if not is_exact(criterion, n_classes) or information_form(code) != NO_INFORMATION:
        return None
    cdef ClassCounts node = class_counts(criterion, n_classes, None, int(np.sum(counts, axis=1).max()))
    found, zero = [], Fraction(0)
    for i in range(counts.shape[0]):
        for label in range(n_classes):
            node.total_counts[label] = counts[i, label]
        sum_counted_targets(node)
        impurity = whole_impurity(node)
        found.append(exact_fraction(&impurity) if impurity.numerator != 0 else zero)
    return found


def _as_compared(criterion, left, right):
    """Return both children's counts, in floating point if the criterion has no exact gains, and room for the counts of
    a node."""
    n_classes = left.shape[1]
    if code_of(criterion) > LAST_ON_COUNTS:
        refuse_code(code_of(criterion))
    if left.min(initial=0) < 0 or right.min(initial=0) < 0 or left.shape[0] != right.shape[0] and len(right):
        raise ValueError("Class counts must not be negative, and both sides must have the same cuts.")
    if not is_exact(criterion, n_classes) and not judges_in_floating_point(code_of(criterion)):
        left, right = left.astype(np.float64), right.astype(np.float64)
    if left.dtype == np.float64:
        return left, right, class_counts(criterion, n_classes, np.ones(1), 1)
    largest = (left.sum(axis=1) + (right.sum(axis=1) if len(right) else 0)).max(initial=1)
    return left, right, class_counts(criterion, n_classes, None, int(largest))


# ---------------------------------------------------------------------------------------------------- whole numbers

@cython.final
cdef class Task:
    """Cuts to judge, by the class counts of their children."""

    cdef ClassCounts counts
    cdef const int64_t[:, ::1] left, right
    cdef float64_t[::1] gains


cdef int run(Task cuts, CountScan* scan) except -1 nogil:
    cdef Py_ssize_t cut
    cdef index_t label
    cdef Gain gain
    if CountScan is WeightedScan:
        return 0
    else:
        for cut in range(cuts.left.shape[0]):
            if (
                sum_of_counts(&cuts.left[cut, 0], cuts.counts.n_classes) == 0
                or sum_of_counts(&cuts.right[cut, 0], cuts.counts.n_classes) == 0
            ):
                continue
            for label in range(cuts.counts.n_classes):
                cuts.counts.total_counts[label] = cuts.left[cut, label] + cuts.right[cut, label]
            sum_counted_targets(cuts.counts)
            if judge_counts(scan, cuts.counts, &cuts.left[cut, 0], &cuts.right[cut, 0], &gain):
                cuts.gains[cut] = gain.value
                continue
            start_scan(scan, cuts.counts)
            start_feature(scan)
            for label in range(cuts.counts.n_classes):
                if cuts.left[cut, label] > 0:
                    move_left(scan, label, cuts.left[cut, label])
            offer(scan)
            best_gain(scan, &gain)
            cuts.gains[cut] = gain.value
        return 0


include "../criteria/scans.pxi"


# ------------------------------------------------------------------------------ weights that are not whole numbers

cdef void _judge_weights(
    ClassCounts counts, const float64_t[:, ::1] left, const float64_t[:, ::1] right, float64_t[::1] gains
) noexcept:
    cdef WeightedScan scan
    cdef Py_ssize_t cut
    cdef index_t label
    cdef float64_t right_total
    for cut in range(left.shape[0]):
        right_total = 0.0
        for label in range(counts.n_classes):
            counts.total_weights[label] = left[cut, label] + right[cut, label]
            right_total += right[cut, label]
        _start_weighted_scan(&scan, counts)
        start_feature(&scan)
        for label in range(counts.n_classes):
            scan.left_counts[label] = left[cut, label]
            scan.left_total += left[cut, label]
        if scan.left_total > 0.0 and right_total > 0.0:
            gains[cut] = weighted_gain(&scan)


cdef int _measure(ClassCounts node, const Count[:, ::1] counts, float64_t[::1] found) except -1:
    cdef WeightedScan scan
    cdef Py_ssize_t i
    cdef index_t label
    for i in range(counts.shape[0]):
        for label in range(node.n_classes):
            node.total_weights[label] = <float64_t> counts[i, label]
            if Count is int64_t:
                node.total_counts[label] = counts[i, label]
        _start_weighted_scan(&scan, node)
        if scan.total <= 0.0:
            continue
        if Count is float64_t or judges_in_floating_point(node.code):
            found[i] = weighted_impurity(&scan, 0, scan.total)
        else:
            sum_counted_targets(node)
            found[i] = nearest_impurity(node)
    return 0


cdef inline void _start_weighted_scan(WeightedScan* scan, ClassCounts counts) noexcept:
    cdef index_t label
    counts.total_weight = 0.0
    for label in range(counts.n_classes):
        counts.total_weight += counts.total_weights[label]
    start_scan(scan, counts)
