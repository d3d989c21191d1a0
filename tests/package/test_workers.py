"""Tasks run on the workers that joblib chooses, and their results come in order."""

import threading
import time

import pytest
import sklearn
from joblib import parallel_config
from joblib.parallel import get_active_backend

from pytrees import _workers


def test_threads_are_at_most_one_for_a_processor(monkeypatch):
    monkeypatch.setattr(_workers, "cpu_count", lambda: 2)
    before = threading.active_count()

    def count_threads():
        time.sleep(0.001)
        return threading.active_count()

    for n_jobs in (-1, 2, 5000, None):
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
