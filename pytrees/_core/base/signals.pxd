"""Interruption: a long computation counts its work and asks Python, now and then, whether a signal has arrived, or its
thread was asked to stop."""

from cpython.exc cimport PyErr_CheckSignals

from pytrees._core.base.types cimport float64_t, int64_t

cdef enum:
    # Entries or labels visited between two checks: some tenths of a second at most.
    WORK_BETWEEN_CHECKS = 10000000


cdef int raise_if_stopped() except -1
cdef int show_share(float64_t share) except -1 with gil


cdef inline int check_signals(int64_t* work_done, int64_t work, int64_t interval) except -1 nogil:
    """Add `work` to `work_done`; once the sum reaches `interval`, start again from 0 and handle signals.

    Returns 1 if signals were handled, else 0. Raises what the handler raises, such as KeyboardInterrupt, and
    RuntimeError if the thread was asked to stop.
    """
    work_done[0] += work
    if work_done[0] < interval:
        return 0
    work_done[0] = 0
    with gil:
        PyErr_CheckSignals()
        raise_if_stopped()
    return 1
