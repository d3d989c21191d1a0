"""Effort-To-Compress of two children of a cut, while rows move from one to the other: how levels lie in memory."""

cimport cython

from pytrees._core.base.types cimport index_t, uint8_t, uint16_t
from pytrees._core.sequence.substitution cimport PairSubstitution


cdef struct LevelSymbol:
    uint16_t previous, next, symbol


cdef struct Link:
    index_t position, symbol


cdef struct SequenceLevel:
    index_t length
    index_t n_distinct      # different pairs, without the two pairs at the ends
    index_t left, right     # the most frequent pair, which is replaced next
    index_t count           # its occurrences without overlap
    index_t rival           # no other pair has a greater count


@cython.final
cdef class ChildSequence:
    """The label sequence of one child of a cut, and its first substitutions, a level each."""

    cdef index_t n_rows, n_classes
    cdef index_t n_levels               # levels[:n_levels] belong to the sequence as it is
    cdef SequenceLevel[::1] levels
    cdef LevelSymbol[:, ::1] symbols    # by level and position
    cdef index_t[:, ::1] counts         # by level and pair
    cdef Link[::1] links                # scratch: the symbols that replace a part of a level
    cdef index_t[::1] flat_positions    # scratch: the positions of the symbols of a loaded level, in order


@cython.final
cdef class LevelChildren:
    cdef ChildSequence left, right


cdef bint levels_pay(index_t length, index_t n_cuts) noexcept nogil
cdef void start_levels(
    LevelChildren children, PairSubstitution state, const index_t[::1] labels, index_t length
) noexcept nogil
cdef void fetch_symbol(LevelChildren children, index_t row) noexcept nogil
cdef void move_symbol(LevelChildren children, index_t row, index_t label, const uint8_t* is_left) noexcept nogil
cdef index_t least_effort(ChildSequence child) noexcept nogil
cdef index_t effort_of_child(ChildSequence child, PairSubstitution state, index_t limit) except -1 nogil
