"""Gain of a split by category: one child for every category that the node's rows have, of any criterion on counts.

Gains are compared as those of cuts are. The gains of gini, ordinal Gini and Jaccard are sums of a fraction a child,
whose common denominator may be of any size: floating point tells apart those that are not nearly equal, 128 bits the
others where they suffice, and Python's integers what is left.
"""

from fractions import Fraction
from math import lcm

import numpy as np

cimport cython
from libc.math cimport INFINITY

from pytrees._core.criteria.children_scores cimport two_best
from pytrees._core.criteria.counts cimport start_scan
from pytrees._core.base.fractions cimport greatest_common_divisor
from pytrees._core.criteria.gain cimport exact_gain, is_greater_gain, tolerant_gain
from pytrees._core.sequence.substitution cimport PairSubstitution, effort
from pytrees._core.base.types cimport (
    ACCURACY,
    ENTROPY,
    ETC,
    GAIN_RATIO,
    GINI,
    JACCARD,
    MAE,
    NONE,
    NVI,
    OGINI,
    RANKING,
    UNLIMITED,
    USER_COUNTS,
    USER_SEQUENCE,
    WIG,
    uint64_t,
    uint128_t,
)
from pytrees._core.criteria.weighted_children cimport end_weighted_child, weighted_children_gain
from pytrees._core.criteria.whole_children cimport (
    add_clusters,
    end_whole_child,
    ranking_form,
    sum_of_n_log2_n,
    sum_of_squares,
    whole_gain,
)

from pytrees._core.criteria.counts import is_rational, parameters_of, user_criterion_of

cdef enum:
    # Of sums of fractions below 2**33, so many bits of a common denominator keep the numerators below 2**126.
    DENOMINATOR_BITS = 92


@cython.final
cdef class ChildCounts:
    def __cinit__(self, ClassCounts node, bint has_float_weights, Py_ssize_t most_children, user_criterion):
        n_classes = node.n_classes
        self.node = node
        self.user_criterion = user_criterion
        self.has_weights = has_float_weights or node.code == WIG
        self.sums_fractions = not has_float_weights and node.code in (GINI, OGINI, JACCARD)
        self.counts = np.zeros(n_classes, dtype=np.int64)
        self.weights = np.zeros(n_classes)
        self.cluster_sizes = np.zeros(n_classes, dtype=np.int64)
        self.cluster_counts = np.zeros(n_classes, dtype=np.int64)
        self.cluster_weights = np.zeros(n_classes)
        self.cluster_class_weights = np.zeros(n_classes)
        n_terms = min(most_children, n_classes) if node.code == JACCARD else most_children
        quotient = np.dtype([("numerator", np.int64), ("denominator", np.int64)])
        self.memory = np.empty((2, max(1, n_terms) if self.sums_fractions else 1), dtype=quotient)
        self.present.terms.terms = &self.memory[0, 0]
        self.best.terms.terms = &self.memory[1, 0]


# ------------------------------------------------------------------------------------------------------- of a node

cdef void start_node(ChildCounts children) noexcept nogil:
    """Of a node whose classes are counted: its own part in the gains of its splits. No split is the best so far."""
    cdef index_t label
    cdef int64_t[2] scores
    children.best.feature = NONE
    children.total = 0
    for label in range(children.node.n_classes):
        children.total += children.node.total_counts[label]
    if children.has_weights:
        _start_weighted_node(children)
        return
    children.scale = 1
    children.base.denominator = max(children.total, 1)
    if children.node.code == GINI or children.node.code == OGINI:
        children.base.numerator = sum_of_squares(children.node, &children.node.total_counts[0])
    elif children.node.code == JACCARD:
        children.scale = children.total
        children.base.denominator = 1
        children.base.numerator = 0
        for label in range(children.node.n_classes):
            children.base.numerator = max(children.base.numerator, children.node.total_counts[label])
    elif children.node.code == RANKING:
        children.node_sum = ranking_form(children.node, &children.node.total_counts[0])
    elif children.node.code == ACCURACY or children.node.code == MAE:
        two_best(&children.node.total_counts[0], children.node.n_classes, children.node.code == MAE, scores)
        children.node_sum = scores[0]
    elif children.node.code == ENTROPY or children.node.code == GAIN_RATIO or children.node.code == NVI:
        children.node_sum = sum_of_n_log2_n(children.node, &children.node.total_counts[0])


