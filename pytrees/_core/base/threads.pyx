"""Threads that help the calling thread with its work."""

from concurrent.futures import ThreadPoolExecutor

from pytrees._core.base.signals import stoppable


def start_all(pool, work, arguments):
    """Start work in the threads of a pool, once for every tuple of arguments; return the futures.

    If a thread cannot start, because memory or the number of threads is limited, there are fewer futures: the caller
    does the rest of the work. The pool may still do the work for which no thread started, until the pool is shut down.
    """
    futures = []
    for each in arguments:
        try:
            futures.append(pool.submit(work, *each))
        except RuntimeError:
            break
    return futures


def work_together(name, stop, work, arguments):
    """Do work once for every tuple of arguments, each in a thread of its own. The calling thread takes the first one,
    and alone handles signals; once the event `stop` is set, the kernels of the other threads raise RuntimeError."""
    with ThreadPoolExecutor(len(arguments) - 1, name) as pool:
        futures = start_all(pool, _work_until_stopped, [(stop, work, each) for each in arguments[1:]])
        work(*arguments[0])
    for future in futures:
        future.result()


def _work_until_stopped(stop, work, arguments):
    with stoppable(stop):
        work(*arguments)
