"""Growth by gain: every leaf takes its best split, depth-first, or best-first if the number of leaves is limited.

The open leaves are the leaves that may still be split. They are a list in descending order of their rows: the leftmost
leaf is last. Depth-first growth takes the last leaf and only then looks for its split, so that all nodes of a block are
done before the next block is sorted. Best-first growth knows the splits of all open leaves, and takes the leaf whose
split gains most, counted in samples. If gains are compared exactly, it is the first of a heap. A comparison with a
tolerance is no order, so all leaves are compared. A call of a user's criterion is expensive, so one call judges the
cuts of many open leaves.

With several threads, one thread splits a node of many samples, and any thread splits each of its children. A subtree of
few samples belongs to one thread.
"""

from threading import Condition

import numpy as np

cimport cython
from libc.stdlib cimport free
from libc.string cimport memmove

from pytrees._core.base.memory cimport insert_item, remove_item, reserve
from pytrees._core.base.sizes cimport FEATURES_PER_RANKED, MAX_BINS, MOST_IN_NARROW, PART_ROWS, PARTS_PER_THREAD
from pytrees._core.base.types cimport NONE, float64_t, index_t, uint64_t
from pytrees._core.criteria.children cimport large_gain_of_best
from pytrees._core.criteria.codes cimport CLASS_COUNTS, OWN_CLASS_COUNTS, SEQUENCES
from pytrees._core.criteria.user cimport UserCut, judge_table
from pytrees._core.growth.node_values cimport list_rows, values_of_nodes
from pytrees._core.growth.tree cimport (
    GrowingTree, Node, RankedSplit, add_part, add_root, arrays_of, check_node_signals, count_node_classes,
    hand_over_counts, has_room, is_constrained, is_greater_split, keep_counts, nodes_in_preorder, put_in_place,
    random_state_of, split_leaf, take_over,
)
from pytrees._core.rows.features cimport Features, is_categorical, is_ranked
from pytrees._core.rows.partition cimport RowPartition
from pytrees._core.split.monotonic cimport ValueBounds
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split, share_block, start_block, weight_of_node
from pytrees._core.split.node_split cimport find_split, offer_to_user, take_user_cut
from pytrees._core.split.plan cimport Plan

from pytrees._core.base.threads import SECONDS_OF_A_LOOK, Stop, work_together
from pytrees._core.criteria.counts import given_of
from pytrees._core.criteria.table import is_exact, judges_sequence
from pytrees._core.growth.tree import check_categories, check_samples, checked_constraints
from pytrees._core.sequence.groups import check_groups
from pytrees._core.split.node_split import make_search

# A decrease of impurity may be this much too small, as in scikit-learn.
cdef float64_t DECREASE_TOLERANCE = 2.0**-52


cdef struct OpenLeaf:
    index_t node
    bint is_searched
    Split split


@cython.final
cdef class GrowthByGain:
    """The tree, and its leaves that may still be split."""

    cdef GrowingTree tree
    cdef Plan plan
    cdef bint has_heap              # the open leaves are a heap: see _stands_above
    cdef OpenLeaf* open_leaves
    cdef Py_ssize_t open_capacity
    cdef index_t n_open

    # For a user's criterion, which judges many cuts at once.
    cdef bint searches_together
    cdef UserCut* user_cuts         # by position among the open leaves
    cdef Py_ssize_t user_cut_capacity

    def __dealloc__(self):
        free(self.open_leaves)
        free(self.user_cuts)


# ------------------------------------------------------------------------------------------------------------- growth

cdef int _grow(GrowthByGain growth) except -1 nogil:
    """Split leaves until none is open, or their number reaches the limit."""
    cdef index_t position
    if growth.searches_together and not growth.plan.is_best_first:
        _grow_in_rounds(growth)
    while growth.n_open > 0 and growth.tree.n_leaves < growth.tree.max_leaf_nodes:
        if growth.searches_together:
            _search_together(growth)
            if growth.n_open == 0:
                break
        _take_step(growth)
    for position in range(growth.n_open):
        _close(growth, growth.open_leaves[position].node)
    growth.n_open = 0


