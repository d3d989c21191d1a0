"""A tree as it grows: its nodes, and the means to split them."""

cimport cython

from pytrees._core.base.types cimport LEAF, float64_t, index_t, int8_t, int64_t, uint8_t, uint64_t
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.logarithms cimport InformationForm
from pytrees._core.rows.partition cimport RowPartition
from pytrees._core.split.monotonic cimport ValueBounds
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split


# The rows beside a cut: the last one on the left and the first one on the right, whose value is perhaps missing.
cdef struct Neighbours:
    index_t last_left, first_right


# A tree can have a node for every two samples or more, so that a node is as small as can be: what only some trees need
# has arrays of its own.
cdef struct Node:
    NodeRows rows
    index_t first_child     # LEAF, or the first of the children, which have consecutive numbers
    index_t depth, feature
    int8_t missing          # the side of samples without the value; NONE_MISSING if the node has no such samples
    uint8_t is_counted      # the class counts are known
    uint8_t may_split       # the node has several classes and enough samples, and is not too deep
    Neighbours cut          # of a cut: the threshold is computed in the end, from these rows
    float64_t gain


# The sums of a node's targets, as a tree tells them: sums of 128 bits are multiples of 2**62 and the rest.
cdef struct KeptSums:
    int64_t weight
    int64_t[2] sum
    int64_t[2] spread


# The children of a node, and the categories that lead to it from its parent.
cdef struct NodeCategories:
    index_t n_children
    index_t lowest              # or NO_CATEGORY
    index_t n_listed            # the number of categories if they are listed: two sets of categories
    uint8_t is_by_heuristic     # two sets of this node's categories: another division may gain more
    Py_ssize_t first_listed     # the first of them in the tree's `listed`


@cython.final
cdef class GrowingTree:
    """The nodes in the order of growth, and the samples that they divide."""

    cdef RowPartition partition
    cdef NodeSearch search
    cdef index_t n_classes, n_values, max_depth, min_samples_split, max_leaf_nodes
    cdef Node* nodes
    # n_values a node, filled in by count_node_classes: class counts or, if classes are numbers, KeptSums.
    cdef float64_t* values
    cdef ValueBounds* bounds        # of the nodes, if there are monotonic constraints
    cdef NodeCategories* categories      # of the nodes, if features are categorical
    # By node, if features are drawn: a state follows from the tree's seed and the path to the node, not from the order
    # in which nodes grow.
    cdef uint64_t* random_states
    cdef Py_ssize_t node_capacity, value_capacity, bound_capacity, category_capacity, state_capacity, listed_capacity
    cdef index_t n_nodes, n_leaves
    cdef index_t* listed            # the n_listed categories of children of divisions into two sets
    cdef Py_ssize_t n_listed
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


cdef inline KeptSums* sums_of(GrowingTree tree, index_t node) noexcept nogil:
    return <KeptSums*> values_of(tree, node)


cdef inline bint is_constrained(GrowingTree tree) noexcept nogil:
    """Whether there are monotonic constraints, so that nodes have bounds."""
    return tree.search.directions.shape[0] > 0


cdef inline bint has_categories(GrowingTree tree) noexcept nogil:
    return tree.partition.features.n_categories.shape[0] > 0


cdef inline bint draws_features(GrowingTree tree) noexcept nogil:
    return tree.search.max_features < tree.partition.n_features


cdef inline index_t n_children_of(GrowingTree tree, index_t node) noexcept nogil:
    """Return how many children a node has; without categories, inner nodes have two."""
    if tree.nodes[node].first_child == LEAF:
        return 0
    return tree.categories[node].n_children if has_categories(tree) else 2


cdef inline uint64_t random_state_of(GrowingTree tree, index_t node) noexcept nogil:
    """Return the state from which the node's features are drawn; 0 if all are looked at."""
    return tree.random_states[node] if draws_features(tree) else 0


cdef inline bint has_room(GrowingTree tree, index_t n_children) noexcept nogil:
    """Whether the limit on leaves allows one leaf to become n_children leaves."""
    return tree.n_leaves - 1 + <int64_t> n_children <= tree.max_leaf_nodes


cdef int add_root(GrowingTree tree, uint64_t seed) except -1 nogil
cdef index_t add_part(GrowingTree tree, const Node* leaf, uint64_t random_state) except -1 nogil
cdef index_t take_over(GrowingTree tree, GrowingTree other) except -1 nogil
cdef void put_in_place(GrowingTree tree, index_t leaf, index_t root) noexcept nogil
cdef int split_leaf(GrowingTree tree, index_t leaf, const Split* split) except -1 nogil
cdef void count_node_classes(GrowingTree tree, index_t node) noexcept nogil
cdef void keep_counts(GrowingTree tree, index_t node, bint knows_left) noexcept nogil
cdef void hand_over_counts(GrowingTree tree, index_t node) noexcept nogil
cdef int check_node_signals(GrowingTree tree, index_t node) except -1 nogil
cdef bint is_greater_split(GrowingTree tree, const RankedSplit* split, const RankedSplit* other) except -1 nogil
cdef index_t[::1] nodes_in_preorder(GrowingTree tree)
cdef dict arrays_of(GrowingTree tree, const index_t[::1] order)
