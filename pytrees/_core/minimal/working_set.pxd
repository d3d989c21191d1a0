"""A working set of samples, and the facts that a search keeps about sets of its members."""

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS
from pytrees._core.minimal.sets cimport SetTable

cdef enum:
    WHOLE = 0                       # the level of all samples of a node; deeper levels hold members alone

# The first split of a tree: the cut comes after the samples of rank `rank`; the left side gets `left_budget` of the
# splits that remain.
cdef struct FirstSplit:
    index_t feature, rank, left_budget

# The facts about a set: `least` splits are needed, and `enough` splits are enough, the first of which is `split`.
cdef struct SplitBounds:
    index_t least, enough
    FirstSplit split

# A set that is being decided. `high[k]` is the lowest known rank, in the current feature, up to which the samples need
# more than k splits: a left side of k splits must end before it. `low[k]` is the same for right sides.
cdef struct Level:
    uint64_t* members           # as bits
    uint64_t* nogood            # if the answer is no: a part of the members that needs more than the budget
    index_t* order              # samples, ascending in the current feature
    index_t* ends               # cut i lies behind the first ends[i] of them, whose greatest rank is cut_ranks[i]
    index_t* cut_ranks
    index_t n_samples, n_cuts, n_classes, n_kept
    index_t* high
    index_t* low
    index_t* high_by_nogoods    # by k and feature, from the nogoods that were known when the search of the set began
    index_t* low_by_nogoods
    int64_t limits_capacity
    int64_t* inherited          # numbers of the nogoods that are part of the set
    int64_t n_inherited, n_limiting, inherited_capacity   # n_limiting: how many of them are in those limits
    index_t* clique             # members of which no two can share a leaf
    index_t clique_size
    FirstSplit split            # if the answer is yes

# Samples in the order of a feature, as members or as numbers of samples; a filter may leave some out.
cdef struct Listed:
    const index_t* order
    const index_t* labels
    const index_t* ranks
    const uint64_t* filter      # NULL if all samples count
    index_t n_samples

# Some of the candidates by which a nogood is shrunk, by their positions.
cdef struct SomeNogoods:
    const index_t* positions
    int64_t n_nogoods

# Sets that need `needs[i]` splits at least. The least ranks of set i in all features start at
# ranks[2 * n_features * i]; its greatest ranks follow.
cdef struct Nogoods:
    uint64_t* sets
    index_t* needs
    index_t* ranks
    int64_t n_sets, capacity

# Nodes of a tree of the members, in preorder, and how many of all samples each leaf gets wrong, with the first.
cdef struct MemberNode:
    index_t feature, rank, right, label, n_wrong, first_wrong


cdef class WorkingSet:
    cdef const index_t[::1] labels
    cdef const index_t[:, ::1] ranks        # by feature: which of its distinct values a sample has
    cdef const index_t[:, ::1] orders       # by feature: the samples in ascending order
    cdef Py_ssize_t n_samples, n_features, n_classes
    cdef bint is_complete                   # all samples are members, and no nogoods are learned
    cdef Py_ssize_t n_words, stride         # of a set; how many members there is memory for
    cdef index_t n_members
    cdef index_t[::1] member_labels
    cdef index_t[:, ::1] member_ranks     # by feature and member
    cdef index_t[:, ::1] member_orders    # by feature: members in ascending order
    cdef index_t[::1] samples               # by member: the sample
    cdef index_t[::1] member_of             # by sample: the member, or NONE
    cdef Py_ssize_t most_in_conflict        # members among which conflicts are looked for
    cdef index_t n_compared                 # members whose conflicts have been found
    cdef Py_ssize_t n_conflict_words
    cdef uint64_t[:, ::1] conflicts         # by member: the members that cannot share a leaf with it
    cdef index_t[:, ::1] witnesses          # by two members in conflict: one of another class between them, or NONE
    cdef uint64_t[:, ::1] of_class          # by class: the members that have been compared
    cdef index_t[:, ::1] listed             # scratch, by feature: the members that are compared, ascending
    cdef index_t[:, ::1] starts             # scratch, by feature and member: the positions of its rank in that list
    cdef index_t[:, ::1] stops
    cdef uint64_t[:, ::1] before            # scratch, by feature and position: the members of a word that are before it
    cdef SetTable bounds
    cdef Nogoods nogoods
    cdef Level levels[MOST_LEVELS]
    cdef MemberNode* nodes
    cdef index_t n_nodes
    cdef Py_ssize_t nodes_capacity
    cdef index_t[::1] class_counts          # scratch
    cdef index_t[::1] left_members          # scratch: from one end on, the first member of every class
    cdef index_t[::1] right_members
    cdef index_t[::1] kept_clique           # scratch
    cdef uint64_t[:, ::1] supports          # scratch: by feature, the members that leave it no cut
    cdef index_t[:, ::1] kept_orders        # scratch: by feature, the members that are left to shrink
    cdef int64_t* candidates                # scratch, nogoods by position: their numbers
    cdef index_t* candidate_needs
    cdef index_t* candidate_ranks           # by feature and position: the least ones, then the greatest
    cdef index_t* positions                 # two lists of positions
    cdef index_t* sources                   # scratch: the sources of the limits `high`, then of `low`
    cdef int64_t n_candidates
    cdef Py_ssize_t candidates_capacity, needs_capacity, candidate_ranks_capacity, positions_capacity
    cdef Py_ssize_t sources_capacity
    cdef int64_t memory_limit, n_steps      # bytes; since the last check of the clock
    cdef float64_t deadline
    cdef int64_t n_subproblems, most_subproblems
    cdef bint is_too_deep


cdef int compare_members(WorkingSet work) except -1 nogil
cdef int add_sample(WorkingSet work, index_t sample) except -1 nogil
cdef int open_level(WorkingSet work, Py_ssize_t number) except -1 nogil
cdef int reserve_limits(WorkingSet work, Level* level, index_t budget) except -1 nogil
cdef int remember(WorkingSet work, Level* level, int answer, index_t budget) except -1 nogil
cdef int recall(WorkingSet work, Level* level, index_t budget) noexcept nogil
cdef int learn_nogood(WorkingSet work, Py_ssize_t number, index_t need) except -1 nogil
cdef int inherit(Level* level, int64_t number) except -1 nogil
cdef int inherit_nogoods(WorkingSet work, Py_ssize_t number, index_t budget) except -1 nogil
cdef void find_clique(WorkingSet work, Level* level) noexcept nogil
cdef void unite_clique(WorkingSet work, uint64_t* members, const index_t* clique, index_t size) noexcept nogil
cdef index_t keep_clique(WorkingSet work, Level* level) noexcept nogil
