"""The search for the best split of a node: its state, its samples, and the features that it draws."""

cimport cython

from pytrees._core.base.sorting cimport Entry, key_of
from pytrees._core.base.types cimport (
    MISSING_LEFT, MISSING_RIGHT, UNLIMITED, float64_t, index_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t,
)
from pytrees._core.criteria.categories cimport CategoryCounts
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.criteria.user cimport CutTable, SequenceCriterion
from pytrees._core.rows.histogram cimport Histograms, Slot
from pytrees._core.rows.node_bins cimport NodeBins
from pytrees._core.rows.partition cimport Block, RowPartition, count_missing
from pytrees._core.sequence.scanner cimport SequenceScanner
from pytrees._core.split.feature_orders cimport NodeOrders


cdef enum Judging:
    # What a criterion judges, the engine's own and the user's.
    CLASS_COUNTS
    SEQUENCES
    OWN_CLASS_COUNTS
    OWN_SEQUENCES


cdef struct NodeRows:
    index_t start, stop     # of the partition's rows
    bint in_block           # with sorted features, otherwise with counts of bins
    Block block
    index_t first_of_1      # of two classes, where the places are in their order: the first place of the second class
    Slot* slot


cdef struct Split:
    index_t feature     # NONE where no split is allowed
    index_t n_children  # two of a cut; of a categorical feature one for every category, or for two sets of them
    index_t division    # of such sets: which ones, see CategoryCounts; otherwise NONE
    bint is_large       # of such a feature: the gain is a fraction of more than 128 bits, see ChildCounts
    # Of a cut:
    index_t n_left      # samples that go left
    index_t n_missing, n_missing_left   # samples that lack the feature's value, and those of them that go left
    index_t last_left, first_right      # inside a block: places on both sides of the cut, the latter perhaps missing
    index_t bin                         # outside: the bin that the cut ends or lies in
    float64_t threshold
    Gain gain


cdef struct Ends:
    # The fewest samples that a cut of a feature leaves on its left and on its right.
    index_t left, right


cdef struct KnownEnds:
    # The fewest and the most known values that a cut of a feature sends left, with missing ones on the right
    # (MISSING_RIGHT) and with them on the left. Without missing values there is the first way alone.
    index_t[2] fewest, most


cdef struct Cuts:
    # Of the thresholds of a feature at which a cut is allowed, those to try: all, or `n_tried` evenly spaced ones.
    index_t n_allowed, n_tried
    index_t n_seen, n_taken


@cython.final
cdef class CutScores:
    """Scratch of the search in a block where the scores of all cuts are computed in single precision."""

    cdef float[::1] left_factors, right_factors     # by samples on the left, less one: see block_lanes.h
    cdef float[::1] best_of_feature                 # by place among the features looked at
    cdef uint64_t[::1] steps                        # by class
    cdef uint32_t[::1] found                        # the cuts of a feature that could be the best
    cdef uint64_t[::1] squares_of_found


@cython.final
cdef class Scanner:
    cdef RowPartition partition
    cdef Histograms histograms                  # None where all nodes are in blocks
    cdef NodeBins node_bins                     # None but where ranked features are cut into bins of the node
    cdef CutScores scores                       # None where cuts are looked at one by one
    # Whether thresholds are left to the end, when their values need not be waited for one by one.
    cdef bint defers_thresholds
    cdef Judging judging
    cdef const index_t[::1] labels
    cdef const int64_t[::1] count_weights       # empty where every sample counts once
    cdef const float64_t[::1] float_weights     # not empty: weights that are not whole numbers
    cdef index_t min_samples_leaf, max_candidates, max_features
    cdef float64_t min_leaf_weight              # of every child, in a block; 0 is no limit
    cdef ClassCounts counts
    cdef bint is_counted                        # whether these are already those of the node that is searched
    cdef SequenceScanner sequences              # None but for sequences
    cdef NodeOrders orders                      # what the search in sequences asks for; None but for sequences
    cdef CutTable table                         # None but for a user's criterion on counts
    cdef SequenceCriterion user_sequence        # None but for a user's criterion on sequences
    cdef const int64_t[::1] row_ids             # by row, where the user's X has other numbers for them; or empty
    cdef int64_t[::1] node_row_ids              # scratch: in the order of the rows
    # Scratch: of a feature's cuts the numbers of samples on the left, and gains; by where missing values go.
    cdef index_t[:, ::1] user_cuts
    cdef float64_t[:, ::1] user_gains

    # By place in the block: classes as the entries' width has them, and weights.
    cdef uint16_t[::1] narrow_labels
    cdef index_t[::1] wide_labels
    cdef int64_t[::1] place_counts
    cdef float64_t[::1] place_weights

    # The features to look at, ascending: numeric ones, and categorical ones.
    cdef index_t[::1] drawn, drawn_categories
    cdef uint64_t[::1] drawn_bits       # scratch: a bit for every feature
    cdef index_t[::1] urn               # scratch: all features, ascending between draws
    cdef index_t[::1] places            # scratch: from where in the urn each that is drawn comes
    cdef index_t n_drawn, n_drawn_categories
    cdef ChildCounts children           # None where all features are numeric
    cdef CategoryCounts categories      # None unless these are divided into two sets


