"""The best split of one node: the best cut of a numeric feature, or the best split by a categorical one.

`cut_search` finds the best cut for the engine's criteria on class counts. Criteria on label sequences, a user's
criteria, and splits by category are judged here.
"""

import numpy as np

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport (
    MISSING_LEFT, MISSING_RIGHT, NONE, UNDEFINED, float64_t, index_t, int64_t, uint32_t, uint64_t,
)
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.absolute_error cimport MedianErrors
from pytrees._core.criteria.categories cimport CategoryCounts
from pytrees._core.criteria.category_errors cimport CategoryErrors, error_of_category, take_categories
from pytrees._core.criteria.children cimport (
    ChildCounts, compare_squares_to_cut, complete_best, exact_fraction, sums_squares,
)
from pytrees._core.criteria.codes cimport OWN_CLASS_COUNTS, OWN_SEQUENCES, SEQUENCES, keeps_counts, sums_fractions
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums, add_target, are_numbers, in_unit, less_sums
from pytrees._core.criteria.gain cimport Gain, exact_gain, is_greater_gain, is_near, tolerant_gain
from pytrees._core.criteria.logarithms cimport compare_information, count_cut
from pytrees._core.criteria.target_units cimport TargetUnits, write_sums
from pytrees._core.criteria.user cimport (
    CutTable, Segment, UserCut, judge_sequences, judge_table, reserve_cuts, takes_lead,
)
from pytrees._core.criteria.wide cimport compare_to_cut
from pytrees._core.rows.category_splits cimport entries_by_category
from pytrees._core.rows.partition cimport RowPartition, check_entries, entries_of, missing_of
from pytrees._core.sequence.groups cimport add_sample
from pytrees._core.sequence.scanner cimport find_cut as find_sequence_cut
from pytrees._core.split.allowed_cuts cimport (
    AllowedCuts, Limits, allows_in_order, allows_some_in_order, is_tried, last_cut,
)
from pytrees._core.split.children cimport (
    add_target_child, end_child, offer_children, offer_sequences, offer_target_children, offer_user_gain,
    start_children, start_node, start_target_children,
)
from pytrees._core.split.cut_search cimport find_cut
from pytrees._core.split.limits cimport allow_by_order, allow_cuts, allowed_children
from pytrees._core.split.node_search cimport (
    NodeRows, NodeSearch, Split, count_node, direction_of, draw_features, first_place, label_at, label_of_place, row_at,
    tally_missing, threshold_of, weight_of_node, weight_of_place, write_cut,
)
from pytrees._core.split.subsets cimport offer_divisions

from pytrees._core.criteria.categories import has_best_order
from pytrees._core.criteria.counts import given_of, make_room_for_missing, user_criterion_of
from pytrees._core.criteria.table import class_counts, judges_medians, judges_sequence, judging_of, sequence_impurity_of


def make_search(
    RowPartition partition, labels, weights, n_classes, criterion, Limits limits, index_t max_features,
    index_t n_threads, bint subsets=False, bint has_unsorted=False,
):
    """Return the state of the search by a criterion, which is a name, or a name and parameters, as a NodeSearch; with
    `subsets` categories are divided into two sets. `has_unsorted`: some nodes are searched in no block."""
    user_criterion, row_ids = user_criterion_of(criterion)
    cdef NodeSearch search = NodeSearch(
        partition, labels, weights,
        class_counts(criterion, n_classes, weights, partition.n_rows, counts_targets=False), judging_of(criterion),
        sequence_impurity_of(criterion), user_criterion, row_ids, limits, max_features, n_threads,
        given_of(criterion).get("groups"),
    )
    if user_criterion is not None and are_numbers(search.counts):
        search.units = TargetUnits(given_of(criterion).get("grid", (0, 1, 0)), given_of(criterion).get("unit", 1))
    if judges_medians(criterion):
        search.counts.errors = MedianErrors(partition.row_of_place.shape[0])
    if partition.features.has_missing:
        make_room_for_missing(search.counts)
    if search.n_drawn_categories > 0:
        keeps = keeps_counts(search.counts)
        search.children = ChildCounts(
            search.counts, keeps, not keeps and sums_fractions(search.counts.code), partition.child_ends.shape[0],
            user_criterion,
        )
    if search.children is not None and subsets:
        most_categories = np.max(partition.features.n_categories)
        search.categories = CategoryCounts(
            n_classes, most_categories if has_unsorted else min(most_categories, partition.n_rows), partition.n_rows,
            has_best_order(criterion, n_classes), judges_sequence(criterion) or judges_medians(criterion),
            are_numbers(search.counts), has_unsorted,
        )
    if search.children is not None and judges_medians(criterion):
        search.category_errors = CategoryErrors(
            search.counts.errors, partition.n_rows, partition.child_ends.shape[0], subsets
        )
    return search


