"""Answers and limits that all searches of this folder share."""

from pytrees._core.base.types cimport float64_t, int64_t

cdef enum:
    NO = 0
    YES = 1
    STOPPED = 2                     # a limit has been reached: not known
    MOST_LEVELS = 500               # of the recursion, so that it fits the stack of any thread


cdef int check_limits(int64_t* n_steps, int64_t n_new_steps, float64_t deadline) except -1 nogil
