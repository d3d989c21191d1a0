"""Exact gains of splits whose class counts do not fit the narrow arithmetic, as Python's fractions."""

from fractions import Fraction

from libc.math cimport INFINITY, fabs
from libc.string cimport memcmp, memcpy

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.gain cimport Gain, tolerant_gain
from pytrees._core.criteria.logarithms cimport compare_splits, gains_more, nearest_information


cdef int offer_contender(WideScan* scan) except -1 nogil:
    """Keep a cut that the sums do not rule out if it gains more than the best."""
    cdef float64_t error, gain = gain_of_wide_cut(scan, &error)
    if scan.has_best:
        # A gain that is not a number is compared exactly.
        if gain < scan.best_gain - error - scan.best_error:
            return False
        if not gain > scan.best_gain + error + scan.best_error and not _wins_near_tie(scan):
            return False
    scan.has_best = True
    scan.best_gain, scan.best_error = gain, error
    scan.to_reach = gain - error - scan.error
    scan.score_to_reach = scan.to_reach * scan.score_of_gain
    memcpy(scan.best_left_counts, scan.left_counts, scan.n_classes * sizeof(int64_t))
    return True


cdef bint _wins_near_tie(const WideScan* scan) except -1 nogil:
    """Whether the present cut gains more than the best, if floating point cannot tell."""
    cdef index_t label = 0
    while label < scan.n_classes and scan.left_counts[label] == scan.best_left_counts[label]:
        label += 1
    if label == scan.n_classes:
        return False
    label = 0
    while (
        label < scan.n_classes
        and scan.left_counts[label] + scan.best_left_counts[label] == scan.total_counts[label]
    ):
        label += 1
    if label == scan.n_classes:
        return False
    with gil:
        return _is_better(scan)


cdef bint _is_better(const WideScan* scan) except -1:
    cdef ClassCounts node = <ClassCounts> scan.node
    if scan.kind == WIDE_INFORMATION:
        return gains_more(&node.best, scan.left_counts)
    return exact_gain_of(node, _cut(node, scan.left_counts)) > exact_gain_of(node, _cut(node, scan.best_left_counts))


cdef list _listed(const int64_t* counts, index_t n_classes):
    cdef index_t label
    return [int(counts[label]) for label in range(n_classes)]


cdef list _cut(ClassCounts node, const int64_t* left_counts):
    """Return the class counts of both children of a cut."""
    left, of_node = _listed(left_counts, node.n_classes), _listed(&node.total_counts[0], node.n_classes)
    return [left, [a - b for a, b in zip(of_node, left, strict=True)]]


cdef list _children(ClassCounts node, const int64_t* counts, index_t n_children):
    cdef index_t child
    return [_listed(counts + <Py_ssize_t> child * node.n_classes, node.n_classes) for child in range(n_children)]


cdef object exact_gain_of(ClassCounts node, children):
    """Return the gain of a split as a fraction; of a criterion that does not compare entropies."""
    of_node = _listed(&node.total_counts[0], node.n_classes)
    return exact_gain(<WideKind> node.wide_kind, node.weighs_children, node.exact_costs, of_node, children)


cdef object exact_impurity_of(ClassCounts node):
    """Return the impurity of a node whose classes are counted, and which has samples, as a fraction."""
    of_node = _listed(&node.total_counts[0], node.n_classes)
    return exact_impurity(<WideKind> node.wide_kind, node.exact_costs, of_node)


cdef int compare_children(
    ClassCounts node, const int64_t* counts, index_t n_children, const int64_t* other, index_t n_other
) except -2 nogil:
    """Return 1 if a split gains more than another one, 0 if both gain the same, else -1, exactly."""
    if n_children == n_other and memcmp(counts, other, n_other * node.n_classes * sizeof(int64_t)) == 0:
        return 0
    with gil:
        return _compare(node, _children(node, counts, n_children), _children(node, other, n_other))


cdef int compare_to_cut(ClassCounts node, const int64_t* counts, index_t n_children) except -2 nogil:
    """Return 1 if a split by category gains more than the best cut, 0 if both gain the same, else -1, exactly."""
    with gil:
        return _compare(node, _children(node, counts, n_children), _cut(node, &node.best_left_counts[0]))


