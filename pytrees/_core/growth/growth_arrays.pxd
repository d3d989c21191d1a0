"""The arrays of a grown tree, its nodes in preorder, inlined where they are cimported."""

from pytrees._core.growth.by_gain cimport Growth, Node
from pytrees._core.rows.partition cimport is_categorical
from pytrees._core.base.types cimport LEAF, float64_t, index_t, int64_t


cdef inline bint is_multiway(Growth growth, const Node* node) noexcept nogil:
    return node.n_children > 0 and is_categorical(growth.partition.features, node.feature)


cdef inline void number_in_preorder(
    Growth growth, index_t[::1] order, index_t[::1] number, index_t[::1] stack
) noexcept:
    cdef index_t i, child, node, n_stacked = 1
    stack[0] = 0
    for i in range(growth.n_nodes):
        n_stacked -= 1
        node = stack[n_stacked]
        order[i] = node
        number[node] = i
        for child in range(growth.nodes[node].n_children - 1, -1, -1):
            stack[n_stacked] = growth.nodes[node].first_child + child
            n_stacked += 1


cdef inline void add_up_counts(
    Growth growth, const index_t[::1] order, const index_t[::1] number, float64_t[:, ::1] value
) noexcept:
    """Class counts of the leaves as they were closed; of an inner node those of its children, added in their order."""
    cdef Py_ssize_t i, label
    cdef index_t child, first
    cdef const Node* node
    # Children stand behind their parent in preorder.
    for i in range(growth.n_nodes - 1, -1, -1):
        node = &growth.nodes[order[i]]
        first = node.first_child
        for label in range(growth.n_classes):
            if first == LEAF:
                value[i, label] = growth.values[<Py_ssize_t> order[i] * growth.n_classes + label]
                continue
            value[i, label] = value[number[first], label]
            for child in range(first + 1, first + node.n_children):
                value[i, label] += value[number[child], label]


cdef inline void list_children(
    Growth growth, const index_t[::1] order, const index_t[::1] number, int64_t[::1] child_offsets,
    int64_t[::1] children, int64_t[::1] category
) noexcept:
    cdef Py_ssize_t i, n_listed = 0
    cdef index_t child
    cdef const Node* node
    child_offsets[0] = 0
    for i in range(growth.n_nodes):
        node = &growth.nodes[order[i]]
        for child in range(node.n_children):
            children[n_listed] = number[node.first_child + child]
            n_listed += 1
        child_offsets[i + 1] = n_listed
        category[i] = node.category
