"""Stops kernels, and reports their progress, in threads other than the main one, which alone gets signals."""

from contextlib import contextmanager
from threading import get_ident

from pytrees._core.base.types cimport float64_t

# The event that asks a thread to stop, by the thread's identifier.
_events = {}
# The function that is told how much is done, by the thread's identifier.
_watchers = {}


@contextmanager
def _entered(registry, entry):
    """Register an entry for this thread inside the block."""
    thread = get_ident()
    before = registry.get(thread)
    registry[thread] = entry
    try:
        yield
    finally:
        registry[thread] = before
        if before is None:
            del registry[thread]


def stoppable(event):
    """Let the kernels that run in this thread inside the block raise RuntimeError soon after the event is set."""
    return _entered(_events, event)


def watched(show):
    """Let the kernels that run in this thread inside the block call `show`, now and then, with the share of their work
    that is done."""
    return _entered(_watchers, show)


cdef int raise_if_stopped() except -1:
    """Raise RuntimeError if the work of this thread was asked to stop."""
    event = _events.get(get_ident())
    if event is not None and event.is_set():
        raise RuntimeError("The work of this thread was asked to stop.")


cdef int show_share(float64_t share) except -1 with gil:
    """Tell whoever watches this thread which share of a kernel's work is done."""
    show = _watchers.get(get_ident())
    if show is not None:
        show(share)
