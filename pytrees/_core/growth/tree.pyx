"""A tree as it grows, whatever chooses its splits.

Growth by gain (`by_gain`) and growth by distance (`by_distance`) choose the leaf to split, and its split. This module
carries out the split. A node is a range of the partition's rows. A split divides the range among new nodes, the
leftmost first, so that the children of a node have consecutive numbers. The limits decide which children may be split
in turn; if none may, the sorted features of the node are not divided. In the end the nodes are numbered afresh, in
preorder.

Each way of growth keeps its own data of a node, such as its label, by the node's number.
"""

import numpy as np

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport fabs, isnan
from libc.stdlib cimport free
from libc.string cimport memcpy

from pytrees._core.base.memory cimport reserve, shrink
from pytrees._core.base.types cimport (
    LEAF, MISSING_LEFT, MISSING_RIGHT, MULTIWAY, NO_CATEGORY, NONE, NONE_MISSING, UNDEFINED, UNLIMITED, float64_t,
    index_t, int8_t, int64_t, uint64_t,
)
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.categories cimport CategoryCounts, goes_right, is_by_heuristic
from pytrees._core.criteria.children cimport exact_fraction
from pytrees._core.criteria.codes cimport has_impurity
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums, are_numbers
from pytrees._core.criteria.gain cimport Gain, is_greater_priority, is_near
from pytrees._core.criteria.impurity_table cimport nearest_impurity
from pytrees._core.criteria.logarithms cimport compare_exact_ratios
from pytrees._core.criteria.wide cimport WIDE_INFORMATION
from pytrees._core.rows.category_splits cimport mark_children, mark_sides, split_entries_among, split_rows_among
from pytrees._core.rows.features cimport is_categorical, threshold_between, value_at
from pytrees._core.rows.partition cimport (
    RowPartition, are_few, block_row, check_entries, mark_first, split_entries, split_rows,
)
from pytrees._core.split.monotonic cimport NodeValue, ValueBound, ValueBounds, middle_of
from pytrees._core.split.node_search cimport (
    NodeRows, NodeSearch, Split, count_classes, direction_of, is_pure, mix64, row_at, sum_targets, value_of_samples,
)
from pytrees._core.split.subsets cimport list_split, number_rows

from pytrees._core.criteria.counts import user_criterion_of
from pytrees._core.criteria.logarithms import exact_ratio
from pytrees._core.criteria.table import judges_sequence
from pytrees._core.criteria.wide import exact_gain


cdef enum:
    MOST_RESERVED = 1048576     # nodes
    NODES_GIVEN_BACK = 4096     # at once
    ENTRIES_OF_A_NODE = 16      # what a node costs besides its entries


@cython.final
cdef class GrowingTree:
    def __cinit__(
        self, RowPartition partition, NodeSearch search, index_t n_classes, index_t max_depth,
        index_t min_samples_split, index_t max_leaf_nodes,
    ):
        self.partition, self.search, self.n_classes = partition, search, n_classes
        self.n_values = sizeof(KeptSums) // sizeof(float64_t) if are_numbers(search.counts) else n_classes
        self.max_depth, self.min_samples_split, self.max_leaf_nodes = max_depth, min_samples_split, max_leaf_nodes
        self.form = search.counts.form
        self.large_priorities = {}
        self.exact_gains = []
        self.number_of_gain = {}

    def __dealloc__(self):
        free(self.nodes)
        free(self.values)
        free(self.bounds)
        free(self.categories)
        free(self.random_states)
        free(self.listed)


# -------------------------------------------------------------------------------------------------------------- nodes

cdef int add_root(GrowingTree tree, uint64_t seed) except -1 nogil:
    """Make node 0, of all samples, in no block yet."""
    cdef NodeRows rows
    rows.in_block = False
    tree.n_leaves = 1
    if are_numbers(tree.search.counts):
        # Many leaves have one sample. Memory that is reserved now need not be copied as the tree grows.
        tree.node_capacity = _likely_nodes(tree)
        tree.value_capacity = tree.node_capacity * tree.n_values
        _reserve_nodes(tree, tree.node_capacity)
    _add_node(tree, &rows, 0, <index_t> tree.partition.n_rows, 0, mix64(seed), NULL)
    if is_constrained(tree):
        tree.bounds[0].lower = ValueBound(0, 0)
        tree.bounds[0].upper = ValueBound(0, 0)


