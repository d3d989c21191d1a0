"""Growth by distance: every split is judged by a distance between the clustering of the samples and their classes.

A tree induces a clustering of its samples by predicted class, and the true classes are another one (F. Späh and
S. Kosub, "Global Evaluation for Decision Tree Learning", Section 1.1). The tree grows step by step; a step splits one
of the open leaves, which stand in a list from left to right.

*Local evaluation* takes the leaf whose best split comes nearest to the classes within it (Algorithm 2). The best split
has the greatest gain. Its merit is the gain plus the score of the undivided leaf; the greatest merit is nearest.

*Global evaluation* takes the step after which the whole tree is nearest to the classes (Algorithm 3; see
`global_steps`). The best step of a leaf is remembered if it does not depend on the other leaves. *Glocal* evaluation
takes the global step if it decreases the distance, otherwise the local step.
"""

from fractions import Fraction
from functools import partial

import numpy as np

cimport cython
from libc.math cimport isnan, ldexp
from libc.stdlib cimport free

from pytrees._core.base.fractions cimport add_fraction
from pytrees._core.base.memory cimport insert_item, remove_item, reserve
from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t, uint64_t
from pytrees._core.base.wide cimport uint128_t
from pytrees._core.criteria.children cimport exact_fraction
from pytrees._core.criteria.counts cimport NLOGN_FRACTION_BITS, sum_of_counts, sum_of_n_log2_n
from pytrees._core.criteria.gain cimport Gain, exceeds_by_tolerance
from pytrees._core.criteria.labels cimport majority_of
from pytrees._core.criteria.logarithms cimport LESS_BOTH, MAX_TOTAL_COUNT, nearest_entropy
from pytrees._core.criteria.wide cimport WIDE_INFORMATION
from pytrees._core.id3.distances cimport (
    DISTANCE_GAIN_RATIO, DISTANCE_INFORMATION_GAIN, DISTANCE_VI, Clusters, DistanceCode, change_cluster, distance_of,
    score_undivided, separates,
)
from pytrees._core.id3.global_steps cimport LeafScan, Step, compare_to_present, is_lower, offer_splits, start_leaf
from pytrees._core.id3.local_distance cimport LocalDistance, compare_merits
from pytrees._core.growth.tree cimport (
    GrowingTree, Node, RankedSplit, add_root, arrays_of, check_node_signals, count_node_classes, has_room,
    is_greater_split, n_children_of, nodes_in_preorder, random_state_of, split_leaf, values_of,
)
from pytrees._core.rows.category_splits cimport count_children
from pytrees._core.rows.features cimport Features, is_categorical
from pytrees._core.rows.partition cimport RowPartition, check_entries, entries_of, has_cut, missing_of
from pytrees._core.split.allowed_cuts cimport least_samples
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, Split, draw_features, start_block
from pytrees._core.split.node_split cimport find_split

from pytrees._core.id3.distances import DISTANCES, exact_undivided, parts_of
from pytrees._core.growth.tree import check_categories, check_samples
from pytrees._core.split.node_split import make_search

cdef enum:
    MERIT_BITS = 126

# Sums of squares of at most 2**26 samples are exact in floating point.
MOST_SAMPLES = 2**26

cdef enum StopReason:
    # Growth makes all steps, or stops before a step that increases the distance, or before one that does not decrease
    # it.
    STOP_PURE
    STOP_NO_DISTANCE_DECAY
    STOP_NO_DECREASE


STOPS = {"pure": STOP_PURE, "no_distance_decay": STOP_NO_DISTANCE_DECAY, "no_decrease": STOP_NO_DECREASE}


cdef struct LeafSteps:
    # The part of a node that only growth by distance has.
    index_t label               # as a leaf
    index_t step                # number of the step that split it, or NONE
    # The best split within a leaf; and its best global step, if the distance is a sum over the leaves.
    bint knows_local, knows_global, has_large_merit
    Step local_step, global_step
    Gain merit                  # of the local step: a priority, but not multiplied by samples