cdef int _take_step(GrowthByGain growth) except -1 nogil:
    """Take the next open leaf, and split or close it."""
    cdef index_t position = 0
    cdef OpenLeaf leaf
    if growth.has_heap:
        _take_from_heap(growth, &leaf)
    else:
        position = _best_open_leaf(growth) if growth.plan.is_best_first else growth.n_open - 1
        leaf = growth.open_leaves[position]
        remove_item(growth.open_leaves, &growth.n_open, position, sizeof(OpenLeaf))
    # With too many children the node stays a leaf; the split of another leaf may have few enough.
    if (leaf.is_searched or _search(growth, &leaf)) and has_room(growth.tree, leaf.split.n_children):
        _split_leaf(growth, &leaf, position)
    else:
        _close(growth, leaf.node)


cdef int _grow_in_rounds(GrowthByGain growth) except -1 nogil:
    """Split all open leaves, then all of their children, until none is left."""
    cdef index_t i, n_leaves
    cdef OpenLeaf leaf
    while growth.n_open > 0:
        _search_together(growth)
        n_leaves = growth.n_open
        for i in range(n_leaves):
            leaf = growth.open_leaves[i]
            _split_leaf(growth, &leaf, growth.n_open)
        # Their children come after them.
        growth.n_open -= n_leaves
        memmove(growth.open_leaves, growth.open_leaves + n_leaves, growth.n_open * sizeof(OpenLeaf))


cdef int _split_leaf(GrowthByGain growth, const OpenLeaf* leaf, index_t position) except -1 nogil:
    """Split the leaf, and put those children that can be split in turn at its position among the open leaves, or into
    their heap."""
    cdef index_t child, first_child = growth.tree.n_nodes
    split_leaf(growth.tree, leaf.node, &leaf.split)
    if not growth.tree.nodes[leaf.node].rows.in_block:
        _leave_counts(growth, &growth.tree.nodes[leaf.node])
    for child in range(first_child + leaf.split.n_children - 1, first_child - 1, -1):
        position += _open(growth, child, position)


# -------------------------------------------------------------------------------------------------------- open leaves

cdef int _open(GrowthByGain growth, index_t node, index_t position) except -1 nogil:
    """Put the leaf at this position among the open leaves, or into their heap, if it may and can be split: 1; otherwise
    close it: 0."""
    cdef OpenLeaf leaf
    cdef bint opens = growth.tree.nodes[node].may_split
    leaf.node = node
    leaf.is_searched = False
    if opens and growth.plan.is_best_first and not growth.searches_together:
        opens = leaf.is_searched = _search(growth, &leaf)
    if not opens:
        _close(growth, node)
        return 0
    if growth.has_heap:
        return _put_into_heap(growth, &leaf)
    (<OpenLeaf*> insert_item(
        <void**> &growth.open_leaves, &growth.open_capacity, &growth.n_open, position, sizeof(OpenLeaf), b"open leaves"
    ))[0] = leaf
    return 1


cdef void _close(GrowthByGain growth, index_t node) noexcept nogil:
    """Keep the node a leaf."""
    count_node_classes(growth.tree, node)
    if growth.plan.lists_rows:
        list_rows(growth.tree, node)
    growth.tree.search.accelerator.drop(&growth.tree.nodes[node].rows)


cdef index_t _best_open_leaf(GrowthByGain growth) except -1 nogil:
    """Return the position of the leaf whose split gains most, counted in samples; ties go to the leftmost leaf, which
    is the first in preorder."""
    cdef index_t i, best = growth.n_open - 1
    for i in range(growth.n_open - 2, -1, -1):
        if _gains_more(growth, &growth.open_leaves[i], &growth.open_leaves[best]):
            best = i
    return best


cdef inline bint _gains_more(GrowthByGain growth, OpenLeaf* leaf, OpenLeaf* other) except -1 nogil:
    """Whether the split of a leaf gains more than the split of another leaf, counted in samples."""
    cdef RankedSplit split = _ranked(leaf), other_split = _ranked(other)
    return is_greater_split(growth.tree, &split, &other_split)


