"""Cuts of a node's features, as a user's criterion on class counts judges them: many in one call."""

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, uint32_t, uint64_t
from pytrees._core.criteria.gain cimport tolerant_gain
from pytrees._core.criteria.user cimport CutTable, Segment, UserCut, judge_table, reserve_cuts
from pytrees._core.rows.partition cimport entries_of
from pytrees._core.split.cuts cimport Cuts, cuts_to_try, entries_have_cut, is_tried
from pytrees._core.split.scanner cimport (
    NodeRows, Scanner, Split, count_node, first_place, label_of_place, take_cut, weight_of_node,
)


cdef int find_user_cut(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples by a user's criterion on class counts."""
    cdef UserCut cut
    add_cuts(scanner, node, 0, &cut)
    judge_table(scanner.table, &cut)
    write_user_cut(scanner, node, &cut, best)
    return 0


cdef void write_user_cut(Scanner scanner, const NodeRows* node, const UserCut* cut, Split* best) noexcept nogil:
    """Write the split of a node whose best cut has been judged."""
    if cut.feature == NONE:
        return
    best.gain = tolerant_gain(cut.gain, cut.weight)
    if scanner.partition.is_wide:
        take_cut(scanner, node, cut.feature, cut.n_left, best, <const uint64_t*> NULL)
    else:
        take_cut(scanner, node, cut.feature, cut.n_left, best, <const uint32_t*> NULL)


cdef int add_cuts(Scanner scanner, const NodeRows* node, index_t number, UserCut* best_of_node) except -1 nogil:
    """Put the cuts of the node's drawn features into the table, which is judged whenever it is full."""
    best_of_node[number].feature = NONE
    count_node(scanner, node)
    best_of_node[number].weight = weight_of_node(scanner)
    if scanner.partition.is_wide:
        return _add_features(scanner, node, number, best_of_node, <const uint64_t*> NULL)
    return _add_features(scanner, node, number, best_of_node, <const uint32_t*> NULL)


cdef int _add_features(
    Scanner scanner, const NodeRows* node, index_t number, UserCut* best_of_node, const Entry* width
) except -1 nogil:
    cdef index_t k, feature
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        _add_feature(
            scanner, scanner.table, node,
            entries_of(scanner.partition, node.block, feature, node.start, node.stop, width), number, feature,
            best_of_node,
        )
    return 0


cdef int _add_feature(
    Scanner scanner, CutTable table, const NodeRows* node, const Entry* entries, index_t number, index_t feature,
    UserCut* best_of_node
) except -1 nogil:
    cdef index_t i, n = node.stop - node.start
    cdef Py_ssize_t n_distinct = 0
    cdef Cuts cuts
    if not entries_have_cut(entries, n, scanner.min_samples_leaf):
        return 0
    if table.per_feature:
        for i in range(n - 1):
            n_distinct += key_of(entries[i]) != key_of(entries[i + 1])
        reserve_cuts(table, n_distinct)
    cuts = cuts_to_try(entries, n, scanner.min_samples_leaf, scanner.max_candidates)
    table.running[:] = 0.0
    if scanner.float_weights.shape[0] > 0:
        _add_entries(scanner, table, node, entries, number, feature, &cuts, best_of_node, True)
    else:
        _add_entries(scanner, table, node, entries, number, feature, &cuts, best_of_node, False)
    if table.per_feature:
        judge_table(table, best_of_node)
    return 0


cdef inline int _add_entries(
    Scanner scanner, CutTable table, const NodeRows* node, const Entry* entries, index_t number, index_t feature,
    Cuts* cuts, UserCut* best_of_node, bint has_float_weights
) except -1 nogil:
    cdef index_t i, place, label, first = first_place(scanner, node), n = node.stop - node.start
    cdef bint has_counts = scanner.count_weights.shape[0] > 0
    cdef Segment* segment
    if table.n_cuts == table.capacity:
        judge_table(table, best_of_node)
    segment = _open_segment(table, number, feature, True)
    # The places of entries[:i + 1] have moved to the left, in this order.
    for i in range(n - scanner.min_samples_leaf):
        place = first + <index_t> place_of(entries[i])
        label = label_of_place(scanner, place, entries)
        if has_float_weights:
            table.running[label] += scanner.place_weights[place]
        else:
            table.running[label] += <float64_t> scanner.place_counts[place] if has_counts else 1.0
        if key_of(entries[i]) == key_of(entries[i + 1]) or i + 1 < scanner.min_samples_leaf or not is_tried(cuts):
            continue
        if table.n_cuts == table.capacity:
            segment.stop = table.n_cuts
            judge_table(table, best_of_node)
            segment = _open_segment(table, number, feature, False)
        _add_cut(scanner, table, i + 1, has_float_weights)
    segment.stop = table.n_cuts
    segment.ends_feature = True
    return 0


cdef inline Segment* _open_segment(CutTable table, index_t node, index_t feature, bint starts_feature) noexcept nogil:
    """Every segment gets a cut, so that there are never more segments than cuts."""
    cdef Segment* segment = &table.segments[table.n_segments]
    table.n_segments += 1
    segment.node = node
    segment.feature = feature
    segment.start = table.n_cuts
    segment.starts_feature = starts_feature
    segment.ends_feature = False
    return segment


cdef inline void _add_cut(Scanner scanner, CutTable table, index_t n_left, bint has_float_weights) noexcept nogil:
    cdef index_t label, cut = table.n_cuts
    for label in range(scanner.counts.n_classes):
        table.left[cut, label] = table.running[label]
        if has_float_weights:
            table.right[cut, label] = scanner.counts.total_weights[label] - table.running[label]
        else:
            table.right[cut, label] = <float64_t> scanner.counts.total_counts[label] - table.running[label]
    table.n_left[cut] = n_left
    table.n_cuts += 1
