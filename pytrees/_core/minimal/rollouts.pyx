"""Small consistent trees by rollouts: a cut is judged by the sizes of the trees that its two sides get.

*Levels.* A tree of level 0 grows greedily. Each split is the cut with the least score, the sum of sqrt(c (m - c)) over
both sides and all classes, c being the samples of the class among the m samples of the side. If one or two splits are
enough for a set, the greedy tree has them. For a tree of level L, the cuts with the least scores, one of each feature,
are tried: each gets trees of level L - 1 on both sides, which is a rollout of the cut, and the cut with the smallest
trees becomes the split. Its sides then get trees of level L. The width of a tree is the number of cuts that are tried.

*Table.* The tree of a set is kept by set, level and width: its first split, and the numbers of the trees of both sides.
"""

import time

import numpy as np

cimport cython
from libc.math cimport INFINITY, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from pytrees._core.base.types cimport NONE, UNDEFINED, UNLIMITED, float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS, STOPPED, YES, check_limits
from pytrees._core.minimal.problem import check_codes, distinct_samples, orders_of, preorder_arrays, ranks_of
from pytrees._core.minimal.sets cimport SetTable, add_bit, close_table, find_item, open_table, take_item, words_for
from pytrees._core.rows.features cimport threshold_between

cdef enum:
    EXACT = 3                       # splits: a tree of so few cannot be beaten, as one and two splits are always found
    MOST_WIDTH = 10                 # cuts that are tried

# The trees of the whole set that are made one after the other: level and width.
SCHEDULE = ((0, 1), (1, 5), (2, 5), (2, MOST_WIDTH))

# A tree: how many splits it has; its first split, between sample `below` on the left and sample `above`, which follows
# it in the feature's order; and the numbers of the trees of both sides. A tree's number is its position in the table.
# The trees without splits come first, one for every class.
cdef struct Planned:
    index_t n_splits, feature, below, above
    int64_t left, right

# The samples of a set, ascending in each feature: `n` samples in the order of feature 0, then the same in the order of
# feature 1, and so on.
cdef struct Samples:
    index_t* orders
    index_t n

# A cut of a feature: the first `end` samples of the feature's order go left. The lower the score, the better the cut.
cdef struct FeatureCut:
    float64_t score
    index_t feature, end


@cython.final
cdef class Rollouts:
    """Samples, and the trees of sets of samples."""

    cdef const index_t[::1] labels
    cdef const index_t[:, ::1] ranks
    cdef Py_ssize_t n_features, n_classes, n_words
    cdef SetTable table                 # of sets and their trees; a set's last word holds the level and the width
    cdef uint64_t[::1] key              # scratch: a set with its last word
    cdef int64_t[::1] left_counts       # scratch, by class: the samples left of the present cut
    cdef int64_t[::1] right_counts
    cdef char[::1] is_left              # scratch, by sample
    cdef int64_t n_steps                # since the last check of the clock
    cdef float64_t deadline
    cdef bint is_over                   # the time is over: trees that have been begun are ended greedily
    cdef object X

    def __cinit__(self, X, labels, ranks, Py_ssize_t n_classes, memory_limit, float64_t deadline):
        self.X, self.labels, self.ranks = X, labels, ranks
        self.n_features, self.n_classes, self.deadline = len(ranks), n_classes, deadline
        self.n_words = words_for(len(labels)) + 1
        open_table(&self.table, self.n_words, sizeof(Planned), memory_limit)
        self.left_counts, self.right_counts = np.zeros((2, n_classes), dtype=np.int64)
        self.key = np.zeros(self.n_words, dtype=np.uint64)
        self.is_left = np.zeros(len(labels), dtype=np.int8)

    def __dealloc__(self):
        close_table(&self.table)

    def first_split(self, number, rows):
        """Return the feature and threshold of a tree's first split, and the trees of both sides; None for a leaf."""
        tree = _tree_of(self, number)[0]
        if tree.n_splits == 0:
            return None
        threshold = threshold_between(self.X[tree.below, tree.feature], self.X[tree.above, tree.feature])
        return tree.feature, threshold, tree.left, tree.right


# --------------------------------------------------------------------------------------------------------- known trees

cdef inline Planned* _tree_of(Rollouts rollouts, int64_t number) noexcept nogil:
    return <Planned*> rollouts.table.items + number


cdef void _set_key(Rollouts rollouts, Samples samples, index_t level, index_t width) noexcept nogil:
    cdef index_t i
    memset(&rollouts.key[0], 0, rollouts.n_words * sizeof(uint64_t))
    for i in range(samples.n):
        add_bit(&rollouts.key[0], samples.orders[i])
    rollouts.key[rollouts.n_words - 1] = <uint64_t> (level << 16) + (width if level else 0)


