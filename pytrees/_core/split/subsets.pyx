"""The best split of a categorical feature into two sets of categories.

The samples of every category are counted once, and these counts give the gains of all divisions. Only criteria on label
sequences go through the samples for every division. Where the best division is a cut of an order, others are judged
only if a limit forbids this cut, and if it would be the best split so far.

If only cuts of an order of the categories are judged, their absolute errors are those of cuts of samples in this order.
"""

import numpy as np

from libc.string cimport memset

from pytrees._core.base.sorting cimport Entry, key_of, packed, place_of
from pytrees._core.base.types cimport MISSING_RIGHT, NONE, float64_t, index_t, int64_t, uint32_t, uint64_t
from pytrees._core.criteria.absolute_error cimport errors_of, sum_errors
from pytrees._core.criteria.categories cimport (
    MOST_DIVIDED, CategoryCounts, list_division, list_next_division, listed_sums, n_divisions, number_codes, set_order,
    start_category, summed_for_user, sums_of_category,
)
from pytrees._core.criteria.category_errors cimport error_of_set, sum_steps, take_categories
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.codes cimport OWN_CLASS_COUNTS, OWN_SEQUENCES, SEQUENCES
from pytrees._core.criteria.counts cimport TargetSums, add_target, in_unit, less_sums
from pytrees._core.criteria.target_units cimport write_sums
from pytrees._core.rows.features cimport Column, column_of, value_at, value_in
from pytrees._core.rows.partition cimport block_row, entries_of
from pytrees._core.split.children cimport (
    add_target_child, end_child, offer_children, offer_sequences, offer_target_children, offer_user_gain,
    start_children, start_target_children,
)
from pytrees._core.split.limits cimport allows_division, may_divide
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split, first_place, label_of_place, weight_of_place


cdef enum:
    FORBIDDEN = -2      # the number of a division that a limit forbids


cdef int offer_divisions(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* entries, const Split* cut
) except -1 nogil:
    """Offer every allowed division of the categories of a node. In a block, its entries are sorted by category."""
    if not may_divide(search, node.stop - node.start):
        return 0
    if node.in_block:
        _count_categories(search, search.categories, node, feature, entries)
    else:
        _count_codes(search, search.categories, node, feature)
    if search.judging == OWN_CLASS_COUNTS:
        return _offer_to_user(search, search.categories, node, feature, entries)
    return _offer_divisions(search, search.categories, node, feature, entries, cut)


cdef int _offer_divisions(
    NodeSearch search, CategoryCounts categories, const NodeRows* node, index_t feature, const Entry* entries,
    const Split* cut
) except -1 nogil:
    cdef index_t number, last = n_divisions(categories), n = node.stop - node.start
    cdef bint allows_all = True
    if search.judging == SEQUENCES or search.judging == OWN_SEQUENCES:
        _number_categories(search, entries, n)
    if search.category_errors is not None:
        if categories.in_order:
            _sum_errors_in_order(search, categories, entries)
        else:
            take_categories(search.category_errors, entries)
            sum_steps(search.category_errors)
    for number in range(1, last + 1):
        list_next_division(categories, number)
        if not allows_division(search, categories.n_listed, categories.listed_weight, n):
            allows_all = False
        elif search.judging == SEQUENCES:
            _divide(search, categories, node)
            offer_sequences(search, feature, 2, number, <const uint64_t*> &categories.divided[0], n, cut)
        elif search.judging == OWN_SEQUENCES:
            _divide(search, categories, node)
            _offer_to_sequence_criterion(search, feature, number, n)
        else:
            _offer_to_engine(search, categories, feature, number)
    if allows_all or not categories.has_best_order or not _forbids_best(
        search, search.children, categories, feature, n
    ):
        return 0
    if categories.n_present > MOST_DIVIDED:
        if search.children.best.feature == feature:
            search.children.best.division += last
        return 0
    for number in range(last + 1, last + (1 << last)):
        list_next_division(categories, number)
        if allows_division(search, categories.n_listed, categories.listed_weight, n):
            _offer_to_engine(search, categories, feature, number)


