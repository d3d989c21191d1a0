"""Run tasks on the workers that joblib chooses: no more of them than are of use, and fewer if no more can start."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import Event
from typing import Any, Literal

from joblib import cpu_count, parallel_config
from joblib.parallel import ParallelBackendBase, ThreadingBackend, get_active_backend
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed

# The arguments of a call.
_Task = tuple[Any, ...]


def run_in_order(
    function: Callable[..., Any],
    tasks: Sequence[_Task],
    n_jobs: int | None,
    prefer: Literal["threads", "processes"] | None = None,
    require: Literal["sharedmem"] | None = None,
) -> Iterable[Any]:
    """Call a function with the arguments of every task on workers, and return the results in order, one by one if
    joblib's backend can.

    Joblib and its contexts choose the kind of workers and their number; threads are at most one for each processor.
    The threads themselves are the standard library's. Joblib passes every task on by threads of its own, and looks for
    results every 10 ms: a forest of 100 trees on 1,000 samples takes longer on two of its threads than on one. After an
    error or an interruption, threads end their present tasks, and the interpreter waits for them when it exits.

    Parameters
    ----------
    function : callable
    tasks : sequence of tuples
        Tasks with objects that cannot be pickled require "sharedmem".
    n_jobs : int or None
        As joblib takes it: a negative number counts from the number of processors, None leaves the choice to joblib.
    prefer : {"threads", "processes"} or None, default=None
        The kind of workers, unless a context of joblib chooses another kind.
    require : {"sharedmem"} or None, default=None
        Whether the workers must be threads. If a context of joblib chooses another kind, the tasks run on one thread
        unless `n_jobs` asks for more, as they do for scikit-learn's forests.

    Returns
    -------
    iterable
    """
    backend, of_context = get_active_backend(prefer=prefer, require=require)
    uses_threads = isinstance(backend, ThreadingBackend)
    asked = of_context if n_jobs is None else n_jobs
    n_workers = backend.effective_n_jobs(backend.default_n_jobs if asked is None else asked)
    n_workers = min(n_workers, max(1, len(tasks)), cpu_count() if uses_threads else n_workers)
    if n_workers == 1:
        return _one_by_one(function, tasks)
    if uses_threads:
        return _on_threads(function, tasks, n_workers, backend)
    calls = [delayed(function)(*task) for task in tasks]
    try:
        parallel = Parallel(n_jobs=n_workers, prefer=prefer, require=require, return_as="generator")
    except ValueError:  # the backend "multiprocessing" returns lists alone
        results: list[Any] = Parallel(n_jobs=n_workers, prefer=prefer, require=require)(calls)
        return results
    try:
        found: Iterable[Any] = parallel(calls)
    except RuntimeError:  # a thread of the backend cannot start, because memory or the number of threads is limited
        found = _one_by_one(function, tasks)
    return found


def _one_by_one(function: Callable[..., Any], tasks: Sequence[_Task]) -> Iterator[Any]:
    # A generator: iterators of `itertools` would end without an error if the function raised StopIteration.
    return (function(*task) for task in tasks)


def _on_threads(
    function: Callable[..., Any], tasks: Sequence[_Task], n_threads: int, backend: ParallelBackendBase
) -> Iterator[Any]:
    """Yield the results in order. The calling thread takes tasks, too: all of them if no other thread can start."""
    left, results = deque(enumerate(tasks)), dict[int, Any]()
    of_sklearn, running = get_config(), list[Future[None]]()

    def run_next() -> bool:
        try:
            position, task = left.popleft()
        except IndexError:
            return False
        try:
            # Each task has its own, for it serves one `Parallel` at a time.
            nested, n_nested = backend.get_nested_backend()
            with config_context(**of_sklearn), parallel_config(nested, n_jobs=n_nested):
                results[position] = function(*task)
        except BaseException:
            left.clear()
            raise
        return True

    def run_all() -> None:
        while run_next():
            pass

    threads = ThreadPoolExecutor(n_threads - 1)
    try:
        with suppress(RuntimeError):  # a thread cannot start, because memory or the number of threads is limited
            for _ in range(n_threads - 1):
                running.append(threads.submit(copy_context().run, run_all))
        for position in range(len(tasks)):
            while position not in results and run_next():
                pass
            if position not in results:  # no task is left, and another thread still runs this one or has failed
                for ended in wait(running, return_when=FIRST_EXCEPTION).done:
                    ended.result()
            yield results.pop(position)
    except BaseException:  # or nobody takes further results: threads end after the tasks that they run
        left.clear()
        threads.shutdown(wait=False)
        raise
    threads.shutdown()


@contextmanager
def set_on_error(event: Event) -> Iterator[None]:
    """Set an event if the block ends by an error or an interruption: threads that look at the event stop."""
    try:
        yield
    except BaseException:
        event.set()
        raise
