"""The table of criteria: their names, and the properties that follow from a name and its parameters."""

import numpy as np

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t
from pytrees._core.criteria.counts cimport ClassCounts, are_numbers
from pytrees._core.criteria.logarithms cimport doubled
from pytrees._core.criteria.ordinal_gini cimport ordinal_gini_kernel
from pytrees._core.criteria.ranking cimport ranking_kernel
from pytrees._core.criteria.wig cimport weigh_classes
from pytrees._core.sequence.impurities cimport COMPLEXITY, EFFORT

from pytrees._core.criteria.counts import costs_of, given_of, n_log2_n, name_and_given, parameters_of, targets_of

# Twice n log2 n is below 2**63 for this many samples, in units of 2**-30 bit.
MOST_DOUBLED = 2**27

CODES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "ogini": ORDINAL_GINI,
    "wig": WIG,
    "ranking": RANKING,
    "gain_ratio": GAIN_RATIO,
    "nvi": NVI,
    "nvi_sum": NVI_SUM,
    "nvi_max": NVI_MAX,
    "vi": VI,
    "jaccard": JACCARD,
    "accuracy": ACCURACY,
    "mae": MAE,
    "squared_error": SQUARED_ERROR,
    "absolute_error": ABSOLUTE_ERROR,
    "etc": ETC,
    "lz76": LZ76,
    "user_counts": USER_COUNTS,
    "user_sequence": USER_SEQUENCE,
}


# Criteria whose gain is a convex function of the left child's class counts, or such a function over a concave one.
CONVEX = ("gini", "entropy", "gain_ratio", "nvi", "nvi_sum", "ogini")


def judges_sequence(criterion):
    """Whether the criterion sees the labels in the order of the samples, which then have no weights."""
    return judging_of(criterion) in (SEQUENCES, OWN_SEQUENCES)


def judging_of(criterion):
    """Return what the criterion judges, as a number of `Judging`."""
    special = {ETC: SEQUENCES, LZ76: SEQUENCES, USER_SEQUENCE: OWN_SEQUENCES, USER_COUNTS: OWN_CLASS_COUNTS}
    return special.get(code_of(criterion), CLASS_COUNTS)


def sequence_impurity_of(criterion):
    """Return the impurity of a label sequence as a number of `SequenceImpurity`; only criteria on label sequences use
    it."""
    return COMPLEXITY if code_of(criterion) == LZ76 else EFFORT


def code_of(criterion):
    """Return the code of a criterion, which is a name, or a name and parameters."""
    name = name_and_given(criterion)[0]
    if not isinstance(name, str) or name not in CODES:
        raise ValueError(f"criterion must be one of {sorted(CODES)}, got {name!r}.")
    return CODES[name]


def is_exact(criterion, n_classes):
    """Whether gains of whole class counts are compared exactly."""
    costs = costs_of(criterion, n_classes)
    numbers = costs if len(costs) > 0 else parameters_of(criterion, n_classes)[2]
    return code_of(criterion) != WIG and bool(np.all(numbers == np.floor(numbers)))


def has_bounds(criterion, n_classes):
    """Whether there is a bound on what cuts inside a bin gain, so that features can be cut into bins."""
    code = code_of(criterion)
    if code == RANKING and n_classes == 2 and is_exact(criterion, n_classes):
        # If pairs cost nothing, all cuts are alike.
        costs, scores = costs_of(criterion, n_classes), parameters_of(criterion, n_classes)[2]
        return bool(costs[0, 1] > 0 if len(costs) > 0 else scores[0] != scores[1])
    return code in (GINI, ENTROPY) or is_binary_gini(code, n_classes)


def orders_by_share(criterion, n_classes):
    """Whether the best division of categories is among the divisions in the order of the second class's share."""
    name, _, _, weighs_children = parameters_of(criterion, n_classes)
    return n_classes == 2 and name in CONVEX and weighs_children


