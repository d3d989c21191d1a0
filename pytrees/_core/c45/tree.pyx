"""C4.5: growth by gain ratio and pessimistic pruning, in one depth-first walk.

The walk enters a node, splits it, walks its children, and prunes the node as soon as its children are pruned. A frame
holds the state of a node whose subtree is not finished. Nodes are kept in preorder: a node's subtree follows it.

Pruning replaces a node by a leaf, or by the node's largest branch (subtree raising), if the replacement is expected to
err no more. To raise a branch, its nodes are recorded, and the walk enters the node once more: with all rows of the
node, which are split as the record says.
"""

from statistics import NormalDist

import numpy as np

cimport cython
from libc.math cimport pow, sqrt
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from pytrees._core.base.memory cimport reserve
from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, NO_CATEGORY, UNDEFINED, float64_t, index_t, int64_t
from pytrees._core.c45.rows cimport (
    Division, FractionalRows, Part, copy_to_top, divide_rows, is_missing, sort_rows, take_part,
)
from pytrees._core.c45.splits cimport RatioSplit, SplitFinder, best_split
from pytrees._core.criteria.counts cimport sum_of_counts
from pytrees._core.criteria.gain cimport exceeds_by_tolerance
from pytrees._core.criteria.labels cimport majority_of

cdef float64_t SLACK = 1e-3         # of training errors, as in Quinlan's program
cdef float64_t SIMPLICITY = 0.1     # a simpler tree may have this many more expected errors


cdef struct C45Node:
    index_t feature, n_rows
    index_t size        # number of nodes of its subtree, itself included
    index_t branch      # the way from its parent, as `Part.branch`
    float64_t threshold, gain


# A node whose subtree is not finished.
cdef struct Frame:
    index_t node, depth
    Py_ssize_t start, stop      # the node has rows[start:stop]
    float64_t total             # weight of the rows
    Py_ssize_t top              # size of the stack of rows without what the subtree adds
    Division division
    index_t n_finished          # children that the walk has entered
    bint grows                  # False below a recorded node, where no split is looked for
    index_t recorded            # the node's number among the recorded nodes; NONE if it is not recorded
    index_t next_recorded       # number of the recorded node from which on the next child is looked for
    index_t region              # where the record of the node's largest branch starts; NONE if there is no record
    index_t n_grown             # nodes of the subtree before it was pruned
    float64_t training_errors   # training errors of the subtree before it was pruned
    float64_t errors            # expected errors of the subtree


@cython.final
cdef class C45Growth:
    cdef SplitFinder finder
    cdef FractionalRows rows
    cdef index_t n_classes, max_depth
    cdef bint prunes, raises
    cdef float64_t confidence, z
    cdef int64_t n_scanned              # entries since signals were checked

    cdef C45Node* nodes                 # in preorder
    cdef C45Node* recorded              # branches to be raised, each in preorder
    cdef Frame* frames
    cdef float64_t* values              # class weights by node
    cdef index_t n_nodes, n_recorded, n_frames
    cdef Py_ssize_t node_capacity, recorded_capacity, frame_capacity, value_capacity

    def __dealloc__(self):
        free(self.nodes)
        free(self.recorded)
        free(self.frames)
        free(self.values)


# ------------------------------------------------------------------------------------------------------------ the walk

cdef int _grow(C45Growth growth) except -1 nogil:
    """Grow and prune the tree of all rows."""
    cdef Frame* frame = _push_frame(growth, 0, growth.rows.top, 0)
    frame.grows = True
    _enter(growth, 0)
    while growth.n_frames > 0:
        frame = &growth.frames[growth.n_frames - 1]
        if frame.n_finished < frame.division.n_parts:
            _enter(growth, _push_child(growth))
        elif not _finish(growth):
            _pop_frame(growth)


cdef Frame* _push_frame(C45Growth growth, Py_ssize_t start, Py_ssize_t stop, index_t depth) except NULL nogil:
    cdef Frame* frame
    reserve(
        <void**> &growth.frames, &growth.frame_capacity, <Py_ssize_t> growth.n_frames + 1, sizeof(Frame),
        b"nodes on a path",
    )
    frame = &growth.frames[growth.n_frames]
    memset(frame, 0, sizeof(Frame))
    frame.depth = depth
    frame.start = start
    frame.stop = stop
    frame.top = growth.rows.top
    frame.recorded = frame.region = NONE
    growth.n_frames += 1
    return frame


