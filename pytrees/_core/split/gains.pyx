"""Gains of given cuts and impurities of given nodes, from their class counts.

Cuts are judged as the search for the best split judges them, each as if it were the only cut of its node.
"""

from fractions import Fraction

import numpy as np

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.criteria.children cimport exact_fraction
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_counts
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan
from pytrees._core.criteria.jaccard cimport JaccardScan
from pytrees._core.criteria.labelled cimport LabelledScan
from pytrees._core.criteria.logarithms cimport NO_INFORMATION, nearest_entropy
from pytrees._core.criteria.ordinal_gini cimport OrdinalGiniScan
from pytrees._core.criteria.ranking cimport RankingScan
from pytrees._core.criteria.ratios cimport RatioScan
from pytrees._core.criteria.variation cimport VariationScan
from pytrees._core.criteria.weighted cimport WeightedScan
from pytrees._core.criteria.wig cimport WigBest, WigScan
from pytrees._core.split.table cimport (
    ACCURACY, ENTROPY, GINI, JACCARD, LAST_ON_COUNTS, MAE, ORDINAL_GINI, RANKING, VI, WIG, WholeScan,
    best_gain, has_impurity, information_form, is_binary_gini, judges_in_floating_point, move_left, offer, refuse_code,
    start_feature, start_scan, takes_ratio, weighted_gain, weighted_impurity, whole_impurity,
)

from pytrees._core.split.scan import class_counts, code_of, is_exact


def gains_of_cuts(criterion, left, right):
    """Compute the gain of every cut, as it is reported, from the class counts of its children.

    `left` and `right` are arrays of shape (n_cuts, n_classes), either int64 or float64. A cut that leaves a child empty
    gains nothing.
    """
    gains = np.zeros(len(left))
    left, right, counts = _as_compared(criterion, left, right)
    if left.dtype == np.int64:
        _judge_whole(counts, left, right, gains)
    else:
        _judge_weights(counts, left, right, gains)
    return gains


def impurities(criterion, counts):
    """Compute the impurity of every node from its class counts, (n_nodes, n_classes), int64 or float64.

    That of a node without samples is 0.
    """
    found = np.zeros(len(counts))
    if not has_impurity(code_of(criterion)):
        refuse_code(code_of(criterion))
    if code_of(criterion) == ENTROPY and counts.dtype == np.int64:
        node = class_counts(criterion, counts.shape[1], None, 1)  # without a table of n log2 n, which is rounded
    else:
        counts, _, node = _as_compared(criterion, counts, np.zeros_like(counts[:0]))
    if counts.dtype == np.int64:
        _measure_whole(node, counts, found)
    else:
        _measure_weights(node, counts, found)
    return found