cdef int64_t _find_known(Rollouts rollouts, Samples samples, index_t level, index_t width) noexcept nogil:
    """Return the number of a set's tree of a level; NONE if it is not known."""
    cdef const Planned* tree
    _set_key(rollouts, samples, level, width)
    tree = <const Planned*> find_item(&rollouts.table, &rollouts.key[0])
    return NONE if tree == NULL else tree - <const Planned*> rollouts.table.items


cdef int _add_tree(Rollouts rollouts, const Planned* tree) except -1 nogil:
    """Keep the tree of the key. Return STOPPED if the table is full: its trees are in use."""
    if rollouts.table.n_sets >= rollouts.table.largest_capacity:
        return STOPPED
    take_item(&rollouts.table, &rollouts.key[0], tree)
    return YES


cdef int _remember(
    Rollouts rollouts, Samples samples, index_t level, index_t width, const Planned* tree, int64_t* found
) except -1 nogil:
    _set_key(rollouts, samples, level, width)
    found[0] = rollouts.table.n_sets
    return _add_tree(rollouts, tree)


# ------------------------------------------------------------------------------------------------------ one set's cuts

cdef inline const index_t* _order_of(Samples samples, index_t feature) noexcept nogil:
    return samples.orders + <Py_ssize_t> feature * samples.n


cdef void _count_classes(Rollouts rollouts, Samples samples) noexcept nogil:
    """Count all samples on the right side of a cut."""
    cdef index_t i
    memset(&rollouts.left_counts[0], 0, rollouts.n_classes * sizeof(int64_t))
    memset(&rollouts.right_counts[0], 0, rollouts.n_classes * sizeof(int64_t))
    for i in range(samples.n):
        rollouts.right_counts[rollouts.labels[samples.orders[i]]] += 1


cdef inline float64_t _score(const int64_t* counts, int64_t n, Py_ssize_t n_classes) noexcept nogil:
    cdef float64_t total = 0
    cdef Py_ssize_t label
    for label in range(n_classes):
        total += sqrt(<float64_t> (counts[label] * (n - counts[label])))
    return total


cdef FeatureCut _best_cut(Rollouts rollouts, Samples samples, index_t feature) noexcept nogil:
    """Find the cut of a feature with the least score; its end is 0 if there is no cut."""
    cdef const index_t* order = _order_of(samples, feature)
    cdef const index_t* ranks = &rollouts.ranks[feature, 0]
    cdef FeatureCut best
    cdef float64_t score
    cdef index_t i, label
    best.score, best.feature, best.end = INFINITY, feature, 0
    _count_classes(rollouts, samples)
    for i in range(1, samples.n):
        label = rollouts.labels[order[i - 1]]
        rollouts.left_counts[label] += 1
        rollouts.right_counts[label] -= 1
        if ranks[order[i]] == ranks[order[i - 1]]:
            continue
        score = _score(&rollouts.left_counts[0], i, rollouts.n_classes)
        score += _score(&rollouts.right_counts[0], samples.n - i, rollouts.n_classes)
        if score < best.score:
            best.score, best.end = score, i
    return best


cdef index_t _pure_end(Rollouts rollouts, Samples samples, index_t feature, bint is_right) noexcept nogil:
    """Return the end of the feature's cut with the largest pure left side, or right side; 0 if there is none."""
    cdef const index_t* order = _order_of(samples, feature)
    cdef const index_t* ranks = &rollouts.ranks[feature, 0]
    cdef index_t i, row, other, last = samples.n - 1, first = order[last if is_right else 0], end = 0
    for i in range(1, samples.n):
        row, other = order[last - i if is_right else i], order[last - i + 1 if is_right else i - 1]
        if ranks[row] != ranks[other]:
            end = samples.n - i if is_right else i
        if rollouts.labels[row] != rollouts.labels[first]:
            break
    return end


cdef bint _is_stump(
    Rollouts rollouts, Samples samples, index_t by, index_t lowest, index_t highest, FeatureCut* found
) noexcept nogil:
    """Whether one split is enough for those samples whose ranks in the feature `by` are lowest..highest; find the first
    such cut."""
    cdef const index_t* order
    cdef const index_t* ranks
    cdef const index_t* of_set = &rollouts.ranks[by, 0]
    cdef index_t feature, i, row, previous, end, n_changes
    for feature in range(<index_t> rollouts.n_features):
        order, ranks = _order_of(samples, feature), &rollouts.ranks[feature, 0]
        previous = NONE
        n_changes = end = 0
        for i in range(samples.n):
            row = order[i]
            if of_set[row] < lowest or of_set[row] > highest:
                continue
            if previous != NONE and rollouts.labels[row] != rollouts.labels[previous]:
                n_changes += 1
                end = i
                if n_changes == 2 or ranks[row] == ranks[previous]:
                    n_changes = 2
                    break
            previous = row
        if n_changes == 1:
            found.feature, found.end = feature, end
            return True
    return False