cdef bint _forbids_best(
    NodeSearch search, ChildCounts children, CategoryCounts categories, index_t feature, index_t n
) except -1 nogil:
    """Whether a forbidden cut of the order gains more than the best split so far, which stays the best."""
    cdef index_t number
    for number in range(1, n_divisions(categories) + 1):
        list_next_division(categories, number)
        if allows_division(search, categories.n_listed, categories.listed_weight, n):
            continue
        _offer_to_engine(search, categories, feature, FORBIDDEN)
        if children.best.division == FORBIDDEN:
            children.present, children.best = children.best, children.present
            return True
    return False


cdef inline int _offer_to_engine(
    NodeSearch search, CategoryCounts categories, index_t feature, index_t number
) except -1 nogil:
    """Offer the listed division to a criterion of the engine on class counts or targets."""
    if categories.has_targets:
        return _offer_targets(search, categories, feature, number)
    return _offer_counts(search.children, categories, feature, number)


cdef void list_split(NodeSearch search, const NodeRows* node, const Split* split) noexcept nogil:
    """List the categories on one side of the split of a node."""
    if not node.in_block:
        _count_codes(search, search.categories, node, split.feature)
    elif search.partition.is_wide:
        _count_in_block(search, node, split.feature, <const uint64_t*> NULL)
    else:
        _count_in_block(search, node, split.feature, <const uint32_t*> NULL)
    list_division(search.categories, split.division)


cdef inline void _count_in_block(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* width
) noexcept nogil:
    _count_categories(
        search, search.categories, node, feature,
        entries_of(search.partition, node.block, feature, node.start, node.stop, width),
    )


cdef void _count_categories(
    NodeSearch search, CategoryCounts categories, const NodeRows* node, index_t feature, const Entry* entries
) noexcept nogil:
    """Count the classes of every category in a block, and put the categories in the order in which they are divided.
    """
    cdef index_t i, place, row, label, category = NONE, first = first_place(search, node)
    cdef bint has_counts = search.count_weights.shape[0] > 0
    cdef int64_t count = 1
    categories.n_present = 0
    # The samples of entries[:i] are counted.
    for i in range(node.stop - node.start):
        place = place_of(entries[i])
        row = block_row(search.partition, node.block, place)
        label = search.labels[row] if categories.has_targets else label_of_place(search, first + place, entries)
        if i == 0 or key_of(entries[i]) != key_of(entries[i - 1]):
            category = start_category(categories, <index_t> value_at(search.partition.features, row, feature))
        if has_counts:
            count = search.count_weights[row]
        categories.sizes[category] += 1
        categories.weight[category] += count
        if categories.has_targets:
            add_target(sums_of_category(categories, category), search.counts.targets[label], count)
        else:
            categories.counts[category, label] += count
    set_order(categories)


cdef void _count_codes(
    NodeSearch search, CategoryCounts categories, const NodeRows* node, index_t feature
) noexcept nogil:
    """The same outside a block, where there are no targets that are numbers: without a sort."""
    cdef index_t i, row, code, n_codes = search.partition.features.n_categories[feature]
    cdef bint has_counts = search.count_weights.shape[0] > 0
    cdef index_t* sizes = &categories.sizes[0]
    cdef int64_t* counts = &categories.counts[0, 0]
    cdef Column column = column_of(search.partition.features, feature)
    memset(sizes, 0, n_codes * sizeof(index_t))
    memset(counts, 0, <Py_ssize_t> n_codes * categories.n_classes * sizeof(int64_t))
    for i in range(node.start, node.stop):
        row = search.partition.rows[i]
        code = <index_t> value_in(column, row)
        sizes[code] += 1
        counts[<Py_ssize_t> code * categories.n_classes + search.labels[row]] += (
            search.count_weights[row] if has_counts else 1
        )
    number_codes(categories, n_codes)
    set_order(categories)


