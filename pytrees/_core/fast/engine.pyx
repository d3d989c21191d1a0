"""The accelerators of one tree. They find the cuts and divide the rows as the plain engine does, in less time.

Everything that decides about accelerators is here: `FastFeatures` for what trees share, `FastEngine` for one tree, and
`way.pxd` for a node.
"""

import numpy as np

cimport cython

from pytrees._core.base.sizes cimport (
    BLOCK_ROWS, BLOCK_ROWS_OF_FEW_VALUES, BLOCK_ROWS_OF_FEW_VALUES_AND_NUMBERS, BLOCK_ROWS_OF_NUMBERS,
    BLOCK_ROWS_PER_CLASS, BLOCK_ROWS_PER_LEAF, FEW_VALUES, FEWEST_FEATURES_PER_OTHER, MOST_CLASSES_IN_BINS, MOST_IN_FEW,
    MOST_NUMBERS_WITHOUT_BINS, MOST_ROWS_IN_BINS, MOST_ROWS_WITHOUT_BINS, MOST_WEIGHT_IN_NODE_BINS,
)
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int32_t, int64_t
from pytrees._core.criteria.counts cimport are_numbers
from pytrees._core.criteria.table cimport CountScan, start_scan, write_left_of_best
from pytrees._core.criteria.wide cimport BoxedScan
from pytrees._core.fast.bin_cuts cimport find_bin_cut
from pytrees._core.fast.bounds cimport BinnedScan, FewScan, ScoredScan
from pytrees._core.fast.entry_scores cimport word_of_sample
from pytrees._core.fast.few_cuts cimport find_few_cut
from pytrees._core.fast.histogram cimport (
    Bins, Histograms, Slot, count_missing_by_bin, count_rows, feature_counts, give_back, mark_by_bins,
    may_be_whole_numbers, n_classes_of, rows_in_bin, subtract, take_slot,
)
from pytrees._core.fast.node_bins cimport NodeBins, split_and_count, take_features, take_packed
from pytrees._core.fast.scored_cuts cimport find_scored_cut
from pytrees._core.fast.state cimport EntryArrays, FastState
from pytrees._core.fast.way cimport BINS_OF_NODE, BINS_OF_TABLE, FEW_SAMPLES, SORTED_ENTRIES, Way, way_of
from pytrees._core.rows.features cimport Features, sort_by_value
from pytrees._core.rows.partition cimport RowPartition, block_row, missing_has_cut, sort_few
from pytrees._core.split.allowed_cuts cimport counts_samples_alone
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, NodeSearch as Task, Split, first_place
from pytrees._core.split.plan cimport Plan

from pytrees._core.criteria.counts import given_of
from pytrees._core.criteria.table import is_wide
from pytrees._core.fast.bounds import (
    has_bounds, has_sums_in_bins, has_wide_bounds, scores_cuts, scores_forms, scores_logarithms,
)


# ------------------------------------------------------------------------------------------------ what trees share

@cython.final
cdef class FastFeatures:
    """The part that trees share: how their nodes may be searched, and bins of the table."""

    cdef Bins bins                      # None if all nodes are in blocks
    cdef readonly Py_ssize_t block_rows     # nodes of more samples use bins of the table
    cdef index_t rows_per_leaf          # nodes of more samples for every leaf below them use them too; 0: no such rule
    cdef bint uses_node_bins            # instead of bins of the table

    def __init__(
        self, Features features, bint ranks, n_classes, criterion, bint is_narrow, max_candidates, block_rows,
        max_bins, bint limits_cuts, n_threads,
    ):
        """Rank the features if the trees want ranks, and cut them into bins if some nodes use them."""
        n_rows, has_numbers = features.n_rows, has_sums_in_bins(criterion)
        allows_bins = (
            (has_numbers or has_bounds(criterion, n_classes) and n_classes <= MOST_CLASSES_IN_BINS)
            and not (has_numbers and np.any(features.n_categories))
            and (is_narrow and not is_wide(criterion, n_classes, n_rows, None) or has_wide_bounds(criterion, n_classes))
            and max_candidates == UNLIMITED
            and n_rows <= MOST_ROWS_IN_BINS
        )
        self.uses_node_bins = ranks and allows_bins and is_narrow and not (has_numbers or features.has_missing)
        if ranks:
            features.rank(self.uses_node_bins and not limits_cuts)
        if not allows_bins or ranks and (has_numbers or not is_narrow or self.uses_node_bins):
            self.block_rows = n_rows
        elif block_rows is None:
            self.block_rows = _block_rows(features, n_classes, has_numbers)
            self.rows_per_leaf = BLOCK_ROWS_PER_LEAF if has_numbers else 0
        else:
            self.block_rows = block_rows
        if self.block_rows < n_rows:
            self.bins = Bins(features, max_bins, n_threads)

    def rows_in_blocks(self, Plan plan, n_rows):
        """Return the most rows of a block in a tree of `n_rows` rows."""
        can_use_bins = self.bins is not None and counts_samples_alone(&plan.limits)
        can_use_bins = can_use_bins and (plan.is_narrow or has_wide_bounds(plan.criterion, plan.n_classes))
        return min(self.block_rows, n_rows) if can_use_bins else n_rows