cdef bint _take_few_splits(Rollouts rollouts, Samples samples, FeatureCut* found) noexcept nogil:
    """Whether one or two splits are enough; if so, write the first split."""
    cdef index_t feature, end, is_right, last
    cdef const index_t* order
    cdef const index_t* ranks
    cdef FeatureCut stump
    last = rollouts.ranks.shape[1]
    if _is_stump(rollouts, samples, 0, 0, last, found):
        return True
    for feature in range(<index_t> rollouts.n_features):
        order, ranks = _order_of(samples, feature), &rollouts.ranks[feature, 0]
        for is_right in range(2):
            end = _pure_end(rollouts, samples, feature, is_right)
            if end == 0:
                continue
            if _is_stump(
                rollouts, samples, feature, 0 if is_right else ranks[order[end]],
                ranks[order[end - 1]] if is_right else last, &stump,
            ):
                found.feature, found.end = feature, end
                return True
    return False


cdef int _divide(Rollouts rollouts, Samples samples, FeatureCut cut, Samples* left, Samples* right) except -1 nogil:
    """Allocate and write both sides of a cut; both are freed as `left.orders`."""
    cdef index_t i, row
    cdef index_t* next_left
    cdef index_t* next_right
    cdef const index_t* order = _order_of(samples, cut.feature)
    cdef Py_ssize_t position, size = rollouts.n_features * samples.n
    left.n, right.n = cut.end, samples.n - cut.end
    left.orders = <index_t*> malloc(size * sizeof(index_t))
    if left.orders == NULL:
        with gil:
            raise MemoryError(f"no memory for {samples.n} samples")
    right.orders = left.orders + rollouts.n_features * left.n
    for i in range(samples.n):
        rollouts.is_left[order[i]] = i < cut.end
    next_left, next_right = left.orders, right.orders
    for position in range(size):
        row = samples.orders[position]
        if rollouts.is_left[row]:
            next_left[0] = row
            next_left += 1
        else:
            next_right[0] = row
            next_right += 1


# --------------------------------------------------------------------------------------------------------------- trees

cdef int _tree(
    Rollouts rollouts, Samples samples, index_t depth, index_t level, index_t width, int64_t* found
) except -1 nogil:
    """Find the number of a set's tree of a level."""
    cdef index_t i, label = rollouts.labels[samples.orders[0]]
    for i in range(1, samples.n):
        if rollouts.labels[samples.orders[i]] != label:
            break
    else:
        found[0] = label
        return YES
    if rollouts.is_over:
        level = 0
    found[0] = _find_known(rollouts, samples, level, width)
    if found[0] != NONE:
        return YES
    if depth == MOST_LEVELS:
        return STOPPED
    if check_limits(&rollouts.n_steps, samples.n * rollouts.n_features, rollouts.deadline) == STOPPED:
        rollouts.is_over = True
    if level > 0:
        return _roll_out(rollouts, samples, depth, level, width, found)
    return _grow_greedily(rollouts, samples, depth, found)


cdef int _with_sides(
    Rollouts rollouts, Samples samples, FeatureCut cut, index_t depth, index_t level, index_t width, Planned* tree
) except -1 nogil:
    """Find the tree whose first split is a cut, with trees of a level on both sides."""
    cdef const index_t* order = _order_of(samples, cut.feature)
    cdef Samples left, right
    cdef int answer
    tree.feature, tree.below, tree.above = cut.feature, order[cut.end - 1], order[cut.end]
    _divide(rollouts, samples, cut, &left, &right)
    try:
        answer = _tree(rollouts, left, depth + 1, level, width, &tree.left)
        if answer == YES:
            answer = _tree(rollouts, right, depth + 1, level, width, &tree.right)
    finally:
        free(left.orders)
    if answer == YES:
        tree.n_splits = 1 + _tree_of(rollouts, tree.left).n_splits + _tree_of(rollouts, tree.right).n_splits
    return answer