cdef void _start_weighted_node(ChildCounts children) noexcept nogil:
    cdef index_t label
    if children.node.code == WIG and children.total > 0:
        # Of whole numbers.
        for label in range(children.node.n_classes):
            children.node.total_weights[label] = <float64_t> children.node.total_counts[label]
        children.node.total_weight = <float64_t> children.total
    if children.node.code == USER_COUNTS:
        return
    start_scan(&children.scan, children.node)
    children.scan.left_counts = &children.weights[0]


# ----------------------------------------------------------------------------------------------------- of a feature

cdef int start_children(ChildCounts children, index_t feature, index_t n_children) except -1 nogil:
    children.present.feature = feature
    children.present.n_children = n_children
    children.present.is_large = False
    children.present.terms.n_terms = 0
    children.present.terms.value = 0.0
    children.n_children = n_children
    children.n_ended = 0
    children.joint_sum = 0
    children.size_sum = 0
    children.cost = 0
    children.score = 0
    children.weighted_score = 0.0
    children.exchange.numerator = -1
    children.exchange.denominator = 1
    children.weighted_exchange = -1.0
    children.gain = children.scan.node_impurity
    children.of_split = 0.0
    children.joint = 0.0
    children.cluster_sizes[:] = 0
    children.cluster_counts[:] = 0
    children.cluster_weights[:] = 0.0
    children.cluster_class_weights[:] = 0.0
    _start_child(children)
    if children.node.code == USER_COUNTS:
        with gil:
            children.table = np.empty((n_children, children.node.n_classes))
    return 0


cdef inline void _start_child(ChildCounts children) noexcept nogil:
    children.counts[:] = 0
    children.weights[:] = 0.0
    children.weight = 0.0


cdef void end_child(ChildCounts children) noexcept nogil:
    """All of the child's rows are counted."""
    cdef index_t label
    if children.has_weights and children.n_children == 2:
        _leave_remainder(children)
    if children.node.code == USER_COUNTS:
        for label in range(children.node.n_classes):
            children.table[children.n_ended, label] = (
                children.weights[label] if children.has_weights else <float64_t> children.counts[label]
            )
    elif children.has_weights:
        end_weighted_child(children)
    else:
        end_whole_child(children)
    children.n_ended += 1
    _start_child(children)


cdef inline void _leave_remainder(ChildCounts children) noexcept nogil:
    """Of two children the second has what the first leaves of the node, as at a cut: this fixes what is rounded."""
    cdef index_t label
    if children.n_ended == 0:
        children.node.left_weights[:] = children.weights
        children.of_first = children.weight
        return
    for label in range(children.node.n_classes):
        children.weights[label] = children.node.total_weights[label] - children.node.left_weights[label]
    children.weight = children.node.total_weight - children.of_first


# ---------------------------------------------------------------------------------------------------- the best split

cdef int offer_children(ChildCounts children) except -1 nogil:
    """Keep the split whose last child has ended where it is better than the best of the node so far."""
    cdef Gain gain
    cdef float64_t given
    if children.node.code == USER_COUNTS:
        with gil:
            given = children.user_criterion.judged_children(children.table)
        if given == -INFINITY:
            return 0
        gain = tolerant_gain(given, _node_weight(children))
    elif children.has_weights:
        gain = tolerant_gain(weighted_children_gain(children), children.scan.total)
    elif not children.sums_fractions:
        gain = whole_gain(children)
    else:
        if children.node.code == JACCARD and children.n_children > 2:
            add_clusters(children)
        if children.best.feature == NONE or _is_greater_sum(children):
            children.present, children.best = children.best, children.present
        return 0
    offer_gain(children, children.present.feature, children.n_children, &gain)
    return 0


cdef void offer_gain(ChildCounts children, index_t feature, index_t n_children, const Gain* gain) noexcept nogil:
    if children.best.feature != NONE and not is_greater_gain(gain, &children.best.gain):
        return
    children.best.feature = feature
    children.best.n_children = n_children
    children.best.gain = gain[0]
    children.best.is_large = False


cdef inline float64_t _node_weight(ChildCounts children) noexcept nogil:
    return children.node.total_weight if children.has_weights else <float64_t> children.total