cdef inline RankedSplit _ranked(OpenLeaf* leaf) noexcept nogil:
    return RankedSplit(leaf.node, &leaf.split, &leaf.split.gain, leaf.split.is_large)


# ------------------------------------------------------------------------------------------------ heap of open leaves

cdef inline bint _stands_above(GrowthByGain growth, OpenLeaf* leaf, OpenLeaf* other) except -1 nogil:
    """Whether the split of one leaf is taken before the split of another; ties go to the leftmost leaf."""
    if _gains_more(growth, leaf, other):
        return True
    if growth.tree.nodes[leaf.node].rows.start > growth.tree.nodes[other.node].rows.start:
        return False
    return not _gains_more(growth, other, leaf)


cdef int _put_into_heap(GrowthByGain growth, const OpenLeaf* leaf) except -1 nogil:
    cdef index_t place = growth.n_open, above
    reserve(
        <void**> &growth.open_leaves, &growth.open_capacity, <Py_ssize_t> place + 1, sizeof(OpenLeaf), b"open leaves"
    )
    growth.open_leaves[place] = leaf[0]
    growth.n_open += 1
    while place > 0:
        above = (place - 1) // 2
        if not _stands_above(growth, &growth.open_leaves[place], &growth.open_leaves[above]):
            break
        _swap(&growth.open_leaves[place], &growth.open_leaves[above])
        place = above
    return 1


cdef int _take_from_heap(GrowthByGain growth, OpenLeaf* first) except -1 nogil:
    """Take out the leaf on top of the heap."""
    cdef OpenLeaf* leaves = growth.open_leaves
    cdef index_t place = 0, below
    first[0] = leaves[0]
    growth.n_open -= 1
    leaves[0] = leaves[growth.n_open]
    while 2 * place + 1 < growth.n_open:
        below = 2 * place + 1
        if below + 1 < growth.n_open and _stands_above(growth, &leaves[below + 1], &leaves[below]):
            below += 1
        if not _stands_above(growth, &leaves[below], &leaves[place]):
            break
        _swap(&leaves[below], &leaves[place])
        place = below


cdef inline void _swap(OpenLeaf* one, OpenLeaf* other) noexcept nogil:
    cdef OpenLeaf kept = one[0]
    one[0] = other[0]
    other[0] = kept


# ------------------------------------------------------------------------------------------------------------ searches

cdef int _search(GrowthByGain growth, OpenLeaf* leaf) except -1 nogil:
    """Find the split of leaf.node, and return 1 if there is a split and it gains enough, otherwise 0."""
    cdef NodeRows* rows = _rows_to_search(growth, leaf.node)
    hand_over_counts(growth.tree, leaf.node)
    find_split(growth.tree.search, rows, random_state_of(growth.tree, leaf.node), &leaf.split)
    keep_counts(growth.tree, leaf.node, leaf.split.knows_left)
    if leaf.split.feature == NONE:
        return 0
    if growth.plan.is_best_first and leaf.split.is_large:
        with gil:
            growth.tree.large_priorities[leaf.node] = large_gain_of_best(growth.tree.search.children)
    return _gains_enough(growth, leaf) and (
        growth.plan.min_impurity_decrease <= 0.0 or _decreases_impurity_enough(growth, &leaf.split)
    )


cdef int _search_together(GrowthByGain growth) except -1 nogil:
    """Find the splits of all open leaves whose splits are not known, and close those that have none."""
    cdef index_t i
    cdef OpenLeaf* leaf
    cdef NodeRows* rows
    reserve(
        <void**> &growth.user_cuts, &growth.user_cut_capacity, growth.n_open, sizeof(UserCut), b"cuts of open leaves"
    )
    for i in range(growth.n_open):
        leaf = &growth.open_leaves[i]
        if not leaf.is_searched:
            rows = _rows_to_search(growth, leaf.node)
            offer_to_user(growth.tree.search, rows, random_state_of(growth.tree, leaf.node), i, growth.user_cuts)
            keep_counts(growth.tree, leaf.node, False)
    judge_table(growth.tree.search.table, growth.user_cuts)
    for i in range(growth.n_open - 1, -1, -1):
        leaf = &growth.open_leaves[i]
        if leaf.is_searched:
            continue
        leaf.is_searched = True
        rows = &growth.tree.nodes[leaf.node].rows
        take_user_cut(
            growth.tree.search, rows, random_state_of(growth.tree, leaf.node), &growth.user_cuts[i], &leaf.split
        )
        if not _gains_enough(growth, leaf):
            _close(growth, leaf.node)
            remove_item(growth.open_leaves, &growth.n_open, i, sizeof(OpenLeaf))