# --------------------------------------------------------------------------------------------------- the best split

cdef int find_split(NodeSearch search, const NodeRows* node, uint64_t random_state, Split* best) except -1 nogil:
    """Write the best split of the node's samples; ties go to the lowest feature, then the lowest threshold, then
    missing values on the right."""
    _forget_split(best)
    draw_features(search, node, random_state)
    if search.judging == SEQUENCES:
        _find_by_sequences(search, node, best)
    elif search.judging == OWN_SEQUENCES:
        _find_by_user_sequences(search, node, best)
    elif search.judging == OWN_CLASS_COUNTS:
        _find_user_cut(search, node, best)
    else:
        find_cut(search, node, best)
    if search.n_drawn_categories > 0:
        _find_category_split(search, node, best)


cdef inline void _forget_split(Split* best) noexcept nogil:
    best.feature = NONE
    best.n_left = best.n_missing = best.n_missing_left = 0
    best.n_children = 2
    best.division = NONE
    best.is_large = best.knows_left = False


cdef int offer_to_user(
    NodeSearch search, const NodeRows* node, uint64_t random_state, index_t number, UserCut* best_of_node
) except -1 nogil:
    """Put the node's cuts into the user's table under this number; a full table is judged at once."""
    draw_features(search, node, random_state)
    return _add_cuts(search, node, number, best_of_node)


cdef int take_user_cut(
    NodeSearch search, const NodeRows* node, uint64_t random_state, const UserCut* cut, Split* best
) except -1 nogil:
    """Write the best split of the node whose best cut has been judged."""
    _forget_split(best)
    _write_user_cut(search, node, cut, best)
    if search.children is not None:
        # Other nodes have been looked at since its cuts were offered.
        draw_features(search, node, random_state)
        count_node(search, node)
        _find_category_split(search, node, best)


# --------------------------------------------------------------------------------------------------- label sequences

cdef void _start_sequences(NodeSearch search, const NodeRows* node) noexcept nogil:
    """Lay out the node's labels in the order of its samples, and the number of each place among them."""
    cdef index_t i
    search.orders.block, search.orders.start, search.orders.stop = node.block, node.start, node.stop
    for i in range(node.stop - node.start):
        search.orders.number_of_place[search.partition.rows[node.start + i]] = i
        search.sequences.labels[i] = label_at(search, node, node.start + i)
    if search.sequences.groups is not None:
        search.sequences.groups.n_groups = 0
        for i in range(node.stop - node.start):
            add_sample(search.sequences.groups, i, row_at(search, node, node.start + i))


