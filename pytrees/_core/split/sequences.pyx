"""The best cut, and splits by category, of criteria that judge the label sequences of the children."""

from libc.math cimport INFINITY

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport NONE, UNLIMITED, float64_t, index_t, int64_t, uint32_t, uint64_t
from pytrees._core.criteria.children cimport offer_gain
from pytrees._core.criteria.gain cimport Gain, exact_gain, is_greater_gain, tolerant_gain
from pytrees._core.criteria.user cimport first_greatest, judge_sequences
from pytrees._core.sequence.scanner cimport find_cut as find_sequence_cut
from pytrees._core.sequence.substitution cimport effort
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split, label_at, row_at, take_cut


cdef void _start_sequences(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Lay out the node's labels in the order of its rows, and where each place stands among them."""
    cdef index_t i
    scanner.node = node[0]
    for i in range(node.stop - node.start):
        scanner.number_of_place[scanner.partition.rows[node.start + i]] = i
        scanner.sequences.labels[i] = label_at(scanner, node, node.start + i)


cdef int find_cut_by_sequences(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples by the effort to compress their label sequence."""
    cdef index_t i, n = node.stop - node.start
    _start_sequences(scanner, node)
    for i in range(scanner.n_drawn):
        scanner.sequences.features[i] = scanner.drawn[i]
    find_sequence_cut(scanner.sequences, scanner, n, scanner.n_drawn, scanner.max_candidates)
    if scanner.sequences.best.feature == NONE:
        return 0
    best.gain = exact_gain(
        <int64_t> n * scanner.sequences.node_effort - scanner.sequences.best.cost, 1, n
    )
    _take_cut(scanner, node, scanner.sequences.best.feature, scanner.sequences.best.n_left, best)
    return 0


cdef void _take_cut(Scanner scanner, const NodeRows* node, index_t feature, index_t n_left, Split* best) noexcept nogil:
    if scanner.partition.is_wide:
        take_cut(scanner, node, feature, n_left, best, <const uint64_t*> NULL)
    else:
        take_cut(scanner, node, feature, n_left, best, <const uint32_t*> NULL)


cdef int find_cut_by_user_sequences(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples by a user's criterion on label sequences."""
    cdef index_t i, k, n_cuts, best_of_feature, row, n = node.stop - node.start
    cdef Gain gain
    _start_sequences(scanner, node)
    for i in range(n):
        row = row_at(scanner, node, node.start + i)
        scanner.node_row_ids[i] = scanner.row_ids[row] if scanner.row_ids.shape[0] > 0 else row
    for k in range(scanner.n_drawn):
        n_cuts = scanner.read(scanner.drawn[k], &scanner.sequences.worker.order[0], &scanner.sequences.worker.cuts[0])
        if n_cuts == 0:
            continue
        judge_sequences(
            scanner.user_sequence, scanner.sequences.labels[:n], scanner.node_row_ids[:n],
            scanner.sequences.worker.order[:n], scanner.sequences.worker.cuts[:n_cuts], scanner.user_gains[:n_cuts],
        )
        best_of_feature = first_greatest(scanner.user_gains[:n_cuts])
        if best_of_feature == NONE:
            continue
        gain = tolerant_gain(scanner.user_gains[best_of_feature], <float64_t> n)
        if best.feature == NONE or is_greater_gain(&gain, &best.gain):
            best.gain = gain
            _take_cut(scanner, node, scanner.drawn[k], scanner.sequences.worker.cuts[best_of_feature], best)
    return 0


# ------------------------------------------------------------------------------------------------ splits by category

cdef int offer_efforts(
    Scanner scanner, index_t feature, index_t n_children, const Entry* entries, index_t n, const Split* cut
) except -1 nogil:
    """Offer the split by a categorical feature. Give up as soon as the children cost too much for it to be the best:
    their lengths times their efforts, added up."""
    cdef index_t i, length = 0, steps_left
    cdef int64_t cost = 0, limit = <int64_t> n * n + 1
    cdef Gain gain
    if cut.feature != NONE:
        limit = scanner.sequences.best.cost + (feature < cut.feature)
    if scanner.children.best.feature != NONE:
        limit = min(limit, scanner.children.best_cost)
    # The labels of entries[i - length:i], which share a key, are in `sequence`.
    for i in range(n + 1):
        if i == n or i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            steps_left = <index_t> min((limit - cost + length - 1) // length, <int64_t> UNLIMITED)
            cost += length * <int64_t> effort(
                scanner.sequences.worker.state, length, scanner.sequences.n_classes, steps_left
            )
            if cost >= limit:
                return 0
            length = 0
        if i < n:
            scanner.sequences.worker.state.sequence[length] = scanner.sequences.labels[
                scanner.number_of_place[place_of(entries[i])]
            ]
            length += 1
    gain = exact_gain(<int64_t> n * scanner.sequences.node_effort - cost, 1, n)
    offer_gain(scanner.children, feature, n_children, &gain)
    scanner.children.best_cost = cost
    return 0


cdef int offer_children_to_user(
    Scanner scanner, index_t feature, index_t n_children, const Entry* entries, index_t n
) except -1 nogil:
    cdef index_t i, child = 0
    cdef Gain gain
    for i in range(n):
        child += i > 0 and key_of(entries[i]) != key_of(entries[i - 1])
        scanner.partition.child_of[scanner.number_of_place[place_of(entries[i])]] = child
    with gil:
        gain = tolerant_gain(
            scanner.user_sequence.judged_children(
                scanner.sequences.labels[:n], scanner.partition.child_of[:n], scanner.node_row_ids[:n]
            ),
            <float64_t> n,
        )
    if gain.value > -INFINITY:
        offer_gain(scanner.children, feature, n_children, &gain)
    return 0