cdef inline bint _gains_enough(GrowthByGain growth, const OpenLeaf* leaf) noexcept nogil:
    return leaf.split.feature != NONE and leaf.split.gain.value >= growth.plan.min_gain


cdef inline bint _decreases_impurity_enough(GrowthByGain growth, const Split* split) noexcept nogil:
    """Whether the split of the node that was searched last, whose classes are counted, takes enough off the impurity of
    the whole tree."""
    cdef float64_t share = <float64_t> weight_of_node(growth.tree.search) / growth.plan.total_weight
    return share * split.gain.value + DECREASE_TOLERANCE >= growth.plan.min_impurity_decrease


cdef NodeRows* _rows_to_search(GrowthByGain growth, index_t node) except NULL nogil:
    """Return the node's rows, in a block or with counts of bins, and give the search the node's bounds."""
    cdef NodeRows* rows = &growth.tree.nodes[node].rows
    check_node_signals(growth.tree, node)
    if is_constrained(growth.tree):
        growth.tree.search.bounds = growth.tree.bounds[node]
    if _has_bins(growth, &growth.tree.nodes[node]):
        growth.tree.search.accelerator.count_bins(growth.tree.search, rows)
    elif not rows.in_block:
        start_block(growth.tree.search, rows)
    return rows


cdef inline bint _has_bins(GrowthByGain growth, const Node* node) noexcept nogil:
    """Whether the node is searched, unsorted, in bins."""
    return node.may_split and growth.tree.search.accelerator.has_bins(&node.rows, growth.tree.max_depth - node.depth)


cdef int _leave_counts(GrowthByGain growth, const Node* node) except -1 nogil:
    """Leave the counts of bins of a split node to its children, or give them back."""
    cdef Node* smaller = &growth.tree.nodes[node.first_child]
    cdef Node* greater = smaller + 1
    if smaller.rows.stop - smaller.rows.start > greater.rows.stop - greater.rows.start:
        smaller, greater = greater, smaller
    if is_categorical(growth.tree.partition.features, node.feature) or not _has_bins(growth, greater):
        growth.tree.search.accelerator.drop(&node.rows)
        return 0
    return growth.tree.search.accelerator.hand_down(
        growth.tree.search, &node.rows, &smaller.rows, &greater.rows, _has_bins(growth, smaller)
    )


# ------------------------------------------------------------------------------------------------------------- threads

@cython.final
cdef class SharedPart:
    """A leaf of one thread's tree that any thread may split; it becomes the root of a part of that thread's tree."""

    cdef GrowthByGain giver, taker
    cdef index_t leaf, root     # its numbers in their trees
    cdef Node node              # as the giver has it
    cdef uint64_t random_state
    cdef ValueBounds bounds     # if there are monotonic constraints


@cython.final
cdef class Team:
    """Threads that grow parts of one tree, each in a tree of its own on the same rows, and the parts.

    Which thread grows a part is chance, what it grows is not: a node's split depends on its rows and its random state.
    """

    cdef list growths, parts, waiting
    cdef Py_ssize_t n_at_work
    cdef object change, stop    # `stop` is set if a thread fails

    def __init__(self, growths):
        self.growths, self.parts, self.waiting = growths, [], []
        self.change, self.stop = Condition(), Stop()

    def give(self, GrowthByGain growth):
        """Let the open leaves of a thread wait for any; the last is the leftmost, which is taken first."""
        cdef index_t position
        cdef SharedPart part
        for position in range(growth.n_open):
            part = SharedPart()
            part.giver = growth
            part.leaf = growth.open_leaves[position].node
            part.node = growth.tree.nodes[part.leaf]
            part.random_state = random_state_of(growth.tree, part.leaf)
            if is_constrained(growth.tree):
                part.bounds = growth.tree.bounds[part.leaf]
            self.parts.append(part)
            self.waiting.append(part)
        growth.n_open = 0

    def take(self):
        """Wait for a part and return it. Call with the lock held. None means that no part is left."""
        while not self.waiting and self.n_at_work > 0 and not self.stop.is_set():
            self.change.wait(SECONDS_OF_A_LOOK)     # a thread that fails may not tell
        if self.stop.is_set() or not self.waiting:
            return None
        self.n_at_work += 1
        return self.waiting.pop()


