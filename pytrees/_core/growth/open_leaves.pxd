"""The nodes of a tree as it grows by distances, its leaves that may still be split, and its clusters."""

from libc.string cimport memmove

from pytrees._core.growth.distances cimport Clusters, change_cluster, distance_of
from pytrees._core.growth.by_distance cimport Growth, Node
from pytrees._core.base.memory cimport reserve
from pytrees._core.split.scanner cimport count_classes
from pytrees._core.split.scanner cimport NodeRows
from pytrees._core.base.types cimport (LEAF, NO_CATEGORY, NONE, UNDEFINED, float64_t, index_t, int64_t, uint64_t)
from pytrees._core.split.scan cimport (ENTROPY, GAIN_RATIO)


# -------------------------------------------------------------------------------------------------------------- nodes

cdef inline index_t add_node(
    Growth growth, const NodeRows* parent, index_t start, index_t stop, index_t depth, index_t label,
    uint64_t random_state
) except -1 nogil:
    """A leaf of its parent's block, of this label or where that is NONE of its majority's."""
    cdef index_t i, number = growth.n_nodes
    cdef Node* node
    cdef float64_t* value
    reserve(<void**> &growth.nodes, &growth.node_capacity, number + 1, sizeof(Node))
    reserve(
        <void**> &growth.values, &growth.value_capacity, (<Py_ssize_t> number + 1) * growth.n_classes,
        sizeof(float64_t),
    )
    node = &growth.nodes[number]
    node.rows = parent[0]
    node.rows.start = start
    node.rows.stop = stop
    value = &growth.values[<Py_ssize_t> number * growth.n_classes]
    count_classes(growth.scanner, &node.rows, value)
    node.label = label
    if label == NONE:
        node.label = 0
        for i in range(1, growth.n_classes):
            if value[i] > value[node.label]:
                node.label = i
    node.first_child = LEAF
    node.n_children = 0
    node.category = NO_CATEGORY
    node.feature = UNDEFINED
    node.step = NONE
    node.threshold = UNDEFINED
    node.gain = 0.0
    node.depth = depth
    node.random_state = random_state
    node.knows_local = False
    node.knows_global = False
    growth.n_nodes += 1
    return number


cdef inline bint is_open(Growth growth, index_t number) noexcept nogil:
    """Whether the leaf may be split."""
    cdef Node* node = &growth.nodes[number]
    cdef index_t label, n_present = 0
    for label in range(growth.n_classes):
        n_present += growth.values[<Py_ssize_t> number * growth.n_classes + label] > 0.0
    return (
        n_present > 1
        and node.rows.stop - node.rows.start >= growth.min_samples_split
        and node.depth < growth.max_depth
    )


cdef inline int open_leaves(Growth growth, index_t first, index_t stop, index_t place) except -1 nogil:
    """Put those of these leaves that may be split among the open ones, at this place."""
    cdef index_t leaf, n_opening = 0
    for leaf in range(first, stop):
        n_opening += is_open(growth, leaf)
    reserve(<void**> &growth.open_leaves, &growth.open_capacity, growth.n_open + n_opening, sizeof(index_t))
    memmove(
        &growth.open_leaves[place + n_opening], &growth.open_leaves[place], (growth.n_open - place) * sizeof(index_t)
    )
    growth.n_open += n_opening
    for leaf in range(first, stop):
        if is_open(growth, leaf):
            growth.open_leaves[place] = leaf
            place += 1
    return 0


cdef inline void close_leaf(Growth growth, index_t place) noexcept nogil:
    growth.n_open -= 1
    memmove(&growth.open_leaves[place], &growth.open_leaves[place + 1], (growth.n_open - place) * sizeof(index_t))


cdef inline bint has_room(Growth growth, index_t n_children) noexcept nogil:
    """Whether a leaf may be exchanged for so many."""
    return growth.n_leaves - 1 + <int64_t> n_children <= growth.max_leaf_nodes


# ----------------------------------------------------------------------------------------------------------- clusters

cdef inline int64_t* whole_counts(Growth growth, index_t node) noexcept nogil:
    cdef index_t label
    for label in range(growth.n_classes):
        growth.counts[0, label] = <int64_t> growth.values[<Py_ssize_t> node * growth.n_classes + label]
    return &growth.counts[0, 0]


cdef inline void move_rows(Growth growth, index_t node, int sign) noexcept nogil:
    """Add the leaf's rows to the cluster of its label, or take them away."""
    change_cluster(&growth.memory.clusters, growth.nodes[node].label, whole_counts(growth, node), sign)


cdef inline float64_t exchange(Growth growth, index_t leaf, index_t first, index_t stop, float64_t gain) noexcept nogil:
    """Take a leaf's rows to the clusters of its children. Of a global step, whose gain is NAN, return by how much the
    distance decreases, by the leaf's share of the rows."""
    cdef Clusters* clusters = &growth.memory.clusters
    cdef float64_t before = distance_of(clusters), after, total = 0.0
    cdef index_t label, child
    move_rows(growth, leaf, -1)
    for child in range(first, stop):
        move_rows(growth, child, 1)
    if gain == gain:
        return gain
    after = distance_of(clusters)
    for label in range(growth.n_classes):
        total += growth.values[<Py_ssize_t> leaf * growth.n_classes + label]
    if growth.code == ENTROPY or growth.code == GAIN_RATIO:
        before, after = after, before
    return (before - after) * <float64_t> clusters.total / total