cdef int _find_by_sequences(NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples by the impurity of their label sequence."""
    cdef index_t i, n = node.stop - node.start
    _start_sequences(search, node)
    for i in range(search.n_drawn):
        search.sequences.features[i] = search.drawn[i]
    find_sequence_cut(search.sequences, search.orders, n, search.n_drawn, search.limits.max_candidates)
    if search.sequences.best.feature == NONE:
        return 0
    best.gain = exact_gain(search.sequences.node_cost - search.sequences.best.cost, 1, n)
    _take_cut(
        search, node, search.sequences.best.feature,
        search.sequences.best.n_left - search.sequences.best.n_missing_left,
        search.sequences.best.n_missing_left > 0, best,
    )


cdef void _take_cut(
    NodeSearch search, const NodeRows* node, index_t feature, index_t n_known_left, bint missing_left, Split* best
) noexcept nogil:
    if search.partition.is_wide:
        _take_cut_of(search, node, feature, n_known_left, missing_left, best, <const uint64_t*> NULL)
    else:
        _take_cut_of(search, node, feature, n_known_left, missing_left, best, <const uint32_t*> NULL)
    best.threshold = threshold_of(search, node, best)


cdef inline void _take_cut_of(
    NodeSearch search, const NodeRows* node, index_t feature, index_t n_known_left, bint missing_left, Split* best,
    const Entry* width
) noexcept nogil:
    cdef const Entry* entries = entries_of(search.partition, node.block, feature, node.start, node.stop, width)
    cdef index_t n_missing = missing_of(search.partition, node.block, feature, entries, node.stop - node.start)
    write_cut(search, node, feature, entries, n_missing, n_known_left, missing_left, best)


cdef int _find_by_user_sequences(NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples by a user's criterion on label sequences."""
    cdef index_t i, k, row, n = node.stop - node.start
    _start_sequences(search, node)
    for i in range(n):
        row = row_at(search, node, node.start + i)
        search.node_row_ids[i] = search.row_ids[row] if search.row_ids.shape[0] > 0 else row
    for k in range(search.n_drawn):
        _find_in_user_sequences(search, node, search.drawn[k], best)


cdef int _find_in_user_sequences(NodeSearch search, const NodeRows* node, index_t feature, Split* best) except -1 nogil:
    """Write the best cut of a feature if it is better than the best so far."""
    cdef index_t way, n_missing, n_known_left, best_of_feature = NONE, n = node.stop - node.start
    cdef index_t[2] n_cuts, next_cut
    cdef float64_t best_gain = 0.0
    cdef bint missing_left = False
    cdef Gain gain
    n_cuts[MISSING_RIGHT] = _judge_user_sequences(search, feature, n, False, &n_missing)
    n_cuts[MISSING_LEFT] = _judge_user_sequences(search, feature, n, True, &n_missing) if n_missing > 0 else 0
    next_cut[MISSING_RIGHT] = next_cut[MISSING_LEFT] = 0
    # Merge the cuts of both ways by threshold, missing values on the right first; cuts before the next ones are
    # compared.
    while next_cut[MISSING_RIGHT] < n_cuts[MISSING_RIGHT] or next_cut[MISSING_LEFT] < n_cuts[MISSING_LEFT]:
        way = MISSING_RIGHT
        if next_cut[MISSING_RIGHT] == n_cuts[MISSING_RIGHT] or next_cut[MISSING_LEFT] < n_cuts[MISSING_LEFT] and (
            search.user_cuts[MISSING_LEFT, next_cut[MISSING_LEFT]] - n_missing
            < search.user_cuts[MISSING_RIGHT, next_cut[MISSING_RIGHT]]
        ):
            way = MISSING_LEFT
        if takes_lead(search.user_gains[way, next_cut[way]], best_of_feature, best_gain):
            best_of_feature = feature
            best_gain = search.user_gains[way, next_cut[way]]
            missing_left = way == MISSING_LEFT
            n_known_left = search.user_cuts[way, next_cut[way]] - (n_missing if missing_left else 0)
        next_cut[way] += 1
    if best_of_feature == NONE:
        return 0
    gain = tolerant_gain(best_gain, <float64_t> n)
    if best.feature == NONE or is_greater_gain(&gain, &best.gain):
        best.gain = gain
        _take_cut(search, node, feature, n_known_left, missing_left, best)


cdef index_t _judge_user_sequences(
    NodeSearch search, index_t feature, index_t n, bint missing_first, index_t* n_missing
) except -1 nogil:
    """Write the cuts of a feature with the missing on one side, and their gains; return how many there are."""
    cdef index_t i, n_cuts = search.orders.read(
        feature, missing_first, &search.sequences.worker.order[0], &search.sequences.worker.cuts[0], n_missing
    )
    if n_cuts == 0:
        return 0
    for i in range(n_cuts):
        search.user_cuts[missing_first, i] = search.sequences.worker.cuts[i]
    judge_sequences(
        search.user_sequence, search.sequences.labels[:n], search.node_row_ids[:n],
        search.sequences.worker.order[:n], search.sequences.worker.cuts[:n_cuts],
        search.user_gains[missing_first, :n_cuts],
    )
    return n_cuts


cdef int _offer_children_to_user(
    NodeSearch search, index_t feature, index_t n_children, const Entry* entries, index_t n
) except -1 nogil:
    cdef index_t i, child = 0
    for i in range(n):
        child += i > 0 and key_of(entries[i]) != key_of(entries[i - 1])
        search.partition.child_of[search.orders.number_of_place[place_of(entries[i])]] = child
    with gil:
        gain = search.user_sequence.judged_children(
            search.sequences.labels[:n], search.partition.child_of[:n], search.node_row_ids[:n]
        )
        return offer_user_gain(search.children, feature, n_children, NONE, gain, <float64_t> n)


# -------------------------------------------------------------------------- a user's criterion on counts or on sums

cdef int _find_user_cut(NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples by a user's criterion on class counts or on sums of targets."""
    cdef UserCut cut
    _add_cuts(search, node, 0, &cut)
    judge_table(search.table, &cut)
    _write_user_cut(search, node, &cut, best)


cdef void _write_user_cut(NodeSearch search, const NodeRows* node, const UserCut* cut, Split* best) noexcept nogil:
    """Write the split of a node whose best cut has been judged."""
    if cut.feature == NONE:
        return
    best.gain = tolerant_gain(cut.gain, cut.weight)
    _take_cut(search, node, cut.feature, cut.n_known_left, cut.missing_left, best)


cdef int _add_cuts(NodeSearch search, const NodeRows* node, index_t number, UserCut* best_of_node) except -1 nogil:
    """Put the cuts of the node's drawn features into the table, which is judged whenever it is full."""
    best_of_node[number].feature = NONE
    count_node(search, node)
    best_of_node[number].weight = <float64_t> weight_of_node(search)
    if search.partition.is_wide:
        return _add_features(search, node, number, best_of_node, <const uint64_t*> NULL)
    return _add_features(search, node, number, best_of_node, <const uint32_t*> NULL)


cdef int _add_features(
    NodeSearch search, const NodeRows* node, index_t number, UserCut* best_of_node, const Entry* width
) except -1 nogil:
    cdef index_t k, feature
    for k in range(search.n_drawn):
        feature = search.drawn[k]
        check_entries(search.partition, node.stop - node.start)
        _add_feature(
            search, search.table, node,
            entries_of(search.partition, node.block, feature, node.start, node.stop, width), number, feature,
            best_of_node,
        )


cdef int _add_feature(
    NodeSearch search, CutTable table, const NodeRows* node, const Entry* entries, index_t number, index_t feature,
    UserCut* best_of_node
) except -1 nogil:
    cdef index_t i, n_missing = missing_of(search.partition, node.block, feature, entries, node.stop - node.start)
    cdef Py_ssize_t n_cuts = 0
    cdef AllowedCuts allowed = allow_cuts(search, node, entries, n_missing)
    if n_missing > 0:
        tally_missing(search, node, entries, n_missing)
    if direction_of(search, feature) != 0:
        allow_by_order(search, node, feature, entries, n_missing, &allowed)
    for i in range(1, last_cut(&allowed) + 1):
        if key_of(entries[i - 1]) != key_of(entries[i]):
            n_cuts += allows_in_order(&allowed, MISSING_RIGHT, i) + allows_in_order(&allowed, MISSING_LEFT, i)
    if n_cuts == 0:
        return 0
    if table.per_feature:
        reserve_cuts(table, n_cuts)
    table.running[:] = 0
    _add_entries(search, table, node, entries, &allowed, number, feature, best_of_node)
    if table.per_feature:
        judge_table(table, best_of_node)


cdef inline int _add_entries(
    NodeSearch search, CutTable table, const NodeRows* node, const Entry* entries, AllowedCuts* allowed, index_t number,
    index_t feature, UserCut* best_of_node
) except -1 nogil:
    cdef index_t i, way, place, first = first_place(search, node)
    cdef bint of_numbers = are_numbers(search.counts)
    cdef TargetSums left = TargetSums(0, 0, 0)
    cdef Segment* segment
    if table.n_cuts == table.capacity:
        judge_table(table, best_of_node)
    segment = _open_segment(table, number, feature, True)
    # The places of entries[:i] have moved to the left, in this order.
    for i in range(1, last_cut(allowed) + 1):
        place = first + <index_t> place_of(entries[i - 1])
        if of_numbers:
            add_target(&left, search.place_targets[place], weight_of_place(search, place))
        else:
            table.running[label_of_place(search, place, entries)] += weight_of_place(search, place)
        if key_of(entries[i - 1]) == key_of(entries[i]) or not allows_some_in_order(allowed, i):
            continue
        if not is_tried(allowed):
            continue
        for way in range(2):
            if not allows_in_order(allowed, way, i):
                continue
            if table.n_cuts == table.capacity:
                segment.stop = table.n_cuts
                judge_table(table, best_of_node)
                segment = _open_segment(table, number, feature, False)
            if of_numbers:
                _add_sums(table, search.units, search.counts, &left, way == MISSING_LEFT)
            else:
                _add_counts(table, search.counts, way == MISSING_LEFT)
            table.n_known_left[table.n_cuts] = i
            table.missing_left[table.n_cuts] = way == MISSING_LEFT
            table.n_cuts += 1
    segment.stop = table.n_cuts
    segment.ends_feature = True


cdef inline Segment* _open_segment(CutTable table, index_t node, index_t feature, bint starts_feature) noexcept nogil:
    """Every segment gets a cut, so that there are never more segments than cuts."""
    cdef Segment* segment = &table.segments[table.n_segments]
    table.n_segments += 1
    segment[0] = Segment(node, feature, table.n_cuts, table.n_cuts, starts_feature, False)
    return segment


cdef inline void _add_counts(CutTable table, ClassCounts node, bint missing_left) noexcept nogil:
    """Write the class counts of the cut after the last one."""
    cdef index_t label, cut = table.n_cuts
    cdef int64_t left
    for label in range(node.n_classes):
        left = table.running[label]
        if missing_left:
            left += node.missing_counts[label]
        table.left[cut, label] = in_unit(node, left)
        table.right[cut, label] = in_unit(node, node.total_counts[label] - left)


cdef inline int _add_sums(
    CutTable table, TargetUnits units, ClassCounts node, const TargetSums* known_left, bint missing_left
) except -1 nogil:
    """Write the sums of the cut after the last one; `known_left` are those of the samples on the left that have the
    value."""
    cdef index_t cut = table.n_cuts
    cdef TargetSums left = known_left[0], right
    if missing_left:
        left.weight += node.missing_sums.weight
        left.sum += node.missing_sums.sum
        left.spread += node.missing_sums.spread
    right = less_sums(&node.sums, &left)
    write_sums(units, &left, &table.left[cut, 0], &table.left[cut, 1], &table.left[cut, 2])
    return write_sums(units, &right, &table.right[cut, 0], &table.right[cut, 1], &table.right[cut, 2])


# ------------------------------------------------------------------------------------------------ splits by category

cdef int _find_category_split(NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
    """Replace the best cut by the best split by a drawn categorical feature, if that split is better, or if it is as
    good and of the lower feature. The node was searched for cuts: its classes are counted, or its labels laid out."""
    start_node(search.children)
    if search.partition.is_wide or not node.in_block:
        _offer_features(search, node, best, <const uint64_t*> NULL)
    else:
        _offer_features(search, node, best, <const uint32_t*> NULL)
    if search.children.best.feature == NONE:
        return 0
    complete_best(search.children)
    if best.feature == NONE or _beats_cut(search.children, best):
        best.feature = search.children.best.feature
        best.n_children = search.children.best.n_children
        best.division = search.children.best.division
        best.gain = search.children.best.gain
        best.is_large = search.children.best.is_large
        best.n_missing = best.n_missing_left = 0
        best.knows_left = False
        best.threshold = UNDEFINED


cdef int _offer_features(NodeSearch search, const NodeRows* node, const Split* cut, const Entry* width) except -1 nogil:
    cdef index_t k, feature
    cdef const Entry* entries = NULL    # divisions outside a block need none
    for k in range(search.n_drawn_categories):
        feature = search.drawn_categories[k]
        check_entries(search.partition, node.stop - node.start)
        if node.in_block or search.categories is None:
            entries = entries_by_category(
                search.partition, node.in_block, node.block, feature, node.start, node.stop, width
            )
        _offer_feature(search, node, feature, entries, cut)


cdef bint _beats_cut(ChildCounts children, const Split* cut) except -1 nogil:
    cdef bint is_lower = children.best.feature < cut.feature
    if cut.gain.error > 0.0 and is_near(&children.best.gain, &cut.gain):
        if children.node.is_wide:
            return compare_to_cut(children.node, children.best.counts, children.best.n_children) + is_lower > 0
        return _compare_to_cut(children, children.node) + is_lower > 0
    if children.best.is_large and sums_squares(children):
        return compare_squares_to_cut(children, &cut.gain) + is_lower > 0
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


cdef int _compare_to_cut(ChildCounts children, ClassCounts counts) except -2 nogil:
    """Return 1 if the best split by category gains more information than the best cut, 0 if both gain the same, else
    -1."""
    count_cut(&counts.logs[0], &counts.total_counts[0], &counts.best_left_counts[0], counts.n_classes)
    return compare_information(
        counts.form, &counts.total_counts[0], counts.n_classes, &children.best.logs, &counts.logs[0]
    )


cdef int _offer_feature(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* entries, const Split* cut
) except -1 nogil:
    cdef index_t n_children, n = node.stop - node.start
    if search.categories is not None:
        return offer_divisions(search, node, feature, entries, cut)
    n_children = allowed_children(search, node, entries)
    if n_children == 0:
        return 0
    if search.judging == SEQUENCES:
        offer_sequences(search, feature, n_children, NONE, entries, n, cut)
    elif search.judging == OWN_SEQUENCES:
        _offer_children_to_user(search, feature, n_children, entries, n)
    elif search.units is not None:
        _offer_sums_by_category(search, node, feature, n_children, entries)
    elif are_numbers(search.counts):
        _offer_targets_by_category(search, node, feature, n_children, entries)
    else:
        start_children(search.children, feature, n_children, NONE)
        _count_entries(search, node, entries, n)
        offer_children(search.children)


cdef inline void _count_entries(
    NodeSearch search, const NodeRows* node, const Entry* entries, index_t n
) noexcept nogil:
    """Count the classes of the children, one after the other."""
    cdef index_t i, place, label, first = first_place(search, node)
    cdef bint has_counts = search.count_weights.shape[0] > 0
    cdef int64_t count = 1
    cdef int64_t* counts = &search.children.counts[0]
    # The last child's samples in entries[:i] are counted; the children before it have ended.
    for i in range(n):
        if i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            end_child(search.children)
        place = place_of(entries[i])
        if not node.in_block:
            place = search.partition.rows[node.start + place]
            label = search.labels[place]
            if has_counts:
                count = search.count_weights[place]
        else:
            place += first
            label = label_of_place(search, place, entries)
            if has_counts:
                count = search.place_counts[place]
        counts[label] += count
    end_child(search.children)


cdef inline int _offer_targets_by_category(
    NodeSearch search, const NodeRows* node, index_t feature, index_t n_children, const Entry* entries
) except -1 nogil:
    """Offer a child for every category if classes are numbers. Their nodes are in blocks, as these have no bins."""
    cdef index_t i, place, child = 0, first = first_place(search, node), n = node.stop - node.start
    cdef bint has_counts = search.count_weights.shape[0] > 0
    cdef int64_t weight = 1
    cdef TargetSums sums = TargetSums(0, 0, 0)
    start_target_children(search.children, feature, n_children, NONE)
    if search.category_errors is not None:
        take_categories(search.category_errors, entries)
    # `sums` has the last child's samples in entries[:i + 1]; the children before it are added.
    for i in range(n):
        place = first + <index_t> place_of(entries[i])
        if has_counts:
            weight = search.place_counts[place]
        sums.weight += weight
        sums.sum += <int128_t> weight * search.place_targets[place]
        if i + 1 < n and key_of(entries[i + 1]) == key_of(entries[i]):
            continue
        if search.category_errors is not None:
            sums.spread = error_of_category(search.category_errors, child)
        add_target_child(search.children, &sums)
        sums = TargetSums(0, 0, 0)
        child += 1
    return offer_target_children(search.children)


cdef inline int _offer_sums_by_category(
    NodeSearch search, const NodeRows* node, index_t feature, index_t n_children, const Entry* entries
) except -1 nogil:
    """Offer a child for every category to a user's criterion on sums of targets."""
    cdef index_t i, place, child = 0, first = first_place(search, node), n = node.stop - node.start
    cdef float64_t[:, ::1] table
    cdef TargetSums sums = TargetSums(0, 0, 0)
    with gil:
        table = np.empty((n_children, 3))
    # `sums` has the last child's samples in entries[:i + 1]; the children before it are written.
    for i in range(n):
        place = first + <index_t> place_of(entries[i])
        add_target(&sums, search.place_targets[place], weight_of_place(search, place))
        if i + 1 < n and key_of(entries[i + 1]) == key_of(entries[i]):
            continue
        write_sums(search.units, &sums, &table[child, 0], &table[child, 1], &table[child, 2])
        sums = TargetSums(0, 0, 0)
        child += 1
    with gil:
        gain = search.table.criterion.judged_children(table)
        return offer_user_gain(search.children, feature, n_children, NONE, gain, <float64_t> search.children.total)