cdef bint _grows_in_parts(GrowthByGain growth):
    """Whether threads can grow parts of the tree: if the order in which leaves are split does not matter, and no call
    of the user's code serves many leaves. Sequences have threads of their own."""
    cdef NodeSearch search = growth.tree.search
    return (
        search.judging == CLASS_COUNTS and not search.accelerator.divides_rows and not growth.plan.is_best_first
    )


cdef _grow_together(Team team, uint64_t seed, index_t part_rows):
    """Grow the tree of the first thread with all threads. The first thread is the calling thread, which alone handles
    signals."""
    cdef GrowthByGain first = team.growths[0]
    add_root(first.tree, seed)
    _open(first, 0, 0)
    team.give(first)
    work_together(team.stop, _work, [(team, growth, part_rows) for growth in team.growths])
    _join(team)


def _work(Team team, GrowthByGain growth, index_t part_rows):
    """Grow parts until there are none."""
    cdef SharedPart part
    while True:
        with team.change:
            part = team.take()
        if part is None:
            return
        part.taker = growth
        part.root = add_part(growth.tree, &part.node, part.random_state)
        if is_constrained(growth.tree):
            growth.tree.bounds[part.root] = part.bounds
        with nogil:
            _open(growth, part.root, 0)
            if part.node.rows.stop - part.node.rows.start > part_rows:
                _take_step(growth)
            else:
                _grow(growth)
        with team.change:
            team.give(growth)
            team.n_at_work -= 1
            team.change.notify_all()


cdef _join(Team team):
    """Join the trees of all threads to the tree of the first."""
    cdef GrowthByGain growth, first = team.growths[0]
    cdef SharedPart part
    first_nodes = {id(first): 0}
    for growth in team.growths[1:]:
        first_nodes[id(growth)] = take_over(first.tree, growth.tree)
    for part in team.parts:
        put_in_place(first.tree, first_nodes[id(part.giver)] + part.leaf, first_nodes[id(part.taker)] + part.root)


# --------------------------------------------------------------------------------------------------------- from Python

@cython.final
cdef class SharedFeatures:
    """Features that the trees of a forest share, prepared for accelerators; unpickling makes them anew."""

    cdef Features features
    cdef object accelerator     # the class, or None
    cdef object prepared        # for it
    cdef readonly Py_ssize_t block_rows     # nodes of more samples are not sorted
    cdef tuple arguments

    def __init__(self, *arguments):
        """Prepare X for one tree; the arguments are those of `share_features`."""
        X, n_classes, criterion, is_narrow, max_features, max_candidates, *of_bins = arguments
        block_rows, max_bins, n_categories, limits_cuts, n_threads, self.accelerator = of_bins
        self.arguments = np.asarray(X), *arguments[1:10], 1, self.accelerator
        self.features, self.block_rows = Features(X, n_categories), X.shape[0]
        # Sequences can hold a row more than once, which then has several places.
        ranks = not judges_sequence(criterion) and FEATURES_PER_RANKED * max_features <= X.shape[1]
        if self.accelerator is not None:
            self.prepared = self.accelerator.prepare(
                self.features, ranks, n_classes, criterion, is_narrow, max_candidates, block_rows, max_bins,
                limits_cuts, n_threads,
            )
            self.block_rows = self.prepared.block_rows
        elif ranks:
            self.features.rank(False)

    def __reduce__(self):
        return share_features, self.arguments


