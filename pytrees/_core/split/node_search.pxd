"""The search for the best split of a node: its state, its samples, and the features that it draws."""

cimport cython

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport float64_t, index_t, int8_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.categories cimport CategoryCounts
from pytrees._core.criteria.category_errors cimport CategoryErrors
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.codes cimport Judging
from pytrees._core.criteria.counts cimport ClassCounts, TargetSums
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.target_units cimport TargetUnits
from pytrees._core.criteria.user cimport CutTable, SequenceCriterion
from pytrees._core.rows.partition cimport Block, RowPartition
from pytrees._core.sequence.scanner cimport SequenceScanner
from pytrees._core.split.allowed_cuts cimport Limits
from pytrees._core.split.feature_orders cimport NodeOrders
from pytrees._core.split.monotonic cimport NodeValue, ValueBounds


cdef struct NodeRows:
    index_t start, stop     # of the partition's rows
    bint in_block           # with sorted features, otherwise with counts of bins
    Block block
    index_t first_of_1      # if two classes are in order: the first place of the second class
    void* slot          # what an accelerator knows of a node that is in no block; or NULL


cdef struct Split:
    index_t feature     # NONE if no split is allowed
    index_t n_children  # two for a cut or two sets of categories; otherwise one for every category
    index_t division    # two sets of categories: which ones, see CategoryCounts; otherwise NONE
    bint is_large       # categorical feature: the gain is a fraction of more than 128 bits, see ChildCounts
    # For a cut:
    bint knows_left     # whether `left_counts` are the class counts of the left child, of two classes
    int64_t[2] left_counts
    index_t n_left      # samples that go left
    index_t n_missing, n_missing_left   # samples that lack the feature's value: all of them, and how many go left
    # Inside a block: places on both sides of the cut, the latter perhaps missing; outside: rows.
    index_t last_left, first_right
    index_t bin                         # outside a block: the bin that the cut ends or lies in
    float64_t threshold
    Gain gain


cdef class NodeSearch


cdef class Accelerator:
    """A tree asks its accelerator before it takes the plain way. This class answers no to everything: it is the plain
    engine's. `fast/engine.pyx` has the other one, which finds the same cuts and children."""

    # Write the best cut of a node whose classes are counted, and return 1; best.feature is NONE if no cut is allowed.
    # 0: the plain engine searches the node, whose entries must be sorted; `has_bins` was false.
    cdef int find_cut(self, NodeSearch search, const NodeRows* node, Split* best) except -1 nogil

    # Whether a node in no block can be searched unsorted; the limit on depth allows `n_levels` levels below it.
    cdef bint has_bins(self, const NodeRows* node, index_t n_levels) noexcept nogil
    # Count the bins of such a node before it is searched; if features are drawn, of each drawn feature. Then the second
    # one also returns `can_cut`, or else whether the limit on numbers of samples allows a cut of the feature.
    cdef int count_bins(self, NodeSearch search, NodeRows* node) except -1 nogil
    cdef bint count_drawn(self, NodeSearch search, const NodeRows* node, index_t feature, bint can_cut) except -1 nogil
    # Mark the rows that the node's cut sends to the left.
    cdef void mark_left(self, const NodeRows* node, const Split* split) noexcept nogil
    # Hand the counts of a node to its children after a cut; the smaller child may need none. Or drop them.
    cdef int hand_down(
        self, NodeSearch search, const NodeRows* node, NodeRows* smaller, NodeRows* greater, bint has_smaller
    ) except -1 nogil
    cdef void drop(self, const NodeRows* node) noexcept nogil

    # Whether the accelerator divides the rows of all cuts itself: `divide` returns the class counts of the left child.
    cdef bint divides_rows
    cdef int64_t* divide(self, const NodeRows* node, const Split* split) noexcept nogil
    # A node's rows have come into another order, or its block has been sorted.
    cdef void take_rows(self, const NodeRows* node) noexcept nogil
    cdef void take_block(self, NodeSearch search, const NodeRows* node) noexcept nogil