cdef void number_rows(NodeSearch search, const NodeRows* node, index_t feature) noexcept nogil:
    """Outside a block: mark the node's rows by the numbers of their categories, which have been counted."""
    cdef index_t i, row
    cdef Column column = column_of(search.partition.features, feature)
    for i in range(node.start, node.stop):
        row = search.partition.rows[i]
        search.partition.child_of[row] = search.categories.number_of_code[<index_t> value_in(column, row)]


cdef int _offer_counts(
    ChildCounts children, CategoryCounts categories, index_t feature, index_t number
) except -1 nogil:
    """Offer the listed division to a criterion of the engine on class counts."""
    cdef index_t label
    start_children(children, feature, 2, number)
    for label in range(categories.n_classes):
        children.counts[label] = categories.listed_counts[label]
    end_child(children)
    for label in range(categories.n_classes):
        children.counts[label] = children.node.total_counts[label] - categories.listed_counts[label]
    end_child(children)
    return offer_children(children)


cdef int _offer_targets(NodeSearch search, CategoryCounts categories, index_t feature, index_t number) except -1 nogil:
    """Offer the listed division if classes are numbers."""
    cdef TargetSums listed = listed_sums(categories)[0], others = less_sums(&search.counts.sums, &listed)
    cdef uint32_t is_listed
    listed.spread = others.spread = 0
    if search.category_errors is not None and categories.in_order:
        listed.spread = errors_of(search.counts.errors.left, MISSING_RIGHT)[categories.n_listed]
        others.spread = errors_of(search.counts.errors.right, MISSING_RIGHT)[categories.n_listed]
    elif search.category_errors is not None:
        is_listed = <uint32_t> number << 1      # category 0 never is
        listed.spread = error_of_set(search.category_errors, is_listed)
        others.spread = error_of_set(search.category_errors, ~is_listed)
    start_target_children(search.children, feature, 2, number)
    add_target_child(search.children, &listed)
    add_target_child(search.children, &others)
    return offer_target_children(search.children)


cdef void _sum_errors_in_order(NodeSearch search, CategoryCounts categories, const Entry* entries) noexcept nogil:
    """Compute the absolute errors of both sides of all cuts of the order of the categories."""
    cdef index_t i, k, category, start = 0, n = 0
    # Until the samples are in order, `category_of` has the first entry of every category.
    for category in range(categories.n_present):
        categories.category_of[category] = start
        start += categories.sizes[category]
    for k in range(categories.n_present):
        category = categories.order[k]
        start = categories.category_of[category]
        for i in range(start, start + categories.sizes[category]):
            categories.divided[n] = packed(k, place_of(entries[i]), <uint64_t> 0)
            n += 1
    sum_errors(search.counts.errors, <const uint64_t*> &categories.divided[0], 0)


# ----------------------------------------------------------------------------------------------- a user's criterion

cdef int _offer_to_user(
    NodeSearch search, CategoryCounts categories, const NodeRows* node, index_t feature, const Entry* entries
) except -1 nogil:
    """Offer the divisions to a user's criterion on class counts or sums of targets, which judges all of them
    together."""
    if search.units is not None:
        _sum_categories(search, node, entries, summed_for_user(categories))
    with gil:
        return _offer_together(search, categories, node, feature)


cdef inline void _sum_categories(
    NodeSearch search, const NodeRows* node, const Entry* entries, TargetSums* of_category
) noexcept nogil:
    """Add up the targets of every category; the entries are sorted by category."""
    cdef index_t i, place, category = -1, first = first_place(search, node)
    for i in range(node.stop - node.start):
        if i == 0 or key_of(entries[i]) != key_of(entries[i - 1]):
            category += 1
            of_category[category] = TargetSums(0, 0, 0)
        place = first + <index_t> place_of(entries[i])
        add_target(&of_category[category], search.place_targets[place], weight_of_place(search, place))


