"""Answers, limits and lists of cuts, which the searches for minimal and for optimal trees share."""

from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport float64_t, index_t, int64_t

cdef enum:
    NO = 0
    YES = 1
    STOPPED = 2                     # a limit has been reached: the answer is not known
    MOST_LEVELS = 500               # of the recursion, so that it fits the stack of any thread
    STEPS_BETWEEN_CHECKS = 1000000  # of the clock and of signals: some milliseconds


cdef bint is_over(float64_t deadline) except -1 nogil


cdef inline int check_limits(int64_t* n_steps, int64_t n_new_steps, float64_t deadline) except -1 nogil:
    """Count steps; now and then handle signals and look at the clock. Return STOPPED if the time is over, else YES."""
    if check_signals(n_steps, n_new_steps, STEPS_BETWEEN_CHECKS) and is_over(deadline):
        return STOPPED
    return YES


cdef inline index_t list_ends(
    const index_t* order, const index_t* ranks, index_t n_samples, index_t* ends, index_t* cut_ranks
) noexcept nogil:
    """List the cuts between samples in the order of a feature, and return their number. Cut i comes after the first
    ends[i] samples, the last of which has rank cut_ranks[i]."""
    cdef index_t i, n = 0
    for i in range(1, n_samples):
        if ranks[order[i]] != ranks[order[i - 1]]:
            ends[n], cut_ranks[n] = i, ranks[order[i - 1]]
            n += 1
    return n
