"""The arrays of a tree that has grown by distances, inlined where they are cimported."""

from pytrees._core.growth.by_distance cimport Growth, Node
from pytrees._core.base.types cimport LEAF, MULTIWAY, NO_CATEGORY, float64_t, index_t, int64_t


cdef inline void put_in_preorder(
    Growth growth, index_t[::1] order, int64_t[::1] number, index_t[::1] stack
) noexcept:
    """Write the nodes in preorder, and every node's number in it."""
    cdef index_t i, child, n_stacked = 1
    cdef const Node* node
    stack[0] = 0
    for i in range(growth.n_nodes):
        n_stacked -= 1
        order[i] = stack[n_stacked]
        number[order[i]] = i
        node = &growth.nodes[order[i]]
        for child in range(node.n_children - 1, -1, -1):
            stack[n_stacked] = node.first_child + child
            n_stacked += 1


cdef inline void list_nodes(
    Growth growth, const index_t[::1] order, const int64_t[::1] number, int64_t[:, ::1] whole,
    float64_t[:, ::1] real, float64_t[:, ::1] value
) noexcept:
    """`whole` are the left and right children, features, rows, labels and steps; `real` thresholds and gains."""
    cdef Py_ssize_t i, label
    cdef index_t child
    cdef bint is_multiway
    cdef const Node* node
    for i in range(growth.n_nodes):
        node = &growth.nodes[order[i]]
        whole[0, i] = LEAF
        whole[1, i] = LEAF
        if node.n_children > 0:
            is_multiway = growth.nodes[node.first_child].category != NO_CATEGORY
            whole[0, i] = MULTIWAY if is_multiway else number[node.first_child]
            whole[1, i] = MULTIWAY if is_multiway else number[node.first_child + 1]
        whole[2, i] = node.feature
        whole[3, i] = node.rows.stop - node.rows.start
        whole[4, i] = node.label
        whole[5, i] = node.step
        real[0, i] = node.threshold
        real[1, i] = node.gain
    # Children stand behind their parent; an inner node's weights are those of its children, added.
    for i in range(growth.n_nodes - 1, -1, -1):
        node = &growth.nodes[order[i]]
        for label in range(growth.n_classes):
            value[i, label] = 0.0
            if node.n_children == 0:
                value[i, label] = growth.values[<Py_ssize_t> order[i] * growth.n_classes + label]
            for child in range(node.first_child, node.first_child + node.n_children):
                value[i, label] += value[number[child], label]


cdef inline void list_children(
    Growth growth, const index_t[::1] order, const int64_t[::1] number, int64_t[::1] child_offsets,
    int64_t[::1] children, int64_t[::1] category
) noexcept:
    """Which children a node has, and which category leads to it."""
    cdef Py_ssize_t i, n_listed = 0
    cdef index_t child
    cdef const Node* node
    child_offsets[0] = 0
    for i in range(growth.n_nodes):
        node = &growth.nodes[order[i]]
        category[i] = node.category
        for child in range(node.first_child, node.first_child + node.n_children):
            children[n_listed] = number[child]
            n_listed += 1
        child_offsets[i + 1] = n_listed
