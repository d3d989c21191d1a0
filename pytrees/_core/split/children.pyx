"""The gain of a split into given children: of class counts, one child after the other, or of label sequences."""

import numpy as np

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t
from pytrees._core.criteria.category_table cimport add_child, offer_split, start_whole_node
from pytrees._core.criteria.children cimport ChildCounts, Quotient, add_square, offer_gain, offer_sum, sums_squares
from pytrees._core.criteria.codes cimport LAST_ON_COUNTS
from pytrees._core.criteria.counts cimport TargetSums, are_numbers, in_unit, sum_of_counts
from pytrees._core.criteria.gain cimport Gain, exact_gain, tolerant_gain
from pytrees._core.criteria.logarithms cimport forget_counts
from pytrees._core.criteria.wide cimport start_wide
from pytrees._core.sequence.impurities cimport impurity_of, steps_left
from pytrees._core.split.node_search cimport NodeSearch, Split


cdef int start_node(ChildCounts children) except -1 nogil:
    """Start a node whose classes are counted, without a best split."""
    children.best.feature = NONE
    if are_numbers(children.node):
        children.total = children.node.sums.weight
        return 0
    children.total = sum_of_counts(&children.node.total_counts[0], children.node.n_classes)
    if children.user_criterion is not None or children.node.code > LAST_ON_COUNTS:
        return 0
    if not children.keeps_counts:
        return start_whole_node(children)
    if children.node.is_wide:
        start_wide(&children.scan, children.node)


# ------------------------------------------------------------------------------------------------- of class counts

cdef int start_children(ChildCounts children, index_t feature, index_t n_children, index_t division) except -1 nogil:
    """Start the split by a feature; `division` is the number of two sets of categories, or NONE for one child a
    category."""
    start_target_children(children, feature, n_children, division)
    forget_counts(&children.present.logs)
    children.n_ended = 0
    children.joint_sum = children.size_sum = children.score = 0
    children.exchange = Quotient(-1, 1)
    memset(&children.cluster_sizes[0], 0, children.node.n_classes * sizeof(int64_t))
    memset(&children.cluster_counts[0], 0, children.node.n_classes * sizeof(int64_t))
    _start_child(children)
    if children.user_criterion is not None:
        with gil:
            children.table = np.empty((n_children, children.node.n_classes))


cdef void start_target_children(
    ChildCounts children, index_t feature, index_t n_children, index_t division
) noexcept nogil:
    """The same if classes are numbers: nothing is kept by class."""
    children.present.feature = feature
    children.present.n_children = n_children
    children.present.division = division
    children.present.is_large = False
    children.present.terms.n_terms = 0
    children.present.terms.value = 0.0
    children.n_children = n_children
    children.cost = 0


cdef inline void _start_child(ChildCounts children) noexcept nogil:
    memset(&children.counts[0], 0, children.node.n_classes * sizeof(int64_t))


cdef int end_child(ChildCounts children) except -1 nogil:
    """Add the child whose samples are all counted to the gain."""
    cdef index_t label
    if children.user_criterion is not None:
        for label in range(children.node.n_classes):
            children.table[children.n_ended, label] = in_unit(children.node, children.counts[label])
    elif children.keeps_counts:
        memcpy(
            children.present.counts + <Py_ssize_t> children.n_ended * children.node.n_classes, &children.counts[0],
            children.node.n_classes * sizeof(int64_t),
        )
    else:
        add_child(children)
    children.n_ended += 1
    _start_child(children)


cdef int offer_children(ChildCounts children) except -1 nogil:
    """Keep the split, whose last child has ended, if it is better than the best of the node so far."""
    cdef float64_t given
    if children.user_criterion is None:
        return offer_split(children)
    with gil:
        given = children.user_criterion.judged_children(children.table)
    return offer_user_gain(
        children, children.present.feature, children.n_children, NONE, given, <float64_t> children.total
    )


cdef int offer_user_gain(
    ChildCounts children, index_t feature, index_t n_children, index_t division, float64_t given, float64_t weight
) except -1 nogil:
    """Offer a split with the gain that a user's criterion has given; `weight` is the node's."""
    cdef Gain gain
    if given > -INFINITY:
        gain = tolerant_gain(given, weight)
        children.present.division = division
        offer_gain(children, feature, n_children, &gain)


# ------------------------------------------------------------------------------------------------------- of targets

cdef void add_target_child(ChildCounts children, const TargetSums* sums) noexcept nogil:
    """Add a child, whose targets are summed, to the gain of the split. The spread is that of distances to the median;
    squares need none."""
    if sums_squares(children):
        add_square(children, &children.present.terms, sums.sum, sums.weight)
    else:
        children.cost += sums.spread


cdef int offer_target_children(ChildCounts children) except -1 nogil:
    """Keep the split, whose children have been added, if it is better than the best of the node so far."""
    cdef Gain gain
    if sums_squares(children):
        return offer_sum(children)
    if children.best.feature != NONE and children.cost >= children.best_cost:
        return 0
    gain = exact_gain(children.node.sums.spread - children.cost, 1, children.total)
    offer_gain(children, children.present.feature, children.n_children, &gain)
    children.best_cost = children.cost


# --------------------------------------------------------------------------------------------- of label sequences

cdef int offer_sequences(
    NodeSearch search, index_t feature, index_t n_children, index_t division, const Entry* entries, index_t n,
    const Split* cut
) except -1 nogil:
    """Offer the split of a node by a categorical feature; its entries are sorted by child. Give up as soon as the
    children cost too much for it to be the best: their lengths times their impurities, added up, by group."""
    cdef index_t i, sample = 0, length = 0, group = 0
    cdef int64_t cost = 0, limit = <int64_t> n * n + 1
    cdef Gain gain
    if cut.feature != NONE:
        limit = search.sequences.best.cost + (feature < cut.feature)
    if search.children.best.feature != NONE:
        limit = min(limit, <int64_t> search.children.best_cost)
    # The labels of entries[i - length:i], which share a key and a group, are in `worker.sequence`.
    for i in range(n + 1):
        if i < n:
            sample = search.orders.number_of_place[place_of(entries[i])]
        if i == n or i > 0 and (
            key_of(entries[i]) != key_of(entries[i - 1])
            or search.sequences.groups is not None and search.sequences.groups.group_of_sample[sample] != group
        ):
            cost += length * <int64_t> impurity_of(
                search.sequences.worker.memory, length, steps_left(limit, cost, length)
            )
            if cost >= limit:
                return 0
            length = 0
        if i < n:
            search.sequences.worker.sequence[length] = search.sequences.labels[sample]
            if search.sequences.groups is not None:
                group = search.sequences.groups.group_of_sample[sample]
            length += 1
    gain = exact_gain(search.sequences.node_cost - cost, 1, n)
    search.children.present.division = division
    offer_gain(search.children, feature, n_children, &gain)
    search.children.best_cost = cost