cdef index_t _add_node(
    GrowingTree tree, const NodeRows* parent, index_t start, index_t stop, index_t depth, uint64_t random_state,
    const int64_t* counts
) except -1 nogil:
    """Make a leaf of the rows [start, stop), in the block of its parent if there is one, and return its number.
    `counts` are its class counts, or NULL if they are not known."""
    cdef index_t number = tree.n_nodes
    cdef Node* node
    _reserve_nodes(tree, <Py_ssize_t> number + 1)
    node = &tree.nodes[number]
    node.rows = parent[0]
    node.rows.start = start
    node.rows.stop = stop
    node.rows.slot = NULL
    node.first_child = LEAF
    node.feature = UNDEFINED
    node.missing = NONE_MISSING
    node.gain = 0.0
    node.depth = depth
    if has_categories(tree):
        tree.categories[number].lowest = NO_CATEGORY
        tree.categories[number].n_listed = 0
    if draws_features(tree):
        tree.random_states[number] = random_state
    node.is_counted = counts != NULL
    if node.is_counted:
        _write_counts(tree, number, counts)
    node.may_split = (
        stop - start >= tree.min_samples_split and depth < tree.max_depth and not _has_one_class(tree, node, counts)
    )
    tree.n_nodes += 1
    return number


cdef inline index_t _add_child(
    GrowingTree tree, index_t leaf, const NodeRows* rows, index_t branch, index_t start, index_t stop,
    const int64_t* counts
) except -1 nogil:
    """Make the child of a branch (0, 1, ...) of a leaf of these rows, and return its number."""
    cdef uint64_t random_state = mix64(random_state_of(tree, leaf) + 1 + <uint64_t> branch)
    return _add_node(tree, rows, start, stop, tree.nodes[leaf].depth + 1, random_state, counts)


cdef inline Py_ssize_t _likely_nodes(GrowingTree tree) noexcept nogil:
    """Return how many nodes a tree has whose leaves have one sample, within the limits and a limit on memory."""
    cdef int64_t n_leaves = min(<int64_t> tree.partition.n_rows, <int64_t> tree.max_leaf_nodes)
    if tree.max_depth < 20:
        n_leaves = min(n_leaves, <int64_t> 1 << tree.max_depth)
    return <Py_ssize_t> min(2 * n_leaves, <int64_t> MOST_RESERVED)


cdef int _reserve_nodes(GrowingTree tree, Py_ssize_t n_nodes) except -1 nogil:
    reserve(<void**> &tree.nodes, &tree.node_capacity, n_nodes, sizeof(Node), b"nodes")
    reserve(
        <void**> &tree.values, &tree.value_capacity, n_nodes * tree.n_values, sizeof(float64_t),
        b"class counts of nodes",
    )
    if is_constrained(tree):
        reserve(<void**> &tree.bounds, &tree.bound_capacity, n_nodes, sizeof(ValueBounds), b"bounds of nodes")
    if has_categories(tree):
        reserve(
            <void**> &tree.categories, &tree.category_capacity, n_nodes, sizeof(NodeCategories),
            b"categories of nodes",
        )
    if draws_features(tree):
        reserve(
            <void**> &tree.random_states, &tree.state_capacity, n_nodes, sizeof(uint64_t), b"random states of nodes"
        )


cdef inline void _write_counts(GrowingTree tree, index_t node, const int64_t* counts) noexcept nogil:
    cdef float64_t* values = values_of(tree, node)
    cdef index_t label
    for label in range(tree.n_classes):
        values[label] = <float64_t> counts[label]


cdef inline bint _has_one_class(GrowingTree tree, const Node* node, const int64_t* counts) noexcept nogil:
    cdef index_t label, n_present = 0
    if counts == NULL:
        return is_pure(tree.search, &node.rows)
    for label in range(tree.n_classes):
        n_present += counts[label] > 0
    return n_present == 1


cdef void count_node_classes(GrowingTree tree, index_t node) noexcept nogil:
    """Write the class counts of a node. Its rows must not have been divided yet."""
    cdef TargetSums sums
    if not tree.nodes[node].is_counted and are_numbers(tree.search.counts):
        sum_targets(tree.search, &tree.nodes[node].rows, &sums)
        _write_sums(tree, node, &sums)
    elif not tree.nodes[node].is_counted:
        count_classes(tree.search, &tree.nodes[node].rows, values_of(tree, node))
    tree.nodes[node].is_counted = True


cdef void keep_counts(GrowingTree tree, index_t node, bint knows_left) noexcept nogil:
    """Keep the sums of the targets of the node that was searched last, or its class counts if its split knows those of
    the left child."""
    if are_numbers(tree.search.counts):
        _write_sums(tree, node, &tree.search.counts.sums)
    elif knows_left:
        _write_counts(tree, node, &tree.search.counts.total_counts[0])
    else:
        return
    tree.nodes[node].is_counted = True


cdef void hand_over_counts(GrowingTree tree, index_t node) noexcept nogil:
    """Give the search the class counts of a node if they are known; otherwise the search counts them."""
    cdef index_t label
    tree.search.is_counted = tree.nodes[node].is_counted and not are_numbers(tree.search.counts)
    if tree.search.is_counted:
        for label in range(tree.n_classes):
            tree.search.counts.total_counts[label] = <int64_t> values_of(tree, node)[label]