@cython.final
cdef class GrowthByDistance:
    """The tree, and its leaves that may still be split."""

    cdef GrowingTree tree
    cdef LeafScan scan              # None for local evaluation
    cdef LeafSteps* leaves          # by node
    cdef index_t* open_leaves       # from left to right
    cdef Py_ssize_t leaf_capacity, open_capacity
    cdef index_t n_open
    cdef DistanceCode code
    cdef bint knows_distance        # otherwise the criterion only knows gains
    cdef bint absent_differ         # for Jaccard: see `Clusters`
    # Global evaluation judges the whole tree, local evaluation judges leaves. Glocal evaluation sets both.
    cdef bint is_global, is_local
    cdef StopReason stop
    cdef int64_t[::1] counts        # scratch: class counts of a node

    def __dealloc__(self):
        free(self.leaves)
        free(self.open_leaves)


# ------------------------------------------------------------------------------------------------------------- growth

cdef int _grow(GrowthByDistance growth, uint64_t seed) except -1 nogil:
    cdef Step step
    cdef index_t n_steps = 0
    add_root(growth.tree, seed)
    start_block(growth.tree.search, &growth.tree.nodes[0].rows)
    _add_leaf(growth, 0, NONE)
    if growth.is_global:
        _move_samples(growth, 0, 1)
    _open_leaves(growth, 0, 1, 0)
    while growth.tree.n_leaves < growth.tree.max_leaf_nodes and _find_step(growth, &step):
        _take_step(growth, &step, n_steps)
        n_steps += 1


cdef int _take_step(GrowthByDistance growth, const Step* step, index_t number) except -1 nogil:
    """Exchange a leaf for its children."""
    cdef index_t position = 0, child, first = growth.tree.n_nodes
    while growth.open_leaves[position] != step.leaf:
        position += 1
    split_leaf(growth.tree, step.leaf, &step.split)
    for child in range(first, growth.tree.n_nodes):
        _add_leaf(growth, child, step.left_label if child == first else step.right_label)
    if growth.is_global:
        _exchange(growth, step.leaf)
    growth.leaves[step.leaf].step = number
    _close_leaf(growth, position)
    _open_leaves(growth, first, growth.tree.n_nodes, position)


cdef int _add_leaf(GrowthByDistance growth, index_t node, index_t label) except -1 nogil:
    """Give a new node its class counts and its label; the label NONE stands for its majority."""
    cdef LeafSteps* leaf
    reserve(<void**> &growth.leaves, &growth.leaf_capacity, <Py_ssize_t> node + 1, sizeof(LeafSteps), b"leaves")
    count_node_classes(growth.tree, node)
    leaf = &growth.leaves[node]
    leaf.label = majority_of(values_of(growth.tree, node), growth.tree.n_classes) if label == NONE else label
    leaf.step = NONE
    leaf.knows_local = leaf.knows_global = False


cdef int _open_leaves(GrowthByDistance growth, index_t first, index_t stop, index_t position) except -1 nogil:
    """Insert the leaves first <= leaf < stop that may be split into the open leaves, at this position."""
    cdef index_t leaf
    for leaf in range(stop - 1, first - 1, -1):
        if growth.tree.nodes[leaf].may_split:
            (<index_t*> insert_item(
                <void**> &growth.open_leaves, &growth.open_capacity, &growth.n_open, position, sizeof(index_t),
                b"open leaves",
            ))[0] = leaf


cdef void _close_leaf(GrowthByDistance growth, index_t position) noexcept nogil:
    remove_item(growth.open_leaves, &growth.n_open, position, sizeof(index_t))


# ----------------------------------------------------------------------------------------------------------- clusters

cdef int64_t* _whole_counts(GrowthByDistance growth, index_t node) noexcept nogil:
    """Return the class counts of a node as integers, in a buffer that the next call overwrites."""
    cdef index_t label
    for label in range(growth.tree.n_classes):
        growth.counts[label] = <int64_t> values_of(growth.tree, node)[label]
    return &growth.counts[0]


cdef void _move_samples(GrowthByDistance growth, index_t node, int sign) noexcept nogil:
    """Add the leaf's samples to the cluster of its label (sign 1), or take them away (-1)."""
    change_cluster(growth.scan.clusters, growth.leaves[node].label, _whole_counts(growth, node), sign)