def share_features(
    X, n_classes, criterion, is_narrow, max_features, max_candidates, block_rows=None,
    max_bins=MAX_BINS, n_categories=None, limits_cuts=False, n_threads=1, accelerator=None,
):
    """Prepare X for `grow_by_gain`: sort what has to be sorted once for all trees of these parameters. `is_narrow` says
    whether the weights of all samples add up to less than 2**24; sums of targets of a tree are measured again.
    `limits_cuts`: trees have a least weight of leaves or monotonic constraints, and no bins of their nodes' ranks."""
    cdef SharedFeatures shared = SharedFeatures(
        X, n_classes, criterion, is_narrow, max_features, max_candidates, block_rows, max_bins, n_categories,
        limits_cuts, n_threads, accelerator,
    )
    if accelerator is not None and not is_ranked(shared.features) and not judges_sequence(criterion) and (
        shared.block_rows == X.shape[0] <= MOST_IN_NARROW
    ):
        shared.features.put_in_order("targets" in given_of(criterion))
    return shared


cdef GrowthByGain _prepare(SharedFeatures shared, rows, y, weights, Plan plan, GrowthByGain beside=None):
    """Return a tree that has not begun to grow. With `beside`, another thread's tree, it shares the rows of that tree,
    and its block if the block has all rows."""
    cdef GrowthByGain growth = GrowthByGain()
    cdef NodeSearch search
    n_places = shared.features.n_rows if is_ranked(shared.features) else plan.block_rows
    n_entries = 0 if "targets" in given_of(plan.criterion) else plan.n_classes
    shares_block = beside is not None and plan.block_rows == len(rows) and not is_ranked(shared.features)
    partition = RowPartition(
        shared.features, rows, plan.block_rows, plan.is_best_first, max(n_places, n_entries) > MOST_IN_NARROW,
        None if beside is None else beside.tree.partition, shares_block,
    )
    search = make_search(
        partition, y, weights, plan.n_classes, plan.criterion, plan.limits, plan.max_features, plan.n_threads,
        plan.subsets, plan.block_rows < len(rows),
    )
    if shares_block:
        share_block(search, beside.tree.search)
    if plan.directions is not None:
        search.constrain(plan.directions)
    if shared.accelerator is not None:
        search.skips_boxes = True
        search.accelerator = shared.accelerator(
            search, shared.prepared, plan, weights, None if beside is None else beside.tree.search.accelerator,
            shares_block,
        )
    growth.plan = plan
    growth.tree = GrowingTree(
        partition, search, plan.n_classes, plan.max_depth, plan.min_samples_split, plan.max_leaf_nodes
    )
    growth.tree.counts_gains_by_samples = True
    if plan.min_impurity_decrease > 0.0 and search.judging != CLASS_COUNTS:
        raise ValueError(f"The gains of {plan.criterion!r} are no decreases of impurity.")
    growth.searches_together = search.judging == OWN_CLASS_COUNTS
    growth.has_heap = plan.is_best_first and search.judging in (CLASS_COUNTS, SEQUENCES) and is_exact(plan.criterion)
    return growth