cdef int check_node_signals(GrowingTree tree, index_t node) except -1 nogil:
    """Handle signals now and then; called before the features of a node are scanned."""
    cdef const NodeRows* rows = &tree.nodes[node].rows
    return check_entries(
        tree.partition, <int64_t> (rows.stop - rows.start + ENTRIES_OF_A_NODE) * tree.partition.n_features
    )


# -------------------------------------------------------------------------------------------------------------- parts

cdef index_t add_part(GrowingTree tree, const Node* leaf, uint64_t random_state) except -1 nogil:
    """Copy a leaf of another tree on the same rows into this tree, and return its number. Its class counts are not
    known."""
    cdef index_t number = tree.n_nodes
    _reserve_nodes(tree, <Py_ssize_t> number + 1)
    tree.nodes[number] = leaf[0]
    tree.nodes[number].is_counted = False
    if draws_features(tree):
        tree.random_states[number] = random_state
    if has_categories(tree):
        tree.categories[number].n_listed = 0        # the leaf keeps its categories: see put_in_place
    tree.n_nodes += 1
    return number


cdef index_t take_over(GrowingTree tree, GrowingTree other) except -1 nogil:
    """Append the nodes of another tree on the same rows, and return the number of the first."""
    cdef index_t number, first = tree.n_nodes
    cdef Node* node
    if <Py_ssize_t> first + other.n_nodes > UNLIMITED:
        with gil:
            raise OverflowError(f"A tree has at most {UNLIMITED} nodes.")
    if other.n_nodes == 0:
        return first        # its thread found no work
    _reserve_nodes(tree, <Py_ssize_t> first + other.n_nodes)
    reserve(
        <void**> &tree.listed, &tree.listed_capacity, tree.n_listed + other.n_listed, sizeof(index_t),
        b"categories of nodes",
    )
    memcpy(&tree.nodes[first], other.nodes, other.n_nodes * sizeof(Node))
    memcpy(values_of(tree, first), other.values, <Py_ssize_t> other.n_nodes * tree.n_values * sizeof(float64_t))
    if other.n_listed > 0:
        memcpy(&tree.listed[tree.n_listed], other.listed, other.n_listed * sizeof(index_t))
    if has_categories(tree):
        memcpy(&tree.categories[first], other.categories, other.n_nodes * sizeof(NodeCategories))
    for number in range(first, first + other.n_nodes):
        node = &tree.nodes[number]
        node.first_child += first if node.first_child != LEAF else 0
        if has_categories(tree) and tree.categories[number].n_listed > 0:
            tree.categories[number].first_listed += tree.n_listed
    tree.n_nodes += other.n_nodes
    tree.n_listed += other.n_listed
    return first


cdef void put_in_place(GrowingTree tree, index_t leaf, index_t root) noexcept nogil:
    """Replace the leaf by the subtree that has grown from it as a part; `root` is the part's root, which no node has as
    a child."""
    # The leaf keeps the categories that lead to it, which the part does not know.
    tree.nodes[leaf] = tree.nodes[root]
    if has_categories(tree):
        tree.categories[leaf].n_children = tree.categories[root].n_children
        tree.categories[leaf].is_by_heuristic = tree.categories[root].is_by_heuristic
    memcpy(values_of(tree, leaf), values_of(tree, root), tree.n_values * sizeof(float64_t))


# ------------------------------------------------------------------------------------------------------------- splits

cdef int split_leaf(GrowingTree tree, index_t leaf, const Split* split) except -1 nogil:
    """Split a leaf: divide its rows, and append its `split.n_children` children to the nodes."""
    cdef index_t first_child = tree.n_nodes
    cdef Node* node
    if is_categorical(tree.partition.features, split.feature):
        _add_categories(tree, leaf, split)
    else:
        _add_sides(tree, leaf, split)
    if is_constrained(tree):
        _hand_bounds_down(tree, leaf, split, first_child)
    node = &tree.nodes[leaf]
    node.first_child = first_child
    if has_categories(tree):
        tree.categories[leaf].n_children = split.n_children
        tree.categories[leaf].is_by_heuristic = split.division != NONE and is_by_heuristic(
            tree.search.categories, split.division
        )
    node.feature = split.feature
    _write_cut(tree, node, split)
    node.missing = NONE_MISSING
    if split.n_missing > 0:
        node.missing = MISSING_LEFT if split.n_missing_left > 0 else MISSING_RIGHT
    node.gain = split.gain.value
    tree.n_leaves += split.n_children - 1