def weighted_fractions(criterion, const int64_t[:, ::1] counts):
    """Return the impurity of every node times its total count, as fractions; None where the criterion's are none.

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
        impurity = whole_impurity(node)
        found.append(exact_fraction(&impurity) if impurity.numerator != 0 else zero)
    return found


def _as_compared(criterion, left, right):
    """Return both children's counts, of floating-point numbers where the criterion has no exact gains of whole ones,
    and room for the counts of a node."""
    n_classes = left.shape[1]
    if code_of(criterion) > LAST_ON_COUNTS:
        refuse_code(code_of(criterion))
    if not is_exact(criterion, n_classes) and not judges_in_floating_point(code_of(criterion)):
        left, right = left.astype(np.float64), right.astype(np.float64)
    if left.dtype == np.float64:
        return left, right, class_counts(criterion, n_classes, np.ones(1), 1)
    largest = (left.sum(axis=1) + (right.sum(axis=1) if len(right) else 0)).max(initial=1)
    return left, right, class_counts(criterion, n_classes, None, int(largest))


# ---------------------------------------------------------------------------------------------------- whole numbers

cdef int _judge_whole(
    ClassCounts counts, const int64_t[:, ::1] left, const int64_t[:, ::1] right, float64_t[::1] gains
) except -1:
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef OrdinalGiniScan ordinal_gini
    cdef RankingScan ranking
    cdef RatioScan ratio
    cdef VariationScan variation
    cdef JaccardScan jaccard
    cdef LabelledScan labelled
    cdef WigScan wig
    cdef WigBest wig_best
    if is_binary_gini(counts.code, counts.n_classes):
        _judge_cuts(&binary_gini, counts, left, right, gains)
    elif counts.code == ORDINAL_GINI:
        _judge_cuts(&ordinal_gini, counts, left, right, gains)
    elif counts.code == RANKING:
        _judge_cuts(&ranking, counts, left, right, gains)
    elif takes_ratio(counts.code):
        _judge_cuts(&ratio, counts, left, right, gains)
    elif counts.code == VI:
        _judge_cuts(&variation, counts, left, right, gains)
    elif counts.code == JACCARD:
        _judge_cuts(&jaccard, counts, left, right, gains)
    elif counts.code == ACCURACY or counts.code == MAE:
        _judge_cuts(&labelled, counts, left, right, gains)
    elif counts.code == WIG:
        wig.best = &wig_best
        _judge_cuts(&wig, counts, left, right, gains)
    elif counts.code == ENTROPY:
        _judge_cuts(&entropy, counts, left, right, gains)
    elif counts.code == GINI:
        _judge_cuts(&gini, counts, left, right, gains)
    else:
        return refuse_code(counts.code)
    return 0


cdef int _judge_cuts(
    WholeScan* scan, ClassCounts counts, const int64_t[:, ::1] left, const int64_t[:, ::1] right, float64_t[::1] gains
) except -1:
    cdef Py_ssize_t cut
    cdef index_t label
    cdef Gain gain
    with nogil:
        for cut in range(left.shape[0]):
            if (
                sum_of_counts(&left[cut, 0], counts.n_classes) == 0
                or sum_of_counts(&right[cut, 0], counts.n_classes) == 0
            ):
                continue
            for label in range(counts.n_classes):
                counts.total_counts[label] = left[cut, label] + right[cut, label]
            start_scan(scan, counts)
            start_feature(scan)
            for label in range(counts.n_classes):
                if left[cut, label] > 0:
                    move_left(scan, label, left[cut, label])
            offer(scan)
            best_gain(scan, &gain)
            gains[cut] = gain.value
    return 0


cdef int _measure_whole(ClassCounts node, const int64_t[:, ::1] counts, float64_t[::1] found) except -1:
    cdef WeightedScan scan
    cdef Py_ssize_t i
    cdef index_t label
    cdef bint is_float = judges_in_floating_point(node.code)
    for i in range(counts.shape[0]):
        if sum_of_counts(&counts[i, 0], node.n_classes) == 0:
            continue
        for label in range(node.n_classes):
            node.total_counts[label] = counts[i, label]
            node.total_weights[label] = <float64_t> counts[i, label]
        if is_float:
            found[i] = _weighted_impurity_of(&scan, node)
        elif node.code == ENTROPY:
            found[i] = nearest_entropy(&counts[i, 0], node.n_classes)
        else:
            found[i] = whole_impurity(node).value
    return 0


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


cdef void _measure_weights(ClassCounts node, const float64_t[:, ::1] counts, float64_t[::1] found) noexcept:
    cdef WeightedScan scan
    cdef Py_ssize_t i
    cdef index_t label
    for i in range(counts.shape[0]):
        for label in range(node.n_classes):
            node.total_weights[label] = counts[i, label]
        found[i] = _weighted_impurity_of(&scan, node)


cdef float64_t _weighted_impurity_of(WeightedScan* scan, ClassCounts node) noexcept:
    _start_weighted_scan(scan, node)
    return weighted_impurity(scan, 0, scan.total) if scan.total > 0.0 else 0.0


cdef inline void _start_weighted_scan(WeightedScan* scan, ClassCounts counts) noexcept:
    cdef index_t label
    counts.total_weight = 0.0
    for label in range(counts.n_classes):
        counts.total_weight += counts.total_weights[label]
    start_scan(scan, counts)
