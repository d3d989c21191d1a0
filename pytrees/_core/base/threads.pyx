"""Threads that help the calling thread with its work.

`threading` waits until a new thread reports that it runs. A thread that cannot allocate memory while it starts never
does, and the wait does not end. Here nobody waits for a report: the arguments of a thread contain a mark, which the
interpreter drops with the thread, whatever ended it.
"""

from _thread import allocate_lock, start_new_thread
from weakref import ref

from pytrees._core.base.signals import stoppable

# Between two looks at a thread, which usually reports its end at once.
SECONDS_OF_A_LOOK = 0.1


class Stop:
    """Asks threads to stop; to set it needs no memory."""

    def __init__(self):
        self.is_stopped = False

    def set(self):
        self.is_stopped = True

    def is_set(self):
        return self.is_stopped


class Mark:
    """Lives as long as a thread."""


class Helper:
    """A thread that helps another one."""

    def __init__(self):
        self.mark, self.has_begun, self.is_done, self.error = None, False, False, None
        self.end = allocate_lock()
        self.end.acquire()

    def start(self, *task):
        mark = Mark()
        self.mark = ref(mark)
        start_new_thread(_help, (mark, self, *task))

    def wait(self):
        """Wait for the end of the thread, if it has started."""
        while self.mark is not None and self.mark() is not None and not self.end.acquire(timeout=SECONDS_OF_A_LOOK):
            pass
        self.mark = None

    def raise_error(self):
        if self.has_begun and not self.is_done:
            raise self.error or MemoryError("A thread ended because it had no memory.")


def work_together(stop, work, arguments):
    """Do work that threads share: once for every tuple of arguments, each in a thread of its own. The calling thread
    takes the first one, and alone handles signals. Once `stop` is set, as it is if a thread fails, the kernels of the
    other threads raise RuntimeError.

    Where memory or the number of threads is limited, some threads may not start, so the work must be a loop over parts
    that any thread may take.
    """
    helpers = [Helper() for _ in arguments[1:]]
    try:
        for helper, each in zip(helpers, arguments[1:]):
            try:
                helper.start(stop, work, each)
            except (MemoryError, RuntimeError):
                break
        work(*arguments[0])
    except BaseException:
        stop.set()
        raise
    finally:
        _wait_for_all(helpers, stop)
    for helper in helpers:
        helper.raise_error()


def _wait_for_all(helpers, stop):
    """Wait until no helper is at work, even if a signal asks them to stop."""
    try:
        for helper in helpers:
            helper.wait()
    except BaseException:
        stop.set()
        for helper in helpers:
            helper.wait()
        raise


def _help(mark, helper, stop, work, arguments):
    try:
        helper.has_begun = True
        with stoppable(stop):
            work(*arguments)
        helper.is_done = True
    except BaseException as error:
        if stop.is_set():
            helper.is_done = True   # another thread has failed, and says why
        else:
            helper.error = error
    finally:
        if helper.has_begun and not helper.is_done:
            stop.set()
        helper.end.release()
