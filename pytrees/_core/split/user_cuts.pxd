"""Cuts of a node's features, as criteria that are not the engine's own judge them."""

from pytrees._core.split.cuts cimport Cuts, cuts_to_try, entries_have_cut, is_tried
from pytrees._core.split.node_rows cimport count_node, first_place
from pytrees._core.rows.partition cimport narrow_entries, wide_entries
from pytrees._core.split.scanner cimport NodeRows, Scanner
from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t, uint32_t, uint64_t
from pytrees._core.criteria.user cimport CutTable, Segment, UserCut, judge_table, reserve_cuts


cdef inline int add_cuts(
    Scanner scanner, const NodeRows* node, index_t number, UserCut* best_of_node
) except -1 nogil:
    """Put the cuts of the node's drawn features into the table, which is judged whenever it is full."""
    cdef index_t k, feature
    best_of_node[number].feature = NONE
    count_node(scanner, node)
    best_of_node[number].weight = _node_weight(scanner)
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        if scanner.partition.is_wide:
            _add_feature(
                scanner, scanner.table, node,
                wide_entries(scanner.partition, node.block, feature, node.start, node.stop), number, feature,
                best_of_node,
            )
        else:
            _add_feature(
                scanner, scanner.table, node,
                narrow_entries(scanner.partition, node.block, feature, node.start, node.stop), number, feature,
                best_of_node,
            )
    return 0


cdef inline float64_t _node_weight(Scanner scanner) noexcept nogil:
    """Of the node that was counted last."""
    cdef index_t label
    cdef int64_t total = 0
    if scanner.float_weights.shape[0] > 0:
        return scanner.counts.total_weight
    for label in range(scanner.counts.n_classes):
        total += scanner.counts.total_counts[label]
    return <float64_t> total


cdef inline int _add_feature(
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
        if Entry is uint32_t:
            label = scanner.narrow_labels[place]
        else:
            label = scanner.wide_labels[place]
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
