from pytrees._core.base.types cimport UNLIMITED, float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS
from pytrees._core.minimal.sets cimport SetTable

cdef extern from "two_levels.h" nogil:
    ctypedef struct class_run:
        index_t end, label, is_cut
    ctypedef struct run_list:
        const index_t *rows
        const class_run *runs
        const int64_t *weights
        Py_ssize_t n_runs
        index_t all_are_cuts
    ctypedef struct lane_table:
        Py_ssize_t n_rows, n_classes, least_samples
        index_t lane_bytes
        const int64_t *matrix
        const int64_t *weights
        uint64_t *is_left
        void *left_weights
        uint64_t *counts
        void *sums
        void *of_runs
        void *of_classes
        void *saved
    enum:
        MOST_LANES
        MOST_ROWS_OF_RUN
    const int64_t NO_BUDGET
    Py_ssize_t lanes_of(const lane_table*)
    void clear_left(lane_table*)
    void mark_left(lane_table*, const index_t*, const index_t*, Py_ssize_t, Py_ssize_t, const int64_t*)
    void class_weights(const lane_table*, Py_ssize_t, Py_ssize_t, int64_t*)
    void try_splits(lane_table*, const run_list*)
    int64_t cost_of_stump(const lane_table*, Py_ssize_t, Py_ssize_t, bint)

cdef enum:
    LEFT = 0
    RIGHT = 1

# The cheapest tree of a set of rows within limits, as far as it is known: without a limit on the samples of a leaf it
# costs at least `least`. With that limit it costs `cost`; if that is not known, NO_BUDGET, and trees below `budget`
# have been looked for.
cdef struct KnownCost:
    int64_t least, cost, budget

# The last sets that were searched for one number of levels, and bounds of their costs, in a ring whose next entry to be
# replaced is `next`. The last word of a set holds its limits.
cdef struct RecentSets:
    uint64_t* sets
    int64_t* least
    Py_ssize_t n_sets, next

# How many levels of splits, and how many leaves, a tree may have.
cdef struct TreeLimits:
    index_t depth, leaves

# A cut of a column in a node: after the first `end` rows. A bound of each side's cost without a limit on the samples of
# a leaf; its cost with that limit, or NO_BUDGET if it is not known; and the greatest budget below which trees of a side
# have been looked for. `before` is the sum of the greatest costs of the rows on the left. There is no cut up to the
# next known one if `is_closed`. `keys` are where the bounds of a side's lists begin, or NONE.
cdef struct KnownCut:
    index_t end, next, previous
    int64_t before
    int64_t least[2]
    int64_t cost[2]
    int64_t budget[2]
    index_t keys[2]
    bint is_closed

# The cuts of a column that are known, for one division of the leaves between both sides; in ascending order, from a
# first one with no row on the left to a last one with all. No other cut leads to a cost below `key`, and the cuts
# after the known cut `at` are the most promising ones. While a thread works on a list of the root, `key_of_taken` is
# its key, and other threads see none.
cdef struct CutList:
    TreeLimits limits[2]
    index_t division, column, left_leaves, first, at
    int64_t key, given, key_of_taken

# A known cut, and the number of its list.
cdef struct ListedCut:
    index_t list, cut

# A set of rows, on one level of the recursion.
cdef struct SearchNode:
    index_t* orders             # by column: the rows, ascending
    index_t n_rows
    int64_t* of_classes         # weights; after them scratch: see `cost_search`
    int64_t leaf                # the cost of a leaf
    int64_t inevitable          # the cost of the errors of every tree, as equal rows have different classes
    index_t* columns            # those that have a cut, in the order of trial
    index_t n_columns
    int64_t* stumps             # by column: the cost of the best allowed split, and without a limit on samples
    int64_t one_less            # a bound of what the rows cost with one level less
    int64_t free_stump          # a bound of the cost of the best split if all cuts are allowed, and of a leaf
    int64_t* leaf_costs         # by side, column and rows on the left: what the side costs as a leaf; NULL if not kept
    int64_t* inevitables        # by column and rows on the left: inevitable costs on the left; NULL if not kept
    KnownCut* cuts
    Py_ssize_t cut_capacity
    index_t n_cuts
    CutList* lists
    Py_ssize_t list_capacity
    index_t n_lists
    TreeLimits limits           # of the tree that the lists are about
    ListedCut best              # the last cut that was better than the cuts before, or none of any list
    int64_t* keys               # of the sides of known cuts: see `cut_lists`
    Py_ssize_t key_capacity, n_keys
    int64_t* given              # bounds of the lists, by division and column, if they are known from other nodes
    Py_ssize_t given_capacity
    bint is_given, is_searched
    uint64_t* key               # the rows as bits; the last word holds limits