cdef index_t _push_child(C45Growth growth) except -1 nogil:
    """Push a frame for the next part of the node on top; return its branch."""
    cdef Frame* parent = &growth.frames[growth.n_frames - 1]
    cdef Frame* frame
    cdef Py_ssize_t top = growth.rows.top
    cdef index_t depth = parent.depth + 1
    cdef Part part
    take_part(growth.rows, &parent.division, parent.n_finished, &part)
    parent.n_finished += 1
    frame = _push_frame(growth, part.start, part.stop, depth)
    frame.top = top
    frame.grows = (frame - 1).grows and (frame - 1).recorded == NONE
    if (frame - 1).recorded != NONE:
        frame.recorded = _recorded_child(growth, frame - 1, part.branch)
    return part.branch


cdef index_t _recorded_child(C45Growth growth, Frame* parent, index_t branch) noexcept nogil:
    """Return the number of the child as it was recorded, or NONE; children are asked for in ascending order."""
    cdef index_t found = parent.next_recorded
    cdef index_t stop = parent.recorded + growth.recorded[parent.recorded].size
    while found < stop and growth.recorded[found].branch < branch:
        found += growth.recorded[found].size
    parent.next_recorded = found
    return found if found < stop and growth.recorded[found].branch == branch else NONE


cdef int _enter(C45Growth growth, index_t branch) except -1 nogil:
    """Make the node on top, and divide its rows if it has a split."""
    cdef Frame* frame = &growth.frames[growth.n_frames - 1]
    cdef const C45Node* recorded
    cdef C45Node* node
    cdef RatioSplit split
    frame.node = growth.n_nodes
    node = _add_node(growth, frame, branch)
    frame.errors = 0.0
    check_signals(&growth.n_scanned, (frame.stop - frame.start) * growth.finder.n_features, WORK_BETWEEN_CHECKS)
    if frame.recorded != NONE:
        recorded = &growth.recorded[frame.recorded]
        _split_node(growth, frame, recorded.feature, recorded.threshold, recorded.gain)
        frame.next_recorded = frame.recorded + 1
    elif frame.grows:
        frame.n_grown = 1
        if _may_split(growth, frame):
            best_split(
                growth.finder, &growth.rows.rows[frame.start], &growth.rows.weights[frame.start],
                <index_t> (frame.stop - frame.start), _values_of(growth, frame.node), frame.total, &split,
            )
            _split_node(growth, frame, split.feature, split.threshold, split.gain)
        if node.feature == UNDEFINED:
            frame.training_errors = _count_errors(_values_of(growth, frame.node), growth.n_classes)
    if node.feature == UNDEFINED:
        frame.errors = _errors_as_leaf(growth, _values_of(growth, frame.node))


cdef C45Node* _add_node(C45Growth growth, Frame* frame, index_t branch) except NULL nogil:
    """Add a leaf of the frame's rows."""
    cdef Py_ssize_t number = growth.n_nodes
    cdef C45Node* node
    reserve(<void**> &growth.nodes, &growth.node_capacity, number + 1, sizeof(C45Node), b"nodes")
    reserve(
        <void**> &growth.values, &growth.value_capacity, (number + 1) * growth.n_classes, sizeof(float64_t),
        b"class weights of nodes",
    )
    node = &growth.nodes[number]
    node[0] = C45Node(UNDEFINED, <index_t> (frame.stop - frame.start), 1, branch, UNDEFINED, 0.0)
    growth.n_nodes += 1
    _count_classes(growth, frame)
    return node


cdef inline float64_t* _values_of(C45Growth growth, index_t node) noexcept nogil:
    return &growth.values[<Py_ssize_t> node * growth.n_classes]


cdef void _count_classes(C45Growth growth, Frame* frame) noexcept nogil:
    """Sum up the weights of the frame's rows, altogether and by class."""
    cdef float64_t* counts = _values_of(growth, frame.node)
    cdef float64_t total = 0.0
    cdef Py_ssize_t i
    memset(counts, 0, growth.n_classes * sizeof(float64_t))
    for i in range(frame.start, frame.stop):
        counts[growth.finder.labels[growth.rows.rows[i]]] += growth.rows.weights[i]
        total += growth.rows.weights[i]
    frame.total = total


