"""Sets of rows and what is known of the costs of their trees: what the search for the cheapest one reads and writes."""

from pytrees._core.base.types cimport UNLIMITED, float64_t, index_t, int64_t, uint64_t
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

cdef enum:
    MOST_LEVELS = 500               # of the recursion, so that it fits the stack of any thread

# A first split behind row `below` of a feature's order, `above` being the next row, and the leaves of the left side.
# The feature of a leaf is NONE.
cdef struct CostSplit:
    index_t feature, below, above, left_leaves

# What is known of a set of rows: what it costs at least and, where that is exact, the first split.
cdef struct KnownCost:
    int64_t least
    bint is_exact
    CostSplit split

# How many levels of splits and leaves a tree may have.
cdef struct TreeLimits:
    index_t depth, leaves

# The limits of both sides of a cut.
cdef struct LeafDivision:
    TreeLimits left, right

# The last sets of a number of levels, and what they cost at least. The last word of a set is that of its limits.
cdef struct RecentSets:
    uint64_t* sets
    int64_t* least
    Py_ssize_t n_sets, next

# A set of rows that is being decided. A feature's place is where it comes in the order of trial; bounds on what the
# sides of cuts cost stand by side, place, and how many rows are on the left.
cdef struct SearchNode:
    index_t* orders             # by feature: the rows, ascending
    index_t n_rows
    int64_t n_samples
    index_t* features           # those that are not constant, in the order in which they are tried
    int64_t* stumps             # by feature: the errors of the best split by it
    index_t n_features
    index_t* ends               # cuts of the feature that is being tried: the first ends[i] rows are on the left
    index_t* ranks              # and the rank of the last one of them
    index_t* trials             # the cuts in the order in which they are tried
    index_t n_cuts
    int64_t* bounds
    Py_ssize_t bounds_capacity
    index_t* counts             # by class, of the rows; behind them those of the left side of a cut
    uint64_t* key
    char* is_left               # by row
    int64_t inevitable          # errors of any tree, by equal rows of different classes


cdef class SubproblemCache:
    cdef const float64_t[:, ::1] X
    cdef const index_t[::1] labels
    cdef const index_t[::1] weights         # how often a row occurs
    cdef const index_t[::1] inevitable      # how often it is wrong whatever the tree, for its equals have other classes
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
    cdef const index_t** order_pointers     # by place: the order of a feature, then its ranks
    cdef index_t* correct                   # scratch, by row: see _best_stump
    cdef index_t* starts                    # scratch, by cut: see list_cuts
    cdef int64_t n_steps, n_subproblems
    cdef float64_t deadline
    cdef bint is_over


cdef int count_steps(SubproblemCache trees, int64_t n_steps) except -1 nogil
cdef int open_level(SubproblemCache trees, Py_ssize_t number) except -1 nogil
cdef void set_key(SubproblemCache trees, SearchNode* level, TreeLimits limits) noexcept nogil
cdef int64_t bound_by_recent(SubproblemCache trees, SearchNode* level, TreeLimits limits) noexcept nogil
cdef int learn(SubproblemCache trees, SearchNode* level, TreeLimits limits, const KnownCost* found) except -1 nogil
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
    """Return the limits, each no greater than the other one allows."""
    cdef TreeLimits limits
    limits.leaves = min(leaves, most_leaves(depth))
    limits.depth = depth if limits.leaves == UNLIMITED else min(depth, limits.leaves - 1)
    limits.leaves = min(limits.leaves, most_leaves(limits.depth))
    return limits


cdef inline TreeLimits limits_of_side(TreeLimits limits, index_t leaves) noexcept nogil:
    """Return the limits of a side that gets so many leaves: all that its levels allow where leaves have no limit."""
    if limits.leaves == most_leaves(limits.depth):
        leaves = UNLIMITED
    return tightened(one_less(limits.depth), leaves)


cdef inline index_t leaves_on_the_right(TreeLimits limits, index_t left_leaves) noexcept nogil:
    return UNLIMITED if limits.leaves == UNLIMITED else limits.leaves - left_leaves


cdef inline LeafDivision division_of(TreeLimits limits, index_t i) noexcept nogil:
    """Return the limits of both sides in the i'th way to divide the leaves: the most even one first, and of two that
    mirror each other that of fewer leaves on the left."""
    cdef index_t left_leaves = limits.leaves // 2, further = (i + 1) // 2
    cdef LeafDivision division
    left_leaves += -further if (i + limits.leaves) % 2 else further
    division.left = limits_of_side(limits, left_leaves)
    division.right = limits_of_side(limits, leaves_on_the_right(limits, left_leaves))
    return division


cdef inline int64_t* bounds_of(SearchNode* level, bint is_right, index_t place) noexcept nogil:
    """Return the bounds of one side, by the number of rows on the left."""
    return level.bounds + (is_right * <Py_ssize_t> level.n_features + place) * level.n_rows
