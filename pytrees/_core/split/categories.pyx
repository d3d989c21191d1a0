"""The best split of a node by a categorical feature: one child for every category among its samples."""

import numpy as np

from libc.math cimport INFINITY

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport NONE, UNDEFINED, float64_t, index_t, int64_t, uint32_t, uint64_t
from pytrees._core.criteria.children cimport ChildCounts, complete_best, exact_fraction, offer_gain, offer_sum
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_counts
from pytrees._core.criteria.gain cimport Gain, is_greater_gain, tolerant_gain
from pytrees._core.rows.partition cimport count_children, entries_of, order_by_category
from pytrees._core.split.scan cimport (
    complete_sum, end_weighted_child, end_whole_child, judges_in_floating_point, start_scan, start_whole_node,
    sums_fractions, weighted_children_gain, whole_gain,
)
from pytrees._core.split.scanner cimport OWN_SEQUENCES, SEQUENCES, NodeRows, Scanner, Split, first_place, label_of_place
from pytrees._core.split.sequences cimport offer_children_to_user, offer_efforts


def child_counts(ClassCounts node, bint has_float_weights, Py_ssize_t most_children, user_criterion):
    """Return room for the class counts of up to `most_children` children of a node, as a ChildCounts."""
    has_weights = has_float_weights or judges_in_floating_point(node.code)
    return ChildCounts(
        node, has_weights, not has_weights and sums_fractions(node.code), most_children, user_criterion
    )


# ------------------------------------------------------------------------------------------------- of a node