cdef int _split_node(
    C45Growth growth, Frame* frame, index_t feature, float64_t threshold, float64_t gain
) except -1 nogil:
    """Divide the rows, if there is a feature to do it by and they do not all go one way."""
    cdef C45Node* node = &growth.nodes[frame.node]
    if feature >= 0 and divide_rows(growth.rows, frame.start, frame.stop, feature, threshold, &frame.division):
        node.feature = feature
        node.threshold = threshold
        node.gain = gain


cdef bint _may_split(C45Growth growth, const Frame* frame) noexcept nogil:
    """Whether the node has several classes, enough rows for two children, and no more than the allowed depth."""
    cdef const float64_t* counts = _values_of(growth, frame.node)
    cdef index_t label, n_present = 0
    for label in range(growth.n_classes):
        n_present += counts[label] > 0.0
    return (
        n_present > 1
        and frame.depth < growth.max_depth
        and not exceeds_by_tolerance(2.0 * growth.finder.min_samples_leaf, frame.total)
    )


cdef int _finish(C45Growth growth) except -1 nogil:
    """Prune the node on top, whose subtree is finished; return 1 if the node has to be walked once more."""
    cdef Frame* frame = &growth.frames[growth.n_frames - 1]
    cdef C45Node* node = &growth.nodes[frame.node]
    cdef index_t branch
    if node.feature == UNDEFINED:
        return 0
    node.size = growth.n_nodes - frame.node
    branch = _largest_branch(growth, frame)
    _leave_division(growth, frame)
    if frame.grows and frame.recorded == NONE and (
        frame.training_errors >= _count_errors(_values_of(growth, frame.node), growth.n_classes) - SLACK
    ):
        frame.n_grown = 1
        _make_leaf(growth, frame)
        return 0
    return _prune(growth, branch) if growth.prunes else 0


cdef void _leave_division(C45Growth growth, Frame* frame) noexcept nogil:
    # Only raising looks at the rows of a finished node again.
    if growth.raises:
        sort_rows(growth.rows, frame.division.start, frame.division.stop)
    growth.rows.n_parts = frame.division.first_part
    frame.division.n_parts = 0
    frame.n_finished = 0


cdef void _make_leaf(C45Growth growth, Frame* frame) noexcept nogil:
    cdef C45Node* node = &growth.nodes[frame.node]
    node[0] = C45Node(UNDEFINED, node.n_rows, 1, node.branch, UNDEFINED, 0.0)
    growth.n_nodes = frame.node + 1
    frame.errors = _errors_as_leaf(growth, _values_of(growth, frame.node))


cdef void _pop_frame(C45Growth growth) noexcept nogil:
    cdef Frame* frame = &growth.frames[growth.n_frames - 1]
    growth.n_frames -= 1
    growth.rows.top = frame.top
    if frame.region != NONE:
        growth.n_recorded = frame.region
    if growth.n_frames > 0:
        (frame - 1).errors += frame.errors
        if frame.grows:
            (frame - 1).training_errors += frame.training_errors
            (frame - 1).n_grown += frame.n_grown


# ----------------------------------------------------------------------------------------------- errors to be expected

cdef inline float64_t _count_errors(const float64_t* counts, index_t n_classes) noexcept nogil:
    """Return the weight of the rows outside the most frequent class, the lowest of several."""
    cdef index_t label, majority = majority_of(counts, n_classes)
    cdef float64_t errors = 0.0
    for label in range(n_classes):
        if label != majority:
            errors += counts[label]
    return errors


cdef inline float64_t _limit_of_errors(
    float64_t total, float64_t errors, float64_t confidence, float64_t z
) noexcept nogil:
    """Return the upper limit of the errors at a confidence; z is the confidence's quantile of the normal distribution.

    Without errors the limit is exact. From one error on it is the upper end of the score interval, with a correction
    for continuity. Between none and one it is interpolated.
    """
    cdef float64_t without
    if total <= 0.0:
        return 0.0
    if errors >= 1.0:
        return _score_limit(total, errors, z)
    without = total * (1.0 - pow(confidence, 1.0 / total))
    if errors == 0.0:
        return without
    return without + errors * (_score_limit(total, 1.0, z) - without)


