"""The table of criteria on label sequences: no other file of this folder depends on the criterion.

A criterion gives the impurity of a whole sequence. It may also give the impurities of a cut's children faster from cut
to cut, while rows move from the right child to the left one.
"""

cimport cython

from pytrees._core.base.types cimport UNLIMITED, index_t, int64_t, uint8_t
from pytrees._core.sequence.history cimport (
    ExhaustiveHistory, PlaneChildren, complexity, complexity_of_planes, has_planes, least_complexity, move_label,
    start_planes,
)
from pytrees._core.sequence.levels cimport (
    LevelChildren, effort_of_child, least_effort, levels_pay, move_symbol, start_levels,
)
from pytrees._core.sequence.substitution cimport PairSubstitution, effort, effort_of_runs


cdef enum SequenceImpurity:
    EFFORT          # Effort-To-Compress
    COMPLEXITY      # Lempel-Ziv complexity


@cython.final
cdef class ImpurityMemory:
    """Memory of one thread for the impurity of label sequences."""

    cdef SequenceImpurity impurity
    cdef index_t n_classes
    cdef index_t[::1] sequence          # labels whose impurity is asked for; they may be overwritten
    cdef PairSubstitution substitution  # of EFFORT, otherwise None
    cdef LevelChildren levels           # the same; None if there are too many classes
    cdef ExhaustiveHistory history      # of COMPLEXITY, otherwise None
    cdef PlaneChildren planes           # the same; None if there are too many classes


cdef inline index_t impurity_of(ImpurityMemory memory, index_t length, index_t limit) noexcept nogil:
    """Return the impurity of `memory.sequence[:length]`; `limit` as soon as it is known to reach it."""
    if memory.impurity == EFFORT:
        return effort(memory.substitution, length, memory.n_classes, limit)
    return complexity(memory.history, length, memory.n_classes, limit)


cdef inline index_t steps_left(int64_t limit, int64_t cost, index_t length) noexcept nogil:
    """Return the least impurity with which a sequence of this length raises the cost to the limit."""
    return <index_t> min((limit - cost + length - 1) // length, <int64_t> UNLIMITED)


cdef inline bint takes_runs(ImpurityMemory memory) noexcept nogil:
    """Whether a sequence can be given as runs of equal labels."""
    return memory.impurity == EFFORT


cdef inline index_t impurity_of_runs(
    ImpurityMemory memory, index_t n_runs, index_t length, index_t limit
) noexcept nogil:
    """Return the impurity of the sequence that `memory.substitution.runs[:n_runs]` spell."""
    return effort_of_runs(memory.substitution, n_runs, length, memory.n_classes, limit)


# The two children of a cut, between which rows move.

cdef inline bint children_share_work(
    ImpurityMemory memory, index_t length, index_t n_cuts, bint has_long_runs
) noexcept nogil:
    """Whether it is faster to follow the children of `n_cuts` cuts of a node than to start anew at every cut."""
    if memory.impurity == EFFORT:
        return memory.levels is not None and levels_pay(length, n_cuts) and not has_long_runs
    return has_planes(length, memory.n_classes)


cdef inline void start_children(ImpurityMemory memory, const index_t[::1] labels, index_t length) noexcept nogil:
    """Start with all rows on the right."""
    if memory.impurity == EFFORT:
        start_levels(memory.levels, memory.substitution, labels, length)
    else:
        start_planes(memory.planes, labels, length)


cdef inline void move_left(
    ImpurityMemory memory, index_t row, index_t label, const uint8_t* is_left
) noexcept nogil:
    """Move a row. is_left[r + 1] says whether row r is on the left, and is_left[0] is true."""
    if memory.impurity == EFFORT:
        move_symbol(memory.levels, row, label, is_left)
    else:
        move_label(memory.planes, row, label)


cdef inline index_t least_of_child(ImpurityMemory memory, bint is_left) noexcept nogil:
    """Return a lower bound of a child's impurity that costs no work."""
    if memory.impurity == EFFORT:
        if is_left:
            return least_effort(memory.levels.left)
        return least_effort(memory.levels.right)
    if is_left:
        return least_complexity(memory.planes.left)
    return least_complexity(memory.planes.right)


cdef inline index_t impurity_of_child(ImpurityMemory memory, bint is_left, index_t limit) noexcept nogil:
    """Return a child's impurity; `limit` as soon as it is known to reach it."""
    if memory.impurity == EFFORT:
        if is_left:
            return effort_of_child(memory.levels.left, memory.substitution, limit)
        return effort_of_child(memory.levels.right, memory.substitution, limit)
    if is_left:
        return complexity_of_planes(memory.planes.left, limit)
    return complexity_of_planes(memory.planes.right, limit)