cdef void _hand_bounds_down(GrowingTree tree, index_t leaf, const Split* split, index_t first_child) noexcept nogil:
    """Give the children of a leaf its bounds and, if their feature has a direction, the mean of their values."""
    cdef index_t child
    cdef int direction = direction_of(tree.search, split.feature)
    cdef NodeValue left, right
    cdef ValueBound middle
    for child in range(first_child, first_child + split.n_children):
        tree.bounds[child] = tree.bounds[leaf]
    if direction == 0:
        return
    left = value_of_samples(tree.search, &tree.nodes[first_child].rows)
    right = value_of_samples(tree.search, &tree.nodes[first_child + 1].rows)
    middle = middle_of(&left, &right)
    tree.bounds[first_child + (direction < 0)].upper = middle
    tree.bounds[first_child + (direction > 0)].lower = middle


cdef inline void _write_cut(GrowingTree tree, Node* node, const Split* split) noexcept nogil:
    """Write the rows between which the threshold lies, if there is one."""
    if is_categorical(tree.partition.features, split.feature):
        return
    node.cut = Neighbours(split.last_left, split.first_right)
    if node.rows.in_block and not tree.partition.is_ranked:      # these are places
        node.cut.last_left = block_row(tree.partition, node.rows.block, split.last_left)
        node.cut.first_right = block_row(tree.partition, node.rows.block, split.first_right)


cdef int _add_sides(GrowingTree tree, index_t leaf, const Split* split) except -1 nogil:
    """Make the two children of a threshold."""
    cdef NodeRows rows = tree.nodes[leaf].rows
    cdef index_t label, left, right, middle = rows.start + split.n_left
    cdef const int64_t* of_left = NULL
    cdef const int64_t* of_right = NULL
    cdef int64_t[2] right_counts
    if tree.search.accelerator.divides_rows:
        return _add_counted_sides(tree, leaf, split)
    if split.knows_left:
        count_node_classes(tree, leaf)
        for label in range(2):
            right_counts[label] = <int64_t> values_of(tree, leaf)[label] - split.left_counts[label]
        of_left = &split.left_counts[0]
        of_right = &right_counts[0]
    if rows.in_block:
        mark_first(
            tree.partition, rows.block, split.feature, rows.start, rows.stop, split.n_left, split.last_left,
            split.n_missing_left,
        )
    else:
        tree.search.accelerator.mark_left(&rows, split)
    split_rows(tree.partition, rows.start, rows.stop)
    left = _add_child(tree, leaf, &rows, 0, rows.start, middle, of_left)
    right = _add_child(tree, leaf, &rows, 1, middle, rows.stop, of_right)
    if rows.in_block and (_needs_entries(tree, left) or _needs_entries(tree, right)):
        split_entries(
            tree.partition, rows.block, rows.start, rows.stop, _needs_entries(tree, left), _needs_entries(tree, right)
        )


cdef inline bint _needs_entries(GrowingTree tree, index_t node) noexcept nogil:
    """Whether the sorted entries of a node in a block are kept."""
    cdef const NodeRows* rows = &tree.nodes[node].rows
    return tree.nodes[node].may_split and not are_few(tree.partition, rows.stop - rows.start)


cdef int _add_counted_sides(GrowingTree tree, index_t leaf, const Split* split) except -1 nogil:
    """Make the two children of a threshold if the accelerator divides the rows, and counts the classes of the left
    child on the way."""
    cdef NodeRows rows = tree.nodes[leaf].rows
    cdef index_t label, middle = rows.start + split.n_left
    cdef int64_t* counts
    count_node_classes(tree, leaf)
    counts = tree.search.accelerator.divide(&rows, split)
    _add_child(tree, leaf, &rows, 0, rows.start, middle, counts)
    for label in range(tree.n_classes):
        counts[label] = <int64_t> values_of(tree, leaf)[label] - counts[label]
    _add_child(tree, leaf, &rows, 1, middle, rows.stop, counts)


cdef int _add_categories(GrowingTree tree, index_t leaf, const Split* split) except -1 nogil:
    """Make a child for every category that some row of the leaf has, ascending, or two children for two sets."""
    cdef NodeRows rows = tree.nodes[leaf].rows
    cdef index_t b, child, row
    cdef const index_t* starts = &tree.partition.child_starts[0]
    cdef bint any_may_split = False
    if split.division != NONE:
        list_split(tree.search, &rows, split)
    if split.division != NONE and not rows.in_block:
        number_rows(tree.search, &rows, split.feature)
    else:
        mark_children(tree.partition, rows.in_block, rows.block, split.feature, rows.start, rows.stop)
    if split.division != NONE:
        mark_sides(tree.partition, &tree.search.categories.is_listed[0], rows.start, rows.stop)
    split_rows_among(tree.partition, split.n_children, rows.start, rows.stop)
    for b in range(split.n_children):
        child = _add_child(tree, leaf, &rows, b, rows.start + starts[b], rows.start + starts[b + 1], NULL)
        if split.division == NONE:
            row = row_at(tree.search, &rows, rows.start + starts[b])
            tree.categories[child].lowest = <index_t> value_at(tree.partition.features, row, split.feature)
        else:
            _list_categories(tree, tree.search.categories, child, b == 1)
        any_may_split = any_may_split or tree.nodes[child].may_split
    tree.search.accelerator.take_rows(&rows)
    if rows.in_block and any_may_split:
        split_entries_among(tree.partition, split.n_children, rows.block, rows.start, rows.stop)