cdef int _offer_together(NodeSearch search, CategoryCounts categories, const NodeRows* node, index_t feature) except -1:
    cdef ChildCounts children = search.children
    cdef index_t number, n_allowed = 0, n = node.stop - node.start
    cdef index_t n_columns = categories.n_classes if search.units is None else 3
    cdef float64_t[::1, :] left = np.empty((n_divisions(categories), n_columns), order="F")
    cdef float64_t[::1, :] right = np.empty((n_divisions(categories), n_columns), order="F")
    numbers = []
    for number in range(1, n_divisions(categories) + 1):
        list_next_division(categories, number)
        if not allows_division(search, categories.n_listed, categories.listed_weight, n):
            continue
        if search.units is None:
            _write_listed_counts(children, categories, left, right, n_allowed)
        else:
            _write_listed_sums(search, categories, left, right, n_allowed)
        n_allowed += 1
        numbers.append(number)
    if numbers:
        gains = search.table.criterion.judged(left[:n_allowed], right[:n_allowed])
        for number, given in zip(numbers, gains, strict=True):
            offer_user_gain(children, feature, 2, number, given, <float64_t> children.total)


cdef inline void _write_listed_counts(
    ChildCounts children, CategoryCounts categories, float64_t[::1, :] left, float64_t[::1, :] right, index_t row
) noexcept nogil:
    cdef index_t label
    cdef int64_t listed
    for label in range(categories.n_classes):
        listed = categories.listed_counts[label]
        left[row, label] = in_unit(children.node, listed)
        right[row, label] = in_unit(children.node, children.node.total_counts[label] - listed)


cdef inline int _write_listed_sums(
    NodeSearch search, CategoryCounts categories, float64_t[::1, :] left, float64_t[::1, :] right, index_t row
) except -1 nogil:
    cdef index_t category
    cdef const TargetSums* of_category = summed_for_user(categories)
    cdef TargetSums listed = TargetSums(0, 0, 0), others
    for category in range(categories.n_present):
        if categories.is_listed[category]:
            listed.weight += of_category[category].weight
            listed.sum += of_category[category].sum
            listed.spread += of_category[category].spread
    others = less_sums(&search.counts.sums, &listed)
    write_sums(search.units, &listed, &left[row, 0], &left[row, 1], &left[row, 2])
    return write_sums(search.units, &others, &right[row, 0], &right[row, 1], &right[row, 2])


cdef int _offer_to_sequence_criterion(NodeSearch search, index_t feature, index_t number, index_t n) except -1 nogil:
    """Offer the listed division to a user's criterion on label sequences."""
    cdef index_t i
    with gil:
        order = np.empty(n, dtype=np.int32)
        for i in range(n):
            order[i] = search.orders.number_of_place[place_of(search.categories.divided[i])]
        gains = search.user_sequence.judged(
            search.sequences.labels[:n], search.node_row_ids[:n], order, [search.categories.n_listed]
        )
        return offer_user_gain(search.children, feature, 2, number, gains[0], <float64_t> n)


# ------------------------------------------------------------------------------------------------------ label sequences

cdef inline void _number_categories(NodeSearch search, const Entry* entries, index_t n) noexcept nogil:
    """Write the category of every sample, in their order."""
    cdef index_t i, category = 0
    for i in range(n):
        category += i > 0 and key_of(entries[i]) != key_of(entries[i - 1])
        search.categories.category_of[search.orders.number_of_place[place_of(entries[i])]] = category


cdef void _divide(NodeSearch search, CategoryCounts categories, const NodeRows* node) noexcept nogil:
    """Write the entries of the samples on the listed side, in their order, and then the entries of the others."""
    cdef index_t i, place, listed = 0, other = categories.n_listed
    for i in range(node.stop - node.start):
        place = search.partition.rows[node.start + i]
        if categories.is_listed[categories.category_of[i]]:
            categories.divided[listed] = packed(0, place, <uint64_t> 0)
            listed += 1
        else:
            categories.divided[other] = packed(1, place, <uint64_t> 0)
            other += 1