cdef bint _is_greater_sum(ChildCounts children) except -1 nogil:
    """Whether the present split is better than the best so far."""
    cdef const QuotientSum* present = &children.present.terms
    cdef const QuotientSum* best = &children.best.terms
    # Of numbers that are not negative: every quotient is rounded three times by 2**-53, and every sum once.
    cdef float64_t margin = (present.n_terms + best.n_terms + 8) * 2.0**-52 * (present.value + best.value)
    if present.value - best.value > margin:
        return True
    if best.value - present.value > margin:
        return False
    if _set_gain(children, &children.present) and _set_gain(children, &children.best):
        return is_greater_gain(&children.present.gain, &children.best.gain)
    with gil:
        return _exact_sum(children, &children.present) > _exact_sum(children, &children.best)


cdef bint _set_gain(ChildCounts children, ChildrenSplit* split) noexcept nogil:
    """Write the gain of the split from its terms; False where 128 bits do not suffice."""
    cdef Quotient* terms = split.terms.terms
    cdef uint128_t denominator = children.base.denominator, limit = <uint128_t> 1 << DENOMINATOR_BITS, factor
    cdef float64_t largest = (split.terms.value + 1.0) * <float64_t> children.scale
    cdef int128_t numerator = 0
    cdef int64_t divisor
    cdef index_t i
    while largest > 2.0**32:
        largest *= 0.5
        limit >>= 1
    # `denominator` is the least common multiple of those of the base and of terms[:i], which are in lowest terms.
    for i in range(split.terms.n_terms):
        divisor = greatest_common_divisor(terms[i].numerator, terms[i].denominator)
        terms[i].numerator //= divisor
        terms[i].denominator //= divisor
        factor = <uint128_t> (terms[i].denominator // greatest_common_divisor(
            terms[i].denominator, <int64_t> (denominator % <uint128_t> terms[i].denominator)
        ))
        if denominator > limit // factor:
            return False
        denominator *= factor
    for i in range(split.terms.n_terms):
        numerator += <int128_t> terms[i].numerator * <int128_t> (denominator // <uint128_t> terms[i].denominator)
    numerator *= children.scale
    numerator -= <int128_t> children.base.numerator * <int128_t> (denominator // <uint128_t> children.base.denominator)
    split.gain = exact_gain(numerator, denominator, children.total)
    split.is_large = False
    return True


cdef object _exact_sum(ChildCounts children, const ChildrenSplit* split):
    """Total count of the node times the gain, as a fraction."""
    cdef index_t i
    numerators = {}
    for i in range(split.terms.n_terms):
        denominator = int(split.terms.terms[i].denominator)
        numerators[denominator] = numerators.get(denominator, 0) + int(split.terms.terms[i].numerator)
    common = lcm(*numerators)
    total = Fraction(sum(part * (common // denominator) for denominator, part in numerators.items()), common)
    return int(children.scale) * total - Fraction(int(children.base.numerator), int(children.base.denominator))


cdef int complete_best(ChildCounts children) except -1 nogil:
    """Write the gain of the best split of the node."""
    if not children.sums_fractions or _set_gain(children, &children.best):
        return 0
    with gil:
        children.large_gain = _exact_sum(children, &children.best)
        children.best.is_large = True
        # Such a gain is not compared by what stands here.
        children.best.gain = exact_gain(0, 1, 1)
        children.best.gain.value = float(children.large_gain / int(children.total))
        children.best.gain.priority = float(children.large_gain)
    return 0


cdef object exact_fraction(const Gain* gain):
    """Total count of the node times the gain of an exact criterion."""
    cdef uint128_t low = <uint64_t> -1
    numerator = (int(<int64_t> (gain.numerator >> 64)) << 64) + int(<uint64_t> (<uint128_t> gain.numerator & low))
    denominator = (int(<uint64_t> (gain.denominator >> 64)) << 64) + int(<uint64_t> (gain.denominator & low))
    return Fraction(numerator, denominator)


# ------------------------------------------------------------------------------------------------------ from Python

def gain_of_children(criterion, const index_t[::1] labels, weights, const index_t[::1] codes, index_t n_classes):
    """The gain of a split by category of rows with these labels, weights (None: every row counts once) and categories,
    of which there are two at least."""
    cdef ChildCounts children = _offered(criterion, labels, weights, [codes], n_classes)
    complete_best(children)
    return children.best.gain.value


def compare_gains(
    criterion, const index_t[::1] labels, weights, const index_t[::1] codes, const index_t[::1] other_codes,
    index_t n_classes,
):
    """1 where the split by the codes is the better one, -1 where that by the others is, 0 where neither is."""
    cdef ChildCounts after_other = _offered(criterion, labels, weights, [other_codes, codes], n_classes)
    cdef ChildCounts before_other = _offered(criterion, labels, weights, [codes, other_codes], n_classes)
    return int(after_other.best.feature == 1) - int(before_other.best.feature == 1)


def _offered(criterion, const index_t[::1] labels, weights, all_codes, index_t n_classes):
    """The splits by all of the codes, offered one after the other."""
    cdef ClassCounts node
    cdef ChildCounts children
    cdef index_t feature, label
    _check(labels, weights, all_codes, n_classes)
    if not is_rational(criterion, n_classes) and parameters_of(criterion, n_classes)[0] not in ("wig", "user_counts"):
        weights = np.ones(len(labels)) if weights is None else weights.astype(np.float64)
    node = ClassCounts(n_classes, criterion, weights, len(labels))
    has_float_weights = weights is not None and weights.dtype == np.float64
    children = ChildCounts(node, has_float_weights, len(labels), user_criterion_of(criterion)[0])
    values = np.ones(len(labels)) if weights is None else weights.astype(np.float64)
    for label, value in zip(np.asarray(labels), values):
        node.total_weights[label] += value
        node.total_weight += value
    if not has_float_weights:
        node.total_counts = np.asarray(node.total_weights).astype(np.int64)
    start_node(children)
    for feature, codes in enumerate(all_codes):
        if node.code == ETC or node.code == USER_SEQUENCE:
            _offer_sequences(children, feature, labels, codes)
        else:
            _offer_rows(children, feature, labels, values, codes)
    return children


def _check(labels, weights, all_codes, n_classes):
    n_weights = len(labels) if weights is None else len(weights)
    for codes in all_codes:
        if not len(labels) == n_weights == len(codes):
            raise ValueError(
                f"Labels, weights and codes must be as many, got {len(labels)}, {n_weights}, {len(codes)}."
            )
        if not np.all((np.asarray(labels) >= 0) & (np.asarray(labels) < n_classes)):
            raise ValueError(f"Labels must be codes 0..{n_classes - 1}.")
        if len(np.unique(codes)) < 2:
            raise ValueError("A split has two categories at least.")


cdef int _offer_rows(
    ChildCounts children, index_t feature, const index_t[::1] labels, const float64_t[::1] weights,
    const index_t[::1] codes
) except -1:
    cdef index_t i, k
    cdef const int64_t[::1] order = np.argsort(codes, kind="stable")
    start_children(children, feature, len(np.unique(codes)))
    for k in range(<index_t> order.shape[0]):
        i = <index_t> order[k]
        if k > 0 and codes[i] != codes[order[k - 1]]:
            end_child(children)
        children.counts[labels[i]] += <int64_t> weights[i]
        children.weights[labels[i]] += weights[i]
        children.weight += weights[i]
    end_child(children)
    offer_children(children)
    return 0


cdef int _offer_sequences(
    ChildCounts children, index_t feature, const index_t[::1] labels, const index_t[::1] codes
) except -1:
    cdef index_t child, n_children, n_labels = <index_t> labels.shape[0]
    cdef index_t[::1] numbers = np.unique(codes, return_inverse=True)[1].astype(np.int32)
    cdef Gain gain
    n_children = np.max(numbers) + 1
    if children.node.code == USER_SEQUENCE:
        gain = tolerant_gain(children.user_criterion.judged_children(labels, numbers, np.arange(n_labels)), n_labels)
    else:
        cost = n_labels * _effort(labels, children.node.n_classes)
        for child in range(n_children):
            part = np.asarray(labels)[np.asarray(numbers) == child]
            cost -= len(part) * _effort(part, children.node.n_classes)
        gain = exact_gain(<int64_t> cost, 1, n_labels)
    if gain.value > -INFINITY:
        offer_gain(children, feature, n_children, &gain)
    return 0


cdef index_t _effort(const index_t[::1] labels, index_t n_classes):
    cdef PairSubstitution state = PairSubstitution(labels.shape[0], n_classes)
    state.sequence[:labels.shape[0]] = labels
    return effort(state, <index_t> labels.shape[0], n_classes, UNLIMITED)
