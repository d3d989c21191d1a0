"""Threads whose work can be asked to stop: Python tells the main thread alone that a signal has arrived."""

from contextlib import contextmanager
from threading import get_ident

# By identifier of a thread the event that asks it to stop.
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
    """Run a block: the reference does not tell how much of its work is done."""
    yield


def raise_if_stopped():
    """Raise RuntimeError where the work of this thread was asked to stop."""
    event = _events.get(get_ident())
    if event is not None and event.is_set():
        raise RuntimeError("The work of this thread was asked to stop.")
