"""Non-sequential recursive pair substitution: the memory of one computation, which later ones use again."""

cimport cython

from pytrees._core.base.types cimport index_t, int64_t, uint8_t, uint64_t
from pytrees._core.sequence.marks cimport Marks
from pytrees._core.sequence.occurrences cimport Event, Fresh, Pair, Position


cdef struct Run:
    index_t symbol, length


@cython.final
cdef class PairSubstitution:
    cdef readonly Py_ssize_t capacity, symbol_capacity

    # The caller writes the labels here, coded 0..n_symbols-1. The computation overwrites them.
    cdef index_t[::1] sequence

    # If `record` is set, a row for every substitution: left symbol, right symbol, count, length after the substitution.
    cdef index_t[:, ::1] substitutions
    cdef bint record

    cdef index_t length, n_symbols, n_steps, limit
    cdef int64_t unchecked      # work since signals were checked
    cdef bint fetches           # sparse phase: whether the sequence is long, and memory is fetched ahead
    cdef index_t n_distinct     # different pairs in the sequence; a lower bound in the sparse phase

    # Run phase: the runs before a step, which a caller may write, and then the runs after it; counts of their pairs.
    cdef Run[::1] runs
    cdef index_t[::1] run_table

    # Dense phase: the symbols as bytes; scratch; the counts of all pairs, with a row for every left symbol.
    cdef uint8_t[::1] dense, stays
    cdef index_t[::1] table

    # Sparse phase.
    cdef Position[::1] positions                # the symbols, linked
    cdef index_t[::1] occurrences               # positions, pair by pair
    cdef Pair[::1] pairs                        # the tracked pairs: those that occurred twice when they were made
    cdef index_t[::1] buckets                   # by count: the first pair of a list
    cdef uint64_t[::1] words, groups            # of the marks
    cdef index_t length_at_start
    cdef Marks marks                            # the first positions of the pairs of the top count
    cdef index_t[::1] pair_of_mark              # by marked position
    cdef Event[::1] events                      # the occurrences that the present step makes
    cdef Fresh[::1] fresh                       # the pairs that the present step makes
    cdef index_t[::1] fresh_before, fresh_after     # by symbol: its fresh pair with the new symbol, plus fresh_base
    cdef index_t[::1] offsets                   # scratch, by symbol
    cdef index_t n_pairs, n_occurrences, n_events, n_fresh, fresh_base, top_count


cdef index_t effort(PairSubstitution state, index_t length, index_t n_symbols, index_t limit) except -1 nogil
cdef index_t effort_of_runs(
    PairSubstitution state, index_t n_runs, index_t length, index_t n_symbols, index_t limit
) except -1 nogil