cdef int _list_categories(GrowingTree tree, CategoryCounts categories, index_t child, bint is_right) except -1 nogil:
    """Write the categories on one side of the division that was listed last."""
    cdef NodeCategories* leading = &tree.categories[child]
    cdef index_t category
    reserve(
        <void**> &tree.listed, &tree.listed_capacity, tree.n_listed + categories.n_present, sizeof(index_t),
        b"categories of nodes",
    )
    leading.first_listed = tree.n_listed
    for category in range(categories.n_present):
        if goes_right(categories, category) == is_right:
            tree.listed[tree.n_listed] = categories.codes[category]
            tree.n_listed += 1
    leading.n_listed = <index_t> (tree.n_listed - leading.first_listed)
    leading.lowest = tree.listed[leading.first_listed]


cdef bint is_greater_split(GrowingTree tree, const RankedSplit* split, const RankedSplit* other) except -1 nogil:
    """Whether the split of a leaf has a higher priority than the split of another leaf."""
    cdef float64_t value, other_value
    if split.priority.error > 0.0:
        if not is_near(split.priority, other.priority):
            return split.priority.priority > other.priority.priority
        return _gains_more_information(tree, split, other)
    if not (split.is_large or other.is_large):
        return is_greater_priority(split.priority, other.priority)
    value, other_value = _approximation(split), _approximation(other)
    # Each value has a few roundings of 2**-53.
    if fabs(value - other_value) > 2.0**-50 * (fabs(value) + fabs(other_value)):
        return value > other_value
    with gil:
        return _exact_priority(tree, split) > _exact_priority(tree, other)


cdef bint _gains_more_information(GrowingTree tree, const RankedSplit* split, const RankedSplit* other) except -1 nogil:
    """Compare gains of entropies that the table of n log2 n cannot tell apart, or gains of wide counts that are near.
    Equal gains get one number, because in best-first growth the same leaves tie again and again."""
    if split.priority.number == NONE:
        _number_gain(tree, split)
    if other.priority.number == NONE:
        _number_gain(tree, other)
    if split.priority.number == other.priority.number:
        return False
    with gil:
        gain, other_gain = tree.exact_gains[split.priority.number], tree.exact_gains[other.priority.number]
        return compare_exact_ratios(gain, other_gain) > 0 if isinstance(gain, tuple) else gain > other_gain


cdef int _number_gain(GrowingTree tree, const RankedSplit* split) except -1 with gil:
    """Number the gain of a split: equal gains get the same number."""
    children = _counts_of_children(tree, &tree.nodes[split.leaf], split.split)
    number = tree.number_of_gain.get(children)
    if number is None:
        exact = _exact_gain(tree, children)
        number = tree.number_of_gain.setdefault(exact, len(tree.exact_gains))
        tree.number_of_gain[children] = number
        if number == len(tree.exact_gains):
            tree.exact_gains.append(exact)
    split.priority.number = number


cdef object _exact_gain(GrowingTree tree, tuple children):
    """Return the exact priority of a split by the class counts of its children: a fraction, or a quotient of two sums
    of logarithms."""
    cdef ClassCounts counts = tree.search.counts
    node = [sum(of_class) for of_class in zip(*children)]
    if not counts.is_wide or counts.wide_kind == WIDE_INFORMATION:
        return exact_ratio(
            tree.form, node, [count for child in children for count in child], [sum(child) for child in children],
            tree.counts_gains_by_samples,
        )
    gain = exact_gain(counts.wide_kind, counts.weighs_children, counts.exact_costs, node, list(map(list, children)))
    if tree.counts_gains_by_samples:
        return gain * sum(node)
    return gain if tree.undivided is None else gain + tree.undivided(node)