cdef int _exchange(GrowthByDistance growth, index_t leaf) except -1 nogil:
    """Move the samples of a leaf that was split to the clusters of its children. The gain of a global step is written
    here: the decrease of the distance, divided by the leaf's share of the samples."""
    cdef Node* node = &growth.tree.nodes[leaf]
    cdef float64_t before = distance_of(growth.scan.clusters), after
    cdef index_t child
    _move_samples(growth, leaf, -1)
    for child in range(node.first_child, node.first_child + n_children_of(growth.tree, leaf)):
        _move_samples(growth, child, 1)
    if not isnan(node.gain):
        return 0
    after = distance_of(growth.scan.clusters)
    if growth.code == DISTANCE_INFORMATION_GAIN or growth.code == DISTANCE_GAIN_RATIO:      # similarities
        before, after = after, before
    node.gain = (before - after) * <float64_t> growth.scan.clusters.total / sum_of_counts(
        values_of(growth.tree, leaf), growth.tree.n_classes
    )


# -------------------------------------------------------------------------------------------------------------- steps

cdef int _find_step(GrowthByDistance growth, Step* step) except -1 nogil:
    """Find the next step by the kind of evaluation; return 1, or 0 if growth stops."""
    if growth.is_global and _find_global(growth, step) and _may_step(
        STOP_NO_DECREASE if growth.is_local else growth.stop, growth.scan, step
    ):
        return 1
    return growth.is_local and _find_local(growth, step)


cdef inline bint _may_step(StopReason stop, LeafScan scan, const Step* step) except -1 nogil:
    """Whether the rule for stopping allows a global step."""
    if stop == STOP_PURE:
        return True
    return compare_to_present(scan, step) >= (1 if stop == STOP_NO_DECREASE else 0)


cdef int _find_global(GrowthByDistance growth, Step* best) except -1 nogil:
    """Find the step to the nearest whole tree among all open leaves, splits and labels (Algorithm 3); return 0 if there
    is none."""
    cdef index_t position = 0, leaf
    cdef LeafSteps* steps
    cdef bint is_kept = separates(growth.code)
    best.leaf = NONE
    while position < growth.n_open:
        leaf = growth.open_leaves[position]
        steps = &growth.leaves[leaf]
        if not is_kept or not steps.knows_global or not has_room(growth.tree, steps.global_step.split.n_children):
            steps.global_step.leaf = NONE
            if not _scan_leaf(growth, leaf, &steps.global_step if is_kept else best):
                _close_leaf(growth, position)
                continue
            steps.knows_global = True
        # Kept steps compare by whole-numbered costs.
        if is_kept and (
            best.leaf == NONE or steps.global_step.cost < best.cost
            or steps.global_step.cost == best.cost and _breaks_tie(growth, &steps.global_step, best)
        ):
            best[0] = steps.global_step
        position += 1
    return best.leaf != NONE


cdef inline bint _breaks_tie(GrowthByDistance growth, const Step* step, const Step* best) except -1 nogil:
    """Whether a step is taken before an equally good step of a leaf on its left."""
    cdef int order = 0
    if growth.scan.has_merits:
        order = compare_merits(growth.scan.local, &step.merit, &best.merit)
    return order > 0 or order == 0 and is_lower(step, best)


cdef int _scan_leaf(GrowthByDistance growth, index_t leaf, Step* best) except -1 nogil:
    """Offer all splits of the leaf; return 0 if there are none."""
    cdef NodeRows rows = growth.tree.nodes[leaf].rows
    cdef index_t i, feature, n_children, n_missing, n_categorical = 0, n = rows.stop - rows.start
    cdef index_t min_samples_leaf = growth.scan.min_samples_leaf
    cdef const uint64_t* entries = NULL
    cdef bint can_split = False
    check_node_signals(growth.tree, leaf)
    draw_features(growth.tree.search, &rows, random_state_of(growth.tree, leaf))
    start_leaf(growth.scan, leaf, growth.leaves[leaf].label, _whole_counts(growth, leaf), &rows.block)
    for i in range(growth.tree.search.n_drawn + growth.tree.search.n_drawn_categories):
        feature = _drawn_feature(growth.tree.search, i, &n_categorical)
        check_entries(growth.tree.partition, n)
        entries = entries_of(growth.tree.partition, rows.block, feature, rows.start, rows.stop, entries)
        n_children = 2
        if is_categorical(growth.tree.partition.features, feature):
            n_children = count_children(entries, n, min_samples_leaf)
            if n_children == 0 or not has_room(growth.tree, n_children):
                continue
        elif not has_cut(growth.tree.partition, rows.block, feature, rows.start, rows.stop, min_samples_leaf):
            continue
        can_split = True
        n_missing = missing_of(growth.tree.partition, rows.block, feature, entries, n)
        offer_splits(growth.scan, entries, n, n_missing, feature, n_children, best)
    # The samples go back into the cluster of the leaf's label.
    change_cluster(growth.scan.clusters, growth.scan.label, growth.scan.leaf_counts, 1)
    return can_split