cdef int _compare(ClassCounts node, children, others) except -2:
    if node.wide_kind == WIDE_INFORMATION:
        return compare_splits(node.form, _listed(&node.total_counts[0], node.n_classes), children, others)
    gain, other = exact_gain_of(node, children), exact_gain_of(node, others)
    return (gain > other) - (gain < other)


cdef int gain_of_best(const WideScan* scan, Gain* gain) except -1 nogil:
    """Write the gain of the best cut: the nearest double, and how far its product with the total may be from the exact
    one."""
    with gil:
        node = <ClassCounts> scan.node
        gain[0] = wide_gain(_nearest_gain(node, _cut(node, scan.best_left_counts)), scan.total)


cdef float64_t nearest_gain_of_children(ClassCounts node, const int64_t* counts, index_t n_children) except? -1.0:
    return _nearest_gain(node, _children(node, counts, n_children))


cdef float64_t _nearest_gain(ClassCounts node, children) except? -1.0:
    """Return the double nearest to the gain of a split into children of these class counts."""
    if node.wide_kind == WIDE_INFORMATION:
        return nearest_information(node.form, _listed(&node.total_counts[0], node.n_classes), children)
    return nearest(exact_gain_of(node, children))


cdef Gain wide_gain(float64_t value, int64_t total) noexcept nogil:
    """Return a gain that is compared by its nearest double, and exactly if two are near."""
    cdef Gain gain = tolerant_gain(value, <float64_t> total)
    gain.error = 2.0**-50 * fabs(gain.priority) + 2.0**-1000
    return gain


cdef float64_t nearest(fraction) except? -1.0:
    """Return the double nearest to a fraction; infinity if it is too great."""
    try:
        return fraction.numerator / fraction.denominator
    except OverflowError:
        return INFINITY


# ---------------------------------------------------------------------------------------------- exact fractions

def exact_gain(WideKind kind, bint weighs_children, costs, node, children):
    """Return the gain of a split into children of these class counts as a fraction.

    `costs` are the costs of pairs of classes, whole numbers or fractions, for ranking.
    """
    if kind == WIDE_JACCARD:
        return _jaccard_gain(node, children)
    total = sum(node)
    gain = exact_impurity(kind, costs, node)
    for counts in children:
        share = Fraction(sum(counts), total) if weighs_children else 1
        gain -= share * exact_impurity(kind, costs, counts)
    return gain


def exact_impurity(WideKind kind, costs, counts):
    """Return the impurity of class counts, which are not all 0, as a fraction."""
    total = sum(counts)
    if kind == WIDE_RANKING:
        return Fraction(sum(
            costs[label][lower] * count * counts[lower]
            for label, count in enumerate(counts) if count > 0
            for lower in range(label)
        ))
    if kind == WIDE_ORDINAL_GINI:
        impurity, cumulative = 0, 0
        for count in counts:
            cumulative += count
            impurity += cumulative * (total - cumulative)
        return Fraction(impurity, total * total)
    return Fraction(total * total - sum(count * count for count in counts), total * total)


def _jaccard_gain(node, children):
    """Return the gain by Jaccard similarity: of two children to two different classes; more than two stand for their
    majorities."""
    undivided = Fraction(max(node), sum(node))
    if undivided == 1:
        undivided = Fraction(2)  # as by `gain_of_jaccard`: the node does not differ from the class without rows
    if len(children) == 2:
        left, right = ([_similarity(node, child, label) for label in range(len(node))] for child in children)
        return _matched(left, right) - undivided
    majorities = [child.index(max(child)) for child in children]
    if len(set(majorities)) > 1:
        similarity = Fraction(0)
        for label in set(majorities):
            members = [child for child, of_child in zip(children, majorities, strict=True) if of_child == label]
            similarity += _similarity(node, [sum(counts) for counts in zip(*members, strict=True)], label)
        return similarity - undivided
    majority, best = majorities[0], Fraction(-1)
    for child in children:
        rest = [a - b for a, b in zip(node, child, strict=True)]
        other = max(_similarity(node, child, label) for label in range(len(node)) if label != majority)
        best = max(best, _similarity(node, rest, majority) + other)
    return best - undivided


def _similarity(node, child, label):
    return Fraction(child[label], sum(child) + node[label] - child[label])


def _matched(left, right):
    """Return the greatest sum of the similarities to two different classes."""
    order_left, order_right = (sorted(range(len(side)), key=lambda label: -side[label])[:2] for side in (left, right))
    return max(left[a] + right[b] for a in order_left for b in order_right if a != b)
