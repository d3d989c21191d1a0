"""The rows of a node, with their classes and weights."""

from pytrees._core.rows.partition cimport block_row, open_block
from pytrees._core.split.scanner cimport NodeRows, Scanner
from pytrees._core.base.types cimport float64_t, index_t, uint16_t


cdef inline index_t first_place(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Where the places of the node's block begin in arrays by place."""
    return node.block.start if scanner.partition.keeps_blocks else 0


cdef inline void start_block(Scanner scanner, NodeRows* node) noexcept nogil:
    """Sort the features of the node's rows, and lay their classes and weights beside them."""
    cdef index_t place, first
    node.block = open_block(scanner.partition, node.start, node.stop)
    node.in_block = True
    if scanner.partition.is_ranked:
        return      # all rows have their places from the beginning
    first = first_place(scanner, node)
    for place in range(node.stop - node.start):
        _fill_place(scanner, first + place, block_row(scanner.partition, node.block, place))


cdef inline void fill_places(Scanner scanner) noexcept nogil:
    cdef index_t row
    for row in range(<index_t> scanner.partition.features.n_rows):
        _fill_place(scanner, row, row)


cdef inline void _fill_place(Scanner scanner, index_t place, index_t row) noexcept nogil:
    if scanner.partition.is_wide:
        scanner.wide_labels[place] = scanner.labels[row]
    else:
        scanner.narrow_labels[place] = <uint16_t> scanner.labels[row]
    if scanner.count_weights.shape[0] > 0:
        scanner.place_counts[place] = scanner.count_weights[row]
    if scanner.float_weights.shape[0] > 0:
        scanner.place_weights[place] = scanner.float_weights[row]


cdef inline index_t row_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil:
    if node.in_block:
        return block_row(scanner.partition, node.block, scanner.partition.rows[i])
    return scanner.partition.rows[i]


cdef inline index_t label_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil:
    """The class of a row; inside a block from its places, which lie closer together."""
    if not node.in_block:
        return scanner.labels[scanner.partition.rows[i]]
    if scanner.partition.is_wide:
        return scanner.wide_labels[first_place(scanner, node) + scanner.partition.rows[i]]
    return scanner.narrow_labels[first_place(scanner, node) + scanner.partition.rows[i]]


cdef inline bint is_pure(Scanner scanner, const NodeRows* node) noexcept nogil:
    cdef index_t i, label = label_at(scanner, node, node.start)
    for i in range(node.start + 1, node.stop):
        if label_at(scanner, node, i) != label:
            return False
    return True


cdef inline void count_classes(Scanner scanner, const NodeRows* node, float64_t* value) noexcept nogil:
    """Add up the classes of the node's rows, in their order."""
    cdef index_t i, label
    for label in range(scanner.counts.n_classes):
        value[label] = 0.0
    for i in range(node.start, node.stop):
        label = label_at(scanner, node, i)
        if scanner.float_weights.shape[0] > 0:
            value[label] += scanner.float_weights[row_at(scanner, node, i)]
        elif scanner.count_weights.shape[0] > 0:
            value[label] += <float64_t> scanner.count_weights[row_at(scanner, node, i)]
        else:
            value[label] += 1.0


cdef inline void count_node(Scanner scanner, const NodeRows* node) noexcept nogil:
    cdef index_t i, label
    cdef bint is_weighted = scanner.count_weights.shape[0] > 0
    if scanner.float_weights.shape[0] > 0:
        count_classes(scanner, node, &scanner.counts.total_weights[0])
        scanner.counts.total_weight = 0.0
        for i in range(node.start, node.stop):
            scanner.counts.total_weight += scanner.float_weights[row_at(scanner, node, i)]
        return
    scanner.counts.total_counts[:] = 0
    for i in range(node.start, node.stop):
        label = label_at(scanner, node, i)
        scanner.counts.total_counts[label] += (
            scanner.count_weights[row_at(scanner, node, i)] if is_weighted else 1
        )
