"""Gains of given cuts and impurities of given nodes, from their class counts.

Cuts are judged like in the search for the best split, each as if it were the only cut of its node.
"""

from fractions import Fraction

import numpy as np

cimport cython

from pytrees._core.base.fractions cimport exact_integer
from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.criteria.children cimport exact_fraction
from pytrees._core.criteria.codes cimport LAST_ON_COUNTS, has_impurity, information_form, refuse_code
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums, sum_of_counts
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.impurity_table cimport nearest_impurity, whole_impurity
from pytrees._core.criteria.logarithms cimport NO_INFORMATION
from pytrees._core.criteria.table cimport (
    CountScan, best_gain, judge_counts, move_left, offer, start_feature, start_scan, sum_counted_targets,
)
from pytrees._core.criteria.wide cimport exact_impurity_of, nearest

from pytrees._core.criteria.table import class_counts, code_of, is_exact, judges_means


def gains_of_cuts(criterion, left, right):
    """Compute the gain of every cut, as it is reported, from the class counts of its children.

    `left` and `right` are arrays of shape (n_cuts, n_classes), int64. A cut that leaves a child empty gains nothing.
    """
    cdef Task cuts = Task()
    gains = np.zeros(len(left))
    cuts.counts = _room_for(criterion, left, right)
    cuts.left, cuts.right, cuts.gains = left, right, gains
    with_scan(cuts, cuts.counts)
    return gains


def impurities(criterion, counts):
    """Compute the impurity of every node from its class counts, (n_nodes, n_classes), int64.

    A node without samples has the impurity 0.
    """
    found = np.zeros(len(counts))
    _check_impurity(criterion)
    # Entropies take no table of n log2 n, which is rounded.
    takes_table = information_form(code_of(criterion)) == NO_INFORMATION
    _measure(_room_for(criterion, counts if takes_table else counts[:0], counts[:0]), counts, found)
    return found


def weighted_fractions(criterion, const int64_t[:, ::1] counts):
    """Return the impurity of every node times its total count, as fractions; None if the criterion has no exact
    impurities.

    A node has samples: its counts are not all zero.
    """
    cdef Py_ssize_t i
    cdef index_t label
    cdef Gain impurity
    _check_impurity(criterion)
    if not is_exact(criterion) or information_form(code_of(criterion)) != NO_INFORMATION:
        return None
    cdef ClassCounts node = _room_for(criterion, np.asarray(counts), np.asarray(counts[:0]))
    cdef bint sums_squares = judges_means(criterion)
    found, zero = [], Fraction(0)
    for i in range(counts.shape[0]):
        for label in range(node.n_classes):
            node.total_counts[label] = counts[i, label]
        if node.is_wide:
            found.append(sum(np.asarray(counts[i]).tolist()) * exact_impurity_of(node))
            continue
        sum_counted_targets(node)
        if sums_squares:
            found.append(_squared_error(&node.sums))
            continue
        impurity = whole_impurity(node)
        found.append(exact_fraction(&impurity) if impurity.numerator != 0 else zero)
    return found


cdef object _squared_error(const TargetSums* sums):
    """Return the sum of the squared distances to the mean."""
    return exact_integer(sums.spread) - Fraction(exact_integer(sums.sum) ** 2, int(sums.weight))


def _check_impurity(criterion):
    if not has_impurity(code_of(criterion)):
        refuse_code(code_of(criterion))


def _room_for(criterion, left, right):
    """Return room for the counts of a node whose children have these counts, or one of the children if the other has
    none."""
    if code_of(criterion) > LAST_ON_COUNTS:
        refuse_code(code_of(criterion))
    if left.min(initial=0) < 0 or right.min(initial=0) < 0 or left.shape[0] != right.shape[0] and len(right):
        raise ValueError("Class counts must not be negative, and both sides must have the same cuts.")
    largest = (left.sum(axis=1) + (right.sum(axis=1) if len(right) else 0)).max(initial=1)
    return class_counts(criterion, left.shape[1], None, 1, int(largest))


# ---------------------------------------------------------------------------------------------------- gains

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


include "../criteria/scans.pxi"


# ---------------------------------------------------------------------------------------------------- impurities

cdef int _measure(ClassCounts node, const int64_t[:, ::1] counts, float64_t[::1] found) except -1:
    cdef Py_ssize_t i
    cdef index_t label
    cdef int64_t total
    for i in range(counts.shape[0]):
        total = 0
        for label in range(node.n_classes):
            node.total_counts[label] = counts[i, label]
            total += counts[i, label]
        if total == 0:
            continue
        if node.is_wide and node.form == NO_INFORMATION:
            found[i] = nearest(exact_impurity_of(node))
        else:
            sum_counted_targets(node)
            found[i] = nearest_impurity(node)
