"""Tasks run on the workers that joblib chooses, and their results come in order."""

import threading
import time

import pytest
import sklearn
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import get_active_backend

from pytrees import _workers, config_context
from pytrees._engine import current_engine


@pytest.fixture(autouse=True)
def two_processors(monkeypatch):
    monkeypatch.setattr(_workers, "cpu_count", lambda: 2)


def test_threads_are_at_most_one_for_a_processor():
    before = threading.active_count()

    def count_threads():
        time.sleep(0.001)
        return threading.active_count()

    for n_jobs in (2, 5000, None):
        with parallel_config("threading", n_jobs=5000):
            counted = list(_workers.run_in_order(count_threads, [()] * 30, n_jobs))
        assert max(counted) == before + 1  # the calling thread works, too


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

    with pytest.raises(RuntimeError, match="StopIteration"):
        list(_workers.run_in_order(stop, [()] * 3, n_jobs, "threads"))


def test_threads_are_in_the_context_of_the_caller():
    def engine():
        time.sleep(0.001)
        return current_engine()

    with config_context(engine="reference"):
        assert set(_workers.run_in_order(engine, [()] * 20, 2, "threads")) == {"reference"}
