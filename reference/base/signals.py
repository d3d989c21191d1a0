"""Work of threads that can be asked to stop, because Python tells only the main thread that a signal has arrived."""

from contextlib import contextmanager
from threading import get_ident

# The event that asks a thread to stop, by identifier of the thread.
_events = {}


@contextmanager
def stoppable(event):
    """Let growth that runs in this thread inside the block raise RuntimeError soon after the event is set."""
    thread = get_ident()
    before = _events.get(thread)
    _events[thread] = event
    try:
        yield
    finally:
        _events[thread] = before
        if before is None:
            del _events[thread]


@contextmanager
def watched(show):
    """Run a block. The reference does not report its progress."""
    yield


def raise_if_stopped():
    """Raise RuntimeError if the work of this thread was asked to stop."""
    event = _events.get(get_ident())
    if event is not None and event.is_set():
        raise RuntimeError("The work of this thread was asked to stop.")
