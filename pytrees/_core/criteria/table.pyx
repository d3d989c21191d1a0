"""The table of criteria: their names, and the properties that follow from a name and its parameters."""

from fractions import Fraction

import numpy as np

from pytrees._core.criteria.codes cimport (
    ABSOLUTE_ERROR, ACCURACY, CLASS_COUNTS, ENTROPY, ETC, GAIN_RATIO, GINI, JACCARD, LZ76, MAE, NVI, NVI_MAX, NVI_SUM,
    ORDINAL_GINI, OWN_CLASS_COUNTS, OWN_SEQUENCES, RANKING, SEQUENCES, SQUARED_ERROR, USER_COUNTS, USER_SEQUENCE,
    USER_SUMS, VI, WIG, information_form,
)
from pytrees._core.criteria.counts cimport ClassCounts, are_numbers
from pytrees._core.criteria.logarithms cimport MAX_TOTAL_COUNT, NO_INFORMATION, doubled
from pytrees._core.criteria.ordinal_gini cimport ordinal_gini_kernel
from pytrees._core.criteria.wide cimport WIDE_GINI, WIDE_INFORMATION, WIDE_JACCARD, WIDE_ORDINAL_GINI, WIDE_RANKING
from pytrees._core.criteria.wig cimport weigh_classes
from pytrees._core.sequence.impurities cimport COMPLEXITY, EFFORT

from pytrees._core.criteria.counts import (
    costs_of, exact_number, given_of, n_log2_n, name_and_given, parameters_of, sums_are_wide, targets_of,
)

MOST_TOTAL = 2**52

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
    "user_sums": USER_SUMS,
}


# The arithmetic of sums of weights on a fine grid, by criterion; None where the usual arithmetic suffices for any sum.
WIDE_KINDS = {
    GINI: WIDE_GINI,
    ORDINAL_GINI: WIDE_ORDINAL_GINI,
    RANKING: WIDE_RANKING,
    JACCARD: WIDE_JACCARD,
    **dict.fromkeys((ENTROPY, GAIN_RATIO, NVI, NVI_SUM, NVI_MAX, VI), WIDE_INFORMATION),
    **dict.fromkeys((WIG, ACCURACY, MAE, SQUARED_ERROR, ABSOLUTE_ERROR), None),
    **dict.fromkeys((ETC, LZ76, USER_COUNTS, USER_SEQUENCE, USER_SUMS), None),
}

# Criteria whose gain is a convex function of the left child's class counts, or such a function over a concave one.
CONVEX = ("gini", "entropy", "gain_ratio", "nvi", "nvi_sum", "ogini")


def judges_sequence(criterion):
    """Whether the criterion sees the labels in the order of the samples, which then have no weights."""
    return judging_of(criterion) in (SEQUENCES, OWN_SEQUENCES)


def judging_of(criterion):
    """Return what the criterion judges, as a number of `Judging`."""
    special = {
        ETC: SEQUENCES, LZ76: SEQUENCES, USER_SEQUENCE: OWN_SEQUENCES, USER_COUNTS: OWN_CLASS_COUNTS,
        USER_SUMS: OWN_CLASS_COUNTS,
    }
    return special.get(code_of(criterion), CLASS_COUNTS)


def judges_numbers(criterion):
    """Whether classes are targets, numbers on a grid."""
    return code_of(criterion) in (SQUARED_ERROR, ABSOLUTE_ERROR, USER_SUMS)


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


def is_exact(criterion):
    """Whether gains are compared exactly: WIG weighs classes by powers of distances, which are no fractions."""
    return code_of(criterion) not in (WIG, USER_COUNTS, USER_SEQUENCE, USER_SUMS)


def orders_by_share(criterion, n_classes):
    """Whether the best division of categories is among the divisions in the order of the second class's share."""
    name, _, _, weighs_children = parameters_of(criterion, n_classes)
    return n_classes == 2 and name in CONVEX and weighs_children


def judges_means(criterion):
    """Whether the criterion judges squared distances to the mean of the targets."""
    return code_of(criterion) == SQUARED_ERROR


def judges_medians(criterion):
    """Whether the criterion judges distances to the median of the targets."""
    return code_of(criterion) == ABSOLUTE_ERROR