def grow_by_gain(
    X, const index_t[::1] y, weights, Py_ssize_t n_classes, criterion, *, index_t max_depth,
    index_t min_samples_split, index_t min_samples_leaf, index_t max_leaf_nodes, float64_t min_gain,
    index_t max_candidates, index_t max_features, uint64_t seed, rows=None, SharedFeatures shared=None,
    index_t n_threads=1, n_categories=None, bint subsets=False, block_rows=None, max_bins=MAX_BINS,
    float64_t min_impurity_decrease=0.0, float64_t min_weight_fraction_leaf=0.0, part_rows=None, monotonic_cst=None,
    exact_targets=None, accelerator=None,
):
    """Grow a tree: a dict of its arrays. Limits that do not apply are 2**31 - 1, for min_gain -inf, for the last two 0.

    `monotonic_cst` has a number for every feature, or is None: along a feature of 1 the tree's value must not fall, of
    -1 not rise. The value is the mean of the targets, their median, or the mean rank of the classes. Class counts and
    sums of targets are as they are: `node_bounds` tells within which bounds values have to be clipped.

    `exact_targets` are the targets of all rows as doubles, if they were rounded to whole numbers: the dict then has the
    `value` of every node, the nearest double to the mean of its targets, or their lower median.

    A feature whose `n_categories` is above 0 holds codes 0, 1, ..., n_categories - 1. It splits into one child a
    category or, with `subsets`, into two sets of categories. None: all features are numeric, and the dict has only the
    arrays of a binary tree.

    `weights` is None or int64, with a sum of at most 2**52, and positive in all rows that are used: the rows listed in
    `rows`, in their order, or all. `shared` comes from `share_features` with the same parameters. Up to `n_threads`
    threads grow subtrees of the tree, or scan the features of a node together if sequences are scanned. `block_rows`,
    `max_bins` and `part_rows` do not change the tree, only the way to it. Subtrees of more rows than `block_rows` look
    at `max_bins` bins of every feature first, if the criterion allows it. Subtrees of at most `part_rows` rows are not
    divided among threads. By default the number of rows decides. `accelerator` is `fast.engine.FastEngine`, or None:
    then every cut is compared exactly.
    """
    check_samples(X.shape[0], y, weights, n_classes, criterion)
    _check_targets(exact_targets, X, criterion)
    rows = np.arange(X.shape[0]) if rows is None else rows
    if given_of(criterion).get("groups") is not None:
        check_groups(given_of(criterion)["groups"], rows, X.shape[0])
    cdef bint is_shared = shared is not None
    cdef Plan plan = Plan(
        criterion, n_classes, y, weights, rows, max_depth=max_depth, min_samples_split=min_samples_split,
        min_samples_leaf=min_samples_leaf, max_leaf_nodes=max_leaf_nodes, min_gain=min_gain,
        max_candidates=max_candidates, max_features=max_features, n_threads=n_threads, subsets=subsets,
        min_impurity_decrease=min_impurity_decrease, min_weight_fraction_leaf=min_weight_fraction_leaf,
        lists_rows=exact_targets is not None,
    )
    if not is_shared:
        shared = SharedFeatures(
            X, n_classes, criterion, plan.is_narrow, max_features, max_candidates, block_rows, max_bins, n_categories,
            plan.limits.min_leaf_weight > 0 or monotonic_cst is not None, n_threads, accelerator,
        )
    plan.directions = checked_constraints(monotonic_cst, criterion, shared.features)
    if not subsets:
        check_categories(criterion, shared.features)
    if shared.accelerator is not None:
        plan.block_rows = shared.prepared.rows_in_blocks(plan, len(rows))
    cdef GrowthByGain growth = _prepare(shared, rows, y, weights, plan)
    if part_rows is None:
        part_rows = max(PART_ROWS, len(rows) // (PARTS_PER_THREAD * n_threads))
    if n_threads > 1 and len(rows) > part_rows and _grows_in_parts(growth):
        # Nodes in blocks of their own have no parts.
        part_rows = max(part_rows, plan.block_rows) if plan.block_rows < len(rows) else part_rows
        team = Team([growth, *[_prepare(shared, rows, y, weights, plan, growth) for _ in range(n_threads - 1)]])
        _grow_together(team, seed, part_rows)
    else:
        rows = None
        add_root(growth.tree, seed)
        with nogil:
            _open(growth, 0, 0)
            _grow(growth)
    team = shared = growth.tree.search.accelerator = None
    if not is_shared:
        growth.tree.partition.features.codes = None
    return _arrays_of(growth.tree, exact_targets)


cdef _check_targets(exact_targets, X, criterion):
    if exact_targets is not None and (len(exact_targets) != X.shape[0] or "targets" not in given_of(criterion)):
        raise ValueError("exact_targets must be a target for every row, and the classes must stand for targets.")


cdef _arrays_of(GrowingTree tree, exact_targets):
    """Return the arrays of a grown tree, with the values of its nodes if targets were rounded. The memory that
    only growth needs is free by then."""
    order, of_nodes = nodes_in_preorder(tree), {}
    if exact_targets is not None:
        are_medians = tree.search.counts.errors is not None
        of_nodes["value"] = np.asarray(values_of_nodes(tree, order, exact_targets, are_medians))
    return arrays_of(tree, order) | of_nodes