cdef tuple _counts_of_children(GrowingTree tree, const Node* node, const Split* split):
    """Return the class counts of the children of a split, a tuple for each child."""
    cdef index_t i, row
    cdef float64_t value
    cdef bint is_cut = not is_categorical(tree.partition.features, split.feature)
    cdef bint has_counts = tree.search.count_weights.shape[0] > 0
    cdef list counts
    children, side_of = {}, _sides(tree, node, split)
    for i in range(node.rows.start, node.rows.stop):
        row = row_at(tree.search, &node.rows, i)
        value = value_at(tree.partition.features, row, split.feature)
        child = side_of.get(value, value)
        if is_cut:
            child = split.n_missing_left == 0 if isnan(value) else value > split.threshold
        counts = children.get(child)
        if counts is None:
            counts = children[child] = [0] * tree.n_classes
        counts[tree.search.labels[row]] += tree.search.count_weights[row] if has_counts else 1
    return tuple([tuple(children[child]) for child in sorted(children)])


cdef dict _sides(GrowingTree tree, const Node* node, const Split* split):
    """Return by category whether it goes right, if the split divides the categories into two sets; otherwise
    nothing."""
    cdef CategoryCounts categories = tree.search.categories
    cdef index_t category
    if split.division == NONE:
        return {}
    list_split(tree.search, &node.rows, split)
    return {
        categories.codes[category]: goes_right(categories, category) for category in range(categories.n_present)
    }


cdef inline float64_t _approximation(const RankedSplit* split) noexcept nogil:
    """Return a floating-point approximation of an exact priority."""
    cdef const Gain* gain = split.priority
    cdef float64_t root
    if split.is_large:
        return gain.priority
    if gain.left_total > 0:
        root = <float64_t> gain.numerator
        return root * root / (
            <float64_t> (<int128_t> gain.left_total * gain.right_total)
            * <float64_t> (gain.left_total + gain.right_total)
        )
    return <float64_t> gain.numerator / <float64_t> gain.denominator


cdef inline object _exact_priority(GrowingTree tree, const RankedSplit* split):
    return tree.large_priorities[split.leaf] if split.is_large else exact_fraction(split.priority)


# ---------------------------------------------------------------------------------------------------- the tree's arrays

cdef index_t[::1] nodes_in_preorder(GrowingTree tree):
    """Return the numbers of the root and its descendants in preorder, the first child first."""
    cdef index_t[::1] order = np.empty(tree.n_nodes, dtype=np.int32), stack = np.empty(tree.n_nodes, dtype=np.int32)
    cdef const Node* node
    cdef index_t child, n_nodes = 0, n_stacked = 1
    stack[0] = 0
    # Every node is pushed once, and popped after the nodes on its left and below them.
    while n_stacked > 0:
        n_stacked -= 1
        order[n_nodes] = stack[n_stacked]
        node = &tree.nodes[order[n_nodes]]
        n_nodes += 1
        for child in range(n_children_of(tree, order[n_nodes - 1]) - 1, -1, -1):
            stack[n_stacked] = node.first_child + child
            n_stacked += 1
    return order[:n_nodes]


cdef dict arrays_of(GrowingTree tree, const index_t[::1] order):
    """Return the arrays of the tree; `order` lists the nodes in preorder. The memory of the nodes is given back on the
    way."""
    cdef Py_ssize_t i, k, n_nodes = order.shape[0], n_columns = 0 if are_numbers(tree.search.counts) else tree.n_classes
    cdef index_t[::1] number = np.full(tree.n_nodes, NONE, dtype=np.int32)
    # A Tree keeps arrays that nobody can write to as they are, so their memory is a bytes object, in small pages.
    memory = PyBytes_FromStringAndSize(NULL, n_nodes * (7 + n_columns) * sizeof(int64_t) + n_nodes)
    cdef int64_t* children_left = <int64_t*> PyBytes_AS_STRING(memory)
    cdef int64_t* children_right = children_left + n_nodes
    cdef int64_t* feature = children_right + n_nodes
    cdef int64_t* n_node_samples = feature + n_nodes
    cdef float64_t* threshold = <float64_t*> (n_node_samples + n_nodes)
    cdef float64_t* below_threshold = threshold + n_nodes
    cdef float64_t* gain = below_threshold + n_nodes
    cdef float64_t* value = gain + n_nodes
    cdef int8_t* missing_go_to_left = <int8_t*> (value + n_nodes * n_columns)
    cdef const Node* node
    for i in range(n_nodes):
        number[order[i]] = <index_t> i
    of_children = _children(tree, order, number) if has_categories(tree) else {}
    if n_columns > 0:
        _add_counts(tree, order, number, value)
    # From the last node on, so that the memory behind can be given back.
    for k in range(tree.n_nodes - 1, -1, -1):
        i = number[k]
        if i == NONE:
            continue
        node = &tree.nodes[k]
        children_left[i] = children_right[i] = LEAF
        threshold[i] = below_threshold[i] = UNDEFINED
        if node.first_child != LEAF and is_categorical(tree.partition.features, node.feature):
            children_left[i] = children_right[i] = MULTIWAY
        elif node.first_child != LEAF:
            children_left[i] = number[node.first_child]
            children_right[i] = number[node.first_child + 1]
            # The greatest value that goes left has one zero only.
            below_threshold[i] = value_at(tree.partition.features, node.cut.last_left, node.feature) + 0.0
            threshold[i] = value_at(tree.partition.features, node.cut.first_right, node.feature)
            threshold[i] = threshold_between(below_threshold[i], threshold[i])
        feature[i] = node.feature
        n_node_samples[i] = node.rows.stop - node.rows.start
        gain[i] = node.gain
        missing_go_to_left[i] = node.missing
        if k % NODES_GIVEN_BACK == 0:
            shrink(<void**> &tree.nodes, &tree.node_capacity, k, sizeof(Node))
    of_nodes = np.frombuffer(memory, np.int64, 4 * n_nodes).reshape(4, n_nodes)
    numbers = np.frombuffer(memory, np.float64, (3 + n_columns) * n_nodes, 4 * n_nodes * sizeof(int64_t))
    arrays = {
        "children_left": of_nodes[0],
        "children_right": of_nodes[1],
        "feature": of_nodes[2],
        "threshold": numbers[:n_nodes],
        "n_node_samples": of_nodes[3],
        "below_threshold": numbers[n_nodes:2 * n_nodes],
        "value": numbers[3 * n_nodes:].reshape(n_nodes, n_columns),
        "gain": numbers[2 * n_nodes:3 * n_nodes],
        "missing_go_to_left": np.frombuffer(memory, np.int8, n_nodes, len(memory) - n_nodes),
    }
    if n_columns == 0:
        del arrays["value"]
        arrays |= _sums_of_targets(tree, number, arrays["n_node_samples"])
    return arrays | of_children


