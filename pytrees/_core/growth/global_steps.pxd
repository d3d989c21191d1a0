"""The best global step of a leaf: a split, and labels of its children."""

cimport cython

from pytrees._core.base.fractions cimport Term, TermSum
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.growth.distances cimport Clusters
from pytrees._core.growth.merits cimport LocalMerits, Merit
from pytrees._core.rows.partition cimport Block, RowPartition
from pytrees._core.split.node_search cimport Split


cdef struct Step:
    index_t leaf            # NONE where there is none
    Split split             # of a global step the gain is NaN: it is known once the step is taken
    index_t left_label, right_label     # of the two children; NONE where children take their majorities
    # Of a global step how the whole tree's distance changes: by a whole number, to a ratio, or about by a number,
    # exactly by a sum.
    int64_t cost
    Term ratio
    float64_t change
    Merit merit             # within the leaf, where that tells equal steps apart


cdef struct Side:
    # The rows on one side of the cut, and the inner sums of the clusters with them: of all, or of their majority's.
    int64_t* counts
    int64_t* sums
    int64_t total
    index_t majority


@cython.final
cdef class LeafScan:
    """The clusters of the tree, and what is known of a leaf while its splits are tried."""

    # While a leaf is scanned, `clusters` do not hold its rows.
    cdef Clusters clusters
    cdef RowPartition partition
    cdef bint all_labels
    cdef index_t min_samples_leaf
    cdef index_t leaf, label
    cdef bint is_out                 # between start_leaf and end_leaf: the leaf's rows are in no cluster
    cdef Block block
    # The feature that is scanned, and the leaf's entries of it.
    cdef index_t feature
    cdef bint is_categorical
    cdef const uint64_t* entries
    cdef index_t n_entries
    # Of these n_missing lack the value: the last ones, or where n_missing_left are on the left the first ones.
    cdef index_t n_missing, n_missing_left
    cdef uint64_t[::1] rotated       # the entries in the latter case
    cdef int64_t* leaf_counts
    cdef int64_t[::1] leaf_sums      # inner sums of clusters with all rows of the leaf
    cdef int64_t leaf_total
    cdef Term label_term             # of the label's cluster, with the leaf
    cdef Term sums                   # of the whole tree, with the leaf; not for fractions
    cdef Side left, right
    # The filter in floating point: a step of a lower score than the best one's, less the margin, is worse. Of ratios
    # the margin follows from the best one when the filter was started.
    cdef float64_t ratio, offset, margin, ratio_margin
    cdef float64_t[::1] values, left_scores, right_scores    # the first of the clusters' terms
    cdef const index_t* labels       # by place
    cdef const int64_t* weights      # by place; NULL where every row counts once
    # Of cuts at which both sides get one label: whether the next one is to be seen, where only the leaf's first is,
    # and otherwise their scores by label.
    cdef bint sees_first_cut
    cdef float64_t[::1] same_scores
    cdef LocalMerits merits          # None where the order of features, thresholds, leaves and labels breaks ties
    cdef bint has_merits
    # Scratch of a categorical split, by majority: the rows of the children that have it, by class, and in all.
    cdef int64_t[:, ::1] merged
    cdef int64_t[::1] merged_totals, child_counts
    # How a step, and the best one, change a sum of fractions; and scratch for what they differ by.
    cdef TermSum* changes
    cdef TermSum* best_changes
    cdef TermSum* difference

    # Of entropies what the best step does: the class counts of its leaf and of the left child, the leaf's label, and of
    # a categorical split `merged`.
    cdef int64_t[::1] best_leaf_counts, best_left_counts
    cdef int64_t[:, ::1] best_merged
    cdef index_t best_label

    # Memory of what is above.
    cdef TermSum[3] term_sums
    cdef int64_t[:, ::1] counts     # of both sides, and their sums
    cdef Term[:, ::1] terms         # of the sums, and their signs
    cdef int[:, ::1] signs


cdef void start_leaf(
    LeafScan scan, index_t leaf, index_t label, int64_t* counts, const Block* block
) noexcept nogil
cdef void end_leaf(LeafScan scan) noexcept nogil
cdef int offer_splits(
    LeafScan scan, const uint64_t* entries, index_t n, index_t n_missing, index_t feature, index_t n_children,
    Step* best
) except -1 nogil
cdef int compare_to_present(LeafScan scan, const Step* best) except -2 nogil