cdef inline index_t _drawn_feature(NodeSearch search, index_t i, index_t* n_categorical) noexcept nogil:
    """Return the i-th drawn feature in ascending order; `n_categorical` features before it are categorical."""
    cdef index_t n_numeric = i - n_categorical[0]
    if n_categorical[0] == search.n_drawn_categories or (
        n_numeric < search.n_drawn and search.drawn[n_numeric] < search.drawn_categories[n_categorical[0]]
    ):
        return search.drawn[n_numeric]
    n_categorical[0] += 1
    return search.drawn_categories[n_categorical[0] - 1]


cdef int _find_local(GrowthByDistance growth, Step* best) except -1 nogil:
    """Find the open leaf whose best split comes nearest to the classes within the leaf (Algorithm 2)."""
    cdef index_t position = 0, leaf
    cdef LeafSteps* steps
    cdef LeafSteps* nearest = NULL
    while position < growth.n_open:
        leaf = growth.open_leaves[position]
        steps = &growth.leaves[leaf]
        if not steps.knows_local:
            _search(growth, leaf)
        if steps.local_step.leaf == NONE or not has_room(growth.tree, steps.local_step.split.n_children):
            if growth.is_global:
                position += 1
            else:
                _close_leaf(growth, position)
            continue
        if (
            nearest == NULL
            or _comes_nearer(growth, steps, nearest)
            or not _comes_nearer(growth, nearest, steps)
            and is_lower(&steps.local_step, &nearest.local_step)
        ):
            nearest = steps
        position += 1
    if nearest == NULL:
        return 0
    best[0] = nearest.local_step
    return 1


cdef int _search(GrowthByDistance growth, index_t leaf) except -1 nogil:
    """Find the best split within the leaf, and its merit."""
    cdef LeafSteps* steps = &growth.leaves[leaf]
    cdef Step* step = &steps.local_step
    cdef const Node* node = &growth.tree.nodes[leaf]
    steps.knows_local = True
    step.leaf = step.left_label = step.right_label = NONE
    check_node_signals(growth.tree, leaf)
    find_split(growth.tree.search, &node.rows, random_state_of(growth.tree, leaf), &step.split)
    if step.split.feature == NONE or not _gains(growth, &step.split):
        return 0
    step.leaf = leaf
    return _judge_split(growth, leaf)


cdef inline bint _gains(GrowthByDistance growth, const Split* split) except -1 nogil:
    """Whether the rule for stopping allows a local split."""
    cdef int sign
    if growth.stop == STOP_PURE:
        return True
    if split.is_large:
        with gil:
            sign = (growth.tree.search.children.large_gain > 0) - (growth.tree.search.children.large_gain < 0)
    elif split.gain.denominator > 0:
        sign = (split.gain.numerator > 0) - (split.gain.numerator < 0)
    elif split.gain.error > 0.0:
        sign = (split.gain.value > 0.0) - (split.gain.value < 0.0)
    else:
        sign = exceeds_by_tolerance(split.gain.value, 0.0) - exceeds_by_tolerance(0.0, split.gain.value)
    return sign >= (1 if growth.stop == STOP_NO_DECREASE else 0)


# -------------------------------------------------------------------------------------------------------------- merits