cdef void _add_counts(
    GrowingTree tree, const index_t[::1] order, const index_t[::1] number, float64_t* value
) noexcept nogil:
    """Write the class counts of all nodes. An inner node has the sum of its children's counts, added in order. Whole
    counts that are known equal this sum."""
    cdef Py_ssize_t i, label, n_classes = tree.n_classes
    cdef index_t child
    cdef const Node* node
    cdef float64_t* counts
    cdef const float64_t* of_child
    # Children come after their parent in preorder.
    for i in range(order.shape[0] - 1, -1, -1):
        node = &tree.nodes[order[i]]
        counts = value + i * n_classes
        if node.is_counted:
            memcpy(counts, values_of(tree, order[i]), n_classes * sizeof(float64_t))
            continue
        for label in range(n_classes if node.first_child == LEAF else 0):
            counts[label] = values_of(tree, order[i])[label]
        for child in range(node.first_child, node.first_child + n_children_of(tree, order[i])):
            of_child = value + number[child] * n_classes
            for label in range(n_classes):
                counts[label] = of_child[label] if child == node.first_child else counts[label] + of_child[label]


cdef dict _sums_of_targets(GrowingTree tree, const index_t[::1] number, const int64_t[::1] n_node_samples):
    """Return for all n nodes the weight, the weight times the value, the spread, and the impurity if the criterion has
    one. The spread is the weighted sum of the targets' squares or distances to the median. Sums and spreads are
    multiples of 2**62 and the rest. The memory of the sums is given back on the way."""
    cdef Py_ssize_t i, n = n_node_samples.shape[0], n_weights = n if tree.search.count_weights.shape[0] > 0 else 0
    cdef index_t k
    cdef int64_t[::1] weight = np.empty(n_weights, dtype=np.int64)
    cdef int64_t[:, ::1] total = np.empty((n, 2), dtype=np.int64), spread = np.empty((n, 2), dtype=np.int64)
    cdef float64_t[::1] impurity = np.empty(n)
    cdef bint measures = has_impurity(tree.search.counts.code)
    cdef const KeptSums* sums
    for k in range(tree.n_nodes - 1, -1, -1):
        i = number[k]
        if i == NONE:
            continue
        sums = sums_of(tree, k)
        if n_weights > 0:
            weight[i] = sums.weight
        total[i, 0], total[i, 1] = sums.sum[0], sums.sum[1]
        spread[i, 0], spread[i, 1] = sums.spread[0], sums.spread[1]
        impurity[i] = 0.0
        if measures and n_node_samples[i] > 1:
            tree.search.counts.sums = TargetSums(sums.weight, _joined(sums.sum), _joined(sums.spread))
            impurity[i] = nearest_impurity(tree.search.counts)
        if k % NODES_GIVEN_BACK == 0:
            shrink(<void**> &tree.values, &tree.value_capacity, k * tree.n_values, sizeof(float64_t))
    arrays = {"weight": weight if n_weights > 0 else n_node_samples, "target_sum": total, "spread": spread}
    arrays |= {"impurity": impurity} if measures else {}
    return {name: np.asarray(array) for name, array in arrays.items()}


