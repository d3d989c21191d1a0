"""The best global step of a leaf: a split, and labels of its children."""

cimport cython

from pytrees._core.base.fractions cimport Term, TermSum
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.criteria.logarithms cimport InformationForm, SplitLogs
from pytrees._core.id3.distances cimport Clusters
from pytrees._core.id3.local_distance cimport LocalDistance, Merit
from pytrees._core.rows.partition cimport Block, RowPartition
from pytrees._core.split.node_search cimport Split


cdef struct Step:
    index_t leaf            # NONE if there is no step
    Split split             # a global step has gain NaN until it is taken
    index_t left_label, right_label     # of the two children; NONE if children take their majorities
    # A global step changes the distance of the whole tree by `cost`, a whole number, or to `ratio`, or by about
    # `change`; the exact change is then a sum of fractions.
    int64_t cost
    Term ratio
    float64_t change
    Merit merit             # within the leaf, if merits break ties


cdef inline bint is_lower(const Step* step, const Step* best) noexcept nogil:
    """Whether the step has the lower feature; for equal features the lower threshold; for equal thresholds, missing
    values on the right while the other step has them on the left."""
    if step.split.feature != best.split.feature:
        return step.split.feature < best.split.feature
    if step.split.threshold != best.split.threshold:
        return step.split.threshold < best.split.threshold
    return step.split.n_missing_left == 0 and best.split.n_missing_left > 0


cdef struct Side:
    # Class counts of one side of the cut, and the inner sums of the clusters that the side may join: all clusters, or
    # only the cluster of the side's majority.
    int64_t* counts
    int64_t* sums
    int64_t total
    index_t majority


@cython.final
cdef class LeafScan:
    """The clusters of the tree, and the state of a leaf while its splits are tried."""

    # While a leaf is scanned, `clusters` do not hold its samples.
    cdef Clusters clusters
    cdef RowPartition partition
    cdef bint all_labels
    cdef index_t min_samples_leaf
    cdef InformationForm form        # of the distance, if it compares entropies
    cdef index_t leaf, label
    cdef Block block
    # The feature that is scanned, and its entries in the leaf.
    cdef index_t feature
    cdef bint is_categorical
    cdef const uint64_t* entries
    cdef index_t n_entries
    # n_missing entries lack the value: the last entries, or the first entries if n_missing_left is not 0.
    cdef index_t n_missing, n_missing_left
    cdef uint64_t[::1] rotated       # the entries, those that lack the value first
    cdef int64_t* leaf_counts
    cdef int64_t[::1] leaf_sums      # inner sums of clusters with all samples of the leaf
    cdef int64_t leaf_total
    cdef Term label_term             # of the label's cluster, with the leaf
    cdef Term sums                   # of the whole tree, with the leaf; not for fractions
    cdef Side left, right
    # The filter in floating point: a step is worse if its score is below the best step's score less the margin. The
    # margin of ratios follows from the best step at the start of the filter.
    cdef float64_t ratio, offset, margin, ratio_margin
    cdef float64_t[::1] values, left_scores, right_scores    # `values`: the clusters' terms
    cdef const index_t* labels       # by place
    cdef const int64_t* weights      # by place; NULL if every sample counts once
    # Cuts that give both sides one label have equal distances. `sees_first_cut`: the next such cut is the leaf's first.
    # `same_scores`: the scores of such cuts by label.
    cdef bint sees_first_cut
    cdef float64_t[::1] same_scores
    cdef LocalDistance local         # None if the order of features, thresholds, leaves and labels breaks ties
    cdef bint has_merits
    # Scratch of a categorical split, by label: class counts of the children that have this majority, and their totals.
    cdef int64_t[:, ::1] merged
    cdef int64_t[::1] merged_totals, child_counts
    # The terms by which a step, and the best step, change a sum of fractions; scratch for their difference.
    cdef TermSum* changes
    cdef TermSum* best_changes
    cdef TermSum* difference
    # For entropies: the class counts of the whole tree's clusters after the best step, whether they are as before, and
    # scratch for another step.
    cdef SplitLogs best_logs, other_logs
    cdef bint best_changes_nothing

    # The memory that the pointers above point at.
    cdef TermSum[3] term_sums
    cdef int64_t[:, ::1] counts     # of both sides, and their sums
    cdef Term[:, ::1] terms         # of the sums, and their signs
    cdef int[:, ::1] signs
    cdef int64_t[:, ::1] log_counts


cdef int start_leaf(LeafScan scan, index_t leaf, index_t label, int64_t* counts, const Block* block) except -1 nogil
cdef int offer_splits(
    LeafScan scan, const uint64_t* entries, index_t n, index_t n_missing, index_t feature, index_t n_children,
    Step* best
) except -1 nogil
cdef int compare_to_present(LeafScan scan, const Step* best) except -2 nogil