cdef int _judge_split(GrowthByDistance growth, index_t leaf) except -1 nogil:
    """Find the merit of the leaf's best split: its gain plus, for a distance, the undivided leaf's score."""
    cdef LeafSteps* steps = &growth.leaves[leaf]
    cdef const Split* split = &steps.local_step.split
    cdef const int64_t* counts = _whole_counts(growth, leaf)
    cdef int64_t numerator = 0, denominator = 1, total = sum_of_counts(counts, growth.tree.n_classes)
    steps.has_large_merit = False
    steps.merit = split.gain
    if split.gain.denominator == 0 and growth.tree.search.counts.wide_kind != WIDE_INFORMATION:
        steps.merit.priority = split.gain.value
        if split.gain.error > 0.0 and growth.knows_distance:
            with gil:
                _add_undivided(growth, counts, &steps.merit)
        return 0
    if split.gain.error > 0.0:
        if growth.knows_distance and growth.code == DISTANCE_VI:
            _subtract_entropy(growth, counts, total, &steps.merit)
        steps.merit.priority /= <float64_t> total
        steps.merit.error /= <float64_t> total
        return 0
    if growth.knows_distance:
        score_undivided(growth.code, growth.absent_differ, counts, growth.tree.n_classes, &numerator, &denominator)
    steps.merit.denominator = split.gain.denominator * <uint128_t> total
    # A gain is multiplied by the samples of its leaf; a merit is not.
    if (
        split.is_large or split.gain.denominator > (<uint128_t> 1 << MERIT_BITS) // <uint128_t> total
        or numerator != 0
        and not add_fraction(&steps.merit.numerator, &steps.merit.denominator, numerator, <uint128_t> denominator)
    ):
        with gil:
            _set_large_merit(growth, leaf, int(total), int(numerator), int(denominator))


cdef int _add_undivided(GrowthByDistance growth, const int64_t* counts, Gain* merit) except -1:
    """Add the score of the undivided leaf to a gain of wide counts, and bound the error of the sum."""
    undivided = growth.tree.undivided([int(counts[label]) for label in range(growth.tree.n_classes)])
    merit.priority += float(undivided)
    merit.error = 2.0**-48 * (2.0 + growth.tree.n_classes)


cdef int _subtract_entropy(GrowthByDistance growth, const int64_t* counts, int64_t total, Gain* merit) except -1 nogil:
    """Subtract the variation of information of the undivided leaf from the gain of its split. It is the entropy of the
    leaf's classes; both are multiplied by the samples."""
    cdef const int64_t[::1] table = growth.tree.search.counts.table
    cdef float64_t entropy
    if growth.tree.search.counts.is_wide:
        with gil:
            entropy = <float64_t> total * nearest_entropy(counts, growth.tree.n_classes)
    else:
        entropy = ldexp(
            <float64_t> (table[total] - sum_of_n_log2_n(&table[0], counts, growth.tree.n_classes)),
            -NLOGN_FRACTION_BITS,
        )
    # The error of the gain covers the rounded table entries of the classes, but not the rounding of `entropy` to a
    # double.
    merit.priority -= entropy
    merit.error += 2.0**-50 * entropy


cdef int _set_large_merit(GrowthByDistance growth, index_t leaf, total, numerator, denominator) except -1:
    """Keep a merit whose parts need more than 128 bits, at least before they are reduced to lowest terms."""
    cdef LeafSteps* steps = &growth.leaves[leaf]
    cdef const Split* split = &steps.local_step.split
    gain = growth.tree.search.children.large_gain if split.is_large else exact_fraction(&split.gain)
    merit = gain / total + Fraction(numerator, denominator)
    steps.has_large_merit = True
    steps.merit.priority = float(merit)
    growth.tree.large_priorities[leaf] = merit


cdef inline bint _comes_nearer(GrowthByDistance growth, LeafSteps* steps, LeafSteps* other) except -1 nogil:
    """Whether the best split of a leaf comes nearer than the best split of another leaf."""
    cdef RankedSplit split = _ranked(steps), other_split = _ranked(other)
    return is_greater_split(growth.tree, &split, &other_split)


cdef inline RankedSplit _ranked(LeafSteps* steps) noexcept nogil:
    return RankedSplit(steps.local_step.leaf, &steps.local_step.split, &steps.merit, steps.has_large_merit)


# --------------------------------------------------------------------------------------------------------- from Python