cdef inline void _write_sums(GrowingTree tree, index_t node, const TargetSums* sums) noexcept nogil:
    cdef KeptSums* kept = sums_of(tree, node)
    kept.weight = sums.weight
    _write_parts(sums.sum, kept.sum)
    _write_parts(sums.spread, kept.spread)


cdef inline void _write_parts(int128_t number, int64_t* parts) noexcept nogil:
    """Write how often 2**62 is contained in a number, and the rest, which is not negative."""
    parts[0] = <int64_t> (number >> 62)
    parts[1] = <int64_t> (<uint64_t> number & ((1ULL << 62) - 1))


cdef inline int128_t _joined(const int64_t* parts) noexcept nogil:
    return <int128_t> parts[0] * <int128_t> (1ULL << 62) + <int128_t> parts[1]


cdef dict _children(GrowingTree tree, const index_t[::1] order, const index_t[::1] number):
    """Return the further arrays of a tree whose nodes may have more than two children. Only if categories are divided
    into two sets, a child may have several categories, which are then listed."""
    cdef int64_t[::1] child_offsets = np.zeros(order.shape[0] + 1, dtype=np.int64)
    cdef int64_t[::1] children = np.empty(order.shape[0] - 1, dtype=np.int64)
    cdef int64_t[::1] category = np.empty(order.shape[0], dtype=np.int64)
    cdef int64_t[::1] category_offsets = np.zeros(order.shape[0] + 1, dtype=np.int64)
    cdef int64_t[::1] categories = np.empty(tree.n_listed, dtype=np.int64)
    cdef int64_t[::1] splits_by_heuristic = np.empty(order.shape[0], dtype=np.int64)
    cdef Py_ssize_t i, k, n_children = 0, n_categories = 0
    cdef index_t child
    cdef const Node* node
    cdef const NodeCategories* leading
    for i in range(order.shape[0]):
        node = &tree.nodes[order[i]]
        for child in range(node.first_child, node.first_child + n_children_of(tree, order[i])):
            children[n_children] = number[child]
            n_children += 1
        leading = &tree.categories[order[i]]
        for k in range(leading.n_listed):
            categories[n_categories] = tree.listed[leading.first_listed + k]
            n_categories += 1
        child_offsets[i + 1], category_offsets[i + 1] = n_children, n_categories
        category[i] = leading.lowest
        splits_by_heuristic[i] = node.first_child != LEAF and leading.is_by_heuristic
    arrays = {"child_offsets": child_offsets, "children": children, "category": category}
    if tree.search.categories is not None:
        arrays |= {
            "category_offsets": category_offsets, "categories": categories, "splits_by_heuristic": splits_by_heuristic,
        }
    return {name: np.asarray(array) for name, array in arrays.items()}


# --------------------------------------------------------------------------------------------------------- from Python

def check_samples(Py_ssize_t n_samples, const index_t[::1] y, weights, Py_ssize_t n_classes, criterion):
    """Raise ValueError if labels and weights do not fit X, each other or the criterion."""
    cdef Py_ssize_t i
    if y.shape[0] != n_samples or weights is not None and len(weights) != n_samples:
        raise ValueError(f"Labels and weights must have {n_samples} samples, as X has.")
    if judges_sequence(criterion) and weights is not None:
        raise ValueError("A label sequence has no weights.")
    if weights is not None and weights.dtype != np.int64:
        raise ValueError(f"Weights must be whole numbers, int64, got {weights.dtype}.")
    for i in range(y.shape[0]):
        if not 0 <= y[i] < n_classes:
            raise ValueError(f"Class code {y[i]} of sample {i} is outside 0..{n_classes - 1}.")


def checked_constraints(monotonic_cst, criterion, features):
    """Return monotonic constraints as directions by feature, or None if there are none; raise ValueError if they do not
    fit the features or the criterion."""
    if monotonic_cst is None:
        return None
    given = np.asarray(monotonic_cst)
    if given.shape != (features.n_features,) or not np.all(np.isin(given, (-1, 0, 1))):
        raise ValueError(f"Monotonic constraints must be -1, 0 or 1 for each of {features.n_features} features.")
    directions = given.astype(np.int8)
    if not np.any(directions):
        return None
    if judges_sequence(criterion):
        raise ValueError(f"{criterion!r} judges label sequences, which have no monotonic constraints.")
    if np.any(directions[:len(features.n_categories)][np.asarray(features.n_categories) > 0]):
        raise ValueError("Categorical features have no monotonic constraints.")
    return directions


def check_categories(criterion, features):
    """Raise ValueError if there are categorical features and a user's criterion has no method for them."""
    if user_criterion_of(criterion)[0] is not None and np.any(features.n_categories):
        user_criterion_of(criterion)[0].check_children()