def class_counts(criterion, n_classes, weights, n_rows, least_total=0, bint counts_targets=True):
    """Return room for the class counts of a node, and the criterion's tables and parameters, as a ClassCounts; for
    nodes of this total, if there are no weights. Without `counts_targets`, classes that are targets are summed and not
    counted, and get no room."""
    name, alpha, scores, weighs_children = parameters_of(criterion, n_classes)
    cdef ClassCounts counts
    cdef int code = code_of(criterion)
    total = max(n_rows, least_total) if weights is None else int(np.sum(weights))
    if total > MOST_TOTAL:
        raise ValueError(f"The weights of all samples must add up to at most 2**52, got {total}.")
    is_great = weights is not None or least_total > 0
    counts_widely = is_wide(criterion, n_classes, total, is_great or None)
    is_great = is_great and total >= MAX_TOTAL_COUNT
    costs = exact_costs(criterion, n_classes) if code == RANKING else None
    form = information_form(code)
    if doubled(form) > 1 and not counts_widely and total >= MOST_DOUBLED:
        raise ValueError(f"criterion={name!r} counts at most {MOST_DOUBLED - 1} samples, got {total}.")
    kernel = np.zeros((1, 1), dtype=np.int64)
    if code == ORDINAL_GINI and not counts_widely:
        kernel = ordinal_gini_kernel(n_classes)
    elif code == RANKING and not counts_widely:
        kernel = np.array(costs, dtype=np.int64)
    takes_table = not counts_widely and form != NO_INFORMATION or code == WIG and not is_great
    n_counted = n_classes if counts_targets or not judges_numbers(criterion) else 1
    counts = ClassCounts(n_counted, code, n_rows, form, n_log2_n(total if takes_table else 0), kernel, total)
    counts.weighs_children = weighs_children
    counts.has_costs = len(costs_of(criterion, n_classes)) > 0
    counts.targets = targets_of(criterion, n_classes, total)
    counts.has_wide_sums = sums_are_wide(criterion, total)
    counts.scale, counts.divisor = given_of(criterion).get("scale", (1.0, 1.0))
    counts.is_wide = counts_widely
    if counts_widely:
        counts.wide_kind = WIDE_KINDS[code]
        counts.exact_costs = costs
    if counts_widely and code == RANKING:
        greatest = max(map(max, costs)) or 1
        counts.shares_of_costs = np.array([[float(cost / Fraction(greatest)) for cost in row] for row in costs])
    if are_numbers(counts) != judges_numbers(criterion):
        raise ValueError(f"criterion={name!r} and targets do not go together.")
    if code == WIG:
        weigh_classes(counts, scores.tolist(), alpha, given_of(criterion))
    return counts


def exact_costs(criterion, n_classes):
    """Return the costs of pairs of classes for ranking, a list for every class: whole numbers or fractions."""
    costs = costs_of(criterion, n_classes)
    if len(costs) > 0:
        return [[exact_number(cost) for cost in row] for row in costs.tolist()]
    # Integers of Python: neither scores nor their range need fit into a number of the machine.
    scores = [exact_number(score) for score in parameters_of(criterion, n_classes)[2].tolist()]
    return [[abs(score - other) for other in scores] for score in scores]


def is_wide(criterion, n_classes, total, weights):
    """Whether class counts of this sum do not fit the narrow arithmetic of a criterion: sums of weights, which may be
    None, forms of the counts of ordinal criteria, or costs that are no whole numbers."""
    code = code_of(criterion)
    if code not in WIDE_KINDS:
        raise ValueError(f"{criterion!r} is missing in WIDE_KINDS: add its arithmetic for large sums of weights.")
    if WIDE_KINDS[code] is None:
        return False
    if weights is not None and total >= MAX_TOTAL_COUNT:
        return True
    if code == ORDINAL_GINI:
        return n_classes * total**2 >= 2**62
    if code != RANKING:
        return False
    costs = exact_costs(criterion, n_classes)
    return any(isinstance(cost, Fraction) for row in costs for cost in row) or max(map(max, costs)) * total**2 >= 2**62
