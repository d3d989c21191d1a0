"""Threads that help the calling thread with its work."""


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
