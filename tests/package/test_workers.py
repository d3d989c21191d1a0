"""Tasks run on the workers that joblib chooses, and their results come in order."""

import threading
import time
from contextlib import suppress

import numpy as np
import pytest
import sklearn
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import get_active_backend
from support import assert_refuses

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    OptimalTreeClassifier,
    PermutationDecisionTreeClassifier,
    _workers,
    config_context,
)
from pytrees._engine import current_engine, load


@pytest.fixture(autouse=True)
def two_processors(monkeypatch):
    monkeypatch.setattr(_workers, "cpu_count", lambda: 2)


def test_threads_are_at_most_one_for_a_processor():
    def thread():
        time.sleep(0.001)
        return threading.get_ident()

    for n_jobs in (2, 5000, None):
        with parallel_config("threading", n_jobs=5000):
            found = set(_workers.run_in_order(thread, [()] * 30, n_jobs))
        assert len(found) == 2
        assert threading.get_ident() in found


@pytest.mark.parametrize("end", ["closed", "failed"])
def test_threads_end_once_nobody_takes_results(end):
    ran, main = [], threading.get_ident()

    def run(position):
        ran.append(position)
        time.sleep(0.002)
        if end == "failed" and threading.get_ident() == main and position > 2:
            raise OSError("no disk")
        return position

    results = _workers.run_in_order(run, [(i,) for i in range(60)], 2, "threads")
    assert next(results) == 0
    if end == "closed":
        results.close()
    else:
        assert_refuses(OSError, "no disk", list, results)
    _workers._wait_for_threads()
    assert len(ran) < 30


class Dropped:
    """Starts threads as a Python without memory does: some die before their first step, or are refused."""

    def __init__(self, monkeypatch, module, error=None):
        self.start, self.error, self.n_starts = module.start_new_thread, error, 0
        monkeypatch.setattr(module, "start_new_thread", self)

    def __call__(self, function, args):
        self.n_starts += 1
        if self.error is not None:
            raise self.error()  # anew: the traceback has the arguments
        return self.start(lambda: None, ())


@pytest.mark.parametrize("error", [None, MemoryError, RuntimeError])
def test_threads_that_cannot_start_leave_their_work_to_others(monkeypatch, error):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 4)), rng.integers(0, 2, 20_000)
    fits = [
        lambda n_jobs: DecisionTreeClassifier(max_depth=3, n_jobs=n_jobs).fit(X, y).tree_,
        lambda n_jobs: PermutationDecisionTreeClassifier(max_depth=1, n_jobs=n_jobs).fit(X[:400], y[:400]).tree_,
        lambda n_jobs: OptimalTreeClassifier(max_depth=3, n_jobs=n_jobs).fit(X[:60].round(), y[:60]).tree_,
        lambda n_jobs: (
            DecisionForestClassifier(4, random_state=0, n_jobs=n_jobs).fit(X[:99], y[:99]).estimators_[3].tree_
        ),
    ]
    expected = [fit(1) for fit in fits]
    dropped = [Dropped(monkeypatch, module, error) for module in (_workers, load("pytrees._core.base.threads"))]
    assert [fit(2) for fit in fits] == expected
    assert all(one.n_starts > 0 for one in dropped)


def test_a_thread_that_ends_without_a_word_is_not_waited_for(monkeypatch):
    main = threading.get_ident()

    def run(helper, mark, function, *args):
        with suppress(SystemExit):
            function(*args)

    def die_elsewhere():
        time.sleep(0.002)
        if threading.get_ident() != main:
            raise SystemExit

    monkeypatch.setattr(_workers._Helper, "_run", run)
    with pytest.raises(MemoryError, match="ended because it had no memory"):
        list(_workers.run_in_order(die_elsewhere, [()] * 20, 2, "threads"))


@pytest.mark.parametrize("backend", ["threading", "loky", "sequential"])
def test_results_come_in_order_whoever_is_late(backend):
    tasks = [(0.002 * (i % 3 == 0), i) for i in range(20)]
    with parallel_config(backend, n_jobs=2):
        assert list(_workers.run_in_order(_late, tasks, None)) == list(range(20))
        assert list(_workers.run_in_order(_late, [], None)) == []


def _late(seconds, value):
    time.sleep(seconds)
    return value


@pytest.mark.parametrize("raiser", ["caller", "other"])
def test_an_error_on_a_thread_stops_the_others(raiser):
    ran, caller = [], threading.get_ident()

    def fail_on(position):
        ran.append(position)
        time.sleep(0.001)
        if position >= 2 and (threading.get_ident() == caller) == (raiser == "caller"):
            raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        list(_workers.run_in_order(fail_on, [(i,) for i in range(1000)], 2, "threads"))
    assert len(ran) < 1000


def test_threads_know_the_settings_of_the_caller():
    def settings():
        time.sleep(0.001)
        return sklearn.get_config()["working_memory"], get_active_backend()[0].nesting_level

    with sklearn.config_context(working_memory=17):
        assert set(_workers.run_in_order(settings, [()] * 20, 2, "threads")) == {(17, 1)}


def test_one_processor_runs_all_tasks(monkeypatch):
    monkeypatch.setattr(_workers, "cpu_count", lambda: 1)
    found = _workers.run_in_order(threading.get_ident, [()] * 10, 5, "threads")
    assert set(found) == {threading.get_ident()}


# A backend of joblib serves one `Parallel` at a time, so that tasks cannot share the one for what they run.
def test_tasks_may_run_threads_of_joblib():
    def add_up(number):
        return sum(Parallel(n_jobs=2, prefer="threads")(delayed(_late)(0.001 * (i % 2), number) for i in range(6)))

    for _ in range(5):
        found = _workers.run_in_order(add_up, [(number,) for number in range(12)], 2, "threads")
        assert list(found) == [6 * number for number in range(12)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_error_ends_the_results_unseen(n_jobs):
    def stop():
        raise StopIteration

    assert_refuses(RuntimeError, "StopIteration", list, _workers.run_in_order(stop, [()] * 3, n_jobs, "threads"))


def test_threads_are_in_the_context_of_the_caller():
    def engine():
        time.sleep(0.001)
        return current_engine()

    with config_context(engine="reference"):
        assert set(_workers.run_in_order(engine, [()] * 20, 2, "threads")) == {"reference"}