@cython.final
cdef class NodeSearch:
    cdef RowPartition partition
    cdef Accelerator accelerator
    cdef bint skips_boxes                       # runs of samples of two classes without a better cut
    cdef bint has_class_order                   # the places of a block are in the order of its two classes
    cdef Judging judging
    cdef const index_t[::1] labels
    cdef const int64_t[::1] count_weights       # empty if every sample counts once
    cdef Limits limits
    cdef index_t max_features
    cdef const int8_t[::1] directions           # by feature; empty without monotonic constraints
    cdef ValueBounds bounds                     # if there are some: of the searched node
    cdef uint8_t[:, ::1] keeps_order            # scratch: see AllowedCuts
    cdef ClassCounts counts
    cdef bint is_counted                        # whether these are already the counts of the searched node
    cdef const NodeRows* node                   # the node that is searched for cuts
    cdef Split* best                            # its best split so far
    cdef SequenceScanner sequences              # None unless label sequences are judged; so is `orders`
    cdef NodeOrders orders
    cdef CutTable table                         # None unless a user's criterion judges counts or sums of targets
    cdef TargetUnits units                      # None unless it judges sums of targets
    cdef SequenceCriterion user_sequence        # None unless a user's criterion judges sequences
    cdef const int64_t[::1] row_ids             # by row, if the user's X has other numbers for them; or empty
    cdef int64_t[::1] node_row_ids              # scratch: in the order of the rows
    # Scratch of a feature's cuts: the numbers of samples on the left, and gains; by the side of missing values.
    cdef index_t[:, ::1] user_cuts
    cdef float64_t[:, ::1] user_gains

    # By place in the block: classes as the entries' width has them, weights, and targets if classes are numbers, which
    # may be more than narrow classes.
    cdef uint16_t[::1] narrow_labels
    cdef index_t[::1] wide_labels
    cdef int64_t[::1] place_counts
    cdef int64_t[::1] place_targets

    # The features to look at, ascending: numeric ones, and categorical ones.
    cdef index_t[::1] drawn, drawn_categories
    cdef uint64_t[::1] drawn_bits       # scratch: a bit for every feature
    cdef index_t[::1] urn               # scratch: all features, ascending between draws
    cdef index_t[::1] origins           # scratch: the position in the urn of each drawn feature
    cdef index_t n_drawn, n_drawn_categories
    cdef ChildCounts children           # None if all features are numeric
    cdef CategoryCounts categories      # None unless categories are divided into two sets
    cdef CategoryErrors category_errors     # None unless categories are judged by distances to medians


cdef inline index_t first_place(NodeSearch search, const NodeRows* node) noexcept nogil:
    """Return the first index of the node's block in arrays by place."""
    return node.block.start if search.partition.keeps_blocks else 0


cdef inline index_t label_of_place(NodeSearch search, index_t place, const Entry* width) noexcept nogil:
    """Return the class at an index of arrays by place; `width` points to entries of the block's width."""
    if Entry is uint32_t:
        return search.narrow_labels[place]
    else:
        return search.wide_labels[place]


cdef inline int64_t weight_of_place(NodeSearch search, index_t place) noexcept nogil:
    """Return the weight of a sample at an index of arrays by place."""
    return search.place_counts[place] if search.count_weights.shape[0] > 0 else 1


cdef inline int direction_of(NodeSearch search, index_t feature) noexcept nogil:
    """Return the direction of a feature's monotonic constraint, 0 for none."""
    return search.directions[feature] if search.directions.shape[0] > 0 else 0


cdef NodeValue value_of_counted(NodeSearch search) noexcept nogil
cdef NodeValue value_of_missing(NodeSearch search) noexcept nogil
cdef NodeValue value_of_samples(NodeSearch search, const NodeRows* node) noexcept nogil
cdef void tally_missing(NodeSearch search, const NodeRows* node, const Entry* entries, index_t n_missing) noexcept nogil
cdef void list_missing(ClassCounts counts) noexcept nogil
cdef int start_block(NodeSearch search, NodeRows* node) except -1 nogil
cdef void share_block(NodeSearch search, NodeSearch other)
cdef index_t row_at(NodeSearch search, const NodeRows* node, index_t i) noexcept nogil
cdef index_t label_at(NodeSearch search, const NodeRows* node, index_t i) noexcept nogil
cdef bint is_pure(NodeSearch search, const NodeRows* node) noexcept nogil
cdef void count_classes(NodeSearch search, const NodeRows* node, float64_t* value) noexcept nogil
cdef void count_node(NodeSearch search, const NodeRows* node) noexcept nogil
cdef void sum_targets(NodeSearch search, const NodeRows* node, TargetSums* sums) noexcept nogil
cdef int64_t weight_of_node(NodeSearch search) noexcept nogil
cdef float64_t threshold_of(NodeSearch search, const NodeRows* node, const Split* split) noexcept nogil
cdef void write_cut(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* entries, index_t n_missing,
    index_t n_known_left, bint missing_left, Split* best
) noexcept nogil
cdef uint64_t mix64(uint64_t state) noexcept nogil
cdef int draw_features(NodeSearch search, const NodeRows* node, uint64_t random_state) except -1 nogil
