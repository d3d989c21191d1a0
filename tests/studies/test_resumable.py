"""Runs that are killed and started again: nothing finished is lost or computed twice, nothing else is used."""

import json
import signal
import subprocess
import sys
import time

import pytest
from sources import ROOT
from support import assert_refuses

from studies.resumable import read_finished, run_resumable

SETTINGS = {"version": 1, "depths": (3, 5)}
TASKS = {("a", 0): (2,), ("a", 1): (3,), ("b", 0): (4,)}
SQUARES = {("a", 0): [4, 0.1], ("a", 1): [9, 0.1], ("b", 0): [16, 0.1]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "tasks.jsonl"


class Square:
    """Squares as rows; counts the calls, and fails or is interrupted at certain numbers."""

    def __init__(self, error=None, at=()):
        self.error, self.at, self.called = error, at, []

    def __call__(self, number):
        self.called.append(number)
        if number in self.at:
            raise self.error
        return number * number, 0.1


square = Square()


def run(function, path, tasks=TASKS, settings=SETTINGS, **options):
    return run_resumable(function, tasks, path, settings, **options)


def test_all_are_computed_and_kept(path, capsys):
    counted = Square()
    assert run(counted, path, label="squares") == SQUARES
    assert list(run(counted, path)) == list(TASKS)
    assert counted.called == [2, 3, 4]
    told = capsys.readouterr().err
    assert "squares: " in told
    assert "3 of 3 tasks are finished in" in told


def test_results_are_the_same_whether_computed_or_read(path):
    def awkward(number):
        return {"nan": float("nan"), "third": number / 3, "text": "ä\n", "none": None, "tuple": (1, (2,))}

    first, again = (run(awkward, path) for _ in range(2))
    assert repr(first) == repr(again)
    assert first["b", 0]["third"] == 4 / 3
    assert len(path.read_bytes().splitlines()) == 3


def test_keys_of_one_word_or_number(path):
    tasks = {"a": (1,), 5: (2,)}
    assert (
        run(square, path, tasks) == run(Square(AssertionError, at=(1, 2)), path, tasks) == {"a": [1, 0.1], 5: [4, 0.1]}
    )


def test_a_killed_run_goes_on_where_it_stopped(path):
    assert_refuses(KeyboardInterrupt, None, run, Square(KeyboardInterrupt, at=(4,)), path, n_jobs=1)
    assert read_finished(path, SETTINGS) == {key: SQUARES[key] for key in [("a", 0), ("a", 1)]}
    counted = Square()
    assert run(counted, path) == SQUARES
    assert counted.called == [4]


@pytest.mark.parametrize("n_kept", [0, 1, 40, -2, -1])
def test_a_torn_last_line_is_computed_again(path, n_kept):
    run(square, path)
    *whole, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole) + last[:n_kept])
    # Without its end alone the line is whole.
    assert len(read_finished(path, SETTINGS)) == (3 if n_kept == -1 else 2)
    counted = Square()
    assert run(counted, path) == SQUARES
    assert counted.called == ([] if n_kept == -1 else [4])
    assert read_finished(path, SETTINGS) == SQUARES
    assert run(Square(AssertionError, at=(2, 3, 4)), path) == SQUARES


@pytest.mark.parametrize(
    "line", [b"", b"null", b"[]", b'{"key": 1}', b"\xff\x00", b'{"settings": 1, "key": {}, "result": 2}']
)
def test_other_lines_are_skipped(path, line):
    run(square, path)
    path.write_bytes(line + b"\n" + path.read_bytes() + line)
    assert read_finished(path, SETTINGS) == SQUARES
    assert run(square, path, {**TASKS, "c": (5,)}) == {**SQUARES, "c": [25, 0.1]}


@pytest.mark.parametrize("settings", [{**SETTINGS, "version": 2}, {"version": 1}, {**SETTINGS, "more": None}, {}])
def test_other_settings_are_not_used_and_not_lost(path, settings):
    run(square, path)
    assert read_finished(path, settings) == {}
    counted = Square()
    assert run(counted, path, settings=settings) == SQUARES
    assert counted.called == [2, 3, 4]
    assert run(Square(AssertionError, at=(2, 3, 4)), path) == SQUARES


def test_the_first_of_several_lines_counts(path):
    path.parent.mkdir()
    lines = [json.dumps({"settings": SETTINGS, "key": ["a", 0], "result": number}) for number in (1, 2)]
    path.write_text("\n".join(lines) + "\n")
    assert read_finished(path, SETTINGS) == {("a", 0): 1}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_loses_nothing(path, n_jobs):
    with pytest.raises(RuntimeError, match=r"(?s)1 of 3 tasks failed.*The first, \('a', 0\):.*ZeroDivisionError: two"):
        run(Square(ZeroDivisionError("two"), at=(2,)), path, n_jobs=n_jobs)
    assert read_finished(path, SETTINGS) == {key: SQUARES[key] for key in [("a", 1), ("b", 0)]}
    counted = Square()
    assert run(counted, path) == SQUARES
    assert counted.called == [2]


def test_results_beyond_json_are_errors_of_the_task(path):
    assert_refuses(RuntimeError, r"(?s)3 of 3 tasks failed.*not JSON serializable", run, lambda number: {number}, path)
    assert path.read_bytes() == b""


def test_processes_give_the_same(path):
    assert run(square, path, n_jobs=2) == SQUARES
    assert list(run(square, path, n_jobs=2)) == list(TASKS)


def test_no_tasks_give_no_results(path):
    assert run(square, path, {}) == {}


def test_a_line_is_written_before_the_next_task_starts(path):
    def lines_so_far(number):
        return len(path.read_bytes().splitlines())

    assert list(run(lines_so_far, path, n_jobs=1).values()) == [0, 1, 2]


_SLOW = """
import sys, time
from pathlib import Path
from studies.resumable import run_resumable

def slow(number):
    time.sleep(0.05)
    return number * number, 0.1

tasks = {number: (number,) for number in range(400)}
run_resumable(slow, tasks, Path(sys.argv[1]), {"version": 1, "depths": (3, 5)}, n_jobs=1)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX")
def test_a_process_that_is_killed_at_once_loses_only_what_it_worked_on(path, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", _SLOW, str(path)], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        while not path.exists() or len(path.read_bytes().splitlines()) < 5:
            assert process.poll() is None
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    tasks = {number: (number,) for number in range(400)}
    kept = read_finished(path, SETTINGS)
    assert 4 <= len(kept) < 400
    counted = Square()
    assert run(counted, path, tasks) == run(square, tmp_path / "unharmed" / "tasks.jsonl", tasks)
    assert counted.called == [number for number in range(400) if number not in kept]