cdef index_t _best_cuts(Rollouts rollouts, Samples samples, index_t most, FeatureCut* cuts) noexcept nogil:
    """List the best cut of every feature, the best one first, up to `most`, and return their number. There is memory
    for one cut more."""
    cdef FeatureCut cut
    cdef index_t feature, position, n_cuts = 0
    # Invariant: cuts[:n_cuts] are the best of the features so far, ascending by score.
    for feature in range(<index_t> rollouts.n_features):
        cut = _best_cut(rollouts, samples, feature)
        if cut.end == 0:
            continue
        position = n_cuts
        while position > 0 and cuts[position - 1].score > cut.score:
            cuts[position] = cuts[position - 1]
            position -= 1
        cuts[position] = cut
        n_cuts = min(n_cuts + 1, most)
    return n_cuts


cdef int _grow_greedily(Rollouts rollouts, Samples samples, index_t depth, int64_t* found) except -1 nogil:
    """Find the tree of level 0 of a set with several classes."""
    cdef Planned tree
    cdef FeatureCut cuts[2]
    if not _take_few_splits(rollouts, samples, &cuts[0]):
        _best_cuts(rollouts, samples, 1, cuts)
    if _with_sides(rollouts, samples, cuts[0], depth, 0, 0, &tree) == STOPPED:
        return STOPPED
    return _remember(rollouts, samples, 0, 0, &tree, found)


cdef int _roll_out(
    Rollouts rollouts, Samples samples, index_t depth, index_t level, index_t width, int64_t* found
) except -1 nogil:
    """Find the tree of a level above 0 of a set with several classes. Once the time is over, it is the tree of a lower
    level."""
    cdef Planned tree, best_tree
    cdef FeatureCut cuts[MOST_WIDTH + 1]
    cdef index_t i, best = 0, least = UNLIMITED
    cdef int answer = _tree(rollouts, samples, depth, level - 1, width, found)
    if answer == STOPPED or rollouts.is_over:
        return answer
    best_tree = _tree_of(rollouts, found[0])[0]
    if best_tree.n_splits <= EXACT:
        return _remember(rollouts, samples, level, width, &best_tree, found)
    for i in range(_best_cuts(rollouts, samples, width, cuts)):
        if _with_sides(rollouts, samples, cuts[i], depth, level - 1, width, &tree) == STOPPED:
            return STOPPED
        if tree.n_splits < least:
            least, best = tree.n_splits, i
    if _with_sides(rollouts, samples, cuts[best], depth, level, width, &tree) == STOPPED:
        return STOPPED
    if tree.n_splits < best_tree.n_splits:
        best_tree = tree
    return _remember(rollouts, samples, level, width, &best_tree, found)


# --------------------------------------------------------------------------------------------------------- from Python

def small_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, Py_ssize_t n_classes, *, time_limit=None, memory_limit=2**30
):
    """Make trees of growing level and width, and take the first of the smallest ones.

    `time_limit` is in seconds, None being no limit; `memory_limit` is in bytes of the table of trees. Once the time is
    over, trees that have been begun are ended greedily.

    Returns
    -------
    arrays : dict or None
        The tree's arrays; None if the limits leave none.
    """
    start = time.monotonic()
    check_codes(X, y, n_classes)
    values, labels = np.asarray(X) + 0.0, np.asarray(y)
    deadline = INFINITY if time_limit is None else start + time_limit
    ranks = ranks_of(values)
    distinct_samples(ranks, labels)
    cdef Rollouts rollouts = Rollouts(values, y, ranks, n_classes, memory_limit, deadline)
    cdef index_t[:, ::1] orders = orders_of(ranks)
    cdef Samples samples
    cdef Planned leaf
    cdef int64_t found = NONE, best = NONE
    cdef index_t level, width
    cdef int answer = YES
    samples.orders, samples.n = &orders[0, 0], <index_t> len(values)
    leaf.n_splits, leaf.feature, leaf.below, leaf.above, leaf.left, leaf.right = 0, UNDEFINED, NONE, NONE, NONE, NONE
    for label in range(n_classes):
        # The key of a leaf is the empty set with its class in the place of the level, above all levels.
        rollouts.key[rollouts.n_words - 1] = (1 << 62) + label
        if _add_tree(rollouts, &leaf) == STOPPED:
            return None
    for level, width in SCHEDULE:
        if answer == STOPPED or rollouts.is_over or time.monotonic() >= deadline:
            break
        with nogil:
            answer = _tree(rollouts, samples, 0, level, width, &found)
        if answer == YES and (best == NONE or _tree_of(rollouts, found).n_splits < _tree_of(rollouts, best).n_splits):
            best = found
    return None if best == NONE else preorder_arrays(values, labels, n_classes, best, rollouts.first_split)