cdef Py_ssize_t _block_rows(Features features, Py_ssize_t n_classes, bint has_numbers) except -1:
    """Return how many rows of a subtree are sorted and not cut into bins."""
    cdef index_t feature, n_others = 0
    for feature in range(<index_t> features.n_features):
        n_others += not may_be_whole_numbers(features, feature, FEW_VALUES)
    if FEWEST_FEATURES_PER_OTHER * n_others <= features.n_features and n_others < features.n_features:
        return BLOCK_ROWS_OF_FEW_VALUES_AND_NUMBERS if has_numbers else BLOCK_ROWS_OF_FEW_VALUES * n_classes
    if features.n_rows <= (MOST_NUMBERS_WITHOUT_BINS if has_numbers else MOST_ROWS_WITHOUT_BINS):
        return features.n_rows
    if has_numbers:
        return BLOCK_ROWS_OF_NUMBERS
    return max(BLOCK_ROWS, BLOCK_ROWS_PER_CLASS * n_classes)


# --------------------------------------------------------------------------------------------------------- one tree

@cython.final
cdef class FastEngine(FastState):
    prepare = FastFeatures

    def __init__(self, NodeSearch search, FastFeatures features, Plan plan, weights, FastEngine beside, shares_block):
        """`beside` is another thread's engine, whose counts and, with `shares_block`, whose block are reused."""
        cdef RowPartition partition = search.partition
        self.partition = partition
        self.scores, self.rises = np.empty((2, partition.n_features))
        self.place_words = np.empty(0, dtype=np.int32)
        self.block_rows = <index_t> plan.block_rows
        if plan.block_rows < partition.n_rows:
            self.rows_per_leaf = features.rows_per_leaf
            self.histograms = Histograms(
                partition, features.bins, search.labels, weights, plan.n_classes,
                None if beside is None else beside.histograms,
                given_of(plan.criterion).get("targets", () if plan.is_narrow else (0, 1)), plan.total_weight,
            )
            search.counts.square_unit = 4.0**self.histograms.square_shift
        if not search.directions.shape[0] > 0:
            self._score(search, plan, weights, beside if shares_block else None)
        if (
            features.uses_node_bins and not search.counts.is_wide and counts_samples_alone(&plan.limits)
            and search.directions.shape[0] == 0 and plan.total_weight <= MOST_WEIGHT_IN_NODE_BINS
        ):
            self.node_bins = NodeBins(partition, search.labels, weights, search.counts.n_classes)
            self.divides_rows = True
            # Best-first growth needs thresholds, to separate nearly equal gains.
            self.defers_thresholds = not plan.is_best_first
        if self.entry_scores is not None and are_numbers(search.counts):
            self.defers_thresholds = not plan.is_best_first
            if plan.limits.min_samples_leaf == 1 and not partition.features.has_missing:
                self._pair_few(search, partition, beside if shares_block else None)

    def _score(self, NodeSearch search, Plan plan, weights, FastEngine beside):
        """Make room for scores of sorted entries, if the criterion has them. Scores choose cuts without asking whether
        a limit allows them."""
        cdef RowPartition partition = search.partition
        cdef bint has_numbers = are_numbers(search.counts)
        if (
            not scores_cuts(plan.criterion, plan.n_classes, weights) or search.counts.has_wide_sums
            or search.counts.is_wide or not counts_samples_alone(&plan.limits) or partition.is_wide
            or partition.is_ranked
        ):
            return
        most_rows = partition.spare_narrow.shape[0]
        self.entry_scores = EntryArrays(
            most_rows, plan.n_classes, has_numbers, weights is not None, partition.features.has_missing
        )
        if scores_logarithms(plan.criterion):
            self.entry_scores.take_logs(search.counts.table, most_rows, plan.n_classes)
        if scores_forms(plan.criterion, plan.n_classes):
            self.entry_scores.take_forms()
        if weights is not None and not has_numbers:
            # A word of the class and the weight of every place, for scores of two classes.
            self.entry_scores.take_words()
            self.place_words = np.zeros(search.place_counts.shape[0] if beside is None else 0, dtype=np.int32)
            if beside is not None:
                self.place_words = beside.place_words
        search.has_class_order = plan.n_classes == 2 and not has_numbers and weights is None
        if has_numbers or self.place_words.shape[0] > 0:
            # Vectors read places behind the entries of a node, which have to be places.
            partition.narrow[:] = 0

    def _pair_few(self, NodeSearch search, RowPartition partition, FastEngine beside):
        """Let nodes of few samples, whose classes are numbers, compare the ranks of all pairs. They have no sorted
        entries: the partition keeps ranks. With `beside`, the block of that tree is shared."""
        if search.n_drawn_categories > 0:
            return
        partition.keep_ranks(None if beside is None else beside.partition)
        self.pairs_few = True
        self.entry_scores.scores_of_few = np.empty(MOST_IN_FEW * partition.rank_stride, dtype=np.float32)
        # Padding after the last feature belongs to none.
        is_drawn = np.zeros(partition.rank_stride, dtype=np.int16)
        is_drawn[:partition.n_features] = -1
        self.entry_scores.is_drawn = is_drawn
        self.entry_scores.found_features = np.empty(partition.rank_stride, dtype=np.int32)

    # ------------------------------------------------------------------------------------------ bins of the table

    cdef bint has_bins(self, const NodeRows* node, index_t n_levels) noexcept nogil:
        """Whether the node has many samples or, of numbers, few leaves at most."""
        cdef index_t n = node.stop - node.start
        if node.in_block:
            return False
        return n > self.block_rows or self.rows_per_leaf > 0 and n_levels < 20 and n >> n_levels > self.rows_per_leaf

    cdef int count_bins(self, NodeSearch search, NodeRows* node) except -1 nogil:
        """Count the bins of all features, unless the parent's split has left the counts; if features are drawn, they
        are counted one by one."""
        if node.slot != NULL:
            return 0
        if self.drawn_slot != NULL:
            node.slot = self.drawn_slot
            return 0
        node.slot = take_slot(self.histograms.slots)
        if search.max_features >= search.partition.n_features:
            return self._count_all(search, <Slot*> node.slot, node)
        self.drawn_slot = <Slot*> node.slot

    cdef int _count_all(self, NodeSearch search, Slot* slot, const NodeRows* node) except -1 nogil:
        return count_rows(self.histograms, slot, node.start, node.stop, &search.drawn[0], search.n_drawn)

    cdef void drop(self, const NodeRows* node) noexcept nogil:
        if node.slot != NULL and node.slot != self.drawn_slot:
            give_back(self.histograms.slots, <Slot*> node.slot)

    cdef int hand_down(
        self, NodeSearch search, const NodeRows* node, NodeRows* smaller, NodeRows* greater, bint has_smaller
    ) except -1 nogil:
        """Leave the counts of a node, less the counts of its smaller child, to the greater child. The bins of other
        children are counted when it is their turn, so that the counts of few children are in memory at once."""
        cdef Slot* slot
        if self.drawn_slot != NULL:
            return 0
        slot = take_slot(self.histograms.slots)
        self._count_all(search, slot, smaller)
        subtract(self.histograms, <Slot*> node.slot, slot)
        greater.slot = node.slot
        if has_smaller:
            smaller.slot = slot
        else:
            give_back(self.histograms.slots, slot)

    cdef bint count_drawn(self, NodeSearch search, const NodeRows* node, index_t feature, bint can_cut) except -1 nogil:
        cdef index_t n = node.stop - node.start, fewest = search.limits.min_samples_leaf
        cdef index_t n_missing
        count_rows(self.histograms, <Slot*> node.slot, node.start, node.stop, &feature, 1)
        if can_cut:
            return True
        n_missing = count_missing_by_bin(self.histograms, <Slot*> node.slot, feature)
        if n_missing == 0 and _has_cut_at_edge(self.histograms, node, feature, fewest):
            return True
        if search.partition.features.n_values[feature] > 0:
            return False    # every bin has a single value
        sort_by_value(
            search.partition.features, feature, &search.partition.rows[node.start], n, &search.partition.keyed[0],
            &search.partition.spare_keyed[0],
        )
        return missing_has_cut(&search.partition.keyed[0], n, n_missing, fewest)

    cdef void mark_left(self, const NodeRows* node, const Split* split) noexcept nogil:
        mark_by_bins(
            self.histograms, split.feature, split.bin, split.threshold, split.n_missing_left > 0, node.start, node.stop
        )

    # --------------------------------------------------------------------------------------------- rows and places

    cdef int64_t* divide(self, const NodeRows* node, const Split* split) noexcept nogil:
        """Divide the rows of a node of ranked features, and return the class counts of the left child."""
        cdef int64_t* counts = &self.node_bins.left_counts[0]
        split_and_count(self.node_bins, split.feature, split.last_left, node.start, node.stop, counts)
        return counts

    cdef void take_rows(self, const NodeRows* node) noexcept nogil:
        if self.node_bins is not None:
            take_packed(self.node_bins, node.start, node.stop)

    cdef void take_block(self, NodeSearch search, const NodeRows* node) noexcept nogil:
        cdef index_t place, row, first = first_place(search, node)
        for place in range(node.stop - node.start if self.place_words.shape[0] > 0 else 0):
            row = block_row(search.partition, node.block, place)
            self.place_words[first + place] = word_of_sample(search.labels[row], search.count_weights[row])

    # ------------------------------------------------------------------------------------------------------ the cut

    cdef int find_cut(self, NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
        if self.histograms is None and self.node_bins is None and self.entry_scores is None:
            return 0
        return with_scan(search, search.counts)


cdef bint _has_cut_at_edge(
    Histograms histograms, const NodeRows* node, index_t feature, index_t min_samples_leaf
) noexcept nogil:
    """Whether a cut between two bins leaves min_samples_leaf of the node's samples on both sides."""
    cdef const int32_t* counts = feature_counts(histograms, <Slot*> node.slot, feature)
    cdef index_t bin, n_left = 0, n_rows = node.stop - node.start, n_columns = <index_t> histograms.n_columns
    for bin in range(histograms.bins.of_feature[feature].n_bins):
        n_left += rows_in_bin(counts + bin * n_columns, n_classes_of(histograms), n_columns)
        if min_samples_leaf <= n_left <= n_rows - min_samples_leaf:
            return True
    return False


# ----------------------------------------------------------------------------------------------- the cut, by criterion

cdef int run(NodeSearch search, CountScan* scan) except -1 nogil:
    """Search the node, and keep what is known of its children: 1, or 0 if the plain engine has to search it."""
    if CountScan in ScoredScan or CountScan in BoxedScan:
        start_scan(scan, search.counts)
        if not _search(<FastEngine> search.accelerator, search, scan, search.node):
            return 0
        if search.best.feature != NONE:
            search.best.knows_left = write_left_of_best(scan, search.best.left_counts)
        return 1
    else:
        return 0


cdef inline int _search(FastEngine fast, NodeSearch search, CountScan* scan, const NodeRows* node) except -1 nogil:
    """Search the node by its way."""
    cdef Way way
    if CountScan in ScoredScan:
        if fast.node_bins is not None:
            take_features(fast.node_bins, &search.drawn[0], search.n_drawn, node.start, node.stop)
        way = way_of(fast, search, scan, node)
        if way == BINS_OF_TABLE or way == BINS_OF_NODE:
            if CountScan in BinnedScan:
                find_bin_cut(fast, search, scan, node, search.best)
                return 1
        elif way == FEW_SAMPLES:
            if CountScan in FewScan:
                if find_few_cut(fast, search, scan, node, search.best):
                    return 1
                sort_few(search.partition, node.block, node.start, node.stop)
        elif way != SORTED_ENTRIES:
            return find_scored_cut(fast, search, scan, node, way, search.best)
    elif CountScan in BoxedScan:
        if not node.in_block:
            find_bin_cut(fast, search, scan, node, search.best)
            return 1


include "../criteria/scans.pxi"
