"""A working set of samples, and what a search keeps about sets of its members.

*Members.* A sample that joins a working set becomes a member; members are numbered in the order in which they join. The
search decides for sets of members, which are strings of bits (see `sets`), whether a number of splits is enough for a
consistent tree. The number of splits that a tree may have is its budget.

*Levels.* The recursion has a level for each split on the way down, and a level holds the set that is being decided
there. Level WHOLE stands above them: it holds all samples of a node, members or not.

*Facts.* A complete working set has a table with the bounds of sets that have been decided. A growing one has nogoods:
small sets that need more splits than some budget, as do all sets that they are part of.
"""

from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS
from pytrees._core.minimal.sets cimport SetTable

cdef enum:
    WHOLE = 0

# The first split of a tree: samples up to rank `rank` of the feature go left; the left side gets `left_budget` of the
# splits that remain.
cdef struct FirstSplit:
    index_t feature, rank, left_budget

# The bounds of a set: it needs at least `least` splits, and `enough` splits are enough, the first of which is `split`.
cdef struct SplitBounds:
    index_t least, enough
    FirstSplit split

# A level, on which features are tried one after the other. A limit of a left side, limits[2 * k], is the lowest known
# rank of the feature with which the side needs more than k splits. The right side counts ranks downwards: its limit,
# limits[2 * k + 1], is the lowest known ~rank.
cdef struct Level:
    uint64_t* members           # the set
    uint64_t* nogood            # if the answer is no: a part of the members that needs more than the budget
    index_t* order              # the samples, ascending in the feature
    index_t* ends               # by cut, ascending: the first ends[i] samples go left,
    index_t* cut_ranks          # and the last of them has this rank
    index_t n_samples, n_cuts, n_classes
    index_t* limits             # by k and side
    index_t* limits_by_nogoods  # by k, feature and side: the limits by nogoods known before the first feature was tried
    index_t* inherited          # the numbers of the nogoods that are part of the set
    index_t n_inherited
    index_t n_limiting          # how many inherited nogoods are in `limits_by_nogoods`
    Py_ssize_t limits_capacity, inherited_capacity
    index_t* clique             # members of which no two can share a leaf
    index_t clique_size
    FirstSplit split            # if the answer is yes

# The nogoods, by number: their sets; how many splits they need at least; and, by feature and side, the rank with which
# the side has the whole nogood.
cdef struct Nogoods:
    uint64_t* sets
    index_t* needs
    index_t* ranks
    Py_ssize_t sets_capacity, needs_capacity, ranks_capacity    # in nogoods
    index_t n_sets

# A node of a tree of the members. A leaf has no feature, but a label; it counts the samples that it gets wrong, and
# keeps the first of them. The left child is the next node.
cdef struct MemberNode:
    index_t feature, rank, right, label, n_wrong, first_wrong


cdef class WorkingSet:
    cdef const index_t[::1] labels
    cdef const index_t[:, ::1] ranks        # by feature: which of its distinct values a sample has
    cdef const index_t[:, ::1] orders       # by feature: the samples in ascending order
    cdef Py_ssize_t n_samples, n_features, n_classes
    cdef bint is_complete                   # all samples are members, and no nogoods are learned

    cdef Py_ssize_t n_words                 # of a set
    cdef index_t n_members
    cdef index_t[::1] member_labels
    cdef index_t[:, ::1] member_ranks       # by feature and member
    cdef index_t[:, ::1] member_orders      # by feature: members in ascending order
    cdef index_t[::1] member_of             # by sample: the member, or NONE

    cdef Py_ssize_t most_compared           # members among which conflicts are looked for
    cdef Py_ssize_t n_conflict_words
    cdef index_t n_compared                 # members whose conflicts have been found
    cdef uint64_t[:, ::1] conflicts         # by member: the members that cannot share a leaf with it
    cdef index_t[:, ::1] witnesses          # by two members of one class in conflict: one of another class between them
    cdef uint64_t[:, ::1] of_class          # by class: the members that have been compared
    cdef index_t[:, ::1] compared           # scratch, by feature: the members that are compared, ascending
    cdef uint64_t[:, ::1] below             # scratch, by feature and member: the members of one word with lower ranks,
    cdef uint64_t[:, ::1] up_to             # and those with lower ranks or the same rank

    cdef SetTable bounds                    # of sets and their SplitBounds
    cdef Nogoods nogoods
    cdef Level levels[MOST_LEVELS]
    cdef MemberNode* nodes                  # of a tree, in preorder
    cdef index_t n_nodes
    cdef Py_ssize_t nodes_capacity

    cdef uint64_t[::1] in_node              # the samples, not members, of level WHOLE
    cdef index_t[::1] class_counts          # scratch
    cdef index_t[:, ::1] first_members      # scratch, by side: from its end on, the first member of every class
    cdef index_t[::1] kept_clique           # scratch
    cdef uint64_t[:, ::1] supports          # scratch, by feature: the members that leave it no cut
    cdef index_t* numbers                   # scratch: two lists of nogoods
    cdef index_t* sources                   # scratch: by entry of `limits`, which nogood the limit comes from
    cdef Py_ssize_t numbers_capacity, sources_capacity

    cdef int64_t memory_limit               # bytes
    cdef int64_t n_steps                    # since the last check of the clock
    cdef float64_t deadline
    cdef int64_t n_subproblems, most_subproblems    # sets that have been looked at, and may be
    cdef bint is_too_deep


cdef int open_level(WorkingSet work, Py_ssize_t number) except -1 nogil
cdef int reserve_limits(WorkingSet work, Level* level, index_t budget) except -1 nogil
cdef bint reserve_nogood(WorkingSet work) except -1 nogil
cdef int compare_members(WorkingSet work) except -1 nogil
cdef int add_sample(WorkingSet work, index_t sample) except -1 nogil


cdef inline index_t* last_ranks_of(WorkingSet work, Py_ssize_t nogood) noexcept nogil:
    return work.nogoods.ranks + nogood * 2 * work.n_features


cdef inline uint64_t* set_of(WorkingSet work, Py_ssize_t nogood) noexcept nogil:
    return work.nogoods.sets + nogood * work.n_words


cdef inline index_t witness_of(WorkingSet work, index_t first, index_t second) noexcept nogil:
    """Return the witness of a conflict; NONE if the classes differ."""
    return work.witnesses[first, second] if work.member_labels[first] == work.member_labels[second] else NONE


cdef inline void insert_by_rank(
    const index_t* ranks, index_t* members, index_t n_members, index_t member
) noexcept nogil:
    """Insert a member into a list of members that ascend by rank."""
    cdef index_t position = n_members
    while position > 0 and ranks[members[position - 1]] > ranks[member]:
        members[position] = members[position - 1]
        position -= 1
    members[position] = member
