"""Best split of a node by a categorical feature, inlined where it is cimported."""

from libc.math cimport INFINITY

from pytrees._core.criteria.children cimport (
    ChildCounts,
    complete_best,
    end_child,
    exact_fraction,
    offer_children,
    offer_gain,
    start_children,
    start_node,
)
from pytrees._core.criteria.gain cimport Gain, exact_gain, is_greater_gain, tolerant_gain
from pytrees._core.split.node_rows cimport first_place
from pytrees._core.sequence.substitution cimport effort
from pytrees._core.rows.partition cimport narrow_entries, wide_entries
from pytrees._core.rows.partition_children cimport count_children, order_by_category
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split
from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport (
    ETC,
    NONE,
    UNDEFINED,
    UNLIMITED,
    USER_SEQUENCE,
    float64_t,
    index_t,
    int64_t,
    uint32_t,
    uint64_t,
)


cdef inline index_t allowed_children(Scanner scanner, const NodeRows* node, index_t feature) noexcept nogil:
    """How many children the split by the feature has; 0 where it is not allowed."""
    cdef index_t n = node.stop - node.start
    if not node.in_block:
        order_by_category(scanner.partition, feature, node.start, node.stop)
        return count_children(&scanner.partition.pairs[0], n, scanner.min_samples_leaf)
    if scanner.partition.is_wide:
        return count_children(
            wide_entries(scanner.partition, node.block, feature, node.start, node.stop), n, scanner.min_samples_leaf
        )
    return count_children(
        narrow_entries(scanner.partition, node.block, feature, node.start, node.stop), n, scanner.min_samples_leaf
    )


cdef inline int find_category_split(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Put the best split by a drawn categorical feature in the place of the best cut, where it is better, or where it
    is not worse and of the lower feature. The node was searched for cuts: its classes are counted, or its labels laid
    out."""
    cdef index_t k, feature
    start_node(scanner.children)
    for k in range(scanner.n_drawn_categories):
        feature = scanner.drawn_categories[k]
        if node.in_block:
            if scanner.partition.is_wide:
                _offer_feature(
                    scanner, node, feature,
                    wide_entries(scanner.partition, node.block, feature, node.start, node.stop), best,
                )
            else:
                _offer_feature(
                    scanner, node, feature,
                    narrow_entries(scanner.partition, node.block, feature, node.start, node.stop), best,
                )
        else:
            order_by_category(scanner.partition, feature, node.start, node.stop)
            _offer_feature(scanner, node, feature, <const uint64_t*> &scanner.partition.pairs[0], best)
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


cdef inline bint _beats_cut(ChildCounts children, const Split* cut) except -1 nogil:
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


cdef inline int _offer_feature(
    Scanner scanner, const NodeRows* node, index_t feature, const Entry* entries, const Split* cut
) except -1 nogil:
    cdef index_t n = node.stop - node.start, n_children = count_children(entries, n, scanner.min_samples_leaf)
    if n_children == 0:
        return 0
    if scanner.code == ETC:
        _offer_efforts(scanner, feature, n_children, entries, n, cut)
    elif scanner.code == USER_SEQUENCE:
        _offer_to_user(scanner, feature, n_children, entries, n)
    else:
        start_children(scanner.children, feature, n_children)
        if scanner.children.has_weights:
            _count_entries(scanner, node, entries, n, True)
        else:
            _count_entries(scanner, node, entries, n, False)
        offer_children(scanner.children)
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
            end_child(scanner.children)
        place = place_of(entries[i])
        if not node.in_block:
            place = scanner.partition.rows[node.start + place]
            label = scanner.labels[place]
            if has_counts:
                count = scanner.count_weights[place]
        else:
            place += first
            if Entry is uint32_t:
                label = scanner.narrow_labels[place]
            else:
                label = scanner.wide_labels[place]
            if has_counts:
                count = scanner.place_counts[place]
        if has_weights:
            # Only blocks have weights in floating point.
            weight = scanner.place_weights[place] if has_float_weights else <float64_t> count
            scanner.children.weights[label] += weight
            scanner.children.weight += weight
        else:
            counts[label] += count
    end_child(scanner.children)


# ------------------------------------------------------------------------------------------------------ sequences

cdef inline int _offer_efforts(
    Scanner scanner, index_t feature, index_t n_children, const Entry* entries, index_t n, const Split* cut
) except -1 nogil:
    """Give up as soon as the children cost too much to be the best split: their length times their effort, added up."""
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


cdef inline int _offer_to_user(
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