cdef LeafScan _leaf_scan(
    GrowthByDistance growth, const index_t[::1] y, weights, rows, bint all_labels, bint has_merits
):
    """Return the scan of global steps for a tree that has no nodes yet."""
    counts = np.bincount(np.asarray(y)[rows], None if weights is None else weights[rows], growth.tree.n_classes)
    if counts.sum() >= MOST_SAMPLES:
        raise ValueError(f"Global evaluation counts at most {MOST_SAMPLES - 1} samples, got {counts.sum():.0f}.")
    has_categories = growth.tree.partition.features.n_categories.shape[0] > 0
    cdef NodeSearch search = growth.tree.search
    local = None
    if has_merits:
        most_children = growth.tree.partition.child_ends.shape[0] if has_categories else 2
        local = LocalDistance(growth.code, growth.absent_differ, search.counts, most_children)
    clusters = Clusters(growth.code, counts.astype(np.int64), growth.absent_differ)
    return LeafScan(clusters, search, all_labels, has_categories, local)


def grow_by_distance(
    X, const index_t[::1] y, weights, Py_ssize_t n_classes, distance, *, evaluation, labels,
    stop, index_t max_depth, index_t min_samples_split, index_t min_samples_leaf, index_t max_leaf_nodes,
    index_t max_features, uint64_t seed, ties="first", rows=None, shared=None, n_threads=1, n_categories=None,
    accelerator=None,
):
    """Grow a tree and return a dict of its arrays. A limit of 2**31 - 1 does not apply.

    `weights` is None or int64. The tree uses the samples of `rows`, in this order, or all samples; their weights are
    positive. `label` is the prediction of a node as a leaf. `split_step` numbers the
    splits in the order of growth, and is -1 at leaves. If `n_categories` of a feature is above 0, the feature holds
    codes 0, 1, ..., n_categories - 1, and splits into one child a category. If `n_categories` is None, the dict has
    only the arrays of a binary tree. `accelerator` is as in `grow_by_gain`.
    """
    cdef RowPartition partition
    cdef NodeSearch search
    cdef GrowthByDistance growth = GrowthByDistance()
    criterion = "entropy" if distance == "information_gain" else distance
    check_samples(X.shape[0], y, weights, n_classes, criterion)
    name, growth.absent_differ = parts_of(distance)
    growth.knows_distance = name in DISTANCES
    growth.is_global = evaluation != "local"
    growth.is_local = evaluation != "global"
    growth.stop = STOPS[stop]
    rows = np.arange(X.shape[0]) if rows is None else np.asarray(rows, dtype=np.int64)
    if growth.is_global and weights is not None and weights[rows].sum() >= MAX_TOTAL_COUNT:
        raise ValueError("Global evaluation counts samples: their weights must be whole numbers of a sum below 2**24.")
    if growth.is_global and not growth.knows_distance:
        raise ValueError(f"{distance!r} does not measure whole trees: its evaluation must be local.")
    if growth.knows_distance:
        growth.code = DISTANCES[name]
    growth.counts = np.zeros(n_classes, dtype=np.int64)
    partition = RowPartition(Features(X, n_categories), rows, len(rows), True, True)
    check_categories(criterion, partition.features)
    search = make_search(
        partition, y, weights, n_classes, criterion, least_samples(min_samples_leaf), max_features, n_threads
    )
    search.skips_boxes = accelerator is not None
    growth.tree = GrowingTree(partition, search, n_classes, max_depth, min_samples_split, max_leaf_nodes)
    if growth.knows_distance:
        growth.tree.undivided = partial(exact_undivided, name, growth.absent_differ)
    if name == "vi":
        # Leaves compare by the distance of their splits from the classes, not by its decrease.
        growth.tree.form = LESS_BOTH
    if growth.is_global:
        growth.scan = _leaf_scan(growth, y, weights, rows, labels == "all", ties == "local")
    with nogil:
        _grow(growth, seed)
    cdef const index_t[::1] order = nodes_in_preorder(growth.tree)
    cdef int64_t[::1] label = np.empty(order.shape[0], dtype=np.int64)
    cdef int64_t[::1] split_step = np.empty(order.shape[0], dtype=np.int64)
    cdef Py_ssize_t i
    for i in range(order.shape[0]):
        label[i] = growth.leaves[order[i]].label
        split_step[i] = growth.leaves[order[i]].step
    return arrays_of(growth.tree, order) | {"label": np.asarray(label), "split_step": np.asarray(split_step)}
