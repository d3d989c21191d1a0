"""Run tasks on the workers that joblib chooses: no more of them than are of use, and fewer if no more can start."""

from __future__ import annotations

import atexit
from _thread import LockType, allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import Event
from typing import Any, ClassVar, Literal
from weakref import WeakSet, ref

from joblib import cpu_count, parallel_config
from joblib.parallel import ParallelBackendBase, ThreadingBackend, get_active_backend
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed

# The arguments of a call.
_Task = tuple[Any, ...]
# Between two looks at threads, which usually report their ends at once.
_SECONDS_OF_A_LOOK = 0.1


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
    Its own threads pass every task on to others, and look for results every 10 ms: a forest of 100 trees on 1,000
    samples takes longer on two of its threads than on one. After an error or an interruption, threads end their present
    tasks, and the interpreter waits for them when it exits.

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
    left, results, of_sklearn, news = deque(enumerate(tasks)), dict[int, Any](), get_config(), allocate_lock()

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

    helpers = [_Helper(news) for _ in range(n_threads - 1)]
    try:
        with suppress(MemoryError, RuntimeError):  # a thread cannot start, because memory or their number is limited
            for helper in helpers:
                helper.start(copy_context().run, run_all)
        for position in range(len(tasks)):
            while position not in results and run_next():
                pass
            # If it is not there, no task is left, and another thread still runs this one or has failed.
            while position not in results:
                is_last_look = not any(helper.is_alive() for helper in helpers)
                for helper in helpers:
                    helper.raise_error()
                if is_last_look and position not in results:
                    raise MemoryError("A thread ended because it had no memory.")
                news.acquire(timeout=_SECONDS_OF_A_LOOK)
            yield results.pop(position)
    except BaseException:  # or nobody takes further results: threads end after the tasks that they run
        left.clear()
        raise
    for helper in helpers:
        helper.wait()


class _Mark:
    """Lives as long as a thread."""


class _Helper:
    """A thread that helps the calling one.

    `threading` waits until a new thread reports that it runs. A thread that cannot allocate memory while it starts
    never does, and the wait does not end. Here nobody waits for a report: the arguments of a thread contain a mark,
    which the interpreter drops with the thread, whatever ended it.
    """

    # The interpreter waits for those that still run when it exits.
    all: ClassVar[WeakSet[_Helper]] = WeakSet()

    def __init__(self, news: LockType) -> None:
        self.news, self.is_done = news, False
        self.error: BaseException | None = None
        self.mark: Callable[[], _Mark | None] = lambda: None

    def start(self, *call: Any) -> None:
        """Call a function in the thread; release `news` in the end."""
        mark = _Mark()
        self.mark = ref(mark)
        self.all.add(self)
        start_new_thread(self._run, (mark, *call))

    def _run(self, mark: _Mark, function: Callable[..., Any], *args: Any) -> None:
        try:
            function(*args)
        except BaseException as error:
            self.error = error
        finally:
            self.is_done = True
            with suppress(RuntimeError):  # it is released already
                self.news.release()

    def is_alive(self) -> bool:
        return not self.is_done and self.mark() is not None

    def wait(self) -> None:
        while self.is_alive():
            self.news.acquire(timeout=_SECONDS_OF_A_LOOK)

    def raise_error(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # its traceback has this frame


@atexit.register
def _wait_for_threads() -> None:
    for helper in list(_Helper.all):
        helper.wait()


@contextmanager
def set_on_error(event: Event) -> Iterator[None]:
    """Set an event if the block ends by an error or an interruption: threads that look at the event stop."""
    try:
        yield
    except BaseException:
        event.set()
        raise