cdef inline float64_t _score_limit(float64_t total, float64_t errors, float64_t z) noexcept nogil:
    cdef float64_t share, deviation
    if errors + 0.5 >= total:
        return max(total, errors)
    share = (errors + 0.5) / total
    deviation = z * sqrt(share / total - share * share / total + z * z / (4.0 * total * total))
    return (share + z * z / (2.0 * total) + deviation) / (1.0 + z * z / total) * total


# ------------------------------------------------------------------------------------------------------------- pruning

cdef float64_t _errors_as_leaf(C45Growth growth, const float64_t* counts) noexcept nogil:
    if not growth.prunes:
        return 0.0
    return _limit_of_errors(
        sum_of_counts(counts, growth.n_classes), _count_errors(counts, growth.n_classes), growth.confidence, growth.z
    )


cdef int _prune(C45Growth growth, index_t branch) except -1 nogil:
    """Replace the node on top by a leaf or by the branch, if the replacement is expected to err no more.

    Return 1 if the branch is raised: the node is entered anew, and has to be walked once more.
    """
    cdef Frame* frame = &growth.frames[growth.n_frames - 1]
    cdef float64_t as_tree = frame.errors, as_leaf = _errors_as_leaf(growth, _values_of(growth, frame.node))
    cdef float64_t as_branch = as_leaf      # if the branch is a leaf
    cdef index_t region = growth.n_recorded if frame.region == NONE else frame.region
    if growth.raises and growth.nodes[branch].size > 1:
        _record(growth, branch, region)
        as_branch = _errors_as_recorded(growth, region, frame.start, frame.stop)
        frame = &growth.frames[growth.n_frames - 1]
    if not exceeds_by_tolerance(as_leaf, as_tree + SIMPLICITY) and not (
        growth.raises and exceeds_by_tolerance(as_leaf, as_branch + SIMPLICITY)
    ):
        _make_leaf(growth, frame)
        return 0
    if not growth.raises or exceeds_by_tolerance(as_branch, as_tree + SIMPLICITY):
        return 0
    frame.region = frame.recorded = region
    growth.n_nodes = frame.node
    _enter(growth, growth.nodes[frame.node].branch)
    return 1


cdef index_t _largest_branch(C45Growth growth, const Frame* frame) noexcept nogil:
    """Return the child of the greatest weight of rows with a known value, the first of several."""
    cdef const Part* parts = &growth.rows.parts[frame.division.first_part]
    cdef index_t part, child = frame.node + 1, branch = child
    cdef float64_t largest = parts[0].size
    for part in range(1, frame.division.n_parts):
        child += growth.nodes[child].size
        if exceeds_by_tolerance(parts[part].size, largest):
            largest = parts[part].size
            branch = child
    return branch


cdef int _record(C45Growth growth, index_t node, index_t region) except -1 nogil:
    cdef index_t size = growth.nodes[node].size
    reserve(
        <void**> &growth.recorded, &growth.recorded_capacity, <Py_ssize_t> region + size, sizeof(C45Node),
        b"nodes of a branch",
    )
    memcpy(&growth.recorded[region], &growth.nodes[node], size * sizeof(C45Node))
    growth.n_recorded = region + size


cdef float64_t _errors_as_recorded(
    C45Growth growth, index_t recorded, Py_ssize_t start, Py_ssize_t stop
) except -1 nogil:
    """Return the errors that the recorded subtree is expected to make on rows[start:stop].

    Rows with a value that has no child get a leaf.
    """
    cdef index_t first = growth.n_frames, n_nodes = growth.n_nodes
    cdef Frame* frame = _push_frame(growth, growth.rows.top, growth.rows.top + stop - start, 0)
    frame.recorded = recorded
    copy_to_top(growth.rows, start, stop)
    _enter(growth, NONE)
    while True:
        frame = &growth.frames[growth.n_frames - 1]
        if frame.n_finished < frame.division.n_parts:
            _enter(growth, _push_child(growth))
            continue
        growth.rows.n_parts -= frame.division.n_parts
        if growth.n_frames == first + 1:
            break
        _pop_frame(growth)
    # The nodes were made to be counted only.
    growth.rows.top = frame.top
    growth.n_frames = first
    growth.n_nodes = n_nodes
    return frame.errors


