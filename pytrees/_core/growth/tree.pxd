"""A tree as it grows: its nodes, and the means to split them."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.criteria.counts cimport TargetSums
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.logarithms cimport InformationForm
from pytrees._core.rows.partition cimport RowPartition
from pytrees._core.split.monotonic cimport ValueBounds
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


cdef struct Node:
    NodeRows rows
    index_t first_child     # LEAF, or the first of n_children nodes with consecutive numbers
    index_t n_children, depth, feature
    index_t category        # the lowest category that leads to the node from its parent, or NO_CATEGORY
    Py_ssize_t first_listed     # if several categories lead to it: the first of them in the tree's `listed`
    index_t n_listed        # their number
    int missing             # the side of samples without the value; NONE_MISSING if the node has no such samples
    bint is_counted         # the class counts are known
    bint may_split          # the node has several classes and enough samples, and is not too deep
    float64_t threshold, gain
    index_t last_left, first_right      # of a cut whose threshold is computed in the end: rows beside it; or NONE
    uint64_t random_state   # follows from the tree's seed and the path to the node, not from the order of growth


@cython.final
cdef class GrowingTree:
    """The nodes in the order of growth, and the samples that they divide."""

    cdef RowPartition partition
    cdef NodeSearch search
    cdef index_t n_classes, n_values, max_depth, min_samples_split, max_leaf_nodes
    cdef Node* nodes
    # n_values a node, filled in by count_node_classes: class counts or, if classes are numbers, a TargetSums.
    cdef float64_t* values
    cdef ValueBounds* bounds        # of the nodes, if there are monotonic constraints
    cdef Py_ssize_t node_capacity, value_capacity, bound_capacity, listed_capacity
    cdef index_t n_nodes, n_leaves
    cdef index_t* listed            # the n_listed categories of children of divisions into two sets
    cdef Py_ssize_t n_listed
    cdef int64_t n_scanned          # entries since signals were checked
    cdef dict large_priorities      # by leaf: priorities of splits that are fractions of more than 128 bits
    # Gains of entropies that nearly tie between leaves, as `exact_ratio` returns them; equal gains have one number.
    cdef list exact_gains
    cdef dict number_of_gain
    cdef bint counts_gains_by_samples   # in comparisons of exact gains
    cdef InformationForm form           # the quantity that exact gains compare
    cdef object undivided               # exact gains of wide counts: what is added, as a function of the leaf's counts


cdef struct RankedSplit:
    # The split of a leaf, and its priority over the splits of other leaves. If `is_large`, the exact priority is in the
    # tree's `large_priorities`.
    index_t leaf
    const Split* split
    Gain* priority
    bint is_large


cdef inline float64_t* values_of(GrowingTree tree, index_t node) noexcept nogil:
    return &tree.values[<Py_ssize_t> node * tree.n_values]


cdef inline TargetSums* sums_of(GrowingTree tree, index_t node) noexcept nogil:
    return <TargetSums*> values_of(tree, node)


cdef inline bint is_constrained(GrowingTree tree) noexcept nogil:
    """Whether there are monotonic constraints, so that nodes have bounds."""
    return tree.search.directions.shape[0] > 0


cdef inline bint has_room(GrowingTree tree, index_t n_children) noexcept nogil:
    """Whether the limit on leaves allows one leaf to become n_children leaves."""
    return tree.n_leaves - 1 + <int64_t> n_children <= tree.max_leaf_nodes


cdef int add_root(GrowingTree tree, uint64_t seed) except -1 nogil
cdef index_t add_part(GrowingTree tree, const Node* leaf) except -1 nogil
cdef index_t take_over(GrowingTree tree, GrowingTree other) except -1 nogil
cdef void put_in_place(GrowingTree tree, index_t leaf, index_t root) noexcept nogil
cdef int split_leaf(GrowingTree tree, index_t leaf, const Split* split) except -1 nogil
cdef void count_node_classes(GrowingTree tree, index_t node) noexcept nogil
cdef void keep_sums(GrowingTree tree, index_t node) noexcept nogil
cdef void hand_over_counts(GrowingTree tree, index_t node) noexcept nogil
cdef int check_node_signals(GrowingTree tree, index_t node) except -1 nogil
cdef bint is_greater_split(GrowingTree tree, const RankedSplit* split, const RankedSplit* other) except -1 nogil
cdef index_t[::1] nodes_in_preorder(GrowingTree tree)
cdef dict arrays_of(GrowingTree tree, const index_t[::1] order)
