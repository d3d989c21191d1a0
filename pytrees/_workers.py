"""Run tasks on the workers of joblib: no more of them than are of use, and fewer if no more can start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any, Literal

from joblib import cpu_count
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel

# A call of a function, as `delayed` makes it.
_Task = tuple[Any, ...]


def n_workers(
    n_jobs: int | None,
    n_tasks: int,
    prefer: Literal["threads", "processes"] | None = None,
    require: Literal["sharedmem"] | None = None,
) -> int | None:
    """Return `n_jobs` for joblib, but at most a worker for each task, and at most a thread for each processor.

    Parameters
    ----------
    n_jobs : int or None
        As joblib takes it: a negative number counts from the number of processors, None leaves the choice to joblib.
    n_tasks : int
        Number of tasks.
    prefer : {"threads", "processes"} or None, default=None
        The kind of workers, unless a context of joblib chooses another kind.
    require : {"sharedmem"} or None, default=None
        Whether the workers must be threads, even if a context of joblib chooses another kind.

    Returns
    -------
    int or None
        The number of workers, None and negative numbers as they were given if they are no more.
    """
    backend, of_context = get_active_backend(prefer=prefer, require=require)
    asked = of_context if n_jobs is None else n_jobs
    uses_threads = getattr(backend, "uses_threads", False)  # backends of processes may lack the attribute
    most = max(1, min(n_tasks, cpu_count()) if uses_threads else n_tasks)
    return most if asked is not None and asked > most else n_jobs


def in_order(
    tasks: Sequence[_Task],
    n_jobs: int | None,
    prefer: Literal["threads", "processes"],
    require: Literal["sharedmem"] | None = None,
) -> Iterable[Any]:
    """Run tasks on workers, and return their results in order, one by one if joblib's backend can.

    Tasks with objects that cannot be pickled require "sharedmem". In a context of joblib that chooses processes, joblib
    then runs them on one thread, as it does for scikit-learn's forests.

    If a thread cannot start, because memory or the number of threads is limited, the calling thread runs all tasks.
    """
    n_jobs = n_workers(n_jobs, len(tasks), prefer, require)
    try:
        parallel = Parallel(n_jobs=n_jobs, prefer=prefer, require=require, return_as="generator")
    except ValueError:  # the backend "multiprocessing" returns lists alone
        results: list[Any] = Parallel(n_jobs=n_jobs, prefer=prefer, require=require)(tasks)
        return results
    try:
        found: Iterable[Any] = parallel(tasks)
    except (AttributeError, RuntimeError):
        # No task ran. A pool of some threads that cannot start all of them fails to end these: an AttributeError.
        found = Parallel(n_jobs=1, return_as="generator")(tasks)
    return found


@contextmanager
def set_on_error(event: Event) -> Iterator[None]:
    """Set an event if the block ends by an error or an interruption: threads that look at the event stop."""
    try:
        yield
    except BaseException:
        event.set()
        raise