cdef inline index_t first_place(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Return where the places of the node's block begin in arrays by place."""
    return node.block.start if scanner.partition.keeps_blocks else 0


cdef inline index_t label_of_place(Scanner scanner, index_t place, const Entry* width) noexcept nogil:
    """Return the class at a place, which arrays by place count, where entries have the width of `width`."""
    if Entry is uint32_t:
        return scanner.narrow_labels[place]
    else:
        return scanner.wide_labels[place]


# Which cuts of a feature are tried: all that are allowed, or so many evenly spaced ones.

cdef inline Ends ends_by_samples(Scanner scanner) noexcept nogil:
    cdef Ends ends
    ends.left = scanner.min_samples_leaf
    ends.right = scanner.min_samples_leaf
    return ends


cdef inline Ends ends_of_cuts(Scanner scanner, const NodeRows* node, const Entry* entries) noexcept nogil:
    """Return how many samples a cut of the sorted entries leaves on its sides at least, so that there are enough of
    them, and that they weigh enough. The classes of the node are counted."""
    cdef Ends ends = ends_by_samples(scanner)
    if scanner.min_leaf_weight > 0.0:
        weigh_ends(scanner, node, entries, &ends)
    return ends


cdef inline bint entries_have_cut(const Entry* entries, index_t n, Ends ends) noexcept nogil:
    """Whether a cut is allowed: one between different neighbouring values that leaves enough samples on both sides."""
    return (
        <int64_t> ends.left + ends.right <= n
        and key_of(entries[ends.left - 1]) != key_of(entries[n - ends.right])
    )


cdef inline Cuts cuts_to_try(const Entry* entries, index_t n, Ends ends, index_t max_candidates) noexcept nogil:
    cdef index_t i
    cdef Cuts cuts
    cuts.n_allowed = 0
    cuts.n_seen = 0
    cuts.n_taken = 0
    if max_candidates < UNLIMITED:
        for i in range(ends.left - 1, n - ends.right):
            cuts.n_allowed += key_of(entries[i]) != key_of(entries[i + 1])
    cuts.n_tried = min(cuts.n_allowed, max_candidates)
    return cuts


cdef inline bint is_tried(Cuts* cuts) noexcept nogil:
    """Whether to try the next allowed cut: all, or number (2k + 1) n_allowed // (2 n_tried) for k = 0..n_tried-1."""
    cdef int64_t target
    cdef bint tried
    if cuts.n_tried == cuts.n_allowed:
        return True
    target = (2 * <int64_t> cuts.n_taken + 1) * cuts.n_allowed // (2 * <int64_t> cuts.n_tried)
    tried = cuts.n_seen == target
    cuts.n_seen += 1
    cuts.n_taken += tried
    return tried


cdef inline bint allows(const KnownEnds* ends, int missing, index_t n_known_left) noexcept nogil:
    return ends.fewest[missing] <= n_known_left <= ends.most[missing]


cdef inline bint has_way(const KnownEnds* ends, index_t n_known_left) noexcept nogil:
    """Whether the cut behind so many known values is allowed on one way at least."""
    return allows(ends, MISSING_RIGHT, n_known_left) or allows(ends, MISSING_LEFT, n_known_left)


cdef inline index_t last_cut(const KnownEnds* ends) noexcept nogil:
    """Return behind how many known values the last cut can stand."""
    return max(ends.most[MISSING_RIGHT], ends.most[MISSING_LEFT])


cdef inline Cuts known_cuts_to_try(const Entry* entries, const KnownEnds* ends, index_t max_candidates) noexcept nogil:
    cdef index_t i
    cdef Cuts cuts
    cuts.n_allowed = 0
    cuts.n_seen = 0
    cuts.n_taken = 0
    if max_candidates < UNLIMITED:
        for i in range(1, last_cut(ends) + 1):
            cuts.n_allowed += key_of(entries[i - 1]) != key_of(entries[i]) and has_way(ends, i)
    cuts.n_tried = min(cuts.n_allowed, max_candidates)
    return cuts


cdef inline index_t missing_of(
    Scanner scanner, const NodeRows* node, index_t feature, const Entry* entries
) noexcept nogil:
    """Return how many of the node's sorted entries, which are in a block, lack the value: the last ones."""
    if not scanner.partition.features.has_missing:
        return 0
    return count_missing(scanner.partition, node.block, feature, entries, node.stop - node.start)


cdef KnownEnds known_ends(
    Scanner scanner, const NodeRows* node, const Entry* entries, index_t n_missing
) noexcept nogil
cdef void tally_missing(
    Scanner scanner, const NodeRows* node, const Entry* entries, index_t n_missing
) noexcept nogil
cdef void tally_missing_bin(ClassCounts counts, const int32_t* missing) noexcept nogil
cdef void weigh_ends(Scanner scanner, const NodeRows* node, const Entry* entries, Ends* ends) noexcept nogil
cdef void start_block(Scanner scanner, NodeRows* node) noexcept nogil
cdef void share_block(Scanner scanner, Scanner other)
cdef index_t row_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil
cdef index_t label_at(Scanner scanner, const NodeRows* node, index_t i) noexcept nogil
cdef bint is_pure(Scanner scanner, const NodeRows* node) noexcept nogil
cdef void count_classes(Scanner scanner, const NodeRows* node, float64_t* value) noexcept nogil
cdef void count_node(Scanner scanner, const NodeRows* node) noexcept nogil
cdef float64_t weight_of_node(Scanner scanner) noexcept nogil
cdef float64_t threshold_of(Scanner scanner, const NodeRows* node, const Split* split) noexcept nogil
cdef void take_cut(
    Scanner scanner, const NodeRows* node, index_t feature, index_t n_known_left, bint missing_left, Split* best,
    const Entry* width
) noexcept nogil
cdef uint64_t mix64(uint64_t state) noexcept nogil
cdef void draw_features(Scanner scanner, const NodeRows* node, uint64_t random_state) noexcept nogil
