"""The table of criteria on label sequences: no other file of this folder depends on the criterion.

The impurity of a label sequence is a whole number, here called steps: Effort-To-Compress or Lempel-Ziv complexity. A
criterion gives the impurity of any sequence. It may also follow the two children of a cut while rows move from the
right child to the left one, which is faster than to start anew at every cut.
"""

cimport cython

from pytrees._core.base.types cimport UNLIMITED, index_t, int64_t, uint8_t
from pytrees._core.sequence.history cimport (
    ExhaustiveHistory, PlaneChildren, complexity, complexity_of_planes, has_planes, least_complexity, move_label,
    start_planes,
)
from pytrees._core.sequence.levels cimport (
    LevelChildren, effort_of_child, fetch_symbol, least_effort, levels_pay, move_symbol, start_levels,
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
    cdef index_t[::1] sequence          # the labels whose impurity is asked for; they may be overwritten
    cdef PairSubstitution substitution  # for EFFORT, otherwise None
    cdef LevelChildren levels           # for EFFORT unless there are too many classes, otherwise None
    cdef ExhaustiveHistory history      # for COMPLEXITY, otherwise None
    cdef PlaneChildren planes           # for COMPLEXITY unless there are too many classes, otherwise None


cdef inline index_t impurity_of(ImpurityMemory memory, index_t length, index_t limit) except -1 nogil:
    """Return the impurity of `memory.sequence[:length]`; `limit` as soon as it is known to reach it."""
    if memory.impurity == EFFORT:
        return effort(memory.substitution, length, memory.n_classes, limit)
    return complexity(memory.history, length, memory.n_classes, limit)


cdef inline index_t take_child(
    const index_t[::1] labels, const uint8_t[::1] is_left, bint side, index_t start, index_t stop,
    index_t[::1] sequence,
) noexcept nogil:
    """Write the labels of the rows start to stop - 1 that are in one child to `sequence`; return their number.

    is_left[r + 1] says whether row r is on the left; the left child has the side 1.
    """
    cdef index_t row, written = 0
    # sequence[:written] is the child's part of the labels so far; labels after it are overwritten.
    for row in range(start, stop):
        sequence[written] = labels[row]
        written += is_left[row + 1] == side
    return written


cdef inline index_t steps_left(int64_t limit, int64_t cost, index_t length) noexcept nogil:
    """Return the least impurity with which a sequence of this length raises the cost to the limit."""
    return <index_t> min((limit - cost + length - 1) // length, <int64_t> UNLIMITED)


cdef inline bint takes_runs(ImpurityMemory memory) noexcept nogil:
    """Whether a sequence can be given as runs of equal labels."""
    return memory.impurity == EFFORT


cdef inline index_t impurity_of_runs(
    ImpurityMemory memory, index_t n_runs, index_t length, index_t limit
) except -1 nogil:
    """Return the impurity of the sequence that consists of the runs `memory.substitution.runs[:n_runs]`."""
    return effort_of_runs(memory.substitution, n_runs, length, memory.n_classes, limit)


# The children of a cut are followed while rows move from the right one to the left one.

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


cdef inline void fetch_row(ImpurityMemory memory, index_t row) noexcept nogil:
    """Fetch memory for a row that will move soon."""
    if memory.impurity == EFFORT:
        fetch_symbol(memory.levels, row)


cdef inline void move_left(ImpurityMemory memory, index_t row, index_t label, const uint8_t* is_left) noexcept nogil:
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


cdef inline index_t impurity_of_child(ImpurityMemory memory, bint is_left, index_t limit) except -1 nogil:
    """Return a child's impurity; `limit` as soon as it is known to reach it."""
    if memory.impurity == EFFORT:
        if is_left:
            return effort_of_child(memory.levels.left, memory.substitution, limit)
        return effort_of_child(memory.levels.right, memory.substitution, limit)
    if is_left:
        return complexity_of_planes(memory.planes.left, limit)
    return complexity_of_planes(memory.planes.right, limit)
