"""Rows that have been called, and what is known of sets of them: what a search keeps, and reads and writes it by."""

from pytrees._core.base.compiler cimport trailing_zeros
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint32_t, uint64_t

cdef enum:
    WHOLE = 0                       # the level of all rows of a node; those of deeper levels have been called
    NO = 0
    YES = 1
    STOPPED = 2                     # a limit has been reached: not known
    MOST_LEVELS = 500               # of the recursion, so that it fits the stack of any thread

# A first split: the cut lies behind the rows of rank `rank`, and so many of the other splits are for the left side.
cdef struct FirstSplit:
    index_t feature, rank, left_budget

# A set of rows that is being decided. `high[k]` is the lowest rank known, in the feature looked at, up to which the
# rows need more than k splits, so that a left side of k splits must end before it; `low[k]` is the same of right sides.
cdef struct Level:
    uint64_t* rows              # called rows, as bits
    uint64_t* hard              # where the answer is no: some of them that need more than the budget
    index_t* order              # rows, ascending in the feature looked at
    index_t* ends               # cut i lies behind the first ends[i] of them, whose greatest rank is cut_ranks[i]
    index_t* cut_ranks
    index_t n_rows, n_cuts, n_classes, n_kept
    index_t* high
    index_t* low
    index_t* high_by_sets       # by k and feature, what follows from the hard sets known when the search of it began
    index_t* low_by_sets
    int64_t limits_capacity
    int64_t* inherited          # numbers of the hard sets that the rows hold
    int64_t n_inherited, n_limiting, inherited_capacity   # of the inherited ones, so many are in those limits
    index_t* clique             # called rows of which no two can share a leaf
    index_t* kept_clique        # scratch
    index_t clique_size
    FirstSplit split                 # where the answer is yes

# Rows in the order of a feature, as bits or as numbers of all rows, of which a filter may leave some out.
cdef struct Listed:
    const index_t* order
    const index_t* labels
    const index_t* ranks
    const uint64_t* rows        # the filter; NULL where all count
    index_t n_rows

# Some of the candidates by which a hard set is shrunk, by their places.
cdef struct SomeSets:
    const index_t* places
    int64_t n_sets

# Sets of called rows that need `needs[i]` splits at least. Of set i, the least ranks in all features, and behind them
# the greatest ones, stand from ranks[2 * n_features * i] on.
cdef struct HardSets:
    uint64_t* rows
    index_t* needs
    index_t* ranks
    int64_t n_sets, capacity

# Sets of called rows for which `enough[i]` splits are enough, with the first of these; an open-addressing table.
cdef struct EasySets:
    uint64_t* rows
    index_t* enough
    FirstSplit* splits
    uint32_t* slots             # 0 where empty, otherwise a set's number plus one
    int64_t n_sets, capacity
    uint64_t mask

# Nodes of a tree of called rows, in preorder, and how many rows of all it gets wrong at its leaves, with the first.
cdef struct CalledNode:
    index_t feature, rank, right, label, n_wrong, first_wrong


cdef class CalledRows:
    cdef const index_t[::1] labels
    cdef const index_t[:, ::1] ranks        # by feature: which of its distinct values a row has
    cdef const index_t[:, ::1] orders       # by feature: the rows in ascending order
    cdef Py_ssize_t n_rows, n_features, n_classes, n_words
    cdef index_t n_called
    cdef index_t* called                    # by bit: the row
    cdef index_t* bit_of                    # by row: its bit, NONE where it has not been called
    cdef index_t* called_labels             # by bit
    cdef index_t* called_ranks              # by feature and bit
    cdef index_t* called_orders             # by feature: bits in ascending order
    cdef uint64_t* conflicts                # by bit: those that cannot share a leaf with it
    cdef index_t* witnesses                 # by two bits in conflict: one of another class between them, or NONE
    cdef HardSets hard
    cdef EasySets easy
    cdef Level levels[MOST_LEVELS]
    cdef CalledNode* nodes
    cdef index_t n_nodes, nodes_capacity
    cdef index_t* class_counts              # scratch
    cdef index_t* left_rows                 # scratch: of every class met from one end on, the first row
    cdef index_t* right_rows
    cdef uint64_t* supports                 # scratch: by feature, the rows that leave it no cut
    cdef index_t* kept_orders               # scratch: by feature, those of the bits that are left to shrink
    cdef int64_t* candidates                # scratch, hard sets by place: their numbers
    cdef index_t* candidate_needs
    cdef index_t* candidate_ranks           # by feature and place: the least ones, then the greatest
    cdef index_t* places                    # two lists of places
    cdef int64_t n_candidates, candidates_capacity, needs_capacity, candidate_ranks_capacity, places_capacity
    cdef index_t* sources                   # scratch: see _limit_cuts
    cdef index_t sources_capacity
    cdef int64_t memory_limit, n_steps      # bytes; since the last check of the clock
    cdef float64_t deadline
    cdef int64_t n_subproblems, most_subproblems


cdef int check_limits(CalledRows search, int64_t n_steps) except -1 nogil
cdef int open_level(CalledRows search, Py_ssize_t number) except -1 nogil
cdef int reserve_limits(CalledRows search, Level* level, index_t budget) except -1 nogil
cdef int learn_easy(CalledRows search, const uint64_t* rows, index_t budget, FirstSplit split) except -1 nogil
cdef bint is_easy(CalledRows search, Level* level, index_t budget) noexcept nogil
cdef int learn_hard(CalledRows search, Py_ssize_t number, index_t need) except -1 nogil
cdef int inherit_hard(CalledRows search, Py_ssize_t number, index_t budget) except -1 nogil
cdef void find_clique(CalledRows search, Level* level) noexcept nogil
cdef void unite_clique(CalledRows search, uint64_t* rows, const index_t* clique, index_t size) noexcept nogil
cdef index_t keep_clique(CalledRows search, Level* level) noexcept nogil
cdef int call_row(CalledRows search, index_t row) except -1 nogil
cdef int inherit(Level* level, int64_t number) except -1 nogil


# -------------------------------------------------------------------------------------- sets of called rows, as bits

cdef inline void drop_bit(uint64_t* rows, index_t bit) noexcept nogil:
    rows[bit >> 6] &= ~(<uint64_t> 1 << (bit & 63))


cdef inline bint contains(const uint64_t* rows, const uint64_t* part, Py_ssize_t n_words) noexcept nogil:
    cdef Py_ssize_t word
    for word in range(n_words):
        if part[word] & ~rows[word]:
            return False
    return True


cdef inline void unite(uint64_t* rows, const uint64_t* part, Py_ssize_t n_words) noexcept nogil:
    cdef Py_ssize_t word
    for word in range(n_words):
        rows[word] |= part[word]


cdef inline index_t rank_of(CalledRows search, Py_ssize_t feature, index_t bit) noexcept nogil:
    return search.called_ranks[feature * 64 * search.n_words + bit]
