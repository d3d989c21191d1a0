"""Subproblems of the search for the cheapest tree, and their solutions so far."""

from pytrees._core.base.types cimport UNLIMITED, float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS
from pytrees._core.minimal.sets cimport SetTable

cdef extern from "depth_two.h" nogil:
    ctypedef struct stump_table:
        Py_ssize_t n_blocks, n_rows, n_classes
        index_t is_wide, total
        void *ranks
        void *steps
        void *ends
        void *walks
        void *labels
        void *scratch
    enum:
        MOST_IN_NARROW_LANES
    Py_ssize_t lanes_of(const stump_table*)
    void lay_out_node(
        stump_table*, const index_t* const*, const index_t* const*, Py_ssize_t, const index_t*, const index_t*
    )
    void lay_out_ranks(stump_table*, const index_t* const*, Py_ssize_t, const index_t*)
    void count_correct(const stump_table*, index_t, const index_t*, const index_t*, index_t*)

# The first split of a tree: between row `below` and row `above`, which follows it in the feature's order. The left side
# has up to `left_leaves` leaves. If the tree is a leaf, the feature is NONE.
cdef struct CostSplit:
    index_t feature, below, above, left_leaves

# The solution of a subproblem: the cost is at least `least` or, if that is exact, `least`, with this first split.
cdef struct KnownCost:
    int64_t least
    bint is_exact
    CostSplit split

# How many levels of splits, and how many leaves, a tree may have.
cdef struct TreeLimits:
    index_t depth, leaves

# The limits of both sides of a cut.
cdef struct LeafDivision:
    TreeLimits left, right

# The last sets that were solved for one number of levels, and bounds of their costs, in a ring whose next entry to be
# replaced is `next`. The last word of a set holds its limits.
cdef struct RecentSets:
    uint64_t* sets
    int64_t* least
    Py_ssize_t n_sets, next

# A subproblem that is being solved, on one level of the recursion. A feature's position is its rank in the order of
# trial. `bounds` has a bound of the cost of each side of each cut, by side, feature's position, and number of rows on
# the left.
cdef struct SearchNode:
    index_t* orders             # by feature: the rows, ascending
    index_t n_rows
    int64_t n_samples
    index_t* features           # the features that are not constant, in the order of trial
    int64_t* stumps             # by feature: the errors of the best split by it
    index_t n_features
    index_t* ends               # cuts of the current feature: the first ends[i] rows are on the left,
    index_t* ranks              # and the last of them has rank ranks[i]
    index_t* trials             # the cuts, in the order of trial
    index_t n_cuts
    int64_t* bounds
    Py_ssize_t bounds_capacity
    index_t* counts             # samples by class; after them those of the left side of a cut
    uint64_t* key
    char* is_left               # by row
    int64_t inevitable          # errors of every tree, as equal rows have different classes


cdef class SubproblemCache:
    cdef const float64_t[:, ::1] X
    cdef const index_t[::1] labels
    cdef const index_t[::1] weights         # how often a row occurs
    cdef const index_t[::1] inevitable      # how often every tree gets it wrong, as equal rows have other classes
    cdef const index_t[::1] first_bits      # where the bits of a row begin: it has as many as its weight
    cdef const index_t[:, ::1] ranks        # by feature: which of its distinct values a row has
    cdef Py_ssize_t n_rows, n_features, n_classes, n_words
    cdef int64_t error_cost, leaf_cost
    cdef SetTable table
    cdef RecentSets recent[MOST_LEVELS]
    cdef SearchNode levels[MOST_LEVELS]
    cdef stump_table stumps                 # of the rows of a node of two levels
    cdef char* stump_memory
    cdef Py_ssize_t stump_capacity
    cdef const index_t** order_pointers     # by position: the order of each feature, then the ranks of each feature
    cdef index_t* correct                   # scratch, by row: see _best_stump
    cdef index_t* starts                    # scratch, by cut: see list_cuts
    cdef int64_t n_steps, n_subproblems
    cdef float64_t deadline
    cdef bint is_over


cdef int count_steps(SubproblemCache trees, int64_t n_steps) except -1 nogil
cdef int open_level(SubproblemCache trees, Py_ssize_t number) except -1 nogil
cdef void set_key(SubproblemCache trees, SearchNode* level, TreeLimits limits) noexcept nogil
cdef int64_t bound_by_recent(SubproblemCache trees, SearchNode* level, TreeLimits limits) noexcept nogil
cdef int remember(SubproblemCache trees, SearchNode* level, TreeLimits limits, const KnownCost* found) except -1 nogil
cdef int64_t cost_of_leaf(SubproblemCache trees, SearchNode* level) noexcept nogil
cdef int64_t rank_features(SubproblemCache trees, SearchNode* level) noexcept nogil
cdef void list_cuts(SubproblemCache trees, SearchNode* level, index_t feature) noexcept nogil
cdef void choose_stump(SubproblemCache trees, SearchNode* level, CostSplit* split) noexcept nogil


# --------------------------------------------------------------------------------------------------------------- limits

cdef inline index_t most_leaves(index_t depth) noexcept nogil:
    return <index_t> 1 << depth if depth < 31 else UNLIMITED


cdef inline index_t one_less(index_t depth) noexcept nogil:
    return depth if depth == UNLIMITED else depth - 1


cdef inline TreeLimits tightened(index_t depth, index_t leaves) noexcept nogil:
    """Return the limits, each no greater than the other limit allows."""
    cdef TreeLimits limits
    limits.leaves = min(leaves, most_leaves(depth))
    limits.depth = depth if limits.leaves == UNLIMITED else min(depth, limits.leaves - 1)
    limits.leaves = min(limits.leaves, most_leaves(limits.depth))
    return limits


cdef inline TreeLimits limits_of_side(TreeLimits limits, index_t leaves) noexcept nogil:
    """Return the limits of a side with a number of leaves, or with all leaves of its levels if there is no limit."""
    if limits.leaves == most_leaves(limits.depth):
        leaves = UNLIMITED
    return tightened(one_less(limits.depth), leaves)


cdef inline index_t leaves_on_the_right(TreeLimits limits, index_t left_leaves) noexcept nogil:
    return UNLIMITED if limits.leaves == UNLIMITED else limits.leaves - left_leaves


cdef inline LeafDivision division_of(TreeLimits limits, index_t i) noexcept nogil:
    """Return the limits of both sides in the i'th division of the leaves. Even divisions come first. If two
    divisions mirror each other, the one with fewer leaves on the left comes first."""
    cdef index_t left_leaves = limits.leaves // 2, further = (i + 1) // 2
    cdef LeafDivision division
    left_leaves += -further if (i + limits.leaves) % 2 else further
    division.left = limits_of_side(limits, left_leaves)
    division.right = limits_of_side(limits, leaves_on_the_right(limits, left_leaves))
    return division


cdef inline int64_t* bounds_of(SearchNode* level, bint is_right, index_t position) noexcept nogil:
    """Return the bounds of one side of a feature's cuts, by the number of rows on the left."""
    return level.bounds + (is_right * <Py_ssize_t> level.n_features + position) * level.n_rows