# ---------------------------------------------------------------------------------------------------- the tree's arrays

cdef dict _as_arrays(C45Growth growth):
    cdef Py_ssize_t i, n_nodes = growth.n_nodes
    cdef int64_t[:, ::1] links = np.full((2, n_nodes), LEAF, dtype=np.int64)
    cdef int64_t[::1] child_offsets = np.zeros(n_nodes + 1, dtype=np.int64)
    cdef int64_t[::1] children = np.empty(n_nodes - 1, dtype=np.int64)
    cdef index_t child, n_children = 0
    cdef bint is_multiway
    cdef C45Node* node
    growth.nodes[0].branch = NO_CATEGORY
    for i in range(n_nodes):
        node = &growth.nodes[i]
        is_multiway = is_missing(node.threshold)
        child = <index_t> i + 1
        while child < i + node.size:
            children[n_children] = child
            n_children += 1
            if not is_multiway:
                growth.nodes[child].branch = NO_CATEGORY
            child += growth.nodes[child].size
        child_offsets[i + 1] = n_children
        if is_multiway:
            links[0, i] = links[1, i] = MULTIWAY
            node.threshold = UNDEFINED
        elif node.size > 1:
            links[0, i], links[1, i] = children[n_children - 2], children[n_children - 1]
    nodes = np.asarray(<C45Node[:n_nodes]> growth.nodes)
    return {
        "children_left": np.asarray(links[0]),
        "children_right": np.asarray(links[1]),
        "feature": nodes["feature"].astype(np.int64),
        "threshold": nodes["threshold"].copy(),
        "n_node_samples": nodes["n_rows"].astype(np.int64),
        "value": np.array(<float64_t[:n_nodes, :growth.n_classes]> growth.values),
        "gain": nodes["gain"].copy(),
        "child_offsets": np.asarray(child_offsets),
        "children": np.asarray(children),
        "category": nodes["branch"].astype(np.int64),
    }


# --------------------------------------------------------------------------------------------------------- from Python

def grow_c45(
    const float64_t[:, ::1] X, const index_t[::1] y, weights, index_t n_classes, *, n_categories=None,
    index_t max_depth, float64_t min_samples_leaf, confidence, bint subtree_raising,
):
    """Grow a tree and prune it; return a dict of its arrays, and its number of nodes before it was pruned.

    A feature holds codes 0..n_categories-1 if its `n_categories` is positive, and otherwise numbers. Missing values are
    NaN. `weights` are positive, or None. `confidence` is None if nothing is to be pruned.
    """
    row_weights = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
    categories = np.zeros(X.shape[1], dtype=np.int64) if n_categories is None else np.asarray(n_categories, np.int64)
    _check(X.shape[0], np.asarray(y), row_weights, n_classes)
    cdef C45Growth growth = C45Growth()
    growth.finder = SplitFinder(X, y, np.cumsum(row_weights)[X.shape[0] - 1], n_classes, categories, min_samples_leaf)
    growth.rows = FractionalRows(X, categories, row_weights)
    growth.n_classes = n_classes
    growth.max_depth = max_depth
    growth.prunes = confidence is not None
    growth.raises = growth.prunes and subtree_raising
    if growth.prunes:
        growth.confidence = confidence
        growth.z = -NormalDist().inv_cdf(confidence)
    with nogil:
        _grow(growth)
    arrays = _as_arrays(growth)
    if n_categories is None:
        for name in ("child_offsets", "children", "category"):
            del arrays[name]
    # The root's frame is off the stack, but its memory still holds what the root has counted.
    return arrays, growth.frames[0].n_grown


def _check(n_rows, y, weights, n_classes):
    if n_rows == 0 or len(y) != n_rows or len(weights) != n_rows:
        raise ValueError(f"Labels and weights must have the {n_rows} samples of X, and there must be some.")
    if y.min() < 0 or y.max() >= n_classes:
        raise ValueError(f"Class codes must be 0..{n_classes - 1}.")
    if not np.all(weights > 0.0):
        raise ValueError("Weights must be positive.")


def pessimistic_errors(float64_t total, float64_t errors, float64_t confidence):
    """Compute how many errors are expected among samples of weight `total`: the upper limit at this confidence."""
    return _limit_of_errors(total, errors, confidence, -NormalDist().inv_cdf(confidence))