cdef class CostSearch:
    cdef const index_t[:, ::1] ranks            # by column: which of its distinct values a row has
    cdef const index_t[::1] labels
    cdef const int64_t[::1] weights
    cdef const int64_t[::1] greatest_costs      # by row: the most that it can cost
    cdef const int64_t[::1] inevitable          # by row: what every tree gets wrong, as equal rows have other classes
    cdef const int64_t[:, ::1] matrix
    cdef const int64_t* costs_of_labels         # the matrix, or NULL
    cdef Py_ssize_t n_rows, n_columns, n_classes
    cdef int64_t leaf_cost, unit                # of the weights: their greatest common divisor
    cdef index_t least_samples
    cdef SetTable table_of_sets                 # what is known of sets of rows within limits
    cdef RecentSets recent[MOST_LEVELS]         # by levels
    cdef bint has_unit_weights, keeps_leaf_costs, has_inevitable
    cdef SearchNode nodes[MOST_LEVELS]
    cdef SearchNode* root                       # the first node, or that of the search which this search helps
    cdef object root_lock                       # of the thread that uses the root's lists; None: there is one thread
    cdef bint has_root                          # this thread holds the lock
    cdef char* is_left                          # scratch, by row
    cdef int64_t* leaf_scratch                  # by side and rows on the left: leaf costs of a column
    cdef lane_table table                       # of the rows of a node of two levels
    cdef run_list* runs                         # by column
    cdef bint has_pairs                         # all columns have two values: see `pair_counts`
    cdef const index_t[::1] marks               # by row: the columns in which the row is marked, ascending
    cdef const int64_t[::1] mark_offsets        # by row: where its marks begin
    cdef index_t* pairs                         # by class and two columns: the weight of the rows with both marks
    cdef index_t* pairs_above                   # the same of the rows of node `pairs_of`, or NONE
    cdef Py_ssize_t pairs_of
    cdef index_t* local                         # by row: its number in the table
    cdef index_t* sorted_labels                 # scratch: of the rows in the order of a column; so are the ranks
    cdef index_t* sorted_ranks
    cdef void* memory[20]
    cdef Py_ssize_t n_blocks_of_memory
    cdef int64_t n_steps, n_subproblems
    cdef int64_t least                          # cost of any tree, as far as is known
    cdef float64_t deadline, next_report
    cdef object report
    cdef bint is_over, is_too_deep
    cdef bint is_last                           # the root is searched with all levels
    cdef bint is_counting                       # all best cuts of the root are looked for
    cdef Py_ssize_t table_of                    # the node whose rows are in the table, or NONE
    cdef index_t* trials                        # scratch: the cuts of a column in the order of trial
    cdef object splits                          # of the best tree so far
    cdef int64_t cost_of_splits


cdef void* allocate(CostSearch search, Py_ssize_t n_bytes) except NULL
cdef int count_steps(CostSearch search, int64_t n_steps) except -1 nogil
cdef int leave_root(CostSearch search, Py_ssize_t number) except -1 nogil
cdef int enter_root(CostSearch search, Py_ssize_t number) except -1 nogil
cdef int open_node(CostSearch search, Py_ssize_t number) except -1 nogil
cdef void make_side(
    CostSearch search, Py_ssize_t number, index_t column, index_t end, bint is_right, bint only_rows
) noexcept nogil
cdef void weigh(CostSearch search, Py_ssize_t number) noexcept nogil
cdef void rank_columns(CostSearch search, SearchNode* node) noexcept nogil
cdef void add_column(
    CostSearch search, SearchNode* node, index_t column, int64_t cost, int64_t free_cost
) noexcept nogil
cdef int64_t scan_column(CostSearch search, SearchNode* node, index_t column, int64_t* free_cost) noexcept nogil
cdef int64_t bound_by_recent(CostSearch search, SearchNode* node, TreeLimits limits) noexcept nogil
cdef bint recall(CostSearch search, SearchNode* node, TreeLimits limits, KnownCost* found) noexcept nogil
cdef int remember(CostSearch search, SearchNode* node, TreeLimits limits, const KnownCost* found) except -1 nogil
cdef int64_t leaf_of(CostSearch search, const int64_t* of_classes) noexcept nogil


cdef inline SearchNode* node_at(CostSearch search, Py_ssize_t number) noexcept nogil:
    return &search.nodes[number] if number > 0 else search.root


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


cdef inline index_t leaves_on_the_left(TreeLimits limits, index_t i) noexcept nogil:
    """Return the leaves of the left side in the i'th division of the leaves. Even divisions come first. If two
    divisions mirror each other, the one with fewer leaves on the left comes first."""
    cdef index_t further = (i + 1) // 2
    return limits.leaves // 2 + (-further if (i + limits.leaves) % 2 else further)


cdef inline index_t count_divisions(TreeLimits limits) noexcept nogil:
    """Return the number of divisions of the leaves between both sides."""
    if limits.leaves >= most_leaves(limits.depth):
        return 1
    return 2 * min(most_leaves(limits.depth - 1), limits.leaves - 1) - limits.leaves + 1


# ---------------------------------------------------------------------------------------------------------------- costs

cdef inline bint is_cut(const index_t* order, const index_t* ranks, index_t end) noexcept nogil:
    """Whether there is a cut after the first `end` rows, which are neither none nor all."""
    return ranks[order[end - 1]] != ranks[order[end]]


cdef inline int64_t* leaf_costs_of(SearchNode* node, Py_ssize_t n_columns, bint side, index_t column) noexcept nogil:
    """Return what a side of a column's cuts costs as a leaf, by the number of rows on the left."""
    return node.leaf_costs + (side * n_columns + column) * <Py_ssize_t> (node.n_rows + 1)