cdef int find_category_split(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Put the best split by a drawn categorical feature in the place of the best cut, where it is better, or where it
    is not worse and of the lower feature. The node was searched for cuts: its classes are counted, or its labels laid
    out."""
    _start_node(scanner.children)
    if not node.in_block:
        _offer_unsorted_features(scanner, node, best)
    elif scanner.partition.is_wide:
        _offer_features(scanner, node, best, <const uint64_t*> NULL)
    else:
        _offer_features(scanner, node, best, <const uint32_t*> NULL)
    if scanner.children.best.feature == NONE:
        return 0
    complete_best(scanner.children)
    if best.feature == NONE or _beats_cut(scanner.children, best):
        best.feature = scanner.children.best.feature
        best.n_children = scanner.children.best.n_children
        best.gain = scanner.children.best.gain
        best.is_large = scanner.children.best.is_large
        best.threshold = UNDEFINED
    return 0


cdef int _offer_unsorted_features(Scanner scanner, const NodeRows* node, const Split* cut) except -1 nogil:
    cdef index_t k, feature
    for k in range(scanner.n_drawn_categories):
        feature = scanner.drawn_categories[k]
        order_by_category(scanner.partition, feature, node.start, node.stop)
        _offer_feature(scanner, node, feature, <const uint64_t*> &scanner.partition.pairs[0], cut)
    return 0


cdef int _offer_features(Scanner scanner, const NodeRows* node, const Split* cut, const Entry* width) except -1 nogil:
    cdef index_t k, feature
    for k in range(scanner.n_drawn_categories):
        feature = scanner.drawn_categories[k]
        _offer_feature(
            scanner, node, feature,
            entries_of(scanner.partition, node.block, feature, node.start, node.stop, width), cut,
        )
    return 0


cdef bint _beats_cut(ChildCounts children, const Split* cut) except -1 nogil:
    cdef bint is_lower = children.best.feature < cut.feature
    if not children.best.is_large:
        return is_greater_gain(&children.best.gain, &cut.gain) or (
            is_lower and not is_greater_gain(&cut.gain, &children.best.gain)
        )
    # Either value is the double nearest to the gain.
    if children.best.gain.value != cut.gain.value:
        return children.best.gain.value > cut.gain.value
    with gil:
        gain_of_cut = exact_fraction(&cut.gain)
        return children.large_gain > gain_of_cut or is_lower and children.large_gain == gain_of_cut


cdef int _offer_feature(
    Scanner scanner, const NodeRows* node, index_t feature, const Entry* entries, const Split* cut
) except -1 nogil:
    cdef index_t n = node.stop - node.start, n_children = count_children(entries, n, scanner.min_samples_leaf)
    if n_children == 0:
        return 0
    if scanner.judging == SEQUENCES:
        offer_efforts(scanner, feature, n_children, entries, n, cut)
    elif scanner.judging == OWN_SEQUENCES:
        offer_children_to_user(scanner, feature, n_children, entries, n)
    else:
        _start_children(scanner.children, feature, n_children)
        if scanner.children.has_weights:
            _count_entries(scanner, node, entries, n, True)
        else:
            _count_entries(scanner, node, entries, n, False)
        _offer_children(scanner.children)
    return 0


cdef inline void _count_entries(
    Scanner scanner, const NodeRows* node, const Entry* entries, index_t n, bint has_weights
) noexcept nogil:
    """Count the classes of the children, one after the other."""
    cdef index_t i, place, label, first = first_place(scanner, node)
    cdef bint has_counts = scanner.count_weights.shape[0] > 0, has_float_weights = scanner.float_weights.shape[0] > 0
    cdef int64_t count = 1
    cdef float64_t weight
    cdef int64_t* counts = &scanner.children.counts[0]
    # Of entries[:i], those of the last child are counted; the others' children have ended.
    for i in range(n):
        if i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            _end_child(scanner.children)
        place = place_of(entries[i])
        if not node.in_block:
            place = scanner.partition.rows[node.start + place]
            label = scanner.labels[place]
            if has_counts:
                count = scanner.count_weights[place]
        else:
            place += first
            label = label_of_place(scanner, place, entries)
            if has_counts:
                count = scanner.place_counts[place]
        if has_weights:
            # Only blocks have weights in floating point.
            weight = scanner.place_weights[place] if has_float_weights else <float64_t> count
            scanner.children.weights[label] += weight
            scanner.children.weight += weight
        else:
            counts[label] += count
    _end_child(scanner.children)


cdef void _start_node(ChildCounts children) noexcept nogil:
    """Start a node whose classes are counted, without a best split."""
    cdef index_t label
    children.best.feature = NONE
    children.total = sum_of_counts(&children.node.total_counts[0], children.node.n_classes)
    if children.user_criterion is not None:
        return
    if not children.has_weights:
        start_whole_node(children)
        return
    if children.total > 0:
        # Whole counts that are compared in floating point.
        for label in range(children.node.n_classes):
            children.node.total_weights[label] = <float64_t> children.node.total_counts[label]
        children.node.total_weight = <float64_t> children.total
    start_scan(&children.scan, children.node)
    children.scan.left_counts = &children.weights[0]


# ----------------------------------------------------------------------------------------------------- of a feature

cdef int _start_children(ChildCounts children, index_t feature, index_t n_children) except -1 nogil:
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
    if children.user_criterion is not None:
        with gil:
            children.table = np.empty((n_children, children.node.n_classes))
    return 0


cdef inline void _start_child(ChildCounts children) noexcept nogil:
    children.counts[:] = 0
    children.weights[:] = 0.0
    children.weight = 0.0


cdef int _end_child(ChildCounts children) except -1 nogil:
    """Add the child whose samples are all counted to the gain."""
    cdef index_t label
    if children.has_weights and children.n_children == 2:
        _leave_remainder(children)
    if children.user_criterion is not None:
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
    return 0


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


cdef int _offer_children(ChildCounts children) except -1 nogil:
    """Keep the split whose last child has ended where it is better than the best of the node so far."""
    cdef Gain gain
    cdef float64_t given
    if children.user_criterion is not None:
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
        complete_sum(children)
        return offer_sum(children)
    offer_gain(children, children.present.feature, children.n_children, &gain)
    return 0


cdef inline float64_t _node_weight(ChildCounts children) noexcept nogil:
    return children.node.total_weight if children.has_weights else <float64_t> children.total
