"""Run tasks on the workers that joblib chooses: no more of them than are of use, and fewer if no more can start."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import starmap
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
    results every 10 ms: a forest of 100 trees on 1,000 samples takes longer on two of its threads than on one.

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
        Whether the workers must be threads. If a context of joblib chooses another kind, the tasks then run on one
        thread, as they do for scikit-learn's forests.

    Returns
    -------
    iterable
    """
    backend, of_context = get_active_backend(prefer=prefer, require=require)
    n_workers = min(backend.effective_n_jobs(of_context if n_jobs is None else n_jobs), max(1, len(tasks)))
    if n_workers == 1:
        return starmap(function, tasks)
    if isinstance(backend, ThreadingBackend):
        return _on_threads(function, tasks, min(n_workers, cpu_count()), backend)
    calls = [delayed(function)(*task) for task in tasks]
    try:
        parallel = Parallel(n_jobs=n_workers, prefer=prefer, require=require, return_as="generator")
    except ValueError:  # the backend "multiprocessing" returns lists alone
        results: list[Any] = Parallel(n_jobs=n_workers, prefer=prefer, require=require)(calls)
        return results
    try:
        found: Iterable[Any] = parallel(calls)
    except RuntimeError:  # a thread of the backend cannot start, because memory or the number of threads is limited
        found = starmap(function, tasks)
    return found


def _on_threads(
    function: Callable[..., Any], tasks: Sequence[_Task], n_threads: int, backend: ParallelBackendBase
) -> Iterator[Any]:
    """Yield the results in order. The calling thread takes tasks, too: all of them if no other thread can start."""
    left, results, errors = deque(enumerate(tasks)), dict[int, Any](), list[BaseException]()
    of_sklearn, (of_joblib, n_nested) = get_config(), backend.get_nested_backend()

    def run_next() -> bool:
        try:
            position, task = left.popleft()
        except IndexError:
            return False
        try:
            with config_context(**of_sklearn), parallel_config(of_joblib, n_jobs=n_nested):
                results[position] = function(*task)
        except BaseException as error:
            left.clear()
            errors.append(error)
            raise
        return True

    def run_all() -> None:
        while run_next():
            pass

    threads = ThreadPoolExecutor(n_threads - 1)
    try:
        with suppress(RuntimeError):  # a thread cannot start, because memory or the number of threads is limited
            for _ in range(n_threads - 1):
                threads.submit(run_all)
        for position in range(len(tasks)):
            while position not in results and run_next():
                pass
            if position not in results:  # no task is left, and another thread still runs this one or has failed
                threads.shutdown()
            if errors:
                raise errors.pop(0)
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