def has_sums_in_bins(criterion):
    """Whether bins hold sums of targets, which bound what cuts inside a bin gain."""
    return code_of(criterion) == SQUARED_ERROR


def orders_by_mean(criterion):
    """Whether the best division of categories is among the divisions in the order of the means of the targets."""
    return code_of(criterion) == SQUARED_ERROR


def scores_cuts(criterion, n_classes, weights):
    """Whether the cuts of sorted entries have scores in vectors."""
    code = code_of(criterion)
    return code == SQUARED_ERROR or weights is None and (code == GINI or is_binary_gini(code, n_classes))


def judges_medians(criterion):
    """Whether the criterion judges distances to the median of the targets."""
    return code_of(criterion) == ABSOLUTE_ERROR


def weights_as_compared(criterion, n_classes, n_rows, weights):
    """Return the weights as the criterion compares them: floating-point numbers if gains are compared with a tolerance,
    unless the criterion takes whole counts all the same."""
    if is_exact(criterion, n_classes) or code_of(criterion) in (WIG, USER_COUNTS):
        return weights
    return np.ones(n_rows) if weights is None else weights.astype(np.float64)


def class_counts(criterion, n_classes, weights, n_rows, bint counts_targets=True):
    """Return room for the class counts of a node, and the criterion's tables and parameters, as a ClassCounts. Without
    `counts_targets`, classes that are targets are summed and not counted, and get no room."""
    name, alpha, scores, weighs_children = parameters_of(criterion, n_classes)
    cdef ClassCounts counts
    cdef int code = code_of(criterion)
    are_whole = weights is None or weights.dtype != np.float64
    total = n_rows if weights is None else weights.sum()
    kernel = np.zeros((1, 1), dtype=np.int64)
    if code == ORDINAL_GINI and are_whole:
        kernel = ordinal_gini_kernel(n_classes, int(total))
    elif code == RANKING and are_whole:
        kernel = ranking_kernel(scores, costs_of(criterion, n_classes), int(total))
    form = information_form(code) if are_whole else NO_INFORMATION
    if doubled(form) > 1 and total >= MOST_DOUBLED:
        raise ValueError(f"criterion={name!r} counts at most {MOST_DOUBLED - 1} samples, got {total}.")
    table = n_log2_n(total if are_whole and (form != NO_INFORMATION or code == WIG) else 0)
    has_room = counts_targets or code not in (SQUARED_ERROR, ABSOLUTE_ERROR)
    counts = ClassCounts(n_classes if has_room else 1, code, n_rows, form, table, kernel, total, scores)
    counts.weighs_children = weighs_children
    counts.costs = costs_of(criterion, n_classes)
    counts.targets = targets_of(criterion, n_classes, total)
    if are_numbers(counts) != (code in (SQUARED_ERROR, ABSOLUTE_ERROR)) or are_numbers(counts) and not are_whole:
        raise ValueError(f"criterion={name!r} and targets or real weights do not go together.")
    if code == WIG:
        weigh_classes(counts, scores.tolist(), alpha, given_of(criterion))
    return counts


# ------------------------------------------------------------------------------------------------------ from Python

def highest_score(criterion, const int64_t[::1] left, const int32_t[::1] counts, const int64_t[::1] right):
    """Bound the score of every cut inside a bin, given the class counts to its left, in it and to its right.

    The bin has at least two samples. The reference returns the highest score itself, which is never above the bound.

    The best cut of a node has the highest score, up to factors and terms that all cuts of the node share. The score is
    D**2 / (L R) for gini and ordinal gini of two classes, and sum over classes of left_k**2 / L + right_k**2 / R for
    gini of more classes. For entropy it is minus the children's entropies times their samples, in units of 2**-30 bit.
    For ranking of two classes it is minus the products of the children's class counts, times their samples if children
    are weighted.
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
    with_scan(bin, bin.node, False)
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
        bin.bound = upper_bound(scan, &bin.counts[0], total)
    return 0


include "scans.pxi"
